/* TUFF_DEBUG=coherence: what waves access is shown to model/coherence, with the cache that the instruction goes through
 * (docs/coherence.md). Nothing here is called while it is off. */
#include "amd/model/coherence.h"
#include "amd/model/sq/sq_memory.h"

/* A load with glc leaves out the cache next to the wave, one with dlc as well that of the shader array. Stores go
 * through both to the second level, where atomics are carried out. */
static enum amd_client client_of(const struct isa_mem *mem, unsigned need)
{
    if (need == (GPU_PERM_READ | GPU_PERM_WRITE))
        return AMD_CLIENT_ATOMIC;
    if (need & GPU_PERM_WRITE || !mem->glc)
        return AMD_CLIENT_VECTOR;
    return mem->dlc ? AMD_CLIENT_VECTOR_GL2 : AMD_CLIENT_VECTOR_GL1;
}

void amd_sq_note(const struct sq_wave *wave, const struct sq_uop *uop, uint64_t va, uint32_t size_B, unsigned need)
{
    const enum amd_client client = client_of(&uop->inst->mem, need);
    if (need & GPU_PERM_WRITE)
        coherence_write(wave->coherence, client, 0, va, size_B);
    else
        coherence_read(wave->coherence, client, 0, va, size_B);
}

void amd_sq_note_program(struct coherence_actor *coherence, uint64_t program_va)
{
    coherence_read(coherence, AMD_CLIENT_CODE, 0, program_va, COHERENCE_LINE_B);
}
