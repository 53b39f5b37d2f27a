/* Textures to what the sampler takes, before descriptors are words: offsets of fetches are added to the coordinate,
 * gradients on cubes become gradients on a face, and where there are no quads an implicit level is level 0. */
#include "compiler/lower/lower.h"

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

/* Which axis of a direction is the largest, z before y before x where they are equal, and whether it points backwards.
 */
struct face {
    struct ir_value *z_major, *y_major, *backwards;
};

static struct face find_face(struct ir_builder *b, struct ir_value *const p[3])
{
    struct ir_value *ax = ir_fabs(b, p[0]), *ay = ir_fabs(b, p[1]), *az = ir_fabs(b, p[2]);
    struct face face = {.z_major = ir_iand(b, ir_fge(b, az, ax), ir_fge(b, az, ay)), .y_major = ir_fge(b, ay, ax)};
    struct ir_value *major = ir_select(b, face.z_major, p[2], ir_select(b, face.y_major, p[1], p[0]));
    face.backwards = ir_flt(b, major, ir_const_f(b, 32, 0.0));
    return face;
}

static struct ir_value *negate_if(struct ir_builder *b, struct ir_value *condition, struct ir_value *x)
{
    return ir_select(b, condition, ir_fneg(b, x), x);
}

/* A vector in the axes of the face: to the right, down, out of it.
 *   +x -z -y    -x +z -y    +y +x +z    -y +x -z    +z +x -y    -z -x -y */
static void on_face(struct ir_builder *b, const struct face *face, struct ir_value *const v[3],
                    struct ir_value *axes_out[3])
{
    struct ir_value *z_right = negate_if(b, face->backwards, v[0]),
                    *x_right = ir_fneg(b, negate_if(b, face->backwards, v[2]));
    axes_out[0] = ir_select(b, face->z_major, z_right, ir_select(b, face->y_major, v[0], x_right));
    struct ir_value *y_down = negate_if(b, face->backwards, v[2]), *down = ir_fneg(b, v[1]),
                    *only_y = ir_iand(b, face->y_major, ir_inot(b, face->z_major));
    axes_out[1] = ir_select(b, only_y, y_down, down);
    struct ir_value *out = ir_select(b, face->z_major, v[2], ir_select(b, face->y_major, v[1], v[0]));
    axes_out[2] = negate_if(b, face->backwards, out);
}

/* The sampler takes gradients on the face, where a place is (right, down) / (2 out): by the rule of quotients the
 * derivative is (d right - right / out d out) / (2 out). */
static void face_gradients(struct ir_builder *b, struct tex *tex)
{
    struct ir_value *p[3], *place[3];
    for (unsigned i = 0; i < 3; i++)
        p[i] = ir_extract(b, tex->coord, i);
    struct face face = find_face(b, p);
    on_face(b, &face, p, place);
    struct ir_value *rcp = ir_frcp(b, place[2]), *half = ir_fmul(b, rcp, ir_const_f(b, 32, 0.5));
    for (unsigned way = IR_TEX_ddx; way <= IR_TEX_ddy; way++) {
        struct ir_value *v[3], *d[3], *slope[2];
        for (unsigned i = 0; i < 3; i++)
            v[i] = ir_extract(b, tex->op[way], i);
        on_face(b, &face, v, d);
        for (unsigned i = 0; i < 2; i++) {
            struct ir_value *shift = ir_fneg(b, ir_fmul(b, place[i], rcp));
            slope[i] = ir_fmul(b, ir_ffma(b, shift, d[2], d[i]), half);
        }
        tex->op[way] = ir_vec(b, 2, slope);
    }
}

static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    if (instr->op != IR_OP_tex)
        return NULL;
    struct tex tex = read_tex(instr);
    uint32_t kind = ir_imm(instr, IR_IMM_TEX_KIND);
    const struct ir_target *target = b->shader->target;
    if (kind == IR_TEX_KIND_fetch && target->lacks_fetch_offset && tex.op[IR_TEX_offset]) {
        tex.coord = add_offset(b, tex.coord, tex.op[IR_TEX_offset]);
        tex.op[IR_TEX_offset] = NULL;
        return build_tex(b, instr, &tex, kind);
    }
    if (kind == IR_TEX_KIND_sample_grad && target->takes_face_gradients && ir_imm(instr, IR_IMM_DIM) == IR_DIM_cube &&
        tex.op[IR_TEX_ddx]->comps == 3) {
        b->flags = 0;
        face_gradients(b, &tex);
        return build_tex(b, instr, &tex, kind);
    }
    if (kind == IR_TEX_KIND_sample && b->shader->stage != IR_STAGE_fragment && !b->shader->derivative_group) {
        tex.op[IR_TEX_bias] = tex.op[IR_TEX_min_lod] = NULL;
        tex.op[IR_TEX_lod] = ir_const_f(b, 32, 0.0);
        return build_tex(b, instr, &tex, IR_TEX_KIND_sample_lod);
    }
    return NULL;
}

bool lower_tex(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_instr);
}
