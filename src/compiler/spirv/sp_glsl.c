/* GLSL.std.450 and the small sets of vendors: which function handles which instruction, and all that works component by
 * component. */
#include "compiler/spirv/sp.h"

#include <math.h>
#include <spirv/unified1/GLSL.std.450.h>

#define OPERANDS 2u /* of OpExtInst, after the set and the instruction */

/* --- component by component: c[i] is operand i's component --- */

typedef struct ir_value *(*component_function)(struct sp *s, struct ir_value **c);

/* Which values an operand may be. */
enum what {
    FLOATS,
    INTS
};

#define ONE(name, op)                                                                                                  \
    static struct ir_value *name(struct sp *s, struct ir_value **c)                                                    \
    {                                                                                                                  \
        return op(&s->b, c[0]);                                                                                        \
    }
#define TWO(name, op)                                                                                                  \
    static struct ir_value *name(struct sp *s, struct ir_value **c)                                                    \
    {                                                                                                                  \
        return op(&s->b, c[0], c[1]);                                                                                  \
    }
#define THREE(name, op)                                                                                                \
    static struct ir_value *name(struct sp *s, struct ir_value **c)                                                    \
    {                                                                                                                  \
        return op(&s->b, c[0], c[1], c[2]);                                                                            \
    }
#define MATH(name)                                                                                                     \
    static struct ir_value *do_##name(struct sp *s, struct ir_value **c)                                               \
    {                                                                                                                  \
        return sp_math_##name(s, c[0]);                                                                                \
    }

ONE(do_round, ir_fround)
ONE(do_trunc, ir_ftrunc)
static struct ir_value *do_fabs(struct sp *s, struct ir_value **c)
{
    return sp_flushed(s, ir_fabs(&s->b, c[0]));
}
ONE(do_iabs, ir_iabs)
/* Of NaN any number will do, but not NaN. */
static struct ir_value *do_fsign(struct sp *s, struct ir_value **c)
{
    struct ir_builder *b = &s->b;
    struct ir_value *sign = ir_fsign(b, c[0]);
    return b->flags & IR_FLAG_NAN_INF ? ir_select(b, ir_ford(b, c[0], c[0]), sign, sp_imm(s, c[0]->bits, 0)) : sign;
}
ONE(do_isign, ir_isign)
ONE(do_floor, ir_ffloor)
ONE(do_ceil, ir_fceil)
ONE(do_fract, ir_ffract)
ONE(do_sin, ir_fsin)
ONE(do_cos, ir_fcos)
ONE(do_exp2, ir_fexp2)
ONE(do_log2, ir_flog2)
ONE(do_sqrt, ir_fsqrt)
ONE(do_rsq, ir_frsq)
TWO(do_fmin, ir_fmin)
TWO(do_umin, ir_umin)
TWO(do_imin, ir_imin)
TWO(do_fmax, ir_fmax)
TWO(do_umax, ir_umax)
TWO(do_imax, ir_imax)
THREE(do_fma, ir_ffma)
MATH(tan)
MATH(asin)
MATH(acos)
MATH(atan)
MATH(sinh)
MATH(cosh)
MATH(tanh)
MATH(asinh)
MATH(acosh)
MATH(atanh)
MATH(exp)
MATH(log)

static struct ir_value *do_atan2(struct sp *s, struct ir_value **c)
{
    return sp_math_atan2(s, c[0], c[1]);
}

static struct ir_value *do_pow(struct sp *s, struct ir_value **c)
{
    return sp_math_pow(s, c[0], c[1]);
}

static struct ir_value *do_radians(struct sp *s, struct ir_value **c)
{
    return ir_fmul(&s->b, c[0], sp_imm_f(s, c[0]->bits, 0.01745329251994329577));
}

static struct ir_value *do_degrees(struct sp *s, struct ir_value **c)
{
    return ir_fmul(&s->b, c[0], sp_imm_f(s, c[0]->bits, 57.29577951308232088));
}

static struct ir_value *do_fclamp(struct sp *s, struct ir_value **c)
{
    return ir_fmin(&s->b, ir_fmax(&s->b, c[0], c[1]), c[2]);
}

static struct ir_value *do_uclamp(struct sp *s, struct ir_value **c)
{
    return ir_umin(&s->b, ir_umax(&s->b, c[0], c[1]), c[2]);
}

static struct ir_value *do_iclamp(struct sp *s, struct ir_value **c)
{
    return ir_imin(&s->b, ir_imax(&s->b, c[0], c[1]), c[2]);
}

/* Constants of one sign that are not far from each other: their difference is as exact as they are. */
static bool is_near(const struct ir_value *x, const struct ir_value *y)
{
    if (!ir_is_const(x) || !ir_is_const(y))
        return false;
    const double a = ir_const_f64(x), b = ir_const_f64(y), ratio = a / b;
    return isfinite(a) && isfinite(b) && b != 0 && ratio >= 0.125 && ratio <= 8;
}

/* x (1 - t) + y t, as exact as that; where both ends are known, x + (y - x) t is one multiply-add. */
static struct ir_value *do_mix(struct sp *s, struct ir_value **c)
{
    struct ir_builder *b = &s->b;
    if (!(b->flags & IR_FLAG_EXACT) && !ir_is_const(c[2]) && is_near(c[0], c[1]))
        return ir_fadd(b, c[0], ir_fmul(b, sp_fsub(s, c[1], c[0]), c[2]));
    struct ir_value *rest = sp_fsub(s, sp_imm_f(s, c[2]->bits, 1), c[2]);
    return ir_fadd(b, ir_fmul(b, c[0], rest), ir_fmul(b, c[1], c[2]));
}

static struct ir_value *do_step(struct sp *s, struct ir_value **c)
{
    uint8_t bits = c[0]->bits;
    return ir_select(&s->b, ir_flt(&s->b, c[1], c[0]), sp_imm_f(s, bits, 0), sp_imm_f(s, bits, 1));
}

static struct ir_value *do_smooth_step(struct sp *s, struct ir_value **c)
{
    struct ir_builder *b = &s->b;
    uint8_t bits = c[0]->bits;
    struct ir_value *t = ir_fdiv(b, sp_fsub(s, c[2], c[0]), sp_fsub(s, c[1], c[0]));
    t = ir_fmin(b, ir_fmax(b, t, sp_imm_f(s, bits, 0)), sp_imm_f(s, bits, 1));
    struct ir_value *slope = sp_fsub(s, sp_imm_f(s, bits, 3), ir_fmul(b, sp_imm_f(s, bits, 2), t));
    return ir_fmul(b, ir_fmul(b, t, t), slope);
}

/* AMD_shader_trinary_minmax */
#define THIRD(name, op)                                                                                                \
    static struct ir_value *name(struct sp *s, struct ir_value **c)                                                    \
    {                                                                                                                  \
        return op(&s->b, op(&s->b, c[0], c[1]), c[2]);                                                                 \
    }
#define MIDDLE(name, low, high)                                                                                        \
    static struct ir_value *name(struct sp *s, struct ir_value **c)                                                    \
    {                                                                                                                  \
        struct ir_builder *b = &s->b;                                                                                  \
        return high(b, low(b, c[0], c[1]), low(b, high(b, c[0], c[1]), c[2]));                                         \
    }
THIRD(do_fmin3, ir_fmin)
THIRD(do_umin3, ir_umin)
THIRD(do_imin3, ir_imin)
THIRD(do_fmax3, ir_fmax)
THIRD(do_umax3, ir_umax)
THIRD(do_imax3, ir_imax)
MIDDLE(do_fmid3, ir_fmin, ir_fmax)
MIDDLE(do_umid3, ir_umin, ir_umax)
MIDDLE(do_imid3, ir_imin, ir_imax)

struct component_op {
    component_function function;
    uint8_t count;
    uint8_t what;
    bool narrow; /* 16 and 32 bits only */
};

static const struct component_op glsl_ops[] = {
    [GLSLstd450Round] = {do_round, 1, FLOATS},
    [GLSLstd450RoundEven] = {do_round, 1, FLOATS},
    [GLSLstd450Trunc] = {do_trunc, 1, FLOATS},
    [GLSLstd450FAbs] = {do_fabs, 1, FLOATS},
    [GLSLstd450SAbs] = {do_iabs, 1, INTS},
    [GLSLstd450FSign] = {do_fsign, 1, FLOATS},
    [GLSLstd450SSign] = {do_isign, 1, INTS},
    [GLSLstd450Floor] = {do_floor, 1, FLOATS},
    [GLSLstd450Ceil] = {do_ceil, 1, FLOATS},
    [GLSLstd450Fract] = {do_fract, 1, FLOATS},
    [GLSLstd450Radians] = {do_radians, 1, FLOATS, true},
    [GLSLstd450Degrees] = {do_degrees, 1, FLOATS, true},
    [GLSLstd450Sin] = {do_sin, 1, FLOATS, true},
    [GLSLstd450Cos] = {do_cos, 1, FLOATS, true},
    [GLSLstd450Tan] = {do_tan, 1, FLOATS, true},
    [GLSLstd450Asin] = {do_asin, 1, FLOATS, true},
    [GLSLstd450Acos] = {do_acos, 1, FLOATS, true},
    [GLSLstd450Atan] = {do_atan, 1, FLOATS, true},
    [GLSLstd450Sinh] = {do_sinh, 1, FLOATS, true},
    [GLSLstd450Cosh] = {do_cosh, 1, FLOATS, true},
    [GLSLstd450Tanh] = {do_tanh, 1, FLOATS, true},
    [GLSLstd450Asinh] = {do_asinh, 1, FLOATS, true},
    [GLSLstd450Acosh] = {do_acosh, 1, FLOATS, true},
    [GLSLstd450Atanh] = {do_atanh, 1, FLOATS, true},
    [GLSLstd450Atan2] = {do_atan2, 2, FLOATS, true},
    [GLSLstd450Pow] = {do_pow, 2, FLOATS, true},
    [GLSLstd450Exp] = {do_exp, 1, FLOATS, true},
    [GLSLstd450Log] = {do_log, 1, FLOATS, true},
    [GLSLstd450Exp2] = {do_exp2, 1, FLOATS, true},
    [GLSLstd450Log2] = {do_log2, 1, FLOATS, true},
    [GLSLstd450Sqrt] = {do_sqrt, 1, FLOATS},
    [GLSLstd450InverseSqrt] = {do_rsq, 1, FLOATS},
    [GLSLstd450FMin] = {do_fmin, 2, FLOATS},
    [GLSLstd450UMin] = {do_umin, 2, INTS},
    [GLSLstd450SMin] = {do_imin, 2, INTS},
    [GLSLstd450FMax] = {do_fmax, 2, FLOATS},
    [GLSLstd450UMax] = {do_umax, 2, INTS},
    [GLSLstd450SMax] = {do_imax, 2, INTS},
    [GLSLstd450FClamp] = {do_fclamp, 3, FLOATS},
    [GLSLstd450UClamp] = {do_uclamp, 3, INTS},
    [GLSLstd450SClamp] = {do_iclamp, 3, INTS},
    [GLSLstd450FMix] = {do_mix, 3, FLOATS},
    [GLSLstd450Step] = {do_step, 2, FLOATS},
    [GLSLstd450SmoothStep] = {do_smooth_step, 3, FLOATS},
    [GLSLstd450Fma] = {do_fma, 3, FLOATS},
    [GLSLstd450NMin] = {do_fmin, 2, FLOATS},
    [GLSLstd450NMax] = {do_fmax, 2, FLOATS},
    [GLSLstd450NClamp] = {do_fclamp, 3, FLOATS},
};

static const struct component_op trinary_ops[] = {
    {0},
    {do_fmin3, 3, FLOATS},
    {do_umin3, 3, INTS},
    {do_imin3, 3, INTS},
    {do_fmax3, 3, FLOATS},
    {do_umax3, 3, INTS},
    {do_imax3, 3, INTS},
    {do_fmid3, 3, FLOATS},
    {do_umid3, 3, INTS},
    {do_imid3, 3, INTS},
};

static void by_component(struct sp *s, const struct sp_instr *in, const struct component_op *op)
{
    struct sp_type *type = sp_type(s, in->type);
    struct ir_value **operands[3], *c[3];
    if (!sp_is_numeric(type) || type->bits < 8 || (op->what == FLOATS && sp_scalar_type(type)->kind != SP_FLOAT) ||
        (op->what == INTS && sp_scalar_type(type)->kind != SP_INT) || (op->narrow && type->bits == 64))
        sp_fail(s, "an extended instruction of the wrong type");
    for (uint32_t i = 0; i < op->count; i++) {
        uint32_t id = sp_op(s, in, OPERANDS + i);
        struct sp_type *operand = sp_type_of(s, id);
        if (!sp_is_numeric(operand) || operand->scalars != type->scalars || operand->bits != type->bits)
            sp_fail(s, "an extended instruction of the wrong type");
        operands[i] = sp_read(s, id);
    }
    struct sp_value *value = sp_result(s, in);
    s->b.flags = sp_float_flags(s, in->id, type->bits);
    for (uint32_t k = 0; k < type->scalars; k++) {
        for (uint32_t i = 0; i < op->count; i++)
            c[i] = operands[i][k];
        value->c[k] = op->function(s, c);
    }
}

/* --- results of two parts, bits, interpolation --- */

static struct sp_type *float_operand(struct sp *s, const struct sp_instr *in, uint32_t i)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, OPERANDS + i));
    if (!sp_is_numeric(type) || sp_scalar_type(type)->kind != SP_FLOAT)
        sp_fail(s, "an extended instruction of something that is no float");
    return type;
}

/* The difference of `x` and `whole`, its whole part: it has the sign of `x`, and of an infinity it is zero. */
static struct ir_value *fraction_of(struct sp *s, struct ir_value *x, struct ir_value *whole)
{
    struct ir_builder *b = &s->b;
    struct ir_value *fraction = sp_fsub(s, x, whole);
    if (b->flags & IR_FLAG_NAN_INF)
        fraction =
            ir_select(b, ir_feq(b, ir_fabs(b, x), sp_imm_f(s, x->bits, INFINITY)), sp_imm(s, x->bits, 0), fraction);
    if (b->flags & IR_FLAG_NSZ)
        return fraction;
    return ir_ior(b, fraction, ir_iand(b, x, sp_imm(s, x->bits, 1ull << (x->bits - 1))));
}

/* Whole and fractional part, or mantissa and exponent; the second goes through a pointer or into a struct. */
static void split_float(struct sp *s, const struct sp_instr *in, uint32_t op)
{
    struct ir_builder *b = &s->b;
    struct sp_type *type = float_operand(s, in, 0), *result = sp_type(s, in->type);
    bool is_struct = op == GLSLstd450ModfStruct || op == GLSLstd450FrexpStruct;
    bool modf = op == GLSLstd450Modf || op == GLSLstd450ModfStruct;
    uint32_t count = type->scalars;
    struct ir_value **x = sp_read(s, in->ops[OPERANDS]);
    struct ir_value *first[4], *second[4];
    s->b.flags = sp_float_flags(s, in->id, type->bits);
    for (uint32_t i = 0; i < count; i++) {
        if (modf) {
            second[i] = ir_ftrunc(b, x[i]);
            first[i] = fraction_of(s, x[i], second[i]);
        } else {
            first[i] = ir_ffrexp_mant(b, x[i]);
            second[i] = ir_ffrexp_exp(b, x[i]);
        }
    }
    if (result->scalars != (is_struct ? 2 * count : count))
        sp_fail(s, "an extended instruction of the wrong type");
    if (!is_struct) {
        struct sp_ptr *ptr = sp_pointer(s, sp_op(s, in, OPERANDS + 1));
        if (ptr->type->scalars != count || ptr->type->bits < 16)
            sp_fail(s, "an extended instruction of the wrong type");
        for (uint32_t i = 0; i < count; i++)
            second[i] = modf ? second[i] : sp_to_bits(s, second[i], ptr->type->bits, true);
        sp_store(s, ptr, second);
    }
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < count; i++) {
        value->c[i] = first[i];
        if (is_struct)
            value->c[count + i] =
                modf ? second[i] : sp_to_bits(s, second[i], sp_bits_of_scalar(s, result, count + i), true);
    }
    for (uint32_t i = 0; i < result->scalars; i++)
        if (value->c[i]->bits != sp_bits_of_scalar(s, result, i))
            sp_fail(s, "an extended instruction of the wrong type");
}

static void ldexp_parts(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = float_operand(s, in, 0), *exponent = sp_type_of(s, sp_op(s, in, OPERANDS + 1));
    struct sp_type *result = sp_type(s, in->type);
    if (!sp_is_numeric(exponent) || exponent->scalars != type->scalars || sp_scalar_type(exponent)->kind != SP_INT ||
        result->scalars != type->scalars || result->bits != type->bits)
        sp_fail(s, "an extended instruction of the wrong type");
    struct ir_value **x = sp_read(s, in->ops[OPERANDS]), **e = sp_read(s, in->ops[OPERANDS + 1]);
    struct sp_value *value = sp_result(s, in);
    s->b.flags = sp_float_flags(s, in->id, type->bits);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = ir_fldexp(&s->b, x[i], sp_to_bits(s, e[i], 32, true));
}

static void find_bit(struct sp *s, const struct sp_instr *in, uint32_t op)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, OPERANDS)), *result = sp_type(s, in->type);
    if (!sp_is_numeric(type) || sp_scalar_type(type)->kind != SP_INT || !sp_is_numeric(result) || result->bits == 1 ||
        result->scalars != type->scalars)
        sp_fail(s, "an extended instruction of the wrong type");
    struct ir_value **x = sp_read(s, in->ops[OPERANDS]);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_value *bit = op == GLSLstd450FindILsb   ? ir_find_lsb(&s->b, x[i])
                               : op == GLSLstd450FindSMsb ? ir_ifind_msb(&s->b, x[i])
                                                          : ir_ufind_msb(&s->b, x[i]);
        value->c[i] = sp_to_bits(s, bit, result->bits, true);
    }
}

static void interpolate(struct sp *s, const struct sp_instr *in, uint32_t op)
{
    struct sp_ptr *ptr = sp_pointer(s, sp_op(s, in, OPERANDS));
    struct ir_value *bary;
    if (ptr->mode != SP_PTR_IO)
        sp_fail(s, "interpolation of something that is no input");
    const bool is_linear =
        ptr->io->interp == IR_INTERP_noperspective || ptr->io->builtin == SpvBuiltInBaryCoordNoPerspKHR;
    enum ir_interp interp = is_linear ? IR_INTERP_noperspective : IR_INTERP_smooth;
    if (op == GLSLstd450InterpolateAtCentroid)
        bary = ir_load_bary(&s->b, IR_BARY_centroid, interp);
    else if (op == GLSLstd450InterpolateAtSample)
        bary = ir_load_bary_at(&s->b, sp_to_bits(s, sp_read_scalar(s, sp_op(s, in, OPERANDS + 1)), 32, false),
                               IR_BARY_at_sample, interp);
    else {
        struct sp_type *offset = float_operand(s, in, 1);
        struct ir_value **c = sp_read(s, in->ops[OPERANDS + 1]), *xy[2];
        if (offset->scalars != 2 || offset->bits == 64)
            sp_fail(s, "interpolation at an offset that is none");
        for (uint32_t i = 0; i < 2; i++)
            xy[i] = c[i]->bits == 32 ? c[i] : ir_f2f(&s->b, 32, c[i], IR_ROUNDING_any);
        bary = ir_load_bary_at(&s->b, ir_vec(&s->b, 2, xy), IR_BARY_at_offset, interp);
    }
    sp_set_vector(s, in, sp_load_interpolated(s, ptr, bary));
}

static void sp_glsl(struct sp *s, const struct sp_instr *in, uint32_t op)
{
    if (op < ARRAY_SIZE(glsl_ops) && glsl_ops[op].function) {
        by_component(s, in, &glsl_ops[op]);
        return;
    }
    if (sp_glsl_vector(s, in, op) || sp_glsl_pack(s, in, op))
        return;
    switch (op) {
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
        split_float(s, in, op);
        break;
    case GLSLstd450Ldexp:
        ldexp_parts(s, in);
        break;
    case GLSLstd450FindILsb:
    case GLSLstd450FindSMsb:
    case GLSLstd450FindUMsb:
        find_bit(s, in, op);
        break;
    case GLSLstd450InterpolateAtCentroid:
    case GLSLstd450InterpolateAtSample:
    case GLSLstd450InterpolateAtOffset:
        interpolate(s, in, op);
        break;
    default:
        for (uint32_t i = 0; i < SP_NUM_GLSL; i++)
            if (sp_glsl_infos[i].opcode == op)
                sp_fail(s, "GLSL.std.450 %s is not supported", sp_glsl_infos[i].name);
        sp_fail(s, "GLSL.std.450 has no instruction %u", op);
    }
}

/* --- the sets of SPV_AMD_shader_ballot and its like --- */

static void shader_ballot(struct sp *s, const struct sp_instr *in, uint32_t op)
{
    struct ir_builder *b = &s->b;
    struct sp_type *type = sp_type(s, in->type);
    struct ir_value *lane = sp_sysval(s, IR_SYSVAL_subgroup_lane, 32, 1), *from = NULL;
    s->shader->uses_subgroup_ops = true;
    if (op == 4) { /* MbcntAMD */
        struct ir_value *mask = sp_to_bits(s, sp_read_scalar(s, sp_op(s, in, OPERANDS)), 64, false);
        sp_set_scalar(s, in, ir_mbcnt(b, mask, sp_imm(s, 32, 0)));
        return;
    }
    struct sp_type *data = sp_type_of(s, sp_op(s, in, OPERANDS));
    if (!sp_is_numeric(type) || data->scalars != type->scalars || data->bits != type->bits)
        sp_fail(s, "an extended instruction of the wrong type");
    struct ir_value **c = sp_read(s, in->ops[OPERANDS]), **other = NULL;
    if (op == 3) { /* WriteInvocationAMD */
        if (sp_type_of(s, sp_op(s, in, OPERANDS + 1))->scalars != type->scalars)
            sp_fail(s, "an extended instruction of the wrong type");
        other = sp_read(s, in->ops[OPERANDS + 1]);
        from = ir_ieq(b, lane, sp_to_bits(s, sp_read_scalar(s, sp_op(s, in, OPERANDS + 2)), 32, false));
    } else if (op == 1 || op == 2) { /* SwizzleInvocations[Masked]AMD */
        const struct sp_constant *how = sp_constant(s, sp_op(s, in, OPERANDS + 1));
        if (how->type->scalars != (op == 1 ? 4u : 3u))
            sp_fail(s, "an extended instruction of the wrong type");
        if (op == 2) {
            from = ir_iand(b, lane, sp_imm(s, 32, sp_constant_bits(how, 0) | ~31ull));
            from = ir_ior(b, from, sp_imm(s, 32, sp_constant_bits(how, 1)));
            from = ir_ixor(b, from, sp_imm(s, 32, sp_constant_bits(how, 2)));
        } else {
            struct ir_value *to[4];
            for (uint32_t i = 0; i < 4; i++)
                to[i] = sp_imm(s, 32, sp_constant_bits(how, i) & 3);
            struct ir_value *in_quad = sp_dynamic_element(s, to, 4, ir_iand(b, lane, sp_imm(s, 32, 3)));
            from = ir_ior(b, ir_iand(b, lane, sp_imm(s, 32, ~3u)), in_quad);
        }
    } else {
        sp_fail(s, "SPV_AMD_shader_ballot has no instruction %u", op);
    }
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = other ? ir_select(b, from, other[i], c[i]) : ir_shuffle(b, c[i], from);
}

static void interpolate_at_vertex(struct sp *s, const struct sp_instr *in, uint32_t op)
{
    struct sp_ptr *ptr = sp_pointer(s, sp_op(s, in, OPERANDS));
    if (op != 1 || ptr->mode != SP_PTR_IO || ptr->io->location == SP_NONE || !sp_is_numeric(ptr->type) ||
        ptr->component_index || (ptr->type->bits != 16 && ptr->type->bits != 32) ||
        s->shader->stage != IR_STAGE_fragment)
        sp_fail(s, "InterpolateAtVertexAMD of something that is no input");
    struct ir_value *vertex = sp_to_bits(s, sp_read_scalar(s, sp_op(s, in, OPERANDS + 1)), 32, false);
    struct ir_value *offset = ptr->location_index ? ptr->location_index : sp_imm(s, 32, 0);
    uint32_t location = ptr->io->location + ptr->location, component = ptr->io->component + ptr->component;
    if (component + ptr->type->scalars > 4)
        sp_fail(s, "component %u of a location", component);
    sp_set_vector(
        s, in,
        ir_load_input_vertex(&s->b, ptr->type->bits, (uint8_t)ptr->type->scalars, vertex, offset, location, component));
}

void sp_do_ext_inst(struct sp *s, const struct sp_instr *in)
{
    struct sp_id *set = sp_id(s, sp_op(s, in, 0));
    uint32_t op = sp_op(s, in, 1);
    if (set->what != SP_EXT_SET)
        sp_fail(s, "id %u is no set of extended instructions", in->ops[0]);
    if (set->set == SP_SET_NONSEMANTIC)
        return;
    if (!s->function)
        sp_fail(s, "OpExtInst stands outside functions");
    switch (set->set) {
    case SP_SET_GLSL:
        sp_glsl(s, in, op);
        break;
    case SP_SET_AMD_TRINARY:
        if (op == 0 || op >= ARRAY_SIZE(trinary_ops))
            sp_fail(s, "SPV_AMD_shader_trinary_minmax has no instruction %u", op);
        by_component(s, in, &trinary_ops[op]);
        break;
    case SP_SET_AMD_BALLOT:
        shader_ballot(s, in, op);
        break;
    case SP_SET_AMD_VERTEX:
        interpolate_at_vertex(s, in, op);
        break;
    case SP_SET_AMD_GCN:
        if (op != 3) /* TimeAMD */
            sp_fail(s, "SPV_AMD_gcn_shader instruction %u is not supported", op);
        sp_set_scalar(s, in, ir_shader_clock(&s->b, IR_SCOPE_subgroup));
        break;
    default:
        sp_fail(s, "the set of extended instructions is not supported");
    }
}
