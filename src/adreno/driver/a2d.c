/* Packets of the 2D engine. */
#include "adreno/driver/a2d.h"

#include <math.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_tpl1.h"
#include "util/bits.h"
#include "util/half.h"

static enum adreno_ROTATION rotation_of(const struct adreno_a2d *op)
{
    if (op->is_mirrored_x)
        return op->is_mirrored_y ? ADRENO_ROTATION_180 : ADRENO_ROTATION_HFLIP;
    return op->is_mirrored_y ? ADRENO_ROTATION_VFLIP : ADRENO_ROTATION_0;
}

static enum adreno_IFMT_2D ifmt_of(const struct adreno_target *target)
{
    return adreno_ifmt(adreno_format_find(target->format), target->is_srgb);
}

static void emit_destination(struct adreno_cs *cs, const struct adreno_target *dst)
{
    adreno_set_regs(cs, ADRENO_REG_RB_A2D_DEST_BUFFER_INFO, 4);
    adreno_emit(cs, ADRENO_PACK(RB_A2D_DEST_BUFFER_INFO, .COLOR_FORMAT = dst->format,
                                .TILE_MODE = (enum adreno_TILE_MODE)dst->tile_mode,
                                .COLOR_SWAP = (enum adreno_COLOR_SWAP)dst->swap, .FLAGS = dst->has_ubwc,
                                .SRGB = dst->is_srgb, .SAMPLES = (enum adreno_MSAA_SAMPLES)dst->samples_log2));
    adreno_emit64(cs, dst->va);
    adreno_emit(cs, ADRENO_PACK(RB_A2D_DEST_BUFFER_PITCH, .VALUE = dst->pitch_B));
    if (!dst->has_ubwc)
        return;
    adreno_set_regs(cs, ADRENO_REG_RB_A2D_DEST_FLAG_BUFFER_BASE, 3);
    adreno_emit64(cs, dst->flag_va);
    adreno_emit(cs, ADRENO_PACK(RB_A2D_DEST_FLAG_BUFFER_PITCH, .PITCH = dst->flag_pitch_B,
                                .ARRAY_PITCH = (uint32_t)(dst->flag_layer_B / 4)));
}

static void emit_source(struct adreno_cs *cs, const struct adreno_a2d *op)
{
    const struct adreno_target *src = &op->src;
    adreno_set_regs(cs, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_INFO, 5);
    adreno_emit(cs,
                ADRENO_PACK(TPL1_A2D_SRC_TEXTURE_INFO, .COLOR_FORMAT = src->format,
                            .TILE_MODE = (enum adreno_TILE_MODE)src->tile_mode,
                            .COLOR_SWAP = (enum adreno_COLOR_SWAP)src->swap, .FLAGS = src->has_ubwc,
                            .SRGB = src->is_srgb, .SAMPLES = (enum adreno_MSAA_SAMPLES)src->samples_log2,
                            .FILTER = op->is_linear, .SAMPLES_AVERAGE = op->is_average, .UNK20 = true, .UNK22 = true));
    adreno_emit(cs, ADRENO_PACK(TPL1_A2D_SRC_TEXTURE_SIZE, .WIDTH = src->width, .HEIGHT = src->height));
    adreno_emit64(cs, src->va);
    adreno_emit(cs, ADRENO_PACK(TPL1_A2D_SRC_TEXTURE_PITCH, .PITCH = src->pitch_B));
    if (src->has_ubwc) {
        adreno_set_regs(cs, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_FLAG_BASE, 3);
        adreno_emit64(cs, src->flag_va);
        adreno_emit(cs, ADRENO_PACK(TPL1_A2D_SRC_TEXTURE_FLAG_PITCH, .VALUE = src->flag_pitch_B));
    }
    adreno_set_regs(cs, ADRENO_REG_GRAS_A2D_SRC_XMIN, 4);
    adreno_emit(cs, ADRENO_PACK(GRAS_A2D_SRC_XMIN, .VALUE = (int32_t)op->src_x0));
    adreno_emit(cs, ADRENO_PACK(GRAS_A2D_SRC_XMAX, .VALUE = (int32_t)op->src_x1 - 1));
    adreno_emit(cs, ADRENO_PACK(GRAS_A2D_SRC_YMIN, .VALUE = (int32_t)op->src_y0));
    adreno_emit(cs, ADRENO_PACK(GRAS_A2D_SRC_YMAX, .VALUE = (int32_t)op->src_y1 - 1));
}

/* Blending with ones and zeros keeps the channels of a packed format that are not written. */
static uint32_t pixel_cntl(enum adreno_a2d_keep keep)
{
    const enum adreno_BLEND_FACTOR one = ADRENO_BLEND_FACTOR_ONE, zero = ADRENO_BLEND_FACTOR_ZERO;
    const bool is_depth = keep == ADRENO_A2D_DEPTH;
    if (keep == ADRENO_A2D_ALL)
        return 0;
    return ADRENO_PACK(RB_A2D_PIXEL_CNTL, .PIXEL_OP = ADRENO_A2D_PIXEL_OP_BLENDING,
                       .COLOR_SRC_FACTOR = is_depth ? one : zero, .COLOR_DST_FACTOR = is_depth ? zero : one,
                       .ALPHA_SRC_FACTOR = is_depth ? zero : one, .ALPHA_DST_FACTOR = is_depth ? one : zero);
}

void adreno_emit_a2d(struct adreno_cs *cs, const struct adreno_chip *chip, const struct adreno_a2d *op)
{
    const struct adreno_target *dst = &op->dst;
    const bool is_packed = dst->format == ADRENO_FORMAT_Z24S8_AS_RGBA8 && op->has_source;
    const uint32_t cntl =
        ADRENO_PACK(RB_A2D_BLT_CNTL, .ROTATE = rotation_of(op), .SOLID_COLOR = !op->has_source,
                    .COLOR_FORMAT = dst->format, .UNK17 = is_packed, .MASK = 0xf, .IFMT = ifmt_of(dst));
    adreno_set_reg(cs, ADRENO_REG_RB_A2D_BLT_CNTL, cntl);
    adreno_set_reg(cs, ADRENO_REG_GRAS_A2D_BLT_CNTL, cntl);
    adreno_set_reg(cs, ADRENO_REG_RB_A2D_PIXEL_CNTL, pixel_cntl(op->keep));
    ADRENO_REG(cs, SP_A2D_OUTPUT_INFO, .HALF_PRECISION = false,
               .IFMT_TYPE = dst->is_sint   ? ADRENO_OUTPUT_KIND_2D_SINT
                            : dst->is_uint ? ADRENO_OUTPUT_KIND_2D_UINT
                                           : ADRENO_OUTPUT_KIND_2D_FLOAT,
               .COLOR_FORMAT = dst->format, .SRGB = dst->is_srgb, .MASK = 0xf);
    emit_destination(cs, dst);
    if (op->has_source) {
        emit_source(cs, op);
    } else {
        adreno_set_regs(cs, ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0, 4);
        adreno_emit_array(cs, op->color, 4);
    }
    adreno_set_regs(cs, ADRENO_REG_GRAS_A2D_DEST_TL, 2);
    adreno_emit(cs, ADRENO_PACK(GRAS_A2D_DEST_TL, .X = op->x0, .Y = op->y0));
    adreno_emit(cs, ADRENO_PACK(GRAS_A2D_DEST_BR, .X = op->x1 - 1, .Y = op->y1 - 1));
    if (chip->quirk_blit_wfi)
        ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_BLIT, 2));
    adreno_emit(cs, ADRENO_BLIT_OP_SCALE);
}

struct adreno_target adreno_a2d_target(const struct adreno_target *target)
{
    struct adreno_target out = *target;
    if (out.format == ADRENO_FORMAT_Z24_UNORM_S8_UINT)
        out.format = ADRENO_FORMAT_Z24S8_AS_RGBA8;
    return out;
}

struct adreno_target adreno_a2d_source(const struct adreno_target *target)
{
    struct adreno_target out = adreno_a2d_target(target);
    if (out.format == ADRENO_FORMAT_10_10_10_2_UNORM_DEST)
        out.format = ADRENO_FORMAT_10_10_10_2_UNORM;
    return out;
}

/* ---- colours ---- */

static uint32_t norm8(float value, bool is_signed)
{
    if (is_signed)
        return (uint32_t)lrintf(MIN2(MAX2(value, -1.0f), 1.0f) * 127.0f) & 0xff;
    return (uint32_t)lrintf(MIN2(MAX2(value, 0.0f), 1.0f) * 255.0f);
}

static float encode_srgb(float value)
{
    return value <= 0.0031308f ? value * 12.92f : 1.055f * powf(value, 1.0f / 2.4f) - 0.055f;
}

static uint32_t channel(enum adreno_IFMT_2D ifmt, const VkClearColorValue *value, unsigned c)
{
    const float number = value->float32[c];
    switch (ifmt) {
    case ADRENO_IFMT_2D_UNORM8:
        return norm8(number, false);
    case ADRENO_IFMT_2D_UNORM8_SRGB: /* alpha is linear */
        return norm8(c < 3 ? encode_srgb(MIN2(MAX2(number, 0.0f), 1.0f)) : number, false);
    case ADRENO_IFMT_2D_SNORM8:
        return norm8(number, true);
    case ADRENO_IFMT_2D_FLOAT16:
        return float_to_half_rtne(number);
    default:
        return value->uint32[c];
    }
}

void adreno_a2d_color(const struct adreno_target *target, const VkClearColorValue *value, uint32_t color_out[4])
{
    const enum adreno_IFMT_2D ifmt = ifmt_of(target);
    for (unsigned c = 0; c < 4; c++)
        color_out[c] = channel(ifmt, value, c);
}

void adreno_a2d_depth_color(const struct adreno_target *target, const VkClearDepthStencilValue *value,
                            bool is_stencil_alone, uint32_t color_out[4])
{
    memset(color_out, 0, 4 * sizeof(*color_out));
    if (is_stencil_alone) {
        color_out[0] = value->stencil & 0xff;
    } else if (target->format == ADRENO_FORMAT_Z24S8_AS_RGBA8) { /* four bytes of one word */
        const uint32_t depth = (uint32_t)lrint((double)MIN2(MAX2(value->depth, 0.0f), 1.0f) * 0xffffff);
        for (unsigned c = 0; c < 3; c++)
            color_out[c] = depth >> 8 * c & 0xff;
        color_out[3] = value->stencil & 0xff;
    } else {
        color_out[0] = float_bits(value->depth);
    }
}

/* ---- memory ---- */

struct adreno_target adreno_a2d_row(uint64_t va, uint32_t element_B, uint32_t *first_out)
{
    static const uint8_t numbers[] = {ADRENO_FORMAT_8_UINT, ADRENO_FORMAT_16_UINT, ADRENO_FORMAT_32_UINT,
                                      ADRENO_FORMAT_32_32_UINT, ADRENO_FORMAT_32_32_32_32_UINT};
    const uint32_t extra_B = va % ADRENO_A2D_ALIGN_B;
    *first_out = extra_B / element_B;
    return (struct adreno_target){
        .va = va - extra_B,
        .pitch_B = ADRENO_A2D_ALIGN_B, /* there is one row */
        .width = ADRENO_A2D_MAX_ROW,
        .height = 1,
        .format = numbers[log2_floor(element_B)],
        .sample_B = (uint8_t)element_B,
        .is_uint = true,
    };
}
