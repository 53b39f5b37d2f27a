/* x86-64 with AVX-512 (F, BW, CD, DQ, VL: x86-64-v4): the operations that AVX2 does in another way.
 *
 * Booleans stay in mask registers as long as these last: a comparison writes one, and its vector is made only when
 * something reads the lanes (jit_x64_use). k1 is the emitter's own; k6 and k7 are the active lanes of both strands in
 * code that looks at them, else booleans like the others. */
#include "model/jit_host.h"

#if JIT_HOST && JIT_VECTOR_LANES == 16

#include "model/jit_x64.h"

enum {
    K_SCRATCH = 1,
    K_FIRST = 2,
    K_EXEC = 6, /* and the next */
    K_COUNT = 8,
};
_Static_assert(K_COUNT == JIT_HOST_MASKS, "mask registers");

/* ---- encoding ---- */

/* Lanes that are not in k keep what d has. */
static void put_where(struct jit_buffer *buffer, enum vector_code code, unsigned d, unsigned n, struct place m,
                      unsigned k)
{
    uint8_t bytes[16];
    put_bytes(buffer, bytes, write_evex(bytes, code, d, n, m, k, false));
}

static void put_where_imm(struct jit_buffer *buffer, enum vector_code code, unsigned d, unsigned n, struct place m,
                          unsigned k, unsigned imm)
{
    uint8_t bytes[16];
    size_t count = write_evex(bytes, code, d, n, m, k, false);
    bytes[count++] = (uint8_t)imm;
    put_bytes(buffer, bytes, count);
}

/* Lanes that are not in k become zero. */
static void put_where_else_zero(struct jit_buffer *buffer, enum vector_code code, unsigned d, unsigned n,
                                struct place m, unsigned k)
{
    uint8_t bytes[16];
    put_bytes(buffer, bytes, write_evex(bytes, code, d, n, m, k, true));
}

/* An instruction of mask registers, which have VEX's form. */
static void put_k(struct jit_buffer *buffer, enum vector_code code, unsigned d, unsigned n, struct place m)
{
    uint8_t bytes[16];
    put_bytes(buffer, bytes, write_vex(bytes, code, d, n, m));
}

/* ---- booleans in mask registers ---- */

void jit_x64_forget(struct jit_buffer *buffer)
{
    memset(&buffer->masks, 0, sizeof(buffer->masks));
}

/* The mask register that has this vector register's boolean; 0: none. */
static unsigned k_of(const struct jit_buffer *buffer, unsigned reg)
{
    for (unsigned k = K_FIRST; k < K_COUNT; k++) {
        if (buffer->masks.owner[k] == reg + 1)
            return k;
    }
    return 0;
}

void jit_x64_use(struct jit_buffer *buffer, uint32_t reads)
{
    for (uint32_t left = reads & buffer->masks.lazy; left; left &= left - 1) {
        const unsigned reg = (unsigned)__builtin_ctz(left);
        put(buffer, VPMOVM2D, reg, 0, in(k_of(buffer, reg)));
    }
    buffer->masks.lazy &= ~reads;
}

void jit_x64_made(struct jit_buffer *buffer, unsigned d)
{
    buffer->masks.owner[k_of(buffer, d)] = 0;
    buffer->masks.lazy &= ~(1u << d);
}

/* A mask register for a result, not one of the two operands. Which one loses its boolean makes no great difference. */
static unsigned k_take(struct jit_buffer *buffer, const struct jit_shape *shape, unsigned a, unsigned b)
{
    const unsigned end = shape->is_full ? K_COUNT : K_EXEC;
    unsigned chosen = 0;
    for (unsigned k = K_FIRST; k < end && !chosen; k++) {
        if (!buffer->masks.owner[k] && k != a && k != b)
            chosen = k;
    }
    while (!chosen) {
        buffer->masks.turn = (uint8_t)((buffer->masks.turn + 1) % (end - K_FIRST));
        const unsigned k = K_FIRST + buffer->masks.turn;
        chosen = k != a && k != b ? k : 0;
    }
    if (buffer->masks.owner[chosen]) {
        jit_x64_use(buffer, 1u << (buffer->masks.owner[chosen] - 1));
        buffer->masks.owner[chosen] = 0;
    }
    return chosen;
}

/* The boolean of d is in k, and nowhere else. */
static void k_give(struct jit_buffer *buffer, unsigned k, unsigned d)
{
    jit_x64_made(buffer, d);
    buffer->masks.owner[k] = (uint8_t)(d + 1);
    buffer->masks.lazy |= 1u << d;
}

/* For reading it once. */
static unsigned k_read(struct jit_buffer *buffer, unsigned a)
{
    const unsigned k = k_of(buffer, a);
    if (!k)
        put(buffer, VPMOVD2M, K_SCRATCH, 0, in(a));
    return k ? k : K_SCRATCH;
}

void jit_x64_test(struct jit_buffer *buffer, unsigned a)
{
    const unsigned k = k_read(buffer, a);
    put_k(buffer, KORTESTW, k, 0, in(k));
}

/* The active lanes of a strand, from the exec row once in a turn of the loop. */
static unsigned k_exec(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand)
{
    const unsigned k = K_EXEC + strand;
    if (!(buffer->masks.has_exec >> strand & 1)) {
        put(buffer, VMOVUPS, 0, 0, at(LANES, shape->frame->exec_row + strand * VECTOR_B));
        put(buffer, VPMOVD2M, k, 0, in(0));
        buffer->masks.has_exec |= (uint8_t)(1u << strand);
    }
    return k;
}

/* ---- operations ---- */

void jit_x64_ones(struct jit_buffer *buffer, unsigned d)
{
    put_imm(buffer, VPTERNLOGD, d, d, in(d), 0xff);
}

void jit_x64_group(struct jit_buffer *buffer, unsigned d)
{
    put(buffer, VPBROADCASTD_GENERAL, d, 0, in(GROUP));
}

static const struct jit_x64_plain comparisons[JIT_OP_COUNT] = {
    [JIT_EQ] = {VPCMPD, MAY_A | MAY_B, .has_imm = true, .imm = 0},
    [JIT_LT_I] = {VPCMPD, MAY_B, .has_imm = true, .imm = 1},
    [JIT_LE_I] = {VPCMPD, MAY_B, .has_imm = true, .imm = 2},
    [JIT_LT_U] = {VPCMPUD, MAY_B, .has_imm = true, .imm = 1},
    [JIT_LE_U] = {VPCMPUD, MAY_B, .has_imm = true, .imm = 2},
    [JIT_FEQ] = {VCMPPS, MAY_A | MAY_B, .has_imm = true, .imm = IS_EQ},
    [JIT_FLT] = {VCMPPS, MAY_B, .has_imm = true, .imm = IS_LT},
    [JIT_FLE] = {VCMPPS, MAY_B, .has_imm = true, .imm = IS_LE},
    [JIT_TEST] = {VPTESTMD, MAY_A | MAY_B},
};

unsigned jit_x64_may(enum jit_op op)
{
    if (op == JIT_F32_OF_U32)
        return MAY_A;
    return comparisons[op].may | (op == JIT_SELECT || op == JIT_FMIN || op == JIT_FMAX ? MAY_B : 0);
}

static void emit_comparison(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_x64_plain *p,
                            unsigned d, unsigned a, unsigned b)
{
    jit_x64_use(buffer, register_bit(a) | register_bit(b));
    const unsigned k = k_take(buffer, shape, 0, 0);
    put_plain(buffer, p, k, a, b);
    k_give(buffer, k, d);
}

static const struct jit_x64_plain logic[JIT_OP_COUNT] = {
    [JIT_AND] = {KANDW}, [JIT_OR] = {KORW}, [JIT_XOR] = {KXORW}, [JIT_ANDN] = {KANDNW, .is_swapped = true},
    [JIT_NOT] = {KNOTW},
};

/* Of booleans that are in mask registers; false: they are not. */
static bool emit_logic(struct jit_buffer *buffer, const struct jit_shape *shape, enum jit_op op, unsigned d, unsigned a,
                       unsigned b)
{
    const unsigned ka = k_of(buffer, a), kb = op == JIT_NOT ? 0 : k_of(buffer, b);
    if (!ka || (!kb && op != JIT_NOT))
        return false;
    const unsigned k = k_take(buffer, shape, ka, kb);
    if (op == JIT_NOT)
        put_k(buffer, KNOTW, k, 0, in(ka));
    else
        put_k(buffer, logic[op].code, k, logic[op].is_swapped ? kb : ka, in(logic[op].is_swapped ? ka : kb));
    k_give(buffer, k, d);
    return true;
}

static void emit_bits(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand, unsigned d,
                      unsigned mask)
{
    const unsigned k = k_take(buffer, shape, 0, 0);
    put_k(buffer, KMOVW, k, 0, mask_at(mask, strand));
    k_give(buffer, k, d);
}

static void emit_select(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, unsigned c)
{
    jit_x64_use(buffer, register_bit(b) | 1u << c);
    put_where(buffer, VPBLENDMD, d, c, operand(buffer, b), k_read(buffer, a));
    jit_x64_made(buffer, d);
}

/* Products of even lanes and of odd ones, 64 bits each; the upper halves of both. */
static void emit_mulhi(struct jit_buffer *buffer, enum vector_code mul, unsigned d, unsigned a, unsigned b)
{
    uint32_t odd[JIT_VECTOR_LANES];
    for (unsigned i = 0; i < JIT_VECTOR_LANES; i++)
        odd[i] = i & 1 ? UINT32_MAX : 0;
    put(buffer, mul, 0, a, in(b));
    put_imm(buffer, SHIFT_Q_BY, BY_RIGHT, 1, in(a), 32);
    put_imm(buffer, SHIFT_Q_BY, BY_RIGHT, 2, in(b), 32);
    put(buffer, mul, 1, 1, in(2));
    put_imm(buffer, SHIFT_Q_BY, BY_RIGHT, d, in(0), 32);
    put_imm(buffer, VPTERNLOGD, d, 1, pool_at(jit_pool_vector(buffer, odd)), 0xf8); /* d | n & m */
}

/* VRANGEPS has the operation's rules for zeros and NaNs. The product with one flushes what was only passed on. */
static void emit_least(struct jit_buffer *buffer, bool is_max, unsigned d, unsigned a, unsigned b)
{
    put_imm(buffer, VRANGEPS, d, a, operand(buffer, b), 4 | is_max); /* 4: the sign of the result as well */
    put(buffer, VMULPS, d, d, splat_at(buffer, 0x3f800000));
}

/* The host's conversion says INT32_MIN for all that does not fit. */
static void emit_i32_of_f32(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put_imm(buffer, VCMPPS, K_SCRATCH, a, in(a), IS_ORDERED);
    if (d == a) {
        jit_host_move(buffer, 0, a);
        a = 0;
    }
    put_where_else_zero(buffer, VCVTTPS2DQ, d, 0, in(a), K_SCRATCH);
    put_imm(buffer, VCMPPS, K_SCRATCH, a, splat_at(buffer, 0x4f000000), IS_GE); /* 2^31 */
    put_where_imm(buffer, VPTERNLOGD, d, d, in(d), K_SCRATCH, 0x55);            /* not */
}

/* The host's conversion says UINT32_MAX for all that does not fit; the maximum with zero is zero of a NaN. */
static void emit_u32_of_f32(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, VPXOR, 1, 1, in(1));
    put(buffer, VMAXPS, 0, a, in(1));
    put(buffer, VCVTTPS2UDQ, d, 0, in(0));
}

uint8_t *jit_x64_jump_if_other(struct jit_buffer *buffer, unsigned a, unsigned b)
{
    put_imm(buffer, VPCMPD, K_SCRATCH, a, in(b), 0); /* equal */
    put_k(buffer, KORTESTW, K_SCRATCH, 0, in(K_SCRATCH));
    PUT(buffer, 0x73, 0); /* jnc: not ones alone */
    return buffer->at;
}

/* The result must not be the offsets' register, and programs that stand in for a CPU refuse zmm16 and above there. The
 * host waits for what the result's register had. */
void jit_x64_gather(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t further_B)
{
    put_k(buffer, KXNORW, K_SCRATCH, K_SCRATCH, in(K_SCRATCH));
    jit_host_move(buffer, 2, a);
    put(buffer, VPXOR, d, d, in(d));
    put_where(buffer, VPGATHERDD, d, 0, (struct place){true, RDI, 2, 0, (int32_t)further_B, false}, K_SCRATCH);
}

void jit_x64_load_below(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, uint32_t pointer,
                        uint32_t further_B)
{
    put_general(buffer, MOV_LOAD, true, RAX, at(FRAME, pointer));
    put_imm(buffer, VPCMPUD, K_SCRATCH, a, in(b), 1); /* below */
    jit_host_move(buffer, 2, a);
    put(buffer, VPXOR, d, d, in(d));
    put_where(buffer, VPGATHERDD, d, 0, (struct place){true, RAX, 2, 0, (int32_t)further_B, false}, K_SCRATCH);
}

static void emit_store_bits(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand, unsigned a,
                            unsigned mask)
{
    unsigned k = k_read(buffer, a);
    if (!shape->is_full) {
        put_k(buffer, KANDW, K_SCRATCH, k, in(k_exec(buffer, shape, strand)));
        k = K_SCRATCH;
    }
    put_k(buffer, KMOVW_STORE, k, 0, mask_at(mask, strand));
}

static void emit_store(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand, unsigned a,
                       uint32_t offset)
{
    jit_x64_use(buffer, 1u << a);
    put_where(buffer, VMOVUPS_STORE, a, 0, at(LANES, offset), shape->is_full ? 0 : k_exec(buffer, shape, strand));
    if (offset - shape->frame->exec_row < shape->frame->lanes * 4)
        buffer->masks.has_exec = 0;
}

void jit_x64_table(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t offset)
{
    put(buffer, VPERMD, d, a, at(FRAME, offset));
}

void jit_x64_widen(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, VPMOVDW, a, 0, in(0));
    put(buffer, VCVTPH2PS, d, 0, in(0));
}

/* Both halves of each lane, of which the upper ones may be zeros and stay such. Neither sources nor results are ever
 * flushed. */
static void emit_fma_half(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, unsigned c)
{
    if (d != c && (d == a || d == b)) {
        put(buffer, VFMADD213PH, d, d == a ? b : a, in(c)); /* d = n * d + m */
    } else {
        jit_host_move(buffer, d, c);
        put(buffer, VFMADD231PH, d, a, in(b)); /* d = n * m + d */
    }
}

/* Small numbers of either half times zero: the host takes them as they are, whatever its control word says. */
static void emit_flush_halves(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, VPTESTNMW, K_SCRATCH, a, splat_at(buffer, 0x7c007c00));
    jit_host_move(buffer, d, a);
    put_where(buffer, VMULPH, d, a, splat_at(buffer, 0), K_SCRATCH);
}

bool jit_x64_emit_own(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst, unsigned d,
                      unsigned a, unsigned b, unsigned c, unsigned mask)
{
    switch ((enum jit_op)inst->op) {
    case JIT_MULHI_U:
        emit_mulhi(buffer, VPMULUDQ, d, a, b);
        break;
    case JIT_MULHI_I:
        emit_mulhi(buffer, VPMULDQ, d, a, b);
        break;
    case JIT_FMIN:
    case JIT_FMAX:
        emit_least(buffer, inst->op == JIT_FMAX, d, a, b);
        break;
    case JIT_F32_OF_U32:
        put(buffer, VCVTUDQ2PS, d, 0, operand(buffer, a));
        break;
    case JIT_I32_OF_F32:
        emit_i32_of_f32(buffer, d, a);
        break;
    case JIT_U32_OF_F32:
        emit_u32_of_f32(buffer, d, a);
        break;
    case JIT_FMA_HALF:
        emit_fma_half(buffer, d, a, b, c);
        break;
    case JIT_FLUSH_HALVES:
        emit_flush_halves(buffer, d, a);
        break;
    default:
        return false;
    }
    return true;
}

bool jit_x64_emit_masks(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst,
                        unsigned d, unsigned a, unsigned b, unsigned c, unsigned mask)
{
    if (comparisons[inst->op].code) {
        emit_comparison(buffer, shape, &comparisons[inst->op], d, a, b);
        return true;
    }
    if (logic[inst->op].code)
        return emit_logic(buffer, shape, inst->op, d, a, b);
    switch ((enum jit_op)inst->op) {
    case JIT_BITS:
        emit_bits(buffer, shape, inst->c, d, mask);
        return true;
    case JIT_SELECT:
        emit_select(buffer, d, a, b, c);
        return true;
    case JIT_STORE:
        emit_store(buffer, shape, inst->c, a, inst->imm);
        return true;
    case JIT_STORE_BITS:
        emit_store_bits(buffer, shape, inst->c, a, mask);
        return true;
    default:
        return false;
    }
}

#endif
