/* A mesh shader as the hardware runs it: a subgroup of NGG that has no vertices to begin with. Its lanes are first the
 * invocations of a workgroup, then primitives, then vertices, so that there are as many as the largest of the three:
 *
 *     counts = 0
 *     if (the lane is an invocation)    the mesh shader; its outputs and counts go to shared memory
 *     barrier
 *     the first wave asks for room
 *     if (lane < primitives)            the primitive and its parameters are exported
 *     if (lane < vertices)              the vertex is exported
 *
 * Waves without invocations must come to every barrier of the mesh shader, for the hardware counts waves. How many
 * barriers there are is known only at its end: the mesh shader counts them and leaves the number, with the last one
 * included, in shared memory before that one; the other waves wait at one after the other until they have done as many.
 *
 * What the lanes of the last part export are outputs of the whole as those of a vertex shader are (select_export.c). */
#include "amd/compiler/mesh.h"

#include <stdio.h>

#include "amd/compiler/merge.h"
#include "util/bits.h"
#include "util/deep_stack.h"

#define NULL_PRIMITIVE 0x80000000u

/* ---- the program's part ---- */

static void build_begin(struct mesh *m, struct ir_builder *b)
{
    struct ir_value *lane = ir_load_sysval(b, 32, 1, IR_SYSVAL_subgroup_lane), *zero = ir_const(b, 32, 0);
    m->wave = ir_ngg_wave(b);
    m->number = amd_merge_field(b, m->wave, 24, 4);
    m->item = ir_iadd(b, ir_imul(b, m->number, ir_const(b, 32, m->options->wave_size)), lane);
    m->group = ir_read_first(b, ir_mesh_group(b));
    ir_builder_push_if(b, ir_ieq(b, m->item, zero));
    for (uint32_t i = 0; i < 3; i++)
        ir_store_shared(b, zero, zero, m->counts_B + i * 4, 4, 0);
    ir_builder_pop_if(b);
    if (m->has_followers) {
        m->waits = ir_var_create(m->shader, 32, 1, "waits");
        ir_store_var(b, zero, zero, m->waits->index);
    }
}

/* The mesh shader in the lanes that are its invocations: whole waves need no mask. */
static void build_group(struct mesh *m, struct ir_builder *b)
{
    const bool is_whole = m->group_threads % m->options->wave_size == 0;
    ir_builder_push_if(b, is_whole ? ir_ult(b, m->number, ir_const(b, 32, m->group_waves))
                                   : ir_ult(b, m->item, ir_const(b, 32, m->group_threads)));
    struct ir_region *region = b->block->node.region;
    amd_merge_insert(b, m->mesh, 0, 0);
    amd_mesh_lower(m);
    *b = ir_builder_at_end(m->shader, ir_region_last(region));
    if (m->has_followers) {
        struct ir_value *zero = ir_const(b, 32, 0), *waits = ir_load_var(b, 32, 1, zero, m->waits->index);
        ir_builder_push_if(b, ir_ieq(b, m->item, zero));
        ir_store_shared(b, ir_iadd(b, waits, ir_const(b, 32, 1)), zero, m->waits_B, 4, 0);
        ir_builder_pop_if(b);
    }
    ir_builder_pop_if(b);
}

/* Waves that only wait. The number may be there before its barrier: they compare it with their own count. */
static void build_followers(const struct mesh *m, struct ir_builder *b)
{
    struct ir_value *zero = ir_const(b, 32, 0), *one = ir_const(b, 32, 1);
    ir_builder_push_if(b, ir_ult(b, m->number, ir_const(b, 32, m->group_waves)));
    amd_merge_barrier(b);
    ir_builder_push_else(b);
    ir_builder_push_loop(b);
    amd_merge_barrier(b);
    struct ir_value *count = ir_iadd(b, ir_load_var(b, 32, 1, zero, m->waits->index), one),
                    *last = ir_load_shared(b, 32, 1, zero, m->waits_B, 4, 0);
    ir_store_var(b, count, zero, m->waits->index);
    ir_builder_push_if(b, ir_ieq(b, ir_read_first(b, count), ir_read_first(b, last)));
    ir_jump(b, IR_OP_break);
    ir_builder_pop_if(b);
    ir_builder_pop_loop(b);
    ir_builder_pop_if(b);
}

/* ---- what comes out ---- */

static struct ir_value *load_count(const struct mesh *m, struct ir_builder *b, uint32_t which, uint32_t most)
{
    struct ir_value *count = ir_load_shared(b, 32, 1, ir_const(b, 32, 0), m->counts_B + which * 4, 4, 0);
    return ir_umin(b, ir_read_first(b, count), ir_const(b, 32, most));
}

static struct ir_value *load_channel(const struct mesh *m, struct ir_builder *b, struct ir_value *address,
                                     uint32_t location, uint32_t comp)
{
    const uint32_t first_B = m->is_of_primitive[location] ? m->primitives_B : m->vertices_B;
    return ir_load_shared(b, m->output_bits[location][comp], 1, address, first_B + m->output_dw[location][comp] * 4u, 4,
                          0);
}

/* Three vertices in ten bits each. */
static struct ir_value *primitive_word(const struct mesh *m, struct ir_builder *b)
{
    const unsigned count = m->layout->output == IR_PRIMITIVE_points       ? 1
                           : m->layout->output == IR_PRIMITIVE_line_strip ? 2
                                                                          : 3;
    struct ir_value *bytes = ir_load_shared(b, 32, 1, ir_ishl(b, m->item, ir_const(b, 32, 2)), m->indices_B, 4, 0);
    struct ir_value *word = amd_merge_field(b, bytes, 0, 8);
    for (unsigned i = 1; i < count; i++)
        word = ir_ior(b, word, ir_ishl(b, amd_merge_field(b, bytes, 8 * i, 8), ir_const(b, 32, 10 * i)));
    if (!m->has_cull)
        return word;
    struct ir_value *is_drawn = ir_ieq(b, amd_merge_field(b, bytes, 24, 8), ir_const(b, 32, 0));
    return ir_select(b, is_drawn, word, ir_const(b, 32, NULL_PRIMITIVE));
}

/* Two pixels are the most in each direction: the logarithm of the width in two bits, then that of the height. */
static struct ir_value *rate_bits(struct ir_builder *b, struct ir_value *rate)
{
    struct ir_value *one = ir_const(b, 32, 1);
    struct ir_value *width = ir_umin(b, amd_merge_field(b, rate, 2, 2), one),
                    *height = ir_umin(b, amd_merge_field(b, rate, 0, 2), one);
    return ir_ior(b, width, ir_ishl(b, height, ir_const(b, 32, 2)));
}

/* Layer, viewport and shading rate of a primitive: [19:17], [23:20] and [31:28]. */
static struct ir_value *primitive_place(const struct mesh *m, struct ir_builder *b, struct ir_value *address)
{
    struct ir_value *word = ir_const(b, 32, 0), *layer = NULL;
    if (m->options->stage && m->options->stage->vs.layer_from_view)
        layer = ir_load_sysval(b, 32, 1, IR_SYSVAL_view_index);
    else if (m->output_bits[IR_LOCATION_layer][0])
        layer = load_channel(m, b, address, IR_LOCATION_layer, 0);
    if (layer)
        word = ir_ishl(b, ir_iand(b, layer, ir_const(b, 32, 7)), ir_const(b, 32, 17));
    if (m->output_bits[IR_LOCATION_viewport][0]) {
        struct ir_value *viewport = load_channel(m, b, address, IR_LOCATION_viewport, 0);
        viewport = ir_iand(b, viewport, ir_const(b, 32, 15));
        word = ir_ior(b, word, ir_ishl(b, viewport, ir_const(b, 32, 20)));
    }
    if (m->output_bits[IR_LOCATION_shading_rate][0]) {
        struct ir_value *rate = load_channel(m, b, address, IR_LOCATION_shading_rate, 0);
        word = ir_ior(b, word, ir_ishl(b, rate_bits(b, rate), ir_const(b, 32, 28)));
    }
    return word;
}

static void export_params(const struct mesh *m, struct ir_builder *b, struct ir_value *address)
{
    for (uint32_t i = 0; i < m->layout->primitive_params; i++) {
        const uint32_t location = m->layout->primitive_locations[i];
        struct ir_value *channels[4];
        uint32_t count = 0;
        for (uint32_t comp = 0; comp < 4; comp++) {
            const bool is_there = m->output_bits[location][comp];
            struct ir_value *channel = is_there ? load_channel(m, b, address, location, comp) : ir_const(b, 32, 0);
            channels[comp] = channel->bits == 16 ? ir_u2u(b, 32, channel) : channel;
            count = is_there ? comp + 1 : count;
        }
        ir_ngg_export_param(b, ir_vec(b, count, channels), location);
    }
}

static void export_primitive(const struct mesh *m, struct ir_builder *b)
{
    struct ir_value *address = ir_imul(b, m->item, ir_const(b, 32, m->primitive_stride_B)),
                    *word = primitive_word(m, b);
    if (m->layout->places_primitives)
        ir_ngg_export_placed(b, word, primitive_place(m, b, address));
    else
        ir_ngg_export_prim(b, word);
    export_params(m, b, address);
}

static void export_vertex(const struct mesh *m, struct ir_builder *b)
{
    struct ir_value *address = ir_imul(b, m->item, ir_const(b, 32, m->vertex_stride_B));
    for (uint32_t i = 0; i < MESH_LOCATIONS * 4; i++) {
        if (m->output_bits[i / 4][i % 4] && !m->is_of_primitive[i / 4])
            ir_store_output(b, load_channel(m, b, address, i / 4, i % 4), ir_const(b, 32, 0), i / 4, i % 4, 0);
    }
}

/* The hardware counts neither: the first wave adds what the workgroup has. */
static void count_group(const struct mesh *m, struct ir_builder *b, struct ir_value *primitives)
{
    ir_builder_push_if(b, ir_ieq(b, m->number, ir_const(b, 32, 0)));
    amd_merge_count(b, m->options, AMD_COUNT_MESH_INVOCATIONS, ir_const(b, 32, m->group_threads));
    amd_merge_count(b, m->options, AMD_COUNT_MESH_PRIMITIVES, primitives);
    ir_builder_pop_if(b);
}

static void build_end(struct mesh *m, struct ir_builder *b)
{
    struct ir_value *zero = ir_const(b, 32, 0), *vertices = load_count(m, b, 0, m->layout->max_out_vertices),
                    *primitives = load_count(m, b, 1, m->layout->max_out_primitives);
    struct ir_value *has_none = ir_ior(b, ir_ieq(b, vertices, zero), ir_ieq(b, primitives, zero));
    vertices = ir_select(b, has_none, zero, vertices); /* neither without the other */
    primitives = ir_select(b, has_none, zero, primitives);
    count_group(m, b, primitives);
    ir_ngg_allocate(b, vertices, primitives);
    ir_builder_push_if(b, ir_ult(b, m->item, primitives));
    export_primitive(m, b);
    ir_builder_pop_if(b);
    struct ir_value *first = ir_imul(b, m->number, ir_const(b, 32, m->options->wave_size)),
                    *left = ir_imax(b, ir_isub(b, vertices, first), zero);
    ir_ngg_keep_lanes(b, ir_umin(b, left, ir_const(b, 32, m->options->wave_size)));
    export_vertex(m, b);
}

/* ---- the whole ---- */

static bool has_waits(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (mesh_is_wait(instr))
                return true;
        }
    }
    return false;
}

static void build_mesh(struct mesh *m)
{
    struct ir_shader *shader = m->shader;
    amd_merge_interfaces(shader, m->nothing, m->mesh);
    amd_merge_const_data(shader, m->mesh, m->nothing);
    for (unsigned i = 0; i < 3; i++)
        shader->workgroup_size[i] = m->mesh->workgroup_size[i];
    amd_mesh_layout(m);
    m->has_followers = m->waves > m->group_waves && has_waits(m->mesh);
    struct ir_builder b = ir_builder_at_body_end(shader);
    build_begin(m, &b);
    build_group(m, &b);
    if (m->has_followers)
        build_followers(m, &b);
    else
        amd_merge_barrier(&b);
    build_end(m, &b);
}

/* ---- the call ---- */

struct lowering {
    struct mesh *m;
    char *error_out;
    bool is_done;
};

static void run_lowering(void *data)
{
    struct lowering *lowering = data;
    struct ir_failure failure;
    if (ir_guard(lowering->m->shader, &failure)) {
        snprintf(lowering->error_out, 256, "%s", failure.text);
    } else {
        build_mesh(lowering->m);
        lowering->is_done = true;
    }
    lowering->m->shader->failure = NULL;
}

struct ir_shader *amd_lower_mesh(const struct ir_shader *mesh, const struct amd_compile_options *options,
                                 struct amd_geometry_layout *layout_out, char error_out[256])
{
    struct mesh m = {.shader = ir_shader_create(IR_STAGE_mesh), .mesh = mesh, .options = options, .layout = layout_out};
    struct ir_shader *nothing = ir_shader_create(IR_STAGE_vertex);
    m.nothing = nothing;
    struct lowering lowering = {&m, error_out, false};
    if (!m.shader || !nothing)
        snprintf(error_out, 256, "out of memory");
    else if (ir_depth(mesh) <= IR_SHALLOW)
        run_lowering(&lowering);
    else if (!deep_stack_run(run_lowering, &lowering))
        snprintf(error_out, 256, "out of memory for a stack");
    ir_shader_destroy(nothing);
    if (m.shader)
        arena_reset(&m.shader->scratch);
    if (lowering.is_done)
        return m.shader;
    ir_shader_destroy(m.shader);
    return NULL;
}
