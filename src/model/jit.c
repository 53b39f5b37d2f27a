/* The host-independent half of the code maker: memory for code, and what is known of a program before its code is made
 * (jit_registers.c, jit_loop.c): values that nothing uses, that are the same in all lanes, and where each is used. */
#include "model/jit.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/jit_maker.h"
#include "util/file_limit.h"

#define CODE_B ((size_t)16 << 20) /* address space and a sparse file: pages appear as code does */

/* ---- memory ---- */

/* One file, mapped twice: no page can be written and executed at one address. The writable mapping is there only while
 * code is made: at any other time nothing in the process can change what runs. */
struct jit {
    int fd;
    uint8_t *writable; /* MAP_FAILED: not now */
    uint8_t *executable;
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
    if (jit->fd >= 0 && !file_resize(jit->fd, CODE_B))
        jit->executable = mmap(NULL, CODE_B, PROT_READ | PROT_EXEC, MAP_SHARED, jit->fd, 0);
    if (jit->executable == MAP_FAILED) {
        jit_destroy(jit);
        return NULL;
    }
    return jit;
}

void jit_destroy(struct jit *jit)
{
    if (!jit)
        return;
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

bool jit_is_nearly_full(const struct jit *jit)
{
    return jit->used_B > CODE_B / 4 * 3 && jit->used_B < CODE_B;
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

/* Backwards: a value is used if something used uses it. A phi has its next value at the end. */
static void find_used(struct jit_maker *m)
{
    bool changed = true;
    memset(m->is_used, 0, m->count);
    while (changed) {
        changed = false;
        for (uint32_t i = m->count; i-- > 0;) {
            const struct jit_inst *inst = &m->insts[i];
            m->is_used[i] |= !jit_is_value(inst);
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
    memset(m->crosses_call, 0, m->count);
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

static bool open_code(struct jit *jit)
{
    jit->writable = mmap(NULL, CODE_B, PROT_READ | PROT_WRITE, MAP_SHARED, jit->fd, 0);
    return jit->writable != MAP_FAILED;
}

static void close_code(struct jit *jit)
{
    munmap(jit->writable, CODE_B);
    jit->writable = MAP_FAILED;
}

static void begin_code(struct jit *jit, struct jit_maker *m, const struct jit_frame *frame, bool is_full)
{
    struct jit_buffer *buffer = &jit->buffer;
    buffer->at = jit->writable + jit->used_B;
    buffer->end = jit->writable + CODE_B;
    buffer->full = false;
    buffer->pool_count = buffer->leave_count = buffer->miss_count = 0;
    buffer->stop = NULL;
    m->buffer = buffer;
    m->shape.frame = frame;
    m->shape.is_full = is_full;
    m->shape.slot_count = JIT_HOST_SLOTS;
}

/* The code is complete: its constants after it. NULL: it does not fit. */
static jit_code finish_code(struct jit *jit, uint8_t *start)
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
    struct jit_outline outline;
    if (count > JIT_MAX_INSTS || !rows_stand_right(insts, count, frame) || !jit_find_loop(insts, count, &outline))
        return NULL;
    struct jit_maker *m = malloc(sizeof(*m));
    if (!m || !open_code(jit)) {
        free(m);
        return NULL;
    }
    memset(m, 0, offsetof(struct jit_maker, source));
    begin_code(jit, m, frame, is_full);
    uint8_t *start = jit->buffer.at;
    m->shape.has_loop = outline.loop != UINT32_MAX;
    jit_find_same(insts, count, outline.is_same);
    memcpy(m->source, insts, count * sizeof(insts[0]));
    jit_find_common(m->source, count);
    jit_find_near(m->source, count, outline.is_same);
    if (JIT_HAS_FMS)
        jit_find_signs(m->source, count);
    if (JIT_HAS_TEST)
        jit_find_tests(m->source, count);
    if (JIT_HAS_HALVES && jit_has_fma_half())
        count = jit_find_pairs(m->source, count, &outline);
    if (JIT_HAS_LANE_LOADS)
        count = jit_find_fours(m->source, count, &outline);
    jit_choose_strands(m, m->source, count, &outline);
    jit_weave(m, m->source, count, &outline);
    memset(m->now.reg, NOWHERE, m->count);
    memset(m->now.slot, 0xff, m->count * sizeof(m->now.slot[0])); /* NO_SLOT */
    m->now.held = 0;
    find_used(m);
    list_uses(m);
    find_facts(m);
    jit_code code = NULL;
    if (list_masks(m)) {
        jit_make_all(m);
        code = finish_code(jit, start);
    }
    close_code(jit);
    free(m);
    return code;
}
