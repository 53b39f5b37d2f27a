/* Elements in the order of a 64-bit key that each has alone: found, inserted and removed in time that hardly grows with
 * their number. Elements of one size lie in chunks; inserting and removing moves some of them, so a pointer to one is
 * good until the next change. */
#ifndef UTIL_ORDERED_H
#define UTIL_ORDERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/array.h"

struct ordered_chunk;

struct ordered {
    size_t element_B;
    uint32_t count;
    ARRAY(struct ordered_chunk *) chunks; /* by key; none is empty */
    struct ordered_chunk *spare;          /* for inserts that must not fail */
    uint32_t spare_count;
};

void ordered_init(struct ordered *ordered, size_t element_B);
void ordered_finish(struct ordered *ordered);

/* The element of the largest key that is not above `key`, or of the smallest that is not below; NULL: none. */
void *ordered_before(const struct ordered *ordered, uint64_t key);
void *ordered_after(const struct ordered *ordered, uint64_t key);

/* Memory for that many inserts; false without it. */
bool ordered_reserve(struct ordered *ordered, uint32_t inserts);
/* A place for the element of a new key, its bytes undefined; NULL without memory. */
void *ordered_insert(struct ordered *ordered, uint64_t key);
/* The key is there. */
void ordered_remove(struct ordered *ordered, uint64_t key);

/* Every element in order. The body must not insert or remove. */
#define ordered_foreach(ordered, type, element)                                                                        \
    for (uint64_t element##_key = 0, element##_more = 1; element##_more; element##_more = 0)                           \
        for (type *element = ordered_next(ordered, &element##_key, true); element;                                     \
             element = ordered_next(ordered, &element##_key, false))

void *ordered_next(const struct ordered *ordered, uint64_t *key, bool is_first); /* of the loop */

#endif
