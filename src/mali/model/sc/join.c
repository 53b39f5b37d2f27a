/* See join.h. */
#include "mali/model/sc/join.h"

#include <stddef.h>

#include "mali/model/sc/core.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/join_area.h"
#include "mali/model/sc/join_ways.h"
#include "mali/model/sc/message.h"
#include "mali/model/sc/move.h"
#include "model/pixel/pixel_program.h"

#define REG_COVERAGE 60
#define REG_SAMPLE 61
#define MOST_INSTRUCTIONS 512

struct joining {
    struct sc_join *join;
    struct mali_warp *warp;
    struct sc_jit_builder *b;
    struct jit_frame frame;
    uint64_t written; /* registers, by whatever */
    struct sc_join_end end;
    jit_value tested;          /* what ATEST, or ZS_EMIT, has returned; JIT_NONE: it was not here */
    bool is_without_helpers;   /* .discard was here */
    struct sc_move *move;      /* if so far it can be one */
    struct sc_join_area *area; /* if it is kept */
    bool has_blend;            /* BLEND was: its colours are values of this segment, and are stored at the end */
    bool is_divided;           /* lanes went different ways */
    struct sc_ways ways;
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
    struct exec_code *code = mali_sc_code_exec(j->warp->code);
    const bool is_some = j->join->between.is_some >> j->join->variant->count & 1;
    if (j->area && !mali_sc_area_add(j->area, code, b, is_some))
        j->area = NULL;
    return pixel_variant_add(j->join->variant, code, &b->exec.program, &j->frame,
                             b->inputs.uniform_count ? &b->inputs : NULL, sizeof(b->inputs), first, end);
}

/* Registers are stored, micro-operations run, and another segment begins. */
static bool take_uops(struct joining *j, const struct sc_uop *first, const struct sc_uop *end, uint64_t written)
{
    struct sc_jit_builder *b = j->b;
    struct sc_join_between *between = &j->join->between;
    const uint32_t number = j->join->variant->count;
    if (j->tested != JIT_NONE || number >= PIXEL_SEGMENTS)
        return false;
    const bool is_plain = !number && first + 1 == end && mali_sc_ways_are_one(&j->ways);
    j->move = is_plain ? mali_sc_move_begin(b, first) : NULL;
    if (j->move && !mali_sc_move_keep(&j->move->from, mali_sc_code_exec(j->warp->code), b))
        j->move = NULL;
    between->is_any = true;
    between->is_bare |= (uint32_t)j->is_without_helpers << number;
    between->is_some |= (uint32_t)mali_sc_ways_store(&j->ways) << number;
    if (j->has_blend)
        j->join->hooks->pause(j->join->user, &b->exec.program);
    note_rows(j, written);
    note_uops(j, first->inst);
    if (!end_segment(j, first, end))
        return false;
    mali_sc_jit_begin(b, j->warp);
    mali_sc_ways_load(&j->ways);
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
    for (unsigned i = 0; i < count; i++)
        mali_sc_jit_write_row(j->b, uop->d + i * SC_ROW_B, registers[i]);
    return true;
}

/* What tests return is for BLEND alone: a row that nothing fills. */
static jit_value stand_in(struct lane_program *program)
{
    return lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, offsetof(struct mali_warp, temp));
}

static bool take_test(struct joining *j, const struct sc_uop *uop)
{
    struct lane_program *program = &j->b->exec.program;
    if (j->tested != JIT_NONE || j->has_blend || !mali_sc_ways_are_one(&j->ways))
        return false;
    if (!is_preloaded(j, uop->s[0], REG_COVERAGE))
        j->end.coverage = mali_sc_jit_read_row(j->b, uop->s[0]);
    j->tested = stand_in(program);
    mali_sc_jit_write_row(j->b, uop->d, j->tested);
    return !program->failed;
}

/* Depth and stencil of what ATEST has left. */
static bool take_zs(struct joining *j, const struct sc_uop *uop)
{
    struct lane_program *program = &j->b->exec.program;
    if (j->tested == JIT_NONE || j->end.has_zs || j->has_blend || !mali_sc_ways_are_one(&j->ways) ||
        mali_sc_jit_read_row(j->b, uop->s[2]) != j->tested)
        return false;
    j->end.has_zs = true;
    j->end.depth = uop->imm & 1 ? mali_sc_jit_read_row(j->b, uop->s[0]) : JIT_NONE;
    j->end.stencil = uop->imm & 2 ? mali_sc_jit_read_row(j->b, uop->s[1]) : JIT_NONE;
    j->tested = stand_in(program);
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

/* The coverage of a BLEND is what tests have left, what was preloaded, or its own where there were no tests. */
static bool take_coverage(struct joining *j, const struct sc_uop *uop, jit_value *own_out)
{
    *own_out = JIT_NONE;
    if (j->tested != JIT_NONE)
        return mali_sc_jit_read_row(j->b, uop->s[1]) == j->tested;
    if (!is_preloaded(j, uop->s[1], REG_COVERAGE))
        *own_out = mali_sc_jit_read_row(j->b, uop->s[1]);
    return true;
}

static bool take_blend(struct joining *j, const struct sc_uop *uop)
{
    struct lane_program *program = &j->b->exec.program;
    const unsigned format = uop->inst->field[MALI_ISA_FIELD_REGFMT];
    struct sc_join_blend blend = {.regfmt = format, .components = uop->inst->field[MALI_ISA_FIELD_VECTOR] + 1u};
    if (!mali_sc_ways_are_one(&j->ways) || !read_word(j, uop->s[0], &blend.descriptor[0]) ||
        !read_word(j, uop->s[0] + SC_ROW_B, &blend.descriptor[1]) || !take_coverage(j, uop, &blend.coverage))
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
                    lives = lane_program_eq(program, mali_sc_jit_read_row(j->b, uop->d), zero);
    if (j->tested != JIT_NONE)
        return false;
    mali_sc_ways_kill(&j->ways, lane_program_not(program, lives));
    return !program->failed;
}

/* ---- the end ---- */

/* Nothing has looked at what tests returned. */
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
    j->end.killed = j->ways.killed;
    if (!mali_sc_ways_are_one(&j->ways) || !is_tested_unread(j) ||
        !j->join->hooks->finish(j->join->user, &b->exec.program, &j->end))
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

/* What an instruction's own micro-operation finds its sources by. */
static bool lower_before(struct joining *j, const struct sc_uop **uop, const struct sc_uop *end)
{
    while (*uop < end && mali_sc_jit_lower_uop(j->b, *uop))
        (*uop)++;
    return *uop == end;
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
        is_done = lower_before(j, &first, end - 1) && take_test(j, first);
        break;
    case MALI_ISA_OP_ZS_EMIT:
        is_done = lower_before(j, &first, end - 1) && take_zs(j, first);
        break;
    case MALI_ISA_OP_DISCARD_F32:
        is_done = lower_before(j, &first, end - 1) && take_discard(j, first);
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

/* BLEND, with the colours as values. False: not for this; *next_out NULL: the program ends. */
static bool follow_blend(struct joining *j, const struct sc_uop *uop, uint64_t written, const struct sc_uop **next_out)
{
    const struct sc_uop *end = uop;
    while (!mali_sc_is_blend(end))
        end++;
    *next_out = NULL;
    if (!lower_before(j, &uop, end) || !take_blend(j, uop))
        return false;
    j->has_blend = true;
    if (uop->imm)
        return take_end(j, written);
    *next_out = mali_sc_code_enter(j->warp, uop->target_pc);
    return *next_out != NULL;
}

/* .discard. */
static void end_helpers(struct joining *j)
{
    struct sc_ways *ways = &j->ways;
    j->is_without_helpers = true;
    if (ways->killed != JIT_NONE && ways->paths.lanes == JIT_NONE)
        ways->ended = ways->killed;
}

/* A branch forward. NULL: it is none. */
static const struct sc_uop *follow_branch(struct joining *j, const struct sc_uop *uop)
{
    struct exec_paths *paths = &j->ways.paths;
    uint64_t pc = uop->target_pc;
    if (pc <= uop->pc)
        return NULL;
    if (mali_sc_flow(uop) == SC_FLOW_LANES) {
        j->is_divided = true;
        exec_paths_part(paths, pc, mali_sc_jit_taken(j->b, uop));
        mali_sc_jit_note_lives(j->b, uop->inst);
        mali_sc_ways_end_lives(&j->ways);
        return mali_sc_code_enter(j->warp, uop->pc + 8);
    }
    if (pc != uop->pc + 8) {
        exec_paths_jump(paths, pc);
        (void)exec_paths_next(paths, &pc);
    }
    return mali_sc_code_enter(j->warp, pc);
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
        mali_sc_ways_arrive(&j->ways, uop->pc);
        if (inst->op == MALI_ISA_OP_BLEND) {
            const bool is_good = follow_blend(j, uop, written, &uop);
            if (!is_good || !uop)
                return is_good;
            continue;
        }
        if (inst->op == MALI_ISA_OP_BRANCHZ || inst->op == MALI_ISA_OP_BRANCHZI) {
            while (end->inst == inst && mali_sc_flow(end) == SC_FLOW_NONE)
                end++;
            if (end->inst != inst || !lower_before(j, &uop, end))
                return false;
        }
        if (mali_sc_flow(uop) != SC_FLOW_NONE) {
            uop = follow_branch(j, uop);
            continue;
        }
        while (end->inst == inst)
            end++;
        const struct sc_uop *own = own_end(uop, end);
        if (!take(j, uop, own, &written))
            return false;
        mali_sc_ways_end_lives(&j->ways);
        if (inst->flow == MALI_ISA_FLOW_DISCARD)
            end_helpers(j);
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
        .end = {JIT_NONE, JIT_NONE, JIT_NONE, JIT_NONE, false},
        .tested = JIT_NONE,
    };
    join->variant->count = 0;
    join->move = NULL;
    j.area = exec_code_alloc(mali_sc_code_exec(warp->code), sizeof(*j.area));
    if (j.area)
        j.area->count = 0;
    join->preloaded = 0;
    join->between = (struct sc_join_between){0};
    join->fact_count = 0;
    j.b->exec.variant = EXEC_ALL_ACTIVE;
    mali_sc_jit_begin(j.b, warp);
    mali_sc_ways_begin(&j.ways, j.b);
    const bool is_done = pixel_program_fits(&j.b->exec.program) &&
                         follow(&j, mali_sc_code_enter(warp, warp->launch->code_va)) &&
                         warp->state == MALI_WARP_RUNNING;
    join->area = is_done && (j.is_divided || j.ways.killed != JIT_NONE) ? j.area : NULL;
    join->variant->state = is_done ? PIXEL_JOIN_READY : PIXEL_JOIN_NEVER;
    return is_done;
}
