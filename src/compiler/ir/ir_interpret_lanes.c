/* Operations between the interpreter's lanes: ballots, votes, shuffles, quads, reductions, derivatives. Each wave
 * for itself. */
#include "util/bits.h"

#include "compiler/ir/ir_interpret_internal.h"

/* One wave, and the operation that its active lanes do. */
struct wave {
    struct interpreter *in;
    const struct ir_instr *instr;
    uint32_t first, size; /* lanes first to first + size of the workgroup */
    uint64_t active;      /* bit i: lane first + i */
};

static bool is_active(const struct wave *w, uint64_t i)
{
    return i < 64 && w->active >> i & 1;
}

static uint64_t src(const struct wave *w, uint32_t operand, uint64_t i)
{
    return interp_src(w->in, w->instr, operand, w->first + (uint32_t)i);
}

static uint8_t src_doubt(const struct wave *w, uint32_t operand, uint64_t i)
{
    return interp_doubt(w->in, ir_src(w->instr, operand), 0)[w->first + i];
}

static void set_lane(const struct wave *w, uint64_t i, uint64_t value, uint8_t doubt)
{
    interp_data(w->in, &w->instr->def, 0)[w->first + i] = value & bits_mask(w->instr->def.bits);
    interp_doubt(w->in, &w->instr->def, 0)[w->first + i] = doubt;
}

static void set_all(const struct wave *w, uint64_t value, uint8_t doubt)
{
    bits_foreach (w->active, i)
        set_lane(w, i, value, doubt);
}

/* An operand's value in another lane: undefined where that lane is not active. */
static void set_from(const struct wave *w, uint64_t i, uint64_t from, uint8_t doubt)
{
    if (is_active(w, from))
        set_lane(w, i, src(w, 0, from), doubt | src_doubt(w, 0, from));
    else
        set_lane(w, i, 0, DOUBT_UNDEF);
}

static uint8_t raw_doubt(const struct wave *w)
{
    uint8_t doubt = 0;
    bits_foreach (w->active, i)
        doubt |= src_doubt(w, 0, i);
    return doubt;
}

/* Of all active lanes, where the bits are looked at. */
static uint8_t any_doubt(const struct wave *w)
{
    return interp_bits_doubt(raw_doubt(w));
}

/* --- ballots and votes --- */

static uint64_t ballot(const struct wave *w)
{
    uint64_t mask = 0;
    bits_foreach (w->active, i)
        mask |= src(w, 0, i) << i;
    return mask;
}

static bool all_equal(const struct wave *w)
{
    uint64_t first = src(w, 0, (uint64_t)__builtin_ctzll(w->active));
    bool is_float = ir_imm(w->instr, IR_IMM_IS_FLOAT);
    bits_foreach (w->active, i) {
        uint64_t value = src(w, 0, i);
        if (is_float ? !interp_alu(w->in, IR_OP_feq, ir_src(w->instr, 0)->bits, first, value) : first != value)
            return false;
    }
    return true;
}

static bool run_ballot(const struct wave *w)
{
    uint64_t first = (uint64_t)__builtin_ctzll(w->active);
    switch (w->instr->op) {
    case IR_OP_ballot:
        set_all(w, ballot(w), any_doubt(w));
        return true;
    case IR_OP_ballot_high: /* waves have up to 64 lanes here */
        set_all(w, 0, any_doubt(w));
        return true;
    case IR_OP_inverse_ballot:
        bits_foreach (w->active, i)
            set_lane(w, i, src(w, 0, i) >> i & 1, interp_bits_doubt(src_doubt(w, 0, i)));
        return true;
    case IR_OP_elect:
        bits_foreach (w->active, i)
            set_lane(w, i, i == first, false);
        return true;
    case IR_OP_vote_all:
        set_all(w, ballot(w) == w->active, any_doubt(w));
        return true;
    case IR_OP_vote_any:
        set_all(w, ballot(w) != 0, any_doubt(w));
        return true;
    case IR_OP_vote_eq:
        /* Of floats it does not matter which NaN one is. */
        set_all(w, all_equal(w), ir_imm(w->instr, IR_IMM_IS_FLOAT) ? raw_doubt(w) & (uint8_t)~DOUBT_NAN : any_doubt(w));
        return true;
    case IR_OP_read_first:
        bits_foreach (w->active, i)
            set_from(w, i, first, false);
        return true;
    case IR_OP_mbcnt:
        bits_foreach (w->active, i)
            set_lane(w, i, (uint64_t)__builtin_popcountll(src(w, 0, i) & bits_mask((unsigned)i)) + src(w, 1, i),
                     interp_bits_doubt(src_doubt(w, 0, i) | src_doubt(w, 1, i)));
        return true;
    case IR_OP_active_mask:
        set_all(w, w->active, false);
        return true;
    default:
        return false;
    }
}

/* --- from one lane to another --- */

/* The lane that lane `i` reads from; 64 and more: none. */
static uint64_t source_lane(const struct wave *w, uint64_t i, uint64_t operand)
{
    switch (w->instr->op) {
    case IR_OP_read_lane:
    case IR_OP_shuffle:
        return operand;
    case IR_OP_shuffle_xor:
        return i ^ operand;
    case IR_OP_shuffle_up:
        return i - operand; /* below zero is far above */
    case IR_OP_shuffle_down:
        return i + operand;
    case IR_OP_rotate: {
        uint64_t cluster = ir_imm(w->instr, IR_IMM_CLUSTER);
        cluster = cluster ? MIN2(cluster, w->size) : w->size;
        return i / cluster * cluster + (i + operand) % cluster;
    }
    case IR_OP_quad_read:
        return (i & ~3ull) + operand;
    default: /* quad_swap: 0 horizontal, 1 vertical, 2 diagonal */
        return i ^ (ir_imm(w->instr, IR_IMM_DIRECTION) + 1);
    }
}

static bool run_shuffle(const struct wave *w)
{
    switch (w->instr->op) {
    case IR_OP_read_lane:
    case IR_OP_shuffle:
    case IR_OP_shuffle_xor:
    case IR_OP_shuffle_up:
    case IR_OP_shuffle_down:
    case IR_OP_rotate:
    case IR_OP_quad_read:
    case IR_OP_quad_swap:
        break;
    default:
        return false;
    }
    bool has_operand = w->instr->num_srcs > 1;
    bits_foreach (w->active, i) {
        uint64_t from = source_lane(w, i, has_operand ? src(w, 1, i) : 0);
        set_from(w, i, from < w->size ? from : 64, has_operand ? interp_bits_doubt(src_doubt(w, 1, i)) : 0);
    }
    return true;
}

/* --- reductions --- */

static bool run_lane_read(const struct wave *w)
{
    if (w->instr->op != IR_OP_lane_read)
        return false;
    const uint64_t start = ir_reduction_identity(ir_imm(w->instr, IR_IMM_REDUCTION), w->instr->def.bits);
    bits_foreach (w->active, i) {
        const uint64_t operand = src(w, 1, i), from = ir_imm(w->instr, IR_IMM_DIRECTION) == 1 ? i ^ operand : operand;
        const uint8_t doubt = interp_bits_doubt(src_doubt(w, 1, i));
        if (from < w->size && is_active(w, from))
            set_from(w, i, from, doubt);
        else
            set_lane(w, i, start, doubt);
    }
    return true;
}

static const enum ir_op reduction_ops[] = {
    [IR_REDUCTION_iadd] = IR_OP_iadd, [IR_REDUCTION_imul] = IR_OP_imul, [IR_REDUCTION_imin] = IR_OP_imin,
    [IR_REDUCTION_imax] = IR_OP_imax, [IR_REDUCTION_umin] = IR_OP_umin, [IR_REDUCTION_umax] = IR_OP_umax,
    [IR_REDUCTION_iand] = IR_OP_iand, [IR_REDUCTION_ior] = IR_OP_ior,   [IR_REDUCTION_ixor] = IR_OP_ixor,
    [IR_REDUCTION_fadd] = IR_OP_fadd, [IR_REDUCTION_fmul] = IR_OP_fmul, [IR_REDUCTION_fmin] = IR_OP_fmin,
    [IR_REDUCTION_fmax] = IR_OP_fmax,
};

uint64_t ir_reduction_identity(enum ir_reduction reduction, uint8_t bits)
{
    uint64_t sign = 1ull << (bits - 1);
    uint64_t infinity = bits == 16 ? 0x7c00 : bits == 32 ? 0x7f800000 : 0x7ff0000000000000;
    switch (reduction) {
    case IR_REDUCTION_imul:
        return 1;
    case IR_REDUCTION_imin:
        return sign - 1;
    case IR_REDUCTION_imax:
        return sign;
    case IR_REDUCTION_umin:
    case IR_REDUCTION_iand:
        return bits_mask(bits);
    case IR_REDUCTION_fmul:
        return bits == 16 ? 0x3c00 : bits == 32 ? 0x3f800000 : 0x3ff0000000000000;
    case IR_REDUCTION_fmin:
        return infinity;
    case IR_REDUCTION_fmax:
        return infinity | sign;
    default:
        return 0;
    }
}

static bool run_reduction(const struct wave *w)
{
    enum ir_op op = (enum ir_op)w->instr->op;
    if (op != IR_OP_reduce && op != IR_OP_scan_inclusive && op != IR_OP_scan_exclusive)
        return false;
    enum ir_reduction reduction = (enum ir_reduction)ir_imm(w->instr, IR_IMM_REDUCTION);
    uint8_t bits = w->instr->def.bits;
    bool is_float = ir_op_infos[reduction_ops[reduction]].props & IR_PROP_FLOAT;
    uint64_t cluster = op == IR_OP_reduce ? ir_imm(w->instr, IR_IMM_CLUSTER) : 0;
    cluster = cluster ? cluster : 64;
    for (uint64_t start = 0; start < w->size; start += cluster) {
        uint64_t members = w->active >> start << start & bits_mask((unsigned)MIN2(start + cluster, 64));
        uint64_t sum = ir_reduction_identity(reduction, bits);
        uint8_t doubt = 0;
        bool any = false;
        bits_foreach (members, i) {
            if (op == IR_OP_scan_exclusive)
                set_lane(w, i, sum, doubt);
            /* The first operand as it is: adding the identity would lose the sign of a zero. */
            sum = any ? interp_alu(w->in, reduction_ops[reduction], bits, sum, src(w, 0, i)) : src(w, 0, i);
            any = true;
            doubt |= src_doubt(w, 0, i);
            doubt = is_float ? interp_float_doubt(doubt, sum, bits) : interp_bits_doubt(doubt);
            if (op == IR_OP_scan_inclusive)
                set_lane(w, i, sum, doubt);
        }
        if (op == IR_OP_reduce)
            bits_foreach (members, i)
                set_lane(w, i, sum, doubt);
    }
    return true;
}

/* --- derivatives: lanes 0 1 over 2 3 of a quad --- */

static bool run_derivative(const struct wave *w)
{
    if (w->instr->op != IR_OP_fddx && w->instr->op != IR_OP_fddy)
        return false;
    uint64_t step = w->instr->op == IR_OP_fddx ? 1 : 2;
    bool fine = ir_imm(w->instr, IR_IMM_DERIVATIVE) == IR_DERIVATIVE_fine;
    uint8_t bits = w->instr->def.bits;
    bits_foreach (w->active, i) {
        uint64_t low = fine ? i & ~step : i & ~3ull, high = low | step;
        if (!is_active(w, low) || !is_active(w, high)) {
            set_lane(w, i, 0, DOUBT_UNDEF);
            continue;
        }
        uint64_t minus = src(w, 0, low) ^ 1ull << (bits - 1);
        uint64_t difference = interp_alu(w->in, IR_OP_fadd, bits, src(w, 0, high), minus);
        set_lane(w, i, difference, interp_float_doubt(src_doubt(w, 0, low) | src_doubt(w, 0, high), difference, bits));
    }
    return true;
}

bool interp_lanes(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    for (uint32_t i = 0; i < in->num_waves; i++) {
        const struct wave wave = {in, instr, i * in->wave_size, in->wave_size, mask->wave[i]};
        if (wave.active && !run_ballot(&wave) && !run_shuffle(&wave) && !run_lane_read(&wave) &&
            !run_reduction(&wave) && !run_derivative(&wave))
            return false;
    }
    return true;
}
