/* See whole.h. */
#include "model/exec/whole.h"

#include <string.h>

#include "isa/lane_env.h"
#include "model/exec/run.h"
#include "model/stat.h"
#include "util/debug.h"

#define WORTH_IT 48    /* rows */
#define MOST_MISSES 64 /* rows, one after the other */

/* ---- threads ---- */

bool exec_shape_find(const uint32_t size[3], uint32_t lanes, struct exec_shape *shape_out)
{
    uint32_t left = lanes;
    for (unsigned axis = 0; axis < 2; axis++) {
        const bool is_long = size[axis] % left == 0,
                   is_short = size[axis] < left && (size[axis] & (size[axis] - 1)) == 0;
        if (!size[axis] || (!is_long && !is_short))
            return false;
        shape_out->bits[axis] = (uint8_t)__builtin_ctz(is_long ? left : size[axis]);
        left >>= shape_out->bits[axis];
    }
    shape_out->bits[2] = (uint8_t)__builtin_ctz(left);
    return size[2] && size[2] % left == 0;
}

jit_value exec_shape_lane(struct lane_program *p, struct exec_shape shape, unsigned axis)
{
    const unsigned bits = shape.bits[axis], all = shape.bits[0] + shape.bits[1] + shape.bits[2];
    unsigned shift = 0;
    for (unsigned i = 0; i < axis; i++)
        shift += shape.bits[i];
    if (!bits)
        return lane_program_const(p, 0);
    const jit_value lane = lane_program_emit(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    const jit_value from = shift ? lane_program_shift_by(p, JIT_SHR, lane, shift) : lane;
    return shift + bits == all ? from : lane_program_and(p, from, lane_program_const(p, (1u << bits) - 1));
}

/* ---- programs ---- */

static bool is_key(const struct exec_whole_key *a, const struct exec_whole_key *b)
{
    return a->va == b->va && a->mode == b->mode && memcmp(&a->shape, &b->shape, sizeof(a->shape)) == 0;
}

struct exec_whole *exec_whole_find(struct exec_code *code, const struct exec_whole_key *key, uint32_t size_B,
                                   uint64_t rows)
{
    if (!code->jit)
        return NULL;
    struct exec_whole *whole = code->wholes;
    while (whole && !is_key(&whole->key, key))
        whole = whole->next;
    if (!whole) {
        whole = exec_code_alloc(code, size_B);
        if (!whole)
            return NULL;
        memset(whole, 0, size_B);
        whole->next = code->wholes;
        whole->key = *key;
        whole->countdown = debug_enabled(DEBUG_JITNOW) ? 1 : WORTH_IT;
        code->wholes = whole;
    }
    if (whole->countdown && rows < whole->countdown) {
        whole->countdown -= (uint32_t)rows;
        return NULL;
    }
    return whole->countdown || whole->code || whole->has_other ? whole : NULL;
}

void exec_whole_drop_stores(struct lane_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->insts[i].op == JIT_STORE)
            p->insts[i] = (struct jit_inst){.op = JIT_CONST, .a = JIT_NONE, .b = JIT_NONE, .c = JIT_NONE};
    }
}

/* Of lanes that are one after the other in x, where a lane's number among all decides, and nothing else of its
 * place. */
static struct exec_range *make_range(struct exec_code *code, const struct lane_program *p, struct exec_shape shape,
                                     uint32_t values_B)
{
    struct exec_range *range = shape.bits[1] + shape.bits[2] == 0 ? exec_range_make(code, p) : NULL;
    return range && !exec_range_reads(range, values_B + EXEC_WHOLE_GROUP * 4) &&
                   !exec_range_reads(range, values_B + EXEC_WHOLE_LOCAL * 4) &&
                   !exec_range_reads(range, values_B + EXEC_WHOLE_FIRST * 4)
               ? range
               : NULL;
}

void exec_whole_compile(struct exec_whole *whole, struct exec_code *code, const struct lane_program *program,
                        const struct jit_frame *frame, uint32_t values_B)
{
    const uint32_t size_B = jit_size_B(code->jit);
    if (program) {
        whole->code = exec_code_compile(code, program, frame, true);
        whole->range = whole->later ? NULL : make_range(code, program, whole->key.shape, values_B);
    }
    code->counts.wholes += whole->code != NULL;
    if (debug_enabled(DEBUG_JIT))
        exec_report(&(struct exec_report){.code = whole->code,
                                          .size_B = jit_size_B(code->jit) - size_B,
                                          .va = whole->key.va,
                                          .lanes = frame->lanes,
                                          .variant = EXEC_ALL_ACTIVE,
                                          .operations = program ? program->count : 0});
}

/* ---- workgroups ---- */

void exec_grid_group(const struct exec_grid *grid, uint64_t number, uint32_t group_out[3])
{
    group_out[0] = (uint32_t)(number % grid->count[0]);
    group_out[1] = (uint32_t)(number / grid->count[0] % grid->count[1]);
    group_out[2] = (uint32_t)(number / grid->count[0] / grid->count[1]);
}

static void number_row(const struct exec_whole_work *work, const uint32_t group[3], uint32_t row)
{
    const struct exec_grid *grid = work->grid;
    const uint32_t first = row * grid->lanes;
    for (unsigned axis = 0; axis < 3; axis++) {
        const uint32_t local = grid->local[axis][first];
        work->values[EXEC_WHOLE_GROUP + axis] = group[axis];
        work->values[EXEC_WHOLE_LOCAL + axis] = local;
        work->values[EXEC_WHOLE_GLOBAL + axis] = group[axis] * grid->size[axis] + grid->offset[axis] + local;
    }
    work->values[EXEC_WHOLE_FIRST] = first;
}

/* One row, whose numbers are in the frame: how many of its lanes are done, from the first one on. */
static uint32_t run_row(const struct exec_whole_work *work)
{
    struct exec_whole *whole = work->whole;
    const uint32_t way = whole->code(work->frame);
    if (__builtin_expect(!way, 1)) {
        whole->misses = 0;
        if (whole->later)
            exec_later_store(whole->later, work->frame);
        return work->grid->lanes;
    }
    work->counts->misses++;
    if (work->missed)
        work->missed(work, jit_miss_number(way));
    if (++whole->misses == MOST_MISSES)
        whole->code = NULL;
    return whole->later ? 0 : jit_lanes_done(way); /* nothing of it is stored */
}

/* The lanes of a workgroup from `first` on. */
static bool run_group(const struct exec_whole_work *work, uint64_t number, uint32_t first)
{
    const struct exec_grid *grid = work->grid;
    uint32_t group[3];
    exec_grid_group(grid, number, group);
    for (uint32_t row = first / grid->lanes; row < grid->rows; row++) {
        uint32_t done = first % grid->lanes;
        number_row(work, group, row);
        if (work->whole->code && !done)
            done = run_row(work);
        first = 0;
        if (__builtin_expect(done != grid->lanes, 0) && !work->rest(work, number, row, done))
            return false;
    }
    return true;
}

/* Workgroups that are one after the other in x, where memory is moved: how many lanes are done. */
static uint64_t move_groups(const struct exec_whole_work *work, uint64_t number, uint64_t count)
{
    struct exec_whole *whole = work->whole;
    const struct exec_grid *grid = work->grid;
    uint32_t group[3];
    if (!whole->range || grid->size[1] * grid->size[2] != 1)
        return 0;
    exec_grid_group(grid, number, group);
    number_row(work, group, 0);
    const uint64_t left = grid->count[0] - group[0];
    const uint32_t done =
        exec_range_run(whole->range, work->frame, (uint32_t)(left < count ? left : count) * grid->threads);
    whole->still = done ? 0 : whole->still + 1;
    if (whole->still == MOST_MISSES)
        whole->range = NULL;
    return done;
}

static bool run_groups(const struct exec_whole_work *work, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count;) {
        const uint64_t moved = move_groups(work, first + i, count - i);
        i += moved / work->grid->threads;
        if (i < count && !run_group(work, first + i++, (uint32_t)(moved % work->grid->threads)))
            return false;
    }
    return true;
}

bool exec_whole_run(const struct exec_whole_work *work, uint64_t first, uint64_t count)
{
    const uint64_t host = lane_env_get();
    const unsigned before = stat_enter_work(STAT_HOST);
    lane_env_set(work->env);
    stat_count_waves(work->grid->rows * count);
    const bool ok = run_groups(work, first, count);
    lane_env_set(host);
    stat_leave(before);
    return ok;
}
