/* Fragment shaders: varyings by bary.f and flat.b, what the rasteriser knows, places to interpolate at, kills. */
#include "adreno/compiler/select.h"
#include "util/bits.h"
#include "util/half.h"

#define NO_LOC 0xff

static struct air_operand number(struct select *ctx, float value)
{
    return adreno_sel_constant(ctx, float_bits(value));
}

static air_temp add(struct select *ctx, struct air_operand a, struct air_operand b)
{
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_F, AIR_FULL(1), a, b);
}

static air_temp multiply(struct select *ctx, struct air_operand a, struct air_operand b)
{
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_MUL_F, AIR_FULL(1), a, b);
}

/* ---- varyings: which are read, and where VPC has them ---- */

enum kind {
    UNREAD,
    SMOOTH,
    FLAT
};

struct varyings {
    uint8_t kind[SEL_LOCATIONS][4];
};

static void note(struct select *ctx, struct varyings *varyings, uint64_t location, unsigned first, unsigned count,
                 enum kind kind)
{
    for (unsigned i = first; i < first + count; i++) {
        if (location + i / 4 >= SEL_LOCATIONS)
            sel_fail(ctx, "there is no input location %u", (unsigned)(location + i / 4) - IR_LOCATION_VAR0);
        varyings->kind[location + i / 4][i % 4] = (uint8_t)kind;
    }
}

static void note_sysval(struct select *ctx, struct varyings *varyings, enum ir_sysval which)
{
    const bool is_multiview = ctx->options->stage && ctx->options->stage->fs.is_multiview;
    switch (which) {
    case IR_SYSVAL_point_coord:
        note(ctx, varyings, ADRENO_LOCATION_POINT_COORD, 0, 2, SMOOTH);
        break;
    case IR_SYSVAL_layer_in:
        note(ctx, varyings, is_multiview ? ADRENO_LOCATION_VIEW : IR_LOCATION_layer, 0, 1, FLAT);
        break;
    case IR_SYSVAL_viewport_in:
        note(ctx, varyings, IR_LOCATION_viewport, 0, 1, FLAT);
        break;
    case IR_SYSVAL_primitive_id:
        note(ctx, varyings, IR_LOCATION_primitive_id, 0, 1, FLAT);
        break;
    case IR_SYSVAL_view_index:
        note(ctx, varyings, ADRENO_LOCATION_VIEW, 0, 1, FLAT);
        break;
    default:
        break;
    }
}

static uint64_t location_of(struct select *ctx, const struct ir_instr *instr, unsigned operand)
{
    const struct ir_value *offset = ir_src(instr, operand);
    if (!ir_is_const(offset))
        sel_fail(ctx, "an input that is indexed by a computed number");
    return ir_imm(instr, IR_IMM_LOCATION) + ir_const_u64(offset);
}

static void note_instr(struct select *ctx, struct varyings *varyings, const struct ir_instr *instr)
{
    const bool is_smooth = instr->op == IR_OP_load_interp;
    if (instr->op == IR_OP_load_sysval)
        note_sysval(ctx, varyings, ir_imm(instr, IR_IMM_SYSVAL));
    if (is_smooth || instr->op == IR_OP_load_input)
        note(ctx, varyings, location_of(ctx, instr, is_smooth), ir_imm(instr, IR_IMM_COMP),
             instr->def.comps * adreno_sel_words(&instr->def), is_smooth ? SMOOTH : FLAT);
}

/* Runs of components of one kind, one after the other. */
static void place_varyings(struct select *ctx, const struct varyings *varyings)
{
    struct adreno_shader_config *config = ctx->config;
    for (unsigned location = 0; location < SEL_LOCATIONS; location++) {
        const uint8_t *kind = varyings->kind[location];
        for (unsigned first = 0, count; first < 4; first += count) {
            for (count = 1; first + count < 4 && kind[first + count] == kind[first];)
                count++;
            if (kind[first] == UNREAD)
                continue;
            if (config->fs.num_inputs == ADRENO_MAX_VARYINGS)
                sel_fail(ctx, "more than %u varyings", ADRENO_MAX_VARYINGS);
            config->fs.inputs[config->fs.num_inputs++] = (struct adreno_fs_input){
                .location = (uint8_t)location,
                .component = (uint8_t)first,
                .count = (uint8_t)count,
                .loc = config->fs.num_locs,
                .is_flat = kind[first] == FLAT,
            };
            for (unsigned i = 0; i < count; i++)
                ctx->fragment->loc_of[location][first + i] = config->fs.num_locs++;
        }
    }
    config->fs.has_varyings = config->fs.num_locs > 0;
}

/* ---- registers ---- */

struct needs {
    bool ij[ADRENO_IJ_COUNT];
    bool sysval[IR_SYSVAL_COUNT];
    bool slopes[2]; /* with perspective and without */
    uint8_t coords;
};

/* Where every sample has an invocation of its own, inputs are those of the sample, unless their place is decorated. */
enum adreno_ij adreno_sel_ij(const struct select *ctx, const struct ir_instr *instr)
{
    const bool is_linear = ir_imm(instr, IR_IMM_INTERP) == IR_INTERP_noperspective;
    const enum adreno_ij first = is_linear ? ADRENO_IJ_LINEAR_PIXEL : ADRENO_IJ_PERSP_PIXEL;
    switch (ir_imm(instr, IR_IMM_BARY)) {
    case IR_BARY_centroid:
        return first + (ADRENO_IJ_PERSP_CENTROID - ADRENO_IJ_PERSP_PIXEL);
    case IR_BARY_sample:
        return first + (ADRENO_IJ_PERSP_SAMPLE - ADRENO_IJ_PERSP_PIXEL);
    case IR_BARY_pixel:
        return ctx->fragment->is_per_sample ? first + (ADRENO_IJ_PERSP_SAMPLE - ADRENO_IJ_PERSP_PIXEL) : first;
    default:
        return first; /* from the centre on */
    }
}

static void note_coords(struct needs *needs, const struct ir_instr *instr)
{
    ir_foreach_use (&instr->def, use)
        needs->coords |=
            use->instr && use->instr->op == IR_OP_extract ? (uint8_t)(1u << ir_imm(use->instr, IR_IMM_COMP)) : 15;
}

static void find_needs(struct select *ctx, struct needs *needs, struct varyings *varyings)
{
    ir_foreach_block (ctx->shader, block) {
        ir_foreach_instr (block, instr) {
            note_instr(ctx, varyings, instr);
            if (instr->op == IR_OP_load_bary || instr->op == IR_OP_load_bary_at)
                needs->ij[adreno_sel_ij(ctx, instr)] = true;
            if (instr->op == IR_OP_load_bary_at)
                needs->slopes[ir_imm(instr, IR_IMM_INTERP) == IR_INTERP_noperspective] = true;
            if (instr->op != IR_OP_load_sysval)
                continue;
            needs->sysval[ir_imm(instr, IR_IMM_SYSVAL)] = true;
            if (ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_frag_coord)
                note_coords(needs, instr);
        }
    }
    needs->ij[ADRENO_IJ_PERSP_PIXEL] |= needs->sysval[IR_SYSVAL_point_coord];
}

static void take_inputs(struct select *ctx, const struct needs *needs)
{
    struct sel_fragment *f = ctx->fragment;
    struct adreno_shader_config *config = ctx->config;
    struct sel_start *start = adreno_sel_alloc(ctx, sizeof(*start));
    for (unsigned i = 0; i < ADRENO_IJ_COUNT; i++) {
        if (needs->ij[i])
            f->ij[i] = adreno_sel_take(ctx, start, AIR_FULL(2));
        config->fs.ij_reg[i] = adreno_sel_start_reg(ctx, start, f->ij[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (needs->coords & 3)
            f->xy[i] = adreno_sel_take(ctx, start, AIR_FULL(1));
    }
    for (unsigned i = 0; i < 2; i++) {
        if (needs->coords & 12)
            f->zw[i] = adreno_sel_take(ctx, start, AIR_FULL(1));
    }
    if (needs->slopes[0])
        f->rhw = adreno_sel_take(ctx, start, AIR_FULL(1));
    if (needs->sysval[IR_SYSVAL_sample_mask_in])
        f->sample_mask = adreno_sel_take(ctx, start, AIR_FULL(1));
    if (needs->sysval[IR_SYSVAL_front_facing])
        f->face = adreno_sel_take(ctx, start, AIR_HALF(1));
    if (needs->sysval[IR_SYSVAL_sample_id] || needs->sysval[IR_SYSVAL_sample_pos])
        f->sample_id = adreno_sel_take(ctx, start, AIR_HALF(1));
    config->fs.xy_reg = adreno_sel_start_reg(ctx, start, f->xy[0]);
    config->fs.zw_reg = adreno_sel_start_reg(ctx, start, f->zw[0]);
    config->fs.center_rhw_reg = adreno_sel_start_reg(ctx, start, f->rhw);
    config->fs.sample_mask_reg = adreno_sel_start_reg(ctx, start, f->sample_mask);
    config->fs.face_reg = adreno_sel_start_reg(ctx, start, f->face);
    config->fs.sample_id_reg = adreno_sel_start_reg(ctx, start, f->sample_id);
    config->fs.coord_mask = needs->coords;
    adreno_sel_find_prefetches(ctx, start);
    adreno_sel_start(ctx, start);
}

/* ---- derivatives ---- */

/* One instruction of category 5 on one register. */
static struct air_instr *quad_instr(struct select *ctx, unsigned op, air_temp result, air_temp source)
{
    struct air_instr *instr = adreno_sel_instr(ctx, op, result, 1, &(struct air_operand){0});
    instr->operands[0] = air_use(source);
    instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    const bool is_half = ctx->program->temps[source].class.is_half;
    instr->isa.field[ADRENO_ISA_FIELD_TYPE] = is_half ? AIR_F16 : AIR_F32;
    instr->isa.field[ADRENO_ISA_FIELD_FULL] = !is_half;
    instr->isa.field[ADRENO_ISA_FIELD_WRMASK] = 1;
    return instr;
}

static air_temp slope(struct select *ctx, air_temp source, bool is_y)
{
    struct air_class class = ctx->program->temps[source].class;
    const air_temp result = adreno_air_temp(ctx->program, class);
    quad_instr(ctx, is_y ? ADRENO_ISA_OP_DSY : ADRENO_ISA_OP_DSX, result, source);
    return result;
}

/* Each pixel's own: a pair of instructions that writes one register. */
static air_temp fine_slope(struct select *ctx, air_temp source, bool is_y)
{
    const unsigned op = is_y ? ADRENO_ISA_OP_DSYPP_1 : ADRENO_ISA_OP_DSXPP_1;
    const struct air_class class = ctx->program->temps[source].class;
    const air_temp first = adreno_air_temp(ctx->program, class), result = adreno_air_temp(ctx->program, class);
    quad_instr(ctx, op, first, source);
    const struct air_operand operands[2] = {air_use(first), air_use(source)};
    struct air_instr *second = adreno_sel_instr(ctx, op, result, 2, operands);
    second->is_tied = true;
    second->operands[0].place = AIR_PLACE_NONE;
    second->operands[1].place = ADRENO_ISA_PLACE_SRC0;
    second->isa.field[ADRENO_ISA_FIELD_TYPE] = class.is_half ? AIR_F16 : AIR_F32;
    second->isa.field[ADRENO_ISA_FIELD_FULL] = !class.is_half;
    second->isa.field[ADRENO_ISA_FIELD_WRMASK] = 1;
    second->isa.field[ADRENO_ISA_FIELD_PROJ] = 1;
    return result;
}

static void select_derivative(struct select *ctx, const struct ir_instr *instr)
{
    const bool is_y = instr->op == IR_OP_fddy;
    air_temp *regs = adreno_sel_alloc(ctx, sizeof(*regs));
    const air_temp source = adreno_sel_reg(ctx, ir_src(instr, 0), 0);
    regs[0] = ir_imm(instr, IR_IMM_DERIVATIVE) == IR_DERIVATIVE_fine ? fine_slope(ctx, source, is_y)
                                                                     : slope(ctx, source, is_y);
    adreno_sel_set(ctx, &instr->def, regs);
    ctx->config->fs.has_implicit_lod = true;
}

/* ---- places to interpolate at ---- */

/* How the pair of the centre changes within the quad: taken at the start, where the whole quad is there. With
 * perspective i/w, j/w and 1/w are linear, not i and j. */
static void take_slopes(struct select *ctx, bool is_linear)
{
    struct sel_fragment *f = ctx->fragment;
    const enum adreno_ij center = is_linear ? ADRENO_IJ_LINEAR_PIXEL : ADRENO_IJ_PERSP_PIXEL;
    air_temp pair[3];
    adreno_sel_split(ctx, f->ij[center], 2, pair);
    pair[2] = f->rhw;
    for (unsigned i = 0; i < 3; i++) {
        if (is_linear && i == 2)
            break;
        if (!is_linear && i < 2)
            pair[i] = multiply(ctx, air_use(pair[i]), air_use(f->rhw));
        if (!is_linear)
            f->scaled[i] = pair[i];
        for (unsigned way = 0; way < 2; way++)
            f->slopes[is_linear][way][i] = slope(ctx, pair[i], way);
    }
    ctx->config->fs.has_implicit_lod = true;
}

/* From the pixel's centre. */
static void sample_place(struct select *ctx, air_temp sample, air_temp place_out[2])
{
    const air_temp pair = adreno_air_temp(ctx->program, AIR_FULL(2));
    struct air_instr *get = quad_instr(ctx, ADRENO_ISA_OP_RGETPOS, pair, sample);
    get->isa.field[ADRENO_ISA_FIELD_TYPE] = AIR_F32;
    get->isa.field[ADRENO_ISA_FIELD_FULL] = 1;
    get->isa.field[ADRENO_ISA_FIELD_WRMASK] = 3;
    adreno_sel_split(ctx, pair, 2, place_out);
}

static void load_bary_at(struct select *ctx, const struct ir_instr *instr)
{
    struct sel_fragment *f = ctx->fragment;
    const bool is_linear = ir_imm(instr, IR_IMM_INTERP) == IR_INTERP_noperspective;
    air_temp at[3], offset[2], *regs = adreno_sel_alloc(ctx, 2 * sizeof(*regs));
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
            const struct air_operand operands[] = {air_use(offset[way]), air_use(f->slopes[is_linear][way][i]),
                                                   air_use(at[i])};
            at[i] = adreno_sel_alu(ctx, ADRENO_ISA_OP_MAD_F32, AIR_FULL(1), 3, operands);
        }
    }
    if (!is_linear) {
        const struct air_operand w = air_use(at[2]);
        const air_temp rcp = adreno_sel_alu(ctx, ADRENO_ISA_OP_RCP, AIR_FULL(1), 1, &w);
        for (unsigned i = 0; i < 2; i++)
            at[i] = multiply(ctx, air_use(at[i]), air_use(rcp));
    }
    regs[0] = at[0];
    regs[1] = at[1];
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- interpolation ---- */

static air_temp load_flat(struct select *ctx, uint64_t location, unsigned component)
{
    const uint8_t loc = ctx->fragment->loc_of[location + component / 4][component % 4];
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_FLAT_B, AIR_FULL(1), air_number(loc), air_number(loc));
}

static air_temp load_smooth(struct select *ctx, struct air_class class, air_temp ij, uint64_t location,
                            unsigned component)
{
    const uint8_t loc = ctx->fragment->loc_of[location + component / 4][component % 4];
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_BARY_F, class, air_number(loc), air_use(ij));
}

/* The pair as the hardware gave it, where it did. */
static air_temp pair_of(struct select *ctx, const struct ir_value *value)
{
    const struct ir_instr *def = ir_def_instr(value);
    if (def->op == IR_OP_load_bary)
        return ctx->fragment->ij[adreno_sel_ij(ctx, def)];
    const air_temp pair[2] = {adreno_sel_reg(ctx, value, 0), adreno_sel_reg(ctx, value, 1)};
    return adreno_sel_tuple(ctx, 2, pair);
}

static void load_interp(struct select *ctx, const struct ir_instr *instr)
{
    const uint64_t location = location_of(ctx, instr, 1);
    const air_temp ij = pair_of(ctx, ir_src(instr, 0));
    air_temp *regs = adreno_sel_alloc(ctx, instr->def.comps * sizeof(*regs));
    for (unsigned i = 0; i < instr->def.comps; i++)
        regs[i] = load_smooth(ctx, adreno_sel_class(&instr->def), ij, location, ir_imm(instr, IR_IMM_COMP) + i);
    adreno_sel_set(ctx, &instr->def, regs);
}

static bool is_float_input(const struct select *ctx, const struct ir_instr *instr)
{
    for (uint32_t i = 0; i < ctx->shader->num_inputs; i++) {
        if (ctx->shader->inputs[i].location == ir_imm(instr, IR_IMM_LOCATION))
            return ctx->shader->inputs[i].base == IR_BASE_float;
    }
    return false;
}

static void load_input(struct select *ctx, const struct ir_instr *instr)
{
    const uint64_t location = location_of(ctx, instr, 0);
    const unsigned count = instr->def.comps * adreno_sel_words(&instr->def);
    const bool is_float = is_float_input(ctx, instr);
    air_temp *regs = adreno_sel_alloc(ctx, count * sizeof(*regs));
    for (unsigned i = 0; i < count; i++) {
        regs[i] = load_flat(ctx, location, ir_imm(instr, IR_IMM_COMP) + i);
        if (instr->def.bits == 16)
            regs[i] =
                adreno_sel_move(ctx, is_float ? AIR_F32 : AIR_U32, is_float ? AIR_F16 : AIR_U16, air_use(regs[i]));
    }
    adreno_sel_set(ctx, &instr->def, regs);
}

static void load_bary(struct select *ctx, const struct ir_instr *instr)
{
    air_temp *regs = adreno_sel_alloc(ctx, 2 * sizeof(*regs));
    adreno_sel_split(ctx, ctx->fragment->ij[adreno_sel_ij(ctx, instr)], 2, regs);
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- system values ---- */

static air_temp frag_coord(struct select *ctx, unsigned component)
{
    const struct sel_fragment *f = ctx->fragment;
    if (!(ctx->config->fs.coord_mask >> component & 1)) /* nothing reads it */
        return adreno_sel_number(ctx, AIR_FULL(1), 0);
    if (component >= 2)
        return f->zw[component - 2];
    const air_temp fixed = adreno_sel_move(ctx, AIR_U32, AIR_F32, air_use(f->xy[component]));
    return multiply(ctx, air_use(fixed), number(ctx, 1.0f / 16));
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
    air_temp *regs = adreno_sel_alloc(ctx, sizeof(*regs));
    regs[0] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_SHR_B, AIR_FULL(1),
                              air_use(ctx->fragment->xy[ir_imm(part, IR_IMM_COMP)]), air_number(4));
    adreno_sel_set(ctx, &instr->def, regs);
    return true;
}

static air_temp sample_position(struct select *ctx, unsigned component)
{
    air_temp place[2];
    sample_place(ctx, adreno_sel_move(ctx, AIR_U16, AIR_U32, air_use(ctx->fragment->sample_id)), place);
    return add(ctx, air_use(place[component]), number(ctx, 0.5f));
}

air_temp adreno_sel_fragment_sysval(struct select *ctx, enum ir_sysval which, unsigned component)
{
    const struct sel_fragment *f = ctx->fragment;
    const bool is_multiview = ctx->options->stage && ctx->options->stage->fs.is_multiview;
    switch (which) {
    case IR_SYSVAL_frag_coord:
        return frag_coord(ctx, component);
    case IR_SYSVAL_point_coord:
        return load_smooth(ctx, AIR_FULL(1), f->ij[ADRENO_IJ_PERSP_PIXEL], ADRENO_LOCATION_POINT_COORD, component);
    case IR_SYSVAL_front_facing: /* -1 of a back face */
        return adreno_sel_compare(ctx, ADRENO_ISA_OP_CMPS_S, 4 /* eq */, air_use(f->face), air_number(0));
    case IR_SYSVAL_sample_id:
        return adreno_sel_move(ctx, AIR_U16, AIR_U32, air_use(f->sample_id));
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

/* ---- the program ---- */

static bool has_written_predicate(const struct select *ctx)
{
    air_foreach_instr(&ctx->program->blocks[ctx->block], instr)
    {
        for (unsigned i = 0; i < instr->num_defs; i++) {
            if (!instr->defs[i].temp && instr->defs[i].special == ADRENO_ISA_REG_P0)
                return true;
        }
    }
    return false;
}

/* Whether all that come here do so because of what p0.x has been since, and on which side of the branch. */
static bool is_after_branch(const struct select *ctx, const struct ir_instr *instr, bool *is_else_out)
{
    const struct ir_block *block = instr->block, *pred = block->num_preds == 1 ? block->preds[0] : NULL;
    if (!pred || !pred->succs[1] || ctx->block != ctx->block_of[block->index] || has_written_predicate(ctx))
        return false;
    *is_else_out = pred->succs[1] == block;
    return true;
}

static void select_demote(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *condition = ir_src(instr, 0);
    bool is_else = false;
    if (!ir_is_const(condition) || !ir_const_u64(condition) || !is_after_branch(ctx, instr, &is_else))
        adreno_sel_condition(ctx, condition);
    struct air_instr *kill = adreno_air_instr(&ctx->b, ADRENO_ISA_OP_KILL, 0, 1);
    kill->operands[0] = air_special(ADRENO_ISA_REG_P0);
    kill->operands[0].flags |= is_else ? ADRENO_ISA_FLAG_NOT : 0;
    kill->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    kill->has_effect = true;
    ctx->config->fs.has_kill = true;
}

void adreno_sel_begin_fragment(struct select *ctx)
{
    const struct ir_shader *shader = ctx->shader;
    struct adreno_shader_config *config = ctx->config;
    struct varyings *varyings = adreno_sel_alloc(ctx, sizeof(*varyings));
    struct needs needs = {0};
    ctx->fragment = adreno_sel_alloc(ctx, sizeof(*ctx->fragment));
    ctx->outputs = adreno_sel_alloc(ctx, sizeof(*ctx->outputs));
    ctx->fragment->loc_of = adreno_sel_alloc(ctx, SEL_LOCATIONS * sizeof(*ctx->fragment->loc_of));
    ctx->fragment->is_per_sample =
        shader->fs.sample_shading || (ctx->options->stage && ctx->options->stage->fs.is_per_sample);
    find_needs(ctx, &needs, varyings);
    place_varyings(ctx, varyings);
    take_inputs(ctx, &needs);
    for (unsigned i = 0; i < 2; i++) {
        if (needs.slopes[i])
            take_slopes(ctx, i);
    }
    config->fs.early_tests = shader->fs.early_tests;
    config->fs.post_depth_coverage = shader->fs.post_depth_coverage;
    config->fs.depth_layout = shader->fs.depth_layout;
    config->fs.is_per_sample = ctx->fragment->is_per_sample;
}

bool adreno_select_fragment(struct select *ctx, const struct ir_instr *instr)
{
    if (ctx->shader->stage != IR_STAGE_fragment)
        return false;
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
    case IR_OP_demote:
        select_demote(ctx, instr);
        return true;
    case IR_OP_f2i:
    case IR_OP_f2u:
        return select_pixel(ctx, instr);
    default:
        return false;
    }
}
