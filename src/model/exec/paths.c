/* See paths.h. */
#include "model/exec/paths.h"

#include <string.h>

void exec_paths_begin(struct exec_paths *paths, struct lane_program *program, struct exec_rows *rows)
{
    paths->program = program;
    paths->rows = rows;
    paths->lanes = JIT_NONE;
    paths->none_runs = false;
    paths->count = 0;
}

jit_value exec_paths_lanes(struct exec_paths *paths)
{
    return paths->lanes == JIT_NONE ? lane_program_const(paths->program, UINT32_MAX) : paths->lanes;
}

/* Whether these are the two groups that lanes were divided into by one branch (exec_paths_part): those that came to
 * it. */
static bool is_all_of(const struct lane_program *p, jit_value rest, jit_value taken, jit_value *both_out)
{
    const struct jit_inst *x = &p->insts[rest], *y = &p->insts[taken];
    if (x->op == JIT_NOT && x->a == taken) {
        *both_out = JIT_NONE;
        return true;
    }
    *both_out = x->a;
    return x->op == JIT_ANDN && y->op == JIT_AND && ((y->a == x->b && y->b == x->a) || (y->a == x->a && y->b == x->b));
}

static jit_value join_lanes(struct lane_program *p, jit_value x, jit_value y)
{
    jit_value both = JIT_NONE;
    if (x == JIT_NONE || y == JIT_NONE || is_all_of(p, x, y, &both) || is_all_of(p, y, x, &both))
        return both;
    return lane_program_or(p, x, y);
}

/* The value of a row of registers; one that was not looked at is as it was before. */
static jit_value value_of(struct exec_paths *paths, jit_value value, uint32_t row)
{
    const struct exec_rows *rows = paths->rows;
    if (value != JIT_NONE)
        return value;
    return lane_program_emit(paths->program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, rows->first_B + row * rows->row_B);
}

/* Registers of `lanes` are `theirs`, of all others `*values`. Temporaries end with their instruction. */
static void merge_rows(struct exec_paths *paths, jit_value *values, const jit_value *theirs, jit_value lanes)
{
    const struct exec_rows *rows = paths->rows;
    for (uint32_t row = (rows->kept_B - rows->first_B) / rows->row_B; row < rows->count; row++) {
        if (values[row] == theirs[row])
            continue;
        values[row] = lanes == JIT_NONE ? theirs[row]
                                        : lane_program_select(paths->program, lanes, value_of(paths, theirs[row], row),
                                                              value_of(paths, values[row], row));
    }
}

/* One row: from what those have that run, or from what is there already, whichever takes fewer choices. */
static jit_value settle_row(struct exec_paths *paths, uint32_t row)
{
    const jit_value own = paths->rows->values[row];
    uint32_t others = 0, changed = own != JIT_NONE;
    for (uint32_t i = 0; i < paths->count; i++) {
        others += paths->waiting[i].values[row] != own;
        changed += paths->waiting[i].values[row] != JIT_NONE;
    }
    const bool is_from_row = changed < others && paths->lanes != JIT_NONE;
    const jit_value kept = is_from_row ? JIT_NONE : own;
    jit_value value = kept;
    if (is_from_row && own != JIT_NONE)
        value = lane_program_select(paths->program, paths->lanes, own, value_of(paths, kept, row));
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct exec_path *path = &paths->waiting[i];
        if (path->values[row] == kept)
            continue;
        value = path->lanes == JIT_NONE
                    ? path->values[row]
                    : lane_program_select(paths->program, path->lanes, value_of(paths, path->values[row], row),
                                          value_of(paths, value, row));
    }
    return value;
}

void exec_paths_settle(struct exec_paths *paths)
{
    const struct exec_rows *rows = paths->rows;
    jit_value *values = paths->rows->values;
    for (uint32_t row = (rows->kept_B - rows->first_B) / rows->row_B; row < rows->count; row++)
        values[row] = settle_row(paths, row);
    for (uint32_t i = 0; i < paths->count; i++)
        memcpy(paths->waiting[i].values, values, sizeof(paths->waiting[i].values));
}

static void store_mask(const struct exec_paths *paths, jit_value lanes, uint32_t place)
{
    if (lanes != JIT_NONE)
        lane_program_emit(paths->program, JIT_STORE, lanes, JIT_NONE, JIT_NONE, place);
}

static jit_value load_mask(const struct exec_paths *paths, jit_value before, uint32_t place)
{
    return before == JIT_NONE ? JIT_NONE
                              : lane_program_emit(paths->program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, place);
}

void exec_paths_store_masks(const struct exec_paths *paths, uint32_t masks_B)
{
    store_mask(paths, paths->lanes, masks_B);
    for (uint32_t i = 0; i < paths->count; i++)
        store_mask(paths, paths->waiting[i].lanes, masks_B + (1 + i) * paths->rows->row_B);
}

void exec_paths_load_masks(struct exec_paths *paths, uint32_t masks_B)
{
    paths->lanes = load_mask(paths, paths->lanes, masks_B);
    for (uint32_t i = 0; i < paths->count; i++) {
        struct exec_path *path = &paths->waiting[i];
        path->lanes = load_mask(paths, path->lanes, masks_B + (1 + i) * paths->rows->row_B);
        for (unsigned row = 0; row < EXEC_ROWS_MAX; row++)
            path->values[row] = JIT_NONE;
    }
    if (paths->count == 1 && paths->lanes != JIT_NONE) /* so that both are known to be all */
        paths->waiting[0].lanes = lane_program_not(paths->program, paths->lanes);
}

static void wait_at(struct exec_paths *paths, uint64_t pc, jit_value lanes)
{
    struct exec_path *path = paths->waiting;
    while (path < paths->waiting + paths->count && path->pc != pc)
        path++;
    if (path < paths->waiting + paths->count) {
        merge_rows(paths, path->values, paths->rows->values, lanes);
        path->lanes = join_lanes(paths->program, lanes, path->lanes);
        return;
    }
    if (paths->count == EXEC_PATHS_MAX) {
        paths->program->failed = true;
        return;
    }
    path->pc = pc;
    path->lanes = lanes;
    memcpy(path->values, paths->rows->values, sizeof(path->values));
    paths->count++;
}

void exec_paths_expect(struct exec_paths *paths, uint64_t pc)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        if (paths->waiting[i].pc == pc)
            return;
    }
    wait_at(paths, pc, lane_program_const(paths->program, 0));
}

void exec_paths_part(struct exec_paths *paths, uint64_t pc, jit_value taken)
{
    struct lane_program *p = paths->program;
    const jit_value all = paths->lanes;
    /* As they are written, not folded: is_all_of knows them by it. */
    wait_at(paths, pc, all == JIT_NONE ? taken : lane_program_emit(p, JIT_AND, taken, all, JIT_NONE, 0));
    paths->lanes =
        all == JIT_NONE ? lane_program_not(p, taken) : lane_program_emit(p, JIT_ANDN, all, taken, JIT_NONE, 0);
}

void exec_paths_jump(struct exec_paths *paths, uint64_t pc)
{
    wait_at(paths, pc, paths->lanes);
    exec_paths_end(paths);
}

void exec_paths_end(struct exec_paths *paths)
{
    paths->none_runs = true;
}

static void leave_path(struct exec_paths *paths, struct exec_path *path)
{
    *path = paths->waiting[--paths->count];
}

void exec_paths_arrive(struct exec_paths *paths, uint64_t pc)
{
    for (uint32_t i = 0; i < paths->count;) {
        struct exec_path *path = &paths->waiting[i];
        if (path->pc > pc) {
            i++;
            continue;
        }
        merge_rows(paths, paths->rows->values, path->values, path->lanes);
        paths->lanes = join_lanes(paths->program, paths->lanes, path->lanes);
        leave_path(paths, path);
    }
}

static struct exec_path *lowest_of(const struct exec_paths *paths)
{
    const struct exec_path *lowest = NULL;
    for (uint32_t i = 0; i < paths->count; i++) {
        if (!lowest || paths->waiting[i].pc < lowest->pc)
            lowest = &paths->waiting[i];
    }
    return (struct exec_path *)(uintptr_t)lowest;
}

bool exec_paths_peek(const struct exec_paths *paths, uint64_t *pc_out)
{
    const struct exec_path *lowest = lowest_of(paths);
    if (lowest)
        *pc_out = lowest->pc;
    return lowest != NULL;
}

bool exec_paths_next(struct exec_paths *paths, uint64_t *pc_out)
{
    struct exec_path *lowest = lowest_of(paths);
    if (!lowest)
        return false;
    memcpy(paths->rows->values, lowest->values, sizeof(lowest->values));
    paths->lanes = lowest->lanes;
    paths->none_runs = false;
    *pc_out = lowest->pc;
    leave_path(paths, lowest);
    return true;
}
