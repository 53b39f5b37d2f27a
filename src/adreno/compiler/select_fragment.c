/* Fragment shaders: which varyings are read and where VPC has them, registers that the rasteriser fills, kills. Reading
 * them is in select_interpolate.c. */
#include "adreno/compiler/select.h"
#include "util/bits.h"
#include "util/half.h"

#define NO_LOC 0xff

/* ---- varyings: which are read, and where VPC has them ---- */

enum kind {
    UNREAD,
    SMOOTH,
    FLAT
};

struct varyings {
    uint8_t kind[SEL_LOCATIONS][4];
};

static void note_varying(struct select *ctx, struct varyings *varyings, uint64_t location, unsigned first,
                         unsigned count, enum kind kind)
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
        note_varying(ctx, varyings, ADRENO_LOCATION_POINT_COORD, 0, 2, SMOOTH);
        break;
    case IR_SYSVAL_layer_in:
        note_varying(ctx, varyings, is_multiview ? ADRENO_LOCATION_VIEW : IR_LOCATION_layer, 0, 1, FLAT);
        break;
    case IR_SYSVAL_viewport_in:
        note_varying(ctx, varyings, IR_LOCATION_viewport, 0, 1, FLAT);
        break;
    case IR_SYSVAL_primitive_id:
        note_varying(ctx, varyings, IR_LOCATION_primitive_id, 0, 1, FLAT);
        break;
    case IR_SYSVAL_view_index:
        note_varying(ctx, varyings, ADRENO_LOCATION_VIEW, 0, 1, FLAT);
        break;
    default:
        break;
    }
}

uint64_t adreno_sel_location(struct select *ctx, const struct ir_instr *instr, unsigned operand)
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
        note_varying(ctx, varyings, adreno_sel_location(ctx, instr, is_smooth), ir_imm(instr, IR_IMM_COMP),
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
    ir_foreach_block (ctx->m.shader, block) {
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
    struct sel_start *start = mach_alloc(ctx->m.program, sizeof(*start));
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

/* ---- the program ---- */

static bool has_written_predicate(const struct select *ctx)
{
    mach_foreach_instr(&ctx->m.program->blocks[ctx->m.block], instr)
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
    if (!pred || !pred->succs[1] || ctx->m.block != ctx->m.block_of[block->index] || has_written_predicate(ctx))
        return false;
    *is_else_out = pred->succs[1] == block;
    return true;
}

void adreno_sel_demote(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *condition = ir_src(instr, 0);
    bool is_else = false;
    if (!ir_is_const(condition) || !ir_const_u64(condition) || !is_after_branch(ctx, instr, &is_else))
        adreno_sel_condition(ctx, condition);
    struct mach_instr *kill = mach_new_instr(&ctx->m.b, ADRENO_ISA_OP_KILL, 0, 1);
    kill->operands[0] = air_special(ADRENO_ISA_REG_P0);
    kill->operands[0].flags |= is_else ? ADRENO_ISA_FLAG_NOT : 0;
    kill->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    kill->has_effect = true;
    ctx->config->fs.has_kill = ctx->m.shader->stage == IR_STAGE_fragment;
}

void adreno_sel_begin_fragment(struct select *ctx)
{
    const struct ir_shader *shader = ctx->m.shader;
    struct adreno_shader_config *config = ctx->config;
    struct varyings *varyings = mach_alloc(ctx->m.program, sizeof(*varyings));
    struct needs needs = {0};
    ctx->fragment = mach_alloc(ctx->m.program, sizeof(*ctx->fragment));
    ctx->outputs = mach_alloc(ctx->m.program, sizeof(*ctx->outputs));
    ctx->fragment->loc_of = mach_alloc(ctx->m.program, SEL_LOCATIONS * sizeof(*ctx->fragment->loc_of));
    ctx->fragment->is_per_sample =
        shader->fs.sample_shading || (ctx->options->stage && ctx->options->stage->fs.is_per_sample);
    find_needs(ctx, &needs, varyings);
    place_varyings(ctx, varyings);
    take_inputs(ctx, &needs);
    for (unsigned i = 0; i < 2; i++) {
        if (needs.slopes[i])
            adreno_sel_take_slopes(ctx, i);
    }
    config->fs.early_tests = shader->fs.early_tests;
    config->fs.post_depth_coverage = shader->fs.post_depth_coverage;
    config->fs.depth_layout = shader->fs.depth_layout;
    config->fs.is_per_sample = ctx->fragment->is_per_sample;
}

bool adreno_select_fragment(struct select *ctx, const struct ir_instr *instr)
{
    if (ctx->m.shader->stage != IR_STAGE_fragment)
        return false;
    if (instr->op != IR_OP_demote)
        return adreno_select_interpolation(ctx, instr);
    adreno_sel_demote(ctx, instr);
    return true;
}
