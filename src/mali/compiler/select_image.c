/* Storage images and texel buffers: texels by LD_TEX, or at an address that LEA_TEX or LEA_BUF gives, with a conversion
 * word. A texel buffer's conversion word is in its descriptor. */
#include "mali/compiler/memory.h"

#define WORD_CONVERSION 7 /* of a buffer's descriptor */

struct place {
    mach_temp address; /* a pair */
    struct mach_operand conversion;
};

static struct mach_operand part(struct select *ctx, const struct ir_value *coord, unsigned index)
{
    return mali_sel_operand(ctx, coord, index);
}

static mach_temp halves(struct select *ctx, struct mach_operand low, struct mach_operand high)
{
    return SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I16, sel_part(low, MALI_ISA_HALVES_H00),
                   sel_part(high, MALI_ISA_HALVES_H00));
}

/* x and y; z or sample, and layer. Of one dimension x is the whole word. A cube's faces are layers. */
static void coordinates(struct select *ctx, const struct ir_instr *instr, const struct ir_value *coord,
                        struct mach_operand out[2])
{
    const unsigned dim = ir_imm(instr, IR_IMM_DIM);
    const bool is_array = ir_imm(instr, IR_IMM_ARRAY);
    const unsigned axes = dim == IR_DIM_1d ? 1 : 2;
    struct mach_operand third = mach_number(0), layer = mach_number(0);
    unsigned next = axes;
    if (dim == IR_DIM_3d)
        third = part(ctx, coord, next++);
    if (is_array || dim == IR_DIM_cube)
        layer = part(ctx, coord, next++);
    if (dim == IR_DIM_2dms || dim == IR_DIM_subpass_ms)
        third = part(ctx, coord, next);
    out[0] = axes == 1 ? mach_use(mali_sel_move(ctx, part(ctx, coord, 0)))
                       : mach_use(halves(ctx, part(ctx, coord, 0), part(ctx, coord, 1)));
    out[1] = third.kind == MACH_NUMBER && layer.kind == MACH_NUMBER
                 ? mach_number(((uint32_t)third.value & 0xffff) | (uint32_t)layer.value << 16)
                 : mach_use(halves(ctx, third, layer));
}

static struct place buffer_place(struct select *ctx, const struct ir_value *handle, struct mach_operand index)
{
    const struct mach_operand name = mali_sel_handle(ctx, handle, 0);
    const struct mach_operand operands[] = {index, name};
    struct place place = {.address = mach_new_temp(ctx->m.program, VIR_RUN(2))};
    mali_sel_instr(ctx, MALI_ISA_OP_LEA_BUF, place.address, 2, operands);
    place.conversion = mach_use(mali_sel_descriptor_word(ctx, name, WORD_CONVERSION));
    return place;
}

static struct place texel_place(struct select *ctx, const struct ir_instr *instr, const struct ir_value *handle,
                                const struct ir_value *coord)
{
    if (ir_imm(instr, IR_IMM_DIM) == IR_DIM_buffer)
        return buffer_place(ctx, handle, part(ctx, coord, 0));
    struct mach_operand operands[3];
    coordinates(ctx, instr, coord, operands);
    operands[2] = mali_sel_handle(ctx, handle, 0);
    const mach_temp run = mach_new_temp(ctx->m.program, VIR_RUN(3));
    mach_temp words[3];
    mali_sel_instr(ctx, MALI_ISA_OP_LEA_TEX, run, 3, operands);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_VECTOR] = 0;
    mali_sel_split(ctx, run, 3, words);
    const struct mach_operand address[] = {mach_use(words[0]), mach_use(words[1])};
    return (struct place){mali_sel_run(ctx, 2, address), mach_use(words[2])};
}

/* ---- texels ---- */

static void set_texel(struct select *ctx, const struct ir_instr *instr, mach_temp run, bool is_integer)
{
    const unsigned count = instr->def.comps;
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    mali_sel_split(ctx, run, count, regs);
    for (unsigned i = 0; i < count && instr->def.bits == 16 && !is_integer; i++)
        regs[i] = SEL_ALU(ctx, MALI_ISA_OP_V2F32_TO_V2F16, mach_use(regs[i]), mach_number(0));
    mali_sel_set(ctx, &instr->def, regs);
}

static void load_converted(struct select *ctx, const struct ir_instr *instr, const struct place *place, bool is_integer)
{
    const mach_temp run = mach_new_temp(ctx->m.program, VIR_RUN(instr->def.comps));
    const struct mach_operand operands[] = {mach_use(place->address), place->conversion};
    mali_sel_instr(ctx, MALI_ISA_OP_LD_CVT, run, 2, operands);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_VECTOR] = (uint8_t)(instr->def.comps - 1);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_REGFMT] = MALI_ISA_REGFMT_AUTO;
    set_texel(ctx, instr, run, is_integer);
}

static void load_image(struct select *ctx, const struct ir_instr *instr)
{
    const bool is_integer = ir_imm(instr, IR_IMM_ACCESS) & IR_ACCESS_INTEGER;
    const struct ir_value *handle = ir_src(instr, 0), *coord = ir_src(instr, 1);
    if (ir_imm(instr, IR_IMM_DIM) == IR_DIM_buffer) {
        const struct place place = buffer_place(ctx, handle, part(ctx, coord, 0));
        load_converted(ctx, instr, &place, is_integer);
        return;
    }
    struct mach_operand operands[3];
    coordinates(ctx, instr, coord, operands);
    operands[2] = mali_sel_handle(ctx, handle, 0);
    const mach_temp run = mach_new_temp(ctx->m.program, VIR_RUN(instr->def.comps));
    mali_sel_instr(ctx, MALI_ISA_OP_LD_TEX, run, 3, operands);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_VECTOR] = (uint8_t)(instr->def.comps - 1);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_REGFMT] = MALI_ISA_REGFMT_AUTO;
    set_texel(ctx, instr, run, is_integer);
}

static void store_image(struct select *ctx, const struct ir_instr *instr)
{
    const bool is_integer = ir_imm(instr, IR_IMM_ACCESS) & IR_ACCESS_INTEGER;
    const struct ir_value *value = ir_src(instr, 0);
    struct mach_operand words[4];
    for (unsigned i = 0; i < value->comps; i++) {
        words[i] = mali_sel_operand(ctx, value, i);
        if (value->bits == 16)
            words[i] =
                mach_use(is_integer ? SEL_ALU(ctx, MALI_ISA_OP_S16_TO_S32, sel_part(words[i], MALI_ISA_HALVES_H00))
                                    : SEL_ALU(ctx, MALI_ISA_OP_F16_TO_F32, sel_part(words[i], MALI_ISA_HALFWORD_H0)));
    }
    const struct place place = texel_place(ctx, instr, ir_src(instr, 1), ir_src(instr, 2));
    const struct mach_operand operands[] = {mach_use(place.address), place.conversion,
                                            sel_at(mach_use(mali_sel_run(ctx, value->comps, words)), VIR_STAGING0)};
    mali_sel_instr(ctx, MALI_ISA_OP_ST_CVT, 0, 3, operands)->has_effect = true;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_VECTOR] = (uint8_t)(value->comps - 1);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_REGFMT] = MALI_ISA_REGFMT_AUTO;
}

bool mali_select_image(struct select *ctx, const struct ir_instr *instr)
{
    struct place place;
    if (instr->num_srcs && (instr->def.bits == 64 || ir_src(instr, 0)->bits == 64) &&
        (instr->op == IR_OP_load_image || instr->op == IR_OP_store_image))
        sel_fail(ctx, "texels of 64 bits");
    switch (instr->op) {
    case IR_OP_load_image:
        load_image(ctx, instr);
        return true;
    case IR_OP_store_image:
        store_image(ctx, instr);
        return true;
    case IR_OP_atomic_image:
    case IR_OP_cmpxchg_image:
        place = texel_place(ctx, instr, ir_src(instr, 0), ir_src(instr, 1));
        mali_sel_atomic_at(ctx, instr, 2, instr->op == IR_OP_cmpxchg_image, mach_use(place.address), 0);
        return true;
    case IR_OP_tex:
        if (ir_imm(instr, IR_IMM_DIM) != IR_DIM_buffer || ir_imm(instr, IR_IMM_TEX_KIND) != IR_TEX_KIND_fetch)
            return false;
        place = buffer_place(ctx, ir_src(instr, 0), part(ctx, ir_src(instr, 2), 0));
        load_converted(ctx, instr, &place, ir_imm(instr, IR_IMM_TEX_FLAGS) & IR_TEX_FLAG_INTEGER);
        return true;
    case IR_OP_desc_word:
        mach_select_set_one(
            &ctx->m, &instr->def,
            mali_sel_descriptor_word(ctx, mali_sel_handle(ctx, ir_src(instr, 0), 0), ir_imm(instr, IR_IMM_COMP)));
        return true;
    default:
        return false;
    }
}
