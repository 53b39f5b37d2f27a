/* See join.h. */
#include "adreno/model/sp/join.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/isa/isa_tables.h"
#include "adreno/model/sp/jit.h"
#include "adreno/model/sp/jit_build.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/uops.h"
#include "model/pixel/pixel_program.h"

#define MOST_INSTRUCTIONS 2048
#define END_PC UINT64_MAX /* where lanes wait that have ended */
_Static_assert(PIXEL_SEGMENTS <= 64, "bits of struct sp_join_between");

struct joining {
    struct sp_join *join;
    struct adreno_wave *wave;
    struct sp_jit_builder *b;
    struct jit_frame frame;
    struct exec_paths *paths;
    bool is_predicated;  /* between predt and prede */
    bool has_parted;     /* lanes have gone different ways in this piece: rows are what each lane chose */
    jit_value is_killed; /* so far; JIT_NONE: nothing */
};

/* ---- segments ---- */

#define MASKS_B ((uint32_t)(ADRENO_JOIN_ROWS_B + offsetof(struct sp_join_rows, masks)))
#define KILLED_B ((uint32_t)(ADRENO_JOIN_ROWS_B + offsetof(struct sp_join_rows, killed)))
#define RUNNING_B ((uint32_t)(ADRENO_JOIN_ROWS_B + offsetof(struct sp_join_rows, running)))

static bool end_segment(struct joining *j, const struct sp_uop *first, const struct sp_uop *end)
{
    struct sp_jit_builder *b = j->b;
    const bool has_inputs = b->inputs.constant_count || b->inputs.view_count;
    return !b->inputs.has_local &&
           pixel_variant_add(j->join->variant, adreno_sp_code_exec(j->wave->code), &b->exec.program, &j->frame,
                             has_inputs ? &b->inputs : NULL, sizeof(b->inputs), first, end);
}

static bool are_one(const struct exec_paths *paths)
{
    return paths->lanes == JIT_NONE && !paths->count;
}

/* Registers that someone still looks at who runs or waits. */
static struct sp_jit_live live_of(const struct joining *j, uint32_t pc)
{
    struct sp_jit_live live = adreno_sp_jit_live(j->wave, pc, false);
    for (uint32_t i = 0; i < j->paths->count; i++) {
        const uint64_t at = j->paths->waiting[i].pc;
        struct sp_jit_live other;
        memset(&other, 0xff, sizeof(other));
        if (at != END_PC)
            other = adreno_sp_jit_live(j->wave, (uint32_t)at, false);
        for (unsigned k = 0; k < SP_JIT_LIVE_WORDS; k++)
            live.units[k] |= other.units[k];
    }
    return live;
}

/* Each lane's registers are stored, whichever way it goes. */
static void store_ways(struct joining *j, uint32_t pc)
{
    struct lane_program *program = &j->b->exec.program;
    const struct exec_rows *rows = &j->b->rows;
    const struct sp_jit_live live = live_of(j, pc);
    pixel_join_drop_stores(program);
    exec_paths_settle(j->paths);
    for (unsigned row = 0; row < ADRENO_WAVE_ROWS; row++) {
        const uint32_t place = rows->kept_B + row * rows->row_B;
        const jit_value value = rows->values[(place - rows->first_B) / rows->row_B];
        const bool is_there =
            value == JIT_NONE || (program->insts[value].op == JIT_ROW && program->insts[value].imm == place);
        if (!is_there && sp_jit_is_live(&live, row))
            lane_program_emit(program, JIT_STORE, value, JIT_NONE, JIT_NONE, place);
    }
    exec_paths_store_masks(j->paths, MASKS_B);
}

/* Registers are stored, micro-operations run for the lanes that come to them, and another segment begins. */
static bool take_uops(struct joining *j, const struct sp_uop *first, const struct sp_uop *end)
{
    struct lane_program *program = &j->b->exec.program;
    struct sp_join_between *between = &j->join->between;
    j->b->next_pc = first->pc;
    if (j->has_parted)
        store_ways(j, first->pc);
    else
        adreno_sp_jit_end_rows(j->b);
    if (j->is_killed != JIT_NONE)
        lane_program_emit(program, JIT_STORE, j->is_killed, JIT_NONE, JIT_NONE, KILLED_B);
    between->has_uops |= first != end;
    if (first != end && j->paths->lanes != JIT_NONE) {
        between->is_some |= 1ull << j->join->variant->count;
        lane_program_emit(program, JIT_STORE_BITS, j->paths->lanes, JIT_NONE, JIT_NONE, RUNNING_B);
    }
    if (!end_segment(j, first, end))
        return false;
    adreno_sp_jit_begin(j->b, j->wave);
    exec_paths_load_masks(j->paths, MASKS_B);
    j->has_parted = !are_one(j->paths);
    if (j->is_killed != JIT_NONE)
        j->is_killed = lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, KILLED_B);
    return !program->failed;
}

/* Programs that are too long for one piece are several: nothing runs between these. */
static bool cut_piece(struct joining *j, const struct sp_uop *uop)
{
    return j->b->exec.program.count <= JIT_MAX_INSTS - 512 || take_uops(j, uop, uop);
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
    jit_value killed = uop->imm & 4 ? is_zero : lane_program_not(program, is_zero);
    if (j->paths->lanes != JIT_NONE)
        killed = lane_program_and(program, killed, j->paths->lanes);
    j->is_killed = j->is_killed == JIT_NONE ? killed : lane_program_or(program, j->is_killed, killed);
    return !program->failed;
}

/* All micro-operations of one instruction, varyings among them. */
static bool take_instruction(struct joining *j, const struct sp_uop *first, const struct sp_uop *end)
{
    struct lane_program *program = &j->b->exec.program;
    const bool is_input = first->inst->op == ADRENO_ISA_OP_BARY_F || first->inst->op == ADRENO_ISA_OP_FLAT_B;
    for (const struct sp_uop *uop = first; uop < end && j->paths->lanes != JIT_NONE; uop++) {
        if (uop->run == adreno_sp_run_derivative || uop->run == adreno_sp_run_quad_shuffle)
            return false; /* other lanes of a quad may have gone another way */
    }
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

/* After a branch or a preamble. NULL: not in such a program. */
static const struct sp_uop *follow_flow(struct joining *j, const struct sp_uop *at)
{
    const enum sp_flow flow = adreno_sp_flow(at);
    if (flow == SP_FLOW_ALWAYS &&
        (at->target_pc == at->pc || at->target_pc == at->pc + 1)) /* straight code in two blocks */
        return adreno_sp_code_enter(j->wave, at->target_pc);
    if (j->is_predicated || at->target_pc <= at->pc)
        return NULL;
    j->join->has_preamble |= flow == SP_FLOW_NONE; /* once it has run, it is left out */
    if (flow == SP_FLOW_LANES) {
        j->has_parted = true;
        exec_paths_part(j->paths, at->target_pc, adreno_sp_jit_taken(j->b, at));
        return adreno_sp_code_enter(j->wave, at->pc + 1);
    }
    if (flow == SP_FLOW_NONE || are_one(j->paths))
        return adreno_sp_code_enter(j->wave, at->target_pc);
    uint64_t pc;
    exec_paths_jump(j->paths, at->target_pc);
    return exec_paths_next(j->paths, &pc) ? adreno_sp_code_enter(j->wave, (uint32_t)pc) : NULL;
}

/* The rest of an instruction that is no branch. False: not in such a program. */
static bool take_any(struct joining *j, const struct sp_uop *uop, const struct sp_uop *end)
{
    if (adreno_sp_is_predication(uop->inst->op)) {
        j->is_predicated = uop->inst->op != ADRENO_ISA_OP_PREDE;
        j->has_parted = true;
        return adreno_sp_take_out(j->b, j->paths, uop);
    }
    return uop->inst->op == ADRENO_ISA_OP_KILL ? take_kill(j, uop) : take_instruction(j, uop, end);
}

/* In the order of addresses. */
static bool follow_program(struct joining *j, const struct sp_uop *uop)
{
    for (unsigned n = 0; n < MOST_INSTRUCTIONS; n++) {
        while (uop && adreno_sp_jit_is_head(uop))
            uop++;
        if (!uop || !uop->inst || !cut_piece(j, uop))
            return false;
        const struct sp_uop *end = uop;
        exec_paths_arrive(j->paths, uop->pc);
        if (!j->paths->count) /* lanes end all at once */
            j->paths->lanes = JIT_NONE;
        if (adreno_sp_is_join(uop)) {
            uop++;
            continue;
        }
        if (uop->inst->op == ADRENO_ISA_OP_SHPS || adreno_sp_flow(uop) != SP_FLOW_NONE) {
            uop = follow_flow(j, uop);
            continue;
        }
        if (uop->inst->op == ADRENO_ISA_OP_END) {
            uint64_t pc = END_PC;
            if (!are_one(j->paths)) {
                exec_paths_jump(j->paths, END_PC);
                exec_paths_next(j->paths, &pc);
            }
            if (pc == END_PC) /* the last one, and all are here */
                return take_end(j);
            uop = adreno_sp_code_enter(j->wave, (uint32_t)pc);
            continue;
        }
        while (end->inst == uop->inst && end->pc == uop->pc && adreno_sp_flow(end) == SP_FLOW_NONE)
            end++;
        if (!take_any(j, uop, end))
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
        .paths = malloc(sizeof(*j.paths)),
        .is_killed = JIT_NONE,
    };
    join->variant->count = 0;
    join->between = (struct sp_join_between){0};
    join->has_preamble = false;
    j.b->exec.variant = EXEC_ALL_ACTIVE;
    adreno_sp_jit_begin(j.b, wave);
    if (j.paths)
        exec_paths_begin(j.paths, &j.b->exec.program, &j.b->rows);
    const bool is_done = j.paths && pixel_program_fits(&j.b->exec.program) &&
                         follow_program(&j, adreno_sp_code_enter(wave, 0)) && wave->state == ADRENO_WAVE_RUNNING;
    free(j.paths);
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

/* Between two pieces. False: the wave faulted. */
static bool run_uops(struct adreno_wave *wave, const struct pixel_segment *segment)
{
    for (const struct sp_uop *uop = segment->first; uop != segment->end; uop++) {
        uop->run(wave, uop);
        if (__builtin_expect(wave->state == ADRENO_WAVE_FAULTED, 0))
            return false;
    }
    return true;
}

/* run_uops for the first lanes that come there. */
static bool run_some(struct adreno_wave *wave, const struct pixel_segment *segment, struct lane_mask first)
{
    const struct sp_join_rows *rows = (const struct sp_join_rows *)(const void *)((char *)wave + ADRENO_JOIN_ROWS_B);
    struct lane_mask lanes = first;
    lanes.bits[0] &= rows->running;
    if (!lanes.bits[0])
        return true;
    adreno_wave_run_lanes(wave, lanes);
    const bool is_good = run_uops(wave, segment);
    adreno_wave_run_lanes(wave, first);
    return is_good;
}

enum adreno_join_result adreno_sp_join_run(struct adreno_wave *wave, const struct pixel_variant *variant,
                                           const struct sp_join_between *between, uint32_t lanes)
{
    const struct lane_mask first = lane_mask_first(lanes);
    if (between->has_uops && !lane_mask_equal(wave->active, first)) {
        wave->launched = first;
        adreno_wave_run_lanes(wave, first);
    }
    for (uint32_t i = 0; i < variant->count; i++) {
        const struct pixel_segment *segment = &variant->segments[i];
        if (segment->inputs && !adreno_sp_jit_bring(wave, segment->inputs))
            return wave->state == ADRENO_WAVE_FAULTED ? ADRENO_JOIN_FAULTED : ADRENO_JOIN_REFUSED;
        segment->code(wave);
        if (!(between->is_some >> i & 1 ? run_some(wave, segment, first) : run_uops(wave, segment)))
            return ADRENO_JOIN_FAULTED;
    }
    return ADRENO_JOIN_DONE;
}
