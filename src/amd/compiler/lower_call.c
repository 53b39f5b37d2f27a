/* Calls of functions, on registers: what the call names goes to the frame and comes back, sp goes on to the callee's
 * frame and back. See function.h for what both sides rely on.
 *
 * Scalars are put into lanes of v0, as many as the wave has lanes, and v0 is stored whole: each frame has a dword of
 * every lane, active or not, and nobody else uses these. vcc is free around a call: exec waits in it. */
#include <string.h>

#include "amd/compiler/function.h"
#include "amd/compiler/lower.h"
#include "util/bits.h"

#define REGS 512
#define MAX_BUFFER_OFFSET_B 4095

/* Frames are counted in bytes of the wave. */
static uint32_t frame_B(const struct mir_program *program)
{
    return program->scratch_size_B * program->wave_size;
}

void amd_lower_next_frame(struct mir_builder *builder, const struct mir_instr *instr)
{
    amd_lower_build2(builder, ISA_OP_S_ADD_U32, instr->defs[0].reg, 1, instr->operands[0],
                     mir_const(frame_B(builder->program)));
}

/* The registers that a call names, but for those that no callee changes. */
struct saved {
    mir_reg scalars[MIR_REG_V0], vectors[REGS - MIR_REG_V0];
    unsigned num_scalars, num_vectors;
};

static void find_saved(const struct mir_instr *call, struct saved *saved)
{
    bool seen[REGS] = {false};
    saved->num_scalars = saved->num_vectors = 0;
    for (unsigned i = 1; i < call->num_operands; i++) {
        const struct mir_operand *operand = &call->operands[i];
        for (unsigned j = 0; operand->kind == MIR_REG && j < operand->dwords; j++) {
            unsigned reg = operand->reg + j;
            if (reg >= REGS || seen[reg] || (reg < 32 && AMD_FUNCTION_KEPT >> reg & 1))
                continue;
            seen[reg] = true;
            if (reg >= MIR_REG_V0)
                saved->vectors[saved->num_vectors++] = (mir_reg)reg;
            else
                saved->scalars[saved->num_scalars++] = (mir_reg)reg;
        }
    }
}

static void set_mask(struct mir_builder *builder, mir_reg to, struct mir_operand from)
{
    unsigned dwords = builder->program->lane_mask.dwords;
    amd_lower_build2(builder, dwords == 2 ? ISA_OP_S_MOV_B64 : ISA_OP_S_MOV_B32, to, dwords, from,
                     (struct mir_operand){0});
}

static void begin_whole_wave(struct mir_builder *builder)
{
    unsigned dwords = builder->program->lane_mask.dwords;
    set_mask(builder, MIR_REG_VCC, mir_reg_use(MIR_REG_EXEC, dwords));
    set_mask(builder, MIR_REG_EXEC, dwords == 2 ? mir_const64(UINT64_MAX) : mir_const(UINT32_MAX));
}

static void end_whole_wave(struct mir_builder *builder)
{
    set_mask(builder, MIR_REG_EXEC, mir_reg_use(MIR_REG_VCC, builder->program->lane_mask.dwords));
}

/* A VGPR to or from the frame's slot for it. */
static void access_slot(struct mir_builder *builder, bool store, mir_reg reg, uint32_t slot)
{
    uint32_t offset_B = slot * 4;
    mir_reg base = AMD_FUNCTION_SP;
    if (offset_B > MAX_BUFFER_OFFSET_B) {
        base = MIR_REG_M0; /* as free as vcc */
        amd_lower_build2(builder, ISA_OP_S_ADD_U32, base, 1, mir_reg_use(AMD_FUNCTION_SP, 1),
                         mir_const(offset_B * builder->program->wave_size));
        offset_B = 0;
    }
    struct mir_instr *access =
        amd_mir_new_instr(builder, store ? ISA_OP_BUFFER_STORE_DWORD : ISA_OP_BUFFER_LOAD_DWORD, !store, store ? 4 : 3);
    unsigned at = 0;
    if (store)
        access->operands[at++] = mir_reg_use(reg, 1);
    else
        access->defs[0] = (struct mir_def){.reg = reg, .fixed = true, .dwords = 1};
    access->operands[at++] = (struct mir_operand){0};
    access->operands[at++] = mir_reg_use(AMD_FUNCTION_SCRATCH, 4);
    access->operands[at++] = mir_reg_use(base, 1);
    access->mem.offset = (int32_t)offset_B;
    access->sync = MIR_SYNC_SCRATCH;
}

static void write_lane(struct mir_builder *builder, mir_reg from, unsigned lane)
{
    struct mir_instr *write = amd_mir_new_instr(builder, ISA_OP_V_WRITELANE_B32, 1, 3);
    write->defs[0] = (struct mir_def){.reg = MIR_REG_V0, .fixed = true, .dwords = 1};
    write->operands[0] = mir_reg_use(from, 1);
    write->operands[1] = mir_const(lane);
    write->operands[2] = mir_reg_use(MIR_REG_V0, 1);
}

/* The scalars through v0, then the VGPRs of spilled scalars, in all lanes. Gives the next slot. */
static uint32_t move_scalars(struct mir_builder *builder, bool store, const struct saved *saved)
{
    const struct mir_program *program = builder->program;
    const unsigned lanes = program->wave_size, count = saved->num_scalars;
    uint32_t slot = program->save_slot;
    if (!count && !program->linear_vgprs)
        return slot;
    begin_whole_wave(builder);
    for (unsigned first = 0; first < count; first += lanes, slot++) {
        unsigned here = MIN2(count - first, lanes);
        for (unsigned i = 0; store && i < here; i++)
            write_lane(builder, saved->scalars[first + i], i);
        access_slot(builder, store, MIR_REG_V0, slot);
        for (unsigned i = 0; !store && i < here; i++)
            amd_lower_build2(builder, ISA_OP_V_READLANE_B32, saved->scalars[first + i], 1, mir_reg_use(MIR_REG_V0, 1),
                             mir_const(i));
    }
    for (unsigned i = 0; i < program->linear_vgprs; i++, slot++)
        access_slot(builder, store, (mir_reg)(MIR_REG_V0 + 1 + i), slot);
    end_whole_wave(builder);
    return slot;
}

/* All that must survive, to the frame or back. Of vectors, the lanes that call are all that a callee touches. */
static void move_saved(struct mir_builder *builder, bool store, const struct saved *saved)
{
    uint32_t slot = move_scalars(builder, store, saved);
    for (unsigned i = 0; i < saved->num_vectors; i++)
        access_slot(builder, store, saved->vectors[i], slot + i);
}

static void set_float_mode(struct mir_builder *builder, uint32_t from, uint32_t to)
{
    if ((from ^ to) & 0xf)
        amd_mir_new_instr(builder, ISA_OP_S_ROUND_MODE, 0, 0)->imm = to & 0xf;
    if ((from ^ to) >> 4 & 0xf)
        amd_mir_new_instr(builder, ISA_OP_S_DENORM_MODE, 0, 0)->imm = to >> 4 & 0xf;
}

static void move_sp(struct mir_builder *builder, unsigned op)
{
    amd_lower_build2(builder, op, AMD_FUNCTION_SP, 1, mir_reg_use(AMD_FUNCTION_SP, 1),
                     mir_const(frame_B(builder->program)));
}

void amd_lower_call(struct mir_builder *builder, const struct mir_instr *call)
{
    const struct mir_program *program = builder->program;
    struct saved saved;
    find_saved(call, &saved);
    move_saved(builder, true, &saved);
    set_float_mode(builder, program->float_mode, program->caller_float_mode);
    move_sp(builder, ISA_OP_S_ADD_U32);
    struct mir_instr *swap = amd_mir_new_instr(builder, ISA_OP_S_SWAPPC_B64, 1, 1);
    swap->defs[0] = (struct mir_def){.reg = AMD_FUNCTION_RETURN, .fixed = true, .dwords = 2};
    swap->operands[0] = mir_reg_use(call->operands[0].reg, 2);
    move_sp(builder, ISA_OP_S_SUB_U32);
    set_float_mode(builder, program->caller_float_mode, program->float_mode);
    move_saved(builder, false, &saved);
}
