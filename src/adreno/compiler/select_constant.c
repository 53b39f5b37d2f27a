/* Selection of what lies in the constant file: push constants, pushed ranges of uniform buffers, and constant data
 * where it is small. Its components are sources like registers; those whose number is computed are counted from a0.x.
 * Constant data that is large follows the code in memory. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

#define SPAN 4 /* components of one access to memory */

static struct mach_operand at(unsigned place, struct mach_operand operand)
{
    operand.place = (uint8_t)place;
    return operand;
}

/* ---- a0.x ---- */

void adreno_sel_index(struct select *ctx, mach_temp index)
{
    if (ctx->index.temp == index && ctx->index.block == ctx->m.block)
        return;
    struct mach_instr *mova = mach_new_instr(&ctx->m.b, ADRENO_ISA_OP_MOV, 1, 1);
    mova->defs[0].special = ADRENO_ISA_REG_A0;
    mova->operands[0] = at(ADRENO_ISA_PLACE_SRC0, mach_use(index));
    air_isa(mova)->operands[ADRENO_ISA_PLACE_DST].flags = ADRENO_ISA_FLAG_HALF;
    air_isa(mova)->field[ADRENO_ISA_FIELD_SRC_TYPE] = air_isa(mova)->field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_S16;
    ctx->index.temp = index;
    ctx->index.value = NULL;
    ctx->index.block = ctx->m.block;
}

/* Dwords of an offset in bytes, as a half register; the file is so small that sixteen bits say it. */
static mach_temp dwords_of(struct select *ctx, const struct ir_value *offset)
{
    const struct ir_instr *def = ir_def_instr(offset);
    if (def->op != IR_OP_ishl || !ir_is_const(ir_src(def, 1)) || ir_const_u64(ir_src(def, 1)) % 32 < 2)
        return adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_HALF(1), mach_use(adreno_sel_reg(ctx, offset, 0)),
                               mach_number(2));
    const struct mach_operand x = mach_use(adreno_sel_reg(ctx, ir_src(def, 0), 0));
    const int32_t shift = (int32_t)(ir_const_u64(ir_src(def, 1)) % 32) - 2;
    return shift ? adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHL_B, AIR_HALF(1), x, mach_number(shift))
                 : adreno_sel_move(ctx, AIR_U32, AIR_U16, x);
}

/* ---- values of the file ---- */

/* Numbers in the file: components from `first` on, of a byte offset and a number of bytes. */
static mach_temp file_dword(struct select *ctx, int32_t first, const struct ir_value *offset, mach_temp index,
                            uint32_t base_B)
{
    if (ir_is_const(offset))
        return adreno_sel_move(ctx, AIR_U32, AIR_U32,
                               air_const(first + (int32_t)(((uint32_t)ir_const_u64(offset) + base_B) / 4)));
    adreno_sel_index(ctx, index);
    struct mach_operand relative = air_const(first + (int32_t)(base_B / 4));
    relative.kind = AIR_CONST_RELATIVE;
    return adreno_sel_move(ctx, AIR_U32, AIR_U32, relative);
}

/* Where the dword is known but for bytes within it: offset and number are added before they are divided. */
static mach_temp file_part(struct select *ctx, int32_t first, const struct ir_value *offset, uint32_t base_B)
{
    if (ir_is_const(offset)) {
        const uint32_t byte = (uint32_t)ir_const_u64(offset) + base_B;
        const mach_temp dword = file_dword(ctx, first, offset, 0, base_B);
        return adreno_sel_cut(ctx, dword, adreno_sel_number(ctx, AIR_FULL(1), byte));
    }
    const mach_temp byte = adreno_sel_add(ctx, adreno_sel_reg(ctx, offset, 0), base_B);
    const mach_temp index = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_HALF(1), mach_use(byte), mach_number(2));
    return adreno_sel_cut(ctx, file_dword(ctx, first, offset, index, 0), byte);
}

static void load_file(struct select *ctx, const struct ir_instr *instr, const struct ir_value *offset, int32_t first)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const uint32_t base_B = ir_imm(instr, IR_IMM_BASE);
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    const bool is_small = instr->def.bits < 32;
    const mach_temp index = is_small || ir_is_const(offset) ? 0 : dwords_of(ctx, offset);
    for (unsigned i = 0; i < count; i++)
        regs[i] = is_small ? file_part(ctx, first, offset, base_B + i * (instr->def.bits / 8u))
                           : file_dword(ctx, first, offset, index, base_B + i * 4);
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- constant data in memory ---- */

static enum air_type memory_type(const struct ir_value *value)
{
    return value->bits == 8 ? AIR_U8 : value->bits == 16 ? AIR_U16 : AIR_U32;
}

/* It follows the code; its address is a parameter. */
static void load_data(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const bool is_half = air_is_half(adreno_sel_class(&instr->def));
    const unsigned size_B = instr->def.bits < 32 ? instr->def.bits / 8 : 4;
    const int32_t data = ctx->config->param[ADRENO_PARAM_DATA] * 4;
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    for (unsigned first = 0; first < count; first += SPAN) {
        const unsigned some = MIN2(count - first, SPAN);
        const mach_temp offset =
            adreno_sel_add(ctx, adreno_sel_reg(ctx, ir_src(instr, 0), 0), ir_imm(instr, IR_IMM_BASE) + first * size_B);
        mach_temp words[2];
        words[0] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), mach_use(offset), air_const(data));
        const mach_temp carry = adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_U, 0, mach_use(words[0]), air_const(data));
        words[1] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_S, AIR_FULL(1), mach_use(carry), air_const(data + 1));
        const mach_temp tuple = mach_new_temp(ctx->m.program, air_class(some, is_half));
        const mach_temp where = adreno_sel_tuple(ctx, 2, words);
        struct mach_instr *ldg = adreno_air_form(&ctx->m.b, AIR_FORM_LDG, tuple, 1);
        ldg->operands[0] = at(ADRENO_ISA_PLACE_SRC0, mach_use(where));
        air_isa(ldg)->field[ADRENO_ISA_FIELD_TYPE] = (int16_t)memory_type(&instr->def);
        air_isa(ldg)->field[ADRENO_ISA_FIELD_SIZE] = (int16_t)some;
        adreno_sel_split(ctx, tuple, some, regs + first);
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

bool adreno_select_constant(struct select *ctx, const struct ir_instr *instr)
{
    int32_t first;
    switch (instr->op) {
    case IR_OP_load_ubo:
        if (!adreno_sel_is_pushed(ctx, instr, &first))
            return false;
        load_file(ctx, instr, ir_src(instr, 1), first);
        return true;
    case IR_OP_load_push:
        load_file(ctx, instr, ir_src(instr, 0), ctx->config->first_push * 4);
        return true;
    case IR_OP_load_const_data:
        if (ctx->is_data_in_file)
            load_file(ctx, instr, ir_src(instr, 0), ctx->config->first_immediate * 4);
        else
            load_data(ctx, instr);
        return true;
    default:
        return false;
    }
}
