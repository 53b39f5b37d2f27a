/* Cells of the tile buffer: the clear, and how conversions read and write them. */
#include <math.h>
#include <string.h>

#include "mali/model/frag/frag.h"
#include "util/bits.h"
#include "util/format/channel.h"

/* By enum mali_INTERNAL_FORMAT. The fraction is there for dithering; without it those bits are zero. */
static const struct frag_channels layouts[] = {
    [MALI_INTERNAL_FORMAT_R8G8B8A8] = {{8, 8, 8, 8}, {0, 0, 0, 0}},
    [MALI_INTERNAL_FORMAT_R10G10B10A2] = {{10, 10, 10, 2}, {0, 0, 0, 0}},
    [MALI_INTERNAL_FORMAT_R8G8B8A2] = {{8, 8, 8, 2}, {2, 2, 2, 0}},
    [MALI_INTERNAL_FORMAT_R4G4B4A4] = {{4, 4, 4, 4}, {4, 4, 4, 4}},
    [MALI_INTERNAL_FORMAT_R5G6B5A0] = {{5, 6, 5, 0}, {5, 4, 5, 2}},
    [MALI_INTERNAL_FORMAT_R5G5B5A1] = {{5, 5, 5, 1}, {5, 5, 5, 1}},
};

const struct frag_channels *mali_frag_channels(unsigned internal_format)
{
    return internal_format && internal_format < ARRAY_SIZE(layouts) ? &layouts[internal_format] : NULL;
}

bool mali_frag_floats(unsigned internal_format, struct mali_pixel *pixel_out)
{
    static const struct {
        uint8_t internal, format; /* a row of formats.table */
    } floats[] = {
        {MALI_INTERNAL_FORMAT_R16F, 199},
        {MALI_INTERNAL_FORMAT_RG16F, 207},
        {MALI_INTERNAL_FORMAT_RGBA16F, 223},
        {MALI_INTERNAL_FORMAT_RG11F_B10F, 89},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(floats); i++) {
        if (floats[i].internal == internal_format)
            return mali_pixel_init(pixel_out, (struct mali_pixel_bits){.format = floats[i].format});
    }
    return false;
}

/* ---- the clear ---- */

void mali_frag_clear(struct frag_worker *w)
{
    const struct frag_fb *fb = w->fb;
    const size_t cells = mali_frag_cells(fb) * fb->samples;
    for (unsigned t = 0; t < fb->target_count; t++) {
        const struct frag_target *target = &fb->targets[t];
        uint8_t *to = w->colors + target->at_B;
        if (target->cell_B == 4) {
            uint32_t *words = (uint32_t *)(void *)to;
            for (size_t i = 0; i < cells; i++)
                words[i] = target->clear[0];
            continue;
        }
        const size_t size_B = cells * target->cell_B;
        memcpy(to, target->clear, target->cell_B);
        for (size_t done_B = target->cell_B; done_B < size_B; done_B *= 2) /* what is there, once more */
            memcpy(to + done_B, to, MIN2(done_B, size_B - done_B));
    }
}

void mali_frag_begin(struct frag_worker *w)
{
    memset(w->dirty, 0, sizeof(w->dirty));
    memset(w->zs_dirty, 0, sizeof(w->zs_dirty));
    w->has_zs = false;
}

/* Cells of four bytes and one sample. */
void mali_frag_clear_solid(struct frag_worker *w)
{
    const size_t cells = mali_frag_cells(w->fb);
    for (unsigned t = 0; t < w->fb->target_count; t++) {
        uint32_t *words = (uint32_t *)(void *)(w->colors + w->fb->targets[t].at_B);
        for (size_t i = 0; i < cells; i++)
            words[i] = w->solid[t];
    }
    for (int32_t y = 0; y < w->tile.height; y += RASTER_BLOCK) {
        for (int32_t x = 0; x < w->tile.width; x += RASTER_BLOCK) {
            for (unsigned t = 0; t < w->fb->target_count; t++)
                w->dirty[t][mali_frag_place(w->fb, (unsigned)x, (unsigned)y) / FRAG_BLOCK_PIXELS] = UINT64_MAX;
        }
    }
}

/* ---- fixed point ---- */

static unsigned shift_of(const struct frag_channels *channels, unsigned c)
{
    unsigned shift = 0;
    for (unsigned i = 0; i < c; i++)
        shift += channels->whole[i] + channels->fraction[i];
    return shift;
}

/* A float as a channel's code, and back. */
static uint32_t mali_frag_encode(const struct frag_channels *channels, unsigned c, float value, bool is_dithered)
{
    const unsigned whole = channels->whole[c], fraction = channels->fraction[c];
    const uint32_t most = (1u << whole) - 1;
    const float unit = value > 0 ? value < 1 ? value : 1 : 0; /* NaN becomes 0 */
    uint32_t code = is_dithered ? (uint32_t)rintf(unit * (float)(most << fraction))
                                : (uint32_t)rintf(unit * (float)most) << fraction;
    return code << shift_of(channels, c);
}

static float mali_frag_decode(const struct frag_channels *channels, unsigned c, uint32_t word)
{
    const unsigned whole = channels->whole[c], fraction = channels->fraction[c];
    const uint32_t most = (1u << whole) - 1;
    if (!whole)
        return 1; /* no alpha */
    const uint32_t code = word >> shift_of(channels, c) & ((1u << (whole + fraction)) - 1);
    const float value = (float)code / (float)(most << fraction);
    return value < 1 ? value : 1;
}

/* ---- conversions ---- */

/* Formats of the tile buffer alone, by their numbers; the odd one of a pair keeps no fraction. */
static const struct {
    uint8_t number, internal;
    bool is_dithered;
} tile_formats[] = {
    {224, MALI_INTERNAL_FORMAT_R5G5B5A1, true},  {225, MALI_INTERNAL_FORMAT_R5G5B5A1, false},
    {226, MALI_INTERNAL_FORMAT_R5G6B5A0, true},  {227, MALI_INTERNAL_FORMAT_R5G6B5A0, false},
    {232, MALI_INTERNAL_FORMAT_R4G4B4A4, true},  {233, MALI_INTERNAL_FORMAT_R4G4B4A4, false},
    {237, MALI_INTERNAL_FORMAT_R8G8B8A8, false}, {238, MALI_INTERNAL_FORMAT_R10G10B10A2, false},
    {241, MALI_INTERNAL_FORMAT_R8G8B8A2, true},  {242, MALI_INTERNAL_FORMAT_R8G8B8A2, false},
};

bool mali_frag_conversion(struct mali_queue *queue, const struct frag_target *target, uint32_t word,
                          struct frag_conversion *out)
{
    const struct mali_pixel_bits bits = mali_pixel_unpack(word);
    *out = (struct frag_conversion){.is_raw = word >> 22 & 1, .is_srgb = bits.is_srgb, .cell_B = target->cell_B};
    if (out->is_raw)
        return true;
    for (unsigned i = 0; i < ARRAY_SIZE(tile_formats); i++) {
        if (tile_formats[i].number != bits.format)
            continue;
        out->channels = mali_frag_channels(tile_formats[i].internal);
        out->is_dithered = tile_formats[i].is_dithered;
        if (target->cell_B != 4)
            return mali_stop(queue, GPU_STOP_BROKEN, "a conversion of 4 bytes for cells of %u bytes", target->cell_B);
        return true;
    }
    if (!mali_pixel_init(&out->pixel, bits) || out->pixel.is_compressed)
        return mali_stop(queue, GPU_STOP_UNIMPLEMENTED, "a conversion of format %u, order %u, for the tile buffer",
                         bits.format, bits.order);
    if (out->pixel.size_B > target->cell_B)
        return mali_stop(queue, GPU_STOP_BROKEN, "a conversion of %u bytes for cells of %u bytes", out->pixel.size_B,
                         target->cell_B);
    return true;
}

void mali_frag_fetch(const struct frag_conversion *conversion, const struct frag_span *span, union tex_texel *texels)
{
    if (conversion->is_raw) {
        for (unsigned i = 0; i < span->count; i++) {
            memset(&texels[i], 0, sizeof(texels[i]));
            memcpy(&texels[i], span->cell[i], conversion->cell_B);
        }
        return;
    }
    if (!conversion->channels) {
        mali_pixel_load(&conversion->pixel, texels, (const void *const *)span->cell, span->count);
        return;
    }
    for (unsigned i = 0; i < span->count; i++) {
        uint32_t word;
        memcpy(&word, span->cell[i], sizeof(word));
        for (unsigned c = 0; c < 4; c++) {
            float value = mali_frag_decode(conversion->channels, c, word);
            if (conversion->is_srgb && c < 3)
                value = format_srgb_to_float((uint32_t)rintf(value * 255));
            texels[i].f[c] = value;
        }
    }
}

void mali_frag_store(const struct frag_conversion *conversion, const struct frag_span *span,
                     const union tex_texel *texels)
{
    if (conversion->is_raw) {
        for (unsigned i = 0; i < span->count; i++)
            memcpy(span->cell[i], &texels[i], conversion->cell_B);
        return;
    }
    if (!conversion->channels) {
        mali_pixel_store(&conversion->pixel, (void *const *)span->cell, texels, span->count);
        return;
    }
    for (unsigned i = 0; i < span->count; i++) {
        uint32_t word = 0;
        for (unsigned c = 0; c < 4; c++) {
            float value = texels[i].f[c];
            if (conversion->is_srgb && c < 3)
                value = (float)format_float_to_srgb(value) / 255;
            word |= mali_frag_encode(conversion->channels, c, value, conversion->is_dithered);
        }
        memcpy(span->cell[i], &word, sizeof(word));
    }
}
