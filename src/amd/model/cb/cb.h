/* The colour backend: exported colours to memory. Conversion, blending, logic operations and write masks of up to eight
 * targets.
 *
 * A tile belongs to one worker while it is shaded and its pixels come in primitive order, so nothing here locks. */
#ifndef AMD_MODEL_CB_H
#define AMD_MODEL_CB_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/chip.h"
#include "amd/hw/regs_cb.h"
#include "amd/hw/tiling/meta.h"
#include "amd/model/cb/cb_surface.h"
#include "amd/model/registers.h"
#include "amd/model/sc/sc.h"
#include "model/memory.h"
#include "model/pixel/pixel.h"
#include "util/format/format.h"

#define CB_TARGETS 8
#define CB_MAX_LANES PIXEL_LANES
#define CB_MAX_ELEMENT_B 16

struct coherence_actor;

/* The kind of a target's numbers between export and memory. */
enum cb_numeric {
    CB_FLOAT,
    CB_UINT,
    CB_SINT,
};

/* How a target's colours leave a wave whose program is joined with them (cb_lower.c). */
enum cb_output {
    CB_OUTPUT_ROWS,  /* as exported */
    CB_OUTPUT_CODES, /* as elements of memory, of four bytes or two, a dword each */
    CB_OUTPUT_BLEND, /* the same, blended with what memory holds */
    CB_OUTPUT_PAIRS, /* the same, two dwords each */
    CB_OUTPUT_WORDS, /* as elements of any format and size, up to four dwords each */
    CB_OUTPUT_MIXED, /* the same, with what memory holds: blended, by a logic operation, or of which some bits stay */
};

/* Whether what memory holds is wanted before the program runs. */
static inline bool cb_output_blends(enum cb_output output)
{
    return output == CB_OUTPUT_BLEND || output == CB_OUTPUT_PAIRS || output == CB_OUTPUT_MIXED;
}

/* Compression metadata of a target: its layouts are kept from draw to draw, like the target's own. */
struct cb_meta {
    uint64_t dcc_generation, cmask_generation; /* of the surface that the layout belongs to */
    struct amd_meta dcc, cmask;
    struct cb_surface fmask;
};

struct cb_target {
    struct cb_surface *surface; /* NULL: nothing is written */
    struct cb_meta *meta;       /* NULL: there is none */
    bool has_dcc, has_fmask, cmask_clears;
    bool by_pixel; /* what is written keeps a fragment for all samples of a pixel where it can: amd_cb_meta_by_pixel */
    uint64_t dcc_va, cmask_va;
    uint8_t clear_element[CB_MAX_ELEMENT_B]; /* of the clear registers */
    enum format format;
    const struct format_codec *codec;
    enum cb_numeric numeric;
    uint8_t export;        /* which of the shader's: they are counted without the targets that it does not write */
    uint8_t export_format; /* enum amd_EXPORT_FORMAT */
    uint8_t element_B;
    uint8_t from[4]; /* component of the format ← component of the colour */
    uint8_t present; /* components of the colour that the format has */
    bool whole;      /* every bit of an element is written */
    bool bytes4;     /* four unorm or sRGB bytes and no logic operation: the path of most pixels */
    bool srgb;       /* of bytes4 */
    bool blend;      /* by: */
    struct pixel_blend blending;
    bool rop;
    uint8_t rop_code;
    uint8_t bits[CB_MAX_ELEMENT_B]; /* of an element that are written */
    uint32_t slice_start, slice_max;
    uint8_t samples; /* that are stored */
    uint8_t output;  /* enum cb_output */
    bool is_raw;     /* elements are the first dwords of an export as they are */
};

/* Whether a joined program reads and writes it sample by sample. */
static inline bool cb_blends_by_sample(const struct cb_target *target)
{
    return target->samples > 1 && cb_output_blends((enum cb_output)target->output);
}

struct cb_state {
    bool expand;     /* not a draw: write to memory what the metadata says of the covered pixels */
    bool resolve;    /* not a draw either: the covered pixels of target 0 go to target 1 */
    uint8_t used;    /* one bit per target that is written (or expanded) */
    uint8_t exports; /* one bit per export that is read */
    struct cb_target targets[CB_TARGETS];
};

/* The layouts that the colour backend keeps from draw to draw. */
struct cb_surfaces {
    struct cb_surface target[CB_TARGETS];
    struct cb_meta meta[CB_TARGETS];
};

const char *amd_cb_state_init(struct cb_state *state, struct cb_surfaces *surfaces, const struct amd_chip *chip,
                              const struct cp_registers *registers);

/* The format of a target's elements (cb_format.c). FORMAT_UNDEFINED where the hardware has none. `from` says which
 * component of the colour goes into each component of the format. */
enum format amd_cb_format(enum amd_COLOR_FORMAT format, enum amd_NUMBER_TYPE type, enum amd_COMP_SWAP swap,
                          uint8_t from[4]);

struct cb_exports {
    uint32_t valid; /* one bit per export */
    uint32_t rows[CB_TARGETS][4][CB_MAX_LANES] __attribute__((aligned(64)));
};

/* The tile in hand of a target: what its addresses have in common. */
struct cb_tile {
    bool is_set, is_asked; /* asked: for `host` */
    uint32_t x, y, slice;
    uint64_t known; /* 8 by 8 pixels that are known to be expanded, one bit each */
    uint64_t va[8]; /* by sample, of the first pixel; where the surface has tiles */
    uint8_t
        *host; /* of the swizzle block around it, where all of its pages may be written (amd_cb_map_tile), or NULL */
    uint64_t host_va;
    bool has_dcc; /* its first code, but for bits that change within the tile */
    uint64_t dcc_va;
    uint8_t *dcc_host; /* of the metadata block around it, once it was asked for; or NULL */
    uint32_t dcc_nibble;
};

struct cb {
    const struct cb_state *state;
    const struct gpu_space *memory;
    struct coherence_actor *coherence; /* NULL: nothing is looked at */
    uint64_t fault_va;                 /* not 0: an access faulted */
    bool fault_is_write;
    const char *why;          /* not NULL: a stop */
    uint64_t draw;            /* its number, not 0 */
    struct cb_blocks *blocks; /* by target, expanded */
    struct cb_tile tiles[CB_TARGETS];
};

/* Dwords of an element, or its part of one. */
static inline unsigned cb_word_count(const struct cb_target *target)
{
    return target->element_B < 4 ? 1 : target->element_B / 4u;
}

/* Where the host has bytes that may be read and written. NULL: a fault. */
void *amd_cb_access_slowly(struct cb *cb, uint64_t va, uint32_t size_B);
static inline void *cb_access(struct cb *cb, uint64_t va, uint32_t size_B)
{
    void *host = gpu_space_pointer(cb->memory, va, size_B, GPU_PERM_READ | GPU_PERM_WRITE);
    return __builtin_expect(host != NULL, 1) ? host : amd_cb_access_slowly(cb, va, size_B);
}

/* The block around a pixel of a surface that has blocks (cb_block.c). False: a fault or a stop. */
bool amd_cb_find_pieces(struct cb *cb, const struct cb_surface *surface, uint32_t x, uint32_t y, uint32_t slice,
                        struct cb_block *block);

/* A block of a target, expanded, in one of cb->blocks. `overwritten`: every bit of 8 by 8 pixels is about to be
 * written. NULL: a fault or a stop. */
const struct cb_block *amd_cb_find_block(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice,
                                         bool overwritten);

/* A tile's blocks of 8 by 8 pixels that have been expanded, where the host has all of its memory. */
void amd_cb_find_blocks(struct cb *cb, unsigned target, const struct cb_tile *tile, uint64_t blocks);

/* The tile around a pixel. */
struct cb_tile *amd_cb_enter_tile(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice);
static inline struct cb_tile *cb_tile_at(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice)
{
    struct cb_tile *tile = &cb->tiles[target];
    return tile->is_set && tile->x == x >> SC_TILE_LOG2 && tile->y == y >> SC_TILE_LOG2 && tile->slice == slice
               ? tile
               : amd_cb_enter_tile(cb, target, x, y, slice);
}

/* Find the host's memory of a tile as a whole, of a surface that has tiles: for more than a few blocks. */
void amd_cb_map_tile(struct cb *cb, const struct cb_surface *surface, struct cb_tile *tile);

/* True: already asked for these 8 by 8 pixels, in this tile and draw. */
bool amd_cb_is_known(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice);

/* The metadata of a target, from its registers. NULL, or what is not implemented (cb_meta.c). */
const char *amd_cb_meta_init(struct cb_target *target, struct cb_meta *meta, unsigned index, enum amd_gfx gfx,
                             const struct cp_registers *registers);

/* Before a pixel's sample is read or written: bring what the metadata stands for to memory. False: a fault or a stop.
 */
bool amd_cb_meta_prepare(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice, unsigned sample);

/* Prepares all samples of the 8 by 8 pixels around a pixel, of a surface that has blocks. */
bool amd_cb_meta_prepare_block(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice,
                               bool overwritten);

/* Prepares several blocks of a tile. */
bool amd_cb_meta_prepare_blocks(struct cb *cb, unsigned target, const struct raster_tile *tile, uint32_t slice,
                                uint64_t blocks, bool overwritten);

/* Before 8 by 8 pixels are read, of a target whose metadata is found by blocks. Bit 4 * q + p: all samples of pixel p
 * of quad q are in fragment 0; all others are where their numbers say. False: a fault or a stop. */
bool amd_cb_meta_read_block(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice,
                            uint64_t *first_out);

/* FMASK pixel by pixel: whoever writes a pixel puts it into fragment 0, if it is all of its samples, and else gives
 * each sample its own, by cb_block_numbers: bytes in the order of FMASK's own block, each 0 or amd_cb_meta_own(). */
bool amd_cb_meta_by_pixel(const struct cb_target *target);
uint8_t amd_cb_meta_own(const struct cb_target *target);
bool amd_cb_meta_find_numbers(struct cb *cb, const struct cb_target *target, struct cb_block *block);

/* 8 by 8 pixels are about to be overwritten with one colour each for all samples, which goes to fragment 0 alone.
 * *joined_out false: not in such a target; it has no FMASK, or the pixels are at its edge. False: a fault or a stop. */
bool amd_cb_meta_join(struct cb *cb, unsigned target, uint32_t x, uint32_t y, uint32_t slice, bool *joined_out);

/* As amd_cb_meta_prepare for a pixel of which nothing will be written: a decompress or an eliminate pass. */
bool amd_cb_meta_expand(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer);

/* A pixel of a resolve (cb_resolve.c), or 8 by 8 of them, where the targets are such that they are taken so. False: a
 * fault or a stop. */
bool amd_cb_resolve(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer);
bool amd_cb_resolves_blocks(const struct cb_state *state);
bool amd_cb_resolve_block(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer);

/* Write what a wave exported: lane 4 * q + p is pixel p of quad q, and the quad's mask says which samples. */
void amd_cb_write(struct cb *cb, const struct cb_exports *exports, const struct raster_quad *quads,
                  uint32_t quad_count);

/* Writes dwords as memory holds them, of a target whose output is not rows. `is_block`: the quads are 8 by 8 aligned
 * pixels of one primitive with all samples, in order. */
void amd_cb_write_codes(struct cb *cb, unsigned target, const uint32_t *codes, const struct raster_quad *quads,
                        uint32_t quad_count, bool is_block);

/* Reads the wave's pixels from memory, of such a target. False: a fault or a stop. */
bool amd_cb_read_codes(struct cb *cb, unsigned target, unsigned sample, uint32_t *codes,
                       const struct raster_quad *quads, uint32_t quad_count, bool is_block);

/* 8 by 8 aligned pixels with all samples, of a target that takes them so: bits of a tile, as struct raster_quads. First
 * all are found, and expanded; then each is written or read by its number. `kills`: some pixels may not be written
 * after all. False: a fault or a stop. Blocks that are not reached, because of the tile's memory, are for quads. */
bool amd_cb_takes_blocks(const struct cb_target *target);
bool amd_cb_reaches_blocks(struct cb *cb, unsigned target, const struct raster_tile *tile, uint32_t layer);
bool amd_cb_open_blocks(struct cb *cb, unsigned target, const struct raster_tile *tile, uint32_t layer, uint64_t blocks,
                        bool kills);
void amd_cb_write_block(struct cb *cb, unsigned target, unsigned block, const uint32_t *codes);

/* Writes elements of any size (cb_raw.c), all bits of which are written: rows[i] are the dwords i of all lanes, or
 * those of one. Of two dwords alone, or of any that blend. */
void amd_cb_write_raw(struct cb *cb, unsigned target, const uint32_t (*rows)[CB_MAX_LANES],
                      const struct raster_quad *quads, uint32_t quad_count, bool is_block);
bool amd_cb_read_pairs(struct cb *cb, unsigned target, unsigned sample, uint32_t (*rows)[CB_MAX_LANES],
                       const struct raster_quad *quads, uint32_t quad_count, bool is_block);
void amd_cb_write_raw_block(struct cb *cb, unsigned target, unsigned block, const uint32_t (*rows)[CB_MAX_LANES]);
void amd_cb_read_pairs_block(struct cb *cb, unsigned target, unsigned block, uint32_t (*rows)[CB_MAX_LANES]);
bool amd_cb_read_raw(struct cb *cb, unsigned target, unsigned sample, uint32_t (*rows)[CB_MAX_LANES],
                     const struct raster_quad *quads, uint32_t quad_count, bool is_block);
/* One sample of several, each of which blends by itself. */
void amd_cb_write_sample(struct cb *cb, unsigned target, unsigned sample, const uint32_t (*rows)[CB_MAX_LANES],
                         const struct raster_quad *quads, uint32_t quad_count, bool is_block);
void amd_cb_read_raw_block(struct cb *cb, unsigned target, unsigned block, uint32_t (*rows)[CB_MAX_LANES]);

/* How many of the first quads have no pixel twice. */
uint32_t amd_cb_count_apart(const struct raster_quad *quads, uint32_t quad_count);

/* In a lane program: the dwords of a target whose output is not rows, from what the shader exports to it and, for
 * blending, from those of memory. */
struct lane_program;
uint16_t amd_cb_lower(struct lane_program *program, const struct cb_target *target, const uint16_t rows[4],
                      uint16_t stored);
void amd_cb_lower_pairs(struct lane_program *program, const struct cb_target *target, const uint16_t rows[4],
                        const uint16_t stored[2], uint16_t made_out[2]);
/* Of CB_OUTPUT_WORDS and CB_OUTPUT_MIXED (cb_lower_words.c). `second` is NULL where there is no second source; `stored`
 * is looked at by the latter. Dwords that an element does not have are JIT_NONE. */
bool amd_cb_lowers_words(const struct cb_target *target);
/* Whether that is for a program of its own that flushes no denormal numbers: floats of 32 bits that blend. */
bool amd_cb_keeps_denormals(const struct cb_target *target);
void amd_cb_lower_words(struct lane_program *program, const struct cb_target *target, const uint16_t rows[4],
                        const uint16_t second[4], const uint16_t stored[4], uint16_t made_out[4]);

/* Notes the colour backend's accesses for quads, where cb->coherence is set (cb_coherence.c): a draw's, those of
 * expanded ones, those of resolved ones. */
void amd_cb_note(struct cb *cb, const struct raster_quad *quads, uint32_t quad_count);
void amd_cb_note_pass(struct cb *cb, const struct raster_quad *quads, uint32_t quad_count);

/* One colour, as the target's numbers. */
union cb_color {
    float f[4];
    uint32_t u[4];
    int32_t i[4];
};

/* Colours of an export as the target's numbers (cb_export.c). */
void amd_cb_convert(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], union pixel_colors *colors);

/* The fourth of them alone, as amd_cb_convert leaves it in `f`. */
void amd_cb_convert_alpha(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES],
                          float alphas[CB_MAX_LANES]);

/* Converts numbers clamped to between 0 and 1, of a target with floats. */
void amd_cb_convert_unit(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES],
                         union pixel_colors *colors);

/* Elements of a target that is bytes4: from an export, from colours, and back to colours. */
void amd_cb_convert_bytes4(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], uint32_t *codes);
void amd_cb_pack_bytes4(const struct cb_target *target, const union pixel_colors *colors, uint32_t *codes);
void amd_cb_unpack_bytes4(const struct cb_target *target, const uint32_t *codes, union pixel_colors *colors);

#endif
