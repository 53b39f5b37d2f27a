/* The fake compiler and the counting allocator. */
#include "vulkan/runtime/pipeline/tests/fake_shaders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "util/bits.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_hasher.h"
#include "vulkan/runtime/pipeline/vk_shader_report.h"
#include "vulkan/runtime/render/vk_graphics_state.h"

struct fake_shaders fake_shaders;
struct fake_memory fake_memory;
_Atomic int32_t fake_set_layouts;

/* ---- memory ---- */

static bool next_fails(void)
{
    if (++fake_memory.calls != fake_memory.fail_at)
        return false;
    fake_memory.failures++;
    return true;
}

static VKAPI_ATTR void *VKAPI_CALL allocate_memory(void *user, size_t size_B, size_t alignment_B,
                                                   VkSystemAllocationScope scope)
{
    void *memory = next_fails() ? NULL : malloc(size_B);
    fake_memory.living += memory != NULL;
    return memory;
}

static VKAPI_ATTR void *VKAPI_CALL reallocate_memory(void *user, void *original, size_t size_B, size_t alignment_B,
                                                     VkSystemAllocationScope scope)
{
    return NULL; /* nothing is reallocated */
}

/* The memory of layouts, to see when one goes. */
static _Atomic(void *) living_layouts[256];

static void forget_layout(void *memory)
{
    for (unsigned i = 0; memory && i < ARRAY_SIZE(living_layouts); i++) {
        void *place = memory;
        if (atomic_compare_exchange_strong(&living_layouts[i], &place, NULL))
            fake_set_layouts--;
    }
}

static VKAPI_ATTR void VKAPI_CALL release_memory(void *user, void *memory)
{
    fake_memory.living -= memory != NULL;
    forget_layout(memory);
    free(memory);
}

const VkAllocationCallbacks fake_allocator = {
    .pfnAllocation = allocate_memory, .pfnReallocation = reallocate_memory, .pfnFree = release_memory};

void fake_memory_fail_at(uint32_t call)
{
    fake_memory.calls = fake_memory.failures = 0;
    fake_memory.fail_at = call;
}

/* ---- layouts ---- */

static void write_nothing(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                          const struct vk_descriptor_binding *binding)
{
}

const struct vk_descriptor_ops fake_descriptors = {
    .size_B = {[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = 16},
    .inline_align_B = 16,
    .set_align_B = 16,
    .max_set_B = 1u << 20,
    .max_descriptors = 1u << 16,
    .write = {[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = write_nothing},
};

struct vk_descriptor_set_layout *fake_set_layout(struct vk_device *device, uint32_t seed)
{
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                  .descriptorCount = seed};
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    VkDescriptorSetLayout handle;
    if (vk_common_CreateDescriptorSetLayout(vk_device_to_handle(device), &info, NULL, &handle) != VK_SUCCESS)
        return NULL;
    struct vk_descriptor_set_layout *layout = vk_descriptor_set_layout_from_handle(handle);
    for (unsigned i = 0; i < ARRAY_SIZE(living_layouts); i++) {
        void *free_place = NULL;
        if (atomic_compare_exchange_strong(&living_layouts[i], &free_place, layout))
            break;
    }
    fake_set_layouts++;
    return layout;
}

/* ---- code ---- */

static void take_note(const struct vk_stage_job *job, const struct vk_graphics_state *state, struct fake_note *note)
{
    memset(note, 0, sizeof(*note));
    note->generation = fake_shaders.compiles;
    note->next_stages = job->next_stages;
    note->robustness = job->robustness;
    note->required_subgroup_size = job->required_subgroup_size;
    note->allow_varying = job->allow_varying_subgroup_size;
    note->require_full = job->require_full_subgroups;
    note->flags = job->flags;
    note->set_count = job->set_layout_count;
    for (uint32_t i = 0; i < job->set_layout_count; i++)
        note->sets_open += !job->set_layouts[i];
    note->push = job->push;
    note->workgroup_size_x = job->ir->workgroup_size[0];
    note->ir_subgroup_size = job->ir->subgroup_size;
    note->color_format = state ? state->rendering.color_formats[0] : VK_FORMAT_UNDEFINED;
}

static VkResult compile_stages(struct vk_device *device, uint32_t count, const struct vk_stage_job *jobs,
                               const struct vk_graphics_state *state, struct vk_code **codes_out)
{
    uint32_t generation = ++fake_shaders.compiles;
    if (fake_shaders.compile_result != VK_SUCCESS)
        return fake_shaders.compile_result;
    if (generation == fake_shaders.fail_compile)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        codes_out[i] = vk_code_create(device, jobs[i].stage, jobs[i].key, sizeof(struct fake_note));
        if (!codes_out[i]) {
            while (i-- > 0)
                vk_code_destroy(device, codes_out[i]);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        take_note(&jobs[i], state, (struct fake_note *)(void *)codes_out[i]->bytes);
        jobs[i].ir->num_inputs = 0; /* the IR is ours to spoil */
    }
    return VK_SUCCESS;
}

/* This compiler looks at the first attachment's format and at nothing else. */
static void add_to_key(struct vk_device *device, const struct vk_graphics_state *state, VkShaderStageFlags stages,
                       struct vk_hasher *hasher)
{
    vk_hasher_add_u32(hasher, state ? state->rendering.color_formats[0] : 0);
}

/* ---- shaders ---- */

static VkResult load_shader(struct vk_device *device, struct vk_shader *vk)
{
    struct fake_shader *shader = (struct fake_shader *)vk;
    if (++fake_shaders.loads == fake_shaders.fail_load)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (vk->code->size_B != sizeof(struct fake_note))
        return VK_ERROR_UNKNOWN;
    shader->text = vk_zalloc(&device->alloc, NULL, 5, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!shader->text)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(shader->text, "code", 4);
    fake_shaders.living++;
    return VK_SUCCESS;
}

static void unload_shader(struct vk_device *device, struct vk_shader *vk)
{
    vk_free(&device->alloc, NULL, ((struct fake_shader *)vk)->text);
    fake_shaders.living--;
}

/* Two executables for fragment shaders, one with a text for all others. */
static void describe_shader(const struct vk_shader *vk, struct vk_shader_report *report)
{
    VkShaderStageFlagBits stage = vk_shader_stage(vk);
    for (uint32_t i = 0; i < (stage == VK_SHADER_STAGE_FRAGMENT_BIT ? 2u : 1u); i++) {
        char name[32];
        snprintf(name, sizeof(name), "%u of stage %u", i, stage);
        vk_report_executable(report, stage, 32, name, "a note");
        vk_report_figure(report, "number", "stage and index", (uint64_t)stage << 8 | i);
        vk_report_text(report, "text",
                       stage == VK_SHADER_STAGE_FRAGMENT_BIT ? NULL : ((const struct fake_shader *)vk)->text);
    }
}

/* ---- pipelines ---- */

static VkResult bake_pipeline(struct vk_device *device, struct vk_pipeline *pipeline,
                              const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    if (fake_shaders.bake_result != VK_SUCCESS)
        return fake_shaders.bake_result;
    pipeline->driver_data = vk_alloc(&device->alloc, allocator, 16, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    fake_shaders.pipelines += pipeline->driver_data != NULL;
    return pipeline->driver_data ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void release_baked(struct vk_device *device, struct vk_pipeline *pipeline,
                          const VkAllocationCallbacks *allocator)
{
    vk_free(&device->alloc, allocator, pipeline->driver_data);
    fake_shaders.pipelines--;
}

/* A hundred bytes for each number of the shader's compilation, which is also what handles are made of. */
static uint32_t number_of(const struct vk_shader *shader)
{
    return shader ? ((const struct fake_note *)(const void *)shader->code->bytes)->generation : 0;
}

static uint32_t ray_stack_B(const struct vk_shader *shader)
{
    return 100 * number_of(shader);
}

static void ray_handle(const struct vk_ray_group *group, uint8_t handle_out[VK_RAY_HANDLE_B])
{
    memset(handle_out, 0, VK_RAY_HANDLE_B);
    handle_out[0] = (uint8_t)number_of(group->main);
    handle_out[1] = (uint8_t)number_of(group->any_hit);
    handle_out[2] = (uint8_t)number_of(group->intersection);
}

static void bind_pipeline(struct vk_command_buffer *command_buffer, struct vk_pipeline *pipeline)
{
    fake_shaders.bind_count++;
    fake_shaders.bound_pipeline = pipeline;
}

const struct vk_codegen fake_codegen = {
    .add_to_key = add_to_key,
    .compile = compile_stages,
    .shader_size_B = sizeof(struct fake_shader),
    .load = load_shader,
    .unload = unload_shader,
    .describe = describe_shader,
    .ray_stack_B = ray_stack_B,
    .ray_handle = ray_handle,
    .bake = bake_pipeline,
    .unbake = release_baked,
    .bind = bind_pipeline,
};
