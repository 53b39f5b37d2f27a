/* Blend descriptors. The fixed function computes A + B · C, where A is nothing, the source or the destination, B one of
 * both, their sum or difference, and C one operand or its complement. Most of the API's equations are such a sum; the
 * others are code (mali_blend_shader). */
#include <math.h>
#include <string.h>

#include "mali/driver/blend.h"
#include "mali/hw/descriptors.h"
#include "util/bits.h"

/* ---- equations ---- */

/* A factor of the API as an operand C. */
struct operand {
    enum mali_BLEND_C c;
    bool is_inverted;
    bool is_possible;
};

static struct operand operand_of(VkBlendFactor factor, bool is_alpha)
{
    switch (factor) {
    case VK_BLEND_FACTOR_ZERO:
        return (struct operand){MALI_BLEND_C_ZERO, false, true};
    case VK_BLEND_FACTOR_ONE:
        return (struct operand){MALI_BLEND_C_ZERO, true, true};
    case VK_BLEND_FACTOR_SRC_COLOR:
        return (struct operand){is_alpha ? MALI_BLEND_C_SRC_ALPHA : MALI_BLEND_C_SRC, false, true};
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR:
        return (struct operand){is_alpha ? MALI_BLEND_C_SRC_ALPHA : MALI_BLEND_C_SRC, true, true};
    case VK_BLEND_FACTOR_DST_COLOR:
        return (struct operand){is_alpha ? MALI_BLEND_C_DEST_ALPHA : MALI_BLEND_C_DEST, false, true};
    case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR:
        return (struct operand){is_alpha ? MALI_BLEND_C_DEST_ALPHA : MALI_BLEND_C_DEST, true, true};
    case VK_BLEND_FACTOR_SRC_ALPHA:
        return (struct operand){MALI_BLEND_C_SRC_ALPHA, false, true};
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA:
        return (struct operand){MALI_BLEND_C_SRC_ALPHA, true, true};
    case VK_BLEND_FACTOR_DST_ALPHA:
        return (struct operand){MALI_BLEND_C_DEST_ALPHA, false, true};
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA:
        return (struct operand){MALI_BLEND_C_DEST_ALPHA, true, true};
    case VK_BLEND_FACTOR_CONSTANT_COLOR:
    case VK_BLEND_FACTOR_CONSTANT_ALPHA:
        return (struct operand){MALI_BLEND_C_CONSTANT, false, true};
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR:
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA:
        return (struct operand){MALI_BLEND_C_CONSTANT, true, true};
    case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE:
        return (struct operand){MALI_BLEND_C_ZERO, true, is_alpha};
    default: /* of a second source */
        return (struct operand){MALI_BLEND_C_ZERO, false, false};
    }
}

static bool is_zero(struct operand o)
{
    return o.c == MALI_BLEND_C_ZERO && !o.is_inverted;
}

static bool is_one(struct operand o)
{
    return o.c == MALI_BLEND_C_ZERO && o.is_inverted;
}

struct function {
    enum mali_BLEND_A a;
    enum mali_BLEND_B b;
    bool negates_a, negates_b;
    struct operand c;
};

/* With `s` and `d` the signs of the two products: s · source · f + d · destination · g. */
static bool make_function(struct function *out, bool is_source_negative, bool is_destination_negative, struct operand f,
                          struct operand g)
{
    const bool is_same_sign = is_source_negative == is_destination_negative;
    if (is_zero(g)) {
        *out = is_one(f) ? (struct function){MALI_BLEND_A_SRC, MALI_BLEND_B_SRC, is_source_negative, false, g}
                         : (struct function){MALI_BLEND_A_ZERO, MALI_BLEND_B_SRC, false, is_source_negative, f};
    } else if (is_zero(f)) {
        *out = is_one(g) ? (struct function){MALI_BLEND_A_DEST, MALI_BLEND_B_DEST, is_destination_negative, false, f}
                         : (struct function){MALI_BLEND_A_ZERO, MALI_BLEND_B_DEST, false, is_destination_negative, g};
    } else if (is_one(f)) {
        *out = (struct function){MALI_BLEND_A_SRC, MALI_BLEND_B_DEST, is_source_negative, is_destination_negative, g};
    } else if (is_one(g)) {
        *out = (struct function){MALI_BLEND_A_DEST, MALI_BLEND_B_SRC, is_destination_negative, is_source_negative, f};
    } else if (f.c == g.c && f.is_inverted == g.is_inverted) {
        *out = (struct function){MALI_BLEND_A_ZERO,
                                 is_same_sign ? MALI_BLEND_B_SRC_PLUS_DEST : MALI_BLEND_B_SRC_MINUS_DEST, false,
                                 is_source_negative, f};
    } else if (f.c == g.c) { /* the destination, and f times a sum or difference */
        *out = (struct function){MALI_BLEND_A_DEST,
                                 is_same_sign ? MALI_BLEND_B_SRC_MINUS_DEST : MALI_BLEND_B_SRC_PLUS_DEST,
                                 is_destination_negative, is_source_negative, f};
    } else {
        return false;
    }
    return true;
}

static bool make_equation(struct function *out, VkBlendOp op, VkBlendFactor src, VkBlendFactor dst, bool is_alpha)
{
    const struct operand f = operand_of(src, is_alpha), g = operand_of(dst, is_alpha);
    if (!f.is_possible || !g.is_possible || op > VK_BLEND_OP_REVERSE_SUBTRACT)
        return false;
    return make_function(out, op == VK_BLEND_OP_REVERSE_SUBTRACT, op == VK_BLEND_OP_SUBTRACT, f, g);
}

static const struct function replace = {
    MALI_BLEND_A_SRC, MALI_BLEND_B_SRC, false, false, {MALI_BLEND_C_ZERO, false, true}};

/* ---- constants ---- */

static bool reads_constant(VkBlendFactor factor, bool is_color)
{
    return is_color ? factor == VK_BLEND_FACTOR_CONSTANT_COLOR || factor == VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR
                    : factor == VK_BLEND_FACTOR_CONSTANT_ALPHA || factor == VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA;
}

/* Components of the constant that an equation reads, bit by bit. */
static unsigned constants_read(const struct vk_blend_equation *e)
{
    unsigned read = 0;
    if (reads_constant(e->src_color, true) || reads_constant(e->dst_color, true))
        read |= 7;
    if (reads_constant(e->src_color, false) || reads_constant(e->dst_color, false))
        read |= 8;
    if (reads_constant(e->src_alpha, true) || reads_constant(e->dst_alpha, true) ||
        reads_constant(e->src_alpha, false) || reads_constant(e->dst_alpha, false))
        read |= 8;
    return read;
}

/* There is one number for all of them: false where they differ. */
static bool find_constant(const struct vk_blend_equation *e, const float constants[4], float *value_out)
{
    bool is_known = false;
    *value_out = 0;
    bits_foreach (constants_read(e), i) {
        if (is_known && constants[i] != *value_out)
            return false;
        *value_out = constants[i];
        is_known = true;
    }
    return true;
}

/* A number of as many bits as the widest channel, at the top of sixteen. */
static uint32_t pack_constant(const struct mali_color_format *color, float value)
{
    static const uint8_t widths[] = {
        [MALI_INTERNAL_FORMAT_R8G8B8A8] = 8, [MALI_INTERNAL_FORMAT_R10G10B10A2] = 10,
        [MALI_INTERNAL_FORMAT_R4G4B4A4] = 4, [MALI_INTERNAL_FORMAT_R5G6B5A0] = 6,
        [MALI_INTERNAL_FORMAT_R5G5B5A1] = 5,
    };
    const unsigned width =
        color->internal < ARRAY_SIZE(widths) && widths[color->internal] ? widths[color->internal] : 8;
    const uint32_t most = ((1u << width) - 1) << (16 - width);
    return (uint32_t)lrintf(MIN2(MAX2(value, 0.0f), 1.0f) * (float)most);
}

/* ---- what fixed function can do ---- */

static bool is_opaque(const struct vk_blend_equation *e, bool is_blending, unsigned mask)
{
    struct function color, alpha;
    if (mask != 0xf)
        return false;
    if (!is_blending)
        return true;
    return make_equation(&color, e->color_op, e->src_color, e->dst_color, false) &&
           make_equation(&alpha, e->alpha_op, e->src_alpha, e->dst_alpha, true) &&
           memcmp(&color, &replace, sizeof(color)) == 0 && memcmp(&alpha, &replace, sizeof(alpha)) == 0;
}

bool mali_blend_is_fixed(const struct mali_color_format *color, const struct vk_blend_equation *e, bool is_blending,
                         unsigned mask, const float *constants)
{
    struct function function;
    float constant;
    if (!mask || is_opaque(e, is_blending, mask))
        return true;
    if (!color->is_blended)
        return false;
    if (!is_blending)
        return true;
    if (!make_equation(&function, e->color_op, e->src_color, e->dst_color, false) ||
        !make_equation(&function, e->alpha_op, e->src_alpha, e->dst_alpha, true))
        return false;
    if (!constants_read(e))
        return true;
    /* A clamped number of the widest channel's bits is not what floats are blended with. */
    return constants && !color->is_float && find_constant(e, constants, &constant);
}

/* ---- descriptors ---- */

static bool reads_destination(const struct function *f)
{
    return f->a == MALI_BLEND_A_DEST || (!is_zero(f->c) && f->b != MALI_BLEND_B_SRC) || f->c.c == MALI_BLEND_C_DEST ||
           f->c.c == MALI_BLEND_C_DEST_ALPHA;
}

static void pack_functions(struct mali_desc_BLEND *d, const struct function *color, const struct function *alpha)
{
    d->RGB_A = color->a;
    d->RGB_NEGATE_A = color->negates_a;
    d->RGB_B = color->b;
    d->RGB_NEGATE_B = color->negates_b;
    d->RGB_C = color->c.c;
    d->RGB_INVERT_C = color->c.is_inverted;
    d->ALPHA_A = alpha->a;
    d->ALPHA_NEGATE_A = alpha->negates_a;
    d->ALPHA_B = alpha->b;
    d->ALPHA_NEGATE_B = alpha->negates_b;
    d->ALPHA_C = alpha->c.c;
    d->ALPHA_INVERT_C = alpha->c.is_inverted;
}

static struct mali_desc_BLEND basic(const struct mali_color_format *color, unsigned target,
                                    struct mali_pixel_format conversion, enum mali_REGISTER_FORMAT register_format)
{
    struct mali_desc_BLEND d = {
        .ENABLE = true,
        .SRGB = conversion.is_srgb,
        .ROUND_TO_FB_PRECISION = true,
        .COLOR_MASK = 0xf,
        .MODE = MALI_BLEND_MODE_OPAQUE,
        .NUM_COMPS = 4,
        .RT = target,
        .MEMORY_ORDER = (enum mali_RGB_ORDER)conversion.order,
        .MEMORY_FORMAT = conversion.number,
        .MEMORY_SRGB = conversion.is_srgb,
        .REGISTER_FORMAT = register_format,
    };
    pack_functions(&d, &replace, &replace);
    return d;
}

void mali_pack_opaque_blend(const struct mali_color_format *color, unsigned target, struct mali_pixel_format conversion,
                            enum mali_REGISTER_FORMAT register_format, uint32_t out[4])
{
    const struct mali_desc_BLEND d = basic(color, target, conversion, register_format);
    mali_pack_desc_BLEND(out, &d);
}

void mali_pack_shader_blend(unsigned mask, uint32_t pc, uint32_t out[4])
{
    struct mali_desc_BLEND d = {
        .LOAD_DESTINATION = true,
        .ENABLE = true,
        .COLOR_MASK = mask,
        .MODE = MALI_BLEND_MODE_SHADER,
        .NUM_COMPS = 1, /* stored less one: nothing */
        .SHADER_PC = pc,
    };
    pack_functions(&d, &replace, &replace);
    mali_pack_desc_BLEND(out, &d);
}

void mali_pack_no_blend(uint32_t out[4])
{
    mali_pack_desc_BLEND(out, &(const struct mali_desc_BLEND){.RGB_A = MALI_BLEND_A_SRC,
                                                              .RGB_B = MALI_BLEND_B_SRC,
                                                              .RGB_C = MALI_BLEND_C_ZERO,
                                                              .ALPHA_A = MALI_BLEND_A_SRC,
                                                              .ALPHA_B = MALI_BLEND_B_SRC,
                                                              .ALPHA_C = MALI_BLEND_C_ZERO,
                                                              .MODE = MALI_BLEND_MODE_OFF,
                                                              .NUM_COMPS = 1});
}

void mali_pack_fixed_blend(const struct mali_color_format *color, unsigned target, const struct vk_blend_equation *e,
                           bool is_blending, unsigned mask, const float constants[4],
                           enum mali_REGISTER_FORMAT register_format, uint32_t out[4])
{
    struct mali_desc_BLEND d = basic(color, target, color->conversion, register_format);
    struct function rgb = replace, alpha = replace;
    if (!is_opaque(e, is_blending, mask)) {
        float constant;
        if (is_blending) {
            make_equation(&rgb, e->color_op, e->src_color, e->dst_color, false);
            make_equation(&alpha, e->alpha_op, e->src_alpha, e->dst_alpha, true);
        }
        find_constant(e, constants, &constant);
        d.MODE = MALI_BLEND_MODE_FIXED_FUNCTION;
        d.LOAD_DESTINATION = mask != 0xf || reads_destination(&rgb) || reads_destination(&alpha);
        d.CONSTANT = is_blending ? pack_constant(color, constant) : 0;
        d.COLOR_MASK = mask;
        pack_functions(&d, &rgb, &alpha);
    }
    mali_pack_desc_BLEND(out, &d);
}
