/* CP_BLIT: the registers of the 2D engine, and its work cut into rows for the workers.
 *
 * A rectangle of the destination is filled with one colour, or with texels of a source, at the same size or scaled
 * (nearest or linear), mirrored, from any format that TPL1 reads to any that the RB writes. Colours pass through the
 * intermediate format of the register, of which 16-bit floats are the one that can be seen in the result; blending
 * keeps channels (depth or stencil of a packed format). */
#include <stdatomic.h>
#include <string.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/model/blocks.h"
#include "adreno/model/rb/a2d.h"
#include "adreno/model/rb/rb.h"
#include "model/stat.h"
#include "model/workers.h"
#include "util/bits.h"
#include "util/half.h"

#define GET(name) adreno_unpack_##name(gpu->regs[ADRENO_REG_##name])

/* ---- destination ---- */

static bool read_destination(struct adreno_a2d *a2d, struct adreno_gpu *gpu)
{
    const struct adreno_RB_A2D_DEST_BUFFER_INFO info = GET(RB_A2D_DEST_BUFFER_INFO);
    struct adreno_a2d_side *dst = &a2d->dst;
    const bool has_swap = info.TILE_MODE == ADRENO_TILE_MODE_LINEAR;
    if (!adreno_rb_format_init(&dst->format, info.COLOR_FORMAT, has_swap ? info.COLOR_SWAP : ADRENO_COLOR_SWAP_WZYX,
                               info.SRGB) ||
        format_is_compressed(dst->format.info))
        return adreno_stop_register(gpu, ADRENO_REG_RB_A2D_DEST_BUFFER_INFO,
                                    "not a format that the 2D engine writes, or not with that swap");
    const char *why = adreno_rb_surface_memory(
        &dst->surface, gpu->chip, info.TILE_MODE, adreno_reg64(gpu, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE),
        GET(RB_A2D_DEST_BUFFER_PITCH).VALUE, 0, dst->format.sample_B, info.SAMPLES);
    if (why)
        return adreno_stop_register(gpu, ADRENO_REG_RB_A2D_DEST_BUFFER_INFO, why);
    if (info.FLAGS)
        adreno_rb_surface_flags(&dst->surface, adreno_reg64(gpu, ADRENO_REG_RB_A2D_DEST_FLAG_BUFFER_BASE),
                                GET(RB_A2D_DEST_FLAG_BUFFER_PITCH).PITCH, 0,
                                dst->format.sample_B == 2 && dst->format.info->component_count == 2);
    return true;
}

static void read_rectangle(struct adreno_a2d *a2d, const struct adreno_gpu *gpu)
{
    const struct adreno_GRAS_A2D_DEST_TL tl = GET(GRAS_A2D_DEST_TL);
    const struct adreno_GRAS_A2D_DEST_BR br = GET(GRAS_A2D_DEST_BR);
    a2d->x0 = (int32_t)tl.X;
    a2d->y0 = (int32_t)tl.Y;
    a2d->x1 = (int32_t)br.X + 1;
    a2d->y1 = (int32_t)br.Y + 1;
}

static void cut_rectangle(struct adreno_a2d *a2d, const struct adreno_gpu *gpu)
{
    const struct adreno_GRAS_A2D_SCISSOR_TL tl = GET(GRAS_A2D_SCISSOR_TL);
    const struct adreno_GRAS_A2D_SCISSOR_BR br = GET(GRAS_A2D_SCISSOR_BR);
    a2d->x0 = MAX2(a2d->x0, (int32_t)tl.X);
    a2d->y0 = MAX2(a2d->y0, (int32_t)tl.Y);
    a2d->x1 = MIN2(a2d->x1, (int32_t)br.X + 1);
    a2d->y1 = MIN2(a2d->y1, (int32_t)br.Y + 1);
}

/* ---- solid colours ---- */

/* A channel of the clear colour, which stands in the intermediate format. Codes of eight bits are those of the
 * destination's kind of number. */
static float solid_channel(enum adreno_IFMT_2D ifmt, bool is_signed, uint32_t word)
{
    switch (ifmt) {
    case ADRENO_IFMT_2D_FLOAT16:
        return half_to_float((uint16_t)word);
    case ADRENO_IFMT_2D_FLOAT32:
        return bits_float(word);
    case ADRENO_IFMT_2D_SNORM8:
        is_signed = true;
        break;
    default:
        break;
    }
    return is_signed ? MAX2((float)(int8_t)word / 127.0f, -1.0f) : (float)(uint8_t)word / 255.0f;
}

static void read_solid(struct adreno_a2d *a2d, const struct adreno_gpu *gpu, enum adreno_IFMT_2D ifmt)
{
    struct adreno_rb_format format = a2d->dst.format;
    const bool is_signed = format.info->numeric == FORMAT_NUMERIC_SNORM;
    union adreno_rb_color color;
    void *at = a2d->element;
    /* Codes are encoded already. */
    if (ifmt == ADRENO_IFMT_2D_UNORM8_SRGB || ifmt == ADRENO_IFMT_2D_UNORM8)
        format.codec = format_codec(format.info->linear_format);
    for (unsigned c = 0; c < 4; c++) {
        const uint32_t word = gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0 + c];
        if (format.numeric == ADRENO_RB_FLOAT)
            color.f[c] = solid_channel(ifmt, is_signed, word);
        else
            color.u[c] = word;
    }
    a2d->is_solid = true;
    adreno_rb_store(&format, &at, &color, 1);
}

/* ---- sources ---- */

static bool place_source(struct adreno_a2d *a2d, struct adreno_gpu *gpu,
                         const struct adreno_TPL1_A2D_SRC_TEXTURE_INFO *info)
{
    struct adreno_a2d_side *src = &a2d->src;
    const uint64_t va = adreno_reg64(gpu, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_BASE);
    const uint32_t pitch_B = GET(TPL1_A2D_SRC_TEXTURE_PITCH).PITCH;
    const char *why;
    if (info->TILE_MODE == ADRENO_TILE_MODE_TILE6_2) {
        const struct adreno_TPL1_WINDOW_OFFSET window = GET(TPL1_WINDOW_OFFSET);
        const uint32_t element_B = (uint32_t)src->format.sample_B << info->SAMPLES;
        if (!adreno_gmem_at(gpu, va, 1))
            return adreno_stop_register(gpu, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_INFO, "TILE6_2 outside of GMEM");
        why = adreno_rb_surface_gmem(&src->surface, gpu->gmem, gpu->chip->gmem_size_B,
                                     (uint32_t)(va - gpu->chip->gmem_base), pitch_B / element_B, 0,
                                     src->format.sample_B, info->SAMPLES);
        src->surface.origin_x = (int32_t)window.X;
        src->surface.origin_y = (int32_t)window.Y;
    } else {
        why = adreno_rb_surface_memory(&src->surface, gpu->chip, info->TILE_MODE, va, pitch_B, 0, src->format.sample_B,
                                       info->SAMPLES);
    }
    if (!why && info->FLAGS)
        adreno_rb_surface_flags(&src->surface, adreno_reg64(gpu, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_FLAG_BASE),
                                GET(TPL1_A2D_SRC_TEXTURE_FLAG_PITCH).VALUE, 0,
                                src->format.sample_B == 2 && src->format.info->component_count == 2);
    return !why || adreno_stop_register(gpu, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_INFO, why);
}

/* One axis: which texel the first pixel of the destination begins at, and how far apart pixels are. */
static void set_axis(double *first_out, double *step_out, int32_t src_min, int32_t src_max, int32_t dst_first,
                     int32_t dst_size, bool is_mirrored)
{
    const double size = src_max - src_min + 1, step = size / dst_size;
    *step_out = is_mirrored ? -step : step;
    *first_out = (is_mirrored ? src_max + 1 : src_min) - dst_first * *step_out;
}

static bool read_coordinates(struct adreno_a2d *a2d, struct adreno_gpu *gpu, enum adreno_ROTATION rotation)
{
    const bool flips_x = rotation == ADRENO_ROTATION_HFLIP || rotation == ADRENO_ROTATION_180;
    const bool flips_y = rotation == ADRENO_ROTATION_VFLIP || rotation == ADRENO_ROTATION_180;
    if (rotation != ADRENO_ROTATION_0 && !flips_x && !flips_y)
        return adreno_stop_register(gpu, ADRENO_REG_GRAS_A2D_BLT_CNTL, "quarter turns are not implemented");
    set_axis(&a2d->first_x, &a2d->step_x, GET(GRAS_A2D_SRC_XMIN).VALUE, GET(GRAS_A2D_SRC_XMAX).VALUE, a2d->x0,
             a2d->x1 - a2d->x0, flips_x);
    set_axis(&a2d->first_y, &a2d->step_y, GET(GRAS_A2D_SRC_YMIN).VALUE, GET(GRAS_A2D_SRC_YMAX).VALUE, a2d->y0,
             a2d->y1 - a2d->y0, flips_y);
    return true;
}

static bool is_same_format(const struct adreno_rb_format *a, const struct adreno_rb_format *b)
{
    return a->format == b->format && !memcmp(a->from, b->from, sizeof(a->from)) && a->present == b->present;
}

static bool read_source(struct adreno_a2d *a2d, struct adreno_gpu *gpu, const struct adreno_RB_A2D_BLT_CNTL *cntl)
{
    const struct adreno_TPL1_A2D_SRC_TEXTURE_INFO info = GET(TPL1_A2D_SRC_TEXTURE_INFO);
    const struct adreno_TPL1_A2D_SRC_TEXTURE_SIZE size = GET(TPL1_A2D_SRC_TEXTURE_SIZE);
    struct adreno_a2d_side *src = &a2d->src, *dst = &a2d->dst;
    if (!adreno_rb_format_init(&src->format, info.COLOR_FORMAT, info.COLOR_SWAP, info.SRGB))
        return adreno_stop_register(gpu, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_INFO,
                                    "not a format that the 2D engine reads, or not with that swap");
    if ((src->format.numeric == ADRENO_RB_FLOAT) != (dst->format.numeric == ADRENO_RB_FLOAT))
        return adreno_stop_register(gpu, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_INFO,
                                    "a blit between integers and other numbers");
    if (!place_source(a2d, gpu, &info) || !read_coordinates(a2d, gpu, cntl->ROTATE))
        return false;
    a2d->src_width = (int32_t)size.WIDTH;
    a2d->src_height = (int32_t)size.HEIGHT;
    a2d->is_linear = info.FILTER && src->format.numeric == ADRENO_RB_FLOAT;
    a2d->is_averaged =
        info.SAMPLES_AVERAGE && info.SAMPLES != ADRENO_MSAA_SAMPLES_ONE && src->format.numeric == ADRENO_RB_FLOAT;
    a2d->is_half = cntl->IFMT == ADRENO_IFMT_2D_FLOAT16;
    const bool is_copy = a2d->step_x == 1 && a2d->step_y == 1 && is_same_format(&src->format, &dst->format) &&
                         !format_is_compressed(src->format.info) && !a2d->is_blended;
    a2d->is_raw = is_copy && !a2d->is_averaged;
    a2d->is_byte_average = is_copy && a2d->is_averaged && src->format.format == FORMAT_R8G8B8A8_UNORM;
    if (dst->surface.samples_log2 && !(a2d->is_raw && dst->surface.samples_log2 == src->surface.samples_log2))
        return adreno_stop_register(gpu, ADRENO_REG_RB_A2D_DEST_BUFFER_INFO,
                                    "a blit to several samples that is not a copy");
    return true;
}

/* ---- blending ---- */

static bool read_blend(struct adreno_a2d *a2d, struct adreno_gpu *gpu)
{
    static const uint8_t factors[2] = {PIXEL_FACTOR_ZERO, PIXEL_FACTOR_ONE};
    const struct adreno_RB_A2D_PIXEL_CNTL cntl = GET(RB_A2D_PIXEL_CNTL);
    if (cntl.PIXEL_OP == ADRENO_A2D_PIXEL_OP_DISABLED)
        return true;
    /* Drivers keep channels with it, and no more is known of it. */
    if (cntl.PIXEL_OP != ADRENO_A2D_PIXEL_OP_BLENDING || cntl.COLOR_SRC_FACTOR > ADRENO_BLEND_FACTOR_ONE ||
        cntl.COLOR_DST_FACTOR > ADRENO_BLEND_FACTOR_ONE || cntl.ALPHA_SRC_FACTOR > ADRENO_BLEND_FACTOR_ONE ||
        cntl.ALPHA_DST_FACTOR > ADRENO_BLEND_FACTOR_ONE || cntl.COLOR_BLEND_OP != ADRENO_BLEND_OP_DST_PLUS_SRC ||
        cntl.ALPHA_BLEND_OP != ADRENO_BLEND_OP_DST_PLUS_SRC || a2d->dst.format.numeric != ADRENO_RB_FLOAT ||
        a2d->dst.surface.samples_log2)
        return adreno_stop_register(gpu, ADRENO_REG_RB_A2D_PIXEL_CNTL,
                                    "blending of the 2D engine beyond keeping channels is not implemented");
    a2d->is_blended = true;
    a2d->blend.color =
        (struct pixel_equation){factors[cntl.COLOR_SRC_FACTOR], factors[cntl.COLOR_DST_FACTOR], PIXEL_ADD};
    a2d->blend.alpha =
        (struct pixel_equation){factors[cntl.ALPHA_SRC_FACTOR], factors[cntl.ALPHA_DST_FACTOR], PIXEL_ADD};
    a2d->blend.is_alpha_one = !(a2d->dst.format.present >> 3 & 1);
    pixel_blend_prepare(&a2d->blend);
    return true;
}

/* ---- the work ---- */

#define BAND 32           /* rows of a turn: whole macrotiles of most formats */
#define ALONE (128 * 128) /* pixels that are not worth waking workers for */
#define MARKED 1024       /* as many times more where most of them are not written (ubwc/ubwc.h) */

struct job {
    struct workers_job base; /* first */
    const struct adreno_a2d *a2d;
    struct adreno_gpu *gpu;
    _Atomic int32_t next_y;
    struct adreno_rb_fault faults[WORKERS_MAX];
};

static bool take_turn(struct workers_job *base, unsigned number)
{
    struct job *job = (struct job *)base;
    struct adreno_a2d_worker worker;
    adreno_a2d_worker_init(&worker, job->a2d);
    for (;;) {
        const int32_t y = atomic_fetch_add_explicit(&job->next_y, BAND, memory_order_relaxed);
        if (y >= job->a2d->y1 || adreno_is_killed(job->gpu))
            break;
        if (!adreno_a2d_rows(&worker, MAX2(y, job->a2d->y0), MIN2(y + BAND, job->a2d->y1)))
            break;
    }
    job->faults[number] = worker.fault;
    return false;
}

static bool run_here(struct adreno_gpu *gpu, const struct adreno_a2d *a2d, const char *client)
{
    struct adreno_a2d_worker worker;
    const unsigned before = stat_enter(STAT_COPIES);
    adreno_a2d_worker_init(&worker, a2d);
    const bool is_done = adreno_a2d_rows(&worker, a2d->y0, a2d->y1);
    stat_leave(before);
    return is_done || adreno_rb_stop_at_fault(gpu, &worker.fault, client);
}

bool adreno_a2d_run(struct adreno_gpu *gpu, const struct adreno_a2d *a2d, const char *client)
{
    if (a2d->x0 >= a2d->x1 || a2d->y0 >= a2d->y1)
        return true;
    const int32_t done = adreno_a2d_copy_macrotiles(gpu, a2d);
    if (done) {
        struct adreno_a2d rest = *a2d;
        rest.y0 += done;
        return adreno_a2d_run(gpu, &rest, client);
    }
    const bool has_marks = a2d->is_solid && a2d->dst.surface.has_marks;
    const int64_t pixels = (int64_t)(a2d->x1 - a2d->x0) * (a2d->y1 - a2d->y0);
    gpu->ubwc_changes += has_marks;
    if (pixels <= (has_marks && !a2d->coherence ? ALONE * MARKED : ALONE) || !gpu->workers)
        return run_here(gpu, a2d, client);
    struct job job = {.base.turn = take_turn, .a2d = a2d, .gpu = gpu, .next_y = a2d->y0 / BAND * BAND};
    job.base.stage = STAT_COPIES;
    job.base.units = (uint64_t)(a2d->y1 - job.next_y + BAND - 1) / BAND;
    workers_run(gpu->workers, &job.base);
    for (unsigned i = 0; i < workers_count(gpu->workers); i++) {
        if (job.faults[i].is_set)
            return adreno_rb_stop_at_fault(gpu, &job.faults[i], client);
    }
    return true;
}

bool adreno_rb_2d(struct adreno_gpu *gpu)
{
    const struct adreno_RB_A2D_BLT_CNTL cntl = GET(RB_A2D_BLT_CNTL);
    struct adreno_a2d a2d = {.space = gpu->space, .coherence = gpu->coherence};
    if (cntl.MASK != 15)
        return adreno_stop_register(gpu, ADRENO_REG_RB_A2D_BLT_CNTL, "a mask of channels is not implemented");
    if (!read_destination(&a2d, gpu) || !read_blend(&a2d, gpu))
        return false;
    read_rectangle(&a2d, gpu);
    if (cntl.SOLID_COLOR)
        read_solid(&a2d, gpu, cntl.IFMT);
    else if (!read_source(&a2d, gpu, &cntl))
        return false;
    if (cntl.SCISSOR)
        cut_rectangle(&a2d, gpu);
    if (!cntl.SOLID_COLOR && GET(TPL1_A2D_SRC_TEXTURE_INFO).TILE_MODE == ADRENO_TILE_MODE_TILE6_2 && a2d.x1 > a2d.x0 &&
        a2d.y1 > a2d.y0)
        stat_count_bytes(STAT_TILE_STORES_B,
                         (uint64_t)(a2d.x1 - a2d.x0) * (uint64_t)(a2d.y1 - a2d.y0) * a2d.dst.surface.element_B);
    if (a2d.x0 < a2d.x1 && a2d.y0 < a2d.y1 && adreno_a2d_keep_row(gpu, &a2d))
        return true;
    return adreno_rb_2d_finish(gpu) && adreno_a2d_run(gpu, &a2d, "the 2D engine");
}
