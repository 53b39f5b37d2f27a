/* The machine half of the A6xx compiler: parallel copies keep their meaning, and what the hardware does not wait for by
 * itself is waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/compiler/air.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"

struct rig {
    struct mach_program program;
    struct ir_failure failure;
    struct mach_builder builder;
};

static int setup(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    if (!rig)
        return -1;
    adreno_air_init(&rig->program, &rig->failure);
    rig->builder = (struct mach_builder){&rig->program, &mach_new_block(&rig->program)->instrs};
    *state = rig;
    return 0;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    mach_finish(&rig->program);
    free(rig);
    return 0;
}

/* ---- copies ---- */

#define FILE_HALVES 24

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static mach_reg take_place(uint8_t *is_taken, struct mach_class class, uint32_t *seed)
{
    const unsigned halves = mach_units(class);
    for (unsigned tries = 0; tries < 100; tries++) {
        unsigned reg = next_random(seed) % FILE_HALVES;
        reg = air_is_half(class) ? reg : reg & ~1u;
        bool is_free = reg + halves <= FILE_HALVES;
        for (unsigned i = 0; is_free && i < halves; i++)
            is_free = !is_taken[reg + i];
        if (!is_free)
            continue;
        memset(is_taken + reg, 1, halves);
        return (mach_reg)reg;
    }
    return MACH_NO_REG;
}

struct copies {
    uint32_t expected[FILE_HALVES];
    uint8_t is_source[FILE_HALVES], is_target[FILE_HALVES];
};

/* Tuples of both sizes, over one another in any way, cycles among them. */
static void make_copies(struct rig *rig, struct copies *copies, uint32_t seed)
{
    struct mach_instr *copy = mach_new_instr(&rig->builder, MACH_P_COPY, 8, 8);
    unsigned count = 0;
    for (unsigned i = 0; i < FILE_HALVES; i++)
        copies->expected[i] = i + 1000;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned comps = 1 + next_random(&seed) % 3;
        const struct mach_class class = air_class(comps, next_random(&seed) % 2);
        const mach_reg from = take_place(copies->is_source, class, &seed),
                       to = take_place(copies->is_target, class, &seed);
        if (from == MACH_NO_REG || to == MACH_NO_REG)
            break;
        const mach_temp temp = mach_new_temp(&rig->program, class);
        copy->operands[count] = mach_use(temp);
        copy->operands[count].reg = from;
        copy->defs[count++] = (struct mach_def){.temp = temp, .reg = to};
        for (unsigned j = 0; j < mach_units(class); j++)
            copies->expected[to + j] = from + j + 1000;
    }
    copy->num_defs = (uint16_t)count;
    copy->num_operands = count;
}

static unsigned half_of(unsigned component, bool is_half)
{
    return is_half ? component : component * 2;
}

/* The effect of a block's moves and exchanges on the register file. */
static void run_moves(struct mach_program *program, uint32_t *file)
{
    mach_foreach_instr(&program->blocks[0], instr)
    {
        uint32_t read[2][2];
        const bool is_half = air_isa(instr)->operands[ADRENO_ISA_PLACE_DST].flags & ADRENO_ISA_FLAG_HALF;
        const size_t size_B = (is_half ? 1 : 2) * sizeof(*file);
        for (unsigned i = 0; i < instr->num_operands; i++)
            memcpy(read[i], &file[half_of((unsigned)instr->operands[i].value, is_half)], size_B);
        for (unsigned i = 0; i < instr->num_defs; i++)
            memcpy(&file[half_of(instr->defs[i].special, is_half)], read[i], size_B);
    }
}

static const char *lower_guarded(struct rig *rig)
{
    if (setjmp(rig->failure.jump))
        return rig->failure.text;
    adreno_air_lower(&rig->program);
    adreno_air_lower_branches(&rig->program);
    return NULL;
}

static void check_copies(struct rig *rig, uint32_t seed)
{
    struct copies copies = {.is_source = {0}};
    uint32_t file[FILE_HALVES];
    make_copies(rig, &copies, seed);
    const char *wrong = lower_guarded(rig);
    if (wrong)
        fail_msg("seed %u: %s", seed, wrong);
    for (unsigned i = 0; i < FILE_HALVES; i++)
        file[i] = i + 1000;
    run_moves(&rig->program, file);
    for (unsigned i = 0; i < FILE_HALVES; i++)
        assert_int_equal(file[i], copies.expected[i]);
}

static void copies_happen_at_once(void **state)
{
    for (uint32_t seed = 1; seed <= 3000; seed++) {
        setup(state);
        check_copies(*state, seed);
        teardown(state);
    }
}

/* ---- waits ---- */

static mach_temp new_temp(struct rig *rig, struct mach_class class)
{
    return mach_new_temp(&rig->program, class);
}

static struct mach_instr *instr_of(struct rig *rig, unsigned op, mach_temp result, mach_reg to, mach_temp source,
                                   mach_reg from)
{
    struct mach_instr *instr = mach_new_instr(&rig->builder, op, 1, 1);
    instr->defs[0] = (struct mach_def){.temp = result, .reg = to};
    instr->operands[0] = mach_use(source);
    instr->operands[0].reg = from;
    instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    return instr;
}

/* Issue slots between two instructions of the block. */
static unsigned slots_between(const struct mach_instr *first, const struct mach_instr *second)
{
    unsigned slots = air_isa(first)->nop;
    for (const struct list *link = first->link.next; link != &second->link; link = link->next) {
        const struct mach_instr *instr = container_of(link, struct mach_instr, link);
        slots += 1u + (unsigned)air_isa(instr)->field[ADRENO_ISA_FIELD_REPEAT] + air_isa(instr)->nop;
    }
    return slots;
}

static void alu_results_are_read_after_three_slots(void **state)
{
    struct rig *rig = *state;
    const mach_temp a = new_temp(rig, AIR_FULL(1)), b = new_temp(rig, AIR_FULL(1)), c = new_temp(rig, AIR_FULL(1));
    const struct mach_instr *first = instr_of(rig, ADRENO_ISA_OP_NOT_B, b, 2, a, 0);
    const struct mach_instr *second = instr_of(rig, ADRENO_ISA_OP_NOT_B, c, 4, b, 2);
    adreno_air_legalise(&rig->program);
    assert_int_equal(slots_between(first, second), 3);
}

static void halves_of_full_results_are_read_after_six_slots(void **state)
{
    struct rig *rig = *state;
    const mach_temp a = new_temp(rig, AIR_FULL(1)), b = new_temp(rig, AIR_FULL(1)), half = new_temp(rig, AIR_HALF(1));
    const struct mach_instr *first = instr_of(rig, ADRENO_ISA_OP_NOT_B, b, 2, a, 0);
    const struct mach_instr *second = instr_of(rig, ADRENO_ISA_OP_NOT_B, half, 8, half, 3);
    adreno_air_legalise(&rig->program);
    assert_int_equal(slots_between(first, second), 6);
}

static void special_functions_are_waited_for_by_ss(void **state)
{
    struct rig *rig = *state;
    const mach_temp a = new_temp(rig, AIR_FULL(1)), b = new_temp(rig, AIR_FULL(1)), c = new_temp(rig, AIR_FULL(1));
    instr_of(rig, ADRENO_ISA_OP_RCP, b, 2, a, 0);
    const struct mach_instr *other = instr_of(rig, ADRENO_ISA_OP_NOT_B, c, 4, c, 6);
    const struct mach_instr *overwrites = instr_of(rig, ADRENO_ISA_OP_NOT_B, c, 0, c, 8);
    const struct mach_instr *reads = instr_of(rig, ADRENO_ISA_OP_NOT_B, c, 10, b, 2);
    adreno_air_legalise(&rig->program);
    assert_int_equal(air_isa(other)->field[ADRENO_ISA_FIELD_SS], 0);
    assert_int_equal(air_isa(overwrites)->field[ADRENO_ISA_FIELD_SS], 1); /* the source may not have been read yet */
    assert_int_equal(air_isa(reads)->field[ADRENO_ISA_FIELD_SS], 0);      /* waited for already */
}

static void loads_are_waited_for_by_sy(void **state)
{
    struct rig *rig = *state;
    const mach_temp where = new_temp(rig, AIR_FULL(2)), b = new_temp(rig, AIR_FULL(1)), c = new_temp(rig, AIR_FULL(1));
    instr_of(rig, ADRENO_ISA_OP_LDG, b, 8, where, 0);
    const struct mach_instr *reads = instr_of(rig, ADRENO_ISA_OP_NOT_B, c, 10, b, 8);
    adreno_air_legalise(&rig->program);
    assert_int_equal(air_isa(reads)->field[ADRENO_ISA_FIELD_SY], 1);
    assert_int_equal(air_isa(reads)->field[ADRENO_ISA_FIELD_SS], 0);
}

/* Categories 5 and 6 have no (ss): a nop before them waits. */
static void loads_wait_for_ss_by_a_nop(void **state)
{
    struct rig *rig = *state;
    const mach_temp a = new_temp(rig, AIR_FULL(1)), b = new_temp(rig, AIR_FULL(1)), c = new_temp(rig, AIR_FULL(1));
    instr_of(rig, ADRENO_ISA_OP_RCP, b, 2, a, 0);
    const struct mach_instr *load = instr_of(rig, ADRENO_ISA_OP_LDL, c, 4, b, 2);
    adreno_air_legalise(&rig->program);
    const struct mach_instr *before = container_of(load->link.prev, struct mach_instr, link);
    assert_int_equal(before->op, ADRENO_ISA_OP_NOP);
    assert_int_equal(air_isa(before)->field[ADRENO_ISA_FIELD_SS], 1);
}

/* Results on their way at the end of a loop arrive at its start. */
static void waits_follow_the_edges_of_a_loop(void **state)
{
    struct rig *rig = *state;
    const mach_temp a = new_temp(rig, AIR_FULL(1)), b = new_temp(rig, AIR_FULL(1)), c = new_temp(rig, AIR_FULL(1));
    const uint32_t body = mach_new_block(&rig->program)->index;
    mach_edge(&rig->program, 0, body);
    mach_edge(&rig->program, body, body);
    rig->builder.before = &rig->program.blocks[body].instrs;
    const struct mach_instr *reads = instr_of(rig, ADRENO_ISA_OP_NOT_B, c, 4, b, 2);
    instr_of(rig, ADRENO_ISA_OP_RCP, b, 2, a, 0);
    mach_new_instr(&rig->builder, ADRENO_ISA_OP_JUMP, 0, 0)->target = body;
    adreno_air_legalise(&rig->program);
    assert_int_equal(air_isa(reads)->field[ADRENO_ISA_FIELD_SS], 1);
    assert_int_equal(air_isa(reads)->field[ADRENO_ISA_FIELD_JP], 1); /* fibers come together there */
}

/* One way wrote a half, the other the full register: no delay is longer than the longest. */
static void results_of_either_size_are_read_after_six_slots(void **state)
{
    struct rig *rig = *state;
    const mach_temp a = new_temp(rig, AIR_FULL(1)), b = new_temp(rig, AIR_FULL(1)), half = new_temp(rig, AIR_HALF(1));
    const uint32_t body = mach_new_block(&rig->program)->index;
    mach_edge(&rig->program, 0, body);
    mach_edge(&rig->program, body, body);
    rig->builder.before = &rig->program.blocks[0].instrs;
    instr_of(rig, ADRENO_ISA_OP_MOV, b, 2, a, 0);
    rig->builder.before = &rig->program.blocks[body].instrs;
    const struct mach_instr *load = instr_of(rig, ADRENO_ISA_OP_LDL, a, 4, b, 2);
    instr_of(rig, ADRENO_ISA_OP_MOV, half, 2, half, 8);
    mach_new_instr(&rig->builder, ADRENO_ISA_OP_JUMP, 0, 0)->target = body;
    adreno_air_legalise(&rig->program);
    const struct mach_instr *nop = container_of(load->link.prev, struct mach_instr, link);
    assert_int_equal(nop->op, ADRENO_ISA_OP_NOP);
    assert_int_equal(air_isa(nop)->field[ADRENO_ISA_FIELD_REPEAT], 5);
}

/* ---- guards ---- */

/* A vote in the middle of a block: what follows it comes after the branch over it, on both ways. */
static void guarded_instructions_get_a_branch_and_a_block(void **state)
{
    struct rig *rig = *state;
    const mach_temp a = new_temp(rig, AIR_FULL(1)), b = new_temp(rig, AIR_FULL(1));
    struct mach_instr *guarded = instr_of(rig, ADRENO_ISA_OP_MOV, b, 2, a, 2);
    struct mach_operand *operands = mach_alloc(&rig->program, 2 * sizeof(*operands));
    operands[0] = guarded->operands[0];
    operands[1] = air_special(ADRENO_ISA_REG_P0 + 1);
    guarded->operands = operands;
    guarded->num_operands = 2;
    guarded->branch = ADRENO_ISA_OP_BALL;
    const struct mach_instr *reads = instr_of(rig, ADRENO_ISA_OP_NOT_B, a, 4, b, 2);
    adreno_air_split_guards(&rig->program);
    assert_int_equal(rig->program.num_blocks, 3);
    const struct mach_block *blocks = rig->program.blocks;
    const struct mach_instr *branch = container_of(blocks[0].instrs.prev, struct mach_instr, link);
    assert_int_equal(branch->op, MACH_P_BRANCH);
    assert_int_equal(branch->branch, ADRENO_ISA_OP_BALL);
    assert_int_equal(branch->target, 2); /* over it */
    assert_int_equal(branch->other, 1);
    assert_int_equal(branch->operands[0].value, ADRENO_ISA_REG_P0 + 1);
    assert_ptr_equal(blocks[1].instrs.next, &guarded->link);
    assert_false(air_is_guarded(guarded));
    assert_ptr_equal(blocks[2].instrs.next, &reads->link);
    assert_int_equal(blocks[2].num_preds, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_happen_at_once),
        cmocka_unit_test_setup_teardown(alu_results_are_read_after_three_slots, setup, teardown),
        cmocka_unit_test_setup_teardown(halves_of_full_results_are_read_after_six_slots, setup, teardown),
        cmocka_unit_test_setup_teardown(special_functions_are_waited_for_by_ss, setup, teardown),
        cmocka_unit_test_setup_teardown(loads_are_waited_for_by_sy, setup, teardown),
        cmocka_unit_test_setup_teardown(loads_wait_for_ss_by_a_nop, setup, teardown),
        cmocka_unit_test_setup_teardown(results_of_either_size_are_read_after_six_slots, setup, teardown),
        cmocka_unit_test_setup_teardown(waits_follow_the_edges_of_a_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(guarded_instructions_get_a_branch_and_a_block, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
