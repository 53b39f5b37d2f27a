/* See back_end.h. */
#include "compiler/lower/back_end.h"

#include <stdio.h>
#include <string.h>

#include "compiler/ir/opt.h"
#include "compiler/lower/lower.h"
#include "util/debug.h"
#include "util/deep_stack.h"
#include "util/log.h"

void back_end_text_note_ir(struct back_end_text *text, const struct ir_shader *shader, const char *title)
{
    if (!text->is_kept)
        return;
    strbuf_printf(&text->ir, "; %s\n", title);
    ir_print(shader, &text->ir);
}

void back_end_text_note(struct back_end_text *text, const char *title, back_end_print print, const void *program)
{
    if (!text->is_kept && !debug_enabled(DEBUG_IR))
        return;
    struct strbuf note = {0};
    strbuf_printf(&note, "; %s\n", title);
    print(program, &note);
    if (debug_enabled(DEBUG_IR) && note.text)
        log_text(note.text, note.length);
    if (text->is_kept && note.text)
        strbuf_append(&text->ir, note.text);
    strbuf_finish(&note);
}

void back_end_text_take(struct back_end_text *text, char **ir_out, char **code_out)
{
    *ir_out = text->ir.text;
    *code_out = text->code.text;
    memset(&text->ir, 0, sizeof(text->ir));
    memset(&text->code, 0, sizeof(text->code));
}

void back_end_text_finish(struct back_end_text *text)
{
    strbuf_finish(&text->ir);
    strbuf_finish(&text->code);
}

static bool has_halves(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->def.bits == 16)
                return true;
        }
    }
    return false;
}

void back_end_make_pairs(struct back_end_text *text, struct ir_shader *shader)
{
    if (!has_halves(shader))
        return;
    BACK_END_PASS(text, shader, opt_fold, NULL);
    BACK_END_PASS(text, shader, lower_fuse, NULL);
    BACK_END_PASS(text, shader, opt_pairs, NULL);
}

bool back_end_asks_residency(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if ((ir_has_imm(instr, IR_IMM_TEX_FLAGS) && ir_imm(instr, IR_IMM_TEX_FLAGS) & IR_TEX_FLAG_RESIDENCY) ||
                (ir_has_imm(instr, IR_IMM_ACCESS) && ir_imm(instr, IR_IMM_ACCESS) & IR_ACCESS_RESIDENCY))
                return true;
        }
    }
    return false;
}

bool back_end_writes_memory(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_barrier && ir_info(instr)->writes & (IR_TOUCH_BUFFER | IR_TOUCH_IMAGE))
                return true;
        }
    }
    return false;
}

struct job {
    bool (*compile)(void *data, char error_out[256]);
    void *data;
    char *error_out;
    bool is_done;
};

static void run_job(void *data)
{
    struct job *job = data;
    job->is_done = job->compile(job->data, job->error_out);
}

bool back_end_run(const struct ir_shader *shader, bool (*compile)(void *data, char error_out[256]), void *data,
                  char error_out[256])
{
    struct job job = {compile, data, error_out, false};
    if (!shader || ir_depth(shader) <= IR_SHALLOW)
        run_job(&job);
    else if (!deep_stack_run(run_job, &job))
        snprintf(error_out, 256, "out of memory for a stack");
    return job.is_done;
}
