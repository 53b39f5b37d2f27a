/* Places of values: free ones, those they wish for, and when there is none, all that is alive laid out anew. */
#include <string.h>

#include "compiler/machine/allocate.h"
#include "util/bits.h"

/* ---- the file ---- */

/* Only where there are large ones, too. */
static bool is_small(const struct ra *ra, struct mach_class class)
{
    return mach_is_small(ra->program, class);
}

static bool is_legal(const struct ra *ra, struct mach_class class, unsigned reg)
{
    const unsigned limit =
        is_small(ra, class) ? MIN2(ra->program->small_limit, ra->program->limit) : ra->program->limit;
    const unsigned end = reg + mach_units(class), seam = ra->program->seam;
    return end <= limit && reg % class.align == 0 && (reg >= seam || end <= seam);
}

bool mach_ra_is_free(const struct ra *ra, struct mach_class class, unsigned reg)
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
        if (!mach_ra_is_free(ra, class, reg))
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

void mach_ra_put(struct ra *ra, mach_temp temp, mach_reg reg)
{
    const unsigned units = mach_units(ra_class(ra, temp));
    for (unsigned i = 0; i < units; i++)
        ra->file[reg + i] = temp;
    ra->loc[temp] = reg;
    ra->web_reg[ra->web[temp]] = reg;
    ra->program->used = (uint16_t)MAX2(ra->program->used, reg + units);
}

void mach_ra_take(struct ra *ra, mach_temp temp)
{
    if (!temp || !ra_is_placed(ra, temp))
        return;
    const unsigned units = mach_units(ra_class(ra, temp));
    for (unsigned i = 0; i < units; i++)
        ra->file[ra->loc[temp] + i] = 0;
}

/* ---- wishes ---- */

static mach_reg web_place(const struct ra *ra, mach_temp temp)
{
    const mach_reg reg = ra->web_reg[ra->web[temp]];
    return reg != MACH_NO_REG && mach_ra_is_free(ra, ra_class(ra, temp), reg) && !is_kept(ra, ra_class(ra, temp), reg)
               ? reg
               : MACH_NO_REG;
}

/* Where the tuple would begin by what is placed of it already; MACH_NO_REG: nothing is, or it does not fit. */
static int tuple_base(const struct ra *ra, const struct mach_instr *collect)
{
    const struct mach_class class = ra_class(ra, collect->defs[0].temp);
    for (unsigned i = 0; i < collect->num_operands; i++) {
        const struct mach_operand *operand = &collect->operands[i];
        if (operand->kind != MACH_TEMP || !ra_is_placed(ra, operand->temp) ||
            ra->wishes[operand->temp].collect != collect)
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
    const struct mach_class class = ra_class(ra, temp);
    if (!wish->collect || class.comps != 1)
        return MACH_NO_REG;
    const int base = tuple_base(ra, wish->collect), reg = base + (int)(wish->component * class.size);
    return base >= 0 && mach_ra_is_free(ra, class, (unsigned)reg) ? (mach_reg)reg : MACH_NO_REG;
}

/* A value is where it wished to be: the rest of its tuple is kept for the others. */
static void keep_tuple(struct ra *ra, mach_temp temp)
{
    const struct wish *wish = &ra->wishes[temp];
    const struct mach_class class = ra_class(ra, temp);
    if (!wish->collect || class.comps != 1)
        return;
    const struct mach_class whole = ra_class(ra, wish->collect->defs[0].temp);
    const int base = (int)ra->loc[temp] - (int)(wish->component * class.size);
    if (base < 0 || !is_legal(ra, whole, (unsigned)base))
        return;
    for (unsigned i = 0; i < mach_units(whole); i++) {
        if (!ra->kept[base + (int)i])
            ra->kept[base + (int)i] = wish->collect;
    }
}

static void release_tuple(struct ra *ra, const struct mach_instr *collect)
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
        if (mach_ra_is_free(ra, class, at))
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
            const struct mach_class class = ra_class(ra, temp);
            if (is_small(ra, class) == small && class.comps == comps)
                mach_ra_put(ra, temp, find_place(ra, class));
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
        if (!def->temp || def->is_fixed || is_small(ra, ra_class(ra, def->temp)) != small)
            continue;
        def->reg = find_place(ra, ra_class(ra, def->temp));
        mach_ra_put(ra, def->temp, def->reg);
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
        if (is_small(ra, ra_class(ra, layout->list[i].temp)))
            return true;
    }
    return false;
}

static bool has_small_result(const struct ra *ra, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && is_small(ra, ra_class(ra, instr->defs[i].temp)))
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
        mach_ra_take(ra, all.list[i].temp);
    }
    ra->keeps_small = has_small(ra, &ending) || has_small_result(ra, instr);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && instr->defs[i].is_fixed)
            mach_ra_put(ra, instr->defs[i].temp, instr->defs[i].reg);
    }
    for (unsigned is_large = 0; is_large < 2; is_large++) {
        place_class(ra, &kept, !is_large);
        place_results(ra, instr, !is_large);
    }
    for (unsigned i = 0; i < instr->num_defs; i++)
        mach_ra_take(ra, instr->defs[i].temp);
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
            mach_ra_take(ra, instr->operands[i].temp);
    }
}

static void restore_killed(struct ra *ra, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].is_first_kill)
            mach_ra_put(ra, instr->operands[i].temp, ra->loc[instr->operands[i].temp]);
    }
}

/* Where a result of a copy, a split or a collect needs no move. */
static mach_reg natural_place(const struct ra *ra, const struct mach_instr *instr, unsigned def)
{
    const struct mach_class class = ra_class(ra, instr->defs[def].temp);
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
            if (reg >= 0 && !mach_ra_is_free(ra, class, (unsigned)reg))
                reg = -1;
        }
    }
    return reg >= 0 && mach_ra_is_free(ra, class, (unsigned)reg) ? (mach_reg)reg : MACH_NO_REG;
}

static mach_reg choose_reg(const struct ra *ra, const struct mach_instr *instr, unsigned def)
{
    if (instr->op == MACH_P_START)
        return instr->defs[def].reg;
    if (instr->defs[def].is_fixed)
        return mach_ra_is_free(ra, ra_class(ra, instr->defs[def].temp), instr->defs[def].reg) ? instr->defs[def].reg
                                                                                              : MACH_NO_REG;
    if (instr->is_tied)
        return ra->loc[instr->operands[0].temp];
    mach_reg reg = natural_place(ra, instr, def);
    if (reg == MACH_NO_REG)
        reg = wished(ra, instr->defs[def].temp);
    if (reg == MACH_NO_REG)
        reg = web_place(ra, instr->defs[def].temp);
    return reg != MACH_NO_REG ? reg : find_free(ra, ra_class(ra, instr->defs[def].temp));
}

/* False where one of them finds no place: then none is placed. */
static bool choose_all(struct ra *ra, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        struct mach_def *def = &instr->defs[i];
        if (!def->temp)
            continue;
        const mach_reg reg = choose_reg(ra, instr, i);
        if (reg == MACH_NO_REG) {
            for (unsigned j = 0; j < i; j++)
                mach_ra_take(ra, instr->defs[j].temp);
            return false;
        }
        mach_ra_put(ra, def->temp, reg);
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
                mach_ra_put(ra, instr->defs[i].temp, instr->defs[i].reg);
        }
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && instr->defs[i].is_dead)
            mach_ra_take(ra, instr->defs[i].temp);
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
        for (unsigned j = 0; operand->kind == MACH_TEMP && j < mach_units(ra_class(ra, operand->temp)); j++)
            ra->hot[operand->reg + j] = ra->now + late;
    }
}

void mach_ra_place(struct ra *ra, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            instr->operands[i].reg = ra->loc[instr->operands[i].temp];
    }
    if (instr->op == MACH_P_COLLECT)
        release_tuple(ra, instr);
    place_defs(ra, instr);
    heat(ra, instr);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && ra_is_placed(ra, instr->defs[i].temp))
            keep_tuple(ra, instr->defs[i].temp);
    }
}

void mach_ra_place_at_entry(struct ra *ra, mach_temp temp, mach_reg wish)
{
    const mach_reg reg = wish != MACH_NO_REG ? wish : find_free(ra, ra_class(ra, temp));
    if (reg != MACH_NO_REG) {
        mach_ra_put(ra, temp, reg);
        return;
    }
    struct layout all;
    collect_alive(ra, &all);
    for (unsigned i = 0; i < all.count; i++)
        mach_ra_take(ra, all.list[i].temp);
    all.list[all.count++] = (struct place){temp, MACH_NO_REG};
    ra->is_packing = true;
    place_all(ra, &all);
    ra->is_packing = false;
}
