/* Ray tracing pipelines. Each shader is a function in memory (amd/compiler/function.h), a handle has the addresses of a
 * group's, and one kernel of the device starts all launches. */
#include <string.h>

#include "amd/compiler/function.h"
#include "amd/compiler/trace_layout.h"
#include "amd/driver/radeon_trace.h"
#include "amd/hw/regs_compute.h"
#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/object/vk_alloc.h"

#define WAVE_SIZE 64 /* of all functions: they call one another */

/* ---- what all pipelines of a device share ---- */

static const uint32_t workgroup_sizes[RADEON_ENTRIES][3] = {
    [RADEON_ENTRY_SQUARE] = {8, 8, 1},
    [RADEON_ENTRY_ROW] = {64, 1, 1},
};

void radeon_traces_init(struct radeon_device *device)
{
    pthread_mutex_init(&device->traces.lock, NULL);
}

void radeon_traces_finish(struct radeon_device *device)
{
    for (unsigned i = 0; i < RADEON_ENTRIES; i++)
        radeon_shader_unref(device, device->traces.entries[i]);
    radeon_shader_unref(device, device->traces.traversal);
    pthread_mutex_destroy(&device->traces.lock);
}

static VkResult compile_own(struct radeon_device *device, struct ir_shader *ir, struct radeon_shader **shader_out)
{
    const struct amd_compile_options options = {.wave_size = WAVE_SIZE};
    if (!ir)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = radeon_shader_compile_internal(device, ir, &options, shader_out);
    ir_shader_destroy(ir);
    return result;
}

static VkResult make_traversal(struct radeon_device *device)
{
    char error[256] = "";
    struct ir_shader *ir = amd_trace_traversal(error);
    if (!ir)
        LOG_ERROR("amd", "rays cannot be sent: %s", error);
    return compile_own(device, ir, &device->traces.traversal);
}

static VkResult make_own_shaders(struct radeon_device *device)
{
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&device->traces.lock);
    for (unsigned i = 0; i < RADEON_ENTRIES && result == VK_SUCCESS; i++) {
        if (!device->traces.entries[i])
            result = compile_own(device, amd_build_ray_entry(workgroup_sizes[i]), &device->traces.entries[i]);
    }
    if (result == VK_SUCCESS && !device->traces.traversal)
        result = make_traversal(device);
    pthread_mutex_unlock(&device->traces.lock);
    return result;
}

/* ---- a pipeline ---- */

VkResult radeon_ray_compile(struct radeon_device *device, const struct vk_stage_job *job, struct vk_code **code_out)
{
    const struct amd_stage_options stage = {
        .ray = {.skip_triangles = job->flags & VK_PIPELINE_CREATE_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR,
                .skip_boxes = job->flags & VK_PIPELINE_CREATE_RAY_TRACING_SKIP_AABBS_BIT_KHR}};
    return radeon_shader_compile_stage(device, job, &stage, WAVE_SIZE, code_out);
}

static uint32_t vgprs_of(const struct radeon_shader *shader)
{
    return AMD_GET(RADEON_GFX, COMPUTE_PGM_RSRC1, VGPRS, shader->binary.config.rsrc1);
}

/* The kernel starts with the registers that any function may use. */
static uint32_t most_vgprs(const struct vk_ray_pipeline *pipeline, const struct radeon_shader *traversal)
{
    uint32_t most = vgprs_of(traversal);
    for (uint32_t i = 0; i < pipeline->shader_count; i++)
        most = MAX2(most, vgprs_of(radeon_shader_of(pipeline->shaders[i])));
    return most;
}

static void fill_entry(struct radeon_shader *entry, const struct radeon_shader *of, uint32_t vgprs,
                       const struct vk_ray_pipeline *pipeline)
{
    *entry = *of;
    struct amd_COMPUTE_PGM_RSRC1 rsrc1 = amd_unpack_COMPUTE_PGM_RSRC1(RADEON_GFX, of->binary.config.rsrc1);
    rsrc1.VGPRS = MAX2(rsrc1.VGPRS, vgprs);
    entry->binary.config.rsrc1 = amd_pack_COMPUTE_PGM_RSRC1(RADEON_GFX, &rsrc1);
    if (pipeline->shader_count)
        entry->area = radeon_shader_of(pipeline->shaders[0])->area;
}

VkResult radeon_ray_pipeline_init(struct vk_device *base, struct vk_pipeline *vk_base,
                                  const VkAllocationCallbacks *allocator)
{
    struct radeon_device *device = radeon_device_of(base);
    const struct vk_ray_pipeline *pipeline = vk_ray_pipeline(vk_base);
    VkResult result = make_own_shaders(device);
    if (result != VK_SUCCESS)
        return result;
    struct radeon_ray_pipeline *baked =
        vk_zalloc(&base->alloc, allocator, sizeof(*baked), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!baked)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const struct radeon_shader *traversal = device->traces.traversal;
    const uint32_t vgprs = most_vgprs(pipeline, traversal);
    for (unsigned i = 0; i < RADEON_ENTRIES; i++)
        fill_entry(&baked->entries[i], device->traces.entries[i], vgprs, pipeline);
    /* One frame of the traversal for each ray that is on its way. */
    baked->stack_B = baked->entries[0].binary.config.scratch_size_B +
                     MAX2(pipeline->max_depth, 1u) * traversal->binary.config.scratch_size_B;
    vk_base->driver_data = baked;
    return VK_SUCCESS;
}

void radeon_ray_pipeline_finish(struct vk_device *device, struct vk_pipeline *pipeline,
                                const VkAllocationCallbacks *allocator)
{
    vk_free(&device->alloc, allocator, pipeline->driver_data);
}

/* ---- what applications ask for ---- */

uint32_t radeon_ray_stack_B(const struct vk_shader *shader)
{
    return ((const struct radeon_shader *)shader)->binary.config.scratch_size_B;
}

static uint64_t code_of(struct vk_shader *shader)
{
    return shader ? radeon_shader_of(shader)->va : 0;
}

void radeon_ray_handle(const struct vk_ray_group *group, uint8_t handle_out[VK_RAY_HANDLE_B])
{
    /* As trace_layout.h has it. The last word tells a group without shaders from no group. */
    const uint64_t words[] = {code_of(group->main), code_of(group->any_hit), code_of(group->intersection),
                              1 + (uint64_t)group->type};
    _Static_assert(sizeof(words) == VK_RAY_HANDLE_B, "a handle is four addresses");
    memcpy(handle_out, words, sizeof(words));
}
