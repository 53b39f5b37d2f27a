/* Structs as bytes, by a table of their fields: writer, reader and check of one are the same rows.
 *
 *     static const struct record_field fields[] = {
 *         RECORD_VALUE(struct thing, count, 0, 8),
 *         RECORD_ARRAY(struct thing, regs, 0, 63),
 *         RECORD_STRUCTS(struct thing, parts, &part_record),
 *     };
 *     const struct record thing_record = RECORD(struct thing, fields);
 *
 * Bytes hold the values one after the other, in the order of the rows, each in its member's size and the machine's byte
 * order, without padding. What is read is a claim of whoever wrote the bytes: a value outside of its row's range, or a
 * number of bytes that is not the record's, is refused. Rules between fields are the owner's: he looks at them after
 * reading.
 *
 * A row says what the member may be for everything that looks at it, not what is usual: an index is below the size of
 * its array, an enumerant is one of the enumeration, a divisor is not zero. */
#ifndef UTIL_RECORD_H
#define UTIL_RECORD_H

#include <stddef.h>
#include <stdint.h>

struct record;

struct record_field {
    const char *name;
    uint32_t offset_B;       /* in the struct */
    uint16_t size_B;         /* of one; a value's is 1, 2 or 4 */
    uint16_t count;          /* side by side */
    uint32_t least, most;    /* of values */
    uint32_t besides;        /* one more value that is allowed: what stands for none */
    const struct record *of; /* a struct's; NULL: a value */
};

struct record {
    const struct record_field *fields;
    uint32_t count;
    uint32_t struct_B;
};

#define RECORD(type, rows)                                                                                             \
    {                                                                                                                  \
        (rows), sizeof(rows) / sizeof((rows)[0]), sizeof(type)                                                         \
    }
#define RECORD_MEMBER(type, member) (((type *)0)->member)
#define RECORD_ROW(type, member, first, least, most, besides, of)                                                      \
    {                                                                                                                  \
#member, offsetof(type, member), sizeof(RECORD_MEMBER(type, first)),                                           \
            sizeof(RECORD_MEMBER(type, member)) / sizeof(RECORD_MEMBER(type, first)), (least), (most), (besides), (of) \
    }

/* A member of an integer type, an enumeration or bool. */
#define RECORD_VALUE(type, member, least, most) RECORD_ROW(type, member, member, least, most, least, NULL)
#define RECORD_VALUE_OR(type, member, least, most, none) RECORD_ROW(type, member, member, least, most, none, NULL)
#define RECORD_FLAG(type, member) RECORD_VALUE(type, member, 0, 1)
#define RECORD_ANY(type, member) RECORD_VALUE(type, member, 0, UINT32_MAX)
/* An array of these, each in the range. */
#define RECORD_ARRAY(type, member, least, most) RECORD_ROW(type, member, member[0], least, most, least, NULL)
#define RECORD_ARRAY_OR(type, member, least, most, none) RECORD_ROW(type, member, member[0], least, most, none, NULL)
/* A struct, or an array of structs. */
#define RECORD_STRUCT(type, member, of) RECORD_ROW(type, member, member, 0, 0, 0, of)
#define RECORD_STRUCTS(type, member, of) RECORD_ROW(type, member, member[0], 0, 0, 0, of)

/* The number of bytes that record_write writes. */
size_t record_size_B(const struct record *record);
void record_write(const struct record *record, const void *from, uint8_t *bytes_out);

/* NULL, and all of the struct is filled, its padding with zeros; or the name of the first field that is out of its
 * range, "size" where there are not as many bytes as the record has. Then the struct's contents are undefined. */
const char *record_read(const struct record *record, const void *bytes, size_t size_B, void *to);

#endif
