/* See spi_ps_join.h: how a program becomes one. */
#include "amd/model/spi/spi_ps_joining.h"

#include <stdlib.h>
#include <string.h>

#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_control.h"
#include "amd/model/sq/sq_hook.h"
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_loop.h"
#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_registers.h"
#include "amd/model/sq/sq_uops.h"
#include "model/pixel/pixel_program.h"
#include "util/bits.h"

#define LONG_B 256 /* of code that is worth skipping */

/* ---- segments ---- */

static void begin_segment(struct joining *j)
{
    amd_sq_jit_begin(j->builder);
    amd_spi_join_masks_begin(j);
    j->begun = j->builder->exec.program.count;
}

/* Make code of the program as it is. */
bool amd_spi_join_end_segment(struct joining *j, const struct sq_uop *first, const struct sq_uop *end)
{
    struct sq_jit_builder *b = j->builder;
    const struct sq_jit_inputs *inputs = &b->places.inputs;
    const bool has_inputs = inputs->view_count || inputs->attribute_count;
    const uint32_t number = j->variant->count;
    if (!pixel_variant_add(j->variant, amd_sq_code_exec(j->wave->code), &b->exec.program, &j->frame,
                           has_inputs ? inputs : NULL, sizeof(*inputs), first, end))
        return false;
    j->steps[number] = (struct spi_ps_step){.has_exec = j->mask_kind[SQ_EXEC] == JOIN_MASK_BITS};
    return true;
}

/* Registers that no instruction from `va` on names are not stored. */
static void forget_rows(struct joining *j, uint64_t va)
{
    struct exec_rows *rows = &j->builder->places.rows;
    const struct sq_live live = amd_sq_loop_live(j->wave, &va, 1);
    j->wave->state = SQ_RUNNING; /* code that is not there may be code that is never reached */
    for (unsigned v = 0; v < 256; v++) {
        if (!(live.rows[v / 64] >> v % 64 & 1))
            exec_rows_forget(rows, (uint32_t)(offsetof(struct sq_wave, vgpr) + v * j->wave->lanes * 4));
    }
}

/* The segment ends before the instruction at `va`; the next one begins with it, or after these micro-operations. */
static bool cut_segment(struct joining *j, uint64_t va, const struct sq_uop *first, const struct sq_uop *end, bool all)
{
    if (j->is_exported_here)
        return false;
    forget_rows(j, va);
    exec_rows_end(&j->builder->places.rows, &j->builder->exec.program);
    amd_spi_join_masks_end(j, all);
    return amd_spi_join_end_segment(j, first, end);
}

/* ---- instructions ---- */

static uint64_t va_of(const struct sq_uop *uop)
{
    return uop->next_va - uop->inst->size_dw * 4u;
}

/* Micro-operations between segments look at masks in their registers, and change them there. */
static void give_masks(struct joining *j, const struct isa_inst *inst)
{
    struct sq_registers reads, writes;
    struct sq_jit_builder *b = j->builder;
    if (!amd_sq_registers_of(inst, j->wave->lanes, &reads, &writes))
        return;
    for (unsigned r = 0; r < SQ_EXEC; r++) {
        if (reads.bits[r / 64] >> r % 64 & 1 && amd_spi_join_has_mask(j, r))
            lane_program_emit(&b->exec.program, JIT_STORE_BITS, b->places.masks[r], JIT_NONE, JIT_NONE,
                              amd_sq_jit_register(r));
    }
}

static void take_masks(struct joining *j, const struct isa_inst *inst)
{
    struct sq_registers reads, writes;
    if (!amd_sq_registers_of(inst, j->wave->lanes, &reads, &writes))
        return;
    if (j->masks.open && j->is_narrow)
        sq_registers_unite(&j->narrow, &writes);
    amd_spi_join_find_masks(j, &writes);
    amd_spi_join_write_in_regions(j, &writes);
}

/* By the instruction's own micro-operations, between two pieces of code, or after those of the one before. */
static bool take_between(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    if (amd_spi_join_names_exec(j, uop->inst) || !amd_spi_join_take_registers(j, uop->inst))
        return false;
    /* Scalar instructions ask for no active lane, but in code that a wave without one would have skipped. */
    const bool is_guarded = j->masks.open || (!amd_spi_join_is_scalar(uop) && !amd_spi_join_exec_is_full(j));
    const uint32_t last = j->variant->count - 1;
    j->overwrites |= sq_registers_meet(&j->kept, &j->written);
    if (j->variant->count && j->variant->segments[last].end == uop && j->builder->exec.program.count == j->begun &&
        j->steps[last].is_guarded == is_guarded && !j->steps[last].skips_to && !j->is_joint) {
        j->variant->segments[last].end = end;
    } else {
        give_masks(j, uop->inst);
        if (!cut_segment(j, va_of(uop), uop, end, false))
            return false;
        j->steps[j->variant->count - 1].is_guarded = is_guarded;
    }
    take_masks(j, uop->inst);
    begin_segment(j);
    j->is_joint = false;
    return true;
}

/* Before the vector part, or else within it. */
static bool take_scalar(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    struct sq_registers reads, writes;
    const bool is_move = uop->inst->op == (j->wave->lanes == 64 ? ISA_OP_S_MOV_B64 : ISA_OP_S_MOV_B32) &&
                         amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes) &&
                         amd_spi_join_is_uniform(j, reads);
    for (const struct sq_uop *at = uop; at < end; at++) {
        if (!amd_spi_join_is_scalar(at))
            return false;
    }
    if (!amd_spi_join_hoist(j, uop, end)) {
        const struct sq_uop *aside = amd_spi_join_aside(j, uop, end);
        if (aside)
            return take_between(j, aside, aside + 1);
        j->looks_at_lanes = true;
        return take_between(j, uop, end);
    }
    if (is_move) /* a mask that is the same in all lanes stays one */
        sq_registers_unite(&j->uniform, &writes);
    return true;
}

/* Into the segment at hand. False: it does not fit there, or not at all. */
static bool lower_uop(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    struct sq_jit_builder *b = j->builder;
    const jit_value exec = amd_spi_join_exec(j);
    b->places.active = amd_spi_join_exec_is_full(j) ? JIT_NONE : exec;
    amd_sq_whole_masks_before(&j->masks, b);
    for (; uop < end && !b->exec.program.failed; uop++) {
        b->uop = uop;
        amd_sq_jit_lower_uop(b);
    }
    b->places.active = JIT_NONE;
    if (b->exec.program.failed)
        return false;
    amd_sq_whole_masks_after(&j->masks, b, exec);
    return true;
}

static bool take_vector(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    struct lane_program *program = &j->builder->exec.program;
    const struct sq_jit_places before = j->builder->places;
    const uint32_t count = program->count;
    struct sq_registers reads, writes;
    if (amd_spi_join_names_exec(j, uop->inst) || !amd_spi_join_take_registers(j, uop->inst) ||
        !amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes))
        return false;
    amd_spi_join_write_in_regions(j, &writes); /* masks: waves that skip the code keep what they had */
    if (program->count >= JIT_MAX_INSTS - 512 || !lower_uop(j, uop, end)) { /* it may be for a segment of its own */
        j->builder->places = before;
        memset(j->masks.of_value + count, 0, (program->count - count) * sizeof(j->masks.of_value[0]));
        program->count = count;
        program->failed = false;
        if (count == j->begun || !cut_segment(j, va_of(uop), NULL, NULL, false))
            return false;
        begin_segment(j);
        if (!lower_uop(j, uop, end))
            return false;
    }
    return program->count < JIT_MAX_INSTS - 256 && !amd_sq_whole_masks_left(&j->masks, j->builder);
}

static bool is_image(const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    return info->format == ISA_FORMAT_MIMG && info->memory == ISA_MEMORY_LOAD && !inst->mem.tfe && !inst->mem.lwe;
}

/* Instructions that run as micro-operations where they have no lowering. Their effects may be seen from outside, or
 * depend on other lanes, so that exec must be exact. */
static bool is_for_lanes(const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    switch ((enum isa_format)info->format) {
    case ISA_FORMAT_VOP1:
    case ISA_FORMAT_VOP2:
    case ISA_FORMAT_VOPC:
    case ISA_FORMAT_VOP3:
    case ISA_FORMAT_VOP3P:
        return !(info->writes & ISA_STATE_EXEC);
    case ISA_FORMAT_MUBUF:
    case ISA_FORMAT_MTBUF:
    case ISA_FORMAT_MIMG:
        return info->memory == ISA_MEMORY_LOAD || info->memory == ISA_MEMORY_STORE || info->memory == ISA_MEMORY_ATOMIC;
    case ISA_FORMAT_FLAT:
        return info->helper == ISA_HELPER_GLOBAL_LOAD || info->helper == ISA_HELPER_GLOBAL_STORE ||
               info->helper == ISA_HELPER_GLOBAL_ATOMIC;
    case ISA_FORMAT_DS:
        return info->helper == ISA_HELPER_DS_SWIZZLE || info->helper == ISA_HELPER_DS_PERMUTE ||
               info->helper == ISA_HELPER_DS_BPERMUTE;
    default:
        return false;
    }
}

static bool is_known(const struct sq_uop *uop, const struct sq_uop *end)
{
    while (uop < end && amd_sq_jit_knows(uop))
        uop++;
    return uop == end;
}

/* Memory that the host code of a program that may not run twice reads: what a wave finds there must be known before its
 * first piece. */
static bool is_host_load(const struct joining *j, const struct sq_uop *uop)
{
    struct sq_registers reads, writes;
    return isa_info(uop->inst->op)->memory != ISA_MEMORY_LOAD ||
           (amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes) &&
            !sq_registers_meet(&reads, &j->written) && amd_sq_jit_is_host_buffer(j->wave, uop));
}

static bool take_lanes(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    if (!is_for_lanes(uop->inst))
        return false;
    j->wants_launched = true;
    if (!j->is_of_launched) /* once more, with exec as it is */
        return false;
    j->looks_at_lanes = true;
    j->has_stored |=
        isa_info(uop->inst->op)->memory == ISA_MEMORY_STORE || isa_info(uop->inst->op)->memory == ISA_MEMORY_ATOMIC;
    memset(&j->uniform_rows, 0, sizeof(j->uniform_rows));
    return take_between(j, uop, end);
}

/* ---- ways ---- */

/* Code that has not run may be code that is never reached, and need not be there. */
static const struct sq_uop *enter_code(struct joining *j, uint64_t va)
{
    const struct sq_uop *uops = amd_sq_code_enter(j->wave, va);
    j->wave->state = SQ_RUNNING;
    return uops;
}

/* A branch that skips code when no lane is active. NULL: not in such a program. */
static const struct sq_uop *open_region(struct joining *j, const struct sq_uop *uop)
{
    if (uop->inst->op != ISA_OP_S_CBRANCH_EXECZ || uop->target_va < uop->next_va ||
        j->region_count == SQ_WHOLE_REGIONS || j->is_exported_here)
        return NULL;
    const uint32_t number = j->region_count++;
    struct join_region *region = &j->regions[number];
    *region = (struct join_region){.end_va = uop->target_va,
                                   .is_open = true,
                                   .is_split = uop->target_va - uop->next_va > LONG_B && !j->masks.open};
    const struct sq_uop *next = enter_code(j, uop[1].target_va);
    if (!region->is_split) {
        amd_sq_whole_masks_open(&j->masks, j->builder, number);
        j->is_narrow = false;
        return next;
    }
    if (!cut_segment(j, va_of(uop), NULL, NULL, true))
        return NULL;
    region->segment = j->variant->count - 1;
    memcpy(region->before, j->mask_kind, sizeof(region->before));
    amd_sq_whole_masks_split(&j->masks, number);
    begin_segment(j);
    j->is_joint = true;
    return next;
}

/* Two ways meet: masks are known where both have left them in the same place. */
static bool close_split(struct joining *j, uint32_t number, uint64_t va)
{
    struct join_region *region = &j->regions[number];
    if (!cut_segment(j, va, NULL, NULL, true))
        return false;
    for (unsigned r = 0; r < SQ_REGISTERS; r++) {
        if (j->mask_kind[r] != region->before[r])
            j->mask_kind[r] = JOIN_MASK_LOST;
    }
    if (j->mask_kind[SQ_EXEC] != JOIN_MASK_BITS)
        return false;
    amd_sq_whole_masks_unite(&j->masks, number);
    j->steps[region->segment].skips_to = (uint8_t)j->variant->count;
    begin_segment(j);
    j->is_joint = true;
    return true;
}

/* The program goes on at `va`: regions end there. False: not in such a program. */
static bool arrive_at(struct joining *j, uint64_t va, bool by_jump)
{
    for (uint32_t i = j->region_count; i-- > 0;) {
        struct join_region *region = &j->regions[i];
        if (!region->is_open || region->end_va > va)
            continue;
        if (by_jump && region->end_va != va) /* a way in that this one goes past */
            return false;
        region->is_open = false;
        sq_registers_unite(&j->leaked, &region->writes);
        j->is_narrow = true;
        if (!region->is_split)
            amd_sq_whole_masks_close(&j->masks, i);
        else if (!close_split(j, i, va))
            return false;
    }
    return true;
}

/* Where the program goes on after a branch by a scalar that is known before the vector part: for other values there is
 * another joined program. Only forward. NULL: not to be known. */
static const struct sq_uop *take_branch(struct joining *j, const struct sq_uop *uop, enum sq_flow flow)
{
    const struct sq_registers scc = sq_registers_only(SQ_REGISTER_SCC, 1);
    if (flow == SQ_FLOW_SCC0 || flow == SQ_FLOW_SCC1) {
        if (j->is_scc_lost || sq_registers_meet(&j->of_exec, &scc) || j->guard_count == SPI_PS_GUARDS)
            return NULL;
        j->joined->guards[j->guard_count++] =
            (struct spi_ps_guard){.scalars = (uint8_t)j->scalar_count, .scc = j->wave->scc != 0};
        if ((j->wave->scc != 0) != (flow == SQ_FLOW_SCC1))
            uop++; /* the jump to the code after it */
    } else if (flow == SQ_FLOW_LANES) {
        return open_region(j, uop);
    } else if (flow != SQ_FLOW_ALWAYS) {
        return NULL;
    }
    return uop->target_va >= uop->next_va ? enter_code(j, uop->target_va) : NULL;
}

static bool take_uops(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    if (amd_spi_join_is_scalar(uop)) {
        if (amd_spi_join_is_m0_again(j, uop->inst) || amd_spi_join_any_of_uniform(j, uop, end))
            return true;
        if (amd_spi_join_is_mask_op(j, uop))
            return amd_spi_join_mask_op(j, uop, end);
        if (!take_scalar(j, uop, end))
            return false;
        amd_spi_join_find_m0(j, uop->inst);
        return true;
    }
    if (isa_info(uop->inst->op)->format == ISA_FORMAT_EXP)
        return amd_spi_join_export(j, uop);
    if (is_image(uop->inst)) {
        memset(&j->uniform_rows, 0, sizeof(j->uniform_rows)); /* how many it writes is not looked at */
        return take_between(j, uop, end);
    }
    if (amd_spi_join_uniform_compare(j, uop, end))
        return true;
    if (!is_known(uop, end) || (j->is_of_launched && !is_host_load(j, uop)))
        return take_lanes(j, uop, end);
    amd_spi_join_look_at_rows(j, uop, end);
    return take_vector(j, uop, end);
}

static bool join_uop(struct joining *j, const struct sq_uop *uop)
{
    begin_segment(j);
    if (!pixel_program_fits(&j->builder->exec.program))
        return false;
    bool is_jumped = false;
    for (const struct sq_uop *end;; uop = end) {
        end = uop + 1;
        if (amd_sq_jit_is_head(uop))
            continue;
        const struct isa_inst *inst = uop->inst;
        const enum sq_flow flow = amd_sq_control_flow(uop);
        if (inst && !arrive_at(j, va_of(uop), is_jumped))
            return false;
        is_jumped = inst ? flow == SQ_FLOW_ALWAYS || flow == SQ_FLOW_SCC0 || flow == SQ_FLOW_SCC1 : is_jumped;
        if (flow != SQ_FLOW_NONE && flow != SQ_FLOW_END) {
            end = take_branch(j, uop, flow);
            if (!end)
                return false;
            continue;
        }
        if (!inst)
            return false;
        if (inst->op == ISA_OP_S_ENDPGM)
            return amd_spi_join_end(j);
        while (end->inst == inst)
            end++;
        if (!take_uops(j, uop, end))
            return false;
    }
}

static void begin_join(struct joining *j, struct spi_ps_joined *joined, bool is_one, const struct cb_state *cb,
                       struct sq_wave *wave, bool is_of_launched)
{
    memset(j, 0, sizeof(*j));
    j->joined = joined;
    j->variant = &joined->base.variants[is_one];
    j->variant->count = 0;
    j->steps = joined->steps[is_one];
    j->cb = cb;
    j->wave = wave;
    j->builder = amd_sq_code_jit(wave->code);
    j->frame =
        (struct jit_frame){wave->lanes, offsetof(struct sq_wave, exec_lanes),
                           (uint32_t)(sizeof(*wave) + SPI_PS_VGPR_ROWS * LANES_MAX * 4 + sizeof(struct spi_ps_output))};
    j->valid = j->z[0] = j->z[1] = j->z[2] = j->z[3] = JIT_NONE;
    j->is_of_launched = is_of_launched;
    amd_spi_join_masks_init(j);
    if (is_of_launched)
        j->mask_kind[SQ_EXEC] = JOIN_MASK_BITS;
}

/* Findings about a program while it is joined. */
static void keep_findings(const struct joining *j, bool is_one)
{
    struct spi_ps_joined *joined = j->joined;
    amd_sq_code_exec(j->wave->code)->counts.wholes++;
    joined->guard_count = j->guard_count;
    joined->scalar_count = j->scalar_count;
    joined->exports = j->exports;
    joined->as_rows = j->as_rows;
    joined->has_z = j->has_z;
    joined->is_of_launched[is_one] = j->is_of_launched;
    joined->kills |= j->kills;
    joined->changes_exec |= j->kills;
    for (uint32_t i = 0; i < j->variant->count; i++)
        joined->changes_exec |= j->steps[i].has_exec;
    joined->overwrites |= j->overwrites;
    joined->looks_at_lanes |= j->looks_at_lanes;
}

/* Whether the other variant, which `before` has, has the same scalar part: there is one for both. */
static bool agrees_with_variant(const struct joining *j, const struct spi_ps_joined *before, bool is_one)
{
    if (before->base.variants[!is_one].state != PIXEL_JOIN_READY)
        return true;
    bool is_same = before->scalar_count == j->scalar_count && before->guard_count == j->guard_count &&
                   before->is_of_launched[!is_one] == j->is_of_launched;
    for (uint32_t i = 0; i < j->scalar_count && is_same; i++)
        is_same = before->scalars[i]->inst == j->joined->scalars[i]->inst &&
                  before->scalars[i]->run == j->joined->scalars[i]->run;
    return is_same;
}

/* A wave's scalars, as it begins. */
struct beginning {
    uint32_t sgpr[SQ_REGISTERS], scc;
};

static bool join_either(struct joining *j, struct spi_ps_joined *joined, bool is_one, const struct cb_state *cb,
                        struct sq_wave *wave)
{
    struct beginning at;
    memcpy(at.sgpr, wave->sgpr, sizeof(at.sgpr));
    at.scc = wave->scc;
    begin_join(j, joined, is_one, cb, wave, false);
    if (join_uop(j, wave->next))
        return true;
    if (!j->wants_launched)
        return false;
    memcpy(wave->sgpr, at.sgpr, sizeof(at.sgpr)); /* scalars have run */
    wave->scc = at.scc;
    wave->state = SQ_RUNNING;
    begin_join(j, joined, is_one, cb, wave, true);
    return join_uop(j, wave->next);
}

void amd_spi_ps_join(struct spi_ps_joined *joined, bool is_one, const struct cb_state *cb, struct sq_wave *wave)
{
    struct sq_jit_builder *builder = amd_sq_code_jit(wave->code);
    struct pixel_variant *variant = &joined->base.variants[is_one];
    struct joining *j = malloc(sizeof(*j));
    struct spi_ps_joined *before = malloc(sizeof(*before));
    variant->state = PIXEL_JOIN_NEVER;
    if (!j || !before) {
        free(j);
        free(before);
        return;
    }
    memcpy(before, joined, sizeof(*before));
    builder->exec.wave = wave;
    builder->exec.variant = EXEC_ALL_ACTIVE | (is_one ? EXEC_ONE_INPUT : 0);
    const uint64_t host = lane_env_get();
    sq_mode_enter(wave);
    const bool done = join_either(j, joined, is_one, cb, wave) && agrees_with_variant(j, before, is_one);
    lane_env_set(host);
    if (done) {
        variant->state = PIXEL_JOIN_READY;
        keep_findings(j, is_one);
    } else {
        memcpy(joined->scalars, before->scalars, sizeof(joined->scalars));
        memcpy(joined->guards, before->guards, sizeof(joined->guards));
    }
    free(before);
    free(j);
}
