/* The entry: reads a module, sets the shader up by its execution modes, and translates its entry point. */
#include "compiler/spirv/spirv.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/sp.h"
#include "util/deep_stack.h"

/* --- execution modes --- */

static uint32_t width_index(struct sp *s, uint32_t bits)
{
    if (bits != 16 && bits != 32 && bits != 64)
        sp_fail(s, "float controls for %u bits", bits);
    return bits == 16 ? 0 : bits == 64 ? 2 : 1;
}

static void float_mode(struct sp *s, uint32_t mode, uint32_t bits)
{
    struct ir_float_controls *floats = &s->shader->floats;
    uint32_t i = width_index(s, bits);
    switch (mode) {
    case SpvExecutionModeDenormPreserve:
        floats->denorm_preserve[i] = true;
        break;
    case SpvExecutionModeDenormFlushToZero:
        floats->denorm_flush[i] = true;
        break;
    case SpvExecutionModeSignedZeroInfNanPreserve:
        floats->signed_zero_inf_nan[i] = true;
        break;
    case SpvExecutionModeRoundingModeRTE:
        floats->round_even[i] = true;
        break;
    default:
        floats->round_zero[i] = true;
        break;
    }
}

/* Constants of the module obey the float modes, so that these are read on the way; all others after the module. */
void sp_do_execution_mode(struct sp *s, const struct sp_instr *in)
{
    if (sp_op(s, in, 0) != s->entry_id)
        return;
    switch (sp_op(s, in, 1)) {
    case SpvExecutionModeDenormPreserve:
    case SpvExecutionModeDenormFlushToZero:
    case SpvExecutionModeSignedZeroInfNanPreserve:
    case SpvExecutionModeRoundingModeRTE:
    case SpvExecutionModeRoundingModeRTZ:
        float_mode(s, sp_op(s, in, 1), sp_op(s, in, 2));
        break;
    default:
        break;
    }
}

#define FP_FAST_MATH_DEFAULT 6028 /* execution mode of SPV_KHR_float_controls2, which older headers do not name */

static void read_fast_math(struct sp *s, uint32_t type_id, uint32_t mode_id)
{
    const struct sp_type *type = sp_type(s, type_id);
    if (type->kind != SP_FLOAT)
        sp_fail(s, "execution mode FPFastMathDefault of a type that is no float");
    const uint32_t i = width_index(s, type->bits);
    s->fast_math[i].is_set = true;
    s->fast_math[i].mode = sp_constant_u32(s, mode_id);
}

static void geometry_mode(struct sp *s, uint32_t mode)
{
    struct ir_shader *shader = s->shader;
    bool tess = shader->stage == IR_STAGE_tess_control || shader->stage == IR_STAGE_tess_eval;
    switch (mode) {
    case SpvExecutionModeInputPoints:
        shader->gs.input = IR_PRIMITIVE_points;
        break;
    case SpvExecutionModeInputLines:
        shader->gs.input = IR_PRIMITIVE_lines;
        break;
    case SpvExecutionModeInputLinesAdjacency:
        shader->gs.input = IR_PRIMITIVE_lines_adjacency;
        break;
    case SpvExecutionModeTriangles:
        shader->gs.input = IR_PRIMITIVE_triangles;
        break;
    case SpvExecutionModeInputTrianglesAdjacency:
        shader->gs.input = IR_PRIMITIVE_triangles_adjacency;
        break;
    case SpvExecutionModeQuads:
        shader->gs.input = IR_PRIMITIVE_quads;
        break;
    case SpvExecutionModeIsolines:
        shader->gs.input = IR_PRIMITIVE_isolines;
        break;
    case SpvExecutionModeOutputPoints:
        shader->gs.output = IR_PRIMITIVE_points;
        break;
    case SpvExecutionModeOutputLineStrip:
        shader->gs.output = IR_PRIMITIVE_line_strip;
        break;
    case SpvExecutionModeOutputTriangleStrip:
        shader->gs.output = IR_PRIMITIVE_triangle_strip;
        break;
    case SpvExecutionModeSpacingEqual:
        shader->gs.spacing = 0;
        break;
    case SpvExecutionModeSpacingFractionalEven:
        shader->gs.spacing = 1;
        break;
    case SpvExecutionModeSpacingFractionalOdd:
        shader->gs.spacing = 2;
        break;
    case SpvExecutionModeVertexOrderCcw:
        shader->gs.ccw = true;
        break;
    case SpvExecutionModeVertexOrderCw:
        shader->gs.ccw = false;
        break;
    case SpvExecutionModePointMode:
        shader->gs.point_mode = true;
        break;
    default:
        sp_fail(s, "execution mode %u (%s) is not supported", mode, sp_name_of_ExecutionMode(mode));
    }
    if (tess && mode == SpvExecutionModeTriangles)
        shader->gs.output = IR_PRIMITIVE_triangles;
}

static void read_mode(struct sp *s, const struct sp_instr *in)
{
    struct ir_shader *shader = s->shader;
    uint32_t mode = sp_op(s, in, 1);
    bool is_id = in->opcode == SpvOpExecutionModeId;
    switch (mode) {
    case SpvExecutionModeLocalSize:
        for (uint32_t i = 0; i < 3; i++)
            shader->workgroup_size[i] = sp_op(s, in, 2 + i);
        break;
    case SpvExecutionModeLocalSizeId:
        for (uint32_t i = 0; i < 3; i++)
            shader->workgroup_size[i] = sp_constant_u32(s, sp_op(s, in, 2 + i));
        break;
    case SpvExecutionModeSubgroupSize:
        shader->subgroup_size = sp_op(s, in, 2);
        break;
    case SpvExecutionModeOriginUpperLeft:
        shader->fs.origin_upper_left = true;
        break;
    case SpvExecutionModePixelCenterInteger:
        shader->fs.pixel_center_integer = true;
        break;
    case SpvExecutionModeEarlyFragmentTests:
        shader->fs.early_tests = true;
        break;
    case SpvExecutionModePostDepthCoverage:
        shader->fs.post_depth_coverage = true;
        break;
    case SpvExecutionModeDepthReplacing:
    case SpvExecutionModeStencilRefReplacingEXT:
        break; /* seen by the output itself */
    case SpvExecutionModeDepthGreater:
        shader->fs.depth_layout = IR_DEPTH_greater;
        break;
    case SpvExecutionModeDepthLess:
        shader->fs.depth_layout = IR_DEPTH_less;
        break;
    case SpvExecutionModeDepthUnchanged:
        shader->fs.depth_layout = IR_DEPTH_unchanged;
        break;
    case SpvExecutionModeDerivativeGroupQuadsNV:
        shader->derivative_group = 1;
        break;
    case SpvExecutionModeDerivativeGroupLinearNV:
        shader->derivative_group = 2;
        break;
    case SpvExecutionModeInvocations:
        shader->gs.invocations = sp_op(s, in, 2);
        break;
    case SpvExecutionModeOutputVertices:
        shader->gs.vertices_out = sp_op(s, in, 2);
        break;
    case SpvExecutionModeDenormPreserve:
    case SpvExecutionModeDenormFlushToZero:
    case SpvExecutionModeSignedZeroInfNanPreserve:
    case SpvExecutionModeRoundingModeRTE:
    case SpvExecutionModeRoundingModeRTZ:
        break; /* see sp_do_execution_mode */
    case FP_FAST_MATH_DEFAULT:
        if (!is_id)
            sp_fail(s, "execution mode FPFastMathDefault without ids");
        read_fast_math(s, sp_op(s, in, 2), sp_op(s, in, 3));
        break;
    case SpvExecutionModeXfb:
        s->captures = true;
        break;
    case SpvExecutionModeSubgroupUniformControlFlowKHR:
        break;
    default:
        if (!is_id && sp_mesh_mode(s, mode, in->count > 2 ? in->ops[2] : 0))
            break;
        if (is_id)
            sp_fail(s, "execution mode %u is not supported", mode);
        geometry_mode(s, mode);
        break;
    }
}

static void check_workgroup(struct sp *s)
{
    struct ir_shader *shader = s->shader;
    if (!ir_has_workgroup(shader))
        return;
    if (s->workgroup_size_constant) { /* it wins over the execution mode */
        const struct sp_constant *size = sp_constant(s, s->workgroup_size_constant);
        for (uint32_t i = 0; i < 3 && size->type->scalars == 3; i++)
            shader->workgroup_size[i] = (uint32_t)sp_constant_bits(size, i);
    }
    uint64_t invocations = 1;
    for (uint32_t i = 0; i < 3; i++) {
        if (shader->workgroup_size[i] == 0 || shader->workgroup_size[i] > 65535)
            sp_fail(s, "a workgroup of %u invocations", shader->workgroup_size[i]);
        invocations *= shader->workgroup_size[i];
    }
    if (invocations > 65536)
        sp_fail(s, "a workgroup of %llu invocations", (unsigned long long)invocations);
}

static void read_modes(struct sp *s)
{
    struct sp_instr in;
    for (uint32_t at = 5; at < s->count; at = in.next) {
        sp_read_instr(s, at, &in);
        if (in.opcode == SpvOpFunction)
            break;
        if ((in.opcode == SpvOpExecutionMode || in.opcode == SpvOpExecutionModeId) && sp_op(s, &in, 0) == s->entry_id)
            read_mode(s, &in);
    }
    s->at = s->entry->at;
    check_workgroup(s);
    static const uint8_t vertices[] = {[IR_PRIMITIVE_points] = 1,
                                       [IR_PRIMITIVE_lines] = 2,
                                       [IR_PRIMITIVE_triangles] = 3,
                                       [IR_PRIMITIVE_lines_adjacency] = 4,
                                       [IR_PRIMITIVE_triangles_adjacency] = 6};
    if (s->shader->stage == IR_STAGE_geometry)
        s->shader->gs.vertices_in = vertices[MIN2(s->shader->gs.input, ARRAY_SIZE(vertices) - 1)];
}

/* --- translation --- */

static void translate_module(struct sp *s)
{
    sp_parse_module(s);
    sp_check_calls(s);
    read_modes(s);
    sp_setup_variables(s);
    sp_translate(s);
    if (s->shader->stage != IR_STAGE_geometry && !sp_has_shared_outputs(s))
        sp_store_outputs(s);
    sp_finish_io(s);
    /* The name outlives the module. */
    const char *name = s->options->entry ? s->options->entry : "main";
    char *copy = ir_alloc(s->shader, strlen(name) + 1);
    memcpy(copy, name, strlen(name));
    s->shader->name = copy;
}

/* A call of spirv_to_ir, and how far it came. */
struct job {
    const uint32_t *words;
    size_t count;
    const struct spirv_options *options;
    struct spirv_error *error_out;
    struct ir_shader *shader;
    bool deep, wants_deep;
};

static void run_job(void *data)
{
    struct job *job = data;
    struct sp *s = calloc(1, sizeof(*s));
    struct ir_shader *shader = s ? ir_shader_create(job->options->stage) : NULL;
    if (!shader || job->count > UINT32_MAX) {
        free(s);
        if (shader)
            ir_shader_destroy(shader);
        return;
    }
    s->error_out = job->error_out;
    s->words = job->words;
    s->count = (uint32_t)job->count;
    s->options = job->options;
    s->deep = job->deep;
    s->budget = (uint32_t)MIN2(SP_BUDGET_LEAST + (uint64_t)SP_BUDGET_OF_WORD * s->count, SP_BUDGET_MOST);
    s->shader = shader;
    s->b = ir_builder_at_body_end(shader);
    /* Nothing that is read after the jump lives in a register: it is all reached through s. */
    struct sp *volatile state = s;
    if (ir_guard(shader, &s->failure) == 0) {
        translate_module(state);
        state->shader->failure = NULL;
    } else {
        if (state->error_out) {
            memcpy(state->error_out->text, state->failure.text, sizeof(state->error_out->text));
            state->error_out->word = state->at;
            state->error_out->out_of_memory = state->failure.out_of_memory;
        }
        ir_shader_destroy(state->shader);
        state->shader = NULL;
    }
    job->shader = state->shader;
    job->wants_deep = state->wants_deep;
    arena_finish(&state->arena);
    map64_finish(&state->spilled);
    map64_finish(&state->phi_vars);
    map64_finish(&state->phi_ways);
    free(state);
}

struct ir_shader *spirv_to_ir(const uint32_t *words, size_t count, const struct spirv_options *options,
                              struct spirv_error *error_out)
{
    static const struct spirv_error no_memory = {.text = "out of memory", .out_of_memory = true};
    struct job job = {words, count, options, error_out, NULL, false, false};
    if (error_out)
        *error_out = no_memory;
    run_job(&job);
    if (job.wants_deep) {
        if (error_out)
            *error_out = no_memory;
        job.deep = true;
        deep_stack_run(run_job, &job);
    }
    return job.shader;
}
