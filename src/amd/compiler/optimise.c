/* Optimising machine IR in SSA form: values are forwarded through copies, vectors and constants, neighbours are
 * combined (optimise_combine.c), and what nothing needs goes. Not for: what only shows once registers are known (the
 * emitter's short forms). */
#include <string.h>

#include "amd/compiler/optimise.h"
#include "util/bits.h"

static unsigned size_of(const struct optimiser *optimiser, const struct mir_operand *operand)
{
    return operand->kind == MIR_TEMP ? opt_class(optimiser, operand->temp).dwords : operand->dwords;
}

void amd_opt_replace(struct optimiser *optimiser, struct mir_operand *operand, struct mir_operand with)
{
    if (operand->kind == MIR_TEMP)
        optimiser->uses[operand->temp]--;
    if (with.kind == MIR_TEMP)
        optimiser->uses[with.temp]++;
    bool fixed = operand->fixed, late = operand->late;
    mir_reg reg = operand->reg;
    *operand = with;
    operand->kill = operand->first_kill = false;
    operand->late = late;
    operand->fixed = fixed && with.kind == MIR_TEMP;
    if (fixed)
        operand->reg = reg;
}

/* ---- tuples that are only taken apart ---- */

struct tuple_uses {
    uint16_t extracts, others;
};

static bool takes_one(const struct mir_program *program, const struct mir_instr *instr)
{
    return instr->op == MIR_P_EXTRACT && instr->operands[0].kind == MIR_TEMP &&
           program->temps[instr->defs[0].temp].class.dwords == 1;
}

static void count_tuple_uses(const struct mir_program *program, struct tuple_uses *uses)
{
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_operands; i++) {
                struct tuple_uses *use = instr->operands[i].kind == MIR_TEMP ? &uses[instr->operands[i].temp] : NULL;
                if (use && takes_one(program, instr))
                    use->extracts++;
                else if (use)
                    use->others++;
            }
        }
    }
}

/* One split after the definition, in place of extracts here and there that each keep the tuple alive. */
static void split_tuples(struct mir_program *program)
{
    uint32_t num_temps = program->num_temps;
    struct tuple_uses *uses = amd_mir_alloc(program, num_temps * sizeof(*uses));
    mir_temp *parts = amd_mir_alloc(program, num_temps * sizeof(*parts)); /* the first of the tuple's dwords */
    count_tuple_uses(program, uses);
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            struct mir_builder builder = {program, block, instr->link.next};
            for (unsigned i = 0; !mir_is_phi(instr) && i < instr->num_defs; i++) {
                mir_temp tuple = instr->defs[i].temp;
                struct mir_class class = program->temps[tuple].class;
                if (!tuple || class.dwords < 2 || uses[tuple].others || uses[tuple].extracts < 2)
                    continue;
                struct mir_instr *split = amd_mir_new_instr(&builder, MIR_P_SPLIT, class.dwords, 1);
                split->operands[0] = mir_use(tuple);
                for (unsigned j = 0; j < class.dwords; j++) {
                    mir_temp part = amd_mir_new_temp(program, class.vector ? MIR_V(1) : MIR_S(1));
                    split->defs[j] = mir_result(part);
                    parts[tuple] = j ? parts[tuple] : part;
                }
            }
        }
    }
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (!takes_one(program, instr) || instr->operands[0].temp >= num_temps || !parts[instr->operands[0].temp])
                continue;
            instr->operands[0] = mir_use(parts[instr->operands[0].temp] + instr->imm);
            instr->op = MIR_P_COPY;
            instr->imm = 0;
        }
    }
}

/* Loops are runs of blocks that are at least so deep; a header begins another one. */
static void find_loops(struct optimiser *optimiser)
{
    const struct mir_program *program = optimiser->program;
    unsigned deepest = 0;
    for (uint32_t i = 0; i < program->num_blocks; i++)
        deepest = MAX2(deepest, program->blocks[i].loop_depth);
    uint32_t *end = amd_mir_alloc(optimiser->program, (deepest + 1u) * sizeof(*end)); /* by depth, plus one; 0: none */
    optimiser->loop_end = amd_mir_alloc(optimiser->program, program->num_blocks * sizeof(*optimiser->loop_end));
    for (uint32_t i = program->num_blocks; i-- > 0;) {
        const struct mir_block *block = &program->blocks[i];
        for (unsigned depth = block->loop_depth + 1u; depth <= deepest && end[depth]; depth++)
            end[depth] = 0;
        for (unsigned depth = block->loop_depth; !end[depth]; depth--) {
            end[depth] = i + 1;
            if (!depth)
                break;
        }
        optimiser->loop_end[i] = block->loop_depth ? end[block->loop_depth] - 1 : program->num_blocks;
        if (block->kind & MIR_BLOCK_LOOP_HEADER)
            end[block->loop_depth] = 0;
    }
}

static void index_program(struct optimiser *optimiser)
{
    struct mir_program *program = optimiser->program;
    optimiser->capacity = program->num_temps;
    optimiser->def = amd_mir_alloc(program, program->num_temps * sizeof(*optimiser->def));
    optimiser->uses = amd_mir_alloc(program, program->num_temps * sizeof(*optimiser->uses));
    optimiser->alias = amd_mir_alloc(program, program->num_temps * sizeof(*optimiser->alias));
    optimiser->home = amd_mir_alloc(program, program->num_temps * sizeof(*optimiser->home));
    find_loops(optimiser);
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_defs; i++) {
                optimiser->def[instr->defs[i].temp] = instr;
                optimiser->home[instr->defs[i].temp] = block->index;
            }
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MIR_TEMP)
                    optimiser->uses[instr->operands[i].temp]++;
            }
        }
    }
    optimiser->def[0] = NULL;
}

/* ---- forwarding ---- */

/* The value that a temporary is a copy of; false where it is none. */
static bool copied_value(const struct optimiser *optimiser, mir_temp temp, struct mir_operand *out)
{
    const struct mir_instr *def = optimiser->def[temp];
    if (!def)
        return false;
    if (def->op == ISA_OP_S_MOV_B32 || def->op == ISA_OP_V_MOV_B32) {
        if (!amd_opt_is_plain(def) || def->num_defs != 1 || def->defs[0].fixed || def->operands[0].kind == MIR_REG ||
            def->num_operands != 1)
            return false;
        *out = def->operands[0];
        return !out->fixed;
    }
    if (def->op == MIR_P_VECTOR && def->num_operands == 2 && def->operands[0].kind == MIR_CONST &&
        def->operands[1].kind == MIR_CONST && def->operands[0].dwords == 1 && def->operands[1].dwords == 1) {
        *out = mir_const64((uint32_t)def->operands[0].value | def->operands[1].value << 32);
        return true;
    }
    if (def->op != MIR_P_COPY)
        return false;
    for (unsigned i = 0; i < def->num_defs; i++) {
        if (def->defs[i].temp != temp || def->defs[i].fixed)
            continue;
        *out = def->operands[i];
        return (out->kind == MIR_TEMP || out->kind == MIR_CONST) && !out->fixed;
    }
    return false;
}

static bool is_free_pseudo(const struct mir_instr *instr)
{
    return instr->op == MIR_P_COPY || instr->op == MIR_P_VECTOR || mir_is_phi(instr);
}

/* Use the value itself where its copy is used. */
static bool forward_operand(struct optimiser *optimiser, struct mir_instr *instr, unsigned index)
{
    struct mir_operand *operand = &instr->operands[index], value;
    if (operand->kind != MIR_TEMP || !copied_value(optimiser, operand->temp, &value))
        return false;
    struct mir_class class = opt_class(optimiser, operand->temp);
    bool same_class = value.kind == MIR_TEMP && opt_class(optimiser, value.temp).vector == class.vector &&
                      opt_class(optimiser, value.temp).dwords == class.dwords;
    if (same_class) {
        amd_opt_replace(optimiser, operand, value);
        return true;
    }
    if (operand->fixed || size_of(optimiser, &value) != class.dwords || !opt_is_in_reach(optimiser, &value))
        return false;
    if (is_free_pseudo(instr)) {
        /* A linear phi's constant and a vector phi's scalar are copied on the edge. */
        amd_opt_replace(optimiser, operand, value);
        return true;
    }
    struct mir_shape shape = mir_is_pseudo(instr) ? (struct mir_shape){0} : amd_mir_shape_of(instr);
    if (index >= shape.num_sources || (!amd_opt_is_vector_alu(instr) && !amd_opt_is_scalar_alu(instr)))
        return false;
    struct mir_operand old = *operand;
    *operand = value;
    bool legal = amd_opt_is_legal(optimiser->program, instr);
    *operand = old;
    if (legal)
        amd_opt_replace(optimiser, operand, value);
    return legal;
}

/* The part of a vector that begins at a dword and has this size; false where none does. */
static bool vector_part(const struct optimiser *optimiser, const struct mir_instr *vector, unsigned dword,
                        unsigned dwords, struct mir_operand *out)
{
    unsigned at = 0;
    for (unsigned i = 0; i < vector->num_operands; i++) {
        unsigned size = size_of(optimiser, &vector->operands[i]);
        if (at == dword && size == dwords) {
            *out = vector->operands[i];
            return !out->fixed;
        }
        at += size;
    }
    return false;
}

static void become_copy(struct optimiser *optimiser, struct mir_instr *instr, struct mir_operand value)
{
    for (unsigned i = 1; i < instr->num_operands; i++)
        amd_opt_replace(optimiser, &instr->operands[i], (struct mir_operand){0});
    amd_opt_replace(optimiser, &instr->operands[0], value);
    instr->op = MIR_P_COPY;
    instr->num_operands = 1;
    instr->imm = 0;
}

static bool forward_extract(struct optimiser *optimiser, struct mir_instr *instr)
{
    const struct mir_instr *def = opt_def(optimiser, &instr->operands[0]);
    struct mir_operand part;
    if (!def || def->op != MIR_P_VECTOR || !instr->defs[0].temp)
        return false;
    if (!vector_part(optimiser, def, instr->imm, opt_class(optimiser, instr->defs[0].temp).dwords, &part) ||
        !opt_is_in_reach(optimiser, &part))
        return false;
    become_copy(optimiser, instr, part);
    return true;
}

/* A split whose source is a vector of the same parts is a parallel copy. */
static bool forward_split(struct optimiser *optimiser, struct mir_instr *instr)
{
    struct mir_instr *def = opt_def(optimiser, &instr->operands[0]);
    if (!def || def->op != MIR_P_VECTOR || def->num_operands != instr->num_defs)
        return false;
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (!instr->defs[i].temp ||
            size_of(optimiser, &def->operands[i]) != opt_class(optimiser, instr->defs[i].temp).dwords ||
            def->operands[i].fixed || !opt_is_in_reach(optimiser, &def->operands[i]))
            return false;
    }
    optimiser->uses[instr->operands[0].temp]--;
    instr->op = MIR_P_COPY;
    instr->operands = amd_mir_alloc(optimiser->program, def->num_operands * sizeof(*instr->operands));
    instr->num_operands = def->num_operands;
    for (unsigned i = 0; i < instr->num_operands; i++)
        amd_opt_replace(optimiser, &instr->operands[i], def->operands[i]);
    return true;
}

/* A vector that puts together what one tuple was taken apart into is that tuple. */
static bool forward_vector(struct optimiser *optimiser, struct mir_instr *instr)
{
    if (instr->num_operands == 1) {
        become_copy(optimiser, instr, instr->operands[0]);
        return true;
    }
    mir_temp whole = 0;
    unsigned at = 0;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_instr *def = opt_def(optimiser, &instr->operands[i]);
        unsigned dword = 0;
        if (!def || (def->op != MIR_P_EXTRACT && def->op != MIR_P_SPLIT) || def->operands[0].kind != MIR_TEMP)
            return false;
        if (def->op == MIR_P_EXTRACT)
            dword = def->imm;
        for (unsigned j = 0; def->op == MIR_P_SPLIT && def->defs[j].temp != instr->operands[i].temp; j++)
            dword += opt_class(optimiser, def->defs[j].temp).dwords;
        if (dword != at || (whole && def->operands[0].temp != whole))
            return false;
        whole = def->operands[0].temp;
        at += size_of(optimiser, &instr->operands[i]);
    }
    struct mir_class class = opt_class(optimiser, instr->defs[0].temp);
    if (!whole || opt_class(optimiser, whole).dwords != at || opt_class(optimiser, whole).vector != class.vector)
        return false;
    become_copy(optimiser, instr, mir_use(whole));
    return true;
}

/* The first lane of a value that is the same in all lanes. */
static bool forward_first_lane(struct optimiser *optimiser, struct mir_instr *instr)
{
    struct mir_operand value;
    if (instr->operands[0].kind != MIR_TEMP || !copied_value(optimiser, instr->operands[0].temp, &value) ||
        instr->defs[0].fixed)
        return false;
    if (value.kind != MIR_CONST && (value.kind != MIR_TEMP || opt_class(optimiser, value.temp).vector))
        return false;
    if (!opt_is_in_reach(optimiser, &value))
        return false;
    become_copy(optimiser, instr, value);
    instr->variant = 0;
    return true;
}

static bool forward_copy(struct optimiser *optimiser, struct mir_instr *instr)
{
    bool changed = false;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        mir_temp alias = instr->operands[i].kind == MIR_TEMP ? optimiser->alias[instr->operands[i].temp] : 0;
        if (alias)
            amd_opt_replace(optimiser, &instr->operands[i], mir_use(alias));
        /* A chain of copies is short: each was forwarded when it was visited. */
        for (unsigned steps = 0; steps < 4 && forward_operand(optimiser, instr, i); steps++)
            changed = true;
    }
    switch (instr->op) {
    case MIR_P_EXTRACT:
        return forward_extract(optimiser, instr) || changed;
    case MIR_P_SPLIT:
        return forward_split(optimiser, instr) || changed;
    case MIR_P_VECTOR:
        return forward_vector(optimiser, instr) || changed;
    case ISA_OP_V_READFIRSTLANE_B32:
        return forward_first_lane(optimiser, instr) || changed;
    default:
        return changed;
    }
}

static bool has_effect(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr) && !mir_is_phi(instr) && !mir_is_movable_pseudo(instr))
        return true;
    for (unsigned i = 0; i < instr->num_defs; i++) {
        const struct mir_def *def = &instr->defs[i];
        if (def->fixed && def->reg != MIR_REG_SCC && !def->temp)
            return true;
    }
    if (mir_is_pseudo(instr))
        return false;
    const struct isa_op_info *info = isa_info(instr->op);
    if (info->writes & MIR_FENCE_STATE || instr->num_defs == 0)
        return true;
    if (info->memory == ISA_MEMORY_LOAD)
        return instr->sync & MIR_SYNC_VOLATILE;
    return info->memory != ISA_MEMORY_NONE && !(info->properties & (ISA_PROP_CROSS_LANE | ISA_PROP_TIME));
}

/* ---- the same twice ---- */

#define TABLE_SIZE 64

/* Values that were computed before in this block, while exec has not changed. */
struct table {
    struct mir_instr *made[TABLE_SIZE];
    unsigned next;
};

static bool is_same_operand(const struct mir_operand *a, const struct mir_operand *b)
{
    if (a->kind != b->kind || a->fixed || b->fixed)
        return false;
    return a->kind == MIR_TEMP ? a->temp == b->temp
                               : a->kind == MIR_CONST && a->value == b->value && a->dwords == b->dwords;
}

static bool makes_same(const struct optimiser *optimiser, const struct mir_instr *a, const struct mir_instr *b)
{
    struct mir_class x = opt_class(optimiser, a->defs[0].temp), y = opt_class(optimiser, b->defs[0].temp);
    if (a->op != b->op || a->imm != b->imm || a->num_operands != b->num_operands || x.vector != y.vector ||
        x.dwords != y.dwords)
        return false;
    if (!mir_is_pseudo(a) && (a->variant != b->variant || memcmp(&a->alu, &b->alu, sizeof(a->alu)) != 0))
        return false;
    for (unsigned i = 0; i < a->num_operands; i++) {
        if (!is_same_operand(&a->operands[i], &b->operands[i]))
            return false;
    }
    return true;
}

static bool is_repeatable(const struct mir_instr *instr)
{
    bool kind = instr->op == MIR_P_COPY || instr->op == MIR_P_VECTOR || instr->op == MIR_P_EXTRACT ||
                amd_opt_is_vector_alu(instr) || amd_opt_is_scalar_alu(instr);
    return kind && !has_effect(instr) && instr->num_defs == 1 && !instr->defs[0].fixed && instr->defs[0].temp;
}

/* A value that was made already has another name. Vectors of another exec are not the same in all lanes. */
static bool reuse_value(struct optimiser *optimiser, struct table *table, struct mir_instr *instr)
{
    if (amd_mir_clobbers(instr) & ISA_STATE_EXEC || instr->op == MIR_P_LOGICAL_START || instr->op == MIR_P_LOGICAL_END)
        memset(table, 0, sizeof(*table));
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].fixed && instr->defs[i].reg == MIR_REG_EXEC)
            memset(table, 0, sizeof(*table));
    }
    if (!is_repeatable(instr))
        return false;
    for (unsigned i = 0; i < TABLE_SIZE && table->made[i]; i++) {
        if (!makes_same(optimiser, table->made[i], instr))
            continue;
        optimiser->alias[instr->defs[0].temp] = table->made[i]->defs[0].temp;
        return true;
    }
    table->made[table->next++ % TABLE_SIZE] = instr;
    return false;
}

/* ---- dead code ---- */

struct worklist {
    struct mir_instr **list;
    uint32_t count;
};

static void mark_live(const struct optimiser *optimiser, struct worklist *work, struct mir_instr *instr)
{
    (void)optimiser;
    if (instr->pass_flags)
        return;
    instr->pass_flags = 1;
    work->list[work->count++] = instr;
}

/* Remove what nothing needs. */
static void amd_opt_remove_dead(struct optimiser *optimiser)
{
    struct mir_program *program = optimiser->program;
    uint32_t total = 0;
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            instr->pass_flags = 0;
            total++;
        }
    }
    struct worklist work = {.list = amd_mir_alloc(program, total * sizeof(struct mir_instr *))};
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (has_effect(instr))
                mark_live(optimiser, &work, instr);
        }
    }
    /* Values that spilling may need: the offset is an argument, and the start an effect; the descriptor was loaded
     * for it. */
    if (program->scratch_rsrc && optimiser->def[program->scratch_rsrc])
        mark_live(optimiser, &work, optimiser->def[program->scratch_rsrc]);
    while (work.count) {
        struct mir_instr *instr = work.list[--work.count];
        for (unsigned i = 0; i < instr->num_operands; i++) {
            struct mir_instr *def = opt_def(optimiser, &instr->operands[i]);
            if (def)
                mark_live(optimiser, &work, def);
        }
    }
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            bool live = instr->pass_flags;
            instr->pass_flags = 0;
            if (live)
                continue;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MIR_TEMP)
                    optimiser->uses[instr->operands[i].temp]--;
            }
            list_remove(&instr->link);
        }
    }
}

static bool reuse_all(struct optimiser *optimiser)
{
    bool changed = false;
    mir_foreach_block(optimiser->program, block)
    {
        struct table table = {0};
        mir_foreach_instr(block, instr) changed |= reuse_value(optimiser, &table, instr);
    }
    return changed;
}

#define MAX_ROUNDS 4

void amd_mir_optimise(struct mir_program *program)
{
    struct optimiser optimiser = {.program = program};
    split_tuples(program);
    index_program(&optimiser);
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        bool changed = false;
        if (round == 1)
            changed |= reuse_all(&optimiser);
        mir_foreach_block(program, block)
        {
            optimiser.here = block->index;
            mir_foreach_instr(block, instr) changed |= forward_copy(&optimiser, instr);
        }
        /* Only with the dead ones gone is a value's single use known. */
        amd_opt_remove_dead(&optimiser);
        mir_foreach_block(program, block)
        {
            optimiser.here = block->index;
            mir_foreach_instr(block, instr) changed |= amd_opt_combine(&optimiser, instr);
        }
        amd_opt_remove_dead(&optimiser);
        if (!changed && round > 0)
            return;
    }
}
