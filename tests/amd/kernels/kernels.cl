/* Kernels that somebody else's compiler turns into GFX10.3 code: each exercises a corner of the executor, and run.c computes the same on the
 * host. There is no library on the device: ids come from builtins. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned char uchar;
typedef unsigned short ushort;

#define GROUP 64
#define GLOBAL_ID (__builtin_amdgcn_workgroup_id_x() * GROUP + __builtin_amdgcn_workitem_id_x())
#define KERNEL __attribute__((reqd_work_group_size(GROUP, 1, 1))) kernel void
#define BARRIER()                                                                                                      \
    do {                                                                                                               \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                                         \
        __builtin_amdgcn_s_barrier();                                                                                  \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                                                         \
    } while (0)

KERNEL integer_hash(global uint *out, global const uint *in, uint rounds)
{
    uint id = GLOBAL_ID;
    uint x = in[id];
    for (uint i = 0; i < rounds; i++) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
        x += i;
    }
    out[id] = x;
}

KERNEL integer_mix(global uint *out, global const uint *in, uint n)
{
    uint id = GLOBAL_ID;
    uint a = in[id], b = in[id ^ 1];
    int sa = (int)a, sb = (int)(b | 1);
    uint r = a / (b | 1);
    r ^= a % (b | 1);
    r += (uint)(sa / sb) ^ (uint)(sa % sb);
    r ^= (uint)(((ulong)a * b) >> 32);
    r += (uint)(((long)sa * sb) >> 32);
    r ^= __builtin_popcount(a) | (b ? __builtin_clz(b) : 32) << 8 | (a ? __builtin_ctz(a) : 32) << 16;
    r += (sa >> (b & 31)) ^ (a << (b & 31)) ^ (a >> (b & 31));
    r ^= __builtin_bswap32(a) + __builtin_bitreverse32(b);
    r += sa < sb ? 3 : 5;
    r ^= a > b ? a - b : b - a;
    out[id] = r + n;
}

KERNEL integer_64(global ulong *out, global const ulong *in, uint n)
{
    uint id = GLOBAL_ID;
    ulong a = in[id], b = in[id ^ 3];
    long sa = (long)a;
    ulong r = a + b;
    r ^= a * b;
    r += a / (b | 1);
    r ^= (ulong)(sa >> (b & 63));
    r += a << (b & 63);
    r ^= a > b ? a - b : 7;
    r += (ulong)(sa / (long)(b | 1));
    out[id] = r + n;
}

KERNEL narrow_types(global uchar *out8, global const uchar *in8, global ushort *out16, global const short *in16)
{
    uint id = GLOBAL_ID;
    uchar a = in8[id], b = in8[id ^ 5];
    out8[id] = (uchar)(a * 3 + (b >> 2) - (a ^ b));
    short c = in16[id], d = in16[id ^ 2];
    out16[id] = (ushort)((c * d) + (c >> 3) - (short)(d < c ? c : d));
}

KERNEL float_arithmetic(global float *out, global const float *in, float k)
{
    uint id = GLOBAL_ID;
    float a = in[id], b = in[id ^ 1];
    float r = __builtin_fmaf(a, b, k);
    r += a * b - k;
    r = r > 10.0f ? r * 0.5f : -r;
    r += __builtin_floorf(a) + __builtin_truncf(b) + __builtin_ceilf(a * 0.25f) + __builtin_rintf(b * 1.5f);
    r += __builtin_fminf(a, b) - __builtin_fmaxf(a, k);
    r += (float)(int)(a * 8.0f) + (float)(uint)(__builtin_fabsf(b) * 8.0f);
    out[id] = r;
}

KERNEL float_division(global float *out, global const float *in, float k)
{
    uint id = GLOBAL_ID;
    out[id] = in[id] / in[id ^ 1] + k;
}

KERNEL double_arithmetic(global double *out, global const double *in, double k)
{
    uint id = GLOBAL_ID;
    double a = in[id], b = in[id ^ 1];
    double r = __builtin_fma(a, b, k) + a / b - b * k;
    r += (double)(int)(a * 16.0) + (double)(float)b;
    r += a < b ? __builtin_floor(a) : __builtin_trunc(b);
    out[id] = r;
}

KERNEL half_arithmetic(global half *out, global const half *in, float k)
{
    uint id = GLOBAL_ID;
    half a = in[id], b = in[id ^ 1];
    half h = (half)k;
    out[id] = a * b + h - (a > b ? a : b);
}

KERNEL divergent_loop(global uint *out, global const uint *in, uint limit)
{
    uint id = GLOBAL_ID;
    uint x = in[id] & 0xffff, steps = 0;
    while (x != 1 && steps < limit) {
        if (x & 1)
            x = 3 * x + 1;
        else
            x >>= 1;
        if (x == 0)
            break;
        steps++;
    }
    out[id] = steps << 16 ^ x;
}

KERNEL divergent_switch(global uint *out, global const uint *in, uint n)
{
    uint id = GLOBAL_ID, x = in[id], r = n;
    for (uint i = 0; i < 8; i++) {
        switch ((x >> (i * 4)) & 7) {
        case 0: r += x; break;
        case 1: r ^= x * 5; continue;
        case 2: r = r << 3 | r >> 29; break;
        case 3: if (r & 1) goto done; r -= 11; break;
        case 4: r *= 9; break;
        default: r += i; break;
        }
        r ^= i << 7;
    }
done:
    out[id] = r;
}

KERNEL lds_reverse(global uint *out, global const uint *in, uint n)
{
    local uint tile[GROUP];
    uint lane = __builtin_amdgcn_workitem_id_x(), id = GLOBAL_ID;
    tile[lane] = in[id] * n;
    BARRIER();
    out[id] = tile[GROUP - 1 - lane];
}

/* Four waves of 64, or eight of 32: the barrier really has to hold waves back. */
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void lds_scan(global uint *out, global const uint *in, uint n)
{
    local uint tile[2][256];
    uint lane = __builtin_amdgcn_workitem_id_x(), id = __builtin_amdgcn_workgroup_id_x() * 256 + lane;
    uint at = 0;
    tile[0][lane] = in[id] + n;
    BARRIER();
    for (uint step = 1; step < 256; step <<= 1) {
        uint sum = tile[at][lane];
        if (lane >= step)
            sum += tile[at][lane - step];
        at ^= 1;
        tile[at][lane] = sum;
        BARRIER();
    }
    out[id] = tile[at][lane];
}

KERNEL atomics(global uint *out, global const uint *in, uint n)
{
    local uint sum, low;
    uint lane = __builtin_amdgcn_workitem_id_x(), id = GLOBAL_ID;
    if (lane == 0) {
        sum = 0;
        low = 0xffffffffu;
    }
    BARRIER();
    __atomic_fetch_add(&sum, in[id] & 0xff, __ATOMIC_RELAXED);
    __atomic_fetch_min(&low, in[id], __ATOMIC_RELAXED);
    BARRIER();
    __atomic_fetch_add(&out[0], in[id] & 0xffff, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&out[1], in[id], __ATOMIC_RELAXED);
    __atomic_fetch_max(&out[2], in[id], __ATOMIC_RELAXED);
    __atomic_fetch_or(&out[3], 1u << (in[id] & 31), __ATOMIC_RELAXED);
    if (lane == 0) {
        __atomic_fetch_add(&out[4], sum, __ATOMIC_RELAXED);
        __atomic_fetch_add(&out[5], low >> 8, __ATOMIC_RELAXED);
    }
}

__attribute__((noinline)) static uint power(uint base, uint exponent)
{
    uint r = 1;
    while (exponent) {
        if (exponent & 1)
            r *= base;
        base *= base;
        exponent >>= 1;
    }
    return r;
}

KERNEL function_call(global uint *out, global const uint *in, uint n)
{
    uint id = GLOBAL_ID;
    out[id] = power(in[id] | 1, id & 63) + power(n, in[id] & 15);
}

/* An array that cannot live in registers: private memory. */
KERNEL scratch_array(global uint *out, global const uint *in, uint n)
{
    uint id = GLOBAL_ID;
    volatile uint table[40];
    for (uint i = 0; i < 40; i++)
        table[i] = in[(id + i) & 1023] ^ i;
    uint r = 0, at = n;
    for (uint i = 0; i < 40; i++) {
        at = (table[at % 40] + i) % 40;
        r = r * 31 + table[at];
    }
    out[id] = r;
}

/* Private memory by 64 and 128 bits, through pointers that may be private or not. */
KERNEL scratch_wide(global uint *out, global const uint *in, uint n)
{
    uint id = GLOBAL_ID;
    volatile ulong2 table[12];
    for (uint i = 0; i < 12; i++)
        table[i] = (ulong2)((ulong)in[(id + i) & 1023] << 20 ^ i, (ulong)in[(id + 2 * i) & 1023] * 7);
    volatile ulong *words = (volatile ulong *)table;
    ulong r = 0, at = n;
    for (uint i = 0; i < 24; i++) {
        at = (words[at % 24] + i) % 24;
        r = r * 31 + words[at];
    }
    out[id] = (uint)(r ^ r >> 32);
}

KERNEL wave_operations(global uint *out, global const uint *in, uint n)
{
    uint id = GLOBAL_ID;
    uint x = in[id];
    uint r = __builtin_amdgcn_readfirstlane(x);
    r ^= __builtin_amdgcn_ds_bpermute((int)(((id ^ 7) & 31) << 2), (int)x);
    r += (uint)__builtin_amdgcn_ds_swizzle((int)x, 0x041f);      /* lane ^ 1 */
    r ^= (uint)__builtin_amdgcn_mov_dpp((int)x, 0x1b, 0xf, 0xf, 0); /* quad_perm 3,2,1,0 */
    out[id] = r + n;
}

kernel void saxpy(global float *y, global const float *x, float a)
{
    uint id = GLOBAL_ID;
    y[id] = a * x[id] + y[id];
}
