/* See apart.h. */
#include "model/exec/apart.h"

#include <string.h>

void exec_apart_begin(struct exec_apart *apart, struct lane_program *program, uint32_t lanes)
{
    apart->program = program;
    apart->lanes = lanes;
    apart->count = apart->write_count = 0;
    apart->missing = JIT_NONE;
}

void exec_apart_access(struct exec_apart *apart, const struct exec_access *access)
{
    if (apart->count == EXEC_ACCESSES_MAX)
        apart->program->failed = true;
    else
        apart->accesses[apart->count++] = *access;
}

void exec_apart_write(struct exec_apart *apart, jit_value at, jit_value value, jit_value lanes, uint32_t imm)
{
    if (apart->write_count == EXEC_WRITES_MAX)
        apart->program->failed = true;
    else
        apart->writes[apart->write_count++] =
            (struct jit_inst){.op = JIT_WRITE, .a = at, .b = value, .c = lanes, .imm = imm};
}

/* The lower half of the host's address, less what all lanes add: what is apart by it is apart. */
static jit_value base_of(struct lane_program *p, const struct exec_access *access)
{
    const jit_value base = lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, access->pointer_B);
    return access->offset_B ? lane_program_add(p, base, lane_program_const(p, (uint32_t)access->offset_B)) : base;
}

static jit_value place_of(struct lane_program *p, const struct exec_access *access)
{
    return lane_program_add(p, base_of(p, access), access->at);
}

void exec_apart_miss(struct exec_apart *apart, jit_value lanes)
{
    apart->missing = apart->missing == JIT_NONE ? lanes : lane_program_or(apart->program, apart->missing, lanes);
}

/* A store beside a buffer of which any part may be read: this lane's, or, where what is stored is to be seen by all,
 * that of a later lane, which is further_B further at the most. */
static void compare_with_buffer(struct exec_apart *apart, const struct exec_access *store,
                                const struct exec_access *other, uint32_t further_B)
{
    struct lane_program *p = apart->program;
    const jit_value base = lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, other->pointer_B);
    const jit_value limit = lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, other->limit_B);
    const uint32_t before_B = store->size_B + further_B;
    const jit_value end = lane_program_add(p, lane_program_shift_by(p, JIT_SHL, limit, other->limit_shift),
                                           lane_program_const(p, other->size_B + before_B));
    const jit_value after = lane_program_sub(p, place_of(p, store), base);
    exec_apart_miss(apart, lane_program_lt_u(p, lane_program_add(p, after, lane_program_const(p, before_B)), end));
}

/* Both with the same step, or the other one at one place for all lanes: how far they are from each other in a lane. */
static void compare_accesses(struct exec_apart *apart, const struct exec_access *store, const struct exec_access *other,
                             uint32_t step_B, bool may_be_same)
{
    struct lane_program *p = apart->program;
    const uint32_t span_B = apart->lanes * step_B + other->size_B + store->size_B;
    const bool is_one = store->at == other->at; /* then all lanes are as far from each other */
    const jit_value distance = lane_program_sub(p, is_one ? base_of(p, store) : place_of(p, store),
                                                is_one ? base_of(p, other) : place_of(p, other));
    jit_value meets = lane_program_lt_u(p, lane_program_add(p, distance, lane_program_const(p, span_B)),
                                        lane_program_const(p, 2 * span_B));
    if (may_be_same)
        meets = lane_program_and(p, meets, lane_program_not(p, lane_program_eq(p, distance, lane_program_const(p, 0))));
    exec_apart_miss(apart, meets);
}

/* Both in the lane's own slot of step_B bytes, by the program alone. */
static bool is_in_own(const struct exec_access *store, const struct exec_access *other, uint32_t step_B)
{
    const int64_t a = store->offset_B, b = other->offset_B, a_end = a + store->size_B, b_end = b + other->size_B;
    const int64_t from = a < b ? a : b, to = a_end > b_end ? a_end : b_end;
    return store->at == other->at && store->pointer_B == other->pointer_B && to - from <= step_B;
}

static bool accesses_overlap(const struct exec_access *a, const struct exec_access *b)
{
    return a->offset_B < b->offset_B + (int64_t)b->size_B && b->offset_B < a->offset_B + (int64_t)a->size_B;
}

/* How much further lanes are from each other, of each access. */
struct steps {
    bool is_known[EXEC_ACCESSES_MAX];
    uint32_t by_B[EXEC_ACCESSES_MAX];
};

static void find_steps(const struct exec_apart *apart, struct steps *steps)
{
    const struct lane_program *p = apart->program;
    for (uint32_t i = 0; i < apart->count; i++) {
        uint32_t same = 0; /* of the same offsets, mostly */
        while (apart->accesses[same].at != apart->accesses[i].at)
            same++;
        steps->is_known[i] = same < i ? steps->is_known[same]
                                      : jit_find_step(p->insts, p->count, apart->accesses[i].at, &steps->by_B[i]);
        steps->by_B[i] = same < i ? steps->by_B[same] : steps->by_B[i];
    }
}

/* Any part of a buffer: once for all such loads of it before the store, and for all behind it. */
static bool is_again(const struct exec_apart *apart, const struct steps *steps, uint32_t store_index, uint32_t index)
{
    const struct exec_access *access = &apart->accesses[index];
    for (uint32_t i = 0; i < index && !steps->is_known[index]; i++) {
        const struct exec_access *other = &apart->accesses[i];
        if (!other->is_store && !steps->is_known[i] && other->pointer_B == access->pointer_B &&
            other->limit_B == access->limit_B && (i < store_index) == (index < store_index))
            return true;
    }
    return false;
}

static bool look_at(struct exec_apart *apart, const struct steps *steps, uint32_t store_index, uint32_t other_index)
{
    const struct exec_access *store = &apart->accesses[store_index], *other = &apart->accesses[other_index];
    const bool is_read_again = !other->is_store && other_index > store_index;
    const uint32_t step_B = steps->by_B[store_index], other_B = steps->by_B[other_index];
    if (is_in_own(store, other, step_B))
        return !is_read_again || !accesses_overlap(store, other);
    const bool is_known = steps->is_known[other_index], has_step = other_B == step_B;
    if (is_known && (has_step || other_B == 0))
        compare_accesses(apart, store, other, step_B, has_step && !is_read_again && other->size_B == store->size_B);
    else if (other->limit_B && !other->is_store)
        compare_with_buffer(apart, store, other, is_read_again ? apart->lanes * step_B : 0);
    else
        return false;
    return true;
}

/* Its lanes leave each other alone. */
static bool is_own(const struct exec_apart *apart, const struct steps *steps, uint32_t store)
{
    return steps->is_known[store] && steps->by_B[store] >= apart->accesses[store].size_B &&
           steps->by_B[store] <= UINT16_MAX;
}

bool exec_apart_end(struct exec_apart *apart, uint32_t number)
{
    struct lane_program *p = apart->program;
    struct steps steps;
    find_steps(apart, &steps);
    for (uint32_t i = 0; i < apart->count; i++) {
        if (!apart->accesses[i].is_store)
            continue;
        if (!is_own(apart, &steps, i))
            return false;
        for (uint32_t j = 0; j < apart->count; j++) {
            if ((apart->accesses[j].is_store && j >= i) || is_again(apart, &steps, i, j))
                continue;
            if (!look_at(apart, &steps, i, j))
                return false;
        }
    }
    if (apart->missing != JIT_NONE)
        lane_program_emit(p, JIT_MISS, apart->missing, JIT_NONE, JIT_NONE, number);
    for (uint32_t i = 0; i < apart->write_count && !p->failed; i++) {
        const struct jit_inst *write = &apart->writes[i];
        lane_program_emit(p, JIT_WRITE, write->a, write->b, write->c, write->imm);
    }
    return !p->failed;
}

void exec_apart_find_live(const struct lane_program *program, bool *is_live)
{
    memset(is_live, 0, program->count * sizeof(*is_live));
    for (uint32_t i = program->count; i-- > 0;) {
        const struct jit_inst *inst = &program->insts[i];
        const jit_value operands[] = {inst->a, inst->b, inst->c};
        is_live[i] |= inst->op == JIT_WRITE || inst->op == JIT_MISS;
        for (uint32_t n = 0; is_live[i] && n < jit_operand_count(inst->op); n++) {
            if (operands[n] != JIT_NONE)
                is_live[operands[n]] = true;
        }
    }
}
