/* Descriptors as instructions name them: a bindless base and a number there, which the instruction has or a
 * register. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

#define MAX_IMMEDIATE 256 /* numbers that an instruction has room for */

static const struct ir_binding_layout *layout_of(struct select *ctx, uint32_t set, uint32_t binding)
{
    if (set >= ctx->options->num_sets || set >= ADRENO_MAX_SETS || binding >= ctx->options->sets[set].num_bindings)
        sel_fail(ctx, "set %u binding %u is not in the layout", set, binding);
    return &ctx->options->sets[set].bindings[binding];
}

static struct mach_operand computed_number(struct select *ctx, const struct ir_value *index,
                                           const struct ir_binding_layout *layout, uint32_t first)
{
    mach_temp number = adreno_sel_reg(ctx, index, 0);
    if (layout->stride != 1)
        number = adreno_sel_alu2(ctx, ADRENO_ISA_OP_MUL_U24, AIR_FULL(1), mach_use(number),
                                 mach_use(adreno_sel_number(ctx, AIR_FULL(1), layout->stride)));
    return mach_use(adreno_sel_add(ctx, number, first));
}

/* ---- descriptors that are chosen at run time ---- */

#define SET_SHIFT 24 /* as a value, a descriptor is its number and, above it, its base: pointers may be compared */
#define MAX_TRACED 64

struct trace {
    const struct ir_value *seen[MAX_TRACED];
    unsigned count;
    int set; /* -1: none yet */
};

/* The base of all that a value is chosen from. A constant is null, which nothing is read from. */
static void trace_set(struct select *ctx, struct trace *trace, const struct ir_value *handle)
{
    const struct ir_instr *def = ir_def_instr(handle);
    for (unsigned i = 0; i < trace->count; i++) {
        if (trace->seen[i] == handle)
            return;
    }
    if (trace->count == MAX_TRACED)
        sel_fail(ctx, "a descriptor is one of more than %u", MAX_TRACED);
    trace->seen[trace->count++] = handle;
    if (def->op == IR_OP_resource) {
        const uint32_t set = ir_imm(def, IR_IMM_SET);
        const int base = layout_of(ctx, set, ir_imm(def, IR_IMM_BINDING))->is_dynamic ? ADRENO_DYNAMIC_SET : (int)set;
        if (trace->set >= 0 && trace->set != base)
            sel_fail(ctx, "a descriptor may be one of several sets");
        trace->set = base;
    } else if (def->op == IR_OP_select || def->op == IR_OP_phi) {
        for (unsigned i = def->op == IR_OP_select; i < def->num_srcs; i++)
            trace_set(ctx, trace, ir_src(def, i));
    } else if (def->op != IR_OP_undef && def->op != IR_OP_const) {
        sel_fail(ctx, "a descriptor is the result of %s", ir_info(def)->name);
    }
}

static struct sel_descriptor find_chosen(struct select *ctx, const struct ir_value *handle)
{
    struct trace trace = {.set = -1};
    trace_set(ctx, &trace, handle);
    struct sel_descriptor found = {.set = (uint32_t)MAX2(trace.set, 0), .is_uniform = !handle->divergent};
    mach_temp number = adreno_sel_reg(ctx, handle, 0);
    if (found.set)
        number = adreno_sel_alu2(ctx, ADRENO_ISA_OP_AND_B, AIR_FULL(1), mach_use(number),
                                 mach_use(adreno_sel_number(ctx, AIR_FULL(1), (1u << SET_SHIFT) - 1)));
    found.operand = mach_use(number);
    ctx->config->sets_used |= (uint8_t)(1u << found.set);
    return found;
}

static struct sel_descriptor find_descriptor(struct select *ctx, const struct ir_value *handle, bool is_sampler)
{
    const struct ir_instr *resource = ir_def_instr(handle);
    if (resource->op != IR_OP_resource)
        return find_chosen(ctx, handle);
    const uint32_t set = ir_imm(resource, IR_IMM_SET);
    const struct ir_binding_layout *layout = layout_of(ctx, set, ir_imm(resource, IR_IMM_BINDING));
    const struct ir_value *index = ir_src(resource, 0);
    const uint32_t first = layout->index + (is_sampler ? layout->sampler : 0);
    struct sel_descriptor found = {.set = layout->is_dynamic ? ADRENO_DYNAMIC_SET : set};
    ctx->config->sets_used |= (uint8_t)(1u << found.set);
    if (!ir_is_const(index)) {
        found.operand = computed_number(ctx, index, layout, first);
        found.is_uniform = !index->divergent;
        return found;
    }
    found.number = (uint32_t)(first + ir_const_u64(index) * layout->stride);
    found.is_known = found.is_uniform = true;
    found.is_number = found.number < MAX_IMMEDIATE;
    found.operand = found.is_number ? mach_number((uint32_t)found.number)
                                    : mach_use(adreno_sel_number(ctx, AIR_FULL(1), found.number));
    return found;
}

/* An operand of the kind that names a descriptor. */
static bool is_handle(const struct ir_use *use)
{
    if (!use->instr)
        return false;
    switch (use->instr->op) {
    case IR_OP_select:
    case IR_OP_phi:
    case IR_OP_ieq:
    case IR_OP_ine:
        return false;
    default:
        return true;
    }
}

bool adreno_select_resource(struct select *ctx, const struct ir_instr *instr)
{
    bool is_value = false;
    if (instr->op != IR_OP_resource)
        return false;
    ir_foreach_use (&instr->def, use)
        is_value |= !is_handle(use);
    if (!is_value)
        return true;
    const struct sel_descriptor found = find_descriptor(ctx, &instr->def, false);
    mach_temp *regs = mach_alloc(ctx->m.program, sizeof(*regs));
    regs[0] =
        found.operand.kind == MACH_NUMBER ? adreno_sel_number(ctx, AIR_FULL(1), found.number) : found.operand.temp;
    if (found.set)
        regs[0] = adreno_sel_add(ctx, regs[0], found.set << SET_SHIFT);
    adreno_sel_set(ctx, &instr->def, regs);
    return true;
}

bool adreno_sel_known_descriptor(struct select *ctx, const struct ir_value *handle, uint32_t *set_out,
                                 uint32_t *number_out)
{
    const struct ir_instr *resource = ir_def_instr(handle);
    if (resource->op != IR_OP_resource || !ir_is_const(ir_src(resource, 0)))
        return false;
    const uint32_t set = ir_imm(resource, IR_IMM_SET);
    const struct ir_binding_layout *layout = layout_of(ctx, set, ir_imm(resource, IR_IMM_BINDING));
    const uint64_t number = layout->index + ir_const_u64(ir_src(resource, 0)) * layout->stride;
    *set_out = layout->is_dynamic ? ADRENO_DYNAMIC_SET : set;
    *number_out = (uint32_t)number;
    return number < MAX_IMMEDIATE;
}

struct sel_descriptor adreno_sel_descriptor(struct select *ctx, const struct ir_value *handle)
{
    return find_descriptor(ctx, handle, false);
}

struct sel_descriptor adreno_sel_sampler(struct select *ctx, const struct ir_value *handle)
{
    return find_descriptor(ctx, handle, true);
}

void adreno_sel_set_descriptor(struct mach_instr *instr, const struct sel_descriptor *descriptor, unsigned operand,
                               unsigned place)
{
    instr->operands[operand] = descriptor->operand;
    instr->operands[operand].place = (uint8_t)place;
    air_isa(instr)->field[ADRENO_ISA_FIELD_BASE] = (int16_t)descriptor->set;
    air_isa(instr)->field[ADRENO_ISA_FIELD_MODE] = descriptor->is_number ? 0 : 2; /* an immediate; one of each fiber */
}
