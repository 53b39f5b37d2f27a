/* The rig of the render backend's tests: a GPU of registers, GMEM and one buffer of memory, and its stops as text. */
#ifndef ADRENO_MODEL_RB_TESTS_RIG_H
#define ADRENO_MODEL_RB_TESTS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/hw/table.h"
#include "adreno/model/blocks.h"
#include "adreno/model/rb/rb.h"
#include "util/bits.h"

#define MEMORY_VA 0x100000000ull
#define MEMORY_B (8u << 20)

struct rig {
    struct adreno_gpu *gpu;
    struct gpu_space space;
    uint8_t *memory; /* MEMORY_B bytes at MEMORY_VA */
    int fd;          /* of them; as many addresses after them have nothing */
    uint32_t random;
};

extern char rig_stop[1024]; /* the text of the last stop, or "" */

int rig_setup(void **state);
int rig_teardown(void **state);

static inline uint32_t rig_random(struct rig *rig)
{
    rig->random = rig->random * 1664525 + 1013904223;
    return rig->random >> 8;
}

void rig_fill_random(struct rig *rig, void *to, size_t size_B);

#define SET(rig, name, ...)                                                                                            \
    ((rig)->gpu->regs[ADRENO_REG_##name] = adreno_pack_##name(&(struct adreno_##name){__VA_ARGS__}))
#define SET_AT(rig, name, i, ...)                                                                                      \
    ((rig)->gpu->regs[ADRENO_REG_##name + (i)*ADRENO_REG_##name##_STRIDE] =                                            \
         adreno_pack_##name(&(struct adreno_##name){__VA_ARGS__}))

static inline void rig_set_va(struct rig *rig, uint32_t reg, uint64_t va)
{
    rig->gpu->regs[reg] = (uint32_t)va;
    rig->gpu->regs[reg + 1] = (uint32_t)(va >> 32);
}

#endif
