/* Packets as src/model/coherence is told of them: jobs, commands, events and waits (docs/coherence.md). Nothing here
 * is called while coherence is off. */
#include <string.h>

#include "amd/hw/packets.h"
#include "amd/model/coherence.h"
#include "amd/model/cp/cp_machine.h"
#include "util/bits.h"

#define SET(name) (1u << AMD_SET_##name)

/* ---- jobs and commands ---- */

static void do_event(struct cp_machine *m, struct coherence_actor *actor, enum amd_coherence_event event)
{
    if (amd_coherence_takes(m->job_number, event))
        coherence_event(actor, event);
}

bool amd_cp_coherence_begin(struct cp_machine *m)
{
    struct coherence *c = m->device->coherence;
    if (!m->actor)
        m->actor = coherence_actor_create(c, m, AMD_SET_COUNT);
    struct coherence_space *space = coherence_space(c, m->space);
    if (!m->actor || !space)
        return amd_cp_broken(m, "the host has no memory to look at caches");
    m->job_number++;
    strbuf_finish(&m->incoherence);
    m->incoherence = (struct strbuf){0};
    coherence_job_begin(m->actor, space);
    m->accessor = m->actor;
    do_event(m, m->actor, AMD_COHERENCE_JOB_BEGIN);
    return true;
}

/* The kernel's fence: everything has ended, and is written back. */
void amd_cp_coherence_end(struct cp_machine *m, bool is_ok)
{
    coherence_join(m->actor, bits_mask(AMD_SET_COUNT));
    do_event(m, m->actor, AMD_COHERENCE_JOB_END);
    coherence_job_end(m->actor);
    if (!is_ok)
        coherence_reset(m->actor);
    m->accessor = NULL;
}

void amd_cp_coherence_mem_sync(struct cp_machine *m)
{
    do_event(m, m->actor, AMD_COHERENCE_MEM_SYNC);
}

static struct coherence_command command_of(const struct cp_machine *m)
{
    struct coherence_command command = {
        .va = m->stack[m->depth - 1].va + 4ull * m->packet_at_dw, .job = m->job_number, .length_dw = m->length_dw};
    memcpy(command.dw, m->dw, 4 * MIN2(m->length_dw, (uint32_t)COHERENCE_COMMAND_DW));
    return command;
}

/* Packets that only set state are not remembered. */
static bool is_state(const struct cp_machine *m)
{
    if (m->ring_kind == AMD_RING_SDMA)
        return false;
    switch (AMD_PKT3_OPCODE(m->dw[0])) {
    case AMD_PKT_NOP:
    case AMD_PKT_SET_CONTEXT_REG:
    case AMD_PKT_SET_SH_REG:
    case AMD_PKT_SET_UCONFIG_REG:
    case AMD_PKT_SET_SH_REG_INDEX:
    case AMD_PKT_SET_UCONFIG_REG_INDEX:
        return true;
    default:
        return false;
    }
}

void amd_cp_coherence_packet(struct cp_machine *m)
{
    if (is_state(m))
        return;
    const struct coherence_command command = command_of(m);
    coherence_command(m->actor, &command);
    m->accessor = m->actor;
    m->reader = m->writer = m->ring_kind == AMD_RING_SDMA ? AMD_CLIENT_SDMA : AMD_CLIENT_ME;
}

struct coherence_actor *amd_cp_coherence_issue(struct cp_machine *m, unsigned set)
{
    const struct coherence_command command = command_of(m);
    return coherence_issue(m->actor, set, &command);
}

void amd_cp_coherence_front(struct cp_machine *m)
{
    if (m->ring_kind == AMD_RING_GFX)
        m->reader = AMD_CLIENT_PFP;
}

/* ---- the end of the pipe ---- */

/* An event in the pipe comes after the work before it, whether anybody waits or not. What it writes is a signal. */
static struct coherence_actor *begin_event(struct cp_machine *m, uint32_t after)
{
    struct coherence_actor *command = amd_cp_coherence_issue(m, AMD_SET_EVENTS);
    if (command)
        coherence_join(command, after | SET(EVENTS));
    m->accessor = command;
    m->writer = AMD_CLIENT_EVENT;
    return command;
}

void amd_cp_coherence_end_event(struct cp_machine *m)
{
    if (m->accessor && m->accessor != m->actor)
        coherence_complete(m->accessor);
    m->accessor = m->actor;
}

void amd_cp_coherence_event(struct cp_machine *m, unsigned type)
{
    static const uint8_t kinds[64] = {
        [AMD_EVENT_TYPE_FLUSH_AND_INV_CB_META] = AMD_COHERENCE_CB_META,
        [AMD_EVENT_TYPE_FLUSH_AND_INV_DB_META] = AMD_COHERENCE_DB_META,
        [AMD_EVENT_TYPE_FLUSH_AND_INV_CB_PIXEL_DATA] = AMD_COHERENCE_CB_DATA,
        [AMD_EVENT_TYPE_FLUSH_AND_INV_CB_DATA_TS] = AMD_COHERENCE_CB_DATA,
        [AMD_EVENT_TYPE_FLUSH_AND_INV_DB_DATA_TS] = AMD_COHERENCE_DB_DATA,
        [AMD_EVENT_TYPE_DB_CACHE_FLUSH_AND_INV] = AMD_COHERENCE_DB_DATA,
        [AMD_EVENT_TYPE_CACHE_FLUSH_AND_INV_TS_EVENT] = AMD_COHERENCE_BACKENDS,
        [AMD_EVENT_TYPE_CACHE_FLUSH_AND_INV_EVENT] = AMD_COHERENCE_BACKENDS,
    };
    switch (type) {
    case AMD_EVENT_TYPE_VS_PARTIAL_FLUSH:
        if (amd_coherence_takes(m->job_number, AMD_COHERENCE_VS_WAIT))
            coherence_join(m->actor, SET(VERTICES));
        return;
    case AMD_EVENT_TYPE_PS_PARTIAL_FLUSH:
        if (amd_coherence_takes(m->job_number, AMD_COHERENCE_PS_WAIT))
            coherence_join(m->actor, SET(VERTICES) | SET(PIXELS));
        return;
    case AMD_EVENT_TYPE_CS_PARTIAL_FLUSH:
        if (amd_coherence_takes(m->job_number, AMD_COHERENCE_CS_WAIT))
            coherence_join(m->actor, SET(COMPUTE));
        return;
    case AMD_EVENT_TYPE_CS_DONE:
        begin_event(m, SET(COMPUTE));
        return;
    case AMD_EVENT_TYPE_PS_DONE:
        begin_event(m, SET(VERTICES) | SET(PIXELS));
        return;
    default: {
        struct coherence_actor *command = begin_event(m, SET(VERTICES) | SET(PIXELS) | SET(COMPUTE));
        if (command && kinds[type])
            do_event(m, command, kinds[type]);
        return;
    }
    }
}

/* ---- caches below the backends ---- */

void amd_cp_coherence_caches(struct cp_machine *m, const struct cp_caches *caches)
{
    const struct {
        bool is_wanted;
        uint8_t event;
    } steps[] = {
        {caches->glm_wb, AMD_COHERENCE_GLM_WB},   {caches->gl2_wb, AMD_COHERENCE_GL2_WB},
        {caches->gl2_inv, AMD_COHERENCE_GL2_INV}, {caches->glm_inv, AMD_COHERENCE_GLM_INV},
        {caches->gl1_inv, AMD_COHERENCE_GL1_INV}, {caches->glv_inv, AMD_COHERENCE_GLV_INV},
        {caches->glk_inv, AMD_COHERENCE_GLK_INV}, {caches->gli_inv, AMD_COHERENCE_GLI_INV},
    };
    for (unsigned i = 0; m->accessor && i < ARRAY_SIZE(steps); i++) {
        if (steps[i].is_wanted)
            do_event(m, m->accessor, steps[i].event);
    }
}

void amd_cp_coherence_sync_front(struct cp_machine *m)
{
    do_event(m, m->actor, AMD_COHERENCE_PFP_SYNC);
}

/* ---- DMA ---- */

/* It runs beside the processor, unless the packet waits. One that copies nothing is there for its wait alone. */
void amd_cp_coherence_dma(struct cp_machine *m, bool reads_memory, bool writes_memory, bool waits_first)
{
    struct coherence_actor *command = amd_cp_coherence_issue(m, AMD_SET_DMA);
    if (command && waits_first)
        coherence_join(command, SET(DMA));
    m->accessor = command;
    m->reader = reads_memory ? AMD_CLIENT_DMA_MEMORY : AMD_CLIENT_DMA;
    m->writer = writes_memory ? AMD_CLIENT_DMA_MEMORY : AMD_CLIENT_DMA;
}

void amd_cp_coherence_end_dma(struct cp_machine *m, bool is_waited)
{
    amd_cp_coherence_end_event(m);
    if (is_waited && amd_coherence_takes(m->job_number, AMD_COHERENCE_DMA_WAIT))
        coherence_join(m->actor, SET(DMA));
}

/* ---- words that somebody waits for ---- */

void amd_cp_coherence_release(struct cp_machine *m, uint64_t va, uint32_t size_B, uint64_t value)
{
    coherence_release(m->accessor, va, (uint32_t)value);
    if (size_B == 8)
        coherence_release(m->accessor, va + 4, value >> 32);
}

void amd_cp_coherence_acquire(struct cp_machine *m, unsigned function, uint64_t va, uint64_t reference, uint64_t mask)
{
    const bool is_whole = (uint32_t)mask == UINT32_MAX && reference <= UINT32_MAX && reference;
    uint64_t above = UINT64_MAX;
    if (is_whole && (function == AMD_CP_FUNCTION_EQUAL || function == AMD_CP_FUNCTION_GEQUAL))
        above = reference - 1;
    else if (is_whole && function == AMD_CP_FUNCTION_GREATER)
        above = reference;
    if (amd_coherence_takes(m->job_number, AMD_COHERENCE_EOP_WAIT))
        coherence_acquire(m->actor, (uint64_t)bits_sign_extend(va, 48), above);
}

/* Everything that task shaders have written. */
void amd_cp_coherence_finish_compute(struct cp_machine *m)
{
    coherence_join(m->actor, SET(COMPUTE));
}
