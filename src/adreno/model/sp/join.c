/* See join.h. */
#include "adreno/model/sp/join.h"

#include <stddef.h>
#include <stdlib.h>

#include "adreno/isa/isa_tables.h"
#include "adreno/model/sp/jit.h"
#include "adreno/model/sp/jit_build.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/uops.h"
#include "model/pixel/pixel_program.h"

#define MOST_INSTRUCTIONS 2048

struct joining {
    struct sp_join *join;
    struct adreno_wave *wave;
    struct sp_jit_builder *b;
    struct jit_frame frame;
    jit_value is_killed; /* so far; JIT_NONE: nothing */
};

/* ---- segments ---- */

static bool end_segment(struct joining *j, const struct sp_uop *first, const struct sp_uop *end)
{
    struct sp_jit_builder *b = j->b;
    const bool has_inputs = b->inputs.constant_count || b->inputs.view_count;
    return !b->inputs.has_local &&
           pixel_variant_add(j->join->variant, adreno_sp_code_exec(j->wave->code), &b->exec.program, &j->frame,
                             has_inputs ? &b->inputs : NULL, sizeof(b->inputs), first, end);
}

/* Registers are stored, micro-operations run, and another segment begins. */
static bool take_uops(struct joining *j, const struct sp_uop *first, const struct sp_uop *end)
{
    if (j->is_killed != JIT_NONE)
        return false;
    j->b->next_pc = first->pc;
    adreno_sp_jit_end_rows(j->b);
    j->join->has_uops = true;
    if (!end_segment(j, first, end))
        return false;
    adreno_sp_jit_begin(j->b, j->wave);
    return true;
}

/* Programs that are too long for one piece are several: nothing runs between these. */
static bool cut(struct joining *j, const struct sp_uop *uop)
{
    if (j->b->exec.program.count <= JIT_MAX_INSTS - 512)
        return true;
    const bool has_uops = j->join->has_uops;
    if (!take_uops(j, uop, uop))
        return false;
    j->join->has_uops = has_uops;
    return true;
}

/* ---- instructions ---- */

static unsigned category_of(unsigned op)
{
    unsigned category = 0;
    while (category < 7 && op >= adreno_isa_categories[category + 1])
        category++;
    return category;
}

/* Instructions that only bring something to registers, looking at no more than their quad. */
static bool may_run(const struct adreno_isa_inst *inst)
{
    const unsigned category = category_of(inst->op);
    return (category >= 1 && category <= 5 && inst->op != ADRENO_ISA_OP_MOVS) || inst->op == ADRENO_ISA_OP_LDC ||
           inst->op == ADRENO_ISA_OP_LDG;
}

static bool take_varying(struct joining *j, const struct sp_uop *uop)
{
    const bool is_flat = uop->run == adreno_sp_uop_flat;
    struct lane_program *program = &j->b->exec.program;
    jit_value value;
    if (!(uop->s[0] & SP_BASE_CONSTANTS))
        return false;
    const uint32_t location = *(const uint32_t *)sp_at(j->wave, uop->s[0]) + uop->imm;
    const jit_value at_i = is_flat ? JIT_NONE : adreno_sp_jit_read_row(j->b, uop->s[1]),
                    at_j = is_flat ? JIT_NONE : adreno_sp_jit_read_row(j->b, uop->s[2]);
    if (program->failed || !j->join->hooks->varying(j->join->user, program, location, at_i, at_j, &value))
        return false;
    adreno_sp_jit_write_row(j->b, uop->d, value);
    return !program->failed;
}

/* Killed fragments go on as helpers of their quads. */
static bool take_kill(struct joining *j, const struct sp_uop *uop)
{
    struct lane_program *program = &j->b->exec.program;
    const uint32_t row = ADRENO_ISA_REG_P0 + (uop->imm & 3);
    const jit_value is_zero = lane_program_eq(program, adreno_sp_join_row(j->b, row), lane_program_const(program, 0));
    const jit_value killed = uop->imm & 4 ? is_zero : lane_program_not(program, is_zero);
    j->is_killed = j->is_killed == JIT_NONE ? killed : lane_program_or(program, j->is_killed, killed);
    return !program->failed;
}

/* All micro-operations of one instruction, varyings among them. */
static bool take(struct joining *j, const struct sp_uop *first, const struct sp_uop *end)
{
    struct lane_program *program = &j->b->exec.program;
    const bool is_input = first->inst->op == ADRENO_ISA_OP_BARY_F || first->inst->op == ADRENO_ISA_OP_FLAT_B;
    if (!is_input) {
        if (adreno_sp_family.lower(&j->b->exec, first, end) == end)
            return true;
        return may_run(first->inst) && take_uops(j, first, end);
    }
    for (; first < end; first++) {
        const bool is_varying = first->run == adreno_sp_uop_bary || first->run == adreno_sp_uop_flat;
        if (!(is_varying ? take_varying(j, first) : adreno_sp_jit_lower_uop(j->b, first)))
            return false;
    }
    return !program->failed;
}

static bool take_end(struct joining *j)
{
    struct lane_program *program = &j->b->exec.program;
    pixel_join_drop_stores(program);
    return j->join->hooks->finish(j->join->user, program, j->b, j->is_killed) && end_segment(j, NULL, NULL);
}

static bool follow(struct joining *j, const struct sp_uop *uop)
{
    for (unsigned n = 0; n < MOST_INSTRUCTIONS; n++) {
        while (uop && (adreno_sp_jit_is_head(uop) || adreno_sp_is_join(uop)))
            uop++;
        if (!uop || !uop->inst || !cut(j, uop))
            return false;
        const struct sp_uop *end = uop;
        const bool is_preamble = uop->inst->op == ADRENO_ISA_OP_SHPS;
        if (is_preamble || adreno_sp_flow(uop) == SP_FLOW_ALWAYS) { /* once it has run, it is left out */
            j->join->has_preamble |= is_preamble;
            uop = uop->target_pc > uop->pc || (uop->target_pc == uop->pc && !is_preamble)
                      ? adreno_sp_code_enter(j->wave, uop->target_pc)
                      : NULL;
            continue;
        }
        if (uop->inst->op == ADRENO_ISA_OP_END)
            return take_end(j);
        while (end->inst == uop->inst && end->pc == uop->pc && adreno_sp_flow(end) == SP_FLOW_NONE)
            end++;
        if (!(uop->inst->op == ADRENO_ISA_OP_KILL ? take_kill(j, uop) : take(j, uop, end)))
            return false;
        uop = end;
    }
    return false;
}

jit_value adreno_sp_join_row(struct sp_jit_builder *builder, unsigned row)
{
    return adreno_sp_jit_read_row(builder, (sp_place)offsetof(struct adreno_wave, rows) +
                                               row % ADRENO_WAVE_ROWS * builder->wave->lanes * 4);
}

bool adreno_sp_join(struct sp_join *join)
{
    struct adreno_wave *wave = join->wave;
    struct joining j = {
        .join = join,
        .wave = wave,
        .b = adreno_sp_code_jit(wave->code),
        .frame = {wave->lanes, offsetof(struct adreno_wave, active_lanes), join->frame_B},
        .is_killed = JIT_NONE,
    };
    join->variant->count = 0;
    join->has_uops = join->has_preamble = false;
    j.b->exec.variant = EXEC_ALL_ACTIVE;
    adreno_sp_jit_begin(j.b, wave);
    const bool is_done = pixel_program_fits(&j.b->exec.program) && follow(&j, adreno_sp_code_enter(wave, 0)) &&
                         wave->state == ADRENO_WAVE_RUNNING;
    join->variant->state = is_done ? PIXEL_JOIN_READY : PIXEL_JOIN_NEVER;
    return is_done;
}

/* ---- running ---- */

struct exec_code *adreno_sp_join_code(const struct adreno_sp *sp)
{
    struct exec_code *code = adreno_sp_code_exec(sp->code);
    return code->jit && !sp->coherence ? code : NULL;
}

struct adreno_wave *adreno_sp_join_wave(struct adreno_sp *sp, const struct adreno_launch *launch, uint32_t size_B)
{
    if (!adreno_sp_enter(sp, launch))
        return NULL;
    if (!sp->joined) {
        const size_t all_B = (ADRENO_JOIN_AFTER_B + size_B + 63) & ~(size_t)63;
        sp->joined = aligned_alloc(64, all_B);
        if (sp->joined)
            memset(sp->joined, 0, all_B);
    }
    if (!sp->joined || !adreno_sp_wave_begin(sp, sp->joined, launch))
        return NULL;
    sp->joined->lanes = ADRENO_JOIN_LANES;
    sp->joined->launched = sp->joined->covered = adreno_wave_all(sp->joined);
    adreno_wave_run_lanes(sp->joined, sp->joined->launched);
    return sp->joined;
}

enum adreno_join_result adreno_sp_join_run(struct adreno_wave *wave, const struct pixel_variant *variant, bool has_uops,
                                           uint32_t lanes)
{
    const struct lane_mask first = lane_mask_first(lanes);
    if (has_uops && !lane_mask_equal(wave->active, first)) {
        wave->launched = first;
        adreno_wave_run_lanes(wave, first);
    }
    for (uint32_t i = 0; i < variant->count; i++) {
        const struct pixel_segment *segment = &variant->segments[i];
        if (segment->inputs && !adreno_sp_jit_bring(wave, segment->inputs))
            return wave->state == ADRENO_WAVE_FAULTED ? ADRENO_JOIN_FAULTED : ADRENO_JOIN_REFUSED;
        segment->code(wave);
        for (const struct sp_uop *uop = segment->first; uop != segment->end; uop++) {
            uop->run(wave, uop);
            if (__builtin_expect(wave->state == ADRENO_WAVE_FAULTED, 0))
                return ADRENO_JOIN_FAULTED;
        }
    }
    return ADRENO_JOIN_DONE;
}
