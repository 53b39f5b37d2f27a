/* x86-64: what the levels with host code have in common: the loop, the stack, System V's calls, and the operations that
 * are the same instructions in AVX2's form (eight lanes to a vector) and in AVX-512's (sixteen). Those that differ are
 * in jit_x64_avx2.c and jit_x64_avx512.c.
 *
 * edx is which way a loop was left, rbx is the frame plus the bytes of the lanes that are done, r13 counts vectors of
 * lanes up, r14 is the pool, r15 the frame, rbp the stack as it was. At rsp lie the masks, then the vectors that have
 * no register. The first three vector registers are the emitter's own: arguments, results and intermediate values. */
#include "model/jit_host.h"

#if JIT_HOST_X64

#include "model/jit_x64.h"

/* AVX2 has 16 registers, AVX-512 has 32. */
const uint32_t jit_host_registers = JIT_X64_HAS_EVEX ? 0xfffffff8 : 0xfff8;
const uint32_t jit_host_kept = 0;
const uint32_t jit_host_strands = JIT_X64_HAS_EVEX ? 2 : 4; /* active lanes of two are in mask registers */
const uint32_t jit_host_straight_strands = 2, jit_host_excess = 0;
const bool jit_host_adds_in_place = false;

_Static_assert(JIT_MAX_MASKS * 8 <= SLOTS_B, "masks overlap the vectors");

bool jit_host_result_in(enum jit_op op, unsigned n)
{
    return true;
}

/* ---- moves ---- */

void jit_host_move(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    if (d != a)
        put(buffer, VMOVAPS, d, 0, in(a));
}

void jit_host_spill(struct jit_buffer *buffer, uint32_t slot, unsigned a)
{
    jit_x64_use(buffer, 1u << a);
    put(buffer, VMOVUPS_STORE, a, 0, at(SP, SLOTS_B + slot * VECTOR_B));
}

void jit_host_reload(struct jit_buffer *buffer, uint32_t slot, unsigned d)
{
    put(buffer, VMOVUPS, d, 0, at(SP, SLOTS_B + slot * VECTOR_B));
    jit_x64_made(buffer, d);
}

/* ---- the loop ---- */

void jit_host_begin(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    const bool is_wide = shape->frame->lanes == 64;
    jit_x64_forget(buffer);
    PUT(buffer, 0x55, 0x48, 0x89, 0xe5);                   /* push rbp; mov rbp, rsp */
    PUT(buffer, 0x53, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57); /* push rbx, r13, r14, r15 */
    PUT(buffer, 0x48, 0x83, 0xe4, (uint8_t)-VECTOR_B);     /* and rsp, -32 or -64 */
    PUT(buffer, 0x48, 0x81, 0xec);                         /* sub rsp, size */
    buffer->frame_patch = buffer->at;
    jit_put32(buffer, 0);
    put_general(buffer, MOV_STORE, true, RDI, in(FRAME));
    put_general(buffer, MOV_STORE, true, RDI, in(LANES));
    PUT(buffer, 0x45, 0x31, 0xed); /* xor r13d, r13d */
    PUT(buffer, 0x4c, 0x8d, 0x35); /* lea r14, [rip + pool] */
    buffer->pool_patch = buffer->at;
    jit_put32(buffer, 0);
    for (uint32_t i = 0; i < shape->mask_count; i++) {
        if (shape->masks[i].is_result) {
            if (shape->frame->lanes == 16) { /* which do not fill the dword */
                PUT(buffer, 0x31, 0xc0);     /* xor eax, eax */
                put_general(buffer, MOV_STORE, true, RAX, at(SP, 8 * i));
            }
            continue;
        }
        put_general(buffer, MOV_LOAD, is_wide, RAX, at(FRAME, shape->masks[i].offset));
        put_general(buffer, MOV_STORE, true, RAX, at(SP, 8 * i));
    }
}

/* ---- rounds of a program's loop ---- */

void jit_host_round(struct jit_buffer *buffer)
{
    jit_x64_forget(buffer);
}

void jit_host_settle(struct jit_buffer *buffer, uint32_t registers)
{
    jit_x64_use(buffer, registers);
}

/* A jump, by the four bytes before `after`, goes here. */
static void jump_here(struct jit_buffer *buffer, uint8_t *after)
{
    const int32_t distance = (int32_t)(buffer->at - after);
    if (!buffer->full)
        memcpy(after - 4, &distance, sizeof(distance));
}

uint8_t *jit_host_leave(struct jit_buffer *buffer, bool is_same, unsigned a)
{
    (void)is_same;
    jit_x64_test(buffer, a);
    PUT(buffer, 0x0f, 0x85, 0, 0, 0, 0); /* jnz */
    return buffer->at;
}

void jit_host_stay(struct jit_buffer *buffer, uint8_t *leave, uint32_t number)
{
    PUT(buffer, 0xba); /* mov edx, number */
    jit_put32(buffer, number);
    PUT(buffer, 0xe9, 0, 0, 0, 0); /* jmp */
    buffer->leaves[buffer->leave_count++] = buffer->at;
    jump_here(buffer, leave);
}

void jit_host_miss(struct jit_buffer *buffer, bool is_same, unsigned a, uint32_t number)
{
    (void)is_same;
    jit_x64_test(buffer, a);
    PUT(buffer, 0x74, 10, 0xba); /* jz over this; mov edx, number */
    jit_put32(buffer, JIT_MISSED | number << 8);
    PUT(buffer, 0xe9, 0, 0, 0, 0); /* jmp */
    buffer->misses[buffer->miss_count++] = buffer->at;
}

/* edx gets the lanes that are done, too. */
static void end_misses(struct jit_buffer *buffer)
{
    PUT(buffer, 0xeb, 8); /* jmp over this */
    for (uint32_t i = 0; i < buffer->miss_count; i++)
        jump_here(buffer, buffer->misses[i]);
    PUT(buffer, 0x44, 0x89, 0xe8, 0xc1, 0xe0, JIT_X64_HAS_EVEX ? 4 : 3, 0x09,
        0xc2); /* mov eax, r13d; shl eax; or edx, eax */
}

void jit_host_again(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    put_general(buffer, MOV_LOAD, true, RAX, at(FRAME, shape->frame->stop));
    PUT(buffer, 0x80, 0x38, 0, 0x0f, 0x84); /* cmp byte [rax], 0; je round */
    jit_put32(buffer, (uint32_t)(buffer->round - (buffer->at + 4)));
    PUT(buffer, 0xba); /* mov edx, -1 */
    jit_put32(buffer, UINT32_MAX);
    PUT(buffer, 0xe9, 0, 0, 0, 0); /* jmp */
    buffer->stop = buffer->at;
}

void jit_host_end(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    const bool is_wide = shape->frame->lanes == 64;
    for (uint32_t i = 0; i < buffer->leave_count; i++)
        jump_here(buffer, buffer->leaves[i]);
    if (!shape->has_loop)
        PUT(buffer, 0x31, 0xd2);   /* xor edx, edx */
    PUT(buffer, 0x48, 0x81, 0xc3); /* add rbx, 32 to 128 */
    jit_put32(buffer, shape->strands * VECTOR_B);
    PUT(buffer, 0x41, 0x83, 0xc5, (uint8_t)shape->strands);                                       /* add r13d, 1 or 2 */
    PUT(buffer, 0x41, 0x83, 0xfd, (uint8_t)(shape->frame->lanes / JIT_VECTOR_LANES), 0x0f, 0x85); /* cmp r13d; jne */
    jit_put32(buffer, (uint32_t)(buffer->loop - (buffer->at + 4)));
    for (uint32_t i = 0; i < shape->mask_count; i++) {
        if (!shape->masks[i].is_result)
            continue;
        put_general(buffer, MOV_LOAD, true, RAX, at(SP, 8 * i));
        put_general(buffer, MOV_STORE, is_wide, RAX, at(FRAME, shape->masks[i].offset));
    }
    if (buffer->miss_count)
        end_misses(buffer);
    if (buffer->stop)
        jump_here(buffer, buffer->stop);
    PUT(buffer, 0x89, 0xd0); /* mov eax, edx */
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

static const struct jit_x64_plain plain[JIT_OP_COUNT] = {
    [JIT_ADD] = {VPADDD, MAY_A | MAY_B},
    [JIT_SUB] = {VPSUBD, MAY_B},
    [JIT_MUL] = {VPMULLD, MAY_A | MAY_B},
    [JIT_AND] = {VPAND, MAY_A | MAY_B},
    [JIT_OR] = {VPOR, MAY_A | MAY_B},
    [JIT_XOR] = {VPXOR, MAY_A | MAY_B},
    [JIT_MIN_U] = {VPMINUD, MAY_A | MAY_B},
    [JIT_MAX_U] = {VPMAXUD, MAY_A | MAY_B},
    [JIT_MIN_I] = {VPMINSD, MAY_A | MAY_B},
    [JIT_MAX_I] = {VPMAXSD, MAY_A | MAY_B},
    [JIT_FADD] = {VADDPS, MAY_A | MAY_B},
    [JIT_FSUB] = {VSUBPS, MAY_B},
    [JIT_FMUL] = {VMULPS, MAY_A | MAY_B},
    [JIT_FDIV] = {VDIVPS, MAY_B},
    [JIT_ANDN] = {VPANDN, MAY_A, .is_swapped = true},
    [JIT_FMIN_NUMBER] = {VMINPS, MAY_B},
    [JIT_FMAX_NUMBER] = {VMAXPS, MAY_B},
    [JIT_FADD_HALF] = {VADDPH, MAY_A | MAY_B}, /* where AVX512-FP16 is; zeros above stay zeros */
    [JIT_FMUL_HALF] = {VMULPH, MAY_A | MAY_B},
};

/* d = op a. VROUNDPS's immediate operand is the direction. */
static const struct jit_x64_plain unary[JIT_OP_COUNT] = {
    [JIT_FSQRT] = {VSQRTPS, MAY_A},
    [JIT_FLOOR] = {VROUNDPS, MAY_A, .has_imm = true, .imm = 1},
    [JIT_CEIL] = {VROUNDPS, MAY_A, .has_imm = true, .imm = 2},
    [JIT_TRUNC] = {VROUNDPS, MAY_A, .has_imm = true, .imm = 3},
    [JIT_NEAREST] = {VROUNDPS, MAY_A, .has_imm = true, .imm = 0},
    [JIT_F32_OF_I32] = {VCVTDQ2PS, MAY_A},
};

bool jit_host_reads(enum jit_op op, unsigned n, enum jit_memory_kind kind)
{
    const bool is_fused = op == JIT_FMA || op == JIT_FMS;
    const unsigned may = plain[op].may | unary[op].may | (is_fused ? MAY_A | MAY_B | MAY_C : 0) |
                         (op == JIT_QUAD ? MAY_A : 0) | jit_x64_may(op);
    const bool is_half = op == JIT_FADD_HALF || op == JIT_FMUL_HALF; /* whose element in memory has 16 bits */
    return may >> n & 1 && (kind != JIT_MEMORY_SCALAR || (JIT_X64_HAS_EVEX && !is_half));
}

/* Shifts by 32 and more give no bits here. */
static void emit_shift(struct jit_buffer *buffer, enum vector_code code, unsigned d, unsigned a, unsigned b)
{
    put(buffer, VPAND, 0, b, splat_at(buffer, 31));
    put(buffer, code, d, a, in(0));
}

void jit_x64_not(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    put(buffer, VPXOR, d, a, splat_at(buffer, UINT32_MAX));
}

/* A table has the bits of half a byte; then sums of neighbours. */
static void emit_popcount(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    static const uint32_t part[4] = {0x02010100, 0x03020201, 0x03020201, 0x04030302};
    uint32_t table[JIT_VECTOR_LANES];
    for (unsigned i = 0; i < JIT_VECTOR_LANES; i++)
        table[i] = part[i % 4];
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

/* JIT_FMS's product has the other sign. */
static void emit_fma(struct jit_buffer *buffer, bool is_fms, unsigned d, unsigned a, unsigned b, unsigned c)
{
    const unsigned n = a == JIT_IN_MEMORY ? b : a, m = a == JIT_IN_MEMORY ? a : b;
    if (c == JIT_IN_MEMORY && d != a && d != b) {
        jit_host_move(buffer, d, a);
        a = d;
    }
    if (d != c && (d == a || d == b) && m != JIT_IN_MEMORY) {
        /* d = n * d + m */
        put(buffer, is_fms ? VFNMADD213PS : VFMADD213PS, d, d == a ? b : a, operand(buffer, c));
    } else if (d != c && d == n) {
        put(buffer, is_fms ? VFNMADD132PS : VFMADD132PS, d, c, operand(buffer, m)); /* d = d * m + n */
    } else {
        jit_host_move(buffer, d, c);
        put(buffer, is_fms ? VFNMADD231PS : VFMADD231PS, d, n, operand(buffer, m)); /* d = n * m + d */
    }
}

/* The half that is in register 0, but for small ones: 1 has these as numbers of steps of 2^-24, which are never less
 * than what the conversion gives. */
static void join_small(struct jit_buffer *buffer, unsigned d)
{
    put(buffer, VPMOVZXWD, 0, 0, in(0));
    put(buffer, VPAND, 2, 0, splat_at(buffer, 0x8000));
    put(buffer, VPXOR, 0, 0, in(2));
    put(buffer, VPMAXUD, 0, 0, in(1));
    put(buffer, VPOR, d, 0, in(2));
}

static void emit_half(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    if (jit_x64_keeps_small_halves()) {
        put_imm(buffer, VCVTPS2PH, a, 0, in(0), 3); /* toward zero */
        put(buffer, VPMOVZXWD, d, 0, in(0));
        return;
    }
    put(buffer, VPAND, 1, a, splat_at(buffer, 0x7fffffff));
    put(buffer, VPMINUD, 1, 1, splat_at(buffer, 0x38800000)); /* 2^-14 */
    put(buffer, VMULPS, 1, 1, splat_at(buffer, 0x4b800000));  /* 2^24 */
    put(buffer, VCVTTPS2DQ, 1, 0, in(1));
    put_imm(buffer, VCVTPS2PH, a, 0, in(0), 3);
    join_small(buffer, d);
}

/* Rounding by the direction of the control word: steps are counted with their sign. */
static void emit_half_rounded(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    if (jit_x64_keeps_small_halves()) {
        put_imm(buffer, VCVTPS2PH, a, 0, in(0), 4);
        put(buffer, VPMOVZXWD, d, 0, in(0));
        return;
    }
    put(buffer, VPAND, 1, a, splat_at(buffer, 0x7fffffff));
    put(buffer, VPMINUD, 1, 1, splat_at(buffer, 0x38800000)); /* 2^-14 */
    put(buffer, VPAND, 2, a, splat_at(buffer, 0x80000000));
    put(buffer, VPOR, 1, 1, in(2));
    put(buffer, VMULPS, 1, 1, splat_at(buffer, 0x4b800000)); /* 2^24 */
    put(buffer, VCVTPS2DQ, 1, 0, in(1));
    put_imm(buffer, SHIFT_D_BY, BY_RIGHT_SIGNED, 2, in(a), 31);
    put(buffer, VPXOR, 1, 1, in(2));
    put(buffer, VPSUBD, 1, 1, in(2));
    put_imm(buffer, VCVTPS2PH, a, 0, in(0), 4);
    join_small(buffer, d);
}

/* In the other direction, too. */
static void emit_f32_of_half(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    if (jit_x64_keeps_small_halves()) {
        jit_x64_widen(buffer, d, a);
        return;
    }
    jit_x64_widen(buffer, 0, a);
    put(buffer, VPAND, 2, a, splat_at(buffer, 0x7fff));
    put(buffer, VPMINUD, 2, 2, splat_at(buffer, 0x400));
    put(buffer, VCVTDQ2PS, 2, 0, in(2));
    put(buffer, VMULPS, 2, 2, splat_at(buffer, 0x33800000)); /* 2^-24 */
    put(buffer, VPAND, 1, 0, splat_at(buffer, 0x80000000));
    put(buffer, VPXOR, 0, 0, in(1));
    put(buffer, VPMAXUD, 0, 0, in(2));
    put(buffer, VPOR, d, 0, in(1));
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
    jit_x64_forget(buffer);
    jit_host_move(buffer, d, 0);
}

static void emit_const(struct jit_buffer *buffer, unsigned d, uint32_t value)
{
    if (value == 0)
        put(buffer, VPXOR, d, d, in(d));
    else if (value == UINT32_MAX)
        jit_x64_ones(buffer, d);
    else
        put(buffer, VMOVUPS, d, 0, splat_at(buffer, value));
}

/* By way of the stack. */
static void emit_store_one(struct jit_buffer *buffer, unsigned a, uint32_t offset)
{
    put(buffer, VMOVUPS_STORE, a, 0, at(SP, SLOTS_B));
    put_general(buffer, MOV_LOAD, false, RAX, at(SP, SLOTS_B));
    put_general(buffer, MOV_STORE, false, RAX, at(FRAME, offset));
}

static void emit_lane(struct jit_buffer *buffer, uint32_t strand, unsigned d)
{
    uint32_t numbers[JIT_VECTOR_LANES];
    for (uint32_t i = 0; i < JIT_VECTOR_LANES; i++)
        numbers[i] = strand * JIT_VECTOR_LANES + i;
    jit_x64_group(buffer, d);
    put_imm(buffer, SHIFT_D_BY, BY_LEFT, d, in(d), JIT_X64_HAS_EVEX ? 4 : 3);
    put(buffer, VPADDD, d, d, pool_at(jit_pool_vector(buffer, numbers)));
}

/* Operations that both levels make in one way; false for the rest. */
static bool emit_shared(struct jit_buffer *buffer, const struct jit_inst *inst, unsigned d, unsigned a, unsigned b,
                        unsigned c)
{
    if (plain[inst->op].code) {
        put_plain(buffer, &plain[inst->op], d, a, b);
        return true;
    }
    if (unary[inst->op].code) {
        put_plain(buffer, &unary[inst->op], d, 0, a);
        return true;
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
    case JIT_LANE:
        emit_lane(buffer, inst->c, d);
        break;
    case JIT_NOT:
        jit_x64_not(buffer, d, a);
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
    case JIT_POPCOUNT:
        emit_popcount(buffer, d, a);
        break;
    case JIT_FMA:
    case JIT_FMS:
        emit_fma(buffer, inst->op == JIT_FMS, d, a, b, c);
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
    case JIT_QUAD:
        put_imm(buffer, VPERMILPS, d, 0, operand(buffer, a), inst->imm);
        break;
    case JIT_TABLE:
        jit_x64_table(buffer, d, a, inst->imm);
        break;
    case JIT_CALL:
        emit_call(buffer, inst, d, a, b, c);
        break;
    case JIT_STORE_ONE:
        emit_store_one(buffer, a, inst->imm);
        break;
    case JIT_LOAD:
        jit_x64_load(buffer, d, a, inst->imm & 0xffff, inst->imm >> 16, inst->c);
        break;
    case JIT_LOAD_NEAR:
        jit_x64_load_near(buffer, d, a, b, inst->imm & 0xffff, inst->imm >> 16);
        break;
    case JIT_WRITE:
        jit_x64_write(buffer, a, b, c, inst->imm & 0xffff, inst->imm >> 16);
        break;
    case JIT_WRITE_NEAR:
        jit_x64_write_near(buffer, a, b, c, inst->imm & 0xffff, inst->imm >> 16);
        break;
    default:
        return false;
    }
    return true;
}

/* The registers of an operation's operands, as bits. */
static uint32_t reads_of(const struct jit_inst *inst, unsigned a, unsigned b, unsigned c)
{
    const unsigned operands = jit_operand_count(inst->op);
    return (operands > 0 && inst->a != JIT_NONE ? register_bit(a) : 0) |
           (operands > 1 && inst->b != JIT_NONE ? register_bit(b) : 0) |
           (operands > 2 && inst->c != JIT_NONE ? register_bit(c) : 0);
}

void jit_host_emit(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst, unsigned d,
                   unsigned a, unsigned b, unsigned c, unsigned mask)
{
    if (jit_x64_emit_masks(buffer, shape, inst, d, a, b, c, mask))
        return;
    jit_x64_use(buffer, reads_of(inst, a, b, c));
    if (!jit_x64_emit_own(buffer, shape, inst, d, a, b, c, mask) && !emit_shared(buffer, inst, d, a, b, c))
        buffer->full = true;
    if (inst->op != JIT_STORE_ONE)
        jit_x64_made(buffer, d);
}

#endif
