/* x86-64 with AVX2, FMA and F16C: the operations that AVX-512 does in another way. Booleans are in vectors. */
#include "model/jit_host.h"

#if JIT_HOST && JIT_VECTOR_LANES == 8

#include "model/jit_x64.h"

/* Registers 1 and 2 may have which lanes of a strand are not active, from one store to the next: owner[n] is the strand
 * plus one. Whatever else is made takes them. */
static void forget_lanes(struct jit_buffer *buffer)
{
    buffer->masks.owner[1] = buffer->masks.owner[2] = 0;
}

void jit_x64_use(struct jit_buffer *buffer, uint32_t reads)
{
    forget_lanes(buffer);
}

void jit_x64_test(struct jit_buffer *buffer, unsigned a)
{
    put(buffer, VMOVMSKPS, RAX, 0, in(a));
    PUT(buffer, 0x85, 0xc0); /* test eax, eax */
}

void jit_x64_made(struct jit_buffer *buffer, unsigned d)
{
}

void jit_x64_forget(struct jit_buffer *buffer)
{
    forget_lanes(buffer);
}

void jit_x64_ones(struct jit_buffer *buffer, unsigned d)
{
    put(buffer, VPCMPEQD, d, d, in(d));
}

void jit_x64_group(struct jit_buffer *buffer, unsigned d)
{
    put(buffer, VMOVD, d, 0, in(GROUP));
    put(buffer, VPBROADCASTD, d, 0, in(d));
}

static const struct jit_x64_plain plain[JIT_OP_COUNT] = {
    [JIT_EQ] = {VPCMPEQD, MAY_A | MAY_B},
    [JIT_LT_I] = {VPCMPGTD, MAY_A, .is_swapped = true},
    [JIT_FEQ] = {VCMPPS, MAY_A | MAY_B, .has_imm = true, .imm = IS_EQ},
    [JIT_FLT] = {VCMPPS, MAY_B, .has_imm = true, .imm = IS_LT},
    [JIT_FLE] = {VCMPPS, MAY_B, .has_imm = true, .imm = IS_LE},
};

unsigned jit_x64_may(enum jit_op op)
{
    if (op == JIT_LT_U)
        return MAY_A;
    return plain[op].may | (op == JIT_SELECT || op == JIT_LE_U || op == JIT_LE_I ? MAY_B : 0);
}

/* The least of both is a, which is not in memory. */
static void emit_le(struct jit_buffer *buffer, enum vector_code min, unsigned d, unsigned a, unsigned b)
{
    put(buffer, min, 0, a, operand(buffer, b));
    put(buffer, VPCMPEQD, d, 0, in(a));
}

/* Products of even lanes and of odd ones, 64 bits each; the upper halves of both. */
static void emit_mulhi(struct jit_buffer *buffer, enum vector_code mul, unsigned d, unsigned a, unsigned b)
{
    put(buffer, mul, 0, a, in(b));
    put_imm(buffer, SHIFT_Q_BY, BY_RIGHT, 1, in(a), 32);
    put_imm(buffer, SHIFT_Q_BY, BY_RIGHT, 2, in(b), 32);
    put(buffer, mul, 1, 1, in(2));
    put_imm(buffer, SHIFT_Q_BY, BY_RIGHT, 0, in(0), 32);
    put_imm(buffer, VPBLENDD, d, 0, in(1), 0xaa);
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

uint8_t *jit_x64_jump_if_other(struct jit_buffer *buffer, unsigned a, unsigned b)
{
    put(buffer, VPCMPEQD, 0, a, in(b));
    put(buffer, VMOVMSKPS, RCX, 0, in(0));
    PUT(buffer, 0xfe, 0xc1, 0x75, 0); /* inc cl; jnz: not ones alone */
    return buffer->at;
}

/* The result must not be the offsets' register; and programs that stand in for a CPU take ymm4 there for none. */
void jit_x64_gather(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t further_B)
{
    put(buffer, VPCMPEQD, 1, 1, in(1));
    jit_host_move(buffer, 2, a);
    put(buffer, VPGATHERDD, d, 1, (struct place){true, RDI, 2, 0, (int32_t)further_B, false});
}

void jit_x64_load_below(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, uint32_t pointer,
                        uint32_t further_B)
{
    put_general(buffer, MOV_LOAD, true, RAX, at(FRAME, pointer));
    put(buffer, VPMAXUD, 1, a, in(b));
    put(buffer, VPCMPEQD, 1, 1, in(a));
    jit_x64_not(buffer, 1, 1);
    jit_host_move(buffer, 2, a);
    put(buffer, VPXOR, d, d, in(d));
    put(buffer, VPGATHERDD, d, 1, (struct place){true, RAX, 2, 0, (int32_t)further_B, false});
}

static void emit_bits(struct jit_buffer *buffer, uint32_t strand, unsigned d, unsigned mask)
{
    static const uint32_t bits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    const struct place one_each = pool_at(jit_pool_vector(buffer, bits));
    put(buffer, VPBROADCASTB, d, 0, mask_at(mask, strand));
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
    put_general(buffer, MOV_STORE_BYTE, false, RAX, mask_at(mask, strand));
}

/* The register with the lanes of a strand that are not active. */
static unsigned lanes_left_out(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand)
{
    const unsigned r = 1 + (strand & 1);
    if (buffer->masks.owner[r] != strand + 1) {
        jit_x64_ones(buffer, r);
        put(buffer, VPXOR, r, r, at(LANES, shape->frame->exec_row + strand * VECTOR_B));
        buffer->masks.owner[r] = (uint8_t)(strand + 1);
    }
    return r;
}

static void emit_store(struct jit_buffer *buffer, const struct jit_shape *shape, uint32_t strand, unsigned a,
                       uint32_t offset)
{
    if (!shape->is_full) {
        put_imm(buffer, VBLENDVPS, 0, a, at(LANES, offset), lanes_left_out(buffer, shape, strand) << 4);
        a = 0;
    }
    put(buffer, VMOVUPS_STORE, a, 0, at(LANES, offset));
    if (offset - shape->frame->exec_row < shape->frame->lanes * 4)
        forget_lanes(buffer);
}

bool jit_x64_emit_masks(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst,
                        unsigned d, unsigned a, unsigned b, unsigned c, unsigned mask)
{
    if (inst->op == JIT_STORE)
        emit_store(buffer, shape, inst->c, a, inst->imm);
    return inst->op == JIT_STORE;
}

/* Both halves; the fourth bit chooses. */
void jit_x64_table(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t offset)
{
    put(buffer, VPERMD, 0, a, at(FRAME, offset));
    put(buffer, VPERMD, 1, a, at(FRAME, offset + VECTOR_B));
    put_imm(buffer, SHIFT_D_BY, BY_LEFT, 2, in(a), 28);
    put_imm(buffer, VBLENDVPS, d, 0, in(1), 2 << 4);
}

/* The lower halves of lanes to the lower half of each 128 bits, then both together. */
void jit_x64_widen(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    static const uint32_t order[JIT_VECTOR_LANES] = {0x05040100, 0x0d0c0908, 0x80808080, 0x80808080,
                                                     0x05040100, 0x0d0c0908, 0x80808080, 0x80808080};
    put(buffer, VPSHUFB, 0, a, pool_at(jit_pool_vector(buffer, order)));
    put_imm(buffer, VPERMQ, 0, 0, in(0), 0x08);
    put(buffer, VCVTPH2PS, d, 0, in(0));
}

bool jit_x64_emit_own(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst, unsigned d,
                      unsigned a, unsigned b, unsigned c, unsigned mask)
{
    if (plain[inst->op].code) {
        put_plain(buffer, &plain[inst->op], d, a, b);
        return true;
    }
    switch ((enum jit_op)inst->op) {
    case JIT_BITS:
        emit_bits(buffer, inst->c, d, mask);
        break;
    case JIT_MULHI_U:
        emit_mulhi(buffer, VPMULUDQ, d, a, b);
        break;
    case JIT_MULHI_I:
        emit_mulhi(buffer, VPMULDQ, d, a, b);
        break;
    case JIT_LT_U:
        emit_le(buffer, VPMINUD, 0, b, a);
        jit_x64_not(buffer, d, 0);
        break;
    case JIT_LE_U:
        emit_le(buffer, VPMINUD, d, a, b);
        break;
    case JIT_LE_I:
        emit_le(buffer, VPMINSD, d, a, b);
        break;
    case JIT_SELECT:
        put_imm(buffer, VBLENDVPS, d, c, operand(buffer, b), a << 4);
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
    case JIT_U32_OF_F32:
        emit_u32_of_f32(buffer, d, a);
        break;
    case JIT_STORE_BITS:
        emit_store_bits(buffer, shape, inst->c, a, mask);
        break;
    default:
        return false;
    }
    return true;
}

#endif
