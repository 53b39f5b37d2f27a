/* The outputs of a stage: positions and parameters of a vertex, colours, depth and coverage of a fragment. The IR
 * stores outputs at its end; they are collected and exported in one go. */
#include <string.h>

#include "amd/compiler/select.h"
#include "util/bits.h"

enum {
    EXP_MRT0 = 0,
    EXP_MRTZ = 8,
    EXP_NULL = 9,
    EXP_POS0 = 12,
    EXP_PARAM0 = 32
};

#define LOCATIONS (IR_LOCATION_VAR0 + 64)

struct sel_outputs {
    mir_temp channel[2][LOCATIONS][4]; /* by dual index; dwords, 0: not written */
    bool half[2][LOCATIONS];           /* the channels are 16 bits wide */
};

void amd_sel_outputs_begin(struct select *ctx)
{
    ctx->outputs = amd_sel_alloc(ctx, sizeof(*ctx->outputs));
}

static void export_primitive_param(struct select *ctx, const struct ir_instr *instr);

bool amd_sel_output(struct select *ctx, struct ir_instr *instr)
{
    if (instr->op == IR_OP_ngg_export_param) {
        export_primitive_param(ctx, instr);
        return true;
    }
    if (instr->op != IR_OP_store_output)
        return false;
    const struct ir_value *value = ir_src(instr, 0), *offset = ir_src(instr, 1);
    if (!ir_is_const(offset))
        sel_fail(ctx, "an output that is indexed by a computed number");
    if (ctx->divergent_depth || ctx->loop)
        sel_fail(ctx, "an output that is stored under control flow");
    unsigned location = ir_imm(instr, IR_IMM_LOCATION) + (unsigned)ir_const_u64(offset),
             first = ir_imm(instr, IR_IMM_COMP), dual = ir_imm(instr, IR_IMM_DUAL_INDEX) & 1;
    unsigned count = value->bits == 16 ? value->comps : amd_sel_value_dwords(value);
    for (unsigned i = 0; i < count; i++) {
        unsigned at = location + (first + i) / 4;
        if (at >= LOCATIONS)
            sel_fail(ctx, "output location %u", at - IR_LOCATION_VAR0);
        mir_temp channel = value->bits == 16 ? amd_sel_component(ctx, value, i) : amd_sel_value_dword(ctx, value, i);
        ctx->outputs->channel[dual][at][(first + i) % 4] = channel;
        ctx->outputs->half[dual][at] = value->bits == 16;
    }
    return true;
}

/* ---- exports ---- */

static struct mir_instr *export_values(struct select *ctx, unsigned target, unsigned en, const mir_temp values[4])
{
    mir_temp used[4] = {0};
    for (unsigned i = 0; i < 4; i++) {
        if (en >> i & 1)
            used[i] = values[i] ? amd_sel_to_vgpr(ctx, values[i]) : amd_sel_copy(ctx, MIR_V(1), mir_const(0));
    }
    struct mir_instr *exp = amd_sel_instr(ctx, ISA_OP_EXP, 0, 4);
    for (unsigned i = 0; i < 4; i++)
        exp->operands[i] = used[i] ? mir_use(used[i]) : (struct mir_operand){.kind = MIR_NONE};
    exp->exp.target = (uint8_t)target;
    exp->exp.en = (uint8_t)en;
    exp->sync = MIR_SYNC_EXPORT;
    return exp;
}

static unsigned written(const mir_temp channels[4])
{
    unsigned mask = 0;
    for (unsigned i = 0; i < 4; i++)
        mask |= channels[i] ? 1u << i : 0;
    return mask;
}

/* ---- vertices ---- */

/* Two pixels are the most in each direction: the logarithm of the width in [3:2], that of the height in [5:4]. */
static mir_temp rate_bits(struct select *ctx, mir_temp rate)
{
    mir_temp from = amd_sel_to_vgpr(ctx, rate), log2[2];
    for (unsigned i = 0; i < 2; i++) { /* height, width */
        log2[i] = amd_sel_vop3(ctx, ISA_OP_V_BFE_U32, mir_use(from), mir_const(2 * i), mir_const(2));
        log2[i] = amd_sel_vop2(ctx, ISA_OP_V_MIN_U32, mir_const(1), mir_use(log2[i]));
    }
    mir_temp width = amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(2), mir_use(log2[1])),
             height = amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(4), mir_use(log2[0]));
    return amd_sel_vop2(ctx, ISA_OP_V_OR_B32, mir_use(width), mir_use(height));
}

static struct mir_instr *export_misc(struct select *ctx, unsigned target)
{
    const struct sel_outputs *o = ctx->outputs;
    mir_temp values[4] = {0}, layer = o->channel[0][IR_LOCATION_layer][0],
             viewport = o->channel[0][IR_LOCATION_viewport][0];
    mir_temp size = o->channel[0][IR_LOCATION_point_size][0];
    unsigned en = 0;
    if (ctx->stage->vs.layer_from_view && ctx->shader->stage != IR_STAGE_mesh) /* whose primitives have it */
        layer = amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_view_index);
    if (size || ctx->stage->vs.points) {
        values[0] = size ? size : amd_sel_copy(ctx, MIR_V(1), mir_const(0x3f800000));
        en |= 1;
        ctx->config->writes_point_size = true;
    }
    if (o->channel[0][IR_LOCATION_shading_rate][0]) {
        values[1] = rate_bits(ctx, o->channel[0][IR_LOCATION_shading_rate][0]);
        en |= 2;
        ctx->config->writes_rate = true;
    }
    if (layer || viewport) {
        values[2] = layer;
        if (viewport) {
            mir_temp shifted = amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(16), mir_use(viewport));
            values[2] = layer ? amd_sel_vop2(ctx, ISA_OP_V_OR_B32, mir_use(layer), mir_use(shifted)) : shifted;
        }
        en |= 4;
        ctx->config->writes_layer = layer != 0;
        ctx->config->writes_viewport = viewport != 0;
    }
    return en ? export_values(ctx, target, en, values) : NULL;
}

/* Clip distances, and after them cull distances: eight in all. */
static unsigned gather_distances(struct select *ctx, mir_temp distances[8])
{
    const struct sel_outputs *o = ctx->outputs;
    unsigned count = 0, clips = 0;
    for (unsigned kind = 0; kind < 2; kind++) {
        unsigned base = kind ? IR_LOCATION_cull_distance0 : IR_LOCATION_clip_distance0;
        unsigned wanted = kind ? ctx->shader->vs.cull_distances : ctx->shader->vs.clip_distances;
        for (unsigned i = 0; i < 8 && count < 8; i++) {
            mir_temp distance = o->channel[0][base + i / 4][i % 4];
            if (!distance && i >= wanted)
                continue;
            distances[count++] = distance;
        }
        if (!kind)
            clips = count;
    }
    ctx->config->clip_mask = (uint8_t)bits_mask(clips);
    ctx->config->cull_mask = (uint8_t)(bits_mask(count) & ~bits_mask(clips));
    return count;
}

static struct mir_instr *export_positions(struct select *ctx)
{
    const struct sel_outputs *o = ctx->outputs;
    mir_temp position[4], distances[8] = {0};
    unsigned target = EXP_POS0;
    memcpy(position, o->channel[0][IR_LOCATION_position], sizeof(position));
    for (unsigned i = 0; i < 4; i++) {
        if (!position[i])
            position[i] = amd_sel_copy(ctx, MIR_V(1), mir_const(i == 3 ? 0x3f800000 : 0));
    }
    struct mir_instr *last = export_values(ctx, target++, 0xf, position), *misc = export_misc(ctx, target);
    if (misc) {
        last = misc;
        target++;
    }
    unsigned count = gather_distances(ctx, distances);
    for (unsigned i = 0; i < count; i += 4)
        last = export_values(ctx, target++, (unsigned)bits_mask(MIN2(count - i, 4u)), distances + i);
    ctx->config->num_positions = (uint8_t)(target - EXP_POS0);
    return last;
}

bool amd_next_reads(const struct amd_stage_options *stage, unsigned location)
{
    if (location < IR_LOCATION_VAR0) {
        switch (location) {
        case IR_LOCATION_layer:
            return stage->vs.next_reads_layer;
        case IR_LOCATION_viewport:
            return stage->vs.next_reads_viewport;
        case IR_LOCATION_clip_distance0:
        case IR_LOCATION_clip_distance1:
        case IR_LOCATION_cull_distance0:
        case IR_LOCATION_cull_distance1:
            return stage->vs.next_reads_clip;
        default:
            return false;
        }
    }
    return !stage->vs.outputs_known ||
           (location - IR_LOCATION_VAR0 < 64 && stage->vs.outputs_read >> (location - IR_LOCATION_VAR0) & 1);
}

/* ---- primitives of mesh shaders ---- */

static void export_primitive_param(struct select *ctx, const struct ir_instr *instr)
{
    const struct amd_geometry_layout *layout = &ctx->stage->gs.layout;
    const struct ir_value *value = ir_src(instr, 0);
    mir_temp channels[4] = {0};
    unsigned number = 0;
    while (number < layout->primitive_params && layout->primitive_locations[number] != ir_imm(instr, IR_IMM_LOCATION))
        number++;
    for (unsigned i = 0; i < value->comps; i++)
        channels[i] = amd_sel_value_dword(ctx, value, i);
    export_values(ctx, EXP_PARAM0 + layout->vertex_params + number, (unsigned)bits_mask(value->comps), channels);
}

/* The places of what primitives export were chosen before: after all that vertices can have. */
static void end_mesh_params(struct select *ctx)
{
    const struct amd_geometry_layout *layout = &ctx->stage->gs.layout;
    struct amd_shader_config *config = ctx->config;
    if (config->num_params > layout->vertex_params)
        sel_fail(ctx, "internal: parameters of vertices where those of primitives are");
    config->num_params = layout->vertex_params;
    for (unsigned i = 0; i < layout->primitive_params; i++)
        config->param_of[layout->primitive_locations[i]] = (uint8_t)(layout->vertex_params + i);
}

static void export_params(struct select *ctx)
{
    struct amd_shader_config *config = ctx->config;
    memset(config->param_of, 0xff, sizeof(config->param_of));
    for (unsigned i = 0; i < sizeof(config->param_of); i++) {
        /* Where anything may be read, what has a location has the places before what merely may be read, too. */
        const unsigned first = ctx->stage->vs.outputs_known ? 0 : IR_LOCATION_VAR0,
                       location = (first + i) % sizeof(config->param_of);
        const mir_temp *channels = ctx->outputs->channel[0][location];
        unsigned en = written(channels);
        if (!en || !amd_next_reads(ctx->stage, location) || config->num_params == AMD_MAX_PARAMS)
            continue;
        config->param_of[location] = config->num_params;
        export_values(ctx, EXP_PARAM0 + config->num_params++, en, channels);
    }
    if (ctx->shader->stage == IR_STAGE_mesh)
        end_mesh_params(ctx);
    else if (ctx->stage->vs.next_reads_primitive_id &&
             (ctx->stage->vs.outputs_known || config->num_params < AMD_MAX_PARAMS)) {
        mir_temp own = ctx->outputs->channel[0][IR_LOCATION_primitive_id][0],
                 number[4] = {own ? own : amd_sel_primitive_id(ctx)};
        if (config->num_params == AMD_MAX_PARAMS)
            sel_fail(ctx, "more than %u parameters", AMD_MAX_PARAMS);
        config->param_of[IR_LOCATION_primitive_id] = config->num_params;
        config->reads_primitive_id = ctx->shader->stage == IR_STAGE_vertex && !ctx->stage->is_evaluation;
        export_values(ctx, EXP_PARAM0 + config->num_params++, 1, number);
    }
}

/* ---- fragments ---- */

/* The kind of numbers of a colour: 16 bits of it are widened accordingly. */
static enum ir_base base_of(const struct select *ctx, unsigned location)
{
    for (uint32_t i = 0; i < ctx->shader->num_outputs; i++) {
        const struct ir_io_var *output = &ctx->shader->outputs[i];
        if (location >= output->location && location < output->location + MAX2(output->num_locations, 1u))
            return output->base;
    }
    return IR_BASE_float;
}

/* A channel of 16 bits, above which anything may stand, as one of 32. */
static mir_temp widen_channel(struct select *ctx, mir_temp channel, enum ir_base base)
{
    if (!channel)
        return 0;
    if (base == IR_BASE_float)
        return amd_sel_vop1(ctx, ISA_OP_V_CVT_F32_F16, mir_use(channel));
    if (base == IR_BASE_int)
        return amd_sel_vop3(ctx, ISA_OP_V_BFE_I32, mir_use(channel), mir_const(0), mir_const(16));
    return amd_sel_vop2(ctx, ISA_OP_V_AND_B32, mir_const(0xffff), mir_use(channel));
}

static struct mir_operand or_zero(mir_temp channel)
{
    return channel ? mir_use(channel) : mir_const(0);
}

/* Integers of 8 and 10 bits saturate before the target cuts them. */
static mir_temp clamp_integer(struct select *ctx, mir_temp channel, unsigned target, unsigned comp, bool is_signed)
{
    bool int8 = ctx->stage->fs.color_is_int8 >> target & 1, int10 = ctx->stage->fs.color_is_int10 >> target & 1;
    if (!channel || (!int8 && !int10))
        return channel;
    unsigned bits = int8 ? 8 : comp == 3 ? 2 : 10;
    if (!is_signed)
        return amd_sel_vop2(ctx, ISA_OP_V_MIN_U32, mir_const((1u << bits) - 1), mir_use(channel));
    mir_temp low = amd_sel_vop2(ctx, ISA_OP_V_MIN_I32, mir_const((1u << (bits - 1)) - 1), mir_use(channel));
    return amd_sel_vop2(ctx, ISA_OP_V_MAX_I32, mir_const((uint32_t) - (1 << (bits - 1))), mir_use(low));
}

static struct mir_instr *export_packed(struct select *ctx, unsigned target, unsigned op, const mir_temp channels[4])
{
    mir_temp pairs[4] = {0};
    for (unsigned i = 0; i < 2; i++)
        pairs[i] = amd_sel_vop2(ctx, op, or_zero(channels[2 * i]), or_zero(channels[2 * i + 1]));
    struct mir_instr *exp = amd_sel_instr(ctx, ISA_OP_EXP, 0, 4);
    exp->operands[0] = mir_use(pairs[0]);
    exp->operands[1] = mir_use(pairs[1]);
    exp->exp.target = (uint8_t)target;
    exp->exp.en = 0xf;
    exp->exp.compr = 1;
    exp->sync = MIR_SYNC_EXPORT;
    return exp;
}

static struct mir_instr *export_halves(struct select *ctx, unsigned target, const mir_temp channels[4])
{
    mir_temp pairs[4] = {0};
    for (unsigned i = 0; i < 2; i++)
        pairs[i] = amd_sel_vop3(ctx, ISA_OP_V_PERM_B32, or_zero(channels[2 * i + 1]), or_zero(channels[2 * i]),
                                mir_const(0x05040100));
    struct mir_instr *exp = amd_sel_instr(ctx, ISA_OP_EXP, 0, 4);
    exp->operands[0] = mir_use(pairs[0]);
    exp->operands[1] = mir_use(pairs[1]);
    exp->exp.target = (uint8_t)target;
    exp->exp.en = 0xf;
    exp->exp.compr = 1;
    exp->sync = MIR_SYNC_EXPORT;
    return exp;
}

static struct mir_instr *export_color(struct select *ctx, unsigned target, unsigned location, const mir_temp from[4],
                                      bool half, unsigned format)
{
    mir_temp channels[4];
    bool is_int = format == AMD_EXPORT_UINT16_ABGR || format == AMD_EXPORT_SINT16_ABGR;
    bool clamped = is_int && (ctx->stage->fs.color_is_int8 | ctx->stage->fs.color_is_int10) >> target & 1;
    if (half && (format == AMD_EXPORT_FP16_ABGR || (is_int && !clamped)))
        return export_halves(ctx, target, from);
    for (unsigned i = 0; i < 4; i++) {
        channels[i] = half ? widen_channel(ctx, from[i], base_of(ctx, location)) : from[i];
        if (is_int)
            channels[i] = clamp_integer(ctx, channels[i], target, i, format == AMD_EXPORT_SINT16_ABGR);
    }
    switch (format) {
    case AMD_EXPORT_32_R:
        return export_values(ctx, target, 1, channels);
    case AMD_EXPORT_32_GR:
        return export_values(ctx, target, 3, channels);
    case AMD_EXPORT_32_AR:
        return export_values(ctx, target, 3, (mir_temp[4]){channels[0], channels[3]});
    case AMD_EXPORT_FP16_ABGR:
        return export_packed(ctx, target, ISA_OP_V_CVT_PKRTZ_F16_F32, channels);
    case AMD_EXPORT_UNORM16_ABGR:
        return export_packed(ctx, target, ISA_OP_V_CVT_PKNORM_U16_F32, channels);
    case AMD_EXPORT_SNORM16_ABGR:
        return export_packed(ctx, target, ISA_OP_V_CVT_PKNORM_I16_F32, channels);
    case AMD_EXPORT_UINT16_ABGR:
        return export_packed(ctx, target, ISA_OP_V_CVT_PK_U16_U32, channels);
    case AMD_EXPORT_SINT16_ABGR:
        return export_packed(ctx, target, ISA_OP_V_CVT_PK_I16_I32, channels);
    default:
        return export_values(ctx, target, 0xf, channels);
    }
}

static struct mir_instr *export_depth(struct select *ctx)
{
    struct amd_shader_config *config = ctx->config;
    mir_temp values[4] = {ctx->outputs->channel[0][IR_LOCATION_frag_depth][0],
                          ctx->outputs->channel[0][IR_LOCATION_frag_stencil][0],
                          ctx->outputs->channel[0][IR_LOCATION_sample_mask][0], 0};
    unsigned en = written(values);
    config->writes_depth = en & 1;
    config->writes_stencil = en & 2;
    config->writes_mask = en & 4;
    if (!en)
        return NULL;
    config->z_format = en & 4 ? AMD_EXPORT_32_ABGR : en & 2 ? AMD_EXPORT_32_GR : AMD_EXPORT_32_R;
    return export_values(ctx, EXP_MRTZ, en, values);
}

/* Exports and their formats have no gaps: the shader mask says which targets they are for. */
static struct mir_instr *export_colors(struct select *ctx, struct mir_instr *last)
{
    struct amd_shader_config *config = ctx->config;
    unsigned rank = 0;
    for (unsigned target = 0; target < AMD_MAX_TARGETS; target++) {
        unsigned format = ctx->stage->fs.color_formats >> 4 * target & 0xf;
        bool dual = ctx->stage->fs.dual_source && target == 1;
        unsigned location = IR_LOCATION_VAR0 + (dual ? 0 : target);
        const mir_temp *channels = ctx->outputs->channel[dual][location];
        bool coverage = target == 0 && ctx->stage->fs.alpha_to_coverage && channels[3];
        if (coverage && format == AMD_EXPORT_ZERO)
            format = AMD_EXPORT_32_AR;
        if (format == AMD_EXPORT_ZERO || !written(channels))
            continue;
        last = export_color(ctx, target, location, channels, ctx->outputs->half[dual][location], format);
        last->exp.target = (uint8_t)rank;
        config->color_formats |= format << 4 * rank++;
        config->cb_shader_mask |= 0xfu << 4 * target;
    }
    return last;
}

/* The last export ends them all and says which lanes count; without any, there is one to nowhere. */
static void end_exports(struct select *ctx, struct mir_instr *last)
{
    if (!last)
        last = export_values(ctx, EXP_NULL, 0, (mir_temp[4]){0});
    last->exp.vm = 1;
    last->exp.done = 1;
}

/* ---- in two parts ---- */

/* Slots of the hand-over: the targets, and after them the second source of target 0. */
static void slot_place(unsigned slot, unsigned *dual_out, unsigned *location_out)
{
    *dual_out = slot == AMD_MAX_TARGETS;
    *location_out = IR_LOCATION_VAR0 + (*dual_out ? 0 : slot);
}

bool amd_sel_output_color(struct select *ctx, unsigned slot, mir_temp channels[4])
{
    unsigned dual, location;
    slot_place(slot, &dual, &location);
    const mir_temp *from = ctx->outputs->channel[dual][location];
    if (!written(from))
        return false;
    for (unsigned i = 0; i < 4; i++) {
        mir_temp channel =
            ctx->outputs->half[dual][location] ? widen_channel(ctx, from[i], base_of(ctx, location)) : from[i];
        channels[i] = channel ? channel : amd_sel_copy(ctx, MIR_V(1), mir_const(0));
    }
    return true;
}

void amd_sel_set_color(struct select *ctx, unsigned slot, const mir_temp channels[4])
{
    unsigned dual, location;
    slot_place(slot, &dual, &location);
    memcpy(ctx->outputs->channel[dual][location], channels, sizeof(ctx->outputs->channel[dual][location]));
}

void amd_sel_export_colors(struct select *ctx, bool depth_was_exported)
{
    struct mir_instr *last = export_colors(ctx, NULL);
    if (!last && depth_was_exported)
        last = export_values(ctx, EXP_NULL, 0, (mir_temp[4]){0});
    end_exports(ctx, last);
}

void amd_sel_outputs_end(struct select *ctx)
{
    const struct ir_shader *shader = ctx->shader;
    struct amd_shader_config *config = ctx->config;
    if (shader->stage == IR_STAGE_geometry && ctx->stage->gs.layout.has_ring)
        return; /* what it emits the copy shader exports */
    if (shader->stage == IR_STAGE_tess_control)
        return; /* what it has is in memory */
    if (amd_has_vertex_stage(shader)) {
        export_positions(ctx)->exp.done = 1;
        export_params(ctx);
    } else if (shader->stage == IR_STAGE_fragment) {
        if (ctx->has_exact)
            amd_sel_set_exec(ctx, mir_use(ctx->exact));
        struct mir_instr *depth = export_depth(ctx);
        if (ctx->stage->fs.epilog)
            amd_sel_jump_to_epilog(ctx);
        else
            end_exports(ctx, export_colors(ctx, depth));
        config->early_tests = shader->fs.early_tests;
        config->post_depth_coverage = shader->fs.post_depth_coverage;
        config->writes_memory = shader->fs.writes_memory;
        config->depth_layout = shader->fs.depth_layout;
        config->sample_shading = ctx->per_sample;
    }
}
