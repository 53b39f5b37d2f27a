/* Textures: TEX_* with their staging registers: coordinates, layer, reference, offsets, level or bias, gradient
 * descriptor. What a descriptor says of itself is asked by lower_mali.c. */
#include <math.h>

#include "mali/compiler/select.h"
#include "util/bits.h"

#define MAX_STAGING 8
#define NARROW_INDICES 2048 /* descriptors of a table that a handle of 16 bits names */
#define NARROW_TABLES 12

struct request {
    unsigned op;
    struct mach_operand staging[MAX_STAGING];
    unsigned count;
    struct mach_operand texture, sampler; /* handles */
    unsigned mask, dimension, type;
    unsigned lod_mode;
    bool is_array, is_shadow, has_offsets;
    unsigned component; /* of a gather */
    bool has_derivatives, is_bias_disabled, is_clamp_disabled;
};

struct tex {
    const struct ir_instr *instr;
    const struct ir_value *coord, *op[IR_TEX_OPERAND_COUNT];
    unsigned kind, dim;
    bool is_array, is_integer;
};

static struct tex read_tex(const struct ir_instr *instr)
{
    struct tex tex = {.instr = instr,
                      .coord = ir_src(instr, 2),
                      .kind = ir_imm(instr, IR_IMM_TEX_KIND),
                      .dim = ir_imm(instr, IR_IMM_DIM),
                      .is_array = ir_imm(instr, IR_IMM_ARRAY),
                      .is_integer = ir_imm(instr, IR_IMM_TEX_FLAGS) & IR_TEX_FLAG_INTEGER};
    uint32_t at = 3;
    const uint32_t mask = ir_imm(instr, IR_IMM_OPERANDS);
    for (unsigned i = 0; i < IR_TEX_OPERAND_COUNT; i++) {
        if (mask >> i & 1)
            tex.op[i] = ir_src(instr, at++);
    }
    return tex;
}

/* ---- which texture and sampler ---- */

/* From a handle's descriptor to its sampler's. The layout decides, not the variable: a plain sampler may stand on a
 * binding that has images with their samplers. All of a choice are of one binding. */
static uint32_t sampler_distance(struct select *ctx, const struct ir_value *handle, unsigned depth)
{
    const struct ir_instr *def = ir_def_instr(handle);
    if (def->op == IR_OP_resource)
        return mali_sel_layout(ctx, def)->sampler;
    uint32_t distance = 0;
    for (uint32_t i = 0; i < def->num_srcs && depth && !distance; i++) {
        if (ir_src(def, i)->bits == 32)
            distance = sampler_distance(ctx, ir_src(def, i), depth - 1);
    }
    return distance;
}

static bool is_narrow(struct mach_operand handle)
{
    const uint32_t number = (uint32_t)handle.value;
    return handle.kind == MACH_NUMBER && number >> 24 < NARROW_TABLES && (number & 0xffffff) < NARROW_INDICES;
}

static uint32_t narrow_handle(struct mach_operand handle)
{
    const uint32_t number = (uint32_t)handle.value;
    return number >> 24 << 11 | (number & 0x7ff);
}

/* Both handles in one word, where they are known and small; else the sampler's and the texture's. */
static struct mach_operand name_handles(struct select *ctx, const struct request *r, bool *is_wide)
{
    *is_wide = !is_narrow(r->texture) || !is_narrow(r->sampler);
    if (!*is_wide)
        return mach_number(narrow_handle(r->texture) << 16 | narrow_handle(r->sampler));
    const struct mach_operand both[] = {r->sampler, r->texture};
    return mach_use(mali_sel_run(ctx, 2, both));
}

static void find_handles(struct select *ctx, const struct tex *tex, struct request *r)
{
    const struct ir_value *texture = ir_src(tex->instr, 0), *sampler = ir_src(tex->instr, 1);
    r->texture = mali_sel_handle(ctx, texture, 0);
    if (tex->kind == IR_TEX_KIND_fetch || ir_is_undef(sampler)) {
        r->sampler = mach_number((uint32_t)MALI_DRIVER_TABLE << 24 | MALI_DRIVER_SAMPLER);
        ctx->config->uses_driver_sampler = true;
        ctx->config->tables_used |= 1u << MALI_DRIVER_TABLE;
        return;
    }
    r->sampler = mali_sel_handle(ctx, sampler, sampler_distance(ctx, sampler, 4));
}

/* ---- the instruction ---- */

static mach_temp build_request(struct select *ctx, const struct request *r)
{
    bool is_wide;
    const struct mach_operand handles = name_handles(ctx, r, &is_wide);
    const struct mach_operand operands[] = {handles,
                                            sel_at(mach_use(mali_sel_run(ctx, r->count, r->staging)), VIR_STAGING1)};
    const mach_temp result = mach_new_temp(ctx->m.program, VIR_RUN((unsigned)__builtin_popcount(r->mask)));
    mali_sel_instr(ctx, r->op, result, 2, operands);
    uint8_t *field = mali_sel_last(ctx)->field;
    field[MALI_ISA_FIELD_TYPE] = (uint8_t)r->type;
    field[MALI_ISA_FIELD_WIDTH] = MALI_ISA_WIDTH_32;
    field[MALI_ISA_FIELD_MASK] = (uint8_t)r->mask;
    field[MALI_ISA_FIELD_DIMENSION] = (uint8_t)r->dimension;
    field[MALI_ISA_FIELD_WIDE_INDICES] = is_wide;
    if (r->op == MALI_ISA_OP_TEX_GRADIENT) {
        field[MALI_ISA_FIELD_LOD_BIAS_DISABLE] = r->is_bias_disabled;
        field[MALI_ISA_FIELD_LOD_CLAMP_DISABLE] = r->is_clamp_disabled;
        field[MALI_ISA_FIELD_DERIVATIVE_ENABLE] = r->has_derivatives;
        return result;
    }
    field[MALI_ISA_FIELD_ARRAY_ENABLE] = r->is_array;
    field[MALI_ISA_FIELD_TEXEL_OFFSET] = r->has_offsets;
    if (r->op != MALI_ISA_OP_TEX_FETCH)
        field[MALI_ISA_FIELD_SHADOW] = r->is_shadow;
    if (r->op == MALI_ISA_OP_TEX_SINGLE)
        field[MALI_ISA_FIELD_LOD] = (uint8_t)r->lod_mode;
    if (r->op == MALI_ISA_OP_TEX_GATHER)
        field[MALI_ISA_FIELD_GATHER] = (uint8_t)r->component;
    return result;
}

static void add_operand(struct request *r, struct mach_operand operand)
{
    r->staging[r->count++] = operand;
}

/* ---- operands ---- */

static unsigned dimension_of(unsigned dim)
{
    switch (dim) {
    case IR_DIM_1d:
        return MALI_ISA_DIMENSION_1D;
    case IR_DIM_3d:
        return MALI_ISA_DIMENSION_3D;
    case IR_DIM_cube:
        return MALI_ISA_DIMENSION_CUBE;
    default:
        return MALI_ISA_DIMENSION_2D;
    }
}

static unsigned axes_of(unsigned dim)
{
    return dim == IR_DIM_1d || dim == IR_DIM_buffer ? 1 : dim == IR_DIM_3d || dim == IR_DIM_cube ? 3 : 2;
}

static struct mach_operand word(struct select *ctx, const struct ir_value *value, unsigned index)
{
    const struct ir_value *part = ir_component(value, index);
    const struct mach_operand operand = part ? mali_sel_operand(ctx, part, 0) : mali_sel_operand(ctx, value, index);
    return operand;
}

/* A coordinate of 16 bits as one of 32. */
static struct mach_operand float_word(struct select *ctx, const struct ir_value *value, unsigned index)
{
    const struct mach_operand operand = word(ctx, value, index);
    if (value->bits != 16)
        return operand;
    return mach_use(SEL_ALU(ctx, MALI_ISA_OP_F16_TO_F32, sel_part(operand, MALI_ISA_HALFWORD_H0)));
}

static mach_temp scaled(struct select *ctx, mach_temp x, mach_temp factor)
{
    const mach_temp result =
        SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mach_use(x), mach_use(factor), mach_number(float_bits(0.5f)));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_CLAMP] = MALI_ISA_CLAMP_CLAMP_0_1;
    return result;
}

/* A direction becomes a place on a face, whose number is in the upper bits of the first coordinate. */
static void add_direction(struct select *ctx, struct request *r, const struct ir_value *coord)
{
    const struct mach_operand x = mach_use(mali_sel_move(ctx, float_word(ctx, coord, 0))),
                              y = mach_use(mali_sel_move(ctx, float_word(ctx, coord, 1))),
                              z = mach_use(mali_sel_move(ctx, float_word(ctx, coord, 2)));
    const mach_temp largest = SEL_ALU(ctx, MALI_ISA_OP_CUBEFACE1, x, y, z);
    const mach_temp face = SEL_ALU(ctx, MALI_ISA_OP_CUBEFACE2_V9, x, y, z);
    const mach_temp reciprocal = SEL_ALU(ctx, MALI_ISA_OP_FRCP_F32, mach_use(largest));
    const mach_temp half = SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mach_use(reciprocal), mach_number(float_bits(0.5f)),
                                   sel_with(mach_number(0), MALI_ISA_FLAG_NEG));
    const mach_temp s = scaled(ctx, SEL_ALU(ctx, MALI_ISA_OP_CUBE_SSEL, z, x, mach_use(face)), half);
    const mach_temp t = scaled(ctx, SEL_ALU(ctx, MALI_ISA_OP_CUBE_TSEL, y, z, mach_use(face)), half);
    const mach_temp with_face = SEL_ALU(ctx, MALI_ISA_OP_MUX_I32, mach_use(s), mach_use(face), mach_number(0x1fffffff));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_MUX] = MALI_ISA_MUX_BIT;
    add_operand(r, mach_use(with_face));
    add_operand(r, mach_use(t));
}

static void add_coordinates(struct select *ctx, struct request *r, const struct tex *tex)
{
    const unsigned axes = axes_of(tex->dim);
    const bool is_integer = tex->kind == IR_TEX_KIND_fetch;
    r->dimension = dimension_of(tex->dim);
    if (tex->dim == IR_DIM_cube) {
        add_direction(ctx, r, tex->coord);
    } else {
        for (unsigned i = 0; i < axes; i++)
            add_operand(r, is_integer ? word(ctx, tex->coord, i) : float_word(ctx, tex->coord, i));
    }
    r->is_array = tex->is_array;
    if (tex->is_array)
        add_operand(r, is_integer ? word(ctx, tex->coord, axes) : float_word(ctx, tex->coord, axes));
}

static struct mach_operand as_byte(struct mach_operand operand)
{
    return sel_part(operand, MALI_ISA_BYTE_B0);
}

/* Four bytes, the first one lowest. */
static struct mach_operand bytes(struct select *ctx, const struct mach_operand parts[4])
{
    uint32_t number = 0;
    bool is_known = true;
    for (unsigned i = 0; i < 4; i++) {
        is_known &= parts[i].kind == MACH_NUMBER;
        number |= ((uint32_t)parts[i].value & 0xff) << 8 * i;
    }
    if (is_known)
        return mach_number(number);
    const mach_temp upper = SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I8, as_byte(parts[2]), as_byte(parts[3]), mach_number(0));
    return mach_use(SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I8, as_byte(parts[0]), as_byte(parts[1]), mach_use(upper)));
}

static void add_offsets(struct select *ctx, struct request *r, const struct tex *tex)
{
    struct mach_operand parts[4] = {mach_number(0), mach_number(0), mach_number(0), mach_number(0)};
    const struct ir_value *offset = tex->op[IR_TEX_offset];
    for (unsigned i = 0; offset && i < offset->comps && i < 3; i++)
        parts[i] = word(ctx, offset, i);
    if (tex->kind == IR_TEX_KIND_fetch) {
        if (tex->op[IR_TEX_sample])
            parts[2] = word(ctx, tex->op[IR_TEX_sample], 0);
        if (tex->op[IR_TEX_lod])
            parts[3] = word(ctx, tex->op[IR_TEX_lod], 0);
    }
    const struct mach_operand packed = bytes(ctx, parts);
    r->has_offsets = packed.kind != MACH_NUMBER || packed.value;
    if (r->has_offsets)
        add_operand(r, packed);
}

/* A level or bias with 8 bits of fraction, in 16 bits. */
static struct mach_operand fixed(struct select *ctx, const struct ir_value *value)
{
    if (ir_is_const(value)) {
        const double level = fmin(fmax(ir_const_f64(value), -128), 127);
        return mach_number((uint32_t)(int32_t)lrint(level * 256) & 0xffff);
    }
    mach_temp x = SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, float_word(ctx, value, 0), mach_number(float_bits(256)),
                          sel_with(mach_number(0), MALI_ISA_FLAG_NEG));
    x = SEL_ALU(ctx, MALI_ISA_OP_FMIN_F32, mach_use(x), mach_number(float_bits(32767)));
    x = SEL_ALU(ctx, MALI_ISA_OP_FMAX_F32, mach_use(x), mach_number(float_bits(-32768)));
    return mach_use(SEL_ALU(ctx, MALI_ISA_OP_F32_TO_S32, mach_use(x)));
}

/* A bias in the lower half, the least level in the upper one. */
static void add_bias(struct select *ctx, struct request *r, const struct tex *tex)
{
    const struct ir_value *bias = tex->op[IR_TEX_bias], *least = tex->op[IR_TEX_min_lod];
    if (!bias && !least) {
        r->lod_mode = MALI_ISA_LOD_COMPUTED;
        return;
    }
    const struct mach_operand low = bias ? fixed(ctx, bias) : mach_number(0);
    const struct mach_operand high = least ? fixed(ctx, least) : mach_number(0);
    r->lod_mode = MALI_ISA_LOD_COMPUTED_BIAS;
    add_operand(r, mach_use(SEL_ALU(ctx, MALI_ISA_OP_MKVEC_V2I16, sel_part(low, MALI_ISA_HALVES_H00),
                                    sel_part(high, MALI_ISA_HALVES_H00))));
}

static void add_level(struct select *ctx, struct request *r, const struct tex *tex)
{
    const struct mach_operand level = fixed(ctx, tex->op[IR_TEX_lod]);
    if (level.kind == MACH_NUMBER && !level.value) {
        r->lod_mode = MALI_ISA_LOD_ZERO;
        return;
    }
    r->lod_mode = MALI_ISA_LOD_EXPLICIT;
    add_operand(r, level);
}

/* TEX_GRADIENT of derivatives, or of coordinates where there are none. */
static mach_temp gradient(struct select *ctx, const struct request *like, const struct tex *tex, bool has_derivatives,
                          bool is_clamp_disabled, unsigned mask)
{
    struct request r = {.op = MALI_ISA_OP_TEX_GRADIENT,
                        .texture = like->texture,
                        .sampler = like->sampler,
                        .dimension = dimension_of(tex->dim),
                        .mask = mask,
                        .has_derivatives = has_derivatives,
                        .is_bias_disabled = has_derivatives,
                        .is_clamp_disabled = is_clamp_disabled};
    if (has_derivatives) {
        const unsigned axes = tex->dim == IR_DIM_cube ? 2 : axes_of(tex->dim);
        for (unsigned i = 0; i < axes; i++) {
            add_operand(&r, float_word(ctx, tex->op[IR_TEX_ddx], i));
            add_operand(&r, float_word(ctx, tex->op[IR_TEX_ddy], i));
        }
    } else {
        struct tex plain = *tex;
        plain.is_array = false;
        add_coordinates(ctx, &r, &plain);
    }
    return build_request(ctx, &r);
}

static void add_gradient(struct select *ctx, struct request *r, const struct tex *tex)
{
    mach_temp words[2];
    if (tex->op[IR_TEX_min_lod])
        sel_fail(ctx, "a sample with gradients and a least level");
    mali_sel_split(ctx, gradient(ctx, r, tex, true, true, 3), 2, words);
    r->lod_mode = MALI_ISA_LOD_GRDESC;
    add_operand(r, mach_use(words[0]));
    add_operand(r, mach_use(words[1]));
}

/* ---- results ---- */

static unsigned used_mask(const struct ir_instr *instr)
{
    unsigned mask = 0;
    ir_foreach_use (&instr->def, use) {
        if (!use->instr || use->instr->op != IR_OP_extract)
            return (1u << instr->def.comps) - 1;
        mask |= 1u << ir_imm(use->instr, IR_IMM_COMP);
    }
    return mask ? mask : 1;
}

/* Components of the mask follow each other; the others are anything. `from` says where a component is. */
static void set_result(struct select *ctx, const struct ir_instr *instr, mach_temp run, unsigned mask,
                       const uint8_t from[4], bool is_integer)
{
    mach_temp words[4], *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs));
    mali_sel_split(ctx, run, (unsigned)__builtin_popcount(mask), words);
    for (unsigned i = 0; i < instr->def.comps; i++) {
        const unsigned bit = from[i];
        const unsigned at = mask >> bit & 1 ? (unsigned)__builtin_popcount(mask & ((1u << bit) - 1)) : 0;
        regs[i] = words[at];
        if (instr->def.bits == 16 && !is_integer)
            regs[i] = SEL_ALU(ctx, MALI_ISA_OP_V2F32_TO_V2F16, mach_use(regs[i]), mach_number(0));
    }
    mali_sel_set(ctx, &instr->def, regs);
}

static const uint8_t as_it_is[4] = {0, 1, 2, 3};

static void select_sample(struct select *ctx, const struct tex *tex)
{
    const bool is_fetch = tex->kind == IR_TEX_KIND_fetch, is_gather = tex->kind == IR_TEX_KIND_gather;
    static const uint8_t gathered[4] = {2, 3, 1, 0}; /* texels come row by row */
    struct request r = {.op = is_fetch    ? MALI_ISA_OP_TEX_FETCH
                              : is_gather ? MALI_ISA_OP_TEX_GATHER
                                          : MALI_ISA_OP_TEX_SINGLE,
                        .mask = is_gather ? 15 : used_mask(tex->instr),
                        .type = MALI_ISA_TYPE_AUTO, /* what the format has */
                        .component = ir_imm(tex->instr, IR_IMM_GATHER_COMP)};
    if (tex->instr->def.bits == 64)
        sel_fail(ctx, "texels of 64 bits");
    find_handles(ctx, tex, &r);
    add_coordinates(ctx, &r, tex);
    r.is_shadow = tex->op[IR_TEX_compare] != NULL;
    if (r.is_shadow)
        add_operand(&r, float_word(ctx, tex->op[IR_TEX_compare], 0));
    add_offsets(ctx, &r, tex);
    if (tex->kind == IR_TEX_KIND_sample)
        add_bias(ctx, &r, tex);
    else if (tex->kind == IR_TEX_KIND_sample_lod)
        add_level(ctx, &r, tex);
    else if (tex->kind == IR_TEX_KIND_sample_grad)
        add_gradient(ctx, &r, tex);
    if (r.count > 7)
        sel_fail(ctx, "a sample of %u registers", r.count);
    set_result(ctx, tex->instr, build_request(ctx, &r), r.mask, is_gather ? gathered : as_it_is, tex->is_integer);
}

/* The level that is accessed, and the one that was computed: 8 bits of fraction in 16 bits. */
static void select_query_lod(struct select *ctx, const struct tex *tex)
{
    struct request r = {0};
    mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    find_handles(ctx, tex, &r);
    for (unsigned i = 0; i < 2; i++) {
        const mach_temp raw = gradient(ctx, &r, tex, false, i == 1, 1);
        const mach_temp number = SEL_ALU(ctx, MALI_ISA_OP_S16_TO_F32, sel_part(mach_use(raw), MALI_ISA_HALVES_H00));
        regs[i] = SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mach_use(number), mach_number(float_bits(1.0f / 256)),
                          sel_with(mach_number(0), MALI_ISA_FLAG_NEG));
    }
    mali_sel_set(ctx, &tex->instr->def, regs);
}

/* ---- input attachments ---- */

static bool is_input(const struct tex *tex)
{
    return tex->dim == IR_DIM_subpass || tex->dim == IR_DIM_subpass_ms;
}

/* From the tile: lower_mali.h. What a colour has as integers the conversion says. */
static void select_tile(struct select *ctx, const struct tex *tex)
{
    const bool is_depth = ir_imm(tex->instr, IR_IMM_GATHER_COMP);
    const struct mach_operand operands[] = {word(ctx, tex->coord, 0), mach_use(mali_sel_preloaded(ctx, 60)),
                                            word(ctx, tex->coord, 1)};
    const unsigned count = tex->instr->def.comps;
    const mach_temp run = mach_new_temp(ctx->m.program, VIR_RUN(count));
    mali_sel_instr(ctx, MALI_ISA_OP_LD_TILE, run, 3, operands);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_VECTOR] = (uint8_t)(count - 1);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_REGFMT] = !tex->is_integer ? MALI_ISA_REGFMT_F32
                                                       : is_depth       ? MALI_ISA_REGFMT_U32
                                                                        : MALI_ISA_REGFMT_AUTO;
    set_result(ctx, tex->instr, run, (1u << count) - 1, as_it_is, tex->is_integer);
}

bool mali_select_texture(struct select *ctx, const struct ir_instr *instr)
{
    if (instr->op != IR_OP_tex)
        return false;
    const struct tex tex = read_tex(instr);
    if (tex.dim == IR_DIM_buffer)
        return false;
    if (is_input(&tex) && ir_is_const(ir_src(instr, 0))) {
        select_tile(ctx, &tex);
        return true;
    }
    ctx->config->fs.reads_input_memory |= is_input(&tex);
    switch (tex.kind) {
    case IR_TEX_KIND_query_lod:
        select_query_lod(ctx, &tex);
        return true;
    case IR_TEX_KIND_sample:
    case IR_TEX_KIND_sample_lod:
    case IR_TEX_KIND_sample_grad:
    case IR_TEX_KIND_gather:
    case IR_TEX_KIND_fetch:
        select_sample(ctx, &tex);
        return true;
    default:
        return false;
    }
}
