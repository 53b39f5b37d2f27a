/* Textures: instructions of category 5 with their registers in the order of docs/adreno-textures.md, and the ways in
 * which they name texture and sampler. */
#include "adreno/compiler/select.h"
#include "util/bits.h"
#include "util/half.h"

#define MAX_SOURCES 16
#define MAX_SHORT 16     /* numbers of a texture and a sampler that fit in an instruction together */
#define MAX_LONG 256     /* of a sampler, where a1.x has the texture's */
#define FIRST_GRADIENT 4 /* registers before the gradients */

struct request {
    unsigned op;
    mach_temp first[MAX_SOURCES], second[MAX_SOURCES]; /* coordinates and the like; offsets, level or bias */
    unsigned num_first, num_second;
    bool is_3d, is_array, is_shadow, has_offsets;
    bool has_texture, has_sampler;
    struct sel_descriptor texture, sampler;
    enum air_type type;
    unsigned mask; /* components that are read */
};

/* ---- which texture and sampler ---- */

static void set_mode(struct mach_instr *instr, enum adreno_isa_resource_mode mode, unsigned numbers)
{
    air_isa(instr)->field[ADRENO_ISA_FIELD_INDIRECT] = 1;
    air_isa(instr)->field[ADRENO_ISA_FIELD_RESOURCE] = (int16_t)((unsigned)mode << 8 | numbers);
}

/* The contents of a1.x: the sampler's set, and the texture's number where the instruction has none. */
static void set_a1(struct select *ctx, unsigned value)
{
    struct mach_instr *mova1 = adreno_air_form(&ctx->m.b, AIR_FORM_MOVA1, 0, 1);
    mova1->operands[0] = mach_number((uint32_t)value);
    mova1->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    mova1->operands[0].flags = air_isa(mova1)->operands[ADRENO_ISA_PLACE_SRC0].flags;
    mova1->num_defs = 1;
    mova1->defs = mach_alloc(ctx->m.program, sizeof(*mova1->defs));
    mova1->defs[0] = (struct mach_def){.special = ADRENO_ISA_REG_A1, .reg = MACH_NO_REG};
}

/* Both numbers in two registers. */
static mach_temp pair_of_numbers(struct select *ctx, const struct request *r)
{
    mach_temp pair[2];
    const struct sel_descriptor *from[2] = {&r->texture, r->has_sampler ? &r->sampler : &r->texture};
    for (unsigned i = 0; i < 2; i++)
        pair[i] = from[i]->operand.kind == MACH_TEMP ? from[i]->operand.temp
                                                     : adreno_sel_number(ctx, AIR_FULL(1), from[i]->number);
    return adreno_sel_tuple(ctx, 2, pair);
}

/* The way and what must be there before the instruction. */
struct naming {
    enum adreno_isa_resource_mode mode;
    unsigned numbers;
    mach_temp pair;
    bool reads_a1;
};

static struct naming name_descriptors(struct select *ctx, const struct request *r)
{
    const unsigned sampler = r->has_sampler ? r->sampler.number : 0;
    const unsigned sampler_set = r->has_sampler ? r->sampler.set : r->texture.set;
    const bool is_known = r->texture.is_known && (!r->has_sampler || r->sampler.is_known);
    const bool is_uniform = r->texture.is_uniform && (!r->has_sampler || r->sampler.is_uniform);
    const bool is_one_set = sampler_set == r->texture.set;
    if (is_known && is_one_set && r->texture.number < MAX_SHORT && sampler < MAX_SHORT)
        return (struct naming){.mode = ADRENO_ISA_RESOURCE_IMM, .numbers = r->texture.number << 4 | sampler};
    if (is_known && r->texture.number < MAX_LONG && sampler < MAX_LONG) {
        set_a1(ctx, r->texture.number << 3 | sampler_set);
        return (struct naming){.mode = ADRENO_ISA_RESOURCE_A1_IMM, .numbers = sampler, .reads_a1 = true};
    }
    const mach_temp pair = pair_of_numbers(ctx, r);
    if (is_one_set)
        return (struct naming){.mode = is_uniform ? ADRENO_ISA_RESOURCE_BINDLESS_UNIFORM
                                                  : ADRENO_ISA_RESOURCE_BINDLESS_NONUNIFORM,
                               .pair = pair};
    set_a1(ctx, sampler_set);
    return (struct naming){.mode = is_uniform ? ADRENO_ISA_RESOURCE_A1_UNIFORM : ADRENO_ISA_RESOURCE_A1_NONUNIFORM,
                           .pair = pair,
                           .reads_a1 = true};
}

/* ---- instructions ---- */

static bool is_half_type(enum air_type type)
{
    return type == AIR_F16 || type == AIR_U16 || type == AIR_S16;
}

static void add_operand(struct mach_instr *instr, struct mach_operand operand, unsigned place)
{
    operand.place = (uint8_t)place;
    instr->operands[instr->num_operands++] = operand;
}

/* `before`: what is in the result's registers and stays where the instruction writes nothing. */
static mach_temp build_sample(struct select *ctx, const struct request *r, const struct naming *naming, mach_temp first,
                              mach_temp second, mach_temp before)
{
    struct mach_class class = air_class(log2_floor(r->mask) + 1, is_half_type(r->type));
    const mach_temp result = mach_new_temp(ctx->m.program, class);
    struct mach_instr *instr = mach_new_instr(&ctx->m.b, r->op, 1, 5);
    instr->num_operands = 0;
    instr->defs[0].temp = result;
    if (before) {
        add_operand(instr, mach_use(before), AIR_PLACE_NONE);
        instr->is_tied = true;
    }
    if (first)
        add_operand(instr, mach_use(first), ADRENO_ISA_PLACE_SRC0);
    if (second)
        add_operand(instr, mach_use(second), ADRENO_ISA_PLACE_SRC1);
    int16_t *field = air_isa(instr)->field;
    field[ADRENO_ISA_FIELD_FULL] = 1;
    field[ADRENO_ISA_FIELD_3D] = r->is_3d;
    field[ADRENO_ISA_FIELD_ARRAY] = r->is_array;
    field[ADRENO_ISA_FIELD_SHADOW] = r->is_shadow;
    field[ADRENO_ISA_FIELD_OFFSETS] = r->has_offsets;
    field[ADRENO_ISA_FIELD_TYPE] = (int16_t)r->type;
    field[ADRENO_ISA_FIELD_WRMASK] = (int16_t)r->mask;
    if (r->op == ADRENO_ISA_OP_ISAM)
        field[ADRENO_ISA_FIELD_NOT_1D] = 1;
    if (!r->has_texture)
        return result;
    set_mode(instr, naming->mode, naming->numbers);
    field[ADRENO_ISA_FIELD_BASE] = (int16_t)r->texture.set;
    if (naming->pair)
        add_operand(instr, mach_use(naming->pair), AIR_PLACE_RESOURCE);
    if (naming->reads_a1)
        add_operand(instr, air_special(ADRENO_ISA_REG_A1), AIR_PLACE_NONE);
    return result;
}

/* The result as one register for each component that is read; the others are 0. */
static void emit_request(struct select *ctx, struct request *r, mach_temp regs_out[4])
{
    const mach_temp first = r->num_first ? adreno_sel_tuple(ctx, r->num_first, r->first) : 0;
    const mach_temp second = r->num_second ? adreno_sel_tuple(ctx, r->num_second, r->second) : 0;
    const struct naming naming = r->has_texture ? name_descriptors(ctx, r) : (struct naming){.pair = 0};
    mach_temp result = 0;
    if (r->op == ADRENO_ISA_OP_SAMGQ && ctx->m.shader->stage != IR_STAGE_fragment) {
        for (unsigned i = 0; i < 4; i++) { /* a fiber of each quad at a time */
            r->op = ADRENO_ISA_OP_SAMGP0 + i;
            result = build_sample(ctx, r, &naming, first, second, result);
        }
    } else {
        result = build_sample(ctx, r, &naming, first, second, 0);
    }
    adreno_sel_split(ctx, result, log2_floor(r->mask) + 1, regs_out);
}

/* ---- operands ---- */

struct tex {
    const struct ir_instr *instr;
    const struct ir_value *coord, *op[IR_TEX_OPERAND_COUNT];
    unsigned kind, dim;
    bool is_array;
};

static struct tex read_tex(const struct ir_instr *instr)
{
    struct tex tex = {.instr = instr,
                      .coord = ir_src(instr, 2),
                      .kind = ir_imm(instr, IR_IMM_TEX_KIND),
                      .dim = ir_imm(instr, IR_IMM_DIM),
                      .is_array = ir_imm(instr, IR_IMM_ARRAY)};
    uint32_t at = 3;
    for (unsigned i = 0; i < IR_TEX_OPERAND_COUNT; i++) {
        if (ir_imm(instr, IR_IMM_OPERANDS) >> i & 1)
            tex.op[i] = ir_src(instr, at++);
    }
    return tex;
}

static unsigned axes_of(unsigned dim)
{
    return dim == IR_DIM_3d || dim == IR_DIM_cube ? 3 : dim == IR_DIM_1d || dim == IR_DIM_buffer ? 1 : 2;
}

static void add_first(struct select *ctx, struct request *r, mach_temp reg)
{
    if (r->num_first == MAX_SOURCES)
        sel_fail(ctx, "internal: too many coordinates");
    r->first[r->num_first++] = reg;
}

/* One dimension has a y, too. */
static void add_axes(struct select *ctx, struct request *r, const struct ir_value *value, unsigned axes, uint32_t y)
{
    for (unsigned i = 0; i < axes; i++)
        add_first(ctx, r, adreno_sel_reg(ctx, value, i));
    if (axes == 1)
        add_first(ctx, r, adreno_sel_number(ctx, AIR_FULL(1), y));
}

/* Layers are cut off, where the API rounds them. */
static mach_temp round_layer(struct select *ctx, mach_temp layer)
{
    return adreno_sel_alu2(ctx, ADRENO_ISA_OP_ADD_F, AIR_FULL(1), mach_use(layer),
                           adreno_sel_constant(ctx, float_bits(0.5f)));
}

static void add_offsets(struct select *ctx, struct request *r, const struct tex *tex)
{
    const struct ir_value *offset = tex->op[IR_TEX_offset];
    if (!offset)
        return;
    r->has_offsets = true;
    for (unsigned i = 0; i < (tex->dim == IR_DIM_3d ? 3u : 2u); i++)
        r->second[r->num_second++] =
            i < offset->comps ? adreno_sel_reg(ctx, offset, i) : adreno_sel_number(ctx, AIR_FULL(1), 0);
}

static enum air_type type_of(const struct tex *tex)
{
    const bool is_half = tex->instr->def.bits == 16;
    if (ir_imm(tex->instr, IR_IMM_TEX_FLAGS) & IR_TEX_FLAG_INTEGER)
        return is_half ? AIR_U16 : AIR_U32;
    return is_half ? AIR_F16 : AIR_F32;
}

unsigned adreno_sel_used_mask(const struct ir_instr *instr)
{
    unsigned mask = 0;
    ir_foreach_use (&instr->def, use) {
        if (!use->instr || use->instr->op != IR_OP_extract)
            return (1u << instr->def.comps) - 1;
        mask |= 1u << ir_imm(use->instr, IR_IMM_COMP);
    }
    return mask ? mask : 1;
}

static void set_descriptors(struct select *ctx, struct request *r, const struct ir_instr *instr, bool has_sampler)
{
    r->texture = adreno_sel_descriptor(ctx, ir_src(instr, 0));
    r->has_texture = true;
    r->has_sampler = has_sampler;
    if (has_sampler)
        r->sampler = adreno_sel_sampler(ctx, ir_src(instr, 1));
}

static void set_result(struct select *ctx, const struct ir_instr *instr, const struct request *r,
                       const mach_temp *words)
{
    mach_temp *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs));
    for (unsigned i = 0; i < instr->def.comps; i++)
        regs[i] = r->mask >> i & 1 ? words[i] : adreno_sel_number(ctx, adreno_sel_class(&instr->def), 0);
    adreno_sel_set(ctx, &instr->def, regs);
}

/* ---- samples ---- */

static unsigned sample_op(struct select *ctx, const struct tex *tex)
{
    switch (tex->kind) {
    case IR_TEX_KIND_sample:
        return tex->op[IR_TEX_bias] ? ADRENO_ISA_OP_SAMB : ADRENO_ISA_OP_SAM;
    case IR_TEX_KIND_sample_lod:
        return ADRENO_ISA_OP_SAML;
    case IR_TEX_KIND_sample_grad:
        return ADRENO_ISA_OP_SAMGQ;
    case IR_TEX_KIND_query_lod:
        return ADRENO_ISA_OP_GETLOD;
    default:
        if (tex->op[IR_TEX_lod] || tex->op[IR_TEX_bias])
            sel_fail(ctx, "A6xx gathers from the first level");
        return ADRENO_ISA_OP_GATHER4R + ir_imm(tex->instr, IR_IMM_GATHER_COMP);
    }
}

static void add_sample_sources(struct select *ctx, struct request *r, const struct tex *tex)
{
    const unsigned axes = axes_of(tex->dim);
    add_axes(ctx, r, tex->coord, axes, float_bits(0.5f));
    r->is_3d = axes == 3;
    if (tex->op[IR_TEX_compare]) {
        r->is_shadow = true;
        add_first(ctx, r, adreno_sel_reg(ctx, tex->op[IR_TEX_compare], 0));
    }
    if (tex->is_array && tex->coord->comps > axes) {
        r->is_array = true;
        add_first(ctx, r, round_layer(ctx, adreno_sel_reg(ctx, tex->coord, axes)));
    }
    for (unsigned way = IR_TEX_ddx; way <= IR_TEX_ddy && r->op == ADRENO_ISA_OP_SAMGQ; way++) {
        while (r->num_first < FIRST_GRADIENT)
            add_first(ctx, r, adreno_sel_number(ctx, AIR_FULL(1), 0));
        add_axes(ctx, r, tex->op[way], axes, 0);
    }
    add_offsets(ctx, r, tex);
    if (r->op == ADRENO_ISA_OP_SAMB)
        r->second[r->num_second++] = adreno_sel_reg(ctx, tex->op[IR_TEX_bias], 0);
    else if (r->op == ADRENO_ISA_OP_SAML)
        r->second[r->num_second++] = adreno_sel_reg(ctx, tex->op[IR_TEX_lod], 0);
}

/* Levels have eight bits below the point. */
static void scale_levels(struct select *ctx, const struct request *r, mach_temp *words)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!(r->mask >> i & 1))
            continue;
        const mach_temp number = adreno_sel_move(ctx, AIR_S32, AIR_F32, mach_use(words[i]));
        words[i] = adreno_sel_alu2(ctx, ADRENO_ISA_OP_MUL_F, AIR_FULL(1), mach_use(number),
                                   adreno_sel_constant(ctx, float_bits(1.0f / 256)));
    }
}

static void select_sample(struct select *ctx, const struct tex *tex)
{
    const bool is_lod = tex->kind == IR_TEX_KIND_query_lod;
    struct request r = {.op = sample_op(ctx, tex), .type = type_of(tex), .mask = adreno_sel_used_mask(tex->instr)};
    mach_temp words[4] = {0};
    if (tex->op[IR_TEX_min_lod])
        sel_fail(ctx, "A6xx has no samples with a least level");
    if (is_lod)
        r.type = AIR_S32;
    const mach_temp texels = adreno_sel_prefetched(ctx, tex->instr);
    if (texels) {
        adreno_sel_split(ctx, texels, log2_floor(r.mask) + 1, words);
        set_result(ctx, tex->instr, &r, words);
        return;
    }
    add_sample_sources(ctx, &r, tex);
    set_descriptors(ctx, &r, tex->instr, true);
    ctx->config->fs.has_implicit_lod |= tex->kind == IR_TEX_KIND_sample || is_lod;
    emit_request(ctx, &r, words);
    if (is_lod)
        scale_levels(ctx, &r, words);
    set_result(ctx, tex->instr, &r, words);
}

/* ---- texels ---- */

static void select_fetch(struct select *ctx, const struct tex *tex)
{
    const unsigned axes = axes_of(tex->dim);
    const struct ir_value *lod = tex->op[IR_TEX_lod], *sample = tex->op[IR_TEX_sample];
    const bool is_first = !lod || (ir_is_const(lod) && ir_const_u64(lod) == 0);
    struct request r = {.op = sample     ? ADRENO_ISA_OP_ISAMM
                              : is_first ? ADRENO_ISA_OP_ISAM
                                         : ADRENO_ISA_OP_ISAML,
                        .type = type_of(tex),
                        .is_3d = axes == 3,
                        .mask = adreno_sel_used_mask(tex->instr)};
    mach_temp words[4] = {0};
    add_axes(ctx, &r, tex->coord, axes, 0);
    if (tex->is_array && tex->coord->comps > axes) {
        r.is_array = true;
        add_first(ctx, &r, adreno_sel_reg(ctx, tex->coord, axes));
    }
    if (sample)
        add_first(ctx, &r, adreno_sel_reg(ctx, sample, 0));
    else if (!is_first)
        r.second[r.num_second++] = adreno_sel_reg(ctx, lod, 0);
    set_descriptors(ctx, &r, tex->instr, false);
    emit_request(ctx, &r, words);
    set_result(ctx, tex->instr, &r, words);
}

/* ---- questions ---- */

/* Width, height and depth of a level, then layers. */
static void select_size(struct select *ctx, const struct tex *tex)
{
    const struct ir_instr *instr = tex->instr;
    const bool is_buffer = tex->dim == IR_DIM_buffer;
    const unsigned axes = tex->dim == IR_DIM_cube ? 2 : axes_of(tex->dim);
    struct request r = {.op = is_buffer ? ADRENO_ISA_OP_GETBUF : ADRENO_ISA_OP_GETSIZE,
                        .type = AIR_U32,
                        .mask = is_buffer ? 1 : ((1u << axes) - 1) | (unsigned)tex->is_array << 3};
    mach_temp words[4] = {0}, *regs = mach_alloc(ctx->m.program, instr->def.comps * sizeof(*regs));
    if (!is_buffer)
        add_first(ctx, &r,
                  tex->op[IR_TEX_lod] ? adreno_sel_reg(ctx, tex->op[IR_TEX_lod], 0)
                                      : adreno_sel_number(ctx, AIR_FULL(1), 0));
    set_descriptors(ctx, &r, instr, false);
    emit_request(ctx, &r, words);
    for (unsigned i = 0; i < instr->def.comps; i++)
        regs[i] = i < axes ? words[i] : words[3];
    adreno_sel_set(ctx, &instr->def, regs);
}

/* Of getinfo: z has the levels, w the samples. */
static void select_info(struct select *ctx, const struct ir_instr *instr, unsigned component)
{
    struct request r = {.op = ADRENO_ISA_OP_GETINFO, .type = AIR_U32, .mask = 1u << component};
    mach_temp words[4] = {0}, *regs = mach_alloc(ctx->m.program, sizeof(*regs));
    set_descriptors(ctx, &r, instr, false);
    emit_request(ctx, &r, words);
    regs[0] = words[component];
    adreno_sel_set(ctx, &instr->def, regs);
}

bool adreno_select_texture(struct select *ctx, const struct ir_instr *instr)
{
    if (instr->op == IR_OP_image_samples) {
        select_info(ctx, instr, 3);
        return true;
    }
    if (instr->op != IR_OP_tex)
        return false;
    const struct tex tex = read_tex(instr);
    if (instr->def.bits == 64)
        sel_fail(ctx, "texels of 64 bits");
    switch (tex.kind) {
    case IR_TEX_KIND_fetch:
        select_fetch(ctx, &tex);
        return true;
    case IR_TEX_KIND_query_size:
        select_size(ctx, &tex);
        return true;
    case IR_TEX_KIND_query_levels:
        select_info(ctx, instr, 2);
        return true;
    case IR_TEX_KIND_query_samples:
        select_info(ctx, instr, 3);
        return true;
    default:
        select_sample(ctx, &tex);
        return true;
    }
}
