/* Inputs of fragment shaders: attributes, interpolated or as they are, and the places where to interpolate. */
#include "amd/compiler/select.h"
#include "util/bits.h"

#define QUAD_PERM(a, b, c, d) ((a) | (b) << 2 | (c) << 4 | (d) << 6)

/* Parameters of v_interp_mov. */
enum {
    PARAM_P10,
    PARAM_P20,
    PARAM_P0
};

/* ---- numbers of attributes ---- */

static struct amd_ps_attribute *find_attribute(struct select *ctx, unsigned location)
{
    struct amd_shader_config *config = ctx->config;
    for (unsigned i = 0; i < config->num_attributes; i++) {
        if (config->attributes[i].location == location)
            return &config->attributes[i];
    }
    if (config->num_attributes == AMD_MAX_PARAMS)
        sel_fail(ctx, "more than %u attributes", AMD_MAX_PARAMS);
    struct amd_ps_attribute *attribute = &config->attributes[config->num_attributes++];
    *attribute = (struct amd_ps_attribute){.location = (uint8_t)location};
    return attribute;
}

static unsigned constant_location(struct select *ctx, const struct ir_instr *instr, const struct ir_value *offset)
{
    if (!ir_is_const(offset))
        sel_fail(ctx, "an input that is indexed by a computed number");
    return ir_imm(instr, IR_IMM_LOCATION) + (unsigned)ir_const_u64(offset);
}

/* Arrays of a primitive's vertices are in the order of the API; what AMD's extension reads goes with the weights as the
 * hardware has them. */
static bool is_ordered(const struct select *ctx, unsigned location)
{
    for (uint32_t i = 0; i < ctx->shader->num_inputs; i++) {
        const struct ir_io_var *input = &ctx->shader->inputs[i];
        if (location >= input->location && location < input->location + MAX2(input->num_locations, 1u))
            return input->per_vertex;
    }
    return false;
}

/* By location, so that the numbers do not depend on the order of the code. Channels beyond the fourth lie in the next
 * location. */
static void note_attribute(struct select *ctx, struct ir_instr *instr)
{
    bool interpolated = instr->op == IR_OP_load_interp, vertex = instr->op == IR_OP_load_input_vertex;
    if (!interpolated && !vertex && instr->op != IR_OP_load_input)
        return;
    unsigned location = constant_location(ctx, instr, ir_src(instr, interpolated || vertex ? 1 : 0));
    unsigned channels = ir_imm(instr, IR_IMM_COMP) +
                        (unsigned)div_round_up((uint64_t)instr->def.comps * MAX2(instr->def.bits, 32u), 32);
    for (unsigned i = 0; i < div_round_up(channels, 4); i++) {
        struct amd_ps_attribute *attribute = find_attribute(ctx, location + i);
        attribute->flat |= !interpolated && !vertex;
        attribute->explicit_vertices |= vertex;
        attribute->ordered |= vertex && is_ordered(ctx, location + i);
        attribute->half |= interpolated && instr->def.bits == 16;
    }
}

/* With a mesh shader these are its primitives', which come after those of vertices; without one the order is of no
 * matter. */
static bool may_be_of_primitive(const struct select *ctx, unsigned location)
{
    if (location == IR_LOCATION_primitive_id || location == IR_LOCATION_viewport || location == IR_LOCATION_layer)
        return true;
    for (uint32_t i = 0; i < ctx->shader->num_inputs; i++) {
        const struct ir_io_var *input = &ctx->shader->inputs[i];
        if (location >= input->location && location < input->location + MAX2(input->num_locations, 1u))
            return input->per_primitive;
    }
    return false;
}

static unsigned order_of(const struct select *ctx, const struct amd_ps_attribute *attribute)
{
    return attribute->location + (may_be_of_primitive(ctx, attribute->location) ? 256 : 0);
}

static void begin_prim_mask(struct select *ctx);
static void take_slopes(struct select *ctx, struct ir_instr *instr);
static void take_coarse_depth(struct select *ctx);

void amd_sel_inputs_begin(struct select *ctx)
{
    if (ctx->shader->stage != IR_STAGE_fragment)
        return;
    struct amd_shader_config *config = ctx->config;
    config->num_attributes = 0;
    ir_foreach_block (ctx->shader, block) {
        ir_foreach_instr (block, instr) {
            note_attribute(ctx, instr);
            if (instr->op == IR_OP_load_bary_at)
                take_slopes(ctx, instr);
            if (instr->op != IR_OP_load_sysval)
                continue;
            switch (ir_imm(instr, IR_IMM_SYSVAL)) {
            case IR_SYSVAL_frag_coord:
                take_coarse_depth(ctx);
                break;
            case IR_SYSVAL_point_coord:
                find_attribute(ctx, AMD_LOCATION_POINT_COORD)->sprite = true;
                break;
            case IR_SYSVAL_primitive_id:
                find_attribute(ctx, IR_LOCATION_primitive_id)->flat = true;
                break;
            case IR_SYSVAL_viewport_in:
                find_attribute(ctx, IR_LOCATION_viewport)->flat = true;
                break;
            default:
                break;
            }
        }
    }
    for (unsigned i = 1; i < config->num_attributes; i++) {
        struct amd_ps_attribute moved = config->attributes[i];
        unsigned at = i;
        for (; at > 0 && order_of(ctx, &config->attributes[at - 1]) > order_of(ctx, &moved); at--)
            config->attributes[at] = config->attributes[at - 1];
        config->attributes[at] = moved;
    }
    begin_prim_mask(ctx);
}

/* ---- instructions ---- */

static uint32_t attribute_number(struct select *ctx, unsigned location, unsigned channel)
{
    return (uint32_t)(find_attribute(ctx, location + channel / 4) - ctx->config->attributes) * 4 + channel % 4;
}

/* The primitive mask stays in m0, where nothing else of a fragment shader goes. */
static struct mir_operand prim_mask(struct select *ctx)
{
    return mir_fixed(ctx->prim_mask, MIR_REG_M0);
}

static void begin_prim_mask(struct select *ctx)
{
    if (!ctx->config->num_attributes)
        return;
    ctx->prim_mask = amd_sel_temp(ctx, MIR_S(1));
    struct mir_instr *copy = amd_sel_instr(ctx, MIR_P_COPY, 1, 1);
    copy->defs[0] = mir_fixed_result(ctx->prim_mask, MIR_REG_M0);
    copy->operands[0] = mir_use(amd_sel_arg(ctx, AMD_ARG_PRIM_MASK));
    copy->operands[0].dwords = 1;
}

mir_temp amd_sel_interpolate(struct select *ctx, unsigned location, unsigned channel, mir_temp i, mir_temp j)
{
    uint32_t number = attribute_number(ctx, location, channel);
    mir_temp first = amd_sel_temp(ctx, MIR_V(1)), result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *p1 = amd_sel_instr(ctx, ISA_OP_V_INTERP_P1_F32, 1, 2);
    p1->variant = ISA_VARIANT_BASE;
    p1->defs[0] = mir_result(first);
    p1->operands[0] = mir_use(i);
    p1->operands[1] = prim_mask(ctx);
    p1->imm = number;
    struct mir_instr *p2 = amd_sel_instr(ctx, ISA_OP_V_INTERP_P2_F32, 1, 3);
    p2->variant = ISA_VARIANT_BASE;
    p2->defs[0] = mir_result(result);
    p2->operands[0] = mir_use(j);
    p2->operands[1] = mir_use(first);
    p2->operands[2] = prim_mask(ctx);
    p2->imm = number;
    return result;
}

static mir_temp interpolate_half(struct select *ctx, unsigned location, unsigned channel, mir_temp i, mir_temp j)
{
    uint32_t number = attribute_number(ctx, location, channel);
    mir_temp first = amd_sel_temp(ctx, MIR_V(1)), result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *p1 = amd_sel_instr(ctx, ISA_OP_V_INTERP_P1LL_F16, 1, 2);
    p1->defs[0] = mir_result(first);
    p1->operands[0] = mir_use(i);
    p1->operands[1] = prim_mask(ctx);
    p1->imm = number;
    struct mir_instr *p2 = amd_sel_instr(ctx, ISA_OP_V_INTERP_P2_F16, 1, 3);
    p2->defs[0] = mir_result(result);
    p2->operands[0] = mir_use(j);
    p2->operands[1] = mir_use(first);
    p2->operands[2] = prim_mask(ctx);
    p2->imm = number;
    return result;
}

static mir_temp move_parameter(struct select *ctx, uint32_t number, unsigned parameter)
{
    mir_temp result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *move = amd_sel_instr(ctx, ISA_OP_V_INTERP_MOV_F32, 1, 1);
    move->variant = ISA_VARIANT_BASE;
    move->defs[0] = mir_result(result);
    move->operands[0] = prim_mask(ctx);
    move->imm = number;
    move->imm2 = parameter;
    return result;
}

mir_temp amd_sel_attribute(struct select *ctx, unsigned location, unsigned channel)
{
    return move_parameter(ctx, attribute_number(ctx, location, channel), PARAM_P0);
}

/* Channels are dwords; 16-bit values come in their low halves and are packed. */
static void define_channels(struct select *ctx, struct ir_instr *instr, unsigned count, const mir_temp *channels)
{
    mir_temp dwords[16];
    if (instr->def.bits != 16) {
        amd_sel_define_elems(ctx, &instr->def, count, channels);
        return;
    }
    for (unsigned i = 0; i < count; i += 2)
        dwords[i / 2] = i + 1 < count ? amd_sel_vop3(ctx, ISA_OP_V_PERM_B32, mir_use(channels[i + 1]),
                                                     mir_use(channels[i]), mir_const(0x05040100))
                                      : channels[i];
    amd_sel_define_elems(ctx, &instr->def, (unsigned)div_round_up(count, 2), dwords);
}

static void load_interp(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *bary = ir_src(instr, 0);
    unsigned location = constant_location(ctx, instr, ir_src(instr, 1)), first = ir_imm(instr, IR_IMM_COMP);
    mir_temp i = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, bary, 0)),
             j = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, bary, 1)), channels[8];
    for (unsigned n = 0; n < instr->def.comps; n++) {
        channels[n] = instr->def.bits == 16 ? interpolate_half(ctx, location, first + n, i, j)
                                            : amd_sel_interpolate(ctx, location, first + n, i, j);
    }
    define_channels(ctx, instr, instr->def.comps, channels);
}

static mir_temp of_vertex(struct select *ctx, uint32_t number, const struct ir_value *vertex)
{
    static const uint8_t parameters[] = {PARAM_P0, PARAM_P10, PARAM_P20};
    if (ir_is_const(vertex))
        return move_parameter(ctx, number, parameters[MIN2(ir_const_u64(vertex), 2)]);
    mir_temp index = amd_sel_vgpr(ctx, vertex), result = move_parameter(ctx, number, PARAM_P0);
    for (unsigned i = 1; i < 3; i++) {
        mir_temp other = move_parameter(ctx, number, parameters[i]),
                 is_it = amd_sel_vopc(ctx, ISA_OP_V_CMP_EQ_U32, mir_const(i), mir_use(index));
        result = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_use(result), mir_use(other), mir_use(is_it));
    }
    return result;
}

static void load_flat(struct select *ctx, struct ir_instr *instr)
{
    bool vertex = instr->op == IR_OP_load_input_vertex;
    unsigned location = constant_location(ctx, instr, ir_src(instr, vertex ? 1 : 0)),
             first = ir_imm(instr, IR_IMM_COMP);
    mir_temp channels[16];
    unsigned count = (unsigned)div_round_up((uint64_t)instr->def.comps * MAX2(instr->def.bits, 32u), 32);
    for (unsigned n = 0; n < count; n++) {
        uint32_t number = attribute_number(ctx, location, first + n);
        channels[n] = vertex ? of_vertex(ctx, number, ir_src(instr, 0)) : move_parameter(ctx, number, PARAM_P0);
    }
    define_channels(ctx, instr, count, channels);
}

/* ---- where to interpolate ---- */

static mir_temp difference(struct select *ctx, mir_temp value, unsigned to)
{
    mir_temp first = amd_sel_quad_read(ctx, value, QUAD_PERM(0, 0, 0, 0)), other = amd_sel_quad_read(ctx, value, to);
    return amd_sel_vop2(ctx, ISA_OP_V_SUB_F32, mir_use(other), mir_use(first));
}

/* How what the centre has changes within the quad: taken at the start, where the whole quad is there. The
 * interpolation itself may be under control flow that switches the lane's neighbours off. */
static void take_slopes(struct select *ctx, struct ir_instr *instr)
{
    enum amd_ps_input input = amd_ps_input_of_bary(instr, ctx->per_sample);
    mir_temp(*slopes)[2] = ctx->slopes[input == AMD_PS_LINEAR_CENTER];
    const unsigned count = input == AMD_PS_LINEAR_CENTER ? 2 : 3;
    for (unsigned i = 0; i < count && !slopes[i][0]; i++) {
        mir_temp at = amd_sel_dword(ctx, amd_sel_arg(ctx, AMD_ARG_PS_INPUT0 + input), i);
        slopes[i][0] = difference(ctx, at, QUAD_PERM(1, 1, 1, 1));
        slopes[i][1] = difference(ctx, at, QUAD_PERM(2, 2, 2, 2));
    }
}

/* Where fragments are two pixels wide the hardware's depth is an eighth of a pixel too far left: a sixteenth of what it
 * grows from one to the next. Taken at the start, too. */
static void take_coarse_depth(struct select *ctx)
{
    if (ctx->coarse_depth || !amd_may_be_coarse(ctx->shader, ctx->options))
        return;
    mir_temp depth = amd_sel_arg(ctx, AMD_ARG_PS_INPUT0 + AMD_PS_POS_Z),
             growth = difference(ctx, depth, QUAD_PERM(1, 1, 1, 1)),
             width =
                 amd_sel_vop3(ctx, ISA_OP_V_BFE_U32, mir_use(amd_sel_arg(ctx, AMD_ARG_PS_INPUT0 + AMD_PS_ANCILLARY)),
                              mir_const(2), mir_const(2));
    /* 0 or 1 as a number, and a sixteenth of it */
    mir_temp part = amd_sel_vop2(ctx, ISA_OP_V_MUL_F32, mir_const(0x3d800000),
                                 mir_use(amd_sel_vop1(ctx, ISA_OP_V_CVT_F32_U32, mir_use(width))));
    ctx->coarse_depth = amd_sel_vop3(ctx, ISA_OP_V_FMA_F32, mir_use(growth), mir_use(part), mir_use(depth));
}

/* Sample n of the pattern lies in a table after those of smaller patterns; its place counts from the pixel's corner.
 */
static void sample_offset(struct select *ctx, const struct ir_value *sample, mir_temp offset[2])
{
    mir_temp position = amd_sel_temp(ctx, MIR_V(2)), index = amd_sel_vgpr(ctx, sample),
             table = amd_sel_ring_address(ctx);
    if (ctx->stage->fs.samples) {
        index = amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_const(ctx->stage->fs.samples - 1u), mir_use(index));
    } else {
        mir_temp state = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_sample_state);
        mir_temp before = amd_sel_sop2(ctx, ISA_OP_S_BFM_B32, 1, mir_use(state), mir_const(0)); /* 2^[4:0] - 1 */
        index = amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_use(before), mir_use(index));
    }
    mir_temp address = amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(3), mir_use(index));
    struct mir_instr *load = amd_sel_instr(ctx, ISA_OP_GLOBAL_LOAD_DWORDX2, 1, 2);
    load->defs[0] = mir_result(position);
    load->operands[0] = mir_use(address);
    load->operands[1] = mir_use(table);
    load->mem.offset = AMD_RING_SAMPLE_POS_1X * 16;
    load->sync = MIR_SYNC_CAN_REORDER;
    for (unsigned i = 0; i < 2; i++)
        offset[i] =
            amd_sel_vop2(ctx, ISA_OP_V_ADD_F32, mir_const(0xbf000000), mir_use(amd_sel_dword(ctx, position, i)));
}

/* From the centre along the differences within the quad. */
static void load_bary_at(struct select *ctx, struct ir_instr *instr)
{
    enum amd_ps_input input = amd_ps_input_of_bary(instr, ctx->per_sample);
    mir_temp center = amd_sel_arg(ctx, AMD_ARG_PS_INPUT0 + input), offset[2], parts[3];
    const bool is_linear = input == AMD_PS_LINEAR_CENTER;
    mir_temp(*slopes)[2] = ctx->slopes[is_linear];
    const struct ir_value *operand = ir_src(instr, 0);
    if (ir_imm(instr, IR_IMM_BARY) == IR_BARY_at_sample) {
        sample_offset(ctx, operand, offset);
    } else {
        for (unsigned i = 0; i < 2; i++)
            offset[i] = amd_sel_value_dword(ctx, operand, i);
    }
    for (unsigned i = 0; i < (is_linear ? 2 : 3); i++) {
        mir_temp at = amd_sel_dword(ctx, center, i);
        mir_temp moved = amd_sel_vop3(ctx, ISA_OP_V_FMA_F32, mir_use(slopes[i][0]), mir_use(offset[0]), mir_use(at));
        parts[i] = amd_sel_vop3(ctx, ISA_OP_V_FMA_F32, mir_use(slopes[i][1]), mir_use(offset[1]), mir_use(moved));
    }
    mir_temp w = is_linear ? 0 : amd_sel_vop1(ctx, ISA_OP_V_RCP_F32, mir_use(parts[2]));
    for (unsigned i = 0; i < 2 && !is_linear; i++)
        parts[i] = amd_sel_vop2(ctx, ISA_OP_V_MUL_F32, mir_use(w), mir_use(parts[i]));
    amd_sel_define_elems(ctx, &instr->def, 2, parts);
}

bool amd_sel_input(struct select *ctx, struct ir_instr *instr)
{
    if (amd_has_vertex_stage(ctx->shader) && instr->op == IR_OP_load_input)
        return amd_sel_vertex_input(ctx, instr);
    if (ctx->shader->stage != IR_STAGE_fragment)
        return false;
    switch (instr->op) {
    case IR_OP_load_bary:
        amd_sel_define(ctx, &instr->def,
                       amd_sel_arg(ctx, AMD_ARG_PS_INPUT0 + amd_ps_input_of_bary(instr, ctx->per_sample)));
        return true;
    case IR_OP_load_bary_at:
        load_bary_at(ctx, instr);
        return true;
    case IR_OP_load_interp:
        load_interp(ctx, instr);
        return true;
    case IR_OP_load_input:
    case IR_OP_load_input_vertex:
        load_flat(ctx, instr);
        return true;
    default:
        return false;
    }
}
