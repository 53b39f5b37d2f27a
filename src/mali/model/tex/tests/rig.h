/* The rig of the texture unit's tests: memory of a GPU, pictures in it with their descriptors, requests. */
#ifndef MALI_MODEL_TEX_TESTS_RIG_H
#define MALI_MODEL_TEX_TESTS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mali/hw/descriptors.h"
#include "mali/hw/tiling/afbc.h"
#include "mali/hw/tiling/surface.h"
#include "mali/hw/tiling/tile.h"
#include "mali/model/tex/tex.h"
#include "model/memory.h"
#include "util/bits.h"
#include "util/format/format.h"

#define RIG_VA 0x100000000ull
#define RIG_SIZE_B (8u << 20)
#define LANES MALI_TEX_LANES

struct rig {
    struct gpu_space space;
    uint8_t *host;
    uint64_t next_B;
    struct mali_tex *tex;
    struct mali_tex_resources resources;
    uint32_t table[16][8]; /* descriptors of table 0 */
    uint32_t staging[12][LANES], source[2][LANES], result[4][LANES];
};

/* An image in memory, of random bytes. */
struct picture {
    struct mali_surface_info info;
    struct mali_surface surface;
    enum format format;
    uint64_t va;
    uint8_t *host;
    struct mali_desc_TEXTURE desc;
};

int rig_setup(void **state);
int rig_teardown(void **state);
uint32_t rig_random(void);
float rig_random_float(float low, float high);

/* `number` is that of formats.table, `clump` of clumps.table. Writes the planes, too. */
void picture_init(struct rig *rig, struct picture *p, unsigned number, enum mali_CLUMP_FORMAT clump, enum format format,
                  enum mali_TEXTURE_DIMENSION dimension, struct mali_surface_info info);
/* Its first plane becomes one of AFBC, of so many texels; headers are the caller's. */
void picture_afbc(struct rig *rig, struct picture *p, const struct mali_afbc *afbc, uint32_t width, uint32_t height);
uint8_t *picture_at(const struct picture *p, uint32_t x, uint32_t y, uint32_t z, unsigned level, unsigned sample);
/* z is the layer, or the slice of a volume. */
void picture_texel(const struct picture *p, uint32_t x, uint32_t y, uint32_t z, unsigned level, unsigned sample,
                   float out[4]);

void bind(struct rig *rig, unsigned n, const struct mali_desc_TEXTURE *desc);
void bind_sampler(struct rig *rig, unsigned n, struct mali_desc_SAMPLER desc);
struct mali_desc_SAMPLER sampler_of(bool is_linear);

/* All lanes, texture 0, sampler 1, four floats. */
struct mali_tex_request request_of(struct rig *rig, enum mali_tex_op op, enum mali_tex_dimension dimension);
float result_at(const struct rig *rig, unsigned component, unsigned lane);

#endif
