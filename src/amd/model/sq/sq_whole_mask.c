/* See sq_whole_mask.h. */
#include "amd/model/sq/sq_whole_mask.h"

#include <string.h>

/* ---- what a mask is a part of ---- */

sq_regions amd_sq_whole_regions_of(const struct sq_whole_masks *masks, const struct sq_jit_builder *b, jit_value value)
{
    const struct jit_inst *inst = &b->exec.program.insts[value];
    if (inst->op == JIT_CONST && !inst->imm)
        return UINT32_MAX;
    const sq_regions own = masks->of_value[value];
    return inst->op == JIT_BITS ? own | masks->of_register[(inst->imm - offsetof(struct sq_wave, sgpr)) / 4] : own;
}

void amd_sq_whole_masks_begin(struct sq_whole_masks *masks)
{
    memset(masks->of_value, 0, sizeof(masks->of_value));
}

void amd_sq_whole_masks_end(struct sq_whole_masks *masks, struct sq_jit_builder *b)
{
    sq_regions regions[SQ_REGISTERS];
    memcpy(regions, masks->of_register, sizeof(regions));
    for (uint32_t r = 0; r < SQ_REGISTERS; r++) {
        if (b->places.masks[r] != JIT_NONE)
            regions[r] = amd_sq_whole_regions_of(masks, b, b->places.masks[r]);
        else if (b->places.scalar_stores[r] != JIT_NONE)
            regions[r] = 0;
    }
    memcpy(masks->of_register, regions, sizeof(regions));
}

void amd_sq_whole_masks_before(struct sq_whole_masks *masks, const struct sq_jit_builder *b)
{
    memcpy(masks->before, b->places.masks, sizeof(masks->before));
}

/* Lanes that are not active have zeros in what a vector instruction writes. */
void amd_sq_whole_masks_after(struct sq_whole_masks *masks, struct sq_jit_builder *b, jit_value exec)
{
    for (uint32_t r = 0; r < SQ_REGISTERS; r++) {
        const jit_value value = b->places.masks[r];
        if (value != masks->before[r] && b->places.mask_stores[r] != JIT_NONE)
            masks->of_value[value] |= amd_sq_whole_regions_of(masks, b, exec);
    }
}

static jit_value exec_of(struct sq_jit_builder *b)
{
    return amd_sq_jit_read_mask(b, amd_sq_jit_register(SQ_EXEC));
}

void amd_sq_whole_masks_open(struct sq_whole_masks *masks, struct sq_jit_builder *b, uint32_t region)
{
    masks->of_value[exec_of(b)] |= 1u << region;
    masks->open |= 1u << region;
}

void amd_sq_whole_masks_close(struct sq_whole_masks *masks, uint32_t region)
{
    masks->open &= ~(1u << region);
}

sq_regions amd_sq_whole_masks_left(struct sq_whole_masks *masks, struct sq_jit_builder *b)
{
    return masks->open ? masks->open & ~amd_sq_whole_regions_of(masks, b, exec_of(b)) : 0;
}

void amd_sq_whole_masks_split(struct sq_whole_masks *masks, uint32_t region)
{
    memcpy(masks->at_open[region], masks->of_register, sizeof(masks->of_register));
}

/* A wave that has skipped it has what it had, and no active lane. */
void amd_sq_whole_masks_unite(struct sq_whole_masks *masks, uint32_t region)
{
    for (uint32_t r = 0; r < SQ_REGISTERS; r++)
        masks->of_register[r] &= r == SQ_EXEC ? UINT32_MAX : masks->at_open[region][r];
}

/* ---- instructions ---- */

enum logic {
    LOGIC_NONE,
    LOGIC_MOV,
    LOGIC_NOT,
    LOGIC_AND,
    LOGIC_OR,
    LOGIC_XOR,
    LOGIC_ANDN2, /* x & ~y */
    LOGIC_ANDN1,
    LOGIC_ORN2,
    LOGIC_ORN1,
    LOGIC_NAND,
    LOGIC_NOR,
    LOGIC_XNOR,
};

static const struct row {
    uint16_t op64, op32;
    uint8_t logic;
    bool saves_exec; /* which is the other operand, and the result */
} rows[] = {
    {ISA_OP_S_MOV_B64, ISA_OP_S_MOV_B32, LOGIC_MOV, false},
    {ISA_OP_S_NOT_B64, ISA_OP_S_NOT_B32, LOGIC_NOT, false},
    {ISA_OP_S_AND_B64, ISA_OP_S_AND_B32, LOGIC_AND, false},
    {ISA_OP_S_OR_B64, ISA_OP_S_OR_B32, LOGIC_OR, false},
    {ISA_OP_S_XOR_B64, ISA_OP_S_XOR_B32, LOGIC_XOR, false},
    {ISA_OP_S_ANDN2_B64, ISA_OP_S_ANDN2_B32, LOGIC_ANDN2, false},
    {ISA_OP_S_ORN2_B64, ISA_OP_S_ORN2_B32, LOGIC_ORN2, false},
    {ISA_OP_S_NAND_B64, ISA_OP_S_NAND_B32, LOGIC_NAND, false},
    {ISA_OP_S_NOR_B64, ISA_OP_S_NOR_B32, LOGIC_NOR, false},
    {ISA_OP_S_XNOR_B64, ISA_OP_S_XNOR_B32, LOGIC_XNOR, false},
    {ISA_OP_S_AND_SAVEEXEC_B64, ISA_OP_S_AND_SAVEEXEC_B32, LOGIC_AND, true},
    {ISA_OP_S_OR_SAVEEXEC_B64, ISA_OP_S_OR_SAVEEXEC_B32, LOGIC_OR, true},
    {ISA_OP_S_XOR_SAVEEXEC_B64, ISA_OP_S_XOR_SAVEEXEC_B32, LOGIC_XOR, true},
    {ISA_OP_S_ANDN2_SAVEEXEC_B64, ISA_OP_S_ANDN2_SAVEEXEC_B32, LOGIC_ANDN2, true},
    {ISA_OP_S_ANDN1_SAVEEXEC_B64, ISA_OP_S_ANDN1_SAVEEXEC_B32, LOGIC_ANDN1, true},
    {ISA_OP_S_ORN2_SAVEEXEC_B64, ISA_OP_S_ORN2_SAVEEXEC_B32, LOGIC_ORN2, true},
    {ISA_OP_S_ORN1_SAVEEXEC_B64, ISA_OP_S_ORN1_SAVEEXEC_B32, LOGIC_ORN1, true},
    {ISA_OP_S_NAND_SAVEEXEC_B64, ISA_OP_S_NAND_SAVEEXEC_B32, LOGIC_NAND, true},
    {ISA_OP_S_NOR_SAVEEXEC_B64, ISA_OP_S_NOR_SAVEEXEC_B32, LOGIC_NOR, true},
    {ISA_OP_S_XNOR_SAVEEXEC_B64, ISA_OP_S_XNOR_SAVEEXEC_B32, LOGIC_XNOR, true},
};

static uint32_t number_of(sq_place place)
{
    return (place - (uint32_t)offsetof(struct sq_wave, sgpr)) / 4;
}

/* Whether the place is known to hold a lane mask. */
static bool is_mask(const struct sq_jit_builder *b, sq_place place)
{
    const uint32_t number = number_of(place);
    if (place & SQ_BASE_CONSTANTS || number >= SQ_REGISTERS)
        return false;
    return number == SQ_EXEC || number == SQ_VCC || b->places.masks[number] != JIT_NONE;
}

static const struct row *row_of(const struct sq_jit_builder *b, const struct sq_uop *uop)
{
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        if (uop->inst->op != (b->lanes == 64 ? row->op64 : row->op32))
            continue;
        const bool has_two = row->logic != LOGIC_MOV && row->logic != LOGIC_NOT;
        if (row->saves_exec || (b->lanes == 64 && has_two) || is_mask(b, uop->d) || is_mask(b, uop->s[0]) ||
            (has_two && is_mask(b, uop->s[1])))
            return row;
    }
    return NULL;
}

static jit_value compute_logic(struct lane_program *p, enum logic logic, jit_value x, jit_value y)
{
    switch (logic) {
    case LOGIC_NOT:
        return lane_program_not(p, x);
    case LOGIC_AND:
        return lane_program_and(p, x, y);
    case LOGIC_OR:
        return lane_program_or(p, x, y);
    case LOGIC_XOR:
        return lane_program_xor(p, x, y);
    case LOGIC_ANDN2:
        return lane_program_and(p, x, lane_program_not(p, y));
    case LOGIC_ANDN1:
        return lane_program_and(p, lane_program_not(p, x), y);
    case LOGIC_ORN2:
        return lane_program_or(p, x, lane_program_not(p, y));
    case LOGIC_ORN1:
        return lane_program_or(p, lane_program_not(p, x), y);
    case LOGIC_NAND:
        return lane_program_not(p, lane_program_and(p, x, y));
    case LOGIC_NOR:
        return lane_program_not(p, lane_program_or(p, x, y));
    case LOGIC_XNOR:
        return lane_program_not(p, lane_program_xor(p, x, y));
    default:
        return x;
    }
}

static sq_regions regions_after(enum logic logic, sq_regions x, sq_regions y)
{
    switch (logic) {
    case LOGIC_MOV:
    case LOGIC_ANDN2:
        return x;
    case LOGIC_AND:
        return x | y;
    case LOGIC_ANDN1:
        return y;
    case LOGIC_OR:
    case LOGIC_XOR:
        return x & y;
    default:
        return 0;
    }
}

bool amd_sq_whole_is_mask_op(const struct sq_jit_builder *b, const struct sq_uop *uop)
{
    return row_of(b, uop) != NULL;
}

/* s_mov_b64 of anything else. */
static bool move_pair(struct sq_jit_builder *b, const struct sq_uop *uop)
{
    if (uop->inst->op != ISA_OP_S_MOV_B64)
        return false;
    const jit_value low = amd_sq_jit_read_scalar(b, uop->s[0]), high = amd_sq_jit_read_scalar(b, uop->s[0] + 4);
    amd_sq_jit_write_scalar(b, uop->d, low);
    amd_sq_jit_write_scalar(b, uop->d + 4, high);
    return true;
}

bool amd_sq_whole_mask_lower(struct sq_whole_masks *masks, struct sq_jit_builder *b, const struct sq_step *step)
{
    const struct sq_uop *uop = step->first;
    const struct row *row = row_of(b, uop);
    if (!row)
        return move_pair(b, uop);
    struct lane_program *p = &b->exec.program;
    const bool has_two = row->logic != LOGIC_MOV && row->logic != LOGIC_NOT;
    const sq_place exec = amd_sq_jit_register(SQ_EXEC);
    const struct sq_registers scc = sq_registers_only(SQ_REGISTER_SCC, 1);
    const bool writes_exec = row->saves_exec || number_of(uop->d) == SQ_EXEC;
    /* Whether any lane of a mask is set is known after the part, and of exec alone. */
    if (sq_registers_meet(&step->writes, &scc) && sq_registers_meet(&step[1].live, &scc) && !writes_exec) {
        p->failed = true;
        return true;
    }
    const jit_value x = amd_sq_jit_read_mask(b, uop->s[0]), y = row->saves_exec ? amd_sq_jit_read_mask(b, exec)
                                                                : has_two       ? amd_sq_jit_read_mask(b, uop->s[1])
                                                                                : x;
    if (p->failed)
        return true;
    const sq_regions regions =
        regions_after(row->logic, amd_sq_whole_regions_of(masks, b, x), amd_sq_whole_regions_of(masks, b, y));
    const jit_value value = compute_logic(p, row->logic, x, y);
    if (row->saves_exec)
        amd_sq_jit_write_mask(b, uop->d, y);
    amd_sq_jit_write_mask(b, row->saves_exec ? exec : uop->d, value);
    masks->of_value[value] |= regions;
    if (sq_registers_meet(&step->writes, &scc)) {
        b->places.flag = b->places.flag_store = JIT_NONE;
        b->places.flag_is_lost = true;
        masks->flag_of = value;
    }
    return true;
}
