/* Shader objects: creation from SPIR-V and from binaries, the binaries, and the end. */
#include "vulkan/runtime/pipeline/vk_shader_object.h"

#include <string.h>

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_hasher.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/vk_pipeline_internal.h"

/* ---- binaries ----
 *
 * A header, then the stage's IR as the kept stages of pipeline caches have it. The checksum is of all that follows it:
 * bytes that were damaged are not read. Bytes that were made on purpose are: the IR's reader takes any. */

static const char magic[8] = "tuffshdr";

struct binary_header {
    char magic[sizeof(magic)];
    uint8_t checksum[VK_HASH_SIZE_B];
    uint8_t uuid[VK_UUID_SIZE]; /* of this build of the driver, on this chip */
    uint32_t version, stage;
    uint32_t required_subgroup_size, allow_varying_subgroup_size, require_full_subgroups;
    struct vk_robustness robustness;
    uint32_t zero;
    uint8_t key[VK_HASH_SIZE_B];
    uint64_t ir_size_B;
};
_Static_assert(sizeof(struct binary_header) % 16 == 8, "no holes, and none at the end");

#define CHECKED_AT_B offsetof(struct binary_header, uuid)

static void device_uuid(const struct vk_device *device, uint8_t uuid_out[VK_UUID_SIZE])
{
    VkPhysicalDeviceProperties properties;
    struct vk_physical_device *physical = device->physical;
    physical->dispatch.GetPhysicalDeviceProperties(vk_physical_device_to_handle(physical), &properties);
    memcpy(uuid_out, properties.pipelineCacheUUID, VK_UUID_SIZE);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetShaderBinaryDataEXT(VkDevice handle, VkShaderEXT shader, size_t *size_B,
                                                                void *data)
{
    const struct vk_shader_object *object = vk_shader_object_from_handle(shader);
    const struct vk_stage_info *info = &object->info;
    size_t ir_size_B = 0;
    if (!vk_stage_ir_cached_ops.serialize(&object->ir->cached, NULL, &ir_size_B))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    size_t needed_B = sizeof(struct binary_header) + ir_size_B;
    if (!data) {
        *size_B = needed_B;
        return VK_SUCCESS;
    }
    if (*size_B < needed_B) {
        *size_B = 0;
        return VK_INCOMPLETE;
    }
    struct binary_header header = {
        .version = VK_SHADER_BINARY_VERSION,
        .stage = info->stage,
        .required_subgroup_size = info->required_subgroup_size,
        .allow_varying_subgroup_size = info->allow_varying_subgroup_size,
        .require_full_subgroups = info->require_full_subgroups,
        .robustness = info->robustness,
        .ir_size_B = ir_size_B,
    };
    char *bytes = data;
    if (!vk_stage_ir_cached_ops.serialize(&object->ir->cached, bytes + sizeof(header), &ir_size_B))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(header.magic, magic, sizeof(magic));
    memcpy(header.key, info->key, VK_HASH_SIZE_B);
    device_uuid(vk_device_from_handle(handle), header.uuid);
    memcpy(bytes, &header, sizeof(header));
    vk_hash_bytes(bytes + CHECKED_AT_B, needed_B - CHECKED_AT_B, header.checksum);
    memcpy(bytes, &header, CHECKED_AT_B);
    *size_B = needed_B;
    return VK_SUCCESS;
}

static bool header_is_ours(const struct vk_device *device, const struct binary_header *header,
                           const VkShaderCreateInfoEXT *info)
{
    uint8_t uuid[VK_UUID_SIZE], checksum[VK_HASH_SIZE_B];
    if (memcmp(header->magic, magic, sizeof(magic)) || header->version != VK_SHADER_BINARY_VERSION ||
        header->stage != info->stage || header->ir_size_B != info->codeSize - sizeof(*header))
        return false;
    device_uuid(device, uuid);
    if (memcmp(header->uuid, uuid, sizeof(uuid)))
        return false;
    vk_hash_bytes((const char *)info->pCode + CHECKED_AT_B, info->codeSize - CHECKED_AT_B, checksum);
    return !memcmp(header->checksum, checksum, sizeof(checksum));
}

/* Robustness is the device's that it is used with; a stage with another one has another key. */
static void take_robustness(const struct vk_device *device, const struct vk_robustness *old, struct vk_stage_info *info)
{
    info->robustness = vk_robustness_resolve(device, NULL, NULL);
    if (!memcmp(&info->robustness, old, sizeof(*old)))
        return;
    struct vk_hasher hasher;
    vk_hasher_init(&hasher);
    vk_hasher_add(&hasher, info->key, VK_HASH_SIZE_B);
    vk_hasher_add(&hasher, &info->robustness, sizeof(info->robustness)); /* four enums, no holes */
    vk_hasher_end(&hasher, info->key);
    vk_key_set_stage(info->key, info->stage);
}

/* 0: none was asked for. */
static bool is_subgroup_size(uint32_t size)
{
    return size <= 128 && (size & (size - 1)) == 0;
}

static VkResult read_binary(struct vk_device *device, const VkShaderCreateInfoEXT *info,
                            struct vk_shader_object *object)
{
    struct binary_header header;
    if (info->codeSize < sizeof(header))
        return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    memcpy(&header, info->pCode, sizeof(header));
    if (!header_is_ours(device, &header, info) || !is_subgroup_size(header.required_subgroup_size))
        return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    object->info = (struct vk_stage_info){
        .stage = info->stage,
        .required_subgroup_size = header.required_subgroup_size,
        .allow_varying_subgroup_size = header.allow_varying_subgroup_size != 0,
        .require_full_subgroups = header.require_full_subgroups != 0,
    };
    memcpy(object->info.key, header.key, VK_HASH_SIZE_B);
    take_robustness(device, &header.robustness, &object->info);
    object->ir = (struct vk_stage_ir *)vk_stage_ir_cached_ops.deserialize(
        device, object->info.key, (const char *)info->pCode + sizeof(header), (size_t)header.ir_size_B);
    return object->ir ? VK_SUCCESS : VK_INCOMPATIBLE_SHADER_BINARY_EXT;
}

/* ---- SPIR-V ---- */

static VkPipelineShaderStageCreateFlags stage_flags(VkShaderCreateFlagsEXT flags)
{
    return (flags & VK_SHADER_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT_EXT
                ? VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT
                : 0) |
           (flags & VK_SHADER_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT
                ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT
                : 0);
}

static VkResult read_words(struct vk_device *device, const VkShaderCreateInfoEXT *info, struct vk_shader_object *object)
{
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *given =
        vk_find_struct_const(info->pNext, VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {0};
    VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = info->codeSize,
        .pCode = info->pCode,
    };
    if (given) {
        size = *given;
        size.pNext = NULL;
        module.pNext = &size;
    }
    const VkPipelineShaderStageCreateInfo stage = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .pNext = &module,
        .flags = stage_flags(info->flags),
        .stage = info->stage,
        .pName = info->pName,
        .pSpecializationInfo = info->pSpecializationInfo,
    };
    bool in_cache;
    if (!vk_stage_info_init(&object->info, device, &stage, NULL))
        return VK_ERROR_UNKNOWN; /* no words: their size is not one of words */
    return vk_stage_ir_get(device, NULL, &stage, &object->info, false, &object->ir, &in_cache);
}

/* ---- life ---- */

static VkResult make_layout(struct vk_device *device, const VkShaderCreateInfoEXT *info,
                            struct vk_shader_object *object)
{
    VkPipelineLayout layout;
    const VkPipelineLayoutCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = info->setLayoutCount,
        .pSetLayouts = info->pSetLayouts,
        .pushConstantRangeCount = info->pushConstantRangeCount,
        .pPushConstantRanges = info->pPushConstantRanges,
    };
    VkResult result = vk_common_CreatePipelineLayout(vk_device_to_handle(device), &create, NULL, &layout);
    if (result == VK_SUCCESS)
        object->layout = vk_pipeline_layout_from_handle(layout);
    return result;
}

static void destroy_object(struct vk_shader_object *object, const VkAllocationCallbacks *allocator)
{
    struct vk_device *device = object->base.device;
    vk_common_DestroyPipeline(vk_device_to_handle(device), object->compute, NULL);
    vk_cached_unref(device, object->ir ? &object->ir->cached : NULL);
    vk_pipeline_layout_unref(object->layout);
    vk_object_destroy(device, allocator, &object->base);
}

static VkResult create_one(struct vk_device *device, const VkShaderCreateInfoEXT *info,
                           const VkAllocationCallbacks *allocator, VkShaderEXT *shader_out)
{
    struct vk_shader_object *object = vk_object_create(device, allocator, sizeof(*object), VK_OBJECT_TYPE_SHADER_EXT);
    if (!object)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    object->flags = info->flags;
    VkResult result = make_layout(device, info, object);
    if (result == VK_SUCCESS)
        result = info->codeType == VK_SHADER_CODE_TYPE_BINARY_EXT ? read_binary(device, info, object)
                                                                  : read_words(device, info, object);
    if (result == VK_SUCCESS && info->stage == VK_SHADER_STAGE_COMPUTE_BIT)
        result = vk_compute_pipeline_of_stage(
            device, &object->info, object->ir, object->layout,
            info->flags & VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT ? VK_PIPELINE_CREATE_DISPATCH_BASE_BIT : 0,
            &object->compute);
    if (result != VK_SUCCESS) {
        destroy_object(object, allocator);
        return result;
    }
    *shader_out = vk_shader_object_to_handle(object);
    return VK_SUCCESS;
}

/* The first that is VK_NULL_HANDLE is the one that the result is about. */
VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateShadersEXT(VkDevice handle, uint32_t count,
                                                          const VkShaderCreateInfoEXT *infos,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkShaderEXT *shaders_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        shaders_out[i] = VK_NULL_HANDLE;
        if (result == VK_SUCCESS)
            result = create_one(device, &infos[i], allocator, &shaders_out[i]);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyShaderEXT(VkDevice handle, VkShaderEXT shader,
                                                      const VkAllocationCallbacks *allocator)
{
    struct vk_shader_object *object = vk_shader_object_from_handle(shader);
    if (!object)
        return;
    vk_shader_mixes_forget(vk_device_from_handle(handle), object);
    destroy_object(object, allocator);
}
