/* Descriptors as instructions name them: a bindless base and a number there, which the instruction has or a register. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

#define MAX_IMMEDIATE 256 /* numbers that an instruction has room for */

static const struct adreno_binding_layout *layout_of(struct select *ctx, uint32_t set, uint32_t binding)
{
    if (set >= ctx->options->num_sets || set >= ADRENO_MAX_SETS || binding >= ctx->options->sets[set].num_bindings)
        sel_fail(ctx, "set %u binding %u is not in the layout", set, binding);
    return &ctx->options->sets[set].bindings[binding];
}

static struct air_operand computed_number(struct select *ctx, const struct ir_value *index,
                                          const struct adreno_binding_layout *layout, uint32_t first)
{
    air_temp number = adreno_sel_reg(ctx, index, 0);
    if (layout->stride != 1)
        number = adreno_sel_alu2(ctx, ADRENO_ISA_OP_MUL_U24, AIR_FULL(1), air_use(number),
                                 air_use(adreno_sel_number(ctx, AIR_FULL(1), layout->stride)));
    return air_use(adreno_sel_add(ctx, number, first));
}

static struct sel_descriptor find(struct select *ctx, const struct ir_value *handle, bool is_sampler)
{
    const struct ir_instr *resource = ir_def_instr(handle);
    if (resource->op != IR_OP_resource)
        sel_fail(ctx, "a descriptor that is chosen at run time is not built yet");
    const uint32_t set = ir_imm(resource, IR_IMM_SET);
    const struct adreno_binding_layout *layout = layout_of(ctx, set, ir_imm(resource, IR_IMM_BINDING));
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
    found.operand = found.is_number ? air_number((int32_t)found.number)
                                    : air_use(adreno_sel_number(ctx, AIR_FULL(1), found.number));
    return found;
}

struct sel_descriptor adreno_sel_descriptor(struct select *ctx, const struct ir_value *handle)
{
    return find(ctx, handle, false);
}

struct sel_descriptor adreno_sel_sampler(struct select *ctx, const struct ir_value *handle)
{
    return find(ctx, handle, true);
}

void adreno_sel_set_descriptor(struct air_instr *instr, const struct sel_descriptor *descriptor, unsigned operand,
                               unsigned place)
{
    instr->operands[operand] = descriptor->operand;
    instr->operands[operand].place = (uint8_t)place;
    instr->isa.field[ADRENO_ISA_FIELD_BASE] = (int16_t)descriptor->set;
    instr->isa.field[ADRENO_ISA_FIELD_MODE] = descriptor->is_number ? 0 : 2; /* an immediate; one of each fiber */
}
