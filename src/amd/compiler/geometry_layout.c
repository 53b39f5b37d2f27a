/* The shared memory between a vertex and a geometry shader, and the size of the subgroups that share it. */
#include <string.h>

#include "amd/compiler/geometry.h"
#include "util/bits.h"

/* All of it but what other stages' waves may want beside it: half of what a workgroup can have. */
#define MAX_SHARED_B (32u * 1024)
#define MAX_OUT_VERTICES 256u
#define MAX_VERTICES 128u
#define MAX_PRIMITIVES 128u
#define MIN_VERTICES 29u /* GFX10.3 stops with less */

/* ---- the two interfaces ---- */

static void note_inputs(struct geometry *g)
{
    ir_foreach_block (g->geometry, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_load_per_vertex)
                continue;
            g->is_read[geometry_location(instr, ir_src(instr, 1))] = true;
            if (ir_is_const(ir_src(instr, 1)))
                continue;
            /* Elements lie one after the other: all of them have a place. */
            for (uint32_t i = 0; i < g->geometry->num_inputs; i++) {
                const struct ir_io_var *input = &g->geometry->inputs[i];
                for (uint32_t n = 0; n < input->num_locations && input->location + n < GEOMETRY_LOCATIONS; n++)
                    g->is_read[input->location + n] = true;
            }
        }
    }
}

/* The bits of each component that a shader stores, 16 or 32; of others nothing is changed. */
static void note_stores(const struct ir_shader *shader, uint8_t bits[GEOMETRY_LOCATIONS][4])
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output)
                continue;
            const struct ir_value *value = ir_src(instr, 0);
            uint32_t location = geometry_location(instr, ir_src(instr, 1)),
                     dwords = value->comps * (value->bits == 64 ? 2u : 1u);
            for (uint32_t i = 0; i < dwords && ir_imm(instr, IR_IMM_COMP) + i < 4; i++)
                bits[location][ir_imm(instr, IR_IMM_COMP) + i] = value->bits == 16 ? 16 : 32;
        }
    }
}

static void note_outputs(struct geometry *g)
{
    memset(g->output_dw, GEOMETRY_NONE, sizeof(g->output_dw));
    note_stores(g->geometry, g->output_bits);
    for (uint32_t i = 0; i < GEOMETRY_LOCATIONS * 4; i++) {
        if (g->output_bits[i / 4][i % 4])
            g->output_dw[i / 4][i % 4] = (uint8_t)g->output_count_dw++;
    }
    if (g->output_count_dw >= GEOMETRY_NONE)
        ir_fail(g->shader, "a geometry shader with %u components of outputs", g->output_count_dw);
}

/* ---- subgroups ---- */

/* An odd number of dwords, so that the same dword of neighbours lies in different banks. */
static uint32_t stride_B(uint32_t dwords)
{
    return (dwords | 1) * 4;
}

static uint32_t shared_B(const struct geometry *g, uint32_t vertices, uint32_t places)
{
    return vertices * g->input_stride_B + places * (g->output_stride_B + 8) + GEOMETRY_MAX_WAVES * 4;
}

void amd_geometry_layout(struct geometry *g)
{
    struct amd_geometry_layout *layout = g->layout;
    uint32_t slots = 0, in = MAX2(g->geometry->gs.vertices_in, 1u), out = MAX2(g->geometry->gs.vertices_out, 1u),
             invocations = MAX2(g->geometry->gs.invocations, 1u);
    if (out > MAX_OUT_VERTICES)
        ir_fail(g->shader, "a geometry shader that emits %u vertices", out);
    note_inputs(g);
    note_stores(g->vertex, g->stored_bits);
    if (!g->has_ring)
        note_outputs(g);
    memset(g->input_slot, GEOMETRY_NONE, sizeof(g->input_slot));
    for (uint32_t i = 0; i < GEOMETRY_LOCATIONS; i++) {
        if (g->is_read[i])
            g->input_slot[i] = (uint8_t)slots++;
    }
    g->input_stride_B = stride_B(slots * 4);
    g->output_stride_B = stride_B(g->output_count_dw);
    if (g->has_ring) {
        *layout = (struct amd_geometry_layout){
            .is_there = true,
            .output = (uint8_t)g->geometry->gs.output,
            .vertices_in = (uint8_t)in,
            .vertices_out = (uint16_t)out,
            .invocations = (uint8_t)invocations,
            .input_dw = (uint16_t)(g->input_stride_B / 4),
        };
        amd_geometry_ring_layout(g);
        return;
    }

    /* Where the invocations of one primitive emit too much for a subgroup, each has a subgroup of its own. */
    bool is_split = invocations * out > MAX_OUT_VERTICES || shared_B(g, in, invocations * out) > MAX_SHARED_B;
    uint32_t places = is_split ? out : invocations * out,
             prims = is_split ? 1 : MIN2(MAX_PRIMITIVES, MAX_OUT_VERTICES / places);
    while (prims > 1 && shared_B(g, MIN2(MAX_VERTICES, prims * in), prims * places) > MAX_SHARED_B)
        prims--;
    uint32_t vertices = MIN2(MAX_VERTICES, prims * in);
    *layout = (struct amd_geometry_layout){
        .is_there = true,
        .output = (uint8_t)g->geometry->gs.output,
        .vertices_in = (uint8_t)in,
        .vertices_out = (uint16_t)out,
        .invocations = (uint8_t)invocations,
        .splits_invocations = is_split,
        .input_dw = (uint16_t)(g->input_stride_B / 4),
        .max_vertices = (uint16_t)MAX2(vertices, MIN_VERTICES),
        .max_primitives = (uint16_t)prims,
        .max_out_vertices = (uint16_t)(prims * places),
    };
    g->outputs_B = vertices * g->input_stride_B;
    g->flags_B = g->outputs_B + prims * places * g->output_stride_B;
    g->order_B = g->flags_B + prims * places * 4;
    g->counts_B = g->order_B + prims * places * 4;
    g->shader->shared_size_B = g->counts_B + GEOMETRY_MAX_WAVES * 4;
}
