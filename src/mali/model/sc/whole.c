/* See whole.h. */
#include "mali/model/sc/whole.h"

#include "mali/model/sc/core.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/memory.h"
#include "mali/model/sc/message.h"
#include "model/exec/apart.h"
#include "model/exec/paths.h"
#include "model/stat.h"
#include "util/bits.h"

#define MOST_UOPS 1024
#define MEETS (JIT_MAX_MISSES - 1) /* the number of a miss that is no window's: lanes that might meet */
#define MOST_LEAS 8

/* An address that LEA_BUFFER gave, of which only accesses are known here: what else looks at it is not for this. */
struct lea {
    jit_value low, high; /* that stand for it */
    jit_value offset;
    struct sc_jit_view view; /* its buffer: the register of the handle may be one of the result's */
};

struct maker {
    struct sc_jit_builder *b;
    struct exec_paths paths;
    struct exec_apart apart;
    struct lea leas[MOST_LEAS];
    uint32_t lea_count;
    jit_value local[2], locals; /* the thread's x and y in its workgroup, and both in one register */
    bool has_locals;            /* one of them was taken out of it */
    struct sc_copy *copy;       /* it is written as one; NULL: it is not */
};

/* ---- threads ---- */

static jit_value number(struct lane_program *p, unsigned which)
{
    return lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE,
                             (uint32_t)offsetof(struct mali_warp, values) + which * 4);
}

static void set_row(struct sc_jit_builder *b, unsigned reg, jit_value value)
{
    b->rows.values[(mali_sc_register_place(reg) - b->rows.first_B) / b->rows.row_B] = value;
}

/* Registers that a launch preloads (warp.h). */
static void preload_registers(struct maker *m, struct exec_shape shape)
{
    struct sc_jit_builder *b = m->b;
    struct lane_program *p = &b->exec.program;
    jit_value local[3];
    for (unsigned axis = 0; axis < 3; axis++) {
        const jit_value lane = exec_shape_lane(p, shape, axis);
        local[axis] = lane_program_add(p, number(p, EXEC_WHOLE_LOCAL + axis), lane);
        set_row(b, 57 + axis, number(p, EXEC_WHOLE_GROUP + axis));
        set_row(b, 60 + axis, lane_program_add(p, number(p, EXEC_WHOLE_GLOBAL + axis), lane));
    }
    m->local[0] = local[0];
    m->local[1] = local[1];
    m->locals = lane_program_or(p, local[0], lane_program_shift_by(p, JIT_SHL, local[1], 16));
    set_row(b, 55, m->locals);
    set_row(b, 56, local[2]);
}

/* x or y taken out of their register again: without the mask it is known how they grow from lane to lane. */
static void note_local(struct maker *m, const struct sc_uop *uop)
{
    const struct lane_program *p = &m->b->exec.program;
    const jit_value value = m->locals != JIT_NONE ? mali_sc_jit_read_row(m->b, uop->d) : JIT_NONE;
    if (value == JIT_NONE || p->failed)
        return;
    const struct jit_inst *inst = &p->insts[value];
    const bool is_low = inst->op == JIT_AND && p->insts[inst->b].op == JIT_CONST && p->insts[inst->b].imm == 0xffff;
    const jit_value local = is_low && (inst->a == m->locals || inst->a == m->local[0])           ? m->local[0]
                            : inst->op == JIT_SHR_IMM && inst->imm == 16 && inst->a == m->locals ? m->local[1]
                                                                                                 : JIT_NONE;
    if (local == JIT_NONE)
        return;
    m->has_locals = true;
    mali_sc_jit_write_row(m->b, uop->d, local);
}

/* ---- memory ---- */

static const struct lea *find_lea(const struct maker *m, jit_value low, jit_value high)
{
    for (uint32_t i = 0; i < m->lea_count; i++) {
        if (m->leas[i].low == low && m->leas[i].high == high)
            return &m->leas[i];
    }
    return NULL;
}

/* Something that stands for an address, and nothing folds. */
static jit_value stand_in(struct lane_program *p)
{
    return lane_program_emit(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, (uint32_t)offsetof(struct mali_warp, temp));
}

static bool lower_lea(struct maker *m, const struct sc_uop *uop)
{
    struct sc_jit_builder *b = m->b;
    struct lane_program *p = &b->exec.program;
    struct sc_jit_view view = {.uop = uop};
    if (m->lea_count == MOST_LEAS || !mali_sc_jit_known(b, uop->s[1], &view.is_uniform, &view.handle))
        return false;
    const jit_value offset = mali_sc_jit_read_row(b, uop->s[0]), low = stand_in(p), high = stand_in(p);
    m->leas[m->lea_count++] = (struct lea){low, high, offset, view};
    mali_sc_jit_write_row(b, uop->d, low);
    mali_sc_jit_write_row(b, uop->d + SC_ROW_B, high);
    return true;
}

/* In a buffer whose address was asked for: lanes that begin outside of it do nothing, those that end there miss. */
static bool lower_in_buffer(struct maker *m, const struct sc_uop *uop, const struct lea *lea, bool is_store)
{
    struct sc_jit_builder *b = m->b;
    struct lane_program *p = &b->exec.program;
    const uint32_t size_B = uop->imm2 / 8;
    if (uop->inst->number[0] || uop->imm2 % 32 || (!is_store && uop->inst->field[MALI_ISA_FIELD_LANE32]))
        return false;
    struct sc_jit_view wanted = lea->view;
    wanted.size_B = size_B;
    wanted.need = is_store ? GPU_PERM_WRITE : GPU_PERM_READ;
    const uint32_t view = mali_sc_jit_view_of(b, &wanted);
    if (view == MALI_WARP_VIEWS)
        return false;
    const uint32_t at_B = sc_jit_view_B(view), limit_B = at_B + (uint32_t)offsetof(struct exec_view, limit);
    const jit_value limit = lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, limit_B);
    const jit_value is_good = lane_program_lt_u(p, lea->offset, limit);
    const jit_value is_part =
        lane_program_lt_u(p, lane_program_sub(p, lea->offset, limit), lane_program_const(p, size_B - 1));
    exec_apart_miss(&m->apart, is_part);
    exec_apart_access(
        &m->apart,
        &(struct exec_access){
            .is_store = is_store, .at = lea->offset, .size_B = size_B, .pointer_B = at_B, .limit_B = limit_B});
    const jit_value inside = lane_program_and(p, lea->offset, is_good);
    const jit_value lanes = is_store ? lane_program_and(p, is_good, exec_paths_lanes(&m->paths)) : JIT_NONE;
    for (uint32_t i = 0; i < size_B / 4; i++) {
        const uint32_t imm = at_B | i * 4 << 16;
        if (is_store) {
            exec_apart_write(&m->apart, lea->offset, mali_sc_jit_read_row(b, uop->s[1] + i * SC_ROW_B), lanes, imm);
            continue;
        }
        const jit_value word = lane_program_emit(p, JIT_LOAD, inside, JIT_NONE, JIT_NONE, imm);
        mali_sc_jit_write_row(b, uop->d + i * SC_ROW_B, lane_program_and(p, word, is_good));
    }
    return true;
}

static bool lower_store(struct maker *m, const struct sc_uop *uop)
{
    struct sc_jit_builder *b = m->b;
    const jit_value low = mali_sc_jit_read_row(b, uop->s[0]), high = mali_sc_jit_read_row(b, uop->s[0] + SC_ROW_B);
    const struct lea *lea = find_lea(m, low, high);
    if (lea)
        return lower_in_buffer(m, uop, lea, true);
    const uint32_t site = mali_sc_jit_site(b, uop, GPU_PERM_WRITE), window_B = sc_jit_window_B(site);
    if (site == SC_JIT_SITES)
        return false;
    const uint32_t pointer_B = window_B + (uint32_t)offsetof(struct exec_window, host);
    const jit_value at = exec_window_offset(&b->exec.program, low, high, window_B, 0, site);
    exec_apart_access(
        &m->apart, &(struct exec_access){.is_store = true, .at = at, .size_B = uop->imm2 / 8, .pointer_B = pointer_B});
    for (uint32_t i = 0; i < uop->imm2 / 32; i++)
        exec_apart_write(&m->apart, at, mali_sc_jit_read_row(b, uop->s[1] + i * SC_ROW_B), exec_paths_lanes(&m->paths),
                         pointer_B | i * 4 << 16);
    return true;
}

static void note_load(struct maker *m, jit_value at, uint32_t size_B, uint32_t pointer_B, uint32_t limit_B)
{
    exec_apart_access(&m->apart,
                      &(struct exec_access){.at = at, .size_B = size_B, .pointer_B = pointer_B, .limit_B = limit_B});
}

static bool lower_load(struct maker *m, const struct sc_uop *uop)
{
    struct sc_jit_builder *b = m->b;
    const struct lane_program *p = &b->exec.program;
    const jit_value offset = mali_sc_jit_read_row(b, uop->s[0]);
    const bool is_buffer = uop->run == mali_sc_run_load_buffer;
    const struct lea *lea = is_buffer ? NULL : find_lea(m, offset, mali_sc_jit_read_row(b, uop->s[0] + SC_ROW_B));
    if (lea)
        return lower_in_buffer(m, uop, lea, false);
    uint32_t i = p->count;
    if (!mali_sc_jit_lower_uop(b, uop))
        return false;
    while (p->insts[i].op != JIT_LOAD)
        i++;
    const uint32_t at_B = p->insts[i].imm & 0xffff;
    note_load(m, is_buffer ? offset : p->insts[i].a, uop->imm2 / 8, at_B,
              is_buffer ? at_B + (uint32_t)offsetof(struct exec_view, limit) : 0);
    return true;
}

/* ---- the program ---- */

static bool lower_uop(struct maker *m, const struct sc_uop *uop)
{
    if (m->copy && mali_sc_is_fetch(uop))
        return mali_sc_copy_fetch(m->copy, m->b, uop);
    if (m->copy && uop->run == mali_sc_run_store)
        return mali_sc_copy_store(m->copy, m->b, uop, exec_paths_lanes(&m->paths));
    if (uop->run == mali_sc_run_load || uop->run == mali_sc_run_load_buffer)
        return lower_load(m, uop);
    if (uop->run == mali_sc_run_store)
        return lower_store(m, uop);
    if (uop->run == mali_sc_run_lea_buffer)
        return lower_lea(m, uop);
    if (!mali_sc_jit_lower_uop(m->b, uop))
        return false;
    note_local(m, uop);
    return true;
}

/* Registers whose last reader has read them have no value any more: where lanes meet, none is chosen. */
static void end_lives(struct sc_jit_builder *b, const struct mali_isa_inst *inst)
{
    mali_sc_jit_note_lives(b, inst);
    for (uint64_t dead = b->dead; dead; dead &= dead - 1)
        set_row(b, (unsigned)__builtin_ctzll(dead), JIT_NONE);
    b->dead = 0;
}

/* From the first instruction to the last, in the order of their addresses. */
static bool follow_program(struct maker *m, struct mali_warp *warp)
{
    struct sc_jit_builder *b = m->b;
    uint64_t pc = warp->launch->code_va, at_pc = UINT64_MAX;
    const struct sc_uop *uop = mali_sc_code_enter(warp, pc);
    for (uint32_t n = 0; n < MOST_UOPS && uop && !b->exec.program.failed; n++) {
        const struct sc_uop *at = uop++;
        const enum sc_flow flow = mali_sc_flow(at);
        if (at->pc != at_pc)
            exec_paths_arrive(&m->paths, at_pc = at->pc);
        if (mali_sc_jit_is_head(at))
            continue;
        if (flow == SC_FLOW_NONE && !mali_sc_is_end(at)) {
            if (!lower_uop(m, at))
                return false;
            if (uop->pc != at->pc || mali_sc_flow(uop) == SC_FLOW_ALWAYS || mali_sc_is_end(uop))
                end_lives(b, at->inst);
            continue;
        }
        if (flow != SC_FLOW_NONE && at->target_pc <= at->pc)
            return false;
        if (flow == SC_FLOW_LANES) {
            exec_paths_part(&m->paths, at->target_pc, mali_sc_jit_taken(b, at));
            end_lives(b, at->inst);
            uop = mali_sc_code_enter(warp, at->pc + 8);
            continue;
        }
        if (flow == SC_FLOW_ALWAYS && at->target_pc == at->pc + 8) {
            uop = mali_sc_code_enter(warp, at->target_pc);
            continue;
        }
        if (flow == SC_FLOW_ALWAYS)
            exec_paths_jump(&m->paths, at->target_pc);
        else
            exec_paths_end(&m->paths);
        if (!exec_paths_next(&m->paths, &pc))
            return !b->exec.program.failed;
        uop = mali_sc_code_enter(warp, pc);
        at_pc = pc;
    }
    return false;
}

/* Special values that each row of lanes has of its own: the warp that all rows run in has one row's. */
static bool is_of_row(const struct jit_inst *inst)
{
    const uint32_t tls_B = offsetof(struct mali_warp, tls), temp_B = offsetof(struct mali_warp, temp);
    return inst->op == JIT_ROW && inst->imm >= tls_B && inst->imm < temp_B;
}

/* No register is stored. False: it looks at what differs between rows. */
static bool drop_stores(struct lane_program *p)
{
    bool is_good = true;
    for (uint32_t i = 0; i < p->count; i++)
        is_good &= !is_of_row(&p->insts[i]);
    exec_whole_drop_stores(p);
    return is_good;
}

/* Nothing that acts looks at what stands for an address. */
static bool finish_addresses(struct maker *m)
{
    struct lane_program *p = &m->b->exec.program;
    bool is_live[JIT_MAX_INSTS];
    if (!drop_stores(p))
        return false;
    exec_apart_find_live(p, is_live);
    bool is_good = true;
    for (uint32_t i = 0; i < m->lea_count; i++)
        is_good &= !is_live[m->leas[i].low] && !is_live[m->leas[i].high];
    return is_good;
}

static void begin_code(struct maker *m, struct sc_jit_builder *b, struct mali_warp *warp)
{
    *m = (struct maker){.b = b, .locals = JIT_NONE};
    mali_sc_jit_begin(b, warp);
    exec_paths_begin(&m->paths, &b->exec.program, &b->rows);
    exec_apart_begin(&m->apart, &b->exec.program, MALI_ROW_LANES);
}

/* A program that moves texels; NULL: it is none. */
static struct sc_copy *make_copy(struct maker *m, struct sc_jit_builder *b, struct mali_warp *warp,
                                 const struct jit_frame *frame)
{
    struct sc_copy *copy = exec_code_alloc(mali_sc_code_exec(warp->code), sizeof(*copy));
    if (!copy)
        return NULL;
    *copy = (struct sc_copy){0};
    begin_code(m, b, warp);
    m->copy = copy;
    return follow_program(m, warp) && drop_stores(&b->exec.program) && mali_sc_copy_end(copy, b, frame) ? copy : NULL;
}

/* Programs that number threads by their workgroups are no ranges (model/exec/range.h). Those that store several words a
 * thread are mostly copies, which micro-operations move row by row. */
static bool is_slow(const struct maker *m)
{
    uint32_t widest_B = 0;
    for (uint32_t i = 0; i < m->apart.count; i++)
        widest_B = m->apart.accesses[i].is_store ? MAX2(widest_B, m->apart.accesses[i].size_B) : widest_B;
    return m->has_locals && widest_B > 4;
}

static void make_code(struct sc_whole *whole, struct mali_warp *warp)
{
    struct exec_code *code = mali_sc_code_exec(warp->code);
    struct sc_jit_builder *b = mali_sc_code_jit(warp->code);
    struct maker *m = exec_code_alloc(code, sizeof(*m));
    const struct jit_frame frame = {MALI_ROW_LANES, offsetof(struct mali_warp, active_lanes), sizeof(struct mali_warp)};
    if (!m)
        return;
    const unsigned before = stat_enter_work(STAT_MAKING);
    begin_code(m, b, warp);
    preload_registers(m, whole->exec.key.shape);
    const bool is_good =
        follow_program(m, warp) && !is_slow(m) && exec_apart_end(&m->apart, MEETS) && finish_addresses(m);
    exec_whole_compile(&whole->exec, code, is_good ? &b->exec.program : NULL, &frame,
                       (uint32_t)offsetof(struct mali_warp, values));
    whole->inputs = b->inputs;
    if (!whole->exec.code)
        whole->copy = make_copy(m, b, warp, &frame);
    whole->exec.has_other = whole->copy != NULL;
    stat_leave(before);
}

/* ---- running ---- */

struct sc_whole *mali_sc_whole_find(struct mali_core *core, const struct mali_launch *launch, struct exec_shape shape,
                                    uint64_t rows)
{
    const struct exec_whole_key key = {.va = launch->code_va, .mode = launch->has_ftz, .shape = shape};
    return (struct sc_whole *)exec_whole_find(mali_sc_code_exec(core->code), &key, sizeof(struct sc_whole), rows);
}

bool mali_sc_whole_bring(struct sc_whole *whole, struct mali_warp *warp)
{
    if (whole->exec.countdown) {
        whole->exec.countdown = 0;
        make_code(whole, warp);
    }
    return whole->copy || (whole->exec.code && mali_sc_jit_bring(warp, &whole->inputs));
}

void mali_sc_whole_missed(const struct exec_whole_work *work, uint32_t number)
{
    struct sc_whole *whole = (struct sc_whole *)work->whole;
    if (number < whole->inputs.site_count)
        whole->inputs.sites[number]->is_wanted = true;
}
