/* See later.h. */
#include "model/exec/later.h"

#include <string.h>

/* ---- making ---- */

struct maker {
    struct exec_later *later;
    struct lane_program *program;
    const struct exec_later_rows *rows;
    uint32_t used;
};

/* The rows of a frame outlive a row of lanes: one that the program reads before it writes it is to stay as it is. */
static bool is_read(const struct lane_program *p, uint32_t row_B)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->insts[i].op == JIT_ROW && p->insts[i].imm == row_B)
            return true;
    }
    return false;
}

static uint32_t row_of(struct maker *m, jit_value value)
{
    uint32_t row_B = 0;
    do {
        m->program->failed |= m->used >= m->rows->count;
        row_B = m->rows->first_B + m->used++ * m->rows->row_B;
    } while (!m->program->failed && is_read(m->program, row_B));
    if (!m->program->failed)
        lane_program_emit(m->program, JIT_STORE, value, JIT_NONE, JIT_NONE, row_B);
    return row_B;
}

/* The row of offsets or lanes that the store before has, too, or another one. */
static uint32_t row_again(struct maker *m, bool is_same, uint32_t before_B, jit_value value)
{
    return is_same ? before_B : row_of(m, value);
}

/* The dwords of one store; `before` are those of the last one. */
static void add_store(struct maker *m, const struct jit_inst *writes, uint32_t count, const struct jit_inst *before)
{
    struct exec_later *later = m->later;
    struct exec_later_store *store = &later->stores[later->count], *last = before ? store - 1 : NULL;
    const bool is_same_at = before && writes->a == before->a, are_same_lanes = before && writes->c == before->c;
    *store =
        (struct exec_later_store){.pointer_B = writes->imm & 0xffff, .offset_B = writes->imm >> 16, .count = count};
    store->at_B = row_again(m, is_same_at, last ? last->at_B : 0, writes->a);
    store->lanes_B = row_again(m, are_same_lanes, last ? last->lanes_B : 0, writes->c);
    for (uint32_t n = 0; n < count; n++)
        store->values_B[n] = row_of(m, writes[n].b);
    later->count++;
}

/* One after the other, each as the dwords that it was noted with. */
static bool add_stores(struct maker *m, const struct exec_apart *apart)
{
    const struct jit_inst *before = NULL;
    uint32_t next = 0;
    for (uint32_t i = 0; i < apart->count && !m->program->failed; i++) {
        const uint32_t count = apart->accesses[i].is_store ? apart->accesses[i].size_B / 4 : 0;
        if (!count)
            continue;
        if (count > EXEC_LATER_DW || next + count > apart->write_count)
            return false;
        add_store(m, &apart->writes[next], count, before);
        before = &apart->writes[next];
        next += count;
    }
    return next == apart->write_count && !m->program->failed;
}

static bool loads_come_first(const struct exec_apart *apart)
{
    bool has_stored = false, is_so = true;
    for (uint32_t i = 0; i < apart->count; i++) {
        has_stored |= apart->accesses[i].is_store;
        is_so &= !has_stored || apart->accesses[i].is_store;
    }
    return is_so;
}

bool exec_later_end(struct exec_later *later, struct exec_apart *apart, const struct exec_later_rows *rows,
                    uint32_t number)
{
    struct maker m = {later, apart->program, rows, 0};
    later->lanes = apart->lanes;
    later->count = 0;
    if (!loads_come_first(apart))
        return false;
    if (apart->missing != JIT_NONE)
        lane_program_emit(apart->program, JIT_MISS, apart->missing, JIT_NONE, JIT_NONE, number);
    return add_stores(&m, apart);
}

/* ---- running ---- */

static const uint32_t *row_at(const void *frame, uint32_t offset_B)
{
    return (const uint32_t *)((const char *)frame + offset_B);
}

void exec_later_store(const struct exec_later *later, const void *frame)
{
    for (uint32_t s = 0; s < later->count; s++) {
        const struct exec_later_store *store = &later->stores[s];
        const uint32_t *at = row_at(frame, store->at_B), *lanes = row_at(frame, store->lanes_B);
        const uint32_t *values[EXEC_LATER_DW];
        char *to;
        for (uint32_t n = 0; n < store->count; n++)
            values[n] = row_at(frame, store->values_B[n]);
        memcpy(&to, (const char *)frame + store->pointer_B, sizeof(to));
        to += store->offset_B;
        for (uint32_t i = 0; i < later->lanes; i++) {
            for (uint32_t n = 0; lanes[i] && n < store->count; n++)
                memcpy(to + at[i] + n * 4, &values[n][i], 4);
        }
    }
}
