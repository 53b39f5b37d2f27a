/* Cores and warps: what each worker keeps, begin, run. */
#include "mali/model/sc/core.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "isa/lane_env.h"
#include "mali/hw/chip.h"
#include "mali/model/blocks.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/jit_build.h"
#include "mali/model/sc/strict.h"
#include "model/stat.h"

#define SPACES 4 /* address spaces whose programs a worker keeps decoded */

struct entry {
    struct mali_core *core;
    uint64_t used;
};

/* A worker runs turns of several queues, one after the other; a space may go away meanwhile, if none of them is its. */
struct mali_sc {
    _Atomic uint64_t code_epoch;
    _Atomic uint64_t borrowed; /* numbers of workers that there are not, one bit each */
    struct {
        pthread_mutex_t lock;
        struct entry entries[SPACES];
        uint64_t clock;
    } worker[WORKERS_MAX];
};

/* ---- faults ---- */

void mali_sc_fault(struct mali_warp *warp, const struct sc_uop *uop, enum mali_warp_fault_kind kind, const char *format,
                   ...)
{
    if (warp->state == MALI_WARP_FAULTED)
        return;
    warp->state = MALI_WARP_FAULTED;
    warp->fault = (struct mali_warp_fault){.kind = kind, .pc = uop->pc};
    va_list args;
    va_start(args, format);
    vsnprintf(warp->fault.why, sizeof(warp->fault.why), format, args);
    va_end(args);
}

void mali_sc_memory_fault(struct mali_warp *warp, const struct sc_uop *uop, uint64_t va, bool is_write)
{
    if (warp->state == MALI_WARP_FAULTED)
        return;
    mali_sc_fault(warp, uop, MALI_FAULT_MEMORY, "where no memory is mapped so");
    warp->fault.va = va;
    warp->fault.is_write = is_write;
}

void mali_sc_stopped(struct mali_warp *warp, const struct sc_uop *uop)
{
    mali_sc_fault(warp, uop, MALI_FAULT_NONE, "stopped");
}

/* ---- cores ---- */

static void core_destroy(struct mali_core *core)
{
    if (!core)
        return;
    mali_sc_code_destroy(core->code);
    mali_tex_destroy(core->tex);
    for (unsigned i = 0; i < SC_GROUP_ROWS; i++)
        free(core->group[i]);
    free(core->single);
    free(core->joined);
    free(core);
}

static struct lane_mode mode_of(bool has_ftz)
{
    const uint32_t keep = has_ftz ? 0 : UINT32_MAX;
    return lane_mode_complete((struct lane_mode){
        .keep_in_f32 = keep, .keep_out_f32 = keep, .keep_in_f16 = keep, .keep_out_f16 = keep, .clamps_nan = true});
}

static struct mali_core *core_create(const struct gpu_space *space, unsigned worker)
{
    const size_t size_B = (sizeof(struct mali_core) + 63) & ~(size_t)63;
    struct mali_core *core = aligned_alloc(64, size_B);
    if (!core)
        return NULL;
    memset(core, 0, size_B);
    core->space = space;
    core->number = worker;
    core->code = mali_sc_code_create(space);
    core->tex = mali_tex_create();
    mali_sc_uniforms_init(&core->uniforms);
    core->modes[0] = mode_of(false);
    core->modes[1] = mode_of(true);
    for (unsigned i = 0; i < 2; i++)
        core->envs[i] = lane_env_of(&core->modes[i], LANE_FP_F32);
    mali_sc_jit_turns(core->turns, &core->modes[0]);
    if (!core->code || !core->tex) {
        core_destroy(core);
        return NULL;
    }
    return core;
}

bool mali_sc_create(struct mali_gpu *gpu)
{
    gpu->sc = calloc(1, sizeof(*gpu->sc));
    if (!gpu->sc)
        return false;
    for (unsigned i = 0; i < WORKERS_MAX; i++)
        pthread_mutex_init(&gpu->sc->worker[i].lock, NULL);
    return true;
}

void mali_sc_destroy(struct mali_gpu *gpu)
{
    for (unsigned i = 0; gpu->sc && i < WORKERS_MAX; i++) {
        for (unsigned n = 0; n < SPACES; n++)
            core_destroy(gpu->sc->worker[i].entries[n].core);
        pthread_mutex_destroy(&gpu->sc->worker[i].lock);
    }
    free(gpu->sc);
    gpu->sc = NULL;
}

void mali_sc_invalidate_code(struct mali_gpu *gpu)
{
    atomic_fetch_add_explicit(&gpu->sc->code_epoch, 1, memory_order_relaxed);
}

void mali_sc_forget_space(struct mali_gpu *gpu, const struct gpu_space *space)
{
    for (unsigned i = 0; i < WORKERS_MAX; i++) {
        pthread_mutex_lock(&gpu->sc->worker[i].lock);
        for (unsigned n = 0; n < SPACES; n++) {
            struct entry *entry = &gpu->sc->worker[i].entries[n];
            if (entry->core && entry->core->space == space) {
                core_destroy(entry->core);
                *entry = (struct entry){0};
            }
        }
        pthread_mutex_unlock(&gpu->sc->worker[i].lock);
    }
}

struct mali_core *mali_sc_core(struct mali_queue *queue, unsigned worker)
{
    struct mali_sc *sc = queue->gpu->sc;
    pthread_mutex_lock(&sc->worker[worker].lock);
    struct entry *oldest = &sc->worker[worker].entries[0], *found = NULL;
    for (unsigned n = 0; n < SPACES && !found; n++) {
        struct entry *entry = &sc->worker[worker].entries[n];
        if (entry->core && entry->core->space == queue->space)
            found = entry;
        else if (!entry->core || (oldest->core && entry->used < oldest->used))
            oldest = entry;
    }
    if (!found) {
        found = oldest;
        core_destroy(found->core);
        found->core = core_create(queue->space, worker);
    }
    found->used = ++sc->worker[worker].clock;
    struct mali_core *core = found->core;
    pthread_mutex_unlock(&sc->worker[worker].lock);
    return core;
}

/* The lowest number, so that it is mostly the same core. */
bool mali_sc_borrow(struct mali_gpu *gpu, unsigned *worker_out)
{
    uint64_t taken = atomic_load_explicit(&gpu->sc->borrowed, memory_order_relaxed), unused;
    do {
        unused = ~taken & ~lanes_full_mask(workers_count(gpu->workers));
        if (!unused)
            return false;
        *worker_out = (unsigned)__builtin_ctzll(unused);
    } while (!atomic_compare_exchange_weak_explicit(&gpu->sc->borrowed, &taken, taken | 1ull << *worker_out,
                                                    memory_order_acquire, memory_order_relaxed));
    return true;
}

void mali_sc_give_back(struct mali_gpu *gpu, unsigned worker)
{
    atomic_fetch_and_explicit(&gpu->sc->borrowed, ~(1ull << worker), memory_order_release);
}

bool mali_sc_enter(struct mali_core *core, const struct mali_launch *launch)
{
    const uint64_t epoch = atomic_load_explicit(&launch->queue->gpu->sc->code_epoch, memory_order_relaxed);
    if (core->code_epoch != epoch) {
        core->code_epoch = epoch;
        mali_sc_code_validate(core->code);
    }
    mali_sc_code_trim(core->code);
    mali_sc_code_exec(core->code)->progress = &launch->queue->group->progress;
    mali_sc_uniforms_enter(&core->uniforms, launch, core->number);
    mali_tex_watch(core->tex, launch->queue->coherence);
    return true;
}

/* ---- warps ---- */

struct mali_warp *mali_sc_warp_create(void)
{
    const size_t strict_at_B = (sizeof(struct mali_warp) + 63) & ~(size_t)63, strict_B = mali_sc_strict_size_B();
    const size_t size_B = strict_at_B + ((strict_B + 63) & ~(size_t)63);
    struct mali_warp *warp = aligned_alloc(64, size_B);
    if (!warp)
        return NULL;
    memset(warp, 0, size_B);
    if (strict_B)
        warp->strict = (struct sc_strict *)(void *)((char *)warp + strict_at_B);
    return warp;
}

bool mali_sc_warp_begin(struct mali_core *core, struct mali_warp *warp, const struct mali_launch *launch)
{
    stat_count_waves(1);
    memset(warp, 0, offsetof(struct mali_warp, strict));
    if (warp->strict)
        mali_sc_strict_begin(warp->strict);
    warp->base[SC_BASE_WARP] = (const char *)warp;
    warp->base[SC_BASE_CONSTANTS] = mali_sc_code_constants(core->code);
    warp->base[SC_BASE_UNIFORMS] = (const char *)core->uniforms.rows;
    warp->launch = launch;
    warp->memory = core->space;
    warp->core = core;
    warp->code = core->code;
    static const _Atomic bool never = false;
    warp->stop_flag = launch->queue->killed ? launch->queue->killed : &never;
    warp->turn = SC_TURN;
    warp->lane_mode = core->modes[launch->has_ftz];
    warp->env = core->envs[launch->has_ftz];
    warp->turns = core->turns;
    warp->launched = warp->covered = UINT64_MAX;
    warp->state = MALI_WARP_RUNNING;
    return launch->code_va != 0;
}

void mali_sc_warp_storage(struct mali_warp *warp, uint64_t first_thread, uint64_t workgroup_slot)
{
    const struct mali_launch *launch = warp->launch;
    const uint64_t wls_va = launch->wls_va + workgroup_slot * launch->wls_size_B;
    const struct mali_storage storage = {launch->tls_va, wls_va, first_thread, launch->tls_size_B, launch->wls_size_B};
    if (warp->has_storage && memcmp(&warp->storage, &storage, sizeof(storage)) == 0)
        return;
    warp->has_storage = true;
    warp->storage = storage;
    for (unsigned i = 0; i < MALI_ROW_LANES && launch->tls_size_B; i++) {
        const uint64_t va = launch->tls_va + (first_thread + i) * launch->tls_size_B;
        warp->tls[i] = (uint32_t)va;
        warp->tls[MALI_ROW_LANES + i] = (uint32_t)(va >> 32);
    }
    if (launch->wls_size_B) {
        lanes_splat(warp->wls, (uint32_t)wls_va, MALI_ROW_LANES);
        lanes_splat(warp->wls + MALI_ROW_LANES, (uint32_t)(wls_va >> 32), MALI_ROW_LANES);
    }
    const uint32_t warps = launch->queue->gpu->chip->max_threads / MALI_WARP_LANES;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        warp->warp_id[i] = (uint32_t)((first_thread + i) / MALI_WARP_LANES) % warps;
        warp->warp_id[MALI_ROW_LANES + i] = warps - 1;
    }
}

struct mali_warp *mali_sc_begin(struct mali_core *core, const struct mali_launch *launch)
{
    if (!core->single)
        core->single = mali_sc_warp_create();
    if (!core->single || !mali_sc_warp_begin(core, core->single, launch))
        return NULL;
    mali_sc_warp_storage(core->single, (uint64_t)core->number * MALI_ROW_LANES, 0);
    return core->single;
}

static void run_uops(struct mali_warp *warp)
{
    if (!warp->next && warp->state == MALI_WARP_RUNNING) {
        mali_warp_run_lanes(warp, warp->launched);
        warp->next = mali_sc_code_enter(warp, warp->launch->code_va);
    }
    while (__builtin_expect(warp->state == MALI_WARP_RUNNING, 1)) {
        const struct sc_uop *uop = warp->next++;
        uop->run(warp, uop);
    }
}

/* The loop of micro-operations with a look at where the time goes. */
static void run_uops_counted(struct mali_warp *warp)
{
    const unsigned before = stat_switch_work(STAT_WAVES);
    if (!warp->next && warp->state == MALI_WARP_RUNNING) {
        mali_warp_run_lanes(warp, warp->launched);
        warp->next = mali_sc_code_enter(warp, warp->launch->code_va);
    }
    while (warp->state == MALI_WARP_RUNNING) {
        const struct sc_uop *uop = warp->next++;
        if (mali_sc_jit_is_head(uop) || mali_sc_loop_is_head(uop)) {
            const unsigned waves = stat_switch_work(STAT_HOST);
            uop->run(warp, uop);
            stat_switch(waves);
        } else {
            uop->run(warp, uop);
        }
    }
    stat_switch(before);
}

void mali_sc_warp_run(struct mali_warp *warp)
{
    const uint64_t host = lane_env_get();
    lane_env_set(warp->env);
    if (STAT_ON)
        run_uops_counted(warp);
    else
        run_uops(warp);
    lane_env_set(host);
}

bool mali_sc_run(struct mali_warp *warp)
{
    if (!warp->launched)
        return true;
    do {
        mali_sc_warp_run(warp);
        if (warp->state == MALI_WARP_YIELDED) { /* nothing else runs on this worker meanwhile */
            warp->state = MALI_WARP_RUNNING;
            warp->turn = SC_TURN;
        }
    } while (warp->state == MALI_WARP_RUNNING);
    if (warp->state == MALI_WARP_ENDED)
        return true;
    mali_sc_report(warp);
    return false;
}
