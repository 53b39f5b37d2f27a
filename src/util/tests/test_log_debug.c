/* The two environment variables: TUFF_LOG chooses a level, TUFF_DEBUG a set of switches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/debug.h"
#include "util/log.h"

static void levels_nest(void **state)
{
    log_set_level(LOG_LEVEL_INFO);
    assert_true(log_enabled(LOG_LEVEL_ERROR));
    assert_true(log_enabled(LOG_LEVEL_INFO));
    assert_false(log_enabled(LOG_LEVEL_DEBUG));
    enum log_level level;
    assert_true(log_level_from_text("debug", &level));
    assert_int_equal(level, LOG_LEVEL_DEBUG);
    assert_false(log_level_from_text("loud", &level));
}

/* A context's report is pages long: none of it may be lost. */
static void long_messages_are_printed_whole(void **state)
{
    int fds[2], real = dup(STDERR_FILENO);
    assert_int_equal(pipe(fds), 0);
    char *page = malloc(9001);
    memset(page, 'x', 9000);
    page[9000] = '\0';
    dup2(fds[1], STDERR_FILENO);
    log_message(LOG_LEVEL_ERROR, "util", "%s|", page);
    dup2(real, STDERR_FILENO);
    char got[10000];
    ssize_t length = read(fds[0], got, sizeof(got));
    assert_int_equal(length, strlen("tuff: error: util: ") + 9000 + 2);
    assert_memory_equal(got, "tuff: error: util: xxx", 22);
    assert_memory_equal(got + length - 3, "x|\n", 3);
    free(page);
    close(fds[0]);
    close(fds[1]);
    close(real);
}

static void debug_words_become_bits(void **state)
{
    bool help;
    char unknown[64];
    assert_int_equal(debug_parse("entrypoints", &help, unknown, sizeof(unknown)), 1ull << DEBUG_ENTRYPOINTS);
    assert_false(help);
    assert_string_equal(unknown, "");
    assert_int_equal(debug_parse("", &help, unknown, sizeof(unknown)), 0);
    assert_int_equal(debug_parse(",,entrypoints, help", &help, unknown, sizeof(unknown)), 1ull << DEBUG_ENTRYPOINTS);
    assert_true(help);
}

static void unknown_debug_words_are_named(void **state)
{
    bool help;
    char unknown[16];
    assert_int_equal(debug_parse("entry,entrypointsx,x", &help, unknown, sizeof(unknown)), 0);
    assert_string_equal(unknown, "entry,x"); /* what does not fit is left out, never cut */
}

static void debug_help_lists_every_switch(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    debug_print_help(file);
    fclose(file);
#define LISTED(name, word, what) assert_non_null(strstr(text, word));
    DEBUG_FLAGS(LISTED)
#undef LISTED
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_nest),
        cmocka_unit_test(long_messages_are_printed_whole),
        cmocka_unit_test(debug_words_become_bits),
        cmocka_unit_test(unknown_debug_words_are_named),
        cmocka_unit_test(debug_help_lists_every_switch),
    };
    return cmocka_run_group_tests_name("log and debug", tests, NULL, NULL);
}
