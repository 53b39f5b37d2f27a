/* The rig of draws' tests: a GPU with registers and mapped memory, and in place of the shader processor, the texture
 * unit and the RB the smallest things that can be looked at. Shaders are C functions over a wave; the RB keeps a
 * picture of output 0. So these tests are about everything between index buffer and coverage. */
#ifndef ADRENO_MODEL_PC_TESTS_RIG_H
#define ADRENO_MODEL_PC_TESTS_RIG_H

#include "adreno/model/pc/pc.h"
#include "adreno/model/pc/tests/plain_state.h"

#define RIG_VA 0x10000000ull
#define RIG_SIZE_B (1u << 20)
#define RIG_SIZE PLAIN_SIZE
#define RIG_SAMPLES 4

struct rig {
    struct adreno_gpu *gpu;
    struct gpu_space space;
    uint8_t *memory; /* RIG_SIZE_B bytes at RIG_VA */

    /* shaders */
    void (*vs)(struct adreno_wave *wave);
    void (*hs)(struct adreno_wave *wave); /* of draws of patches */
    void (*ds)(struct adreno_wave *wave);
    enum adreno_PATCH_TYPE patch_type;
    void (*gs)(struct adreno_wave *wave); /* of draws with one: its registers are as the vertex shader left them */
    void (*fs)(struct adreno_wave *wave);

    bool looks_at_lanes; /* all programs */

    /* the RB */
    bool is_early;
    uint16_t sample_mask;
    uint8_t samples_log2; /* of its targets */
    uint32_t pixels[RIG_SIZE][RIG_SIZE];
    uint8_t samples[RIG_SIZE][RIG_SIZE]; /* that were written */
    uint16_t layers[RIG_SIZE][RIG_SIZE];
    uint32_t tested;
    /* Depth, for those who want it: any number of tests and writes of floats. */
    bool has_depth, is_greater;
    float depth[RIG_SIZE][RIG_SIZE][RASTER_MAX_SAMPLES];

    char stop[256]; /* what adreno_stop said */
};

extern struct rig rig;

int rig_setup(void **state);
int rig_teardown(void **state);

static inline void rig_set(uint32_t reg, uint32_t value)
{
    rig.gpu->regs[reg] = value;
}

static inline void rig_set64(uint32_t reg, uint64_t value)
{
    rig.gpu->regs[reg] = (uint32_t)value;
    rig.gpu->regs[reg + 1] = (uint32_t)(value >> 32);
}

/* Attribute 0: a vec4 of floats for each vertex, in r0. */
void rig_positions(uint64_t va, const float (*positions)[4], unsigned count);

/* Draw without indices. */
bool rig_draw(enum adreno_PRIM_TYPE type, uint32_t count);

/* Pixels that were drawn. */
unsigned rig_drawn(void);

#endif
