/* Numbers and uniforms: what an instruction can read beside registers. A number becomes one of the constants that every
 * source can name, or a word of the program's uniforms; what does not fit through the buffer of two words (isa.h) is
 * moved to a register before the instruction. */
#include "mali/compiler/vir.h"

struct legalise {
    struct mach_program *program;
    struct vir_uniforms *uniforms;
};

static bool is_wide(const struct mach_instr *instr, const struct mach_operand *operand)
{
    return operand->place <= VIR_SOURCE3 && mali_isa_source_flags(instr->op, operand->place) & MALI_ISA_SOURCE_WIDE &&
           !(mali_isa_source_selection(instr->op, operand->place) == MALI_ISA_SELECT_WIDEN64 && operand->select > 1);
}

/* ---- numbers ---- */

/* A word of the uniforms that holds the number; -1: there is no room. */
static int immediate_word(struct vir_uniforms *uniforms, uint32_t value)
{
    for (uint32_t i = 0; i < uniforms->count; i++) {
        if (uniforms->immediates[i] == value)
            return (int)(uniforms->first_immediate + i);
    }
    if (uniforms->count == uniforms->capacity)
        return -1;
    uniforms->immediates[uniforms->count] = value;
    return (int)(uniforms->first_immediate + uniforms->count++);
}

/* A pair of 64 bits, whose upper half is zero: an even word and the one after it. */
static int immediate_pair(struct vir_uniforms *uniforms, uint32_t value)
{
    const uint32_t odd = uniforms->first_immediate % 2;
    for (uint32_t i = odd; i + 1 < uniforms->count; i += 2) {
        if (uniforms->immediates[i] == value && uniforms->immediates[i + 1] == 0)
            return (int)(uniforms->first_immediate + i);
    }
    const uint32_t first = uniforms->count + (uniforms->count % 2 != odd);
    if (first + 2 > uniforms->capacity)
        return -1;
    uniforms->immediates[first] = value;
    uniforms->count = first + 2;
    return (int)(uniforms->first_immediate + first);
}

/* ---- registers ---- */

static mach_temp move_word(struct legalise *l, struct list *before, struct mach_operand from)
{
    struct mach_builder builder = {l->program, before};
    const mach_temp to = mach_new_temp(l->program, VIR_RUN(1));
    from.place = VIR_SOURCE0;
    from.select = from.flags = 0;
    if (from.kind != MACH_NUMBER) {
        mali_vir_instr(&builder, MALI_ISA_OP_MOV_I32, to, 1, &from);
        return to;
    }
    const int constant = mali_vir_constant((uint32_t)from.value);
    const struct mach_operand zero = vir_constant(constant >= 0 ? (unsigned)constant : 0);
    struct mach_instr *instr =
        mali_vir_instr(&builder, constant >= 0 ? MALI_ISA_OP_MOV_I32 : MALI_ISA_OP_IADD_IMM_I32, to, 1, &zero);
    vir_isa(instr)->number[0] = constant >= 0 ? 0 : (uint32_t)from.value;
    return to;
}

static struct mach_operand upper_word(struct mach_operand operand)
{
    operand.value = operand.kind == MACH_NUMBER ? 0 : operand.value + 1;
    return operand;
}

static void move_to_register(struct legalise *l, struct mach_instr *instr, struct mach_operand *operand)
{
    mach_temp words[2] = {move_word(l, &instr->link, *operand), 0}, run = words[0];
    if (is_wide(instr, operand)) {
        struct mach_builder builder = {l->program, &instr->link};
        words[1] = move_word(l, &instr->link, upper_word(*operand));
        run = mach_new_temp(l->program, VIR_RUN(2));
        struct mach_instr *collect = mach_new_instr(&builder, MACH_P_COLLECT, 1, 2);
        collect->defs[0].temp = run;
        collect->operands[0] = mach_use(words[0]);
        collect->operands[1] = mach_use(words[1]);
    }
    operand->kind = MACH_TEMP;
    operand->temp = run;
    operand->reg = MACH_NO_REG;
}

/* ---- what fits ---- */

static struct mali_isa_source source_of(const struct mach_operand *operand, int *page)
{
    switch (operand->kind) {
    case VIR_UNIFORM:
        *page = operand->value / 64;
        return (struct mali_isa_source){.kind = MALI_ISA_SOURCE_UNIFORM, .value = (uint8_t)operand->value};
    case VIR_SPECIAL:
        *page = operand->value >> 8;
        return (struct mali_isa_source){.kind = MALI_ISA_SOURCE_SPECIAL, .value = (uint8_t)operand->value};
    case VIR_CONSTANT:
        return (struct mali_isa_source){.kind = MALI_ISA_SOURCE_CONSTANT, .value = (uint8_t)operand->value};
    default:
        return (struct mali_isa_source){.kind = MALI_ISA_SOURCE_REGISTER};
    }
}

/* The last operand that the hardware cannot read with those before it; -1: all fit. */
static int first_misfit(const struct mach_instr *instr)
{
    struct mali_isa_inst inst = {.op = instr->op};
    int page = -1;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        int own_page = -1;
        if (operand->kind == MACH_TEMP || operand->kind == VIR_REGISTER || operand->place > VIR_SOURCE3)
            continue;
        inst.sources[operand->place] = source_of(operand, &own_page);
        if ((own_page >= 0 && page >= 0 && own_page != page) || !mali_isa_sources_fit(&inst) ||
            (operand->kind == VIR_UNIFORM && operand->value % 2 && is_wide(instr, operand)))
            return (int)i;
        page = own_page >= 0 ? own_page : page;
    }
    return -1;
}

/* A number of 64 bits is one whose upper half is zero. */
static bool place_number(struct legalise *l, const struct mach_instr *instr, struct mach_operand *operand)
{
    const int constant = is_wide(instr, operand) ? -1 : mali_vir_constant((uint32_t)operand->value);
    if (is_wide(instr, operand)) {
        const int pair = immediate_pair(l->uniforms, (uint32_t)operand->value);
        operand->kind = pair >= 0 ? VIR_UNIFORM : operand->kind;
        operand->value = pair >= 0 ? pair : operand->value;
        return pair >= 0;
    }
    const int word = constant < 0 ? immediate_word(l->uniforms, (uint32_t)operand->value) : -1;
    if (constant < 0 && word < 0)
        return false;
    operand->kind = constant >= 0 ? VIR_CONSTANT : VIR_UNIFORM;
    operand->value = constant >= 0 ? constant : word;
    return true;
}

static void legalise_instr(struct legalise *l, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct mach_operand *operand = &instr->operands[i];
        const struct mach_operand was = *operand;
        if (operand->kind == MACH_UNDEF)
            *operand = (struct mach_operand){.kind = VIR_CONSTANT, .place = was.place, .reg = MACH_NO_REG};
        if (operand->kind == MACH_TEMP || operand->kind == MACH_NONE || operand->kind == VIR_REGISTER)
            continue;
        if (operand->place > VIR_SOURCE3 || (operand->kind == MACH_NUMBER && !place_number(l, instr, operand))) {
            move_to_register(l, instr, operand);
            continue;
        }
        if (first_misfit(instr) == (int)i) {
            *operand = was;
            move_to_register(l, instr, operand);
        }
    }
}

void mali_vir_legalise(struct mach_program *program, struct vir_uniforms *uniforms)
{
    struct legalise l = {program, uniforms};
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (!mach_is_pseudo(instr))
                legalise_instr(&l, instr);
        }
    }
}
