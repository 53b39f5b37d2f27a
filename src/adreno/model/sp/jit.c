/* Runs: found while a block is translated, counted when they are reached, compiled when that happened often. A wave of
 * 128 lanes runs the code of 64 twice, for rows are named by their offsets from the wave: the second half's are 256 bytes
 * on. */
#include "adreno/model/sp/jit.h"

#include <stddef.h>
#include <stdlib.h>

#include "adreno/model/sp/jit_build.h"
#include "adreno/model/sp/uops.h"
#include "util/debug.h"

#define MIN_INSTRUCTIONS 3
#define WORTH_IT 48 /* times that a run is reached before it is compiled */
#define HALF_LANES 64
#define HALF_B (HALF_LANES * 4)

struct sp_jit {
    struct jit *jit;
    struct sp_jit_builder builder;
};

/* Straight micro-operations from `first` to `limit`. */
struct sp_jit_run {
    struct sp_jit_run *older;
    uint32_t head_index, limit_index;
    const struct sp_uop *first, *limit;
    uint32_t countdown[2];
    jit_code code[2]; /* for some lanes, for all lanes */
    uint16_t constants[ADRENO_WAVE_SCALARS];
    uint32_t constant_count;
};

struct sp_jit *adreno_sp_jit_create(void)
{
    if (debug_enabled(DEBUG_NOJIT))
        return NULL;
    struct sp_jit *jit = calloc(1, sizeof(*jit));
    if (!jit)
        return NULL;
    jit->jit = jit_create();
    if (!jit->jit) {
        free(jit);
        return NULL;
    }
    return jit;
}

void adreno_sp_jit_destroy(struct sp_jit *jit)
{
    if (jit)
        jit_destroy(jit->jit);
    free(jit);
}

void adreno_sp_jit_reset(struct sp_jit *jit)
{
    if (jit)
        jit_reset(jit->jit);
}

/* ---- operands ---- */

static bool row_number(struct sp_jit_builder *b, sp_place place, uint32_t *number_out)
{
    const uint32_t row_B = b->wave->lanes * 4, offset = place - (uint32_t)offsetof(struct adreno_wave, temp);
    *number_out = offset / row_B;
    if (place < offsetof(struct adreno_wave, temp) || offset % row_B || *number_out >= SP_JIT_ROWS) {
        b->program.failed = true;
        return false;
    }
    return true;
}

jit_value adreno_sp_jit_read_row(struct sp_jit_builder *b, sp_place place)
{
    uint32_t row;
    if (place & SP_BASE_CONSTANTS) /* one value in every lane */
        return lane_program_const(&b->program, *(const uint32_t *)sp_at(b->wave, place));
    if (!row_number(b, place, &row))
        return lane_program_const(&b->program, 0);
    if (b->rows[row] == JIT_NONE)
        b->rows[row] = lane_program_emit(&b->program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, place);
    return b->rows[row];
}

void adreno_sp_jit_write_row(struct sp_jit_builder *b, sp_place place, jit_value value)
{
    uint32_t row;
    if (!row_number(b, place, &row))
        return;
    b->rows[row] = value;
    if (place >= offsetof(struct adreno_wave, rows)) /* a temporary ends with its instruction */
        b->stores[row] = lane_program_emit(&b->program, JIT_STORE, value, JIT_NONE, JIT_NONE, place);
}

/* ---- micro-operations around a kernel ---- */

static void lower_constant(struct sp_jit_builder *b)
{
    uint32_t slot = 0;
    while (slot < b->constant_count && b->constants[slot] != b->uop->imm)
        slot++;
    if (slot == ADRENO_WAVE_SCALARS || b->uop->s[0] != SP_CONSTANT_WORD) {
        b->program.failed = true;
        return;
    }
    if (slot == b->constant_count)
        b->constants[b->constant_count++] = (uint16_t)b->uop->imm;
    const uint32_t place = (uint32_t)offsetof(struct adreno_wave, scalars) + slot * 4;
    adreno_sp_jit_write_row(b, b->uop->d,
                            lane_program_emit(&b->program, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, place));
}

static void lower_sign_f32(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->program;
    jit_value value = adreno_sp_jit_read_row(b, b->uop->s[0]);
    if (b->uop->imm & 2)
        value = lane_program_and(p, value, lane_program_const(p, 0x7fffffff));
    if (b->uop->imm & 1)
        value = lane_program_xor(p, value, lane_program_const(p, 0x80000000u));
    adreno_sp_jit_write_row(b, b->uop->d, value);
}

static void lower_sign_s32(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->program;
    const jit_value zero = lane_program_const(p, 0);
    jit_value value = adreno_sp_jit_read_row(b, b->uop->s[0]);
    if (b->uop->imm & 2)
        value = lane_program_select(p, lane_program_lt_i(p, value, zero), lane_program_sub(p, zero, value), value);
    if (b->uop->imm & 1)
        value = lane_program_sub(p, zero, value);
    adreno_sp_jit_write_row(b, b->uop->d, value);
}

static void lower_not(struct sp_jit_builder *b)
{
    b->program.failed |= (b->uop->s[0] & SP_HIGH_HALF) != 0;
    adreno_sp_jit_write_row(b, b->uop->d,
                            lane_program_not(&b->program, adreno_sp_jit_read_row(b, b->uop->s[0] & ~SP_HIGH_HALF)));
}

static void lower_sat_f32(struct sp_jit_builder *b)
{
    adreno_sp_jit_write_row(b, b->uop->d, lane_program_clamp01_f32(&b->program, adreno_sp_jit_read_row(b, b->uop->d)));
}

static void lower_predicate(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->program;
    jit_value is_zero = lane_program_eq(p, adreno_sp_jit_read_row(b, b->uop->d), lane_program_const(p, 0));
    jit_value bit = lane_program_and(p, lane_program_not(p, is_zero), lane_program_const(p, 1));
    adreno_sp_jit_write_row(b, b->uop->d, bit);
}

static const struct sp_jit_row around[] = {
    {adreno_sp_uop_constant, lower_constant, false}, {adreno_sp_uop_sign_f32, lower_sign_f32, false},
    {adreno_sp_uop_sign_s32, lower_sign_s32, false}, {adreno_sp_uop_not, lower_not, false},
    {adreno_sp_uop_sat_f32, lower_sat_f32, false},   {adreno_sp_uop_predicate, lower_predicate, false},
};

static const struct sp_jit_row *lowering_of(const struct sp_uop *uop)
{
    for (unsigned i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
        if (around[i].kernel == uop->run)
            return &around[i];
    }
    for (unsigned i = 0; i < adreno_sp_jit_row_count; i++) {
        const struct sp_jit_row *row = &adreno_sp_jit_rows[i];
        if (row->kernel == uop->run)
            return row->not_clamped && (uop->imm & 1) ? NULL : row;
    }
    return NULL;
}

/* ---- compiling ---- */

/* A result that a later one replaces is not stored. */
static void drop_old_stores(struct sp_jit_builder *b)
{
    const uint32_t row_B = b->wave->lanes * 4;
    for (uint32_t i = 0; i < b->program.count; i++) {
        struct jit_inst *inst = &b->program.insts[i];
        if (inst->op == JIT_STORE && b->stores[(inst->imm - offsetof(struct adreno_wave, temp)) / row_B] != i)
            inst->op = JIT_CONST;
    }
}

static void compile(struct adreno_wave *wave, struct sp_jit_run *run, bool is_full)
{
    struct sp_jit *jit = adreno_sp_code_jit(wave->code);
    struct sp_jit_builder *b = &jit->builder;
    b->wave = wave;
    b->program.mode = wave->lane_mode;
    b->program.failed = false;
    b->program.count = 0;
    b->constant_count = 0;
    memset(b->rows, 0xff, sizeof(b->rows));
    memset(b->stores, 0xff, sizeof(b->stores));
    for (const struct sp_uop *uop = run->first; uop < run->limit && !b->program.failed; uop++) {
        const struct sp_jit_row *row = lowering_of(uop);
        b->uop = uop;
        b->program.failed |= !row || b->program.count > JIT_MAX_INSTS - 64;
        if (!b->program.failed)
            row->lower(b);
    }
    if (b->program.failed)
        return;
    drop_old_stores(b);
    _Static_assert(offsetof(struct adreno_wave, active_lanes) % 16 == 0, "a vector load's offset counts vectors");
    const struct jit_frame frame = {HALF_LANES, offsetof(struct adreno_wave, active_lanes),
                                    (uint32_t)sizeof(struct adreno_wave) +
                                        ADRENO_WAVE_ROWS * ADRENO_WAVE_LANES_MAX * 4};
    memcpy(run->constants, b->constants, sizeof(run->constants));
    run->constant_count = b->constant_count;
    run->code[is_full] = jit_compile(jit->jit, b->program.insts, b->program.count, &frame, is_full);
}

static void enter(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_jit_run *run = (struct sp_jit_run *)(uintptr_t)uop->target;
    const bool is_full = wave->is_full;
    if (__builtin_expect(run->countdown[is_full] != 0, 0) && --run->countdown[is_full] == 0)
        compile(wave, run, is_full);
    if (!run->code[is_full])
        return; /* the micro-operations follow */
    for (uint32_t i = 0; i < run->constant_count; i++) {
        const uint32_t index = run->constants[i];
        wave->scalars[i] = wave->scalars[HALF_LANES + i] =
            index < wave->launch->constants_dw ? wave->constants[index] : 0;
    }
    run->code[is_full](wave);
    if (wave->lanes > HALF_LANES)
        run->code[is_full]((char *)wave + HALF_B);
    wave->next = run->limit;
}

/* ---- finding ---- */

/* Put the counting micro-operation before a run that has become long enough. */
static void open_run(struct sp_builder *builder)
{
    struct sp_jit_run *run = adreno_sp_code_alloc(builder->code, sizeof(*run));
    if (!run)
        return;
    const uint32_t index = builder->run_first;
    adreno_sp_build(builder, enter);
    if (builder->failed)
        return;
    struct sp_uop *head = &builder->uops[index];
    memmove(head + 1, head, (builder->count - 1 - index) * sizeof(*head));
    *run = (struct sp_jit_run){.older = builder->runs, .head_index = index};
    run->countdown[0] = run->countdown[1] = debug_enabled(DEBUG_JITNOW) ? 1 : WORTH_IT;
    *head = (struct sp_uop){.run = enter, .pc = head[1].pc, .target = (const struct sp_uop *)(uintptr_t)run};
    builder->runs = run;
    builder->run_has_head = true;
}

void adreno_sp_jit_take(struct sp_builder *builder, uint32_t first)
{
    if (!adreno_sp_code_jit(builder->code) || builder->failed || builder->count == first)
        return; /* a nop leaves the run as it is */
    bool fits = true;
    for (uint32_t i = first; i < builder->count && fits; i++)
        fits = lowering_of(&builder->uops[i]) != NULL;
    if (!fits || builder->run_instructions > 400) {
        builder->run_instructions = 0;
        builder->run_has_head = false;
        return;
    }
    if (builder->run_instructions++ == 0)
        builder->run_first = first;
    if (builder->run_instructions == MIN_INSTRUCTIONS)
        open_run(builder);
    if (builder->run_has_head)
        builder->runs->limit_index = builder->count;
}

void adreno_sp_jit_finish(struct sp_builder *builder)
{
    for (struct sp_jit_run *run = builder->runs; run; run = run->older) {
        run->first = &builder->uops[run->head_index + 1];
        run->limit = &builder->uops[run->limit_index];
    }
}
