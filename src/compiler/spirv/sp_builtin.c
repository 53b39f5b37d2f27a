/* Built-in variables: which are system values of the IR, which are inputs or outputs at a location, and which are made
 * of others. */
#include "compiler/spirv/sp.h"

struct builtin {
    uint32_t builtin;
    enum ir_sysval sysval;
    uint8_t bits, comps;
};

static const struct builtin sysvals[] = {
    {SpvBuiltInVertexIndex, IR_SYSVAL_vertex_index, 32, 1},
    {SpvBuiltInInstanceIndex, IR_SYSVAL_instance_index, 32, 1},
    {SpvBuiltInBaseVertex, IR_SYSVAL_base_vertex, 32, 1},
    {SpvBuiltInBaseInstance, IR_SYSVAL_base_instance, 32, 1},
    {SpvBuiltInDrawIndex, IR_SYSVAL_draw_index, 32, 1},
    {SpvBuiltInViewIndex, IR_SYSVAL_view_index, 32, 1},
    {SpvBuiltInDeviceIndex, IR_SYSVAL_device_index, 32, 1},
    {SpvBuiltInFragCoord, IR_SYSVAL_frag_coord, 32, 4},
    {SpvBuiltInPointCoord, IR_SYSVAL_point_coord, 32, 2},
    {SpvBuiltInFrontFacing, IR_SYSVAL_front_facing, 1, 1},
    {SpvBuiltInHelperInvocation, IR_SYSVAL_helper_invocation, 1, 1},
    {SpvBuiltInSampleId, IR_SYSVAL_sample_id, 32, 1},
    {SpvBuiltInSampleMask, IR_SYSVAL_sample_mask_in, 32, 1},
    {SpvBuiltInSamplePosition, IR_SYSVAL_sample_pos, 32, 2},
    {SpvBuiltInShadingRateKHR, IR_SYSVAL_shading_rate_in, 32, 1},
    {SpvBuiltInLayer, IR_SYSVAL_layer_in, 32, 1},
    {SpvBuiltInViewportIndex, IR_SYSVAL_viewport_in, 32, 1},
    {SpvBuiltInPrimitiveId, IR_SYSVAL_primitive_id, 32, 1},
    {SpvBuiltInInvocationId, IR_SYSVAL_invocation_id, 32, 1},
    {SpvBuiltInWorkgroupId, IR_SYSVAL_workgroup_id, 32, 3},
    {SpvBuiltInNumWorkgroups, IR_SYSVAL_num_workgroups, 32, 3},
    {SpvBuiltInLocalInvocationId, IR_SYSVAL_local_id, 32, 3},
    {SpvBuiltInLocalInvocationIndex, IR_SYSVAL_local_index, 32, 1},
    {SpvBuiltInSubgroupSize, IR_SYSVAL_subgroup_size, 32, 1},
    {SpvBuiltInSubgroupId, IR_SYSVAL_subgroup_id, 32, 1},
    {SpvBuiltInNumSubgroups, IR_SYSVAL_num_subgroups, 32, 1},
    {SpvBuiltInSubgroupLocalInvocationId, IR_SYSVAL_subgroup_lane, 32, 1},
    {SpvBuiltInTessCoord, IR_SYSVAL_tess_coord, 32, 3},
    {SpvBuiltInPatchVertices, IR_SYSVAL_patch_vertices, 32, 1},
    {SpvBuiltInLaunchIdKHR, IR_SYSVAL_launch_id, 32, 3},
    {SpvBuiltInLaunchSizeKHR, IR_SYSVAL_launch_size, 32, 3},
};

static const struct builtin *find_builtin(uint32_t builtin)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(sysvals); i++)
        if (sysvals[i].builtin == builtin)
            return &sysvals[i];
    return NULL;
}

struct ir_value *sp_sysval(struct sp *s, enum ir_sysval sysval, uint8_t bits, uint8_t comps)
{
    s->shader->sysvals_read |= 1ull << sysval;
    return ir_load_sysval(&s->b, bits, comps, sysval);
}

uint32_t sp_builtin_location(struct sp *s, uint32_t builtin)
{
    switch (builtin) {
    case SpvBuiltInPosition:
        return IR_LOCATION_position;
    case SpvBuiltInPointSize:
        return IR_LOCATION_point_size;
    case SpvBuiltInClipDistance:
        return IR_LOCATION_clip_distance0;
    case SpvBuiltInCullDistance:
        return IR_LOCATION_cull_distance0;
    case SpvBuiltInLayer:
        return IR_LOCATION_layer;
    case SpvBuiltInViewportIndex:
        return IR_LOCATION_viewport;
    case SpvBuiltInPrimitiveId:
        return IR_LOCATION_primitive_id;
    case SpvBuiltInFragDepth:
        return IR_LOCATION_frag_depth;
    case SpvBuiltInFragStencilRefEXT:
        return IR_LOCATION_frag_stencil;
    case SpvBuiltInSampleMask:
        return IR_LOCATION_sample_mask;
    case SpvBuiltInTessLevelOuter:
        return IR_LOCATION_tess_level_outer;
    case SpvBuiltInTessLevelInner:
        return IR_LOCATION_tess_level_inner;
    case SpvBuiltInPrimitiveShadingRateKHR:
        return IR_LOCATION_shading_rate;
    case SpvBuiltInCullPrimitiveEXT:
        return IR_LOCATION_cull_primitive;
    case SpvBuiltInPrimitivePointIndicesEXT:
    case SpvBuiltInPrimitiveLineIndicesEXT:
    case SpvBuiltInPrimitiveTriangleIndicesEXT:
        return IR_LOCATION_primitive_indices;
    default:
        sp_fail(s, "built-in %s is not supported here", sp_name_of_BuiltIn(builtin));
    }
}

bool sp_builtin_is_sysval(struct sp *s, uint32_t builtin, bool input)
{
    if (!input)
        return false;
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
    case SpvBuiltInBaryCoordKHR:
    case SpvBuiltInBaryCoordNoPerspKHR:
    case SpvBuiltInBaryCoordNoPerspAMD:
    case SpvBuiltInBaryCoordNoPerspCentroidAMD:
    case SpvBuiltInBaryCoordNoPerspSampleAMD:
    case SpvBuiltInBaryCoordSmoothAMD:
    case SpvBuiltInBaryCoordSmoothCentroidAMD:
    case SpvBuiltInBaryCoordSmoothSampleAMD:
    case SpvBuiltInBaryCoordPullModelAMD:
        return true;
    default:
        return find_builtin(builtin) || sp_is_hit_builtin(s, builtin);
    }
}

static void global_id(struct sp *s, struct ir_value **out)
{
    struct ir_value *group = sp_sysval(s, IR_SYSVAL_workgroup_id, 32, 3);
    struct ir_value *local = sp_sysval(s, IR_SYSVAL_local_id, 32, 3);
    for (uint32_t i = 0; i < 3; i++) {
        struct ir_value *first = sp_scale(s, ir_extract(&s->b, group, i), s->shader->workgroup_size[i]);
        out[i] = sp_add(s, first, ir_extract(&s->b, local, i));
    }
}

/* Masks of lanes in relation to this one, 64 of them: `is_here`: this lane is among them, NULL where it always is;
 * `is_upper`: there are lanes before them. `all`: those that the subgroup has. */
static struct ir_value *lane_mask_part(struct sp *s, uint32_t builtin, struct ir_value *is_here, bool is_upper,
                                       struct ir_value *all)
{
    struct ir_builder *b = &s->b;
    struct ir_value *lane = sp_sysval(s, IR_SYSVAL_subgroup_lane, 32, 1), *zero = sp_imm(s, 64, 0);
    struct ir_value *equal = ir_ishl(b, sp_imm(s, 64, 1), lane);
    struct ir_value *below = ir_isub(b, equal, sp_imm(s, 64, 1));
    if (is_here) {
        equal = ir_select(b, is_here, equal, zero);
        below = ir_select(b, is_here, below, is_upper ? zero : sp_imm(s, 64, UINT64_MAX));
    }
    switch (builtin) {
    case SpvBuiltInSubgroupLtMask:
        return below;
    case SpvBuiltInSubgroupLeMask:
        return ir_ior(b, below, equal);
    case SpvBuiltInSubgroupGeMask:
        return ir_iand(b, all, ir_inot(b, below));
    case SpvBuiltInSubgroupGtMask:
        return ir_iand(b, all, ir_iand(b, ir_inot(b, below), ir_inot(b, equal)));
    default:
        return equal;
    }
}

/* 128 bits, of which 64 are used where a subgroup has no more lanes. */
static void lane_mask(struct sp *s, uint32_t builtin, struct ir_value **out)
{
    struct ir_builder *b = &s->b;
    const bool needs_all = builtin == SpvBuiltInSubgroupGeMask || builtin == SpvBuiltInSubgroupGtMask;
    struct ir_value *size = needs_all ? sp_sysval(s, IR_SYSVAL_subgroup_size, 32, 1) : NULL;
    struct ir_value *ones = sp_imm(s, 64, UINT64_MAX), *all = ones, *parts[2] = {NULL, sp_imm(s, 64, 0)};
    if (sp_has_wide_subgroups(s)) {
        struct ir_value *is_low = ir_ult(b, sp_sysval(s, IR_SYSVAL_subgroup_lane, 32, 1), sp_imm(s, 32, 64));
        if (needs_all)
            all = ir_select(b, ir_ult(b, sp_imm(s, 32, 64), size), ones, parts[1]);
        parts[0] = lane_mask_part(s, builtin, is_low, false, ones);
        parts[1] = lane_mask_part(s, builtin, ir_inot(b, is_low), true, all);
    } else {
        if (needs_all)
            all = ir_ushr(b, ones, ir_isub(b, sp_imm(s, 32, 64), size));
        parts[0] = lane_mask_part(s, builtin, NULL, false, all);
    }
    for (uint32_t i = 0; i < 4; i++)
        out[i] = i % 2 ? ir_hi32(b, parts[i / 2]) : ir_lo32(b, parts[i / 2]);
}

bool sp_is_bary_coord(uint32_t builtin)
{
    return builtin == SpvBuiltInBaryCoordKHR || builtin == SpvBuiltInBaryCoordNoPerspKHR;
}

void sp_corner_weights(struct sp *s, struct ir_value *bary, struct ir_value **out)
{
    struct ir_builder *b = &s->b;
    struct ir_value *i = ir_extract(b, bary, 0), *j = ir_extract(b, bary, 1),
                    *order = sp_sysval(s, IR_SYSVAL_corner_order, 32, 1), *zero = sp_imm_f(s, 32, 0),
                    *both = ir_fadd(b, i, j), *rest = sp_fsub(s, sp_imm_f(s, 32, 1), both);
    struct ir_value *is_once = ir_ieq(b, order, sp_imm(s, 32, 1)), *is_twice = ir_ieq(b, order, sp_imm(s, 32, 2)),
                    *is_line = ir_ieq(b, order, sp_imm(s, 32, 3)), *is_point = ir_ieq(b, order, sp_imm(s, 32, 4)),
                    *is_thin = ir_ior(b, is_line, is_point);
    struct ir_value *thin = ir_select(b, is_line, both, zero);
    out[0] = ir_select(b, is_once, i, ir_select(b, is_twice, j, rest));
    out[1] = ir_select(b, is_once, j, ir_select(b, is_twice, rest, i));
    out[2] = ir_select(b, is_once, rest, ir_select(b, is_twice, i, j));
    out[0] = ir_select(b, is_point, sp_imm_f(s, 32, 1), out[0]);
    out[1] = ir_select(b, is_thin, thin, out[1]);
    out[2] = ir_select(b, is_thin, zero, out[2]);
}

static void barycentric(struct sp *s, uint32_t builtin, enum ir_bary_mode mode, uint32_t count, struct ir_value **out)
{
    if (builtin == SpvBuiltInBaryCoordNoPerspCentroidAMD || builtin == SpvBuiltInBaryCoordSmoothCentroidAMD)
        mode = IR_BARY_centroid;
    if (builtin == SpvBuiltInBaryCoordNoPerspSampleAMD || builtin == SpvBuiltInBaryCoordSmoothSampleAMD)
        mode = IR_BARY_sample;
    bool pull = builtin == SpvBuiltInBaryCoordPullModelAMD;
    bool smooth = pull || builtin == SpvBuiltInBaryCoordKHR || builtin == SpvBuiltInBaryCoordSmoothAMD ||
                  builtin == SpvBuiltInBaryCoordSmoothCentroidAMD || builtin == SpvBuiltInBaryCoordSmoothSampleAMD;
    struct ir_value *bary = ir_load_bary(&s->b, mode, smooth ? IR_INTERP_smooth : IR_INTERP_noperspective);
    struct ir_value *i = ir_extract(&s->b, bary, 0), *j = ir_extract(&s->b, bary, 1);
    if (count == 2) {
        out[0] = i, out[1] = j;
        return;
    }
    if (pull) { /* i/w, j/w and 1/w */
        out[2] = ir_extract(&s->b, sp_sysval(s, IR_SYSVAL_frag_coord, 32, 4), 3);
        out[0] = ir_fmul(&s->b, i, out[2]);
        out[1] = ir_fmul(&s->b, j, out[2]);
        return;
    }
    sp_corner_weights(s, bary, out);
}

void sp_load_builtin(struct sp *s, uint32_t builtin, enum ir_bary_mode mode, struct sp_type *type,
                     struct ir_value **out)
{
    struct ir_value *parts[12] = {0};
    const bool is_hit = sp_is_hit_builtin(s, builtin);
    uint32_t count = type->scalars, have = 3;
    const struct builtin *known = find_builtin(builtin);
    if (count == 0 || count > (is_hit ? 12 : 4))
        sp_fail(s, "built-in %s of a strange type", sp_name_of_BuiltIn(builtin));
    if (is_hit) {
        have = sp_load_hit_builtin(s, builtin, parts);
    } else if (known) {
        struct ir_value *value = sp_sysval(s, known->sysval, known->bits, known->comps);
        have = known->comps;
        for (uint32_t i = 0; i < have; i++)
            parts[i] = ir_extract(&s->b, value, i);
    } else if (builtin == SpvBuiltInGlobalInvocationId) {
        global_id(s, parts);
    } else if (builtin == SpvBuiltInWorkgroupSize) {
        for (uint32_t i = 0; i < 3; i++)
            parts[i] = sp_imm(s, 32, s->shader->workgroup_size[i]);
    } else if (builtin >= SpvBuiltInSubgroupEqMask && builtin <= SpvBuiltInSubgroupLtMask) {
        lane_mask(s, builtin, parts);
        have = 4;
    } else {
        if (count != 2 && count != 3)
            sp_fail(s, "built-in %s of a strange type", sp_name_of_BuiltIn(builtin));
        barycentric(s, builtin, mode, count, parts);
        have = count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i >= have) /* further words of a sample mask */
            parts[i] = sp_imm(s, sp_bits_of_scalar(s, type, i), 0);
        uint8_t bits = sp_bits_of_scalar(s, type, i);
        if (parts[i]->bits != bits && (bits == 1 || parts[i]->bits == 1 || sp_scalar_type(type)->kind == SP_FLOAT))
            sp_fail(s, "built-in %s of a strange type", sp_name_of_BuiltIn(builtin));
        out[i] = sp_to_bits(s, parts[i], bits, false);
    }
}
