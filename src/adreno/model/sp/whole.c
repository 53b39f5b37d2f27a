/* See whole.h. */
#include "adreno/model/sp/whole.h"

#include "adreno/isa/isa_tables.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/jit.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/uops.h"
#include "model/exec/apart.h"
#include "model/exec/paths.h"
#include "model/stat.h"

#define MOST_UOPS 1024
#define MEETS 0 /* the number of the only miss: lanes that might meet, or that are half inside of a buffer */
#define MOST_OFFSETS 16

struct maker {
    struct sp_jit_builder *b;
    struct adreno_wave *wave;
    struct sp_whole *whole;
    struct exec_paths paths;
    struct exec_apart apart;
    bool is_predicated; /* between predt and prede */
    /* Numbers of elements of buffers, and four times that: one value for all accesses by one number. */
    uint32_t offset_count;
    jit_value offsets[MOST_OFFSETS][2];
};

/* ---- what a dispatch fills ---- */

static jit_value number(struct lane_program *p, unsigned which)
{
    return lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE,
                             (uint32_t)offsetof(struct adreno_wave, values) + which * 4);
}

static void set_row(struct sp_jit_builder *b, unsigned component, jit_value value)
{
    b->rows.values[(adreno_sp_jit_row_place(b, component) - b->rows.first_B) / b->rows.row_B] = value;
}

static void set_numbers(struct sp_jit_builder *b, unsigned component, unsigned which)
{
    for (unsigned i = 0; i < 3 && component != ADRENO_NO_REG; i++)
        set_row(b, component + i, number(&b->exec.program, which + i));
}

/* In the dispatch's order: of registers that are named twice, the last one stays. */
static void preload_registers(struct maker *m)
{
    struct sp_jit_builder *b = m->b;
    struct lane_program *p = &b->exec.program;
    const struct adreno_group_regs *regs = &m->whole->regs;
    set_numbers(b, regs->group_id, EXEC_WHOLE_GROUP);
    set_numbers(b, regs->group_size, SP_WHOLE_SIZE);
    set_numbers(b, regs->group_offset, SP_WHOLE_OFFSET);
    for (unsigned i = 0; i < 3 && regs->local_id != ADRENO_NO_REG; i++)
        set_row(b, regs->local_id + i,
                lane_program_add(p, number(p, EXEC_WHOLE_LOCAL + i), exec_shape_lane(p, m->whole->exec.key.shape, i)));
    if (regs->linear_id != ADRENO_NO_REG)
        set_row(b, regs->linear_id,
                lane_program_add(p, number(p, EXEC_WHOLE_FIRST),
                                 lane_program_emit(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0)));
}

/* ---- memory ---- */

static jit_value offset_of(struct maker *m, jit_value index)
{
    for (uint32_t i = 0; i < m->offset_count; i++) {
        if (m->offsets[i][0] == index)
            return m->offsets[i][1];
    }
    const jit_value offset = lane_program_shift_by(&m->b->exec.program, JIT_SHL, index, 2);
    if (m->offset_count < MOST_OFFSETS) {
        m->offsets[m->offset_count][0] = index;
        m->offsets[m->offset_count++][1] = offset;
    }
    return offset;
}

/* The buffer's elements that a lane numbers: which lanes are inside with all of them, and from where they load. Lanes
 * that are inside with some, or whose numbers wrap, miss. */
static jit_value inside(struct maker *m, jit_value index, uint32_t count, jit_value limit, jit_value *load_at_out)
{
    struct lane_program *p = &m->b->exec.program;
    jit_value good;
    if (count == 1) {
        const jit_value offset = lane_program_element(p, index, limit, &good);
        *load_at_out = lane_program_and(p, offset, good);
        return good;
    }
    const jit_value first = lane_program_lt_u(p, index, limit);
    const jit_value last = lane_program_lt_u(p, lane_program_add(p, index, lane_program_const(p, count - 1)), limit);
    exec_apart_miss(&m->apart, lane_program_xor(p, first, last));
    good = lane_program_and(p, first, last);
    *load_at_out = lane_program_shift_by(p, JIT_SHL, lane_program_and(p, index, good), 2);
    return good;
}

/* All are loaded before the first is written: a register may be the number's. */
static void load_dwords(struct maker *m, const struct sp_dword_access *access, uint32_t view_B, jit_value at,
                        jit_value good)
{
    struct lane_program *p = &m->b->exec.program;
    jit_value values[4] = {0};
    for (uint32_t n = 0; n < 4; n++) {
        if (access->wrmask >> n & 1)
            values[n] =
                lane_program_and(p, lane_program_emit(p, JIT_LOAD, at, JIT_NONE, JIT_NONE, view_B | n * 4 << 16), good);
    }
    for (uint32_t n = 0; n < 4; n++) {
        if (access->wrmask >> n & 1)
            adreno_sp_jit_write_row(m->b, adreno_sp_jit_row_place(m->b, access->data + n), values[n]);
    }
}

static bool lower_access(struct maker *m, const struct sp_uop *uop)
{
    struct sp_jit_builder *b = m->b;
    struct lane_program *p = &b->exec.program;
    struct sp_dword_access access;
    const bool is_store = uop->run == adreno_sp_run_stib;
    if (!adreno_sp_jit_is_dwords(uop, &access) || !access.wrmask)
        return false;
    const uint32_t count = 32 - (uint32_t)__builtin_clz(access.wrmask);
    const uint32_t view_B = adreno_sp_jit_view_at(b, uop, &access, is_store ? GPU_PERM_WRITE : GPU_PERM_READ, count);
    if (!view_B)
        return false;
    const uint32_t limit_B = view_B + (uint32_t)offsetof(struct exec_view, limit);
    const jit_value limit = lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, limit_B);
    jit_value index = adreno_sp_jit_read_row(b, adreno_sp_jit_row_place(b, access.index)), load_at;
    if (access.offset)
        index = lane_program_add(p, index, lane_program_const(p, access.offset));
    const jit_value good = inside(m, index, count, limit, &load_at), at = offset_of(m, index);
    exec_apart_access(&m->apart, &(struct exec_access){.is_store = is_store,
                                                       .at = at,
                                                       .size_B = count * 4,
                                                       .pointer_B = view_B,
                                                       .limit_B = limit_B,
                                                       .limit_shift = 2});
    if (!is_store) {
        load_dwords(m, &access, view_B, load_at, good);
        return !p->failed;
    }
    const jit_value lanes = lane_program_and(p, good, exec_paths_lanes(&m->paths));
    for (uint32_t n = 0; n < count; n++)
        exec_apart_write(&m->apart, at, adreno_sp_jit_read_row(b, adreno_sp_jit_row_place(b, access.data + n)), lanes,
                         view_B | n * 4 << 16);
    return !p->failed;
}

/* ---- the program ---- */

/* A shared register has what the first lane that runs has, and lanes that do not run see it, too. */
static bool lower_share(struct maker *m, const struct sp_uop *uop)
{
    struct sp_jit_builder *b = m->b;
    bool is_same[JIT_MAX_INSTS];
    const jit_value value = adreno_sp_jit_read_row(b, uop->s[0]);
    jit_find_same(b->exec.program.insts, b->exec.program.count, is_same);
    if (m->paths.lanes != JIT_NONE || !is_same[value])
        return false;
    if (uop->imm)
        adreno_sp_jit_write_half(b, uop->d, value);
    else
        adreno_sp_jit_write_row(b, uop->d, value);
    return true;
}

static bool lower_uop(struct maker *m, const struct sp_uop *uop)
{
    if (uop->run == adreno_sp_run_request || uop->run == adreno_sp_run_ldib || uop->run == adreno_sp_run_stib)
        return lower_access(m, uop);
    if (uop->run == adreno_sp_uop_share)
        return lower_share(m, uop);
    /* Other lanes of a quad may have gone another way. */
    if (uop->run == adreno_sp_run_derivative || uop->run == adreno_sp_run_quad_shuffle)
        return false;
    return adreno_sp_jit_lower_uop(m->b, uop);
}

bool adreno_sp_is_predication(unsigned op)
{
    return op == ADRENO_ISA_OP_PREDT || op == ADRENO_ISA_OP_PREDF || op == ADRENO_ISA_OP_PREDE;
}

/* Where the next predt, predf or prede is, which straight code leads to. False: there is none. */
static bool find_predication(const struct adreno_wave *wave, uint32_t *pc)
{
    struct adreno_isa_inst inst;
    uint64_t word;
    do {
        ++*pc;
        if (!gpu_mem_read64(wave->memory, wave->launch->program_va + *pc * 8ull, &word) ||
            adreno_isa_decode(word, &inst) != 0)
            return false;
    } while (inst.op == ADRENO_ISA_OP_NOP || inst.op >= adreno_isa_categories[1]);
    return adreno_sp_is_predication(inst.op);
}

bool adreno_sp_take_out(struct sp_jit_builder *b, struct exec_paths *paths, const struct sp_uop *uop)
{
    uint32_t pc = uop->pc;
    if (uop->inst->op == ADRENO_ISA_OP_PREDE)
        return true;
    if (!find_predication(b->wave, &pc))
        return false;
    const struct sp_uop condition = {.imm = uop->inst->op == ADRENO_ISA_OP_PREDT ? 4 : 0};
    exec_paths_part(paths, pc, adreno_sp_jit_taken(b, &condition));
    return true;
}

static bool take_out(struct maker *m, const struct sp_uop *uop)
{
    m->is_predicated = uop->inst->op != ADRENO_ISA_OP_PREDE;
    return adreno_sp_take_out(m->b, &m->paths, uop);
}

/* A branch or the end (SP_FLOW_NONE) or a preamble: where the program goes on; NULL: it has ended, or is not for
 * this. */
static const struct sp_uop *follow_flow(struct maker *m, const struct sp_uop *at, bool *has_ended_out)
{
    const enum sp_flow flow = adreno_sp_flow(at);
    const bool is_preamble = flow == SP_FLOW_NONE && at->inst->op == ADRENO_ISA_OP_SHPS;
    const bool is_end = flow == SP_FLOW_NONE && !is_preamble;
    uint64_t pc = at->target_pc;
    if (flow == SP_FLOW_ALWAYS && (pc == at->pc || pc == at->pc + 1u)) /* straight code in two blocks */
        return adreno_sp_code_enter(m->wave, at->target_pc);
    if (m->is_predicated || (!is_end && pc <= at->pc))
        return NULL;
    if (is_preamble) { /* once it has run, it is left out */
        m->whole->has_preamble = true;
        return adreno_sp_code_enter(m->wave, at->target_pc);
    }
    if (flow == SP_FLOW_LANES) {
        exec_paths_part(&m->paths, pc, adreno_sp_jit_taken(m->b, at));
        return adreno_sp_code_enter(m->wave, at->pc + 1);
    }
    if (is_end)
        exec_paths_end(&m->paths);
    else
        exec_paths_jump(&m->paths, pc);
    *has_ended_out = !exec_paths_next(&m->paths, &pc);
    return *has_ended_out ? NULL : adreno_sp_code_enter(m->wave, (uint32_t)pc);
}

static bool is_flow(const struct sp_uop *uop)
{
    return adreno_sp_flow(uop) != SP_FLOW_NONE || uop->inst->op == ADRENO_ISA_OP_END ||
           uop->inst->op == ADRENO_ISA_OP_SHPS;
}

/* From the first instruction to the last, in the order of their addresses. */
static bool follow_program(struct maker *m)
{
    struct sp_jit_builder *b = m->b;
    const struct sp_uop *uop = adreno_sp_code_enter(m->wave, 0);
    bool has_ended = false;
    for (uint32_t n = 0; n < MOST_UOPS && uop && !b->exec.program.failed; n++) {
        const struct sp_uop *at = uop++;
        if (adreno_sp_jit_is_head(at))
            continue;
        if (!at->inst)
            return false;
        exec_paths_arrive(&m->paths, at->pc);
        if (adreno_sp_is_join(at))
            continue;
        if (is_flow(at))
            uop = follow_flow(m, at, &has_ended);
        else if (adreno_sp_is_predication(at->inst->op) ? !take_out(m, at) : !lower_uop(m, at))
            return false;
    }
    return has_ended && !b->exec.program.failed && !b->inputs.has_local;
}

/* The stores, and what they must not meet; or, where that cannot be told, stores that come later. */
static bool finish_stores(struct maker *m, struct exec_code *code)
{
    struct lane_program *p = &m->b->exec.program;
    const struct exec_later_rows rows = {(uint32_t)offsetof(struct adreno_wave, rows), m->wave->lanes * 4,
                                         ADRENO_WAVE_ROWS};
    const uint32_t count = p->count;
    const jit_value missing = m->apart.missing;
    exec_whole_drop_stores(p);
    if (exec_apart_end(&m->apart, MEETS))
        return true;
    p->count = count;
    p->failed = false;
    m->apart.missing = missing;
    struct exec_later *later = exec_code_alloc(code, sizeof(*later));
    if (!later || !exec_later_end(later, &m->apart, &rows, MEETS))
        return false;
    m->whole->exec.later = later;
    return true;
}

static void make_code(struct sp_whole *whole, struct adreno_wave *wave)
{
    struct exec_code *code = adreno_sp_code_exec(wave->code);
    struct sp_jit_builder *b = adreno_sp_code_jit(wave->code);
    struct maker *m = exec_code_alloc(code, sizeof(*m));
    const struct jit_frame frame = {wave->lanes, offsetof(struct adreno_wave, active_lanes),
                                    (uint32_t)sizeof(struct adreno_wave) +
                                        ADRENO_WAVE_ROWS * ADRENO_WAVE_LANES_MAX * 4};
    if (!m)
        return;
    const unsigned before = stat_enter_work(STAT_MAKING);
    *m = (struct maker){.b = b, .wave = wave, .whole = whole};
    b->exec.variant = EXEC_ALL_ACTIVE;
    adreno_sp_jit_begin(b, wave);
    exec_paths_begin(&m->paths, &b->exec.program, &b->rows);
    exec_apart_begin(&m->apart, &b->exec.program, wave->lanes);
    preload_registers(m);
    const bool is_good = follow_program(m) && finish_stores(m, code);
    exec_whole_compile(&whole->exec, code, is_good ? &b->exec.program : NULL, &frame,
                       (uint32_t)offsetof(struct adreno_wave, values));
    whole->inputs = b->inputs;
    stat_leave(before);
}

/* ---- running ---- */

struct sp_whole *adreno_sp_whole_find(struct adreno_sp *sp, const struct adreno_launch *launch,
                                      const struct adreno_group_regs *regs, struct exec_shape shape, uint64_t rows)
{
    struct exec_whole_key key = {.va = launch->program_va, .mode = launch->lanes, .shape = shape};
    const uint8_t numbers[] = {regs->group_id, regs->group_size, regs->group_offset, regs->local_id, regs->linear_id};
    for (unsigned i = 0; i < sizeof(numbers); i++)
        key.mode = key.mode << 8 | numbers[i];
    struct sp_whole *whole =
        (struct sp_whole *)exec_whole_find(adreno_sp_code_exec(sp->code), &key, sizeof(*whole), rows);
    if (whole)
        whole->regs = *regs;
    return whole;
}

struct adreno_wave *adreno_sp_whole_bring(struct adreno_sp *sp, struct sp_whole *whole,
                                          const struct adreno_launch *launch, const struct exec_grid *grid)
{
    if (!sp->whole)
        sp->whole = adreno_sp_wave_create();
    struct adreno_wave *wave = sp->whole;
    if (!wave || !adreno_sp_wave_begin(sp, wave, launch))
        return NULL;
    adreno_wave_run_lanes(wave, wave->launched);
    if (whole->exec.countdown) {
        whole->exec.countdown = 0;
        make_code(whole, wave);
    }
    if (!whole->exec.code || (whole->has_preamble && *wave->preamble_serial != launch->serial) ||
        !adreno_sp_jit_bring(wave, &whole->inputs))
        return NULL;
    for (unsigned axis = 0; axis < 3; axis++) {
        wave->values[SP_WHOLE_SIZE + axis] = grid->size[axis];
        wave->values[SP_WHOLE_OFFSET + axis] = grid->offset[axis];
    }
    return wave;
}
