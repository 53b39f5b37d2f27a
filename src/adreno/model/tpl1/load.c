/* isam, isaml and isamm: texels by integers, without a filter; queries of descriptors. A texel outside of the image
 * reads as one whose bytes are zero. */
#include "adreno/model/tpl1/unit.h"

#include <string.h>

#include "util/bits.h"

static const uint32_t zero_row[LANES_MAX];

struct texels_at {
    struct tex_rows rows;
    uint64_t inside; /* active lanes whose texel is in the image */
    uint8_t level[LANES_MAX];
};

static const uint32_t *add_offset(struct tpl1_unit *u, const uint32_t *row, const uint32_t *offset, int32_t number)
{
    uint32_t *to = u->rows[u->rows_used++];
    for (unsigned i = 0; i < LANES_MAX; i++)
        to[i] = row[i] + (offset ? offset[i] : 0) + (uint32_t)number;
    return to;
}

/* The instruction's registers to rows; `lod` may be NULL. */
static void take_operands(struct tpl1_unit *u, struct texels_at *at, const uint32_t **lod_out)
{
    const struct tpl1_request *request = u->request;
    unsigned count = adreno_tpl1_coordinates(request), n = count, second = 0;
    const uint32_t *coord[3] = {zero_row, zero_row, zero_row};
    for (unsigned i = 0; i < count; i++)
        coord[i] = adreno_tpl1_source(u, &request->src0, i, false);
    if (request->is_shadow)
        n++;
    if (request->is_array)
        coord[2] = adreno_tpl1_source(u, &request->src0, n++, false);
    const uint32_t *sample = request->op == TPL1_ISAMM ? adreno_tpl1_source(u, &request->src0, n, false) : zero_row;
    if (request->has_immediate)
        coord[0] = add_offset(u, coord[0], NULL, request->immediate);
    if (request->has_offsets && !request->has_immediate) {
        unsigned axes = MAX2(count, 2u);
        for (unsigned i = 0; i < axes; i++, second++)
            coord[i] = add_offset(u, coord[i], adreno_tpl1_source(u, &request->src1, second, false), 0);
    }
    *lod_out = request->op == TPL1_ISAML ? adreno_tpl1_source(u, &request->src1, second, false) : NULL;
    if (u->image->tex.axes == 1)
        coord[1] = zero_row;
    if (!request->is_array && !u->image->is_3d)
        coord[2] = zero_row;
    at->rows = (struct tex_rows){coord[0], coord[1], coord[2], sample, at->level};
}

/* Of one level in all lanes. */
static uint64_t find_inside_level(const struct tpl1_unit *u, const struct texels_at *at, unsigned level)
{
    const struct tex_image *tex = u->q.image;
    const bool is_buffer = u->image->is_buffer;
    const uint32_t width = is_buffer ? u->image->elements : tex->level[level].width,
                   height = is_buffer ? UINT32_MAX : tex->level[level].height,
                   layers = is_buffer ? UINT32_MAX : u->image->is_3d ? tex->level[level].depth : tex->layers,
                   samples = is_buffer ? UINT32_MAX : 1u << u->image->samples_log2;
    uint32_t inside[LANES_MAX];
    for (unsigned i = 0; i < LANES_MAX; i++)
        inside[i] = -(uint32_t)((at->rows.x[i] < width) & (at->rows.y[i] < height) & (at->rows.z[i] < layers) &
                                (at->rows.sample[i] < samples));
    return lanes_to_mask(inside, LANES_MAX);
}

static void find_inside(struct tpl1_unit *u, struct texels_at *at, const uint32_t *lod)
{
    const struct tex_image *tex = u->q.image;
    uint64_t left = u->q.exec;
    memset(at->level, 0, sizeof(at->level));
    at->inside = 0;
    while (left) {
        const uint32_t level = lod ? lod[__builtin_ctzll(left)] : 0;
        uint64_t same = left;
        bits_foreach (lod && !u->image->is_buffer ? left : 0, i) {
            if (lod[i] != level)
                same &= ~(1ull << i);
            else
                at->level[i] = (uint8_t)level;
        }
        left &= ~same;
        if (u->image->is_buffer || (level <= tex->last_level && level >= tex->min_lod >> 8))
            at->inside |= same & find_inside_level(u, at, u->image->is_buffer ? 0 : level);
    }
}

/* isam.v: elements of the result's size that follow each other from the coordinate on, whatever the format's are. */
static bool fetch_vector(struct tpl1_unit *u, const struct texels_at *at)
{
    const struct tpl1_image *image = u->image;
    static const uint8_t sizes_B[] = {[TPL1_F16] = 2, [TPL1_F32] = 4, [TPL1_U16] = 2, [TPL1_U32] = 4,
                                      [TPL1_S16] = 2, [TPL1_S32] = 4, [TPL1_U8] = 1,  [TPL1_U8_32] = 1};
    unsigned size_B = sizes_B[u->request->type];
    uint64_t end_B = (uint64_t)image->elements * image->element_B;
    uint64_t va = image->base_va + (uint64_t)image->first_element * image->element_B;
    if (!image->is_buffer && !image->is_null)
        return adreno_tpl1_stop(u->tpl1, image, "isam.v from an image that is no buffer");
    if (u->request->type == TPL1_F16) /* the bits of halves already */
        return adreno_tpl1_stop(u->tpl1, image, "isam.v of halves is not implemented");
    uint32_t rows[4][LANES_MAX]; /* the first component's register may be the one with the coordinate */
    memset(rows, 0, sizeof(rows));
    for (unsigned n = 0; n < 4; n++) {
        bits_foreach (u->request->wrmask >> n & 1 ? u->q.exec : 0, i) {
            uint64_t offset_B = ((uint64_t)at->rows.x[i] + n) * size_B;
            if (offset_B + size_B > end_B)
                continue;
            adreno_tpl1_note(u->state->coherence, va + offset_B, size_B, GPU_PERM_READ);
            if (gpu_space_read(u->state->space, va + offset_B, &rows[n][i], size_B) != size_B)
                return adreno_tpl1_stop_fault(u->tpl1, image, va + offset_B);
        }
    }
    for (unsigned n = 0; n < 4; n++)
        adreno_tpl1_return_words(u, n, rows[n]);
    return true;
}

bool adreno_tpl1_fetch(struct tpl1_unit *u)
{
    struct texels_at at;
    union tex_texel texels[LANES_MAX];
    const uint32_t *lod;
    take_operands(u, &at, &lod);
    if (u->request->is_vector)
        return fetch_vector(u, &at);
    if (u->image->is_null) {
        memset(texels, 0, sizeof(texels));
        adreno_tpl1_return(u, texels);
        return true;
    }
    find_inside(u, &at, lod);
    bool is_found = u->image->format.is_video
                        ? adreno_tpl1_video(u->tpl1, u->state, u->image, &at.rows, at.inside, texels)
                        : adreno_tpl1_texels(u->tpl1, u->state, u->image, &at.rows, at.inside, texels);
    if (!is_found)
        return false;
    adreno_tpl1_return(u, texels);
    return true;
}

/* ---- queries ---- */

static void get_size(struct tpl1_unit *u)
{
    const struct tex_image *tex = u->q.image;
    const uint32_t *lod = adreno_tpl1_source(u, &u->request->src0, 0, false);
    uint32_t rows[4][LANES_MAX];
    memset(rows, 0, sizeof(rows));
    for (unsigned i = 0; i < LANES_MAX && !u->image->is_null; i++) {
        unsigned level = MIN2(lod[i], 31u);
        rows[0][i] = MAX2(tex->level[0].width >> level, 1u);
        rows[1][i] = MAX2(tex->level[0].height >> level, 1u);
        rows[2][i] = MAX2(tex->level[0].depth >> level, 1u);
        rows[3][i] = tex->is_cube ? tex->layers / 6 : tex->layers;
    }
    for (unsigned n = 0; n < 4; n++)
        adreno_tpl1_return_words(u, n, rows[n]);
}

static void return_same(struct tpl1_unit *u, const uint32_t values[4])
{
    for (unsigned n = 0; n < 4; n++) {
        uint32_t row[LANES_MAX];
        lanes_splat(row, values[n], LANES_MAX);
        adreno_tpl1_return_words(u, n, row);
    }
}

/* The place of a sample, from the middle of its pixel. */
static void get_pos(struct tpl1_unit *u, bool is_rasteriser)
{
    const uint32_t *sample = adreno_tpl1_source(u, &u->request->src0, 0, false);
    uint32_t rows[4][LANES_MAX];
    memset(rows, 0, sizeof(rows));
    for (unsigned i = 0; i < LANES_MAX; i++) {
        const uint8_t *place = is_rasteriser ? u->state->sample_pos[sample[i] & 7]
                                             : adreno_tpl1_sample_pos(u->image->samples_log2, sample[i]);
        rows[0][i] = float_bits((float)place[0] / 16 - 0.5f);
        rows[1][i] = float_bits((float)place[1] / 16 - 0.5f);
    }
    for (unsigned n = 0; n < 4; n++)
        adreno_tpl1_return_words(u, n, rows[n]);
}

bool adreno_tpl1_query(struct tpl1_unit *u)
{
    const struct tpl1_image *image = u->image;
    switch (u->request->op) {
    case TPL1_GETSIZE:
        if (image->is_buffer)
            return_same(u, (uint32_t[4]){image->elements, 1, 1, 1});
        else
            get_size(u);
        return true;
    case TPL1_GETBUF:
        return_same(u, (uint32_t[4]){image->elements, 0, 0, 0});
        return true;
    case TPL1_GETINFO:
        if (u->request->wrmask & 3)
            return adreno_tpl1_stop(u->tpl1, image, "the first two components of getinfo are not known");
        return_same(u, (uint32_t[4]){0, 0, image->is_null ? 0 : image->tex.last_level + 1u,
                                     image->is_null ? 0 : 1u << image->samples_log2});
        return true;
    case TPL1_RGETINFO:
        return_same(u, (uint32_t[4]){0, 0, 0, u->state->samples});
        return true;
    default:
        get_pos(u, u->request->op == TPL1_RGETPOS);
        return true;
    }
}
