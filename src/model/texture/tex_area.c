/* Footprints that lie together: neighbouring pixels look at nearly the same texels, four each. The rectangle of texels
 * around all of them is loaded and made floats once (81 texels for 8 by 8 pixels with a texel each, whose footprints
 * have 256), and each lane takes its four from there, side by side. What comes out has the same bits as footprint by
 * footprint: values, weights and the order of sums are the same.
 *
 * Not for footprints of one texel, and where something is beyond an edge that the tables do not have. Hosts with
 * gathers have words as fast as that, so there it is for texels that are made one by one and for volumes of one
 * channel, whose eight words of a lane are more than what is loaded for it here. */
#include "model/texture/tex_run.h"

#include <string.h>

#include "util/bits.h"
#include "util/format/channel.h"
#if defined(__aarch64__)
#include "util/intrinsics.h"
#endif

/* ---- which texels ---- */

/* Of active lanes. */
static struct tex_range range_of(const uint32_t *restrict at, const uint32_t *restrict active, unsigned lanes)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (unsigned i = 0; i < lanes; i++) {
        const uint32_t from = at[i] | ~active[i], until = at[i] & active[i];
        low = MIN2(low, from);
        high = MAX2(high, until);
    }
    return (struct tex_range){low, high};
}

/* As many as footprints have, four or, in volumes, eight, or half of that for each of several probes; more, if texels
 * are made one by one, which costs more than what vectors make. */
static uint32_t most_texels(const struct tex_run *r, unsigned probes)
{
    const bool is_dear = r->kind == TEX_KIND_SRGB8 || r->kind >= TEX_KIND_CODEC;
    const uint32_t each = (is_dear ? 6 : 4) * (r->q->axes == 3 ? 2 : 1) / (probes > 1 ? 2 : 1);
    return MIN2(each * r->q->lanes * probes, TEX_AREA_TEXELS);
}

static struct tex_range unite_ranges(struct tex_range a, struct tex_range b)
{
    return (struct tex_range){MIN2(a.low, b.low), MAX2(a.high, b.high)};
}

/* The rectangle around the footprints of some lanes, one of which is `first`. False: too large. */
static bool find_part(struct tex_area_part *to, const struct tex_run *r, const uint32_t *lanes, unsigned first,
                      const uint32_t *second_slice, const struct tex_reach *reach)
{
    const uint32_t most = most_texels(r, reach ? reach->probes : 1), last = r->places->slices - 1;
    struct tex_range x = range_of(r->f.x.at, lanes, r->q->lanes), y = range_of(r->f.y.at, lanes, r->q->lanes);
    if (reach) {
        x = unite_ranges(x, range_of(reach->x, lanes, r->q->lanes));
        y = unite_ranges(y, range_of(reach->y, lanes, r->q->lanes));
    }
    struct tex_range z = {r->slice[first], r->slice[first]};
    if (x.high - x.low >= most || y.high - y.low >= most)
        return false;
    if (second_slice) {
        const struct tex_range other = range_of(second_slice, lanes, r->q->lanes);
        z = unite_ranges(range_of(r->slice, lanes, r->q->lanes), other);
    }
    z = (struct tex_range){MIN2(z.low, last), MIN2(z.high, last)};
    *to = (struct tex_area_part){
        .x = x.low,
        .y = y.low,
        .z = z.low,
        .columns = x.high - x.low + 2,
        .rows = y.high - y.low + 2,
        .slices = z.high - z.low + 1,
        .level = r->level[first],
        .last = last,
    };
    return z.high - z.low < most;
}

/* The first texel of each lane's footprint, where a lane is one of these; others keep theirs or, with the first part,
 * have some. NULL: all lanes are within. */
static void number_lanes(uint32_t *restrict to, const struct tex_area_part *part, uint32_t pitch,
                         const struct tex_run *r, const uint32_t *restrict lanes)
{
    const uint32_t *restrict const x = r->f.x.at, *restrict const y = r->f.y.at, *restrict const slice = r->slice;
    const uint32_t plane = pitch * part->rows, last = r->places->slices - 1,
                   from = part->start - part->y * pitch - part->x - (part->slices > 1 ? part->z * plane : 0),
                   kept = part->start ? UINT32_MAX : 0;
    if (!lanes && part->slices == 1) {
        for (unsigned i = 0; i < r->q->lanes; i++)
            to[i] = y[i] * pitch + x[i] + from;
        return;
    }
    if (!lanes) {
        for (unsigned i = 0; i < r->q->lanes; i++)
            to[i] = MIN2(slice[i], last) * plane + y[i] * pitch + x[i] + from;
        return;
    }
    if (part->slices > 1) {
        for (unsigned i = 0; i < r->q->lanes; i++)
            to[i] = (MIN2(slice[i], last) * plane + y[i] * pitch + x[i] + from) & lanes[i];
        return;
    }
    for (unsigned i = 0; i < r->q->lanes; i++)
        to[i] = (to[i] & kept) | ((y[i] * pitch + x[i] + from) & lanes[i]);
}

/* The rectangle around all lanes, which was found with their positions. False: too large. */
static bool use_box(struct tex_area *a, const struct tex_run *r, bool is_volume)
{
    const uint32_t last = r->places->slices - 1, most = most_texels(r, 1);
    const struct tex_range x = r->box[0], y = r->box[1],
                           z = is_volume ? r->box[2] : (struct tex_range){r->slice[r->first], r->slice[r->first]};
    const uint32_t columns = x.high - x.low + 2, rows = y.high - y.low + 2,
                   slices = MIN2(z.high, last) - MIN2(z.low, last) + 1;
    if (columns > most || rows > most || slices > most || (uint64_t)columns * rows * slices > most)
        return false;
    a->is_one = true;
    a->part_count = 1;
    a->pitch = columns;
    a->count = columns * rows * slices;
    a->parts[0] = (struct tex_area_part){
        .x = x.low,
        .y = y.low,
        .z = MIN2(z.low, last),
        .columns = columns,
        .rows = rows,
        .slices = slices,
        .level = r->level[r->first],
        .last = last,
    };
    number_lanes(a->first, &a->parts[0], columns, r, NULL);
    return true;
}

/* Lanes that are where lane `first` is, of those that are left. */
static void find_neighbours(uint32_t *restrict to, const struct tex_run *r, unsigned first, uint64_t *left)
{
    const uint8_t *restrict const levels = r->level;
    const uint32_t *restrict const slices = r->slice, *restrict const active = r->q->exec_lanes;
    const uint32_t level = levels[first], slice = slices[first];
    for (unsigned i = 0; i < r->q->lanes; i++)
        to[i] = (levels[i] == level && slices[i] == slice ? UINT32_MAX : 0) & active[i];
    *left &= ~lanes_to_mask(to, r->q->lanes);
}

bool tex_area_find(struct tex_area *a, const struct tex_run *r, const uint32_t *second_slice,
                   const struct tex_reach *reach)
{
    const struct tex_query *q = r->q;
    const bool is_one = r->is_one_level && (r->f.is_one_slice || q->axes == 3);
    uint32_t(*const lanes)[LANES_MAX] = a->lanes;
    uint64_t left = q->exec;
    const bool is_volume = q->axes == 3 && tex_kind_channels(r->kind) == 1;
    if (r->f.taps != 4 || r->is_outside || r->others || (TEX_HAS_GATHERS && r->kind < TEX_KIND_CODEC && !is_volume) ||
        (q->axes == 3 && !is_one))
        return false;
    if (r->has_box && is_one && !reach)
        return use_box(a, r, q->axes == 3);
    a->pitch = a->count = 0;
    for (a->part_count = 0; left; a->part_count++) {
        const unsigned n = a->part_count, first = (unsigned)__builtin_ctzll(left);
        if (n == TEX_AREA_PARTS)
            return false;
        if (is_one)
            left = 0;
        else
            find_neighbours(lanes[n], r, first, &left);
        if (!find_part(&a->parts[n], r, is_one ? q->exec_lanes : lanes[n], first, second_slice, reach))
            return false;
        a->pitch = MAX2(a->pitch, a->parts[n].columns);
    }
    for (unsigned n = 0; n < a->part_count; n++) {
        a->parts[n].start = a->count;
        a->count += a->pitch * a->parts[n].rows * a->parts[n].slices;
        if (a->count > most_texels(r, reach ? reach->probes : 1))
            return false;
    }
    a->is_one = is_one;
    for (unsigned n = 0; n < a->part_count && !reach; n++)
        number_lanes(a->first, &a->parts[n], a->pitch, r, is_one ? q->exec_lanes : lanes[n]);
    return true;
}

/* Constants where it is inlined: is_first. */
TEX_INLINE uint32_t move_lanes(uint32_t *restrict to, const struct tex_area_part *part, uint32_t pitch,
                               const struct tex_run *r, const uint32_t *restrict lanes, const uint32_t *restrict wanted,
                               bool is_first)
{
    const uint32_t *restrict const x = r->f.x.at, *restrict const y = r->f.y.at;
    const uint32_t x0 = part->x, y0 = part->y, start = part->start, columns = part->columns - 1, rows = part->rows - 1;
    uint32_t outside = 0;
    for (unsigned i = 0; i < r->q->lanes; i++) {
        const uint32_t at_x = x[i] - x0, at_y = y[i] - y0, mask = lanes[i] & wanted[i];
        outside |= (at_x >= columns || at_y >= rows ? UINT32_MAX : 0) & mask;
        to[i] = (is_first ? 0 : to[i]) | ((at_y * pitch + at_x + start) & mask);
    }
    return outside;
}

bool tex_area_move(struct tex_area *a, const struct tex_run *r, const uint32_t *wanted)
{
    uint32_t outside = 0;
    for (unsigned n = 0; n < a->part_count; n++) {
        const uint32_t *lanes = a->is_one ? r->q->exec_lanes : a->lanes[n];
        if (n == 0)
            outside |= move_lanes(a->first, &a->parts[n], a->pitch, r, lanes, wanted, true);
        else
            outside |= move_lanes(a->first, &a->parts[n], a->pitch, r, lanes, wanted, false);
    }
    return !outside;
}

void tex_area_next_slice(struct tex_area *a, const struct tex_run *r)
{
    number_lanes(a->first, &a->parts[0], a->pitch, r, r->q->exec_lanes);
}

/* ---- texels from memory ---- */

/* Constants where it is inlined: stride_B, size_B; what is narrower has zeros above it. `step`: so many columns at
 * once, which the pitch and the ends of tables have room for. */
TEX_INLINE void load_part(uint8_t *to, unsigned stride_B, const struct tex_area_part *part, uint32_t pitch,
                          const struct tex_places *p, unsigned size_B, unsigned skip_B, unsigned step)
{
    const uint32_t *restrict const x = p->x + part->x;
    for (uint32_t z = 0; z < part->slices; z++) {
        const uint32_t at_z = MIN2(part->z + (z > part->lead ? z - part->lead : 0), part->last);
        const struct tex_place slice = p->z[part->level * p->slices + at_z];
        for (uint32_t row = 0; row < part->rows; row++, to += pitch * stride_B) {
            const struct tex_place y = p->y[part->y + row];
            const uint8_t *restrict const base = p->host + slice.add_B + y.add_B + skip_B;
            const uint32_t mix = y.xor_B ^ slice.xor_B;
            uint8_t *restrict const at = to;
            for (uint32_t from = 0; from < part->columns; from += step) {
                for (uint32_t column = from; column < from + step; column++) {
                    uint32_t narrow = 0;
                    memcpy(size_B < stride_B ? (uint8_t *)&narrow : at + column * stride_B, base + (x[column] ^ mix),
                           size_B);
                    if (size_B < stride_B)
                        memcpy(at + column * stride_B, &narrow, sizeof(narrow));
                }
            }
        }
    }
}

TEX_INLINE void load_texels(void *to, unsigned stride_B, const struct tex_area *a, const struct tex_places *p,
                            unsigned size_B, unsigned skip_B)
{
    if (a->part_count > 1) /* rows may be longer than a part's */
        memset(to, 0, a->count * stride_B);
    if (a->part_count == 1 && a->pitch % TEX_AREA_STEP == 0) {
        load_part(to, stride_B, &a->parts[0], a->pitch, p, size_B, skip_B, TEX_AREA_STEP);
        return;
    }
    for (unsigned n = 0; n < a->part_count; n++)
        load_part((uint8_t *)to + a->parts[n].start * stride_B, stride_B, &a->parts[n], a->pitch, p, size_B, skip_B, 1);
}

/* Texels that are none are those of the first place. */
static void point_at_texels(const uint8_t **to, const struct tex_area *a, const struct tex_places *p)
{
    for (uint32_t n = 0; n < a->count && a->part_count > 1; n++)
        to[n] = p->host;
    for (unsigned n = 0; n < a->part_count; n++) {
        const struct tex_area_part *part = &a->parts[n];
        for (uint32_t row = 0; row < part->rows * part->slices; row++) {
            const struct tex_place slice = p->z[part->level * p->slices + part->z + row / part->rows],
                                   y = p->y[part->y + row % part->rows];
            const uint8_t **at = to + part->start + row * a->pitch;
            for (uint32_t column = 0; column < part->columns; column++)
                at[column] = p->host + ((p->x[part->x + column] ^ y.xor_B ^ slice.xor_B) + y.add_B + slice.add_B);
        }
    }
}

/* The metadata of texels, by texel; `has_ones` is false where all are as memory has them. False: not known. */
static bool look_at_meta(uint8_t *pieces, bool *has_ones, const struct tex_area *a, struct tex_run *r)
{
    *has_ones = false;
    if (!r->q->image->piece_log2)
        return true;
    memset(pieces, 0, a->count);
    for (unsigned n = 0; n < a->part_count; n++) {
        const enum tex_piece piece =
            tex_look_at_area(pieces + a->parts[n].start, a->pitch, r->looked, &a->parts[n], r->places, r->q);
        *has_ones |= piece == TEX_PIECE_ONE;
        if (piece == TEX_PIECE_UNKNOWN)
            return false;
    }
    return true;
}

/* Elements that stand for texels, to where those were loaded. */
static void put_ones(void *to, unsigned stride_B, const uint8_t *pieces, const struct tex_area *a,
                     const struct tex_run *r, unsigned size_B, unsigned skip_B)
{
    for (uint32_t n = 0; n < a->count; n++) {
        if (pieces[n])
            memcpy((uint8_t *)to + n * stride_B, r->looked->ones[pieces[n] - 1] + skip_B, size_B);
    }
}

/* ---- one channel ---- */

bool tex_area_load_one(struct tex_area *a, struct tex_run *r, unsigned channel)
{
    const struct tex_places *p = r->places;
    /* Texels of two words have two halves or one float in each. */
    const unsigned skip_B = p->element_B < 8 ? 0 : r->kind == TEX_KIND_RG32F ? channel * 4 : channel / 2 * 4;
    uint32_t words[TEX_AREA_TEXELS];
    uint8_t pieces[TEX_AREA_TEXELS];
    bool has_ones;
    if (!look_at_meta(pieces, &has_ones, a, r))
        return false;
    const unsigned count = (unsigned)align_u64(a->count, 16);
    memset(words + a->count, 0, (count - a->count) * sizeof(words[0]));
    if (p->element_B == 1)
        load_texels(words, 4, a, p, 1, 0);
    else if (p->element_B == 2)
        load_texels(words, 4, a, p, 2, 0);
    else
        load_texels(words, 4, a, p, 4, skip_B);
    if (has_ones)
        put_ones(words, 4, pieces, a, r, MIN2(p->element_B, 4u), skip_B);
    tex_take_words(a->one, words, words, r->kind, channel, count);
    return true;
}

/* ---- four channels ---- */

/* Bytes as they are. */
static void widen_bytes(float *restrict to, const uint8_t *restrict from, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static void widen_srgb(float (*restrict to)[4], const uint32_t *restrict from, unsigned count, bool has_alpha)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t word = tex_index(from[i]);
        const uint64_t r = float_bits(format_srgb_to_float(word & 255)),
                       g = float_bits(format_srgb_to_float(word >> 8 & 255)),
                       b = float_bits(format_srgb_to_float(word >> 16 & 255)); /* and nothing above it */
        const uint64_t texel[2] = {r | g << 32, b};
        memcpy(to[i], texel, sizeof(texel));
    }
    for (unsigned i = 0; has_alpha && i < count; i++)
        to[i][3] = format_unorm_to_float(from[i] >> 24, 8);
}

static void widen_halves(float *restrict to, const uint16_t *restrict from, unsigned count)
{
#if FORMAT_FP16 && defined(__aarch64__)
    for (unsigned i = 0; i < count; i += 4)
        vst1q_f32(to + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from + i))));
#else
    for (unsigned i = 0; i < count; i++)
        to[i] = format_half_to_float(from[i]);
#endif
}

/* Texels that may be infinite have weights that are looked at one by one. */
static bool are_finite(const float *values, unsigned count)
{
    uint32_t most = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t magnitude = float_bits(values[i]) & 0x7fffffffu;
        most = MAX2(most, magnitude);
    }
    return most < 0x7f800000u;
}

static bool load_blocks(struct tex_area *a, const struct tex_run *r)
{
    const struct tex_places *p = r->places;
    const uint8_t *at[TEX_AREA_TEXELS], *known = NULL;
    tex_texels block = NULL;
    point_at_texels(at, a, p);
    if (a->part_count > 1)
        memset(a->four, 0, a->count * sizeof(a->four[0]));
    for (unsigned i = 0; i < a->part_count; i++) {
        const struct tex_area_part *part = &a->parts[i];
        for (uint32_t row = 0; row < part->rows * part->slices; row++) {
            const uint32_t start = part->start + row * a->pitch;
            for (uint32_t column = 0; column < part->columns; column++) {
                const uint32_t n = start + column;
                const unsigned inside = p->x_inside[part->x + column] + p->y_inside[part->y + row % part->rows];
                if (at[n] != known &&
                    !(block = tex_block_at(r->q->blocks, r->format, r->q->image->is_narrow, at[n], p->element_B)))
                    return false;
                known = at[n];
                memcpy(a->four[n], block[inside], sizeof(a->four[n]));
            }
        }
    }
    return true;
}

static void load_codec(struct tex_area *a, const uint8_t *pieces, bool has_ones, const struct tex_run *r)
{
    const uint8_t *at[TEX_AREA_TEXELS];
    point_at_texels(at, a, r->places);
    for (uint32_t n = 0; has_ones && n < a->count; n++)
        at[n] = pieces[n] ? r->looked->ones[pieces[n] - 1] : at[n];
    format_codec(r->format)->fetch_float(a->four, (const void *const *)at, a->count);
}

bool tex_area_load_four(struct tex_area *a, struct tex_run *r)
{
    const struct tex_places *p = r->places;
    uint32_t raw[2 * TEX_AREA_TEXELS];
    uint8_t pieces[TEX_AREA_TEXELS];
    bool has_ones;
    if (!look_at_meta(pieces, &has_ones, a, r) || (has_ones && r->kind == TEX_KIND_BLOCKS))
        return false;
    switch (r->kind) {
    case TEX_KIND_RGBA8:
    case TEX_KIND_SRGB8:
        load_texels(raw, 4, a, p, 4, 0);
        if (has_ones)
            put_ones(raw, 4, pieces, a, r, 4, 0);
        if (r->kind == TEX_KIND_RGBA8)
            widen_bytes(a->four[0], (const uint8_t *)raw, 4 * a->count);
        else
            widen_srgb(a->four, raw, a->count, tex_is_wanted(r->q, 3));
        return true;
    case TEX_KIND_RGBA16F:
        load_texels(raw, 8, a, p, 8, 0);
        if (has_ones)
            put_ones(raw, 8, pieces, a, r, 8, 0);
        widen_halves(a->four[0], (const uint16_t *)raw, 4 * a->count);
        break;
    case TEX_KIND_CODEC:
        load_codec(a, pieces, has_ones, r);
        break;
    case TEX_KIND_BLOCKS:
        if (!load_blocks(a, r))
            return false;
        break;
    default:
        return false;
    }
    return are_finite(a->four[0], 4 * a->count);
}
