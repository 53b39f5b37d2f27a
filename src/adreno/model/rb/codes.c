/* Codes of targets that fragment programs make themselves: which targets have such, and quads of them between memory
 * and rows, an element a lane. Not for blocks of 8 by 8 pixels (block.c); colours that are rows take color.c, which
 * gives the same results. */
#include <string.h>

#include "adreno/model/rb/rb.h"
#include "model/pixel/pixel_elements.h"
#include "model/pixel/pixel_program.h"
#include "model/pixel/pixel_target.h"
#include "util/bits.h"

_Static_assert(ADRENO_RB_CODE_LANES == PIXEL_LANES, "rows of pixel_elements.h");

/* ---- registers ---- */

static bool is_packed(const struct adreno_rb_target *target)
{
    return !target->is_bytes4 && !target->reads_codes && pixel_program_packs_words(target->format.format);
}

/* Four bytes, or four halves, whose blending is a sum of products (model/pixel/pixel_program.h), or what is packed
 * without blending. */
static uint8_t find_usual(const struct adreno_rb_target *target)
{
    static const uint8_t in_order[4] = {0, 1, 2, 3};
    const struct pixel_blend *blend = &target->blend;
    if (!target->is_whole || target->has_rop || (target->is_blended && (!blend->adds || blend->is_dual)))
        return 0;
    if (target->format.format == FORMAT_R16G16B16A16_SFLOAT)
        return 2;
    const bool is_srgb = target->is_encoded && memcmp(target->format.from, in_order, sizeof(in_order)) == 0;
    return target->is_bytes4 || (is_srgb && target->is_blended) || target->is_packed ? 1 : 0;
}

void adreno_rb_find_codes(struct adreno_rb_target *target)
{
    const enum format format = target->format.format;
    target->reads_codes = target->is_blended || target->has_rop || !target->is_whole;
    if (target->surface.written) /* each access is looked at */
        return;
    target->is_packed = is_packed(target);
    target->code_dw = find_usual(target);
    target->is_words = !target->code_dw && pixel_target_fits(format) && is_power_of_two(target->format.sample_B);
    if (target->is_words)
        target->code_dw = (uint8_t)pixel_target_words(format);
}

/* ---- quads ---- */

PIXEL_INLINE bool is_run(const struct adreno_rb_surface *surface, unsigned sample_B)
{
    return surface->is_tiled && surface->element_B == sample_B && surface->tile.block_h_log2;
}

/* A quad's elements with one sample, which are a run of memory, or two. */
PIXEL_INLINE void get_quad(uint8_t *const host[4], bool is_one_run, pixel_four words[4], unsigned sample_B)
{
    uint8_t both[4 * ADRENO_RB_MAX_SAMPLE_B];
    if (is_one_run) {
        pixel_get_four(host[0], words, sample_B);
        return;
    }
    memcpy(both, host[0], 2 * sample_B);
    memcpy(both + 2 * sample_B, host[2], 2 * sample_B);
    pixel_get_four(both, words, sample_B);
}

PIXEL_INLINE void put_quad(uint8_t *const host[4], bool is_one_run, const pixel_four words[4], unsigned sample_B)
{
    uint8_t both[4 * ADRENO_RB_MAX_SAMPLE_B];
    if (is_one_run) {
        pixel_put_four(host[0], words, sample_B);
        return;
    }
    pixel_put_four(both, words, sample_B);
    memcpy(host[0], both, 2 * sample_B);
    memcpy(host[2], both + 2 * sample_B, 2 * sample_B);
}

/* Pixels that the mask has not are written back as they are: which these are has no order that branches could learn. */
PIXEL_INLINE void mix_quad(uint8_t *const host[4], bool is_one_run, uint32_t mask, pixel_four words[4],
                           unsigned sample_B)
{
    const pixel_four drawn =
        (pixel_four)(((pixel_four){mask, mask, mask, mask} & (pixel_four){1, 1u << 8, 1u << 16, 1u << 24}) != 0);
    pixel_four stored[4];
    get_quad(host, is_one_run, stored, sample_B);
    for (unsigned i = 0; i == 0 || i * 4 < sample_B; i++)
        words[i] = (words[i] & drawn) | (stored[i] & ~drawn);
}

PIXEL_INLINE bool store_quads(struct adreno_rb *rb, unsigned t, const uint32_t (*rows)[PIXEL_LANES],
                              const struct raster_quad *quads, uint32_t count, unsigned sample_B)
{
    struct adreno_rb_access *access = &rb->access[t];
    const bool is_one_run = is_run(access->surface, sample_B);
    for (uint32_t q = 0; q < count; q++) {
        const uint32_t mask = quads[q].mask;
        uint8_t *host[4];
        if (!mask)
            continue;
        if (!adreno_rb_find_quad(access, &quads[q], mask, host))
            return false;
        if (is_one_run || (access->surface->element_B == sample_B && adreno_rb_is_pairs(host, sample_B))) {
            pixel_four words[4];
            for (unsigned i = 0; i * 4 < sample_B; i++)
                words[i] = pixel_four_load(rows[i] + 4 * q);
            if (mask != 0x01010101u)
                mix_quad(host, is_one_run, mask, words, sample_B);
            put_quad(host, is_one_run, words, sample_B);
            continue;
        }
        for (unsigned p = 0; p < 4; p++) {
            bits_foreach (mask >> 8 * p & 0xff, s)
                pixel_put_element(host[p] + s * sample_B, rows, 4 * q + p, sample_B);
        }
    }
    return true;
}

PIXEL_INLINE bool load_quads(struct adreno_rb *rb, unsigned t, uint32_t (*rows)[PIXEL_LANES],
                             const struct raster_quad *quads, uint32_t count, unsigned sample_B)
{
    struct adreno_rb_access *access = &rb->access[t];
    const bool is_one_run = is_run(access->surface, sample_B);
    for (uint32_t q = 0; q < count; q++) {
        uint8_t *host[4];
        if (!quads[q].mask)
            continue;
        if (!adreno_rb_find_quad(access, &quads[q], quads[q].mask, host))
            return false;
        if (is_one_run || (access->surface->element_B == sample_B && adreno_rb_is_pairs(host, sample_B))) {
            pixel_four words[4];
            get_quad(host, is_one_run, words, sample_B);
            for (unsigned i = 0; i * 4 < sample_B; i++)
                pixel_four_store(rows[i] + 4 * q, words[i]);
            continue;
        }
        for (unsigned p = 0; p < 4; p++) {
            if (quads[q].mask >> 8 * p & 1)
                pixel_get_element(host[p], rows, 4 * q + p, sample_B);
        }
    }
    return true;
}

bool adreno_rb_store_codes(struct adreno_rb *rb, unsigned t, uint32_t (*codes)[ADRENO_RB_CODE_LANES],
                           const struct raster_quad *quads, uint32_t count)
{
    const uint32_t(*rows)[PIXEL_LANES] = (const uint32_t(*)[PIXEL_LANES])codes;
    switch (rb->access[t].surface->sample_B) {
    case 1:
        return store_quads(rb, t, rows, quads, count, 1);
    case 2:
        return store_quads(rb, t, rows, quads, count, 2);
    case 4:
        return adreno_rb_store_words(rb, t, codes[0], quads, count);
    case 8:
        return store_quads(rb, t, rows, quads, count, 8);
    default:
        return store_quads(rb, t, rows, quads, count, 16);
    }
}

bool adreno_rb_load_codes(struct adreno_rb *rb, unsigned t, uint32_t (*codes)[ADRENO_RB_CODE_LANES],
                          const struct raster_quad *quads, uint32_t count)
{
    switch (rb->access[t].surface->sample_B) {
    case 1:
        return load_quads(rb, t, codes, quads, count, 1);
    case 2:
        return load_quads(rb, t, codes, quads, count, 2);
    case 4:
        return adreno_rb_load_words(rb, t, codes[0], quads, count);
    case 8:
        return load_quads(rb, t, codes, quads, count, 8);
    default:
        return load_quads(rb, t, codes, quads, count, 16);
    }
}
