/* The code of whole programs is made, see sq_whole.h. */
#include "amd/model/sq/sq_whole.h"

#include <stdlib.h>
#include <string.h>

#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_uops.h"
#include "amd/model/sq/sq_whole_mask.h"
#include "model/stat.h"

struct making {
    struct sq_whole *whole;
    struct sq_wave *wave;
    struct sq_code *code;
    struct sq_jit_builder *builder;
    const struct sq_steps *steps;
    struct sq_part parts[SQ_WHOLE_PARTS];
    struct sq_range ranges[SQ_WHOLE_STEPS];
    uint32_t part_count, range_count;
    uint32_t code_begin;                   /* of the part at hand */
    struct sq_rows fresh;                  /* VGPRs that nothing has written */
    bool exec_is_full;                     /* before the part at hand */
    uint32_t split_part[SQ_WHOLE_REGIONS]; /* the one that ends where a split region begins */
    sq_regions wanted;                     /* regions that must be split, as it turns out */
    struct sq_whole_masks masks;
};

static uint32_t row_B(const struct making *m)
{
    return m->wave->lanes * 4;
}

static sq_place vgpr(const struct making *m, unsigned v)
{
    return (sq_place)(offsetof(struct sq_wave, vgpr) + v * row_B(m));
}

static uint32_t row_number(const struct making *m, unsigned v)
{
    const struct exec_rows *rows = &m->builder->places.rows;
    return (vgpr(m, v) - rows->first_B) / rows->row_B;
}

/* Without an active lane it does nothing but write zeros to lane masks. */
static bool is_vector(const struct isa_inst *inst)
{
    const unsigned format = isa_info(inst->op)->format;
    return format != ISA_FORMAT_SMEM && format != ISA_FORMAT_SOP1 && format != ISA_FORMAT_SOP2 &&
           format != ISA_FORMAT_SOPC && format != ISA_FORMAT_SOPK;
}

/* ---- a part ---- */

/* The row of a VGPR that the launch has left. */
static jit_value fresh_row(struct making *m, unsigned v)
{
    struct lane_program *p = &m->builder->exec.program;
    const struct sq_whole_key *key = &m->whole->key;
    const uint32_t place = (uint32_t)offsetof(struct sq_wave, attributes) + v * row_B(m);
    if (v >= key->given)
        return lane_program_const(p, 0);
    if (!((key->lines | key->ones) >> v & 1))
        return lane_program_emit(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, place);
    const jit_value first = lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, place);
    if (key->ones >> v & 1)
        return first;
    return lane_program_add(p, lane_program_emit(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0), first);
}

static void begin_part(struct making *m, uint32_t step)
{
    struct sq_jit_builder *b = m->builder;
    amd_sq_jit_begin(b);
    b->places.in_loop = b->places.rows.in_loop = true; /* results come at the end */
    b->has_writes = !m->whole->stores_alone;
    for (unsigned v = 0; v < 256; v++) {
        if (sq_rows_have(&m->fresh, v) && sq_rows_have(&m->steps->steps[step].named, v))
            b->places.rows.values[row_number(m, v)] = fresh_row(m, v);
    }
    if (m->exec_is_full)
        b->places.masks[SQ_EXEC] = lane_program_const(&b->exec.program, UINT32_MAX);
    m->code_begin = m->range_count;
    amd_sq_whole_masks_begin(&m->masks);
}

static bool is_full(struct making *m, jit_value exec)
{
    uint32_t bits;
    return lane_program_is_const(&m->builder->exec.program, exec, &bits) && bits;
}

static void add_names(struct sq_rows *rows, const struct sq_rows *more)
{
    for (unsigned n = 0; n < 4; n++)
        rows->bits[n] |= more->bits[n];
}

/* VGPRs that come to memory here, if nothing has written them: what the part's micro-operations name, and what is named
 * in a region that a wave may skip. */
static struct sq_rows needed_rows(const struct making *m, const struct sq_step *step, bool has_action)
{
    struct sq_rows rows = {{0}};
    if (has_action)
        rows = step->names;
    for (const struct sq_step *in = step; step->kind == SQ_STEP_OPEN && in < &m->steps->steps[step->close_step]; in++)
        add_names(&rows, &in->names);
    return rows;
}

/* VGPRs that are looked at from `step` on. */
static void store_rows(struct making *m, const struct sq_step *step, bool has_action)
{
    struct sq_jit_builder *b = m->builder;
    const struct sq_rows needed = needed_rows(m, step, has_action);
    for (unsigned v = 0; v < 256; v++) {
        const uint32_t row = row_number(m, v);
        if (b->places.rows.stores[row] == JIT_NONE && !(sq_rows_have(&needed, v) && sq_rows_have(&m->fresh, v)))
            continue;
        m->fresh.bits[v / 64] &= ~(1ull << v % 64);
        if (sq_rows_have(&step->named, v))
            lane_program_emit(&b->exec.program, JIT_STORE, b->places.rows.values[row], JIT_NONE, JIT_NONE, vgpr(m, v));
    }
}

static void store_scalars(struct making *m, const struct sq_step *step, struct sq_part *part)
{
    struct sq_jit_builder *b = m->builder;
    struct lane_program *p = &b->exec.program;
    const uint32_t at = offsetof(struct sq_wave, results);
    sq_place results[SQ_RESULTS];
    for (unsigned r = 0; r < SQ_REGISTER_SCC; r++) {
        const bool is_live = step->live.bits[r / 64] >> r % 64 & 1 ||
                             (b->lanes == 64 && step->live.bits[(r + 1) / 64] >> (r + 1) % 64 & 1);
        if (b->places.mask_stores[r] != JIT_NONE && r != SQ_EXEC && is_live)
            lane_program_emit(p, JIT_STORE_BITS, b->places.masks[r], JIT_NONE, JIT_NONE, amd_sq_jit_register(r));
        if (b->places.scalar_stores[r] == JIT_NONE || !(step->live.bits[r / 64] >> r % 64 & 1))
            continue;
        p->failed |= part->result_count == SQ_RESULTS - 1;
        if (p->failed)
            return;
        lane_program_emit(p, JIT_STORE_ONE, b->places.scalars[r], JIT_NONE, JIT_NONE, at + part->result_count * 4);
        results[part->result_count++] = amd_sq_jit_register(r);
    }
    if (b->places.flag_store != JIT_NONE && step->live.bits[SQ_REGISTER_SCC / 64] & 1) {
        lane_program_emit(p, JIT_STORE_ONE, b->places.flag, JIT_NONE, JIT_NONE, at + part->result_count * 4);
        results[part->result_count++] = (sq_place)offsetof(struct sq_wave, scc);
    }
    part->results = amd_sq_code_alloc(m->code, sizeof(results[0]) * (part->result_count + 1));
    if (part->results)
        memcpy(part->results, results, sizeof(results[0]) * part->result_count);
}

/* Whether scc, if it is wanted, is what exec says at the end of the part. */
static bool is_flag_known(struct making *m, const struct sq_step *step, struct sq_part *part)
{
    const struct sq_jit_places *places = &m->builder->places;
    if (!places->flag_is_lost || !(step->live.bits[SQ_REGISTER_SCC / 64] & 1))
        return true;
    part->has_flag_of_exec = true;
    return places->mask_stores[SQ_EXEC] != JIT_NONE && places->masks[SQ_EXEC] == m->masks.flag_of;
}

static void store_exec(struct making *m, struct sq_part *part)
{
    struct sq_jit_builder *b = m->builder;
    if (b->places.mask_stores[SQ_EXEC] == JIT_NONE)
        return;
    const jit_value exec = b->places.masks[SQ_EXEC];
    lane_program_emit(&b->exec.program, JIT_STORE_BITS, exec, JIT_NONE, JIT_NONE, amd_sq_jit_register(SQ_EXEC));
    m->exec_is_full = is_full(m, exec);
    part->changes_exec = m->whole->changes_exec = true;
}

static bool has_results(const struct lane_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const enum jit_op op = p->insts[i].op;
        if (op == JIT_STORE || op == JIT_STORE_BITS || op == JIT_STORE_ONE || op == JIT_WRITE)
            return true;
    }
    return false;
}

static bool compile_part(struct making *m, struct sq_part *part)
{
    struct sq_jit_builder *b = m->builder;
    const struct jit_frame frame = {m->wave->lanes, offsetof(struct sq_wave, exec_lanes),
                                    (uint32_t)sizeof(struct sq_wave) + SQ_JIT_ROWS * LANES_MAX * 4};
    const struct sq_jit_inputs *inputs = &b->places.inputs;
    if (b->exec.program.failed || !part->results)
        return false;
    if (!has_results(&b->exec.program))
        return true;
    if (inputs->view_count) {
        part->inputs = amd_sq_code_alloc(m->code, sizeof(*inputs));
        if (!part->inputs)
            return false;
        *part->inputs = *inputs;
    }
    part->code = exec_code_compile(amd_sq_code_exec(m->code), &b->exec.program, &frame, true);
    return part->code != NULL;
}

/* The part ends before `step`: with its micro-operations after the code, at a barrier, or for the next part. */
static bool end_part(struct making *m, const struct sq_step *step, bool has_action)
{
    if (m->part_count == SQ_WHOLE_PARTS)
        return false;
    struct sq_part *part = &m->parts[m->part_count++];
    *part = (struct sq_part){.is_barrier = step->kind == SQ_STEP_BARRIER,
                             .fresh = m->fresh,
                             .code_begin = m->code_begin,
                             .code_end = m->range_count};
    for (unsigned n = 0; n < 4; n++)
        part->fresh.bits[n] &= m->steps->steps[0].named.bits[n];
    if (has_action) {
        part->first = step->first;
        part->end = step->end;
        part->is_guarded = step->depth > 0 && is_vector(step->first->inst) && sq_registers_are_none(&step->writes);
    }
    store_rows(m, step, has_action);
    amd_sq_whole_masks_end(&m->masks, m->builder);
    store_scalars(m, step, part);
    store_exec(m, part);
    return is_flag_known(m, step, part) && compile_part(m, part);
}

/* ---- instructions ---- */

static bool lower_step(struct making *m, const struct sq_step *step)
{
    struct sq_jit_builder *b = m->builder;
    struct lane_program *p = &b->exec.program;
    const bool is_vector_inst = is_vector(step->first->inst);
    if (!is_vector_inst && amd_sq_whole_mask_lower(&m->masks, b, step))
        return !p->failed;
    const jit_value exec = amd_sq_jit_read_mask(b, amd_sq_jit_register(SQ_EXEC));
    b->places.active = is_vector_inst && !is_full(m, exec) ? exec : JIT_NONE;
    amd_sq_whole_masks_before(&m->masks, b);
    for (const struct sq_uop *uop = step->first; uop < step->end && !p->failed; uop++) {
        b->uop = uop;
        amd_sq_jit_lower_uop(b);
    }
    b->places.active = JIT_NONE;
    if (!p->failed && is_vector_inst)
        amd_sq_whole_masks_after(&m->masks, b, exec);
    return !p->failed && p->count < JIT_MAX_INSTS - 512;
}

/* Into the part at hand. False: nothing has changed. */
static bool try_lower(struct making *m, const struct sq_step *step)
{
    struct sq_jit_builder *b = m->builder;
    const struct sq_jit_places before = b->places;
    const uint32_t count = b->exec.program.count;
    if (lower_step(m, step)) {
        m->ranges[m->range_count++] = (struct sq_range){step->first, step->end};
        return true;
    }
    b->places = before;
    memset(m->masks.of_value + count, 0, (b->exec.program.count - count) * sizeof(m->masks.of_value[0]));
    b->exec.program.count = count;
    b->exec.program.failed = false;
    return false;
}

static bool take_code(struct making *m, uint32_t i)
{
    const struct sq_step *step = &m->steps->steps[i];
    if (try_lower(m, step))
        return true;
    if (m->range_count > m->code_begin) { /* it may be for a part of its own */
        if (!end_part(m, step, false))
            return false;
        begin_part(m, i);
        if (try_lower(m, step))
            return true;
    }
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2);
    if (sq_registers_meet(&step->writes, &exec)) /* what exec is a part of would not be known */
        return false;
    if (m->masks.open && !is_vector(step->first->inst)) { /* it ignores exec, and may fail */
        m->wanted = m->masks.open;
        return false;
    }
    if (!end_part(m, step, true))
        return false;
    begin_part(m, i + 1);
    return true;
}

static bool open_region(struct making *m, uint32_t i)
{
    const struct sq_step *step = &m->steps->steps[i];
    if (!step->is_split) {
        amd_sq_whole_masks_open(&m->masks, m->builder, step->region);
        return !m->builder->exec.program.failed;
    }
    m->split_part[step->region] = m->part_count;
    if (!end_part(m, step, false))
        return false;
    amd_sq_whole_masks_split(&m->masks, step->region);
    begin_part(m, i + 1);
    return true;
}

static bool close_region(struct making *m, uint32_t i)
{
    const struct sq_step *step = &m->steps->steps[i];
    if (!step->is_split) {
        amd_sq_whole_masks_close(&m->masks, step->region);
        return true;
    }
    if (m->range_count > m->code_begin && !end_part(m, step, false))
        return false;
    amd_sq_whole_masks_unite(&m->masks, step->region);
    m->parts[m->split_part[step->region]].skips_to = m->part_count;
    m->exec_is_full = false;
    begin_part(m, i + 1);
    return true;
}

static bool take_step(struct making *m, uint32_t i)
{
    const struct sq_step *step = &m->steps->steps[i];
    switch (step->kind) {
    case SQ_STEP_CODE:
        if (!take_code(m, i))
            return false;
        m->wanted |= amd_sq_whole_masks_left(&m->masks, m->builder);
        return !m->wanted && !m->builder->exec.program.failed;
    case SQ_STEP_OPEN:
        return open_region(m, i);
    case SQ_STEP_CLOSE:
        return close_region(m, i);
    case SQ_STEP_BARRIER:
        if (!end_part(m, step, false))
            return false;
        begin_part(m, i + 1);
        return true;
    case SQ_STEP_END:
        return m->range_count == m->code_begin || end_part(m, step, false);
    }
    return false;
}

/* Registers that the program changes after it has looked at what the launch has left there. */
static void find_restored(struct sq_whole *whole, const struct sq_steps *steps)
{
    struct sq_registers writes = {{0}}, exec = sq_registers_only(SQ_EXEC, 2);
    for (uint32_t i = 0; i < steps->count; i++)
        sq_registers_unite(&writes, &steps->steps[i].writes);
    sq_registers_remove(&writes, &exec);
    whole->numbers = whole->key.varying;
    sq_registers_remove(&whole->numbers, &steps->prelude_writes);
    sq_registers_remove(&writes, &whole->numbers);
    for (unsigned r = 0; r <= SQ_REGISTER_SCC; r++) {
        if (writes.bits[r / 64] & steps->steps[0].live.bits[r / 64] & 1ull << r % 64)
            whole->restored[whole->restored_count++] = (uint8_t)r;
    }
}

static void *keep_bytes(struct sq_code *code, const void *from, size_t size_B)
{
    void *kept = amd_sq_code_alloc(code, size_B + 1);
    if (kept)
        memcpy(kept, from, size_B);
    return kept;
}

static bool make_parts(struct making *m, const struct sq_steps *steps)
{
    m->steps = steps;
    m->builder->exec.wave = m->wave;
    m->builder->exec.variant = EXEC_ALL_ACTIVE;
    m->part_count = m->range_count = 0;
    m->exec_is_full = true;
    m->whole->changes_exec = false;
    memset(&m->fresh, 0xff, sizeof(m->fresh));
    memset(&m->masks, 0, sizeof(m->masks));
    begin_part(m, 0);
    for (uint32_t i = 0; i < steps->count; i++) {
        if (!take_step(m, i))
            return false;
    }
    return true;
}

static bool make_code(struct making *m, struct sq_steps *steps)
{
    struct sq_whole *whole = m->whole;
    bool is_made;
    do {
        const sq_regions split = m->wanted ? steps->split | m->wanted : 0;
        m->wanted = 0;
        if (!amd_sq_whole_find(steps, m->wave, &whole->key.varying, split))
            return false;
        is_made = make_parts(m, steps);
    } while (!is_made && m->wanted);
    if (!is_made)
        return false;
    whole->restored_count = 0;
    find_restored(whole, steps);
    whole->prelude_count = steps->prelude_count;
    whole->part_count = m->part_count;
    whole->range_count = m->range_count;
    whole->prelude = keep_bytes(m->code, steps->prelude, steps->prelude_count * sizeof(steps->prelude[0]));
    whole->parts = keep_bytes(m->code, m->parts, m->part_count * sizeof(m->parts[0]));
    whole->ranges = keep_bytes(m->code, m->ranges, m->range_count * sizeof(m->ranges[0]));
    return whole->prelude && whole->parts && whole->ranges;
}

void amd_sq_whole_make(struct sq_whole *whole, struct sq_wave *wave)
{
    const unsigned before = stat_enter_work(STAT_MAKING);
    struct making *m = calloc(1, sizeof(*m));
    struct sq_steps *steps = malloc(sizeof(*steps));
    whole->state = SQ_WHOLE_NEVER;
    if (m && steps) {
        m->whole = whole;
        m->wave = wave;
        m->code = wave->code;
        m->builder = amd_sq_code_jit(wave->code);
        if (make_code(m, steps)) {
            whole->state = SQ_WHOLE_READY;
            amd_sq_code_exec(wave->code)->counts.wholes++;
        }
    }
    free(steps);
    free(m);
    stat_leave(before);
}
