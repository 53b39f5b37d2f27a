/* How x86-64 instructions are written: general ones, those of AVX2, FMA and F16C in VEX's form with registers of 256
 * bits, those of AVX-512 in EVEX's with 512. What jit_x64.c, and jit_x64_avx2.c or jit_x64_avx512.c beside it, put
 * together; which of the two forms `put` writes is the level of host instructions that this is built for. */
#ifndef MODEL_JIT_X64_H
#define MODEL_JIT_X64_H

#include <string.h>

#include "model/jit_host.h"

#define JIT_X64_HAS_EVEX (JIT_VECTOR_LANES == 16)

enum {
    RAX = 0,
    RCX = 1,
    LANES = 3, /* rbx */
    SP = 4,
    RSI = 6,
    RDI = 7,
    GROUP = 13,
    POOL = 14,
    FRAME = 15,
    NO_INDEX = 255,
    VECTOR_B = JIT_VECTOR_LANES * 4,
    MASK_B = JIT_VECTOR_LANES / 8, /* of a lane mask, for the lanes of a vector */
    SLOTS_B = 64,                  /* from rsp: the masks are below */
};

static inline void put_bytes(struct jit_buffer *buffer, const uint8_t *bytes, size_t count)
{
    if ((size_t)(buffer->end - buffer->at) < count) {
        buffer->full = true;
        return;
    }
    memcpy(buffer->at, bytes, count);
    buffer->at += count;
}

#define PUT(buffer, ...) put_bytes(buffer, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* ---- places ---- */

/* The operand of the ModRM byte: a register, or memory. */
struct place {
    bool is_memory;
    uint8_t reg;   /* or the base */
    uint8_t index; /* of memory */
    uint8_t scale; /* the index is shifted by it */
    int32_t offset;
    bool is_spread; /* one element of 32 bits for all lanes, which EVEX's form has */
};

static inline struct place in(unsigned reg)
{
    return (struct place){false, (uint8_t)reg, NO_INDEX, 0, 0, false};
}

static inline struct place at(unsigned base, uint32_t offset)
{
    return (struct place){true, (uint8_t)base, NO_INDEX, 0, (int32_t)offset, false};
}

static inline struct place pool_at(uint32_t number)
{
    return at(POOL, number * VECTOR_B);
}

static inline struct place splat_at(struct jit_buffer *buffer, uint32_t value)
{
    return pool_at(jit_pool_splat(buffer, value));
}

/* The part of a mask that has these lanes. */
static inline struct place mask_at(unsigned mask, uint32_t strand)
{
    return (struct place){true, SP, GROUP, MASK_B / 2, (int32_t)(8 * mask + MASK_B * strand), false};
}

/* ModRM, SIB and offset; how many bytes they are. An offset of one byte counts units of `unit_B`. */
static inline size_t write_place(uint8_t *bytes, unsigned reg, struct place m, int32_t unit_B)
{
    const uint8_t low = m.reg & 7, field = (uint8_t)((reg & 7) << 3);
    if (!m.is_memory) {
        bytes[0] = 0xc0 | field | low;
        return 1;
    }
    size_t count = 1;
    const int32_t units = m.offset / unit_B;
    const bool is_short = m.offset % unit_B == 0 && units >= -128 && units < 128;
    const bool has_sib = m.index != NO_INDEX || low == SP;
    bytes[0] = (is_short ? 0x40 : 0x80) | field | (has_sib ? SP : low);
    if (has_sib)
        bytes[count++] = (uint8_t)(m.scale << 6 | (m.index != NO_INDEX ? m.index & 7 : SP) << 3 | low);
    memcpy(bytes + count, is_short ? &units : &m.offset, is_short ? 1 : 4);
    return count + (is_short ? 1 : 4);
}

static inline unsigned index_bit(struct place m, unsigned bit)
{
    return m.index != NO_INDEX ? m.index >> bit & 1 : 0;
}

/* An instruction of general registers. */
static inline void put_general(struct jit_buffer *buffer, uint8_t opcode, bool is_64, unsigned reg, struct place m)
{
    uint8_t bytes[16];
    bytes[0] = (uint8_t)(0x40 | is_64 << 3 | reg >> 3 << 2 | index_bit(m, 3) << 1 | m.reg >> 3);
    bytes[1] = opcode;
    put_bytes(buffer, bytes, 2 + write_place(bytes + 2, reg, m, 1));
}

enum {
    MOV_STORE_BYTE = 0x88,
    MOV_STORE = 0x89,
    MOV_LOAD = 0x8b,
    LEA = 0x8d,
    CMP = 0x3b,
};

/* ---- vector instructions ---- */

/* Opcode map, mandatory prefix, opcode; then flags. */
#define JIT_X64_CODE(map, prefix, opcode) ((map) << 10 | (prefix) << 8 | (opcode))

enum {
    P_NONE = 0,
    P_66 = 1,
    P_F3 = 2,
    P_F2 = 3,
    IS_HALF = 1 << 13,   /* VEX.L is 0: half a vector, or mask registers */
    IS_WIDE = 1 << 14,   /* W, where its form has that: elements of 64 bits */
    IS_SINGLE = 1 << 15, /* its memory is one element of 32 bits */
};

/* d, n and m are the operands in the order of `put`. */
#define JIT_X64_CODES(X)                                                                                               \
    X(VMOVUPS, JIT_X64_CODE(1, P_NONE, 0x10)) /* a load */                                                             \
    X(VMOVUPS_STORE, JIT_X64_CODE(1, P_NONE, 0x11))                                                                    \
    X(VMOVAPS, JIT_X64_CODE(1, P_NONE, 0x28))                                                                          \
    X(VMOVMSKPS, JIT_X64_CODE(1, P_NONE, 0x50))                                                                        \
    X(VMOVD, JIT_X64_CODE(1, P_66, 0x6e) | IS_HALF)                                                                    \
    X(VMOVD_STORE, JIT_X64_CODE(1, P_66, 0x7e) | IS_HALF)                                                              \
    X(VBROADCASTSS, JIT_X64_CODE(2, P_66, 0x18) | IS_SINGLE)                                                           \
    X(VPBROADCASTD, JIT_X64_CODE(2, P_66, 0x58))                                                                       \
    X(VPBROADCASTD_GENERAL, JIT_X64_CODE(2, P_66, 0x7c))                                                               \
    X(VPBROADCASTB, JIT_X64_CODE(2, P_66, 0x78))                                                                       \
    X(VBLENDVPS, JIT_X64_CODE(3, P_66, 0x4a))                                                                          \
    X(VPBLENDD, JIT_X64_CODE(3, P_66, 0x02))                                                                           \
    X(VPBLENDMD, JIT_X64_CODE(2, P_66, 0x64))                                                                          \
    X(VPERMILPS, JIT_X64_CODE(3, P_66, 0x04))                                                                          \
    X(VPSHUFB, JIT_X64_CODE(2, P_66, 0x00))                                                                            \
    X(VANDPS, JIT_X64_CODE(1, P_NONE, 0x54))                                                                           \
    X(VANDNPS, JIT_X64_CODE(1, P_NONE, 0x55))                                                                          \
    X(VORPS, JIT_X64_CODE(1, P_NONE, 0x56))                                                                            \
    X(VXORPS, JIT_X64_CODE(1, P_NONE, 0x57))                                                                           \
    X(VADDPS, JIT_X64_CODE(1, P_NONE, 0x58))                                                                           \
    X(VMULPS, JIT_X64_CODE(1, P_NONE, 0x59))                                                                           \
    X(VSUBPS, JIT_X64_CODE(1, P_NONE, 0x5c))                                                                           \
    X(VMINPS, JIT_X64_CODE(1, P_NONE, 0x5d))                                                                           \
    X(VDIVPS, JIT_X64_CODE(1, P_NONE, 0x5e))                                                                           \
    X(VMAXPS, JIT_X64_CODE(1, P_NONE, 0x5f))                                                                           \
    X(VSQRTPS, JIT_X64_CODE(1, P_NONE, 0x51))                                                                          \
    X(VRANGEPS, JIT_X64_CODE(3, P_66, 0x50))                                                                           \
    X(VCMPPS, JIT_X64_CODE(1, P_NONE, 0xc2))                                                                           \
    X(VROUNDPS, JIT_X64_CODE(3, P_66, 0x08)) /* EVEX's is VRNDSCALEPS */                                               \
    X(VCVTDQ2PS, JIT_X64_CODE(1, P_NONE, 0x5b))                                                                        \
    X(VCVTPS2DQ, JIT_X64_CODE(1, P_66, 0x5b))                                                                          \
    X(VCVTTPS2DQ, JIT_X64_CODE(1, P_F3, 0x5b))                                                                         \
    X(VCVTUDQ2PS, JIT_X64_CODE(1, P_F2, 0x7a))                                                                         \
    X(VCVTTPS2UDQ, JIT_X64_CODE(1, P_NONE, 0x78))                                                                      \
    X(VFMADD132PS, JIT_X64_CODE(2, P_66, 0x98))                                                                        \
    X(VFMADD213PS, JIT_X64_CODE(2, P_66, 0xa8))                                                                        \
    X(VFMADD231PS, JIT_X64_CODE(2, P_66, 0xb8))                                                                        \
    X(VFNMADD132PS, JIT_X64_CODE(2, P_66, 0x9c))                                                                       \
    X(VFNMADD213PS, JIT_X64_CODE(2, P_66, 0xac))                                                                       \
    X(VFNMADD231PS, JIT_X64_CODE(2, P_66, 0xbc))                                                                       \
    X(VFMADD213PH, JIT_X64_CODE(6, P_66, 0xa8)) /* of AVX512-FP16, as all of this map */                               \
    X(VFMADD231PH, JIT_X64_CODE(6, P_66, 0xb8))                                                                        \
    X(VADDPH, JIT_X64_CODE(5, P_NONE, 0x58)) /* and of this one */                                                     \
    X(VMULPH, JIT_X64_CODE(5, P_NONE, 0x59))                                                                           \
    X(VPADDB, JIT_X64_CODE(1, P_66, 0xfc))                                                                             \
    X(VPADDD, JIT_X64_CODE(1, P_66, 0xfe))                                                                             \
    X(VPSUBD, JIT_X64_CODE(1, P_66, 0xfa))                                                                             \
    X(VPMULLD, JIT_X64_CODE(2, P_66, 0x40))                                                                            \
    X(VPMULUDQ, JIT_X64_CODE(1, P_66, 0xf4) | IS_WIDE)                                                                 \
    X(VPMULDQ, JIT_X64_CODE(2, P_66, 0x28) | IS_WIDE)                                                                  \
    X(VPMADDUBSW, JIT_X64_CODE(2, P_66, 0x04))                                                                         \
    X(VPMADDWD, JIT_X64_CODE(1, P_66, 0xf5))                                                                           \
    X(VPAND, JIT_X64_CODE(1, P_66, 0xdb)) /* EVEX's are VPANDD and so on */                                            \
    X(VPANDN, JIT_X64_CODE(1, P_66, 0xdf))                                                                             \
    X(VPOR, JIT_X64_CODE(1, P_66, 0xeb))                                                                               \
    X(VPXOR, JIT_X64_CODE(1, P_66, 0xef))                                                                              \
    X(VPTERNLOGD, JIT_X64_CODE(3, P_66, 0x25))                                                                         \
    X(VPMINUD, JIT_X64_CODE(2, P_66, 0x3b))                                                                            \
    X(VPMAXUD, JIT_X64_CODE(2, P_66, 0x3f))                                                                            \
    X(VPMINSD, JIT_X64_CODE(2, P_66, 0x39))                                                                            \
    X(VPMAXSD, JIT_X64_CODE(2, P_66, 0x3d))                                                                            \
    X(VPCMPEQD, JIT_X64_CODE(1, P_66, 0x76))                                                                           \
    X(VPCMPGTD, JIT_X64_CODE(1, P_66, 0x66))                                                                           \
    X(VPCMPD, JIT_X64_CODE(3, P_66, 0x1f)) /* to a mask */                                                             \
    X(VPCMPUD, JIT_X64_CODE(3, P_66, 0x1e))                                                                            \
    X(VPTESTMD, JIT_X64_CODE(2, P_66, 0x27)) /* to a mask */                                                           \
    X(VPTESTNMW, JIT_X64_CODE(2, P_F3, 0x26) | IS_WIDE)                                                                \
    X(VPMOVM2D, JIT_X64_CODE(2, P_F3, 0x38))                                                                           \
    X(VPMOVD2M, JIT_X64_CODE(2, P_F3, 0x39))                                                                           \
    X(VPGATHERDD, JIT_X64_CODE(2, P_66, 0x90) | IS_SINGLE) /* n, or its mask, has the lanes, and is lost */            \
    X(VCVTPS2PH, JIT_X64_CODE(3, P_66, 0x1d))              /* from d to m */                                           \
    X(VPMOVZXWD, JIT_X64_CODE(2, P_66, 0x33))                                                                          \
    X(VCVTPH2PS, JIT_X64_CODE(2, P_66, 0x13))                                                                          \
    X(VPERMD, JIT_X64_CODE(2, P_66, 0x36))           /* n says which of m */                                           \
    X(VPERMQ, JIT_X64_CODE(3, P_66, 0x00) | IS_WIDE) /* by imm */                                                      \
    X(VPMOVDW, JIT_X64_CODE(2, P_F3, 0x33))          /* from d to m */                                                 \
    X(VPSLLVD, JIT_X64_CODE(2, P_66, 0x47))                                                                            \
    X(VPSRLVD, JIT_X64_CODE(2, P_66, 0x45))                                                                            \
    X(VPSRAVD, JIT_X64_CODE(2, P_66, 0x46))                                                                            \
    X(SHIFT_D_BY, JIT_X64_CODE(1, P_66, 0x72)) /* d is one of enum shift, n the result */                              \
    X(SHIFT_Q_BY, JIT_X64_CODE(1, P_66, 0x73) | IS_WIDE)                                                               \
    X(KMOVW, JIT_X64_CODE(1, P_NONE, 0x90) | IS_HALF) /* a load */                                                     \
    X(KMOVW_STORE, JIT_X64_CODE(1, P_NONE, 0x91) | IS_HALF)                                                            \
    X(KNOTW, JIT_X64_CODE(1, P_NONE, 0x44) | IS_HALF)                                                                  \
    X(KANDW, JIT_X64_CODE(1, P_NONE, 0x41))                                                                            \
    X(KANDNW, JIT_X64_CODE(1, P_NONE, 0x42)) /* ~n & m */                                                              \
    X(KORW, JIT_X64_CODE(1, P_NONE, 0x45))                                                                             \
    X(KXNORW, JIT_X64_CODE(1, P_NONE, 0x46))                                                                           \
    X(KXORW, JIT_X64_CODE(1, P_NONE, 0x47))                                                                            \
    X(KORTESTW, JIT_X64_CODE(1, P_NONE, 0x98) | IS_HALF)

enum vector_code {
#define JIT_X64_ENUM(name, code) name = (code),
    JIT_X64_CODES(JIT_X64_ENUM)
#undef JIT_X64_ENUM
};

enum shift {
    BY_RIGHT = 2,
    BY_RIGHT_SIGNED = 4,
    BY_LEFT = 6,
};

/* VCMPPS; quiet but for the signalling NaNs. */
enum {
    IS_EQ = 0x00,
    IS_UNORDERED = 0x03,
    IS_ORDERED = 0x07,
    IS_LT = 0x11,
    IS_LE = 0x12,
    IS_GE = 0x1d,
};

static inline size_t write_vex(uint8_t *bytes, enum vector_code code, unsigned d, unsigned n, struct place m)
{
    const unsigned map = code >> 10 & 7, rest = (~n & 15) << 3 | (code & IS_HALF ? 0 : 4) | (code >> 8 & 3);
    const unsigned r = ~d >> 3 & 1, x = ~index_bit(m, 3) & 1, b = ~(unsigned)m.reg >> 3 & 1;
    size_t count = 0;
    if (x && b && map == 1) {
        bytes[count++] = 0xc5;
        bytes[count++] = (uint8_t)(r << 7 | rest);
    } else {
        bytes[count++] = 0xc4;
        bytes[count++] = (uint8_t)(r << 7 | x << 6 | b << 5 | map);
        bytes[count++] = (uint8_t)((code & IS_WIDE ? 0x80 : 0) | rest);
    }
    bytes[count++] = (uint8_t)code;
    return count + write_place(bytes + count, d, m, 1);
}

/* `k`: the mask register whose lanes are written, 0 for all. Lanes left out keep what they have, or become zero. */
static inline size_t write_evex(uint8_t *bytes, enum vector_code code, unsigned d, unsigned n, struct place m,
                                unsigned k, bool is_zeroing)
{
    /* X is the fifth bit of a register, or the fourth of an index, whose fifth takes that of n. */
    const unsigned x = m.is_memory ? index_bit(m, 3) : m.reg >> 4 & 1, high_n = n >> 4 | index_bit(m, 4);
    bytes[0] = 0x62;
    bytes[1] = (uint8_t)((~d >> 3 & 1) << 7 | (~x & 1) << 6 | (~(unsigned)m.reg >> 3 & 1) << 5 | (~d >> 4 & 1) << 4 |
                         (code >> 10 & 7));
    bytes[2] = (uint8_t)((code & IS_WIDE ? 0x80 : 0) | (~n & 15) << 3 | 4 | (code >> 8 & 3));
    bytes[3] = (uint8_t)(is_zeroing << 7 | 2 << 5 | m.is_spread << 4 | (~high_n & 1) << 3 | k);
    bytes[4] = (uint8_t)code;
    return 5 + write_place(bytes + 5, d, m, code & IS_SINGLE || m.is_spread ? 4 : 64);
}

static inline size_t write_vector(uint8_t *bytes, enum vector_code code, unsigned d, unsigned n, struct place m)
{
    return JIT_X64_HAS_EVEX ? write_evex(bytes, code, d, n, m, 0, false) : write_vex(bytes, code, d, n, m);
}

/* d = n op m. Those with one operand have 0 for n. */
static inline void put(struct jit_buffer *buffer, enum vector_code code, unsigned d, unsigned n, struct place m)
{
    uint8_t bytes[16];
    put_bytes(buffer, bytes, write_vector(bytes, code, d, n, m));
}

static inline void put_imm(struct jit_buffer *buffer, enum vector_code code, unsigned d, unsigned n, struct place m,
                           unsigned imm)
{
    uint8_t bytes[16];
    size_t count = write_vector(bytes, code, d, n, m);
    bytes[count++] = (uint8_t)imm;
    put_bytes(buffer, bytes, count);
}

/* ---- between jit_x64.c and the level's own operations ---- */

/* An operand's register, or where it lies in memory. */
static inline struct place operand(struct jit_buffer *buffer, unsigned a)
{
    const uint32_t offset = buffer->memory.at;
    if (a != JIT_IN_MEMORY)
        return in(a);
    switch (buffer->memory.kind) {
    case JIT_MEMORY_CONST:
        return splat_at(buffer, offset);
    case JIT_MEMORY_ROW:
        return at(LANES, offset);
    case JIT_MEMORY_SCALAR:
        return (struct place){true, FRAME, NO_INDEX, 0, (int32_t)offset, true};
    default:
        return at(SP, SLOTS_B + offset * VECTOR_B);
    }
}

/* A register as a bit; memory is none. */
static inline uint32_t register_bit(unsigned a)
{
    return a != JIT_IN_MEMORY ? 1u << a : 0;
}

/* Operands as bits, of which one may be in memory. */
enum {
    MAY_A = 1,
    MAY_B = 2,
    MAY_C = 4,
};

/* d = a op b, or with an immediate operand, for those that are one instruction. */
struct jit_x64_plain {
    uint16_t code; /* enum vector_code */
    uint8_t may;   /* MAY_A and MAY_B: they change places */
    bool is_swapped; /* d = b op a */
    bool has_imm;
    uint8_t imm;
};

static inline void put_plain(struct jit_buffer *buffer, const struct jit_x64_plain *p, unsigned d, unsigned a,
                             unsigned b)
{
    const bool is_swapped = p->is_swapped || a == JIT_IN_MEMORY;
    const unsigned n = is_swapped ? b : a;
    const struct place m = operand(buffer, is_swapped ? a : b);
    if (p->has_imm)
        put_imm(buffer, p->code, d, n, m, p->imm);
    else
        put(buffer, p->code, d, n, m);
}

/* The operands that the level's own operations may have in memory. */
unsigned jit_x64_may(enum jit_op op);

/* Of jit_x64_cpu.c: whether conversions of halves leave small ones alone. */
bool jit_x64_keeps_small_halves(void);

/* Of jit_x64.c. */
void jit_x64_not(struct jit_buffer *buffer, unsigned d, unsigned a);

/* Of jit_x64_memory.c. */
void jit_x64_load(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t pointer, uint32_t further_B,
                  bool is_same);
void jit_x64_load_near(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, uint32_t pointer,
                       uint32_t further_B);
void jit_x64_write(struct jit_buffer *buffer, unsigned a, unsigned b, unsigned c, uint32_t pointer, uint32_t further_B);
void jit_x64_write_near(struct jit_buffer *buffer, unsigned a, unsigned b, unsigned c, uint32_t pointer,
                        uint32_t further_B);

/* Of the level. Operations that it has its own way for, and those of them whose booleans are in mask registers; false
 * for the rest. */
bool jit_x64_emit_own(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst, unsigned d,
                      unsigned a, unsigned b, unsigned c, unsigned mask);
bool jit_x64_emit_masks(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst,
                        unsigned d, unsigned a, unsigned b, unsigned c, unsigned mask);
/* Lane by lane, from rdi and the offsets in a. */
void jit_x64_gather(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t further_B);
/* A short jump, to be told where, if two vectors are not the same; register 0 may be lost. */
uint8_t *jit_x64_jump_if_other(struct jit_buffer *buffer, unsigned a, unsigned b);
/* JIT_LOAD_NEAR, lane by lane. */
void jit_x64_load_below(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, uint32_t pointer,
                        uint32_t further_B);
/* The dwords of a table in the frame that the lowest four bits of a name. */
void jit_x64_table(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t offset);
void jit_x64_widen(struct jit_buffer *buffer, unsigned d,
                   unsigned a); /* the halves in a's lower bits as the host has them */
/* Ones in every bit of d; r13 in every lane of d. */
void jit_x64_ones(struct jit_buffer *buffer, unsigned d);
void jit_x64_group(struct jit_buffer *buffer, unsigned d);
/* Around whatever is not jit_x64_emit_masks's: the registers (as bits) are about to be read as vectors; d has been
 * written; at the beginning and after a call nothing is known of any register. */
void jit_x64_use(struct jit_buffer *buffer, uint32_t reads);
/* The zero flag: no lane of a boolean is set. */
void jit_x64_test(struct jit_buffer *buffer, unsigned a);
void jit_x64_made(struct jit_buffer *buffer, unsigned d);
void jit_x64_forget(struct jit_buffer *buffer);

#endif
