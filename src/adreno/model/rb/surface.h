/* Where the texels of a surface are, and what their bytes mean: for all of the RB, and for those who share GMEM with it
 * (rb.h says what they agree on). */
#ifndef ADRENO_MODEL_RB_SURFACE_H
#define ADRENO_MODEL_RB_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/hw/enums.h"
#include "adreno/hw/tiling/tile.h"
#include "adreno/model/ubwc/ubwc.h"
#include "model/memory.h"
#include "util/format/format.h"

#define ADRENO_RB_MAX_SAMPLE_B 16
#define ADRENO_RB_MAX_SAMPLES 8

/* ---- formats ---- */

enum adreno_rb_numeric {
    ADRENO_RB_FLOAT,
    ADRENO_RB_UINT,
    ADRENO_RB_SINT,
};

/* A hardware format as a format of util/format and an order of components. */
struct adreno_rb_format {
    enum format format;
    const struct format_codec *codec;
    const struct format_info *info;
    enum adreno_rb_numeric numeric;
    uint8_t sample_B;
    uint8_t from[4]; /* component of the format ← component of the colour */
    uint8_t present; /* components of the colour that the format has, one bit each */
};

/* False: the hardware has no such format, or not with that swap. */
bool adreno_rb_format_init(struct adreno_rb_format *out, unsigned number, enum adreno_COLOR_SWAP swap, bool is_srgb);

/* A colour as its format's numbers. */
union adreno_rb_color {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
};

/* Texels to colours and back (texels.c). Channels that the format lacks read as 0, and alpha as 1. Not for compressed
 * formats. */
void adreno_rb_fetch(const struct adreno_rb_format *format, union adreno_rb_color *out, const void *const *host,
                     uint32_t count);
void adreno_rb_store(const struct adreno_rb_format *format, void *const *host, const union adreno_rb_color *colors,
                     uint32_t count);

/* ---- places ---- */

/* GMEM's rows are linear: see rb.h. */
static inline uint64_t adreno_gmem_offset_B(uint64_t base_B, uint32_t pitch_B, uint32_t element_B, uint32_t x,
                                            uint32_t y)
{
    return base_B + (uint64_t)y * pitch_B + (uint64_t)x * element_B;
}

struct adreno_rb_surface {
    uint8_t *gmem;        /* all of GMEM; NULL: the surface is in memory */
    uint32_t gmem_size_B; /* of which the surface may use so much */
    uint8_t *written;     /* strict mode: adreno_gpu's gmem_written; NULL: nothing looks */
    uint64_t base;        /* address in memory, or offset in GMEM */
    uint32_t pitch_B;     /* of rows of elements */
    uint64_t layer_B;     /* from a layer to the next */
    uint32_t element_B;   /* of a pixel with its samples */
    uint8_t sample_B, samples_log2;
    bool is_tiled;
    struct adreno_tile tile;
    int32_t origin_x, origin_y; /* pixel of the screen that stands at the base */

    /* UBWC; without it flag_base is 0 */
    uint64_t flag_base;
    uint32_t flag_pitch_B;
    uint64_t flag_layer_B;
    uint8_t flag_w_log2, flag_h_log2; /* pixels of a flag */
    bool has_marks;                   /* macrotiles may be of one colour */
};

struct coherence_actor;

struct adreno_rb_fault {
    bool is_set;
    bool is_write;
    bool is_gmem;      /* va is an offset */
    bool is_unwritten; /* and nothing has written there since the bin began */
    uint64_t va;
};

/* Reads and writes of a surface by one worker. Blocks of 256 bytes of a tiled surface that were looked up are
 * remembered, one for each place in 16 by 16 blocks, and with a block its macrotile where all flags are plain; other
 * surfaces have none, for what lies beside a texel may not
 * be mapped. Where a page has no memory (a sparse resource), what is written goes to `lost`, which is zero again at the
 * next look. */
#define ADRENO_RB_SLOTS_LOG2 4 /* each way: 64 by 64 pixels, a worker's tile, of four samples of four bytes */
struct adreno_rb_slot {
    uint32_t x, y, layer; /* in blocks */
    uint8_t *host;
};

struct adreno_rb_access {
    const struct adreno_rb_surface *surface;
    const struct gpu_space *space;
    struct adreno_rb_fault *fault;
    struct coherence_actor *coherence; /* NULL: nothing is looked at */
    uint8_t client, target;            /* enum adreno_client; of views */
    bool is_noted_write;
    bool is_write;
    uint64_t valid[(1 << 2 * ADRENO_RB_SLOTS_LOG2) / 64]; /* slots: one bit each */
    struct adreno_rb_slot slots[1 << 2 * ADRENO_RB_SLOTS_LOG2];
    uint8_t lost[ADRENO_TILE_BLOCK_B];
};

/* A surface in memory, linear or in TILE6_3. NULL, or what is wrong. */
const char *adreno_rb_surface_memory(struct adreno_rb_surface *surface, const struct adreno_chip *chip,
                                     enum adreno_TILE_MODE tile_mode, uint64_t va, uint32_t pitch_B, uint64_t layer_B,
                                     uint32_t sample_B, unsigned samples_log2);

/* A surface in GMEM, of bins that have this size. */
const char *adreno_rb_surface_gmem(struct adreno_rb_surface *surface, uint8_t *gmem, uint32_t gmem_size_B,
                                   uint32_t offset_B, uint32_t bin_width, uint32_t bin_height, uint32_t sample_B,
                                   unsigned samples_log2);

/* A surface that has been made gets the flags of UBWC. */
void adreno_rb_surface_flags(struct adreno_rb_surface *surface, uint64_t va, uint32_t pitch_B, uint64_t layer_B,
                             bool is_two_bytes);

void adreno_rb_access_init(struct adreno_rb_access *access, const struct adreno_rb_surface *surface,
                           const struct gpu_space *space, struct adreno_rb_fault *fault, bool is_write);

/* Its accesses are looked at: docs/coherence.md. After adreno_rb_access_init. */
void adreno_rb_access_check(struct adreno_rb_access *access, struct coherence_actor *coherence, unsigned client,
                            unsigned target, bool is_write);

/* Bytes of a layer are accessed; only where access->coherence is set. */
void adreno_rb_note(const struct adreno_rb_access *access, uint32_t layer, uint64_t va, uint64_t size_B);

/* Pixels that are about to be written, all of them: flags of UBWC, if there are any. False: a fault. */
bool adreno_rb_set_flags(struct adreno_rb_access *access, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                         uint32_t layer);

/* Pixels that are about to be read, of blocks that are not found by adreno_rb_element. */
void adreno_rb_open(const struct adreno_rb_access *access, uint32_t x, uint32_t y, uint32_t width, uint32_t height);

/* Access where colours of whole macrotiles are enough: whether pixels of a row may have such, and the colour of the
 * macrotile that a pixel is in, which stays closed. */
bool adreno_rb_may_have_colors(const struct adreno_rb_access *access, uint32_t x, uint32_t y, uint32_t width);
bool adreno_rb_macrotile_color(const struct adreno_rb_access *access, uint32_t x, uint32_t y,
                               uint8_t color[ADRENO_UBWC_COLOR_B]);

/* All pixels of macrotiles first to end - 1 of some rows of them, which the host has at `rows`, get one colour: only
 * their flags and marks are written (ubwc/ubwc.h). False: that cannot be, and nothing was done. */
bool adreno_rb_mark(const struct adreno_rb_access *access, uint8_t *rows, uint32_t row_number, uint32_t row_count,
                    uint32_t first, uint32_t end, const uint8_t color[ADRENO_UBWC_COLOR_B]);

/* Where the host has a row's elements from a pixel on, side by side: of surfaces that are not tiled. NULL: a fault; or,
 * where access->fault has none, a long row of which not every page has memory: its elements are to be found one by one.
 */
uint8_t *adreno_rb_row(struct adreno_rb_access *access, int32_t x, int32_t y, uint32_t layer, uint32_t count);

/* Where the host has the element of a pixel. NULL: a fault, which stands in access->fault. */
uint8_t *adreno_rb_element_slowly(struct adreno_rb_access *access, int32_t x, int32_t y, uint32_t layer);
static inline uint8_t *adreno_rb_element(struct adreno_rb_access *access, int32_t x, int32_t y, uint32_t layer)
{
    const struct adreno_tile *tile = &access->surface->tile;
    const uint32_t slots_mask = (1u << ADRENO_RB_SLOTS_LOG2) - 1;
    const uint32_t block_x = (uint32_t)x >> tile->block_w_log2, block_y = (uint32_t)y >> tile->block_h_log2;
    const uint32_t number = (block_x & slots_mask) | (block_y & slots_mask) << ADRENO_RB_SLOTS_LOG2;
    const struct adreno_rb_slot *slot = &access->slots[number];
    if ((access->valid[number / 64] >> number % 64 & 1) && slot->x == block_x && slot->y == block_y &&
        slot->layer == layer) {
        const uint32_t x_mask = (1u << tile->block_w_log2) - 1, y_mask = (1u << tile->block_h_log2) - 1;
        return slot->host +
               ((uint32_t)(adreno_tile_x_order[(uint32_t)x & x_mask] | adreno_tile_y_order[(uint32_t)y & y_mask])
                << tile->element_log2);
    }
    return adreno_rb_element_slowly(access, x, y, layer);
}

#endif
