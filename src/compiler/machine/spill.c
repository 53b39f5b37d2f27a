/* Spilling: what does not fit into the registers goes to private memory and comes back before each use. Walks over the
 * program count the units that are alive, with those that reloads will need: where the limit is exceeded, the value whose
 * uses cost least for the time that it lives is given up. A value that was given up may need a reload where a walk has
 * been already, so that walks go on until one finds nothing; only then is the program rewritten (spill_memory.c). */
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

struct chooser {
    struct spill spill;
    struct mach_program *program;
    float *price;       /* by temporary: uses, weighted by loops, over the time that it lives */
    bool *is_fixed;     /* must not be given up: an input, in a register that is named, or alive for a moment only */
    mach_temp *alive;   /* at the place of the walk */
    uint32_t *position; /* in `alive`, + 1; 0: not alive */
    uint32_t num_alive;
    uint32_t units, limit;
    struct market market;
    uint32_t *held; /* by temporary: the edge, by number, on which a phi in registers reads it */
    uint32_t edge;
    bool is_changed;
};

/* Runs are counted with the gaps before them. */
static unsigned units_of(const struct chooser *c, mach_temp temp)
{
    const struct mach_class class = c->program->temps[temp].class;
    return (unsigned)align_u64(mach_units(class), class.align);
}

/* ---- the market ---- */

static void offer(struct market *market, mach_temp temp)
{
    const uint32_t rank = market->rank[temp], word = rank / 64;
    market->offered[word] |= 1ull << rank % 64;
    market->summary[word / 64] |= 1ull << word % 64;
}

static void withdraw(struct market *market, mach_temp temp)
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
static mach_temp cheapest(const struct market *market, uint32_t from)
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

static void begin(struct chooser *c, mach_temp temp)
{
    if (c->position[temp])
        return;
    c->alive[c->num_alive++] = temp;
    c->position[temp] = c->num_alive;
    if (c->spill.is_given_up[temp])
        return;
    c->units += units_of(c, temp);
    if (!c->is_fixed[temp])
        offer(&c->market, temp);
}

static void end(struct chooser *c, mach_temp temp)
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
    c->units -= units_of(c, temp);
    if (!c->is_fixed[temp])
        withdraw(&c->market, temp);
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
                c->is_fixed[temp] |= instr->op == MACH_P_START || instr->defs[i].is_fixed;
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

static void give_up(struct chooser *c, mach_temp temp)
{
    if (c->position[temp]) {
        c->units -= units_of(c, temp);
        withdraw(&c->market, temp);
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

/* What is alive here and not named by the instruction. */
static bool give_up_one(struct chooser *c, const struct mach_instr *instr)
{
    for (uint32_t rank = 0;;) {
        const mach_temp temp = cheapest(&c->market, rank);
        if (!temp)
            return false;
        if (!is_named(instr, temp)) {
            give_up(c, temp);
            return true;
        }
        rank = c->market.rank[temp] + 1;
    }
}

/* ---- the ends of blocks ---- */

/* Units that reloads for the phis in registers need before the edge, and the largest of those in memory. */
static uint32_t edge_units(struct chooser *c, const struct mach_block *to, unsigned pred)
{
    uint32_t reloads = 0, largest = 0;
    c->edge++;
    mach_foreach_instr(to, phi)
    {
        if (phi->op != MACH_P_PHI)
            break;
        const struct mach_operand *operand = &phi->operands[pred];
        if (spill_is_memory_phi(&c->spill, phi))
            largest = MAX2(largest, units_of(c, phi->defs[0].temp));
        else if (operand->kind == MACH_TEMP && c->spill.is_given_up[operand->temp])
            reloads += units_of(c, operand->temp);
        else if (operand->kind == MACH_TEMP)
            c->held[operand->temp] = c->edge;
    }
    return reloads + largest;
}

/* What no phi in registers reads on the edge. */
static bool give_up_at_end(struct chooser *c)
{
    for (uint32_t rank = 0;;) {
        const mach_temp temp = cheapest(&c->market, rank);
        if (!temp)
            return false;
        if (c->held[temp] != c->edge) {
            give_up(c, temp);
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
        give_up(c, best);
    return best != 0;
}

static void leave(struct chooser *c, const struct mach_block *block, bool is_first_walk)
{
    for (uint32_t i = 0; i < block->num_succs; i++) {
        const struct mach_block *to = &c->program->blocks[block->succs[i]];
        uint32_t pred = 0;
        if (to->num_preds < 2 || (is_first_walk && to->index > block->index))
            continue; /* no phis; or nothing is known of them yet */
        while (to->preds[pred] != block->index)
            pred++;
        do {
            const uint32_t units = edge_units(c, to, pred);
            while (c->units + units > c->limit && give_up_at_end(c))
                ;
            if (c->units + units <= c->limit)
                break;
        } while (give_up_phi(c, to, pred));
    }
}

/* ---- the walk ---- */

/* Registers of what was given up, for the time of the instruction. */
static uint32_t passing_units(const struct chooser *c, const struct mach_instr *instr)
{
    uint32_t units = 0;
    if (instr->op == MACH_P_PHI)
        return 0;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        if (operand->kind == MACH_TEMP && c->spill.is_given_up[operand->temp])
            units += units_of(c, operand->temp);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && c->spill.is_given_up[instr->defs[i].temp])
            units += units_of(c, instr->defs[i].temp);
    }
    return units;
}

static void visit(struct chooser *c, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands && instr->op != MACH_P_PHI; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            begin(c, instr->operands[i].temp);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp)
            begin(c, instr->defs[i].temp);
    }
    const uint32_t passing = passing_units(c, instr);
    while (c->units + passing > c->limit && give_up_one(c, instr))
        ;
    for (unsigned i = 0; i < instr->num_operands && instr->op != MACH_P_PHI; i++) {
        if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].is_kill)
            end(c, instr->operands[i].temp);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && instr->defs[i].is_dead)
            end(c, instr->defs[i].temp);
    }
}

static void walk(struct chooser *c, bool is_first)
{
    mach_foreach_block(c->program, block)
    {
        while (c->num_alive)
            end(c, c->alive[c->num_alive - 1]);
        live_foreach(&c->program->live, in, block->index, temp) begin(c, temp);
        mach_foreach_instr(block, instr) visit(c, instr);
        leave(c, block, is_first);
    }
}

/* ---- rounds ---- */

static void spill_to(struct mach_program *program, uint32_t limit)
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
    count_prices(&c);
    open_market(&c);
    for (bool is_first = true; is_first || c.is_changed; is_first = false) {
        c.is_changed = is_first;
        walk(&c, is_first);
    }
    mach_spill_rewrite(&c.spill);
}

void mach_spill(struct mach_program *program)
{
    const uint32_t limit = program->limit - program->slack;
    mach_copy_single_phis(program);
    mach_find_kills(program);
    if (program->max_demand <= limit)
        return;
    if (program->machine->begin_spill)
        program->machine->begin_spill(program);
    for (unsigned round = 0; round < ROUNDS; round++) {
        mach_find_kills(program);
        if (program->max_demand <= limit)
            return;
        spill_to(program, limit - MIN2(4 * round, limit));
    }
    mach_find_kills(program);
    if (program->max_demand > program->limit)
        mach_fail(program, "%u pieces of registers are alive at once, and no more can be spilled", program->max_demand);
}
