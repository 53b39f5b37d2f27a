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
        u->q.lod = adreno_tpl1_source(u, &request->src1, n++, true);
    else if (request->op == TPL1_SAMB)
        u->q.bias = adreno_tpl1_source(u, &request->src1, n++, true);
    if (request->has_clamp)
        u->q.clamp = adreno_tpl1_source(u, &request->src1, n, true);
}

static void divide_rows(struct tpl1_unit *u, const uint32_t **row, const uint32_t *divisor)
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
    c->slice = c->own.slice;
    u->q.is_one_slice = !layer && faces == 1;
    if (u->q.is_one_slice) {
        c->slice = tex_no_slices;
        return;
    }
    if (!layer) {
        memset(c->own.slice, 0, sizeof(c->own.slice));
        return;
    }
    for (unsigned i = 0; i < LANES_MAX; i++)
        c->own.slice[i] = layer_of(tex_floats(layer)[i], layers, truncates) * faces;
}

/* Derivatives of a direction become those of the face's coordinates, by the rule for quotients. */
static void project_gradients(struct tpl1_unit *u, const struct operands *from, const uint32_t *faces)
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
    uint32_t faces[LANES_MAX];
    set_layers(u, c, from->layer, 6);
    adreno_tpl1_cube(faces, c->own.at[0], c->own.at[1], tex_floats(from->coord[0]), tex_floats(from->coord[1]),
                     tex_floats(from->coord[2]));
    for (unsigned i = 0; i < LANES_MAX; i++)
        c->own.slice[i] += faces[i];
    c->at[0] = c->own.at[0];
    c->at[1] = c->own.at[1];
    c->at[2] = tex_zeros;
    if (u->request->op == TPL1_SAMGQ)
        project_gradients(u, from, faces);
}

static void init_plain(struct tpl1_unit *u, struct tex_coords *c, const struct operands *from)
{
    set_layers(u, c, from->layer, 1);
    for (unsigned axis = 0; axis < 3; axis++) {
        c->at[axis] = axis < u->q.axes ? tex_floats(from->coord[axis]) : tex_zeros;
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
    u->q.wanted = is_gather(u->request->op) ? 0 : tex_wanted(image->swizzle, u->request->wrmask);
    if (from.divisor) {
        for (unsigned i = 0; i < adreno_tpl1_coordinates(u->request); i++)
            divide_rows(u, &from.coord[i], from.divisor);
        if (u->q.compare)
            divide_rows(u, &u->q.compare, from.divisor);
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

static bool fetch_texels(struct tex_query *q, union tex_texel out[LANES_MAX], const struct tex_rows *rows,
                         uint64_t lanes)
{
    struct tpl1_unit *u = (struct tpl1_unit *)q;
    if (u->plane)
        return adreno_tpl1_plane(u->tpl1, u->state, u->image, u->plane, rows, lanes, out);
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

static const struct tpl1_level *levels_of(const struct tpl1_unit *u, unsigned *element_B_out)
{
    *element_B_out = u->plane ? u->plane->element_B : u->image->element_B;
    return u->plane ? &u->plane->level : u->image->level;
}

/* Where elements are, as parts of an offset for each axis: tpl1_element_B taken apart. */
static bool find_layout(struct tex_query *q, uint64_t *base_va_out)
{
    const struct tpl1_unit *u = (const struct tpl1_unit *)q;
    const struct tex_image *tex = q->image;
    unsigned element_B;
    const struct tpl1_level *level = levels_of(u, &element_B);
    *base_va_out = u->plane ? u->plane->base_va : u->image->base_va;
    for (unsigned i = 0; i <= tex->last_level; i++) {
        uint64_t last_B = tpl1_element_B(&level[i], element_B, tex->level[i].width - 1, tex->level[i].height - 1,
                                         tex->first_layer + MAX2(tex->layers, tex->level[0].depth));
        if (last_B >= 1ull << 31)
            return false;
    }
    return true;
}

static struct tex_place find_place(struct tex_query *q, unsigned level, unsigned axis, uint32_t at)
{
    unsigned element_B;
    const struct tpl1_level *in = &levels_of((const struct tpl1_unit *)q, &element_B)[level];
    switch (axis) {
    case 0:
        return (struct tex_place){in->is_tiled ? (uint32_t)adreno_tile_x_B(&in->tile, at) : at * element_B, 0};
    case 1:
        if (!in->is_tiled)
            return (struct tex_place){0, at * in->pitch_B};
        return (struct tex_place){(uint32_t)adreno_tile_y_B(&in->tile, at), (uint32_t)adreno_tile_row_B(&in->tile, at)};
    default:
        return (struct tex_place){0, (uint32_t)(in->offset_B + at * in->slice_B)};
    }
}

const struct tex_ops adreno_tpl1_ops = {
    .fetch = fetch_texels,
    .border = find_border,
    .layout = find_layout,
    .place = find_place,
};

/* ---- instructions ---- */

void adreno_tpl1_return_rows(const struct tpl1_unit *u, const struct tex_result *result)
{
    for (unsigned n = 0; n < 4; n++) {
        unsigned sel = u->image->swizzle[n];
        uint32_t constant[LANES_MAX];
        if (!(u->request->wrmask >> n & 1))
            continue;
        if (sel > ADRENO_TEX_SWIZ_W)
            lanes_splat(constant, adreno_tpl1_constant(u, sel), LANES_MAX);
        adreno_tpl1_return_words(u, n, sel > ADRENO_TEX_SWIZ_W ? constant : (const uint32_t *)result->channel[sel]);
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

/* Rows of an instruction whose levels are known, by the tables or texel by texel. */
static bool sample_levels(struct tpl1_unit *u, const struct tex_coords *c, const struct tex_found *found,
                          struct tex_result *result, bool by_steps)
{
    union tex_texel texels[LANES_MAX];
    if (by_steps ? tex_step_sample(result, &u->q, c, found->lod, found->levels)
                 : tex_fast_sample(result, &u->q, c, found->lod, found->levels))
        return true;
    if (!tex_sample(texels, &u->q, c, found->lod, found->levels))
        return false;
    if (u->sampler->clamps_result)
        clamp_result(u, texels);
    for (unsigned n = 0; n < 4; n++) {
        result->channel[n] = result->value[n];
        for (unsigned i = 0; i < u->q.lanes; i++)
            result->value[n][i] = texels[i].f[n];
    }
    return true;
}

bool adreno_tpl1_sample_rows(struct tpl1_unit *u, const struct tex_coords *c, struct tex_result *result)
{
    struct tex_found found;
    struct tex_again again;
    enum tex_again_end end = TEX_AGAIN_CHANGED;
    if (tex_again_begin(&again, &u->q))
        end = tex_again_result(result, &again, &u->q, c);
    if (end == TEX_AGAIN_DONE || (end == TEX_AGAIN_CHANGED && tex_short_sample(result, NULL, &u->q, c)))
        return true;
    tex_find_levels(&found, &u->q, c);
    return sample_levels(u, c, &found, result, end == TEX_AGAIN_OTHER);
}

/* Whether component n of the result is the format's component `from` as it is. */
static bool is_component(const struct tpl1_unit *u, unsigned n, unsigned from)
{
    const unsigned sel = u->image->swizzle[n];
    return sel <= ADRENO_TEX_SWIZ_W && u->image->tex.order[sel] == from;
}

/* The register, where all that is asked for is the first component of the format. */
static uint32_t *direct_row(const struct tpl1_unit *u)
{
    const struct tpl1_request *request = u->request;
    const unsigned wrmask = request->wrmask;
    if (request->type != TPL1_F32 || !wrmask || wrmask & (wrmask - 1))
        return NULL;
    const unsigned n = (unsigned)__builtin_ctz(wrmask);
    return is_component(u, n, 0) ? request->dst.row + (size_t)n * request->dst.stride_dw + u->first_lane : NULL;
}

/* The registers, where they are the components of the format from the first one on. */
static float (*direct_rows(const struct tpl1_unit *u))[LANES_MAX]
{
    const struct tpl1_request *request = u->request;
    const unsigned wrmask = request->wrmask;
    if (request->type != TPL1_F32 || request->dst.stride_dw != LANES_MAX || !wrmask || wrmask & (wrmask + 1))
        return NULL;
    for (unsigned n = 0; wrmask >> n & 1; n++) {
        if (!is_component(u, n, n))
            return NULL;
    }
    return (float(*)[LANES_MAX])request->dst.row;
}

static bool sample(struct tpl1_unit *u, const struct tex_coords *c)
{
    struct tex_result result;
    struct tex_found found;
    struct tex_again again;
    enum tex_again_end end = TEX_AGAIN_CHANGED;
    uint32_t *const row = direct_row(u);
    float(*const rows)[LANES_MAX] = direct_rows(u);
    if (tex_again_begin(&again, &u->q))
        end = rows ? tex_again_sample(rows, &again, &u->q, c) : tex_again_result(&result, &again, &u->q, c);
    if (end == TEX_AGAIN_DONE && !rows)
        adreno_tpl1_return_rows(u, &result);
    if (end == TEX_AGAIN_DONE)
        return true;
    if (end == TEX_AGAIN_CHANGED && tex_short_sample(&result, row, &u->q, c)) {
        if (!row)
            adreno_tpl1_return_rows(u, &result);
        return true;
    }
    tex_find_levels(&found, &u->q, c);
    if (rows && end == TEX_AGAIN_CHANGED && tex_sample_into(rows, &u->q, c, found.lod, found.levels))
        return true;
    if (!sample_levels(u, c, &found, &result, end == TEX_AGAIN_OTHER))
        return false;
    adreno_tpl1_return_rows(u, &result);
    return true;
}

/* The component alone, where nothing is compared. False: not its case. */
static bool gather_one(struct tpl1_unit *u, const struct tex_coords *c, const struct tex_levels *levels,
                       const uint8_t order[4])
{
    const unsigned from = u->image->swizzle[u->request->op - TPL1_GATHER4R];
    float taps[4][LANES_MAX];
    if (from > ADRENO_TEX_SWIZ_W || !tex_fast_gather_one(taps, &u->q, c, levels, from))
        return false;
    for (unsigned n = 0; n < 4; n++)
        adreno_tpl1_return_words(u, n, (const uint32_t *)taps[order[n]]);
    return true;
}

/* One component of four texels, in the order (0,1), (1,1), (1,0), (0,0), of the first level. */
static bool gather_texels(struct tpl1_unit *u, const struct tex_coords *c)
{
    static const uint8_t order[4] = {2, 3, 1, 0};
    union tex_texel texels[4][LANES_MAX];
    struct tex_levels levels;
    if (u->q.axes != 2)
        return adreno_tpl1_stop(u->tpl1, u->image, "a gather from an image that is not two-dimensional");
    /* The first level may be outside of what the descriptor lets the shader see. */
    bool is_hidden = u->q.image->min_lod >> 8;
    memset(levels.low, u->q.image->base_level, sizeof(levels.low));
    if (!is_hidden && gather_one(u, c, &levels, order))
        return true;
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
        return gather_texels(u, &c);
    return u->image->format.is_video ? adreno_tpl1_sample_video(u, &c) : sample(u, &c);
}
