/* When no window can be made for an instruction's results: all that lives is arranged anew. See allocate.h. */
#include "amd/compiler/allocate.h"

struct item {
    mir_temp temp; /* 0: a result */
    uint16_t def;
    uint8_t dwords, alignment;
    bool before, behind; /* alive while operands are read; when results are there */
};

static bool is_tied_temp(const struct ra *ra, mir_temp temp)
{
    for (unsigned i = 0; i < ra->instr->num_defs && i < 3; i++) {
        int t = ra->shape.tied_operand[i];
        if (ra->def_kind[i] == RA_TIED && t >= 0 && ra->instr->operands[t].temp == temp)
            return true;
    }
    return false;
}

static unsigned collect_items(struct ra *ra, bool vector, struct item *items)
{
    unsigned count = 0, first = vector ? MIR_REG_V0 : 0, end = vector ? RA_REGS : MIR_REG_VCC + 2;
    for (unsigned reg = first; reg < end; reg++) {
        mir_temp temp = ra->file[reg];
        if (temp && temp != RA_GHOST && !ra->pinned[reg]) {
            amd_ra_lift(ra, temp);
            ra->evicted[ra->num_evicted++] = temp;
        }
    }
    unsigned kept = 0;
    for (unsigned i = 0; i < ra->num_evicted; i++) {
        mir_temp temp = ra->evicted[i];
        struct mir_class class = ra_class(ra, temp);
        if (class.vector != vector) {
            ra->evicted[kept++] = temp;
            continue;
        }
        bool ends = ra->ends[temp] == 1 && !is_tied_temp(ra, temp);
        items[count++] = (struct item){temp, 0, class.dwords, (uint8_t)ra_alignment(class), true, !ends};
    }
    ra->num_evicted = kept;
    for (unsigned i = 0; i < ra->instr->num_defs; i++) {
        if (!ra->instr->defs[i].temp || (ra->def_kind[i] != RA_FREE && ra->def_kind[i] != RA_EARLY))
            continue;
        struct mir_class class = ra_class(ra, ra->instr->defs[i].temp);
        if (class.vector == vector)
            items[count++] = (struct item){
                0, (uint16_t)i, class.dwords, (uint8_t)ra_alignment(class), ra->def_kind[i] == RA_EARLY, true};
    }
    return count;
}

/* Results and what lives on first, then large before small: what ends here fits into the results' place. */
static bool comes_before(const struct item *a, const struct item *b)
{
    if (a->behind != b->behind)
        return a->behind;
    return a->alignment != b->alignment ? a->alignment > b->alignment : a->dwords > b->dwords;
}

void amd_ra_repack(struct ra *ra, bool vector)
{
    static _Thread_local struct item items[RA_REGS * 2];
    bool before[RA_REGS], behind[RA_REGS];
    unsigned count = collect_items(ra, vector, items);
    for (unsigned i = 1; i < count; i++) {
        struct item item = items[i];
        unsigned at = i;
        for (; at > 0 && comes_before(&item, &items[at - 1]); at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
    for (unsigned reg = 0; reg < RA_REGS; reg++) {
        mir_temp temp = ra->file[reg];
        before[reg] = ra->pinned[reg] || temp;
        behind[reg] = ra->written[reg] || (temp && temp != RA_GHOST && ra->ends[temp] != 1);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct item *item = &items[i];
        struct ra_range ranges[2];
        unsigned num_ranges = amd_ra_ranges(ra, (struct mir_class){.dwords = item->dwords, .vector = vector}, ranges);
        unsigned found = MIR_REG_NONE;
        for (unsigned r = 0; r < num_ranges && found == MIR_REG_NONE; r++) {
            for (unsigned reg = ranges[r].first; reg + item->dwords <= ranges[r].end && found == MIR_REG_NONE;
                 reg += item->alignment) {
                unsigned have = 0;
                while (have < item->dwords && !(item->before && before[reg + have]) &&
                       !(item->behind && behind[reg + have]))
                    have++;
                found = have == item->dwords ? reg : found;
            }
        }
        if (found == MIR_REG_NONE)
            amd_mir_fail(ra->program, "the registers do not suffice: %u dwords of %s are left over", item->dwords,
                         vector ? "VGPRs" : "SGPRs");
        for (unsigned j = 0; j < item->dwords; j++) {
            before[found + j] |= item->before;
            behind[found + j] |= item->behind;
        }
        if (item->temp)
            amd_ra_put(ra, item->temp, (mir_reg)found);
        else
            ra->def_reg[item->def] = (mir_reg)found;
    }
    for (unsigned i = 0; i < ra->instr->num_defs && i < 3; i++) {
        if (ra->def_kind[i] == RA_TIED && ra_class(ra, ra->instr->defs[i].temp).vector == vector)
            ra->def_reg[i] = ra->loc[ra->instr->operands[ra->shape.tied_operand[i]].temp];
    }
}
