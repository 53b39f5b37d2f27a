/* Runs of this family: how they are lowered and entered. Finding and compiling them is model/exec/run.c's. */
#include "adreno/model/sp/jit.h"

#include <stddef.h>
#include <stdlib.h>

#include "adreno/isa/isa_tables.h"
#include "adreno/model/sp/jit_build.h"
#include "adreno/model/sp/uops.h"

struct sp_jit_run {
    struct exec_run exec;
    struct sp_jit_inputs inputs[2]; /* by variant, which may end at different instructions */
};

struct sp_jit_builder *adreno_sp_jit_create(void)
{
    return calloc(1, sizeof(struct sp_jit_builder));
}

/* ---- operands ---- */

jit_value adreno_sp_jit_read_row(struct sp_jit_builder *b, sp_place place)
{
    if (place & SP_BASE_CONSTANTS) /* one value in every lane */
        return lane_program_const(&b->exec.program, *(const uint32_t *)sp_at(b->wave, place));
    const jit_value row = exec_rows_read(&b->rows, &b->exec.program, place & ~SP_HIGH_HALF);
    return place & SP_HIGH_HALF ? lane_program_shift_by(&b->exec.program, JIT_SHR, row, 16) : row;
}

void adreno_sp_jit_write_row(struct sp_jit_builder *b, sp_place place, jit_value value)
{
    exec_rows_write(&b->rows, &b->exec.program, place, value);
}

void adreno_sp_jit_write_half(struct sp_jit_builder *b, sp_place place, jit_value value)
{
    struct lane_program *p = &b->exec.program;
    const bool is_high = place & SP_HIGH_HALF;
    if (place < b->rows.kept_B && !is_high) { /* a temporary: nothing looks at what is above it */
        adreno_sp_jit_write_row(b, place, lane_program_zero_extend(p, value, 16));
        return;
    }
    const jit_value row = exec_rows_read(&b->rows, p, place & ~SP_HIGH_HALF);
    const jit_value kept = lane_program_and(p, row, lane_program_const(p, is_high ? 0xffff : 0xffff0000u));
    const jit_value half =
        is_high ? lane_program_shift_by(p, JIT_SHL, value, 16) : lane_program_zero_extend(p, value, 16);
    adreno_sp_jit_write_row(b, place & ~SP_HIGH_HALF, lane_program_or(p, kept, half));
}

/* ---- micro-operations around a kernel ---- */

static void lower_sign_f32(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    jit_value value = adreno_sp_jit_read_row(b, b->uop->s[0]);
    if (b->uop->imm & 2)
        value = lane_program_and(p, value, lane_program_const(p, 0x7fffffff));
    if (b->uop->imm & 1)
        value = lane_program_xor(p, value, lane_program_const(p, 0x80000000u));
    adreno_sp_jit_write_row(b, b->uop->d, value);
}

static void lower_sign_s32(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const jit_value zero = lane_program_const(p, 0);
    jit_value value = adreno_sp_jit_read_row(b, b->uop->s[0]);
    if (b->uop->imm & 2)
        value = lane_program_select(p, lane_program_lt_i(p, value, zero), lane_program_sub(p, zero, value), value);
    if (b->uop->imm & 1)
        value = lane_program_sub(p, zero, value);
    adreno_sp_jit_write_row(b, b->uop->d, value);
}

static void lower_sign_f16(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    jit_value value = adreno_sp_jit_read_row(b, b->uop->s[0]);
    value = lane_program_and(p, value, lane_program_const(p, b->uop->imm & 2 ? 0x7fff : 0xffff));
    if (b->uop->imm & 1)
        value = lane_program_xor(p, value, lane_program_const(p, 0x8000));
    adreno_sp_jit_write_row(b, b->uop->d, value);
}

static void lower_sign_s16(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const jit_value zero = lane_program_const(p, 0);
    jit_value value = lane_program_sign_extend(p, adreno_sp_jit_read_row(b, b->uop->s[0]), 16);
    if (b->uop->imm & 2)
        value = lane_program_select(p, lane_program_lt_i(p, value, zero), lane_program_sub(p, zero, value), value);
    if (b->uop->imm & 1)
        value = lane_program_sub(p, zero, value);
    adreno_sp_jit_write_row(b, b->uop->d, lane_program_zero_extend(p, value, 16));
}

static void lower_not(struct sp_jit_builder *b)
{
    adreno_sp_jit_write_row(b, b->uop->d, lane_program_not(&b->exec.program, adreno_sp_jit_read_row(b, b->uop->s[0])));
}

static void lower_copy(struct sp_jit_builder *b)
{
    const jit_value value = adreno_sp_jit_read_row(b, b->uop->s[0]);
    if (b->uop->imm)
        adreno_sp_jit_write_half(b, b->uop->d, value);
    else
        adreno_sp_jit_write_row(b, b->uop->d, value);
}

/* Integers become floats by the host's rounding in any case; to halves see lower_kernel(). */
static void lower_round(struct sp_jit_builder *b)
{
    b->round = (uint8_t)b->uop->imm;
}

static void lower_sat_f32(struct sp_jit_builder *b)
{
    adreno_sp_jit_write_row(b, b->uop->d,
                            lane_program_clamp01_f32(&b->exec.program, adreno_sp_jit_read_row(b, b->uop->d)));
}

static void lower_predicate(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    jit_value is_zero = lane_program_eq(p, adreno_sp_jit_read_row(b, b->uop->d), lane_program_const(p, 0));
    jit_value bit = lane_program_and(p, lane_program_not(p, is_zero), lane_program_const(p, 1));
    adreno_sp_jit_write_row(b, b->uop->d, bit);
}

/* ---- quads ---- */

/* Pixel p of a quad gets the value of pixel order >> 2p & 3. A lane that is not active has in its register a value
 * that the program has not computed for it, so all of them must be. */
static jit_value lower_permuted(struct sp_jit_builder *b, jit_value from, uint32_t order)
{
    b->exec.program.failed |= !(b->exec.variant & EXEC_ALL_ACTIVE);
    return lane_program_emit(&b->exec.program, JIT_QUAD, from, JIT_NONE, JIT_NONE, order);
}

/* Operands of quads are not micro-operations' places. Only full registers that every lane has for itself. */
static bool find_quad_place(struct sp_jit_builder *b, enum adreno_isa_place operand, unsigned n, sp_place *place_out)
{
    const struct adreno_isa_operand *of = &b->uop->inst->operands[operand];
    const unsigned component = (unsigned)of->value + n;
    if (of->kind != ADRENO_ISA_OPERAND_GPR || of->flags & ADRENO_ISA_FLAG_HALF || component >= ADRENO_ISA_REG_SHARED)
        b->exec.program.failed = true;
    else
        *place_out = adreno_sp_jit_row_place(b, component);
    return !b->exec.program.failed;
}

static void lower_derivative(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const unsigned wrmask = (unsigned)b->uop->inst->field[ADRENO_ISA_FIELD_WRMASK];
    const uint32_t low = adreno_sp_quad_low(b->uop->imm), high = low | (b->uop->imm & 1 ? 0xaa : 0x55);
    jit_value results[4];
    sp_place place;
    p->failed |= adreno_sp_derivative_is_in_place(b->uop->inst);
    for (unsigned n = 0; n < 4; n++) {
        if (!(wrmask >> n & 1) || !find_quad_place(b, ADRENO_ISA_PLACE_SRC0, n, &place))
            continue;
        const jit_value from = adreno_sp_jit_read_row(b, place);
        const jit_value above = lower_permuted(b, from, high);
        results[n] = lane_program_fsub(p, above, lower_permuted(b, from, low));
    }
    for (unsigned n = 0; n < 4; n++) {
        if (wrmask >> n & 1 && find_quad_place(b, ADRENO_ISA_PLACE_DST, n, &place))
            adreno_sp_jit_write_row(b, place, results[n]);
    }
}

static void lower_quad_shuffle(struct sp_jit_builder *b)
{
    sp_place from, to;
    b->exec.program.failed |= !b->uop->imm; /* of a pixel that a register names */
    if (!find_quad_place(b, ADRENO_ISA_PLACE_SRC0, 0, &from) || !find_quad_place(b, ADRENO_ISA_PLACE_DST, 0, &to))
        return;
    const jit_value value = lower_permuted(b, adreno_sp_jit_read_row(b, from), 0xe4 ^ b->uop->imm * 0x55);
    if (!b->exec.program.failed)
        adreno_sp_jit_write_row(b, to, value);
}

static const struct sp_jit_row around[] = {
    {adreno_sp_run_derivative, lower_derivative, false},
    {adreno_sp_run_quad_shuffle, lower_quad_shuffle, false},
    {adreno_sp_uop_constant, adreno_sp_jit_lower_constant, false},
    {adreno_sp_uop_sign_f32, lower_sign_f32, false},
    {adreno_sp_uop_sign_s32, lower_sign_s32, false},
    {adreno_sp_uop_not, lower_not, false},
    {adreno_sp_uop_sign_f16, lower_sign_f16, false},
    {adreno_sp_uop_sign_s16, lower_sign_s16, false},
    {adreno_sp_uop_copy, lower_copy, false},
    {adreno_sp_uop_round, lower_round, false},
    {adreno_sp_uop_sat_f32, lower_sat_f32, false},
    {adreno_sp_uop_predicate, lower_predicate, false},
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
    return adreno_sp_jit_input(uop);
}

/* imm: component, bit 2 of it: not. */
static jit_value condition(struct sp_jit_builder *b, uint32_t imm)
{
    struct lane_program *p = &b->exec.program;
    const sp_place place = adreno_sp_jit_row_place(b, ADRENO_ISA_REG_P0 + (imm & 3));
    const jit_value is_zero = lane_program_eq(p, adreno_sp_jit_read_row(b, place), lane_program_const(p, 0));
    return imm & 4 ? is_zero : lane_program_not(p, is_zero);
}

jit_value adreno_sp_jit_taken(struct sp_jit_builder *b, const struct sp_uop *uop)
{
    const jit_value first = condition(b, uop->imm & 7);
    switch (uop->inst ? uop->inst->op : ADRENO_ISA_OP_BR) {
    case ADRENO_ISA_OP_BRAO:
        return lane_program_or(&b->exec.program, first, condition(b, uop->imm >> 3));
    case ADRENO_ISA_OP_BRAA:
        return lane_program_and(&b->exec.program, first, condition(b, uop->imm >> 3));
    default:
        return first;
    }
}

/* ---- compiling ---- */

/* A kernel's lowering, but for conversions of floats to halves that do not round to nearest. */
static void lower_kernel(struct sp_jit_builder *b, const struct sp_jit_row *row)
{
    struct lane_program *p = &b->exec.program;
    if (b->round == LANE_ROUND_NEAREST || b->uop->run != adreno_sp_move_kernels[SP_TYPE_F32][SP_TYPE_F16])
        row->lower(b);
    else if (b->round == LANE_ROUND_ZERO)
        adreno_sp_jit_write_half(b, b->uop->d, lane_program_f16_rtz_f32(p, adreno_sp_jit_read_row(b, b->uop->s[0])));
    else
        p->failed = true;
}

static void begin_run(struct exec_lowering *lowering)
{
    struct sp_jit_builder *b = (struct sp_jit_builder *)lowering;
    b->wave = b->exec.wave;
    b->exec.program.mode = b->wave->lane_mode;
    b->exec.program.failed = false;
    b->exec.program.count = 0;
    b->inputs.constant_count = b->inputs.view_count = 0;
    b->inputs.has_local = false;
    b->row_count = 0;
    b->lost = JIT_NONE;
    b->round = LANE_ROUND_NEAREST;
    exec_rows_begin(&b->rows, offsetof(struct adreno_wave, temp), offsetof(struct adreno_wave, rows),
                    b->wave->lanes * 4, SP_JIT_ROWS);
}

void adreno_sp_jit_begin(struct sp_jit_builder *b, const struct adreno_wave *wave)
{
    b->exec.wave = wave;
    begin_run(&b->exec);
}

bool adreno_sp_jit_lower_uop(struct sp_jit_builder *b, const struct sp_uop *uop)
{
    const struct sp_jit_row *row = lowering_of(uop);
    b->uop = uop;
    if (!row || b->exec.program.count > JIT_MAX_INSTS - 128)
        return false;
    lower_kernel(b, row);
    return !b->exec.program.failed;
}

static const void *lower_instruction(struct exec_lowering *lowering, const void *uop, const void *limit)
{
    struct sp_jit_builder *b = (struct sp_jit_builder *)lowering;
    struct lane_program *program = &b->exec.program;
    const struct sp_uop *at = uop;
    const uint32_t pc = at->pc, count = program->count;
    const struct exec_rows rows = b->rows;
    const struct sp_jit_inputs inputs = b->inputs;
    const jit_value lost = b->lost;
    for (; at < (const struct sp_uop *)limit && at->pc == pc && !program->failed; at++) {
        const struct sp_jit_row *row = lowering_of(at);
        b->uop = at;
        program->failed |= !row || program->count > JIT_MAX_INSTS - 64;
        if (!program->failed)
            lower_kernel(b, row);
    }
    b->next_pc = pc + 1;
    if (!program->failed)
        return at;
    b->rows = rows;
    b->inputs = inputs;
    b->lost = lost;
    b->round = LANE_ROUND_NEAREST; /* which it is between instructions */
    b->next_pc = pc;
    program->count = count;
    program->failed = false;
    return NULL;
}

static const void *skip_instruction(const void *uop, const void *limit)
{
    const struct sp_uop *at = uop;
    while (at < (const struct sp_uop *)limit && at->pc == ((const struct sp_uop *)uop)->pc)
        at++;
    return at;
}

/* A register that nothing looks at before it is written again need not be stored. */
static void drop_dead_rows(struct sp_jit_builder *b)
{
    const struct sp_jit_live live = adreno_sp_jit_live(b->wave, b->next_pc, false);
    for (unsigned row = 0; row < ADRENO_WAVE_ROWS; row++) {
        if (!sp_jit_is_live(&live, row))
            exec_rows_forget(&b->rows, (uint32_t)offsetof(struct adreno_wave, rows) + row * b->wave->lanes * 4);
    }
}

void adreno_sp_jit_end_rows(struct sp_jit_builder *b)
{
    drop_dead_rows(b);
    exec_rows_end(&b->rows, &b->exec.program);
}

static bool end_run(struct exec_lowering *lowering, struct exec_run *exec_run)
{
    struct sp_jit_builder *b = (struct sp_jit_builder *)lowering;
    struct sp_jit_run *run = (struct sp_jit_run *)exec_run;
    adreno_sp_jit_end_rows(b);
    if (b->lost != JIT_NONE)
        lane_program_emit(&b->exec.program, JIT_STORE, b->lost, JIT_NONE, JIT_NONE,
                          (uint32_t)offsetof(struct adreno_wave, lost_lanes));
    run->inputs[lowering->variant] = b->inputs;
    return true;
}

static void compile_run(struct adreno_wave *wave, struct sp_jit_run *run, unsigned variant)
{
    _Static_assert(offsetof(struct adreno_wave, active_lanes) % 16 == 0, "a vector load's offset counts vectors");
    const struct jit_frame frame = {wave->lanes, offsetof(struct adreno_wave, active_lanes),
                                    (uint32_t)sizeof(struct adreno_wave) +
                                        ADRENO_WAVE_ROWS * ADRENO_WAVE_LANES_MAX * 4};
    exec_run_compile(&run->exec, adreno_sp_code_exec(wave->code), &adreno_sp_family,
                     &adreno_sp_code_jit(wave->code)->exec, wave, &frame, variant);
}

static void enter_run(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_jit_run *run = (struct sp_jit_run *)(uintptr_t)uop->target;
    const unsigned variant = wave->is_full ? EXEC_ALL_ACTIVE : 0;
    if (exec_run_is_due(&run->exec, variant))
        compile_run(wave, run, variant);
    const jit_code code = run->exec.code[variant];
    if (__builtin_expect(!code, 0) || !adreno_sp_jit_bring(wave, &run->inputs[variant])) {
        wave->next = run->exec.plain ? run->exec.plain : run->exec.first;
        return;
    }
    code(wave);
    wave->next = run->exec.after[variant];
    if (run->inputs[variant].has_local)
        adreno_sp_jit_check(wave, &run->inputs[variant]);
}

bool adreno_sp_jit_is_head(const struct sp_uop *uop)
{
    return uop->run == enter_run;
}

/* ---- finding ---- */

static bool knows_uop(const void *uop)
{
    return lowering_of(uop) != NULL;
}

static void head(void *uop, struct exec_run *run, const void *follows)
{
    *(struct sp_uop *)uop = (struct sp_uop){
        .run = enter_run, .pc = ((const struct sp_uop *)follows)->pc, .target = (const struct sp_uop *)(uintptr_t)run};
}

static uint64_t address(const struct exec_lowering *lowering, const void *uop)
{
    const struct adreno_wave *wave = lowering->wave;
    return wave->launch->program_va + ((const struct sp_uop *)uop)->pc * 8ull;
}

const struct exec_family adreno_sp_family = {
    .uop_size_B = sizeof(struct sp_uop),
    .run_size_B = sizeof(struct sp_jit_run),
    .least_instructions = 2,
    .least_uops = 2,
    .most_instructions = 400,
    .knows = knows_uop,
    .head = head,
    .begin = begin_run,
    .lower = lower_instruction,
    .skip = skip_instruction,
    .end = end_run,
    .address = address,
};
_Static_assert(sizeof(struct sp_uop) <= EXEC_UOP_MAX_B, "a micro-operation");
