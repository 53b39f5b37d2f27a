/* The cost of every vector ALU kernel by itself: nanoseconds of one wave64 instruction, with all lanes active and
 * with some off, the slowest first. It finds kernels that the compiler made no vectors of. An argument keeps only
 * the rows whose name begins with it. Not for: the cost of whole programs (executor.c). */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amd/model/sq/sq_alu.h"
#include "amd/model/sq/sq_mode.h"
#include "util/bits.h"

#define ROWS 64
#define CALLS 2000u
#define REPEATS 5
#define MODE (0xc0u | 1u << 8) /* what RADV sets: f32 flushed, f16 and f64 not, DX10_CLAMP */

struct cost {
    const char *name;
    double full_ns, partial_ns;
};

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static sq_place row(unsigned index)
{
    return (sq_place)(offsetof(struct sq_wave, vgpr) + index * 64 * 4);
}

static sq_place scalar(unsigned index)
{
    return (sq_place)(offsetof(struct sq_wave, sgpr) + index * 4);
}

/* Ordinary numbers of the operand's type, so that no kernel is measured on its rare cases alone. */
static void fill_source(struct sq_wave *wave, unsigned first, unsigned type)
{
    for (unsigned lane = 0; lane < 64; lane++) {
        uint32_t *at = &wave->vgpr[first * 64 + lane];
        double real = 0.25 + lane * 0.37;
        float single = (float)real;
        uint64_t wide;
        memcpy(&wide, &real, sizeof(wide));
        switch (type) {
        case ISA_TYPE_F64:
            at[0] = (uint32_t)wide;
            at[64] = (uint32_t)(wide >> 32);
            break;
        case ISA_TYPE_F32:
            memcpy(at, &single, sizeof(single));
            break;
        case ISA_TYPE_F16:
        case ISA_TYPE_F16X2:
            at[0] = (0x3400u + lane * 37) * 0x10001u;
            break;
        default:
            at[0] = lane * 0x01030507u + 11;
            at[64] = lane;
            break;
        }
    }
}

static struct sq_uop make_uop(struct sq_wave *wave, const struct isa_op_info *info, const struct isa_inst *inst)
{
    struct sq_uop uop = {.inst = inst, .d = row(0), .sd = scalar(SQ_VCC), .s = {row(8), row(16), row(24)}};
    bool is_wave = info->properties & ISA_PROP_WAVE;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand_info *about = &info->operands[i];
        bool is_source = about->name == ISA_NAME_S0 || about->name == ISA_NAME_S1 || about->name == ISA_NAME_S2;
        unsigned source = about->name == ISA_NAME_S2 ? 2 : about->name == ISA_NAME_S1 ? 1 : 0;
        bool is_scalar = about->type == ISA_TYPE_MASK || (is_wave && is_source && source > 0);
        if (about->name == ISA_NAME_D && is_scalar)
            uop.d = scalar(SQ_VCC);
        else if (is_source && is_scalar)
            uop.s[source] = scalar(8);
        else if (is_source)
            fill_source(wave, 8 + 8 * source, about->type);
        else if (about->is_dst && about->is_read)
            fill_source(wave, 0, about->type);
    }
    return uop;
}

static void set_exec(struct sq_wave *wave, uint64_t exec)
{
    sq_write64(&wave->sgpr[SQ_EXEC], exec);
    sq_exec_changed(wave);
}

static double measure_row(struct sq_wave *wave, const struct sq_uop *uop, sq_run_fn run, uint64_t exec)
{
    double best = 1e30;
    for (unsigned repeat = 0; repeat < REPEATS; repeat++) {
        double start = now_ns();
        for (unsigned i = 0; i < CALLS; i++) {
            set_exec(wave, exec); /* v_cmpx changes it */
            run(wave, uop);
        }
        best = MIN2(best, (now_ns() - start) / CALLS);
    }
    return best;
}

static int slower_first(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;
    return x->full_ns < y->full_ns ? 1 : x->full_ns > y->full_ns ? -1 : 0;
}

int main(int argc, char **argv)
{
    static struct cost costs[ISA_OP_COUNT];
    unsigned count = 0;
    struct sq_wave *wave = aligned_alloc(64, (sizeof(*wave) + (size_t)ROWS * 64 * 4 + 63) & ~(size_t)63);
    if (!wave)
        return 1;
    memset(wave, 0, sizeof(*wave));
    wave->base[SQ_BASE_WAVE] = wave->base[SQ_BASE_CONSTANTS] = (const char *)wave;
    wave->lanes = 64;
    wave->vgpr_count = ROWS;
    uint64_t host = lane_env_get();
    amd_sq_set_mode(wave, MODE);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        const struct isa_op_info *info = isa_info(op);
        const char *name = amd_isa_op_name(ISA_GFX10_3, op);
        if (!amd_sq_alu_kernels[op] || !name || name[0] != 'v' ||
            (argc > 1 && strncmp(name, argv[1], strlen(argv[1])) != 0))
            continue;
        memset(wave->vgpr, 0, (size_t)ROWS * 64 * 4);
        struct isa_inst inst = {.op = (uint16_t)op, .operands = {{0}, {.kind = ISA_OPERAND_VGPR}}};
        struct sq_uop uop = make_uop(wave, info, &inst);
        costs[count].name = name;
        costs[count].full_ns = measure_row(wave, &uop, amd_sq_alu_kernels[op], UINT64_MAX);
        costs[count++].partial_ns = measure_row(wave, &uop, amd_sq_alu_kernels[op], 0x7fffffff7fffffffull);
    }
    lane_env_set(host);
    qsort(costs, count, sizeof(costs[0]), slower_first);
    printf("%-26s %12s %12s   ns of one wave64 instruction\n", "row", "all lanes", "some off");
    for (unsigned i = 0; i < count; i++)
        printf("%-26s %12.1f %12.1f\n", costs[i].name, costs[i].full_ns, costs[i].partial_ns);
    free(wave);
    return 0;
}
