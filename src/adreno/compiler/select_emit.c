/* Instructions as selection makes them: sizes, conversions, constants, tuples. */
#include <string.h>

#include "adreno/compiler/select.h"
#include "util/bits.h"

static bool is_half(const struct select *ctx, const struct mach_operand *operand)
{
    return operand->kind == MACH_TEMP ? air_is_half(ctx->m.program->temps[operand->temp].class)
                                      : (operand->flags & ADRENO_ISA_FLAG_HALF) != 0;
}

struct mach_instr *adreno_sel_instr(struct select *ctx, unsigned op, mach_temp result, unsigned count,
                                    const struct mach_operand *operands)
{
    struct mach_instr *instr = mach_new_instr(&ctx->m.b, op, result ? 1 : 0, count);
    if (result)
        instr->defs[0].temp = result;
    for (unsigned i = 0; i < count; i++) {
        instr->operands[i] = operands[i];
        instr->operands[i].place = (uint8_t)(ADRENO_ISA_PLACE_SRC0 + i);
    }
    return instr;
}

/* Where the sources' size and whether the result has the other one are bits of the word. */
static void set_sizes(const struct select *ctx, struct mach_instr *instr, bool is_half_result)
{
    bool is_half_source = false;
    for (unsigned i = 0; i < instr->num_operands; i++)
        is_half_source |= is_half(ctx, &instr->operands[i]);
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (is_half_source && instr->operands[i].kind != MACH_TEMP)
            instr->operands[i].flags |= ADRENO_ISA_FLAG_HALF;
    }
    const unsigned op = instr->op;
    if (op < ADRENO_ISA_OP_MAD_U16 || op >= ADRENO_ISA_OP_RCP)
        air_isa(instr)->field[ADRENO_ISA_FIELD_FULL] = !is_half_source;
    air_isa(instr)->field[ADRENO_ISA_FIELD_CONV] = is_half_source != is_half_result;
}

mach_temp adreno_sel_alu(struct select *ctx, unsigned op, struct mach_class class, unsigned count,
                         const struct mach_operand *operands)
{
    const mach_temp result = mach_new_temp(ctx->m.program, class);
    struct mach_instr *instr = adreno_sel_instr(ctx, op, result, count, operands);
    set_sizes(ctx, instr, air_is_half(class));
    return result;
}

mach_temp adreno_sel_alu2(struct select *ctx, unsigned op, struct mach_class class, struct mach_operand a,
                          struct mach_operand b)
{
    return adreno_sel_alu(ctx, op, class, 2, (struct mach_operand[]){a, b});
}

void adreno_sel_compare_to(struct select *ctx, unsigned op, int cond, struct mach_operand a, struct mach_operand b,
                           struct mach_def def)
{
    struct mach_instr *instr = mach_new_instr(&ctx->m.b, op, 1, 2);
    instr->defs[0] = def;
    instr->defs[0].reg = MACH_NO_REG;
    instr->operands[0] = a;
    instr->operands[1] = b;
    instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    instr->operands[1].place = ADRENO_ISA_PLACE_SRC1;
    air_isa(instr)->field[ADRENO_ISA_FIELD_COND] = (int16_t)cond;
    set_sizes(ctx, instr, false);
    /* A predicate has no size, and is never converted to. */
    if (!def.temp)
        air_isa(instr)->field[ADRENO_ISA_FIELD_CONV] = 0;
}

mach_temp adreno_sel_compare(struct select *ctx, unsigned op, int cond, struct mach_operand a, struct mach_operand b)
{
    const mach_temp result = mach_new_temp(ctx->m.program, AIR_FULL(1));
    adreno_sel_compare_to(ctx, op, cond, a, b, (struct mach_def){.temp = result});
    return result;
}

static bool is_half_type(enum air_type type)
{
    return type == AIR_F16 || type == AIR_U16 || type == AIR_S16 || type == AIR_U8;
}

mach_temp adreno_sel_move(struct select *ctx, enum air_type from, enum air_type to, struct mach_operand a)
{
    const mach_temp result = mach_new_temp(ctx->m.program, is_half_type(to) ? AIR_HALF(1) : AIR_FULL(1));
    if (a.kind != MACH_TEMP && is_half_type(from))
        a.flags |= ADRENO_ISA_FLAG_HALF;
    struct mach_instr *instr = adreno_sel_instr(ctx, ADRENO_ISA_OP_MOV, result, 1, &a);
    air_isa(instr)->field[ADRENO_ISA_FIELD_SRC_TYPE] = (int16_t)from;
    air_isa(instr)->field[ADRENO_ISA_FIELD_DST_TYPE] = (int16_t)to;
    return result;
}

mach_temp adreno_sel_number(struct select *ctx, struct mach_class class, uint32_t value)
{
    const enum air_type type = air_is_half(class) ? AIR_U16 : AIR_U32;
    return adreno_sel_move(ctx, type, type, mach_number((uint32_t)(air_is_half(class) ? value & 0xffff : value)));
}

int32_t adreno_sel_immediate(struct select *ctx, uint32_t value)
{
    const int32_t first = ctx->config->first_immediate * 4;
    for (uint32_t i = 0; i < ctx->num_immediates; i++) {
        if (ctx->immediates[i] == value)
            return first + (int32_t)i;
    }
    if (ctx->num_immediates == ctx->capacity_immediates)
        return -1;
    ctx->immediates[ctx->num_immediates] = value;
    return first + (int32_t)ctx->num_immediates++;
}

struct mach_operand adreno_sel_constant(struct select *ctx, uint32_t value)
{
    const int32_t component = adreno_sel_immediate(ctx, value);
    return component >= 0 ? air_const(component) : mach_use(adreno_sel_number(ctx, AIR_FULL(1), value));
}

mach_temp adreno_sel_add(struct select *ctx, mach_temp x, uint32_t number)
{
    if (!number)
        return x;
    const struct mach_operand operand = number < 512 ? mach_number((uint32_t)number) : adreno_sel_constant(ctx, number);
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), mach_use(x), operand);
}

mach_temp adreno_sel_tuple(struct select *ctx, unsigned count, const mach_temp *regs)
{
    if (count == 1)
        return regs[0];
    struct mach_class class = ctx->m.program->temps[regs[0]].class;
    class.comps = (uint8_t)count;
    struct mach_operand operands[UINT8_MAX];
    for (unsigned i = 0; i < count; i++)
        operands[i] = mach_use(regs[i]);
    return mach_select_run(&ctx->m, class, operands);
}

void adreno_sel_split(struct select *ctx, mach_temp tuple, unsigned count, mach_temp *regs_out)
{
    struct mach_class class = ctx->m.program->temps[tuple].class;
    class.comps = 1;
    mach_select_split(&ctx->m, tuple, class, count, regs_out);
}
