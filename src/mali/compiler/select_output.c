/* Outputs of vertex and fragment shaders: what is stored is kept until the program's end, and written there. Positions
 * go to the geometry buffer in pixels, varyings to the vertex's packet; fragments are in select_fragment.c. */
#include "mali/compiler/outputs.h"
#include "util/bits.h"

static enum ir_base base_of(const struct ir_shader *shader, unsigned location, unsigned component)
{
    for (uint32_t i = 0; i < shader->num_outputs; i++) {
        const struct ir_io_var *output = &shader->outputs[i];
        if (location >= output->location && location < output->location + MAX2(output->num_locations, 1u) &&
            component >= output->component && component < output->component + output->num_comps)
            return output->base;
    }
    return IR_BASE_float;
}

/* Outputs have 32 bits. */
static struct mach_operand widened(struct select *ctx, const struct ir_value *value, unsigned index, enum ir_base base)
{
    const struct mach_operand word = mali_sel_operand(ctx, value, index);
    if (value->bits >= 32)
        return word;
    if (base == IR_BASE_float)
        return mach_use(SEL_ALU(ctx, MALI_ISA_OP_F16_TO_F32, sel_part(word, MALI_ISA_HALFWORD_H0)));
    return mach_use(SEL_ALU(ctx, base == IR_BASE_int ? MALI_ISA_OP_S16_TO_S32 : MALI_ISA_OP_U16_TO_U32,
                            sel_part(word, MALI_ISA_HALVES_H00)));
}

/* A component as the value that it is made of: a constant, perhaps. */
static struct mach_operand component_of(struct select *ctx, const struct ir_value *value, unsigned index,
                                        enum ir_base base)
{
    const unsigned words = value->bits == 64 ? 2 : 1;
    const struct ir_value *part = ir_component(value, index / words);
    return part ? widened(ctx, part, index % words, base) : widened(ctx, value, index, base);
}

bool mali_select_output(struct select *ctx, const struct ir_instr *instr)
{
    if (instr->op != IR_OP_store_output)
        return false;
    const struct ir_value *value = ir_src(instr, 0), *offset = ir_src(instr, 1);
    if (!ir_is_const(offset))
        sel_fail(ctx, "an output that is indexed by a computed number");
    if (!ctx->outputs)
        sel_fail(ctx, "an output of a compute shader");
    const uint64_t location = ir_imm(instr, IR_IMM_LOCATION) + ir_const_u64(offset);
    const unsigned first = ir_imm(instr, IR_IMM_COMP);
    const unsigned set = ir_imm(instr, IR_IMM_DUAL_INDEX) % ctx->outputs->num_sets;
    const unsigned count = sel_num_parts(value);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t at = location + (first + i) / 4;
        if (at >= SEL_LOCATIONS)
            sel_fail(ctx, "there is no output location %u", (unsigned)at);
        const enum ir_base base = base_of(ctx->m.shader, (unsigned)at, (first + i) % 4);
        struct sel_output *output = &ctx->outputs->at[set][at];
        output->component[(first + i) % 4] = component_of(ctx, value, i, base);
        output->mask |= (uint8_t)(1u << (first + i) % 4);
        output->base = (uint8_t)base;
    }
    return true;
}

struct mach_operand mali_sel_output(const struct select *ctx, unsigned location, unsigned component,
                                    struct mach_operand otherwise)
{
    const struct sel_output *output = &ctx->outputs->at[ctx->outputs->set][location];
    return output->mask >> component & 1 ? output->component[component] : otherwise;
}

/* ---- vertices ---- */

#define OUTPUT_TABLE 13        /* 61, as fields of 4 bits have it */
#define MAX_RECIPROCAL 0x1p96f /* of w: what is larger would make infinities of pixels */

/* The address of element `index` of this vertex. */
static mach_temp output_address(struct select *ctx, unsigned index)
{
    struct mach_operand linear = mach_use(mali_sel_preloaded(ctx, 59));
    if (index)
        linear = mach_use(mali_sel_add(ctx, linear, mach_number(4 * index)));
    const mach_temp address = mach_new_temp(ctx->m.program, VIR_RUN(2));
    mali_sel_instr(ctx, MALI_ISA_OP_LEA_BUF_IMM, address, 1, &linear);
    mali_sel_last(ctx)->number[0] = OUTPUT_TABLE;
    return address;
}

static void store_output(struct select *ctx, mach_temp address, unsigned offset_B, unsigned op, mach_temp data)
{
    const struct mach_operand operands[] = {mach_use(address), sel_at(mach_use(data), VIR_STAGING0)};
    mali_sel_instr(ctx, op, 0, 2, operands)->has_effect = true;
    mali_sel_last(ctx)->number[0] = offset_B;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_ACCESS] = MALI_ISA_ACCESS_ESTREAM;
}

static struct mach_operand minus_zero(void)
{
    return sel_with(mach_number(0), MALI_ISA_FLAG_NEG);
}

/* 1 / w, and pixels and depth: clip / w * scale + offset. */
static void store_position(struct select *ctx, unsigned element)
{
    const struct mach_operand zero = mach_number(0), one = mach_number(float_bits(1));
    mach_temp reciprocal = SEL_ALU(ctx, MALI_ISA_OP_FRCP_F32, mali_sel_output(ctx, IR_LOCATION_position, 3, one));
    reciprocal = SEL_ALU(ctx, MALI_ISA_OP_FMIN_F32, mach_use(reciprocal), mach_number(float_bits(MAX_RECIPROCAL)));
    reciprocal = SEL_ALU(ctx, MALI_ISA_OP_FMAX_F32, mach_use(reciprocal), mach_number(float_bits(-MAX_RECIPROCAL)));
    struct mach_operand words[4];
    for (unsigned i = 0; i < 3; i++) {
        const mach_temp divided = SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mali_sel_output(ctx, IR_LOCATION_position, i, zero),
                                          mach_use(reciprocal), minus_zero());
        words[i] = mach_use(SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mach_use(divided),
                                    mali_sel_sysval(ctx, MALI_SYSVAL_VIEWPORT_SCALE, i),
                                    mali_sel_sysval(ctx, MALI_SYSVAL_VIEWPORT_OFFSET, i)));
    }
    words[3] = mach_use(reciprocal);
    store_output(ctx, output_address(ctx, element), 0, MALI_ISA_OP_STORE_I128, mali_sel_run(ctx, 4, words));
}

/* Beside it: the size of a point as a half, the layer as a byte. */
static void store_extra(struct select *ctx, unsigned element)
{
    const struct mach_operand size = mali_sel_output(ctx, IR_LOCATION_point_size, 0, mach_number(float_bits(1)));
    const mach_temp limited = SEL_ALU(ctx, MALI_ISA_OP_FMIN_F32, size, mach_number(float_bits(MALI_MAX_POINT_SIZE)));
    const mach_temp half = SEL_ALU(ctx, MALI_ISA_OP_V2F32_TO_V2F16, mach_use(limited), mach_number(0));
    const struct mach_operand layer = mali_sel_output(ctx, IR_LOCATION_layer, 0, mach_number(0));
    const mach_temp both = SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I16, sel_part(mach_use(half), MALI_ISA_HALVES_H00),
                                   sel_part(layer, MALI_ISA_HALVES_H00));
    store_output(ctx, output_address(ctx, element), 0, MALI_ISA_OP_STORE_I32, both);
}

static bool is_stored(const struct select *ctx, unsigned location)
{
    for (unsigned i = 0; i < ctx->outputs->num_sets; i++) {
        if (ctx->outputs->at[i][location].mask)
            return true;
    }
    return false;
}

static void end_positions(struct select *ctx, uint32_t view_mask)
{
    struct mali_shader_config *config = ctx->config;
    for (unsigned i = IR_LOCATION_clip_distance0; i <= IR_LOCATION_cull_distance1; i++) {
        if (is_stored(ctx, i))
            sel_fail(ctx, "clip and cull distances");
    }
    /* Of viewports there is one, so that its number need not be looked at. */
    config->vs.writes_point_size = is_stored(ctx, IR_LOCATION_point_size);
    config->vs.writes_layer = is_stored(ctx, IR_LOCATION_layer);
    config->vs.is_extended = config->vs.writes_point_size || config->vs.writes_layer;
    const unsigned elements = config->vs.is_extended ? 2 : 1;
    bits_foreach (view_mask, view) {
        ctx->outputs->set = ctx->is_by_view ? (unsigned)view : 0;
        store_position(ctx, (unsigned)view * elements);
        if (config->vs.is_extended)
            store_extra(ctx, (unsigned)view * elements + 1);
    }
}

/* ---- varyings ---- */

static mach_temp times_w(struct select *ctx, struct mach_operand word)
{
    const struct mach_operand w = mali_sel_output(ctx, IR_LOCATION_position, 3, mach_number(float_bits(1)));
    return SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, word, w, minus_zero());
}

/* A varying that a fragment shader multiplies by 1/w again is linear on the screen. `is_linear` 0: that is known. */
static struct mach_operand varying_word(struct select *ctx, unsigned location, unsigned component, mach_temp is_linear)
{
    const struct mach_operand word =
        mali_sel_output(ctx, IR_LOCATION_VAR0 + location, component, (struct mach_operand){.kind = MACH_UNDEF});
    if (word.kind == MACH_UNDEF)
        return word;
    if (is_linear)
        return mach_use(mali_sel_choose(ctx, mach_use(is_linear), mach_use(times_w(ctx, word)), word));
    return ctx->varyings->noperspective >> location & 1 ? mach_use(times_w(ctx, word)) : word;
}

/* The draw says what is linear, of floats. */
static mach_temp linear_of_draw(struct select *ctx, unsigned location)
{
    const struct sel_output *output = &ctx->outputs->at[ctx->outputs->set][IR_LOCATION_VAR0 + location];
    if (!ctx->is_apart || output->base != IR_BASE_float)
        return 0;
    return mali_sel_and(ctx, mali_sel_sysval(ctx, MALI_SYSVAL_NOPERSPECTIVE, 0), mach_number(1u << location));
}

static void store_location(struct select *ctx, mach_temp address, unsigned location)
{
    static const uint16_t ops[] = {MALI_ISA_OP_STORE_I32, MALI_ISA_OP_STORE_I64, MALI_ISA_OP_STORE_I96,
                                   MALI_ISA_OP_STORE_I128};
    const struct mali_varying_layout *layout = ctx->varyings;
    const unsigned mask = ctx->outputs->at[ctx->outputs->set][IR_LOCATION_VAR0 + location].mask;
    if (!mask || layout->offset_B[location] == MALI_VARYING_NONE)
        return;
    /* No further than the next location, where the packet has no more room. */
    unsigned room = 4, count = 0;
    for (unsigned i = 0; i < MALI_MAX_VARYINGS; i++) {
        if (layout->offset_B[i] != MALI_VARYING_NONE && layout->offset_B[i] > layout->offset_B[location])
            room = MIN2(room, (layout->offset_B[i] - layout->offset_B[location]) / 4u);
    }
    room = MIN2(room, (unsigned)(layout->size_B - layout->offset_B[location]) / 4);
    struct mach_operand words[4];
    const mach_temp is_linear = linear_of_draw(ctx, location);
    for (unsigned i = 0; i < room; i++) {
        words[i] = varying_word(ctx, location, i, is_linear);
        count = mask >> i & 1 ? i + 1 : count;
    }
    for (unsigned i = 0; i < count; i++) {
        if (words[i].kind == MACH_UNDEF)
            words[i] = mach_number(0);
    }
    if (count)
        store_output(ctx, address, layout->offset_B[location], ops[count - 1], mali_sel_run(ctx, count, words));
}

static void end_varyings(struct select *ctx, uint32_t view_mask)
{
    bits_foreach (view_mask, view) {
        ctx->outputs->set = ctx->is_by_view ? (unsigned)view : 0;
        const mach_temp address = output_address(ctx, (unsigned)view);
        for (unsigned location = 0; location < MALI_MAX_VARYINGS; location++)
            store_location(ctx, address, location);
    }
}

void mali_sel_end_vertex(struct select *ctx)
{
    const uint32_t mask = ctx->options->stage ? ctx->options->stage->vs.view_mask : 0;
    if (ctx->is_varying)
        end_varyings(ctx, mask ? mask : 1);
    else
        end_positions(ctx, mask ? mask : 1);
}
