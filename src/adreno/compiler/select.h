/* Instruction selection: from the shared IR, lowered for A6xx, to machine IR. What the select_*.c files share.
 *
 * A value of the IR is a list of registers, one for each component of up to 32 bits: components of 64 bits are two full
 * ones, those of 8 and 16 bits are half ones, booleans are full ones that are 0 or 1. Constants become registers only
 * where an instruction cannot take them. */
#ifndef ADRENO_COMPILER_SELECT_H
#define ADRENO_COMPILER_SELECT_H

#include "adreno/compiler/air.h"
#include "adreno/compiler/compiler.h"
#include "compiler/ir/ir.h"
#include "compiler/machine/select.h"

/* A sample that is made before the program: its result is among the registers. */
struct sel_prefetch {
    const struct ir_instr *instr;
    mach_temp texels;
};

/* Registers that a fragment shader starts with; 0: it is not there. */
struct sel_fragment {
    mach_temp ij[ADRENO_IJ_COUNT]; /* pairs */
    mach_temp xy[2], zw[2];        /* xy: integers with four bits below the point */
    mach_temp face, sample_id;     /* halves */
    mach_temp sample_mask, rhw;    /* rhw: 1/w of the pixel's centre */
    mach_temp slopes[2][2][3];     /* with perspective and without; by x and y; of i, j and 1/w (i and j by 1/w) */
    mach_temp scaled[3];           /* i/w, j/w, 1/w of the centre */
    uint8_t (*loc_of)[4];          /* by location and component: where VPC has it */
    bool is_per_sample;
    struct sel_prefetch prefetches[ADRENO_MAX_PREFETCHES];
};

/* A range of a uniform buffer that the preamble copies to the constant file; nothing of it where end is 0. */
struct sel_range {
    uint32_t set, number; /* of the descriptor */
    uint32_t first_vec4, end_vec4;
    uint32_t at_vec4; /* in the file */
};
#define SEL_MAX_RANGES 8

/* A value that the preamble computes: of its shader, and the component of the file where the program finds it. */
struct sel_early {
    const struct ir_value *value;
    uint32_t component;
};
#define SEL_MAX_EARLY 64

#define SEL_LOCATIONS (IR_LOCATION_VAR0 + 64)

struct sel_output {
    struct mach_operand component[4]; /* MACH_NONE: not written; a number where it is a constant */
    bool is_half;
};

struct sel_outputs {
    struct sel_output at[2][SEL_LOCATIONS]; /* by dual index and location */
};

struct select {
    struct mach_select m;
    const struct adreno_compile_options *options;
    struct adreno_shader_config *config;
    uint32_t *immediates; /* constants of the program, in the arena */
    uint32_t num_immediates, capacity_immediates;
    bool is_data_in_file; /* constant data is what the immediates begin with */
    struct {
        mach_temp temp; /* 0: unknown */
        uint32_t block;
        const struct ir_value *value; /* whose lower bits it has; NULL: none's */
    } index;                          /* what a0.x is */
    uint32_t *array_of;               /* by variable: its first component among the arrays */
    struct sel_range ranges[SEL_MAX_RANGES];
    unsigned num_ranges;
    uint32_t first_early;            /* vec4 of the file from which on the preamble's values lie */
    struct ir_shader **early_shader; /* NULL: there is none; the compilation destroys it */
    struct sel_early early[SEL_MAX_EARLY];
    unsigned num_early;
    bool is_preamble;      /* early_shader is what is selected */
    mach_reg input_units;  /* that the hardware fills before the program */
    mach_temp kept_inputs; /* of the preamble: the same, which it leaves alone */
    unsigned wave_size;
    mach_temp local_id[3];
    struct {
        const struct ir_value *condition;
        uint32_t block; /* where `words` are known */
        mach_temp words[4];
    } ballot;                            /* the last one */
    unsigned num_predicates, num_shared; /* that operations between lanes took so far */
    mach_temp header;                    /* what a fiber stands for */
    mach_temp patch_number;              /* among those that are under way */
    mach_temp tess_point[2];             /* u, v */
    mach_temp vertex_id, instance_id, primitive_id, view_id;
    mach_temp (*attributes)[4]; /* by location */
    struct sel_fragment *fragment;
    struct sel_outputs *outputs;
    struct mach_instr *end; /* reads the outputs */
};

#define sel_fail(ctx, ...) mach_fail((ctx)->m.program, __VA_ARGS__)

/* ---- select.c: values and blocks ---- */
void adreno_select(struct select *ctx);
struct mach_class adreno_sel_class(const struct ir_value *value); /* of one register of it */
unsigned adreno_sel_words(const struct ir_value *value);          /* registers of one component */
/* Ends the block: a branch (op 0: br on p0.x) to `target` where the instruction goes there, else to `other`. */
struct mach_instr *adreno_sel_branch(struct select *ctx, unsigned op, uint32_t target, uint32_t other);
/* Register `index` of a value; constants are moved to one. */
static inline mach_temp adreno_sel_reg(struct select *ctx, const struct ir_value *value, unsigned index)
{
    return mach_select_reg(&ctx->m, value, index);
}
/* The operand where an instruction of category 2 (an integer or a float one) or the constant file may be named. */
enum sel_takes {
    SEL_TAKES_NUMBER = 1,
    SEL_TAKES_CONST = 2
};
struct mach_operand adreno_sel_operand(struct select *ctx, const struct ir_value *value, unsigned index,
                                       unsigned takes);
/* Definitions of an instruction: new registers, which its selection writes. */
static inline mach_temp *adreno_sel_results(struct select *ctx, const struct ir_value *value)
{
    return mach_select_results(&ctx->m, value);
}
static inline void adreno_sel_set(struct select *ctx, const struct ir_value *value, mach_temp *regs)
{
    mach_select_set(&ctx->m, value, regs);
}

/* ---- select_emit.c: instructions ---- */
struct mach_instr *adreno_sel_instr(struct select *ctx, unsigned op, mach_temp result, unsigned count,
                                    const struct mach_operand *operands);
/* Categories 2 and 4: all sources of one size; the result of the class that is asked for. */
mach_temp adreno_sel_alu(struct select *ctx, unsigned op, struct mach_class class, unsigned count,
                         const struct mach_operand *operands);
mach_temp adreno_sel_alu2(struct select *ctx, unsigned op, struct mach_class class, struct mach_operand a,
                          struct mach_operand b);
mach_temp adreno_sel_compare(struct select *ctx, unsigned op, int cond, struct mach_operand a, struct mach_operand b);
void adreno_sel_compare_to(struct select *ctx, unsigned op, int cond, struct mach_operand a, struct mach_operand b,
                           struct mach_def def);
mach_temp adreno_sel_move(struct select *ctx, enum air_type from, enum air_type to, struct mach_operand a);
mach_temp adreno_sel_number(struct select *ctx, struct mach_class class, uint32_t value);
/* An operand that is the number: in the constant file, or a register where that is full. */
struct mach_operand adreno_sel_constant(struct select *ctx, uint32_t value);
/* A component of the constant file that holds the number. */
int32_t adreno_sel_immediate(struct select *ctx, uint32_t value);
mach_temp adreno_sel_add(struct select *ctx, mach_temp x, uint32_t number);
mach_temp adreno_sel_tuple(struct select *ctx, unsigned count, const mach_temp *regs);
void adreno_sel_split(struct select *ctx, mach_temp tuple, unsigned count, mach_temp *regs_out);

/* ---- select_descriptor.c ---- */
struct sel_descriptor {
    uint32_t set;                /* bindless base */
    uint32_t number;             /* in it, where is_known */
    bool is_known;               /* the number is a constant */
    bool is_number;              /* and the operand is an immediate */
    bool is_uniform;             /* the same in all lanes */
    struct mach_operand operand; /* its number in the set */
};
/* A register with its number, where something else than an access reads it. */
bool adreno_select_resource(struct select *ctx, const struct ir_instr *instr);
/* The set and the number of a descriptor that an instruction can name by its number; no instruction is made for it. */
bool adreno_sel_known_descriptor(struct select *ctx, const struct ir_value *handle, uint32_t *set_out,
                                 uint32_t *number_out);
struct sel_descriptor adreno_sel_descriptor(struct select *ctx, const struct ir_value *handle);
struct sel_descriptor adreno_sel_sampler(struct select *ctx, const struct ir_value *handle);
/* Of an instruction of category 6: the number is that operand, at that place. */
void adreno_sel_set_descriptor(struct mach_instr *instr, const struct sel_descriptor *descriptor, unsigned operand,
                               unsigned place);
/* ---- select_product.c: products of 32 bits ---- */
mach_temp adreno_sel_multiply(struct select *ctx, struct mach_operand a, struct mach_operand b);
mach_temp adreno_sel_multiply_high(struct select *ctx, mach_temp a, mach_temp b);

/* ---- early.c ---- */
/* Moves arithmetic on constants to early_shader; the IR is to be indexed again where there is one. */
void adreno_sel_find_early(struct select *ctx);
/* Of an instruction of early_shader that was selected. */
void adreno_sel_store_early(struct select *ctx, const struct ir_instr *instr);

/* ---- preamble.c ---- */
void adreno_sel_find_ranges(struct select *ctx);
void adreno_sel_place_ranges(struct select *ctx); /* again, after loads are gone */
/* Whether a load of a uniform buffer reads the file: the component that byte 0 of the buffer would be. */
bool adreno_sel_is_pushed(struct select *ctx, const struct ir_instr *load, int32_t *first_out);
/* Before the program's code; `early`: that of early_shader. */
void adreno_sel_put_preamble(struct select *ctx, const struct air_code *early, struct air_code *code);

/* ---- by kind of instruction: false where it is another kind ---- */
bool adreno_sel_is_comparison(const struct ir_instr *instr);
/* A comparison that writes p0.x. */
void adreno_sel_condition(struct select *ctx, const struct ir_value *condition);
void adreno_sel_condition_to(struct select *ctx, const struct ir_value *condition, unsigned predicate);
bool adreno_select_alu(struct select *ctx, const struct ir_instr *instr);
bool adreno_select_product(struct select *ctx, const struct ir_instr *instr);
/* select_convert.c: selects, packing and sizes of integers; conversions from and to floats; pairs of 16 bits */
bool adreno_select_choice(struct select *ctx, const struct ir_instr *instr);
bool adreno_select_conversion(struct select *ctx, const struct ir_instr *instr);
bool adreno_select_vector_bits(struct select *ctx, const struct ir_instr *instr);
/* An atomic operation out of the addition that its form is. */
void adreno_sel_set_atomic(struct select *ctx, struct mach_instr *instr, const struct ir_instr *from, unsigned atomic,
                           bool is_bindless);
bool adreno_select_memory(struct select *ctx, const struct ir_instr *instr);
bool adreno_select_constant(struct select *ctx, const struct ir_instr *instr);
bool adreno_select_array(struct select *ctx, const struct ir_instr *instr); /* arrays.c */
/* a0.x is that half register from here on. */
void adreno_sel_index(struct select *ctx, mach_temp index);
bool adreno_select_buffer(struct select *ctx, const struct ir_instr *instr);
void adreno_sel_load_ubo(struct select *ctx, const struct ir_instr *instr); /* select_uniform.c */
bool adreno_select_atomic(struct select *ctx, const struct ir_instr *instr);
/* ---- what they share ---- */
mach_temp adreno_sel_address(struct select *ctx, const struct ir_value *value, uint32_t number); /* a pair */
mach_temp adreno_sel_dword(struct select *ctx, const struct ir_value *offset, uint32_t base_B);  /* of a buffer */
/* From a bit of a dword on, into a half register. */
mach_temp adreno_sel_part(struct select *ctx, mach_temp dword, struct mach_operand bit);
mach_temp adreno_sel_cut(struct select *ctx, mach_temp dword, mach_temp offset); /* 8 or 16 bits from that byte on */
void adreno_sel_atomic_dword(struct select *ctx, const struct sel_descriptor *descriptor, mach_temp dword,
                             unsigned atomic, mach_temp value); /* without a result */
bool adreno_select_lanes(struct select *ctx, const struct ir_instr *instr);
/* ---- select_lanes.c, select_reduce.c ---- */
#define SEL_SHARED (ADRENO_ISA_REG_SHARED + 4) /* r49 and on: r48 has the workgroup's id */
void adreno_sel_to_shared(struct select *ctx, unsigned component, mach_temp value); /* the first active lane's */
void adreno_sel_number_to_shared(struct select *ctx, unsigned component, uint32_t value);
mach_temp adreno_sel_from_shared(struct select *ctx, unsigned component, struct mach_class class);
/* By the same number in all lanes; modes of the instruction set. */
#define SEL_SHUFFLE_XOR 1
mach_temp adreno_sel_shuffle(struct select *ctx, unsigned mode, mach_temp x, struct mach_operand by);
void adreno_select_reduction(struct select *ctx, const struct ir_instr *instr);
/* The number of this lane in its wave. */
mach_temp adreno_sel_lane(struct select *ctx);
/* x + X * (y + Y * z) of the local id */
mach_temp adreno_sel_local_index(struct select *ctx);
/* ---- select_io.c: registers that the hardware fills and reads ---- */
struct sel_start {
    struct {
        mach_temp temp;
        mach_reg reg;
    } list[AIR_REGS];
    unsigned count;
    mach_reg next; /* that is free */
};
mach_temp adreno_sel_take(struct select *ctx, struct sel_start *start, struct mach_class class);
mach_temp adreno_sel_take_at(struct select *ctx, struct sel_start *start, struct mach_class class, mach_reg reg);
void adreno_sel_start(struct select *ctx, const struct sel_start *start);
/* The hardware's number of the register; ADRENO_REG_UNUSED of 0. */
uint8_t adreno_sel_start_reg(const struct select *ctx, const struct sel_start *start, mach_temp temp);
bool adreno_select_output(struct select *ctx, const struct ir_instr *instr);
void adreno_sel_end(struct select *ctx);
/* After allocation: which registers outputs are in. */
void adreno_sel_finish_outputs(struct select *ctx);

/* ---- select_vertex.c, select_fragment.c ---- */
void adreno_sel_begin_vertex(struct select *ctx);
/* select_stages.c: what stages of a wave find, registers that the last stage before the rasteriser is described by. */
void adreno_sel_take_header(struct select *ctx, struct sel_start *start);
void adreno_sel_describe_last(struct select *ctx);
void adreno_sel_begin_geometry(struct select *ctx);
void adreno_sel_begin_control(struct select *ctx);
void adreno_sel_begin_evaluation(struct select *ctx);
bool adreno_select_stage(struct select *ctx, const struct ir_instr *instr);
void adreno_sel_begin_fragment(struct select *ctx);
/* Fibers of the condition give nothing: fragments that become helpers, vertices of a geometry shader. */
void adreno_sel_demote(struct select *ctx, const struct ir_instr *instr);
bool adreno_select_vertex(struct select *ctx, const struct ir_instr *instr);
bool adreno_select_fragment(struct select *ctx, const struct ir_instr *instr);
/* The location that an input names; fails where it is computed. */
uint64_t adreno_sel_location(struct select *ctx, const struct ir_instr *instr, unsigned operand);
/* select_interpolate.c */
bool adreno_select_interpolation(struct select *ctx, const struct ir_instr *instr);
void adreno_sel_take_slopes(struct select *ctx, bool is_linear); /* at the start, for places to interpolate at */
/* A component of a system value of the stage; 0: the stage has no such value. */
mach_temp adreno_sel_vertex_sysval(struct select *ctx, enum ir_sysval which);
mach_temp adreno_sel_fragment_sysval(struct select *ctx, enum ir_sysval which, unsigned component);

/* Which of the pairs i, j a load_bary gives. */
enum adreno_ij adreno_sel_ij(const struct select *ctx, const struct ir_instr *instr);
/* Components that something reads, one at least. */
unsigned adreno_sel_used_mask(const struct ir_instr *instr);
/* ---- select_prefetch.c ---- */
void adreno_sel_find_prefetches(struct select *ctx, struct sel_start *start);
mach_temp adreno_sel_prefetched(const struct select *ctx, const struct ir_instr *instr); /* 0: it is not */
bool adreno_select_texture(struct select *ctx, const struct ir_instr *instr);
bool adreno_select_image(struct select *ctx, const struct ir_instr *instr);
bool adreno_select_sysval(struct select *ctx, const struct ir_instr *instr);
mach_temp adreno_sel_param(struct select *ctx, enum adreno_param which, unsigned component);

#endif
