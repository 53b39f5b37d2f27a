/* TEX_SINGLE, TEX_GATHER and TEX_GRADIENT: staging registers to a query of model/texture, and its texels to registers.
 *
 * A gradient descriptor is two words. The lower half of the first is the level of detail with 8 fractional bits:
 * programs read it. The rest is the hardware's own, here: bits 20:16 of the first word are the probes of an anisotropic
 * filter, the second one has the distance that they cover, two halves. */
#include "mali/model/tex/unit.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"
#include "util/half.h"

/* ---- operands ---- */

/* Registers in their order; NULL: the instruction does not have it. */
struct operands {
    const uint32_t *coord[3];
    const uint32_t *layer, *offsets, *lod, *gradient[2];
    const uint32_t *derivative[2][3]; /* by direction and axis */
};

static const uint32_t *take_row(const struct mali_tex_unit *u, unsigned *at)
{
    return u->staging + (size_t)(*at)++ * MALI_TEX_LANES;
}

static void take_operands(struct mali_tex_unit *u, struct operands *to)
{
    const struct mali_tex_request *request = u->request;
    unsigned at = 0, count = mali_tex_axes(request);
    memset(to, 0, sizeof(*to));
    if (request->op == MALI_TEX_GRADIENT && request->has_derivatives) {
        for (unsigned axis = 0; axis < count; axis++) {
            to->derivative[0][axis] = take_row(u, &at);
            to->derivative[1][axis] = take_row(u, &at);
        }
        return;
    }
    for (unsigned axis = 0; axis < count; axis++)
        to->coord[axis] = take_row(u, &at);
    if (request->is_array)
        to->layer = take_row(u, &at);
    if (request->is_shadow)
        u->q.compare = take_row(u, &at);
    if (request->has_offsets)
        to->offsets = take_row(u, &at);
    if (request->op != MALI_TEX_SINGLE)
        return;
    if (request->lod_mode == MALI_TEX_LOD_EXPLICIT || request->lod_mode == MALI_TEX_LOD_COMPUTED_BIAS)
        to->lod = take_row(u, &at);
    for (unsigned i = 0; i < 2 && request->lod_mode == MALI_TEX_LOD_GRDESC; i++)
        to->gradient[i] = take_row(u, &at);
}

static uint32_t *new_row(struct mali_tex_unit *u)
{
    return u->rows[u->rows_used++];
}

/* A byte for each axis. */
static void set_offsets(struct mali_tex_unit *u, const uint32_t *offsets)
{
    for (unsigned axis = 0; axis < u->q.axes; axis++) {
        uint32_t *row = new_row(u);
        for (unsigned i = 0; i < LANES_MAX; i++)
            row[i] = (uint32_t)(int32_t)(int8_t)(offsets[i] >> 8 * axis);
        u->q.offset[axis] = (const int32_t *)row;
    }
}

/* The lower half has 8 fractional bits; of a bias the upper half is the least level, where it is not zero. */
static void set_lod(struct mali_tex_unit *u, const uint32_t *lod)
{
    uint32_t *row = new_row(u), *clamp = NULL;
    for (unsigned i = 0; i < LANES_MAX; i++)
        row[i] = float_bits((float)(int16_t)lod[i] / 256);
    if (u->request->lod_mode == MALI_TEX_LOD_EXPLICIT) {
        u->q.lod = row;
        return;
    }
    clamp = new_row(u);
    for (unsigned i = 0; i < LANES_MAX; i++)
        clamp[i] = float_bits((float)(lod[i] >> 16) / 256);
    u->q.bias = row;
    u->q.clamp = clamp;
}

/* ---- coordinates ---- */

static void set_layers(struct mali_tex_unit *u, struct tex_coords *c, const uint32_t *layer, unsigned faces)
{
    const uint32_t last = u->q.image->layers / faces - 1;
    c->slice = c->own.slice;
    u->q.is_one_slice = faces == 1 && (!layer || !last);
    if (u->q.is_one_slice) {
        c->slice = tex_no_slices;
        return;
    }
    if (!layer) {
        memset(c->own.slice, 0, sizeof(c->own.slice));
        return;
    }
    for (unsigned i = 0; i < LANES_MAX; i++) {
        float number = rintf(tex_floats(layer)[i]);
        number = number > 0 ? MIN2(number, (float)last) : 0; /* a NaN, too */
        c->own.slice[i] = (uint32_t)number * faces;
    }
}

/* x has the number of the face in place of its three upper bits, which are the same for all of [2^-63, 1]. */
static void set_cube(struct tex_coords *c, const struct operands *from)
{
    for (unsigned i = 0; i < LANES_MAX; i++) {
        uint32_t face = from->coord[0][i] >> 29;
        c->own.at[0][i] = bits_float((from->coord[0][i] & 0x1fffffff) | 0x20000000);
        c->own.slice[i] += MIN2(face, 5u);
    }
    c->at[0] = c->own.at[0];
    c->at[1] = tex_floats(from->coord[1]);
    c->at[2] = tex_zeros;
}

static void set_coords(struct mali_tex_unit *u, struct tex_coords *c, const struct operands *from)
{
    bool is_cube = u->request->dimension == MALI_TEX_CUBE;
    set_layers(u, c, from->layer, is_cube ? 6 : 1);
    if (is_cube) {
        set_cube(c, from);
        return;
    }
    for (unsigned axis = 0; axis < 3; axis++)
        c->at[axis] = axis < u->q.axes && from->coord[axis] ? tex_floats(from->coord[axis]) : tex_zeros;
}

/* Does the texture have the shape that the instruction is for? */
static bool is_shape(const struct mali_tex_unit *u)
{
    const struct tex_image *image = u->q.image;
    switch (u->request->dimension) {
    case MALI_TEX_CUBE:
        return image->is_cube;
    case MALI_TEX_3D:
        return image->axes == 3;
    case MALI_TEX_1D:
        return image->axes == 1;
    default:
        return image->axes == 2 && !image->is_cube;
    }
}

/* ---- instructions ---- */

/* A row to a register, in active lanes: whole vectors, as q.lanes counts them. */
static void return_words(const struct mali_tex_unit *u, uint32_t *to, const uint32_t *from)
{
    const unsigned lanes = u->q.lanes;
    if (u->q.exec == lanes_full_mask(lanes)) {
        memcpy(to, from, lanes * sizeof(*to));
        return;
    }
    const uint32_t *active = u->active;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++)
        to[i] = (from[i] & active[i]) | (to[i] & ~active[i]);
}

/* To the lower halves, with zeros above them, or to the upper ones. */
static void return_halves(const struct mali_tex_unit *u, uint32_t *to, const float *from, bool is_upper)
{
    for (unsigned i = 0; i < u->q.lanes; i++) {
        const uint32_t on = u->active[i], half = float_to_half_rtne(from[i]);
        const uint32_t word = is_upper ? (to[i] & 0xffff) | half << 16 : half;
        to[i] = (word & on) | (to[i] & ~on);
    }
}

/* Rows from the fast path: the components of the mask, without holes. */
static void return_components(const struct mali_tex_unit *u, const float *const rows[4])
{
    const struct mali_tex_request *request = u->request;
    const unsigned regfmt = mali_tex_result_format(request), lanes = u->q.lanes;
    const bool is_word = regfmt == MALI_TEX_REGFMT_F32 || regfmt == MALI_TEX_REGFMT_AUTO,
               is_half = regfmt == MALI_TEX_REGFMT_F16;
    union tex_texel texels[LANES_MAX];
    unsigned count = 0;
    for (unsigned n = 0; n < 4; n++) {
        const float *from = rows[n];
        if (!(request->mask >> n & 1))
            continue;
        if (is_word)
            return_words(u, request->result + (size_t)count * MALI_TEX_LANES, (const uint32_t *)from);
        else if (is_half)
            return_halves(u, request->result + (size_t)(count / 2) * MALI_TEX_LANES, from, count % 2);
        for (unsigned i = 0; !is_word && !is_half && i < lanes; i++)
            texels[i].f[count] = from[i];
        count++;
    }
    if (!is_word && !is_half)
        mali_tex_return(request->result, texels, MALI_PIXEL_FLOAT, regfmt, count, u->q.exec);
}

/* Rows of r, g, b and a as the texture's swizzle says. */
static void return_rows(const struct mali_tex_unit *u, const struct tex_result *result)
{
    const float *rows[4];
    for (unsigned n = 0; n < 4; n++) {
        const unsigned sel = u->image->swizzle[n];
        rows[n] = sel < 4 ? result->channel[sel] : sel == MALI_CHANNEL_1 ? tex_ones : tex_zeros;
    }
    return_components(u, rows);
}

/* The results of TEX_GRADIENT take the place of derivatives. */
static void gradient_lod(struct mali_tex_unit *u, struct tex_lod *lod, const struct operands *from)
{
    const struct tex_sampler *s = u->q.sampler;
    const float low = MAX2(s->min_lod, (float)u->q.image->min_lod / 256), high = s->max_lod;
    const float bias = MAX2(MIN2(s->lod_bias, s->bias_limit), -s->bias_limit);
    const uint32_t *first = from->gradient[0], *second = from->gradient[1];
    uint32_t most = 1;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < LANES_MAX; i++) {
        const float value = (float)((int32_t)(first[i] << 16) >> 16) * 0x1p-8f + bias;
        const float at_most = value < high ? value : high;
        const uint32_t probes = MAX2(first[i] >> 16 & 31, 1u), active = probes & u->active[i];
        lod->unclamped[i] = value;
        lod->lod[i] = at_most > low ? at_most : low;
        lod->probes[i] = (uint8_t)probes;
        most = MAX2(most, active);
    }
    lod->max_probes = most;
    for (unsigned i = 0; i < LANES_MAX && most > 1; i++) { /* of one probe the distance is nothing */
        lod->step[0][i] = half_to_float((uint16_t)second[i]);
        lod->step[1][i] = half_to_float((uint16_t)(second[i] >> 16));
    }
}

/* The registers, where they are the components of the format as they are, from the first one on. */
static float (*direct_rows(const struct mali_tex_unit *u))[LANES_MAX]
{
    const unsigned regfmt = mali_tex_result_format(u->request), mask = u->request->mask;
    _Static_assert(LANES_MAX == MALI_TEX_LANES, "registers are rows of all lanes");
    if ((regfmt != MALI_TEX_REGFMT_F32 && regfmt != MALI_TEX_REGFMT_AUTO) || !mask || mask & (mask + 1))
        return NULL;
    for (unsigned n = 0; mask >> n & 1; n++) {
        if (u->image->swizzle[n] > MALI_CHANNEL_A || u->q.image->order[u->image->swizzle[n]] != n)
            return NULL;
    }
    return (float(*)[LANES_MAX])u->request->result;
}

/* By what was found of the texture and the sampler before. */
static enum tex_again_end single_again(struct mali_tex_unit *u, const struct tex_coords *c)
{
    float(*const rows)[LANES_MAX] = direct_rows(u);
    struct tex_again again;
    struct tex_result result;
    if (!tex_again_begin(&again, &u->q))
        return TEX_AGAIN_CHANGED;
    if (rows)
        return tex_again_sample(rows, &again, &u->q, c);
    const enum tex_again_end end = tex_again_result(&result, &again, &u->q, c);
    if (end == TEX_AGAIN_DONE)
        return_rows(u, &result);
    return end;
}

static bool single(struct mali_tex_unit *u, const struct tex_coords *c, const struct operands *from)
{
    struct tex_found found;
    struct tex_result result;
    union tex_texel texels[LANES_MAX];
    u->q.wanted = tex_wanted(u->image->swizzle, u->request->mask);
    const enum tex_again_end end = from->gradient[0] ? TEX_AGAIN_CHANGED : single_again(u, c);
    if (end == TEX_AGAIN_DONE)
        return true;
    if (!from->gradient[0] && end == TEX_AGAIN_CHANGED && tex_short_sample(&result, NULL, &u->q, c)) {
        return_rows(u, &result);
        return true;
    }
    if (from->gradient[0]) {
        found.lod = &found.own_lod;
        found.levels = &found.own_levels;
        gradient_lod(u, &found.own_lod, from);
        tex_levels_init(&found.own_levels, &u->q, &found.own_lod);
    } else {
        tex_find_levels(&found, &u->q, c);
    }
    if (end == TEX_AGAIN_OTHER ? tex_step_sample(&result, &u->q, c, found.lod, found.levels)
                               : tex_fast_sample(&result, &u->q, c, found.lod, found.levels)) {
        return_rows(u, &result);
        return true;
    }
    if (!tex_sample(texels, &u->q, c, found.lod, found.levels))
        return false;
    mali_tex_swizzle(u->image, texels);
    mali_tex_return_masked(u, texels);
    return true;
}

/* The component alone, where it is a channel of the texels and nothing is compared. False: not its case. */
static bool gather_one(struct mali_tex_unit *u, const struct tex_coords *c, const struct tex_levels *levels)
{
    const unsigned from = u->image->swizzle[u->request->component & 3];
    float taps[4][LANES_MAX];
    if (from > MALI_CHANNEL_A || !tex_fast_gather_one(taps, &u->q, c, levels, from))
        return false;
    return_components(u, (const float *const[4]){taps[0], taps[1], taps[2], taps[3]});
    return true;
}

/* One component of four texels of the first level, row by row: (0,0), (1,0), (0,1), (1,1). */
static bool gather_texels(struct mali_tex_unit *u, const struct tex_coords *c)
{
    union tex_texel taps[4][LANES_MAX], texels[LANES_MAX];
    struct tex_levels levels;
    if (u->q.axes != 2 || u->request->has_integer_coordinates)
        return mali_tex_stop_image(u->tex, u->image, "a gather that is not two-dimensional, or by integers");
    memset(levels.low, u->q.image->base_level, sizeof(levels.low));
    /* The shortest way takes the level that samples would have. */
    u->q.is_one_slice &= u->q.image->base_level == u->q.image->last_level;
    if (gather_one(u, c, &levels))
        return true;
    if (!tex_gather(taps, &u->q, c, &levels))
        return false;
    for (unsigned n = 0; n < 4; n++) {
        mali_tex_swizzle(u->image, taps[n]);
        for (unsigned i = 0; i < LANES_MAX; i++)
            texels[i].u[n] = taps[n][i].u[u->request->component & 3];
    }
    mali_tex_return_masked(u, texels);
    return true;
}

/* Far beyond all levels: of coordinates that do not change it is minus infinity. */
static uint32_t fixed_lod(float lod)
{
    lod = lod > -128 ? MIN2(lod, 127.0f) : -128;
    return (uint32_t)(int32_t)floorf(lod * 256 + 0.5f) & 0xffff;
}

static bool gradient(struct mali_tex_unit *u, const struct tex_coords *c, const struct operands *from)
{
    struct tex_sampler sampler = *u->q.sampler;
    const struct mali_tex_request *request = u->request;
    struct tex_lod lod;
    if (request->is_bias_disabled)
        sampler.lod_bias = 0;
    u->q.sampler = &sampler;
    for (unsigned axis = 0; axis < 3; axis++) {
        u->q.grad[0][axis] = from->derivative[0][axis];
        u->q.grad[1][axis] = from->derivative[1][axis];
    }
    memset(lod.step, 0, sizeof(lod.step));
    tex_lod_init(&lod, &u->q, c);
    const float last = (float)u->q.image->last_level;
    uint32_t rows[4][LANES_MAX] = {{0}};
    for (unsigned i = 0; i < u->q.lanes; i++) {
        const float value = request->is_clamp_disabled ? lod.unclamped[i] : MIN2(lod.lod[i], last);
        rows[0][i] = fixed_lod(value) | (uint32_t)lod.probes[i] << 16;
    }
    for (unsigned i = 0; i < u->q.lanes && lod.max_probes > 1; i++) /* of one probe the distance is nothing */
        rows[1][i] = float_to_half_rtne(lod.step[0][i]) | (uint32_t)float_to_half_rtne(lod.step[1][i]) << 16;
    for (unsigned n = 0; n < (unsigned)__builtin_popcount(request->mask); n++)
        return_words(u, request->result + (size_t)n * MALI_TEX_LANES, rows[n]);
    return true;
}

/* Nothing is there: all texels are zero. */
static bool return_zeros(const struct mali_tex_unit *u)
{
    union tex_texel texels[LANES_MAX];
    memset(texels, 0, sizeof(texels));
    mali_tex_return_masked(u, texels);
    return true;
}

bool mali_tex_sample(struct mali_tex_unit *u)
{
    struct operands from;
    struct tex_coords c;
    if (u->image->is_null)
        return return_zeros(u);
    if (!is_shape(u))
        return mali_tex_stop_image(u->tex, u->image, "a texture of another shape than the instruction is for");
    take_operands(u, &from);
    u->q.axes = u->q.image->axes;
    u->q.is_level_zero = u->request->op == MALI_TEX_GATHER ||
                         (u->request->op == MALI_TEX_SINGLE && u->request->lod_mode == MALI_TEX_LOD_ZERO);
    if (from.offsets)
        set_offsets(u, from.offsets);
    if (from.lod)
        set_lod(u, from.lod);
    if (from.coord[0])
        set_coords(u, &c, &from);
    else
        c = (struct tex_coords){.at = {tex_zeros, tex_zeros, tex_zeros}, .slice = tex_no_slices};
    switch (u->request->op) {
    case MALI_TEX_GATHER:
        return gather_texels(u, &c);
    case MALI_TEX_GRADIENT:
        return gradient(u, &c, &from);
    default:
        return single(u, &c, &from);
    }
}
