/* Conversions between numbers, bit casts, and integer dot products. */
#include "compiler/spirv/sp.h"

/* Rounding that the instruction or the shader asks for, of a conversion to floats of `bits`. */
static uint32_t rounding_of(struct sp *s, const struct sp_instr *in, uint8_t bits)
{
    uint32_t mode = sp_decoration_value(s, in->id, SP_NONE, SpvDecorationFPRoundingMode, SP_NONE);
    uint32_t width = bits == 16 ? 0 : bits == 64 ? 2 : 1;
    if (mode == SpvFPRoundingModeRTE)
        return IR_ROUNDING_even;
    if (mode == SpvFPRoundingModeRTZ)
        return IR_ROUNDING_zero;
    if (mode != SP_NONE)
        sp_fail(s, "rounding mode %u is not Vulkan's", mode);
    if (s->shader->floats.round_even[width])
        return IR_ROUNDING_even;
    return s->shader->floats.round_zero[width] ? IR_ROUNDING_zero : IR_ROUNDING_any;
}

static struct ir_value *convert_value(struct sp *s, enum ir_op op, uint8_t bits, struct ir_value *x, uint32_t rounding)
{
    switch (op) {
    case IR_OP_f2u:
        return ir_f2u(&s->b, bits, x);
    case IR_OP_f2i:
        return ir_f2i(&s->b, bits, x);
    case IR_OP_i2f:
        return ir_i2f(&s->b, bits, x, rounding);
    case IR_OP_u2f:
        return ir_u2f(&s->b, bits, x, rounding);
    case IR_OP_u2u:
        return x->bits == bits ? x : ir_u2u(&s->b, bits, x);
    case IR_OP_i2i:
        return x->bits == bits ? x : ir_i2i(&s->b, bits, x);
    default:
        return x->bits == bits ? x : ir_f2f(&s->b, bits, x, rounding);
    }
}

void sp_do_convert(struct sp *s, const struct sp_instr *in)
{
    enum ir_op op = in->info->arg;
    struct sp_type *type = sp_type(s, in->type), *from = sp_type_of(s, sp_op(s, in, 0));
    bool to_float = op == IR_OP_i2f || op == IR_OP_u2f || op == IR_OP_f2f;
    bool from_float = op == IR_OP_f2u || op == IR_OP_f2i || op == IR_OP_f2f;
    if (!sp_is_numeric(type) || !sp_is_numeric(from) || type->scalars != from->scalars ||
        (sp_scalar_type(type)->kind == SP_FLOAT) != to_float ||
        (sp_scalar_type(from)->kind == SP_FLOAT) != from_float || type->bits == 1 || from->bits == 1)
        sp_fail(s, "%s: wrong types", in->info->name);
    struct ir_value **x = sp_read(s, in->ops[0]);
    struct sp_value *value = sp_result(s, in);
    uint32_t rounding = to_float ? rounding_of(s, in, type->bits) : IR_ROUNDING_any;
    s->b.flags = sp_float_flags(s, in->id, (from_float ? from->bits : 0u) | (to_float ? type->bits : 0u));
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = convert_value(s, op, type->bits, x[i], rounding);
}

/* --- bit casts --- */

/* The low half, in little-endian order, of a value; and two halves put together. */
static struct ir_value *part_of(struct sp *s, struct ir_value *x, uint8_t bits, uint32_t i)
{
    struct ir_value *moved = i ? ir_ushr(&s->b, x, sp_imm(s, 32, i * bits)) : x;
    return ir_u2u(&s->b, bits, moved);
}

static struct ir_value *join_parts(struct sp *s, struct ir_value **parts, uint32_t count, uint8_t bits)
{
    struct ir_builder *b = &s->b;
    if (bits == 64 && count == 2)
        return ir_pack64(b, parts[0], parts[1]);
    if (bits == 32 && count == 2)
        return ir_pack32(b, parts[0], parts[1]);
    struct ir_value *all = ir_u2u(b, bits, parts[0]);
    for (uint32_t i = 1; i < count; i++)
        all = ir_ior(b, all, ir_ishl(b, ir_u2u(b, bits, parts[i]), sp_imm(s, 32, i * parts[0]->bits)));
    return all;
}

static void cast_scalars(struct sp *s, struct ir_value **x, uint32_t count, uint8_t bits, struct ir_value **out,
                         uint32_t out_count)
{
    struct ir_builder *b = &s->b;
    uint8_t from = x[0]->bits;
    for (uint32_t i = 0; i < out_count; i++) {
        if (from == bits) {
            out[i] = x[i];
        } else if (from > bits) {
            uint32_t ratio = from / bits;
            struct ir_value *whole = x[i / ratio];
            if (from == 64 && bits == 32)
                out[i] = i % 2 ? ir_hi32(b, whole) : ir_lo32(b, whole);
            else if (from == 32 && bits == 16)
                out[i] = i % 2 ? ir_hi16(b, whole) : ir_lo16(b, whole);
            else
                out[i] = part_of(s, whole, bits, i % ratio);
        } else {
            uint32_t ratio = bits / from;
            out[i] = join_parts(s, x + i * ratio, ratio, bits);
        }
    }
}

void sp_do_bitcast(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type), *from = sp_type_of(s, sp_op(s, in, 0));
    bool fits = (sp_is_numeric(type) || type->kind == SP_POINTER) && (sp_is_numeric(from) || from->kind == SP_POINTER);
    if (!fits || type->scalars == 0 || from->scalars == 0 || type->bits == 1 || from->bits == 1 ||
        type->scalars * type->bits != from->scalars * from->bits)
        sp_fail(s, "OpBitcast between different sizes");
    if ((type->kind == SP_POINTER && type->storage != SpvStorageClassPhysicalStorageBuffer) ||
        (from->kind == SP_POINTER && from->storage != SpvStorageClassPhysicalStorageBuffer))
        sp_fail(s, "only physical addresses are numbers");
    struct ir_value **x = sp_read(s, in->ops[0]);
    struct sp_value *value = sp_new_value(s, type);
    cast_scalars(s, x, from->scalars, type->bits, value->c, type->scalars);
    if (type->kind == SP_POINTER)
        sp_set_pointer(s, in, sp_pointer_from_scalars(s, type, value->c));
    else
        sp_set_value(s, in, value->c);
}

/* --- integer dot products --- */

static struct ir_value *extend_value(struct sp *s, struct ir_value *x, uint8_t bits, bool is_signed)
{
    if (x->bits == bits)
        return x;
    return is_signed ? ir_i2i(&s->b, bits, x) : ir_u2u(&s->b, bits, x);
}

/* Component by component, in as many bits as hold the sum before it is cut or saturated. */
static struct ir_value *dot_of_vectors(struct sp *s, struct ir_value **x, struct ir_value **y, uint32_t count,
                                       uint8_t bits, uint32_t signs)
{
    struct ir_value *sum = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct ir_value *product =
            ir_imul(&s->b, extend_value(s, x[i], bits, signs & 1), extend_value(s, y[i], bits, signs & 2));
        sum = sum ? ir_iadd(&s->b, sum, product) : product;
    }
    return sum;
}

static struct ir_value *saturated_add(struct sp *s, struct ir_value *x, struct ir_value *y, bool is_signed)
{
    return is_signed ? ir_iadd_sat(&s->b, x, y) : ir_uadd_sat(&s->b, x, y);
}

/* Four bytes of 32 bits: what the hardware does at once. */
static bool is_packed(const struct sp_type *type)
{
    return (type->kind == SP_INT && type->bits == 32) ||
           (type->kind == SP_VECTOR && type->bits == 8 && type->count == 4);
}

static struct ir_value *packed_word(struct sp *s, const struct sp_type *type, struct ir_value **c)
{
    return type->kind == SP_INT ? c[0] : join_parts(s, c, 4, 32);
}

void sp_do_integer_dot(struct sp *s, const struct sp_instr *in)
{
    bool saturate = in->info->arg & 4;
    uint32_t signs = in->info->arg & 3;
    struct sp_type *type = sp_type(s, in->type);
    struct sp_type *x_type = sp_type_of(s, sp_op(s, in, 0)), *y_type = sp_type_of(s, sp_op(s, in, 1));
    uint8_t component_bits = x_type->kind == SP_INT ? 8 : x_type->bits; /* a scalar is four packed bytes */
    if (type->kind != SP_INT || !sp_is_numeric(x_type) || !sp_is_numeric(y_type) ||
        x_type->scalars != y_type->scalars || x_type->bits != y_type->bits || sp_scalar_type(x_type)->kind != SP_INT ||
        type->bits < component_bits || (x_type->kind == SP_INT && x_type->bits != 32))
        sp_fail(s, "%s: wrong types", in->info->name);
    struct ir_value **x = sp_read(s, in->ops[0]), **y = sp_read(s, in->ops[1]);
    struct ir_value *add = NULL, *sum;
    if (saturate) {
        if (sp_type_of(s, sp_op(s, in, 2))->bits != type->bits)
            sp_fail(s, "%s: wrong types", in->info->name);
        add = sp_read_scalar(s, in->ops[2]);
    }
    bool is_signed = signs != 0;
    if (is_packed(x_type) && type->bits == 32) {
        struct ir_value *zero = sp_imm(s, 32, 0);
        sum = ir_dot4(&s->b, packed_word(s, x_type, x), packed_word(s, y_type, y), add ? add : zero, signs, saturate);
    } else if (x_type->kind == SP_INT) {
        struct ir_value *bytes_x[4], *bytes_y[4];
        cast_scalars(s, x, 1, 8, bytes_x, 4);
        cast_scalars(s, y, 1, 8, bytes_y, 4);
        sum = dot_of_vectors(s, bytes_x, bytes_y, 4, MAX2(type->bits, (uint8_t)32), signs);
        sum = sp_to_bits(s, sum, type->bits, is_signed);
        sum = add ? saturated_add(s, sum, add, is_signed) : sum;
    } else {
        sum = dot_of_vectors(s, x, y, x_type->scalars, type->bits, signs);
        sum = add ? saturated_add(s, sum, add, is_signed) : sum;
    }
    sp_set_scalar(s, in, sum);
}
