/* Storage images: loads, stores and atomics of category 6 that go by the descriptor's format. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

static struct mach_operand at(unsigned place, struct mach_operand operand)
{
    operand.place = (uint8_t)place;
    return operand;
}

static unsigned coordinates_of(const struct ir_instr *instr)
{
    switch (ir_imm(instr, IR_IMM_DIM)) {
    case IR_DIM_1d:
    case IR_DIM_buffer:
        return 1 + ir_imm(instr, IR_IMM_ARRAY);
    case IR_DIM_3d:
    case IR_DIM_cube: /* x, y, and layer and face as one number */
        return 3;
    default:
        return 2 + ir_imm(instr, IR_IMM_ARRAY);
    }
}

/* Whole numbers, with the layer last. */
static mach_temp coordinate(struct select *ctx, const struct ir_instr *instr, const struct ir_value *value)
{
    const unsigned count = coordinates_of(instr);
    mach_temp regs[3];
    if (value->comps < count)
        sel_fail(ctx, "internal: an image of %u coordinates", count);
    for (unsigned i = 0; i < count; i++)
        regs[i] = adreno_sel_reg(ctx, value, i);
    return adreno_sel_tuple(ctx, count, regs);
}

static void check_op(struct select *ctx, const struct ir_instr *instr, unsigned bits)
{
    const unsigned dim = ir_imm(instr, IR_IMM_DIM);
    if (dim == IR_DIM_2dms || dim == IR_DIM_subpass_ms)
        sel_fail(ctx, "A6xx has no storage images of several samples");
    if (bits == 64)
        sel_fail(ctx, "texels of 64 bits");
}

static enum air_type type_of(const struct ir_instr *instr, const struct ir_value *value)
{
    const bool is_half = value->bits == 16;
    if (ir_imm(instr, IR_IMM_ACCESS) & IR_ACCESS_INTEGER)
        return is_half ? AIR_U16 : AIR_U32;
    return is_half ? AIR_F16 : AIR_F32;
}

static void set_shape(struct mach_instr *access, const struct ir_instr *instr, enum air_type type, unsigned components)
{
    air_isa(access)->field[ADRENO_ISA_FIELD_DIM] = (int16_t)(coordinates_of(instr) - 1);
    air_isa(access)->field[ADRENO_ISA_FIELD_TYPE] = (int16_t)type;
    air_isa(access)->field[ADRENO_ISA_FIELD_ELEMENTS] = (int16_t)(components - 1);
}

static void load_image(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned count = instr->def.comps;
    struct mach_class class = adreno_sel_class(&instr->def);
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    check_op(ctx, instr, instr->def.bits);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    const mach_temp place = coordinate(ctx, instr, ir_src(instr, 1));
    class.comps = (uint8_t)count;
    const mach_temp tuple = mach_new_temp(ctx->m.program, class);
    struct mach_instr *load = adreno_air_form(&ctx->m.b, AIR_FORM_IMAGE_LOAD, tuple, 2);
    load->operands[0] = at(ADRENO_ISA_PLACE_SRC1, mach_use(place));
    adreno_sel_set_descriptor(load, &descriptor, 1, ADRENO_ISA_PLACE_SRC2);
    set_shape(load, instr, type_of(instr, &instr->def), count);
    adreno_sel_split(ctx, tuple, count, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

static void store_image(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *value = ir_src(instr, 0);
    mach_temp regs[4];
    check_op(ctx, instr, value->bits);
    const unsigned count = MIN2(value->comps, 4u);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 1));
    const mach_temp place = coordinate(ctx, instr, ir_src(instr, 2));
    for (unsigned i = 0; i < count; i++)
        regs[i] = adreno_sel_reg(ctx, value, i);
    const mach_temp tuple = adreno_sel_tuple(ctx, count, regs);
    struct mach_instr *store = adreno_air_form(&ctx->m.b, AIR_FORM_IMAGE_STORE, 0, 3);
    store->operands[0] = at(ADRENO_ISA_PLACE_SRC0, mach_use(tuple));
    store->operands[1] = at(ADRENO_ISA_PLACE_SRC1, mach_use(place));
    adreno_sel_set_descriptor(store, &descriptor, 2, ADRENO_ISA_PLACE_SRC2);
    set_shape(store, instr, type_of(instr, value), count);
    store->has_effect = true;
}

/* The result takes the place of the first register, the value and what it is compared with follow. */
static void atomic_image(struct select *ctx, const struct ir_instr *instr, unsigned atomic)
{
    const bool is_exchange = atomic == IR_ATOMIC_cmpxchg;
    const unsigned count = is_exchange ? 3 : 2;
    mach_temp data[3] = {adreno_sel_number(ctx, AIR_FULL(1), 0),
                         adreno_sel_reg(ctx, ir_src(instr, is_exchange ? 3 : 2), 0)};
    if (is_exchange)
        data[2] = adreno_sel_reg(ctx, ir_src(instr, 2), 0);
    check_op(ctx, instr, instr->def.bits);
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    const mach_temp place = coordinate(ctx, instr, ir_src(instr, 1));
    const mach_temp tuple = adreno_sel_tuple(ctx, count, data);
    const mach_temp result = mach_new_temp(ctx->m.program, AIR_FULL((uint8_t)count));
    struct mach_instr *atom = adreno_air_form(&ctx->m.b, AIR_FORM_IMAGE_ATOMIC, result, 3);
    atom->is_tied = true;
    atom->operands[0] = at(ADRENO_ISA_PLACE_DST, mach_use(tuple));
    atom->operands[1] = at(ADRENO_ISA_PLACE_SRC1, mach_use(place));
    adreno_sel_set_descriptor(atom, &descriptor, 2, ADRENO_ISA_PLACE_SRC2);
    adreno_sel_set_atomic(ctx, atom, instr, atomic, true);
    air_isa(atom)->field[ADRENO_ISA_FIELD_DIM] = (int16_t)(coordinates_of(instr) - 1);
    atom->has_effect = true;
    mach_temp *regs = mach_alloc(ctx->m.program, 3 * sizeof(*regs));
    adreno_sel_split(ctx, result, count, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

/* Width, height, and depth or layers; of one dimension the layers come second. */
static void image_size(struct select *ctx, const struct ir_instr *instr)
{
    const struct sel_descriptor descriptor = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    const mach_temp tuple = mach_new_temp(ctx->m.program, AIR_FULL(3));
    struct mach_instr *info = adreno_air_form(&ctx->m.b, AIR_FORM_IMAGE_SIZE, tuple, 1);
    adreno_sel_set_descriptor(info, &descriptor, 0, ADRENO_ISA_PLACE_SRC0);
    set_shape(info, instr, AIR_U32, 1);
    mach_temp *regs = mach_alloc(ctx->m.program, 3 * sizeof(*regs));
    adreno_sel_split(ctx, tuple, 3, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

bool adreno_select_image(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_image:
        load_image(ctx, instr);
        return true;
    case IR_OP_store_image:
        store_image(ctx, instr);
        return true;
    case IR_OP_atomic_image:
        atomic_image(ctx, instr, ir_imm(instr, IR_IMM_ATOMIC));
        return true;
    case IR_OP_cmpxchg_image:
        atomic_image(ctx, instr, IR_ATOMIC_cmpxchg);
        return true;
    case IR_OP_image_size:
        image_size(ctx, instr);
        return true;
    default:
        return false;
    }
}
