/* The intermediate representation that every shader passes through: SSA values in structured control flow.
 *
 *   shader ─ body region ─ block, if, block, loop, block, …        (a region begins and ends with a block)
 *                                   │   └ body region, continue region
 *                                   └ then region, else region
 *
 * - A value has a width in bits (1, 8, 16, 32, 64) and a number of components, and no other type: whether 32 bits are
 *   an integer or a float is said by the operation that reads them. Arithmetic is on scalars (or on two packed 16-bit
 *   halves); vectors exist where hardware moves them whole: memory, image and input/output operations, `vec` and
 *   `extract`.
 * - There is one function. The front end expands calls, because a logical pointer cannot be a value.
 * - ops.table lists the operations; ir_ops.h with the builders, the folder, the printer's names and the properties is
 *   generated from it.
 *
 * Memory comes from the shader's arena. An allocation that fails, or an error that a pass cannot go on from, leaves
 * through ir_guard: no caller in between checks for NULL, and none may hold memory outside the two arenas across a call
 * that builds IR. */
#ifndef COMPILER_IR_IR_H
#define COMPILER_IR_IR_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/list.h"

#include "compiler/ir/ir_enums.h"
#include "compiler/ir/ir_opcodes.h" /* generated: enum ir_op, enum ir_imm_kind, struct ir_op_info ir_op_infos[] */

#define IR_MAX_COMPS 16
#define IR_MAX_IMMS 6

struct ir_block;
struct ir_instr;
struct ir_node;
struct ir_region;
struct ir_shader;

/* The definition of an instruction. It lives inside its instruction. */
struct ir_value {
    struct list uses;  /* of ir_use.link; order means nothing */
    uint32_t index;    /* dense after ir_index(); otherwise unique in the shader */
    uint8_t bits;      /* 0: the instruction defines nothing */
    uint8_t comps;
    bool divergent;    /* set by ir_analyse_divergence; meaningless before */
    uint8_t pass_flags; /* scratch of whichever pass is running */
};

/* One operand. Its reader is an instruction or the condition of an if. */
struct ir_use {
    struct list link;
    struct ir_value *value;
    struct ir_instr *instr; /* NULL where `node` reads it */
    struct ir_node *node;
};

struct ir_instr {
    struct list link; /* in ir_block.instrs */
    struct ir_block *block;
    uint16_t op; /* enum ir_op */
    uint32_t num_srcs;
    uint32_t flags; /* IR_FLAG_* */
    uint32_t pass_flags;
    uint32_t imm[IR_MAX_IMMS]; /* named by the operation's row: ir_imm(instr, IR_IMM_ALIGN) */
    struct ir_value def;
    struct ir_block **preds;   /* of a phi: source i comes from preds[i] */
    struct ir_use *srcs;       /* num_srcs of them */
};

/* How far arithmetic may be changed. */
enum {
    IR_FLAG_EXACT = 1 << 0,      /* NoContraction: no fusing and no reassociation */
    IR_FLAG_NSZ = 1 << 1,        /* the sign of zero does not matter */
    IR_FLAG_NAN_INF = 1 << 2,    /* NaN and infinity must be preserved (float controls) */
    IR_FLAG_NUW = 1 << 3,        /* no unsigned wrap */
    IR_FLAG_NSW = 1 << 4,        /* no signed wrap */
    IR_FLAG_RELAXED = 1 << 5,    /* RelaxedPrecision: 16 bits are enough */
    IR_FLAG_NONUNIFORM = 1 << 6, /* the descriptor index of this access may differ between lanes */
};

enum ir_node_kind { IR_BLOCK, IR_IF, IR_LOOP };

struct ir_node {
    struct list link; /* in ir_region.nodes */
    struct ir_region *region;
    enum ir_node_kind kind;
};

/* Node list with the invariant: block (if|loop block)*. */
struct ir_region {
    struct list nodes;
    struct ir_node *owner; /* the if or loop; NULL for the shader's body */
    struct ir_loop *loop;  /* the innermost around it, as ir_note_loops has found; NULL: none */
};

/* Straight code. Phis first. A jump (break, continue) is the last instruction; after a jump the region ends: what
 * follows a jump is unreachable and the validator refuses it. A block that nothing reaches (after an if whose branches
 * both jump, after a loop without break, a cont that no path reaches) is empty and the last of its region; it counts
 * as no block's predecessor. */
struct ir_block {
    struct ir_node node;
    struct list instrs;
    uint32_t index; /* program order after ir_index() */
    /* Filled by ir_build_cfg(), stale after any change of control flow. */
    struct ir_block **preds; /* reachable ones only: a block that nothing reaches has no edges */
    uint32_t num_preds, max_preds;
    struct ir_block *succs[2]; /* of an if's head: then, else */
    struct ir_block *idom;
    uint32_t dom_pre, dom_post;   /* interval of the dominator tree: a dominates b when b's lies inside a's */
    uint32_t loop_depth;
    bool reachable;
    struct ir_block *copy; /* scratch of ir_clone_region */
};

struct ir_if {
    struct ir_node node;
    struct ir_use condition; /* 1 bit */
    struct ir_region then_region, else_region;
    bool flatten, dont_flatten; /* the program's hints */
};

/* Runs `body`, then `cont`, then `body` again, until a break. `continue` in the body goes to `cont`; a break may stand
 * in either. A body whose end is not reached and that has no continue leaves no back edge: then the loop is a block
 * that can be left early. */
struct ir_loop {
    struct ir_node node;
    struct ir_region body, cont;
    bool unroll, dont_unroll;
    uint32_t number, last;          /* by ir_note_loops: those in it have the numbers after its own up to `last` */
    bool differs, continue_differs; /* lanes leave it, or a turn, at different times: as far as ir_analyse_divergence knows */
};

/* A variable of the function or of the invocation: an array of `length` scalars of `bits`. Structures were taken apart
 * and vectors and matrices laid out as array dimensions by the front end, so that an access is one index. */
struct ir_var {
    struct list link; /* in ir_shader.vars */
    const char *name; /* may be NULL */
    uint32_t index;
    uint32_t length;
    uint8_t bits;
    uint32_t scratch_offset_B; /* where lower_vars_to_scratch put it */
    bool is_in_registers;      /* the back end has registers that it can index: it is not put into private memory */
};

struct ir_float_controls {
    /* by width: [0] 16, [1] 32, [2] 64 bits */
    bool denorm_preserve[3], denorm_flush[3], signed_zero_inf_nan[3], round_even[3], round_zero[3];
};

/* One input or output of a stage, component by component: what linking and the back end need to know of it. */
struct ir_io_var {
    const char *name;
    uint16_t location;  /* enum ir_location: built-ins first, then IR_LOCATION_VAR0 + n */
    uint8_t component;  /* first one */
    uint8_t num_comps;
    uint8_t bits;
    uint16_t num_locations; /* of an array or matrix */
    uint8_t dual_index;     /* fragment outputs: the Index decoration */
    enum ir_base base;      /* what a vertex or colour format must match */
    enum ir_interp interp;
    bool centroid, sample, per_vertex, per_primitive, patch;
};

/* Components of an output that transform feedback writes to a buffer, one after the other. */
struct ir_capture {
    uint16_t location; /* enum ir_location or IR_LOCATION_VAR0 + n */
    uint8_t component; /* first one: as store_output counts them, a 64-bit one is two */
    uint8_t num_comps;
    uint8_t bits;
    uint8_t buffer;
    uint16_t offset_B; /* in the buffer's vertex */
};
#define IR_XFB_BUFFERS 4

/* A resource named by set and binding, so that layouts can be made without reading the code again. */
struct ir_resource {
    uint32_t set, binding;
    uint32_t count; /* array length; 0: run-time sized */
    enum ir_resource_kind kind;
    bool written, read, atomics, nonuniform;
    uint32_t input; /* of input attachments: the first one's number in the subpass, plus one; 0: it is none */
};

struct ir_shader {
    struct arena arena;   /* everything that lives as long as the shader */
    struct arena scratch; /* what a pass allocates for itself; emptied by ir_run_pass */
    enum ir_stage stage;
    /* what the machine has: target.h; ir_target_generic until a back end takes the shader */
    const struct ir_target *target;
    const char *name;

    struct ir_region body;
    struct list vars;
    uint32_t num_vars, num_values, num_blocks;
    uint32_t num_instrs_made; /* against IR_MAX_INSTRS: a small module may not grow without bound */
    bool cfg_valid, divergence_valid;

    struct ir_io_var *inputs, *outputs;
    uint32_t num_inputs, num_outputs;
    struct ir_resource *resources;
    uint32_t num_resources;
    struct ir_capture *captures; /* of the last stage before the rasteriser */
    uint32_t num_captures;
    uint16_t xfb_stride_B[IR_XFB_BUFFERS];

    struct ir_float_controls floats;
    uint32_t shared_size_B;
    uint32_t payload_B;        /* of a task shader: where in shared memory lies what its mesh shaders read */
    uint32_t payload_size_B;   /* of task and mesh shaders */
    uint32_t scratch_size_B;
    uint32_t push_size_B;      /* bytes of push constants that the code can reach */
    const uint8_t *const_data; /* what load_const_data reads */
    uint32_t const_data_size_B;
    uint32_t workgroup_size[3];
    uint32_t subgroup_size;    /* demanded; 0: the driver chooses */
    bool full_subgroups;
    bool uses_subgroup_ops;
    bool uses_derivatives;     /* also quads: helper lanes must run */
    uint8_t derivative_group;  /* compute: 0 none, 1 quads, 2 linear */
    uint64_t sysvals_read;     /* by enum ir_sysval */
    struct {
        bool early_tests, post_depth_coverage, origin_upper_left, pixel_center_integer;
        bool writes_depth, writes_stencil, writes_mask, uses_demote, sample_shading, writes_memory;
        enum ir_depth_layout depth_layout;
    } fs;
    struct {
        bool writes_point_size, writes_layer, writes_viewport;
        uint8_t clip_distances, cull_distances; /* how many of each */
    } vs;
    struct { /* geometry, tessellation and mesh */
        uint32_t vertices_in, vertices_out, invocations;
        uint32_t primitives_out; /* of a mesh shader, at most */
        enum ir_primitive input, output;
        bool point_mode, ccw;
        uint8_t spacing; /* 0 equal, 1 fractional even, 2 fractional odd */
    } gs;

    struct ir_failure *failure; /* see ir_guard */
};

#define IR_MAX_INSTRS (4u << 20)

/* Errors. `ir_guard(shader, failure)` is setjmp: 0 the first time; not 0 when something below it failed, with
 * failure->text. */
struct ir_failure {
    jmp_buf jump;
    char text[256];
    bool out_of_memory;
};
/* Shaders whose regions nest deeper than this are worked on with a stack of their own (util/deep_stack.h): passes call
 * themselves for the regions in a region. */
#define IR_SHALLOW 64
uint32_t ir_depth(const struct ir_shader *shader); /* how deep its regions nest */
#define ir_guard(shader, fail) ((shader)->failure = (fail), setjmp((fail)->jump))
_Noreturn void ir_fail(struct ir_shader *shader, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct ir_shader *ir_shader_create(enum ir_stage stage); /* NULL without memory */
void ir_shader_destroy(struct ir_shader *shader);
struct ir_shader *ir_shader_clone(const struct ir_shader *shader);
void *ir_alloc(struct ir_shader *shader, size_t size_B);         /* zeroed, from the arena; never NULL */
void *ir_alloc_scratch(struct ir_shader *shader, size_t size_B); /* zeroed, gone after the pass */
char *ir_strdup(struct ir_shader *shader, const char *text);     /* NULL of NULL */
struct ir_var *ir_var_create(struct ir_shader *shader, uint8_t bits, uint32_t length, const char *name);
/* the immediate `var`; NULL: none such */
struct ir_var *ir_var_by_index(const struct ir_shader *shader, uint32_t index);

/* Whether invocations share memory and wait for each other. */
static inline bool ir_has_workgroup(const struct ir_shader *shader)
{
    return shader->stage == IR_STAGE_compute || shader->stage == IR_STAGE_task || shader->stage == IR_STAGE_mesh;
}

/* Whether it is called by another shader and returns to it: the stages of ray tracing. */
static inline bool ir_is_function(const struct ir_shader *shader)
{
    return shader->stage >= IR_STAGE_raygen;
}
/* At the start of every frame: what caller and callee hand over (load_incoming, store_outgoing, …). */
#define IR_FRAME_ARGS_B 128u
/* A hit's own bytes, at most: Vulkan's maxRayHitAttributeSize is not less. */
#define IR_MAX_ATTRIBUTES_B 32u

/* --- reading --- */

static inline struct ir_instr *ir_def_instr(const struct ir_value *value)
{
    return container_of(value, struct ir_instr, def);
}
static inline const struct ir_op_info *ir_info(const struct ir_instr *instr)
{
    return &ir_op_infos[instr->op];
}
/* An operation on a ray query, which is an element of the variable that its immediate `query` names. */
static inline bool ir_names_query(const struct ir_instr *instr)
{
    return ir_info(instr)->imm_slot[IR_IMM_QUERY] >= 0;
}
/* Instructions that only a machine that traces rays can run: queries, and values of the stages of rays. */
static inline bool ir_needs_rays(const struct ir_instr *instr)
{
    return ir_names_query(instr) || ((ir_info(instr)->reads | ir_info(instr)->writes) & IR_TOUCH_RAY);
}
/* Besides: one that reads an element of the variable that its immediate `source` names. */
static inline bool ir_copies_query(const struct ir_instr *instr)
{
    return ir_info(instr)->imm_slot[IR_IMM_SOURCE] >= 0;
}
static inline struct ir_value *ir_src(const struct ir_instr *instr, uint32_t i)
{
    return instr->srcs[i].value;
}
static inline struct ir_if *ir_node_if(const struct ir_node *node)
{
    return container_of(node, struct ir_if, node);
}
static inline struct ir_loop *ir_node_loop(const struct ir_node *node)
{
    return container_of(node, struct ir_loop, node);
}
static inline struct ir_block *ir_node_block(const struct ir_node *node)
{
    return container_of(node, struct ir_block, node);
}

/* The named immediate of an instruction; the operation must have it. */
uint32_t ir_imm(const struct ir_instr *instr, enum ir_imm_kind kind);
void ir_set_imm(struct ir_instr *instr, enum ir_imm_kind kind, uint32_t value);
bool ir_has_imm(const struct ir_instr *instr, enum ir_imm_kind kind);

bool ir_is_const(const struct ir_value *value);
uint64_t ir_const_u64(const struct ir_value *value); /* zero-extended from the value's width */
int64_t ir_const_i64(const struct ir_value *value);
double ir_const_f64(const struct ir_value *value);   /* read as a float of its width */
bool ir_is_undef(const struct ir_value *value);

/* The value that is component `comp` of `value`, looking through vec. NULL when only an extract would give it. */
struct ir_value *ir_component(const struct ir_value *value, uint32_t comp);

struct ir_block *ir_region_first(const struct ir_region *region);
struct ir_block *ir_region_last(const struct ir_region *region);
struct ir_instr *ir_block_jump(const struct ir_block *block); /* NULL where it falls through */
struct ir_loop *ir_enclosing_loop(const struct ir_node *node);
/* Notes for every region which loop is around it, and for every loop which are in it: good until a region is made. The
 * way up from a node, by contrast, is as long as the control flow is deep. */
void ir_note_loops(struct ir_shader *shader);
/* Whether the place of which `inner` is the innermost loop is in this one; NULL: in none. */
static inline bool ir_loop_has(const struct ir_loop *loop, const struct ir_loop *inner)
{
    return inner && loop->number <= inner->number && inner->number <= loop->last;
}
bool ir_in_cont(const struct ir_loop *loop, const struct ir_node *node);
struct ir_node *ir_node_next(const struct ir_node *node); /* in its region; NULL at the end */
struct ir_node *ir_node_prev(const struct ir_node *node);
/* Whether control can come to the region's end when it comes to its start. Without ir_build_cfg. */
bool ir_region_falls_through(const struct ir_region *region);
/* Where control goes from a block, by structure alone, whether anything reaches the block or not. The count. */
uint32_t ir_block_successors(const struct ir_block *block, struct ir_block *succs_out[2]);

/* Program order. The block after `block`, entering ifs and loops; NULL at the end. */
struct ir_block *ir_next_block(const struct ir_block *block);
#define ir_foreach_block(shader, block)                                                                                \
    for (struct ir_block *block = ir_region_first(&(shader)->body); block; block = ir_next_block(block))
#define ir_foreach_instr(block, instr) list_foreach (&(block)->instrs, struct ir_instr, instr, link)
#define ir_foreach_phi(block, instr)                                                                                   \
    ir_foreach_instr (block, instr)                                                                                    \
        if (instr->op != IR_OP_phi)                                                                                    \
            break;                                                                                                     \
        else
#define ir_foreach_use(value, use) list_foreach (&(value)->uses, struct ir_use, use, link)

/* --- changing --- */

void ir_use_set(struct ir_use *use, struct ir_value *value);
void ir_replace_uses(struct ir_value *from, struct ir_value *to);
/* Take an instruction out and drop its operands; its own value must have no uses left. */
void ir_remove(struct ir_instr *instr);
/* An if or loop goes with everything in it; the two blocks around it become one. The caller first replaces phis after
 * it that are still read; sources that jumps in it gave to phis of loops around it are dropped. */
void ir_remove_node(struct ir_node *node);
/* Take all instructions out of a block and it out of the phis after it: what is left of a block that nothing reaches.
 */
void ir_block_clear(struct ir_block *block);
void ir_phi_add(struct ir_shader *shader, struct ir_instr *phi, struct ir_block *pred, struct ir_value *value);
void ir_phi_remove(struct ir_instr *phi, const struct ir_block *pred); /* its last source takes the place */
struct ir_value *ir_phi_source(const struct ir_instr *phi, const struct ir_block *pred); /* NULL: not a predecessor */
/* A new if or loop with one empty block in each region, not yet in a region. */
struct ir_if *ir_if_create(struct ir_shader *shader, struct ir_value *condition);
struct ir_loop *ir_loop_create(struct ir_shader *shader);
void ir_node_insert_after(struct ir_node *place, struct ir_node *node);
/* Put the nodes of one of its regions where the if or loop was, and remove the rest. Phis after the node become what
 * they get from the kept region's end; where its end is not reached, everything after it in its new place goes. The
 * region must not jump out of the node itself (a loop's break or continue of this loop); jumps of loops around it stay.
 */
void ir_dissolve_node(struct ir_node *node, struct ir_region *kept);
/* Move an instruction to a block's end, before its jump. */
void ir_move_to_end(struct ir_instr *instr, struct ir_block *block);
/* Everything after `after` (NULL: everything but the phis) moves to a new block after it; an if or loop goes between.
 * Phis of the successors follow. */
struct ir_block *ir_split_block(struct ir_shader *shader, struct ir_block *block, struct ir_instr *after);
/* A copy of a region's nodes at the end of another: the first block's instructions but for its phis, which must be in
 * the map, come to the end of `to`'s last block, the other nodes after it. `map` is by value index (NULL entry: the
 * value itself), has an entry for every value that exists before the call and gets those of the copies. Jumps are
 * copied: phis where they lead are the caller's. */
void ir_clone_region(struct ir_shader *shader, const struct ir_region *from, struct ir_region *to, struct ir_value **map);

/* --- analyses --- */

void ir_index(struct ir_shader *shader);     /* dense value and block indices in program order */
void ir_build_cfg(struct ir_shader *shader); /* predecessors, successors, dominators, loop depth; indexes too */
bool ir_dominates(const struct ir_block *a, const struct ir_block *b);
/* The reachable blocks, each after the one that dominates it and before what that one dominates next: an order in which
 * what is known on the way to a block is a stack. In the scratch arena; needs ir_build_cfg. The count is in
 * `count_out`. */
struct ir_block **ir_dominance_order(struct ir_shader *shader, uint32_t *count_out);
void ir_analyse_divergence(struct ir_shader *shader);
/* Whether lanes of the wave may be elsewhere when the others come to the instruction. Needs divergence. */
bool ir_lanes_are_elsewhere(const struct ir_instr *instr);
/* Whether something reads the result behind a loop that lanes leave one after the other. Needs divergence. */
bool ir_read_behind_loop(const struct ir_instr *instr);

/* --- printing, reading back, checking --- */

struct strbuf;
void ir_print(const struct ir_shader *shader, struct strbuf *out);
/* The shader of a text that ir_print wrote (or a person did); NULL with a line and a reason in `error_out`. */
struct ir_shader *ir_parse(const char *text, char error_out[256]);
/* NULL when the shader keeps every rule, otherwise what is wrong and where (in the scratch arena). */
const char *ir_validate(struct ir_shader *shader);

/* The width of a load_sysval. */
uint8_t ir_sysval_bits(enum ir_sysval sysval);

uint8_t ir_ray_value_comps(enum ir_ray_value value);

/* The identity that a reduction starts from. */
uint64_t ir_reduction_identity(enum ir_reduction reduction, uint8_t bits);

/* --- passes --- A pass returns whether it changed anything. ir_run_pass validates afterwards in debug builds, names
 * the pass that broke a rule, prints for TUFF_DEBUG=ir and empties the scratch arena. */
typedef bool (*ir_pass)(struct ir_shader *shader, const void *options);
bool ir_run_pass(struct ir_shader *shader, const char *name, ir_pass pass, const void *options);
#define IR_PASS(shader, pass, options) ir_run_pass((shader), #pass, (pass), (options))

#endif
