/* Any text through the IR's parser: it ends in a shader that keeps the rules or in an error. What it takes prints as a
 * text that reads back as the same, copies to the same, and runs to its end or to a reason. The first byte chooses how
 * it is run. */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir_interpret.h"
#include "util/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

static char *printed(struct ir_shader *shader)
{
    struct strbuf text = {0};
    ir_index(shader);
    ir_print(shader, &text);
    if (text.failed || !text.text)
        abort();
    return text.text;
}

static void run_shader(struct ir_shader *shader, uint8_t choice)
{
    const struct ir_interpret_options options = {
        .seed = choice, .wave_size = choice & 1 ? 4 : 8, .num_lanes = 1 + (choice >> 1 & 15), .max_steps = 20000};
    struct ir_interpret_result result;
    ir_interpret(shader, &options, &result);
    ir_interpret_finish(&result);
}

static void take_passes(struct ir_shader *shader, uint8_t choice)
{
    char error[256], *first = printed(shader);
    struct ir_shader *again = ir_parse(first, error), *copy = ir_shader_clone(shader);
    if (!again || !copy || ir_validate(copy))
        abort();
    char *second = printed(again), *third = printed(copy);
    if (strcmp(first, second) != 0 || strcmp(first, third) != 0)
        abort();
    run_shader(copy, choice);
    free(first);
    free(second);
    free(third);
    ir_shader_destroy(again);
    ir_shader_destroy(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    if (size_B == 0)
        return 0;
    char *text = malloc(size_B), error[256] = "";
    if (!text)
        return 0;
    memcpy(text, data + 1, size_B - 1);
    text[size_B - 1] = '\0';
    struct ir_shader *shader = ir_parse(text, error);
    if (!shader && !error[0])
        abort();
    if (shader)
        take_passes(shader, data[0]);
    ir_shader_destroy(shader);
    free(text);
    return 0;
}
