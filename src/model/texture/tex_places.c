/* See tex_places.h. */
#include "model/texture/tex_places.h"

#include <stdlib.h>
#include <string.h>

#include "model/texture/tex_fast.h"
#include "util/bits.h"

#define MAX_SLICES 16384        /* of all levels together */
#define MAX_ENTRIES 131072      /* of x and y together */
#define MAX_SIZE_B (1ull << 31) /* offsets are lanes of 32 bits, and signed for some hosts */
#define ENTRIES_A_WAVE 256

bool tex_places_at_once;

static void clear_places(struct tex_places *p)
{
    free(p->x);
    memset(p, 0, sizeof(*p));
}

/* All but plans, which an instruction at hand may have. */
static void forget_tables(struct tex_places_set *set)
{
    for (unsigned i = 0; i < TEX_PLACES_SETS; i++) {
        if (set->of[i])
            clear_places(set->of[i]);
    }
    tex_look_end(set->looked);
    set->looked = NULL;
    tex_plans_forget(set);
    set->changes++;
}

void tex_places_finish(struct tex_places_set *set)
{
    forget_tables(set);
    for (unsigned i = 0; i < TEX_PLACES_SETS; i++)
        free(set->of[i]);
    for (unsigned i = 0; i < TEX_PLANS; i++) {
        if (set->plans[i])
            free(set->plans[i]->kept);
        free(set->plans[i]);
    }
    *set = (struct tex_places_set){.changes = set->changes};
}

/* ---- tables ---- */

/* How many entries a table with both ends has, and which of them is texel 0. Mirrored axes are there and back, or come
 * from there. */
static uint32_t entries_of(uint32_t size, unsigned wrap)
{
    return (wrap == TEX_MIRROR || wrap == TEX_MIRROR_ONCE_TO_EDGE ? 2 * size : size) + 2 * TEX_PLACES_PAD;
}

static uint32_t lead_of(uint32_t size, unsigned wrap)
{
    return (wrap == TEX_MIRROR_ONCE_TO_EDGE ? size : 0) + TEX_PLACES_PAD;
}

uint32_t tex_places_texel(int32_t i, int32_t size, unsigned wrap)
{
    int32_t rest;
    switch (wrap) {
    case TEX_REPEAT:
        rest = i % size;
        return (uint32_t)(rest < 0 ? rest + size : rest);
    case TEX_MIRROR:
        rest = i % (2 * size);
        rest = rest < 0 ? rest + 2 * size : rest;
        return (uint32_t)(rest < size ? rest : 2 * size - 1 - rest);
    case TEX_MIRROR_ONCE_TO_EDGE:
        rest = i < 0 ? -1 - i : i;
        return (uint32_t)MIN2(rest, size - 1);
    default:
        return (uint32_t)(i < 0 ? 0 : MIN2(i, size - 1));
    }
}

/* All bits up to the highest one of `bits`. */
static uint32_t fill_bits(uint32_t bits)
{
    return bits ? UINT32_MAX >> __builtin_clz(bits) : 0;
}

struct maker {
    struct tex_places *p;
    struct tex_query *q;
    const struct format_info *format;
    uint64_t most_B; /* the farthest byte of any slice */
};

/* The farthest entry, and the bits of all. */
static uint32_t make_x(struct maker *m, unsigned level, uint32_t *to, uint32_t *bits_out)
{
    const uint32_t size = m->q->image->level[level].width, lead = lead_of(size, m->p->wrap[0]);
    uint32_t most = 0, bits = 0;
    for (uint32_t n = 0; n < entries_of(size, m->p->wrap[0]); n++) {
        uint32_t texel = tex_places_texel((int32_t)(n - lead), (int32_t)size, m->p->wrap[0]);
        struct tex_place place = m->q->ops->place(m->q, level, 0, texel / m->format->block_width);
        to[n] = place.xor_B;
        most = MAX2(most, place.xor_B);
        bits |= place.xor_B;
        if (m->p->x_inside)
            m->p->x_inside[to + n - m->p->x] = (uint8_t)(texel % m->format->block_width);
    }
    *bits_out = bits;
    return most;
}

/* The farthest byte that x, y and z reach: what y and z change is below their highest bit, and only bits that one of
 * them has. */
static uint64_t make_y(struct maker *m, unsigned level, struct tex_place *to, uint32_t x_most, uint32_t x_bits,
                       uint32_t z_bits)
{
    const uint32_t size = m->q->image->level[level].height;
    const uint32_t entries = entries_of(size, m->p->wrap[1]), lead = lead_of(size, m->p->wrap[1]);
    uint32_t bits = x_bits | z_bits;
    uint64_t most = 0;
    for (uint32_t n = 0; n < entries; n++) {
        uint32_t texel = tex_places_texel((int32_t)(n - lead), (int32_t)size, m->p->wrap[1]);
        to[n] = m->q->ops->place(m->q, level, 1, texel / m->format->block_height);
        bits |= to[n].xor_B;
        if (m->p->y_inside)
            m->p->y_inside[to + n - m->p->y] = (uint8_t)(texel % m->format->block_height * m->format->block_width);
    }
    for (uint32_t n = 0; n < entries; n++)
        most = MAX2(most, (uint64_t)((x_most | fill_bits(to[n].xor_B | z_bits)) & bits) + to[n].add_B);
    return most;
}

/* Along how many texels the parts of an offset are those of one piece: a power of two. */
#define PIECE_MAX_LOG2 8

static bool is_one_piece(const struct tex_place *a, const struct tex_place *b, unsigned log2)
{
    return a->xor_B >> log2 == b->xor_B >> log2 && a->add_B == b->add_B;
}

static uint8_t piece_height_log2(const struct tex_place *y, uint32_t size, unsigned piece_log2)
{
    for (unsigned log2 = 1; log2 <= PIECE_MAX_LOG2; log2++) {
        for (uint32_t i = 0; i < size; i++) {
            if (!is_one_piece(&y[i], &y[i >> log2 << log2], piece_log2))
                return (uint8_t)(log2 - 1);
        }
    }
    return PIECE_MAX_LOG2;
}

static uint8_t piece_width_log2(const uint32_t *x, uint32_t size, unsigned piece_log2)
{
    for (unsigned log2 = 1; log2 <= PIECE_MAX_LOG2; log2++) {
        for (uint32_t i = 0; i < size; i++) {
            if (x[i] >> piece_log2 != x[i >> log2 << log2] >> piece_log2)
                return (uint8_t)(log2 - 1);
        }
    }
    return PIECE_MAX_LOG2;
}

static void measure_axis(struct tex_places *p, unsigned axis, unsigned level, uint32_t size)
{
    const int32_t last = (int32_t)size - 1;
    p->scale[axis][level] = (float)size * 256;
    p->most[axis][level] = p->wrap[axis] == TEX_REPEAT   ? last + 1 + TEX_PLACES_OFFSET
                           : p->wrap[axis] == TEX_MIRROR ? 2 * (last + 1) + TEX_PLACES_OFFSET
                                                         : last;
}

static void make_level(struct maker *m, unsigned level)
{
    struct tex_places *p = m->p;
    measure_axis(p, 0, level, m->q->image->level[level].width);
    measure_axis(p, 1, level, m->q->image->level[level].height);
    struct tex_place *z = p->z + (size_t)level * p->slices;
    const uint32_t x_lead = lead_of(m->q->image->level[level].width, p->wrap[0]),
                   y_lead = lead_of(m->q->image->level[level].height, p->wrap[1]);
    uint32_t z_bits = 0, z_most = 0;
    for (uint32_t slice = 0; slice < p->slices; slice++) {
        z[slice] = m->q->ops->place(m->q, level, 2, slice);
        z_bits |= z[slice].xor_B;
        z_most = MAX2(z_most, z[slice].add_B);
    }
    uint32_t x_bits, x_most = make_x(m, level, p->x + p->x_start[level] - x_lead, &x_bits);
    uint64_t most = make_y(m, level, p->y + p->y_start[level] - y_lead, x_most, x_bits, z_bits);
    m->most_B = MAX2(m->most_B, most + z_most + p->element_B);
    const struct tex_image *image = m->q->image;
    if (image->piece_log2) {
        p->piece_w_log2[level] =
            piece_width_log2(p->x + p->x_start[level], image->level[level].width, image->piece_log2);
        p->piece_h_log2[level] =
            piece_height_log2(p->y + p->y_start[level], image->level[level].height, image->piece_log2);
    }
}

/* Sizes and starts; false: more than is worth it. */
static bool plan(struct tex_places *p, const struct tex_image *image, uint32_t *x_out, uint32_t *y_out)
{
    uint64_t x = 0, y = 0;
    const uint32_t least = image->is_cube ? 6 : 1; /* a cube has its faces, whatever its descriptor says of layers */
    p->slices = image->first_layer + MAX2(MAX2(image->layers, image->level[0].depth), least);
    for (unsigned level = 0; level <= image->last_level; level++) {
        p->x_start[level] = (uint32_t)x + lead_of(image->level[level].width, p->wrap[0]);
        p->y_start[level] = (uint32_t)y + lead_of(image->level[level].height, p->wrap[1]);
        x += entries_of(image->level[level].width, p->wrap[0]);
        y += entries_of(image->level[level].height, p->wrap[1]);
    }
    *x_out = (uint32_t)x;
    *y_out = (uint32_t)y;
    return x + y <= MAX_ENTRIES && (uint64_t)p->slices * (image->last_level + 1u) <= MAX_SLICES;
}

static bool make_places(struct tex_places *p, struct tex_query *q)
{
    const struct tex_image *image = q->image;
    struct maker m = {.p = p, .q = q, .format = format_info(image->format)};
    uint32_t x, y;
    if (!q->ops->layout(q, &p->base_va) || !plan(p, image, &x, &y))
        return false;
    bool is_block = format_is_compressed(m.format);
    uint32_t z = p->slices * (image->last_level + 1u);
    p->element_B = m.format->block_size_B;
    const uint32_t more = TEX_PLACES_WINDOW, columns = align_u64(x, 2) + 2 * y + 2 * more;
    p->x = malloc(columns * sizeof(*p->x) + (size_t)(y + z) * sizeof(*p->y) + (is_block ? x + y : 0));
    if (!p->x)
        return false;
    p->y_xor = p->x + align_u64(x, 2);
    p->y_add = p->y_xor + y;
    memset(p->y_add + y, 0, 2 * more * sizeof(*p->x));
    p->y = (struct tex_place *)(p->x + columns);
    p->z = p->y + y;
    p->x_inside = is_block ? (uint8_t *)(p->z + z) : NULL;
    p->y_inside = is_block ? p->x_inside + x : NULL;
    for (unsigned level = 0; level <= image->last_level; level++)
        make_level(&m, level);
    for (uint32_t n = 0; n < y; n++) {
        p->y_xor[n] = p->y[n].xor_B;
        p->y_add[n] = p->y[n].add_B;
    }
    p->size_B = m.most_B;
    return p->size_B < MAX_SIZE_B;
}

/* ---- memory ---- */

/* Whether all of it may be read; looked at when something has been mapped or unmapped. */
static bool find_memory(struct tex_places *p, const struct gpu_space *space)
{
    uint32_t changes = gpu_space_changes(space, p->base_va);
    if (__builtin_expect(p->space != space || p->changes != changes, 0)) {
        p->host = gpu_space_whole(space, p->base_va, p->size_B, GPU_PERM_READ);
        p->space = space;
        p->changes = changes;
    }
    return p->host != NULL;
}

/* ---- sets ---- */

static struct tex_places *find_places(struct tex_places_set *set, const uint8_t wrap[2])
{
    for (unsigned i = 0; i < TEX_PLACES_SETS; i++) {
        struct tex_places *p = set->of[i];
        if (p && p->wrap[0] == wrap[0] && p->wrap[1] == wrap[1])
            return p;
    }
    struct tex_places **slot = &set->of[set->next];
    if (!*slot && !(*slot = calloc(1, sizeof(**slot))))
        return NULL;
    set->next = (set->next + 1) % TEX_PLACES_SETS;
    set->changes++;
    clear_places(*slot);
    memcpy((*slot)->wrap, wrap, sizeof((*slot)->wrap));
    return *slot;
}

/* Tables cost what a few waves do: an image of which one pixel is sampled goes the plain way. */
static bool is_worth_it(struct tex_places *p, const struct tex_image *image)
{
    uint64_t size = 2ull * (image->level[0].width + image->level[0].height) + image->layers;
    return tex_places_at_once || ++p->waves * (uint64_t)ENTRIES_A_WAVE >= size;
}

const struct tex_places *tex_places_get(struct tex_query *q)
{
    /* Borders and cubes leave the fast path where they are met: inside, they are like clamped ones. */
    uint8_t wrap[2];
    for (unsigned axis = 0; axis < 2; axis++) {
        unsigned given = q->image->is_cube || axis >= q->axes ? TEX_CLAMP_TO_EDGE : q->sampler->wrap[axis];
        wrap[axis] = given == TEX_CLAMP_TO_BORDER ? TEX_CLAMP_TO_EDGE : (uint8_t)given;
    }
    if (q->ops->has_changed && q->ops->has_changed(q))
        forget_tables(q->places);
    struct tex_places *p = find_places(q->places, wrap);
    if (!p || (!p->is_made && !is_worth_it(p, q->image)))
        return NULL;
    if (__builtin_expect(!p->is_made, 0)) {
        p->is_good = make_places(p, q);
        p->is_made = true;
    }
    return p->is_good && find_memory(p, q->space) ? p : NULL;
}

bool tex_places_are_same(struct tex_query *q, const struct tex_places *p, uint32_t changes)
{
    struct tex_places_set *const set = q->places;
    if (q->ops->has_changed && q->ops->has_changed(q))
        forget_tables(set);
    return set->changes == changes && p->space == q->space && p->changes == gpu_space_changes(q->space, p->base_va) &&
           p->host;
}
