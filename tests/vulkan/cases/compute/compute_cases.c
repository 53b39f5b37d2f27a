/* Compute: arithmetic of every kind, control flow, memory of every kind, dispatches of every form. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vt/vt.h"

#include "shaders/address.h"
#include "shaders/atomics.h"
#include "shaders/control.h"
#include "shaders/double_ops.h"
#include "shaders/float_ops.h"
#include "shaders/ids.h"
#include "shaders/int_ops.h"
#include "shaders/narrow.h"
#include "shaders/narrow_end.h"
#include "shaders/push.h"
#include "shaders/reduce.h"
#include "shaders/wide.h"

const struct vt_spirv vt_push_comp = {push, sizeof(push)}, vt_ids_comp = {ids, sizeof(ids)};

#define COUNT 1024

/* Run a pipeline whose constant 0 is `op` (and constant 1 `second`) on buffers. */
static void run_op(struct vt *vt, struct vt_spirv code, int32_t op, uint32_t second, const struct vt_buffer *const *buffers, uint32_t count, uint32_t groups)
{
    struct {
        int32_t op;
        uint32_t second;
    } data = {op, second};
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    VkSpecializationInfo specialization = {2, entries, sizeof(data), &data};
    struct vt_compute compute = vt_compute(vt, code, count, &specialization);
    VkDescriptorSet set = vt_storage_set(vt, compute.set_layout, buffers, count);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(commands, groups, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

/* ---- integers ---- */

static int high_bit(uint32_t x)
{
    return x ? 31 - __builtin_clz(x) : -1;
}

static uint32_t int_reference(int op, uint32_t x, uint32_t y)
{
    int32_t sx = (int32_t)x, sy = (int32_t)y;
    uint32_t count = y >> 4 & 15, offset = y & 15, mask = (1u << count) - 1;
    int32_t divisor = abs(sy >> 1) > 1 ? abs(sy >> 1) : 1;
    switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return x / (y ? y : 1);
    case 4: return x % (y ? y : 1);
    case 5: return (uint32_t)(sx / divisor);
    case 6: return (uint32_t)(sx % divisor);
    case 7: return x & y;
    case 8: return x | y;
    case 9: return x ^ y;
    case 10: return ~x;
    case 11: return x << (y & 31);
    case 12: return x >> (y & 31);
    case 13: return (uint32_t)(sx >> (y & 31));
    case 14: return x < y ? x : y;
    case 15: return x > y ? x : y;
    case 16: return sx < sy ? x : y;
    case 17: return sx > sy ? x : y;
    case 18: return sx < 0 ? 0u - x : x;
    case 19: return sx > 0 ? 1 : sx < 0 ? UINT32_MAX : 0;
    case 20: return (uint32_t)__builtin_popcount(x);
    case 21: {
        uint32_t r = 0;
        for (int i = 0; i < 32; i++)
            r |= (x >> i & 1) << (31 - i);
        return r;
    }
    case 22: return x ? (uint32_t)__builtin_ctz(x) : UINT32_MAX;
    case 23: return (uint32_t)high_bit(x);
    case 24: return (uint32_t)high_bit(sx < 0 ? ~x : x);
    case 25: return x >> offset & mask;
    case 26: return count ? (uint32_t)((int32_t)(x >> offset << (32 - count)) >> (32 - count)) : 0;
    case 27: return (x & ~(mask << offset)) | (y & mask) << offset;
    case 28: return (uint32_t)((uint64_t)x * y >> 32) ^ x * y;
    case 29: return (uint32_t)((uint64_t)((int64_t)sx * sy) >> 32) ^ x * y;
    case 30: return (x + y) ^ (uint32_t)(x + y < x) << 31;
    case 31: return (x - y) ^ (uint32_t)(x < y) << 31;
    case 32: return x < y;
    case 33: return sx < sy;
    case 34: return x < 100 ? 100 : x > 100000 ? 100000 : x;
    case 35: return (uint32_t)(sx < -1000 ? -1000 : sx > 1000 ? 1000 : sx);
    case 36: return 0u - x;
    default: return x == y || (x & 1) ? x : y;
    }
}

static void int_case(struct vt *vt, const void *argument)
{
    int op = (int)(intptr_t)argument;
    uint32_t a[COUNT], b[COUNT], expected[COUNT];
    uint64_t seed = 7;
    for (unsigned i = 0; i < COUNT; i++) {
        static const uint32_t edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 31, 32};
        a[i] = i < 64 ? edges[i / 8] : vt_random(&seed) >> (vt_random(&seed) & 31);
        b[i] = i < 64 ? edges[i % 8] : vt_random(&seed) >> (vt_random(&seed) & 31);
        expected[i] = int_reference(op, a[i], b[i]);
    }
    struct vt_buffer ba = vt_buffer(vt, sizeof(a), a), bb = vt_buffer(vt, sizeof(b), b), br = vt_buffer(vt, sizeof(a), NULL);
    run_op(vt, VT_SPIRV(int_ops), op, 0, (const struct vt_buffer *[]){&ba, &bb, &br}, 3, COUNT / 64);
    vt_expect_words(vt, br.map, expected, COUNT, "result");
}

/* ---- floats: within the precision that Vulkan asks for ---- */

struct float_op {
    int op;
    double ulps;     /* relative error in units of 2^-23 */
    double absolute; /* or this, whichever allows more */
};

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static double half_value(uint16_t half)
{
    int exponent = half >> 10 & 31;
    double magnitude = exponent ? ldexp(1024 + (half & 0x3ff), exponent - 25) : ldexp(half & 0x3ff, -24);
    return half & 0x8000 ? -magnitude : magnitude;
}

/* The bits of the half below: rounding is the device's choice, so a case that uses this allows one more. */
static double float_to_half(float x)
{
    uint16_t low = 0;
    for (int bit = 14; bit >= 0; bit--) {
        if (half_value(low | (uint16_t)(1 << bit)) <= fabs((double)x))
            low |= (uint16_t)(1 << bit);
    }
    return low | (x < 0 ? 0x8000 : 0);
}

static double float_reference(int op, float x, float y)
{
    int e;
    double dx = x, dy = y;
    switch (op) {
    case 0: return dx + dy;
    case 1: return dx - dy;
    case 2: return dx * dy;
    case 3: return dx / dy;
    case 4: return fma(dx, dy, dx);
    case 5: return sqrt(fabs(dx));
    case 6: return 1 / sqrt((double)(fabsf(x) + 0.001f));
    case 7: return exp2((double)(x * 0.01f));
    case 8: return log2((double)(fabsf(x) + 0.001f));
    case 9: return sin((double)(x * 0.01f));
    case 10: return cos((double)(x * 0.01f));
    case 11: return floor(dx);
    case 12: return ceil(dx);
    case 13: return trunc(dx);
    case 14: return rint(dx);
    case 15: return dx - floor(dx);
    case 16: return fmin(dx, dy);
    case 17: return fmax(dx, dy);
    case 18: return dx < -1 ? -1 : dx > 2.5 ? 2.5 : dx;
    case 19: return dx * 0.75 + dy * 0.25;
    case 20: return dy < dx ? 0 : 1;
    case 21: {
        double t = (dx + 2) / 7;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        return t * t * (3 - 2 * t);
    }
    case 22: return fabs(dx);
    case 23: return dx > 0 ? 1 : dx < 0 ? -1 : 0;
    case 24: return dx - (fabs(dy) + 0.5) * floor(dx / (fabs(dy) + 0.5));
    case 25: return dx * 8;
    case 26: {
        double m = frexp(dx, &e);
        return m + e;
    }
    case 27: return (double)(int)x;
    case 28: return (double)(uint32_t)fabsf(x);
    case 29: return x < y ? dx : -dy;
    case 30: return float_to_half(y);
    case 43: return half_value((uint16_t)(bits_of(x) & 0x7bff));
    case 31: {
        double t = dx * 0.01;
        return rint((t < 0 ? 0 : t > 1 ? 1 : t) * 255) / 255;
    }
    case 32: {
        double t = dx * 0.01;
        return rint((t < -1 ? -1 : t > 1 ? 1 : t) * 32767) / 32767;
    }
    case 33: return sqrt(dx * dx + dy * dy + 1);
    case 34: return 2 * dx * dy + 3 + 8;
    case 35: return atan2(dx, dy);
    case 36: return pow((double)(fabsf(x) + 0.5f), (double)0.3f);
    case 37: return exp((double)(x * 0.01f));
    case 38: return log((double)(fabsf(x) + 0.001f));
    case 39: return tan((double)(x * 0.001f));
    case 40: {
        double t = (double)(x * 0.01f);
        return asin(t < -1 ? -1 : t > 1 ? 1 : t);
    }
    case 41: return dx * dy + dx;
    default: return -dx;
    }
}

static void float_case(struct vt *vt, const void *argument)
{
    const struct float_op *test = argument;
#ifdef __aarch64__
    /* Its LLVM 15 dies on the conversion from half to float on this architecture: nothing that a case can do about it.
     */
    if (test->op == 43 && vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE)
        vt_skip(vt, "lavapipe crashes in unpackHalf2x16 on AArch64");
#endif
    float a[COUNT], b[COUNT];
    uint64_t seed = 11;
    for (unsigned i = 0; i < COUNT; i++) {
        a[i] = ldexpf((float)(int32_t)vt_random(&seed), -24 - (int)(vt_random(&seed) % 12));
        b[i] = ldexpf((float)(int32_t)(vt_random(&seed) | 1), -24 - (int)(vt_random(&seed) % 12));
    }
    struct vt_buffer ba = vt_buffer(vt, sizeof(a), a), bb = vt_buffer(vt, sizeof(b), b), br = vt_buffer(vt, sizeof(a), NULL);
    run_op(vt, VT_SPIRV(float_ops), test->op, 0, (const struct vt_buffer *[]){&ba, &bb, &br}, 3, COUNT / 64);
    const float *got = br.map;
    for (unsigned i = 0; i < COUNT; i++) {
        double expected = float_reference(test->op, a[i], b[i]);
        double allowed = fmax(test->ulps * ldexp(fabs(expected), -23), test->absolute);
        if (!(fabs((double)got[i] - expected) <= allowed))
            vt_fail(vt, "f(%a, %a) is %a, expected %a within %g", a[i], b[i], got[i], expected, allowed);
    }
}

/* ---- 64 bits ---- */

static uint64_t wide_reference(int op, uint64_t x, uint64_t y)
{
    switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return x / (y ? y : 1);
    case 4: return x << (y & 63);
    case 5: return x >> (y & 63);
    case 6: return (uint64_t)((int64_t)x >> (y & 63));
    case 7: return (x & y) ^ ~(x | y);
    case 8: return x < y;
    case 9: return (int64_t)x < (int64_t)y;
    default: return x % (y >> 20 ? y >> 20 : 1);
    }
}

static void wide_case(struct vt *vt, const void *argument)
{
    int op = (int)(intptr_t)argument;
    if (!vt->features.features.shaderInt64)
        vt_skip(vt, "no shaderInt64");
    uint64_t a[COUNT], b[COUNT], expected[COUNT], seed = 3;
    for (unsigned i = 0; i < COUNT; i++) {
        a[i] = (vt_random(&seed) | (uint64_t)vt_random(&seed) << 32) >> (vt_random(&seed) & 63);
        b[i] = (vt_random(&seed) | (uint64_t)vt_random(&seed) << 32) >> (vt_random(&seed) & 63);
        expected[i] = wide_reference(op, a[i], b[i]);
    }
    struct vt_buffer ba = vt_buffer(vt, sizeof(a), a), bb = vt_buffer(vt, sizeof(b), b), br = vt_buffer(vt, sizeof(a), NULL);
    run_op(vt, VT_SPIRV(wide), op, 0, (const struct vt_buffer *[]){&ba, &bb, &br}, 3, COUNT / 64);
    vt_expect_words(vt, br.map, (uint32_t *)expected, COUNT * 2, "result");
}

static void double_case(struct vt *vt, const void *argument)
{
    int op = (int)(intptr_t)argument;
    if (!vt->features.features.shaderFloat64)
        vt_skip(vt, "no shaderFloat64");
    double a[COUNT], b[COUNT];
    uint64_t seed = 5;
    for (unsigned i = 0; i < COUNT; i++) {
        a[i] = (double)(int32_t)vt_random(&seed) / 65536.0 + (double)vt_random(&seed) * 0x1p-50;
        b[i] = (double)(int32_t)vt_random(&seed) / 65536.0 + 0x1p-20;
    }
    struct vt_buffer ba = vt_buffer(vt, sizeof(a), a), bb = vt_buffer(vt, sizeof(b), b), br = vt_buffer(vt, sizeof(a), NULL);
    run_op(vt, VT_SPIRV(double_ops), op, 0, (const struct vt_buffer *[]){&ba, &bb, &br}, 3, COUNT / 64);
    const double *got = br.map;
    for (unsigned i = 0; i < COUNT; i++) {
        double x = a[i], y = b[i];
        const double results[] = {x + y, x * y, x / y, fma(x, y, x), sqrt(fabs(x)), floor(x), (double)(float)x, (double)(int)x, fmin(x, y)};
        /* Division and roots may be a little off; fma may be two roundings, of which the product's counts. */
        double allowed = op == 2 || op == 4 ? ldexp(fabs(results[op]), -50) : op == 3 ? ldexp(fabs(x * y), -52) : 0;
        if (!(fabs(got[i] - results[op]) <= allowed))
            vt_fail(vt, "f(%a, %a) is %a, expected %a", x, y, got[i], results[op]);
    }
}

static void narrow_case(struct vt *vt, const void *argument)
{
    if (!vt->features12.storageBuffer8BitAccess || !vt->features11.storageBuffer16BitAccess)
        vt_skip(vt, "no 8- and 16-bit storage");
    uint8_t a[COUNT];
    int16_t b[COUNT];
    uint64_t seed = 9;
    for (unsigned i = 0; i < COUNT; i++) {
        a[i] = (uint8_t)vt_random(&seed);
        b[i] = (int16_t)vt_random(&seed);
    }
    struct vt_buffer ba = vt_buffer(vt, sizeof(a), a), bb = vt_buffer(vt, sizeof(b), b);
    struct vt_buffer r8 = vt_buffer(vt, sizeof(a), NULL), r16 = vt_buffer(vt, sizeof(b), NULL);
    run_op(vt, VT_SPIRV(narrow), 0, 0, (const struct vt_buffer *[]){&ba, &bb, &r8, &r16}, 4, COUNT / 64);
    for (unsigned i = 0; i < COUNT; i++) {
        if (((uint8_t *)r8.map)[i] != (uint8_t)(a[i] * 3 + 1) || ((int16_t *)r16.map)[i] != (int16_t)(b[i] * 5 - a[i]))
            vt_fail(vt, "element %u differs", i);
    }
}

/* The buffer ends with the last invocation's bytes, which is not where a vector of dwords ends. */
static void narrow_end_case(struct vt *vt, const void *argument)
{
    if (!vt->features12.storageBuffer8BitAccess || !vt->features12.shaderInt8)
        vt_skip(vt, "no 8-bit storage and numbers");
    const uint32_t count = *(const uint32_t *)argument;
    uint8_t bytes[11 * 64] = {0};
    uint64_t seed = 31;
    for (unsigned i = 0; i < 11 * count; i++)
        bytes[i] = (uint8_t)vt_random(&seed);
    struct vt_buffer a = vt_buffer(vt, 11 * count, bytes), r = vt_buffer(vt, 64 * 4, NULL);
    run_op(vt, VT_SPIRV(narrow_end), 0, 0, (const struct vt_buffer *[]){&a, &r}, 2, 1);
    for (unsigned i = 0; i < count; i++) {
        uint32_t expected = 0;
        for (unsigned n = 0; n < 11; n++)
            expected = expected * 7 + bytes[i * 11 + n];
        if (((const uint32_t *)r.map)[i] != expected)
            vt_fail(vt, "invocation %u of %u: 0x%x, expected 0x%x", i, count, ((const uint32_t *)r.map)[i], expected);
    }
}

/* ---- atomics and shared memory ---- */

static void atomic_case(struct vt *vt, const void *argument)
{
    int op = (int)(intptr_t)argument & 15;
    bool is_shared = (intptr_t)argument & 16;
    uint32_t a[COUNT], r[4], expected[4];
    uint64_t seed = 13;
    for (unsigned i = 0; i < 4; i++)
        r[i] = expected[i] = op == 1 || op == 3 || op == 4 ? UINT32_MAX : 0;
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t *e = &expected[i & 3], x = a[i] = vt_random(&seed) >> 4;
        switch (op) {
        case 0: *e += x; break;
        case 1: *e = x < *e ? x : *e; break;
        case 2: *e = x > *e ? x : *e; break;
        case 3: *e = x >> 1 < *e ? x >> 1 : *e; break;
        case 4: *e &= x | 0xf0; break;
        case 5: *e |= 1u << (x & 31); break;
        case 6: *e ^= x; break;
        case 7: *e = (i & 3) + 100; break;
        case 8: *e = (i & 3) + 200; break;
        }
    }
    struct vt_buffer ba = vt_buffer(vt, sizeof(a), a), br = vt_buffer(vt, sizeof(r), r);
    run_op(vt, VT_SPIRV(atomics), op, is_shared, (const struct vt_buffer *[]){&ba, &br}, 2, COUNT / 64);
    vt_expect_words(vt, br.map, expected, 4, "memory");
}

static void reduce_case(struct vt *vt, const void *argument)
{
    uint32_t size = (uint32_t)(uintptr_t)argument, groups = 16;
    uint32_t *a = malloc(size * groups * 4), expected[16] = {0};
    uint64_t seed = 17;
    for (uint32_t i = 0; i < size * groups; i++) {
        a[i] = vt_random(&seed);
        expected[i / size] += a[i];
    }
    struct vt_buffer ba = vt_buffer(vt, size * groups * 4, a), br = vt_buffer(vt, sizeof(expected), NULL);
    free(a);
    run_op(vt, VT_SPIRV(reduce), (int32_t)size, 0, (const struct vt_buffer *[]){&ba, &br}, 2, groups);
    vt_expect_words(vt, br.map, expected, groups, "sum");
}

/* ---- control flow ---- */

static uint32_t control_reference(int op, uint32_t x)
{
    uint32_t r = 0;
    switch (op) {
    case 0:
        for (x = (x & 0xffff) + 1; x != 1 && r < 500; r++)
            x = x & 1 ? 3 * x + 1 : x >> 1;
        return r;
    case 1:
        for (uint32_t i = 0; i < (x & 7); i++) {
            for (uint32_t j = i; j < 12; j++) {
                if (x >> j & 1)
                    continue;
                if (j == 9)
                    break;
                r += i * j + 1;
            }
            if (r > 60)
                return r * 3;
        }
        return r;
    case 2:
        r = 1;
        for (uint32_t i = 0; i < 8; i++) {
            switch (x >> (4 * i) & 15) {
            case 0: r += 1; /* fall through */
            case 1: r *= 3; break;
            case 2: r ^= x; break;
            case 3: continue;
            case 4:
            case 5: r -= i; break;
            case 6:
                if (r > 100000)
                    return r;
                r <<= 1;
                break;
            case 7: r /= 3; break;
            default: r += 7; break;
            }
            r += i;
        }
        return r;
    case 3: {
        uint32_t table[32], at = x & 31;
        for (uint32_t i = 0; i < 32; i++)
            table[i] = x * (i + 1) + i;
        for (uint32_t i = 0; i < 40; i++) {
            r = r * 33 ^ table[at];
            table[at] += r;
            at = table[(at + 7) & 31] >> 3 & 31;
        }
        return r;
    }
    default:
        return (x & 3) == 2 ? 0 : x + 1;
    }
}

static void control_case(struct vt *vt, const void *argument)
{
    int op = (int)(intptr_t)argument;
    uint32_t a[COUNT], expected[COUNT];
    uint64_t seed = 19;
    for (unsigned i = 0; i < COUNT; i++) {
        a[i] = vt_random(&seed);
        expected[i] = control_reference(op, a[i]);
    }
    struct vt_buffer ba = vt_buffer(vt, sizeof(a), a), br = vt_buffer(vt, sizeof(a), NULL);
    run_op(vt, VT_SPIRV(control), op, 0, (const struct vt_buffer *[]){&ba, &br}, 2, COUNT / 64);
    vt_expect_words(vt, br.map, expected, COUNT, "result");
}

/* ---- dispatches ---- */

struct shape {
    uint32_t local[3], groups[3];
    enum { DIRECT, INDIRECT, BASE } how;
};

static void ids_case(struct vt *vt, const void *argument)
{
    const struct shape *shape = argument;
    uint32_t size[3], total = 1;
    for (unsigned i = 0; i < 3; i++) {
        size[i] = shape->local[i] * shape->groups[i];
        total *= size[i];
    }
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
    VkSpecializationInfo specialization = {3, entries, sizeof(shape->local), shape->local};
    struct vt_compute compute = vt_compute(vt, VT_SPIRV(ids), 1, &specialization);
    struct vt_buffer br = vt_buffer(vt, (total ? total : 1) * 16, NULL), arguments = vt_buffer(vt, 12, shape->groups);
    VkDescriptorSet set = vt_storage_set(vt, compute.set_layout, (const struct vt_buffer *[]){&br}, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &set, 0, NULL);
    if (shape->how == INDIRECT)
        vkCmdDispatchIndirect(commands, arguments.buffer, 0);
    else
        vkCmdDispatch(commands, shape->groups[0], shape->groups[1], shape->groups[2]);
    vt_full_barrier(commands);
    vt_submit(vt, commands);

    const uint32_t(*got)[4] = br.map;
    for (uint32_t at = 0; at < total; at++) {
        uint32_t id[3] = {at % size[0], at / size[0] % size[1], at / size[0] / size[1]}, group[3], in[3];
        for (unsigned i = 0; i < 3; i++) {
            group[i] = id[i] / shape->local[i];
            in[i] = id[i] % shape->local[i];
        }
        uint32_t expected[4] = {id[0] | id[1] << 10 | id[2] << 20, group[0] | group[1] << 10 | group[2] << 20, in[0] | in[1] << 10 | in[2] << 20,
                                (in[2] * shape->local[1] + in[1]) * shape->local[0] + in[0]};
        if (memcmp(got[at], expected, sizeof(expected)) != 0)
            vt_fail(vt, "invocation %u has ids %x %x %x %x, expected %x %x %x %x", at, got[at][0], got[at][1], got[at][2], got[at][3], expected[0],
                    expected[1], expected[2], expected[3]);
    }
}

static void push_case(struct vt *vt, const void *argument)
{
    uint32_t values[32], expected[32 * 32];
    for (unsigned i = 0; i < 32; i++)
        values[i] = i * 0x01010101u + 7;
    for (unsigned i = 0; i < COUNT_OF(expected); i++)
        expected[i] = values[i / 32] + i % 32;
    struct vt_buffer br = vt_buffer(vt, sizeof(expected), NULL);
    vt_run_compute(vt, VT_SPIRV(push), (const struct vt_buffer *[]){&br}, 1, values, sizeof(values), 32, 1, 1);
    vt_expect_words(vt, br.map, expected, COUNT_OF(expected), "push constant");
}

static void address_case(struct vt *vt, const void *argument)
{
    if (!vt->features12.bufferDeviceAddress)
        vt_skip(vt, "no bufferDeviceAddress");
    enum { NODES = 37 };
    struct node {
        uint64_t next;
        uint32_t value, pad;
    } nodes[NODES];
    struct vt_buffer list = vt_buffer(vt, sizeof(nodes), NULL), br = vt_buffer(vt, 256 * 4, NULL);
    uint32_t expected[256];
    for (unsigned i = 0; i < NODES; i++) /* every node is followed by the one seven places on */
        nodes[i] = (struct node){list.address + (i + 7) % NODES * sizeof(nodes[0]), i * i + 3, 0};
    memcpy(list.map, nodes, sizeof(nodes));
    for (unsigned i = 0; i < 256; i++) {
        expected[i] = 0;
        for (unsigned n = 0, at = 0; n <= i % NODES; n++, at = (at + 7) % NODES)
            expected[i] += nodes[at].value;
    }
    struct {
        uint64_t first;
        uint32_t count;
    } push_data = {list.address, NODES};
    vt_run_compute(vt, VT_SPIRV(address), (const struct vt_buffer *[]){&br}, 1, &push_data, 12, 4, 1, 1);
    vt_expect_words(vt, br.map, expected, 256, "sum");
}

#define INT(name, op) {"int." name, int_case, (void *)(intptr_t)(op)}
#define FLOAT(name, op, ulps, absolute) {"float." name, float_case, &(const struct float_op){op, ulps, absolute}}
#define WIDE(name, op) {"int64." name, wide_case, (void *)(intptr_t)(op)}
#define DOUBLE(name, op) {"double." name, double_case, (void *)(intptr_t)(op)}
#define ATOMIC(name, op) {"atomic." name, atomic_case, (void *)(intptr_t)(op)}
#define SHARED(name, op) {"atomic.shared_" name, atomic_case, (void *)(intptr_t)((op) | 16)}
#define IDS(name, ...) {"dispatch." name, ids_case, &(const struct shape)__VA_ARGS__}

const struct vt_case vt_compute_cases[] = {
    INT("add", 0), INT("sub", 1), INT("mul", 2), INT("udiv", 3), INT("umod", 4), INT("sdiv", 5), INT("srem", 6), INT("and", 7), INT("or", 8),
    INT("xor", 9), INT("not", 10), INT("shl", 11), INT("lshr", 12), INT("ashr", 13), INT("umin", 14), INT("umax", 15), INT("smin", 16),
    INT("smax", 17), INT("abs", 18), INT("sign", 19), INT("bit_count", 20), INT("bit_reverse", 21), INT("find_lsb", 22), INT("find_umsb", 23),
    INT("find_smsb", 24), INT("bitfield_uextract", 25), INT("bitfield_sextract", 26), INT("bitfield_insert", 27), INT("umul_extended", 28),
    INT("imul_extended", 29), INT("add_carry", 30), INT("sub_borrow", 31), INT("ult", 32), INT("slt", 33), INT("uclamp", 34), INT("sclamp", 35),
    INT("neg", 36), INT("select", 37),
    FLOAT("add", 0, 0.5, 0), FLOAT("sub", 1, 0.5, 0), FLOAT("mul", 2, 0.5, 0), FLOAT("div", 3, 2.5, 0), FLOAT("fma", 4, 2, 1e-3),
    FLOAT("sqrt", 5, 4, 0), FLOAT("inversesqrt", 6, 2, 0), FLOAT("exp2", 7, 6, 0), FLOAT("log2", 8, 3, 5e-7), FLOAT("sin", 9, 0, 0x1p-11),
    FLOAT("cos", 10, 0, 0x1p-11), FLOAT("floor", 11, 0, 0), FLOAT("ceil", 12, 0, 0), FLOAT("trunc", 13, 0, 0), FLOAT("round_even", 14, 0, 0),
    FLOAT("fract", 15, 1, 6e-8), FLOAT("min", 16, 0, 0), FLOAT("max", 17, 0, 0), FLOAT("clamp", 18, 0, 0), FLOAT("mix", 19, 3, 4e-5),
    FLOAT("step", 20, 0, 0), FLOAT("smoothstep", 21, 8, 1e-6), FLOAT("abs", 22, 0, 0), FLOAT("sign", 23, 0, 0), FLOAT("mod", 24, 0, 2e-2),
    FLOAT("ldexp", 25, 0, 0), FLOAT("frexp", 26, 1, 0), FLOAT("to_int", 27, 0, 0), FLOAT("to_uint", 28, 0, 0), FLOAT("select", 29, 0, 0),
    FLOAT("pack_half", 30, 0, 1), FLOAT("unpack_half", 43, 0, 0), FLOAT("unorm8_round_trip", 31, 2, 0.0040), FLOAT("snorm16_round_trip", 32, 2, 0.0000611),
    FLOAT("length", 33, 6, 0), FLOAT("dot", 34, 4, 4e-3), FLOAT("atan2", 35, 4096, 1e-6), FLOAT("pow", 36, 64, 0), FLOAT("exp", 37, 10, 0),
    FLOAT("log", 38, 3, 1e-6), FLOAT("tan", 39, 64, 0x1p-10), FLOAT("asin", 40, 0, 0.001), FLOAT("mat2_vec2", 41, 2, 1e-2), FLOAT("bit_cast", 42, 0, 0),
    WIDE("add", 0), WIDE("sub", 1), WIDE("mul", 2), WIDE("udiv", 3), WIDE("shl", 4), WIDE("lshr", 5), WIDE("ashr", 6), WIDE("logic", 7), WIDE("ult", 8),
    WIDE("slt", 9), WIDE("umod", 10),
    DOUBLE("add", 0), DOUBLE("mul", 1), DOUBLE("div", 2), DOUBLE("fma", 3), DOUBLE("sqrt", 4), DOUBLE("floor", 5), DOUBLE("to_float", 6),
    DOUBLE("to_int", 7), DOUBLE("min", 8),
    {"narrow_storage", narrow_case, NULL},
    {"narrow_storage up to the end", narrow_end_case, &(const uint32_t){64}},
    {"narrow_storage up to the end, 4 of 64", narrow_end_case, &(const uint32_t){4}},
    ATOMIC("add", 0), ATOMIC("umin", 1), ATOMIC("umax", 2), ATOMIC("min_shifted", 3), ATOMIC("and", 4), ATOMIC("or", 5), ATOMIC("xor", 6),
    ATOMIC("comp_swap", 7), ATOMIC("exchange", 8),
    SHARED("add", 0), SHARED("umin", 1), SHARED("umax", 2), SHARED("min_shifted", 3), SHARED("and", 4), SHARED("or", 5), SHARED("xor", 6),
    {"shared.reduce_64", reduce_case, (void *)64}, {"shared.reduce_128", reduce_case, (void *)128}, {"shared.reduce_256", reduce_case, (void *)256},
    {"shared.reduce_1024", reduce_case, (void *)1024},
    {"control.collatz", control_case, (void *)0}, {"control.nested_loops", control_case, (void *)1}, {"control.switch", control_case, (void *)2},
    {"control.private_array", control_case, (void *)3}, {"control.early_return", control_case, (void *)4},
    IDS("one_invocation", {{1, 1, 1}, {1, 1, 1}, DIRECT}), IDS("one_dimension", {{64, 1, 1}, {7, 1, 1}, DIRECT}),
    IDS("two_dimensions", {{8, 8, 1}, {3, 5, 1}, DIRECT}), IDS("three_dimensions", {{4, 2, 3}, {3, 2, 4}, DIRECT}),
    IDS("odd_size", {{7, 3, 1}, {5, 2, 1}, DIRECT}), IDS("largest_group", {{32, 32, 1}, {2, 1, 1}, DIRECT}),
    IDS("deep", {{1, 1, 64}, {2, 2, 2}, DIRECT}), IDS("many_groups", {{32, 1, 1}, {1023, 1, 1}, DIRECT}),
    IDS("indirect", {{8, 4, 1}, {3, 4, 2}, INDIRECT}), IDS("indirect_empty", {{8, 4, 1}, {0, 4, 2}, INDIRECT}),
    IDS("empty", {{64, 1, 1}, {3, 0, 1}, DIRECT}),
    {"push_constants", push_case, NULL},
    {"buffer_device_address", address_case, NULL},
};
const size_t vt_compute_count = COUNT_OF(vt_compute_cases);
