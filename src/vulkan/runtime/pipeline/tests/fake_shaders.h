/* A driver that compiles shaders to a note of what it was asked for: what pipelines are tested with. Its memory is the
 * test's allocator, which counts what lives and can fail at any call. */
#ifndef VULKAN_RUNTIME_TESTS_FAKE_SHADERS_H
#define VULKAN_RUNTIME_TESTS_FAKE_SHADERS_H

#include <stdatomic.h>

#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"

/* The code: what the compiler was asked for. */
struct fake_note {
    uint32_t generation; /* the compile's number */
    VkShaderStageFlags next_stages;
    struct vk_robustness robustness;
    uint32_t required_subgroup_size;
    bool allow_varying, require_full;
    VkPipelineCreateFlags flags;
    uint32_t set_count, sets_open; /* and of those, which are NULL */
    VkPushConstantRange push;
    uint32_t workgroup_size_x, ir_subgroup_size;
    VkFormat color_format;
};

struct fake_shader {
    struct vk_shader vk;
    char *text; /* another allocation, to be leaked or not */
};

extern struct fake_shaders {
    _Atomic uint32_t compiles; /* calls */
    _Atomic uint32_t loads;    /* of code, fresh or from a file */
    _Atomic int32_t living;    /* shaders */
    _Atomic int32_t pipelines; /* driver_data that was made and not freed */
    VkResult compile_result;   /* of the next compiles */
    uint32_t fail_compile;     /* or only of this one, counted from 1; 0: none */
    uint32_t fail_load;        /* the same of loads */
    VkResult bake_result;
    /* The last bind. */
    uint32_t bind_count;
    struct vk_pipeline *bound_pipeline;
} fake_shaders;

/* The allocator. */
extern struct fake_memory {
    _Atomic int32_t living;
    _Atomic uint32_t calls;
    uint32_t fail_at; /* this call fails, counted from 1 since the last fake_memory_fail_at; 0: none */
    _Atomic uint32_t failures;
} fake_memory;
extern const VkAllocationCallbacks fake_allocator;
void fake_memory_fail_at(uint32_t call);

extern const struct vk_codegen fake_codegen;

static inline const struct fake_note *fake_shader_of(VkPipeline pipeline, VkShaderStageFlagBits stage)
{
    const struct vk_shader *shader = vk_pipeline_from_handle(pipeline)->shaders[vk_stage_index(stage)];
    return shader ? (const void *)shader->code->bytes : NULL;
}

extern const struct vk_descriptor_ops fake_descriptors;

/* A layout that differs by `seed`, of a device with fake_descriptors and fake_allocator. NULL without memory. */
struct vk_descriptor_set_layout *fake_set_layout(struct vk_device *device, uint32_t seed);
extern _Atomic int32_t fake_set_layouts; /* that live */

#endif
