/* Pseudo instructions to instructions, on registers: copies, vectors, splits, spills, the address of constant data.
 * Branches are lower_branch.c's. */
#include <string.h>

#include "amd/compiler/lower.h"
#include "util/bits.h"

static void lower_copies(struct mir_builder *builder, const struct mir_instr *instr)
{
    struct copies moves;
    moves.count = 0;
    unsigned offset = 0;
    switch (instr->op) {
    case MIR_P_COPY:
        for (unsigned i = 0; i < instr->num_defs; i++) {
            for (unsigned j = 0; j < instr->defs[i].dwords; j++)
                amd_lower_add_move(builder->program, &moves, (mir_reg)(instr->defs[i].reg + j), &instr->operands[i], j);
        }
        break;
    case MIR_P_VECTOR:
        for (unsigned i = 0; i < instr->num_operands; i++) {
            for (unsigned j = 0; j < instr->operands[i].dwords; j++)
                amd_lower_add_move(builder->program, &moves, (mir_reg)(instr->defs[0].reg + offset++),
                                   &instr->operands[i], j);
        }
        break;
    case MIR_P_SPLIT:
        for (unsigned i = 0; i < instr->num_defs; i++) {
            for (unsigned j = 0; j < instr->defs[i].dwords; j++, offset++) {
                if (!instr->defs[i].dead)
                    amd_lower_add_move(builder->program, &moves, (mir_reg)(instr->defs[i].reg + j), &instr->operands[0],
                                       offset);
            }
        }
        break;
    default: /* MIR_P_EXTRACT */
        for (unsigned j = 0; j < instr->defs[0].dwords; j++)
            amd_lower_add_move(builder->program, &moves, (mir_reg)(instr->defs[0].reg + j), &instr->operands[0],
                               instr->imm + j);
    }
    /* Allocation wants it done in more lanes (allocate_regs.c): the mask, and where exec waits. */
    bool wide = instr->op == MIR_P_COPY && instr->imm;
    unsigned dwords = builder->program->lane_mask.dwords, op = dwords == 2 ? ISA_OP_S_MOV_B64 : ISA_OP_S_MOV_B32;
    mir_reg lanes = (mir_reg)((instr->imm & 0xffff) - 1), waits = (mir_reg)(instr->imm >> 16);
    if (wide) {
        amd_lower_build2(builder, op, waits, dwords, mir_reg_use(MIR_REG_EXEC, dwords), (struct mir_operand){0});
        amd_lower_build2(builder, op, MIR_REG_EXEC, dwords, mir_reg_use(lanes, dwords), (struct mir_operand){0});
    }
    amd_lower_emit_moves(builder, &moves, (mir_reg)instr->imm2);
    if (wide)
        amd_lower_build2(builder, op, MIR_REG_EXEC, dwords, mir_reg_use(waits, dwords), (struct mir_operand){0});
}

/* s_getpc gives the address after itself; the emitter knows how far the constants are from there. */
static void lower_const_addr(struct mir_builder *builder, const struct mir_instr *instr)
{
    mir_reg low = instr->defs[0].reg, high = (mir_reg)(low + 1);
    struct mir_instr *pc = amd_mir_new_instr(builder, ISA_OP_S_GETPC_B64, 1, 0);
    pc->defs[0] = (struct mir_def){.reg = low, .fixed = true, .dwords = 2};
    struct mir_instr *add =
        amd_lower_build2(builder, ISA_OP_S_ADD_U32, low, 1, mir_reg_use(low, 1), mir_const(MIR_ANY_LITERAL));
    add->imm = instr->imm;
    add->pass_flags = MIR_FLAG_CONST_ADDR;
    amd_lower_build2(builder, ISA_OP_S_ADDC_U32, high, 1, mir_reg_use(high, 1), mir_const(0));
}

/* ---- spills ---- */

static void lower_sgpr_spill(struct mir_builder *builder, const struct mir_instr *instr)
{
    struct mir_program *program = builder->program;
    bool store = instr->op == MIR_P_SPILL;
    mir_reg reg = store ? instr->operands[0].reg : instr->defs[0].reg;
    unsigned dwords = store ? instr->operands[0].dwords : instr->defs[0].dwords;
    for (unsigned i = 0; i < dwords; i++) {
        unsigned slot = instr->imm + i;
        unsigned first = program->call_vgprs ? 1u : (unsigned)program->num_vgprs - program->linear_vgprs;
        mir_reg vgpr = (mir_reg)(MIR_REG_V0 + first + slot / program->wave_size);
        struct mir_operand lane = mir_const(slot % program->wave_size);
        mir_reg scalar = (mir_reg)(reg + i);
        if (store) {
            struct mir_instr *write = amd_mir_new_instr(builder, ISA_OP_V_WRITELANE_B32, 1, 3);
            write->defs[0] = (struct mir_def){.reg = vgpr, .fixed = true, .dwords = 1};
            write->operands[0] = mir_reg_use(scalar, 1);
            write->operands[1] = lane;
            write->operands[2] = mir_reg_use(vgpr, 1);
        } else {
            amd_lower_build2(builder, ISA_OP_V_READLANE_B32, scalar, 1, mir_reg_use(vgpr, 1), lane);
        }
    }
}

#define MAX_BUFFER_OFFSET_B 4095

/* Private memory: operand 1 is the descriptor, operand 2 the wave's offset. The offset field reaches 4 KiB. */
static void lower_vgpr_spill(struct mir_builder *builder, const struct mir_instr *instr)
{
    bool store = instr->op == MIR_P_SPILL;
    unsigned base = store ? 1 : 0;
    unsigned dwords = store ? instr->operands[0].dwords : instr->defs[0].dwords;
    mir_reg reg = store ? instr->operands[0].reg : instr->defs[0].reg;
    for (unsigned i = 0; i < dwords; i++) {
        uint32_t offset_B = (instr->imm + i) * 4;
        if (offset_B > MAX_BUFFER_OFFSET_B)
            amd_mir_fail(builder->program,
                         "more private memory is needed for spilled VGPRs than an instruction reaches");
        struct mir_instr *access = amd_mir_new_instr(
            builder, store ? ISA_OP_BUFFER_STORE_DWORD : ISA_OP_BUFFER_LOAD_DWORD, !store, store ? 4 : 3);
        unsigned at = 0;
        if (store)
            access->operands[at++] = mir_reg_use((mir_reg)(reg + i), 1);
        else
            access->defs[0] = (struct mir_def){.reg = (mir_reg)(reg + i), .fixed = true, .dwords = 1};
        access->operands[at++] = (struct mir_operand){0};
        access->operands[at++] = instr->operands[base];
        access->operands[at++] = instr->operands[base + 1];
        access->mem.offset = (int32_t)offset_B;
        access->sync = MIR_SYNC_SCRATCH;
    }
}

static void lower_spill(struct mir_builder *builder, const struct mir_instr *instr)
{
    mir_reg reg = instr->op == MIR_P_SPILL ? instr->operands[0].reg : instr->defs[0].reg;
    if (reg >= MIR_REG_V0)
        lower_vgpr_spill(builder, instr);
    else
        lower_sgpr_spill(builder, instr);
}

static void lower_instr(struct mir_builder *builder, struct mir_instr *instr)
{
    switch (instr->op) {
    case MIR_P_COPY:
    case MIR_P_VECTOR:
    case MIR_P_SPLIT:
    case MIR_P_EXTRACT:
        lower_copies(builder, instr);
        break;
    case MIR_P_CONST_ADDR:
        lower_const_addr(builder, instr);
        break;
    case MIR_P_NEXT_FRAME:
        amd_lower_next_frame(builder, instr);
        break;
    case MIR_P_CALL:
        amd_lower_call(builder, instr);
        break;
    case MIR_P_SPILL:
    case MIR_P_RELOAD:
        lower_spill(builder, instr);
        break;
    case MIR_P_BRANCH:
    case MIR_P_CBRANCH:
    case MIR_P_BARRIER:
        return; /* stay: lower_branch.c, waits.c */
    default:
        break;
    }
    list_remove(&instr->link);
}

void amd_mir_lower(struct mir_program *program)
{
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (!mir_is_pseudo(instr))
                continue;
            struct mir_builder builder = {program, block, &instr->link};
            lower_instr(&builder, instr);
        }
    }
    amd_lower_branches(program);
    amd_lower_shorten(program);
}
