/* Pixels of a wave to the targets. Between two primitives there is a cut: what a later one blends with is what the earlier one has written. */
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

static bool gather(struct cb *cb, const struct cb_target *target, const struct cb_pixels *pixels, uint32_t first, uint32_t end, unsigned sample,
                   struct span *span)
{
    span->count = 0;
    for (uint32_t lane = first; lane < end; lane++) {
        if (!(pixels->samples[lane] >> sample & 1))
            continue;
        uint32_t slice = MIN2(target->slice_start + pixels->layer[lane], target->slice_max);
        if (target->meta && !cb_meta_prepare(cb, (unsigned)(target - cb->state->targets), pixels->x[lane], pixels->y[lane], slice, sample))
            return false;
        void *host = cb_access(cb, cb_surface_at(target->surface, pixels->x[lane], pixels->y[lane], slice, sample), target->element_B);
        if (!host)
            return false;
        span->lane[span->count] = (uint8_t)lane;
        span->host[span->count++] = host;
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
static void store_masked(const struct cb_target *target, void *const *host, const union cb_color *colors, uint32_t count)
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

static void blend_span(const struct cb_state *state, const struct cb_target *target, const struct span *span, union cb_color *colors,
                       const union cb_color *second)
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

static void write_target(struct cb *cb, const struct cb_target *target, const union cb_color *colors, const union cb_color *second,
                         const struct cb_pixels *pixels, uint32_t first, uint32_t end)
{
    uint8_t any = 0;
    for (uint32_t lane = first; lane < end; lane++)
        any |= pixels->samples[lane];
    any &= (uint8_t)bits_mask(target->samples);
    bits_foreach(any, sample)
    {
        struct span span;
        union cb_color out[CB_MAX_LANES];
        if (!gather(cb, target, pixels, first, end, (unsigned)sample, &span))
            return;
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

void cb_write(struct cb *cb, const struct cb_exports *exports, const struct cb_pixels *pixels)
{
    const struct cb_state *state = cb->state;
    bits_foreach(state->used & exports->valid, t)
    {
        const struct cb_target *target = &state->targets[t];
        union cb_color colors[CB_MAX_LANES], second[CB_MAX_LANES];
        cb_convert(target, exports->rows[t], 0, pixels->lanes, colors);
        if (target->dual)
            cb_convert(target, exports->rows[1], 0, pixels->lanes, second);
        uint32_t first = 0;
        while (first < pixels->lanes) {
            uint64_t later = pixels->breaks & ~bits_mask(first + 1);
            uint32_t end = later ? (uint32_t)__builtin_ctzll(later) : pixels->lanes;
            write_target(cb, target, colors, target->dual ? second : NULL, pixels, first, end);
            first = end;
        }
    }
}
