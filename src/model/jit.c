/* The host-independent half of the code maker: memory for code, and what is known of a program before its code is made
 * (jit_registers.c, jit_loop.c): values that nothing uses, that are the same in all lanes, and where each is used. */
#include "model/jit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/jit_maker.h"
#include "util/bits.h"
#include "util/file_limit.h"

#define CODE_B ((size_t)16 << 20) /* address space and a sparse file: pages appear as code does */

/* ---- memory ---- */

/* One file, mapped twice: no page can be written and executed at one address. */
struct jit {
    int fd;
    uint8_t *writable, *executable;
    size_t used_B;
    struct jit_buffer buffer;
};

struct jit *jit_create(void)
{
    if (!JIT_HOST)
        return NULL;
    struct jit *jit = calloc(1, sizeof(*jit));
    if (!jit)
        return NULL;
    jit->writable = jit->executable = MAP_FAILED;
    jit->fd = memfd_create("tuff-jit", MFD_CLOEXEC);
    struct file_limit limit = file_limit_enter();
    bool has_room = jit->fd >= 0 && !ftruncate(jit->fd, CODE_B);
    file_limit_leave(limit);
    if (has_room) {
        jit->writable = mmap(NULL, CODE_B, PROT_READ | PROT_WRITE, MAP_SHARED, jit->fd, 0);
        jit->executable = mmap(NULL, CODE_B, PROT_READ | PROT_EXEC, MAP_SHARED, jit->fd, 0);
    }
    if (jit->writable == MAP_FAILED || jit->executable == MAP_FAILED) {
        jit_destroy(jit);
        return NULL;
    }
    return jit;
}

void jit_destroy(struct jit *jit)
{
    if (!jit)
        return;
    if (jit->writable != MAP_FAILED)
        munmap(jit->writable, CODE_B);
    if (jit->executable != MAP_FAILED)
        munmap(jit->executable, CODE_B);
    if (jit->fd >= 0)
        close(jit->fd);
    free(jit);
}

/* x86 promises to see new code where old code ran only if it was written at that address. A new mapping does for CPUs
 * and for programs that stand in for one, which keep their translations until then. */
void jit_reset(struct jit *jit)
{
    void *again = mmap(jit->executable, CODE_B, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, jit->fd, 0);
    jit->used_B = again != MAP_FAILED ? 0 : CODE_B; /* full for good */
}

uint32_t jit_size_B(const struct jit *jit)
{
    return (uint32_t)jit->used_B;
}

uint32_t jit_pool_vector(struct jit_buffer *buffer, const uint32_t *lanes)
{
    for (uint32_t i = 0; i < buffer->pool_count; i++) {
        if (memcmp(buffer->pool[i], lanes, sizeof(buffer->pool[i])) == 0)
            return i;
    }
    if (buffer->pool_count == JIT_POOL_VECTORS) {
        buffer->full = true;
        return 0;
    }
    memcpy(buffer->pool[buffer->pool_count], lanes, sizeof(buffer->pool[0]));
    return buffer->pool_count++;
}

uint32_t jit_pool_splat(struct jit_buffer *buffer, uint32_t value)
{
    uint32_t lanes[JIT_VECTOR_LANES];
    for (unsigned i = 0; i < JIT_VECTOR_LANES; i++)
        lanes[i] = value;
    return jit_pool_vector(buffer, lanes);
}

/* ---- programs ---- */

uint32_t jit_operand_count(enum jit_op op)
{
    switch (op) {
    case JIT_CONST:
    case JIT_ROW:
    case JIT_SPLAT:
    case JIT_BITS:
    case JIT_LANE:
    case JIT_LOOP:
    case JIT_STAY:
    case JIT_AGAIN:
        return 0;
    case JIT_NOT:
    case JIT_SHL_IMM:
    case JIT_SHR_IMM:
    case JIT_SAR_IMM:
    case JIT_POPCOUNT:
    case JIT_FSQRT:
    case JIT_FLOOR:
    case JIT_CEIL:
    case JIT_TRUNC:
    case JIT_NEAREST:
    case JIT_F32_OF_I32:
    case JIT_F32_OF_U32:
    case JIT_I32_OF_F32:
    case JIT_HALF_OF_F32:
    case JIT_U32_OF_F32:
    case JIT_QUAD:
    case JIT_LOAD:
    case JIT_STORE:
    case JIT_STORE_BITS:
    case JIT_STORE_ONE:
    case JIT_LEAVE:
        return 1;
    case JIT_SELECT:
    case JIT_FMA:
    case JIT_CALL:
        return 3;
    default:
        return 2;
    }
}

/* Where a program's loop is. */
struct outline {
    uint32_t loop, again;        /* UINT32_MAX: there is none */
    bool is_same[JIT_MAX_INSTS]; /* in all lanes */
};

static bool is_value(const struct jit_inst *inst)
{
    return !jit_is_result(inst) && !jit_is_flow(inst);
}

/* A loop is the end of its program, begins with its phis, and has ways out, which have results. */
static bool find_loop(const struct jit_inst *insts, uint32_t count, struct outline *out)
{
    uint32_t leaves = 0, phis_end = 0;
    bool is_leaving = false;
    out->loop = out->again = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_inside = out->loop != UINT32_MAX;
        switch ((enum jit_op)insts[i].op) {
        case JIT_LOOP:
            if (is_inside)
                return false;
            out->loop = i;
            phis_end = i + 1;
            break;
        case JIT_PHI:
            if (!is_inside || phis_end++ != i)
                return false;
            break;
        case JIT_LEAVE:
        case JIT_STAY:
            if (!is_inside || is_leaving != (insts[i].op == JIT_STAY) || (!is_leaving && leaves == JIT_MAX_LEAVES))
                return false;
            is_leaving = !is_leaving;
            leaves += is_leaving;
            break;
        case JIT_AGAIN:
            out->again = i;
            break;
        case JIT_STORE:
        case JIT_STORE_BITS:
        case JIT_STORE_ONE:
            if (is_inside && !is_leaving)
                return false;
            break;
        default:
            if (is_leaving || (is_inside && insts[i].op == JIT_BITS))
                return false;
        }
    }
    if (out->loop == UINT32_MAX)
        return out->again == UINT32_MAX;
    return out->again == count - 1 && leaves && !is_leaving && count <= JIT_MAX_INSTS - JIT_MAX_LEAVES;
}

/* A phi is taken for such until it is found not to be. */
void jit_find_same(const struct jit_inst *insts, uint32_t count, bool *is_same)
{
    bool changed = true;
    memset(is_same, true, count);
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < count; i++) {
            const enum jit_op op = insts[i].op;
            bool same = is_same[i] && op != JIT_ROW && op != JIT_BITS && op != JIT_LANE;
            for (unsigned n = 0; n < jit_operand_count(op) && same; n++)
                same = jit_operand(&insts[i], n) == JIT_NONE || is_same[jit_operand(&insts[i], n)];
            changed |= same != is_same[i];
            is_same[i] = same;
        }
    }
}

/* The most registers that are needed at once, leaving out values that can be made again at any time. */
static uint32_t pressure_of(const struct jit_inst *insts, uint32_t count, const struct outline *outline,
                            uint32_t strands)
{
    uint16_t last[JIT_MAX_INSTS];
    for (uint32_t i = 0; i < count; i++) {
        last[i] = insts[i].op == JIT_PHI ? (uint16_t)outline->again : 0; /* 0: never */
        for (unsigned n = 0; n < (insts[i].op == JIT_PHI ? 1 : jit_operand_count(insts[i].op)); n++) {
            const jit_value v = jit_operand(&insts[i], n);
            const bool all_rounds = outline->loop != UINT32_MAX && i > outline->loop && v < outline->loop;
            if (v != JIT_NONE && last[v] < i)
                last[v] = (uint16_t)(all_rounds && insts[i].op != JIT_PHI ? outline->again : i);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (insts[i].op == JIT_PHI)
            last[insts[i].b] = (uint16_t)outline->again;
    }
    uint32_t ends[JIT_MAX_INSTS + 1], alive = 0, most = 0;
    memset(ends, 0, (count + 1) * sizeof(ends[0]));
    for (uint32_t i = 0; i < count; i++) {
        alive -= ends[i];
        if (last[i] && insts[i].op != JIT_CONST && insts[i].op != JIT_SPLAT) {
            const uint32_t registers = outline->is_same[i] ? 1 : strands;
            ends[last[i]] += registers;
            alive += registers;
        }
        most = MAX2(most, alive);
    }
    return most;
}

/* As many strands as there are registers for. Rounds of a loop wait for each other: more of them help there. */
static void choose_strands(struct jit_maker *m, const struct jit_inst *insts, uint32_t count,
                           const struct outline *outline)
{
    const uint32_t registers = (uint32_t)__builtin_popcount(jit_host_registers);
    uint32_t strands = outline->loop != UINT32_MAX ? jit_host_strands : MIN2(2u, jit_host_strands), pressure;
    for (;; strands /= 2) {
        pressure = pressure_of(insts, count, outline, strands);
        if (strands == 1 || (pressure + 2 < registers && JIT_VECTOR_LANES * strands <= m->shape.frame->lanes))
            break;
    }
    m->shape.strands = strands;
    m->spare = pressure + 3 < registers ? registers - pressure - 3 : 0; /* what is had again takes some, too */
}

static jit_value add(struct jit_maker *m, struct jit_inst inst)
{
    m->insts[m->count] = inst;
    return (jit_value)m->count++;
}

/* Whether a lane of any strand is set. */
static void weave_leave(struct jit_maker *m, struct jit_inst leave, const jit_value *made, bool is_same)
{
    jit_value any = made[0];
    for (uint32_t s = 1; s < m->shape.strands && !is_same; s++)
        any = add(m, (struct jit_inst){.op = JIT_OR, .a = any, .b = made[s], .c = JIT_NONE});
    leave.a = any;
    leave.c = is_same;
    add(m, leave);
}

/* Each operation once per strand, but for what is the same in all lanes. */
static void weave(struct jit_maker *m, const struct jit_inst *insts, uint32_t count, const struct outline *outline)
{
    jit_value made[JIT_MAX_INSTS][MAX_STRANDS];
    for (uint32_t i = 0; i < count; i++) {
        const bool is_value_once = outline->is_same[i] && is_value(&insts[i]);
        if (insts[i].op == JIT_LOOP)
            m->loop = m->count;
        if (insts[i].op == JIT_LEAVE) {
            weave_leave(m, insts[i], made[insts[i].a], outline->is_same[insts[i].a]);
            continue;
        }
        for (uint32_t s = 0; s < m->shape.strands; s++) {
            if (s && (is_value_once || jit_is_flow(&insts[i]) || insts[i].op == JIT_STORE_ONE)) {
                made[i][s] = made[i][0];
                continue;
            }
            struct jit_inst inst = insts[i];
            const unsigned operands = jit_operand_count(inst.op);
            inst.a = operands > 0 && inst.a != JIT_NONE ? made[inst.a][s] : JIT_NONE;
            if (inst.op != JIT_PHI)
                inst.b = operands > 1 && inst.b != JIT_NONE ? made[inst.b][s] : JIT_NONE;
            inst.c = operands > 2 && inst.c != JIT_NONE ? made[inst.c][s] : JIT_NONE;
            if (inst.op == JIT_ROW || inst.op == JIT_STORE)
                inst.imm += s * JIT_VECTOR_LANES * 4;
            if (inst.op == JIT_LANE || inst.op == JIT_BITS || jit_is_result(&inst) || inst.op == JIT_PHI)
                inst.c = (jit_value)s;
            m->phi_count += inst.op == JIT_PHI;
            made[i][s] = add(m, inst);
        }
    }
    m->again = m->count - 1;
    for (uint32_t i = m->loop + 1; i <= m->loop + m->phi_count; i++)
        m->insts[i].b = made[m->insts[i].b][m->insts[i].c];
}

/* Backwards: a value is used if something used uses it. A phi has its next value at the end. */
static void find_used(struct jit_maker *m)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = m->count; i-- > 0;) {
            const struct jit_inst *inst = &m->insts[i];
            m->is_used[i] |= !is_value(inst);
            for (unsigned n = 0; n < jit_operand_count(inst->op) && m->is_used[i]; n++) {
                const jit_value v = jit_operand(inst, n);
                changed |= v != JIT_NONE && v > i && !m->is_used[v];
                if (v != JIT_NONE)
                    m->is_used[v] = true;
            }
        }
    }
}

/* One use of a value: counted first, then listed. */
static void take_use(struct jit_maker *m, uint32_t *counts, jit_value v, uint32_t i, bool is_listed)
{
    if (v == JIT_NONE)
        return;
    if (is_listed)
        m->uses[m->next_use[v]++] = (uint16_t)i;
    else
        counts[v]++;
}

/* A phi's first value is used at the beginning of the loop, the others at its end. */
static void take_uses_of(struct jit_maker *m, uint32_t *counts, uint32_t i, bool is_listed)
{
    const struct jit_inst *inst = &m->insts[i];
    if (inst->op == JIT_LOOP || inst->op == JIT_AGAIN) {
        for (uint32_t phi = m->loop + 1; phi <= m->loop + m->phi_count; phi++) {
            if (m->is_used[phi])
                take_use(m, counts, inst->op == JIT_LOOP ? m->insts[phi].a : m->insts[phi].b, i, is_listed);
        }
    }
    for (unsigned n = 0; n < jit_operand_count(inst->op) && m->is_used[i] && inst->op != JIT_PHI; n++)
        take_use(m, counts, jit_operand(inst, n), i, is_listed);
}

static void list_uses(struct jit_maker *m)
{
    uint32_t counts[LIMIT + 1];
    memset(counts, 0, (m->count + 1) * sizeof(counts[0]));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < m->count; i++)
            take_uses_of(m, counts, i, pass);
        for (uint32_t v = 0, sum = 0; v <= m->count && !pass; v++) {
            m->first_use[v] = sum;
            sum += v < m->count ? counts[v] : 0;
        }
        for (uint32_t v = 0; v < m->count; v++)
            m->next_use[v] = m->first_use[v];
    }
}

unsigned jit_mask_of(const struct jit_maker *m, const struct jit_inst *inst)
{
    unsigned n = 0;
    while (n < m->shape.mask_count &&
           (m->shape.masks[n].offset != inst->imm || m->shape.masks[n].is_result != (inst->op == JIT_STORE_BITS)))
        n++;
    return n;
}

static bool list_masks(struct jit_maker *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const struct jit_inst *inst = &m->insts[i];
        if (!m->is_used[i] || (inst->op != JIT_BITS && inst->op != JIT_STORE_BITS) ||
            jit_mask_of(m, inst) < m->shape.mask_count)
            continue;
        if (m->shape.mask_count == JIT_MAX_MASKS || m->shape.frame->lanes > 64)
            return false;
        m->shape.masks[m->shape.mask_count++] = (struct jit_mask){inst->op == JIT_STORE_BITS, inst->imm};
    }
    return true;
}

static uint32_t last_use(const struct jit_maker *m, uint32_t v)
{
    return m->first_use[v + 1] > m->first_use[v] ? m->uses[m->first_use[v + 1] - 1] : 0;
}

/* Values that are made before a call and used after it, or in a round after its own. */
static void find_crossings(struct jit_maker *m, uint32_t call)
{
    for (uint32_t v = 0; v < call; v++)
        m->crosses_call[v] |= last_use(m, v) > call;
    for (uint32_t v = 0; v <= m->loop + m->phi_count && jit_is_in_loop(m, call); v++)
        m->crosses_call[v] |= v > m->loop || last_use(m, v) > m->loop;
    m->shape.has_calls = true;
}

/* A row that is stored to can be read again as long as nothing was stored: not among results. */
static bool is_kept_in_row(const struct jit_maker *m, uint32_t row)
{
    bool is_stored = false, is_moved = false;
    for (uint32_t i = row; i < m->count; i++)
        is_stored |= m->insts[i].op == JIT_STORE && m->insts[i].imm == m->insts[row].imm;
    for (uint32_t n = m->first_use[row]; n < m->first_use[row + 1]; n++)
        is_moved |= jit_is_result(&m->insts[m->uses[n]]);
    return !is_stored || (m->shape.has_loop && !is_moved);
}

static void find_facts(struct jit_maker *m)
{
    memset(m->phi_of, 0xff, m->count * sizeof(m->phi_of[0])); /* JIT_NONE */
    for (uint32_t i = m->loop + m->phi_count; i > m->loop; i--)
        m->phi_of[m->insts[i].b] = (jit_value)i;
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->is_used[i] && m->insts[i].op == JIT_CALL)
            find_crossings(m, i);
        m->is_kept_in_row[i] = m->insts[i].op == JIT_ROW && m->is_used[i] && is_kept_in_row(m, i);
    }
}

/* Vectors are named by whole vectors of the smallest host: a row elsewhere would be read beside its place. */
static bool rows_stand_right(const struct jit_inst *insts, uint32_t count, const struct jit_frame *frame)
{
    uint32_t offsets = frame->exec_row;
    for (uint32_t i = 0; i < count; i++)
        offsets |= insts[i].op == JIT_ROW || insts[i].op == JIT_STORE ? insts[i].imm : 0;
    return offsets % JIT_ROW_ALIGN_B == 0;
}

static void begin(struct jit *jit, struct jit_maker *m, const struct jit_frame *frame, bool is_full)
{
    struct jit_buffer *buffer = &jit->buffer;
    buffer->at = jit->writable + jit->used_B;
    buffer->end = jit->writable + CODE_B;
    buffer->full = false;
    buffer->pool_count = buffer->leave_count = 0;
    buffer->stop = NULL;
    m->buffer = buffer;
    m->shape.frame = frame;
    m->shape.is_full = is_full;
    m->shape.slot_count = 1;
}

/* The code is complete: its constants after it. NULL: it does not fit. */
static jit_code finish(struct jit *jit, uint8_t *start)
{
    struct jit_buffer *buffer = &jit->buffer;
    jit_code code = NULL;
    uint8_t *pool = (uint8_t *)(((uintptr_t)buffer->at + 63) & ~(uintptr_t)63);
    const size_t pool_B = buffer->pool_count * sizeof(buffer->pool[0]);
    if (!buffer->full && pool + pool_B + 64 <= buffer->end) {
        memcpy(pool, buffer->pool, pool_B);
        jit_host_link(buffer, pool);
        uint8_t *run = jit->executable + (start - jit->writable);
        __builtin___clear_cache((char *)run, (char *)run + (pool + pool_B - start));
        jit->used_B = ((size_t)(pool + pool_B - jit->writable) + 63) & ~(size_t)63;
        memcpy(&code, &run, sizeof(code));
    }
    return code;
}

jit_code jit_compile(struct jit *jit, const struct jit_inst *insts, uint32_t count, const struct jit_frame *frame,
                     bool is_full)
{
    struct outline outline;
    if (count > JIT_MAX_INSTS || !rows_stand_right(insts, count, frame) || !find_loop(insts, count, &outline))
        return NULL;
    struct jit_maker *m = calloc(1, sizeof(*m));
    if (!m)
        return NULL;
    begin(jit, m, frame, is_full);
    uint8_t *start = jit->buffer.at;
    m->shape.has_loop = outline.loop != UINT32_MAX;
    jit_find_same(insts, count, outline.is_same);
    choose_strands(m, insts, count, &outline);
    weave(m, insts, count, &outline);
    memset(m->now.reg, NOWHERE, m->count);
    memset(m->now.slot, 0xff, m->count * sizeof(m->now.slot[0])); /* NO_SLOT */
    find_used(m);
    list_uses(m);
    find_facts(m);
    jit_code code = NULL;
    if (list_masks(m)) {
        jit_make_all(m);
        code = finish(jit, start);
    }
    free(m);
    return code;
}
