/* Shared memory of a mesh shader's workgroup, and the parameters that its primitives hand to the fragment shader. */
#include <string.h>

#include "amd/compiler/mesh.h"
#include "amd/compiler/select.h"
#include "util/bits.h"

#define MAX_SHARED_B (64u * 1024)
#define MAX_OUTPUTS 256u

/* ---- outputs ---- */

static bool is_of_primitive(const struct ir_shader *mesh, uint32_t location)
{
    switch (location) {
    case IR_LOCATION_layer:
    case IR_LOCATION_viewport:
    case IR_LOCATION_primitive_id:
    case IR_LOCATION_shading_rate:
    case IR_LOCATION_cull_primitive:
    case IR_LOCATION_primitive_indices:
        return true;
    default:
        break;
    }
    for (uint32_t i = 0; i < mesh->num_outputs; i++) {
        const struct ir_io_var *output = &mesh->outputs[i];
        if (location >= output->location && location < output->location + MAX2(output->num_locations, 1u) &&
            location >= IR_LOCATION_VAR0)
            return output->per_primitive;
    }
    return false;
}

/* Indices and whether a primitive is culled are bytes of one word. */
static bool has_channels(uint32_t location)
{
    return location != IR_LOCATION_cull_primitive && location != IR_LOCATION_primitive_indices;
}

/* Elements of an array that is indexed lie one after the other: all of them have what one has. */
static void note_array(struct mesh *m, uint32_t first, uint32_t count)
{
    const uint32_t end = MIN2(first + count, (uint32_t)MESH_LOCATIONS);
    for (uint32_t comp = 0; comp < 4; comp++) {
        uint8_t bits = 0;
        for (uint32_t at = first; at < end; at++)
            bits = MAX2(bits, m->output_bits[at][comp]);
        for (uint32_t at = first; at < end; at++)
            m->output_bits[at][comp] = bits;
    }
}

static const struct ir_io_var *array_of(const struct mesh *m, uint32_t location)
{
    for (uint32_t i = 0; i < m->mesh->num_outputs; i++) {
        const struct ir_io_var *output = &m->mesh->outputs[i];
        if (location >= output->location && location < output->location + MAX2(output->num_locations, 1u))
            return output;
    }
    ir_fail(m->shader, "internal: an output that is not listed");
}

static void note_outputs(struct mesh *m)
{
    memset(m->output_dw, 0xff, sizeof(m->output_dw));
    for (uint32_t i = 0; i < MESH_LOCATIONS; i++)
        m->is_of_primitive[i] = is_of_primitive(m->mesh, i);
    for (unsigned turn = 0; turn < 2; turn++) { /* arrays as wholes when all that is stored is known */
        ir_foreach_block (m->mesh, block) {
            ir_foreach_instr (block, instr) {
                if (instr->op != IR_OP_store_per_vertex)
                    continue;
                const struct ir_value *value = ir_src(instr, 0), *offset = ir_src(instr, 2);
                const uint32_t location = mesh_location(instr, offset), first = ir_imm(instr, IR_IMM_COMP),
                               dwords = value->comps * (value->bits == 64 ? 2u : 1u);
                m->has_cull |= location == IR_LOCATION_cull_primitive;
                if (!has_channels(location))
                    continue;
                for (uint32_t i = 0; i < dwords && first + i < 4; i++)
                    m->output_bits[location][first + i] = value->bits == 16 ? 16 : 32;
                if (turn && !ir_is_const(offset)) {
                    const struct ir_io_var *array = array_of(m, location);
                    note_array(m, array->location, array->num_locations);
                }
            }
        }
    }
}

/* Dwords of a vertex or of a primitive; an odd number, so that the same dword of neighbours lies in different banks. */
static uint32_t place_outputs(struct mesh *m, bool of_primitive)
{
    uint32_t count_dw = 0;
    for (uint32_t i = 0; i < MESH_LOCATIONS * 4; i++) {
        if (m->output_bits[i / 4][i % 4] && m->is_of_primitive[i / 4] == of_primitive)
            m->output_dw[i / 4][i % 4] = (uint16_t)count_dw++;
    }
    return count_dw ? (count_dw | 1) * 4 : 0;
}

/* ---- parameters ---- */

static bool is_stored(const struct mesh *m, uint32_t location)
{
    const uint8_t *bits = m->output_bits[location];
    return bits[0] || bits[1] || bits[2] || bits[3];
}

/* Parameters of primitives come after those of vertices, of which one is always counted. */
static void place_params(struct mesh *m)
{
    static const struct amd_stage_options unknown;
    const struct amd_stage_options *stage = m->options->stage ? m->options->stage : &unknown;
    struct amd_geometry_layout *layout = m->layout;
    for (uint32_t location = 0; location < IR_LOCATION_VAR0 + AMD_MAX_PARAMS; location++) {
        const bool is_read =
            location == IR_LOCATION_primitive_id ? stage->vs.next_reads_primitive_id : amd_next_reads(stage, location);
        if (!is_stored(m, location) || !is_read)
            continue;
        if (!m->is_of_primitive[location])
            layout->vertex_params++;
        else if (layout->primitive_params < AMD_MAX_PARAMS)
            layout->primitive_locations[layout->primitive_params++] = (uint8_t)location;
    }
    if (layout->primitive_params)
        layout->vertex_params = MAX2(layout->vertex_params, (uint8_t)1);
    if (layout->vertex_params + layout->primitive_params > AMD_MAX_PARAMS)
        ir_fail(m->shader, "more than %u parameters", AMD_MAX_PARAMS);
}

/* ---- sizes ---- */

static void place_memory(struct mesh *m, uint32_t vertices, uint32_t primitives)
{
    uint64_t at_B = align_u64(m->mesh->shared_size_B, 16);
    m->vertex_stride_B = place_outputs(m, false);
    m->primitive_stride_B = place_outputs(m, true);
    m->counts_B = (uint32_t)at_B;
    m->waits_B = m->counts_B + 8;
    m->indices_B = m->counts_B + 16;
    m->vertices_B = m->indices_B + primitives * 4;
    m->primitives_B = m->vertices_B + vertices * m->vertex_stride_B;
    at_B = m->primitives_B + (uint64_t)primitives * m->primitive_stride_B;
    if (at_B > MAX_SHARED_B)
        ir_fail(m->shader, "a mesh shader that needs %llu bytes of shared memory", (unsigned long long)at_B);
    m->shader->shared_size_B = (uint32_t)at_B;
}

void amd_mesh_layout(struct mesh *m)
{
    struct amd_geometry_layout *layout = m->layout;
    const struct ir_shader *mesh = m->mesh;
    const uint32_t vertices = MAX2(mesh->gs.vertices_out, 1u), primitives = MAX2(mesh->gs.primitives_out, 1u);
    const uint64_t group = (uint64_t)mesh->workgroup_size[0] * mesh->workgroup_size[1] * mesh->workgroup_size[2];
    if (vertices > MAX_OUTPUTS || primitives > MAX_OUTPUTS || group > MAX_OUTPUTS || !group)
        ir_fail(m->shader, "a mesh shader of %llu invocations with %u vertices and %u primitives",
                (unsigned long long)group, vertices, primitives);
    const uint32_t threads = MAX2(MAX2(vertices, primitives), (uint32_t)group), lanes = m->options->wave_size;
    m->group_threads = (uint32_t)group;
    m->waves = (uint32_t)div_round_up(threads, lanes);
    m->group_waves = (uint32_t)div_round_up(group, lanes);
    memset(layout, 0, sizeof(*layout));
    layout->is_there = layout->is_mesh = true;
    layout->output = mesh->gs.output == IR_PRIMITIVE_points  ? IR_PRIMITIVE_points
                     : mesh->gs.output == IR_PRIMITIVE_lines ? IR_PRIMITIVE_line_strip
                                                             : IR_PRIMITIVE_triangle_strip;
    layout->vertices_in = layout->invocations = 1;
    layout->vertices_out = (uint16_t)threads;
    layout->input_dw = 1;
    layout->max_vertices = layout->max_primitives = 1;
    layout->max_out_vertices = (uint16_t)vertices;
    layout->max_out_primitives = (uint16_t)primitives;
    note_outputs(m);
    layout->places_primitives = is_stored(m, IR_LOCATION_layer) || is_stored(m, IR_LOCATION_viewport) ||
                                is_stored(m, IR_LOCATION_shading_rate) ||
                                (m->options->stage && m->options->stage->vs.layer_from_view);
    place_memory(m, vertices, primitives);
    place_params(m);
}
