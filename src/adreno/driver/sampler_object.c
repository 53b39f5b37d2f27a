/* VkSampler, and which place of the device's table of border colours is whose. */
#include <string.h>

#include "adreno/driver/device.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/driver/memory.h"
#include "adreno/driver/sampler.h"

/* ---- the table ---- */

VkResult adreno_borders_init(struct adreno_device *device)
{
    struct adreno_borders *borders = &device->borders;
    pthread_mutex_init(&borders->lock, NULL);
    VkResult result = adreno_mapped_bo_create(device, ADRENO_BORDERS * ADRENO_BORDER_B, MSM_BO_WC, &borders->bo);
    if (result != VK_SUCCESS)
        return result;
    adreno_border_table_init(borders->bo->vk.map);
    borders->used[0] = (1u << ADRENO_FIRST_CUSTOM_BORDER) - 1;
    return VK_SUCCESS;
}

void adreno_borders_finish(struct adreno_device *device)
{
    adreno_bo_unref(device->borders.bo);
    pthread_mutex_destroy(&device->borders.lock);
}

/* 0: all places are taken; the first one is never free. */
static uint32_t take_place(struct adreno_borders *borders)
{
    uint32_t place = 0;
    pthread_mutex_lock(&borders->lock);
    for (uint32_t i = 0; i < ADRENO_BORDERS / 64 && !place; i++) {
        if (borders->used[i] == UINT64_MAX)
            continue;
        const uint32_t bit = (uint32_t)__builtin_ctzll(~borders->used[i]);
        borders->used[i] |= 1ull << bit;
        place = i * 64 + bit;
    }
    pthread_mutex_unlock(&borders->lock);
    return place;
}

static void return_place(struct adreno_borders *borders, uint32_t place)
{
    if (place < ADRENO_FIRST_CUSTOM_BORDER)
        return;
    pthread_mutex_lock(&borders->lock);
    borders->used[place / 64] &= ~(1ull << place % 64);
    pthread_mutex_unlock(&borders->lock);
}

/* ---- samplers ---- */

static VkResult choose_border(struct adreno_device *device, struct adreno_sampler *sampler)
{
    struct adreno_borders *borders = &device->borders;
    const struct vk_sampler *vk = &sampler->vk;
    if (!vk_sampler_uses_border(vk))
        return VK_SUCCESS;
    if (!vk_border_color_is_custom(vk->border_color)) {
        sampler->border = (uint32_t)vk->border_color;
        return VK_SUCCESS;
    }
    sampler->border = take_place(borders);
    if (!sampler->border)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    uint32_t(*table)[ADRENO_BORDER_DW] = borders->bo->vk.map;
    adreno_border_words(&vk->border_value, vk_border_color_is_int(vk->border_color), table[sampler->border]);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL adreno_CreateSampler(VkDevice handle, const VkSamplerCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkSampler *sampler_out)
{
    struct adreno_device *device = adreno_device_from_handle(handle);
    struct adreno_sampler *sampler = vk_sampler_create(&device->vk, info, allocator, sizeof(*sampler));
    if (!sampler)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = choose_border(device, sampler);
    if (result != VK_SUCCESS) {
        vk_sampler_destroy(&device->vk, allocator, &sampler->vk);
        return result;
    }
    adreno_sampler_words(&sampler->vk, sampler->border, sampler->words);
    *sampler_out = adreno_sampler_to_handle(sampler);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL adreno_DestroySampler(VkDevice handle, VkSampler sampler_handle,
                                                 const VkAllocationCallbacks *allocator)
{
    struct adreno_device *device = adreno_device_from_handle(handle);
    struct adreno_sampler *sampler = adreno_sampler_from_handle(sampler_handle);
    if (!sampler)
        return;
    return_place(&device->borders, sampler->border);
    vk_sampler_destroy(&device->vk, allocator, &sampler->vk);
}
