/* Types: what a value consists of, how many scalars it is when flattened, and where its parts lie in memory — by the
 * module's decorations or, for workgroup memory without them, by our own layout. */
#include "compiler/spirv/sp.h"

struct sp_type *sp_type(struct sp *s, uint32_t id)
{
    struct sp_id *def = sp_id(s, id);
    if (def->what != SP_TYPE)
        sp_fail(s, "id %u is no type", id);
    return def->type;
}

static struct sp_type *define_type(struct sp *s, uint32_t id, enum sp_kind kind)
{
    struct sp_type *type = sp_new(s, struct sp_type);
    *type = (struct sp_type){.kind = kind, .id = id};
    sp_define(s, id, SP_TYPE)->type = type;
    return type;
}

static uint32_t saturate_size(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* Scalars beyond what a value may have count as one more than that: buffers may be larger than any value. */
static uint32_t count_scalars(uint64_t count)
{
    return count > SP_MAX_SCALARS ? SP_MAX_SCALARS + 1 : (uint32_t)count;
}

static void set_natural(struct sp_type *type, uint64_t size_B, uint32_t align_B)
{
    type->natural_size_B = saturate_size(size_B);
    type->natural_align_B = align_B;
    type->natural_stride_B = saturate_size(align_u64(size_B, align_B));
}

static void check_depth(struct sp *s, struct sp_type *type, const struct sp_type *inner)
{
    if (inner->depth + 1 > type->depth)
        type->depth = inner->depth + 1;
    if (type->depth > SP_MAX_TYPE_DEPTH)
        sp_fail(s, "types nest deeper than %u", SP_MAX_TYPE_DEPTH);
}

void sp_do_type_void(struct sp *s, const struct sp_instr *in)
{
    set_natural(define_type(s, in->id, SP_VOID), 0, 1);
}

static void init_scalar(struct sp_type *type, uint8_t bits, bool is_signed)
{
    type->bits = bits;
    type->is_signed = is_signed;
    type->count = 1;
    type->scalars = 1;
    uint32_t size_B = bits == 1 ? 4 : bits / 8u;
    set_natural(type, size_B, size_B);
}

void sp_do_type_bool(struct sp *s, const struct sp_instr *in)
{
    init_scalar(define_type(s, in->id, SP_BOOL), 1, false);
}

void sp_do_type_int(struct sp *s, const struct sp_instr *in)
{
    uint32_t bits = sp_op(s, in, 0);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        sp_fail(s, "integers of %u bits", bits);
    init_scalar(define_type(s, in->id, SP_INT), (uint8_t)bits, sp_op(s, in, 1) != 0);
}

void sp_do_type_float(struct sp *s, const struct sp_instr *in)
{
    uint32_t bits = sp_op(s, in, 0);
    if (bits != 16 && bits != 32 && bits != 64)
        sp_fail(s, "floats of %u bits", bits);
    init_scalar(define_type(s, in->id, SP_FLOAT), (uint8_t)bits, true);
}

static void init_vector(struct sp_type *type, struct sp_type *element, uint32_t count)
{
    type->element = element;
    type->count = count;
    type->scalars = count;
    type->bits = element->bits;
    type->is_signed = element->is_signed;
    type->depth = 1;
    set_natural(type, (uint64_t)element->natural_size_B * count, element->natural_size_B * (count == 3 ? 4 : count));
}

void sp_do_type_vector(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *element = sp_type(s, sp_op(s, in, 0));
    uint32_t count = sp_op(s, in, 1);
    if (element->kind > SP_FLOAT || element->kind == SP_VOID || count < 2 || count > 4)
        sp_fail(s, "a vector of %u of something", count);
    init_vector(define_type(s, in->id, SP_VECTOR), element, count);
}

void sp_do_type_matrix(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *column = sp_type(s, sp_op(s, in, 0));
    uint32_t count = sp_op(s, in, 1);
    if (column->kind != SP_VECTOR || column->element->kind != SP_FLOAT || count < 2 || count > 4)
        sp_fail(s, "a matrix of %u columns of something", count);
    struct sp_type *type = define_type(s, in->id, SP_MATRIX);
    type->element = column;
    type->count = count;
    type->bits = column->bits;
    type->scalars = column->scalars * count;
    type->depth = 2;
    set_natural(type, (uint64_t)column->natural_stride_B * count, column->natural_align_B);
}

void sp_do_type_image(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *sampled = sp_type(s, sp_op(s, in, 0));
    struct sp_type *type = define_type(s, in->id, SP_IMAGE);
    if (sampled->kind != SP_FLOAT && sampled->kind != SP_INT && sampled->kind != SP_VOID)
        sp_fail(s, "an image of something that is no number");
    type->element = sampled;
    type->scalars = 1;
    type->image.dim = sp_op(s, in, 1);
    type->image.depth = sp_op(s, in, 2) == 1;
    type->image.arrayed = sp_op(s, in, 3) != 0;
    type->image.ms = sp_op(s, in, 4) != 0;
    type->image.sampled = sp_op(s, in, 5);
    type->image.format = sp_op(s, in, 6);
    if (type->image.dim > SpvDimSubpassData || type->image.dim == SpvDimRect)
        sp_fail(s, "images of dimension %u are not Vulkan's", type->image.dim);
    set_natural(type, 4, 4);
}

void sp_do_type_sampler(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = define_type(s, in->id, SP_SAMPLER);
    type->scalars = 1;
    set_natural(type, 4, 4);
}

void sp_do_type_sampled_image(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *image = sp_type(s, sp_op(s, in, 0));
    if (image->kind != SP_IMAGE)
        sp_fail(s, "a sampled image of something that is no image");
    struct sp_type *type = define_type(s, in->id, SP_SAMPLED_IMAGE);
    type->element = image;
    type->scalars = 2;
    set_natural(type, 8, 4);
}

/* Its address. */
void sp_do_type_acceleration_structure(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = define_type(s, in->id, SP_ACCELERATION_STRUCTURE);
    type->bits = 64;
    type->scalars = 1;
    set_natural(type, 8, 8);
}

void sp_do_type_ray_query(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = define_type(s, in->id, SP_RAY_QUERY);
    type->bits = 32;
    type->scalars = 1;
    set_natural(type, 4, 4);
}

static bool may_be_stored(const struct sp_type *type)
{
    return type->kind != SP_VOID && type->kind != SP_FUNCTION;
}

static void make_array(struct sp *s, const struct sp_instr *in, uint32_t count, bool runtime_sized)
{
    struct sp_type *element = sp_type(s, sp_op(s, in, 0));
    if (!may_be_stored(element))
        sp_fail(s, "an array of nothing");
    struct sp_type *type = define_type(s, in->id, SP_ARRAY);
    type->element = element;
    type->count = count;
    type->runtime_sized = runtime_sized;
    type->has_struct = element->has_struct;
    type->scalars = runtime_sized ? SP_MAX_SCALARS + 1 : count_scalars((uint64_t)element->scalars * count);
    type->stride_B = sp_decoration_value(s, in->id, SP_NONE, SpvDecorationArrayStride, 0);
    check_depth(s, type, element);
    set_natural(type, (uint64_t)element->natural_stride_B * count, element->natural_align_B);
}

void sp_do_type_array(struct sp *s, const struct sp_instr *in)
{
    uint32_t count = sp_constant_u32(s, sp_op(s, in, 1));
    if (count == 0)
        sp_fail(s, "an array of no elements");
    make_array(s, in, count, false);
}

void sp_do_type_runtime_array(struct sp *s, const struct sp_instr *in)
{
    make_array(s, in, 0, true);
}

static void read_member(struct sp *s, const struct sp_instr *in, struct sp_type *type, uint32_t i)
{
    struct sp_member *member = &type->members[i];
    *member = (struct sp_member){.index = i, .type = sp_type(s, in->ops[i])};
    if (!may_be_stored(member->type))
        sp_fail(s, "a member of nothing");
    member->offset_B = sp_decoration_value(s, in->id, i, SpvDecorationOffset, SP_NONE);
    member->matrix_stride_B = sp_decoration_value(s, in->id, i, SpvDecorationMatrixStride, 0);
    member->row_major = sp_has_decoration(s, in->id, i, SpvDecorationRowMajor);
    member->access = sp_access_of(s, in->id, i);
    member->builtin = sp_decoration_value(s, in->id, i, SpvDecorationBuiltIn, SP_NONE);
    check_depth(s, type, member->type);
}

void sp_do_type_struct(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = define_type(s, in->id, SP_STRUCT);
    type->count = in->count;
    type->has_struct = true;
    type->members = sp_new_array(s, struct sp_member, in->count);
    type->block = sp_has_decoration(s, in->id, SP_NONE, SpvDecorationBlock);
    type->buffer_block = sp_has_decoration(s, in->id, SP_NONE, SpvDecorationBufferBlock);
    uint64_t scalars = 0, size_B = 0;
    uint32_t align_B = 1;
    for (uint32_t i = 0; i < in->count; i++) {
        read_member(s, in, type, i);
        struct sp_member *member = &type->members[i];
        if (member->type == type)
            sp_fail(s, "a struct that contains itself");
        member->first_scalar = count_scalars(scalars);
        scalars += member->type->scalars;
        size_B = align_u64(size_B, member->type->natural_align_B);
        member->natural_B = saturate_size(size_B);
        size_B = saturate_size(size_B + member->type->natural_size_B);
        align_B = MAX2(align_B, member->type->natural_align_B);
    }
    type->scalars = count_scalars(scalars);
    set_natural(type, saturate_size(align_u64(size_B, align_B)), align_B);
}

static uint32_t pointer_scalars(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassPhysicalStorageBuffer:
    case SpvStorageClassWorkgroup:
        return 1;
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniform:
    case SpvStorageClassPushConstant:
        return 2;
    default:
        return 0;
    }
}

static void init_pointer(struct sp_type *type, uint32_t storage)
{
    type->storage = storage;
    type->scalars = pointer_scalars(storage);
    type->bits = storage == SpvStorageClassPhysicalStorageBuffer ? 64 : 32;
    uint32_t size_B = type->bits / 8u;
    set_natural(type, (uint64_t)size_B * type->scalars, size_B);
}

void sp_do_type_forward_pointer(struct sp *s, const struct sp_instr *in)
{
    init_pointer(define_type(s, sp_op(s, in, 0), SP_POINTER), sp_op(s, in, 1));
}

void sp_do_type_pointer(struct sp *s, const struct sp_instr *in)
{
    struct sp_id *def = sp_id(s, in->id);
    bool declared = def->what == SP_TYPE && def->type->kind == SP_POINTER && !def->type->element;
    struct sp_type *type = declared ? def->type : define_type(s, in->id, SP_POINTER);
    uint32_t storage = sp_op(s, in, 0);
    if (declared && type->storage != storage)
        sp_fail(s, "a pointer's storage class is not the one it was announced with");
    init_pointer(type, storage);
    struct sp_type *element = sp_type(s, sp_op(s, in, 1));
    if (element == type || (!may_be_stored(element) && element->kind != SP_FUNCTION))
        sp_fail(s, "a pointer to something that has no place");
    type->element = element;
    type->stride_B = sp_decoration_value(s, in->id, SP_NONE, SpvDecorationArrayStride, 0);
}

void sp_do_type_function(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *result = sp_type(s, sp_op(s, in, 0));
    struct sp_type *type = define_type(s, in->id, SP_FUNCTION);
    type->element = result;
    type->count = in->count - 1;
    type->params = sp_new_array(s, struct sp_type *, type->count);
    for (uint32_t i = 0; i < type->count; i++)
        type->params[i] = sp_type(s, in->ops[i + 1]);
}

/* --- questions --- */

struct sp_type *sp_scalar_type(struct sp_type *type)
{
    while (type->kind == SP_VECTOR || type->kind == SP_MATRIX)
        type = type->element;
    return type;
}

bool sp_is_numeric(const struct sp_type *type)
{
    return type->kind == SP_BOOL || type->kind == SP_INT || type->kind == SP_FLOAT || type->kind == SP_VECTOR;
}

uint8_t sp_bits_of_scalar(struct sp *s, const struct sp_type *type, uint32_t i)
{
    for (;;) {
        switch (type->kind) {
        case SP_ARRAY:
            i = type->element->scalars ? i % type->element->scalars : 0;
            type = type->element;
            break;
        case SP_STRUCT: {
            uint32_t m = 0;
            while (m + 1 < type->count && i >= type->members[m].first_scalar + type->members[m].type->scalars)
                m++;
            if (type->count == 0)
                sp_fail(s, "an empty struct has no scalars");
            i -= type->members[m].first_scalar;
            type = type->members[m].type;
            break;
        }
        case SP_BOOL:
        case SP_INT:
        case SP_FLOAT:
        case SP_VECTOR:
        case SP_MATRIX:
        case SP_POINTER:
        case SP_ACCELERATION_STRUCTURE:
            return type->bits;
        default:
            return 32;
        }
    }
}

/* Vulkan's Location numbers: one for each column, two for a vector of three or four 64-bit components. */
uint32_t sp_locations(const struct sp_type *type)
{
    switch (type->kind) {
    case SP_MATRIX:
        return type->count * sp_locations(type->element);
    case SP_ARRAY:
        return saturate_size((uint64_t)type->count * sp_locations(type->element));
    case SP_STRUCT: {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < type->count; i++)
            sum += sp_locations(type->members[i].type);
        return saturate_size(sum);
    }
    default:
        return type->bits == 64 && type->kind == SP_VECTOR && type->count > 2 ? 2 : 1;
    }
}

uint32_t sp_explicit_size(const struct sp_type *type)
{
    switch (type->kind) {
    case SP_ARRAY:
        if (type->count == 0)
            return 0;
        return saturate_size((uint64_t)type->stride_B * (type->count - 1) + sp_explicit_size(type->element));
    case SP_STRUCT: {
        uint64_t end_B = 0;
        for (uint32_t i = 0; i < type->count; i++) {
            const struct sp_member *member = &type->members[i];
            uint32_t size_B = sp_explicit_size(member->type);
            const struct sp_type *inner = member->type;
            uint64_t copies = 1;
            while (inner->kind == SP_ARRAY)
                inner = inner->element;
            if (inner->kind == SP_MATRIX)
                size_B = saturate_size((uint64_t)size_B - inner->natural_size_B +
                                       (uint64_t)member->matrix_stride_B *
                                           (member->row_major ? inner->element->count : inner->count) * copies);
            uint64_t offset_B = member->offset_B == SP_NONE ? member->natural_B : member->offset_B;
            end_B = MAX2(end_B, offset_B + size_B);
        }
        return saturate_size(end_B);
    }
    case SP_VECTOR:
        return type->count * type->bits / 8;
    default:
        return type->natural_size_B;
    }
}
