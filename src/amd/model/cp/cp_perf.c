/* See cp_perf.h. */
#include "amd/model/cp/cp_perf.h"

#include <time.h>

#include "amd/hw/regs_compute.h"
#include "amd/hw/regs_cp.h"
#include "amd/hw/regs_perf.h"
#include "amd/model/cp/cp_machine.h"
#include "util/bits.h"

/* ---- blocks ---- */

enum block {
    BLOCK_GRBM,
    BLOCK_CPF,
    BLOCK_SQ,
    BLOCK_TCP,
    BLOCK_GL1C,
    BLOCK_GL2C,
};

static const char *const block_names[] = {"GRBM", "CPF", "SQ", "TCP", "GL1C", "GL2C"};

/* Runs of counters whose registers are that far apart. */
static const struct {
    enum block block;
    uint32_t count, low_B, low_step_B, select_B, select_step_B;
} runs[] = {
    {BLOCK_GRBM, 2, AMD_REG_GRBM_PERFCOUNTER_LO, 12, AMD_REG_GRBM_PERFCOUNTER_SELECT, 4},
    {BLOCK_CPF, 1, AMD_REG_CPF_PERFCOUNTER0_LO, 8, AMD_REG_CPF_PERFCOUNTER0_SELECT, 4},
    {BLOCK_CPF, 1, AMD_REG_CPF_PERFCOUNTER1_LO, 8, AMD_REG_CPF_PERFCOUNTER1_SELECT, 4},
    {BLOCK_SQ, 16, AMD_REG_SQ_PERFCOUNTER_LO, 8, AMD_REG_SQ_PERFCOUNTER_SELECT, 4},
    {BLOCK_TCP, 2, AMD_REG_TCP_PERFCOUNTER_LO, 8, AMD_REG_TCP_PERFCOUNTER0_SELECT, 8},
    {BLOCK_TCP, 2, AMD_REG_TCP_PERFCOUNTER_LO + 16, 8, AMD_REG_TCP_PERFCOUNTER2_SELECT, 4},
    {BLOCK_GL1C, 1, AMD_REG_GL1C_PERFCOUNTER_LO, 8, AMD_REG_GL1C_PERFCOUNTER0_SELECT, 4},
    {BLOCK_GL1C, 3, AMD_REG_GL1C_PERFCOUNTER_LO + 8, 8, AMD_REG_GL1C_PERFCOUNTER1_SELECT, 4},
    {BLOCK_GL2C, 2, AMD_REG_GL2C_PERFCOUNTER_LO, 8, AMD_REG_GL2C_PERFCOUNTER0_SELECT, 8},
    {BLOCK_GL2C, 2, AMD_REG_GL2C_PERFCOUNTER_LO + 16, 8, AMD_REG_GL2C_PERFCOUNTER2_SELECT, 4},
};

/* ---- events ---- */

enum value {
    VALUE_CYCLES,
    VALUE_SQ,       /* one count of the shader core */
    VALUE_ACCESSES, /* lanes that read or write */
    VALUE_READ_32B, /* what is read, in requests of that size */
    VALUE_WRITTEN_32B,
    VALUE_NONE, /* requests of other sizes, which there are not */
};

static const struct {
    enum block block;
    uint16_t event;
    uint8_t value, count;
} events[] = {
    {BLOCK_GRBM, 0x02, VALUE_CYCLES, 0}, /* the GPU is active */
    {BLOCK_CPF, 0x18, VALUE_CYCLES, 0},
    {BLOCK_SQ, 0x04, VALUE_SQ, SQ_PERF_WAVES},
    {BLOCK_SQ, 0x31, VALUE_SQ, SQ_PERF_INSTRUCTIONS},
    {BLOCK_SQ, 0x37, VALUE_SQ, SQ_PERF_GDS},
    {BLOCK_SQ, 0x3b, VALUE_SQ, SQ_PERF_LDS},
    {BLOCK_SQ, 0x3c, VALUE_SQ, SQ_PERF_SALU},
    {BLOCK_SQ, 0x3d, VALUE_SQ, SQ_PERF_SMEM},
    {BLOCK_SQ, 0x40, VALUE_SQ, SQ_PERF_VALU},
    {BLOCK_SQ, 0x45, VALUE_SQ, SQ_PERF_LOADS},
    {BLOCK_SQ, 0x46, VALUE_SQ, SQ_PERF_STORES},
    {BLOCK_SQ, 0x75, VALUE_SQ, SQ_PERF_VALU_CYCLES},
    {BLOCK_TCP, 0x09, VALUE_ACCESSES, 0},
    {BLOCK_TCP, 0x12, VALUE_ACCESSES, 0}, /* misses, here and below */
    {BLOCK_GL1C, 0x0e, VALUE_ACCESSES, 0},
    {BLOCK_GL1C, 0x12, VALUE_ACCESSES, 0},
    {BLOCK_GL2C, 0x03, VALUE_ACCESSES, 0},
    {BLOCK_GL2C, 0x2b, VALUE_ACCESSES, 0},
    {BLOCK_GL2C, 0x53, VALUE_WRITTEN_32B, 0},
    {BLOCK_GL2C, 0x55, VALUE_NONE, 0},
    {BLOCK_GL2C, 0x63, VALUE_READ_32B, 0},
    {BLOCK_GL2C, 0x64, VALUE_NONE, 0},
    {BLOCK_GL2C, 0x65, VALUE_NONE, 0},
    {BLOCK_GL2C, 0x66, VALUE_NONE, 0},
};

/* ---- counts ---- */

/* The core's clock runs at 1 GHz, as s_memtime has it. */
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t count_of(const struct cp_perf *perf, enum sq_perf_count count)
{
    return atomic_load_explicit(&perf->sq.counts[count], memory_order_relaxed);
}

static uint64_t value_of(const struct cp_perf *perf, enum value value, enum sq_perf_count count)
{
    switch (value) {
    case VALUE_CYCLES:
        return perf->active_ns + (perf->is_counting ? now_ns() - perf->began_ns : 0);
    case VALUE_SQ:
        return count_of(perf, count);
    case VALUE_ACCESSES:
        return count_of(perf, SQ_PERF_READS) + count_of(perf, SQ_PERF_WRITES);
    case VALUE_READ_32B:
        return div_round_up(count_of(perf, SQ_PERF_READ_DW), 8);
    case VALUE_WRITTEN_32B:
        return div_round_up(count_of(perf, SQ_PERF_WRITTEN_DW), 8);
    default:
        return 0;
    }
}

static bool read_event(struct cp_machine *m, enum block block, uint32_t event, uint64_t *value_out)
{
    for (unsigned i = 0; i < ARRAY_SIZE(events); i++) {
        if (events[i].block != block || events[i].event != event)
            continue;
        *value_out = value_of(&m->perf, (enum value)events[i].value, (enum sq_perf_count)events[i].count);
        return true;
    }
    return amd_cp_stop(m, "a counter of %s for event 0x%x, which is not modelled", block_names[block], event);
}

/* All counts are those of the first engine's first instance. */
static bool is_first_engine(const struct cp_machine *m)
{
    const struct amd_GRBM_GFX_INDEX index =
        amd_unpack_GRBM_GFX_INDEX(m->gfx, cp_reg_if_written(&m->registers, AMD_REG_GRBM_GFX_INDEX));
    return (index.SE_BROADCAST_WRITES || !index.SE_INDEX) && (index.INSTANCE_BROADCAST_WRITES || !index.INSTANCE_INDEX);
}

bool amd_cp_perf_read(struct cp_machine *m, uint32_t offset_B, uint64_t *value_out)
{
    for (unsigned i = 0; i < ARRAY_SIZE(runs); i++) {
        const uint32_t from_B = offset_B - runs[i].low_B, n = from_B / runs[i].low_step_B;
        if (offset_B < runs[i].low_B || from_B % runs[i].low_step_B || n >= runs[i].count)
            continue;
        const uint32_t select = cp_reg_if_written(&m->registers, runs[i].select_B + n * runs[i].select_step_B);
        *value_out = 0;
        return !is_first_engine(m) || read_event(m, runs[i].block, select & 0x1ff, value_out);
    }
    return amd_cp_stop(m, "a read of the performance counter at 0x%05x, which is not modelled", offset_B);
}

void amd_cp_perf_control(struct cp_machine *m, uint32_t value)
{
    struct cp_perf *perf = &m->perf;
    const unsigned state = amd_unpack_CP_PERFMON_CNTL(m->gfx, value).PERFMON_STATE;
    if (perf->is_counting)
        perf->active_ns += now_ns() - perf->began_ns;
    perf->is_counting = state == AMD_PERFMON_STATE_START_COUNTING;
    perf->began_ns = perf->is_counting ? now_ns() : 0;
    if (state == AMD_PERFMON_STATE_DISABLE_AND_RESET) {
        perf->active_ns = 0;
        for (unsigned i = 0; i < SQ_PERF_COUNTS; i++)
            atomic_store_explicit(&perf->sq.counts[i], 0, memory_order_relaxed);
    }
}

struct sq_perf *amd_cp_perf_of(struct cp_machine *m, enum cp_perf_stage stage)
{
    struct cp_perf *perf = &m->perf;
    if (!perf->is_counting)
        return NULL;
    const struct amd_SQ_PERFCOUNTER_CTRL enabled =
        amd_unpack_SQ_PERFCOUNTER_CTRL(m->gfx, cp_reg_if_written(&m->registers, AMD_REG_SQ_PERFCOUNTER_CTRL));
    switch (stage) {
    case CP_PERF_COMPUTE:
        return enabled.CS_EN && cp_reg_if_written(&m->registers, AMD_REG_COMPUTE_PERFCOUNT_ENABLE) & 1 ? &perf->sq
                                                                                                       : NULL;
    case CP_PERF_PIXELS:
        return enabled.PS_EN && perf->is_graphics_window ? &perf->sq : NULL;
    default:
        return (enabled.VS_EN || enabled.GS_EN || enabled.HS_EN) && perf->is_graphics_window ? &perf->sq : NULL;
    }
}
