/* The texture unit of a wave: image instructions. An instruction goes through these steps, each for all lanes:
 *
 *   ta_request.c   its operands: registers, descriptors; coordinates as model/texture wants them; ta_again.c, if they
 *                  are those of the last time
 *   model/texture  level of detail, texels and weights of footprints, filters
 *   td_locate.c    where texels are: tiling, metadata, permissions; td_rows.c where they lie in rows, td_tile.c where
 *                  they are a square, td_place.c for the tables of samples
 *   td_fetch.c     texels from memory: format, border
 *   td_return.c    swizzle, dmask, 16-bit data, registers
 *
 * ta_sample.c and ta_load.c are the instructions made of them. Not for: typed buffers (ta_buffer.c), rays
 * (ta_ray.c). */
#ifndef AMD_MODEL_TA_H
#define AMD_MODEL_TA_H

#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_texture.h"
#include "amd/model/texture/ta_state.h"
#include "amd/model/texture/tc_image.h"
#include "isa/lane_env.h"
#include "model/texture/texture.h"

/* Facts that the name of an instruction says and its properties do not: bits of uop->imm. */
enum ta_flag {
    TA_LEVEL_ZERO = 1 << 0, /* _lz */
    TA_PACKED = 1 << 1,     /* _pck: the bits of memory, not numbers */
    TA_SIGNED = 1 << 2,     /* _sgn */
};

/* The field `dim` of an instruction. */
enum ta_dim {
    TA_DIM_1D,
    TA_DIM_2D,
    TA_DIM_3D,
    TA_DIM_CUBE,
    TA_DIM_1D_ARRAY,
    TA_DIM_2D_ARRAY,
    TA_DIM_2D_MSAA,
    TA_DIM_2D_MSAA_ARRAY,
};

#define TA_MAX_WORDS 16

/* The operands of one instruction. Rows of floats and of integers are the registers themselves unless they had to be
 * widened. */
struct ta_request {
    struct tex_query q; /* first: model/texture hands it back */
    struct sq_wave *wave;
    const struct sq_uop *uop;
    const struct isa_op_info *info;
    struct tc_cache *cache;
    const struct tc_image *image;
    const struct tc_sampler *sampler_descriptor;
    bool has_layer; /* a coordinate for the layer, or the face of a cube */
    bool has_sample;

    const uint32_t *coord[3];
    const uint32_t *layer, *sample;
    uint32_t nonresident[LANES_MAX]; /* TFE: which lanes touched memory that is not resident */
    uint32_t wide[TA_MAX_WORDS][LANES_MAX];
};

/* The register of an address word: one after the other, or each named by the instruction. */
static inline const uint32_t *ta_address_row(const struct sq_wave *wave, const struct isa_inst *inst, unsigned n)
{
    unsigned vgpr = inst->mem.nsa && n ? inst->mem.nsa_addr[n - 1] : inst->operands[1].value + n;
    return wave->vgpr + (size_t)vgpr * wave->lanes;
}

/* A full wave does not keep its lanes. */
extern const uint32_t amd_ta_all_lanes[LANES_MAX];
static inline const uint32_t *ta_exec_lanes(const struct sq_wave *wave)
{
    return wave->exec_full ? amd_ta_all_lanes : wave->exec_lanes;
}

/* False: the wave has stopped. */
bool amd_ta_request_init(struct ta_request *r, struct sq_wave *wave, const struct sq_uop *uop, bool is_float);
/* The part of it that lanes have of their own. */
void amd_ta_take_address(struct ta_request *r, bool is_float);

/* Coordinates of samples. */
void amd_ta_coords_init(struct tex_coords *c, const struct ta_request *r);

/* A sample by what was kept when the instruction last had these descriptors; and what to keep: `is_direct`, of one
 * whose results are registers as they are. */
enum tex_again_end amd_ta_again(struct sq_wave *wave, const struct sq_uop *uop);
void amd_ta_again_keep(const struct ta_request *r, bool is_direct);

extern const struct tex_ops amd_ta_ops;

struct td_places {
    uint8_t *at[LANES_MAX]; /* stays what it was where a texel reads zero and drops writes */
    uint64_t constants;     /* lanes of which metadata says what they are: */
    union tex_texel constant[LANES_MAX];
};
/* False: the wave has stopped. */
bool amd_td_locate(struct td_places *out, struct ta_request *r, const struct tex_rows *rows, uint64_t lanes,
                   unsigned need);

/* All texels of a wave at once, where they lie in rows of eight (td_rows.c). False: they do not, or each texel must be
 * looked at; nothing has been done. */
struct td_wave {
    uint8_t *host;
    uint32_t offset[LANES_MAX]; /* from `host` */
    unsigned run;               /* so many lanes from a multiple of it are neighbours in memory, too: 1, 2, 4 or 8 */
};
bool amd_td_locate_wave(struct td_wave *out, struct ta_request *r, unsigned need);
/* Elements of four bytes. */
void amd_td_load_words(uint32_t *row, const struct td_wave *at, unsigned lanes);
void amd_td_store_words(const uint32_t *row, const struct td_wave *at, unsigned lanes);

/* Metadata of a texel (tc_meta.c). */
enum td_meta {
    TD_META_PLAIN,    /* memory holds it */
    TD_META_CONSTANT, /* *texel_out */
    TD_META_SINGLE,   /* the first element of its 256 bytes stands for all */
    TD_META_STOP,     /* already reported */
};

/* All texels of a wave that is a square of 8 by 8 (td_tile.c). False: it is not, or each texel must be looked at;
 * nothing has been done. */
struct td_tile {
    const struct tc_tile *shape;
    uint8_t *host; /* of the block; where `meta` is SINGLE, of the element */
    uint32_t corner_B;
    enum td_meta meta;
    union tex_texel constant;
};
bool amd_td_find_tile(struct td_tile *out, struct ta_request *r, unsigned need);
/* Elements of 1, 2, 4, 8 or 16 bytes as dwords, or as one that is wider; not of a constant. */
void amd_td_load_tile(uint32_t (*rows)[LANES_MAX], const struct td_tile *tile, unsigned element_B, unsigned lanes);
void amd_td_store_tile(const uint32_t *const rows[4], const struct td_tile *tile, unsigned element_B, unsigned lanes);

/* Codes of FMASK have four bits per sample in registers, however many they have in memory; LANES_MAX of them at
 * most. */
void amd_td_spread_fmask(const struct tc_format *f, uint32_t *codes, unsigned count);

/* The host's address of bytes that may be many. NULL: the GPU may not access all of them as `need` says, or so many
 * that one had better look at each texel. */
uint8_t *amd_td_span(const struct ta_request *r, uint64_t va, uint64_t size_B, unsigned need);

/* Elements of a format that is not compressed to texels; with the sRGB curve, if the format has it. */
void amd_td_decode(union tex_texel *out, const struct tc_format *f, const void *const *at, unsigned count);

/* The texel at (x, y) of the image, out of the compressed block that it is in. False: the wave has stopped. */
bool amd_td_decode_block(union tex_texel *out, struct ta_request *r, enum format format, const void *block, uint32_t x,
                         uint32_t y);

/* The place of a texel that reads as zero. */
extern const uint8_t amd_td_zeros[16];

#define TD_DCC_PIECE_B 256 /* that one code of DCC describes */

/* tc_meta.c */
enum td_meta amd_tc_meta_read(union tex_texel *texel_out, struct ta_request *r, uint32_t x, uint32_t y, uint32_t z,
                              uint32_t sample, unsigned level);

/* To be called before a texel is overwritten: afterwards memory holds it. False: the wave has stopped. */
bool amd_tc_meta_expand(struct ta_request *r, uint32_t x, uint32_t y, uint32_t z, uint32_t sample, unsigned level);

/* Functions of amd_ta_ops (td_place.c). */
bool amd_td_layout(struct tex_query *q, uint64_t *base_va_out);
struct tex_place amd_td_place(struct tex_query *q, unsigned level, unsigned axis, uint32_t at);
/* And tc_meta.c: nothing is reported. */
enum tex_piece amd_tc_meta_look(struct tex_query *q, unsigned level, uint32_t x, uint32_t y, uint32_t slice,
                                uint8_t *element);

/* Swizzle and write the result registers (td_return.c). */
void amd_td_return(const struct ta_request *r, const union tex_texel *texels);
void amd_td_return_bytes(const struct ta_request *r, const uint32_t *codes); /* of format.is_bytes; not 16-bit data */
void amd_td_return_same_bytes(const struct ta_request *r, uint32_t code);
void amd_td_return_row(const struct ta_request *r, uint32_t *to,
                       const uint32_t *row);                                          /* active lanes of one register */
void amd_td_return_rows(const struct ta_request *r, const struct tex_result *result); /* X, Y, Z and W */
void amd_td_return_gather(const struct ta_request *r, union tex_texel (*texels)[LANES_MAX]);
void amd_td_return_residency(const struct ta_request *r);
/* A store's data as the channels of memory: in the lanes of a mask, or as rows where data has 32 bits. */
void amd_td_take(const struct ta_request *r, uint64_t lanes, union tex_texel *texels);
void amd_td_take_rows(const struct ta_request *r, const uint32_t *rows[4]);

void amd_ta_sample(struct sq_wave *wave, const struct sq_uop *uop);
void amd_ta_get_lod(struct sq_wave *wave, const struct sq_uop *uop);
void amd_ta_load(struct sq_wave *wave, const struct sq_uop *uop);
void amd_ta_store(struct sq_wave *wave, const struct sq_uop *uop);
void amd_ta_atomic(struct sq_wave *wave, const struct sq_uop *uop);
void amd_ta_get_resinfo(struct sq_wave *wave, const struct sq_uop *uop);
void amd_ta_buffer_format(struct sq_wave *wave, const struct sq_uop *uop);
void amd_ta_ray(struct sq_wave *wave, const struct sq_uop *uop);

/* The texture unit rounds to nearest and keeps denormals, whatever the wave's mode is. Between the two no arithmetic,
 * only calls. */
#if defined(__aarch64__)
#define TA_ENV 0ull
#else
#define TA_ENV 0x1f80ull
#endif

static inline void ta_env_enter(const struct sq_wave *wave)
{
    if (wave->env_f32 != TA_ENV)
        lane_env_set(TA_ENV);
}

static inline void ta_env_leave(const struct sq_wave *wave)
{
    if (wave->env_f32 != TA_ENV)
        lane_env_set(wave->env_f32);
}

#endif
