/* Modules that are broken in every way that comes to mind end in an error with a place, or in a shader that keeps the
 * rules. */
#include "spirv_test.h"

#include <spirv/unified1/spirv.h>

static const char *const names[] = {"control", "layouts",   "features_frag", "features_vert", "features",  "rays",
                                    "rays_rgen", "rays_rint", "rays_rahit",    "rays_rchit",    "rays_rmiss", "rays_rcall"};
static const enum ir_stage stages[] = {
    IR_STAGE_compute, IR_STAGE_compute,      IR_STAGE_fragment, IR_STAGE_vertex,      IR_STAGE_compute, IR_STAGE_compute,
    IR_STAGE_raygen,  IR_STAGE_intersection, IR_STAGE_any_hit,  IR_STAGE_closest_hit, IR_STAGE_miss,    IR_STAGE_callable};

/* The error's text, or NULL for a shader. */
static const char *try_words(const uint32_t *words, size_t count, const struct spirv_options *options,
                             uint32_t *word_out)
{
    static struct spirv_error error;
    /* A copy of the exact size, so that the sanitizer sees a read after the end. */
    uint32_t *copy = malloc(count ? count * 4 : 1);
    assert_non_null(copy);
    memcpy(copy, words, count * 4);
    struct ir_shader *shader = spirv_to_ir(copy, count, options, &error);
    free(copy);
    if (!shader) {
        assert_true(error.text[0] != 0);
        assert_true(error.word <= count);
        if (word_out)
            *word_out = error.word;
        return error.text;
    }
    const char *wrong = what_is_wrong(shader);
    if (wrong)
        fail_msg("the shader breaks a rule: %s", wrong);
    ir_shader_destroy(shader);
    return NULL;
}

static void truncated(void **state)
{
    (void)state;
    for (uint32_t m = 0; m < ARRAY_SIZE(names); m++) {
        struct module module = read_module(names[m]);
        struct spirv_options options = {.stage = stages[m]};
        assert_null(try_words(module.words, module.count, &options, NULL));
        for (size_t count = 0; count + 1 < module.count; count += 1 + count / 200)
            if (!try_words(module.words, count, &options, NULL))
                fail_msg("%s: %zu words of %zu are enough", names[m], count, module.count);
        free(module.words);
    }
}

static void every_word_changed(void **state)
{
    (void)state;
    for (uint32_t m = 0; m < ARRAY_SIZE(names); m++) {
        struct module module = read_module(names[m]);
        struct spirv_options options = {.stage = stages[m]};
        uint32_t random = 1, step = 1 + (uint32_t)(module.count / 150);
        for (size_t at = 0; at < module.count; at += step) {
            uint32_t old = module.words[at];
            const uint32_t replacements[] = {0, UINT32_MAX, old + 1, old ^ 0x10000, random % (module.words[3] + 1)};
            for (uint32_t r = 0; r < ARRAY_SIZE(replacements); r++) {
                module.words[at] = replacements[r];
                try_words(module.words, module.count, &options, NULL);
                random = random * 1664525 + 1013904223;
            }
            module.words[at] = old;
        }
        free(module.words);
    }
}

static void expect_words_refused(const uint32_t *words, size_t count, enum ir_stage stage, const char *text,
                                 uint32_t at)
{
    struct spirv_options options = {.stage = stage};
    uint32_t word = 0;
    const char *error = try_words(words, count, &options, &word);
    if (!error || !strstr(error, text) || word != at)
        fail_msg("'%s' at %u instead of '%s' at %u", error ? error : "a shader", word, text, at);
}

#define OP(opcode, count) ((count) << 16 | (opcode))

static void errors_say_what_and_where(void **state)
{
    (void)state;
    const uint32_t head[] = {SpvMagicNumber, 0x10000, 0, 10, 0};
    uint32_t words[64];
    expect_words_refused(head, 0, IR_STAGE_compute, "no module", 0);
    expect_words_refused(head, 5, IR_STAGE_compute, "no entry point 'main'", 5);
    memcpy(words, head, sizeof(head));
    words[0] = 0x03022307;
    expect_words_refused(words, 5, IR_STAGE_compute, "byte order", 0);
    words[0] = SpvMagicNumber;
    words[1] = 0x20000;
    expect_words_refused(words, 5, IR_STAGE_compute, "version 2.0", 0);
    words[1] = 0x10000;
    words[3] = 0xffffffff;
    expect_words_refused(words, 5, IR_STAGE_compute, "bound", 0);
    words[3] = 10;
    words[5] = OP(SpvOpCapability, 2);
    words[6] = SpvCapabilityKernel;
    expect_words_refused(words, 7, IR_STAGE_compute, "capability 6 (Kernel)", 5);
    /* Atomics of 16 bits are refused, so their capabilities are. */
    words[6] = SpvCapabilityAtomicFloat16AddEXT;
    expect_words_refused(words, 7, IR_STAGE_compute, "AtomicFloat16AddEXT", 5);
    words[6] = SpvCapabilityAtomicFloat16MinMaxEXT;
    expect_words_refused(words, 7, IR_STAGE_compute, "AtomicFloat16MinMaxEXT", 5);
    /* No family says that a pixel is covered as a whole (fullyCoveredFragmentShaderInputVariable). */
    words[6] = SpvCapabilityFragmentFullyCoveredEXT;
    expect_words_refused(words, 7, IR_STAGE_fragment, "capability 5265 (FragmentFullyCoveredEXT) is not supported", 5);
    words[6] = SpvCapabilityShader;
    words[7] = OP(SpvOpCapability, 9);
    expect_words_refused(words, 9, IR_STAGE_compute, "instruction of 9 words, 2 are left", 7);
    words[7] = OP(SpvOpTypePipe, 3);
    words[8] = 1;
    words[9] = 0;
    expect_words_refused(words, 10, IR_STAGE_compute, "OpTypePipe is not supported", 7);
    words[7] = OP(SpvOpTypeInt, 4);
    words[9] = 24;
    words[10] = 0;
    expect_words_refused(words, 11, IR_STAGE_compute, "integers of 24 bits", 7);
    words[7] = OP(SpvOpTypeVector, 4);
    words[9] = 7;
    expect_words_refused(words, 11, IR_STAGE_compute, "id 7 is no type", 7);
    words[7] = OP(0xfff, 1);
    expect_words_refused(words, 8, IR_STAGE_compute, "unknown opcode 4095", 7);
    words[7] = OP(SpvOpTypeVoid, 2);
    words[8] = 11;
    expect_words_refused(words, 9, IR_STAGE_compute, "beyond the bound", 7);
}

/* main calls f, f calls f. */
static void recursion_is_refused(void **state)
{
    (void)state;
    const uint32_t words[] = {
        SpvMagicNumber,
        0x10000,
        0,
        20,
        0,
        OP(SpvOpCapability, 2),
        SpvCapabilityShader,
        OP(SpvOpMemoryModel, 3),
        0,
        1,
        OP(SpvOpEntryPoint, 5),
        SpvExecutionModelGLCompute,
        4,
        0x6e69616d,
        0,
        OP(SpvOpExecutionMode, 6),
        4,
        SpvExecutionModeLocalSize,
        1,
        1,
        1,
        OP(SpvOpTypeVoid, 2),
        1,
        OP(SpvOpTypeFunction, 3),
        2,
        1,
        OP(SpvOpFunction, 5),
        1,
        4,
        0,
        2,
        OP(SpvOpLabel, 2),
        5,
        OP(SpvOpFunctionCall, 4),
        1,
        6,
        7,
        OP(SpvOpReturn, 1),
        OP(SpvOpFunctionEnd, 1),
        OP(SpvOpFunction, 5),
        1,
        7,
        0,
        2,
        OP(SpvOpLabel, 2),
        8,
        OP(SpvOpFunctionCall, 4),
        1,
        9,
        7,
        OP(SpvOpReturn, 1),
        OP(SpvOpFunctionEnd, 1),
    };
    expect_words_refused(words, ARRAY_SIZE(words), IR_STAGE_compute, "function 7 calls itself", 46);
}

/* Twenty functions, each of which calls the next one eight times: 8^20 expansions. */
static void growth_is_bounded(void **state)
{
    (void)state;
    uint32_t words[2048] = {SpvMagicNumber,
                            0x10000,
                            0,
                            400,
                            0,
                            OP(SpvOpCapability, 2),
                            SpvCapabilityShader,
                            OP(SpvOpMemoryModel, 3),
                            0,
                            1,
                            OP(SpvOpEntryPoint, 5),
                            SpvExecutionModelGLCompute,
                            10,
                            0x6e69616d,
                            0,
                            OP(SpvOpExecutionMode, 6),
                            10,
                            SpvExecutionModeLocalSize,
                            1,
                            1,
                            1,
                            OP(SpvOpTypeVoid, 2),
                            1,
                            OP(SpvOpTypeFunction, 3),
                            2,
                            1};
    uint32_t count = 26, id = 100;
    for (uint32_t f = 0; f < 20; f++) {
        const uint32_t head[] = {OP(SpvOpFunction, 5), 1, 10 + f, 0, 2, OP(SpvOpLabel, 2), id++};
        memcpy(words + count, head, sizeof(head));
        count += ARRAY_SIZE(head);
        for (uint32_t c = 0; c < 8 && f + 1 < 20; c++) {
            const uint32_t call[] = {OP(SpvOpFunctionCall, 4), 1, id++, 11 + f};
            memcpy(words + count, call, sizeof(call));
            count += ARRAY_SIZE(call);
        }
        words[count++] = OP(SpvOpReturn, 1);
        words[count++] = OP(SpvOpFunctionEnd, 1);
    }
    struct spirv_options options = {.stage = IR_STAGE_compute};
    const char *error = try_words(words, count, &options, NULL);
    assert_non_null(error);
    assert_non_null(strstr(error, "with its calls expanded, the shader has"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated),
        cmocka_unit_test(every_word_changed),
        cmocka_unit_test(errors_say_what_and_where),
        cmocka_unit_test(recursion_is_refused),
        cmocka_unit_test(growth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
