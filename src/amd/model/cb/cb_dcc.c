/* DCC of colour targets: a byte for 256 bytes. The model does not compress: what drivers write to clear an image is
 * brought to memory when a pixel is first touched. */
#include "amd/model/cb/cb_meta.h"

#include <string.h>

#include "util/bits.h"

enum {
    DCC_CLEAR_0000 = 0x00,
    DCC_CLEAR_SINGLE = 0x10, /* the first element is the colour of all */
    DCC_CLEAR_REG = 0x20,    /* the colour of the clear registers */
    DCC_CLEAR_0001 = 0x40,
    DCC_CLEAR_1110 = 0x80,
    DCC_CLEAR_1111 = 0xc0,
    DCC_EXPANDED = 0xff,
    DCC_BLOCK_B = 256,
};

/* The component of the colour that a code's alpha is for. Of two channels it is the upper one, whatever it is
 * called. */
static unsigned alpha_of(const struct cb_target *target)
{
    const unsigned present = target->present;
    return __builtin_popcount(present) == 2 ? 31u - (unsigned)__builtin_clz(present) : 3;
}

/* The element that a clear code means: one number for the colour, one for alpha, in the format's own largest value for
 * integers. */
static bool clear_element(const struct cb_target *target, uint8_t code, const uint8_t *block, uint8_t *element)
{
    union cb_color color, ordered;
    void *to = element;
    if (code == DCC_CLEAR_SINGLE || code == DCC_CLEAR_REG) {
        memcpy(element, code == DCC_CLEAR_SINGLE ? block : target->clear_element, target->element_B);
        return true;
    }
    if (code != DCC_CLEAR_0000 && code != DCC_CLEAR_0001 && code != DCC_CLEAR_1110 && code != DCC_CLEAR_1111)
        return false;
    const unsigned alpha = alpha_of(target);
    for (unsigned c = 0; c < 4; c++) {
        bool one = c == alpha ? code & 0x40 : code & 0x80;
        if (target->numeric == CB_FLOAT)
            color.f[c] = one;
        else if (target->numeric == CB_UINT)
            color.u[c] = one ? UINT32_MAX : 0; /* packing clamps */
        else
            color.i[c] = one ? INT32_MAX : 0;
    }
    for (unsigned k = 0; k < 4; k++)
        ordered.u[k] = color.u[target->from[k]];
    if (target->numeric == CB_FLOAT)
        target->codec->store_float(&to, (const float(*)[4]) & ordered, 1);
    else if (target->numeric == CB_UINT)
        target->codec->store_uint(&to, (const uint32_t(*)[4]) & ordered, 1);
    else
        target->codec->store_sint(&to, (const int32_t(*)[4]) & ordered, 1);
    return true;
}

/* Elements are a power of two, and 16 bytes at most: the stores are of vectors whatever their size is. */
static void fill_dcc_block(uint8_t *block, const uint8_t *element, size_t element_B)
{
    uint8_t piece[CB_MAX_ELEMENT_B];
    for (size_t at = 0; at < sizeof(piece); at++)
        piece[at] = element[at & (element_B - 1)];
    for (size_t at = 0; at < DCC_BLOCK_B; at += sizeof(piece))
        memcpy(block + at, piece, sizeof(piece));
}

/* The code of a pixel's sample. NULL: a fault. */
static inline uint8_t *find_code(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, unsigned sample)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct amd_meta *dcc = &target->meta->dcc;
    const struct cb_tile *tile = cb_tile_at(cb, t, x, y, slice);
    if (!tile->has_dcc)
        return cb_access(cb, target->dcc_va + amd_meta_offset(dcc, x, y, slice, sample, target->surface->level, NULL),
                         1);
    const uint32_t nibble = tile->dcc_nibble ^ dcc->lut.x[0][x & 15] ^ dcc->lut.x[1][x >> 4 & 3] ^
                            dcc->lut.y[0][y & 15] ^ dcc->lut.y[1][y >> 4 & 3] ^ dcc->lut.s[sample & 7];
    return cb_access(cb, tile->dcc_va + (nibble >> 1 ^ dcc->xor_B), 1);
}

/* The 256 bytes around a sample, of a code that is not EXPANDED. */
static bool expand_unit(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, unsigned sample,
                        uint8_t code)
{
    const struct cb_target *target = &cb->state->targets[t];
    const uint64_t block_va = cb_surface_at(target->surface, x, y, slice, sample) & ~(uint64_t)(DCC_BLOCK_B - 1);
    uint8_t element[CB_MAX_ELEMENT_B], *block = cb_access(cb, block_va, DCC_BLOCK_B);
    if (!block)
        return false;
    if (!clear_element(target, code, block, element)) {
        cb->why = "colour meets a DCC code that is not implemented";
        return false;
    }
    fill_dcc_block(block, element, target->element_B);
    return true;
}

/* A code speaks for several samples, where there are more than DCC tells apart: of those from `first` to `end`, all. */
static bool expand_sharers(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, unsigned sample,
                           unsigned first, unsigned end)
{
    const struct amd_meta *dcc = &cb->state->targets[t].meta->dcc;
    uint8_t *code = find_code(cb, t, x, y, slice, sample);
    if (!code)
        return false;
    if (*code == DCC_EXPANDED)
        return true;
    for (unsigned s = first; s < end; s++) {
        if (dcc->lut.s[s] == dcc->lut.s[sample] && !expand_unit(cb, t, x, y, slice, s, *code))
            return false;
    }
    *code = DCC_EXPANDED;
    return true;
}

bool amd_cb_dcc_expand(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, unsigned sample)
{
    return expand_sharers(cb, t, x, y, slice, sample, 0, cb->state->targets[t].samples);
}

static bool set_expanded(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, unsigned sample)
{
    uint8_t *code = find_code(cb, t, x, y, slice, sample);
    if (code)
        *code = DCC_EXPANDED;
    return code != NULL;
}

bool amd_cb_dcc_expand_samples(struct cb *cb, unsigned t, uint32_t x, uint32_t y, uint32_t slice, unsigned first,
                               unsigned end, bool overwritten)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface;
    const unsigned units = surface->unit_count, size = 1u << surface->block_log2;
    const bool sets = overwritten && surface->fills_units; /* else they share them with pixels that stay */
    for (uint32_t by = y; by < y + 8; by += size) {
        for (uint32_t bx = x; bx < x + 8; bx += size) {
            for (unsigned i = first * units; i < end * units; i++) {
                const unsigned sample = i / units, unit = i % units;
                const uint32_t ux = bx + surface->unit[unit].x, uy = by + surface->unit[unit].y;
                if (!(sets ? set_expanded(cb, t, ux, uy, slice, sample)
                           : expand_sharers(cb, t, ux, uy, slice, sample, first, end)))
                    return false;
            }
        }
    }
    return true;
}

bool amd_cb_dcc_is_one_code(const struct cb_target *target)
{
    return target->has_dcc && target->samples == 1 && target->surface->fills_units &&
           target->surface->block_log2 == 3 && target->surface->unit_count == 1;
}

/* Where a tile's codes are, as bits of their addresses: of the first piece of 8 by 8 pixels, and of their other pieces
 * from that one, each once. */
struct tile_codes {
    uint32_t column[8], row[8], piece[64];
    unsigned pieces;
};

static uint32_t bits_of_column(const struct amd_meta *dcc, uint32_t x)
{
    return (dcc->lut.x[0][x & 15] ^ dcc->lut.x[1][x >> 4 & 3]) >> 1;
}

static uint32_t bits_of_row(const struct amd_meta *dcc, uint32_t y)
{
    return (dcc->lut.y[0][y & 15] ^ dcc->lut.y[1][y >> 4 & 3]) >> 1;
}

static void add_piece(struct tile_codes *codes, uint32_t bits)
{
    for (unsigned i = 0; i < codes->pieces; i++) {
        if (codes->piece[i] == bits)
            return;
    }
    codes->piece[codes->pieces++] = bits;
}

static void find_codes(const struct cb_surface *surface, const struct amd_meta *dcc, const struct cb_tile *tile,
                       struct tile_codes *out)
{
    const uint32_t size = 1u << surface->block_log2;
    _Static_assert(ARRAY_SIZE(surface->unit) * 4 <= ARRAY_SIZE(out->piece), "pieces of four smaller blocks");
    out->pieces = 0;
    for (uint32_t i = 0; i < 8; i++) {
        out->column[i] = bits_of_column(dcc, i * 8) ^ (tile->dcc_nibble ^ dcc->lut.s[0]) >> 1 ^ dcc->xor_B;
        out->row[i] = bits_of_row(dcc, i * 8);
    }
    for (uint32_t y = 0; y < 8; y += size) {
        for (uint32_t x = 0; x < 8; x += size) {
            for (unsigned u = 0; u < surface->unit_count; u++)
                add_piece(out, bits_of_column(dcc, x + surface->unit[u].x) ^ bits_of_row(dcc, y + surface->unit[u].y));
        }
    }
}

uint64_t amd_cb_dcc_expand_blocks(struct cb *cb, unsigned t, struct cb_tile *tile, uint64_t blocks, bool overwritten)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct amd_meta *dcc = &target->meta->dcc;
    struct tile_codes codes;
    if (!tile->has_dcc || target->samples != 1)
        return blocks;
    if (!tile->dcc_host)
        tile->dcc_host =
            gpu_space_whole(cb->memory, tile->dcc_va, 1ull << dcc->block_log2, GPU_PERM_READ | GPU_PERM_WRITE);
    if (!tile->dcc_host)
        return blocks;
    find_codes(target->surface, dcc, tile, &codes);
    uint64_t left = 0;
    bits_foreach (blocks, b) {
        const uint32_t first = codes.column[b % 8] ^ codes.row[b / 8];
        bool is_expanded = true;
        for (unsigned i = 0; i < codes.pieces; i++) {
            uint8_t *code = tile->dcc_host + (first ^ codes.piece[i]);
            if (overwritten)
                *code = DCC_EXPANDED;
            is_expanded &= *code == DCC_EXPANDED;
        }
        left |= (uint64_t)!is_expanded << b;
    }
    return left;
}
