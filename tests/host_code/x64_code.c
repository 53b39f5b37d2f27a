/* Code that the makers of x86-64's levels write for every operation: bytes, with the operands that were asked for
 * and the constants that the bytes name. x64_code.py has llvm-mc read them and compares the meaning. Runs on every
 * host, as code of the level that JIT_WRITES_X64 names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/jit_x64.h"

static bool keeps_small_halves;

/* The processor's own answers (jit_x64_cpu.c) are the test's here. */
bool jit_x64_keeps_small_halves(void)
{
    return keeps_small_halves;
}

bool jit_has_fma_half(void)
{
    return JIT_X64_HAS_EVEX;
}

static uint8_t bytes[4096];
static struct jit_buffer buffer;
static struct jit_frame frame = {.lanes = 64, .exec_row = 0x1000, .max_offset_B = 0x10000, .stop = 0x38};
static struct jit_shape shape = {.frame = &frame, .strands = 2, .slot_count = 5};

static void begin_line(void)
{
    memset(&buffer, 0, sizeof(buffer));
    buffer.at = bytes;
    buffer.end = bytes + sizeof(bytes);
    jit_x64_forget(&buffer);
}

/* One line: name, operands, bytes, constants. A constant is its lanes, or the first of them where all are the same. */
static void end_line(const char *name, const char *operands)
{
    printf("%s\t%s\t", buffer.full ? "(full)" : name, operands);
    for (const uint8_t *at = bytes; at < buffer.at; at++)
        printf("%02x", *at);
    putchar('\t');
    for (uint32_t i = 0; i < buffer.pool_count; i++) {
        const uint32_t *lanes = buffer.pool[i];
        const bool is_splat = memcmp(lanes, lanes + 1, (JIT_VECTOR_LANES - 1) * sizeof(*lanes)) == 0;
        for (uint32_t lane = 0; lane < (is_splat ? 1 : JIT_VECTOR_LANES); lane++)
            printf("%s%" PRIx32, lane ? "," : i ? " " : "", lanes[lane]);
    }
    putchar('\n');
}

/* ---- single operations ---- */

#define OPS(X)                                                                                                         \
    X(CONST)                                                                                                           \
    X(ROW)                                                                                                             \
    X(SPLAT)                                                                                                           \
    X(BITS)                                                                                                            \
    X(LANE)                                                                                                            \
    X(ADD)                                                                                                             \
    X(SUB)                                                                                                             \
    X(MUL)                                                                                                             \
    X(AND)                                                                                                             \
    X(ANDN)                                                                                                            \
    X(OR)                                                                                                              \
    X(XOR)                                                                                                             \
    X(NOT)                                                                                                             \
    X(SHL)                                                                                                             \
    X(SHR)                                                                                                             \
    X(SAR)                                                                                                             \
    X(SHL_IMM)                                                                                                         \
    X(SHR_IMM)                                                                                                         \
    X(SAR_IMM)                                                                                                         \
    X(MIN_U)                                                                                                           \
    X(MAX_U)                                                                                                           \
    X(MIN_I)                                                                                                           \
    X(MAX_I)                                                                                                           \
    X(MULHI_U)                                                                                                         \
    X(MULHI_I)                                                                                                         \
    X(POPCOUNT)                                                                                                        \
    X(EQ)                                                                                                              \
    X(LT_U)                                                                                                            \
    X(LE_U)                                                                                                            \
    X(LT_I)                                                                                                            \
    X(LE_I)                                                                                                            \
    X(SELECT)                                                                                                          \
    X(FADD)                                                                                                            \
    X(FSUB)                                                                                                            \
    X(FMUL)                                                                                                            \
    X(FMA)                                                                                                             \
    X(FMS)                                                                                                             \
    X(FDIV)                                                                                                            \
    X(FSQRT)                                                                                                           \
    X(FMIN)                                                                                                            \
    X(FMAX)                                                                                                            \
    X(FMIN_NUMBER)                                                                                                     \
    X(FMAX_NUMBER)                                                                                                     \
    X(FEQ)                                                                                                             \
    X(FLT)                                                                                                             \
    X(FLE)                                                                                                             \
    X(FLOOR)                                                                                                           \
    X(CEIL)                                                                                                            \
    X(TRUNC)                                                                                                           \
    X(NEAREST)                                                                                                         \
    X(F32_OF_I32)                                                                                                      \
    X(F32_OF_U32)                                                                                                      \
    X(I32_OF_F32)                                                                                                      \
    X(U32_OF_F32)                                                                                                      \
    X(HALF_OF_F32)                                                                                                     \
    X(F32_OF_HALF)                                                                                                     \
    X(HALF_ROUNDED)                                                                                                    \
    X(QUAD)                                                                                                            \
    X(TABLE)                                                                                                           \
    X(LOAD)                                                                                                            \
    X(CALL)                                                                                                            \
    X(STORE)                                                                                                           \
    X(STORE_BITS)                                                                                                      \
    X(STORE_ONE)                                                                                                       \
    X(WRITE)                                                                                                           \
    X(LOAD_NEAR)                                                                                                       \
    X(WRITE_NEAR)

static const struct {
    enum jit_op op;
    const char *name;
} ops[] = {
#define ROW(name) {JIT_##name, #name},
    OPS(ROW)
#undef ROW
#if JIT_X64_HAS_EVEX
        {JIT_TEST, "TEST"},
    {JIT_FADD_HALF, "FADD_HALF"},
    {JIT_FMUL_HALF, "FMUL_HALF"},
    {JIT_FMA_HALF, "FMA_HALF"},
    {JIT_FLUSH_HALVES, "FLUSH_HALVES"},
#endif
};

static uint32_t imm_of(enum jit_op op, unsigned round)
{
    static const uint32_t constants[] = {0, UINT32_MAX, 0x3f800000, 0x12345678};
    static const uint32_t offsets[] = {0, 0x40, 0x60, 0x1fc0, 0x2000, 0x2020, 0xabc0};
    switch (op) {
    case JIT_CONST:
        return constants[round % 4];
    case JIT_SHL_IMM:
    case JIT_SHR_IMM:
    case JIT_SAR_IMM:
        return 1 + round % 31;
    case JIT_QUAD:
        return round * 37 & 0xff;
    case JIT_LOAD:
    case JIT_LOAD_NEAR:
    case JIT_WRITE:
    case JIT_WRITE_NEAR:
        return (0x48 + 8 * round) | (round * 68 & 0xffff) << 16;
    case JIT_SPLAT:
    case JIT_STORE_ONE:
        return 4 * round * round;
    default:
        return offsets[round % 7];
    }
}

/* Registers of all banks, and results in an operand's register. */
static void take_registers(unsigned round, unsigned *d, unsigned *abc)
{
    const unsigned count = JIT_X64_HAS_EVEX ? 29 : 13;
    for (unsigned n = 0; n < 3; n++)
        abc[n] = 3 + (round * 5 + n * 7) % count;
    *d = round % 4 ? abc[round % 4 - 1] : 3 + (round * 5 + 4) % count;
}

/* `lies`: the operand in memory, 3 for none. */
static void print_op(unsigned i, unsigned round, unsigned lies, enum jit_memory_kind kind)
{
    static const char *const kinds[] = {"const", "row", "scalar", "slot"};
    const uint32_t at = kind == JIT_MEMORY_SLOT ? 3 + round % 2 : kind == JIT_MEMORY_CONST ? 0x40a00000 : 0x80 * round;
    unsigned d, abc[4];
    take_registers(round, &d, abc);
    if (lies < 3)
        abc[lies] = JIT_IN_MEMORY;
    struct jit_inst inst = {.op = (uint16_t)ops[i].op, .imm = imm_of(ops[i].op, round)};
    if (ops[i].op == JIT_CALL)
        inst.call = (jit_call)(uintptr_t)0x1122334455667788;
    const bool has_strand = jit_operand_count(ops[i].op) < 3;
    if (has_strand)
        inst.c = round / 4 & 1;
    begin_line();
    buffer.memory = (struct jit_memory){kind, at};
    shape.is_full = round % 3 == 0;
    keeps_small_halves = round % 2;
    jit_host_emit(&buffer, &shape, &inst, d, abc[0], abc[1], abc[2], 2);
    if (d < JIT_MAX_REGISTERS)
        jit_host_settle(&buffer, 1u << d);
    char operands[256];
    snprintf(operands, sizeof(operands), "d=%u a=%u b=%u c=%u imm=%" PRIu32 " strand=%u full=%d small=%d %s=%" PRIu32,
             d, abc[0], abc[1], abc[2], inst.imm, has_strand ? inst.c : 0, shape.is_full, keeps_small_halves,
             lies < 3 ? kinds[kind] : "none", at);
    end_line(ops[i].name, operands);
}

static void print_ops(void)
{
    for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        for (unsigned round = 0; round < 64; round++) {
            unsigned d, abc[3];
            take_registers(round, &d, abc);
            print_op(i, round, 3, JIT_MEMORY_CONST);
            const unsigned n = round / 4 % 3;
            const enum jit_memory_kind kind = round / 12 % 4;
            if (n < jit_operand_count(ops[i].op) && jit_host_reads(ops[i].op, n, kind) && d != abc[n])
                print_op(i, round, n, kind);
        }
    }
}

/* ---- booleans that stay where they are ---- */

static void emit_op(enum jit_op op, unsigned d, unsigned a, unsigned b, unsigned c)
{
    const struct jit_inst inst = {.op = (uint16_t)op, .imm = 0x40};
    jit_host_emit(&buffer, &shape, &inst, d, a, b, c, 1);
}

static void print_booleans(void)
{
    begin_line();
    shape.is_full = false;
    emit_op(JIT_EQ, 3, 4, 5, 0);
    emit_op(JIT_FLT, 6, 7, 8, 0);
    emit_op(JIT_AND, 9, 3, 6, 0);
    emit_op(JIT_ANDN, 10, 3, 6, 0);
    emit_op(JIT_NOT, 3, 3, 0, 0); /* its operand's mask register is not the result's */
    emit_op(JIT_SELECT, 4, 9, 5, 7);
    emit_op(JIT_ADD, 11, 10, 9, 0); /* lanes of both are wanted */
    emit_op(JIT_STORE, 0, 11, 0, 0);
    emit_op(JIT_STORE_BITS, 0, 3, 0, 0);
    emit_op(JIT_STORE, 0, 4, 0, 0);
    jit_host_spill(&buffer, 4, 3);
    jit_host_reload(&buffer, 3, 6);
    end_line("booleans", "");
}

/* ---- around operations ---- */

static void print_loop(void)
{
    begin_line();
    shape.is_full = true;
    shape.has_loop = true;
    shape.mask_count = 2;
    shape.masks[0] = (struct jit_mask){false, 0x20};
    shape.masks[1] = (struct jit_mask){true, 0x28};
    jit_host_begin(&buffer, &shape);
    buffer.loop = buffer.at;
    jit_host_miss(&buffer, false, 5, 7);
    buffer.round = buffer.at;
    jit_host_round(&buffer);
    uint8_t *const leave = jit_host_leave(&buffer, false, 9);
    jit_host_stay(&buffer, leave, 3);
    jit_host_move(&buffer, 4, 12);
    jit_host_again(&buffer, &shape);
    jit_host_end(&buffer, &shape);
    jit_host_link(&buffer, buffer.at);
    end_line("loop", "");
}

int main(void)
{
    print_ops();
    print_booleans();
    print_loop();
    return 0;
}
