/* Atomic operations on buffers, physical addresses, workgroup memory and texels. */
#include "compiler/spirv/sp.h"

/* Barriers before and after an atomic that orders other accesses. */
static void order_before(struct sp *s, uint32_t scope, uint32_t semantics)
{
    uint32_t value = sp_constant_u32(s, semantics);
    if (value & (SpvMemorySemanticsReleaseMask | SpvMemorySemanticsAcquireReleaseMask |
                 SpvMemorySemanticsSequentiallyConsistentMask))
        sp_emit_barrier(s, sp_constant_u32(s, scope),
                        (value & ~(SpvMemorySemanticsAcquireMask | SpvMemorySemanticsAcquireReleaseMask)) |
                            SpvMemorySemanticsReleaseMask,
                        false);
}

static void order_after(struct sp *s, uint32_t scope, uint32_t semantics)
{
    uint32_t value = sp_constant_u32(s, semantics);
    if (value & (SpvMemorySemanticsAcquireMask | SpvMemorySemanticsAcquireReleaseMask |
                 SpvMemorySemanticsSequentiallyConsistentMask))
        sp_emit_barrier(s, sp_constant_u32(s, scope),
                        (value & ~(SpvMemorySemanticsReleaseMask | SpvMemorySemanticsAcquireReleaseMask)) |
                            SpvMemorySemanticsAcquireMask,
                        false);
}

static struct sp_ptr *atomic_pointer(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *ptr = sp_pointer(s, sp_op(s, in, 0));
    if (ptr->type->kind != SP_INT && ptr->type->kind != SP_FLOAT)
        sp_fail(s, "%s on something that is no scalar", in->info->name);
    if (ptr->mode != SP_PTR_MEMORY && ptr->mode != SP_PTR_TEXEL && ptr->mode != SP_PTR_VAR)
        sp_fail(s, "%s on something that is not in memory", in->info->name);
    /* Atomics bypass what is not shared. */
    ptr->access |= IR_ACCESS_COHERENT;
    return ptr;
}

static struct ir_value *offset_of(struct sp *s, const struct sp_ptr *ptr)
{
    return ptr->offset ? ptr->offset : sp_imm(s, ptr->storage == SpvStorageClassPhysicalStorageBuffer ? 64 : 32, 0);
}

static void note_access(struct sp *s, const struct sp_ptr *ptr)
{
    if (ptr->variable && (ptr->mode == SP_PTR_TEXEL || ptr->handle))
        sp_note_access(s, ptr->variable, true, true, true, ptr->nonuniform);
    else if (s->shader->stage == IR_STAGE_fragment && ptr->storage == SpvStorageClassPhysicalStorageBuffer)
        s->shader->fs.writes_memory = true;
}

/* On a variable of this invocation alone, an atomic is what it says, done one after the other. */
static struct ir_value *apply_op(struct sp *s, enum ir_atomic op, struct ir_value *old, struct ir_value *x)
{
    struct ir_builder *b = &s->b;
    switch (op) {
    case IR_ATOMIC_iadd:
        return ir_iadd(b, old, x);
    case IR_ATOMIC_isub:
        return ir_isub(b, old, x);
    case IR_ATOMIC_imin:
        return ir_imin(b, old, x);
    case IR_ATOMIC_imax:
        return ir_imax(b, old, x);
    case IR_ATOMIC_umin:
        return ir_umin(b, old, x);
    case IR_ATOMIC_umax:
        return ir_umax(b, old, x);
    case IR_ATOMIC_iand:
        return ir_iand(b, old, x);
    case IR_ATOMIC_ior:
        return ir_ior(b, old, x);
    case IR_ATOMIC_ixor:
        return ir_ixor(b, old, x);
    case IR_ATOMIC_fadd:
        return ir_fadd(b, old, x);
    case IR_ATOMIC_fmin:
        return ir_fmin(b, old, x);
    case IR_ATOMIC_fmax:
        return ir_fmax(b, old, x);
    default:
        return x;
    }
}

/* The atomic `op` on what the pointer points to; a compare and exchange where there is something to compare with. Gives
 * the old value. */
static struct ir_value *emit_atomic(struct sp *s, const struct sp_ptr *ptr, enum ir_atomic op, struct ir_value *compare,
                                    struct ir_value *x)
{
    struct ir_builder *b = &s->b;
    struct ir_value *old;
    if (ptr->mode == SP_PTR_VAR) {
        sp_load(s, ptr, &old);
        struct ir_value *updated = compare ? ir_select(b, ir_ieq(b, old, compare), x, old) : apply_op(s, op, old, x);
        sp_store(s, ptr, &updated);
        return old;
    }
    if (x->bits < 32)
        sp_fail(s, "atomics of %u bits are not supported", x->bits);
    note_access(s, ptr);
    b->flags = ptr->nonuniform ? IR_FLAG_NONUNIFORM : 0;
    if (ptr->mode == SP_PTR_TEXEL) {
        enum ir_dim dim = sp_image_dim(s, ptr->image_type);
        uint32_t arrayed = ptr->image_type->image.arrayed, format = sp_image_format(ptr->image_type);
        old = compare ? ir_cmpxchg_image(b, ptr->handle, ptr->coord, compare, x, dim, arrayed, format, ptr->access)
                      : ir_atomic_image(b, ptr->handle, ptr->coord, x, op, dim, arrayed, format, ptr->access);
    } else if (ptr->storage == SpvStorageClassWorkgroup ||
               (ptr->storage == SpvStorageClassTaskPayloadWorkgroupEXT && s->shader->stage == IR_STAGE_task)) {
        old = compare ? ir_cmpxchg_shared(b, offset_of(s, ptr), compare, x, ptr->base_B)
                      : ir_atomic_shared(b, offset_of(s, ptr), x, op, ptr->base_B);
    } else if (ptr->storage == SpvStorageClassPhysicalStorageBuffer) {
        old = compare ? ir_cmpxchg_global(b, offset_of(s, ptr), compare, x, ptr->base_B, ptr->access)
                      : ir_atomic_global(b, offset_of(s, ptr), x, op, ptr->base_B, ptr->access);
    } else if (ptr->handle) {
        old = compare ? ir_cmpxchg_ssbo(b, ptr->handle, offset_of(s, ptr), compare, x, ptr->base_B, ptr->access)
                      : ir_atomic_ssbo(b, ptr->handle, offset_of(s, ptr), x, op, ptr->base_B, ptr->access);
    } else {
        sp_fail(s, "atomics on storage class %s", sp_name_of_StorageClass(ptr->storage));
    }
    b->flags = 0;
    return old;
}

static struct ir_value *read_operand(struct sp *s, const struct sp_ptr *ptr, uint32_t id)
{
    struct ir_value *x = sp_read_scalar(s, id);
    if (x->bits != ptr->type->bits)
        sp_fail(s, "the operand is not of the type that the pointer points to");
    return x;
}

/* pointer, scope, semantics, value */
void sp_do_atomic(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *ptr = atomic_pointer(s, in);
    struct ir_value *x = read_operand(s, ptr, sp_op(s, in, 3));
    order_before(s, in->ops[1], in->ops[2]);
    struct ir_value *old = emit_atomic(s, ptr, in->info->arg, NULL, x);
    order_after(s, in->ops[1], in->ops[2]);
    sp_set_scalar(s, in, old);
}

void sp_do_atomic_step(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *ptr = atomic_pointer(s, in);
    struct ir_value *one = sp_imm(s, ptr->type->bits, 1);
    order_before(s, sp_op(s, in, 1), sp_op(s, in, 2));
    struct ir_value *old = emit_atomic(s, ptr, in->info->arg ? IR_ATOMIC_iadd : IR_ATOMIC_isub, NULL, one);
    order_after(s, in->ops[1], in->ops[2]);
    sp_set_scalar(s, in, old);
}

/* pointer, scope, equal, unequal, value, comparator */
void sp_do_atomic_compare_exchange(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *ptr = atomic_pointer(s, in);
    struct ir_value *x = read_operand(s, ptr, sp_op(s, in, 4)), *compare = read_operand(s, ptr, sp_op(s, in, 5));
    order_before(s, in->ops[1], in->ops[2]);
    struct ir_value *old = emit_atomic(s, ptr, IR_ATOMIC_cmpxchg, compare, x);
    order_after(s, in->ops[1], in->ops[2]);
    sp_set_scalar(s, in, old);
}

void sp_do_atomic_load(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *ptr = atomic_pointer(s, in);
    struct ir_value *value;
    if (ptr->mode == SP_PTR_TEXEL || ptr->type->bits == 64) { /* nothing is added */
        value = emit_atomic(s, ptr, IR_ATOMIC_ior, NULL, sp_imm(s, ptr->type->bits, 0));
    } else {
        ptr->access |= IR_ACCESS_VOLATILE;
        sp_load(s, ptr, &value);
    }
    order_after(s, sp_op(s, in, 1), sp_op(s, in, 2));
    sp_set_scalar(s, in, value);
}

void sp_do_atomic_store(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *ptr = atomic_pointer(s, in);
    struct ir_value *x = read_operand(s, ptr, sp_op(s, in, 3));
    order_before(s, in->ops[1], in->ops[2]);
    if (ptr->mode == SP_PTR_TEXEL || ptr->type->bits == 64) {
        emit_atomic(s, ptr, IR_ATOMIC_exchange, NULL, x);
        return;
    }
    ptr->access |= IR_ACCESS_VOLATILE;
    sp_store(s, ptr, &x);
}
