/* Vertex shaders: attributes from buffers, and the frame that NGG puts around them. */
#include "amd/compiler/select.h"
#include "util/bits.h"

#define MSG_GS 2
#define MSG_GS_DONE 3
#define MSG_GS_ALLOC_REQ 9
#define GS_OP_CUT (1 << 4)
#define GS_OP_EMIT (2 << 4)
#define EXP_PRIM 20
#define MAX_OFFSET_B 4095
#define MAX_SUBGROUP_VERTICES 256

/* ---- NGG ---- */

static mir_temp wave_field(struct select *ctx, enum amd_arg arg, unsigned low, unsigned count)
{
    return amd_sel_sop2(ctx, ISA_OP_S_BFE_U32, 1, mir_use(amd_sel_arg(ctx, arg)), mir_const(low | count << 16));
}

/* exec = the lowest `count` lanes. s_bfm takes six bits of a count: 64 needs a choice. */
static void set_exec_count(struct select *ctx, mir_temp count)
{
    mir_temp mask = amd_sel_sop2(ctx, ISA_OP_S_BFM_B64, 2, mir_use(count), mir_const(0));
    if (!ctx->wave64) {
        amd_sel_set_exec(ctx, mir_use(amd_sel_dword(ctx, mask, 0)));
        return;
    }
    mir_temp all = amd_sel_sopc(ctx, ISA_OP_S_BITCMP1_B32, mir_use(count), mir_const(6));
    amd_sel_set_exec(ctx, mir_use(amd_sel_cselect(ctx, 2, mir_const64(UINT64_MAX), mir_use(mask), all)));
}

/* The first wave asks for room for the vertices and primitives of the subgroup. */
static void request_space(struct select *ctx, mir_temp vertices, mir_temp prims)
{
    struct sel_when when;
    mir_temp wave = wave_field(ctx, AMD_ARG_NGG_WAVE, 24, 4);
    amd_sel_when_begin(ctx, amd_sel_sopc(ctx, ISA_OP_S_CMP_EQ_U32, mir_use(wave), mir_const(0)), &when);
    mir_temp shifted = amd_sel_sop2(ctx, ISA_OP_S_LSHL_B32, 1, mir_use(prims), mir_const(12));
    mir_temp both = amd_sel_sop2(ctx, ISA_OP_S_OR_B32, 1, mir_use(vertices), mir_use(shifted));
    struct mir_instr *message = amd_sel_instr(ctx, ISA_OP_S_SENDMSG, 0, 1);
    message->imm = MSG_GS_ALLOC_REQ;
    message->operands[0] = mir_fixed(both, MIR_REG_M0);
    message->sync = MIR_SYNC_MESSAGE;
    amd_sel_when_end(ctx, &when);
}

/* `place` 0: where its vertices say. */
static void export_primitive(struct select *ctx, mir_temp packed, mir_temp place)
{
    struct mir_instr *prim = amd_sel_instr(ctx, ISA_OP_EXP, 0, 4);
    prim->operands[0] = mir_use(packed);
    if (place)
        prim->operands[1] = mir_use(place);
    prim->exp.target = EXP_PRIM;
    prim->exp.en = place ? 3 : 1;
    prim->exp.done = 1;
    prim->sync = MIR_SYNC_EXPORT;
}

/* A primitive's number is known to the lane that has the primitive; the lane that has its provoking vertex, which is
 * the first, exports it. It goes there through shared memory, a dword per vertex. */

static mir_temp own_place_B(struct select *ctx)
{
    mir_temp wave = wave_field(ctx, AMD_ARG_NGG_WAVE, 24, 4);
    mir_temp before = amd_sel_sop2(ctx, ISA_OP_S_LSHL_B32, 1, mir_use(wave), mir_const(ctx->wave64 ? 6 : 5));
    mir_temp vertex = amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_use(before), mir_use(amd_sel_lane_index(ctx)));
    return amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(2), mir_use(vertex));
}

/* A store that all waves of the subgroup see from here on. */
static void store_shared(struct select *ctx, mir_temp place_B, mir_temp value)
{
    struct mir_instr *write = amd_sel_instr(ctx, ISA_OP_DS_WRITE_B32, 0, 2);
    write->operands[0] = mir_use(place_B);
    write->operands[1] = mir_use(value);
    write->sync = MIR_SYNC_SHARED;
    struct mir_instr *fence = amd_sel_instr(ctx, MIR_P_BARRIER, 0, 0),
                     *barrier = amd_sel_instr(ctx, ISA_OP_S_BARRIER, 0, 0);
    fence->imm = MIR_SYNC_SHARED | MIR_SYNC_ACQUIRE | MIR_SYNC_RELEASE;
    fence->sync = barrier->sync = (uint16_t)fence->imm;
}

/* The three vertices as they are exported. */
static mir_temp pack_vertices(struct select *ctx, mir_temp first)
{
    unsigned vertices = ctx->stage->vs.prim_vertices ? ctx->stage->vs.prim_vertices : 3;
    mir_temp packed = first;
    if (vertices > 1) {
        mir_temp second =
            amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B32, mir_const(16), mir_use(amd_sel_arg(ctx, AMD_ARG_NGG_PRIM)));
        packed = amd_sel_vop3(ctx, ISA_OP_V_LSHL_OR_B32, mir_use(second), mir_const(10), mir_use(packed));
    }
    if (vertices > 2) {
        mir_temp third =
            amd_sel_vop2(ctx, ISA_OP_V_AND_B32, mir_const(0xffff), mir_use(amd_sel_arg(ctx, AMD_ARG_NGG_PRIM_2)));
        packed = amd_sel_vop3(ctx, ISA_OP_V_LSHL_OR_B32, mir_use(third), mir_const(20), mir_use(packed));
    }
    return packed;
}

/* Vertices that are first in no primitive export zero: every place is written before the primitives write theirs. */
static void hand_over_primitive_id(struct select *ctx)
{
    ctx->program->lds_size_B = MAX_SUBGROUP_VERTICES * 4;
    set_exec_count(ctx, wave_field(ctx, AMD_ARG_NGG_WAVE, 0, 8));
    store_shared(ctx, own_place_B(ctx), amd_sel_copy(ctx, MIR_V(1), mir_const(0)));
    set_exec_count(ctx, wave_field(ctx, AMD_ARG_NGG_WAVE, 8, 8));
    mir_temp first =
        amd_sel_vop2(ctx, ISA_OP_V_AND_B32, mir_const(0xffff), mir_use(amd_sel_arg(ctx, AMD_ARG_NGG_PRIM)));
    export_primitive(ctx, pack_vertices(ctx, first), 0);
    store_shared(ctx, amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(2), mir_use(first)),
                 amd_sel_arg(ctx, AMD_ARG_PRIMITIVE_ID));
}

static mir_temp take_primitive_id(struct select *ctx)
{
    mir_temp place_B = own_place_B(ctx), result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *read = amd_sel_instr(ctx, ISA_OP_DS_READ_B32, 1, 1);
    read->defs[0] = mir_result(result);
    read->operands[0] = mir_use(place_B);
    read->sync = MIR_SYNC_SHARED;
    return result;
}

mir_temp amd_sel_primitive_id(struct select *ctx)
{
    if (ctx->shader->stage == IR_STAGE_geometry) /* which writes none: it would be an output */
        return amd_sel_copy(ctx, MIR_V(1), mir_const(0));
    if (ctx->stage->is_evaluation)
        return amd_sel_arg(ctx, AMD_ARG_TESS_NUMBER);
    return ctx->stage->vs.legacy ? amd_sel_arg(ctx, AMD_ARG_PRIMITIVE_ID) : ctx->primitive_id;
}

/* Space, the primitive, then the lanes that are vertices. */
static void begin_ngg(struct select *ctx)
{
    bool hands_over = amd_hands_over_primitive_id(ctx->options);
    ctx->config->passthrough = !hands_over;
    request_space(ctx, wave_field(ctx, AMD_ARG_NGG_SUBGROUP, 12, 9), wave_field(ctx, AMD_ARG_NGG_SUBGROUP, 22, 9));
    if (hands_over) {
        hand_over_primitive_id(ctx);
    } else {
        set_exec_count(ctx, wave_field(ctx, AMD_ARG_NGG_WAVE, 8, 8));
        export_primitive(ctx, amd_sel_arg(ctx, AMD_ARG_NGG_PRIM), 0);
    }
    set_exec_count(ctx, wave_field(ctx, AMD_ARG_NGG_WAVE, 0, 8));
    amd_sel_leave_when_empty(ctx);
    if (hands_over)
        ctx->primitive_id = take_primitive_id(ctx);
}

/* ---- attributes ---- */

/* An instance's step by a constant: as compiler/lower/lower_divide.c divides. */
static mir_temp divide_step(struct select *ctx, mir_temp n, uint32_t d)
{
    if (is_power_of_two(d))
        return amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B32, mir_const(log2_floor(d)), mir_use(n));
    unsigned shift = log2_ceil(d);
    uint32_t magic = (uint32_t)((((1ull << shift) - d) << 32) / d + 1);
    mir_temp t = amd_sel_vop2(ctx, ISA_OP_V_MUL_HI_U32, mir_use(n), mir_const(magic)),
             rest = amd_sel_vop2(ctx, ISA_OP_V_SUB_NC_U32, mir_use(n), mir_use(t));
    mir_temp half = amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B32, mir_const(1), mir_use(rest)),
             sum = amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_use(half), mir_use(t));
    return amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B32, mir_const(shift - 1), mir_use(sum));
}

static mir_temp element_index(struct select *ctx, const struct amd_vertex_attribute *attribute)
{
    mir_temp base =
        amd_sel_arg(ctx, AMD_ARG_USER0 + (attribute->per_instance ? AMD_USER_base_instance : AMD_USER_base_vertex));
    if (!attribute->per_instance)
        return amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_use(base), mir_use(amd_sel_arg(ctx, AMD_ARG_VERTEX_ID)));
    if (attribute->divisor == 0)
        return amd_sel_to_vgpr(ctx, base);
    mir_temp instance = amd_sel_arg(ctx, AMD_ARG_INSTANCE_ID);
    if (attribute->divisor > 1)
        instance = divide_step(ctx, instance, attribute->divisor);
    return amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_use(base), mir_use(instance));
}

static mir_temp load_descriptor(struct select *ctx, unsigned binding)
{
    mir_temp base = amd_sel_temp(ctx, MIR_S(2)), result = amd_sel_temp(ctx, MIR_S(4));
    struct mir_instr *pair = amd_sel_instr(ctx, MIR_P_VECTOR, 1, 2);
    pair->defs[0] = mir_result(base);
    pair->operands[0] = mir_use(amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_vertex_buffers));
    pair->operands[1] = mir_const(ctx->options->address32_hi);
    struct mir_instr *load = amd_sel_instr(ctx, ISA_OP_S_LOAD_DWORDX4, 1, 2);
    load->defs[0] = mir_result(result);
    load->operands[0] = mir_use(base);
    load->mem.offset = (int32_t)(binding * 16);
    load->sync = MIR_SYNC_CAN_REORDER;
    return result;
}

static mir_temp typed_load(struct select *ctx, mir_temp rsrc, mir_temp index, unsigned format, unsigned channels,
                           uint32_t offset_B)
{
    static const uint16_t ops[] = {ISA_OP_TBUFFER_LOAD_FORMAT_X, ISA_OP_TBUFFER_LOAD_FORMAT_XY,
                                   ISA_OP_TBUFFER_LOAD_FORMAT_XYZ, ISA_OP_TBUFFER_LOAD_FORMAT_XYZW};
    mir_temp result = amd_sel_temp(ctx, MIR_V((uint8_t)channels));
    struct mir_operand soffset = mir_const(0);
    if (offset_B > MAX_OFFSET_B) {
        soffset = mir_use(amd_sel_copy(ctx, MIR_S(1), mir_const(offset_B & ~(uint32_t)MAX_OFFSET_B)));
        offset_B &= MAX_OFFSET_B;
    }
    struct mir_instr *load = amd_sel_instr(ctx, ops[channels - 1], 1, 3);
    load->defs[0] = mir_result(result);
    load->operands[0] = mir_use(index);
    load->operands[1] = mir_use(rsrc);
    load->operands[2] = soffset;
    load->mem.idxen = 1;
    load->mem.format = (uint8_t)format;
    load->mem.offset = (int32_t)offset_B;
    load->sync = MIR_SYNC_CAN_REORDER;
    return result;
}

/* All channels of the attribute as dwords; what memory does not have is 0, 0, 0, 1. */
static void load_channels(struct select *ctx, const struct amd_vertex_attribute *attribute, mir_temp rsrc,
                          mir_temp index, unsigned wanted, mir_temp channels[8])
{
    unsigned dwords = attribute->is_64 ? attribute->channels * 2u : attribute->channels,
             loaded = MIN2(dwords, MAX2(wanted, attribute->bgra ? 4u : 1u));
    for (unsigned at = 0; at < loaded;) {
        unsigned count = attribute->split_B ? 1 : attribute->is_64 ? 2 : loaded;
        uint32_t offset_B = attribute->offset_B + (attribute->split_B ? at * attribute->split_B : at * 4);
        mir_temp piece = typed_load(ctx, rsrc, index, attribute->format, count,
                                    attribute->split_B || attribute->is_64 ? offset_B : attribute->offset_B);
        for (unsigned i = 0; i < count; i++)
            channels[at + i] = amd_sel_dword(ctx, piece, i);
        at += count;
    }
    if (attribute->bgra && loaded > 2) {
        mir_temp blue = channels[0];
        channels[0] = channels[2];
        channels[2] = blue;
    }
    for (unsigned i = loaded; i < wanted; i++)
        channels[i] = amd_sel_copy(ctx, MIR_V(1),
                                   mir_const(i == 3 && !attribute->is_64 ? (attribute->is_int ? 1 : 0x3f800000) : 0));
}

/* Attributes are loaded once, where the vertex begins. */
static void load_attributes(struct select *ctx)
{
    unsigned wanted[AMD_MAX_ATTRIBUTES] = {0};
    ir_foreach_block (ctx->shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_load_input)
                continue;
            if (!ir_is_const(ir_src(instr, 0)))
                sel_fail(ctx, "an attribute that is indexed by a computed number");
            unsigned location =
                ir_imm(instr, IR_IMM_LOCATION) - IR_LOCATION_VAR0 + (unsigned)ir_const_u64(ir_src(instr, 0));
            unsigned count = (unsigned)div_round_up((uint64_t)instr->def.comps * MAX2(instr->def.bits, 32u), 32);
            if (location >= AMD_MAX_ATTRIBUTES || ir_imm(instr, IR_IMM_COMP) + count > 8)
                sel_fail(ctx, "attribute %u", location);
            wanted[location] = MAX2(wanted[location], ir_imm(instr, IR_IMM_COMP) + count);
        }
    }
    mir_temp rsrc[AMD_MAX_ATTRIBUTES] = {0}, index = 0;
    for (unsigned location = 0; location < AMD_MAX_ATTRIBUTES; location++) {
        const struct amd_vertex_attribute *attribute = &ctx->stage->vs.attributes[location];
        if (!wanted[location])
            continue;
        mir_temp *channels = ctx->attributes[location] = amd_sel_alloc(ctx, 8 * sizeof(*channels));
        ctx->config->attributes_used |= 1u << location;
        if (ctx->stage->vs.prolog) {
            for (unsigned i = 0; i < 4; i++)
                channels[i] = amd_sel_dword(ctx, amd_sel_arg(ctx, AMD_ARG_ATTRIBUTE0 + location), i);
            continue;
        }
        if (!attribute->present) {
            for (unsigned i = 0; i < wanted[location];
                 i++) /* the pipeline has no such attribute: undefined, but no harm */
                channels[i] = amd_sel_copy(ctx, MIR_V(1), mir_const(0));
            continue;
        }
        mir_temp *descriptor = &rsrc[attribute->binding % AMD_MAX_ATTRIBUTES];
        if (!*descriptor)
            *descriptor = load_descriptor(ctx, attribute->binding);
        if (!attribute->per_instance && !index)
            index = element_index(ctx, attribute);
        load_channels(ctx, attribute, *descriptor, attribute->per_instance ? element_index(ctx, attribute) : index,
                      wanted[location], channels);
    }
}

void amd_sel_vertex_exec(struct select *ctx)
{
    set_exec_count(ctx, wave_field(ctx, AMD_ARG_NGG_WAVE, 0, 8));
}

void amd_sel_load_attribute(struct select *ctx, const struct amd_vertex_attribute *attribute, unsigned wanted,
                            mir_temp channels[8])
{
    if (!attribute->present) {
        for (unsigned i = 0; i < wanted; i++)
            channels[i] = amd_sel_copy(ctx, MIR_V(1), mir_const(0));
        return;
    }
    load_channels(ctx, attribute, load_descriptor(ctx, attribute->binding), element_index(ctx, attribute), wanted,
                  channels);
}

bool amd_sel_vertex_input(struct select *ctx, struct ir_instr *instr)
{
    unsigned location = ir_imm(instr, IR_IMM_LOCATION) - IR_LOCATION_VAR0 + (unsigned)ir_const_u64(ir_src(instr, 0)),
             first = ir_imm(instr, IR_IMM_COMP);
    unsigned count = (unsigned)div_round_up((uint64_t)instr->def.comps * MAX2(instr->def.bits, 32u), 32);
    const mir_temp *channels = ctx->attributes[location];
    mir_temp dwords[8];
    if (instr->def.bits != 16) {
        amd_sel_define_elems(ctx, &instr->def, count, channels + first);
        return true;
    }
    for (unsigned i = 0; i < count; i++) {
        mir_temp channel = channels[first + i];
        if (!ctx->stage->vs.attributes[location].is_int)
            channel = amd_sel_vop1(ctx, ISA_OP_V_CVT_F16_F32, mir_use(channel));
        dwords[i / 2] = i % 2 ? amd_sel_vop3(ctx, ISA_OP_V_PERM_B32, mir_use(channel), mir_use(dwords[i / 2]),
                                             mir_const(0x05040100))
                              : channel;
    }
    amd_sel_define_elems(ctx, &instr->def, (unsigned)div_round_up(count, 2), dwords);
    return true;
}

/* ---- with a geometry shader (geometry.c) ---- */

static void gs_vertices(struct select *ctx, struct ir_instr *instr)
{
    mir_temp words[3] = {amd_sel_arg(ctx, AMD_ARG_NGG_PRIM), amd_sel_arg(ctx, AMD_ARG_NGG_PRIM_2),
                         amd_sel_arg(ctx, AMD_ARG_NGG_PRIM_3)};
    amd_sel_define_elems(ctx, &instr->def, 3, words);
}

/* No buffer of the program's: loads of those stay constant beside it. */
static void add_to_count(struct select *ctx, struct ir_instr *instr)
{
    mir_temp address = amd_sel_global_address(ctx, ir_src(instr, 0), 0), number = amd_sel_vgpr(ctx, ir_src(instr, 1));
    struct mir_instr *add = amd_sel_instr(ctx, ISA_OP_GLOBAL_ATOMIC_ADD_X2, 0, 3);
    add->operands[0] = mir_use(address);
    add->operands[1] = mir_use(number);
    add->sync = MIR_SYNC_BUFFER | MIR_SYNC_VOLATILE;
}

/* Without NGG: the geometry engine counts the vertices of the lanes that run. */
static void send_from_geometry(struct select *ctx, uint32_t word)
{
    mir_temp wave = wave_field(ctx, AMD_ARG_NGG_WAVE, 16, 8);
    struct mir_instr *message = amd_sel_instr(ctx, ISA_OP_S_SENDMSG, 0, 1);
    message->imm = word;
    message->operands[0] = mir_fixed(wave, MIR_REG_M0);
    message->sync = MIR_SYNC_MESSAGE;
}

bool amd_sel_geometry(struct select *ctx, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_ngg_wave:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_NGG_WAVE));
        return true;
    case IR_OP_ngg_subgroup:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_NGG_SUBGROUP));
        return true;
    case IR_OP_ngg_provoking:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_provoking));
        return true;
    case IR_OP_ngg_counters:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_counters));
        return true;
    case IR_OP_ngg_count:
        add_to_count(ctx, instr);
        return true;
    case IR_OP_ngg_vertices:
        gs_vertices(ctx, instr);
        return true;
    case IR_OP_ngg_fetch:
        load_attributes(ctx);
        return true;
    case IR_OP_ngg_allocate:
        request_space(ctx, amd_sel_sgpr(ctx, ir_src(instr, 0)), amd_sel_sgpr(ctx, ir_src(instr, 1)));
        return true;
    case IR_OP_ngg_export_prim:
        export_primitive(ctx, amd_sel_vgpr(ctx, ir_src(instr, 0)), 0);
        return true;
    case IR_OP_ngg_export_placed: {
        mir_temp place = amd_sel_vgpr(ctx, ir_src(instr, 1));
        export_primitive(ctx, amd_sel_vgpr(ctx, ir_src(instr, 0)), place);
        return true;
    }
    case IR_OP_task_entry:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_USER0 + AMD_USER_task_entry));
        return true;
    case IR_OP_mesh_group:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_VERTEX_ID));
        return true;
    case IR_OP_emit_vertex:
        send_from_geometry(ctx, MSG_GS | GS_OP_EMIT | ir_imm(instr, IR_IMM_STREAM) << 8);
        return true;
    case IR_OP_end_primitive:
        send_from_geometry(ctx, MSG_GS | GS_OP_CUT | ir_imm(instr, IR_IMM_STREAM) << 8);
        return true;
    case IR_OP_gs_done:
        send_from_geometry(ctx, MSG_GS_DONE);
        return true;
    case IR_OP_gs_place:
        amd_sel_define(ctx, &instr->def, amd_sel_arg(ctx, AMD_ARG_VERTEX_ID));
        return true;
    case IR_OP_ngg_keep_lanes:
        set_exec_count(ctx, amd_sel_sgpr(ctx, ir_src(instr, 0)));
        amd_sel_leave_when_empty(ctx);
        return true;
    default:
        return false;
    }
}

void amd_sel_vertex_begin(struct select *ctx)
{
    if (ctx->shader->stage == IR_STAGE_geometry || ctx->shader->stage == IR_STAGE_mesh ||
        ctx->shader->stage == IR_STAGE_tess_control) /* the hardware starts all lanes of such a wave in some state */
        amd_sel_set_exec(ctx, amd_sel_mask_const(ctx, true));
    if (ctx->shader->stage != IR_STAGE_vertex)
        return;
    if (!ctx->stage->vs.legacy)
        begin_ngg(ctx);
    load_attributes(ctx);
}
