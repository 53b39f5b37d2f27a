/* VkSampler. */
#include "amd/driver/radeon_sampler.h"

#include <string.h>

#include "amd/driver/radeon_entrypoints.h"
#include "amd/hw/descriptors.h"
#include "amd/hw/enums.h"
#include "util/bits.h"

#define SLOTS_PER_WORD 64

static enum amd_TEX_CLAMP clamp_of(VkSamplerAddressMode mode)
{
    switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
        return AMD_TEX_CLAMP_MIRROR;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE:
        return AMD_TEX_CLAMP_CLAMP_LAST_TEXEL;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
        return AMD_TEX_CLAMP_CLAMP_BORDER;
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
        return AMD_TEX_CLAMP_MIRROR_ONCE_LAST_TEXEL;
    default:
        return AMD_TEX_CLAMP_WRAP;
    }
}

static enum amd_TEX_FILTER filter_of(VkFilter filter, bool anisotropic)
{
    if (filter == VK_FILTER_LINEAR)
        return anisotropic ? AMD_TEX_FILTER_ANISO_BILINEAR : AMD_TEX_FILTER_BILINEAR;
    return anisotropic ? AMD_TEX_FILTER_ANISO_POINT : AMD_TEX_FILTER_POINT;
}

static enum amd_BORDER_COLOR border_of(const struct vk_sampler *sampler)
{
    if (!vk_sampler_uses_border(sampler))
        return AMD_BORDER_COLOR_TRANSPARENT_BLACK;
    switch (sampler->border_color) {
    case VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK:
    case VK_BORDER_COLOR_INT_OPAQUE_BLACK:
        return AMD_BORDER_COLOR_OPAQUE_BLACK;
    case VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE:
    case VK_BORDER_COLOR_INT_OPAQUE_WHITE:
        return AMD_BORDER_COLOR_OPAQUE_WHITE;
    case VK_BORDER_COLOR_FLOAT_CUSTOM_EXT:
    case VK_BORDER_COLOR_INT_CUSTOM_EXT:
        return AMD_BORDER_COLOR_REGISTER;
    default:
        return AMD_BORDER_COLOR_TRANSPARENT_BLACK;
    }
}

static enum amd_TEX_REDUCTION reduction_of(VkSamplerReductionMode mode)
{
    switch (mode) {
    case VK_SAMPLER_REDUCTION_MODE_MIN:
        return AMD_TEX_REDUCTION_MIN;
    case VK_SAMPLER_REDUCTION_MODE_MAX:
        return AMD_TEX_REDUCTION_MAX;
    default:
        return AMD_TEX_REDUCTION_BLEND;
    }
}

static uint32_t fixed_lod(float lod)
{
    return (uint32_t)(MIN2(MAX2(lod, 0.0f), 15.0f) * 256.0f);
}

/* There are 16 levels: more bias than that changes nothing. */
static int32_t fixed_bias(float bias)
{
    return (int32_t)(MIN2(MAX2(bias, -16.0f), 16.0f) * 256.0f);
}

void radeon_sampler_words(const struct vk_sampler *sampler, uint32_t border_slot, uint32_t words_out[4])
{
    bool anisotropic = sampler->max_anisotropy > 1.0f;
    unsigned ratio = anisotropic ? MIN2(log2_floor((uint32_t)sampler->max_anisotropy), 4u) : 0;
    /* The specification's compare operations have the hardware's numbers. */
    enum amd_COMPARE compare = sampler->compare_enable ? (enum amd_COMPARE)sampler->compare_op : AMD_COMPARE_NEVER;
    amd_pack_desc_SAMPLER(
        RADEON_GFX, words_out,
        &(const struct amd_desc_SAMPLER){
            .CLAMP_X = clamp_of(sampler->address_modes[0]),
            .CLAMP_Y = clamp_of(sampler->address_modes[1]),
            .CLAMP_Z = clamp_of(sampler->address_modes[2]),
            .MAX_ANISO_RATIO = ratio,
            .DEPTH_COMPARE_FUNC = compare,
            .FORCE_UNNORMALIZED = sampler->unnormalized,
            .ANISO_THRESHOLD = ratio >> 1,
            .ANISO_BIAS = ratio,
            /* Nearest is by floor; rounding would pick the next texel for coordinates just below it. */
            .TRUNC_COORD = sampler->min_filter == VK_FILTER_NEAREST && sampler->mag_filter == VK_FILTER_NEAREST,
            .DISABLE_CUBE_WRAP = sampler->flags & VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT ? 1 : 0,
            .FILTER_MODE = reduction_of(sampler->reduction_mode),
            .MIN_LOD = fixed_lod(sampler->min_lod),
            .MAX_LOD = fixed_lod(sampler->max_lod),
            .PERF_MIP = ratio ? ratio + 6 : 0,
            .LOD_BIAS = fixed_bias(sampler->lod_bias),
            .XY_MAG_FILTER = filter_of(sampler->mag_filter, anisotropic),
            .XY_MIN_FILTER = filter_of(sampler->min_filter, anisotropic),
            .MIP_FILTER = sampler->mipmap_mode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? AMD_TEX_MIP_FILTER_LINEAR
                                                                                : AMD_TEX_MIP_FILTER_POINT,
            .BORDER_COLOR_PTR = border_slot == RADEON_NO_BORDER_SLOT ? 0 : border_slot,
            .BORDER_COLOR_TYPE = border_of(sampler),
        });
}

/* ---- custom border colours ---- */

static uint32_t take_border_slot(struct radeon_device *device)
{
    uint32_t slot = RADEON_NO_BORDER_SLOT;
    pthread_mutex_lock(&device->border_lock);
    for (uint32_t i = 0; i < RADEON_BORDER_SLOTS / SLOTS_PER_WORD && slot == RADEON_NO_BORDER_SLOT; i++) {
        uint64_t free = ~device->border_used[i];
        if (!free)
            continue;
        uint32_t bit = (uint32_t)__builtin_ctzll(free);
        device->border_used[i] |= 1ull << bit;
        slot = i * SLOTS_PER_WORD + bit;
    }
    pthread_mutex_unlock(&device->border_lock);
    return slot;
}

static void return_border_slot(struct radeon_device *device, uint32_t slot)
{
    if (slot == RADEON_NO_BORDER_SLOT)
        return;
    pthread_mutex_lock(&device->border_lock);
    device->border_used[slot / SLOTS_PER_WORD] &= ~(1ull << slot % SLOTS_PER_WORD);
    pthread_mutex_unlock(&device->border_lock);
}

static VkResult set_border_color(struct radeon_device *device, struct radeon_sampler *sampler)
{
    void *map;
    if (!device->border_colors || amd_ws_bo_map(device->border_colors, &map) != 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    sampler->border_slot = take_border_slot(device);
    if (sampler->border_slot == RADEON_NO_BORDER_SLOT)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    memcpy((uint8_t *)map + sampler->border_slot * RADEON_BORDER_SLOT_B, &sampler->vk.border_value,
           RADEON_BORDER_SLOT_B);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_CreateSampler(VkDevice handle, const VkSamplerCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkSampler *sampler_out)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct radeon_sampler *sampler = vk_sampler_create(&device->vk, info, allocator, sizeof(*sampler));
    if (!sampler)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    sampler->border_slot = RADEON_NO_BORDER_SLOT;
    if (vk_border_color_is_custom(sampler->vk.border_color) && vk_sampler_uses_border(&sampler->vk)) {
        VkResult result = set_border_color(device, sampler);
        if (result != VK_SUCCESS) {
            vk_sampler_destroy(&device->vk, allocator, &sampler->vk);
            return result;
        }
    }
    radeon_sampler_words(&sampler->vk, sampler->border_slot, sampler->words);
    *sampler_out = radeon_sampler_to_handle(sampler);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL radeon_DestroySampler(VkDevice handle, VkSampler sampler_handle,
                                                 const VkAllocationCallbacks *allocator)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct radeon_sampler *sampler = radeon_sampler_from_handle(sampler_handle);
    if (!sampler)
        return;
    return_border_slot(device, sampler->border_slot);
    vk_sampler_destroy(&device->vk, allocator, &sampler->vk);
}
