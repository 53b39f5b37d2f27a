/* Spilling: what does not fit into the registers goes to private memory and comes back before each use. Walks over the
 * program count the units that are alive, with those that reloads will need: where the limit is exceeded, the value
 * whose uses cost least for the time that it lives is given up. A value that was given up may need a reload where a
 * walk has been already, so that walks go on until one finds nothing; only then is the program rewritten
 * (spill_memory.c). */
#include "compiler/machine/spill.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"

#define ROUNDS 16

/* Values by price: which of them may be given up here. Words of bits, and which of those words are not zero. */
struct market {
    mach_temp *by_rank;
    uint32_t *rank; /* by temporary */
    uint64_t *offered, *summary;
    uint32_t count;
};

struct demand {
    uint32_t units, small_units; /* of all, of those that only the lower registers have names for */
};

struct chooser {
    struct spill spill;
    struct mach_program *program;
    float *price;       /* by temporary: uses, weighted by loops, over the time that it lives */
    bool *is_fixed;     /* must not be given up: in a register that is named, or alive for a moment only */
    mach_temp *alive;   /* at the place of the walk */
    uint32_t *position; /* in `alive`, + 1; 0: not alive */
    uint32_t num_alive;
    struct demand now, limit;
    struct market market;
    uint32_t *held; /* by temporary: the edge, by number, on which a phi in registers reads it */
    uint32_t edge;
    uint32_t *entered; /* by temporary: the entry to a block, by number, where it was alive last */
    uint32_t entry;
    bool is_changed;
};

/* Runs are counted with the gaps before them. */
static unsigned units_of(const struct chooser *c, mach_temp temp)
{
    const struct mach_class class = c->program->temps[temp].class;
    return (unsigned)align_u64(mach_units(class), class.align);
}

static void add_demand(const struct chooser *c, struct demand *demand, mach_temp temp, int sign)
{
    const uint32_t units = (uint32_t)(sign * (int)units_of(c, temp));
    demand->units += units;
    demand->small_units += mach_is_small(c->program, c->program->temps[temp].class) ? units : 0;
}

static bool is_too_much(const struct chooser *c, struct demand more)
{
    return c->now.units + more.units > c->limit.units || c->now.small_units + more.small_units > c->limit.small_units;
}

/* Whether it helps where there is too much: where it is small components, no others do. */
static bool temp_helps(const struct chooser *c, struct demand more, mach_temp temp)
{
    return c->now.units + more.units > c->limit.units || mach_is_small(c->program, c->program->temps[temp].class);
}

/* ---- the market ---- */

static void offer_temp(struct market *market, mach_temp temp)
{
    const uint32_t rank = market->rank[temp], word = rank / 64;
    market->offered[word] |= 1ull << rank % 64;
    market->summary[word / 64] |= 1ull << word % 64;
}

static void withdraw_temp(struct market *market, mach_temp temp)
{
    const uint32_t rank = market->rank[temp], word = rank / 64;
    market->offered[word] &= ~(1ull << rank % 64);
    if (!market->offered[word])
        market->summary[word / 64] &= ~(1ull << word % 64);
}

/* The first bit at or after `from`; `count` where there is none. */
static uint32_t next_bit(const uint64_t *words, uint32_t from, uint32_t count)
{
    for (uint32_t word = from / 64; word * 64 < count; word++) {
        const uint64_t left = words[word] & (word == from / 64 ? ~0ull << from % 64 : ~0ull);
        if (left)
            return word * 64 + (uint32_t)__builtin_ctzll(left);
    }
    return count;
}

/* The cheapest value from a rank on; 0: there is none. */
static mach_temp cheapest_temp(const struct market *market, uint32_t from)
{
    const uint32_t words = market->count / 64 + 1;
    uint32_t word = from / 64;
    uint64_t left = from < market->count ? market->offered[word] & ~0ull << from % 64 : 0;
    if (!left) {
        word = next_bit(market->summary, word + 1, words);
        if (word >= words)
            return 0;
        left = market->offered[word];
    }
    return market->by_rank[word * 64 + (uint32_t)__builtin_ctzll(left)];
}

static int compare_prices(const void *first, const void *second, void *prices)
{
    const mach_temp a = *(const mach_temp *)first, b = *(const mach_temp *)second;
    const float *price = prices;
    return price[a] < price[b] ? -1 : price[a] > price[b] ? 1 : a < b ? -1 : a > b;
}

static void open_market(struct chooser *c)
{
    struct market *market = &c->market;
    const uint32_t count = c->spill.num_temps, words = count / 64 + 1;
    market->count = count;
    market->by_rank = mach_alloc(c->program, count * sizeof(*market->by_rank));
    market->rank = mach_alloc(c->program, count * sizeof(*market->rank));
    market->offered = mach_alloc(c->program, words * sizeof(uint64_t));
    market->summary = mach_alloc(c->program, (words / 64 + 1) * sizeof(uint64_t));
    for (mach_temp temp = 0; temp < count; temp++)
        market->by_rank[temp] = temp;
    qsort_r(market->by_rank, count, sizeof(mach_temp), compare_prices, c->price);
    for (uint32_t rank = 0; rank < count; rank++)
        market->rank[market->by_rank[rank]] = rank;
}

/* ---- the set of what is alive ---- */

static void begin_temp(struct chooser *c, mach_temp temp)
{
    if (c->position[temp])
        return;
    c->alive[c->num_alive++] = temp;
    c->position[temp] = c->num_alive;
    if (c->spill.is_given_up[temp])
        return;
    add_demand(c, &c->now, temp, 1);
    if (!c->is_fixed[temp])
        offer_temp(&c->market, temp);
}

static void end_temp(struct chooser *c, mach_temp temp)
{
    const uint32_t at = c->position[temp];
    if (!at)
        return;
    const mach_temp last = c->alive[--c->num_alive];
    c->alive[at - 1] = last;
    c->position[last] = at;
    c->position[temp] = 0;
    if (c->spill.is_given_up[temp])
        return;
    add_demand(c, &c->now, temp, -1);
    if (!c->is_fixed[temp])
        withdraw_temp(&c->market, temp);
}

/* ---- prices ---- */

static float weight_of(const struct mach_block *block)
{
    float weight = 1;
    for (unsigned i = 0; i < block->loop_depth && i < 8; i++)
        weight *= 8;
    return weight;
}

static bool is_repeatable(const struct mach_program *program, const struct mach_instr *instr)
{
    const struct machine *machine = program->machine;
    return instr->num_defs == 1 && instr->defs[0].temp && !instr->defs[0].is_fixed && !mach_is_pseudo(instr) &&
           machine->can_repeat && machine->can_repeat(instr);
}

static void count_prices(struct chooser *c)
{
    uint32_t *length =
        mach_alloc(c->program, c->spill.num_temps * sizeof(*length)); /* instructions that it lives for */
    mach_foreach_block(c->program, block)
    {
        const float weight = weight_of(block);
        uint32_t instrs = 0;
        mach_foreach_instr(block, instr)
        {
            instrs++;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MACH_TEMP)
                    c->price[instr->operands[i].temp] += weight;
            }
            for (unsigned i = 0; i < instr->num_defs; i++) {
                const mach_temp temp = instr->defs[i].temp;
                c->spill.is_repeated[temp] = is_repeatable(c->program, instr);
                c->price[temp] += c->spill.is_repeated[temp] ? 0 : weight;
                c->is_fixed[temp] |= instr->defs[i].is_fixed;
            }
        }
        live_foreach(&c->program->live, out, block->index, temp) length[temp] += instrs;
    }
    for (mach_temp temp = 1; temp < c->spill.num_temps; temp++) {
        c->is_fixed[temp] |= c->program->temps[temp].is_spilled;
        c->price[temp] /= (float)((length[temp] + 1) * units_of(c, temp)) * (c->spill.is_repeated[temp] ? 8 : 1);
    }
}

/* ---- giving up ---- */

static void give_up_temp(struct chooser *c, mach_temp temp)
{
    if (c->position[temp]) {
        add_demand(c, &c->now, temp, -1);
        withdraw_temp(&c->market, temp);
    }
    c->spill.is_given_up[temp] = true;
    c->is_changed = true;
}

/* An instruction needs what it names in registers; a phi does not. */
static bool is_named(const struct mach_instr *instr, mach_temp temp)
{
    for (unsigned i = 0; i < instr->num_operands && instr->op != MACH_P_PHI; i++) {
        if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].temp == temp)
            return true;
    }
    for (unsigned i = 0; i < instr->num_defs && instr->op != MACH_P_PHI; i++) {
        if (instr->defs[i].temp == temp)
            return true;
    }
    return false;
}

/* A value that is alive here and not named by the instruction. */
static bool give_up_one(struct chooser *c, const struct mach_instr *instr, struct demand passing)
{
    for (uint32_t rank = 0;;) {
        const mach_temp temp = cheapest_temp(&c->market, rank);
        if (!temp)
            return false;
        if (!is_named(instr, temp) && temp_helps(c, passing, temp)) {
            give_up_temp(c, temp);
            return true;
        }
        rank = c->market.rank[temp] + 1;
    }
}

/* ---- the ends of blocks ---- */

static void note_largest(const struct chooser *c, struct demand *largest, mach_temp temp)
{
    struct demand demand = {0};
    add_demand(c, &demand, temp, 1);
    largest->units = MAX2(largest->units, demand.units);
    largest->small_units = MAX2(largest->small_units, demand.small_units);
}

/* Units that reloads for the phis in registers need before the edge, and the largest of those in memory. */
static struct demand edge_demand(struct chooser *c, const struct mach_block *to, unsigned pred)
{
    struct demand reloads = {0}, largest = {0};
    c->edge++;
    mach_foreach_instr(to, phi)
    {
        if (phi->op != MACH_P_PHI)
            break;
        const struct mach_operand *operand = &phi->operands[pred];
        if (spill_is_memory_phi(&c->spill, phi))
            note_largest(c, &largest, phi->defs[0].temp);
        else if (operand->kind == MACH_TEMP && c->spill.is_given_up[operand->temp])
            add_demand(c, &reloads, operand->temp, 1);
        else if (operand->kind == MACH_TEMP)
            c->held[operand->temp] = c->edge;
    }
    return (struct demand){reloads.units + largest.units, reloads.small_units + largest.small_units};
}

/* A value that no phi in registers reads on the edge. */
static bool give_up_at_end(struct chooser *c, struct demand edge)
{
    for (uint32_t rank = 0;;) {
        const mach_temp temp = cheapest_temp(&c->market, rank);
        if (!temp)
            return false;
        if (c->held[temp] != c->edge && temp_helps(c, edge, temp)) {
            give_up_temp(c, temp);
            return true;
        }
        rank = c->market.rank[temp] + 1;
    }
}

/* A phi whose operand is in memory already. */
static bool give_up_phi(struct chooser *c, const struct mach_block *to, unsigned pred)
{
    mach_temp best = 0;
    mach_foreach_instr(to, phi)
    {
        const mach_temp temp = phi->defs[0].temp;
        if (phi->op != MACH_P_PHI)
            break;
        const struct mach_operand *operand = &phi->operands[pred];
        if (!c->spill.is_given_up[temp] && !c->is_fixed[temp] && operand->kind == MACH_TEMP &&
            c->spill.is_given_up[operand->temp] && (!best || c->price[temp] < c->price[best]))
            best = temp;
    }
    if (best)
        give_up_temp(c, best);
    return best != 0;
}

static void leave_block(struct chooser *c, const struct mach_block *block, bool is_first_walk)
{
    for (uint32_t i = 0; i < block->num_succs; i++) {
        const struct mach_block *to = &c->program->blocks[block->succs[i]];
        uint32_t pred = 0;
        if (to->num_preds < 2 || (is_first_walk && to->index > block->index))
            continue; /* no phis; or nothing is known of them yet */
        while (to->preds[pred] != block->index)
            pred++;
        do {
            const struct demand edge = edge_demand(c, to, pred);
            while (is_too_much(c, edge) && give_up_at_end(c, edge))
                ;
            if (!is_too_much(c, edge))
                break;
        } while (give_up_phi(c, to, pred));
    }
}

/* ---- the walk ---- */

/* Registers of what was given up, for the time of the instruction. */
static struct demand passing_demand(const struct chooser *c, const struct mach_instr *instr)
{
    struct demand demand = {0};
    if (instr->op == MACH_P_PHI)
        return demand;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        if (operand->kind == MACH_TEMP && c->spill.is_given_up[operand->temp])
            add_demand(c, &demand, operand->temp, 1);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && c->spill.is_given_up[instr->defs[i].temp])
            add_demand(c, &demand, instr->defs[i].temp, 1);
    }
    return demand;
}

static void visit_instr(struct chooser *c, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands && instr->op != MACH_P_PHI; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            begin_temp(c, instr->operands[i].temp);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp)
            begin_temp(c, instr->defs[i].temp);
    }
    const struct demand passing = passing_demand(c, instr);
    while (is_too_much(c, passing) && give_up_one(c, instr, passing))
        ;
    for (unsigned i = 0; i < instr->num_operands && instr->op != MACH_P_PHI; i++) {
        if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].is_kill)
            end_temp(c, instr->operands[i].temp);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && instr->defs[i].is_dead)
            end_temp(c, instr->defs[i].temp);
    }
}

/* From the end of the block before it: most values are alive at both places. */
static void enter_block(struct chooser *c, const struct mach_block *block)
{
    c->entry++;
    live_foreach(&c->program->live, in, block->index, temp) c->entered[temp] = c->entry;
    for (uint32_t i = c->num_alive; i-- > 0;) {
        if (c->entered[c->alive[i]] != c->entry)
            end_temp(c, c->alive[i]);
    }
    live_foreach(&c->program->live, in, block->index, temp)
    {
        if (!c->position[temp])
            begin_temp(c, temp);
    }
}

static void walk_program(struct chooser *c, bool is_first)
{
    mach_foreach_block(c->program, block)
    {
        enter_block(c, block);
        mach_foreach_instr(block, instr) visit_instr(c, instr);
        leave_block(c, block, is_first);
    }
}

/* ---- rounds ---- */

static void spill_to_limit(struct mach_program *program, struct demand limit)
{
    const uint32_t count = program->num_temps;
    struct chooser c = {.program = program, .limit = limit, .spill = {.program = program, .num_temps = count}};
    c.spill.is_given_up = mach_alloc(program, count * sizeof(*c.spill.is_given_up));
    c.spill.is_repeated = mach_alloc(program, count * sizeof(*c.spill.is_repeated));
    c.price = mach_alloc(program, count * sizeof(*c.price));
    c.is_fixed = mach_alloc(program, count * sizeof(*c.is_fixed));
    c.alive = mach_alloc(program, count * sizeof(*c.alive));
    c.position = mach_alloc(program, count * sizeof(*c.position));
    c.held = mach_alloc(program, count * sizeof(*c.held));
    c.entered = mach_alloc(program, count * sizeof(*c.entered));
    count_prices(&c);
    open_market(&c);
    for (bool is_first = true; is_first || c.is_changed; is_first = false) {
        c.is_changed = is_first;
        walk_program(&c, is_first);
    }
    mach_spill_rewrite(&c.spill);
}

static bool program_fits(const struct mach_program *program, struct demand limit)
{
    return program->max_demand <= limit.units && program->max_small_demand <= limit.small_units;
}

static void know_kills(struct mach_program *program)
{
    if (!program->has_kills)
        mach_find_kills(program);
    program->has_kills = true;
}

void mach_spill(struct mach_program *program)
{
    const uint32_t small = program->small_limit ? MIN2(program->small_limit, program->limit) : program->limit;
    const struct demand limit = {program->limit - program->slack, small - program->slack};
    program->has_kills &= !mach_copy_single_phis(program);
    know_kills(program);
    if (program_fits(program, limit))
        return;
    if (program->machine->begin_spill) {
        program->spill_begin = program->machine->begin_spill(program);
        program->has_kills = false;
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        know_kills(program);
        if (program_fits(program, limit))
            return;
        spill_to_limit(program, (struct demand){limit.units - MIN2(4 * round, limit.units),
                                                limit.small_units - MIN2(4 * round, limit.small_units)});
        program->has_kills = false;
    }
    know_kills(program);
    if (!program_fits(program, (struct demand){program->limit, small}))
        mach_fail(program, "%u pieces of registers are alive at once, and no more can be spilled", program->max_demand);
}
