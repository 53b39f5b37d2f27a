/* AArch64: four lanes to a vector, NEON's instructions.
 *
 * x19 is the frame, x20 the same plus the bytes of the lanes that are done, x21 that plus REACH_B, for rows that one
 * offset does not reach, and x16 for those beyond; x22 the pool, x23 counts lanes down, x24 to x28 are masks, shifted as lanes are done. v0 to v2
 * are the emitter's own: arguments, results and intermediate values. */
#include "model/jit_host.h"

#if defined(__aarch64__)

#include <string.h>

const uint32_t jit_host_registers = 0xfffffff8; /* v3 to v31 */
const uint32_t jit_host_kept = 0x00ffff00;      /* v8 to v23, by the vector call standard */
const uint32_t jit_host_strands = 8;

enum {
    FRAME = 19,
    LANES = 20,
    FAR_LANES = 21,
    POOL = 22,
    COUNT = 23,
    MASK = 24, /* the first of five */
    SP = 31,
    X16 = 16,
    X17 = 17,
    REACH_B = 32768,
};

/* A sum of FMA is changed in place: in a factor's register it would be moved twice. */
bool jit_host_result_in(enum jit_op op, unsigned n)
{
    return op != JIT_FMA || n == 2;
}

static void put(struct jit_buffer *buffer, uint32_t word, unsigned d, unsigned n, unsigned m)
{
    jit_put32(buffer, word | d | n << 5 | m << 16);
}

/* ---- memory ---- */

static void load_vector(struct jit_buffer *buffer, unsigned d, unsigned base, uint32_t offset)
{
    put(buffer, 0x3dc00000u | (offset / 16) << 10, d, base, 0);
}

static void store_vector(struct jit_buffer *buffer, unsigned d, unsigned base, uint32_t offset)
{
    put(buffer, 0x3d800000u | (offset / 16) << 10, d, base, 0);
}

/* Rows begin at multiples of a vector. */
static unsigned row_base(struct jit_buffer *buffer, uint32_t *offset)
{
    if (*offset <= 0xfff * 16)
        return LANES;
    if (*offset <= REACH_B + 0xfff * 16) {
        *offset -= REACH_B;
        return FAR_LANES;
    }
    if (*offset >> 24)
        buffer->full = true;
    put(buffer, 0x91400000u | (*offset >> 12 & 0xfff) << 10, X16, LANES, 0); /* add x16, x20, #, lsl #12 */
    *offset &= 0xfff;
    return X16;
}

static void load_row(struct jit_buffer *buffer, unsigned d, uint32_t offset)
{
    unsigned base = row_base(buffer, &offset);
    load_vector(buffer, d, base, offset);
}

static void load_pool(struct jit_buffer *buffer, unsigned d, uint32_t number)
{
    load_vector(buffer, d, POOL, number * 16);
}

static void add_offset(struct jit_buffer *buffer, unsigned d, unsigned n, uint32_t offset)
{
    put(buffer, 0x91000000u | (offset & 0xfff) << 10, d, n, 0);
    if (offset >> 12)
        put(buffer, 0x91400000u | (offset >> 12) << 10, d, d, 0);
}

void jit_host_move(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    if (d != a)
        put(buffer, 0x4ea01c00u, d, a, a);
}

void jit_host_spill(struct jit_buffer *buffer, uint32_t slot, unsigned a)
{
    store_vector(buffer, a, SP, slot * 16);
}

void jit_host_reload(struct jit_buffer *buffer, uint32_t slot, unsigned d)
{
    load_vector(buffer, d, SP, slot * 16);
}

/* ---- the loop ---- */

static uint32_t one_bit_each(struct jit_buffer *buffer)
{
    static const uint32_t bits[JIT_VECTOR_LANES] = {1, 2, 4, 8};
    return jit_pool_vector(buffer, bits);
}

void jit_host_begin(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    jit_put32(buffer, 0xa9b67bfdu);  /* stp x29, x30, [sp, #-160]! */
    jit_put32(buffer, 0x910003fdu);  /* mov x29, sp */
    for (unsigned i = 0; i < 5; i++) /* stp x19 + 2i, x20 + 2i, [sp, #16 + 16i] */
        jit_put32(buffer, 0xa9000000u | (2 + 2 * i) << 15 | (20 + 2 * i) << 10 | SP << 5 | (19 + 2 * i));
    for (unsigned i = 0; i < 4; i++) /* stp d8 + 2i, d9 + 2i, [sp, #96 + 16i] */
        jit_put32(buffer, 0x6d000000u | (12 + 2 * i) << 15 | (9 + 2 * i) << 10 | SP << 5 | (8 + 2 * i));
    buffer->frame_patch = buffer->at;
    put(buffer, 0xd1000000u, SP, SP, 0); /* sub sp, sp, #slots */
    put(buffer, 0xd1400000u, SP, SP, 0);
    jit_put32(buffer, 0xaa0003e0u | FRAME); /* mov x19, x0 */
    put(buffer, 0x91000000u, LANES, FRAME, 0);
    add_offset(buffer, FAR_LANES, FRAME, REACH_B);
    buffer->pool_patch = buffer->at;
    jit_put32(buffer, 0);                                              /* adr x22, pool */
    jit_put32(buffer, 0x52800000u | shape->frame->lanes << 5 | COUNT); /* mov w23, #lanes */
    bool wide = shape->frame->lanes == 64;
    for (uint32_t i = 0; i < shape->mask_count; i++) {
        if (shape->masks[i].is_result) {
            jit_put32(buffer, 0xd2800000u | (MASK + i)); /* mov x, #0 */
            continue;
        }
        add_offset(buffer, X16, FRAME, shape->masks[i].offset);
        put(buffer, wide ? 0xf9400000u : 0xb9400000u, MASK + i, X16, 0);
    }
}

/* ---- rounds of a program's loop ---- */

void jit_host_round(struct jit_buffer *buffer)
{
}

void jit_host_settle(struct jit_buffer *buffer, uint32_t registers)
{
}

/* A jump goes from here on; where it was written before. */
static void jump_here(struct jit_buffer *buffer, uint8_t *jump)
{
    uint32_t word, distance = (uint32_t)(buffer->at - jump) / 4;
    if (buffer->full)
        return;
    memcpy(&word, jump, 4);
    word |= word >> 26 == 5 ? distance : distance << 5; /* b, or cbz and cbnz */
    memcpy(jump, &word, 4);
}

/* w16 = lane 0, or the largest of all. */
uint8_t *jit_host_leave(struct jit_buffer *buffer, bool is_same, unsigned a)
{
    if (!is_same)
        put(buffer, 0x6eb0a800u, 0, a, 0);             /* umaxv s0, v */
    put(buffer, 0x1e260000u, X16, is_same ? a : 0, 0); /* fmov w16, s */
    jit_put32(buffer, 0x35000000u | X16);              /* cbnz w16 */
    return buffer->at - 4;
}

void jit_host_stay(struct jit_buffer *buffer, uint8_t *leave, uint32_t number)
{
    jit_put32(buffer, 0x52800000u | number << 5); /* mov w0, #number */
    jit_put32(buffer, 0x14000000u);               /* b */
    buffer->leaves[buffer->leave_count++] = buffer->at - 4;
    jump_here(buffer, leave);
}

void jit_host_again(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    if (shape->frame->stop % 8 || shape->frame->stop > 0xfff * 8)
        buffer->full = true;
    put(buffer, 0xf9400000u | (shape->frame->stop / 8) << 10, X16, FRAME, 0); /* ldr x16, [frame, #stop] */
    put(buffer, 0x39400000u, X16, X16, 0);                                    /* ldrb w16, [x16] */
    const int32_t back = (int32_t)(buffer->round - buffer->at) / 4;
    if (back < -(1 << 18))
        buffer->full = true;
    jit_put32(buffer, 0x34000000u | ((uint32_t)back & 0x7ffff) << 5 | X16); /* cbz w16, round */
    jit_put32(buffer, 0x12800000u);                                         /* mov w0, #-1 */
    buffer->stop = buffer->at;
    jit_put32(buffer, 0x14000000u); /* b */
}

void jit_host_end(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    bool wide = shape->frame->lanes == 64;
    for (uint32_t i = 0; i < buffer->leave_count; i++)
        jump_here(buffer, buffer->leaves[i]);
    if (!shape->has_loop)
        jit_put32(buffer, 0x52800000u); /* mov w0, #0 */
    put(buffer, 0x91000000u | shape->strands * 16 << 10, LANES, LANES, 0);
    put(buffer, 0x91000000u | shape->strands * 16 << 10, FAR_LANES, FAR_LANES, 0);
    put(buffer, 0x71000000u | shape->strands * JIT_VECTOR_LANES << 10, COUNT, COUNT, 0); /* subs w23, w23, #lanes */
    int32_t back = (int32_t)(buffer->loop - buffer->at) / 4;
    if (back < -(1 << 18))
        buffer->full = true;
    jit_put32(buffer, 0x54000001u | ((uint32_t)back & 0x7ffff) << 5); /* b.ne loop */
    for (uint32_t i = 0; i < shape->mask_count; i++) {
        if (!shape->masks[i].is_result)
            continue;
        add_offset(buffer, X16, FRAME, shape->masks[i].offset);
        if (shape->frame->lanes == 16)
            jit_put32(buffer, 0x53107c00u | (MASK + i) << 5 | (MASK + i)); /* lsr w, w, #16 */
        put(buffer, wide ? 0xf9000000u : 0xb9000000u, MASK + i, X16, 0);
    }
    if (buffer->stop)
        jump_here(buffer, buffer->stop);
    uint32_t slots_B = shape->slot_count * 16;
    if (shape->slot_count > 0xfff)
        buffer->full = true;
    for (unsigned i = 0; i < 2 && !buffer->full; i++) {
        uint32_t word;
        memcpy(&word, buffer->frame_patch + 4 * i, 4);
        word |= (i ? slots_B >> 12 : slots_B & 0xfff) << 10;
        memcpy(buffer->frame_patch + 4 * i, &word, 4);
    }
    jit_put32(buffer, 0x910003bfu); /* mov sp, x29 */
    for (unsigned i = 0; i < 4; i++)
        jit_put32(buffer, 0x6d400000u | (12 + 2 * i) << 15 | (9 + 2 * i) << 10 | SP << 5 | (8 + 2 * i));
    for (unsigned i = 0; i < 5; i++)
        jit_put32(buffer, 0xa9400000u | (2 + 2 * i) << 15 | (20 + 2 * i) << 10 | SP << 5 | (19 + 2 * i));
    jit_put32(buffer, 0xa8ca7bfdu); /* ldp x29, x30, [sp], #160 */
    jit_put32(buffer, 0xd65f03c0u); /* ret */
}

void jit_host_link(struct jit_buffer *buffer, const uint8_t *pool)
{
    uint32_t distance = (uint32_t)(pool - buffer->pool_patch);
    uint32_t word = 0x10000000u | (distance & 3) << 29 | (distance >> 2 & 0x7ffff) << 5 | POOL; /* adr x22, pool */
    memcpy(buffer->pool_patch, &word, 4);
}

/* ---- operations ---- */

/* d = n op m, for those that NEON has as they are. */
static const uint32_t plain[JIT_OP_COUNT] = {
    [JIT_ADD] = 0x4ea08400,   [JIT_SUB] = 0x6ea08400,   [JIT_MUL] = 0x4ea09c00,   [JIT_AND] = 0x4e201c00,
    [JIT_ANDN] = 0x4e601c00,  [JIT_OR] = 0x4ea01c00,    [JIT_XOR] = 0x6e201c00,   [JIT_MIN_U] = 0x6ea06c00,
    [JIT_MAX_U] = 0x6ea06400, [JIT_MIN_I] = 0x4ea06c00, [JIT_MAX_I] = 0x4ea06400, [JIT_EQ] = 0x6ea08c00,
    [JIT_FADD] = 0x4e20d400,  [JIT_FSUB] = 0x4ea0d400,  [JIT_FMUL] = 0x6e20dc00,  [JIT_FDIV] = 0x6e20fc00,
    [JIT_FMIN] = 0x4ea0c400,  [JIT_FMAX] = 0x4e20c400,  [JIT_FEQ] = 0x4e20e400,
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

static void emit_fma(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, unsigned c)
{
    unsigned sum = d == a || d == b ? (d == c ? d : 0) : d; /* a factor must not be lost before it is used */
    jit_host_move(buffer, sum, c);
    put(buffer, 0x4e20cc00u, sum, a, b);
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
    case JIT_POPCOUNT:
        emit_popcount(buffer, d, a);
        break;
    case JIT_SELECT:
        emit_select(buffer, d, a, b, c);
        break;
    case JIT_FMA:
        emit_fma(buffer, d, a, b, c);
        break;
    case JIT_QUAD:
        emit_quad(buffer, d, a, inst->imm);
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
