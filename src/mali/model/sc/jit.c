/* Runs of this family: how they are lowered and entered. Finding and compiling them is model/exec/run.c's. */
#include "mali/model/sc/jit.h"

#include <stddef.h>
#include <stdlib.h>

#include "mali/model/sc/core.h"
#include "mali/model/sc/jit_build.h"
#include "mali/model/sc/memory.h"
#include "mali/model/sc/uops.h"

struct sc_jit_run {
    struct exec_run exec;
    struct sc_jit_inputs inputs;
};

struct sc_jit_builder *mali_sc_jit_create(void)
{
    return calloc(1, sizeof(struct sc_jit_builder));
}

/* ---- operands ---- */

/* A uniform is a scalar of the warp while host code runs. */
static jit_value read_uniform(struct sc_jit_builder *b, uint32_t row)
{
    struct sc_jit_inputs *inputs = &b->inputs;
    uint32_t slot = 0;
    if (row == mali_sc_lane_id_row()) {
        const jit_value lane = lane_program_emit(&b->exec.program, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0);
        return lane_program_and(&b->exec.program, lane, lane_program_const(&b->exec.program, MALI_WARP_LANES - 1));
    }
    while (slot < inputs->uniform_count && inputs->uniforms[slot] != row)
        slot++;
    if (slot == MALI_WARP_SCALARS) {
        b->exec.program.failed = true;
        return lane_program_const(&b->exec.program, 0);
    }
    if (slot == inputs->uniform_count) {
        inputs->uniforms[inputs->uniform_count++] = (uint16_t)row;
        b->uniform_values[slot] = lane_program_emit(&b->exec.program, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE,
                                                    (uint32_t)offsetof(struct mali_warp, scalars) + slot * 4);
    }
    return b->uniform_values[slot];
}

/* Special values of the lanes, which no instruction changes: each is read once. All lanes have the same workgroup's. */
static jit_value read_special(struct sc_jit_builder *b, sc_place place)
{
    struct lane_program *p = &b->exec.program;
    const bool is_shared = place >= offsetof(struct mali_warp, wls) && place < offsetof(struct mali_warp, warp_id);
    const enum jit_op op = is_shared ? JIT_SPLAT : JIT_ROW;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->insts[i].op == op && p->insts[i].imm == place)
            return (jit_value)i;
    }
    return lane_program_emit(p, op, JIT_NONE, JIT_NONE, JIT_NONE, place);
}

jit_value mali_sc_jit_read_row(struct sc_jit_builder *b, sc_place place)
{
    const uint32_t first_B = offsetof(struct mali_warp, tls), end_B = offsetof(struct mali_warp, temp);
    switch (place & SC_BASE_MASK) {
    case SC_BASE_CONSTANTS: /* one value in every lane */
        return lane_program_const(&b->exec.program, *(const uint32_t *)sc_at(b->warp, place));
    case SC_BASE_UNIFORMS:
        return read_uniform(b, (place & ~SC_BASE_MASK) / SC_ROW_B);
    default:
        return place >= first_B && place < end_B ? read_special(b, place)
                                                 : exec_rows_read(&b->rows, &b->exec.program, place);
    }
}

bool mali_sc_jit_is_uniform(const struct sc_jit_builder *b, jit_value value, uint32_t *row_out)
{
    const struct jit_inst *inst = &b->exec.program.insts[value];
    const uint32_t slot = (inst->imm - (uint32_t)offsetof(struct mali_warp, scalars)) / 4;
    if (inst->op != JIT_SPLAT || slot >= b->inputs.uniform_count)
        return false;
    *row_out = b->inputs.uniforms[slot];
    return true;
}

bool mali_sc_jit_known(struct sc_jit_builder *b, sc_place place, bool *is_uniform_out, uint32_t *value_out)
{
    const uint32_t row = (place & ~SC_BASE_MASK) / SC_ROW_B;
    *is_uniform_out = (place & SC_BASE_MASK) == SC_BASE_UNIFORMS;
    *value_out = row;
    if (*is_uniform_out)
        return row != mali_sc_lane_id_row();
    const jit_value value = mali_sc_jit_read_row(b, place);
    *is_uniform_out = mali_sc_jit_is_uniform(b, value, value_out);
    return !b->exec.program.failed && (*is_uniform_out || lane_program_is_const(&b->exec.program, value, value_out));
}

void mali_sc_jit_write_row(struct sc_jit_builder *b, sc_place place, jit_value value)
{
    exec_rows_write(&b->rows, &b->exec.program, place, value);
}

jit_value mali_sc_jit_taken(struct sc_jit_builder *b, const struct sc_uop *uop)
{
    struct lane_program *p = &b->exec.program;
    jit_value value = mali_sc_jit_read_row(b, uop->s[0]);
    if (uop->imm == MALI_ISA_COMBINE_H0 || uop->imm == MALI_ISA_COMBINE_H1)
        value =
            lane_program_and(p, value, lane_program_const(p, uop->imm == MALI_ISA_COMBINE_H0 ? 0xffffu : 0xffff0000u));
    const jit_value is_zero = lane_program_eq(p, value, lane_program_const(p, 0));
    return uop->imm2 ? is_zero : lane_program_not(p, is_zero);
}

/* ---- micro-operations around a kernel ---- */

static void lower_extract(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const uint32_t shift = b->uop->imm & 0xff, bits = b->uop->imm >> 8 & 0xff;
    jit_value value = mali_sc_jit_read_row(b, b->uop->s[0]);
    if (bits < 32) {
        value = shift ? lane_program_shift_by(p, JIT_SHR, value, shift) : value;
        value = b->uop->imm >> 16 ? lane_program_sign_extend(p, value, bits) : lane_program_zero_extend(p, value, bits);
    }
    mali_sc_jit_write_row(b, b->uop->d, value);
}

static void lower_extract64(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    lower_extract(b);
    const jit_value low = mali_sc_jit_read_row(b, b->uop->d);
    mali_sc_jit_write_row(b, b->uop->d + SC_ROW_B,
                          b->uop->imm >> 16 ? lane_program_shift_by(p, JIT_SAR, low, 31) : lane_program_const(p, 0));
}

/* Bytes in another order: those that go the same way together. */
static void lower_permute(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const jit_value value = mali_sc_jit_read_row(b, b->uop->s[0]);
    jit_value all = lane_program_const(p, 0);
    for (int way = -3; way <= 3; way++) { /* bytes to the left */
        uint32_t mask = 0;
        for (int to = 0; to < 4; to++) {
            if (to - (int)(b->uop->imm >> 4 * to & 3) == way)
                mask |= 0xffu << 8 * to;
        }
        if (!mask)
            continue;
        const jit_value moved =
            way ? lane_program_shift_by(p, way > 0 ? JIT_SHL : JIT_SHR, value, 8 * (uint32_t)abs(way)) : value;
        const uint32_t left = way > 0 ? UINT32_MAX << 8 * way : UINT32_MAX >> 8 * -way; /* by the shift itself */
        all = lane_program_or(p, all, mask == left ? moved : lane_program_and(p, moved, lane_program_const(p, mask)));
    }
    mali_sc_jit_write_row(b, b->uop->d, all);
}

static void lower_sign(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    jit_value value = mali_sc_jit_read_row(b, b->uop->s[0]);
    if (b->uop->imm & 2)
        value = lane_program_and(p, value, lane_program_const(p, ~b->uop->imm2));
    if (b->uop->imm & 1)
        value = lane_program_xor(p, value, lane_program_const(p, b->uop->imm2));
    mali_sc_jit_write_row(b, b->uop->d, value);
}

static void lower_not(struct sc_jit_builder *b)
{
    for (uint32_t row = 0; row < b->uop->imm; row++) {
        const jit_value value = mali_sc_jit_read_row(b, b->uop->s[0] + row * SC_ROW_B);
        mali_sc_jit_write_row(b, b->uop->d + row * SC_ROW_B, lane_program_not(&b->exec.program, value));
    }
}

static void lower_clamp_f32(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    jit_value value = mali_sc_jit_read_row(b, b->uop->d);
    if (b->uop->imm == (MALI_ISA_CLAMP_CLAMP_M1_1 | MALI_ISA_CLAMP_CLAMP_0_INF)) {
        value = lane_program_at_least_f32(p, value, 0); /* first, for a NaN becomes that */
        value = lane_program_at_most_f32(p, value, 0x3f800000);
    } else if (b->uop->imm & MALI_ISA_CLAMP_CLAMP_M1_1) {
        value = lane_program_at_least_f32(p, value, 0xbf800000u);
        value = lane_program_at_most_f32(p, value, 0x3f800000);
    } else if (b->uop->imm & MALI_ISA_CLAMP_CLAMP_0_INF) {
        value = lane_program_at_least_f32(p, value, 0);
    }
    mali_sc_jit_write_row(b, b->uop->d, value);
}

static void lower_and(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    mali_sc_jit_write_row(b, b->uop->d,
                          lane_program_and(p, mali_sc_jit_read_row(b, b->uop->d), lane_program_const(p, b->uop->imm)));
}

static void lower_invert(struct sc_jit_builder *b)
{
    for (uint32_t row = 0; row < b->uop->imm; row++) {
        const sc_place place = b->uop->d + row * SC_ROW_B;
        mali_sc_jit_write_row(b, place, lane_program_not(&b->exec.program, mali_sc_jit_read_row(b, place)));
    }
}

static void lower_merge(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const jit_value s = mali_sc_jit_read_row(b, b->uop->s[0]), d = mali_sc_jit_read_row(b, b->uop->d);
    const jit_value ours = lane_program_and(p, s, lane_program_const(p, b->uop->imm));
    mali_sc_jit_write_row(b, b->uop->d,
                          lane_program_or(p, ours, lane_program_and(p, d, lane_program_const(p, ~b->uop->imm))));
}

/* ---- 64 bits: what addresses are made with ---- */

struct pair {
    jit_value low, high;
};

static struct pair read_pair(struct sc_jit_builder *b, sc_place place)
{
    return (struct pair){mali_sc_jit_read_row(b, place), mali_sc_jit_read_row(b, place + SC_ROW_B)};
}

static void write_sum(struct sc_jit_builder *b, struct pair x, struct pair y)
{
    struct lane_program *p = &b->exec.program;
    const jit_value low = lane_program_add(p, x.low, y.low), carry = lane_program_lt_u(p, low, x.low);
    const jit_value high = lane_program_sub(p, lane_program_add(p, x.high, y.high), carry); /* a boolean is -1 */
    mali_sc_jit_write_row(b, b->uop->d, low);
    mali_sc_jit_write_row(b, b->uop->d + SC_ROW_B, high);
}

static void lower_add64(struct sc_jit_builder *b)
{
    write_sum(b, read_pair(b, b->uop->s[0]), read_pair(b, b->uop->s[1]));
}

static void lower_shift_add64(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const uint32_t shift = b->uop->imm2;
    struct pair x = read_pair(b, b->uop->s[1]);
    if (shift) {
        const jit_value out = lane_program_shift_by(p, JIT_SHR, x.low, 32 - shift);
        x.high = lane_program_or(p, lane_program_shift_by(p, JIT_SHL, x.high, shift), out);
        x.low = lane_program_shift_by(p, JIT_SHL, x.low, shift);
    }
    write_sum(b, read_pair(b, b->uop->s[0]), x);
}

void mali_sc_alu_iadd_u64(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_alu_iadd_s64(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_alu_shaddx_u64(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_alu_shaddx_s64(struct mali_warp *warp, const struct sc_uop *uop);

static const struct sc_jit_row around[] = {
    {mali_sc_uop_extract, lower_extract, false},
    {mali_sc_uop_extract64, lower_extract64, false},
    {mali_sc_uop_permute, lower_permute, false},
    {mali_sc_uop_sign, lower_sign, false},
    {mali_sc_uop_not, lower_not, false},
    {mali_sc_uop_clamp_f32, lower_clamp_f32, false},
    {mali_sc_uop_and, lower_and, false},
    {mali_sc_uop_invert, lower_invert, false},
    {mali_sc_uop_merge, lower_merge, false},
    {mali_sc_alu_iadd_u64, lower_add64, true},
    {mali_sc_alu_iadd_s64, lower_add64, true},
    {mali_sc_alu_shaddx_u64, lower_shift_add64, false},
    {mali_sc_alu_shaddx_s64, lower_shift_add64, false},
};

/* CLPER by the same number in all lanes, of which the lanes of a quad at most are asked. */
static void lower_permute_lanes(struct sc_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    const uint32_t inside = (b->uop->imm & 0xff) - 1;
    const bool is_xor = b->uop->imm >> 8 == MALI_ISA_LANE_OP_XOR;
    const jit_value value = mali_sc_jit_read_row(b, b->uop->s[0]), which = mali_sc_jit_read_row(b, b->uop->s[1]);
    uint32_t order = 0;
    p->failed |= inside > 3 || p->insts[which].op != JIT_CONST;
    if (p->failed)
        return;
    for (uint32_t lane = 0; lane < 4; lane++)
        order |= ((lane & ~inside) | ((p->insts[which].imm ^ (is_xor ? lane : 0)) & inside)) << 2 * lane;
    mali_sc_jit_write_row(b, b->uop->d, lane_program_emit(p, JIT_QUAD, value, JIT_NONE, JIT_NONE, order));
}

static const struct sc_jit_row *lowering_of(const struct sc_uop *uop)
{
    const struct sc_jit_row *load = mali_sc_jit_load(uop->run), *shorter = mali_sc_jit_shorter(uop->run);
    if (load || shorter)
        return load ? load : shorter;
    for (unsigned i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
        if (around[i].kernel == uop->run)
            return around[i].not_clamped && (uop->imm & 1) ? NULL : &around[i];
    }
    for (unsigned i = 0; i < mali_sc_jit_row_count; i++) {
        const struct sc_jit_row *row = &mali_sc_jit_rows[i];
        if (row->kernel == uop->run)
            return row->not_clamped && (uop->imm & 1) ? NULL : row;
    }
    return NULL;
}

/* Runs end at CLPER: whether quads are whole is known of joined programs alone. */
static const struct sc_jit_row *lowering_in(const struct sc_jit_builder *b, const struct sc_uop *uop)
{
    static const struct sc_jit_row quad = {mali_sc_uop_permute_lanes, lower_permute_lanes, false};
    return b->has_quads && uop->run == quad.kernel ? &quad : lowering_of(uop);
}

/* ---- compiling ---- */

static void begin_run(struct exec_lowering *lowering)
{
    struct sc_jit_builder *b = (struct sc_jit_builder *)lowering;
    b->warp = b->exec.wave;
    b->exec.program.mode = b->warp->lane_mode;
    b->exec.program.failed = false;
    b->exec.program.count = 0;
    b->inputs.uniform_count = b->inputs.site_count = b->inputs.view_count = 0;
    b->inputs.words_count = b->inputs.power_count = 0;
    b->has_quads = false;
    b->has_words = true; /* of a run, which stores nothing */
    b->dead = 0;
    b->row_count = 0;
    exec_rows_begin(&b->rows, offsetof(struct mali_warp, temp), offsetof(struct mali_warp, rows), SC_ROW_B,
                    SC_JIT_ROWS);
}

/* Which registers live on, after an instruction: ^ says of a source that it does not. */
void mali_sc_jit_note_lives(struct sc_jit_builder *b, const struct mali_isa_inst *inst)
{
    const char *name = mali_isa_name(inst->op);
    const unsigned count = strcmp(name + strlen(name) - 2, "64") == 0 ? 2 : 1;
    for (unsigned i = 0; i < mali_isa_source_count(inst->op); i++) {
        const struct mali_isa_source *source = &inst->sources[i];
        const bool is_wide = mali_isa_source_flags(inst->op, i) & MALI_ISA_SOURCE_WIDE &&
                             (mali_isa_source_selection(inst->op, i) != MALI_ISA_SELECT_WIDEN64 || !source->select);
        if (source->kind == MALI_ISA_SOURCE_REGISTER && source->flags & MALI_ISA_FLAG_LAST)
            b->dead |= (is_wide ? 3ull : 1ull) << source->value;
    }
    if (!mali_isa_staging_count(inst->op)) {
        b->dead &= ~((count == 2 ? 3ull : 1ull) << inst->dst);
        return;
    }
    const uint32_t bits = inst->op == MALI_ISA_OP_LEA_BUFFER ? 64 : mali_sc_access_bits(inst->op);
    for (uint32_t i = 0; i < (bits + 31) / 32; i++) /* a load, or an address */
        b->dead &= ~(1ull << (inst->staging[0].reg + i));
}

void mali_sc_jit_begin(struct sc_jit_builder *b, const struct mali_warp *warp)
{
    b->exec.wave = warp;
    b->exec.variant = EXEC_ALL_ACTIVE; /* of a loop */
    begin_run(&b->exec);
    b->has_words = false; /* others may store between its rounds */
}

bool mali_sc_jit_lower_uop(struct sc_jit_builder *b, const struct sc_uop *uop)
{
    const struct sc_jit_row *row = lowering_in(b, uop);
    b->uop = uop;
    if (!row || b->exec.program.count > JIT_MAX_INSTS - 128)
        return false;
    row->lower(b);
    return !b->exec.program.failed;
}

static const void *lower_instruction(struct exec_lowering *lowering, const void *uop, const void *limit)
{
    struct sc_jit_builder *b = (struct sc_jit_builder *)lowering;
    struct lane_program *program = &b->exec.program;
    const struct sc_uop *at = uop;
    const uint64_t pc = at->pc;
    const uint32_t count = program->count;
    const struct exec_rows rows = b->rows;
    const struct sc_jit_inputs inputs = b->inputs;
    for (; at < (const struct sc_uop *)limit && at->pc == pc && !program->failed; at++) {
        const struct sc_jit_row *row = lowering_in(b, at);
        b->uop = at;
        program->failed |= !row || program->count > JIT_MAX_INSTS - 64;
        if (!program->failed)
            row->lower(b);
    }
    if (!program->failed) {
        mali_sc_jit_note_lives(b, ((const struct sc_uop *)uop)->inst);
        return at;
    }
    b->rows = rows;
    b->inputs = inputs;
    program->count = count;
    program->failed = false;
    return NULL;
}

static bool end_run(struct exec_lowering *lowering, struct exec_run *exec_run)
{
    struct sc_jit_builder *b = (struct sc_jit_builder *)lowering;
    struct sc_jit_run *run = (struct sc_jit_run *)exec_run;
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        if (b->dead >> reg & 1)
            exec_rows_forget(&b->rows, mali_sc_register_place(reg));
    }
    exec_rows_end(&b->rows, &b->exec.program);
    if (!exec_run->is_compiled) /* another variant's are the same */
        run->inputs = b->inputs;
    return true;
}

static void compile_run(struct mali_warp *warp, struct sc_jit_run *run, unsigned variant)
{
    _Static_assert(offsetof(struct mali_warp, active_lanes) % 16 == 0, "a vector load's offset counts vectors");
    const struct jit_frame frame = {MALI_ROW_LANES, offsetof(struct mali_warp, active_lanes), sizeof(struct mali_warp)};
    exec_run_compile(&run->exec, mali_sc_code_exec(warp->code), &mali_sc_family, &mali_sc_code_jit(warp->code)->exec,
                     warp, &frame, variant);
}

static void enter_run(struct mali_warp *warp, const struct sc_uop *uop)
{
    struct sc_jit_run *run = (struct sc_jit_run *)(uintptr_t)uop->target;
    const unsigned variant = warp->is_full ? EXEC_ALL_ACTIVE : 0;
    if (exec_run_is_due(&run->exec, variant))
        compile_run(warp, run, variant);
    const jit_code code = run->exec.code[variant];
    if (__builtin_expect(!code, 0) || !mali_sc_jit_bring(warp, &run->inputs)) {
        warp->next = run->exec.first;
        return;
    }
    const uint32_t way = code(warp);
    warp->next = run->exec.after[variant];
    if (__builtin_expect(way, 0)) {
        exec_run_missed(&run->exec, mali_sc_code_exec(warp->code), variant);
        mali_sc_jit_rest(warp, &run->inputs, run->exec.first, run->exec.end[variant], way);
    } else {
        run->exec.misses = 0;
    }
}

bool mali_sc_jit_is_head(const struct sc_uop *uop)
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
    *(struct sc_uop *)uop = (struct sc_uop){
        .run = enter_run, .pc = ((const struct sc_uop *)follows)->pc, .target = (const struct sc_uop *)(uintptr_t)run};
}

static uint64_t address(const struct exec_lowering *lowering, const void *uop)
{
    (void)lowering;
    return ((const struct sc_uop *)uop)->pc;
}

const struct exec_family mali_sc_family = {
    .uop_size_B = sizeof(struct sc_uop),
    .run_size_B = sizeof(struct sc_jit_run),
    .least_instructions = 2,
    .least_uops = 3,
    .most_instructions = 400,
    .knows = knows_uop,
    .head = head,
    .begin = begin_run,
    .lower = lower_instruction,
    .end = end_run,
    .address = address,
};
_Static_assert(sizeof(struct sc_uop) <= EXEC_UOP_MAX_B, "a micro-operation");
