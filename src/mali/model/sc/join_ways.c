/* See join_ways.h. */
#include "mali/model/sc/join_ways.h"

#include <string.h>

#include "mali/model/sc/code.h"

#define ROW_KILLED 0
#define ROW_ENDED 1
#define ROW_RUNS 2
#define ROW_BARE 3
#define ROW_WAITS 4
_Static_assert(ROW_WAITS + EXEC_PATHS_MAX == SC_JOIN_MASKS, "a row for each");

static uint32_t mask_B(unsigned row)
{
    return (uint32_t)(sizeof(struct mali_warp) + offsetof(struct sc_join_rows, masks) + row * SC_ROW_B);
}

/* Whether the row has this value already. */
static bool is_there(const struct lane_program *p, jit_value value, uint32_t place)
{
    return p->insts[value].op == JIT_ROW && p->insts[value].imm == place;
}

static void store_mask(struct sc_ways *ways, unsigned row, jit_value value)
{
    if (value != JIT_NONE && !is_there(&ways->b->exec.program, value, mask_B(row)))
        lane_program_emit(&ways->b->exec.program, JIT_STORE, value, JIT_NONE, JIT_NONE, mask_B(row));
}

static jit_value load_mask(struct sc_ways *ways, unsigned row, jit_value before)
{
    if (before == JIT_NONE)
        return JIT_NONE;
    return lane_program_emit(&ways->b->exec.program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, mask_B(row));
}

void mali_sc_ways_begin(struct sc_ways *ways, struct sc_jit_builder *b)
{
    ways->b = b;
    ways->killed = ways->ended = ways->bare = JIT_NONE;
    ways->is_bare = false;
    exec_paths_begin(&ways->paths, &b->exec.program, &b->rows);
}

/* Lanes end all at once: where none waits, all are here. */
void mali_sc_ways_arrive(struct sc_ways *ways, uint64_t pc)
{
    exec_paths_arrive(&ways->paths, pc);
    if (!ways->paths.count)
        ways->paths.lanes = JIT_NONE;
}

bool mali_sc_ways_are_one(const struct sc_ways *ways)
{
    return ways->paths.lanes == JIT_NONE && !ways->paths.count;
}

bool mali_sc_ways_have_quads(const struct sc_ways *ways)
{
    return mali_sc_ways_are_one(ways) && !ways->is_bare && ways->bare == JIT_NONE && ways->ended == JIT_NONE;
}

static jit_value *value_of(struct sc_jit_builder *b, unsigned reg)
{
    return &b->rows.values[(mali_sc_register_place(reg) - b->rows.first_B) / b->rows.row_B];
}

void mali_sc_ways_end_lives(struct sc_ways *ways)
{
    struct sc_jit_builder *b = ways->b;
    for (uint64_t dead = b->dead; dead; dead &= dead - 1)
        *value_of(b, (unsigned)__builtin_ctzll(dead)) = JIT_NONE;
    b->dead = 0;
}

static jit_value or_none(struct lane_program *p, jit_value x, jit_value y)
{
    return x == JIT_NONE ? y : lane_program_or(p, x, y);
}

void mali_sc_ways_kill(struct sc_ways *ways, jit_value lanes)
{
    struct lane_program *p = &ways->b->exec.program;
    if (ways->paths.lanes != JIT_NONE)
        lanes = lane_program_and(p, lanes, ways->paths.lanes);
    ways->killed = or_none(p, ways->killed, lanes);
}

void mali_sc_ways_end_helpers(struct sc_ways *ways)
{
    struct lane_program *p = &ways->b->exec.program;
    const jit_value lanes = ways->paths.lanes;
    if (ways->killed != JIT_NONE) {
        const jit_value killed = lanes == JIT_NONE ? ways->killed : lane_program_and(p, ways->killed, lanes);
        ways->ended = or_none(p, ways->ended, killed);
    }
    if (lanes == JIT_NONE)
        ways->is_bare = true;
    if (!ways->is_bare)
        ways->bare = or_none(p, ways->bare, lanes);
}

bool mali_sc_ways_open(struct sc_ways *ways, struct sc_join_region *region)
{
    struct exec_paths *paths = &ways->paths;
    for (uint32_t i = 0; i < paths->count; i++) {
        if (paths->waiting[i].pc < region->end_pc || (region->is_loop && paths->waiting[i].pc == region->end_pc))
            return false;
    }
    for (uint32_t i = 0; i < region->exit_count; i++)
        exec_paths_expect(paths, region->exits[i]);
    paths->lanes = exec_paths_lanes(paths);
    const jit_value none = lane_program_const(paths->program, 0);
    if (region->has_kill)
        ways->killed = or_none(paths->program, ways->killed, none);
    if (region->ends_helpers)
        ways->bare = or_none(paths->program, ways->bare, none);
    if (region->ends_helpers && ways->killed != JIT_NONE)
        ways->ended = or_none(paths->program, ways->ended, none);
    region->wait_count = paths->count;
    for (uint32_t i = 0; i < paths->count; i++)
        region->waits[i] = paths->waiting[i].pc;
    return !paths->program->failed;
}

bool mali_sc_ways_close(struct sc_ways *ways, const struct sc_join_region *region)
{
    struct exec_paths *paths = &ways->paths;
    if (paths->count != region->wait_count)
        return false;
    for (uint32_t i = 0; i < paths->count; i++) {
        uint32_t at = i;
        while (at < paths->count && paths->waiting[at].pc != region->waits[i])
            at++;
        if (at == paths->count)
            return false;
        const struct exec_path path = paths->waiting[i];
        paths->waiting[i] = paths->waiting[at];
        paths->waiting[at] = path;
    }
    return true;
}

/* Bits of lanes, for who runs what is between the pieces. */
static void store_bits(struct sc_ways *ways, jit_value lanes, size_t at_B)
{
    const uint32_t place = (uint32_t)(sizeof(struct mali_warp) + at_B);
    lane_program_emit(&ways->b->exec.program, JIT_STORE_BITS, lanes, JIT_NONE, JIT_NONE, place);
}

void mali_sc_ways_store(struct sc_ways *ways, struct sc_join_between *between, uint32_t number)
{
    struct sc_jit_builder *b = ways->b;
    struct lane_program *p = &b->exec.program;
    struct exec_paths *paths = &ways->paths;
    pixel_join_drop_stores(p); /* what each lane has at the end is stored */
    exec_paths_settle(paths);
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        const jit_value value = *value_of(b, reg);
        if (value != JIT_NONE && !is_there(p, value, mali_sc_register_place(reg)))
            lane_program_emit(p, JIT_STORE, value, JIT_NONE, JIT_NONE, mali_sc_register_place(reg));
    }
    store_mask(ways, ROW_KILLED, ways->killed);
    store_mask(ways, ROW_ENDED, ways->ended);
    store_mask(ways, ROW_BARE, ways->bare);
    store_mask(ways, ROW_RUNS, paths->lanes);
    for (uint32_t i = 0; i < paths->count; i++)
        store_mask(ways, ROW_WAITS + i, paths->waiting[i].lanes);
    if (ways->is_bare)
        between->is_bare |= 1ull << number;
    else if (ways->bare != JIT_NONE) {
        between->is_partly_bare |= 1ull << number;
        store_bits(ways, ways->bare, offsetof(struct sc_join_rows, bare));
    }
    if (paths->lanes == JIT_NONE && ways->ended == JIT_NONE)
        return;
    jit_value lanes = exec_paths_lanes(paths);
    if (ways->ended != JIT_NONE)
        lanes = lane_program_and(p, lanes, lane_program_not(p, ways->ended));
    between->is_some |= 1ull << number;
    store_bits(ways, lanes, offsetof(struct sc_join_rows, running));
}

void mali_sc_ways_load(struct sc_ways *ways)
{
    struct lane_program *p = &ways->b->exec.program;
    struct exec_paths *paths = &ways->paths;
    ways->killed = load_mask(ways, ROW_KILLED, ways->killed);
    ways->ended = load_mask(ways, ROW_ENDED, ways->ended);
    ways->bare = load_mask(ways, ROW_BARE, ways->bare);
    paths->lanes = load_mask(ways, ROW_RUNS, paths->lanes);
    for (uint32_t i = 0; i < paths->count; i++) {
        struct exec_path *path = &paths->waiting[i];
        memset(path->values, 0xff, sizeof(path->values)); /* JIT_NONE: what is in the rows */
        path->lanes = load_mask(ways, ROW_WAITS + i, path->lanes);
    }
    if (paths->count == 1) /* so that both are known to be all */
        paths->waiting[0].lanes = lane_program_not(p, paths->lanes);
}
