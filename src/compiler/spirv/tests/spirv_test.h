/* For the tests of this room: a module from the directory that the build filled, translated, checked and run. */
#ifndef COMPILER_SPIRV_TESTS_SPIRV_TEST_H
#define COMPILER_SPIRV_TESTS_SPIRV_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/strbuf.h"

#include "compiler/ir/ir_interpret.h"
#include "compiler/spirv/spirv.h"

struct module {
    uint32_t *words;
    size_t count;
};

/* SPIRV_TEST_DIR is where the build put the modules. */
static inline struct module read_module(const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.spv", getenv("SPIRV_TEST_DIR") ? getenv("SPIRV_TEST_DIR") : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("there is no %s", path);
    fseek(file, 0, SEEK_END);
    long size_B = ftell(file);
    rewind(file);
    struct module module = {malloc((size_t)size_B + 4), (size_t)size_B / 4};
    assert_non_null(module.words);
    assert_int_equal(fread(module.words, 4, module.count, file), module.count);
    fclose(file);
    return module;
}

/* The validator's result, for a shader without an ir_guard. */
static inline const char *what_is_wrong(struct ir_shader *shader)
{
    static struct ir_failure failure;
    static const char *volatile wrong;
    wrong = NULL;
    if (ir_guard(shader, &failure) == 0)
        wrong = ir_validate(shader);
    else
        wrong = failure.text;
    shader->failure = NULL;
    return wrong;
}

static inline void print_shader(const struct ir_shader *shader)
{
    struct strbuf text = {0};
    ir_print(shader, &text);
    fprintf(stderr, "%s\n", text.text ? text.text : "");
    strbuf_finish(&text);
}

static inline struct ir_shader *translate_words(const char *name, const struct spirv_options *options)
{
    struct module module = read_module(name);
    struct spirv_error error;
    struct ir_shader *shader = spirv_to_ir(module.words, module.count, options, &error);
    free(module.words);
    if (!shader)
        fail_msg("%s: word %u: %s", name, error.word, error.text);
    const char *wrong = what_is_wrong(shader);
    if (wrong) {
        print_shader(shader);
        fail_msg("%s: the shader breaks a rule: %s", name, wrong);
    }
    return shader;
}

static inline struct ir_interpret_result run_shader(struct ir_shader *shader,
                                                    const struct ir_interpret_options *options)
{
    struct ir_interpret_result result;
    if (!ir_interpret(shader, options, &result))
        fail_msg("%s", result.error);
    assert_false(result.too_long);
    assert_int_equal(result.misaligned, 0);
    return result;
}

static inline uint32_t count_op(const struct ir_shader *shader, enum ir_op op)
{
    uint32_t count = 0;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            count += instr->op == op;
    return count;
}

static inline const struct ir_instr *nth(const struct ir_shader *shader, enum ir_op op, uint32_t n)
{
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (instr->op == op && n-- == 0)
                return instr;
    fail_msg("there are not so many of %s", ir_op_infos[op].name);
    return NULL;
}

/* The words of the module's first such instruction. */
static inline uint32_t *find_words(const struct module *module, uint32_t opcode)
{
    for (size_t at = 5; at < module->count; at += module->words[at] >> 16)
        if ((module->words[at] & 0xffff) == opcode)
            return &module->words[at];
    fail_msg("no instruction %u", opcode);
    return NULL;
}

/* The module, which this frees, has a fault that is named with this text. */
static inline void expect_refusal(struct module module, const struct spirv_options *options, const char *text)
{
    struct spirv_error error = {0};
    struct ir_shader *shader = spirv_to_ir(module.words, module.count, options, &error);
    if (shader || !strstr(error.text, text))
        fail_msg("'%s' instead of '%s'", shader ? "a shader" : error.text, text);
    free(module.words);
}

/* A driver that lacks what a capability stands for says so by refusing it. */
static inline void expect_capability(const char *name, enum ir_stage stage, uint32_t capability, const char *text)
{
    const struct spirv_options options = {
        .stage = stage, .refused_capabilities = &capability, .num_refused_capabilities = 1};
    expect_refusal(read_module(name), &options, text);
}

/* A compute shader over the buffers 0, 1, … of set 0. */
static inline void run_compute(const char *name, struct ir_interpret_buffer *buffers, uint32_t count)
{
    struct spirv_options options = {.stage = IR_STAGE_compute};
    struct ir_shader *shader = translate_words(name, &options);
    for (uint32_t i = 0; i < count; i++)
        buffers[i].binding = i;
    struct ir_interpret_options run = {.wave_size = 32,
                                       .num_workgroups = {1, 1, 1},
                                       .buffers = buffers,
                                       .num_buffers = count,
                                       .max_steps = 1ull << 28};
    struct ir_interpret_result result = run_shader(shader, &run);
    ir_interpret_finish(&result);
    ir_shader_destroy(shader);
}

#endif
