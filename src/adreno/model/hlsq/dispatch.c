/* Dispatches: a worker takes the next workgroup when it is free and runs its waves by turns. */
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/regs_sp.h"
#include "adreno/model/blocks.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/whole.h"
#include "isa/lane_env.h"
#include "model/stat.h"
#include "model/workers.h"

#define MAX_WAVES 32 /* of a workgroup: 1,024 work-items and more, in waves of 64 */
#define TURN_GROUPS 8
#define WHOLE_GROUPS 32 /* of a whole program, which are taken at once, */
#define WHOLE_SHARES 3  /* but so few that every worker may come so often */

struct group_memory {
    struct adreno_wave *waves[MAX_WAVES];
    uint8_t *local;
    uint8_t *private;
};

struct dispatch {
    struct workers_job job;
    struct adreno_gpu *gpu;
    struct adreno_launch launch;
    struct exec_grid grid; /* its rows are waves */
    struct adreno_group_regs regs;
    bool has_shape; /* rows are as whole programs have them: */
    struct exec_shape shape;
    uint64_t total, whole_groups;
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
    const uint32_t first = index * d->launch.lanes, left = d->grid.threads - first;
    wave->wave_in_group = index;
    wave->launched = wave->covered = lane_mask_first(left < wave->lanes ? left : wave->lanes);
    write_uniform(wave, d->regs.group_id, group);
    write_uniform(wave, d->regs.group_size, d->grid.size);
    write_uniform(wave, d->regs.group_offset, d->grid.offset);
    for (unsigned i = 0; i < 3 && d->regs.local_id != ADRENO_NO_REG; i++)
        adreno_wave_write(wave, (d->regs.local_id + i) & 0xff, false, d->ids[i] + first);
    if (d->regs.linear_id != ADRENO_NO_REG)
        adreno_wave_write(wave, d->regs.linear_id, false, d->ids[3] + first);
}

static bool make_memory(struct dispatch *d, struct group_memory *memory)
{
    for (unsigned i = 0; i < d->grid.rows; i++) {
        if (!memory->waves[i] && !(memory->waves[i] = adreno_sp_wave_create()))
            return false;
    }
    if (!memory->local && d->launch.local_size_B)
        memory->local = malloc(d->launch.local_size_B);
    if (!memory->private && d->launch.private_size_B)
        memory->private = malloc((size_t)d->grid.rows * d->launch.lanes * d->launch.private_size_B);
    return (memory->local || !d->launch.local_size_B) && (memory->private || !d->launch.private_size_B);
}

/* Run every wave until all have ended; a barrier opens when every wave that has not ended is there. */
static bool run_turns(struct dispatch *d, struct group_memory *memory)
{
    uint32_t ended = 0, waiting = 0;
    while (ended < d->grid.rows) {
        for (unsigned i = 0; i < d->grid.rows; i++) {
            struct adreno_wave *wave = memory->waves[i];
            if (wave->state == ADRENO_WAVE_YIELDED) {
                wave->state = ADRENO_WAVE_RUNNING;
                wave->turn = ADRENO_SP_TURN;
            }
            if (wave->state != ADRENO_WAVE_RUNNING)
                continue;
            adreno_sp_wave_turn(wave);
            if (wave->state == ADRENO_WAVE_FAULTED) {
                adreno_sp_report(d->gpu, wave);
                return false;
            }
            ended += wave->state == ADRENO_WAVE_ENDED;
            waiting += wave->state == ADRENO_WAVE_BARRIER;
        }
        if (waiting && ended + waiting == d->grid.rows) {
            for (unsigned i = 0; i < d->grid.rows; i++) {
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

/* The float environment of all waves is the same. */
static bool run_group(struct dispatch *d, struct group_memory *memory)
{
    const uint64_t host = lane_env_get();
    lane_env_set(memory->waves[0]->env);
    const bool ok = run_turns(d, memory);
    lane_env_set(host);
    return ok;
}

/* A wave of a workgroup, at its program's beginning. */
static bool make_wave(struct dispatch *d, struct adreno_sp *sp, struct group_memory *memory, uint64_t number,
                      unsigned index)
{
    struct adreno_wave *wave = memory->waves[index];
    uint32_t group[3];
    exec_grid_group(&d->grid, number, group);
    if (!adreno_sp_wave_begin(sp, wave, &d->launch))
        return adreno_stop(d->gpu, ADRENO_STOP_BROKEN, "a dispatch without a program");
    begin_wave(d, wave, index, group);
    wave->local = memory->local;
    if (memory->private)
        wave->private = memory->private + (size_t)index * d->launch.lanes * d->launch.private_size_B;
    return true;
}

static bool run_waves(struct dispatch *d, struct adreno_sp *sp, struct group_memory *memory, uint64_t number)
{
    if (memory->local)
        memset(memory->local, 0, d->launch.local_size_B);
    for (unsigned i = 0; i < d->grid.rows; i++) {
        if (!make_wave(d, sp, memory, number, i))
            return false;
    }
    return run_group(d, memory);
}

/* ---- whole programs ---- */

struct whole_user {
    struct dispatch *d;
    struct adreno_sp *sp;
    struct group_memory *memory;
};

/* Lanes of a wave that its code was not for (exec_whole_work.rest). */
static bool run_rest(const struct exec_whole_work *work, uint64_t number, uint32_t row, uint32_t first)
{
    const struct whole_user *user = work->user;
    struct dispatch *d = user->d;
    if (!make_wave(d, user->sp, user->memory, number, row))
        return false;
    struct adreno_wave *wave = user->memory->waves[row];
    wave->launched = wave->covered = lane_mask_and_not(wave->launched, lane_mask_first(first));
    if (adreno_sp_run(wave))
        return true;
    if (!adreno_is_stopped(d->gpu))
        adreno_sp_report(d->gpu, wave);
    return false;
}

static bool run_whole(struct dispatch *d, struct adreno_sp *sp, struct sp_whole *whole, struct adreno_wave *wave,
                      struct group_memory *memory, uint64_t first, uint64_t count)
{
    struct whole_user user = {d, sp, memory};
    const struct exec_whole_work work = {.whole = &whole->exec,
                                         .grid = &d->grid,
                                         .frame = wave,
                                         .values = wave->values,
                                         .env = wave->env,
                                         .counts = &adreno_sp_code_exec(sp->code)->counts,
                                         .user = &user,
                                         .rest = run_rest};
    return exec_whole_run(&work, first, count);
}

/* The next workgroups. False: there are none, or it has stopped. */
static bool run_next(struct dispatch *d, struct adreno_sp *sp, struct group_memory *memory)
{
    if (adreno_is_stopped(d->gpu))
        return false;
    /* A dispatch may have 2^96 workgroups, none of them with a branch backwards. Where all of them have begun, one that
     * does not end says so itself. */
    if (adreno_is_killed(d->gpu) && atomic_load_explicit(&d->next, memory_order_relaxed) < d->total)
        return adreno_stop(d->gpu, ADRENO_STOP_KILLED, "killed between workgroups");
    struct sp_whole *whole =
        d->has_shape ? adreno_sp_whole_find(sp, &d->launch, &d->regs, d->shape, d->grid.rows) : NULL;
    struct adreno_wave *frame = whole ? adreno_sp_whole_bring(sp, whole, &d->launch, &d->grid) : NULL;
    const uint64_t step = frame ? d->whole_groups : 1;
    const uint64_t number = atomic_fetch_add_explicit(&d->next, step, memory_order_relaxed);
    if (number >= d->total)
        return false;
    const uint64_t left = d->total - number, count = left < step ? left : step;
    const bool ok = frame ? run_whole(d, sp, whole, frame, memory, number, count) : run_waves(d, sp, memory, number);
    adreno_progress(d->gpu);
    return ok;
}

/* The work around a turn costs more than a small workgroup; other jobs wait no longer than for so many. */
static bool take_turn(struct workers_job *job, unsigned worker)
{
    struct dispatch *d = (struct dispatch *)job;
    struct group_memory *memory = &d->memory[worker];
    if (adreno_is_stopped(d->gpu))
        return false;
    struct adreno_sp *sp = adreno_hlsq_sp(d->gpu, worker);
    if (!sp || !make_memory(d, memory) || !adreno_sp_enter(sp, &d->launch))
        return adreno_stop(d->gpu, ADRENO_STOP_BROKEN, "the host has no memory for a workgroup");
    for (unsigned i = 0; i < TURN_GROUPS; i++) {
        if (!run_next(d, sp, memory))
            return false;
    }
    return true;
}

/* ---- a dispatch ---- */

static bool make_ids(struct dispatch *d)
{
    const uint32_t count = d->grid.rows * d->launch.lanes;
    for (unsigned i = 0; i < 4; i++) {
        d->ids[i] = calloc(count, 4);
        if (!d->ids[i])
            return false;
    }
    for (uint32_t n = 0; n < d->grid.threads; n++) {
        d->ids[0][n] = n % d->grid.size[0];
        d->ids[1][n] = n / d->grid.size[0] % d->grid.size[1];
        d->ids[2][n] = n / d->grid.size[0] / d->grid.size[1];
        d->ids[3][n] = n;
    }
    for (unsigned axis = 0; axis < 3; axis++)
        d->grid.local[axis] = d->ids[axis];
    return true;
}

static bool take_registers(struct dispatch *d)
{
    const uint32_t *regs = d->gpu->regs;
    struct adreno_SP_CS_NDRANGE_0 size = adreno_unpack_SP_CS_NDRANGE_0(regs[ADRENO_REG_SP_CS_NDRANGE_0]);
    struct adreno_SP_CS_CONST_CONFIG_0 ids = adreno_unpack_SP_CS_CONST_CONFIG_0(regs[ADRENO_REG_SP_CS_CONST_CONFIG_0]);
    struct adreno_SP_CS_WGE_CNTL linear = adreno_unpack_SP_CS_WGE_CNTL(regs[ADRENO_REG_SP_CS_WGE_CNTL]);
    d->grid.size[0] = size.LOCALSIZEX + 1;
    d->grid.size[1] = size.LOCALSIZEY + 1;
    d->grid.size[2] = size.LOCALSIZEZ + 1;
    d->grid.offset[0] = regs[ADRENO_REG_SP_CS_NDRANGE_2];
    d->grid.offset[1] = regs[ADRENO_REG_SP_CS_NDRANGE_4];
    d->grid.offset[2] = regs[ADRENO_REG_SP_CS_NDRANGE_6];
    d->regs.group_id = (uint8_t)ids.WGIDCONSTID;
    d->regs.group_size = (uint8_t)ids.WGSIZECONSTID;
    d->regs.group_offset = (uint8_t)ids.WGOFFSETCONSTID;
    d->regs.local_id = (uint8_t)ids.LOCALIDREGID;
    d->regs.linear_id = (uint8_t)linear.LINEARLOCALIDREGID;
    d->grid.threads = d->grid.size[0] * d->grid.size[1] * d->grid.size[2];
    d->grid.rows = (d->grid.threads + d->launch.lanes - 1) / d->launch.lanes;
    d->launch.local_size_B = (adreno_unpack_SP_CS_CNTL_1(regs[ADRENO_REG_SP_CS_CNTL_1]).SHARED_SIZE + 1u) * 1024;
    d->grid.lanes = d->launch.lanes;
    d->has_shape = !d->launch.private_size_B && exec_shape_find(d->grid.size, d->launch.lanes, &d->shape);
    if (d->grid.rows > MAX_WAVES)
        return adreno_stop(d->gpu, ADRENO_STOP_BROKEN, "a workgroup of %u work-items", d->grid.threads);
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

/* A program that does nothing has done it for all workgroups at once: 65,535 times 65,535 times 65,535 of them are a
 * valid dispatch. */
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
    d->job.turn = take_turn;
    d->job.stage = STAT_COMPUTE;
    memcpy(d->grid.count, dispatch->groups, sizeof(d->grid.count));
    if (__builtin_mul_overflow((uint64_t)d->grid.count[0] * d->grid.count[1], (uint64_t)d->grid.count[2], &d->total))
        d->total = UINT64_MAX; /* neither would end */
    bool ok = adreno_hlsq_program(gpu, ADRENO_STAGE_CS, &d->launch) && take_registers(d);
    if (ok && !make_ids(d))
        ok = adreno_stop(gpu, ADRENO_STOP_BROKEN, "the host has no memory for a dispatch");
    if (ok && d->total) {
        d->job.units = d->total;
        d->whole_groups =
            MAX2(MIN2(d->total / (WHOLE_SHARES * MAX2(workers_count(gpu->workers), 1u)), WHOLE_GROUPS), 1);
        stat_count(STAT_DISPATCHES);
        if (!is_idle(gpu, d->launch.program_va))
            workers_run(gpu->workers, &d->job);
        ok = !adreno_is_stopped(gpu);
        if (gpu->counters.counts_compute)
            gpu->counters.stats[ADRENO_STAT_CS_INVOCATIONS] += d->total * d->grid.threads;
    }
    free_dispatch(d);
    return ok;
}
