/* sam*, gather4 and getlod: operands to a query of model/texture, and its texels to registers. */
#include "adreno/model/tpl1/unit.h"

#include <math.h>
#include <string.h>

#include "adreno/hw/regs_tpl1.h"
#include "util/bits.h"

/* ---- operands ---- */

/* Registers of src0 in their order; NULL: the instruction does not have it. */
struct operands {
    const uint32_t *coord[3];
    const uint32_t *layer, *divisor;
    const uint32_t *grad[2][3];
};

static bool is_gather(unsigned op)
{
    return op >= TPL1_GATHER4R && op <= TPL1_GATHER4A;
}

static void take_src0(struct tpl1_unit *u, struct operands *to)
{
    const struct tpl1_request *request = u->request;
    unsigned count = adreno_tpl1_coordinates(request), n = count;
    memset(to, 0, sizeof(*to));
    for (unsigned i = 0; i < count; i++)
        to->coord[i] = adreno_tpl1_source(u, &request->src0, i, true);
    if (request->is_shadow)
        u->q.compare = adreno_tpl1_source(u, &request->src0, n++, true);
    if (request->is_array)
        to->layer = adreno_tpl1_source(u, &request->src0, n++, true);
    if (request->is_projected)
        to->divisor = adreno_tpl1_source(u, &request->src0, n++, true);
    if (request->op != TPL1_SAMGQ)
        return;
    n = MAX2(n, 4u);
    for (unsigned direction = 0; direction < 2; direction++) {
        for (unsigned i = 0; i < count; i++)
            to->grad[direction][i] = adreno_tpl1_source(u, &request->src0, n++, true);
    }
}

static void take_src1(struct tpl1_unit *u)
{
    const struct tpl1_request *request = u->request;
    unsigned n = 0, axes = request->is_3d && !u->q.image->is_cube ? 3 : 2;
    if (request->has_offsets) {
        for (unsigned i = 0; i < axes; i++, n++)
            u->q.offset[i] = (const int32_t *)adreno_tpl1_source(u, &request->src1, n, false);
    }
    if (request->op == TPL1_SAML)
        u->q.lod = adreno_tpl1_source(u, &request->src1, n, true);
    else if (request->op == TPL1_SAMB)
        u->q.bias = adreno_tpl1_source(u, &request->src1, n, true);
}

static void divide(struct tpl1_unit *u, const uint32_t **row, const uint32_t *divisor)
{
    uint32_t *to = u->rows[u->rows_used++];
    for (unsigned i = 0; i < LANES_MAX; i++)
        to[i] = float_bits(tex_floats(*row)[i] / tex_floats(divisor)[i]);
    *row = to;
}

/* ---- coordinates ---- */

static uint32_t layer_of(float number, uint32_t layers, bool truncates)
{
    number = truncates ? truncf(number) : rintf(number);
    number = number > 0 ? MIN2(number, (float)(layers - 1)) : 0; /* a NaN, too */
    return (uint32_t)number;
}

static void set_layers(struct tpl1_unit *u, struct tex_coords *c, const uint32_t *layer, unsigned faces)
{
    struct adreno_TPL1_MODE_CNTL mode = adreno_unpack_TPL1_MODE_CNTL(u->state->mode);
    bool truncates = mode.ARRAYCOORDROUNDMODE == ADRENO_COORD_ROUND_TRUNCATE;
    uint32_t layers = u->q.image->layers / faces;
    if (!layer) {
        memset(c->slice, 0, sizeof(c->slice));
        return;
    }
    for (unsigned i = 0; i < LANES_MAX; i++)
        c->slice[i] = layer_of(tex_floats(layer)[i], layers, truncates) * faces;
}

/* Derivatives of a direction become those of the face's coordinates, by the rule for quotients. */
static void project_gradients(struct tpl1_unit *u, const struct operands *from, const uint8_t *faces)
{
    for (unsigned direction = 0; direction < 2; direction++) {
        uint32_t *s = u->rows[u->rows_used++], *t = u->rows[u->rows_used++];
        for (unsigned i = 0; i < LANES_MAX; i++) {
            struct tex_direction p = {tex_floats(from->coord[0])[i], tex_floats(from->coord[1])[i],
                                      tex_floats(from->coord[2])[i]};
            struct tex_direction d = {tex_floats(from->grad[direction][0])[i], tex_floats(from->grad[direction][1])[i],
                                      tex_floats(from->grad[direction][2])[i]};
            p = tex_face_axes(faces[i], p);
            d = tex_face_axes(faces[i], d);
            float scale = 0.5f / (p.z * p.z);
            s[i] = float_bits((d.x * p.z - p.x * d.z) * scale);
            t[i] = float_bits((d.y * p.z - p.y * d.z) * scale);
        }
        u->q.grad[direction][0] = s;
        u->q.grad[direction][1] = t;
    }
}

static void init_cube(struct tpl1_unit *u, struct tex_coords *c, const struct operands *from)
{
    uint8_t faces[LANES_MAX];
    set_layers(u, c, from->layer, 6);
    for (unsigned i = 0; i < LANES_MAX; i++) {
        struct tex_direction d = {tex_floats(from->coord[0])[i], tex_floats(from->coord[1])[i],
                                  tex_floats(from->coord[2])[i]};
        float s = 0, t = 0;
        faces[i] = (uint8_t)tex_face_of(d);
        (void)tex_face_coords(faces[i], d, &s, &t);
        c->at[0][i] = (s + 1) / 2;
        c->at[1][i] = (t + 1) / 2;
        c->at[2][i] = 0;
        c->slice[i] += faces[i];
    }
    if (u->request->op == TPL1_SAMGQ)
        project_gradients(u, from, faces);
}

static void init_plain(struct tpl1_unit *u, struct tex_coords *c, const struct operands *from)
{
    set_layers(u, c, from->layer, 1);
    for (unsigned axis = 0; axis < 3; axis++) {
        if (axis < u->q.axes)
            memcpy(c->at[axis], from->coord[axis], sizeof(c->at[axis]));
        else
            memset(c->at[axis], 0, sizeof(c->at[axis]));
        for (unsigned direction = 0; direction < 2; direction++)
            u->q.grad[direction][axis] = axis < u->q.axes ? from->grad[direction][axis] : NULL;
    }
}

static bool init_coords(struct tpl1_unit *u, struct tex_coords *c)
{
    struct operands from;
    const struct tpl1_image *image = u->image;
    take_src0(u, &from);
    take_src1(u);
    u->q.axes = image->is_3d && !u->request->is_3d ? 2 : image->tex.axes;
    u->q.unnormalized = u->tex_sampler.unnormalized;
    u->q.is_level_zero = is_gather(u->request->op);
    if (from.divisor) {
        for (unsigned i = 0; i < adreno_tpl1_coordinates(u->request); i++)
            divide(u, &from.coord[i], from.divisor);
        if (u->q.compare)
            divide(u, &u->q.compare, from.divisor);
    }
    if (!image->tex.is_cube)
        init_plain(u, c, &from);
    else if (u->request->is_3d)
        init_cube(u, c, &from);
    else
        return adreno_tpl1_stop(u->tpl1, image, "a cube sampled with two coordinates");
    return true;
}

/* ---- the family's part of a query ---- */

static bool fetch(struct tex_query *q, union tex_texel out[LANES_MAX], const struct tex_rows *rows, uint64_t lanes)
{
    struct tpl1_unit *u = (struct tpl1_unit *)q;
    if (u->is_chroma)
        return adreno_tpl1_chroma(u->tpl1, u->state, u->image, rows, lanes, out);
    if (u->image->format.is_video)
        return adreno_tpl1_video(u->tpl1, u->state, u->image, rows, lanes, out);
    return adreno_tpl1_texels(u->tpl1, u->state, u->image, rows, lanes, out);
}

static union tex_texel fast_border(const struct tpl1_unit *u)
{
    const uint32_t one = u->q.image->is_float ? float_bits(1) : 1;
    uint32_t color = u->sampler->fast_border & 2 ? one : 0, alpha = u->sampler->fast_border & 1 ? one : 0;
    return (union tex_texel){.u = {color, color, color, alpha}};
}

/* The table has a colour in many forms; the first is exact for all. What a format cannot hold becomes what it can. */
static bool table_border(struct tpl1_unit *u, union tex_texel *out)
{
    uint64_t va = u->state->border_va + u->sampler->border * (uint64_t)sizeof(uint32_t[32]);
    adreno_tpl1_note(u->state->coherence, va, sizeof(*out), GPU_PERM_READ);
    if (gpu_space_read(u->state->space, va, out, sizeof(*out)) != sizeof(*out))
        return adreno_tpl1_stop_fault(u->tpl1, u->image, va);
    unsigned numeric = u->image->format.numeric;
    bool is_signed = numeric == FORMAT_NUMERIC_SNORM;
    if (!is_signed && numeric != FORMAT_NUMERIC_UNORM && numeric != FORMAT_NUMERIC_SRGB)
        return true;
    for (unsigned n = 0; n < 4; n++)
        out->f[n] = out->f[n] > (is_signed ? -1.0f : 0.0f) ? MIN2(out->f[n], 1.0f) : is_signed ? -1.0f : 0.0f;
    return true;
}

static bool find_border(struct tex_query *q, union tex_texel *out)
{
    struct tpl1_unit *u = (struct tpl1_unit *)q;
    const uint32_t one = q->image->is_float ? float_bits(1) : 1;
    if (u->sampler->has_fast_border)
        *out = fast_border(u);
    else if (!table_border(u, out))
        return false;
    for (unsigned n = 0; n < 4; n++) {
        if (!(u->image->format.present >> n & 1))
            out->u[n] = n == 3 ? one : 0;
    }
    return true;
}

#define SPAN_MAX_B (32u << 20) /* beyond that, looking at every page costs more than looking at every texel */

/* Offsets of all taps. */
struct span {
    uint32_t offset[4][LANES_MAX];
};

static void find_tiled(struct span *to, const struct adreno_tile *tile, const struct tex_pairs *x,
                       const struct tex_pairs *y, unsigned taps)
{
    for (unsigned i = 0; i < LANES_MAX; i++) {
        uint32_t x0 = (uint32_t)adreno_tile_x_B(tile, (uint32_t)x->first[i]),
                 y0 = (uint32_t)adreno_tile_y_B(tile, (uint32_t)y->first[i]),
                 row0 = (uint32_t)adreno_tile_row_B(tile, (uint32_t)y->first[i]);
        to->offset[0][i] = (x0 ^ y0) + row0;
        if (taps == 1)
            continue;
        uint32_t x1 = (uint32_t)adreno_tile_x_B(tile, (uint32_t)x->second[i]),
                 y1 = (uint32_t)adreno_tile_y_B(tile, (uint32_t)y->second[i]),
                 row1 = (uint32_t)adreno_tile_row_B(tile, (uint32_t)y->second[i]);
        to->offset[1][i] = (x1 ^ y0) + row0;
        to->offset[2][i] = (x0 ^ y1) + row1;
        to->offset[3][i] = (x1 ^ y1) + row1;
    }
}

static void find_linear(struct span *to, uint32_t pitch_B, const struct tex_pairs *x, const struct tex_pairs *y)
{
    LANES_INDEPENDENT
    for (unsigned i = 0; i < LANES_MAX; i++) {
        uint32_t x0 = (uint32_t)x->first[i] * 4, x1 = (uint32_t)x->second[i] * 4, y0 = (uint32_t)y->first[i] * pitch_B,
                 y1 = (uint32_t)y->second[i] * pitch_B;
        to->offset[0][i] = x0 + y0;
        to->offset[1][i] = x1 + y0;
        to->offset[2][i] = x0 + y1;
        to->offset[3][i] = x1 + y1;
    }
}

static bool load_plane(struct tex_query *q, struct tex_words *to, const struct tex_pairs *x, const struct tex_pairs *y,
                       uint32_t slice, unsigned level, unsigned taps)
{
    struct tpl1_unit *u = (struct tpl1_unit *)q;
    const struct tpl1_level *at = &u->image->level[level];
    struct span span;
    if (u->state->coherence)
        return false; /* texel by texel */
    if (at->is_tiled)
        find_tiled(&span, &at->tile, x, y, taps);
    else
        find_linear(&span, at->pitch_B, x, y);
    uint32_t low = UINT32_MAX, high = 0;
    for (unsigned tap = 0; tap < taps; tap++) {
        for (unsigned i = 0; i < LANES_MAX; i++) {
            low = MIN2(low, span.offset[tap][i]);
            high = MAX2(high, span.offset[tap][i]);
        }
    }
    if (high - low > SPAN_MAX_B)
        return false;
    uint64_t va = u->image->base_va + at->offset_B + slice * at->slice_B;
    const uint8_t *host = gpu_space_whole(u->state->space, va + low, (uint64_t)high - low + 4, GPU_PERM_READ);
    if (!host)
        return false;
    host -= low;
    for (unsigned tap = 0; tap < taps; tap++) {
        for (unsigned i = 0; i < LANES_MAX; i++)
            memcpy(&to->at[tap][i], host + span.offset[tap][i], 4);
    }
    return true;
}

static bool load_word(struct tex_query *q, uint32_t *to, uint32_t x, uint32_t y, uint32_t slice, unsigned level)
{
    struct tpl1_unit *u = (struct tpl1_unit *)q;
    uint64_t va = u->image->base_va + tpl1_element_B(&u->image->level[level], 4, x, y, slice);
    adreno_tpl1_note(u->state->coherence, va, 4, GPU_PERM_READ);
    if (gpu_space_read(u->state->space, va, to, 4) != 4)
        return adreno_tpl1_stop_fault(u->tpl1, u->image, va);
    return true;
}

const struct tex_ops adreno_tpl1_ops = {
    .fetch = fetch,
    .border = find_border,
    .load_plane = load_plane,
    .load_word = load_word,
};

/* ---- instructions ---- */

/* Channels of memory to registers: the format's order and the descriptor's swizzle at once. */
static void return_rows(const struct tpl1_unit *u, float values[4][LANES_MAX])
{
    for (unsigned n = 0; n < 4; n++) {
        unsigned sel = u->image->swizzle[n], from = TPL1_ORDER_ZERO + (sel == ADRENO_TEX_SWIZ_ONE);
        uint32_t row[LANES_MAX];
        if (sel <= ADRENO_TEX_SWIZ_W)
            from = u->image->format.order[sel];
        if (from < TPL1_ORDER_ZERO)
            memcpy(row, values[from], sizeof(row));
        else
            lanes_splat(row, from == TPL1_ORDER_ONE ? float_bits(1) : 0, LANES_MAX);
        adreno_tpl1_return_words(u, n, row);
    }
}

/* A cubic filter's weights may be negative: fixed point would leave its range. */
static void clamp_result(const struct tpl1_unit *u, union tex_texel texels[LANES_MAX])
{
    unsigned numeric = u->image->format.numeric;
    float low = numeric == FORMAT_NUMERIC_SNORM ? -1 : 0;
    if (low == 0 && numeric != FORMAT_NUMERIC_UNORM && numeric != FORMAT_NUMERIC_SRGB)
        return;
    for (unsigned i = 0; i < LANES_MAX; i++) {
        for (unsigned n = 0; n < 4; n++)
            texels[i].f[n] = texels[i].f[n] > low ? MIN2(texels[i].f[n], 1.0f) : low;
    }
}

static bool sample(struct tpl1_unit *u, const struct tex_coords *c)
{
    struct tex_lod lod;
    struct tex_levels levels;
    float rows[4][LANES_MAX];
    union tex_texel texels[LANES_MAX];
    if (!tex_levels_init_same(&levels, &lod, &u->q)) {
        tex_lod_init(&lod, &u->q, c);
        tex_levels_init(&levels, &u->q, &lod);
    }
    switch (tex_fast_sample(rows, &u->q, c, &lod, &levels)) {
    case TEX_FAST_DONE:
        return_rows(u, rows);
        return true;
    case TEX_FAST_STOPPED:
        return false;
    default:
        break;
    }
    if (!tex_sample(texels, &u->q, c, &lod, &levels))
        return false;
    if (u->sampler->clamps_result)
        clamp_result(u, texels);
    adreno_tpl1_return(u, texels);
    return true;
}

/* One component of four texels, in the order (0,1), (1,1), (1,0), (0,0), of the first level. */
static bool gather(struct tpl1_unit *u, const struct tex_coords *c)
{
    static const uint8_t order[4] = {2, 3, 1, 0};
    union tex_texel texels[4][LANES_MAX];
    struct tex_levels levels;
    if (u->q.axes != 2)
        return adreno_tpl1_stop(u->tpl1, u->image, "a gather from an image that is not two-dimensional");
    /* The first level may be outside of what the descriptor lets the shader see. */
    bool is_hidden = u->q.image->min_lod >> 8;
    memset(levels.low, u->q.image->base_level, sizeof(levels.low));
    if (is_hidden)
        memset(texels, 0, sizeof(texels));
    else if (!tex_gather(texels, &u->q, c, &levels))
        return false;
    for (unsigned n = 0; n < 4; n++) {
        uint32_t row[LANES_MAX];
        adreno_tpl1_swizzled(u, u->request->op - TPL1_GATHER4R, texels[order[n]], row);
        adreno_tpl1_return_words(u, n, row);
    }
    return true;
}

/* Far beyond all levels: of coordinates that do not change it is minus infinity. */
static uint32_t fixed_lod(float lod)
{
    lod = lod > -128 ? MIN2(lod, 127.0f) : -128;
    return (uint32_t)(int32_t)floorf(lod * 256 + 0.5f);
}

/* X: the level that is accessed, Y: the level of detail before it is clamped; 8 fractional bits. */
static bool get_lod(struct tpl1_unit *u, const struct tex_coords *c)
{
    struct tex_lod lod;
    struct tex_levels levels;
    uint32_t rows[2][LANES_MAX], zero[LANES_MAX] = {0};
    tex_lod_init(&lod, &u->q, c);
    tex_levels_init(&levels, &u->q, &lod);
    for (unsigned i = 0; i < LANES_MAX; i++) {
        rows[0][i] = fixed_lod((float)levels.low[i] + levels.fraction[i]);
        rows[1][i] = fixed_lod(lod.unclamped[i]);
    }
    for (unsigned n = 0; n < 4; n++)
        adreno_tpl1_return_words(u, n, n < 2 ? rows[n] : zero);
    return true;
}

bool adreno_tpl1_sample(struct tpl1_unit *u)
{
    struct tex_coords c;
    if (u->image->is_null) {
        union tex_texel texels[LANES_MAX];
        memset(texels, 0, sizeof(texels));
        adreno_tpl1_return(u, texels);
        return true;
    }
    if (u->image->is_buffer)
        return adreno_tpl1_stop(u->tpl1, u->image, "sampling a buffer");
    if (u->image->samples_log2)
        return adreno_tpl1_stop(u->tpl1, u->image, "sampling a multisampled image");
    if (!init_coords(u, &c))
        return false;
    if (u->request->op == TPL1_GETLOD)
        return get_lod(u, &c);
    if (is_gather(u->request->op))
        return gather(u, &c);
    return u->image->format.is_video ? adreno_tpl1_sample_video(u, &c) : sample(u, &c);
}
