/* Branches of a joined program (join_build.h), and the regions that they make. */
#include "mali/model/sc/code.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/join_build.h"

/* ---- regions ---- */

static bool is_in_loop(const struct joining *j)
{
    bool is_inside = false;
    for (uint32_t i = 0; i < j->regions.count; i++) {
        const struct sc_join_region *region = &j->regions.regions[i];
        is_inside |= region->is_loop && region->is_open && !region->is_closed;
    }
    return is_inside;
}

static bool open_region(struct joining *j, const struct sc_uop *uop, struct sc_join_region *region)
{
    const uint32_t number = j->join->variant->count;
    if (region->is_plain && !is_in_loop(j))
        return false; /* one that all lanes leave together is faster as host code of its own, with registers of the host */
    region->is_open = true;
    if (!region->is_loop && (j->tested != JIT_NONE || number > PIXEL_SEGMENTS / 2)) {
        region->is_closed = true; /* not worth it, or too late */
        return true;
    }
    if (!mali_sc_ways_open(&j->ways, region) || !mali_sc_join_cut_here(j, uop))
        return false;
    region->piece = number + 1;
    if (region->is_loop) {
        j->area = NULL;
        j->is_divided = true;
        j->changed |= region->written;
    }
    return true;
}

/* A loop that is a shuffle goes round between two pieces. */
static const struct sc_uop *take_shuffle(struct joining *j, const struct sc_join_region *loop)
{
    struct sc_shuffle_join shuffle;
    if (!loop->is_loop || !mali_sc_shuffle_join(j->warp, loop->begin_pc, loop->end_pc, &shuffle))
        return NULL;
    mali_sc_join_note_read(j, shuffle.read);
    j->move = NULL;
    j->area = NULL;
    if (!mali_sc_join_cut(j, shuffle.uop, shuffle.uop + 1))
        return NULL;
    j->before = j->written |= shuffle.written;
    if (shuffle.ends_helpers)
        mali_sc_ways_end_helpers(&j->ways);
    return mali_sc_code_enter(j->warp, shuffle.exit_pc);
}

bool mali_sc_join_begin_regions(struct joining *j, const struct sc_uop *uop, const struct sc_uop **after_out)
{
    struct sc_join_region *region;
    while ((region = mali_sc_join_region_first(&j->regions, uop->pc)) != NULL) {
        *after_out = take_shuffle(j, region);
        if (*after_out)
            return true;
        if (!open_region(j, uop, region))
            return false;
    }
    return true;
}

bool mali_sc_join_end_regions(struct joining *j, const struct sc_uop *uop, uint64_t pc)
{
    struct sc_join_region *region;
    while ((region = mali_sc_join_region_ended(&j->regions, pc)) != NULL) {
        if (!mali_sc_ways_close(&j->ways, region) || !mali_sc_join_cut_here(j, uop))
            return false;
        region->is_closed = true;
        j->join->between.skip[region->piece - 1] = (uint8_t)j->join->variant->count;
    }
    return true;
}

/* No lane runs here: where others go on. NULL: not for this. */
static const struct sc_uop *go_on(struct joining *j, const struct sc_uop *uop)
{
    struct exec_paths *paths = &j->ways.paths;
    uint64_t pc;
    paths->lanes = lane_program_const(paths->program, 0);
    if (!exec_paths_peek(paths, &pc) || !mali_sc_join_end_regions(j, uop, pc))
        return NULL;
    (void)exec_paths_next(paths, &pc);
    return mali_sc_code_enter(j->warp, pc);
}

/* The last branch back. NULL: not for this. */
static const struct sc_uop *close_loop(struct joining *j, const struct sc_uop *uop, struct sc_join_region *loop)
{
    const uint32_t number = j->join->variant->count;
    if (mali_sc_flow(uop) == SC_FLOW_LANES) {
        const jit_value taken = mali_sc_jit_taken(j->b, uop);
        exec_paths_part(&j->ways.paths, uop->pc + 8, lane_program_not(&j->b->exec.program, taken));
        mali_sc_jit_note_lives(j->b, uop->inst);
        mali_sc_ways_end_lives(&j->ways);
    }
    if (!mali_sc_ways_close(&j->ways, loop) || !mali_sc_join_cut_here(j, uop))
        return NULL;
    loop->is_closed = true;
    j->join->between.back[number] = (uint8_t)loop->piece;
    return go_on(j, uop);
}

/* ---- branches ---- */

const struct sc_uop *mali_sc_join_branch(struct joining *j, const struct sc_uop *uop)
{
    struct exec_paths *paths = &j->ways.paths;
    uint64_t pc = uop->target_pc;
    if (pc <= uop->pc) {
        struct sc_join_region *loop = mali_sc_join_loop_at(&j->regions, pc);
        if (!loop || !loop->is_open)
            return NULL;
        if (loop->end_pc == uop->pc)
            return close_loop(j, uop, loop);
        if (!loop->is_always)
            return NULL;
        pc = loop->end_pc;
    }
    if (mali_sc_flow(uop) == SC_FLOW_LANES) {
        j->is_divided = true;
        exec_paths_part(paths, pc, mali_sc_jit_taken(j->b, uop));
        mali_sc_jit_note_lives(j->b, uop->inst);
        mali_sc_ways_end_lives(&j->ways);
        return mali_sc_code_enter(j->warp, uop->pc + 8);
    }
    if (pc != uop->pc + 8) {
        exec_paths_jump(paths, pc);
        return go_on(j, uop);
    }
    return mali_sc_code_enter(j->warp, pc);
}
