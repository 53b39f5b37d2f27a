/* How fast the shader core executes: lane operations a second of loops of ten instructions, on one worker and on all.
 * The programs are assembled here, so that what is measured is what is written. Time is CPU time of the process for one
 * worker and wall time for all of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "amd/isa/asm.h"
#include "amd/model/spi/spi_compute.h"
#include "model/workers.h"
#include "util/bits.h"

#define BASE_VA 0x100000000ull
#define SIZE_B (1u << 20)
#define ROUNDS 20000u
#define REPEATS 5

struct loop {
    const char *name;
    unsigned vector_ops; /* lane operations of one round: vector instructions in `body` */
    const char *body;
};

static const struct loop loops[] = {
    {"v_fma_f32", 7,
     "v_fma_f32 v1, v8, v9, v2\nv_fma_f32 v2, v9, v10, v3\nv_fma_f32 v3, v10, v11, v4\nv_fma_f32 v4, v11, v12, v5\n"
     "v_fma_f32 v5, v12, v13, v6\nv_fma_f32 v6, v13, v14, v7\nv_fma_f32 v7, v14, v15, v1\n"},
    {"v_fma_f32, some lanes off", 7,
     "v_fma_f32 v1, v8, v9, v2\nv_fma_f32 v2, v9, v10, v3\nv_fma_f32 v3, v10, v11, v4\nv_fma_f32 v4, v11, v12, v5\n"
     "v_fma_f32 v5, v12, v13, v6\nv_fma_f32 v6, v13, v14, v7\nv_fma_f32 v7, v14, v15, v1\n"},
    {"v_fma_f32 with a scalar and neg", 7,
     "v_fma_f32 v1, -v8, s9, v2\nv_fma_f32 v2, -v9, s9, v3\nv_fma_f32 v3, -v10, s9, v4\nv_fma_f32 v4, -v11, s9, v5\n"
     "v_fma_f32 v5, -v12, s9, v6\nv_fma_f32 v6, -v13, s9, v7\nv_fma_f32 v7, -v14, s9, v1\n"},
    {"integer mix", 7,
     "v_xor_b32 v1, v1, v2\nv_mul_lo_u32 v1, v1, v8\nv_lshrrev_b32 v2, 15, v1\nv_add_nc_u32 v3, v1, v2\n"
     "v_and_b32 v4, v3, v1\nv_lshl_add_u32 v5, v4, 3, v3\nv_bfe_u32 v6, v5, 4, 8\n"},
    {"compare and select", 6,
     "v_cmp_gt_f32 vcc, v1, v2\nv_cndmask_b32 v3, v1, v2, vcc\nv_cmp_lt_u32 vcc, v3, v4\nv_cndmask_b32 v1, v4, v3, "
     "vcc\n"
     "v_max_f32 v2, v1, v3\nv_min_f32 v4, v2, v3\ns_nop 0\n"},
    {"v_exp_f32, v_rcp_f32, v_sqrt_f32", 7,
     "v_exp_f32 v1, v2\nv_rcp_f32 v2, v1\nv_sqrt_f32 v3, v1\nv_exp_f32 v4, v3\nv_rcp_f32 v5, v4\nv_sqrt_f32 v6, "
     "v4\nv_log_f32 v7, v4\n"},
};

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool assemble_loop(const struct loop *loop, unsigned wave, uint8_t *memory)
{
    char text[4096];
    snprintf(text, sizeof(text),
             "%ss_mov_b32 s8, 0\ns_mov_b32 s9, 0x3f000000\nagain:\n%ss_add_u32 s8, s8, 1\ns_cmp_lt_u32 s8, "
             "0x%x\ns_cbranch_scc1 again\ns_endpgm\n",
             strstr(loop->name, "off") ? "s_mov_b32 exec_lo, 0x0fffffff\n" : "", loop->body, ROUNDS);
    if (wave == 32) { /* vcc is one register there */
        for (char *at; (at = strstr(text, "vcc,")) || (at = strstr(text, "vcc\n"));) {
            memmove(at + 6, at + 3, strlen(at + 3) + 1);
            memcpy(at, "VCC_LO", 6);
        }
        for (char *at; (at = strstr(text, "VCC_LO"));)
            memcpy(at, "vcc_lo", 6);
    }
    struct isa_asm_result result;
    bool ok = amd_isa_assemble(ISA_GFX10_3, wave, text, strlen(text), &result);
    if (ok)
        memcpy(memory, result.words, result.count_dw * 4);
    else
        fprintf(stderr, "%s: line %u: %s\n", loop->name, result.errors[0].line, result.errors[0].message);
    amd_isa_asm_finish(&result);
    return ok;
}

/* Billions of lane operations a second: the best of some runs, for a slower one was disturbed. */
static double measure_rate(struct spi *spi, const struct gpu_space *space, const struct loop *loop, unsigned wave,
                           unsigned groups, clockid_t clock)
{
    struct spi_compute_state state = {.program_va = BASE_VA,
                                      .rsrc1 = 31 | 0xc0u << 12,
                                      .num_thread = {wave, 1, 1},
                                      .dim = {groups, 1, 1},
                                      .initiator = 1 | 1 << 2 | (wave == 32 ? 1u << 15 : 0)};
    _Atomic bool killed = false;
    struct sq_fault fault;
    double best = 0;
    for (unsigned i = 0; i < REPEATS; i++) {
        amd_spi_invalidate_code(spi);
        double start = now(clock);
        if (!amd_spi_run_compute(spi, space, &state, &killed, &fault)) {
            fprintf(stderr, "%s: %s\n", loop->name, fault.why);
            exit(1);
        }
        double rate = (double)ROUNDS * loop->vector_ops * wave * groups / (now(clock) - start) * 1e-9;
        best = MAX2(best, rate);
    }
    return best;
}

int main(void)
{
    struct gpu_space space;
    int fd = memfd_create("bench", 0);
    if (fd < 0 || ftruncate(fd, SIZE_B) != 0 ||
        gpu_space_init(&space, &(struct gpu_extent){BASE_VA, SIZE_B}, 1) != 0 ||
        gpu_space_map_file(&space, BASE_VA, SIZE_B, fd, 0, GPU_PERM_RWX) != 0)
        return 1;
    uint8_t *memory = gpu_space_pointer(&space, BASE_VA, SIZE_B, GPU_PERM_RWX);
    struct workers *one = workers_create(1), *all = workers_create(0);
    struct spi *spi_one = amd_spi_create(one), *spi_all = amd_spi_create(all);

    printf("%-34s %5s %10s %10s   Glaneop/s (one core by CPU time; %u workers by wall time)\n", "loop", "wave", "one",
           "all", workers_count(all));
    for (unsigned i = 0; i < ARRAY_SIZE(loops); i++) {
        for (unsigned wave = 32; wave <= 64; wave += 32) {
            if (!assemble_loop(&loops[i], wave, memory))
                return 1;
            double rate_one = measure_rate(spi_one, &space, &loops[i], wave, 4, CLOCK_PROCESS_CPUTIME_ID);
            double rate_all = measure_rate(spi_all, &space, &loops[i], wave, 4 * workers_count(all), CLOCK_MONOTONIC);
            printf("%-34s %5u %10.2f %10.2f\n", loops[i].name, wave, rate_one, rate_all);
        }
    }
    amd_spi_destroy(spi_one);
    amd_spi_destroy(spi_all);
    workers_destroy(one);
    workers_destroy(all);
    gpu_space_finish(&space);
    close(fd);
    return 0;
}
