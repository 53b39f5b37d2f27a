/* Strict mode of the command processor: the caches of colours and depths (CCU) are a part of GMEM, and RB_CCU_CNTL says
 * which. Data that a cache has not written back when it moves is lost, lines that stay are another place's, and the
 * register is not pipelined: before it changes, the caches are flushed (where they cache memory) and invalidated, and
 * the GPU is idle. Between jobs the kernel does that. */
#include <string.h>

#include "adreno/hw/regs_rb.h"
#include "adreno/model/cp/cp_machine.h"

enum {
    COLOR,
    DEPTH,
};

void adreno_cp_strict_use_ccu(struct adreno_cp *m)
{
    struct cp_strict *strict = &m->strict;
    strict->is_busy = true;
    for (unsigned i = COLOR; i <= DEPTH; i++) {
        strict->has_lines[i] = true;
        strict->has_data[i] |= m->pass != ADRENO_PASS_GMEM; /* those of a bin are in GMEM itself */
    }
}

void adreno_cp_strict_event(struct adreno_cp *m, unsigned event)
{
    struct cp_strict *strict = &m->strict;
    switch (event) {
    case ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS:
        strict->has_data[COLOR] = false;
        break;
    case ADRENO_EVENT_PC_CCU_FLUSH_DEPTH_TS:
        strict->has_data[DEPTH] = false;
        break;
    case ADRENO_EVENT_PC_CCU_INVALIDATE_COLOR:
        strict->has_lines[COLOR] = false;
        break;
    case ADRENO_EVENT_PC_CCU_INVALIDATE_DEPTH:
        strict->has_lines[DEPTH] = false;
        break;
    case ADRENO_EVENT_CCU_RESOLVE:
        adreno_cp_strict_use_ccu(m);
        return;
    default:
        return;
    }
    strict->is_busy = true;
}

bool adreno_cp_strict_ccu_cntl(struct adreno_cp *m, uint32_t value)
{
    static const char *const names[] = {"colour", "depth"};
    struct cp_strict *strict = &m->strict;
    if (!strict->is_on || m->gpu->regs[ADRENO_REG_RB_CCU_CNTL] == value)
        return true;
    for (unsigned i = COLOR; i <= DEPTH; i++) {
        if (strict->has_data[i])
            return adreno_stop(
                m->gpu, ADRENO_STOP_STRICT,
                "strict mode: RB_CCU_CNTL changes, and the cache of %s was not flushed since it was used", names[i]);
        if (strict->has_lines[i])
            return adreno_stop(m->gpu, ADRENO_STOP_STRICT,
                               "strict mode: RB_CCU_CNTL changes, and the cache of %s was not invalidated since it was "
                               "used",
                               names[i]);
    }
    if (strict->is_busy)
        return adreno_stop(m->gpu, ADRENO_STOP_STRICT,
                           "strict mode: RB_CCU_CNTL, which is not pipelined, changes without a wait for idle");
    return true;
}

void adreno_cp_strict_begin_bin(struct adreno_cp *m)
{
    if (m->gpu->gmem_written)
        memset(m->gpu->gmem_written, 0, m->gpu->chip->gmem_size_B);
}
