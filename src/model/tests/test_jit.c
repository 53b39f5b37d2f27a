/* Code made of lane programs does what the operations say, lane by lane: random programs against a plain interpreter of
 * the same operations, with all lanes active and with some, both wave sizes, more values alive than a host has
 * registers, and calls between them; every operation on the values where hosts differ, in every rounding mode, with
 * denormals and without. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/tests/jit_integer.h"
#include "util/tests/host_level_test.h"

#define MOST_LANES 128
#define ROWS 300
#define SCALARS 64

struct frame {
    const uint8_t *data[2]; /* that JIT_LOAD reads, beside SPACE_B more */
    const uint8_t *stop;
    uint8_t *written; /* by JIT_WRITE */
    uint32_t scalars[SCALARS];
    uint32_t exec[MOST_LANES] __attribute__((aligned(64)));
    uint32_t rows[ROWS * MOST_LANES];
} __attribute__((aligned(64)));

/* Loads: a masked offset, a pointer, and bytes after both. */
#define SPACE_B 4096
#define FURTHER_MAX 12
static uint8_t data[2 * SPACE_B + FURTHER_MAX + 4];

/* Writes: each of a program has a region of its own. */
#define WRITES 4u
#define REGION_B 1024u
static uint8_t written[WRITES * REGION_B + FURTHER_MAX + 4];

static uint64_t seed = 1;
static uint8_t stop; /* what a loop looks at */

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 32);
}

static uint32_t interesting(void)
{
    static const uint32_t edges[] = {0,          0x80000000, 1,          0x3f800000, 0xbf800000, 0x7f800000,
                                     0xff800000, 0x7f7fffff, 0x7fffffff, 0xffffffff, 0x4f000000, 0x4f800000,
                                     0x3f000000, 0x3fc00000, 0x40200000, 0xcf000000, 31,         32};
    switch (random32() % 4) {
    case 0:
        return edges[random32() % (sizeof(edges) / sizeof(edges[0]))];
    case 1: { /* a plain number */
        float number = (float)((int32_t)random32() % 100000) / 256.0f;
        uint32_t bits;
        memcpy(&bits, &number, sizeof(bits));
        return bits;
    }
    case 2:
        return random32() >> random32() % 32;
    default:
        return random32();
    }
}

/* ---- the host's control of floats ---- */

struct control {
    int rounding; /* FE_* */
    bool flushes; /* denormals are zeros wherever a float is read or made */
};

static struct control control = {FE_TONEAREST, false};

static void set_control(struct control wanted)
{
    control = wanted;
    assert_int_equal(fesetround(wanted.rounding), 0);
#if defined(__aarch64__)
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word) : : "memory");
    word = (word & ~(1ull << 24)) | (uint64_t)wanted.flushes << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(word) : "memory");
#elif defined(__x86_64__)
    uint32_t word;
    __asm__ volatile("stmxcsr %0" : "=m"(word) : : "memory");
    word = (word & ~0x8040u) | (wanted.flushes ? 0x8040 : 0);
    __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory");
#endif
}

static uint32_t flushed(uint32_t bits)
{
    return control.flushes && !(bits & 0x7f800000) ? bits & 0x80000000 : bits;
}

/* ---- what the operations mean ---- */

static float f(uint32_t u)
{
    float x;
    u = flushed(u);
    memcpy(&x, &u, sizeof(x));
    return x;
}

static uint32_t u(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return flushed(bits);
}

static double half_value(uint32_t half)
{
    const uint32_t exponent = half >> 10 & 31, mantissa = half & 0x3ff;
    const double magnitude = exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
                             : exponent     ? ldexp(1024 + mantissa, (int)exponent - 25)
                                            : ldexp(mantissa, -24);
    return half & 0x8000 ? -magnitude : magnitude;
}

/* By the rounding at hand: whole numbers of the last digit's weight. */
static uint32_t half_of(double x)
{
    const uint32_t sign = signbit(x) ? 0x8000 : 0;
    if (x != x)
        return 0x7e00;
    if (isinf(x))
        return sign | 0x7c00;
    const int exponent = x != 0.0 && ilogb(x) > -14 ? ilogb(x) : -14;
    const double digits = fabs(nearbyint(ldexp(x, 10 - exponent)));
    uint32_t bits = digits < 1024 ? (uint32_t)digits : ((uint32_t)(exponent + 14) << 10) + (uint32_t)digits;
    const bool is_kept = control.rounding == FE_TOWARDZERO || control.rounding == (sign ? FE_UPWARD : FE_DOWNWARD);
    if (bits >= 0x7c00)
        bits = is_kept ? 0x7bff : 0x7c00;
    return sign | bits;
}

static JIT_CALL_ABI jit_vector mix_lanes(const void *frame, jit_vector a, jit_vector b, jit_vector c)
{
    return a * 3 + (b ^ c) + ((const struct frame *)frame)->scalars[7];
}

static JIT_CALL_ABI jit_vector turn_lanes(const void *frame, jit_vector a, jit_vector b, jit_vector c)
{
    (void)frame, (void)b, (void)c;
    return a << 7 | a >> 25;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static bool is_signalling(uint32_t bits)
{
    return is_nan(bits) && !(bits & 0x400000);
}

static uint32_t least(uint32_t a, uint32_t b, bool greatest)
{
    if (is_signalling(a) || is_signalling(b))
        return 0x7fc00000;
    float x = f(a), y = f(b);
    if (x == 0.0f && y == 0.0f)
        return flushed(greatest ? a & b : a | b) & 0x80000000;
    return u(greatest ? fmaxf(x, y) : fminf(x, y));
}

/* Not by the library: what compilers make of it may look at the rounding mode. Nothing here is ever rounded. */
static float whole(float x, enum jit_op op)
{
    if (!(fabsf(x) < 0x1p23f))
        return x;
    int32_t cut = (int32_t)x;
    float rest = x - (float)cut;
    if (op == JIT_FLOOR)
        cut -= rest < 0.0f;
    else if (op == JIT_CEIL)
        cut += rest > 0.0f;
    else if (op == JIT_NEAREST && (fabsf(rest) > 0.5f || (fabsf(rest) == 0.5f && (cut & 1))))
        cut += rest > 0.0f ? 1 : -1;
    return copysignf((float)cut, x);
}

static uint32_t saturated_i32(float x)
{
    return x != x ? 0 : x >= 0x1p31f ? INT32_MAX : x < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)x;
}

static uint32_t saturated_u32(float x)
{
    return !(x > 0.0f) ? 0 : x >= 0x1p32f ? UINT32_MAX : (uint32_t)x;
}

static uint32_t half_toward_zero(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
    if (magnitude >= 0x47800000)
        return sign | (magnitude == 0x7f800000 ? 0x7c00 : 0x7bff);
    if (magnitude >= 0x38800000)
        return sign | ((magnitude - 0x38000000) >> 13);
    uint32_t shift = 126 - (magnitude >> 23); /* what counts steps of 2^-24 */
    return sign | (shift < 32 ? (0x800000 | (magnitude & 0x7fffff)) >> shift : 0);
}

static uint32_t compute_op(const struct frame *frame, const struct jit_inst *inst, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result;
    if (jit_integer(inst, a, b, c, &result))
        return result;
    switch ((enum jit_op)inst->op) {
    case JIT_FADD:
        return u(f(a) + f(b));
    case JIT_FSUB:
        return u(f(a) - f(b));
    case JIT_FMUL:
        return u(f(a) * f(b));
    case JIT_FMA:
        return u(fmaf(f(a), f(b), f(c)));
    case JIT_FDIV:
        return u(f(a) / f(b));
    case JIT_FSQRT:
        return u(sqrtf(f(a)));
    case JIT_FMIN:
        return least(a, b, false);
    case JIT_FMAX:
        return least(a, b, true);
    case JIT_FMIN_NUMBER:
    case JIT_FMAX_NUMBER:
        return least(a, b, inst->op == JIT_FMAX_NUMBER);
    case JIT_FEQ:
        return jit_truth(f(a) == f(b));
    case JIT_FLT:
        return jit_truth(f(a) < f(b));
    case JIT_FLE:
        return jit_truth(f(a) <= f(b));
    case JIT_FLOOR:
    case JIT_CEIL:
    case JIT_TRUNC:
    case JIT_NEAREST:
        return u(whole(f(a), inst->op));
    case JIT_F32_OF_I32:
        return u((float)(int32_t)a);
    case JIT_F32_OF_U32:
        return u((float)a);
    case JIT_I32_OF_F32:
        return saturated_i32(f(a));
    case JIT_HALF_OF_F32:
        return half_toward_zero(a);
    case JIT_U32_OF_F32:
        return saturated_u32(f(a));
    case JIT_F32_OF_HALF:
        return (a & 0x7fff) > 0x7c00 ? (a & 0x8000) << 16 | 0x7fc00000 | (a & 0x3ff) << 13 : u((float)half_value(a));
    case JIT_HALF_ROUNDED:
        return is_nan(a) ? (a >> 16 & 0x8000) | 0x7e00 | (a >> 13 & 0x3ff) : half_of((double)f(a));
    case JIT_FADD_HALF:
        return half_of(half_value(a) + half_value(b));
    case JIT_FMUL_HALF:
        return half_of(half_value(a) * half_value(b));
    case JIT_FMA_HALF:
        return half_of(half_value(a) * half_value(b) + half_value(c));
    case JIT_CALL:
        return inst->call == mix_lanes ? a * 3 + (b ^ c) + frame->scalars[7] : (a << 7 | a >> 25);
    default:
        fail_msg("operation %u is not known to the test", inst->op);
        return 0;
    }
}

static uint32_t values[JIT_MAX_INSTS][MOST_LANES];

static uint32_t phis_end(const struct jit_inst *insts, uint32_t loop)
{
    while (insts[loop + 1].op == JIT_PHI)
        loop++;
    return loop + 1;
}

/* Phis get their values, of the first round or of the next one. */
static void begin_round(const struct jit_inst *insts, uint32_t loop, bool is_first)
{
    static uint32_t next[JIT_MAX_INSTS][MOST_LANES];
    for (uint32_t i = loop + 1; i < phis_end(insts, loop); i++)
        memcpy(next[i], values[is_first ? insts[i].a : insts[i].b], sizeof(next[i]));
    for (uint32_t i = loop + 1; i < phis_end(insts, loop); i++)
        memcpy(values[i], next[i], sizeof(next[i]));
}

/* The operation after a JIT_LOOP, JIT_LEAVE, JIT_STAY or JIT_AGAIN; the end after the results of a way out. */
static uint32_t interpret_flow(const struct jit_inst *insts, uint32_t count, uint32_t i, uint32_t *loop, uint32_t lanes,
                               uint32_t *way_out)
{
    uint32_t any = 0;
    switch ((enum jit_op)insts[i].op) {
    case JIT_LOOP:
        *loop = i;
        begin_round(insts, i, true);
        return phis_end(insts, i);
    case JIT_LEAVE:
        for (uint32_t lane = 0; lane < lanes; lane++)
            any |= values[insts[i].a][lane];
        *way_out = insts[i].imm;
        while (any && insts[i].op != JIT_STAY)
            i++;
        return i + 1;
    case JIT_STAY:
        return count;
    default:
        begin_round(insts, *loop, false);
        return phis_end(insts, *loop);
    }
}

static uint32_t interpret_program(struct frame *frame, const struct jit_inst *insts, uint32_t count,
                                  const struct jit_frame *shape, bool is_full)
{
    struct frame before = *frame;
    uint32_t loop = 0, way_out = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct jit_inst *inst = &insts[i];
        if (inst->op >= JIT_LOOP) {
            i = interpret_flow(insts, count, i, &loop, shape->lanes, &way_out) - 1;
            continue;
        }
        uint64_t bits = 0;
        const char *place = (const char *)&before + (inst->op == JIT_CALL ? 0 : inst->imm);
        for (unsigned lane = 0; lane < shape->lanes; lane++) {
            bool active = is_full || frame->exec[lane];
            uint32_t *to = &values[i][lane];
            uint32_t a = inst->a != JIT_NONE ? values[inst->a][lane] : 0,
                     b = inst->b != JIT_NONE ? values[inst->b][lane] : 0,
                     c = inst->c != JIT_NONE ? values[inst->c][lane] : 0;
            switch ((enum jit_op)inst->op) {
            case JIT_CONST:
                *to = inst->imm;
                break;
            case JIT_ROW:
                *to = ((const uint32_t *)(const void *)place)[lane];
                break;
            case JIT_SPLAT:
                *to = *(const uint32_t *)(const void *)place;
                break;
            case JIT_BITS:
                *to = jit_truth(((const uint32_t *)(const void *)place)[lane / 32] >> lane % 32 & 1);
                break;
            case JIT_LANE:
                *to = lane;
                break;
            case JIT_LOAD: {
                const uint8_t *from;
                memcpy(&from, (const char *)&before + (inst->imm & 0xffff), sizeof(from));
                memcpy(to, from + a + (inst->imm >> 16), sizeof(*to));
                break;
            }
            case JIT_WRITE: {
                uint8_t *at;
                memcpy(&at, (const char *)&before + (inst->imm & 0xffff), sizeof(at));
                if (c)
                    memcpy(at + a + (inst->imm >> 16), &b, sizeof(b));
                break;
            }
            case JIT_TABLE:
                *to = ((const uint32_t *)(const void *)place)[a & 15];
                break;
            case JIT_QUAD:
                *to = values[inst->a][(lane & ~3u) + (inst->imm >> 2 * (lane & 3) & 3)];
                break;
            case JIT_STORE:
                if (active)
                    *(uint32_t *)(void *)((char *)frame + inst->imm + 4 * lane) = a;
                break;
            case JIT_STORE_BITS:
                bits |= (uint64_t)(a && active) << lane;
                break;
            case JIT_MISS: /* `misses` looks at it */
                break;
            case JIT_STORE_ONE:
                memcpy((char *)frame + inst->imm, &a, sizeof(a));
                break;
            default:
                *to = compute_op(&before, inst, a, b, c);
            }
        }
        if (inst->op == JIT_STORE_BITS)
            memcpy((char *)frame + inst->imm, &bits, shape->lanes == 64 ? 8 : 4);
    }
    return way_out;
}

/* ---- programs ---- */

struct program {
    struct jit_inst insts[JIT_MAX_INSTS];
    uint32_t count;
};

/* Floats make NaNs, whose payload is the host's: only what is after the choice that makes numbers of them is used
 * again. */
static bool makes_floats(enum jit_op op)
{
    return (op >= JIT_FADD && op <= JIT_FMAX_NUMBER) || (op >= JIT_FLOOR && op <= JIT_NEAREST);
}

static jit_value add_op(struct program *p, enum jit_op op, jit_value a, jit_value b, jit_value c, uint32_t imm)
{
    struct jit_inst *inst = &p->insts[p->count];
    memset(inst, 0, sizeof(*inst));
    inst->op = (uint16_t)op;
    inst->a = a, inst->b = b, inst->c = c;
    inst->imm = imm;
    return (jit_value)p->count++;
}

static uint32_t scalar_at(unsigned number)
{
    return (uint32_t)(offsetof(struct frame, scalars) + 4 * number);
}

static uint32_t row_at(unsigned row, unsigned lanes)
{
    return (uint32_t)(offsetof(struct frame, rows) + row * lanes * 4);
}

static jit_value some(struct program *p, unsigned reach)
{
    unsigned from = p->count > reach ? p->count - reach : 0, chosen;
    do {
        chosen = from + random32() % (p->count - from);
    } while (makes_floats(p->insts[chosen].op) || (p->insts[chosen].op >= JIT_STORE && p->insts[chosen].op != JIT_PHI));
    return (jit_value)chosen;
}

static jit_value some_mask(struct program *p, unsigned reach)
{
    return add_op(p, JIT_LT_I, some(p, reach), some(p, reach), JIT_NONE, 0);
}

static jit_value some_offset(struct program *p, jit_value from)
{
    return add_op(p, JIT_AND, from, add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, SPACE_B - 1), JIT_NONE, 0);
}

/* Offsets of all kinds: any, of neighbours, and one for all lanes that is known for it or only turns out so. */
static jit_value some_place(struct program *p, jit_value from)
{
    const jit_value number = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, random32() % (SPACE_B / 2) & ~3u);
    const jit_value none = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    const jit_value lane = add_op(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    switch (random32() % 4) {
    case 0:
        return number;
    case 1:
        return add_op(p, JIT_ADD, number, add_op(p, JIT_AND, from, none, JIT_NONE, 0), JIT_NONE, 0);
    case 2:
        return some_offset(
            p, add_op(p, JIT_ADD, number, add_op(p, JIT_SHL_IMM, lane, JIT_NONE, JIT_NONE, 2), JIT_NONE, 0));
    default:
        return some_offset(p, from);
    }
}

static uint32_t some_imm(enum jit_op op)
{
    if (op == JIT_TABLE)
        return scalar_at(40 + random32() % 9);
    if (op != JIT_LOAD)
        return 1 + random32() % 31;
    return (uint32_t)(offsetof(struct frame, data) + random32() % 2 * sizeof(void *)) |
           (random32() % (FURTHER_MAX / 4 + 1) * 4) << 16;
}

/* Neighbours' dwords, each checked against a limit: below it, beyond, across it, and around the end of all numbers. */
static void add_near(struct program *p)
{
    static const uint32_t from[] = {0, 4, 128, SPACE_B - 64, SPACE_B - 8, SPACE_B, 0x80000000u, -16u, -128u};
    const bool has_elements = random32() % 2; /* which stop at the limit, and may be as far as 2^32 */
    const uint32_t begin = from[random32() % 9] + random32() % 4, end = SPACE_B - random32() % 300;
    const jit_value lane = add_op(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    const jit_value first = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE,
                                   !has_elements         ? begin
                                   : begin > 2 * SPACE_B ? begin + random32() % 8 * 0x20000000u
                                                         : begin / 4);
    const jit_value scaled = has_elements ? lane : add_op(p, JIT_SHL_IMM, lane, JIT_NONE, JIT_NONE, 2);
    jit_value offset = random32() % 8 ? add_op(p, JIT_ADD, scaled, first, JIT_NONE, 0)
                                      : add_op(p, JIT_SUB, first, scaled, JIT_NONE, 0);
    jit_value limit = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, has_elements ? end / 4 : end);
    if (has_elements) {
        const jit_value least = add_op(p, JIT_MIN_U, offset, limit, JIT_NONE, 0);
        offset = add_op(p, JIT_SHL_IMM, least, JIT_NONE, JIT_NONE, 2);
        limit = add_op(p, JIT_SHL_IMM, limit, JIT_NONE, JIT_NONE, 2);
    }
    const jit_value good = add_op(p, JIT_LT_U, offset, limit, JIT_NONE, 0);
    const jit_value held =
        random32() % 2 ? add_op(p, JIT_AND, offset, good, JIT_NONE, 0) : add_op(p, JIT_AND, good, offset, JIT_NONE, 0);
    const jit_value loaded = add_op(p, JIT_LOAD, held, JIT_NONE, JIT_NONE, some_imm(JIT_LOAD));
    if (random32() % 2)
        add_op(p, JIT_AND, loaded, good, JIT_NONE, 0);
    else
        add_op(p, JIT_AND, good, loaded, JIT_NONE, 0);
}

/* To neighbours' dwords or to any, by the lanes of a condition; some lanes of one write may meet. */
static void add_write(struct program *p, unsigned region, unsigned reach)
{
    static const uint32_t from[] = {0, 4, 128, REGION_B - 64, REGION_B - 8, -16u, 0x80000000u, -128u};
    const jit_value begin = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE,
                                   region * REGION_B + from[random32() % (region ? 5 : 8)] + random32() % 4);
    const jit_value end =
        add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, region * REGION_B + 1000 - random32() % 300);
    const jit_value four = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 4);
    jit_value lane = add_op(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    switch (random32() % 4) {
    case 0:
        lane = add_op(p, JIT_AND, some(p, reach), add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 255), JIT_NONE, 0);
        break;
    case 1:
        lane = add_op(p, JIT_MUL, lane, four, JIT_NONE, 0);
        break;
    default:
        lane = add_op(p, JIT_SHL_IMM, lane, JIT_NONE, JIT_NONE, 2);
    }
    const jit_value offset = add_op(p, JIT_ADD, lane, begin, JIT_NONE, 0);
    jit_value wanted = add_op(p, JIT_LT_U, offset, end, JIT_NONE, 0);
    if (random32() % 2)
        wanted = add_op(p, JIT_AND, wanted, some_mask(p, reach), JIT_NONE, 0);
    add_op(p, JIT_WRITE, offset, some(p, reach), wanted,
           (uint32_t)offsetof(struct frame, written) | (random32() % (FURTHER_MAX / 4 + 1) * 4) << 16);
}

/* The operands of JIT_FMIN_NUMBER and its like: a sum, and a number. */
static void make_number(struct program *p, enum jit_op op, jit_value *a, jit_value *b)
{
    static const uint32_t numbers[] = {0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                       0xff800000, 0x40490fdb, 0x00800000, 0xc3000000, 0};
    uint32_t number = numbers[random32() % 10];
    if (op == JIT_FMIN_NUMBER && !number)
        number = 0x80000000;
    *a = add_op(p, JIT_FADD, *a, *b, JIT_NONE, 0);
    *b = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, number);
}

/* Factors with the other sign, and constants that are added. */
static void make_sum(struct program *p, jit_value *a, jit_value *b, jit_value *c)
{
    const jit_value sign = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0x80000000);
    if (random32() % 2)
        *a = add_op(p, JIT_XOR, *a, sign, JIT_NONE, 0);
    if (random32() % 4 == 0)
        *b = add_op(p, JIT_XOR, sign, *b, JIT_NONE, 0);
    if (random32() % 2)
        *c = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, random32() % 4 ? 0x3f000000 + random32() % 4096 : 0);
}

/* Whether the host has an operation. */
static bool is_of_halves(enum jit_op op)
{
    return op == JIT_FADD_HALF || op == JIT_FMUL_HALF || op == JIT_FMA_HALF;
}

static bool has_op(enum jit_op op)
{
    if (is_of_halves(op))
        return jit_has_fma_half() && (op == JIT_FMA_HALF || JIT_HAS_HALVES);
    return op != JIT_TABLE || JIT_HAS_TABLES;
}

/* Dwords beside the one of a load, some of them twice, in any order, with something between them. */
static void add_more_loads(struct program *p, jit_value load)
{
    const struct jit_inst inst = p->insts[load];
    for (unsigned n = random32() % 6; n; n--) {
        const uint32_t further_B = (inst.imm >> 16) + random32() % 5 * 4;
        const jit_value made = add_op(p, JIT_LOAD, inst.a, JIT_NONE, JIT_NONE,
                                      (inst.imm & 0xffff) | (further_B <= FURTHER_MAX ? further_B : 0) << 16);
        if (random32() % 2)
            add_op(p, JIT_XOR, made, load, JIT_NONE, 0);
    }
}

/* A choice by bits that are zero, some of them with another use of the comparison. */
static void add_test(struct program *p, unsigned reach)
{
    const jit_value masked = add_op(p, JIT_AND, some(p, reach), some(p, reach), JIT_NONE, 0);
    const jit_value zero = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, random32() % 8 == 0);
    const jit_value is_zero = add_op(p, JIT_EQ, masked, zero, JIT_NONE, 0);
    if (random32() % 4 == 0)
        add_op(p, JIT_XOR, is_zero, masked, JIT_NONE, 0);
    add_op(p, JIT_SELECT, is_zero, some(p, reach), some(p, reach), 0);
}

/* An earlier operation once more, or one that differs from it in an operand. */
static void add_again(struct program *p, unsigned reach)
{
    const unsigned from = p->count > reach ? p->count - reach : 0;
    for (unsigned tries = 0; tries < 8; tries++) {
        const struct jit_inst inst = p->insts[from + random32() % (p->count - from)];
        if (inst.op < JIT_ADD || inst.op > JIT_SELECT)
            continue;
        const bool is_other = random32() % 4 == 0;
        const unsigned operands = jit_operand_count(inst.op);
        add_op(p, inst.op, inst.a, is_other && operands > 1 ? some(p, reach) : inst.b,
               is_other && operands > 2 ? some(p, reach) : inst.c, inst.imm);
        return;
    }
}

static void add_random(struct program *p, unsigned reach)
{
    if (random32() % 8 == 0)
        add_again(p, reach);
    if (random32() % 32 == 0)
        add_near(p);
    if (random32() % 32 == 0)
        add_test(p, reach);
    enum jit_op op = JIT_ADD + random32() % (JIT_STORE - JIT_ADD);
    if (is_of_halves(op)) /* makes NaNs of halves: only alone */
        op = JIT_FMA;
    if (!has_op(op))
        op = JIT_QUAD;
    jit_value a = op == JIT_SELECT ? some_mask(p, reach) : some(p, reach), b = some(p, reach), c = some(p, reach);
    if (op == JIT_LOAD)
        a = some_place(p, a);
    if (op == JIT_FMIN_NUMBER || op == JIT_FMAX_NUMBER)
        make_number(p, op, &a, &b);
    if (op == JIT_FMA)
        make_sum(p, &a, &b, &c);
    unsigned operands = jit_operand_count(op);
    jit_value made = add_op(p, op, a, operands > 1 ? b : JIT_NONE, operands > 2 ? c : JIT_NONE, some_imm(op));
    if (op == JIT_LOAD && random32() % 2)
        add_more_loads(p, made);
    if (op == JIT_QUAD)
        p->insts[made].imm = random32() & 0xff;
    if (op == JIT_CALL && random32() % 2) {
        p->insts[made].b = p->insts[made].c = JIT_NONE;
        p->insts[made].call = turn_lanes;
    } else if (op == JIT_CALL) {
        p->insts[made].call = mix_lanes;
    }
    if (makes_floats(op)) { /* a NaN becomes a number */
        jit_value is_number = add_op(p, JIT_FEQ, made, made, JIT_NONE, 0);
        jit_value number = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0x40490fdb);
        add_op(p, JIT_SELECT, is_number, made, number, 0);
    }
}

/* The first operations of programs. */
static void add_inputs(struct program *p, unsigned lanes)
{
    p->count = 0;
    for (unsigned i = 0; i < 6; i++)
        add_op(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_at(i * 47, lanes));
    add_op(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, scalar_at(7));
    if (lanes <= 64) {
        add_op(p, JIT_BITS, JIT_NONE, JIT_NONE, JIT_NONE, scalar_at(9));
        add_op(p, JIT_BITS, JIT_NONE, JIT_NONE, JIT_NONE, scalar_at(12));
    }
    add_op(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, interesting());
}

static void make_random(struct program *p, unsigned lanes, unsigned length, unsigned reach)
{
    add_inputs(p, lanes);
    for (unsigned i = 0; i < length; i++) {
        if (length / (WRITES + 1) && i % (length / (WRITES + 1)) == 1 && i / (length / (WRITES + 1)) < WRITES)
            add_write(p, i / (length / (WRITES + 1)), reach);
        add_random(p, reach);
    }
    jit_value masks[2] = {some_mask(p, reach), some_mask(p, reach)};
    for (unsigned i = 0; i < 8; i++)
        add_op(p, JIT_STORE, some(p, reach), JIT_NONE, JIT_NONE, row_at(i * 37, lanes));
    if (lanes > 64)
        return;
    add_op(p, JIT_STORE_BITS, masks[0], JIT_NONE, JIT_NONE, scalar_at(20));
    add_op(p, JIT_STORE_BITS, masks[1], JIT_NONE, JIT_NONE, scalar_at(9));
}

static void fill_frame(struct frame *frame, unsigned lanes, bool is_full)
{
    for (unsigned i = 0; i < sizeof(*frame) / 4; i++)
        ((uint32_t *)frame)[i] = interesting();
    for (unsigned i = 0; i < 2; i++)
        frame->data[i] = data + i * (SPACE_B - 1); /* not aligned, either */
    frame->stop = &stop;
    frame->written = written;
    for (unsigned i = 0; i < ROWS * MOST_LANES; i++)
        frame->rows[i] = is_nan(frame->rows[i]) ? 0x3f800000 : frame->rows[i];
    for (unsigned i = 0; i < lanes; i++)
        frame->exec[i] = is_full ? 0xdead : jit_truth(random32() & 1);
}

static jit_code compile_program(struct jit *jit, const struct program *p, unsigned lanes, bool is_full)
{
    struct jit_frame shape = {lanes, offsetof(struct frame, exec), sizeof(struct frame), offsetof(struct frame, stop)};
    jit_code code = jit_compile(jit, p->insts, p->count, &shape, is_full);
    assert_non_null(code);
    return code;
}

/* Both ways from the same frame. */
static void compare_frames(jit_code code, const struct program *p, struct frame *ours, unsigned lanes, bool is_full,
                           struct control wanted, const char *what)
{
    struct jit_frame shape = {lanes, offsetof(struct frame, exec), sizeof(struct frame), offsetof(struct frame, stop)};
    static struct frame theirs;
    static uint8_t ours_written[sizeof(written)];
    theirs = *ours;
    memset(written, 0x5a, sizeof(written));
    set_control(wanted);
    const uint32_t way_out = code(ours);
    memcpy(ours_written, written, sizeof(written));
    memset(written, 0x5a, sizeof(written));
    const uint32_t expected = interpret_program(&theirs, p->insts, p->count, &shape, is_full);
    set_control((struct control){FE_TONEAREST, false});
    for (unsigned i = 0; i < sizeof(written); i++) {
        if (ours_written[i] != written[i])
            fail_msg("%s, %u lanes: byte %u of memory is %02x and should be %02x", what, lanes, i, ours_written[i],
                     written[i]);
    }
    if (way_out != expected)
        fail_msg("%s, %u lanes: way out %u instead of %u", what, lanes, way_out, expected);
    bool is_same = memcmp(ours, &theirs, sizeof(theirs)) == 0;
    for (unsigned i = 0; i < sizeof(theirs) / 4 && !is_same; i++) {
        uint32_t a = ((uint32_t *)ours)[i], b = ((uint32_t *)&theirs)[i];
        if (a != b && !(is_nan(a) && is_nan(b)))
            fail_msg("%s, %u lanes, %s, rounding %#x%s: word %u is %08x and should be %08x", what, lanes,
                     is_full ? "all" : "some", (unsigned)wanted.rounding, wanted.flushes ? " and flushing" : "", i, a,
                     b);
    }
}

static void run_program(struct jit *jit, const struct program *p, unsigned lanes, bool is_full, const char *what)
{
    static struct frame frame;
    jit_code code = compile_program(jit, p, lanes, is_full);
    fill_frame(&frame, lanes, is_full);
    compare_frames(code, p, &frame, lanes, is_full, (struct control){FE_TONEAREST, false}, what);
}

static void make_single(struct program *p, enum jit_op op, unsigned lanes)
{
    p->count = 0;
    jit_value a = add_op(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_at(1, lanes));
    jit_value b = add_op(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_at(2, lanes));
    jit_value c = add_op(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_at(3, lanes));
    if (op == JIT_SELECT)
        a = add_op(p, JIT_LT_U, a, b, JIT_NONE, 0);
    if (op == JIT_LOAD)
        a = some_place(p, a);
    if (op == JIT_FMIN_NUMBER || op == JIT_FMAX_NUMBER)
        make_number(p, op, &a, &b);
    if (is_of_halves(op)) {
        const jit_value low = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0xffff);
        a = add_op(p, JIT_AND, a, low, JIT_NONE, 0);
        b = add_op(p, JIT_AND, b, low, JIT_NONE, 0);
        c = add_op(p, JIT_AND, c, low, JIT_NONE, 0);
    }
    unsigned operands = jit_operand_count(op);
    jit_value d = add_op(p, op, a, operands > 1 ? b : JIT_NONE, operands > 2 ? c : JIT_NONE, some_imm(op));
    if (op == JIT_CALL)
        p->insts[d].call = mix_lanes;
    if (is_of_halves(op)) /* so that a NaN is known as such */
        d = add_op(p, JIT_F32_OF_HALF, d, JIT_NONE, JIT_NONE, 0);
    add_op(p, JIT_STORE, d, JIT_NONE, JIT_NONE, row_at(4, lanes));
}

/* Of waves. */
static const unsigned sizes[] = {32, 64, 16, 128};

static void every_operation_alone(void **state)
{
    struct jit *jit = *state;
    static struct program p;
    for (unsigned op = JIT_ADD; op < JIT_STORE; op++) {
        for (unsigned round = 0; round < 40 && has_op(op); round++) {
            unsigned lanes = sizes[round % 4];
            make_single(&p, op, lanes);
            char name[32];
            snprintf(name, sizeof(name), "operation %u", op);
            run_program(jit, &p, lanes, round & 4, name);
        }
        jit_reset(jit);
    }
}

enum {
    AS_CONST,
    AS_ROW,
    AS_SCALAR,
    WAYS,
};

/* Operand n is not made by an operation: hosts may read it where it lies. The others are, and those in `later` are used
 * again, so that the result gets the register of one of them, or another. */
static void make_with_operand(struct program *p, enum jit_op op, unsigned n, unsigned way, unsigned later,
                              unsigned lanes)
{
    jit_value v[3];
    p->count = 0;
    for (unsigned i = 0; i < 3; i++) {
        const jit_value row = add_op(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_at(1 + i, lanes));
        v[i] = add_op(p, JIT_OR, row, row, JIT_NONE, 0);
    }
    if (op == JIT_SELECT)
        v[0] = add_op(p, JIT_LT_U, v[0], v[1], JIT_NONE, 0);
    if (op == JIT_FMIN_NUMBER || op == JIT_FMAX_NUMBER)
        make_number(p, op, &v[0], &v[1]);
    v[n] = way == AS_CONST ? add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0x40490fdb)
           : way == AS_ROW ? add_op(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_at(5, lanes))
                           : add_op(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, scalar_at(7));
    const unsigned operands = jit_operand_count(op);
    jit_value product = v[0];
    if (op == JIT_FMA && later >> 3) { /* which is taken away from c */
        const jit_value sign = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0x80000000);
        product = add_op(p, JIT_XOR, v[0], sign, JIT_NONE, 0);
    }
    const jit_value d = add_op(p, op, product, operands > 1 ? v[1] : JIT_NONE, operands > 2 ? v[2] : JIT_NONE,
                               op == JIT_QUAD ? 0x1b : 7);
    add_op(p, JIT_STORE, d, JIT_NONE, JIT_NONE, row_at(4, lanes));
    for (unsigned i = 0; i < 3; i++) {
        if (later >> i & 1 && i != n)
            add_op(p, JIT_STORE, v[i], JIT_NONE, JIT_NONE, row_at(6 + i, lanes));
    }
}

static void operands_in_memory(void **state)
{
    struct jit *jit = *state;
    static struct program p;
    for (unsigned op = JIT_ADD; op <= JIT_QUAD; op++) {
        const bool wants_number = op == JIT_FMIN_NUMBER || op == JIT_FMAX_NUMBER;
        if (is_of_halves(op))
            continue;
        for (unsigned n = wants_number || op == JIT_SELECT; n < jit_operand_count(op); n++) {
            for (unsigned round = 0; round < WAYS * 16; round++) {
                const unsigned way = wants_number ? AS_CONST : round % WAYS;
                char name[48];
                make_with_operand(&p, op, n, way, round / WAYS, sizes[round % 4]);
                snprintf(name, sizeof(name), "operation %u, operand %u, way %u", op, n, way);
                run_program(jit, &p, sizes[round % 4], round & 4, name);
            }
        }
        jit_reset(jit);
    }
}

/* Where hosts differ: zeros, denormals, halves, what integers end at, what is lost of large integers, NaNs of all
 * kinds. */
static const uint32_t edges[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00ffffff,
    0x01000001, 0x01000003, 0x0000ffff, 0x00010000, 0x8000ffff, 0x0000001f, 0x00000020, 0x00000021, 0x3f800000,
    0xbf800000, 0x3f000000, 0xbf000000, 0x3effffff, 0x3f000001, 0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000,
    0x4affffff, 0xcaffffff, 0x4b000000, 0x4b7fffff, 0x4b800001, 0x4effffff, 0x4f000000, 0x4f000001, 0xceffffff,
    0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x4f800001, 0xcf800000, 0x5f000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xffbfffff, 0x7fffffff, 0xffffffff, 0x8000007f,
    0x80000080, 0x80000081, 0x80000180, 0x7fffffc0, 0xffffff7f, 0xffffff80, 0x33000000, 0x337fffff, 0x33800000,
    0x00003c00, 0x00003c01, 0x0000bfff, 0x000003ff, 0x00000400, 0x00008001, 0x00007bff, 0x00001400, 0x00007c00,
    0xb3ffffff, 0x387fffff, 0x38800000, 0xb8801fff, 0x3f801000, 0x3f801fff, 0x477fe000, 0x477fffff, 0xc7800000,
};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

/* Every pair, and something for the third operand. */
static void edge_values(void **state)
{
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    struct jit *jit = *state;
    static struct program p;
    static struct frame frame;
    seed = 1;
    for (unsigned op = JIT_ADD; op < JIT_STORE; op++) {
        if (!has_op(op))
            continue;
        make_single(&p, op, MOST_LANES);
        jit_code code = compile_program(jit, &p, MOST_LANES, true);
        fill_frame(&frame, MOST_LANES, true);
        unsigned modes = op >= JIT_FADD && op <= JIT_FMA_HALF ? 8 : 1;
        unsigned count = jit_operand_count(op) > 1 ? EDGES * EDGES : EDGES;
        for (unsigned first = 0; first < count; first += MOST_LANES) {
            for (unsigned lane = 0; lane < MOST_LANES; lane++) {
                unsigned pair = first + lane;
                frame.rows[MOST_LANES + lane] = edges[pair % EDGES];
                frame.rows[2 * MOST_LANES + lane] = edges[pair / EDGES % EDGES];
                frame.rows[3 * MOST_LANES + lane] = edges[random32() % EDGES];
            }
            char name[32];
            snprintf(name, sizeof(name), "operation %u", op);
            for (unsigned mode = 0; mode < modes; mode++)
                compare_frames(code, &p, &frame, MOST_LANES, true, (struct control){roundings[mode % 4], mode >= 4},
                               name);
        }
        jit_reset(jit);
    }
}

static void random_programs(void **state)
{
    struct jit *jit = *state;
    static struct program p;
    for (unsigned i = 0; i < 400; i++) {
        seed = i + 1;
        unsigned lanes = sizes[i % 4];
        /* A long reach keeps more values alive than there are registers. */
        make_random(&p, lanes, 5 + random32() % 150, i % 3 ? 20 : 120);
        char name[32];
        snprintf(name, sizeof(name), "program %u", i);
        run_program(jit, &p, lanes, i & 4, name);
        if (i % 50 == 49)
            jit_reset(jit);
    }
}

/* One half of a value, by operations that `shape` chooses, of rows; `other` makes one of them another row. Inputs are
 * below two, so that nothing becomes infinite. */
static jit_value add_half(struct program *p, uint32_t *shape, unsigned depth, bool is_high, bool other)
{
    const uint32_t choice = *shape = *shape * 1664525u + 1013904223u;
    const jit_value row = (jit_value)((choice >> 20) % 3 + (other ? 3 : 0)), low = 6;
    if (depth == 0)
        return is_high ? add_op(p, JIT_SHR_IMM, row, JIT_NONE, JIT_NONE, 16)
                       : add_op(p, JIT_AND, row, low, JIT_NONE, 0);
    static const uint8_t ops[] = {JIT_FADD_HALF, JIT_FMUL_HALF, JIT_FMA_HALF, JIT_SELECT};
    const enum jit_op op = ops[choice >> 24 & 3];
    const jit_value a = add_half(p, shape, depth - 1, is_high, other);
    if (op != JIT_SELECT) {
        const jit_value b = add_half(p, shape, depth - 1, is_high, false);
        return add_op(p, op, a, b, op == JIT_FMA_HALF ? add_half(p, shape, 0, is_high, false) : JIT_NONE, 0);
    }
    /* A flush, which may look at the value before its upper half was cleared. */
    const jit_value of = choice >> 26 & 1 && p->insts[a].op == JIT_AND ? p->insts[a].a : a;
    const jit_value zero = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0),
                    exponent = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0x7c00),
                    sign = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0x8000);
    const jit_value is_zero = add_op(p, JIT_EQ, add_op(p, JIT_AND, of, exponent, JIT_NONE, 0), zero, JIT_NONE, 0);
    return add_op(p, JIT_SELECT, is_zero, add_op(p, JIT_AND, of, sign, JIT_NONE, 0), a, 0);
}

/* Both halves of a value by the same operations, or by others. */
static void halves_in_pairs(void **state)
{
    struct jit *jit = *state;
    static struct program p;
    static struct frame frame;
    if (!JIT_HAS_HALVES || !jit_has_fma_half())
        return; /* cmocka 1.1.5 writes what TAP takes for a failure when a case is skipped */
    for (unsigned i = 0; i < 300; i++) {
        const unsigned lanes = sizes[i % 4];
        uint32_t high_shape = i, low_shape = i % 5 == 4 ? i + 1 : i;
        seed = i + 1;
        p.count = 0;
        for (unsigned r = 0; r < 6; r++)
            add_op(&p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_at(r, lanes)); /* values 0 to 5 */
        add_op(&p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0xffff);             /* 6 */
        const jit_value high = add_half(&p, &high_shape, 1 + i % 3, true, false),
                        low = add_half(&p, &low_shape, 1 + i % 3, false, i % 7 == 6);
        const jit_value shifted = add_op(&p, JIT_SHL_IMM, high, JIT_NONE, JIT_NONE, 16);
        add_op(&p, JIT_STORE, add_op(&p, JIT_OR, shifted, low, JIT_NONE, 0), JIT_NONE, JIT_NONE, row_at(8, lanes));
        if (i % 3 == 2) /* a half by itself, too */
            add_op(&p, JIT_STORE, i & 1 ? high : low, JIT_NONE, JIT_NONE, row_at(9, lanes));
        jit_code code = compile_program(jit, &p, lanes, i & 8);
        fill_frame(&frame, lanes, i & 8);
        for (unsigned k = 0; k < ROWS * MOST_LANES; k++)
            frame.rows[k] = random32() & (k % 3 ? 0xbfffbfff : 0x87ff87ff);
        compare_frames(code, &p, &frame, lanes, i & 8, (struct control){FE_TONEAREST, false}, "a pair of halves");
        if (i % 50 == 49)
            jit_reset(jit);
    }
}

/* Programs that end where a lane asks for it: lanes before those have run, the others are as they were. */
static void misses(void **state)
{
    enum {
        MARK = 0x12345678,
        MARKED_ROW = 290,
        NUMBER = 37
    };
    struct jit *jit = *state;
    static struct program p;
    static struct frame before, ours, theirs;
    for (unsigned i = 0; i < 200; i++) {
        seed = i + 1;
        const unsigned lanes = sizes[i % 4], marked = random32() % (lanes + lanes / 4);
        const bool is_full = i & 4;
        add_inputs(&p, lanes);
        for (unsigned n = 5 + random32() % 60; n > 0; n--)
            add_random(&p, 20);
        const jit_value row = add_op(&p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_at(MARKED_ROW, lanes));
        const jit_value mark = add_op(&p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, MARK);
        add_op(&p, JIT_MISS, add_op(&p, JIT_EQ, row, mark, JIT_NONE, 0), JIT_NONE, JIT_NONE, NUMBER);
        for (unsigned n = 0; n < 10; n++)
            add_random(&p, 20);
        for (unsigned n = 0; n < 8; n++)
            add_op(&p, JIT_STORE, some(&p, 20), JIT_NONE, JIT_NONE, row_at(n * 37, lanes));
        fill_frame(&before, lanes, is_full);
        if (marked < lanes)
            *(uint32_t *)(void *)((char *)&before + row_at(MARKED_ROW, lanes) + marked * 4) = MARK;
        ours = theirs = before;
        struct jit_frame shape = {lanes, offsetof(struct frame, exec), sizeof(struct frame),
                                  offsetof(struct frame, stop)};
        const uint32_t way = compile_program(jit, &p, lanes, is_full)(&ours);
        interpret_program(&theirs, p.insts, p.count, &shape, is_full);
        assert_int_equal(jit_has_missed(way), marked < lanes);
        const uint32_t done = marked < lanes ? jit_lanes_done(way) : lanes;
        if (marked < lanes) {
            assert_int_equal(jit_miss_number(way), NUMBER);
            assert_true(done <= marked && marked < done + 8 * JIT_VECTOR_LANES);
        }
        for (unsigned n = 0; n < 8 * lanes; n++) {
            const uint32_t at = row_at(n / lanes * 37, lanes) + n % lanes * 4;
            const struct frame *expected = n % lanes < done ? &theirs : &before;
            assert_memory_equal((char *)&ours + at, (const char *)expected + at, 4);
        }
        jit_reset(jit);
    }
}

/* ---- loops ---- */

/* Results of a way out: some values that exist by then, a lane mask, a scalar. */
static void add_leave(struct program *p, jit_value stays, uint32_t number, unsigned lanes, jit_value first_result,
                      jit_value end_result, jit_value one)
{
    add_op(p, JIT_LEAVE, stays, JIT_NONE, JIT_NONE, number);
    for (unsigned i = 0; i < 6; i++) {
        jit_value v;
        do {
            v = (jit_value)(first_result + random32() % (end_result - first_result));
        } while (makes_floats(p->insts[v].op) || (p->insts[v].op >= JIT_STORE && p->insts[v].op != JIT_PHI));
        add_op(p, JIT_STORE, v, JIT_NONE, JIT_NONE, row_at(i * 37, lanes));
    }
    add_op(p, JIT_STORE_ONE, one, JIT_NONE, JIT_NONE, scalar_at(30));
    add_op(p, JIT_STAY, JIT_NONE, JIT_NONE, JIT_NONE, 0);
}

/* A loop of some rounds, the same for all lanes: a scalar counts, ways out are anywhere. */
static void make_counted(struct program *p, unsigned lanes, unsigned length, unsigned reach, unsigned phis)
{
    add_inputs(p, lanes);
    for (unsigned i = 0; i < length / 2; i++)
        add_random(p, reach);
    const jit_value zero = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0),
                    one = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 1),
                    limit = add_op(p, JIT_AND, add_op(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, scalar_at(7)),
                                   add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 7), JIT_NONE, 0);
    jit_value first[40];
    for (unsigned i = 0; i < phis; i++)
        first[i] = some(p, p->count);
    const jit_value loop = add_op(p, JIT_LOOP, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    const jit_value counter = add_op(p, JIT_PHI, zero, JIT_NONE, JIT_NONE, 0);
    for (unsigned i = 0; i < phis; i++)
        add_op(p, JIT_PHI, first[i], JIT_NONE, JIT_NONE, 0);
    const unsigned ways = 1 + random32() % 3;
    for (unsigned way = 0; way < ways; way++) {
        for (unsigned i = random32() % (length + 1); i > 0; i--)
            add_random(p, reach);
        const jit_value stays = add_op(p, random32() & 1 ? JIT_LT_U : JIT_LE_U, counter, limit, JIT_NONE, 0);
        add_leave(p, stays, way + 3, lanes, 0, (jit_value)p->count, counter);
    }
    for (unsigned i = random32() % (length + 1); i > 0; i--)
        add_random(p, reach);
    p->insts[counter].b = add_op(p, JIT_ADD, counter, one, JIT_NONE, 0);
    for (unsigned i = 0; i < phis; i++)
        p->insts[loop + 2 + i].b = random32() % 4 ? some(p, reach) : (jit_value)(loop + 1 + random32() % (phis + 1));
    add_op(p, JIT_AGAIN, JIT_NONE, JIT_NONE, JIT_NONE, 0);
}

/* A loop that lanes leave one by one: after its last round a lane's values stay as they are. */
static void make_divergent(struct program *p, unsigned lanes, unsigned length, unsigned reach, unsigned phis)
{
    add_inputs(p, lanes);
    const jit_value zero = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 0),
                    one = add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 1),
                    rounds = add_op(p, JIT_AND, some(p, p->count),
                                    add_op(p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 15), JIT_NONE, 0),
                    begins = some_mask(p, reach);
    jit_value first[40];
    for (unsigned i = 0; i < phis; i++)
        first[i] = some(p, p->count);
    const jit_value loop = add_op(p, JIT_LOOP, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    const jit_value active = add_op(p, JIT_PHI, begins, JIT_NONE, JIT_NONE, 0);
    const jit_value counter = add_op(p, JIT_PHI, zero, JIT_NONE, JIT_NONE, 0);
    for (unsigned i = 0; i < phis; i++)
        add_op(p, JIT_PHI, first[i], JIT_NONE, JIT_NONE, 0);
    add_leave(p, active, 1, lanes, (jit_value)(loop + 3), (jit_value)(loop + 3 + phis), one);
    for (unsigned i = 0; i < length; i++)
        add_random(p, reach);
    for (unsigned i = 0; i < phis; i++)
        p->insts[loop + 3 + i].b = add_op(p, JIT_SELECT, active, some(p, reach), (jit_value)(loop + 3 + i), 0);
    p->insts[counter].b = add_op(p, JIT_ADD, counter, one, JIT_NONE, 0);
    p->insts[active].b = add_op(p, JIT_AND, active, add_op(p, JIT_LT_U, counter, rounds, JIT_NONE, 0), JIT_NONE, 0);
    add_op(p, JIT_AGAIN, JIT_NONE, JIT_NONE, JIT_NONE, 0);
}

static void random_loops(void **state)
{
    struct jit *jit = *state;
    static struct program p;
    for (unsigned i = 0; i < 2400; i++) {
        seed = i + 1;
        const unsigned lanes = sizes[i % 4], length = 1 + random32() % (i % 7 ? 30 : i % 2 ? 120 : 200);
        /* More phis than there are registers, too. */
        const unsigned phis = 1 + random32() % (i % 5 ? 8 : 39), reach = i % 3 ? 20 : 200;
        char name[32];
        if (i & 8)
            make_divergent(&p, lanes, length, reach, phis);
        else
            make_counted(&p, lanes, length, reach, phis);
        snprintf(name, sizeof(name), "loop %u", i);
        run_program(jit, &p, lanes, i & 4, name);
        if (i % 50 == 49)
            jit_reset(jit);
    }
}

/* A loop without end is over when the byte is set, as another thread would set it. */
static void endless_loop(void **state)
{
    static struct program p;
    static struct frame frame;
    const unsigned lanes = 64;
    p.count = 0;
    const jit_value row = add_op(&p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_at(1, lanes)),
                    ones = add_op(&p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, UINT32_MAX);
    add_op(&p, JIT_LOOP, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    const jit_value phi = add_op(&p, JIT_PHI, row, JIT_NONE, JIT_NONE, 0);
    add_op(&p, JIT_LEAVE, ones, JIT_NONE, JIT_NONE, 0);
    add_op(&p, JIT_STORE, phi, JIT_NONE, JIT_NONE, row_at(2, lanes));
    add_op(&p, JIT_STAY, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    p.insts[phi].b = add_op(&p, JIT_ADD, phi, row, JIT_NONE, 0);
    add_op(&p, JIT_AGAIN, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    jit_code code = compile_program(*state, &p, lanes, true);
    fill_frame(&frame, lanes, true);
    const uint32_t before = frame.rows[2 * lanes];
    stop = 1;
    assert_int_equal(code(&frame), JIT_STOPPED);
    stop = 0;
    assert_int_equal(frame.rows[2 * lanes], before);
}

/* A loop that model/jit.h does not allow is refused. */
static void broken_loops(void **state)
{
    static const enum jit_op shapes[][6] = {
        {JIT_LOOP, JIT_AGAIN},                                        /* no way out */
        {JIT_LOOP, JIT_LEAVE, JIT_STAY},                              /* no end */
        {JIT_LOOP, JIT_LEAVE, JIT_STAY, JIT_AGAIN, JIT_NOT},          /* not at the end */
        {JIT_LOOP, JIT_LEAVE, JIT_AGAIN},                             /* a way out that does not end */
        {JIT_LEAVE, JIT_STAY},                                        /* outside */
        {JIT_LOOP, JIT_STORE, JIT_LEAVE, JIT_STAY, JIT_AGAIN},        /* a result in the middle */
        {JIT_LOOP, JIT_WRITE, JIT_LEAVE, JIT_STAY, JIT_AGAIN},        /* a write in it */
        {JIT_WRITE, JIT_LOOP, JIT_LEAVE, JIT_STAY, JIT_AGAIN},        /* and before it */
        {JIT_LOOP, JIT_BITS, JIT_LEAVE, JIT_STAY, JIT_AGAIN},         /* a mask that would be read again */
        {JIT_LOOP, JIT_LEAVE, JIT_NOT, JIT_STAY, JIT_AGAIN},          /* more than results on the way out */
        {JIT_LOOP, JIT_NOT, JIT_PHI, JIT_LEAVE, JIT_STAY, JIT_AGAIN}, /* a phi too late */
        {JIT_LOOP, JIT_LOOP, JIT_LEAVE, JIT_STAY, JIT_AGAIN},         /* two */
    };
    const struct jit_frame shape = {64, offsetof(struct frame, exec), sizeof(struct frame),
                                    offsetof(struct frame, stop)};
    static struct program p;
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        p.count = 0;
        add_op(&p, JIT_CONST, JIT_NONE, JIT_NONE, JIT_NONE, 1);
        for (unsigned n = 0; n < 6 && shapes[i][n]; n++)
            add_op(&p, shapes[i][n], 0, 0, JIT_NONE, 0);
        assert_null(jit_compile(*state, p.insts, p.count, &shape, true));
    }
}

/* A program that needs more than there is says so and leaves what was made before as it is. */
static void too_many_masks(void **state)
{
    struct jit *jit = *state;
    static struct program p;
    p.count = 0;
    for (unsigned i = 0; i <= JIT_MAX_MASKS; i++)
        add_op(&p, JIT_STORE_BITS, add_op(&p, JIT_BITS, JIT_NONE, JIT_NONE, JIT_NONE, 0), JIT_NONE, JIT_NONE, 8 * i);
    for (unsigned i = 0; i < p.count; i++) {
        if (p.insts[i].op == JIT_STORE_BITS)
            p.insts[i].a = (jit_value)(i - 1);
    }
    struct jit_frame shape = {64, offsetof(struct frame, exec), sizeof(struct frame), offsetof(struct frame, stop)};
    uint32_t size_B = jit_size_B(jit);
    assert_null(jit_compile(jit, p.insts, p.count, &shape, true));
    shape.lanes = 128; /* has none at all */
    assert_null(jit_compile(jit, p.insts, 2, &shape, true));
    assert_int_equal(jit_size_B(jit), size_B);
}

/* Host code names rows by whole vectors: a frame whose rows stand elsewhere is refused, not read beside them. */
static void rows_out_of_place(void **state)
{
    static struct program p;
    struct jit_frame shape = {64, offsetof(struct frame, exec), sizeof(struct frame), offsetof(struct frame, stop)};
    p.count = 0;
    jit_value row = add_op(&p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    add_op(&p, JIT_STORE, row, JIT_NONE, JIT_NONE, JIT_ROW_ALIGN_B * 64);
    assert_non_null(jit_compile(*state, p.insts, p.count, &shape, true));
    p.insts[0].imm = JIT_ROW_ALIGN_B / 2;
    assert_null(jit_compile(*state, p.insts, p.count, &shape, true));
    p.insts[0].imm = 0;
    shape.exec_row += JIT_ROW_ALIGN_B / 2;
    assert_null(jit_compile(*state, p.insts, p.count, &shape, false));
}

/* The mappings of the file of code with this permission, as the kernel of the host writes it ('w', 'x'). */
static unsigned count_code_mappings(char permission)
{
    char line[512];
    unsigned count = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        const char *permissions = strchr(line, ' ');
        count += permissions && strstr(line, "memfd:tuff-jit") && memchr(permissions, permission, 5) != NULL;
    }
    fclose(maps);
    return count;
}

/* Nothing in the process can change code that runs: it can be written only while code is made, and elsewhere. */
static void code_that_runs_cannot_be_written(void **state)
{
    static struct program p;
    struct jit_frame shape = {64, offsetof(struct frame, exec), sizeof(struct frame), offsetof(struct frame, stop)};
    p.count = 0;
    jit_value row = add_op(&p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    add_op(&p, JIT_STORE, row, JIT_NONE, JIT_NONE, JIT_ROW_ALIGN_B * 64);
    assert_int_equal(count_code_mappings('w'), 0);
    for (unsigned i = 0; i < 10; i++) {
        assert_non_null(jit_compile(*state, p.insts, p.count, &shape, true));
        assert_int_equal(count_code_mappings('w'), 0);
        assert_int_equal(count_code_mappings('x'), 1);
    }
}

static int setup(void **state)
{
    for (unsigned i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)random32();
    *state = jit_create();
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    jit_destroy(*state);
    return 0;
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_operation_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(operands_in_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(edge_values, setup, teardown),
        cmocka_unit_test_setup_teardown(random_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(halves_in_pairs, setup, teardown),
        cmocka_unit_test_setup_teardown(misses, setup, teardown),
        cmocka_unit_test_setup_teardown(random_loops, setup, teardown),
        cmocka_unit_test_setup_teardown(endless_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_loops, setup, teardown),
        cmocka_unit_test_setup_teardown(too_many_masks, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_out_of_place, setup, teardown),
        cmocka_unit_test_setup_teardown(code_that_runs_cannot_be_written, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
