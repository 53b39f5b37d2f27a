/* Registers for one instruction: what must stand where, where results go, and how room is made for them. See
 * allocate.h. Not for: the borders of blocks (allocate.c). */
#include <string.h>

#include "amd/compiler/allocate.h"
#include "util/bits.h"

unsigned amd_ra_ranges(const struct ra *ra, struct mir_class class, struct ra_range out[2])
{
    const struct mir_program *program = ra->program;
    if (class.vector) {
        unsigned behind = program->call_vgprs ? 0 : program->linear_vgprs;
        out[0] = (struct ra_range){(mir_reg)(MIR_REG_V0 + program->call_vgprs),
                                   (mir_reg)(MIR_REG_V0 + program->max_vgprs - behind)};
        return 1;
    }
    out[0] = (struct ra_range){0, program->max_sgprs};
    out[1] = (struct ra_range){MIR_REG_VCC, MIR_REG_VCC + 2};
    return class.dwords <= 2 ? 2 : 1;
}

/* ---- the register file ---- */

void amd_ra_note_use(struct ra *ra, mir_reg reg, unsigned dwords)
{
    if (reg >= MIR_REG_V0)
        ra->used_vgprs = (uint16_t)MAX2(ra->used_vgprs, reg - MIR_REG_V0 + dwords);
    else if (reg < MIR_REG_VCC)
        ra->used_sgprs = (uint16_t)MAX2(ra->used_sgprs, reg + dwords);
}

void amd_ra_put(struct ra *ra, mir_temp temp, mir_reg reg)
{
    struct mir_class class = ra_class(ra, temp);
    for (unsigned i = 0; i < class.dwords; i++)
        ra->file[reg + i] = temp;
    ra->loc[temp] = reg;
    amd_ra_note_use(ra, reg, class.dwords);
}

void amd_ra_take(struct ra *ra, mir_temp temp)
{
    for (unsigned i = 0; i < ra_class(ra, temp).dwords; i++) {
        if (ra->file[ra->loc[temp] + i] == temp)
            ra->file[ra->loc[temp] + i] = 0;
    }
}

static bool is_here(const struct ra *ra, mir_temp temp)
{
    return ra->loc[temp] != MIR_REG_NONE && ra->file[ra->loc[temp]] == temp;
}

/* Free for a value that is alive while the operands are read. */
static bool is_free(const struct ra *ra, mir_reg reg)
{
    return !ra->file[reg] && !ra->pinned[reg] && !ra->written[reg] && !ra->result[reg];
}

/* Free for a result. */
static bool is_free_behind(const struct ra *ra, mir_reg reg)
{
    mir_temp temp = ra->file[reg];
    return !ra->written[reg] && !ra->result[reg] && (!temp || temp == RA_GHOST || ra->ends[temp] == 1);
}

typedef bool (*free_fn)(const struct ra *ra, mir_reg reg);

static bool class_fits(const struct ra *ra, free_fn is_free_at, struct mir_class class, mir_reg reg)
{
    struct ra_range ranges[2];
    unsigned count = amd_ra_ranges(ra, class, ranges);
    bool inside = false;
    for (unsigned i = 0; i < count; i++)
        inside |= reg >= ranges[i].first && reg + class.dwords <= ranges[i].end;
    if (!inside || (!class.vector && reg % ra_alignment(class)))
        return false;
    for (unsigned i = 0; i < class.dwords; i++) {
        if (!is_free_at(ra, (mir_reg)(reg + i)))
            return false;
    }
    return true;
}

static mir_reg find_reg(const struct ra *ra, free_fn is_free_at, struct mir_class class)
{
    struct ra_range ranges[2];
    unsigned count = amd_ra_ranges(ra, class, ranges), step = ra_alignment(class);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned reg = ranges[i].first; reg + class.dwords <= ranges[i].end; reg += step) {
            unsigned have = 0;
            while (have < class.dwords && is_free_at(ra, (mir_reg)(reg + have)))
                have++;
            if (have == class.dwords)
                return (mir_reg)reg;
        }
    }
    return MIR_REG_NONE;
}

mir_reg amd_ra_find_free(const struct ra *ra, struct mir_class class)
{
    return find_reg(ra, is_free, class);
}

bool amd_ra_is_free(const struct ra *ra, struct mir_class class, mir_reg reg)
{
    return class_fits(ra, is_free, class, reg);
}

mir_reg amd_ra_spare(const bool busy[128])
{
    if (!busy[MIR_REG_M0])
        return MIR_REG_M0;
    for (unsigned reg = MIR_REG_VCC + 2; reg-- > 0;) {
        if (!busy[reg])
            return (mir_reg)reg;
    }
    return MIR_REG_NONE;
}

/* ---- moving others ---- */

mir_reg amd_ra_origin(const struct ra *ra, mir_temp temp)
{
    for (unsigned i = 0; i < ra->num_moved; i++) {
        if (ra->moved[i].temp == temp)
            return ra->moved[i].reg;
    }
    return ra->loc[temp];
}

void amd_ra_lift(struct ra *ra, mir_temp temp)
{
    bool known = false;
    for (unsigned i = 0; i < ra->num_moved; i++)
        known |= ra->moved[i].temp == temp;
    if (!known)
        ra->moved[ra->num_moved++] = (struct ra_place){temp, ra->loc[temp]};
    amd_ra_take(ra, temp);
}

static void displace_temp(struct ra *ra, mir_temp temp)
{
    amd_ra_lift(ra, temp);
    mir_reg reg = find_reg(ra, is_free, ra_class(ra, temp));
    if (reg == MIR_REG_NONE)
        ra->evicted[ra->num_evicted++] = temp;
    else
        amd_ra_put(ra, temp, reg);
}

/* All other values leave this range. */
static void vacate_range(struct ra *ra, mir_reg reg, unsigned dwords, mir_temp but)
{
    for (unsigned i = 0; i < dwords; i++) {
        mir_temp temp = ra->file[reg + i];
        if (temp && temp != RA_GHOST && temp != but)
            displace_temp(ra, temp);
    }
}

static void pin_range(struct ra *ra, mir_reg reg, unsigned dwords)
{
    for (unsigned i = 0; i < dwords; i++)
        ra->pinned[reg + i] = true;
}

static void add_extra(struct ra *ra, struct mir_operand source, int def, mir_reg to, unsigned dwords)
{
    if (ra->num_extras == RA_MAX_EXTRAS)
        amd_mir_fail(ra->program, "an instruction has too many operands in fixed registers");
    ra->extras[ra->num_extras++] = (struct ra_extra){source, def, to, (uint8_t)dwords};
}

/* ---- operands ---- */

static void place_fixed_operands(struct ra *ra)
{
    struct mir_instr *instr = ra->instr;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind == MIR_TEMP && operand->fixed) {
            pin_range(ra, operand->reg, ra_class(ra, operand->temp).dwords);
            if (operand->kill && ra->loc[operand->temp] != operand->reg && is_here(ra, operand->temp))
                amd_ra_lift(ra, operand->temp);
        }
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind != MIR_TEMP || !operand->fixed)
            continue;
        unsigned dwords = ra_class(ra, operand->temp).dwords;
        bool in_place = ra->loc[operand->temp] == operand->reg && is_here(ra, operand->temp);
        vacate_range(ra, operand->reg, dwords, in_place ? operand->temp : 0);
        ra->operand_reg[i] = operand->reg;
        if (in_place)
            continue;
        if (operand->kill && !is_here(ra, operand->temp)) {
            amd_ra_put(ra, operand->temp, operand->reg);
            continue;
        }
        add_extra(ra, *operand, -1, operand->reg, dwords);
        ra->has_ghosts = true;
        for (unsigned j = 0; j < dwords; j++) {
            ra->file[operand->reg + j] = RA_GHOST;
            ra->written[operand->reg + j] = operand->late;
        }
    }
}

/* An argument may lie where the instruction that reads it cannot. */
static void align_operands(struct ra *ra)
{
    struct mir_instr *instr = ra->instr;
    if (mir_is_pseudo(instr))
        return;
    for (unsigned i = 0; i < ra->shape.num_sources && i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind != MIR_TEMP || operand->fixed)
            continue;
        struct mir_class class = ra_class(ra, operand->temp);
        if (!class.vector && ra->loc[operand->temp] % ra_alignment(class) && !ra->pinned[ra->loc[operand->temp]])
            displace_temp(ra, operand->temp);
    }
}

/* Nothing that lives on may be in a register that the instruction clobbers. */
static void clear_written(struct ra *ra, mir_reg reg, unsigned dwords)
{
    for (unsigned i = 0; i < dwords; i++)
        ra->written[reg + i] = true;
    for (unsigned i = 0; i < dwords; i++) {
        mir_temp temp = ra->file[reg + i];
        if (!temp || temp == RA_GHOST || ra->ends[temp] == 1)
            continue;
        bool read_here = ra->pinned[reg + i]; /* as a fixed operand: it stays readable, and lives on elsewhere */
        displace_temp(ra, temp);
        ra->has_ghosts |= read_here;
        for (unsigned j = 0; read_here && j < ra_class(ra, temp).dwords; j++)
            ra->file[reg + i + j] = RA_GHOST;
    }
}

unsigned amd_ra_fixed_size(const struct ra *ra, const struct mir_def *def)
{
    if (def->temp)
        return ra_class(ra, def->temp).dwords;
    return def->reg == MIR_REG_VCC || def->reg == MIR_REG_EXEC ? ra->program->lane_mask.dwords : 1;
}

static void place_written(struct ra *ra)
{
    struct mir_instr *instr = ra->instr;
    unsigned clobbers = amd_mir_clobbers(instr);
    if (clobbers & ISA_STATE_SCC)
        clear_written(ra, MIR_REG_SCC, 1);
    if (clobbers & ISA_STATE_VCC)
        clear_written(ra, MIR_REG_VCC, ra->program->lane_mask.dwords);
    if (clobbers & ISA_STATE_M0)
        clear_written(ra, MIR_REG_M0, 1);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        const struct mir_def *def = &instr->defs[i];
        if (!def->fixed)
            continue;
        ra->def_reg[i] = def->reg;
        ra->def_kind[i] = RA_FIXED;
        clear_written(ra, def->reg, amd_ra_fixed_size(ra, def));
    }
}

/* ---- results ---- */

static void reserve_range(struct ra *ra, mir_reg reg, unsigned dwords)
{
    for (unsigned i = 0; i < dwords; i++)
        ra->result[reg + i] = true;
}

/* Bind each result that continues an old value to it. */
static void place_tied(struct ra *ra)
{
    struct mir_instr *instr = ra->instr;
    for (unsigned i = 0; i < instr->num_defs && i < 3; i++) {
        int t = ra->shape.tied_operand[i];
        if (t < 0 || (uint32_t)t >= instr->num_operands)
            continue;
        struct mir_operand *old = &instr->operands[t];
        if (old->kind == MIR_UNDEF || old->kind == MIR_NONE)
            continue;
        struct mir_class class = ra_class(ra, instr->defs[i].temp);
        bool temp = old->kind == MIR_TEMP && ra_class(ra, old->temp).vector == class.vector;
        bool fixed = ra->def_kind[i] == RA_FIXED;
        bool stays = temp && ra->ends[old->temp] == 1 && ra->operand_reg[t] < 0 && is_here(ra, old->temp) &&
                     !ra->result[ra->loc[old->temp]] && (!fixed || ra->loc[old->temp] == ra->def_reg[i]);
        unsigned dwords = old->kind == MIR_TEMP ? ra_class(ra, old->temp).dwords : old->dwords;
        if (stays) {
            ra->def_reg[i] = ra->loc[old->temp];
            ra->def_kind[i] = fixed ? RA_FIXED : RA_TIED;
            reserve_range(ra, ra->def_reg[i], dwords);
        } else {
            if (fixed)
                ra->operand_reg[t] = ra->def_reg[i];
            else
                ra->def_kind[i] = RA_EARLY;
            add_extra(ra, *old, (int)i, fixed ? ra->def_reg[i] : MIR_REG_NONE, dwords);
        }
    }
}

/* Where a vector would stand if as many of its parts as possible stay where they are. */
static mir_reg best_vector_base(const struct ra *ra, const struct mir_instr *instr, struct mir_class class)
{
    mir_reg best = MIR_REG_NONE;
    unsigned best_score = 0, offset = 0;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        unsigned dwords = operand->kind == MIR_TEMP ? ra_class(ra, operand->temp).dwords : operand->dwords;
        bool usable = operand->kind == MIR_TEMP && ra->ends[operand->temp] == 1 && is_here(ra, operand->temp) &&
                      ra_class(ra, operand->temp).vector == class.vector && ra->loc[operand->temp] >= offset;
        mir_reg base = usable ? (mir_reg)(ra->loc[operand->temp] - offset) : MIR_REG_NONE;
        offset += dwords;
        if (!usable || !class_fits(ra, is_free_behind, class, base))
            continue;
        unsigned score = 0, at = 0;
        for (unsigned j = 0; j < instr->num_operands; j++) {
            const struct mir_operand *other = &instr->operands[j];
            unsigned size = other->kind == MIR_TEMP ? ra_class(ra, other->temp).dwords : other->dwords;
            if (other->kind == MIR_TEMP && ra->loc[other->temp] == base + at)
                score += size;
            at += size;
        }
        if (score > best_score) {
            best = base;
            best_score = score;
        }
    }
    return best;
}

/* Beside the parts of its vector that have a place already, or where the whole vector has room. */
static mir_reg wish_of_vector(const struct ra *ra, const struct ra_wish *wish, bool early)
{
    const struct mir_instr *vector = wish->vector;
    struct mir_class whole = ra_class(ra, vector->defs[0].temp);
    unsigned offset = 0;
    for (unsigned i = 0; i < vector->num_operands; i++) {
        const struct mir_operand *part = &vector->operands[i];
        unsigned dwords = part->kind == MIR_TEMP ? ra_class(ra, part->temp).dwords : part->dwords;
        if (part->kind == MIR_TEMP && is_here(ra, part->temp) && ra_class(ra, part->temp).vector == whole.vector &&
            ra->loc[part->temp] >= offset)
            return (mir_reg)(ra->loc[part->temp] - offset + wish->offset);
        offset += dwords;
    }
    mir_temp web = ra->wish[vector->defs[0].temp].web;
    if (web && ra->web_reg[web] != MIR_REG_NONE)
        return (mir_reg)(ra->web_reg[web] + wish->offset);
    mir_reg base = find_reg(ra, early ? is_free : is_free_behind, whole);
    return base == MIR_REG_NONE ? MIR_REG_NONE : (mir_reg)(base + wish->offset);
}

/* The place that the instruction itself would like for its result: none of a copy's values should have to move. */
static mir_reg wish_of_copy(const struct ra *ra, unsigned index, struct mir_class class)
{
    const struct mir_instr *instr = ra->instr;
    unsigned offset = 0;
    const struct mir_operand *source = instr->num_operands ? &instr->operands[0] : NULL;
    switch (instr->op) {
    case MIR_P_COPY:
        source = index < instr->num_operands ? &instr->operands[index] : NULL;
        break;
    case MIR_P_EXTRACT:
        offset = instr->imm;
        break;
    case MIR_P_SPLIT:
        for (unsigned i = 0; i < index; i++)
            offset += ra_class(ra, instr->defs[i].temp).dwords;
        break;
    case MIR_P_VECTOR:
        return best_vector_base(ra, instr, class);
    case ISA_OP_V_FMA_F32:
    case ISA_OP_V_FMA_F16:
        source = &instr->operands[2]; /* then it has a form that accumulates */
        break;
    default:
        return MIR_REG_NONE;
    }
    if (!source || source->kind != MIR_TEMP || ra->ends[source->temp] != 1 || !is_here(ra, source->temp) ||
        ra_class(ra, source->temp).vector != class.vector)
        return MIR_REG_NONE;
    return (mir_reg)(ra->loc[source->temp] + offset);
}

/* Instructions that can write m0. */
static bool writes_any_scalar(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return instr->op == MIR_P_COPY;
    unsigned format = isa_info(instr->op)->format;
    return format == ISA_FORMAT_SOP1 || format == ISA_FORMAT_SOP2 || format == ISA_FORMAT_SOPK;
}

static mir_reg choose_reg(struct ra *ra, unsigned index, bool early)
{
    mir_temp temp = ra->instr->defs[index].temp;
    struct mir_class class = ra_class(ra, temp);
    const struct ra_wish *wish = &ra->wish[temp];
    free_fn free_at = early ? is_free : is_free_behind;
    mir_reg reg = early ? MIR_REG_NONE : wish_of_copy(ra, index, class);
    if (wish->reg == MIR_REG_M0 && class.dwords == 1 && writes_any_scalar(ra->instr) && !early &&
        !ra->file[MIR_REG_M0] && !ra->written[MIR_REG_M0] && !ra->result[MIR_REG_M0] && !ra->instr->defs[index].dead)
        return MIR_REG_M0;
    if (wish->reg < MIR_REG_M0 && class_fits(ra, free_at, class, wish->reg))
        return wish->reg;
    if (reg != MIR_REG_NONE && class_fits(ra, free_at, class, reg))
        return reg;
    if (wish->vector) {
        reg = wish_of_vector(ra, wish, early);
        if (reg != MIR_REG_NONE && class_fits(ra, free_at, class, reg))
            return reg;
    }
    if (wish->web) {
        reg = ra->web_reg[wish->web];
        if (reg != MIR_REG_NONE && class_fits(ra, free_at, class, reg))
            return reg;
    }
    return find_reg(ra, free_at, class);
}

/* Move few others away so that a result finds a place: the window with the fewest dwords in it whose owners all find
 * room. */
static mir_reg make_window(struct ra *ra, struct mir_class class, bool early)
{
    struct ra_range ranges[2];
    unsigned count = amd_ra_ranges(ra, class, ranges), step = ra_alignment(class), best_cost = UINT32_MAX;
    mir_reg best = MIR_REG_NONE;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned reg = ranges[i].first; reg + class.dwords <= ranges[i].end; reg += step) {
            unsigned cost = 0;
            for (unsigned j = 0; j < class.dwords && cost < best_cost; j++) {
                mir_temp temp = ra->file[reg + j];
                bool stays = temp && temp != RA_GHOST && (early || ra->ends[temp] != 1);
                bool blocked = ra->written[reg + j] || ra->result[reg + j] ||
                               ((early || stays) && ra->pinned[reg + j]) || (early && temp == RA_GHOST);
                if (!blocked && stays)
                    cost += ra_class(ra, temp).dwords;
                if (blocked)
                    cost = UINT32_MAX;
            }
            if (cost < best_cost) {
                best_cost = cost;
                best = (mir_reg)reg;
            }
        }
    }
    if (best == MIR_REG_NONE)
        return best;
    reserve_range(ra, best, class.dwords);
    for (unsigned j = 0; j < class.dwords; j++) {
        mir_temp temp = ra->file[best + j];
        if (temp && temp != RA_GHOST && (early || ra->ends[temp] != 1))
            displace_temp(ra, temp);
    }
    return best;
}

static void place_results(struct ra *ra)
{
    struct mir_instr *instr = ra->instr;
    bool failed[2] = {false, false};
    for (unsigned pass = 0; pass < 2; pass++) {
        /* Definitions with the old value in them first: they have less choice. */
        for (unsigned i = 0; i < instr->num_defs; i++) {
            bool early = ra->def_kind[i] == RA_EARLY;
            if (!instr->defs[i].temp || (pass == 0 ? !early : ra->def_kind[i] != RA_FREE))
                continue;
            struct mir_class class = ra_class(ra, instr->defs[i].temp);
            if (failed[class.vector])
                continue;
            mir_reg reg = choose_reg(ra, i, early);
            if (reg == MIR_REG_NONE)
                reg = make_window(ra, class, early);
            failed[class.vector] |= reg == MIR_REG_NONE;
            ra->def_reg[i] = reg;
            if (reg != MIR_REG_NONE)
                reserve_range(ra, reg, class.dwords);
        }
    }
    for (unsigned i = 0; i < ra->num_evicted; i++)
        failed[ra_class(ra, ra->evicted[i]).vector] = true;
    for (unsigned vector = 0; vector < 2; vector++) {
        if (failed[vector])
            amd_ra_repack(ra, vector);
    }
}

/* ---- one instruction ---- */

static bool reads_vgpr(const struct ra *ra, unsigned index)
{
    const struct mir_instr *instr = ra->instr;
    if (index >= ra->shape.num_sources)
        return index < ra->shape.num_sources + ra->shape.num_addresses;
    const struct isa_op_info *info = isa_info(instr->op);
    unsigned variant = info->variants[ra->program->gfx] >> instr->variant & 1 ? instr->variant : ISA_VARIANT_BASE;
    return amd_isa_operand_kinds(ra->program->gfx, instr->op, variant, ra->shape.source[index]) >> ISA_OPERAND_VGPR & 1;
}

static void begin_instr(struct ra *ra, struct mir_instr *instr)
{
    ra->instr = instr;
    ra->shape = (struct mir_shape){.tied_operand = {-1, -1, -1}};
    if (!mir_is_pseudo(instr))
        ra->shape = amd_mir_shape_of(instr);
    memset(ra->pinned, 0, sizeof(ra->pinned));
    memset(ra->result, 0, sizeof(ra->result));
    memset(ra->written, 0, sizeof(ra->written));
    ra->num_moved = ra->num_extras = ra->num_evicted = 0;
    if (instr->num_defs > ra->capacity) {
        ra->capacity = instr->num_defs * 2u;
        ra->def_reg = amd_mir_alloc(ra->program, ra->capacity * sizeof(*ra->def_reg));
        ra->def_kind = amd_mir_alloc(ra->program, ra->capacity);
    }
    if (instr->num_operands > ra->operand_capacity) {
        ra->operand_capacity = instr->num_operands * 2u;
        ra->operand_reg = amd_mir_alloc(ra->program, ra->operand_capacity * sizeof(*ra->operand_reg));
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        ra->def_reg[i] = MIR_REG_NULL;
        ra->def_kind[i] = RA_FREE;
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct mir_operand *operand = &instr->operands[i];
        ra->operand_reg[i] = -1;
        /* Never written on the way here: any register will do. */
        if (operand->kind == MIR_TEMP && !is_here(ra, operand->temp))
            *operand = mir_undef(ra_class(ra, operand->temp).dwords);
        if (operand->kind == MIR_UNDEF && !mir_is_pseudo(instr)) {
            operand->reg = reads_vgpr(ra, i) ? MIR_REG_V0 : 0;
            amd_ra_note_use(ra, operand->reg, operand->dwords);
        }
        if (operand->kind == MIR_TEMP && operand->kill)
            ra->ends[operand->temp] = operand->late || ra->ends[operand->temp] == 2 ? 2 : 1;
    }
}

void amd_ra_instruction(struct ra *ra, struct mir_block *block, struct mir_instr *instr)
{
    begin_instr(ra, instr);
    place_fixed_operands(ra);
    align_operands(ra);
    place_written(ra);
    if (!mir_is_pseudo(instr))
        place_tied(ra);
    place_results(ra);
    amd_ra_write(ra, block);
}

void amd_ra_clear_special(struct ra *ra, struct mir_block *block, struct list *place)
{
    struct mir_builder builder = {ra->program, block, place};
    static const mir_reg specials[] = {MIR_REG_SCC, MIR_REG_M0};
    for (unsigned i = 0; i < ARRAY_SIZE(specials); i++) {
        mir_temp temp = ra->file[specials[i]];
        if (!temp)
            continue;
        struct mir_instr *copy = amd_mir_new_instr(&builder, MIR_P_COPY, 1, 1);
        begin_instr(ra, copy);
        amd_ra_take(ra, temp);
        mir_reg reg = find_reg(ra, is_free, MIR_S(1));
        if (reg == MIR_REG_NONE)
            amd_mir_fail(ra->program, "no SGPR is left for a condition at the end of a block");
        copy->operands[0] = mir_place_use(temp, specials[i], 1);
        copy->defs[0] = (struct mir_def){.temp = temp, .reg = reg, .dwords = 1};
        copy->imm2 = MIR_REG_NONE;
        amd_ra_put(ra, temp, reg);
    }
}
