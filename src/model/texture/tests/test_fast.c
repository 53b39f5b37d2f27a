/* The fast path of samples against the plain one: random images, samplers and instructions, every kind of texel, on a
 * made-up tiling. All formats come out with the same bits; four unorm bytes, whose sum the fast path rounds once,
 * within a few units of the last place. */
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/pixel/pixel.h"
#include "model/texture/tex_run.h"
#include "util/bits.h"
#include "util/hash.h"

#define BASE 0x200000ull
#define MEMORY_B (8u << 20)

static uint64_t seed = 1;

static uint32_t any(uint32_t below)
{
    seed = hash_u64(seed + 1);
    return (uint32_t)(seed >> 20) % below;
}

static float fraction(void)
{
    return (float)any(1 << 12) / (1 << 12);
}

/* ---- a family ---- */

struct unit {
    struct tex_query q;
    struct tex_image image;
    struct tex_sampler sampler;
    struct tex_places_set places;
    struct tex_blocks blocks;
    uint8_t *memory;
    bool is_tiled;
    uint32_t level_B[TEX_MAX_LEVELS], slice_B, row_B[TEX_MAX_LEVELS];
    uint32_t element_B;
    /* Pieces: tiles of 4 by 4 elements. Two columns of them are described by metadata, if at all: an element stands for
     * their texels, which only `fetch` knows of the second. */
    uint32_t hidden_x[2];
    uint8_t hidden[2][TEX_ELEMENT_B];
    bool has_hidden;
    union tex_texel border;
    uint32_t active[LANES_MAX], rows[16][LANES_MAX];
};

static bool layout(struct tex_query *q, uint64_t *base_va_out)
{
    *base_va_out = BASE;
    return true;
}

/* Tiles of 4 by 4 elements in Morton order, slices that are turned; or rows. */
static struct tex_place place_of_element(struct tex_query *q, unsigned level, unsigned axis, uint32_t at)
{
    const struct unit *u = (const struct unit *)q;
    const uint32_t low = (at & 1) | (at & 2) << 1;
    switch (axis) {
    case 0:
        return (struct tex_place){u->is_tiled ? (at / 4 * 16 + low) * u->element_B : at * u->element_B, 0};
    case 1:
        return u->is_tiled ? (struct tex_place){low * 2 * u->element_B, at / 4 * 4 * u->row_B[level]}
                           : (struct tex_place){0, at * u->row_B[level]};
    default:
        return (struct tex_place){u->is_tiled ? (at & 3) * u->element_B : 0, u->level_B[level] + at * u->slice_B};
    }
}

/* The colour that stands for a texel; NULL: memory. */
static const uint8_t *hidden_at(const struct unit *u, uint32_t x)
{
    const uint32_t column = x / format_info(u->image.format)->block_width / 4;
    if (!u->has_hidden)
        return NULL;
    return column == u->hidden_x[0] ? u->hidden[0] : column == u->hidden_x[1] ? u->hidden[1] : NULL;
}

static enum tex_piece look_up_piece(struct tex_query *q, unsigned level, uint32_t x, uint32_t y, uint32_t slice,
                                    uint8_t *element)
{
    const struct unit *u = (const struct unit *)q;
    assert_true(level <= u->image.last_level && x < u->image.level[level].width && y < u->image.level[level].height);
    const uint8_t *hidden = hidden_at(u, x);
    if (!hidden)
        return TEX_PIECE_PLAIN;
    if (hidden == u->hidden[1] || format_is_compressed(format_info(u->image.format)))
        return TEX_PIECE_UNKNOWN;
    memcpy(element, hidden, u->element_B);
    return TEX_PIECE_ONE;
}

static bool fetch_texel(struct tex_query *q, union tex_texel out[LANES_MAX], const struct tex_rows *rows,
                        uint64_t lanes)
{
    struct unit *u = (struct unit *)q;
    const struct format_info *info = format_info(u->image.format);
    const enum format format = u->sampler.is_encoded ? info->linear_format : u->image.format;
    static const uint8_t zeros[16];
    memset(out, 0, LANES_MAX * sizeof(*out));
    for (unsigned i = 0; i < q->lanes; i++) {
        const uint8_t *at = zeros;
        union tex_texel texel;
        if (lanes >> i & 1) {
            struct tex_place x = place_of_element(q, rows->level[i], 0, rows->x[i] / info->block_width),
                             y = place_of_element(q, rows->level[i], 1, rows->y[i] / info->block_height),
                             z = place_of_element(q, rows->level[i], 2, rows->z[i]);
            const uint8_t *hidden = hidden_at(u, rows->x[i]);
            at = hidden ? hidden : u->memory + (x.xor_B ^ y.xor_B ^ z.xor_B) + y.add_B + z.add_B;
        }
        if (format_is_compressed(info)) {
            tex_texels texels = tex_block_get(&u->blocks, format, false, at, info->block_size_B);
            memcpy(texel.f,
                   texels[rows->y[i] % info->block_height * info->block_width + rows->x[i] % info->block_width],
                   sizeof(texel.f));
        } else {
            format_codec(format)->fetch_float((float(*)[4])texel.f, (const void *const *)&at, 1);
        }
        const float from[6] = {texel.f[0], texel.f[1], texel.f[2], texel.f[3], 0, 1};
        for (unsigned n = 0; n < 4; n++)
            out[i].f[n] = from[u->image.order[n]];
    }
    return true;
}

static bool border(struct tex_query *q, union tex_texel *out)
{
    *out = ((const struct unit *)q)->border;
    return true;
}

static bool changes_now;
static bool has_changed(struct tex_query *q)
{
    const bool changes = changes_now;
    changes_now = false;
    return changes;
}

static const struct tex_ops ops = {
    .fetch = fetch_texel,
    .border = border,
    .layout = layout,
    .place = place_of_element,
    .has_changed = has_changed,
    .look = look_up_piece,
};

/* ---- random states ---- */

static const enum format formats[] = {
    FORMAT_R8G8B8A8_UNORM,
    FORMAT_R8G8B8A8_SRGB,
    FORMAT_R8_UNORM,
    FORMAT_R8G8_UNORM,
    FORMAT_R16_UNORM,
    FORMAT_R16G16_UNORM,
    FORMAT_X8_D24_UNORM_PACK32,
    FORMAT_R16_SFLOAT,
    FORMAT_R16G16_SFLOAT,
    FORMAT_R32_SFLOAT,
    FORMAT_D32_SFLOAT,
    FORMAT_D16_UNORM,
    FORMAT_R16G16B16A16_SFLOAT,
    FORMAT_R32G32_SFLOAT,
    FORMAT_R32G32B32A32_SFLOAT,
    FORMAT_R8G8B8A8_SNORM,
    FORMAT_B8G8R8A8_SRGB,
    FORMAT_B10G11R11_UFLOAT_PACK32,
    FORMAT_BC1_RGBA_SRGB_BLOCK,
    FORMAT_BC3_UNORM_BLOCK,
    FORMAT_BC5_SNORM_BLOCK,
    FORMAT_BC7_UNORM_BLOCK,
    FORMAT_R5G6B5_UNORM_PACK16,
    FORMAT_R16G16B16A16_UNORM,
    FORMAT_A2B10G10R10_UNORM_PACK32,
    FORMAT_B5G6R5_UNORM_PACK16,
    FORMAT_A2B10G10R10_SNORM_PACK32,
    FORMAT_R16G16B16A16_SNORM,
};

static void random_image(struct unit *u)
{
    struct tex_image *image = &u->image;
    *image = (struct tex_image){.is_float = true, .format = formats[any(ARRAY_SIZE(formats))], .order = {0, 1, 2, 3}};
    const struct format_info *info = format_info(image->format);
    image->axes = (uint8_t)(any(5) ? 2 : any(3) ? 3 : 1);
    image->is_cube = image->axes == 2 && !any(5);
    image->clamps_reference = any(2);
    if (!any(4))
        memcpy(image->order, (uint8_t[]){2, 1, 0, TEX_ORDER_ONE}, 4);
    if (!any(8))
        memcpy(image->order, (uint8_t[]){TEX_ORDER_ZERO, 0, 3, 1}, 4);
    const uint32_t width = 1 + any(any(2) ? 64 : 5), height = image->is_cube    ? width
                                                              : image->axes > 1 ? 1 + any(40)
                                                                                : 1;
    image->first_layer = any(3);
    image->layers = image->axes == 3 ? 1 : image->is_cube ? 6 * (1 + any(2)) : 1 + any(4);
    if (image->is_cube && !any(3))
        image->layers = 1; /* of one cube some drivers do not give the count of faces */
    image->last_level = (uint8_t)any(4);
    image->base_level = (uint8_t)any(image->last_level + 1u);
    image->min_lod = any(4) ? 0 : (uint16_t)any(700);
    u->is_tiled = any(2);
    u->element_B = info->block_size_B;
    image->piece_log2 = u->is_tiled && any(2) ? (uint8_t)__builtin_ctz(16 * u->element_B) : 0;
    u->has_hidden = image->piece_log2 && any(2);
    for (unsigned n = 0; n < 2; n++) {
        u->hidden_x[n] = any(6);
        for (unsigned i = 0; i < TEX_ELEMENT_B; i++)
            u->hidden[n][i] = (uint8_t)any(256);
    }
    u->slice_B = 0;
    for (unsigned i = 0; i <= image->last_level; i++) {
        image->level[i].width = MAX2(width >> i, 1u);
        image->level[i].height = MAX2(height >> i, 1u);
        image->level[i].depth = image->axes == 3 ? MAX2(9u >> i, 1u) : 1;
        u->level_B[i] = u->slice_B;
        u->row_B[i] = (uint32_t)align_u64(div_round_up(image->level[i].width, info->block_width), 4) * u->element_B;
        u->slice_B += u->row_B[i] * (uint32_t)align_u64(div_round_up(image->level[i].height, info->block_height), 4);
    }
}

static void random_sampler(struct unit *u)
{
    static const union tex_texel borders[] = {
        {.f = {0, 0, 0, 0}}, {.f = {0, 0, 0, 1}}, {.f = {1, 1, 1, 1}}, {.f = {0.25f, 0.5f, 0.75f, 1}}};
    u->border = borders[any(4)];
    u->sampler = (struct tex_sampler){
        .wrap = {(uint8_t)any(8), (uint8_t)any(8), (uint8_t)any(8)},
        .reduction = any(12) ? TEX_MEAN : (uint8_t)any(3),
        .compare = (uint8_t)any(8),
        .mag_linear = any(4),
        .min_linear = any(4),
        .z_follows_xy = any(2),
        .z_linear = any(2),
        .mip_linear = any(2),
        .mip_none = !any(5),
        .is_seamless = any(3),
        .is_encoded = !any(4),
        .trunc = !any(3),
        .max_aniso = any(3) ? 1 : 1 + any(16),
        .lod_bias = any(2) ? 0 : (float)any(64) / 16 - 2,
        .max_lod = any(4) ? 15 : fraction() * 3,
        .min_lod = any(4) ? 0 : fraction() * 2,
        .bias_limit = 16,
    };
    for (unsigned axis = 0; any(3) && axis < 3; axis++)
        u->sampler.wrap[axis] = any(2) ? TEX_REPEAT : TEX_CLAMP_TO_EDGE;
}

static const uint32_t *float_row(struct unit *u, unsigned n, float low, float high)
{
    for (unsigned i = 0; i < LANES_MAX; i++)
        u->rows[n][i] = float_bits(low + (high - low) * fraction());
    return u->rows[n];
}

/* The case of the shortest way: one level and slice, and lanes that lie together, but for some that are no numbers. */
static void make_short(struct unit *u, struct tex_coords *c)
{
    static const float strange[] = {1e30f, -1e30f, -0.0f, NAN, INFINITY, -INFINITY};
    struct tex_query *q = &u->q;
    q->is_level_zero = q->is_one_slice = true;
    for (unsigned n = 0; n < 3; n++) {
        const float start = any(3) ? fraction() : fraction() * 4 - 2, spread = any(3) ? 0.1f : 0.5f;
        q->offset[n] = NULL;
        for (unsigned i = 0; i < LANES_MAX; i++)
            c->own.at[n][i] = (start + fraction() * spread) * (q->unnormalized ? 32 : 1);
        /* Where an axis repeats, nobody says which texel is at no number. */
        const bool repeats = u->sampler.wrap[n] == TEX_REPEAT || u->sampler.wrap[n] == TEX_MIRROR;
        if (!any(4))
            c->own.at[n][any(LANES_MAX)] = strange[any(repeats ? 3 : ARRAY_SIZE(strange))];
    }
    for (unsigned i = 0; i < LANES_MAX; i++)
        c->own.slice[i] = c->own.slice[0];
    u->sampler.mag_linear = u->sampler.min_linear = true;
}

static void random_query(struct unit *u, struct tex_coords *c)
{
    static const uint8_t counts[] = {16, 32, 48, 64};
    struct tex_query *q = &u->q;
    q->lanes = counts[any(4)];
    q->exec = any(2) ? lanes_full_mask(q->lanes)
                     : (((uint64_t)any(1 << 30) << 30 | any(1 << 30)) & lanes_full_mask(q->lanes));
    lanes_from_mask(u->active, q->exec, LANES_MAX);
    q->exec_lanes = u->active;
    q->axes = u->image.axes;
    q->unnormalized = !u->image.is_cube && !any(10);
    q->is_level_zero = !any(4);
    q->bias = any(6) ? NULL : float_row(u, 0, -2, 2);
    q->lod = any(6) ? NULL : float_row(u, 1, -1, 4);
    q->clamp = any(8) ? NULL : float_row(u, 2, 0, 3);
    const enum tex_kind kind = tex_kind_of(u->image.format);
    const bool is_depth = kind == TEX_KIND_R16 || kind == TEX_KIND_D24 || kind == TEX_KIND_R32F;
    q->compare = !is_depth || any(2) ? NULL : float_row(u, 3, -0.5f, 1.5f);
    const float spread = any(2) ? 0.125f : 1;
    for (unsigned n = 0; n < 3; n++) {
        const bool has_offset = n == 0 ? !any(4) : q->offset[0] != NULL;
        for (unsigned i = 0; i < LANES_MAX; i++)
            u->rows[4 + n][i] = any(17) - 8;
        q->offset[n] = has_offset && n < q->axes && !u->image.is_cube ? (const int32_t *)u->rows[4 + n] : NULL;
        const float scale = q->unnormalized ? 32 : 1, start = u->image.is_cube ? 0.25f : fraction() * 4 - 2;
        for (unsigned i = 0; i < LANES_MAX; i++)
            c->own.at[n][i] = (start + fraction() * spread) * scale;
    }
    for (unsigned n = 0; n < 3; n++)
        c->at[n] = c->own.at[n];
    c->slice = c->own.slice;
    const bool has_gradients = !any(6);
    for (unsigned n = 0; n < 6; n++)
        q->grad[n / 3][n % 3] = has_gradients ? float_row(u, 7 + n, -0.2f, 0.2f) : NULL;
    for (unsigned n = 0; n < 6 && any(2); n++) { /* as derivatives are */
        for (unsigned i = 0; i < LANES_MAX; i++)
            u->rows[7 + n][i] = u->rows[7 + n][i & ~3u];
    }
    if (q->lod && any(2)) {
        for (unsigned i = 0; i < LANES_MAX; i++)
            u->rows[1][i] = u->rows[1][0];
    }
    const uint32_t slices = MAX2(u->image.layers, u->image.is_cube ? 6u : 1u), slice = any(slices);
    for (unsigned i = 0; i < LANES_MAX; i++)
        c->own.slice[i] = u->image.first_layer + (any(8) ? slice : any(slices));
    q->is_one_slice = false;
    if (!any(3))
        make_short(u, c);
}

/* ---- the comparison ---- */

static bool is_close(float plain, float fast, bool is_bytes)
{
    if (float_bits(plain) == float_bits(fast) || (plain != plain && fast != fast))
        return true;
    return is_bytes && fabsf(plain - fast) <= 2e-6f;
}

static unsigned fast_of[ARRAY_SIZE(formats)], fast_probes, fast_levels, fast_compares, fast_pieces;

/* The texels of a gather are the same, bit by bit. */
static unsigned fast_gathers, fast_ones, compared_ones;
static void compare_gather(struct unit *u, const struct tex_coords *c, const struct tex_levels *levels)
{
    union tex_texel plain[4][LANES_MAX], fast[4][LANES_MAX];
    if (u->q.axes != 2)
        return;
    assert_true(tex_plain_gather(plain, &u->q, c, levels));
    float one[4][LANES_MAX];
    for (unsigned channel = 0; channel < 4; channel++) {
        if (!tex_fast_gather_one(one, &u->q, c, levels, channel))
            continue;
        fast_ones++;
        compared_ones += u->q.compare != NULL;
        for (unsigned n = 0; n < 4 * u->q.lanes; n++) {
            const unsigned tap = n / u->q.lanes, i = n % u->q.lanes;
            if (u->q.exec >> i & 1 && !is_close(plain[tap][i].f[channel], one[tap][i], false))
                fail_msg("%s tap %u channel %u lane %u: plain %.9g, alone %.9g", format_name(u->image.format), tap,
                         channel, i, (double)plain[tap][i].f[channel], (double)one[tap][i]);
        }
    }
    if (!tex_fast_gather(fast, &u->q, c, levels))
        return;
    if (u->q.compare)
        tex_compare(fast, &u->q, 4);
    fast_gathers++;
    for (unsigned n = 0; n < 16; n++) {
        for (unsigned i = 0; i < u->q.lanes; i++) {
            const union tex_texel *a = &plain[n / 4][i], *b = &fast[n / 4][i];
            if (u->q.exec >> i & 1 && !is_close(a->f[n % 4], b->f[n % 4], false))
                fail_msg("%s tap %u channel %u lane %u: plain %.9g, fast %.9g", format_name(u->image.format), n / 4,
                         n % 4, i, (double)a->f[n % 4], (double)b->f[n % 4]);
        }
    }
}

/* Whether the footprints of a pass lie together, so that their texels are loaded once. */
static unsigned areas_of[ARRAY_SIZE(formats)];
static void count_area(struct unit *u, const struct tex_coords *c, const struct tex_levels *levels)
{
    const struct tex_query *q = &u->q;
    struct tex_run r;
    struct tex_area area;
    if (q->axes == 3 || levels->any_cubic || !tex_run_begin(&r, &u->q))
        return;
    const unsigned first = (unsigned)__builtin_ctzll(q->exec);
    const bool is_one = tex_is_one_level(q, levels->low, first);
    r.is_once = false;
    tex_run_set_filters(&r, levels);
    if (!tex_run_locate(&r, c, levels->low, first, is_one))
        return;
    tex_run_set_slices(&r, c->slice, levels->low, first, is_one);
    if (!tex_area_find(&area, &r, NULL, NULL))
        return;
    for (unsigned f = 0; f < ARRAY_SIZE(formats); f++)
        areas_of[f] += formats[f] == u->image.format;
}

/* The short ways to levels lead to the same ones. */
static unsigned short_levels, short_probes;
static void compare_levels(struct unit *u, const struct tex_coords *c)
{
    struct tex_levels fast, plain;
    struct tex_lod fast_lod, lod;
    if (!u->q.exec || !tex_levels_init_short(&fast, &fast_lod, &u->q, c))
        return;
    tex_lod_init(&lod, &u->q, c);
    tex_levels_init(&plain, &u->q, &lod);
    short_levels++;
    assert_int_equal(fast_lod.max_probes, lod.max_probes);
    assert_int_equal(fast.any_cubic, plain.any_cubic);
    short_probes += lod.max_probes > 1;
    bits_foreach (u->q.exec, i) {
        assert_int_equal(fast_lod.probes[i], lod.probes[i]);
        for (unsigned n = 0; n < 2 && lod.max_probes > 1; n++)
            assert_int_equal(float_bits(fast_lod.step[n][i]), float_bits(lod.step[n][i]));
        assert_int_equal(fast.low[i], plain.low[i]);
        assert_int_equal(fast.high[i], plain.high[i]);
        assert_int_equal(fast.linear[i], plain.linear[i]);
        assert_int_equal(float_bits(fast.fraction[i]), float_bits(plain.fraction[i]));
        assert_true(fast.any_fraction || fast.fraction[i] == 0);
    }
}

/* Into a row of its own, of which only active lanes change, or as channels. */
static unsigned short_samples[4];
static void compare_short(struct unit *u, const struct tex_coords *c, const struct tex_lod *lod,
                          const struct tex_levels *levels)
{
    const struct tex_query *q = &u->q;
    const bool has_row = any(2);
    uint32_t row[LANES_MAX];
    struct tex_result result;
    union tex_texel texels[LANES_MAX];
    for (unsigned i = 0; i < LANES_MAX; i++)
        row[i] = i;
    changes_now = !any(8);
    if (!tex_short_sample(&result, has_row ? row : NULL, &u->q, c))
        return;
    short_samples[(q->axes == 3) | (q->compare != NULL) << 1]++;
    assert_true(tex_sample(texels, &u->q, c, lod, levels));
    for (unsigned i = 0; i < LANES_MAX; i++) {
        if (!(q->exec >> i & 1)) {
            assert_int_equal(row[i], i);
            continue;
        }
        for (unsigned n = 0; n < (q->compare ? 1 : 4); n++) {
            const float value = has_row ? bits_float(row[i]) : result.channel[n][i];
            const bool is_first = u->image.order[n] == 0;
            if ((has_row && !is_first) || is_close(texels[i].f[n], value, !is_first))
                continue;
            fail_msg("%s axes %u wraps %u %u %u lane %u at %g %g %g: plain %.9g, short %.9g",
                     format_name(u->image.format), q->axes, u->sampler.wrap[0], u->sampler.wrap[1], u->sampler.wrap[2],
                     i, (double)c->at[0][i], (double)c->at[1][i], (double)c->at[2][i], (double)texels[i].f[n],
                     (double)value);
        }
    }
}

/* A format that was found for an image before it changed is not the one that it has now. */
static unsigned changes;
static void expect_forgotten(struct unit *u)
{
    struct tex_run r;
    if (any(8) || !tex_run_begin(&r, &u->q))
        return;
    changes++;
    changes_now = true;
    assert_false(tex_run_begin(&r, &u->q));
    assert_true(tex_run_begin(&r, &u->q));
}

/* All at once for some lanes, and step by step for all: the same bits, of four bytes, too. */
static unsigned straight_samples[3]; /* one texel, four, and with probes */
#define STRAIGHT_STATES 9
static unsigned straight_states[STRAIGHT_STATES];
static const char *const straight_names[STRAIGHT_STATES] = {
    "compared",      "volumes",  "lines",          "with offsets",       "with borders",
    "mirrored once", "of cubes", "of four floats", "with hidden pieces",
};
#if TEX_HAS_WIDE
static void count_straight(const struct unit *u, const struct tex_plan *plan)
{
    const struct tex_sampler *s = &u->sampler;
    const bool is[STRAIGHT_STATES] = {
        u->q.compare != NULL,
        u->q.axes == 3,
        u->q.axes == 1,
        u->q.offset[0] != NULL,
        !u->image.is_cube && s->wrap[0] == TEX_CLAMP_TO_BORDER,
        !u->image.is_cube && s->wrap[0] == TEX_MIRROR_ONCE_TO_EDGE,
        u->image.is_cube,
        plan->straight_kind == TEX_KIND_RGBA32F,
        u->has_hidden && u->image.level[0].width > 4,
    };
    for (unsigned n = 0; n < STRAIGHT_STATES; n++)
        straight_states[n] += is[n];
}
#endif

static void compare_straight(struct unit *u, const struct tex_coords *c, const struct tex_lod *lod,
                             const struct tex_levels *levels)
{
#if TEX_HAS_WIDE
    struct tex_result steps, straight;
    const struct tex_plan *plan = tex_plan_get(&u->q);
    u->q.wanted = (uint8_t)any(16);
    if (!plan || !plan->is_straight || !tex_straight_sample(&straight, plan, &u->q, c, lod, levels)) {
        u->q.wanted = 0;
        return;
    }
    const bool has_steps = tex_step_sample(&steps, &u->q, c, lod, levels); /* else the plain way is what judges */
    /* Rows are those of coordinates, too, and others stay as they are. */
    const unsigned components = tex_wanted_components(&u->q), channels = tex_kind_channels(plan->straight_kind);
    float into[4][LANES_MAX];
    struct tex_coords own = *c;
    memcpy(into[0], c->at[0], sizeof(into[0]));
    memcpy(into[1], c->at[1], sizeof(into[1]));
    memset(into[2], 7, 2 * sizeof(into[2]));
    own.at[0] = into[0];
    own.at[1] = into[1];
    const bool has_rows = tex_sample_into(into, &u->q, &own, lod, levels);
    assert_true(has_rows == (components < 1u << channels));
    for (unsigned n = 0; n < channels && has_rows; n++) {
        for (unsigned i = 0; i < u->q.lanes; i++) {
            const float *given = n < 2 ? (const float *)c->at[n] : NULL;
            if (components >> n & 1 && u->q.exec >> i & 1)
                assert_memory_equal(&into[n][i], &straight.value[n][i], 4);
            else if (given)
                assert_memory_equal(&into[n][i], &given[i], 4);
            else
                assert_int_equal(float_bits(into[n][i]), 0x07070707);
        }
    }
    count_straight(u, plan);
    straight_samples[lod->max_probes > 1 ? 2 : levels->linear[__builtin_ctzll(u->q.exec)]]++;
    for (unsigned i = 0; i < u->q.lanes; i++) {
        for (unsigned n = 0; n < 4 && has_steps && (u->q.exec >> i & 1); n++) {
            if (u->q.wanted && !(u->q.wanted >> n & 1))
                continue;
            if (u->q.compare && n) /* the first channel counts */
                break;
            /* Steps leave some lanes to the plain way, which sums constants, too. */
            const float one = steps.channel[n][i], other = straight.channel[n][i];
            const bool is_constant = u->image.order[n] >= tex_kind_channels(plan->straight_kind);
            if (!is_close(one, other, is_constant))
                fail_msg("%s wraps %u %u lane %u at %g %g channel %u: by steps %.9g, straight %.9g",
                         format_name(u->image.format), u->sampler.wrap[0], u->sampler.wrap[1], i, (double)c->at[0][i],
                         (double)c->at[1][i], n, (double)one, (double)other);
        }
    }
    u->q.wanted = 0;
#endif
}

/* An instruction that comes again, with other lanes: as if it came for the first time, whatever happened in between. */
enum {
    SAME_LEVEL,
    OTHER_LEVELS,
    OF_PIECES,
    OF_SLICES,
    OF_VOLUMES,
    COMPARED,
    WITH_OFFSETS,
    WITH_BORDER,
    SHORT,
    AFTER_WORK,
    AFTER_CHANGE,
    AGAIN_STATES
};
static unsigned again_samples[AGAIN_STATES];
static struct tex_again again;

static void expect_same_rows(struct unit *u, const struct tex_coords *c)
{
    struct tex_found found;
    struct tex_result result;
    float once[4][LANES_MAX], more[4][LANES_MAX];
    memset(once, 7, sizeof(once));
    memset(more, 7, sizeof(more));
    const enum tex_again_end end = tex_again_sample(more, &again, &u->q, c);
    const bool is_sampled = end == TEX_AGAIN_DONE;
    assert_true(end != TEX_AGAIN_CHANGED || !u->q.exec);
    tex_find_levels(&found, &u->q, c);
    const bool is_short = tex_short_sample(&result, (uint32_t *)once[0], &u->q, c);
    assert_true((is_short || tex_sample_into(once, &u->q, c, found.lod, found.levels)) == is_sampled);
    if (is_sampled)
        assert_memory_equal(once, more, sizeof(once));
    if (is_sampled && tex_again_result(&result, &again, &u->q, c) != TEX_AGAIN_DONE)
        fail_msg("rows, but no channels");
    for (unsigned n = 0; n < 4 * u->q.lanes && is_sampled; n++) {
        const unsigned from = u->image.order[n % 4], i = n / 4;
        if (u->q.exec >> i & 1 && again.components >> from & 1)
            assert_memory_equal(&result.channel[n % 4][i], &once[from][i], 4);
    }
    const bool is[AGAIN_STATES] = {
        [SAME_LEVEL] = u->q.is_level_zero,
        [OTHER_LEVELS] = !u->q.is_level_zero,
        [OF_PIECES] = u->has_hidden,
        [OF_SLICES] = !u->q.is_one_slice && u->q.axes == 2,
        [OF_VOLUMES] = u->q.axes == 3,
        [COMPARED] = u->q.compare != NULL,
        [WITH_OFFSETS] = u->q.offset[0],
        [WITH_BORDER] = u->sampler.wrap[0] == TEX_CLAMP_TO_BORDER,
        [SHORT] = is_short,
    };
    for (unsigned n = 0; n < AGAIN_STATES && is_sampled; n++)
        again_samples[n] += is[n];
}

static void compare_again(struct unit *u, struct tex_coords *c)
{
    const struct tex_query given = u->q;
    const uint32_t slice = c->slice[0], slices = MAX2(u->image.layers, u->image.is_cube ? 6u : 1u);
    u->q.wanted = (uint8_t)any(16);
    u->q.is_one_slice &= !u->image.is_cube;
    if (tex_again_begin(&again, &u->q)) {
        for (unsigned n = 0; n < 3; n++) {
            const float start = fraction() * 3 - 2, spread = u->image.is_cube || any(2) ? 0.1f : 2;
            for (unsigned i = 0; i < 3 * LANES_MAX; i++)
                c->own.at[i % 3][i / 3] = (u->image.is_cube ? 0.4f : start) + fraction() * spread;
            const uint32_t new_slice = u->q.is_one_slice ? slice : u->image.first_layer + any(slices);
            const bool has_slices = !u->q.is_one_slice && any(2);
            for (unsigned i = 0; i < LANES_MAX; i++)
                c->own.slice[i] = has_slices ? u->image.first_layer + any(slices) : new_slice;
            u->border.f[0] = fraction() < 0.5f ? 0 : 1;
            u->q.exec = lanes_full_mask(u->q.lanes) & ~(any(2) ? any(1 << 30) : 0);
            lanes_from_mask(u->active, u->q.exec, LANES_MAX);
            expect_same_rows(u, c);
        }
        /* Metadata may change from one work to the next, and others look in between. */
        static const struct {
            unsigned work, hidden;
            bool is_again;
        } steps[] = {{1, 0, true}, {2, 1, false}, {1, 0, true}, {3, 2, true}, {0, 1, true}, {0, 2, true}};
        const uint64_t work = u->q.work;
        const struct unit kept = *u;
        struct tex_found found;
        float rows[4][LANES_MAX];
        for (unsigned n = 0; n < ARRAY_SIZE(steps); n++) {
            u->q.work = work && steps[n].work ? work + ((uint64_t)steps[n].work << 20) : 0;
            u->has_hidden = kept.has_hidden != (steps[n].hidden > 1) && u->image.piece_log2;
            u->hidden[0][0] = kept.hidden[0][0] ^ (uint8_t)(0x55 * steps[n].hidden);
            tex_find_levels(&found, &u->q, c);
            if (steps[n].is_again)
                expect_same_rows(u, c);
            else
                (void)tex_sample_into(rows, &u->q, c, found.lod, found.levels);
        }
        again_samples[AFTER_WORK] += work && kept.has_hidden;
        u->has_hidden = kept.has_hidden;
        u->hidden[0][0] = kept.hidden[0][0];
        u->q.work = work;
        /* Tables are forgotten, or another sampler is met. */
        struct tex_sampler sampler = u->sampler;
        struct tex_query other = u->q;
        sampler.lod_bias += 1;
        other.sampler = &sampler;
        changes_now = any(2);
        if (!changes_now)
            tex_find_levels(&found, &other, c);
        assert_int_equal(tex_again_sample(rows, &again, &u->q, c), TEX_AGAIN_CHANGED);
        again_samples[AFTER_CHANGE]++;
    }
    lanes_from_mask(u->active, given.exec, LANES_MAX);
    u->q = given;
}

static bool compare_once(struct unit *u)
{
    struct tex_coords c;
    struct tex_found found;
    struct tex_result result;
    union tex_texel texels[LANES_MAX];
    memset(&found, 0, sizeof(found));
    random_query(u, &c);
    tex_find_levels(&found, &u->q, &c);
    const struct tex_lod lod = *found.lod;
    const struct tex_levels levels = *found.levels;
    compare_levels(u, &c);
    compare_gather(u, &c, &levels);
    compare_short(u, &c, &lod, &levels);
    count_area(u, &c, &levels);
    expect_forgotten(u);
    compare_straight(u, &c, &lod, &levels);
    struct tex_coords own = c;
    for (unsigned n = 0; n < 3; n++)
        own.at[n] = own.own.at[n];
    own.slice = own.own.slice;
    compare_again(u, &own);
    if (!tex_fast_sample(&result, &u->q, &c, &lod, &levels))
        return false;
    assert_true(tex_sample(texels, &u->q, &c, &lod, &levels));
    fast_pieces += u->has_hidden;
    const struct format_info *info = format_info(u->image.format);
    const enum tex_kind kind = tex_kind_of(u->sampler.is_encoded ? info->linear_format : info->format);
    const bool is_bytes = kind == TEX_KIND_RGBA8;
    for (unsigned i = 0; i < u->q.lanes; i++) {
        /* Of a comparison the first channel counts. */
        for (unsigned n = 0; n < (u->q.compare ? 1 : 4) && (u->q.exec >> i & 1); n++) {
            /* A constant channel that the plain path sums, too, may be a little off one. */
            const bool is_constant = u->image.order[n] >= tex_kind_channels(kind);
            if (is_close(texels[i].f[n], result.channel[n][i], is_bytes || is_constant))
                continue;
            print_error("%s axes %u wraps %u %u %u lane %u at %g %g channel %u: plain %.9g, fast %.9g\n",
                        format_name(u->image.format), u->image.axes, u->sampler.wrap[0], u->sampler.wrap[1],
                        u->sampler.wrap[2], i, (double)c.at[0][i], (double)c.at[1][i], n, (double)texels[i].f[n],
                        (double)result.channel[n][i]);
            fail();
        }
    }
    fast_probes += lod.max_probes > 1;
    fast_levels += levels.any_fraction;
    fast_compares += u->q.compare != NULL;
    return true;
}

static void test_random_states(void **state)
{
    struct gpu_space *space = malloc(sizeof(*space));
    int fd = memfd_create("test", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, MEMORY_B) == 0);
    assert_int_equal(gpu_space_init(space, &(struct gpu_extent){BASE, 1ull << 32}, 1), 0);
    assert_int_equal(gpu_space_map_file(space, BASE, MEMORY_B, fd, 0, GPU_PERM_READ), 0);
    uint8_t *memory = mmap(NULL, MEMORY_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(memory != MAP_FAILED);
    tex_places_at_once = true;
    struct unit u = {.memory = memory};
    for (unsigned i = 0; i < MEMORY_B; i++)
        memory[i] = (uint8_t)any(256);
    u.q = (struct tex_query){.image = &u.image,
                             .sampler = &u.sampler,
                             .ops = &ops,
                             .space = space,
                             .places = &u.places,
                             .blocks = &u.blocks};
    const unsigned rounds = 20000;
    unsigned fast = 0;
    for (unsigned round = 0; round < rounds; round++) {
        tex_places_finish(&u.places);
        random_image(&u);
        u.q.work = any(2) ? round + 1 : 0;
        for (unsigned n = 0; n < 3; n++) {
            random_sampler(&u);
            if (!compare_once(&u))
                continue;
            fast++;
            for (unsigned f = 0; f < ARRAY_SIZE(formats); f++)
                fast_of[f] += formats[f] == u.image.format;
        }
    }
    print_message("%u of %u by the fast path: %u with probes, %u with two levels, %u comparisons\n", fast, rounds * 3,
                  fast_probes, fast_levels, fast_compares);
    for (unsigned f = 0; f < ARRAY_SIZE(formats); f++)
        assert_true(fast_of[f] > 50);
    assert_true(fast_probes > 100 && fast_levels > 100 && fast_compares > 50 && fast_pieces > 50);
    assert_true(fast_gathers > 1000 && fast_ones > 1000 && compared_ones > 100 && short_levels > 1000 &&
                changes > 1000);
    unsigned areas = 0;
    for (unsigned f = 0; f < ARRAY_SIZE(formats); f++)
        areas += areas_of[f] > 50;
    print_message("the shortest way: %u of two axes, %u of three, %u compared\n", short_samples[0], short_samples[1],
                  short_samples[2]);
    assert_true((TEX_HAS_GATHERS && !TEX_HAS_WIDE) ||
                (short_samples[0] > 400 && short_samples[1] > 50 && short_samples[2] > 100));
    print_message("the straight way: %u of one texel, %u of four, %u with probes\n", straight_samples[0],
                  straight_samples[1], straight_samples[2]);
    for (unsigned n = 0; n < STRAIGHT_STATES && TEX_HAS_WIDE; n++) {
        print_message("of these %u %s\n", straight_states[n], straight_names[n]);
        assert_true(straight_states[n] > 50);
    }
    assert_true(!TEX_HAS_WIDE ||
                (straight_samples[0] > 100 && straight_samples[1] > 1000 && straight_samples[2] > 100));
    assert_true(!TEX_HAS_WIDE || short_probes > 100);
    for (unsigned n = 0; n < AGAIN_STATES && TEX_HAS_WIDE; n++) {
        print_message("again, state %u: %u\n", n, again_samples[n]);
        assert_true(again_samples[n] > 100);
    }
    assert_true(areas >= 8); /* of codecs and blocks, where the host has gathers; else of all */

    /* An image that is not all mapped has no fast path. */
    struct tex_coords c = {.at = {tex_zeros, tex_zeros, tex_zeros}, .slice = tex_no_slices};
    struct tex_lod lod = {.max_probes = 1};
    struct tex_levels levels = {.any_fraction = false};
    struct tex_result result;
    tex_places_finish(&u.places);
    u.image = (struct tex_image){.is_float = true,
                                 .axes = 2,
                                 .format = FORMAT_R8G8B8A8_UNORM,
                                 .order = {0, 1, 2, 3},
                                 .layers = 1,
                                 .level = {{64, 64, 1}}};
    u.sampler = (struct tex_sampler){.max_aniso = 1};
    u.q = (struct tex_query){.image = &u.image,
                             .sampler = &u.sampler,
                             .ops = &ops,
                             .space = space,
                             .places = &u.places,
                             .blocks = &u.blocks,
                             .lanes = 16,
                             .exec = 1,
                             .exec_lanes = u.active,
                             .axes = 2};
    u.is_tiled = false;
    u.element_B = 4;
    u.row_B[0] = 256;
    u.slice_B = 16384;
    assert_true(tex_fast_sample(&result, &u.q, &c, &lod, &levels));
    assert_int_equal(gpu_space_unmap(space, BASE + 4096, 4096, false), 0);
    assert_false(tex_fast_sample(&result, &u.q, &c, &lod, &levels));
    assert_int_equal(gpu_space_map_file(space, BASE, MEMORY_B, fd, 0, GPU_PERM_READ), 0);
    assert_true(tex_fast_sample(&result, &u.q, &c, &lod, &levels));
    /* While there are no tables, nothing is kept of them, whatever was in the memory that is to keep it: here, the
     * count of changes that the set has. */
    tex_places_at_once = false;
    tex_places_finish(&u.places);
    u.image.level[0].width = u.image.level[0].height = 2048;
    (void)mallopt(M_PERTURB, 0x5a);
    u.places.changes = 0xa5a5a5a5u - 2; /* a plan and tables are met */
    assert_false(tex_again_begin(&again, &u.q));
    assert_true(!TEX_HAS_WIDE || u.places.changes == 0xa5a5a5a5u);
    assert_false(tex_again_begin(&again, &u.q));
    (void)mallopt(M_PERTURB, 0);
    tex_places_at_once = true;
    u.image.level[0].width = u.image.level[0].height = 64;
    /* And no byte after the last texel counts. */
    tex_places_finish(&u.places);
    u.is_tiled = true;
    assert_int_equal(gpu_space_unmap(space, BASE + 16384, MEMORY_B - 16384, false), 0);
    assert_true(tex_fast_sample(&result, &u.q, &c, &lod, &levels));

    tex_places_finish(&u.places);
    tex_blocks_finish(&u.blocks);
    gpu_space_finish(space);
    free(space);
    munmap(memory, MEMORY_B);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
