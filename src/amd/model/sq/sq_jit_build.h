/* How a run is lowered: the state while its lane program is written, and the operations that generated code
 * (gen_jit.py) writes it with. Each folds what is constant, so that a row's text need not treat bits of the
 * instruction that are known here. */
#ifndef AMD_MODEL_SQ_JIT_BUILD_H
#define AMD_MODEL_SQ_JIT_BUILD_H

#include "amd/model/sq/sq_alu.h"
#include "model/jit.h"

#define SQ_JIT_ROWS (2 * SQ_TEMPS + 256 + 16) /* temporaries, in wave32 twice as many, then VGPRs */

/* Where a run's loads load from: the workgroup's memory, or a buffer by its descriptor. */
struct sq_jit_view {
    bool is_shared;
    sq_place words, soffset;
    uint32_t size_B; /* of a lane's access */

    /* What was found for a descriptor, and when (gpu_space_changes). */
    bool is_known;
    uint32_t changes;
    uint32_t found_words[4];
    const uint8_t *host; /* NULL: such a buffer is not for host code */
};

/* A channel of an attribute that a run interpolates: its rows are filled before the code runs. */
struct sq_jit_attribute {
    const struct sq_uop *uop;
    uint32_t first_row; /* of those that the instruction looks at, in sq_wave.attributes */
};

/* What a run needs besides registers. */
struct sq_jit_inputs {
    struct sq_jit_view views[SQ_VIEWS];
    struct sq_jit_attribute attributes[SQ_ATTRIBUTE_ROWS];
    uint8_t ones[SQ_ATTRIBUTE_ROWS]; /* the attributes themselves, for waves where they are the same in all lanes */
    uint32_t view_count, attribute_count, attribute_rows, one_count;
};

/* What the lane program has found out about a place: the value that is there now, JIT_NONE where it was not looked at.
 */
struct sq_jit_places {
    jit_value rows[SQ_JIT_ROWS];
    jit_value scalars[SQ_REGISTERS];     /* spread over the lanes */
    jit_value masks[SQ_REGISTERS];       /* the lane mask that begins there, as booleans */
    jit_value row_stores[SQ_JIT_ROWS];   /* the last JIT_STORE; earlier ones are dead */
    jit_value mask_stores[SQ_REGISTERS]; /* the last JIT_STORE_BITS */
    uint32_t mask_count;                 /* masks that are read or written */
    bool exec_is_written;
    struct sq_jit_inputs inputs;
};

struct sq_jit_builder {
    const struct sq_uop *uop; /* at hand */
    const struct sq_wave *wave;
    struct lane_mode mode;
    uint32_t lanes;
    bool failed; /* this instruction cannot be lowered */
    bool is_one; /* attributes are the same in all lanes */
    uint32_t count;
    struct jit_inst insts[JIT_MAX_INSTS];
    struct sq_jit_places places;
};

/* An empty program for waves of this size and mode. */
void amd_sq_jit_begin(struct sq_jit_builder *b, const struct sq_wave *wave);

/* ---- operations ---- */

jit_value amd_sq_jit_emit(struct sq_jit_builder *b, enum jit_op op, jit_value x, jit_value y, jit_value z,
                          uint32_t imm);
jit_value amd_sq_jit_const(struct sq_jit_builder *b, uint32_t value);
jit_value amd_sq_jit_call(struct sq_jit_builder *b, jit_call call, jit_value x, jit_value y, jit_value z);

static inline bool amd_sq_jit_is_const(const struct sq_jit_builder *b, jit_value v, uint32_t *value_out)
{
    *value_out = b->insts[v].imm;
    return b->insts[v].op == JIT_CONST;
}

jit_value amd_sq_jit_and(struct sq_jit_builder *b, jit_value x, jit_value y);
jit_value amd_sq_jit_or(struct sq_jit_builder *b, jit_value x, jit_value y);
jit_value amd_sq_jit_xor(struct sq_jit_builder *b, jit_value x, jit_value y);
jit_value amd_sq_jit_not(struct sq_jit_builder *b, jit_value x);
jit_value amd_sq_jit_select(struct sq_jit_builder *b, jit_value condition, jit_value x, jit_value y);
jit_value amd_sq_jit_shift(struct sq_jit_builder *b, enum jit_op op, jit_value x, jit_value count);

static inline jit_value amd_sq_jit_shift_by(struct sq_jit_builder *b, enum jit_op op, jit_value x, uint32_t count)
{
    return amd_sq_jit_shift(b, op, x, amd_sq_jit_const(b, count));
}

#define SQ_JIT_BINARY(name, op)                                                                                        \
    static inline jit_value amd_sq_jit_##name(struct sq_jit_builder *b, jit_value x, jit_value y)                      \
    {                                                                                                                  \
        return amd_sq_jit_emit(b, op, x, y, JIT_NONE, 0);                                                              \
    }
SQ_JIT_BINARY(add, JIT_ADD)
SQ_JIT_BINARY(sub, JIT_SUB)
SQ_JIT_BINARY(mul, JIT_MUL)
SQ_JIT_BINARY(min_u, JIT_MIN_U)
SQ_JIT_BINARY(max_u, JIT_MAX_U)
SQ_JIT_BINARY(min_i, JIT_MIN_I)
SQ_JIT_BINARY(max_i, JIT_MAX_I)
SQ_JIT_BINARY(mulhi_u, JIT_MULHI_U)
SQ_JIT_BINARY(mulhi_i, JIT_MULHI_I)
SQ_JIT_BINARY(eq, JIT_EQ)
SQ_JIT_BINARY(lt_u, JIT_LT_U)
SQ_JIT_BINARY(le_u, JIT_LE_U)
SQ_JIT_BINARY(lt_i, JIT_LT_I)
SQ_JIT_BINARY(le_i, JIT_LE_I)
SQ_JIT_BINARY(fadd, JIT_FADD)
SQ_JIT_BINARY(fsub, JIT_FSUB)
SQ_JIT_BINARY(fmul, JIT_FMUL)
SQ_JIT_BINARY(feq, JIT_FEQ)
SQ_JIT_BINARY(flt, JIT_FLT)
SQ_JIT_BINARY(fle, JIT_FLE)
#undef SQ_JIT_BINARY

static inline jit_value amd_sq_jit_unary(struct sq_jit_builder *b, enum jit_op op, jit_value x)
{
    return amd_sq_jit_emit(b, op, x, JIT_NONE, JIT_NONE, 0);
}

/* ---- narrower integers lie in 32 bits, extended by their type ---- */

static inline jit_value amd_sq_jit_zero_extend(struct sq_jit_builder *b, jit_value x, unsigned bits)
{
    if (bits == 16 && b->insts[x].op == JIT_HALF_OF_F32)
        return x;
    return amd_sq_jit_and(b, x, amd_sq_jit_const(b, (1u << bits) - 1));
}

static inline jit_value amd_sq_jit_sign_extend(struct sq_jit_builder *b, jit_value x, unsigned bits)
{
    return amd_sq_jit_shift_by(b, JIT_SAR, amd_sq_jit_shift_by(b, JIT_SHL, x, 32 - bits), 32 - bits);
}

/* ---- primitives of lane.h, by their names there ---- */

jit_value amd_sq_jit_fma_f32(struct sq_jit_builder *b, jit_value x, jit_value y, jit_value z);
jit_value amd_sq_jit_min_f32(struct sq_jit_builder *b, jit_value x, jit_value y);
jit_value amd_sq_jit_max_f32(struct sq_jit_builder *b, jit_value x, jit_value y);
jit_value amd_sq_jit_med3_f32(struct sq_jit_builder *b, jit_value x, jit_value y, jit_value z);
jit_value amd_sq_jit_flush_f32(struct sq_jit_builder *b, jit_value x);
jit_value amd_sq_jit_fract_f32(struct sq_jit_builder *b, jit_value x);
jit_value amd_sq_jit_rcp_f32(struct sq_jit_builder *b, jit_value x);
jit_value amd_sq_jit_sqrt_f32(struct sq_jit_builder *b, jit_value x);
jit_value amd_sq_jit_rsq_f32(struct sq_jit_builder *b, jit_value x);
jit_value amd_sq_jit_clamp01_f32(struct sq_jit_builder *b, jit_value x);
jit_value amd_sq_jit_f16_rtz_f32(struct sq_jit_builder *b, jit_value x);
jit_value amd_sq_jit_bfe(struct sq_jit_builder *b, bool is_signed, jit_value x, jit_value offset, jit_value width);

/* ---- operands ---- */

jit_value amd_sq_jit_read_row(struct sq_jit_builder *b, sq_place place);
void amd_sq_jit_write_row(struct sq_jit_builder *b, sq_place place, jit_value value);
/* A lane mask by its register, and by its place. */
jit_value amd_sq_jit_read_mask(struct sq_jit_builder *b, sq_place place);
void amd_sq_jit_write_mask(struct sq_jit_builder *b, sq_place place, jit_value value);
jit_value amd_sq_jit_read_scalar(struct sq_jit_builder *b, sq_place place);
/* Whether the program changes one of these scalar registers. */
bool amd_sq_jit_changes(const struct sq_jit_builder *b, sq_place place, unsigned count);

static inline sq_place amd_sq_jit_register(unsigned number)
{
    return (sq_place)(offsetof(struct sq_wave, sgpr) + number * 4) | SQ_BASE_WAVE;
}

static inline sq_place amd_sq_jit_interpolant(const struct sq_jit_builder *b, enum sq_interpolant which)
{
    return (sq_place)(offsetof(struct sq_wave, temp) + (SQ_TEMPS - 3u + which) * b->lanes * 4) | SQ_BASE_WAVE;
}

/* The lower half of a register; the upper one stays. */
static inline void amd_sq_jit_write_half(struct sq_jit_builder *b, sq_place place, jit_value value)
{
    jit_value kept = amd_sq_jit_and(b, amd_sq_jit_read_row(b, place), amd_sq_jit_const(b, 0xffff0000u));
    amd_sq_jit_write_row(b, place, amd_sq_jit_or(b, kept, amd_sq_jit_zero_extend(b, value, 16)));
}

/* ---- generated ---- */

/* How an instruction's kernel is lowered; NULL: it is not. */
typedef void (*amd_sq_jit_lower)(struct sq_jit_builder *b);
struct sq_jit_row {
    amd_sq_jit_lower lower;
    bool not_clamped; /* not where the instruction's clamp bit is set */
    bool is_half;     /* rounds by the mode of halves */
};
extern const struct sq_jit_row amd_sq_jit_rows[ISA_OP_COUNT];

/* Loads and attributes (sq_jit_inputs.c); NULL: this is none of those. */
amd_sq_jit_lower amd_sq_jit_input_lowering(const struct sq_uop *uop);
/* Bring what a run needs before its code runs. False: it is for the micro-operations. */
bool amd_sq_jit_bring(struct sq_wave *wave, struct sq_jit_inputs *inputs, bool is_one);
/* Whether the wave's attributes are the same in all lanes; by one of them. */
bool amd_sq_jit_is_one(struct sq_wave *wave, unsigned attribute);

/* Lower the micro-operation at hand. */
void amd_sq_jit_lower_uop(struct sq_jit_builder *b);
/* Whether that may succeed. */
bool amd_sq_jit_knows(const struct sq_uop *uop);

#endif
