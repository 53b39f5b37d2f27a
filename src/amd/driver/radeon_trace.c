/* vkCmdTraceRays*: a launch is a dispatch of the device's kernel, which calls generation shaders
 * (radeon_trace_pipeline.c). It uses the registers of dispatches, which are written again for the next one of the
 * application's. */
#include "amd/driver/radeon_trace.h"

#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_hang.h"
#include "amd/hw/regs_compute.h"
#include "util/bits.h"

/* Where the tables and the size are: the command of vkCmdTraceRaysIndirect2KHR, which is how shaders read them. */
struct launch {
    uint64_t tables_va, size_va;
    uint32_t size[3]; /* where is_indirect is not set */
    bool is_indirect;
};

#define MAX_SCRATCH_B ((8u << 20) - 1024) /* a wave's, as TMPRING_SIZE can say it */

/* ---- state ---- */

VKAPI_ATTR void VKAPI_CALL radeon_CmdSetRayTracingPipelineStackSizeKHR(VkCommandBuffer handle, uint32_t stack_B)
{
    radeon_cmd_buffer_from_handle(handle)->rays.stack_B = stack_B;
}

static void reserve_stack(struct radeon_cmd_buffer *cmd, const struct radeon_ray_pipeline *baked)
{
    const struct vk_ray_pipeline *pipeline = cmd->rays.pipeline;
    const uint32_t lanes = baked->entries[0].binary.config.wave_size;
    const uint64_t lane_B =
        (uint64_t)baked->stack_B + (pipeline->has_dynamic_stack ? cmd->rays.stack_B : pipeline->stack_B);
    const uint64_t wave_B = MIN2(align_u64(lane_B * lanes, 1024), (uint64_t)MAX_SCRATCH_B);
    cmd->compute_scratch_B_per_wave = MAX2(cmd->compute_scratch_B_per_wave, (uint32_t)wave_B);
}

static void set_address(struct radeon_cs *cs, const struct radeon_shader *entry, enum amd_user_data which, uint64_t va)
{
    const struct amd_sgpr_place place = entry->binary.config.user[which];
    if (!place.count)
        return;
    radeon_cs_reserve(cs, 4);
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_USER_DATA + 4u * place.first, 2);
    radeon_emit(cs, (uint32_t)va);
    radeon_emit(cs, (uint32_t)(va >> 32));
}

static void before_launch(struct radeon_cmd_buffer *cmd, const struct radeon_shader *entry, const struct launch *launch)
{
    struct radeon_cs *cs = &cmd->cs;
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_RAYS];
    radeon_emit_due(cmd);
    vk_bindings_flush_push(&cmd->vk, bindings, &cmd->upload);
    radeon_emit_compute_shader(cs, entry);
    radeon_emit_user_data(cmd, cs, VK_BIND_RAYS, entry, AMD_REG_COMPUTE_USER_DATA, ~0u, true);
    set_address(cs, entry, AMD_USER_trace_tables, launch->tables_va);
    set_address(cs, entry, AMD_USER_trace_size, launch->size_va);
    set_address(cs, entry, AMD_USER_traversal, cmd->device->traces.traversal->va);
    cmd->compute_dirty = true;
    radeon_mark(cmd);
}

/* ---- launches ---- */

/* Sizes in memory are lanes, and the hardware leaves out the lanes of the last workgroups that are beyond them. */
static void dispatch_indirect(struct radeon_cmd_buffer *cmd, const struct radeon_shader *entry, uint64_t va)
{
    struct radeon_cs *cs = &cmd->cs;
    const bool is_wave32 = entry->binary.config.wave_size == 32;
    const struct amd_pkt_flags flags = {.predicate = !cmd->is_compute && radeon_is_predicated(cmd), .compute = true};
    radeon_cs_reserve(cs, 48);
    if (cmd->is_compute) {
        radeon_skip_unless_predicate(cmd, AMD_PKT_DISPATCH_INDIRECT_MEC_DW);
        RADEON_PACKET(cs, DISPATCH_INDIRECT_MEC, .flags = flags, .ADDR = va, .COMPUTE_SHADER_EN = true,
                      .FORCE_START_AT_000 = true, .ORDER_MODE = true, .USE_THREAD_DIMENSIONS = true,
                      .CS_W32_EN = is_wave32);
        return;
    }
    RADEON_PACKET(cs, SET_BASE, .flags = {.compute = true}, .BASE_INDEX = AMD_BASE_INDEX_INDIRECT, .ADDR = va);
    RADEON_PACKET(cs, DISPATCH_INDIRECT, .flags = flags, .DATA_OFFSET = 0, .COMPUTE_SHADER_EN = true,
                  .FORCE_START_AT_000 = true, .ORDER_MODE = true, .USE_THREAD_DIMENSIONS = true,
                  .CS_W32_EN = is_wave32);
}

static void dispatch_direct(struct radeon_cmd_buffer *cmd, const struct radeon_shader *entry, const uint32_t size[3])
{
    const uint16_t *group = entry->binary.config.workgroup_size;
    radeon_cs_reserve(&cmd->cs, 32);
    radeon_skip_unless_predicate(cmd, AMD_PKT_DISPATCH_DIRECT_DW);
    RADEON_PACKET(&cmd->cs, DISPATCH_DIRECT,
                  .flags = {.predicate = !cmd->is_compute && radeon_is_predicated(cmd), .compute = true},
                  .DIM_X = (uint32_t)div_round_up(size[0], group[0]),
                  .DIM_Y = (uint32_t)div_round_up(size[1], group[1]), .DIM_Z = size[2], .COMPUTE_SHADER_EN = true,
                  .FORCE_START_AT_000 = true, .ORDER_MODE = true, .CS_W32_EN = entry->binary.config.wave_size == 32);
}

static void launch_rays(struct radeon_cmd_buffer *cmd, const struct launch *launch)
{
    const struct radeon_ray_pipeline *baked = cmd->rays.pipeline->base.driver_data;
    const bool is_row = !launch->is_indirect && launch->size[1] == 1;
    const struct radeon_shader *entry = &baked->entries[is_row ? RADEON_ENTRY_ROW : RADEON_ENTRY_SQUARE];
    reserve_stack(cmd, baked);
    /* Shaders read, too, what an application has made visible to the command processor alone. */
    if (launch->is_indirect)
        cmd->due |= RADEON_FRESH_SCALAR | RADEON_FRESH_VECTOR;
    before_launch(cmd, entry, launch);
    if (launch->is_indirect)
        dispatch_indirect(cmd, entry, launch->size_va);
    else
        dispatch_direct(cmd, entry, launch->size);
}

/* False without memory. The size is after the tables. */
static bool upload_tables(struct radeon_cmd_buffer *cmd, const VkStridedDeviceAddressRegionKHR *const tables[4],
                          const uint32_t size[3], struct launch *launch)
{
    const VkTraceRaysIndirectCommand2KHR command = {
        .raygenShaderRecordAddress = tables[0]->deviceAddress,
        .raygenShaderRecordSize = tables[0]->size,
        .missShaderBindingTableAddress = tables[1]->deviceAddress,
        .missShaderBindingTableSize = tables[1]->size,
        .missShaderBindingTableStride = tables[1]->stride,
        .hitShaderBindingTableAddress = tables[2]->deviceAddress,
        .hitShaderBindingTableSize = tables[2]->size,
        .hitShaderBindingTableStride = tables[2]->stride,
        .callableShaderBindingTableAddress = tables[3]->deviceAddress,
        .callableShaderBindingTableSize = tables[3]->size,
        .callableShaderBindingTableStride = tables[3]->stride,
        .width = size[0],
        .height = size[1],
        .depth = size[2],
    };
    void *words = radeon_cmd_upload(cmd, sizeof(command), 16, &launch->tables_va);
    if (!words)
        return false;
    memcpy(words, &command, sizeof(command));
    launch->size_va = launch->tables_va + offsetof(VkTraceRaysIndirectCommand2KHR, width);
    return true;
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdTraceRaysKHR(VkCommandBuffer handle, const VkStridedDeviceAddressRegionKHR *raygen,
                                                  const VkStridedDeviceAddressRegionKHR *miss,
                                                  const VkStridedDeviceAddressRegionKHR *hit,
                                                  const VkStridedDeviceAddressRegionKHR *callable, uint32_t width,
                                                  uint32_t height, uint32_t depth)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct launch direct = {.size = {width, height, depth}};
    if (!width || !height || !depth)
        return;
    if (upload_tables(cmd, (const VkStridedDeviceAddressRegionKHR *const[4]){raygen, miss, hit, callable}, direct.size,
                      &direct))
        launch_rays(cmd, &direct);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdTraceRaysIndirectKHR(VkCommandBuffer handle,
                                                          const VkStridedDeviceAddressRegionKHR *raygen,
                                                          const VkStridedDeviceAddressRegionKHR *miss,
                                                          const VkStridedDeviceAddressRegionKHR *hit,
                                                          const VkStridedDeviceAddressRegionKHR *callable,
                                                          VkDeviceAddress address)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct launch indirect = {.is_indirect = true};
    if (!upload_tables(cmd, (const VkStridedDeviceAddressRegionKHR *const[4]){raygen, miss, hit, callable},
                       indirect.size, &indirect))
        return;
    indirect.size_va = address;
    launch_rays(cmd, &indirect);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdTraceRaysIndirect2KHR(VkCommandBuffer handle, VkDeviceAddress address)
{
    const struct launch indirect = {.tables_va = address,
                                    .size_va = address + offsetof(VkTraceRaysIndirectCommand2KHR, width),
                                    .is_indirect = true};
    launch_rays(radeon_cmd_buffer_from_handle(handle), &indirect);
}
