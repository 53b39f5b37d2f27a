/* Values that live on after they became parts of a run: an instruction reads the run, and others read the parts later.
 * Then the parts are taken out of the run after its last reader, and end where it begins: they lie in its registers all
 * the time, and nothing is copied. */
#include <string.h>

#include "compiler/machine/code.h"
#include "util/bits.h"

#define WINDOW 128 /* instructions in which a run ends */

struct runs {
    struct mach_program *program;
    uint32_t capacity;  /* temporaries that there is room for */
    uint32_t *left;     /* by temporary: operands that come after the place of the walk, and those of phis */
    uint32_t *home;     /* by temporary: the block that makes it, + 1 */
    mach_temp *renamed; /* by temporary: what it is from here on, 0: itself */
};

static mach_temp now(const struct runs *r, mach_temp temp)
{
    while (r->renamed[temp])
        temp = r->renamed[temp];
    return temp;
}

static unsigned count_reads(const struct runs *r, const struct mach_instr *instr, mach_temp temp)
{
    unsigned count = 0;
    for (unsigned i = 0; i < instr->num_operands; i++)
        count += instr->operands[i].kind == MACH_TEMP && now(r, instr->operands[i].temp) == temp;
    return count;
}

/* The last reader of the run, in the same block and not far; NULL: there is none. */
static struct mach_instr *last_reader(const struct runs *r, struct mach_block *block, struct mach_instr *collect)
{
    const mach_temp run = collect->defs[0].temp;
    uint32_t left = r->left[run];
    struct list *link = collect->link.next;
    for (unsigned i = 0; left && i < WINDOW && link != &block->instrs; i++, link = link->next) {
        struct mach_instr *instr = container_of(link, struct mach_instr, link);
        left -= count_reads(r, instr, run);
        if (left)
            continue;
        const bool is_overwritten = instr->is_tied && instr->operands[0].temp == run;
        return !is_overwritten && !mach_is_pseudo(instr) && link->next != &block->instrs ? instr : NULL;
    }
    return NULL;
}

static bool is_read_until(const struct runs *r, const struct mach_instr *collect, const struct mach_instr *last,
                          mach_temp temp)
{
    for (const struct list *link = collect->link.next;; link = link->next) {
        if (count_reads(r, container_of(link, struct mach_instr, link), temp))
            return true;
        if (link == &last->link)
            return false;
    }
}

static bool lives_on(const struct runs *r, const struct mach_block *block, const struct mach_instr *collect,
                     const struct mach_operand *part, const struct mach_instr *last)
{
    return part->kind == MACH_TEMP && r->left[part->temp] && r->home[part->temp] == block->index + 1 &&
           r->program->temps[part->temp].class.comps == 1 && count_reads(r, collect, part->temp) == 1 &&
           !is_read_until(r, collect, last, part->temp);
}

static struct mach_instr *split_after(struct runs *r, struct mach_instr *last, const struct mach_instr *collect)
{
    struct mach_class class = r->program->temps[collect->defs[0].temp].class;
    class.comps = 1;
    struct mach_builder builder = {r->program, last->link.next};
    struct mach_instr *split = mach_new_instr(&builder, MACH_P_SPLIT, collect->num_operands, 1);
    split->operands[0] = mach_use(collect->defs[0].temp);
    for (unsigned i = 0; i < collect->num_operands; i++)
        split->defs[i].temp = mach_new_temp(r->program, class);
    r->left[collect->defs[0].temp]++;
    return split;
}

static void take_apart(struct runs *r, const struct mach_block *block, struct mach_instr *collect,
                       struct mach_instr *last)
{
    struct mach_instr *split = NULL;
    for (unsigned i = 0; i < collect->num_operands; i++) {
        const mach_temp part = collect->operands[i].temp;
        if (!lives_on(r, block, collect, &collect->operands[i], last))
            continue;
        if (!split)
            split = split_after(r, last, collect);
        r->renamed[part] = split->defs[i].temp;
        r->left[split->defs[i].temp] = r->left[part];
        r->home[split->defs[i].temp] = block->index + 1;
    }
}

static void rename_operands(const struct runs *r, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            instr->operands[i].temp = now(r, instr->operands[i].temp);
    }
}

static void walk_block(struct runs *r, struct mach_block *block)
{
    mach_foreach_instr(block, instr)
    {
        if (instr->op == MACH_P_PHI)
            continue;
        rename_operands(r, instr);
        for (unsigned i = 0; i < instr->num_operands; i++) {
            if (instr->operands[i].kind == MACH_TEMP)
                r->left[instr->operands[i].temp]--;
        }
        if (instr->op != MACH_P_COLLECT || r->program->num_temps + instr->num_operands > r->capacity)
            continue;
        struct mach_instr *last = last_reader(r, block, instr);
        if (last)
            take_apart(r, block, instr, last);
    }
}

static void count_runs(struct runs *r)
{
    mach_foreach_block(r->program, block)
    {
        mach_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MACH_TEMP)
                    r->left[instr->operands[i].temp]++;
            }
            for (unsigned i = 0; i < instr->num_defs; i++)
                r->home[instr->defs[i].temp] = block->index + 1;
        }
    }
}

void mach_reuse_runs(struct mach_program *program)
{
    struct runs r = {.program = program, .capacity = program->num_temps * 2 + 64};
    r.left = mach_alloc(program, r.capacity * sizeof(*r.left));
    r.home = mach_alloc(program, r.capacity * sizeof(*r.home));
    r.renamed = mach_alloc(program, r.capacity * sizeof(*r.renamed));
    count_runs(&r);
    mach_foreach_block(program, block) walk_block(&r, block);
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (instr->op == MACH_P_PHI)
                rename_operands(&r, instr);
        }
    }
}
