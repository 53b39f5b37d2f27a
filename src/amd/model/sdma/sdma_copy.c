/* The DMA engine's packets without tiling: linear copies, writes and fills, fences, waits and the time. */
#include "amd/model/sdma/sdma.h"

#include <stdlib.h>

#include "util/bits.h"

bool amd_sdma_copy_linear(struct cp_machine *m)
{
    struct amd_sdma_COPY_LINEAR p;
    return SDMA_UNPACK(m, COPY_LINEAR, &p) && amd_cp_copy(m, p.DST_ADDR, p.SRC_ADDR, p.COUNT_B + 1ull);
}

/* A window of a linear image; pitches are elements. */
struct window {
    uint64_t va;
    uint32_t x, y, z;
    uint64_t pitch, slice_pitch;
};

static uint64_t row_va(const struct window *window, uint32_t y, uint32_t z, unsigned element_log2)
{
    uint64_t elements = window->x + (window->y + y) * window->pitch + (window->z + z) * window->slice_pitch;
    return window->va + (elements << element_log2);
}

bool amd_sdma_copy_linear_sub_window(struct cp_machine *m)
{
    struct amd_sdma_COPY_LINEAR_SUB_WINDOW p;
    if (!SDMA_UNPACK(m, COPY_LINEAR_SUB_WINDOW, &p))
        return false;
    if (p.ELEMENT_SIZE > 4)
        return amd_cp_broken(m, "elements of 2^%u bytes", p.ELEMENT_SIZE);
    const struct window src = {p.SRC_ADDR, p.SRC_X, p.SRC_Y, p.SRC_Z, p.SRC_PITCH + 1ull, p.SRC_SLICE_PITCH + 1ull};
    const struct window dst = {p.DST_ADDR, p.DST_X, p.DST_Y, p.DST_Z, p.DST_PITCH + 1ull, p.DST_SLICE_PITCH + 1ull};
    for (uint32_t z = 0; z <= p.RECT_Z; z++) {
        for (uint32_t y = 0; y <= p.RECT_Y; y++) {
            if (!amd_cp_copy(m, row_va(&dst, y, z, p.ELEMENT_SIZE), row_va(&src, y, z, p.ELEMENT_SIZE),
                             (p.RECT_X + 1ull) << p.ELEMENT_SIZE))
                return false;
        }
    }
    return true;
}

bool amd_sdma_write(struct cp_machine *m)
{
    struct amd_sdma_WRITE p;
    if (!SDMA_UNPACK(m, WRITE, &p))
        return false;
    const struct cp_buffer *buffer = &m->stack[m->depth - 1];
    uint32_t count_dw = p.COUNT + 1;
    uint64_t data_va = buffer->va + 4ull * (buffer->at_dw - count_dw);
    if (count_dw > 2)
        return amd_cp_copy(m, p.DST_ADDR & ~3ull, data_va, 4ull * count_dw);
    /* A dword that another ring or the host may wait for: one store, after everything before it. */
    for (uint32_t i = 0; i < count_dw; i++) {
        uint64_t value;
        if (!amd_cp_load(m, data_va + 4 * i, 4, &value) || !amd_cp_store(m, (p.DST_ADDR & ~3ull) + 4 * i, 4, value))
            return false;
    }
    return true;
}

bool amd_sdma_constant_fill(struct cp_machine *m)
{
    struct amd_sdma_CONSTANT_FILL p;
    return SDMA_UNPACK(m, CONSTANT_FILL, &p) && amd_cp_fill(m, p.DST_ADDR & ~3ull, p.DATA, (p.COUNT_B + 1ull) & ~3ull);
}

bool amd_sdma_fence(struct cp_machine *m)
{
    struct amd_sdma_FENCE p;
    return SDMA_UNPACK(m, FENCE, &p) && amd_cp_store(m, p.ADDR & ~3ull, 4, p.DATA);
}

bool amd_sdma_poll_regmem(struct cp_machine *m)
{
    struct amd_sdma_POLL_REGMEM p;
    return SDMA_UNPACK(m, POLL_REGMEM, &p) && amd_cp_wait_memory(m, p.FUNCTION, p.ADDR, p.REFERENCE, p.MASK);
}

bool amd_sdma_timestamp_get_global(struct cp_machine *m)
{
    struct amd_sdma_TIMESTAMP_GET_GLOBAL p;
    return SDMA_UNPACK(m, TIMESTAMP_GET_GLOBAL, &p) &&
           amd_cp_store(m, p.ADDR & ~7ull, 8, amd_cp_timestamp(m->device->chip));
}
