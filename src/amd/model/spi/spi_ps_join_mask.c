/* Lane masks of joined programs, exec among them: values of the lane program, and rows between its segments. */
#include <string.h>

#include "amd/model/spi/spi_ps_joining.h"

static uint32_t row_of(const struct joining *j, unsigned number)
{
    return (uint32_t)((const char *)spi_ps_output_of(j->wave)->masks[j->mask_slot[number]] - (const char *)j->wave);
}

void amd_spi_join_masks_init(struct joining *j)
{
    memset(&j->masks, 0, sizeof(j->masks));
    memset(j->mask_kind, JOIN_MASK_ELSEWHERE, sizeof(j->mask_kind));
    memset(j->mask_slot, 0xff, sizeof(j->mask_slot));
    j->mask_kind[SQ_EXEC] = JOIN_MASK_ALL; /* quads say which lanes count */
}

void amd_spi_join_masks_begin(struct joining *j)
{
    struct sq_jit_builder *b = j->builder;
    struct lane_program *p = &b->exec.program;
    b->places.in_loop = true; /* masks are values alone */
    amd_sq_whole_masks_begin(&j->masks);
    for (unsigned r = 0; r < SQ_REGISTERS; r++) {
        jit_value value = JIT_NONE;
        if (j->mask_kind[r] == JOIN_MASK_ALL || j->mask_kind[r] == JOIN_MASK_NONE)
            value = lane_program_const(p, j->mask_kind[r] == JOIN_MASK_ALL ? UINT32_MAX : 0);
        else if (j->mask_kind[r] == JOIN_MASK_ROW)
            value = lane_program_emit(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, row_of(j, r));
        if (value == JIT_NONE)
            continue;
        b->places.masks[r] = value;
        b->places.mask_stores[r] = 0;
        j->masks.of_value[value] |= j->masks.of_register[r];
    }
}

static enum join_mask kind_of(const struct lane_program *p, jit_value value)
{
    uint32_t bits;
    if (!lane_program_is_const(p, value, &bits))
        return JOIN_MASK_ROW;
    return bits ? JOIN_MASK_ALL : JOIN_MASK_NONE;
}

/* exec goes to its registers, where micro-operations look. */
static void end_mask(struct joining *j, unsigned r, bool all)
{
    struct sq_jit_builder *b = j->builder;
    struct lane_program *p = &b->exec.program;
    const enum join_mask kind = kind_of(p, b->places.masks[r]);
    j->mask_kind[r] = (uint8_t)kind;
    if (r == SQ_EXEC) {
        if (kind == JOIN_MASK_ALL && !all)
            return;
        j->mask_kind[r] = JOIN_MASK_BITS;
        lane_program_emit(p, JIT_STORE_BITS, b->places.masks[r], JIT_NONE, JIT_NONE, amd_sq_jit_register(r));
        return;
    }
    if (kind != JOIN_MASK_ROW && !all)
        return;
    j->mask_kind[r] = JOIN_MASK_ROW;
    if (j->mask_slot[r] == UINT8_MAX) {
        p->failed |= j->slot_count == SPI_PS_MASKS;
        j->mask_slot[r] = (uint8_t)(j->slot_count < SPI_PS_MASKS ? j->slot_count++ : 0);
    }
    lane_program_emit(p, JIT_STORE, b->places.masks[r], JIT_NONE, JIT_NONE, row_of(j, r));
}

void amd_spi_join_masks_end(struct joining *j, bool all)
{
    struct sq_jit_builder *b = j->builder;
    amd_sq_whole_masks_end(&j->masks, b);
    for (unsigned r = 0; r < SQ_REGISTERS; r++) {
        if (b->places.mask_stores[r] != JIT_NONE && b->places.masks[r] != JIT_NONE)
            end_mask(j, r, all);
    }
}

jit_value amd_spi_join_exec(struct joining *j)
{
    return amd_sq_jit_read_mask(j->builder, amd_sq_jit_register(SQ_EXEC));
}

bool amd_spi_join_exec_is_full(struct joining *j)
{
    return kind_of(&j->builder->exec.program, amd_spi_join_exec(j)) == JOIN_MASK_ALL;
}

bool amd_spi_join_has_mask(const struct joining *j, unsigned number)
{
    return j->builder->places.mask_stores[number] != JIT_NONE;
}

static void forget_mask(struct joining *j, unsigned r, enum join_mask kind)
{
    struct sq_jit_places *places = &j->builder->places;
    j->mask_kind[r] = (uint8_t)kind;
    places->masks[r] = places->mask_stores[r] = JIT_NONE;
}

void amd_spi_join_find_masks(struct joining *j, const struct sq_registers *writes)
{
    for (unsigned r = 0; r < SQ_EXEC; r++) {
        if (!(writes->bits[r / 64] >> r % 64 & 1))
            continue;
        forget_mask(j, r, JOIN_MASK_ELSEWHERE);
        if (r && j->wave->lanes == 64 && j->mask_kind[r - 1] != JOIN_MASK_ELSEWHERE)
            forget_mask(j, r - 1, JOIN_MASK_LOST);
    }
}

void amd_spi_join_lose_masks(struct joining *j, const struct sq_registers *writes)
{
    for (unsigned r = 0; r < SQ_EXEC; r++) {
        if (writes->bits[r / 64] >> r % 64 & 1)
            forget_mask(j, r, JOIN_MASK_LOST);
    }
}

void amd_spi_join_mask_of_active(struct joining *j, const struct sq_registers *writes)
{
    struct sq_jit_builder *b = j->builder;
    unsigned r = 0;
    while (!(writes->bits[r / 64] >> r % 64 & 1))
        r++;
    const jit_value exec = amd_spi_join_exec(j);
    forget_mask(j, r, JOIN_MASK_ELSEWHERE);
    const jit_value bits = amd_sq_jit_read_mask(b, amd_sq_jit_register(r)),
                    value = lane_program_and(&b->exec.program, bits, exec);
    amd_sq_jit_write_mask(b, amd_sq_jit_register(r), value);
    j->masks.of_value[value] |= amd_sq_whole_regions_of(&j->masks, b, exec);
    sq_registers_unite(&j->read, writes);
}

/* ---- instructions ---- */

static bool is_wqm(const struct joining *j, const struct isa_inst *inst)
{
    return inst->op == (j->wave->lanes == 64 ? ISA_OP_S_WQM_B64 : ISA_OP_S_WQM_B32);
}

bool amd_spi_join_is_mask_op(const struct joining *j, const struct sq_uop *uop)
{
    struct sq_registers reads, writes;
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2);
    if (!amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes) ||
        !(is_wqm(j, uop->inst) || amd_sq_whole_is_mask_op(j->builder, uop)))
        return false;
    sq_registers_unite(&reads, &writes);
    if (sq_registers_meet(&reads, &exec) || isa_info(uop->inst->op)->writes & ISA_STATE_EXEC ||
        isa_info(uop->inst->op)->reads & ISA_STATE_EXEC)
        return true;
    for (unsigned r = 0; r < SQ_REGISTER_SCC; r++) {
        if (reads.bits[r / 64] >> r % 64 & 1 && amd_spi_join_has_mask(j, r))
            return true;
    }
    return false;
}

/* All lanes of a quad, if it has one. */
static void lower_wqm(struct joining *j, const struct sq_uop *uop)
{
    struct sq_jit_builder *b = j->builder;
    struct lane_program *p = &b->exec.program;
    jit_value value = amd_sq_jit_read_mask(b, uop->s[0]);
    if (kind_of(p, value) == JOIN_MASK_ROW) {
        value = lane_program_or(p, value, lane_program_emit(p, JIT_QUAD, value, JIT_NONE, JIT_NONE, 0xb1));
        value = lane_program_or(p, value, lane_program_emit(p, JIT_QUAD, value, JIT_NONE, JIT_NONE, 0x4e));
    }
    amd_sq_jit_write_mask(b, uop->d, value);
}

/* Whether the instruction takes lanes away, of those that exec had where each open region began: without one of them it
 * changes nothing. */
static bool only_takes_away(const struct joining *j, const struct sq_uop *uop)
{
    const struct sq_jit_builder *b = j->builder;
    if ((uop->inst->op != ISA_OP_S_ANDN2_B64 && uop->inst->op != ISA_OP_S_ANDN2_B32) || uop->d != uop->s[0] ||
        uop->s[1] & SQ_BASE_CONSTANTS)
        return false;
    const unsigned number = (unsigned)(uop->s[1] - offsetof(struct sq_wave, sgpr)) / 4;
    const jit_value value = number < SQ_REGISTERS ? b->places.masks[number] : JIT_NONE;
    return value != JIT_NONE && !(j->masks.open & ~amd_sq_whole_regions_of(&j->masks, b, value));
}

/* Lanes come back that were not active when scalars were written: waves that had none then have not written them. */
static void widen_mask(struct joining *j, const struct sq_uop *uop)
{
    const bool takes_away = uop->inst->op == ISA_OP_S_AND_SAVEEXEC_B64 || uop->inst->op == ISA_OP_S_AND_SAVEEXEC_B32;
    j->is_narrow = true;
    if (takes_away)
        return;
    sq_registers_unite(&j->leaked, &j->narrow);
    j->narrow = (struct sq_registers){{0}};
}

bool amd_spi_join_mask_op(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    struct sq_jit_builder *b = j->builder;
    struct sq_step steps[2] = {{.first = uop, .end = end}, {0}};
    struct sq_registers reads;
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2);
    if (!amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &steps[0].writes) ||
        !amd_spi_join_take_registers(j, uop->inst))
        return false;
    if (sq_registers_meet(&steps[0].writes, &exec) || isa_info(uop->inst->op)->writes & ISA_STATE_EXEC)
        widen_mask(j, uop);
    sq_registers_remove(&steps[0].writes, &exec);
    const bool is_harmless = only_takes_away(j, uop);
    b->places.active = JIT_NONE;
    if (is_wqm(j, uop->inst))
        lower_wqm(j, uop);
    else if (!amd_sq_whole_mask_lower(&j->masks, b, &steps[0]))
        return false;
    for (uint32_t i = 0; i < j->region_count && !is_harmless; i++) {
        if (j->regions[i].is_open)
            sq_registers_unite(&j->regions[i].writes, &steps[0].writes);
    }
    return !b->exec.program.failed && !amd_sq_whole_masks_left(&j->masks, b);
}
