/* Machine code of A6xx: which registers it names, its text, spilling to private memory. */
#include "adreno/compiler/air.h"

#include "util/strbuf.h"

/* ---- registers ---- */

static struct air_span span_of(unsigned component, bool is_half, unsigned count)
{
    const unsigned halves = is_half ? 1 : 2, shared = component - ADRENO_ISA_REG_SHARED;
    if (component >= ADRENO_ISA_REG_P0)
        return (struct air_span){(uint16_t)(AIR_UNIT_P0 + component % 4), 1, false};
    if (component >= ADRENO_ISA_REG_A0)
        return (struct air_span){(uint16_t)(AIR_UNIT_A0 + component % 4), 1, false};
    if (component >= ADRENO_ISA_REG_SHARED)
        return (struct air_span){(uint16_t)(AIR_UNIT_SHARED + shared * 2), (uint16_t)(count * 2), is_half};
    return (struct air_span){(uint16_t)(component * halves), (uint16_t)(count * halves), is_half};
}

static struct air_span array_span(const struct mach_program *program, unsigned component, bool is_relative)
{
    if (is_relative)
        return (struct air_span){air_own(program)->array_reg, air_own(program)->array_halves, false};
    return (struct air_span){(uint16_t)(air_own(program)->array_reg + component * 2), 2, false};
}

struct air_span adreno_air_read(const struct mach_program *program, const struct mach_operand *operand)
{
    if (operand->kind == AIR_CONST_RELATIVE)
        return (struct air_span){AIR_UNIT_A0, 1, false};
    if (operand->kind == AIR_ARRAY || operand->kind == AIR_ARRAY_RELATIVE)
        return array_span(program, (unsigned)operand->value, operand->kind == AIR_ARRAY_RELATIVE);
    if (operand->kind == AIR_SPECIAL)
        return span_of((unsigned)operand->value, operand->flags & ADRENO_ISA_FLAG_HALF, 1);
    if (operand->kind != MACH_TEMP)
        return (struct air_span){0};
    const struct mach_class class = program->temps[operand->temp].class;
    return (struct air_span){operand->reg, (uint16_t)mach_units(class), air_is_half(class)};
}

struct air_span adreno_air_written(const struct mach_program *program, const struct mach_instr *instr, unsigned def)
{
    static const uint8_t places[] = {ADRENO_ISA_PLACE_DST, ADRENO_ISA_PLACE_DST1};
    if (!instr->defs[def].temp && instr->defs[def].special >= AIR_SPECIAL_ARRAY)
        return array_span(program, instr->defs[def].special - AIR_SPECIAL_ARRAY, instr->defs[def].is_relative);
    if (!instr->defs[def].temp)
        return span_of(instr->defs[def].special, air_isa(instr)->operands[places[def]].flags & ADRENO_ISA_FLAG_HALF,
                       instr->defs[def].count ? instr->defs[def].count : 1);
    const struct mach_class class = program->temps[instr->defs[def].temp].class;
    return (struct air_span){instr->defs[def].reg, (uint16_t)mach_units(class), air_is_half(class)};
}

/* ---- text ---- */

static void print_register(struct strbuf *text, mach_reg reg, struct mach_class class)
{
    const unsigned component = reg / class.size;
    strbuf_printf(text, "%sr%u.%c", air_is_half(class) ? "h" : "", component / 4, "xyzw"[component % 4]);
}

static void print_operand(const struct mach_program *program, struct strbuf *text, const struct mach_operand *operand)
{
    (void)program;
    static const char *const marks[] = {"c", "c<a0.x>", "float", "special", "array", "array<a0.x>"};
    strbuf_printf(text, "%s%d", marks[operand->kind - AIR_CONST], operand->value);
}

static void print_flags(struct strbuf *text, unsigned flags)
{
    strbuf_append(text, flags & ADRENO_ISA_FLAG_NOT ? "!" : "");
    strbuf_append(text, flags & ADRENO_ISA_FLAG_NEG ? "-" : "");
    strbuf_append(text, flags & ADRENO_ISA_FLAG_ABS ? "|" : "");
}

/* ---- hazards ---- */

/* Who writes sources of special functions, textures and memory waits by (ss). */
static unsigned reads_late(const struct mach_instr *instr)
{
    if (instr->op >= ADRENO_ISA_OP_RCP && instr->op <= ADRENO_ISA_OP_HEXP2)
        return 12;
    return instr->op >= ADRENO_ISA_OP_ISAM && instr->op < ADRENO_ISA_OP_BAR ? 20 : 0;
}

/* ---- spilling ---- */

#define MAX_OFFSET_B 4092 /* of an access to private memory */
#define MAX_ACCESS 4      /* components of one */

static mach_temp number(struct mach_program *program, struct list *before, uint32_t value)
{
    struct mach_builder builder = {program, before};
    struct mach_instr *mov = mach_new_instr(&builder, ADRENO_ISA_OP_MOV, 1, 1);
    air_isa(mov)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(mov)->field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_U32;
    mov->operands[0] = mach_number(value);
    mov->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    mov->defs[0].temp = mach_new_temp(program, AIR_FULL(1));
    program->temps[mov->defs[0].temp].is_spilled = true;
    return mov->defs[0].temp;
}

static struct mach_instr *begin_spill(struct mach_program *program)
{
    struct list *place = program->blocks[0].instrs.next;
    while (place != &program->blocks[0].instrs && container_of(place, struct mach_instr, link)->op == MACH_P_START)
        place = place->next;
    air_own(program)->spill_base = number(program, place, 0);
    return container_of(place->prev, struct mach_instr, link);
}

static void access_components(struct mach_builder *builder, bool is_store, mach_temp value, uint32_t slot)
{
    struct mach_program *program = builder->program;
    const struct mach_class class = program->temps[value].class;
    const bool is_far = slot * 4 > MAX_OFFSET_B;
    const mach_temp base = is_far ? number(program, builder->before, slot * 4) : air_own(program)->spill_base;
    struct mach_instr *instr =
        is_store ? adreno_air_form(builder, AIR_FORM_STP, 0, 2) : adreno_air_form(builder, AIR_FORM_LDP, value, 1);
    instr->is_spill = true;
    air_isa(instr)->field[ADRENO_ISA_FIELD_TYPE] = air_is_half(class) ? AIR_U16 : AIR_U32;
    air_isa(instr)->field[ADRENO_ISA_FIELD_SIZE] = class.comps;
    air_isa(instr)->field[ADRENO_ISA_FIELD_OFFSET] = (int16_t)(is_far ? 0 : slot * 4);
    instr->operands[0] = mach_use(base);
    instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    if (!is_store)
        return;
    instr->operands[1] = mach_use(value);
    instr->operands[1].place = ADRENO_ISA_PLACE_SRC1;
    instr->has_effect = true;
}

/* A run that is too long for one access goes component by component. */
static void access_run(struct mach_builder *builder, bool is_store, mach_temp value, uint32_t slot)
{
    struct mach_program *program = builder->program;
    const struct mach_class class = program->temps[value].class;
    const mach_temp first = program->num_temps;
    for (unsigned i = 0; i < class.comps; i++) {
        const mach_temp component = mach_new_temp(program, air_class(1, air_is_half(class)));
        program->temps[component].is_spilled = true;
    }
    if (is_store) {
        struct mach_instr *split = mach_new_instr(builder, MACH_P_SPLIT, class.comps, 1);
        split->operands[0] = mach_use(value);
        for (unsigned i = 0; i < class.comps; i++)
            split->defs[i].temp = first + i;
    }
    for (unsigned i = 0; i < class.comps; i++)
        access_components(builder, is_store, first + i, slot + i);
    if (!is_store) {
        struct mach_instr *collect = mach_new_instr(builder, MACH_P_COLLECT, 1, class.comps);
        collect->defs[0].temp = value;
        for (unsigned i = 0; i < class.comps; i++)
            collect->operands[i] = mach_use(first + i);
    }
}

static void access_spill(struct mach_program *program, struct list *before, bool is_store, mach_temp value,
                         uint32_t slot)
{
    struct mach_builder builder = {program, before};
    if (program->temps[value].class.comps > MAX_ACCESS)
        access_run(&builder, is_store, value, slot);
    else
        access_components(&builder, is_store, value, slot);
}

/* Moves of numbers and of constants whose place is known. */
static bool can_repeat(const struct mach_instr *instr)
{
    if (instr->op != ADRENO_ISA_OP_MOV || instr->num_operands != 1 || instr->branch || instr->has_effect)
        return false;
    const unsigned kind = instr->operands[0].kind;
    return kind == MACH_NUMBER || kind == AIR_CONST || kind == AIR_FLOAT;
}

/* ---- the program ---- */

void adreno_air_init(struct mach_program *program, struct ir_failure *failure)
{
    static const struct machine machine = {.template_B = sizeof(struct adreno_isa_inst),
                                           .name = adreno_isa_name,
                                           .print_flags = print_flags,
                                           .print_operand = print_operand,
                                           .print_register = print_register,
                                           .reads_late = reads_late,
                                           .begin_spill = begin_spill,
                                           .access_spill = access_spill,
                                           .can_repeat = can_repeat};
    mach_init(program, &machine, failure, AIR_REGS);
    program->small_limit = AIR_HALF_REGS;
    program->slack = AIR_SLACK_HALVES;
    program->own = mach_alloc(program, sizeof(struct air_own));
}
