/* Descriptors of samplers. */
#include "mali/driver/sampler.h"

#include "mali/hw/descriptors.h"
#include "util/bits.h"

#define MAX_LOD 31.0f /* of 13 bits, eight of them of a fraction */

static enum mali_WRAP_MODE wrap_of(const struct vk_sampler *sampler, unsigned axis)
{
    static const uint8_t map[] = {
        [VK_SAMPLER_ADDRESS_MODE_REPEAT] = MALI_WRAP_MODE_REPEAT,
        [VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT] = MALI_WRAP_MODE_MIRRORED_REPEAT,
        [VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE] = MALI_WRAP_MODE_CLAMP_TO_EDGE,
        [VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER] = MALI_WRAP_MODE_CLAMP_TO_BORDER,
        [VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE] = MALI_WRAP_MODE_MIRRORED_CLAMP_TO_EDGE,
    };
    return (enum mali_WRAP_MODE)map[sampler->address_modes[axis]];
}

static enum mali_REDUCTION_MODE reduction_of(VkSamplerReductionMode mode)
{
    switch (mode) {
    case VK_SAMPLER_REDUCTION_MODE_MIN:
        return MALI_REDUCTION_MODE_MINIMUM;
    case VK_SAMPLER_REDUCTION_MODE_MAX:
        return MALI_REDUCTION_MODE_MAXIMUM;
    default:
        return MALI_REDUCTION_MODE_AVERAGE;
    }
}

/* The hardware compares the texel with the reference, the API the reference with the texel. */
static enum mali_FUNC turned(VkCompareOp op)
{
    switch (op) {
    case VK_COMPARE_OP_LESS:
        return MALI_FUNC_GREATER;
    case VK_COMPARE_OP_LESS_OR_EQUAL:
        return MALI_FUNC_GEQUAL;
    case VK_COMPARE_OP_GREATER:
        return MALI_FUNC_LESS;
    case VK_COMPARE_OP_GREATER_OR_EQUAL:
        return MALI_FUNC_LEQUAL;
    default:
        return (enum mali_FUNC)op; /* the others have the API's numbers */
    }
}

static uint32_t fixed_lod(float lod)
{
    return (uint32_t)(MIN2(MAX2(lod, 0.0f), MAX_LOD) * 256.0f);
}

static int32_t fixed_bias(float bias)
{
    return (int32_t)(MIN2(MAX2(bias, -16.0f), 4095.0f / 256.0f) * 256.0f);
}

void mali_sampler_words(const struct vk_sampler *sampler, uint32_t words_out[MALI_DESCRIPTOR_DW])
{
    const bool is_nearest = sampler->mag_filter == VK_FILTER_NEAREST && sampler->min_filter == VK_FILTER_NEAREST;
    const bool is_anisotropic = sampler->max_anisotropy > 1.0f;
    const uint32_t *border = sampler->border_value.uint32;
    mali_pack_desc_SAMPLER(
        words_out,
        &(const struct mali_desc_SAMPLER){
            .TYPE = MALI_DESCRIPTOR_TYPE_SAMPLER,
            .REDUCTION_MODE = reduction_of(sampler->reduction_mode),
            .WRAP_MODE_R = wrap_of(sampler, 2),
            .WRAP_MODE_T = wrap_of(sampler, 1),
            .WRAP_MODE_S = wrap_of(sampler, 0),
            .ROUND_TO_NEAREST_EVEN = !is_nearest, /* a coordinate just below the next texel stays in its own */
            .SEAMLESS_CUBE_MAP = !(sampler->flags & VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT),
            .CLAMP_INTEGER_COORDINATES = true,
            .NORMALIZED_COORDINATES = !sampler->unnormalized,
            .MINIFY_NEAREST = sampler->min_filter == VK_FILTER_NEAREST,
            .MAGNIFY_NEAREST = sampler->mag_filter == VK_FILTER_NEAREST,
            .MIPMAP_MODE = sampler->mipmap_mode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? MALI_MIPMAP_MODE_TRILINEAR
                                                                                 : MALI_MIPMAP_MODE_NEAREST,
            .MINIMUM_LOD = fixed_lod(sampler->min_lod),
            .COMPARE_FUNCTION = sampler->compare_enable ? turned(sampler->compare_op) : MALI_FUNC_NEVER,
            .MAXIMUM_LOD = fixed_lod(sampler->max_lod),
            .LOD_BIAS = fixed_bias(sampler->lod_bias),
            .MAXIMUM_ANISOTROPY = is_anisotropic ? (uint32_t)MIN2(sampler->max_anisotropy, 16.0f) : 1,
            .LOD_ALGORITHM = is_anisotropic ? MALI_LOD_ALGORITHM_ANISOTROPIC : MALI_LOD_ALGORITHM_ISOTROPIC,
            .BORDER_COLOR_R = border[0],
            .BORDER_COLOR_G = border[1],
            .BORDER_COLOR_B = border[2],
            .BORDER_COLOR_A = border[3],
        });
}
