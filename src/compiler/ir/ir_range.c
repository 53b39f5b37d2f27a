/* How large a 32-bit value can be, read as unsigned: enough to know that an address does not wrap. Looks a few
 * definitions deep and gives up upwards. */
#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"

enum {
    DEPTH = 10
};

static uint64_t bound(const struct ir_shader *shader, const struct ir_value *value, unsigned depth);

static uint64_t largest_of(uint8_t bits)
{
    return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static uint64_t sysval_bound(const struct ir_shader *shader, enum ir_sysval sysval, uint32_t comp)
{
    uint64_t threads = (uint64_t)shader->workgroup_size[0] * shader->workgroup_size[1] * shader->workgroup_size[2];
    switch (sysval) {
    case IR_SYSVAL_local_id:
        return comp < 3 && shader->workgroup_size[comp] ? shader->workgroup_size[comp] - 1 : UINT32_MAX;
    case IR_SYSVAL_local_index:
        return threads ? threads - 1 : UINT32_MAX;
    case IR_SYSVAL_workgroup_id:
        return IR_MAX_WORKGROUPS - 1;
    case IR_SYSVAL_num_workgroups:
        return IR_MAX_WORKGROUPS;
    case IR_SYSVAL_subgroup_lane:
        return ir_target_max_lanes(shader->target) - 1;
    case IR_SYSVAL_subgroup_size:
        return ir_target_max_lanes(shader->target);
    case IR_SYSVAL_subgroup_id:
    case IR_SYSVAL_num_subgroups:
        return 1024;
    case IR_SYSVAL_sample_id:
        return 63;
    default:
        return UINT32_MAX;
    }
}

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_add_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* All ones below the highest bit of either: what an or or xor can reach. */
static uint64_t ones(uint64_t a, uint64_t b)
{
    uint64_t both = a | b;
    return both ? UINT64_MAX >> __builtin_clzll(both) : 0;
}

/* Targets are not larger than this in any direction, on any machine. */
#define MAX_PIXEL 65535

/* A fragment's place as an integer. */
static bool is_pixel(const struct ir_value *value)
{
    const struct ir_instr *part = ir_def_instr(value), *whole = part->num_srcs ? ir_def_instr(ir_src(part, 0)) : NULL;
    return part->op == IR_OP_extract && ir_imm(part, IR_IMM_COMP) < 2 && whole->op == IR_OP_load_sysval &&
           ir_imm(whole, IR_IMM_SYSVAL) == IR_SYSVAL_frag_coord;
}

static uint64_t instr_bound(const struct ir_shader *shader, const struct ir_instr *instr, unsigned depth)
{
    const uint8_t bits = instr->def.bits;
#define A bound(shader, ir_src(instr, 0), depth - 1)
#define B bound(shader, ir_src(instr, 1), depth - 1)
#define C bound(shader, ir_src(instr, 2), depth - 1)
    switch (instr->op) {
    case IR_OP_extract: {
        const struct ir_instr *whole = ir_def_instr(ir_src(instr, 0));
        if (whole->op == IR_OP_load_sysval)
            return sysval_bound(shader, ir_imm(whole, IR_IMM_SYSVAL), ir_imm(instr, IR_IMM_COMP));
        return largest_of(bits);
    }
    case IR_OP_load_sysval:
        return instr->def.comps == 1 ? sysval_bound(shader, ir_imm(instr, IR_IMM_SYSVAL), 0) : largest_of(bits);
    case IR_OP_iadd:
        return sum(A, B);
    case IR_OP_imul:
    case IR_OP_umul24:
        return product(A, B);
    case IR_OP_ishl:
        if (!ir_is_const(ir_src(instr, 1)))
            return largest_of(bits);
        return product(A, 1ull << (ir_const_u64(ir_src(instr, 1)) & (bits - 1u)));
    case IR_OP_ushr:
        return ir_is_const(ir_src(instr, 1)) ? A >> (ir_const_u64(ir_src(instr, 1)) & (bits - 1u)) : A;
    case IR_OP_iand:
    case IR_OP_umin: {
        uint64_t a = A, b = B;
        return a < b ? a : b;
    }
    case IR_OP_ior:
    case IR_OP_ixor:
        return ones(A, B);
    case IR_OP_umax: {
        uint64_t a = A, b = B;
        return a > b ? a : b;
    }
    case IR_OP_select: {
        uint64_t b = B, c = C;
        return b > c ? b : c;
    }
    case IR_OP_umod:
        return ir_is_const(ir_src(instr, 1)) && ir_const_u64(ir_src(instr, 1)) ? ir_const_u64(ir_src(instr, 1)) - 1 : A;
    case IR_OP_udiv:
        return ir_is_const(ir_src(instr, 1)) && ir_const_u64(ir_src(instr, 1)) ? A / ir_const_u64(ir_src(instr, 1))
                                                                               : largest_of(bits);
    case IR_OP_u2u:
        return A;
    case IR_OP_f2u:
    case IR_OP_f2i:
        return is_pixel(ir_src(instr, 0)) ? MAX_PIXEL : largest_of(bits);
    case IR_OP_b2i:
        return 1;
    case IR_OP_bcount:
        return 64;
    default:
        return largest_of(bits);
    }
#undef A
#undef B
#undef C
}

static uint64_t bound(const struct ir_shader *shader, const struct ir_value *value, unsigned depth)
{
    if (ir_is_const(value))
        return ir_const_u64(value);
    if (depth == 0 || value->comps != 1)
        return largest_of(value->bits);
    uint64_t result = instr_bound(shader, ir_def_instr(value), depth);
    /* Beyond its width a sum or product wraps, and any value is possible. */
    return result > largest_of(value->bits) ? largest_of(value->bits) : result;
}

uint64_t ir_upper_bound(const struct ir_shader *shader, const struct ir_value *value)
{
    return bound(shader, value, DEPTH);
}

struct ir_value *ir_bounded_index(struct ir_builder *b, struct ir_value *index, uint32_t last)
{
    if (ir_is_const(index) && ir_const_u64(index) > last)
        return ir_const(b, 32, last);
    return ir_upper_bound(b->shader, index) > last ? ir_umin(b, index, ir_const(b, 32, last)) : index;
}
