/* GLSL.std.450: the precision of each function of numbers over a dense sample of 32-bit floats and over the halves,
 * against double, within Vulkan's limits ("Precision and Operation of SPIR-V Instructions"); and the functions of
 * vectors, matrices and packed words by example. */
#include "spirv_test.h"

#include <math.h>

#include "util/half.h"

#include "glsl_list.h"

#define LANES 256
#define PI 3.14159265358979323846

static double inversesqrt(double x)
{
    return 1 / sqrt(x);
}
static double roundEven(double x)
{
    return nearbyint(x);
}
static double fract(double x)
{
    return x - floor(x);
}
static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}
static double radians(double x)
{
    return x * PI / 180;
}
static double degrees(double x)
{
    return x * 180 / PI;
}
#define abs fabs
#define round nearbyint

/* How far a result may be off: in units of the last place of the exact one (2^-23 of it, or 2^-10 for halves), or by an
 * absolute amount. Outside the range nothing is promised. `per_x` adds to the units for each unit of |x|. */
struct limit {
    const char *name;
    double (*exact)(double x);
    double low, high;
    double ulp, per_x, absolute;
};

#define ENUM(name) F_##name,
enum {
    GLSL_FUNCTIONS_1(ENUM) NUM_1
};

static const struct limit limits[NUM_1] = {
    [F_sin] = {"sin", sin, -PI, PI, 0, 0, 0x1p-11},
    [F_cos] = {"cos", cos, -PI, PI, 0, 0, 0x1p-11},
    /* sin over cos: near the pole the error of cos is all there is */
    [F_tan] = {"tan", tan, -1.3, 1.3, 8, 0, 0x1p-9},
    /* atan2 of something: 4096 units */
    [F_asin] = {"asin", asin, -1, 1, 16, 0, 0x1p-21},
    [F_acos] = {"acos", acos, -1, 1, 16, 0, 0x1p-21},
    [F_atan] = {"atan", atan, -INFINITY, INFINITY, 8, 0, 0},
    /* out of exp */
    [F_sinh] = {"sinh", sinh, -80, 80, 4, 2, 0},
    [F_cosh] = {"cosh", cosh, -80, 80, 4, 2, 0},
    [F_tanh] = {"tanh", tanh, -INFINITY, INFINITY, 16, 0, 0},
    [F_asinh] = {"asinh", asinh, -0x1p60, 0x1p60, 32, 0, 0},
    [F_acosh] = {"acosh", acosh, 1.25, 0x1p60, 32, 0, 0},
    [F_atanh] = {"atanh", atanh, -0.999, 0.999, 64, 0, 0},
    [F_exp] = {"exp", exp, -80, 80, 3, 2, 0},
    [F_log] = {"log", log, 0x1p-120, 0x1p120, 3, 0, 0x1p-21},
    [F_exp2] = {"exp2", exp2, -120, 120, 3, 2, 0},
    [F_log2] = {"log2", log2, 0x1p-120, 0x1p120, 3, 0, 0x1p-21},
    [F_sqrt] = {"sqrt", sqrt, 0, INFINITY, 3, 0, 0},
    [F_inversesqrt] = {"inversesqrt", inversesqrt, 0x1p-120, 0x1p120, 2, 0, 0},
    [F_floor] = {"floor", floor, -INFINITY, INFINITY},
    [F_ceil] = {"ceil", ceil, -INFINITY, INFINITY},
    [F_trunc] = {"trunc", trunc, -INFINITY, INFINITY},
    [F_roundEven] = {"roundEven", roundEven, -INFINITY, INFINITY},
    [F_round] = {"round", nearbyint, -INFINITY, INFINITY},
    [F_fract] = {"fract", fract, -0x1p22, 0x1p22, 1, 0, 0},
    [F_abs] = {"abs", fabs, -INFINITY, INFINITY},
    [F_sign] = {"sign", sign, -INFINITY, INFINITY},
    [F_radians] = {"radians", radians, -1e30, 1e30, 2.5, 0, 0},
    [F_degrees] = {"degrees", degrees, -1e30, 1e30, 2.5, 0, 0},
};

static bool is_close(double got, double exact, double ulp, double absolute, bool half)
{
    double epsilon = half ? 0x1p-10 : 0x1p-23, tiny = half ? 0x1p-14 : 0x1p-126;
    if (isnan(exact))
        return true;
    if (got == exact || (isinf(exact) && isinf(got)))
        return true;
    if (half && fabs(exact) > 65504)
        return true;
    if (half)
        absolute = absolute ? 0x1p-7 : 0;
    return fabs(got - exact) <= absolute || fabs(got - exact) <= (ulp + 1) * epsilon * fmax(fabs(exact), tiny);
}

/* Near the poles and zeros of a function an error of the argument's last place is all that counts; `x` is exact here.
 */
static void check_1(const struct limit *limit, double x, double got, bool half, double *worst)
{
    if (isnan(x) || x < limit->low || x > limit->high)
        return;
    if (x != 0 && fabs(x) < (half ? 0x1p-14 : 0x1p-126)) /* denormals may be flushed */
        return;
    double exact = limit->exact(x);
    double epsilon = half ? 0x1p-10 : 0x1p-23;
    double off = fabs(got - exact) / (epsilon * fmax(fabs(exact), half ? 0x1p-14 : 0x1p-126));
    if (off > *worst && isfinite(off) && fabs(got - exact) > limit->absolute)
        *worst = off;
    if (!is_close(got, exact, limit->ulp + (limit->per_x ? limit->per_x * fabs(x) : 0), limit->absolute, half))
        fail_msg("%s(%.9g) at %u bits is %.9g instead of %.9g: %g units off", limit->name, x, half ? 16u : 32u, got,
                 exact, off);
}

static void check_2(double x, double y, const double *got, bool half)
{
    double tiny = half ? 0x1p-14 : 0x1p-126, huge = half ? 60000 : 0x1p120;
    if (!isfinite(x) || !isfinite(y) || fabs(x) > huge || fabs(y) > huge || fabs(x) < tiny || fabs(y) < tiny)
        return;
    /* exp2(y log2 x): the product's error counts as often as the exponent is large */
    double power = pow(x, y), exponent = fabs(y * log2(fabs(x)));
    if (x > 0 && power > tiny && power < huge && exponent < 100 && !is_close(got[0], power, 16 + 8 * exponent, 0, half))
        fail_msg("pow(%g, %g) is %g instead of %g", x, y, got[0], power);
    if (fabs(y / x) > tiny && !is_close(got[1], atan2(x, y), 16, half ? 0x1p-10 : 0x1p-24, half))
        fail_msg("atan(%g, %g) is %g instead of %g", x, y, got[1], atan2(x, y));
    assert_true(got[2] == fmin(x, y));
    assert_true(got[3] == fmax(x, y));
    assert_true(got[4] == (y < x ? 0 : 1));
}

#define COUNT (NUM_1 + 5)

static void run_block(struct ir_shader *shader, const double *x, bool half, double *worst)
{
    static float in_32[LANES], out_32[LANES * COUNT];
    static uint16_t in_16[LANES], out_16[LANES * COUNT];
    for (uint32_t i = 0; i < LANES; i++) {
        in_32[i] = (float)x[i];
        in_16[i] = float_to_half_rtne((float)x[i]);
    }
    struct ir_interpret_buffer buffers[] = {
        {.data = half ? (void *)in_16 : in_32, .size_B = half ? sizeof(in_16) : sizeof(in_32)},
        {.binding = 1, .data = half ? (void *)out_16 : out_32, .size_B = half ? sizeof(out_16) : sizeof(out_32)}};
    struct ir_interpret_options options = {
        .wave_size = 64, .num_workgroups = {1, 1, 1}, .buffers = buffers, .num_buffers = 2};
    struct ir_interpret_result result = run_shader(shader, &options);
    ir_interpret_finish(&result);
    for (uint32_t i = 0; i < LANES; i++) {
        double got[COUNT];
        for (uint32_t f = 0; f < COUNT; f++)
            got[f] = half ? (double)half_to_float(out_16[i * COUNT + f]) : (double)out_32[i * COUNT + f];
        double a = half ? (double)half_to_float(in_16[i]) : (double)in_32[i];
        uint32_t other = (i * 7 + 3) % LANES;
        double b = half ? (double)half_to_float(in_16[other]) : (double)in_32[other];
        for (uint32_t f = 0; f < NUM_1; f++)
            check_1(&limits[f], a, got[f], half, &worst[f]);
        check_2(a, b, got + NUM_1, half);
    }
}

static void print_worst(const double *worst, uint32_t bits)
{
    for (uint32_t f = 0; f < NUM_1; f++)
        if (worst[f] > 0.51)
            print_message("# %s at %u bits: at most %.2f units off\n", limits[f].name, bits, worst[f]);
}

/* Every exponent, and dense where functions bend. */
static void single(void **state)
{
    (void)state;
    struct spirv_options options = {.stage = IR_STAGE_compute};
    struct ir_shader *shader = translate_words("glsl_32", &options);
    double worst[NUM_1] = {0}, x[LANES];
    uint32_t random = 12345;
    for (uint32_t block = 0; block < 48; block++) {
        for (uint32_t i = 0; i < LANES; i++) {
            random = random * 1664525 + 1013904223;
            double unit = (double)random / 0x1p32;
            switch (block % 6) {
            case 0:
                x[i] = bits_float(random);
                break;
            case 1:
                x[i] = unit * 2 - 1;
                break;
            case 2:
                x[i] = unit * 2 * PI - PI;
                break;
            case 3:
                x[i] = unit * 160 - 80;
                break;
            case 4:
                x[i] = (i % 2 ? 1 : -1) * exp2(unit * 40 - 30);
                break;
            default:
                x[i] = (i % 2 ? 1 : -1) * (1 + (double)(int32_t)random * 0x1p-45);
                break;
            }
        }
        run_block(shader, x, false, worst);
    }
    print_worst(worst, 32);
    ir_shader_destroy(shader);
}

/* All of them. */
static void halves(void **state)
{
    (void)state;
    struct spirv_options options = {.stage = IR_STAGE_compute};
    struct ir_shader *shader = translate_words("glsl_16", &options);
    double worst[NUM_1] = {0}, x[LANES];
    for (uint32_t block = 0; block < 65536 / LANES; block++) {
        for (uint32_t i = 0; i < LANES; i++)
            x[i] = half_to_float((uint16_t)(i * 256 + block));
        run_block(shader, x, true, worst);
    }
    print_worst(worst, 16);
    ir_shader_destroy(shader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(single), cmocka_unit_test(halves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
