/* Values of ids: flat arrays of scalars. Reading one makes the constants and sees to it that the definition dominates
 * the use in the IR, too: the regions of the IR are not the blocks of the module, so that a value whose region is
 * closed goes through a variable, which becomes SSA again when variables are promoted. */
#include "compiler/spirv/sp.h"

#include <string.h>

/* A pointer that is a constant is null. Where an address of zero is a place like any other, in buffers and in workgroup
 * memory, null is the last one, at which nothing can lie. */
static bool is_null_place(const struct sp_type *type)
{
    return type->kind == SP_POINTER && type->storage != SpvStorageClassPhysicalStorageBuffer;
}

static struct sp_value *value_of_constant(struct sp *s, const struct sp_constant *constant)
{
    struct sp_value *value = sp_new_value(s, constant->type);
    for (uint32_t i = 0; i < constant->type->scalars; i++)
        value->c[i] = sp_imm(s, sp_bits_of_scalar(s, constant->type, i),
                             is_null_place(constant->type) ? UINT64_MAX : sp_constant_bits(constant, i));
    return value;
}

struct sp_type *sp_type_of(struct sp *s, uint32_t id)
{
    struct sp_id *def = sp_id(s, id);
    switch (def->what) {
    case SP_CONSTANT:
        return def->constant->type;
    case SP_VALUE:
        if (def->value)
            return def->value->type;
        break;
    case SP_VARIABLE:
        return def->variable->pointer_type;
    default:
        break;
    }
    sp_fail(s, "id %u is no value, or is used before it is defined", id);
}

struct sp_value *sp_value(struct sp *s, uint32_t id)
{
    struct sp_id *def = sp_id(s, id);
    if (def->what == SP_CONSTANT)
        return value_of_constant(s, def->constant);
    if (def->what == SP_VALUE && def->value)
        return def->value;
    if (def->what == SP_VARIABLE) {
        struct sp_value *value = sp_new(s, struct sp_value);
        value->type = def->variable->pointer_type;
        value->ptr = sp_variable_pointer(s, def->variable);
        return value;
    }
    sp_fail(s, "id %u is no value, or is used before it is defined", id);
}

/* Is the region still open where the cursor stands? Then what was defined in it dominates the cursor. */
static bool region_open(const struct sp *s, const struct ir_region *region)
{
    const struct ir_region *at = s->b.block->node.region;
    while (at != region && at->owner)
        at = at->owner->region;
    return at == region;
}

struct ir_value *sp_usable(struct sp *s, struct ir_value *value)
{
    struct ir_instr *def = ir_def_instr(value);
    if (def->block == s->b.block || region_open(s, def->block->node.region))
        return value;
    if (def->op == IR_OP_const)
        return sp_imm(s, value->bits, ir_const_u64(value));
    if (def->op == IR_OP_undef && value->comps == 1)
        return sp_undef(s, value->bits);
    uint64_t *known = map64_get(&s->spilled, (uintptr_t)value);
    struct ir_var *var;
    if (known) {
        var = (struct ir_var *)(uintptr_t)*known;
    } else {
        var = ir_var_create(s->shader, value->bits, value->comps, NULL);
        struct ir_builder b = ir_builder_after(s->shader, def);
        ir_store_var(&b, value, ir_const(&b, 32, 0), var->index);
        if (!map64_set(&s->spilled, (uintptr_t)value, (uintptr_t)var))
            sp_fail(s, "out of memory");
    }
    return ir_load_var(&s->b, value->bits, value->comps, sp_imm(s, 32, 0), var->index);
}

/* The scalars as they may be used here; the array itself where nothing has to be done. */
static struct ir_value **usable_all(struct sp *s, struct ir_value **c, uint32_t count)
{
    struct ir_value **out = c;
    for (uint32_t i = 0; i < count; i++) {
        struct ir_value *value = sp_usable(s, c[i]);
        if (value != c[i] && out == c) {
            sp_spend(s, count);
            out = sp_new_array(s, struct ir_value *, count);
            memcpy(out, c, count * sizeof(*c));
        }
        out[i] = value;
    }
    return out;
}

struct ir_value **sp_read(struct sp *s, uint32_t id)
{
    struct sp_value *value = sp_value(s, id);
    if (value->ptr) {
        struct ir_value **c = sp_new_array(s, struct ir_value *, 2);
        sp_pointer_to_scalars(s, value->ptr, value->type, c);
        return c;
    }
    return usable_all(s, value->c, value->type->scalars);
}

struct ir_value *sp_read_scalar(struct sp *s, uint32_t id)
{
    struct sp_value *value = sp_value(s, id);
    if (value->type->scalars != 1 || !value->c)
        sp_fail(s, "id %u is not a scalar", id);
    return sp_usable(s, value->c[0]);
}

struct ir_value *sp_read_vector(struct sp *s, uint32_t id)
{
    struct sp_type *type = sp_type_of(s, id);
    if (!sp_is_numeric(type))
        sp_fail(s, "id %u is neither scalar nor vector", id);
    return ir_vec(&s->b, type->scalars, sp_read(s, id));
}

struct sp_value *sp_new_value(struct sp *s, struct sp_type *type)
{
    if (type->scalars > SP_MAX_SCALARS)
        sp_fail(s, "a value of more than %u scalars", SP_MAX_SCALARS);
    sp_spend(s, type->scalars);
    struct sp_value *value = sp_new(s, struct sp_value);
    value->type = type;
    value->c = sp_new_array(s, struct ir_value *, type->scalars);
    return value;
}

static void define_value(struct sp *s, const struct sp_instr *in, struct sp_value *value)
{
    sp_define(s, in->id, SP_VALUE)->value = value;
    value->nonuniform |= sp_has_decoration(s, in->id, SP_NONE, SpvDecorationNonUniform);
}

struct sp_value *sp_result(struct sp *s, const struct sp_instr *in)
{
    struct sp_value *value = sp_new_value(s, sp_type(s, in->type));
    define_value(s, in, value);
    return value;
}

struct sp_value *sp_set_value(struct sp *s, const struct sp_instr *in, struct ir_value **c)
{
    struct sp_value *value = sp_new(s, struct sp_value);
    value->type = sp_type(s, in->type);
    value->c = c;
    /* Types of the same shape may still differ in a width somewhere inside. */
    sp_spend(s, value->type->scalars);
    for (uint32_t i = 0; i < value->type->scalars; i++)
        if (c[i]->bits != sp_bits_of_scalar(s, value->type, i))
            sp_fail(s, "%s: the result's type is not that of the operation", in->info->name);
    define_value(s, in, value);
    return value;
}

void sp_set_scalar(struct sp *s, const struct sp_instr *in, struct ir_value *scalar)
{
    struct sp_type *type = sp_type(s, in->type);
    if (type->scalars != 1 || sp_bits_of_scalar(s, type, 0) != scalar->bits)
        sp_fail(s, "%s: the result's type is not that of the operation", in->info->name);
    sp_result(s, in)->c[0] = scalar;
}

void sp_set_pointer(struct sp *s, const struct sp_instr *in, struct sp_ptr *ptr)
{
    struct sp_value *value = sp_new(s, struct sp_value);
    value->type = sp_type(s, in->type);
    if (value->type->kind != SP_POINTER)
        sp_fail(s, "%s: the result's type is no pointer", in->info->name);
    value->ptr = ptr;
    define_value(s, in, value);
    ptr->nonuniform |= value->nonuniform;
}

void sp_set_vector(struct sp *s, const struct sp_instr *in, struct ir_value *vector)
{
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < value->type->scalars; i++) {
        if (i >= vector->comps || sp_bits_of_scalar(s, value->type, i) != vector->bits)
            sp_fail(s, "%s: the result's type is not that of the operation", in->info->name);
        value->c[i] = ir_extract(&s->b, vector, i);
    }
}

/* --- small things to build with --- */

struct ir_value *sp_imm(struct sp *s, uint8_t bits, uint64_t number)
{
    number &= bits_mask(bits);
    uint32_t slot = (uint32_t)((number ^ number >> 32) * 0x9e3779b1u >> 26 ^ bits) % SP_CONST_CACHE;
    if (s->consts[slot].block == s->b.block && s->consts[slot].value == number && s->consts[slot].bits == bits)
        return s->consts[slot].def;
    struct ir_value *def = ir_const(&s->b, bits, number);
    s->consts[slot].block = s->b.block;
    s->consts[slot].value = number;
    s->consts[slot].bits = bits;
    s->consts[slot].def = def;
    return def;
}

struct ir_value *sp_imm_f(struct sp *s, uint8_t bits, double number)
{
    return ir_const_f(&s->b, bits, number);
}

struct ir_value *sp_undef(struct sp *s, uint8_t bits)
{
    return ir_undef(&s->b, bits, 1);
}

static bool sp_is_zero(const struct ir_value *value)
{
    return !value || (ir_is_const(value) && ir_const_u64(value) == 0);
}

struct ir_value *sp_to_bits(struct sp *s, struct ir_value *value, uint8_t bits, bool is_signed)
{
    if (value->bits == bits)
        return value;
    if (value->bits == 1)
        return ir_b2i(&s->b, bits, value);
    if (ir_is_const(value))
        return sp_imm(s, bits, is_signed ? (uint64_t)ir_const_i64(value) : ir_const_u64(value));
    return is_signed ? ir_i2i(&s->b, bits, value) : ir_u2u(&s->b, bits, value);
}

struct ir_value *sp_add(struct sp *s, struct ir_value *a, struct ir_value *b)
{
    if (sp_is_zero(a))
        return b;
    if (sp_is_zero(b))
        return a;
    if (ir_is_const(a) && ir_is_const(b))
        return sp_imm(s, a->bits, ir_const_u64(a) + ir_const_u64(b));
    return ir_iadd(&s->b, a, b);
}

struct ir_value *sp_scale(struct sp *s, struct ir_value *a, uint64_t factor)
{
    if (!a || factor == 1)
        return a;
    if (factor == 0)
        return NULL;
    if (ir_is_const(a))
        return sp_imm(s, a->bits, ir_const_u64(a) * factor);
    if (is_power_of_two(factor))
        return ir_ishl(&s->b, a, sp_imm(s, 32, log2_floor(factor)));
    return ir_imul(&s->b, a, sp_imm(s, a->bits, factor));
}
