/* Low-resolution depth: the registers of a draw, the direction of comparisons, events. The bounds are in
 * gras_lrz_blocks.c.
 *
 * The hardware keeps fast-clear bits, direction and view in caches that LRZ_FLUSH_INVALIDATE writes back. Here they are
 * read from memory and written to it at once. */
#include <string.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/tiling/lrz.h"
#include "adreno/model/coherence.h"
#include "adreno/model/gras/gras_lrz.h"
#include "util/bits.h"

#define GET(name) adreno_unpack_##name(gpu->regs[ADRENO_REG_##name])

/* ---- direction ---- */

/* From ADRENO_LRZ_DIRECTION_B on, as it stands in memory. */
struct tracking {
    uint8_t direction; /* enum adreno_lrz_direction */
    uint8_t unused[ADRENO_LRZ_VIEW_B - ADRENO_LRZ_DIRECTION_B - 1];
    uint8_t view[4];
};

static uint64_t tracking_va(const struct adreno_gpu *gpu)
{
    return adreno_reg64(gpu, ADRENO_REG_GRAS_LRZ_FAST_CLEAR_BUFFER_BASE) + ADRENO_LRZ_DIRECTION_B;
}

static bool read_tracking(struct adreno_gpu *gpu, struct tracking *out)
{
    ADRENO_READS(gpu->coherence, ADRENO_CLIENT_LRZ, tracking_va(gpu), sizeof(*out));
    if (gpu_space_read(gpu->space, tracking_va(gpu), out, sizeof(*out)) != sizeof(*out))
        return adreno_fault(gpu, "the direction of low-resolution depth", tracking_va(gpu), sizeof(*out), false);
    return true;
}

static bool write_direction(struct adreno_gpu *gpu, enum adreno_lrz_direction direction)
{
    const uint8_t byte = (uint8_t)direction;
    ADRENO_WRITES(gpu->coherence, ADRENO_CLIENT_LRZ, tracking_va(gpu), 1);
    if (gpu_space_write(gpu->space, tracking_va(gpu), &byte, 1) != 1)
        return adreno_fault(gpu, "the direction of low-resolution depth", tracking_va(gpu), 1, true);
    return true;
}

/* Bounds are good for one direction of comparisons and for the view of the image that they were written with. A draw
 * that writes depth in the other direction makes an end of them, until they are cleared. One that does not write only
 * makes no use of them. *is_good_out: this draw may. */
static bool follow_direction(struct adreno_gpu *gpu, const struct adreno_GRAS_LRZ_CNTL *cntl, bool *is_good_out)
{
    struct tracking tracking;
    uint32_t view;
    *is_good_out = false;
    if (!read_tracking(gpu, &tracking))
        return false;
    memcpy(&view, tracking.view, sizeof(view));
    const unsigned direction = tracking.direction & 3;
    if (view != gpu->regs[ADRENO_REG_GRAS_LRZ_VIEW_INFO] || direction == ADRENO_LRZ_DISABLED)
        return true;
    const bool is_known = cntl->DIR == ADRENO_LRZ_DIR_STATUS_LE || cntl->DIR == ADRENO_LRZ_DIR_STATUS_GE;
    *is_good_out = is_known && (direction == ADRENO_LRZ_UNSET || direction == cntl->DIR);
    if (!cntl->DIR_WRITE || !cntl->Z_WRITE_ENABLE || !cntl->DIR)
        return true;
    const enum adreno_lrz_direction next = *is_good_out ? (enum adreno_lrz_direction)cntl->DIR : ADRENO_LRZ_DISABLED;
    return next == direction || write_direction(gpu, next);
}

_Static_assert((int)ADRENO_LRZ_DIR_STATUS_LE == ADRENO_LRZ_LESS && (int)ADRENO_LRZ_DIR_STATUS_GE == ADRENO_LRZ_GREATER,
               "memory has the register's codes");

/* ---- the draw ---- */

/* Pixels of a block as log2 of width and height, by log2 of the number of samples: samples are spread out. */
static const uint8_t block_sizes[4][2] = {{3, 3}, {3, 2}, {2, 2}, {2, 1}};

static void read_buffer(struct gras_lrz *lrz, struct adreno_gpu *gpu)
{
    const struct adreno_GRAS_LRZ_BUFFER_PITCH pitch = GET(GRAS_LRZ_BUFFER_PITCH);
    lrz->va = adreno_reg64(gpu, ADRENO_REG_GRAS_LRZ_BUFFER_BASE);
    lrz->clear_va = adreno_reg64(gpu, ADRENO_REG_GRAS_LRZ_FAST_CLEAR_BUFFER_BASE);
    lrz->columns = pitch.PITCH / 2;
    lrz->layer_B = pitch.ARRAY_PITCH;
    lrz->rows = pitch.PITCH ? pitch.ARRAY_PITCH / pitch.PITCH : 0;
    if (gpu->coherence) /* who follows caches sees every access */
        return;
    const unsigned need = GPU_PERM_READ | GPU_PERM_WRITE;
    lrz->bounds = gpu_space_whole(gpu->space, lrz->va, (uint64_t)lrz->columns * lrz->rows * sizeof(*lrz->bounds), need);
    lrz->clears = gpu_space_whole(gpu->space, lrz->clear_va, ADRENO_LRZ_CLEAR_B, need);
}

/* Which fragments tell the bounds of their depth after the test, by the draw's mode of it. */
static void read_feedback(struct gras_lrz *lrz, struct adreno_gpu *gpu, const struct adreno_rb_draw *rb, unsigned mode)
{
    static const uint8_t modes[4] = {
        [ADRENO_ZTEST_MODE_EARLY_Z] = ADRENO_LRZ_FEEDBACK_MASK_EARLY_Z,
        [ADRENO_ZTEST_MODE_EARLY_Z_LATE_Z] = ADRENO_LRZ_FEEDBACK_MASK_EARLY_Z_LATE_Z,
        [ADRENO_ZTEST_MODE_LATE_Z] = ADRENO_LRZ_FEEDBACK_MASK_LATE_Z,
    };
    const struct adreno_GRAS_SC_BIN_CNTL bin = GET(GRAS_SC_BIN_CNTL);
    if (!(bin.LRZ_FEEDBACK_ZMODE_MASK & modes[mode]) || !GET(RB_LRZ_CNTL).ENABLE || !rb->depth.writes_z)
        return;
    /* Stencil and depth bounds keep fragments from writing their depth, alpha that of some samples: what is covered
     * says nothing then, and what has passed says all. */
    const bool passes_all = !rb->depth.tests_stencil && !rb->depth.tests_bounds;
    lrz->has_feedback = rb->is_early && passes_all;
    lrz->feeds_late = !rb->is_early && !GET(RB_PS_OUTPUT_CNTL).FRAG_WRITES_Z;
}

bool adreno_gras_lrz_init(struct gras_lrz *lrz, struct adreno_gpu *gpu, enum adreno_pass pass,
                          const struct adreno_rb_draw *rb)
{
    const struct adreno_GRAS_LRZ_CNTL cntl = GET(GRAS_LRZ_CNTL);
    const struct adreno_GRAS_SC_BIN_CNTL bin = GET(GRAS_SC_BIN_CNTL);
    const unsigned mode = GET(GRAS_SU_DEPTH_PLANE_CNTL).Z_MODE, samples_log2 = GET(GRAS_SC_DEST_MSAA_CNTL).SAMPLES;
    *lrz = (struct gras_lrz){.gpu = gpu};
    if (!cntl.ENABLE || bin.FORCE_LRZ_DIS)
        return true;
    bool is_good = true;
    if (gpu->chip->has_lrz_direction && cntl.DISABLE_ON_WRONG_DIR && !follow_direction(gpu, &cntl, &is_good))
        return false;
    if (!is_good)
        return true;
    read_buffer(lrz, gpu);
    lrz->w_log2 = block_sizes[samples_log2][0];
    lrz->h_log2 = block_sizes[samples_log2][1];
    lrz->whole_quad = (uint32_t)bits_mask(1u << samples_log2) * 0x01010101u;
    lrz->is_greater = cntl.GREATER;
    lrz->has_fast_clear = cntl.FC_ENABLE;
    const bool is_early = mode != ADRENO_ZTEST_MODE_LATE_Z;
    const bool has_all_samples = !(~GET(RB_BLEND_CNTL).SAMPLE_MASK & bits_mask(1u << samples_log2));
    const bool may_write = pass == ADRENO_PASS_BINNING || !bin.FORCE_LRZ_WRITE_DIS;
    lrz->has_test = is_early && pass != ADRENO_PASS_BINNING;
    /* Depth bounds may keep a fragment from writing its depth, which nothing here knows. */
    lrz->has_write = is_early && may_write && cntl.LRZ_WRITE && !cntl.Z_BOUNDS_ENABLE && has_all_samples;
    if (rb && may_write && has_all_samples)
        read_feedback(lrz, gpu, rb, mode);
    return true;
}

/* ---- events ---- */

/* Fast-clear bits say "cleared", the direction is open; as GRAS_LRZ_CNTL has them switched on. */
bool adreno_lrz_clear(struct adreno_gpu *gpu)
{
    static const uint8_t zeros[ADRENO_LRZ_CLEAR_B];
    const struct adreno_GRAS_LRZ_CNTL cntl = GET(GRAS_LRZ_CNTL);
    const uint64_t va = adreno_reg64(gpu, ADRENO_REG_GRAS_LRZ_FAST_CLEAR_BUFFER_BASE);
    if (!cntl.ENABLE)
        return true;
    if (cntl.FC_ENABLE)
        ADRENO_WRITES(gpu->coherence, ADRENO_CLIENT_LRZ, va, sizeof(zeros));
    if (cntl.FC_ENABLE && gpu_space_write(gpu->space, va, zeros, sizeof(zeros)) != sizeof(zeros))
        return adreno_fault(gpu, "the clear of low-resolution depth", va, sizeof(zeros), true);
    if (!gpu->chip->has_lrz_direction || !cntl.DISABLE_ON_WRONG_DIR)
        return true;
    struct tracking tracking = {.direction = ADRENO_LRZ_UNSET};
    memcpy(tracking.view, &gpu->regs[ADRENO_REG_GRAS_LRZ_VIEW_INFO], sizeof(tracking.view));
    ADRENO_WRITES(gpu->coherence, ADRENO_CLIENT_LRZ, tracking_va(gpu), sizeof(tracking));
    if (gpu_space_write(gpu->space, tracking_va(gpu), &tracking, sizeof(tracking)) != sizeof(tracking))
        return adreno_fault(gpu, "the direction of low-resolution depth", tracking_va(gpu), sizeof(tracking), true);
    return true;
}

bool adreno_lrz_flush(struct adreno_gpu *gpu)
{
    return true;
}
