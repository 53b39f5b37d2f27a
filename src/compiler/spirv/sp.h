/* The shared part of the SPIR-V front end: the module as it was read, values, pointers, and the state of the
 * translation.
 *
 *   words ── sp_module.c: instructions ── sp_type.c, sp_constant.c, sp_decoration.c: what ids mean
 *         ── sp_cfg.c: blocks, dominators, loops of a function ── sp_function.c: regions of the IR
 *         ── opcodes.table: one function per instruction, in sp_alu.c, sp_memory.c, sp_image.c, …
 *
 * Everything fails through sp_fail, which leaves by longjmp with the offset of the current instruction. */
#ifndef COMPILER_SPIRV_SP_H
#define COMPILER_SPIRV_SP_H

#include <stdbool.h>
#include <stdint.h>

#include <spirv/unified1/spirv.h>

#include "util/arena.h"
#include "util/bits.h"
#include "util/map.h"

#include "compiler/ir/ir.h"
#include "compiler/ir/ir_builder.h"
#include "compiler/spirv/sp_tables.h"
#include "compiler/spirv/spirv.h"

#define SP_MAX_BOUND 0x400000u    /* the universal limit of ids */
#define SP_MAX_TYPE_DEPTH 255u    /* nested aggregates: the universal limit */
#define SP_MAX_SCALARS (1u << 20) /* of one value or variable */
#define SP_SHALLOW 100u           /* nested regions, calls included, that any thread's stack can hold */
#define SP_MAX_DEPTH 4096u        /* that a deep stack can hold, and IR may have */
/* Scalars copied about in one translation, each of which may become an instruction of a hundred bytes: so many, more
 * for each word that the module has, and at most those of the third. */
#define SP_BUDGET_LEAST (4u << 20)
#define SP_BUDGET_OF_WORD 1024u
#define SP_BUDGET_MOST (64u << 20)
#define SP_NONE UINT32_MAX

struct sp;
struct sp_id;
struct sp_ptr;

/* --- tables (generated) --- */

enum sp_phase {
    SP_PHASE_none,
    SP_PHASE_module,
    SP_PHASE_code,
    SP_PHASE_both,
    SP_PHASE_ignored
};

struct sp_op_info {
    uint32_t opcode;
    const char *name;
    const char *layout; /* of operands: letters that sp_grammar.c knows */
    enum sp_phase phase;
    void (*handler)(struct sp *s, const struct sp_instr *in);
    uint32_t arg;      /* an IR operation or what the handler says */
    bool swap, invert; /* operands exchanged, result negated */
};
extern const struct sp_op_info sp_op_infos[SP_NUM_OPS];

struct sp_enumerant {
    uint32_t value;
    const char *layout; /* of its parameters */
};
struct sp_enum_info {
    bool is_mask;
    uint32_t count;
    const struct sp_enumerant *values; /* ascending */
};
extern const struct sp_enum_info sp_enum_infos[SP_NUM_ENUMS];

struct sp_glsl_info {
    uint32_t opcode;
    const char *name;
};
extern const struct sp_glsl_info sp_glsl_infos[SP_NUM_GLSL];

const char *sp_name_of_Capability(uint32_t value);
const char *sp_name_of_BuiltIn(uint32_t value);
const char *sp_name_of_StorageClass(uint32_t value);
const char *sp_name_of_ExecutionMode(uint32_t value);

/* --- instructions --- */

struct sp_instr {
    const struct sp_op_info *info;
    uint32_t opcode;
    uint32_t at;    /* word offset in the module */
    uint32_t next;  /* of the instruction after it */
    uint32_t type;  /* id of the result's type, 0 */
    uint32_t id;    /* of the result, 0 */
    uint32_t count; /* operands after type and result, in words */
    const uint32_t *ops;
};

/* --- types --- */

enum sp_kind {
    SP_VOID,
    SP_BOOL,
    SP_INT,
    SP_FLOAT,
    SP_VECTOR,
    SP_MATRIX,
    SP_ARRAY,
    SP_STRUCT,
    SP_POINTER,
    SP_FUNCTION,
    SP_IMAGE,
    SP_SAMPLER,
    SP_SAMPLED_IMAGE,
    SP_ACCELERATION_STRUCTURE,
    SP_RAY_QUERY
};

struct sp_member {
    struct sp_type *type;
    uint32_t index;
    uint32_t offset_B;  /* decorated; SP_NONE: none */
    uint32_t natural_B; /* where our own layout puts it */
    uint32_t matrix_stride_B;
    bool row_major;
    uint32_t access;       /* IR_ACCESS_* */
    uint32_t builtin;      /* SP_NONE: none */
    uint32_t first_scalar; /* in the flattened value */
};

struct sp_type {
    enum sp_kind kind;
    uint32_t id;
    uint8_t bits; /* bool 1, int, float */
    bool is_signed;
    bool block, buffer_block;
    bool runtime_sized;      /* an array */
    bool has_struct;         /* it is one or has one inside arrays */
    uint32_t count;          /* components, columns, elements, members, parameters */
    struct sp_type *element; /* of vector, matrix, array; pointee; image of a sampled image; result of a function */
    struct sp_type **params;
    struct sp_member *members;
    uint32_t stride_B;                                          /* ArrayStride of array or pointer; 0: none */
    uint32_t natural_size_B, natural_align_B, natural_stride_B; /* our own layout, for workgroup memory */
    uint32_t scalars;                                           /* of a value of the type, flattened */
    uint32_t depth;
    uint32_t storage; /* of a pointer */
    struct {
        SpvDim dim;
        bool depth, arrayed, ms;
        uint32_t sampled;
        SpvImageFormat format;
    } image;
};

/* --- values --- */

/* A constant: one word for each scalar. */
struct sp_constant {
    struct sp_type *type;
    const uint64_t *bits; /* NULL: all zero */
    bool spec;
};

/* An SSA value: a flat array of scalars, or a pointer that is only known here. Neither is checked for dominance:
 * sp_read does. */
struct sp_value {
    struct sp_type *type;
    struct ir_value **c; /* type->scalars of them */
    struct sp_ptr *ptr;
    uint32_t access; /* of an image: what its variable says */
    bool nonuniform;
    const struct sp_ptr *from; /* of an image or sampler: the pointer it was loaded through */
};

/* A variable taken apart: structs have children, everything else is one linear array of scalars. */
struct sp_node {
    struct sp_type *type;
    struct sp_node *members;
    struct ir_var *var;
    bool written;
};

struct sp_variable {
    uint32_t id;
    const char *name;
    struct sp_type *type, *pointer_type; /* pointee, pointer */
    uint32_t storage;
    uint32_t initializer; /* id, 0 */
    uint32_t access;
    bool restricted;
    struct sp_node *node;  /* Function, Private, Output */
    uint32_t set, binding; /* resources */
    uint32_t shared_B;     /* offset in workgroup memory, or of what is for other shaders in private memory */
    struct sp_io *io;      /* inputs and outputs */
    bool used;
    uint32_t resource; /* index + 1 in the shader's list */
};

enum sp_ptr_mode {
    SP_PTR_VAR,      /* of an sp_node */
    SP_PTR_MEMORY,   /* explicit address */
    SP_PTR_RESOURCE, /* a descriptor, or an array of them not yet indexed */
    SP_PTR_IO,       /* an input, or an output that other invocations see */
    SP_PTR_TEXEL,    /* OpImageTexelPointer */
};

struct sp_ptr {
    enum sp_ptr_mode mode;
    uint32_t storage;
    struct sp_type *type; /* pointee */
    uint32_t access;
    bool nonuniform;
    struct sp_variable *variable;
    /* VAR and RESOURCE: the element, counted in units of the pointee: `first`, plus `index` where there is one. */
    struct ir_value *index;
    uint32_t first;
    struct sp_node *node;
    /* MEMORY */
    struct ir_value *handle;  /* of buffers */
    struct ir_value *offset;  /* 32 bits, or the 64 bits of a physical address; NULL: 0 */
    uint32_t base_B;          /* added to it */
    uint32_t align_B;         /* power of two that divides what `offset` contributes */
    uint32_t matrix_stride_B; /* of the matrix here or inside arrays here */
    bool row_major;
    uint32_t component_stride_B; /* of a column of a row-major matrix; 0: packed */
    bool natural;                /* our layout, not the decorated one */
    uint32_t ptr_stride_B;       /* for OpPtrAccessChain; 0: by the type */
    uint32_t array_stride_B;     /* from this element of an array to the next; 0: it is none */
    /* IO */
    struct sp_io *io;
    uint32_t location, component;     /* relative to the variable's; component in 32-bit units */
    struct ir_value *location_index;  /* run-time part, in locations */
    struct ir_value *component_index; /* run-time component of a vector, which has component_count of them */
    uint32_t component_count;
    struct ir_value *vertex; /* of an arrayed input or output */
    /* TEXEL */
    const struct sp_type *image_type;
    struct ir_value *coord;
};

/* --- decorations --- */

struct sp_decoration {
    struct sp_decoration *next;
    uint32_t kind;
    uint32_t member; /* SP_NONE: of the whole */
    uint32_t count;
    const uint32_t *ops;
};

enum sp_what {
    SP_UNKNOWN,
    SP_TYPE,
    SP_CONSTANT,
    SP_VARIABLE,
    SP_FUNCTION_ID,
    SP_VALUE,
    SP_LABEL,
    SP_EXT_SET,
    SP_STRING,
    SP_GROUP
};

struct sp_id {
    uint8_t what;
    uint32_t at; /* the instruction that defines it */
    const char *name;
    struct sp_decoration *decorations;
    union {
        struct sp_type *type;
        struct sp_constant *constant;
        struct sp_variable *variable;
        struct sp_function *function;
        struct sp_value *value;
        struct sp_block *block;
        uint32_t set;
    };
};

enum sp_ext_set {
    SP_SET_NONE,
    SP_SET_GLSL,
    SP_SET_NONSEMANTIC,
    SP_SET_AMD_BALLOT,
    SP_SET_AMD_TRINARY,
    SP_SET_AMD_GCN,
    SP_SET_AMD_VERTEX
};

/* --- control flow --- */

/* Where control can go on: sp_function.c. */
struct sp_place;

struct sp_block {
    uint32_t id;
    uint32_t at, first, end; /* of OpLabel, of what follows it, of the terminator */
    uint32_t merge, cont;    /* labels, 0 */
    uint32_t control;        /* the mask of the merge instruction */
    bool loop;               /* OpLoopMerge */
    uint32_t *succs;         /* block indices, each once */
    uint32_t num_succs;
    uint32_t *preds;
    uint32_t num_preds; /* of edges that run forward, from blocks that are reached */
    uint32_t order;     /* in reverse postorder; SP_NONE: not reached */
    uint32_t idom;      /* block index */
    uint32_t dom_pre, dom_post;
    uint32_t *joins; /* blocks placed after this one, in reverse postorder */
    uint32_t num_joins;
    uint32_t attached_to; /* loop header (block index) that places it, SP_NONE */
    bool emitted;
    uint32_t mark;          /* of who is looking for blocks that it has seen: see add_succ */
    uint32_t first_case;    /* of the switch that is being emitted: where its literals' list starts, 0: none */
    struct sp_place *place; /* while it is a target */
};

struct sp_function {
    uint32_t id;
    struct sp_type *type, *result;
    uint32_t at, end;
    uint32_t *params;
    uint32_t num_params;
    struct sp_block *blocks;
    uint32_t num_blocks;
    uint32_t *order; /* reverse postorder of what is reached */
    uint32_t num_order;
    uint32_t *calls; /* ids of the functions that it calls, one for each call */
    uint32_t num_calls;
    uint64_t expanded_words; /* with its calls */
    bool active;             /* being expanded: a call of it would be recursion */
    bool analysed;
};

struct sp_emit; /* sp_place.h */

/* --- the translation --- */

struct sp_return;

#define SP_CONST_CACHE 64

struct sp {
    const uint32_t *words;
    uint32_t count;
    const struct spirv_options *options;
    struct spirv_error *error_out; /* may be NULL */
    struct arena arena;
    struct ir_failure failure;
    struct ir_shader *shader;
    struct ir_builder b;
    uint32_t at; /* the instruction being read: what an error names */
    uint32_t version;
    uint32_t bound;
    struct sp_id **ids;
    uint32_t budget;
    bool deep, wants_deep; /* the stack is a deep one; it should be */

    uint32_t addressing, memory_model;
    uint32_t execution_model;
    uint32_t entry_id;
    const uint32_t *interface;
    uint32_t num_interface;
    uint32_t workgroup_size_constant; /* id decorated with BuiltIn WorkgroupSize */

    struct sp_function *functions;
    uint32_t num_functions, max_functions;
    struct sp_function *parsing; /* the function whose body the first pass is in */
    struct sp_variable **variables;
    uint32_t num_variables, max_variables;
    struct sp_function *entry;

    struct sp_function *function; /* being expanded */
    struct sp_emit *emit;
    struct sp_place *return_place, *end_place;
    struct sp_return *returning;
    struct map64 spilled;  /* struct ir_value * → struct ir_var * */
    struct map64 phi_ways; /* id of a phi of many ways << 32 | label → operand; with label 0: it is here */
    struct map64 phi_vars; /* id of a phi → struct sp_phi_var * */

    struct {
        struct ir_block *block;
        uint64_t value;
        uint8_t bits;
        struct ir_value *def;
    } consts[SP_CONST_CACHE];

    uint32_t shared_used_B;
    bool explicit_shared;
    bool gathers_at_levels; /* capability ImageGatherBiasLodAMD */
    bool captures;          /* execution mode Xfb */
    bool captures_known;    /* of the stream in hand */
    struct {
        bool is_set;
        uint32_t mode;
    } fast_math[3];  /* execution mode FPFastMathDefault: by width of floats, 16, 32 and 64 bits */
    uint32_t stream; /* whose outputs are stored */
    uint32_t streams_emitted;
    struct sp_early_store *early_stores; /* sp_io.c */
    struct sp_variable *attributes;      /* of the hits of an intersection shader */
};

_Noreturn void sp_fail(struct sp *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *sp_alloc(struct sp *s, size_t count, size_t size_B); /* zeroed; never NULL */
#define sp_new(s, type) ((type *)sp_alloc((s), 1, sizeof(type)))
#define sp_new_array(s, type, count) ((type *)sp_alloc((s), (count), sizeof(type)))
/* So much work is done on behalf of the module; a module that asks for too much is refused. */
void sp_spend(struct sp *s, uint64_t scalars);

/* --- sp_module.c --- */
void sp_read_instr(struct sp *s, uint32_t at, struct sp_instr *out);
uint32_t sp_op(struct sp *s, const struct sp_instr *in, uint32_t i); /* operand word; fails where there is none */
const struct sp_op_info *sp_op_info_of(uint32_t opcode);
void sp_parse_module(struct sp *s);
struct sp_id *sp_id(struct sp *s, uint32_t id);
struct sp_id *sp_define(struct sp *s, uint32_t id, enum sp_what what);
const char *sp_id_name(struct sp *s, uint32_t id);

/* --- sp_calls.c --- */
void sp_note_call(struct sp *s, struct sp_function *function, uint32_t callee);
void sp_check_calls(struct sp *s); /* refuses what cannot be expanded */

/* --- sp_grammar.c --- */
void sp_check_operands(struct sp *s, const struct sp_instr *in);

/* --- sp_decoration.c --- */
const struct sp_decoration *sp_find_decoration(struct sp *s, uint32_t id, uint32_t member, uint32_t kind);
bool sp_has_decoration(struct sp *s, uint32_t id, uint32_t member, uint32_t kind);
/* First literal of a decoration, or `otherwise`. */
uint32_t sp_decoration_value(struct sp *s, uint32_t id, uint32_t member, uint32_t kind, uint32_t otherwise);
uint32_t sp_access_of(struct sp *s, uint32_t id, uint32_t member);

/* --- sp_type.c --- */
struct sp_type *sp_type(struct sp *s, uint32_t id);
struct sp_type *sp_scalar_type(struct sp_type *type); /* component of a vector or matrix, or itself */
/* Width of scalar `i` of a value of the type. */
uint8_t sp_bits_of_scalar(struct sp *s, const struct sp_type *type, uint32_t i);
uint32_t sp_explicit_size(const struct sp_type *type); /* of a value in memory by its decorations, without tail */
uint32_t sp_locations(const struct sp_type *type);
bool sp_is_numeric(const struct sp_type *type); /* scalar or vector of bool, int, float */

/* --- sp_constant.c --- */
struct sp_constant *sp_constant(struct sp *s, uint32_t id);
bool sp_is_constant(struct sp *s, uint32_t id);
uint64_t sp_constant_bits(const struct sp_constant *constant, uint32_t i);
uint32_t sp_constant_u32(struct sp *s, uint32_t id); /* an integer constant */

/* --- sp_value.c --- */
struct sp_value *sp_value(struct sp *s, uint32_t id); /* fails where the id is none */
/* Scalars that may be used here: constants made, values of closed regions brought through variables. */
struct ir_value **sp_read(struct sp *s, uint32_t id);
struct ir_value *sp_read_scalar(struct sp *s, uint32_t id); /* of a scalar type */
struct ir_value *sp_usable(struct sp *s, struct ir_value *value);
struct sp_type *sp_type_of(struct sp *s, uint32_t id);
struct sp_value *sp_new_value(struct sp *s, struct sp_type *type); /* with room for the scalars */
struct sp_value *sp_set_value(struct sp *s, const struct sp_instr *in, struct ir_value **c);
struct sp_value *sp_result(struct sp *s, const struct sp_instr *in); /* new value of the result's type, defined */
void sp_set_scalar(struct sp *s, const struct sp_instr *in, struct ir_value *value);
void sp_set_pointer(struct sp *s, const struct sp_instr *in, struct sp_ptr *ptr);
/* From and to one IR vector. */
void sp_set_vector(struct sp *s, const struct sp_instr *in, struct ir_value *vector);
struct ir_value *sp_read_vector(struct sp *s, uint32_t id);
struct ir_value *sp_imm(struct sp *s, uint8_t bits, uint64_t value); /* a constant, shared within a block */
struct ir_value *sp_imm_f(struct sp *s, uint8_t bits, double value);
struct ir_value *sp_undef(struct sp *s, uint8_t bits);
struct ir_value *sp_to_bits(struct sp *s, struct ir_value *value, uint8_t bits, bool is_signed); /* integer resize */
struct ir_value *sp_add(struct sp *s, struct ir_value *a, struct ir_value *b); /* integers; either may be NULL */
struct ir_value *sp_scale(struct sp *s, struct ir_value *a, uint64_t factor);

/* --- sp_pointer.c --- */
struct sp_ptr *sp_pointer(struct sp *s, uint32_t id); /* of an id that is a pointer */
struct sp_ptr *sp_pointer_from_scalars(struct sp *s, struct sp_type *type, struct ir_value **c);
void sp_pointer_to_scalars(struct sp *s, const struct sp_ptr *ptr, struct sp_type *type, struct ir_value **out);
struct sp_ptr *sp_variable_pointer(struct sp *s, struct sp_variable *variable);
struct sp_ptr *sp_ptr_member(struct sp *s, const struct sp_ptr *ptr, uint32_t member);
/* Element `number`, or `index` where it is not NULL. */
struct sp_ptr *sp_ptr_element(struct sp *s, const struct sp_ptr *ptr, struct ir_value *index, int64_t number);
struct ir_value *sp_ptr_index(struct sp *s, const struct sp_ptr *ptr, uint32_t scale,
                              uint32_t more);                       /* (first + index) × scale + more */
struct ir_value *sp_handle(struct sp *s, const struct sp_ptr *ptr); /* of a RESOURCE pointer */
enum ir_resource_kind sp_resource_kind(struct sp *s, const struct sp_variable *variable);

/* --- sp_memory.c --- */
void sp_load(struct sp *s, const struct sp_ptr *ptr, struct ir_value **out);
void sp_store(struct sp *s, const struct sp_ptr *ptr, struct ir_value *const *values);

/* --- sp_variable.c --- */
struct sp_node *sp_make_node(struct sp *s, struct sp_type *type, uint32_t count, const char *name);
void sp_setup_variables(struct sp *s);
void sp_use_variable(struct sp *s, struct sp_variable *variable);
void sp_note_access(struct sp *s, struct sp_variable *variable, bool read, bool written, bool atomic, bool nonuniform);

/* --- sp_io.c --- */
struct sp_io {
    struct sp_variable *variable;
    struct sp_type *type; /* without the vertex dimension */
    bool input, arrayed, patch, block;
    uint32_t location; /* IR location; SP_NONE: a system value */
    uint32_t component;
    uint32_t dual_index;
    uint32_t builtin; /* SP_NONE */
    enum ir_interp interp;
    bool centroid, sample, per_vertex, per_primitive;
    struct sp_io *members; /* of a block */
    bool listed;
    bool captured;   /* by transform feedback */
    uint32_t stream; /* of a geometry shader */
    uint32_t xfb_buffer, xfb_offset_B;
};
void sp_setup_io(struct sp *s, struct sp_variable *variable);
void sp_load_io(struct sp *s, const struct sp_ptr *ptr, struct ir_value **out);
void sp_store_io(struct sp *s, const struct sp_ptr *ptr, struct ir_value *const *values);
void sp_store_outputs(struct sp *s); /* at the end, or before a vertex is emitted */
void sp_finish_io(struct sp *s);
/* Outputs that other invocations see: they are stored at once. */
static inline bool sp_has_shared_outputs(const struct sp *s)
{
    return s->shader->stage == IR_STAGE_tess_control || s->shader->stage == IR_STAGE_mesh;
}
struct ir_value *sp_load_interpolated(struct sp *s, const struct sp_ptr *ptr, struct ir_value *bary);

/* --- sp_ray.c: queries as values --- */
void sp_load_query(struct sp *s, const struct sp_instr *in, const struct sp_ptr *from);
void sp_store_query(struct sp *s, const struct sp_ptr *to, uint32_t id);
void sp_copy_query(struct sp *s, const struct sp_ptr *to, const struct sp_ptr *from);

/* --- sp_mesh.c --- */
bool sp_mesh_mode(struct sp *s, uint32_t mode, uint32_t number); /* false: no mode of mesh shaders */
void sp_emit_mesh_tasks(struct sp *s, const struct sp_instr *in);
/* The payload's value in a task shader's memory, or as it was left for a mesh shader. */
struct ir_value *sp_load_payload(struct sp *s, uint8_t bits, uint8_t comps, struct ir_value *offset, uint32_t base_B,
                                 uint32_t align_B, uint32_t align_offset_B);

/* --- sp_ray.c --- */
/* Operand `i`, which is of 32 bits and of that kind: a scalar, or a vector of so many. */
struct ir_value **sp_read_as(struct sp *s, const struct sp_instr *in, uint32_t i, enum sp_kind kind, uint32_t count);

/* --- sp_trace.c --- */
bool sp_is_ray_storage(uint32_t storage);
void sp_setup_ray_variable(struct sp *s, struct sp_variable *variable);
void sp_place_ray_variable(struct sp *s, struct sp_variable *variable);
struct ir_value *sp_load_ray(struct sp *s, const struct sp_ptr *ptr, uint8_t bits, uint8_t comps, uint32_t align_B,
                             uint32_t align_offset_B);
void sp_store_ray(struct sp *s, const struct sp_ptr *ptr, struct ir_value *value, uint32_t align_B,
                  uint32_t align_offset_B);
void sp_judge_hit(struct sp *s, const struct sp_instr *in);
bool sp_is_hit_builtin(const struct sp *s, uint32_t builtin);
uint32_t sp_load_hit_builtin(struct sp *s, uint32_t builtin, struct ir_value *out[12]); /* the components' count */

/* --- sp_builtin.c --- */
struct ir_value *sp_sysval(struct sp *s, enum ir_sysval sysval, uint8_t bits, uint8_t comps);
static inline bool sp_has_wide_subgroups(const struct sp *s)
{
    return s->options->max_subgroup_size > 64;
}
/* A value of the built-in as the type wants it; weights of corners are those at `mode`. */
void sp_load_builtin(struct sp *s, uint32_t builtin, enum ir_bary_mode mode, struct sp_type *type,
                     struct ir_value **out);
bool sp_is_bary_coord(uint32_t builtin);
/* The weights of three corners, in the order of the API, by the rasteriser's pair. */
void sp_corner_weights(struct sp *s, struct ir_value *bary, struct ir_value **out);
bool sp_builtin_is_sysval(struct sp *s, uint32_t builtin, bool input);
uint32_t sp_builtin_location(struct sp *s, uint32_t builtin); /* SP_NONE: none */

/* --- sp_cfg.c --- */
void sp_analyse_function(struct sp *s, struct sp_function *function);

/* --- sp_phi.c --- */
void sp_store_phis(struct sp *s, const struct sp_block *block); /* of its successors, at its end */

/* --- sp_place.c --- */
void sp_end_where(struct sp *s, struct ir_value *condition); /* the invocation's end, in the middle of a block */

/* --- sp_function.c --- */
void sp_translate(struct sp *s);

/* --- sp_alu.c --- */
uint32_t sp_float_flags(struct sp *s, uint32_t result_id, uint32_t widths);
struct ir_value *sp_alu1(struct sp *s, enum ir_op op, struct ir_value *x);
/* With denormals flushed where the shader asks for it: for what only changes a sign. */
struct ir_value *sp_flushed(struct sp *s, struct ir_value *x);
struct ir_value *sp_fsub(struct sp *s, struct ir_value *x, struct ir_value *y);
struct ir_value *sp_dot(struct sp *s, struct ir_value **x, struct ir_value **y, uint32_t count);

/* --- sp_composite.c --- */
struct ir_value *sp_dynamic_element(struct sp *s, struct ir_value **c, uint32_t count, struct ir_value *index);

/* --- sp_image.c --- */
enum {
    SP_TEX_DREF = 1,
    SP_TEX_PROJ = 2,
    SP_TEX_DREF_PROJ = 3,
    SP_TEX_SPARSE = 4, /* a residency code before the texel */
    SP_TEX_SPARSE_DREF = 5,
};
enum ir_dim sp_image_dim(struct sp *s, const struct sp_type *image);
uint32_t sp_image_format(const struct sp_type *image); /* a VkFormat; 0: unknown */

/* --- sp_glsl.c, sp_glsl_math.c, sp_glsl_vector.c: `in` is the OpExtInst, its operands begin at ops[2] --- */
struct ir_value *sp_math_tan(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_asin(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_acos(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_atan(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_atan2(struct sp *s, struct ir_value *y, struct ir_value *x);
struct ir_value *sp_math_sinh(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_cosh(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_tanh(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_asinh(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_acosh(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_atanh(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_pow(struct sp *s, struct ir_value *x, struct ir_value *y);
struct ir_value *sp_math_exp(struct sp *s, struct ir_value *x);
struct ir_value *sp_math_log(struct sp *s, struct ir_value *x);
bool sp_glsl_vector(struct sp *s, const struct sp_instr *in, uint32_t op); /* false: not one of these */
bool sp_glsl_pack(struct sp *s, const struct sp_instr *in, uint32_t op);

/* --- sp_barrier.c --- */
void sp_emit_barrier(struct sp *s, uint32_t scope, uint32_t semantics, bool execution);
uint32_t sp_scope_access(struct sp *s, uint32_t scope);

#endif
