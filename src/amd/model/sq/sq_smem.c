/* SMEM: scalar loads. Dwords only; addresses are aligned down to them. */
#include "amd/model/coherence.h"
#include "amd/model/sq/sq_memory.h"

#include <time.h>

static unsigned dwords_of(const struct sq_uop *uop)
{
    return isa_info(uop->inst->op)->operands[0].count;
}

/* Out of range reads zero; SGPRs beyond the last are not written. */
static void load_dwords(struct sq_wave *wave, const struct sq_uop *uop, uint64_t va, uint64_t available_B)
{
    uint32_t values[16];
    unsigned count = dwords_of(uop);
    const void *host = count * 4 <= available_B ? gpu_space_pointer(wave->memory, va, count * 4, GPU_PERM_READ) : NULL;
    if (__builtin_expect(host != NULL, 1))
        memcpy(values, host, count * 4);
    if (__builtin_expect(wave->coherence != NULL, 0))
        coherence_read(wave->coherence, AMD_CLIENT_SCALAR, 0, va, count * 4 <= available_B ? count * 4 : available_B);
    for (unsigned i = 0; i < count && !host; i++) {
        values[i] = 0;
        if (i * 4 + 4 > available_B)
            continue;
        if (!gpu_mem_read32(wave->memory, va + i * 4, &values[i])) {
            amd_sq_memory_fault(wave, uop, va + i * 4, false);
            return;
        }
    }
    uint32_t *d = sq_at(wave, uop->d);
    if (d + count > wave->sgpr + SQ_REGISTERS)
        count = (unsigned)(wave->sgpr + SQ_REGISTERS - d);
    memcpy(d, values, count * 4);
}

void amd_sq_smem_load(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint64_t va = sq_read64(sq_at(wave, uop->s[1])) & ~3ull;
    va += (uint64_t)(int64_t)(int32_t)uop->imm + *(const uint32_t *)sq_at(wave, uop->s[2]);
    load_dwords(wave, uop, va & ~3ull, UINT64_MAX);
}

void amd_sq_smem_buffer_load(struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *words = sq_at(wave, uop->s[1]);
    uint64_t base_va = (uint64_t)((int64_t)((words[0] | (uint64_t)(words[1] & 0xffff) << 32) << 16) >> 16);
    uint32_t stride_B = words[1] >> 16 & 0x3fff;
    uint64_t size_B = (uint64_t)words[2] * (stride_B ? stride_B : 1);
    uint64_t offset_B = ((uint64_t)uop->imm + *(const uint32_t *)sq_at(wave, uop->s[2])) & ~3ull;
    load_dwords(wave, uop, (base_va & ~3ull) + offset_B, offset_B < size_B ? size_B - offset_B : 0);
}

void amd_sq_smem_time(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    /* s_memrealtime counts the constant 100 MHz clock that timestamps count; s_memtime the core's, which here runs at 1
     * GHz. */
    sq_write64(sq_at(wave, uop->d), uop->inst->op == ISA_OP_S_MEMREALTIME ? time_ns / 10 : time_ns);
}
