/* Any bytes as the choices of a random shader: it does the same before and after all passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"
#include "compiler/ir/tests/random_shader.h"
#include "util/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

static void complain_of_pass(const struct ir_shader *before, const struct ir_shader *after, const char *reason)
{
    struct strbuf text = {0};
    ir_print(before, &text);
    strbuf_append(&text, "; after\n");
    ir_print(after, &text);
    fprintf(stderr, "%s%s\n", text.text ? text.text : "", reason);
    abort();
}

/* Out of memory or too large is no finding. */
static __attribute__((noinline)) bool optimised(struct ir_shader *shader)
{
    struct ir_failure failure = {0};
    if (ir_guard(shader, &failure))
        return false;
    ir_optimise(shader, &ir_target_generic);
    const char *wrong = ir_validate(shader);
    if (wrong)
        complain_of_pass(shader, shader, wrong);
    shader->failure = NULL;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    if (size_B < 4)
        return 0;
    const struct random_options options = {.size = 10 + data[0] % 128,
                                           .no_floats = data[1] & 1,
                                           .no_lanes = data[1] & 2,
                                           .no_memory = data[1] & 4,
                                           .no_loops = data[1] & 8,
                                           .exact = true,
                                           .bytes = data + 4,
                                           .num_bytes = size_B - 4};
    struct ir_shader *before = random_shader(data[2], &options);
    struct ir_shader *after = before ? ir_shader_clone(before) : NULL;
    if (after && optimised(after)) {
        const struct ir_interpret_options world = {
            .seed = data[3], .wave_size = data[1] & 16 ? 64 : 32, .num_lanes = 32, .max_steps = 1 << 20};
        char reason[256];
        if (ir_interpret_compare(before, after, &world, reason) == IR_DIFFERENT)
            complain_of_pass(before, after, reason);
    }
    ir_shader_destroy(before);
    ir_shader_destroy(after);
    return 0;
}
