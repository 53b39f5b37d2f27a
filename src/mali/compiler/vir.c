/* Machine code of Valhall: instructions with their templates, text, spilling. */
#include "mali/compiler/vir.h"

#include "util/strbuf.h"

struct mach_instr *mali_vir_instr(struct mach_builder *builder, unsigned op, mach_temp result, unsigned count,
                                  const struct mach_operand *operands)
{
    struct mach_instr *instr = mach_new_instr(builder, op, result ? 1 : 0, count);
    mali_isa_begin(op, vir_isa(instr));
    if (result)
        instr->defs[0].temp = result;
    for (unsigned i = 0; i < count; i++) {
        instr->operands[i] = operands[i];
        if (operands[i].place == 0)
            instr->operands[i].place = (uint8_t)i;
    }
    return instr;
}

int mali_vir_constant(uint32_t value)
{
    for (int i = 0; i < 32; i++) {
        if (mali_isa_constants[i] == value)
            return i;
    }
    return -1;
}

/* ---- text ---- */

static const char *name_of(unsigned op)
{
    return mali_isa_name(op);
}

static void print_operand(const struct mach_program *program, struct strbuf *text, const struct mach_operand *operand)
{
    (void)program;
    static const char *const marks[] = {"u", "special", "constant", "r"};
    strbuf_printf(text, "%s%d", marks[operand->kind - VIR_UNIFORM], operand->value);
}

static void print_register(struct strbuf *text, mach_reg reg, struct mach_class class)
{
    (void)class;
    strbuf_printf(text, "r%u", reg);
}

/* ---- spilling ---- */

/* Beyond what an access has room for. */
static struct mach_operand far_address(struct mach_builder *builder, uint32_t offset_B)
{
    struct mach_program *program = builder->program;
    const mach_temp offset = mach_new_temp(program, VIR_RUN(1)), address = mach_new_temp(program, VIR_RUN(2));
    const struct mach_operand zero = vir_constant(0);
    program->temps[offset].is_spilled = program->temps[address].is_spilled = true;
    struct mach_instr *instr = mali_vir_instr(builder, MALI_ISA_OP_IADD_IMM_I32, offset, 1, &zero);
    vir_isa(instr)->number[0] = offset_B;
    struct mach_operand sum[2] = {vir_special(VIR_TLS), mach_use(offset)};
    sum[1].select = VIR_SELECT(MALI_ISA_WIDEN64_W0);
    mali_vir_instr(builder, MALI_ISA_OP_IADD_U64, address, 2, sum);
    return mach_use(address);
}

/* Slots are words of thread-local storage; an access names up to four of them. */
static void access_words(struct mach_builder *builder, bool is_store, mach_temp value, uint32_t slot)
{
    static const uint16_t loads[] = {MALI_ISA_OP_LOAD_I32, MALI_ISA_OP_LOAD_I64, MALI_ISA_OP_LOAD_I96,
                                     MALI_ISA_OP_LOAD_I128};
    static const uint16_t stores[] = {MALI_ISA_OP_STORE_I32, MALI_ISA_OP_STORE_I64, MALI_ISA_OP_STORE_I96,
                                      MALI_ISA_OP_STORE_I128};
    const unsigned comps = builder->program->temps[value].class.comps;
    const bool is_far = slot * 4 > INT16_MAX;
    struct mach_operand operands[2] = {is_far ? far_address(builder, slot * 4) : vir_special(VIR_TLS), mach_use(value)};
    operands[1].place = VIR_STAGING0;
    struct mach_instr *instr = mali_vir_instr(builder, (is_store ? stores : loads)[comps - 1], is_store ? 0 : value,
                                              is_store ? 2 : 1, operands);
    vir_isa(instr)->number[0] = is_far ? 0 : slot * 4;
    instr->is_spill = true;
    instr->has_effect = is_store;
    if (is_store) /* of helpers, too */
        vir_isa(instr)->field[MALI_ISA_FIELD_ACCESS] = MALI_ISA_ACCESS_FORCE;
}

/* A run that no access takes whole goes word by word. */
static void access_run(struct mach_builder *builder, bool is_store, mach_temp value, unsigned comps, uint32_t slot)
{
    struct mach_program *program = builder->program;
    struct mach_instr *run = is_store ? mach_new_instr(builder, MACH_P_SPLIT, comps, 1) : NULL;
    mach_temp words[UINT8_MAX];
    for (unsigned i = 0; i < comps; i++) {
        words[i] = mach_new_temp(program, VIR_RUN(1));
        program->temps[words[i]].is_spilled = true;
        if (run)
            run->defs[i].temp = words[i];
    }
    for (unsigned i = 0; i < comps; i++)
        access_words(builder, is_store, words[i], slot + i);
    if (!run)
        run = mach_new_instr(builder, MACH_P_COLLECT, 1, comps);
    if (is_store)
        run->operands[0] = mach_use(value);
    else
        run->defs[0].temp = value;
    for (unsigned i = 0; i < comps && !is_store; i++)
        run->operands[i] = mach_use(words[i]);
}

static void access_spill(struct mach_program *program, struct list *before, bool is_store, mach_temp value,
                         uint32_t slot)
{
    struct mach_builder builder = {program, before};
    const unsigned comps = program->temps[value].class.comps;
    if (comps > 4)
        access_run(&builder, is_store, value, comps, slot);
    else
        access_words(&builder, is_store, value, slot);
}

/* Copies of what can be read anywhere. */
static bool can_repeat(const struct mach_instr *instr)
{
    const struct mach_operand *operand = &instr->operands[0];
    return (instr->op == MALI_ISA_OP_MOV_I32 || instr->op == MALI_ISA_OP_IADD_IMM_I32) && instr->num_operands == 1 &&
           (operand->kind == VIR_UNIFORM || operand->kind == VIR_CONSTANT ||
            (operand->kind == VIR_SPECIAL && operand->value != VIR_PROGRAM_COUNTER));
}

const struct machine mali_vir_machine = {.template_B = sizeof(struct mali_isa_inst),
                                         .name = name_of,
                                         .print_operand = print_operand,
                                         .print_register = print_register,
                                         .access_spill = access_spill,
                                         .can_repeat = can_repeat};
