/* Shader modules and their identifiers. */
#include "vulkan/runtime/pipeline/vk_shader_module.h"

#include <string.h>

#include "util/hash.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

void vk_hash_bytes(const void *data, size_t size_B, uint8_t hash_out[VK_HASH_SIZE_B])
{
    XXH128_canonicalFromHash((XXH128_canonical_t *)hash_out, XXH3_128bits(data, size_B));
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateShaderModule(VkDevice handle, const VkShaderModuleCreateInfo *info,
                                                            const VkAllocationCallbacks *allocator,
                                                            VkShaderModule *module_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    /* The size comes from the application: a multiple of four, and not so large that its offset would not fit 32 bits.
     */
    if (info->codeSize % 4 || info->codeSize > UINT32_MAX / 2)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct vk_shader_module *module =
        vk_object_create(device, allocator, sizeof(*module) + info->codeSize, VK_OBJECT_TYPE_SHADER_MODULE);
    if (!module)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    module->size_B = (uint32_t)info->codeSize;
    memcpy(module->words, info->pCode, info->codeSize);
    vk_hash_bytes(info->pCode, info->codeSize, module->hash);
    *module_out = vk_shader_module_to_handle(module);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyShaderModule(VkDevice handle, VkShaderModule module,
                                                         const VkAllocationCallbacks *allocator)
{
    vk_object_destroy(vk_device_from_handle(handle), allocator,
                      (struct vk_object_base *)vk_shader_module_from_handle(module));
}

static void set_identifier(VkShaderModuleIdentifierEXT *out, const uint8_t hash[VK_HASH_SIZE_B])
{
    out->identifierSize = VK_HASH_SIZE_B;
    memcpy(out->identifier, hash, VK_HASH_SIZE_B);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetShaderModuleIdentifierEXT(VkDevice handle, VkShaderModule module,
                                                                  VkShaderModuleIdentifierEXT *out)
{
    set_identifier(out, vk_shader_module_from_handle(module)->hash);
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetShaderModuleCreateInfoIdentifierEXT(VkDevice handle,
                                                                            const VkShaderModuleCreateInfo *info,
                                                                            VkShaderModuleIdentifierEXT *out)
{
    uint8_t hash[VK_HASH_SIZE_B];
    vk_hash_bytes(info->pCode, info->codeSize, hash);
    set_identifier(out, hash);
}

bool vk_stage_words(const VkPipelineShaderStageCreateInfo *stage, const uint32_t **words_out, uint32_t *size_B_out)
{
    const struct vk_shader_module *module = vk_shader_module_from_handle(stage->module);
    if (module) {
        *words_out = module->words;
        *size_B_out = module->size_B;
        return true;
    }
    const VkShaderModuleCreateInfo *info = vk_find_struct_const(stage->pNext, VkShaderModuleCreateInfo);
    if (!info || info->codeSize % 4 || info->codeSize > UINT32_MAX / 2)
        return false;
    *words_out = info->pCode;
    *size_B_out = (uint32_t)info->codeSize;
    return true;
}

bool vk_stage_hash(const VkPipelineShaderStageCreateInfo *stage, uint8_t hash_out[VK_HASH_SIZE_B])
{
    const struct vk_shader_module *module = vk_shader_module_from_handle(stage->module);
    if (module) {
        memcpy(hash_out, module->hash, VK_HASH_SIZE_B);
        return true;
    }
    const uint32_t *words;
    uint32_t size_B;
    if (vk_stage_words(stage, &words, &size_B)) {
        vk_hash_bytes(words, size_B, hash_out);
        return true;
    }
    const VkPipelineShaderStageModuleIdentifierCreateInfoEXT *id =
        vk_find_struct_const(stage->pNext, VkPipelineShaderStageModuleIdentifierCreateInfoEXT);
    if (!id || id->identifierSize != VK_HASH_SIZE_B)
        return false;
    memcpy(hash_out, id->pIdentifier, VK_HASH_SIZE_B);
    return true;
}
