/* The words that instructions and interfaces of the IR are made of. Each list is an X-macro, so that the printer and
 * the parser know the same names. */
#ifndef COMPILER_IR_IR_ENUMS_H
#define COMPILER_IR_IR_ENUMS_H

#define IR_STAGES(X)                                                                                                   \
    X(vertex) X(tess_control) X(tess_eval) X(geometry) X(fragment) X(compute) X(task) X(mesh)                           \
    X(raygen) X(intersection) X(any_hit) X(closest_hit) X(miss) X(callable) /* functions */
#define IR_BASES(X) X(float) X(int) X(uint)
#define IR_INTERPS(X) X(smooth) X(flat) X(noperspective) X(explicit)
#define IR_DEPTH_LAYOUTS(X) X(any) X(greater) X(less) X(unchanged)
#define IR_PRIMITIVES(X)                                                                                               \
    X(points) X(lines) X(line_strip) X(triangles) X(triangle_strip) X(lines_adjacency) X(triangles_adjacency) X(quads)  \
    X(isolines)
#define IR_RESOURCE_KINDS(X)                                                                                           \
    X(uniform_buffer) X(storage_buffer) X(sampler) X(sampled_image) X(combined) X(storage_image) X(uniform_texel)       \
    X(storage_texel) X(input_attachment) X(acceleration_structure)

/* System values: what an invocation knows of itself. The comment gives components × bits where not 1 × 32. */
#define IR_SYSVALS(X)                                                                                                  \
    X(vertex_index)            /* with the base added */                                                               \
    X(instance_index)          /* with the base added */                                                               \
    X(base_vertex) X(base_instance) X(draw_index) X(view_index) X(device_index)                                        \
    X(frag_coord)              /* 4 × 32, w is 1/w */                                                                  \
    X(point_coord)             /* 2 × 32 */                                                                            \
    X(front_facing)            /* 1 × 1 */                                                                             \
    X(helper_invocation)       /* 1 × 1, as it is now: demote changes it */                                            \
    X(sample_id) X(sample_mask_in)                                                                                     \
    X(sample_pos)              /* 2 × 32 */                                                                            \
    X(shading_rate_in)         /* logarithms of the fragment's size: of its height [1:0], of its width [3:2] */        \
    X(corner_order)            /* which corners of the primitive a pair of load_bary has the weights of: */            \
                               /* 0 the second and third of a triangle, 1 the first and second, 2 the third and first; */ \
                               /* 3 both those of a line's second end; 4 none, of a point */                           \
    X(layer_in) X(viewport_in) X(primitive_id) X(invocation_id)                                                        \
    X(workgroup_id)            /* 3 × 32 */                                                                            \
    X(num_workgroups)          /* 3 × 32 */                                                                            \
    X(workgroup_base)          /* 3 × 32, of vkCmdDispatchBase; workgroup_id already has it */                         \
    X(local_id)                /* 3 × 32 */                                                                            \
    X(local_index) X(subgroup_size) X(subgroup_id) X(num_subgroups) X(subgroup_lane)                                   \
    X(tess_coord)              /* 3 × 32 */                                                                            \
    X(patch_vertices)                                                                                                  \
    X(launch_id)               /* 3 × 32: of a ray generation shader and of all that come of it */                     \
    X(launch_size)             /* 3 × 32 */                                                                            \
    X(xfb_config)              /* transform feedback: what the hardware says of a wave's vertices; of back ends alone */ \
    X(xfb_first)               /* the number of the wave's first vertex */                                             \
    X(xfb_bases)               /* 4 × 32: where writing goes on in each buffer */

/* Where a stage's inputs and outputs live. IR_LOCATION_VAR0 + n is the program's Location n; for fragment outputs and
 * vertex inputs the same numbers are the colour attachment and the attribute. */
#define IR_LOCATIONS(X)                                                                                                \
    X(position) X(point_size) X(clip_distance0) X(clip_distance1) X(cull_distance0) X(cull_distance1) X(layer)          \
    X(viewport) X(primitive_id) X(frag_depth) X(frag_stencil) X(sample_mask) X(tess_level_outer) X(tess_level_inner)    \
    X(shading_rate) X(cull_primitive) X(primitive_indices)

#define IR_BARY_MODES(X) X(pixel) X(centroid) X(sample) X(at_offset) X(at_sample)
#define IR_DIMS(X) X(1d) X(2d) X(3d) X(cube) X(buffer) X(2dms) X(subpass) X(subpass_ms)

/* Texture operations by what they do; the operands that an operation has are a mask of IR_TEX_*. */
#define IR_TEX_KINDS(X)                                                                                                \
    X(sample)      /* implicit level; a bias may be there */                                                           \
    X(sample_lod)  /* explicit level */                                                                                \
    X(sample_grad) /* explicit derivatives */                                                                          \
    X(gather) X(fetch) X(query_size) X(query_levels) X(query_samples) X(query_lod)
/* In this order they follow the two handles and the coordinate in the operand list. */
#define IR_TEX_OPERANDS(X)                                                                                             \
    X(bias) X(lod) X(ddx) X(ddy) X(offset) X(compare) X(sample) X(min_lod)

/* Values of a ray query, with the number of components where it is not 1. Matrices have four columns. */
#define IR_RAY_VALUES(X)                                                                                               \
    X(flags) X(t_min)                                                                                                  \
    X(world_origin) X(world_direction) /* 3 */                                                                         \
    X(kind)            /* SPIR-V's number of what it is */                                                             \
    X(t) X(custom_index) X(instance_id) X(sbt_offset) X(geometry_index) X(primitive_index)                             \
    X(barycentrics)    /* 2 */                                                                                         \
    X(front_face) X(box_opaque) /* 0 or 1 */                                                                           \
    X(object_origin) X(object_direction) /* 3 */                                                                       \
    X(object_to_world) X(world_to_object) /* 12 */                                                                     \
    X(vertices)        /* 9 */                                                                                         \
    X(hit_kind) X(cull_mask) /* of ray stages alone */                                                                 \
    X(instance) X(leaf) /* 2: the addresses where the machine keeps instance and primitive; of back ends alone */
/* Data that the caller of a shader of a ray stage gave it. */
#define IR_RAY_DATA(X) X(payload) X(attributes) X(callable)
/* Verdicts of an any-hit shader on a hit in the end: nothing said is that it counts. */
#define IR_RAY_VERDICTS(X) X(accept) X(ignore) X(terminate)

#define IR_ATOMICS(X)                                                                                                  \
    X(iadd) X(isub) X(imin) X(imax) X(umin) X(umax) X(iand) X(ior) X(ixor) X(exchange) X(cmpxchg) X(fadd) X(fmin) X(fmax)
#define IR_REDUCTIONS(X) X(iadd) X(imul) X(imin) X(imax) X(umin) X(umax) X(iand) X(ior) X(ixor) X(fadd) X(fmul) X(fmin) X(fmax)
#define IR_SCOPES(X) X(invocation) X(subgroup) X(workgroup) X(queue_family) X(device)
#define IR_DERIVATIVES(X) X(any) X(fine) X(coarse)
#define IR_ROUNDINGS(X) X(any) X(even) X(zero)

enum ir_stage {
#define X(n) IR_STAGE_##n,
    IR_STAGES(X)
#undef X
};
enum ir_base {
#define X(n) IR_BASE_##n,
    IR_BASES(X)
#undef X
};
enum ir_interp {
#define X(n) IR_INTERP_##n,
    IR_INTERPS(X)
#undef X
};
enum ir_depth_layout {
#define X(n) IR_DEPTH_##n,
    IR_DEPTH_LAYOUTS(X)
#undef X
};
enum ir_primitive {
#define X(n) IR_PRIMITIVE_##n,
    IR_PRIMITIVES(X)
#undef X
};
enum ir_resource_kind {
#define X(n) IR_RESOURCE_##n,
    IR_RESOURCE_KINDS(X)
#undef X
};
enum ir_sysval {
#define X(n) IR_SYSVAL_##n,
    IR_SYSVALS(X)
#undef X
        IR_SYSVAL_COUNT
};
enum ir_location {
#define X(n) IR_LOCATION_##n,
    IR_LOCATIONS(X)
#undef X
        IR_LOCATION_VAR0 = 32
};
enum ir_bary_mode {
#define X(n) IR_BARY_##n,
    IR_BARY_MODES(X)
#undef X
};
enum ir_dim {
#define X(n) IR_DIM_##n,
    IR_DIMS(X)
#undef X
};
enum ir_tex_kind {
#define X(n) IR_TEX_KIND_##n,
    IR_TEX_KINDS(X)
#undef X
};
enum ir_tex_operand {
#define X(n) IR_TEX_##n,
    IR_TEX_OPERANDS(X)
#undef X
        IR_TEX_OPERAND_COUNT
};
enum ir_ray_value {
#define X(n) IR_RAY_##n,
    IR_RAY_VALUES(X)
#undef X
};
enum ir_ray_data {
#define X(n) IR_RAY_DATA_##n,
    IR_RAY_DATA(X)
#undef X
};
enum ir_ray_verdict {
#define X(n) IR_RAY_VERDICT_##n,
    IR_RAY_VERDICTS(X)
#undef X
};
enum ir_atomic {
#define X(n) IR_ATOMIC_##n,
    IR_ATOMICS(X)
#undef X
};
#define X(n) +1
enum { IR_ATOMIC_COUNT = IR_ATOMICS(X) };
#undef X
enum ir_reduction {
#define X(n) IR_REDUCTION_##n,
    IR_REDUCTIONS(X)
#undef X
};
enum ir_scope {
#define X(n) IR_SCOPE_##n,
    IR_SCOPES(X)
#undef X
};
enum ir_derivative {
#define X(n) IR_DERIVATIVE_##n,
    IR_DERIVATIVES(X)
#undef X
};
enum ir_rounding {
#define X(n) IR_ROUNDING_##n,
    IR_ROUNDINGS(X)
#undef X
};

/* How memory is touched. Bits of the immediate `access`. */
enum ir_access {
    IR_ACCESS_COHERENT = 1 << 0, /* visible to the device's other waves: past the first caches */
    IR_ACCESS_VOLATILE = 1 << 1,
    IR_ACCESS_READONLY = 1 << 2,  /* nothing in this dispatch or draw writes it: a load may move freely */
    IR_ACCESS_NONTEMPORAL = 1 << 3,
    IR_ACCESS_INTEGER = 1 << 4, /* of images: texels are integers as the shader sees them, not floats */
    IR_ACCESS_RESIDENCY = 1 << 5, /* of loads of images: as IR_TEX_FLAG_RESIDENCY */
};

/* Bits of the immediate `tex_flags`. */
enum ir_tex_flags {
    IR_TEX_FLAG_COMPARE = 1 << 0,
    IR_TEX_FLAG_UNNORMALISED = 1 << 1,
    IR_TEX_FLAG_NONUNIFORM_SAMPLER = 1 << 2,
    IR_TEX_FLAG_RESIDENCY = 1 << 3, /* a component more, the last: 0 where all of the texel has memory */
    IR_TEX_FLAG_INTEGER = 1 << 4, /* texels are integers as the shader sees them, not floats */
};

/* Kinds of memory, for barriers. */
enum ir_memory {
    IR_MEMORY_BUFFER = 1 << 0, /* storage buffers and physical addresses */
    IR_MEMORY_SHARED = 1 << 1,
    IR_MEMORY_IMAGE = 1 << 2,
    IR_MEMORY_OUTPUT = 1 << 3,
};

/* Accesses that a barrier orders: bits of the immediate `order`. */
enum ir_order { IR_ORDER_ACQUIRE = 1 << 0, IR_ORDER_RELEASE = 1 << 1, IR_ORDER_EXECUTION = 1 << 2 };

#endif
