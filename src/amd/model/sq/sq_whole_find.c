/* A program in the order in which all of it runs, see sq_whole.h.
 *
 * A branch that skips code when exec is zero opens a region, which its target closes. A region may be flat: its code
 * runs in any case. With no lane active it changes nothing, if
 *
 *   - exec stays a part of what it was at the branch (sq_whole_mask.h),
 *   - scalar registers that are written in it are not looked at after it,
 *   - no instruction is in it that ignores exec and has an effect: those are left out by their format, and loads of
 *     scalars, which may fail, do not run then.
 *
 * That is worth it for a few instructions of lane arithmetic, and for what lasts until the end: the check of a bound
 * that nearly all lanes pass. Others are split: a part ends at the branch, and waves without an active lane go on where
 * the region is closed. No barrier is in a region.
 *
 * Scalar instructions that depend on nothing but the launch go to the prelude, which runs before all others: if nothing
 * before them looks at or changes what they write, for loads, nothing before them stores, and in a region, nothing
 * after it looks at what they write. */
#include <string.h>

#include "amd/model/sq/sq_control.h"
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_loop.h"
#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_uops.h"
#include "amd/model/sq/sq_whole.h"

struct walk {
    struct sq_steps *steps;
    struct sq_wave *wave;
    uint64_t at_va; /* the end of the last instruction */
    uint32_t depth, region_count;
    struct {
        uint64_t end_va;
        struct sq_registers writes; /* in it; then, those that were not written since */
        uint32_t open_step;
        uint32_t length; /* instructions */
        bool is_open;
        bool has_effects; /* stores, images */
        bool is_last;     /* the program ends with it */
    } regions[SQ_WHOLE_REGIONS];
    sq_regions leaks;            /* regions that write what is looked at after them */
    struct sq_registers varying; /* not the same for all workgroups, or not known before the program runs */
    struct sq_registers touched; /* by what is not in the prelude */
    bool has_stored;
};

static struct sq_step *add_step(struct walk *walk, enum sq_step_kind kind)
{
    struct sq_steps *steps = walk->steps;
    if (steps->count == SQ_WHOLE_STEPS)
        return NULL;
    struct sq_step *step = &steps->steps[steps->count++];
    *step = (struct sq_step){.kind = kind, .depth = walk->depth};
    return step;
}

/* ---- regions ---- */

static bool open_region(struct walk *walk, const struct sq_uop *branch)
{
    struct sq_step *step = add_step(walk, SQ_STEP_OPEN);
    if (!step || walk->region_count == SQ_WHOLE_REGIONS || branch->target_va < branch->next_va)
        return false;
    step->region = walk->region_count;
    step->is_split = walk->steps->split >> step->region & 1;
    walk->regions[walk->region_count].open_step = walk->steps->count - 1;
    walk->regions[walk->region_count].end_va = branch->target_va;
    walk->regions[walk->region_count++].is_open = true;
    walk->depth++;
    return true;
}

/* The program goes on at `va` after everything up to at_va, without a jump or by one. */
static bool arrive_at(struct walk *walk, uint64_t va, bool by_jump)
{
    if (va < walk->at_va)
        return false;
    for (uint32_t i = walk->region_count; i-- > 0;) {
        const uint64_t end_va = walk->regions[i].end_va;
        if (!walk->regions[i].is_open || end_va > va)
            continue;
        if (by_jump && end_va != va) /* a way in that this one goes past */
            return false;
        walk->regions[i].is_open = false;
        walk->depth--;
        const uint32_t at = walk->steps->count;
        struct sq_step *step = add_step(walk, SQ_STEP_CLOSE);
        if (!step)
            return false;
        step->region = i;
        step->is_split = walk->steps->split >> i & 1;
        walk->steps->steps[walk->regions[i].open_step].close_step = at;
    }
    walk->at_va = va;
    return true;
}

/* ---- instructions ---- */

static void add_rows(struct sq_rows *rows, unsigned first, unsigned count)
{
    for (unsigned v = first; v < first + count && v < 256; v++)
        rows->bits[v / 64] |= 1ull << v % 64;
}

/* An image instruction's operands are as many as its other fields say: more than enough of them. */
static bool find_rows(const struct isa_inst *inst, struct sq_rows *rows)
{
    const struct isa_op_info *info = isa_info(inst->op);
    const bool is_image = info->format == ISA_FORMAT_MIMG;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand *operand = &inst->operands[i];
        if (operand->kind == ISA_OPERAND_VGPR)
            add_rows(rows, operand->value, is_image ? 16 : operand->count > 1 ? operand->count : 1);
    }
    for (unsigned i = 0; is_image && i < ISA_MAX_NSA; i++)
        add_rows(rows, inst->mem.nsa_addr[i], 1);
    const bool is_alu = info->format >= ISA_FORMAT_VOP1 && info->format <= ISA_FORMAT_VOP3P;
    return !(is_alu && info->reads & ISA_STATE_M0); /* registers relative to it */
}

/* Instructions that may be in such a program: all others have effects that exec does not stop, or wait. */
static bool may_run(const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    switch ((enum isa_format)info->format) {
    case ISA_FORMAT_SOP1:
    case ISA_FORMAT_SOP2:
    case ISA_FORMAT_SOPC:
    case ISA_FORMAT_SOPK:
    case ISA_FORMAT_VOP1:
    case ISA_FORMAT_VOP2:
    case ISA_FORMAT_VOPC:
    case ISA_FORMAT_VOP3:
    case ISA_FORMAT_VOP3P:
    case ISA_FORMAT_MUBUF:
    case ISA_FORMAT_MTBUF:
    case ISA_FORMAT_MIMG:
        return info->helper == ISA_HELPER_NONE || info->memory == ISA_MEMORY_LOAD || info->memory == ISA_MEMORY_STORE ||
               info->memory == ISA_MEMORY_ATOMIC;
    case ISA_FORMAT_SMEM:
        return info->helper == ISA_HELPER_SMEM_LOAD || info->helper == ISA_HELPER_SMEM_BUFFER_LOAD;
    case ISA_FORMAT_DS:
        return !inst->mem.gds && (info->helper == ISA_HELPER_DS_LOAD || info->helper == ISA_HELPER_DS_LOAD2 ||
                                  info->helper == ISA_HELPER_DS_STORE || info->helper == ISA_HELPER_DS_STORE2 ||
                                  info->helper == ISA_HELPER_DS_ATOMIC || info->helper == ISA_HELPER_DS_SWIZZLE ||
                                  info->helper == ISA_HELPER_DS_PERMUTE || info->helper == ISA_HELPER_DS_BPERMUTE);
    case ISA_FORMAT_FLAT:
        return info->helper == ISA_HELPER_GLOBAL_LOAD || info->helper == ISA_HELPER_GLOBAL_STORE ||
               info->helper == ISA_HELPER_GLOBAL_ATOMIC;
    default:
        return false;
    }
}

/* To the prelude, if it may go there. */
static bool take_prelude(struct walk *walk, const struct sq_step *step)
{
    const struct isa_op_info *info = isa_info(step->first->inst->op);
    struct sq_steps *steps = walk->steps;
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2);
    const uint32_t count = (uint32_t)(step->end - step->first);
    if (info->reads & ISA_STATE_EXEC || sq_registers_meet(&step->reads, &exec) ||
        sq_registers_meet(&step->writes, &exec) || sq_registers_meet(&step->reads, &walk->varying) ||
        sq_registers_meet(&step->writes, &walk->touched) || (info->format == ISA_FORMAT_SMEM && walk->has_stored) ||
        steps->prelude_count + count > SQ_WHOLE_PRELUDE)
        return false;
    for (const struct sq_uop *uop = step->first; uop < step->end; uop++) {
        if (!amd_sq_is_scalar(uop))
            return false;
    }
    for (const struct sq_uop *uop = step->first; uop < step->end; uop++)
        steps->prelude[steps->prelude_count++] = uop;
    sq_registers_unite(&steps->prelude_writes, &step->writes);
    return true;
}

static bool take_uops(struct walk *walk, const struct sq_uop *first, const struct sq_uop *end)
{
    const struct isa_inst *inst = first->inst;
    const struct isa_op_info *info = isa_info(inst->op);
    struct sq_step *step = add_step(walk, SQ_STEP_CODE);
    if (!step)
        return false;
    step->first = first;
    step->end = end;
    if (inst->op == ISA_OP_S_BARRIER) {
        step->kind = SQ_STEP_BARRIER;
        walk->has_stored = true;
        return walk->depth == 0;
    }
    if (!may_run(inst) || !find_rows(inst, &step->names) ||
        !amd_sq_registers_of(inst, walk->wave->lanes, &step->reads, &step->writes))
        return false;
    const bool has_effects =
        info->format == ISA_FORMAT_MIMG || info->memory == ISA_MEMORY_STORE || info->memory == ISA_MEMORY_ATOMIC;
    bool is_leaking = false, is_in_later = false; /* in a region that leaks, in one that was opened after region i */
    for (uint32_t i = walk->region_count; i-- > 0;) {
        if (walk->regions[i].is_open) {
            sq_registers_unite(&walk->regions[i].writes, &step->writes);
            walk->regions[i].length++;
            walk->regions[i].has_effects |= has_effects;
            is_leaking |= walk->steps->leaks >> i & 1;
            is_in_later = true;
        } else {
            walk->leaks |= sq_registers_meet(&walk->regions[i].writes, &step->reads) ? 1u << i : 0;
            if (!is_in_later) /* it is written again whenever this region's code has run */
                sq_registers_remove(&walk->regions[i].writes, &step->writes);
        }
    }
    if (!is_leaking && take_prelude(walk, step)) {
        sq_registers_remove(&walk->varying, &step->writes);
        walk->steps->count--;
        return true;
    }
    sq_registers_unite(&walk->varying, &step->writes);
    sq_registers_unite(&walk->touched, &step->reads);
    sq_registers_unite(&walk->touched, &step->writes);
    walk->has_stored |= has_effects;
    return true;
}

/* ---- the way through ---- */

static const struct sq_uop *enter_code(struct walk *walk, uint64_t va)
{
    struct sq_wave *wave = walk->wave;
    const struct sq_uop *found = amd_sq_code_enter(wave, va);
    wave->state = SQ_RUNNING; /* code that is not there may be code that is never reached */
    return found;
}

/* From a branch to where it goes on. NULL: not in such a program. */
static const struct sq_uop *follow_branch(struct walk *walk, const struct sq_uop *branch)
{
    const bool is_jump = amd_sq_control_flow(branch) == SQ_FLOW_ALWAYS;
    if (branch->inst && !arrive_at(walk, branch->next_va - branch->inst->size_dw * 4u, false))
        return NULL;
    if (branch->inst)
        walk->at_va = branch->next_va;
    if (is_jump)
        return arrive_at(walk, branch->target_va, branch->inst != NULL && branch->target_va != walk->at_va)
                   ? enter_code(walk, branch->target_va)
                   : NULL;
    if (branch->inst->op != ISA_OP_S_CBRANCH_EXECZ || !open_region(walk, branch))
        return NULL;
    return enter_code(walk, branch[1].target_va);
}

static bool walk_through(struct walk *walk, const struct sq_uop *uop)
{
    while (uop) {
        const enum sq_flow flow = amd_sq_control_flow(uop);
        if (amd_sq_jit_is_head(uop)) {
            uop++;
            continue;
        }
        if (flow == SQ_FLOW_ALWAYS || flow == SQ_FLOW_LANES) {
            uop = follow_branch(walk, uop);
            continue;
        }
        if (!uop->inst || (flow != SQ_FLOW_NONE && flow != SQ_FLOW_END))
            return false;
        const struct isa_inst *inst = uop->inst;
        const uint32_t count = walk->steps->count;
        if (!arrive_at(walk, uop->next_va - inst->size_dw * 4u, false))
            return false;
        for (uint32_t i = count; i < walk->steps->count; i++)
            walk->regions[walk->steps->steps[i].region].is_last = flow == SQ_FLOW_END;
        if (flow == SQ_FLOW_END)
            return inst->op == ISA_OP_S_ENDPGM && walk->depth == 0 && add_step(walk, SQ_STEP_END);
        const struct sq_uop *end = uop + 1;
        while (end->inst == inst)
            end++;
        if (!take_uops(walk, uop, end))
            return false;
        walk->at_va = uop->next_va;
        uop = end;
    }
    return false;
}

/* Registers that each step and its successors read. A wave may go from where a split region begins to where it ends. */
static void find_live(struct sq_steps *steps)
{
    struct sq_registers live = {{0}};
    struct sq_rows named = {{0}};
    for (uint32_t i = steps->count; i-- > 0;) {
        struct sq_step *step = &steps->steps[i];
        sq_registers_remove(&live, &step->writes);
        sq_registers_unite(&live, &step->reads);
        if (step->kind == SQ_STEP_OPEN && step->is_split)
            sq_registers_unite(&live, &steps->steps[step->close_step].live);
        for (unsigned n = 0; n < 4; n++)
            named.bits[n] |= step->names.bits[n];
        step->live = live;
        step->named = named;
    }
}

#define FLAT_LENGTH 24 /* instructions of a region that a wave may as well run without an active lane */

static sq_regions choose_split(const struct walk *walk)
{
    sq_regions split = walk->leaks;
    for (uint32_t i = 0; i < walk->region_count; i++) {
        const bool is_short = walk->regions[i].length <= FLAT_LENGTH && !walk->regions[i].has_effects;
        if (!is_short && !walk->regions[i].is_last)
            split |= 1u << i;
    }
    return split;
}

static bool walk_once(struct sq_steps *steps, struct sq_wave *wave, const struct sq_registers *varying,
                      struct walk *walk)
{
    *walk = (struct walk){.steps = steps, .wave = wave, .varying = *varying};
    const struct sq_uop *first = wave->next;
    steps->count = steps->prelude_count = 0;
    steps->prelude_writes = (struct sq_registers){{0}};
    while (first && amd_sq_jit_is_head(first))
        first++;
    if (!first || !first->inst)
        return false;
    walk->at_va = first->next_va - first->inst->size_dw * 4u;
    return walk_through(walk, first);
}

/* Split regions are known after the first time; leaking registers do not go to the prelude, which may make something
 * else leak. */
bool amd_sq_whole_find(struct sq_steps *steps, struct sq_wave *wave, const struct sq_registers *varying,
                       sq_regions split)
{
    struct walk walk;
    steps->split = steps->leaks = split;
    for (unsigned time = 0; time < 4; time++) {
        if (!walk_once(steps, wave, varying, &walk))
            return false;
        const sq_regions wanted = choose_split(&walk) | split;
        if (time && wanted == steps->split && !(walk.leaks & ~steps->leaks)) {
            find_live(steps);
            return true;
        }
        steps->split |= wanted;
        steps->leaks |= walk.leaks;
    }
    return false;
}
