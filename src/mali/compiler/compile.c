/* From a shader of the shared IR to a binary: the order of all passes. */
#include "mali/compiler/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"
#include "compiler/lower/back_end.h"
#include "mali/compiler/lower_mali.h"
#include "mali/compiler/select.h"
#include "mali/compiler/split.h"
#include "util/bits.h"

#define PROGRAM_ALIGNMENT_B 128

struct compilation {
    struct ir_shader *shader;
    const struct mali_compile_options *options;
    struct mali_binary *binary;
    struct mach_program program;
    struct ir_failure failure;
    struct vir_uniforms uniforms;
    struct mali_varying_layout by_location; /* where none was given */
    struct ir_shader *varying;              /* a vertex shader's other half */
    uint32_t private_B;
    bool is_program_made, is_by_view;
    struct back_end_text text;
};

/* ---- text ---- */

static void print_program(const void *program, struct strbuf *text)
{
    mach_print(program, text);
}

static void note(struct compilation *c, const char *title)
{
    back_end_text_note(&c->text, title, print_program, &c->program);
}

static void disassemble(struct compilation *c)
{
    const uint32_t count = c->binary->code_size_B / 8;
    for (uint32_t i = 0; i < count; i++) {
        struct mali_isa_inst inst;
        char text[MALI_ISA_MAX_TEXT];
        if (!c->binary->words[i]) /* between two programs */
            continue;
        mali_isa_decode(c->binary->words[i], &inst);
        mali_isa_print(&inst, text);
        strbuf_printf(&c->text.code, "\t%-60s ; %04x: %016llx\n", text, i, (unsigned long long)c->binary->words[i]);
    }
}

/* ---- passes ---- */

#define PASS(c, pass) BACK_END_PASS(&(c)->text, (c)->shader, pass, NULL)

static void clean_up(struct compilation *c)
{
    if (c->options->no_optimisation)
        return;
    PASS(c, opt_fold);
    PASS(c, opt_common);
    PASS(c, opt_invariant);
    PASS(c, lower_fuse);
    PASS(c, opt_dead_code);
}

static void lower_ir(struct compilation *c)
{
    struct ir_shader *shader = c->shader;
    shader->target = mali_target();
    back_end_text_note_ir(&c->text, shader, "as it came");
    if (shader->stage == IR_STAGE_fragment)
        PASS(c, lower_helper);
    const uint32_t views = c->options->stage ? c->options->stage->vs.view_mask : 0;
    c->is_by_view = shader->stage == IR_STAGE_vertex && IR_PASS(shader, mali_lower_views, &views);
    PASS(c, mali_lower_warp);
    if (!c->options->no_optimisation) {
        ir_optimise(shader, shader->target);
        back_end_text_note_ir(&c->text, shader, "after ir_optimise");
    }
    PASS(c, lower_vars_to_scratch);
    PASS(c, lower_inputs);
    PASS(c, lower_atomic);
    if (shader->stage == IR_STAGE_fragment)
        PASS(c, mali_lower_subpass);
    PASS(c, lower_tex);
    PASS(c, mali_lower_queries);
    ir_build_cfg(shader);
    ir_analyse_divergence(shader);
    PASS(c, lower_lanes);
    ir_build_cfg(shader);
    ir_analyse_divergence(shader);
    PASS(c, mali_lower_lanes);
    PASS(c, lower_divide);
    PASS(c, lower_convert);
    PASS(c, lower_alu);
    PASS(c, lower_fields);
    if (!c->options->no_optimisation)
        back_end_make_pairs(&c->text, shader);
    ir_build_cfg(shader);
    ir_analyse_divergence(shader);
    PASS(c, lower_narrow);
    PASS(c, lower_wide);
    clean_up(c);
    ir_build_cfg(shader);
    ir_index(shader);
    ir_analyse_divergence(shader);
    back_end_text_note_ir(&c->text, shader, "lowered for Valhall");
}

/* ---- uniforms ---- */

/* Bytes of push constants that are read at known places, and what else is read as if it were one. */
static void find_push(struct ir_shader *shader, struct mali_fau_layout *fau, bool is_read[MALI_SYSVAL_COUNT])
{
    uint32_t first_B = UINT32_MAX, last_B = 0;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_load_push)
                continue;
            if (!ir_is_const(ir_src(instr, 0))) {
                is_read[MALI_SYSVAL_PUSH_ADDRESS] = true;
                continue;
            }
            const uint32_t at_B = (uint32_t)ir_const_u64(ir_src(instr, 0)) + ir_imm(instr, IR_IMM_BASE);
            if (at_B >= MALI_LOWER_INPUTS_B) {
                const uint32_t input = (at_B - MALI_LOWER_INPUTS_B) / MALI_LOWER_INPUT_B;
                if (input >= MALI_MAX_INPUTS)
                    ir_fail(shader, "a push constant at byte %u", at_B);
                is_read[MALI_SYSVAL_INPUT_0 + input] = true;
                continue;
            }
            first_B = MIN2(first_B, at_B);
            last_B = MAX2(last_B, at_B + instr->def.comps * MAX2(instr->def.bits / 8u, 1u));
        }
    }
    if (first_B >= last_B)
        return;
    fau->push_offset_B = (uint16_t)(first_B & ~7u);
    fau->push_words = (uint16_t)((last_B - fau->push_offset_B + 7) / 8 * 2);
}

static int sysval_of(const struct ir_instr *instr)
{
    if (instr->op == IR_OP_load_const_data)
        return MALI_SYSVAL_DATA_ADDRESS;
    if (instr->op != IR_OP_load_sysval)
        return -1;
    switch (ir_imm(instr, IR_IMM_SYSVAL)) {
    case IR_SYSVAL_num_workgroups:
        return MALI_SYSVAL_WORKGROUPS;
    case IR_SYSVAL_workgroup_base:
        return MALI_SYSVAL_WORKGROUP_BASE;
    case IR_SYSVAL_base_vertex:
        return MALI_SYSVAL_BASE_VERTEX;
    case IR_SYSVAL_base_instance:
        return MALI_SYSVAL_BASE_INSTANCE;
    default:
        return -1;
    }
}

/* The fragment stage is not known: which varyings are linear on the screen comes with the draw. */
static bool is_apart(const struct compilation *c)
{
    return !c->options->stage || !c->options->stage->varyings;
}

/* Push constants, system values that are read, numbers of the program. Pairs begin at an even word. */
static void lay_out_uniforms(struct compilation *c)
{
    struct mali_fau_layout *fau = &c->binary->config.fau;
    bool is_read[MALI_SYSVAL_COUNT] = {false};
    find_push(c->shader, fau, is_read);
    ir_foreach_block (c->shader, block) {
        ir_foreach_instr (block, instr) {
            const int which = sysval_of(instr);
            if (which >= 0)
                is_read[which] = true;
        }
    }
    if (c->options->has_workgroup_base && c->shader->stage == IR_STAGE_compute)
        is_read[MALI_SYSVAL_WORKGROUP_BASE] = true;
    is_read[MALI_SYSVAL_VIEWPORT_SCALE] = is_read[MALI_SYSVAL_VIEWPORT_OFFSET] = c->shader->stage == IR_STAGE_vertex;
    const struct mali_stage_options *stage = c->options->stage;
    is_read[MALI_SYSVAL_NOPERSPECTIVE] = c->shader->stage == IR_STAGE_vertex && is_apart(c);
    is_read[MALI_SYSVAL_BLEND_CONSTANTS] = c->shader->stage == IR_STAGE_fragment && stage && stage->fs.blend_shaders;
    unsigned next = fau->push_words;
    for (unsigned i = 0; i < MALI_SYSVAL_COUNT; i++) {
        next += mali_sysval_words[i] == 2 && next % 2;
        fau->sysval[i] = (uint16_t)(is_read[i] ? next : MALI_FAU_UNUSED);
        next += is_read[i] ? mali_sysval_words[i] : 0;
    }
    for (unsigned i = 0; i < MALI_MAX_INPUTS; i++)
        c->binary->config.fs.inputs_read |= (uint8_t)(is_read[MALI_SYSVAL_INPUT_0 + i] << i);
    if (next > MALI_FAU_WORDS_MAX)
        ir_fail(c->shader, "push constants and system values have %u words, of %u", next, MALI_FAU_WORDS_MAX);
    fau->first_immediate = (uint16_t)next;
    c->uniforms = (struct vir_uniforms){.first_immediate = next, .capacity = MALI_FAU_WORDS_MAX - next};
    c->uniforms.immediates = ir_alloc(c->shader, c->uniforms.capacity * sizeof(uint32_t) + 4);
}

/* ---- a program ---- */

static void check(struct compilation *c, const char *step)
{
#ifndef NDEBUG
    const char *wrong = mach_validate(&c->program);
    if (wrong)
        mach_fail(&c->program, "internal: %s broke a rule: %s", step, wrong);
#else
    (void)c, (void)step;
#endif
}

/* With 32 registers twice as many warps fit: all programs that can have no more. */
static void choose_registers(struct compilation *c, struct mali_program *out)
{
    struct mach_program *program = &c->program;
    mach_find_kills(program);
    program->has_kills = true; /* registers are chosen, no instruction changes */
    const bool is_small = program->max_demand + VIR_SLACK <= 32 && !c->options->max_registers &&
                          !c->binary->config.fs.may_call_blend_shader;
    out->registers = is_small ? 32 : 64;
    program->limit = is_small ? 32 : VIR_REGISTERS;
    program->seam = is_small ? VIR_SEAM : 0;
    program->slack = VIR_SLACK;
    mach_foreach_instr(&program->blocks[0], instr)
    {
        for (unsigned i = 0; i < instr->num_defs && instr->op == MACH_P_START; i++)
            instr->defs[i].reg = (mach_reg)((is_small ? VIR_SEAM : VIR_FIRST_PRELOAD) + i);
    }
}

/* For tests of spilling: registers in the middle are not there. */
static void limit_registers(struct compilation *c)
{
    if (c->options->max_registers)
        c->program.slack = VIR_REGISTERS - c->options->max_registers;
}

static uint16_t preload_of(const struct mach_program *program)
{
    uint16_t mask = 0;
    mach_foreach_instr(&program->blocks[0], instr)
    {
        for (unsigned i = 0; i < instr->num_defs && instr->op == MACH_P_START; i++)
            mask |= (uint16_t)(!instr->defs[i].is_dead << i);
    }
    return mask;
}

/* Code goes to the end of the binary. */
static void append_code(struct compilation *c, struct mali_program *out, const struct vir_code *code)
{
    struct mali_binary *binary = c->binary;
    const uint32_t end_B = (uint32_t)align_u64(binary->code_size_B + code->count * 8, PROGRAM_ALIGNMENT_B);
    uint64_t *words = realloc(binary->words, end_B);
    if (!words)
        mach_fail(&c->program, "out of memory");
    memset((char *)words + binary->code_size_B, 0, end_B - binary->code_size_B);
    memcpy((char *)words + binary->code_size_B, code->words, code->count * 8);
    out->offset_B = binary->code_size_B;
    out->size_B = code->count * 8;
    binary->words = words;
    binary->code_size_B = end_B;
}

static void run_machine(struct compilation *c, struct mali_program *out, struct vir_code *code)
{
    if (!c->options->no_optimisation) {
        mali_vir_fold(&c->program);
        mali_vir_halves(&c->program);
        mach_drop_dead(&c->program);
        mali_vir_combine(&c->program);
        mach_drop_dead(&c->program);
    }
    mali_vir_legalise(&c->program, &c->uniforms);
    check(c, "mali_vir_legalise");
    mach_split_edges(&c->program);
    choose_registers(c, out);
    limit_registers(c);
    mach_spill(&c->program);
    check(c, "mach_spill");
    mach_allocate(&c->program);
    note(c, "allocated");
    out->preload = preload_of(&c->program);
    mali_vir_lower(&c->program, out->registers);
    mali_vir_fill(&c->program);
    if (!c->options->no_optimisation)
        mali_vir_schedule(&c->program);
    mali_vir_wait(&c->program);
    mali_vir_emit(&c->program, code);
}

static void make_program(struct compilation *c, struct ir_shader *shader, struct mali_program *out)
{
    const struct mali_stage_options *stage = c->options->stage;
    struct vir_code code = {0};
    mach_init(&c->program, &mali_vir_machine, &c->failure, VIR_REGISTERS);
    c->is_program_made = true;
    c->program.spilled_B = (uint32_t)align_u64(shader->scratch_size_B, 4);
    struct select select = {.m = {.program = &c->program, .shader = shader},
                            .options = c->options,
                            .config = &c->binary->config,
                            .is_varying = shader == c->varying,
                            .is_by_view = c->is_by_view,
                            .is_apart = is_apart(c),
                            .varyings = stage && stage->varyings ? stage->varyings : &c->by_location};
    mali_select(&select);
    note(c, "selected");
    check(c, "selection");
    run_machine(c, out, &code);
    append_code(c, out, &code);
    out->flushes_denormals = shader->floats.denorm_flush[1];
    c->private_B = MAX2(c->private_B, c->program.spilled_B);
    mach_finish(&c->program);
    c->is_program_made = false;
}

/* ---- stages ---- */

static void tidy(struct compilation *c, struct ir_shader *shader)
{
    if (!c->options->no_optimisation)
        IR_PASS(shader, opt_dead_code, NULL);
    ir_build_cfg(shader);
    ir_index(shader);
    ir_analyse_divergence(shader);
}

static void make_vertex(struct compilation *c)
{
    struct mali_shader_config *config = &c->binary->config;
    const struct mali_stage_options *stage = c->options->stage;
    const struct mali_varying_layout *layout = stage && stage->varyings ? stage->varyings : &c->by_location;
    if (mali_has_varyings(c->shader) && layout->size_B) {
        c->varying = ir_shader_clone(c->shader);
        if (!c->varying)
            ir_fail(c->shader, "out of memory");
        c->varying->failure = &c->failure;
        mali_keep_varyings(c->varying, c->shader, is_apart(c) || layout->noperspective != 0);
        tidy(c, c->varying);
        config->vs.varying_size_B = layout->size_B;
    }
    mali_keep_positions(c->shader);
    tidy(c, c->shader);
    make_program(c, c->shader, &config->main);
    if (c->varying)
        make_program(c, c->varying, &config->varying);
}

static void make_fragment(struct compilation *c)
{
    const struct ir_shader *shader = c->shader;
    const struct mali_stage_options *stage = c->options->stage;
    const uint64_t by_sample = 1ull << IR_SYSVAL_sample_id | 1ull << IR_SYSVAL_sample_pos;
    c->binary->config.fs.is_per_sample =
        (stage && stage->fs.is_per_sample) || shader->fs.sample_shading || shader->sysvals_read & by_sample;
    make_program(c, c->shader, &c->binary->config.main);
}

/* ---- the binary ---- */

static void describe(struct compilation *c)
{
    struct mali_shader_config *config = &c->binary->config;
    const struct ir_shader *shader = c->shader;
    config->writes_memory = back_end_writes_memory(shader);
    config->local_size_B = shader->shared_size_B;
    config->private_size_B = (uint32_t)align_u64(MAX2(shader->scratch_size_B, c->private_B), 16);
    for (unsigned i = 0; i < 3; i++)
        config->cs.workgroup_size[i] = (uint16_t)MAX2(shader->workgroup_size[i], 1u);
    config->cs.may_merge = !config->cs.has_barrier && !config->local_size_B && !shader->uses_subgroup_ops;
    config->fau.words = (uint16_t)align_u64(c->uniforms.first_immediate + c->uniforms.count, 2);
}

static bool finish_binary(struct compilation *c)
{
    struct mali_binary *binary = c->binary;
    const struct ir_shader *shader = c->shader;
    binary->size_B = binary->code_size_B + shader->const_data_size_B;
    binary->num_immediates = c->uniforms.count;
    uint64_t *words = realloc(binary->words, binary->size_B + 8);
    binary->words = words ? words : binary->words;
    binary->immediates = calloc(c->uniforms.count + 1, sizeof(uint32_t));
    if (!words || !binary->immediates)
        return false;
    if (shader->const_data_size_B)
        memcpy((char *)binary->words + binary->code_size_B, shader->const_data, shader->const_data_size_B);
    memcpy(binary->immediates, c->uniforms.immediates, c->uniforms.count * sizeof(uint32_t));
    describe(c);
    if (c->options->keep_text) {
        disassemble(c);
        back_end_text_take(&c->text, &binary->ir_text, &binary->disassembly);
    }
    return true;
}

static bool finish_compilation(struct compilation *c, bool is_done, char error_out[256])
{
    if (c->is_program_made)
        mach_finish(&c->program);
    if (c->varying)
        ir_shader_destroy(c->varying);
    c->shader->failure = NULL;
    if (!is_done) {
        snprintf(error_out, 256, "%s", c->failure.text);
        back_end_text_finish(&c->text);
        mali_binary_finish(c->binary);
    }
    return is_done;
}

static bool compile_guarded(void *data, char error_out[256])
{
    struct compilation *c = data;
    if (setjmp(c->failure.jump))
        return finish_compilation(c, false, error_out);
    c->shader->failure = &c->failure;
    if (back_end_asks_residency(c->shader))
        ir_fail(c->shader, "an access that asks which memory is there, without sparse memory");
    mali_varyings_by_location(&c->by_location);
    if (c->shader->stage != IR_STAGE_compute && c->shader->stage != IR_STAGE_vertex &&
        c->shader->stage != IR_STAGE_fragment)
        ir_fail(c->shader, "only vertex, fragment and compute shaders are compiled for Valhall");
    lower_ir(c);
    lay_out_uniforms(c);
    if (c->shader->stage == IR_STAGE_vertex)
        make_vertex(c);
    else if (c->shader->stage == IR_STAGE_fragment)
        make_fragment(c);
    else
        make_program(c, c->shader, &c->binary->config.main);
    const bool is_done = finish_binary(c);
    if (!is_done)
        snprintf(c->failure.text, sizeof(c->failure.text), "out of memory");
    return finish_compilation(c, is_done, error_out);
}

bool mali_compile(struct ir_shader *shader, const struct mali_compile_options *options, struct mali_binary *binary_out,
                  char error_out[256])
{
    struct compilation c = {
        .shader = shader, .options = options, .binary = binary_out, .text = {.is_kept = options->keep_text}};
    memset(binary_out, 0, sizeof(*binary_out));
    return back_end_run(shader, compile_guarded, &c, error_out);
}

void mali_binary_finish(struct mali_binary *binary)
{
    free(binary->words);
    free(binary->immediates);
    free(binary->ir_text);
    free(binary->disassembly);
    memset(binary, 0, sizeof(*binary));
}
