/* Instruction selection: from the shared IR, lowered for AMD, to machine IR. What the select_*.c files share; only
 * compile.c and args.c include it besides.
 *
 * Every value of the IR has a place (select_place.c): SGPRs, VGPRs, a lane mask or a scalar 0 or 1. Lanes that are not
 * active have undefined bits in a lane mask. A comparison on the scalar unit is made where its result is wanted, right
 * before the instruction that reads scc. */
#ifndef AMD_COMPILER_SELECT_H
#define AMD_COMPILER_SELECT_H

#include "amd/compiler/compiler.h"
#include "amd/compiler/mir.h"
#include "compiler/ir/ir.h"

enum sel_place {
    SEL_NOWHERE,
    SEL_SGPR,
    SEL_VGPR,
    SEL_BOOL, /* one bit, the same in all lanes: an SGPR that is 0 or 1 */
    SEL_MASK, /* one bit per lane */
};

struct sel_value {
    mir_temp temp;       /* 0: not selected yet, or a constant; or only its dwords are known */
    mir_temp *elems;     /* its dwords one by one, where they are known */
    struct list *anchor; /* the instruction after which it is known: where it is taken apart or put together */
    uint32_t block;      /* of the anchor */
};

#define SEL_MAX_POINTERS 8 /* each keeps two SGPRs for long */

struct sel_loop;
struct sel_region;
struct edges;

struct select {
    struct mir_program *program;
    struct mir_builder b;
    struct ir_shader *shader;
    const struct amd_compile_options *options;
    const struct amd_stage_options *stage; /* never NULL */
    const struct amd_args *args;
    struct amd_shader_config *config;
    struct sel_value *values; /* by value index */
    uint8_t *places;          /* by value index: enum sel_place */
    uint32_t *block_end;      /* by IR block index: the machine block in which it ends */
    mir_temp arg[AMD_ARG_COUNT];
    struct mir_instr *start; /* where the arguments come from */
    struct {
        mir_temp low, whole;
    } pointers[SEL_MAX_POINTERS]; /* addresses of what 32-bit arguments point at */
    unsigned num_pointers;
    uint32_t block;   /* index of the machine block that is being written */
    bool unreachable; /* after a jump */
    bool in_logical;  /* between LOGICAL_START and LOGICAL_END of the block */
    bool wave64;
    bool writes_buffers; /* some instruction writes to buffers or addresses: loads are not constant */
    bool helper_lanes;   /* exec holds whole quads; `exact` the lanes that count */
    bool per_sample;     /* one invocation a sample */
    bool has_exact;      /* helper lanes or a demote: the lanes that count are not exec */
    mir_temp exact;      /* lane mask, changes with demote */
    mir_temp scratch_rsrc;
    mir_temp prim_mask; /* of a fragment shader, in m0 */
    mir_temp
        coarse_depth; /* of fragments that may be coarse: their depth as it should be; 0: the register's is right */
    mir_temp slopes[2][3][2]; /* of what the centre has: perspective or not; i, j and with perspective 1 / w; to the
                                 right or down */
    mir_temp primitive_id;    /* of an NGG vertex that exports it */
    mir_temp *attributes[AMD_MAX_ATTRIBUTES]; /* of a vertex shader: channels */
    struct sel_loop *loop;
    struct sel_region *region;
    uint32_t loop_depth, divergent_depth;
    struct edges *leaving;       /* ways to the end of the program; NULL: none but the body's */
    struct sel_outputs *outputs; /* select_export.c */
};

/* Geometry and tessellation control shaders are compiled together with the vertex shader before them; mesh shaders
 * stand in their place. */
static inline bool amd_has_vertex_stage(const struct ir_shader *shader)
{
    return shader->stage == IR_STAGE_vertex || shader->stage == IR_STAGE_geometry ||
           shader->stage == IR_STAGE_tess_control || shader->stage == IR_STAGE_mesh;
}

/* ---- errors and memory: leave through the shader's guard ---- */
#define sel_fail(ctx, ...) amd_mir_fail((ctx)->program, __VA_ARGS__)
void *amd_sel_alloc(struct select *ctx, size_t size_B);

/* ---- select_emit.c: instructions ---- */
struct mir_operand amd_sel_exec(const struct select *ctx);
struct mir_operand amd_sel_mask_const(const struct select *ctx, bool ones);
struct mir_instr *amd_sel_instr(struct select *ctx, unsigned op, unsigned num_defs, unsigned num_operands);
mir_temp amd_sel_temp(struct select *ctx, struct mir_class class);
mir_temp amd_sel_copy(struct select *ctx, struct mir_class class, struct mir_operand operand);
/* Scalar results; scc is clobbered where the instruction does so. */
mir_temp amd_sel_sop1(struct select *ctx, unsigned op, unsigned dwords, struct mir_operand a);
mir_temp amd_sel_sop2(struct select *ctx, unsigned op, unsigned dwords, struct mir_operand a, struct mir_operand b);
/* A scalar result with scc after it as a temporary; the other result may be asked for. */
mir_temp amd_sel_sop2_scc(struct select *ctx, unsigned op, unsigned dwords, struct mir_operand a, struct mir_operand b,
                          mir_temp *result_out);
mir_temp amd_sel_sopc(struct select *ctx, unsigned op, struct mir_operand a, struct mir_operand b); /* scc */
mir_temp amd_sel_cselect(struct select *ctx, unsigned dwords, struct mir_operand a, struct mir_operand b, mir_temp scc);
/* Vector results. Scalar operands beyond what an instruction can read are copied to VGPRs. */
struct mir_instr *amd_sel_vop_instr(struct select *ctx, unsigned op, mir_temp result, unsigned count,
                                    const struct mir_operand *operands);
mir_temp amd_sel_vop1(struct select *ctx, unsigned op, struct mir_operand a);
mir_temp amd_sel_vop2(struct select *ctx, unsigned op, struct mir_operand a, struct mir_operand b);
mir_temp amd_sel_vop3(struct select *ctx, unsigned op, struct mir_operand a, struct mir_operand b,
                      struct mir_operand c);
mir_temp amd_sel_vopc(struct select *ctx, unsigned op, struct mir_operand a, struct mir_operand b); /* a lane mask */
/* On lane masks, by the wave size. */
enum sel_mask_op {
    SEL_AND,
    SEL_OR,
    SEL_XOR,
    SEL_ANDN2,
    SEL_ORN2,
    SEL_XNOR
};
mir_temp amd_sel_mask2(struct select *ctx, enum sel_mask_op op, struct mir_operand a, struct mir_operand b);
mir_temp amd_sel_mask_not(struct select *ctx, struct mir_operand a);
mir_temp amd_sel_mask_scc(struct select *ctx, enum sel_mask_op op, struct mir_operand a,
                          struct mir_operand b); /* scc: any bit */
void amd_sel_set_exec(struct select *ctx, struct mir_operand mask);
void amd_sel_exec_op(struct select *ctx, enum sel_mask_op op, struct mir_operand a,
                     struct mir_operand b); /* exec = a op b */
mir_temp amd_sel_vector(struct select *ctx, bool vector, unsigned count, const mir_temp *dwords);
mir_temp amd_sel_dword(struct select *ctx, mir_temp temp, unsigned dword); /* of a tuple */
mir_temp amd_sel_readfirst(struct select *ctx, mir_temp temp); /* dword by dword; itself where it is scalar */
mir_temp amd_sel_to_vgpr(struct select *ctx, mir_temp temp);
unsigned amd_sel_dwords(const struct select *ctx, mir_temp temp);
bool amd_sel_is_vector(const struct select *ctx, mir_temp temp);

/* ---- select_value.c: the IR's values ---- */
enum sel_place amd_sel_place_of(const struct select *ctx, const struct ir_value *value);
struct mir_class amd_sel_class_of(const struct select *ctx, const struct ir_value *value);
unsigned amd_sel_value_dwords(const struct ir_value *value);
void amd_sel_define(struct select *ctx, const struct ir_value *value,
                    mir_temp temp);                                    /* copies where the place wants another file */
void amd_sel_anchor(struct select *ctx, const struct ir_value *value); /* the value is known from here on */
void amd_sel_define_elems(struct select *ctx, const struct ir_value *value, unsigned count, const mir_temp *dwords);
/* The value wherever it lives, as an operand: a constant, or a temporary of any file. Up to 32 bits, or 64 where it is
 * no constant. */
struct mir_operand amd_sel_use(struct select *ctx, const struct ir_value *value);
mir_temp amd_sel_any(struct select *ctx, const struct ir_value *value); /* never a constant */
mir_temp amd_sel_vgpr(struct select *ctx, const struct ir_value *value);
mir_temp amd_sel_sgpr(struct select *ctx, const struct ir_value *value); /* a value that is the same in all lanes */
mir_temp amd_sel_value_dword(struct select *ctx, const struct ir_value *value, unsigned dword);
struct mir_operand amd_sel_use_dword(struct select *ctx, const struct ir_value *value, unsigned dword);
struct mir_operand amd_sel_mask(struct select *ctx, const struct ir_value *value); /* of one bit */
mir_temp amd_sel_scc(struct select *ctx, const struct ir_value *value,
                     bool *inverted_out);                                /* of one bit, the same in all lanes */
mir_temp amd_sel_bool(struct select *ctx, const struct ir_value *value); /* 0 or 1 in an SGPR */
void amd_sel_define_scc(struct select *ctx, const struct ir_value *value, mir_temp scc);
/* A 16- or 8-bit component of a packed vector as the low bits of a dword. */
mir_temp amd_sel_component(struct select *ctx, const struct ir_value *value, unsigned comp);

/* ---- select_place.c ---- */
void amd_sel_find_places(struct select *ctx);

/* ---- select_phi.c ---- */

/* The phis of a block whose ways in are all known. */
void amd_sel_phis(struct select *ctx, struct ir_block *block);
/* Sources of one whose ways in were not, yet. */
void amd_sel_fill_phi(struct select *ctx, const struct ir_instr *phi, struct mir_instr *out);
void amd_sel_anchor_phis(struct select *ctx, struct ir_block *block);

/* ---- select_flow.c ---- */
void amd_sel_body(struct select *ctx);
void amd_sel_logical_start(struct select *ctx);
void amd_sel_logical_end(struct select *ctx);
/* Around something that only the lanes that count may do: exec is cut down and put back. */
mir_temp amd_sel_exact_begin(struct select *ctx);
void amd_sel_exact_end(struct select *ctx, mir_temp saved);
/* A branch of selection's own: what is selected between the two runs when scc is set. */
struct sel_when {
    uint32_t otherwise;
    struct mir_instr *branch;
};
void amd_sel_when_begin(struct select *ctx, mir_temp scc, struct sel_when *when);
void amd_sel_when_end(struct select *ctx, struct sel_when *when);
void amd_sel_leave_when_empty(struct select *ctx); /* to the program's end; once */
void amd_sel_end_program(struct select *ctx);
void amd_sel_demote(struct select *ctx, const struct ir_instr *instr);

/* ---- one function for each family of operations; false: not this family ---- */
void amd_sel_ir_instr(struct select *ctx, struct ir_instr *instr); /* select.c */
bool amd_sel_alu(struct select *ctx, struct ir_instr *instr);      /* by table */
bool amd_sel_alu_float(struct select *ctx, struct ir_instr *instr);
bool amd_sel_alu_int(struct select *ctx, struct ir_instr *instr);
bool amd_sel_alu_64(struct select *ctx, struct ir_instr *instr);
bool amd_sel_alu_bool(struct select *ctx, struct ir_instr *instr);
bool amd_sel_convert(struct select *ctx, struct ir_instr *instr);
bool amd_sel_compare_scc(struct select *ctx, const struct ir_instr *instr, mir_temp *scc_out); /* on the scalar unit */
bool amd_sel_is_scalar_compare(const struct select *ctx, const struct ir_instr *instr);
bool amd_sel_memory(struct select *ctx, struct ir_instr *instr);
bool amd_sel_constant(struct select *ctx, struct ir_instr *instr); /* select_constant.c */
bool amd_sel_shared(struct select *ctx, struct ir_instr *instr);
bool amd_sel_atomic(struct select *ctx, struct ir_instr *instr);
bool amd_sel_image(struct select *ctx, struct ir_instr *instr);
bool amd_sel_ray(struct select *ctx, struct ir_instr *instr); /* select_ray.c */
bool amd_sel_lanes(struct select *ctx, struct ir_instr *instr);
bool amd_sel_reduce(struct select *ctx, struct ir_instr *instr);
bool amd_sel_sysval(struct select *ctx, struct ir_instr *instr);
bool amd_sel_input(struct select *ctx, struct ir_instr *instr);
bool amd_sel_geometry(struct select *ctx, struct ir_instr *instr);
bool amd_sel_tess(struct select *ctx, struct ir_instr *instr); /* select_tess.c */
bool amd_sel_output(struct select *ctx, struct ir_instr *instr);
void amd_sel_inputs_begin(struct select *ctx);     /* numbers the attributes of a fragment shader */
void amd_sel_vertex_begin(struct select *ctx);     /* what an NGG wave does before its vertices */
mir_temp amd_sel_primitive_id(struct select *ctx); /* of the primitive whose provoking vertex this is */
bool amd_sel_vertex_input(struct select *ctx, struct ir_instr *instr);
void amd_sel_outputs_begin(struct select *ctx);
void amd_sel_outputs_end(struct select *ctx);
/* Whether a parameter is exported for the fragment shader. */
bool amd_next_reads(const struct amd_stage_options *stage, unsigned location);
mir_temp amd_sel_quad_read(struct select *ctx, mir_temp from, unsigned perm);
mir_temp amd_sel_ring_address(struct select *ctx);
mir_temp amd_sel_attribute(struct select *ctx, unsigned location, unsigned channel); /* flat */
mir_temp amd_sel_interpolate(struct select *ctx, unsigned location, unsigned channel, mir_temp i, mir_temp j);
mir_temp amd_sel_lane_index(struct select *ctx);
mir_temp amd_sel_arg(struct select *ctx, enum amd_arg arg);
bool amd_sel_is_argument(const struct select *ctx, mir_temp temp);

mir_temp amd_sel_global_address(struct select *ctx, const struct ir_value *address, uint32_t more_B);
unsigned amd_sel_image_atomic_op(uint32_t atomic);
unsigned amd_sel_buffer_atomic_op(uint32_t atomic, bool wide);
mir_temp amd_sel_shared_address(struct select *ctx, const struct ir_value *offset, uint32_t base_B, unsigned size_B,
                                uint32_t *imm_B_out);
/* Whether a value can be made on the scalar unit when its operands are in SGPRs: by operation. */
bool amd_sel_alu_has_scalar(const struct ir_instr *instr);
bool amd_sel_load_is_scalar(const struct select *ctx, const struct ir_instr *instr);

/* The set number of the area after the push constants, in load_desc. */
#define AMD_PUSH_SET 0xffffu
/* The set number of transform feedback's buffers. */
#define AMD_XFB_SET 0xfffeu
/* The set number of the ring table. */
#define AMD_RING_SET 0xfffdu

bool amd_runs_per_sample(const struct ir_shader *shader, const struct amd_compile_options *options);
bool amd_may_be_coarse(const struct ir_shader *shader, const struct amd_compile_options *options);
enum amd_ps_input amd_ps_input_of_bary(const struct ir_instr *instr, bool per_sample);

/* select_call.c: functions and calls of them. */
bool amd_sel_call(struct select *ctx, struct ir_instr *instr);
void amd_sel_function_begin(struct select *ctx); /* once the arguments and private memory's descriptor are there */
void amd_sel_function_mode(struct select *ctx);
void amd_sel_return(struct select *ctx);
mir_temp amd_sel_next_frame(struct select *ctx);
uint32_t amd_sel_frame_args_B(const struct select *ctx); /* at the start of a frame, before private memory */

/* select_parts.c, and what it takes from the stages' files. */
void amd_sel_vertex_exec(struct select *ctx);
void amd_sel_load_attribute(struct select *ctx, const struct amd_vertex_attribute *attribute, unsigned wanted,
                            mir_temp channels[8]);
bool amd_sel_output_color(struct select *ctx, unsigned slot, mir_temp channels[4]); /* false: not written */
void amd_sel_set_color(struct select *ctx, unsigned slot, const mir_temp channels[4]);
void amd_sel_export_colors(struct select *ctx, bool depth_was_exported);
void amd_sel_jump_to_epilog(struct select *ctx);
void amd_select_prolog(struct mir_program *program, const struct amd_compile_options *options,
                       const struct amd_prolog_key *key);
void amd_select_epilog(struct mir_program *program, const struct amd_compile_options *options,
                       const struct amd_epilog_key *key, struct amd_shader_config *config);

/* exec_cleanup.c: drops writes of exec that nothing reads; on allocated code. */
void amd_drop_dead_exec(struct mir_program *program);

/* Select the whole shader into `program`, which is empty. */
void amd_select(struct mir_program *program, struct ir_shader *shader, const struct amd_compile_options *options,
                const struct amd_args *args, struct amd_shader_config *config, bool force_scratch);

#endif
