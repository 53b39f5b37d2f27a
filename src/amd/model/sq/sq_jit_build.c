/* Lane programs are written: operands, and the micro-operations around a kernel. */
#include "amd/model/sq/sq_jit_build.h"

#include "amd/model/sq/sq_uops.h"

void amd_sq_jit_begin(struct sq_jit_builder *b, const struct sq_wave *wave)
{
    b->wave = wave;
    b->program.mode = wave->lane_mode;
    b->lanes = wave->lanes;
    b->program.failed = b->is_one = false;
    b->program.count = 0;
    memset(&b->places, 0xff, sizeof(b->places)); /* JIT_NONE everywhere */
    b->places.mask_count = 0;
    b->places.exec_is_written = false;
    memset(&b->places.inputs, 0, sizeof(b->places.inputs));
}

/* ---- operands ---- */

static bool is_constant(sq_place place)
{
    return (place & 1) == SQ_BASE_CONSTANTS;
}

/* The number of a row among temporaries and VGPRs. */
static bool row_number(struct sq_jit_builder *b, sq_place place, uint32_t *number_out)
{
    uint32_t row_B = b->lanes * 4, offset = place - (uint32_t)offsetof(struct sq_wave, temp);
    *number_out = offset / row_B;
    if (place < offsetof(struct sq_wave, temp) || offset % row_B || *number_out >= SQ_JIT_ROWS) {
        b->program.failed = true;
        *number_out = 0;
    }
    return !b->program.failed;
}

jit_value amd_sq_jit_read_row(struct sq_jit_builder *b, sq_place place)
{
    if (is_constant(place)) /* one value in every lane */
        return lane_program_const(&b->program, *(const uint32_t *)sq_at(b->wave, place));
    uint32_t row;
    if (!row_number(b, place, &row))
        return lane_program_const(&b->program, 0);
    if (b->places.rows[row] == JIT_NONE)
        b->places.rows[row] = lane_program_emit(&b->program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, place);
    return b->places.rows[row];
}

void amd_sq_jit_write_row(struct sq_jit_builder *b, sq_place place, jit_value value)
{
    uint32_t row;
    if (!row_number(b, place, &row))
        return;
    b->places.rows[row] = value;
    if (place >= offsetof(struct sq_wave, vgpr)) /* a temporary ends with its instruction */
        b->places.row_stores[row] = lane_program_emit(&b->program, JIT_STORE, value, JIT_NONE, JIT_NONE, place);
}

/* The number of a register; the lane mask there is one or two of them. */
static uint32_t register_number(struct sq_jit_builder *b, sq_place place)
{
    uint32_t number = (place - (uint32_t)offsetof(struct sq_wave, sgpr)) / 4;
    if (place < offsetof(struct sq_wave, sgpr) || number + 1 >= SQ_REGISTERS) {
        b->program.failed = true;
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
        if (number + i + 1 >= SQ_REGISTERS || overlaps_written(b, number + i, false))
            return true;
    }
    return false;
}

jit_value amd_sq_jit_read_mask(struct sq_jit_builder *b, sq_place place)
{
    if (is_constant(place)) {
        uint64_t bits = sq_read64(sq_at(b->wave, place)), all = lanes_full_mask(b->lanes);
        b->program.failed |= (bits & all) != 0 && (bits & all) != all;
        return lane_program_const(&b->program, bits & all ? UINT32_MAX : 0);
    }
    uint32_t number = register_number(b, place);
    b->program.failed |= overlaps_written(b, number, true);
    if (b->places.masks[number] == JIT_NONE) {
        b->places.masks[number] = lane_program_emit(&b->program, JIT_BITS, JIT_NONE, JIT_NONE, JIT_NONE, place);
        b->places.mask_count++;
    }
    return b->places.masks[number];
}

void amd_sq_jit_write_mask(struct sq_jit_builder *b, sq_place place, jit_value value)
{
    uint32_t number = register_number(b, place);
    if (number == SQ_TRASH)
        return;
    b->program.failed |= overlaps_written(b, number, true);
    b->places.mask_count += b->places.mask_stores[number] == JIT_NONE;
    b->places.masks[number] = value;
    b->places.mask_stores[number] = lane_program_emit(&b->program, JIT_STORE_BITS, value, JIT_NONE, JIT_NONE, place);
    b->places.exec_is_written |= number == SQ_EXEC;
}

jit_value amd_sq_jit_read_scalar(struct sq_jit_builder *b, sq_place place)
{
    if (is_constant(place))
        return lane_program_const(&b->program, *(const uint32_t *)sq_at(b->wave, place));
    uint32_t number = register_number(b, place);
    b->program.failed |= overlaps_written(b, number, false);
    if (b->places.scalars[number] == JIT_NONE)
        b->places.scalars[number] = lane_program_emit(&b->program, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, place);
    return b->places.scalars[number];
}

/* ---- micro-operations around a kernel ---- */

static void lower_splat(struct sq_jit_builder *b)
{
    for (uint32_t row = 0; row < b->uop->imm; row++)
        amd_sq_jit_write_row(b, b->uop->d + row * b->lanes * 4, amd_sq_jit_read_scalar(b, b->uop->s[0] + row * 4));
}

static void lower_and_xor(struct sq_jit_builder *b)
{
    jit_value kept = lane_program_and(&b->program, amd_sq_jit_read_row(b, b->uop->s[0]),
                                      lane_program_const(&b->program, b->uop->imm));
    amd_sq_jit_write_row(b, b->uop->d,
                         lane_program_xor(&b->program, kept, lane_program_const(&b->program, b->uop->s[1])));
}

static void lower_high_half(struct sq_jit_builder *b)
{
    amd_sq_jit_write_row(b, b->uop->d,
                         lane_program_shift_by(&b->program, JIT_SHR, amd_sq_jit_read_row(b, b->uop->s[0]), 16));
}

static void lower_select_halves(struct sq_jit_builder *b)
{
    jit_value s = amd_sq_jit_read_row(b, b->uop->s[0]);
    jit_value low = lane_program_zero_extend(
        &b->program, lane_program_shift_by(&b->program, JIT_SHR, s, b->uop->imm & 1 ? 16 : 0), 16);
    jit_value high = lane_program_shift_by(
        &b->program, JIT_SHL, lane_program_shift_by(&b->program, JIT_SHR, s, b->uop->imm & 2 ? 16 : 0), 16);
    amd_sq_jit_write_row(b, b->uop->d, lane_program_or(&b->program, low, high));
}

static void lower_sdwa_select(struct sq_jit_builder *b)
{
    unsigned sel = b->uop->imm;
    unsigned bits = sel <= ISA_SDWA_BYTE_3 ? 8 : sel <= ISA_SDWA_WORD_1 ? 16 : 32;
    unsigned shift = sel <= ISA_SDWA_BYTE_3 ? sel * 8 : sel == ISA_SDWA_WORD_1 ? 16 : 0;
    jit_value up = lane_program_shift_by(&b->program, JIT_SHL, amd_sq_jit_read_row(b, b->uop->s[0]), 32 - bits - shift);
    amd_sq_jit_write_row(b, b->uop->d,
                         lane_program_shift_by(&b->program, b->uop->s[1] ? JIT_SAR : JIT_SHR, up, 32 - bits));
}

static void lower_output_f32(struct sq_jit_builder *b)
{
    static const uint32_t factors[] = {0x3f800000, 0x40000000, 0x40800000, 0x3f000000};
    jit_value value = amd_sq_jit_read_row(b, b->uop->s[0]);
    if (b->uop->imm && !b->program.mode.keep_out_f32 && !b->program.mode.ieee)
        value = lane_program_fadd(
            &b->program,
            lane_program_fmul(&b->program, value, lane_program_const(&b->program, factors[b->uop->imm & 3])),
            lane_program_const(&b->program, 0));
    if (b->uop->s[1])
        value = lane_program_clamp01_f32(&b->program, value);
    amd_sq_jit_write_row(b, b->uop->d, value);
}

static void lower_merge_high(struct sq_jit_builder *b)
{
    jit_value low = lane_program_zero_extend(&b->program, amd_sq_jit_read_row(b, b->uop->d), 16);
    jit_value high = lane_program_shift_by(&b->program, JIT_SHL, amd_sq_jit_read_row(b, b->uop->s[0]), 16);
    amd_sq_jit_write_row(b, b->uop->d, lane_program_or(&b->program, low, high));
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

bool amd_sq_jit_knows(const struct sq_uop *uop)
{
    return lowering_of(uop) != NULL;
}

void amd_sq_jit_lower_uop(struct sq_jit_builder *b)
{
    amd_sq_jit_lower lower = lowering_of(b->uop);
    bool is_kernel = b->uop->inst && b->uop->run == amd_sq_alu_kernels[b->uop->inst->op];
    if (!lower || (is_kernel && amd_sq_jit_rows[b->uop->inst->op].is_half && b->wave->f16_rounds_apart))
        b->program.failed = true;
    else
        lower(b);
}
