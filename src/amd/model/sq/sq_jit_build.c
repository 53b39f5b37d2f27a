/* Lane programs are written: operands, and the micro-operations around a kernel. */
#include "amd/model/sq/sq_jit_build.h"

#include "amd/model/sq/sq_uops.h"

void amd_sq_jit_begin(struct sq_jit_builder *b)
{
    const struct sq_wave *wave = b->exec.wave;
    b->wave = wave;
    b->exec.program.mode = wave->lane_mode;
    b->exec.program.failed = false;
    b->exec.program.count = 0;
    b->lanes = wave->lanes;
    b->is_one = b->exec.variant & EXEC_ONE_INPUT;
    b->has_writes = false;
    memset(&b->places, 0xff, sizeof(b->places)); /* JIT_NONE everywhere */
    exec_rows_begin(&b->places.rows, offsetof(struct sq_wave, temp), offsetof(struct sq_wave, vgpr), wave->lanes * 4,
                    SQ_JIT_ROWS);
    b->places.mask_count = b->places.access_count = b->places.lane_read_count = 0;
    b->places.exec_is_written = b->places.in_loop = b->places.flag_is_lost = b->places.is_written = false;
    b->places.has_rows = false;
    memset(&b->places.inputs, 0, sizeof(b->places.inputs));
}

/* ---- operands ---- */

static bool is_constant(sq_place place)
{
    return (place & 1) == SQ_BASE_CONSTANTS;
}

/* In all lanes. */
static jit_value read_all(struct sq_jit_builder *b, sq_place place)
{
    if (is_constant(place)) /* one value in every lane */
        return lane_program_const(&b->exec.program, *(const uint32_t *)sq_at(b->wave, place));
    return exec_rows_read(&b->places.rows, &b->exec.program, place);
}

/* The value that was chosen for active lanes. */
jit_value amd_sq_jit_read_row(struct sq_jit_builder *b, sq_place place)
{
    const jit_value value = read_all(b, place), active = b->places.active;
    return b->exec.program.failed || active == JIT_NONE ? value
                                                        : lane_program_in_lanes(&b->exec.program, value, active);
}

/* Where lanes may be inactive, they keep what they have; temporaries end with their instruction. */
void amd_sq_jit_write_row(struct sq_jit_builder *b, sq_place place, jit_value value)
{
    if (b->places.active != JIT_NONE && place >= offsetof(struct sq_wave, vgpr))
        value = lane_program_select(&b->exec.program, b->places.active, value, read_all(b, place));
    exec_rows_write(&b->places.rows, &b->exec.program, place, value);
}

/* The number of a register; the lane mask there is one or two of them. */
static uint32_t register_number(struct sq_jit_builder *b, sq_place place)
{
    uint32_t number = (place - (uint32_t)offsetof(struct sq_wave, sgpr)) / 4;
    if (place < offsetof(struct sq_wave, sgpr) || number + 1 >= SQ_REGISTERS) {
        b->exec.program.failed = true;
        return 0;
    }
    return number;
}

/* Whether a lane mask that was written has this register but is not the one that begins here. */
static bool overlaps_written(const struct sq_jit_builder *b, uint32_t number, bool is_mask)
{
    const jit_value *stores = b->places.mask_stores;
    bool wide = b->lanes == 64;
    return (wide && number > 0 && stores[number - 1] != JIT_NONE) ||
           (is_mask ? wide && stores[number + 1] != JIT_NONE : stores[number] != JIT_NONE);
}

bool amd_sq_jit_changes(const struct sq_jit_builder *b, sq_place place, unsigned count)
{
    uint32_t number = (place - (uint32_t)offsetof(struct sq_wave, sgpr)) / 4;
    for (unsigned i = 0; i < count && !is_constant(place); i++) {
        if (number + i + 1 >= SQ_REGISTERS || overlaps_written(b, number + i, false) ||
            b->places.scalar_stores[number + i] != JIT_NONE)
            return true;
    }
    return false;
}

/* Whether some register of a lane mask was written as a scalar. */
static bool is_scalar_written(const struct sq_jit_builder *b, uint32_t number)
{
    return b->places.scalar_stores[number] != JIT_NONE ||
           (b->lanes == 64 && b->places.scalar_stores[number + 1] != JIT_NONE);
}

jit_value amd_sq_jit_read_mask(struct sq_jit_builder *b, sq_place place)
{
    if (is_constant(place)) {
        uint64_t bits = sq_read64(sq_at(b->wave, place)), all = lanes_full_mask(b->lanes);
        b->exec.program.failed |= (bits & all) != 0 && (bits & all) != all;
        return lane_program_const(&b->exec.program, bits & all ? UINT32_MAX : 0);
    }
    uint32_t number = register_number(b, place);
    b->exec.program.failed |= overlaps_written(b, number, true) || is_scalar_written(b, number);
    if (b->places.masks[number] == JIT_NONE) {
        b->places.masks[number] = lane_program_emit(&b->exec.program, JIT_BITS, JIT_NONE, JIT_NONE, JIT_NONE, place);
        b->places.mask_count++;
    }
    return b->places.masks[number];
}

void amd_sq_jit_write_mask(struct sq_jit_builder *b, sq_place place, jit_value value)
{
    uint32_t number = register_number(b, place);
    if (number == SQ_TRASH)
        return;
    b->exec.program.failed |= overlaps_written(b, number, true) || is_scalar_written(b, number);
    if (b->places.active != JIT_NONE)
        value = lane_program_and(&b->exec.program, value, b->places.active);
    b->places.mask_count += b->places.mask_stores[number] == JIT_NONE;
    b->places.masks[number] = value;
    b->places.exec_is_written |= number == SQ_EXEC;
    if (!b->places.in_loop)
        b->places.mask_stores[number] =
            lane_program_emit(&b->exec.program, JIT_STORE_BITS, value, JIT_NONE, JIT_NONE, place);
    else if (b->places.mask_stores[number] == JIT_NONE)
        b->places.mask_stores[number] = 0;
}

jit_value amd_sq_jit_read_scalar(struct sq_jit_builder *b, sq_place place)
{
    if (is_constant(place))
        return lane_program_const(&b->exec.program, *(const uint32_t *)sq_at(b->wave, place));
    uint32_t number = register_number(b, place);
    b->exec.program.failed |= overlaps_written(b, number, false);
    if (b->places.scalars[number] == JIT_NONE)
        b->places.scalars[number] = lane_program_emit(&b->exec.program, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, place);
    return b->places.scalars[number];
}

void amd_sq_jit_write_scalar(struct sq_jit_builder *b, sq_place place, jit_value value)
{
    uint32_t number = register_number(b, place);
    if (number == SQ_TRASH)
        return;
    b->exec.program.failed |= overlaps_written(b, number, false) || number >= SQ_M0 + 1;
    b->places.scalars[number] = value;
    if (b->places.scalar_stores[number] == JIT_NONE)
        b->places.scalar_stores[number] = 0;
}

jit_value amd_sq_jit_read_flag(struct sq_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    p->failed |= b->places.flag_is_lost;
    if (b->places.flag == JIT_NONE) {
        jit_value scc =
            lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, (uint32_t)offsetof(struct sq_wave, scc));
        b->places.flag = lane_program_not(p, lane_program_eq(p, scc, lane_program_const(p, 0)));
    }
    return b->places.flag;
}

void amd_sq_jit_write_flag(struct sq_jit_builder *b, jit_value value)
{
    b->places.flag = value;
    b->places.flag_is_lost = false;
    if (b->places.flag_store == JIT_NONE)
        b->places.flag_store = 0;
}

/* ---- micro-operations around a kernel ---- */

static void lower_splat(struct sq_jit_builder *b)
{
    for (uint32_t row = 0; row < b->uop->imm; row++)
        amd_sq_jit_write_row(b, b->uop->d + row * b->lanes * 4, amd_sq_jit_read_scalar(b, b->uop->s[0] + row * 4));
}

static void lower_and_xor(struct sq_jit_builder *b)
{
    jit_value kept = lane_program_and(&b->exec.program, amd_sq_jit_read_row(b, b->uop->s[0]),
                                      lane_program_const(&b->exec.program, b->uop->imm));
    amd_sq_jit_write_row(b, b->uop->d,
                         lane_program_xor(&b->exec.program, kept, lane_program_const(&b->exec.program, b->uop->s[1])));
}

static void lower_high_half(struct sq_jit_builder *b)
{
    amd_sq_jit_write_row(b, b->uop->d,
                         lane_program_shift_by(&b->exec.program, JIT_SHR, amd_sq_jit_read_row(b, b->uop->s[0]), 16));
}

static void lower_select_halves(struct sq_jit_builder *b)
{
    jit_value s = amd_sq_jit_read_row(b, b->uop->s[0]);
    jit_value low = lane_program_zero_extend(
        &b->exec.program, lane_program_shift_by(&b->exec.program, JIT_SHR, s, b->uop->imm & 1 ? 16 : 0), 16);
    jit_value high = lane_program_shift_by(
        &b->exec.program, JIT_SHL, lane_program_shift_by(&b->exec.program, JIT_SHR, s, b->uop->imm & 2 ? 16 : 0), 16);
    amd_sq_jit_write_row(b, b->uop->d, lane_program_or(&b->exec.program, low, high));
}

static void lower_sdwa_select(struct sq_jit_builder *b)
{
    unsigned sel = b->uop->imm;
    unsigned bits = sel <= ISA_SDWA_BYTE_3 ? 8 : sel <= ISA_SDWA_WORD_1 ? 16 : 32;
    unsigned shift = sel <= ISA_SDWA_BYTE_3 ? sel * 8 : sel == ISA_SDWA_WORD_1 ? 16 : 0;
    jit_value up =
        lane_program_shift_by(&b->exec.program, JIT_SHL, amd_sq_jit_read_row(b, b->uop->s[0]), 32 - bits - shift);
    amd_sq_jit_write_row(b, b->uop->d,
                         lane_program_shift_by(&b->exec.program, b->uop->s[1] ? JIT_SAR : JIT_SHR, up, 32 - bits));
}

static void lower_output_f32(struct sq_jit_builder *b)
{
    static const uint32_t factors[] = {0x3f800000, 0x40000000, 0x40800000, 0x3f000000};
    jit_value value = amd_sq_jit_read_row(b, b->uop->s[0]);
    if (b->uop->imm && !b->exec.program.mode.keep_out_f32 && !b->exec.program.mode.ieee)
        value = lane_program_fadd(
            &b->exec.program,
            lane_program_fmul(&b->exec.program, value, lane_program_const(&b->exec.program, factors[b->uop->imm & 3])),
            lane_program_const(&b->exec.program, 0));
    if (b->uop->s[1])
        value = lane_program_clamp01_f32(&b->exec.program, value);
    amd_sq_jit_write_row(b, b->uop->d, value);
}

static void lower_merge_high(struct sq_jit_builder *b)
{
    jit_value low = lane_program_zero_extend(&b->exec.program, amd_sq_jit_read_row(b, b->uop->d), 16);
    jit_value high = lane_program_shift_by(&b->exec.program, JIT_SHL, amd_sq_jit_read_row(b, b->uop->s[0]), 16);
    amd_sq_jit_write_row(b, b->uop->d, lane_program_or(&b->exec.program, low, high));
}

/* Derivatives. Where a lane is not active, its register is not what the program computes for it, or nothing may be read
 * of it. */
static void lower_dpp16(struct sq_jit_builder *b)
{
    const struct isa_alu *alu = &b->uop->inst->alu;
    const bool is_quad_perm = alu->dpp_ctrl < 0x100 && alu->row_mask == 0xf && alu->bank_mask == 0xf;
    const bool reads_all = (b->exec.variant & EXEC_ALL_ACTIVE) && (b->places.active == JIT_NONE || alu->fi);
    b->exec.program.failed |= !is_quad_perm || !reads_all;
    for (uint32_t row = 0; row < b->uop->imm && !b->exec.program.failed; row++) {
        const jit_value from = read_all(b, b->uop->s[0] + row * b->lanes * 4);
        amd_sq_jit_write_row(b, b->uop->d + row * b->lanes * 4,
                             lane_program_emit(&b->exec.program, JIT_QUAD, from, JIT_NONE, JIT_NONE, alu->dpp_ctrl));
    }
}

static void lower_nothing(struct sq_jit_builder *b)
{
    (void)b;
}

static const struct {
    sq_run_fn run;
    amd_sq_jit_lower lower;
} around[] = {
    {amd_sq_uop_splat, lower_splat},
    {amd_sq_uop_and_xor, lower_and_xor},
    {amd_sq_uop_high_half, lower_high_half},
    {amd_sq_uop_select_halves, lower_select_halves},
    {amd_sq_uop_sdwa_select, lower_sdwa_select},
    {amd_sq_uop_output_f32, lower_output_f32},
    {amd_sq_uop_merge_high, lower_merge_high},
    {amd_sq_uop_dpp16, lower_dpp16},
    {amd_sq_uop_dpp_end, lower_nothing},
};

static amd_sq_jit_lower lowering_of(const struct sq_uop *uop)
{
    for (unsigned i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
        if (around[i].run == uop->run)
            return around[i].lower;
    }
    if (!uop->inst || uop->run != amd_sq_alu_kernels[uop->inst->op])
        return uop->inst ? amd_sq_jit_input_lowering(uop) : NULL;
    const struct sq_jit_row *row = &amd_sq_jit_rows[uop->inst->op];
    return row->not_clamped && uop->inst->alu.clamp ? NULL : row->lower;
}

static bool is_scalar(const struct sq_uop *uop)
{
    return uop->inst && uop->run == amd_sq_alu_kernels[uop->inst->op] && amd_sq_jit_rows[uop->inst->op].is_scalar;
}

bool amd_sq_jit_knows(const struct sq_uop *uop)
{
    return lowering_of(uop) != NULL && !is_scalar(uop);
}

void amd_sq_jit_lower_uop(struct sq_jit_builder *b)
{
    amd_sq_jit_lower lower = lowering_of(b->uop);
    if (!lower && b->has_writes && b->uop->inst)
        lower = amd_sq_jit_store_lowering(b->uop);
    if (!lower && b->places.has_rows && b->uop->inst)
        lower = amd_sq_jit_loop_lowering(b->uop);
    bool is_kernel = b->uop->inst && b->uop->run == amd_sq_alu_kernels[b->uop->inst->op];
    if (!lower || (!b->places.in_loop && is_scalar(b->uop)) ||
        (is_kernel && amd_sq_jit_rows[b->uop->inst->op].is_half && b->wave->f16_rounds_apart))
        b->exec.program.failed = true;
    else
        lower(b);
}
