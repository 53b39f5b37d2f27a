/* Fragment shaders: varyings, what the rasteriser knows, discards; at the end tests and colours. */
#include "mali/compiler/outputs.h"
#include "util/bits.h"

#define MAX_IMMEDIATE_B 255 /* of a varying's place that an instruction names itself */

enum special {
    POINT_X,
    POINT_Y,
    FRAGW,
    FRAGZ
};

static mach_temp coverage_word(struct select *ctx)
{
    return mali_sel_preloaded(ctx, 60);
}

/* Coverage, sample and centroid. */
static mach_temp sample_word(struct select *ctx)
{
    return mali_sel_preloaded(ctx, 61);
}

static bool is_per_sample(const struct select *ctx)
{
    return ctx->config->fs.is_per_sample;
}

/* ---- what the rasteriser knows ---- */

/* Where a varying is evaluated. */
struct way {
    unsigned sample; /* MALI_ISA_SAMPLE_* */
    struct mach_operand place;
    bool is_linear; /* on the screen */
};

static struct way own_way(struct select *ctx)
{
    return (struct way){.sample = is_per_sample(ctx) ? MALI_ISA_SAMPLE_SAMPLE : MALI_ISA_SAMPLE_CENTER,
                        .place = mach_use(sample_word(ctx))};
}

static mach_temp special_varying_at(struct select *ctx, enum special which, const struct way *way)
{
    const mach_temp result = SEL_ALU(ctx, MALI_ISA_OP_LD_VAR_SPECIAL, way->place);
    struct mali_isa_inst *isa = mali_sel_last(ctx);
    isa->field[MALI_ISA_FIELD_REGFMT] = MALI_ISA_REGFMT_F32;
    isa->field[MALI_ISA_FIELD_SAMPLE] = (uint8_t)way->sample;
    isa->field[MALI_ISA_FIELD_UPDATE] = MALI_ISA_UPDATE_STORE;
    isa->number[0] = which;
    return result;
}

static mach_temp special_varying(struct select *ctx, enum special which)
{
    const struct way way = own_way(ctx);
    return special_varying_at(ctx, which, &way);
}

static mach_temp sample_number(struct select *ctx)
{
    return SEL_ALU(ctx, MALI_ISA_OP_U8_TO_U32, sel_part(mach_use(sample_word(ctx)), MALI_ISA_BYTE_B2));
}

/* Where a sample is: 1/256 of a pixel from its corner, 16 bits each. */
static mach_temp sample_place(struct select *ctx, struct mach_operand sample)
{
    const mach_temp at = mali_sel_shift_left(ctx, sample, 2);
    const struct mach_operand address =
        mach_use(mali_sel_address(ctx, vir_special(VIR_SAMPLE_POSITIONS), mach_use(at)));
    return SEL_ALU(ctx, MALI_ISA_OP_LOAD_I32, address);
}

static mach_temp sample_position(struct select *ctx, unsigned axis)
{
    const mach_temp both = sample_place(ctx, mach_use(sample_number(ctx)));
    const mach_temp place = SEL_ALU(ctx, MALI_ISA_OP_U16_TO_F32,
                                    sel_part(mach_use(both), axis ? MALI_ISA_HALVES_H11 : MALI_ISA_HALVES_H00));
    return SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mach_use(place), mach_number(float_bits(1.0f / 256)),
                   sel_with(mach_number(0), MALI_ISA_FLAG_NEG));
}

static mach_temp pixel(struct select *ctx, unsigned axis)
{
    const struct mach_operand both = mach_use(mali_sel_preloaded(ctx, 59));
    const mach_temp corner =
        SEL_ALU(ctx, MALI_ISA_OP_U16_TO_F32, sel_part(both, axis ? MALI_ISA_HALVES_H11 : MALI_ISA_HALVES_H00));
    const struct mach_operand within =
        is_per_sample(ctx) ? mach_use(sample_position(ctx, axis)) : mach_number(float_bits(0.5f));
    return SEL_ALU(ctx, MALI_ISA_OP_FADD_F32, mach_use(corner), within);
}

/* The samples of the pixel that are covered; of an invocation for one sample, that one. */
static mach_temp covered_samples(struct select *ctx)
{
    const mach_temp all =
        SEL_ALU(ctx, MALI_ISA_OP_U16_TO_U32, sel_part(mach_use(sample_word(ctx)), MALI_ISA_HALVES_H00));
    if (!is_per_sample(ctx))
        return all;
    const mach_temp own = SEL_ALU(ctx, MALI_ISA_OP_LSHIFT_OR_I32, mach_number(1),
                                  mali_sel_bytes(mach_use(sample_number(ctx))), mach_number(0));
    return mali_sel_and(ctx, mach_use(all), mach_use(own));
}

mach_temp mali_sel_fragment_sysval(struct select *ctx, enum ir_sysval which, unsigned component)
{
    switch (which) {
    case IR_SYSVAL_frag_coord:
        return component < 2    ? pixel(ctx, component)
               : component == 2 ? special_varying(ctx, FRAGZ)
                                : special_varying(ctx, FRAGW);
    case IR_SYSVAL_point_coord:
        return special_varying(ctx, component ? POINT_Y : POINT_X);
    case IR_SYSVAL_front_facing:
        return mali_sel_compare(ctx, MALI_ISA_OP_ICMP_OR_U32, MALI_ISA_COND_EQ, mach_use(mali_sel_preloaded(ctx, 58)),
                                mach_number(0));
    case IR_SYSVAL_sample_id:
        return sample_number(ctx);
    case IR_SYSVAL_sample_mask_in:
        return covered_samples(ctx);
    case IR_SYSVAL_sample_pos:
        return sample_position(ctx, component);
    case IR_SYSVAL_viewport_in: /* there is one */
        return mali_sel_number(ctx, 0);
    case IR_SYSVAL_primitive_id:
        return mali_sel_preloaded(ctx, 57);
    case IR_SYSVAL_layer_in:
    case IR_SYSVAL_view_index:
        ctx->config->fs.reads_frame_argument = true;
        return mali_sel_preloaded(ctx, 62);
    default:
        return 0;
    }
}

/* ---- varyings ---- */

/* Offsets from the pixel's centre, as 1/256 of a pixel from its corner. */
static mach_temp explicit_place(struct select *ctx, const struct ir_value *offset)
{
    mach_temp axes[2];
    for (unsigned i = 0; i < 2; i++) {
        const mach_temp scaled = SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mali_sel_operand(ctx, offset, i),
                                         mach_number(float_bits(256)), mach_number(float_bits(128)));
        axes[i] = SEL_ALU(ctx, MALI_ISA_OP_F32_TO_S32, mach_use(scaled));
    }
    return SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I16, sel_part(mach_use(axes[0]), MALI_ISA_HALVES_H00),
                   sel_part(mach_use(axes[1]), MALI_ISA_HALVES_H00));
}

/* How a load finds its place: from the barycentric coordinates that it was given. */
static struct way way_of(struct select *ctx, const struct ir_value *bary)
{
    const struct ir_instr *def = ir_def_instr(bary);
    if (def->op != IR_OP_load_bary && def->op != IR_OP_load_bary_at)
        sel_fail(ctx, "barycentric coordinates that are computed");
    struct way way = own_way(ctx);
    way.is_linear = ir_imm(def, IR_IMM_INTERP) == IR_INTERP_noperspective;
    switch (ir_imm(def, IR_IMM_BARY)) {
    case IR_BARY_centroid:
        way.sample = MALI_ISA_SAMPLE_CENTROID;
        break;
    case IR_BARY_sample:
        way.sample = MALI_ISA_SAMPLE_SAMPLE;
        break;
    case IR_BARY_at_offset:
        way.sample = MALI_ISA_SAMPLE_EXPLICIT;
        way.place = mach_use(explicit_place(ctx, ir_src(def, 0)));
        break;
    case IR_BARY_at_sample:
        way.sample = MALI_ISA_SAMPLE_SAMPLE;
        way.place = mach_use(mali_sel_shift_left(ctx, mali_sel_operand(ctx, ir_src(def, 0), 0), 16));
        break;
    default:
        break;
    }
    return way;
}

/* `count` words of a varying, from component `first` on. */
static mach_temp load_packet(struct select *ctx, unsigned location, unsigned first, unsigned count, unsigned source,
                             const struct way *way)
{
    const unsigned number = location - IR_LOCATION_VAR0;
    if (location < IR_LOCATION_VAR0 || number >= MALI_MAX_VARYINGS ||
        ctx->varyings->offset_B[number] == MALI_VARYING_NONE)
        sel_fail(ctx, "the layout has no place for varying %u", number);
    const unsigned at_B = ctx->varyings->offset_B[number] + first * 4u;
    const mach_temp run = mach_new_temp(ctx->m.program, VIR_RUN(count));
    const struct mach_operand operands[] = {way->place, mach_number(at_B)};
    const bool is_far = at_B > MAX_IMMEDIATE_B;
    mali_sel_instr(ctx, is_far ? MALI_ISA_OP_LD_VAR_BUF_F32 : MALI_ISA_OP_LD_VAR_BUF_IMM_F32, run, is_far ? 2 : 1,
                   operands);
    struct mali_isa_inst *isa = mali_sel_last(ctx);
    isa->field[MALI_ISA_FIELD_VECTOR] = (uint8_t)(count - 1);
    isa->field[MALI_ISA_FIELD_SOURCE] = (uint8_t)source;
    isa->field[MALI_ISA_FIELD_SAMPLE] = (uint8_t)way->sample;
    isa->field[MALI_ISA_FIELD_UPDATE] = MALI_ISA_UPDATE_STORE;
    isa->number[0] = is_far ? 0 : at_B;
    return run;
}

static void set_words(struct select *ctx, const struct ir_instr *instr, mach_temp run, const struct way *way,
                      bool is_float)
{
    const unsigned count = instr->def.comps;
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    const mach_temp over_w = way->is_linear ? special_varying_at(ctx, FRAGW, way) : 0;
    mali_sel_split(ctx, run, count, regs);
    for (unsigned i = 0; i < count; i++) {
        if (way->is_linear)
            regs[i] = SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mach_use(regs[i]), mach_use(over_w),
                              sel_with(mach_number(0), MALI_ISA_FLAG_NEG));
        if (instr->def.bits == 16 && is_float)
            regs[i] = SEL_ALU(ctx, MALI_ISA_OP_V2F32_TO_V2F16, mach_use(regs[i]), mach_number(0));
    }
    mali_sel_set(ctx, &instr->def, regs);
}

static unsigned location_of(struct select *ctx, const struct ir_instr *instr, unsigned offset)
{
    if (!ir_is_const(ir_src(instr, offset)))
        sel_fail(ctx, "a varying that is indexed by a computed number");
    return ir_imm(instr, IR_IMM_LOCATION) + (unsigned)ir_const_u64(ir_src(instr, offset));
}

static void select_interpolated(struct select *ctx, const struct ir_instr *instr)
{
    const struct way way = way_of(ctx, ir_src(instr, 0));
    const unsigned location = location_of(ctx, instr, 1);
    const mach_temp run =
        load_packet(ctx, location, ir_imm(instr, IR_IMM_COMP), instr->def.comps, MALI_ISA_SOURCE_SRC_F32, &way);
    if (way.is_linear)
        ctx->config->fs.noperspective |= 1u << (location - IR_LOCATION_VAR0);
    set_words(ctx, instr, run, &way, true);
}

static bool is_float_input(const struct ir_shader *shader, unsigned location)
{
    for (uint32_t i = 0; i < shader->num_inputs; i++) {
        const struct ir_io_var *input = &shader->inputs[i];
        if (location >= input->location && location < input->location + MAX2(input->num_locations, 1u))
            return input->base == IR_BASE_float;
    }
    return false;
}

static void select_flat(struct select *ctx, const struct ir_instr *instr)
{
    const struct way way = {.sample = MALI_ISA_SAMPLE_CENTER, .place = mach_use(sample_word(ctx))};
    const unsigned location = location_of(ctx, instr, 0);
    if (instr->def.bits == 64)
        sel_fail(ctx, "a varying of 64 bits");
    const mach_temp run =
        load_packet(ctx, location, ir_imm(instr, IR_IMM_COMP), instr->def.comps, MALI_ISA_SOURCE_SRC_FLAT32, &way);
    set_words(ctx, instr, run, &way, is_float_input(ctx->m.shader, location));
}

/* ---- discards, derivatives ---- */

static void select_demote(struct select *ctx, const struct ir_instr *instr)
{
    const mach_temp one = mali_sel_and(ctx, mali_sel_operand(ctx, ir_src(instr, 0), 0), mach_number(float_bits(1)));
    const struct mach_operand operands[] = {mach_use(one), mach_number(0)};
    mali_sel_instr(ctx, MALI_ISA_OP_DISCARD_F32, 0, 2, operands)->has_effect = true;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_COND] = MALI_ISA_COND_NE;
    ctx->config->fs.has_discard = true;
}

static mach_temp of_quad(struct select *ctx, mach_temp x, struct mach_operand lane)
{
    const mach_temp result = SEL_ALU(ctx, MALI_ISA_OP_CLPER_I32, mach_use(x), mali_sel_bytes(lane));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_SUBGROUP] = MALI_ISA_SUBGROUP_SUBGROUP4;
    return result;
}

/* Lanes of a quad are 0 and 1 above 2 and 3. A coarse derivative is that of the first row or column. */
static void select_derivative(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned step = instr->op == IR_OP_fddx ? 1 : 2;
    const mach_temp x = mali_sel_move(ctx, mali_sel_operand(ctx, ir_src(instr, 0), 0));
    struct mach_operand first = mach_number(0), second = mach_number(step);
    if (ir_imm(instr, IR_IMM_DERIVATIVE) == IR_DERIVATIVE_fine) {
        const mach_temp row = mali_sel_and(ctx, vir_special(VIR_LANE_ID), mach_number(3 - step));
        first = mach_use(row);
        second = mach_use(mali_sel_or(ctx, mach_use(row), mach_number(step)));
    }
    const mach_temp a = of_quad(ctx, x, first), b = of_quad(ctx, x, second);
    const unsigned op = instr->def.bits == 32 ? MALI_ISA_OP_FADD_F32 : MALI_ISA_OP_FADD_V2F16;
    mach_select_set_one(&ctx->m, &instr->def, SEL_ALU(ctx, op, mach_use(b), sel_with(mach_use(a), MALI_ISA_FLAG_NEG)));
}

bool mali_select_fragment(struct select *ctx, const struct ir_instr *instr)
{
    if (ctx->m.shader->stage != IR_STAGE_fragment)
        return false;
    switch (instr->op) {
    case IR_OP_load_bary: /* looked at where they are used */
    case IR_OP_load_bary_at:
        return true;
    case IR_OP_load_interp:
        select_interpolated(ctx, instr);
        return true;
    case IR_OP_load_input:
        select_flat(ctx, instr);
        return true;
    case IR_OP_demote:
        select_demote(ctx, instr);
        return true;
    case IR_OP_fddx:
    case IR_OP_fddy:
        select_derivative(ctx, instr);
        return true;
    default:
        return false;
    }
}

/* ---- the end: tests and colours ---- */

/* Coverage after alpha to coverage and the tests: ATEST takes the alpha of target 0. */
static mach_temp put_test(struct select *ctx, struct mach_operand coverage)
{
    const struct sel_output *color = &ctx->outputs->at[0][IR_LOCATION_VAR0];
    const bool has_alpha = color->mask & 8 && color->base == IR_BASE_float;
    const struct mach_operand operands[] = {coverage, has_alpha ? color->component[3] : mach_number(float_bits(1)),
                                            vir_special(VIR_ATEST_DATUM)};
    const mach_temp result = mach_new_temp(ctx->m.program, VIR_RUN(1));
    mali_sel_instr(ctx, MALI_ISA_OP_ATEST, result, 3, operands)->has_effect = true;
    return result;
}

static mach_temp put_depth(struct select *ctx, mach_temp coverage)
{
    struct mali_shader_config *config = ctx->config;
    const struct mach_operand operands[] = {mali_sel_output(ctx, IR_LOCATION_frag_depth, 0, mach_number(0)),
                                            mali_sel_output(ctx, IR_LOCATION_frag_stencil, 0, mach_number(0)),
                                            mach_use(coverage)};
    const mach_temp result = mach_new_temp(ctx->m.program, VIR_RUN(1));
    mali_sel_instr(ctx, MALI_ISA_OP_ZS_EMIT, result, 3, operands)->has_effect = true;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_Z] = config->fs.writes_depth;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_STENCIL] = config->fs.writes_stencil;
    return result;
}

/* Registers of blend shaders: colours, what they may overwrite, and where they return to. */
#define CALL_COLOR 0
#define CALL_SECOND 4
#define CALL_OVERWRITTEN 16
#define CALL_RETURN 48
#define CALL_COVERAGE 60
#define CALL_WORDS 2 /* instructions of a call */

/* A copy in a register that is named. */
static mach_temp pin_value(struct select *ctx, mach_temp value, unsigned reg)
{
    const mach_temp copy = mach_new_temp(ctx->m.program, ctx->m.program->temps[value].class);
    struct mach_instr *instr = mach_new_instr(&ctx->m.b, MACH_P_COPY, 1, 1);
    instr->operands[0] = mach_use(value);
    instr->defs[0] = (struct mach_def){.temp = copy, .is_fixed = true, .reg = (mach_reg)reg};
    return copy;
}

static mach_temp color_run(struct select *ctx, unsigned index, unsigned target)
{
    const struct sel_output *color = &ctx->outputs->at[index][IR_LOCATION_VAR0 + target];
    struct mach_operand words[4];
    for (unsigned i = 0; i < 4; i++)
        words[i] = color->mask >> i & 1 ? color->component[i]
                                        : mach_number(i == 3 && color->base == IR_BASE_float ? float_bits(1) : 0);
    return mali_sel_run(ctx, 4, words);
}

static struct mach_instr *put_blend(struct select *ctx, unsigned target, unsigned num_defs, unsigned count,
                                    const struct mach_operand *operands)
{
    const unsigned base = ctx->outputs->at[0][IR_LOCATION_VAR0 + target].base;
    struct mach_instr *instr = mach_new_instr(&ctx->m.b, MALI_ISA_OP_BLEND, num_defs, count);
    struct mali_isa_inst *isa = vir_isa(instr);
    mali_isa_begin(MALI_ISA_OP_BLEND, isa);
    for (unsigned i = 0; i < count; i++) {
        instr->operands[i] = operands[i];
        instr->operands[i].place = i < 2 ? (uint8_t)i : operands[i].place;
    }
    instr->has_effect = true;
    isa->field[MALI_ISA_FIELD_VECTOR] = 3;
    isa->field[MALI_ISA_FIELD_REGFMT] = base == IR_BASE_float ? MALI_ISA_REGFMT_F32
                                        : base == IR_BASE_int ? MALI_ISA_REGFMT_S32
                                                              : MALI_ISA_REGFMT_U32;
    return instr;
}

static void put_color(struct select *ctx, unsigned target, mach_temp coverage)
{
    const struct mach_operand operands[] = {vir_special(VIR_BLEND_DESCRIPTOR + 2 * target), mach_use(coverage),
                                            sel_at(mach_use(color_run(ctx, 0, target)), VIR_STAGING0)};
    put_blend(ctx, target, 0, 3, operands);
}

/* BLEND goes over the call where the fixed function is enough. What the blend shader overwrites are results of BLEND
 * that nothing reads, so that nothing else is there, and no copy stands between it and the call. */
static void put_color_or_call(struct select *ctx, unsigned target, mach_temp coverage)
{
    const mach_temp color = color_run(ctx, 0, target);
    const mach_temp second = ctx->config->fs.is_dual_source && !target ? color_run(ctx, 1, target) : 0;
    const mach_temp pinned_coverage = pin_value(ctx, coverage, CALL_COVERAGE),
                    pinned_color = pin_value(ctx, color, CALL_COLOR);
    const mach_temp pinned_second = second ? pin_value(ctx, second, CALL_SECOND) : pinned_color;
    const struct mach_operand operands[] = {vir_special(VIR_BLEND_DESCRIPTOR + 2 * target), mach_use(pinned_coverage),
                                            sel_at(mach_use(pinned_color), VIR_STAGING0),
                                            sel_at(mach_use(pinned_second), VIR_NO_PLACE)};
    struct mach_instr *blend = put_blend(ctx, target, CALL_OVERWRITTEN + 1, 4, operands);
    for (unsigned i = 0; i <= CALL_OVERWRITTEN; i++)
        blend->defs[i] = (struct mach_def){.temp = mach_new_temp(ctx->m.program, VIR_RUN(1)),
                                           .is_fixed = true,
                                           .reg = (mach_reg)(i < CALL_OVERWRITTEN ? i : CALL_RETURN)};
    vir_isa(blend)->number[0] = CALL_WORDS;
    const struct mach_operand counter = vir_special(VIR_PROGRAM_COUNTER);
    const mach_temp after = mach_new_temp(ctx->m.program, VIR_RUN(1));
    struct mach_instr *add = mali_sel_instr(ctx, MALI_ISA_OP_IADD_IMM_I32, after, 1, &counter);
    add->defs[0] = (struct mach_def){.temp = after, .is_fixed = true, .reg = CALL_RETURN};
    vir_isa(add)->number[0] = 8 * (CALL_WORDS - 1); /* it reads as the next instruction's address */
    const struct mach_operand call[] = {mach_number(0), vir_special(VIR_BLEND_DESCRIPTOR + 2 * target + 1),
                                        sel_at(mach_use(after), VIR_NO_PLACE)};
    mali_sel_instr(ctx, MALI_ISA_OP_BRANCHZI, 0, 3, call)->has_effect = true;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_EQ] = mali_sel_last(ctx)->field[MALI_ISA_FIELD_ABSOLUTE] = 1;
    mali_sel_last(ctx)->flow = MALI_ISA_FLOW_RECONVERGE;
}

static void note_outputs(struct select *ctx)
{
    struct mali_shader_config *config = ctx->config;
    const struct ir_shader *shader = ctx->m.shader;
    config->fs.writes_depth = ctx->outputs->at[0][IR_LOCATION_frag_depth].mask != 0;
    config->fs.writes_stencil = ctx->outputs->at[0][IR_LOCATION_frag_stencil].mask != 0;
    config->fs.writes_mask = ctx->outputs->at[0][IR_LOCATION_sample_mask].mask != 0;
    config->fs.early_tests = shader->fs.early_tests;
    config->fs.post_depth_coverage = shader->fs.post_depth_coverage;
    config->fs.depth_layout = shader->fs.depth_layout;
    config->fs.needs_helpers = shader->uses_derivatives;
    for (unsigned i = 0; i < 8; i++) {
        if (ctx->outputs->at[0][IR_LOCATION_VAR0 + i].mask)
            config->fs.targets_written |= (uint8_t)(1u << i);
        config->fs.target_base[i] = ctx->outputs->at[0][IR_LOCATION_VAR0 + i].base;
        config->fs.is_dual_source |= ctx->outputs->at[1][IR_LOCATION_VAR0 + i].mask != 0;
    }
}

void mali_sel_end_fragment(struct select *ctx)
{
    struct mach_operand coverage = mach_use(coverage_word(ctx));
    note_outputs(ctx);
    const unsigned called =
        ctx->options->stage ? ctx->options->stage->fs.blend_shaders & ctx->config->fs.targets_written : 0;
    ctx->config->fs.may_call_blend_shader = called != 0;
    if (ctx->config->fs.writes_mask)
        coverage =
            mach_use(mali_sel_and(ctx, coverage, mali_sel_output(ctx, IR_LOCATION_sample_mask, 0, mach_number(0))));
    mach_temp left = put_test(ctx, coverage);
    if (ctx->config->fs.writes_depth || ctx->config->fs.writes_stencil)
        left = put_depth(ctx, left);
    bits_foreach (ctx->config->fs.targets_written, target) {
        if (called >> target & 1)
            put_color_or_call(ctx, (unsigned)target, left);
        else
            put_color(ctx, (unsigned)target, left);
    }
}
