/* Blend descriptors of the fixed function, judged by the arithmetic of the specification: for every equation that it is
 * said to know, A + B · C of the descriptor must be what the operation and the factors make of the same colours. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mali/driver/blend.h"
#include "mali/hw/descriptors.h"
#include "util/bits.h"

static uint64_t seed = 1;

static float next(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (float)(seed >> 40 & 0xff) / 255;
}

struct colors {
    float source[4], destination[4], constant[4];
};

/* ---- the specification ---- */

static float factor(VkBlendFactor f, const struct colors *c, unsigned i)
{
    switch (f) {
    case VK_BLEND_FACTOR_ZERO:
        return 0;
    case VK_BLEND_FACTOR_ONE:
        return 1;
    case VK_BLEND_FACTOR_SRC_COLOR:
        return c->source[i];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR:
        return 1 - c->source[i];
    case VK_BLEND_FACTOR_DST_COLOR:
        return c->destination[i];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR:
        return 1 - c->destination[i];
    case VK_BLEND_FACTOR_SRC_ALPHA:
        return c->source[3];
    case VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA:
        return 1 - c->source[3];
    case VK_BLEND_FACTOR_DST_ALPHA:
        return c->destination[3];
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA:
        return 1 - c->destination[3];
    case VK_BLEND_FACTOR_CONSTANT_COLOR:
        return c->constant[i];
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR:
        return 1 - c->constant[i];
    case VK_BLEND_FACTOR_CONSTANT_ALPHA:
        return c->constant[3];
    case VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA:
        return 1 - c->constant[3];
    default: /* VK_BLEND_FACTOR_SRC_ALPHA_SATURATE */
        return i == 3 ? 1 : fminf(c->source[3], 1 - c->destination[3]);
    }
}

static float expected(const struct vk_blend_equation *e, const struct colors *c, unsigned i)
{
    const VkBlendOp op = i == 3 ? e->alpha_op : e->color_op;
    const float s = c->source[i] * factor(i == 3 ? e->src_alpha : e->src_color, c, i);
    const float d = c->destination[i] * factor(i == 3 ? e->dst_alpha : e->dst_color, c, i);
    switch (op) {
    case VK_BLEND_OP_ADD:
        return s + d;
    case VK_BLEND_OP_SUBTRACT:
        return s - d;
    case VK_BLEND_OP_REVERSE_SUBTRACT:
        return d - s;
    case VK_BLEND_OP_MIN:
        return fminf(c->source[i], c->destination[i]);
    default:
        return fmaxf(c->source[i], c->destination[i]);
    }
}

/* ---- the descriptor ---- */

struct function {
    unsigned a, b, c;
    bool negate_a, negate_b, invert_c;
};

static float computed(const struct function *f, const struct colors *c, float constant, unsigned i)
{
    const float s = c->source[i], d = c->destination[i];
    const float a = f->a == MALI_BLEND_A_SRC ? s : f->a == MALI_BLEND_A_DEST ? d : 0;
    const float b = f->b == MALI_BLEND_B_SRC_MINUS_DEST  ? s - d
                    : f->b == MALI_BLEND_B_SRC_PLUS_DEST ? s + d
                    : f->b == MALI_BLEND_B_SRC           ? s
                                                         : d;
    const float operands[8] = {[MALI_BLEND_C_SRC] = s,
                               [MALI_BLEND_C_DEST] = d,
                               [MALI_BLEND_C_SRC_X_2] = 2 * s,
                               [MALI_BLEND_C_SRC_ALPHA] = c->source[3],
                               [MALI_BLEND_C_DEST_ALPHA] = c->destination[3],
                               [MALI_BLEND_C_CONSTANT] = constant};
    const float operand = f->invert_c ? 1 - operands[f->c] : operands[f->c];
    return (f->negate_a ? -a : a) + (f->negate_b ? -b : b) * operand;
}

static void check_equation(const struct vk_blend_equation *e, const struct mali_color_format *color)
{
    struct colors c;
    const float same = next();
    for (unsigned i = 0; i < 4; i++) {
        c.source[i] = next();
        c.destination[i] = next();
        c.constant[i] = same;
    }
    uint32_t words[4];
    mali_pack_fixed_blend(color, 0, e, true, 15, c.constant, MALI_REGISTER_FORMAT_F32, words);
    const struct mali_desc_BLEND d = mali_unpack_desc_BLEND(words);
    const struct function rgb = {d.RGB_A, d.RGB_B, d.RGB_C, d.RGB_NEGATE_A, d.RGB_NEGATE_B, d.RGB_INVERT_C};
    const struct function alpha = {d.ALPHA_A,        d.ALPHA_B,        d.ALPHA_C,
                                   d.ALPHA_NEGATE_A, d.ALPHA_NEGATE_B, d.ALPHA_INVERT_C};
    const float constant = (float)d.CONSTANT / 0xff00;
    for (unsigned i = 0; i < 4; i++) {
        const float is = computed(i == 3 ? &alpha : &rgb, &c, constant, i), should = expected(e, &c, i);
        if (fabsf(is - should) > 1e-5f)
            fail_msg("op %u, factors %u and %u, channel %u: %f, not %f", i == 3 ? e->alpha_op : e->color_op,
                     i == 3 ? e->src_alpha : e->src_color, i == 3 ? e->dst_alpha : e->dst_color, i, is, should);
    }
}

#define FACTORS (VK_BLEND_FACTOR_SRC_ALPHA_SATURATE + 1)

static void equations_are_those_of_the_specification(void **state)
{
    const struct mali_color_format *color = &mali_vkformat(VK_FORMAT_R8G8B8A8_UNORM)->color;
    const float constants[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    unsigned fixed = 0;
    for (unsigned op = VK_BLEND_OP_ADD; op <= VK_BLEND_OP_MAX; op++) {
        for (unsigned i = 0; i < FACTORS * FACTORS; i++) {
            const uint8_t src = (uint8_t)(i % FACTORS), dst = (uint8_t)(i / FACTORS);
            const struct vk_blend_equation e = {src, dst, (uint8_t)op, src, dst, (uint8_t)op};
            if (!mali_blend_is_fixed(color, &e, true, 15, constants))
                continue;
            fixed++;
            for (unsigned n = 0; n < 10; n++)
                check_equation(&e, color);
        }
    }
    assert_true(fixed > 250);
}

/* The usual ones cost no program. */
static void usual_equations_are_fixed(void **state)
{
    static const uint8_t pairs[][2] = {
        {VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA},
        {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA},
        {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE},
        {VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE},
        {VK_BLEND_FACTOR_DST_COLOR, VK_BLEND_FACTOR_ZERO},
    };
    const struct mali_color_format *color = &mali_vkformat(VK_FORMAT_R8G8B8A8_UNORM)->color;
    for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
        const struct vk_blend_equation e = {pairs[i][0], pairs[i][1], VK_BLEND_OP_ADD,
                                            pairs[i][0], pairs[i][1], VK_BLEND_OP_ADD};
        assert_true(mali_blend_is_fixed(color, &e, true, 15, NULL));
    }
}

static void what_needs_a_program(void **state)
{
    const struct mali_color_format *bytes = &mali_vkformat(VK_FORMAT_R8G8B8A8_UNORM)->color,
                                   *raw = &mali_vkformat(VK_FORMAT_R32_SFLOAT)->color;
    const struct vk_blend_equation sum = {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD,
                                          VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE, VK_BLEND_OP_ADD};
    struct vk_blend_equation constant = sum, minimum = sum;
    constant.src_color = VK_BLEND_FACTOR_CONSTANT_COLOR;
    minimum.color_op = VK_BLEND_OP_MIN;
    const float different[4] = {0, 1, 0, 1};
    assert_false(mali_blend_is_fixed(raw, &sum, true, 15, NULL)); /* no blending, and no masks, of raw bits */
    assert_false(mali_blend_is_fixed(raw, &sum, false, 3, NULL));
    assert_true(mali_blend_is_fixed(raw, &sum, false, 15, NULL));
    assert_true(mali_blend_is_fixed(bytes, &sum, false, 3, NULL));
    assert_false(mali_blend_is_fixed(bytes, &minimum, true, 15, NULL));
    assert_false(mali_blend_is_fixed(bytes, &constant, true, 15, different)); /* there is one constant */
    assert_false(mali_blend_is_fixed(bytes, &constant, true, 15, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_are_those_of_the_specification),
        cmocka_unit_test(usual_equations_are_fixed),
        cmocka_unit_test(what_needs_a_program),
    };
    return cmocka_run_group_tests_name("mali blending", tests, NULL, NULL);
}
