/* A vertex shader and the geometry shader after it as one program, which is how the hardware starts them. The lanes of
 * a subgroup are first its vertices, then its primitives (one for each invocation), then the emitted vertices:
 *
 *     flags[lane] = 0; counts[lane] = 0
 *     if (the lane is a vertex)         the vertex shader; its outputs go to shared memory
 *     barrier
 *     if (the lane is a primitive)      the geometry shader; what it emits goes to shared memory
 *     barrier
 *     count the emitted vertices, those of the waves before and all; order[number] = place; barrier
 *     the first wave asks for room
 *     if (the lane has a place)         the primitive that this place's vertex ends, or none, is exported
 *     if (lane < emitted vertices)      the vertex of place order[lane] is exported
 *
 * Every invocation has `vertices_out` places, emitted or not; a primitive is of neighbours. What the lanes of the last
 * part export are outputs of the whole as those of a vertex shader are (select_export.c). */
#include "amd/compiler/geometry.h"

#include <stdio.h>

#include "amd/compiler/lower_amd.h"
#include "amd/compiler/merge.h"
#include "util/bits.h"
#include "util/deep_stack.h"

#define NULL_PRIMITIVE 0x80000000u

/* ---- the stages ---- */

static void build_begin(struct geometry *g, struct ir_builder *b, struct ir_value *lane)
{
    g->wave = ir_ngg_wave(b);
    g->wave_first = ir_imul(b, amd_merge_field(b, g->wave, 24, 4), ir_const(b, 32, g->options->wave_size));
    g->item = ir_iadd(b, g->wave_first, lane);
    if (g->has_ring) {
        amd_geometry_ring_begin(g, b, lane);
        return;
    }
    g->total = amd_merge_field(b, ir_ngg_subgroup(b), 12, 9);
    struct ir_value *zero = ir_const(b, 32, 0), *word_B = ir_ishl(b, g->item, ir_const(b, 32, 2));
    ir_builder_push_if(b, ir_ult(b, g->item, g->total));
    ir_store_shared(b, zero, word_B, g->flags_B, 4, 0);
    ir_builder_pop_if(b);
    ir_builder_push_if(b, ir_ult(b, g->item, ir_const(b, 32, GEOMETRY_MAX_WAVES)));
    ir_store_shared(b, zero, word_B, g->counts_B, 4, 0);
    ir_builder_pop_if(b);
    g->emitted = ir_var_create(g->shader, 32, 1, "emitted");
    g->strip = ir_var_create(g->shader, 32, 1, "strip");
    ir_store_var(b, zero, zero, g->emitted->index);
    ir_store_var(b, zero, zero, g->strip->index);
}

static void build_vertex(struct geometry *g, struct ir_builder *b, struct ir_value *lane)
{
    amd_merge_push_stage(b, g->wave, lane, 0);
    ir_ngg_fetch(b);
    amd_merge_insert(b, g->vertex, 0, 0);
    amd_geometry_lower_vertex(g);
    ir_builder_pop_if(b);
}

static void build_geometry(struct geometry *g, struct ir_builder *b, struct ir_value *lane, uint32_t first_const_B)
{
    amd_merge_push_stage(b, g->wave, lane, 8);
    struct ir_value *words = ir_ngg_vertices(b);
    for (uint32_t i = 0; i < g->layout->vertices_in; i++) {
        struct ir_value *dw = amd_merge_field(b, ir_extract(b, words, i / 2), i % 2 * 16, 16);
        g->vertex_B[i] = ir_ishl(b, dw, ir_const(b, 32, 2));
    }
    if (!g->has_ring)
        g->first_place = ir_imul(b, g->item, ir_const(b, 32, g->layout->vertices_out));
    amd_merge_insert(b, g->geometry, g->vertex->num_vars, first_const_B);
    amd_geometry_lower_geometry(g);
    if (g->has_ring)
        amd_geometry_ring_end(b);
    ir_builder_pop_if(b);
}

/* ---- what comes out ---- */

struct emitted {
    struct ir_value *flags;  /* of the lane's place */
    struct ir_value *number; /* of its vertex among the emitted ones */
    struct ir_value *count;  /* of the subgroup */
};

/* Emitted vertices keep the order of their places. */
static struct emitted count_emitted(struct geometry *g, struct ir_builder *b)
{
    struct emitted e;
    struct ir_value *zero = ir_const(b, 32, 0), *two = ir_const(b, 32, 2);
    struct ir_if *has_place = ir_builder_push_if(b, ir_ult(b, g->item, g->total));
    struct ir_value *loaded = ir_load_shared(b, 32, 1, ir_ishl(b, g->item, two), g->flags_B, 4, 0);
    ir_builder_pop_if(b);
    e.flags = ir_if_phi(b, has_place, loaded, zero);
    struct ir_value *is_emitted = ir_ine(b, ir_iand(b, e.flags, ir_const(b, 32, GEOMETRY_IS_EMITTED)), zero);
    struct ir_value *mask = ir_ballot(b, is_emitted), *own = amd_merge_field(b, g->wave, 24, 4);
    ir_builder_push_if(b, ir_elect(b));
    ir_store_shared(b, ir_bcount(b, mask), ir_ishl(b, own, two), g->counts_B, 4, 0);
    ir_builder_pop_if(b);
    amd_merge_barrier(b);
    struct ir_value *before = zero;
    e.count = zero;
    for (uint32_t i = 0; i < GEOMETRY_MAX_WAVES; i++) {
        struct ir_value *count = ir_read_first(b, ir_load_shared(b, 32, 1, zero, g->counts_B + i * 4, 4, 0));
        e.count = ir_iadd(b, e.count, count);
        before = ir_iadd(b, before, ir_select(b, ir_ult(b, ir_const(b, 32, i), own), count, zero));
    }
    e.number = ir_mbcnt(b, mask, before);
    ir_builder_push_if(b, is_emitted);
    ir_store_shared(b, g->item, ir_ishl(b, e.number, two), g->order_B, 4, 0);
    ir_builder_pop_if(b);
    amd_merge_barrier(b);
    return e;
}

/* Three vertices in ten bits each. Every second triangle of a strip has two of them exchanged, so that all face the
 * same way, and so that the one which gives flat values stays where it is. */
static struct ir_value *primitive_word(const struct geometry *g, struct ir_builder *b, const struct emitted *e)
{
    unsigned count = geometry_prim_vertices(g);
    struct ir_value *vertex[3], *word, *zero = ir_const(b, 32, 0);
    for (unsigned i = 0; i < count; i++)
        vertex[i] = ir_isub(b, e->number, ir_const(b, 32, count - 1 - i));
    if (count == 3) {
        struct ir_value *odd = ir_ine(b, ir_iand(b, e->flags, ir_const(b, 32, GEOMETRY_IS_ODD)), zero), *last;
        last = g->options->stage && g->options->stage->gs.provoking_dynamic
                   ? ir_ine(b, ir_ngg_provoking(b), zero)
                   : ir_const(b, 1, g->options->stage && g->options->stage->gs.provoking_last);
        struct ir_value *first_kept[3] = {vertex[0], vertex[2], vertex[1]},
                        *last_kept[3] = {vertex[1], vertex[0], vertex[2]};
        for (unsigned i = 0; i < 3; i++)
            vertex[i] = ir_select(b, odd, ir_select(b, last, last_kept[i], first_kept[i]), vertex[i]);
    }
    word = vertex[0];
    for (unsigned i = 1; i < count; i++)
        word = ir_ior(b, word, ir_ishl(b, vertex[i], ir_const(b, 32, 10 * i)));
    struct ir_value *ends = ir_ine(b, ir_iand(b, e->flags, ir_const(b, 32, GEOMETRY_ENDS_PRIMITIVE)), zero);
    return ir_select(b, ends, word, ir_const(b, 32, NULL_PRIMITIVE));
}

/* Channels that lie side by side, as outputs of the lane's vertex. */
static void export_vertex(const struct geometry *g, struct ir_builder *b, struct ir_value *place)
{
    struct ir_value *address = ir_imul(b, place, ir_const(b, 32, g->output_stride_B));
    for (uint32_t location = 0; location < GEOMETRY_LOCATIONS; location++) {
        for (uint32_t comp = 0; comp < 4; comp++) {
            uint32_t dw = g->output_dw[location][comp];
            if (dw == GEOMETRY_NONE)
                continue;
            struct ir_value *value =
                ir_load_shared(b, g->output_bits[location][comp], 1, address, g->outputs_B + dw * 4, 4, 0);
            ir_store_output(b, value, ir_const(b, 32, 0), location, comp, 0);
        }
    }
}

/* The hardware does not count them: each wave adds its own to what a query counts. */
static void count_primitives(const struct geometry *g, struct ir_builder *b, const struct emitted *e)
{
    struct ir_value *zero = ir_const(b, 32, 0);
    struct ir_value *ends = ir_ine(b, ir_iand(b, e->flags, ir_const(b, 32, GEOMETRY_ENDS_PRIMITIVE)), zero),
                    *count = ir_bcount(b, ir_ballot(b, ends));
    amd_merge_count(b, g->options, AMD_COUNT_GEOMETRY_PRIMITIVES, count);
}

static void build_end(struct geometry *g, struct ir_builder *b)
{
    struct emitted e = count_emitted(g, b);
    count_primitives(g, b, &e);
    struct ir_value *zero = ir_const(b, 32, 0), *is_empty = ir_ieq(b, e.count, zero);
    struct ir_value *prims = ir_select(b, is_empty, zero, g->total); /* neither without the other */
    ir_ngg_allocate(b, e.count, prims);
    ir_builder_push_if(b, ir_ult(b, g->item, prims));
    ir_ngg_export_prim(b, primitive_word(g, b, &e));
    ir_builder_pop_if(b);
    struct ir_value *left = ir_imax(b, ir_isub(b, e.count, g->wave_first), zero);
    ir_ngg_keep_lanes(b, ir_umin(b, left, ir_const(b, 32, g->options->wave_size)));
    export_vertex(g, b, ir_load_shared(b, 32, 1, ir_ishl(b, g->item, ir_const(b, 32, 2)), g->order_B, 4, 0));
}

static void build_program(struct geometry *g)
{
    amd_merge_interfaces(g->shader, g->vertex, g->geometry);
    if (g->has_ring)
        g->shader->num_outputs = 0; /* the copy shader has them */
    const uint32_t first_const_B = amd_merge_const_data(g->shader, g->vertex, g->geometry);
    amd_geometry_layout(g);
    struct ir_builder b = ir_builder_at_body_end(g->shader);
    struct ir_value *lane = ir_load_sysval(&b, 32, 1, IR_SYSVAL_subgroup_lane);
    build_begin(g, &b, lane);
    build_vertex(g, &b, lane);
    amd_merge_barrier(&b);
    build_geometry(g, &b, lane, first_const_B);
    if (g->has_ring) {
        amd_geometry_build_copy(g, g->copy);
        return;
    }
    amd_merge_barrier(&b);
    build_end(g, &b);
}

/* ---- the call ---- */

struct merging {
    struct geometry *g;
    char *error_out;
    bool done;
};

static void run_merge(void *data)
{
    struct merging *merging = data;
    struct ir_failure failure;
    if (ir_guard(merging->g->shader, &failure)) {
        snprintf(merging->error_out, 256, "%s", failure.text);
    } else {
        if (merging->g->copy)
            merging->g->copy->failure = &failure;
        build_program(merging->g);
        merging->done = true;
    }
    merging->g->shader->failure = NULL;
    if (merging->g->copy)
        merging->g->copy->failure = NULL;
}

struct ir_shader *amd_merge_geometry(const struct ir_shader *vertex, const struct ir_shader *geometry,
                                     const struct amd_compile_options *options, struct amd_geometry_layout *layout_out,
                                     struct ir_shader **copy_out, char error_out[256])
{
    struct geometry g = {.shader = ir_shader_create(IR_STAGE_geometry),
                         .vertex = vertex,
                         .geometry = geometry,
                         .options = options,
                         .layout = layout_out,
                         .has_ring = copy_out && amd_geometry_has_ring(geometry, options->stage)};
    struct merging merging = {&g, error_out, false};
    if (g.has_ring)
        g.copy = ir_shader_create(IR_STAGE_vertex);
    if (!g.shader || (g.has_ring && !g.copy)) {
        snprintf(error_out, 256, "out of memory");
        ir_shader_destroy(g.shader);
        ir_shader_destroy(g.copy);
        return NULL;
    }
    if (ir_depth(vertex) <= IR_SHALLOW && ir_depth(geometry) <= IR_SHALLOW)
        run_merge(&merging);
    else if (!deep_stack_run(run_merge, &merging))
        snprintf(error_out, 256, "out of memory for a stack");
    arena_reset(&g.shader->scratch);
    if (merging.done) {
        if (copy_out)
            *copy_out = g.copy;
        return g.shader;
    }
    ir_shader_destroy(g.shader);
    ir_shader_destroy(g.copy);
    return NULL;
}
