/* Warps of joined programs (join.h). */
#include <stdlib.h>

#include "mali/model/sc/core.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/jit_build.h"
#include "mali/model/sc/join.h"
#include "util/debug.h"

bool mali_sc_join_holds(const struct mali_core *core, const struct sc_join_fact *facts, uint32_t count)
{
    bool is_so = true;
    for (uint32_t i = 0; i < count; i++)
        is_so &= core->uniforms.words[facts[i].row] == facts[i].word;
    return is_so;
}

struct exec_code *mali_sc_join_code(const struct mali_core *core)
{
    return mali_sc_code_jit(core->code) && !debug_enabled(DEBUG_COHERENCE) ? mali_sc_code_exec(core->code) : NULL;
}

struct mali_warp *mali_sc_join_warp(struct mali_core *core, const struct mali_launch *launch, uint32_t size_B)
{
    if (!core->joined) {
        const size_t all_B = sizeof(struct mali_warp) + ((size_B + 63) & ~(size_t)63);
        core->joined = aligned_alloc(64, all_B);
        if (core->joined)
            memset(core->joined, 0, all_B);
    }
    if (!core->joined || !mali_sc_warp_begin(core, core->joined, launch))
        return NULL;
    mali_sc_warp_storage(core->joined, (uint64_t)core->number * MALI_ROW_LANES, 0);
    return core->joined;
}

/* Who runs on after piece `number`. */
static uint64_t running(const struct mali_warp *warp, const struct sc_join_between *between, uint32_t number,
                        uint64_t covered)
{
    const struct sc_join_rows *rows = (const struct sc_join_rows *)(const void *)(warp + 1);
    uint64_t lanes = warp->launched;
    lanes &= between->is_some >> number & 1 ? rows->running : UINT64_MAX;
    lanes &= between->is_bare >> number & 1 ? covered : UINT64_MAX;
    return lanes & (between->is_partly_bare >> number & 1 ? covered | ~rows->bare : UINT64_MAX);
}

/* The micro-operations after a piece. */
static bool run_between(struct mali_warp *warp, const struct pixel_segment *segment, uint64_t lanes)
{
    if (!lanes)
        return true;
    if (warp->active != lanes)
        mali_warp_run_lanes(warp, lanes);
    for (const struct sc_uop *uop = segment->first; uop != segment->end; uop++) {
        uop->run(warp, uop);
        if (__builtin_expect(warp->state == MALI_WARP_FAULTED, 0)) {
            mali_sc_report(warp);
            return false;
        }
    }
    return true;
}

/* A branch backwards. */
static bool goes_round(struct mali_warp *warp, const struct sc_uop *branch)
{
    if (!atomic_load_explicit(warp->stop_flag, memory_order_relaxed))
        return true;
    mali_sc_fault(warp, branch, MALI_FAULT_KILLED, "the job was killed");
    mali_sc_report(warp);
    return false;
}

bool mali_sc_join_suits(struct mali_warp *warp, const struct pixel_variant *variant)
{
    for (uint32_t i = 0; i < variant->count; i++) {
        if (variant->segments[i].inputs && !mali_sc_jit_bring(warp, variant->segments[i].inputs))
            return false;
    }
    return true;
}

/* Buffers were there when the launch began (mali_sc_join_suits). */
static bool bring_inputs(struct mali_warp *warp, struct sc_jit_inputs *inputs)
{
    if (mali_sc_jit_bring(warp, inputs))
        return true;
    const struct sc_jit_view *view = inputs->words_count ? &inputs->words[0].view : &inputs->views[0];
    mali_sc_fault(warp, view->uop, MALI_FAULT_MEMORY, "memory of a buffer was unmapped while the program ran");
    mali_sc_report(warp);
    return false;
}

bool mali_sc_join_run(struct mali_warp *warp, const struct pixel_variant *variant,
                      const struct sc_join_between *between, uint64_t lanes, uint64_t covered)
{
    warp->launched = lanes;
    warp->covered = covered; /* helpers store nothing */
    for (uint32_t i = 0; i < variant->count;) {
        const struct pixel_segment *segment = &variant->segments[i];
        if (segment->inputs && !bring_inputs(warp, segment->inputs))
            return false;
        segment->code(warp);
        if (segment->first != segment->end && !run_between(warp, segment, running(warp, between, i, covered)))
            return false;
        const uint32_t back = between->back[i], skip = between->skip[i];
        const bool is_any = (back | skip) && running(warp, between, i, covered);
        i = back && is_any ? back : skip && !is_any ? skip : i + 1;
        if (back && !goes_round(warp, segment->first))
            return false;
    }
    return true;
}
