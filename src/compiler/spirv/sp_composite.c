/* Composites: values are flat arrays of scalars, so that taking them apart and putting them together only moves
 * pointers. */
#include "compiler/spirv/sp.h"

#include <string.h>

/* One of `count` values by an index known at run time; beyond the end: any of them. */
struct ir_value *sp_dynamic_element(struct sp *s, struct ir_value **c, uint32_t count, struct ir_value *index)
{
    if (ir_is_const(index))
        return c[MIN2(ir_const_u64(index), count - 1)];
    struct ir_value *found = c[0];
    for (uint32_t i = 1; i < count; i++)
        found = ir_select(&s->b, ir_ieq(&s->b, index, sp_imm(s, index->bits, i)), c[i], found);
    return found;
}

static struct sp_type *vector_of(struct sp *s, const struct sp_instr *in, uint32_t operand)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, operand));
    if (type->kind != SP_VECTOR)
        sp_fail(s, "%s of something that is no vector", in->info->name);
    return type;
}

static struct ir_value *read_index(struct sp *s, uint32_t id)
{
    if (sp_type_of(s, id)->kind != SP_INT)
        sp_fail(s, "an index that is no integer");
    return sp_read_scalar(s, id);
}

void sp_do_vector_extract_dynamic(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = vector_of(s, in, 0);
    struct ir_value **c = sp_read(s, in->ops[0]);
    sp_set_scalar(s, in, sp_dynamic_element(s, c, type->count, read_index(s, sp_op(s, in, 1))));
}

void sp_do_vector_insert_dynamic(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = vector_of(s, in, 0);
    struct ir_value **c = sp_read(s, in->ops[0]), *x = sp_read_scalar(s, sp_op(s, in, 1));
    struct ir_value *index = read_index(s, sp_op(s, in, 2));
    if (x->bits != type->bits || sp_type(s, in->type)->scalars != type->scalars ||
        sp_type(s, in->type)->bits != type->bits)
        sp_fail(s, "%s: wrong types", in->info->name);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->count; i++)
        value->c[i] = ir_select(&s->b, ir_ieq(&s->b, index, sp_imm(s, index->bits, i)), x, c[i]);
}

void sp_do_vector_shuffle(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *x = vector_of(s, in, 0), *y = vector_of(s, in, 1), *type = sp_type(s, in->type);
    if (x->bits != y->bits || type->kind != SP_VECTOR || type->bits != x->bits || type->count != in->count - 2)
        sp_fail(s, "OpVectorShuffle: wrong types");
    struct ir_value **first = sp_read(s, in->ops[0]), **second = sp_read(s, in->ops[1]);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->count; i++) {
        uint32_t from = in->ops[i + 2];
        if (from == SP_NONE)
            value->c[i] = sp_undef(s, type->bits);
        else if (from < x->count)
            value->c[i] = first[from];
        else if (from - x->count < y->count)
            value->c[i] = second[from - x->count];
        else
            sp_fail(s, "OpVectorShuffle: component %u", from);
    }
}

static struct sp_type *part_type(struct sp *s, const struct sp_type *type, uint32_t i, uint32_t *first_scalar)
{
    if (type->kind < SP_VECTOR || type->kind > SP_STRUCT || i >= type->count)
        sp_fail(s, "a composite has no part %u", i);
    if (type->kind == SP_STRUCT) {
        *first_scalar += type->members[i].first_scalar;
        return type->members[i].type;
    }
    *first_scalar += i * type->element->scalars;
    return type->element;
}

static void check_same(struct sp *s, const struct sp_instr *in, const struct sp_type *a, const struct sp_type *b)
{
    if (a->kind != b->kind || a->scalars != b->scalars || a->bits != b->bits)
        sp_fail(s, "%s: wrong types", in->info->name);
}

void sp_do_composite_construct(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type);
    struct sp_value *value = sp_new_value(s, type);
    uint32_t done = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        struct sp_type *part = sp_type_of(s, in->ops[i]);
        struct ir_value **c = sp_read(s, in->ops[i]);
        uint32_t first = 0;
        if (type->kind != SP_VECTOR) /* a vector may be made of vectors */
            check_same(s, in, part, part_type(s, type, i, &first));
        if (part->scalars > type->scalars - done)
            sp_fail(s, "OpCompositeConstruct: too many parts");
        for (uint32_t k = 0; k < part->scalars; k++, done++) {
            if (c[k]->bits != sp_bits_of_scalar(s, type, done))
                sp_fail(s, "OpCompositeConstruct: part %u is of another type", i);
            value->c[done] = c[k];
        }
    }
    if (done != type->scalars)
        sp_fail(s, "OpCompositeConstruct: too few parts");
    sp_set_value(s, in, value->c);
}

void sp_do_composite_extract(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *part = sp_type_of(s, sp_op(s, in, 0));
    uint32_t first = 0;
    for (uint32_t i = 1; i < in->count; i++)
        part = part_type(s, part, in->ops[i], &first);
    struct sp_type *type = sp_type(s, in->type);
    check_same(s, in, part, type);
    struct ir_value **c;
    if (sp_is_constant(s, in->ops[0])) { /* of a large constant, only what is asked for is made */
        const struct sp_constant *constant = sp_constant(s, in->ops[0]);
        struct sp_value *made = sp_new_value(s, type);
        for (uint32_t i = 0; i < type->scalars; i++)
            made->c[i] = sp_imm(s, sp_bits_of_scalar(s, type, i), sp_constant_bits(constant, first + i));
        c = made->c;
    } else {
        struct sp_value *whole = sp_value(s, in->ops[0]);
        if (!whole->c)
            sp_fail(s, "OpCompositeExtract of a pointer");
        c = whole->c + first;
    }
    if (type->kind == SP_POINTER)
        sp_set_pointer(s, in, sp_pointer_from_scalars(s, type, c));
    else
        sp_set_value(s, in, c);
}

void sp_do_composite_insert(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *object = sp_type_of(s, sp_op(s, in, 0)), *type = sp_type(s, in->type);
    struct sp_type *part = sp_type_of(s, sp_op(s, in, 1));
    uint32_t first = 0;
    check_same(s, in, part, type);
    for (uint32_t i = 2; i < in->count; i++)
        part = part_type(s, part, in->ops[i], &first);
    check_same(s, in, part, object);
    struct sp_value *whole = sp_value(s, in->ops[1]);
    struct ir_value **c = sp_read(s, in->ops[0]);
    if (!whole->c)
        sp_fail(s, "OpCompositeInsert into a pointer");
    struct sp_value *value = sp_new_value(s, type);
    memcpy(value->c, whole->c, type->scalars * sizeof(*c));
    for (uint32_t i = 0; i < object->scalars; i++) {
        if (c[i]->bits != sp_bits_of_scalar(s, type, first + i))
            sp_fail(s, "OpCompositeInsert: wrong types");
        value->c[first + i] = c[i];
    }
    sp_set_value(s, in, value->c);
}

void sp_do_copy_object(struct sp *s, const struct sp_instr *in)
{
    struct sp_value *from = sp_value(s, sp_op(s, in, 0));
    check_same(s, in, from->type, sp_type(s, in->type));
    if (from->ptr) {
        struct sp_ptr *ptr = sp_new(s, struct sp_ptr);
        *ptr = *from->ptr;
        sp_set_pointer(s, in, ptr);
        return;
    }
    struct sp_value *value = sp_set_value(s, in, from->c);
    value->access = from->access;
    value->nonuniform |= from->nonuniform;
    value->from = from->from;
}

void sp_do_transpose(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *from = sp_type_of(s, sp_op(s, in, 0)), *type = sp_type(s, in->type);
    if (from->kind != SP_MATRIX || type->kind != SP_MATRIX || type->count != from->element->count ||
        type->element->count != from->count || type->bits != from->bits)
        sp_fail(s, "OpTranspose: wrong types");
    struct sp_value *whole = sp_value(s, in->ops[0]);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t c = 0; c < type->count; c++)
        for (uint32_t r = 0; r < from->count; r++)
            value->c[c * from->count + r] = whole->c[r * type->count + c];
}
