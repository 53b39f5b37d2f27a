/* How the tests of lane code run an instruction: by its name, over 32 lanes, once with all of them active and once with
 * every other one. Expected values are written by hand or computed another way. */
#ifndef AMD_ISA_LANE_TEST_H
#define AMD_ISA_LANE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amd/isa/lane/lane_functions.h"
#include "amd/isa/lane/lane_ops.h"
#include "amd/isa/lane_rdna.h"
#include "isa/lane_env.h"
#include "util/half.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum kind {
    KIND_scalar,
    KIND_vector,
    KIND_wave,
};

static const struct {
    const char *name;
    enum kind kind;
    enum lane_fp_class fp_class;
    void *fn;
} functions[] = {
#define FN_scalar(name) amd_sop_##name
#define FN_vector(name) amd_vec_##name
#define FN_wave(name) amd_vec_##name
#define ROW(name, format, kind, fp_class) {#name, KIND_##kind, fp_class, (void *)FN_##kind(name)},
    LANE_FUNCTIONS(ROW)
#undef ROW
};

/* MODE: all denormals kept, DX10 clamp and IEEE on; and the same with f32 denormals flushed, as graphics drivers set
 * it. */
enum {
    MODE_KEEP = 0x3f0,
    MODE_FLUSH_F32 = 0x3c0,
    MODE_NOT_IEEE = 0x1f0,
    ROUND_F32_UP = 1,
    ROUND_F32_DOWN = 2,
    ROUND_F32_ZERO = 3,
    ROUND_F16_UP = 4,
    ROUND_F16_DOWN = 8,
    ROUND_F16_ZERO = 12,
};

/* The state of a case besides its sources; state_reset puts it back. */
static struct {
    uint32_t mode;
    uint64_t d;
    bool mask, vcc, clamp, scc;
    uint64_t exec, pc;
    uint32_t m0, imm, imm32;
} state;

static inline void state_reset(void)
{
    memset(&state, 0, sizeof(state));
    state.mode = MODE_KEEP;
    state.d = 0xdeadbeefcafef00dull;
    state.pc = 0x1000;
    state.exec = ~0ull;
}

static inline int find_op(const char *name)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!strcmp(functions[i].name, name))
            return (int)i;
    fail_msg("%s has no function", name);
    return 0;
}

struct rows {
    uint32_t d[4][32], s[3][4][32];
};

static inline void fill_lanes(uint32_t rows[4][32], uint64_t value)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t word = 0; word < 4; word++)
            rows[word][lane] = (uint32_t)(value >> (word & 1) * 32);
}

/* Runs a vector instruction; gives lane 0's result (and its bit of the mask) after checking that the others have the
 * same. */
static inline uint64_t run_vector(int index, const uint64_t s[3], uint32_t exec, bool *mask_out)
{
    static struct rows r;
    const struct lane_mode mode = amd_lane_mode_unpack(state.mode);
    fill_lanes(r.d, state.d);
    for (int i = 0; i < 3; i++)
        fill_lanes(r.s[i], s[i]);
    struct lane_vector a = {
        .d = r.d[0],
        .s0 = r.s[0][0],
        .s1 = r.s[1][0],
        .s2 = r.s[2][0],
        .row = 32,
        .exec = exec,
        .vcc = state.vcc ? UINT32_MAX : 0,
        .mask = state.mask ? UINT32_MAX : 0,
        .clamp = state.clamp,
        .k = state.imm32,
        .m0 = state.m0,
        .mode = &mode,
    };
    const uint64_t before = lane_env_get();
    lane_env_set(lane_env_of(&mode, functions[index].fp_class));
    ((lane_vector_fn *)functions[index].fn)(&a);
    lane_env_set(before);
    for (uint32_t lane = 0; lane < 32; lane++) {
        const bool on = exec >> lane & 1;
        const uint64_t kept = lane_pair((uint32_t)state.d, (uint32_t)(state.d >> 32));
        const uint64_t first = lane_pair(r.d[0][0], r.d[1][0]), mine = lane_pair(r.d[0][lane], r.d[1][lane]);
        if (mine != (on ? first : kept))
            fail_msg("%s: lane %u of exec %08x has %016llx", functions[index].name, lane, exec,
                     (unsigned long long)mine);
        if ((a.mask_out >> lane & 1) != (on ? a.mask_out & 1 : 0) ||
            (a.exec_out >> lane & 1) != (on ? a.exec_out & 1 : 0))
            fail_msg("%s: bit %u of exec %08x is wrong", functions[index].name, lane, exec);
    }
    *mask_out = (a.mask_out | a.exec_out) & 1;
    return lane_pair(r.d[0][0], r.d[1][0]);
}

static __attribute__((unused)) unsigned checks;

/* width: bits of d that the case states. */
static inline void check_vector(int line, const char *name, uint32_t width, uint64_t expected, int expected_mask,
                                const uint64_t s[3])
{
    const int index = find_op(name);
    const uint64_t ones = width == 64 ? ~0ull : (1ull << width) - 1;
    for (int half = 0; half < 2; half++) {
        bool mask;
        const uint64_t got = run_vector(index, s, half ? 0x55555555u : UINT32_MAX, &mask) & ones;
        if (width && got != (expected & ones))
            fail_msg("line %d: %s gives %llx, not %llx", line, name, (unsigned long long)got,
                     (unsigned long long)expected);
        if (expected_mask >= 0 && mask != expected_mask)
            fail_msg("line %d: %s gives the bit %d", line, name, mask);
    }
    checks++;
}

#define SOURCES(...)                                                                                                   \
    (const uint64_t[4])                                                                                                \
    {                                                                                                                  \
        __VA_ARGS__, 0                                                                                                 \
    }
#define V16(name, expected, ...) check_vector(__LINE__, name, 16, expected, -1, SOURCES(__VA_ARGS__))
#define V(name, expected, ...) check_vector(__LINE__, name, 32, expected, -1, SOURCES(__VA_ARGS__))
#define V64(name, expected, ...) check_vector(__LINE__, name, 64, expected, -1, SOURCES(__VA_ARGS__))
#define VM(name, expected, mask, ...) check_vector(__LINE__, name, 32, expected, mask, SOURCES(__VA_ARGS__))
#define VM64(name, expected, mask, ...) check_vector(__LINE__, name, 64, expected, mask, SOURCES(__VA_ARGS__))
#define CMP(name, mask, ...) check_vector(__LINE__, name, 0, 0, mask, SOURCES(__VA_ARGS__))

static inline uint32_t f(float x)
{
    return float_bits(x);
}

static inline uint64_t g(double x)
{
    return lane_bits_f64(x);
}

/* --- scalar instructions --- */

static __attribute__((unused)) struct lane_scalar scalar;
static __attribute__((unused)) uint32_t sgprs[8], last_hwreg, last_value, last_counter;

static inline uint32_t test_getreg(struct lane_scalar *a, uint32_t hwreg)
{
    (void)a;
    return hwreg + 0x10000;
}

static inline void test_setreg(struct lane_scalar *a, uint32_t hwreg, uint32_t value)
{
    (void)a;
    last_hwreg = hwreg;
    last_value = value;
}

static inline void test_wait(struct lane_scalar *a, uint32_t counter, uint32_t base, uint32_t limit)
{
    (void)a, (void)base;
    last_counter = counter;
    last_value = limit;
}

static __attribute__((unused)) const struct lane_services services = {test_getreg, test_setreg, test_wait};

static inline void run_scalar(const char *name, uint64_t s0, uint64_t s1)
{
    const struct lane_mode mode = amd_lane_mode_unpack(state.mode);
    scalar = (struct lane_scalar){
        .d = state.d,
        .s0 = s0,
        .s1 = s1,
        .imm = state.imm,
        .imm32 = state.imm32,
        .d_index = 1,
        .s0_index = 2,
        .sgpr = sgprs,
        .sgpr_count = 8,
        .exec = state.exec,
        .vcc = 0,
        .pc = state.pc,
        .m0 = state.m0,
        .scc = state.scc,
        .priv = true,
        .mode = &mode,
        .services = &services,
    };
    ((lane_scalar_fn *)functions[find_op(name)].fn)(&scalar);
}

static inline void check_scalar(int line, const char *name, uint64_t expected, int scc, uint64_t s0, uint64_t s1)
{
    run_scalar(name, s0, s1);
    if (scalar.d != expected)
        fail_msg("line %d: %s gives %llx, not %llx", line, name, (unsigned long long)scalar.d,
                 (unsigned long long)expected);
    if (scc >= 0 && scalar.scc != scc)
        fail_msg("line %d: %s gives scc %d", line, name, scalar.scc);
    checks++;
}

#define S(name, expected, scc, s0, s1) check_scalar(__LINE__, name, expected, scc, s0, s1)
#define SCC(name, scc, s0, s1) check_scalar(__LINE__, name, state.d, scc, s0, s1)

static inline uint64_t random64(void)
{
    static uint64_t seed = 0x9e3779b97f4a7c15ull;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}

/* --- halves, another way --- */

/* Another way to round: scale so that the last digit of f16 is 1, round to an integer, scale back. */
static inline uint16_t reference_half(double x, int round)
{
    if (isnan(x))
        return 0x7e00;
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    if (x == 0)
        return sign;
    if (isinf(x))
        return sign | 0x7c00;
    const int exponent = ilogb(x) < -14 ? -14 : ilogb(x);
    const double units = ldexp(x, 10 - exponent);
    const double low = floor(units), part = units - low;
    double whole = round == LANE_ROUND_UP ? ceil(units) : round == LANE_ROUND_DOWN ? low : trunc(units);
    if (round == LANE_ROUND_NEAREST)
        whole = part > 0.5 || (part == 0.5 && fmod(low, 2.0) != 0) ? low + 1 : low;
    const double value = fabs(ldexp(whole, exponent - 10));
    if (value > 65504.0) {
        const bool away =
            round == LANE_ROUND_NEAREST || (round == LANE_ROUND_UP && !sign) || (round == LANE_ROUND_DOWN && sign);
        return sign | (away ? 0x7c00 : 0x7bff);
    }
    if (value < 0x1p-14)
        return sign | (uint16_t)ldexp(value, 24);
    const int top = ilogb(value);
    return sign | (uint16_t)((top + 15) << 10) | (uint16_t)(ldexp(value, 10 - top) - 1024);
}

static inline bool same_half(uint16_t a, uint16_t b)
{
    return a == b || ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00);
}

#endif
