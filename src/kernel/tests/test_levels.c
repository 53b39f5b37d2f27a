/* Models that are built for some levels of host instructions: which library is opened, and that one is never opened
 * which the CPU has no instructions for. The levels are made up, and take the place of util/host_level.c's. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/models.h"
#include "util/host_level.h"

static bool never(void)
{
    return false;
}

static bool always(void)
{
    return true;
}

const struct host_level host_levels[] = {
    {"future", "_future", never},
    {"good", "_good", always},
    {"baseline", "", always},
    {0},
};

const struct host_level *host_level_find(const char *name)
{
    return NULL;
}

static char folder[] = "/tmp/tuff-levels-XXXXXX";

static void place_model(const char *suffix)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/libtuff_model_fake%s.so", folder, suffix);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("no library", file);
    fclose(file);
}

static void clear_folder(void)
{
    static const char *const suffixes[] = {"_future", "_good", ""};
    char path[128];
    for (unsigned i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/libtuff_model_fake%s.so", folder, suffixes[i]);
        unlink(path);
    }
}

/* The words on stderr while a model is opened that cannot be. */
static void open_model(char *said, size_t size_B)
{
    FILE *text = tmpfile();
    const int old = dup(STDERR_FILENO);
    assert_true(text && old >= 0);
    fflush(stderr);
    dup2(fileno(text), STDERR_FILENO);
    const struct kernel_model_ops *ops;
    struct kernel_model_device *device;
    const int error = kernel_model_device("fake-new", &ops, &device);
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(old);
    rewind(text);
    said[fread(said, 1, size_B - 1, text)] = '\0';
    fclose(text);
    assert_int_equal(error, -ELIBACC);
}

static void assert_says(const char *part)
{
    char said[4096];
    open_model(said, sizeof(said));
    if (!strstr(said, part))
        fail_msg("\"%s\" is not in \"%s\"", part, said);
}

static void a_library_for_another_cpu_is_named_and_not_opened(void **state)
{
    clear_folder();
    place_model("_future");
    assert_says(
        "libtuff_model_fake.so is built for future, which this CPU does not offer: build it on this machine, or "
        "with -Dhost_levels=all");
}

static void the_best_level_that_is_offered_is_opened(void **state)
{
    clear_folder();
    place_model("_future");
    place_model("_good");
    place_model("");
    assert_says("cannot load"); /* the file is none, but its name is right */
    assert_says("/libtuff_model_fake_good.so");
    assert_says("/libtuff_model_fake.so"); /* the next one, where that fails */
}

static void a_level_that_is_asked_for_and_not_built_is_named(void **state)
{
    clear_folder();
    place_model("_good");
    setenv("TUFF_HOST_LEVEL", "baseline", 1);
    assert_says("TUFF_HOST_LEVEL is baseline, but ");
    assert_says("libtuff_model_fake.so is built for good");
    unsetenv("TUFF_HOST_LEVEL");
}

static void no_library_at_all_is_another_sentence(void **state)
{
    clear_folder();
    assert_says("libtuff_model_fake.so is not in ");
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    setenv("TUFF_MODEL_PATH", folder, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_for_another_cpu_is_named_and_not_opened),
        cmocka_unit_test(the_best_level_that_is_offered_is_opened),
        cmocka_unit_test(a_level_that_is_asked_for_and_not_built_is_named),
        cmocka_unit_test(no_library_at_all_is_another_sentence),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clear_folder();
    rmdir(folder);
    return failed;
}
