/* Registers of the command stream: moves, additions, and loads and stores, which are done later. */
#include <inttypes.h>

#include "mali/model/coherence.h"
#include "mali/model/cs/cs_machine.h"
#include "util/bits.h"

/* ---- access ---- */

bool mali_cs_check_read(struct mali_cs *m, unsigned reg, unsigned count)
{
    if (!m->queue->gpu->is_strict)
        return true;
    for (unsigned i = reg; i < reg + count; i++) {
        if (m->loading[i])
            return CS_STRICT(m, "r%u is read before its load was waited for", i);
    }
    return true;
}

static bool check_write(struct mali_cs *m, unsigned reg, unsigned count)
{
    if (!m->queue->gpu->is_strict)
        return true;
    for (unsigned i = reg; i < reg + count; i++) {
        if (m->loading[i])
            return CS_STRICT(m, "r%u is written before its load was waited for", i);
    }
    return true;
}

static bool check_number(struct mali_cs *m, unsigned reg, unsigned count)
{
    if (reg + count > MALI_CS_REGS)
        return CS_BROKEN(m, "there is no register %u", reg + count - 1);
    if (count == 2 && reg % 2)
        return CS_BROKEN(m, "r%u is no even register, as a pair begins with", reg);
    return true;
}

bool mali_cs_get32(struct mali_cs *m, unsigned reg, uint32_t *value_out)
{
    if (!check_number(m, reg, 1) || !mali_cs_check_read(m, reg, 1))
        return false;
    *value_out = m->regs[reg];
    return true;
}

bool mali_cs_get64(struct mali_cs *m, unsigned reg, uint64_t *value_out)
{
    if (!check_number(m, reg, 2) || !mali_cs_check_read(m, reg, 2))
        return false;
    *value_out = m->regs[reg] | (uint64_t)m->regs[reg + 1] << 32;
    return true;
}

static bool mali_cs_set32(struct mali_cs *m, unsigned reg, uint32_t value)
{
    if (!check_number(m, reg, 1) || !check_write(m, reg, 1))
        return false;
    m->regs[reg] = value;
    return true;
}

bool mali_cs_set64(struct mali_cs *m, unsigned reg, uint64_t value)
{
    if (!check_number(m, reg, 2) || !check_write(m, reg, 2))
        return false;
    m->regs[reg] = (uint32_t)value;
    m->regs[reg + 1] = (uint32_t)(value >> 32);
    return true;
}

/* ---- values ---- */

bool mali_cs_move(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_MOVE f = mali_unpack_cs_MOVE(word);
    return mali_cs_set64(m, f.DESTINATION, f.IMMEDIATE);
}

bool mali_cs_move32(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_MOVE32 f = mali_unpack_cs_MOVE32(word);
    return mali_cs_set32(m, f.DESTINATION, f.IMMEDIATE);
}

bool mali_cs_add32(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_ADD_IMMEDIATE32 f = mali_unpack_cs_ADD_IMMEDIATE32(word);
    uint32_t value;
    return mali_cs_get32(m, f.SOURCE, &value) && mali_cs_set32(m, f.DESTINATION, value + (uint32_t)f.IMMEDIATE);
}

bool mali_cs_add64(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_ADD_IMMEDIATE64 f = mali_unpack_cs_ADD_IMMEDIATE64(word);
    uint64_t value;
    return mali_cs_get64(m, f.SOURCE, &value) &&
           mali_cs_set64(m, f.DESTINATION, value + (uint64_t)(int64_t)f.IMMEDIATE);
}

bool mali_cs_umin32(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_UMIN32 f = mali_unpack_cs_UMIN32(word);
    uint32_t a, b;
    return mali_cs_get32(m, f.SOURCE_1, &a) && mali_cs_get32(m, f.SOURCE_2, &b) &&
           mali_cs_set32(m, f.DESTINATION, a < b ? a : b);
}

/* ---- loads and stores: the registers of the mask, in memory one after the other without gaps ---- */

static bool check_tuple(struct mali_cs *m, unsigned base, unsigned mask)
{
    if (mask && base + 32 - (unsigned)__builtin_clz(mask) > MALI_CS_REGS)
        return CS_BROKEN(m, "there is no register %u", base + 31 - (unsigned)__builtin_clz(mask));
    return true;
}

static void count_loads(struct mali_cs *m, unsigned base, unsigned mask, int by)
{
    if (!m->queue->gpu->is_strict)
        return;
    bits_foreach (mask, i)
        m->loading[base + i] = (uint8_t)(m->loading[base + i] + by);
}

static bool do_load(struct mali_cs *m, struct cs_op *op)
{
    const struct mali_cs_LOAD_MULTIPLE f = mali_unpack_cs_LOAD_MULTIPLE(op->run.word);
    uint32_t data[16], at = 0, size_B = 4 * (uint32_t)__builtin_popcount(f.MASK);
    count_loads(m, f.BASE_REGISTER, f.MASK, -1);
    if (!mali_read(m->queue, "LOAD_MULTIPLE", op->va, data, size_B))
        return false;
    bits_foreach (f.MASK, i)
        m->regs[f.BASE_REGISTER + i] = data[at++];
    return true;
}

static bool do_store(struct mali_cs *m, struct cs_op *op)
{
    const uint64_t size_B = op->data;
    MALI_WRITES(m->queue, MALI_CLIENT_CS, op->va, size_B);
    if (gpu_space_write(m->queue->space, op->va, op->run.regs, size_B) != size_B)
        return mali_fault(m->queue, "STORE_MULTIPLE", op->va, size_B, true);
    return true;
}

static struct cs_op *memory_op(struct mali_cs *m, uint64_t word, unsigned address, int offset_B, cs_action action)
{
    uint64_t va;
    struct cs_op *op;
    if (!mali_cs_get64(m, address, &va) || !(op = mali_cs_op(m, word, action)))
        return NULL;
    op->va = va + (uint64_t)(int64_t)offset_B;
    op->iterator = CS_ITERATOR_MEMORY;
    if (op->va % 4) {
        CS_BROKEN(m, "registers at 0x%" PRIx64 ", which is no multiple of 4", op->va);
        return NULL;
    }
    return op;
}

bool mali_cs_load_multiple(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_LOAD_MULTIPLE f = mali_unpack_cs_LOAD_MULTIPLE(word);
    if (!check_tuple(m, f.BASE_REGISTER, f.MASK))
        return false;
    bits_foreach (f.MASK, i) {
        if (!check_write(m, (unsigned)(f.BASE_REGISTER + i), 1))
            return false;
    }
    struct cs_op *op = memory_op(m, word, f.ADDRESS, f.OFFSET, do_load);
    if (!op || !mali_cs_issue(m, op, m->other_slot))
        return false;
    count_loads(m, f.BASE_REGISTER, f.MASK, 1);
    return true;
}

/* The registers may be written again while the store is pending: it has what they held. */
bool mali_cs_store_multiple(struct mali_cs *m, uint64_t word)
{
    const struct mali_cs_STORE_MULTIPLE f = mali_unpack_cs_STORE_MULTIPLE(word);
    if (!check_tuple(m, f.BASE_REGISTER, f.MASK))
        return false;
    struct cs_op *op = memory_op(m, word, f.ADDRESS, f.OFFSET, do_store);
    if (!op)
        return false;
    uint32_t count = 0;
    bits_foreach (f.MASK, i) {
        if (!mali_cs_check_read(m, (unsigned)(f.BASE_REGISTER + i), 1))
            return false;
        op->run.regs[count++] = m->regs[f.BASE_REGISTER + i];
    }
    op->data = 4 * count;
    return mali_cs_issue(m, op, m->other_slot);
}
