/* Textures and images: MIMG instructions, and buffer instructions for texel buffers. The addresses of an instruction
 * stand in this order: packed offset, bias, reference value, derivatives, coordinates, level of detail or its lower
 * limit. */
#include "amd/compiler/select.h"
#include "util/bits.h"

#define MAX_ADDRESSES 13

/* The hardware's numbers of dimensions. */
enum mimg_dim {
    MIMG_1D,
    MIMG_2D,
    MIMG_3D,
    MIMG_CUBE,
    MIMG_1D_ARRAY,
    MIMG_2D_ARRAY,
    MIMG_2D_MSAA,
    MIMG_2D_MSAA_ARRAY
};

static enum mimg_dim mimg_dim(uint32_t dim, bool array, bool storage)
{
    switch (dim) {
    case IR_DIM_1d:
        return array ? MIMG_1D_ARRAY : MIMG_1D;
    case IR_DIM_3d:
        return MIMG_3D;
    case IR_DIM_cube:
        return storage ? MIMG_2D_ARRAY : MIMG_CUBE;
    case IR_DIM_2dms:
    case IR_DIM_subpass_ms:
        return array ? MIMG_2D_MSAA_ARRAY : MIMG_2D_MSAA;
    default:
        return array ? MIMG_2D_ARRAY : MIMG_2D;
    }
}

/* ---- which components are read ---- */

/* The last component of the result says whether the texel has memory. */
static bool asks_residency(const struct ir_instr *instr)
{
    return instr->op == IR_OP_tex ? ir_imm(instr, IR_IMM_TEX_FLAGS) & IR_TEX_FLAG_RESIDENCY
                                  : ir_imm(instr, IR_IMM_ACCESS) & IR_ACCESS_RESIDENCY;
}

static unsigned texel_components(const struct ir_instr *instr)
{
    return instr->def.comps - (asks_residency(instr) ? 1u : 0);
}

/* Of the texel: one at least. */
static unsigned read_components(const struct ir_instr *instr)
{
    const unsigned all = (unsigned)bits_mask(texel_components(instr));
    unsigned mask = 0;
    ir_foreach_use (&instr->def, use) {
        if (!use->instr || use->instr->op != IR_OP_extract)
            return all;
        mask |= 1u << ir_imm(use->instr, IR_IMM_COMP) & all;
    }
    return mask ? mask : 1;
}

/* Results come one after the other for each bit of the mask; components that nothing reads are some other one. */
static void define_masked(struct select *ctx, struct ir_instr *instr, mir_temp loaded, unsigned mask)
{
    mir_temp parts[5], dwords[5];
    unsigned count = amd_sel_dwords(ctx, loaded), at = 0, comps = texel_components(instr);
    if (instr->def.bits == 16 || count == amd_sel_value_dwords(&instr->def)) {
        amd_sel_define(ctx, &instr->def, loaded);
        return;
    }
    if (count > 1) {
        struct mir_instr *split = amd_sel_instr(ctx, MIR_P_SPLIT, count, 1);
        split->operands[0] = mir_use(loaded);
        for (unsigned i = 0; i < count; i++) {
            parts[i] = amd_sel_temp(ctx, MIR_V(1));
            split->defs[i] = mir_result(parts[i]);
        }
    } else {
        parts[0] = loaded;
    }
    for (unsigned i = 0; i < comps; i++)
        dwords[i] = mask >> i & 1 ? parts[at++] : parts[0];
    if (comps < instr->def.comps)
        dwords[comps] = parts[at];
    amd_sel_define_elems(ctx, &instr->def, instr->def.comps, dwords);
}

/* ---- the instruction ---- */

struct mimg {
    unsigned op;
    enum mimg_dim dim;
    unsigned dmask;
    mir_temp address[MAX_ADDRESSES];
    unsigned addresses;
    mir_temp rsrc, sampler; /* sampler 0: none */
    mir_temp data;          /* of stores and atomics; 0: none */
    mir_temp result;        /* 0: none */
    bool glc, dlc, unorm, d16;
    bool tfe; /* a dword more in the result: not 0 where memory is missing */
    uint16_t sync;
};

/* The hardware writes the residency only where memory is missing, so the registers hold zeros before. */
static mir_temp zeros(struct select *ctx, unsigned dwords)
{
    mir_temp parts[5];
    for (unsigned i = 0; i < dwords; i++)
        parts[i] = amd_sel_copy(ctx, MIR_V(1), mir_const(0));
    return amd_sel_vector(ctx, true, dwords, parts);
}

static struct mir_instr *emit_mimg(struct select *ctx, const struct mimg *m)
{
    unsigned fixed = (m->data ? 1u : 0) + 2 + (m->sampler ? 1u : 0) + (m->tfe ? 1u : 0), at = 0;
    mir_temp before = m->tfe ? zeros(ctx, amd_sel_dwords(ctx, m->result)) : 0;
    struct mir_instr *instr = amd_sel_instr(ctx, m->op, m->result ? 1 : 0, fixed + m->addresses - 1);
    if (m->result)
        instr->defs[0] = mir_result(m->result);
    if (m->data)
        instr->operands[at++] = mir_use(m->data);
    instr->operands[at++] = mir_use(m->address[0]);
    instr->operands[at++] = mir_use(m->rsrc);
    if (m->sampler)
        instr->operands[at++] = mir_use(m->sampler);
    for (unsigned i = 1; i < m->addresses; i++)
        instr->operands[at++] = mir_use(m->address[i]);
    if (m->tfe)
        instr->operands[at++] = mir_use(before);
    instr->mem.tfe = m->tfe;
    instr->mem.dmask = (uint8_t)m->dmask;
    instr->mem.dim = (uint8_t)m->dim;
    instr->mem.nsa = m->addresses > 1;
    instr->mem.addr_count = (uint8_t)m->addresses;
    instr->mem.glc = m->glc;
    instr->mem.dlc = m->dlc;
    instr->mem.unorm = m->unorm;
    instr->mem.d16 = m->d16;
    instr->sync = m->sync;
    return instr;
}

static void add_address(struct select *ctx, struct mimg *m, mir_temp temp)
{
    if (m->addresses == MAX_ADDRESSES)
        sel_fail(ctx, "an image instruction with more than %u addresses", MAX_ADDRESSES);
    m->address[m->addresses++] = amd_sel_to_vgpr(ctx, temp);
}

static void add_value(struct select *ctx, struct mimg *m, const struct ir_value *value)
{
    for (unsigned i = 0; i < value->comps; i++)
        add_address(ctx, m, amd_sel_value_dword(ctx, value, i));
}

static mir_temp result_temp(struct select *ctx, const struct ir_instr *instr, unsigned dmask)
{
    unsigned comps = (unsigned)__builtin_popcount(dmask), bits = instr->def.bits;
    return amd_sel_temp(ctx, MIR_V((uint8_t)(bits == 16   ? div_round_up(comps, 2)
                                             : bits == 64 ? 2
                                                          : comps + asks_residency(instr))));
}

/* A texel of 64 bits is two words. Further components are those of a format that has one: zeros, and a one that the
 * hardware gives, as word `one` of what was loaded, for nothing is read where nothing is. */
static void define_wide(struct select *ctx, struct ir_instr *instr, mir_temp loaded, unsigned one)
{
    mir_temp dwords[8] = {amd_sel_dword(ctx, loaded, 0), amd_sel_dword(ctx, loaded, 1)}, zero = 0;
    if (instr->def.comps > 1)
        zero = amd_sel_copy(ctx, MIR_V(1), mir_const(0));
    for (unsigned i = 1; i < instr->def.comps; i++) {
        dwords[2 * i] = i == 3 ? amd_sel_dword(ctx, loaded, one) : zero;
        dwords[2 * i + 1] = zero;
    }
    amd_sel_define_elems(ctx, &instr->def, instr->def.comps * 2u, dwords);
}

/* The two words of the first component. */
static mir_temp wide_data(struct select *ctx, const struct ir_value *value)
{
    if (value->comps == 1)
        return amd_sel_vgpr(ctx, value);
    return amd_sel_vector(ctx, true, 2,
                          (mir_temp[]){amd_sel_value_dword(ctx, value, 0), amd_sel_value_dword(ctx, value, 1)});
}

/* ---- sampling ---- */

enum level_mode {
    LEVEL_IMPLICIT,
    LEVEL_GRAD,
    LEVEL_LOD,
    LEVEL_BIAS,
    LEVEL_ZERO
};

#define FORMS(base)                                                                                                    \
    {                                                                                                                  \
        {{ISA_OP_IMAGE_##base, ISA_OP_IMAGE_##base##_O}, {ISA_OP_IMAGE_##base##_CL, ISA_OP_IMAGE_##base##_CL_O}},      \
        {                                                                                                              \
            {ISA_OP_IMAGE_##base##_C, ISA_OP_IMAGE_##base##_C_O},                                                      \
            {                                                                                                          \
                ISA_OP_IMAGE_##base##_C_CL, ISA_OP_IMAGE_##base##_C_CL_O                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
#define FORMS_OF(base, s)                                                                                              \
    {                                                                                                                  \
        {{ISA_OP_IMAGE_##base##_##s, ISA_OP_IMAGE_##base##_##s##_O},                                                   \
         {ISA_OP_IMAGE_##base##_##s##_CL, ISA_OP_IMAGE_##base##_##s##_CL_O}},                                          \
        {                                                                                                              \
            {ISA_OP_IMAGE_##base##_C_##s, ISA_OP_IMAGE_##base##_C_##s##_O},                                            \
            {                                                                                                          \
                ISA_OP_IMAGE_##base##_C_##s##_CL, ISA_OP_IMAGE_##base##_C_##s##_CL_O                                   \
            }                                                                                                          \
        }                                                                                                              \
    }
#define FORMS_NO_CLAMP(base, s)                                                                                        \
    {                                                                                                                  \
        {{ISA_OP_IMAGE_##base##_##s, ISA_OP_IMAGE_##base##_##s##_O}, {0, 0}},                                          \
        {                                                                                                              \
            {ISA_OP_IMAGE_##base##_C_##s, ISA_OP_IMAGE_##base##_C_##s##_O},                                            \
            {                                                                                                          \
                0, 0                                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }

/* By level mode, compare, clamp, offset. */
static const uint16_t sample_ops[][2][2][2] = {
    [LEVEL_IMPLICIT] = FORMS(SAMPLE),          [LEVEL_GRAD] = FORMS_OF(SAMPLE, D),
    [LEVEL_LOD] = FORMS_NO_CLAMP(SAMPLE, L),   [LEVEL_BIAS] = FORMS_OF(SAMPLE, B),
    [LEVEL_ZERO] = FORMS_NO_CLAMP(SAMPLE, LZ),
};
static const uint16_t gather_ops[][2][2][2] = {
    [LEVEL_IMPLICIT] = FORMS(GATHER4),
    [LEVEL_LOD] = FORMS_NO_CLAMP(GATHER4, L),
    [LEVEL_BIAS] = FORMS_OF(GATHER4, B),
    [LEVEL_ZERO] = FORMS_NO_CLAMP(GATHER4, LZ),
};

struct tex {
    const struct ir_value *op[IR_TEX_OPERAND_COUNT];
    uint32_t kind, dim;
    bool array, compare;
};

static struct tex read_tex(const struct ir_instr *instr)
{
    struct tex tex = {
        .kind = ir_imm(instr, IR_IMM_TEX_KIND), .dim = ir_imm(instr, IR_IMM_DIM), .array = ir_imm(instr, IR_IMM_ARRAY)};
    uint32_t at = 3, mask = ir_imm(instr, IR_IMM_OPERANDS);
    for (unsigned i = 0; i < IR_TEX_OPERAND_COUNT; i++) {
        if (mask >> i & 1)
            tex.op[i] = ir_src(instr, at++);
    }
    tex.compare = tex.op[IR_TEX_compare] != NULL;
    return tex;
}

/* Six bits for each direction, eight bits apart. */
static mir_temp pack_offset(struct select *ctx, const struct ir_value *offset)
{
    mir_temp packed = 0;
    uint32_t constant = 0;
    bool all_constant = true;
    for (unsigned i = 0; i < offset->comps && i < 3; i++) {
        const struct ir_value *comp = ir_component(offset, i);
        all_constant &= comp && ir_is_const(comp);
        constant |= all_constant ? ((uint32_t)ir_const_u64(comp) & 0x3f) << 8 * i : 0;
    }
    if (all_constant)
        return amd_sel_copy(ctx, MIR_V(1), mir_const(constant));
    for (unsigned i = 0; i < offset->comps && i < 3; i++) {
        struct mir_operand part = amd_sel_use_dword(ctx, offset, i);
        mir_temp masked = amd_sel_vop2(ctx, ISA_OP_V_AND_B32, mir_const(0x3f), part);
        packed = packed ? amd_sel_vop3(ctx, ISA_OP_V_LSHL_OR_B32, mir_use(masked), mir_const(8 * i), mir_use(packed))
                        : masked;
    }
    return packed;
}

/* The face of a cube and the place on it; the layer of an array counts eight faces. */
static void add_cube(struct select *ctx, struct mimg *m, const struct ir_value *coord, bool array)
{
    struct mir_operand p[3];
    for (unsigned i = 0; i < 3; i++)
        p[i] = amd_sel_use_dword(ctx, coord, i);
    mir_temp major = amd_sel_vop3(ctx, ISA_OP_V_CUBEMA_F32, p[0], p[1], p[2]), rcp = amd_sel_temp(ctx, MIR_V(1));
    amd_sel_vop_instr(ctx, ISA_OP_V_RCP_F32, rcp, 1, (struct mir_operand[]){mir_use(major)})->alu.abs = 1;
    mir_temp s = amd_sel_vop3(ctx, ISA_OP_V_CUBESC_F32, p[0], p[1], p[2]),
             t = amd_sel_vop3(ctx, ISA_OP_V_CUBETC_F32, p[0], p[1], p[2]);
    mir_temp half =
        amd_sel_copy(ctx, MIR_V(1), mir_const(0x3fc00000)); /* 1.5: the face's coordinates run from 1 to 2 */
    add_address(ctx, m, amd_sel_vop3(ctx, ISA_OP_V_FMA_F32, mir_use(s), mir_use(rcp), mir_use(half)));
    add_address(ctx, m, amd_sel_vop3(ctx, ISA_OP_V_FMA_F32, mir_use(t), mir_use(rcp), mir_use(half)));
    mir_temp face = amd_sel_vop3(ctx, ISA_OP_V_CUBEID_F32, p[0], p[1], p[2]);
    if (array) {
        mir_temp layer = amd_sel_vop1(ctx, ISA_OP_V_RNDNE_F32, amd_sel_use_dword(ctx, coord, 3));
        layer = amd_sel_vop2(ctx, ISA_OP_V_MAX_F32, mir_const(0), mir_use(layer));
        face = amd_sel_vop3(ctx, ISA_OP_V_FMA_F32, mir_use(layer), mir_const(0x41000000), mir_use(face));
    }
    add_address(ctx, m, face);
}

static void add_coordinates(struct select *ctx, struct mimg *m, const struct tex *tex, const struct ir_value *coord)
{
    if (tex->dim == IR_DIM_cube) {
        add_cube(ctx, m, coord, tex->array && coord->comps > 3);
        return;
    }
    unsigned dims = tex->dim == IR_DIM_1d ? 1 : tex->dim == IR_DIM_3d ? 3 : 2;
    for (unsigned i = 0; i < coord->comps && i < dims; i++)
        add_address(ctx, m, amd_sel_value_dword(ctx, coord, i));
    if (tex->array && coord->comps > dims)
        add_address(ctx, m, amd_sel_vop1(ctx, ISA_OP_V_RNDNE_F32, amd_sel_use_dword(ctx, coord, dims)));
    else if (tex->array)
        add_address(ctx, m, amd_sel_copy(ctx, MIR_V(1), mir_const(0))); /* a question without a layer */
}

static bool is_zero(const struct ir_value *value)
{
    return ir_is_const(value) && (ir_const_u64(value) & 0x7fffffff) == 0;
}

static enum level_mode level_mode(const struct tex *tex)
{
    if (tex->op[IR_TEX_ddx])
        return LEVEL_GRAD;
    if (tex->op[IR_TEX_lod])
        return is_zero(tex->op[IR_TEX_lod]) ? LEVEL_ZERO : LEVEL_LOD;
    if (tex->op[IR_TEX_bias])
        return LEVEL_BIAS;
    return tex->kind == IR_TEX_KIND_gather && !tex->op[IR_TEX_min_lod] ? LEVEL_ZERO : LEVEL_IMPLICIT;
}

static void sample(struct select *ctx, struct ir_instr *instr, const struct tex *tex)
{
    bool gather = tex->kind == IR_TEX_KIND_gather;
    enum level_mode mode = level_mode(tex);
    const struct ir_value *clamp = mode == LEVEL_LOD || mode == LEVEL_ZERO ? NULL : tex->op[IR_TEX_min_lod];
    struct mimg m = {.dim = mimg_dim(tex->dim, tex->array, false),
                     .sync = MIR_SYNC_IMAGE,
                     .d16 = instr->def.bits == 16,
                     .tfe = asks_residency(instr)};
    m.op = (gather ? gather_ops : sample_ops)[mode][tex->compare][clamp != NULL][tex->op[IR_TEX_offset] != NULL];
    if (tex->kind == IR_TEX_KIND_query_lod)
        m.op = ISA_OP_IMAGE_GET_LOD;
    if (!m.op)
        sel_fail(ctx, "no image instruction for texture operation %u with these operands", tex->kind);
    if (tex->op[IR_TEX_offset])
        add_address(ctx, &m, pack_offset(ctx, tex->op[IR_TEX_offset]));
    if (mode == LEVEL_BIAS)
        add_value(ctx, &m, tex->op[IR_TEX_bias]);
    if (tex->compare)
        add_value(ctx, &m, tex->op[IR_TEX_compare]);
    if (mode == LEVEL_GRAD) {
        add_value(ctx, &m, tex->op[IR_TEX_ddx]);
        add_value(ctx, &m, tex->op[IR_TEX_ddy]);
    }
    add_coordinates(ctx, &m, tex, ir_src(instr, 2));
    if (mode == LEVEL_LOD)
        add_value(ctx, &m, tex->op[IR_TEX_lod]);
    if (clamp)
        add_value(ctx, &m, clamp);
    m.rsrc = amd_sel_sgpr(ctx, ir_src(instr, 0));
    m.sampler = amd_sel_sgpr(ctx, ir_src(instr, 1));
    unsigned used = m.d16 ? (unsigned)bits_mask(instr->def.comps) : read_components(instr);
    m.dmask = gather ? 1u << (tex->compare ? 0 : ir_imm(instr, IR_IMM_GATHER_COMP)) : used;
    m.result = gather ? amd_sel_temp(ctx, MIR_V((uint8_t)(m.d16 ? 2 : 4 + m.tfe))) : result_temp(ctx, instr, m.dmask);
    emit_mimg(ctx, &m);
    define_masked(ctx, instr, m.result, gather ? 0xf : m.dmask);
}

/* ---- texel buffers ---- */

static void buffer_load(struct select *ctx, struct ir_instr *instr, const struct ir_value *handle,
                        const struct ir_value *index, uint32_t access, bool storage)
{
    static const uint16_t ops[] = {ISA_OP_BUFFER_LOAD_FORMAT_X, ISA_OP_BUFFER_LOAD_FORMAT_XY,
                                   ISA_OP_BUFFER_LOAD_FORMAT_XYZ, ISA_OP_BUFFER_LOAD_FORMAT_XYZW};
    static const uint16_t halves[] = {ISA_OP_BUFFER_LOAD_FORMAT_D16_X, ISA_OP_BUFFER_LOAD_FORMAT_D16_XY,
                                      ISA_OP_BUFFER_LOAD_FORMAT_D16_XYZ, ISA_OP_BUFFER_LOAD_FORMAT_D16_XYZW};
    unsigned comps = instr->def.comps;
    bool half = instr->def.bits == 16, wide = instr->def.bits == 64;
    if (wide)
        comps = comps > 3 ? 4 : 2;
    else if (!half)
        comps = MAX2(1u, log2_floor(read_components(instr)) + 1);
    mir_temp rsrc = amd_sel_sgpr(ctx, handle), at = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, index, 0));
    mir_temp loaded = amd_sel_temp(ctx, MIR_V((uint8_t)(half ? div_round_up(comps, 2) : comps)));
    struct mir_instr *out = amd_sel_instr(ctx, (half ? halves : ops)[comps - 1], 1, 3);
    out->defs[0] = mir_result(loaded);
    out->operands[0] = mir_use(at);
    out->operands[1] = mir_use(rsrc);
    out->operands[2] = mir_const(0);
    out->mem.idxen = 1;
    out->mem.glc = access & (IR_ACCESS_COHERENT | IR_ACCESS_VOLATILE) ? 1 : 0;
    out->mem.dlc = out->mem.glc;
    out->sync = storage ? MIR_SYNC_IMAGE : MIR_SYNC_IMAGE | MIR_SYNC_CAN_REORDER;
    if (wide)
        define_wide(ctx, instr, loaded, 3);
    else
        define_masked(ctx, instr, loaded, (unsigned)bits_mask(comps));
}

static void buffer_store(struct select *ctx, struct ir_instr *instr)
{
    static const uint16_t ops[] = {ISA_OP_BUFFER_STORE_FORMAT_X, ISA_OP_BUFFER_STORE_FORMAT_XY,
                                   ISA_OP_BUFFER_STORE_FORMAT_XYZ, ISA_OP_BUFFER_STORE_FORMAT_XYZW};
    static const uint16_t halves[] = {ISA_OP_BUFFER_STORE_FORMAT_D16_X, ISA_OP_BUFFER_STORE_FORMAT_D16_XY,
                                      ISA_OP_BUFFER_STORE_FORMAT_D16_XYZ, ISA_OP_BUFFER_STORE_FORMAT_D16_XYZW};
    const struct ir_value *value = ir_src(instr, 0);
    unsigned comps = value->bits == 64 ? 2 : value->comps;
    mir_temp data = value->bits == 64 ? wide_data(ctx, value) : amd_sel_vgpr(ctx, value),
             rsrc = amd_sel_sgpr(ctx, ir_src(instr, 1)),
             at = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, ir_src(instr, 2), 0));
    mir_temp saved = amd_sel_exact_begin(ctx);
    struct mir_instr *out = amd_sel_instr(ctx, (value->bits == 16 ? halves : ops)[comps - 1], 0, 4);
    out->operands[0] = mir_use(data);
    out->operands[1] = mir_use(at);
    out->operands[2] = mir_use(rsrc);
    out->operands[3] = mir_const(0);
    out->mem.idxen = 1;
    out->mem.glc = ir_imm(instr, IR_IMM_ACCESS) & (IR_ACCESS_COHERENT | IR_ACCESS_VOLATILE) ? 1 : 0;
    out->sync = MIR_SYNC_IMAGE;
    amd_sel_exact_end(ctx, saved);
}

/* ---- images ---- */

static void fetch_texels(struct select *ctx, struct ir_instr *instr, const struct tex *tex)
{
    const struct ir_value *coord = ir_src(instr, 2), *lod = tex->op[IR_TEX_lod], *sample = tex->op[IR_TEX_sample];
    if (tex->dim == IR_DIM_buffer) {
        buffer_load(ctx, instr, ir_src(instr, 0), coord, 0, false);
        return;
    }
    bool level = lod && !is_zero(lod) && !sample;
    struct mimg m = {.op = level ? ISA_OP_IMAGE_LOAD_MIP : ISA_OP_IMAGE_LOAD,
                     .dim = mimg_dim(tex->dim, tex->array, true),
                     .unorm = true,
                     .d16 = instr->def.bits == 16,
                     .tfe = asks_residency(instr),
                     .sync = MIR_SYNC_IMAGE | MIR_SYNC_CAN_REORDER};
    add_value(ctx, &m, coord);
    if (sample)
        add_value(ctx, &m, sample);
    else if (tex->dim == IR_DIM_2dms || tex->dim == IR_DIM_subpass_ms)
        add_address(ctx, &m, amd_sel_copy(ctx, MIR_V(1), mir_const(0)));
    if (level)
        add_value(ctx, &m, lod);
    m.rsrc = amd_sel_sgpr(ctx, ir_src(instr, 0));
    m.dmask = m.d16 ? (unsigned)bits_mask(instr->def.comps) : read_components(instr);
    m.result = result_temp(ctx, instr, m.dmask);
    emit_mimg(ctx, &m);
    define_masked(ctx, instr, m.result, m.dmask);
}

static void load_image(struct select *ctx, struct ir_instr *instr)
{
    uint32_t dim = ir_imm(instr, IR_IMM_DIM), access = ir_imm(instr, IR_IMM_ACCESS);
    const struct ir_value *lod = ir_src(instr, 2);
    if (dim == IR_DIM_buffer) {
        buffer_load(ctx, instr, ir_src(instr, 0), ir_src(instr, 1), access, true);
        return;
    }
    bool level = !is_zero(lod) && !ir_is_undef(lod), wide = instr->def.bits == 64;
    struct mimg m = {.op = level ? ISA_OP_IMAGE_LOAD_MIP : ISA_OP_IMAGE_LOAD,
                     .dim = mimg_dim(dim, ir_imm(instr, IR_IMM_ARRAY), true),
                     .unorm = true,
                     .glc = access & (IR_ACCESS_COHERENT | IR_ACCESS_VOLATILE),
                     .d16 = instr->def.bits == 16,
                     .tfe = asks_residency(instr),
                     .sync = MIR_SYNC_IMAGE};
    m.dlc = m.glc;
    add_value(ctx, &m, ir_src(instr, 1));
    if (level)
        add_value(ctx, &m, lod);
    m.rsrc = amd_sel_sgpr(ctx, ir_src(instr, 0));
    if (wide)
        m.dmask = instr->def.comps > 3 ? 0xb : 3;
    else
        m.dmask = m.d16 ? (unsigned)bits_mask(instr->def.comps) : read_components(instr);
    m.result = wide ? amd_sel_temp(ctx, MIR_V((uint8_t)__builtin_popcount(m.dmask))) : result_temp(ctx, instr, m.dmask);
    emit_mimg(ctx, &m);
    if (wide)
        define_wide(ctx, instr, m.result, 2);
    else
        define_masked(ctx, instr, m.result, m.dmask);
}

static void store_image(struct select *ctx, struct ir_instr *instr)
{
    uint32_t dim = ir_imm(instr, IR_IMM_DIM);
    const struct ir_value *value = ir_src(instr, 0), *lod = ir_src(instr, 3);
    if (dim == IR_DIM_buffer) {
        buffer_store(ctx, instr);
        return;
    }
    bool level = !is_zero(lod) && !ir_is_undef(lod);
    struct mimg m = {.op = level ? ISA_OP_IMAGE_STORE_MIP : ISA_OP_IMAGE_STORE,
                     .dim = mimg_dim(dim, ir_imm(instr, IR_IMM_ARRAY), true),
                     .unorm = true,
                     .glc = ir_imm(instr, IR_IMM_ACCESS) & (IR_ACCESS_COHERENT | IR_ACCESS_VOLATILE),
                     .d16 = value->bits == 16,
                     .sync = MIR_SYNC_IMAGE};
    add_value(ctx, &m, ir_src(instr, 2));
    if (level)
        add_value(ctx, &m, lod);
    m.rsrc = amd_sel_sgpr(ctx, ir_src(instr, 1));
    m.dmask = value->bits == 64 ? 3 : (unsigned)bits_mask(value->comps);
    m.data = value->bits == 64 ? wide_data(ctx, value) : amd_sel_vgpr(ctx, value);
    mir_temp saved = amd_sel_exact_begin(ctx);
    emit_mimg(ctx, &m);
    amd_sel_exact_end(ctx, saved);
}

/* ---- atomics ---- */

static void atomic_image(struct select *ctx, struct ir_instr *instr)
{
    bool exchange = instr->op == IR_OP_cmpxchg_image, returns = !list_is_empty(&instr->def.uses);
    uint32_t atomic = exchange ? (uint32_t)IR_ATOMIC_cmpxchg : ir_imm(instr, IR_IMM_ATOMIC),
             dim = ir_imm(instr, IR_IMM_DIM);
    unsigned dwords = instr->def.bits / 32;
    mir_temp data, parts[4];
    if (exchange) {
        for (unsigned i = 0; i < dwords; i++) {
            parts[i] = amd_sel_value_dword(ctx, ir_src(instr, 3), i);
            parts[dwords + i] = amd_sel_value_dword(ctx, ir_src(instr, 2), i);
        }
        data = amd_sel_vector(ctx, true, dwords * 2, parts);
    } else {
        data = amd_sel_vgpr(ctx, ir_src(instr, 2));
    }
    unsigned op =
        dim == IR_DIM_buffer ? amd_sel_buffer_atomic_op(atomic, dwords == 2) : amd_sel_image_atomic_op(atomic);
    if (!op)
        sel_fail(ctx, "no instruction for atomic operation %u on images", atomic);
    mir_temp rsrc = amd_sel_sgpr(ctx, ir_src(instr, 0)),
             old = returns ? amd_sel_temp(ctx, MIR_V((uint8_t)amd_sel_dwords(ctx, data))) : 0;
    struct mimg m = {.op = op,
                     .dim = mimg_dim(dim, ir_imm(instr, IR_IMM_ARRAY), true),
                     .unorm = true,
                     .glc = returns,
                     .sync = MIR_SYNC_IMAGE | MIR_SYNC_VOLATILE};
    add_value(ctx, &m, ir_src(instr, 1));
    m.rsrc = rsrc;
    m.data = data;
    m.result = old;
    m.dmask = (unsigned)bits_mask(amd_sel_dwords(ctx, data));
    mir_temp saved = amd_sel_exact_begin(ctx);
    if (dim == IR_DIM_buffer) {
        struct mir_instr *out = amd_sel_instr(ctx, op, returns, 4);
        if (returns)
            out->defs[0] = mir_result(old);
        out->operands[0] = mir_use(data);
        out->operands[1] = mir_use(m.address[0]);
        out->operands[2] = mir_use(rsrc);
        out->operands[3] = mir_const(0);
        out->mem.idxen = 1;
        out->mem.glc = returns;
        out->sync = m.sync;
    } else {
        emit_mimg(ctx, &m);
    }
    amd_sel_exact_end(ctx, saved);
    if (!returns)
        return;
    for (unsigned i = 0; i < dwords; i++)
        parts[i] = amd_sel_dword(ctx, old, i);
    amd_sel_define_elems(ctx, &instr->def, dwords, parts);
}

bool amd_sel_image(struct select *ctx, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_tex: {
        struct tex tex = read_tex(instr);
        if (tex.kind == IR_TEX_KIND_fetch)
            fetch_texels(ctx, instr, &tex);
        else
            sample(ctx, instr, &tex);
        return true;
    }
    case IR_OP_load_image:
        load_image(ctx, instr);
        return true;
    case IR_OP_store_image:
        store_image(ctx, instr);
        return true;
    case IR_OP_atomic_image:
    case IR_OP_cmpxchg_image:
        atomic_image(ctx, instr);
        return true;
    default:
        return false;
    }
}
