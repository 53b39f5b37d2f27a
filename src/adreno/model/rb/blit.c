/* The BLIT event: a surface of GMEM is cleared, loaded from memory, or stored there, with its samples or resolved. The
 * pixels are those of the bin that the scissor leaves. The format is that of memory; GMEM holds the same samples in the
 * order WZYX. */
#include <string.h>

#include "adreno/hw/regs_rb.h"
#include "adreno/model/blocks.h"
#include "adreno/model/coherence.h"
#include "adreno/model/rb/a2d.h"
#include "adreno/model/rb/rb.h"
#include "model/stat.h"
#include "util/bits.h"

#define GET(name) adreno_unpack_##name(gpu->regs[ADRENO_REG_##name])

#define FORMAT_Z24_S8 160

struct blit {
    struct adreno_rb_surface gmem, memory;
    struct adreno_rb_format gmem_format, format; /* of GMEM, of memory */
    struct adreno_rb_access from, to;
    struct adreno_rb_fault fault;
    int32_t x0, y0, x1, y1; /* pixels of the screen, the last ones exclusive */
    bool takes_sample_0;
    uint8_t clear[ADRENO_RB_MAX_SAMPLE_B], clear_bits[ADRENO_RB_MAX_SAMPLE_B];
};

static bool read_formats(struct blit *blit, struct adreno_gpu *gpu)
{
    const struct adreno_RB_RESOLVE_SYSTEM_BUFFER_INFO info = GET(RB_RESOLVE_SYSTEM_BUFFER_INFO);
    const bool has_swap = info.TILE_MODE == ADRENO_TILE_MODE_LINEAR;
    if (GET(RB_RESOLVE_CNTL_0).YUV_PLANE_ID)
        return adreno_stop_register(gpu, ADRENO_REG_RB_RESOLVE_CNTL_0, "planes of video images are not implemented");
    if (!adreno_rb_format_init(&blit->gmem_format, info.COLOR_FORMAT, ADRENO_COLOR_SWAP_WZYX, false) ||
        !adreno_rb_format_init(&blit->format, info.COLOR_FORMAT, has_swap ? info.COLOR_SWAP : ADRENO_COLOR_SWAP_WZYX,
                               false) ||
        format_is_compressed(blit->format.info))
        return adreno_stop_register(gpu, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_INFO,
                                    "not a format that GMEM holds, or not with that swap");
    return true;
}

static bool place_gmem(struct blit *blit, struct adreno_gpu *gpu)
{
    const struct adreno_RB_RESOLVE_CNTL_3 bin = GET(RB_RESOLVE_CNTL_3);
    const struct adreno_RB_RESOLVE_WINDOW_OFFSET window = GET(RB_RESOLVE_WINDOW_OFFSET);
    const struct adreno_RB_RESOLVE_CNTL_1 tl = GET(RB_RESOLVE_CNTL_1);
    const struct adreno_RB_RESOLVE_CNTL_2 br = GET(RB_RESOLVE_CNTL_2);
    const char *why =
        adreno_rb_surface_gmem(&blit->gmem, gpu->gmem, gpu->chip->gmem_size_B, GET(RB_RESOLVE_GMEM_BUFFER_BASE).VALUE,
                               bin.BINW, bin.BINH, blit->format.sample_B, GET(RB_RESOLVE_GMEM_BUFFER_INFO).SAMPLES);
    if (why)
        return adreno_stop_register(gpu, ADRENO_REG_RB_RESOLVE_CNTL_3, why);
    blit->gmem.written = gpu->gmem_written;
    blit->gmem.origin_x = (int32_t)window.X;
    blit->gmem.origin_y = (int32_t)window.Y;
    blit->x0 = (int32_t)MAX2(tl.X, window.X);
    blit->y0 = (int32_t)MAX2(tl.Y, window.Y);
    blit->x1 = (int32_t)MIN2(br.X + 1, window.X + bin.BINW);
    blit->y1 = (int32_t)MIN2(br.Y + 1, window.Y + bin.BINH);
    return true;
}

static bool place_memory(struct blit *blit, struct adreno_gpu *gpu)
{
    const struct adreno_RB_RESOLVE_SYSTEM_BUFFER_INFO info = GET(RB_RESOLVE_SYSTEM_BUFFER_INFO);
    const char *why = adreno_rb_surface_memory(
        &blit->memory, gpu->chip, info.TILE_MODE, adreno_reg64(gpu, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_BASE),
        GET(RB_RESOLVE_SYSTEM_BUFFER_PITCH).VALUE, 0, blit->format.sample_B, info.SAMPLES);
    if (why)
        return adreno_stop_register(gpu, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_INFO, why);
    if (info.FLAGS)
        adreno_rb_surface_flags(&blit->memory, adreno_reg64(gpu, ADRENO_REG_RB_RESOLVE_SYSTEM_FLAG_BUFFER_BASE),
                                GET(RB_RESOLVE_SYSTEM_FLAG_BUFFER_PITCH).PITCH, 0,
                                blit->format.sample_B == 2 && blit->format.info->component_count == 2);
    return true;
}

/* ---- clears ---- */

static void read_clear(struct blit *blit, const struct adreno_gpu *gpu)
{
    const struct adreno_RB_RESOLVE_OPERATION operation = GET(RB_RESOLVE_OPERATION);
    const struct format_info *info = blit->gmem_format.info;
    unsigned mask = operation.CLEAR_MASK;
    if (operation.DEPTH && GET(RB_RESOLVE_SYSTEM_BUFFER_INFO).COLOR_FORMAT == FORMAT_Z24_S8)
        mask = (mask & 1 ? 7 : 0) | (mask & 2 ? 8 : 0); /* depth, stencil */
    else if (operation.DEPTH)
        mask = 15;
    for (unsigned c = 0; c < info->channel_count; c++) {
        const struct format_channel *channel = &info->channels[c];
        const bool is_cleared = channel->component == FORMAT_COMPONENT_E
                                    ? mask & 7
                                    : mask >> blit->gmem_format.from[channel->component] & 1;
        for (unsigned bit = channel->low_bit; is_cleared && bit < channel->low_bit + (unsigned)channel->bits; bit++)
            blit->clear_bits[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
    memcpy(blit->clear, &gpu->regs[ADRENO_REG_RB_RESOLVE_CLEAR_COLOR_DW0], sizeof(blit->clear));
}

/* All bits of samples: a fill of the 2D engine's. */
static bool clear_all(const struct blit *blit, struct adreno_gpu *gpu)
{
    struct adreno_a2d a2d = {.space = gpu->space,
                             .dst = {blit->gmem, blit->gmem_format},
                             .x0 = blit->x0,
                             .y0 = blit->y0,
                             .x1 = blit->x1,
                             .y1 = blit->y1,
                             .is_solid = true};
    memcpy(a2d.element, blit->clear, blit->gmem.sample_B);
    return adreno_a2d_run(gpu, &a2d, "the BLIT event");
}

static bool clear_target(struct blit *blit, struct adreno_gpu *gpu)
{
    const uint32_t samples = (uint32_t)MAX2(blit->x1 - blit->x0, 0) << blit->gmem.samples_log2,
                   sample_B = blit->gmem.sample_B;
    bool is_whole = true;
    read_clear(blit, gpu);
    for (uint32_t b = 0; b < sample_B; b++)
        is_whole &= blit->clear_bits[b] == 255;
    if (is_whole && !blit->gmem.written && !gpu->coherence)
        return clear_all(blit, gpu);
    adreno_rb_access_init(&blit->to, &blit->gmem, gpu->space, &blit->fault, true);
    adreno_rb_access_check(&blit->to, gpu->coherence, ADRENO_CLIENT_GMEM, 0, true);
    for (int32_t y = blit->y0; samples && y < blit->y1; y++) {
        uint8_t *row = adreno_rb_row(&blit->to, blit->x0, y, 0, (uint32_t)(blit->x1 - blit->x0));
        if (!row)
            return adreno_rb_stop_at_fault(gpu, &blit->fault, "the BLIT event");
        for (uint32_t i = 0; i < samples; i++, row += sample_B) {
            for (uint32_t b = 0; b < sample_B; b++) {
                row[b] = (uint8_t)((row[b] & ~blit->clear_bits[b]) | (blit->clear[b] & blit->clear_bits[b]));
                if (blit->gmem.written && blit->clear_bits[b])
                    adreno_rb_gmem_wrote(&blit->gmem, row + b, 1);
            }
        }
    }
    return true;
}

/* ---- loads and stores ---- */

/* A pixel's samples, whose channels stand in another order there. */
static void reorder_channels(const struct adreno_rb_format *from_format, const uint8_t *from,
                             const struct adreno_rb_format *to_format, uint8_t *to, unsigned samples)
{
    union adreno_rb_color colors[ADRENO_RB_MAX_SAMPLES];
    const void *sources[ADRENO_RB_MAX_SAMPLES];
    void *targets[ADRENO_RB_MAX_SAMPLES];
    for (unsigned s = 0; s < samples; s++) {
        sources[s] = from + s * from_format->sample_B;
        targets[s] = to + s * to_format->sample_B;
    }
    adreno_rb_fetch(from_format, colors, sources, samples);
    adreno_rb_store(to_format, targets, colors, samples);
}

/* The average of a pixel's samples, as codes. */
static void resolve_pixel(const struct blit *blit, const uint8_t *from, uint8_t *to)
{
    union adreno_rb_color colors[ADRENO_RB_MAX_SAMPLES];
    const void *sources[ADRENO_RB_MAX_SAMPLES];
    void *target = to;
    const unsigned samples = 1u << blit->gmem.samples_log2;
    for (unsigned s = 0; s < samples; s++)
        sources[s] = from + s * blit->gmem.sample_B;
    adreno_rb_fetch(&blit->gmem_format, colors, sources, samples);
    for (unsigned c = 0; c < 4; c++) {
        double sum = 0;
        for (unsigned s = 0; s < samples; s++)
            sum += blit->format.numeric == ADRENO_RB_FLOAT  ? (double)colors[s].f[c]
                   : blit->format.numeric == ADRENO_RB_UINT ? (double)colors[s].u[c]
                                                            : (double)colors[s].i[c];
        if (blit->format.numeric == ADRENO_RB_FLOAT)
            colors[0].f[c] = (float)(sum / samples);
        else
            colors[0].u[c] = (uint32_t)(int64_t)(sum / samples);
    }
    adreno_rb_store(&blit->format, &target, colors, 1);
}

static bool move_row(struct blit *blit, int32_t y, bool is_store)
{
    const bool is_same = !memcmp(blit->format.from, blit->gmem_format.from, sizeof(blit->format.from)) &&
                         blit->format.format == blit->gmem_format.format;
    const bool resolves = blit->gmem.samples_log2 != blit->memory.samples_log2 && !blit->takes_sample_0;
    const unsigned samples = 1u << MIN2(blit->gmem.samples_log2, blit->memory.samples_log2);
    const struct adreno_rb_format *from_format = is_store ? &blit->gmem_format : &blit->format,
                                  *to_format = is_store ? &blit->format : &blit->gmem_format;
    for (int32_t x = blit->x0; x < blit->x1; x++) {
        const uint8_t *from = adreno_rb_element(&blit->from, x, y, 0);
        uint8_t *to = adreno_rb_element(&blit->to, x, y, 0);
        if (!from || !to)
            return false;
        if (!is_store)
            adreno_rb_gmem_wrote(&blit->gmem, to, blit->gmem.element_B);
        if (resolves)
            resolve_pixel(blit, from, to);
        else if (is_same)
            memcpy(to, from, samples * blit->format.sample_B);
        else
            reorder_channels(from_format, from, to_format, to, samples);
    }
    return true;
}

/* Samples as they are, between GMEM and memory: what the 2D engine does. Not where accesses are looked at, as this
 * event's. */
static bool is_copy(const struct blit *blit, const struct adreno_gpu *gpu)
{
    return blit->gmem.samples_log2 == blit->memory.samples_log2 && blit->format.format == blit->gmem_format.format &&
           !memcmp(blit->format.from, blit->gmem_format.from, sizeof(blit->format.from)) && !blit->gmem.written &&
           !gpu->coherence;
}

static bool copy_pixels(const struct blit *blit, struct adreno_gpu *gpu, bool is_store)
{
    const struct adreno_a2d_side gmem = {blit->gmem, blit->gmem_format}, memory = {blit->memory, blit->format};
    const struct adreno_a2d a2d = {.space = gpu->space,
                                   .src = is_store ? gmem : memory,
                                   .dst = is_store ? memory : gmem,
                                   .x0 = blit->x0,
                                   .y0 = blit->y0,
                                   .x1 = blit->x1,
                                   .y1 = blit->y1,
                                   .is_raw = true,
                                   .step_x = 1,
                                   .step_y = 1};
    return adreno_a2d_run(gpu, &a2d, "the BLIT event");
}

/* Strict mode: something of the bin was written. Not all of it need be: drivers store more than the area that was
 * drawn, and the API leaves undefined what a pass neither loads nor draws. */
static bool has_something(struct blit *blit)
{
    struct adreno_rb_fault first = {0};
    for (int32_t y = blit->y0; y < blit->y1; y++) {
        for (int32_t x = blit->x0; x < blit->x1; x++) {
            const uint8_t *from = adreno_rb_element(&blit->from, x, y, 0);
            if (!from || adreno_rb_gmem_may_read(&blit->gmem, from, 1, &first))
                return true;
        }
    }
    blit->fault = first;
    return blit->y0 >= blit->y1 || blit->x0 >= blit->x1;
}

static bool move_pixels(struct blit *blit, struct adreno_gpu *gpu, bool is_store)
{
    if (!place_memory(blit, gpu))
        return false;
    if (is_store ? blit->memory.samples_log2 && blit->memory.samples_log2 != blit->gmem.samples_log2
                 : blit->memory.samples_log2 != blit->gmem.samples_log2)
        return adreno_stop_register(gpu, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_INFO,
                                    "GMEM has another number of samples, and that is no resolve");
    blit->takes_sample_0 = GET(RB_RESOLVE_OPERATION).SAMPLE_0;
    adreno_rb_access_init(&blit->from, is_store ? &blit->gmem : &blit->memory, gpu->space, &blit->fault, false);
    adreno_rb_access_init(&blit->to, is_store ? &blit->memory : &blit->gmem, gpu->space, &blit->fault, true);
    adreno_rb_access_check(&blit->from, gpu->coherence, ADRENO_CLIENT_BLIT_LOAD, 0, false);
    adreno_rb_access_check(&blit->to, gpu->coherence, ADRENO_CLIENT_BLIT_STORE, 0, true);
    if (is_store && blit->gmem.written && !has_something(blit))
        return adreno_rb_stop_at_fault(gpu, &blit->fault, "the BLIT event");
    if (blit->x1 > blit->x0 && blit->y1 > blit->y0)
        stat_count_bytes(is_store ? STAT_TILE_STORES_B : STAT_TILE_LOADS_B,
                         (uint64_t)(blit->x1 - blit->x0) * (uint64_t)(blit->y1 - blit->y0) * blit->memory.element_B);
    if (is_copy(blit, gpu))
        return copy_pixels(blit, gpu, is_store);
    for (int32_t y = blit->y0; y < blit->y1; y++) {
        if (!move_row(blit, y, is_store))
            return adreno_rb_stop_at_fault(gpu, &blit->fault, "the BLIT event");
    }
    return true;
}

bool adreno_rb_blit_event(struct adreno_gpu *gpu)
{
    const enum adreno_BLIT_EVENT_TYPE type = GET(RB_RESOLVE_OPERATION).TYPE;
    struct blit blit = {0};
    if (!read_formats(&blit, gpu) || !place_gmem(&blit, gpu))
        return false;
    if (type != ADRENO_BLIT_EVENT_TYPE_CLEAR && !move_pixels(&blit, gpu, type != ADRENO_BLIT_EVENT_TYPE_LOAD))
        return false;
    if (type == ADRENO_BLIT_EVENT_TYPE_CLEAR || type == ADRENO_BLIT_EVENT_TYPE_STORE_AND_CLEAR)
        return clear_target(&blit, gpu);
    return true;
}
