/* Geometry shaders that transform feedback captures. NGG would leave it to the shader to count, in the order of all
 * subgroups; the hardware's older way counts by itself: the geometry shader, still one program with its vertex shader,
 * writes what it emits to a ring in memory and reports it by messages, and a second program, the copy shader, runs as a
 * vertex shader of the emitted vertices. It is written here: it reads the ring, stores what is captured as any vertex
 * shader does, and has the first stream's outputs as its own.
 *
 * A wave of 64 has a part of the ring. Sixteen threads stand side by side: of a stream with c dwords a vertex, of
 * shaders that emit v vertices, dword d of vertex n of thread t lies at
 *
 *     part + before * 64 + (t / 16) * c * v * 16 + (d * v + n) * 16 + t % 16
 *
 * dwords, where `before` is c * v of the streams before. The geometry engine hands the place of a vertex's dword 0 to
 * the copy shader. */
#include <stdio.h>
#include <string.h>

#include "amd/compiler/geometry.h"
#include "amd/compiler/lower_amd.h"
#include "amd/compiler/select.h"
#include "util/bits.h"

#define SIDE_BY_SIDE_B 64u
#define WAVE 64u
#define MAX_THREADS 64u
#define MAX_VERTICES 252u
#define MAX_PRIMITIVES_OUT (32u * 1024)
#define MAX_SHARED_B (32u * 1024)

bool amd_geometry_has_ring(const struct ir_shader *geometry, const struct amd_stage_options *stage)
{
    /* Nothing is captured while there are several views. */
    return geometry && geometry->num_captures && !(stage && stage->vs.layer_from_view);
}

/* ---- layout ---- */

/* Which stream a channel is of: its stores stand before an emission. */
static void note_streams(struct geometry *g)
{
    struct ir_instr *pending[GEOMETRY_LOCATIONS * 4];
    uint32_t count = 0;
    memset(g->output_dw, GEOMETRY_NONE, sizeof(g->output_dw));
    ir_foreach_block (g->geometry, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_store_output && count < ARRAY_SIZE(pending))
                pending[count++] = instr;
            if (instr->op != IR_OP_emit_vertex)
                continue;
            for (uint32_t i = 0; i < count; i++) {
                const struct ir_value *value = ir_src(pending[i], 0);
                uint32_t location = geometry_location(pending[i], ir_src(pending[i], 1)),
                         dwords = value->comps * (value->bits == 64 ? 2u : 1u);
                for (uint32_t c = ir_imm(pending[i], IR_IMM_COMP); dwords-- && c < 4; c++) {
                    g->output_bits[location][c] = value->bits == 16 ? 16 : 32;
                    g->output_stream[location][c] = (uint8_t)ir_imm(instr, IR_IMM_STREAM);
                }
            }
            count = 0;
        }
    }
}

void amd_geometry_ring_layout(struct geometry *g)
{
    struct amd_geometry_layout *layout = g->layout;
    const uint32_t in = layout->vertices_in, out = layout->vertices_out, invocations = layout->invocations;
    note_streams(g);
    for (uint32_t i = 0; i < GEOMETRY_LOCATIONS * 4; i++) {
        if (g->output_bits[i / 4][i % 4])
            g->output_dw[i / 4][i % 4] = layout->stream_dw[g->output_stream[i / 4][i % 4]]++;
    }
    for (uint32_t i = 0; i < g->geometry->num_captures; i++) {
        const struct ir_capture *capture = &g->geometry->captures[i];
        if (capture->location < GEOMETRY_LOCATIONS)
            layout->stream_buffers |=
                (uint16_t)(1u << (4 * g->output_stream[capture->location][capture->component] + capture->buffer));
    }
    uint32_t prims = MAX2(MIN2(MAX_THREADS / invocations, MAX_PRIMITIVES_OUT / (out * invocations)), 1u);
    while (prims > 1 && (prims * in > MAX_VERTICES || prims * in * g->input_stride_B > MAX_SHARED_B))
        prims--;
    layout->has_ring = true;
    layout->max_primitives = (uint16_t)prims;
    /* A subgroup is full when it has so many, so that its last primitive may exceed them. */
    layout->max_vertices = (uint16_t)(prims * in - (in - 1));
    g->shader->shared_size_B = prims * in * g->input_stride_B;
}

/* ---- what the geometry shader writes ---- */

static struct ir_value *load_ring(struct ir_builder *b)
{
    return ir_load_desc(b, 4, ir_const(b, 32, AMD_RING_SET), ir_const(b, 32, 16 * AMD_RING_GSVS));
}

/* Before the stage: where the lane's vertices of each stream begin. */
void amd_geometry_ring_begin(struct geometry *g, struct ir_builder *b, struct ir_value *lane)
{
    const uint32_t out = g->layout->vertices_out;
    uint32_t before_dw = 0;
    struct ir_value *zero = ir_const(b, 32, 0), *row = ir_ushr(b, lane, ir_const(b, 32, 4)),
                    *part = ir_iadd(b, ir_ngg_subgroup(b),
                                    ir_ishl(b, ir_iand(b, lane, ir_const(b, 32, 15)), ir_const(b, 32, 2)));
    g->ring = load_ring(b);
    for (uint32_t s = 0; s < GEOMETRY_STREAMS; s++) {
        uint32_t item_dw = g->layout->stream_dw[s] * out;
        struct ir_value *row_B = ir_imul(b, row, ir_const(b, 32, item_dw * SIDE_BY_SIDE_B));
        g->ring_B[s] = ir_iadd(b, ir_iadd(b, part, ir_const(b, 32, before_dw * WAVE * 4)), row_B);
        before_dw += item_dw;
        g->emitted_in[s] = ir_var_create(g->shader, 32, 1, "emitted");
        ir_store_var(b, zero, zero, g->emitted_in[s]->index);
    }
}

static void store_to_ring(const struct geometry *g, struct ir_builder *b, const struct ir_instr *store,
                          struct ir_value *address)
{
    struct ir_value *value = ir_src(store, 0);
    uint32_t location = geometry_location(store, ir_src(store, 1)), comp = ir_imm(store, IR_IMM_COMP);
    if (!ir_is_const(ir_src(store, 1)))
        ir_fail(g->shader, "an output of a geometry shader that is indexed by a computed number");
    for (uint32_t i = 0; i < value->comps; i++) {
        struct ir_value *part = ir_extract(b, value, i);
        struct ir_value *words[2] = {part->bits == 32 ? part : ir_u2u(b, 32, part), NULL};
        if (part->bits == 64)
            words[1] = ir_u2u(b, 32, ir_ushr(b, part, ir_const(b, 32, 32)));
        for (unsigned w = 0; w < 2 && words[w] && comp < 4; w++, comp++)
            ir_store_ssbo(b, words[w], g->ring, address,
                          g->output_dw[location][comp] * g->layout->vertices_out * SIDE_BY_SIDE_B, 4, 0,
                          IR_ACCESS_COHERENT);
    }
}

/* More vertices than were announced go nowhere. */
void amd_geometry_ring_emit(const struct geometry *g, struct ir_instr *emit, struct ir_instr *const *stores,
                            uint32_t count)
{
    const uint32_t stream = ir_imm(emit, IR_IMM_STREAM);
    struct ir_builder b = ir_builder_before(g->shader, emit);
    struct ir_value *zero = ir_const(&b, 32, 0), *number = ir_load_var(&b, 32, 1, zero, g->emitted_in[stream]->index);
    ir_builder_push_if(&b, ir_ult(&b, number, ir_const(&b, 32, g->layout->vertices_out)));
    struct ir_value *address = ir_iadd(&b, g->ring_B[stream], ir_imul(&b, number, ir_const(&b, 32, SIDE_BY_SIDE_B)));
    for (uint32_t i = 0; i < count; i++) {
        if (stores[i] && stores[i]->op == IR_OP_store_output)
            store_to_ring(g, &b, stores[i], address);
    }
    ir_emit_vertex(&b, stream);
    ir_store_var(&b, ir_iadd(&b, number, ir_const(&b, 32, 1)), zero, g->emitted_in[stream]->index);
    ir_builder_pop_if(&b);
}

/* The copy shader may run as soon as the message is there. */
void amd_geometry_ring_end(struct ir_builder *b)
{
    ir_barrier(b, IR_SCOPE_device, IR_MEMORY_BUFFER, IR_ORDER_RELEASE);
    ir_gs_done(b);
}

/* ---- the copy shader ---- */

/* The channels of a stream that transform feedback or the rasteriser reads. */
static void load_channels(const struct geometry *g, struct ir_builder *b, uint32_t stream, struct ir_value *ring,
                          struct ir_value *offset, struct amd_channel *channels)
{
    memset(channels, 0, AMD_XFB_LOCATIONS * 4 * sizeof(*channels));
    for (uint32_t i = 0; i < GEOMETRY_LOCATIONS * 4; i++) {
        if (g->output_dw[i / 4][i % 4] == GEOMETRY_NONE || g->output_stream[i / 4][i % 4] != stream)
            continue;
        struct ir_value *word =
            ir_load_ssbo(b, 32, 1, ring, offset, g->output_dw[i / 4][i % 4] * g->layout->vertices_out * SIDE_BY_SIDE_B,
                         4, 0, IR_ACCESS_COHERENT);
        channels[i].value = g->output_bits[i / 4][i % 4] == 16 ? ir_u2u(b, 16, word) : word;
    }
}

static void store_outputs(struct ir_builder *b, const struct amd_channel *channels)
{
    for (uint32_t i = 0; i < GEOMETRY_LOCATIONS * 4; i++) {
        if (channels[i].value)
            ir_store_output(b, channels[i].value, ir_const(b, 32, 0), i / 4, i % 4, 0);
    }
}

/* Numbers of 64 bits lie in the ring as two of 32. */
static struct ir_capture *captures_of_words(struct ir_shader *shader, const struct ir_shader *geometry)
{
    struct ir_capture *captures = ir_alloc(shader, (geometry->num_captures + 1) * sizeof(*captures));
    for (uint32_t i = 0; i < geometry->num_captures; i++) {
        captures[i] = geometry->captures[i];
        if (captures[i].bits == 64) {
            captures[i].bits = 32;
            captures[i].num_comps *= 2;
        }
    }
    return captures;
}

void amd_geometry_build_copy(struct geometry *g, struct ir_shader *copy)
{
    const struct ir_shader *geometry = g->geometry;
    struct ir_builder b = ir_builder_at_body_end(copy);
    copy->name = ir_strdup(copy, geometry->name);
    copy->outputs = ir_alloc(copy, (geometry->num_outputs + 1) * sizeof(*copy->outputs));
    memcpy(copy->outputs, geometry->outputs, geometry->num_outputs * sizeof(*copy->outputs));
    copy->num_outputs = geometry->num_outputs;
    for (uint32_t i = 0; i < copy->num_outputs; i++)
        copy->outputs[i].name = ir_strdup(copy, copy->outputs[i].name);
    copy->vs = geometry->vs;
    memcpy(copy->xfb_stride_B, geometry->xfb_stride_B, sizeof(copy->xfb_stride_B));
    copy->gs = geometry->gs;
    copy->captures = captures_of_words(copy, geometry);
    copy->num_captures = geometry->num_captures;
    const struct ir_capture *captures = copy->captures;
    struct amd_channel *channels = ir_alloc(copy, AMD_XFB_LOCATIONS * 4 * sizeof(*channels));
    struct ir_value *zero = ir_const(&b, 32, 0), *ring = load_ring(&b),
                    *offset = ir_ishl(&b, ir_gs_place(&b), ir_const(&b, 32, 2)),
                    *config = ir_load_sysval(&b, 32, 1, IR_SYSVAL_xfb_config),
                    *stream = ir_iand(&b, ir_ushr(&b, config, ir_const(&b, 32, 24)), ir_const(&b, 32, 3));
    for (uint32_t s = 1; s < GEOMETRY_STREAMS; s++) {
        if (!(g->layout->stream_buffers >> 4 * s & 15))
            continue;
        ir_builder_push_if(&b, ir_ieq(&b, stream, ir_const(&b, 32, s)));
        load_channels(g, &b, s, ring, offset, channels);
        amd_store_captures(&b, captures, geometry->num_captures, channels);
        ir_builder_pop_if(&b);
    }
    /* Nothing but the first stream is drawn. */
    if (g->layout->stream_buffers >> 4) {
        struct ir_value *lanes = ir_bcount(&b, ir_ballot(&b, ir_const(&b, 1, 1)));
        ir_ngg_keep_lanes(&b, ir_select(&b, ir_ieq(&b, stream, zero), lanes, zero));
    }
    load_channels(g, &b, 0, ring, offset, channels);
    amd_store_captures(&b, captures, geometry->num_captures, channels);
    store_outputs(&b, channels);
}
