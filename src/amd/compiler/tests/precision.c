/* The precision of float operations on the model, in 32 and 16 bits, against double, held to Vulkan's limits
 * ("Precision and Operation of SPIR-V Instructions"; what is inherited from a formula may be off by what the formula's
 * steps may be). Functions of one half are measured for all 65,536; others on a dense sample of every exponent.
 *
 *     precision FILE_32.spv FILE_16.spv [COUNT [MARKDOWN]]
 *
 * Prints TAP; COUNT is the number of floats of each kind (default 2^20); MARKDOWN gets the table.
 *
 * Not asked of: infinities and NaN, which Vulkan leaves open (their agreement with IEEE 754 is reported); the sign of
 * zero; results and operands below the normal range, which may be flushed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/compiler/tests/precision_list.h"
#include "amd/compiler/tests/shader_rig.h"
#include "compiler/spirv/spirv.h"
#include "util/bits.h"
#include "util/file.h"
#include "util/half.h"

#define PI 3.14159265358979323846
#define MAX_COUNT (1u << 21)
#define GROUP 64
#define HALVES 65536u

/* ---- numbers of both widths ---- */

struct width {
    unsigned bits;
    double epsilon, tiny, huge; /* of 1; the least normal number; the greatest number */
    int min_exponent;
};

static const struct width widths[] = {{32, 0x1p-23, 0x1p-126, 0x1.fffffep127, -126},
                                      {16, 0x1p-10, 0x1p-14, 65504, -14}};

/* The unit in the last place at a value. */
static double ulp(const struct width *w, double value)
{
    int exponent;
    value = fabs(value);
    if (!(value > w->tiny))
        return w->epsilon * w->tiny;
    frexp(value, &exponent);
    return ldexp(w->epsilon, exponent - 1);
}

static bool is_denormal(const struct width *w, double x)
{
    return x != 0 && fabs(x) < w->tiny;
}

/* ---- exact results and limits ---- */

typedef double (*exact_function)(double x, double y, double z);
/* How far off a result may be; negative: nothing is promised for these operands. */
typedef double (*limit_function)(const struct width *w, double x, double y, double z, double exact);

#define EXACT(name, expression)                                                                                        \
    static double exact_##name(double x, double y, double z)                                                           \
    {                                                                                                                  \
        (void)x, (void)y, (void)z;                                                                                     \
        return expression;                                                                                             \
    }
EXACT(sin, sin(x))
EXACT(cos, cos(x))
EXACT(tan, tan(x))
EXACT(asin, asin(x))
EXACT(acos, acos(x))
EXACT(atan, atan(x))
EXACT(sinh, sinh(x))
EXACT(cosh, cosh(x))
EXACT(tanh, tanh(x))
EXACT(asinh, asinh(x))
EXACT(acosh, acosh(x))
EXACT(atanh, atanh(x))
EXACT(exp, exp(x))
EXACT(exp2, exp2(x))
EXACT(log, log(x))
EXACT(log2, log2(x))
EXACT(sqrt, sqrt(x))
EXACT(inversesqrt, 1 / sqrt(x))
EXACT(reciprocal, 1 / x)
EXACT(floor, floor(x))
EXACT(ceil, ceil(x))
EXACT(trunc, trunc(x))
EXACT(round, nearbyint(x))
EXACT(roundEven, nearbyint(x))
EXACT(fract, x - floor(x))
EXACT(abs, fabs(x))
EXACT(negate, -x)
EXACT(sign, x > 0 ? 1 : x < 0 ? -1 : 0)
EXACT(radians, x *PI / 180)
EXACT(degrees, x * 180 / PI)
EXACT(to_int, trunc(x))
EXACT(to_uint, trunc(x))
EXACT(modf, x - trunc(x))
EXACT(add, x + y)
EXACT(subtract, x - y)
EXACT(multiply, x *y)
EXACT(divide, x / y)
EXACT(rem, fmod(x, y))
EXACT(pow, pow(x, y))
EXACT(atan2, atan2(x, y))
EXACT(min, fmin(x, y))
EXACT(max, fmax(x, y))
EXACT(step, y < x ? 0 : 1)
EXACT(length2, sqrt(x *x + y * y))
EXACT(distance2, fabs(x - y))
EXACT(normalize2, x / sqrt(x * x + y * y))
EXACT(dot2, 2 * x * y)
EXACT(fma, fma(x, y, z))
EXACT(mix, x *(1 - z) + y * z)
EXACT(clamp, fmin(fmax(x, fmin(y, z)), fmax(y, z)))

static double exact_frexp(double x, double y, double z)
{
    int exponent;
    (void)y, (void)z;
    return frexp(x, &exponent);
}

static double exact_mod(double x, double y, double z)
{
    double rest = fmod(x, y);
    (void)z;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

static double exact_smoothstep(double x, double y, double z)
{
    double t = fmin(fmax((z - x) / (y - x), 0), 1);
    return t * t * (3 - 2 * t);
}

#define LIMIT(name, expression)                                                                                        \
    static double limit_##name(const struct width *w, double x, double y, double z, double exact)                      \
    {                                                                                                                  \
        (void)w, (void)x, (void)y, (void)z, (void)exact;                                                               \
        return expression;                                                                                             \
    }
#define UNITS(n) ((n)*ulp(w, exact))

/* Correctly rounded, to nearest or to zero: both neighbours are right, nothing beyond them. */
LIMIT(rounded, UNITS(1))
LIMIT(same, 0)
LIMIT(divide, fabs(y) < w->tiny || fabs(y) > 1 / w->tiny ? -1 : UNITS(2.5))
LIMIT(reciprocal, fabs(x) > 1 / w->tiny ? -1 : UNITS(2.5))
LIMIT(circle, fabs(x) > PI ? -1 : w->bits == 32 ? 0x1p-11 : 0x1p-7)
LIMIT(exp, UNITS((w->bits == 32 ? 3 : 1) + 2 * fabs(x)))
LIMIT(log, x > 0.5 && x < 2 ? (w->bits == 32 ? 0x1p-21 : 0x1p-7) : UNITS(3))
LIMIT(inversesqrt, UNITS(2))
/* 1 / inversesqrt(x) */
LIMIT(sqrt, UNITS(2 * 2 + 2.5))
LIMIT(atan, UNITS(w->bits == 32 ? 4096 : 5))
/* x times a constant that is rounded */
LIMIT(scaled, UNITS(2))
LIMIT(to_int, fabs(x) >= 0x1p31 ? -1 : 0)
LIMIT(to_uint, x <= -1 || x >= 0x1p32 ? -1 : 0)

/* sin over cos, each off by as much as it may */
static double limit_tan(const struct width *w, double x, double y, double z, double exact)
{
    (void)y, (void)z;
    double off = w->bits == 32 ? 0x1p-11 : 0x1p-7, least = fabs(cos(x)) - off;
    return fabs(x) > PI || least <= 0 ? -1 : (off + fabs(exact) * off) / least + UNITS(2.5);
}

/* atan2(x, sqrt(1 - x²)): its own error, and that of the root: of x² and 1 - x², each rounded, then twice 2 units and a
 * division. */
static double limit_arc(const struct width *w, double x, double y, double z, double exact)
{
    (void)y, (void)z;
    if (fabs(x) > 1)
        return -1;
    double square = 1 - x * x, of_square = ulp(w, x * x) + ulp(w, square);
    double root = sqrt(square), of_root = sqrt(square + of_square) - root + 6.5 * ulp(w, root);
    double slope = fabs(x) / (x * x + square); /* of atan2 by its second argument */
    return UNITS(w->bits == 32 ? 4096 : 5) + slope * of_root;
}

static double exp_off(const struct width *w, double x)
{
    return ((w->bits == 32 ? 3 : 1) + 2 * fabs(x)) * ulp(w, exp(x));
}

/* (exp(x) ± exp(-x)) / 2 */
static double limit_hyperbolic(const struct width *w, double x, double y, double z, double exact)
{
    (void)y, (void)z;
    return exp(fabs(x)) > w->huge ? -1 : (exp_off(w, x) + exp_off(w, -x)) / 2 + UNITS(1);
}

/* sinh over cosh */
static double limit_tanh(const struct width *w, double x, double y, double z, double exact)
{
    double off = limit_hyperbolic(w, x, y, z, cosh(x)), least = cosh(x) - off;
    if (exp(fabs(x)) > w->huge) /* one, however large */
        return UNITS(4);
    return least <= 0 ? -1 : (off + fabs(exact) * off) / least + UNITS(2.5);
}

static double log_off(const struct width *w, double x, double off_of_x)
{
    double exact = log(x), least = x - off_of_x;
    return least <= 0 ? INFINITY : limit_log(w, x, 0, 0, exact) + UNITS(1) + off_of_x / least;
}

/* log(x + sqrt(x² ± 1)). The formula is symmetric only where x is positive: that side is the limit for both. */
static double limit_area(const struct width *w, double x, double y, double z, double exact)
{
    (void)y, (void)z;
    double size = fabs(x), inner = exact_asinh(size, 0, 0) == fabs(exact) ? size * size + 1 : size * size - 1;
    if (inner > w->huge || inner < 0)
        return -1;
    double off = ulp(w, size * size) + ulp(w, inner), root = sqrt(inner);
    double of_root = sqrt(inner + off) - root + 6.5 * ulp(w, root), sum = size + root;
    return log_off(w, sum, of_root + ulp(w, sum));
}

/* log((1 + x) / (1 - x)) / 2 */
static double limit_atanh(const struct width *w, double x, double y, double z, double exact)
{
    (void)y, (void)z, (void)exact;
    if (fabs(x) >= 1)
        return -1;
    double size = fabs(x), ratio = (1 + size) / (1 - size);
    return log_off(w, ratio,
                   2.5 * ulp(w, ratio) + ratio * (ulp(w, 1 + size) / (1 + size) + ulp(w, 1 - size) / (1 - size))) /
           2;
}

/* exp2(y log2(x)) */
static double limit_pow(const struct width *w, double x, double y, double z, double exact)
{
    (void)z;
    if (x <= 0)
        return -1;
    double power = log2(x), off = fabs(y) * limit_log(w, x, 0, 0, power) + ulp(w, y * power), exponent = y * power;
    return fabs(exact) * (exp2(off) - 1) + UNITS((w->bits == 32 ? 3 : 1) + 2 * fabs(exponent)) * exp2(off);
}

/* x - y trunc(x / y): the quotient may be off by 2.5 units, and where it is off by one the rest is off by y. */
static double limit_mod(const struct width *w, double x, double y, double z, double exact)
{
    double quotient = x / y, off = limit_divide(w, x, y, z, quotient);
    /* A quotient below the normal range may be zero, and then it has no sign. */
    if (off < 0 || is_denormal(w, quotient) || fabs(quotient) > 1 / w->epsilon ||
        fabs(quotient - nearbyint(quotient)) <= off)
        return -1;
    return ulp(w, y * trunc(fabs(quotient) + 1)) + UNITS(1);
}

/* sqrt(dot(x, x)): products and their sum rounded, nothing below the normal range */
static double limit_length(const struct width *w, double x, double y, double z, double exact)
{
    (void)z;
    double square = x * x + y * y;
    if (square > w->huge || x * x < w->tiny || y * y < w->tiny)
        return -1;
    return 2 * ulp(w, square) / (2 * sqrt(square)) + UNITS(6.5);
}

static double limit_distance(const struct width *w, double x, double y, double z, double exact)
{
    (void)z;
    double square = (x - y) * (x - y);
    if (square > w->huge || square < w->tiny)
        return -1;
    return ulp(w, x - y) + ulp(w, square) / (2 * fabs(x - y)) + UNITS(6.5);
}

static double limit_normalize(const struct width *w, double x, double y, double z, double exact)
{
    double off = limit_length(w, x, y, z, sqrt(x * x + y * y));
    return off < 0 ? -1 : fabs(exact) * 2 * w->epsilon + UNITS(2 + 1);
}

/* A product below the normal range may be flushed. */
LIMIT(dot, fabs(x *y) > w->huge / 2 ? -1 : 2 * ulp(w, x *y) + UNITS(1) + 2 * w->tiny)
LIMIT(fma, fabs(x *y) > w->huge ? -1 : ulp(w, x *y) + UNITS(1) + w->tiny)
LIMIT(mix, fabs(x *(1 - z)) > w->huge || fabs(y * z) > w->huge
               ? -1
               : 2 * ulp(w, x *(1 - z)) + fabs(x) * (ulp(w, 1 - z) + w->tiny) + ulp(w, y *z) + UNITS(1) + 2 * w->tiny)

/* t = (z - x) / (y - x), clamped; t t (3 - 2 t) */
static double limit_smoothstep(const struct width *w, double x, double y, double z, double exact)
{
    double top = z - x, bottom = y - x, t = top / bottom;
    if (!(x < y) || fabs(bottom) < w->tiny || fabs(bottom) > 1 / w->tiny || fabs(top) > w->huge)
        return -1;
    double off = fabs(t) * (ulp(w, top) / fabs(top) + ulp(w, bottom) / fabs(bottom)) + 2.5 * ulp(w, t);
    t = fmin(fmax(t, 0), 1);
    return 6 * t * (1 - t) * off + 3 * off * off + 3 * t * t * ulp(w, 3) + UNITS(3) + 3 * w->tiny;
}

/* ---- rows ---- */

struct row {
    const char *name;
    unsigned operands;
    exact_function exact;
    limit_function limit;
    const char *text; /* the limit in words: 32 bits, then 16 */
};

#define NUMBER(name, operands, expression) ROW_##name,
enum {
    PRECISION_ROWS(NUMBER) NUM_ROWS
};

#define LIMITS(name, function, words) [ROW_##name] = {#name, 0, exact_##name, limit_##function, words}
static struct row rows[NUM_ROWS] = {
    LIMITS(sin, circle, "2^-11; 2^-7 absolute in [-π, π]"),
    LIMITS(cos, circle, "2^-11; 2^-7 absolute in [-π, π]"),
    LIMITS(tan, tan, "sin / cos"),
    LIMITS(asin, arc, "atan2(x, sqrt(1 - x²))"),
    LIMITS(acos, arc, "atan2(sqrt(1 - x²), x)"),
    LIMITS(atan, atan, "4096; 5 ULP"),
    LIMITS(sinh, hyperbolic, "(exp(x) - exp(-x)) / 2"),
    LIMITS(cosh, hyperbolic, "(exp(x) + exp(-x)) / 2"),
    LIMITS(tanh, tanh, "sinh / cosh"),
    LIMITS(asinh, area, "log(x + sqrt(x² + 1))"),
    LIMITS(acosh, area, "log(x + sqrt(x² - 1))"),
    LIMITS(atanh, atanh, "log((1 + x) / (1 - x)) / 2"),
    LIMITS(exp, exp, "3 + 2 abs(x); 1 + 2 abs(x) ULP"),
    LIMITS(exp2, exp, "3 + 2 abs(x); 1 + 2 abs(x) ULP"),
    LIMITS(log, log, "3 ULP; 2^-21 (2^-7) absolute in [0.5, 2]"),
    LIMITS(log2, log, "3 ULP; 2^-21 (2^-7) absolute in [0.5, 2]"),
    LIMITS(sqrt, sqrt, "1 / inversesqrt(x)"),
    LIMITS(inversesqrt, inversesqrt, "2 ULP"),
    LIMITS(reciprocal, reciprocal, "2.5 ULP"),
    LIMITS(floor, same, "exact"),
    LIMITS(ceil, same, "exact"),
    LIMITS(trunc, same, "exact"),
    LIMITS(round, same, "exact"),
    LIMITS(roundEven, same, "exact"),
    LIMITS(fract, rounded, "rounded"),
    LIMITS(abs, same, "exact"),
    LIMITS(negate, same, "exact"),
    LIMITS(sign, same, "exact"),
    LIMITS(radians, scaled, "x times a constant"),
    LIMITS(degrees, scaled, "x times a constant"),
    LIMITS(to_int, to_int, "exact"),
    LIMITS(to_uint, to_uint, "exact"),
    LIMITS(frexp, same, "exact"),
    LIMITS(modf, same, "exact"),
    LIMITS(add, rounded, "rounded"),
    LIMITS(subtract, rounded, "rounded"),
    LIMITS(multiply, rounded, "rounded"),
    LIMITS(divide, divide, "2.5 ULP"),
    LIMITS(mod, mod, "x - y floor(x / y)"),
    LIMITS(rem, mod, "x - y trunc(x / y)"),
    LIMITS(pow, pow, "exp2(y log2(x))"),
    LIMITS(atan2, atan, "4096; 5 ULP"),
    LIMITS(min, same, "exact"),
    LIMITS(max, same, "exact"),
    LIMITS(step, same, "exact"),
    LIMITS(length2, length, "sqrt(dot(v, v))"),
    LIMITS(distance2, distance, "length(a - b)"),
    LIMITS(normalize2, normalize, "v inversesqrt(dot(v, v))"),
    LIMITS(dot2, dot, "products and their sum"),
    LIMITS(fma, fma, "a product and a sum"),
    LIMITS(mix, mix, "x (1 - z) + y z"),
    LIMITS(clamp, same, "exact"),
    LIMITS(smoothstep, smoothstep, "t t (3 - 2 t)"),
};

/* ---- samples ---- */

static uint64_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(random_state >> 32);
}

/* Every exponent with any mantissa, and dense where functions bend; special values first. */
static float sample_32(uint32_t i)
{
    static const float special[] = {0.0f,        -0.0f,
                                    INFINITY,    -INFINITY,
                                    NAN,         1.0f,
                                    -1.0f,       0.5f,
                                    2.0f,        0x1p-126f,
                                    -0x1p-126f,  0x1.fffffep127f,
                                    0x1p-149f,   0x1.fffffep-127f,
                                    0.49999997f, 8388607.5f,
                                    0x1p31f,     0x1p32f};
    const double unit = (double)next_random() / 0x1p32;
    float number;
    uint32_t word = next_random();
    if (i < ARRAY_SIZE(special))
        return special[i];
    switch (i % 8) {
    case 0:
    case 1:
    case 2:
        word = (word & 0x807fffffu) | (uint32_t)(i / 8 % 255) << 23;
        memcpy(&number, &word, 4);
        return number;
    case 3:
        return (float)(unit * 2 - 1);
    case 4:
        return (float)((unit * 2 - 1) * PI);
    case 5:
        return (float)(unit * 176 - 88);
    case 6:
        return (float)((word & 1 ? 1 : -1) * exp2(unit * 40 - 30));
    default:
        return (float)((word & 1 ? 1 : -1) * (1 + (unit - 0.5) * exp2(-(double)(word % 24))));
    }
}

static double value_of(const struct width *w, const void *data, uint32_t i)
{
    if (w->bits == 16)
        return (double)half_to_float(((const uint16_t *)data)[i]);
    return (double)((const float *)data)[i];
}

/* Of halves: all of them where there is one operand, else a grid with each of them somewhere in each place. */
static uint32_t fill_arguments(const struct width *w, const struct row *row, uint32_t count, void *const *operands)
{
    for (uint32_t i = 0; i < MAX_COUNT && w->bits == 16; i++) {
        for (unsigned k = 0; k < 3; k++)
            ((uint16_t *)operands[k])[i] = (uint16_t)(k == 0   ? i
                                                      : k == 1 ? i * 40503u + (i >> 16) * 7919u
                                                               : i * 25717u + (i >> 16) * 104729u);
    }
    for (uint32_t i = 0; i < count && w->bits == 32; i++) {
        for (unsigned k = 0; k < 3; k++)
            ((float *)operands[k])[i] = sample_32(k == 0 ? i : k == 1 ? (i / 18 + i * 7) : i / 7);
    }
    return w->bits == 16 && row->operands == 1 ? HALVES : count;
}

/* ---- measuring ---- */

struct measure {
    uint32_t compared, specials, specials_off;
    double worst_ulp, worst_absolute, worst_share; /* the last: of what is allowed */
    double at[3], got, exact;
    bool failed;
};

static void measure_one(const struct width *w, const struct row *row, const double *in, double got, struct measure *m)
{
    double exact = row->exact(in[0], in[1], in[2]);
    bool odd = !isfinite(exact), flushed = false;
    for (unsigned k = 0; k < row->operands; k++) {
        odd |= !isfinite(in[k]);
        flushed |= is_denormal(w, in[k]);
    }
    if (odd) {
        m->specials++;
        m->specials_off += !(isnan(exact) ? isnan(got) : got == exact || fabs(got - exact) <= 4 * ulp(w, exact));
        return;
    }
    /* A result next to the top may be infinite; one below the normal range may be zero. */
    double limit = row->limit(w, in[0], in[1], in[2], exact), off = fabs(got - exact);
    if (limit < 0 || flushed || fabs(exact) + limit > w->huge)
        return;
    m->compared++;
    if (fabs(exact) < w->tiny)
        off = fmin(off, fabs(got));
    /* Where the limit is an absolute one, units of what is nearly zero say nothing. */
    bool absolute = (row->limit == limit_circle || row->limit == limit_tan) && fabs(exact) < 0.0625;
    double units = absolute ? 0 : off / ulp(w, exact), share = off == 0 ? 0 : limit > 0 ? off / limit : INFINITY;
    m->worst_ulp = isfinite(got) ? fmax(m->worst_ulp, units) : INFINITY;
    m->worst_absolute = fmax(m->worst_absolute, off);
    if (share > m->worst_share || isnan(got)) {
        m->worst_share = isnan(got) ? INFINITY : share;
        memcpy(m->at, in, sizeof(m->at));
        m->got = got;
        m->exact = exact;
        m->failed |= !(share <= 1);
    }
}

static struct ir_shader *read_shader(const char *path, uint32_t operation)
{
    char *data;
    size_t size_B;
    struct spirv_error error;
    if (file_read(path, &data, &size_B) != 0)
        return NULL;
    struct spirv_spec_entry entry = {.constant_id = 0, .offset_B = 0, .size_B = 4};
    struct spirv_options options = {.stage = IR_STAGE_compute,
                                    .spec_entries = &entry,
                                    .num_spec_entries = 1,
                                    .spec_data = &operation,
                                    .spec_data_size_B = sizeof(operation)};
    struct ir_shader *shader = spirv_to_ir((const uint32_t *)data, size_B / 4, &options, &error);
    free(data);
    return shader;
}

/* False with the reason. */
static bool measure_row(struct shader_rig *rig, const struct width *w, const char *path, uint32_t operation,
                        uint32_t count, struct measure *m, char error_out[512])
{
    static void *data[4];
    for (unsigned k = 0; k < 4; k++)
        data[k] = data[k] ? data[k] : calloc(MAX_COUNT, 4);
    const struct row *row = &rows[operation];
    count = fill_arguments(w, row, count, data);
    struct rig_buffer buffers[4];
    for (unsigned k = 0; k < 4; k++)
        buffers[k] = (struct rig_buffer){data[k], count * w->bits / 8};
    struct rig_shape shape = {
        .wave_size = operation & 1 ? 32 : 64, .groups = {count / GROUP, 1, 1}, .buffers = buffers, .num_buffers = 4};
    struct ir_shader *shader = read_shader(path, operation);
    if (!shader) {
        snprintf(error_out, 512, "the front end refuses it");
        return false;
    }
    shader_rig_reset(rig);
    bool ran = shader_rig_run(rig, shader, &shape, error_out);
    ir_shader_destroy(shader);
    *m = (struct measure){0};
    for (uint32_t i = 0; ran && i < count; i++) {
        double in[3] = {value_of(w, data[0], i), value_of(w, data[1], i), value_of(w, data[2], i)};
        measure_one(w, row, in, value_of(w, data[3], i), m);
    }
    return ran;
}

static void print_row(FILE *file, const struct row *row, const struct measure m[2])
{
    fprintf(file, "| %s | %s |", row->name, row->text);
    for (unsigned i = 0; i < 2; i++)
        fprintf(file, " %.3g | %.2g | %.2f | %u | %u / %u |", m[i].worst_ulp, m[i].worst_absolute, m[i].worst_share,
                m[i].compared, m[i].specials_off, m[i].specials);
    fprintf(file, "\n");
}

int main(int argc, char **argv)
{
    static const unsigned operands[] = {
#define OPERANDS(name, count, expression) count,
        PRECISION_ROWS(OPERANDS)};
    if (argc < 3) {
        fprintf(stderr, "usage: precision FILE_32.spv FILE_16.spv [COUNT [MARKDOWN]]\n");
        return 2;
    }
    uint32_t count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) / GROUP * GROUP : 1u << 20;
    FILE *table = argc > 4 ? fopen(argv[4], "w") : NULL;
    if (count == 0 || count > MAX_COUNT || (argc > 4 && !table))
        return 2;
    struct shader_rig rig;
    unsigned cases = 0, failures = 0;
    shader_rig_begin(&rig);
    for (unsigned i = 0; i < NUM_ROWS; i++) {
        struct measure m[2] = {0};
        rows[i].operands = operands[i];
        for (unsigned k = 0; k < 2; k++) {
            char error[512] = "";
            bool ok = measure_row(&rig, &widths[k], argv[1 + k], i, count, &m[k], error) && !m[k].failed &&
                      m[k].compared > 100;
            printf("%s %u - %s at %u bits: %.3g ULP, %.3g absolute, %.2f of the limit (%s) over %u\n",
                   ok ? "ok" : "not ok", ++cases, rows[i].name, widths[k].bits, m[k].worst_ulp, m[k].worst_absolute,
                   m[k].worst_share, rows[i].text, m[k].compared);
            failures += !ok;
            if (!ok)
                printf("# %s %.9g, %.9g, %.9g: %.9g instead of %.9g\n", error, m[k].at[0], m[k].at[1], m[k].at[2],
                       m[k].got, m[k].exact);
        }
        if (table)
            print_row(table, &rows[i], m);
    }
    printf("1..%u\n", cases);
    shader_rig_end(&rig);
    return failures != 0 || (table && fclose(table) != 0);
}
