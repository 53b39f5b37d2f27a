/* Running a pass: what every pass has around it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/debug.h"
#include "util/log.h"
#include "util/strbuf.h"

#include "compiler/ir/ir.h"

static void print_after(const struct ir_shader *shader, const char *name)
{
    struct strbuf text = {0};
    strbuf_printf(&text, "; %s after %s\n", shader->name ? shader->name : "shader", name);
    ir_print(shader, &text);
    if (text.text)
        log_text(text.text, text.length);
    strbuf_finish(&text);
}

#ifndef NDEBUG
/* A broken rule is an error of ours, never of the program: the earliest place where it can be seen is the best to stop
 * at. */
static void validate_after(struct ir_shader *shader, const char *name)
{
    const char *wrong = ir_validate(shader);
    if (!wrong)
        return;
    if (strcmp(wrong, "out of memory") == 0 && shader->failure) { /* the host's error, not ours */
        shader->failure->out_of_memory = true;
        ir_fail(shader, "%s", wrong);
    }
    print_after(shader, name);
    fprintf(stderr, "compiler/ir: the pass %s broke a rule: %s\n", name, wrong);
    abort();
}
#endif

bool ir_run_pass(struct ir_shader *shader, const char *name, ir_pass pass, const void *options)
{
    const uint32_t num_values = shader->num_values;
    bool progress = pass(shader, options);
    if (progress || shader->num_values != num_values) /* else all numbers are what they were */
        ir_index(shader);
#ifndef NDEBUG
    validate_after(shader, name);
#endif
    if (progress && debug_enabled(DEBUG_IR))
        print_after(shader, name);
    arena_reset(&shader->scratch);
    return progress;
}
