/* See random_targets.h. */
#include "adreno/model/pc/tests/random_targets.h"

#include <string.h>

#include "adreno/hw/regs_rb.h"
#include "adreno/model/rb/surface.h"
#include "adreno/model/sp/tests/random_ops.h"
#include "util/bits.h"

enum {
    R8G8B8A8_UNORM = 48,
    R16G16B16A16_FLOAT = 98,
    R32G32B32A32_UINT = 131,
    FORMATS = 256,
};

static bool set_format(struct random_target *target, unsigned number, bool is_srgb)
{
    struct adreno_rb_format format;
    if (!adreno_rb_format_init(&format, number, ADRENO_COLOR_SWAP_WZYX, is_srgb) || format_is_compressed(format.info) ||
        !is_power_of_two(format.sample_B))
        return false;
    *target = (struct random_target){.number = (uint8_t)number, .is_srgb = is_srgb, .info = format.info};
    return true;
}

static void set_control(struct random_target *target, const struct adreno_RB_MRT_CONTROL *control)
{
    target->control = adreno_pack_RB_MRT_CONTROL(control);
}

void random_target_plain(struct random_target *target)
{
    set_format(target, R32G32B32A32_UINT, false);
    set_control(target, &(struct adreno_RB_MRT_CONTROL){.COMPONENT_ENABLE = 15});
}

void random_target_usual(struct random_target *target)
{
    /* 10_10_10_2_UNORM_DEST, 8_8_8_8_SNORM, 16_16_UNORM, 16_16_SINT, 8_8_8_8_UINT, 5_6_5_UNORM, 8_8_UINT */
    static const uint8_t packed[] = {55, 50, 67, 71, 51, 14, 17};
    static const uint8_t factors[] = {ADRENO_BLEND_FACTOR_ZERO, ADRENO_BLEND_FACTOR_ONE, ADRENO_BLEND_FACTOR_SRC_ALPHA,
                                      ADRENO_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, ADRENO_BLEND_FACTOR_DST_COLOR};
    const bool is_packed = random_below(2), blends = !is_packed && random_below(2);
    const unsigned number = is_packed ? ONE_OF(packed) : random_below(2) ? R8G8B8A8_UNORM : R16G16B16A16_FLOAT;
    const uint8_t source = ONE_OF(factors), destination = ONE_OF(factors);
    set_format(target, number, number == R8G8B8A8_UNORM && random_below(4) == 0);
    set_control(target, &(struct adreno_RB_MRT_CONTROL){
                            .COMPONENT_ENABLE = 15, .COLOR_BLEND_EN = blends, .ALPHA_BLEND_EN = blends});
    target->blend =
        adreno_pack_RB_MRT_BLEND_CONTROL(&(struct adreno_RB_MRT_BLEND_CONTROL){.RGB_SRC_FACTOR = source,
                                                                               .RGB_DEST_FACTOR = destination,
                                                                               .ALPHA_SRC_FACTOR = source,
                                                                               .ALPHA_DEST_FACTOR = destination});
}

static unsigned any_factor(bool may_be_dual)
{
    static const uint8_t factors[] = {
        ADRENO_BLEND_FACTOR_ZERO,
        ADRENO_BLEND_FACTOR_ONE,
        ADRENO_BLEND_FACTOR_SRC_COLOR,
        ADRENO_BLEND_FACTOR_ONE_MINUS_SRC_COLOR,
        ADRENO_BLEND_FACTOR_SRC_ALPHA,
        ADRENO_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        ADRENO_BLEND_FACTOR_DST_COLOR,
        ADRENO_BLEND_FACTOR_ONE_MINUS_DST_COLOR,
        ADRENO_BLEND_FACTOR_DST_ALPHA,
        ADRENO_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
        ADRENO_BLEND_FACTOR_CONSTANT_COLOR,
        ADRENO_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
        ADRENO_BLEND_FACTOR_CONSTANT_ALPHA,
        ADRENO_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
        ADRENO_BLEND_FACTOR_SRC_ALPHA_SATURATE,
        ADRENO_BLEND_FACTOR_SRC1_COLOR, /* and those with a second source */
        ADRENO_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR,
        ADRENO_BLEND_FACTOR_SRC1_ALPHA,
        ADRENO_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA,
    };
    return factors[random_below(may_be_dual ? ARRAY_SIZE(factors) : ARRAY_SIZE(factors) - 4)];
}

void random_target_any(struct random_target *target, bool may_be_dual)
{
    while (!set_format(target, random_below(FORMATS), random_below(4) == 0)) {
    }
    set_control(target, &(struct adreno_RB_MRT_CONTROL){.COMPONENT_ENABLE = random_below(2) ? 15 : 1 + random_below(15),
                                                        .COLOR_BLEND_EN = random_below(3) != 0,
                                                        .ALPHA_BLEND_EN = random_below(3) != 0,
                                                        .ROP_ENABLE = random_below(4) == 0,
                                                        .ROP_CODE = random_below(16)});
    target->blend = adreno_pack_RB_MRT_BLEND_CONTROL(
        &(struct adreno_RB_MRT_BLEND_CONTROL){.RGB_SRC_FACTOR = any_factor(may_be_dual),
                                              .RGB_DEST_FACTOR = any_factor(may_be_dual),
                                              .RGB_BLEND_OPCODE = random_below(5),
                                              .ALPHA_SRC_FACTOR = any_factor(may_be_dual),
                                              .ALPHA_DEST_FACTOR = any_factor(may_be_dual),
                                              .ALPHA_BLEND_OPCODE = random_below(5)});
}

/* ---- comparing ---- */

static bool is_nan(const struct format_channel *channel, uint32_t code)
{
    if (channel->numeric == FORMAT_NUMERIC_UFLOAT)
        return code > 31u << (channel->bits - 5);
    return channel->numeric == FORMAT_NUMERIC_SFLOAT &&
           (channel->bits == 16 ? (code & 0x7fff) > 0x7c00 : (code & 0x7fffffff) > 0x7f800000);
}

static uint32_t code_of(const struct format_channel *channel, const uint8_t *element)
{
    uint32_t code = 0;
    for (unsigned bit = 0; bit < channel->bits; bit++) {
        const unsigned at = channel->low_bit + bit;
        code |= (uint32_t)(element[at / 8] >> at % 8 & 1) << bit;
    }
    return code;
}

bool random_target_is_same(const struct random_target *target, const uint8_t *a, const uint8_t *b)
{
    bool is_same = !memcmp(a, b, target->info->block_size_B);
    if (is_same)
        return true;
    is_same = true;
    for (unsigned i = 0; i < target->info->channel_count; i++) {
        const struct format_channel *channel = &target->info->channels[i];
        const uint32_t code_a = code_of(channel, a), code_b = code_of(channel, b);
        is_same &= code_a == code_b || (is_nan(channel, code_a) && is_nan(channel, code_b));
    }
    return is_same;
}
