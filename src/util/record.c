/* Structs as bytes: see record.h. */
#include "util/record.h"

#include <string.h>

size_t record_size_B(const struct record *record)
{
    size_t size_B = 0;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct record_field *field = &record->fields[i];
        size_B += field->count * (field->of ? record_size_B(field->of) : field->size_B);
    }
    return size_B;
}

static uint8_t *write_fields(const struct record *record, const uint8_t *from, uint8_t *next)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct record_field *field = &record->fields[i];
        for (uint32_t n = 0; field->of && n < field->count; n++)
            next = write_fields(field->of, from + field->offset_B + (size_t)n * field->size_B, next);
        if (field->of)
            continue;
        memcpy(next, from + field->offset_B, (size_t)field->count * field->size_B);
        next += (size_t)field->count * field->size_B;
    }
    return next;
}

void record_write(const struct record *record, const void *from, uint8_t *bytes_out)
{
    write_fields(record, from, bytes_out);
}

static uint32_t value_at(const uint8_t *bytes, uint32_t size_B)
{
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    switch (size_B) {
    case 1:
        memcpy(&byte, bytes, sizeof(byte));
        return byte;
    case 2:
        memcpy(&half, bytes, sizeof(half));
        return half;
    default:
        memcpy(&word, bytes, sizeof(word));
        return word;
    }
}

/* The values are looked at before they are in the struct: a bool or an enumeration there is never out of its type. */
static const char *read_values(const struct record_field *field, const uint8_t *bytes, uint8_t *to)
{
    for (uint32_t n = 0; n < field->count; n++) {
        const uint32_t value = value_at(bytes + (size_t)n * field->size_B, field->size_B);
        if ((value < field->least || value > field->most) && value != field->besides)
            return field->name;
    }
    memcpy(to + field->offset_B, bytes, (size_t)field->count * field->size_B);
    return NULL;
}

static const char *read_fields(const struct record *record, const uint8_t **bytes, uint8_t *to)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct record_field *field = &record->fields[i];
        const char *wrong = NULL;
        for (uint32_t n = 0; field->of && n < field->count && !wrong; n++)
            wrong = read_fields(field->of, bytes, to + field->offset_B + (size_t)n * field->size_B);
        if (!field->of) {
            wrong = read_values(field, *bytes, to);
            *bytes += (size_t)field->count * field->size_B;
        }
        if (wrong)
            return wrong;
    }
    return NULL;
}

const char *record_read(const struct record *record, const void *bytes, size_t size_B, void *to)
{
    const uint8_t *next = bytes;
    if (size_B != record_size_B(record))
        return "size";
    memset(to, 0, record->struct_B);
    return read_fields(record, &next, to);
}
