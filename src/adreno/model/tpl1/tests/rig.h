/* The rig of the texture unit's tests: memory that the GPU sees, pictures laid out in it by adreno/hw/tiling, and
 * requests of 128 lanes. */
#ifndef ADRENO_MODEL_TPL1_TESTS_RIG_H
#define ADRENO_MODEL_TPL1_TESTS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adreno/hw/descriptors.h"
#include "adreno/hw/tiling/surface.h"
#include "adreno/hw/tiling/tile.h"
#include "adreno/model/tpl1/tpl1.h"
#include "model/memory.h"
#include "util/format/format.h"

#define RIG_VA 0x10000000ull
#define RIG_SIZE_B (64u << 20)
#define RIG_BORDER_VA (RIG_VA + RIG_SIZE_B - 4096)
#define RIG_LANES 128
#define RIG_REGS 32

struct rig {
    struct gpu_space space;
    uint8_t *host; /* of RIG_VA */
    struct tpl1 *tpl1;
    struct tpl1_state state;
    uint32_t regs[RIG_REGS][RIG_LANES]; /* src0 is r0, src1 r16, dst r24 */
    uint32_t textures[4][TPL1_IMAGE_DW], samplers[4][TPL1_SAMPLER_DW];
    uint64_t next_B;
};

int rig_setup(void **state);
int rig_teardown(void **state);

/* An image of random bytes. */
struct picture {
    struct adreno_surface_info info;
    struct adreno_surface surface;
    const struct adreno_chip *chip;
    uint64_t va;
    uint8_t *host;
    enum format format; /* what the bytes are */
    struct adreno_desc_IMAGE desc;
};

/* `info` without the sizes of blocks, which the format gives. The descriptor is of all levels and layers. */
void picture_init(struct rig *rig, struct picture *p, unsigned number, enum format format, enum adreno_TEX_TYPE type,
                  struct adreno_surface_info info);
/* The element of a texel, by the layout's own equations. */
uint8_t *picture_at(const struct picture *p, uint32_t x, uint32_t y, uint32_t z, unsigned level, unsigned sample);
/* Its components, of formats that are not integers. */
void picture_texel(const struct picture *p, uint32_t x, uint32_t y, uint32_t z, unsigned level, double out[4]);

void bind(struct rig *rig, unsigned n, const struct adreno_desc_IMAGE *desc);
void bind_sampler(struct rig *rig, unsigned n, const struct adreno_desc_SAMPLER *desc);

struct tpl1_request request_of(struct rig *rig, enum tpl1_op op, enum tpl1_type type);
/* Fails with the unit's own words. */
void run(struct rig *rig, const struct tpl1_request *request);

static inline float *row_f(struct rig *rig, unsigned reg)
{
    return (float *)rig->regs[reg];
}

uint32_t rig_random(void);
/* In [low, high). */
float rig_random_float(float low, float high);

#endif
