/* Every back end's work around its passes: it keeps the text that TUFF_DEBUG prints and executable properties want,
 * and runs the whole with a stack that is deep enough for the shader. */
#ifndef COMPILER_LOWER_BACK_END_H
#define COMPILER_LOWER_BACK_END_H

#include <stdbool.h>

#include "compiler/ir/ir.h"
#include "util/strbuf.h"

struct back_end_text {
    bool is_kept; /* for executable properties */
    struct strbuf ir, code;
};

/* The shader as it is now. */
void back_end_text_note_ir(struct back_end_text *text, const struct ir_shader *shader, const char *title);
/* The back end's own program. Also to the log, where TUFF_DEBUG asks for it. */
typedef void (*back_end_print)(const void *program, struct strbuf *text);
void back_end_text_note(struct back_end_text *text, const char *title, back_end_print print, const void *program);
/* Both texts become the caller's. */
void back_end_text_take(struct back_end_text *text, char **ir_out, char **code_out);
void back_end_text_finish(struct back_end_text *text);

/* Run a pass of the IR; what it changed is kept. */
#define BACK_END_PASS(text, shader, pass, pass_options)                                                                \
    do {                                                                                                               \
        if (IR_PASS(shader, pass, pass_options))                                                                       \
            back_end_text_note_ir(text, shader, "after " #pass);                                                       \
    } while (0)

/* opt_pairs with what it stands on, where the shader has 16-bit values: when all of these are there and before they are
 * computed in 32 bits. */
void back_end_make_pairs(struct back_end_text *text, struct ir_shader *shader);

/* Whether accesses to images ask which memory is there: a machine without sparse memory has no answer, and no
 * place for it among the components. The front end refuses such modules; a shader that comes as the IR's text has
 * not seen it. */
bool back_end_asks_residency(const struct ir_shader *shader);

/* Whether shader code has effects in memory that others see. */
bool back_end_writes_memory(const struct ir_shader *shader);

/* Calls `compile` with `data`, on a stack of its own where regions nest deeply; what it returns, or false with a
 * message where there is no memory for that stack. */
bool back_end_run(const struct ir_shader *shader, bool (*compile)(void *data, char error_out[256]), void *data,
                  char error_out[256]);

#endif
