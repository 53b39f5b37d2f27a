/* The constant folder: every operation that folds, against numbers written down by hand or worked out another way. */
#include <math.h>

#include "ir_test.h"

#include "util/half.h"

#include "compiler/ir/ir_fold.h"

#define F(x) float_bits(x)
#define D(x) double_bits(x)
#define NAN16 0x7e00
#define NAN32 0x7fc00000
#define NAN64 0x7ff8000000000000
#define INF32 0x7f800000

/* One operation at one width; `w` are the widths of the operands that differ from the result's. */
struct row {
    enum ir_op op;
    uint8_t bits;
    uint8_t w[4];
    uint64_t s[4];
    uint64_t expected;
    uint32_t imm[2];
};

#define ROW(op, bits, w0, w1, w2, w3, ...)                                                                             \
    {                                                                                                                  \
        IR_OP_##op, bits, {w0, w1, w2, w3}, __VA_ARGS__                                                                \
    }
#define UN(op, bits, a, r) ROW(op, bits, bits, 0, 0, 0, {a}, r)
#define BIN(op, bits, a, b, r) ROW(op, bits, bits, bits, 0, 0, {a, b}, r)
#define TRI(op, bits, a, b, c, r) ROW(op, bits, bits, bits, bits, 0, {a, b, c}, r)
#define CMP(op, bits, a, b, r) ROW(op, 1, bits, bits, 0, 0, {a, b}, r)
#define SHIFT(op, bits, a, b, r) ROW(op, bits, bits, 32, 0, 0, {a, b}, r)
#define CONV(op, to, from, a, r) ROW(op, to, from, 0, 0, 0, {a}, r)
#define CONV_TO_ZERO(op, to, from, a, r) ROW(op, to, from, 0, 0, 0, {a}, r, {IR_ROUNDING_zero})

static struct row rows[256];
static unsigned num_rows;

static int fill_rows(void **state)
{
    (void)state;
    const struct row list[] = {
        /* packing and selection */
        ROW(select, 32, 1, 32, 32, 0, {1, 7, 9}, 7),
        ROW(select, 64, 1, 64, 64, 0, {0, 7, 0x900000000}, 0x900000000),
        ROW(select, 1, 1, 1, 1, 0, {0, 1, 0}, 0),
        ROW(pack64, 64, 32, 32, 0, 0, {0x11111111, 0xf2222222}, 0xf222222211111111),
        ROW(lo32, 32, 64, 0, 0, 0, {0x1122334455667788}, 0x55667788),
        ROW(hi32, 32, 64, 0, 0, 0, {0x1122334455667788}, 0x11223344),
        ROW(pack32, 32, 16, 16, 0, 0, {0x1111, 0xf222}, 0xf2221111),
        ROW(lo16, 16, 32, 0, 0, 0, {0x11223344}, 0x3344),
        ROW(hi16, 16, 32, 0, 0, 0, {0x11223344}, 0x1122),
        /* float arithmetic */
        BIN(fadd, 32, F(1.5f), F(2.25f), F(3.75f)),
        BIN(fadd, 16, 0x3c00, 0x1000, 0x3c00), /* 1 + 2^-11: a tie, to even */
        BIN(fadd, 16, 0x3c01, 0x1000, 0x3c02),
        BIN(fadd, 64, D(0.1), D(0.2), D(0.30000000000000004)),
        BIN(fadd, 32, INF32, INF32 | 0x80000000, NAN32),
        BIN(fmul, 32, F(3), F(-0.5f), F(-1.5f)),
        BIN(fmul, 16, 0x7bff, 0x4000, 0x7c00), /* beyond 65504 */
        BIN(fmul, 32, 1, F(0.5f), 0),          /* half of the smallest denormal, to even */
        BIN(fmul, 32, 3, F(0.5f), 2),
        TRI(ffma, 32, F(1 + 0x1p-12f), F(1 + 0x1p-12f), F(-1), F(0x1p-11f + 0x1p-24f)), /* the product is not rounded */
        TRI(ffma, 16, 0x3c01, 0x3c02, 0xbc00, 0x1a01), /* (1 + 2^-10)(1 + 2^-9) - 1 = 2^-9 + 2^-10 + 2^-19 */
        TRI(ffma, 16, 0x7800, 0x3c01, 0x0001, 0x7801), /* what the smallest denormal adds is lost without a carry */
        TRI(ffma, 64, D(2), D(3), D(4), D(10)),
        BIN(fdiv, 32, F(1), F(3), F(1.0f / 3)),
        BIN(fdiv, 32, F(1), F(-0.0f), INF32 | 0x80000000),
        BIN(frem, 32, F(-7.5f), F(2), F(-1.5f)),
        BIN(fmod, 32, F(-7.5f), F(2), F(0.5f)),
        BIN(fmod, 32, F(7.5f), F(-2), F(-0.5f)),
        UN(fneg, 32, F(0), 0x80000000),
        UN(fneg, 32, 0x7f800001, 0xff800001), /* the bits, even of a signalling NaN */
        UN(fneg, 16, 0x3c00, 0xbc00),
        UN(fabs, 64, D(-2), D(2)),
        UN(fabs, 32, 0xffc00001, 0x7fc00001),
        UN(fsat, 32, F(1.5f), F(1)),
        UN(fsat, 32, F(-1), 0),
        UN(fsat, 32, NAN32, 0),
        UN(fsat, 16, 0x3800, 0x3800),
        BIN(fmin, 32, F(1), NAN32, F(1)),
        BIN(fmin, 32, F(1), F(-2), F(-2)),
        BIN(fmax, 32, NAN32, F(-3), F(-3)),
        BIN(fmax, 16, 0x3c00, 0x4000, 0x4000),
        BIN(fmin, 32, F(0), F(-0.0f), F(-0.0f)),
        BIN(fmin, 32, F(-0.0f), F(0), F(-0.0f)),
        BIN(fmax, 32, F(0), F(-0.0f), F(0)),
        BIN(fmax, 32, F(-0.0f), F(0), F(0)),
        BIN(fmax, 16, 0x0000, 0x8000, 0x0000),
        BIN(fmin, 16, 0x0000, 0x8000, 0x8000),
        UN(fsign, 32, F(-12), F(-1)),
        UN(fsign, 32, F(0.25f), F(1)),
        UN(fsign, 32, 0, 0),
        UN(ffloor, 32, F(-0.5f), F(-1)),
        UN(fceil, 32, F(0.5f), F(1)),
        UN(ftrunc, 32, F(-1.75f), F(-1)),
        UN(fround, 32, F(2.5f), F(2)),
        UN(fround, 32, F(3.5f), F(4)),
        UN(fround, 16, 0x4100, 0x4000), /* 2.5 */
        UN(ffract, 32, F(-0.25f), F(0.75f)),
        UN(ffract, 32, F(-1e-10f), 0x3f7fffff), /* never 1 */
        UN(ffract, 16, 0x8001, 0x3bff),
        UN(frcp, 32, F(4), F(0.25f)),
        UN(frcp, 16, 0x4400, 0x3400),
        UN(frsq, 32, F(4), F(0.5f)),
        UN(frsq, 32, 0, INF32),
        UN(fsqrt, 32, F(2), F(1.41421356f)),
        UN(fsqrt, 32, F(-1), NAN32),
        UN(fexp2, 32, F(-3), F(0.125f)),
        UN(fexp2, 16, 0x3c00, 0x4000),
        UN(flog2, 32, F(8), F(3)),
        UN(flog2, 32, 0, INF32 | 0x80000000),
        UN(fsin, 32, F(0), F(0)),
        UN(fsin, 32, F(1.57079633f), F(1)),
        UN(fcos, 32, F(0), F(1)),
        ROW(fldexp, 32, 32, 32, 0, 0, {F(1.5f), (uint32_t)-2}, F(0.375f)),
        ROW(fldexp, 16, 16, 32, 0, 0, {0x3c00, (uint32_t)-24}, 0x0001),
        UN(ffrexp_mant, 32, F(6), F(0.75f)),
        UN(ffrexp_mant, 32, INF32, INF32),
        ROW(ffrexp_exp, 32, 32, 0, 0, 0, {F(6)}, 3),
        ROW(ffrexp_exp, 32, 16, 0, 0, 0, {0x0001}, (uint32_t)-23),
        ROW(ffrexp_exp, 32, 32, 0, 0, 0, {NAN32}, 0),
        UN(fquantize, 32, F(1.0001f), F(1)),
        UN(fquantize, 32, F(1e-6f), 0),
        UN(fquantize, 32, F(1e6f), INF32),
        UN(fcanonical, 32, 0x7f800001, NAN32),
        UN(fcanonical, 16, 0x3c00, 0x3c00),
        /* comparison */
        CMP(feq, 32, 0, 0x80000000, 1),
        CMP(feq, 32, NAN32, NAN32, 0),
        CMP(flg, 32, NAN32, 0, 0),
        CMP(flg, 64, D(1), D(2), 1),
        CMP(flt, 16, 0xbc00, 0x3c00, 1),
        CMP(flt, 32, NAN32, 0, 0),
        CMP(fge, 32, F(1), F(1), 1),
        CMP(fge, 32, F(1), NAN32, 0),
        CMP(ford, 32, F(1), NAN32, 0),
        CMP(ford, 32, F(1), F(2), 1),
        ROW(fclass, 1, 32, 0, 0, 0, {0x7f800001}, 1, {1}),
        ROW(fclass, 1, 32, 0, 0, 0, {NAN32}, 1, {2}),
        ROW(fclass, 1, 16, 0, 0, 0, {0xfc00}, 1, {4}),
        ROW(fclass, 1, 32, 0, 0, 0, {F(-1)}, 1, {8}),
        ROW(fclass, 1, 32, 0, 0, 0, {0x80000001}, 1, {16}),
        ROW(fclass, 1, 64, 0, 0, 0, {1ull << 63}, 1, {32}),
        ROW(fclass, 1, 32, 0, 0, 0, {0}, 1, {64}),
        ROW(fclass, 1, 16, 0, 0, 0, {0x3ff}, 1, {128}),
        ROW(fclass, 1, 64, 0, 0, 0, {D(1)}, 1, {256}),
        ROW(fclass, 1, 32, 0, 0, 0, {INF32}, 1, {512}),
        ROW(fclass, 1, 32, 0, 0, 0, {INF32}, 0, {0x1ff}),
        /* integers */
        BIN(iadd, 8, 0x80, 0xff, 0x7f),
        BIN(iadd, 64, UINT64_MAX, 2, 1),
        BIN(isub, 32, 0, 1, 0xffffffff),
        BIN(imul, 16, 0xffff, 0xffff, 1),
        BIN(imul, 64, 0x100000001, 0x100000001, 0x200000001),
        BIN(imul_hi, 32, 0x80000000, 0x80000000, 0x40000000),
        BIN(imul_hi, 64, UINT64_MAX, 2, UINT64_MAX),
        BIN(imul_hi, 16, 0xffff, 2, 0xffff),
        BIN(umul_hi, 32, 0xffffffff, 0xffffffff, 0xfffffffe),
        BIN(umul_hi, 64, UINT64_MAX, 2, 1),
        BIN(umul24, 32, 0xff000003, 0x01000005, 15),
        BIN(imul24, 32, 0x00ffffff, 5, (uint32_t)-5),
        BIN(idiv, 32, (uint32_t)-7, 2, (uint32_t)-3),
        BIN(idiv, 32, 0x80000000, 0xffffffff, 0x80000000),
        BIN(idiv, 64, 1ull << 63, UINT64_MAX, 1ull << 63),
        BIN(udiv, 32, 0xfffffff9, 2, 0x7ffffffc),
        BIN(udiv, 8, 200, 7, 28),
        BIN(irem, 32, (uint32_t)-7, 3, (uint32_t)-1),
        BIN(imod, 32, (uint32_t)-7, 3, 2),
        BIN(imod, 32, 7, (uint32_t)-3, (uint32_t)-2),
        BIN(umod, 32, 0xffffffff, 10, 5),
        UN(ineg, 8, 0x80, 0x80),
        UN(ineg, 32, 1, 0xffffffff),
        UN(iabs, 32, (uint32_t)-5, 5),
        UN(iabs, 16, 0x8000, 0x8000),
        UN(isign, 32, (uint32_t)-5, 0xffffffff),
        UN(isign, 64, 5, 1),
        BIN(imin, 8, 0x80, 0x7f, 0x80),
        BIN(imax, 8, 0x80, 0x7f, 0x7f),
        BIN(umin, 8, 0x80, 0x7f, 0x7f),
        BIN(umax, 8, 0x80, 0x7f, 0x80),
        CMP(uadd_carry, 32, 0xffffffff, 1, 1),
        CMP(uadd_carry, 32, 0xfffffffe, 1, 0),
        CMP(uadd_carry, 64, UINT64_MAX, 1, 1),
        CMP(usub_borrow, 32, 1, 2, 1),
        CMP(usub_borrow, 64, 2, 2, 0),
        BIN(iadd_sat, 8, 0x7f, 1, 0x7f),
        BIN(iadd_sat, 64, 1ull << 63, UINT64_MAX, 1ull << 63),
        BIN(isub_sat, 16, 0x8000, 1, 0x8000),
        BIN(uadd_sat, 8, 0xff, 1, 0xff),
        BIN(uadd_sat, 64, UINT64_MAX, 5, UINT64_MAX),
        BIN(usub_sat, 32, 1, 2, 0),
        ROW(dot4, 32, 32, 32, 32, 0, {0x01020304, 0x01010101, 5}, 15, {0, 0}),
        ROW(dot4, 32, 32, 32, 32, 0, {0xff000000, 0x02000000, 5}, 3, {3, 0}),
        ROW(dot4, 32, 32, 32, 32, 0, {0xff000000, 0x02000000, 5}, 515, {0, 0}),
        ROW(dot4, 32, 32, 32, 32, 0, {0x7f000000, 0x7f000000, 0x7fffffff}, 0x7fffffff, {3, 1}),
        ROW(dot4, 32, 32, 32, 32, 0, {0xff000000, 0xff000000, 0}, (uint32_t)-255, {1, 0}), /* -1 by 255 */
        ROW(dot2, 32, 32, 32, 32, 0, {0x00020003, 0x00040005, 1}, 24, {0, 0}),
        ROW(dot2, 32, 32, 32, 32, 0, {0xffff0000, 0xffff0000, 0xffffffff}, 0xffffffff, {0, 1}),
        /* bits */
        BIN(iand, 1, 1, 0, 0),
        BIN(iand, 64, 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0x0f000f000f000f00),
        BIN(ior, 8, 0x55, 0xa0, 0xf5),
        BIN(ixor, 16, 0xffff, 0x0ff0, 0xf00f),
        UN(inot, 1, 1, 0),
        UN(inot, 1, 0, 1),
        UN(inot, 16, 0x00ff, 0xff00),
        SHIFT(ishl, 8, 0x81, 1, 0x02),
        SHIFT(ishl, 32, 1, 33, 2), /* modulo the width */
        SHIFT(ishl, 64, 1, 63, 1ull << 63),
        SHIFT(ishr, 32, 0x80000000, 31, 0xffffffff),
        SHIFT(ishr, 8, 0x80, 9, 0xc0),
        SHIFT(ushr, 32, 0x80000000, 31, 1),
        SHIFT(ushr, 16, 0x8000, 16, 0x8000),
        TRI(ubfe, 32, 0x12345678, 8, 8, 0x56),
        TRI(ubfe, 32, 0x12345678, 8, 0, 0),
        TRI(ubfe, 32, 0x92345678, 0, 32, 0x92345678),
        TRI(ibfe, 32, 0x92345678, 0, 32, 0x92345678),
        ROW(bfi, 32, 32, 32, 32, 32, {0xffffffff, 0x5, 0, 32}, 0x5),
        TRI(ibfe, 32, 0x00008000, 8, 8, 0xffffff80),
        TRI(ibfe, 32, 0x80000000, 28, 8, 0xfffffff8), /* cut at bit 31 */
        ROW(bfi, 32, 32, 32, 32, 32, {0xffffffff, 0x5, 8, 4}, 0xfffff5ff),
        ROW(bfi, 32, 32, 32, 32, 32, {0xffffffff, 0x5, 8, 0}, 0xffffffff),
        TRI(bitselect, 32, 0xffff0000, 0x12345678, 0xabcdef01, 0x1234ef01),
        UN(brev, 32, 1, 0x80000000),
        UN(brev, 16, 0x0003, 0xc000),
        UN(brev, 64, 1, 1ull << 63),
        ROW(bcount, 32, 64, 0, 0, 0, {UINT64_MAX}, 64),
        ROW(bcount, 32, 8, 0, 0, 0, {0x81}, 2),
        ROW(find_lsb, 32, 32, 0, 0, 0, {0x50}, 4),
        ROW(find_lsb, 32, 32, 0, 0, 0, {0}, 0xffffffff),
        ROW(ufind_msb, 32, 16, 0, 0, 0, {0x8000}, 15),
        ROW(ufind_msb, 32, 64, 0, 0, 0, {0}, 0xffffffff),
        ROW(ifind_msb, 32, 32, 0, 0, 0, {0xffffffff}, 0xffffffff),
        ROW(ifind_msb, 32, 32, 0, 0, 0, {0xffffff00}, 7),
        ROW(ifind_msb, 32, 8, 0, 0, 0, {0x40}, 6),
        CMP(ieq, 1, 1, 1, 1),
        CMP(ine, 64, 1, 1ull << 40, 1),
        CMP(ilt, 32, 0xffffffff, 0, 1),
        CMP(ige, 8, 0x80, 0x7f, 0),
        CMP(ult, 32, 0xffffffff, 0, 0),
        CMP(uge, 16, 0x8000, 0x7fff, 1),
        /* conversion */
        CONV(f2f, 16, 32, F(65520), 0x7c00),
        CONV_TO_ZERO(f2f, 16, 32, F(65520), 0x7bff),
        CONV(f2f, 16, 64, D(1 + 0x1p-11 + 0x1p-40), 0x3c01), /* not a tie: one rounding only */
        CONV(f2f, 32, 64, D(1 + 0x1p-24), F(1)),
        CONV_TO_ZERO(f2f, 32, 64, D(1 + 0x1.8p-24), F(1)),
        CONV_TO_ZERO(f2f, 32, 64, D(1e300), 0x7f7fffff),
        CONV(f2f, 64, 16, 0x0001, D(0x1p-24)),
        CONV(f2f, 64, 32, 0xffc12345, NAN64),
        CONV(f2i, 32, 32, F(-1.9f), (uint32_t)-1),
        CONV(f2i, 32, 32, F(3e9f), 0x7fffffff),
        CONV(f2i, 8, 32, F(-1000), 0x80),
        CONV(f2i, 64, 64, D(-0x1p63), 1ull << 63),
        CONV(f2i, 32, 32, NAN32, 0),
        CONV(f2u, 32, 32, F(-1), 0),
        CONV(f2u, 32, 32, F(5e9f), 0xffffffff),
        CONV(f2u, 64, 64, D(0x1p63), 1ull << 63),
        CONV(f2u, 16, 16, 0x7bff, 65504),
        CONV(i2f, 32, 32, 0xffffffff, F(-1)),
        CONV(i2f, 32, 32, 0x01000001, F(16777216)),
        CONV(i2f, 32, 64, 0x0100000180000001, F(0x1.000002p56f)),
        CONV(i2f, 32, 64, 0x0100000080000001, F(0x1p56f)),
        CONV(i2f, 32, 64, 0x7fffffffffffffff, F(0x1p63f)),
        CONV_TO_ZERO(i2f, 32, 32, 0x01ffffff, F(33554430)),
        CONV_TO_ZERO(i2f, 64, 64, 0x7fffffffffffffff, D(0x1.fffffffffffffp62)),
        CONV(i2f, 16, 32, 100000, 0x7c00),
        CONV(i2f, 16, 32, 2049, 0x6800),
        CONV(i2f, 16, 32, 2051, 0x6802),
        CONV(u2f, 32, 32, 0xffffffff, F(0x1p32f)),
        CONV(u2f, 32, 64, 0x8000008000000001, F(0x1.000002p63f)), /* above the tie by one */
        CONV(u2f, 64, 8, 0xff, D(255)),
        CONV(i2i, 64, 8, 0x80, 0xffffffffffffff80),
        CONV(i2i, 8, 64, 0x1234, 0x34),
        CONV(u2u, 64, 8, 0x80, 0x80),
        CONV(u2u, 16, 32, 0x12345, 0x2345),
        CONV(b2i, 64, 1, 1, 1),
        CONV(b2i, 8, 1, 0, 0),
        ROW(pkrtz, 32, 32, 32, 0, 0, {F(1), F(65520)}, 0x7bff3c00),
    };
    _Static_assert(ARRAY_SIZE(list) <= ARRAY_SIZE(rows), "there is room for all");
    num_rows = ARRAY_SIZE(list);
    memcpy(rows, list, sizeof(list));
    return 0;
}

static bool fold_row(const struct row *row, const struct ir_float_controls *floats, uint64_t *out)
{
    const uint32_t imms[IR_MAX_IMMS] = {row->imm[0], row->imm[1]};
    return ir_fold_op(row->op, row->bits, row->w, row->s, imms, floats, out);
}

static void written_down(void **state)
{
    (void)state;
    for (unsigned i = 0; i < num_rows; i++) {
        uint64_t out = 0;
        if (!fold_row(&rows[i], NULL, &out) || out != rows[i].expected)
            fail_msg("row %u, %s of %u bits (0x%llx, 0x%llx): 0x%llx instead of 0x%llx", i,
                     ir_op_infos[rows[i].op].name, rows[i].bits, (unsigned long long)rows[i].s[0],
                     (unsigned long long)rows[i].s[1], (unsigned long long)out, (unsigned long long)rows[i].expected);
    }
}

static void nothing_is_left_out(void **state)
{
    (void)state;
    for (uint32_t op = 0; op < IR_OP_COUNT; op++) {
        bool there = !ir_op_infos[op].folds;
        for (unsigned i = 0; i < num_rows && !there; i++)
            there = rows[i].op == op;
        if (!there)
            fail_msg("%s folds, but no row says what it gives", ir_op_infos[op].name);
    }
}

/* Every width of every row folds; a width of another row does not. */
static void op_folds(enum ir_op op, uint8_t n, uint8_t m)
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_instr *instr = any_instr(&b, op, n, m, false);
    uint64_t out = 0;
    for (uint32_t i = 0; i < instr->num_srcs && ir_info(instr)->folds; i++) {
        struct ir_builder at = ir_builder_before(shader, instr);
        ir_use_set(&instr->srcs[i], ir_const(&at, ir_src(instr, i)->bits, 1));
    }
    if (ir_fold(shader, instr, &out) != ir_info(instr)->folds)
        fail_msg("%s of %u and %u bits: folds %d", ir_info(instr)->name, n, m, ir_info(instr)->folds);
    assert_true((out & ~bits_mask(instr->def.bits)) == 0 || !ir_info(instr)->folds);
    ir_shader_destroy(shader);
}

static void every_width_folds(void **state)
{
    (void)state;
    foreach_op_width(op_folds);
    uint64_t out;
    assert_false(ir_fold_op(IR_OP_fadd, 8, (const uint8_t[]){8, 8}, (const uint64_t[]){1, 2}, NULL, NULL, &out));
    assert_false(ir_fold_op(IR_OP_iadd, 32, (const uint8_t[]){32, 16}, (const uint64_t[]){1, 2}, NULL, NULL, &out));
}

/* --- all pairs of bytes, worked out in plain numbers --- */

static int s8(uint64_t x)
{
    return (int)(x ^ 0x80) - 0x80;
}

static int clamp_number(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

/* The result of a byte operation, in numbers that cannot overflow; -1: not one of these. */
static int byte_result(enum ir_op op, int a, int b)
{
    int sa = s8((uint64_t)a), sb = s8((uint64_t)b);
    switch (op) {
    case IR_OP_iadd:
        return (a + b) & 255;
    case IR_OP_isub:
        return (a - b) & 255;
    case IR_OP_imul:
        return a * b & 255;
    case IR_OP_idiv:
        return b ? (int)trunc((double)sa / sb) & 255 : 255;
    case IR_OP_irem:
        return b ? (sa - (int)trunc((double)sa / sb) * sb) & 255 : a;
    case IR_OP_imod:
        return b ? (sa - (int)floor((double)sa / sb) * sb) & 255 : a;
    case IR_OP_udiv:
        return b ? (int)floor((double)a / b) : 255;
    case IR_OP_umod:
        return b ? a - (int)floor((double)a / b) * b : a;
    case IR_OP_imin:
        return (sa < sb ? sa : sb) & 255;
    case IR_OP_imax:
        return (sa > sb ? sa : sb) & 255;
    case IR_OP_umin:
        return a < b ? a : b;
    case IR_OP_umax:
        return a > b ? a : b;
    case IR_OP_iadd_sat:
        return clamp_number(sa + sb, -128, 127) & 255;
    case IR_OP_isub_sat:
        return clamp_number(sa - sb, -128, 127) & 255;
    case IR_OP_uadd_sat:
        return clamp_number(a + b, 0, 255);
    case IR_OP_usub_sat:
        return clamp_number(a - b, 0, 255);
    case IR_OP_ilt:
        return sa < sb;
    case IR_OP_ige:
        return sa >= sb;
    case IR_OP_ult:
        return a < b;
    case IR_OP_uge:
        return a >= b;
    case IR_OP_ishl:
        return (int)(a * pow(2, b % 8)) & 255;
    case IR_OP_ishr:
        return (int)floor(sa / pow(2, b % 8)) & 255;
    case IR_OP_ushr:
        return (int)(a / pow(2, b % 8));
    default:
        return -1;
    }
}

static void all_bytes(void **state)
{
    (void)state;
    unsigned ops = 0;
    for (uint32_t op = 0; op < IR_OP_COUNT; op++) {
        if (byte_result((enum ir_op)op, 1, 1) < 0)
            continue;
        ops++;
        const struct ir_op_info *info = &ir_op_infos[op];
        uint8_t bits = info->def.letter ? 8 : info->def.bits, widths[2] = {8, info->srcs[1].letter ? 8 : 32};
        for (int a = 0; a < 256; a++) {
            for (int b = 0; b < 256; b++) {
                uint64_t out, srcs[2] = {(uint64_t)a, (uint64_t)b};
                assert_true(ir_fold_op((enum ir_op)op, bits, widths, srcs, NULL, NULL, &out));
                if ((int)out != byte_result((enum ir_op)op, a, b))
                    fail_msg("%s %d, %d: %d instead of %d", info->name, a, b, (int)out,
                             byte_result((enum ir_op)op, a, b));
            }
        }
    }
    assert_int_equal(ops, 23);
}

/* --- halves: every one of them through double, which holds sums, products and quotients well enough to round once ---
 */

static uint64_t half_of(double exact)
{
    /* The nearest of all halves, found by looking at its neighbours. */
    if (isnan(exact))
        return NAN16;
    uint64_t sign = signbit(exact) ? 0x8000 : 0, low = 0, high = 0x7c00;
    exact = fabs(exact);
    while (low + 1 < high) {
        uint64_t middle = (low + high) / 2;
        *(half_to_float((uint16_t)middle) <= exact ? &low : &high) = middle;
    }
    double below = half_to_float((uint16_t)low), above = high == 0x7c00 ? 65536 : half_to_float((uint16_t)high);
    bool up = exact - below > above - exact || (exact - below == above - exact && low & 1);
    return sign | (isinf(exact) || up ? high : low);
}

static void halves(void **state)
{
    (void)state;
    static const uint16_t others[] = {0x0001, 0x0400, 0x3555, 0x3c00, 0x3c01, 0x7bff, 0x83ff, 0xb800, 0xc900, 0x5640};
    static const uint8_t widths[3] = {16, 16, 16};
    for (uint32_t a = 0; a < 0x10000; a++) {
        double x = half_to_float((uint16_t)a);
        for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
            double y = half_to_float(others[i]), z = half_to_float(others[(i + 3) % ARRAY_SIZE(others)]);
            uint64_t srcs[3] = {a, others[i], others[(i + 3) % ARRAY_SIZE(others)]}, out;
            const struct {
                enum ir_op op;
                double exact;
            } cases[] = {{IR_OP_fadd, x + y}, {IR_OP_fmul, x * y}, {IR_OP_fdiv, x / y}, {IR_OP_ffma, x * y + z}};
            for (unsigned c = 0; c < ARRAY_SIZE(cases); c++) {
                assert_true(ir_fold_op(cases[c].op, 16, widths, srcs, NULL, NULL, &out));
                if (out != half_of(cases[c].exact))
                    fail_msg("%s 0x%x, 0x%x: 0x%llx instead of 0x%llx", ir_op_infos[cases[c].op].name, a, others[i],
                             (unsigned long long)out, (unsigned long long)half_of(cases[c].exact));
            }
        }
    }
}

/* --- float controls --- */

static void denormals_are_flushed(void **state)
{
    (void)state;
    const struct ir_float_controls flush = {.denorm_flush = {true, true, false}};
    const struct row in = BIN(fadd, 32, 0x80000005, F(1), F(1)),
                     out_row = BIN(fmul, 32, F(0x1p-126f), F(-0.5f), 0x80000000),
                     half = BIN(fadd, 16, 0x0001, 0x0001, 0), kept = BIN(fadd, 64, 1, 1, 2),
                     same = CMP(feq, 32, 1, 0, 1), negated = UN(fneg, 32, 1, 0x80000001);
    const struct row *checked[] = {&in, &out_row, &half, &kept, &same, &negated};
    for (unsigned i = 0; i < ARRAY_SIZE(checked); i++) {
        uint64_t out;
        assert_true(fold_row(checked[i], &flush, &out));
        if (out != checked[i]->expected)
            fail_msg("row %u: 0x%llx", i, (unsigned long long)out);
    }
}

static void rounding_to_zero(void **state)
{
    (void)state;
    const struct ir_float_controls zero = {.round_zero = {true, true, true}};
    const struct row rounded[] = {
        BIN(fadd, 32, F(1), F(0x1.8p-24f), F(1)),          BIN(fadd, 16, 0x3c01, 0x1000, 0x3c01),
        BIN(fmul, 32, 0x7f7fffff, F(2), 0x7f7fffff),       BIN(fdiv, 64, D(2), D(3), D(0x1.5555555555555p-1)),
        TRI(ffma, 32, F(-1), F(1), F(-0x1.8p-24f), F(-1)), CONV(f2f, 16, 32, F(65520), 0x7bff),
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rounded); i++) {
        uint64_t out, nearest;
        assert_true(fold_row(&rounded[i], &zero, &out));
        if (out != rounded[i].expected)
            fail_msg("row %u: 0x%llx", i, (unsigned long long)out);
        /* The mode is back, and makes a difference. */
        assert_true(fold_row(&rounded[i], NULL, &nearest));
        assert_true(nearest != out || i == 3);
    }
}

static void only_constants_fold(void **state)
{
    (void)state;
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *one = ir_const(&b, 32, 1), *unknown = ir_undef(&b, 32, 1), *pair = ir_undef(&b, 16, 2);
    uint64_t out;
    assert_true(ir_fold(shader, ir_def_instr(ir_iadd(&b, one, one)), &out));
    assert_int_equal(out, 2);
    assert_false(ir_fold(shader, ir_def_instr(ir_iadd(&b, one, unknown)), &out));
    assert_false(ir_fold(shader, ir_def_instr(ir_iadd(&b, pair, pair)), &out));
    assert_false(ir_fold(shader, ir_def_instr(ir_read_first(&b, one)), &out));
    ir_shader_destroy(shader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_down),
        cmocka_unit_test(nothing_is_left_out),
        cmocka_unit_test(every_width_folds),
        cmocka_unit_test(all_bytes),
        cmocka_unit_test(halves),
        cmocka_unit_test(denormals_are_flushed),
        cmocka_unit_test(rounding_to_zero),
        cmocka_unit_test(only_constants_fold),
    };
    return cmocka_run_group_tests_name("compiler_ir fold", tests, fill_rows, NULL);
}
