/* Textures to what the sampler takes, before descriptors are words: offsets of fetches are added to the coordinate,
 * gradients on cubes become a level of detail, and where there are no quads an implicit level is level 0. Questions
 * about an image are answered from its descriptor by lower_amd_query. */
#include "amd/compiler/lower_amd.h"

struct tex {
    struct ir_value *texture, *sampler, *coord, *op[IR_TEX_OPERAND_COUNT];
};

static struct tex read_tex(const struct ir_instr *instr)
{
    struct tex tex = {.texture = ir_src(instr, 0), .sampler = ir_src(instr, 1), .coord = ir_src(instr, 2)};
    uint32_t at = 3, mask = ir_imm(instr, IR_IMM_OPERANDS);
    for (unsigned i = 0; i < IR_TEX_OPERAND_COUNT; i++) {
        if (mask >> i & 1)
            tex.op[i] = ir_src(instr, at++);
    }
    return tex;
}

static struct ir_value *build_tex(struct ir_builder *b, const struct ir_instr *like, const struct tex *tex,
                                  uint32_t kind)
{
    struct ir_value *values[1 + IR_TEX_OPERAND_COUNT] = {tex->coord};
    uint32_t count = 1, mask = 0;
    for (unsigned i = 0; i < IR_TEX_OPERAND_COUNT; i++) {
        if (tex->op[i]) {
            values[count++] = tex->op[i];
            mask |= 1u << i;
        }
    }
    b->flags = like->flags;
    return ir_tex(b, like->def.bits, like->def.comps, tex->texture, tex->sampler, count, values, kind,
                  ir_imm(like, IR_IMM_DIM), ir_imm(like, IR_IMM_ARRAY), mask, ir_imm(like, IR_IMM_GATHER_COMP),
                  ir_imm(like, IR_IMM_TEX_FLAGS));
}

static struct ir_value *add_offset(struct ir_builder *b, struct ir_value *coord, struct ir_value *offset)
{
    struct ir_value *comps[4];
    for (unsigned i = 0; i < coord->comps; i++) {
        comps[i] = ir_extract(b, coord, i);
        if (i < offset->comps)
            comps[i] = ir_iadd(b, comps[i], ir_extract(b, offset, i));
    }
    return ir_vec(b, coord->comps, comps);
}

/* ---- cubes with gradients ---- */

/* The derivative of the two coordinates on the face, which are the minor axes over the major one, by the rule of
 * quotients. */
static struct ir_value *face_length(struct ir_builder *b, struct ir_value *const axis[3], struct ir_value *const d[3])
{
    struct ir_value *rcp = ir_frcp(b, axis[2]), *sum = NULL;
    for (unsigned i = 0; i < 2; i++) {
        struct ir_value *slope = ir_fmul(b, rcp, ir_ffma(b, ir_fneg(b, ir_fmul(b, axis[i], rcp)), d[2], d[i]));
        sum = sum ? ir_ffma(b, slope, slope, sum) : ir_fmul(b, slope, slope);
    }
    return sum;
}

/* The sampler takes gradients on the face, whose axes depend on the direction: a level of detail is the same for all
 * filters but the anisotropic. */
static struct ir_value *cube_level(struct ir_builder *b, const struct ir_instr *instr, const struct tex *tex)
{
    struct ir_value *p[3], *size, *axis[3], *square[2] = {NULL, NULL};
    for (unsigned i = 0; i < 3; i++)
        p[i] = ir_extract(b, tex->coord, i);
    struct ir_value *ax = ir_fabs(b, p[0]), *ay = ir_fabs(b, p[1]), *az = ir_fabs(b, p[2]);
    struct ir_value *z_major = ir_iand(b, ir_fge(b, az, ax), ir_fge(b, az, ay)), *y_major = ir_fge(b, ay, ax);
    for (unsigned way = 0; way < 2; way++) {
        struct ir_value *d = tex->op[way ? IR_TEX_ddy : IR_TEX_ddx], *minor[3];
        const unsigned order[3][3] = {{1, 2, 0}, {0, 2, 1}, {0, 1, 2}}; /* major x, y, z last */
        for (unsigned i = 0; i < 3; i++) {
            axis[i] = ir_select(b, z_major, p[order[2][i]], ir_select(b, y_major, p[order[1][i]], p[order[0][i]]));
            minor[i] = ir_select(b, z_major, ir_extract(b, d, order[2][i]),
                                 ir_select(b, y_major, ir_extract(b, d, order[1][i]), ir_extract(b, d, order[0][i])));
        }
        square[way] = face_length(b, axis, minor);
    }
    struct tex query = {.texture = tex->texture, .sampler = ir_undef(b, 32, 1), .coord = ir_undef(b, 32, 1)};
    query.op[IR_TEX_lod] = ir_const(b, 32, 0);
    struct ir_value *values[2] = {query.coord, query.op[IR_TEX_lod]};
    b->flags = instr->flags;
    size = ir_tex(b, 32, 2, query.texture, query.sampler, 2, values, IR_TEX_KIND_query_size, IR_DIM_cube, 0,
                  1u << IR_TEX_lod, 0, 0);
    struct ir_value *edge = ir_u2f(b, 32, ir_extract(b, size, 0), IR_ROUNDING_any),
                    *most = ir_fmax(b, square[0], square[1]);
    struct ir_value *level = ir_flog2(b, ir_fmul(b, most, ir_fmul(b, edge, edge)));
    return ir_ffma(b, level, ir_const_f(b, 32, 0.5), ir_const_f(b, 32, -1.0));
}

static struct ir_value *lower(struct ir_builder *b, struct ir_instr *instr)
{
    if (instr->op != IR_OP_tex)
        return NULL;
    struct tex tex = read_tex(instr);
    uint32_t kind = ir_imm(instr, IR_IMM_TEX_KIND);
    if (kind == IR_TEX_KIND_fetch && tex.op[IR_TEX_offset]) {
        tex.coord = add_offset(b, tex.coord, tex.op[IR_TEX_offset]);
        tex.op[IR_TEX_offset] = NULL;
        return build_tex(b, instr, &tex, kind);
    }
    if (kind == IR_TEX_KIND_sample_grad && ir_imm(instr, IR_IMM_DIM) == IR_DIM_cube) {
        struct ir_value *level = cube_level(b, instr, &tex);
        if (tex.op[IR_TEX_min_lod])
            level = ir_fmax(b, level, tex.op[IR_TEX_min_lod]);
        tex.op[IR_TEX_ddx] = tex.op[IR_TEX_ddy] = tex.op[IR_TEX_min_lod] = NULL;
        tex.op[IR_TEX_lod] = level;
        return build_tex(b, instr, &tex, IR_TEX_KIND_sample_lod);
    }
    if (kind == IR_TEX_KIND_sample && b->shader->stage != IR_STAGE_fragment && !b->shader->derivative_group) {
        tex.op[IR_TEX_bias] = tex.op[IR_TEX_min_lod] = NULL;
        tex.op[IR_TEX_lod] = ir_const_f(b, 32, 0.0);
        return build_tex(b, instr, &tex, IR_TEX_KIND_sample_lod);
    }
    return NULL;
}

bool lower_amd_image(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_amd_instrs(shader, lower);
}
