/* Compute dispatches: the COMPUTE_* registers and the packet's size become a launch. */
#include <errno.h>

#include "amd/hw/chip.h"
#include "amd/hw/regs_compute.h"
#include "amd/hw/regs_ta.h"
#include "amd/model/coherence.h"
#include "amd/model/cp/cp_machine.h"
#include "amd/model/spi/spi_compute.h"
#include "util/bits.h"
#include "util/debug.h"

static uint32_t reg(const struct cp_machine *m, uint32_t offset_B)
{
    return cp_reg(&m->registers, offset_B);
}

static uint64_t count_threads(const struct cp_machine *m, const struct spi_compute_state *state)
{
    struct amd_COMPUTE_DISPATCH_INITIATOR f = amd_unpack_COMPUTE_DISPATCH_INITIATOR(m->gfx, state->initiator);
    uint64_t count = 1;
    for (unsigned axis = 0; axis < 3; axis++) {
        uint64_t full = state->num_thread[axis] & 0xffff, partial = state->num_thread[axis] >> 16, end;
        uint64_t before = f.FORCE_START_AT_000 ? 0 : state->start[axis] * full;
        if (f.USE_THREAD_DIMENSIONS)
            end = state->dim[axis];
        else if (f.PARTIAL_TG_EN && partial && state->dim[axis])
            end = (state->dim[axis] - 1) * full + partial;
        else
            end = state->dim[axis] * full;
        count *= end > before ? end - before : 0;
    }
    return count;
}

/* With `first`, the workgroups before it are left out, whatever the registers say. */
static bool dispatch(struct cp_machine *m, const uint32_t *first, const uint32_t dim[3], uint32_t initiator)
{
    struct amd_COMPUTE_DISPATCH_INITIATOR f = amd_unpack_COMPUTE_DISPATCH_INITIATOR(m->gfx, initiator);
    if (!f.COMPUTE_SHADER_EN)
        return true;
    uint64_t border = reg(m, AMD_REG_TA_CS_BC_BASE_ADDR) | (uint64_t)reg(m, AMD_REG_TA_CS_BC_BASE_ADDR_HI) << 32;
    uint64_t program = reg(m, AMD_REG_COMPUTE_PGM_LO) | (uint64_t)reg(m, AMD_REG_COMPUTE_PGM_HI) << 32;
    uint32_t unwritten = CP_REG_COUNT;
    m->registers.unwritten = debug_enabled(DEBUG_STRICT) ? &unwritten : NULL;
    struct spi_compute_state state = {
        .program_va = (uint64_t)bits_sign_extend(program << 8, 48),
        .rsrc1 = reg(m, AMD_REG_COMPUTE_PGM_RSRC1),
        .rsrc2 = reg(m, AMD_REG_COMPUTE_PGM_RSRC2),
        .rsrc3 = reg(m, AMD_REG_COMPUTE_PGM_RSRC3),
        .initiator = initiator,
        .ta = {.gb_addr_config = m->device->chip->gb_addr_config,
               .border_va = (uint64_t)bits_sign_extend(border << 8, 48)},
    };
    state.gds = amd_cp_shader_gds(m);
    if (amd_unpack_COMPUTE_PGM_RSRC2(m->gfx, state.rsrc2).SCRATCH_EN)
        state.tmpring_size = reg(m, AMD_REG_COMPUTE_TMPRING_SIZE);
    for (unsigned i = 0; i < ARRAY_SIZE(state.user_data); i++)
        state.user_data[i] = cp_reg_if_written(
            &m->registers, AMD_REG_COMPUTE_USER_DATA + 4 * i); /* what the program does not read need not be there */
    for (unsigned axis = 0; axis < 3; axis++) {
        state.num_thread[axis] = reg(m, AMD_REG_COMPUTE_NUM_THREAD_X + 4 * axis);
        if (first)
            state.start[axis] = first[axis];
        else if (!f.FORCE_START_AT_000)
            state.start[axis] = reg(m, AMD_REG_COMPUTE_START_X + 4 * axis);
        state.dim[axis] = dim[axis];
    }
    m->registers.unwritten = NULL;
    if (unwritten != CP_REG_COUNT)
        return amd_cp_unwritten(m, unwritten);
    struct sq_fault fault;
    if (m->actor)
        state.coherence = amd_cp_coherence_issue(m, AMD_SET_COMPUTE);
    state.perf = amd_cp_perf_of(m, CP_PERF_COMPUTE);
    const bool is_done = amd_spi_run_compute(m->device->spi, m->space, &state, &m->job->killed, &fault);
    if (state.coherence)
        coherence_complete(state.coherence);
    if (!is_done)
        return amd_cp_shader_fault(m, "compute shader", state.program_va, f.CS_W32_EN ? 32 : 64, &fault);
    if (m->counters.stats_on || reg(m, AMD_REG_COMPUTE_PIPELINESTAT_ENABLE) & 1)
        m->counters.stats[CP_STAT_CS_INVOCATIONS] += count_threads(m, &state);
    return true;
}

bool amd_cp_dispatch_direct(struct cp_machine *m)
{
    struct amd_pkt_DISPATCH_DIRECT p;
    return CP_UNPACK(m, DISPATCH_DIRECT, &p) &&
           dispatch(m, NULL, (const uint32_t[3]){p.DIM_X, p.DIM_Y, p.DIM_Z}, m->dw[4]);
}

static bool dispatch_from(struct cp_machine *m, uint64_t va, uint32_t initiator)
{
    uint32_t dim[3];
    if (m->actor)
        amd_cp_coherence_front(m);
    return amd_cp_read(m, va & ~3ull, dim, sizeof(dim)) && dispatch(m, NULL, dim, initiator);
}

bool amd_cp_dispatch_indirect(struct cp_machine *m)
{
    struct amd_pkt_DISPATCH_INDIRECT p;
    return CP_UNPACK(m, DISPATCH_INDIRECT, &p) && dispatch_from(m, m->indirect_base_va + p.DATA_OFFSET, m->dw[2]);
}

bool amd_cp_dispatch_indirect_mec(struct cp_machine *m)
{
    struct amd_pkt_DISPATCH_INDIRECT_MEC p;
    return CP_UNPACK(m, DISPATCH_INDIRECT_MEC, &p) && dispatch_from(m, p.ADDR, m->dw[3]);
}

bool amd_cp_dispatch_part(struct cp_machine *m, const uint32_t first[3], const uint32_t end[3], uint32_t initiator)
{
    struct amd_COMPUTE_DISPATCH_INITIATOR f = amd_unpack_COMPUTE_DISPATCH_INITIATOR(m->gfx, initiator);
    f.FORCE_START_AT_000 = false;
    return dispatch(m, first, end, amd_pack_COMPUTE_DISPATCH_INITIATOR(m->gfx, &f));
}
