/* Register allocation over the blocks: places at their borders, phis, and the copies on edges. See allocate.h for the
 * idea and allocate_regs.c for one instruction. Demand must fit already (spill.c). */
#include <string.h>

#include "amd/compiler/allocate.h"
#include "util/bits.h"

/* ---- preferences ---- */

/* Ways that were walked become half as long: phis of phis would make a chain as long as the program. */
static mir_temp find_web(struct ra *ra, mir_temp temp)
{
    while (ra->wish[temp].web && ra->wish[temp].web != temp) {
        mir_temp above = ra->wish[temp].web;
        if (ra->wish[above].web)
            ra->wish[temp].web = ra->wish[above].web;
        temp = above;
    }
    return temp;
}

static void join_webs(struct ra *ra, mir_temp a, mir_temp b)
{
    struct mir_class x = ra_class(ra, a), y = ra_class(ra, b);
    if (x.dwords != y.dwords || x.vector != y.vector)
        return;
    a = find_web(ra, a);
    b = find_web(ra, b);
    ra->wish[a].web = a;
    ra->wish[b].web = a;
}

static void wish_for_vector(struct ra *ra, struct mir_instr *instr)
{
    unsigned offset = 0;
    bool vector = ra_class(ra, instr->defs[0].temp).vector;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind == MIR_TEMP && ra_class(ra, operand->temp).vector == vector &&
            !ra->wish[operand->temp].vector) {
            ra->wish[operand->temp].vector = instr;
            ra->wish[operand->temp].offset = (uint8_t)offset;
        }
        offset += operand->kind == MIR_TEMP ? ra_class(ra, operand->temp).dwords : operand->dwords;
    }
}

#define NEAR 16 /* instructions */

/* A lane mask is written and read by short vector instructions if it is in vcc. There is one vcc: it goes to masks that
 * are needed soon and not for long. */
static void wish_for_vcc(struct ra *ra, const struct mir_instr *instr, uint32_t position, uint32_t *written_at)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind == MIR_TEMP && ra->wish[operand->temp].reg == MIR_REG_VCC &&
            position - written_at[operand->temp] > NEAR)
            ra->wish[operand->temp].reg = MIR_REG_NONE;
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        mir_temp temp = instr->defs[i].temp;
        written_at[temp] = position;
        bool mask = !mir_is_pseudo(instr) && i < isa_info(instr->op)->dst_count &&
                    isa_info(instr->op)->operands[i].type == ISA_TYPE_MASK &&
                    (isa_info(instr->op)->format == ISA_FORMAT_VOPC || isa_info(instr->op)->format == ISA_FORMAT_VOP2);
        if (mask && temp && !ra->live->number_of[temp])
            ra->wish[temp].reg = MIR_REG_VCC;
    }
}

static void collect_wishes(struct ra *ra)
{
    struct mir_program *program = ra->program;
    uint32_t position = 0, *written_at = amd_mir_alloc(program, program->num_temps * sizeof(*written_at));
    for (uint32_t i = 0; i < program->num_temps; i++)
        ra->wish[i].reg = ra->web_reg[i] = MIR_REG_NONE;
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (instr->op == MIR_P_VECTOR)
                wish_for_vector(ra, instr);
            position++;
            wish_for_vcc(ra, instr, position, written_at);
            for (unsigned i = 0; i < instr->num_operands; i++) {
                const struct mir_operand *operand = &instr->operands[i];
                if (operand->kind != MIR_TEMP)
                    continue;
                if (operand->fixed && operand->reg != MIR_REG_SCC)
                    ra->wish[operand->temp].reg = operand->reg;
                if (mir_is_phi(instr))
                    join_webs(ra, instr->defs[0].temp, operand->temp);
                else if (instr->op == MIR_P_COPY && i < instr->num_defs && instr->defs[i].temp)
                    join_webs(ra, instr->defs[i].temp, operand->temp);
            }
        }
    }
    for (uint32_t i = 1; i < program->num_temps; i++) {
        if (ra->wish[i].web)
            ra->wish[i].web = find_web(ra, i);
    }
}

/* ---- borders of blocks ---- */

static bool lives_in(const struct ra *ra, const struct mir_block *block, mir_temp temp)
{
    return mir_lives_in(ra->live, block, temp);
}

static bool is_linear_class(struct mir_class class)
{
    return !class.vector || class.linear;
}

/* Inherit the places of what is alive from the first predecessor that is done; what only others have, from them where
 * that place is free. */
static void inherit_places(struct ra *ra, const struct mir_block *block, const uint32_t *preds, unsigned count,
                           bool linear)
{
    bool first = true;
    for (unsigned i = 0; i < count; i++) {
        if (!ra->done[preds[i]])
            continue;
        const struct ra_places *exit = &ra->exit[preds[i]];
        for (uint32_t j = 0; j < exit->count; j++) {
            const struct ra_place *place = &exit->list[j];
            if (is_linear_class(ra_class(ra, place->temp)) != linear || !lives_in(ra, block, place->temp))
                continue;
            bool here = ra->loc[place->temp] != MIR_REG_NONE && ra->file[ra->loc[place->temp]] == place->temp;
            if (first || (!here && amd_ra_is_free(ra, ra_class(ra, place->temp), place->reg)))
                amd_ra_put(ra, place->temp, place->reg);
        }
        first = false;
    }
}

/* A value that no predecessor has is undefined on some paths: any place will do. */
static void place_missing(struct ra *ra, const struct mir_block *block)
{
    memset(ra->pinned, 0, sizeof(ra->pinned));
    memset(ra->result, 0, sizeof(ra->result));
    memset(ra->written, 0, sizeof(ra->written));
    mir_foreach_live_in(ra->live, block, temp)
    {
        if (ra->loc[temp] != MIR_REG_NONE && ra->file[ra->loc[temp]] == temp)
            continue;
        mir_reg reg = amd_ra_find_free(ra, ra_class(ra, temp));
        if (reg == MIR_REG_NONE)
            amd_mir_fail(ra->program, "no register is left for an undefined value at the start of block %u",
                         block->index);
        amd_ra_put(ra, temp, reg);
    }
}

static mir_reg exit_place_in(const struct ra_places *exit, mir_temp temp)
{
    for (uint32_t i = 0; i < exit->count; i++) {
        if (exit->list[i].temp == temp)
            return exit->list[i].reg;
    }
    return MIR_REG_NONE;
}

static mir_reg exit_place(const struct ra *ra, uint32_t block, mir_temp temp)
{
    return exit_place_in(&ra->exit[block], temp);
}

/* Where one of a phi's operands comes from, if that place is free: then one edge needs no copy for it. */
static mir_reg wish_for_phi(const struct ra *ra, const struct mir_block *block, const struct mir_instr *phi,
                            struct mir_class class)
{
    const uint32_t *preds = phi->op == MIR_P_PHI ? block->logical_preds : block->linear_preds;
    for (unsigned i = 0; i < phi->num_operands; i++) {
        if (phi->operands[i].kind != MIR_TEMP || !ra->done[preds[i]])
            continue;
        mir_reg reg = exit_place(ra, preds[i], phi->operands[i].temp);
        if (reg != MIR_REG_NONE && amd_ra_is_free(ra, class, reg))
            return reg;
    }
    mir_temp web = ra->wish[phi->defs[0].temp].web;
    if (web && ra->web_reg[web] != MIR_REG_NONE && amd_ra_is_free(ra, class, ra->web_reg[web]))
        return ra->web_reg[web];
    return MIR_REG_NONE;
}

/* At an entry, everything may be anywhere: the edges' copies bring it there. Large tuples first. */
static void rearrange_entry(struct ra *ra, mir_temp extra)
{
    static _Thread_local mir_temp temps[RA_REGS + 1];
    struct mir_class class = ra_class(ra, extra);
    unsigned count = 0, first = class.vector ? MIR_REG_V0 : 0, end = class.vector ? RA_REGS : MIR_REG_VCC + 2;
    temps[count++] = extra;
    for (unsigned reg = first; reg < end; reg++) {
        if (ra->file[reg]) {
            temps[count++] = ra->file[reg];
            amd_ra_take(ra, ra->file[reg]);
        }
    }
    for (unsigned size = 32; size > 0; size--) {
        for (unsigned i = 0; i < count; i++) {
            if (ra_class(ra, temps[i]).dwords != size)
                continue;
            mir_reg reg = amd_ra_find_free(ra, ra_class(ra, temps[i]));
            if (reg == MIR_REG_NONE)
                amd_mir_fail(ra->program, "the registers do not suffice at the start of a block");
            amd_ra_put(ra, temps[i], reg);
        }
    }
}

/* Phis that can stay where an operand is come first: the others take the places that are left. */
static void place_phis(struct ra *ra, struct mir_block *block)
{
    memset(ra->pinned, 0, sizeof(ra->pinned));
    memset(ra->result, 0, sizeof(ra->result));
    memset(ra->written, 0, sizeof(ra->written));
    for (unsigned pass = 0; pass < 2; pass++) {
        mir_foreach_instr(block, instr)
        {
            if (!mir_is_phi(instr))
                break;
            mir_temp temp = instr->defs[0].temp;
            instr->pass_flags = pass == 0 ? 0 : instr->pass_flags;
            if (!temp || instr->pass_flags)
                continue;
            struct mir_class class = ra_class(ra, temp);
            mir_reg reg = wish_for_phi(ra, block, instr, class);
            if (reg == MIR_REG_NONE && pass == 0)
                continue;
            if (reg == MIR_REG_NONE)
                reg = amd_ra_find_free(ra, class);
            if (reg == MIR_REG_NONE)
                rearrange_entry(ra, temp);
            else
                amd_ra_put(ra, temp, reg);
            instr->pass_flags = 1;
            if (ra->wish[temp].web)
                ra->web_reg[ra->wish[temp].web] = ra->loc[temp];
        }
    }
}

static struct ra_places snapshot(struct ra *ra)
{
    unsigned count = 0;
    struct ra_places places;
    for (unsigned reg = 0; reg < RA_REGS; reg++)
        count += ra->file[reg] && ra->loc[ra->file[reg]] == reg;
    places.list = amd_mir_alloc(ra->program, count * sizeof(*places.list));
    places.count = 0;
    for (unsigned reg = 0; reg < RA_REGS; reg++) {
        mir_temp temp = ra->file[reg];
        if (temp && ra->loc[temp] == reg)
            places.list[places.count++] = (struct ra_place){temp, (mir_reg)reg};
    }
    return places;
}

/* ---- edges ---- */

/* Vector copies stand where exec is what the logical graph says, scalar ones after everything but the branch. */
static struct list *copy_place(struct mir_block *block, bool linear)
{
    struct list *last = block->instrs.prev;
    struct list *place = &block->instrs;
    if (last != &block->instrs) {
        unsigned op = container_of(last, struct mir_instr, link)->op;
        if (op == MIR_P_BRANCH || op == MIR_P_CBRANCH)
            place = last;
    }
    for (struct list *link = last; !linear && link != &block->instrs; link = link->prev) {
        if (container_of(link, struct mir_instr, link)->op == MIR_P_LOGICAL_END)
            return link;
    }
    return place;
}

struct edge_copy {
    struct mir_def def;
    struct mir_operand source;
};

static void mark_places(const struct ra *ra, const struct ra_places *places, bool busy[128])
{
    for (uint32_t i = 0; i < places->count; i++) {
        for (unsigned j = 0; places->list[i].reg < 128 && j < ra_class(ra, places->list[i].temp).dwords; j++)
            busy[places->list[i].reg + j] = true;
    }
}

static unsigned collect_edge(struct ra *ra, uint32_t from, struct mir_block *to, unsigned pred, bool linear,
                             struct edge_copy *copies)
{
    unsigned count = 0;
    mir_reg *entry = ra->loc; /* by now free to use: blocks begin with their snapshots */
    for (uint32_t i = 0; i < ra->entry[to->index].count; i++)
        entry[ra->entry[to->index].list[i].temp] = ra->entry[to->index].list[i].reg;
    for (uint32_t i = 0; i < ra->exit[from].count; i++) {
        const struct ra_place *place = &ra->exit[from].list[i];
        struct mir_class class = ra_class(ra, place->temp);
        if (is_linear_class(class) != linear || !lives_in(ra, to, place->temp) || entry[place->temp] == place->reg)
            continue;
        copies[count++] = (struct edge_copy){
            .def = {.temp = place->temp, .reg = entry[place->temp], .dwords = class.dwords},
            .source = mir_place_use(place->temp, place->reg, class.dwords),
        };
    }
    mir_foreach_instr(to, phi)
    {
        if (!mir_is_phi(phi))
            break;
        if ((phi->op == MIR_P_LINEAR_PHI) != linear || !phi->defs[0].temp)
            continue;
        struct mir_operand source = phi->operands[pred];
        struct mir_class class = ra_class(ra, phi->defs[0].temp);
        if (source.kind == MIR_TEMP)
            source = mir_place_use(source.temp,
                                   exit_place_in(linear ? &ra->exit[from] : &ra->logical_exit[from], source.temp),
                                   ra_class(ra, source.temp).dwords);
        if (source.kind == MIR_REG && source.reg == MIR_REG_NONE)
            continue; /* never written on this way */
        if (source.kind == MIR_UNDEF || (source.kind == MIR_REG && source.reg == entry[phi->defs[0].temp]))
            continue;
        copies[count++] = (struct edge_copy){
            .def = {.temp = phi->defs[0].temp, .reg = entry[phi->defs[0].temp], .dwords = class.dwords},
            .source = source,
        };
    }
    return count;
}

/* Bring everything from where the predecessor leaves it to where the successor expects it. */
static void connect_edge(struct ra *ra, uint32_t from, uint32_t to, unsigned pred, bool linear)
{
    static _Thread_local struct edge_copy copies[RA_REGS * 2];
    struct mir_program *program = ra->program;
    struct mir_block *source = &program->blocks[from], *target = &program->blocks[to];
    unsigned count = collect_edge(ra, from, target, pred, linear, copies);
    if (count == 0)
        return;
    if ((linear ? source->num_linear_succs : source->num_logical_succs) > 1)
        amd_mir_fail(program, "a copy is needed on the edge from block %u to block %u, which was not split", from, to);
    bool busy[128] = {false};
    mark_places(ra, &ra->exit[from], busy);
    mark_places(ra, &ra->entry[to], busy);
    /* A vector copy that stands before the end of the block: what is alive there is not known; it needs no scalar
     * register. */
    struct mir_builder builder = {program, source, copy_place(source, linear)};
    struct mir_instr *copy = amd_mir_new_instr(&builder, MIR_P_COPY, count, count);
    copy->imm2 = linear ? amd_ra_spare(busy) : MIR_REG_NONE;
    for (unsigned i = 0; i < count; i++) {
        copy->defs[i] = copies[i].def;
        copy->operands[i] = copies[i].source;
    }
}

/* Both ways: predecessors that were done before this block, and this block as the end of a loop. */
static void connect_block(struct ra *ra, const struct mir_block *block)
{
    for (unsigned i = 0; i < block->num_linear_preds; i++) {
        if (block->linear_preds[i] < block->index && block->num_linear_preds > 1)
            connect_edge(ra, block->linear_preds[i], block->index, i, true);
    }
    for (unsigned i = 0; i < block->num_logical_preds; i++) {
        if (block->logical_preds[i] < block->index && block->num_logical_preds > 1)
            connect_edge(ra, block->logical_preds[i], block->index, i, false);
    }
}

static void connect_back(struct ra *ra, const struct mir_block *block)
{
    struct mir_program *program = ra->program;
    for (unsigned s = 0; s < block->num_linear_succs; s++) {
        const struct mir_block *to = &program->blocks[block->linear_succs[s]];
        for (unsigned i = 0; i < to->num_linear_preds && to->index <= block->index; i++) {
            if (to->linear_preds[i] == block->index)
                connect_edge(ra, block->index, to->index, i, true);
        }
    }
    for (unsigned s = 0; s < block->num_logical_succs; s++) {
        const struct mir_block *to = &program->blocks[block->logical_succs[s]];
        for (unsigned i = 0; i < to->num_logical_preds && to->index <= block->index; i++) {
            if (to->logical_preds[i] == block->index)
                connect_edge(ra, block->index, to->index, i, false);
        }
    }
}

/* ---- blocks ---- */

static bool is_branch(const struct mir_instr *instr)
{
    return instr->op == MIR_P_BRANCH || instr->op == MIR_P_CBRANCH;
}

static void allocate_block(struct ra *ra, struct mir_block *block)
{
    memset(ra->file, 0, sizeof(ra->file));
    memset(ra->pinned, 0, sizeof(ra->pinned));
    memset(ra->written, 0, sizeof(ra->written));
    memset(ra->result, 0, sizeof(ra->result));
    inherit_places(ra, block, block->linear_preds, block->num_linear_preds, true);
    inherit_places(ra, block, block->logical_preds, block->num_logical_preds, false);
    place_missing(ra, block);
    place_phis(ra, block);
    ra->entry[block->index] = snapshot(ra);
    struct list *end = block->instrs.prev;
    ra->lanes = 0;
    ra->logical = false;
    mir_foreach_instr(block, instr)
    {
        if (mir_is_phi(instr)) {
            mir_temp temp = instr->defs[0].temp;
            instr->defs[0].reg = temp ? ra->loc[temp] : MIR_REG_NULL;
            instr->defs[0].dwords = temp ? ra_class(ra, temp).dwords : 0;
            if (temp && instr->defs[0].dead)
                amd_ra_take(ra, temp);
            continue;
        }
        amd_ra_instruction(ra, block, instr);
        amd_ra_note_lanes(ra, instr);
        if (is_branch(instr))
            amd_ra_clear_special(ra, block, &instr->link);
        if (instr->op == MIR_P_LOGICAL_END)
            ra->logical_exit[block->index] = snapshot(ra);
    }
    if (end == &block->instrs || !is_branch(container_of(end, struct mir_instr, link)))
        amd_ra_clear_special(ra, block, &block->instrs);
    ra->exit[block->index] = snapshot(ra);
    if (!ra->logical_exit[block->index].list)
        ra->logical_exit[block->index] = ra->exit[block->index];
    ra->done[block->index] = true;
}

/* A phi of one predecessor is a copy, which may stand in its own block. */
static void copy_single_phis(struct mir_program *program)
{
    mir_foreach_block(program, block)
    {
        struct list *place = NULL;
        mir_foreach_instr(block, instr)
        {
            if (mir_is_phi(instr) || instr->op == MIR_P_LOGICAL_START)
                place = instr->link.next;
            else if (place)
                break;
        }
        mir_foreach_instr(block, instr)
        {
            unsigned preds = instr->op == MIR_P_PHI ? block->num_logical_preds : block->num_linear_preds;
            if (!mir_is_phi(instr))
                break;
            if (preds != 1)
                continue;
            list_remove(&instr->link);
            instr->op = MIR_P_COPY;
            list_insert_after(place->prev, &instr->link);
        }
    }
}

void amd_mir_allocate(struct mir_program *program)
{
    copy_single_phis(program);
    amd_mir_liveness(program);
    struct ra *ra = amd_mir_alloc(program, sizeof(*ra));
    ra->program = program;
    ra->live = program->live;
    ra->loc = amd_mir_alloc(program, program->num_temps * sizeof(*ra->loc));
    memset(ra->loc, 0xff, program->num_temps * sizeof(*ra->loc));
    ra->wish = amd_mir_alloc(program, program->num_temps * sizeof(*ra->wish));
    ra->web_reg = amd_mir_alloc(program, program->num_temps * sizeof(*ra->web_reg));
    ra->ends = amd_mir_alloc(program, program->num_temps);
    ra->entry = amd_mir_alloc(program, program->num_blocks * sizeof(*ra->entry));
    ra->exit = amd_mir_alloc(program, program->num_blocks * sizeof(*ra->exit));
    ra->logical_exit = amd_mir_alloc(program, program->num_blocks * sizeof(*ra->logical_exit));
    ra->done = amd_mir_alloc(program, program->num_blocks * sizeof(*ra->done));
    collect_wishes(ra);
    mir_foreach_block(program, block)
    {
        allocate_block(ra, block);
        struct mir_block *current = &program->blocks[block->index];
        connect_back(ra, current);
        connect_block(ra, current);
    }
    program->num_sgprs = ra->used_sgprs;
    program->num_vgprs = (uint16_t)(program->call_vgprs ? MAX2(ra->used_vgprs, program->call_vgprs)
                                                        : ra->used_vgprs + program->linear_vgprs);
}
