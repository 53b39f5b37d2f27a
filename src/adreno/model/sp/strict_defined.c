/* Strict mode: values that nothing has written. Compilers read such registers where nothing comes of it (a component
 * that is not used, a lane that a select leaves out), so a read alone is no mistake: what it computes has no defined
 * value either, and a report follows where such a value is an address, a coordinate, stored, decides a branch, or is an
 * output. Kept by halves of registers and by lanes. Not for constants and memory, whose words always count as
 * written. */
#include "adreno/model/sp/memory.h"
#include "adreno/model/sp/strict.h"

static const char *const special_names[] = {"a0.x", "a1.x", "p0.x", "p0.y", "p0.z", "p0.w"};

void adreno_sp_strict_define(struct strict_defined *defined, const struct strict_register *reg, struct lane_mask lanes)
{
    const unsigned unit = strict_unit_of(reg);
    for (unsigned i = 0; i < strict_units(reg); i++)
        defined->units[unit + i] = lane_mask_or(defined->units[unit + i], lanes);
}

/* Lanes that have a value in all of a register. */
static struct lane_mask defined_lanes(const struct strict_defined *defined, const struct strict_register *reg)
{
    const unsigned unit = strict_unit_of(reg);
    return reg->is_half ? defined->units[unit] : lane_mask_and(defined->units[unit], defined->units[unit + 1]);
}

/* ---- uses ---- */

static void report_undefined(struct adreno_wave *wave, const struct sp_uop *uop, const struct strict_register *reg,
                             const char *what)
{
    adreno_sp_fault(wave, uop, ADRENO_FAULT_STRICT, "%sr%u.%c %s, and nothing has written its value",
                    reg->is_half ? "h" : "", reg->component / 4u, "xyzw"[reg->component % 4], what);
}

/* Instructions whose results are made of their sources: no use by itself. */
static bool is_passed_on(unsigned op)
{
    const bool is_quad = (op >= ADRENO_ISA_OP_DSX && op <= ADRENO_ISA_OP_DSY) ||
                         (op >= ADRENO_ISA_OP_DSXPP_1 && op <= ADRENO_ISA_OP_DSYPP_1) ||
                         (op >= ADRENO_ISA_OP_BRCST_ACTIVE && op <= ADRENO_ISA_OP_QUAD_SHUFFLE_DIAG);
    return (op >= ADRENO_ISA_OP_MOV && op < ADRENO_ISA_OP_ISAM) || is_quad || op == ADRENO_ISA_OP_SHFL;
}

static bool is_flow(unsigned op)
{
    return op < ADRENO_ISA_OP_MOV;
}

/* Data of private memory and of constants: a register that is spilled, or a vector of which a part is used. */
static bool is_kept(unsigned op, const struct strict_register *reg)
{
    return (op == ADRENO_ISA_OP_STP && reg->source == 1) || op == ADRENO_ISA_OP_STC;
}

static bool is_store(const struct strict_facts *facts)
{
    return facts->write_count == 0;
}

void adreno_sp_strict_check_defined(struct adreno_wave *wave, const struct sp_uop *uop, struct strict_defined *defined,
                                    const struct strict_facts *facts)
{
    const unsigned op = uop->inst->op;
    for (unsigned i = 0; i < 6; i++) {
        const bool is_address = i < 2;
        if (facts->reads_special >> i & 1 && (is_address || is_flow(op)) &&
            lane_mask_any(lane_mask_and_not(wave->active, defined->special[i])))
            adreno_sp_fault(wave, uop, ADRENO_FAULT_STRICT, "%s %s, and nothing has written its value",
                            special_names[i], is_address ? "is an address" : "decides where lanes go");
    }
    for (unsigned i = 0; i < facts->read_count && !is_passed_on(op); i++) {
        const struct strict_register *reg = &facts->reads[i];
        struct lane_mask lanes = lane_mask_and(strict_lanes_of(wave, reg), wave->active);
        if (is_store(facts))
            lanes = lane_mask_and(lanes, wave->covered);
        if (!is_kept(op, reg) && lane_mask_any(lane_mask_and_not(lanes, defined_lanes(defined, reg))))
            report_undefined(wave, uop, reg, "is an address, a coordinate or stored");
    }
}

void adreno_sp_strict_check_output(struct adreno_wave *wave, const struct sp_uop *uop,
                                   const struct strict_defined *defined, const struct strict_register *reg)
{
    const struct lane_mask lanes = lane_mask_and(wave->active, wave->covered);
    if (lane_mask_any(lane_mask_and_not(lanes, defined_lanes(defined, reg))))
        report_undefined(wave, uop, reg, "is an output");
}

/* ---- results ---- */

/* Lanes of a select that take a source: the first where the second one is not zero, else the third. */
static struct lane_mask selected(struct adreno_wave *wave, const struct adreno_isa_inst *inst, unsigned source)
{
    const struct adreno_isa_operand *condition = &inst->operands[ADRENO_ISA_PLACE_SRC1];
    const struct sp_column column =
        sp_column(wave, (unsigned)condition->value, condition->flags & ADRENO_ISA_FLAG_HALF);
    struct lane_mask lanes = lane_mask_none();
    lane_mask_foreach(wave->active, i)
    {
        if ((sp_get(&column, i) != 0) == (source == 0))
            lanes = lane_mask_with(lanes, i);
    }
    return lanes;
}

/* Lanes that get a defined value in step `step`. */
static struct lane_mask result_lanes(struct adreno_wave *wave, const struct adreno_isa_inst *inst,
                                     const struct strict_defined *defined, const struct strict_facts *facts,
                                     unsigned step)
{
    struct lane_mask result = adreno_wave_all(wave);
    const bool is_select = inst->op == ADRENO_ISA_OP_SEL_B16 || inst->op == ADRENO_ISA_OP_SEL_B32;
    if (!is_passed_on(inst->op))
        return result;
    for (unsigned i = 0; i < facts->read_count; i++) {
        const struct strict_register *reg = &facts->reads[i];
        if (reg->step != STRICT_ALL_STEPS && step != STRICT_ALL_STEPS && reg->step != step)
            continue;
        struct lane_mask missing = lane_mask_and_not(strict_lanes_of(wave, reg), defined_lanes(defined, reg));
        if (is_select && reg->source != 1 && !inst->field[ADRENO_ISA_FIELD_REPEAT])
            missing = lane_mask_and(missing, selected(wave, inst, reg->source));
        result = lane_mask_and_not(result, missing);
    }
    for (unsigned i = 0; i < 6; i++) {
        if (facts->reads_special >> i & 1)
            result = lane_mask_and_not(result, lane_mask_and_not(wave->active, defined->special[i]));
    }
    return result;
}

/* A shared register has the value of one lane in all of them: the first that runs, or the one that movs names. */
static struct lane_mask spread_lane(struct adreno_wave *wave, const struct adreno_isa_inst *inst,
                                    struct lane_mask result)
{
    const struct adreno_isa_operand *fiber = &inst->operands[ADRENO_ISA_PLACE_SRC1];
    unsigned lane = lane_mask_lowest(wave->active);
    if (inst->op == ADRENO_ISA_OP_MOVS)
        lane = fiber->kind == ADRENO_ISA_OPERAND_NUMBER ? (unsigned)fiber->value
                                                        : adreno_wave_row(wave, ADRENO_ISA_REG_A0)[lane];
    return lane_mask_has(result, lane % wave->lanes) ? adreno_wave_all(wave) : lane_mask_none();
}

void adreno_sp_strict_keep_defined(struct adreno_wave *wave, const struct adreno_isa_inst *inst,
                                   struct strict_defined *defined, const struct strict_facts *facts)
{
    struct lane_mask results[STRICT_REGISTERS];
    for (unsigned i = 0; i < facts->write_count; i++) {
        const struct strict_register *reg = &facts->writes[i];
        results[i] = result_lanes(wave, inst, defined, facts, reg->step);
        if (sp_is_shared(reg->component))
            results[i] = spread_lane(wave, inst, results[i]);
    }
    const struct lane_mask special = result_lanes(wave, inst, defined, facts, STRICT_ALL_STEPS);
    for (unsigned i = 0; i < 6; i++) {
        if (facts->writes_special >> i & 1)
            defined->special[i] = lane_mask_or(lane_mask_and_not(defined->special[i], wave->active),
                                               lane_mask_and(special, wave->active));
    }
    for (unsigned i = 0; i < facts->write_count; i++) {
        const struct strict_register *reg = &facts->writes[i];
        const struct lane_mask lanes = strict_lanes_of(wave, reg);
        const unsigned unit = strict_unit_of(reg);
        for (unsigned n = unit; n < unit + strict_units(reg); n++)
            defined->units[n] =
                lane_mask_or(lane_mask_and_not(defined->units[n], lanes), lane_mask_and(results[i], lanes));
    }
}
