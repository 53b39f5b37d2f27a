/* Programs of the stages of a pipeline: registers that each of them has of its own, and their constants. What lies
 * between two stages is in stage_outputs.c. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/graphics.h"
#include "adreno/hw/regs_sp.h"
#include "util/bits.h"

#define INSTRUCTIONS_B 128 /* what *_INSTR_SIZE and loads of programs count in */

/* The fields of these registers are the same in all stages but for those of *_CNTL_0. */
static const struct stage_regs {
    uint32_t config, const_config, instr_size, counter_offset, stack_offset;
    enum adreno_STATE_BLOCK block;
} regs_of[ADRENO_STAGES] = {
#define STAGE_REGS(s)                                                                                                  \
    {                                                                                                                  \
        ADRENO_REG_SP_##s##_CONFIG, ADRENO_REG_SP_##s##_CONST_CONFIG, ADRENO_REG_SP_##s##_INSTR_SIZE,                  \
            ADRENO_REG_SP_##s##_PROGRAM_COUNTER_OFFSET, ADRENO_REG_SP_##s##_PVT_MEM_STACK_OFFSET,                      \
            ADRENO_STATE_BLOCK_##s##_SHADER                                                                            \
    }
#define ADRENO_STATE_BLOCK_PS_SHADER ADRENO_STATE_BLOCK_FS_SHADER
    [ADRENO_STAGE_VERTEX] = STAGE_REGS(VS),     [ADRENO_STAGE_CONTROL] = STAGE_REGS(HS),
    [ADRENO_STAGE_EVALUATION] = STAGE_REGS(DS), [ADRENO_STAGE_GEOMETRY] = STAGE_REGS(GS),
    [ADRENO_STAGE_FRAGMENT] = STAGE_REGS(PS),
};

/* Fragments have a packet of their own, of the same form. */
static void load_state(struct adreno_cs *cs, enum adreno_stage stage, const struct adreno_pkt_CP_LOAD_STATE6_GEOM *load)
{
    uint32_t *header = cs->dw;
    cs->dw += adreno_pack_pkt_CP_LOAD_STATE6_GEOM(cs->dw, load);
    if (stage == ADRENO_STAGE_FRAGMENT)
        *header = adreno_pkt7_header(ADRENO_PKT_CP_LOAD_STATE6_FRAG, (uint32_t)(cs->dw - header) + load->tail_dw);
}

void adreno_load_constants(struct adreno_cs *cs, enum adreno_stage stage, uint32_t first, const void *words,
                           uint32_t count_dw)
{
    load_state(cs, stage,
               &(const struct adreno_pkt_CP_LOAD_STATE6_GEOM){.DST_OFF = first,
                                                              .STATE_TYPE = ADRENO_STATE_TYPE_CONSTANTS,
                                                              .STATE_SRC = ADRENO_STATE_SRC_DIRECT,
                                                              .STATE_BLOCK = regs_of[stage].block,
                                                              .NUM_UNIT = count_dw / 4,
                                                              .tail_dw = count_dw});
    adreno_emit_array(cs, words, count_dw);
}

static void load_own_constants(struct adreno_cs *cs, enum adreno_stage stage, const struct adreno_shader *shader)
{
    const struct adreno_shader_config *config = &shader->binary.config;
    const uint64_t data = shader->va + shader->binary.code_size_B;
    if (shader->binary.num_immediates)
        adreno_load_constants(cs, stage, config->first_immediate, shader->binary.immediates,
                              shader->binary.num_immediates);
    if (config->param[ADRENO_PARAM_DATA] != ADRENO_CONST_UNUSED)
        adreno_load_constants(cs, stage, config->param[ADRENO_PARAM_DATA],
                              (const uint32_t[4]){(uint32_t)data, (uint32_t)(data >> 32)}, 4);
}

void adreno_emit_stage_configs(struct adreno_cs *cs, struct adreno_shader *const shaders[ADRENO_STAGES])
{
    ADRENO_REG(cs, SP_UPDATE_CNTL, .VS_STATE = true, .HS_STATE = true, .DS_STATE = true, .GS_STATE = true,
               .FS_STATE = true, .GFX_UAV = true);
    for (unsigned i = 0; i < ADRENO_STAGES; i++) {
        const bool is_on = shaders[i] != NULL;
        adreno_set_reg(cs, regs_of[i].config,
                       ADRENO_PACK(SP_VS_CONFIG, .BINDLESS_TEX = is_on, .BINDLESS_SAMP = is_on, .BINDLESS_UAV = is_on,
                                   .BINDLESS_UBO = is_on, .ENABLED = is_on));
        const uint32_t constants = is_on ? (uint32_t)align_u64(shaders[i]->binary.config.constants, 4) : 0;
        adreno_set_reg(cs, regs_of[i].const_config,
                       ADRENO_PACK(SP_VS_CONST_CONFIG, .CONSTLEN = constants, .ENABLED = is_on));
    }
}

static uint32_t lines_of(const struct adreno_shader *shader)
{
    return (uint32_t)div_round_up(shader->binary.code_size_B, INSTRUCTIONS_B);
}

enum adreno_THREADSIZE adreno_threadsize(const struct adreno_shader_config *config)
{
    return config->wave_size == 128 ? ADRENO_THREADSIZE_THREAD128 : ADRENO_THREADSIZE_THREAD64;
}

static void emit_cntl(struct adreno_cs *cs, enum adreno_stage stage, const struct adreno_shader_config *config)
{
    switch (stage) {
    case ADRENO_STAGE_VERTEX:
        ADRENO_REG(cs, SP_VS_CNTL_0, .FULLREGFOOTPRINT = config->full_registers, .BRANCHSTACK = config->branch_depth,
                   .MERGEDREGS = true);
        break;
    case ADRENO_STAGE_CONTROL:
        ADRENO_REG(cs, SP_HS_CNTL_0, .FULLREGFOOTPRINT = config->full_registers, .BRANCHSTACK = config->branch_depth);
        break;
    case ADRENO_STAGE_EVALUATION:
        ADRENO_REG(cs, SP_DS_CNTL_0, .FULLREGFOOTPRINT = config->full_registers, .BRANCHSTACK = config->branch_depth);
        break;
    case ADRENO_STAGE_GEOMETRY:
        ADRENO_REG(cs, SP_GS_CNTL_0, .FULLREGFOOTPRINT = config->full_registers, .BRANCHSTACK = config->branch_depth);
        break;
    default:
        ADRENO_REG(cs, SP_PS_CNTL_0, .FULLREGFOOTPRINT = config->full_registers, .BRANCHSTACK = config->branch_depth,
                   .THREADSIZE = adreno_threadsize(config), .VARYING = config->fs.has_varyings,
                   .LODPIXMASK = config->fs.reads_quads, .INOUTREGOVERLAP = true,
                   .PIXLODENABLE = config->fs.has_implicit_lod, .MERGEDREGS = true);
        break;
    }
}

void adreno_emit_stage(struct adreno_cs *cs, const struct adreno_chip *chip, enum adreno_stage stage,
                       const struct adreno_shader *shader)
{
    const struct adreno_private *private = &shader->private;
    const struct stage_regs *regs = &regs_of[stage];
    emit_cntl(cs, stage, &shader->binary.config);
    adreno_set_reg(cs, regs->instr_size, ADRENO_PACK(SP_VS_INSTR_SIZE, .VALUE = lines_of(shader)));
    adreno_set_regs(cs, regs->counter_offset, 7);
    adreno_emit(cs, 0);
    adreno_emit64(cs, shader->va);
    adreno_emit(cs, ADRENO_PACK(SP_VS_PVT_MEM_PARAM, .MEMSIZEPERITEM = private->size_B_of_fiber));
    adreno_emit64(cs, private->va);
    adreno_emit(cs, ADRENO_PACK(SP_VS_PVT_MEM_SIZE, .TOTALPVTMEMSIZE = private->size_B_of_sp));
    adreno_set_reg(cs, regs->stack_offset, ADRENO_PACK(SP_VS_PVT_MEM_STACK_OFFSET, .OFFSET = private->size_B_of_sp));
    load_state(
        cs, stage,
        &(const struct adreno_pkt_CP_LOAD_STATE6_GEOM){.STATE_TYPE = ADRENO_STATE_TYPE_SHADER,
                                                       .STATE_SRC = ADRENO_STATE_SRC_INDIRECT,
                                                       .STATE_BLOCK = regs->block,
                                                       .NUM_UNIT = MIN2(lines_of(shader), chip->instr_cache_size),
                                                       .EXT_SRC_ADDR = shader->va});
    load_own_constants(cs, stage, shader);
}
