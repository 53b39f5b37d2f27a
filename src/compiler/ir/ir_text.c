/* The tables of ir_text.h: which member is called what. */
#include "compiler/ir/ir_text.h"

#include <stddef.h>
#include <string.h>

#include "compiler/ir/opt.h"
#include "util/bits.h"

#define X(n) #n,
static const char *const base_names[] = {IR_BASES(X)};
static const char *const interp_names[] = {IR_INTERPS(X)};
static const char *const depth_names[] = {IR_DEPTH_LAYOUTS(X)};
static const char *const primitive_names[] = {IR_PRIMITIVES(X)};
static const char *const resource_names[] = {IR_RESOURCE_KINDS(X)};
const char *const ir_stage_names[] = {IR_STAGES(X)};
const char *const ir_location_names[] = {IR_LOCATIONS(X)};
#undef X
const uint32_t ir_num_stages = ARRAY_SIZE(ir_stage_names);
const uint32_t ir_num_location_names = ARRAY_SIZE(ir_location_names);

/* Far beyond what any GPU takes: so that no number of a text makes a pass take all memory, or is cut to fewer bits. */
#define MAX_WORKGROUP UINT16_MAX
#define MAX_SHARED_B (1u << 20)
#define MAX_PUSH_B (64u << 10)
#define MAX_VERTICES 1024
#define MAX_INVOCATIONS 127
#define MAX_LOCATION (IR_LOCATION_VAR0 + 127)

_Static_assert(sizeof(enum ir_base) == 4, "an enum of the IR's structs is read and written as 32 bits");

#define FIELD(type, member, kind) LIMITED(type, member, kind, 0)
/* `largest`: 0 is any number of the kind. */
#define LIMITED(type, member, kind, largest)                                                                           \
    {                                                                                                                  \
#member, offsetof(struct type, member), kind, NULL, 0, largest                                                 \
    }
#define WORD(type, member, names)                                                                                      \
    {                                                                                                                  \
#member, offsetof(struct type, member), IR_FIELD_WORD, names, ARRAY_SIZE(names)                                \
    }

#define BY_WIDTH(member)                                                                                               \
    FIELD(ir_shader, floats.member[0], IR_FIELD_BOOL), FIELD(ir_shader, floats.member[1], IR_FIELD_BOOL),              \
        FIELD(ir_shader, floats.member[2], IR_FIELD_BOOL)

static const struct ir_field shader_fields[] = {
    LIMITED(ir_shader, workgroup_size[0], IR_FIELD_U32, MAX_WORKGROUP),
    LIMITED(ir_shader, workgroup_size[1], IR_FIELD_U32, MAX_WORKGROUP),
    LIMITED(ir_shader, workgroup_size[2], IR_FIELD_U32, MAX_WORKGROUP),
    LIMITED(ir_shader, subgroup_size, IR_FIELD_U32, 128),
    FIELD(ir_shader, full_subgroups, IR_FIELD_BOOL),
    FIELD(ir_shader, uses_subgroup_ops, IR_FIELD_BOOL),
    FIELD(ir_shader, uses_derivatives, IR_FIELD_BOOL),
    LIMITED(ir_shader, derivative_group, IR_FIELD_U8, 2),
    FIELD(ir_shader, sysvals_read, IR_FIELD_U64),
    LIMITED(ir_shader, shared_size_B, IR_FIELD_U32, MAX_SHARED_B),
    LIMITED(ir_shader, payload_B, IR_FIELD_U32, MAX_SHARED_B),
    LIMITED(ir_shader, payload_size_B, IR_FIELD_U32, MAX_SHARED_B),
    LIMITED(ir_shader, scratch_size_B, IR_FIELD_U32, IR_MAX_SCRATCH_B),
    LIMITED(ir_shader, push_size_B, IR_FIELD_U32, MAX_PUSH_B),
    BY_WIDTH(denorm_preserve),
    BY_WIDTH(denorm_flush),
    BY_WIDTH(signed_zero_inf_nan),
    BY_WIDTH(round_even),
    BY_WIDTH(round_zero),
    FIELD(ir_shader, fs.early_tests, IR_FIELD_BOOL),
    FIELD(ir_shader, fs.post_depth_coverage, IR_FIELD_BOOL),
    FIELD(ir_shader, fs.origin_upper_left, IR_FIELD_BOOL),
    FIELD(ir_shader, fs.pixel_center_integer, IR_FIELD_BOOL),
    FIELD(ir_shader, fs.writes_depth, IR_FIELD_BOOL),
    FIELD(ir_shader, fs.writes_stencil, IR_FIELD_BOOL),
    FIELD(ir_shader, fs.writes_mask, IR_FIELD_BOOL),
    FIELD(ir_shader, fs.uses_demote, IR_FIELD_BOOL),
    FIELD(ir_shader, fs.sample_shading, IR_FIELD_BOOL),
    FIELD(ir_shader, fs.writes_memory, IR_FIELD_BOOL),
    WORD(ir_shader, fs.depth_layout, depth_names),
    FIELD(ir_shader, vs.writes_point_size, IR_FIELD_BOOL),
    FIELD(ir_shader, vs.writes_layer, IR_FIELD_BOOL),
    FIELD(ir_shader, vs.writes_viewport, IR_FIELD_BOOL),
    LIMITED(ir_shader, vs.clip_distances, IR_FIELD_U8, 8),
    LIMITED(ir_shader, vs.cull_distances, IR_FIELD_U8, 8),
    FIELD(ir_shader, xfb_stride_B[0], IR_FIELD_U16),
    FIELD(ir_shader, xfb_stride_B[1], IR_FIELD_U16),
    FIELD(ir_shader, xfb_stride_B[2], IR_FIELD_U16),
    FIELD(ir_shader, xfb_stride_B[3], IR_FIELD_U16),
    LIMITED(ir_shader, gs.vertices_in, IR_FIELD_U32, MAX_VERTICES),
    LIMITED(ir_shader, gs.vertices_out, IR_FIELD_U32, MAX_VERTICES),
    LIMITED(ir_shader, gs.invocations, IR_FIELD_U32, MAX_INVOCATIONS),
    LIMITED(ir_shader, gs.primitives_out, IR_FIELD_U32, MAX_VERTICES),
    WORD(ir_shader, gs.input, primitive_names),
    WORD(ir_shader, gs.output, primitive_names),
    FIELD(ir_shader, gs.point_mode, IR_FIELD_BOOL),
    FIELD(ir_shader, gs.ccw, IR_FIELD_BOOL),
    LIMITED(ir_shader, gs.spacing, IR_FIELD_U8, 2),
};

static const struct ir_field io_fields[] = {
    FIELD(ir_io_var, name, IR_FIELD_TEXT),
    LIMITED(ir_io_var, location, IR_FIELD_LOCATION, MAX_LOCATION),
    FIELD(ir_io_var, component, IR_FIELD_U8),
    FIELD(ir_io_var, num_comps, IR_FIELD_U8),
    FIELD(ir_io_var, bits, IR_FIELD_U8),
    LIMITED(ir_io_var, num_locations, IR_FIELD_U16, MAX_LOCATION),
    LIMITED(ir_io_var, dual_index, IR_FIELD_U8, 1),
    WORD(ir_io_var, base, base_names),
    WORD(ir_io_var, interp, interp_names),
    FIELD(ir_io_var, centroid, IR_FIELD_BOOL),
    FIELD(ir_io_var, sample, IR_FIELD_BOOL),
    FIELD(ir_io_var, per_vertex, IR_FIELD_BOOL),
    FIELD(ir_io_var, per_primitive, IR_FIELD_BOOL),
    FIELD(ir_io_var, patch, IR_FIELD_BOOL),
};

static const struct ir_field resource_fields[] = {
    FIELD(ir_resource, set, IR_FIELD_U32),      FIELD(ir_resource, binding, IR_FIELD_U32),
    FIELD(ir_resource, count, IR_FIELD_U32),    WORD(ir_resource, kind, resource_names),
    FIELD(ir_resource, written, IR_FIELD_BOOL), FIELD(ir_resource, read, IR_FIELD_BOOL),
    FIELD(ir_resource, atomics, IR_FIELD_BOOL), FIELD(ir_resource, nonuniform, IR_FIELD_BOOL),
    FIELD(ir_resource, input, IR_FIELD_U32),
};

static const struct ir_field capture_fields[] = {
    LIMITED(ir_capture, location, IR_FIELD_LOCATION, MAX_LOCATION),
    LIMITED(ir_capture, component, IR_FIELD_U8, IR_MAX_COMPS - 1),
    LIMITED(ir_capture, num_comps, IR_FIELD_U8, IR_MAX_COMPS),
    LIMITED(ir_capture, bits, IR_FIELD_U8, 64),
    LIMITED(ir_capture, buffer, IR_FIELD_U8, IR_XFB_BUFFERS - 1),
    FIELD(ir_capture, offset_B, IR_FIELD_U16),
};

static const struct ir_field flag_fields[] = {
    {"exact"}, {"nsz"}, {"nan_inf"}, {"nuw"}, {"nsw"}, {"relaxed"}, {"nonuniform"},
};

const struct ir_fields ir_shader_fields = {shader_fields, ARRAY_SIZE(shader_fields)};
const struct ir_fields ir_io_fields = {io_fields, ARRAY_SIZE(io_fields)};
const struct ir_fields ir_resource_fields = {resource_fields, ARRAY_SIZE(resource_fields)};
const struct ir_fields ir_capture_fields = {capture_fields, ARRAY_SIZE(capture_fields)};
const struct ir_fields ir_flag_fields = {flag_fields, ARRAY_SIZE(flag_fields)};

static uint32_t size_of(const struct ir_field *field)
{
    switch (field->kind) {
    case IR_FIELD_BOOL:
    case IR_FIELD_U8:
        return 1;
    case IR_FIELD_U16:
    case IR_FIELD_LOCATION:
        return 2;
    case IR_FIELD_U32:
    case IR_FIELD_WORD:
        return 4;
    default:
        return 8;
    }
}

/* Both by memcpy into the start of a word of 64 bits: for little-endian machines, which all that Tuff runs on are. */
uint64_t ir_field_get(const struct ir_field *field, const void *object)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)object + field->offset_B, size_of(field));
    return value;
}

uint64_t ir_field_largest(const struct ir_field *field)
{
    return field->largest ? field->largest : bits_mask(8 * size_of(field));
}

void ir_field_set(const struct ir_field *field, void *object, uint64_t value)
{
    memcpy((char *)object + field->offset_B, &value, size_of(field));
}
