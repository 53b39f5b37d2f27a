/* The rules of the machine IR (mir.h) before allocation: SSA, classes, places of operands, edges. After it:
 * mir_validate_allocated.c. */
#include <stdio.h>
#include <string.h>

#include "amd/compiler/mir_validate.h"
#include "util/bits.h"
#include "util/strbuf.h"

struct validator {
    struct mir_program *program;
    struct mir_instr **defs;
    bool *seen; /* temporaries whose definition the walk has passed */
    const char *what;
};

const char *amd_mir_complaint(struct mir_program *program, const struct mir_block *block, const struct mir_instr *instr,
                              const char *what)
{
    struct strbuf text = {0};
    if (instr)
        amd_mir_print_instr(program, instr, &text);
    const char *complaint = arena_printf(&program->arena, "block %u: %s%s%s", block->index, what, instr ? ": " : "",
                                         text.text ? text.text : "");
    strbuf_finish(&text);
    return complaint;
}

static void report_fault(struct validator *validator, const struct mir_block *block, const struct mir_instr *instr,
                         const char *what)
{
    if (!validator->what)
        validator->what = amd_mir_complaint(validator->program, block, instr, what);
}

static bool has_edge(const uint32_t *edges, unsigned count, uint32_t value)
{
    for (unsigned i = 0; i < count; i++) {
        if (edges[i] == value)
            return true;
    }
    return false;
}

#define MANY_WAYS 64u

/* Joins of many ways, in time of the edges: as many know the join as it knows, and each of those knows it. */
static void check_joins(struct validator *validator)
{
    const struct mir_program *program = validator->program;
    uint32_t *linear = amd_mir_alloc(validator->program, program->num_blocks * sizeof(*linear)),
             *logical = amd_mir_alloc(validator->program, program->num_blocks * sizeof(*logical));
    mir_foreach_block(program, block)
    {
        for (unsigned i = 0; i < block->num_linear_succs; i++)
            linear[MIN2(block->linear_succs[i], program->num_blocks - 1)]++;
        for (unsigned i = 0; i < block->num_logical_succs; i++)
            logical[MIN2(block->logical_succs[i], program->num_blocks - 1)]++;
    }
    mir_foreach_block(program, block)
    {
        bool is_good = true;
        for (uint32_t i = 0; block->num_linear_preds > MANY_WAYS && i < block->num_linear_preds; i++) {
            const struct mir_block *from = &program->blocks[block->linear_preds[i]];
            is_good &= has_edge(from->linear_succs, from->num_linear_succs, block->index);
        }
        for (uint32_t i = 0; block->num_logical_preds > MANY_WAYS && i < block->num_logical_preds; i++) {
            const struct mir_block *from = &program->blocks[block->logical_preds[i]];
            is_good &= has_edge(from->logical_succs, from->num_logical_succs, block->index);
        }
        is_good &= block->num_linear_preds <= MANY_WAYS || linear[block->index] == block->num_linear_preds;
        is_good &= block->num_logical_preds <= MANY_WAYS || logical[block->index] == block->num_logical_preds;
        if (!is_good)
            report_fault(validator, block, NULL, "a predecessor does not know it");
    }
}

static bool knows_pred(const uint32_t *preds, uint32_t count, uint32_t from)
{
    return count > MANY_WAYS || has_edge(preds, count, from); /* of many: check_joins */
}

static void check_edges(struct validator *validator, const struct mir_block *block)
{
    const struct mir_program *program = validator->program;
    for (unsigned i = 0; i < block->num_linear_succs; i++) {
        const struct mir_block *to = &program->blocks[block->linear_succs[i]];
        if (block->linear_succs[i] >= program->num_blocks ||
            !knows_pred(to->linear_preds, to->num_linear_preds, block->index))
            report_fault(validator, block, NULL, "a linear successor does not know it");
    }
    for (unsigned i = 0; i < block->num_logical_succs; i++) {
        const struct mir_block *to = &program->blocks[block->logical_succs[i]];
        if (block->logical_succs[i] >= program->num_blocks ||
            !knows_pred(to->logical_preds, to->num_logical_preds, block->index))
            report_fault(validator, block, NULL, "a logical successor does not know it");
        else if (block->num_logical_succs > 1 && to->num_logical_preds > 1)
            report_fault(validator, block, NULL, "a logical edge leads from a fork to a join");
    }
}

static void check_shape(struct validator *validator, const struct mir_block *block, const struct mir_instr *instr)
{
    const struct isa_op_info *info = isa_info(instr->op);
    struct mir_shape shape = amd_mir_shape_of(instr);
    unsigned listed = shape.num_sources + shape.num_addresses + shape.num_tied;
    if (!amd_isa_op_name(validator->program->gfx, instr->op))
        report_fault(validator, block, instr, "this generation has no such instruction");
    if (instr->num_operands < listed)
        report_fault(validator, block, instr, "operands are missing");
    for (unsigned i = listed; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_TEMP && !instr->operands[i].fixed)
            report_fault(validator, block, instr, "an implicit operand is not in a fixed register");
    }
    bool is_atomic = info->memory == ISA_MEMORY_ATOMIC;
    if (instr->num_defs < info->dst_count && !is_atomic)
        report_fault(validator, block, instr, "results are missing");
    for (unsigned i = shape.num_defs; i < instr->num_defs; i++) {
        if (!instr->defs[i].fixed)
            report_fault(validator, block, instr, "an implicit result is not in a fixed register");
    }
    bool reads_scc = false;
    for (unsigned i = 0; i < instr->num_operands; i++)
        reads_scc |=
            (instr->operands[i].fixed || instr->operands[i].kind == MIR_REG) && instr->operands[i].reg == MIR_REG_SCC;
    if ((info->reads & ISA_STATE_SCC) && !reads_scc)
        report_fault(validator, block, instr, "it reads scc, which is not among its operands");
}

/* The size that the row asks of each operand, where it follows from the row alone. */
static void check_sizes(struct validator *validator, const struct mir_block *block, const struct mir_instr *instr)
{
    const struct mir_program *program = validator->program;
    const struct isa_op_info *info = isa_info(instr->op);
    struct mir_shape shape = amd_mir_shape_of(instr);
    for (unsigned i = 0; i < shape.num_sources && i < instr->num_operands; i++) {
        const struct isa_operand_info *about = &info->operands[shape.source[i]];
        unsigned want = about->type == ISA_TYPE_MASK ? program->lane_mask.dwords : about->count;
        /* With a scalar base, an address of memory is a 32-bit offset. */
        if (about->name == ISA_NAME_VADDR && info->format == ISA_FORMAT_FLAT && amd_mir_has_saddr(instr))
            want = 1;
        if (instr->operands[i].kind == MIR_TEMP && want && program->temps[instr->operands[i].temp].class.dwords != want)
            report_fault(validator, block, instr, "an operand has another size");
    }
    for (unsigned i = 0; i < info->dst_count && i < instr->num_defs; i++) {
        const struct isa_operand_info *about = &info->operands[i];
        unsigned want = about->type == ISA_TYPE_MASK ? program->lane_mask.dwords : about->count;
        unsigned have = program->temps[instr->defs[i].temp].class.dwords;
        bool buffer_tfe = (info->format == ISA_FORMAT_MUBUF || info->format == ISA_FORMAT_MTBUF) && instr->mem.tfe;
        if (instr->defs[i].temp && want && have != want + buffer_tfe)
            report_fault(validator, block, instr, "a result has another size");
    }
}

static void check_pseudo(struct validator *validator, const struct mir_block *block, const struct mir_instr *instr)
{
    unsigned preds = instr->op == MIR_P_PHI ? block->num_logical_preds : block->num_linear_preds;
    if (mir_is_phi(instr) && (instr->num_operands != preds || instr->num_defs != 1))
        report_fault(validator, block, instr, "a phi has an operand for each predecessor");
    if (instr->op == MIR_P_COPY && instr->num_defs != instr->num_operands)
        report_fault(validator, block, instr, "a copy has as many results as operands");
    if (instr->op == MIR_P_VECTOR) {
        unsigned dwords = 0;
        for (unsigned i = 0; i < instr->num_operands; i++)
            dwords += instr->operands[i].kind == MIR_TEMP
                          ? validator->program->temps[instr->operands[i].temp].class.dwords
                          : instr->operands[i].dwords;
        if (instr->num_defs != 1 || dwords != validator->program->temps[instr->defs[0].temp].class.dwords)
            report_fault(validator, block, instr, "a vector is as large as its parts");
    }
    if (instr->op == MIR_P_CALL && (instr->num_defs || !instr->num_operands || instr->operands[0].kind != MIR_TEMP ||
                                    !instr->operands[0].fixed))
        report_fault(validator, block, instr, "a call has its address in a fixed register, and no results");
    bool is_jump = instr->op == MIR_P_BRANCH || instr->op == MIR_P_CBRANCH;
    if (is_jump && (instr->imm >= validator->program->num_blocks ||
                    !has_edge(block->linear_succs, block->num_linear_succs, instr->imm)))
        report_fault(validator, block, instr, "a branch leads to a block that is no linear successor");
    if (is_jump && instr->link.next != &block->instrs)
        report_fault(validator, block, instr, "a branch is not the last instruction");
}

static void check_operands(struct validator *validator, const struct mir_block *block, const struct mir_instr *instr)
{
    const struct mir_program *program = validator->program;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind != MIR_TEMP)
            continue;
        if (operand->temp == 0 || operand->temp >= program->num_temps || !validator->defs[operand->temp])
            report_fault(validator, block, instr, "an operand that nothing defines");
        else if (!mir_is_phi(instr) && !validator->seen[operand->temp])
            report_fault(validator, block, instr, "an operand that is defined further down");
        else if (!mir_is_pseudo(instr) && program->temps[operand->temp].class.dwords == 0)
            report_fault(validator, block, instr, "a temporary without a class");
    }
}

static void check_instr(struct validator *validator, const struct mir_block *block, const struct mir_instr *instr)
{
    if (instr->op >= MIR_PSEUDO_END) {
        report_fault(validator, block, NULL, "no such instruction");
        return;
    }
    check_operands(validator, block, instr);
    for (unsigned i = 0; i < instr->num_defs; i++)
        validator->seen[instr->defs[i].temp] = true;
    if (mir_is_pseudo(instr)) {
        check_pseudo(validator, block, instr);
        return;
    }
    check_shape(validator, block, instr);
    if (!validator->what)
        check_sizes(validator, block, instr);
}

static void collect_defs(struct validator *validator)
{
    struct mir_program *program = validator->program;
    mir_foreach_block(program, block)
    {
        bool behind_phis = false;
        mir_foreach_instr(block, instr)
        {
            if (mir_is_phi(instr) && behind_phis)
                report_fault(validator, block, instr, "a phi stands after other instructions");
            behind_phis |= !mir_is_phi(instr);
            for (unsigned i = 0; i < instr->num_defs; i++) {
                mir_temp temp = instr->defs[i].temp;
                if (temp >= program->num_temps)
                    report_fault(validator, block, NULL, "a temporary that does not exist");
                else if (temp && validator->defs[temp])
                    report_fault(validator, block, instr, "a second definition");
                else
                    validator->defs[temp] = instr;
            }
        }
    }
}

const char *amd_mir_validate(struct mir_program *program)
{
    struct validator validator = {.program = program};
    validator.defs = amd_mir_alloc(program, program->num_temps * sizeof(*validator.defs));
    validator.seen = amd_mir_alloc(program, program->num_temps);
    collect_defs(&validator);
    check_joins(&validator);
    mir_foreach_block(program, block)
    {
        check_edges(&validator, block);
        for (struct list *link = block->instrs.next; !validator.what && link != &block->instrs; link = link->next)
            check_instr(&validator, block, container_of(link, struct mir_instr, link));
    }
    return validator.what;
}
