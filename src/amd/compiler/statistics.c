/* Figures from code alone: counts by kind, and an estimate of time that is the same for any compiler's binaries.
 *
 * One wave is followed through the code in order, block by block: an instruction starts when its unit is free, when the
 * ALU results that it reads are there, and a wait ends when the memory has answered. A block inside a loop (code that a
 * jump leads back over) counts eight times for each loop around it. Inverse throughput is the larger one of what the
 * busiest unit takes for a wave, and of a wave's latency shared by the waves of a SIMD. */
#include <stdlib.h>
#include <string.h>

#include "amd/compiler/estimate.h"
#include "amd/compiler/mir.h"
#include "util/array.h"
#include "util/bits.h"

#define LOOP_FACTOR 8
#define MAX_LOOP_FACTOR (LOOP_FACTOR * LOOP_FACTOR * LOOP_FACTOR)
#define REGS 512
#define QUEUE 64

struct placed {
    struct isa_inst inst;
    uint32_t at_dw;
    uint32_t weight;
    bool leads; /* a jump comes here */
};

typedef ARRAY(struct placed) placed_array;

/* ---- reading ---- */

static bool is_jump(const struct isa_inst *inst)
{
    return isa_info(inst->op)->format == ISA_FORMAT_SOPP && (isa_info(inst->op)->properties & ISA_PROP_BRANCH);
}

static bool read_code(enum isa_gfx gfx, const uint32_t *words, uint32_t count_dw, placed_array *code)
{
    for (uint32_t at = 0; at < count_dw;) {
        struct placed placed = {.at_dw = at, .weight = 1};
        int size = amd_isa_decode(gfx, words + at, count_dw - at, &placed.inst);
        if (size <= 0 || placed.inst.op == ISA_OP_S_CODE_END)
            break;
        if (!array_push(code, placed))
            return false;
        at += (uint32_t)size;
    }
    return true;
}

static struct placed *find_at(placed_array *code, int64_t at_dw)
{
    uint32_t low = 0, high = code->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if ((int64_t)code->data[middle].at_dw < at_dw)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->count && (int64_t)code->data[low].at_dw == at_dw ? &code->data[low] : NULL;
}

static void find_loops(placed_array *code)
{
    array_foreach (code, placed) {
        if (!is_jump(&placed->inst))
            continue;
        struct placed *target = find_at(code, (int64_t)placed->at_dw + 1 + (int16_t)placed->inst.operands[0].value);
        if (!target)
            continue;
        target->leads = true;
        for (struct placed *inside = target; inside <= placed && inside->weight < MAX_LOOP_FACTOR; inside++)
            inside->weight *= LOOP_FACTOR;
    }
}

/* ---- following a wave ---- */

struct wave {
    enum isa_gfx gfx;
    unsigned wave_size;
    uint32_t time;
    uint32_t ready[REGS]; /* ALU results */
    uint32_t scc_ready;
    uint32_t free[ESTIMATE_UNITS];
    uint32_t queue[4][QUEUE]; /* by counter: when each instruction that is under way ends */
    unsigned queued[4];
    uint64_t busy[ESTIMATE_UNITS];
};

static int register_of(const struct isa_operand *operand)
{
    switch (operand->kind) {
    case ISA_OPERAND_VGPR:
        return 256 + operand->value;
    case ISA_OPERAND_SGPR:
        return operand->value;
    case ISA_OPERAND_SPECIAL:
        return operand->value == ISA_SPECIAL_VCC_LO || operand->value == ISA_SPECIAL_VCC_HI     ? 106
               : operand->value == ISA_SPECIAL_M0                                               ? 124
               : operand->value == ISA_SPECIAL_EXEC_LO || operand->value == ISA_SPECIAL_EXEC_HI ? 126
                                                                                                : -1;
    default:
        return -1;
    }
}

static void wait_for(struct wave *wave, unsigned counter, unsigned left)
{
    while (wave->queued[counter] > left) {
        wave->time = MAX2(wave->time, wave->queue[counter][0]);
        wave->queued[counter]--;
        memmove(wave->queue[counter], wave->queue[counter] + 1, wave->queued[counter] * sizeof(uint32_t));
    }
}

static void take_wait(struct wave *wave, const struct isa_inst *inst)
{
    if (inst->op == ISA_OP_S_WAITCNT) {
        struct isa_waitcnt counts = amd_isa_waitcnt_unpack(wave->gfx, inst->operands[0].value),
                           none = amd_isa_waitcnt_max(wave->gfx);
        if (counts.vmcnt < none.vmcnt)
            wait_for(wave, 0, counts.vmcnt);
        if (counts.lgkmcnt < none.lgkmcnt)
            wait_for(wave, 1, counts.lgkmcnt);
        if (counts.expcnt < none.expcnt)
            wait_for(wave, 2, counts.expcnt);
    } else if (inst->op == ISA_OP_S_WAITCNT_VSCNT) {
        wait_for(wave, 3, inst->operands[1].value);
    }
}

static void start_inst(struct wave *wave, const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    struct estimate estimate = estimate_of(inst->op, wave->wave_size);
    uint32_t at = MAX2(wave->time, wave->free[estimate.unit]);
    for (unsigned i = info->dst_count; i < info->operand_count; i++) {
        int reg = register_of(&inst->operands[i]);
        for (unsigned j = 0; reg >= 0 && j < MAX2(inst->operands[i].count, 1) && reg + j < REGS; j++)
            at = MAX2(at, wave->ready[(unsigned)reg + j]);
    }
    if (info->reads & ISA_STATE_SCC)
        at = MAX2(at, wave->scc_ready);
    wave->free[estimate.unit] = at + estimate.issue;
    wave->time = at + (estimate.unit == ESTIMATE_BRANCH                              ? estimate.issue
                       : wave->wave_size / 32u > 1 && estimate.unit == ESTIMATE_VALU ? 2u
                                                                                     : 1u);
    unsigned counters = amd_isa_counters(inst);
    for (unsigned counter = 0; counter < 4; counter++) {
        if (!(counters >> counter & 1))
            continue;
        if (wave->queued[counter] == QUEUE)
            wait_for(wave, counter, QUEUE - 1);
        uint32_t done = at + estimate.ready;
        if (wave->queued[counter])
            done = MAX2(done, wave->queue[counter][wave->queued[counter] - 1] + 1);
        wave->queue[counter][wave->queued[counter]++] = done;
    }
    for (unsigned i = 0; !counters && i < info->dst_count; i++) {
        int reg = register_of(&inst->operands[i]);
        for (unsigned j = 0; reg >= 0 && j < MAX2(inst->operands[i].count, 1) && reg + j < REGS; j++)
            wave->ready[(unsigned)reg + j] = at + estimate.ready;
    }
    if (info->writes & ISA_STATE_SCC)
        wave->scc_ready = at + estimate.ready;
}

static void follow_code(enum isa_gfx gfx, unsigned wave_size, placed_array *code, struct amd_statistics *out)
{
    struct wave wave = {.gfx = gfx, .wave_size = wave_size};
    uint64_t latency = 0, busiest = 0;
    array_foreach (code, placed) {
        uint32_t before = wave.time;
        struct estimate estimate = estimate_of(placed->inst.op, wave_size);
        take_wait(&wave, &placed->inst);
        start_inst(&wave, &placed->inst);
        latency += (uint64_t)(wave.time - before) * placed->weight;
        wave.busy[estimate.unit] += (uint64_t)estimate.issue * placed->weight;
    }
    for (unsigned unit = 0; unit < ESTIMATE_UNITS; unit++)
        busiest = MAX2(busiest, wave.busy[unit]);
    out->latency = (uint32_t)MIN2(latency, UINT32_MAX);
    out->inverse_throughput =
        (uint32_t)MIN2(MAX2(busiest, div_round_up(latency, MAX2(out->subgroups_per_simd, 1u))), UINT32_MAX);
}

/* ---- counting ---- */

static unsigned memory_kind(const struct isa_inst *inst)
{
    unsigned latency = isa_info(inst->op)->latency;
    return latency == ISA_LATENCY_SMEM ? 1 : latency == ISA_LATENCY_VMEM ? 2 : 0;
}

static void count_one(const struct isa_inst *inst, unsigned *run, struct amd_statistics *out)
{
    const struct isa_op_info *info = isa_info(inst->op);
    unsigned kind = memory_kind(inst);
    out->instructions++;
    out->branches += is_jump(inst);
    out->valu += info->format >= ISA_FORMAT_VOP1 && info->format <= ISA_FORMAT_VINTRP;
    out->salu += info->latency == ISA_LATENCY_SALU && info->format != ISA_FORMAT_SOPP;
    out->smem += kind == 1;
    out->vmem += kind == 2;
    out->smem_clauses += kind == 1 && *run != 1;
    out->vmem_clauses += kind == 2 && *run != 2;
    if (inst->op != ISA_OP_S_CLAUSE)
        *run = kind;
    bool move = inst->op == ISA_OP_V_MOV_B32 || inst->op == ISA_OP_S_MOV_B32 || inst->op == ISA_OP_S_MOV_B64;
    out->copies += inst->op == ISA_OP_V_SWAP_B32 ||
                   (move && register_of(&inst->operands[1]) >= 0 && register_of(&inst->operands[0]) != 126);
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand *operand = &inst->operands[i];
        unsigned end = operand->value + MAX2(operand->count, 1u);
        if (operand->kind == ISA_OPERAND_VGPR)
            out->vgprs = MAX2(out->vgprs, end);
        if (operand->kind == ISA_OPERAND_SGPR)
            out->sgprs = MAX2(out->sgprs, end);
    }
    for (unsigned i = 0; info->format == ISA_FORMAT_MIMG && inst->mem.nsa && i + 1 < inst->mem.addr_count; i++)
        out->vgprs = MAX2(out->vgprs, inst->mem.nsa_addr[i] + 1u);
}

void amd_statistics_of_code(enum isa_gfx gfx, unsigned wave_size, const uint32_t *words, uint32_t count_dw,
                            struct amd_statistics *out)
{
    placed_array code = {0};
    unsigned run = 0;
    *out = (struct amd_statistics){0};
    if (read_code(gfx, words, count_dw, &code)) {
        array_foreach (&code, placed)
            count_one(&placed->inst, &run, out);
        if (code.count)
            out->code_size_B = (code.data[code.count - 1].at_dw + code.data[code.count - 1].inst.size_dw) * 4;
        out->subgroups_per_simd = estimate_waves(wave_size, out->vgprs);
        find_loops(&code);
        follow_code(gfx, wave_size, &code, out);
    }
    array_finish(&code);
}
