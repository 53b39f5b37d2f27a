/* From a shader of the shared IR to a binary: the order of all passes. */
#include "adreno/compiler/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/compiler/lower_adreno.h"
#include "adreno/compiler/select.h"
#include "adreno/hw/chip.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"
#include "compiler/lower/back_end.h"
#include "util/bits.h"

#define MAX_IMMEDIATES 256 /* dwords: what does not fit is moved to registers where it is used */
#define DATA_ALIGNMENT_B 64
/* Constant data up to this size lies in the constant file. Compute shaders have 256 vec4 of it; the graphics stages share
 * one file, and 100 vec4 of each always fit. */
#define FILE_DATA_COMPUTE_B 2560
#define FILE_DATA_GRAPHICS_B 256

struct compilation {
    struct ir_shader *shader;
    const struct adreno_compile_options *options;
    struct adreno_binary *binary;
    struct mach_program program;
    struct mach_program early;      /* what the preamble computes */
    struct ir_shader *early_shader; /* NULL: nothing */
    struct ir_failure failure;
    struct ir_target target; /* what this chip has */
    bool is_program_made, is_early_made;
    struct back_end_text text;
};

/* ---- text ---- */

static void print_air(const void *program, struct strbuf *text)
{
    mach_print(program, text);
}

static void note_air(struct compilation *c, const char *title)
{
    back_end_text_note(&c->text, title, print_air, &c->program);
}

static void disassemble(struct compilation *c, const struct air_code *code)
{
    for (uint32_t i = 0; i < code->count; i++) {
        struct adreno_isa_inst inst;
        char text[ADRENO_ISA_MAX_TEXT];
        adreno_isa_decode(code->words[i], &inst);
        adreno_isa_print(&inst, text);
        strbuf_printf(&c->text.code, "\t%-60s ; %04x: %016llx\n", text, i, (unsigned long long)code->words[i]);
    }
}

/* ---- passes ---- */

#define PASS(c, pass) BACK_END_PASS(&(c)->text, (c)->shader, pass, NULL)

static void clean_up(struct compilation *c)
{
    if (c->options->no_optimisation)
        return;
    PASS(c, opt_fold);
    PASS(c, opt_algebraic);
    PASS(c, opt_common);
    PASS(c, opt_invariant);
    PASS(c, lower_fuse);
    PASS(c, opt_dead_code);
}

/* Another stage follows in the same wave. */
static bool chains(const struct compilation *c)
{
    return adreno_chains(c->shader, c->options->stage);
}

static bool knows_wave_size(const struct ir_shader *shader)
{
    const uint64_t sysvals = 1ull << IR_SYSVAL_subgroup_size | 1ull << IR_SYSVAL_subgroup_id |
                             1ull << IR_SYSVAL_num_subgroups | 1ull << IR_SYSVAL_subgroup_lane;
    return shader->uses_subgroup_ops || shader->sysvals_read & sysvals;
}

/* What a program was promised; else the wider one, unless a workgroup fits into the smaller. */
static unsigned choose_wave_size(const struct compilation *c)
{
    const uint32_t *size = c->shader->workgroup_size;
    if (c->shader->stage <= IR_STAGE_geometry) /* there is no other */
        return 64;
    if (c->options->wave_size)
        return c->options->wave_size;
    if (c->shader->subgroup_size)
        return c->shader->subgroup_size <= 64 ? 64 : 128;
    return c->shader->stage == IR_STAGE_compute && (uint64_t)size[0] * size[1] * size[2] <= 64 &&
                   !knows_wave_size(c->shader)
               ? 64
               : 128;
}

/* The program does not know how many lanes a wave has. */
static bool can_narrow_waves(const struct compilation *c)
{
    return !c->options->wave_size && !c->shader->subgroup_size && !knows_wave_size(c->shader);
}

/* In halves: the file has room for twice as many registers in waves of half the size. */
static uint32_t registers_of_wave(const struct compilation *c, unsigned wave_size)
{
    return MIN2(c->options->chip->reg_size_vec4 * 8u * 64 / wave_size, (uint32_t)AIR_REGS);
}

/* Components that arrays may take: half of the file that a wave has. */
static uint32_t array_room(const struct compilation *c)
{
    const uint32_t limit = c->options->max_registers ? c->options->max_registers * 8u : AIR_REGS;
    const unsigned wave_size = can_narrow_waves(c) ? 64 : choose_wave_size(c);
    return MIN2(MIN2(limit, registers_of_wave(c, wave_size)) / 4, (uint32_t)ADRENO_ARRAY_REGISTERS);
}

static void lower_ir(struct compilation *c)
{
    struct ir_shader *shader = c->shader;
    c->target = *adreno_target();
    if (!c->options->chip->has_dp4acc)
        c->target.lacks[IR_OP_dot4] = 32;
    shader->target = &c->target;
    back_end_text_note_ir(&c->text, c->shader, "as it came");
    if (c->options->stage && c->options->stage->vs.is_binning)
        PASS(c, adreno_lower_binning);
    if (shader->stage == IR_STAGE_vertex && c->options->stage && c->options->stage->vs.view_mask)
        BACK_END_PASS(&c->text, shader, adreno_lower_views, &c->options->stage->vs.view_mask);
    if (chains(c))
        BACK_END_PASS(&c->text, shader, adreno_lower_handover, adreno_handover_of(shader, c->options->stage));
    if (shader->stage == IR_STAGE_tess_control)
        BACK_END_PASS(&c->text, shader, adreno_lower_control, c->options->stage);
    if (shader->stage == IR_STAGE_tess_eval)
        BACK_END_PASS(&c->text, shader, adreno_lower_evaluation, c->options->stage);
    if (shader->stage == IR_STAGE_geometry)
        BACK_END_PASS(&c->text, shader, adreno_lower_geometry, &c->options->stage->geometry);
    if (shader->stage == IR_STAGE_fragment)
        PASS(c, lower_helper);
    if (!c->options->no_optimisation) {
        ir_optimise(shader, shader->target);
        back_end_text_note_ir(&c->text, c->shader, "after ir_optimise");
    }
    const uint32_t room = array_room(c);
    if (!c->options->no_optimisation)
        BACK_END_PASS(&c->text, shader, adreno_lower_arrays, &room);
    PASS(c, lower_vars_to_scratch);
    PASS(c, lower_inputs);
    if (shader->stage == IR_STAGE_fragment && !c->options->no_optimisation)
        PASS(c, adreno_lower_varyings);
    PASS(c, lower_atomic);
    PASS(c, lower_tex);
    PASS(c, adreno_lower_image);
    ir_build_cfg(shader);
    ir_analyse_divergence(shader);
    if (!c->options->no_optimisation)
        PASS(c, adreno_lower_uniform);
    PASS(c, lower_lanes);
    PASS(c, lower_divide);
    PASS(c, lower_convert);
    PASS(c, lower_alu);
    PASS(c, lower_fields);
    PASS(c, adreno_lower_alu);
    ir_build_cfg(shader);
    ir_analyse_divergence(shader);
    PASS(c, lower_narrow);
    PASS(c, lower_wide);
    clean_up(c);
    ir_build_cfg(shader);
    ir_index(shader);
    ir_analyse_divergence(shader);
    back_end_text_note_ir(&c->text, c->shader, "lowered for A6xx");
}

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

static bool is_data_in_file(const struct ir_shader *shader)
{
    return shader->const_data_size_B <=
           (shader->stage == IR_STAGE_compute ? FILE_DATA_COMPUTE_B : FILE_DATA_GRAPHICS_B);
}

/* The parameter that an instruction reads; ADRENO_PARAM_COUNT: none. */
static enum adreno_param param_of(const struct ir_shader *shader, const struct ir_instr *instr)
{
    if (instr->op == IR_OP_load_const_data)
        return is_data_in_file(shader) ? ADRENO_PARAM_COUNT : ADRENO_PARAM_DATA;
    if (instr->op == IR_OP_tess_bases)
        return ADRENO_PARAM_TESS;
    if (instr->op != IR_OP_load_sysval)
        return ADRENO_PARAM_COUNT;
    switch (ir_imm(instr, IR_IMM_SYSVAL)) {
    case IR_SYSVAL_draw_index:
    case IR_SYSVAL_base_vertex:
    case IR_SYSVAL_base_instance:
        return ADRENO_PARAM_DRAW;
    case IR_SYSVAL_num_workgroups:
        return ADRENO_PARAM_WORKGROUPS;
    case IR_SYSVAL_workgroup_base:
        return ADRENO_PARAM_WORKGROUP_BASE;
    case IR_SYSVAL_patch_vertices:
        return ADRENO_PARAM_PATCH;
    default:
        return ADRENO_PARAM_COUNT;
    }
}

/* What lies where in the constant file: push constants, parameters that are read, numbers of the program. The command
 * processor takes 0 for "nowhere" where it writes a draw's parameters. */
static void lay_out_constants(struct compilation *c, struct adreno_shader_config *config)
{
    bool is_read[ADRENO_PARAM_COUNT + 1] = {false};
    ir_foreach_block (c->shader, block) {
        ir_foreach_instr (block, instr)
            is_read[param_of(c->shader, instr)] = true;
    }
    is_read[ADRENO_PARAM_WORKGROUP_BASE] |= c->options->has_workgroup_base;
    const struct adreno_shader_config *like = c->options->stage ? c->options->stage->vs.constants_of : NULL;
    config->first_push = 0;
    config->push_size = like ? like->push_size : (uint16_t)((c->shader->push_size_B + 15) / 16);
    unsigned next = is_read[ADRENO_PARAM_DRAW] ? MAX2(config->push_size, 1u) : config->push_size;
    for (unsigned i = 0; i < ADRENO_PARAM_COUNT; i++) {
        config->param[i] = like ? like->param[i] : ADRENO_CONST_UNUSED;
        if (config->param[i] != ADRENO_CONST_UNUSED)
            next = MAX2(next, config->param[i] + 1u);
    }
    for (unsigned i = 0; i < ADRENO_PARAM_COUNT; i++) {
        if (is_read[i] && config->param[i] == ADRENO_CONST_UNUSED)
            config->param[i] = (uint16_t)next++;
    }
    config->first_immediate = (uint16_t)next;
}

static void set_wave_size(struct compilation *c, unsigned wave_size)
{
    c->binary->config.wave_size = (uint16_t)wave_size;
    c->program.limit = (mach_reg)registers_of_wave(c, wave_size);
    if (c->options->max_registers)
        c->program.limit = (mach_reg)MIN2(c->options->max_registers * 8, c->program.limit);
    c->program.limit = (mach_reg)(c->program.limit - air_own(&c->program)->array_halves);
}

/* Rather smaller waves than private memory, where the program does not know their size. */
static void narrow_waves(struct compilation *c)
{
    if (c->binary->config.wave_size != 128 || !can_narrow_waves(c))
        return;
    mach_find_kills(&c->program);
    if (c->program.max_demand + c->program.slack > c->program.limit)
        set_wave_size(c, 64);
}

static int32_t constant_of(void *select, uint32_t value)
{
    return adreno_sel_immediate(select, value);
}

/* What is the same for a whole draw: ranges of buffers in the constant file, and what is computed from them alone. */
static void find_uniform(struct compilation *c, struct select *select)
{
    struct adreno_shader_config *config = &c->binary->config;
    select->first_early = config->first_immediate;
    adreno_sel_find_ranges(select);
    if (!c->options->max_registers)
        adreno_sel_find_early(select);
    if (!select->num_early)
        return;
    config->first_immediate = (uint16_t)(select->first_early + div_round_up(select->num_early, 4));
    adreno_sel_place_ranges(select);
    ir_build_cfg(c->shader);
    ir_index(c->shader);
    ir_analyse_divergence(c->shader);
    back_end_text_note_ir(&c->text, c->shader, "without what the preamble computes");
}

static void select_program(struct compilation *c, struct select *select)
{
    adreno_air_init(&c->program, &c->failure);
    c->is_program_made = true;
    const unsigned wave_size = choose_wave_size(c);
    set_wave_size(c, wave_size);
    c->program.spilled_B = (uint32_t)align_u64(c->shader->scratch_size_B, 4);
    lay_out_constants(c, &c->binary->config);
    *select = (struct select){.m = {.program = &c->program, .shader = c->shader},
                              .options = c->options,
                              .config = &c->binary->config,
                              .wave_size = wave_size,
                              .early_shader = &c->early_shader,
                              .is_data_in_file = is_data_in_file(c->shader)};
    if (select->is_data_in_file)
        select->num_immediates = (uint32_t)div_round_up(c->shader->const_data_size_B, 4);
    select->capacity_immediates = select->num_immediates + MAX_IMMEDIATES;
    select->immediates = mach_alloc(&c->program, select->capacity_immediates * sizeof(uint32_t));
    if (select->num_immediates)
        memcpy(select->immediates, c->shader->const_data, c->shader->const_data_size_B);
    if (!c->options->no_optimisation)
        find_uniform(c, select);
    air_own(&c->program)->constant_of = constant_of;
    air_own(&c->program)->constants = select;
    adreno_select(select);
    c->program.limit = (mach_reg)(c->program.limit - air_own(&c->program)->array_halves);
    note_air(c, "selected");
    check(c, "selection");
}

/* Registers that are worth fewer waves: what Mesa's compiler takes on average. */
static uint32_t free_halves(const struct compilation *c)
{
    return c->binary->config.wave_size == 128 ? 12 * 8 : 16 * 8;
}

/* The code of what the preamble computes. Its order stays, so that each value is stored as soon as it is there: few
 * registers are worth more than a few slots of what runs once. */
static struct air_code compile_early(struct compilation *c, struct select *select)
{
    struct air_code code = {0};
    if (!select->num_early)
        return code;
    struct adreno_shader_config config = c->binary->config;
    struct mach_program *program = &c->early;
    ir_build_cfg(c->early_shader);
    ir_index(c->early_shader);
    ir_analyse_divergence(c->early_shader);
    adreno_air_init(program, &c->failure);
    c->is_early_made = true;
    program->limit = c->program.limit;
    struct select early = *select;
    early.m = (struct mach_select){.program = program, .shader = c->early_shader};
    early.config = &config;
    early.num_ranges = 0;
    early.is_preamble = true;
    air_own(program)->constant_of = constant_of;
    air_own(program)->constants = &early;
    adreno_select(&early);
    mach_drop_dead(program);
    adreno_air_fold_conversions(program);
    adreno_air_optimise(program);
    mach_drop_dead(program);
    adreno_air_fuse(program);
    mach_drop_dead(program);
    mach_spill(program);
    mach_allocate(program);
    if (early.kept_inputs && early.end->operands[0].reg != 0)
        mach_fail(program, "internal: the preamble has moved the program's inputs");
    adreno_air_lower(program);
    adreno_air_legalise(program);
    adreno_air_emit(program, &code);
    code.count--; /* its end is the preamble's */
    select->num_immediates = early.num_immediates;
    c->program.used = MAX2(c->program.used, program->used);
    return code;
}

static void run_machine(struct compilation *c, struct select *select, struct air_code *code)
{
    if (!c->options->no_optimisation) {
        mach_drop_dead(&c->program);
        adreno_air_fold_conversions(&c->program);
        adreno_air_optimise(&c->program);
        mach_drop_dead(&c->program);
        adreno_air_fuse(&c->program);
        mach_drop_dead(&c->program);
        note_air(c, "optimised");
        check(c, "adreno_air_optimise");
    }
    mach_split_edges(&c->program);
    if (!c->options->no_optimisation) {
        adreno_air_move_parts(&c->program);
        adreno_air_schedule(&c->program, free_halves(c));
        mach_reuse_runs(&c->program);
        note_air(c, "scheduled");
        check(c, "adreno_air_schedule");
    }
    narrow_waves(c);
    mach_spill(&c->program);
    check(c, "mach_spill");
    mach_allocate(&c->program);
    if (air_own(&c->program)->array_halves) {
        air_own(&c->program)->array_reg = (mach_reg)align_u64(c->program.used, 2);
        c->program.used = (uint16_t)(air_own(&c->program)->array_reg + air_own(&c->program)->array_halves);
    }
    adreno_air_chain(&c->program);
    note_air(c, "allocated");
    adreno_air_lower(&c->program);
    adreno_air_split_guards(&c->program);
    if (!c->options->no_optimisation)
        adreno_air_hoist(&c->program);
    adreno_air_lower_branches(&c->program);
    if (c->binary->config.fs.has_varyings)
        adreno_air_end_varyings(&c->program);
    adreno_air_legalise(&c->program);
    note_air(c, "final");
    adreno_air_emit(&c->program, code);
    const struct air_code early = compile_early(c, select);
    adreno_sel_put_preamble(select, &early, code);
    adreno_sel_finish_outputs(select);
}

/* ---- the binary ---- */

/* Lanes of a quad read each other other than by derivatives: helpers must run to the end. */
static bool reads_quads(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_quad_read || instr->op == IR_OP_quad_swap)
                return true;
        }
    }
    return false;
}

static bool finish_binary(struct compilation *c, const struct select *select, const struct air_code *code)
{
    struct adreno_binary *binary = c->binary;
    struct adreno_shader_config *config = &binary->config;
    const struct ir_shader *shader = c->shader;
    binary->code_size_B = (uint32_t)align_u64(code->count * 8, DATA_ALIGNMENT_B);
    const uint32_t data_B = select->is_data_in_file ? 0 : shader->const_data_size_B;
    binary->size_B = binary->code_size_B + data_B;
    binary->num_immediates = (uint32_t)align_u64(select->num_immediates, 4);
    binary->words = calloc(1, binary->size_B + 8);
    binary->immediates = calloc(binary->num_immediates + 1, sizeof(uint32_t));
    if (!binary->words || !binary->immediates)
        return false;
    memcpy(binary->words, code->words, code->count * 8);
    if (data_B)
        memcpy((char *)binary->words + binary->code_size_B, shader->const_data, data_B);
    memcpy(binary->immediates, select->immediates, select->num_immediates * sizeof(uint32_t));
    config->constants = (uint16_t)(config->first_immediate + binary->num_immediates / 4);
    config->full_registers = (uint16_t)((c->program.used + 7) / 8);
    config->branch_depth = (uint8_t)MIN2(ir_depth(shader), 127u);
    config->writes_memory = back_end_writes_memory(shader);
    config->fs.reads_quads = shader->stage == IR_STAGE_fragment && reads_quads(shader);
    config->local_size_B = shader->shared_size_B;
    config->private_size_B = MAX2(shader->scratch_size_B, MAX2(c->program.spilled_B, c->early.spilled_B));
    for (unsigned i = 0; i < 3; i++)
        config->cs.workgroup_size[i] = (uint16_t)MAX2(shader->workgroup_size[i], 1u);
    if (c->options->keep_text) {
        disassemble(c, code);
        back_end_text_take(&c->text, &binary->ir_text, &binary->disassembly);
    }
    return true;
}

static bool finish_compilation(struct compilation *c, bool is_done, char error_out[256])
{
    if (c->is_program_made)
        mach_finish(&c->program);
    if (c->is_early_made)
        mach_finish(&c->early);
    ir_shader_destroy(c->early_shader);
    c->shader->failure = NULL;
    c->shader->target = adreno_target();
    if (!is_done) {
        snprintf(error_out, 256, "%s", c->failure.text);
        back_end_text_finish(&c->text);
        adreno_binary_finish(c->binary);
    }
    return is_done;
}

static bool compile_guarded(void *data, char error_out[256])
{
    struct compilation *c = data;
    struct select select;
    struct air_code code = {0};
    if (setjmp(c->failure.jump))
        return finish_compilation(c, false, error_out);
    c->shader->failure = &c->failure;
    if (back_end_asks_residency(c->shader))
        ir_fail(c->shader, "an access that asks which memory is there, without sparse memory");
    if ((c->shader->stage == IR_STAGE_tess_control || c->shader->stage == IR_STAGE_tess_eval) &&
        !(c->options->stage && c->options->stage->tess.is_there))
        ir_fail(c->shader, "a shader of tessellation without the other one");
    if (c->shader->stage == IR_STAGE_geometry && !(c->options->stage && c->options->stage->geometry.is_there))
        ir_fail(c->shader, "a geometry shader without the stage before it");
    lower_ir(c);
    select_program(c, &select);
    run_machine(c, &select, &code);
    const bool is_done = finish_binary(c, &select, &code);
    if (!is_done)
        snprintf(c->failure.text, sizeof(c->failure.text), "out of memory");
    return finish_compilation(c, is_done, error_out);
}

bool adreno_compile(struct ir_shader *shader, const struct adreno_compile_options *options,
                    struct adreno_binary *binary_out, char error_out[256])
{
    static const struct adreno_chip least = {.reg_size_vec4 = 64};
    struct adreno_compile_options known = *options;
    known.chip = options->chip ? options->chip : &least;
    struct compilation c = {
        .shader = shader, .options = &known, .binary = binary_out, .text = {.is_kept = options->keep_text}};
    memset(binary_out, 0, sizeof(*binary_out));
    return back_end_run(shader, compile_guarded, &c, error_out);
}

void adreno_binary_finish(struct adreno_binary *binary)
{
    free(binary->words);
    free(binary->immediates);
    free(binary->ir_text);
    free(binary->disassembly);
    memset(binary, 0, sizeof(*binary));
}
