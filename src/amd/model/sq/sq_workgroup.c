/* Runs the waves of a workgroup by turns. */
#include "amd/model/sq/sq_workgroup.h"

#include <stdlib.h>

#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_loop.h"
#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_perf.h"
#include "amd/model/sq/sq_strict.h"
#include "model/stat.h"
#include "util/debug.h"

/* Back edges that a wave may take before the next one gets its turn. Long enough that switching costs nothing, short
 * enough that a wave that spins on another's result is not spinning for long. */
#define TURN 4096

/* Every wave has room for all registers that an instruction can name, and for the widest operand after the last: no
 * program can leave it. */
#define VGPR_ROWS (256 + 16)

struct sq_workgroup *amd_sq_workgroup_create(uint32_t number)
{
    struct sq_workgroup *group = calloc(1, sizeof(*group));
    if (!group)
        return NULL;
    group->number = number;
    group->lds = aligned_alloc(64, SQ_LDS_B);
    group->fresh = aligned_alloc(64, (sizeof(struct sq_wave) + 63) & ~(size_t)63);
    if (debug_enabled(DEBUG_STRICT))
        group->strict = amd_sq_strict_group_create();
    if (!group->lds || !group->fresh || (debug_enabled(DEBUG_STRICT) && !group->strict)) {
        amd_sq_workgroup_destroy(group);
        return NULL;
    }
    memset(group->fresh, 0, sizeof(*group->fresh));
    return group;
}

void amd_sq_workgroup_destroy(struct sq_workgroup *group)
{
    if (!group)
        return;
    for (unsigned i = 0; i < SQ_MAX_WAVES; i++)
        free(group->waves[i]);
    amd_sq_strict_group_destroy(group->strict);
    free(group->fresh);
    free(group->lds);
    free(group);
}

/* Most launches have the mode of the last one. */
static void begin_mode(struct sq_wave *wave, uint32_t mode, const struct sq_wave *last)
{
    if (last->state == SQ_RUNNING && last->code && last->mode == mode) {
        wave->mode = mode;
        wave->lane_mode = last->lane_mode;
        wave->env_f32 = last->env_f32;
        wave->env_f64 = last->env_f64;
        wave->env_f16 = last->env_f16;
        wave->f16_rounds_apart = last->f16_rounds_apart;
        return;
    }
    uint64_t host = lane_env_get();
    amd_sq_set_mode(wave, mode);
    lane_env_set(host);
}

static void begin_wave(struct sq_wave *wave, const struct sq_launch *launch, struct sq_code *code,
                       struct sq_workgroup *group, uint32_t index)
{
    memset(wave->vgpr, 0, (size_t)launch->vgpr_count * launch->lanes * 4);
    if (launch->serial && group->serial == launch->serial) {
        memcpy(wave, group->fresh, offsetof(struct sq_wave, exec_lanes));
        wave->base[SQ_BASE_WAVE] = (const char *)wave;
        wave->wave_in_group = index;
        return;
    }
    memset(wave, 0, offsetof(struct sq_wave, exec_lanes));
    wave->base[SQ_BASE_WAVE] = (const char *)wave;
    wave->base[SQ_BASE_CONSTANTS] = amd_sq_code_constants(code);
    wave->lanes = launch->lanes;
    wave->vgpr_count = launch->vgpr_count;
    wave->shared_vgpr = launch->shared_vgprs && launch->lanes == 64 ? launch->vgpr_count : 0;
    wave->memory = launch->memory;
    wave->coherence = launch->coherence;
    wave->perf = launch->perf;
    wave->killed = launch->killed;
    wave->hooks = launch->hooks;
    wave->owner = launch->owner;
    wave->ta = launch->ta;
    wave->gds = launch->gds;
    wave->code = code;
    wave->lds = group->lds;
    wave->lds_size_B = launch->lds_size_B;
    wave->wave_in_group = index;
    wave->turn = TURN;
    wave->state = SQ_RUNNING;
    begin_mode(wave, launch->mode, group->fresh);
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], lanes_full_mask(launch->lanes));
    sq_exec_changed(wave);
    wave->next = amd_sq_code_enter(wave, launch->program_va);
    group->serial = launch->serial;
    memcpy(group->fresh, wave, offsetof(struct sq_wave, exec_lanes));
}

bool amd_sq_workgroup_begin(struct sq_workgroup *group, const struct sq_launch *launch, struct sq_code *code,
                            uint32_t count)
{
    stat_count_waves(count);
    if (__builtin_expect(launch->coherence != NULL, 0))
        amd_sq_note_program(launch->coherence, launch->program_va);
    if (__builtin_expect(launch->perf != NULL, 0))
        amd_sq_perf_add(launch->perf, SQ_PERF_WAVES, count);
    group->wave_count = count;
    group->barrier_count = group->ended_count = 0;
    memset(group->lds, 0, launch->lds_size_B);
    for (uint32_t i = 0; i < count; i++) {
        if (!group->waves[i])
            group->waves[i] =
                aligned_alloc(64, (sizeof(struct sq_wave) + (size_t)VGPR_ROWS * LANES_MAX * 4 + 63) & ~(size_t)63);
        if (!group->waves[i])
            return false;
        begin_wave(group->waves[i], launch, code, group, i);
        if (group->strict && !amd_sq_strict_begin(group, group->waves[i], launch))
            return false;
    }
    return true;
}

/* The executor's loop. */
static void run_wave(struct sq_wave *wave)
{
    sq_mode_enter(wave);
    do {
        const struct sq_uop *uop = wave->next++;
        uop->run(wave, uop);
    } while (__builtin_expect(wave->state == SQ_RUNNING, 1));
}

/* The executor's loop with a look at where the time goes. */
static void run_wave_counted(struct sq_wave *wave)
{
    const unsigned before = stat_switch_work(STAT_WAVES);
    sq_mode_enter(wave);
    do {
        const struct sq_uop *uop = wave->next++;
        if (amd_sq_jit_is_head(uop) || amd_sq_loop_is_head(uop)) {
            const unsigned waves = stat_switch_work(STAT_HOST);
            uop->run(wave, uop);
            stat_switch(waves);
        } else {
            uop->run(wave, uop);
        }
    } while (wave->state == SQ_RUNNING);
    stat_switch(before);
}

/* A barrier opens when every wave that has not ended is there. */
static void open_barrier(struct sq_workgroup *group)
{
    if (!group->barrier_count || group->barrier_count + group->ended_count < group->wave_count)
        return;
    for (uint32_t i = 0; i < group->wave_count; i++) {
        if (group->waves[i]->state == SQ_BARRIER)
            group->waves[i]->state = SQ_RUNNING;
    }
    group->barrier_count = 0;
}

enum sq_turn amd_sq_workgroup_run(struct sq_workgroup *group, struct sq_fault *fault_out)
{
    uint64_t host = lane_env_get();
    enum sq_turn result = SQ_TURN_DONE;
    bool yielded = false;
    while (group->ended_count < group->wave_count && !yielded) {
        for (uint32_t i = 0; i < group->wave_count; i++) {
            struct sq_wave *wave = group->waves[i];
            if (wave->state == SQ_YIELDED) {
                wave->state = SQ_RUNNING;
                wave->turn = TURN;
            }
            if (wave->state == SQ_RUNNING && __builtin_expect(wave->perf != NULL, 0))
                amd_sq_perf_run(wave);
            else if (wave->state == SQ_RUNNING && !STAT_ON)
                run_wave(wave);
            else if (wave->state == SQ_RUNNING)
                run_wave_counted(wave);
            else if (wave->state != SQ_FAULTED)
                continue;
            if (wave->state == SQ_FAULTED) {
                *fault_out = wave->fault;
                lane_env_set(host);
                return SQ_TURN_FAULT;
            }
            group->ended_count += wave->state == SQ_ENDED;
            group->barrier_count += wave->state == SQ_BARRIER;
            yielded |= wave->state == SQ_YIELDED;
            open_barrier(group);
        }
    }
    lane_env_set(host);
    if (group->ended_count < group->wave_count)
        result = SQ_TURN_GIVE_UP;
    return result;
}
