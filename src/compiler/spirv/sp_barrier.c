/* Barriers, scopes, clocks, and the fate of an invocation. */
#include "compiler/spirv/sp.h"

static enum ir_scope scope_of(struct sp *s, uint32_t scope)
{
    switch (scope) {
    case SpvScopeCrossDevice:
    case SpvScopeDevice:
        return IR_SCOPE_device;
    case SpvScopeQueueFamily:
        return IR_SCOPE_queue_family;
    case SpvScopeWorkgroup:
    case SpvScopeShaderCallKHR:
        return IR_SCOPE_workgroup;
    case SpvScopeSubgroup:
        return IR_SCOPE_subgroup;
    case SpvScopeInvocation:
        return IR_SCOPE_invocation;
    default:
        sp_fail(s, "scope %u is unknown", scope);
    }
}

/* An access that is made available or visible to more than its own wave goes past the caches of the wave. */
uint32_t sp_scope_access(struct sp *s, uint32_t scope)
{
    return scope_of(s, sp_constant_u32(s, scope)) >= IR_SCOPE_workgroup ? IR_ACCESS_COHERENT : 0;
}

void sp_emit_barrier(struct sp *s, uint32_t scope, uint32_t semantics, bool execution)
{
    uint32_t memory = 0, order = 0;
    if (semantics & SpvMemorySemanticsUniformMemoryMask)
        memory |= IR_MEMORY_BUFFER;
    if (semantics & SpvMemorySemanticsWorkgroupMemoryMask)
        memory |= IR_MEMORY_SHARED;
    if (semantics & SpvMemorySemanticsImageMemoryMask)
        memory |= IR_MEMORY_IMAGE;
    if (semantics & SpvMemorySemanticsOutputMemoryKHRMask)
        memory |= IR_MEMORY_OUTPUT;
    if (semantics & (SpvMemorySemanticsAcquireMask | SpvMemorySemanticsAcquireReleaseMask |
                     SpvMemorySemanticsSequentiallyConsistentMask))
        order |= IR_ORDER_ACQUIRE;
    if (semantics & (SpvMemorySemanticsReleaseMask | SpvMemorySemanticsAcquireReleaseMask |
                     SpvMemorySemanticsSequentiallyConsistentMask))
        order |= IR_ORDER_RELEASE;
    /* Memory without an order is what old compilers wrote for both. */
    if (memory && !order && !execution)
        order = IR_ORDER_ACQUIRE | IR_ORDER_RELEASE;
    if (execution)
        order |= IR_ORDER_EXECUTION;
    if (!execution && (!memory || !order))
        return;
    ir_barrier(&s->b, scope_of(s, scope), order & (IR_ORDER_ACQUIRE | IR_ORDER_RELEASE) ? memory : 0, order);
}

void sp_do_control_barrier(struct sp *s, const struct sp_instr *in)
{
    uint32_t execution = sp_constant_u32(s, sp_op(s, in, 0)), memory = sp_constant_u32(s, sp_op(s, in, 1));
    uint32_t semantics = sp_constant_u32(s, sp_op(s, in, 2));
    bool workgroup = execution == SpvScopeWorkgroup;
    if (!workgroup && execution != SpvScopeSubgroup && execution != SpvScopeInvocation)
        sp_fail(s, "a control barrier of scope %u", execution);
    /* The invocations of a patch: outputs are what they wait for. */
    if (s->shader->stage == IR_STAGE_tess_control)
        semantics |= SpvMemorySemanticsOutputMemoryKHRMask | SpvMemorySemanticsAcquireReleaseMask;
    /* A subgroup runs in step: only its memory has to be ordered. */
    if (workgroup)
        sp_emit_barrier(s, memory == SpvScopeInvocation || memory == SpvScopeSubgroup ? SpvScopeWorkgroup : memory,
                        semantics, true);
    else
        sp_emit_barrier(s, memory, semantics, false);
}

void sp_do_memory_barrier(struct sp *s, const struct sp_instr *in)
{
    sp_emit_barrier(s, sp_constant_u32(s, sp_op(s, in, 0)), sp_constant_u32(s, sp_op(s, in, 1)), false);
}

void sp_do_read_clock(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type);
    enum ir_scope scope = scope_of(s, sp_constant_u32(s, sp_op(s, in, 0)));
    struct ir_value *clock = ir_shader_clock(&s->b, scope);
    if (type->kind == SP_INT && type->bits == 64) {
        sp_set_scalar(s, in, clock);
        return;
    }
    struct ir_value *halves[2] = {ir_lo32(&s->b, clock), ir_hi32(&s->b, clock)};
    sp_set_vector(s, in, ir_vec(&s->b, 2, halves));
}

void sp_do_demote(struct sp *s, const struct sp_instr *in)
{
    if (s->shader->stage != IR_STAGE_fragment)
        sp_fail(s, "%s outside fragment shaders", in->info->name);
    s->shader->fs.uses_demote = true;
    ir_demote(&s->b, ir_true(&s->b));
}

void sp_do_is_helper(struct sp *s, const struct sp_instr *in)
{
    sp_set_scalar(s, in, sp_sysval(s, IR_SYSVAL_helper_invocation, 1, 1));
}
