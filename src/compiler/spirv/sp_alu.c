/* Arithmetic, logic, comparison and bit operations: what an instruction does to each component, and products of vectors
 * and matrices. */
#include "compiler/spirv/sp.h"

/* Bits of FPFastMathMode that SPV_KHR_float_controls2 adds; headers may be older. */
enum {
    FAST_CONTRACT = 1 << 16,
    FAST_REASSOCIATE = 1 << 17,
    FAST_TRANSFORM = 1 << 18,
    FAST_SPECIALS = SpvFPFastMathModeNotNaNMask | SpvFPFastMathModeNotInfMask,
    FAST_CHANGES =
        FAST_CONTRACT | FAST_REASSOCIATE | FAST_TRANSFORM | SpvFPFastMathModeAllowRecipMask, /* of rounding */
    FAST_ALL = FAST_CHANGES | FAST_SPECIALS | SpvFPFastMathModeNSZMask
};

/* How far arithmetic at a width may be changed where the instruction itself does not say it. */
static uint32_t default_fast_math(const struct sp *s, uint32_t width)
{
    if (s->fast_math[width].is_set)
        return s->fast_math[width].mode;
    /* Nothing but the execution mode promises the sign of zero and the rest. */
    return s->shader->floats.signed_zero_inf_nan[width] ? FAST_CHANGES : FAST_ALL;
}

/* Widths of floats that an instruction works on, of 16, 32 and 64 bits: what each of them allows. */
static uint32_t fast_math_of(struct sp *s, uint32_t result_id, uint32_t widths)
{
    const struct sp_decoration *own = sp_find_decoration(s, result_id, SP_NONE, SpvDecorationFPFastMathMode);
    uint32_t mode = own && own->count ? own->ops[0] : FAST_ALL;
    for (uint32_t width = 0; width < 3 && !own; width++)
        mode &= widths & 16u << width ? default_fast_math(s, width) : FAST_ALL;
    return mode & SpvFPFastMathModeFastMask ? FAST_ALL : mode;
}

uint32_t sp_float_flags(struct sp *s, uint32_t result_id, uint32_t widths)
{
    uint32_t flags = 0;
    const uint32_t fast = fast_math_of(s, result_id, widths);
    if (sp_has_decoration(s, result_id, SP_NONE, SpvDecorationNoContraction) || ~fast & FAST_CHANGES)
        flags |= IR_FLAG_EXACT;
    if (sp_has_decoration(s, result_id, SP_NONE, SpvDecorationRelaxedPrecision))
        flags |= IR_FLAG_RELAXED;
    if (~fast & FAST_SPECIALS)
        flags |= IR_FLAG_NAN_INF;
    if (fast & SpvFPFastMathModeNSZMask)
        flags |= IR_FLAG_NSZ;
    if (sp_has_decoration(s, result_id, SP_NONE, SpvDecorationNoSignedWrap))
        flags |= IR_FLAG_NSW;
    if (sp_has_decoration(s, result_id, SP_NONE, SpvDecorationNoUnsignedWrap))
        flags |= IR_FLAG_NUW;
    return flags;
}

static void set_flags(struct sp *s, const struct sp_instr *in, uint8_t bits)
{
    s->b.flags = sp_float_flags(s, in->id, bits);
}

struct ir_value *sp_alu1(struct sp *s, enum ir_op op, struct ir_value *x)
{
    const struct ir_op_info *info = &ir_op_infos[op];
    uint8_t bits = info->def.letter ? x->bits : info->def.bits;
    return &ir_build(&s->b, op, bits, 1, 1, (struct ir_value *[]){x}, 0, NULL, NULL)->def;
}

static struct ir_value *sp_alu2(struct sp *s, enum ir_op op, struct ir_value *x, struct ir_value *y)
{
    const struct ir_op_info *info = &ir_op_infos[op];
    uint8_t bits = info->def.letter ? x->bits : info->def.bits;
    return &ir_build(&s->b, op, bits, 1, 2, (struct ir_value *[]){x, y}, 0, NULL, NULL)->def;
}

struct ir_value *sp_flushed(struct sp *s, struct ir_value *x)
{
    uint32_t width = x->bits == 16 ? 0 : x->bits == 64 ? 2 : 1;
    return s->shader->floats.denorm_flush[width] ? ir_fcanonical(&s->b, x) : x;
}

struct ir_value *sp_fsub(struct sp *s, struct ir_value *x, struct ir_value *y)
{
    return ir_fadd(&s->b, x, ir_fneg(&s->b, y));
}

/* Widths that an operand of the operation may have: a row without letters has one. */
static bool width_allowed(const struct ir_operand_info *operand, const struct ir_op_info *info, uint8_t bits)
{
    if (operand->letter == IR_LETTER_NONE)
        return operand->bits == bits;
    return info->widths[operand->letter - 1] & bits;
}

/* The scalars of the operands, all with as many as the result has; types must be what the operation reads. */
static void read_operands(struct sp *s, const struct sp_instr *in, uint32_t count, uint32_t scalars,
                          struct ir_value **c[])
{
    for (uint32_t i = 0; i < count; i++) {
        struct sp_type *type = sp_type_of(s, sp_op(s, in, i));
        if (!sp_is_numeric(type) || type->scalars != scalars)
            sp_fail(s, "%s: operand %u is of the wrong type", in->info->name, i);
        c[i] = sp_read(s, in->ops[i]);
    }
}

/* Operands of one width that the operation has, and a result of the width that it gives. */
static void check_alu(struct sp *s, const struct sp_instr *in, enum ir_op op, uint32_t count, struct ir_value **c[],
                      const struct sp_type *result)
{
    const struct ir_op_info *info = &ir_op_infos[op];
    for (uint32_t i = 0; i < count; i++)
        if (!width_allowed(&info->srcs[i], info, c[i][0]->bits) ||
            (info->srcs[i].letter && info->srcs[i].letter == info->srcs[0].letter && c[i][0]->bits != c[0][0]->bits))
            sp_fail(s, "%s: operand %u has %u bits", in->info->name, i, c[i][0]->bits);
    uint8_t bits = info->def.letter ? c[0][0]->bits : info->def.bits;
    if (result->bits != bits)
        sp_fail(s, "%s: the result has %u bits instead of %u", in->info->name, result->bits, bits);
}

void sp_do_alu(struct sp *s, const struct sp_instr *in)
{
    enum ir_op op = in->info->arg;
    uint32_t count = ir_op_infos[op].num_srcs;
    struct ir_value **c[2] = {NULL, NULL};
    struct sp_type *type = sp_type(s, in->type);
    /* OpIsNan is a comparison with itself. */
    bool alone = count == 2 && in->count == 1;
    read_operands(s, in, alone ? 1 : count, type->scalars, c);
    if (alone)
        c[1] = c[0];
    if (in->info->swap) {
        struct ir_value **swap = c[0];
        c[0] = c[1], c[1] = swap;
    }
    check_alu(s, in, op, count, c, type);
    struct sp_value *value = sp_result(s, in);
    set_flags(s, in, c[0][0]->bits);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_value *x = count == 1 ? sp_alu1(s, op, c[0][i]) : sp_alu2(s, op, c[0][i], c[1][i]);
        value->c[i] = in->info->invert ? ir_inot(&s->b, x) : op == IR_OP_fneg ? sp_flushed(s, x) : x;
    }
}

void sp_do_fsub(struct sp *s, const struct sp_instr *in)
{
    struct ir_value **c[2];
    struct sp_type *type = sp_type(s, in->type);
    read_operands(s, in, 2, type->scalars, c);
    check_alu(s, in, IR_OP_fadd, 2, c, type);
    struct sp_value *value = sp_result(s, in);
    set_flags(s, in, type->bits);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = sp_fsub(s, c[0][i], c[1][i]);
}

void sp_do_shift(struct sp *s, const struct sp_instr *in)
{
    struct ir_value **c[2];
    struct sp_type *type = sp_type(s, in->type);
    read_operands(s, in, 2, type->scalars, c);
    if (c[0][0]->bits != type->bits || type->bits == 1 || c[1][0]->bits == 1)
        sp_fail(s, "%s of different types", in->info->name);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = sp_alu2(s, in->info->arg, c[0][i], sp_to_bits(s, c[1][i], 32, false));
}

void sp_do_fclass(struct sp *s, const struct sp_instr *in)
{
    struct ir_value **c[1];
    struct sp_type *type = sp_type(s, in->type);
    read_operands(s, in, 1, type->scalars, c);
    if (type->bits != 1 || c[0][0]->bits < 16)
        sp_fail(s, "%s: wrong types", in->info->name);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = ir_fclass(&s->b, c[0][i], in->info->arg);
}

void sp_do_sign_bit_set(struct sp *s, const struct sp_instr *in)
{
    struct ir_value **c[1];
    struct sp_type *type = sp_type(s, in->type);
    read_operands(s, in, 1, type->scalars, c);
    if (type->bits != 1 || c[0][0]->bits < 16)
        sp_fail(s, "%s: wrong types", in->info->name);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = ir_ilt(&s->b, c[0][i], sp_imm(s, c[0][i]->bits, 0));
}

void sp_do_any_all(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, 0));
    if (!sp_is_numeric(type) || type->bits != 1)
        sp_fail(s, "%s of something that is not boolean", in->info->name);
    struct ir_value **c = sp_read(s, in->ops[0]), *x = c[0];
    for (uint32_t i = 1; i < type->scalars; i++)
        x = sp_alu2(s, in->info->arg, x, c[i]);
    sp_set_scalar(s, in, x);
}

void sp_do_select(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type), *condition_type = sp_type_of(s, sp_op(s, in, 0));
    struct sp_type *yes_type = sp_type_of(s, sp_op(s, in, 1)), *no_type = sp_type_of(s, sp_op(s, in, 2));
    bool per_component = condition_type->kind == SP_VECTOR;
    if (!sp_is_numeric(condition_type) || condition_type->bits != 1 || yes_type->scalars != type->scalars ||
        no_type->scalars != type->scalars || (per_component && condition_type->scalars != type->scalars))
        sp_fail(s, "OpSelect of different types");
    struct ir_value **condition = sp_read(s, in->ops[0]), **yes = sp_read(s, in->ops[1]), **no = sp_read(s, in->ops[2]);
    struct sp_value *value = sp_new_value(s, type);
    for (uint32_t i = 0; i < type->scalars; i++) {
        uint8_t bits = sp_bits_of_scalar(s, type, i);
        if (yes[i]->bits != bits || no[i]->bits != bits)
            sp_fail(s, "OpSelect of different types");
        value->c[i] = ir_select(&s->b, condition[per_component ? i : 0], yes[i], no[i]);
    }
    if (type->kind == SP_POINTER)
        sp_set_pointer(s, in, sp_pointer_from_scalars(s, type, value->c));
    else
        sp_set_value(s, in, value->c);
}

/* --- bits --- */

/* The bit field of widths that the IR has no operation for: shifted out on both sides. */
static struct ir_value *extract_field(struct sp *s, struct ir_value *x, struct ir_value *offset, struct ir_value *count,
                                      bool is_signed)
{
    struct ir_builder *b = &s->b;
    if (x->bits == 32)
        return is_signed ? ir_ibfe(b, x, offset, count) : ir_ubfe(b, x, offset, count);
    struct ir_value *width = sp_imm(s, 32, x->bits);
    struct ir_value *up = ir_isub(b, width, ir_iadd(b, offset, count)), *down = ir_isub(b, width, count);
    struct ir_value *high = ir_ishl(b, x, up);
    struct ir_value *field = is_signed ? ir_ishr(b, high, down) : ir_ushr(b, high, down);
    return ir_select(b, ir_ieq(b, count, sp_imm(s, 32, 0)), sp_imm(s, x->bits, 0), field);
}

static struct ir_value *insert_field(struct sp *s, struct ir_value *base, struct ir_value *x, struct ir_value *offset,
                                     struct ir_value *count)
{
    struct ir_builder *b = &s->b;
    uint8_t bits = base->bits;
    if (bits == 32)
        return ir_bfi(b, base, x, offset, count);
    struct ir_value *ones = ir_ushr(b, sp_imm(s, bits, UINT64_MAX), ir_isub(b, sp_imm(s, 32, bits), count));
    struct ir_value *mask = ir_ishl(b, ones, offset);
    struct ir_value *moved = ir_iand(b, ir_ishl(b, x, offset), mask);
    struct ir_value *merged = ir_ior(b, ir_iand(b, base, ir_inot(b, mask)), moved);
    return ir_select(b, ir_ieq(b, count, sp_imm(s, 32, 0)), base, merged);
}

static struct ir_value *read_count(struct sp *s, uint32_t id)
{
    if (sp_type_of(s, id)->kind != SP_INT)
        sp_fail(s, "a bit count that is no integer");
    return sp_to_bits(s, sp_read_scalar(s, id), 32, false);
}

static struct sp_type *check_bits(struct sp *s, const struct sp_instr *in, uint32_t operands)
{
    struct sp_type *type = sp_type(s, in->type);
    for (uint32_t i = 0; i < operands; i++) {
        struct sp_type *operand = sp_type_of(s, sp_op(s, in, i));
        if (!sp_is_numeric(operand) || operand->scalars != type->scalars || operand->bits != type->bits ||
            type->bits == 1)
            sp_fail(s, "%s: operand %u is of the wrong type", in->info->name, i);
    }
    return type;
}

void sp_do_bit_field_insert(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = check_bits(s, in, 2);
    struct ir_value **base = sp_read(s, in->ops[0]), **x = sp_read(s, in->ops[1]);
    struct ir_value *offset = read_count(s, sp_op(s, in, 2)), *count = read_count(s, sp_op(s, in, 3));
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = insert_field(s, base[i], x[i], offset, count);
}

void sp_do_bit_field_extract(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = check_bits(s, in, 1);
    struct ir_value **x = sp_read(s, in->ops[0]);
    struct ir_value *offset = read_count(s, sp_op(s, in, 1)), *count = read_count(s, sp_op(s, in, 2));
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = extract_field(s, x[i], offset, count, in->info->arg);
}

void sp_do_bit_reverse(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = check_bits(s, in, 1);
    struct ir_value **x = sp_read(s, in->ops[0]);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++) {
        if (type->bits == 8) {
            struct ir_value *wide = ir_brev(&s->b, ir_u2u(&s->b, 32, x[i]));
            value->c[i] = ir_u2u(&s->b, 8, ir_ushr(&s->b, wide, sp_imm(s, 32, 24)));
        } else {
            value->c[i] = ir_brev(&s->b, x[i]);
        }
    }
}

void sp_do_bit_count(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type), *operand = sp_type_of(s, sp_op(s, in, 0));
    if (!sp_is_numeric(operand) || operand->scalars != type->scalars || operand->bits == 1 || type->bits == 1)
        sp_fail(s, "OpBitCount: the operand is of the wrong type");
    struct ir_value **x = sp_read(s, in->ops[0]);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = sp_to_bits(s, ir_bcount(&s->b, x[i]), type->bits, false);
}

void sp_do_count_zeros(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = check_bits(s, in, 1);
    struct ir_builder *b = &s->b;
    struct ir_value **x = sp_read(s, in->ops[0]);
    struct sp_value *value = sp_result(s, in);
    struct ir_value *width = sp_imm(s, 32, type->bits);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_value *zeros;
        if (in->info->arg) /* no bit set: -1 is the largest number without a sign */
            zeros = ir_umin(b, ir_find_lsb(b, x[i]), width);
        else
            zeros = ir_isub(b, sp_imm(s, 32, type->bits - 1u), ir_ufind_msb(b, x[i]));
        value->c[i] = sp_to_bits(s, zeros, type->bits, false);
    }
}

void sp_do_abs_sub(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = check_bits(s, in, 2);
    struct ir_builder *b = &s->b;
    struct ir_value **x = sp_read(s, in->ops[0]), **y = sp_read(s, in->ops[1]);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_value *high = in->info->arg ? ir_imax(b, x[i], y[i]) : ir_umax(b, x[i], y[i]);
        struct ir_value *low = in->info->arg ? ir_imin(b, x[i], y[i]) : ir_umin(b, x[i], y[i]);
        value->c[i] = ir_isub(b, high, low);
    }
}

/* (x & y) + ((x ^ y) >> 1) does not overflow; rounded up: (x | y) - ((x ^ y) >> 1). */
void sp_do_average(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = check_bits(s, in, 2);
    struct ir_builder *b = &s->b;
    bool is_signed = in->info->arg & 1, up = in->info->arg & 2;
    struct ir_value **x = sp_read(s, in->ops[0]), **y = sp_read(s, in->ops[1]);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_value *differ = ir_ixor(b, x[i], y[i]), *one = sp_imm(s, 32, 1);
        struct ir_value *half = is_signed ? ir_ishr(b, differ, one) : ir_ushr(b, differ, one);
        value->c[i] = up ? ir_isub(b, ir_ior(b, x[i], y[i]), half) : ir_iadd(b, ir_iand(b, x[i], y[i]), half);
    }
}

void sp_do_mul_32x16(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = check_bits(s, in, 2);
    struct ir_builder *b = &s->b;
    if (type->bits != 32)
        sp_fail(s, "%s is of 32 bits", in->info->name);
    struct ir_value **x = sp_read(s, in->ops[0]), **y = sp_read(s, in->ops[1]);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_value *low = ir_u2u(b, 16, y[i]);
        value->c[i] = ir_imul(b, x[i], in->info->arg ? ir_i2i(b, 32, low) : ir_u2u(b, 32, low));
    }
}

/* --- two results --- */

static void wide_parts(struct sp *s, uint32_t kind, struct ir_value *x, struct ir_value *y, struct ir_value **low_out,
                       struct ir_value **high_out)
{
    struct ir_builder *b = &s->b;
    bool narrow = x->bits < 32;
    switch (kind) {
    case 0:
        *low_out = ir_iadd(b, x, y);
        *high_out = ir_b2i(b, x->bits, narrow ? ir_ult(b, *low_out, x) : ir_uadd_carry(b, x, y));
        break;
    case 1:
        *low_out = ir_isub(b, x, y);
        *high_out = ir_b2i(b, x->bits, narrow ? ir_ult(b, x, y) : ir_usub_borrow(b, x, y));
        break;
    default:
        *low_out = ir_imul(b, x, y);
        if (x->bits == 8) {
            struct ir_value *wide = kind == 2 ? ir_imul(b, ir_u2u(b, 16, x), ir_u2u(b, 16, y))
                                              : ir_imul(b, ir_i2i(b, 16, x), ir_i2i(b, 16, y));
            *high_out = ir_u2u(b, 8, ir_ushr(b, wide, sp_imm(s, 32, 8)));
        } else {
            *high_out = kind == 2 ? ir_umul_hi(b, x, y) : ir_imul_hi(b, x, y);
        }
        break;
    }
}

void sp_do_wide_arithmetic(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type), *operand = sp_type_of(s, sp_op(s, in, 0));
    uint32_t count = operand->scalars;
    if (type->kind != SP_STRUCT || type->count != 2 || type->scalars != 2 * count || !sp_is_numeric(operand) ||
        sp_type_of(s, sp_op(s, in, 1))->scalars != count || operand->bits == 1)
        sp_fail(s, "%s: wrong types", in->info->name);
    struct ir_value **x = sp_read(s, in->ops[0]), **y = sp_read(s, in->ops[1]);
    struct sp_value *value = sp_result(s, in);
    if (sp_bits_of_scalar(s, type, 0) != operand->bits || y[0]->bits != x[0]->bits)
        sp_fail(s, "%s: wrong types", in->info->name);
    for (uint32_t i = 0; i < count; i++)
        wide_parts(s, in->info->arg, x[i], y[i], &value->c[i], &value->c[count + i]);
}

/* --- vectors and matrices --- */

/* Products of components, added up, from the last one on: the last component of a place is mostly one, and then no
 * product is needed for it. */
struct ir_value *sp_dot(struct sp *s, struct ir_value **x, struct ir_value **y, uint32_t count)
{
    struct ir_value *sum = ir_fmul(&s->b, x[count - 1], y[count - 1]);
    for (uint32_t i = count - 1; i-- > 0;)
        sum = ir_fadd(&s->b, ir_fmul(&s->b, x[i], y[i]), sum);
    return sum;
}

static void check_float(struct sp *s, const struct sp_instr *in, const struct sp_type *type, enum sp_kind kind)
{
    if (type->kind != kind || sp_scalar_type((struct sp_type *)type)->kind != SP_FLOAT)
        sp_fail(s, "%s: wrong types", in->info->name);
}

void sp_do_dot(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *x = sp_type_of(s, sp_op(s, in, 0)), *y = sp_type_of(s, sp_op(s, in, 1));
    check_float(s, in, x, SP_VECTOR);
    check_float(s, in, y, SP_VECTOR);
    if (x->scalars != y->scalars || x->bits != y->bits)
        sp_fail(s, "OpDot of different vectors");
    set_flags(s, in, x->bits);
    sp_set_scalar(s, in, sp_dot(s, sp_read(s, in->ops[0]), sp_read(s, in->ops[1]), x->scalars));
}

void sp_do_vector_times_scalar(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type), *vector = sp_type_of(s, sp_op(s, in, 0));
    check_float(s, in, vector, type->kind);
    check_float(s, in, sp_type_of(s, sp_op(s, in, 1)), SP_FLOAT);
    if (vector->scalars != type->scalars || vector->bits != type->bits || sp_type_of(s, in->ops[1])->bits != type->bits)
        sp_fail(s, "%s: wrong types", in->info->name);
    struct ir_value **x = sp_read(s, in->ops[0]), *scale = sp_read_scalar(s, in->ops[1]);
    struct sp_value *value = sp_result(s, in);
    set_flags(s, in, type->bits);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = ir_fmul(&s->b, x[i], scale);
}

/* Row `row` of a matrix whose columns lie one after the other. */
static void row_of(struct ir_value **matrix, uint32_t rows, uint32_t columns, uint32_t row, struct ir_value **out)
{
    for (uint32_t c = 0; c < columns; c++)
        out[c] = matrix[c * rows + row];
}

static void check_result(struct sp *s, const struct sp_instr *in, const struct sp_type *type, uint32_t scalars,
                         uint8_t bits)
{
    if (type->scalars != scalars || type->bits != bits)
        sp_fail(s, "%s: the result's type is not that of the operation", in->info->name);
}

void sp_do_vector_times_matrix(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type), *vector = sp_type_of(s, sp_op(s, in, 0)),
                   *matrix = sp_type_of(s, sp_op(s, in, 1));
    check_float(s, in, vector, SP_VECTOR);
    check_float(s, in, matrix, SP_MATRIX);
    if (vector->scalars != matrix->element->count || vector->bits != matrix->bits)
        sp_fail(s, "%s: sizes do not fit", in->info->name);
    check_result(s, in, type, matrix->count, matrix->bits);
    struct ir_value **v = sp_read(s, in->ops[0]), **m = sp_read(s, in->ops[1]);
    struct sp_value *value = sp_result(s, in);
    set_flags(s, in, type->bits);
    for (uint32_t c = 0; c < matrix->count; c++)
        value->c[c] = sp_dot(s, m + c * vector->scalars, v, vector->scalars);
}

void sp_do_matrix_times_vector(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type), *matrix = sp_type_of(s, sp_op(s, in, 0)),
                   *vector = sp_type_of(s, sp_op(s, in, 1));
    check_float(s, in, vector, SP_VECTOR);
    check_float(s, in, matrix, SP_MATRIX);
    uint32_t rows = matrix->element->count;
    if (vector->scalars != matrix->count || vector->bits != matrix->bits)
        sp_fail(s, "%s: sizes do not fit", in->info->name);
    check_result(s, in, type, rows, matrix->bits);
    struct ir_value **m = sp_read(s, in->ops[0]), **v = sp_read(s, in->ops[1]), *row[4];
    struct sp_value *value = sp_result(s, in);
    set_flags(s, in, type->bits);
    for (uint32_t r = 0; r < rows; r++) {
        row_of(m, rows, matrix->count, r, row);
        value->c[r] = sp_dot(s, row, v, matrix->count);
    }
}

void sp_do_matrix_times_matrix(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type), *left = sp_type_of(s, sp_op(s, in, 0)),
                   *right = sp_type_of(s, sp_op(s, in, 1));
    check_float(s, in, left, SP_MATRIX);
    check_float(s, in, right, SP_MATRIX);
    uint32_t rows = left->element->count, inner = left->count;
    if (right->element->count != inner || left->bits != right->bits)
        sp_fail(s, "%s: sizes do not fit", in->info->name);
    check_result(s, in, type, rows * right->count, left->bits);
    struct ir_value **l = sp_read(s, in->ops[0]), **r = sp_read(s, in->ops[1]), *row[4];
    struct sp_value *value = sp_result(s, in);
    set_flags(s, in, type->bits);
    for (uint32_t c = 0; c < right->count; c++) {
        for (uint32_t i = 0; i < rows; i++) {
            row_of(l, rows, inner, i, row);
            value->c[c * rows + i] = sp_dot(s, row, r + c * inner, inner);
        }
    }
}

void sp_do_outer_product(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type), *left = sp_type_of(s, sp_op(s, in, 0)),
                   *right = sp_type_of(s, sp_op(s, in, 1));
    check_float(s, in, left, SP_VECTOR);
    check_float(s, in, right, SP_VECTOR);
    check_result(s, in, type, left->count * right->count, left->bits);
    if (left->bits != right->bits)
        sp_fail(s, "%s: sizes do not fit", in->info->name);
    struct ir_value **x = sp_read(s, in->ops[0]), **y = sp_read(s, in->ops[1]);
    struct sp_value *value = sp_result(s, in);
    set_flags(s, in, type->bits);
    for (uint32_t c = 0; c < right->count; c++)
        for (uint32_t r = 0; r < left->count; r++)
            value->c[c * left->count + r] = ir_fmul(&s->b, x[r], y[c]);
}

/* --- derivatives --- */

static struct ir_value *derivative(struct sp *s, struct ir_value *x, bool y_axis, uint32_t kind)
{
    /* The quad's arithmetic is on 16 or 32 bits. */
    struct ir_value *source = x->bits == 64 ? ir_f2f(&s->b, 32, x, IR_ROUNDING_any) : x;
    struct ir_value *d = y_axis ? ir_fddy(&s->b, source, kind) : ir_fddx(&s->b, source, kind);
    return x->bits == 64 ? ir_f2f(&s->b, 64, d, IR_ROUNDING_any) : d;
}

void sp_do_derivative(struct sp *s, const struct sp_instr *in)
{
    struct ir_value **c[1];
    struct sp_type *type = sp_type(s, in->type);
    uint32_t kind = in->info->arg & 15;
    read_operands(s, in, 1, type->scalars, c);
    if (c[0][0]->bits != type->bits || type->bits < 16 || sp_scalar_type(type)->kind != SP_FLOAT)
        sp_fail(s, "%s: wrong types", in->info->name);
    s->shader->uses_derivatives = true;
    struct sp_value *value = sp_result(s, in);
    set_flags(s, in, type->bits);
    for (uint32_t i = 0; i < type->scalars; i++) {
        if (in->info->arg & 32) {
            struct ir_value *dx = ir_fabs(&s->b, derivative(s, c[0][i], false, kind));
            value->c[i] = ir_fadd(&s->b, dx, ir_fabs(&s->b, derivative(s, c[0][i], true, kind)));
        } else {
            value->c[i] = derivative(s, c[0][i], in->info->arg & 16, kind);
        }
    }
}
