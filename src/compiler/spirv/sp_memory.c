/* Loads and stores through pointers, whatever they point into. Values are taken apart into what one access can move: a
 * vector, or a scalar where components do not lie side by side. */
#include "compiler/spirv/sp.h"

#include <string.h>

struct access {
    uint32_t align_B, align_offset_B;
};

static struct access access_of(const struct sp_ptr *ptr, uint32_t component_B)
{
    uint32_t align_B = MIN2(ptr->align_B, 16u);
    if (align_B < component_B) { /* what Vulkan demands of every access */
        align_B = component_B;
        return (struct access){align_B, 0};
    }
    return (struct access){align_B, ptr->base_B % align_B};
}

static struct ir_value *offset_of(struct sp *s, const struct sp_ptr *ptr)
{
    bool wide = ptr->storage == SpvStorageClassPhysicalStorageBuffer;
    return ptr->offset ? ptr->offset : sp_imm(s, wide ? 64 : 32, 0);
}

static bool is_ssbo(struct sp *s, const struct sp_ptr *ptr)
{
    if (ptr->storage == SpvStorageClassStorageBuffer)
        return true;
    if (ptr->storage != SpvStorageClassUniform)
        return false;
    return ptr->variable && sp_resource_kind(s, ptr->variable) == IR_RESOURCE_storage_buffer;
}

static void set_access_flags(struct sp *s, const struct sp_ptr *ptr)
{
    s->b.flags = ptr->nonuniform ? IR_FLAG_NONUNIFORM : 0;
}

/* `comps` values of `bits` that lie side by side. */
static struct ir_value *load_vector(struct sp *s, const struct sp_ptr *ptr, uint8_t bits, uint8_t comps)
{
    struct ir_value *offset = offset_of(s, ptr);
    struct access a = access_of(ptr, bits / 8u);
    struct ir_value *loaded;
    set_access_flags(s, ptr);
    switch (ptr->storage) {
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
        if (!ptr->handle)
            sp_fail(s, "a load from an array of buffers");
        sp_note_access(s, ptr->variable, true, false, false, ptr->nonuniform);
        if (is_ssbo(s, ptr))
            loaded = ir_load_ssbo(&s->b, bits, comps, ptr->handle, offset, ptr->base_B, a.align_B, a.align_offset_B,
                                  ptr->access);
        else
            loaded = ir_load_ubo(&s->b, bits, comps, ptr->handle, offset, ptr->base_B, a.align_B, a.align_offset_B,
                                 ptr->access);
        break;
    case SpvStorageClassPhysicalStorageBuffer:
        loaded = ir_load_global(&s->b, bits, comps, offset, ptr->base_B, a.align_B, a.align_offset_B, ptr->access);
        break;
    case SpvStorageClassPushConstant:
        loaded = ir_load_push(&s->b, bits, comps, offset, ptr->base_B, a.align_B, a.align_offset_B);
        break;
    case SpvStorageClassTaskPayloadWorkgroupEXT:
        loaded = sp_load_payload(s, bits, comps, offset, ptr->base_B, a.align_B, a.align_offset_B);
        break;
    case SpvStorageClassWorkgroup:
        loaded = ir_load_shared(&s->b, bits, comps, offset, ptr->base_B, a.align_B, a.align_offset_B);
        break;
    default:
        if (!sp_is_ray_storage(ptr->storage))
            sp_fail(s, "a load from storage class %s", sp_name_of_StorageClass(ptr->storage));
        loaded = sp_load_ray(s, ptr, bits, comps, a.align_B, a.align_offset_B);
        break;
    }
    s->b.flags = 0;
    return loaded;
}

static void store_vector(struct sp *s, const struct sp_ptr *ptr, struct ir_value *value)
{
    struct ir_value *offset = offset_of(s, ptr);
    struct access a = access_of(ptr, value->bits / 8u);
    set_access_flags(s, ptr);
    switch (ptr->storage) {
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
        if (!ptr->handle || !is_ssbo(s, ptr))
            sp_fail(s, "a store to a uniform buffer");
        sp_note_access(s, ptr->variable, false, true, false, ptr->nonuniform);
        ir_store_ssbo(&s->b, value, ptr->handle, offset, ptr->base_B, a.align_B, a.align_offset_B, ptr->access);
        break;
    case SpvStorageClassPhysicalStorageBuffer:
        if (s->shader->stage == IR_STAGE_fragment)
            s->shader->fs.writes_memory = true;
        ir_store_global(&s->b, value, offset, ptr->base_B, a.align_B, a.align_offset_B, ptr->access);
        break;
    case SpvStorageClassTaskPayloadWorkgroupEXT:
        if (s->shader->stage != IR_STAGE_task)
            sp_fail(s, "a store to a payload outside task shaders");
        ir_store_shared(&s->b, value, offset, ptr->base_B, a.align_B, a.align_offset_B);
        break;
    case SpvStorageClassWorkgroup:
        ir_store_shared(&s->b, value, offset, ptr->base_B, a.align_B, a.align_offset_B);
        break;
    default:
        if (!sp_is_ray_storage(ptr->storage))
            sp_fail(s, "a store to storage class %s", sp_name_of_StorageClass(ptr->storage));
        sp_store_ray(s, ptr, value, a.align_B, a.align_offset_B);
        break;
    }
    s->b.flags = 0;
}

static struct sp_ptr component_ptr(struct sp *s, const struct sp_ptr *ptr, uint32_t i)
{
    struct sp_ptr *to = sp_ptr_element(s, ptr, NULL, i);
    return *to;
}

static void load_memory(struct sp *s, const struct sp_ptr *ptr, struct ir_value **out)
{
    const struct sp_type *type = ptr->type;
    uint32_t count = type->scalars;
    uint8_t bits = type->bits == 1 ? 32 : type->bits;
    if (count == 0 || bits < 8)
        sp_fail(s, "a load of something that is not in memory");
    if (ptr->component_stride_B && type->kind == SP_VECTOR) {
        for (uint32_t i = 0; i < count; i++) {
            struct sp_ptr part = component_ptr(s, ptr, i);
            out[i] = load_vector(s, &part, bits, 1);
        }
    } else {
        struct ir_value *vector = load_vector(s, ptr, bits, (uint8_t)count);
        for (uint32_t i = 0; i < count; i++)
            out[i] = ir_extract(&s->b, vector, i);
    }
    for (uint32_t i = 0; i < count && type->bits == 1; i++)
        out[i] = ir_ine(&s->b, out[i], sp_imm(s, 32, 0));
}

static void store_memory(struct sp *s, const struct sp_ptr *ptr, struct ir_value *const *values)
{
    const struct sp_type *type = ptr->type;
    struct ir_value *words[4];
    uint32_t count = type->scalars;
    if (count == 0 || count > 4)
        sp_fail(s, "a store of something that is not in memory");
    for (uint32_t i = 0; i < count; i++)
        words[i] = type->bits == 1 ? ir_b2i(&s->b, 32, values[i]) : values[i];
    if (ptr->component_stride_B && type->kind == SP_VECTOR) {
        for (uint32_t i = 0; i < count; i++) {
            struct sp_ptr part = component_ptr(s, ptr, i);
            store_vector(s, &part, words[i]);
        }
        return;
    }
    store_vector(s, ptr, ir_vec(&s->b, count, words));
}

/* --- variables of the function --- */

static void refuse_queries(struct sp *s, const struct sp_type *type)
{
    while (type->kind == SP_ARRAY)
        type = type->element;
    if (type->kind == SP_RAY_QUERY)
        sp_fail(s, "an array of ray queries is no value that can be loaded or stored");
}

static void load_var(struct sp *s, const struct sp_ptr *ptr, struct ir_value **out)
{
    const struct ir_var *var = ptr->node->var;
    uint32_t count = ptr->type->scalars;
    refuse_queries(s, ptr->type);
    sp_spend(s, count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = (uint64_t)ptr->first * count + i;
        if (!ptr->index && at >= var->length)
            out[i] = sp_undef(s, var->bits);
        else
            out[i] = ir_load_var(&s->b, var->bits, 1, sp_ptr_index(s, ptr, count, i), var->index);
    }
}

static void store_var(struct sp *s, const struct sp_ptr *ptr, struct ir_value *const *values)
{
    const struct ir_var *var = ptr->node->var;
    uint32_t count = ptr->type->scalars;
    refuse_queries(s, ptr->type);
    sp_spend(s, count);
    ptr->node->written = true;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = (uint64_t)ptr->first * count + i;
        if (ptr->index || at < var->length)
            ir_store_var(&s->b, values[i], sp_ptr_index(s, ptr, count, i), var->index);
    }
}

/* --- descriptors --- */

static void load_descriptor(struct sp *s, const struct sp_ptr *ptr, struct ir_value **out)
{
    out[0] = sp_handle(s, ptr);
    if (ptr->type->kind == SP_ACCELERATION_STRUCTURE) {
        sp_note_access(s, ptr->variable, true, false, false, ptr->nonuniform);
        set_access_flags(s, ptr);
        out[0] = ir_ray_structure(&s->b, out[0]);
        s->b.flags = 0;
    }
    if (ptr->type->kind == SP_SAMPLED_IMAGE)
        out[1] = out[0];
}

/* --- everything --- */

static bool is_whole(const struct sp_ptr *ptr)
{
    switch (ptr->type->kind) {
    case SP_STRUCT:
        return false;
    case SP_ARRAY:
    case SP_MATRIX: /* a variable without structs in it is one array */
        return ptr->mode == SP_PTR_VAR && !ptr->type->has_struct;
    default:
        return true;
    }
}

static void check_count(struct sp *s, const struct sp_ptr *ptr)
{
    if (ptr->type->scalars > SP_MAX_SCALARS)
        sp_fail(s, "a value of more than %u scalars", SP_MAX_SCALARS);
    sp_spend(s, 1);
}

void sp_load(struct sp *s, const struct sp_ptr *ptr, struct ir_value **out)
{
    check_count(s, ptr);
    if (!is_whole(ptr)) {
        uint32_t done = 0;
        for (uint32_t i = 0; i < ptr->type->count; i++) {
            struct sp_ptr *part =
                ptr->type->kind == SP_STRUCT ? sp_ptr_member(s, ptr, i) : sp_ptr_element(s, ptr, NULL, i);
            sp_load(s, part, out + done);
            done += part->type->scalars;
        }
        return;
    }
    switch (ptr->mode) {
    case SP_PTR_VAR:
        load_var(s, ptr, out);
        break;
    case SP_PTR_MEMORY:
        if (ptr->type->kind == SP_POINTER || sp_is_numeric(ptr->type))
            load_memory(s, ptr, out);
        else
            sp_fail(s, "a load of something that is not in memory");
        break;
    case SP_PTR_RESOURCE:
        load_descriptor(s, ptr, out);
        break;
    case SP_PTR_IO:
        sp_load_io(s, ptr, out);
        break;
    default:
        sp_fail(s, "a load through a texel pointer");
    }
}

void sp_store(struct sp *s, const struct sp_ptr *ptr, struct ir_value *const *values)
{
    check_count(s, ptr);
    if (!is_whole(ptr)) {
        uint32_t done = 0;
        for (uint32_t i = 0; i < ptr->type->count; i++) {
            struct sp_ptr *part =
                ptr->type->kind == SP_STRUCT ? sp_ptr_member(s, ptr, i) : sp_ptr_element(s, ptr, NULL, i);
            sp_store(s, part, values + done);
            done += part->type->scalars;
        }
        return;
    }
    for (uint32_t i = 0; i < ptr->type->scalars; i++)
        if (values[i]->bits != sp_bits_of_scalar(s, ptr->type, i))
            sp_fail(s, "a store of something of another type");
    switch (ptr->mode) {
    case SP_PTR_VAR:
        store_var(s, ptr, values);
        break;
    case SP_PTR_MEMORY:
        if (ptr->type->kind != SP_POINTER && !sp_is_numeric(ptr->type))
            sp_fail(s, "a store of something that is not in memory");
        store_memory(s, ptr, values);
        break;
    case SP_PTR_IO:
        sp_store_io(s, ptr, values);
        break;
    default:
        sp_fail(s, "a store to something that cannot be written");
    }
}

/* --- instructions --- */

/* Operands that say how memory is accessed; returns the index of the word after them. */
static uint32_t memory_operands(struct sp *s, const struct sp_instr *in, uint32_t at, struct sp_ptr *ptr, bool is_store)
{
    if (at >= in->count)
        return at;
    uint32_t mask = in->ops[at++];
    if (mask & SpvMemoryAccessVolatileMask)
        ptr->access |= IR_ACCESS_VOLATILE | IR_ACCESS_COHERENT;
    if (mask & SpvMemoryAccessAlignedMask) {
        uint32_t align_B = sp_op(s, in, at++);
        if (!is_power_of_two(align_B))
            sp_fail(s, "an alignment of %u", align_B);
        /* It is said of the whole address. */
        if (ptr->mode == SP_PTR_MEMORY && ptr->storage == SpvStorageClassPhysicalStorageBuffer) {
            uint32_t known_B = MIN2(align_B, ptr->base_B ? ptr->base_B & -ptr->base_B : align_B);
            ptr->align_B = MAX2(ptr->align_B, known_B);
        }
    }
    if (mask & SpvMemoryAccessNontemporalMask)
        ptr->access |= IR_ACCESS_NONTEMPORAL;
    if (mask & SpvMemoryAccessMakePointerAvailableMask) {
        uint32_t scope = sp_op(s, in, at++);
        if (is_store)
            ptr->access |= sp_scope_access(s, scope);
    }
    if (mask & SpvMemoryAccessMakePointerVisibleMask) {
        uint32_t scope = sp_op(s, in, at++);
        if (!is_store)
            ptr->access |= sp_scope_access(s, scope);
    }
    return at;
}

static bool is_query(const struct sp_ptr *ptr)
{
    return ptr->mode == SP_PTR_VAR && ptr->type->kind == SP_RAY_QUERY;
}

void sp_do_load(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *ptr = sp_pointer(s, sp_op(s, in, 0));
    struct sp_type *type = sp_type(s, in->type);
    memory_operands(s, in, 1, ptr, false);
    if (type->scalars != ptr->type->scalars || type->kind != ptr->type->kind)
        sp_fail(s, "OpLoad: the result is not what the pointer points to");
    if (is_query(ptr)) {
        sp_load_query(s, in, ptr);
        return;
    }
    struct sp_value *value = sp_new_value(s, type);
    sp_load(s, ptr, value->c);
    if (type->kind == SP_POINTER) {
        sp_set_pointer(s, in, sp_pointer_from_scalars(s, type, value->c));
        return;
    }
    struct sp_value *result = sp_set_value(s, in, value->c);
    result->access = ptr->access;
    if (ptr->mode == SP_PTR_RESOURCE) {
        result->from = ptr;
        result->nonuniform |= ptr->nonuniform;
    }
}

void sp_do_store(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *ptr = sp_pointer(s, sp_op(s, in, 0));
    memory_operands(s, in, 2, ptr, true);
    if (sp_type_of(s, sp_op(s, in, 1))->scalars != ptr->type->scalars)
        sp_fail(s, "OpStore: the value is not what the pointer points to");
    if (is_query(ptr))
        sp_store_query(s, ptr, in->ops[1]);
    else
        sp_store(s, ptr, sp_read(s, in->ops[1]));
}

static void copy_memory(struct sp *s, const struct sp_instr *in, uint32_t operands)
{
    struct sp_ptr *to = sp_pointer(s, sp_op(s, in, 0)), *from = sp_pointer(s, sp_op(s, in, 1));
    uint32_t second = memory_operands(s, in, operands, to, true);
    memory_operands(s, in, second < in->count ? second : operands, from, false);
    if (to->type->scalars != from->type->scalars)
        sp_fail(s, "a copy between different types");
    if (is_query(to) && is_query(from)) {
        sp_copy_query(s, to, from);
        return;
    }
    struct sp_value *value = sp_new_value(s, from->type);
    sp_load(s, from, value->c);
    sp_store(s, to, value->c);
}

void sp_do_copy_memory(struct sp *s, const struct sp_instr *in)
{
    copy_memory(s, in, 2);
}

/* Only whole values: the size must be that of what is pointed to. */
void sp_do_copy_memory_sized(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *to = sp_pointer(s, sp_op(s, in, 0));
    if (sp_constant_u32(s, sp_op(s, in, 2)) != sp_explicit_size(to->type))
        sp_fail(s, "OpCopyMemorySized of a part");
    copy_memory(s, in, 3);
}

void sp_do_array_length(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *ptr = sp_pointer(s, sp_op(s, in, 0));
    uint32_t index = sp_op(s, in, 1);
    if (ptr->type->kind != SP_STRUCT || index + 1 != ptr->type->count || !ptr->type->members[index].type->runtime_sized)
        sp_fail(s, "OpArrayLength of something that has no end of its own");
    struct sp_ptr *array = sp_ptr_member(s, ptr, index);
    if (array->mode != SP_PTR_MEMORY || !array->handle || array->type->stride_B == 0 || !is_ssbo(s, array))
        sp_fail(s, "OpArrayLength of something that is no storage buffer");
    sp_note_access(s, array->variable, true, false, false, array->nonuniform);
    set_access_flags(s, array);
    struct ir_value *size = ir_ssbo_size(&s->b, array->handle);
    s->b.flags = 0;
    struct ir_value *begin = sp_add(s, offset_of(s, array), sp_imm(s, 32, array->base_B));
    size = ir_usub_sat(&s->b, size, begin ? begin : sp_imm(s, 32, 0));
    struct ir_value *length = is_power_of_two(array->type->stride_B)
                                  ? ir_ushr(&s->b, size, sp_imm(s, 32, log2_floor(array->type->stride_B)))
                                  : ir_udiv(&s->b, size, sp_imm(s, 32, array->type->stride_B));
    sp_set_scalar(s, in, sp_to_bits(s, length, sp_type(s, in->type)->bits, false));
}
