/* Memory accesses of a whole wave whose lanes lie near each other, which nearly all do: one base address and 32-bit
 * offsets from it. The pages between the lowest and the highest lane are checked once; what is left for a lane is an
 * addition. Neighbouring lanes that read neighbouring words become one copy. Not for: accesses that fault, touch
 * userptr or absent pages, or are spread widely: those go lane by lane (sq_memory.c), which decides what happens to
 * each. */
#ifndef AMD_MODEL_SQ_MEMORY_SPAN_H
#define AMD_MODEL_SQ_MEMORY_SPAN_H

#include "amd/model/sq/sq_memory.h"

struct sq_span {
    uint32_t
        offset_B[LANES_MAX];   /* from `host`; of a lane that is not valid, some valid lane's; of neighbours only [0] */
    uint32_t valid[LANES_MAX]; /* all ones: active and in range. Only where `all` does not hold */
    bool all;                  /* every lane is */
    bool none;                 /* no lane is; host means nothing */
    bool neighbours;           /* and each lies size_B after the one before */
    uint32_t size_B;
    uint8_t *host;
};

/* The host address of base_va, if the GPU may do what it needs on every page from base_va + low to size_B after
 * base_va + high; NULL if not, or if they are many. */
uint8_t *amd_sq_span_host(const struct gpu_space *space, uint64_t base_va, uint32_t low, uint32_t high, uint32_t size_B,
                          unsigned need);

/* Find the bytes [base_va + offset, + size_B) of every active lane. offsets: a row of lanes, or NULL for zeros; add_B
 * is added to it in 32 bits. A lane whose sum is above last_B is out of range; with any_in_range false all are. False:
 * not handled here, and no fault was reported. */
bool amd_sq_span_find(const struct sq_wave *wave, uint64_t base_va, const uint32_t *offsets, uint32_t add_B,
                      uint32_t last_B, bool any_in_range, uint32_t size_B, unsigned need, struct sq_span *span);

/* The span in data_B bytes of a workgroup's or the GPU's own memory, whose addresses begin at 0. */
void amd_sq_span_find_shared(const struct sq_wave *wave, uint8_t *data, uint32_t data_B, const uint32_t *offsets,
                             uint32_t add_B, uint32_t size_B, struct sq_span *span);

/* Whether every active lane is in range. */
bool amd_sq_span_is_whole(const struct sq_wave *wave, const struct sq_span *span);

/* Move rows of whole dwords. Out of range reads zero and writes nothing; inactive lanes keep what they have. */
void amd_sq_span_load(const struct sq_wave *wave, const struct sq_span *span, uint32_t *rows, unsigned dwords);
void amd_sq_span_store(const struct sq_wave *wave, const struct sq_span *span, const uint32_t *rows, unsigned dwords);

/* Where each lane's bytes are, for what is moved lane by lane. */
void amd_sq_span_places(const struct sq_wave *wave, const struct sq_span *span, struct sq_places *places);

#endif
