/* Loads of neighbours: where lane after lane loads the dword after the last one's, one vector is loaded.
 *
 * Authors check an offset against a limit, load at zero where it is beyond, and make the result zero there:
 *
 *     good = offset < limit;  value = load(offset & good) & good
 *
 * If the offset is four times the lane's number and something that all lanes have in common, all of that is one
 * JIT_LOAD_NEAR, whose code looks at the first and the last lane of a vector. The same if lanes number elements, which
 * may be as far as 2^32 and stop at the limit before they are made offsets (program.h: lane_program_element):
 *
 *     offset = min(element, limit) << 2;  good = offset < limit << 2
 * A JIT_WRITE of such an offset is one
 * JIT_WRITE_NEAR, whose code looks at the condition of all lanes of a vector. */
#include <string.h>

#include "model/jit_maker.h"

/* How much a value grows from lane to lane. */
struct step {
    bool is_known;
    uint32_t by;
};

static struct step step_of(const struct jit_inst *insts, const struct step *steps, uint32_t i, bool is_same)
{
    const struct jit_inst *inst = &insts[i];
    const unsigned operands = jit_operand_count(inst->op);
    const struct step none = {false, 0}, x = operands > 0 && inst->a < i ? steps[inst->a] : none,
                      y = operands > 1 && inst->b < i ? steps[inst->b] : none;
    if (is_same)
        return (struct step){true, 0};
    switch ((enum jit_op)inst->op) {
    case JIT_LANE:
        return (struct step){true, 1};
    case JIT_ADD:
        return (struct step){x.is_known && y.is_known, x.by + y.by};
    case JIT_SUB:
        return (struct step){x.is_known && y.is_known, x.by - y.by};
    case JIT_SHL_IMM:
        return (struct step){x.is_known, x.by << inst->imm};
    default:
        return none;
    }
}

static void find_steps(const struct jit_inst *insts, uint32_t count, const bool *is_same, struct step *steps)
{
    for (uint32_t i = 0; i < count; i++)
        steps[i] = step_of(insts, steps, i, is_same[i]);
}

bool jit_find_step(const struct jit_inst *insts, uint32_t count, jit_value value, uint32_t *step_out)
{
    bool is_same[JIT_MAX_INSTS];
    struct step steps[JIT_MAX_INSTS];
    jit_find_same(insts, count, is_same);
    find_steps(insts, count, is_same, steps);
    *step_out = steps[value].by;
    return steps[value].is_known;
}

/* The comparison of an offset with a limit that all lanes have in common, which `both` is the offset where it is good
 * of. */
static bool find_check(const struct jit_inst *insts, const bool *is_same, jit_value both, jit_value *offset_out,
                       jit_value *good_out)
{
    if (insts[both].op != JIT_AND)
        return false;
    for (unsigned way = 0; way < 2; way++) {
        const jit_value offset = way ? insts[both].b : insts[both].a, good = way ? insts[both].a : insts[both].b;
        if (insts[good].op == JIT_LT_U && insts[good].a == offset && is_same[insts[good].b]) {
            *offset_out = offset;
            *good_out = good;
            return true;
        }
    }
    return false;
}

/* An offset that grows by four from lane to lane as long as it is below the limit. */
static bool is_near(const struct jit_inst *insts, const struct step *steps, jit_value offset, jit_value limit)
{
    const struct jit_inst *shift = &insts[offset], *most = &insts[limit];
    if (steps[offset].is_known)
        return steps[offset].by == 4;
    if (shift->op != JIT_SHL_IMM || shift->imm != 2 || most->op != JIT_SHL_IMM || most->imm != 2 ||
        insts[shift->a].op != JIT_MIN_U || insts[shift->a].b != most->a)
        return false;
    const struct step element = steps[insts[shift->a].a];
    return element.is_known && element.by == 1;
}

/* Which loads are such: the comparison of each, else JIT_NONE. Others may use the offset and the comparison, but what
 * is loaded must be used together with that alone. */
static bool find_loads(const struct jit_inst *insts, uint32_t count, const bool *is_same, const struct step *steps,
                       jit_value *goods)
{
    bool has_any = false;
    for (uint32_t i = 0; i < count; i++) {
        jit_value offset, good;
        goods[i] = JIT_NONE;
        if (insts[i].op == JIT_LOAD && !is_same[i] && find_check(insts, is_same, insts[i].a, &offset, &good) &&
            is_near(insts, steps, offset, insts[good].b)) {
            goods[i] = good;
            has_any = true;
        }
    }
    for (uint32_t i = 0; i < count && has_any; i++) {
        for (unsigned n = 0; n < jit_operand_count(insts[i].op); n++) {
            const jit_value v = jit_operand(&insts[i], n);
            if (v != JIT_NONE && goods[v] != JIT_NONE &&
                (insts[i].op != JIT_AND || jit_operand(&insts[i], !n) != goods[v]))
                goods[v] = JIT_NONE;
        }
    }
    return has_any;
}

static void give_name(jit_value *v, const jit_value *names)
{
    if (*v != JIT_NONE)
        *v = names[*v];
}

void jit_find_near(struct jit_inst *insts, uint32_t count, const bool *is_same)
{
    jit_value goods[JIT_MAX_INSTS], names[JIT_MAX_INSTS];
    struct step steps[JIT_MAX_INSTS];
    find_steps(insts, count, is_same, steps);
    const bool has_loads = find_loads(insts, count, is_same, steps, goods);
    for (uint32_t i = 0; i < count; i++) {
        if (insts[i].op == JIT_WRITE && steps[insts[i].a].is_known && steps[insts[i].a].by == 4)
            insts[i].op = JIT_WRITE_NEAR;
    }
    if (!has_loads)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct jit_inst *inst = &insts[i];
        names[i] = (jit_value)i;
        if (inst->op == JIT_AND && (goods[inst->a] != JIT_NONE || goods[inst->b] != JIT_NONE))
            names[i] = goods[inst->a] != JIT_NONE ? inst->a : inst->b;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct jit_inst *inst = &insts[i];
        const unsigned operands = jit_operand_count(inst->op);
        if (goods[i] != JIT_NONE)
            *inst = (struct jit_inst){
                .op = JIT_LOAD_NEAR, .a = insts[goods[i]].a, .b = insts[goods[i]].b, .c = JIT_NONE, .imm = inst->imm};
        else if (operands > 0)
            give_name(&inst->a, names);
        if (goods[i] == JIT_NONE && operands > 1)
            give_name(&inst->b, names);
        if (goods[i] == JIT_NONE && operands > 2)
            give_name(&inst->c, names);
    }
}
