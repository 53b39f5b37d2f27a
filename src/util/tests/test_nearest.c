/* Which word was meant: typing errors find it, other words find nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/nearest.h"

static const char *const words[] = {"run", "info", "decode", "compile", "--claim-conformance", "--as-gpu", "gfx-one"};

static const char *find_nearest(const char *word)
{
    struct nearest nearest = nearest_begin(word, strlen(word));
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
        nearest_try(&nearest, words[i]);
    return nearest.best ? nearest.best : "";
}

static void typing_errors_find_the_word(void **state)
{
    assert_string_equal(find_nearest("rum"), "run");
    assert_string_equal(find_nearest("urn"), "run"); /* two letters exchanged */
    assert_string_equal(find_nearest("inof"), "info");
    assert_string_equal(find_nearest("decod"), "decode");
    assert_string_equal(find_nearest("decoode"), "decode");
    assert_string_equal(find_nearest("GFX-ONE"), "gfx-one");
    assert_string_equal(find_nearest("--claim"), "--claim-conformance"); /* its beginning */
    assert_string_equal(find_nearest("--as_gpu"), "--as-gpu");
}

static void other_words_find_nothing(void **state)
{
    assert_string_equal(find_nearest("frobnicate"), "");
    assert_string_equal(find_nearest("x"), "");
    assert_string_equal(find_nearest(""), "");
    assert_string_equal(find_nearest("a word that is longer than any that anybody would have for an option"), "");
}

static void the_hint_ends_a_message(void **state)
{
    char text[96];
    struct nearest nearest = nearest_begin("rum=1", 3);
    assert_string_equal(nearest_text(&nearest, text), "");
    nearest_try(&nearest, "run");
    assert_string_equal(nearest_text(&nearest, text), "; did you mean 'run'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typing_errors_find_the_word),
        cmocka_unit_test(other_words_find_nothing),
        cmocka_unit_test(the_hint_ends_a_message),
    };
    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
