/* Images and samplers: sampling, gathering, fetching, reading, writing and asking. Atomics on texels are in
 * sp_atomic.c. */
#include "compiler/spirv/sp.h"

#include <string.h>

enum ir_dim sp_image_dim(struct sp *s, const struct sp_type *image)
{
    switch (image->image.dim) {
    case SpvDim1D:
        return IR_DIM_1d;
    case SpvDim2D:
        return image->image.ms ? IR_DIM_2dms : IR_DIM_2d;
    case SpvDim3D:
        return IR_DIM_3d;
    case SpvDimCube:
        return IR_DIM_cube;
    case SpvDimBuffer:
        return IR_DIM_buffer;
    case SpvDimSubpassData:
        return image->image.ms ? IR_DIM_subpass_ms : IR_DIM_subpass;
    default:
        sp_fail(s, "images of dimension %u", image->image.dim);
    }
}

/* Components of a coordinate without the layer. */
static uint32_t dim_comps(const struct sp_type *image)
{
    switch (image->image.dim) {
    case SpvDim1D:
    case SpvDimBuffer:
        return 1;
    case SpvDim3D:
    case SpvDimCube:
        return 3;
    default:
        return 2;
    }
}

uint32_t sp_image_format(const struct sp_type *image)
{
    /* VkFormat numbers, as the IR wants them. */
    static const uint8_t formats[] = {
        [SpvImageFormatRgba32f] = 109,    [SpvImageFormatRgba16f] = 97,       [SpvImageFormatR32f] = 100,
        [SpvImageFormatRgba8] = 37,       [SpvImageFormatRgba8Snorm] = 38,    [SpvImageFormatRg32f] = 103,
        [SpvImageFormatRg16f] = 83,       [SpvImageFormatR11fG11fB10f] = 122, [SpvImageFormatR16f] = 76,
        [SpvImageFormatRgba16] = 91,      [SpvImageFormatRgb10A2] = 64,       [SpvImageFormatRg16] = 77,
        [SpvImageFormatRg8] = 16,         [SpvImageFormatR16] = 70,           [SpvImageFormatR8] = 9,
        [SpvImageFormatRgba16Snorm] = 92, [SpvImageFormatRg16Snorm] = 78,     [SpvImageFormatRg8Snorm] = 17,
        [SpvImageFormatR16Snorm] = 71,    [SpvImageFormatR8Snorm] = 10,       [SpvImageFormatRgba32i] = 108,
        [SpvImageFormatRgba16i] = 96,     [SpvImageFormatRgba8i] = 42,        [SpvImageFormatR32i] = 99,
        [SpvImageFormatRg32i] = 102,      [SpvImageFormatRg16i] = 82,         [SpvImageFormatRg8i] = 21,
        [SpvImageFormatR16i] = 75,        [SpvImageFormatR8i] = 14,           [SpvImageFormatRgba32ui] = 107,
        [SpvImageFormatRgba16ui] = 95,    [SpvImageFormatRgba8ui] = 41,       [SpvImageFormatR32ui] = 98,
        [SpvImageFormatRgb10a2ui] = 68,   [SpvImageFormatRg32ui] = 101,       [SpvImageFormatRg16ui] = 81,
        [SpvImageFormatRg8ui] = 20,       [SpvImageFormatR16ui] = 74,         [SpvImageFormatR8ui] = 13,
        [SpvImageFormatR64ui] = 110,      [SpvImageFormatR64i] = 111,
    };
    return image->image.format < ARRAY_SIZE(formats) ? formats[image->image.format] : 0;
}

/* An image, sampler or sampled image, its handles usable here. */
static struct sp_value *sp_image_value(struct sp *s, uint32_t id, enum sp_kind kind)
{
    struct sp_value *value = sp_value(s, id);
    if (value->type->kind != kind || !value->c)
        sp_fail(s, "id %u is not the kind of image that is wanted", id);
    struct sp_value *copy = sp_new(s, struct sp_value);
    *copy = *value;
    copy->c = sp_new_array(s, struct ir_value *, 2);
    for (uint32_t i = 0; i < value->type->scalars; i++)
        copy->c[i] = sp_usable(s, value->c[i]);
    return copy;
}

static void note_access(struct sp *s, const struct sp_value *image, bool read, bool written)
{
    if (image->from)
        sp_note_access(s, image->from->variable, read, written, false, image->nonuniform);
}

void sp_do_sampled_image(struct sp *s, const struct sp_instr *in)
{
    struct sp_value *image = sp_image_value(s, sp_op(s, in, 0), SP_IMAGE);
    struct sp_value *sampler = sp_image_value(s, sp_op(s, in, 1), SP_SAMPLER);
    struct sp_type *type = sp_type(s, in->type);
    if (type->kind != SP_SAMPLED_IMAGE)
        sp_fail(s, "OpSampledImage gives no sampled image");
    note_access(s, sampler, true, false);
    struct sp_value *value = sp_result(s, in);
    value->c[0] = image->c[0];
    value->c[1] = sampler->c[0];
    value->access = image->access;
    value->from = image->from;
    value->nonuniform |= image->nonuniform || sampler->nonuniform;
}

void sp_do_image(struct sp *s, const struct sp_instr *in)
{
    struct sp_value *sampled = sp_image_value(s, sp_op(s, in, 0), SP_SAMPLED_IMAGE);
    if (sp_type(s, in->type)->kind != SP_IMAGE)
        sp_fail(s, "OpImage gives no image");
    struct sp_value *value = sp_result(s, in);
    value->c[0] = sampled->c[0];
    value->access = sampled->access;
    value->from = sampled->from;
    value->nonuniform |= sampled->nonuniform;
}

/* --- operands --- */

struct operands {
    uint32_t mask; /* 1 << enum ir_tex_operand */
    struct ir_value *values[IR_TEX_OPERAND_COUNT];
    const struct sp_value *offsets; /* four of them, for gather */
    uint32_t access;
};

static void set_operand(struct sp *s, struct operands *operands, enum ir_tex_operand which, struct ir_value *value)
{
    operands->mask |= 1u << which;
    operands->values[which] = value;
}

/* Floats of another width than the coordinate's are brought to 32 bits; integers, too. */
static struct ir_value *operand_vector(struct sp *s, uint32_t id)
{
    struct sp_type *type = sp_type_of(s, id);
    struct ir_value *c[4], **read;
    if (!sp_is_numeric(type) || type->bits == 1)
        sp_fail(s, "an image operand that is no number");
    read = sp_read(s, id);
    for (uint32_t i = 0; i < type->scalars; i++)
        c[i] = sp_scalar_type(type)->kind == SP_FLOAT
                   ? (read[i]->bits == 32 ? read[i] : ir_f2f(&s->b, 32, read[i], IR_ROUNDING_any))
                   : sp_to_bits(s, read[i], 32, type->is_signed);
    return ir_vec(&s->b, type->scalars, c);
}

static void read_operands(struct sp *s, const struct sp_instr *in, uint32_t at, struct operands *out)
{
    memset(out, 0, sizeof(*out));
    if (at >= in->count)
        return;
    uint32_t mask = in->ops[at++];
    if (mask & SpvImageOperandsBiasMask)
        set_operand(s, out, IR_TEX_bias, operand_vector(s, sp_op(s, in, at++)));
    if (mask & SpvImageOperandsLodMask)
        set_operand(s, out, IR_TEX_lod, operand_vector(s, sp_op(s, in, at++)));
    if (mask & SpvImageOperandsGradMask) {
        set_operand(s, out, IR_TEX_ddx, operand_vector(s, sp_op(s, in, at++)));
        set_operand(s, out, IR_TEX_ddy, operand_vector(s, sp_op(s, in, at++)));
    }
    if (mask & SpvImageOperandsConstOffsetMask)
        set_operand(s, out, IR_TEX_offset, operand_vector(s, sp_op(s, in, at++)));
    if (mask & SpvImageOperandsOffsetMask)
        set_operand(s, out, IR_TEX_offset, operand_vector(s, sp_op(s, in, at++)));
    if (mask & SpvImageOperandsConstOffsetsMask)
        out->offsets = sp_value(s, sp_op(s, in, at++));
    if (mask & SpvImageOperandsSampleMask)
        set_operand(s, out, IR_TEX_sample, operand_vector(s, sp_op(s, in, at++)));
    if (mask & SpvImageOperandsMinLodMask)
        set_operand(s, out, IR_TEX_min_lod, operand_vector(s, sp_op(s, in, at++)));
    if (mask & SpvImageOperandsMakeTexelAvailableMask)
        out->access |= sp_scope_access(s, sp_op(s, in, at++));
    if (mask & SpvImageOperandsMakeTexelVisibleMask)
        out->access |= sp_scope_access(s, sp_op(s, in, at++));
    if (mask & SpvImageOperandsVolatileTexelMask)
        out->access |= IR_ACCESS_VOLATILE | IR_ACCESS_COHERENT;
    if (mask & SpvImageOperandsNontemporalMask)
        out->access |= IR_ACCESS_NONTEMPORAL;
    if (mask & SpvImageOperandsOffsetsMask)
        sp_fail(s, "image operand Offsets is not supported");
}

/* --- textures --- */

/* Texels as the shader sees them: floats or integers. */
static bool is_integer(const struct sp_type *image)
{
    return image->element && image->element->kind == SP_INT;
}

static uint32_t access_of(const struct sp_value *image)
{
    return image->access | (is_integer(image->type) ? IR_ACCESS_INTEGER : 0);
}

/* Result bits are the image's: 32, or 64 for 64-bit images, or 16 where the module wants half. With a residency code,
 * which has 32, the texel is brought to its bits afterwards. */
static uint8_t bits_of(struct sp *s, const struct sp_instr *in, struct sp_type *type)
{
    if (!sp_is_numeric(type) || type->bits < 16)
        sp_fail(s, "%s: texels are no such thing", in->info->name);
    return type->bits;
}

static bool is_sparse(const struct sp_instr *in)
{
    return in->info->arg & SP_TEX_SPARSE;
}

/* Of a sparse instruction the second member: a struct of the code and the texel is its result. */
static struct sp_type *texel_type(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *type = sp_type(s, in->type);
    if (!is_sparse(in))
        return type;
    if (type->kind != SP_STRUCT || type->count != 2 || type->members[0].type->kind != SP_INT ||
        type->members[0].type->bits != 32)
        sp_fail(s, "%s gives a code and a texel", in->info->name);
    return type->members[1].type;
}

static uint8_t result_bits(struct sp *s, const struct sp_instr *in)
{
    uint8_t bits = bits_of(s, in, texel_type(s, in));
    if (!is_sparse(in))
        return bits;
    if (bits > 32)
        sp_fail(s, "%s: residency of 64-bit texels", in->info->name);
    return 32;
}

/* A component of what was read, as the module's type wants it. */
static struct ir_value *to_texel(struct sp *s, struct sp_type *type, struct ir_value *value)
{
    if (type->bits == value->bits)
        return value;
    return sp_scalar_type(type)->kind == SP_FLOAT ? ir_f2f(&s->b, type->bits, value, IR_ROUNDING_any)
                                                  : sp_to_bits(s, value, type->bits, false);
}

/* The code comes last in the IR and first in the module. */
static void set_texel(struct sp *s, const struct sp_instr *in, struct ir_value *vector)
{
    if (!is_sparse(in)) {
        sp_set_vector(s, in, vector);
        return;
    }
    struct sp_type *texel = texel_type(s, in);
    struct sp_value *value = sp_result(s, in);
    if (texel->scalars >= vector->comps)
        sp_fail(s, "%s: the result's type is not that of the operation", in->info->name);
    value->c[0] = ir_extract(&s->b, vector, vector->comps - 1u);
    for (uint32_t i = 0; i < texel->scalars; i++)
        value->c[1 + i] = to_texel(s, texel, ir_extract(&s->b, vector, i));
}

struct texture {
    const struct sp_value *value; /* image or sampled image */
    const struct sp_type *image;
    struct ir_value *coord;
    enum ir_tex_kind kind;
    uint32_t gather_comp, flags;
    struct operands operands;
};

static struct ir_value *emit_texture(struct sp *s, const struct texture *t, uint8_t bits, uint32_t comps)
{
    struct ir_value *values[1 + IR_TEX_OPERAND_COUNT];
    uint32_t count = 0;
    bool has_sampler = t->value->type->kind == SP_SAMPLED_IMAGE && t->kind != IR_TEX_KIND_fetch &&
                       t->kind != IR_TEX_KIND_query_size && t->kind != IR_TEX_KIND_query_levels &&
                       t->kind != IR_TEX_KIND_query_samples;
    struct ir_value *sampler = has_sampler ? t->value->c[1] : sp_undef(s, 32);
    values[count++] = t->coord ? t->coord : sp_imm(s, 32, 0); /* a question about the image as a whole has none */
    for (uint32_t i = 0; i < IR_TEX_OPERAND_COUNT; i++)
        if (t->operands.mask & 1u << i)
            values[count++] = t->operands.values[i];
    note_access(s, t->value, true, false);
    uint32_t flags = t->flags | (is_integer(t->image) ? IR_TEX_FLAG_INTEGER : 0);
    if (t->value->nonuniform && has_sampler)
        flags |= IR_TEX_FLAG_NONUNIFORM_SAMPLER;
    comps += flags & IR_TEX_FLAG_RESIDENCY ? 1 : 0;
    s->b.flags = t->value->nonuniform ? IR_FLAG_NONUNIFORM : 0;
    struct ir_value *result =
        ir_tex(&s->b, bits, (uint8_t)comps, t->value->c[0], sampler, count, values, t->kind, sp_image_dim(s, t->image),
               t->image->image.arrayed, t->operands.mask, t->gather_comp, flags);
    s->b.flags = 0;
    return result;
}

/* The image that is sampled: of a sampled image, or the image itself. */
static void read_texture(struct sp *s, uint32_t id, struct texture *t)
{
    enum sp_kind kind = sp_type_of(s, id)->kind;
    if (kind != SP_IMAGE && kind != SP_SAMPLED_IMAGE)
        sp_fail(s, "id %u is no image", id);
    t->value = sp_image_value(s, id, kind);
    t->image = kind == SP_IMAGE ? t->value->type : t->value->type->element;
}

/* The coordinate as floats, with as many components as the image has; Proj divides by the last. */
static void read_coord(struct sp *s, uint32_t id, struct texture *t, bool projected)
{
    struct sp_type *type = sp_type_of(s, id);
    uint32_t comps = dim_comps(t->image) + t->image->image.arrayed, given = comps + projected;
    struct ir_value *c[5], **read;
    if (!sp_is_numeric(type) || sp_scalar_type(type)->kind != SP_FLOAT || type->scalars < given)
        sp_fail(s, "the coordinate does not fit the image");
    read = sp_read(s, id);
    for (uint32_t i = 0; i < given; i++)
        c[i] = read[i]->bits == 32 ? read[i] : ir_f2f(&s->b, 32, read[i], IR_ROUNDING_any);
    for (uint32_t i = 0; projected && i < comps; i++)
        c[i] = ir_fdiv(&s->b, c[i], c[comps]);
    t->coord = ir_vec(&s->b, comps, c);
    if (projected && t->operands.mask & 1u << IR_TEX_compare) {
        struct ir_value **compare = &t->operands.values[IR_TEX_compare];
        *compare = ir_fdiv(&s->b, *compare, c[comps]);
    }
}

void sp_do_image_sample(struct sp *s, const struct sp_instr *in)
{
    struct texture t = {.kind = IR_TEX_KIND_sample, .flags = is_sparse(in) ? IR_TEX_FLAG_RESIDENCY : 0};
    bool compares = in->info->arg & SP_TEX_DREF;
    read_texture(s, sp_op(s, in, 0), &t);
    read_operands(s, in, compares ? 3 : 2, &t.operands);
    if (compares) {
        set_operand(s, &t.operands, IR_TEX_compare, operand_vector(s, sp_op(s, in, 2)));
        t.flags |= IR_TEX_FLAG_COMPARE;
    }
    read_coord(s, sp_op(s, in, 1), &t, in->info->arg & SP_TEX_PROJ);
    if (t.operands.mask & 1u << IR_TEX_lod)
        t.kind = IR_TEX_KIND_sample_lod;
    else if (t.operands.mask & 1u << IR_TEX_ddx)
        t.kind = IR_TEX_KIND_sample_grad;
    else
        s->shader->uses_derivatives = true;
    if (t.operands.mask & 1u << IR_TEX_sample || t.operands.offsets || t.image->image.ms ||
        t.image->image.dim == SpvDimBuffer)
        sp_fail(s, "%s of an image that cannot be filtered", in->info->name);
    set_texel(s, in, emit_texture(s, &t, result_bits(s, in), compares ? 1 : 4));
}

/* A gather looks at the first level, unless the module has ImageGatherBiasLodAMD: then at the one that it names, or
 * that of the derivatives, where there are any. No bias is one of zero. */
static void choose_gather_level(struct sp *s, struct texture *t)
{
    const uint32_t bias = 1u << IR_TEX_bias, lod = 1u << IR_TEX_lod;
    if (!s->gathers_at_levels) {
        if (t->operands.mask & (bias | lod))
            sp_fail(s, "a gather with a level needs ImageGatherBiasLodAMD");
    } else if (t->operands.mask & lod) {
        return;
    } else if (s->shader->stage != IR_STAGE_fragment) {
        t->operands.mask &= ~bias;
    } else {
        if (!(t->operands.mask & bias))
            set_operand(s, &t->operands, IR_TEX_bias, sp_imm(s, 32, 0));
        s->shader->uses_derivatives = true;
    }
}

void sp_do_image_gather(struct sp *s, const struct sp_instr *in)
{
    struct texture t = {.kind = IR_TEX_KIND_gather, .flags = is_sparse(in) ? IR_TEX_FLAG_RESIDENCY : 0};
    bool compares = in->info->arg & SP_TEX_DREF;
    read_texture(s, sp_op(s, in, 0), &t);
    read_operands(s, in, 3, &t.operands);
    if (compares) {
        set_operand(s, &t.operands, IR_TEX_compare, operand_vector(s, sp_op(s, in, 2)));
        t.flags |= IR_TEX_FLAG_COMPARE;
    } else {
        t.gather_comp = sp_constant_u32(s, sp_op(s, in, 2));
        if (t.gather_comp > 3)
            sp_fail(s, "%s of component %u", in->info->name, t.gather_comp);
    }
    read_coord(s, sp_op(s, in, 1), &t, false);
    choose_gather_level(s, &t);
    uint8_t bits = result_bits(s, in);
    if (!t.operands.offsets) {
        set_texel(s, in, emit_texture(s, &t, bits, 4));
        return;
    }
    /* Four offsets: each texel is the (i0, j0) of a gather of its own, which is the last component. */
    const struct sp_value *offsets = t.operands.offsets;
    if (offsets->type->scalars != 8 || !offsets->c)
        sp_fail(s, "%s: there must be four offsets", in->info->name);
    struct ir_value *texels[5];
    if (texel_type(s, in)->scalars != 4)
        sp_fail(s, "%s gives four components", in->info->name);
    for (uint32_t i = 0; i < 4; i++) {
        struct ir_value *pair[2] = {sp_usable(s, offsets->c[2 * i]), sp_usable(s, offsets->c[2 * i + 1])};
        set_operand(s, &t.operands, IR_TEX_offset, ir_vec(&s->b, 2, pair));
        struct ir_value *gathered = emit_texture(s, &t, bits, 4);
        texels[i] = ir_extract(&s->b, gathered, 3);
        if (is_sparse(in)) {
            struct ir_value *code = ir_extract(&s->b, gathered, 4);
            texels[4] = i ? ir_ior(&s->b, texels[4], code) : code;
        }
    }
    set_texel(s, in, ir_vec(&s->b, is_sparse(in) ? 5 : 4, texels));
}

/* Integer coordinates, with the layer, and the sample where there is one. */
static struct ir_value *sp_image_coord(struct sp *s, const struct sp_type *image, uint32_t id, struct ir_value *sample)
{
    struct sp_type *type = sp_type_of(s, id);
    /* A cube that is stored to is an array of faces. */
    uint32_t comps = image->image.dim == SpvDimCube ? 3 : dim_comps(image) + image->image.arrayed;
    struct ir_value *c[5], **read;
    if (!sp_is_numeric(type) || type->bits == 1 || type->scalars < comps)
        sp_fail(s, "the coordinate does not fit the image");
    read = sp_read(s, id);
    for (uint32_t i = 0; i < comps; i++)
        c[i] = sp_to_bits(s, read[i], 32, type->is_signed);
    if (sample)
        c[comps++] = sample;
    return ir_vec(&s->b, comps, c);
}

void sp_do_image_fetch(struct sp *s, const struct sp_instr *in)
{
    struct texture t = {.kind = IR_TEX_KIND_fetch, .flags = is_sparse(in) ? IR_TEX_FLAG_RESIDENCY : 0};
    read_texture(s, sp_op(s, in, 0), &t);
    read_operands(s, in, 2, &t.operands);
    t.coord = sp_image_coord(s, t.image, sp_op(s, in, 1), NULL);
    if (!(t.operands.mask & 1u << IR_TEX_lod) && !t.image->image.ms && t.image->image.dim != SpvDimBuffer)
        set_operand(s, &t.operands, IR_TEX_lod, sp_imm(s, 32, 0));
    if (is_sparse(in) && t.image->image.dim == SpvDimBuffer)
        sp_fail(s, "residency of texel buffers");
    set_texel(s, in, emit_texture(s, &t, result_bits(s, in), 4));
}

/* The texel of the pixel that is shaded, moved by the coordinate. */
static void read_subpass(struct sp *s, const struct sp_instr *in, const struct sp_value *image)
{
    struct texture t = {.kind = IR_TEX_KIND_fetch, .value = image};
    struct sp_type made = *image->type;
    struct ir_value *c[3], **by;
    if (s->shader->stage != IR_STAGE_fragment)
        sp_fail(s, "subpass data outside fragment shaders");
    read_operands(s, in, 2, &t.operands);
    struct sp_type *coord = sp_type_of(s, sp_op(s, in, 1));
    if (!sp_is_numeric(coord) || coord->scalars < 2 || coord->bits != 32)
        sp_fail(s, "the coordinate does not fit the image");
    by = sp_read(s, in->ops[1]);
    struct ir_value *position = sp_sysval(s, IR_SYSVAL_frag_coord, 32, 4);
    for (uint32_t i = 0; i < 2; i++)
        c[i] = ir_iadd(&s->b, ir_f2i(&s->b, 32, ir_extract(&s->b, position, i)), by[i]);
    c[2] = sp_sysval(s, IR_SYSVAL_layer_in, 32, 1);
    made.image.arrayed = true;
    t.image = &made;
    t.coord = ir_vec(&s->b, 3, c);
    sp_set_vector(s, in, emit_texture(s, &t, result_bits(s, in), 4));
}

/* --- storage images --- */

void sp_do_image_read(struct sp *s, const struct sp_instr *in)
{
    struct sp_value *image = sp_image_value(s, sp_op(s, in, 0), SP_IMAGE);
    struct operands operands;
    if (is_sparse(in) && (image->type->image.dim == SpvDimSubpassData || image->type->image.dim == SpvDimBuffer))
        sp_fail(s, "residency of texel buffers or attachments");
    if (image->type->image.dim == SpvDimSubpassData) {
        read_subpass(s, in, image);
        return;
    }
    read_operands(s, in, 2, &operands);
    struct ir_value *coord = sp_image_coord(s, image->type, sp_op(s, in, 1), operands.values[IR_TEX_sample]);
    struct ir_value *lod = operands.values[IR_TEX_lod] ? operands.values[IR_TEX_lod] : sp_imm(s, 32, 0);
    uint8_t bits = result_bits(s, in);
    note_access(s, image, true, false);
    s->b.flags = image->nonuniform ? IR_FLAG_NONUNIFORM : 0;
    const uint32_t access = access_of(image) | operands.access | (is_sparse(in) ? IR_ACCESS_RESIDENCY : 0);
    struct ir_value *texel =
        ir_load_image(&s->b, bits, is_sparse(in) ? 5 : 4, image->c[0], coord, lod, sp_image_dim(s, image->type),
                      image->type->image.arrayed, access, sp_image_format(image->type));
    s->b.flags = 0;
    set_texel(s, in, texel);
}

void sp_do_image_write(struct sp *s, const struct sp_instr *in)
{
    struct sp_value *image = sp_image_value(s, sp_op(s, in, 0), SP_IMAGE);
    struct operands operands;
    read_operands(s, in, 3, &operands);
    if (image->type->image.dim == SpvDimSubpassData)
        sp_fail(s, "subpass data cannot be written");
    struct ir_value *coord = sp_image_coord(s, image->type, sp_op(s, in, 1), operands.values[IR_TEX_sample]);
    struct ir_value *lod = operands.values[IR_TEX_lod] ? operands.values[IR_TEX_lod] : sp_imm(s, 32, 0);
    struct ir_value *texel = sp_read_vector(s, sp_op(s, in, 2));
    if (texel->bits < 16)
        sp_fail(s, "texels of %u bits", texel->bits);
    note_access(s, image, false, true);
    s->b.flags = image->nonuniform ? IR_FLAG_NONUNIFORM : 0;
    ir_store_image(&s->b, texel, image->c[0], coord, lod, sp_image_dim(s, image->type), image->type->image.arrayed,
                   access_of(image) | operands.access, sp_image_format(image->type));
    s->b.flags = 0;
}

/* --- questions --- */

void sp_do_image_resident(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *code = sp_type_of(s, sp_op(s, in, 0));
    if (sp_type(s, in->type)->kind != SP_BOOL || code->kind != SP_INT || code->bits != 32)
        sp_fail(s, "OpImageSparseTexelsResident of something that is no residency code");
    sp_result(s, in)->c[0] = ir_ieq(&s->b, sp_read_scalar(s, in->ops[0]), sp_imm(s, 32, 0));
}

static uint32_t size_comps(const struct sp_type *image)
{
    return (image->image.dim == SpvDimCube ? 2 : dim_comps(image)) + image->image.arrayed;
}

static void set_integers(struct sp *s, const struct sp_instr *in, struct ir_value *vector)
{
    struct sp_type *type = sp_type(s, in->type);
    if (!sp_is_numeric(type) || type->scalars != vector->comps || sp_scalar_type(type)->kind != SP_INT)
        sp_fail(s, "%s: the result's type is not that of the operation", in->info->name);
    struct sp_value *value = sp_result(s, in);
    for (uint32_t i = 0; i < type->scalars; i++)
        value->c[i] = sp_to_bits(s, ir_extract(&s->b, vector, i), type->bits, false);
}

void sp_do_image_query_size(struct sp *s, const struct sp_instr *in)
{
    struct texture t = {.kind = IR_TEX_KIND_query_size};
    read_texture(s, sp_op(s, in, 0), &t);
    bool sampled = t.value->type->kind == SP_SAMPLED_IMAGE || t.image->image.sampled == 1;
    struct ir_value *lod = in->count > 1 ? sp_to_bits(s, sp_read_scalar(s, in->ops[1]), 32, true) : sp_imm(s, 32, 0);
    uint32_t comps = size_comps(t.image);
    if (!sampled) {
        note_access(s, t.value, true, false);
        set_integers(
            s, in,
            ir_image_size(&s->b, (uint8_t)comps, t.value->c[0], lod, sp_image_dim(s, t.image), t.image->image.arrayed));
        return;
    }
    set_operand(s, &t.operands, IR_TEX_lod, lod);
    set_integers(s, in, emit_texture(s, &t, 32, comps));
}

void sp_do_image_query_lod(struct sp *s, const struct sp_instr *in)
{
    struct texture t = {.kind = IR_TEX_KIND_query_lod};
    struct sp_type *type = sp_type_of(s, sp_op(s, in, 1));
    read_texture(s, sp_op(s, in, 0), &t);
    /* No layer here, even of arrays. */
    uint32_t comps = dim_comps(t.image);
    struct ir_value *c[3], **read;
    if (!sp_is_numeric(type) || sp_scalar_type(type)->kind != SP_FLOAT || type->scalars < comps || type->bits != 32)
        sp_fail(s, "the coordinate does not fit the image");
    read = sp_read(s, in->ops[1]);
    for (uint32_t i = 0; i < comps; i++)
        c[i] = read[i];
    t.coord = ir_vec(&s->b, comps, c);
    s->shader->uses_derivatives = true;
    sp_set_vector(s, in, emit_texture(s, &t, 32, 2));
}

void sp_do_image_query_levels(struct sp *s, const struct sp_instr *in)
{
    struct texture t = {.kind = IR_TEX_KIND_query_levels};
    read_texture(s, sp_op(s, in, 0), &t);
    set_integers(s, in, emit_texture(s, &t, 32, 1));
}

void sp_do_image_query_samples(struct sp *s, const struct sp_instr *in)
{
    struct texture t = {.kind = IR_TEX_KIND_query_samples};
    read_texture(s, sp_op(s, in, 0), &t);
    if (t.value->type->kind == SP_IMAGE && t.image->image.sampled == 2) {
        note_access(s, t.value, true, false);
        set_integers(s, in, ir_image_samples(&s->b, t.value->c[0], sp_image_dim(s, t.image), t.image->image.arrayed));
        return;
    }
    set_integers(s, in, emit_texture(s, &t, 32, 1));
}

void sp_do_image_texel_pointer(struct sp *s, const struct sp_instr *in)
{
    struct sp_ptr *from = sp_pointer(s, sp_op(s, in, 0));
    if (from->mode != SP_PTR_RESOURCE || from->type->kind != SP_IMAGE)
        sp_fail(s, "OpImageTexelPointer to something that is no image");
    struct sp_type *type = sp_type(s, in->type);
    struct sp_ptr *ptr = sp_new(s, struct sp_ptr);
    struct ir_value *sample =
        from->type->image.ms ? sp_to_bits(s, sp_read_scalar(s, sp_op(s, in, 2)), 32, false) : NULL;
    if (type->kind != SP_POINTER || !type->element || type->element->scalars != 1)
        sp_fail(s, "OpImageTexelPointer gives no pointer");
    *ptr = (struct sp_ptr){.mode = SP_PTR_TEXEL,
                           .storage = type->storage,
                           .type = type->element,
                           .access = from->access,
                           .nonuniform = from->nonuniform,
                           .variable = from->variable};
    ptr->handle = sp_handle(s, from);
    ptr->coord = sp_image_coord(s, from->type, sp_op(s, in, 1), sample);
    ptr->image_type = from->type;
    sp_set_pointer(s, in, ptr);
}
