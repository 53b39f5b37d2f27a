/* In processor time: nanoseconds per texel of the two forms of the address, and bytes per second of the copies. */
#include "amd/hw/tiling/tests/tiling_sample.h"
#include <stdlib.h>
#include <time.h>

#define EXTENT 2048u
#define ROUNDS 8

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static volatile uint64_t sink;

static double scalar_ns(const struct amd_surface *surface)
{
    double start = now_s();
    uint64_t sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t y = 0; y < EXTENT; y++) {
            for (uint32_t x = 0; x < EXTENT; x++)
                sum += amd_tiling_offset(surface, x ^ round, y ^ x, 0, 0, 0);
        }
    }
    sink = sum;
    return (now_s() - start) * 1e9 / ((double)ROUNDS * EXTENT * EXTENT);
}

static double table_ns(const struct amd_tiling_table *table)
{
    double start = now_s();
    uint64_t sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t y = 0; y < EXTENT; y++) {
            for (uint32_t x = 0; x < EXTENT; x++)
                sum += amd_tiling_table_offset(table, x ^ round, y ^ x, 0, 0, 0);
        }
    }
    sink = sum;
    return (now_s() - start) * 1e9 / ((double)ROUNDS * EXTENT * EXTENT);
}

static double row_ns(const struct amd_tiling_table *table)
{
    double start = now_s();
    uint64_t sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint32_t y = 0; y < EXTENT; y++) {
            struct amd_tiling_row row = amd_tiling_row(table, y, 0, 0, 0);
            for (uint32_t x = 0; x < EXTENT; x++)
                sum += amd_tiling_row_offset(table, &row, x ^ round);
        }
    }
    sink = sum;
    return (now_s() - start) * 1e9 / ((double)ROUNDS * EXTENT * EXTENT);
}

static void bench_mode(const struct amd_tiling_config *config, enum amd_swizzle swizzle, unsigned element_B)
{
    struct amd_surface_desc desc = {.swizzle = swizzle,
                                    .dim = AMD_DIM_2D,
                                    .width = EXTENT,
                                    .height = EXTENT,
                                    .slices = 1,
                                    .element_B = element_B,
                                    .samples = 1,
                                    .levels = 1};
    static struct amd_surface surface;
    static struct amd_tiling_table table;
    struct amd_tiling_rect rect = {.width = EXTENT, .height = EXTENT};
    if (!amd_surface_init(&surface, config, &desc))
        return;
    double start = now_s();
    amd_tiling_table_init(&table, &surface);
    double init_us = (now_s() - start) * 1e6;
    size_t size_B = (size_t)EXTENT * EXTENT * element_B;
    uint8_t *linear = malloc(size_B), *tiled = malloc(surface.size_B);
    if (!linear || !tiled)
        abort();
    memset(linear, 1, size_B);
    memset(tiled, 2, surface.size_B);
    start = now_s();
    for (unsigned i = 0; i < ROUNDS; i++)
        amd_tiling_tile(&surface, &rect, tiled, linear, (size_t)EXTENT * element_B);
    double tile_s = (now_s() - start) / ROUNDS;
    start = now_s();
    for (unsigned i = 0; i < ROUNDS; i++)
        amd_tiling_detile(&surface, &rect, linear, (size_t)EXTENT * element_B, tiled);
    double detile_s = (now_s() - start) / ROUNDS;
    printf("%-9s %2u B: offset %.2f ns, table %.2f ns, row %.2f ns a texel; table made in %.1f us; tile %.2f, detile "
           "%.2f GB/s\n",
           amd_swizzle_info(swizzle)->name, element_B, scalar_ns(&surface), table_ns(&table), row_ns(&table), init_us,
           (double)size_B * 1e-9 / tile_s, (double)size_B * 1e-9 / detile_s);
    free(linear);
    free(tiled);
}

int main(void)
{
    struct amd_tiling_config config;
    if (!amd_tiling_config_init(&config, 0x444))
        return 1;
    bench_mode(&config, AMD_SW_LINEAR, 4);
    bench_mode(&config, AMD_SW_64KB_S_X, 4);
    bench_mode(&config, AMD_SW_64KB_R_X, 1);
    bench_mode(&config, AMD_SW_64KB_R_X, 4);
    bench_mode(&config, AMD_SW_64KB_R_X, 16);
    bench_mode(&config, AMD_SW_64KB_Z_X, 4);
    bench_mode(&config, AMD_SW_VAR_R_X, 4);
    return 0;
}
