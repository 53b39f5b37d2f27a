/* Writes of exec that nothing reads, on allocated machine IR. Selection computes exec for each path that lanes take, so
 * that allocation may put copies there; where it did not, the write before the next one is of no use. Runs between
 * amd_mir_allocate and amd_mir_lower. */
#include "amd/compiler/select.h"

/* An ordinary write of the whole of exec, without other effect that counts. */
static bool is_plain_write(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr) || instr->num_defs != 1 || instr->defs[0].temp || !instr->defs[0].fixed ||
        instr->defs[0].reg != MIR_REG_EXEC)
        return false;
    unsigned format = isa_info(instr->op)->format;
    return format == ISA_FORMAT_SOP1 || format == ISA_FORMAT_SOP2;
}

static bool reads_exec(const struct mir_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind == MIR_REG && (operand->reg == MIR_REG_EXEC || operand->reg == MIR_REG_EXEC + 1))
            return true;
    }
    if (mir_is_pseudo(instr)) {
        switch (instr->op) {
        case MIR_P_PHI: /* its copies stand in the predecessors */
        case MIR_P_LINEAR_PHI:
        case MIR_P_LOGICAL_START:
        case MIR_P_LOGICAL_END:
        case MIR_P_BRANCH:
        case MIR_P_BARRIER:
            return false;
        case MIR_P_CBRANCH:
            return instr->cond == MIR_COND_EXECZ || instr->cond == MIR_COND_EXECNZ;
        case MIR_P_COPY:
        case MIR_P_VECTOR:
        case MIR_P_SPLIT:
        case MIR_P_EXTRACT:
            for (unsigned i = 0; i < instr->num_defs; i++) {
                if (instr->defs[i].reg >= MIR_REG_V0)
                    return true;
            }
            return false;
        default:
            return true;
        }
    }
    const struct isa_op_info *info = isa_info(instr->op);
    switch (info->format) {
    case ISA_FORMAT_SOP1:
    case ISA_FORMAT_SOP2:
    case ISA_FORMAT_SOPC:
    case ISA_FORMAT_SOPK:
    case ISA_FORMAT_SMEM:
        return (info->reads & ISA_STATE_EXEC) != 0;
    case ISA_FORMAT_SOPP:
        return instr->op != ISA_OP_S_ENDPGM && instr->op != ISA_OP_S_NOP;
    default:
        return true;
    }
}

/* Whether every path from here reaches another write before a read. Only straight paths are followed. */
static bool is_dead_from(const struct mir_program *program, const struct mir_block *block, const struct list *link,
                         unsigned depth)
{
    for (; link != &block->instrs; link = link->next) {
        const struct mir_instr *instr = container_of(link, struct mir_instr, link);
        if (reads_exec(instr))
            return false;
        if (is_plain_write(instr) || instr->op == ISA_OP_S_ENDPGM)
            return true;
    }
    if (block->num_linear_succs != 1 || depth == 0)
        return false;
    const struct mir_block *next = &program->blocks[block->linear_succs[0]];
    return is_dead_from(program, next, next->instrs.next, depth - 1);
}

void amd_drop_dead_exec(struct mir_program *program)
{
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (is_plain_write(instr) && is_dead_from(program, block, instr->link.next, 4))
                list_remove(&instr->link);
        }
    }
}
