/* The compute scenes: rates of plain kernels. All values are small whole numbers, so that every sum is exact and a
 * check needs no tolerance. Not for: drawing (graphics.c). */
#include "bench.h"

#include <stdlib.h>

#include "bench_hash_comp.h"
#include "bench_hgemm_comp.h"
#include "bench_igemm_comp.h"
#include "bench_reduce_comp.h"
#include "bench_saxpy_comp.h"
#include "bench_sgemm_comp.h"
#include "bench_sgemm_tiled_comp.h"

#define VECTOR (4u << 20)      /* floats of saxpy */
#define MATRIX 512u            /* rows and columns of sgemm */
#define HASHES (64u << 10)     /* invocations of hash */
#define HASH_ROUNDS 512u       /* of each */
#define REDUCED (4u << 20)     /* numbers of reduce */
#define REDUCED_BY_GROUP 4096u /* as reduce.comp says */

static struct bench_buffer buffers[3]; /* of the scene; a process has one */

static void run_once(struct bench *b, struct bench_spirv code, uint32_t count, const void *push, uint32_t push_B,
                     uint32_t x, uint32_t y)
{
    struct bench_compute compute = bench_compute(b, code, buffers, count, push_B);
    bench_begin(b);
    bench_dispatch(b, &compute, push, push_B, x, y, 1);
    bench_barrier(b->commands);
    bench_end(b);
}

static const void *result(struct bench *b, uint32_t index)
{
    return bench_result(b, buffers[index].map, buffers[index].size_B);
}

/* A buffer of floats or of integers from 0 to `most`. */
static struct bench_buffer numbers(struct bench *b, uint32_t count, uint32_t most, bool as_float, uint64_t seed)
{
    uint32_t *values = malloc((size_t)count * sizeof(*values));
    bench_need(values != NULL, "memory for the numbers");
    for (uint32_t i = 0; i < count; i++) {
        values[i] = bench_random(&seed) % (most + 1);
        if (as_float)
            ((float *)values)[i] = (float)values[i];
    }
    struct bench_buffer buffer = bench_buffer(b, (VkDeviceSize)count * sizeof(*values), values);
    free(values);
    return buffer;
}

/* ---- saxpy ---- */

static void prepare_saxpy(struct bench *b)
{
    struct {
        float a;
        uint32_t count;
    } push = {1, VECTOR};
    buffers[0] = numbers(b, VECTOR, 7, true, 1);
    buffers[1] = bench_buffer(b, VECTOR * sizeof(float), NULL);
    ((float *)buffers[0].map)[0] = 1;
    run_once(b, BENCH_SPIRV(bench_saxpy_comp), 2, &push, sizeof(push), VECTOR / 256, 1);
    b->work = 12.0 * VECTOR; /* two reads and a write */
}

/* y was zero and x[0] is one: y[0] counts the submissions. */
static bool check_saxpy(struct bench *b)
{
    const float *x = buffers[0].map, *y = result(b, 1);
    bool right = y[0] == (float)b->runs;
    for (uint32_t i = 0; i < VECTOR && right; i++)
        right = y[i] == x[i] * y[0];
    return right;
}

/* ---- sgemm ---- */

static void prepare_matrices(struct bench *b, struct bench_spirv code)
{
    uint32_t size = MATRIX;
    buffers[0] = numbers(b, MATRIX * MATRIX, 7, true, 1);
    buffers[1] = numbers(b, MATRIX * MATRIX, 7, true, 2);
    buffers[2] = bench_buffer(b, MATRIX * MATRIX * sizeof(float), NULL);
    run_once(b, code, 3, &size, sizeof(size), MATRIX / 16, MATRIX / 16);
    b->work = 2.0 * MATRIX * MATRIX * MATRIX;
}

static void prepare_sgemm(struct bench *b)
{
    prepare_matrices(b, BENCH_SPIRV(bench_sgemm_comp));
}

static void prepare_sgemm_tiled(struct bench *b)
{
    prepare_matrices(b, BENCH_SPIRV(bench_sgemm_tiled_comp));
}

static bool check_sgemm(struct bench *b)
{
    const float *left = buffers[0].map, *right = buffers[1].map, *product = result(b, 2);
    for (uint32_t row = 0; row < MATRIX; row++) {
        uint32_t column = row * 7 % MATRIX; /* one of each row will do */
        float sum = 0;
        for (uint32_t k = 0; k < MATRIX; k++)
            sum += left[row * MATRIX + k] * right[k * MATRIX + column];
        if (product[row * MATRIX + column] != sum)
            return false;
    }
    return true;
}

/* ---- products of narrow numbers ---- */

/* Words of `count` numbers each, from 0 to `most`; `one` is the code of 1 where numbers are codes. */
static struct bench_buffer packed(struct bench *b, uint32_t words, uint32_t count, uint32_t most, uint32_t one,
                                  uint64_t seed)
{
    uint32_t *values = calloc(words, sizeof(*values));
    bench_need(values != NULL, "memory for the numbers");
    for (uint32_t i = 0; i < words * count; i++)
        values[i / count] |= bench_random(&seed) % (most + 1) * one << i % count * (32 / count);
    struct bench_buffer buffer = bench_buffer(b, (VkDeviceSize)words * sizeof(*values), values);
    free(values);
    return buffer;
}

static void prepare_narrow(struct bench *b, struct bench_spirv code, uint32_t count, uint32_t most, uint32_t one)
{
    uint32_t size = MATRIX;
    buffers[0] = packed(b, MATRIX * MATRIX / count, count, most, one, 1);
    buffers[1] = packed(b, MATRIX * MATRIX / count, count, most, one, 2);
    buffers[2] = bench_buffer(b, MATRIX * MATRIX * sizeof(uint32_t), NULL);
    run_once(b, code, 3, &size, sizeof(size), MATRIX / 128, MATRIX);
    b->work = 2.0 * MATRIX * MATRIX * MATRIX;
}

static void prepare_igemm(struct bench *b)
{
    bench_close(b);
    bench_open_narrow(b, true, false);
    prepare_narrow(b, BENCH_SPIRV(bench_igemm_comp), 4, 7, 1);
}

/* Zeros and ones: a half holds every whole number up to 2048. */
static void prepare_hgemm(struct bench *b)
{
    bench_close(b);
    bench_open_narrow(b, false, true);
    prepare_narrow(b, BENCH_SPIRV(bench_hgemm_comp), 2, 1, 0x3c00);
}

/* The sum of products of a row's and a column's codes. */
static uint32_t narrow_sum(uint32_t row, uint32_t column, uint32_t count, uint32_t one)
{
    const uint32_t *left = buffers[0].map, *right = buffers[1].map, mask = count == 4 ? 0xff : 0xffff;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < MATRIX; k++) {
        const uint32_t shift = k % count * (32 / count), word = k / count;
        sum += (left[row * (MATRIX / count) + word] >> shift & mask) / one *
               ((right[word * MATRIX + column] >> shift & mask) / one);
    }
    return sum;
}

static bool check_igemm(struct bench *b)
{
    const uint32_t *product = result(b, 2);
    for (uint32_t row = 0; row < MATRIX; row++) {
        uint32_t column = row * 7 % MATRIX;
        if (product[row * MATRIX + column] != narrow_sum(row, column, 4, 1))
            return false;
    }
    return true;
}

static bool check_hgemm(struct bench *b)
{
    const float *product = result(b, 2);
    for (uint32_t row = 0; row < MATRIX; row++) {
        uint32_t column = row * 7 % MATRIX;
        if (product[row * MATRIX + column] != (float)narrow_sum(row, column, 2, 0x3c00))
            return false;
    }
    return true;
}

/* ---- hash ---- */

static void prepare_hash(struct bench *b)
{
    uint32_t rounds = HASH_ROUNDS;
    buffers[0] = bench_buffer(b, HASHES * sizeof(uint32_t), NULL);
    run_once(b, BENCH_SPIRV(bench_hash_comp), 1, &rounds, sizeof(rounds), HASHES / 64, 1);
    b->work = 9.0 * HASHES * HASH_ROUNDS;
}

static bool check_hash(struct bench *b)
{
    const uint32_t *hashes = result(b, 0);
    for (uint32_t i = 0; i < HASHES; i += 61) {
        uint32_t x = i;
        for (uint32_t round = 0; round < HASH_ROUNDS; round++) {
            x ^= x >> 16;
            x *= 0x7feb352du;
            x ^= x >> 15;
            x *= 0x846ca68bu;
            x ^= x >> 16;
            x += round;
        }
        if (hashes[i] != x)
            return false;
    }
    return true;
}

/* ---- reduce ---- */

static void prepare_reduce(struct bench *b)
{
    buffers[0] = numbers(b, REDUCED, 255, false, 1);
    buffers[1] = bench_buffer(b, REDUCED / REDUCED_BY_GROUP * sizeof(uint32_t), NULL);
    run_once(b, BENCH_SPIRV(bench_reduce_comp), 2, NULL, 0, REDUCED / REDUCED_BY_GROUP, 1);
    b->work = 4.0 * REDUCED;
}

static bool check_reduce(struct bench *b)
{
    const uint32_t *values = buffers[0].map, *sums = result(b, 1);
    for (uint32_t group = 0; group < REDUCED / REDUCED_BY_GROUP; group++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < REDUCED_BY_GROUP; i++)
            sum += values[group * REDUCED_BY_GROUP + i];
        if (sums[group] != sum)
            return false;
    }
    return true;
}

const struct bench_scene bench_compute_scenes[] = {
    {"saxpy", "B/s", "y = a * x + y of 4 Mi floats, bytes read and written", prepare_saxpy, check_saxpy},
    {"sgemm", "FLOP/s", "a product of 512x512 matrices, a row and a column read by each invocation", prepare_sgemm,
     check_sgemm},
    {"sgemm_tiled", "FLOP/s", "the same by tiles of 16x16 in shared memory", prepare_sgemm_tiled, check_sgemm},
    {"igemm", "op/s", "a product of 512x512 matrices of bytes, a row shared in a subgroup", prepare_igemm, check_igemm},
    {"hgemm", "FLOP/s", "the same of halves", prepare_hgemm, check_hgemm},
    {"hash", "op/s", "512 rounds of nine integer operations in each of 65,536 invocations", prepare_hash, check_hash},
    {"reduce", "B/s", "sums of 4,096 numbers by a tree in shared memory, bytes read", prepare_reduce, check_reduce},
    {0},
};
