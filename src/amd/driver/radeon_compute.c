/* Dispatches, and the user SGPRs that all stages share: pointers to descriptor sets and push constants. */
#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_hang.h"
#include "amd/driver/radeon_memory.h"
#include "amd/hw/regs_compute.h"
#include "util/bits.h"

/* ---- user data ---- */

static void emit_sets(struct radeon_cmd_buffer *cmd, struct radeon_cs *cs, const struct vk_bindings *bindings,
                      const struct amd_shader_config *config, uint32_t sgpr0_reg, uint32_t sets)
{
    struct amd_sgpr_place table = config->user[AMD_USER_set_table];
    if (table.count) {
        uint64_t va;
        uint32_t *words = radeon_cmd_upload(cmd, RADEON_MAX_SETS * 4, 4, &va);
        if (!words)
            return;
        for (uint32_t i = 0; i < RADEON_MAX_SETS; i++)
            words[i] = bindings->valid >> i & 1 ? (uint32_t)bindings->set_va[i] : 0;
        radeon_cs_reserve(cs, 3);
        radeon_set_sh_reg(cs, sgpr0_reg + 4u * table.first, (uint32_t)va);
        return;
    }
    radeon_cs_reserve(cs, 3 * RADEON_MAX_SETS);
    bits_foreach (sets, set)
        radeon_set_sh_reg(cs, sgpr0_reg + 4u * config->sets[set].first, (uint32_t)bindings->set_va[set]);
}

/* The upload has room for all buffers that are bound, which may be fewer than the shader knows of. */
static void copy_ordered(uint8_t *to, const struct vk_bindings *bindings, const struct radeon_push_area *plan)
{
    for (uint32_t set = 0; set < plan->ordered_sets; set++) {
        const uint32_t from = bindings->first_dynamic[set];
        if (plan->count[set] && bindings->valid >> set & 1 && from + plan->count[set] <= bindings->num_dynamic &&
            (uint32_t)plan->first[set] + plan->count[set] <= bindings->num_dynamic)
            memcpy(to + plan->first[set] * RADEON_BUFFER_DESCRIPTOR_B,
                   bindings->dynamic + from * RADEON_BUFFER_DESCRIPTOR_B / 4,
                   plan->count[set] * RADEON_BUFFER_DESCRIPTOR_B);
    }
}

/* The push constants' words that have SGPRs of their own, and a pointer to the rest with the dynamic buffers after. */
static void emit_push(struct radeon_cmd_buffer *cmd, struct radeon_cs *cs, const struct vk_bindings *bindings,
                      const struct radeon_shader *shader, uint32_t sgpr0_reg)
{
    const struct amd_shader_config *config = &shader->binary.config;
    struct amd_sgpr_place words = config->user[AMD_USER_push_inline], pointer = config->user[AMD_USER_push];
    if (words.count) {
        radeon_cs_reserve(cs, 2 + words.count);
        radeon_set_sh_reg_seq(cs, sgpr0_reg + 4u * words.first, words.count);
        memcpy(cs->dw, cmd->push_constants + 4 * config->inline_push_first, 4u * words.count);
        cs->dw += words.count;
    }
    if (!pointer.count)
        return;
    uint64_t va;
    const struct radeon_push_area *plan = &shader->area;
    uint32_t dynamic_B = bindings->num_dynamic * RADEON_BUFFER_DESCRIPTOR_B;
    uint8_t *area = radeon_cmd_upload(cmd, plan->push_size_B + dynamic_B, 16, &va);
    if (!area)
        return;
    memcpy(area, cmd->push_constants, plan->push_size_B);
    if (plan->ordered_sets)
        copy_ordered(area + plan->push_size_B, bindings, plan);
    else
        memcpy(area + plan->push_size_B, bindings->dynamic, dynamic_B);
    radeon_cs_reserve(cs, 3);
    radeon_set_sh_reg(cs, sgpr0_reg + 4u * pointer.first, (uint32_t)va);
}

void radeon_emit_user_data(struct radeon_cmd_buffer *cmd, struct radeon_cs *cs, enum vk_bind_point point,
                           const struct radeon_shader *shader, uint32_t sgpr0_reg, uint32_t sets, bool push)
{
    const struct vk_bindings *bindings = &cmd->vk.rec->bindings[point];
    if (sets & shader->sets_used)
        emit_sets(cmd, cs, bindings, &shader->binary.config, sgpr0_reg, sets & shader->sets_used);
    if (push)
        emit_push(cmd, cs, bindings, shader, sgpr0_reg);
}

/* ---- the shader ---- */

void radeon_bind_compute_shader(struct radeon_cmd_buffer *cmd, const struct radeon_shader *shader)
{
    if (cmd->compute_shader == shader)
        return;
    cmd->compute_shader = shader;
    cmd->compute_dirty = true;
    cmd->compute_scratch_B_per_wave = MAX2(cmd->compute_scratch_B_per_wave, shader->scratch_B_per_wave);
}

void radeon_emit_compute_shader(struct radeon_cs *cs, const struct radeon_shader *shader)
{
    const struct amd_shader_config *config = &shader->binary.config;
    uint64_t program = shader->va >> 8;
    radeon_cs_reserve(cs, 32);
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_PGM_LO, 2);
    radeon_emit(cs, (uint32_t)program);
    radeon_emit(cs, (uint32_t)(program >> 32) & 0xff);
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_PGM_RSRC1, 2);
    radeon_emit(cs, config->rsrc1);
    radeon_emit(cs, config->rsrc2);
    radeon_set_sh_reg(cs, AMD_REG_COMPUTE_PGM_RSRC3, config->rsrc3);
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_NUM_THREAD_X, 3);
    for (int i = 0; i < 3; i++)
        radeon_emit(cs, config->workgroup_size[i]);
    /* Waves are spread over SIMDs in pairs of workgroups where a group is a single wave. */
    uint32_t lanes = (uint32_t)config->workgroup_size[0] * config->workgroup_size[1] * config->workgroup_size[2];
    uint32_t waves = (uint32_t)div_round_up(lanes, config->wave_size);
    radeon_set_sh_reg(cs, AMD_REG_COMPUTE_RESOURCE_LIMITS,
                      AMD_PACK(RADEON_GFX, COMPUTE_RESOURCE_LIMITS, .SIMD_DEST_CNTL = waves % 4 == 0));
}

static void before_dispatch(struct radeon_cmd_buffer *cmd)
{
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_COMPUTE];
    radeon_emit_due(cmd);
    uint32_t sets = bindings->dirty;
    bool push = cmd->push_dirty & VK_SHADER_STAGE_COMPUTE_BIT || bindings->dynamic_dirty;
    if (cmd->compute_dirty) {
        radeon_emit_compute_shader(&cmd->cs, cmd->compute_shader);
        sets = ~0u;
        push = true;
    }
    vk_bindings_flush_push(&cmd->vk, bindings, &cmd->upload);
    sets |= bindings->dirty;
    radeon_emit_user_data(cmd, &cmd->cs, VK_BIND_COMPUTE, cmd->compute_shader, AMD_REG_COMPUTE_USER_DATA, sets, push);
    cmd->compute_dirty = false;
    bindings->dirty = 0;
    bindings->dynamic_dirty = false;
    cmd->push_dirty &= ~(VkShaderStageFlags)VK_SHADER_STAGE_COMPUTE_BIT;
    radeon_mark(cmd);
}

/* ---- dispatches ---- */

void radeon_skip_unless_predicate(struct radeon_cmd_buffer *cmd, uint32_t count_dw)
{
    if (cmd->is_compute && radeon_is_predicated(cmd))
        RADEON_PACKET(&cmd->cs, COND_EXEC, .ADDR = cmd->predicate.va, .EXEC_COUNT = count_dw);
}

static void emit_group_counts(struct radeon_cmd_buffer *cmd, const uint32_t counts[3])
{
    struct amd_sgpr_place place = cmd->compute_shader->binary.config.user[AMD_USER_num_workgroups];
    if (!place.count)
        return;
    radeon_set_sh_reg_seq(&cmd->cs, AMD_REG_COMPUTE_USER_DATA + 4u * place.first, 3);
    radeon_emit_array(&cmd->cs, counts, 3);
}

static void emit_start(struct radeon_cs *cs, const uint32_t start[3])
{
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_START_X, 3);
    radeon_emit_array(cs, start, 3);
}

static void dispatch(struct radeon_cmd_buffer *cmd, const uint32_t base[3], const uint32_t counts[3])
{
    struct radeon_cs *cs = &cmd->cs;
    before_dispatch(cmd);
    radeon_cs_reserve(cs, 32);
    emit_group_counts(cmd, counts);
    /* Workgroups are numbered from START to DIM. */
    bool from_zero = !base[0] && !base[1] && !base[2];
    if (!from_zero)
        emit_start(cs, base);
    radeon_skip_unless_predicate(cmd, AMD_PKT_DISPATCH_DIRECT_DW);
    RADEON_PACKET(cs, DISPATCH_DIRECT,
                  .flags = {.predicate = !cmd->is_compute && radeon_is_predicated(cmd), .compute = true},
                  .DIM_X = base[0] + counts[0], .DIM_Y = base[1] + counts[1], .DIM_Z = base[2] + counts[2],
                  .COMPUTE_SHADER_EN = true, .FORCE_START_AT_000 = from_zero, .ORDER_MODE = true,
                  .CS_W32_EN = cmd->compute_shader->binary.config.wave_size == 32);
    if (!from_zero)
        emit_start(cs, (const uint32_t[3]){0});
}

void radeon_dispatch_internal(struct radeon_cmd_buffer *cmd, uint32_t x, uint32_t y, uint32_t z)
{
    dispatch(cmd, (const uint32_t[3]){0}, (const uint32_t[3]){x, y, z});
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdDispatchBase(VkCommandBuffer handle, uint32_t base_x, uint32_t base_y,
                                                  uint32_t base_z, uint32_t x, uint32_t y, uint32_t z)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    if (x && y && z)
        dispatch(cmd, (const uint32_t[3]){base_x, base_y, base_z}, (const uint32_t[3]){x, y, z});
}

/* The counts come from memory, for the shader by the command processor's copy. */
static void load_group_counts(struct radeon_cmd_buffer *cmd, uint64_t va)
{
    struct amd_sgpr_place place = cmd->compute_shader->binary.config.user[AMD_USER_num_workgroups];
    for (uint32_t i = 0; place.count && i < 3; i++)
        RADEON_PACKET(&cmd->cs, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_MEM, .DST_SEL = AMD_COPY_DST_REG,
                      .ENGINE = AMD_CP_ENGINE_ME, .SRC_ADDR = va + 4 * i,
                      .DST_REG = (AMD_REG_COMPUTE_USER_DATA >> 2) + place.first + i);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    uint64_t va = vk_buffer_from_handle(buffer)->va + offset_B;
    struct radeon_cs *cs = &cmd->cs;
    before_dispatch(cmd);
    radeon_cs_reserve(cs, 48);
    load_group_counts(cmd, va);
    bool is_wave32 = cmd->compute_shader->binary.config.wave_size == 32;
    struct amd_pkt_flags flags = {.predicate = !cmd->is_compute && radeon_is_predicated(cmd), .compute = true};
    if (cmd->is_compute) {
        radeon_skip_unless_predicate(cmd, AMD_PKT_DISPATCH_INDIRECT_MEC_DW);
        RADEON_PACKET(cs, DISPATCH_INDIRECT_MEC, .flags = flags, .ADDR = va, .COMPUTE_SHADER_EN = true,
                      .FORCE_START_AT_000 = true, .ORDER_MODE = true, .CS_W32_EN = is_wave32);
        return;
    }
    RADEON_PACKET(cs, SET_BASE, .flags = {.compute = true}, .BASE_INDEX = AMD_BASE_INDEX_INDIRECT, .ADDR = va);
    RADEON_PACKET(cs, DISPATCH_INDIRECT, .flags = flags, .DATA_OFFSET = 0, .COMPUTE_SHADER_EN = true,
                  .FORCE_START_AT_000 = true, .ORDER_MODE = true, .CS_W32_EN = is_wave32);
}
