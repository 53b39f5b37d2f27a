/* The rig of the fragment endpoint's tests: a queue with an address space and one buffer, bins that are arrays of
 * primitives, and shaders that are C functions, which call the hooks as programs would. The address of a shader
 * program is its number. */
#ifndef MALI_MODEL_FRAG_TESTS_RIG_H
#define MALI_MODEL_FRAG_TESTS_RIG_H

#include "mali/model/frag/frag.h"

#define RIG_VA 0x100000000ull
#define RIG_SIZE_B (1u << 20)
#define RIG_FBD_B 0x1000u
#define RIG_DRAWS_B 0x2000u /* of the frame */
#define RIG_STATE_B 0x3000u /* blend, depth and stencil descriptors */
#define RIG_LOCATIONS_B 0x4000u
#define RIG_VARYINGS_B 0x5000u
#define RIG_COUNTER_B 0x6000u
#define RIG_TABLES_B 0x7000u
#define RIG_IMAGE_B 0x10000u
#define RIG_DEPTH_B 0x80000u

typedef bool (*rig_shader)(struct mali_warp *warp, uint64_t lanes);
/* mali_sc_move_rows() */
typedef const uint8_t *(*rig_rows)(const struct sc_move *move, const struct sc_moved *moved,
                                   const struct mali_tex_rect *rect, uint8_t *copy, size_t *row_B_out);
#define RIG_SHADERS 8

struct rig {
    struct mali_gpu gpu;
    struct mali_group group;
    struct gpu_space space;
    int fd;
    uint8_t *map;
    _Atomic bool killed;

    struct mali_desc_FRAMEBUFFER fb;
    struct mali_desc_ZS_CRC_EXTENSION zs;
    struct mali_desc_RENDER_TARGET targets[FRAG_TARGETS];
    struct mali_desc_DRAW frame_draws[3];

    struct mali_bin_draw draws[4];
    struct mali_bin_prim prims[64];
    uint8_t prim_draws[64];
    unsigned prim_count;
    rig_shader shaders[RIG_SHADERS]; /* from 1 on */
    _Atomic unsigned shaded;         /* lanes that were covered */
    _Atomic unsigned entered;        /* how often a core was told whose programs it runs */
    uint32_t box[2];                 /* registers 42 and 43 */
    rig_rows move_rows;              /* NULL: nothing can be moved */
};
extern struct rig *the_rig;

int rig_setup(void **state);
int rig_teardown(void **state);

/* A framebuffer of one target of RGBA8, linear, cleared to `color`. */
void rig_target(struct rig *rig, uint32_t width, uint32_t height, uint32_t color);
/* Draw state: DRAW with its blend and depth descriptors in memory. */
void rig_draw(struct rig *rig, unsigned number, const struct mali_desc_DRAW *draw, const struct mali_desc_BLEND *blend,
              const struct mali_desc_DEPTH_STENCIL *depth);
/* A rectangle of pixels at a depth. */
void rig_rect(struct rig *rig, unsigned draw, int32_t x0, int32_t y0, int32_t x1, int32_t y1, float z);
/* The instruction, when its descriptors are in memory. */
struct mali_run rig_prepare(struct rig *rig);
/* RUN_FRAGMENT. */
bool rig_run(struct rig *rig);
const char *rig_report(const struct rig *rig);

static inline uint32_t rig_pixel(const struct rig *rig, uint32_t x, uint32_t y)
{
    uint32_t word;
    memcpy(&word, rig->map + RIG_IMAGE_B + y * rig->targets[0].ROW_STRIDE + 4 * x, 4);
    return word;
}

/* Parts of shaders. */
bool rig_atest(struct mali_warp *warp, uint64_t lanes, float alpha); /* into r60 */
bool rig_blend(struct mali_warp *warp, uint64_t lanes, unsigned target, const float color[4]);
bool rig_blend_rows(struct mali_warp *warp, uint64_t lanes, unsigned target, const uint32_t rows[4 * MALI_ROW_LANES]);

/* Blend descriptors. */
struct mali_desc_BLEND rig_opaque(void);
struct mali_desc_BLEND rig_by_alpha(void);
struct mali_desc_DEPTH_STENCIL rig_depth(unsigned compare, bool writes);

#endif
