/* Pixels of a wave to the targets. Between two primitives there is a cut: what a later one blends with is what the
 * earlier one has written. */
#include "amd/model/cb.h"

#include <string.h>

#include "util/bits.h"

/* The pixels of one primitive, one sample each. */
struct span {
    uint32_t count;
    uint8_t lane[CB_MAX_LANES];
    void *host[CB_MAX_LANES];
};

void *cb_access(struct cb *cb, uint64_t va, uint32_t size_B)
{
    unsigned need = GPU_PERM_READ | GPU_PERM_WRITE;
    void *host = gpu_space_pointer(cb->memory, va, size_B, need);
    if (!host && gpu_space_resolve(cb->memory, va, size_B, need, &host) != GPU_ACCESS_MEMORY) {
        cb->fault_va = va ? va : 1;
        cb->fault_is_write = true;
        return NULL;
    }
    return host;
}

/* The host's place of the 256 bytes around an address, expanded. */
static uint8_t *find_block(struct cb *cb, unsigned t, uint64_t va, uint32_t x, uint32_t y, uint32_t slice,
                           unsigned sample)
{
    uint64_t block_va = va & ~(uint64_t)255;
    if (cb->known_va[t] == block_va && cb->known_host[t])
        return cb->known_host[t];
    if (cb->state->targets[t].has_dcc && !cb_meta_prepare(cb, t, x, y, slice, sample))
        return NULL;
    cb->known_va[t] = block_va;
    cb->known_host[t] = cb_access(cb, block_va, 256);
    return cb->known_host[t];
}

/* The 256 bytes of the 8 by 8 pixels around a quad. */
static inline uint8_t *enter_block(struct cb *cb, unsigned t, const struct sc_quad *quad, uint32_t slice,
                                   unsigned sample)
{
    uint32_t bx = quad->x >> 3, by = quad->y >> 3;
    if (cb->block[t].host && cb->block[t].x == bx && cb->block[t].y == by && cb->block[t].slice == slice &&
        cb->block[t].sample == sample)
        return cb->block[t].host;
    uint64_t va = cb_surface_at(cb->state->targets[t].surface, bx << 3, by << 3, slice, sample);
    cb->block[t].host = find_block(cb, t, va, bx << 3, by << 3, slice, sample);
    cb->block[t].x = bx;
    cb->block[t].y = by;
    cb->block[t].slice = slice;
    cb->block[t].sample = sample;
    cb->block[t].low = (uint8_t)va;
    return cb->block[t].host;
}

/* Where a quad starts in it. */
static inline uint8_t block_low(const struct cb *cb, unsigned t, const struct sc_quad *quad)
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    return cb->block[t].low ^ surface->block_x[quad->x & 7] ^ surface->block_y[quad->y & 7];
}

/* The host's places of a quad's pixels. False: a fault or a stop. */
static bool find_quad(struct cb *cb, unsigned t, const struct sc_quad *quad, uint32_t pixels, unsigned sample,
                      uint8_t *host[4])
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface;
    uint32_t slice = MIN2(target->slice_start + quad->prim->layer, target->slice_max);
    if (target->has_fmask) {
        bits_foreach (pixels, p) {
            if (!cb_meta_prepare(cb, t, quad->x + (p & 1), quad->y + (uint32_t)p / 2, slice, sample))
                return false;
        }
    }
    if (surface->has_blocks) {
        uint8_t *block = enter_block(cb, t, quad, slice, sample);
        if (!block)
            return false;
        uint8_t low = block_low(cb, t, quad);
        for (unsigned p = 0; p < 4; p++)
            host[p] = block + (low ^ surface->quad_xor[p]);
        return true;
    }
    if (surface->has_quads) {
        uint64_t va = cb_surface_at(surface, quad->x, quad->y, slice, sample);
        uint8_t *block = find_block(cb, t, va, quad->x, quad->y, slice, sample);
        for (unsigned p = 0; p < 4; p++)
            host[p] = block + ((va ^ surface->quad_xor[p]) & 255);
        return block != NULL;
    }
    bits_foreach (pixels, p) {
        uint32_t x = quad->x + (p & 1), y = quad->y + (uint32_t)p / 2;
        if (target->has_dcc && !cb_meta_prepare(cb, t, x, y, slice, sample))
            return false;
        host[p] = cb_access(cb, cb_surface_at(surface, x, y, slice, sample), target->element_B);
        if (!host[p])
            return false;
    }
    return true;
}

/* One bit a pixel of a quad: those that have the sample. */
static uint32_t pixels_of(const struct sc_quad *quad, unsigned sample)
{
    uint32_t bits = quad->mask >> sample & 0x01010101u;
    return (bits | bits >> 7 | bits >> 14 | bits >> 21) & 15;
}

static bool gather(struct cb *cb, unsigned t, const struct sc_quad *quads, uint32_t first, uint32_t end,
                   unsigned sample, struct span *span)
{
    span->count = 0;
    for (uint32_t q = first; q < end; q++) {
        uint32_t pixels = pixels_of(&quads[q], sample);
        uint8_t *host[4];
        if (!pixels)
            continue;
        if (!find_quad(cb, t, &quads[q], pixels, sample, host))
            return false;
        bits_foreach (pixels, p) {
            span->lane[span->count] = (uint8_t)(q * 4 + p);
            span->host[span->count++] = host[p];
        }
    }
    return true;
}

/* Colours in the order of the format's components, and back. */
static void to_format(const struct cb_target *target, union cb_color *colors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        union cb_color color = colors[i];
        for (unsigned k = 0; k < 4; k++)
            colors[i].u[k] = color.u[target->from[k]];
    }
}

static void from_format(const struct cb_target *target, union cb_color *colors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        union cb_color color = colors[i];
        colors[i] = (union cb_color){.f = {0, 0, 0, 1}};
        for (unsigned k = 0; k < 4; k++) {
            if (target->present >> target->from[k] & 1)
                colors[i].u[target->from[k]] = color.u[k];
        }
    }
}

static void store(const struct cb_target *target, void *const *host, const union cb_color *colors, uint32_t count)
{
    if (target->numeric == CB_UINT)
        target->codec->store_uint(host, (const uint32_t(*)[4])colors, count);
    else if (target->numeric == CB_SINT)
        target->codec->store_sint(host, (const int32_t(*)[4])colors, count);
    else
        target->codec->store_float(host, (const float(*)[4])colors, count);
}

/* ROP3 on the bits: bit (source << 1 | destination, counted so that COPY is 0xc) of the code is the result's. */
static uint8_t logic(uint8_t code, uint8_t source, uint8_t destination)
{
    uint8_t result = 0;
    if (code & 1)
        result |= (uint8_t)(~source & ~destination);
    if (code & 2)
        result |= (uint8_t)(~source & destination);
    if (code & 4)
        result |= (uint8_t)(source & ~destination);
    if (code & 8)
        result |= source & destination;
    return result;
}

/* Through a copy, for targets of which not all bits are written. */
static void store_masked(const struct cb_target *target, void *const *host, const union cb_color *colors,
                         uint32_t count)
{
    uint8_t codes[CB_MAX_LANES][CB_MAX_ELEMENT_B];
    void *at[CB_MAX_LANES];
    for (uint32_t i = 0; i < count; i++)
        at[i] = codes[i];
    store(target, at, colors, count);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *to = host[i];
        for (unsigned b = 0; b < target->element_B; b++) {
            uint8_t code = target->rop ? logic(target->rop_code, codes[i][b], to[b]) : codes[i][b];
            to[b] = (uint8_t)((to[b] & ~target->bits[b]) | (code & target->bits[b]));
        }
    }
}

static void blend_span(const struct cb_state *state, const struct cb_target *target, const struct span *span,
                       union cb_color *colors, const union cb_color *second)
{
    union cb_color stored[CB_MAX_LANES], source1[CB_MAX_LANES];
    target->codec->fetch_float((float(*)[4])stored, (const void *const *)span->host, span->count);
    from_format(target, stored, span->count);
    if (second) {
        for (uint32_t i = 0; i < span->count; i++)
            source1[i] = second[span->lane[i]];
    }
    cb_blend(state, target, colors, second ? source1 : NULL, stored, span->count);
}

/* One primitive's quads. */
static void write_target(struct cb *cb, unsigned t, const union cb_color *colors, const union cb_color *second,
                         const struct sc_quad *quads, uint32_t first, uint32_t end)
{
    const struct cb_target *target = &cb->state->targets[t];
    for (unsigned sample = 0; sample < target->samples; sample++) {
        struct span span;
        union cb_color out[CB_MAX_LANES];
        if (!gather(cb, t, quads, first, end, sample, &span))
            return;
        if (!span.count)
            continue;
        for (uint32_t i = 0; i < span.count; i++)
            out[i] = colors[span.lane[i]];
        if (target->blend)
            blend_span(cb->state, target, &span, out, second);
        to_format(target, out, span.count);
        if (target->whole && !target->rop)
            store(target, span.host, out, span.count);
        else
            store_masked(target, span.host, out, span.count);
    }
}

static void write_blocks(struct cb *cb, unsigned t, const uint32_t *codes, const struct sc_quad *quads,
                         uint32_t quad_count)
{
    const struct cb_target *target = &cb->state->targets[t];
    const uint32_t *xors = target->surface->quad_xor;
    for (uint32_t q = 0; q < quad_count; q++, codes += 4) {
        uint32_t pixels = quads[q].mask & 0x01010101u;
        if (!pixels)
            continue;
        uint8_t *block =
            enter_block(cb, t, &quads[q], MIN2(target->slice_start + quads[q].prim->layer, target->slice_max), 0);
        if (!block)
            return;
        uint32_t low = block_low(cb, t, &quads[q]);
        for (unsigned p = 0; p < 4; p++) {
            if (pixels >> p * 8 & 1)
                memcpy(block + (low ^ xors[p]), &codes[p], sizeof(codes[0]));
        }
    }
}

/* Whole elements of four bytes, in the order of the quads. */
static void write_plain8(struct cb *cb, unsigned t, const uint32_t *codes, const struct sc_quad *quads,
                         uint32_t quad_count)
{
    const struct cb_target *target = &cb->state->targets[t];
    if (target->surface->has_blocks && !target->has_fmask && target->samples == 1) {
        write_blocks(cb, t, codes, quads, quad_count);
        return;
    }
    for (uint32_t q = 0; q < quad_count; q++) {
        for (unsigned sample = 0; sample < target->samples; sample++) {
            uint32_t pixels = pixels_of(&quads[q], sample);
            uint8_t *host[4];
            if (!pixels)
                continue;
            if (!find_quad(cb, t, &quads[q], pixels, sample, host))
                return;
            for (unsigned p = 0; p < 4; p++) {
                if (pixels >> p & 1)
                    memcpy(host[p], &codes[q * 4 + p], sizeof(codes[0]));
            }
        }
    }
}

void cb_write(struct cb *cb, const struct cb_exports *exports, const struct sc_quad *quads, uint32_t quad_count)
{
    const struct cb_state *state = cb->state;
    bits_foreach (state->used, t) {
        const struct cb_target *target = &state->targets[t];
        const uint32_t(*rows)[CB_MAX_LANES] = exports->rows[target->export];
        if (!(exports->valid >> target->export & 1))
            continue;
        if (target->plain8) {
            uint32_t codes[CB_MAX_LANES];
            cb_convert_plain8(target, rows, quad_count * 4, codes);
            write_plain8(cb, (unsigned)t, codes, quads, quad_count);
            continue;
        }
        union cb_color colors[CB_MAX_LANES], second[CB_MAX_LANES];
        cb_convert(target, rows, quad_count * 4, colors);
        if (target->dual)
            cb_convert(target, exports->rows[1], quad_count * 4, second);
        for (uint32_t first = 0, end; first < quad_count; first = end) {
            for (end = first + 1; end < quad_count && quads[end].prim == quads[first].prim;)
                end++;
            write_target(cb, (unsigned)t, colors, target->dual ? second : NULL, quads, first, end);
        }
    }
}
