/* x86-64: eight lanes to a vector, the instructions of AVX2, FMA and F16C, System V's calls.
 *
 * rbx is the frame plus the bytes of the lanes that are done, r13 counts groups of eight lanes up, r14 is the pool, r15
 * the frame, rbp the stack as it was. At rsp lie the masks, then the vectors that have no register. ymm0 to ymm2 are
 * the emitter's own: arguments, results and intermediate values. */
#include "model/jit_host.h"

#if JIT_HOST && defined(__x86_64__)

#include <string.h>

const uint32_t jit_host_registers = 0xfff8; /* ymm3 to ymm15 */
const uint32_t jit_host_kept = 0;

enum {
    RAX = 0,
    LANES = 3, /* rbx */
    SP = 4,
    RDI = 7,
    GROUP = 13,
    POOL = 14,
    FRAME = 15,
    NO_INDEX = 16,
    VECTOR_B = JIT_VECTOR_LANES * 4,
    SLOTS_B = 64, /* from rsp: the masks are below */
};
_Static_assert(JIT_MAX_MASKS * 8 <= SLOTS_B, "masks overlap the vectors");

bool jit_host_result_in(enum jit_op op, unsigned n)
{
    return true;
}

/* ---- encoding ---- */

static void put_bytes(struct jit_buffer *buffer, const uint8_t *bytes, size_t count)
{
    if ((size_t)(buffer->end - buffer->at) < count) {
        buffer->full = true;
        return;
    }
    memcpy(buffer->at, bytes, count);
    buffer->at += count;
}

#define PUT(buffer, ...) put_bytes(buffer, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* What the ModRM byte names: a register, or memory. */
struct place {
    bool is_memory;
    uint8_t reg;   /* or the base */
    uint8_t index; /* of memory */
    int32_t offset;
};

static struct place in(unsigned reg)
{
    return (struct place){false, (uint8_t)reg, NO_INDEX, 0};
}

static struct place at(unsigned base, uint32_t offset)
{
    return (struct place){true, (uint8_t)base, NO_INDEX, (int32_t)offset};
}

static struct place pool_at(uint32_t number)
{
    return at(POOL, number * VECTOR_B);
}

static struct place splat_at(struct jit_buffer *buffer, uint32_t value)
{
    return pool_at(jit_pool_splat(buffer, value));
}

/* ModRM, SIB and offset; how many bytes they are. */
static size_t write_place(uint8_t *bytes, unsigned reg, struct place m)
{
    const uint8_t low = m.reg & 7, field = (uint8_t)((reg & 7) << 3);
    if (!m.is_memory) {
        bytes[0] = 0xc0 | field | low;
        return 1;
    }
    size_t count = 1;
    const bool is_short = m.offset >= -128 && m.offset < 128;
    const bool has_sib = m.index != NO_INDEX || low == SP;
    bytes[0] = (is_short ? 0x40 : 0x80) | field | (has_sib ? SP : low);
    if (has_sib)
        bytes[count++] = (uint8_t)((m.index != NO_INDEX ? m.index & 7 : SP) << 3) | low;
    memcpy(bytes + count, &m.offset, is_short ? 1 : 4);
    return count + (is_short ? 1 : 4);
}

static unsigned index_high(struct place m)
{
    return m.index != NO_INDEX ? m.index >> 3 : 0;
}

/* A vector instruction: opcode, mandatory prefix, opcode map, and whether it is one of half a vector. */
#define VEX(map, prefix, opcode) ((map) << 10 | (prefix) << 8 | (opcode))

enum {
    P_NONE = 0,
    P_66 = 1,
    P_F3 = 2,
    HALF = 1 << 13,
};

enum vex {
    VMOVUPS = VEX(1, P_NONE, 0x10), /* a load */
    VMOVUPS_STORE = VEX(1, P_NONE, 0x11),
    VMOVAPS = VEX(1, P_NONE, 0x28),
    VMOVMSKPS = VEX(1, P_NONE, 0x50),
    VMOVD = VEX(1, P_66, 0x6e) | HALF,
    VBROADCASTSS = VEX(2, P_66, 0x18),
    VPBROADCASTD = VEX(2, P_66, 0x58),
    VPBROADCASTB = VEX(2, P_66, 0x78),
    VBLENDVPS = VEX(3, P_66, 0x4a),
    VPBLENDD = VEX(3, P_66, 0x02),
    VPERMILPS = VEX(3, P_66, 0x04),
    VPSHUFB = VEX(2, P_66, 0x00),
    VANDPS = VEX(1, P_NONE, 0x54),
    VANDNPS = VEX(1, P_NONE, 0x55),
    VORPS = VEX(1, P_NONE, 0x56),
    VXORPS = VEX(1, P_NONE, 0x57),
    VADDPS = VEX(1, P_NONE, 0x58),
    VMULPS = VEX(1, P_NONE, 0x59),
    VSUBPS = VEX(1, P_NONE, 0x5c),
    VMINPS = VEX(1, P_NONE, 0x5d),
    VDIVPS = VEX(1, P_NONE, 0x5e),
    VMAXPS = VEX(1, P_NONE, 0x5f),
    VSQRTPS = VEX(1, P_NONE, 0x51),
    VCMPPS = VEX(1, P_NONE, 0xc2),
    VROUNDPS = VEX(3, P_66, 0x08),
    VCVTDQ2PS = VEX(1, P_NONE, 0x5b),
    VCVTTPS2DQ = VEX(1, P_F3, 0x5b),
    VFMADD132PS = VEX(2, P_66, 0x98),
    VFMADD213PS = VEX(2, P_66, 0xa8),
    VFMADD231PS = VEX(2, P_66, 0xb8),
    VPADDB = VEX(1, P_66, 0xfc),
    VPADDD = VEX(1, P_66, 0xfe),
    VPSUBD = VEX(1, P_66, 0xfa),
    VPMULLD = VEX(2, P_66, 0x40),
    VPMULUDQ = VEX(1, P_66, 0xf4),
    VPMULDQ = VEX(2, P_66, 0x28),
    VPMADDUBSW = VEX(2, P_66, 0x04),
    VPMADDWD = VEX(1, P_66, 0xf5),
    VPAND = VEX(1, P_66, 0xdb),
    VPANDN = VEX(1, P_66, 0xdf),
    VPOR = VEX(1, P_66, 0xeb),
    VPXOR = VEX(1, P_66, 0xef),
    VPMINUD = VEX(2, P_66, 0x3b),
    VPMAXUD = VEX(2, P_66, 0x3f),
    VPMINSD = VEX(2, P_66, 0x39),
    VPMAXSD = VEX(2, P_66, 0x3d),
    VPCMPEQD = VEX(1, P_66, 0x76),
    VPCMPGTD = VEX(1, P_66, 0x66),
    VPGATHERDD = VEX(2, P_66, 0x90), /* n has the lanes, and is lost */
    VCVTPS2PH = VEX(3, P_66, 0x1d),  /* from the first register to the last */
    VPMOVZXWD = VEX(2, P_66, 0x33),
    VPSLLVD = VEX(2, P_66, 0x47),
    VPSRLVD = VEX(2, P_66, 0x45),
    VPSRAVD = VEX(2, P_66, 0x46),
    SHIFT_D_BY = VEX(1, P_66, 0x72), /* the first register is one of enum shift, the second the result */
    SHIFT_Q_BY = VEX(1, P_66, 0x73),
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

static size_t write_vex(uint8_t *bytes, enum vex code, unsigned d, unsigned n, struct place m)
{
    const unsigned map = code >> 10 & 7, rest = (~n & 15) << 3 | (code & HALF ? 0 : 4) | (code >> 8 & 3);
    const unsigned r = ~d >> 3 & 1, x = ~index_high(m) & 1, b = ~(unsigned)m.reg >> 3 & 1;
    size_t count = 0;
    if (x && b && map == 1) {
        bytes[count++] = 0xc5;
        bytes[count++] = (uint8_t)(r << 7 | rest);
    } else {
        bytes[count++] = 0xc4;
        bytes[count++] = (uint8_t)(r << 7 | x << 6 | b << 5 | map);
        bytes[count++] = (uint8_t)rest;
    }
    bytes[count++] = (uint8_t)code;
    return count + write_place(bytes + count, d, m);
}

/* d = n op m. Those with one operand have 0 for n. */
static void put(struct jit_buffer *buffer, enum vex code, unsigned d, unsigned n, struct place m)
{
    uint8_t bytes[16];
    put_bytes(buffer, bytes, write_vex(bytes, code, d, n, m));
}

static void put_imm(struct jit_buffer *buffer, enum vex code, unsigned d, unsigned n, struct place m, unsigned imm)
{
    uint8_t bytes[16];
    size_t count = write_vex(bytes, code, d, n, m);
    bytes[count++] = (uint8_t)imm;
    put_bytes(buffer, bytes, count);
}

/* An instruction of general registers. */
static void put_general(struct jit_buffer *buffer, uint8_t opcode, bool is_64, unsigned reg, struct place m)
{
    uint8_t bytes[16];
    bytes[0] = (uint8_t)(0x40 | is_64 << 3 | reg >> 3 << 2 | index_high(m) << 1 | m.reg >> 3);
    bytes[1] = opcode;
    put_bytes(buffer, bytes, 2 + write_place(bytes + 2, reg, m));
}

enum {
    MOV_STORE_BYTE = 0x88,
    MOV_STORE = 0x89,
    MOV_LOAD = 0x8b,
};

/* ---- moves ---- */

void jit_host_move(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    if (d != a)
        put(buffer, VMOVAPS, d, 0, in(a));
}

void jit_host_spill(struct jit_buffer *buffer, uint32_t slot, unsigned a)
{
    put(buffer, VMOVUPS_STORE, a, 0, at(SP, SLOTS_B + slot * VECTOR_B));
}

void jit_host_reload(struct jit_buffer *buffer, uint32_t slot, unsigned d)
{
    put(buffer, VMOVUPS, d, 0, at(SP, SLOTS_B + slot * VECTOR_B));
}

/* ---- the loop ---- */

void jit_host_begin(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    const bool is_wide = shape->frame->lanes == 64;
    PUT(buffer, 0x55, 0x48, 0x89, 0xe5);                   /* push rbp; mov rbp, rsp */
    PUT(buffer, 0x53, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57); /* push rbx, r13, r14, r15 */
    PUT(buffer, 0x48, 0x83, 0xe4, 0xe0, 0x48, 0x81, 0xec); /* and rsp, -32; sub rsp, size */
    buffer->frame_patch = buffer->at;
    jit_put32(buffer, 0);
    put_general(buffer, MOV_STORE, true, RDI, in(FRAME));
    put_general(buffer, MOV_STORE, true, RDI, in(LANES));
    PUT(buffer, 0x45, 0x31, 0xed); /* xor r13d, r13d */
    PUT(buffer, 0x4c, 0x8d, 0x35); /* lea r14, [rip + pool] */
    buffer->pool_patch = buffer->at;
    jit_put32(buffer, 0);
    for (uint32_t i = 0; i < shape->mask_count; i++) {
        if (shape->masks[i].is_result)
            continue;
        put_general(buffer, MOV_LOAD, is_wide, RAX, at(FRAME, shape->masks[i].offset));
        put_general(buffer, MOV_STORE, true, RAX, at(SP, 8 * i));
    }
}

void jit_host_end(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    const bool is_wide = shape->frame->lanes == 64;
    PUT(buffer, 0x48, 0x83, 0xc3, (uint8_t)(shape->strands * VECTOR_B)); /* add rbx, 32 or 64 */
    PUT(buffer, 0x41, 0x83, 0xc5, (uint8_t)shape->strands);              /* add r13d, 1 or 2 */
    PUT(buffer, 0x41, 0x83, 0xfd, (uint8_t)(shape->frame->lanes / JIT_VECTOR_LANES), 0x0f, 0x85); /* cmp r13d; jne */
    jit_put32(buffer, (uint32_t)(buffer->loop - (buffer->at + 4)));
    for (uint32_t i = 0; i < shape->mask_count; i++) {
        if (!shape->masks[i].is_result)
            continue;
        put_general(buffer, MOV_LOAD, true, RAX, at(SP, 8 * i));
        put_general(buffer, MOV_STORE, is_wide, RAX, at(FRAME, shape->masks[i].offset));
    }
    const uint32_t stack_B = SLOTS_B + shape->slot_count * VECTOR_B;
    if (!buffer->full)
        memcpy(buffer->frame_patch, &stack_B, sizeof(stack_B));
    PUT(buffer, 0x48, 0x8d, 0x65, 0xe0);                         /* lea rsp, [rbp - 32] */
    PUT(buffer, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x5b, 0x5d); /* pop r15, r14, r13, rbx, rbp */
    PUT(buffer, 0xc5, 0xf8, 0x77, 0xc3);                         /* vzeroupper; ret */
}

void jit_host_link(struct jit_buffer *buffer, const uint8_t *pool)
{
    const int32_t distance = (int32_t)(pool - (buffer->pool_patch + 4));
    memcpy(buffer->pool_patch, &distance, sizeof(distance));
}

/* ---- operations ---- */

/* d = a op b, or with an immediate operand, for those that are one instruction. */
static const struct plain {
    uint16_t code;
    bool has_imm;
    uint8_t imm;
    bool is_swapped; /* d = b op a */
} plain[JIT_OP_COUNT] = {
    [JIT_ADD] = {VPADDD},
    [JIT_SUB] = {VPSUBD},
    [JIT_MUL] = {VPMULLD},
    [JIT_AND] = {VPAND},
    [JIT_ANDN] = {VPANDN, .is_swapped = true},
    [JIT_OR] = {VPOR},
    [JIT_XOR] = {VPXOR},
    [JIT_MIN_U] = {VPMINUD},
    [JIT_MAX_U] = {VPMAXUD},
    [JIT_MIN_I] = {VPMINSD},
    [JIT_MAX_I] = {VPMAXSD},
    [JIT_EQ] = {VPCMPEQD},
    [JIT_LT_I] = {VPCMPGTD, .is_swapped = true},
    [JIT_FADD] = {VADDPS},
    [JIT_FSUB] = {VSUBPS},
    [JIT_FMUL] = {VMULPS},
    [JIT_FDIV] = {VDIVPS},
    [JIT_FEQ] = {VCMPPS, true, IS_EQ},
    [JIT_FLT] = {VCMPPS, true, IS_LT},
    [JIT_FLE] = {VCMPPS, true, IS_LE},
};

/* d = op a. VROUNDPS's immediate operand is the direction. */
static const struct plain unary[JIT_OP_COUNT] = {
    [JIT_FSQRT] = {VSQRTPS},           [JIT_FLOOR] = {VROUNDPS, true, 1},   [JIT_CEIL] = {VROUNDPS, true, 2},
    [JIT_TRUNC] = {VROUNDPS, true, 3}, [JIT_NEAREST] = {VROUNDPS, true, 0}, [JIT_F32_OF_I32] = {VCVTDQ2PS},
};

static void emit_plain(struct jit_buffer *buffer, const struct plain *p, unsigned d, unsigned n, unsigned m)
{
    if (p->has_imm)
        put_imm(buffer, p->code, d, n, in(m), p->imm);
    else
        put(buffer, p->code, d, n, in(m));
}

static void emit_const(struct jit_buffer *buffer, unsigned d, uint32_t value)
{
    if (value == 0)
        put(buffer, VXORPS, d, d, in(d));
    else if (value == UINT32_MAX)
        put(buffer, VPCMPEQD, d, d, in(d));
    else
        put(buffer, VMOVUPS, d, 0, splat_at(buffer, value));
}

static void emit_lane(struct jit_buffer *buffer, uint32_t strand, unsigned d)
{
    uint32_t numbers[JIT_VECTOR_LANES];
    for (uint32_t i = 0; i < JIT_VECTOR_LANES; i++)
        numbers[i] = strand * JIT_VECTOR_LANES + i;
    put(buffer, VMOVD, d, 0, in(GROUP));
    put(buffer, VPBROADCASTD, d, 0, in(d));
    put_imm(buffer, SHIFT_D_BY, BY_LEFT, d, in(d), 3);
    put(buffer, VPADDD, d, d, pool_at(jit_pool_vector(buffer, numbers)));
}

/* Shifts by 32 and more give no bits here. */
static void emit_shift(struct jit_buffer *buffer, enum vex code, unsigned d, unsigned a, unsigned b)
{
    put(buffer, VPAND, 0, b, splat_at(buffer, 31));
    put(buffer, code, d, a, in(0));
}

/* The least of both is a. */
static void emit_le(struct jit_buffer *buffer, enum vex min, unsigned d, unsigned a, unsigned b)
{
    put(buffer, min, 0, a, in(b));
    put(buffer, VPCMPEQD, d, 0, in(a));
}

static void emit_not(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, VPXOR, d, a, splat_at(buffer, UINT32_MAX));
}

/* Products of even lanes and of odd ones, 64 bits each; the upper halves of both. */
static void emit_mulhi(struct jit_buffer *buffer, enum vex mul, unsigned d, unsigned a, unsigned b)
{
    put(buffer, mul, 0, a, in(b));
    put_imm(buffer, SHIFT_Q_BY, BY_RIGHT, 1, in(a), 32);
    put_imm(buffer, SHIFT_Q_BY, BY_RIGHT, 2, in(b), 32);
    put(buffer, mul, 1, 1, in(2));
    put_imm(buffer, SHIFT_Q_BY, BY_RIGHT, 0, in(0), 32);
    put_imm(buffer, VPBLENDD, d, 0, in(1), 0xaa);
}

/* A table has the bits of half a byte; then sums of neighbours. */
static void emit_popcount(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    static const uint32_t table[JIT_VECTOR_LANES] = {0x02010100, 0x03020201, 0x03020201, 0x04030302,
                                                     0x02010100, 0x03020201, 0x03020201, 0x04030302};
    const struct place low_half = splat_at(buffer, 0x0f0f0f0f);
    put(buffer, VPAND, 0, a, low_half);
    put_imm(buffer, SHIFT_D_BY, BY_RIGHT, 1, in(a), 4);
    put(buffer, VPAND, 1, 1, low_half);
    put(buffer, VMOVUPS, 2, 0, pool_at(jit_pool_vector(buffer, table)));
    put(buffer, VPSHUFB, 0, 2, in(0));
    put(buffer, VPSHUFB, 1, 2, in(1));
    put(buffer, VPADDB, 0, 0, in(1));
    put(buffer, VPMADDUBSW, 0, 0, splat_at(buffer, 0x01010101));
    put(buffer, VPMADDWD, d, 0, splat_at(buffer, 0x00010001));
}

static void emit_fma(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, unsigned c)
{
    if (d != c && (d == a || d == b)) {
        put(buffer, VFMADD213PS, d, d == a ? b : a, in(c)); /* d = n * d + m */
        return;
    }
    jit_host_move(buffer, d, c);
    put(buffer, VFMADD231PS, d, a, in(b)); /* d = n * m + d */
}

/* t becomes x where x is a NaN, or where it is a signalling one. */
static void emit_where_nan(struct jit_buffer *buffer, unsigned t, unsigned x, unsigned instead, bool is_signalling)
{
    put_imm(buffer, VCMPPS, 1, x, in(x), IS_UNORDERED);
    if (is_signalling) { /* the bit that makes it quiet, where a blend looks */
        put_imm(buffer, SHIFT_D_BY, BY_LEFT, 2, in(x), 9);
        put(buffer, VANDNPS, 1, 2, in(1));
    }
    put_imm(buffer, VBLENDVPS, t, t, in(instead), 1 << 4);
}

/* The host's minimum is a < b ? a : b. Both orders differ for two zeros, which the bits decide, and for NaNs, which are
 * rare enough for a jump. The product with one makes NaNs quiet and flushes what was only passed on. */
static void emit_least(struct jit_buffer *buffer, bool is_max, unsigned d, unsigned a, unsigned b)
{
    const unsigned t = d == a || d == b ? 0 : d;
    put(buffer, is_max ? VMAXPS : VMINPS, 1, b, in(a));
    put(buffer, is_max ? VMAXPS : VMINPS, t, a, in(b));
    put(buffer, is_max ? VANDPS : VORPS, t, t, in(1));
    put_imm(buffer, VCMPPS, 1, a, in(b), IS_UNORDERED);
    put(buffer, VMOVMSKPS, RAX, 0, in(1));
    PUT(buffer, 0x85, 0xc0, 0x74, 0); /* test eax, eax; jz */
    uint8_t *behind_jump = buffer->at;
    emit_where_nan(buffer, t, a, b, false);
    emit_where_nan(buffer, t, b, a, false);
    emit_where_nan(buffer, t, b, b, true);
    emit_where_nan(buffer, t, a, a, true);
    if (!buffer->full)
        behind_jump[-1] = (uint8_t)(buffer->at - behind_jump);
    put(buffer, VMULPS, d, t, splat_at(buffer, 0x3f800000));
}

/* Both halves are exact, so the sum is rounded once. */
static void emit_f32_of_u32(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, VPAND, 0, a, splat_at(buffer, 0xffff));
    put_imm(buffer, SHIFT_D_BY, BY_RIGHT, d, in(a), 16);
    put(buffer, VCVTDQ2PS, 0, 0, in(0));
    put(buffer, VCVTDQ2PS, d, 0, in(d));
    put(buffer, VFMADD132PS, d, 0, splat_at(buffer, 0x47800000)); /* d = d * m + n */
}

/* The host's conversion says INT32_MIN for all that does not fit. */
static void emit_i32_of_f32(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put_imm(buffer, VCMPPS, 0, a, splat_at(buffer, 0x4f000000), IS_GE); /* 2^31 */
    put_imm(buffer, VCMPPS, 1, a, in(a), IS_ORDERED);
    put(buffer, VCVTTPS2DQ, d, 0, in(a));
    put(buffer, VPXOR, d, d, in(0));
    put(buffer, VPAND, d, d, in(1));
}

/* Below 2^31 as it is; above that the bit for 2^31 is what did not fit, and the rest is added. */
static void emit_u32_of_f32(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, VXORPS, 1, 1, in(1));
    put(buffer, VMAXPS, 0, a, in(1)); /* 0 of a NaN */
    put(buffer, VSUBPS, 1, 0, splat_at(buffer, 0x4f000000));
    put_imm(buffer, VCMPPS, 2, 0, splat_at(buffer, 0x4f800000), IS_GE); /* 2^32 */
    put(buffer, VCVTTPS2DQ, 0, 0, in(0));
    put(buffer, VCVTTPS2DQ, 1, 0, in(1));
    put_imm(buffer, SHIFT_D_BY, BY_RIGHT_SIGNED, d, in(0), 31);
    put(buffer, VPAND, 1, 1, in(d));
    put(buffer, VPOR, 0, 0, in(1));
    put(buffer, VPOR, d, 0, in(2));
}

/* The result must not be the offsets' register; and programs that stand in for a CPU take ymm4 there for none. */
static void emit_load(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t pointer, uint32_t further_B)
{
    put_general(buffer, MOV_LOAD, true, RAX, at(FRAME, pointer));
    put(buffer, VPCMPEQD, 1, 1, in(1));
    jit_host_move(buffer, 2, a);
    put(buffer, VPGATHERDD, d, 1, (struct place){true, RAX, 2, (int32_t)further_B});
}

/* Below the normal halves the value counts steps of 2^-24, which are never less than what the conversion gives: it is
 * not asked whether a host that flushes flushes there. */
static void emit_half(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, VPAND, 1, a, splat_at(buffer, 0x7fffffff));
    put(buffer, VPMINUD, 1, 1, splat_at(buffer, 0x38800000)); /* 2^-14 */
    put(buffer, VMULPS, 1, 1, splat_at(buffer, 0x4b800000));  /* 2^24 */
    put(buffer, VCVTTPS2DQ, 1, 0, in(1));
    put_imm(buffer, VCVTPS2PH, a, 0, in(0), 3); /* toward zero */
    put(buffer, VPMOVZXWD, 0, 0, in(0));
    put(buffer, VPAND, 2, 0, splat_at(buffer, 0x8000));
    put(buffer, VPXOR, 0, 0, in(2));
    put(buffer, VPMAXUD, 0, 0, in(1));
    put(buffer, VPOR, d, 0, in(2));
}

static void emit_call(struct jit_buffer *buffer, const struct jit_inst *inst, unsigned d, unsigned a, unsigned b,
                      unsigned c)
{
    const uint64_t target = (uint64_t)(uintptr_t)inst->call;
    jit_host_move(buffer, 0, a);
    if (inst->b != JIT_NONE)
        jit_host_move(buffer, 1, b);
    if (inst->c != JIT_NONE)
        jit_host_move(buffer, 2, c);
    put_general(buffer, MOV_STORE, true, FRAME, in(RDI));
    PUT(buffer, 0x48, 0xb8); /* mov rax, target */
    jit_put32(buffer, (uint32_t)target);
    jit_put32(buffer, (uint32_t)(target >> 32));
    PUT(buffer, 0xff, 0xd0); /* call rax */
    jit_host_move(buffer, d, 0);
}

/* The byte of the mask that has these lanes. */
static struct place mask_byte(unsigned mask, uint32_t strand)
{
    return (struct place){true, SP, GROUP, (int32_t)(8 * mask + strand)};
}

static void emit_bits(struct jit_buffer *buffer, uint32_t strand, unsigned d, unsigned mask)
{
    static const uint32_t bits[JIT_VECTOR_LANES] = {1, 2, 4, 8, 16, 32, 64, 128};
    const struct place one_each = pool_at(jit_pool_vector(buffer, bits));
    put(buffer, VPBROADCASTB, d, 0, mask_byte(mask, strand));
    put(buffer, VPAND, d, d, one_each);
    put(buffer, VPCMPEQD, d, d, one_each);
}

static void emit_store_bits(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand, unsigned a,
                            unsigned mask)
{
    if (!shape->is_full) {
        put(buffer, VANDPS, 0, a, at(LANES, shape->frame->exec_row + strand * VECTOR_B));
        a = 0;
    }
    put(buffer, VMOVMSKPS, RAX, 0, in(a));
    put_general(buffer, MOV_STORE_BYTE, false, RAX, mask_byte(mask, strand));
}

static void emit_store(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand, unsigned a,
                       uint32_t offset)
{
    if (!shape->is_full) {
        put(buffer, VMOVUPS, 1, 0, at(LANES, shape->frame->exec_row + strand * VECTOR_B));
        put(buffer, VMOVUPS, 0, 0, at(LANES, offset));
        put_imm(buffer, VBLENDVPS, 0, 0, in(a), 1 << 4);
        a = 0;
    }
    put(buffer, VMOVUPS_STORE, a, 0, at(LANES, offset));
}

void jit_host_emit(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst, unsigned d,
                   unsigned a, unsigned b, unsigned c, unsigned mask)
{
    if (plain[inst->op].code) {
        const bool is_swapped = plain[inst->op].is_swapped;
        emit_plain(buffer, &plain[inst->op], d, is_swapped ? b : a, is_swapped ? a : b);
        return;
    }
    if (unary[inst->op].code) {
        emit_plain(buffer, &unary[inst->op], d, 0, a);
        return;
    }
    switch ((enum jit_op)inst->op) {
    case JIT_CONST:
        emit_const(buffer, d, inst->imm);
        break;
    case JIT_ROW:
        put(buffer, VMOVUPS, d, 0, at(LANES, inst->imm));
        break;
    case JIT_SPLAT:
        put(buffer, VBROADCASTSS, d, 0, at(FRAME, inst->imm));
        break;
    case JIT_BITS:
        emit_bits(buffer, inst->c, d, mask);
        break;
    case JIT_LANE:
        emit_lane(buffer, inst->c, d);
        break;
    case JIT_NOT:
        emit_not(buffer, d, a);
        break;
    case JIT_SHL:
        emit_shift(buffer, VPSLLVD, d, a, b);
        break;
    case JIT_SHR:
        emit_shift(buffer, VPSRLVD, d, a, b);
        break;
    case JIT_SAR:
        emit_shift(buffer, VPSRAVD, d, a, b);
        break;
    case JIT_SHL_IMM:
        put_imm(buffer, SHIFT_D_BY, BY_LEFT, d, in(a), inst->imm);
        break;
    case JIT_SHR_IMM:
        put_imm(buffer, SHIFT_D_BY, BY_RIGHT, d, in(a), inst->imm);
        break;
    case JIT_SAR_IMM:
        put_imm(buffer, SHIFT_D_BY, BY_RIGHT_SIGNED, d, in(a), inst->imm);
        break;
    case JIT_MULHI_U:
        emit_mulhi(buffer, VPMULUDQ, d, a, b);
        break;
    case JIT_MULHI_I:
        emit_mulhi(buffer, VPMULDQ, d, a, b);
        break;
    case JIT_POPCOUNT:
        emit_popcount(buffer, d, a);
        break;
    case JIT_LT_U:
        emit_le(buffer, VPMINUD, 0, b, a);
        emit_not(buffer, d, 0);
        break;
    case JIT_LE_U:
        emit_le(buffer, VPMINUD, d, a, b);
        break;
    case JIT_LE_I:
        emit_le(buffer, VPMINSD, d, a, b);
        break;
    case JIT_SELECT:
        put_imm(buffer, VBLENDVPS, d, c, in(b), a << 4);
        break;
    case JIT_FMA:
        emit_fma(buffer, d, a, b, c);
        break;
    case JIT_FMIN:
    case JIT_FMAX:
        emit_least(buffer, inst->op == JIT_FMAX, d, a, b);
        break;
    case JIT_F32_OF_U32:
        emit_f32_of_u32(buffer, d, a);
        break;
    case JIT_I32_OF_F32:
        emit_i32_of_f32(buffer, d, a);
        break;
    case JIT_HALF_OF_F32:
        emit_half(buffer, d, a);
        break;
    case JIT_U32_OF_F32:
        emit_u32_of_f32(buffer, d, a);
        break;
    case JIT_QUAD:
        put_imm(buffer, VPERMILPS, d, 0, in(a), inst->imm);
        break;
    case JIT_LOAD:
        emit_load(buffer, d, a, inst->imm & 0xffff, inst->imm >> 16);
        break;
    case JIT_CALL:
        emit_call(buffer, inst, d, a, b, c);
        break;
    case JIT_STORE:
        emit_store(buffer, shape, inst->c, a, inst->imm);
        break;
    case JIT_STORE_BITS:
        emit_store_bits(buffer, shape, inst->c, a, mask);
        break;
    default:
        buffer->full = true;
    }
}

#endif
