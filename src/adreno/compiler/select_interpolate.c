/* Fragment shaders: varyings by bary.f and flat.b, derivatives, places to interpolate at, what the rasteriser knows. */
#include "adreno/compiler/select.h"
#include "util/bits.h"
#include "util/half.h"

static struct mach_operand number(struct select *ctx, float value)
{
    return adreno_sel_constant(ctx, float_bits(value));
}

static mach_temp add_floats(struct select *ctx, struct mach_operand a, struct mach_operand b)
{
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_F, AIR_FULL(1), a, b);
}

static mach_temp multiply_floats(struct select *ctx, struct mach_operand a, struct mach_operand b)
{
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_MUL_F, AIR_FULL(1), a, b);
}
/* ---- derivatives ---- */

/* One instruction of category 5 on one register. */
static struct mach_instr *quad_instr(struct select *ctx, unsigned op, mach_temp result, mach_temp source)
{
    struct mach_instr *instr = adreno_sel_instr(ctx, op, result, 1, &(struct mach_operand){0});
    instr->operands[0] = mach_use(source);
    instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    const bool is_half = air_is_half(ctx->m.program->temps[source].class);
    air_isa(instr)->field[ADRENO_ISA_FIELD_TYPE] = is_half ? AIR_F16 : AIR_F32;
    air_isa(instr)->field[ADRENO_ISA_FIELD_FULL] = !is_half;
    air_isa(instr)->field[ADRENO_ISA_FIELD_WRMASK] = 1;
    return instr;
}

static mach_temp slope(struct select *ctx, mach_temp source, bool is_y)
{
    struct mach_class class = ctx->m.program->temps[source].class;
    const mach_temp result = mach_new_temp(ctx->m.program, class);
    quad_instr(ctx, is_y ? ADRENO_ISA_OP_DSY : ADRENO_ISA_OP_DSX, result, source);
    return result;
}

/* Each pixel's own: a pair of instructions that writes one register. */
static mach_temp fine_slope(struct select *ctx, mach_temp source, bool is_y)
{
    const unsigned op = is_y ? ADRENO_ISA_OP_DSYPP_1 : ADRENO_ISA_OP_DSXPP_1;
    const struct mach_class class = ctx->m.program->temps[source].class;
    const mach_temp first = mach_new_temp(ctx->m.program, class), result = mach_new_temp(ctx->m.program, class);
    quad_instr(ctx, op, first, source);
    const struct mach_operand operands[2] = {mach_use(first), mach_use(source)};
    struct mach_instr *second = adreno_sel_instr(ctx, op, result, 2, operands);
    second->is_tied = true;
    second->operands[0].place = AIR_PLACE_NONE;
    second->operands[1].place = ADRENO_ISA_PLACE_SRC0;
    air_isa(second)->field[ADRENO_ISA_FIELD_TYPE] = air_is_half(class) ? AIR_F16 : AIR_F32;
    air_isa(second)->field[ADRENO_ISA_FIELD_FULL] = !air_is_half(class);
    air_isa(second)->field[ADRENO_ISA_FIELD_WRMASK] = 1;
    air_isa(second)->field[ADRENO_ISA_FIELD_PROJ] = 1;
    return result;
}

static void select_derivative(struct select *ctx, const struct ir_instr *instr)
{
    const bool is_y = instr->op == IR_OP_fddy;
    mach_temp *regs = mach_alloc(ctx->m.program, sizeof(*regs));
    const mach_temp source = adreno_sel_reg(ctx, ir_src(instr, 0), 0);
    regs[0] = ir_imm(instr, IR_IMM_DERIVATIVE) == IR_DERIVATIVE_fine ? fine_slope(ctx, source, is_y)
                                                                     : slope(ctx, source, is_y);
    adreno_sel_set(ctx, &instr->def, regs);
    ctx->config->fs.has_implicit_lod = true;
}

/* ---- places to interpolate at ---- */

/* How the pair of the centre changes within the quad: taken at the start, where the whole quad is there. With
 * perspective i/w, j/w and 1/w are linear, not i and j. */
void adreno_sel_take_slopes(struct select *ctx, bool is_linear)
{
    struct sel_fragment *f = ctx->fragment;
    const enum adreno_ij center = is_linear ? ADRENO_IJ_LINEAR_PIXEL : ADRENO_IJ_PERSP_PIXEL;
    mach_temp pair[3];
    adreno_sel_split(ctx, f->ij[center], 2, pair);
    pair[2] = f->rhw;
    for (unsigned i = 0; i < 3; i++) {
        if (is_linear && i == 2)
            break;
        if (!is_linear && i < 2)
            pair[i] = multiply_floats(ctx, mach_use(pair[i]), mach_use(f->rhw));
        if (!is_linear)
            f->scaled[i] = pair[i];
        for (unsigned way = 0; way < 2; way++)
            f->slopes[is_linear][way][i] = slope(ctx, pair[i], way);
    }
    ctx->config->fs.has_implicit_lod = true;
}

/* From the pixel's centre. */
static void sample_place(struct select *ctx, mach_temp sample, mach_temp place_out[2])
{
    const mach_temp pair = mach_new_temp(ctx->m.program, AIR_FULL(2));
    struct mach_instr *get = quad_instr(ctx, ADRENO_ISA_OP_RGETPOS, pair, sample);
    air_isa(get)->field[ADRENO_ISA_FIELD_TYPE] = AIR_F32;
    air_isa(get)->field[ADRENO_ISA_FIELD_FULL] = 1;
    air_isa(get)->field[ADRENO_ISA_FIELD_WRMASK] = 3;
    adreno_sel_split(ctx, pair, 2, place_out);
}

static void load_bary_at(struct select *ctx, const struct ir_instr *instr)
{
    struct sel_fragment *f = ctx->fragment;
    const bool is_linear = ir_imm(instr, IR_IMM_INTERP) == IR_INTERP_noperspective;
    mach_temp at[3], offset[2], *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    if (ir_imm(instr, IR_IMM_BARY) == IR_BARY_at_sample) {
        sample_place(ctx, adreno_sel_reg(ctx, ir_src(instr, 0), 0), offset);
    } else {
        for (unsigned i = 0; i < 2; i++)
            offset[i] = adreno_sel_reg(ctx, ir_src(instr, 0), i);
    }
    if (is_linear)
        adreno_sel_split(ctx, f->ij[ADRENO_IJ_LINEAR_PIXEL], 2, at);
    for (unsigned i = 0; i < (is_linear ? 2 : 3); i++) {
        if (!is_linear)
            at[i] = f->scaled[i];
        for (unsigned way = 0; way < 2; way++) {
            const struct mach_operand operands[] = {mach_use(offset[way]), mach_use(f->slopes[is_linear][way][i]),
                                                    mach_use(at[i])};
            at[i] = adreno_sel_alu(ctx, ADRENO_ISA_OP_MAD_F32, AIR_FULL(1), 3, operands);
        }
    }
    if (!is_linear) {
        const struct mach_operand w = mach_use(at[2]);
        const mach_temp rcp = adreno_sel_alu(ctx, ADRENO_ISA_OP_RCP, AIR_FULL(1), 1, &w);
        for (unsigned i = 0; i < 2; i++)
            at[i] = multiply_floats(ctx, mach_use(at[i]), mach_use(rcp));
    }
    regs[0] = at[0];
    regs[1] = at[1];
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- interpolation ---- */

static mach_temp load_flat(struct select *ctx, uint64_t location, unsigned component)
{
    const uint8_t loc = ctx->fragment->loc_of[location + component / 4][component % 4];
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_FLAT_B, AIR_FULL(1), mach_number(loc), mach_number(loc));
}

static mach_temp load_smooth(struct select *ctx, struct mach_class class, mach_temp ij, uint64_t location,
                             unsigned component)
{
    const uint8_t loc = ctx->fragment->loc_of[location + component / 4][component % 4];
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_BARY_F, class, mach_number(loc), mach_use(ij));
}

/* The pair as the hardware gave it, where it did. */
static mach_temp pair_of(struct select *ctx, const struct ir_value *value)
{
    const struct ir_instr *def = ir_def_instr(value);
    if (def->op == IR_OP_load_bary)
        return ctx->fragment->ij[adreno_sel_ij(ctx, def)];
    const mach_temp pair[2] = {adreno_sel_reg(ctx, value, 0), adreno_sel_reg(ctx, value, 1)};
    return adreno_sel_tuple(ctx, 2, pair);
}

static void load_interp(struct select *ctx, const struct ir_instr *instr)
{
    const uint64_t location = adreno_sel_location(ctx, instr, 1);
    const mach_temp ij = pair_of(ctx, ir_src(instr, 0));
    mach_temp *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs));
    for (unsigned i = 0; i < instr->def.comps; i++)
        regs[i] = load_smooth(ctx, adreno_sel_class(&instr->def), ij, location, ir_imm(instr, IR_IMM_COMP) + i);
    adreno_sel_set(ctx, &instr->def, regs);
}

static bool is_float_input(const struct select *ctx, const struct ir_instr *instr)
{
    for (uint32_t i = 0; i < ctx->m.shader->num_inputs; i++) {
        if (ctx->m.shader->inputs[i].location == ir_imm(instr, IR_IMM_LOCATION))
            return ctx->m.shader->inputs[i].base == IR_BASE_float;
    }
    return false;
}

static void load_input(struct select *ctx, const struct ir_instr *instr)
{
    const uint64_t location = adreno_sel_location(ctx, instr, 0);
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const bool is_float = is_float_input(ctx, instr);
    mach_temp *regs = mach_alloc(ctx->m.program, count * sizeof(*regs));
    for (unsigned i = 0; i < count; i++) {
        regs[i] = load_flat(ctx, location, ir_imm(instr, IR_IMM_COMP) + i);
        if (instr->def.bits == 16)
            regs[i] =
                adreno_sel_move(ctx, is_float ? AIR_F32 : AIR_U32, is_float ? AIR_F16 : AIR_U16, mach_use(regs[i]));
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static void load_bary(struct select *ctx, const struct ir_instr *instr)
{
    mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    adreno_sel_split(ctx, ctx->fragment->ij[adreno_sel_ij(ctx, instr)], 2, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- system values ---- */

static mach_temp frag_coord(struct select *ctx, unsigned component)
{
    const struct sel_fragment *f = ctx->fragment;
    if (!(ctx->config->fs.coord_mask >> component & 1)) /* nothing reads it */
        return adreno_sel_number(ctx, AIR_FULL(1), 0);
    if (component >= 2)
        return f->zw[component - 2];
    const mach_temp fixed = adreno_sel_move(ctx, AIR_U32, AIR_F32, mach_use(f->xy[component]));
    return multiply_floats(ctx, mach_use(fixed), number(ctx, 1.0f / 16));
}

/* The pixel that a position is cut off to: without its bits below the point. */
static bool select_pixel(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_instr *part = ir_def_instr(ir_src(instr, 0));
    if (instr->def.bits != 32 || part->op != IR_OP_extract || ir_imm(part, IR_IMM_COMP) >= 2)
        return false;
    const struct ir_instr *position = ir_def_instr(ir_src(part, 0));
    if (position->op != IR_OP_load_sysval || ir_imm(position, IR_IMM_SYSVAL) != IR_SYSVAL_frag_coord)
        return false;
    mach_temp *regs = mach_alloc(ctx->m.program, sizeof(*regs));
    regs[0] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_FULL(1),
                              mach_use(ctx->fragment->xy[ir_imm(part, IR_IMM_COMP)]), mach_number(4));
    adreno_sel_set(ctx, &instr->def, regs);
    return true;
}

static mach_temp sample_position(struct select *ctx, unsigned component)
{
    mach_temp place[2];
    sample_place(ctx, adreno_sel_move(ctx, AIR_U16, AIR_U32, mach_use(ctx->fragment->sample_id)), place);
    return add_floats(ctx, mach_use(place[component]), number(ctx, 0.5f));
}

mach_temp adreno_sel_fragment_sysval(struct select *ctx, enum ir_sysval which, unsigned component)
{
    const struct sel_fragment *f = ctx->fragment;
    const bool is_multiview = ctx->options->stage && ctx->options->stage->fs.is_multiview;
    switch (which) {
    case IR_SYSVAL_frag_coord:
        return frag_coord(ctx, component);
    case IR_SYSVAL_point_coord:
        return load_smooth(ctx, AIR_FULL(1), f->ij[ADRENO_IJ_PERSP_PIXEL], ADRENO_LOCATION_POINT_COORD, component);
    case IR_SYSVAL_front_facing: /* -1 of a back face */
        return adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_S, 4 /* eq */, mach_use(f->face), mach_number(0));
    case IR_SYSVAL_sample_id:
        return adreno_sel_move(ctx, AIR_U16, AIR_U32, mach_use(f->sample_id));
    case IR_SYSVAL_sample_mask_in:
        return f->sample_mask;
    case IR_SYSVAL_sample_pos:
        return sample_position(ctx, component);
    case IR_SYSVAL_layer_in:
        return load_flat(ctx, is_multiview ? ADRENO_LOCATION_VIEW : IR_LOCATION_layer, 0);
    case IR_SYSVAL_viewport_in:
        return load_flat(ctx, IR_LOCATION_viewport, 0);
    case IR_SYSVAL_primitive_id:
        return load_flat(ctx, IR_LOCATION_primitive_id, 0);
    case IR_SYSVAL_view_index:
        return load_flat(ctx, ADRENO_LOCATION_VIEW, 0);
    default:
        return 0;
    }
}

bool adreno_select_interpolation(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_bary:
        load_bary(ctx, instr);
        return true;
    case IR_OP_load_bary_at:
        load_bary_at(ctx, instr);
        return true;
    case IR_OP_load_interp:
        load_interp(ctx, instr);
        return true;
    case IR_OP_load_input:
        load_input(ctx, instr);
        return true;
    case IR_OP_fddx:
    case IR_OP_fddy:
        select_derivative(ctx, instr);
        return true;
    case IR_OP_f2i:
    case IR_OP_f2u:
        return select_pixel(ctx, instr);
    default:
        return false;
    }
}
