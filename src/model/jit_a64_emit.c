/* AArch64: the instructions of each operation. */
#include "model/jit_host.h"

#if defined(__aarch64__)

#include <sys/auxv.h>

#include "model/jit_a64.h"

/* A sum of FMA is changed in place: in a factor's register it would be moved twice. */
bool jit_host_result_in(enum jit_op op, unsigned n)
{
    return (op != JIT_FMA && op != JIT_FMS && op != JIT_FMA_HALF) || n == 2;
}

bool jit_host_reads(enum jit_op op, unsigned n, enum jit_memory_kind kind)
{
    return false;
}

static uint32_t one_bit_each(struct jit_buffer *buffer)
{
    static const uint32_t bits[JIT_VECTOR_LANES] = {1, 2, 4, 8};
    return jit_pool_vector(buffer, bits);
}

/* d = n op m, for those that NEON has as they are. */
static const uint32_t plain[JIT_OP_COUNT] = {
    [JIT_ADD] = 0x4ea08400,
    [JIT_SUB] = 0x6ea08400,
    [JIT_MUL] = 0x4ea09c00,
    [JIT_AND] = 0x4e201c00,
    [JIT_TEST] = 0x4ea08c00,
    [JIT_TEST_HALVES] = 0x4e608c00,
    [JIT_FADD_HALF] = 0x4e401400,
    [JIT_FMUL_HALF] = 0x6e401c00,
    [JIT_ANDN] = 0x4e601c00,
    [JIT_OR] = 0x4ea01c00,
    [JIT_XOR] = 0x6e201c00,
    [JIT_MIN_U] = 0x6ea06c00,
    [JIT_MAX_U] = 0x6ea06400,
    [JIT_MIN_I] = 0x4ea06c00,
    [JIT_MAX_I] = 0x4ea06400,
    [JIT_EQ] = 0x6ea08c00,
    [JIT_FADD] = 0x4e20d400,
    [JIT_FSUB] = 0x4ea0d400,
    [JIT_FMUL] = 0x6e20dc00,
    [JIT_FDIV] = 0x6e20fc00,
    [JIT_FMIN] = 0x4ea0c400,
    [JIT_FMAX] = 0x4e20c400,
    [JIT_FEQ] = 0x4e20e400,
    [JIT_FMIN_NUMBER] = 0x4ea0c400,
    [JIT_FMAX_NUMBER] = 0x4e20c400,
    [JIT_ZIP_LOW] = 0x4e803800,
    [JIT_ZIP_HIGH] = 0x4e807800,
    [JIT_ZIP_PAIRS_LOW] = 0x4ec03800,
    [JIT_ZIP_PAIRS_HIGH] = 0x4ec07800,
};

/* d = m op n: NEON has "greater". */
static const uint32_t swapped[JIT_OP_COUNT] = {
    [JIT_LT_U] = 0x6ea03400, [JIT_LE_U] = 0x6ea03c00, [JIT_LT_I] = 0x4ea03400,
    [JIT_LE_I] = 0x4ea03c00, [JIT_FLT] = 0x6ea0e400,  [JIT_FLE] = 0x6e20e400,
};

static const uint32_t unary[JIT_OP_COUNT] = {
    [JIT_NOT] = 0x6e205800,        [JIT_FSQRT] = 0x6ea1f800,      [JIT_FLOOR] = 0x4e219800,
    [JIT_CEIL] = 0x4ea18800,       [JIT_TRUNC] = 0x4ea19800,      [JIT_NEAREST] = 0x4e218800,
    [JIT_F32_OF_I32] = 0x4e21d800, [JIT_F32_OF_U32] = 0x6e21d800, [JIT_I32_OF_F32] = 0x4ea1b800,
    [JIT_U32_OF_F32] = 0x6ea1b800,
};

static void emit_select(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, unsigned c)
{
    if (d == a) {
        put(buffer, 0x6e601c00u, d, b, c); /* bsl: the condition becomes the result */
    } else if (d == c) {
        put(buffer, 0x6ea01c00u, d, b, a); /* bit: where true */
    } else {
        jit_host_move(buffer, d, b);
        put(buffer, 0x6ee01c00u, d, c, a); /* bif: where false */
    }
}

/* Halves have zeros above them, and with these the same is computed: zeros. */
static void emit_fma(struct jit_buffer *buffer, enum jit_op op, unsigned d, unsigned a, unsigned b, unsigned c)
{
    unsigned sum = d == a || d == b ? (d == c ? d : 0) : d; /* a factor must not be lost before it is used */
    jit_host_move(buffer, sum, c);
    put(buffer,
        op == JIT_FMA_HALF ? 0x4e400c00u
        : op == JIT_FMS    ? 0x4ea0cc00u
                           : 0x4e20cc00u,
        sum, a, b); /* fmls, fmla */
    jit_host_move(buffer, d, sum);
}

/* NEON shifts left by a signed byte. */
static void emit_shift(struct jit_buffer *buffer, enum jit_op op, unsigned d, unsigned a, unsigned b)
{
    load_pool(buffer, 0, jit_pool_splat(buffer, 31));
    put(buffer, 0x4e201c00u, 0, b, 0); /* and */
    if (op != JIT_SHL)
        put(buffer, 0x6ea0b800u, 0, 0, 0); /* neg */
    put(buffer, op == JIT_SAR ? 0x4ea04400u : 0x6ea04400u, d, a, 0);
}

static void emit_shift_by(struct jit_buffer *buffer, enum jit_op op, unsigned d, unsigned a, uint32_t count)
{
    if (op == JIT_SHL_IMM)
        put(buffer, 0x4f005400u | (32 + count) << 16, d, a, 0);
    else
        put(buffer, (op == JIT_SHR_IMM ? 0x6f000400u : 0x4f000400u) | (64 - count) << 16, d, a, 0);
}

static void emit_mulhi(struct jit_buffer *buffer, bool is_signed, unsigned d, unsigned a, unsigned b)
{
    put(buffer, is_signed ? 0x0ea0c000u : 0x2ea0c000u, 0, a, b);
    put(buffer, is_signed ? 0x4ea0c000u : 0x6ea0c000u, 1, a, b);
    put(buffer, 0x4e805800u, d, 0, 1); /* uzp2 */
}

/* Rounded by the mode, then one step down where that was up: so to the largest half instead of infinity. */
static void emit_half(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, 0x0e216800u, 0, a, 0); /* fcvtn */
    put(buffer, 0x0e217800u, 1, 0, 0); /* fcvtl */
    put(buffer, 0x6ea0ec00u, 1, 1, a); /* facgt: -1 where it is too large */
    put(buffer, 0x2f10a400u, 0, 0, 0); /* uxtl */
    put(buffer, plain[JIT_ADD], d, 0, 1);
}

static void emit_f32_of_half(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, 0x0e612800u, 0, a, 0); /* xtn */
    put(buffer, 0x0e217800u, d, 0, 0); /* fcvtl */
}

static void emit_half_rounded(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, 0x0e216800u, 0, a, 0); /* fcvtn */
    put(buffer, 0x2f10a400u, d, 0, 0); /* uxtl */
}

bool jit_has_fma_half(void)
{
    return getauxval(AT_HWCAP) & HWCAP_ASIMDHP;
}

static void emit_popcount(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, 0x4e205800u, d, a, 0); /* cnt of bytes, then sums of neighbours */
    put(buffer, 0x6e202800u, d, d, 0);
    put(buffer, 0x6e602800u, d, d, 0);
}

static void emit_quad(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t choice)
{
    uint32_t bytes[4];
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = 0x03020100u + (choice >> 2 * i & 3) * 0x04040404u;
    load_pool(buffer, 0, jit_pool_vector(buffer, bytes));
    put(buffer, 0x4e000000u, d, a, 0); /* tbl */
}

/* Two lanes' offsets to a general register; each lane is loaded into its place. */
static void emit_load(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t pointer, uint32_t further_B)
{
    enum {
        BASE = 9,
        LOW = 10,
        HIGH = 11,
        ADDRESS = 12
    };
    if (pointer % 8 || pointer > 0xfff * 8 || further_B > 0xfff)
        buffer->full = true;
    put(buffer, 0xf9400000u | (pointer / 8) << 10, BASE, FRAME, 0); /* ldr x9, [frame, #pointer] */
    if (further_B)
        put(buffer, 0x91000000u | further_B << 10, BASE, BASE, 0);
    put(buffer, 0x4e083c00u, LOW, a, 0);                      /* mov x10, v.d[0] */
    put(buffer, 0x4e183c00u, HIGH, a, 0);                     /* mov x11, v.d[1] */
    put(buffer, 0xbc604800u, d, BASE, LOW);                   /* ldr s, [x9, w10, uxtw] */
    put(buffer, 0x8b400000u | 32 << 10, ADDRESS, BASE, LOW);  /* add x12, x9, x10, lsr #32 */
    put(buffer, 0x0d409000u, d, ADDRESS, 0);                  /* ld1 {v.s}[1], [x12] */
    put(buffer, 0x8b204000u, ADDRESS, BASE, HIGH);            /* add x12, x9, w11, uxtw */
    put(buffer, 0x4d408000u, d, ADDRESS, 0);                  /* ld1 {v.s}[2], [x12] */
    put(buffer, 0x8b400000u | 32 << 10, ADDRESS, BASE, HIGH); /* add x12, x9, x11, lsr #32 */
    put(buffer, 0x4d409000u, d, ADDRESS, 0);                  /* ld1 {v.s}[3], [x12] */
}

/* Loads one dword for all lanes. */
static void emit_load_same(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t pointer, uint32_t further_B)
{
    enum {
        BASE = 9,
        OFFSET = 10
    };
    if (pointer % 8 || pointer > 0xfff * 8 || further_B > 0xfff)
        buffer->full = true;
    put(buffer, 0xf9400000u | (pointer / 8) << 10, BASE, FRAME, 0); /* ldr x9, [frame, #pointer] */
    put(buffer, 0x1e260000u, OFFSET, a, 0);                         /* fmov w10, s */
    if (further_B)
        put(buffer, 0x91000000u | further_B << 10, BASE, BASE, 0);
    put(buffer, 0x8b204000u, BASE, BASE, OFFSET); /* add x9, x9, w10, uxtw */
    put(buffer, 0x4d40c800u, d, BASE, 0);         /* ld1r {v.4s}, [x9] */
}

/* The four lanes of all strands come one after the other and nothing between them needs these registers, so that the
 * pointer and, unless strands are too many, the offsets of two lanes are still where the first one of them has put
 * them. */
static void emit_load_lane(struct jit_buffer *buffer, const struct jit_shape *shape, unsigned d, unsigned a,
                           const struct jit_inst *inst)
{
    enum {
        BASE = 9,
        OFFSETS = 10, /* the first of a register for each strand */
        STRANDS = 4,
        ADDRESS = X17
    };
    const uint32_t pointer = inst->imm & 0xffff, further_B = inst->imm >> 16 & 0xfff, lane = jit_lane_of(inst->imm),
                   strand = inst->c, size_B = jit_lane_has_four(inst->imm) ? 16 : 8;
    const bool is_kept = shape->strands <= STRANDS;
    const unsigned offsets = is_kept ? OFFSETS + strand : OFFSETS;
    if (pointer % 8 || pointer > 0xfff * 8)
        buffer->full = true;
    if (lane == 0 && strand == 0)
        put(buffer, 0xf9400000u | (pointer / 8) << 10, BASE, FRAME, 0); /* ldr x9, [frame, #pointer] */
    if (is_kept && lane % 2 == 0)
        put(buffer, lane ? 0x4e183c00u : 0x4e083c00u, offsets, a, 0); /* mov x, v.d[lane / 2] */
    else if (!is_kept)
        put(buffer, 0x0e043c00u | lane << 19, offsets, a, 0); /* mov w, v.s[lane] */
    if (is_kept && lane % 2)
        put(buffer, 0x8b400000u | 32 << 10, ADDRESS, BASE, offsets); /* add x17, x9, x, lsr #32 */
    else
        put(buffer, 0x8b204000u, ADDRESS, BASE, offsets); /* add x17, x9, w, uxtw */
    if (further_B % size_B)
        put(buffer, 0x91000000u | further_B << 10, ADDRESS, ADDRESS, 0);
    put(buffer, (size_B == 16 ? 0x3dc00000u : 0xfd400000u) | (further_B % size_B ? 0 : further_B / size_B) << 10, d,
        ADDRESS, 0); /* ldr q or d, [x17, #further] */
}

/* One load, if the last lane is below the limit and, with that, all of them; else lane by lane. */
static void emit_load_near(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, uint32_t pointer,
                           uint32_t further_B)
{
    enum {
        BASE = 9,
        FIRST = 10,
        LIMIT_REG = 11,
        LAST = 12
    };
    if (pointer % 8 || pointer > 0xfff * 8 || further_B > 0xfff)
        buffer->full = true;
    put(buffer, 0x1e260000u, FIRST, a, 0);               /* fmov w10, s */
    put(buffer, 0x1e260000u, LIMIT_REG, b, 0);           /* fmov w11, s */
    put(buffer, 0x91000000u | 12 << 10, LAST, FIRST, 0); /* add x12, x10, #12 */
    put(buffer, 0xeb00001fu, 0, LAST, LIMIT_REG);        /* cmp x12, x11 */
    uint8_t *const slow = buffer->at;
    jit_put32(buffer, 0x54000002u);                                 /* b.hs */
    put(buffer, 0xf9400000u | (pointer / 8) << 10, BASE, FRAME, 0); /* ldr x9, [frame, #pointer] */
    if (further_B)
        put(buffer, 0x91000000u | further_B << 10, BASE, BASE, 0);
    put(buffer, 0x3ce06800u, d, BASE, FIRST); /* ldr q, [x9, x10] */
    uint8_t *const done = buffer->at;
    jit_put32(buffer, 0x14000000u); /* b */
    jit_a64_jump_here(buffer, slow);
    put(buffer, swapped[JIT_LT_U], 1, b, a);
    put(buffer, plain[JIT_AND], 2, a, 1);
    emit_load(buffer, d, 2, pointer, further_B);
    put(buffer, plain[JIT_AND], d, d, 1);
    jit_a64_jump_here(buffer, done);
}

/* Lane after lane, those of the condition c. */
static void emit_write(struct jit_buffer *buffer, unsigned a, unsigned b, unsigned c, uint32_t pointer,
                       uint32_t further_B)
{
    enum {
        BASE = 9,
        WANTED = 10,
        OFFSET = 11,
        ADDRESS = 12
    };
    static const uint32_t store[JIT_VECTOR_LANES] = {0x0d008000u, 0x0d009000u, 0x4d008000u, 0x4d009000u};
    if (pointer % 8 || pointer > 0xfff * 8 || further_B > 0xfff)
        buffer->full = true;
    put(buffer, 0xf9400000u | (pointer / 8) << 10, BASE, FRAME, 0); /* ldr x9, [frame, #pointer] */
    if (further_B)
        put(buffer, 0x91000000u | further_B << 10, BASE, BASE, 0);
    for (unsigned i = 0; i < JIT_VECTOR_LANES; i++) {
        put(buffer, 0x0e043c00u | i << 19, WANTED, c, 0); /* mov w10, v.s[i] */
        uint8_t *const skip = buffer->at;
        jit_put32(buffer, 0x34000000u | WANTED);          /* cbz w10 */
        put(buffer, 0x0e043c00u | i << 19, OFFSET, a, 0); /* mov w11, v.s[i] */
        put(buffer, 0x8b204000u, ADDRESS, BASE, OFFSET);  /* add x12, x9, w11, uxtw */
        put(buffer, store[i], b, ADDRESS, 0);             /* st1 {v.s}[i], [x12] */
        jit_a64_jump_here(buffer, skip);
    }
}

/* One store, if all lanes are wanted. */
static void emit_write_near(struct jit_buffer *buffer, unsigned a, unsigned b, unsigned c, uint32_t pointer,
                            uint32_t further_B)
{
    enum {
        BASE = 9,
        FIRST = 10
    };
    if (pointer % 8 || pointer > 0xfff * 8 || further_B > 0xfff)
        buffer->full = true;
    put(buffer, 0x6eb1a800u, 0, c, 0);     /* uminv s0, v */
    put(buffer, 0x1e260000u, FIRST, 0, 0); /* fmov w10, s0 */
    uint8_t *const slow = buffer->at;
    jit_put32(buffer, 0x34000000u | FIRST);                         /* cbz w10 */
    put(buffer, 0xf9400000u | (pointer / 8) << 10, BASE, FRAME, 0); /* ldr x9, [frame, #pointer] */
    if (further_B)
        put(buffer, 0x91000000u | further_B << 10, BASE, BASE, 0);
    put(buffer, 0x1e260000u, FIRST, a, 0);    /* fmov w10, s */
    put(buffer, 0x3ca06800u, b, BASE, FIRST); /* str q, [x9, x10] */
    uint8_t *const done = buffer->at;
    jit_put32(buffer, 0x14000000u); /* b */
    jit_a64_jump_here(buffer, slow);
    emit_write(buffer, a, b, c, pointer, further_B);
    jit_a64_jump_here(buffer, done);
}

static void emit_call(struct jit_buffer *buffer, const struct jit_inst *inst, unsigned d, unsigned a, unsigned b,
                      unsigned c)
{
    uint64_t target = (uint64_t)(uintptr_t)inst->call;
    jit_host_move(buffer, 0, a);
    if (inst->b != JIT_NONE)
        jit_host_move(buffer, 1, b);
    if (inst->c != JIT_NONE)
        jit_host_move(buffer, 2, c);
    jit_put32(buffer, 0xaa0003e0u | FRAME << 16); /* mov x0, x19 */
    const uint32_t words[JIT_VECTOR_LANES] = {(uint32_t)target, (uint32_t)(target >> 32)};
    put(buffer, 0xf9400000u | jit_pool_vector(buffer, words) * 2 << 10, X17, POOL, 0); /* ldr x17, [pool] */
    put(buffer, 0xd63f0000u, 0, X17, 0);                                               /* blr x17 */
    jit_host_move(buffer, d, 0);
}

/* Four bits leave the mask below as these lanes use theirs. */
static void emit_bits(struct jit_buffer *buffer, const struct jit_shape *shape, unsigned d, unsigned mask)
{
    load_pool(buffer, 0, one_bit_each(buffer));
    put(buffer, 0x4e040c00u, d, MASK + mask, 0);                         /* dup */
    put(buffer, 0x4ea08c00u, d, d, 0);                                   /* cmtst */
    jit_put32(buffer, 0xd344fc00u | (MASK + mask) << 5 | (MASK + mask)); /* lsr #4 */
}

/* Four bits enter the mask above: after the last lanes all of them are in their places. */
static void emit_store_bits(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand, unsigned a,
                            unsigned mask)
{
    bool wide = shape->frame->lanes == 64;
    load_pool(buffer, 0, one_bit_each(buffer));
    put(buffer, 0x4e201c00u, 0, a, 0);
    if (!shape->is_full) {
        load_row(buffer, 1, shape->frame->exec_row + strand * 16);
        put(buffer, 0x4e201c00u, 0, 0, 1);
    }
    put(buffer, 0x4eb1b800u, 0, 0, 0);                                                        /* addv */
    put(buffer, 0x1e260000u, X16, 0, 0);                                                      /* fmov w16, s0 */
    put(buffer, (wide ? 0x93c00000u : 0x13800000u) | 4 << 10, MASK + mask, X16, MASK + mask); /* extr */
}

static void emit_store(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand, unsigned a,
                       uint32_t offset)
{
    unsigned base = row_base(buffer, &offset);
    if (!shape->is_full) {
        load_vector(buffer, 0, base, offset);
        load_row(buffer, 1, shape->frame->exec_row + strand * 16);
        put(buffer, 0x6ea01c00u, 0, a, 1); /* bit */
        a = 0;
    }
    store_vector(buffer, a, base, offset);
}

void jit_host_emit(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst, unsigned d,
                   unsigned a, unsigned b, unsigned c, unsigned mask)
{
    if (plain[inst->op]) {
        put(buffer, plain[inst->op], d, a, b);
        return;
    }
    if (swapped[inst->op]) {
        put(buffer, swapped[inst->op], d, b, a);
        return;
    }
    if (unary[inst->op]) {
        put(buffer, unary[inst->op], d, a, 0);
        return;
    }
    switch ((enum jit_op)inst->op) {
    case JIT_CONST:
        if (inst->imm)
            load_pool(buffer, d, jit_pool_splat(buffer, inst->imm));
        else
            jit_put32(buffer, 0x6f00e400u | d); /* movi d.2d, #0 */
        break;
    case JIT_ROW:
        load_row(buffer, d, inst->imm);
        break;
    case JIT_SPLAT:
        if (inst->imm > 0xfff * 4)
            buffer->full = true;
        put(buffer, 0xbd400000u | (inst->imm / 4) << 10, d, FRAME, 0); /* ldr s */
        put(buffer, 0x4e040400u, d, d, 0);                             /* dup */
        break;
    case JIT_BITS:
        emit_bits(buffer, shape, d, mask);
        break;
    case JIT_LANE: {
        const uint32_t first = inst->c * JIT_VECTOR_LANES;
        const uint32_t numbers[] = {first, first + 1, first + 2, first + 3};
        jit_put32(buffer, 0x52800000u | shape->frame->lanes << 5 | X16); /* mov w16, #lanes */
        put(buffer, 0x4b000000u, X16, X16, COUNT);                       /* sub w16, w16, w23 */
        load_pool(buffer, 0, jit_pool_vector(buffer, numbers));
        put(buffer, 0x4e040c00u, d, X16, 0);
        put(buffer, plain[JIT_ADD], d, d, 0);
        break;
    }
    case JIT_SHL:
    case JIT_SHR:
    case JIT_SAR:
        emit_shift(buffer, inst->op, d, a, b);
        break;
    case JIT_SHL_IMM:
    case JIT_SHR_IMM:
    case JIT_SAR_IMM:
        emit_shift_by(buffer, inst->op, d, a, inst->imm);
        break;
    case JIT_MULHI_U:
    case JIT_MULHI_I:
        emit_mulhi(buffer, inst->op == JIT_MULHI_I, d, a, b);
        break;
    case JIT_HALF_OF_F32:
        emit_half(buffer, d, a);
        break;
    case JIT_F32_OF_HALF:
        emit_f32_of_half(buffer, d, a);
        break;
    case JIT_HALF_ROUNDED:
        emit_half_rounded(buffer, d, a);
        break;
    case JIT_POPCOUNT:
        emit_popcount(buffer, d, a);
        break;
    case JIT_SELECT:
        emit_select(buffer, d, a, b, c);
        break;
    case JIT_FMA:
    case JIT_FMS:
    case JIT_FMA_HALF:
        emit_fma(buffer, inst->op, d, a, b, c);
        break;
    case JIT_QUAD:
        emit_quad(buffer, d, a, inst->imm);
        break;
    case JIT_LOAD_LANE:
        emit_load_lane(buffer, shape, d, a, inst);
        break;
    case JIT_LOAD:
        if (inst->c == true) {
            emit_load_same(buffer, d, a, inst->imm & 0xffff, inst->imm >> 16);
            break;
        }
        emit_load(buffer, d, a, inst->imm & 0xffff, inst->imm >> 16);
        break;
    case JIT_LOAD_NEAR:
        emit_load_near(buffer, d, a, b, inst->imm & 0xffff, inst->imm >> 16);
        break;
    case JIT_WRITE:
        emit_write(buffer, a, b, c, inst->imm & 0xffff, inst->imm >> 16);
        break;
    case JIT_WRITE_NEAR:
        emit_write_near(buffer, a, b, c, inst->imm & 0xffff, inst->imm >> 16);
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
    case JIT_STORE_ONE:
        if (inst->imm > 0xfff * 4)
            buffer->full = true;
        put(buffer, 0xbd000000u | (inst->imm / 4) << 10, a, FRAME, 0); /* str s */
        break;
    default:
        buffer->full = true;
    }
}

#endif
