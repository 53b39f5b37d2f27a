/* Visibility streams, written and read (vsc.h describes them). */
#include "adreno/model/vsc/vsc.h"
#include "adreno/model/coherence.h"

#include <string.h>

#include "adreno/hw/regs_vsc.h"
#include "util/bits.h"

#define DRAW_ENTRY_B 8

static uint32_t prim_count_word(uint64_t prim_total)
{
    return (uint32_t)(prim_total & ~VSC_NO_BITS);
}

static void set_groups(struct vsc *vsc, uint64_t prim_total)
{
    vsc->group_log2 = 0;
    while (div_round_up(prim_total, 1ull << vsc->group_log2) > VSC_MAX_GROUPS)
        vsc->group_log2++;
    vsc->words = (unsigned)div_round_up(div_round_up(prim_total, 1ull << vsc->group_log2), 32);
}

/* ---- writing ---- */

bool adreno_vsc_begin(struct adreno_gpu *gpu)
{
    struct vsc *vsc = gpu->vsc;
    memset(vsc->draw_B, 0, sizeof(vsc->draw_B));
    memset(vsc->prim_B, 0, sizeof(vsc->prim_B));
    memset(vsc->touched, 0, sizeof(vsc->touched));
    memset(vsc->has_overflown, 0, sizeof(vsc->has_overflown));
    return true;
}

bool adreno_vsc_end(struct adreno_gpu *gpu)
{
    const struct vsc *vsc = gpu->vsc;
    uint64_t size_va = adreno_reg64(gpu, ADRENO_REG_VSC_SIZE_BASE);
    for (unsigned pipe = 0; pipe < gpu->chip->vsc_pipes && pipe < VSC_PIPES; pipe++) {
        gpu->regs[ADRENO_REG_VSC_CHANNEL_VISIBILITY + pipe] = vsc->touched[pipe];
        gpu->regs[ADRENO_REG_VSC_PIPE_DATA_DRAW_SIZE + pipe] = vsc->draw_B[pipe];
        gpu->regs[ADRENO_REG_VSC_PIPE_DATA_PRIM_SIZE + pipe] = vsc->prim_B[pipe];
        struct adreno_VSC_PIPE_CONFIG config =
            adreno_unpack_VSC_PIPE_CONFIG(gpu->regs[ADRENO_REG_VSC_PIPE_CONFIG + pipe]);
        if (config.W && config.H)
            ADRENO_WRITES(gpu->coherence, ADRENO_CLIENT_VSC, size_va + pipe * 4, 4);
        if (config.W && config.H && !gpu_mem_write32(gpu->space, size_va + pipe * 4, vsc->draw_B[pipe]))
            return adreno_fault(gpu, "the size of a visibility stream", size_va + pipe * 4, 4, true);
    }
    gpu->reg_changes++;
    return true;
}

static bool begin_writing(struct vsc *vsc, struct adreno_gpu *gpu)
{
    struct adreno_VSC_BIN_SIZE size = adreno_unpack_VSC_BIN_SIZE(gpu->regs[ADRENO_REG_VSC_BIN_SIZE]);
    struct adreno_VSC_EXPANDED_BIN_CNTL bins =
        adreno_unpack_VSC_EXPANDED_BIN_CNTL(gpu->regs[ADRENO_REG_VSC_EXPANDED_BIN_CNTL]);
    vsc->bin_w = size.BINW;
    vsc->bin_h = size.BINH;
    vsc->bins_x = bins.NX;
    vsc->bins_y = bins.NY;
    if (!vsc->bin_w || !vsc->bin_h || !vsc->bins_x || !vsc->bins_y)
        return adreno_stop_register(gpu, ADRENO_REG_VSC_BIN_SIZE, "a binning pass without bins");
    uint32_t words = vsc->bins_x * vsc->bins_y * MAX2(vsc->words, 1u);
    if (!array_reserve(&vsc->bits, words))
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    memset(vsc->bits.data, 0, words * sizeof(*vsc->bits.data));
    vsc->is_writing = true;
    return true;
}

void adreno_vsc_mark(struct vsc *vsc, uint64_t prim, const struct raster_prim *part)
{
    const uint64_t group = prim >> vsc->group_log2;
    const uint32_t bit = 1u << group % 32;
    uint32_t x0 = (uint32_t)part->x0 / vsc->bin_w, x1 = (uint32_t)(part->x1 - 1) / vsc->bin_w;
    uint32_t y0 = (uint32_t)part->y0 / vsc->bin_h, y1 = (uint32_t)(part->y1 - 1) / vsc->bin_h;
    for (uint32_t y = y0; y <= y1 && y < vsc->bins_y; y++) {
        for (uint32_t x = x0; x <= x1 && x < vsc->bins_x; x++) {
            _Atomic uint32_t *word = &vsc->bits.data[(y * vsc->bins_x + x) * vsc->words + group / 32];
            if (!(atomic_load_explicit(word, memory_order_relaxed) & bit))
                atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
        }
    }
}

static const _Atomic uint32_t *bits_of(const struct vsc *vsc, uint32_t x, uint32_t y)
{
    return x < vsc->bins_x && y < vsc->bins_y ? &vsc->bits.data[(y * vsc->bins_x + x) * vsc->words] : NULL;
}

/* The bins of a pipe that the draw touches. */
static uint32_t touched_bins(const struct vsc *vsc, const struct adreno_VSC_PIPE_CONFIG *config)
{
    uint32_t mask = 0;
    for (uint32_t bin = 0; bin < MIN2(config->W * config->H, 32u); bin++) {
        const _Atomic uint32_t *bits = bits_of(vsc, config->X + bin % config->W, config->Y + bin / config->W);
        for (unsigned w = 0; bits && w < vsc->words; w++) {
            if (atomic_load_explicit(&bits[w], memory_order_relaxed)) {
                mask |= 1u << bin;
                break;
            }
        }
    }
    return mask;
}

/* The bitmaps of a draw. False: stopped. */
static bool write_prims(struct vsc *vsc, struct adreno_gpu *gpu, unsigned pipe,
                        const struct adreno_VSC_PIPE_CONFIG *config, uint32_t mask)
{
    uint64_t va = adreno_reg64(gpu, ADRENO_REG_VSC_PIPE_DATA_PRIM_BASE) +
                  (uint64_t)pipe * gpu->regs[ADRENO_REG_VSC_PIPE_DATA_PRIM_STRIDE];
    uint32_t size_B = (uint32_t)__builtin_popcount(mask) * vsc->words * 4, at_B = vsc->prim_B[pipe];
    vsc->prim_B[pipe] += size_B;
    vsc->has_overflown[pipe] |= vsc->prim_B[pipe] > gpu->regs[ADRENO_REG_VSC_PIPE_DATA_PRIM_LENGTH];
    if (vsc->has_overflown[pipe])
        return true;
    ADRENO_WRITES(gpu->coherence, ADRENO_CLIENT_VSC, va + at_B, size_B);
    bits_foreach (mask, bin) {
        const _Atomic uint32_t *bits =
            bits_of(vsc, config->X + (uint32_t)bin % config->W, config->Y + (uint32_t)bin / config->W);
        for (unsigned w = 0; w < vsc->words; w++, at_B += 4) {
            if (!gpu_mem_write32(gpu->space, va + at_B, atomic_load_explicit(&bits[w], memory_order_relaxed)))
                return adreno_fault(gpu, "a visibility stream of primitives", va + at_B, 4, true);
        }
    }
    return true;
}

static bool write_pipe(struct vsc *vsc, struct adreno_gpu *gpu, unsigned pipe, uint64_t prim_total)
{
    struct adreno_VSC_PIPE_CONFIG config = adreno_unpack_VSC_PIPE_CONFIG(gpu->regs[ADRENO_REG_VSC_PIPE_CONFIG + pipe]);
    if (!config.W || !config.H)
        return true;
    uint64_t va = adreno_reg64(gpu, ADRENO_REG_VSC_PIPE_DATA_DRAW_BASE) +
                  (uint64_t)pipe * gpu->regs[ADRENO_REG_VSC_PIPE_DATA_DRAW_STRIDE] + vsc->draw_B[pipe];
    uint32_t mask = touched_bins(vsc, &config);
    vsc->touched[pipe] |= mask;
    if (!write_prims(vsc, gpu, pipe, &config, mask))
        return false;
    vsc->draw_B[pipe] += DRAW_ENTRY_B;
    if (vsc->draw_B[pipe] > gpu->regs[ADRENO_REG_VSC_PIPE_DATA_DRAW_LENGTH])
        return true;
    const uint32_t entry[2] = {mask, prim_count_word(prim_total) | (vsc->has_overflown[pipe] ? VSC_NO_BITS : 0)};
    ADRENO_WRITES(gpu->coherence, ADRENO_CLIENT_VSC, va, sizeof(entry));
    if (gpu_space_write(gpu->space, va, entry, sizeof(entry)) != sizeof(entry))
        return adreno_fault(gpu, "a visibility stream of draws", va, sizeof(entry), true);
    return true;
}

/* ---- reading ---- */

static bool read_words(struct adreno_gpu *gpu, uint64_t va, uint32_t *words, uint32_t count)
{
    ADRENO_READS(gpu->coherence, ADRENO_CLIENT_VISIBILITY, va, count * 4);
    if (gpu_space_read(gpu->space, va, words, count * 4) != count * 4)
        return adreno_fault(gpu, "a visibility stream", va, count * 4, false);
    return true;
}

static bool begin_reading(struct vsc *vsc, struct adreno_gpu *gpu, const struct adreno_bin *bin, uint64_t prim_total)
{
    uint32_t entry[2];
    if (vsc->serial != bin->serial) {
        vsc->serial = bin->serial;
        vsc->draw_at_B = vsc->prim_at_B = 0;
        if (!read_words(gpu, bin->size_va, &vsc->size_B, 1))
            return false;
        vsc->size_B = MIN2(vsc->size_B, gpu->regs[ADRENO_REG_VSC_PIPE_DATA_DRAW_LENGTH]);
    }
    uint64_t at_B = vsc->draw_at_B;
    vsc->draw_at_B += DRAW_ENTRY_B;
    if (vsc->draw_at_B > vsc->size_B)
        return true; /* the stream was too short: the rest is visible */
    if (!read_words(gpu, bin->draw_va + at_B, entry, 2))
        return false;
    if ((entry[1] & ~VSC_NO_BITS) != prim_count_word(prim_total))
        return adreno_stop(gpu, ADRENO_STOP_BROKEN,
                           "a draw of %llu primitives reads the visibility of one of %u: the passes have other draws",
                           (unsigned long long)prim_total, entry[1] & ~VSC_NO_BITS);
    bool is_touched = entry[0] >> bin->pipe_bin & 1;
    if (entry[1] & VSC_NO_BITS) {
        memset(vsc->visible, is_touched ? 0xff : 0, sizeof(vsc->visible));
    } else {
        uint32_t before = (uint32_t)__builtin_popcount(entry[0] & (uint32_t)bits_mask(bin->pipe_bin));
        memset(vsc->visible, 0, sizeof(vsc->visible));
        if (is_touched && !read_words(gpu, bin->prim_va + vsc->prim_at_B + (uint64_t)before * vsc->words * 4,
                                      vsc->visible, vsc->words))
            return false;
        vsc->prim_at_B += (uint64_t)__builtin_popcount(entry[0]) * vsc->words * 4;
    }
    vsc->is_reading = true;
    return true;
}

bool adreno_vsc_draw_begin(struct vsc *vsc, struct adreno_gpu *gpu, const struct adreno_draw *draw, uint64_t prim_total)
{
    vsc->is_writing = vsc->is_reading = false;
    if (!draw->has_visibility)
        return true;
    set_groups(vsc, prim_total);
    if (draw->pass == ADRENO_PASS_BINNING)
        return begin_writing(vsc, gpu);
    return !draw->bin || begin_reading(vsc, gpu, draw->bin, prim_total);
}

bool adreno_vsc_draw_end(struct vsc *vsc, struct adreno_gpu *gpu, uint64_t prim_total)
{
    for (unsigned pipe = 0; vsc->is_writing && pipe < VSC_PIPES; pipe++) {
        if (!write_pipe(vsc, gpu, pipe, prim_total))
            return false;
    }
    return true;
}
