/* Instructions as selection makes them: sizes, conversions, constants, tuples. */
#include <string.h>

#include "adreno/compiler/select.h"
#include "util/bits.h"

void *adreno_sel_alloc(struct select *ctx, size_t size_B)
{
    return adreno_air_alloc(ctx->program, size_B);
}

static bool is_half(const struct select *ctx, const struct air_operand *operand)
{
    return operand->kind == AIR_TEMP ? ctx->program->temps[operand->temp].class.is_half
                                     : (operand->flags & ADRENO_ISA_FLAG_HALF) != 0;
}

struct air_instr *adreno_sel_instr(struct select *ctx, unsigned op, air_temp result, unsigned count,
                                   const struct air_operand *operands)
{
    struct air_instr *instr = adreno_air_instr(&ctx->b, op, result ? 1 : 0, count);
    if (result)
        instr->defs[0].temp = result;
    for (unsigned i = 0; i < count; i++) {
        instr->operands[i] = operands[i];
        instr->operands[i].place = (uint8_t)(ADRENO_ISA_PLACE_SRC0 + i);
    }
    return instr;
}

/* Where the sources' size and whether the result has the other one are bits of the word. */
static void set_sizes(const struct select *ctx, struct air_instr *instr, bool is_half_result)
{
    bool is_half_source = false;
    for (unsigned i = 0; i < instr->num_operands; i++)
        is_half_source |= is_half(ctx, &instr->operands[i]);
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (is_half_source && instr->operands[i].kind != AIR_TEMP)
            instr->operands[i].flags |= ADRENO_ISA_FLAG_HALF;
    }
    const unsigned op = instr->isa.op;
    if (op < ADRENO_ISA_OP_MAD_U16 || op >= ADRENO_ISA_OP_RCP)
        instr->isa.field[ADRENO_ISA_FIELD_FULL] = !is_half_source;
    instr->isa.field[ADRENO_ISA_FIELD_CONV] = is_half_source != is_half_result;
}

air_temp adreno_sel_alu(struct select *ctx, unsigned op, struct air_class class, unsigned count,
                        const struct air_operand *operands)
{
    const air_temp result = adreno_air_temp(ctx->program, class);
    struct air_instr *instr = adreno_sel_instr(ctx, op, result, count, operands);
    set_sizes(ctx, instr, class.is_half);
    return result;
}

air_temp adreno_sel_alu2(struct select *ctx, unsigned op, struct air_class class, struct air_operand a,
                         struct air_operand b)
{
    return adreno_sel_alu(ctx, op, class, 2, (struct air_operand[]){a, b});
}

void adreno_sel_compare_to(struct select *ctx, unsigned op, int cond, struct air_operand a, struct air_operand b,
                           struct air_def def)
{
    struct air_instr *instr = adreno_air_instr(&ctx->b, op, 1, 2);
    instr->defs[0] = def;
    instr->defs[0].reg = AIR_NO_REG;
    instr->operands[0] = a;
    instr->operands[1] = b;
    instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    instr->operands[1].place = ADRENO_ISA_PLACE_SRC1;
    instr->isa.field[ADRENO_ISA_FIELD_COND] = (int16_t)cond;
    set_sizes(ctx, instr, false);
    /* A predicate has no size, and is never converted to. */
    if (!def.temp)
        instr->isa.field[ADRENO_ISA_FIELD_CONV] = 0;
}

air_temp adreno_sel_compare(struct select *ctx, unsigned op, int cond, struct air_operand a, struct air_operand b)
{
    const air_temp result = adreno_air_temp(ctx->program, AIR_FULL(1));
    adreno_sel_compare_to(ctx, op, cond, a, b, (struct air_def){.temp = result});
    return result;
}

static bool is_half_type(enum air_type type)
{
    return type == AIR_F16 || type == AIR_U16 || type == AIR_S16 || type == AIR_U8;
}

air_temp adreno_sel_move(struct select *ctx, enum air_type from, enum air_type to, struct air_operand a)
{
    const air_temp result = adreno_air_temp(ctx->program, is_half_type(to) ? AIR_HALF(1) : AIR_FULL(1));
    if (a.kind != AIR_TEMP && is_half_type(from))
        a.flags |= ADRENO_ISA_FLAG_HALF;
    struct air_instr *instr = adreno_sel_instr(ctx, ADRENO_ISA_OP_MOV, result, 1, &a);
    instr->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = (int16_t)from;
    instr->isa.field[ADRENO_ISA_FIELD_DST_TYPE] = (int16_t)to;
    return result;
}

air_temp adreno_sel_number(struct select *ctx, struct air_class class, uint32_t value)
{
    const enum air_type type = class.is_half ? AIR_U16 : AIR_U32;
    return adreno_sel_move(ctx, type, type, air_number((int32_t)(class.is_half ? value & 0xffff : value)));
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

struct air_operand adreno_sel_constant(struct select *ctx, uint32_t value)
{
    const int32_t component = adreno_sel_immediate(ctx, value);
    return component >= 0 ? air_const(component) : air_use(adreno_sel_number(ctx, AIR_FULL(1), value));
}

air_temp adreno_sel_add(struct select *ctx, air_temp x, uint32_t number)
{
    if (!number)
        return x;
    const struct air_operand operand = number < 512 ? air_number((int32_t)number) : adreno_sel_constant(ctx, number);
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), air_use(x), operand);
}

air_temp adreno_sel_tuple(struct select *ctx, unsigned count, const air_temp *regs)
{
    if (count == 1)
        return regs[0];
    struct air_class class = ctx->program->temps[regs[0]].class;
    class.comps = (uint8_t)count;
    const air_temp tuple = adreno_air_temp(ctx->program, class);
    struct air_instr *instr = adreno_air_instr(&ctx->b, AIR_P_COLLECT, 1, count);
    instr->defs[0].temp = tuple;
    for (unsigned i = 0; i < count; i++)
        instr->operands[i] = air_use(regs[i]);
    return tuple;
}

void adreno_sel_split(struct select *ctx, air_temp tuple, unsigned count, air_temp *regs_out)
{
    struct air_class class = ctx->program->temps[tuple].class;
    class.comps = 1;
    if (count == 1) {
        regs_out[0] = tuple;
        return;
    }
    struct air_instr *instr = adreno_air_instr(&ctx->b, AIR_P_SPLIT, count, 1);
    instr->operands[0] = air_use(tuple);
    for (unsigned i = 0; i < count; i++)
        instr->defs[i].temp = regs_out[i] = adreno_air_temp(ctx->program, class);
}
