/* The interpreter's state, which its files share. */
#ifndef COMPILER_IR_IR_INTERPRET_INTERNAL_H
#define COMPILER_IR_IR_INTERPRET_INTERNAL_H

#include "util/hash.h"
#include "util/map.h"

#include "compiler/ir/ir_interpret.h"

#define MAX_WAVES 64

/* A set of lanes: bit i of word w is lane w * wave_size + i. */
struct lanes {
    uint64_t wave[MAX_WAVES];
};

/* Doubts about a value. */
enum doubt {
    DOUBT_UNDEF = 1 << 0, /* anything */
    DOUBT_NAN = 1 << 1,   /* some NaN: which one is not said */
    DOUBT_BITS = 1 << 2,  /* made of the bits of such a NaN */
};

/* A value in every lane: [comp * num_lanes + lane]. */
struct cell {
    uint64_t *data; /* zero-extended */
    uint8_t *doubt; /* enum doubt */
};

struct variable {
    const struct ir_var *var;
    uint64_t *data; /* [element * num_lanes + lane] */
    uint8_t *doubt;
};

struct loop_state {
    struct lanes broke, continued;
};

/* The state of a shader that runs: a function that is called has its own. */
struct interp_running {
    struct cell *cells;                /* by value index */
    const struct ir_block **came_from; /* by lane: the block whose end it left last */
    struct variable *variables;        /* by the immediate `var` */
    uint32_t num_variables;
};

struct interpreter {
    struct ir_shader *shader;
    const struct ir_interpret_options *options;
    struct ir_interpret_result *result;
    uint32_t num_lanes, wave_size, num_waves;
    uint64_t max_steps, clock;
    struct interp_running running;
    bool *helper;              /* by lane: demoted */
    uint8_t *shared, *scratch; /* scratch: one lane after the other */
    uint8_t *stack;            /* the same, of interp_wants_stack: private memory is a part of it */
    uint32_t stack_size_B, frame_B; /* of a lane; where the frame of the shader that runs begins */
    struct map64 memory;       /* words of made-up memory that were written, by hashed place */
    struct map64 memory_start; /* what stood there before */
    struct map64 outputs;      /* by hashed place: index in the list */
    struct ir_interpret_output *output_list;
    uint32_t num_outputs, max_outputs;
    uint64_t trace; /* of vertices emitted, in order */
    jmp_buf stop;
};

_Noreturn void interp_stop(struct interpreter *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *interp_alloc(struct interpreter *in, size_t count, size_t size_B);

static inline uint64_t *interp_data(const struct interpreter *in, const struct ir_value *value, uint32_t comp)
{
    return in->running.cells[value->index].data + (size_t)comp * in->num_lanes;
}

static inline uint8_t *interp_doubt(const struct interpreter *in, const struct ir_value *value, uint32_t comp)
{
    return in->running.cells[value->index].doubt + (size_t)comp * in->num_lanes;
}

/* The doubts of all components together. */
static inline uint8_t interp_doubts(const struct interpreter *in, const struct ir_value *value, uint32_t lane)
{
    uint8_t doubt = 0;
    for (uint32_t comp = 0; comp < value->comps; comp++)
        doubt |= interp_doubt(in, value, comp)[lane];
    return doubt;
}

/* Something is done that can be seen or that decides what happens, with a value of this doubt. */
static inline void interp_seen(struct interpreter *in, uint8_t doubt)
{
    in->result->used_undef |= (doubt & DOUBT_UNDEF) != 0;
    in->result->used_nan |= (doubt & (DOUBT_NAN | DOUBT_BITS)) != 0;
}

/* The doubt about the result of an operation that looks at bits. */
static inline uint8_t interp_bits_doubt(uint8_t doubt)
{
    return doubt & DOUBT_NAN ? (uint8_t)((doubt & ~DOUBT_NAN) | DOUBT_BITS) : doubt;
}

/* The doubt about a float operation's result: a NaN is a NaN, whichever it was. */
uint8_t interp_float_doubt(uint8_t doubt, uint64_t result, uint8_t bits);

static inline uint64_t interp_src(const struct interpreter *in, const struct ir_instr *instr, uint32_t i, uint32_t lane)
{
    return interp_data(in, ir_src(instr, i), 0)[lane];
}

/* An operand whose value decides what happens: where it is undefined, so is the run. */
static inline uint64_t interp_decisive(struct interpreter *in, const struct ir_instr *instr, uint32_t i, uint32_t lane)
{
    interp_seen(in, interp_doubt(in, ir_src(instr, i), 0)[lane]);
    return interp_src(in, instr, i, lane);
}

static inline uint64_t interp_mix(uint64_t a, uint64_t b)
{
    return hash_u64(a * 0x9e3779b97f4a7c15ull + b + 0x632be59bd9b4e019ull);
}

#define foreach_lane(in, mask, lane)                                                                                   \
    for (uint32_t lane##_wave = 0; lane##_wave < (in)->num_waves; lane##_wave++)                                       \
        for (uint64_t lane##_left = (mask)->wave[lane##_wave]; lane##_left; lane##_left &= lane##_left - 1)            \
            for (uint32_t lane = lane##_wave * (in)->wave_size + (uint32_t)__builtin_ctzll(lane##_left),               \
                          lane##_once = 1;                                                                             \
                 lane##_once; lane##_once = 0)

/* Names of made-up things: no two kinds share a place. */
enum interp_space {
    SPACE_BUFFER = 1,
    SPACE_GLOBAL,
    SPACE_PUSH,
    SPACE_IMAGE,
    SPACE_INPUT,
    SPACE_OUTPUT,
    SPACE_SYSVAL,
    SPACE_OTHER,
    SPACE_SIZE
};

/* A word of the made-up world: mostly numbers that programs meet. */
uint64_t interp_word(const struct interpreter *in, uint64_t place, unsigned bits);

uint64_t interp_sparse_get(const struct interpreter *in, uint64_t place, unsigned bits);
void interp_sparse_set(struct interpreter *in, uint64_t place, unsigned bits, uint64_t value);

/* A handle is INTERP_HANDLE_BASE and the number of a buffer of the caller, or any words, whose hash names a made-up
 * one. */
#define INTERP_HANDLE_BASE 0x7e000000u
uint64_t interp_handle_name(const struct interpreter *in, const struct ir_value *handle, uint32_t lane);
uint64_t interp_buffer_size(struct interpreter *in, const struct ir_value *handle,
                            uint32_t lane); /* UINT64_MAX: made up */
uint64_t interp_atomic(struct interpreter *in, const struct ir_instr *instr, uint8_t bits, uint64_t old,
                       uint64_t value);

/* Scalar arithmetic by the folder; stops the run where the row has no expression. */
uint64_t interp_alu(struct interpreter *in, enum ir_op op, uint8_t bits, uint64_t a, uint64_t b);

/* Each returns whether the operation was one of its own. */
bool interp_memory(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask);
bool interp_io(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask);
bool interp_lanes(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask);
bool interp_calls(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask);

/* Room for the values and variables of in->shader, and its instructions, in these lanes. */
void interp_begin_shader(struct interpreter *in);
void interp_run_body(struct interpreter *in, struct lanes *mask);
/* Whether a shader is about functions: then its private memory is a part of the stack. */
bool interp_wants_stack(const struct ir_shader *shader);
/* Bytes of a frame before private memory; where the frame of what is called begins. */
uint32_t interp_frame_args_B(const struct ir_shader *shader);
uint32_t interp_next_frame_B(const struct interpreter *in);

/* The digest of made-up memory that differs from what it was, and the outputs of lanes that are not helpers. */
uint64_t interp_memory_digest(const struct interpreter *in);

#endif
