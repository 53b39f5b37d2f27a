/* Packets as src/model/coherence is told of them: jobs, commands, events and waits. And mutations for tests: a list
 * of all events of a run, and one of them that is left out (docs/coherence.md). Nothing here is called while
 * coherence is off. */
#include "adreno/hw/regs_sp.h"
#include "adreno/model/coherence.h"
#include "adreno/model/cp/cp_machine.h"
#include "util/bits.h"

/* ---- jobs and commands ---- */

void adreno_cp_coherence_begin(struct adreno_cp *m)
{
    struct coherence_actor *c = m->gpu->coherence;
    m->job_number++;
    coherence_job_begin(c, coherence_space(coherence_of(c), m->gpu->space));
    adreno_coherence_takes(m->job_number, ADRENO_COHERENCE_JOB_BEGIN);
    coherence_event(c, ADRENO_COHERENCE_JOB_BEGIN);
}

bool adreno_cp_coherence_end(struct adreno_cp *m)
{
    adreno_coherence_takes(m->job_number, ADRENO_COHERENCE_JOB_END);
    coherence_event(m->gpu->coherence, ADRENO_COHERENCE_JOB_END);
    coherence_job_end(m->gpu->coherence);
    return !adreno_is_stopped(m->gpu);
}

/* The words come from memory once more: those of a draw are lost where it has run groups of state. */
void adreno_cp_coherence_packet(struct adreno_cp *m)
{
    const struct cp_buffer *buffer = &m->stack[m->depth - 1];
    struct coherence_command command = {.va = buffer->va + 4ull * m->packet_at_dw, .job = m->job_number};
    const uint64_t left_B = 4ull * (buffer->size_dw - m->packet_at_dw);
    const uint64_t read_B =
        gpu_space_read(m->gpu->space, command.va, command.dw, MIN2(left_B, (uint64_t)sizeof(command.dw)));
    command.length_dw = 1;
    if (adreno_is_pkt4(command.dw[0]))
        command.length_dw += ADRENO_PKT4_COUNT(command.dw[0]);
    else if (adreno_is_pkt7(command.dw[0]))
        command.length_dw += ADRENO_PKT7_COUNT(command.dw[0]);
    const uint32_t known_dw = MIN2(command.length_dw, (uint32_t)(read_B / 4));
    m->reader = ADRENO_CLIENT_CP_READ;
    m->writer = ADRENO_CLIENT_CP_WRITE;
    coherence_command(m->gpu->coherence, &command);
    ADRENO_READS(m->gpu->coherence, ADRENO_CLIENT_CP_FETCH, command.va, 4ull * known_dw);
}

/* ---- events ---- */

#define NONE ADRENO_COHERENCE_EVENT_COUNT

static unsigned kind_of_event(unsigned event)
{
    switch (event) {
    case ADRENO_EVENT_CACHE_FLUSH_TS:
        return ADRENO_COHERENCE_CACHE_FLUSH;
    case ADRENO_EVENT_FLUSH_SO_0:
    case ADRENO_EVENT_FLUSH_SO_1:
    case ADRENO_EVENT_FLUSH_SO_2:
    case ADRENO_EVENT_FLUSH_SO_3:
        return ADRENO_COHERENCE_FLUSH_SO;
    case ADRENO_EVENT_CACHE_INVALIDATE:
        return ADRENO_COHERENCE_CACHE_INVALIDATE;
    case ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS:
        return ADRENO_COHERENCE_FLUSH_COLOR;
    case ADRENO_EVENT_PC_CCU_FLUSH_DEPTH_TS:
        return ADRENO_COHERENCE_FLUSH_DEPTH;
    case ADRENO_EVENT_PC_CCU_INVALIDATE_COLOR:
        return ADRENO_COHERENCE_INVALIDATE_COLOR;
    case ADRENO_EVENT_PC_CCU_INVALIDATE_DEPTH:
        return ADRENO_COHERENCE_INVALIDATE_DEPTH;
    case ADRENO_EVENT_PC_CCU_RESOLVE_TS:
        return ADRENO_COHERENCE_RESOLVE;
    case ADRENO_EVENT_LRZ_FLUSH_INVALIDATE:
        return ADRENO_COHERENCE_LRZ_FLUSH;
    default:
        return NONE;
    }
}

static unsigned kind_of_packet(unsigned opcode)
{
    switch (opcode) {
    case ADRENO_PKT_CP_WAIT_MEM_WRITES:
        return ADRENO_COHERENCE_WAIT_MEM_WRITES;
    case ADRENO_PKT_CP_WAIT_FOR_IDLE:
        return ADRENO_COHERENCE_WAIT_FOR_IDLE;
    case ADRENO_PKT_CP_WAIT_FOR_ME:
        return ADRENO_COHERENCE_WAIT_FOR_ME;
    default:
        return NONE;
    }
}

bool adreno_cp_coherence_event(struct adreno_cp *m, unsigned event)
{
    const unsigned kind = kind_of_event(event);
    if (kind == NONE)
        return true;
    if (!adreno_coherence_takes(m->job_number, kind))
        return false;
    coherence_event(m->gpu->coherence, kind);
    return true;
}

void adreno_cp_coherence_own_wait(struct adreno_cp *m)
{
    adreno_coherence_takes(m->job_number, ADRENO_COHERENCE_OWN_WAIT);
    coherence_event(m->gpu->coherence, ADRENO_COHERENCE_OWN_WAIT);
}

bool adreno_cp_wait(struct adreno_cp *m)
{
    const unsigned kind = m->gpu->coherence ? kind_of_packet(ADRENO_PKT7_OPCODE(m->dw[0])) : NONE;
    if (kind != NONE && adreno_coherence_takes(m->job_number, kind))
        coherence_event(m->gpu->coherence, kind);
    return true;
}

void adreno_cp_coherence_update(struct adreno_cp *m, uint32_t value)
{
    const struct adreno_SP_UPDATE_CNTL f = adreno_unpack_SP_UPDATE_CNTL(value);
    if (f.CS_BINDLESS || f.GFX_BINDLESS)
        coherence_event(m->gpu->coherence, ADRENO_COHERENCE_BINDLESS);
}
