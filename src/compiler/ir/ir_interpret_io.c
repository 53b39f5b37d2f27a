/* Images, inputs and outputs of the interpreter: what comes from outside is asked of the caller, then made up of the
 * seed. */
#include <string.h>

#include "util/bits.h"
#include "util/half.h"

#include "compiler/ir/ir_interpret_internal.h"

/* --- images --- */

static uint64_t image_place(struct interpreter *in, const struct ir_instr *instr, uint32_t handle, uint32_t coord,
                            uint32_t lane)
{
    interp_seen(in, interp_doubts(in, ir_src(instr, handle), lane) | interp_doubts(in, ir_src(instr, coord), lane));
    uint64_t place = interp_mix(SPACE_IMAGE, interp_handle_name(in, ir_src(instr, handle), lane));
    for (uint32_t comp = 0; comp < ir_src(instr, coord)->comps; comp++)
        place = interp_mix(place, interp_data(in, ir_src(instr, coord), comp)[lane]);
    return place;
}

/* Loads and stores that the caller answers. */
static bool access_given_image(struct interpreter *in, const struct ir_instr *instr, uint32_t lane)
{
    bool is_store = instr->op == IR_OP_store_image;
    const struct ir_value *value = is_store ? ir_src(instr, 0) : &instr->def, *at = ir_src(instr, is_store ? 2 : 1);
    uint64_t coord[4] = {0}, texel[4] = {0};
    if (!in->options->image || (is_store && in->helper[lane]) || (!is_store && instr->op != IR_OP_load_image))
        return false;
    for (uint32_t comp = 0; comp < at->comps; comp++)
        coord[comp] = interp_data(in, at, comp)[lane];
    for (uint32_t comp = 0; comp < value->comps && is_store; comp++)
        texel[comp] = interp_data(in, value, comp)[lane];
    if (!in->options->image(in->options->source_data, instr, coord, texel))
        return false;
    interp_seen(in, interp_doubts(in, at, lane) | (is_store ? interp_doubts(in, value, lane) : 0));
    for (uint32_t comp = 0; comp < value->comps && !is_store; comp++) {
        interp_data(in, value, comp)[lane] = texel[comp] & bits_mask(value->bits);
        interp_doubt(in, value, comp)[lane] = 0;
    }
    return true;
}

static void access_image(struct interpreter *in, const struct ir_instr *instr, uint32_t lane)
{
    bool is_store = instr->op == IR_OP_store_image;
    const struct ir_value *value = is_store ? ir_src(instr, 0) : &instr->def;
    if (access_given_image(in, instr, lane))
        return;
    uint64_t place = image_place(in, instr, is_store ? 1 : 0, is_store ? 2 : 1, lane);
    if (in->helper[lane] && instr->op != IR_OP_load_image) {
        if (!is_store)
            interp_doubt(in, value, 0)[lane] = DOUBT_UNDEF;
        return;
    }
    if (is_store || instr->op == IR_OP_load_image) /* the level is part of the place; 0 is where atomics go */
        place += interp_decisive(in, instr, is_store ? 3 : 2, lane);
    if (is_store)
        interp_seen(in, interp_doubts(in, value, lane));
    for (uint32_t comp = 0; comp < value->comps; comp++) {
        uint64_t *data = &interp_data(in, value, comp)[lane], key = interp_mix(place, comp),
                 old = interp_sparse_get(in, key, value->bits);
        if (!is_store)
            interp_doubt(in, value, comp)[lane] = 0;
        if (instr->op == IR_OP_load_image) {
            *data = old;
        } else if (is_store) {
            interp_sparse_set(in, key, value->bits, *data);
        } else {
            uint64_t next = instr->op == IR_OP_atomic_image
                                ? interp_atomic(in, instr, value->bits, old, interp_decisive(in, instr, 2, lane))
                            : interp_decisive(in, instr, 2, lane) == old ? interp_decisive(in, instr, 3, lane)
                                                                         : old;
            interp_sparse_set(in, key, value->bits, next);
            *data = old;
        }
    }
}

/* --- outputs --- */

static struct ir_interpret_output *find_output(struct interpreter *in, const struct ir_interpret_output *like,
                                               bool make)
{
    uint64_t key = interp_mix(interp_mix(SPACE_OUTPUT, like->lane),
                              (uint64_t)like->location << 32 | like->comp << 8 | like->dual_index);
    uint64_t *index = map64_get(&in->outputs, key);
    if (index)
        return &in->output_list[*index];
    if (!make)
        return NULL;
    if (in->num_outputs == in->max_outputs) {
        in->max_outputs = in->max_outputs ? in->max_outputs * 2 : 64;
        struct ir_interpret_output *grown = interp_alloc(in, in->max_outputs, sizeof(*grown));
        if (in->num_outputs)
            memcpy(grown, in->output_list, in->num_outputs * sizeof(*grown));
        in->output_list = grown;
    }
    if (!map64_set(&in->outputs, key, in->num_outputs))
        interp_stop(in, "out of memory");
    in->output_list[in->num_outputs] = *like;
    return &in->output_list[in->num_outputs++];
}

/* The invocations of a control shader are those of one patch, those of a mesh shader of one workgroup, and outputs are
 * theirs in common. */
static uint32_t output_lane(const struct interpreter *in, uint32_t lane)
{
    return in->shader->stage == IR_STAGE_tess_control || in->shader->stage == IR_STAGE_mesh ? 0 : lane;
}

/* Locations of one vertex of several lie apart from those of the next. */
static uint32_t output_location(struct interpreter *in, const struct ir_instr *instr, uint32_t lane)
{
    bool is_store = !instr->def.bits;
    bool per_vertex = instr->op == IR_OP_store_per_vertex || instr->op == IR_OP_load_vertex_output;
    uint32_t first = is_store ? 1 : 0;
    uint32_t vertex = per_vertex ? 1 + (uint32_t)interp_decisive(in, instr, first, lane) : 0;
    return ir_imm(instr, IR_IMM_LOCATION) + (uint32_t)interp_decisive(in, instr, first + per_vertex, lane) +
           vertex * 4096;
}

static void store_output(struct interpreter *in, const struct ir_instr *instr, uint32_t lane)
{
    const struct ir_value *value = ir_src(instr, 0);
    uint32_t location = output_location(in, instr, lane);
    if (in->helper[lane])
        return;
    for (uint32_t comp = 0; comp < value->comps; comp++) {
        uint8_t doubt = interp_doubt(in, value, comp)[lane];
        interp_seen(in, doubt & DOUBT_UNDEF);
        const struct ir_interpret_output like = {output_lane(in, lane), location, ir_imm(instr, IR_IMM_COMP) + comp,
                                                 ir_imm(instr, IR_IMM_DUAL_INDEX), 0};
        struct ir_interpret_output *out = find_output(in, &like, true);
        out->value = interp_data(in, value, comp)[lane];
        out->bits = value->bits;
        out->some_nan = doubt & DOUBT_NAN;
        out->nan_bits = doubt & DOUBT_BITS;
    }
}

static void emit_vertex(struct interpreter *in, const struct ir_instr *instr, uint32_t lane)
{
    uint64_t vertex = 0;
    for (uint32_t i = 0; i < in->num_outputs; i++) {
        const struct ir_interpret_output *out = &in->output_list[i];
        if (out->lane == lane)
            vertex += interp_mix(interp_mix(out->location, out->comp), out->value);
    }
    for (uint32_t i = 0; i < instr->num_srcs; i++)
        vertex = interp_mix(vertex, interp_decisive(in, instr, i, lane));
    in->trace = interp_mix(interp_mix(in->trace, lane), interp_mix(instr->op << 8 | instr->imm[0], vertex));
}

/* --- what comes from outside: asked of the caller, then made up --- */

static uint64_t sysval(struct interpreter *in, enum ir_sysval which, uint32_t lane, uint32_t comp)
{
    const uint32_t *size = in->shader->workgroup_size;
    uint32_t x = size[0] ? size[0] : in->num_lanes, y = size[1] ? size[1] : 1;
    switch (which) {
    case IR_SYSVAL_local_id:
        return comp == 0 ? lane % x : comp == 1 ? lane / x % y : lane / x / y;
    case IR_SYSVAL_local_index:
        return lane;
    case IR_SYSVAL_workgroup_id:
        return in->options->workgroup_id[comp];
    case IR_SYSVAL_num_workgroups:
        return in->options->num_workgroups[comp] ? in->options->num_workgroups[comp] : 1;
    case IR_SYSVAL_subgroup_size:
        return in->wave_size;
    case IR_SYSVAL_subgroup_id:
        return lane / in->wave_size;
    case IR_SYSVAL_num_subgroups:
        return in->num_waves;
    case IR_SYSVAL_subgroup_lane:
        return lane % in->wave_size;
    case IR_SYSVAL_helper_invocation:
        return in->helper[lane];
    case IR_SYSVAL_vertex_index:
    case IR_SYSVAL_primitive_id:
    case IR_SYSVAL_sample_id:
    case IR_SYSVAL_invocation_id:
        return lane;
    case IR_SYSVAL_frag_coord: /* quads of four lanes, side by side */
        return float_bits(comp == 0   ? (float)(lane / 4 * 2 + lane % 2) + 0.5f
                          : comp == 1 ? (float)(lane / 2 % 2) + 0.5f
                          : comp == 2 ? 0.25f
                                      : 1);
    default: /* the same in all lanes, as most of what is left is */
        return interp_word(in, interp_mix(SPACE_SYSVAL, (uint64_t)which << 8 | comp), ir_sysval_bits(which)) &
               (ir_sysval_bits(which) == 1 ? 1 : 15);
    }
}

static uint64_t resource_handle(const struct interpreter *in, const struct ir_instr *instr, uint64_t index)
{
    uint32_t set = ir_imm(instr, IR_IMM_SET), binding = ir_imm(instr, IR_IMM_BINDING);
    for (uint32_t i = 0; i < in->options->num_buffers; i++) {
        const struct ir_interpret_buffer *buffer = &in->options->buffers[i];
        if (!buffer->is_global && buffer->set == set && buffer->binding == binding && buffer->index == index)
            return INTERP_HANDLE_BASE + i;
    }
    return (interp_mix(interp_mix(set, binding), index) & 0x00ffffff) | 0x80000000u;
}

/* Of the made-up world: the answer depends on what is asked and nothing else. */
static uint64_t answer_query(struct interpreter *in, const struct ir_instr *instr, uint32_t lane, uint32_t comp,
                             const uint64_t *const *srcs)
{
    uint64_t place = interp_mix(SPACE_OTHER, instr->op);
    bool same_in_lanes = false;
    uint32_t slots = ir_info(instr)->num_imms;
    switch (instr->op) {
    case IR_OP_load_sysval:
        return sysval(in, (enum ir_sysval)instr->imm[0], lane, comp);
    case IR_OP_resource:
        return resource_handle(in, instr, srcs[0][0]);
    case IR_OP_load_bary:
    case IR_OP_load_bary_at:
        place = interp_mix(interp_mix(place, lane), interp_mix(instr->imm[0] << 8 | instr->imm[1], comp));
        if (instr->num_srcs)
            place = interp_mix(place, srcs[0][0]);
        return float_bits((float)(interp_mix(in->options->seed, place) % 1001) / 1000.0f);
    case IR_OP_ssbo_size:
    case IR_OP_image_size:
    case IR_OP_image_samples:
        same_in_lanes = true;
        break;
    case IR_OP_load_input: /* by place: two loads of the same place must answer the same, however they are made */
    case IR_OP_load_interp:
    case IR_OP_load_input_vertex:
    case IR_OP_load_per_vertex:
        place = interp_mix(place, ir_imm(instr, IR_IMM_LOCATION) + srcs[instr->num_srcs - 1][0]);
        place = interp_mix(place, ir_imm(instr, IR_IMM_COMP) + comp);
        if (instr->num_srcs == 2)
            place = interp_mix(interp_mix(place, srcs[0][0]), ir_src(instr, 0)->comps > 1 ? srcs[0][1] : 0);
        return interp_word(in, interp_mix(place, lane), instr->def.bits);
    default: /* textures and descriptors: the same question has the same answer for every invocation */
        same_in_lanes = true;
        break;
    }
    for (uint32_t i = 0; i < slots; i++)
        place = interp_mix(place, instr->imm[i]);
    for (uint32_t i = 0; i < instr->num_srcs; i++)
        for (uint32_t c = 0; c < ir_src(instr, i)->comps; c++)
            place = interp_mix(place, srcs[i][c]);
    uint64_t word = interp_word(in, interp_mix(interp_mix(place, comp), same_in_lanes ? 0 : lane), instr->def.bits);
    return instr->op == IR_OP_ssbo_size || instr->op == IR_OP_image_size || instr->op == IR_OP_image_samples
               ? word % 4096
               : word;
}

static void ask_world(struct interpreter *in, const struct ir_instr *instr, uint32_t lane)
{
    uint64_t words[16][IR_MAX_COMPS] = {0};
    const uint64_t *srcs[16];
    uint8_t doubt = 0;
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        if (i >= 16)
            interp_stop(in, "too many operands");
        const struct ir_value *value = ir_src(instr, i);
        srcs[i] = words[i];
        if (ir_is_undef(value)) {
            doubt |= instr->op != IR_OP_tex || i != 1 ? DOUBT_UNDEF : 0; /* no sampler is no doubt */
            continue;
        }
        doubt |= interp_bits_doubt(interp_doubts(in, value, lane));
        for (uint32_t comp = 0; comp < value->comps; comp++)
            words[i][comp] = interp_data(in, value, comp)[lane];
    }
    /* Where the caller knows a buffer's size, that is it. */
    if (instr->op == IR_OP_ssbo_size) {
        uint64_t size_B = interp_buffer_size(in, ir_src(instr, 0), lane);
        if (size_B != UINT64_MAX) {
            interp_data(in, &instr->def, 0)[lane] = size_B & UINT32_MAX;
            interp_doubt(in, &instr->def, 0)[lane] = doubt;
            return;
        }
    }
    for (uint32_t comp = 0; comp < instr->def.comps; comp++) {
        uint64_t *out = &interp_data(in, &instr->def, comp)[lane];
        if (!in->options->source || !in->options->source(in->options->source_data, instr, lane, comp, srcs, out))
            *out = answer_query(in, instr, lane, comp, srcs);
        *out &= bits_mask(instr->def.bits);
        interp_doubt(in, &instr->def, comp)[lane] = doubt;
    }
}

static void load_output(struct interpreter *in, const struct ir_instr *instr, uint32_t lane)
{
    uint32_t location = output_location(in, instr, lane);
    for (uint32_t comp = 0; comp < instr->def.comps; comp++) {
        const struct ir_interpret_output like = {
            .lane = output_lane(in, lane), .location = location, .comp = ir_imm(instr, IR_IMM_COMP) + comp};
        const struct ir_interpret_output *written = find_output(in, &like, false);
        uint64_t place = interp_mix(interp_mix(SPACE_INPUT, like.lane), (uint64_t)location << 8 | like.comp);
        interp_data(in, &instr->def, comp)[lane] =
            written ? written->value & bits_mask(instr->def.bits) : interp_word(in, place, instr->def.bits);
        interp_doubt(in, &instr->def, comp)[lane] =
            !written ? 0 : (uint8_t)((written->some_nan ? DOUBT_NAN : 0) | (written->nan_bits ? DOUBT_BITS : 0));
    }
}

bool interp_io(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    foreach_lane (in, mask, lane) {
        switch (instr->op) {
        case IR_OP_store_output:
        case IR_OP_store_per_vertex:
            store_output(in, instr, lane);
            break;
        case IR_OP_load_output:
        case IR_OP_load_vertex_output:
            load_output(in, instr, lane);
            break;
        case IR_OP_emit_vertex:
        case IR_OP_end_primitive:
            emit_vertex(in, instr, lane);
            break;
        case IR_OP_load_image:
        case IR_OP_store_image:
        case IR_OP_atomic_image:
        case IR_OP_cmpxchg_image:
            access_image(in, instr, lane);
            break;
        case IR_OP_load_sysval:
        case IR_OP_resource:
        case IR_OP_load_input:
        case IR_OP_load_per_vertex:
        case IR_OP_load_bary:
        case IR_OP_load_bary_at:
        case IR_OP_load_interp:
        case IR_OP_load_input_vertex:
        case IR_OP_tex:
        case IR_OP_ssbo_size:
        case IR_OP_image_size:
        case IR_OP_image_samples:
            ask_world(in, instr, lane);
            break;
        default: /* a back end's own: its way to a descriptor, its system values, what it does with outputs, its rays */
            if (ir_info(instr)->reads == IR_TOUCH_DESC || ir_info(instr)->reads == IR_TOUCH_CONST ||
                (instr->def.bits && !instr->num_srcs && !ir_needs_rays(instr)))
                ask_world(in, instr, lane);
            else if (!instr->def.bits && ir_info(instr)->writes & IR_TOUCH_OUTPUT)
                emit_vertex(in, instr, lane);
            else
                return false;
            break;
        }
    }
    return true;
}
