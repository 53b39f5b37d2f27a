/* GLSL.std.450 on whole vectors and matrices: geometry, determinants and inverses, packing. */
#include "compiler/spirv/sp.h"

#include <spirv/unified1/GLSL.std.450.h>

#define OPERANDS 2u

static struct sp_type *floats_of(struct sp *s, const struct sp_instr *in, uint32_t i)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, OPERANDS + i));
    if (!sp_is_numeric(type) || sp_scalar_type(type)->kind != SP_FLOAT)
        sp_fail(s, "an extended instruction of something that is no float");
    return type;
}

/* Operand `i`, which must be like the first. */
static struct ir_value **read_like(struct sp *s, const struct sp_instr *in, uint32_t i, const struct sp_type *like)
{
    struct sp_type *type = floats_of(s, in, i);
    if (type->scalars != like->scalars || type->bits != like->bits)
        sp_fail(s, "an extended instruction of different types");
    return sp_read(s, in->ops[OPERANDS + i]);
}

static struct sp_value *result_like(struct sp *s, const struct sp_instr *in, const struct sp_type *like)
{
    struct sp_type *type = sp_type(s, in->type);
    if (type->scalars != like->scalars || type->bits != like->bits)
        sp_fail(s, "the result's type is not that of the operation");
    return sp_result(s, in);
}

static struct ir_value *length(struct sp *s, struct ir_value **x, uint32_t count)
{
    return count == 1 ? sp_flushed(s, ir_fabs(&s->b, x[0])) : ir_fsqrt(&s->b, sp_dot(s, x, x, count));
}

static void distance(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = floats_of(s, in, 0);
    struct ir_value **x = read_like(s, in, 0, type), **y = read_like(s, in, 1, type), *d[4];
    for (uint32_t i = 0; i < type->scalars; i++)
        d[i] = sp_fsub(s, x[i], y[i]);
    sp_set_scalar(s, in, length(s, d, type->scalars));
}

static void cross_product(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = floats_of(s, in, 0);
    if (type->scalars != 3)
        sp_fail(s, "a cross product of %u components", type->scalars);
    struct ir_value **x = read_like(s, in, 0, type), **y = read_like(s, in, 1, type);
    struct sp_value *value = result_like(s, in, type);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        value->c[i] = sp_fsub(s, ir_fmul(&s->b, x[j], y[k]), ir_fmul(&s->b, x[k], y[j]));
    }
}

static void normalize_vector(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = floats_of(s, in, 0);
    struct ir_value **x = read_like(s, in, 0, type);
    struct sp_value *value = result_like(s, in, type);
    if (type->scalars == 1) {
        value->c[0] = ir_fsign(&s->b, x[0]);
        return;
    }
    struct ir_value *scale = ir_frsq(&s->b, sp_dot(s, x, x, type->scalars));
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = ir_fmul(&s->b, x[i], scale);
}

/* N, I, Nref */
static void face_forward(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = floats_of(s, in, 0);
    struct ir_value **n = read_like(s, in, 0, type), **i = read_like(s, in, 1, type), **ref = read_like(s, in, 2, type);
    struct ir_value *towards = ir_flt(&s->b, sp_dot(s, ref, i, type->scalars), sp_imm_f(s, type->bits, 0));
    struct sp_value *value = result_like(s, in, type);
    for (uint32_t k = 0; k < type->scalars; k++)
        value->c[k] = ir_select(&s->b, towards, n[k], ir_fneg(&s->b, n[k]));
}

/* I - 2 dot(N, I) N */
static void reflect_vector(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = floats_of(s, in, 0);
    struct ir_value **i = read_like(s, in, 0, type), **n = read_like(s, in, 1, type);
    struct ir_value *twice = ir_fmul(&s->b, sp_imm_f(s, type->bits, 2), sp_dot(s, n, i, type->scalars));
    struct sp_value *value = result_like(s, in, type);
    for (uint32_t k = 0; k < type->scalars; k++)
        value->c[k] = sp_fsub(s, i[k], ir_fmul(&s->b, twice, n[k]));
}

static void refract_vector(struct sp *s, const struct sp_instr *in)
{
    struct ir_builder *b = &s->b;
    struct sp_type *type = floats_of(s, in, 0);
    struct ir_value **i = read_like(s, in, 0, type), **n = read_like(s, in, 1, type);
    struct sp_type *eta_type = floats_of(s, in, 2);
    if (eta_type->scalars != 1)
        sp_fail(s, "an extended instruction of different types");
    struct ir_value *eta = sp_read_scalar(s, in->ops[OPERANDS + 2]);
    if (eta->bits != type->bits)
        eta = ir_f2f(b, type->bits, eta, IR_ROUNDING_any);
    struct ir_value *one = sp_imm_f(s, type->bits, 1), *zero = sp_imm_f(s, type->bits, 0);
    struct ir_value *d = sp_dot(s, n, i, type->scalars);
    struct ir_value *sine = ir_fmul(b, ir_fmul(b, eta, eta), sp_fsub(s, one, ir_fmul(b, d, d)));
    struct ir_value *k = sp_fsub(s, one, sine);
    struct ir_value *none = ir_flt(b, k, zero);
    struct ir_value *along = ir_fadd(b, ir_fmul(b, eta, d), ir_fsqrt(b, k));
    struct sp_value *value = result_like(s, in, type);
    for (uint32_t c = 0; c < type->scalars; c++) {
        struct ir_value *bent = sp_fsub(s, ir_fmul(b, eta, i[c]), ir_fmul(b, along, n[c]));
        value->c[c] = ir_select(b, none, zero, bent);
    }
}

/* --- matrices: element (row, column) is m[column × size + row] --- */

static struct ir_value *minor_2(struct sp *s, struct ir_value *a, struct ir_value *b, struct ir_value *c,
                                struct ir_value *d)
{
    return sp_fsub(s, ir_fmul(&s->b, a, d), ir_fmul(&s->b, b, c));
}

/* Determinant of the rows and columns that the masks leave; the size is at most 3 below the top. */
static struct ir_value *determinant(struct sp *s, struct ir_value **m, uint32_t size, uint32_t rows, uint32_t columns)
{
    uint32_t row[4], column[4], r = 0, c = 0;
    for (uint32_t i = 0; i < size; i++) {
        if (rows & 1u << i)
            row[r++] = i;
        if (columns & 1u << i)
            column[c++] = i;
    }
    if (c == 1)
        return m[column[0] * size + row[0]];
    if (c == 2)
        return minor_2(s, m[column[0] * size + row[0]], m[column[1] * size + row[0]], m[column[0] * size + row[1]],
                       m[column[1] * size + row[1]]);
    struct ir_value *sum = NULL;
    for (uint32_t i = 0; i < c; i++) {
        struct ir_value *minor = determinant(s, m, size, rows & ~(1u << row[0]), columns & ~(1u << column[i]));
        struct ir_value *term = ir_fmul(&s->b, m[column[i] * size + row[0]], minor);
        sum = !sum ? term : i % 2 ? sp_fsub(s, sum, term) : ir_fadd(&s->b, sum, term);
    }
    return sum;
}

static struct sp_type *square_matrix(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, OPERANDS));
    if (type->kind != SP_MATRIX || type->element->count != type->count)
        sp_fail(s, "a determinant of something that is not square");
    return type;
}

static void determinant_of(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = square_matrix(s, in);
    uint32_t all = (1u << type->count) - 1;
    sp_set_scalar(s, in, determinant(s, sp_read(s, in->ops[OPERANDS]), type->count, all, all));
}

/* The transposed cofactors over the determinant. */
static void inverse(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = square_matrix(s, in);
    uint32_t size = type->count, all = (1u << size) - 1;
    struct ir_value **m = sp_read(s, in->ops[OPERANDS]), *cofactors[16] = {0};
    for (uint32_t c = 0; c < size; c++) {
        for (uint32_t r = 0; r < size; r++) {
            struct ir_value *minor = determinant(s, m, size, all & ~(1u << r), all & ~(1u << c));
            cofactors[c * size + r] = (r + c) % 2 ? ir_fneg(&s->b, minor) : minor;
        }
    }
    /* Along the first row. */
    struct ir_value *sum = ir_fmul(&s->b, m[0], cofactors[0]);
    for (uint32_t c = 1; c < size; c++)
        sum = ir_fadd(&s->b, sum, ir_fmul(&s->b, m[c * size], cofactors[c * size]));
    struct ir_value *scale = ir_fdiv(&s->b, sp_imm_f(s, type->bits, 1), sum);
    struct sp_value *value = result_like(s, in, type);
    for (uint32_t c = 0; c < size; c++)
        for (uint32_t r = 0; r < size; r++)
            value->c[c * size + r] = ir_fmul(&s->b, cofactors[r * size + c], scale);
}

bool sp_glsl_vector(struct sp *s, const struct sp_instr *in, uint32_t op)
{
    struct sp_type *type;
    s->b.flags = sp_float_flags(s, in->id, sp_type(s, in->type)->bits);
    switch (op) {
    case GLSLstd450Length:
        type = floats_of(s, in, 0);
        sp_set_scalar(s, in, length(s, read_like(s, in, 0, type), type->scalars));
        return true;
    case GLSLstd450Distance:
        distance(s, in);
        return true;
    case GLSLstd450Cross:
        cross_product(s, in);
        return true;
    case GLSLstd450Normalize:
        normalize_vector(s, in);
        return true;
    case GLSLstd450FaceForward:
        face_forward(s, in);
        return true;
    case GLSLstd450Reflect:
        reflect_vector(s, in);
        return true;
    case GLSLstd450Refract:
        refract_vector(s, in);
        return true;
    case GLSLstd450Determinant:
        determinant_of(s, in);
        return true;
    case GLSLstd450MatrixInverse:
        inverse(s, in);
        return true;
    default:
        return false;
    }
}

/* --- packing --- */

struct packing {
    uint32_t count, bits; /* fields, and bits of each */
    bool is_signed;
};

static struct ir_value *pack_channels(struct sp *s, struct ir_value **c, const struct packing *p)
{
    struct ir_builder *b = &s->b;
    double scale = p->is_signed ? (double)(1u << (p->bits - 1)) - 1 : (double)((1u << p->bits) - 1);
    struct ir_value *word = NULL, *low = sp_imm_f(s, 32, p->is_signed ? -1 : 0), *high = sp_imm_f(s, 32, 1);
    for (uint32_t i = 0; i < p->count; i++) {
        struct ir_value *x = ir_fmin(b, ir_fmax(b, c[i], low), high);
        x = ir_fround(b, ir_fmul(b, x, sp_imm_f(s, 32, scale)));
        struct ir_value *field = p->is_signed ? ir_f2i(b, 32, x) : ir_f2u(b, 32, x);
        if (p->is_signed)
            field = ir_iand(b, field, sp_imm(s, 32, bits_mask(p->bits)));
        if (i)
            field = ir_ishl(b, field, sp_imm(s, 32, i * p->bits));
        word = word ? ir_ior(b, word, field) : field;
    }
    return word;
}

static void unpack_word(struct sp *s, struct ir_value *word, const struct packing *p, struct ir_value **out)
{
    struct ir_builder *b = &s->b;
    double scale = p->is_signed ? (double)(1u << (p->bits - 1)) - 1 : (double)((1u << p->bits) - 1);
    struct ir_value *count = sp_imm(s, 32, p->bits), *minus_one = sp_imm_f(s, 32, -1);
    for (uint32_t i = 0; i < p->count; i++) {
        struct ir_value *at = sp_imm(s, 32, i * p->bits);
        struct ir_value *field = p->is_signed ? ir_ibfe(b, word, at, count) : ir_ubfe(b, word, at, count);
        struct ir_value *x =
            p->is_signed ? ir_i2f(b, 32, field, IR_ROUNDING_any) : ir_u2f(b, 32, field, IR_ROUNDING_any);
        x = ir_fmul(b, x, sp_imm_f(s, 32, 1 / scale));
        out[i] = p->is_signed ? ir_fmax(b, x, minus_one) : x;
    }
}

static struct ir_value **read_sized(struct sp *s, const struct sp_instr *in, uint32_t count, uint8_t bits)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, OPERANDS));
    if (!sp_is_numeric(type) || type->scalars != count || type->bits != bits)
        sp_fail(s, "packing of something that does not fit");
    return sp_read(s, in->ops[OPERANDS]);
}

bool sp_glsl_pack(struct sp *s, const struct sp_instr *in, uint32_t op)
{
    static const struct packing packings[] = {
        [GLSLstd450PackSnorm4x8] = {4, 8, true},     [GLSLstd450PackUnorm4x8] = {4, 8, false},
        [GLSLstd450PackSnorm2x16] = {2, 16, true},   [GLSLstd450PackUnorm2x16] = {2, 16, false},
        [GLSLstd450UnpackSnorm2x16] = {2, 16, true}, [GLSLstd450UnpackUnorm2x16] = {2, 16, false},
        [GLSLstd450UnpackSnorm4x8] = {4, 8, true},   [GLSLstd450UnpackUnorm4x8] = {4, 8, false},
    };
    struct ir_builder *b = &s->b;
    struct ir_value **c, *out[4];
    s->b.flags = 0;
    switch (op) {
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450PackUnorm4x8:
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450PackUnorm2x16:
        sp_set_scalar(s, in, pack_channels(s, read_sized(s, in, packings[op].count, 32), &packings[op]));
        return true;
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
        unpack_word(s, read_sized(s, in, 1, 32)[0], &packings[op], out);
        sp_set_vector(s, in, ir_vec(b, packings[op].count, out));
        return true;
    case GLSLstd450PackHalf2x16:
        c = read_sized(s, in, 2, 32);
        out[0] = ir_f2f(b, 16, c[0], IR_ROUNDING_any);
        out[1] = ir_f2f(b, 16, c[1], IR_ROUNDING_any);
        sp_set_scalar(s, in, ir_pack32(b, out[0], out[1]));
        return true;
    case GLSLstd450UnpackHalf2x16:
        c = read_sized(s, in, 1, 32);
        out[0] = ir_f2f(b, 32, ir_lo16(b, c[0]), IR_ROUNDING_any);
        out[1] = ir_f2f(b, 32, ir_hi16(b, c[0]), IR_ROUNDING_any);
        sp_set_vector(s, in, ir_vec(b, 2, out));
        return true;
    case GLSLstd450PackDouble2x32:
        c = read_sized(s, in, 2, 32);
        sp_set_scalar(s, in, ir_pack64(b, c[0], c[1]));
        return true;
    case GLSLstd450UnpackDouble2x32:
        c = read_sized(s, in, 1, 64);
        out[0] = ir_lo32(b, c[0]);
        out[1] = ir_hi32(b, c[0]);
        sp_set_vector(s, in, ir_vec(b, 2, out));
        return true;
    default:
        return false;
    }
}
