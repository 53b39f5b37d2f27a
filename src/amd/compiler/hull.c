/* A vertex shader and the tessellation control shader after it as one program, the hardware's hull shader. The lanes of
 * a threadgroup are first the control points that go into its patches, then those that come out:
 *
 *     if (the lane is a vertex)           the vertex shader; its outputs go to shared memory
 *     barrier
 *     if (the lane is an output point)    the control shader; what the evaluation shader reads goes to the off-chip
 *                                         buffer, what the control shader itself reads to shared memory, levels as well
 *         barrier
 *         if (it is the patch's first)    levels go to the ring that the tessellator reads
 *
 * The evaluation shader after the tessellator is compiled as a vertex shader whose inputs come from the off-chip buffer
 * (evaluation.c). */
#include "amd/compiler/hull.h"

#include <stdio.h>

#include "util/bits.h"
#include "util/deep_stack.h"

static void build_vertex(struct hull *h, struct ir_builder *b, struct ir_value *lane)
{
    amd_merge_push_stage(b, h->wave, lane, 0);
    ir_ngg_fetch(b);
    amd_merge_insert(b, h->vertex, 0, 0);
    amd_hull_lower_vertex(h);
    ir_builder_pop_if(b);
}

/* The lane's numbers that the second part asks for. */
static void build_ids(struct hull *h, struct ir_builder *b)
{
    const struct amd_tess_layout *layout = h->layout;
    struct ir_value *words = ir_tess_patch(b), *ids = ir_extract(b, words, 0);
    h->number = ir_extract(b, words, 1);
    h->patch = amd_merge_field(b, ids, 0, 8);
    h->point = amd_merge_field(b, ids, 8, 5);
    h->in_points = layout->in_points ? ir_const(b, 32, layout->in_points) : ir_tess_in_points(b);
    struct ir_value *input_B = ir_imul(b, h->in_points, ir_const(b, 32, h->input_stride_B));
    h->inputs = ir_imul(b, h->patch, input_B);
    h->outputs = ir_imul(b, h->patch, ir_const(b, 32, h->patch_stride_B));
    h->ring = ir_iadd(b, ir_tess_buffer(b), ir_imul(b, h->patch, ir_const(b, 32, layout->patch_B)));
}

static void build_control(struct hull *h, struct ir_builder *b, struct ir_value *lane, uint32_t first_const_B)
{
    amd_merge_push_stage(b, h->wave, lane, 8);
    struct ir_region *region = b->block->node.region;
    build_ids(h, b);
    amd_merge_insert(b, h->control, h->vertex->num_vars, first_const_B);
    amd_hull_lower_control(h);
    *b = ir_builder_at_end(h->shader, ir_region_last(region));
    amd_merge_barrier(b);
    ir_builder_push_if(b, ir_ieq(b, h->point, ir_const(b, 32, 0)));
    amd_hull_store_levels(h, b);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
}

static void build_hull(struct hull *h)
{
    struct ir_shader *shader = h->shader;
    amd_merge_interfaces(shader, h->vertex, h->control);
    const uint32_t first_const_B = amd_merge_const_data(shader, h->vertex, h->control);
    shader->num_outputs = 0; /* nothing is exported */
    amd_hull_plan(h);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *lane = ir_load_sysval(&b, 32, 1, IR_SYSVAL_subgroup_lane);
    h->wave = ir_ngg_wave(&b);
    struct ir_value *waves_before = amd_merge_field(&b, h->wave, 24, 4);
    h->item = ir_iadd(&b, ir_imul(&b, waves_before, ir_const(&b, 32, h->options->wave_size)), lane);
    build_vertex(h, &b, lane);
    amd_merge_barrier(&b);
    build_control(h, &b, lane, first_const_B);
}

/* ---- the call ---- */

struct merging {
    struct hull *h;
    char *error_out;
    bool is_done;
};

static void run_merge(void *data)
{
    struct merging *merging = data;
    struct ir_failure failure;
    if (ir_guard(merging->h->shader, &failure)) {
        snprintf(merging->error_out, 256, "%s", failure.text);
    } else {
        build_hull(merging->h);
        merging->is_done = true;
    }
    merging->h->shader->failure = NULL;
}

struct ir_shader *amd_merge_hull(const struct ir_shader *vertex, const struct ir_shader *control,
                                 const struct amd_compile_options *options, char error_out[256])
{
    struct hull h = {.shader = ir_shader_create(IR_STAGE_tess_control),
                     .vertex = vertex,
                     .control = control,
                     .options = options,
                     .layout = &options->stage->tess};
    struct merging merging = {&h, error_out, false};
    if (!h.shader) {
        snprintf(error_out, 256, "out of memory");
        return NULL;
    }
    if (ir_depth(vertex) <= IR_SHALLOW && ir_depth(control) <= IR_SHALLOW)
        run_merge(&merging);
    else if (!deep_stack_run(run_merge, &merging))
        snprintf(error_out, 256, "out of memory for a stack");
    arena_reset(&h.shader->scratch);
    if (merging.is_done)
        return h.shader;
    ir_shader_destroy(h.shader);
    return NULL;
}
