/* Halves of registers: an instruction reads them where they are. A vector of two halves is made by MKVEC, and a half of
 * one is taken by MKVEC, too: whoever reads its result selects the halves that it copies, where it can; what nothing
 * reads any more is dropped after it (mach_drop_dead). */
#include "mali/compiler/vir.h"

struct halves {
    struct mach_instr **def; /* by temporary; NULL: by a pseudo instruction */
    uint32_t *uses;
};

/* A half of a register. */
struct half {
    mach_temp temp;
    bool is_upper;
};

/* Elements of a selection of halves, lower one first; widen16 has the same numbers. */
static unsigned element_of(unsigned select, unsigned element)
{
    static const uint8_t elements[4][2] = {[MALI_ISA_HALVES_H00] = {0, 0},
                                           [MALI_ISA_HALVES_H10] = {1, 0},
                                           [MALI_ISA_HALVES_H01] = {0, 1},
                                           [MALI_ISA_HALVES_H11] = {1, 1}};
    return elements[select][element];
}

static uint8_t selection_of(bool low_is_upper, bool high_is_upper)
{
    static const uint8_t selections[2][2] = {{MALI_ISA_HALVES_H00, MALI_ISA_HALVES_H01},
                                             {MALI_ISA_HALVES_H10, MALI_ISA_HALVES_H11}};
    return VIR_SELECT(selections[low_is_upper][high_is_upper]);
}

/* The values that the two halves are copies of. */
static bool copied_halves(const struct mach_instr *def, struct half halves_out[2])
{
    if (!def || def->op != MALI_ISA_OP_MKVEC_V2I16)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct mach_operand *operand = &def->operands[i];
        const unsigned select = operand->select ? operand->select - 1u : MALI_ISA_HALVES_H01;
        if (operand->kind != MACH_TEMP || operand->flags)
            return false;
        halves_out[i] = (struct half){operand->temp, element_of(select, 0)};
    }
    return true;
}

/* Both halves at their own places: the register itself. */
static bool is_whole_copy(const struct half halves[2])
{
    return halves[0].temp == halves[1].temp && !halves[0].is_upper && halves[1].is_upper;
}

/* Whether the instruction looks at the lower element of the selection alone. */
static bool reads_one_half(unsigned op)
{
    switch (op) {
    case MALI_ISA_OP_MKVEC_V2I16:
    case MALI_ISA_OP_S16_TO_S32:
    case MALI_ISA_OP_S16_TO_F32:
    case MALI_ISA_OP_U16_TO_U32:
    case MALI_ISA_OP_U16_TO_F32:
    case MALI_ISA_OP_F16_TO_S32:
    case MALI_ISA_OP_F16_TO_U32:
        return true;
    default:
        return false;
    }
}

static bool select_halves(const struct mach_instr *instr, const struct half from[2], struct mach_operand *operand)
{
    const unsigned select = operand->select ? operand->select - 1u : MALI_ISA_HALVES_H01;
    if (select > MALI_ISA_HALVES_H11)
        return false;
    const struct half low = from[element_of(select, 0)],
                      high = reads_one_half(instr->op) ? low : from[element_of(select, 1)];
    if (low.temp != high.temp)
        return false;
    operand->temp = low.temp;
    operand->select = selection_of(low.is_upper, high.is_upper);
    return true;
}

/* Where the source selects one half by one of two numbers. */
static bool select_half(const struct half from[2], uint8_t lower, uint8_t upper, struct mach_operand *operand)
{
    if (operand->select != lower && operand->select != upper)
        return false;
    const struct half *half = &from[operand->select == upper];
    operand->temp = half->temp;
    operand->select = half->is_upper ? upper : lower;
    return true;
}

/* The operand's halves come from where they were copied from. */
static bool take_halves(struct halves *h, const struct mach_instr *instr, struct mach_operand *operand)
{
    struct half from[2];
    const struct mach_operand was = *operand;
    bool is_taken = false;
    if (operand->kind != MACH_TEMP || !copied_halves(h->def[operand->temp], from))
        return false;
    if (is_whole_copy(from)) {
        operand->temp = from[0].temp;
        is_taken = true;
    } else if (!mach_is_pseudo(instr) && operand->place <= VIR_SOURCE3) {
        switch (mali_isa_source_selection(instr->op, operand->place)) {
        case MALI_ISA_SELECT_HALF: /* without a selection it is a word */
            is_taken = select_half(from, VIR_SELECT(MALI_ISA_HALF_H0), VIR_SELECT(MALI_ISA_HALF_H1), operand);
            break;
        case MALI_ISA_SELECT_HALFWORD:
            is_taken = select_half(from, VIR_SELECT(MALI_ISA_HALFWORD_H0), VIR_SELECT(MALI_ISA_HALFWORD_H1), operand);
            break;
        case MALI_ISA_SELECT_HALVES:
        case MALI_ISA_SELECT_WIDEN16:
            is_taken = select_halves(instr, from, operand);
            break;
        default:
            break;
        }
    }
    if (is_taken) {
        h->uses[was.temp]--;
        h->uses[operand->temp]++;
    }
    return is_taken;
}

/* Two singles that are rounded to halves, which are put together: one instruction rounds both. */
static void take_rounding(struct halves *h, struct mach_instr *instr)
{
    struct half halves[2];
    const struct mach_instr *def[2];
    if (!copied_halves(instr, halves))
        return;
    for (unsigned i = 0; i < 2; i++) {
        def[i] = h->def[halves[i].temp];
        if (!def[i] || def[i]->op != MALI_ISA_OP_V2F32_TO_V2F16 || halves[i].is_upper || h->uses[halves[i].temp] != 1)
            return;
    }
    const struct mali_isa_inst *isa = vir_isa(def[0]), *other = vir_isa(def[1]);
    if (isa->field[MALI_ISA_FIELD_ROUND] != other->field[MALI_ISA_FIELD_ROUND] ||
        isa->field[MALI_ISA_FIELD_CLAMP] != other->field[MALI_ISA_FIELD_CLAMP])
        return;
    instr->op = MALI_ISA_OP_V2F32_TO_V2F16;
    *vir_isa(instr) = *isa;
    for (unsigned i = 0; i < 2; i++) {
        instr->operands[i] = def[i]->operands[0];
        instr->operands[i].place = (uint8_t)i;
        if (instr->operands[i].kind == MACH_TEMP)
            h->uses[instr->operands[i].temp]++;
        h->uses[halves[i].temp]--;
    }
}

static bool has_one_source_of_halves(unsigned op)
{
    switch (op) {
    case MALI_ISA_OP_V2S16_TO_V2F16:
    case MALI_ISA_OP_V2U16_TO_V2F16:
    case MALI_ISA_OP_V2F16_TO_V2S16:
    case MALI_ISA_OP_V2F16_TO_V2U16:
    case MALI_ISA_OP_FROUND_V2F16:
        return true;
    default:
        return false;
    }
}

/* The half that the lower element of the instruction's result is made of. */
static bool source_half(const struct mach_instr *def, struct half *half_out)
{
    const struct mach_operand *operand = &def->operands[0];
    const unsigned select = operand->select ? operand->select - 1u : MALI_ISA_HALVES_H01;
    if (operand->kind != MACH_TEMP || select > MALI_ISA_HALVES_H11)
        return false;
    *half_out = (struct half){operand->temp, element_of(select, 0)};
    return true;
}

/* Two halves of one register that are converted or rounded each for itself, and put together. */
static void take_conversions(struct halves *h, struct mach_instr *instr)
{
    struct half halves[2], from[2];
    const struct mach_instr *def[2];
    if (!copied_halves(instr, halves))
        return;
    for (unsigned i = 0; i < 2; i++) {
        def[i] = h->def[halves[i].temp];
        if (!def[i] || !has_one_source_of_halves(def[i]->op) || halves[i].is_upper || h->uses[halves[i].temp] != 1 ||
            !source_half(def[i], &from[i]))
            return;
    }
    if (def[0]->op != def[1]->op || from[0].temp != from[1].temp ||
        def[0]->operands[0].flags != def[1]->operands[0].flags ||
        vir_isa(def[0])->field[MALI_ISA_FIELD_ROUND] != vir_isa(def[1])->field[MALI_ISA_FIELD_ROUND])
        return;
    instr->op = def[0]->op;
    instr->num_operands = 1;
    *vir_isa(instr) = *vir_isa(def[0]);
    instr->operands[0] = def[0]->operands[0];
    instr->operands[0].select = selection_of(from[0].is_upper, from[1].is_upper);
    h->uses[from[0].temp]++;
    for (unsigned i = 0; i < 2; i++)
        h->uses[halves[i].temp]--;
}

static void take_all(struct halves *h, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        while (take_halves(h, instr, &instr->operands[i]))
            continue;
    }
}

void mali_vir_halves(struct mach_program *program)
{
    struct halves h = {mach_alloc(program, program->num_temps * sizeof(*h.def)),
                       mach_alloc(program, program->num_temps * sizeof(*h.uses))};
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (instr->num_defs == 1 && !mach_is_pseudo(instr))
                h.def[instr->defs[0].temp] = instr;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MACH_TEMP)
                    h.uses[instr->operands[i].temp]++;
            }
        }
    }
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            take_all(&h, instr);
            take_rounding(&h, instr);
            take_conversions(&h, instr);
        }
    }
    /* Values that come around a loop were not looked at yet when their phi was. */
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (instr->op == MACH_P_PHI)
                take_all(&h, instr);
        }
    }
}
