/* Packets that move data: between memory, registers, GDS, counters and the packet itself. */
#include <errno.h>
#include <string.h>

#include "amd/model/coherence.h"
#include "amd/model/cp/cp_machine.h"
#include "model/bulk.h"
#include "model/drm/drm_ring.h"
#include "util/bits.h"

/* ---- accesses ---- */

static uint64_t canonical(uint64_t va)
{
    return (uint64_t)bits_sign_extend(va, 48);
}

static void note_read(struct cp_machine *m, uint64_t va, uint64_t size_B)
{
    if (__builtin_expect(m->accessor != NULL, 0))
        coherence_read(m->accessor, m->reader, 0, va, size_B);
}

static void note_write(struct cp_machine *m, uint64_t va, uint64_t size_B)
{
    if (__builtin_expect(m->accessor != NULL, 0))
        coherence_write(m->accessor, m->writer, 0, va, size_B);
}

bool amd_cp_read(struct cp_machine *m, uint64_t va, void *data, uint64_t size_B)
{
    va = canonical(va);
    uint64_t done_B = gpu_space_read(m->space, va, data, size_B);
    note_read(m, va, size_B);
    return done_B == size_B || amd_cp_fault(m, va + done_B, size_B - done_B, false);
}

bool amd_cp_write(struct cp_machine *m, uint64_t va, const void *data, uint64_t size_B)
{
    va = canonical(va);
    uint64_t done_B = gpu_space_write(m->space, va, data, size_B);
    note_write(m, va, size_B);
    return done_B == size_B || amd_cp_fault(m, va + done_B, size_B - done_B, true);
}

/* The host's address for one aligned access; *zero_out: there is no memory behind it. */
static void *locate_access(struct cp_machine *m, uint64_t va, uint32_t size_B, unsigned need, bool *zero_out)
{
    void *host = gpu_space_pointer(m->space, va, size_B, need);
    *zero_out = false;
    if (host)
        return host;
    switch (gpu_space_resolve(m->space, va, size_B, need, &host)) {
    case GPU_ACCESS_MEMORY:
        return host;
    case GPU_ACCESS_ZERO:
        *zero_out = true;
        return NULL;
    default:
        amd_cp_fault(m, va, size_B, need & GPU_PERM_WRITE);
        return NULL;
    }
}

bool amd_cp_load(struct cp_machine *m, uint64_t va, uint32_t size_B, uint64_t *value_out)
{
    bool zero;
    va = canonical(va) & ~(uint64_t)(size_B - 1);
    const void *host = locate_access(m, va, size_B, GPU_PERM_READ, &zero);
    note_read(m, va, size_B);
    *value_out = 0;
    if (!host)
        return zero;
    *value_out = size_B == 8 ? __atomic_load_n((const uint64_t *)host, __ATOMIC_ACQUIRE)
                             : __atomic_load_n((const uint32_t *)host, __ATOMIC_ACQUIRE);
    return true;
}

bool amd_cp_look(struct cp_machine *m, uint64_t va, uint32_t size_B, uint64_t *value_out)
{
    struct coherence_actor *accessor = m->accessor;
    m->accessor = NULL;
    const bool ok = amd_cp_load(m, va, size_B, value_out);
    m->accessor = accessor;
    return ok;
}

bool amd_cp_store(struct cp_machine *m, uint64_t va, uint32_t size_B, uint64_t value)
{
    bool zero;
    va = canonical(va);
    if (size_B == 8 && va & 4) /* the hardware writes such a pair as two dwords */
        return amd_cp_store(m, va + 4, 4, value >> 32) && amd_cp_store(m, va, 4, (uint32_t)value);
    va &= ~(uint64_t)(size_B - 1);
    void *host = locate_access(m, va, size_B, GPU_PERM_WRITE, &zero);
    if (!host)
        return zero;
    note_write(m, va, size_B);
    if (__builtin_expect(m->accessor != NULL, 0))
        amd_cp_coherence_release(m, va, size_B, value);
    if (size_B == 8)
        __atomic_store_n((uint64_t *)host, value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)host, (uint32_t)value, __ATOMIC_RELEASE);
    return true;
}

static uint8_t *amd_cp_gds(struct cp_machine *m, uint32_t *size_B_out)
{
    const struct amd_engine_partition *gds = &m->work->gds_B;
    bool fits = (uint64_t)gds->base + gds->size <= CP_GDS_SIZE_B;
    *size_B_out = fits ? gds->size : 0;
    return m->device->gds + (fits ? gds->base : 0);
}

struct sq_gds amd_cp_shader_gds(struct cp_machine *m)
{
    const struct amd_engine_partition *gws = &m->work->gws;
    bool fits = (uint64_t)gws->base + gws->size <= SQ_GWS_COUNT;
    struct sq_gds gds = {.gws = m->device->gws + (fits ? gws->base : 0), .gws_count = fits ? gws->size : 0};
    gds.data = amd_cp_gds(m, &gds.size_B);
    return gds;
}

static uint8_t *locate_gds(struct cp_machine *m, uint64_t offset_B, uint64_t size_B)
{
    uint32_t available_B;
    uint8_t *gds = amd_cp_gds(m, &available_B);
    if (offset_B + size_B <= available_B)
        return gds + offset_B;
    amd_cp_broken(m, "bytes %llu to %llu of GDS, of which this context has %u", (unsigned long long)offset_B,
                  (unsigned long long)(offset_B + size_B), available_B);
    return NULL;
}

bool amd_cp_gds_copy_out(struct cp_machine *m, uint64_t va, uint64_t offset_B, uint64_t size_B)
{
    const uint8_t *gds = locate_gds(m, offset_B, size_B);
    return gds && amd_cp_write(m, va, gds, size_B);
}

/* ---- WRITE_DATA ---- */

bool amd_cp_write_data(struct cp_machine *m)
{
    struct amd_pkt_WRITE_DATA p;
    if (!CP_UNPACK(m, WRITE_DATA, &p))
        return false;
    const uint32_t *data = m->dw + 4;
    uint8_t *gds;
    switch (p.DST_SEL) {
    case AMD_WRITE_DST_MEM:
    case AMD_WRITE_DST_MEM_GRBM:
    case AMD_WRITE_DST_TC_L2:
        /* A dword that another ring or the host may wait for: one store, after everything before it. */
        if (p.tail_dw <= 2 && !p.ADDR_NO_INCR) {
            for (uint32_t i = 0; i < p.tail_dw; i++) {
                if (!amd_cp_store(m, (p.ADDR & ~3ull) + 4 * i, 4, data[i]))
                    return false;
            }
            return true;
        }
        if (!p.ADDR_NO_INCR)
            return amd_cp_write(m, p.ADDR & ~3ull, data, 4ull * p.tail_dw);
        return p.tail_dw == 0 || amd_cp_store(m, p.ADDR & ~3ull, 4, data[p.tail_dw - 1]);
    case AMD_WRITE_DST_REG:
        for (uint32_t i = 0; i < p.tail_dw; i++) {
            if (!amd_cp_write_register(m, 4 * (p.REG + (p.ADDR_NO_INCR ? 0 : i)), data[i]))
                return false;
        }
        return true;
    case AMD_WRITE_DST_GDS:
        gds = locate_gds(m, p.GDS, 4ull * p.tail_dw);
        if (gds)
            memcpy(gds, data, 4ull * p.tail_dw);
        return gds != NULL;
    default:
        return amd_cp_broken(m, "WRITE_DATA to destination %u", p.DST_SEL);
    }
}

/* ---- COPY_DATA ---- */

static bool copy_source(struct cp_machine *m, const struct amd_pkt_COPY_DATA *p, uint64_t *value_out)
{
    uint32_t size_B = p->COUNT_64 ? 8 : 4, word[2] = {0};
    const uint8_t *gds;
    switch (p->SRC_SEL) {
    case AMD_COPY_SRC_MEM:
    case AMD_COPY_SRC_TC_L2:
        if (p->COUNT_64 && p->SRC_ADDR & 4) {
            if (!amd_cp_read(m, p->SRC_ADDR & ~3ull, word, 8))
                return false;
            *value_out = word[0] | (uint64_t)word[1] << 32;
            return true;
        }
        return amd_cp_load(m, p->SRC_ADDR & ~3ull, size_B, value_out);
    case AMD_COPY_SRC_REG:
        for (unsigned i = 0; i < size_B / 4; i++) {
            if (!amd_cp_read_register(m, 4 * (p->SRC_REG + i), &word[i]))
                return false;
        }
        *value_out = word[0] | (uint64_t)word[1] << 32;
        return true;
    case AMD_COPY_SRC_GDS:
        gds = locate_gds(m, p->SRC_GDS, size_B);
        if (gds)
            memcpy(word, gds, size_B);
        *value_out = word[0] | (uint64_t)word[1] << 32;
        return gds != NULL;
    case AMD_COPY_SRC_IMM:
        *value_out = p->SRC_IMM;
        return true;
    case AMD_COPY_SRC_ATOMIC_RETURN:
        *value_out = m->atomic_return;
        return true;
    case AMD_COPY_SRC_TIMESTAMP:
        *value_out = amd_cp_timestamp(m->device->chip);
        return true;
    case AMD_COPY_SRC_PERF:
        return amd_cp_perf_read(m, 4 * p->SRC_REG, value_out);
    default:
        return amd_cp_stop(m, "COPY_DATA from source %u", p->SRC_SEL);
    }
}

bool amd_cp_copy_data(struct cp_machine *m)
{
    struct amd_pkt_COPY_DATA p;
    uint64_t value;
    if (!CP_UNPACK(m, COPY_DATA, &p) || !copy_source(m, &p, &value))
        return false;
    uint32_t size_B = p.COUNT_64 ? 8 : 4;
    uint8_t *gds;
    switch (p.DST_SEL) {
    case AMD_COPY_DST_MEM:
    case AMD_COPY_DST_MEM_GRBM:
    case AMD_COPY_DST_TC_L2:
        return amd_cp_store(m, p.DST_ADDR & ~3ull, size_B, value);
    case AMD_COPY_DST_REG:
        return amd_cp_write_register(m, 4 * p.DST_REG, (uint32_t)value) &&
               (!p.COUNT_64 || amd_cp_write_register(m, 4 * (p.DST_REG + 1), (uint32_t)(value >> 32)));
    case AMD_COPY_DST_GDS:
        gds = locate_gds(m, p.DST_GDS, size_B);
        if (gds)
            memcpy(gds, &value, size_B);
        return gds != NULL;
    default:
        return amd_cp_stop(m, "COPY_DATA to destination %u", p.DST_SEL);
    }
}

/* ---- DMA_DATA ---- */

static struct bulk bulk_of(const struct cp_machine *m)
{
    return (struct bulk){.workers = m->device->workers, .killed = &m->job->killed};
}

/* A block at a time, where something is to be asked of the memory. */
static bool fill_blocks(struct cp_machine *m, uint64_t va, uint32_t pattern, uint64_t size_B)
{
    uint32_t block[1024];
    for (unsigned i = 0; i < ARRAY_SIZE(block); i++)
        block[i] = pattern;
    for (uint64_t done_B = 0; done_B < size_B;) {
        uint64_t step_B = MIN2(size_B - done_B, sizeof(block));
        if (cp_is_killed(m))
            return amd_cp_killed(m);
        if (!amd_cp_write(m, va + done_B, block, step_B))
            return false;
        cp_progress(m);
        done_B += step_B;
    }
    return true;
}

bool amd_cp_fill(struct cp_machine *m, uint64_t va, uint32_t pattern, uint64_t size_B)
{
    const struct bulk bulk = bulk_of(m);
    void *to = gpu_space_whole(m->space, canonical(va), size_B, GPU_PERM_WRITE);
    note_write(m, canonical(va), size_B);
    if (!to)
        return fill_blocks(m, va, pattern, size_B);
    bulk_fill(&bulk, to, pattern, size_B);
    cp_progress(m);
    return !cp_is_killed(m) || amd_cp_killed(m);
}

static bool copy_blocks(struct cp_machine *m, uint64_t dst_va, uint64_t src_va, uint64_t size_B)
{
    uint8_t block[4096];
    for (uint64_t done_B = 0; done_B < size_B;) {
        uint64_t step_B = MIN2(size_B - done_B, sizeof(block));
        if (cp_is_killed(m))
            return amd_cp_killed(m);
        /* At most a page's worth, straight from one to the other if nothing is to be asked of either. */
        const void *from = gpu_space_pointer(m->space, canonical(src_va + done_B), (uint32_t)step_B, GPU_PERM_READ);
        void *to = gpu_space_pointer(m->space, canonical(dst_va + done_B), (uint32_t)step_B, GPU_PERM_WRITE);
        if (from && to)
            memmove(to, from, step_B);
        else if (!amd_cp_read(m, src_va + done_B, block, step_B) || !amd_cp_write(m, dst_va + done_B, block, step_B))
            return false;
        cp_progress(m);
        done_B += step_B;
    }
    return true;
}

bool amd_cp_copy(struct cp_machine *m, uint64_t dst_va, uint64_t src_va, uint64_t size_B)
{
    const struct bulk bulk = bulk_of(m);
    const uint64_t src = canonical(src_va), dst = canonical(dst_va);
    const bool overlap = src - dst < size_B || dst - src < size_B;
    const void *from = overlap ? NULL : gpu_space_whole(m->space, src, size_B, GPU_PERM_READ);
    void *to = from ? gpu_space_whole(m->space, dst, size_B, GPU_PERM_WRITE) : NULL;
    note_read(m, src, size_B);
    note_write(m, dst, size_B);
    if (!to)
        return copy_blocks(m, dst_va, src_va, size_B);
    bulk_copy(&bulk, to, from, size_B);
    cp_progress(m);
    return !cp_is_killed(m) || amd_cp_killed(m);
}

static bool dma_to_gds(struct cp_machine *m, const struct amd_pkt_DMA_DATA *p)
{
    uint8_t *gds = locate_gds(m, p->DST_ADDR & 0xffff, p->BYTE_COUNT);
    if (!gds)
        return false;
    if (p->SRC_SEL == AMD_DMA_SRC_DATA) {
        for (uint32_t i = 0; i < p->BYTE_COUNT; i++)
            gds[i] = (uint8_t)(p->SRC_DATA >> i % 4 * 8);
        return true;
    }
    if (p->SRC_SEL == AMD_DMA_SRC_GDS)
        return amd_cp_stop(m, "DMA_DATA from GDS to GDS");
    return amd_cp_read(m, p->SRC_ADDR, gds, p->BYTE_COUNT);
}

static bool do_dma(struct cp_machine *m, const struct amd_pkt_DMA_DATA *packet)
{
    const struct amd_pkt_DMA_DATA p = *packet;
    /* A prefetch into L2, or an empty copy that only waits for the ones before it. */
    if (p.DST_SEL == AMD_DMA_DST_NOWHERE || p.BYTE_COUNT == 0)
        return true;
    bool memory_src = p.SRC_SEL == AMD_DMA_SRC_ADDR || p.SRC_SEL == AMD_DMA_SRC_ADDR_TC_L2;
    bool memory_dst = p.DST_SEL == AMD_DMA_DST_ADDR || p.DST_SEL == AMD_DMA_DST_ADDR_TC_L2;
    if ((memory_src && p.SRC_SEL == AMD_DMA_SRC_ADDR && p.SRC_SPACE == AMD_DMA_SPACE_REGISTER) ||
        (memory_dst && p.DST_SEL == AMD_DMA_DST_ADDR && p.DST_SPACE == AMD_DMA_SPACE_REGISTER))
        return amd_cp_stop(m, "DMA_DATA from or to registers");
    if ((memory_src && p.SRC_NO_INCR) || p.DST_NO_INCR)
        return amd_cp_stop(m, "DMA_DATA with an address that stands still");
    if (p.DST_SEL == AMD_DMA_DST_GDS)
        return dma_to_gds(m, &p);
    if (p.SRC_SEL == AMD_DMA_SRC_DATA)
        return amd_cp_fill(m, p.DST_ADDR, p.SRC_DATA, p.BYTE_COUNT);
    if (p.SRC_SEL == AMD_DMA_SRC_GDS)
        return amd_cp_gds_copy_out(m, p.DST_ADDR, p.SRC_GDS, p.BYTE_COUNT);
    return amd_cp_copy(m, p.DST_ADDR, p.SRC_ADDR, p.BYTE_COUNT);
}

bool amd_cp_dma_data(struct cp_machine *m)
{
    struct amd_pkt_DMA_DATA p;
    if (!CP_UNPACK(m, DMA_DATA, &p))
        return false;
    if (m->actor)
        amd_cp_coherence_dma(m, p.SRC_SEL == AMD_DMA_SRC_ADDR, p.DST_SEL == AMD_DMA_DST_ADDR, p.RAW_WAIT);
    const bool ok = do_dma(m, &p);
    if (m->actor)
        amd_cp_coherence_end_dma(m, p.CP_SYNC);
    return ok;
}

/* ---- ATOMIC_MEM ---- */

/* The new value of an atomic operation by its number of the 32-bit forms with return. */
static bool atomic_result(unsigned op, unsigned bits, uint64_t old, uint64_t source, uint64_t compare,
                          uint64_t *new_out)
{
    int64_t old_s = bits_sign_extend(old, bits), source_s = bits_sign_extend(source, bits);
    switch (op) {
    case AMD_ATOMIC_OP_SWAP_RTN_32:
        *new_out = source;
        return true;
    case AMD_ATOMIC_OP_CMPSWAP_RTN_32:
        *new_out = old == compare ? source : old;
        return true;
    case AMD_ATOMIC_OP_ADD_RTN_32:
        *new_out = old + source;
        return true;
    case AMD_ATOMIC_OP_SUB_RTN_32:
        *new_out = old - source;
        return true;
    case AMD_ATOMIC_OP_SMIN_RTN_32:
        *new_out = old_s < source_s ? old : source;
        return true;
    case AMD_ATOMIC_OP_UMIN_RTN_32:
        *new_out = MIN2(old, source);
        return true;
    case AMD_ATOMIC_OP_SMAX_RTN_32:
        *new_out = old_s > source_s ? old : source;
        return true;
    case AMD_ATOMIC_OP_UMAX_RTN_32:
        *new_out = MAX2(old, source);
        return true;
    case AMD_ATOMIC_OP_AND_RTN_32:
        *new_out = old & source;
        return true;
    case AMD_ATOMIC_OP_OR_RTN_32:
        *new_out = old | source;
        return true;
    case AMD_ATOMIC_OP_XOR_RTN_32:
        *new_out = old ^ source;
        return true;
    case AMD_ATOMIC_OP_INC_RTN_32:
        *new_out = old >= source ? 0 : old + 1;
        return true;
    case AMD_ATOMIC_OP_DEC_RTN_32:
        *new_out = old == 0 || old > source ? source : old - 1;
        return true;
    default:
        return false;
    }
}

/* One try; *old_out is what was there. */
static bool do_atomic(struct cp_machine *m, const struct amd_pkt_ATOMIC_MEM *p, unsigned op, unsigned bits,
                      uint64_t *old_out)
{
    bool zero;
    uint64_t va = canonical(p->ADDR) & ~(uint64_t)(bits / 8 - 1), mask = bits_mask(bits), new_value;
    void *host = locate_access(m, va, bits / 8, GPU_PERM_READ | GPU_PERM_WRITE, &zero);
    if (m->actor)
        coherence_write(m->actor, AMD_CLIENT_ATOMIC, 0, va, bits / 8);
    *old_out = 0;
    if (!host)
        return zero;
    for (;;) {
        uint64_t old = bits == 64 ? __atomic_load_n((uint64_t *)host, __ATOMIC_ACQUIRE)
                                  : __atomic_load_n((uint32_t *)host, __ATOMIC_ACQUIRE);
        if (!atomic_result(op, bits, old, p->SRC_DATA & mask, p->CMP_DATA & mask, &new_value))
            return amd_cp_stop(m, "ATOMIC_MEM with operation %u", p->ATOMIC);
        uint32_t old32 = (uint32_t)old;
        bool done = bits == 64 ? __atomic_compare_exchange_n((uint64_t *)host, &old, new_value, false, __ATOMIC_ACQ_REL,
                                                             __ATOMIC_RELAXED)
                               : __atomic_compare_exchange_n((uint32_t *)host, &old32, (uint32_t)new_value, false,
                                                             __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
        if (done) {
            *old_out = old;
            return true;
        }
    }
}

bool amd_cp_atomic_mem(struct cp_machine *m)
{
    struct amd_pkt_ATOMIC_MEM p;
    if (!CP_UNPACK(m, ATOMIC_MEM, &p))
        return false;
    /* Bit 5 of the operation is its size, bit 6 says that nothing is returned. */
    unsigned op = p.ATOMIC & 31, bits = p.ATOMIC & 32 ? 64 : 32;
    bool loops = p.COMMAND == AMD_ATOMIC_COMMAND_LOOP_UNTIL_EQUAL && op == AMD_ATOMIC_OP_CMPSWAP_RTN_32;
    for (uint32_t tries = 0;; tries++) {
        uint64_t old;
        if (!do_atomic(m, &p, op, bits, &old))
            return false;
        if (!(p.ATOMIC & 64))
            m->atomic_return = old;
        if (!loops || old == (p.CMP_DATA & bits_mask(bits)))
            return true;
        if (cp_is_killed(m))
            return amd_cp_killed(m);
        drm_ring_pause(m->thread, m->job, MIN2(tries, 500u));
    }
}
