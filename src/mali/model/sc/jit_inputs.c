/* What host code loads: words at addresses of the lanes (LOAD), by windows of mapped memory, and words of buffers
 * (LD_BUFFER), whose handle is a constant or a uniform, by their descriptors. Not for: parts of words, handles of registers,
 * buffers with absent pages; what a window does not have is done by micro-operations (mali_sc_jit_rest). */
#include <stddef.h>

#include "mali/model/sc/code.h"
#include "mali/model/sc/core.h"
#include "mali/model/sc/jit_build.h"
#include "mali/model/sc/memory.h"

_Static_assert(SC_JIT_SITES <= JIT_MAX_MISSES, "a miss for each");

static bool is_full(const struct sc_jit_builder *b)
{
    return b->exec.variant & EXEC_ALL_ACTIVE;
}

static void load_words(struct sc_jit_builder *b, jit_value offset, uint32_t pointer_B, uint32_t count,
                       jit_value is_good)
{
    struct lane_program *p = &b->exec.program;
    jit_value values[4];
    for (uint32_t i = 0; i < count; i++) {
        values[i] = lane_program_emit(p, JIT_LOAD, offset, JIT_NONE, JIT_NONE, pointer_B | i * 4 << 16);
        if (is_good != JIT_NONE)
            values[i] = lane_program_and(p, values[i], is_good);
    }
    for (uint32_t i = 0; i < count; i++)
        mali_sc_jit_write_row(b, b->uop->d + i * SC_ROW_B, values[i]);
}

/* The window of a LOAD is kept at its micro-operation: all code that has it shares it, and so does the micro-operation,
 * which finds it anew. */
static struct exec_site *site_of(struct sc_jit_builder *b, const struct sc_uop *uop)
{
    if (uop->target)
        return (struct exec_site *)(uintptr_t)uop->target;
    struct exec_site *site = exec_code_alloc(mali_sc_code_exec(b->warp->code), sizeof(*site));
    if (site)
        exec_site_init(site, (int32_t)uop->inst->number[0], uop->imm2 / 8);
    ((struct sc_uop *)uop)->target = (const struct sc_uop *)(uintptr_t)site; /* this worker's own */
    return site;
}

static void lower_load(struct sc_jit_builder *b)
{
    struct sc_jit_inputs *inputs = &b->inputs;
    const struct sc_uop *uop = b->uop;
    const bool is_plain = uop->imm2 % 32 == 0 && !(uop->imm2 == 32 && uop->inst->field[MALI_ISA_FIELD_LANE32]);
    struct exec_site *site = is_plain && inputs->site_count < SC_JIT_SITES ? site_of(b, uop) : NULL;
    if (!site) {
        b->exec.program.failed = true;
        return;
    }
    const uint32_t number = inputs->site_count++, size_B = uop->imm2 / 8;
    const uint32_t window_B = (uint32_t)(offsetof(struct mali_warp, windows) + number * sizeof(struct exec_window));
    inputs->sites[number] = site;
    const jit_value low = mali_sc_jit_read_row(b, uop->s[0]), high = mali_sc_jit_read_row(b, uop->s[0] + SC_ROW_B);
    const jit_value offset =
        exec_window_offset(&b->exec.program, low, high, window_B,
                           is_full(b) ? 0 : (uint32_t)offsetof(struct mali_warp, active_lanes), number);
    load_words(b, offset, window_B + (uint32_t)offsetof(struct exec_window, host), size_B / 4, JIT_NONE);
}

/* Where a buffer's handle is, if that is known before the code runs. */
static bool handle_of(const struct sc_jit_builder *b, sc_place place, struct sc_jit_view *view)
{
    switch (place & SC_BASE_MASK) {
    case SC_BASE_CONSTANTS:
        view->handle = *(const uint32_t *)sc_at(b->warp, place);
        return true;
    case SC_BASE_UNIFORMS:
        view->is_uniform = true;
        view->handle = (place & ~SC_BASE_MASK) / SC_ROW_B;
        return view->handle != mali_sc_lane_id_row();
    default:
        return false;
    }
}

static void lower_buffer(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    struct sc_jit_inputs *inputs = &b->inputs;
    const struct sc_uop *uop = b->uop;
    struct sc_jit_view view = {.uop = uop, .size_B = uop->imm2 / 8};
    if (inputs->view_count == MALI_WARP_VIEWS || !uop->imm || !handle_of(b, uop->s[1], &view)) {
        p->failed = true;
        return;
    }
    const uint32_t at = (uint32_t)(offsetof(struct mali_warp, views) + inputs->view_count * sizeof(struct exec_view));
    inputs->views[inputs->view_count++] = view;
    const jit_value limit =
        lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, at + (uint32_t)offsetof(struct exec_view, limit));
    const jit_value offset = mali_sc_jit_read_row(b, uop->s[0]), is_good = lane_program_lt_u(p, offset, limit);
    load_words(b, lane_program_and(p, offset, is_good), at, view.size_B / 4, is_good);
}

static const struct sc_jit_row loads[] = {
    {mali_sc_run_load, lower_load, false},
    {mali_sc_run_load_buffer, lower_buffer, false},
};

const struct sc_jit_row *mali_sc_jit_load(sc_run_fn run)
{
    return run == loads[0].kernel ? &loads[0] : run == loads[1].kernel ? &loads[1] : NULL;
}

/* ---- running ---- */

static bool bring_view(struct mali_warp *warp, const struct sc_jit_view *view, struct exec_view *to)
{
    const uint32_t handle = view->is_uniform ? warp->core->uniforms.words[view->handle] : view->handle;
    uint64_t size_B;
    const uint8_t *host = mali_sc_buffer_view(warp, view->uop, handle, &size_B);
    if (!host)
        return false;
    const bool any = view->size_B <= size_B;
    to->host = any ? host : (const uint8_t *)warp; /* not looked at */
    to->limit = any ? (uint32_t)(size_B - view->size_B + 1) : 0;
    return true;
}

bool mali_sc_jit_bring(struct mali_warp *warp, struct sc_jit_inputs *inputs)
{
    const uint32_t *words = warp->core->uniforms.words;
    for (uint32_t i = 0; i < inputs->view_count; i++) {
        if (!bring_view(warp, &inputs->views[i], &warp->views[i]))
            return false;
    }
    for (uint32_t i = 0; i < inputs->site_count; i++)
        exec_site_bring(inputs->sites[i], warp->memory, &warp->windows[i]);
    for (uint32_t i = 0; i < inputs->uniform_count; i++)
        warp->scalars[i] = words[inputs->uniforms[i]];
    return true;
}

void mali_sc_jit_look(struct mali_warp *warp, const struct sc_uop *uop)
{
    struct exec_site *site = (struct exec_site *)(uintptr_t)uop->target;
    const uint32_t *low = sc_at(warp, uop->s[0]);
    if (site->is_wanted)
        exec_site_look(site, warp->memory, low, low + MALI_ROW_LANES, MALI_ROW_LANES,
                       warp->is_full ? NULL : warp->active_lanes);
}

void mali_sc_jit_rest(struct mali_warp *warp, const struct sc_jit_inputs *inputs, const struct sc_uop *first,
                      const struct sc_uop *limit, uint32_t way)
{
    const uint64_t all = warp->active;
    inputs->sites[jit_miss_number(way)]->is_wanted = true;
    mali_warp_run_lanes(warp, all & ~0ull << jit_lanes_done(way));
    for (const struct sc_uop *uop = first; uop < limit && warp->state == MALI_WARP_RUNNING; uop++)
        uop->run(warp, uop);
    mali_warp_run_lanes(warp, all);
}
