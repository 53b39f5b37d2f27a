/* Branches to instructions: jumps to empty blocks go where those lead, what comes next needs no jump, a jump to the
 * program's end is an end, and a few vector instructions without a lane cost less than a jump over them. After this,
 * `imm` of a branch instruction is a block; the emitter makes a distance of it. */
#include "amd/compiler/lower.h"
#include "util/bits.h"

static struct mir_instr *terminator(struct mir_block *block)
{
    if (list_is_empty(&block->instrs))
        return NULL;
    struct mir_instr *last = container_of(block->instrs.prev, struct mir_instr, link);
    return last->op == MIR_P_BRANCH || last->op == MIR_P_CBRANCH ? last : NULL;
}

/* Where a block leads without doing anything; itself, if it does something. */
static uint32_t forward_block(struct mir_program *program, uint32_t index)
{
    for (uint32_t steps = 0; steps < program->num_blocks; steps++) {
        struct mir_block *block = &program->blocks[index];
        struct mir_instr *last = terminator(block);
        bool only = last ? block->instrs.next == &last->link : list_is_empty(&block->instrs);
        if (!only || (last && last->op == MIR_P_CBRANCH))
            return index;
        uint32_t next = last ? last->imm : block->num_linear_succs == 1 ? block->linear_succs[0] : index;
        if (next == index)
            return index;
        index = next;
    }
    return index; /* an empty endless loop */
}

static bool emits_nothing(struct mir_program *program, uint32_t index)
{
    struct mir_block *block = &program->blocks[index];
    struct mir_instr *last = terminator(block);
    return list_is_empty(&block->instrs) || (last && last->op == MIR_P_BRANCH && block->instrs.next == &last->link);
}

/* Control that runs out of `index` comes to `target`, with nothing but empty blocks between. */
static bool is_next(struct mir_program *program, uint32_t index, uint32_t target)
{
    for (uint32_t i = index + 1; i < program->num_blocks; i++) {
        if (i == target)
            return true;
        if (!emits_nothing(program, i) || forward_block(program, i) == i)
            return false;
    }
    return false;
}

static const uint16_t condition_ops[] = {
    [MIR_COND_SCC0] = ISA_OP_S_CBRANCH_SCC0,   [MIR_COND_SCC1] = ISA_OP_S_CBRANCH_SCC1,
    [MIR_COND_VCCZ] = ISA_OP_S_CBRANCH_VCCZ,   [MIR_COND_VCCNZ] = ISA_OP_S_CBRANCH_VCCNZ,
    [MIR_COND_EXECZ] = ISA_OP_S_CBRANCH_EXECZ, [MIR_COND_EXECNZ] = ISA_OP_S_CBRANCH_EXECNZ,
};

static void put_branch(struct mir_program *program, struct mir_block *block, unsigned op, uint32_t target)
{
    struct mir_builder builder = {program, block, &block->instrs};
    amd_mir_new_instr(&builder, op, 0, 0)->imm = target;
}

static bool only_ends(struct mir_program *program, uint32_t index)
{
    const struct list *instrs = &program->blocks[index].instrs;
    return !list_is_empty(instrs) && instrs->next == instrs->prev &&
           container_of(instrs->next, struct mir_instr, link)->op == ISA_OP_S_ENDPGM;
}

/* A program can end at any place; under a divergent condition it does where lanes come together. */
static void put_jump(struct mir_program *program, struct mir_block *block, uint32_t target)
{
    if (is_next(program, block->index, target))
        return;
    if (!block->divergent_depth && !block->loop_depth && only_ends(program, target))
        amd_mir_new_instr(&(struct mir_builder){program, block, &block->instrs}, ISA_OP_S_ENDPGM, 0, 0);
    else
        put_branch(program, block, ISA_OP_S_BRANCH, target);
}

static void lower_block_end(struct mir_program *program, struct mir_block *block)
{
    struct mir_instr *last = terminator(block);
    if (!last) {
        bool falls = block->num_linear_succs == 1;
        uint32_t target = falls ? forward_block(program, block->linear_succs[0]) : 0;
        if (falls)
            put_jump(program, block, target);
        return;
    }
    uint32_t target = forward_block(program, last->imm), other = forward_block(program, last->imm2);
    unsigned cond = last->cond;
    bool is_jump = last->op == MIR_P_BRANCH || target == other;
    list_remove(&last->link);
    if (!is_jump && is_next(program, block->index, target)) {
        uint32_t swapped = target;
        target = other;
        other = swapped;
        cond ^= 1; /* the conditions come in opposite pairs */
    }
    if (!is_jump) {
        put_branch(program, block, condition_ops[cond], target);
        target = other;
    }
    put_jump(program, block, target);
}

/* ---- jumps that do not pay ---- */

#define MAX_SKIPPED_COST 10 /* cycles of issue; a jump that is taken costs about this much */

/* The cost of an instruction when no lane is active; a large number where it must not run then. */
static unsigned cost_without_lanes(const struct mir_instr *instr)
{
    const struct isa_op_info *info;
    if (mir_is_pseudo(instr))
        return instr->op == MIR_P_BARRIER ? MAX_SKIPPED_COST + 1 : 0;
    info = isa_info(instr->op);
    switch (info->latency) {
    case ISA_LATENCY_SALU:
        /* An exec that is restored inside, a mode, a wait or a barrier: must stay under the jump. */
        return info->writes & (ISA_STATE_MODE | ISA_STATE_PC | ISA_STATE_HWREG) || info->format == ISA_FORMAT_SOPP
                   ? MAX_SKIPPED_COST + 1
                   : 1;
    case ISA_LATENCY_VALU:
        return info->properties & ISA_PROP_WAVE ? MAX_SKIPPED_COST + 1 : 1;
    case ISA_LATENCY_TRANS:
    case ISA_LATENCY_QUARTER:
        return 4;
    case ISA_LATENCY_F64:
        return 8;
    default:
        return MAX_SKIPPED_COST + 1;
    }
}

static bool is_cheap_to_pass(struct mir_program *program, uint32_t first, uint32_t end)
{
    unsigned cost = 0;
    for (uint32_t i = first; i < end; i++) {
        struct mir_block *block = &program->blocks[i];
        mir_foreach_instr(block, instr)
        {
            bool falls = instr->op == MIR_P_BRANCH && forward_block(program, instr->imm) >= i + 1 &&
                         forward_block(program, instr->imm) <= end &&
                         is_next(program, i, forward_block(program, instr->imm));
            if (instr->op == MIR_P_CBRANCH || (instr->op == MIR_P_BRANCH && !falls))
                return false;
            cost += cost_without_lanes(instr);
        }
        if (cost > MAX_SKIPPED_COST)
            return false;
    }
    return true;
}

/* A jump over code that does nothing without lanes and that is as short as the jump. */
static void drop_short_skips(struct mir_program *program)
{
    mir_foreach_block(program, block)
    {
        struct mir_instr *last = terminator(block);
        if (!last || last->op != MIR_P_CBRANCH || (last->cond != MIR_COND_EXECZ && last->cond != MIR_COND_EXECNZ))
            continue;
        uint32_t skip = forward_block(program, last->cond == MIR_COND_EXECZ ? last->imm : last->imm2);
        uint32_t body = forward_block(program, last->cond == MIR_COND_EXECZ ? last->imm2 : last->imm);
        if (skip <= block->index || body <= block->index || !is_next(program, block->index, body) || body >= skip)
            continue;
        if (is_cheap_to_pass(program, body, skip)) {
            last->op = MIR_P_BRANCH;
            last->imm = body;
            last->num_operands = 0;
        }
    }
}

/* ---- an empty "then" ---- */

static bool is_exec(const struct mir_operand *operand)
{
    return operand->kind == MIR_REG && operand->reg == MIR_REG_EXEC;
}

/* Every path to `block` comes from `from`, over nothing but empty blocks. */
static bool comes_only_from(struct mir_program *program, const struct mir_block *block, uint32_t from)
{
    for (unsigned i = 0; i < block->num_linear_preds; i++) {
        const struct mir_block *pred = &program->blocks[block->linear_preds[i]];
        bool passes =
            emits_nothing(program, pred->index) && pred->num_linear_preds == 1 && pred->linear_preds[0] == from;
        if (pred->index != from && !passes)
            return false;
    }
    return block->num_linear_preds > 0;
}

/* The instruction before one that makes its operand the opposite of what is before, for nothing else. NULL: there is
 * none. */
static struct mir_instr *negation_of(const struct mir_block *block, const struct mir_instr *save, bool is_last_use)
{
    const struct mir_operand *condition = &save->operands[0];
    if (save->link.prev == &block->instrs || !is_last_use || condition->kind != MIR_REG || !condition->temp)
        return NULL;
    struct mir_instr *before = container_of(save->link.prev, struct mir_instr, link);
    const bool negates = before->op == ISA_OP_S_NOT_B64 || before->op == ISA_OP_S_NOT_B32;
    return negates && before->defs[0].temp == condition->temp && before->defs[0].reg == condition->reg ? before : NULL;
}

/* saved = exec; exec &= c; exec = saved & ~exec: the lanes for which c does not hold, in one instruction. If c is
 * itself the opposite of something, these are the lanes for which that holds. */
static void invert_saveexec(struct mir_program *program)
{
    mir_foreach_block(program, block)
    {
        struct mir_instr *branch = terminator(block);
        struct list *last = branch ? branch->link.prev : block->instrs.prev;
        if (last == &block->instrs)
            continue;
        struct mir_instr *save = container_of(last, struct mir_instr, link);
        bool wide = save->op == ISA_OP_S_AND_SAVEEXEC_B64;
        if (!wide && save->op != ISA_OP_S_AND_SAVEEXEC_B32)
            continue;
        if (!branch || branch->op != MIR_P_CBRANCH ||
            forward_block(program, branch->imm) != forward_block(program, branch->imm2))
            continue;
        struct mir_block *next = &program->blocks[forward_block(program, branch->imm)];
        if (list_is_empty(&next->instrs) || !comes_only_from(program, next, block->index))
            continue;
        struct mir_instr *invert = container_of(next->instrs.next, struct mir_instr, link);
        const struct mir_operand *condition = &save->operands[0], *without = &invert->operands[1];
        bool same = condition->kind == MIR_REG && without->kind == MIR_REG && condition->reg == without->reg &&
                    condition->reg != save->defs[0].reg;
        if (invert->op != (wide ? ISA_OP_S_ANDN2_B64 : ISA_OP_S_ANDN2_B32) || invert->defs[0].reg != MIR_REG_EXEC ||
            (!is_exec(without) && !same) || invert->operands[0].kind != MIR_REG ||
            invert->operands[0].reg != save->defs[0].reg)
            continue;
        struct mir_instr *negation = negation_of(block, save, is_exec(without) ? condition->kill : without->kill);
        if (negation) {
            save->operands[0] = negation->operands[0];
            list_remove(&negation->link);
        } else {
            save->op = wide ? ISA_OP_S_ANDN1_SAVEEXEC_B64 : ISA_OP_S_ANDN1_SAVEEXEC_B32;
        }
        list_remove(&invert->link);
    }
}

void amd_lower_branches(struct mir_program *program)
{
    invert_saveexec(program);
    drop_short_skips(program);
    /* Decide on blocks as they are now, from the last to the first: lowering changes which blocks are empty. */
    for (uint32_t i = program->num_blocks; i-- > 0;) {
        struct mir_block *block = &program->blocks[i];
        bool dead = i > 0 && emits_nothing(program, i) && forward_block(program, i) != i;
        if (dead)
            continue; /* every path goes around it */
        lower_block_end(program, block);
    }
    mir_foreach_block(program, block)
    {
        struct mir_instr *last = terminator(block);
        if (last)
            list_remove(&last->link); /* of a block that every path goes around */
    }
}
