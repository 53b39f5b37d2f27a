/* A shader's registers at its start on GFX10.3, and the driver's settings to start it: the
 * contract between driver and compiler. The compiler decides which user SGPRs a shader needs (args.c) and reports each
 * one's place in amd_shader_config; the driver writes them by name. Not for: descriptors' words (amd/hw) or the layout
 * of descriptor sets (compiler.h).
 *
 *   compute   user SGPRs from s0 on, then workgroup ids, then the wave's number, then its scratch offset; v0–v2 the
 *             local id
 *   fragment  user SGPRs from s0 on, then the primitive mask (for m0), then the scratch offset; VGPRs by
 *             SPI_PS_INPUT_ENA
 *   legacy    user SGPRs from s0 on, then for transform feedback how many vertices are written, the number of the
 *             first and where each buffer continues, then the scratch offset; v0 vertex, v2 primitive, v3 instance
 *   NGG       s2 the subgroup, s3 the wave, s5 the scratch offset, user SGPRs from s8 on; v0 the primitive's packed
 *             vertices, v2 its number, v5 vertex, v8 instance; with a geometry shader v0, v1 and v4 where the
 *             primitive's vertices lie, v3 the invocation [6:0]
 *   mesh      as NGG, but v5 is the workgroup's number and the only one
 *   functions in function.h
 *   hull      s2 the off-chip buffer, s3 the wave, s4 the levels, s5 the scratch offset, user SGPRs from s8 on; v0 the
 *             patch's number in the draw, v1 that in the threadgroup and the output point [12:8], v2 vertex, v5 instance
 *
 * An evaluation shader runs as legacy or NGG; its VGPRs are u, v and the patch's numbers in place of the vertex and the
 * instance, and the off-chip buffer is s4 of NGG and comes before the scratch offset of legacy. */
#ifndef AMD_COMPILER_ARGS_H
#define AMD_COMPILER_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/ir/ir_enums.h"

#define AMD_MAX_SETS 32
#define AMD_MAX_ATTRIBUTES 32
#define AMD_MAX_TARGETS 8
#define AMD_MAX_PARAMS 32
#define AMD_MAX_USER_SGPRS_COMPUTE 16
#define AMD_MAX_USER_SGPRS 32

/* Contents of user SGPRs. Pointers are 32 bits wide, their upper half is amd_compile_options.address32_hi. */
#define AMD_USER_DATA(X)                                                                                               \
    X(rings)       /* pointer to the ring table: AMD_RING_* entries of 16 bytes */                                     \
    X(main_pc)     /* 2: address of the shader after a prolog */                                                       \
    X(set_table)   /* pointer to 32-bit pointers, one per descriptor set: where the sets do not fit */                 \
    X(push)        /* pointer to push constants, and after them the dynamic buffers' descriptors */                    \
    X(push_inline) /* n: words of the push constants themselves, from word amd_shader_config.inline_push_first on */   \
    X(vertex_buffers) /* pointer to buffer descriptors, one per binding */                                             \
    X(prolog_inputs)  /* the same for a vertex prolog */                                                               \
    X(base_vertex)                                                                                                     \
    X(draw_index)                                                                                                      \
    X(base_instance) /* in this order one after the other, as the draw packets want them */                            \
    X(view_index)                                                                                                      \
    X(xfb_buffers) /* pointer to four buffer descriptors: transform feedback */                                        \
    X(counters)    /* pointer to addresses of what queries count (enum amd_count); 0: no query counts */               \
    X(provoking)   /* not 0: the last vertex of a primitive gives flat values; read where that is dynamic */           \
    X(tess_rings)  /* pointer to the ring of levels, after which off-chip buffers begin: AMD_TESS_BUFFERS_B */         \
    X(patch_points) /* control points of an input patch, where that is dynamic */                                      \
    X(task_entry)  /* of task shaders: the entry of a draw's first workgroup; of mesh shaders after them: their entry */ \
    X(num_workgroups)     /* 3 */                                                                                      \
        X(workgroup_base) /* 3 */                                                                                      \
        X(sample_state)   /* log2 of the samples: [7:0]; set where the pipeline's sample count is dynamic. What is */  \
                          /* drawn where a shader reads weights of corners: [15:8] as IR_SYSVAL_corner_order, 0 for a */ \
                          /* triangle */                                                                               \
        X(epilog_pc)      /* 2: address of the fragment epilog */                                                      \
        X(trace_tables)   /* 2: address of the binding tables; this and the next two of launches of rays: function.h */ \
        X(trace_size)     /* 2: address of the launch's size */                                                        \
        X(traversal)      /* 2: address of the traversal function's code */

enum amd_user_data {
#define X(n) AMD_USER_##n,
    AMD_USER_DATA(X)
#undef X
    AMD_USER_COUNT
};

/* Counters that shaders increment for queries, for the hardware does not: 64-bit addresses where AMD_USER_counters
 * points, each 0 where nothing counts it. */
enum amd_count {
    AMD_COUNT_GEOMETRY_PRIMITIVES,
    AMD_COUNT_TASK_INVOCATIONS,
    AMD_COUNT_MESH_INVOCATIONS,
    AMD_COUNT_MESH_PRIMITIVES,
    AMD_COUNTS
};

/* Entries of the ring table. */
enum amd_ring {
    /* Swizzled buffers over the same scratch memory: a lane's dwords lie as far apart as the wave has lanes. */
    AMD_RING_SCRATCH_32,
    AMD_RING_SCRATCH_64,
    AMD_RING_SAMPLE_POS_1X, /* sample positions: float pairs in [0, 1), 1 + 2 + 4 + 8 of them one table after the other
                             */
    AMD_RING_SAMPLE_POS_END = AMD_RING_SAMPLE_POS_1X + 8,
    AMD_RING_GSVS = AMD_RING_SAMPLE_POS_END, /* what geometry shaders emit, a raw buffer */
    AMD_RING_TASK_ENTRIES, /* between task and mesh shaders, raw buffers: AMD_TASK_ENTRIES of 16 bytes */
    AMD_RING_TASK_PAYLOAD, /* and of AMD_TASK_PAYLOAD_B */
    AMD_RING_COUNT,
};

/* The ring between task and mesh shaders: a power of two. After a payload of the largest size comes the draw's
 * number. */
#define AMD_TASK_ENTRIES 256u
#define AMD_TASK_DRAW_B (16u * 1024)
#define AMD_TASK_PAYLOAD_B (AMD_TASK_DRAW_B + 256u)

/* From the ring of levels to the off-chip buffers. */
#define AMD_TESS_BUFFERS_B (256 * 1024)

/* Where something lies in the SGPRs a shader starts with; count 0: it is not there. */
struct amd_sgpr_place {
    uint8_t first, count;
};

/* Export formats of SPI_SHADER_COL_FORMAT and SPI_SHADER_Z_FORMAT. */
enum amd_export_format_of_shader {
    AMD_EXPORT_ZERO,
    AMD_EXPORT_32_R,
    AMD_EXPORT_32_GR,
    AMD_EXPORT_32_AR,
    AMD_EXPORT_FP16_ABGR,
    AMD_EXPORT_UNORM16_ABGR,
    AMD_EXPORT_SNORM16_ABGR,
    AMD_EXPORT_UINT16_ABGR,
    AMD_EXPORT_SINT16_ABGR,
    AMD_EXPORT_32_ABGR,
};

enum amd_hw_stage {
    AMD_HW_CS,
    AMD_HW_VS,
    AMD_HW_NGG,
    AMD_HW_PS,
    AMD_HW_HS
};

/* Bits of SPI_PS_INPUT_ENA, in the order of the VGPRs. */
enum amd_ps_input {
    AMD_PS_PERSP_SAMPLE,
    AMD_PS_PERSP_CENTER,
    AMD_PS_PERSP_CENTROID,
    AMD_PS_PERSP_PULL,
    AMD_PS_LINEAR_SAMPLE,
    AMD_PS_LINEAR_CENTER,
    AMD_PS_LINEAR_CENTROID,
    AMD_PS_LINE_STIPPLE,
    AMD_PS_POS_X,
    AMD_PS_POS_Y,
    AMD_PS_POS_Z,
    AMD_PS_POS_W,
    AMD_PS_FRONT_FACE,
    AMD_PS_ANCILLARY, /* sample number [11:8], layer [26:16] */
    AMD_PS_SAMPLE_COVERAGE,
    AMD_PS_POS_FIXED,
    AMD_PS_INPUT_COUNT,
};

/* A fragment shader's attribute that the rasteriser makes: the place in a point. Among the built-in locations of
 * ir_enums.h, after the last. */
#define AMD_LOCATION_POINT_COORD 31

/* One attribute of a fragment shader: SPI_PS_INPUT_CNTL_n, n in the order of the array. */
struct amd_ps_attribute {
    uint8_t location; /* enum ir_location, or IR_LOCATION_VAR0 + n */
    bool flat;
    bool explicit_vertices; /* the three vertices' values as they are */
    bool ordered;           /* and in the order of the API, not as the hardware has turned them: ROTATE_PC_PTR */
    bool half;              /* interpolated as 16 bits: FP16_INTERP_MODE */
    bool sprite;            /* the place in a point: PT_SPRITE_TEX */
};

/* A vertex and a geometry shader that are one program (amd_merge_geometry), or a mesh shader (amd_lower_mesh): what the
 * geometry engine must know. */
struct amd_geometry_layout {
    bool is_there;
    bool splits_invocations;   /* each has a subgroup of its own: EN_MAX_VERT_OUT_PER_GS_INSTANCE */
    uint8_t output;            /* enum ir_primitive: points, line_strip or triangle_strip */
    uint8_t vertices_in;       /* of an input primitive, those beside it included */
    uint8_t invocations;       /* VGT_GS_INSTANCE_CNT */
    uint16_t vertices_out;     /* VGT_GS_MAX_VERT_OUT, and PRIM_AMP_FACTOR */
    uint16_t input_dw;         /* VGT_ESGS_RING_ITEMSIZE */
    uint16_t max_vertices;     /* of a subgroup that go in: ES_VERTS_PER_SUBGRP */
    uint16_t max_primitives;   /* GS_PRIMS_PER_SUBGRP */
    uint16_t max_out_vertices; /* GE_MAX_OUTPUT_PER_SUBGROUP */
    bool has_ring;             /* without NGG: a copy shader comes after it */
    uint8_t stream_dw[4];      /* VGT_GS_VERT_ITEMSIZE */
    uint16_t stream_buffers;   /* VGT_STRMOUT_BUFFER_CONFIG: four bits a stream */
    /* A mesh shader: one point is a workgroup of vertices_out lanes. */
    bool is_mesh;
    bool places_primitives;      /* each names its layer, viewport and shading rate: EN_PRIM_PAYLOAD */
    uint16_t max_out_primitives; /* PRIM_AMP_FACTOR */
    uint8_t vertex_params, primitive_params;     /* PRIM_EXPORT_COUNT; they come after those of vertices */
    uint8_t primitive_locations[AMD_MAX_PARAMS]; /* in their order */
};

#define AMD_TESS_LOCATIONS (IR_LOCATION_VAR0 + 64)

/* The agreement of the stages around the tessellator (amd_tess_layout), and the hardware's settings for it. */
struct amd_tess_layout {
    bool is_there;
    bool is_ccw, has_point_mode;
    uint8_t domain;     /* enum ir_primitive: triangles, quads or isolines */
    uint8_t spacing;    /* 0 equal, 1 fractional even, 2 fractional odd */
    uint8_t patches;    /* of a threadgroup: NUM_PATCHES */
    uint8_t in_points;  /* of a patch; 0: user SGPR patch_points */
    uint8_t out_points;
    /* A patch in the off-chip buffer: output vertices, then what is the patch's; slots of four dwords by location. */
    uint16_t vertex_B, patch_first_B, patch_B;
    uint8_t vertex_slot[AMD_TESS_LOCATIONS], patch_slot[AMD_TESS_LOCATIONS]; /* 0xff: none */
};

/* The driver's settings of a shader. The three words are complete but for the driver's own fields (priority, trap
 * handler, scratch's enable bit is set where scratch_size_B is not 0). */
struct amd_shader_config {
    enum amd_hw_stage hw_stage;
    uint8_t wave_size;
    uint32_t rsrc1, rsrc2, rsrc3;
    uint16_t num_sgprs, num_vgprs;
    uint32_t lds_size_B;     /* per workgroup or subgroup */
    uint32_t scratch_size_B; /* per lane */

    struct amd_sgpr_place user[AMD_USER_COUNT];
    struct amd_sgpr_place sets[AMD_MAX_SETS]; /* one SGPR each, where the set table is not used */
    uint8_t num_user_sgprs;
    uint8_t num_start_sgprs;   /* with those that the hardware fills: a prolog must leave them alone */
    uint8_t inline_push_first; /* word */
    uint32_t sets_used;        /* descriptor sets that the code reads, by number; in SGPRs or through the set table */

    uint16_t workgroup_size[3]; /* compute */

    /* vertex */
    uint8_t param_of[IR_LOCATION_VAR0 + 32]; /* location → parameter export, 0xff: not exported */
    uint8_t num_params; /* without those of a mesh shader's primitives */
    uint32_t attributes_used;     /* by location: what a prolog must load, four VGPRs each, in this order */
    uint8_t num_positions;        /* position exports: the position, then misc, then clip distances */
    uint8_t clip_mask, cull_mask; /* distances that are written, by bit */
    bool writes_point_size, writes_layer, writes_viewport, writes_rate;
    bool reads_primitive_id; /* PRIMITIVEID_EN of VGT_PRIMITIVEID_EN; with NGG NGG_DISABLE_PROVOK_REUSE instead: the
                                first vertex of a primitive belongs to no other */
    uint16_t xfb_stride_B[4]; /* of the buffers that transform feedback writes; 0: not written */
    struct amd_geometry_layout geometry; /* of amd_stage_options */
    struct amd_tess_layout tess;         /* the same, of a hull shader */
    bool passthrough; /* NGG: the primitive's export is what the hardware handed in (PRIMGEN_PASSTHRU_EN). Where it is
                         not set, vertices are handed in as numbers (VGT_ESGS_RING_ITEMSIZE is 1) */

    /* fragment */
    uint32_t spi_ps_input_ena;
    struct amd_ps_attribute attributes[AMD_MAX_PARAMS];
    uint8_t num_attributes;
    uint32_t color_formats; /* SPI_SHADER_COL_FORMAT: four bits per export; exports have no gaps */
    uint8_t z_format;
    uint32_t cb_shader_mask;
    bool writes_depth, writes_stencil, writes_mask, can_discard, writes_memory, early_tests, sample_shading;
    bool reads_sample_mask;
    bool post_depth_coverage; /* the mask that it reads is that of the samples that passed the early tests */
    uint16_t epilog_targets; /* what an epilog finds in v0 and up, four VGPRs each: bit n target n, bit 8 the second
                                source of target 0 */
    enum ir_depth_layout depth_layout;
};

/* One vertex attribute as the driver sees it. */
struct amd_vertex_attribute {
    bool present;
    bool per_instance;
    bool bgra; /* red and blue change places */
    uint8_t binding;
    uint8_t format;   /* of the hardware's buffer formats (amd/hw); of one channel where split_B is not 0 */
    uint8_t channels; /* that memory has */
    uint8_t
        split_B; /* the channels are loaded one by one, this many bytes apart: 3 × 8 and 3 × 16 bits have no format */
    bool is_int; /* the missing fourth component is the integer 1 */
    bool is_64;  /* each channel is two dwords of a 64-bit value; `format` is of dwords */
    uint32_t offset_B;
    uint32_t divisor; /* instances a step; 0: the first element for all */
};

/* A stage's surroundings for the compiler; the driver fills the part of its stage. NULL in amd_compile_options: all
 * zero. */
struct amd_stage_options {
    struct {
        bool legacy;         /* the hardware's VS stage instead of NGG */
        bool legacy_numbers; /* the same where the next stage reads a primitive's number; for the driver alone */
        bool prolog; /* attributes arrive in VGPRs from a prolog, four of each location, after the hardware's */
        bool outputs_known;
        uint64_t outputs_read; /* by location: bit n is IR_LOCATION_VAR0 + n; meaningful where outputs_known */
        bool next_reads_layer, next_reads_viewport, next_reads_primitive_id, next_reads_clip;
        bool layer_from_view;  /* multiview: the layer is the view's index */
        bool points;           /* a point size must be there */
        uint8_t prim_vertices; /* of a primitive: 1, 2 or 3; 0: 3 */
        struct amd_vertex_attribute attributes[AMD_MAX_ATTRIBUTES];
    } vs; /* outputs: of the last stage before the rasteriser */
    struct {
        bool provoking_last, provoking_dynamic;
        struct amd_geometry_layout layout; /* of amd_merge_geometry */
    } gs;
    struct {
        bool skip_triangles, skip_boxes; /* VK_PIPELINE_CREATE_RAY_TRACING_SKIP_*: of shaders that send rays */
    } ray;
    bool has_task;               /* there is a task shader before the mesh shader */
    bool is_evaluation;          /* the vertex shader is an evaluation shader (amd_lower_evaluation) */
    struct amd_tess_layout tess; /* of amd_tess_layout; of hull and evaluation shaders */
    struct amd_fs_options {
        uint32_t color_formats; /* four bits per target: enum amd_export_format_of_shader */
        uint8_t color_is_int8,
            color_is_int10; /* targets whose integers must be clamped before they are cut to 16 bits */
        bool epilog;        /* colours are handed over in VGPRs: four of each target from v0 on */
        bool dual_source;
        bool alpha_to_coverage; /* target 0's alpha must be exported */
        uint8_t samples;        /* of the rasteriser; 0: in user SGPR sample_state */
        bool sample_shading;    /* one invocation per sample, whatever the shader says */
        bool may_be_coarse;     /* fragments may have several pixels */
    } fs;
};

struct amd_compile_options;
struct ir_shader;

/* A shader's arguments: which there are, and in which registers. Made by amd_args_init from what a shader reads. */
enum amd_arg {
    /* SGPRs of the hardware */
    AMD_ARG_WORKGROUP_X,
    AMD_ARG_WORKGROUP_Y,
    AMD_ARG_WORKGROUP_Z,
    AMD_ARG_TG_SIZE, /* waves of the group [5:0], this wave's number [11:6] */
    AMD_ARG_SCRATCH_OFFSET,
    AMD_ARG_SP, /* of functions (function.h): where the frame begins, the descriptor of scratch memory, the way back */
    AMD_ARG_SCRATCH,
    AMD_ARG_RETURN,
    AMD_ARG_XFB_CONFIG, /* vertices that are written [22:16] */
    AMD_ARG_XFB_FIRST,
    AMD_ARG_XFB_BASE0, /* dwords */
    AMD_ARG_XFB_BASE3 = AMD_ARG_XFB_BASE0 + 3,
    AMD_ARG_PRIM_MASK,    /* for m0 */
    AMD_ARG_TURNS,        /* by quad, two bits each: how far the corners of its triangle are turned */
    AMD_ARG_NGG_SUBGROUP, /* vertices [20:12], primitives [30:22] */
    AMD_ARG_OFFCHIP,      /* of tessellation: the off-chip buffer, bytes */
    AMD_ARG_LEVELS,       /* a hull shader's place in the ring of levels, bytes */
    AMD_ARG_NGG_WAVE,     /* vertices [7:0], primitives [15:8], wave [27:24], waves [31:28] */
    /* VGPRs of the hardware */
    AMD_ARG_LOCAL_X,
    AMD_ARG_LOCAL_Y,
    AMD_ARG_LOCAL_Z,
    AMD_ARG_VERTEX_ID,
    AMD_ARG_INSTANCE_ID,
    AMD_ARG_PRIMITIVE_ID,
    AMD_ARG_NGG_PRIM, /* three vertices packed for the primitive export; without passthrough the first two, 16 bits each
                       */
    AMD_ARG_NGG_PRIM_2, /* without passthrough: the third vertex; with a geometry shader the fourth, too */
    AMD_ARG_NGG_PRIM_3, /* the fifth and the sixth */
    AMD_ARG_INVOCATION, /* of a geometry shader [6:0] */
    AMD_ARG_TESS_U,
    AMD_ARG_TESS_V,
    AMD_ARG_TESS_PATCH,  /* number in the threadgroup; of a hull shader the output point, too [12:8] */
    AMD_ARG_TESS_NUMBER, /* in the draw */
    AMD_ARG_PS_INPUT0,  /* + enum amd_ps_input */
    AMD_ARG_PS_INPUT_END = AMD_ARG_PS_INPUT0 + AMD_PS_INPUT_COUNT,
    AMD_ARG_ATTRIBUTE0 = AMD_ARG_PS_INPUT_END, /* + location: four VGPRs that a prolog filled */
    /* user SGPRs */
    AMD_ARG_USER0 = AMD_ARG_ATTRIBUTE0 + AMD_MAX_ATTRIBUTES, /* + enum amd_user_data */
    AMD_ARG_SET0 = AMD_ARG_USER0 + AMD_USER_COUNT,
    AMD_ARG_COUNT = AMD_ARG_SET0 + AMD_MAX_SETS,
};

struct amd_args {
    struct {
        uint16_t reg;  /* SGPR number, or 256 + VGPR number */
        uint8_t count; /* 0: the shader does not have it */
    } place[AMD_ARG_COUNT];
    uint8_t num_user_sgprs, num_sgprs, num_vgprs;
    bool use_set_table;
    uint32_t sets_used;                           /* by number */
    uint8_t inline_push_first, inline_push_count; /* words */
};

/* Which arguments the shader has, which is lowered: descriptors are load_desc, system values are still visible. */
void amd_args_init(struct amd_args *args, const struct ir_shader *shader, const struct amd_compile_options *options);
/* VGPRs that the hardware fills for a vertex; a prolog's attributes come after them. */
unsigned amd_vertex_vgprs(enum amd_hw_stage stage);
/* A vertex exports the number of the primitive that it is the first of, which NGG's primitives have. */
bool amd_hands_over_primitive_id(const struct amd_compile_options *options);
/* Copies the places of user SGPRs into the config and sets the words of the program resource registers. */
void amd_args_finish(const struct amd_args *args, const struct ir_shader *shader,
                     const struct amd_compile_options *options, uint32_t float_mode, struct amd_shader_config *config);

#endif
