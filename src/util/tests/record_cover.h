/* Whether a record's rows are all of its struct's members: a member without a row would be lost on the way through
 * a file, and nobody would look at it. What cannot be told from padding is a member that lies where padding could. */
#ifndef UTIL_TESTS_RECORD_COVER_H
#define UTIL_TESTS_RECORD_COVER_H

#include <string.h>

#include "util/record.h"

#define RECORD_COVER_MAX_B 4096

static inline void record_cover_mark(const struct record *record, unsigned char *map)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct record_field *field = &record->fields[i];
        for (uint32_t n = 0; n < field->count; n++) {
            unsigned char *at = map + field->offset_B + (size_t)n * field->size_B;
            if (field->of)
                record_cover_mark(field->of, at);
            else
                memset(at, 1, field->size_B);
        }
    }
}

/* Bytes that neither are a row's nor can be padding, which is shorter than the alignment of where it ends. */
static inline size_t record_cover_missing(const struct record *record)
{
    unsigned char map[RECORD_COVER_MAX_B + 1] = {0};
    size_t missing = 0, gap = 0;
    record_cover_mark(record, map);
    map[record->struct_B] = 1;
    for (size_t i = 0; i <= record->struct_B; i++) {
        const size_t align = i % 4 == 0 ? 4 : i % 2 == 0 ? 2 : 1;
        missing += map[i] && gap >= align ? gap : 0;
        gap = map[i] ? 0 : gap + 1;
    }
    return missing;
}

#endif
