/* The render backend (RB): depth, stencil and colours of draws, in memory and in GMEM; the BLIT event, which loads,
 * clears and stores GMEM; the 2D engine; sample counts.
 *
 * A draw's registers are read once (adreno_rb_draw_init). Each worker has a struct adreno_rb; a tile belongs to one
 * worker while it is shaded and its quads come in the order of primitives, so nothing here locks.
 *
 * What every client that reads or writes a surface must agree on (surface.h has the functions):
 *
 *   - A pixel's samples stand side by side, sample 0 first. An element is a pixel with all of them.
 *   - Linear: rows of elements, a pitch apart. TILE6_3: adreno/hw/tiling/tile.h, by the size of an element.
 *   - GMEM, TILE6_2: rows of elements, (bin width * size of an element) bytes apart, layers a bin's size apart. The
 *     element of a pixel on the screen stands at its place less the window offset. Swaps are not looked at.
 *   - A swap counts for linear surfaces alone where the RB writes (draws, BLIT event, 2D destination); TPL1, which reads
 *     textures and the 2D engine's source, always looks at it.
 *   - UBWC: texels stand in TILE6_3 as they would without it. Whoever writes a texel writes ADRENO_UBWC_PLAIN to its
 *     block's flag. Macrotiles of one colour may be marked instead, and are opened before they are read or written
 *     (ubwc/ubwc.h). */
#ifndef ADRENO_MODEL_RB_RB_H
#define ADRENO_MODEL_RB_RB_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/model/rb/surface.h"
#include "model/pixel/pixel.h"
#include "model/raster/raster.h"

struct adreno_gpu;

#define ADRENO_RB_TARGETS 8

/* ---- draws ---- */

struct adreno_rb_stencil_face {
    uint8_t compare;                /* enum pixel_compare, of the reference with what is stored */
    uint8_t fail, pass, depth_fail; /* enum pixel_stencil */
    uint8_t reference, mask, write_mask;
};

enum adreno_rb_depth_format {
    ADRENO_RB_Z16,
    ADRENO_RB_Z24S8, /* depth in the low 24 bits, stencil above */
    ADRENO_RB_Z32,
};

struct adreno_rb_depth {
    bool has_test; /* any of: */
    bool tests_z, writes_z, tests_bounds, tests_stencil;
    bool is_clamped;    /* to the primitive's viewport, or for a depth that shaders write to: */
    float z_min, z_max; /* 0 and 1 where it is not */
    uint8_t compare;    /* enum pixel_compare */
    enum adreno_rb_depth_format format;
    float bounds_min, bounds_max;
    struct adreno_rb_stencil_face faces[2]; /* front, back */
    bool has_z, has_stencil;                /* there is such a surface */
    bool is_separate;                       /* stencil has its own; otherwise it is the last byte of depth's elements */
    struct adreno_rb_surface z, stencil;
};

struct adreno_rb_target {
    struct adreno_rb_surface surface;
    struct adreno_rb_format format;
    uint8_t bits[ADRENO_RB_MAX_SAMPLE_B]; /* of a sample, that are written */
    bool is_whole;                        /* all of them are */
    bool is_blended;
    struct pixel_blend blend;
    bool has_rop;
    uint8_t rop;                /* enum adreno_ROP_CODE */
    bool is_bytes4, is_encoded; /* four unorm bytes, or sRGB, all written: the path of most pixels (color_bytes.c) */
    bool is_word;               /* one channel of 32 bits, which is written as it is: as clears of depth are drawn */
    uint8_t code_dw;            /* rows of codes where fragment programs may make them themselves; 0: they may not */
    bool reads_codes;           /* from what memory holds, too */
    bool is_packed;             /* by the format alone (pixel_program_pack_words); two bytes are the lower ones */
    bool is_words;              /* as any target is (model/pixel/pixel_target.h) */
};

/* The state of a draw; constant while workers use it. */
struct adreno_rb_draw {
    struct adreno_gpu *gpu;
    bool is_early;    /* adreno_rb_test stands before the shader: it cannot kill pixels or change their depth */
    bool needs_shade; /* of late tests: depth or stencil come from the shader */
    bool is_counted;  /* samples that pass are */
    bool has_alpha_to_coverage, has_alpha_to_one, is_dual;
    uint8_t samples_log2; /* of all surfaces */
    uint16_t sample_mask; /* for struct raster_coverage */
    uint8_t used;         /* targets that are written: one bit each */
    uint8_t outputs;      /* of the shader that are read: one bit each */
    struct adreno_rb_depth depth;
    struct adreno_rb_target targets[ADRENO_RB_TARGETS];
};

/* Read the registers. False: stopped (adreno_stop). */
bool adreno_rb_draw_init(struct adreno_rb_draw *draw, struct adreno_gpu *gpu);

#define ADRENO_RB_ACCESS_Z ADRENO_RB_TARGETS /* and then stencil: */
#define ADRENO_RB_ACCESS_STENCIL (ADRENO_RB_TARGETS + 1)

#define ADRENO_RB_CODE_LANES 64 /* of codes that fragment programs make */
#define ADRENO_RB_CODE_DW 4

/* A face's effect on each value that may be stored, found when it is first met (depth_fast.c). */
struct adreno_rb_stencil_table {
    bool is_made;
    struct adreno_rb_stencil_face face;
    uint8_t passes[256];
    uint8_t next[3][256]; /* where the test fails, where depth does, where both pass */
    /* The effect as arithmetic: stored & keep ^ flip + add, not below least nor above most, of which 8 bits count. */
    struct adreno_rb_stencil_step {
        int32_t keep, flip, add, least, most;
    } steps[3];
};

/* One worker's state. */
struct adreno_rb {
    const struct adreno_rb_draw *draw;
    const struct raster_coverage *coverage;
    struct adreno_rb_access access[ADRENO_RB_ACCESS_STENCIL + 1];
    uint64_t passed; /* samples */
    struct adreno_rb_fault fault;
    /* Where samples are, by sample and pixel of a quad, from the quad's corner; and by pixel and sample. */
    float place_x[ADRENO_RB_MAX_SAMPLES][4], place_y[ADRENO_RB_MAX_SAMPLES][4];
    float pixel_x[4][ADRENO_RB_MAX_SAMPLES], pixel_y[4][ADRENO_RB_MAX_SAMPLES];
    struct adreno_rb_stencil_table stencil_tables[2]; /* of both faces; kept from draw to draw */
};

/* Before the first quad of a worker. `coverage` has the places of samples. */
void adreno_rb_begin(struct adreno_rb *rb, const struct adreno_rb_draw *draw, const struct raster_coverage *coverage);

/* After the last one, by the thread that runs the draw: counts, faults. False: stopped. */
bool adreno_rb_end(struct adreno_rb *rb, struct adreno_gpu *gpu);

/* Outputs of a fragment shader: rows of 32-bit lanes, lane 4 * q + p for pixel p (x + 2 * y) of quad q. Halves are
 * widened already: to floats, or to integers as the target's sign says. */
struct adreno_rb_shaded {
    const uint32_t *colors[ADRENO_RB_TARGETS][4]; /* by output and channel; NULL: the shader does not write it */
    const float *z;
    const uint32_t *stencil; /* reference */
};

/* Alpha to coverage: samples that the alpha of output 0 does not cover leave the quads' masks. Before a late test. */
void adreno_rb_cover(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, struct raster_quad *quads,
                     uint32_t count);

/* Depth bounds, stencil and depth: samples that fail leave the quads' masks; depth and stencil are written, samples are
 * counted. Early (`shaded` is NULL) or late, once for each quad, as draw->is_early says. Quads of several primitives
 * are in the order of these. */
void adreno_rb_test(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, struct raster_quad *quads,
                    uint32_t count);

/* Early tests of the pixels of 8 by 8 of one primitive that are bits of `covered` in the order of lanes (pixel p of
 * quad q: 4 * q + p): those that pass. Only where the first says yes (depth_block.c). */
bool adreno_rb_tests_blocks(const struct adreno_rb *rb);
uint64_t adreno_rb_test_block(struct adreno_rb *rb, const struct raster_prim *prim, uint32_t x, uint32_t y,
                              uint64_t covered);

/* Blend and write the samples that the masks have left. At most 32 quads: a wave. */
void adreno_rb_write(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, const struct raster_quad *quads,
                     uint32_t count);

/* Codes that were made elsewhere, of targets with code_dw, which say how many rows they are (codes.c): to the quads'
 * samples, which all get the same; and from the only sample of quads that have no pixel in common. False: a fault. */
bool adreno_rb_store_codes(struct adreno_rb *rb, unsigned t, uint32_t (*codes)[ADRENO_RB_CODE_LANES],
                           const struct raster_quad *quads, uint32_t count);
bool adreno_rb_load_codes(struct adreno_rb *rb, unsigned t, uint32_t (*codes)[ADRENO_RB_CODE_LANES],
                          const struct raster_quad *quads, uint32_t count);
/* How many of the first quads have no pixel in common with one of another primitive. */
uint32_t adreno_rb_count_apart(const struct raster_quad *quads, uint32_t count);

/* 8 by 8 pixels that lie in one block (block.c), codes in the order of quads. */
struct adreno_rb_block {
    bool is_tiled;
    uint8_t element_B;
    uint8_t *at[8]; /* tiled: of four times four pixels in the order of quads; else of rows */
};
bool adreno_rb_takes_blocks(const struct adreno_rb_target *target);
/* False: a fault. */
bool adreno_rb_open_block(struct adreno_rb *rb, unsigned t, uint32_t x, uint32_t y, uint32_t layer,
                          struct adreno_rb_block *block);
void adreno_rb_load_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES]);
void adreno_rb_store_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES],
                           uint64_t drawn);

/* ---- between the files of this room ---- */

/* How fragment programs may make the codes of a target whose registers were read. */
void adreno_rb_find_codes(struct adreno_rb_target *target);

/* Codes of four bytes (color_bytes.c), as adreno_rb_store_codes and adreno_rb_load_codes have them. */
bool adreno_rb_store_words(struct adreno_rb *rb, unsigned t, const uint32_t *codes, const struct raster_quad *quads,
                           uint32_t count);
bool adreno_rb_load_words(struct adreno_rb *rb, unsigned t, uint32_t *codes, const struct raster_quad *quads,
                          uint32_t count);

/* The table of a face, as the draw has it. */
const struct adreno_rb_stencil_table *adreno_rb_stencil_table(struct adreno_rb *rb, bool is_back);

/* adreno_rb_test where depth alone is tested, and the shader gives none. */
void adreno_rb_test_depth(struct adreno_rb *rb, struct raster_quad *quads, uint32_t count);

/* Colours of one target, of quads that have no sample in common, where target->is_bytes4 or target->is_word. False: a
 * fault. */
bool adreno_rb_write_bytes4(struct adreno_rb *rb, unsigned t, const union pixel_colors *colors,
                            const union pixel_colors *second, const struct raster_quad *quads, uint32_t first,
                            uint32_t end);

/* A quad in GMEM: two pixels side by side in each of two rows. False: not all of it is inside, or each access is looked
 * at. */
static inline bool adreno_rb_find_gmem_quad(const struct adreno_rb_access *access, const struct raster_quad *quad,
                                            uint8_t *host[4])
{
    const struct adreno_rb_surface *surface = access->surface;
    const int32_t x = quad->x - surface->origin_x, y = quad->y - surface->origin_y;
    if (!surface->gmem || access->coherence || x < 0 || y < 0 ||
        (uint64_t)(uint32_t)(x + 2) * surface->element_B > surface->pitch_B)
        return false;
    const uint64_t at_B = adreno_gmem_offset_B(surface->base + quad->prim->layer * surface->layer_B, surface->pitch_B,
                                               surface->element_B, (uint32_t)x, (uint32_t)y);
    if (at_B + surface->pitch_B + 2 * surface->element_B > surface->gmem_size_B)
        return false;
    host[0] = surface->gmem + at_B;
    host[1] = host[0] + surface->element_B;
    host[2] = host[0] + surface->pitch_B;
    host[3] = host[2] + surface->element_B;
    return true;
}

/* The elements of a quad's pixels that have any sample of `mask` (as a quad's). Four
 * pixels of a tiled surface stand side by side, so that all of them are found; others are NULL. False: a fault. */
static inline bool adreno_rb_find_quad(struct adreno_rb_access *access, const struct raster_quad *quad, uint32_t mask,
                                       uint8_t *host[4])
{
    const uint32_t layer = quad->prim->layer;
    if (access->surface->is_tiled && access->surface->tile.block_h_log2) {
        uint8_t *first = adreno_rb_element(access, quad->x, quad->y, layer);
        for (unsigned p = 0; p < 4; p++)
            host[p] = first + p * access->surface->element_B;
        return first;
    }
    if (adreno_rb_find_gmem_quad(access, quad, host))
        return true;
    for (unsigned p = 0; p < 4; p++) {
        host[p] = NULL;
        if (!(mask >> 8 * p & 0xff))
            continue;
        host[p] = adreno_rb_element(access, quad->x + (int32_t)(p & 1), quad->y + (int32_t)(p >> 1), layer);
        if (!host[p])
            return false;
    }
    return true;
}

/* Whether all four were found so, with elements of this size: then they are two runs of memory. */
static inline bool adreno_rb_is_pairs(uint8_t *const host[4], uint32_t element_B)
{
    return host[0] && host[2] && host[1] == host[0] + element_B && host[3] == host[2] + element_B;
}

/* Strict mode (gmem_strict.c): bytes of a surface in GMEM are written, or are about to be read; a sample's depth and
 * stencil are tested. False: a fault. */
void adreno_rb_gmem_wrote(const struct adreno_rb_surface *surface, const uint8_t *host, uint32_t size_B);
bool adreno_rb_gmem_may_read(const struct adreno_rb_surface *surface, const uint8_t *host, uint32_t size_B,
                             struct adreno_rb_fault *fault);
bool adreno_rb_gmem_test(struct adreno_rb *rb, const struct adreno_rb_stencil_face *face, const uint8_t *z_host,
                         const uint8_t *s_host);

/* A stop for a fault: of a draw, a blit or the 2D engine. */
bool adreno_rb_stop_at_fault(struct adreno_gpu *gpu, const struct adreno_rb_fault *fault, const char *client);

/* The BLIT event, the 2D engine and what a GPU keeps for them: blocks.h. */

#endif
