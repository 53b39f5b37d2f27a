/* Memory for objects of which there may be hundreds of thousands, and which then go again: what is freed returns to the
 * host. A general allocator keeps what lies below anything that still lives, or in lists of small pieces that it never
 * joins again: a hundred thousand destroyed images would leave their quarter of a gigabyte.
 *
 * Pieces of one size share slabs of 64 KiB; an empty slab is given back. What is larger than 8 KiB is malloc's, but for
 * what is larger than a megabyte, which has a mapping of its own: malloc keeps tens of megabytes at the end of its
 * heap. Under the sanitizers all is malloc's, so that they see every piece. */
#ifndef UTIL_SLAB_H
#define UTIL_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For any type up to the alignment of max_align_t; NULL when there is no memory. */
void *slab_alloc(size_t size_B);
void *slab_zalloc(size_t size_B);
void *slab_realloc(void *memory, size_t size_B);
/* Frees memory of one of these, in the same library; or NULL. */
void slab_free(void *memory);

/* An ARRAY (util/array.h) of few elements in each of many objects: its memory is a piece. It is never mixed with
 * array_push and array_finish. */
bool slab_array_reserve_bytes(void **data, uint32_t *capacity, uint32_t needed, size_t element_B);
#define slab_array_reserve(array, needed)                                                                              \
    slab_array_reserve_bytes((void **)&(array)->data, &(array)->capacity, (needed), sizeof(*(array)->data))
#define slab_array_push(array, ...)                                                                                    \
    (slab_array_reserve((array), (array)->count + 1) ? ((array)->data[(array)->count++] = (__VA_ARGS__), true) : false)
#define slab_array_finish(array)                                                                                       \
    do {                                                                                                               \
        slab_free((array)->data);                                                                                      \
        (array)->data = NULL;                                                                                          \
        (array)->count = (array)->capacity = 0;                                                                        \
    } while (0)

#endif
