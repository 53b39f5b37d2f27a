/* See join.h. */
#include "mali/model/sc/join.h"

#include <stddef.h>

#include "mali/model/sc/core.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/join_area.h"
#include "mali/model/sc/join_build.h"
#include "mali/model/sc/message.h"
#include "mali/model/sc/move.h"
#include "model/pixel/pixel_program.h"

#define REG_COVERAGE 60
#define REG_SAMPLE 61
#define MOST_INSTRUCTIONS 1024
#define MOST_OPERATIONS (JIT_MAX_INSTS - 640) /* of a piece: another one begins then */

/* ---- instructions ---- */

static bool begins_with(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Instructions that only bring something to registers. */
static bool is_load(unsigned op)
{
    const char *name = mali_isa_name(op);
    return begins_with(name, "TEX_") || begins_with(name, "LOAD") || begins_with(name, "LEA_") ||
           (begins_with(name, "LD_") && op != MALI_ISA_OP_LD_TILE && op != MALI_ISA_OP_LD_GCLK_U64);
}

/* Operations whose memory a descriptor bounds. */
static bool is_bounded(unsigned op)
{
    return op >= MALI_ISA_OP_LD_BUFFER_I8 && op <= MALI_ISA_OP_LD_BUFFER_I128;
}

/* Such that change memory. */
static bool is_store(unsigned op)
{
    const char *name = mali_isa_name(op);
    return begins_with(name, "STORE") || begins_with(name, "ATOM") || op == MALI_ISA_OP_ST_CVT;
}

/* A row as it was preloaded. */
static bool is_preloaded(const struct joining *j, sc_place place, unsigned reg)
{
    return place == mali_sc_register_place(reg) && !((j->written | j->changed) >> reg & 1);
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
        mali_sc_join_note_read(j, sc_join_bits(REG_SAMPLE, 1));
    if (!j->join->hooks->varying(j->join->user, &j->b->exec.program, &load, registers))
        return false;
    const unsigned count = mali_regfmt_registers(load.regfmt, load.components);
    for (unsigned i = 0; i < count; i++)
        mali_sc_jit_write_row(j->b, uop->d + i * SC_ROW_B, registers[i]);
    return true;
}

/* The result of tests is for BLEND alone: a row that nothing fills. */
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
    j->end.alpha = mali_sc_jit_read_row(j->b, uop->s[1]);
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

/* A word that is the same in all warps of the launch: a constant, or a uniform, whose value from now on is a fact. */
static bool read_word(struct joining *j, sc_place place, uint32_t *word_out)
{
    struct sc_join *join = j->join;
    bool is_uniform;
    if (!mali_sc_jit_known(j->b, place, &is_uniform, word_out))
        return false;
    if (!is_uniform)
        return true;
    const uint32_t row = *word_out;
    *word_out = j->warp->core->uniforms.words[row];
    for (uint32_t i = 0; i < join->fact_count; i++) {
        if (join->facts[i].row == row)
            return true;
    }
    if (join->fact_count == SC_JOIN_FACTS)
        return false;
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

static enum mali_blend_result take_blend(struct joining *j, const struct sc_uop *uop)
{
    struct lane_program *program = &j->b->exec.program;
    const unsigned format = uop->inst->field[MALI_ISA_FIELD_REGFMT];
    struct sc_join_blend blend = {.regfmt = format, .components = uop->inst->field[MALI_ISA_FIELD_VECTOR] + 1u};
    if (!mali_sc_ways_are_one(&j->ways) || !read_word(j, uop->s[0], &blend.descriptor[0]) ||
        !read_word(j, uop->s[0] + SC_ROW_B, &blend.descriptor[1]) || !take_coverage(j, uop, &blend.coverage))
        return MALI_BLEND_FAULT;
    const unsigned count = mali_regfmt_registers(format, blend.components);
    for (unsigned i = 0; i < count; i++)
        blend.colour[i] = mali_sc_jit_read_row(j->b, uop->s[2] + i * SC_ROW_B);
    return program->failed ? MALI_BLEND_FAULT : j->join->hooks->blend(j->join->user, &blend);
}

/* The tile buffer as it was before the program: no colour of this one has changed it. */
static bool take_tile(struct joining *j, const struct sc_uop *uop)
{
    struct lane_program *program = &j->b->exec.program;
    struct sc_join_tile tile = {
        .regfmt = uop->inst->field[MALI_ISA_FIELD_REGFMT],
        .components = uop->inst->field[MALI_ISA_FIELD_VECTOR] + 1u,
    };
    jit_value registers[4];
    if (!mali_sc_ways_are_one(&j->ways) || !read_word(j, uop->s[0], &tile.pixel) ||
        !read_word(j, uop->s[2], &tile.conversion))
        return false;
    const unsigned count = j->join->hooks->tile(j->join->user, program, &tile, registers);
    for (unsigned i = 0; i < count; i++)
        mali_sc_jit_write_row(j->b, uop->d + i * SC_ROW_B, registers[i]);
    return count && !program->failed;
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

/* A region that lanes have come into and not left. */
static bool is_inside(const struct joining *j)
{
    bool is_any = false;
    for (uint32_t i = 0; i < j->regions.count; i++)
        is_any |= j->regions.regions[i].is_open && !j->regions.regions[i].is_closed;
    return is_any;
}

static bool take_end(struct joining *j)
{
    struct sc_jit_builder *b = j->b;
    mali_sc_join_note_rows(j);
    pixel_join_drop_stores(&b->exec.program);
    j->end.killed = j->ways.killed;
    if (is_inside(j) || !mali_sc_ways_are_one(&j->ways) || !is_tested_unread(j) ||
        !j->join->hooks->finish(j->join->user, &b->exec.program, &j->end))
        return false;
    note_move(j);
    return mali_sc_join_end_piece(j, NULL, NULL);
}

/* ---- all of it ---- */

/* The micro-operations of one instruction but for what its flow field adds. */
static const struct sc_uop *own_end(const struct sc_uop *first, const struct sc_uop *end)
{
    const unsigned flow = first->inst->flow;
    const bool is_more = flow == MALI_ISA_FLOW_RECONVERGE || flow == MALI_ISA_FLOW_DISCARD || flow == MALI_ISA_FLOW_END;
    return is_more ? end - 1 : end;
}

/* The values by which an instruction's own micro-operation finds its sources. */
static bool lower_before(struct joining *j, const struct sc_uop **uop, const struct sc_uop *end)
{
    while (*uop < end && mali_sc_jit_lower_uop(j->b, *uop))
        (*uop)++;
    return *uop == end;
}

static bool take_uops(struct joining *j, const struct sc_uop *first, const struct sc_uop *end)
{
    const struct mali_isa_inst *inst = first->inst;
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
    case MALI_ISA_OP_LD_TILE:
        is_done = lower_before(j, &first, end - 1) && take_tile(j, first);
        break;
    default:
        is_done = mali_isa_unit(inst->op) == MALI_ISA_UNIT_V && first + 1 == end && take_varying(j, first);
        if (is_done || j->b->exec.program.failed)
            break;
        j->b->has_quads = mali_sc_ways_have_quads(&j->ways);
        /* Other loads of host code may miss, which only runs and loops know what to do with. */
        is_done = (!is_load(inst->op) || is_bounded(inst->op)) && !is_store(inst->op) &&
                  mali_sc_family.lower(&j->b->exec, first, end) == end;
        if (!is_done && (mali_isa_has_dst(inst->op) || is_load(inst->op) || is_store(inst->op)) &&
            mali_isa_unit(inst->op) != MALI_ISA_UNIT_V) {
            if (is_store(inst->op) && j->ways.killed != JIT_NONE) /* who was killed is not known to it */
                return false;
            j->join->between.has_stores |= is_store(inst->op);
            is_done = mali_sc_join_uops(j, first, end);
            mali_sc_join_note_written(j, inst);
            j->before = j->written;
            return is_done;
        }
        break;
    }
    mali_sc_join_note_written(j, inst);
    return is_done && !j->b->exec.program.failed;
}

/* BLEND, with the colours as values. False: not for this; *next_out NULL: the program ends. */
static bool follow_blend(struct joining *j, const struct sc_uop *uop, const struct sc_uop **next_out)
{
    const struct sc_uop *end = uop;
    while (!mali_sc_is_blend(end))
        end++;
    *next_out = NULL;
    if (!lower_before(j, &uop, end))
        return false;
    const enum mali_blend_result result = take_blend(j, uop);
    if (result == MALI_BLEND_FAULT)
        return false;
    if (result == MALI_BLEND_DONE) {
        j->has_blend = true;
        if (uop->imm)
            return take_end(j);
    }
    *next_out = mali_sc_code_enter(j->warp, result == MALI_BLEND_DONE ? uop->target_pc : uop->pc + 8);
    return *next_out != NULL;
}

/* BRANCHZI, which calls a blend shader or goes back from it, as follow_blend() has it: all lanes go to the same
 * place. */
static bool follow_address(struct joining *j, const struct sc_uop *uop, const struct sc_uop **next_out)
{
    const struct mali_isa_inst *inst = uop->inst;
    const struct sc_uop *end = uop;
    uint32_t condition, address;
    while (end->inst == inst && !mali_sc_is_indirect(end))
        end++;
    *next_out = NULL;
    if (end->inst != inst || !lower_before(j, &uop, end) || !mali_sc_ways_are_one(&j->ways) || is_inside(j) ||
        !read_word(j, uop->s[0], &condition))
        return false;
    uint64_t pc = uop->pc + 8;
    if (mali_sc_takes(uop, condition)) {
        if (!read_word(j, uop->s[1], &address))
            return false;
        pc = mali_sc_address(j->warp, address);
    } else if (inst->flow == MALI_ISA_FLOW_END) {
        return take_end(j);
    }
    mali_sc_jit_note_lives(j->b, inst);
    mali_sc_ways_end_lives(&j->ways);
    *next_out = mali_sc_code_enter(j->warp, pc);
    return *next_out != NULL;
}

/* The micro-operations of an instruction whose first one enters a loop now. */
static const struct sc_uop *original(struct joining *j, const struct sc_uop *uop)
{
    const struct sc_uop *saved = mali_sc_loop_original(uop);
    size_t count = 1;
    if (saved == uop)
        return uop;
    while (uop[count].inst == saved->inst)
        count++;
    struct sc_uop *copy = exec_code_alloc(mali_sc_code_exec(j->warp->code), (count + 1) * sizeof(*copy));
    if (!copy)
        return NULL;
    memcpy(copy, uop, (count + 1) * sizeof(*copy));
    copy[0] = *saved;
    return copy;
}

static bool follow_program(struct joining *j, const struct sc_uop *uop)
{
    for (unsigned n = 0; n < MOST_INSTRUCTIONS; n++) {
        while (uop && mali_sc_jit_is_head(mali_sc_loop_original(uop)))
            uop++;
        if (!uop || (j->b->exec.program.count > MOST_OPERATIONS && !mali_sc_join_cut_here(j, uop)))
            return false;
        const struct sc_uop *after = NULL;
        if (!mali_sc_join_end_regions(j, uop, uop->pc))
            return false;
        mali_sc_ways_arrive(&j->ways, uop->pc);
        if (!mali_sc_join_begin_regions(j, uop, &after))
            return false;
        if (after) {
            uop = after;
            continue;
        }
        const struct sc_uop *place = uop;
        uop = original(j, uop);
        if (!uop || !uop->inst)
            return false;
        const struct mali_isa_inst *inst = uop->inst;
        const struct sc_uop *end = uop, *const first = uop;
        if (inst->op == MALI_ISA_OP_BLEND || inst->op == MALI_ISA_OP_BRANCHZI) {
            const bool is_good =
                inst->op == MALI_ISA_OP_BLEND ? follow_blend(j, uop, &uop) : follow_address(j, uop, &uop);
            if (!is_good || !uop)
                return is_good;
            continue;
        }
        if (inst->op == MALI_ISA_OP_BRANCHZ) {
            while (end->inst == inst && mali_sc_flow(end) == SC_FLOW_NONE)
                end++;
            if (end->inst != inst || !lower_before(j, &uop, end))
                return false;
        }
        if (mali_sc_flow(uop) != SC_FLOW_NONE) {
            uop = mali_sc_join_branch(j, uop);
            continue;
        }
        while (end->inst == inst)
            end++;
        const struct sc_uop *own = own_end(uop, end);
        if (!take_uops(j, uop, own))
            return false;
        mali_sc_ways_end_lives(&j->ways);
        if (inst->flow == MALI_ISA_FLOW_DISCARD)
            mali_sc_ways_end_helpers(&j->ways);
        if (inst->flow == MALI_ISA_FLOW_END)
            return take_end(j);
        uop = inst->flow == MALI_ISA_FLOW_RECONVERGE ? mali_sc_code_enter(j->warp, own->target_pc)
                                                     : place + (end - first);
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
        .end = {JIT_NONE, JIT_NONE, JIT_NONE, JIT_NONE, JIT_NONE, false},
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
    join->is_apart = true;
    if (!j.b) { /* no host code on this host */
        join->area = NULL;
        join->variant->state = PIXEL_JOIN_NEVER;
        return false;
    }
    j.b->exec.variant = EXEC_ALL_ACTIVE;
    mali_sc_jit_begin(j.b, warp);
    j.b->has_words = true;
    mali_sc_ways_begin(&j.ways, j.b);
    mali_sc_join_find_regions(warp, &j.regions);
    const bool is_done = pixel_program_fits(&j.b->exec.program) &&
                         follow_program(&j, mali_sc_code_enter(warp, warp->launch->code_va)) &&
                         warp->state == MALI_WARP_RUNNING;
    join->area = is_done && (j.is_divided || j.ways.killed != JIT_NONE) ? j.area : NULL;
    join->variant->state = is_done ? PIXEL_JOIN_READY : PIXEL_JOIN_NEVER;
    return is_done;
}
