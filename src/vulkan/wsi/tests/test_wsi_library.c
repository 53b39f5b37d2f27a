/* Libraries that are opened when they are needed: one that is here, one that is not, and one that lacks a symbol. The C
 * library's mathematics stand for a window system's. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/wsi/wsi_library.h"

static struct {
    double (*cos)(double);
    double (*sin)(double);
} mathematics;

static const char *const there[] = {"cos", "sin"}, *const lacking[] = {"cos", "tuff_no_such_function"};

static bool open_and_listen(struct wsi_library *library, char *said, size_t size_B)
{
    FILE *text = tmpfile();
    const int old = dup(STDERR_FILENO);
    assert_true(text && old >= 0);
    fflush(stderr);
    dup2(fileno(text), STDERR_FILENO);
    const bool is_open = wsi_library_open(library);
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
    rewind(text);
    said[fread(said, 1, size_B - 1, text)] = '\0';
    fclose(text);
    return is_open;
}

static void symbols_are_found_in_the_order_of_their_names(void **state)
{
    struct wsi_library library = {.soname = "libm.so.6", .names = there, .name_count = 2, .addresses = &mathematics};
    char said[512];
    assert_true(open_and_listen(&library, said, sizeof(said)));
    assert_string_equal(said, "");
    assert_true(mathematics.cos(0) == 1 && mathematics.sin(0) == 0);
}

static void a_missing_library_is_named_once(void **state)
{
    struct wsi_library library = {.soname = "libtuff-nowhere.so.7",
                                  .lack = "no windows",
                                  .is_needed = true,
                                  .names = there,
                                  .name_count = 2,
                                  .addresses = &mathematics};
    char said[512];
    assert_false(open_and_listen(&library, said, sizeof(said)));
    if (!strstr(said, "no windows: libtuff-nowhere.so.7: ") || strchr(said, '\n') != said + strlen(said) - 1)
        fail_msg("no sentence that names the library: '%s'", said);
    assert_false(open_and_listen(&library, said, sizeof(said)));
    assert_string_equal(said, "");
}

static void a_missing_symbol_is_named(void **state)
{
    struct wsi_library library = {.soname = "libm.so.6",
                                  .lack = "no windows",
                                  .is_needed = true,
                                  .names = lacking,
                                  .name_count = 2,
                                  .addresses = &mathematics};
    char said[512];
    assert_false(open_and_listen(&library, said, sizeof(said)));
    if (!strstr(said, "libm.so.6") || !strstr(said, "tuff_no_such_function"))
        fail_msg("no sentence that names the symbol: '%s'", said);
}

static void a_spare_library_is_missed_in_silence(void **state)
{
    struct wsi_library library = {
        .soname = "libtuff-nowhere.so.7", .lack = "slower", .names = there, .name_count = 2, .addresses = &mathematics};
    char said[512];
    log_set_level(LOG_LEVEL_WARN);
    assert_false(open_and_listen(&library, said, sizeof(said)));
    assert_string_equal(said, "");
}

enum {
    THREADS = 8
};

struct thread {
    struct wsi_library *library;
    pthread_t id;
    bool has_cosine;
};

static void *open_on_thread(void *data)
{
    struct thread *thread = data;
    thread->has_cosine = wsi_library_open(thread->library) && mathematics.cos(0) == 1;
    return NULL;
}

static void threads_see_the_symbols_as_soon_as_it_is_open(void **state)
{
    for (unsigned round = 0; round < 100; round++) {
        struct wsi_library library = {
            .soname = "libm.so.6", .names = there, .name_count = 2, .addresses = &mathematics};
        struct thread threads[THREADS];
        memset(&mathematics, 0, sizeof(mathematics));
        for (unsigned i = 0; i < THREADS; i++) {
            threads[i] = (struct thread){.library = &library};
            assert_int_equal(pthread_create(&threads[i].id, NULL, open_on_thread, &threads[i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(threads[i].id, NULL);
            assert_true(threads[i].has_cosine);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_are_found_in_the_order_of_their_names),
        cmocka_unit_test(a_missing_library_is_named_once),
        cmocka_unit_test(a_missing_symbol_is_named),
        cmocka_unit_test(a_spare_library_is_missed_in_silence),
        cmocka_unit_test(threads_see_the_symbols_as_soon_as_it_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
