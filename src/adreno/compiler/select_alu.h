/* The shared part of the files that select arithmetic: operands and instructions of integers. */
#ifndef ADRENO_COMPILER_SELECT_ALU_H
#define ADRENO_COMPILER_SELECT_ALU_H

#include "adreno/compiler/select.h"
#include "util/bits.h"

static inline bool is_16(const struct ir_value *value)
{
    return value->bits == 16;
}

static inline void set_one(struct select *ctx, const struct ir_instr *instr, mach_temp reg)
{
    mach_select_set_one(&ctx->m, &instr->def, reg);
}

static inline struct mach_operand with(struct mach_operand operand, uint8_t flags)
{
    operand.flags |= flags;
    return operand;
}

static inline struct mach_operand reg(struct select *ctx, const struct ir_instr *instr, unsigned i)
{
    return mach_use(adreno_sel_reg(ctx, ir_src(instr, i), 0));
}

/* The two sources of category 2: one of them may be a number or a constant. */
static inline void sources(struct select *ctx, const struct ir_instr *instr, unsigned takes, struct mach_operand out[2])
{
    const bool is_first = ir_is_const(ir_src(instr, 0)) && !ir_is_const(ir_src(instr, 1));
    out[0] = adreno_sel_operand(ctx, ir_src(instr, 0), 0, is_first ? takes : 0);
    out[1] = adreno_sel_operand(ctx, ir_src(instr, 1), 0, is_first ? 0 : takes);
}

#define INTEGER (SEL_TAKES_NUMBER | SEL_TAKES_CONST)
#define FLOAT SEL_TAKES_CONST

static inline mach_temp int2(struct select *ctx, unsigned op, mach_temp a, mach_temp b)
{
    return adreno_sel_alu2(ctx, op, AIR_FULL(1), mach_use(a), mach_use(b));
}

static inline mach_temp int2n(struct select *ctx, unsigned op, mach_temp a, int32_t number)
{
    return adreno_sel_alu2(ctx, op, AIR_FULL(1), mach_use(a), mach_number((uint32_t)number));
}

static inline struct mach_instr *last_instr(struct select *ctx)
{
    return container_of(ctx->m.b.before->prev, struct mach_instr, link);
}

#endif
