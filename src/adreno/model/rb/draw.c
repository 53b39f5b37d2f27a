/* The registers of the render backend, unpacked once for a draw. */
#include <string.h>

#include "adreno/hw/regs_rb.h"
#include "adreno/model/coherence.h"
#include "adreno/model/gpu.h"
#include "adreno/model/rb/rb.h"
#include "util/bits.h"

#define GET(name) adreno_unpack_##name(gpu->regs[ADRENO_REG_##name])
#define GET_AT(name, i) adreno_unpack_##name(gpu->regs[ADRENO_REG_##name + (i)*ADRENO_REG_##name##_STRIDE])
#define GET_VA_AT(name, i) adreno_reg64(gpu, ADRENO_REG_##name + (i)*ADRENO_REG_##name##_STRIDE)

_Static_assert((int)ADRENO_COMPARE_FUNC_LESS == PIXEL_LESS && (int)ADRENO_COMPARE_FUNC_EQUAL == PIXEL_EQUAL &&
                   (int)ADRENO_COMPARE_FUNC_LEQUAL == PIXEL_LESS_OR_EQUAL &&
                   (int)ADRENO_COMPARE_FUNC_GREATER == PIXEL_GREATER &&
                   (int)ADRENO_COMPARE_FUNC_NOTEQUAL == PIXEL_NOT_EQUAL &&
                   (int)ADRENO_COMPARE_FUNC_ALWAYS == PIXEL_ALWAYS,
               "a comparison is a set of relations");

/* The common part of all surfaces of a draw. */
struct place {
    bool is_gmem;
    uint32_t bin_width, bin_height;
    int32_t window_x, window_y;
    unsigned samples_log2;
};

static struct place read_place(const struct adreno_gpu *gpu)
{
    const struct adreno_RB_CNTL cntl = GET(RB_CNTL);
    const struct adreno_RB_WINDOW_OFFSET window = GET(RB_WINDOW_OFFSET);
    return (struct place){
        .is_gmem = cntl.BUFFERS_LOCATION == ADRENO_BUFFERS_LOCATION_GMEM,
        .bin_width = cntl.BINW,
        .bin_height = cntl.BINH,
        .window_x = (int32_t)window.X,
        .window_y = (int32_t)window.Y,
        .samples_log2 = GET(RB_DEST_MSAA_CNTL).SAMPLES,
    };
}

static const char *place_in_gmem(struct adreno_rb_surface *surface, const struct adreno_gpu *gpu,
                                 const struct place *place, uint32_t offset_B, uint32_t sample_B)
{
    const char *why = adreno_rb_surface_gmem(surface, gpu->gmem, gpu->chip->gmem_size_B, offset_B, place->bin_width,
                                             place->bin_height, sample_B, place->samples_log2);
    surface->origin_x = place->window_x;
    surface->origin_y = place->window_y;
    surface->written = gpu->gmem_written;
    return why;
}

/* ---- depth and stencil ---- */

static const uint8_t stencil_ops[8] = {
    [ADRENO_STENCIL_OP_KEEP] = PIXEL_STENCIL_KEEP,
    [ADRENO_STENCIL_OP_ZERO] = PIXEL_STENCIL_ZERO,
    [ADRENO_STENCIL_OP_REPLACE] = PIXEL_STENCIL_REFERENCE,
    [ADRENO_STENCIL_OP_INCR_CLAMP] = PIXEL_STENCIL_ADD_CLAMP,
    [ADRENO_STENCIL_OP_DECR_CLAMP] = PIXEL_STENCIL_SUB_CLAMP,
    [ADRENO_STENCIL_OP_INVERT] = PIXEL_STENCIL_INVERT,
    [ADRENO_STENCIL_OP_INCR_WRAP] = PIXEL_STENCIL_ADD_WRAP,
    [ADRENO_STENCIL_OP_DECR_WRAP] = PIXEL_STENCIL_SUB_WRAP,
};

static void read_faces(struct adreno_rb_depth *depth, const struct adreno_gpu *gpu)
{
    const struct adreno_RB_STENCIL_CNTL cntl = GET(RB_STENCIL_CNTL);
    const struct adreno_RB_STENCIL_REF_CNTL reference = GET(RB_STENCIL_REF_CNTL);
    const struct adreno_RB_STENCIL_MASK mask = GET(RB_STENCIL_MASK);
    const struct adreno_RB_STENCIL_WRITE_MASK write = GET(RB_STENCIL_WRITE_MASK);
    depth->faces[0] = (struct adreno_rb_stencil_face){
        .compare = (uint8_t)cntl.FUNC,
        .fail = stencil_ops[cntl.FAIL],
        .pass = stencil_ops[cntl.ZPASS],
        .depth_fail = stencil_ops[cntl.ZFAIL],
        .reference = (uint8_t)reference.REF,
        .mask = (uint8_t)mask.MASK,
        .write_mask = (uint8_t)write.WRMASK,
    };
    depth->faces[1] = depth->faces[0];
    if (cntl.STENCIL_ENABLE_BF)
        depth->faces[1] = (struct adreno_rb_stencil_face){
            .compare = (uint8_t)cntl.FUNC_BF,
            .fail = stencil_ops[cntl.FAIL_BF],
            .pass = stencil_ops[cntl.ZPASS_BF],
            .depth_fail = stencil_ops[cntl.ZFAIL_BF],
            .reference = (uint8_t)reference.BFREF,
            .mask = (uint8_t)mask.BFMASK,
            .write_mask = (uint8_t)write.BFWRMASK,
        };
}

static const char *read_z_surface(struct adreno_rb_depth *depth, const struct adreno_gpu *gpu,
                                  const struct place *place)
{
    const uint32_t sample_B = depth->format == ADRENO_RB_Z16 ? 2 : 4;
    depth->has_z = true;
    if (place->is_gmem)
        return place_in_gmem(&depth->z, gpu, place, GET(RB_DEPTH_GMEM_BASE).VALUE, sample_B);
    const char *why = adreno_rb_surface_memory(
        &depth->z, gpu->chip, ADRENO_TILE_MODE_TILE6_3, adreno_reg64(gpu, ADRENO_REG_RB_DEPTH_BUFFER_BASE),
        GET(RB_DEPTH_BUFFER_PITCH).VALUE, GET(RB_DEPTH_BUFFER_ARRAY_PITCH).VALUE, sample_B, place->samples_log2);
    const struct adreno_RB_DEPTH_FLAG_BUFFER_PITCH flags = GET(RB_DEPTH_FLAG_BUFFER_PITCH);
    if (!why && GET(RB_RENDER_CNTL).FLAG_DEPTH)
        adreno_rb_surface_flags(&depth->z, adreno_reg64(gpu, ADRENO_REG_RB_DEPTH_FLAG_BUFFER_BASE), flags.PITCH,
                                4ull * flags.ARRAY_PITCH, false);
    return why;
}

static const char *read_stencil_surface(struct adreno_rb_depth *depth, const struct adreno_gpu *gpu,
                                        const struct place *place)
{
    if (!GET(RB_STENCIL_BUFFER_INFO).SEPARATE_STENCIL) {
        depth->has_stencil = depth->has_z && depth->format == ADRENO_RB_Z24S8;
        depth->stencil = depth->z;
        return NULL;
    }
    depth->has_stencil = depth->is_separate = true;
    if (place->is_gmem)
        return place_in_gmem(&depth->stencil, gpu, place, GET(RB_STENCIL_GMEM_BASE).VALUE, 1);
    return adreno_rb_surface_memory(
        &depth->stencil, gpu->chip, ADRENO_TILE_MODE_TILE6_3, adreno_reg64(gpu, ADRENO_REG_RB_STENCIL_BUFFER_BASE),
        GET(RB_STENCIL_BUFFER_PITCH).VALUE, GET(RB_STENCIL_BUFFER_ARRAY_PITCH).VALUE, 1, place->samples_log2);
}

static bool read_depth(struct adreno_rb_draw *draw, struct adreno_gpu *gpu, const struct place *place)
{
    struct adreno_rb_depth *depth = &draw->depth;
    const struct adreno_RB_DEPTH_CNTL cntl = GET(RB_DEPTH_CNTL);
    const enum adreno_DEPTH_FORMAT format = GET(RB_DEPTH_BUFFER_INFO).DEPTH_FORMAT;
    const bool uses_z = cntl.Z_TEST_ENABLE || cntl.Z_BOUNDS_ENABLE;
    if (uses_z && format != ADRENO_DEPTH_FORMAT_NONE && format != ADRENO_DEPTH_FORMAT_Z16 &&
        format != ADRENO_DEPTH_FORMAT_Z24_S8 && format != ADRENO_DEPTH_FORMAT_Z32)
        return adreno_stop_register(gpu, ADRENO_REG_RB_DEPTH_BUFFER_INFO, "no such format of depth");
    depth->format = format == ADRENO_DEPTH_FORMAT_Z16      ? ADRENO_RB_Z16
                    : format == ADRENO_DEPTH_FORMAT_Z24_S8 ? ADRENO_RB_Z24S8
                                                           : ADRENO_RB_Z32;
    const char *why = format == ADRENO_DEPTH_FORMAT_NONE ? NULL : read_z_surface(depth, gpu, place);
    if (!why)
        why = read_stencil_surface(depth, gpu, place);
    if (why)
        return adreno_stop_register(gpu, ADRENO_REG_RB_DEPTH_BUFFER_INFO, why);
    depth->tests_z = cntl.Z_TEST_ENABLE && depth->has_z;
    depth->writes_z = depth->tests_z && cntl.Z_WRITE_ENABLE && !GET(RB_DEPTH_BUFFER_INFO).READ_ONLY;
    depth->tests_bounds = cntl.Z_BOUNDS_ENABLE && depth->has_z;
    depth->tests_stencil = GET(RB_STENCIL_CNTL).STENCIL_ENABLE && depth->has_stencil;
    depth->has_test = depth->tests_z || depth->tests_bounds || depth->tests_stencil;
    depth->compare = (uint8_t)cntl.ZFUNC;
    depth->is_clamped = cntl.Z_CLAMP_ENABLE;
    depth->z_min = cntl.Z_CLAMP_ENABLE ? GET(RB_VIEWPORT_ZCLAMP_MIN).VALUE : 0;
    depth->z_max = cntl.Z_CLAMP_ENABLE ? GET(RB_VIEWPORT_ZCLAMP_MAX).VALUE : 1;
    depth->bounds_min = GET(RB_DEPTH_BOUND_MIN).VALUE;
    depth->bounds_max = GET(RB_DEPTH_BOUND_MAX).VALUE;
    read_faces(depth, gpu);
    return true;
}

/* ---- colours ---- */

static const uint8_t factors[32] = {
    [ADRENO_BLEND_FACTOR_ZERO] = PIXEL_FACTOR_ZERO,
    [ADRENO_BLEND_FACTOR_ONE] = PIXEL_FACTOR_ONE,
    [ADRENO_BLEND_FACTOR_SRC_COLOR] = PIXEL_FACTOR_SOURCE,
    [ADRENO_BLEND_FACTOR_ONE_MINUS_SRC_COLOR] = PIXEL_FACTOR_ONE_MINUS_SOURCE,
    [ADRENO_BLEND_FACTOR_SRC_ALPHA] = PIXEL_FACTOR_SOURCE_ALPHA,
    [ADRENO_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA] = PIXEL_FACTOR_ONE_MINUS_SOURCE_ALPHA,
    [ADRENO_BLEND_FACTOR_DST_COLOR] = PIXEL_FACTOR_DESTINATION,
    [ADRENO_BLEND_FACTOR_ONE_MINUS_DST_COLOR] = PIXEL_FACTOR_ONE_MINUS_DESTINATION,
    [ADRENO_BLEND_FACTOR_DST_ALPHA] = PIXEL_FACTOR_DESTINATION_ALPHA,
    [ADRENO_BLEND_FACTOR_ONE_MINUS_DST_ALPHA] = PIXEL_FACTOR_ONE_MINUS_DESTINATION_ALPHA,
    [ADRENO_BLEND_FACTOR_CONSTANT_COLOR] = PIXEL_FACTOR_CONSTANT,
    [ADRENO_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR] = PIXEL_FACTOR_ONE_MINUS_CONSTANT,
    [ADRENO_BLEND_FACTOR_CONSTANT_ALPHA] = PIXEL_FACTOR_CONSTANT_ALPHA,
    [ADRENO_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA] = PIXEL_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
    [ADRENO_BLEND_FACTOR_SRC_ALPHA_SATURATE] = PIXEL_FACTOR_SOURCE_ALPHA_SATURATE,
    [ADRENO_BLEND_FACTOR_SRC1_COLOR] = PIXEL_FACTOR_SOURCE1,
    [ADRENO_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR] = PIXEL_FACTOR_ONE_MINUS_SOURCE1,
    [ADRENO_BLEND_FACTOR_SRC1_ALPHA] = PIXEL_FACTOR_SOURCE1_ALPHA,
    [ADRENO_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA] = PIXEL_FACTOR_ONE_MINUS_SOURCE1_ALPHA,
};

static struct pixel_equation equation_of(unsigned source, unsigned destination, unsigned op)
{
    static const uint8_t functions[8] = {
        [ADRENO_BLEND_OP_DST_PLUS_SRC] = PIXEL_ADD,
        [ADRENO_BLEND_OP_SRC_MINUS_DST] = PIXEL_SUBTRACT,
        [ADRENO_BLEND_OP_DST_MINUS_SRC] = PIXEL_REVERSE_SUBTRACT,
        [ADRENO_BLEND_OP_MIN_DST_SRC] = PIXEL_MIN,
        [ADRENO_BLEND_OP_MAX_DST_SRC] = PIXEL_MAX,
        PIXEL_SOURCE,
        PIXEL_SOURCE,
        PIXEL_SOURCE,
    };
    return (struct pixel_equation){factors[source & 31], factors[destination & 31], functions[op & 7]};
}

static bool is_dual(struct pixel_equation e)
{
    const uint8_t first = PIXEL_FACTOR_SOURCE1, last = PIXEL_FACTOR_ONE_MINUS_SOURCE1_ALPHA;
    return (e.source >= first && e.source <= last) || (e.destination >= first && e.destination <= last);
}

static void read_blend(struct adreno_rb_target *target, const struct adreno_gpu *gpu, unsigned i)
{
    const struct adreno_RB_MRT_CONTROL control = GET_AT(RB_MRT_CONTROL, i);
    const struct adreno_RB_MRT_BLEND_CONTROL blend = GET_AT(RB_MRT_BLEND_CONTROL, i);
    const struct pixel_equation none = {PIXEL_FACTOR_ONE, PIXEL_FACTOR_ZERO, PIXEL_SOURCE};
    const uint8_t numeric = target->format.info->numeric;
    struct pixel_blend *out = &target->blend;
    out->color = control.COLOR_BLEND_EN
                     ? equation_of(blend.RGB_SRC_FACTOR, blend.RGB_DEST_FACTOR, blend.RGB_BLEND_OPCODE)
                     : none;
    out->alpha = control.ALPHA_BLEND_EN
                     ? equation_of(blend.ALPHA_SRC_FACTOR, blend.ALPHA_DEST_FACTOR, blend.ALPHA_BLEND_OPCODE)
                     : none;
    target->is_blended =
        (control.COLOR_BLEND_EN || control.ALPHA_BLEND_EN) && target->format.numeric == ADRENO_RB_FLOAT;
    out->is_alpha_one = !(target->format.present >> 3 & 1);
    if (numeric != FORMAT_NUMERIC_SFLOAT && numeric != FORMAT_NUMERIC_UFLOAT) {
        out->clamp_min = numeric == FORMAT_NUMERIC_SNORM ? -1 : 0;
        out->clamp_max = 1;
    }
    out->constant[0] = GET(RB_BLEND_CONSTANT_RED_FP32).VALUE;
    out->constant[1] = GET(RB_BLEND_CONSTANT_GREEN_FP32).VALUE;
    out->constant[2] = GET(RB_BLEND_CONSTANT_BLUE_FP32).VALUE;
    out->constant[3] = GET(RB_BLEND_CONSTANT_ALPHA_FP32).VALUE;

    /* A logic operation is for fixed-point and integer targets without sRGB, and it replaces blending. */
    target->rop = (uint8_t)control.ROP_CODE;
    target->has_rop = control.ROP_ENABLE && control.ROP_CODE != ADRENO_ROP_CODE_COPY &&
                      numeric != FORMAT_NUMERIC_SFLOAT && numeric != FORMAT_NUMERIC_UFLOAT &&
                      numeric != FORMAT_NUMERIC_SRGB;
    if (control.ROP_ENABLE)
        target->is_blended = false;
    out->is_dual = target->is_blended && (is_dual(out->color) || is_dual(out->alpha));
    out->is_bytes4 = target->is_blended && target->format.format == FORMAT_R8G8B8A8_UNORM;
    memcpy(out->from, target->format.from, sizeof(out->from));
    pixel_blend_prepare(out);
    target->is_encoded = target->format.format == FORMAT_R8G8B8A8_SRGB;
    target->is_bytes4 = (target->is_encoded || target->format.format == FORMAT_R8G8B8A8_UNORM) && target->is_whole &&
                        !target->has_rop && (!target->is_blended || out->sums) && !target->surface.written;
    target->is_word = (target->format.format == FORMAT_R32_SFLOAT || target->format.format == FORMAT_R32_UINT ||
                       target->format.format == FORMAT_R32_SINT) &&
                      target->is_whole && !target->has_rop && !target->is_blended && !target->surface.written;
    adreno_rb_find_codes(target);
}

/* The bits of a sample that the write mask lets through. */
static void read_mask(struct adreno_rb_target *target, unsigned mask)
{
    const struct adreno_rb_format *format = &target->format;
    for (unsigned c = 0; c < format->info->channel_count; c++) {
        const struct format_channel *channel = &format->info->channels[c];
        const bool is_written = channel->component == FORMAT_COMPONENT_E
                                    ? mask & 7
                                    : mask >> format->from[channel->component - FORMAT_COMPONENT_R] & 1;
        for (unsigned bit = channel->low_bit; is_written && bit < channel->low_bit + (unsigned)channel->bits; bit++)
            target->bits[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
    target->is_whole = true;
    for (unsigned b = 0; b < format->sample_B; b++)
        target->is_whole &= target->bits[b] == 0xff;
}

static bool read_target(struct adreno_rb_draw *draw, struct adreno_gpu *gpu, const struct place *place, unsigned i,
                        unsigned mask)
{
    struct adreno_rb_target *target = &draw->targets[i];
    const struct adreno_RB_MRT_BUF_INFO info = GET_AT(RB_MRT_BUF_INFO, i);
    const bool has_swap = !place->is_gmem && info.COLOR_TILE_MODE == ADRENO_TILE_MODE_LINEAR;
    const uint32_t info_reg = ADRENO_REG_RB_MRT_BUF_INFO + i * ADRENO_REG_RB_MRT_BUF_INFO_STRIDE;
    if (!adreno_rb_format_init(&target->format, info.COLOR_FORMAT, has_swap ? info.COLOR_SWAP : ADRENO_COLOR_SWAP_WZYX,
                               gpu->regs[ADRENO_REG_RB_SRGB_CNTL] >> i & 1) ||
        format_is_compressed(target->format.info))
        return adreno_stop_register(gpu, info_reg, "not a format of colour targets");
    const uint32_t sample_B = target->format.sample_B;
    const char *why;
    if (place->is_gmem)
        why = place_in_gmem(&target->surface, gpu, place, GET_AT(RB_MRT_BASE_GMEM, i).VALUE, sample_B);
    else
        why = adreno_rb_surface_memory(&target->surface, gpu->chip, info.COLOR_TILE_MODE, GET_VA_AT(RB_MRT_BASE, i),
                                       GET_AT(RB_MRT_PITCH, i).VALUE, GET_AT(RB_MRT_ARRAY_PITCH, i).VALUE, sample_B,
                                       place->samples_log2);
    if (why)
        return adreno_stop_register(gpu, info_reg, why);
    const struct adreno_RB_COLOR_FLAG_BUFFER_PITCH flags = GET_AT(RB_COLOR_FLAG_BUFFER_PITCH, i);
    if (!place->is_gmem && GET(RB_RENDER_CNTL).FLAG_MRTS >> i & 1)
        adreno_rb_surface_flags(&target->surface, GET_VA_AT(RB_COLOR_FLAG_BUFFER_ADDR, i), flags.PITCH,
                                4ull * flags.ARRAY_PITCH, target->format.info->component_count == 2 && sample_B == 2);
    read_mask(target, mask);
    read_blend(target, gpu, i);
    return true;
}

static bool read_targets(struct adreno_rb_draw *draw, struct adreno_gpu *gpu, const struct place *place)
{
    const unsigned count = MIN2(GET(RB_PS_MRT_CNTL).MRT, (unsigned)ADRENO_RB_TARGETS);
    const uint32_t outputs = gpu->regs[ADRENO_REG_RB_PS_OUTPUT_MASK];
    for (unsigned i = 0; i < count; i++) {
        const unsigned mask = GET_AT(RB_MRT_CONTROL, i).COMPONENT_ENABLE & (outputs >> 4 * i & 15);
        if (!mask || !GET_AT(RB_MRT_BUF_INFO, i).COLOR_FORMAT)
            continue;
        if (!read_target(draw, gpu, place, i, mask))
            return false;
        const bool dual = draw->targets[i].blend.is_dual;
        if (dual && i != 0)
            return adreno_stop_register(gpu,
                                        ADRENO_REG_RB_MRT_BLEND_CONTROL + i * ADRENO_REG_RB_MRT_BLEND_CONTROL_STRIDE,
                                        "a second source of a target other than the first");
        draw->is_dual |= dual;
        draw->used |= (uint8_t)(1u << i);
        draw->outputs |= (uint8_t)(1u << i | (dual ? 2u : 0));
    }
    return true;
}

bool adreno_rb_draw_init(struct adreno_rb_draw *draw, struct adreno_gpu *gpu)
{
    const struct place place = read_place(gpu);
    const struct adreno_RB_BLEND_CNTL blend = GET(RB_BLEND_CNTL);
    const struct adreno_RB_PS_OUTPUT_CNTL output = GET(RB_PS_OUTPUT_CNTL);
    memset(draw, 0, sizeof(*draw));
    draw->gpu = gpu;
    draw->samples_log2 = (uint8_t)place.samples_log2;
    draw->is_early = GET(RB_DEPTH_PLANE_CNTL).Z_MODE == ADRENO_ZTEST_MODE_EARLY_Z;
    draw->needs_shade = !draw->is_early && (output.FRAG_WRITES_Z || output.FRAG_WRITES_STENCILREF);
    draw->is_counted = !GET(RB_SAMPLE_COUNTER_CNTL).DISABLE;
    draw->sample_mask = (uint16_t)blend.SAMPLE_MASK;
    draw->has_alpha_to_coverage = blend.ALPHA_TO_COVERAGE;
    draw->has_alpha_to_one = blend.ALPHA_TO_ONE;
    if (draw->has_alpha_to_coverage)
        draw->outputs |= 1;
    return read_depth(draw, gpu, &place) && read_targets(draw, gpu, &place);
}

static void check_coherence(struct adreno_rb *rb, const struct adreno_rb_draw *draw)
{
    struct coherence_actor *c = draw->gpu->coherence;
    const struct adreno_rb_depth *depth = &draw->depth;
    const bool writes_stencil = depth->faces[0].write_mask || depth->faces[1].write_mask;
    for (unsigned i = 0; i < ADRENO_RB_TARGETS; i++)
        adreno_rb_access_check(&rb->access[i], c, ADRENO_CLIENT_COLOR, i, true);
    adreno_rb_access_check(&rb->access[ADRENO_RB_ACCESS_Z], c, ADRENO_CLIENT_DEPTH, 0, depth->writes_z);
    adreno_rb_access_check(&rb->access[ADRENO_RB_ACCESS_STENCIL], c, ADRENO_CLIENT_DEPTH, 0, writes_stencil);
}

void adreno_rb_begin(struct adreno_rb *rb, const struct adreno_rb_draw *draw, const struct raster_coverage *coverage)
{
    const struct gpu_space *space = draw->gpu->space;
    rb->draw = draw;
    rb->coverage = coverage;
    rb->passed = 0;
    for (unsigned s = 0; s < ADRENO_RB_MAX_SAMPLES; s++) {
        for (unsigned p = 0; p < 4; p++) {
            rb->place_x[s][p] = rb->pixel_x[p][s] = (float)(p & 1) + coverage->x[p][s] / (float)RASTER_LOCATION_ONE;
            rb->place_y[s][p] = rb->pixel_y[p][s] = (float)(p >> 1) + coverage->y[p][s] / (float)RASTER_LOCATION_ONE;
        }
    }
    rb->fault = (struct adreno_rb_fault){0};
    for (unsigned i = 0; i < ADRENO_RB_TARGETS; i++)
        adreno_rb_access_init(&rb->access[i], &draw->targets[i].surface, space, &rb->fault, true);
    adreno_rb_access_init(&rb->access[ADRENO_RB_ACCESS_Z], &draw->depth.z, space, &rb->fault, draw->depth.writes_z);
    adreno_rb_access_init(&rb->access[ADRENO_RB_ACCESS_STENCIL], &draw->depth.stencil, space, &rb->fault, true);
    if (draw->gpu->coherence)
        check_coherence(rb, draw);
}

bool adreno_rb_end(struct adreno_rb *rb, struct adreno_gpu *gpu)
{
    if (rb->draw->is_counted)
        gpu->counters.samples_passed += rb->passed;
    if (!rb->fault.is_set)
        return true;
    return adreno_rb_stop_at_fault(gpu, &rb->fault, "the render backend");
}

bool adreno_rb_stop_at_fault(struct adreno_gpu *gpu, const struct adreno_rb_fault *fault, const char *client)
{
    if (fault->is_unwritten)
        return adreno_stop(gpu, ADRENO_STOP_STRICT,
                           "strict mode: %s reads byte 0x%llx of GMEM, which nothing has written since the bin began",
                           client, (unsigned long long)fault->va);
    if (fault->is_gmem)
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "%s: a pixel at 0x%llx of GMEM, which is outside of its bin",
                           client, (unsigned long long)fault->va);
    return adreno_fault(gpu, client, fault->va, 1, fault->is_write);
}
