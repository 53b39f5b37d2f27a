/* Loads of host code: words at addresses of the lanes (LOAD), by windows of mapped memory, and words of buffers
 * (LD_BUFFER), whose handle is a constant or a uniform, by their descriptors; those at an offset that is known, too,
 * are scalars of joined programs. Not for: parts of words, handles of registers, buffers with absent pages; loads
 * that a window does not have are done by micro-operations (mali_sc_jit_rest). */
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

static bool is_plain(const struct sc_uop *uop)
{
    return uop->imm2 % 32 == 0 && !(uop->imm2 == 32 && uop->inst->field[MALI_ISA_FIELD_LANE32]);
}

static struct exec_site *site_of(struct sc_jit_builder *b, const struct sc_uop *uop, unsigned need)
{
    if (uop->target)
        return (struct exec_site *)(uintptr_t)uop->target;
    struct exec_site *site = exec_code_alloc(mali_sc_code_exec(b->warp->code), sizeof(*site));
    if (site) {
        exec_site_init(site, (int32_t)uop->inst->number[0], uop->imm2 / 8);
        site->need = (uint8_t)need;
    }
    ((struct sc_uop *)uop)->target = (const struct sc_uop *)(uintptr_t)site; /* this worker's own */
    return site;
}

uint32_t mali_sc_jit_site(struct sc_jit_builder *b, const struct sc_uop *uop, unsigned need)
{
    struct sc_jit_inputs *inputs = &b->inputs;
    struct exec_site *site = is_plain(uop) && inputs->site_count < SC_JIT_SITES ? site_of(b, uop, need) : NULL;
    if (!site) {
        b->exec.program.failed = true;
        return SC_JIT_SITES;
    }
    inputs->sites[inputs->site_count] = site;
    return inputs->site_count++;
}

static void lower_load(struct sc_jit_builder *b)
{
    const struct sc_uop *uop = b->uop;
    const uint32_t number = mali_sc_jit_site(b, uop, GPU_PERM_READ), window_B = sc_jit_window_B(number);
    if (number == SC_JIT_SITES)
        return;
    const jit_value low = mali_sc_jit_read_row(b, uop->s[0]), high = mali_sc_jit_read_row(b, uop->s[0] + SC_ROW_B);
    const jit_value offset =
        exec_window_offset(&b->exec.program, low, high, window_B,
                           is_full(b) ? 0 : (uint32_t)offsetof(struct mali_warp, active_lanes), number);
    load_words(b, offset, window_B + (uint32_t)offsetof(struct exec_window, host), uop->imm2 / 32, JIT_NONE);
}

static bool is_same_view(const struct sc_jit_view *a, const struct sc_jit_view *b)
{
    return a->handle == b->handle && a->is_uniform == b->is_uniform && a->size_B == b->size_B && a->need == b->need &&
           a->uop->run == b->uop->run;
}

uint32_t mali_sc_jit_view_of(struct sc_jit_builder *b, const struct sc_jit_view *view)
{
    struct sc_jit_inputs *inputs = &b->inputs;
    for (uint32_t i = 0; i < inputs->view_count; i++) {
        if (is_same_view(&inputs->views[i], view))
            return i;
    }
    if (inputs->view_count == MALI_WARP_VIEWS) {
        b->exec.program.failed = true;
        return MALI_WARP_VIEWS;
    }
    inputs->views[inputs->view_count] = *view;
    return inputs->view_count++;
}

static uint32_t find_view(struct sc_jit_builder *b, const struct sc_uop *uop, uint32_t size_B)
{
    struct sc_jit_view view = {.uop = uop, .size_B = size_B, .need = GPU_PERM_READ};
    if (mali_sc_jit_known(b, uop->s[1], &view.is_uniform, &view.handle))
        return mali_sc_jit_view_of(b, &view);
    b->exec.program.failed = true;
    return MALI_WARP_VIEWS;
}

/* A part of a word that fills a register, or a half of one. */
static bool is_extended(const struct sc_uop *uop)
{
    const uint8_t *field = uop->inst->field;
    return (uop->imm2 == 16 && field[MALI_ISA_FIELD_LANE16] <= MALI_ISA_LANE16_W0) ||
           (uop->imm2 == 8 && field[MALI_ISA_FIELD_LANE8] == MALI_ISA_LANE8_W0);
}

static void write_words(struct sc_jit_builder *b, uint32_t first, uint32_t count)
{
    struct lane_program *p = &b->exec.program;
    const struct sc_uop *uop = b->uop;
    jit_value words[4];
    for (uint32_t i = 0; i < count; i++)
        words[i] = lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE,
                                     (uint32_t)offsetof(struct mali_warp, words) + (first + i) * 4);
    const unsigned half = uop->inst->field[MALI_ISA_FIELD_LANE16];
    if (uop->imm2 == 16 && half <= MALI_ISA_LANE16_H1) {
        const jit_value own = lane_program_zero_extend(p, words[0], 16);
        const jit_value kept =
            lane_program_and(p, mali_sc_jit_read_row(b, uop->d),
                             lane_program_const(p, half == MALI_ISA_LANE16_H1 ? 0xffffu : 0xffff0000u));
        words[0] =
            lane_program_or(p, kept, half == MALI_ISA_LANE16_H1 ? lane_program_shift_by(p, JIT_SHL, own, 16) : own);
    }
    for (uint32_t i = 0; i < count; i++)
        mali_sc_jit_write_row(b, uop->d + i * SC_ROW_B, words[i]);
}

/* Words that all lanes have in common, read before the code runs. False: they are not, or there are too many. */
static bool bring_words(struct sc_jit_builder *b)
{
    struct sc_jit_inputs *inputs = &b->inputs;
    const struct sc_uop *uop = b->uop;
    const uint32_t count = (uop->imm2 + 31) / 32, number = inputs->words_count;
    struct sc_jit_words *words = &inputs->words[number];
    const uint32_t first = number ? words[-1].first + (words[-1].view.size_B + 3) / 4 : 0;
    if (!b->has_words || number == SC_JIT_WORDS || first + count > MALI_WARP_WORDS || !(uop->imm || is_extended(uop)))
        return false;
    *words = (struct sc_jit_words){
        .view = {.uop = uop, .size_B = uop->imm2 / 8, .need = GPU_PERM_READ},
        .first = first,
        .is_signed = !uop->imm && !uop->inst->field[MALI_ISA_FIELD_UNSIGNED],
    };
    if (!mali_sc_jit_known(b, uop->s[1], &words->view.is_uniform, &words->view.handle) ||
        !mali_sc_jit_known(b, uop->s[0], &words->is_uniform, &words->offset_B))
        return false;
    inputs->words_count++;
    write_words(b, first, count);
    return true;
}

static void lower_buffer(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const struct sc_uop *uop = b->uop;
    if (bring_words(b))
        return;
    const uint32_t number = uop->imm ? find_view(b, uop, uop->imm2 / 8) : MALI_WARP_VIEWS;
    const uint32_t at = sc_jit_view_B(number);
    if (number == MALI_WARP_VIEWS) {
        p->failed = true;
        return;
    }
    const jit_value limit =
        lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, at + (uint32_t)offsetof(struct exec_view, limit));
    const jit_value offset = mali_sc_jit_read_row(b, uop->s[0]), is_good = lane_program_lt_u(p, offset, limit);
    load_words(b, lane_program_and(p, offset, is_good), at, uop->imm2 / 32, is_good);
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
    const uint8_t *host = mali_sc_buffer_view(warp, view->uop, handle, view->need, &size_B);
    if (!host)
        return false;
    const bool any = view->size_B <= size_B;
    to->host = any ? host : (const uint8_t *)warp; /* not looked at */
    to->limit = any ? (uint32_t)(size_B - view->size_B + 1) : 0;
    return true;
}

static bool read_words(struct mali_warp *warp, const struct sc_jit_words *words)
{
    const uint32_t *uniforms = warp->core->uniforms.words, size_B = words->view.size_B;
    const uint32_t offset_B = words->is_uniform ? uniforms[words->offset_B] : words->offset_B;
    struct exec_view view;
    if (!bring_view(warp, &words->view, &view))
        return false;
    uint32_t *to = warp->words + words->first;
    memset(to, 0, (size_B + 3) & ~3u);
    if (offset_B < view.limit)
        memcpy(to, (const uint8_t *)view.host + offset_B, size_B);
    if (words->is_signed)
        *to = (uint32_t)((int32_t)(*to << (32 - 8 * size_B)) >> (32 - 8 * size_B));
    return true;
}

bool mali_sc_jit_bring(struct mali_warp *warp, struct sc_jit_inputs *inputs)
{
    const uint32_t *words = warp->core->uniforms.words;
    for (uint32_t i = 0; i < inputs->words_count; i++) {
        if (!read_words(warp, &inputs->words[i]))
            return false;
    }
    for (uint32_t i = 0; i < inputs->view_count; i++) {
        if (!bring_view(warp, &inputs->views[i], &warp->views[i]))
            return false;
    }
    for (uint32_t i = 0; i < inputs->site_count; i++)
        exec_site_bring(inputs->sites[i], warp->memory, &warp->windows[i]);
    for (uint32_t i = 0; i < inputs->power_count; i++) {
        if (!mali_sc_jit_power((int32_t)words[inputs->powers[i]], &warp->powers[i]))
            return false;
    }
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
