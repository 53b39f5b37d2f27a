/* Operations between the lanes of a subgroup. Masks are 128 bits in SPIR-V, of which the upper 64 are used where a
 * subgroup may have more than 64 lanes. */
#include "compiler/spirv/sp.h"

static void check_scope(struct sp *s, const struct sp_instr *in)
{
    s->shader->uses_subgroup_ops = true;
    uint32_t scope = sp_constant_u32(s, sp_op(s, in, 0));
    if (scope != SpvScopeSubgroup && scope != SpvScopeInvocation)
        sp_fail(s, "%s: the group is no subgroup", in->info->name);
}

/* Operand `i`, which has the result's type. */
static struct ir_value **read_data(struct sp *s, const struct sp_instr *in, uint32_t i)
{
    struct sp_type *type = sp_type(s, in->type), *data = sp_type_of(s, sp_op(s, in, i));
    if (!sp_is_numeric(data) || data->scalars != type->scalars || data->bits != type->bits)
        sp_fail(s, "%s: the operand is not of the result's type", in->info->name);
    return sp_read(s, in->ops[i]);
}

static struct ir_value *read_bool(struct sp *s, const struct sp_instr *in, uint32_t i)
{
    struct ir_value *x = sp_read_scalar(s, sp_op(s, in, i));
    if (x->bits != 1)
        sp_fail(s, "%s: the operand is not boolean", in->info->name);
    return x;
}

static struct ir_value *read_lane(struct sp *s, const struct sp_instr *in, uint32_t i)
{
    if (sp_type_of(s, sp_op(s, in, i))->kind != SP_INT)
        sp_fail(s, "%s: a lane is an integer", in->info->name);
    return sp_to_bits(s, sp_read_scalar(s, in->ops[i]), 32, false);
}

/* Bits of lanes 0 to 63, and of lanes 64 to 127 or NULL where there are none. */
struct mask {
    struct ir_value *low, *high;
};

static struct mask read_mask(struct sp *s, const struct sp_instr *in, uint32_t i)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, i));
    const bool is_wide = sp_has_wide_subgroups(s);
    if (!sp_is_numeric(type) || type->bits != 32 || type->scalars < (is_wide ? 4 : 2))
        sp_fail(s, "%s: the operand is no mask", in->info->name);
    struct ir_value **c = sp_read(s, in->ops[i]);
    return (struct mask){ir_pack64(&s->b, c[0], c[1]), is_wide ? ir_pack64(&s->b, c[2], c[3]) : NULL};
}

/* Without the bits of lanes that the subgroup does not have. */
static struct mask read_lanes(struct sp *s, const struct sp_instr *in, uint32_t i)
{
    struct ir_builder *b = &s->b;
    struct ir_value *size = sp_sysval(s, IR_SYSVAL_subgroup_size, 32, 1);
    struct mask mask = read_mask(s, in, i);
    if (mask.high) /* subgroups of 64 or 128 */
        mask.high = ir_select(b, ir_ult(b, sp_imm(s, 32, 64), size), mask.high, sp_imm(s, 64, 0));
    else
        mask.low = ir_iand(b, mask.low, ir_ushr(b, sp_imm(s, 64, UINT64_MAX), ir_isub(b, sp_imm(s, 32, 64), size)));
    return mask;
}

static void set_ballot(struct sp *s, const struct sp_instr *in, struct ir_value *x)
{
    struct ir_builder *b = &s->b;
    struct ir_value *zero = sp_imm(s, 32, 0), *low = ir_ballot(b, x);
    struct ir_value *high = sp_has_wide_subgroups(s) ? ir_ballot_high(b, x) : NULL;
    struct ir_value *words[4] = {ir_lo32(b, low), ir_hi32(b, low), high ? ir_lo32(b, high) : zero,
                                 high ? ir_hi32(b, high) : zero};
    sp_set_vector(s, in, ir_vec(b, 4, words));
}

/* Whether the bit of a lane is set. */
static struct ir_value *bit_of(struct sp *s, struct mask mask, struct ir_value *lane)
{
    struct ir_builder *b = &s->b;
    struct ir_value *part = mask.low;
    if (mask.high)
        part = ir_select(b, ir_ult(b, lane, sp_imm(s, 32, 64)), mask.low, mask.high);
    struct ir_value *bit = ir_u2u(b, 32, ir_ushr(b, part, lane)); /* the count is taken modulo 64 */
    return ir_ine(b, ir_iand(b, bit, sp_imm(s, 32, 1)), sp_imm(s, 32, 0));
}

/* How many bits stand below this lane. */
static struct ir_value *count_below(struct sp *s, struct mask mask)
{
    struct ir_builder *b = &s->b;
    if (!mask.high)
        return ir_mbcnt(b, mask.low, sp_imm(s, 32, 0));
    struct ir_value *lane = sp_sysval(s, IR_SYSVAL_subgroup_lane, 32, 1);
    struct ir_value *below = ir_isub(b, ir_ishl(b, sp_imm(s, 64, 1), lane), sp_imm(s, 64, 1));
    struct ir_value *is_low = ir_ult(b, lane, sp_imm(s, 32, 64));
    struct ir_value *part = ir_select(b, is_low, mask.low, mask.high);
    struct ir_value *before = ir_select(b, is_low, sp_imm(s, 64, 0), mask.low);
    return ir_iadd(b, ir_bcount(b, before), ir_bcount(b, ir_iand(b, part, below)));
}

static void set_integer(struct sp *s, const struct sp_instr *in, struct ir_value *x)
{
    struct sp_type *type = sp_type(s, in->type);
    if (type->kind != SP_INT)
        sp_fail(s, "%s gives an integer", in->info->name);
    sp_set_scalar(s, in, sp_to_bits(s, x, type->bits, false));
}

void sp_do_group_elect(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    sp_set_scalar(s, in, ir_elect(&s->b));
}

static void vote(struct sp *s, const struct sp_instr *in, uint32_t operand)
{
    struct ir_value *x = read_bool(s, in, operand);
    sp_set_scalar(s, in, in->info->arg == IR_OP_vote_all ? ir_vote_all(&s->b, x) : ir_vote_any(&s->b, x));
}

void sp_do_group_vote(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    vote(s, in, 1);
}

void sp_do_subgroup_vote(struct sp *s, const struct sp_instr *in)
{
    s->shader->uses_subgroup_ops = true;
    vote(s, in, 0);
}

static void all_equal(struct sp *s, const struct sp_instr *in, uint32_t operand)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, operand));
    if (!sp_is_numeric(type))
        sp_fail(s, "%s of something that is no number", in->info->name);
    struct ir_value **c = sp_read(s, in->ops[operand]), *all = NULL;
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_value *equal = ir_vote_eq(&s->b, c[i], sp_scalar_type(type)->kind == SP_FLOAT);
        all = all ? ir_iand(&s->b, all, equal) : equal;
    }
    sp_set_scalar(s, in, all);
}

void sp_do_group_all_equal(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    all_equal(s, in, 1);
}

void sp_do_subgroup_all_equal(struct sp *s, const struct sp_instr *in)
{
    s->shader->uses_subgroup_ops = true;
    all_equal(s, in, 0);
}

static void first(struct sp *s, const struct sp_instr *in, uint32_t operand)
{
    struct ir_value **c = read_data(s, in, operand);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < value->type->scalars; i++)
        value->c[i] = ir_read_first(&s->b, c[i]);
}

void sp_do_group_first(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    first(s, in, 1);
}

void sp_do_subgroup_first(struct sp *s, const struct sp_instr *in)
{
    s->shader->uses_subgroup_ops = true;
    first(s, in, 0);
}

static void from_lane(struct sp *s, const struct sp_instr *in, enum ir_op op, uint32_t operand)
{
    struct ir_value **c = read_data(s, in, operand), *lane = read_lane(s, in, operand + 1);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < value->type->scalars; i++)
        value->c[i] = &ir_build(&s->b, op, c[i]->bits, 1, 2, (struct ir_value *[]){c[i], lane}, 0, NULL, NULL)->def;
}

void sp_do_group_lane(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    if (in->info->arg == IR_OP_quad_read)
        s->shader->uses_derivatives = true;
    from_lane(s, in, in->info->arg, 1);
}

void sp_do_subgroup_read(struct sp *s, const struct sp_instr *in)
{
    s->shader->uses_subgroup_ops = true;
    from_lane(s, in, IR_OP_read_lane, 0);
}

void sp_do_group_rotate(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    struct ir_value **c = read_data(s, in, 1), *delta = read_lane(s, in, 2);
    uint32_t cluster = in->count > 3 ? sp_constant_u32(s, in->ops[3]) : 0;
    if (cluster && !is_power_of_two(cluster))
        sp_fail(s, "clusters of %u lanes", cluster);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < value->type->scalars; i++)
        value->c[i] = ir_rotate(&s->b, c[i], delta, cluster);
}

void sp_do_group_quad_swap(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    struct ir_value **c = read_data(s, in, 1);
    uint32_t direction = sp_constant_u32(s, sp_op(s, in, 2));
    if (direction > 2)
        sp_fail(s, "a quad has no direction %u", direction);
    s->shader->uses_derivatives = true;
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < value->type->scalars; i++)
        value->c[i] = ir_quad_swap(&s->b, c[i], direction);
}

/* scope, group operation, value, cluster size */
void sp_do_group_reduce(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    uint32_t how = sp_op(s, in, 1), cluster = 0, reduction = in->info->arg;
    struct ir_value **c = read_data(s, in, 2);
    if (how == SpvGroupOperationClusteredReduce) {
        cluster = sp_constant_u32(s, sp_op(s, in, 3));
        if (!is_power_of_two(cluster))
            sp_fail(s, "clusters of %u lanes", cluster);
    }
    struct sp_value *value = sp_result(s, in);
    s->b.flags = sp_float_flags(s, in->id, value->type->bits);
    for (uint32_t i = 0; i < value->type->scalars; i++) {
        switch (how) {
        case SpvGroupOperationReduce:
        case SpvGroupOperationClusteredReduce:
            value->c[i] = ir_reduce(&s->b, c[i], reduction, cluster);
            break;
        case SpvGroupOperationInclusiveScan:
            value->c[i] = ir_scan_inclusive(&s->b, c[i], reduction);
            break;
        case SpvGroupOperationExclusiveScan:
            value->c[i] = ir_scan_exclusive(&s->b, c[i], reduction);
            break;
        default:
            sp_fail(s, "%s: group operation %u is not supported", in->info->name, how);
        }
    }
}

/* --- ballots --- */

void sp_do_group_ballot(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    set_ballot(s, in, read_bool(s, in, 1));
}

void sp_do_subgroup_ballot(struct sp *s, const struct sp_instr *in)
{
    s->shader->uses_subgroup_ops = true;
    set_ballot(s, in, read_bool(s, in, 0));
}

void sp_do_group_inverse_ballot(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    struct mask mask = read_mask(s, in, 1);
    sp_set_scalar(s, in,
                  mask.high ? bit_of(s, mask, sp_sysval(s, IR_SYSVAL_subgroup_lane, 32, 1))
                            : ir_inverse_ballot(&s->b, mask.low));
}

void sp_do_group_ballot_bit_extract(struct sp *s, const struct sp_instr *in)
{
    check_scope(s, in);
    sp_set_scalar(s, in, bit_of(s, read_mask(s, in, 1), read_lane(s, in, 2)));
}

void sp_do_group_ballot_bit_count(struct sp *s, const struct sp_instr *in)
{
    struct ir_builder *b = &s->b;
    check_scope(s, in);
    struct mask mask = read_lanes(s, in, 2);
    struct ir_value *me, *all;
    switch (sp_op(s, in, 1)) {
    case SpvGroupOperationReduce:
        all = ir_bcount(b, mask.low);
        set_integer(s, in, mask.high ? ir_iadd(b, all, ir_bcount(b, mask.high)) : all);
        break;
    case SpvGroupOperationInclusiveScan:
        me = mask.high ? bit_of(s, mask, sp_sysval(s, IR_SYSVAL_subgroup_lane, 32, 1)) : ir_inverse_ballot(b, mask.low);
        if (mask.high)
            set_integer(s, in, ir_iadd(b, count_below(s, mask), ir_b2i(b, 32, me)));
        else
            set_integer(s, in, ir_mbcnt(b, mask.low, ir_b2i(b, 32, me)));
        break;
    case SpvGroupOperationExclusiveScan:
        set_integer(s, in, count_below(s, mask));
        break;
    default:
        sp_fail(s, "%s: group operation %u is not supported", in->info->name, in->ops[1]);
    }
}

/* The lowest or the highest bit that is set. */
void sp_do_group_ballot_find(struct sp *s, const struct sp_instr *in)
{
    struct ir_builder *b = &s->b;
    check_scope(s, in);
    const enum ir_op find = in->info->arg;
    struct mask mask = read_lanes(s, in, 1);
    struct ir_value *found = sp_alu1(s, find, mask.low);
    if (mask.high) {
        struct ir_value *high = ir_iadd(b, sp_alu1(s, find, mask.high), sp_imm(s, 32, 64)), *zero = sp_imm(s, 64, 0);
        found = find == IR_OP_find_lsb ? ir_select(b, ir_ine(b, mask.low, zero), found, high)
                                       : ir_select(b, ir_ine(b, mask.high, zero), high, found);
    }
    set_integer(s, in, found);
}
