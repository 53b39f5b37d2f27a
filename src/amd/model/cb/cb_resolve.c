/* The resolve mode: for every pixel that is covered, the mean of target 0's samples goes to target 1. Integers take the
 * first sample. What is compressed in target 0 stays so where that can be read. */
#include "amd/model/cb/cb_quads.h"

#include <string.h>

#include "util/bits.h"

static void fetch_colors(const struct cb_target *target, const void *host, union cb_color *color)
{
    union cb_color raw;
    if (target->numeric == CB_FLOAT)
        target->codec->fetch_float((float(*)[4])raw.f, &host, 1);
    else if (target->numeric == CB_UINT)
        target->codec->fetch_uint((uint32_t(*)[4])raw.u, &host, 1);
    else
        target->codec->fetch_sint((int32_t(*)[4])raw.i, &host, 1);
    for (unsigned k = 0; k < 4; k++)
        color->u[target->from[k]] = raw.u[k];
}

static void store_colors(const struct cb_target *target, void *host, const union cb_color *color)
{
    union cb_color ordered;
    for (unsigned k = 0; k < 4; k++)
        ordered.u[k] = color->u[target->from[k]];
    if (target->numeric == CB_FLOAT)
        target->codec->store_float(&host, (const float(*)[4])ordered.f, 1);
    else if (target->numeric == CB_UINT)
        target->codec->store_uint(&host, (const uint32_t(*)[4])ordered.u, 1);
    else
        target->codec->store_sint(&host, (const int32_t(*)[4])ordered.i, 1);
}

/* ---- four bytes each, the same on both sides ---- */

static bool are_bytes4(const struct cb_state *state)
{
    const struct cb_target *from = &state->targets[0], *to = &state->targets[1];
    return from->codec == format_codec(FORMAT_R8G8B8A8_UNORM) && to->codec == from->codec &&
           memcmp(from->from, to->from, sizeof(to->from)) == 0;
}

typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef uint16_t shorts8 __attribute__((vector_size(16)));

/* The mean of a quad's codes, rounded; codes[s] are those of a sample. */
static inline void average_quads(uint32_t codes[][4], unsigned samples, uint32_t out[4])
{
    for (unsigned half = 0; half < 4; half += 2) {
        const uint16_t rounding = (uint16_t)(samples / 2);
        shorts8 sum = {rounding, rounding, rounding, rounding, rounding, rounding, rounding, rounding};
        for (unsigned s = 0; s < samples; s++) {
            bytes8 two;
            memcpy(&two, codes[s] + half, sizeof(two));
            sum += __builtin_convertvector(two, shorts8);
        }
        const bytes8 mean = __builtin_convertvector(sum >> (samples == 8 ? 3 : samples == 4 ? 2 : 1), bytes8);
        memcpy(out + half, &mean, sizeof(mean));
    }
}

static bool bytes4_have_blocks(const struct cb_state *state)
{
    const struct cb_target *from = &state->targets[0];
    return are_bytes4(state) && from->samples > 1 && cb_takes_blocks(&state->targets[1]) && from->surface->has_blocks &&
           from->surface->block_log2 == 3;
}

static bool resolve_bytes4(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer)
{
    const struct cb_target *from = &cb->state->targets[0], *to = &cb->state->targets[1];
    const uint32_t slice = MIN2(from->slice_start + layer, from->slice_max);
    const struct cb_surface *surface = from->surface;
    struct cb_block block;
    uint64_t first = 0;
    uint32_t out[CB_MAX_LANES];
    if ((from->meta && !amd_cb_meta_read_block(cb, 0, x, y, slice, &first)) ||
        !amd_cb_find_pieces(cb, surface, x, y, slice, &block))
        return false;
    const struct cb_block *target = cb_enter_block_at(cb, 1, x, y, MIN2(to->slice_start + layer, to->slice_max), true);
    if (!target)
        return false;
    amd_cb_load_block(surface, &block, 0, out);
    for (unsigned q = 0; q < 16 && first != UINT64_MAX; q++) {
        const uint32_t bits = surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2];
        const unsigned known = first >> q * 4 & 15;
        uint32_t codes[8][4], mean[4];
        if (known == 15)
            continue;
        for (unsigned s = 0; s < from->samples; s++)
            cb_get_quad(surface, block.host[s], block.low[s] ^ bits, codes[s]);
        average_quads(codes, from->samples, mean);
        for (unsigned p = 0; p < 4; p++)
            out[q * 4 + p] = known >> p & 1 ? out[q * 4 + p] : mean[p];
    }
    amd_cb_store_block(to->surface, target, 0, out);
    return true;
}

/* ---- any other numbers ---- */

/* Pixels of a block of each side, `size` each way. */
static void average_block(const struct cb_state *state, const struct cb_block *block, const struct cb_block *target,
                          uint32_t x, uint32_t y, uint32_t size)
{
    const struct cb_target *from = &state->targets[0], *to = &state->targets[1];
    const float part = 1.0f / from->samples;
    float color[CB_MAX_LANES][4], mean[CB_MAX_LANES][4] = {{0}};
    const void *in[CB_MAX_LANES];
    void *out[CB_MAX_LANES];
    for (unsigned s = 0; s < from->samples; s++) {
        for (uint32_t i = 0; i < size * size; i++)
            in[i] = block->host[s] + (block->low[s] ^ cb_block_bits(from->surface, x + i % size, y + i / size));
        from->codec->fetch_float(color, in, size * size);
        for (uint32_t i = 0; i < size * size; i++) {
            for (unsigned k = 0; k < 4; k++)
                mean[i][k] += color[i][k] * part;
        }
    }
    for (uint32_t i = 0; i < size * size; i++)
        out[i] = target->host[0] + (target->low[0] ^ cb_block_bits(to->surface, x + i % size, y + i / size));
    to->codec->store_float(out, (const float(*)[4])mean, size * size);
}

static bool resolve_floats(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer)
{
    const struct cb_target *from = &cb->state->targets[0], *to = &cb->state->targets[1];
    const uint32_t slice = MIN2(from->slice_start + layer, from->slice_max),
                   size = 1u << MIN2(from->surface->block_log2, to->surface->block_log2);
    if (from->meta && !amd_cb_meta_prepare_block(cb, 0, x, y, slice, false))
        return false;
    for (uint32_t at = 0; at < 64; at += size * size) {
        const uint32_t bx = x + at / size % 8, by = y + at / size / 8 * size;
        struct cb_block block;
        const struct cb_block *target =
            cb_enter_block_at(cb, 1, bx, by, MIN2(to->slice_start + layer, to->slice_max), true);
        if (!target || !amd_cb_find_pieces(cb, from->surface, bx, by, slice, &block))
            return false;
        average_block(cb->state, &block, target, bx, by, size);
    }
    return true;
}

/* ---- blocks ---- */

bool amd_cb_resolves_blocks(const struct cb_state *state)
{
    const struct cb_target *from = &state->targets[0], *to = &state->targets[1];
    return bytes4_have_blocks(state) ||
           (!are_bytes4(state) && from->numeric == CB_FLOAT && to->whole && from->surface->has_blocks &&
            to->surface->has_blocks && memcmp(from->from, to->from, sizeof(to->from)) == 0);
}

bool amd_cb_resolve_block(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer)
{
    return (are_bytes4(cb->state) ? resolve_bytes4 : resolve_floats)(cb, x, y, layer);
}

/* ---- a pixel ---- */

/* The means of floats. */
static void average(const struct cb_target *target, const void *const *hosts, union cb_color *mean)
{
    union cb_color color;
    *mean = (union cb_color){.f = {0}};
    for (unsigned s = 0; s < target->samples; s++) {
        fetch_colors(target, hosts[s], &color);
        for (unsigned c = 0; c < 4; c++)
            mean->f[c] += color.f[c] / (float)target->samples;
    }
}

bool amd_cb_resolve(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer)
{
    const struct cb_target *from = &cb->state->targets[0], *to = &cb->state->targets[1];
    uint32_t from_slice = MIN2(from->slice_start + layer, from->slice_max),
             to_slice = MIN2(to->slice_start + layer, to->slice_max);
    const void *hosts[8];
    for (unsigned s = 0; s < from->samples; s++) {
        if (from->meta && !amd_cb_meta_prepare(cb, 0, x, y, from_slice, s))
            return false;
        hosts[s] = cb_access(cb, cb_surface_at(from->surface, x, y, from_slice, s), from->element_B);
        if (!hosts[s])
            return false;
    }
    if (to->meta && !amd_cb_meta_prepare(cb, 1, x, y, to_slice, 0))
        return false;
    void *host = cb_access(cb, cb_surface_at(to->surface, x, y, to_slice, 0), to->element_B);
    if (!host)
        return false;
    if (are_bytes4(cb->state)) {
        uint32_t codes[8][4] = {{0}}, mean[4];
        for (unsigned s = 0; s < from->samples; s++)
            memcpy(codes[s], hosts[s], sizeof(codes[s][0]));
        average_quads(codes, from->samples, mean);
        memcpy(host, mean, sizeof(mean[0]));
        return true;
    }
    union cb_color mean;
    if (from->numeric == CB_FLOAT)
        average(from, hosts, &mean);
    else
        fetch_colors(from, hosts[0], &mean);
    store_colors(to, host, &mean);
    return true;
}
