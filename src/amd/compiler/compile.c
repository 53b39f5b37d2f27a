/* From a shader of the shared IR to a binary: the order of all passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/compiler/compiler.h"
#include "amd/compiler/lower_amd.h"
#include "amd/compiler/select.h"
#include "compiler/ir/opt.h"
#include "compiler/lower/back_end.h"
#include "util/bits.h"

/* Rounding to nearest; denormals of 16 and 64 bits are kept, those of 32 flushed unless the shader wants them. */
static uint32_t float_mode(const struct ir_float_controls *floats)
{
    uint32_t mode = 0;
    if (floats->round_zero[1])
        mode |= 3u;
    if (floats->round_zero[0] || floats->round_zero[2])
        mode |= 3u << 2;
    if (floats->denorm_preserve[1])
        mode |= 3u << 4;
    /* one field for 16 and 64 bits */
    if (floats->denorm_preserve[0] || floats->denorm_preserve[2] ||
        !(floats->denorm_flush[0] || floats->denorm_flush[2]))
        mode |= 3u << 6;
    return mode;
}

struct compilation {
    struct ir_shader *shader;
    const struct amd_prolog_key *prolog; /* instead of a shader */
    const struct amd_epilog_key *epilog;
    const struct amd_compile_options *options;
    struct amd_binary *binary;
    struct mir_program program;
    struct ir_failure failure;
    bool program_made;
    struct back_end_text text;
};

static void print_mir(const void *program, struct strbuf *text)
{
    amd_mir_print(program, text);
}

static void note_mir(struct compilation *c, const char *title)
{
    back_end_text_note(&c->text, title, print_mir, &c->program);
}

#define PASS(c, pass, pass_options) BACK_END_PASS(&(c)->text, (c)->shader, pass, pass_options)

/* Removes the leavings of lowering: constants, common subexpressions, dead code, descriptors that a loop need not
 * load again. */
static void clean_up(struct compilation *c)
{
    if (c->options->no_optimisation)
        return;
    PASS(c, opt_fold, NULL);
    PASS(c, opt_common, NULL);
    PASS(c, opt_invariant, NULL);
    PASS(c, lower_fuse, NULL);
    PASS(c, opt_dead_code, NULL);
}

static void lower_ir(struct compilation *c)
{
    struct ir_shader *shader = c->shader;
    shader->target = amd_target(c->options->gfx);
    if (!shader->target)
        ir_fail(shader, "there is no compiler for this generation");
    back_end_text_note_ir(&c->text, c->shader, "as it came");
    PASS(c, amd_lower_amd_trace, c->options);
    PASS(c, amd_lower_amd_ray, NULL);
    if (!c->options->no_optimisation) {
        ir_optimise(shader, shader->target);
        back_end_text_note_ir(&c->text, c->shader, "after ir_optimise");
    }
    PASS(c, amd_lower_amd_xfb, c->options);
    PASS(c, lower_vars_to_scratch, NULL);
    PASS(c, lower_inputs, NULL);
    PASS(c, lower_atomic, NULL);
    PASS(c, lower_tex, NULL);
    PASS(c, amd_lower_amd_bool, NULL);
    ir_build_cfg(shader);
    ir_analyse_divergence(shader);
    PASS(c, amd_lower_amd_lanes, c->options);
    PASS(c, lower_divide, NULL);
    PASS(c, lower_convert, NULL);
    PASS(c, lower_alu, NULL);
    if (!c->options->no_optimisation)
        back_end_make_pairs(&c->text, shader);
    ir_build_cfg(shader);
    ir_analyse_divergence(shader);
    PASS(c, amd_lower_amd_resource, c->options);
    PASS(c, amd_lower_amd_query, NULL);
    PASS(c, amd_lower_amd_call, NULL);
    ir_build_cfg(shader);
    ir_analyse_divergence(shader);
    PASS(c, lower_narrow, NULL);
    clean_up(c);
    PASS(c, amd_lower_amd_bool, NULL); /* after the cleaning: masks must stay where they are made */
    ir_build_cfg(shader);
    ir_index(shader);
    ir_analyse_divergence(shader);
    back_end_text_note_ir(&c->text, c->shader, "lowered for GFX10.3");
}

static void check_mir(struct compilation *c, const char *step, const char *(*validate)(struct mir_program *))
{
#ifndef NDEBUG
    const char *wrong = validate(&c->program);
    if (wrong)
        amd_mir_fail(&c->program, "internal: %s broke a rule: %s", step, wrong);
#else
    (void)c, (void)step, (void)validate;
#endif
}

/* Selection and everything after it. */
static void run_machine(struct compilation *c, const struct amd_args *args, bool force_scratch, struct mir_code *code)
{
    struct mir_program *program = &c->program;
    amd_mir_init(program, c->options->gfx, c->options->wave_size, &c->failure);
    c->program_made = true;
    if (c->shader) {
        program->float_mode = float_mode(&c->shader->floats);
        program->caller_float_mode = float_mode(&(struct ir_float_controls){0});
        amd_select(program, c->shader, c->options, args, &c->binary->config, force_scratch);
    } else if (c->prolog) {
        amd_select_prolog(program, c->options, c->prolog);
    } else {
        amd_select_epilog(program, c->options, c->epilog, &c->binary->config);
    }
    note_mir(c, "selected");
    check_mir(c, "selection", amd_mir_validate);
    amd_mir_split_edges(program);
    if (!c->options->no_optimisation) {
        amd_mir_optimise(program);
        note_mir(c, "optimised");
        check_mir(c, "amd_mir_optimise", amd_mir_validate);
        amd_mir_schedule(program);
        check_mir(c, "amd_mir_schedule", amd_mir_validate);
    }
    amd_mir_liveness(program);
    amd_mir_spill(program);
    amd_mir_allocate(program);
    check_mir(c, "amd_mir_allocate", amd_mir_validate_allocated);
    amd_drop_dead_exec(program);
    amd_mir_lower(program);
    if (!c->options->no_optimisation)
        amd_mir_schedule_allocated(program);
    amd_mir_insert_waits(program);
    note_mir(c, "final");
    amd_mir_emit(program, code);
}

/* Selection does not load the descriptor of private memory unless it must: most shaders need none, and spilling says so
 * when they do. */
static bool needs_scratch(const struct compilation *c)
{
    return c->program_made && c->program.wants_scratch;
}

static void disassemble_code(struct compilation *c, const struct mir_code *code)
{
    char text[ISA_MAX_TEXT];
    for (uint32_t at = 0; at < code->code_size_dw;) {
        struct isa_inst inst;
        int size = amd_isa_decode(c->options->gfx, code->words + at, code->code_size_dw - at, &inst);
        if (size <= 0) {
            strbuf_printf(&c->text.code, "\t.long 0x%08x\n", code->words[at]);
            at++;
            continue;
        }
        amd_isa_print(c->options->gfx, c->options->wave_size, &inst, text);
        strbuf_printf(&c->text.code, "\t%-60s ; %05x:", text, at * 4);
        for (int i = 0; i < size; i++)
            strbuf_printf(&c->text.code, " %08x", code->words[at + (uint32_t)i]);
        strbuf_append(&c->text.code, "\n");
        at += (uint32_t)size;
    }
}

static bool finish_binary(struct compilation *c, const struct amd_args *args, const struct mir_code *code)
{
    struct amd_binary *binary = c->binary;
    const struct mir_program *program = &c->program;
    struct amd_shader_config *config = &binary->config;
    binary->size_B = code->count_dw * 4;
    binary->code_size_B = code->code_size_dw * 4;
    binary->words = malloc(binary->size_B);
    binary->statistics = calloc(1, sizeof(*binary->statistics));
    if (!binary->words || !binary->statistics)
        return false;
    memcpy(binary->words, code->words, binary->size_B);
    config->num_sgprs = program->num_sgprs;
    config->num_vgprs = MAX2(program->num_vgprs, args->num_vgprs);
    config->lds_size_B = program->lds_size_B;
    config->scratch_size_B = program->scratch_size_B;
    config->wave_size = c->options->wave_size;
    if (c->shader) {
        for (unsigned i = 0; i < 3; i++)
            config->workgroup_size[i] = (uint16_t)MAX2(c->shader->workgroup_size[i], 1u);
        amd_args_finish(args, c->shader, c->options, program->float_mode, config);
    }

    struct amd_statistics *stats = binary->statistics;
    amd_statistics_of_code(c->options->gfx, c->options->wave_size, code->words, code->code_size_dw, stats);
    stats->sgprs = program->num_sgprs;
    stats->vgprs = config->num_vgprs;
    stats->spilled_sgprs = program->spilled_sgprs;
    stats->spilled_vgprs = program->spilled_vgprs;
    stats->copies = program->copies;
    stats->code_size_B = binary->code_size_B;
    stats->lds_size_B = config->lds_size_B;
    stats->scratch_size_B = config->scratch_size_B;
    stats->presched_sgprs = program->presched_sgprs;
    stats->presched_vgprs = program->presched_vgprs;
    if (c->options->keep_text) {
        disassemble_code(c, code);
        back_end_text_take(&c->text, &binary->ir_text, &binary->disassembly);
    }
    return true;
}

/* With or without a result everything but the binary is freed. */
static bool finish_compilation(struct compilation *c, bool done, char error_out[256])
{
    if (c->program_made)
        amd_mir_finish(&c->program);
    if (c->shader)
        c->shader->failure = NULL;
    if (!done) {
        snprintf(error_out, 256, "%s", c->failure.text);
        back_end_text_finish(&c->text);
        amd_binary_finish(c->binary);
    }
    return done;
}

static bool compile_guarded(void *data, char error_out[256])
{
    struct compilation *c = data;
    struct amd_args args = {.num_vgprs = 0};
    struct mir_code code = {0};
    volatile bool force_scratch = false;
    if (setjmp(c->failure.jump))
        return finish_compilation(c, false, error_out);
    if (c->shader) {
        c->shader->failure = &c->failure;
        if (c->options->wave_size != 32 && c->options->wave_size != 64)
            ir_fail(c->shader, "waves of %u lanes", c->options->wave_size);
        lower_ir(c);
        amd_args_init(&args, c->shader, c->options);
    }
    if (setjmp(c->failure.jump)) {
        if (!needs_scratch(c) || force_scratch)
            return finish_compilation(c, false, error_out);
        force_scratch = true;
        amd_mir_finish(&c->program);
    }
    run_machine(c, &args, force_scratch, &code);
    bool done = finish_binary(c, &args, &code);
    if (!done)
        snprintf(c->failure.text, sizeof(c->failure.text), "out of memory");
    return finish_compilation(c, done, error_out);
}

static bool compile_shader(struct compilation *c, char error_out[256])
{
    c->text.is_kept = c->options->keep_text;
    memset(c->binary, 0, sizeof(*c->binary));
    return back_end_run(c->shader, compile_guarded, c, error_out);
}

bool amd_compile(struct ir_shader *shader, const struct amd_compile_options *options, struct amd_binary *binary_out,
                 char error_out[256])
{
    struct compilation c = {.shader = shader, .options = options, .binary = binary_out};
    return compile_shader(&c, error_out);
}

bool amd_compile_prolog(const struct amd_prolog_key *key, const struct amd_compile_options *options,
                        struct amd_binary *binary_out, char error_out[256])
{
    struct compilation c = {.prolog = key, .options = options, .binary = binary_out};
    return compile_shader(&c, error_out);
}

bool amd_compile_epilog(const struct amd_epilog_key *key, const struct amd_compile_options *options,
                        struct amd_binary *binary_out, char error_out[256])
{
    struct compilation c = {.epilog = key, .options = options, .binary = binary_out};
    return compile_shader(&c, error_out);
}

void amd_binary_finish(struct amd_binary *binary)
{
    free(binary->words);
    free(binary->statistics);
    free(binary->ir_text);
    free(binary->disassembly);
    memset(binary, 0, sizeof(*binary));
}
