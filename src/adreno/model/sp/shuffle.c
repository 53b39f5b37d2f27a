/* Shuffles by numbers that differ between fibers. shfl takes one number for a wave, so compilers make a loop: in each
 * round the first fiber that has no value yet says its number, all fibers read by it, and those that have the same
 * number keep what they read. That is one round for each number, up to 128 of some ten instructions; what comes out is
 * that every fiber reads by its own number.
 *
 * Such a loop is known by its text (model/exec/pattern.h). Its beginning then becomes a micro-operation that does all
 * rounds at once, and leaves what the last one would in every register. In a loop that is host code a shuffle is a load
 * from the wave's own row, if registers that only rounds use are not looked at again. Not for: waves with fibers that
 * do not run, which go round. */
#include <stddef.h>
#include <stdio.h>

#include "adreno/model/sp/code.h"
#include "adreno/model/sp/jit.h"
#include "adreno/model/sp/jit_build.h"
#include "model/exec/pattern.h"

#define MOST_INSTRUCTIONS 40

/* The modes of shfl that go round, in the field's numbers. */
enum mode {
    MODE_XOR = 1,
    MODE_UP = 6,
    MODE_DOWN = 7,
};

enum line {
    LINE_SHUFFLE = 8,
    LINE_LEAVE = 10,
    LINE_BACK = 11,
    LINES,
};

/* t: to do; d: done; p: a predicate; s: the number, shared; n: the fiber's own; q, c: they are the same, as a half and
 * as a word; x: what is read; v: by the round's number; r: the result. */
static const char *const lines[LINES] = {
    "sub.u $t, h(1), $d",
    "cmps.s.ne $p, $t, h(0)",
    "br !$p, #2",
    "mov.u32u32 $s, $n",
    "cmps.s.eq $q, $n, $s",
    "cov.u16u32 $c, $q",
    "or.b $p, $q, $d",
    "or.b $d, $q, $d",
    NULL, /* shfl of any mode */
    "sel.b32 $r, $v, $c, $r",
    "ball $p, #2",
    NULL, /* the jump back, over any nop */
};

struct sp_shuffle {
    struct sp_shuffle *older;
    uint64_t program_va;
    uint32_t first_pc, exit_pc; /* the first instruction that is no nop */
    struct sp_uop saved;        /* what the first micro-operation was */
    enum mode mode;
    uint8_t to_do, done, same; /* components of halves */
    uint8_t number, read, value, condition, result, shared;
    uint8_t predicate;
};

/* ---- finding ---- */

static bool component_of(const char *name, bool is_half, uint8_t *component_out)
{
    unsigned reg;
    char component;
    if (sscanf(name, is_half ? "hr%u.%c" : "r%u.%c", &reg, &component) != 2 || reg >= ADRENO_ISA_REG_A0 / 4)
        return false;
    *component_out = (uint8_t)(reg * 4 + (component == 'w' ? 3u : (unsigned)(component - 'x')));
    return true;
}

/* shfl.MODE.u32 $v, $x, $s */
static bool match_shuffle(struct exec_pattern *pattern, const struct adreno_isa_inst *inst, const char *text,
                          enum mode *mode_out)
{
    static const struct {
        enum mode mode;
        const char *line;
    } modes[] = {{MODE_XOR, "shfl.xor.u32 $v, $x, $s"},
                 {MODE_UP, "shfl.rup.u32 $v, $x, $s"},
                 {MODE_DOWN, "shfl.rdown.u32 $v, $x, $s"}};
    for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (inst->field[ADRENO_ISA_FIELD_SHUFFLE] == (int16_t)modes[i].mode) {
            *mode_out = modes[i].mode;
            return exec_pattern_match(pattern, modes[i].line, text);
        }
    }
    return false;
}

/* The instructions from begin_pc to the branch back at end_pc, without nops. */
static bool match_instructions(struct sp_shuffle *shuffle, struct exec_pattern *pattern, const struct adreno_wave *wave,
                               uint32_t begin_pc, uint32_t end_pc)
{
    unsigned line = 0;
    for (uint32_t pc = begin_pc; pc <= end_pc; pc++) {
        struct adreno_isa_inst inst;
        char text[ADRENO_ISA_MAX_TEXT];
        uint64_t word;
        if (!gpu_mem_read64(wave->memory, wave->launch->program_va + pc * 8ull, &word) ||
            adreno_isa_decode(word, &inst) != 0)
            return false;
        if (inst.op == ADRENO_ISA_OP_NOP)
            continue;
        if (line == LINES || (inst.field[ADRENO_ISA_FIELD_REPEAT] && inst.op != ADRENO_ISA_OP_JUMP))
            return false;
        adreno_isa_print(&inst, text);
        if (line == LINE_SHUFFLE ? !match_shuffle(pattern, &inst, text, &shuffle->mode)
            : line == LINE_BACK  ? inst.op != ADRENO_ISA_OP_JUMP || pc != end_pc
                                 : !exec_pattern_match(pattern, lines[line], text))
            return false;
        if (line == 0)
            shuffle->first_pc = pc;
        if (line == LINE_LEAVE)
            shuffle->exit_pc = pc + 2;
        line++;
    }
    return line == LINES && shuffle->exit_pc == end_pc + 1;
}

/* No register is another one's, but for halves that are made anew. */
static bool are_apart(const struct sp_shuffle *s)
{
    const uint8_t rows[] = {s->number, s->read, s->value, s->condition, s->result, (uint8_t)adreno_half_row(s->done),
                            s->shared};
    const unsigned count = sizeof(rows) / sizeof(rows[0]);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned n = 0; n < i; n++) {
            if (rows[i] == rows[n])
                return false;
        }
        if (rows[i] == adreno_half_row(s->to_do) && rows[i] != adreno_half_row(s->done))
            return false;
        if (rows[i] == adreno_half_row(s->same) && rows[i] != adreno_half_row(s->done))
            return false;
        if ((rows[i] >= ADRENO_ISA_REG_SHARED) != (i == count - 1))
            return false;
    }
    return s->done != s->to_do && s->done != s->same && s->to_do < ADRENO_ISA_REG_SHARED &&
           s->same < ADRENO_ISA_REG_SHARED;
}

static bool take_registers(struct sp_shuffle *s, const struct exec_pattern *pattern)
{
    const char *predicate = exec_pattern_name(pattern, 'p');
    if (strncmp(predicate, "p0.", 3) != 0)
        return false;
    s->predicate = (uint8_t)(ADRENO_ISA_REG_P0 + (predicate[3] == 'w' ? 3 : predicate[3] - 'x'));
    return component_of(exec_pattern_name(pattern, 't'), true, &s->to_do) &&
           component_of(exec_pattern_name(pattern, 'd'), true, &s->done) &&
           component_of(exec_pattern_name(pattern, 'q'), true, &s->same) &&
           component_of(exec_pattern_name(pattern, 'n'), false, &s->number) &&
           component_of(exec_pattern_name(pattern, 'x'), false, &s->read) &&
           component_of(exec_pattern_name(pattern, 'v'), false, &s->value) &&
           component_of(exec_pattern_name(pattern, 'c'), false, &s->condition) &&
           component_of(exec_pattern_name(pattern, 'r'), false, &s->result) &&
           component_of(exec_pattern_name(pattern, 's'), false, &s->shared) && are_apart(s);
}

const struct sp_shuffle *adreno_sp_shuffle_at(const struct adreno_wave *wave, uint32_t pc)
{
    const struct sp_shuffle *shuffle = adreno_sp_code_exec(wave->code)->shuffles;
    while (shuffle && (shuffle->first_pc != pc || shuffle->program_va != wave->launch->program_va))
        shuffle = shuffle->older;
    return shuffle;
}

/* ---- all rounds at once ---- */

/* The lane that each lane reads by a number. */
static uint32_t source_of(const struct sp_shuffle *shuffle, uint32_t lane, uint32_t number, uint32_t lanes)
{
    const uint32_t other = shuffle->mode == MODE_XOR  ? lane ^ number
                           : shuffle->mode == MODE_UP ? lane - number
                                                      : lane + number;
    return other & (lanes - 1);
}

static void write_half(struct adreno_wave *wave, unsigned component, const uint32_t *values)
{
    uint32_t *row = adreno_wave_row(wave, adreno_half_row(component));
    const unsigned shift = adreno_half_shift(component);
    for (unsigned i = 0; i < wave->lanes; i++)
        row[i] = (row[i] & ~(0xffffu << shift)) | values[i] << shift;
}

/* Fibers by their numbers: `is_new` where no fiber before has the same. False: one that is done has the number of one
 * that is not. The last number that is new is the last round's. */
static bool find_last(const uint32_t *number, const uint32_t *done, uint32_t lanes, uint32_t *last_out)
{
    uint32_t is_row = 0, last = UINT32_MAX;
    for (uint32_t i = 0; i < lanes; i++) {
        is_row |= number[i] ^ (number[0] - i);
        last = done[i] ? last : i;
    }
    *last_out = number[last];
    if (!is_row) /* all are different */
        return true;
    uint32_t left[ADRENO_WAVE_LANES_MAX], first = 0;
    memcpy(left, done, lanes * sizeof(*left));
    for (; first < lanes; first++) {
        uint32_t meets = 0;
        if (left[first])
            continue;
        *last_out = number[first];
        for (uint32_t i = 0; i < lanes; i++) {
            const uint32_t is_same = number[i] == number[first];
            meets |= is_same & done[i];
            left[i] |= is_same;
        }
        if (meets)
            return false;
    }
    return true;
}

static void run_all(struct adreno_wave *wave, const struct sp_shuffle *s, const uint32_t *done, uint32_t last)
{
    const uint32_t lanes = wave->lanes, *number = adreno_wave_row(wave, s->number),
                   *from = adreno_wave_row(wave, s->read);
    uint32_t *result = adreno_wave_row(wave, s->result), *value = adreno_wave_row(wave, s->value);
    uint32_t same[ADRENO_WAVE_LANES_MAX], to_do[ADRENO_WAVE_LANES_MAX], one[ADRENO_WAVE_LANES_MAX];
    for (uint32_t i = 0; i < lanes; i++) {
        same[i] = number[i] == last;
        to_do[i] = same[i] & !done[i];
        one[i] = 1;
        if (!done[i])
            result[i] = from[source_of(s, i, number[i], lanes)];
        value[i] = from[source_of(s, i, last, lanes)];
    }
    write_half(wave, s->to_do, to_do);
    write_half(wave, s->same, same);
    write_half(wave, s->done, one);
    memcpy(adreno_wave_row(wave, s->condition), same, lanes * 4);
    lanes_splat(adreno_wave_row(wave, s->shared), last, lanes);
    memcpy(adreno_wave_row(wave, s->predicate), one, lanes * 4);
}

static void enter_shuffle(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct sp_shuffle *s = (const struct sp_shuffle *)(uintptr_t)uop->target;
    uint32_t done[ADRENO_WAVE_LANES_MAX], all = 1, other = 0, last;
    bool is_for = wave->is_full && !wave->predication && !wave->parked_count;
    if (is_for) {
        adreno_wave_read(wave, s->done, true, done);
        for (uint32_t i = 0; i < wave->lanes; i++) {
            all &= done[i];
            other |= done[i];
        }
        is_for = !all && other <= 1 && find_last(adreno_wave_row(wave, s->number), done, wave->lanes, &last);
    }
    if (!is_for) {
        s->saved.run(wave, &s->saved);
        return;
    }
    run_all(wave, s, done, last);
    if (!uop->after)
        ((struct sp_uop *)uop)->after = adreno_sp_code_enter(wave, s->exit_pc); /* this worker's own */
    wave->next = uop->after;
}

bool adreno_sp_shuffle_found(struct adreno_wave *wave, const struct sp_uop *branch)
{
    struct exec_code *code = adreno_sp_code_exec(wave->code);
    struct sp_uop *first = (struct sp_uop *)branch->target; /* this worker's own */
    struct exec_pattern pattern = {{{0}}};
    struct sp_shuffle found = {.older = code->shuffles, .program_va = wave->launch->program_va};
    if (branch->pc - branch->target_pc > MOST_INSTRUCTIONS || first->run == enter_shuffle ||
        adreno_sp_loop_is_head(first) || !match_instructions(&found, &pattern, wave, branch->target_pc, branch->pc) ||
        !take_registers(&found, &pattern))
        return false;
    struct sp_shuffle *shuffle = exec_code_alloc(code, sizeof(*shuffle));
    if (!shuffle)
        return false;
    found.saved = *first;
    *shuffle = found;
    code->shuffles = shuffle;
    *first =
        (struct sp_uop){.run = enter_shuffle, .pc = first->pc, .target = (const struct sp_uop *)(uintptr_t)shuffle};
    return true;
}

/* ---- in host code ---- */

static sp_place row_place(const struct sp_jit_builder *b, unsigned component)
{
    return (sp_place)(offsetof(struct adreno_wave, rows) + (size_t)component * b->wave->lanes * 4);
}

static sp_place half_place(const struct sp_jit_builder *b, unsigned component)
{
    return row_place(b, adreno_half_row(component)) | (adreno_half_shift(component) ? SP_HIGH_HALF : 0);
}

/* All fibers come to the end together, and nothing is done when they begin: so the first round writes the shared
 * register before it reads it. */
static bool is_lowered(struct sp_jit_builder *b, const struct sp_shuffle *s)
{
    struct lane_program *p = &b->exec.program;
    const struct sp_jit_live live = adreno_sp_jit_live(b->wave, s->exit_pc, false);
    uint32_t done;
    const jit_value value = lane_program_zero_extend(p, adreno_sp_jit_read_row(b, half_place(b, s->done)), 16);
    return lane_program_is_const(p, value, &done) && !done && !sp_jit_is_live(&live, s->value) &&
           !sp_jit_is_live(&live, s->condition) &&
           !adreno_sp_jit_is_read(b->wave, s->shared, s->first_pc, s->exit_pc) &&
           !sp_jit_is_half_live(&live, s->to_do) && !sp_jit_is_half_live(&live, s->same) &&
           b->row_count < SP_JIT_ROW_READS;
}

uint32_t adreno_sp_shuffle_lower(struct sp_jit_builder *b, const struct sp_shuffle *s)
{
    struct lane_program *p = &b->exec.program;
    if (!is_lowered(b, s))
        return UINT32_MAX;
    const jit_value lane = lane_program_emit(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    const jit_value number = adreno_sp_jit_read_row(b, row_place(b, s->number));
    const jit_value other = s->mode == MODE_XOR  ? lane_program_xor(p, lane, number)
                            : s->mode == MODE_UP ? lane_program_sub(p, lane, number)
                                                 : lane_program_add(p, lane, number);
    const jit_value inside = lane_program_and(p, other, lane_program_const(p, b->wave->lanes - 1));
    const jit_value at_B =
        lane_program_add(p, lane_program_shift_by(p, JIT_SHL, inside, 2), lane_program_const(p, row_place(b, s->read)));
    const uint32_t wave_at_B = (uint32_t)offsetof(struct adreno_wave, base) + SP_BASE_WAVE * sizeof(char *);
    adreno_sp_jit_write_row(b, row_place(b, s->result),
                            lane_program_emit(p, JIT_LOAD, at_B, JIT_NONE, JIT_NONE, wave_at_B));
    adreno_sp_jit_write_half(b, half_place(b, s->done), lane_program_const(p, 1));
    adreno_sp_jit_write_row(b, row_place(b, s->predicate), lane_program_const(p, 1));
    b->rows_read[b->row_count++] = s->read;
    return p->failed ? UINT32_MAX : s->exit_pc;
}

bool adreno_sp_shuffle_is_good(const struct sp_jit_builder *b)
{
    for (uint32_t i = 0; i < b->row_count; i++) {
        if (exec_rows_changes(&b->rows, row_place(b, b->rows_read[i])))
            return false;
    }
    return true;
}
