/* See spi_ps_join.h: how a program becomes one. */
#include "amd/model/spi/spi_ps_join.h"

#include <string.h>

#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_control.h"
#include "amd/model/sq/sq_hook.h"
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_registers.h"
#include "amd/model/sq/sq_uops.h"
#include "model/pixel/pixel_program.h"

/* ---- a program while it is looked at ---- */

struct joining {
    struct spi_ps_joined *joined;
    struct pixel_variant *variant;
    const struct cb_state *cb;
    struct sq_wave *wave;
    struct sq_jit_builder *builder;
    struct jit_frame frame;
    /* Of the vector part so far; what it reads before it writes it, which waves have from before; and what depends on
     * exec, which is not the same for all waves. */
    struct sq_registers read, written, kept, of_exec;
    struct sq_registers uniform; /* lane masks that are the same in all lanes */
    bool must_wait;              /* for a part of the program that has not run yet */
    bool overwrites;             /* what waves have from before */
    bool is_scc_lost;            /* an instruction of the vector part has written it */
    uint32_t scalar_count, guard_count;
    uint32_t exports; /* so far */
    uint32_t as_rows; /* of those, the ones that leave as rows */
    jit_value rows[CB_TARGETS][4];
    bool is_exported_here; /* in the segment at hand, which then is the last */
};

static void begin_segment(struct joining *j)
{
    amd_sq_jit_begin(j->builder);
}

/* Make code of the program as it is. */
static bool end_segment(struct joining *j, const struct sq_uop *first, const struct sq_uop *end)
{
    struct sq_jit_builder *b = j->builder;
    const struct sq_jit_inputs *inputs = &b->places.inputs;
    const bool has_inputs = inputs->view_count || inputs->attribute_count;
    return b->places.mask_count <= JIT_MAX_MASKS &&
           pixel_variant_add(j->variant, amd_sq_code_exec(j->wave->code), &b->exec.program, &j->frame,
                             has_inputs ? inputs : NULL, sizeof(*inputs), first, end);
}

/* ---- instructions ---- */

static bool is_scalar(const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    if (uop->run == amd_sq_smem_load || uop->run == amd_sq_smem_buffer_load || uop->run == amd_sq_uop_exec_changed)
        return true;
    return info->helper == ISA_HELPER_NONE && uop->run == amd_sq_alu_kernels[uop->inst->op] &&
           (info->format == ISA_FORMAT_SOP1 || info->format == ISA_FORMAT_SOP2 || info->format == ISA_FORMAT_SOPC ||
            info->format == ISA_FORMAT_SOPK);
}

/* A comparison of scalars, which have no comparison of floats of their own. */
static bool is_uniform_compare(const struct sq_uop *uop, const struct sq_uop *end)
{
    const struct isa_inst *inst = uop->inst;
    const struct isa_op_info *info = isa_info(inst->op);
    if (info->format != ISA_FORMAT_VOPC || info->writes & ISA_STATE_EXEC)
        return false;
    for (unsigned i = 0; i < info->operand_count; i++) {
        if (inst->operands[i].kind == ISA_OPERAND_VGPR)
            return false;
    }
    for (; uop < end; uop++) {
        if (!amd_sq_jit_knows(uop))
            return false;
    }
    return true;
}

/* In the vector part. False: not so. */
static bool take_registers(struct joining *j, const struct isa_inst *inst)
{
    struct sq_registers reads, writes, not_read = sq_registers_only(SQ_EXEC, 2), kept;
    sq_registers_add(&not_read, SQ_REGISTER_SCC, 1);
    sq_registers_unite(&not_read, &j->of_exec);
    if (!amd_sq_registers_of(inst, j->wave->lanes, &reads, &writes))
        return false;
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2), scc = sq_registers_only(SQ_REGISTER_SCC, 1);
    j->is_scc_lost |= sq_registers_meet(&writes, &scc);
    sq_registers_remove(&writes, &scc);
    kept = reads;
    sq_registers_remove(&kept, &j->written);
    sq_registers_unite(&j->kept, &kept);
    sq_registers_unite(&j->read, &reads);
    sq_registers_unite(&j->written, &writes);
    sq_registers_remove(&j->of_exec, &writes);
    sq_registers_remove(&j->uniform, &writes);
    return !sq_registers_meet(&reads, &not_read) && !sq_registers_meet(&writes, &exec);
}

/* By the instruction's own micro-operations, between two pieces of code, or after those of the one before. */
static bool take_between(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    if (j->is_exported_here || !take_registers(j, uop->inst))
        return false;
    j->overwrites |= sq_registers_meet(&j->kept, &j->written);
    struct pixel_segment *last = j->variant->count ? &j->variant->segments[j->variant->count - 1] : NULL;
    if (last && last->end == uop && !j->builder->exec.program.count) {
        last->end = end;
        return true;
    }
    exec_rows_end(&j->builder->places.rows, &j->builder->exec.program);
    amd_sq_jit_drop_old_masks(j->builder);
    if (!end_segment(j, uop, end))
        return false;
    begin_segment(j);
    return true;
}

/* Whether the instruction says by scc if a mask that is the same in all lanes has some of exec's. */
static bool is_any_of_uniform(const struct joining *j, const struct isa_inst *inst)
{
    struct sq_registers sources[2] = {{{0}}, {{0}}}, exec = sq_registers_only(SQ_EXEC, 2), other;
    if (inst->op != ISA_OP_S_AND_B64 && inst->op != ISA_OP_S_AND_B32)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (!amd_sq_registers_add_operand(&sources[i], &inst->operands[1 + i], j->wave->lanes))
            return false;
    }
    other = sources[sq_registers_meet(&sources[0], &exec)];
    sq_registers_remove(&other, &j->uniform);
    return sq_registers_meet(&sources[0], &exec) != sq_registers_meet(&sources[1], &exec) && !other.bits[0] &&
           !other.bits[1] && !other.bits[2];
}

/* It runs before all of the vector part: nothing of that may come between what it reads or writes. exec may be kept and
 * come back. */
static bool hoist_scalar(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    const struct sq_registers scc = sq_registers_only(SQ_REGISTER_SCC, 1);
    struct sq_registers reads, writes, exec = sq_registers_only(SQ_EXEC, 2), on_exec = j->of_exec;
    if (!amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes) ||
        (j->is_scc_lost && sq_registers_meet(&reads, &scc)) || j->scalar_count + (end - uop) > SPI_PS_SCALARS)
        return false;
    if (isa_info(uop->inst->op)->reads & ISA_STATE_EXEC)
        sq_registers_unite(&reads, &exec);
    sq_registers_unite(&on_exec, &exec);
    if (sq_registers_meet(&reads, &j->written) || sq_registers_meet(&writes, &j->written) ||
        sq_registers_meet(&writes, &j->read))
        return false;
    const bool depends = sq_registers_meet(&reads, &on_exec), is_any = is_any_of_uniform(j, uop->inst);
    sq_registers_remove(&writes, &exec);
    if (depends)
        sq_registers_unite(&j->of_exec, &writes);
    else
        sq_registers_remove(&j->of_exec, &writes);
    if (is_any)
        sq_registers_remove(&j->of_exec, &scc);
    sq_registers_remove(&j->uniform, &writes);
    j->is_scc_lost &= !sq_registers_meet(&writes, &scc);
    for (; uop < end && j->wave->state == SQ_RUNNING; uop++) {
        uop->run(j->wave, uop); /* branches may ask for it */
        j->joined->scalars[j->scalar_count++] = uop;
    }
    return j->wave->state == SQ_RUNNING;
}

/* All lanes' mask, or none's, whichever lanes are active. */
static bool take_uniform_compare(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    struct sq_registers reads, writes;
    if (!amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes) || !hoist_scalar(j, uop, end))
        return false;
    sq_registers_unite(&j->uniform, &writes);
    return true;
}

/* Before the vector part, or else within it. */
static bool take_scalar(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    for (const struct sq_uop *at = uop; at < end; at++) {
        if (!is_scalar(at))
            return false;
    }
    return hoist_scalar(j, uop, end) || take_between(j, uop, end);
}

static bool take_vector(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    struct sq_jit_builder *b = j->builder;
    if (!take_registers(j, uop->inst))
        return false;
    for (; uop < end && !b->exec.program.failed; uop++) {
        b->uop = uop;
        amd_sq_jit_lower_uop(b);
    }
    return !b->exec.program.failed && !b->places.exec_is_written && b->exec.program.count < JIT_MAX_INSTS - 512;
}

static bool is_image(const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    return info->format == ISA_FORMAT_MIMG && info->memory == ISA_MEMORY_LOAD && !inst->mem.tfe && !inst->mem.lwe;
}

/* Rows of colours; what is not enabled is 0. */
static bool take_export(struct joining *j, const struct sq_uop *uop)
{
    const struct isa_export *exp = &uop->inst->exp;
    const sq_place places[4] = {uop->s[0], uop->s[1], uop->s[2], uop->sd};
    struct sq_jit_builder *b = j->builder;
    j->is_exported_here = true;
    if (exp->target == 9) /* nothing */
        return true;
    if (exp->target >= CB_TARGETS)
        return false;
    if (!(j->cb->exports >> exp->target & 1))
        return true;
    for (unsigned c = 0; c < 4; c++) {
        const bool is_there = exp->compr ? c < 2 && (exp->en >> c * 2 & 3) : exp->en >> c & 1;
        j->rows[exp->target][c] =
            is_there ? amd_sq_jit_read_row(b, places[c]) : lane_program_const(&b->exec.program, 0);
    }
    j->exports |= 1u << exp->target;
    return !b->exec.program.failed;
}

/* ---- the end ---- */

static uint32_t offset_of(const struct joining *j, const void *place)
{
    return (uint32_t)((const char *)place - (const char *)j->wave);
}

static void store_row(struct joining *j, jit_value value, const uint32_t *row)
{
    lane_program_emit(&j->builder->exec.program, JIT_STORE, value, JIT_NONE, JIT_NONE, offset_of(j, row));
}

static void store_export(struct joining *j, unsigned export)
{
    if (!(j->exports >> export & 1))
        return;
    for (unsigned c = 0; c < 4; c++)
        store_row(j, j->rows[export][c], spi_ps_output_of(j->wave)->exports.rows[export][c]);
    j->as_rows |= 1u << export;
}

static bool take_end(struct joining *j)
{
    struct lane_program *program = &j->builder->exec.program;
    struct spi_ps_output *output = spi_ps_output_of(j->wave);
    pixel_join_drop_stores(program);
    for (unsigned i = 0; i < j->joined->key.target_count; i++) {
        const unsigned t = j->joined->key.targets[i].target;
        const struct cb_target *target = &j->cb->targets[t];
        const jit_value *rows = j->rows[target->export];
        if (!(j->exports >> target->export & 1))
            continue;
        if (target->output == CB_OUTPUT_ROWS) {
            store_export(j, target->export);
            if (target->blending.is_dual)
                store_export(j, 1);
            continue;
        }
        jit_value stored = JIT_NONE;
        if (target->output == CB_OUTPUT_BLEND)
            stored = lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, offset_of(j, output->codes[t]));
        store_row(j, amd_cb_lower(program, target, rows, stored), output->codes[t]);
    }
    return end_segment(j, NULL, NULL);
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
    } else if (flow != SQ_FLOW_ALWAYS) {
        return NULL;
    }
    const bool is_forward = uop->target_va >= uop->next_va;
    j->must_wait = is_forward && !uop->target;
    return is_forward ? uop->target : NULL;
}

static bool join(struct joining *j, const struct sq_uop *uop)
{
    begin_segment(j);
    if (!pixel_program_fits(&j->builder->exec.program))
        return false;
    for (const struct sq_uop *end;; uop = end) {
        end = uop + 1;
        if (amd_sq_jit_is_head(uop))
            continue;
        const struct isa_inst *inst = uop->inst;
        const enum sq_flow flow = amd_sq_control_flow(uop);
        if (flow != SQ_FLOW_NONE && flow != SQ_FLOW_END) {
            end = take_branch(j, uop, flow);
            if (!end)
                return false;
            continue;
        }
        if (!inst)
            return false;
        if (inst->op == ISA_OP_S_ENDPGM)
            return take_end(j);
        while (end->inst == inst)
            end++;
        bool taken = is_scalar(uop)                                                      ? take_scalar(j, uop, end)
                     : isa_info(inst->op)->format == ISA_FORMAT_EXP                      ? take_export(j, uop)
                     : is_image(inst)                                                    ? take_between(j, uop, end)
                     : is_uniform_compare(uop, end) && take_uniform_compare(j, uop, end) ? true
                                                                                         : take_vector(j, uop, end);
        if (!taken)
            return false;
    }
}

void amd_spi_ps_join(struct spi_ps_joined *joined, bool is_one, const struct cb_state *cb, struct sq_wave *wave)
{
    struct sq_jit_builder *builder = amd_sq_code_jit(wave->code);
    struct joining j = {
        .joined = joined,
        .variant = &joined->base.variants[is_one],
        .cb = cb,
        .wave = wave,
        .builder = builder,
        .frame = {wave->lanes, offsetof(struct sq_wave, exec_lanes),
                  (uint32_t)(sizeof(*wave) + SPI_PS_VGPR_ROWS * LANES_MAX * 4 + sizeof(struct spi_ps_output))},
    };
    builder->exec.wave = wave;
    builder->exec.variant = EXEC_ALL_ACTIVE | (is_one ? EXEC_ONE_INPUT : 0);
    j.variant->count = 0;
    const uint64_t host = lane_env_get();
    sq_mode_enter(wave);
    const bool done = join(&j, wave->next);
    lane_env_set(host);
    j.variant->state = done ? PIXEL_JOIN_READY : j.must_wait ? PIXEL_JOIN_WAITS : PIXEL_JOIN_NEVER;
    j.variant->waited = 0;
    if (done) {
        joined->guard_count = j.guard_count;
        joined->scalar_count = j.scalar_count;
        joined->exports = j.exports;
        joined->as_rows = j.as_rows;
        joined->overwrites |= j.overwrites;
    }
}
