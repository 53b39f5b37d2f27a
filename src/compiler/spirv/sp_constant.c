/* Constants: one word for each scalar. Specialization constants take the application's values; OpSpecConstantOp is
 * translated like any other instruction and what comes out is folded. */
#include "compiler/spirv/sp.h"

#include <string.h>

#include "compiler/ir/ir_fold.h"

bool sp_is_constant(struct sp *s, uint32_t id)
{
    return sp_id(s, id)->what == SP_CONSTANT;
}

struct sp_constant *sp_constant(struct sp *s, uint32_t id)
{
    struct sp_id *def = sp_id(s, id);
    if (def->what != SP_CONSTANT)
        sp_fail(s, "id %u is no constant", id);
    return def->constant;
}

uint64_t sp_constant_bits(const struct sp_constant *constant, uint32_t i)
{
    return constant->bits ? constant->bits[i] : 0;
}

uint32_t sp_constant_u32(struct sp *s, uint32_t id)
{
    const struct sp_constant *constant = sp_constant(s, id);
    if (constant->type->kind != SP_INT)
        sp_fail(s, "id %u is no integer constant", id);
    uint64_t value = sp_constant_bits(constant, 0);
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static struct sp_constant *define_constant(struct sp *s, const struct sp_instr *in, const uint64_t *bits, bool spec)
{
    struct sp_constant *constant = sp_new(s, struct sp_constant);
    *constant = (struct sp_constant){.type = sp_type(s, in->type), .bits = bits, .spec = spec};
    sp_define(s, in->id, SP_CONSTANT)->constant = constant;
    if (sp_decoration_value(s, in->id, SP_NONE, SpvDecorationBuiltIn, SP_NONE) == SpvBuiltInWorkgroupSize)
        s->workgroup_size_constant = in->id;
    return constant;
}

/* The application's value of a specialization constant; false where it gives none. */
static bool specialized(struct sp *s, const struct sp_instr *in, uint32_t size_B, uint64_t *value_out)
{
    const struct sp_decoration *spec_id = sp_find_decoration(s, in->id, SP_NONE, SpvDecorationSpecId);
    if (!spec_id || spec_id->count == 0)
        return false;
    for (uint32_t i = 0; i < s->options->num_spec_entries; i++) {
        const struct spirv_spec_entry *entry = &s->options->spec_entries[i];
        if (entry->constant_id != spec_id->ops[0])
            continue;
        uint64_t value = 0;
        if (entry->size_B != size_B || size_B > 8 || (uint64_t)entry->offset_B + size_B > s->options->spec_data_size_B)
            sp_fail(s, "specialization constant %u is given %u bytes instead of %u", spec_id->ops[0], entry->size_B,
                    size_B);
        memcpy(&value, (const char *)s->options->spec_data + entry->offset_B, size_B);
        *value_out = value;
        return true;
    }
    return false;
}

void sp_do_constant_bool(struct sp *s, const struct sp_instr *in)
{
    bool spec = in->opcode == SpvOpSpecConstantTrue || in->opcode == SpvOpSpecConstantFalse;
    if (sp_type(s, in->type)->kind != SP_BOOL)
        sp_fail(s, "%s is not of boolean type", in->info->name);
    uint64_t value = in->info->arg;
    if (spec && specialized(s, in, 4, &value)) /* a VkBool32 */
        value = value != 0;
    uint64_t *bits = sp_new(s, uint64_t);
    *bits = value;
    define_constant(s, in, bits, spec);
}

void sp_do_constant(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type);
    bool spec = in->opcode == SpvOpSpecConstant;
    if (type->kind != SP_INT && type->kind != SP_FLOAT)
        sp_fail(s, "%s is not of numerical type", in->info->name);
    if (in->count != (type->bits == 64 ? 2u : 1u))
        sp_fail(s, "a constant of %u bits in %u words", type->bits, in->count);
    uint64_t value = in->ops[0];
    if (type->bits == 64)
        value |= (uint64_t)in->ops[1] << 32;
    if (spec)
        specialized(s, in, type->bits / 8u, &value);
    uint64_t *bits = sp_new(s, uint64_t);
    *bits = value & bits_mask(type->bits);
    define_constant(s, in, bits, spec);
}

static void check_size(struct sp *s, const struct sp_type *type)
{
    if (type->scalars > SP_MAX_SCALARS)
        sp_fail(s, "a value of more than %u scalars", SP_MAX_SCALARS);
    sp_spend(s, type->scalars);
}

/* The type that constituent `i` of a composite type must have. */
static struct sp_type *constituent_type(const struct sp_type *type, uint32_t i)
{
    return type->kind == SP_STRUCT ? type->members[i].type : type->element;
}

void sp_do_constant_composite(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type);
    if (type->kind < SP_VECTOR || type->kind > SP_STRUCT || type->count != in->count)
        sp_fail(s, "%s: %u constituents do not make up the type", in->info->name, in->count);
    check_size(s, type);
    uint64_t *bits = sp_new_array(s, uint64_t, type->scalars);
    uint32_t at = 0;
    bool spec = in->opcode == SpvOpSpecConstantComposite;
    for (uint32_t i = 0; i < in->count; i++) {
        struct sp_constant *part = sp_constant(s, in->ops[i]);
        if (part->type->scalars != constituent_type(type, i)->scalars)
            sp_fail(s, "%s: constituent %u is of the wrong type", in->info->name, i);
        for (uint32_t k = 0; k < part->type->scalars; k++)
            bits[at++] = sp_constant_bits(part, k);
    }
    define_constant(s, in, bits, spec);
}

void sp_do_constant_null(struct sp *s, const struct sp_instr *in)
{
    define_constant(s, in, NULL, false);
}

void sp_do_undef(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type);
    if (!s->function) {
        define_constant(s, in, NULL, false);
        return;
    }
    /* Nothing but memory holds an array without a size: no instruction takes this one, and the id stays undefined. */
    const struct sp_type *last = type;
    while (last->kind == SP_STRUCT && last->count)
        last = last->members[last->count - 1].type;
    if (last->kind == SP_ARRAY && last->runtime_sized)
        return;
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = sp_undef(s, sp_bits_of_scalar(s, type, i));
}

/* Folds what was built after `mark` in the block, in order; a result that cannot be folded (a division by zero) is
 * zero. */
static void fold_since(struct sp *s, struct ir_block *block, struct list *mark)
{
    for (struct list *link = mark->next; link != &block->instrs; link = link->next) {
        struct ir_instr *instr = container_of(link, struct ir_instr, link);
        uint64_t bits = 0;
        if (instr->def.bits == 0 || instr->def.comps != 1 || instr->op == IR_OP_const)
            continue;
        if (!ir_fold(s->shader, instr, &bits))
            bits = 0;
        struct ir_builder b = ir_builder_after(s->shader, instr);
        struct ir_value *folded = ir_const(&b, instr->def.bits, bits);
        ir_replace_uses(&instr->def, folded);
        map64_set(&s->spilled, (uintptr_t)&instr->def, (uintptr_t)folded);
    }
}

static bool spec_op_allowed(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpSelect:
    case SpvOpVectorShuffle:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpSConvert:
    case SpvOpUConvert:
    case SpvOpFConvert:
    case SpvOpQuantizeToF16:
    case SpvOpSNegate:
    case SpvOpNot:
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpShiftLeftLogical:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpBitwiseAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalAnd:
    case SpvOpLogicalNot:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpULessThan:
    case SpvOpSLessThan:
    case SpvOpUGreaterThan:
    case SpvOpSGreaterThan:
    case SpvOpULessThanEqual:
    case SpvOpSLessThanEqual:
    case SpvOpUGreaterThanEqual:
    case SpvOpSGreaterThanEqual:
    case SpvOpBitcast:
        return true;
    default:
        return false;
    }
}

void sp_do_spec_constant_op(struct sp *s, const struct sp_instr *in)
{
    struct sp_instr inner = *in;
    inner.opcode = sp_op(s, in, 0);
    inner.info = sp_op_info_of(inner.opcode);
    inner.ops = in->ops + 1;
    inner.count = in->count - 1;
    if (!inner.info || !spec_op_allowed(inner.opcode))
        sp_fail(s, "OpSpecConstantOp with opcode %u", inner.opcode);
    struct sp_type *type = sp_type(s, in->type);
    check_size(s, type);
    struct ir_block *block = s->b.block;
    struct list *mark = s->b.before->prev;
    inner.info->handler(s, &inner);
    struct sp_id *def = sp_id(s, in->id);
    if (def->what != SP_VALUE || !def->value->c)
        sp_fail(s, "OpSpecConstantOp gives no value");
    struct ir_value **c = def->value->c;
    fold_since(s, block, mark);
    uint64_t *bits = sp_new_array(s, uint64_t, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        uint64_t *folded = map64_get(&s->spilled, (uintptr_t)c[i]);
        const struct ir_value *value = folded ? (const struct ir_value *)(uintptr_t)*folded : c[i];
        bits[i] = ir_is_const(value) ? ir_const_u64(value) : 0;
    }
    map64_finish(&s->spilled);
    /* Nothing of what was built stays: the constant is made again where it is used. */
    while (s->b.before->prev != mark)
        ir_remove(container_of(s->b.before->prev, struct ir_instr, link));
    memset(s->consts, 0, sizeof(s->consts));
    def->what = SP_UNKNOWN;
    define_constant(s, in, bits, true);
}
