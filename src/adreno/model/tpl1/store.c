/* Images and buffers of category 6 (IBO): loads, stores, places for atomics, sizes. Integer coordinates, no sampler. */
#include "adreno/model/tpl1/unit.h"

#include <string.h>

#include "adreno/model/ubwc/ubwc.h"
#include "util/bits.h"
#include "util/half.h"

static const uint32_t zero_row[LANES_MAX];

/* One half of a wave. */
struct part {
    struct tpl1 *tpl1;
    const struct tpl1_state *state;
    const struct tpl1_access *access;
    const struct tpl1_image *image;
    unsigned first_lane;
    uint64_t lanes;  /* active */
    uint64_t inside; /* of which texels are in the image */
    struct tex_rows rows;
    uint32_t coord[3][LANES_MAX];
    uint8_t level[LANES_MAX];
};

static bool is_half_type(unsigned type)
{
    return type == TPL1_F16 || type == TPL1_U16 || type == TPL1_S16 || type == TPL1_U8;
}

static unsigned type_size_B(unsigned type)
{
    return type == TPL1_U8 || type == TPL1_U8_32 ? 1 : is_half_type(type) ? 2 : 4;
}

/* Register n of rows, as it is. */
static void read_row(uint32_t *to, const struct tpl1_rows *from, unsigned n, unsigned first_lane)
{
    if (!from->is_half) {
        memcpy(to, from->row + (size_t)n * from->stride_dw + first_lane, LANES_MAX * sizeof(*to));
        return;
    }
    const unsigned half = n + from->is_high, shift = half % 2 * 16;
    const uint32_t *row = from->row + (size_t)(half / 2) * from->stride_dw + first_lane;
    for (unsigned i = 0; i < LANES_MAX; i++)
        to[i] = row[i] >> shift & 0xffff;
}

static void write_row(const struct tpl1_rows *rows, unsigned n, unsigned first_lane, uint64_t lanes,
                      const uint32_t *values)
{
    const unsigned half = n + rows->is_high, shift = half % 2 * 16;
    uint32_t *to = rows->row + (size_t)(rows->is_half ? half / 2 : n) * rows->stride_dw + first_lane;
    uint32_t keep = rows->is_half ? ~(0xffffu << shift) : 0;
    bits_foreach (lanes, i)
        to[i] = rows->is_half ? (to[i] & keep) | (values[i] & 0xffff) << shift : values[i];
}

/* ---- coordinates ---- */

static void take_coordinates(struct part *p)
{
    const struct tpl1_access *access = p->access;
    const struct tpl1_image *image = p->image;
    /* A layer is the last coordinate of an array; one-dimensional images have no y. */
    bool is_flat = image->tex.axes == 1;
    for (unsigned i = 0; i < access->coordinates && i < 3; i++)
        read_row(p->coord[i], &access->coord, i, p->first_lane);
    for (unsigned i = 0; i < LANES_MAX && access->offset; i++)
        p->coord[0][i] += (uint32_t)access->offset;
    p->rows = (struct tex_rows){
        .x = p->coord[0],
        .y = !is_flat && access->coordinates > 1 ? p->coord[1] : zero_row,
        .z = is_flat && access->coordinates > 1 ? p->coord[1]
             : access->coordinates > 2          ? p->coord[2]
                                                : zero_row,
        .sample = zero_row,
        .level = p->level,
    };
    memset(p->level, 0, sizeof(p->level));
}

static void find_inside(struct part *p)
{
    const struct tex_image *tex = &p->image->tex;
    const bool is_buffer = p->image->is_buffer;
    const uint32_t width = is_buffer ? p->image->elements : tex->level[0].width,
                   height = is_buffer ? UINT32_MAX : tex->level[0].height,
                   layers = is_buffer ? UINT32_MAX : p->image->is_3d ? tex->level[0].depth : tex->layers;
    uint32_t inside[LANES_MAX];
    for (unsigned i = 0; i < LANES_MAX; i++)
        inside[i] = -(uint32_t)((p->rows.x[i] < width) & (p->rows.y[i] < height) & (p->rows.z[i] < layers));
    p->inside = p->image->is_null ? 0 : lanes_to_mask(inside, LANES_MAX) & p->lanes;
}

/* False: stopped. */
static bool begin_part(struct part *p, struct tpl1 *tpl1, const struct tpl1_state *state,
                       const struct tpl1_access *access, unsigned half)
{
    *p = (struct part){.tpl1 = tpl1, .state = state, .access = access, .first_lane = half * 64};
    p->lanes = access->active.bits[half];
    p->image = adreno_tpl1_image_get(tpl1->cache, state, access->words);
    if (!p->image)
        return adreno_tpl1_stop(tpl1, NULL, "the host has no memory for a descriptor");
    if (p->image->problem)
        return adreno_tpl1_stop(tpl1, p->image, p->image->problem);
    if (p->image->format.is_video)
        return adreno_tpl1_stop(tpl1, p->image, "an image of a video format");
    if (!access->is_typed && !p->image->is_buffer && !p->image->is_null)
        return adreno_tpl1_stop(tpl1, p->image, "an untyped access to an image that is no buffer");
    if (p->image->is_buffer && access->coordinates > 1)
        return adreno_tpl1_stop(tpl1, p->image, "a buffer of structures is not implemented");
    take_coordinates(p);
    find_inside(p);
    return true;
}

/* ---- elements of a buffer that follow each other, without a format ---- */

/* Where element n after a lane's is; NULL: outside. */
static bool untyped_at(struct part *p, unsigned lane, unsigned n, unsigned size_B, unsigned need, uint8_t **at_out)
{
    const struct tpl1_image *image = p->image;
    uint64_t offset_B = ((uint64_t)p->rows.x[lane] + n) * size_B, end_B = (uint64_t)image->elements * image->element_B;
    *at_out = NULL;
    if (offset_B + size_B > end_B)
        return true;
    uint64_t va = image->base_va + (uint64_t)image->first_element * image->element_B + offset_B;
    void *host = gpu_space_pointer(p->state->space, va, size_B, need);
    adreno_tpl1_note(p->state->coherence, va, size_B, need);
    if (!host && gpu_space_resolve(p->state->space, va, size_B, need, &host) == GPU_ACCESS_FAULT)
        return adreno_tpl1_stop_fault(p->tpl1, image, va);
    *at_out = host;
    return true;
}

static bool load_untyped(struct part *p)
{
    unsigned size_B = type_size_B(p->access->type);
    for (unsigned n = 0; n < p->access->components; n++) {
        uint32_t row[LANES_MAX] = {0};
        bits_foreach (p->lanes, i) {
            uint8_t *at;
            if (!untyped_at(p, (unsigned)i, n, size_B, GPU_PERM_READ, &at))
                return false;
            if (at)
                memcpy(&row[i], at, size_B);
        }
        write_row(&p->access->data, n, p->first_lane, p->lanes, row);
    }
    return true;
}

static bool store_untyped(struct part *p)
{
    unsigned size_B = type_size_B(p->access->type);
    for (unsigned n = 0; n < p->access->components; n++) {
        uint32_t row[LANES_MAX];
        read_row(row, &p->access->data, n, p->first_lane);
        bits_foreach (p->lanes, i) {
            uint8_t *at;
            if (!untyped_at(p, (unsigned)i, n, size_B, GPU_PERM_WRITE, &at))
                return false;
            if (at)
                memcpy(at, &row[i], size_B);
        }
    }
    return true;
}

/* ---- texels ---- */

static bool load_typed(struct part *p)
{
    const struct tpl1_image *image = p->image;
    union tex_texel texels[LANES_MAX];
    if (image->is_null)
        memset(texels, 0, sizeof(texels));
    else if (!adreno_tpl1_texels(p->tpl1, p->state, image, &p->rows, p->inside, texels))
        return false;
    for (unsigned n = 0; n < p->access->components; n++) {
        uint32_t row[LANES_MAX];
        unsigned from = image->swizzle[n];
        uint32_t one = image->tex.is_float ? float_bits(1) : 1, constant = from == ADRENO_TEX_SWIZ_ONE ? one : 0;
        for (unsigned i = 0; i < LANES_MAX; i++) {
            row[i] = from <= ADRENO_TEX_SWIZ_W ? texels[i].u[from] : constant;
            if (p->access->type == TPL1_F16)
                row[i] = float_to_half_rtne(bits_float(row[i]));
        }
        write_row(&p->access->data, n, p->first_lane, p->lanes, row);
    }
    return true;
}

/* A register's bits as a component of a texel. */
static uint32_t widen_bits(unsigned type, uint32_t bits)
{
    switch (type) {
    case TPL1_F16:
        return float_bits(half_to_float((uint16_t)bits));
    case TPL1_S16:
        return (uint32_t)(int32_t)(int16_t)bits;
    case TPL1_U16:
        return bits & 0xffff;
    default:
        return bits;
    }
}

static void store_texels(const struct tpl1_format *f, uint8_t *const *at, const union tex_texel *texels, unsigned count)
{
    if (f->kind == TPL1_KIND_FLOAT)
        f->codec->store_float((void *const *)at, (const float(*)[4])texels, count);
    else if (f->kind == TPL1_KIND_UINT)
        f->codec->store_uint((void *const *)at, (const uint32_t(*)[4])texels, count);
    else
        f->codec->store_sint((void *const *)at, (const int32_t(*)[4])texels, count);
}

/* Texels that are stored are not compressed: their blocks' flags say so. Several workers may write the same flag. */
static bool mark_plain(struct part *p)
{
    const struct tpl1_image *image = p->image;
    if (!image->flag_va)
        return true;
    bits_foreach (p->inside, i) {
        uint64_t va = image->flag_va + p->rows.z[i] * image->flag_layer_B +
                      (uint64_t)(p->rows.y[i] / image->flag_h) * image->flag_pitch_B + p->rows.x[i] / image->flag_w;
        uint8_t *flag = gpu_space_pointer(p->state->space, va, 1, GPU_PERM_WRITE);
        if (!flag)
            return adreno_tpl1_stop_fault(p->tpl1, image, va);
        __atomic_store_n(flag, ADRENO_UBWC_PLAIN, __ATOMIC_RELAXED);
    }
    return true;
}

static bool store_typed(struct part *p)
{
    const struct tpl1_format *f = &p->image->format;
    uint8_t *at[LANES_MAX];
    union tex_texel texels[LANES_MAX];
    if (!p->inside)
        return true;
    if (f->is_compressed || f->is_z24s8_uint)
        return adreno_tpl1_stop(p->tpl1, p->image, "a store to a format that cannot be written");
    memset(at, 0, sizeof(at));
    memset(texels, 0, sizeof(texels));
    if (!adreno_tpl1_locate_lanes(p->tpl1, p->state, p->image, &p->rows, p->inside, GPU_PERM_WRITE, at))
        return false;
    for (unsigned n = 0; n < p->access->components; n++) {
        uint32_t row[LANES_MAX];
        if (f->order[n] >= TPL1_ORDER_ZERO)
            continue;
        read_row(row, &p->access->data, n, p->first_lane);
        const unsigned to = f->order[n];
        for (unsigned i = 0; i < LANES_MAX; i++)
            texels[i].u[to] = is_half_type(p->access->type) ? widen_bits(p->access->type, row[i]) : row[i];
    }
    unsigned count = 0; /* lanes that have a place come to the front */
    while (count < LANES_MAX && at[count])
        count++;
    bits_foreach (count < LANES_MAX ? p->inside & ~bits_mask(count) : 0, i) {
        if (!at[i])
            continue;
        at[count] = at[i];
        texels[count++] = texels[i];
    }
    store_texels(f, at, texels, count);
    return mark_plain(p);
}

/* ---- entries ---- */

bool adreno_tpl1_load(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_access *access)
{
    tpl1->has_problem = tpl1->is_fault = false;
    for (unsigned half = 0; half < access->lanes / 64; half++) {
        struct part p;
        if (!access->active.bits[half])
            continue;
        if (!begin_part(&p, tpl1, state, access, half) || !(access->is_typed ? load_typed(&p) : load_untyped(&p)))
            return false;
    }
    return true;
}

bool adreno_tpl1_store(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_access *access)
{
    tpl1->has_problem = tpl1->is_fault = false;
    for (unsigned half = 0; half < access->lanes / 64; half++) {
        struct part p;
        if (!access->active.bits[half])
            continue;
        if (!begin_part(&p, tpl1, state, access, half) || !(access->is_typed ? store_typed(&p) : store_untyped(&p)))
            return false;
    }
    return true;
}

bool adreno_tpl1_locate(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_access *access,
                        unsigned size_B, uint8_t *at_out[LANE_MASK_LANES])
{
    const unsigned need = GPU_PERM_READ | GPU_PERM_WRITE;
    tpl1->has_problem = tpl1->is_fault = false;
    for (unsigned half = 0; half < access->lanes / 64; half++) {
        struct part p;
        if (!access->active.bits[half])
            continue;
        if (!begin_part(&p, tpl1, state, access, half))
            return false;
        bits_foreach (p.lanes, i)
            at_out[p.first_lane + i] = NULL;
        if (!access->is_typed) {
            bits_foreach (p.lanes, i) {
                if (!untyped_at(&p, (unsigned)i, 0, size_B, need, &at_out[p.first_lane + i]))
                    return false;
            }
            continue;
        }
        if (p.inside && p.image->format.element_B != size_B)
            return adreno_tpl1_stop(tpl1, p.image, "an atomic on texels of another size");
        if (!adreno_tpl1_locate_lanes(tpl1, state, p.image, &p.rows, p.inside, need, at_out + p.first_lane) ||
            !mark_plain(&p))
            return false;
    }
    return true;
}

bool adreno_tpl1_buffer(struct tpl1 *tpl1, const struct tpl1_state *state, const uint32_t *words,
                        struct tpl1_buffer *buffer_out)
{
    const struct tpl1_image *image = adreno_tpl1_image_get(tpl1->cache, state, words);
    if (!image || image->problem || image->is_null || !image->is_buffer || image->format.is_video)
        return false;
    buffer_out->va = image->base_va + (uint64_t)image->first_element * image->element_B;
    buffer_out->size_B = (uint64_t)image->elements * image->element_B;
    buffer_out->is_dwords = (image->format.format == FORMAT_R32_UINT || image->format.format == FORMAT_R32_SINT) &&
                            image->format.in_order && image->swizzle[0] == ADRENO_TEX_SWIZ_X;
    return true;
}

bool adreno_tpl1_size(struct tpl1 *tpl1, const struct tpl1_state *state, const uint32_t *words, uint32_t size_out[3])
{
    tpl1->has_problem = tpl1->is_fault = false;
    const struct tpl1_image *image = adreno_tpl1_image_get(tpl1->cache, state, words);
    if (!image)
        return adreno_tpl1_stop(tpl1, NULL, "the host has no memory for a descriptor");
    if (image->problem)
        return adreno_tpl1_stop(tpl1, image, image->problem);
    const struct tex_image *tex = &image->tex;
    size_out[0] = image->is_buffer ? image->elements : tex->level[0].width;
    size_out[1] = tex->axes == 1 ? tex->layers : tex->level[0].height; /* layers come after the last axis */
    size_out[2] = image->is_3d ? tex->level[0].depth : tex->layers;
    if (image->is_null)
        size_out[0] = size_out[1] = size_out[2] = 0;
    return true;
}
