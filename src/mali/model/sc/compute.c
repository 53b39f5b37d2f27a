/* RUN_COMPUTE: a worker takes the next workgroup, or as many small ones as fill a row of lanes, when it is free, and
 * runs its warps by turns.
 *
 * How the instruction cuts a dispatch into tasks for the chip's cores decides nothing that a program sees: workers are
 * the cores here. Local storage is theirs: a worker has as many slots as it needs, from its number on. */
#include <stdlib.h>
#include <string.h>

#include "mali/hw/chip.h"
#include "mali/hw/instructions.h"
#include "mali/hw/regs_compute.h"
#include "mali/isa/isa.h"
#include "mali/model/blocks.h"
#include "mali/model/sc/core.h"
#include "mali/model/sc/whole.h"
#include "util/bits.h"

#define TURN_GROUPS 32
#define WHOLE_GROUPS 32                              /* of a whole program, which are taken at once */
#define COPY_GROUPS 1024                             /* of one that moves texels */
#define LEAST_ROWS 2048                              /* of one that moves memory, the same: */
#define MOST_ROWS 32768                              /* fewer towards the end */
#define MAX_THREADS (SC_GROUP_ROWS * MALI_ROW_LANES) /* of a workgroup */

struct dispatch {
    struct workers_job job;
    struct mali_queue *queue;
    struct mali_launch launch;
    struct exec_grid grid; /* its rows are of warps */
    uint32_t merged;       /* workgroups in a row of warps: 1 unless they may share it */
    uint64_t total;        /* workgroups */
    bool has_shape;        /* rows are as whole programs have them: */
    struct exec_shape shape;
    uint64_t tls_slots, wls_slots;
    _Atomic uint64_t next;
    uint32_t ids[5][MAX_THREADS]; /* of each thread: x and y, z; x, y, z */
};

/* ---- a workgroup ---- */

/* `lanes` lanes from `lane` on are the threads from `thread` on of a workgroup. */
static void preload_threads(const struct dispatch *d, struct mali_warp *warp, uint64_t number, uint32_t thread,
                            uint32_t lane, uint32_t lanes)
{
    uint32_t group[3];
    exec_grid_group(&d->grid, number, group);
    memcpy(mali_warp_row(warp, 55) + lane, d->ids[0] + thread, lanes * 4);
    memcpy(mali_warp_row(warp, 56) + lane, d->ids[1] + thread, lanes * 4);
    for (unsigned axis = 0; axis < 3; axis++) {
        uint32_t *group_row = mali_warp_row(warp, 57 + axis) + lane,
                 *global_row = mali_warp_row(warp, 60 + axis) + lane;
        const uint32_t base = group[axis] * d->grid.size[axis] + d->grid.offset[axis],
                       *local = d->ids[2 + axis] + thread;
        for (uint32_t i = 0; i < lanes; i++) {
            group_row[i] = group[axis];
            global_row[i] = base + local[i];
        }
    }
}

/* A row of warps of workgroups, at its program's beginning. */
static bool begin_row(struct dispatch *d, struct mali_core *core, uint64_t number, uint32_t merged, uint32_t row)
{
    struct mali_warp **warp = &core->group[row];
    if (!*warp && !(*warp = mali_sc_warp_create()))
        return mali_stop(d->queue, GPU_STOP_BROKEN, "the host has no memory for a workgroup");
    if (!mali_sc_warp_begin(core, *warp, &d->launch))
        return mali_stop(d->queue, GPU_STOP_BROKEN, "a dispatch without a program");
    (*warp)->row_in_group = row;
    mali_sc_warp_storage(*warp, ((uint64_t)core->number * d->grid.rows + row) * MALI_ROW_LANES, core->number);
    const uint32_t first = row * MALI_ROW_LANES, left = d->grid.threads - first;
    const uint32_t lanes = left < MALI_ROW_LANES ? left : MALI_ROW_LANES;
    for (uint32_t i = 0; i < merged; i++)
        preload_threads(d, *warp, number + i, first, i * lanes, lanes);
    (*warp)->launched = (*warp)->covered = lanes_full_mask(lanes * merged);
    return true;
}

static bool begin_warps(struct dispatch *d, struct mali_core *core, uint64_t number, uint32_t merged)
{
    for (uint32_t row = 0; row < d->grid.rows; row++) {
        if (!begin_row(d, core, number, merged, row))
            return false;
    }
    return true;
}

/* Run every warp until all have ended; a barrier opens when all that have not ended are there. */
static bool run_group(struct dispatch *d, struct mali_warp **warps)
{
    uint32_t ended = 0, waiting = 0;
    while (ended < d->grid.rows) {
        for (uint32_t i = 0; i < d->grid.rows; i++) {
            if (warps[i]->state == MALI_WARP_YIELDED) {
                warps[i]->state = MALI_WARP_RUNNING;
                warps[i]->turn = SC_TURN;
            }
            if (warps[i]->state != MALI_WARP_RUNNING)
                continue;
            mali_sc_warp_run(warps[i]);
            if (warps[i]->state == MALI_WARP_FAULTED) {
                mali_sc_report(warps[i]);
                return false;
            }
            ended += warps[i]->state == MALI_WARP_ENDED;
            waiting += warps[i]->state == MALI_WARP_BARRIER;
        }
        if (waiting && ended + waiting == d->grid.rows) {
            for (uint32_t i = 0; i < d->grid.rows; i++) {
                if (warps[i]->state == MALI_WARP_BARRIER)
                    warps[i]->state = MALI_WARP_RUNNING;
            }
            waiting = 0;
        }
        if (mali_is_stopped(d->queue))
            return false;
    }
    return true;
}

/* ---- whole programs ---- */

/* The warp that whole programs run in, which has nothing of a row; NULL: as warps. */
static struct mali_warp *enter_whole(struct dispatch *d, struct mali_core *core, struct sc_whole **whole_out)
{
    *whole_out = d->has_shape ? mali_sc_whole_find(core, &d->launch, d->shape, d->grid.rows) : NULL;
    if (!*whole_out || !begin_row(d, core, 0, 1, 0) || !mali_sc_whole_bring(*whole_out, core->group[0]))
        return NULL;
    return core->group[0];
}

/* Lanes of a row that its code was not for. */
static bool run_rest(struct dispatch *d, struct mali_core *core, uint64_t number, uint32_t row, uint64_t lanes)
{
    if (!begin_row(d, core, number, 1, row))
        return false;
    struct mali_warp *warp = core->group[row];
    warp->launched = warp->covered = lanes;
    return mali_sc_run(warp);
}

struct whole_user {
    struct dispatch *d;
    struct mali_core *core;
};

/* exec_whole_work.rest */
static bool run_rest_of(const struct exec_whole_work *work, uint64_t number, uint32_t row, uint32_t first)
{
    const struct whole_user *user = work->user;
    struct sc_whole *again;
    return run_rest(user->d, user->core, number, row, ~0ull << first) &&
           (enter_whole(user->d, user->core, &again) || !mali_is_stopped(user->d->queue));
}

/* Some workgroups, one after the other. */
static bool run_whole(struct dispatch *d, struct mali_core *core, struct sc_whole *whole, uint64_t first,
                      uint64_t count)
{
    struct whole_user user = {d, core};
    struct mali_warp *warp = core->group[0];
    const struct exec_whole_work work = {.whole = &whole->exec,
                                         .grid = &d->grid,
                                         .frame = warp,
                                         .values = warp->values,
                                         .env = warp->env,
                                         .counts = &mali_sc_code_exec(core->code)->counts,
                                         .user = &user,
                                         .rest = run_rest_of,
                                         .missed = mali_sc_whole_missed};
    return exec_whole_run(&work, first, count);
}

/* Threads of workgroups that are one after the other in x, and of as many rows of them. */
static bool copy_groups(struct dispatch *d, struct mali_core *core, struct sc_copy *copy, const uint32_t group[3],
                        uint32_t count, uint32_t rows)
{
    uint32_t first[3];
    for (unsigned axis = 0; axis < 3; axis++)
        first[axis] = group[axis] * d->grid.size[axis] + d->grid.offset[axis];
    return count && d->grid.size[2] == 1 &&
           mali_sc_copy_run(copy, core->group[0], first, count * d->grid.size[0], rows * d->grid.size[1]);
}

/* Rows of workgroups that are whole: how many workgroups were done. */
static uint64_t copy_rows(struct dispatch *d, struct mali_core *core, struct sc_copy *copy, const uint32_t group[3],
                          uint64_t count)
{
    const uint32_t columns = d->grid.count[0];
    const uint64_t fitting = group[0] ? 0 : count / columns, left = d->grid.count[1] - group[1];
    const uint32_t rows = (uint32_t)(fitting < left ? fitting : left);
    return rows > 1 && copy_groups(d, core, copy, group, columns, rows) ? (uint64_t)rows * columns : 0;
}

/* Rows of workgroups whose texels are moved: those at a rim run as warps. */
static bool run_copy(struct dispatch *d, struct mali_core *core, struct sc_copy *copy, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count;) {
        uint32_t group[3];
        exec_grid_group(&d->grid, first + i, group);
        const uint64_t of_rows = copy_rows(d, core, copy, group, count - i);
        i += of_rows;
        if (of_rows)
            continue;
        const uint32_t left = d->grid.count[0] - group[0], most = (uint32_t)(left < count - i ? left : count - i);
        const uint32_t done = copy_groups(d, core, copy, group, most, 1)       ? most
                              : copy_groups(d, core, copy, group, most - 1, 1) ? most - 1
                                                                               : 0;
        i += done;
        if (done == most)
            continue;
        if (!begin_warps(d, core, first + i++, 1) || !run_group(d, core->group) || !begin_row(d, core, 0, 1, 0))
            return false;
    }
    return true;
}

/* Workgroups that move memory: a core is quickest where it goes on from where it was, and all are to end at the same
 * time. So a worker takes much while there is much left. */
static uint64_t take_range(struct dispatch *d, uint32_t *count_out)
{
    const uint32_t least = LEAST_ROWS / d->grid.rows, most = MOST_ROWS / d->grid.rows;
    uint64_t number = atomic_load_explicit(&d->next, memory_order_relaxed);
    do {
        const uint64_t left = number < d->total ? d->total - number : 0;
        const uint64_t share = left / (2 * workers_count(d->queue->gpu->workers));
        *count_out = share < least ? least : share < most ? (uint32_t)share : most;
    } while (!atomic_compare_exchange_weak_explicit(&d->next, &number, number + *count_out, memory_order_relaxed,
                                                    memory_order_relaxed));
    return number;
}

/* The next workgroups of a dispatch; of the rounds of a turn, much is more than one. False: there are none, or it has
 * stopped. */
static bool run_next(struct dispatch *d, struct mali_core *core, uint32_t *rounds)
{
    if (mali_is_stopped(d->queue))
        return false;
    /* A dispatch may have 2^96 workgroups, none of them with a branch backwards. */
    if (mali_is_killed(d->queue))
        return mali_stop(d->queue, GPU_STOP_KILLED, "killed between workgroups");
    struct sc_whole *whole;
    const bool is_whole = enter_whole(d, core, &whole) != NULL;
    const bool is_range = is_whole && !whole->copy && whole->exec.range;
    uint32_t step = !is_whole ? d->merged : whole->copy ? COPY_GROUPS : WHOLE_GROUPS;
    const uint64_t number =
        is_range ? take_range(d, &step) : atomic_fetch_add_explicit(&d->next, step, memory_order_relaxed);
    if (number >= d->total || mali_is_stopped(d->queue))
        return false;
    const uint64_t left = d->total - number, count = left < step ? left : step;
    const bool ok = is_whole && whole->copy ? run_copy(d, core, whole->copy, number, count)
                    : is_whole              ? run_whole(d, core, whole, number, count)
                               : begin_warps(d, core, number, (uint32_t)count) && run_group(d, core->group);
    mali_progress(d->queue);
    const uint32_t passed = is_range ? step * d->grid.rows / LEAST_ROWS : 1;
    *rounds -= passed < *rounds ? MAX2(passed, 1u) : *rounds;
    return ok;
}

/* The work around a turn costs more than a small workgroup; other jobs wait no longer than for so many. */
static bool take_turn(struct workers_job *job, unsigned worker)
{
    struct dispatch *d = (struct dispatch *)job;
    if (mali_is_stopped(d->queue) || worker >= d->wls_slots || worker >= d->tls_slots)
        return false;
    struct mali_core *core = mali_sc_core(d->queue, worker);
    if (!core || !mali_sc_enter(core, &d->launch))
        return mali_stop(d->queue, GPU_STOP_BROKEN, "the host has no memory for a workgroup");
    for (uint32_t rounds = TURN_GROUPS; rounds;) {
        if (!run_next(d, core, &rounds))
            return false;
    }
    return true;
}

/* ---- a dispatch ---- */

static void make_ids(struct dispatch *d)
{
    for (uint32_t n = 0; n < d->grid.threads; n++) {
        const uint32_t x = n % d->grid.size[0], y = n / d->grid.size[0] % d->grid.size[1],
                       z = n / d->grid.size[0] / d->grid.size[1];
        d->ids[0][n] = x | y << 16;
        d->ids[1][n] = z;
        d->ids[2][n] = x;
        d->ids[3][n] = y;
        d->ids[4][n] = z;
    }
    for (unsigned axis = 0; axis < 3; axis++)
        d->grid.local[axis] = d->ids[2 + axis];
}

static uint32_t reg(const struct mali_run *run, uint32_t number)
{
    return run->regs[number - MALI_REG_COMPUTE_SRT];
}

static bool take_registers(struct dispatch *d, const struct mali_run *run)
{
    /* Both instructions have their selections in the same place. */
    const struct mali_cs_RUN_COMPUTE inst = mali_unpack_cs_RUN_COMPUTE(run->word);
    const struct mali_environment environment = {
        .resources_va = mali_run_reg64(run, inst.SRT_SELECT * 2),
        .fau_va = mali_run_reg64(run, 8 + inst.FAU_SELECT * 2),
        .fau = mali_run_uniforms(run, mali_run_reg64(run, 8 + inst.FAU_SELECT * 2)),
        .program_va = mali_run_reg64(run, 16 + inst.SPD_SELECT * 2),
        .storage_va = mali_run_reg64(run, 24 + inst.TSD_SELECT * 2),
    };
    const struct mali_COMPUTE_WORKGROUP_SIZE size =
        mali_unpack_COMPUTE_WORKGROUP_SIZE(reg(run, MALI_REG_COMPUTE_WORKGROUP_SIZE));
    const uint32_t sizes[3] = {size.X, size.Y, size.Z};
    for (unsigned i = 0; i < 3; i++) {
        d->grid.size[i] = sizes[i];
        d->grid.offset[i] = reg(run, MALI_REG_COMPUTE_JOB_OFFSET_X + i);
        d->grid.count[i] = reg(run, MALI_REG_COMPUTE_JOB_SIZE_X + i);
    }
    d->grid.threads = sizes[0] * sizes[1] * sizes[2];
    if ((uint64_t)sizes[0] * sizes[1] * sizes[2] > MAX_THREADS)
        return mali_stop(d->queue, GPU_STOP_BROKEN, "a workgroup of %u x %u x %u threads", sizes[0], sizes[1],
                         sizes[2]);
    d->grid.lanes = MALI_ROW_LANES;
    d->grid.rows = (d->grid.threads + MALI_ROW_LANES - 1) / MALI_ROW_LANES;
    d->has_shape = exec_shape_find(sizes, MALI_ROW_LANES, &d->shape);
    d->merged = size.ALLOW_MERGING_WORKGROUPS && d->grid.rows == 1 ? MALI_ROW_LANES / d->grid.threads : 1;
    if (__builtin_mul_overflow((uint64_t)d->grid.count[0] * d->grid.count[1], (uint64_t)d->grid.count[2], &d->total))
        d->total = UINT64_MAX; /* neither would end */
    if (!mali_launch_init(&d->launch, d->queue, MALI_STAGE_COMPUTE, &environment))
        return false;
    d->launch.attribute_offset = reg(run, MALI_REG_COMPUTE_ATTRIBUTE_OFFSET);
    return true;
}

/* How many workers have local storage. */
static void count_slots(struct dispatch *d)
{
    const struct mali_chip *chip = d->queue->gpu->chip;
    const uint64_t cores = mali_chip_core_id_range(chip), threads = cores * chip->max_threads;
    d->tls_slots = d->launch.tls_size_B ? threads / (d->grid.rows * MALI_ROW_LANES) : UINT64_MAX;
    d->wls_slots = d->launch.wls_size_B ? cores * d->launch.wls_instances : UINT64_MAX;
    if (d->launch.wls_size_B)
        d->merged = 1;
}

#define IDLE_INSTRUCTIONS 8

/* A program that does nothing has done it for all workgroups at once: 2^96 of them are a valid dispatch. */
static bool is_idle(const struct mali_launch *launch)
{
    for (unsigned n = 0; n < IDLE_INSTRUCTIONS; n++) {
        uint64_t word;
        struct mali_isa_inst inst;
        if (!gpu_mem_read64(launch->space, launch->code_va + n * 8, &word) || mali_isa_decode(word, &inst) != 0 ||
            (inst.op != MALI_ISA_OP_NOP && inst.op != MALI_ISA_OP_BARRIER))
            return false;
        if (inst.flow == MALI_ISA_FLOW_END)
            return true;
    }
    return false;
}

bool mali_sc_run_compute(struct mali_run *run)
{
    struct dispatch *d = calloc(1, sizeof(*d));
    if (!d)
        return mali_stop(run->queue, GPU_STOP_BROKEN, "the host has no memory for a dispatch");
    d->queue = run->queue;
    d->job.turn = take_turn;
    d->job.owner = run->queue->group;
    d->job.stage = STAT_COMPUTE;
    bool ok = take_registers(d, run);
    if (ok && d->total) {
        count_slots(d);
        make_ids(d);
        d->job.units = d->total;
        stat_count(STAT_DISPATCHES);
        if (!is_idle(&d->launch))
            workers_run(d->queue->gpu->workers, &d->job);
        ok = !mali_is_stopped(d->queue);
    }
    free(d);
    return ok;
}
