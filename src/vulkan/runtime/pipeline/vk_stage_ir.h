/* A stage of a pipeline on its way from the application's words to the IR: reading VkPipelineShaderStageCreateInfo and
 * its chain, running the front end, and keeping the result for a library that is linked later. */
#ifndef VULKAN_RUNTIME_VK_STAGE_IR_H
#define VULKAN_RUNTIME_VK_STAGE_IR_H

#include "compiler/ir/ir_enums.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

struct ir_shader;
struct spirv_options;

/* A stage whose program is IR instead of words, for pipelines that a driver makes for itself (copies, clears): in the
 * chain of a VkPipelineShaderStageCreateInfo without a module. The IR is borrowed for the call, by one thread at a
 * time, and cloned. It has no specialization. `hash` stands for the program in keys: another program, another hash. */
#define VK_STRUCTURE_TYPE_STAGE_IR ((VkStructureType)0x7ff00000) /* above all registered ones */
struct vk_stage_ir_create_info {
    VkStructureType sType;
    const void *pNext;
    const struct ir_shader *ir;
    uint8_t hash[VK_HASH_SIZE_B];
};

/* A stage's create info besides its words. */
struct vk_stage_info {
    VkShaderStageFlagBits stage;
    uint32_t required_subgroup_size; /* 0: none */
    bool allow_varying_subgroup_size, require_full_subgroups;
    struct vk_robustness robustness;
    uint8_t key[VK_HASH_SIZE_B]; /* of words, entry name, specialization and all the above */
};

/* Robustness by the device's enabled features, then by `pipeline_chain`, then by `stage_chain` (either may be NULL). */
struct vk_robustness vk_robustness_resolve(const struct vk_device *device, const void *pipeline_chain,
                                           const void *stage_chain);

/* False where the stage gives neither words nor an identifier of ours: its key cannot be known. */
bool vk_stage_info_init(struct vk_stage_info *info, const struct vk_device *device,
                        const VkPipelineShaderStageCreateInfo *stage, const void *pipeline_chain);

/* IR that is kept: by libraries until they are linked. The program in it is never changed: compiling takes a clone.
 * Cacheable by the stage's key, so that a library can be made of an identifier alone. */
struct vk_stage_ir {
    struct vk_cached cached;
    pthread_mutex_t lock; /* cloning leaves marks in the original, and two threads may link one library */
    struct ir_shader *ir;
};

extern const struct vk_cached_ops vk_stage_ir_cached_ops;

VkShaderStageFlagBits vk_stage_of_ir(const struct ir_shader *ir);
/* False: it is no stage that the front end knows, or several. */
bool vk_ir_stage_of(VkShaderStageFlagBits stage, enum ir_stage *stage_out);

/* vk_stage_to_ir with the driver's limits. */
VkResult vk_stage_compile_front(struct vk_device *device, const VkPipelineShaderStageCreateInfo *stage,
                                struct ir_shader **ir_out);

/* A reference, from `cache` (which may be NULL) or by the front end; `fail_on_compile` turns the latter into
 * VK_PIPELINE_COMPILE_REQUIRED. *in_cache_out says which it was. */
VkResult vk_stage_ir_get(struct vk_device *device, struct vk_pipeline_cache *cache,
                         const VkPipelineShaderStageCreateInfo *stage, const struct vk_stage_info *info,
                         bool fail_on_compile, struct vk_stage_ir **ir_out, bool *in_cache_out);

/* A copy of the program that the caller may change; NULL without memory. */
struct ir_shader *vk_stage_ir_clone(struct vk_stage_ir *ir);

#endif
