/* JSON that we write: its forms, and strings of any bytes. tests/json_outputs.py reads all that the commands write with
 * Python's own reader. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/json.h"

static void forms_are_written(void **state)
{
    struct json json = {.is_line = true};
    json_object(&json, NULL);
    json_string(&json, "a", "b");
    json_string(&json, "none", NULL);
    json_array(&json, "list");
    json_number(&json, NULL, UINT64_MAX);
    json_real(&json, NULL, 0.5);
    json_real(&json, NULL, (double)NAN);
    json_bool(&json, NULL, false);
    json_end(&json);
    json_object(&json, "empty");
    json_end(&json);
    json_end(&json);
    assert_string_equal(
        json.text.text,
        "{\"a\": \"b\", \"none\": null, \"list\": [18446744073709551615, 0.500000, null, false], \"empty\": {}}\n");
    strbuf_finish(&json.text);
}

static void members_have_lines_of_their_own(void **state)
{
    struct json json = {.is_line = false};
    json_array(&json, NULL);
    json_object(&json, NULL);
    json_number(&json, "a", 1);
    json_bool(&json, "b", true);
    json_end(&json);
    json_end(&json);
    assert_string_equal(json.text.text, "[\n  {\n    \"a\": 1,\n    \"b\": true\n  }\n]\n");
    strbuf_finish(&json.text);
}

static void strings_have_any_bytes(void **state)
{
    static const struct {
        const char *bytes, *written;
    } strings[] = {
        {"", "\"\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\n\t\x01\x7f", "\"\\u000a\\u0009\\u0001\\u007f\""},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8e\xa8", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8e\xa8\""},
        {"\xff", "\"\\ufffd\""},
        {"\xc3", "\"\\ufffd\""},                       /* cut off */
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},            /* longer than need be */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* half of a pair of UTF-16 */
    };
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
        struct json json = {.is_line = true};
        json_string(&json, NULL, strings[i].bytes);
        assert_string_equal(json.text.text, strings[i].written);
        strbuf_finish(&json.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_written),
        cmocka_unit_test(members_have_lines_of_their_own),
        cmocka_unit_test(strings_have_any_bytes),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
