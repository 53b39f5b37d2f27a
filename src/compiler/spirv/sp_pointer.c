/* Pointers: chains of indices into variables, memory, descriptors and stage interfaces, and pointers as values. Reading
 * and writing through them is in sp_memory.c. */
#include "compiler/spirv/sp.h"

struct sp_ptr *sp_variable_pointer(struct sp *s, struct sp_variable *variable)
{
    struct sp_ptr *ptr = sp_new(s, struct sp_ptr);
    sp_use_variable(s, variable);
    *ptr = (struct sp_ptr){.storage = variable->storage,
                           .type = variable->type,
                           .access = variable->access,
                           .variable = variable,
                           .align_B = 1u << 31};
    switch (variable->storage) {
    case SpvStorageClassWorkgroup:
        ptr->mode = SP_PTR_MEMORY;
        ptr->base_B = variable->shared_B;
        ptr->natural = !(s->explicit_shared && variable->type->block);
        break;
    case SpvStorageClassTaskPayloadWorkgroupEXT:
        ptr->mode = SP_PTR_MEMORY;
        ptr->base_B = variable->shared_B;
        ptr->natural = true;
        break;
    case SpvStorageClassPushConstant:
        ptr->mode = SP_PTR_MEMORY;
        break;
    case SpvStorageClassShaderRecordBufferKHR:
        ptr->mode = SP_PTR_MEMORY;
        ptr->align_B = 4;
        break;
    case SpvStorageClassRayPayloadKHR:
    case SpvStorageClassIncomingRayPayloadKHR:
    case SpvStorageClassHitAttributeKHR:
    case SpvStorageClassCallableDataKHR:
    case SpvStorageClassIncomingCallableDataKHR:
        ptr->mode = SP_PTR_MEMORY;
        ptr->base_B = variable->shared_B;
        ptr->natural = true;
        break;
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniformConstant:
        ptr->mode = SP_PTR_RESOURCE;
        break;
    default:
        ptr->mode = variable->node ? SP_PTR_VAR : SP_PTR_IO;
        ptr->node = variable->node;
        ptr->io = variable->io;
        if (!variable->node && !variable->io)
            sp_fail(s, "variable %u is of a storage class that has no place here", variable->id);
        break;
    }
    return ptr;
}

enum ir_resource_kind sp_resource_kind(struct sp *s, const struct sp_variable *variable)
{
    struct sp_type *type = variable->type;
    while (type->kind == SP_ARRAY)
        type = type->element;
    if (variable->storage == SpvStorageClassStorageBuffer)
        return IR_RESOURCE_storage_buffer;
    if (variable->storage == SpvStorageClassUniform)
        return type->buffer_block ? IR_RESOURCE_storage_buffer : IR_RESOURCE_uniform_buffer;
    switch (type->kind) {
    case SP_ACCELERATION_STRUCTURE:
        return IR_RESOURCE_acceleration_structure;
    case SP_SAMPLER:
        return IR_RESOURCE_sampler;
    case SP_SAMPLED_IMAGE:
        return type->element->image.dim == SpvDimBuffer ? IR_RESOURCE_uniform_texel : IR_RESOURCE_combined;
    case SP_IMAGE:
        if (type->image.dim == SpvDimSubpassData)
            return IR_RESOURCE_input_attachment;
        if (type->image.dim == SpvDimBuffer)
            return type->image.sampled == 2 ? IR_RESOURCE_storage_texel : IR_RESOURCE_uniform_texel;
        return type->image.sampled == 2 ? IR_RESOURCE_storage_image : IR_RESOURCE_sampled_image;
    default:
        sp_fail(s, "variable %u is no resource", variable->id);
    }
}

struct ir_value *sp_handle(struct sp *s, const struct sp_ptr *ptr)
{
    if (ptr->mode != SP_PTR_RESOURCE || ptr->type->kind == SP_ARRAY)
        sp_fail(s, "an array of descriptors is no descriptor");
    struct ir_value *index = sp_ptr_index(s, ptr, 1, 0);
    uint32_t flags = s->b.flags;
    s->b.flags = ptr->nonuniform ? IR_FLAG_NONUNIFORM : 0;
    struct ir_value *handle =
        ir_resource(&s->b, index, ptr->variable->set, ptr->variable->binding, sp_resource_kind(s, ptr->variable));
    s->b.flags = flags;
    return handle;
}

static struct sp_ptr *copy_ptr(struct sp *s, const struct sp_ptr *ptr)
{
    struct sp_ptr *copy = sp_new(s, struct sp_ptr);
    *copy = *ptr;
    return copy;
}

/* The memory that a buffer's descriptor names. */
static struct sp_ptr *enter_buffer(struct sp *s, const struct sp_ptr *ptr)
{
    struct sp_ptr *memory = copy_ptr(s, ptr);
    memory->mode = SP_PTR_MEMORY;
    memory->handle = sp_handle(s, ptr);
    memory->index = NULL;
    memory->first = 0;
    memory->align_B = s->options->buffer_alignment_B ? s->options->buffer_alignment_B : 4;
    memory->align_B = MAX2(memory->align_B, 4u);
    return memory;
}

static uint8_t offset_bits(const struct sp_ptr *ptr)
{
    return ptr->storage == SpvStorageClassPhysicalStorageBuffer ? 64 : 32;
}

/* Adds number × stride, or index × stride, to an address. */
static void advance_address(struct sp *s, struct sp_ptr *ptr, struct ir_value *index, int64_t number, uint32_t stride_B)
{
    uint8_t bits = offset_bits(ptr);
    int64_t total;
    if (stride_B == 0)
        return;
    if (!index) {
        if (!__builtin_mul_overflow(number, (int64_t)stride_B, &total) &&
            !__builtin_add_overflow(total, (int64_t)ptr->base_B, &total) && total >= 0 && total <= INT32_MAX) {
            ptr->base_B = (uint32_t)total;
            return;
        }
        index = sp_imm(s, bits, (uint64_t)number);
    }
    ptr->offset = sp_add(s, ptr->offset, sp_scale(s, sp_to_bits(s, index, bits, true), stride_B));
    ptr->align_B = MIN2(ptr->align_B, stride_B & -stride_B);
}

static void note_matrix(struct sp_ptr *ptr, const struct sp_member *member)
{
    ptr->matrix_stride_B = member->matrix_stride_B;
    ptr->row_major = member->row_major;
}

struct sp_ptr *sp_ptr_member(struct sp *s, const struct sp_ptr *ptr, uint32_t index)
{
    if (ptr->type->kind != SP_STRUCT || index >= ptr->type->count)
        sp_fail(s, "there is no member %u", index);
    const struct sp_member *member = &ptr->type->members[index];
    struct sp_ptr *to = ptr->mode == SP_PTR_RESOURCE ? enter_buffer(s, ptr) : copy_ptr(s, ptr);
    bool restricted = ptr->variable && ptr->variable->restricted;
    to->type = member->type;
    to->array_stride_B = 0;
    to->access |= member->access;
    if (restricted && sp_has_decoration(s, ptr->type->id, index, SpvDecorationNonWritable))
        to->access |= IR_ACCESS_READONLY;
    switch (to->mode) {
    case SP_PTR_VAR:
        to->node = &ptr->node->members[index];
        break;
    case SP_PTR_MEMORY:
        if (!ptr->natural && member->offset_B == SP_NONE)
            sp_fail(s, "member %u has no offset", index);
        advance_address(s, to, NULL, ptr->natural ? member->natural_B : member->offset_B, 1);
        note_matrix(to, member);
        break;
    case SP_PTR_IO:
        if (ptr->io->arrayed && !ptr->vertex)
            sp_fail(s, "an array of vertices has no members");
        if (ptr->io->members) {
            to->io = &ptr->io->members[index];
            break;
        }
        for (uint32_t i = 0; i < index; i++)
            to->location += sp_locations(ptr->type->members[i].type);
        break;
    default:
        sp_fail(s, "no members here");
    }
    return to;
}

static void element_of_io(struct sp *s, struct sp_ptr *to, const struct sp_type *type, struct ir_value *index,
                          int64_t number)
{
    if (to->io->arrayed && !to->vertex) {
        to->vertex = index ? index : sp_imm(s, 32, (uint64_t)number);
        return;
    }
    bool compact = type->kind == SP_ARRAY && to->io->builtin != SP_NONE && type->element->scalars == 1;
    if (!index && (number < 0 || number >= type->count))
        sp_fail(s, "element %lld of %u", (long long)number, type->count);
    if (type->kind == SP_VECTOR || compact) {
        uint32_t step = type->element->bits == 64 ? 2 : 1;
        if (index)
            to->component_index = index, to->component_count = type->count;
        else
            to->component += (uint32_t)number * step;
        return;
    }
    uint32_t step = sp_locations(type->element);
    if (index)
        to->location_index = sp_add(s, to->location_index, sp_scale(s, index, step));
    else
        to->location += (uint32_t)number * step;
}

static void element_of_memory(struct sp *s, struct sp_ptr *to, const struct sp_type *type, struct ir_value *index,
                              int64_t number)
{
    uint32_t component_B = type->bits == 1 ? 4 : type->bits / 8u; /* booleans are words in our own layout */
    switch (type->kind) {
    case SP_ARRAY:
        if (!to->natural && type->stride_B == 0)
            sp_fail(s, "an array in memory without a stride");
        to->array_stride_B = to->natural ? type->element->natural_stride_B : type->stride_B;
        advance_address(s, to, index, number, to->array_stride_B);
        return;
    case SP_MATRIX:
        if (to->natural) {
            advance_address(s, to, index, number, type->element->natural_stride_B);
        } else if (to->matrix_stride_B == 0) {
            sp_fail(s, "a matrix in memory without a stride");
        } else if (to->row_major) {
            advance_address(s, to, index, number, component_B);
            to->component_stride_B = to->matrix_stride_B;
        } else {
            advance_address(s, to, index, number, to->matrix_stride_B);
        }
        break;
    default:
        advance_address(s, to, index, number, to->component_stride_B ? to->component_stride_B : component_B);
        to->component_stride_B = 0;
        break;
    }
    to->array_stride_B = 0;
}

struct ir_value *sp_ptr_index(struct sp *s, const struct sp_ptr *ptr, uint32_t scale, uint32_t more)
{
    struct ir_value *known = sp_imm(s, 32, (uint64_t)ptr->first * scale + more);
    return ptr->index ? sp_add(s, sp_scale(s, ptr->index, scale), known) : known;
}

struct sp_ptr *sp_ptr_element(struct sp *s, const struct sp_ptr *ptr, struct ir_value *index, int64_t number)
{
    const struct sp_type *type = ptr->type;
    if (type->kind != SP_ARRAY && type->kind != SP_MATRIX && type->kind != SP_VECTOR)
        sp_fail(s, "an index into something that has no elements");
    struct sp_ptr *to = copy_ptr(s, ptr);
    to->type = type->element;
    switch (ptr->mode) {
    case SP_PTR_VAR:
    case SP_PTR_RESOURCE:
        /* Horner's scheme: the element's number in units of the element. */
        to->index = sp_add(s, sp_scale(s, ptr->index, type->runtime_sized ? 1 : type->count), index);
        to->first = ptr->first * type->count + (index ? 0 : (uint32_t)number);
        break;
    case SP_PTR_MEMORY:
        element_of_memory(s, to, type, index, number);
        break;
    case SP_PTR_IO:
        element_of_io(s, to, type, index, number);
        break;
    default:
        sp_fail(s, "no elements here");
    }
    return to;
}

/* An index of an access chain: a number, or a value of 32 bits, or as wide as it is for physical addresses. */
static struct ir_value *chain_index(struct sp *s, const struct sp_ptr *ptr, uint32_t id, int64_t *number_out)
{
    struct sp_type *type = sp_type_of(s, id);
    if (type->kind != SP_INT)
        sp_fail(s, "an index that is no integer");
    if (sp_is_constant(s, id)) {
        *number_out = bits_sign_extend(sp_constant_bits(sp_constant(s, id), 0), type->bits);
        return NULL;
    }
    struct ir_value *index = sp_read_scalar(s, id);
    *number_out = 0;
    if (ptr->mode == SP_PTR_MEMORY && offset_bits(ptr) == 64)
        return index;
    return sp_to_bits(s, index, 32, true);
}

static struct sp_ptr *walk_chain(struct sp *s, const struct sp_instr *in, struct sp_ptr *ptr, uint32_t first)
{
    for (uint32_t i = first; i < in->count; i++) {
        int64_t number;
        if (ptr->type->kind == SP_STRUCT) {
            ptr = sp_ptr_member(s, ptr, sp_constant_u32(s, in->ops[i]));
            continue;
        }
        struct ir_value *index = chain_index(s, ptr, in->ops[i], &number);
        ptr = sp_ptr_element(s, ptr, index, number);
        if (index && sp_value(s, in->ops[i])->nonuniform)
            ptr->nonuniform = true;
    }
    return ptr;
}

static void set_chain(struct sp *s, const struct sp_instr *in, struct sp_ptr *ptr)
{
    struct sp_type *type = sp_type(s, in->type);
    if (type->kind != SP_POINTER || !type->element || type->element->kind != ptr->type->kind ||
        type->element->scalars != ptr->type->scalars || type->element->bits != ptr->type->bits)
        sp_fail(s, "%s: the result does not point to what the indices lead to", in->info->name);
    struct sp_ptr *result = sp_new(s, struct sp_ptr);
    *result = *ptr;
    result->ptr_stride_B = type->stride_B;
    sp_set_pointer(s, in, result);
}

void sp_do_access_chain(struct sp *s, const struct sp_instr *in)
{
    set_chain(s, in, walk_chain(s, in, sp_pointer(s, sp_op(s, in, 0)), 1));
}

static uint32_t element_stride(const struct sp_ptr *ptr)
{
    return ptr->natural ? ptr->type->natural_stride_B : ptr->ptr_stride_B;
}

void sp_do_ptr_access_chain(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, 0));
    struct sp_ptr *ptr = copy_ptr(s, sp_pointer(s, in->ops[0]));
    int64_t number;
    struct ir_value *element = chain_index(s, ptr, sp_op(s, in, 1), &number);
    bool is_zero = !element && number == 0;
    ptr->ptr_stride_B = type->stride_B;
    if (ptr->mode == SP_PTR_RESOURCE && is_zero) {
        set_chain(s, in, walk_chain(s, in, ptr, 2));
        return;
    }
    if (ptr->mode != SP_PTR_MEMORY)
        sp_fail(s, "%s into something that has no address", in->info->name);
    uint32_t stride_B = element_stride(ptr);
    if (stride_B == 0 && !is_zero)
        sp_fail(s, "%s with a pointer whose type has no stride", in->info->name);
    advance_address(s, ptr, element, number, stride_B);
    set_chain(s, in, walk_chain(s, in, ptr, 2));
}

/* --- pointers as values --- */

struct sp_ptr *sp_pointer_from_scalars(struct sp *s, struct sp_type *type, struct ir_value **c)
{
    if (type->kind != SP_POINTER || !type->element || type->scalars == 0)
        sp_fail(s, "a pointer of this storage class cannot be a value");
    struct sp_ptr *ptr = sp_new(s, struct sp_ptr);
    *ptr = (struct sp_ptr){.mode = SP_PTR_MEMORY, .storage = type->storage, .type = type->element, .align_B = 1};
    ptr->offset = c[type->scalars - 1];
    ptr->ptr_stride_B = type->stride_B;
    if (type->scalars == 2)
        ptr->handle = c[0];
    if (type->storage == SpvStorageClassWorkgroup)
        ptr->natural = !s->explicit_shared;
    return ptr;
}

/* Where a pointer leads to, in memory. */
static struct sp_ptr *in_memory(struct sp *s, const struct sp_ptr *ptr, const struct sp_type *type)
{
    struct sp_ptr *memory = copy_ptr(s, ptr);
    if (memory->mode == SP_PTR_RESOURCE && memory->type->kind == SP_STRUCT)
        memory = enter_buffer(s, memory);
    if (type->scalars == 0 || memory->mode != SP_PTR_MEMORY)
        sp_fail(s, "this pointer cannot be a value");
    return memory;
}

static void put_address(struct sp *s, const struct sp_ptr *memory, const struct sp_type *type, struct ir_value **out)
{
    uint8_t bits = offset_bits(memory);
    struct ir_value *base = memory->base_B ? sp_imm(s, bits, memory->base_B) : NULL;
    struct ir_value *offset = sp_add(s, memory->offset ? sp_usable(s, memory->offset) : NULL, base);
    out[type->scalars - 1] = offset ? offset : sp_imm(s, bits, 0);
    if (type->scalars == 2)
        out[0] = memory->handle ? sp_usable(s, memory->handle) : sp_imm(s, 32, 0);
}

void sp_pointer_to_scalars(struct sp *s, const struct sp_ptr *ptr, struct sp_type *type, struct ir_value **out)
{
    struct sp_ptr *memory = in_memory(s, ptr, type);
    /* An address does not say how far apart the components of a row-major column are. */
    if (memory->component_stride_B || (memory->type->kind == SP_MATRIX && memory->row_major))
        sp_fail(s, "this pointer cannot be a value");
    if (memory->handle && memory->variable) /* what is done through the value is not seen here */
        sp_note_access(s, memory->variable, true, memory->storage == SpvStorageClassStorageBuffer, false,
                       memory->nonuniform);
    put_address(s, memory, type, out);
}

static void make_usable(struct sp *s, struct ir_value **field)
{
    if (*field)
        *field = sp_usable(s, *field);
}

struct sp_ptr *sp_pointer(struct sp *s, uint32_t id)
{
    struct sp_value *value = sp_value(s, id);
    if (value->type->kind != SP_POINTER)
        sp_fail(s, "id %u is no pointer", id);
    struct sp_ptr *ptr = value->ptr ? copy_ptr(s, value->ptr) : sp_pointer_from_scalars(s, value->type, value->c);
    if (value->nonuniform)
        ptr->nonuniform = true;
    make_usable(s, &ptr->index);
    make_usable(s, &ptr->handle);
    make_usable(s, &ptr->offset);
    make_usable(s, &ptr->location_index);
    make_usable(s, &ptr->component_index);
    make_usable(s, &ptr->vertex);
    make_usable(s, &ptr->coord);
    return ptr;
}

static struct ir_value *compare_addresses(struct sp *s, struct sp_type *type, struct ir_value **a, struct ir_value **b)
{
    struct ir_value *equal = NULL;
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_value *same = ir_ieq(&s->b, a[i], b[i]);
        equal = equal ? ir_iand(&s->b, equal, same) : same;
    }
    if (!equal)
        sp_fail(s, "these pointers cannot be compared");
    return equal;
}

/* To be compared, any pointer into memory is a number. */
static struct ir_value **read_address(struct sp *s, uint32_t id, const struct sp_type *type)
{
    struct ir_value **out = sp_new_array(s, struct ir_value *, 2);
    put_address(s, in_memory(s, sp_pointer(s, id), type), type, out);
    return out;
}

static void read_two(struct sp *s, const struct sp_instr *in, struct ir_value ***a_out, struct ir_value ***b_out)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, 0)), *other = sp_type_of(s, sp_op(s, in, 1));
    if (type->kind != SP_POINTER || other->kind != SP_POINTER || type->scalars != other->scalars ||
        type->bits != other->bits)
        sp_fail(s, "%s of different pointers", in->info->name);
    *a_out = read_address(s, in->ops[0], type);
    *b_out = read_address(s, in->ops[1], other);
}

void sp_do_ptr_equal(struct sp *s, const struct sp_instr *in)
{
    struct ir_value **a, **b;
    read_two(s, in, &a, &b);
    struct ir_value *equal = compare_addresses(s, sp_type_of(s, in->ops[0]), a, b);
    sp_set_scalar(s, in, in->info->invert ? ir_inot(&s->b, equal) : equal);
}

void sp_do_ptr_diff(struct sp *s, const struct sp_instr *in)
{
    struct ir_value **a, **b;
    read_two(s, in, &a, &b);
    struct sp_type *type = sp_type_of(s, in->ops[0]), *result = sp_type(s, in->type);
    struct sp_ptr *ptr = sp_pointer(s, in->ops[0]);
    uint32_t stride_B = type->stride_B        ? type->stride_B
                        : ptr->array_stride_B ? ptr->array_stride_B
                        : ptr->natural        ? ptr->type->natural_stride_B
                                              : sp_pointer(s, in->ops[1])->array_stride_B;
    if (type->scalars == 0 || stride_B == 0 || result->kind != SP_INT)
        sp_fail(s, "OpPtrDiff of pointers without a stride");
    uint32_t last = type->scalars - 1;
    struct ir_value *bytes = ir_isub(&s->b, a[last], b[last]);
    struct ir_value *elements = ir_idiv(&s->b, bytes, sp_imm(s, bytes->bits, stride_B));
    sp_set_scalar(s, in, sp_to_bits(s, elements, result->bits, true));
}

void sp_do_convert_ptr_to_u(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type_of(s, sp_op(s, in, 0)), *result = sp_type(s, in->type);
    if (type->kind != SP_POINTER || type->storage != SpvStorageClassPhysicalStorageBuffer || result->kind != SP_INT)
        sp_fail(s, "only physical addresses are numbers");
    sp_set_scalar(s, in, sp_to_bits(s, sp_read(s, in->ops[0])[0], result->bits, false));
}

void sp_do_convert_u_to_ptr(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type);
    if (type->kind != SP_POINTER || type->storage != SpvStorageClassPhysicalStorageBuffer ||
        sp_type_of(s, sp_op(s, in, 0))->kind != SP_INT)
        sp_fail(s, "only physical addresses are numbers");
    struct ir_value **c = sp_new_array(s, struct ir_value *, 1);
    c[0] = sp_to_bits(s, sp_read_scalar(s, in->ops[0]), 64, false);
    sp_set_pointer(s, in, sp_pointer_from_scalars(s, type, c));
}
