/* VkShaderModule: the program's words, kept as they came, and their hash. Nothing is read of them before a pipeline
 * wants a stage. */
#ifndef VULKAN_RUNTIME_VK_SHADER_MODULE_H
#define VULKAN_RUNTIME_VK_SHADER_MODULE_H

#include "vulkan/runtime/object/vk_object.h"

#define VK_HASH_SIZE_B 16

struct vk_shader_module {
    struct vk_object_base base;
    uint8_t hash[VK_HASH_SIZE_B];
    uint32_t size_B;
    uint32_t words[];
};

VK_DEFINE_CASTS(vk_shader_module, VkShaderModule)

/* 128 bits of content: what identifiers and caches know a module by. */
void vk_hash_bytes(const void *data, size_t size_B, uint8_t hash_out[VK_HASH_SIZE_B]);

/* Where a stage's words are: its module, or a VkShaderModuleCreateInfo in its chain. False where only an identifier is
 * given. */
bool vk_stage_words(const VkPipelineShaderStageCreateInfo *stage, const uint32_t **words_out, uint32_t *size_B_out);
/* The hash of a stage's words, also where only the identifier is given; false where that is not ours. */
bool vk_stage_hash(const VkPipelineShaderStageCreateInfo *stage, uint8_t hash_out[VK_HASH_SIZE_B]);

#endif
