/* Parallel copies, run on an array of registers: with every set of ways to open cycles, what arrives must be what a
 * copy of all at once would bring, in as few moves as there can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/machine/copies.h"
#include "util/bits.h"

enum {
    REGISTERS = 24,
    SPARE = REGISTERS, /* never a source or a target */
    PLACES
};

struct machine {
    uint32_t registers[PLACES];
    unsigned moves, joined, exchanges;
    bool can_exchange, has_spare;
};

static uint64_t seed = 1;

static uint32_t below(uint32_t limit)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % limit;
}

static uint32_t value_of(const struct machine *machine, const struct copy *copy)
{
    return copy->from == COPY_NO_REGISTER ? copy->value : machine->registers[copy->from];
}

static void move_reg(void *state, const struct copy *copy)
{
    struct machine *machine = state;
    machine->registers[copy->to] = value_of(machine, copy);
    machine->moves++;
}

/* An even register and the next one, from a pair of the same kind. */
static const struct copy *join_copies(void *state, const struct copy_plan *plan, const struct copy *copy)
{
    struct machine *machine = state;
    const struct copy *other = copies_ready(plan, copy->to ^ 1);
    if (!other || copy->from == COPY_NO_REGISTER || other->from != (copy->from ^ 1) || (copy->from ^ copy->to) & 1)
        return NULL;
    uint32_t first = value_of(machine, copy), second = value_of(machine, other);
    machine->registers[copy->to] = first;
    machine->registers[other->to] = second;
    machine->joined++;
    return other;
}

static bool exchange_regs(void *state, uint16_t a, uint16_t b)
{
    struct machine *machine = state;
    if (!machine->can_exchange)
        return false;
    uint32_t old = machine->registers[a];
    machine->registers[a] = machine->registers[b];
    machine->registers[b] = old;
    machine->exchanges++;
    return true;
}

static uint16_t spare_reg(void *state, uint16_t reg)
{
    return ((struct machine *)state)->has_spare ? SPARE : COPY_NO_REGISTER;
}

static void make_copies(struct copies *copies)
{
    copies->count = 0;
    unsigned sources = 1 + below(REGISTERS);
    for (uint16_t to = 0; to < REGISTERS; to++) {
        if (below(4) == 0)
            continue;
        struct copy copy = {.to = to, .from = (uint16_t)below(sources), .value = below(1000)};
        if (below(8) == 0)
            copy.from = COPY_NO_REGISTER;
        assert_true(copies_add(copies, copy));
    }
}

/* Cycles of registers that are each read by the next alone: what moves alone cannot do. */
static unsigned count_cycles(const struct copies *copies)
{
    uint16_t from[REGISTERS];
    unsigned cycles = 0;
    memset(from, 0xff, sizeof(from));
    for (unsigned i = 0; i < copies->count; i++)
        from[copies->list[i].to] = copies->list[i].from;
    for (uint16_t start = 0; start < REGISTERS; start++) {
        uint16_t at = start, lowest = start;
        unsigned steps = 0;
        do {
            at = from[at];
            lowest = at < lowest ? at : lowest;
        } while (at != COPY_NO_REGISTER && at != start && ++steps <= REGISTERS);
        cycles += at == start && lowest == start;
    }
    return cycles;
}

static void run_plan(const struct copy_ops *ops, bool can_exchange)
{
    static struct copies copies, left;
    for (unsigned round = 0; round < 20000; round++) {
        struct machine machine = {.can_exchange = can_exchange, .has_spare = true};
        uint32_t expected[REGISTERS];
        make_copies(&copies);
        for (uint32_t i = 0; i < REGISTERS; i++)
            machine.registers[i] = expected[i] = 100000 + i;
        for (unsigned i = 0; i < copies.count; i++)
            expected[copies.list[i].to] = value_of(&machine, &copies.list[i]);
        left = copies;
        unsigned cycles = count_cycles(&copies);
        assert_true(copies_resolve(&left, ops, &machine));
        assert_memory_equal(machine.registers, expected, sizeof(expected));
        /* A cycle that nothing else reads from costs one move more, or one exchange less than it has registers. */
        unsigned done = machine.moves + 2 * machine.joined + machine.exchanges;
        assert_true(done <= copies.count + cycles);
        assert_true(can_exchange ? done <= copies.count : machine.exchanges == 0);
        assert_true(ops->join || machine.joined == 0);
    }
}

static void over_a_spare_register(void **state)
{
    run_plan(&(struct copy_ops){move_reg, NULL, NULL, spare_reg}, false);
    run_plan(&(struct copy_ops){move_reg, join_copies, exchange_regs, spare_reg}, false);
}

static void by_exchange(void **state)
{
    run_plan(&(struct copy_ops){move_reg, NULL, exchange_regs, spare_reg}, true);
    run_plan(&(struct copy_ops){move_reg, join_copies, exchange_regs, spare_reg}, true);
}

static void a_pair_is_joined_when_both_are_ready(void **state)
{
    static const struct copy_ops ops = {move_reg, join_copies, NULL, spare_reg};
    static struct copies copies;
    struct machine machine = {.has_spare = true};
    copies.count = 0;
    copies_add(&copies, (struct copy){.to = 2, .from = 4});
    copies_add(&copies, (struct copy){.to = 3, .from = 5});
    copies_add(&copies, (struct copy){.to = 5, .from = 6});
    assert_true(copies_resolve(&copies, &ops, &machine));
    assert_int_equal(machine.joined, 1);
    assert_int_equal(machine.moves, 1);
}

static void a_cycle_without_a_way_out_is_reported(void **state)
{
    static const struct copy_ops ops = {move_reg, NULL, exchange_regs, spare_reg};
    static struct copies copies;
    struct machine machine = {0};
    copies.count = 0;
    copies_add(&copies, (struct copy){.to = 0, .from = 1});
    copies_add(&copies, (struct copy){.to = 2, .from = 1});
    copies_add(&copies, (struct copy){.to = 1, .from = 0});
    assert_false(copies_resolve(&copies, &ops, &machine));
    assert_int_equal(machine.moves, 1); /* what could be done */
}

static void what_is_too_much_is_not_added(void **state)
{
    static struct copies copies;
    copies.count = 0;
    for (unsigned i = 0; i < COPY_MAX; i++)
        assert_true(copies_add(&copies, (struct copy){.to = (uint16_t)i, .from = COPY_NO_REGISTER}));
    assert_false(copies_add(&copies, (struct copy){.to = 0, .from = 1}));
    assert_true(copies_add(&copies, (struct copy){.to = 7, .from = 7})); /* changes nothing */
    assert_int_equal(copies.count, COPY_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_a_spare_register),
        cmocka_unit_test(by_exchange),
        cmocka_unit_test(a_pair_is_joined_when_both_are_ready),
        cmocka_unit_test(a_cycle_without_a_way_out_is_reported),
        cmocka_unit_test(what_is_too_much_is_not_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
