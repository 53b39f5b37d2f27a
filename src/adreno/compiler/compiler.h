/* The A6xx compiler as a driver and the tools see it: a shader of the shared IR in, machine code with what the hardware's
 * registers must be told about it out. */
#ifndef ADRENO_COMPILER_COMPILER_H
#define ADRENO_COMPILER_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/ir/bindings.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/stage_slots.h"
#include "util/record.h"

struct adreno_chip;
struct adreno_shader_config;
struct ir_target;

/* What A6xx has, for the optimiser and the shared lowering passes. */
const struct ir_target *adreno_target(void);

#define ADRENO_MAX_SETS 5    /* bindless bases that A6xx has */
#define ADRENO_DYNAMIC_SET 4 /* the last one: descriptors of buffers with dynamic offsets, of all sets */

/* What a stage leaves in local memory for the next one of its wave: a vertex or evaluation shader for a geometry shader, a
 * vertex shader for a control shader. */
struct adreno_handover {
    bool is_there;
    bool has_primitive_id;         /* the second stage finds the primitive's number in a register, too */
    bool has_patch_number;         /* and the patch's among those that are under way */
    uint8_t second_bit;            /* of the header, where the second stage finds the primitive's number in the wave */
    uint8_t vertices;              /* of a primitive or patch, at most */
    bool has_unknown_vertices;     /* of a patch: ADRENO_PARAM_PATCH has their number */
    uint16_t vertex_B;             /* from one to the next */
    uint16_t results_B;            /* after all of them: what atomic operations of a geometry shader return */
    uint8_t slot[STAGE_LOCATIONS]; /* of 16 bytes in a vertex; STAGE_NO_SLOT: not read */
    uint8_t stored[STAGE_LOCATIONS];       /* components that the first stage writes */
    uint8_t buffer_stream[IR_XFB_BUFFERS]; /* of a geometry shader: of which stream a buffer of feedback is */
};
void adreno_plan_handover(const struct ir_shader *first, const struct ir_shader *second, unsigned vertices,
                          struct adreno_handover *plan_out);
/* What a primitive or patch takes of local memory. */
static inline uint32_t adreno_part_B(const struct adreno_handover *plan)
{
    return ((uint32_t)plan->vertices * plan->vertex_B + plan->results_B + 15) & ~15u;
}

/* Registers in which the stages of a wave find what the hardware says of a fiber. */
#define ADRENO_HEADER_REG 0       /* r0.x: what it stands for */
#define ADRENO_PRIMITIVE_ID_REG 1 /* r0.y */
#define ADRENO_PATCH_NUMBER_REG 2 /* r0.z */

/* What a control shader leaves in memory, and how the tessellator cuts a patch. */
struct adreno_tess_plan {
    bool is_there, is_ccw, has_point_mode;
    enum ir_primitive domain;
    uint8_t spacing; /* as ir_shader::gs has it */
    uint8_t out_points;
    uint8_t outer, inner;                                              /* levels that there are */
    uint8_t vertex_slot[STAGE_LOCATIONS], patch_slot[STAGE_LOCATIONS]; /* of 16 bytes; STAGE_NO_SLOT: not read */
    uint32_t vertex_B;                                                 /* from a vertex to the next */
    uint32_t patch_first_B;                                            /* outputs of the patch follow its vertices */
    uint32_t patch_B;
};
void adreno_plan_tess(const struct ir_shader *control, const struct ir_shader *evaluation,
                      struct adreno_tess_plan *plan_out);
/* The plan between a vertex and a control shader: patches of so many vertices; 0: any number, which is a parameter. */
void adreno_plan_control(const struct ir_shader *vertex, const struct ir_shader *control,
                         const struct adreno_chip *chip, unsigned vertices, struct adreno_handover *plan_out);
/* What a patch takes of the buffer that the tessellator reads: its primitive's number, then levels. */
static inline uint32_t adreno_levels_B(const struct adreno_tess_plan *plan)
{
    return 4u * (1u + plan->outer + plan->inner);
}

/* What the compiler must know of a stage's surroundings. NULL in adreno_compile_options: all zero. */
struct adreno_stage_options {
    struct {
        bool is_binning; /* the version for binning passes: writes only what places primitives, and captures nothing */
        /* Push constants and parameters lie where this one has them: what loads them serves both versions. NULL: where
         * there is room. */
        const struct adreno_shader_config *constants_of;
        /* Views of which something is drawn: those between them are run by chips that know a number of views alone. 0:
         * the hardware leaves them out, or there are none. */
        uint32_t view_mask;
    } vs;
    struct {
        bool is_per_sample; /* one invocation for each sample, whatever the shader says */
        bool is_multiview;  /* the layer that a fragment reads is its view */
    } fs;
    struct adreno_handover geometry; /* to a geometry shader: of it and of the stage before it */
    struct adreno_handover control;  /* to a control shader: of it and of the vertex shader */
    struct adreno_tess_plan tess;    /* of control and evaluation shader */
};

/* Whether another stage follows in the same wave. */
static inline bool adreno_chains(const struct ir_shader *shader, const struct adreno_stage_options *stage)
{
    return stage && ((shader->stage == IR_STAGE_vertex && (stage->geometry.is_there || stage->control.is_there)) ||
                     (shader->stage == IR_STAGE_tess_eval && stage->geometry.is_there));
}
/* The plan by which a stage hands over or takes over. */
static inline const struct adreno_handover *adreno_handover_of(const struct ir_shader *shader,
                                                               const struct adreno_stage_options *stage)
{
    const bool is_control =
        shader->stage == IR_STAGE_tess_control || (shader->stage == IR_STAGE_vertex && stage->control.is_there);
    return is_control ? &stage->control : &stage->geometry;
}

struct adreno_compile_options {
    const struct adreno_chip *chip; /* what it has, and how many registers; NULL: what all have */
    const struct ir_set_layout *sets;
    uint32_t num_sets;
    const struct adreno_stage_options *stage;
    uint16_t max_registers;  /* vec4; 0: all 48. For tests of spilling */
    uint16_t wave_size;      /* 64 or 128: what a program that uses subgroups was promised; 0: by the registers used */
    bool has_workgroup_base; /* ADRENO_PARAM_WORKGROUP_BASE may be other than zero */
    bool no_optimisation;    /* every pass that is not needed for correctness is left out */
    bool keep_text;          /* keep what TUFF_DEBUG would print */
};

/* What a driver writes to the constant file beside the program's own constants, a vec4 each, where the program reads
 * it. */
enum adreno_param {
    ADRENO_PARAM_DRAW,       /* vertex: draw's number, base vertex, base instance, as CP_DRAW_INDIRECT_MULTI has them */
    ADRENO_PARAM_WORKGROUPS, /* x, y, z */
    ADRENO_PARAM_WORKGROUP_BASE, /* x, y, z: of vkCmdDispatchBase */
    ADRENO_PARAM_TESS,           /* two addresses: what control shaders give, levels of patches */
    ADRENO_PARAM_PATCH,          /* x: control points of a patch that comes in */
    ADRENO_PARAM_DATA,           /* x, y: the address of the constant data, code_size_B after the program's */
    ADRENO_PARAM_COUNT,
};

#define ADRENO_REG_UNUSED 0xfc      /* r63.x: the hardware writes it nowhere */
#define ADRENO_CONST_UNUSED 0xffff  /* a parameter that the program does not read */
#define ADRENO_LOCATION_UNUSED 0xff /* of VPC */

#define ADRENO_MAX_ATTRIBUTES 32
#define ADRENO_MAX_OUTPUTS 32  /* runs of components, with those of the hardware */
#define ADRENO_MAX_VARYINGS 64 /* runs of components that a fragment shader reads */
#define ADRENO_MAX_CAPTURES 64
#define ADRENO_MAX_TARGETS 8
#define ADRENO_MAX_PREFETCHES 4

/* An output of geometry shaders among enum ir_location: the flags of the vertex. */
#define ADRENO_LOCATION_FLAGS 29
/* Inputs of fragment shaders that no vertex shader writes, among enum ir_location: the place in a point and the view. */
#define ADRENO_LOCATION_POINT_COORD 30
#define ADRENO_LOCATION_VIEW 31

/* Components side by side: in registers from `reg` on. */
struct adreno_vs_output {
    uint8_t location; /* enum ir_location, or IR_LOCATION_VAR0 + n */
    uint8_t component, count;
    uint8_t reg;
};

/* The same of a fragment shader: bary.f and flat.b name them by VPC's location `loc` and the following. */
struct adreno_fs_input {
    uint8_t location;
    uint8_t component, count;
    uint8_t loc;
    bool is_flat; /* otherwise smooth in VPC: whether perspective counts is a matter of the pair i, j */
};

/* Pairs i, j that the hardware gives, in the order of RB_INTERP_CNTL. */
enum adreno_ij {
    ADRENO_IJ_PERSP_PIXEL,
    ADRENO_IJ_PERSP_CENTROID,
    ADRENO_IJ_PERSP_SAMPLE,
    ADRENO_IJ_LINEAR_PIXEL,
    ADRENO_IJ_LINEAR_CENTROID,
    ADRENO_IJ_LINEAR_SAMPLE,
    ADRENO_IJ_COUNT,
};

/* SP_PS_INITIAL_TEX_LOAD#_CMD and _INDEX#_CMD, always bindless: a sample before the program begins. */
struct adreno_prefetch {
    uint8_t loc; /* of the first of two varyings, the coordinate */
    uint8_t texture_set, sampler_set;
    uint16_t texture, sampler; /* descriptors in their sets */
    uint8_t reg, mask;
    bool is_half;
};

struct adreno_fs_color {
    uint8_t reg;  /* four side by side; ADRENO_REG_UNUSED: nothing is written */
    uint8_t mask; /* components that are written */
    bool is_half;
};

/* What the driver programs. Registers by the hardware's number (full or half ones as the field says), constants by
 * vec4. */
struct adreno_shader_config {
    uint16_t full_registers;            /* vec4 that are used; halves are parts of them (MERGEDREGS) */
    uint16_t constants;                 /* vec4 that are used */
    uint16_t first_push, push_size;     /* push constants, 0 where there are none */
    uint16_t param[ADRENO_PARAM_COUNT]; /* ADRENO_CONST_UNUSED: not read */
    uint16_t first_immediate;           /* `immediates` go here */
    uint16_t wave_size;                 /* 64 or 128: THREADSIZE */
    uint32_t local_size_B;              /* of a workgroup */
    uint32_t private_size_B;            /* of a fiber */
    uint8_t branch_depth;               /* BRANCHSTACK: how deep ifs and loops nest */
    uint8_t sets_used;                  /* bindless bases that the code reads, by number */
    bool writes_memory;                 /* buffers or images */
    uint8_t header_reg;                 /* of stages that share a wave: what a fiber stands for */
    uint16_t part_B;                    /* of the second one of these: local memory of a primitive */
    struct {
        uint8_t local_id_reg, workgroup_id_reg;
        uint16_t workgroup_size[3];
        bool has_barrier;
    } cs;
    struct {
        uint8_t patch_number_reg, point_reg[2]; /* VFD_CNTL_3 */
    } ds;
    struct adreno_tess_plan tess; /* of control and evaluation shaders */
    struct {
        uint8_t flags_reg; /* SP_GS_OUTPUT_CNTL */
        uint8_t invocations, vertices_in;
        uint16_t vertices_out;
        enum ir_primitive output;
    } gs;
    /* Of vertex shaders; outputs and what follows them of every stage that is the last before the rasteriser. */
    struct {
        /* VFD_CNTL_1; with VERTEX and INSTANCE of VFD_MODE_CNTL, so that the bases are added */
        uint8_t vertex_id_reg, instance_id_reg, primitive_id_reg, view_id_reg;
        /* VFD_DEST_CNTL#: component x of each attribute's register; mask 0: not read */
        uint8_t attribute_reg[ADRENO_MAX_ATTRIBUTES], attribute_mask[ADRENO_MAX_ATTRIBUTES];
        struct adreno_vs_output outputs[ADRENO_MAX_OUTPUTS];
        uint8_t num_outputs;
        uint8_t clip_distances, cull_distances; /* how many are written; those that cull follow those that clip */
        struct ir_capture captures[ADRENO_MAX_CAPTURES]; /* transform feedback: adreno_link knows their places */
        uint8_t num_captures;
        uint16_t xfb_stride_B[IR_XFB_BUFFERS];
        uint8_t buffer_stream[IR_XFB_BUFFERS];
    } vs;
    struct {
        /* SP_REG_PROG_ID_*: full registers but for face and sample_id */
        uint8_t ij_reg[ADRENO_IJ_COUNT], xy_reg, zw_reg, center_rhw_reg, sample_mask_reg;
        uint8_t face_reg, sample_id_reg; /* half registers */
        uint8_t coord_mask; /* COORD_MASK of RB_INTERP_CNTL and GRAS_CL_INTERP_CNTL: x, y, z, w that are read */
        struct adreno_fs_input inputs[ADRENO_MAX_VARYINGS];
        uint8_t num_inputs, num_locs; /* locs: NUMNONPOSVAR */
        struct adreno_prefetch prefetches[ADRENO_MAX_PREFETCHES];
        uint8_t num_prefetches;
        /* SP_PS_OUTPUT#, SP_PS_OUTPUT_CNTL; with is_dual_source colors[1] is the second source of target 0 */
        struct adreno_fs_color colors[ADRENO_MAX_TARGETS];
        uint8_t depth_reg, stencil_reg, sample_mask_out_reg;
        bool is_dual_source;
        bool has_kill;                     /* discards: no early depth writes */
        bool early_tests;                  /* the shader asks for them */
        bool post_depth_coverage;          /* POSTDEPTHCOVERAGE */
        bool is_per_sample;                /* PER_SAMP_MODE, and FRAGCOORDSAMPLEMODE is SAMPLE */
        bool has_implicit_lod;             /* PIXLODENABLE: derivatives, by instruction or of samples */
        bool reads_quads;                  /* lanes of a quad read each other: LODPIXMASK */
        bool has_varyings;                 /* VARYING of SP_PS_CNTL_0 */
        enum ir_depth_layout depth_layout; /* what a written depth may do to the early tests and LRZ */
    } fs;
};

#define ADRENO_VPC_LOCATIONS 128

/* How the outputs of a vertex shader come to a fragment shader and to the hardware: all that VPC's registers need. */
struct adreno_link {
    struct {
        uint8_t reg, mask, loc;
    } outputs[ADRENO_MAX_OUTPUTS]; /* SP_VS_OUTPUT#, SP_VS_VPC_DEST# */
    uint8_t num_outputs;
    uint8_t stride;       /* STRIDE_IN_VPC */
    uint8_t num_varyings; /* NUMNONPOSVAR */
    /* ADRENO_LOCATION_UNUSED: not there */
    uint8_t position_loc, point_size_loc, layer_loc, viewport_loc, distance_loc[2], primitive_id_loc, view_id_loc;
    uint8_t clip_mask, cull_mask; /* GRAS_CL_VS_CLIP_CULL_DISTANCE; VPC takes both */
    uint32_t interp_modes[8], replace_modes[8];
    uint32_t varying_mask[4]; /* locations that the vertex shader writes for the fragment shader: the others are
                                 VPC_VARYING_LM_TRANSFER_CNTL#_DISABLE */
    uint16_t names[ADRENO_VPC_LOCATIONS]; /* the component at each location, for adreno_link_find; 0: none */
};
/* `fs` NULL: there is none. `is_capturing`: captured outputs that no fragment reads have locations, too. False: more
 * outputs or locations than there are. */
bool adreno_link(const struct adreno_shader_config *vs, const struct adreno_shader_config *fs, bool is_capturing,
                 struct adreno_link *link_out);
/* The location of a component of an output; ADRENO_LOCATION_UNUSED: it has none. */
uint8_t adreno_link_find(const struct adreno_link *link, unsigned location, unsigned component);

/* Figures of code, in issue slots of a wave that runs alone; loops are counted once. */
struct adreno_statistics {
    uint32_t words, slots, nops, moves;
    uint32_t ss, sy, ss_stall, sy_stall; /* instructions that wait, and slots that they may wait for */
    uint32_t cycles;                     /* all together */
    uint32_t registers;                  /* vec4 that the code names */
    uint32_t loops;                      /* jumps backwards */
};
void adreno_statistics_of_code(const uint64_t *words, uint32_t num_words, struct adreno_statistics *statistics_out);

#define ADRENO_ARRAY_REGISTERS 96 /* components of arrays that a program may index in registers */

struct adreno_binary {
    uint64_t *words; /* malloc'ed; constant data follows the code */
    uint32_t size_B, code_size_B;
    uint32_t *immediates; /* malloc'ed: num_immediates dwords, a multiple of 4 */
    uint32_t num_immediates;
    struct adreno_shader_config config;
    char *ir_text, *disassembly; /* NULL unless keep_text */
};

/* False with a reason. The shader is consumed by passes but still the caller's to destroy. */
bool adreno_compile(struct ir_shader *shader, const struct adreno_compile_options *options,
                    struct adreno_binary *binary_out, char error_out[256]);
void adreno_binary_finish(struct adreno_binary *binary);

/* ---- as bytes ---- */

/* The fields of what a binary says of itself, with their ranges. */
extern const struct record adreno_config_record;
/* NULL, or which part of a binary that may come from outside does not fit the others or its stage. The fields are in
 * their ranges. */
const char *adreno_binary_wrong(const struct adreno_binary *binary, enum ir_stage stage);

#endif
