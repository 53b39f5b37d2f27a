/* Registers that the hardware fills before a program and reads after it. Outputs are collected where the IR stores
 * them, at its end; the last instruction reads all of them, so that they are alive and have arrived there. */
#include "adreno/compiler/select.h"
#include "util/bits.h"

/* ---- before the program ---- */

mach_temp adreno_sel_take_at(struct select *ctx, struct sel_start *start, struct mach_class class, mach_reg reg)
{
    const mach_temp temp = mach_new_temp(ctx->m.program, class);
    if (start->count == ARRAY_SIZE(start->list) || reg + mach_units(class) > AIR_REGS)
        sel_fail(ctx, "more inputs than registers");
    start->list[start->count].temp = temp;
    start->list[start->count++].reg = reg;
    start->next = (mach_reg)MAX2(start->next, reg + align_u64(mach_units(class), 2));
    return temp;
}

mach_temp adreno_sel_take(struct select *ctx, struct sel_start *start, struct mach_class class)
{
    return adreno_sel_take_at(ctx, start, class, start->next);
}

uint8_t adreno_sel_start_reg(const struct select *ctx, const struct sel_start *start, mach_temp temp)
{
    for (unsigned i = 0; temp && i < start->count; i++) {
        if (start->list[i].temp == temp)
            return (uint8_t)(air_is_half(ctx->m.program->temps[temp].class) ? start->list[i].reg
                                                                            : start->list[i].reg / 2);
    }
    return ADRENO_REG_UNUSED;
}

void adreno_sel_start(struct select *ctx, const struct sel_start *start)
{
    if (!start->count)
        return;
    ctx->input_units = start->next;
    struct mach_instr *instr = mach_new_instr(&ctx->m.b, MACH_P_START, start->count, 0);
    for (unsigned i = 0; i < start->count; i++) {
        instr->defs[i].temp = start->list[i].temp;
        instr->defs[i].reg = start->list[i].reg;
    }
}

/* ---- outputs ---- */

static enum ir_base base_of_output(const struct ir_shader *shader, unsigned location, unsigned component)
{
    for (uint32_t i = 0; i < shader->num_outputs; i++) {
        const struct ir_io_var *output = &shader->outputs[i];
        if (location >= output->location && location < output->location + MAX2(output->num_locations, 1u) &&
            component >= output->component)
            return output->base;
    }
    return IR_BASE_float;
}

/* Fragments may have colours of 16 bits; everything else is read as 32. */
static bool is_half_output(const struct select *ctx, const struct ir_value *value, unsigned location)
{
    return air_is_half(adreno_sel_class(value)) && ctx->m.shader->stage == IR_STAGE_fragment &&
           location >= IR_LOCATION_VAR0;
}

static struct mach_operand output_word(struct select *ctx, const struct ir_value *value, unsigned index,
                                       unsigned location, unsigned component)
{
    const bool is_half = air_is_half(adreno_sel_class(value)), stays = is_half_output(ctx, value, location);
    if (ir_is_const(value) && is_half == stays)
        return mach_number((uint32_t)(ir_const_u64(value) >> 32 * index & (is_half ? 0xffff : UINT32_MAX)));
    const mach_temp word = adreno_sel_reg(ctx, value, index);
    if (is_half == stays)
        return mach_use(word);
    switch (base_of_output(ctx->m.shader, location, component)) {
    case IR_BASE_float:
        return mach_use(adreno_sel_move(ctx, AIR_F16, AIR_F32, mach_use(word)));
    case IR_BASE_int:
        return mach_use(adreno_sel_move(ctx, AIR_S16, AIR_S32, mach_use(word)));
    default:
        return mach_use(adreno_sel_move(ctx, AIR_U16, AIR_U32, mach_use(word)));
    }
}

/* A component of a vector as the value that it is made of: a constant, perhaps. */
static const struct ir_value *part_of(const struct ir_value *value, unsigned *index)
{
    const unsigned words = adreno_sel_words(value);
    const struct ir_value *part = ir_component(value, *index / words);
    if (!part || !ir_is_const(part))
        return value;
    *index %= words;
    return part;
}

bool adreno_select_output(struct select *ctx, const struct ir_instr *instr)
{
    if (instr->op != IR_OP_store_output)
        return false;
    const struct ir_value *value = ir_src(instr, 0), *offset = ir_src(instr, 1);
    if (!ir_is_const(offset))
        sel_fail(ctx, "an output that is indexed by a computed number");
    if (!ctx->outputs)
        sel_fail(ctx, "an output of a compute shader");
    const uint64_t location = ir_imm(instr, IR_IMM_LOCATION) + ir_const_u64(offset);
    const unsigned first = ir_imm(instr, IR_IMM_COMP), index = ir_imm(instr, IR_IMM_DUAL_INDEX) & 1;
    const unsigned count = value->comps * adreno_sel_words(value);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t at = location + (first + i) / 4;
        if (at >= SEL_LOCATIONS)
            sel_fail(ctx, "there is no output location %u", (unsigned)at - IR_LOCATION_VAR0);
        unsigned word = i;
        const struct ir_value *part = part_of(value, &word);
        struct sel_output *output = &ctx->outputs->at[index][at];
        output->component[(first + i) % 4] = output_word(ctx, part, word, (unsigned)at, (first + i) % 4);
        output->is_half = is_half_output(ctx, value, (unsigned)at);
    }
    return true;
}

/* A tuple that the end of the program reads. `count` components from `first` on, those that are not written may be
 * anything; the number of the operand. */
struct ending {
    struct mach_operand list[SEL_LOCATIONS * 2];
    unsigned count;
};

static void read_at_end(struct select *ctx, struct ending *ending, const struct sel_output *output, unsigned first,
                        unsigned count)
{
    const struct mach_class class = air_class(count, output->is_half);
    mach_temp tuple;
    if (count == 1 && output->component[first].kind == MACH_TEMP) {
        tuple = output->component[first].temp;
    } else if (count == 1) {
        tuple = adreno_sel_number(ctx, class, (uint32_t)output->component[first].value);
    } else {
        tuple = mach_new_temp(ctx->m.program, class);
        struct mach_instr *collect = mach_new_instr(&ctx->m.b, MACH_P_COLLECT, 1, count);
        collect->defs[0].temp = tuple;
        for (unsigned i = 0; i < count; i++)
            collect->operands[i] = output->component[first + i].kind != MACH_NONE
                                       ? output->component[first + i]
                                       : (struct mach_operand){.kind = MACH_UNDEF, .reg = MACH_NO_REG};
    }
    ending->list[ending->count] = mach_use(tuple);
    ending->list[ending->count++].place = AIR_PLACE_NONE;
}

/* Registers for the next stage of the wave: `select` says which (chain.c). */
static void end_chained(struct select *ctx, struct ending *ending)
{
    const struct adreno_handover *plan = adreno_handover_of(ctx->m.shader, ctx->options->stage);
    const mach_temp temps[] = {[ADRENO_HEADER_REG] = ctx->header,
                               [ADRENO_PRIMITIVE_ID_REG] = plan->has_primitive_id ? ctx->primitive_id : 0,
                               [ADRENO_PATCH_NUMBER_REG] = plan->has_patch_number ? ctx->patch_number : 0};
    for (unsigned i = 0; i < ARRAY_SIZE(temps); i++) {
        if (!temps[i])
            continue;
        ending->list[ending->count] = mach_use(temps[i]);
        ending->list[ending->count].place = AIR_PLACE_NONE;
        ending->list[ending->count++].select = (uint8_t)i;
    }
}

static void end_vertex(struct select *ctx, struct ending *ending)
{
    struct adreno_shader_config *config = ctx->config;
    for (unsigned location = 0; location < SEL_LOCATIONS; location++) {
        const struct sel_output *output = &ctx->outputs->at[0][location];
        for (unsigned first = 0, count; first < 4 && location != ADRENO_LOCATION_FLAGS; first += MAX2(count, 1u)) {
            for (count = 0; first + count < 4 && output->component[first + count].kind != MACH_NONE;)
                count++;
            if (!count)
                continue;
            if (config->vs.num_outputs == ADRENO_MAX_OUTPUTS)
                sel_fail(ctx, "more than %u outputs", ADRENO_MAX_OUTPUTS);
            config->vs.outputs[config->vs.num_outputs++] =
                (struct adreno_vs_output){(uint8_t)location, (uint8_t)first, (uint8_t)count, 0};
            read_at_end(ctx, ending, output, first, count);
        }
    }
    if (ctx->m.shader->stage == IR_STAGE_geometry)
        read_at_end(ctx, ending, &ctx->outputs->at[0][ADRENO_LOCATION_FLAGS], 0, 1);
}

static unsigned mask_of(const struct sel_output *output)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < 4; i++)
        mask |= (unsigned)(output->component[i].kind != MACH_NONE) << i;
    return mask;
}

/* Colours in the order of their targets, then depth, stencil and samples: adreno_sel_finish_outputs goes the same
 * way. */
static void end_fragment(struct select *ctx, struct ending *ending)
{
    static const uint8_t others[] = {IR_LOCATION_frag_depth, IR_LOCATION_frag_stencil, IR_LOCATION_sample_mask};
    for (unsigned i = 0; i < ADRENO_MAX_TARGETS; i++) {
        const bool is_second = i == 1 && mask_of(&ctx->outputs->at[1][IR_LOCATION_VAR0]);
        const struct sel_output *output =
            is_second ? &ctx->outputs->at[1][IR_LOCATION_VAR0] : &ctx->outputs->at[0][IR_LOCATION_VAR0 + i];
        struct adreno_fs_color *color = &ctx->config->fs.colors[i];
        color->mask = (uint8_t)mask_of(output);
        ctx->config->fs.is_dual_source |= is_second;
        if (color->mask)
            read_at_end(ctx, ending, output, 0, 4);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
        if (ctx->outputs->at[0][others[i]].component[0].kind != MACH_NONE)
            read_at_end(ctx, ending, &ctx->outputs->at[0][others[i]], 0, 1);
    }
}

void adreno_sel_end(struct select *ctx)
{
    struct ending ending = {.count = 0};
    const enum ir_stage stage = ctx->m.shader->stage;
    const bool chains = !ctx->is_preamble && adreno_chains(ctx->m.shader, ctx->options->stage);
    if (ctx->is_preamble && ctx->kept_inputs) {
        ending.list[0] = mach_use(ctx->kept_inputs);
        ending.list[0].place = AIR_PLACE_NONE;
        ending.count = 1;
    } else if (chains)
        end_chained(ctx, &ending);
    else if (stage == IR_STAGE_vertex || stage == IR_STAGE_tess_eval || stage == IR_STAGE_geometry)
        end_vertex(ctx, &ending);
    else if (stage == IR_STAGE_fragment)
        end_fragment(ctx, &ending);
    ctx->end = mach_new_instr(&ctx->m.b, chains ? ADRENO_ISA_OP_CHSH : ADRENO_ISA_OP_END, 0, ending.count);
    for (unsigned i = 0; i < ending.count; i++)
        ctx->end->operands[i] = ending.list[i];
}

/* ---- after allocation ---- */

static uint8_t number_of(const struct select *ctx, const struct mach_operand *operand)
{
    return (uint8_t)(air_is_half(ctx->m.program->temps[operand->temp].class) ? operand->reg : operand->reg / 2);
}

static void finish_fragment(struct select *ctx, const struct mach_operand *next)
{
    struct adreno_shader_config *config = ctx->config;
    uint8_t *const others[] = {&config->fs.depth_reg, &config->fs.stencil_reg, &config->fs.sample_mask_out_reg};
    static const uint8_t locations[] = {IR_LOCATION_frag_depth, IR_LOCATION_frag_stencil, IR_LOCATION_sample_mask};
    for (unsigned i = 0; i < ADRENO_MAX_TARGETS; i++) {
        struct adreno_fs_color *color = &config->fs.colors[i];
        color->reg = ADRENO_REG_UNUSED;
        if (!color->mask)
            continue;
        color->is_half = air_is_half(ctx->m.program->temps[next->temp].class);
        color->reg = number_of(ctx, next++);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(others); i++)
        *others[i] = ctx->end && ctx->outputs->at[0][locations[i]].component[0].kind != MACH_NONE
                         ? number_of(ctx, next++)
                         : ADRENO_REG_UNUSED;
}

void adreno_sel_finish_outputs(struct select *ctx)
{
    const struct mach_operand *next = ctx->end ? ctx->end->operands : NULL;
    for (unsigned i = 0; next && i < ctx->config->vs.num_outputs; i++)
        ctx->config->vs.outputs[i].reg = number_of(ctx, &next[i]);
    if (next && ctx->m.shader->stage == IR_STAGE_geometry)
        ctx->config->gs.flags_reg = number_of(ctx, &next[ctx->config->vs.num_outputs]);
    if (ctx->m.shader->stage == IR_STAGE_fragment)
        finish_fragment(ctx, next);
}
