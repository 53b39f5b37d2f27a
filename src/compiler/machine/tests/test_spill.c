/* Spilling and allocation: random programs of a machine that is not there leave the same number before spilling, after
 * it, and in registers. They have loops that carry more values than there are registers, phis that read each other,
 * forks, runs of components, components of half the size that only the lower registers have names for, and inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/ir.h"
#include "compiler/machine/code.h"
#include "util/bits.h"

#define MAX_COMPS 4
#define MAX_PREDS 2
#define SLOTS 65536
#define UNITS 96
#define SMALL_UNITS 48
#define SLACK 16
#define SEEDS 400

/* Instructions of the machine: all but the first two mix components of operands. */
enum op {
    OP_LOAD,  /* from the slot of the template */
    OP_STORE, /* to it */
    OP_NUMBER,
    OP_MIX,
    OP_SUM,  /* of a lane's result */
    OP_LESS, /* whether the first operand is below the number of the template */
};

struct template
{
    uint32_t number;
};

struct rig {
    struct mach_program program;
    struct ir_failure failure;
    uint32_t seed;
    mach_temp *values; /* that may be read where the next instruction stands */
    mach_temp base;    /* every access to memory reads it */
    uint32_t num_values;
};

static uint32_t next_random(struct rig *rig, uint32_t below)
{
    rig->seed = rig->seed * 1664525 + 1013904223;
    return (rig->seed >> 8) % below;
}

static struct template *template_of(const struct mach_instr *instr)
{
    return instr->isa;
}

static const char *name_of(unsigned op)
{
    return op == OP_LOAD ? "load" : op == OP_STORE ? "store" : "op";
}

static struct mach_instr *begin_spill(struct mach_program *program)
{
    struct rig *rig = container_of(program, struct rig, program);
    struct list *inputs = program->blocks[0].instrs.next;
    struct mach_builder builder = {program, inputs->next};
    struct mach_instr *number = mach_new_instr(&builder, OP_NUMBER, 1, 0);
    number->defs[0].temp = rig->base = mach_new_temp(program, (struct mach_class){1, 2, 2});
    program->temps[rig->base].is_spilled = true;
    return number;
}

static void access_spill(struct mach_program *program, struct list *before, bool is_store, mach_temp value,
                         uint32_t slot)
{
    struct mach_builder builder = {program, before};
    struct mach_instr *instr = mach_new_instr(&builder, is_store ? OP_STORE : OP_LOAD, !is_store, 1u + is_store);
    instr->operands[is_store] = mach_use(container_of(program, struct rig, program)->base);
    template_of(instr)->number = slot;
    instr->is_spill = true;
    instr->has_effect = is_store;
    if (is_store)
        instr->operands[0] = mach_use(value);
    else
        instr->defs[0].temp = value;
}

static bool can_repeat(const struct mach_instr *instr)
{
    return instr->op == OP_NUMBER;
}

static const struct machine machine = {.template_B = sizeof(struct template),
                                       .name = name_of,
                                       .begin_spill = begin_spill,
                                       .access_spill = access_spill,
                                       .can_repeat = can_repeat};

/* ---- random programs ---- */

static struct mach_class random_class(struct rig *rig)
{
    const uint8_t size = next_random(rig, 3) ? 2 : 1,
                  comps = next_random(rig, 5) ? 1 : 1 + (uint8_t)next_random(rig, 4);
    return (struct mach_class){.comps = comps, .size = size, .align = size};
}

static mach_temp random_value(struct rig *rig)
{
    return rig->values[next_random(rig, rig->num_values)];
}

static struct mach_instr *append_instr(struct rig *rig, uint32_t block, unsigned op, unsigned num_defs,
                                       unsigned num_operands)
{
    struct mach_builder builder = {&rig->program, &rig->program.blocks[block].instrs};
    struct mach_instr *instr = mach_new_instr(&builder, op, num_defs, num_operands);
    for (unsigned i = 0; i < num_operands; i++)
        instr->operands[i] = mach_use(rig->num_values ? random_value(rig) : 0);
    template_of(instr)->number = next_random(rig, 1 << 20);
    return instr;
}

static mach_temp define_value(struct rig *rig, struct mach_instr *instr, struct mach_class class)
{
    const mach_temp temp = mach_new_temp(&rig->program, class);
    instr->defs[0].temp = temp;
    rig->values[rig->num_values++] = temp;
    return temp;
}

static void add_instrs(struct rig *rig, uint32_t block, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool is_number = !next_random(rig, 8);
        struct mach_instr *instr =
            append_instr(rig, block, is_number ? OP_NUMBER : OP_MIX, 1, is_number ? 0 : 1 + i % 3);
        define_value(rig, instr, random_class(rig));
    }
}

static void add_inputs(struct rig *rig)
{
    struct mach_instr *start = append_instr(rig, 0, MACH_P_START, 4, 0);
    for (unsigned i = 0; i < 4; i++) {
        const mach_temp temp = mach_new_temp(&rig->program, (struct mach_class){1, 2, 2});
        start->defs[i].temp = rig->values[rig->num_values++] = temp;
        start->defs[i].reg = (mach_reg)(2 * i);
    }
}

static void add_jump(struct rig *rig, uint32_t from, uint32_t to)
{
    append_instr(rig, from, MACH_P_JUMP, 0, 0)->target = to;
    mach_edge(&rig->program, from, to);
}

static void add_branch(struct rig *rig, uint32_t from, mach_temp condition, uint32_t to, uint32_t other)
{
    struct mach_instr *instr = append_instr(rig, from, MACH_P_BRANCH, 0, 1);
    instr->operands[0] = mach_use(condition);
    instr->target = to;
    instr->other = other;
    mach_edge(&rig->program, from, to);
    mach_edge(&rig->program, from, other);
}

/* A phi of each class that an operand of it has, whose second operand is filled in when the loop's end is there. */
static void add_phis(struct rig *rig, uint32_t block, uint32_t count, struct mach_instr **phis_out)
{
    const uint32_t before = rig->num_values;
    for (uint32_t i = 0; i < count; i++) {
        const mach_temp first = rig->values[next_random(rig, before)];
        phis_out[i] = append_instr(rig, block, MACH_P_PHI, 1, MAX_PREDS);
        phis_out[i]->operands[0] = mach_use(first);
        define_value(rig, phis_out[i], rig->program.temps[first].class);
    }
}

static bool is_like(const struct mach_program *program, mach_temp a, mach_temp b)
{
    const struct mach_class *x = &program->temps[a].class, *y = &program->temps[b].class;
    return x->comps == y->comps && x->size == y->size;
}

/* Another phi as often as anything else, so that values change places. */
static void close_phis(struct rig *rig, struct mach_instr **phis, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const mach_temp result = phis[i]->defs[0].temp;
        mach_temp other = next_random(rig, 2) ? phis[next_random(rig, count)]->defs[0].temp : random_value(rig);
        for (unsigned tries = 0; tries < 20 && !is_like(&rig->program, result, other); tries++)
            other = random_value(rig);
        phis[i]->operands[1] = mach_use(is_like(&rig->program, result, other) ? other : result);
        if (!next_random(rig, 10) && rig->program.temps[result].class.comps == 1)
            phis[i]->operands[1] = mach_number(i);
    }
}

/* A diamond whose values end in it, but for phis. */
static uint32_t add_diamond(struct rig *rig, uint32_t block)
{
    struct mach_instr *phis[16];
    const uint32_t left = mach_new_block(&rig->program)->index, right = mach_new_block(&rig->program)->index,
                   join = mach_new_block(&rig->program)->index;
    rig->program.blocks[left].loop_depth = rig->program.blocks[right].loop_depth =
        rig->program.blocks[join].loop_depth = rig->program.blocks[block].loop_depth;
    struct mach_instr *less = append_instr(rig, block, OP_LESS, 1, 1);
    add_branch(rig, block, define_value(rig, less, (struct mach_class){1, 2, 2}), left, right);
    const uint32_t before = rig->num_values;
    add_instrs(rig, left, 12);
    add_jump(rig, left, join);
    rig->num_values = before;
    add_instrs(rig, right, 12);
    add_jump(rig, right, join);
    rig->num_values = before;
    add_phis(rig, join, ARRAY_SIZE(phis), phis);
    rig->num_values = before;
    close_phis(rig, phis, ARRAY_SIZE(phis));
    for (unsigned i = 0; i < ARRAY_SIZE(phis); i++) { /* what is of this block is no operand of its phis */
        for (unsigned j = 0; j < ARRAY_SIZE(phis); j++) {
            if (phis[i]->operands[1].kind == MACH_TEMP && phis[i]->operands[1].temp == phis[j]->defs[0].temp)
                phis[i]->operands[1] = phis[i]->operands[0];
        }
        rig->values[rig->num_values++] = phis[i]->defs[0].temp;
    }
    return join;
}

/* A loop that goes round five times, with another one in it. */
static uint32_t add_loop(struct rig *rig, uint32_t from, uint32_t carried, unsigned depth)
{
    struct mach_instr **phis = mach_alloc(&rig->program, (carried + 1) * sizeof(struct mach_instr *));
    const uint32_t head = mach_new_block(&rig->program)->index;
    struct mach_instr *zero = append_instr(rig, from, OP_NUMBER, 1, 0);
    template_of(zero)->number = 0;
    const mach_temp first = define_value(rig, zero, (struct mach_class){1, 2, 2});
    add_jump(rig, from, head);
    rig->program.blocks[head].loop_depth = (uint16_t)depth;
    add_phis(rig, head, carried, phis);
    struct mach_instr *counter = append_instr(rig, head, MACH_P_PHI, 1, MAX_PREDS);
    counter->operands[0] = mach_use(first);
    const mach_temp count = define_value(rig, counter, (struct mach_class){1, 2, 2});
    add_instrs(rig, head, 30);
    uint32_t block = add_diamond(rig, head);
    if (depth < 2)
        block = add_loop(rig, block, carried / 4 + 1, depth + 1);
    add_instrs(rig, block, 30);
    struct mach_instr *next = append_instr(rig, block, OP_SUM, 1, 1);
    next->operands[0] = mach_use(count);
    template_of(next)->number = 1;
    counter->operands[1] = mach_use(define_value(rig, next, (struct mach_class){1, 2, 2}));
    close_phis(rig, phis, carried);
    struct mach_instr *less = append_instr(rig, block, OP_LESS, 1, 1);
    less->operands[0] = counter->operands[1];
    template_of(less)->number = 5;
    const mach_temp again = define_value(rig, less, (struct mach_class){1, 2, 2});
    const uint32_t back = mach_new_block(&rig->program)->index, out = mach_new_block(&rig->program)->index;
    rig->program.blocks[back].loop_depth = (uint16_t)depth;
    rig->program.blocks[out].loop_depth = (uint16_t)(depth - 1);
    add_branch(rig, block, again, back, out);
    add_jump(rig, back, head);
    return out;
}

static void make_program(struct rig *rig, uint32_t seed)
{
    memset(rig, 0, sizeof(*rig));
    mach_init(&rig->program, &machine, &rig->failure, UNITS);
    rig->program.slack = SLACK;
    rig->program.small_limit = SMALL_UNITS;
    rig->seed = seed;
    rig->values = mach_alloc(&rig->program, 65536 * sizeof(mach_temp));
    uint32_t block = mach_new_block(&rig->program)->index;
    add_inputs(rig);
    add_instrs(rig, block, 20 + next_random(rig, 80));
    block = add_loop(rig, block, next_random(rig, 200), 1);
    add_instrs(rig, block, 40);
    append_instr(rig, block, OP_SUM, 0, 1)->has_effect = true;
    for (uint32_t i = 0; i < rig->num_values; i += 3) /* many live to the end */
        append_instr(rig, block, OP_SUM, 0, 1)->has_effect = true;
}

/* ---- what they compute ---- */

struct value {
    uint32_t comp[MAX_COMPS];
};

struct run {
    const struct mach_program *program;
    bool is_allocated;
    struct value *values;     /* by temporary */
    uint32_t file[UNITS + 8]; /* by unit, where it is allocated */
    uint32_t *slots;
    uint32_t result;
};

static struct value read_value(const struct run *run, const struct mach_operand *operand)
{
    struct value value = {{0}};
    if (operand->kind == MACH_NUMBER)
        value.comp[0] = (uint32_t)operand->value;
    if (operand->kind != MACH_TEMP)
        return value;
    const struct mach_class class = run->program->temps[operand->temp].class;
    if (!run->is_allocated)
        return run->values[operand->temp];
    for (unsigned i = 0; i < class.comps; i++)
        value.comp[i] = run->file[operand->reg + i * class.size];
    return value;
}

/* A component of two units changes both. */
static void write_value(struct run *run, const struct mach_def *def, const struct value *value)
{
    const struct mach_class class = run->program->temps[def->temp].class;
    run->values[def->temp] = *value;
    for (unsigned i = 0; run->is_allocated && i < class.comps; i++) {
        run->file[def->reg + i * class.size] = value->comp[i];
        if (class.size == 2)
            run->file[def->reg + i * 2 + 1] = 0xdead0000u | i;
    }
}

static uint32_t mixed_word(uint32_t sum, uint32_t number)
{
    return (sum ^ number) * 0x9e3779b1u + (sum >> 7);
}

static void run_instr(struct run *run, const struct mach_instr *instr, const struct value *operands)
{
    const uint32_t number = ((const struct template *)instr->isa)->number;
    struct value result = {{0}};
    uint32_t sum = number;
    if (instr->op == OP_LOAD || instr->op == OP_STORE) /* the base has been written, and nothing lies over it */
        assert_int_equal(operands[instr->op == OP_STORE].comp[0], 0);
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const unsigned comps =
            instr->operands[i].kind == MACH_TEMP ? run->program->temps[instr->operands[i].temp].class.comps : 1;
        for (unsigned j = 0; j < comps; j++)
            sum = mixed_word(sum, operands[i].comp[j]);
    }
    for (unsigned i = 0; i < MAX_COMPS; i++)
        result.comp[i] = mixed_word(sum, i);
    if (instr->op == OP_STORE)
        memcpy(run->slots + number, operands[0].comp, run->program->temps[instr->operands[0].temp].class.comps * 4u);
    else if (instr->op == OP_LOAD)
        memcpy(result.comp, run->slots + number, run->program->temps[instr->defs[0].temp].class.comps * 4u);
    else if (instr->op == OP_LESS)
        result.comp[0] = operands[0].comp[0] < number;
    else if (instr->op == OP_SUM && instr->num_defs)
        result.comp[0] = operands[0].comp[0] + number;
    else if (instr->op == OP_NUMBER)
        result.comp[0] = number;
    else if (instr->op == OP_SUM)
        run->result = mixed_word(run->result, sum);
    if (instr->num_defs)
        write_value(run, &instr->defs[0], &result);
}

/* Phis and parallel copies: everything is read before anything is written. */
static void run_copies(struct run *run, const struct mach_instr *first, const struct list *end, unsigned pred)
{
    struct value values[512];
    unsigned count = 0;
    for (const struct list *link = &first->link; link != end; link = link->next) {
        const struct mach_instr *instr = container_of(link, struct mach_instr, link);
        if (instr->op != MACH_P_PHI)
            break;
        assert_true(count < 512);
        values[count++] = read_value(run, &instr->operands[pred]);
    }
    for (unsigned i = 0; i < count; i++, first = container_of(first->link.next, struct mach_instr, link))
        write_value(run, &first->defs[0], &values[i]);
}

static void run_parallel(struct run *run, const struct mach_instr *instr)
{
    struct value values[UNITS];
    for (unsigned i = 0; i < instr->num_operands; i++)
        values[i] = read_value(run, &instr->operands[i]);
    for (unsigned i = 0; i < instr->num_defs; i++)
        write_value(run, &instr->defs[i], &values[i]);
}

static void run_start(struct run *run, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++)
        write_value(run, &instr->defs[i], &(struct value){{i * 77 + 5}});
}

static unsigned pred_of(const struct mach_block *block, uint32_t from)
{
    unsigned pred = 0;
    while (pred < block->num_preds && block->preds[pred] != from)
        pred++;
    return pred;
}

static uint32_t run_block(struct run *run, uint32_t at, uint32_t from)
{
    const struct mach_block *block = &run->program->blocks[at];
    bool has_phis = false;
    mach_foreach_instr(block, instr)
    {
        struct value operands[4];
        if (instr->op == MACH_P_PHI) {
            if (!has_phis && !run->is_allocated)
                run_copies(run, instr, &block->instrs, pred_of(block, from));
            has_phis = true;
            continue;
        }
        if (instr->op == MACH_P_JUMP)
            return instr->target;
        if (instr->op == MACH_P_BRANCH)
            return read_value(run, &instr->operands[0]).comp[0] ? instr->target : instr->other;
        if (instr->op == MACH_P_COPY) {
            run_parallel(run, instr);
            continue;
        }
        if (instr->op == MACH_P_START) {
            run_start(run, instr);
            continue;
        }
        for (unsigned i = 0; i < instr->num_operands; i++)
            operands[i] = read_value(run, &instr->operands[i]);
        run_instr(run, instr, operands);
    }
    return UINT32_MAX;
}

static uint32_t result_of(const struct mach_program *program, bool is_allocated)
{
    struct run run = {.program = program, .is_allocated = is_allocated};
    run.values = calloc(program->num_temps, sizeof(*run.values));
    run.slots = calloc(SLOTS, sizeof(*run.slots));
    assert_true(run.values && run.slots && program->spilled_B / 4 <= SLOTS - MAX_COMPS);
    for (uint32_t at = 0, from = UINT32_MAX, next; at != UINT32_MAX; from = at, at = next)
        next = run_block(&run, at, from);
    free(run.values);
    free(run.slots);
    return run.result;
}

/* ---- the test ---- */

static const char *spill_and_allocate(struct rig *rig, uint32_t *spilled_out, uint32_t *allocated_out)
{
    if (setjmp(rig->failure.jump))
        return rig->failure.text;
    mach_drop_dead(&rig->program);
    mach_split_edges(&rig->program);
    mach_spill(&rig->program);
    const char *wrong = mach_validate(&rig->program);
    if (wrong)
        return wrong;
    *spilled_out = result_of(&rig->program, false);
    mach_allocate(&rig->program);
    *allocated_out = result_of(&rig->program, true);
    return NULL;
}

static void programs_that_do_not_fit_compute_the_same(void **state)
{
    uint32_t programs_with_spills = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        static struct rig rig;
        uint32_t spilled = 0, allocated = 0;
        make_program(&rig, seed);
        const uint32_t expected = result_of(&rig.program, false);
        const char *wrong = spill_and_allocate(&rig, &spilled, &allocated);
        if (wrong)
            fail_msg("seed %u: %s", seed, wrong);
        if (spilled != expected || allocated != expected)
            fail_msg("seed %u: 0x%08x, after spilling 0x%08x, in registers 0x%08x", seed, expected, spilled, allocated);
        programs_with_spills += rig.program.spills != 0;
        mach_finish(&rig.program);
    }
    assert_true(programs_with_spills > SEEDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_that_do_not_fit_compute_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
