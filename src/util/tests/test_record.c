/* Records: what is written reads back, and every value that a row does not allow is refused by its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "util/record.h"

struct part {
    uint16_t first;
    uint8_t kind;
};
struct thing {
    uint8_t count;
    uint32_t size_B;
    bool is_there;
    uint16_t regs[3];
    struct part parts[2];
};

static const struct record_field part_fields[] = {
    RECORD_VALUE_OR(struct part, first, 0, 15, 0xffff),
    RECORD_VALUE(struct part, kind, 1, 3),
};
static const struct record part_record = RECORD(struct part, part_fields);
static const struct record_field thing_fields[] = {
    RECORD_VALUE(struct thing, count, 0, 2),
    RECORD_ANY(struct thing, size_B),
    RECORD_FLAG(struct thing, is_there),
    RECORD_ARRAY(struct thing, regs, 1, 63),
    RECORD_STRUCTS(struct thing, parts, &part_record),
};
static const struct record thing_record = RECORD(struct thing, thing_fields);

enum {
    COUNT_AT = 0,
    FLAG_AT = 5,
    REGS_AT = 6,
    PARTS_AT = 12,
    THING_B = 18
};

static void write_thing(uint8_t bytes_out[THING_B])
{
    const struct thing thing = {2, 0xdeadbeef, true, {1, 2, 63}, {{0xffff, 1}, {15, 3}}};
    assert_int_equal(record_size_B(&thing_record), THING_B);
    record_write(&thing_record, &thing, bytes_out);
}

static void reads_back(void **state)
{
    uint8_t bytes[THING_B];
    struct thing thing;
    write_thing(bytes);
    assert_null(record_read(&thing_record, bytes, sizeof(bytes), &thing));
    assert_int_equal(thing.count, 2);
    assert_int_equal(thing.size_B, 0xdeadbeef);
    assert_true(thing.is_there);
    assert_int_equal(thing.regs[2], 63);
    assert_int_equal(thing.parts[0].first, 0xffff);
    assert_int_equal(thing.parts[1].first, 15);
    assert_int_equal(thing.parts[1].kind, 3);
}

static void refuses_with(size_t at, uint8_t value, const char *name)
{
    uint8_t bytes[THING_B];
    struct thing thing;
    write_thing(bytes);
    bytes[at] = value;
    const char *wrong = record_read(&thing_record, bytes, sizeof(bytes), &thing);
    assert_non_null(wrong);
    assert_string_equal(wrong, name);
}

static void refuses_what_a_row_does_not_allow(void **state)
{
    refuses_with(COUNT_AT, 3, "count");
    refuses_with(FLAG_AT, 2, "is_there");
    refuses_with(REGS_AT, 0, "regs");
    refuses_with(REGS_AT + 4, 64, "regs");
    refuses_with(PARTS_AT, 0xfe, "first");
    refuses_with(PARTS_AT + 2, 0, "kind");
    refuses_with(PARTS_AT + 5, 4, "kind");
}

static void refuses_another_size(void **state)
{
    uint8_t bytes[THING_B + 1] = {0};
    struct thing thing;
    write_thing(bytes);
    assert_string_equal(record_read(&thing_record, bytes, THING_B - 1, &thing), "size");
    assert_string_equal(record_read(&thing_record, bytes, THING_B + 1, &thing), "size");
    assert_string_equal(record_read(&thing_record, bytes, 0, &thing), "size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back),
        cmocka_unit_test(refuses_what_a_row_does_not_allow),
        cmocka_unit_test(refuses_another_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
