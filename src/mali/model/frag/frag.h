/* The fragment endpoint: RUN_FRAGMENT. Renders the tiles of a framebuffer, each on one worker: clear, pre-frame draws,
 * the primitives of the tile's bins in order, post-frame draw, writeback. Nothing but the writeback and what shaders do
 * touches memory.
 *
 * A tile's pixels are in the tile buffer, in internal formats of their own: four channels of fixed point in 32 bits, or
 * raw bytes. Shaders reach them by BLEND, LD_TILE and ST_TILE, depth and stencil by ATEST and ZS_EMIT; what a draw
 * cannot know before its shader runs is done inside of these.
 *
 *   frag_run.c        RUN_FRAGMENT: tiles on workers
 *   frag_empty.c      frames in which nothing is drawn
 *   frag_fb.c         the framebuffer descriptor
 *   frag_draw.c       draws: descriptors of their state
 *   frag_prim.c       primitives to quads
 *   frag_shade.c      quads to warps
 *   frag_hooks.c      what shaders ask for
 *   frag_varying.c    interpolation
 *   frag_join.c       programs joined with interpolation and blending
 *   frag_join_output.c  what their colours become
 *   frag_join_area.c  these over whole rectangles
 *   frag_join_run.c   warps and blocks of these
 *   frag_zs.c         depth and stencil
 *   frag_zs_block.c   these of 8 by 8 pixels of a primitive
 *   frag_tile.c       cells of the tile buffer
 *   frag_blend.c      blending into them
 *   frag_codes.c      rows of codes to them
 *   frag_writeback.c  from the tile buffer to memory
 *   frag_surface.c    where pixels are in memory
 *   frag_checksum.c   which tiles are there already
 *
 * docs/mali-fragment.md explains the rules. Private to this folder; blocks.h has what others call. */
#ifndef MALI_MODEL_FRAG_FRAG_H
#define MALI_MODEL_FRAG_FRAG_H

#include "mali/hw/descriptors.h"
#include "mali/model/blocks.h"
#include "mali/model/sc/move.h"
#include "mali/model/sc/warp.h"
#include "mali/model/tex/format.h"
#include "mali/model/tiler/tiler.h"
#include "model/pixel/pixel.h"
#include "model/raster/raster.h"

#define FRAG_TARGETS 8
#define FRAG_OWN_PIXEL 255   /* LD_TILE and ST_TILE: the place of the pixel */
#define FRAG_TILE_SIDE 64    /* of the largest tile */
#define FRAG_SAMPLED_SIDE 32 /* the same of several samples */
#define FRAG_TILE_PIXELS (FRAG_TILE_SIDE * FRAG_TILE_SIDE)
#define FRAG_MAX_SAMPLES 16
#define FRAG_HALVES (FRAG_MAX_SAMPLES / RASTER_MAX_SAMPLES) /* the rasteriser walks so many samples at a time */
#define FRAG_CELL_B 16                                      /* the largest */
#define FRAG_WARP_QUADS (MALI_ROW_LANES / 4)
#define FRAG_BLOCK_PIXELS (RASTER_BLOCK * RASTER_BLOCK)
#define FRAG_BLOCKS (FRAG_TILE_PIXELS / FRAG_BLOCK_PIXELS)
_Static_assert(FRAG_BLOCK_PIXELS == MALI_ROW_LANES, "a block is a warp, and its pixels are the bits of a word");

/* ---- the tile buffer's formats ---- */

/* Channels of an internal format that can be blended: fixed point, from the lowest bit on. */
struct frag_channels {
    uint8_t whole[4]; /* bits of the number */
    uint8_t fraction[4];
};

/* NULL: raw, or floats. */
const struct frag_channels *mali_frag_channels(unsigned internal_format);
/* The pixel format of cells of floats, which can be blended, too; false: the internal format is another one. */
bool mali_frag_floats(unsigned internal_format, struct mali_pixel *pixel_out);

/* ---- the framebuffer ---- */

struct frag_target {
    bool is_written;
    bool writes_clean; /* pixels that nothing has drawn, too */
    uint8_t internal;  /* enum mali_INTERNAL_FORMAT */
    uint8_t cell_B;    /* of a sample in the tile buffer */
    const struct frag_channels *channels;
    bool is_float;           /* cells have the pixel format: */
    struct mali_pixel pixel; /* if is_float */
    uint32_t clear[4];
    size_t at_B; /* in the tile buffer: planes of cells, by sample */

    /* memory */
    uint8_t format; /* enum mali_COLOR_FORMAT */
    uint8_t block_format;
    uint8_t msaa;
    bool is_srgb;
    uint8_t from[4]; /* channels of memory are these of the tile buffer: enum mali_CHANNEL */
    uint32_t pixel_B;
    uint64_t base_va;
    uint32_t row_B, surface_B; /* with AFBC: of headers; the offset of the body from the first header */
    bool is_wide;              /* AFBC's superblocks are 32 × 8 */
};

/* Depth or stencil in memory. */
struct frag_plane {
    bool is_written;
    uint8_t format;
    uint8_t block_format;
    uint8_t msaa;
    uint32_t pixel_B;
    uint64_t base_va;
    uint32_t row_B, surface_B;
};

/* Of the tiles of one target. */
struct frag_checksums {
    unsigned target;
    bool is_compared, is_stored;
    uint64_t base_va;
    uint32_t row_B;
};

struct frag_fb {
    struct mali_queue *queue;
    uint64_t epoch; /* of all launches */
    uint32_t width, height;
    int32_t box[4]; /* pixels that are rendered: x0, y0, x1, y1, the last ones exclusive */
    uint32_t tile_w, tile_h;
    unsigned samples, samples_log2;
    unsigned halves;                              /* of samples: 2 of 16, else 1 */
    struct raster_coverage coverage[FRAG_HALVES]; /* of draws with all samples */
    bool is_point_origin_below;
    uint64_t frame_argument;
    uint64_t locations_va;
    unsigned layer;
    uint64_t tiler_va;
    uint64_t frame_draws_va;
    uint8_t frame_modes[3]; /* enum mali_FRAME_SHADER_MODE: before, before, after */

    unsigned target_count;
    struct frag_target targets[FRAG_TARGETS];
    uint8_t z_internal; /* enum mali_Z_INTERNAL_FORMAT */
    float z_clear;
    uint8_t s_clear;
    bool zs_writes_clean;
    struct frag_plane z, s; /* D24S8: both in z, and s shares its memory */
    struct frag_checksums checksums;
    struct mali_bin_prim frame; /* what draws of the frame draw: a rectangle of all of it */
    size_t colors_B;            /* of a tile */
    bool can_fill;              /* tiles without a draw are filled in memory */
};

static inline bool mali_frag_is_afbc(unsigned block_format)
{
    return block_format == MALI_BLOCK_FORMAT_AFBC || block_format == MALI_BLOCK_FORMAT_AFBC_TILED;
}

/* False: stopped. */
bool mali_frag_read_fb(struct frag_fb *fb, const struct mali_run *run);

/* ---- draws ---- */

struct frag_face {
    uint8_t compare;                /* enum pixel_compare */
    uint8_t fail, depth_fail, pass; /* enum pixel_stencil */
    uint8_t reference, mask, write_mask;
};

struct frag_blend {
    bool is_srgb, has_alpha_one;
    bool is_replacing; /* the source alone */
    uint8_t mask;      /* channels that are written */
    struct pixel_blend terms;
};

/* Serials of the three draws of a frame: no bin has them. */
#define FRAG_FRAME_DRAW(i) (UINT64_MAX - (i))

struct frag_draw {
    uint64_t serial;
    struct mali_desc_DRAW dcd;
    bool has_shader;
    bool is_per_sample;
    bool is_killed_early;  /* the test stands before the shader, and pixels that fail do not run */
    bool is_updated_early; /* depth and stencil are written then, too */
    bool zs_from_shader;   /* late tests wait for ZS_EMIT */
    bool is_tested_first;  /* all of that by blocks, before there are quads */
    struct raster_coverage coverage[FRAG_HALVES];
    float place_x[FRAG_MAX_SAMPLES], place_y[FRAG_MAX_SAMPLES]; /* of samples, from the pixel's corner */

    /* depth and stencil */
    bool tests_z, writes_z, tests_s;
    uint8_t z_compare;
    uint8_t z_source; /* enum mali_DEPTH_SOURCE */
    bool s_from_shader;
    float z_min, z_max, clamp_min, clamp_max;
    struct frag_face faces[2]; /* front, back */
    uint64_t occlusion_va;
    uint8_t occlusion; /* enum mali_OCCLUSION_MODE */

    unsigned blend_count;
    struct frag_blend blends[FRAG_TARGETS]; /* by target: of fixed function */
    struct frag_blend
        opaque[FRAG_TARGETS]; /* of an opaque BLEND, whatever the equation is: a blend shader ends with one */
    struct mali_launch launch;

    /* The program that it is joined to; NULL: none. */
    bool is_join_known; /* in this epoch of the core's programs: */
    uint32_t join_epoch;
    struct frag_joined *joined;
    uint8_t joins_asked, joins_suited; /* its variants, as bits: whether this draw can run them */
};

static inline bool mali_frag_tests_any(const struct frag_draw *draw)
{
    return draw->tests_z || draw->writes_z || draw->tests_s || draw->occlusion != MALI_OCCLUSION_MODE_DISABLED;
}

/* Unpack a DRAW. False: stopped. */
bool mali_frag_read_draw(struct frag_draw *draw, const struct frag_fb *fb, const uint32_t words[MALI_DRAW_DW]);

/* How an instruction's registers and a conversion word meet. */
struct frag_conversion {
    const struct frag_channels *channels; /* of the tile buffer's own formats; else: */
    struct mali_pixel pixel;
    bool is_raw; /* registers are stored as they are */
    bool is_srgb;
    bool is_dithered; /* bits of the fraction are kept */
    uint8_t cell_B;
};

/* ---- a worker ---- */

#define FRAG_DRAW_CACHE 64

/* Two by two pixels of one primitive. Masks are two of the rasteriser's: the lower half has samples 0 to 7, the upper
 * one samples 8 to 15; so a draw of 8 samples costs nothing more. */
struct frag_quad {
    const struct raster_prim *prim;
    uint16_t x, y;
    uint16_t cell;     /* of its first pixel in a plane of the tile buffer; the others follow */
    uint8_t iteration; /* of per-sample shading */
    uint64_t mask;     /* covered and, after early depth, visible */
    uint64_t coverage; /* the same before depth */
};

/* A sample of the first pixel, in a mask of a quad; those of the others are 8 bits from each other. */
static inline unsigned mali_frag_sample_bit(unsigned sample)
{
    return sample / 8 * 32 + sample % 8;
}

/* Pixels of the quad that any sample covers, as bits of its block. */
static inline uint64_t mali_frag_quad_pixels(const struct frag_quad *quad)
{
    const uint64_t mask = quad->mask | quad->mask >> 32;
    const uint64_t pixels =
        (mask & 0xff ? 1u : 0) | (mask & 0xff00 ? 2u : 0) | (mask & 0xff0000 ? 4u : 0) | (mask & 0xff000000 ? 8u : 0);
    return pixels << quad->cell % FRAG_BLOCK_PIXELS;
}

/* The samples of one pixel, and back. */
static inline uint32_t mali_frag_pixel_samples(uint64_t mask, unsigned p)
{
    mask >>= 8 * p;
    return (uint32_t)((mask & 0xff) | (mask >> 24 & 0xff00));
}

static inline uint64_t mali_frag_quad_mask(uint32_t samples, unsigned p)
{
    return ((uint64_t)(samples & 0xff) | (uint64_t)(samples >> 8 & 0xff) << 32) << 8 * p;
}

/* Primitives of the batch in hand: records of bins are copies, and a batch may hold quads, or pixels, of several. */
#define FRAG_BATCH_PRIMS 32

struct frag_prim {
    uint64_t serial; /* of frag_worker.prim_serial */
    struct mali_bin_prim bin;
};

/* Pixels that wait without their quads (frag_pack.c), those of a primitive one after the other. */
struct frag_packed {
    unsigned count, run_count;
    uint16_t cells[MALI_ROW_LANES];
    uint32_t places[MALI_ROW_LANES]; /* x in the lower half, y in the upper one */
    struct frag_packed_run {
        uint8_t first, prim; /* lane; number in prims */
    } runs[FRAG_BATCH_PRIMS];
};

struct frag_worker {
    const struct frag_fb *fb;
    struct mali_core *core;
    struct raster_tile tile;
    bool has_work;  /* something was drawn in the tile */
    bool is_filled; /* nothing was, and it took a fill */
    bool is_whole;  /* the span before was filled or moved as a whole */

    /* the tile buffer */
    uint8_t *colors;
    uint32_t *z; /* codes of the internal format, or bits of a float; planes of cells, by sample */
    uint8_t *s;
    bool has_zs; /* these have what they were cleared to, or more */
    /* Pixels that were drawn, by block: bits in the order of cells. */
    uint64_t dirty[FRAG_TARGETS][FRAG_BLOCKS];
    uint64_t zs_dirty[FRAG_BLOCKS];

    /* draws */
    struct frag_draw *draws; /* FRAG_DRAW_CACHE of them, by serial */
    const struct frag_draw *draw;
    uint64_t passed; /* samples, of the draw in hand */

    /* the batch: quads for the next warp, all of one draw, no two with the same pixel */
    struct frag_prim prims[FRAG_BATCH_PRIMS];
    unsigned prim_count;
    uint64_t prim_serial; /* of the primitive in hand */
    struct frag_quad quads[FRAG_WARP_QUADS];
    uint8_t quad_prims[FRAG_WARP_QUADS]; /* numbers in prims */
    unsigned quad_count;
    struct frag_packed packed;     /* in place of quads */
    bool is_run;                   /* the cells of all quads follow each other */
    uint64_t pending[FRAG_BLOCKS]; /* pixels of the batch, as in dirty */
    struct raster_quad *walked;    /* quads of one primitive in the tile, of each half */

    /* The last request of BLEND. */
    struct {
        const struct frag_target *target; /* NULL: nothing */
        uint32_t word;
        struct frag_conversion conversion;
    } converted;

    /* joined programs: the warp that was begun for a launch, and the primitive whose numbers are there */
    struct mali_warp *join_warp;
    uint64_t join_launch;
    uint64_t join_prim; /* of prim_serial; 0: none */

    bool is_hiding_known, is_hiding; /* mali_frag_can_hide() */

    /* The colours that all pixels get of a launch, by target. */
    uint64_t solid_serial;
    uint32_t solid[FRAG_TARGETS];
    /* Where what it moves is, if it does. */
    uint64_t move_serial;
    bool has_moved;
    struct sc_moved moved;

    /* the warp in hand */
    uint64_t zs_done;                      /* lanes whose late tests were made */
    uint32_t samples[MALI_ROW_LANES];      /* that the quads cover */
    uint32_t passed_early[MALI_ROW_LANES]; /* samples that may be written, as far as tests outside of ATEST say */
    bool has_weights;                      /* the next ones are there */
    float weight_i[MALI_ROW_LANES], weight_j[MALI_ROW_LANES]; /* of the middles of pixels */
};

/* Cells of a plane are in blocks of 8 by 8 pixels, row by row, in which the quads follow each other as the rasteriser
 * gives them, and a quad's pixels as lanes do: so the cells of a warp that draws a whole block are one run of
 * memory. */
static inline unsigned mali_frag_place(const struct frag_fb *fb, unsigned x, unsigned y)
{
    const unsigned block = y / RASTER_BLOCK * (fb->tile_w / RASTER_BLOCK) + x / RASTER_BLOCK;
    return block * FRAG_BLOCK_PIXELS + (y >> 1 & 3) * 16 + (x >> 1 & 3) * 4 + (y & 1) * 2 + (x & 1);
}

/* Cells of a plane. */
static inline size_t mali_frag_cells(const struct frag_fb *fb)
{
    return (size_t)fb->tile_w * fb->tile_h;
}

/* A sample of the pixel at `place`. */
static inline size_t mali_frag_cell(const struct frag_worker *w, unsigned sample, unsigned place)
{
    return sample * mali_frag_cells(w->fb) + place;
}

/* The place of a lane's pixel. */
static inline unsigned mali_frag_lane_place(const struct frag_worker *w, unsigned lane)
{
    return w->quads[lane / 4].cell + lane % 4;
}

/* The cell of a target. */
static inline uint8_t *mali_frag_color(const struct frag_worker *w, const struct frag_target *target, unsigned sample,
                                       unsigned place)
{
    return w->colors + target->at_B + mali_frag_cell(w, sample, place) * target->cell_B;
}

/* The pixels of a block in columns and rows from `x0` and `y0` on, to before `x1` and `y1`. */
static inline uint64_t mali_frag_pixels(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    uint64_t columns = 0, rows = 0;
    for (int32_t x = x0; x < x1; x++)
        columns |= (5ull << (x & 1) << 4 * (x >> 1)) * 0x0001000100010001ull;
    for (int32_t y = y0; y < y1; y++)
        rows |= 0x3333ull << 2 * (y & 1) << 16 * (y >> 1);
    return columns & rows;
}

/* A frame without primitives that can be filled, and whose frame draws do not run. False: stopped. */
bool mali_frag_run_empty(const struct frag_fb *fb);

/* ---- primitives (frag_prim.c) ---- */

/* Draw the primitive in hand of a walk, or (prim NULL) the frame's rectangle: every pixel of the tile. */
bool mali_frag_draw_prim(struct frag_worker *w, const struct frag_draw *draw, const struct mali_bin_prim *prim);
/* The first primitive of a tile, before anything is there: drawn if it covers all of it and lets nothing be seen of
 * what was there before. False: stopped. */
enum frag_over {
    FRAG_OVER_NOT,     /* nothing was done */
    FRAG_OVER_OUTSIDE, /* it has no pixel in the tile */
    FRAG_OVER_DRAWN,
    FRAG_OVER_SOLID, /* it has one colour (frag_worker.solid), and was not drawn yet */
};
bool mali_frag_draw_over(struct frag_worker *w, const struct frag_draw *draw, const struct mali_bin_prim *prim,
                         enum frag_over *over_out);
/* Frames of a few large primitives. */
struct frag_few {
    unsigned count; /* 0: it is none such */
    struct mali_bins_few bins;
};
/* Whether the frame's draw in hand does nothing in all of w->tile. */
bool mali_frag_is_idle(struct frag_worker *w);
/* The rectangle of w->tile, which may be larger than a tile, goes to memory as a whole if it can. False: stopped. */
bool mali_frag_over_rect(struct frag_worker *w, const struct frag_few *few, bool *is_done_out);
/* The copy that a launch of the draw in hand does (sc/move.h), if that is all it does; NULL: it does more. Only
 * where mali_frag_replaces() has said yes. */
const struct sc_move *mali_frag_find_move(struct frag_worker *w);
/* Move the rectangle of w->tile to memory. False: stopped, or (is_done_out is false) it cannot be moved so. */
bool mali_frag_move(struct frag_worker *w, const struct sc_move *move, bool *is_done_out);
/* Whether draws before the first primitive can be left out if that hides their colours: they do nothing else. */
bool mali_frag_can_hide(struct frag_worker *w);
/* Whether a draw of the frame runs where nothing is drawn. */
bool mali_frag_has_frame_draw(const struct frag_fb *fb);
/* Whether a primitive has no pixel in the tile. */
bool mali_frag_is_outside(struct frag_worker *w, const struct frag_draw *draw, const struct mali_bin_prim *prim);
/* A draw, by its serial: the worker's own copy. Those of frames by their place. NULL: stopped. */
struct frag_draw *mali_frag_find_draw(struct frag_worker *w, uint64_t serial, const uint32_t words[MALI_DRAW_DW]);
const struct frag_draw *mali_frag_find_frame_draw(struct frag_worker *w, unsigned number);
/* It is the one in hand from here on. False: stopped. */
bool mali_frag_begin_draw(struct frag_worker *w, const struct frag_draw *draw);
/* ---- quads to warps (frag_shade.c) ---- */

/* The quads of a primitive in the tile, each half of 16 samples by itself. False: stopped. */
bool mali_frag_add_quads(struct frag_worker *w, const struct raster_quad *quads, uint32_t count,
                         const struct mali_bin_prim *prim);
bool mali_frag_add_halves(struct frag_worker *w, const struct raster_quads found[FRAG_HALVES],
                          const struct mali_bin_prim *prim);
/* Run what the batch has. */
bool mali_frag_flush(struct frag_worker *w);
/* A replacement after which the draw is over in this tile. */
bool mali_frag_end_draw(struct frag_worker *w);

/* Run the quads of the batch alone; primitives stay. */
bool mali_frag_run_quads(struct frag_worker *w);
/* The number of the primitive in hand among those of the batch, which have room for another one. */
unsigned mali_frag_find_prim(struct frag_worker *w, const struct mali_bin_prim *prim);

/* ---- pixels to warps (frag_pack.c) ---- */

/* Whether the draw in hand needs no quads. Then pixels of a block of the tile, as in dirty, wait; and all that wait
 * run. */
bool mali_frag_packs(struct frag_worker *w);
bool mali_frag_pack(struct frag_worker *w, const struct mali_bin_prim *prim, unsigned in_x, unsigned in_y,
                    uint64_t pixels);
bool mali_frag_run_packed(struct frag_worker *w);

/* Preloaded registers. */
enum {
    FRAG_REG_PRIMITIVE = 57,
    FRAG_REG_FACE,
    FRAG_REG_PLACE,
    FRAG_REG_COVERAGE,
    FRAG_REG_SAMPLE,
    FRAG_REG_FRAME, /* and the next */
};

/* Registers that a warp finds, of those that are wanted (bit n: r(48 + n)): the batch's; of 8 by 8 pixels of one
 * sample. */
void mali_frag_preload(struct frag_worker *w, struct mali_warp *warp, uint32_t wanted);
void mali_frag_preload_block(const struct frag_worker *w, struct mali_warp *warp, uint32_t wanted,
                             const struct mali_bin_prim *prim, unsigned x, unsigned y);

void mali_frag_preload_frame(const struct frag_worker *w, struct mali_warp *warp, uint32_t wanted);

extern const struct mali_warp_hooks mali_frag_hooks;
/* Late tests of lanes in which the shader asked for none. */
void mali_frag_finish_zs(struct frag_worker *w, uint64_t lanes);
/* Samples that the alpha of each lane covers. */
void mali_frag_cover_by_alpha(const struct frag_worker *w, const uint32_t *alpha, uint32_t *covered_out);

/* LD_VAR* (frag_varying.c). */
bool mali_frag_load_varying(struct mali_warp *warp, const struct mali_varying_load *load, uint64_t lanes);
/* Numbers of a primitive, by component: at the first vertex and from there to the others, or the flat one. */
bool mali_frag_varying_values(struct frag_worker *w, const struct mali_bin_prim *prim,
                              const struct mali_varying_load *load, uint32_t values_out[12]);
/* Weights of the middles of all pixels of the batch, which most loads ask for; of lanes of one primitive, from whose
 * origin x and y are counted. */
void mali_frag_find_weights(struct frag_worker *w);
void mali_frag_lane_weights(struct frag_worker *w, const struct raster_prim *prim, const float *x, const float *y,
                            unsigned first, unsigned end);
/* Whether a load is of floats at the middles of pixels, or of what a vertex has; then those of lanes of one primitive,
 * whose weights are there. Lanes that follow may get anything. False: stopped. */
bool mali_frag_is_plain_load(const struct mali_varying_load *load);
bool mali_frag_load_run(struct frag_worker *w, const struct mali_bin_prim *prim, const struct mali_varying_load *load,
                        unsigned first, unsigned end);

/* Joined programs (frag_join_run.c). The batch in hand by one: false, and nothing was done, where there is none for it;
 * *is_ok_out is false where the job was stopped. */
bool mali_frag_run_joined(struct frag_worker *w, bool *is_ok_out);
/* Blocks that a primitive covers as a whole may go without quads; to be asked before they are looked for. */
bool mali_frag_takes_blocks(struct frag_worker *w);
/* Whether blocks of the draw in hand have nothing of what was there before; and whether all of its pixels are the same,
 * which mali_frag_find_solid then finds (frag_worker.solid). False: stopped. */
bool mali_frag_replaces(struct frag_worker *w, bool *is_solid_out);
bool mali_frag_find_solid(struct frag_worker *w);
/* Bits are as struct raster_quads has them; `passed` what is left of each block, in their order, after early tests.
 * False: stopped. */
bool mali_frag_run_blocks(struct frag_worker *w, const struct mali_bin_prim *prim, uint64_t blocks,
                          const uint64_t passed[FRAG_BLOCKS]);

/* ---- depth and stencil (frag_zs.c) ---- */

/* Unless something has looked at them since the tile began. */
void mali_frag_zs_clear(struct frag_worker *w);
/* The code that cleared cells have. */
uint32_t mali_frag_z_clear(const struct frag_fb *fb);
/* Samples of pixel `p` of the quad that pass, of `samples`. Values of depth and stencil replace those of the draw where
 * they are not NULL. `is_updated`: they are written, and counted. */
uint32_t mali_frag_zs_test(struct frag_worker *w, const struct frag_quad *quad, unsigned p, uint32_t samples,
                           const float *z, const uint32_t *s, bool is_updated);
/* Tests the batch by lanes, for one sample, where the shader gives depths and stencil is not tested; updated. */
void mali_frag_zs_test_depths(struct frag_worker *w, const float *z, uint32_t *passed);
/* All samples of the batch that pass, by quad, before the shader. */
void mali_frag_zs_test_batch(struct frag_worker *w, bool is_updated, uint64_t passed[FRAG_WARP_QUADS]);
/* Tests 8 by 8 pixels of one sample, of those that a primitive covers: bits as in dirty. */
bool mali_frag_zs_takes_blocks(const struct frag_draw *draw);
uint64_t mali_frag_zs_test_block(struct frag_worker *w, const struct raster_prim *prim, unsigned x, unsigned y,
                                 uint64_t covered);
/* A code of the internal format as a float. */
float mali_frag_z_value(const struct frag_fb *fb, uint32_t code);

/* ---- colours (frag_tile.c, frag_blend.c) ---- */

/* Nothing is drawn in the tile; and its colours are the cleared ones. */
void mali_frag_begin(struct frag_worker *w);
void mali_frag_clear(struct frag_worker *w);

/* Which cells a conversion means, and in which lanes. */
struct frag_span {
    unsigned count;
    uint8_t lane[MALI_ROW_LANES];
    uint8_t *cell[MALI_ROW_LANES];
};

/* The lower 22 bits of a conversion, for cells of this target. False: stopped. */
bool mali_frag_conversion(struct mali_queue *queue, const struct frag_target *target, uint32_t word,
                          struct frag_conversion *out);
void mali_frag_fetch(const struct frag_conversion *conversion, const struct frag_span *span, union tex_texel *texels);
void mali_frag_store(const struct frag_conversion *conversion, const struct frag_span *span,
                     const union tex_texel *texels);

/* BLEND of fixed function: colours of the span's lanes (rows by channel, of floats or integers). False: stopped. */
/* The way that nearly all BLENDs go: four unorm bytes in the tile buffer, floats. `masks`: samples of each lane;
 * `colour`: rows of components. False: it is another one, nothing was done. */
bool mali_frag_blend_fast(struct frag_worker *w, unsigned number, const struct frag_blend *blend,
                          const struct frag_conversion *conversion, const uint32_t *masks, const uint32_t *colour);
bool mali_frag_blend(struct frag_worker *w, const struct frag_target *target, const struct frag_blend *blend,
                     const struct frag_conversion *conversion, const struct frag_span *span,
                     const union pixel_colors *colors);
/* Blends samples of lanes, whatever way it goes. */
bool mali_frag_blend_rows(struct frag_worker *w, unsigned number, const struct frag_blend *state,
                          const struct frag_conversion *conversion, const struct mali_blend *request,
                          const uint32_t *masks, uint64_t lanes);
/* Codes as rows of words to the cells of the batch (frag_codes.c), where a lane's mask has a sample; to those of one
 * sample where `drawn` is all ones, any lane being a bit of `any`; and what cells of whole words have. */
void mali_frag_put_codes(struct frag_worker *w, unsigned number, const uint32_t (*codes)[MALI_ROW_LANES],
                         const uint32_t *masks);
void mali_frag_put_sample(struct frag_worker *w, unsigned number, unsigned sample,
                          const uint32_t (*codes)[MALI_ROW_LANES], const uint32_t *drawn, uint64_t any);
void mali_frag_get_codes(const struct frag_worker *w, unsigned number, unsigned sample,
                         uint32_t (*codes)[MALI_ROW_LANES]);
/* Writes packed pixels, of those of `drawn`. */
void mali_frag_put_pixels(struct frag_worker *w, unsigned number, const uint32_t (*codes)[MALI_ROW_LANES],
                          uint64_t drawn);
void mali_frag_get_pixels(const struct frag_worker *w, unsigned number, uint32_t (*codes)[MALI_ROW_LANES]);
/* Writes a block, whose first cell is `cell`, of one sample. */
void mali_frag_put_block(struct frag_worker *w, unsigned number, unsigned cell, const uint32_t (*codes)[MALI_ROW_LANES],
                         uint64_t drawn);
void mali_frag_get_block(const struct frag_worker *w, unsigned number, unsigned cell,
                         uint32_t (*codes)[MALI_ROW_LANES]);
/* Which registers an instruction means by its format. */
enum mali_regfmt mali_frag_blend_format(enum mali_regfmt format, const struct frag_conversion *conversion);
enum mali_regfmt mali_frag_register_format(enum mali_regfmt format, uint32_t conversion);
void mali_frag_prepare_blend(struct frag_draw *draw, unsigned number, const struct frag_target *target,
                             const struct mali_desc_BLEND *descriptor);

/* ---- memory (frag_writeback.c) ---- */

bool mali_frag_writeback(struct frag_worker *w);
/* For the report (model/stat.h), after pre-frame draws: all that they drew came from memory. */
void mali_frag_count_loads(const struct frag_worker *w);
/* Whether a tile in which nothing was drawn can be filled, whose tile buffer was not even cleared; where the
 * framebuffer allows it. */
bool mali_frag_can_fill(const struct frag_fb *fb);
bool mali_frag_fill(const struct frag_worker *w);
/* Fills any rectangle inside of the box. */
bool mali_frag_fill_rect(const struct frag_fb *fb, const int32_t rect[4]);
/* One colour for all pixels of the tile: in memory, where nothing else is drawn; in the tile buffer. */
bool mali_frag_fill_solid(struct frag_worker *w);
void mali_frag_clear_solid(struct frag_worker *w);
/* Is the target, which has checksums, to be written in this tile, of which `pixels` would be, by block? False:
 * stopped. */
bool mali_frag_checksum(const struct frag_worker *w, unsigned target, const uint64_t *pixels, bool *is_written_out);

#endif
