/* See spi_compute.h. A worker takes the next workgroup when it is free; workgroups that give up their turn stay
 * resident on the worker that started them, and new ones are started beside them, up to RESIDENT. Not for: packets and
 * registers (cp_*.c), or what a wave does (sq_*.c). */
#include "amd/model/spi/spi_compute.h"

#include <stdlib.h>
#include <string.h>

#include "amd/isa/isa.h"
#include "amd/model/spi/spi_workers.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_move_launch.h"
#include "amd/model/sq/sq_whole.h"
#include "util/bits.h"

#define MAX_THREADS 1024 /* of a workgroup */
#define RESIDENT 16      /* workgroups of one dispatch that a worker can have in flight */

#define TAKEN_GROUPS 16
#define TAKEN_ROWS 64
#define FEW_GROUPS 1024 /* are shared among workers one by one */

/* The workgroups of one dispatch that one worker has in flight. */
struct residents {
    struct sq_workgroup *groups[RESIDENT];
    uint32_t count;
    uint64_t next, end;   /* numbers that were taken and not begun yet */
    struct sq_move *move; /* the last one did nothing but copy by this; NULL: it did more */
};

struct dispatch {
    struct workers_job job;
    struct spi *spi;
    const struct spi_compute_state *state;
    struct sq_launch launch;
    uint32_t groups[3];  /* how many */
    uint32_t partial[3]; /* threads of the last one, or all of them */
    uint64_t total;
    _Atomic uint64_t next;
    _Atomic bool stop;
    struct residents *residents;         /* one a worker */
    uint32_t (*thread_ids)[MAX_THREADS]; /* of a whole workgroup, by the number of the thread: x, y and z */
    pthread_mutex_t fault_lock;
    bool faulted;
    struct sq_fault fault;
};

enum {
    INITIATOR_PARTIAL_TG = 1 << 1,
    INITIATOR_START_AT_000 = 1 << 2,
    INITIATOR_THREAD_DIMENSIONS = 1 << 5,
    INITIATOR_WAVE32 = 1 << 15,
};

/* ---- initial state of waves ---- */

/* Threads are numbered along x, then y, then z; those beyond the group are inactive, whatever their numbers. */
static void number_threads(const uint32_t size[3], uint32_t first, uint32_t count, uint32_t components,
                           uint32_t *const ids[3])
{
    uint32_t place[3] = {first % size[0], first / size[0] % size[1], first / size[0] / size[1]};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t n = 0; n < components; n++)
            ids[n][i] = place[n];
        for (uint32_t n = 0; n < 3 && ++place[n] == size[n] && n < 2; n++)
            place[n] = 0;
    }
}

static void begin_registers(const struct dispatch *d, struct sq_wave *wave, const uint32_t id[3],
                            const uint32_t threads[3], uint32_t wave_count, uint64_t scratch_slot)
{
    const struct spi_compute_state *state = d->state;
    uint32_t rsrc2 = state->rsrc2, at = rsrc2 >> 1 & 31;
    memcpy(wave->sgpr, state->user_data, MIN2(at, ARRAY_SIZE(state->user_data)) * 4);
    for (unsigned axis = 0; axis < 3; axis++) {
        if (rsrc2 >> (7 + axis) & 1)
            wave->sgpr[at++] = id[axis];
    }
    /* Waves [5:0], the ordered append term [16:6], which counts them unless the dispatch says otherwise, and GFX10.3's
     * own number of the wave [24:20]. */
    if (rsrc2 >> 10 & 1)
        wave->sgpr[at++] = wave_count | wave->wave_in_group << 6 | wave->wave_in_group << 20;
    if (rsrc2 & 1)
        wave->sgpr[at++] = (uint32_t)(scratch_slot * (state->tmpring_size >> 12 & 0x1fff) * 1024);

    uint32_t total = threads[0] * threads[1] * threads[2], first = wave->wave_in_group * wave->lanes;
    uint32_t components = MIN2((rsrc2 >> 11 & 3) + 1, 3);
    bool is_whole = true;
    for (unsigned axis = 0; axis < 3; axis++)
        is_whole &= threads[axis] == (state->num_thread[axis] & 0xffff);
    uint32_t *rows[3] = {wave->vgpr, wave->vgpr + wave->lanes, wave->vgpr + 2 * wave->lanes};
    if (!is_whole)
        number_threads(threads, first, wave->lanes, components, rows);
    for (uint32_t n = 0; n < components && is_whole; n++)
        memcpy(rows[n], d->thread_ids[n] + first, wave->lanes * 4);
    uint32_t active = total > first ? MIN2(total - first, wave->lanes) : 0;
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], bits_mask(active));
    sq_exec_changed(wave);

    /* The apertures of flat addresses, where the kernel puts them. */
    wave->sgpr[SQ_SHARED_BASE + 1] = 0x00020000;
    wave->sgpr[SQ_SHARED_LIMIT + 1] = 0x00020000;
    wave->sgpr[SQ_SHARED_LIMIT] = UINT32_MAX;
    wave->sgpr[SQ_PRIVATE_BASE + 1] = 0x00010000;
    wave->sgpr[SQ_PRIVATE_LIMIT + 1] = 0x00010000;
    wave->sgpr[SQ_PRIVATE_LIMIT] = UINT32_MAX;
}

static struct sq_workgroup *take_group(struct spi_worker *worker)
{
    if (worker->spare_count)
        return worker->spare[--worker->spare_count];
    return amd_sq_workgroup_create(worker->created++);
}

static void put_group(struct spi_worker *worker, struct sq_workgroup *group)
{
    if (worker->spare_count < SPI_SPARE)
        worker->spare[worker->spare_count++] = group;
    else
        amd_sq_workgroup_destroy(group);
}

/* The numbers of workgroup `index`, and its threads. */
static void find_group(const struct dispatch *d, uint64_t index, uint32_t id[3], uint32_t threads[3])
{
    id[0] = (uint32_t)(index % d->groups[0]);
    id[1] = (uint32_t)(index / d->groups[0] % d->groups[1]);
    id[2] = (uint32_t)(index / d->groups[0] / d->groups[1]);
    for (unsigned axis = 0; axis < 3; axis++) {
        threads[axis] = id[axis] + 1 == d->groups[axis] ? d->partial[axis] : d->state->num_thread[axis] & 0xffff;
        if (!(d->state->initiator & INITIATOR_START_AT_000))
            id[axis] += d->state->start[axis];
    }
}

/* Start workgroup number `index`. False: no memory. */
static bool start_group(struct dispatch *d, unsigned worker, struct sq_workgroup *group, struct sq_code *code,
                        uint64_t index)
{
    uint32_t id[3], threads[3];
    find_group(d, index, id, threads);
    uint32_t count = (uint32_t)div_round_up((uint64_t)threads[0] * threads[1] * threads[2], d->launch.lanes);
    if (!amd_sq_workgroup_begin(group, &d->launch, code, count))
        return false;
    uint64_t slot = ((uint64_t)group->number * d->spi->count + worker) * SQ_MAX_WAVES;
    for (uint32_t i = 0; i < count; i++)
        begin_registers(d, group->waves[i], id, threads, count, slot + i);
    return true;
}

static const struct sq_fault no_memory = {.kind = SQ_FAULT_INSTRUCTION, .why = "the host has no memory for a wave"};
static const struct sq_fault context_lost = {.kind = SQ_FAULT_KILLED, .why = "the context was lost"};

static void set_fault(struct dispatch *d, const struct sq_fault *fault)
{
    pthread_mutex_lock(&d->fault_lock);
    if (!d->faulted)
        d->fault = *fault;
    d->faulted = true;
    pthread_mutex_unlock(&d->fault_lock);
    atomic_store(&d->stop, true);
}

/* ---- waves that stay for all workgroups ---- */

/* Threads of a workgroup that is not a partial one. */
static uint32_t count_threads(const struct dispatch *d)
{
    uint32_t total = 1;
    for (unsigned axis = 0; axis < 3; axis++)
        total *= d->state->num_thread[axis] & 0xffff;
    return total;
}

/* Workgroups differ by their numbers alone, and have no inactive lanes. */
static bool can_stay(const struct dispatch *d)
{
    return count_threads(d) % d->launch.lanes == 0 && !(d->state->rsrc2 & 1) && !d->launch.shared_vgprs &&
           !d->launch.perf;
}

/* The registers that have a workgroup's numbers. */
static struct sq_registers numbers_of(const struct dispatch *d)
{
    const uint32_t rsrc2 = d->state->rsrc2;
    return sq_registers_only(rsrc2 >> 1 & 31, (unsigned)__builtin_popcount(rsrc2 >> 7 & 7));
}

/* A workgroup of the dispatch, with the first one's numbers. False: no memory, or strict mode. */
static bool begin_staying(const struct dispatch *d, struct sq_workgroup **group, struct sq_code *code)
{
    const uint32_t first[3] = {0};
    uint32_t threads[3];
    for (unsigned axis = 0; axis < 3; axis++)
        threads[axis] = d->state->num_thread[axis] & 0xffff;
    if (!*group)
        *group = amd_sq_workgroup_create(0);
    if (!*group || (*group)->strict ||
        !amd_sq_workgroup_begin(*group, &d->launch, code, count_threads(d) / d->launch.lanes))
        return false;
    for (uint32_t i = 0; i < (*group)->wave_count; i++)
        begin_registers(d, (*group)->waves[i], first, threads, (*group)->wave_count, 0);
    return true;
}

/* ---- programs that run as a whole ---- */

static bool begin_whole(const struct dispatch *d, struct spi_worker *worker, struct sq_code *code)
{
    const uint32_t rsrc2 = d->state->rsrc2, lanes = d->launch.lanes, row = d->state->num_thread[0] & 0xffff;
    if (!can_stay(d))
        return false;
    struct sq_whole_key key;
    memset(&key, 0, sizeof(key)); /* keys are compared as memory */
    key.program_va = d->launch.program_va;
    key.mode = d->launch.mode;
    key.lanes = lanes;
    key.vgpr_count = d->launch.vgpr_count;
    key.given = MIN2((rsrc2 >> 11 & 3) + 1, 3);
    if (row % lanes == 0) { /* a wave is a row of threads, or a part of one */
        key.lines = 1;
        key.ones = 6;
    }
    key.varying = numbers_of(d);
    struct sq_whole *whole = amd_sq_whole_of(code, &key);
    if (!whole || !amd_sq_whole_is_worth_it(whole, d->total * (count_threads(d) / lanes)) ||
        !begin_staying(d, &worker->whole.group, code))
        return false;
    worker->whole.whole = whole;
    return amd_sq_whole_begin(whole, worker->whole.group);
}

/* The dispatch's program, if it is one that runs as a whole; looked for once. */
static struct sq_whole *find_whole(const struct dispatch *d, struct spi_worker *worker, struct sq_code *code)
{
    const uint32_t epoch = amd_sq_code_exec(code)->epoch;
    if (worker->whole.serial != d->launch.serial || worker->whole.code != code || worker->whole.epoch != epoch) {
        worker->whole.serial = d->launch.serial;
        worker->whole.code = code;
        worker->whole.epoch = epoch;
        if (!begin_whole(d, worker, code))
            worker->whole.whole = NULL;
    }
    return worker->whole.whole && worker->whole.whole->state == SQ_WHOLE_READY ? worker->whole.whole : NULL;
}

/* The numbers of workgroup `index` in registers. False: it has fewer threads than the others. */
static bool find_varying(const struct dispatch *d, uint64_t index, uint32_t varying[3])
{
    uint32_t id[3], threads[3], count = 0;
    find_group(d, index, id, threads);
    for (unsigned axis = 0; axis < 3; axis++) {
        if (threads[axis] != (d->state->num_thread[axis] & 0xffff))
            return false;
        if (d->state->rsrc2 >> (7 + axis) & 1)
            varying[count++] = id[axis];
    }
    return true;
}

static bool must_stop(const struct dispatch *d)
{
    return atomic_load_explicit(&d->stop, memory_order_relaxed) ||
           atomic_load_explicit(d->launch.killed, memory_order_relaxed);
}

/* Run workgroup `index`, and those that were taken with it. False: it is not one for that. */
static bool run_whole(struct dispatch *d, struct spi_worker *worker, struct residents *mine, struct sq_whole *whole,
                      uint64_t index)
{
    struct sq_workgroup *group = worker->whole.group;
    struct sq_fault fault;
    uint32_t varying[3];
    if (!whole || !find_varying(d, index, varying))
        return false;
    const uint64_t host = lane_env_get();
    uint32_t count = 0;
    bool is_more;
    sq_mode_enter(group->waves[0]);
    do {
        if (!amd_sq_whole_run(whole, group, d->launch.lds_size_B, varying, &fault))
            set_fault(d, &fault);
        count++;
        is_more = mine->next < mine->end && whole->state == SQ_WHOLE_READY && !must_stop(d) &&
                  find_varying(d, mine->next, varying);
        mine->next += is_more;
    } while (is_more);
    lane_env_set(host);
    atomic_fetch_add_explicit(&d->spi->progress, count, memory_order_relaxed);
    return true;
}

/* ---- programs that only copy ---- */

/* The dispatch's copies, if its workgroups need no waves; looked for once. */
static struct sq_move_launch *find_launch(const struct dispatch *d, struct spi_worker *worker, struct sq_move *move,
                                          struct sq_code *code)
{
    const uint32_t epoch = amd_sq_code_exec(code)->epoch;
    if (worker->moves.serial != d->launch.serial || worker->moves.move != move || worker->moves.epoch != epoch) {
        const struct sq_registers numbers = numbers_of(d);
        worker->moves.serial = d->launch.serial;
        worker->moves.program_va = d->launch.program_va;
        worker->moves.code = code;
        worker->moves.move = move;
        worker->moves.epoch = epoch;
        worker->moves.launch = NULL;
        if (can_stay(d) && count_threads(d) == d->launch.lanes && begin_staying(d, &worker->moves.group, code))
            worker->moves.launch =
                amd_sq_move_launch_begin(move, worker->moves.group->waves[0], d->launch.program_va, &numbers);
    }
    return worker->moves.launch;
}

/* The end of the program, if it was the last one that copied; otherwise its first workgroup will tell. */
static struct sq_move *find_move(const struct dispatch *d, const struct spi_worker *worker, struct sq_code *code)
{
    const bool is_known = worker->moves.launch && worker->moves.code == code &&
                          worker->moves.epoch == amd_sq_code_exec(code)->epoch &&
                          worker->moves.program_va == d->launch.program_va;
    return is_known ? worker->moves.move : NULL;
}

/* Copy for workgroup `index`, and for those that were taken with it. False: it must run as a wave. */
static bool run_moves(struct dispatch *d, struct spi_worker *worker, struct residents *mine, struct sq_code *code,
                      uint64_t index)
{
    struct sq_move_launch *launch = mine->move ? find_launch(d, worker, mine->move, code) : NULL;
    uint32_t varying[3], count = 1;
    if (!launch || !find_varying(d, index, varying) || !amd_sq_move_launch_add(launch, varying))
        return false;
    /* A row, or some where they are short. */
    const bool has_rows = 2 * d->groups[0] >= TAKEN_GROUPS;
    for (; mine->next < mine->end && !(has_rows && mine->next % d->groups[0] == 0) && !must_stop(d);
         mine->next++, count++) {
        if (!find_varying(d, mine->next, varying) || !amd_sq_move_launch_add(launch, varying))
            break;
    }
    amd_sq_move_launch_do(launch);
    atomic_fetch_add_explicit(&d->spi->progress, count, memory_order_relaxed);
    return true;
}

/* How many workgroups a worker takes at a time. Of copies neighbours, which have neighbouring memory: what one of them
 * has brought near belongs to the next one, too. None waits for another. Rows of workgroups stay whole, where there are
 * enough for all, and a worker has as many of them as leave half of its share for later: a core is quickest where it
 * goes on from where it was. The last ones are shared in smaller parts. */
static uint64_t count_taken(const struct dispatch *d, const struct residents *mine, const struct sq_whole *whole)
{
    if (whole)
        return d->total > FEW_GROUPS ? TAKEN_GROUPS : 1;
    const uint64_t next = mine->move ? atomic_load_explicit(&d->next, memory_order_relaxed) : d->total;
    if (next >= d->total)
        return 1;
    const uint64_t left = d->total - next, row = d->groups[0] - next % d->groups[0];
    const uint64_t rows = MIN2(left / (2 * d->spi->count) / d->groups[0], (uint64_t)TAKEN_ROWS);
    if (row <= TAKEN_GROUPS && row == d->groups[0] && rows)
        return rows * d->groups[0];
    if (row <= TAKEN_GROUPS && left / d->spi->count >= row)
        return row;
    return MIN2(left / (4 * d->spi->count) + 1, TAKEN_GROUPS);
}

static bool has_none_left(const struct dispatch *d, const struct residents *mine)
{
    return mine->next == mine->end && atomic_load_explicit(&d->next, memory_order_relaxed) >= d->total;
}

/* The next workgroup: of a program that runs as a whole several are taken at a time. False: there is none. */
static bool take_index(struct dispatch *d, struct residents *mine, const struct sq_whole *whole, uint64_t *index_out)
{
    if (mine->next == mine->end) {
        const uint64_t count = count_taken(d, mine, whole);
        mine->next = atomic_fetch_add_explicit(&d->next, count, memory_order_relaxed);
        mine->end = MIN2(mine->next + count, d->total);
        if (mine->next >= d->total) {
            mine->next = mine->end;
            return false;
        }
    }
    *index_out = mine->next++;
    return true;
}

/* Start workgroups until `wanted` are in flight or none is left. */
static void fill_slots(struct dispatch *d, unsigned number, unsigned cache, uint32_t wanted)
{
    struct spi_worker *worker = &d->spi->state[number];
    struct residents *mine = &d->residents[number];
    while (mine->count < MIN2(wanted, RESIDENT) && !atomic_load_explicit(&d->stop, memory_order_relaxed)) {
        /* A dispatch may have 2^96 workgroups, none of them with a branch backwards. Where none is left, those that run
         * say where they were killed. */
        if (has_none_left(d, mine))
            return;
        if (atomic_load_explicit(d->launch.killed, memory_order_relaxed)) {
            set_fault(d, &context_lost);
            return;
        }
        struct sq_whole *whole = find_whole(d, worker, worker->caches[cache].code);
        uint64_t index;
        if (mine->next == mine->end)
            amd_sq_moves_do_copies(
                amd_sq_code_moves(worker->caches[cache].code)); /* others may be waiting for the last ones */
        if (!take_index(d, mine, whole, &index))
            return;
        if (run_moves(d, worker, mine, worker->caches[cache].code, index) || run_whole(d, worker, mine, whole, index))
            continue;
        struct sq_workgroup *group = take_group(worker);
        if (!group || !start_group(d, number, group, worker->caches[cache].code, index)) {
            amd_sq_workgroup_destroy(group);
            set_fault(d, &no_memory);
            return;
        }
        mine->groups[mine->count++] = group;
        worker->caches[cache].resident++;
    }
}

/* Give every resident workgroup a turn; true when one of them gave up. */
static bool run_residents(struct dispatch *d, unsigned number, unsigned cache)
{
    struct spi_worker *worker = &d->spi->state[number];
    struct residents *mine = &d->residents[number];
    bool gave_up = false;
    for (uint32_t i = 0; i < mine->count;) {
        struct sq_fault fault;
        bool stop = atomic_load_explicit(&d->stop, memory_order_relaxed);
        enum sq_turn result = stop ? SQ_TURN_DONE : amd_sq_workgroup_run(mine->groups[i], &fault);
        if (result == SQ_TURN_GIVE_UP) {
            gave_up = true;
            i++;
            continue;
        }
        if (result == SQ_TURN_FAULT)
            set_fault(d, &fault);
        atomic_fetch_add_explicit(&d->spi->progress, 1, memory_order_relaxed);
        mine->move = mine->groups[i]->waves[0]->move;
        put_group(worker, mine->groups[i]);
        worker->caches[cache].resident--;
        mine->groups[i] = mine->groups[--mine->count];
    }
    return gave_up;
}

/* One workgroup at a time as long as none gives up its turn; one more beside those that do, for they may wait for it.
 */
static bool take_turn(struct workers_job *job, unsigned number)
{
    struct dispatch *d = (struct dispatch *)job;
    struct residents *mine = &d->residents[number];
    unsigned cache = amd_spi_find_code(d->spi, &d->spi->state[number], d->launch.memory);
    if (cache == SPI_CACHES) {
        set_fault(d, &no_memory);
        return false;
    }
    struct sq_code *code = d->spi->state[number].caches[cache].code;
    struct sq_moves *moves = amd_sq_code_moves(code);
    bool gave_up = false;
    moves->may_wait = true;
    mine->move = find_move(d, &d->spi->state[number], code); /* programs may have been decoded anew */
    do {
        fill_slots(d, number, cache, mine->count + 1);
        if (!mine->count)
            break;
        gave_up = run_residents(d, number, cache);
    } while (!gave_up); /* other jobs may have what these wait for */
    amd_sq_moves_do(moves);
    moves->may_wait = false;
    return gave_up;
}

#define MANY_GROUPS 64
#define IDLE_INSTRUCTIONS 4

/* A program that does nothing has done it for all workgroups at once: 65,535 times 65,535 times 65,535 of them are a
 * valid dispatch. */
static bool is_idle(const struct gpu_space *memory, uint64_t va)
{
    for (unsigned n = 0; n < IDLE_INSTRUCTIONS; n++) {
        uint32_t words[ISA_MAX_DW], count = 0;
        struct isa_inst inst;
        while (count < ISA_MAX_DW && gpu_mem_read32(memory, va + count * 4, &words[count]))
            count++;
        int size_dw = count ? amd_isa_decode(ISA_GFX10_3, words, count, &inst) : ISA_ERROR_TRUNCATED;
        if (size_dw < 0)
            return false;
        if (inst.op == ISA_OP_S_ENDPGM)
            return true;
        if (inst.op != ISA_OP_S_NOP && inst.op != ISA_OP_S_BARRIER && inst.op != ISA_OP_S_INST_PREFETCH)
            return false;
        va += (uint32_t)size_dw * 4;
    }
    return false;
}

bool amd_spi_run_compute(struct spi *spi, const struct gpu_space *memory, const struct spi_compute_state *state,
                         const _Atomic bool *killed, struct sq_fault *fault_out)
{
    uint32_t rsrc1 = state->rsrc1, lanes = state->initiator & INITIATOR_WAVE32 ? 32 : 64;
    struct dispatch d = {
        .job = {.turn = take_turn, .is_shared = true},
        .spi = spi,
        .state = state,
        .launch =
            {
                .program_va = state->program_va,
                .lanes = lanes,
                .vgpr_count = MIN2(((rsrc1 & 63) + 1) * (lanes == 32 ? 8 : 4), 256),
                .shared_vgprs = (state->rsrc3 & 15) * 8,
                .is_wgp_mode = state->rsrc1 >> 29 & 1,
                .mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9,
                .lds_size_B = MIN2((state->rsrc2 >> 15 & 0x1ff) * 512, SQ_LDS_B),
                .memory = memory,
                .coherence = state->coherence,
                .perf = state->perf,
                .killed = killed,
                .ta = &state->ta,
                .gds = &state->gds,
                .serial = atomic_fetch_add_explicit(&spi->serial, 1, memory_order_relaxed) + 1,
            },
        .total = 1,
        .fault_lock = PTHREAD_MUTEX_INITIALIZER,
    };
    uint64_t threads = 1;
    for (unsigned axis = 0; axis < 3; axis++) {
        uint32_t full = state->num_thread[axis] & 0xffff, partial = state->num_thread[axis] >> 16;
        uint32_t dim = state->dim[axis];
        if (!full) {
            *fault_out =
                (struct sq_fault){.kind = SQ_FAULT_INSTRUCTION, .why = "a dispatch with workgroups of no threads"};
            return false;
        }
        threads *= full;
        d.groups[axis] = dim;
        d.partial[axis] = full;
        if (state->initiator & INITIATOR_THREAD_DIMENSIONS) {
            d.groups[axis] = (uint32_t)div_round_up(dim, full);
            d.partial[axis] = dim % full ? dim % full : full;
        } else if ((state->initiator & INITIATOR_PARTIAL_TG) && partial) {
            d.partial[axis] = partial;
        }
        if (!(state->initiator & INITIATOR_START_AT_000)) /* the packet's size is where the dispatch ends */
            d.groups[axis] -= MIN2(state->start[axis], d.groups[axis]);
        if (__builtin_mul_overflow(d.total, (uint64_t)d.groups[axis], &d.total))
            d.total = UINT64_MAX; /* neither would end */
    }
    if (threads > MAX_THREADS) {
        *fault_out = (struct sq_fault){.kind = SQ_FAULT_INSTRUCTION,
                                       .why = "a dispatch with workgroups of more than 1,024 threads"};
        return false;
    }
    if (!d.total || (d.total > MANY_GROUPS && !state->perf && is_idle(memory, state->program_va)))
        return true;
    d.residents = calloc(spi->count, sizeof(*d.residents));
    if (!d.residents) {
        *fault_out = no_memory;
        return false;
    }
    uint32_t thread_ids[3][MAX_THREADS];
    d.thread_ids = thread_ids;
    uint32_t size[3] = {state->num_thread[0] & 0xffff, state->num_thread[1] & 0xffff, state->num_thread[2] & 0xffff};
    number_threads(size, 0, (uint32_t)align_u64(threads, lanes), 3,
                   (uint32_t *[3]){d.thread_ids[0], d.thread_ids[1], d.thread_ids[2]});
    d.job.stage = STAT_COMPUTE;
    d.job.units = d.total;
    stat_count(STAT_DISPATCHES);
    workers_run(spi->workers, &d.job);
    free(d.residents);
    if (d.faulted)
        *fault_out = d.fault;
    return !d.faulted;
}
