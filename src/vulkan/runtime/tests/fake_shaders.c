/* The fake compiler and the counting allocator. */
#include "vulkan/runtime/tests/fake_shaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "util/bits.h"
#include "vulkan/runtime/vk_graphics_state.h"
#include "vulkan/runtime/vk_hasher.h"

struct fake_shaders fake_shaders;
struct fake_memory fake_memory;
_Atomic int32_t fake_set_layouts;

/* ---- memory ---- */

static bool fails(void)
{
    if (++fake_memory.calls != fake_memory.fail_at)
        return false;
    fake_memory.failures++;
    return true;
}

static VKAPI_ATTR void *VKAPI_CALL allocate(void *user, size_t size_B, size_t alignment_B,
                                            VkSystemAllocationScope scope)
{
    void *memory = fails() ? NULL : malloc(size_B);
    fake_memory.living += memory != NULL;
    return memory;
}

static VKAPI_ATTR void *VKAPI_CALL reallocate(void *user, void *original, size_t size_B, size_t alignment_B,
                                              VkSystemAllocationScope scope)
{
    return NULL; /* nobody reallocates */
}

static VKAPI_ATTR void VKAPI_CALL release(void *user, void *memory)
{
    fake_memory.living -= memory != NULL;
    free(memory);
}

const VkAllocationCallbacks fake_allocator = {
    .pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = release};

void fake_memory_fail_at(uint32_t call)
{
    fake_memory.calls = fake_memory.failures = 0;
    fake_memory.fail_at = call;
}

/* ---- layouts ---- */

static void release_set_layout(struct vk_device *device, struct vk_descriptor_set_layout *layout)
{
    fake_set_layouts--;
}

struct vk_descriptor_set_layout *fake_set_layout(struct vk_device *device, uint32_t seed)
{
    struct vk_descriptor_set_layout *layout = vk_descriptor_set_layout_create(device, sizeof(*layout), 0);
    if (!layout)
        return NULL;
    layout->release = release_set_layout;
    vk_hash_bytes(&seed, sizeof(seed), layout->hash);
    fake_set_layouts++;
    return layout;
}

/* ---- shaders ---- */

static void destroy(struct vk_device *device, struct vk_shader *vk)
{
    struct fake_shader *shader = (struct fake_shader *)vk;
    vk_free(&device->alloc, NULL, shader->text);
    vk_shader_free(device, vk);
    fake_shaders.living--;
}

static bool serialize(struct vk_device *device, const struct vk_shader *vk, void *data, size_t *size_B)
{
    const struct fake_shader *shader = (const struct fake_shader *)vk;
    size_t needed_B = 4 + strlen(shader->text);
    if (data && *size_B < needed_B)
        return false;
    if (data) {
        memcpy(data, &shader->workgroup_size_x, 4);
        memcpy((char *)data + 4, shader->text, needed_B - 4);
    }
    *size_B = needed_B;
    return true;
}

/* Two executables for fragment shaders, one for all others. */
static VkResult get_properties(struct vk_device *device, const struct vk_shader *shader, uint32_t *count,
                               VkPipelineExecutablePropertiesKHR *properties)
{
    uint32_t have = shader->stage == VK_SHADER_STAGE_FRAGMENT_BIT ? 2 : 1;
    uint32_t written = properties ? MIN2(*count, have) : have;
    for (uint32_t i = 0; properties && i < written; i++) {
        properties[i].stages = shader->stage;
        snprintf(properties[i].name, sizeof(properties[i].name), "%u of stage %u", i, shader->stage);
    }
    *count = written;
    return written < have ? VK_INCOMPLETE : VK_SUCCESS;
}

static VkResult get_statistics(struct vk_device *device, const struct vk_shader *shader, uint32_t index,
                               uint32_t *count, VkPipelineExecutableStatisticKHR *statistics)
{
    if (statistics && *count) {
        statistics->format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
        statistics->value.u64 = (uint64_t)shader->stage << 8 | index;
    }
    *count = 1;
    return VK_SUCCESS;
}

static const struct vk_shader_ops ops = {
    .destroy = destroy,
    .serialize = serialize,
    .get_executable_properties = get_properties,
    .get_executable_statistics = get_statistics,
};

static struct fake_shader *make(struct vk_device *device, VkShaderStageFlagBits stage, const uint8_t *key,
                                const char *text, size_t length)
{
    struct fake_shader *shader = vk_shader_create(device, sizeof(*shader), &ops, stage, key);
    if (!shader)
        return NULL;
    shader->text = vk_zalloc(&device->alloc, NULL, length + 1, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!shader->text) {
        vk_shader_free(device, &shader->vk);
        return NULL;
    }
    memcpy(shader->text, text, length);
    fake_shaders.living++;
    return shader;
}

static struct fake_shader *compile_one(struct vk_device *device, const struct vk_shader_compile_info *info,
                                       const struct vk_graphics_state *state)
{
    struct fake_shader *shader = make(device, info->stage, info->key, "code", 4);
    if (!shader)
        return NULL;
    shader->next_stages = info->next_stages;
    shader->robustness = info->robustness;
    shader->required_subgroup_size = info->required_subgroup_size;
    shader->allow_varying = info->allow_varying_subgroup_size;
    shader->require_full = info->require_full_subgroups;
    shader->flags = info->flags;
    shader->set_count = info->set_layout_count;
    for (uint32_t i = 0; i < info->set_layout_count; i++)
        shader->sets_open += !info->set_layouts[i];
    shader->push = info->push;
    shader->workgroup_size_x = info->ir->workgroup_size[0];
    shader->ir_subgroup_size = info->ir->subgroup_size;
    shader->color_format = state ? state->rendering.color_formats[0] : VK_FORMAT_UNDEFINED;
    return shader;
}

static VkResult compile(struct vk_device *device, uint32_t count, const struct vk_shader_compile_info *infos,
                        const struct vk_graphics_state *state, struct vk_shader **shaders_out)
{
    uint32_t generation = ++fake_shaders.compiles;
    if (fake_shaders.compile_result != VK_SUCCESS)
        return fake_shaders.compile_result;
    if (generation == fake_shaders.fail_compile)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        struct fake_shader *shader = compile_one(device, &infos[i], state);
        if (!shader) {
            while (i-- > 0)
                vk_shader_unref(device, shaders_out[i]);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        shader->generation = generation;
        shaders_out[i] = &shader->vk;
        infos[i].ir->num_inputs = 0; /* the IR is ours to spoil */
    }
    return VK_SUCCESS;
}

static struct vk_shader *deserialize(struct vk_device *device, VkShaderStageFlagBits stage,
                                     const uint8_t key[VK_HASH_SIZE_B], const void *data, size_t size_B)
{
    if (size_B < 4)
        return NULL;
    struct fake_shader *shader = make(device, stage, key, (const char *)data + 4, size_B - 4);
    if (!shader)
        return NULL;
    memcpy(&shader->workgroup_size_x, data, 4);
    return &shader->vk;
}

/* This compiler looks at the first attachment's format and at nothing else. */
static void hash_state(struct vk_device *device, const struct vk_graphics_state *state, VkShaderStageFlags stages,
                       struct vk_hasher *hasher)
{
    vk_hasher_add_u32(hasher, state ? state->rendering.color_formats[0] : 0);
}

static VkResult pipeline_init(struct vk_device *device, struct vk_pipeline *pipeline,
                              const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    if (fake_shaders.pipeline_init_result != VK_SUCCESS)
        return fake_shaders.pipeline_init_result;
    pipeline->driver_data = vk_alloc(&device->alloc, allocator, 16, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    fake_shaders.pipelines += pipeline->driver_data != NULL;
    return pipeline->driver_data ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void pipeline_finish(struct vk_device *device, struct vk_pipeline *pipeline,
                            const VkAllocationCallbacks *allocator)
{
    vk_free(&device->alloc, allocator, pipeline->driver_data);
    fake_shaders.pipelines--;
}

static void cmd_bind_shaders(struct vk_command_buffer *command_buffer, uint32_t count,
                             const VkShaderStageFlagBits *stages, struct vk_shader *const *shaders)
{
    fake_shaders.bind_count++;
    fake_shaders.bound_stages = 0;
    for (uint32_t i = 0; i < count; i++) {
        fake_shaders.bound[vk_stage_index(stages[i])] = shaders[i];
        fake_shaders.bound_stages |= shaders[i] ? stages[i] : 0;
    }
}

static void cmd_bind_pipeline(struct vk_command_buffer *command_buffer, struct vk_pipeline *pipeline)
{
    fake_shaders.bound_pipeline = pipeline;
}

const struct vk_device_shader_ops fake_shader_ops = {
    .hash_state = hash_state,
    .compile = compile,
    .deserialize = deserialize,
    .pipeline_init = pipeline_init,
    .pipeline_finish = pipeline_finish,
    .cmd_bind_shaders = cmd_bind_shaders,
    .cmd_bind_pipeline = cmd_bind_pipeline,
};
