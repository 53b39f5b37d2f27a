/* Draws: the DRAW descriptor and what it points to, unpacked once for a worker. */
#include <string.h>

#include "mali/model/frag/frag.h"
#include "util/bits.h"

_Static_assert((int)MALI_FUNC_LESS == PIXEL_LESS && (int)MALI_FUNC_EQUAL == PIXEL_EQUAL &&
                   (int)MALI_FUNC_LEQUAL == PIXEL_LESS_OR_EQUAL && (int)MALI_FUNC_GREATER == PIXEL_GREATER &&
                   (int)MALI_FUNC_NOT_EQUAL == PIXEL_NOT_EQUAL && (int)MALI_FUNC_ALWAYS == PIXEL_ALWAYS,
               "a comparison is a set of relations");

static const uint8_t stencil_ops[] = {
    [MALI_STENCIL_OP_KEEP] = PIXEL_STENCIL_KEEP,          [MALI_STENCIL_OP_REPLACE] = PIXEL_STENCIL_REFERENCE,
    [MALI_STENCIL_OP_ZERO] = PIXEL_STENCIL_ZERO,          [MALI_STENCIL_OP_INVERT] = PIXEL_STENCIL_INVERT,
    [MALI_STENCIL_OP_INCR_WRAP] = PIXEL_STENCIL_ADD_WRAP, [MALI_STENCIL_OP_DECR_WRAP] = PIXEL_STENCIL_SUB_WRAP,
    [MALI_STENCIL_OP_INCR_SAT] = PIXEL_STENCIL_ADD_CLAMP, [MALI_STENCIL_OP_DECR_SAT] = PIXEL_STENCIL_SUB_CLAMP,
};

/* ---- depth and stencil ---- */

static bool keeps_stencil(const struct frag_face *face)
{
    return face->compare == PIXEL_ALWAYS &&
           (!face->write_mask || (face->pass == PIXEL_STENCIL_KEEP && face->depth_fail == PIXEL_STENCIL_KEEP));
}

static bool read_depth_stencil(struct frag_draw *draw, const struct frag_fb *fb)
{
    uint32_t words[8];
    draw->z_source = MALI_DEPTH_SOURCE_FIXED_FUNCTION;
    draw->clamp_max = 1;
    if (!draw->dcd.DEPTH_STENCIL)
        return true;
    if (!mali_read(fb->queue, "depth and stencil descriptor", draw->dcd.DEPTH_STENCIL, words, sizeof(words)))
        return false;
    const struct mali_desc_DEPTH_STENCIL d = mali_unpack_desc_DEPTH_STENCIL(words);
    draw->z_compare = (uint8_t)d.DEPTH_FUNCTION;
    draw->writes_z = d.DEPTH_WRITE_ENABLE;
    draw->tests_z = d.DEPTH_FUNCTION != MALI_FUNC_ALWAYS;
    draw->z_source = (uint8_t)d.DEPTH_SOURCE;
    draw->s_from_shader = d.STENCIL_FROM_SHADER;
    draw->zs_from_shader = d.DEPTH_SOURCE == MALI_DEPTH_SOURCE_SHADER || d.STENCIL_FROM_SHADER;
    if (d.DEPTH_CLAMP_MODE == MALI_DEPTH_CLAMP_BOUNDS) {
        draw->clamp_min = draw->dcd.MINIMUM_Z;
        draw->clamp_max = draw->dcd.MAXIMUM_Z;
    }
    draw->faces[0] = (struct frag_face){
        .compare = (uint8_t)d.FRONT_COMPARE_FUNCTION,
        .fail = stencil_ops[d.FRONT_STENCIL_FAIL],
        .depth_fail = stencil_ops[d.FRONT_DEPTH_FAIL],
        .pass = stencil_ops[d.FRONT_DEPTH_PASS],
        .reference = (uint8_t)d.FRONT_REFERENCE_VALUE,
        .mask = (uint8_t)d.FRONT_VALUE_MASK,
        .write_mask = (uint8_t)d.FRONT_WRITE_MASK,
    };
    draw->faces[1] = (struct frag_face){
        .compare = (uint8_t)d.BACK_COMPARE_FUNCTION,
        .fail = stencil_ops[d.BACK_STENCIL_FAIL],
        .depth_fail = stencil_ops[d.BACK_DEPTH_FAIL],
        .pass = stencil_ops[d.BACK_DEPTH_PASS],
        .reference = (uint8_t)d.BACK_REFERENCE_VALUE,
        .mask = (uint8_t)d.BACK_VALUE_MASK,
        .write_mask = (uint8_t)d.BACK_WRITE_MASK,
    };
    draw->tests_s = d.STENCIL_TEST_ENABLE && !(keeps_stencil(&draw->faces[0]) && keeps_stencil(&draw->faces[1]));
    return true;
}

/* ---- blending ---- */

static bool has_equation(const struct mali_desc_BLEND *d)
{
    return d->MODE == MALI_BLEND_MODE_OPAQUE || d->MODE == MALI_BLEND_MODE_FIXED_FUNCTION;
}

/* Equations are by target, wherever their descriptors stand. A descriptor without one says nothing of the target that
 * has its number, which another may be for. */
static bool read_blends(struct frag_draw *draw, const struct frag_fb *fb)
{
    struct mali_desc_BLEND d[FRAG_TARGETS];
    draw->blend_count = MIN2(draw->dcd.BLEND_COUNT, (uint32_t)FRAG_TARGETS);
    for (unsigned i = draw->blend_count; i < FRAG_TARGETS; i++)
        draw->launch.blend[i] = MALI_BLEND_MODE_OFF; /* a shader may have more outputs than there are targets */
    for (unsigned i = 0; i < draw->blend_count; i++) {
        uint32_t words[4];
        if (!mali_read(fb->queue, "blend descriptor", draw->dcd.BLEND + 16 * i, words, sizeof(words)))
            return false;
        d[i] = mali_unpack_desc_BLEND(words);
        draw->launch.blend[i] = words[2] | (uint64_t)words[3] << 32;
        if (!has_equation(&d[i]))
            mali_frag_prepare_blend(draw, i, &fb->targets[MIN2(i, fb->target_count - 1)], &d[i]);
    }
    for (unsigned i = 0; i < draw->blend_count; i++) {
        const unsigned target = d[i].RT;
        if (!has_equation(&d[i]))
            continue;
        if (target >= FRAG_TARGETS)
            return mali_stop(fb->queue, GPU_STOP_BROKEN, "a blend descriptor for render target %u", target);
        mali_frag_prepare_blend(draw, target, &fb->targets[MIN2(target, fb->target_count - 1)], &d[i]);
    }
    return true;
}

/* ---- samples ---- */

static void choose_coverage(struct frag_draw *draw, const struct frag_fb *fb, unsigned half)
{
    struct raster_coverage *coverage = &draw->coverage[half];
    *coverage = fb->coverage[half];
    uint32_t mask = (draw->dcd.SAMPLE_MASK & (uint32_t)bits_mask(fb->samples)) >> half * RASTER_MAX_SAMPLES & 0xff;
    if (fb->samples > 1 && !draw->dcd.MULTISAMPLE_ENABLE) {
        coverage->samples = 1;
        coverage->samples_log2 = 0;
        coverage->spread = mask * 0x01010101u;
        mask = mask ? 1 : 0;
        memset(coverage->x, RASTER_LOCATION_ONE / 2, sizeof(coverage->x));
        memset(coverage->y, RASTER_LOCATION_ONE / 2, sizeof(coverage->y));
    }
    for (unsigned p = 0; p < 4; p++)
        coverage->sample_mask[p] = (uint8_t)mask;
    for (unsigned s = 0; s < RASTER_MAX_SAMPLES; s++) {
        draw->place_x[half * RASTER_MAX_SAMPLES + s] = coverage->x[0][s] / (float)RASTER_LOCATION_ONE;
        draw->place_y[half * RASTER_MAX_SAMPLES + s] = coverage->y[0][s] / (float)RASTER_LOCATION_ONE;
    }
}

/* ---- all of it ---- */

static bool start_launch(struct frag_draw *draw, const struct frag_fb *fb)
{
    const struct mali_desc_DRAW *d = &draw->dcd;
    const struct mali_environment environment = {
        .resources_va = d->RESOURCES | d->RESOURCE_COUNT,
        .fau_va = d->FAU | (uint64_t)d->FAU_COUNT << 56,
        .program_va = d->SHADER,
        .storage_va = d->THREAD_STORAGE,
    };
    draw->has_shader = d->SHADER != 0;
    if (!draw->has_shader)
        return true;
    if (!mali_launch_init(&draw->launch, fb->queue, MALI_STAGE_FRAGMENT, &environment))
        return false;
    draw->launch.hooks = &mali_frag_hooks;
    draw->launch.epoch = fb->epoch;
    draw->launch.attribute_offset = d->ATTRIBUTE_OFFSET;
    draw->launch.framebuffer_size = (fb->width - 1) | (uint64_t)(fb->height - 1) << 16;
    draw->launch.sample_positions_va = fb->locations_va;
    return true;
}

bool mali_frag_read_draw(struct frag_draw *draw, const struct frag_fb *fb, const uint32_t words[MALI_DRAW_DW])
{
    memset(draw, 0, sizeof(*draw));
    draw->dcd = mali_unpack_desc_DRAW(words);
    draw->z_min = draw->dcd.MINIMUM_Z;
    draw->z_max = draw->dcd.MAXIMUM_Z;
    if (!start_launch(draw, fb) || !read_depth_stencil(draw, fb) || !read_blends(draw, fb))
        return false;
    for (unsigned h = 0; h < FRAG_HALVES; h++)
        choose_coverage(draw, fb, h);
    draw->is_per_sample = draw->dcd.EVALUATE_PER_SAMPLE && fb->samples > 1;
    draw->is_killed_early = draw->dcd.PIXEL_KILL_OPERATION != MALI_PIXEL_KILL_FORCE_LATE;
    draw->is_updated_early = draw->dcd.ZS_UPDATE_OPERATION != MALI_PIXEL_KILL_FORCE_LATE;
    if (!draw->has_shader)
        draw->is_killed_early = draw->is_updated_early = true;
    draw->occlusion = (uint8_t)draw->dcd.OCCLUSION_QUERY;
    draw->occlusion_va = draw->dcd.OCCLUSION;
    draw->is_tested_first = fb->samples == 1 && mali_frag_zs_takes_blocks(draw) && !draw->zs_from_shader &&
                            (!mali_frag_tests_any(draw) || (draw->is_killed_early && draw->is_updated_early));
    if (draw->has_shader)
        mali_launch_changed(&draw->launch);
    return true;
}
