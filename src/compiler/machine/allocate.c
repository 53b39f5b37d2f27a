/* Register allocation: blocks in program order, values in the order of their definitions. A value gets a place when it
 * is written; where a tuple finds no place, everything that is alive is laid out anew by one parallel copy before the
 * instruction. At the start of a block everything is where the first predecessor leaves it; copies at the ends of the
 * other predecessors bring it there, with the operands of phis.
 *
 * What is alive at once must fit already. */
#include <string.h>

#include "compiler/machine/code.h"
#include "util/bits.h"

struct place {
    mach_temp temp;
    mach_reg reg;
};

struct places {
    struct place *list;
    uint32_t count;
};

/* A value that becomes a component of a tuple wants to be where the tuple will be. */
struct wish {
    const struct mach_instr *collect;
    uint32_t component;
};

struct ra {
    struct mach_program *program;
    mach_temp file[MACH_REGS];                /* by unit: who is there */
    mach_reg *loc;                            /* by temporary; valid where `file` agrees */
    struct wish *wishes;                      /* by temporary */
    const struct mach_instr *kept[MACH_REGS]; /* by unit: a tuple that will be there, of which some is there already */
    mach_temp *web;    /* by temporary: another value that a phi joins it with, towards the one that stands for all */
    mach_reg *web_reg; /* by that one: where the last of them was put */
    uint32_t now;      /* instructions so far */
    uint32_t hot[MACH_REGS]; /* by unit: until when something may still read it that has been issued */
    struct places *entry, *exit;
    bool *done;
    bool is_packing;  /* everything is laid out anew, without gaps */
    bool keeps_small; /* large components stay away from where small ones have names */
};

/* ---- the file ---- */

static struct mach_class class_of(const struct ra *ra, mach_temp temp)
{
    return ra->program->temps[temp].class;
}

static bool is_placed(const struct ra *ra, mach_temp temp)
{
    return ra->loc[temp] != MACH_NO_REG && ra->file[ra->loc[temp]] == temp;
}

/* Only where there are large ones, too. */
static bool is_small(const struct ra *ra, struct mach_class class)
{
    return class.size == 1 && ra->program->small_limit;
}

static bool is_legal(const struct ra *ra, struct mach_class class, unsigned reg)
{
    const unsigned limit =
        is_small(ra, class) ? MIN2(ra->program->small_limit, ra->program->limit) : ra->program->limit;
    const unsigned end = reg + mach_units(class), seam = ra->program->seam;
    return end <= limit && reg % class.align == 0 && (reg >= seam || end <= seam);
}

static bool is_free(const struct ra *ra, struct mach_class class, unsigned reg)
{
    if (!is_legal(ra, class, reg))
        return false;
    for (unsigned i = 0; i < mach_units(class); i++) {
        if (ra->file[reg + i])
            return false;
    }
    return true;
}

static bool is_kept(const struct ra *ra, struct mach_class class, unsigned reg)
{
    for (unsigned i = 0; i < mach_units(class); i++) {
        if (ra->kept[reg + i])
            return true;
    }
    return false;
}

static bool is_hot(const struct ra *ra, struct mach_class class, unsigned reg)
{
    for (unsigned i = 0; i < mach_units(class); i++) {
        if (ra->hot[reg + i] > ra->now)
            return true;
    }
    return false;
}

/* Rather not where tuples will be, and of registers that are used anyway rather none that is still being read. */
static mach_reg find_free(const struct ra *ra, struct mach_class class)
{
    mach_reg second = MACH_NO_REG, third = MACH_NO_REG;
    for (unsigned reg = 0; reg + mach_units(class) <= ra->program->limit; reg += class.align) {
        if (!is_free(ra, class, reg))
            continue;
        if (ra->is_packing)
            return (mach_reg)reg;
        const bool is_new = reg + mach_units(class) > ra->program->used;
        if (is_new && second != MACH_NO_REG)
            break;
        if (is_kept(ra, class, reg))
            third = third == MACH_NO_REG ? (mach_reg)reg : third;
        else if (!is_hot(ra, class, reg))
            return (mach_reg)reg;
        else
            second = second == MACH_NO_REG ? (mach_reg)reg : second;
    }
    return second != MACH_NO_REG ? second : third;
}

static void put(struct ra *ra, mach_temp temp, mach_reg reg)
{
    const unsigned units = mach_units(class_of(ra, temp));
    for (unsigned i = 0; i < units; i++)
        ra->file[reg + i] = temp;
    ra->loc[temp] = reg;
    ra->web_reg[ra->web[temp]] = reg;
    ra->program->used = (uint16_t)MAX2(ra->program->used, reg + units);
}

static void take(struct ra *ra, mach_temp temp)
{
    if (!temp || !is_placed(ra, temp))
        return;
    const unsigned units = mach_units(class_of(ra, temp));
    for (unsigned i = 0; i < units; i++)
        ra->file[ra->loc[temp] + i] = 0;
}

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

static mach_reg web_place(const struct ra *ra, mach_temp temp)
{
    const mach_reg reg = ra->web_reg[ra->web[temp]];
    return reg != MACH_NO_REG && is_free(ra, class_of(ra, temp), reg) && !is_kept(ra, class_of(ra, temp), reg)
               ? reg
               : MACH_NO_REG;
}

/* Where the tuple would begin by what is placed of it already; MACH_NO_REG: nothing is, or it does not fit. */
static int tuple_base(const struct ra *ra, const struct mach_instr *collect)
{
    const struct mach_class class = class_of(ra, collect->defs[0].temp);
    for (unsigned i = 0; i < collect->num_operands; i++) {
        const struct mach_operand *operand = &collect->operands[i];
        if (operand->kind != MACH_TEMP || !is_placed(ra, operand->temp) || ra->wishes[operand->temp].collect != collect)
            continue;
        const int base = (int)ra->loc[operand->temp] - (int)(i * class.size);
        if (base >= 0 && is_legal(ra, class, (unsigned)base))
            return base;
    }
    const mach_reg base = find_free(ra, class);
    return base == MACH_NO_REG ? -1 : base;
}

static mach_reg wished(const struct ra *ra, mach_temp temp)
{
    const struct wish *wish = &ra->wishes[temp];
    const struct mach_class class = class_of(ra, temp);
    if (!wish->collect || class.comps != 1)
        return MACH_NO_REG;
    const int base = tuple_base(ra, wish->collect), reg = base + (int)(wish->component * class.size);
    return base >= 0 && is_free(ra, class, (unsigned)reg) ? (mach_reg)reg : MACH_NO_REG;
}

/* A value is where it wished to be: the rest of its tuple is kept for the others. */
static void keep(struct ra *ra, mach_temp temp)
{
    const struct wish *wish = &ra->wishes[temp];
    const struct mach_class class = class_of(ra, temp);
    if (!wish->collect || class.comps != 1)
        return;
    const struct mach_class whole = class_of(ra, wish->collect->defs[0].temp);
    const int base = (int)ra->loc[temp] - (int)(wish->component * class.size);
    if (base < 0 || !is_legal(ra, whole, (unsigned)base))
        return;
    for (unsigned i = 0; i < mach_units(whole); i++) {
        if (!ra->kept[base + (int)i])
            ra->kept[base + (int)i] = wish->collect;
    }
}

static void release(struct ra *ra, const struct mach_instr *collect)
{
    for (unsigned i = 0; i < MACH_REGS; i++) {
        if (ra->kept[i] == collect)
            ra->kept[i] = NULL;
    }
}

/* ---- laying everything out anew ---- */

struct layout {
    struct place list[MACH_REGS + 16]; /* where everything was */
    unsigned count;
};

static void collect_alive(struct ra *ra, struct layout *layout)
{
    layout->count = 0;
    for (unsigned reg = 0; reg < MACH_REGS; reg++) {
        const mach_temp temp = ra->file[reg];
        if (temp && ra->loc[temp] == reg)
            layout->list[layout->count++] = (struct place){temp, (mach_reg)reg};
    }
}

/* Where small components are wanted, large ones go to where those have no names, if there is such a place. */
static mach_reg find_place(struct ra *ra, struct mach_class class)
{
    mach_reg reg = MACH_NO_REG;
    for (unsigned at = ra->program->small_limit; ra->keeps_small && !is_small(ra, class) && is_legal(ra, class, at);
         at += class.align) {
        if (is_free(ra, class, at))
            return (mach_reg)at;
    }
    reg = find_free(ra, class);
    if (reg == MACH_NO_REG)
        mach_fail(ra->program, "the registers do not suffice");
    return reg;
}

/* Large tuples before small ones. */
static void place_class(struct ra *ra, const struct layout *layout, bool small)
{
    for (unsigned comps = 16; comps > 0; comps--) {
        for (unsigned i = 0; i < layout->count; i++) {
            const mach_temp temp = layout->list[i].temp;
            const struct mach_class class = class_of(ra, temp);
            if (is_small(ra, class) == small && class.comps == comps)
                put(ra, temp, find_place(ra, class));
        }
    }
}

/* Small ones first, which have the fewest places. */
static void place_all(struct ra *ra, const struct layout *layout)
{
    place_class(ra, layout, true);
    place_class(ra, layout, false);
}

static void place_results(struct ra *ra, struct mach_instr *instr, bool small)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        struct mach_def *def = &instr->defs[i];
        if (!def->temp || def->is_fixed || is_small(ra, class_of(ra, def->temp)) != small)
            continue;
        def->reg = find_place(ra, class_of(ra, def->temp));
        put(ra, def->temp, def->reg);
    }
}

static void add_copies(struct ra *ra, struct list *before, const struct layout *layout)
{
    unsigned moved = 0;
    for (unsigned i = 0; i < layout->count; i++)
        moved += ra->loc[layout->list[i].temp] != layout->list[i].reg;
    if (!moved)
        return;
    struct mach_builder builder = {ra->program, before};
    struct mach_instr *copy = mach_new_instr(&builder, MACH_P_COPY, moved, moved);
    for (unsigned i = 0, at = 0; i < layout->count; i++) {
        const struct place *was = &layout->list[i];
        if (ra->loc[was->temp] == was->reg)
            continue;
        copy->operands[at] = mach_use(was->temp);
        copy->operands[at].reg = was->reg;
        copy->defs[at++] = (struct mach_def){.temp = was->temp, .reg = ra->loc[was->temp]};
    }
}

static bool is_killed_by(const struct mach_instr *instr, mach_temp temp)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].temp == temp && instr->operands[i].is_kill)
            return true;
    }
    return false;
}

static bool has_small(const struct ra *ra, const struct layout *layout)
{
    for (unsigned i = 0; i < layout->count; i++) {
        if (is_small(ra, class_of(ra, layout->list[i].temp)))
            return true;
    }
    return false;
}

static bool has_small_result(const struct ra *ra, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && is_small(ra, class_of(ra, instr->defs[i].temp)))
            return true;
    }
    return false;
}

/* Room for the results: what stays alive is put to the front, what ends here after it; results may lie over that. */
static void make_room(struct ra *ra, struct mach_instr *instr)
{
    struct layout all, kept = {.count = 0}, ending = {.count = 0};
    collect_alive(ra, &all);
    memset(ra->kept, 0, sizeof(ra->kept));
    ra->is_packing = true;
    for (unsigned i = 0; i < all.count; i++) {
        struct layout *to = is_killed_by(instr, all.list[i].temp) ? &ending : &kept;
        to->list[to->count++] = all.list[i];
        take(ra, all.list[i].temp);
    }
    ra->keeps_small = has_small(ra, &ending) || has_small_result(ra, instr);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && instr->defs[i].is_fixed)
            put(ra, instr->defs[i].temp, instr->defs[i].reg);
    }
    for (unsigned is_large = 0; is_large < 2; is_large++) {
        place_class(ra, &kept, !is_large);
        place_results(ra, instr, !is_large);
    }
    for (unsigned i = 0; i < instr->num_defs; i++)
        take(ra, instr->defs[i].temp);
    place_all(ra, &ending);
    ra->keeps_small = ra->is_packing = false;
    add_copies(ra, &instr->link, &all);
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            instr->operands[i].reg = ra->loc[instr->operands[i].temp];
    }
}

/* ---- instructions ---- */

static void free_killed(struct ra *ra, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].is_first_kill)
            take(ra, instr->operands[i].temp);
    }
}

static void restore_killed(struct ra *ra, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].is_first_kill)
            put(ra, instr->operands[i].temp, ra->loc[instr->operands[i].temp]);
    }
}

/* Where a result of a copy, a split or a collect needs no move. */
static mach_reg natural_place(const struct ra *ra, const struct mach_instr *instr, unsigned def)
{
    const struct mach_class class = class_of(ra, instr->defs[def].temp);
    const unsigned size = class.size;
    int reg = -1;
    if (instr->op == MACH_P_COPY && instr->operands[def].kind == MACH_TEMP)
        reg = ra->loc[instr->operands[def].temp];
    else if (instr->op == MACH_P_SPLIT)
        reg = (int)(ra->loc[instr->operands[0].temp] + def * size);
    else if (instr->op == MACH_P_COLLECT) {
        for (unsigned i = 0; i < instr->num_operands && reg < 0; i++) {
            if (instr->operands[i].kind == MACH_TEMP)
                reg = (int)ra->loc[instr->operands[i].temp] - (int)(i * size);
            if (reg >= 0 && !is_free(ra, class, (unsigned)reg))
                reg = -1;
        }
    }
    return reg >= 0 && is_free(ra, class, (unsigned)reg) ? (mach_reg)reg : MACH_NO_REG;
}

static mach_reg choose(const struct ra *ra, const struct mach_instr *instr, unsigned def)
{
    if (instr->op == MACH_P_START)
        return instr->defs[def].reg;
    if (instr->defs[def].is_fixed)
        return is_free(ra, class_of(ra, instr->defs[def].temp), instr->defs[def].reg) ? instr->defs[def].reg
                                                                                      : MACH_NO_REG;
    if (instr->is_tied)
        return ra->loc[instr->operands[0].temp];
    mach_reg reg = natural_place(ra, instr, def);
    if (reg == MACH_NO_REG)
        reg = wished(ra, instr->defs[def].temp);
    if (reg == MACH_NO_REG)
        reg = web_place(ra, instr->defs[def].temp);
    return reg != MACH_NO_REG ? reg : find_free(ra, class_of(ra, instr->defs[def].temp));
}

/* False where one of them finds no place: then none is placed. */
static bool choose_all(struct ra *ra, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        struct mach_def *def = &instr->defs[i];
        if (!def->temp)
            continue;
        const mach_reg reg = choose(ra, instr, i);
        if (reg == MACH_NO_REG) {
            for (unsigned j = 0; j < i; j++)
                take(ra, instr->defs[j].temp);
            return false;
        }
        put(ra, def->temp, reg);
        def->reg = reg;
    }
    return true;
}

/* Results may lie over operands that end here: an instruction reads before it writes. A pseudo instruction of several
 * results is a parallel copy, so that this holds for it, too. */
static void place_defs(struct ra *ra, struct mach_instr *instr)
{
    free_killed(ra, instr);
    if (!choose_all(ra, instr)) {
        restore_killed(ra, instr);
        make_room(ra, instr);
        free_killed(ra, instr);
        for (unsigned i = 0; i < instr->num_defs; i++) {
            if (instr->defs[i].temp)
                put(ra, instr->defs[i].temp, instr->defs[i].reg);
        }
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && instr->defs[i].is_dead)
            take(ra, instr->defs[i].temp);
    }
}

/* Who writes what an instruction reads late must wait for it. */
static void heat(struct ra *ra, const struct mach_instr *instr)
{
    const struct machine *machine = ra->program->machine;
    const unsigned late = machine->reads_late && !mach_is_pseudo(instr) ? machine->reads_late(instr) : 0;
    ra->now += !mach_is_pseudo(instr);
    for (unsigned i = 0; late && i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        for (unsigned j = 0; operand->kind == MACH_TEMP && j < mach_units(class_of(ra, operand->temp)); j++)
            ra->hot[operand->reg + j] = ra->now + late;
    }
}

static void allocate_instr(struct ra *ra, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            instr->operands[i].reg = ra->loc[instr->operands[i].temp];
    }
    if (instr->op == MACH_P_COLLECT)
        release(ra, instr);
    place_defs(ra, instr);
    heat(ra, instr);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && is_placed(ra, instr->defs[i].temp))
            keep(ra, instr->defs[i].temp);
    }
}

/* ---- blocks ---- */

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
        if (reg != MACH_NO_REG && is_free(ra, class_of(ra, phi->defs[0].temp), reg))
            return reg;
    }
    return MACH_NO_REG;
}

/* At an entry everything may be anywhere: the edges bring it there. */
static void place_at_entry(struct ra *ra, mach_temp temp, mach_reg wish)
{
    const mach_reg reg = wish != MACH_NO_REG ? wish : find_free(ra, class_of(ra, temp));
    if (reg != MACH_NO_REG) {
        put(ra, temp, reg);
        return;
    }
    struct layout all;
    collect_alive(ra, &all);
    for (unsigned i = 0; i < all.count; i++)
        take(ra, all.list[i].temp);
    all.list[all.count++] = (struct place){temp, MACH_NO_REG};
    ra->is_packing = true;
    place_all(ra, &all);
    ra->is_packing = false;
}

static void enter(struct ra *ra, struct mach_block *block)
{
    memset(ra->file, 0, sizeof(ra->file));
    memset(ra->kept, 0, sizeof(ra->kept));
    const struct mach_block *pred = first_done(ra, block);
    const struct live_sets *sets = &ra->program->live;
    if (pred) {
        for (uint32_t i = 0; i < ra->exit[pred->index].count; i++) {
            const struct place *place = &ra->exit[pred->index].list[i];
            if (live_is_in(sets, block->index, place->temp))
                put(ra, place->temp, place->reg);
        }
    }
    live_foreach(sets, in, block->index, temp)
    {
        if (!is_placed(ra, temp)) /* not written on the way by that predecessor */
            place_at_entry(ra, temp, MACH_NO_REG);
    }
    mach_foreach_instr(block, phi)
    {
        if (phi->op != MACH_P_PHI)
            break;
        place_at_entry(ra, phi->defs[0].temp, phi_place(ra, block, phi));
    }
    ra->entry[block->index] = snapshot(ra);
}

static void allocate_block(struct ra *ra, struct mach_block *block)
{
    enter(ra, block);
    mach_foreach_instr(block, instr)
    {
        if (instr->op != MACH_P_PHI) {
            allocate_instr(ra, instr);
            continue;
        }
        instr->defs[0].reg = ra->loc[instr->defs[0].temp];
        if (instr->defs[0].is_dead)
            take(ra, instr->defs[0].temp);
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

static void connect(struct ra *ra, const struct mach_block *to, unsigned pred)
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

/* A phi of one predecessor is a copy. */
static void copy_single_phis(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (instr->op == MACH_P_PHI && block->num_preds == 1)
                instr->op = MACH_P_COPY;
        }
    }
}

void mach_allocate(struct mach_program *program)
{
    copy_single_phis(program);
    mach_find_kills(program);
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
            connect(ra, block, i);
    }
}
