/* Every instruction of arithmetic, logic, comparison, bits and conversion, at every width it has: a module of that one
 * instruction, made word by word, against the same in C. */
#include "spirv_test.h"

#include <math.h>
#include <spirv/unified1/spirv.h>

#include "util/half.h"

#define LANES 64

/* --- a module of one instruction --- */

struct writer {
    uint32_t words[512];
    uint32_t count;
    uint32_t next_id;
};

static void emit_words(struct writer *w, uint32_t opcode, uint32_t count, ...)
{
    va_list args;
    va_start(args, count);
    w->words[w->count++] = (count + 1) << 16 | opcode;
    for (uint32_t i = 0; i < count; i++)
        w->words[w->count++] = va_arg(args, uint32_t);
    va_end(args);
}

enum kind {
    BOOL,
    INT,
    UINT,
    FLOAT
};

struct type {
    enum kind kind;
    uint8_t bits;
};

struct types {
    uint32_t ids[4][65];
};

static uint32_t type_id(struct writer *w, struct types *types, struct type type)
{
    /* Integers without and with sign are two types; floats of a width one. */
    uint32_t *id = &types->ids[type.kind][type.bits];
    if (*id)
        return *id;
    *id = w->next_id++;
    if (type.kind == BOOL)
        emit_words(w, SpvOpTypeBool, 1, *id);
    else if (type.kind == FLOAT)
        emit_words(w, SpvOpTypeFloat, 2, *id, (uint32_t)type.bits);
    else
        emit_words(w, SpvOpTypeInt, 3, *id, (uint32_t)type.bits, (uint32_t)(type.kind == INT));
    return *id;
}

#define MAX_ARGS 4

struct instruction {
    uint32_t opcode;
    uint32_t num_args;
    struct type args[MAX_ARGS], result;
    uint32_t members; /* of the result: 2, a struct of two of its type */
};

struct made {
    uint32_t arrays[MAX_ARGS + 1], pointers[MAX_ARGS + 1];
};

/* A buffer `{ T data[]; }` at a binding; booleans are stored as 32 bits. */
static void add_buffer_types(struct writer *w, struct types *types, struct type type, struct made *made, uint32_t i,
                             uint32_t block)
{
    uint32_t element = type_id(w, types, type), array = made->arrays[i];
    emit_words(w, SpvOpTypeRuntimeArray, 2, array, element);
    emit_words(w, SpvOpTypeStruct, 2, block, array);
    made->pointers[i] = w->next_id++;
    emit_words(w, SpvOpTypePointer, 3, made->pointers[i], (uint32_t)SpvStorageClassStorageBuffer, element);
}

static struct type in_memory(struct type type)
{
    return type.kind == BOOL ? (struct type){UINT, 32} : type;
}

static void build_module(struct writer *w, const struct instruction *in)
{
    enum {
        ENTRY = 1,
        LANE,
        VOID,
        FUNCTION_TYPE,
        UINT3,
        UINT3_POINTER,
        UINT_POINTER,
        ZERO,
        ONE,
        LABEL,
        FIRST_VARIABLE = 16,
        FIRST_BLOCK = 24,
        FREE = 40
    };
    static const uint32_t capabilities[] = {SpvCapabilityShader,
                                            SpvCapabilityInt8,
                                            SpvCapabilityInt16,
                                            SpvCapabilityInt64,
                                            SpvCapabilityFloat16,
                                            SpvCapabilityFloat64,
                                            SpvCapabilityStorageBuffer8BitAccess,
                                            SpvCapabilityStorageBuffer16BitAccess,
                                            SpvCapabilityIntegerFunctions2INTEL};
    static const struct type uint32 = {UINT, 32}, boolean = {BOOL, 1};
    struct types types = {0};
    struct made made = {0};
    uint32_t buffers = in->num_args + 1;
    *w = (struct writer){.words = {SpvMagicNumber, 0x10500, 0, 0, 0}, .count = 5, .next_id = FREE};
    for (uint32_t i = 0; i < ARRAY_SIZE(capabilities); i++)
        emit_words(w, SpvOpCapability, 1, capabilities[i]);
    emit_words(w, SpvOpMemoryModel, 2, (uint32_t)SpvAddressingModelLogical, (uint32_t)SpvMemoryModelGLSL450);
    emit_words(w, SpvOpEntryPoint, 5, (uint32_t)SpvExecutionModelGLCompute, (uint32_t)ENTRY, 0x6e69616du, 0u,
               (uint32_t)LANE);
    for (uint32_t i = 0; i < buffers; i++)
        w->words[w->count++] = FIRST_VARIABLE + i;
    w->words[w->count - 6 - buffers] += buffers << 16;
    emit_words(w, SpvOpExecutionMode, 5, (uint32_t)ENTRY, (uint32_t)SpvExecutionModeLocalSize, (uint32_t)LANES, 1u, 1u);
    emit_words(w, SpvOpDecorate, 3, (uint32_t)LANE, (uint32_t)SpvDecorationBuiltIn,
               (uint32_t)SpvBuiltInLocalInvocationId);
    for (uint32_t i = 0; i < buffers; i++) {
        struct type type = in_memory(i < in->num_args ? in->args[i] : in->result);
        made.arrays[i] = w->next_id++;
        emit_words(w, SpvOpDecorate, 3, made.arrays[i], (uint32_t)SpvDecorationArrayStride, (uint32_t)type.bits / 8);
        emit_words(w, SpvOpDecorate, 2, (uint32_t)FIRST_BLOCK + i, (uint32_t)SpvDecorationBlock);
        emit_words(w, SpvOpMemberDecorate, 4, (uint32_t)FIRST_BLOCK + i, 0u, (uint32_t)SpvDecorationOffset, 0u);
        emit_words(w, SpvOpDecorate, 3, (uint32_t)FIRST_VARIABLE + i, (uint32_t)SpvDecorationDescriptorSet, 0u);
        emit_words(w, SpvOpDecorate, 3, (uint32_t)FIRST_VARIABLE + i, (uint32_t)SpvDecorationBinding, i);
    }
    emit_words(w, SpvOpTypeVoid, 1, (uint32_t)VOID);
    emit_words(w, SpvOpTypeFunction, 2, (uint32_t)FUNCTION_TYPE, (uint32_t)VOID);
    uint32_t uint_id = type_id(w, &types, uint32), bool_id = type_id(w, &types, boolean);
    emit_words(w, SpvOpTypeVector, 3, (uint32_t)UINT3, uint_id, 3u);
    emit_words(w, SpvOpTypePointer, 3, (uint32_t)UINT3_POINTER, (uint32_t)SpvStorageClassInput, (uint32_t)UINT3);
    emit_words(w, SpvOpTypePointer, 3, (uint32_t)UINT_POINTER, (uint32_t)SpvStorageClassInput, uint_id);
    emit_words(w, SpvOpVariable, 3, (uint32_t)UINT3_POINTER, (uint32_t)LANE, (uint32_t)SpvStorageClassInput);
    emit_words(w, SpvOpConstant, 3, uint_id, (uint32_t)ZERO, 0u);
    emit_words(w, SpvOpConstant, 3, uint_id, (uint32_t)ONE, 1u);
    for (uint32_t i = 0; i < buffers; i++) {
        struct type type = in_memory(i < in->num_args ? in->args[i] : in->result);
        add_buffer_types(w, &types, type, &made, i, FIRST_BLOCK + i);
        uint32_t pointer = w->next_id++;
        emit_words(w, SpvOpTypePointer, 3, pointer, (uint32_t)SpvStorageClassStorageBuffer, (uint32_t)FIRST_BLOCK + i);
        emit_words(w, SpvOpVariable, 3, pointer, (uint32_t)FIRST_VARIABLE + i, (uint32_t)SpvStorageClassStorageBuffer);
    }
    uint32_t result_type = type_id(w, &types, in->result), struct_type = 0;
    if (in->members) {
        struct_type = w->next_id++;
        emit_words(w, SpvOpTypeStruct, 3, struct_type, result_type, result_type);
    }
    emit_words(w, SpvOpFunction, 4, (uint32_t)VOID, (uint32_t)ENTRY, 0u, (uint32_t)FUNCTION_TYPE);
    emit_words(w, SpvOpLabel, 1, (uint32_t)LABEL);
    uint32_t id = w->next_id, lane = id++;
    emit_words(w, SpvOpAccessChain, 4, (uint32_t)UINT_POINTER, lane, (uint32_t)LANE, (uint32_t)ZERO);
    emit_words(w, SpvOpLoad, 3, uint_id, id, lane);
    lane = id++;
    uint32_t args[MAX_ARGS];
    for (uint32_t i = 0; i < in->num_args; i++) {
        emit_words(w, SpvOpAccessChain, 5, made.pointers[i], id, (uint32_t)FIRST_VARIABLE + i, (uint32_t)ZERO, lane);
        emit_words(w, SpvOpLoad, 3, type_id(w, &types, in_memory(in->args[i])), id + 1, id);
        args[i] = id + 1;
        id += 2;
        if (in->args[i].kind == BOOL) {
            emit_words(w, SpvOpINotEqual, 4, bool_id, id, args[i], (uint32_t)ZERO);
            args[i] = id++;
        }
    }
    uint32_t result = id++;
    w->words[w->count++] = (3 + in->num_args) << 16 | in->opcode;
    w->words[w->count++] = in->members ? struct_type : result_type;
    w->words[w->count++] = result;
    for (uint32_t i = 0; i < in->num_args; i++)
        w->words[w->count++] = args[i];
    if (in->members) { /* both members, one upon the other: low + 3 × high */
        emit_words(w, SpvOpCompositeExtract, 4, result_type, id, result, 0u);
        emit_words(w, SpvOpCompositeExtract, 4, result_type, id + 1, result, 1u);
        emit_words(w, SpvOpIAdd, 4, result_type, id + 2, id + 1, id + 1);
        emit_words(w, SpvOpIAdd, 4, result_type, id + 3, id + 2, id + 1);
        emit_words(w, SpvOpIAdd, 4, result_type, id + 4, id + 3, id);
        result = id + 4;
        id += 5;
    }
    if (in->result.kind == BOOL) {
        emit_words(w, SpvOpSelect, 5, uint_id, id, result, (uint32_t)ONE, (uint32_t)ZERO);
        result = id++;
    }
    emit_words(w, SpvOpAccessChain, 5, made.pointers[in->num_args], id, (uint32_t)FIRST_VARIABLE + in->num_args,
               (uint32_t)ZERO, lane);
    emit_words(w, SpvOpStore, 2, id, result);
    emit_words(w, SpvOpReturn, 0);
    emit_words(w, SpvOpFunctionEnd, 0);
    w->words[3] = id + 1;
}

/* --- numbers --- */

static int64_t sx(uint64_t x, uint32_t bits)
{
    return bits_sign_extend(x, bits);
}

static double to_f(uint64_t x, uint32_t bits)
{
    if (bits == 16)
        return half_to_float((uint16_t)x);
    if (bits == 32) {
        float f;
        uint32_t word = (uint32_t)x;
        memcpy(&f, &word, 4);
        return f;
    }
    double d;
    memcpy(&d, &x, 8);
    return d;
}

static uint64_t from_f(double value, uint32_t bits)
{
    uint64_t out = 0;
    if (bits == 16)
        return float_to_half_rtne((float)value);
    if (bits == 32) {
        float f = (float)value;
        memcpy(&out, &f, 4);
    } else {
        memcpy(&out, &value, 8);
    }
    return out;
}

static uint64_t argument(struct type type, uint32_t lane, uint32_t which)
{
    static const uint64_t ints[8] = {0, 1, 2, 7, 0x35, UINT64_MAX, 0x8000000080008080ull, 0x7fff7fff7f7f7f7full};
    static const double floats[8] = {0, 1, -1, 2.5, -3.75, 0.125, 100, -7};
    uint32_t pick = which == 0 ? lane % 8 : which == 1 ? lane / 8 : (lane * 5 + which) % 8;
    if (type.kind == FLOAT)
        return from_f(floats[pick], type.bits);
    if (type.kind == BOOL)
        return pick % 2;
    if (type.bits < 64 && pick == 6) /* the lowest of the width */
        return 1ull << (type.bits - 1);
    if (type.bits < 64 && pick == 7)
        return bits_mask(type.bits - 1u);
    return ints[pick] & bits_mask(type.bits);
}

typedef uint64_t (*expectation)(const uint64_t *a, const struct instruction *in);

/* Which NaN it is, and which zero a remainder is, is not said. */
static bool as_good(uint64_t a, uint64_t b, const struct instruction *in)
{
    if (in->result.kind != FLOAT)
        return false;
    double x = to_f(a, in->result.bits), y = to_f(b, in->result.bits);
    return (isnan(x) && isnan(y)) || ((in->opcode == SpvOpFMod || in->opcode == SpvOpFRem) && x == 0 && y == 0);
}

static uint64_t load_value(const void *data, uint32_t i, uint8_t bits)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)data + i * bits / 8, bits / 8u);
    return value;
}

/* `undefined` says for which arguments the result is undefined. */
static void check_instruction(const char *name, const struct instruction *in, expectation expected,
                              bool (*undefined)(const uint64_t *a, const struct instruction *in))
{
    struct writer w;
    uint64_t data[MAX_ARGS + 1][LANES] = {0};
    struct ir_interpret_buffer buffers[MAX_ARGS + 1] = {0};
    build_module(&w, in);
    for (uint32_t i = 0; i <= in->num_args; i++) {
        struct type type = in_memory(i < in->num_args ? in->args[i] : in->result);
        for (uint32_t lane = 0; lane < LANES && i < in->num_args; lane++) {
            uint64_t x = argument(in->args[i], lane, i);
            memcpy((char *)data[i] + lane * type.bits / 8, &x, type.bits / 8u);
        }
        buffers[i] = (struct ir_interpret_buffer){.binding = i, .data = data[i], .size_B = LANES * type.bits / 8u};
    }
    struct spirv_options options = {.stage = IR_STAGE_compute};
    struct spirv_error error;
    struct ir_shader *shader = spirv_to_ir(w.words, w.count, &options, &error);
    if (!shader)
        fail_msg("%s at %u bits: word %u: %s", name, in->args[0].bits, error.word, error.text);
    if (what_is_wrong(shader))
        fail_msg("%s at %u bits: the shader breaks a rule: %s", name, in->args[0].bits, what_is_wrong(shader));
    struct ir_interpret_options run = {.wave_size = 32, .buffers = buffers, .num_buffers = in->num_args + 1};
    struct ir_interpret_result result = run_shader(shader, &run);
    ir_interpret_finish(&result);
    ir_shader_destroy(shader);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t a[MAX_ARGS];
        for (uint32_t i = 0; i < in->num_args; i++)
            a[i] = argument(in->args[i], lane, i);
        if (undefined && undefined(a, in))
            continue;
        struct type type = in_memory(in->result);
        uint64_t want = expected(a, in) & bits_mask(type.bits), got = load_value(data[in->num_args], lane, type.bits);
        if (want != got && !as_good(want, got, in))
            fail_msg("%s at %u bits: of 0x%llx, 0x%llx, 0x%llx: 0x%llx instead of 0x%llx", name, in->args[0].bits,
                     (unsigned long long)a[0], (unsigned long long)(in->num_args > 1 ? a[1] : 0),
                     (unsigned long long)(in->num_args > 2 ? a[2] : 0), (unsigned long long)got,
                     (unsigned long long)want);
    }
}

/* --- what each gives --- */

#define N (in->args[0].bits)
#define A a[0]
#define B a[1]
#define C a[2]
#define SA sx(a[0], N)
#define SB sx(a[1], in->args[1].bits)
#define FA to_f(a[0], N)
#define FB to_f(a[1], N)
#define F(x) from_f((x), in->result.bits)

/* One row: name, opcode, what arguments and result are, and the value. */
#define INT_ROWS(X)                                                                                                    \
    X(SNegate, 1, -A)                                                                                                  \
    X(IAdd, 2, A + B)                                                                                                  \
    X(ISub, 2, A - B) X(IMul, 2, A *B) X(UDiv, 2, A / B) X(UMod, 2, A % B) X(SDiv, 2, (uint64_t)(SA / SB))             \
        X(SRem, 2, (uint64_t)(SA % SB))                                                                                \
            X(SMod, 2, (uint64_t)((SA % SB != 0 && (SA % SB < 0) != (SB < 0)) ? SA % SB + SB : SA % SB)) X(Not, 1, ~A) \
                X(BitwiseOr, 2, A | B) X(BitwiseXor, 2, A ^ B) X(BitwiseAnd, 2, A &B) X(ShiftRightLogical, 2, A >> B)  \
                    X(ShiftRightArithmetic, 2, (uint64_t)(SA >> B)) X(ShiftLeftLogical, 2, A << B)                     \
                        X(BitCount, 1, (uint64_t)__builtin_popcountll(A)) X(BitReverse, 1, reversed(A, N))             \
                            X(UCountLeadingZerosINTEL, 1, A ? (uint64_t)__builtin_clzll(A) - (64 - N) : N) X(          \
                                UCountTrailingZerosINTEL, 1, A ? (uint64_t)__builtin_ctzll(A) : N)                     \
                                X(AbsUSubINTEL, 2, A > B ? A - B : B - A) X(AbsISubINTEL, 2, SA > SB ? A - B : B - A)  \
                                    X(UAddSatINTEL, 2, (A + B > bits_mask(N) || A + B < A) ? bits_mask(N) : A + B)     \
                                        X(USubSatINTEL, 2, A < B ? 0 : A - B)                                          \
                                            X(IAddSatINTEL, 2, saturated((__int128)SA + SB, N))                        \
                                                X(ISubSatINTEL, 2, saturated((__int128)SA - SB, N))                    \
                                                    X(UAverageINTEL, 2, (uint64_t)(((unsigned __int128)A + B) >> 1))   \
                                                        X(UAverageRoundedINTEL, 2,                                     \
                                                          (uint64_t)(((unsigned __int128)A + B + 1) >> 1))             \
                                                            X(IAverageINTEL, 2, (uint64_t)(((__int128)SA + SB) >> 1))  \
                                                                X(IAverageRoundedINTEL, 2,                             \
                                                                  (uint64_t)(((__int128)SA + SB + 1) >> 1))
#define COMPARE_ROWS(X)                                                                                                \
    X(IEqual, A == B)                                                                                                  \
    X(INotEqual, A != B)                                                                                               \
    X(UGreaterThan, A > B) X(SGreaterThan, SA > SB) X(UGreaterThanEqual, A >= B) X(SGreaterThanEqual, SA >= SB)        \
        X(ULessThan, A < B) X(SLessThan, SA < SB) X(ULessThanEqual, A <= B) X(SLessThanEqual, SA <= SB)
#define FLOAT_ROWS(X)                                                                                                  \
    X(FNegate, 1, F(-FA))                                                                                              \
    X(FAdd, 2, F(FA + FB))                                                                                             \
    X(FSub, 2, F(FA - FB)) X(FMul, 2, F(FA *FB)) X(FDiv, 2, F(FA / FB)) X(FRem, 2, F(fmod(FA, FB)))                    \
        X(FMod, 2, F(FA - FB * floor(FA / FB)))
#define FLOAT_COMPARE_ROWS(X)                                                                                          \
    X(FOrdEqual, FA == FB)                                                                                             \
    X(FUnordEqual, !(FA < FB || FA > FB))                                                                              \
    X(FOrdNotEqual, FA<FB || FA> FB) X(FUnordNotEqual, !(FA == FB)) X(FOrdLessThan, FA < FB)                           \
        X(FUnordLessThan, !(FA >= FB)) X(FOrdGreaterThan, FA > FB) X(FUnordGreaterThan, !(FA <= FB))                   \
            X(FOrdLessThanEqual, FA <= FB) X(FUnordLessThanEqual, !(FA > FB)) X(FOrdGreaterThanEqual, FA >= FB)        \
                X(FUnordGreaterThanEqual, !(FA < FB)) X(Ordered, FA == FA && FB == FB)                                 \
                    X(Unordered, FA != FA || FB != FB) X(LessOrGreater, FA<FB || FA> FB)
#define FLOAT_CLASS_ROWS(X)                                                                                            \
    X(IsNan, isnan(FA))                                                                                                \
    X(IsInf, isinf(FA)) X(IsFinite, isfinite(FA)) X(IsNormal, FA != 0 && isfinite(FA)) X(SignBitSet, signbit(FA) != 0)
#define BOOL_ROWS(X)                                                                                                   \
    X(LogicalNot, 1, !A)                                                                                               \
    X(LogicalOr, 2, A | B) X(LogicalAnd, 2, A &B) X(LogicalEqual, 2, A == B) X(LogicalNotEqual, 2, A != B)

static uint64_t reversed(uint64_t x, uint32_t bits)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < bits; i++)
        out |= (x >> i & 1) << (bits - 1 - i);
    return out;
}

static uint64_t saturated(__int128 x, uint32_t bits)
{
    __int128 high = ((__int128)1 << (bits - 1)) - 1;
    return (uint64_t)(x > high ? high : x < -high - 1 ? -high - 1 : x);
}

#define VALUE(name, count, value)                                                                                      \
    static uint64_t e_##name(const uint64_t *a, const struct instruction *in)                                          \
    {                                                                                                                  \
        return (value);                                                                                                \
    }
#define VALUE_2(name, value) VALUE(name, 2, value)
INT_ROWS(VALUE)
COMPARE_ROWS(VALUE_2)
FLOAT_ROWS(VALUE)
FLOAT_COMPARE_ROWS(VALUE_2)
FLOAT_CLASS_ROWS(VALUE_2)
BOOL_ROWS(VALUE)

static bool s_integer(const uint64_t *a, const struct instruction *in)
{
    bool divides = in->opcode == SpvOpUDiv || in->opcode == SpvOpUMod || in->opcode == SpvOpSDiv ||
                   in->opcode == SpvOpSRem || in->opcode == SpvOpSMod;
    bool shifts = in->opcode == SpvOpShiftRightLogical || in->opcode == SpvOpShiftRightArithmetic ||
                  in->opcode == SpvOpShiftLeftLogical;
    if (divides && (B == 0 || (in->opcode != SpvOpUDiv && in->opcode != SpvOpUMod && SB == -1)))
        return true;
    return shifts && B >= N;
}

static bool s_float(const uint64_t *a, const struct instruction *in)
{
    return (in->opcode == SpvOpFRem || in->opcode == SpvOpFMod || in->opcode == SpvOpFDiv) && FB == 0;
}

static const uint8_t widths[] = {8, 16, 32, 64};

static void integers(void **state)
{
    (void)state;
#define ROW(name, count, value) {"Op" #name, SpvOp##name, count, e_##name},
    static const struct {
        const char *name;
        uint32_t opcode, count;
        expectation expected;
    } rows[] = {INT_ROWS(ROW)};
#undef ROW
    for (uint32_t r = 0; r < ARRAY_SIZE(rows); r++)
        for (uint32_t i = 0; i < ARRAY_SIZE(widths); i++) {
            struct type type = {UINT, widths[i]};
            struct instruction in = {rows[r].opcode, rows[r].count, {type, type}, type};
            check_instruction(rows[r].name, &in, rows[r].expected, s_integer);
        }
}

static void comparisons(void **state)
{
    (void)state;
#define ROW(name, value) {"Op" #name, SpvOp##name, e_##name},
    static const struct {
        const char *name;
        uint32_t opcode;
        expectation expected;
    } rows[] = {COMPARE_ROWS(ROW)}, floats[] = {FLOAT_COMPARE_ROWS(ROW)}, classes[] = {FLOAT_CLASS_ROWS(ROW)};
    for (uint32_t i = 0; i < ARRAY_SIZE(widths); i++) {
        struct type type = {INT, widths[i]}, real = {FLOAT, widths[i]}, boolean = {BOOL, 1};
        for (uint32_t r = 0; r < ARRAY_SIZE(rows); r++)
            check_instruction(rows[r].name, &(struct instruction){rows[r].opcode, 2, {type, type}, boolean},
                              rows[r].expected, NULL);
        for (uint32_t r = 0; r < ARRAY_SIZE(floats) && i; r++)
            check_instruction(floats[r].name, &(struct instruction){floats[r].opcode, 2, {real, real}, boolean},
                              floats[r].expected, NULL);
        for (uint32_t r = 0; r < ARRAY_SIZE(classes) && i; r++)
            check_instruction(classes[r].name, &(struct instruction){classes[r].opcode, 1, {real}, boolean},
                              classes[r].expected, NULL);
    }
#undef ROW
}

static void floats(void **state)
{
    (void)state;
#define ROW(name, count, value) {"Op" #name, SpvOp##name, count, e_##name},
    static const struct {
        const char *name;
        uint32_t opcode, count;
        expectation expected;
    } rows[] = {FLOAT_ROWS(ROW)}, logic[] = {BOOL_ROWS(ROW)};
#undef ROW
    for (uint32_t r = 0; r < ARRAY_SIZE(rows); r++)
        for (uint32_t i = 1; i < ARRAY_SIZE(widths); i++) {
            struct type type = {FLOAT, widths[i]};
            check_instruction(rows[r].name, &(struct instruction){rows[r].opcode, rows[r].count, {type, type}, type},
                              rows[r].expected, s_float);
        }
    struct type boolean = {BOOL, 1};
    for (uint32_t r = 0; r < ARRAY_SIZE(logic); r++)
        check_instruction(logic[r].name,
                          &(struct instruction){logic[r].opcode, logic[r].count, {boolean, boolean}, boolean},
                          logic[r].expected, NULL);
}

/* --- conversions --- */

static uint64_t e_convert(const uint64_t *a, const struct instruction *in)
{
    uint32_t to = in->result.bits;
    switch (in->opcode) {
    case SpvOpConvertFToU:
        return (uint64_t)FA;
    case SpvOpConvertFToS:
        return (uint64_t)(int64_t)FA;
    case SpvOpConvertSToF:
        return from_f(to == 32 ? (double)(float)SA : (double)SA, to);
    case SpvOpConvertUToF:
        return from_f(to == 32 ? (double)(float)A : (double)A, to);
    case SpvOpSConvert:
        return (uint64_t)SA;
    case SpvOpFConvert:
        return from_f(FA, to);
    default:
        return A;
    }
}

static bool s_convert(const uint64_t *a, const struct instruction *in)
{
    uint32_t to = in->result.bits;
    if (in->opcode == SpvOpConvertFToU)
        return FA < 0 || FA > (double)bits_mask(to);
    if (in->opcode == SpvOpConvertFToS)
        return fabs(FA) > (double)bits_mask(to - 1u);
    if ((in->opcode == SpvOpConvertSToF || in->opcode == SpvOpConvertUToF) && to == 16)
        return fabs((double)SA) > 1000 || A > 1000; /* double rounding of the expectation, and infinities */
    return false;
}

static void conversions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t opcode;
        enum kind from, to;
    } rows[] = {{"OpConvertFToU", SpvOpConvertFToU, FLOAT, UINT}, {"OpConvertFToS", SpvOpConvertFToS, FLOAT, INT},
                {"OpConvertSToF", SpvOpConvertSToF, INT, FLOAT},  {"OpConvertUToF", SpvOpConvertUToF, UINT, FLOAT},
                {"OpUConvert", SpvOpUConvert, UINT, UINT},        {"OpSConvert", SpvOpSConvert, INT, INT},
                {"OpFConvert", SpvOpFConvert, FLOAT, FLOAT}};
    for (uint32_t r = 0; r < ARRAY_SIZE(rows); r++)
        for (uint32_t i = 0; i < ARRAY_SIZE(widths); i++)
            for (uint32_t k = 0; k < ARRAY_SIZE(widths); k++) {
                struct instruction in = {rows[r].opcode, 1, {{rows[r].from, widths[i]}}, {rows[r].to, widths[k]}};
                if ((rows[r].from == FLOAT && i == 0) || (rows[r].to == FLOAT && k == 0))
                    continue;
                check_instruction(rows[r].name, &in, e_convert, s_convert);
            }
}

/* --- bits of three and four operands, results of two parts --- */

static uint64_t e_field(const uint64_t *a, const struct instruction *in)
{
    uint32_t offset = (uint32_t)a[in->num_args - 2] % N, count = (uint32_t)a[in->num_args - 1];
    uint64_t mask = bits_mask(count) << offset;
    if (in->opcode == SpvOpBitFieldInsert)
        return (A & ~mask) | (B << offset & mask);
    uint64_t field = (A >> offset) & bits_mask(count);
    return in->opcode == SpvOpBitFieldSExtract ? (uint64_t)sx(field, count) : field;
}

static bool s_field(const uint64_t *a, const struct instruction *in)
{
    uint64_t offset = a[in->num_args - 2], count = a[in->num_args - 1];
    return offset >= N || count > N || offset + count > N;
}

static uint64_t e_wide(const uint64_t *a, const struct instruction *in)
{
    unsigned __int128 product =
        in->opcode == SpvOpUMulExtended ? (unsigned __int128)A * B : (unsigned __int128)((__int128)SA * SB);
    uint64_t low, high;
    switch (in->opcode) {
    case SpvOpIAddCarry:
        low = A + B;
        high = (low & bits_mask(N)) < A;
        break;
    case SpvOpISubBorrow:
        low = A - B;
        high = A < B;
        break;
    default:
        low = (uint64_t)product;
        high = (uint64_t)(product >> N);
        break;
    }
    return low + 3 * high;
}

static uint64_t e_select(const uint64_t *a, const struct instruction *in)
{
    return A ? B : C;
}

static void bits_and_pairs(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ARRAY_SIZE(widths); i++) {
        struct type type = {UINT, widths[i]}, count = {UINT, 32};
        check_instruction("OpBitFieldInsert",
                          &(struct instruction){SpvOpBitFieldInsert, 4, {type, type, count, count}, type}, e_field,
                          s_field);
        check_instruction("OpBitFieldSExtract",
                          &(struct instruction){SpvOpBitFieldSExtract, 3, {type, count, count}, type}, e_field,
                          s_field);
        check_instruction("OpBitFieldUExtract",
                          &(struct instruction){SpvOpBitFieldUExtract, 3, {type, count, count}, type}, e_field,
                          s_field);
        static const uint32_t pairs[] = {SpvOpIAddCarry, SpvOpISubBorrow, SpvOpUMulExtended, SpvOpSMulExtended};
        for (uint32_t p = 0; p < ARRAY_SIZE(pairs); p++)
            check_instruction("a pair", &(struct instruction){pairs[p], 2, {type, type}, type, 2}, e_wide, NULL);
        check_instruction("OpSelect", &(struct instruction){SpvOpSelect, 3, {{BOOL, 1}, type, type}, type}, e_select,
                          NULL);
    }
}

static uint64_t e_mul_32x16(const uint64_t *a, const struct instruction *in)
{
    return in->opcode == SpvOpUMul32x16INTEL ? A * (uint16_t)B : A * (uint64_t)sx(B & 0xffff, 16);
}

static uint64_t e_quantize(const uint64_t *a, const struct instruction *in)
{
    (void)in;
    return from_f(half_to_float(float_to_half_rtne((float)to_f(A, 32))), 32);
}

static uint64_t e_same(const uint64_t *a, const struct instruction *in)
{
    (void)in;
    return A;
}

static void others(void **state)
{
    (void)state;
    struct type word = {UINT, 32}, real = {FLOAT, 32};
    check_instruction("OpUMul32x16INTEL", &(struct instruction){SpvOpUMul32x16INTEL, 2, {word, word}, word},
                      e_mul_32x16, NULL);
    check_instruction("OpIMul32x16INTEL", &(struct instruction){SpvOpIMul32x16INTEL, 2, {word, word}, word},
                      e_mul_32x16, NULL);
    check_instruction("OpQuantizeToF16", &(struct instruction){SpvOpQuantizeToF16, 1, {real}, real}, e_quantize, NULL);
    for (uint32_t i = 1; i < ARRAY_SIZE(widths); i++) {
        struct type bits = {UINT, widths[i]}, number = {FLOAT, widths[i]};
        check_instruction("OpBitcast", &(struct instruction){SpvOpBitcast, 1, {number}, bits}, e_same, NULL);
        check_instruction("OpCopyObject", &(struct instruction){SpvOpCopyObject, 1, {bits}, bits}, e_same, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),    cmocka_unit_test(comparisons),    cmocka_unit_test(floats),
        cmocka_unit_test(conversions), cmocka_unit_test(bits_and_pairs), cmocka_unit_test(others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
