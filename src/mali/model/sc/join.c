/* See join.h. */
#include "mali/model/sc/join.h"

#include <stddef.h>
#include <stdlib.h>

#include "mali/model/sc/core.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/jit_build.h"
#include "mali/model/sc/message.h"
#include "mali/model/sc/move.h"
#include "model/pixel/pixel_program.h"
#include "util/debug.h"

#define REG_COVERAGE 60
#define REG_SAMPLE 61
#define MOST_INSTRUCTIONS 512

struct joining {
    struct sc_join *join;
    struct mali_warp *warp;
    struct sc_jit_builder *b;
    struct jit_frame frame;
    uint64_t written;        /* registers, by whatever */
    jit_value coverage;      /* that ATEST has got; JIT_NONE: what was preloaded */
    jit_value tested;        /* what ATEST has returned; JIT_NONE: it was not here */
    jit_value is_killed;     /* by DISCARD, so far; JIT_NONE: nothing */
    bool is_without_helpers; /* .discard was here */
    struct sc_move *move;    /* if so far it can be one */
    bool has_blend;          /* BLEND was: its colours are values of this segment, and are stored at the end */
};

/* ---- registers ---- */

static uint64_t bits_of(unsigned first, unsigned count)
{
    return (((uint64_t)1 << count) - 1) << first % MALI_WARP_REGISTERS;
}

static bool is_wide(unsigned op)
{
    const char *name = mali_isa_name(op);
    return strcmp(name + strlen(name) - 2, "64") == 0;
}

static void note_read(struct joining *j, uint64_t registers)
{
    j->join->preloaded |= (uint32_t)((registers & ~j->written) >> 48);
}

static void note_written(struct joining *j, const struct mali_isa_inst *inst)
{
    if (mali_isa_has_dst(inst->op))
        j->written |= bits_of(inst->dst, is_wide(inst->op) ? 2 : 1);
    for (unsigned i = 0; i < mali_isa_staging_count(inst->op); i++) {
        if (mali_isa_staging_is_written(inst->op, i))
            j->written |= bits_of(inst->staging[i].reg, inst->staging[i].count);
    }
}

/* What micro-operations look at. */
static void note_uops(struct joining *j, const struct mali_isa_inst *inst)
{
    for (unsigned i = 0; i < mali_isa_source_count(inst->op); i++) {
        if (inst->sources[i].kind == MALI_ISA_SOURCE_REGISTER)
            note_read(j, bits_of(inst->sources[i].value, 2));
    }
    if (mali_isa_has_dst(inst->op) && inst->dst_mask != 3)
        note_read(j, bits_of(inst->dst, 1));
    for (unsigned i = 0; i < mali_isa_staging_count(inst->op); i++) {
        if (mali_isa_staging_is_read(inst->op, i))
            note_read(j, bits_of(inst->staging[i].reg, inst->staging[i].count));
    }
}

/* Rows that the segment at hand has read before anything has written them. */
static void note_rows(struct joining *j, uint64_t written)
{
    const struct lane_program *program = &j->b->exec.program;
    const uint64_t now = j->written;
    j->written = written;
    for (uint32_t i = 0; i < program->count; i++) {
        const uint32_t at_B = program->insts[i].imm - (uint32_t)offsetof(struct mali_warp, rows);
        if (program->insts[i].op == JIT_ROW && at_B < MALI_WARP_REGISTERS * SC_ROW_B)
            note_read(j, bits_of(at_B / SC_ROW_B, 1));
    }
    j->written = now;
}

/* ---- segments ---- */

static bool end_segment(struct joining *j, const struct sc_uop *first, const struct sc_uop *end)
{
    struct sc_jit_builder *b = j->b;
    return pixel_variant_add(j->join->variant, mali_sc_code_exec(j->warp->code), &b->exec.program, &j->frame,
                             b->inputs.uniform_count ? &b->inputs : NULL, sizeof(b->inputs), first, end);
}

/* Registers are stored, micro-operations run, and another segment begins. */
static bool take_uops(struct joining *j, const struct sc_uop *first, const struct sc_uop *end, uint64_t written)
{
    struct sc_jit_builder *b = j->b;
    if (j->tested != JIT_NONE || j->is_killed != JIT_NONE || j->has_blend)
        return false;
    j->join->needs_cover |= j->is_without_helpers;
    j->move = !j->join->variant->count && first + 1 == end ? mali_sc_move_begin(b, first) : NULL;
    if (j->move && !mali_sc_move_keep(&j->move->from, mali_sc_code_exec(j->warp->code), b))
        j->move = NULL;
    note_rows(j, written);
    note_uops(j, first->inst);
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        if (b->dead >> reg & 1)
            exec_rows_forget(&b->rows, mali_sc_register_place(reg));
    }
    exec_rows_end(&b->rows, &b->exec.program);
    j->join->has_uops = true;
    if (!end_segment(j, first, end))
        return false;
    mali_sc_jit_begin(b, j->warp);
    return true;
}

/* ---- instructions ---- */

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Instructions that only bring something to registers. */
static bool is_load(unsigned op)
{
    const char *name = mali_isa_name(op);
    return begins(name, "TEX_") || begins(name, "LOAD") || begins(name, "LEA_BUF") ||
           (begins(name, "LD_") && op != MALI_ISA_OP_LD_TILE && op != MALI_ISA_OP_LD_GCLK_U64);
}

/* A row as it was preloaded. */
static bool is_preloaded(const struct joining *j, sc_place place, unsigned reg)
{
    return place == mali_sc_register_place(reg) && !(j->written >> reg & 1);
}

/* How many registers so many components take. */
static unsigned registers_of(enum mali_regfmt format, unsigned components)
{
    const bool is_half = format == MALI_REGFMT_F16 || format == MALI_REGFMT_S16 || format == MALI_REGFMT_U16;
    return is_half ? (components + 1) / 2 : components;
}

static bool take_varying(struct joining *j, const struct sc_uop *uop)
{
    struct mali_varying_load load;
    jit_value registers[4];
    if (!mali_sc_varying_of(uop, &load) || load.sample == MALI_SAMPLE_EXPLICIT)
        return false;
    const bool has_place = load.kind != MALI_VARYING_FLAT && load.sample == MALI_SAMPLE_SAMPLE;
    if (has_place && !is_preloaded(j, uop->s[0], REG_SAMPLE))
        return false;
    if (has_place)
        note_read(j, bits_of(REG_SAMPLE, 1));
    if (!j->join->hooks->varying(j->join->user, &j->b->exec.program, &load, registers))
        return false;
    const unsigned count = registers_of(load.regfmt, load.components);
    j->b->dead &= ~bits_of(uop->inst->staging[0].reg, count);
    for (unsigned i = 0; i < count; i++)
        mali_sc_jit_write_row(j->b, uop->d + i * SC_ROW_B, registers[i]);
    return true;
}

/* What it returns is for BLEND alone: a row that nothing fills. */
static bool take_test(struct joining *j, const struct sc_uop *uop)
{
    struct lane_program *program = &j->b->exec.program;
    if (j->tested != JIT_NONE)
        return false;
    if (!is_preloaded(j, uop->s[0], REG_COVERAGE))
        j->coverage = mali_sc_jit_read_row(j->b, uop->s[0]);
    j->tested = lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, offsetof(struct mali_warp, temp));
    mali_sc_jit_write_row(j->b, uop->d, j->tested);
    return !program->failed;
}

/* A word that is the same in all warps of the launch, which from now on is a fact. */
static bool read_word(struct joining *j, sc_place place, uint32_t *word_out)
{
    struct sc_join *join = j->join;
    const uint32_t row = (place & ~SC_BASE_MASK) / SC_ROW_B;
    if ((place & SC_BASE_MASK) == SC_BASE_CONSTANTS) {
        *word_out = *(const uint32_t *)sc_at(j->warp, place);
        return true;
    }
    if ((place & SC_BASE_MASK) != SC_BASE_UNIFORMS || join->fact_count == SC_JOIN_FACTS)
        return false;
    *word_out = j->warp->core->uniforms.words[row];
    join->facts[join->fact_count++] = (struct sc_join_fact){row, *word_out};
    return true;
}

static bool take_blend(struct joining *j, const struct sc_uop *uop)
{
    struct lane_program *program = &j->b->exec.program;
    const unsigned format = uop->inst->field[MALI_ISA_FIELD_REGFMT];
    struct sc_join_blend blend = {.regfmt = format, .components = uop->inst->field[MALI_ISA_FIELD_VECTOR] + 1u};
    if (!read_word(j, uop->s[0], &blend.descriptor[0]) || !read_word(j, uop->s[0] + SC_ROW_B, &blend.descriptor[1]))
        return false;
    const bool is_whole = j->tested == JIT_NONE && is_preloaded(j, uop->s[1], REG_COVERAGE);
    if (!is_whole && (j->tested == JIT_NONE || mali_sc_jit_read_row(j->b, uop->s[1]) != j->tested))
        return false;
    const unsigned count = registers_of(format, blend.components);
    for (unsigned i = 0; i < count; i++)
        blend.colour[i] = mali_sc_jit_read_row(j->b, uop->s[2] + i * SC_ROW_B);
    return !program->failed && j->join->hooks->blend(j->join->user, &blend);
}

static bool take_discard(struct joining *j, const struct sc_uop *uop)
{
    struct lane_program *program = &j->b->exec.program;
    const jit_value zero = lane_program_const(program, 0),
                    lives = lane_program_eq(program, mali_sc_jit_read_row(j->b, uop->d), zero),
                    killed = lane_program_not(program, lives);
    if (j->tested != JIT_NONE)
        return false;
    j->is_killed = j->is_killed == JIT_NONE ? killed : lane_program_or(program, j->is_killed, killed);
    return !program->failed;
}

/* ---- the end ---- */

/* Nothing has looked at what ATEST returned. */
static bool is_tested_unread(const struct joining *j)
{
    const struct lane_program *program = &j->b->exec.program;
    bool is_read = false;
    for (uint32_t i = 0; i < program->count && j->tested != JIT_NONE; i++) {
        const struct jit_inst *inst = &program->insts[i];
        const uint32_t count = jit_operand_count(inst->op);
        const jit_value operands[3] = {inst->a, inst->b, inst->c};
        for (uint32_t n = 0; n < count; n++)
            is_read |= operands[n] == j->tested;
    }
    return !is_read;
}

/* One word of a lane is stored at the end. */
static void note_move(struct joining *j)
{
    const struct lane_program *program = &j->b->exec.program;
    unsigned stores = 0;
    for (uint32_t i = 0; i < program->count && j->move; i++) {
        if (program->insts[i].op != JIT_STORE && program->insts[i].op != JIT_STORE_BITS)
            continue;
        stores++;
        j->move->result = program->insts[i].a;
        j->move->result_B = program->insts[i].imm;
    }
    if (stores == 1 && mali_sc_move_keep(&j->move->become, mali_sc_code_exec(j->warp->code), j->b))
        j->join->move = j->move;
}

static bool take_end(struct joining *j, uint64_t written)
{
    struct sc_jit_builder *b = j->b;
    note_rows(j, written);
    pixel_join_drop_stores(&b->exec.program);
    if (!is_tested_unread(j) || !j->join->hooks->finish(j->join->user, &b->exec.program, j->coverage, j->is_killed))
        return false;
    note_move(j);
    return end_segment(j, NULL, NULL);
}

/* ---- all of it ---- */

/* The micro-operations of one instruction but for what its flow field adds. */
static const struct sc_uop *own_end(const struct sc_uop *first, const struct sc_uop *end)
{
    const unsigned flow = first->inst->flow;
    const bool is_more = flow == MALI_ISA_FLOW_RECONVERGE || flow == MALI_ISA_FLOW_DISCARD || flow == MALI_ISA_FLOW_END;
    return is_more ? end - 1 : end;
}

static bool take(struct joining *j, const struct sc_uop *first, const struct sc_uop *end, uint64_t *written)
{
    const struct mali_isa_inst *inst = first->inst;
    const uint64_t before = *written;
    bool is_done;
    if (first == end || inst->op == MALI_ISA_OP_NOP)
        return true;
    switch (inst->op) {
    case MALI_ISA_OP_ATEST:
        for (; first < end - 1; first++) {
            if (!mali_sc_jit_lower_uop(j->b, first))
                return false;
        }
        is_done = take_test(j, first);
        break;
    case MALI_ISA_OP_DISCARD_F32:
        for (; first < end - 1; first++) {
            if (!mali_sc_jit_lower_uop(j->b, first))
                return false;
        }
        is_done = take_discard(j, first);
        break;
    default:
        is_done = mali_isa_unit(inst->op) == MALI_ISA_UNIT_V && first + 1 == end && take_varying(j, first);
        if (is_done || j->b->exec.program.failed)
            break;
        /* Loads of host code may miss, which only runs and loops know what to do with. */
        is_done = !is_load(inst->op) && mali_sc_family.lower(&j->b->exec, first, end) == end;
        if (!is_done && (mali_isa_has_dst(inst->op) || is_load(inst->op)) &&
            mali_isa_unit(inst->op) != MALI_ISA_UNIT_V) {
            is_done = take_uops(j, first, end, before);
            note_written(j, inst);
            *written = j->written;
            return is_done;
        }
        break;
    }
    note_written(j, inst);
    return is_done && !j->b->exec.program.failed;
}

static bool follow(struct joining *j, const struct sc_uop *uop)
{
    uint64_t written = 0; /* before the segment at hand */
    for (unsigned n = 0; n < MOST_INSTRUCTIONS; n++) {
        while (uop && mali_sc_jit_is_head(uop))
            uop++;
        if (!uop || !uop->inst || j->b->exec.program.count > JIT_MAX_INSTS - 512)
            return false;
        const struct mali_isa_inst *inst = uop->inst;
        const struct sc_uop *end = uop;
        if (inst->op == MALI_ISA_OP_BLEND) {
            while (!mali_sc_is_blend(end))
                end++;
            for (; uop < end; uop++) {
                if (!mali_sc_jit_lower_uop(j->b, uop))
                    return false;
            }
            if (!take_blend(j, uop))
                return false;
            j->has_blend = true;
            if (uop->imm)
                return take_end(j, written);
            uop = mali_sc_code_enter(j->warp, uop->target_pc);
            continue;
        }
        if (mali_sc_flow(uop) == SC_FLOW_ALWAYS) { /* a block ends */
            uop = uop->target_pc > uop->pc ? mali_sc_code_enter(j->warp, uop->target_pc) : NULL;
            continue;
        }
        if (inst->op == MALI_ISA_OP_BRANCHZ || inst->op == MALI_ISA_OP_BRANCHZI)
            return false;
        while (end->inst == inst)
            end++;
        const struct sc_uop *own = own_end(uop, end);
        if (!take(j, uop, own, &written))
            return false;
        j->is_without_helpers |= inst->flow == MALI_ISA_FLOW_DISCARD;
        if (inst->flow == MALI_ISA_FLOW_END)
            return take_end(j, written);
        uop = inst->flow == MALI_ISA_FLOW_RECONVERGE ? mali_sc_code_enter(j->warp, own->target_pc) : end;
    }
    return false;
}

bool mali_sc_join(struct sc_join *join)
{
    struct mali_warp *warp = join->warp;
    struct joining j = {
        .join = join,
        .warp = warp,
        .b = mali_sc_code_jit(warp->code),
        .frame = {MALI_ROW_LANES, offsetof(struct mali_warp, active_lanes), join->frame_B},
        .coverage = JIT_NONE,
        .tested = JIT_NONE,
        .is_killed = JIT_NONE,
    };
    join->variant->count = 0;
    join->move = NULL;
    join->preloaded = 0;
    join->has_uops = join->needs_cover = false;
    join->fact_count = 0;
    j.b->exec.variant = EXEC_ALL_ACTIVE;
    mali_sc_jit_begin(j.b, warp);
    const bool is_done = pixel_program_fits(&j.b->exec.program) &&
                         follow(&j, mali_sc_code_enter(warp, warp->launch->code_va)) &&
                         warp->state == MALI_WARP_RUNNING;
    join->variant->state = is_done ? PIXEL_JOIN_READY : PIXEL_JOIN_NEVER;
    return is_done;
}

/* ---- running ---- */

bool mali_sc_join_holds(const struct mali_core *core, const struct sc_join_fact *facts, uint32_t count)
{
    bool is_so = true;
    for (uint32_t i = 0; i < count; i++)
        is_so &= core->uniforms.words[facts[i].row] == facts[i].word;
    return is_so;
}

struct exec_code *mali_sc_join_code(const struct mali_core *core)
{
    return mali_sc_code_jit(core->code) && !debug_enabled(DEBUG_COHERENCE) ? mali_sc_code_exec(core->code) : NULL;
}

struct mali_warp *mali_sc_join_warp(struct mali_core *core, const struct mali_launch *launch, uint32_t size_B)
{
    if (!core->joined) {
        const size_t all_B = sizeof(struct mali_warp) + ((size_B + 63) & ~(size_t)63);
        core->joined = aligned_alloc(64, all_B);
        if (core->joined)
            memset(core->joined, 0, all_B);
    }
    if (!core->joined || !mali_sc_warp_begin(core, core->joined, launch))
        return NULL;
    mali_sc_warp_storage(core->joined, (uint64_t)core->number * MALI_ROW_LANES, 0);
    return core->joined;
}

bool mali_sc_join_run(struct mali_warp *warp, const struct pixel_variant *variant, bool has_uops, uint64_t lanes)
{
    if (has_uops && (warp->active != lanes || warp->launched != lanes)) {
        warp->launched = lanes;
        mali_warp_run_lanes(warp, lanes);
    }
    for (uint32_t i = 0; i < variant->count; i++) {
        const struct pixel_segment *segment = &variant->segments[i];
        if (segment->inputs)
            (void)mali_sc_jit_bring(warp, segment->inputs); /* uniforms alone, which are always there */
        segment->code(warp);
        for (const struct sc_uop *uop = segment->first; uop != segment->end; uop++) {
            uop->run(warp, uop);
            if (__builtin_expect(warp->state == MALI_WARP_FAULTED, 0)) {
                mali_sc_report(warp);
                return false;
            }
        }
    }
    return true;
}
