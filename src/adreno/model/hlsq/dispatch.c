/* Dispatches: a worker takes the next workgroup when it is free and runs its waves by turns. */
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/regs_sp.h"
#include "adreno/model/blocks.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/sp/sp.h"
#include "model/workers.h"

#define MAX_WAVES 32 /* of a workgroup: 1,024 work-items and more, in waves of 64 */

struct group_memory {
    struct adreno_wave *waves[MAX_WAVES];
    uint8_t *local;
    uint8_t *private;
};

struct dispatch {
    struct workers_job job;
    struct adreno_gpu *gpu;
    struct adreno_launch launch;
    uint32_t groups[3], local[3], offset[3];
    uint32_t threads; /* of a workgroup */
    uint32_t wave_count;
    uint32_t group_id_reg, group_size_reg, group_offset_reg, local_id_reg, linear_id_reg;
    uint64_t total;
    _Atomic uint64_t next;
    uint32_t *ids[4]; /* local x, y, z and number of each thread, up to whole waves */
    struct group_memory memory[WORKERS_MAX];
};

/* ---- a workgroup ---- */

static void write_uniform(struct adreno_wave *wave, uint32_t reg, const uint32_t values[3])
{
    for (unsigned i = 0; i < 3 && reg != ADRENO_NO_REG; i++) {
        adreno_wave_has_input(wave, (reg + i) & 0xff, false);
        lanes_splat(adreno_wave_row(wave, (reg + i) & 0xff), values[i], wave->lanes);
    }
}

static void begin_wave(struct dispatch *d, struct adreno_wave *wave, unsigned index, const uint32_t group[3])
{
    const uint32_t first = index * d->launch.lanes, left = d->threads - first;
    const uint32_t offset[3] = {d->offset[0], d->offset[1], d->offset[2]};
    wave->wave_in_group = index;
    wave->launched = wave->covered = lane_mask_first(left < wave->lanes ? left : wave->lanes);
    write_uniform(wave, d->group_id_reg, group);
    write_uniform(wave, d->group_size_reg, d->local);
    write_uniform(wave, d->group_offset_reg, offset);
    for (unsigned i = 0; i < 3 && d->local_id_reg != ADRENO_NO_REG; i++)
        adreno_wave_write(wave, (d->local_id_reg + i) & 0xff, false, d->ids[i] + first);
    if (d->linear_id_reg != ADRENO_NO_REG)
        adreno_wave_write(wave, d->linear_id_reg, false, d->ids[3] + first);
}

static bool make_memory(struct dispatch *d, struct group_memory *memory)
{
    for (unsigned i = 0; i < d->wave_count; i++) {
        if (!memory->waves[i] && !(memory->waves[i] = adreno_sp_wave_create()))
            return false;
    }
    if (!memory->local && d->launch.local_size_B)
        memory->local = malloc(d->launch.local_size_B);
    if (!memory->private && d->launch.private_size_B)
        memory->private = malloc((size_t)d->wave_count * d->launch.lanes * d->launch.private_size_B);
    return (memory->local || !d->launch.local_size_B) && (memory->private || !d->launch.private_size_B);
}

/* Run every wave until all have ended; a barrier opens when every wave that has not ended is there. */
static bool run_group(struct dispatch *d, struct group_memory *memory)
{
    uint32_t ended = 0, waiting = 0;
    while (ended < d->wave_count) {
        for (unsigned i = 0; i < d->wave_count; i++) {
            struct adreno_wave *wave = memory->waves[i];
            if (wave->state == ADRENO_WAVE_YIELDED) {
                wave->state = ADRENO_WAVE_RUNNING;
                wave->turn = ADRENO_SP_TURN;
            }
            if (wave->state != ADRENO_WAVE_RUNNING)
                continue;
            adreno_sp_wave_run(wave);
            if (wave->state == ADRENO_WAVE_FAULTED) {
                adreno_sp_report(d->gpu, wave);
                return false;
            }
            ended += wave->state == ADRENO_WAVE_ENDED;
            waiting += wave->state == ADRENO_WAVE_BARRIER;
        }
        if (waiting && ended + waiting == d->wave_count) {
            for (unsigned i = 0; i < d->wave_count; i++) {
                if (memory->waves[i]->state == ADRENO_WAVE_BARRIER)
                    memory->waves[i]->state = ADRENO_WAVE_RUNNING;
            }
            waiting = 0;
        }
        if (adreno_is_stopped(d->gpu))
            return false;
    }
    return true;
}

static bool turn(struct workers_job *job, unsigned worker)
{
    struct dispatch *d = (struct dispatch *)job;
    if (adreno_is_stopped(d->gpu))
        return false;
    /* A dispatch may have 2^96 workgroups, none of them with a branch backwards. */
    if (adreno_is_killed(d->gpu))
        return adreno_stop(d->gpu, ADRENO_STOP_KILLED, "killed between workgroups");
    uint64_t number = atomic_fetch_add_explicit(&d->next, 1, memory_order_relaxed);
    if (number >= d->total)
        return false;
    struct group_memory *memory = &d->memory[worker];
    struct adreno_sp *sp = adreno_hlsq_sp(d->gpu, worker);
    if (!sp || !make_memory(d, memory) || !adreno_sp_enter(sp, &d->launch))
        return adreno_stop(d->gpu, ADRENO_STOP_BROKEN, "the host has no memory for a workgroup");
    const uint32_t group[3] = {(uint32_t)(number % d->groups[0]), (uint32_t)(number / d->groups[0] % d->groups[1]),
                               (uint32_t)(number / d->groups[0] / d->groups[1])};
    if (memory->local)
        memset(memory->local, 0, d->launch.local_size_B);
    for (unsigned i = 0; i < d->wave_count; i++) {
        if (!adreno_sp_wave_begin(sp, memory->waves[i], &d->launch))
            return adreno_stop(d->gpu, ADRENO_STOP_BROKEN, "a dispatch without a program");
        begin_wave(d, memory->waves[i], i, group);
        memory->waves[i]->local = memory->local;
        if (memory->private)
            memory->waves[i]->private = memory->private + (size_t)i * d->launch.lanes * d->launch.private_size_B;
    }
    bool ok = run_group(d, memory);
    adreno_progress(d->gpu);
    return ok;
}

/* ---- a dispatch ---- */

static bool make_ids(struct dispatch *d)
{
    const uint32_t count = d->wave_count * d->launch.lanes;
    for (unsigned i = 0; i < 4; i++) {
        d->ids[i] = calloc(count, 4);
        if (!d->ids[i])
            return false;
    }
    for (uint32_t n = 0; n < d->threads; n++) {
        d->ids[0][n] = n % d->local[0];
        d->ids[1][n] = n / d->local[0] % d->local[1];
        d->ids[2][n] = n / d->local[0] / d->local[1];
        d->ids[3][n] = n;
    }
    return true;
}

static bool take_registers(struct dispatch *d)
{
    const uint32_t *regs = d->gpu->regs;
    struct adreno_SP_CS_NDRANGE_0 size = adreno_unpack_SP_CS_NDRANGE_0(regs[ADRENO_REG_SP_CS_NDRANGE_0]);
    struct adreno_SP_CS_CONST_CONFIG_0 ids = adreno_unpack_SP_CS_CONST_CONFIG_0(regs[ADRENO_REG_SP_CS_CONST_CONFIG_0]);
    struct adreno_SP_CS_WGE_CNTL linear = adreno_unpack_SP_CS_WGE_CNTL(regs[ADRENO_REG_SP_CS_WGE_CNTL]);
    d->local[0] = size.LOCALSIZEX + 1;
    d->local[1] = size.LOCALSIZEY + 1;
    d->local[2] = size.LOCALSIZEZ + 1;
    d->offset[0] = regs[ADRENO_REG_SP_CS_NDRANGE_2];
    d->offset[1] = regs[ADRENO_REG_SP_CS_NDRANGE_4];
    d->offset[2] = regs[ADRENO_REG_SP_CS_NDRANGE_6];
    d->group_id_reg = ids.WGIDCONSTID;
    d->group_size_reg = ids.WGSIZECONSTID;
    d->group_offset_reg = ids.WGOFFSETCONSTID;
    d->local_id_reg = ids.LOCALIDREGID;
    d->linear_id_reg = linear.LINEARLOCALIDREGID;
    d->threads = d->local[0] * d->local[1] * d->local[2];
    d->wave_count = (d->threads + d->launch.lanes - 1) / d->launch.lanes;
    d->launch.local_size_B = (adreno_unpack_SP_CS_CNTL_1(regs[ADRENO_REG_SP_CS_CNTL_1]).SHARED_SIZE + 1u) * 1024;
    if (d->wave_count > MAX_WAVES)
        return adreno_stop(d->gpu, ADRENO_STOP_BROKEN, "a workgroup of %u work-items", d->threads);
    return true;
}

static void free_dispatch(struct dispatch *d)
{
    for (unsigned i = 0; i < WORKERS_MAX; i++) {
        for (unsigned n = 0; n < MAX_WAVES; n++)
            free(d->memory[i].waves[n]);
        free(d->memory[i].local);
        free(d->memory[i].private);
    }
    for (unsigned i = 0; i < 4; i++)
        free(d->ids[i]);
    free(d);
}

#define IDLE_INSTRUCTIONS 8

/* A program that does nothing has done it for all workgroups at once: 65,535 times 65,535 times 65,535 of them are a valid
 * dispatch. */
static bool is_idle(const struct adreno_gpu *gpu, uint64_t va)
{
    for (unsigned n = 0; n < IDLE_INSTRUCTIONS; n++) {
        uint64_t word;
        struct adreno_isa_inst inst;
        if (!gpu_mem_read64(gpu->space, va + n * 8, &word) || adreno_isa_decode(word, &inst) != 0)
            return false;
        if (inst.op == ADRENO_ISA_OP_END)
            return true;
        if (inst.op != ADRENO_ISA_OP_NOP && inst.op != ADRENO_ISA_OP_BAR && inst.op != ADRENO_ISA_OP_FENCE)
            return false;
    }
    return false;
}

bool adreno_hlsq_dispatch(struct adreno_gpu *gpu, const struct adreno_dispatch *dispatch)
{
    struct dispatch *d = calloc(1, sizeof(*d));
    if (!d)
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "the host has no memory for a dispatch");
    d->gpu = gpu;
    d->job.turn = turn;
    d->job.stage = STAT_COMPUTE;
    memcpy(d->groups, dispatch->groups, sizeof(d->groups));
    if (__builtin_mul_overflow((uint64_t)d->groups[0] * d->groups[1], (uint64_t)d->groups[2], &d->total))
        d->total = UINT64_MAX; /* neither would end */
    bool ok = adreno_hlsq_program(gpu, ADRENO_STAGE_CS, &d->launch) && take_registers(d);
    if (ok && !make_ids(d))
        ok = adreno_stop(gpu, ADRENO_STOP_BROKEN, "the host has no memory for a dispatch");
    if (ok && d->total) {
        d->job.units = d->total;
        stat_count(STAT_DISPATCHES);
        if (!is_idle(gpu, d->launch.program_va))
            workers_run(gpu->workers, &d->job);
        ok = !adreno_is_stopped(gpu);
        if (gpu->counters.counts_compute)
            gpu->counters.stats[ADRENO_STAT_CS_INVOCATIONS] += d->total * d->threads;
    }
    free_dispatch(d);
    return ok;
}
