/* The host-independent half of the code maker: memory for code, dead values, and registers. A program is straight, so
 * registers are given in one pass: the value whose next use is farthest away is evicted, and one that can be loaded or
 * made again is not saved. */
#include "model/jit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/jit_host.h"
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
        return 1;
    case JIT_SELECT:
    case JIT_FMA:
    case JIT_CALL:
        return 3;
    default:
        return 2;
    }
}

enum {
    NOWHERE = -1,
    NO_SLOT = UINT16_MAX,
};

#define MAX_STRANDS 2u
#define LIMIT (JIT_MAX_INSTS * MAX_STRANDS)

/* The state of one compilation. */
struct maker {
    struct jit_inst insts[LIMIT]; /* of all strands, which take turns */
    uint32_t count;
    struct jit_shape shape;
    struct jit_buffer *buffer;

    /* For each value. Uses are numbers of operations, ascending, from first_use[v] to first_use[v + 1]. */
    bool is_used[LIMIT];
    bool crosses_call[LIMIT];
    bool is_kept_in_row[LIMIT]; /* JIT_ROW of a row that this program does not change */
    uint32_t first_use[LIMIT + 1];
    uint32_t next_use[LIMIT];
    uint16_t uses[LIMIT * 3];
    int8_t reg[LIMIT];
    uint16_t slot[LIMIT];

    uint32_t free; /* registers, as bits */
    uint32_t held; /* those of values that are made before the loop */
    uint16_t owner[JIT_MAX_REGISTERS];
    uint32_t pinned; /* operands of the operation at hand */
    uint32_t spare;  /* registers that are never needed at once, but for such */
};

static jit_value operand(const struct jit_inst *inst, unsigned n)
{
    return n == 0 ? inst->a : n == 1 ? inst->b : inst->c;
}

static bool is_result(const struct jit_inst *inst)
{
    return inst->op == JIT_STORE || inst->op == JIT_STORE_BITS;
}

/* The most values that are alive at once, leaving out those that can be made again at any time. */
static uint32_t pressure_of(const struct jit_inst *insts, uint32_t count)
{
    static const uint16_t never = 0;
    uint16_t last[JIT_MAX_INSTS];
    for (uint32_t i = 0; i < count; i++) {
        last[i] = never;
        for (unsigned n = 0; n < jit_operand_count(insts[i].op); n++) {
            if (operand(&insts[i], n) != JIT_NONE)
                last[operand(&insts[i], n)] = (uint16_t)i;
        }
    }
    uint32_t ends[JIT_MAX_INSTS + 1], alive = 0, most = 0;
    memset(ends, 0, (count + 1) * sizeof(ends[0]));
    for (uint32_t i = 0; i < count; i++) {
        alive -= ends[i];
        if (last[i] != never && insts[i].op != JIT_CONST && insts[i].op != JIT_SPLAT) {
            ends[last[i]]++;
            alive++;
        }
        most = MAX2(most, alive);
    }
    return most;
}

static bool is_same_in_all_lanes(enum jit_op op)
{
    return op == JIT_CONST || op == JIT_SPLAT;
}

/* Each operation once per strand. */
static void weave(struct maker *m, const struct jit_inst *insts, uint32_t count)
{
    jit_value made[JIT_MAX_INSTS][MAX_STRANDS];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t s = 0; s < m->shape.strands; s++) {
            if (s && is_same_in_all_lanes(insts[i].op)) {
                made[i][s] = made[i][0];
                continue;
            }
            struct jit_inst inst = insts[i];
            unsigned operands = jit_operand_count(inst.op);
            inst.a = operands > 0 && inst.a != JIT_NONE ? made[inst.a][s] : JIT_NONE;
            inst.b = operands > 1 && inst.b != JIT_NONE ? made[inst.b][s] : JIT_NONE;
            inst.c = operands > 2 && inst.c != JIT_NONE ? made[inst.c][s] : JIT_NONE;
            if (inst.op == JIT_ROW || inst.op == JIT_STORE)
                inst.imm += s * JIT_VECTOR_LANES * 4;
            if (inst.op == JIT_LANE || inst.op == JIT_BITS || is_result(&inst))
                inst.c = (jit_value)s;
            made[i][s] = (jit_value)m->count;
            m->insts[m->count++] = inst;
        }
    }
}

/* Backwards: a value is used if something used uses it. */
static void find_used(struct maker *m)
{
    for (uint32_t i = m->count; i-- > 0;) {
        const struct jit_inst *inst = &m->insts[i];
        m->is_used[i] |= is_result(inst);
        for (unsigned n = 0; n < jit_operand_count(inst->op) && m->is_used[i]; n++) {
            if (operand(inst, n) != JIT_NONE)
                m->is_used[operand(inst, n)] = true;
        }
    }
}

static void list_uses(struct maker *m)
{
    uint32_t counts[LIMIT + 1];
    memset(counts, 0, (m->count + 1) * sizeof(counts[0]));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < m->count; i++) {
            const struct jit_inst *inst = &m->insts[i];
            for (unsigned n = 0; n < jit_operand_count(inst->op) && m->is_used[i]; n++) {
                jit_value v = operand(inst, n);
                if (v == JIT_NONE)
                    continue;
                if (pass)
                    m->uses[m->next_use[v]++] = (uint16_t)i;
                else
                    counts[v]++;
            }
        }
        for (uint32_t v = 0, sum = 0; v <= m->count && !pass; v++) {
            m->first_use[v] = sum;
            sum += v < m->count ? counts[v] : 0;
        }
        for (uint32_t v = 0; v < m->count; v++)
            m->next_use[v] = m->first_use[v];
    }
}

static unsigned mask_of(const struct maker *m, const struct jit_inst *inst)
{
    unsigned n = 0;
    while (n < m->shape.mask_count &&
           (m->shape.masks[n].offset != inst->imm || m->shape.masks[n].is_result != (inst->op == JIT_STORE_BITS)))
        n++;
    return n;
}

static bool list_masks(struct maker *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const struct jit_inst *inst = &m->insts[i];
        if (!m->is_used[i] || (inst->op != JIT_BITS && inst->op != JIT_STORE_BITS) ||
            mask_of(m, inst) < m->shape.mask_count)
            continue;
        if (m->shape.mask_count == JIT_MAX_MASKS || m->shape.frame->lanes > 64)
            return false;
        m->shape.masks[m->shape.mask_count++] = (struct jit_mask){inst->op == JIT_STORE_BITS, inst->imm};
    }
    return true;
}

static void find_facts(struct maker *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->is_used[i] && m->insts[i].op == JIT_CALL) {
            /* Values that were made before and are used after it. */
            for (uint32_t v = 0; v < i; v++)
                m->crosses_call[v] |= m->first_use[v + 1] > m->first_use[v] && m->uses[m->first_use[v + 1] - 1] > i;
            m->shape.has_calls = true;
        }
    }
    for (uint32_t i = 0; i < m->count; i++) {
        bool is_row = m->insts[i].op == JIT_ROW;
        for (uint32_t s = i; s < m->count && is_row; s++)
            is_row = m->insts[s].op != JIT_STORE || m->insts[s].imm != m->insts[i].imm;
        m->is_kept_in_row[i] = is_row;
    }
}

/* ---- registers ---- */

static uint32_t next_use_of(struct maker *m, jit_value v, uint32_t now)
{
    while (m->next_use[v] < m->first_use[v + 1] && m->uses[m->next_use[v]] < now)
        m->next_use[v]++;
    return m->next_use[v] < m->first_use[v + 1] ? m->uses[m->next_use[v]] : UINT32_MAX;
}

/* It costs one load, or one instruction, to make it again. */
static bool is_cheap(const struct maker *m, jit_value v)
{
    enum jit_op op = m->insts[v].op;
    return op == JIT_CONST || op == JIT_SPLAT || (op == JIT_ROW && m->is_kept_in_row[v]);
}

static void leave(struct maker *m, unsigned reg)
{
    jit_value v = m->owner[reg];
    if (!is_cheap(m, v) && m->slot[v] == NO_SLOT) {
        m->slot[v] = (uint16_t)m->shape.slot_count++;
        jit_host_spill(m->buffer, m->slot[v], reg);
    }
    m->reg[v] = NOWHERE;
    m->free |= 1u << reg;
}

/* A register for a value: a free one, if possible one that survives its calls; else that of the value whose next use is
 * last. */
static unsigned take(struct maker *m, jit_value v, uint32_t now)
{
    uint32_t usable = m->free & ~m->pinned;
    if (!usable) {
        unsigned farthest = 0;
        uint32_t distance = 0;
        for (unsigned r = 0; r < JIT_MAX_REGISTERS; r++) {
            if (!((jit_host_registers & ~m->held & ~m->pinned & ~m->free) >> r & 1))
                continue;
            uint32_t use = next_use_of(m, m->owner[r], now);
            if (use >= distance) {
                distance = use;
                farthest = r;
            }
        }
        leave(m, farthest);
        usable = 1u << farthest;
    }
    uint32_t fitting = usable & (m->crosses_call[v] ? jit_host_kept : ~jit_host_kept);
    unsigned reg = (unsigned)__builtin_ctz(fitting ? fitting : usable);
    m->free &= ~(1u << reg);
    m->owner[reg] = v;
    m->reg[v] = (int8_t)reg;
    return reg;
}

static unsigned bring(struct maker *m, jit_value v, uint32_t now)
{
    if (m->reg[v] == NOWHERE) {
        unsigned reg = take(m, v, now);
        if (m->slot[v] != NO_SLOT)
            jit_host_reload(m->buffer, m->slot[v], reg);
        else
            jit_host_emit(m->buffer, &m->shape, &m->insts[v], reg, 0, 0, 0, 0);
    }
    m->pinned |= 1u << m->reg[v];
    return (unsigned)m->reg[v];
}

/* What no later operation uses gives its register back. */
static void release(struct maker *m, jit_value v, uint32_t now)
{
    if (v != JIT_NONE && m->reg[v] != NOWHERE && !(m->held >> m->reg[v] & 1) &&
        next_use_of(m, v, now + 1) == UINT32_MAX) {
        m->free |= 1u << m->reg[v];
        m->reg[v] = NOWHERE;
    }
}

static void make_one(struct maker *m, uint32_t i)
{
    const struct jit_inst *inst = &m->insts[i];
    unsigned regs[3] = {0}, operands = jit_operand_count(inst->op);
    m->pinned = 0;
    for (unsigned n = 0; n < operands; n++) {
        if (operand(inst, n) != JIT_NONE)
            regs[n] = bring(m, operand(inst, n), i);
    }
    if (inst->op == JIT_CALL) {
        /* Values that live on and would not survive are moved. Operands are read before anything is lost. */
        for (unsigned r = 0; r < JIT_MAX_REGISTERS; r++) {
            if ((jit_host_registers & ~jit_host_kept & ~m->free) >> r & 1 &&
                next_use_of(m, m->owner[r], i + 1) != UINT32_MAX)
                leave(m, r);
        }
    }
    if (is_result(inst)) {
        jit_host_emit(m->buffer, &m->shape, inst, 0, regs[0], 0, 0, mask_of(m, inst));
        release(m, inst->a, i);
        return;
    }
    for (unsigned n = 0; n < operands; n++)
        release(m, operand(inst, n), i);
    int d = NOWHERE;
    for (unsigned n = 0; n < operands && d == NOWHERE; n++) {
        if (inst->op != JIT_CALL && jit_host_result_in(inst->op, n) && (m->free >> regs[n] & 1) &&
            (!m->crosses_call[i] || !jit_host_kept || (jit_host_kept >> regs[n] & 1))) {
            d = (int)regs[n];
            m->free &= ~(1u << d);
            m->owner[d] = (uint16_t)i;
            m->reg[i] = (int8_t)d;
        }
    }
    if (d == NOWHERE)
        d = (int)take(m, (jit_value)i, i + 1);
    jit_host_emit(m->buffer, &m->shape, inst, (unsigned)d, regs[0], regs[1], regs[2], mask_of(m, inst));
}

/* What is the same in all lanes is made once, as long as there are registers to keep it in: what is used most first. */
static void make_before_loop(struct maker *m)
{
    for (uint32_t usable = m->shape.has_calls ? jit_host_kept : jit_host_registers; m->spare && usable; m->spare--) {
        uint32_t best = 0, most = 0;
        for (uint32_t v = 0; v < m->count; v++) {
            uint32_t uses = m->first_use[v + 1] - m->first_use[v];
            if (is_same_in_all_lanes(m->insts[v].op) && m->reg[v] == NOWHERE && uses > most) {
                best = v;
                most = uses;
            }
        }
        if (!most)
            break;
        unsigned reg = (unsigned)__builtin_ctz(usable);
        jit_host_emit(m->buffer, &m->shape, &m->insts[best], reg, 0, 0, 0, 0);
        m->reg[best] = (int8_t)reg;
        m->owner[reg] = (uint16_t)best;
        m->held |= 1u << reg;
        usable &= ~m->held;
    }
    m->free = jit_host_registers & ~m->held;
}

static void make_all(struct maker *m)
{
    jit_host_begin(m->buffer, &m->shape);
    make_before_loop(m);
    m->buffer->loop = m->buffer->at;
    for (uint32_t i = 0; i < m->count; i++) {
        /* What is cheap to have is made where it is used. */
        if (m->is_used[i] && !is_cheap(m, (jit_value)i))
            make_one(m, i);
    }
    jit_host_end(m->buffer, &m->shape);
}

/* Vectors are named by whole vectors of the smallest host: a row elsewhere would be read beside its place. */
static bool rows_stand_right(const struct jit_inst *insts, uint32_t count, const struct jit_frame *frame)
{
    uint32_t offsets = frame->exec_row;
    for (uint32_t i = 0; i < count; i++)
        offsets |= insts[i].op == JIT_ROW || insts[i].op == JIT_STORE ? insts[i].imm : 0;
    return offsets % JIT_ROW_ALIGN_B == 0;
}

jit_code jit_compile(struct jit *jit, const struct jit_inst *insts, uint32_t count, const struct jit_frame *frame,
                     bool is_full)
{
    if (count > JIT_MAX_INSTS || !rows_stand_right(insts, count, frame))
        return NULL;
    struct maker *m = calloc(1, sizeof(*m));
    if (!m)
        return NULL;
    struct jit_buffer *buffer = &jit->buffer;
    uint8_t *start = jit->writable + jit->used_B;
    buffer->at = start;
    buffer->end = jit->writable + CODE_B;
    buffer->full = false;
    buffer->pool_count = 0;
    m->buffer = buffer;
    m->shape.frame = frame;
    m->shape.is_full = is_full;
    uint32_t registers = (uint32_t)__builtin_popcount(jit_host_registers);
    uint32_t pressure = pressure_of(insts, count);
    const bool has_room = pressure * MAX_STRANDS + 2 < registers && JIT_VECTOR_LANES * MAX_STRANDS <= frame->lanes;
    m->shape.strands = has_room ? MAX_STRANDS : 1;
    uint32_t needed = pressure * m->shape.strands + 3; /* what is had again takes some, too */
    m->spare = needed < registers ? registers - needed : 0;
    weave(m, insts, count);
    memset(m->reg, NOWHERE, sizeof(m->reg));
    memset(m->slot, 0xff, sizeof(m->slot));
    find_used(m);
    list_uses(m);
    find_facts(m);
    jit_code code = NULL;
    if (list_masks(m)) {
        make_all(m);
        uint8_t *pool = (uint8_t *)(((uintptr_t)buffer->at + 63) & ~(uintptr_t)63);
        size_t pool_B = buffer->pool_count * sizeof(buffer->pool[0]);
        if (!buffer->full && pool + pool_B + 64 <= buffer->end) {
            memcpy(pool, buffer->pool, pool_B);
            jit_host_link(buffer, pool);
            uint8_t *run = jit->executable + (start - jit->writable);
            __builtin___clear_cache((char *)run, (char *)run + (pool + pool_B - start));
            jit->used_B = ((size_t)(pool + pool_B - jit->writable) + 63) & ~(size_t)63;
            memcpy(&code, &run, sizeof(code));
        }
    }
    free(m);
    return code;
}
