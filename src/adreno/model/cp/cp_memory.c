/* Packets that move data: between memory, registers and the packet itself. */
#include <string.h>

#include "adreno/model/coherence.h"
#include "adreno/model/cp/cp_machine.h"
#include "util/bits.h"

static const char client[] = "the command processor";

/* ---- accesses ---- */

bool adreno_cp_read(struct adreno_cp *m, uint64_t va, void *data, uint64_t size_B)
{
    ADRENO_READS(m->gpu->coherence, m->reader, va, size_B);
    uint64_t done_B = gpu_space_read(m->gpu->space, va, data, size_B);
    return done_B == size_B || adreno_fault(m->gpu, client, va + done_B, size_B - done_B, false);
}

static bool adreno_cp_write(struct adreno_cp *m, uint64_t va, const void *data, uint64_t size_B)
{
    ADRENO_WRITES(m->gpu->coherence, m->writer, va, size_B);
    uint64_t done_B = gpu_space_write(m->gpu->space, va, data, size_B);
    return done_B == size_B || adreno_fault(m->gpu, client, va + done_B, size_B - done_B, true);
}

/* The host's address for one aligned access; *is_zero_out: there is no memory behind it. */
static void *locate_access(struct adreno_cp *m, uint64_t va, uint32_t size_B, unsigned need, bool *is_zero_out)
{
    void *host = gpu_space_pointer(m->gpu->space, va, size_B, need);
    *is_zero_out = false;
    if (host)
        return host;
    switch (gpu_space_resolve(m->gpu->space, va, size_B, need, &host)) {
    case GPU_ACCESS_MEMORY:
        return host;
    case GPU_ACCESS_ZERO:
        *is_zero_out = true;
        return NULL;
    default:
        adreno_fault(m->gpu, client, va, size_B, need & GPU_PERM_WRITE);
        return NULL;
    }
}

bool adreno_cp_load(struct adreno_cp *m, uint64_t va, uint32_t size_B, uint64_t *value_out)
{
    uint64_t low, high;
    if (size_B == 8 && va & 4) {
        if (!adreno_cp_load(m, va, 4, &low) || !adreno_cp_load(m, va + 4, 4, &high))
            return false;
        *value_out = low | high << 32;
        return true;
    }
    ADRENO_READS(m->gpu->coherence, m->reader, va, size_B);
    bool is_zero;
    const void *host = locate_access(m, va & ~(uint64_t)(size_B - 1), size_B, GPU_PERM_READ, &is_zero);
    *value_out = 0;
    if (!host)
        return is_zero;
    *value_out = size_B == 8 ? __atomic_load_n((const uint64_t *)host, __ATOMIC_ACQUIRE)
                             : __atomic_load_n((const uint32_t *)host, __ATOMIC_ACQUIRE);
    return true;
}

bool adreno_cp_store(struct adreno_cp *m, uint64_t va, uint32_t size_B, uint64_t value)
{
    if (size_B == 8 && va & 4)
        return adreno_cp_store(m, va + 4, 4, value >> 32) && adreno_cp_store(m, va, 4, (uint32_t)value);
    ADRENO_WRITES(m->gpu->coherence, m->writer, va, size_B);
    bool is_zero;
    void *host = locate_access(m, va & ~(uint64_t)(size_B - 1), size_B, GPU_PERM_WRITE, &is_zero);
    if (!host)
        return is_zero;
    if (size_B == 8)
        __atomic_store_n((uint64_t *)host, value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)host, (uint32_t)value, __ATOMIC_RELEASE);
    return true;
}

/* ---- packets ---- */

bool adreno_cp_mem_write(struct adreno_cp *m)
{
    struct adreno_pkt_CP_MEM_WRITE p;
    if (!CP_UNPACK(m, CP_MEM_WRITE, &p))
        return false;
    const uint32_t *data = m->dw + 3;
    if (p.tail_dw == 2)
        return adreno_cp_store(m, p.ADDR, 8, data[0] | (uint64_t)data[1] << 32);
    /* A waiter may look at the last word of a short write: it is one store, after everything before it. */
    uint32_t bulk_dw = p.tail_dw ? p.tail_dw - 1 : 0;
    return adreno_cp_write(m, p.ADDR & ~3ull, data, 4ull * bulk_dw) &&
           (p.tail_dw == 0 || adreno_cp_store(m, (p.ADDR & ~3ull) + 4ull * bulk_dw, 4, data[bulk_dw]));
}

/* Registers to memory, a dword or a pair at a time; the value is added where the packet says so. */
static bool copy_registers(struct adreno_cp *m, uint32_t reg, uint32_t count, bool is_wide, bool accumulates,
                           uint64_t va)
{
    uint32_t step = is_wide ? 2 : 1;
    for (uint32_t done = 0; done < MAX2(count, step); done += step) {
        uint32_t words[2] = {0};
        uint64_t old = 0;
        for (uint32_t i = 0; i < step; i++) {
            if (!adreno_cp_read_register(m, reg + done + i, &words[i]))
                return false;
        }
        if (accumulates && !adreno_cp_load(m, va + 4ull * done, 4 * step, &old))
            return false;
        uint64_t value = (words[0] | (uint64_t)words[1] << 32) + old;
        if (!adreno_cp_store(m, va + 4ull * done, 4 * step, value))
            return false;
    }
    return true;
}

bool adreno_cp_reg_to_mem(struct adreno_cp *m)
{
    struct adreno_pkt_CP_REG_TO_MEM p;
    return CP_UNPACK(m, CP_REG_TO_MEM, &p) && copy_registers(m, p.REG, p.CNT, p.WIDE, p.ACCUMULATE, p.DEST);
}

bool adreno_cp_reg_to_mem_offset_reg(struct adreno_cp *m)
{
    struct adreno_pkt_CP_REG_TO_MEM_OFFSET_REG p;
    uint32_t offset_B;
    if (!CP_UNPACK(m, CP_REG_TO_MEM_OFFSET_REG, &p))
        return false;
    if (p.OFFSET0_SCRATCH)
        offset_B = m->scratch[p.OFFSET0 % CP_SCRATCH_COUNT];
    else if (!adreno_cp_read_register(m, p.OFFSET0, &offset_B))
        return false;
    return copy_registers(m, p.REG, p.CNT, p.WIDE, p.ACCUMULATE, p.DEST + offset_B);
}

bool adreno_cp_reg_to_mem_offset_mem(struct adreno_cp *m)
{
    struct adreno_pkt_CP_REG_TO_MEM_OFFSET_MEM p;
    uint64_t offset_B;
    return CP_UNPACK(m, CP_REG_TO_MEM_OFFSET_MEM, &p) && adreno_cp_load(m, p.OFFSET, 4, &offset_B) &&
           copy_registers(m, p.REG, p.CNT, p.WIDE, p.ACCUMULATE, p.DEST + offset_B);
}

bool adreno_cp_mem_to_reg(struct adreno_cp *m)
{
    struct adreno_pkt_CP_MEM_TO_REG p;
    if (!CP_UNPACK(m, CP_MEM_TO_REG, &p))
        return false;
    if (p.UNK31)
        m->reader = ADRENO_CLIENT_CP_POLL;
    for (uint32_t i = 0; i < MAX2(p.CNT, 1); i++) {
        uint64_t value;
        if (!adreno_cp_load(m, p.SRC + 4ull * i, 4, &value) ||
            !adreno_cp_write_register(m, p.REG + i, (uint32_t)(p.SHIFT_BY_2 ? value << 2 : value)))
            return false;
    }
    return true;
}

/* The sum of up to three values, each of which may be negated. */
bool adreno_cp_mem_to_mem(struct adreno_cp *m)
{
    struct adreno_pkt_CP_MEM_TO_MEM p;
    if (!CP_UNPACK(m, CP_MEM_TO_MEM, &p))
        return false;
    const uint64_t sources[] = {p.SRC_A, p.SRC_B, p.SRC_C};
    const bool negated[] = {p.NEG_A, p.NEG_B, p.NEG_C};
    uint32_t size_B = p.DOUBLE ? 8 : 4, count = (m->length_dw - 4) / 2;
    uint64_t sum = 0, value;
    if (m->gpu->coherence && p.WAIT_FOR_MEM_WRITES)
        adreno_cp_coherence_own_wait(m);
    if (p.UNK31)
        m->reader = ADRENO_CLIENT_CP_POLL; /* as drivers use it, it waits for the flush before it */
    for (uint32_t i = 0; i < MIN2(count, ARRAY_SIZE(sources)); i++) {
        if (!adreno_cp_load(m, sources[i], size_B, &value))
            return false;
        sum += negated[i] ? -value : value;
    }
    return adreno_cp_store(m, p.DST, size_B, sum);
}

bool adreno_cp_memcpy(struct adreno_cp *m)
{
    struct adreno_pkt_CP_MEMCPY p;
    if (!CP_UNPACK(m, CP_MEMCPY, &p))
        return false;
    uint32_t words[1024];
    for (uint64_t done = 0; done < p.DWORDS;) {
        uint64_t count = MIN2(p.DWORDS - done, ARRAY_SIZE(words));
        if (adreno_is_killed(m->gpu))
            return CP_KILLED(m);
        if (!adreno_cp_read(m, p.SRC + 4 * done, words, 4 * count) ||
            !adreno_cp_write(m, p.DST + 4 * done, words, 4 * count))
            return false;
        done += count;
        adreno_progress(m->gpu);
    }
    return true;
}

bool adreno_cp_cond_write5(struct adreno_cp *m)
{
    struct adreno_pkt_CP_COND_WRITE5 p;
    uint32_t value;
    bool holds;
    if (!CP_UNPACK(m, CP_COND_WRITE5, &p) || !adreno_cp_poll(m, p.POLL, p.POLL_ADDR, &value) ||
        !adreno_cp_compare(m, p.FUNCTION, p.SIGNED_COMPARE, value & p.MASK, p.REF, &holds))
        return false;
    if (!holds)
        return true;
    return p.WRITE_MEMORY ? adreno_cp_store(m, p.WRITE_ADDR, 4, p.WRITE_DATA)
                          : adreno_cp_write_register(m, p.WRITE_ADDR & 0x3ffff, p.WRITE_DATA);
}
