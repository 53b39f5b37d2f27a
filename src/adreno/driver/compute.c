/* Dispatches: the shader's registers, its constants, descriptor sets, and the packets that start it. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/driver/hang.h"
#include "adreno/driver/memory.h"
#include "adreno/hw/regs_hlsq.h"
#include "adreno/hw/regs_sp.h"
#include "util/bits.h"

enum {
    INSTRUCTIONS_B = 128, /* what SP_CS_INSTR_SIZE and loads of programs count in */
};

/* ---- constants ---- */

/* `count_dw` is a multiple of 4; `first` counts in vec4. */
static void load_constants(struct adreno_cs *cs, uint32_t first, const void *words, uint32_t count_dw)
{
    adreno_cs_reserve(cs, ADRENO_PKT_CP_LOAD_STATE6_FRAG_DW + count_dw);
    ADRENO_PACKET(cs, CP_LOAD_STATE6_FRAG, .DST_OFF = first, .STATE_TYPE = ADRENO_STATE_TYPE_CONSTANTS,
                  .STATE_SRC = ADRENO_STATE_SRC_DIRECT, .STATE_BLOCK = ADRENO_STATE_BLOCK_CS_SHADER,
                  .NUM_UNIT = count_dw / 4, .tail_dw = count_dw);
    adreno_emit_array(cs, words, count_dw);
}

static void load_param(struct adreno_cmd_buffer *cmd, enum adreno_param param, const uint32_t words[4])
{
    const uint16_t at = cmd->compute_shader->binary.config.param[param];
    if (at != ADRENO_CONST_UNUSED)
        load_constants(&cmd->cs, at, words, 4);
}

static void load_push(struct adreno_cmd_buffer *cmd)
{
    const struct adreno_shader_config *config = &cmd->compute_shader->binary.config;
    if (config->push_size)
        load_constants(&cmd->cs, config->first_push, cmd->push_constants, 4u * config->push_size);
}

/* ---- the shader ---- */

void adreno_bind_compute_shader(struct adreno_cmd_buffer *cmd, const struct adreno_shader *shader)
{
    if (cmd->compute_shader == shader)
        return;
    cmd->compute_shader = shader;
    cmd->compute_dirty = true;
}

static enum adreno_THREADSIZE threads(const struct adreno_shader_config *config)
{
    return config->wave_size == 128 ? ADRENO_THREADSIZE_THREAD128 : ADRENO_THREADSIZE_THREAD64;
}

static enum adreno_CONST_RAM_MODE constant_ram(uint32_t vec4)
{
    return vec4 > 256   ? ADRENO_CONST_RAM_MODE_512
           : vec4 > 192 ? ADRENO_CONST_RAM_MODE_256
           : vec4 > 128 ? ADRENO_CONST_RAM_MODE_192
                        : ADRENO_CONST_RAM_MODE_128;
}

static void emit_program(struct adreno_cs *cs, const struct adreno_chip *chip, const struct adreno_shader *shader)
{
    const struct adreno_private *private = &shader->private;
    const uint32_t lines = (uint32_t)div_round_up(shader->binary.code_size_B, INSTRUCTIONS_B);
    ADRENO_REG(cs, SP_CS_INSTR_SIZE, .VALUE = lines);
    adreno_set_regs(cs, ADRENO_REG_SP_CS_PROGRAM_COUNTER_OFFSET, 7);
    adreno_emit(cs, 0);
    adreno_emit64(cs, shader->va);
    adreno_emit(cs, ADRENO_PACK(SP_CS_PVT_MEM_PARAM, .MEMSIZEPERITEM = private->size_B_of_fiber));
    adreno_emit64(cs, private->va);
    adreno_emit(cs, ADRENO_PACK(SP_CS_PVT_MEM_SIZE, .TOTALPVTMEMSIZE = private->size_B_of_sp));
    ADRENO_REG(cs, SP_CS_PVT_MEM_STACK_OFFSET, .OFFSET = private->size_B_of_sp);
    ADRENO_PACKET(cs, CP_LOAD_STATE6_FRAG, .STATE_TYPE = ADRENO_STATE_TYPE_SHADER,
                  .STATE_SRC = ADRENO_STATE_SRC_INDIRECT, .STATE_BLOCK = ADRENO_STATE_BLOCK_CS_SHADER,
                  .NUM_UNIT = MIN2(lines, chip->instr_cache_size), .EXT_SRC_ADDR = shader->va);
}

static void emit_ids(struct adreno_cs *cs, const struct adreno_chip *chip, const struct adreno_shader_config *config)
{
    const uint32_t ids = ADRENO_PACK(SP_CS_CONST_CONFIG_0, .WGIDCONSTID = config->cs.workgroup_id_reg,
                                     .WGSIZECONSTID = ADRENO_REG_UNUSED, .WGOFFSETCONSTID = ADRENO_REG_UNUSED,
                                     .LOCALIDREGID = config->cs.local_id_reg);
    const uint32_t linear =
        ADRENO_PACK(SP_CS_WGE_CNTL, .LINEARLOCALIDREGID = ADRENO_REG_UNUSED, .THREADSIZE = threads(config));
    adreno_set_regs(cs, ADRENO_REG_SP_CS_CONST_CONFIG_0, 2);
    adreno_emit(cs, ids);
    adreno_emit(cs, linear);
    if (chip->has_lpac) { /* its second compute pipe has registers of its own */
        adreno_set_regs(cs, ADRENO_REG_SP_CS_WIE_CNTL_0, 2);
        adreno_emit(cs, ids);
        adreno_emit(cs, linear);
    }
}

static void emit_shader(struct adreno_cmd_buffer *cmd, const struct adreno_shader *shader)
{
    const struct adreno_chip *chip = cmd->device->chip;
    const struct adreno_shader_config *config = &shader->binary.config;
    struct adreno_cs *cs = &cmd->cs;
    adreno_cs_reserve(cs, 64);
    ADRENO_REG(cs, SP_UPDATE_CNTL, .CS_STATE = true, .CS_UAV = true);
    ADRENO_REG(cs, SP_CS_CONFIG, .BINDLESS_TEX = true, .BINDLESS_SAMP = true, .BINDLESS_UAV = true,
               .BINDLESS_UBO = true, .ENABLED = true);
    ADRENO_REG(cs, SP_CS_CONST_CONFIG, .CONSTLEN = (uint32_t)align_u64(config->constants, 4), .ENABLED = true);
    ADRENO_REG(cs, SP_CS_CNTL_0, .THREADSIZE = threads(config), .FULLREGFOOTPRINT = config->full_registers,
               .BRANCHSTACK = config->branch_depth, .MERGEDREGS = true);
    emit_program(cs, chip, shader);
    const uint32_t shared = MAX2((uint32_t)div_round_up(config->local_size_B, 1024), 2u) - 1;
    ADRENO_REG(cs, SP_CS_CNTL_1, .SHARED_SIZE = shared, .CONSTANTRAMMODE = constant_ram(config->constants));
    if (chip->has_lpac)
        ADRENO_REG(cs, HLSQ_CS_CTRL_REG1, .SHARED_SIZE = shared, .CONSTANTRAMMODE = constant_ram(config->constants));
    emit_ids(cs, chip, config);
    if (shader->binary.num_immediates)
        load_constants(cs, config->first_immediate, shader->binary.immediates, shader->binary.num_immediates);
    const uint64_t data = shader->va + shader->binary.code_size_B;
    load_param(cmd, ADRENO_PARAM_DATA, (const uint32_t[4]){(uint32_t)data, (uint32_t)(data >> 32)});
}

/* ---- descriptor sets ---- */

static void emit_base(struct adreno_cs *cs, uint32_t number, uint64_t va)
{
    const uint64_t value =
        ADRENO_PACK(SP_CS_BINDLESS_BASE_DESCRIPTOR, .DESC_SIZE = ADRENO_BINDLESS_DESCRIPTOR_SIZE_64B, .ADDR = va);
    adreno_set_reg64(cs, ADRENO_REG_SP_CS_BINDLESS_BASE_DESCRIPTOR + 2 * number, value);
    adreno_set_reg64(cs, ADRENO_REG_HLSQ_CS_BINDLESS_BASE + 2 * number, value);
}

/* Descriptors that a shader fetched of a set before are not looked at any more. */
static void emit_sets(struct adreno_cmd_buffer *cmd, struct vk_bindings *bindings)
{
    struct adreno_cs *cs = &cmd->cs;
    uint32_t dirty = bindings->dirty & ((1u << ADRENO_API_SETS) - 1);
    adreno_cs_reserve(cs, 6 * ADRENO_MAX_SETS + 2);
    bits_foreach (dirty, set)
        emit_base(cs, set, bindings->set_va[set]);
    if (bindings->dynamic_dirty) {
        uint64_t va;
        void *map = adreno_cmd_upload(cmd, bindings->num_dynamic * ADRENO_DESCRIPTOR_B, ADRENO_DESCRIPTOR_B, &va);
        if (map) {
            memcpy(map, bindings->dynamic, bindings->num_dynamic * ADRENO_DESCRIPTOR_B);
            emit_base(cs, ADRENO_DYNAMIC_SET, va);
            dirty |= 1u << ADRENO_DYNAMIC_SET;
        }
    }
    if (dirty)
        ADRENO_REG(cs, SP_UPDATE_CNTL, .CS_BINDLESS = dirty);
    bindings->dirty = 0;
    bindings->dynamic_dirty = false;
}

/* ---- dispatches ---- */

/* Everything that a dispatch needs but for its size. */
static void adreno_before_dispatch(struct adreno_cmd_buffer *cmd)
{
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_COMPUTE];
    adreno_emit_due(cmd, &cmd->cs);
    if (cmd->compute_dirty)
        emit_shader(cmd, cmd->compute_shader);
    if (cmd->compute_dirty || cmd->push_dirty & VK_SHADER_STAGE_COMPUTE_BIT)
        load_push(cmd);
    vk_bindings_flush_push(&cmd->vk, bindings, &cmd->upload);
    emit_sets(cmd, bindings);
    cmd->compute_dirty = false;
    cmd->push_dirty &= ~(VkShaderStageFlags)VK_SHADER_STAGE_COMPUTE_BIT;
    adreno_mark(cmd, &cmd->cs);
}

/* The sizes in work-items are for the chip's own bookkeeping: with indirect counts they are not known. */
static void emit_range(struct adreno_cs *cs, const struct adreno_shader_config *config, const uint32_t counts[3])
{
    const uint16_t *size = config->cs.workgroup_size;
    ADRENO_PACKET(cs, CP_SET_MARKER, .MODE = ADRENO_MARKER_COMPUTE);
    adreno_set_regs(cs, ADRENO_REG_SP_CS_NDRANGE_0, 7);
    adreno_emit(cs, ADRENO_PACK(SP_CS_NDRANGE_0, .KERNELDIM = 3, .LOCALSIZEX = size[0] - 1u, .LOCALSIZEY = size[1] - 1u,
                                .LOCALSIZEZ = size[2] - 1u));
    for (unsigned i = 0; i < 3; i++) {
        adreno_emit(cs, counts ? counts[i] * size[i] : 0);
        adreno_emit(cs, 0); /* the offset: shaders add their base themselves */
    }
}

void adreno_dispatch(struct adreno_cmd_buffer *cmd, const uint32_t base[3], const uint32_t counts[3])
{
    struct adreno_cs *cs = &cmd->cs;
    adreno_before_dispatch(cmd);
    load_param(cmd, ADRENO_PARAM_WORKGROUPS, (const uint32_t[4]){counts[0], counts[1], counts[2]});
    load_param(cmd, ADRENO_PARAM_WORKGROUP_BASE, (const uint32_t[4]){base[0], base[1], base[2]});
    adreno_cs_reserve(cs, 32);
    emit_range(cs, &cmd->compute_shader->binary.config, counts);
    ADRENO_PACKET(cs, CP_EXEC_CS, .NGROUPS_X = counts[0], .NGROUPS_Y = counts[1], .NGROUPS_Z = counts[2]);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdDispatchBase(VkCommandBuffer handle, uint32_t base_x, uint32_t base_y,
                                                  uint32_t base_z, uint32_t x, uint32_t y, uint32_t z)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    if (x && y && z)
        adreno_dispatch(cmd, (const uint32_t[3]){base_x, base_y, base_z}, (const uint32_t[3]){x, y, z});
}

/* Constants are loaded in units of 16 bytes from addresses of 16 bytes: the counts go there first. The command
 * processor writes to memory, from which UCHE, which reads, must not have anything. */
static void load_indirect_counts(struct adreno_cmd_buffer *cmd, uint64_t va)
{
    struct adreno_cs *cs = &cmd->cs;
    const uint16_t at = cmd->compute_shader->binary.config.param[ADRENO_PARAM_WORKGROUPS];
    uint64_t copy_va;
    if (at == ADRENO_CONST_UNUSED || !adreno_cmd_upload(cmd, 16, 16, &copy_va))
        return;
    adreno_cs_reserve(cs, 3 * ADRENO_COPY_DW + ADRENO_ORDER_DW + ADRENO_PKT_CP_LOAD_STATE6_FRAG_DW);
    for (uint32_t i = 0; i < 3; i++)
        adreno_emit_copy(cs, copy_va + 4 * i, va + 4 * i, false);
    adreno_emit_order(cs, ADRENO_CLEAN_CP | ADRENO_DROP_UCHE, 0);
    ADRENO_PACKET(cs, CP_LOAD_STATE6_FRAG, .DST_OFF = at, .STATE_TYPE = ADRENO_STATE_TYPE_CONSTANTS,
                  .STATE_SRC = ADRENO_STATE_SRC_INDIRECT, .STATE_BLOCK = ADRENO_STATE_BLOCK_CS_SHADER, .NUM_UNIT = 1,
                  .EXT_SRC_ADDR = copy_va);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const uint64_t va = vk_buffer_from_handle(buffer)->va + offset_B;
    struct adreno_cs *cs = &cmd->cs;
    adreno_before_dispatch(cmd);
    load_indirect_counts(cmd, va);
    load_param(cmd, ADRENO_PARAM_WORKGROUP_BASE, (const uint32_t[4]){0});
    adreno_cs_reserve(cs, 32);
    const struct adreno_shader_config *config = &cmd->compute_shader->binary.config;
    emit_range(cs, config, NULL);
    ADRENO_PACKET(cs, CP_EXEC_CS_INDIRECT, .ADDR = va, .LOCALSIZEX = config->cs.workgroup_size[0] - 1u,
                  .LOCALSIZEY = config->cs.workgroup_size[1] - 1u, .LOCALSIZEZ = config->cs.workgroup_size[2] - 1u);
}
