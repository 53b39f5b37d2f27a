/* Judge of the executor: kernels that clang compiled (kernels.cl) must give the host's results. Each case computes the
 * same in plain C.
 *
 *     run CODE_OBJECT [WORKERS]      prints TAP */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_object.h"
#include "util/bits.h"
#include "util/half.h"

#define COUNT 4096
#define GROUP 64

static struct machine machine;
static unsigned cases, failures;

static uint64_t random_state = 0x123456789abcdefull;
static uint32_t random32(void)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(random_state >> 32);
}

static void report_result(const char *name, bool ok, const char *detail)
{
    printf("%s %u - %s\n", ok ? "ok" : "not ok", ++cases, name);
    if (!ok) {
        failures++;
        printf("# %s\n", detail);
    }
}

/* Launch and say what faulted. */
static bool launch_kernel(const char *kernel, const void *arguments, size_t size_B, uint32_t threads)
{
    struct sq_fault fault;
    if (machine_launch(&machine, kernel, arguments, size_B, COUNT / threads, threads, &fault))
        return true;
    char text[256];
    snprintf(text, sizeof(text), "fault %d at pc 0x%llx, address 0x%llx: %s", fault.kind,
             (unsigned long long)(fault.pc - machine.code_va), (unsigned long long)fault.va, fault.why ? fault.why : "");
    report_result(kernel, false, text);
    return false;
}

/* Kernels of the form (out, in, uint n) on 32-bit words. */
typedef uint32_t word_reference(const uint32_t *in, uint32_t id, uint32_t n);

static void words_case(const char *kernel, word_reference *reference, uint32_t n, uint32_t threads)
{
    struct {
        uint64_t out_va, in_va;
        uint32_t n;
    } arguments = {.n = n};
    machine_reset(&machine);
    uint32_t *out = machine_alloc(&machine, COUNT * 4, &arguments.out_va);
    uint32_t *in = machine_alloc(&machine, COUNT * 4, &arguments.in_va);
    for (unsigned i = 0; i < COUNT; i++) {
        in[i] = i < 8 ? i : random32() >> (random32() & 31);
        out[i] = 0xdeadbeef;
    }
    if (!launch_kernel(kernel, &arguments, sizeof(arguments), threads))
        return;
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t expected = reference(in, i, n);
        if (out[i] != expected) {
            char text[128];
            snprintf(text, sizeof(text), "element %u (input 0x%08x): 0x%08x, the host says 0x%08x", i, in[i], out[i], expected);
            report_result(kernel, false, text);
            return;
        }
    }
    report_result(kernel, true, NULL);
}

static uint32_t integer_hash(const uint32_t *in, uint32_t id, uint32_t rounds)
{
    uint32_t x = in[id];
    for (uint32_t i = 0; i < rounds; i++) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
        x += i;
    }
    return x;
}

static uint32_t bit_reverse(uint32_t x)
{
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static uint32_t integer_mix(const uint32_t *in, uint32_t id, uint32_t n)
{
    uint32_t a = in[id], b = in[id ^ 1];
    int32_t sa = (int32_t)a, sb = (int32_t)(b | 1);
    uint32_t r = a / (b | 1);
    r ^= a % (b | 1);
    r += (uint32_t)(int32_t)((int64_t)sa / sb) ^ (uint32_t)(int32_t)((int64_t)sa % sb);
    r ^= (uint32_t)(((uint64_t)a * b) >> 32);
    r += (uint32_t)(((int64_t)sa * sb) >> 32);
    r ^= (uint32_t)__builtin_popcount(a) | (b ? (uint32_t)__builtin_clz(b) : 32) << 8 | (a ? (uint32_t)__builtin_ctz(a) : 32) << 16;
    r += (uint32_t)(sa >> (b & 31)) ^ (a << (b & 31)) ^ (a >> (b & 31));
    r ^= __builtin_bswap32(a) + bit_reverse(b);
    r += sa < sb ? 3 : 5;
    r ^= a > b ? a - b : b - a;
    return r + n;
}

static uint32_t divergent_loop(const uint32_t *in, uint32_t id, uint32_t limit)
{
    uint32_t x = in[id] & 0xffff, steps = 0;
    while (x != 1 && steps < limit) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        if (x == 0)
            break;
        steps++;
    }
    return steps << 16 ^ x;
}

static uint32_t divergent_switch(const uint32_t *in, uint32_t id, uint32_t n)
{
    uint32_t x = in[id], r = n;
    for (uint32_t i = 0; i < 8; i++) {
        switch ((x >> (i * 4)) & 7) {
        case 0: r += x; break;
        case 1: r ^= x * 5; continue;
        case 2: r = r << 3 | r >> 29; break;
        case 3:
            if (r & 1)
                return r;
            r -= 11;
            break;
        case 4: r *= 9; break;
        default: r += i; break;
        }
        r ^= i << 7;
    }
    return r;
}

static uint32_t lds_reverse(const uint32_t *in, uint32_t id, uint32_t n)
{
    return in[(id & ~(uint32_t)(GROUP - 1)) + GROUP - 1 - id % GROUP] * n;
}

static uint32_t lds_scan(const uint32_t *in, uint32_t id, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = id & ~255u; i <= id; i++)
        sum += in[i] + n;
    return sum;
}

static uint32_t power(uint32_t base, uint32_t exponent)
{
    uint32_t r = 1;
    while (exponent--)
        r *= base;
    return r;
}

static uint32_t function_call(const uint32_t *in, uint32_t id, uint32_t n)
{
    return power(in[id] | 1, id & 63) + power(n, in[id] & 15);
}

static uint32_t scratch_array(const uint32_t *in, uint32_t id, uint32_t n)
{
    uint32_t table[40], r = 0, at = n;
    for (uint32_t i = 0; i < 40; i++)
        table[i] = in[(id + i) & 1023] ^ i;
    for (uint32_t i = 0; i < 40; i++) {
        at = (table[at % 40] + i) % 40;
        r = r * 31 + table[at];
    }
    return r;
}

static uint32_t scratch_wide(const uint32_t *in, uint32_t id, uint32_t n)
{
    uint64_t words[24], r = 0, at = n;
    for (uint32_t i = 0; i < 12; i++) {
        words[2 * i] = (uint64_t)in[(id + i) & 1023] << 20 ^ i;
        words[2 * i + 1] = (uint64_t)in[(id + 2 * i) & 1023] * 7;
    }
    for (uint32_t i = 0; i < 24; i++) {
        at = (words[at % 24] + i) % 24;
        r = r * 31 + words[at];
    }
    return (uint32_t)(r ^ r >> 32);
}

static uint32_t wave_lanes = 32;
static uint32_t wave_operations(const uint32_t *in, uint32_t id, uint32_t n)
{
    uint32_t r = in[id & ~(wave_lanes - 1)];
    r ^= in[(id & ~31u) | ((id ^ 7) & 31)];
    r += in[id ^ 1];
    r ^= in[id ^ 3];
    return r + n;
}

static void integer_64_case(void)
{
    struct {
        uint64_t out_va, in_va;
        uint32_t n;
    } arguments = {.n = 9};
    machine_reset(&machine);
    uint64_t *out = machine_alloc(&machine, COUNT * 8, &arguments.out_va), *in = machine_alloc(&machine, COUNT * 8, &arguments.in_va);
    for (unsigned i = 0; i < COUNT; i++)
        in[i] = (random32() | (uint64_t)random32() << 32) >> (random32() & 63);
    if (!launch_kernel("integer_64", &arguments, sizeof(arguments), GROUP))
        return;
    for (unsigned i = 0; i < COUNT; i++) {
        uint64_t a = in[i], b = in[i ^ 3];
        int64_t sa = (int64_t)a;
        uint64_t r = a + b;
        r ^= a * b;
        r += a / (b | 1);
        r ^= (uint64_t)(sa >> (b & 63));
        r += a << (b & 63);
        r ^= a > b ? a - b : 7;
        r += (uint64_t)(sa / (int64_t)(b | 1));
        if (out[i] != r + 9) {
            char text[160];
            snprintf(text, sizeof(text), "element %u: 0x%llx, the host says 0x%llx", i, (unsigned long long)out[i], (unsigned long long)r + 9);
            report_result("integer_64", false, text);
            return;
        }
    }
    report_result("integer_64", true, NULL);
}

static void narrow_case(void)
{
    struct {
        uint64_t out8_va, in8_va, out16_va, in16_va;
    } arguments;
    machine_reset(&machine);
    uint8_t *out8 = machine_alloc(&machine, COUNT, &arguments.out8_va), *in8 = machine_alloc(&machine, COUNT, &arguments.in8_va);
    uint16_t *out16 = machine_alloc(&machine, COUNT * 2, &arguments.out16_va);
    int16_t *in16 = machine_alloc(&machine, COUNT * 2, &arguments.in16_va);
    for (unsigned i = 0; i < COUNT; i++) {
        in8[i] = (uint8_t)random32();
        in16[i] = (int16_t)random32();
    }
    if (!launch_kernel("narrow_types", &arguments, sizeof(arguments), GROUP))
        return;
    bool ok = true;
    for (unsigned i = 0; i < COUNT; i++) {
        uint8_t a = in8[i], b = in8[i ^ 5];
        int16_t c = in16[i], d = in16[i ^ 2];
        ok &= out8[i] == (uint8_t)(a * 3 + (b >> 2) - (a ^ b));
        ok &= out16[i] == (uint16_t)((c * d) + (c >> 3) - (d < c ? c : d));
    }
    report_result("narrow_types", ok, "a result differs from the host's");
}

typedef float float_reference(float a, float b, float k);
static float float_arithmetic(float a, float b, float k)
{
    float r = fmaf(a, b, k);
    r += a * b - k;
    r = r > 10.0f ? r * 0.5f : -r;
    r += floorf(a) + truncf(b) + ceilf(a * 0.25f) + rintf(b * 1.5f);
    r += fminf(a, b) - fmaxf(a, k);
    r += (float)(int)(a * 8.0f) + (float)(unsigned)(fabsf(b) * 8.0f);
    return r;
}

static float float_division(float a, float b, float k)
{
    return a / b + k;
}

/* clang may contract or reassociate nothing here, but its division is within 2.5 ulp: the tolerance says how far a
 * result may be. */
static void float_case(const char *kernel, float_reference *reference, float relative_error)
{
    struct {
        uint64_t out_va, in_va;
        float k;
    } arguments = {.k = 1.25f};
    machine_reset(&machine);
    float *out = machine_alloc(&machine, COUNT * 4, &arguments.out_va), *in = machine_alloc(&machine, COUNT * 4, &arguments.in_va);
    for (unsigned i = 0; i < COUNT; i++)
        in[i] = (float)((int32_t)random32() >> (random32() % 28)) / 65536.0f + 0.03125f;
    if (!launch_kernel(kernel, &arguments, sizeof(arguments), GROUP))
        return;
    for (unsigned i = 0; i < COUNT; i++) {
        float a = in[i], b = in[i ^ 1], expected = reference(a, b, 1.25f);
        float scale = fabsf(expected) + fabsf(a) + fabsf(b) + fabsf(a * b);
        if (!(fabsf(out[i] - expected) <= relative_error * scale)) {
            char text[160];
            snprintf(text, sizeof(text), "element %u (%a, %a): %a, the host says %a", i, a, b, out[i], expected);
            report_result(kernel, false, text);
            return;
        }
    }
    report_result(kernel, true, NULL);
}

static void double_case(void)
{
    struct {
        uint64_t out_va, in_va;
        double k;
    } arguments = {.k = 1.25};
    machine_reset(&machine);
    double *out = machine_alloc(&machine, COUNT * 8, &arguments.out_va), *in = machine_alloc(&machine, COUNT * 8, &arguments.in_va);
    for (unsigned i = 0; i < COUNT; i++)
        in[i] = (double)(int32_t)random32() / 65537.0;
    if (!launch_kernel("double_arithmetic", &arguments, sizeof(arguments), GROUP))
        return;
    for (unsigned i = 0; i < COUNT; i++) {
        double a = in[i], b = in[i ^ 1], r = fma(a, b, 1.25) + a / b - b * 1.25;
        r += (double)(int)(a * 16.0) + (double)(float)b;
        r += a < b ? floor(a) : trunc(b);
        if (!(fabs(out[i] - r) <= 1e-15 * (fabs(r) + fabs(a * b) + fabs(a * 16)))) {
            char text[160];
            snprintf(text, sizeof(text), "element %u (%a, %a): %a, the host says %a", i, a, b, out[i], r);
            report_result("double_arithmetic", false, text);
            return;
        }
    }
    report_result("double_arithmetic", true, NULL);
}

static void half_case(void)
{
    struct {
        uint64_t out_va, in_va;
        float k;
    } arguments = {.k = 0.75f};
    machine_reset(&machine);
    uint16_t *out = machine_alloc(&machine, COUNT * 2, &arguments.out_va), *in = machine_alloc(&machine, COUNT * 2, &arguments.in_va);
    for (unsigned i = 0; i < COUNT; i++)
        in[i] = float_to_half_rtne((float)((int32_t)random32() >> 16) / 1024.0f);
    if (!launch_kernel("half_arithmetic", &arguments, sizeof(arguments), GROUP))
        return;
    for (unsigned i = 0; i < COUNT; i++) {
        double a = half_to_float(in[i]), b = half_to_float(in[i ^ 1]), expected = a * b + 0.75 - (a > b ? a : b);
        double got = half_to_float(out[i]);
        if (!(fabs(got - expected) <= 0.002 * (fabs(a * b) + fabs(a) + fabs(b) + 1))) {
            char text[160];
            snprintf(text, sizeof(text), "element %u (%g, %g): %g, the host says %g", i, a, b, got, expected);
            report_result("half_arithmetic", false, text);
            return;
        }
    }
    report_result("half_arithmetic", true, NULL);
}

static void atomics_case(void)
{
    struct {
        uint64_t out_va, in_va;
        uint32_t n;
    } arguments = {0};
    machine_reset(&machine);
    uint32_t *out = machine_alloc(&machine, 64, &arguments.out_va), *in = machine_alloc(&machine, COUNT * 4, &arguments.in_va);
    uint32_t expected[6] = {0};
    memset(out, 0, 64);
    for (unsigned i = 0; i < COUNT; i++)
        in[i] = random32();
    for (unsigned group = 0; group < COUNT; group += GROUP) {
        uint32_t sum = 0, low = UINT32_MAX;
        for (unsigned i = group; i < group + GROUP; i++) {
            sum += in[i] & 0xff;
            low = MIN2(low, in[i]);
            expected[0] += in[i] & 0xffff;
            expected[1] ^= in[i];
            expected[2] = MAX2(expected[2], in[i]);
            expected[3] |= 1u << (in[i] & 31);
        }
        expected[4] += sum;
        expected[5] += low >> 8;
    }
    if (launch_kernel("atomics", &arguments, sizeof(arguments), GROUP))
        report_result("atomics", memcmp(out, expected, sizeof(expected)) == 0, "a sum differs from the host's");
}

static void faults_are_reported(void)
{
    struct {
        uint64_t out_va, in_va;
        uint32_t n;
    } arguments = {.out_va = 0x10000, .in_va = 0x10000};
    struct sq_fault fault = {0};
    machine_reset(&machine);
    bool ran = machine_launch(&machine, "integer_hash", &arguments, sizeof(arguments), 4, GROUP, &fault);
    report_result("a read of an unmapped address is a fault with that address",
                  !ran && fault.kind == SQ_FAULT_MEMORY && fault.va >= 0x10000 && fault.va < 0x11000 && !fault.is_write,
                  "no fault, or another");
}

int main(int argc, char **argv)
{
    machine_begin(&machine, argv[1], argc > 2 ? (unsigned)atoi(argv[2]) : 0);
    wave_lanes = strstr(argv[1], "64") ? 64 : 32;
    words_case("integer_hash", integer_hash, 17, GROUP);
    words_case("integer_mix", integer_mix, 5, GROUP);
    words_case("divergent_loop", divergent_loop, 200, GROUP);
    words_case("divergent_switch", divergent_switch, 77, GROUP);
    words_case("lds_reverse", lds_reverse, 3, GROUP);
    words_case("lds_scan", lds_scan, 3, 256);
    words_case("function_call", function_call, 7, GROUP);
    words_case("scratch_array", scratch_array, 11, GROUP);
    words_case("scratch_wide", scratch_wide, 5, GROUP);
    words_case("wave_operations", wave_operations, 1, GROUP);
    integer_64_case();
    narrow_case();
    float_case("float_arithmetic", float_arithmetic, 1e-6f);
    float_case("float_division", float_division, 4e-7f);
    double_case();
    half_case();
    atomics_case();
    faults_are_reported();
    printf("1..%u\n", cases);
    machine_end(&machine);
    return failures != 0;
}
