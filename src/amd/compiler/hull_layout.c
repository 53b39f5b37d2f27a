/* Memory between the stages of tessellation: its contents, their places, and the number of patches of a threadgroup. */
#include <stdio.h>
#include <string.h>

#include "amd/compiler/hull.h"
#include "util/bits.h"

#define MAX_THREADS 256u
#define MAX_PATCHES 64u
#define MAX_POINTS 32u
#define MAX_SHARED_B 32768u /* of a threadgroup with more than one patch: two of them fit into a workgroup's memory */
#define OFFCHIP_B 32768u    /* of a threadgroup (VGT_HS_OFFCHIP_PARAM) */

/* ---- locations ---- */

static void mark_locations(bool is_used[AMD_TESS_LOCATIONS], const struct ir_io_var *vars, uint32_t count,
                           const struct ir_instr *instr, const struct ir_value *offset, bool is_patch)
{
    is_used[hull_location(instr, offset)] = true;
    if (ir_is_const(offset))
        return;
    /* Elements lie one after the other: all of them have a place. */
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t n = 0; vars[i].patch == is_patch && n < vars[i].num_locations; n++) {
            if (vars[i].location + n < AMD_TESS_LOCATIONS)
                is_used[vars[i].location + n] = true;
        }
    }
}

static uint32_t deal_slots(const bool is_used[AMD_TESS_LOCATIONS], uint8_t slots[AMD_TESS_LOCATIONS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < AMD_TESS_LOCATIONS; i++)
        slots[i] = is_used[i] ? (uint8_t)count++ : HULL_NONE;
    return count;
}

static bool is_level(uint32_t location)
{
    return location == IR_LOCATION_tess_level_outer || location == IR_LOCATION_tess_level_inner;
}

static void note_vertex(struct hull *h)
{
    ir_foreach_block (h->vertex, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output)
                continue;
            const struct ir_value *value = ir_src(instr, 0);
            const uint32_t location = hull_location(instr, ir_src(instr, 1)), first = ir_imm(instr, IR_IMM_COMP),
                           dwords = value->comps * (value->bits == 64 ? 2u : 1u);
            for (uint32_t i = 0; i < dwords && first + i < 4; i++)
                h->is_input_stored[location][first + i] = true;
        }
    }
}

/* Returns how many slots inputs, outputs that are read again, and such outputs of the patch have. */
static void note_control(struct hull *h, uint32_t counts[3])
{
    bool is_input[AMD_TESS_LOCATIONS] = {0}, is_own[AMD_TESS_LOCATIONS] = {0}, is_own_patch[AMD_TESS_LOCATIONS] = {0};
    const struct ir_shader *control = h->control;
    ir_foreach_block (control, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_per_vertex)
                mark_locations(is_input, control->inputs, control->num_inputs, instr, ir_src(instr, 1), false);
            else if (instr->op == IR_OP_load_vertex_output)
                mark_locations(is_own, control->outputs, control->num_outputs, instr, ir_src(instr, 1), false);
            else if (instr->op == IR_OP_load_output && !is_level(ir_imm(instr, IR_IMM_LOCATION)))
                mark_locations(is_own_patch, control->outputs, control->num_outputs, instr, ir_src(instr, 0), true);
        }
    }
    counts[0] = deal_slots(is_input, h->input_slot);
    counts[1] = deal_slots(is_own, h->own_slot);
    counts[2] = deal_slots(is_own_patch, h->own_patch_slot);
}

static uint32_t points_of(uint32_t points)
{
    return MIN2(MAX2(points, 1u), MAX_POINTS);
}

/* An odd number of dwords, so that the same dword of neighbours lies in different banks. */
static uint32_t odd_B(uint32_t dwords)
{
    return (dwords | 1) * 4;
}

static void plan_patch(struct hull *h, uint32_t out_points)
{
    uint32_t counts[3];
    note_vertex(h);
    note_control(h, counts);
    h->input_stride_B = odd_B(counts[0] * 4);
    h->output_stride_B = counts[1] ? odd_B(counts[1] * 4) : 0;
    h->patch_outputs_B = out_points * h->output_stride_B;
    h->levels_B = h->patch_outputs_B + counts[2] * 16;
    h->patch_stride_B = odd_B((h->levels_B + 24) / 4);
}

void amd_hull_plan(struct hull *h)
{
    const uint32_t in_points = h->layout->in_points ? h->layout->in_points : MAX_POINTS;
    plan_patch(h, h->layout->out_points);
    h->inputs_B = h->layout->patches * h->patch_stride_B;
    h->shader->shared_size_B = h->inputs_B + h->layout->patches * in_points * h->input_stride_B;
}

/* ---- what the stages agree on ---- */

static void read_evaluation(const struct ir_shader *evaluation, struct amd_tess_layout *layout)
{
    bool is_vertex[AMD_TESS_LOCATIONS] = {0}, is_patch[AMD_TESS_LOCATIONS] = {0};
    ir_foreach_block (evaluation, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_per_vertex)
                mark_locations(is_vertex, evaluation->inputs, evaluation->num_inputs, instr, ir_src(instr, 1), false);
            else if (instr->op == IR_OP_load_input)
                mark_locations(is_patch, evaluation->inputs, evaluation->num_inputs, instr, ir_src(instr, 0), true);
        }
    }
    layout->vertex_B = (uint16_t)(deal_slots(is_vertex, layout->vertex_slot) * 16);
    layout->patch_first_B = (uint16_t)(layout->out_points * layout->vertex_B);
    layout->patch_B = (uint16_t)(layout->patch_first_B + deal_slots(is_patch, layout->patch_slot) * 16);
}

static bool is_domain(enum ir_primitive input)
{
    return input == IR_PRIMITIVE_triangles || input == IR_PRIMITIVE_quads || input == IR_PRIMITIVE_isolines;
}

/* Either stage may say how patches are tessellated. */
static void read_modes(const struct ir_shader *control, const struct ir_shader *evaluation,
                       struct amd_tess_layout *layout)
{
    const bool is_own = is_domain(evaluation->gs.input);
    layout->domain = (uint8_t)(is_own ? evaluation->gs.input : control->gs.input);
    layout->spacing = evaluation->gs.spacing ? evaluation->gs.spacing : control->gs.spacing;
    layout->is_ccw = evaluation->gs.ccw || control->gs.ccw;
    layout->has_point_mode = evaluation->gs.point_mode || control->gs.point_mode;
    layout->out_points =
        (uint8_t)points_of(control->gs.vertices_out ? control->gs.vertices_out : evaluation->gs.vertices_out);
}

void amd_tess_layout(const struct ir_shader *vertex, const struct ir_shader *control,
                     const struct ir_shader *evaluation, uint32_t in_points, struct amd_tess_layout *layout_out)
{
    struct hull h = {.vertex = vertex, .control = control, .layout = layout_out};
    memset(layout_out, 0, sizeof(*layout_out));
    read_modes(control, evaluation, layout_out);
    read_evaluation(evaluation, layout_out);
    plan_patch(&h, layout_out->out_points);
    const uint32_t points = in_points ? points_of(in_points) : MAX_POINTS;
    const uint32_t shared_B = h.patch_stride_B + points * h.input_stride_B;
    uint32_t patches = MIN2(MAX_PATCHES, MAX_THREADS / MAX2(points, (uint32_t)layout_out->out_points));
    patches = MIN2(patches, MAX_SHARED_B / shared_B);
    if (layout_out->patch_B)
        patches = MIN2(patches, OFFCHIP_B / layout_out->patch_B);
    layout_out->is_there = true;
    layout_out->in_points = (uint8_t)(in_points ? points : 0);
    layout_out->patches = (uint8_t)MAX2(patches, 1u);
}
