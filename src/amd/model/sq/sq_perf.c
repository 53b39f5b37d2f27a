/* See sq_perf.h. */
#include "amd/model/sq/sq_perf.h"

#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_loop.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_move.h"

void amd_sq_perf_add(struct sq_perf *perf, enum sq_perf_count count, uint64_t more)
{
    atomic_fetch_add_explicit(&perf->counts[count], more, memory_order_relaxed);
}

/* Registers of a lane that an instruction of vector memory brings or takes. */
static unsigned data_dw(const struct isa_inst *inst, const struct isa_op_info *info)
{
    for (unsigned i = 0; i < info->operand_count; i++) {
        if (info->operands[i].is_dst || info->operands[i].name == ISA_NAME_VDATA)
            return inst->operands[i].count;
    }
    return 1;
}

static void count_vector_memory(uint64_t *counts, const struct sq_wave *wave, const struct isa_inst *inst,
                                const struct isa_op_info *info)
{
    const bool is_atomic = info->memory == ISA_MEMORY_ATOMIC;
    const uint64_t lanes = (uint64_t)__builtin_popcountll(sq_read_mask(wave, &wave->sgpr[SQ_EXEC])),
                   dwords = lanes * data_dw(inst, info);
    if (info->memory == ISA_MEMORY_LOAD || (is_atomic && inst->mem.glc)) {
        counts[SQ_PERF_LOADS]++;
        counts[SQ_PERF_READS] += lanes;
        counts[SQ_PERF_READ_DW] += dwords;
    }
    if (info->memory == ISA_MEMORY_STORE || is_atomic) {
        counts[SQ_PERF_STORES] += !is_atomic || !inst->mem.glc;
        counts[SQ_PERF_WRITES] += lanes;
        counts[SQ_PERF_WRITTEN_DW] += dwords;
    }
}

static void count_instruction(uint64_t *counts, const struct sq_wave *wave, const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    counts[SQ_PERF_INSTRUCTIONS]++;
    switch (info->format) {
    case ISA_FORMAT_SOP1:
    case ISA_FORMAT_SOP2:
    case ISA_FORMAT_SOPC:
    case ISA_FORMAT_SOPK:
        counts[SQ_PERF_SALU]++;
        break;
    case ISA_FORMAT_SOPP: /* branches, waits and messages are no arithmetic */
    case ISA_FORMAT_EXP:
        break;
    case ISA_FORMAT_SMEM:
        counts[SQ_PERF_SMEM]++;
        break;
    case ISA_FORMAT_DS:
        counts[inst->mem.gds ? SQ_PERF_GDS : SQ_PERF_LDS]++;
        break;
    case ISA_FORMAT_MUBUF:
    case ISA_FORMAT_MTBUF:
    case ISA_FORMAT_MIMG:
    case ISA_FORMAT_FLAT:
        count_vector_memory(counts, wave, inst, info);
        break;
    default:
        counts[SQ_PERF_VALU]++;
        counts[SQ_PERF_VALU_CYCLES] += wave->lanes == 64 ? 2 : 1;
    }
}

/* An instruction's micro-operations stand one after the other; a branch may lead to the same instruction again. What
 * enters host code is left out: the micro-operations that it stands for are behind it, or in it. */
void amd_sq_perf_run(struct sq_wave *wave)
{
    uint64_t counts[SQ_PERF_COUNTS] = {0};
    const struct sq_uop *last = NULL;
    const struct isa_inst *inst = NULL;
    sq_mode_enter(wave);
    do {
        const struct sq_uop *at = wave->next++;
        if (amd_sq_jit_is_head(at) || at->run == amd_sq_uop_move)
            continue;
        const struct sq_uop *uop = amd_sq_loop_original(at);
        if (uop->inst && (uop->inst != inst || at != last + 1))
            count_instruction(counts, wave, uop->inst);
        inst = uop->inst;
        last = at;
        uop->run(wave, uop);
    } while (wave->state == SQ_RUNNING);
    for (unsigned i = 0; i < SQ_PERF_COUNTS; i++) {
        if (counts[i])
            amd_sq_perf_add(wave->perf, (enum sq_perf_count)i, counts[i]);
    }
}
