/* Texels of the fast path that are not where the tables have them: beyond an edge of a cube's face, on another one, or
 * outside of an image with a border. They take the place of the words that were loaded there. */
#include "model/texture/tex_fast.h"

#include <string.h>

#include "util/bits.h"

/* ---- borders ---- */

/* A component that is 0 or 1, as a code of so many bits. */
static bool code_of(float value, unsigned bits, uint32_t *code_out)
{
    *code_out = value == 1 ? (uint32_t)bits_mask(bits) : 0;
    return value == 0 || value == 1;
}

/* Channels of so many bits, beside each other in words. */
static bool pack_words(uint32_t words[4], const float *components, unsigned channels, unsigned bits)
{
    for (unsigned n = 0; n < channels; n++) {
        uint32_t code;
        if (!code_of(components[n], bits, &code))
            return false;
        words[n * bits / 32] |= code << n * bits % 32;
    }
    return true;
}

/* Each channel either 0 or this code of one, at this bit. */
static bool pack_ones(uint32_t words[4], const float *components, unsigned channels, const uint32_t *ones,
                      const uint8_t *shifts)
{
    for (unsigned n = 0; n < channels; n++) {
        if (components[n] != 0 && components[n] != 1)
            return false;
        words[shifts[n] / 32] |= components[n] == 1 ? ones[n] << shifts[n] % 32 : 0;
    }
    return true;
}

bool tex_border_words(uint32_t words[4], struct tex_query *q, enum tex_kind kind)
{
    union tex_texel border;
    float components[4] = {0, 0, 0, 1};
    const unsigned channels = tex_kind_channels(kind);
    if (kind == TEX_KIND_CODEC || kind == TEX_KIND_BLOCKS || !q->ops->border(q, &border))
        return false;
    for (unsigned n = 0; n < 4; n++) { /* X, Y, Z and W of it are these components, or what a texel has there */
        const unsigned from = q->image->order[n];
        const float constant = from == TEX_ORDER_ONE || from == 3 ? 1 : 0;
        if (from < channels)
            components[from] = border.f[n];
        else if (border.f[n] != constant && !q->compare) /* of which the first one counts */
            return false;
    }
    for (unsigned n = 0; n < 4; n++) { /* two of them may be one component */
        const unsigned from = q->image->order[n];
        if (from < channels && components[from] != border.f[n])
            return false;
    }
    static const uint32_t halves[4] = {0x3c00, 0x3c00, 0x3c00, 0x3c00}, bytes[4] = {0x7f, 0x7f, 0x7f, 0x7f},
                          rgb10a2[4] = {0x3ff, 0x3ff, 0x3ff, 3}, floats[3] = {0x3c0, 0x3c0, 0x1e0},
                          rgb565[3] = {31, 63, 31};
    memset(words, 0, 4 * sizeof(*words));
    switch (kind) {
    case TEX_KIND_RGBA8:
    case TEX_KIND_SRGB8:
    case TEX_KIND_R8:
    case TEX_KIND_RG8:
        return pack_words(words, components, channels, 8);
    case TEX_KIND_R16:
    case TEX_KIND_RG16:
        return pack_words(words, components, channels, 16);
    case TEX_KIND_D24:
        return pack_words(words, components, 1, 24);
    case TEX_KIND_RGBA16:
        return pack_words(words, components, channels, 16);
    case TEX_KIND_R16F:
    case TEX_KIND_RG16F:
    case TEX_KIND_RGBA16F:
        return pack_ones(words, components, channels, halves, (const uint8_t[]){0, 16, 32, 48});
    case TEX_KIND_RGBA8_SNORM:
        return pack_ones(words, components, channels, bytes, (const uint8_t[]){0, 8, 16, 24});
    case TEX_KIND_RGB10A2:
        return pack_ones(words, components, channels, rgb10a2, (const uint8_t[]){0, 10, 20, 30});
    case TEX_KIND_RG11B10F: /* these two have no alpha */
        return components[3] == 1 && pack_ones(words, components, 3, floats, (const uint8_t[]){0, 11, 22});
    case TEX_KIND_RGB565:
        return components[3] == 1 && pack_ones(words, components, 3, rgb565, (const uint8_t[]){11, 5, 0});
    case TEX_KIND_BGR565:
        return components[3] == 1 && pack_ones(words, components, 3, rgb565, (const uint8_t[]){0, 5, 11});
    case TEX_KIND_R32F:
    case TEX_KIND_RG32F:
    case TEX_KIND_RGBA32F:
        for (unsigned n = 0; n < channels; n++)
            words[n] = float_bits(components[n]);
        return true;
    default:
        return false;
    }
}

static uint64_t lanes_of_tap(const struct tex_outside outside[2], unsigned tap)
{
    return outside[0].lanes[tap & 1] | outside[1].lanes[tap >> 1];
}

void tex_put_border(struct tex_footprint *f, const struct tex_outside outside[2], const uint32_t words[2])
{
    for (unsigned tap = 0; tap < f->taps; tap++) {
        bits_foreach (lanes_of_tap(outside, tap), i) {
            f->word[0][tap][i] = words[0];
            f->word[1][tap][i] = words[1];
        }
    }
}

/* ---- cubes ---- */

/* Where the texel beyond an edge of a face is: edges are left, right, top, bottom; the position along the edge may run
 * the other way. */
struct edge {
    uint8_t face;
    uint8_t side; /* of that face, where one arrives: 0 left, 1 right, 2 top, 3 bottom */
    bool reversed;
};

/* Faces +x -x +y -y +z -z. Follows from the directions of each face's s and t. */
static const struct edge edges[6][4] = {
    {{4, 1, false}, {5, 0, false}, {2, 1, true}, {3, 1, false}},
    {{5, 1, false}, {4, 0, false}, {2, 0, false}, {3, 0, true}},
    {{1, 2, false}, {0, 2, true}, {5, 2, true}, {4, 2, false}},
    {{1, 3, true}, {0, 3, false}, {4, 3, false}, {5, 3, true}},
    {{1, 1, false}, {0, 0, false}, {2, 3, false}, {3, 2, false}},
    {{0, 1, false}, {1, 0, false}, {2, 2, true}, {3, 3, true}},
};

bool tex_cross_edge(unsigned *face, int32_t *x, int32_t *y, int32_t size)
{
    const bool out_x = *x < 0 || *x >= size, out_y = *y < 0 || *y >= size;
    if (!out_x && !out_y)
        return true;
    if (out_x && out_y)
        return false;
    const struct edge *edge = &edges[*face][out_x ? (*x < 0 ? 0 : 1) : (*y < 0 ? 2 : 3)];
    int32_t along = out_x ? *y : *x;
    if (edge->reversed)
        along = size - 1 - along;
    *face = edge->face;
    *x = edge->side == 0 ? 0 : edge->side == 1 ? size - 1 : along;
    *y = edge->side == 2 ? 0 : edge->side == 3 ? size - 1 : along;
    return true;
}

/* Two words of it are wanted at most. */
static void load_word(struct tex_footprint *f, const struct tex_places *p, unsigned tap, unsigned lane,
                      const uint8_t *at)
{
    uint32_t words[2] = {0, 0};
    if (p->element_B >= sizeof(words))
        memcpy(words, at, sizeof(words));
    else if (p->element_B == sizeof(words[0]))
        memcpy(words, at, sizeof(words[0]));
    else
        memcpy(words, at, p->element_B);
    f->word[0][tap][lane] = words[0];
    f->word[1][tap][lane] = words[1];
}

/* Positions stop one texel before an axis, and at its last texel. */
static int32_t texel_of(int32_t at, bool is_second, bool is_outside, int32_t size)
{
    return !is_outside || at + is_second < 0 || at + is_second >= size ? at + is_second : is_second ? -1 : size;
}

/* The taps of a lane that are beyond an edge, and not beyond a corner. */
static void put_lane(struct tex_footprint *f, const struct tex_outside outside[2], const struct tex_places *p,
                     const struct tex_image *image, unsigned lane, unsigned level, uint32_t slice)
{
    const unsigned layer = slice - image->first_layer, from = layer % 6;
    const int32_t size = (int32_t)image->level[level].width, x0 = (int32_t)(f->x.at[lane] - p->x_start[level]),
                  y0 = (int32_t)(f->y.at[lane] - p->y_start[level]);
    for (unsigned tap = 0; tap < f->taps; tap++) {
        const bool out_x = outside[0].lanes[tap & 1] >> lane & 1, out_y = outside[1].lanes[tap >> 1] >> lane & 1;
        if (!out_x && !out_y)
            continue;
        int32_t x = texel_of(x0, tap & 1, out_x, size), y = texel_of(y0, tap >> 1, out_y, size);
        unsigned face = from;
        tex_cross_edge(&face, &x, &y, size);
        const uint32_t at = image->first_layer + layer - from + face;
        const struct tex_place row = p->y[p->y_start[level] + (uint32_t)y],
                               in = p->z[level * p->slices + MIN2(at, p->slices - 1)];
        load_word(f, p, tap, lane,
                  p->host + (size_t)((p->x[p->x_start[level] + (uint32_t)x] ^ row.xor_B ^ in.xor_B) + row.add_B) +
                      in.add_B);
    }
}

uint64_t tex_put_edges(struct tex_footprint *f, const struct tex_outside outside[2], const struct tex_places *p,
                       const struct tex_query *q, const uint8_t *level, const uint32_t *slice)
{
    uint64_t corners = 0, lanes = 0;
    for (unsigned tap = 0; tap < f->taps; tap++) {
        corners |= outside[0].lanes[tap & 1] & outside[1].lanes[tap >> 1];
        lanes |= lanes_of_tap(outside, tap);
    }
    bits_foreach (lanes & ~corners, i)
        put_lane(f, outside, p, q->image, (unsigned)i, level[i], slice[i]);
    return corners;
}
