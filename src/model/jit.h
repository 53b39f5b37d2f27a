/* From straight lane code to host instructions. A program is a list of operations on 32-bit lanes in SSA form: an
 * operation's number is the number of its value. The code that is made of it runs the whole list for a few lanes at a
 * time, as many as a host vector has, so that values between operations stay in host registers.
 *
 * It works on a frame: one struct in memory that holds registers as rows of lanes (4 bytes each), scalars and lane
 * masks (one bit per lane, in one or two dwords), all named by their offset. Everything is pure but the results,
 * JIT_STORE and JIT_STORE_BITS, and JIT_WRITE; what a lane computes never depends on another lane but by JIT_QUAD. So
 * lanes that are not active may be computed, too: only results look at the mask of active lanes.
 *
 * JIT_LOAD reads other memory. Every lane loads, active or not: the author of the program must make sure that every
 * address is good. JIT_WRITE writes it, in the lanes of a condition. A few lanes run the whole program before the next
 * ones begin it, so the author must also make sure that no lane reads or writes what another operation of another lane
 * writes; of one JIT_WRITE the last lane's value stays.
 *
 * A program may end with a loop:
 *
 *     ...             what is before it
 *     JIT_LOOP
 *     JIT_PHI ...     values that the rounds hand on
 *     ...             the body; anywhere in it, and once at least, a way out:
 *     JIT_LEAVE       if no lane of a boolean is set, what follows is done and the loop is over
 *     JIT_STORE ...   results: the only ones of such a program
 *     JIT_STAY        what follows is done if it is not over
 *     ...
 *     JIT_AGAIN       the last operation
 *
 * A few lanes run the whole loop before the next ones begin it, so that the values it hands on stay in host registers.
 * That is right only if no lane depends on another one: what decides about leaving is the same in all lanes, or each
 * lane's results do not change in rounds after its last. What is the same in all lanes, because it is made of such
 * values alone, is computed once for them: scalar code is lane code here.
 *
 * Not for: writes to memory in a loop, or what an instruction of a GPU means. Knows no GPU. */
#ifndef MODEL_JIT_H
#define MODEL_JIT_H

#include <stdbool.h>
#include <stdint.h>

typedef uint16_t jit_value;

/* Booleans are lanes of all ones or all zeros. Floats round and flush as the host's control word says. */
enum jit_op {
    JIT_CONST, /* imm in every lane */
    JIT_ROW,   /* the row at imm */
    JIT_SPLAT, /* the scalar at imm in every lane */
    JIT_BITS,  /* the lane mask at imm as booleans; once for each mask */
    JIT_LANE,  /* the lane's number */

    JIT_ADD,
    JIT_SUB,
    JIT_MUL,
    JIT_AND,
    JIT_ANDN, /* a & ~b */
    JIT_OR,
    JIT_XOR,
    JIT_NOT,
    JIT_SHL, /* by b & 31 */
    JIT_SHR,
    JIT_SAR,
    JIT_SHL_IMM, /* by imm, 1 to 31 */
    JIT_SHR_IMM,
    JIT_SAR_IMM,
    JIT_MIN_U,
    JIT_MAX_U,
    JIT_MIN_I,
    JIT_MAX_I,
    JIT_MULHI_U,
    JIT_MULHI_I,
    JIT_POPCOUNT,
    JIT_EQ,
    JIT_LT_U,
    JIT_LE_U,
    JIT_LT_I,
    JIT_LE_I,
    JIT_SELECT, /* a ? b : c */

    JIT_FADD,
    JIT_FSUB,
    JIT_FMUL,
    JIT_FMA, /* a * b + c, rounded once */
    JIT_FDIV,
    JIT_FSQRT,
    JIT_FMIN, /* IEEE 754-2008's minNum with -0 < +0; a signalling NaN wins and becomes quiet */
    JIT_FMAX,
    /* A minimum or maximum where b is a number, but not +0 for a minimum or -0 for a maximum, and a no signalling
     * NaN and, where the control word flushes, not denormal: one instruction on every host. A NaN gives b. */
    JIT_FMIN_NUMBER,
    JIT_FMAX_NUMBER,
    JIT_FEQ,
    JIT_FLT,
    JIT_FLE,
    JIT_FLOOR,
    JIT_CEIL,
    JIT_TRUNC,
    JIT_NEAREST, /* ties to even, whatever the control word says */
    JIT_F32_OF_I32,
    JIT_F32_OF_U32,
    JIT_I32_OF_F32,  /* toward zero, saturating, NaN is 0 */
    JIT_HALF_OF_F32, /* a half toward zero, denormal ones too; above it zeros */
    JIT_U32_OF_F32,
    JIT_F32_OF_HALF,  /* the half in a's lower bits; a signalling NaN becomes quiet */
    JIT_HALF_ROUNDED, /* a half, rounded as the control word says, denormal ones too; above it zeros */
    /* Of halves with zeros above them, rounded once; only where jit_has_fma_half(), and the first two where
     * JIT_HAS_HALVES. */
    JIT_FADD_HALF,
    JIT_FMUL_HALF,
    JIT_FMA_HALF, /* a * b + c */

    JIT_QUAD,  /* lane n of a quad gets lane imm >> 2n & 3 of it */
    JIT_TABLE, /* dword a & 15 of the 16 at imm; only where JIT_HAS_TABLES */
    JIT_LOAD,  /* the dword a bytes, 2 GiB at most, and imm >> 16 more after the pointer at the frame's imm & 0xffff */
    JIT_CALL,  /* call(frame, a, b, c) */

    JIT_STORE,      /* a to the active lanes of the row at imm */
    JIT_STORE_BITS, /* a to the lane mask at imm, once for each mask; 0 for lanes that are not active */
    JIT_STORE_ONE,  /* a, the same in all lanes, to the scalar at imm, which nothing in the program reads */
    JIT_WRITE,      /* b to the dword where JIT_LOAD of a would read, in lanes where c is set; not in a loop */
    JIT_MISS,       /* if some lane of a is set, the code ends here: JIT_MISSED, imm, and how many lanes are done */

    JIT_LOOP,
    JIT_PHI,   /* a in the first round, then what b was at the end of the last one: the only operand that comes later */
    JIT_LEAVE, /* if no lane of a is set: way out imm */
    JIT_STAY,
    JIT_AGAIN,

    /* Not for authors: found in programs (jit_near.c). As JIT_LOAD of offsets a that grow by four from lane to lane;
     * zero where a is not below b. */
    JIT_LOAD_NEAR,
    JIT_WRITE_NEAR, /* JIT_WRITE of such offsets */
    /* Loads by lane (jit_fours.c), only if JIT_HAS_LANE_LOADS: two or four dwords of a lane from where JIT_LOAD of a
     * reads; dwords 0 and 1, or 2 and 3, of a and b in turn; the first two dwords of a and of b, or the last two. */
    JIT_LOAD_LANE,
    JIT_ZIP_LOW,
    JIT_ZIP_HIGH,
    JIT_ZIP_PAIRS_LOW,
    JIT_ZIP_PAIRS_HIGH,
    JIT_FMS,  /* c - a * b, rounded once (jit_signs.c); only where JIT_HAS_FMS */
    JIT_TEST, /* a & b is not zero (jit_signs.c); only where JIT_HAS_TEST */
    JIT_TEST_HALVES, /* the same of both halves, each by itself (jit_pairs.c); only where JIT_HAS_HALVES */
    JIT_FLUSH_HALVES, /* a; its denormal halves, each by itself, become zeros of their sign; only where JIT_HAS_FLUSH */
    JIT_OP_COUNT,
};

#define JIT_NONE UINT16_MAX
#define JIT_MAX_INSTS 2048
#define JIT_MAX_MASKS 5 /* JIT_BITS and JIT_STORE_BITS of a program together */
#define JIT_MAX_LEAVES 16
#define JIT_MAX_MISSES 64

/* The function of a JIT_CALL: as many lanes as a host vector has. JIT_WRITES_X64, that many lanes, is for who reads
 * the code of that level on another host and never runs it. */
#if defined(JIT_WRITES_X64)
#define JIT_HOST 1
#define JIT_VECTOR_LANES JIT_WRITES_X64
#define JIT_CALL_ABI
#elif defined(__aarch64__)
#define JIT_HOST 1
#define JIT_VECTOR_LANES 4
#define JIT_CALL_ABI __attribute__((aarch64_vector_pcs)) /* keeps v8 to v23 */
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX2__) &&                   \
    defined(__FMA__) && defined(__F16C__)
#define JIT_HOST 1
#define JIT_VECTOR_LANES 16
#define JIT_CALL_ABI
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define JIT_HOST 1
#define JIT_VECTOR_LANES 8
#define JIT_CALL_ABI
#else
#define JIT_HOST 0
#define JIT_VECTOR_LANES 4
#define JIT_CALL_ABI
#endif
#define JIT_HOST_X64 (JIT_HOST && JIT_VECTOR_LANES > 4)
#define JIT_HOST_A64 (JIT_HOST && !JIT_HOST_X64)
/* Whether a vector can be permuted by lanes as one instruction or two. */
#define JIT_HAS_TABLES JIT_HOST_X64
/* Whether loads by lanes' own addresses are one instruction each, of any size up to a vector. */
#define JIT_HAS_LANE_LOADS JIT_HOST_A64
/* Whether the host's fused operation takes a product with the other sign, too. */
#define JIT_HAS_FMS JIT_HOST
/* Whether the host computes with halves as they lie in lanes of 32 bits, where jit_has_fma_half(); whether it compares
 * bits with zero. */
#define JIT_HAS_HALVES (JIT_HOST_A64 || (JIT_HOST && JIT_VECTOR_LANES == 16))
#define JIT_HAS_TEST JIT_HAS_HALVES
/* Whether small halves become zeros by an operation of their own. */
#define JIT_HAS_FLUSH (JIT_HAS_HALVES && JIT_HOST_X64)
/* A vector's size, and with it how it is passed, is part of the name: what is built for one level of host instructions
 * does not link with what is built for another. */
#define JIT_NAME_OF(name, lanes) name##_##lanes
#define JIT_NAME(name, lanes) JIT_NAME_OF(name, lanes)
#define jit_compile JIT_NAME(jit_compile, JIT_VECTOR_LANES)

typedef uint32_t jit_vector __attribute__((vector_size(JIT_VECTOR_LANES * 4)));
typedef JIT_CALL_ABI jit_vector (*jit_call)(const void *frame, jit_vector a, jit_vector b, jit_vector c);

struct jit_inst {
    uint16_t op; /* enum jit_op */
    jit_value a, b, c;
    union {
        uint32_t imm;
        jit_call call;
    };
};

#define JIT_ROW_ALIGN_B 16 /* of every row's offset in a frame */

/* Where a frame keeps what every program needs. */
struct jit_frame {
    uint32_t lanes;        /* 16, 32, 64 or 128 */
    uint32_t exec_row;     /* offset of a row: all ones for active lanes */
    uint32_t max_offset_B; /* of anything that is named */
    uint32_t stop;         /* of a pointer to a byte: when it is not zero, a loop ends (JIT_STOPPED) */
};

/* Runs on a frame; which way a loop was left. */
typedef uint32_t (*jit_code)(void *frame);
#define JIT_STOPPED UINT32_MAX /* by the byte at the frame's `stop`: no result is complete */
/* By a JIT_MISS: the first lanes have run the whole program, the others nothing of it, and no lane mask was stored. All
 * JIT_MISS come before the first result outside of a loop; a program with one stores no lane masks before it. */
#define JIT_MISSED 0x80000000u
static inline bool jit_has_missed(uint32_t way)
{
    return way & JIT_MISSED && way != JIT_STOPPED;
}
static inline uint32_t jit_miss_number(uint32_t way)
{
    return way >> 8 & 0xff;
}
static inline uint32_t jit_lanes_done(uint32_t way)
{
    return way & 0xff;
}

/* Memory for code, of one owner and one thread at a time. NULL where the host has no such memory or the level of
 * host instructions that this is built for has no code maker (x86-64 below AVX2, FMA and F16C). */
struct jit;
struct jit *jit_create(void);
void jit_destroy(struct jit *jit);
/* Forget all code. */
void jit_reset(struct jit *jit);

/* NULL: full, a program that does not fit (too many masks, or masks of 128 lanes; a loop that has no way out, or whose
 * JIT_BITS are in it), or a row that is not at a multiple of JIT_ROW_ALIGN_B. `is_full`: every lane is active whenever
 * it runs, so the exec row is not looked at. */
jit_code jit_compile(struct jit *jit, const struct jit_inst *insts, uint32_t count, const struct jit_frame *frame,
                     bool is_full);

/* How many bytes of code there are, for reports. */
uint32_t jit_size_B(const struct jit *jit);

/* Whether most of the memory is taken: time for its owner to forget what it has. */
bool jit_is_nearly_full(const struct jit *jit);

/* Whether the host computes with halves itself. */
bool jit_has_fma_half(void);

/* Which of a program's values are the same in all lanes: what is made of constants and scalars alone. */
void jit_find_same(const struct jit_inst *insts, uint32_t count, bool *is_same_out);

/* Whether a value grows by the same number from each lane to the next, and by how much. */
bool jit_find_step(const struct jit_inst *insts, uint32_t count, jit_value value, uint32_t *step_out);

/* The operands that an operation has. */
uint32_t jit_operand_count(enum jit_op op);

#endif
