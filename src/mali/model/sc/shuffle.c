/* Shuffles by numbers that differ between lanes. CLPER gives a lane what another one has, if that one runs; compilers
 * that cannot know it make a loop: in each round the lowest lane of a warp is the leader, lanes that want the leader's
 * value take it, the leader takes the value it wants from a lane that still runs, and leaves. That is 16 rounds of 17
 * instructions; what comes out is that every lane reads by its own number.
 *
 * Such a loop is known by its text (model/exec/pattern.h). Its beginning then becomes a micro-operation that does all
 * rounds at once, and leaves what each lane would have in its registers. In a loop that is host code it is a load from
 * the warp's own row, and in a fragment program that is joined with its targets it stands between two pieces. */
#include <stddef.h>
#include <stdio.h>

#include "mali/model/sc/code.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/jit_build.h"
#include "model/exec/pattern.h"

#define LINES 17
#define LEAVES 13 /* from there on lines are for the lane alone that leaves */
#define LAST (MALI_WARP_LANES - 1)

/* Every letter is a value: registers may have several, one after the other. i: the lane that is wanted; s: what is
 * read; r: what came of it in rounds before the lane's own; q: the result. */
static const struct {
    const char *text;
    char writes;
} lines[LINES] = {
    {"WMASK $a, 0xFFFFFFFF", 'a'},
    {"ISUB.s32 $b, 0x0, $a", 'b'},
    {"LSHIFT_AND.i32 $c, $a, 0x0.b00, $b", 'c'},
    {"CLZ.u32 $d, $c", 'd'},
    {"ISUB.u32 $e, 0x1F1E1D1C.b3, $d", 'e'},
    {"CLPER.i32 $f, lane_id.w0, $e.b00", 'f'},
    {"ICMP_OR.u32.eq.m1 $g, $i, $f, 0x0", 'g'},
    {"CLPER.i32 $h, $s, $e.b00", 'h'},
    {"CSEL.u32.eq $r, $g, 0x0, $r, $h", 'r'},
    {"ICMP_OR.u32.eq.m1 $j, lane_id.w0, $e, 0x0", 'j'},
    {"CLPER.i32 $k, $i, $e.b00", 'k'},
    {"CLPER.i32 $l, $s, $k.b00", 'l'},
    {"BRANCHZ.eq $j.h0, offset:3", 0},
    {"ICMP_OR.u32.lt.m1 $m, lane_id.w0, $i, 0x0", 'm'},
    {"CSEL.u32.eq $q, $m, 0x0, $r, $l", 'q'},
    {"BRANCHZ.eq 0x0, offset:1", 0},
    {"BRANCHZ.eq 0x0, offset:-17", 0},
};

struct sc_shuffle {
    struct sc_shuffle *older;
    uint64_t begin_pc, exit_pc;
    struct sc_uop saved; /* what the first micro-operation was */
    struct mali_isa_inst insts[LINES];
    char holds[MALI_WARP_REGISTERS]; /* the value that a register has at the end; 0: what it had */
    uint8_t wanted, read, gathered;  /* registers of i, s and r */
    bool ends_helpers;               /* .discard of a lane that leaves */
    bool is_result_all;              /* other registers that it writes have been read for the last time */
};

/* ---- finding ---- */

static bool register_of(const struct exec_pattern *pattern, char letter, uint8_t *reg_out)
{
    unsigned reg;
    if (sscanf(exec_pattern_name(pattern, letter), "r%u", &reg) != 1 || reg >= MALI_WARP_REGISTERS)
        return false;
    *reg_out = (uint8_t)reg;
    return true;
}

/* Each line must read the value that was written last to its register. */
static bool are_values_whole(struct sc_shuffle *shuffle, const struct exec_pattern *pattern)
{
    uint8_t reg;
    shuffle->holds[shuffle->wanted] = 'i';
    shuffle->holds[shuffle->read] = 's';
    shuffle->holds[shuffle->gathered] = 'r';
    if (shuffle->wanted == shuffle->gathered || shuffle->read == shuffle->gathered)
        return false;
    for (unsigned n = 0; n < LINES; n++) {
        const char *at = strchr(lines[n].text, '$');
        for (at = lines[n].writes ? strchr(at + 1, '$') : at; at; at = strchr(at + 1, '$')) {
            const bool is_either = shuffle->wanted == shuffle->read && (at[1] == 'i' || at[1] == 's');
            if (!register_of(pattern, at[1], &reg) || (shuffle->holds[reg] != at[1] && !is_either))
                return false;
        }
        if (!lines[n].writes)
            continue;
        if (!register_of(pattern, lines[n].writes, &reg) ||
            (n < LEAVES && (reg == shuffle->wanted || reg == shuffle->read)))
            return false;
        shuffle->holds[reg] = lines[n].writes;
        if (n < LEAVES && shuffle->holds[shuffle->gathered] != 'r')
            return false;
    }
    for (unsigned r = 0; r < MALI_WARP_REGISTERS; r++)
        shuffle->holds[r] = shuffle->holds[r] == 'i' || shuffle->holds[r] == 's' ? 0 : shuffle->holds[r];
    return true;
}

static bool match_shuffle(struct sc_shuffle *shuffle, const struct gpu_space *memory)
{
    struct exec_pattern pattern = {{{0}}};
    for (unsigned n = 0; n < LINES; n++) {
        struct mali_isa_inst *inst = &shuffle->insts[n];
        char text[MALI_ISA_MAX_TEXT];
        uint64_t word;
        if (!gpu_mem_read64(memory, shuffle->begin_pc + n * 8ull, &word) || mali_isa_decode(word, inst) != 0 ||
            inst->flow == MALI_ISA_FLOW_END || (inst->flow == MALI_ISA_FLOW_DISCARD && n < LEAVES))
            return false;
        shuffle->ends_helpers |= inst->flow == MALI_ISA_FLOW_DISCARD;
        struct mali_isa_inst bare = *inst; /* what it waits for, and where lanes meet again, changes nothing here */
        bare.flow = 0;
        mali_isa_print(&bare, text);
        if (!exec_pattern_match(&pattern, lines[n].text, text))
            return false;
    }
    return register_of(&pattern, 'i', &shuffle->wanted) && register_of(&pattern, 's', &shuffle->read) &&
           register_of(&pattern, 'r', &shuffle->gathered) && are_values_whole(shuffle, &pattern);
}

const struct sc_shuffle *mali_sc_shuffle_at(const struct mali_warp *warp, uint64_t pc)
{
    const struct sc_shuffle *shuffle = mali_sc_code_exec(warp->code)->shuffles;
    while (shuffle && shuffle->begin_pc != pc)
        shuffle = shuffle->older;
    return shuffle;
}

/* ---- all rounds at once ---- */

/* A lane when it leaves. `lane` is its number in the warp, `running` the warp's lanes that came to the loop, `own` the
 * value that others read of it, `value` that of the lane that it wants. */
struct leaving {
    uint32_t lane, running, wanted, own, value, gathered;
};

/* CLPER gives nothing of a lane that has left, or never came. */
static uint32_t other_of(const struct leaving *at)
{
    const uint32_t from = at->wanted & LAST;
    return from >= at->lane && at->running >> from & 1 ? at->value : 0;
}

static uint32_t gathered_of(const struct leaving *at)
{
    return at->wanted <= at->lane && at->running >> at->wanted & 1 ? at->value : at->gathered;
}

static uint32_t value_of(char letter, const struct leaving *at)
{
    const uint32_t left = at->running & UINT16_MAX << at->lane;
    switch (letter) {
    case 'a':
        return left;
    case 'b':
        return 0u - left;
    case 'c':
        return 1u << at->lane;
    case 'd':
        return 31 - at->lane;
    case 'e':
    case 'f':
        return at->lane;
    case 'g':
        return at->wanted == at->lane ? UINT32_MAX : 0;
    case 'h':
        return at->own;
    case 'j':
        return UINT32_MAX;
    case 'k':
        return at->wanted;
    case 'l':
        return other_of(at);
    case 'q':
        return at->wanted <= at->lane ? gathered_of(at) : other_of(at);
    case 'r':
        return gathered_of(at);
    default: /* m */
        return at->lane < at->wanted ? UINT32_MAX : 0;
    }
}

/* All rounds, for the lanes that run. */
static void run_all(struct mali_warp *warp, const struct sc_shuffle *s)
{
    uint32_t wanted[MALI_ROW_LANES], read[MALI_ROW_LANES], gathered[MALI_ROW_LANES];
    memcpy(wanted, mali_warp_row(warp, s->wanted), sizeof(wanted));
    memcpy(read, mali_warp_row(warp, s->read), sizeof(read));
    memcpy(gathered, mali_warp_row(warp, s->gathered), sizeof(gathered));
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        uint32_t *row = mali_warp_row(warp, reg);
        if (!s->holds[reg])
            continue;
        sc_foreach_lane(warp->active, i)
        {
            const uint32_t first = (uint32_t)i & ~LAST;
            const struct leaving at = {.lane = (uint32_t)i & LAST,
                                       .running = (uint32_t)(warp->active >> first) & UINT16_MAX,
                                       .wanted = wanted[i],
                                       .own = read[i],
                                       .value = read[first | (wanted[i] & LAST)],
                                       .gathered = gathered[i]};
            row[i] = value_of(s->holds[reg], &at);
        }
    }
}

static void enter_shuffle(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct sc_shuffle *s = (const struct sc_shuffle *)(uintptr_t)uop->target;
    if (warp->parked_count || s->ends_helpers) {
        s->saved.run(warp, &s->saved);
        return;
    }
    run_all(warp, s);
    if (!uop->after)
        ((struct sc_uop *)uop)->after = mali_sc_code_enter(warp, s->exit_pc); /* this worker's own */
    warp->next = uop->after;
}

const struct sc_uop *mali_sc_shuffle_original(const struct sc_uop *uop)
{
    return uop->run == enter_shuffle ? &((const struct sc_shuffle *)(uintptr_t)uop->target)->saved : uop;
}

static struct sc_shuffle *find_shuffle(struct mali_warp *warp, uint64_t begin_pc, uint64_t end_pc)
{
    struct exec_code *code = mali_sc_code_exec(warp->code);
    struct sc_shuffle *shuffle = (struct sc_shuffle *)(uintptr_t)mali_sc_shuffle_at(warp, begin_pc);
    struct sc_shuffle found = {.older = code->shuffles, .begin_pc = begin_pc, .exit_pc = end_pc + 8};
    if (shuffle || end_pc - begin_pc != (LINES - 1) * 8 || !match_shuffle(&found, warp->memory))
        return shuffle;
    shuffle = exec_code_alloc(code, sizeof(*shuffle));
    if (shuffle) {
        *shuffle = found;
        code->shuffles = shuffle;
    }
    return shuffle;
}

bool mali_sc_shuffle_found(struct mali_warp *warp, const struct sc_uop *branch)
{
    struct sc_uop *first = (struct sc_uop *)branch->target; /* this worker's own */
    if (first->run == enter_shuffle || mali_sc_loop_is_head(first))
        return false;
    struct sc_shuffle *shuffle = find_shuffle(warp, branch->target_pc, branch->pc);
    if (!shuffle)
        return false;
    shuffle->saved = *first;
    *first =
        (struct sc_uop){.run = enter_shuffle, .pc = first->pc, .target = (const struct sc_uop *)(uintptr_t)shuffle};
    return true;
}

/* ---- between pieces of a joined program ---- */

/* Where all lanes run, and nothing but the result is looked at again. */
static void run_full(struct mali_warp *warp, const struct sc_shuffle *s)
{
    const uint32_t *wanted = mali_warp_row(warp, s->wanted), *read = mali_warp_row(warp, s->read);
    uint32_t result[MALI_ROW_LANES];
    for (uint32_t i = 0; i < MALI_ROW_LANES; i++) {
        const uint32_t lane = i & LAST, from = wanted[i] & LAST;
        result[i] = wanted[i] <= lane || from >= lane ? read[(i & ~LAST) | from] : 0;
    }
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        if (s->holds[reg] == 'q')
            memcpy(mali_warp_row(warp, reg), result, sizeof(result));
    }
}

static void run_between(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct sc_shuffle *s = (const struct sc_shuffle *)(uintptr_t)uop->target;
    if (warp->is_full && s->is_result_all)
        run_full(warp, s);
    else
        run_all(warp, s);
}

/* Whether lanes that leave have said of all registers but the result that they are not looked at again. */
static bool is_result_all(struct sc_jit_builder *b, const struct sc_shuffle *s)
{
    bool all = true;
    const uint64_t dead = b->dead;
    b->dead = 0;
    for (unsigned n = 0; n < LINES; n++)
        mali_sc_jit_note_lives(b, &s->insts[n]);
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++)
        all &= !s->holds[reg] || s->holds[reg] == 'q' || b->dead >> reg & 1;
    b->dead = dead;
    return all;
}

bool mali_sc_shuffle_join(struct mali_warp *warp, uint64_t begin_pc, uint64_t end_pc, struct sc_shuffle_join *join)
{
    struct sc_shuffle *shuffle = find_shuffle(warp, begin_pc, end_pc);
    struct sc_uop *uop = shuffle ? exec_code_alloc(mali_sc_code_exec(warp->code), sizeof(*uop)) : NULL;
    if (!uop)
        return false;
    *uop = (struct sc_uop){.run = run_between,
                           .pc = begin_pc,
                           .inst = shuffle->insts,
                           .target = (const struct sc_uop *)(uintptr_t)shuffle};
    *join = (struct sc_shuffle_join){
        .uop = uop,
        .exit_pc = shuffle->exit_pc,
        .ends_helpers = shuffle->ends_helpers,
        .read = 1ull << shuffle->wanted | 1ull << shuffle->read | 1ull << shuffle->gathered,
    };
    shuffle->is_result_all = is_result_all(mali_sc_code_jit(warp->code), shuffle);
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++)
        join->written |= (uint64_t)(shuffle->holds[reg] != 0) << reg;
    return true;
}

/* ---- in host code ---- */

/* value_of in host code, where all lanes run. */
static jit_value lower_value(struct lane_program *p, char letter, jit_value lane, jit_value wanted, jit_value own,
                             jit_value other)
{
    const jit_value bits = lane_program_const(p, UINT16_MAX);
    const jit_value mask = lane_program_and(p, lane_program_shift(p, JIT_SHL, bits, lane), bits);
    switch (letter) {
    case 'a':
        return mask;
    case 'b':
        return lane_program_sub(p, lane_program_const(p, 0), mask);
    case 'c':
        return lane_program_shift(p, JIT_SHL, lane_program_const(p, 1), lane);
    case 'd':
        return lane_program_sub(p, lane_program_const(p, 31), lane);
    case 'e':
    case 'f':
        return lane;
    case 'g':
        return lane_program_eq(p, wanted, lane);
    case 'h':
        return own;
    case 'j':
        return lane_program_const(p, UINT32_MAX);
    case 'k':
        return wanted;
    case 'l':
        return other;
    default:
        return lane_program_lt_u(p, lane, wanted);
    }
}

uint64_t mali_sc_shuffle_lower(struct sc_jit_builder *b, const struct sc_shuffle *s)
{
    struct lane_program *p = &b->exec.program;
    if (b->row_count == SC_JIT_ROW_READS || s->ends_helpers)
        return 0;
    const jit_value thread = lane_program_emit(p, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    const jit_value last = lane_program_const(p, LAST), lane = lane_program_and(p, thread, last);
    const jit_value wanted = mali_sc_jit_read_row(b, mali_sc_register_place(s->wanted));
    const jit_value own = mali_sc_jit_read_row(b, mali_sc_register_place(s->read));
    const jit_value from = lane_program_and(p, wanted, last);
    const jit_value warp_lane = lane_program_and(p, thread, lane_program_const(p, MALI_ROW_LANES - MALI_WARP_LANES));
    const jit_value at = lane_program_shift_by(p, JIT_SHL, lane_program_or(p, warp_lane, from), 2);
    const jit_value at_B = lane_program_add(p, at, lane_program_const(p, mali_sc_register_place(s->read)));
    const uint32_t warp_at_B = (uint32_t)offsetof(struct mali_warp, base) + SC_BASE_WARP * sizeof(char *);
    const jit_value value = lane_program_emit(p, JIT_LOAD, at_B, JIT_NONE, JIT_NONE, warp_at_B);
    const jit_value runs = lane_program_le_u(p, lane, from);
    const jit_value is_there = lane_program_or(p, runs, lane_program_le_u(p, wanted, lane));
    const jit_value other = lane_program_and(p, value, runs);
    b->rows_read[b->row_count++] = s->read;
    const jit_value gathered = lane_program_select(p, lane_program_le_u(p, wanted, lane), value,
                                                   mali_sc_jit_read_row(b, mali_sc_register_place(s->gathered)));
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        const char letter = s->holds[reg];
        if (letter)
            mali_sc_jit_write_row(b, mali_sc_register_place(reg),
                                  letter == 'q'   ? lane_program_and(p, value, is_there)
                                  : letter == 'r' ? gathered
                                                  : lower_value(p, letter, lane, wanted, own, other));
    }
    for (unsigned n = 0; n < LINES; n++)
        mali_sc_jit_note_lives(b, &s->insts[n]);
    return p->failed || p->count > JIT_MAX_INSTS - 128 ? 0 : s->exit_pc;
}

bool mali_sc_shuffle_is_good(const struct sc_jit_builder *b)
{
    for (uint32_t i = 0; i < b->row_count; i++) {
        if (exec_rows_changes(&b->rows, mali_sc_register_place(b->rows_read[i])))
            return false;
    }
    return true;
}
