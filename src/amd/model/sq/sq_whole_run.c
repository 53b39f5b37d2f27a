/* Whole programs run, see sq_whole.h: which program a launch has, its prelude, its workgroups. */
#include <string.h>

#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_whole.h"
#include "model/stat.h"
#include "util/bits.h"
#include "util/debug.h"

#define WORTH_IT 256 /* waves, before a program gets code of its own */
#define MOST 64      /* programs of a cache: finding one among more would cost more than it saves */
#define MOST_MISSES 64

/* ---- launches ---- */

struct sq_whole *amd_sq_whole_of(struct sq_code *code, const struct sq_whole_key *key)
{
    struct exec_code *exec = amd_sq_code_exec(code);
    unsigned count = 0;
    if (!exec->jit || !amd_sq_code_jit(code))
        return NULL;
    for (struct sq_whole *whole = exec->wholes; whole; whole = whole->next) {
        if (!memcmp(&whole->key, key, sizeof(*key)))
            return whole;
        count++;
    }
    struct sq_whole *made = count < MOST ? amd_sq_code_alloc(code, sizeof(*made)) : NULL;
    if (!made)
        return NULL;
    memset(made, 0, sizeof(*made));
    made->key = *key;
    made->next = exec->wholes;
    exec->wholes = made;
    return made;
}

bool amd_sq_whole_is_worth_it(struct sq_whole *whole, uint64_t waves)
{
    if (whole->state == SQ_WHOLE_WAITS)
        whole->waited += (uint32_t)MIN2(waves, WORTH_IT);
    return whole->state != SQ_WHOLE_NEVER && (whole->waited >= WORTH_IT || debug_enabled(DEBUG_JITNOW));
}

bool amd_sq_whole_begin(struct sq_whole *whole, struct sq_workgroup *group)
{
    if (whole->state == SQ_WHOLE_WAITS)
        amd_sq_whole_make(whole, group->waves[0]);
    if (whole->state == SQ_WHOLE_NEVER)
        return false;
    const uint64_t host = lane_env_get();
    bool is_good = true;
    for (uint32_t i = 0; i < group->wave_count && is_good; i++) {
        struct sq_wave *wave = group->waves[i];
        memcpy(wave->attributes, wave->vgpr, (size_t)whole->key.given * wave->lanes * 4);
        sq_mode_enter(wave);
        for (uint32_t n = 0; n < whole->prelude_count && wave->state == SQ_RUNNING; n++)
            whole->prelude[n]->run(wave, whole->prelude[n]);
        is_good = wave->state == SQ_RUNNING && wave->exec_full;
        for (uint32_t n = 0; n < whole->restored_count; n++) {
            const unsigned r = whole->restored[n];
            wave->restored[n] = r == SQ_REGISTER_SCC ? wave->scc : wave->sgpr[r];
        }
    }
    lane_env_set(host);
    return is_good;
}

/* ---- workgroups ---- */

/* As the launch has left them: micro-operations look there. */
static void fill_fresh(const struct sq_whole *whole, struct sq_wave *wave, const struct sq_rows *fresh)
{
    for (unsigned v = 0; v < whole->key.vgpr_count; v++) {
        uint32_t *row = wave->vgpr + (size_t)v * wave->lanes;
        if (!sq_rows_have(fresh, v))
            continue;
        if (v < whole->key.given)
            memcpy(row, wave->attributes + (size_t)v * wave->lanes, wave->lanes * 4);
        else
            memset(row, 0, wave->lanes * 4);
    }
}

/* A part that its code is not for. */
static void run_plain(struct sq_whole *whole, struct sq_wave *wave, const struct sq_part *part)
{
    fill_fresh(whole, wave, &part->fresh);
    for (uint32_t i = part->code_begin; i < part->code_end; i++) {
        for (const struct sq_uop *uop = whole->ranges[i].first; uop < whole->ranges[i].end; uop++) {
            if (wave->state == SQ_RUNNING)
                uop->run(wave, uop);
        }
    }
    if (++whole->misses < MOST_MISSES)
        return;
    whole->state = whole->stores_alone ? SQ_WHOLE_NEVER : SQ_WHOLE_WAITS;
    whole->stores_alone = true;
    whole->misses = 0;
}

static void run_code(struct sq_whole *whole, struct sq_wave *wave, const struct sq_part *part)
{
    if (part->inputs && !amd_sq_jit_bring(wave, part->inputs, false)) {
        run_plain(whole, wave, part);
        return;
    }
    part->code(wave);
    for (uint32_t i = 0; i < part->result_count; i++)
        *(uint32_t *)sq_at(wave, part->results[i]) = wave->results[i];
    if (part->changes_exec)
        sq_exec_changed(wave);
    wave->scc = part->has_flag_of_exec ? sq_exec(wave) != 0 : wave->scc & 1; /* a boolean has all bits */
}

static void run_part(struct sq_whole *whole, struct sq_wave *wave, const struct sq_part *part)
{
    if (part->code) {
        const unsigned before = stat_enter_work(STAT_HOST);
        run_code(whole, wave, part);
        stat_leave(before);
    }
    if (!part->first || (part->is_guarded && sq_exec(wave) == 0))
        return;
    for (const struct sq_uop *uop = part->first; uop < part->end && wave->state == SQ_RUNNING; uop++)
        uop->run(wave, uop);
}

static void begin_wave(const struct sq_whole *whole, struct sq_wave *wave, const uint32_t *varying)
{
    for (unsigned word = 0; word < SQ_REGISTER_WORDS; word++) {
        for (uint64_t bits = whole->key.varying.bits[word]; bits; bits &= bits - 1, varying++) {
            if (whole->numbers.bits[word] & bits & -bits)
                wave->sgpr[word * 64 + (unsigned)__builtin_ctzll(bits)] = *varying;
        }
    }
    for (uint32_t n = 0; n < whole->restored_count; n++) {
        const unsigned r = whole->restored[n];
        *(r == SQ_REGISTER_SCC ? &wave->scc : &wave->sgpr[r]) = wave->restored[n];
    }
    if (whole->changes_exec) {
        sq_write_mask(wave, &wave->sgpr[SQ_EXEC], lanes_full_mask(wave->lanes));
        wave->exec_full = true;
    }
}

/* From one barrier to the next. */
static const struct sq_fault *run_parts(struct sq_whole *whole, struct sq_wave *wave, uint32_t first, uint32_t end)
{
    for (uint32_t n = first; n < end && wave->state == SQ_RUNNING; n++) {
        const struct sq_part *part = &whole->parts[n];
        run_part(whole, wave, part);
        if (part->skips_to && sq_exec(wave) == 0)
            n = part->skips_to - 1;
    }
    return wave->state == SQ_RUNNING ? NULL : &wave->fault;
}

bool amd_sq_whole_run(struct sq_whole *whole, struct sq_workgroup *group, uint32_t lds_size_B, const uint32_t *varying,
                      struct sq_fault *fault_out)
{
    const unsigned before = stat_enter_work(STAT_WAVES);
    const struct sq_fault *fault = NULL;
    stat_count_waves(group->wave_count);
    if (lds_size_B)
        memset(group->lds, 0, lds_size_B);
    for (uint32_t i = 0; i < group->wave_count; i++)
        begin_wave(whole, group->waves[i], varying);
    for (uint32_t first = 0, end; first < whole->part_count && !fault; first = end) {
        end = first + 1;
        while (end < whole->part_count && !whole->parts[end - 1].is_barrier)
            end++;
        for (uint32_t i = 0; i < group->wave_count && !fault; i++)
            fault = run_parts(whole, group->waves[i], first, end);
    }
    stat_leave(before);
    if (fault)
        *fault_out = *fault;
    return !fault;
}
