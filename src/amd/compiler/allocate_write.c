/* Registers of one instruction, written into it, with the copies before it. See allocate.h. */
#include <string.h>

#include "amd/compiler/allocate.h"
#include "util/bits.h"

static void mark_busy(const struct ra *ra, bool busy[128])
{
    for (unsigned reg = 0; reg < 128; reg++)
        busy[reg] |= ra->file[reg] || ra->pinned[reg] || ra->written[reg];
    for (unsigned i = 0; i < ra->num_moved; i++) {
        for (unsigned j = 0; ra->moved[i].reg < 128 && j < ra_class(ra, ra->moved[i].temp).dwords; j++)
            busy[ra->moved[i].reg + j] = true;
    }
    for (unsigned i = 0; i < ra->instr->num_defs; i++) {
        unsigned dwords = ra->instr->defs[i].temp ? ra_class(ra, ra->instr->defs[i].temp).dwords : 1;
        for (unsigned j = 0; ra->def_reg[i] < 128 && j < dwords; j++)
            busy[ra->def_reg[i] + j] = true;
    }
}

void amd_ra_note_lanes(struct ra *ra, const struct mir_instr *instr)
{
    if (instr->op == MIR_P_LOGICAL_START || instr->op == MIR_P_LOGICAL_END)
        ra->logical = instr->op == MIR_P_LOGICAL_START;
    bool narrows = instr->op == ISA_OP_S_AND_SAVEEXEC_B32 || instr->op == ISA_OP_S_AND_SAVEEXEC_B64;
    bool writes = amd_mir_clobbers(instr) & ISA_STATE_EXEC;
    for (unsigned i = 0; i < instr->num_defs; i++)
        writes |= instr->defs[i].reg == MIR_REG_EXEC;
    if (writes || !ra->logical)
        ra->lanes = ra->logical && narrows ? instr->defs[0].temp : 0;
}

/* In a stretch with fewer lanes (a fragment shader's stores), a value that is moved must be moved in all lanes that
 * have it: exec is widened around the copy. What a pair of registers holds meanwhile is not needed. */
static void widen_copy(struct ra *ra, struct mir_instr *copy, const bool busy[128], mir_reg spare)
{
    unsigned step = ra->program->lane_mask.dwords;
    bool vector = false;
    for (unsigned i = 0; i < ra->num_moved; i++)
        vector |= ra_class(ra, ra->moved[i].temp).vector && ra->loc[ra->moved[i].temp] != ra->moved[i].reg;
    if (!vector || !ra->lanes)
        return;
    for (unsigned reg = 0; reg + step <= MIR_REG_VCC + 2; reg += step) {
        bool taken = busy[reg] || busy[reg + step - 1] || reg == spare || reg + step - 1 == spare;
        if (!taken) {
            copy->imm = 1u + (uint32_t)amd_ra_origin(ra, ra->lanes) + (reg << 16);
            amd_ra_note_use(ra, (mir_reg)reg, step);
            return;
        }
    }
    amd_mir_fail(ra->program, "no SGPRs are left to move a VGPR where fewer lanes are active");
}

static void emit_copy(struct ra *ra, struct mir_block *block, mir_reg spare, const bool busy[128])
{
    struct mir_program *program = ra->program;
    unsigned count = ra->num_extras;
    for (unsigned i = 0; i < ra->num_moved; i++)
        count += ra->loc[ra->moved[i].temp] != ra->moved[i].reg;
    if (count == 0)
        return;
    struct mir_builder builder = {program, block, &ra->instr->link};
    struct mir_instr *copy = amd_mir_new_instr(&builder, MIR_P_COPY, count, count);
    copy->imm2 = spare;
    widen_copy(ra, copy, busy, spare);
    unsigned at = 0;
    for (unsigned i = 0; i < ra->num_moved; i++) {
        mir_temp temp = ra->moved[i].temp;
        if (ra->loc[temp] == ra->moved[i].reg)
            continue;
        uint8_t dwords = ra_class(ra, temp).dwords;
        copy->defs[at] = (struct mir_def){.temp = temp, .reg = ra->loc[temp], .dwords = dwords};
        copy->operands[at++] = mir_place_use(temp, ra->moved[i].reg, dwords);
    }
    for (unsigned i = 0; i < ra->num_extras; i++) {
        const struct ra_extra *extra = &ra->extras[i];
        mir_reg to = extra->to == MIR_REG_NONE ? ra->def_reg[extra->def] : extra->to;
        copy->defs[at] = (struct mir_def){.reg = to, .dwords = extra->dwords};
        amd_ra_note_use(ra, to, extra->dwords);
        copy->operands[at] = extra->source;
        if (extra->source.kind == MIR_TEMP)
            copy->operands[at] =
                mir_place_use(extra->source.temp, amd_ra_origin(ra, extra->source.temp), extra->dwords);
        at++;
    }
}

static void write_operands(struct ra *ra)
{
    struct mir_instr *instr = ra->instr;
    for (unsigned i = 0; i < instr->num_defs && i < 3; i++) {
        int t = ra->shape.tied_operand[i];
        if (t >= 0 && (uint32_t)t < instr->num_operands && ra->def_kind[i] != RA_TIED)
            ra->operand_reg[t] = ra->def_reg[i];
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct mir_operand *operand = &instr->operands[i];
        if (ra->operand_reg[i] >= 0) {
            uint8_t dwords = operand->kind == MIR_TEMP ? ra_class(ra, operand->temp).dwords : operand->dwords;
            operand->temp = operand->kind == MIR_TEMP ? operand->temp : 0;
            operand->kind = MIR_REG;
            operand->reg = (mir_reg)ra->operand_reg[i];
            operand->dwords = dwords;
        } else if (operand->kind == MIR_TEMP) {
            operand->kind = MIR_REG;
            operand->reg = ra->loc[operand->temp];
            operand->dwords = ra_class(ra, operand->temp).dwords;
        }
    }
}

void amd_ra_write(struct ra *ra, struct mir_block *block)
{
    struct mir_instr *instr = ra->instr;
    bool copies =
        instr->op == MIR_P_COPY || instr->op == MIR_P_VECTOR || instr->op == MIR_P_SPLIT || instr->op == MIR_P_EXTRACT;
    bool busy[128] = {false};
    mir_reg spare = MIR_REG_NONE;
    if (copies || ra->num_moved || ra->num_extras) {
        mark_busy(ra, busy);
        spare = amd_ra_spare(busy);
        emit_copy(ra, block, spare, busy);
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind == MIR_TEMP && ra->ends[operand->temp])
            amd_ra_take(ra, operand->temp);
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_TEMP)
            ra->ends[instr->operands[i].temp] = 0;
    }
    write_operands(ra);
    for (unsigned reg = 0; ra->has_ghosts && reg < RA_REGS; reg++) {
        if (ra->file[reg] == RA_GHOST)
            ra->file[reg] = 0;
    }
    ra->has_ghosts = false;
    for (unsigned i = 0; i < instr->num_defs; i++) {
        struct mir_def *def = &instr->defs[i];
        def->reg = ra->def_reg[i];
        def->dwords = (uint8_t)amd_ra_fixed_size(ra, def);
        amd_ra_note_use(ra, def->reg, def->dwords);
        if (!def->temp)
            continue;
        amd_ra_put(ra, def->temp, def->reg);
        if (ra->wish[def->temp].web)
            ra->web_reg[ra->wish[def->temp].web] = def->reg;
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && instr->defs[i].dead)
            amd_ra_take(ra, instr->defs[i].temp);
    }
    if (copies)
        instr->imm2 = spare;
}

/* Whether a VGPR can stand in the place of this operand. */
