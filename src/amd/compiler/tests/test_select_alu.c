/* Every operation that the constant folder knows, at every width: compiled for both wave sizes, with operands that
 * differ between lanes and with uniform ones, run on the model in strict mode, and compared with the interpreter of the
 * IR. Approximations may be off by what Vulkan allows. */
#include <math.h>
#include <string.h>

#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/tests/ir_test.h"
#include "util/half.h"

#define LANES 64
#define MAX_SRCS 4

static struct shader_rig rig;
static uint64_t inputs[LANES][MAX_SRCS];
static uint64_t outputs[LANES], expected[LANES];
static unsigned shapes_run;
static const char *only; /* TUFF_TEST_OP: one operation alone */

static uint64_t random_state = 0x2545f4914f6cdd1dull;
static uint64_t random64(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dull;
}

static double random_number(unsigned lane)
{
    static const double special[] = {0.0,   1.0,    -1.0, 0.5,      -0.5,      2.0, 3.0, -7.25,
                                     100.0, 1024.0, -0.0, INFINITY, -INFINITY, NAN, 1.5, 2.5};
    if (lane < sizeof(special) / sizeof(special[0]))
        return special[(lane + random64() % 3) % (sizeof(special) / sizeof(special[0]))];
    double mantissa = (double)(int64_t)random64() / 9223372036854775808.0;
    return ldexp(mantissa, (int)(random64() % 13) - 4);
}

static uint64_t float_bits_of(unsigned bits, double value)
{
    if (bits == 16)
        return float_to_half_rtne((float)value);
    if (bits == 32) {
        float narrow = (float)value;
        uint32_t word;
        memcpy(&word, &narrow, 4);
        return word;
    }
    uint64_t word;
    memcpy(&word, &value, 8);
    return word;
}

static double number_of(unsigned bits, uint64_t word)
{
    if (bits == 16)
        return half_to_float((uint16_t)word);
    if (bits == 32) {
        uint32_t low = (uint32_t)word;
        float narrow;
        memcpy(&narrow, &low, 4);
        return narrow;
    }
    double value;
    memcpy(&value, &word, 8);
    return value;
}

/* Operands that the operation's rules allow. */
static uint64_t random_operand(enum ir_op op, unsigned index, const struct ir_operand_info *info, unsigned bits,
                               unsigned lane)
{
    uint64_t small = random64() >> (random64() % 64);
    if (info->kind == 'f')
        return float_bits_of(bits, random_number(lane));
    if ((op == IR_OP_ubfe || op == IR_OP_ibfe) && index > 0)
        return index == 1 ? lane % 16 : lane % 17;
    if (op == IR_OP_bfi && index > 1)
        return index == 2 ? lane % 16 : lane % 17;
    if (op == IR_OP_fldexp && index == 1)
        return (uint64_t)(int64_t)((int)(lane % 21) - 10);
    if ((op == IR_OP_idiv || op == IR_OP_udiv || op == IR_OP_irem || op == IR_OP_imod || op == IR_OP_umod) &&
        index == 1)
        return small & bits_mask(bits) ? small & bits_mask(bits) : 3;
    if (lane < 6) {
        static const uint64_t special[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, 2};
        return special[lane] & bits_mask(bits);
    }
    return small & bits_mask(bits);
}

static unsigned width_of(const struct ir_operand_info *info, unsigned n, unsigned m)
{
    return info->letter == IR_LETTER_N ? n : info->letter == IR_LETTER_M ? m : info->bits;
}

static struct ir_shader *make_shader(enum ir_op op, unsigned n, unsigned m, bool uniform, bool constant_last)
{
    const struct ir_op_info *info = &ir_op_infos[op];
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    shader->workgroup_size[0] = LANES;
    shader->workgroup_size[1] = shader->workgroup_size[2] = 1;
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *zero = ir_const(&b, 32, 0), *lane = ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index);
    struct ir_value *in = ir_resource(&b, zero, 0, 0, IR_RESOURCE_storage_buffer),
                    *out = ir_resource(&b, zero, 0, 1, IR_RESOURCE_storage_buffer);
    struct ir_value *from =
        uniform ? ir_const(&b, 32, 7 * sizeof(inputs[0])) : ir_imul(&b, lane, ir_const(&b, 32, sizeof(inputs[0])));
    struct ir_value *srcs[MAX_SRCS];
    for (unsigned i = 0; i < info->num_srcs; i++) {
        unsigned bits = width_of(&info->srcs[i], n, m);
        if (constant_last && i + 1 == info->num_srcs && i > 0) {
            srcs[i] = ir_const(&b, (uint8_t)bits, inputs[7][i]);
            continue;
        }
        uint8_t loaded = bits == 1 ? 32 : (uint8_t)bits;
        srcs[i] = ir_load_ssbo(&b, loaded, 1, in, from, i * 8, 8, 0, IR_ACCESS_READONLY);
        if (bits == 1)
            srcs[i] = ir_ine(&b, srcs[i], zero);
    }
    uint32_t imms[IR_MAX_IMMS] = {0};
    if (op == IR_OP_fclass)
        imms[0] = 0x155;
    unsigned bits = width_of(&info->def, n, m);
    struct ir_value *result = &ir_build(&b, op, (uint8_t)bits, 1, info->num_srcs, srcs, 0, NULL, imms)->def;
    if (bits == 1)
        result = ir_b2i(&b, 32, result);
    ir_store_ssbo(&b, result, out, ir_imul(&b, lane, ir_const(&b, 32, 8)), 0, 8, 0, 0);
    return shader;
}

/* How far off a result may be, in units of its last place, beyond exact. Comparisons of approximations are not made
 * here. */
static double tolerance(enum ir_op op, unsigned bits)
{
    switch (op) {
    case IR_OP_fdiv:
        return bits == 64 ? 0.5 : 2.5;
    case IR_OP_frcp:
    case IR_OP_fsqrt:
        return bits == 64 ? 0.5 : 1;
    case IR_OP_frsq:
        return 2;
    case IR_OP_fexp2:
    case IR_OP_flog2:
        return 4;
    default:
        return 0;
    }
}

static bool is_close(enum ir_op op, unsigned bits, uint64_t got, uint64_t want, const uint64_t *operands)
{
    if (got == want)
        return true;
    double a = number_of(bits, got), b = number_of(bits, want), digits = bits == 16 ? 10 : bits == 32 ? 23 : 52;
    if (isnan(b) || (op == IR_OP_fsign && isnan(number_of(bits, operands[0]))))
        return isnan(a);
    if (isinf(b))
        return a == b;
    if (op == IR_OP_fsin || op == IR_OP_fcos)
        return fabs(a - b) <= (bits == 16 ? 0.0079 : 0.00049) * fmax(1, fabs(number_of(bits, operands[0])) / 3.14159);
    if (op == IR_OP_frem || op == IR_OP_fmod) {
        /* Derived from a quotient of 2.5 ULP: it may fall to the other side of a whole number. */
        double x = number_of(bits, operands[0]), y = number_of(bits, operands[1]);
        if (isinf(y))
            return true; /* x - y * 0 is not a number */
        double slack = fabs(x) * ldexp(8, -(int)digits);
        return fabs(a - b) <= slack || fabs(fabs(a - b) - fabs(y)) <= slack;
    }
    if (op == IR_OP_flog2 && fabs(b) < 1)
        return fabs(a - b) <= ldexp(1, bits == 16 ? -7 : -21);
    double limit = tolerance(op, bits) * ldexp(fabs(b), -(int)digits) * 2;
    double tiny = bits == 16 ? 0 : bits == 32 ? ldexp(1, -126) : 0;
    return fabs(a - b) <= limit || (fabs(b) < tiny && fabs(a) < tiny) ||
           (a == 0 && b == 0 && op != IR_OP_fneg && op != IR_OP_fabs);
}

static bool is_float_result(enum ir_op op)
{
    return ir_op_infos[op].def.kind == 'f';
}

static void run_one(enum ir_op op, unsigned n, unsigned m, bool uniform, bool constant_last, unsigned wave_size,
                    bool plain)
{
    const struct ir_op_info *info = &ir_op_infos[op];
    unsigned bits = width_of(&info->def, n, m);
    char error[512], what[128];
    snprintf(what, sizeof(what), "%s n=%u m=%u%s%s wave%u%s", info->name, n, m, uniform ? " uniform" : "",
             constant_last ? " constant" : "", wave_size, plain ? " plain" : "");
    struct ir_shader *shader = make_shader(op, n, m, uniform, constant_last);
    uint64_t in[LANES][MAX_SRCS];
    memcpy(in, inputs, sizeof(in));
    memset(expected, 0, sizeof(expected));
    struct ir_interpret_buffer buffers[] = {{.binding = 0, .data = in, .size_B = sizeof(in)},
                                            {.binding = 1, .data = expected, .size_B = sizeof(expected)}};
    struct ir_interpret_result result;
    if (!ir_interpret(shader,
                      &(struct ir_interpret_options){.wave_size = wave_size, .buffers = buffers, .num_buffers = 2},
                      &result))
        fail_msg("%s: the interpreter says: %s", what, result.error);
    ir_interpret_finish(&result);

    memset(outputs, 0, sizeof(outputs));
    struct rig_buffer gpu[] = {{in, sizeof(in)}, {outputs, sizeof(outputs)}};
    struct rig_shape shape = {.wave_size = wave_size, .no_optimisation = plain, .buffers = gpu, .num_buffers = 2};
    if (!shader_rig_run(&rig, shader, &shape, error))
        fail_msg("%s: %s", what, error);
    ir_shader_destroy(shader);
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t mask = bits_mask(bits == 1 ? 32 : bits), got = outputs[lane] & mask, want = expected[lane] & mask;
        const uint64_t *operands = inputs[uniform ? 7 : lane];
        if (got == want || (is_float_result(op) && is_close(op, bits, got, want, operands)))
            continue;
        fail_msg("%s: lane %u, operands 0x%llx 0x%llx 0x%llx: 0x%llx (%g), the interpreter says 0x%llx (%g)", what,
                 lane, (unsigned long long)operands[0], (unsigned long long)operands[1],
                 (unsigned long long)operands[2], (unsigned long long)got, number_of(bits, got),
                 (unsigned long long)want, number_of(bits, want));
    }
    shapes_run++;
}

static void visit_op(enum ir_op op, uint8_t n, uint8_t m)
{
    const struct ir_op_info *info = &ir_op_infos[op];
    if (!info->folds || info->num_srcs == 0 || info->variadic || info->num_srcs > MAX_SRCS ||
        (only && strcmp(only, info->name) != 0))
        return;
    for (unsigned i = 0; i < info->num_srcs; i++) {
        if (info->srcs[i].comps == 0)
            return;
        for (unsigned lane = 0; lane < LANES; lane++)
            inputs[lane][i] = random_operand(op, i, &info->srcs[i], width_of(&info->srcs[i], n, m), lane);
    }
    for (unsigned wave = 32; wave <= 64; wave += 32) {
        run_one(op, n, m, false, false, wave, false);
        run_one(op, n, m, true, false, wave, false);
        run_one(op, n, m, false, true, wave, false);
        run_one(op, n, m, false, false, wave, true);
        run_one(op, n, m, true, true, wave, true);
    }
}

static void every_operation_at_every_width(void **state)
{
    (void)state;
    only = getenv("TUFF_TEST_OP");
    foreach_op_width(visit_op);
    print_message("# %u shapes\n", shapes_run);
    assert_true(only || shapes_run > 1000);
}

/* Pairs come from memory as words and go there as words: nothing is taken apart. */
static void two_halves_are_one_instruction(void **state)
{
    (void)state;
    static const char text[] =
        "shader compute\nworkgroup_size[0] 64\nworkgroup_size[1] 1\nworkgroup_size[2] 1\n"
        "b0:\n  %0:32 = load_sysval {sysval local_index}\n  %1:32 = const 0x2\n  %2:32 = ishl %0, %1\n"
        "  %3:32 = load_shared %2 {align 4}\n  %4:16 = lo16 %3\n  %5:16 = hi16 %3\n"
        "  %6:16 = ffma %4, %4, %4\n  %7:16 = ffma %5, %5, %5\n  %8:32 = pack32 %6, %7\n"
        "  store_shared %8, %2 {align 4}\n";
    char error[256];
    struct ir_shader *shader = parsed(text);
    shader->shared_size_B = 256;
    const struct amd_compile_options options = {.gfx = ISA_GFX_10_3, .wave_size = 64, .keep_text = true};
    struct amd_binary binary = {0};
    if (!amd_compile(shader, &options, &binary, error))
        fail_msg("%s", error);
    assert_non_null(strstr(binary.disassembly, "v_pk_fma_f16"));
    assert_null(strstr(binary.disassembly, "v_perm_b32"));
    assert_null(strstr(binary.disassembly, "v_lshrrev_b32"));
    amd_binary_finish(&binary);
    ir_shader_destroy(shader);
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation_at_every_width),
                                       cmocka_unit_test(two_halves_are_one_instruction)};
    int failed = cmocka_run_group_tests_name("select alu", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
