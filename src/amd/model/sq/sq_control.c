/* Control flow. A branch keeps a pointer to its target once that is decoded; blocks of one cache live and die together,
 * so the pointer stays good. Back edges are where a wave can be stopped or made to give way. */
#include "amd/model/sq/sq_control.h"

#include <stddef.h>

#include "amd/model/sq/sq_hook.h"
#include "amd/model/sq/sq_loop.h"
#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_mode.h"

void amd_sq_fault(struct sq_wave *wave, const struct sq_uop *uop, enum sq_fault_kind kind, const char *why)
{
    if (wave->state == SQ_FAULTED)
        return; /* the first one is the cause */
    uint32_t size_B = uop->inst ? uop->inst->size_dw * 4u : 0;
    wave->state = SQ_FAULTED;
    wave->fault = (struct sq_fault){.kind = kind, .pc = uop->next_va - size_B, .why = why};
}

void amd_sq_memory_fault(struct sq_wave *wave, const struct sq_uop *uop, uint64_t va, bool is_write)
{
    if (wave->state == SQ_FAULTED)
        return;
    amd_sq_fault(wave, uop, SQ_FAULT_MEMORY, "no page is mapped there for this access");
    wave->fault.va = va;
    wave->fault.is_write = is_write;
}

void amd_sq_control_stop(struct sq_wave *wave, const struct sq_uop *uop)
{
    amd_sq_fault(wave, uop, uop->imm, (const char *)(uintptr_t)uop->target_va);
}

/* ---- branches ---- */

static void jump(struct sq_wave *wave, const struct sq_uop *uop)
{
    if (__builtin_expect(!uop->target, 0)) {
        const struct sq_uop *target = amd_sq_code_enter(wave, uop->target_va);
        if (!target)
            return;
        ((struct sq_uop *)uop)->target = target; /* the cache is this worker's own */
    }
    wave->next = uop->target;
    if (uop->target_va < uop->next_va) {
        if (__builtin_expect(atomic_load_explicit(wave->killed, memory_order_relaxed), 0))
            amd_sq_fault(wave, uop, SQ_FAULT_KILLED, "the context was lost");
        else if (__builtin_expect(--wave->turn == 0, 0))
            wave->state = SQ_YIELDED;
        if (uop->imm && --((struct sq_uop *)uop)->imm == 0)
            amd_sq_loop_found(wave, uop);
    }
}

static void branch(struct sq_wave *wave, const struct sq_uop *uop)
{
    jump(wave, uop);
}

/* A conditional branch is followed by the jump to the code after it. */
#define BRANCH(name, condition)                                                                                        \
    static void name(struct sq_wave *wave, const struct sq_uop *uop)                                                   \
    {                                                                                                                  \
        jump(wave, (condition) ? uop : uop + 1);                                                                       \
    }
BRANCH(branch_scc0, !wave->scc)
BRANCH(branch_scc1, wave->scc)
BRANCH(branch_vccz, sq_read_mask(wave, &wave->sgpr[SQ_VCC]) == 0)
BRANCH(branch_vccnz, sq_read_mask(wave, &wave->sgpr[SQ_VCC]) != 0)
BRANCH(branch_execz, sq_exec(wave) == 0)
BRANCH(branch_execnz, sq_exec(wave) != 0)

/* A branch, with how often it goes backwards before the loop is worth host code. */
static void build_branch(struct sq_builder *builder, sq_run_fn run, const struct isa_inst *inst, uint64_t target_va)
{
    struct sq_uop *uop = amd_sq_build(builder, run, inst);
    uop->target_va = target_va;
    uop->imm = amd_sq_loop_countdown(builder->code);
}

void amd_sq_build_goto(struct sq_builder *builder, uint64_t target_va)
{
    build_branch(builder, branch, NULL, target_va);
}

static uint64_t label(const struct sq_builder *builder, const struct isa_inst *inst, unsigned operand)
{
    return builder->next_va + (uint64_t)((int64_t)(int16_t)inst->operands[operand].value * 4);
}

/* Jumps to an address that only the wave knows. */
static void jump_to(struct sq_wave *wave, const struct sq_uop *uop, uint64_t va)
{
    const struct sq_uop *target = amd_sq_code_enter(wave, va);
    if (!target)
        return;
    wave->next = target;
    if (atomic_load_explicit(wave->killed, memory_order_relaxed))
        amd_sq_fault(wave, uop, SQ_FAULT_KILLED, "the context was lost");
    else if (--wave->turn == 0)
        wave->state = SQ_YIELDED;
}

static void setpc(struct sq_wave *wave, const struct sq_uop *uop)
{
    jump_to(wave, uop, sq_read64(sq_at(wave, uop->s[0])));
}

static void swappc(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint64_t va = sq_read64(sq_at(wave, uop->s[0]));
    sq_write64(sq_at(wave, uop->d), uop->next_va);
    jump_to(wave, uop, va);
}

static void call_target(struct sq_wave *wave, const struct sq_uop *uop)
{
    sq_write64(sq_at(wave, uop->d), uop->next_va);
    jump(wave, uop);
}

static void getpc(struct sq_wave *wave, const struct sq_uop *uop)
{
    sq_write64(sq_at(wave, uop->d), uop->next_va);
}

/* ---- the wave's life ---- */

static void endpgm(struct sq_wave *wave, const struct sq_uop *uop)
{
    wave->state = SQ_ENDED;
}

static void barrier(struct sq_wave *wave, const struct sq_uop *uop)
{
    wave->state = SQ_BARRIER;
}

/* A sleeping wave lets the others go first: what it waits for is theirs to do. */
static void give_way(struct sq_wave *wave, const struct sq_uop *uop)
{
    wave->state = SQ_YIELDED;
}

static void round_mode(struct sq_wave *wave, const struct sq_uop *uop)
{
    amd_sq_set_mode(wave, (wave->mode & ~0xfu) | (uop->imm & 0xf));
}

static void denorm_mode(struct sq_wave *wave, const struct sq_uop *uop)
{
    amd_sq_set_mode(wave, (wave->mode & ~0xf0u) | (uop->imm & 0xf) << 4);
}

enum sq_flow amd_sq_control_flow(const struct sq_uop *uop)
{
    static const struct {
        sq_run_fn run;
        enum sq_flow flow;
    } flows[] = {
        {branch, SQ_FLOW_ALWAYS},         {branch_scc0, SQ_FLOW_SCC0},
        {branch_scc1, SQ_FLOW_SCC1},      {branch_vccz, SQ_FLOW_LANES},
        {branch_vccnz, SQ_FLOW_LANES},    {branch_execz, SQ_FLOW_LANES},
        {branch_execnz, SQ_FLOW_LANES},   {endpgm, SQ_FLOW_END},
        {setpc, SQ_FLOW_ELSEWHERE},       {swappc, SQ_FLOW_ELSEWHERE},
        {call_target, SQ_FLOW_ELSEWHERE}, {amd_sq_control_stop, SQ_FLOW_ELSEWHERE},
    };
    for (unsigned i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
        if (flows[i].run == uop->run)
            return flows[i].flow;
    }
    return SQ_FLOW_NONE;
}

static sq_run_fn conditional(unsigned op)
{
    switch (op) {
    case ISA_OP_S_CBRANCH_SCC0:
        return branch_scc0;
    case ISA_OP_S_CBRANCH_SCC1:
        return branch_scc1;
    case ISA_OP_S_CBRANCH_VCCZ:
        return branch_vccz;
    case ISA_OP_S_CBRANCH_VCCNZ:
        return branch_vccnz;
    case ISA_OP_S_CBRANCH_EXECZ:
        return branch_execz;
    case ISA_OP_S_CBRANCH_EXECNZ:
        return branch_execnz;
    default:
        return NULL;
    }
}

static sq_place sgpr_place(const struct isa_operand *operand)
{
    unsigned index = operand->kind == ISA_OPERAND_SGPR ? operand->value : amd_sq_special_register(operand);
    return (sq_place)(offsetof(struct sq_wave, sgpr) + index * 4);
}

/* Instructions that end straight code. */
static bool translate_jump(struct sq_builder *builder, const struct isa_inst *inst)
{
    struct sq_uop *uop;
    sq_run_fn taken = conditional(inst->op);
    if (taken) {
        /* Both successors are other blocks: the code after a branch is often reached from elsewhere, too. */
        uint64_t target_va = label(builder, inst, 0);
        build_branch(builder, taken, inst, target_va);
        amd_sq_build_goto(builder, builder->next_va);
        return true;
    }
    switch (inst->op) {
    case ISA_OP_S_BRANCH:
        build_branch(builder, branch, inst, label(builder, inst, 0));
        return true;
    case ISA_OP_S_SETPC_B64:
        uop = amd_sq_build(builder, setpc, inst);
        uop->s[0] = sgpr_place(&inst->operands[0]);
        return true;
    case ISA_OP_S_SWAPPC_B64:
        uop = amd_sq_build(builder, swappc, inst);
        uop->d = sgpr_place(&inst->operands[0]);
        uop->s[0] = sgpr_place(&inst->operands[1]);
        return true;
    case ISA_OP_S_CALL_B64:
        uop = amd_sq_build(builder, call_target, inst);
        uop->d = sgpr_place(&inst->operands[0]);
        uop->target_va = label(builder, inst, 1);
        return true;
    case ISA_OP_S_ENDPGM:
    case ISA_OP_S_ENDPGM_SAVED:
        amd_sq_build(builder, endpgm, inst);
        return true;
    default:
        return false;
    }
}

bool amd_sq_translate_control(struct sq_builder *builder, const struct isa_inst *inst)
{
    if (translate_jump(builder, inst)) {
        builder->exec.ends_block = true;
        return true;
    }
    switch (inst->op) {
    case ISA_OP_S_GETPC_B64:
        amd_sq_build(builder, getpc, inst)->d = sgpr_place(&inst->operands[0]);
        return true;
    case ISA_OP_S_BARRIER:
        amd_sq_build(builder, barrier, inst);
        return true;
    case ISA_OP_S_SLEEP:
        amd_sq_build(builder, give_way, inst);
        return true;
    case ISA_OP_S_SENDMSG:
        amd_sq_build(builder, amd_sq_hook_message, inst)->imm = inst->operands[0].value;
        return true;
    case ISA_OP_S_ROUND_MODE:
        amd_sq_build(builder, round_mode, inst)->imm = inst->operands[0].value;
        return true;
    case ISA_OP_S_DENORM_MODE:
        amd_sq_build(builder, denorm_mode, inst)->imm = inst->operands[0].value;
        return true;

    /* Loads are complete when their instruction is, so there is nothing to wait for; strict mode checks the waits. */
    case ISA_OP_S_WAITCNT:
    case ISA_OP_S_WAITCNT_DEPCTR:
    case ISA_OP_S_WAITCNT_VSCNT:
    case ISA_OP_S_WAITCNT_VMCNT:
    case ISA_OP_S_WAITCNT_EXPCNT:
    case ISA_OP_S_WAITCNT_LGKMCNT:
    case ISA_OP_S_WAIT_IDLE:
    /* Hints to the fetcher and the scheduler. */
    case ISA_OP_S_NOP:
    case ISA_OP_S_CLAUSE:
    case ISA_OP_S_INST_PREFETCH:
    case ISA_OP_S_SETPRIO:
    case ISA_OP_S_WAKEUP:
    /* Programs never change while waves run on them. */
    case ISA_OP_S_ICACHE_INV:
    /* For profilers, which the model does not have. */
    case ISA_OP_S_TTRACEDATA:
    case ISA_OP_S_TTRACEDATA_IMM:
    case ISA_OP_S_INCPERFLEVEL:
    case ISA_OP_S_DECPERFLEVEL:
        return true;
    default:
        return false;
    }
}
