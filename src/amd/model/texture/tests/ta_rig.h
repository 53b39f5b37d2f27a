/* The rig of the texture unit's tests: a wave that runs one instruction, and pictures whose texels are known twice,
 * as bytes of a tiled surface and as plain numbers. */
#ifndef AMD_MODEL_TESTS_TA_RIG_H
#define AMD_MODEL_TESTS_TA_RIG_H

#include "amd/hw/descriptors.h"
#include "amd/hw/enums.h"
#include "amd/hw/tiling/tiling.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/texture/ta_state.h"
#include "util/format/format.h"

#define RIG_GB_ADDR_CONFIG 0x444

struct rig {
    struct gpu_space space;
    int fd;
    uint64_t used_B;
    struct sq_code *code;
    struct sq_wave *wave;
    struct ta_state ta;
    uint64_t seed;
};

void rig_begin(struct rig *rig);
void rig_end(struct rig *rig);
/* The rig around a test, whose state it is. */
int rig_setup(void **state);
int rig_teardown(void **state);
void *rig_alloc(struct rig *rig, uint64_t size_B, uint64_t align_B, uint64_t *va_out);
void rig_lanes(struct rig *rig, unsigned lanes, uint64_t exec);

/* Assemble and run one instruction. False: the wave stopped; wave->fault says why. */
bool rig_run(struct rig *rig, const char *text);

uint32_t rig_random(struct rig *rig);
double rig_uniform(struct rig *rig, double low, double high);

static inline uint32_t *rig_row(struct rig *rig, unsigned vgpr)
{
    return rig->wave->vgpr + vgpr * rig->wave->lanes;
}

static inline void rig_put(struct rig *rig, unsigned vgpr, unsigned lane, float value)
{
    memcpy(&rig_row(rig, vgpr)[lane], &value, sizeof(value));
}

static inline float rig_get(struct rig *rig, unsigned vgpr, unsigned lane)
{
    float value;
    memcpy(&value, &rig_row(rig, vgpr)[lane], sizeof(value));
    return value;
}

struct picture {
    struct amd_desc_IMAGE desc; /* may be changed; picture_bind packs it */
    enum format format;
    uint32_t width, height, depth; /* depth: layers, faces or slices */
    unsigned levels, samples;
    bool is_3d;
    struct amd_surface surface;
    uint8_t *bytes;
    uint64_t va;
    double *texels[16]; /* by level: [z][y][x][sample][4] as the format holds them */
};

struct picture_desc {
    unsigned number; /* of the hardware */
    enum format format;
    enum amd_IMG_TYPE type;
    enum amd_SW_MODE swizzle;
    uint32_t width, height, depth;
    unsigned levels, samples;
};

void picture_begin(struct rig *rig, struct picture *p, const struct picture_desc *desc);
void picture_end(struct picture *p);
/* Every texel a random colour; integers are random codes. */
void picture_fill(struct rig *rig, struct picture *p);
void picture_set(struct picture *p, unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t sample,
                 const double color[4]);
const double *picture_get(const struct picture *p, unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t sample);
void *picture_at(const struct picture *p, unsigned level, uint32_t x, uint32_t y, uint32_t z, uint32_t sample);
uint32_t picture_width(const struct picture *p, unsigned level);
uint32_t picture_height(const struct picture *p, unsigned level);
uint32_t picture_depth(const struct picture *p, unsigned level);

/* Put the descriptor into s[0:7], the sampler into s[8:11]. */
void picture_bind(struct rig *rig, const struct picture *p);
void sampler_bind(struct rig *rig, const struct amd_desc_SAMPLER *s);

/* Bilinear, nearest level, clamped to the edge, all levels. */
struct amd_desc_SAMPLER sampler_linear(void);
struct amd_desc_SAMPLER sampler_nearest(void);

#endif
