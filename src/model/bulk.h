/* Ranges of host memory filled and copied at the memory's speed: what DMA engines do, and fills of whole surfaces.
 * Large ranges are shared among the workers, for one core alone does not use all that the memory can give. Not for:
 * finding the memory of a GPU's address (memory.h). */
#ifndef MODEL_BULK_H
#define MODEL_BULK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct workers;

struct bulk {
    struct workers *workers;    /* NULL: the caller alone. The caller is none of them. */
    const _Atomic bool *killed; /* NULL: nothing ends it early */
};

/* From its first byte on, the bytes of the word again and again. */
void bulk_fill(const struct bulk *bulk, void *to, uint32_t word, uint64_t size_B);

/* The ranges do not overlap. */
void bulk_copy(const struct bulk *bulk, void *to, const void *from, uint64_t size_B);

/* A fill of so little that it is not worth sharing, or that is shared already. */
void bulk_fill_here(void *to, uint32_t word, uint64_t size_B);
void bulk_copy_here(void *to, const void *from, uint64_t size_B);
/* The part of a worker beside which others fill theirs. */
void bulk_fill_beside(void *to, uint32_t word, uint64_t size_B);

#endif
