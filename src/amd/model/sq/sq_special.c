/* Instructions of the ALU formats that are not a function of one lane's operands: moves between lanes and hardware
 * registers. */
#include "amd/model/sq/sq_alu.h"
#include "amd/model/sq/sq_mode.h"

#include <stddef.h>
#include <time.h>

typedef void special_fn(struct sq_wave *wave, const struct sq_uop *uop);
special_fn amd_sq_special_v_readlane_b32, amd_sq_special_v_readfirstlane_b32, amd_sq_special_v_writelane_b32,
    amd_sq_special_v_permlane16_b32, amd_sq_special_v_permlanex16_b32, amd_sq_special_s_getreg_b32,
    amd_sq_special_s_setreg_b32, amd_sq_special_s_setreg_imm32_b32;

/* ---- between lanes ---- */

void amd_sq_special_v_readlane_b32(struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *rows = sq_at(wave, uop->s[0]), *lane = sq_at(wave, uop->s[1]);
    *(uint32_t *)sq_at(wave, uop->d) = rows[*lane & (wave->lanes - 1)];
}

/* Lane 0 when none is active. */
void amd_sq_special_v_readfirstlane_b32(struct sq_wave *wave, const struct sq_uop *uop)
{
    const uint32_t *rows = sq_at(wave, uop->s[0]);
    uint64_t exec = sq_exec(wave);
    bool is_scalar = uop->inst->operands[1].kind != ISA_OPERAND_VGPR;
    *(uint32_t *)sq_at(wave, uop->d) = rows[is_scalar || !exec ? 0 : __builtin_ctzll(exec)];
}

void amd_sq_special_v_writelane_b32(struct sq_wave *wave, const struct sq_uop *uop)
{
    uint32_t *rows = sq_at(wave, uop->d);
    const uint32_t *value = sq_at(wave, uop->s[0]), *lane = sq_at(wave, uop->s[1]);
    rows[*lane & (wave->lanes - 1)] = *value;
}

/* op_sel[0] fetches from inactive lanes, op_sel[1] reads 0 from them; without either nothing is written. */
static void permlane(struct sq_wave *wave, const struct sq_uop *uop, unsigned other_row)
{
    uint32_t *d = sq_at(wave, uop->d), source[LANES_MAX];
    uint64_t selectors =
        *(const uint32_t *)sq_at(wave, uop->s[1]) | (uint64_t) * (const uint32_t *)sq_at(wave, uop->s[2]) << 32;
    uint64_t exec = sq_exec(wave);
    memcpy(source, sq_at(wave, uop->s[0]), wave->lanes * sizeof(source[0]));
    if (wave->exec_full) {
        uint32_t from[16];
        for (unsigned k = 0; k < 16; k++)
            from[k] = (uint32_t)(selectors >> k * 4 & 15) ^ other_row;
        for (unsigned row = 0; row < wave->lanes; row += 16) {
            for (unsigned k = 0; k < 16; k++)
                d[row + k] = source[row ^ from[k]];
        }
        return;
    }
    for (unsigned i = 0; i < wave->lanes; i++) {
        unsigned from = ((i & ~15u) ^ other_row) | (unsigned)(selectors >> (i & 15) * 4 & 15);
        bool valid = (uop->inst->alu.op_sel & 1) || (exec >> from & 1);
        if ((exec >> i & 1) && (valid || (uop->inst->alu.op_sel & 2)))
            d[i] = valid ? source[from] : 0;
    }
}

void amd_sq_special_v_permlane16_b32(struct sq_wave *wave, const struct sq_uop *uop)
{
    permlane(wave, uop, 0);
}

void amd_sq_special_v_permlanex16_b32(struct sq_wave *wave, const struct sq_uop *uop)
{
    permlane(wave, uop, 16);
}

/* ---- hardware registers ---- */

enum hwreg {
    HWREG_MODE = 1,
    HWREG_STATUS = 2,
    HWREG_TRAPSTS = 3,
    HWREG_GPR_ALLOC = 5,
    HWREG_LDS_ALLOC = 6,
    HWREG_SH_MEM_BASES = 15,
    HWREG_FLAT_SCR_LO = 20,
    HWREG_FLAT_SCR_HI = 21,
    HWREG_HW_ID1 = 23,
    HWREG_HW_ID2 = 24,
    HWREG_SHADER_CYCLES = 29,
};

static bool read_hwreg(const struct sq_wave *wave, unsigned id, uint32_t *value_out)
{
    struct timespec now;
    switch (id) {
    case HWREG_MODE:
        *value_out = wave->mode;
        return true;
    case HWREG_STATUS:
        *value_out = wave->scc | (uint32_t)(sq_exec(wave) == 0) << 9 |
                     (uint32_t)(sq_read_mask(wave, &wave->sgpr[SQ_VCC]) == 0) << 10 | 1u << 16;
        return true;
    case HWREG_TRAPSTS:
        *value_out = 0;
        return true;
    case HWREG_HW_ID1: /* the waves of a workgroup stand on the four SIMDs of one WGP: slot [4:0], SIMD [9:8] */
        *value_out = (wave->wave_in_group >> 2 & 31) | (wave->wave_in_group & 3) << 8;
        return true;
    case HWREG_HW_ID2:
        *value_out = 0;
        return true;
    case HWREG_GPR_ALLOC:
        *value_out = ((wave->vgpr_count + 3) / 4 - 1) << 8;
        return true;
    case HWREG_LDS_ALLOC:
        *value_out = (wave->lds_size_B + 511) / 512 << 12;
        return true;
    case HWREG_SH_MEM_BASES:
        *value_out = (wave->sgpr[SQ_SHARED_BASE + 1] & 0xffff0000u) | wave->sgpr[SQ_PRIVATE_BASE + 1] >> 16;
        return true;
    case HWREG_FLAT_SCR_LO:
        *value_out = (uint32_t)wave->flat_scratch_va;
        return true;
    case HWREG_FLAT_SCR_HI:
        *value_out = (uint32_t)(wave->flat_scratch_va >> 32);
        return true;
    case HWREG_SHADER_CYCLES:
        clock_gettime(CLOCK_MONOTONIC, &now);
        *value_out = (uint32_t)((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) & 0xfffff;
        return true;
    default:
        return false;
    }
}

static bool write_hwreg(struct sq_wave *wave, unsigned id, uint32_t value)
{
    switch (id) {
    case HWREG_MODE:
        amd_sq_set_mode(wave, value);
        return true;
    case HWREG_FLAT_SCR_LO:
        wave->flat_scratch_va = (wave->flat_scratch_va & ~0xffffffffull) | value;
        return true;
    case HWREG_FLAT_SCR_HI:
        wave->flat_scratch_va = (wave->flat_scratch_va & 0xffffffffull) | (uint64_t)value << 32;
        return true;
    default:
        return false;
    }
}

/* The immediate: id [5:0], offset [10:6], size - 1 [15:11]. */
void amd_sq_special_s_getreg_b32(struct sq_wave *wave, const struct sq_uop *uop)
{
    unsigned id = uop->imm & 63, offset = uop->imm >> 6 & 31, size = (uop->imm >> 11 & 31) + 1;
    uint32_t value;
    if (!read_hwreg(wave, id, &value)) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a hardware register that the model has not");
        return;
    }
    *(uint32_t *)sq_at(wave, uop->d) = (uint32_t)(value >> offset & ((1ull << size) - 1));
}

void amd_sq_special_s_setreg_b32(struct sq_wave *wave, const struct sq_uop *uop)
{
    unsigned id = uop->imm & 63, offset = uop->imm >> 6 & 31, size = (uop->imm >> 11 & 31) + 1;
    uint32_t field = (uint32_t)(((1ull << size) - 1) << offset), old;
    uint32_t value = *(const uint32_t *)sq_at(wave, uop->s[0]) << offset;
    if (!read_hwreg(wave, id, &old) || !write_hwreg(wave, id, (old & ~field) | (value & field)))
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a hardware register that cannot be written in the model");
}

void amd_sq_special_s_setreg_imm32_b32(struct sq_wave *wave, const struct sq_uop *uop)
{
    amd_sq_special_s_setreg_b32(wave, uop);
}
