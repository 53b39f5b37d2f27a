/* The parts that are put before and after a shader at draw time, for state that is dynamic: a vertex prolog loads
 * attributes into VGPRs and goes on to the shader; a fragment epilog takes colours from VGPRs and exports them. Neither
 * comes from the IR. See amd_prolog_key and amd_epilog_key in compiler.h. */
#include <string.h>

#include "amd/compiler/select.h"
#include "util/bits.h"

#define MAX_KEPT 256 /* user SGPRs and those before them, what the hardware gives, four VGPRs of each attribute */

/* Registers that pass through untouched: defined at the start, read at the end. */
struct kept {
    mir_temp temp[MAX_KEPT];
    mir_reg reg[MAX_KEPT];
    unsigned count;
};

static void keep_temp(struct kept *kept, mir_temp temp, mir_reg reg)
{
    kept->temp[kept->count] = temp;
    kept->reg[kept->count++] = reg;
}

/* To an address in a pair of SGPRs, with registers as they must be there. Everything that is under way must have
 * arrived: the other program does not know of it. */
static void jump(struct select *ctx, mir_temp pc, const struct kept *kept)
{
    amd_sel_logical_end(ctx);
    struct mir_instr *wait = amd_sel_instr(ctx, ISA_OP_S_WAITCNT, 0, 0);
    wait->imm = amd_isa_waitcnt_pack(ctx->program->gfx, (struct isa_waitcnt){0, 0, 0});
    struct mir_instr *set = amd_sel_instr(ctx, ISA_OP_S_SETPC_B64, 0, 1 + kept->count);
    set->operands[0] = mir_use(pc);
    for (unsigned i = 0; i < kept->count; i++)
        set->operands[1 + i] = mir_fixed(kept->temp[i], kept->reg[i]);
}

/* ---- prolog ---- */

static mir_temp register_of(const struct kept *kept, unsigned reg)
{
    for (unsigned i = 0; i < kept->count; i++) {
        if (kept->reg[i] == reg)
            return kept->temp[i];
    }
    return 0;
}

static void start_prolog(struct select *ctx, const struct amd_prolog_key *key, struct kept *kept)
{
    const struct amd_shader_config *main = key->main;
    bool legacy = main->hw_stage == AMD_HW_VS;
    bool hull = main->hw_stage == AMD_HW_HS;
    unsigned sgprs = main->num_start_sgprs, vgprs = amd_vertex_vgprs(main->hw_stage), first = legacy ? 0 : hull ? 2 : 5;
    struct mir_instr *start = ctx->start = amd_sel_instr(ctx, MIR_P_START, sgprs + vgprs, 0);
    for (unsigned i = 0; i < sgprs + vgprs; i++) {
        mir_reg reg = (mir_reg)(i < sgprs ? i : MIR_REG_V0 + i - sgprs);
        mir_temp temp = amd_sel_temp(ctx, i < sgprs ? MIR_S(1) : MIR_V(1));
        start->defs[i] = mir_fixed_result(temp, reg);
        keep_temp(kept, temp, reg);
    }
    ctx->arg[AMD_ARG_USER0 + AMD_USER_vertex_buffers] = register_of(kept, main->user[AMD_USER_prolog_inputs].first);
    ctx->arg[AMD_ARG_USER0 + AMD_USER_base_vertex] = register_of(kept, main->user[AMD_USER_base_vertex].first);
    ctx->arg[AMD_ARG_USER0 + AMD_USER_base_instance] = register_of(kept, main->user[AMD_USER_base_instance].first);
    ctx->arg[AMD_ARG_VERTEX_ID] = register_of(kept, MIR_REG_V0 + first);
    ctx->arg[AMD_ARG_INSTANCE_ID] = register_of(kept, MIR_REG_V0 + first + 3);
    if (!legacy)
        ctx->arg[AMD_ARG_NGG_WAVE] = register_of(kept, 3);
}

void amd_select_prolog(struct mir_program *program, const struct amd_compile_options *options,
                       const struct amd_prolog_key *key)
{
    static const struct amd_stage_options no_options;
    struct select select = {.program = program,
                            .b = {.program = program},
                            .options = options,
                            .stage = &no_options,
                            .wave64 = program->wave_size == 64},
                  *ctx = &select;
    const struct amd_shader_config *main = key->main;
    bool legacy = main->hw_stage == AMD_HW_VS;
    struct kept kept = {.count = 0};
    program->stage = IR_STAGE_vertex;
    amd_mir_new_block(program)->kind = MIR_BLOCK_TOP;
    start_prolog(ctx, key, &kept);
    if (!legacy)
        amd_sel_vertex_exec(ctx); /* the shader itself sets it again */
    amd_sel_logical_start(ctx);
    mir_temp pc = amd_sel_vector(ctx, false, 2,
                                 (mir_temp[]){register_of(&kept, main->user[AMD_USER_main_pc].first),
                                              register_of(&kept, main->user[AMD_USER_main_pc].first + 1u)});
    unsigned vgpr = MIR_REG_V0 + amd_vertex_vgprs(main->hw_stage);
    bits_foreach (main->attributes_used, location) {
        mir_temp channels[8];
        amd_sel_load_attribute(ctx, &key->attributes[location], 4, channels);
        for (unsigned i = 0; i < 4; i++)
            keep_temp(&kept, amd_sel_to_vgpr(ctx, channels[i]), (mir_reg)vgpr++);
    }
    jump(ctx, pc, &kept);
}

/* ---- epilog ---- */

void amd_sel_jump_to_epilog(struct select *ctx)
{
    struct kept kept = {.count = 0};
    unsigned vgpr = MIR_REG_V0;
    for (unsigned slot = 0; slot < AMD_MAX_TARGETS + 1; slot++) {
        mir_temp channels[4];
        if (!amd_sel_output_color(ctx, slot, channels))
            continue;
        ctx->config->epilog_targets |= (uint16_t)(1u << slot);
        for (unsigned i = 0; i < 4; i++)
            keep_temp(&kept, amd_sel_to_vgpr(ctx, channels[i]), (mir_reg)vgpr++);
    }
    jump(ctx, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_epilog_pc), &kept);
}

void amd_select_epilog(struct mir_program *program, const struct amd_compile_options *options,
                       const struct amd_epilog_key *key, struct amd_shader_config *config)
{
    struct amd_stage_options stage = {.fs = key->fs};
    struct select select = {.program = program,
                            .b = {.program = program},
                            .options = options,
                            .stage = &stage,
                            .config = config,
                            .wave64 = program->wave_size == 64};
    struct select *ctx = &select;
    unsigned count = 4u * (unsigned)__builtin_popcount(key->targets), at = 0;
    program->stage = IR_STAGE_fragment;
    amd_mir_new_block(program)->kind = MIR_BLOCK_TOP;
    struct mir_instr *start = ctx->start = amd_sel_instr(ctx, MIR_P_START, count, 0);
    amd_sel_logical_start(ctx);
    amd_sel_outputs_begin(ctx);
    bits_foreach (key->targets, slot) {
        mir_temp channels[4];
        for (unsigned i = 0; i < 4; i++, at++) {
            channels[i] = amd_sel_temp(ctx, MIR_V(1));
            start->defs[at] = mir_fixed_result(channels[i], (mir_reg)(MIR_REG_V0 + at));
        }
        amd_sel_set_color(ctx, (unsigned)slot, channels);
    }
    amd_sel_export_colors(ctx, key->exports_depth);
    amd_sel_end_program(ctx);
}
