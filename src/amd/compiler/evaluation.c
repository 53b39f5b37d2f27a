/* A tessellation evaluation shader as the vertex shader that the hardware starts for each point of the tessellator: its
 * inputs come from the off-chip buffer that the hull shader of its patch filled (hull.c). */
#include <stdio.h>

#include "amd/compiler/hull.h"
#include "compiler/lower/stage_slots.h"
#include "util/bits.h"
#include "util/deep_stack.h"

struct evaluation {
    struct ir_shader *shader;
    const struct amd_compile_options *options;
    const struct amd_tess_layout *layout;
    struct ir_value *ring;   /* where the patch lies in the off-chip buffer */
    struct ir_value *number; /* of the patch in the draw */
};

static struct ir_value *load_input(const struct evaluation *e, struct ir_builder *b, const struct ir_instr *instr,
                                   struct ir_value *vertex, struct ir_value *offset)
{
    const struct hull_place place = amd_hull_ring_place(b, e->layout, e->ring, instr, vertex, offset);
    return amd_hull_load(b, e->options, &place, instr->def.bits, instr->def.comps);
}

static struct ir_value *replace_instr(const struct evaluation *e, struct ir_builder *b, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_per_vertex:
        return load_input(e, b, instr, ir_src(instr, 0), ir_src(instr, 1));
    case IR_OP_load_input:
        return load_input(e, b, instr, NULL, ir_src(instr, 0));
    case IR_OP_load_sysval:
        break;
    default:
        return NULL;
    }
    switch (ir_imm(instr, IR_IMM_SYSVAL)) {
    case IR_SYSVAL_tess_coord:
        return stage_tess_coord(b, e->layout->domain);
    case IR_SYSVAL_primitive_id:
        return e->number;
    case IR_SYSVAL_patch_vertices:
        return ir_const(b, 32, e->layout->out_points);
    default:
        return NULL;
    }
}

static void lower_shader(struct evaluation *e)
{
    struct ir_shader *shader = e->shader;
    shader->stage = IR_STAGE_vertex;
    shader->num_inputs = 0;
    struct ir_builder start = ir_builder_at_start(shader, ir_region_first(&shader->body));
    struct ir_value *patch = ir_tess_patch(&start), *in_group = ir_extract(&start, patch, 0);
    e->number = ir_extract(&start, patch, 1);
    e->ring =
        ir_iadd(&start, ir_tess_buffer(&start), ir_imul(&start, in_group, ir_const(&start, 32, e->layout->patch_B)));
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_builder b = ir_builder_before(shader, instr);
            struct ir_value *value = replace_instr(e, &b, instr);
            if (!value)
                continue;
            ir_replace_uses(&instr->def, value);
            ir_remove(instr);
        }
    }
}

struct lowering {
    struct evaluation *e;
    char *error_out;
    bool is_done;
};

static void run_lower(void *data)
{
    struct lowering *lowering = data;
    struct ir_failure failure;
    if (ir_guard(lowering->e->shader, &failure)) {
        snprintf(lowering->error_out, 256, "%s", failure.text);
    } else {
        lower_shader(lowering->e);
        lowering->is_done = true;
    }
    lowering->e->shader->failure = NULL;
}

struct ir_shader *amd_lower_evaluation(const struct ir_shader *evaluation, const struct amd_compile_options *options,
                                       char error_out[256])
{
    struct evaluation e = {.shader = ir_shader_clone(evaluation), .options = options, .layout = &options->stage->tess};
    struct lowering lowering = {&e, error_out, false};
    if (!e.shader) {
        snprintf(error_out, 256, "out of memory");
        return NULL;
    }
    if (ir_depth(evaluation) <= IR_SHALLOW)
        run_lower(&lowering);
    else if (!deep_stack_run(run_lower, &lowering))
        snprintf(error_out, 256, "out of memory for a stack");
    arena_reset(&e.shader->scratch);
    if (lowering.is_done)
        return e.shader;
    ir_shader_destroy(e.shader);
    return NULL;
}
