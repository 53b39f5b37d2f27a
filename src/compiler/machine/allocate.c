/* Register allocation: blocks in program order, values in the order of their definitions. A value gets a place when it
 * is written; where a tuple finds no place, everything that is alive is laid out anew by one parallel copy before the
 * instruction. At the start of a block everything is where the first predecessor leaves it; copies at the ends of the
 * other predecessors bring it there, with the operands of phis.
 *
 * What is alive at once must fit already. */
#include <string.h>

#include "compiler/machine/allocate.h"
#include "util/bits.h"

/* ---- wishes ---- */

static void collect_wishes(struct ra *ra)
{
    mach_foreach_block(ra->program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (instr->op != MACH_P_COLLECT)
                continue;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                const struct mach_operand *operand = &instr->operands[i];
                if (operand->kind == MACH_TEMP && !ra->wishes[operand->temp].collect)
                    ra->wishes[operand->temp] = (struct wish){instr, i};
            }
        }
    }
}

/* Makes the way shorter that it goes. */
static mach_temp web_of(struct ra *ra, mach_temp temp)
{
    for (; ra->web[temp] != temp; temp = ra->web[temp])
        ra->web[temp] = ra->web[ra->web[temp]];
    return temp;
}

/* Values that phis join want to be in one place. */
static void collect_webs(struct ra *ra)
{
    for (uint32_t i = 0; i < ra->program->num_temps; i++)
        ra->web[i] = i;
    mach_foreach_block(ra->program, block)
    {
        mach_foreach_instr(block, phi)
        {
            if (phi->op != MACH_P_PHI)
                break;
            for (unsigned i = 0; i < phi->num_operands; i++) {
                if (phi->operands[i].kind == MACH_TEMP)
                    ra->web[web_of(ra, phi->operands[i].temp)] = web_of(ra, phi->defs[0].temp);
            }
        }
    }
    for (uint32_t i = 0; i < ra->program->num_temps; i++)
        ra->web[i] = web_of(ra, i);
}

/* ---- blocks ---- */

static struct places snapshot(struct ra *ra)
{
    struct places places = {0};
    for (unsigned reg = 0; reg < MACH_REGS; reg++)
        places.count += ra->file[reg] && ra->loc[ra->file[reg]] == reg;
    places.list = mach_alloc(ra->program, places.count * sizeof(*places.list));
    places.count = 0;
    for (unsigned reg = 0; reg < MACH_REGS; reg++) {
        const mach_temp temp = ra->file[reg];
        if (temp && ra->loc[temp] == reg)
            places.list[places.count++] = (struct place){temp, (mach_reg)reg};
    }
    return places;
}

static const struct mach_block *first_done(const struct ra *ra, const struct mach_block *block)
{
    for (uint32_t i = 0; i < block->num_preds; i++) {
        if (ra->done[block->preds[i]])
            return &ra->program->blocks[block->preds[i]];
    }
    return NULL;
}

static mach_reg place_in(const struct places *places, mach_temp temp)
{
    for (uint32_t i = 0; i < places->count; i++) {
        if (places->list[i].temp == temp)
            return places->list[i].reg;
    }
    return MACH_NO_REG;
}

/* The place of an operand, if it is free: that edge needs no copy. */
static mach_reg phi_place(const struct ra *ra, const struct mach_block *block, const struct mach_instr *phi)
{
    for (unsigned i = 0; i < phi->num_operands; i++) {
        if (phi->operands[i].kind != MACH_TEMP || !ra->done[block->preds[i]])
            continue;
        const mach_reg reg = place_in(&ra->exit[block->preds[i]], phi->operands[i].temp);
        if (reg != MACH_NO_REG && mach_ra_is_free(ra, ra_class(ra, phi->defs[0].temp), reg))
            return reg;
    }
    return MACH_NO_REG;
}

static void enter_block(struct ra *ra, struct mach_block *block)
{
    memset(ra->file, 0, sizeof(ra->file));
    memset(ra->kept, 0, sizeof(ra->kept));
    const struct mach_block *pred = first_done(ra, block);
    const struct live_sets *sets = &ra->program->live;
    if (pred) {
        for (uint32_t i = 0; i < ra->exit[pred->index].count; i++) {
            const struct place *place = &ra->exit[pred->index].list[i];
            if (live_is_in(sets, block->index, place->temp))
                mach_ra_put(ra, place->temp, place->reg);
        }
    }
    live_foreach(sets, in, block->index, temp)
    {
        if (!ra_is_placed(ra, temp)) /* not written on the way by that predecessor */
            mach_ra_place_at_entry(ra, temp, MACH_NO_REG);
    }
    mach_foreach_instr(block, phi)
    {
        if (phi->op != MACH_P_PHI)
            break;
        mach_ra_place_at_entry(ra, phi->defs[0].temp, phi_place(ra, block, phi));
    }
    ra->entry[block->index] = snapshot(ra);
}

static void allocate_block(struct ra *ra, struct mach_block *block)
{
    enter_block(ra, block);
    mach_foreach_instr(block, instr)
    {
        if (instr->op != MACH_P_PHI) {
            mach_ra_place(ra, instr);
            continue;
        }
        instr->defs[0].reg = ra->loc[instr->defs[0].temp];
        if (instr->defs[0].is_dead)
            mach_ra_take(ra, instr->defs[0].temp);
    }
    ra->exit[block->index] = snapshot(ra);
    ra->done[block->index] = true;
}

/* ---- edges ---- */

struct edge_copies {
    struct mach_def defs[MACH_REGS];
    struct mach_operand operands[MACH_REGS];
    unsigned count;
};

static void add_edge_copy(struct edge_copies *copies, mach_temp temp, mach_reg to, struct mach_operand from)
{
    if (from.kind == MACH_TEMP && (from.reg == to || from.reg == MACH_NO_REG))
        return; /* there already; or written on other ways only */
    copies->defs[copies->count] = (struct mach_def){.temp = temp, .reg = to};
    copies->operands[copies->count++] = from;
}

static void connect_edge(struct ra *ra, const struct mach_block *to, unsigned pred)
{
    struct mach_block *from = &ra->program->blocks[to->preds[pred]];
    const struct places *exit = &ra->exit[from->index], *entry = &ra->entry[to->index];
    struct edge_copies copies = {.count = 0};
    for (uint32_t i = 0; i < exit->count; i++)
        ra->loc[exit->list[i].temp] = exit->list[i].reg;
    mach_foreach_instr(to, phi)
    {
        struct mach_operand source;
        if (phi->op != MACH_P_PHI)
            break;
        source = phi->operands[pred];
        if (phi->defs[0].is_dead || source.kind == MACH_UNDEF)
            continue;
        if (source.kind == MACH_TEMP)
            source.reg = place_in(exit, source.temp);
        add_edge_copy(&copies, phi->defs[0].temp, phi->defs[0].reg, source);
    }
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct place *place = &entry->list[i];
        if (!live_is_in(&ra->program->live, to->index, place->temp))
            continue; /* a phi's result */
        struct mach_operand source = mach_use(place->temp);
        source.reg = place_in(exit, place->temp);
        add_edge_copy(&copies, place->temp, place->reg, source);
    }
    if (!copies.count)
        return;
    if (from->num_succs > 1)
        mach_fail(ra->program, "internal: a copy has no place between blocks %u and %u", from->index, to->index);
    struct mach_builder builder = {ra->program, from->instrs.prev};
    struct mach_instr *copy = mach_new_instr(&builder, MACH_P_COPY, copies.count, copies.count);
    memcpy(copy->defs, copies.defs, copies.count * sizeof(*copy->defs));
    memcpy(copy->operands, copies.operands, copies.count * sizeof(*copy->operands));
}

void mach_allocate(struct mach_program *program)
{
    program->has_kills &= !mach_copy_single_phis(program);
    if (!program->has_kills)
        mach_find_kills(program);
    program->has_kills = false;
    if (program->max_demand > program->limit)
        mach_fail(program, "%u pieces of registers are alive at once", program->max_demand);
    struct ra *ra = mach_alloc(program, sizeof(*ra));
    ra->program = program;
    ra->loc = mach_alloc(program, program->num_temps * sizeof(*ra->loc));
    memset(ra->loc, 0xff, program->num_temps * sizeof(*ra->loc));
    ra->wishes = mach_alloc(program, program->num_temps * sizeof(*ra->wishes));
    ra->web = mach_alloc(program, program->num_temps * sizeof(*ra->web));
    ra->web_reg = mach_alloc(program, program->num_temps * sizeof(*ra->web_reg));
    memset(ra->web_reg, 0xff, program->num_temps * sizeof(*ra->web_reg));
    ra->entry = mach_alloc(program, program->num_blocks * sizeof(*ra->entry));
    ra->exit = mach_alloc(program, program->num_blocks * sizeof(*ra->exit));
    ra->done = mach_alloc(program, program->num_blocks * sizeof(*ra->done));
    collect_wishes(ra);
    collect_webs(ra);
    mach_foreach_block(program, block) allocate_block(ra, block);
    mach_foreach_block(program, block)
    {
        for (uint32_t i = 0; i < block->num_preds && block->num_preds > 1; i++)
            connect_edge(ra, block, i);
    }
}
