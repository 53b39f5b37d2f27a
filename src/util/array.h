/* A growable array of any type: `ARRAY(struct bo *) bos = {0};`. Elements move when it grows, so keep indices, not
 * pointers. */
#ifndef UTIL_ARRAY_H
#define UTIL_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY(type)                                                                                                    \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        uint32_t count;                                                                                                \
        uint32_t capacity;                                                                                             \
    }

/* Room for `needed` elements; false, with the array unchanged, when the host has no memory. */
static inline bool array_reserve_bytes(void **data, uint32_t *capacity, uint32_t needed, size_t element_B)
{
    if (needed <= *capacity)
        return true;
    uint32_t grown = *capacity < 8 ? 8 : *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
    if (grown < needed)
        grown = needed;
    size_t size_B;
    if (__builtin_mul_overflow((size_t)grown, element_B, &size_B))
        return false;
    void *moved = realloc(*data, size_B);
    if (!moved)
        return false;
    *data = moved;
    *capacity = grown;
    return true;
}

#define array_reserve(array, needed)                                                                                   \
    array_reserve_bytes((void **)&(array)->data, &(array)->capacity, (needed), sizeof(*(array)->data))

/* Append one element; false when there is no memory. */
#define array_push(array, ...)                                                                                         \
    ((array)->count < UINT32_MAX && array_reserve((array), (array)->count + 1)                                         \
         ? ((array)->data[(array)->count++] = (__VA_ARGS__), true)                                                     \
         : false)

/* Remove element `index` by moving the last one into its place: order is not kept. */
#define array_remove_swap(array, index) ((array)->data[(index)] = (array)->data[--(array)->count])

#define array_foreach(array, element)                                                                                  \
    /* An empty array has no address to add to: NULL + 0 is undefined in C. */                                         \
    for (__typeof__((array)->data + 0) element = (array)->data,                                                        \
                                       element##_end = element ? element + (array)->count : NULL;                      \
         element < element##_end; element++)

#define array_finish(array)                                                                                            \
    do {                                                                                                               \
        free((array)->data);                                                                                           \
        (array)->data = NULL;                                                                                          \
        (array)->count = (array)->capacity = 0;                                                                        \
    } while (0)

#endif
