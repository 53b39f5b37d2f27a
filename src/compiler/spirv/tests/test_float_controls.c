/* How far arithmetic may be changed: execution mode FPFastMathDefault and decoration FPFastMathMode, as flags of the
 * IR. */
#include "spirv_test.h"

#include <spirv/unified1/spirv.h>

/* Of the instructions of `op` in the order of the module. */
static unsigned flags_of(struct ir_shader *shader, enum ir_op op, uint32_t *flags_out, unsigned most)
{
    unsigned count = 0;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if (instr->op == op && count < most)
                flags_out[count++] = instr->flags;
        }
    return count;
}

static void fast_math_is_what_the_type_and_the_instruction_allow(void **state)
{
    const struct spirv_options options = {.stage = IR_STAGE_compute};
    struct ir_shader *shader = translate_words("float_controls2", &options);
    const uint32_t nothing = IR_FLAG_EXACT | IR_FLAG_NAN_INF;
    const uint32_t expected[] = {
        nothing,                     /* by the default of floats of 32 bits */
        IR_FLAG_NSZ,                 /* everything is allowed */
        nothing | IR_FLAG_NSZ,       /* the sign of zero alone */
        0,                           /* all but the sign of zero */
        IR_FLAG_NSZ,                 /* Fast, the old word for everything */
        nothing,                     /* contraction alone, without reassociation */
        IR_FLAG_NSZ,                 /* nothing is said of halves */
        IR_FLAG_NAN_INF,             /* roundings alone */
        nothing,                     /* the default again */
        IR_FLAG_EXACT | IR_FLAG_NSZ, /* no reciprocals */
        IR_FLAG_NSZ,                 /* everything */
    };
    uint32_t flags[ARRAY_SIZE(expected) + 1];
    assert_int_equal(flags_of(shader, IR_OP_fmul, flags, ARRAY_SIZE(flags)), ARRAY_SIZE(expected));
    for (unsigned i = 0; i < ARRAY_SIZE(expected); i++)
        if (flags[i] != expected[i])
            fail_msg("product %u has the flags %x, expected %x", i, flags[i], expected[i]);
    /* A conversion is arithmetic of both types. */
    assert_int_equal(flags_of(shader, IR_OP_f2f, flags, ARRAY_SIZE(flags)), 1);
    assert_int_equal(flags[0], nothing);
    ir_shader_destroy(shader);
}

static void fast_math_of_what_is_no_float_is_refused(void **state)
{
    const struct spirv_options options = {.stage = IR_STAGE_compute};
    struct module module = read_module("float_controls2");
    struct spirv_error error;
    for (size_t at = 5; at < module.count; at += module.words[at] >> 16) {
        if (module.words[at] != (5u << 16 | SpvOpExecutionModeId))
            continue;
        const uint32_t type = module.words[at + 3];
        module.words[at + 3] = module.words[at + 4]; /* the constant */
        assert_null(spirv_to_ir(module.words, module.count, &options, &error));
        module.words[at + 3] = type;
        module.words[at + 4] = type;
        assert_null(spirv_to_ir(module.words, module.count, &options, &error));
        module.words[at] = 4u << 16 | SpvOpExecutionModeId;
        module.words[at + 4] = 1u << 16 | SpvOpNop;
        assert_null(spirv_to_ir(module.words, module.count, &options, &error));
        assert_string_equal(error.text, "OpExecutionModeId has too few operands");
        free(module.words);
        return;
    }
    fail_msg("the module has no OpExecutionModeId");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_math_is_what_the_type_and_the_instruction_allow),
        cmocka_unit_test(fast_math_of_what_is_no_float_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
