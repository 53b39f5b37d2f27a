/* The vertex stage: a wave of a legacy vertex shader, or an NGG subgroup, and what it exports. */
#include <string.h>

#include "amd/model/ge/ge.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_quads.h"
#include "util/bits.h"

/* Targets of EXP. */
enum {
    EXP_POS = 12,
    EXP_PRIM = 20,
    EXP_PARAM = 32,
};

/* Messages. */
enum {
    MSG_GS = 2,
    MSG_GS_DONE = 3,
    MSG_GS_ALLOC_REQ = 9,
};

static bool has_subgroups(const struct ge_state *state, const struct ge_worker *worker)
{
    return state->ngg || (state->has_ring && !worker->copies);
}

static void load_row(struct sq_wave *wave, unsigned row, const uint32_t *values, uint32_t count)
{
    memcpy(wave->vgpr + (size_t)row * wave->lanes, values, count * sizeof(uint32_t));
}

static uint32_t lanes_left(const struct sq_wave *wave, uint32_t count)
{
    uint32_t first = wave->wave_in_group * wave->lanes;
    return count > first ? MIN2(count - first, wave->lanes) : 0;
}

/* Inputs of the shader of a point of the tessellator, from VGPR `row` on: u, v, the patch's number in its
 * threadgroup and in the draw. */
static void load_point(const struct ge_state *state, const struct ge_subgroup *subgroup, struct sq_wave *wave,
                       unsigned row, uint32_t first, uint32_t count)
{
    const uint32_t *const values[4] = {subgroup->vertex_id, subgroup->instance_id, subgroup->vertex_patch,
                                       subgroup->vertex_prim_id};
    for (unsigned i = 0; i <= state->vgpr_components && i < 4; i++)
        load_row(wave, row + i, values[i] + first, count);
}

/* v0 vertex, v1 nothing, v2 primitive, v3 instance. */
static void load_legacy(const struct ge *ge, struct ge_worker *worker, struct sq_wave *wave, uint32_t scratch_slot)
{
    const struct ge_state *state = &ge->pipeline.ge;
    const struct spi_stage *stage = worker->copies ? &state->ring.copy : &state->stage;
    const struct ge_subgroup *subgroup = &worker->subgroup;
    uint32_t at = stage->user_count, count = subgroup->vertex_count;
    memcpy(wave->sgpr, stage->user_data, at * 4);
    if (state->streamout)
        at += amd_ge_streamout_load(ge, subgroup, worker->copies ? worker->emitted.stream : 0, wave->sgpr + at);
    if (state->loads_offchip && !worker->copies)
        wave->sgpr[at++] = state->hull.is_on ? worker->hull->offchip_at_B : 0;
    if (stage->scratch_wave_B)
        wave->sgpr[at++] = scratch_slot * stage->scratch_wave_B;
    if (worker->copies) {
        load_row(wave, 0, subgroup->vertex_id, count);
    } else if (state->hull.is_on) {
        load_point(state, subgroup, wave, 0, 0, count);
    } else {
        load_row(wave, 0, subgroup->vertex_id, count);
        if (state->vgpr_components >= 2)
            load_row(wave, 2, subgroup->vertex_prim_id, count);
        if (state->vgpr_components >= 3)
            load_row(wave, 3, subgroup->instance_id, count);
    }
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], bits_mask(count));
    sq_exec_changed(wave);
}

/* Inputs of the primitive part of an NGG wave: three vertices, as offsets or packed as its export wants them; and
 * the edges that are to be seen, in bits 9, 19 and 29 of the packed word, or in bits [10:8] of the instance's
 * register. */
static void load_ngg_prims(const struct ge_state *state, const struct ge_subgroup *subgroup, struct sq_wave *wave)
{
    uint32_t first = wave->wave_in_group * wave->lanes,
             count = lanes_left(wave, subgroup->prim_count * subgroup->gs_per_prim);
    uint32_t lanes = wave->lanes, item_dw = state->item_dw;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t prim = (first + i) / subgroup->gs_per_prim;
        const uint16_t *v = subgroup->prims[prim];
        uint32_t edges = subgroup->edges[prim];
        if (state->passthrough) {
            wave->vgpr[i] = (uint32_t)v[0] | (uint32_t)v[1] << 10 | (uint32_t)v[2] << 20;
            wave->vgpr[i] |= (edges & 1) << 9 | (edges & 2) << 18 | (edges & 4) << 27;
        } else {
            wave->vgpr[i] = v[0] * item_dw | v[1] * item_dw << 16;
            wave->vgpr[lanes + i] = v[2] * item_dw | v[3] * item_dw << 16;
        }
        wave->vgpr[2 * lanes + i] = subgroup->prim_id[prim];
        wave->vgpr[3 * lanes + i] = edges << 8;
        if (state->has_gs) {
            wave->vgpr[3 * lanes + i] |= subgroup->gs_first + (first + i) % subgroup->gs_per_prim;
            wave->vgpr[4 * lanes + i] = v[4] * item_dw | v[5] * item_dw << 16;
        }
    }
}

/* s0-1 an address, s2 the subgroup (without NGG where in the ring the wave's vertices go), s3 the wave, s4 the off-chip
 * buffer of its patches, s5 private memory, user data from s8 on. The primitive's VGPRs come first, five of them, then
 * the vertex's. */
static void load_ngg(const struct ge *ge, struct ge_worker *worker, struct sq_wave *wave, uint32_t wave_count,
                     uint32_t scratch_slot)
{
    const struct ge_state *state = &ge->pipeline.ge;
    const struct ge_subgroup *subgroup = &worker->subgroup;
    uint32_t first = wave->wave_in_group * wave->lanes;
    uint32_t gs_threads = subgroup->prim_count * subgroup->gs_per_prim;
    uint32_t vertices = lanes_left(wave, subgroup->vertex_count), prims = lanes_left(wave, gs_threads);
    wave->sgpr[0] = state->user_address[0];
    wave->sgpr[1] = state->user_address[1];
    /* Vertices and primitives of the subgroup; with a geometry shader, those that it may put out. */
    uint32_t all_vertices = state->has_gs ? gs_threads * state->gs_max_out : subgroup->vertex_count,
             all_prims = state->has_gs ? gs_threads * state->prim_amp : subgroup->prim_count;
    wave->sgpr[2] =
        state->has_ring ? amd_ge_ring_offset_B(ge, worker, wave->wave_in_group) : all_vertices << 12 | all_prims << 22;
    wave->sgpr[3] = vertices | prims << 8 | wave->wave_in_group << 24 | wave_count << 28;
    if (state->hull.is_on && state->loads_offchip)
        wave->sgpr[4] = worker->hull->offchip_at_B;
    wave->sgpr[5] = scratch_slot * state->stage.scratch_wave_B;
    memcpy(wave->sgpr + 8, state->stage.user_data, state->stage.user_count * 4);
    load_ngg_prims(state, subgroup, wave);
    if (vertices && state->hull.is_on) {
        load_point(state, subgroup, wave, 5, first, vertices);
    } else if (vertices) {
        load_row(wave, 5, subgroup->vertex_id + first, vertices);
        load_row(wave, 8, subgroup->instance_id + first, vertices);
    }
}

/* Inputs of a mesh shader, whose threads all know the number of the point: it is that of the workgroup. Bits [11:0]
 * of s2 number the workgroups so that no two have the same as long as they run, for the place of their outputs in
 * memory: the hardware counts them, here it is the worker, which has one at a time. */
static void load_mesh(const struct ge *ge, struct ge_worker *worker, struct sq_wave *wave, uint32_t wave_count,
                      uint32_t scratch_slot)
{
    const struct ge_state *state = &ge->pipeline.ge;
    const uint32_t threads = lanes_left(wave, state->gs_max_out);
    wave->sgpr[0] = state->user_address[0];
    wave->sgpr[1] = state->user_address[1];
    wave->sgpr[2] = state->gs_max_out << 12 | state->prim_amp << 22;
    if (state->numbers_groups)
        wave->sgpr[2] |= (uint32_t)(worker - ge->worker);
    wave->sgpr[3] = threads | threads << 8 | wave->wave_in_group << 24 | wave_count << 28;
    wave->sgpr[5] = scratch_slot * state->stage.scratch_wave_B;
    memcpy(wave->sgpr + 8, state->stage.user_data, state->stage.user_count * 4);
    for (uint32_t i = 0; i < threads; i++)
        wave->vgpr[5 * wave->lanes + i] = worker->subgroup.vertex_id[0];
}

static uint32_t lanes_with_params(const struct ge_subgroup *subgroup, uint32_t vertices, uint32_t prims)
{
    return subgroup->has_prim_params ? MAX2(vertices, prims) : vertices;
}

/* Zeros for what so many vertices export. A parameter belongs to the lane that exports it, whether it stands for a
 * vertex or for a primitive: so many lanes have some. */
static bool make_vertex_room(struct ge_worker *worker, uint32_t vertices, uint32_t lanes)
{
    struct ge_subgroup *subgroup = &worker->subgroup;
    subgroup->params =
        arena_zalloc_array(worker->pa.arena, MAX2(lanes, 1u), worker->pa.vertices.param_floats * sizeof(float));
    memset(subgroup->pos, 0, vertices * sizeof(subgroup->pos[0]));
    subgroup->vertex_room = vertices;
    subgroup->param_room = lanes;
    worker->pa.vertices.params = subgroup->params;
    return subgroup->params != NULL;
}

/* So many primitives are null until the shader exports them. */
static void make_prim_room(struct ge_subgroup *subgroup, uint32_t from, uint32_t end)
{
    memset(subgroup->prim_payload + from, 0, (end - from) * sizeof(subgroup->prim_payload[0]));
    memset(subgroup->exported_prim + from, 0xff, (end - from) * sizeof(subgroup->exported_prim[0]));
    subgroup->prim_room = end;
}

bool amd_ge_vertex_begin(struct ge *ge, struct ge_worker *worker, struct sq_code *code, uint32_t scratch_slot)
{
    const struct ge_state *state = &ge->pipeline.ge;
    struct ge_subgroup *subgroup = &worker->subgroup;
    uint32_t gs_threads = subgroup->prim_count * subgroup->gs_per_prim;
    const bool is_shared = has_subgroups(state, worker);
    uint32_t items = state->is_mesh ? state->gs_max_out
                     : is_shared    ? MAX2(subgroup->vertex_count, gs_threads * state->prim_amp)
                                    : subgroup->vertex_count;
    /* A vertex shader asks for what it was given, though it might ask for more: then there is room for that, too. */
    struct sq_launch launch = worker->copies ? ge->copy_launch : ge->vertex_launch;
    uint32_t waves = (uint32_t)div_round_up(items, launch.lanes),
             out = is_shared && state->has_gs ? (state->ngg ? state->max_out_vertices : 0) : subgroup->vertex_count;
    if (state->is_mesh)
        out = MIN2(MAX2(out, state->gs_max_out), (uint32_t)GE_MAX_VERTICES);
    launch.owner = worker;
    worker->pa.vertices = (struct raster_vertices){.pos = (const float(*)[RASTER_POS_VECTORS][4])subgroup->pos,
                                                   .param_floats = MAX2(state->param_count, 1u) * 4};
    /* Waves export when they come to it, be it before the first one has asked for room: there is enough for what the
     * registers allow. */
    const bool asks = is_shared && state->ngg && state->has_gs;
    const uint32_t out_prims = !asks
                                   ? subgroup->prim_count
                                   : MIN2((state->is_mesh ? 1 : gs_threads) * state->prim_amp, (uint32_t)GE_MAX_PRIMS);
    subgroup->has_prim_params = state->has_prim_params;
    if (!make_vertex_room(worker, out, lanes_with_params(subgroup, out, out_prims)) ||
        (state->has_ring && !worker->copies && !amd_ge_ring_begin(ge, worker, gs_threads)) ||
        !amd_sq_workgroup_begin(worker->vertex_group, &launch, code, waves)) {
        amd_ge_fault_host(ge);
        return false;
    }
    subgroup->out_vertices = asks ? out : subgroup->vertex_count;
    subgroup->out_prims = out_prims;
    subgroup->allocated = !state->ngg || (state->passthrough && state->passthrough_no_message);
    if (state->ngg)
        make_prim_room(subgroup, 0, MIN2(waves * state->stage.lanes, (uint32_t)GE_MAX_PRIMS));
    for (uint32_t i = 0; i < waves; i++) {
        if (state->is_mesh)
            load_mesh(ge, worker, worker->vertex_group->waves[i], waves, scratch_slot + i);
        else if (is_shared)
            load_ngg(ge, worker, worker->vertex_group->waves[i], waves, scratch_slot + i);
        else
            load_legacy(ge, worker, worker->vertex_group->waves[i], scratch_slot);
    }
    if (!worker->copies && !state->hull.is_on && !state->is_mesh) /* those are points of the tessellator, workgroups */
        worker->vs_invocations += subgroup->vertex_count;
    if (!worker->copies)
        worker->gs_invocations += state->has_gs && !state->is_mesh ? gs_threads : 0;
    worker->vertex_running = true;
    return true;
}

/* ---- exports and messages ---- */

/* Whole vectors of so many lanes from the first on. */
static void scatter_vectors(const uint32_t *const rows[4], float *to, size_t stride, uint32_t count)
{
    uint32_t lane = 0;
    for (; lane + SQ_QUAD <= count; lane += SQ_QUAD) {
        float *at = to + lane * stride;
        sq_quads_store_4((uint8_t *const[4]){(uint8_t *)at, (uint8_t *)(at + stride), (uint8_t *)(at + 2 * stride),
                                             (uint8_t *)(at + 3 * stride)},
                         rows, lane);
    }
    for (; lane < count; lane++) {
        const uint32_t vector[4] = {rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]};
        memcpy(to + lane * stride, vector, sizeof(vector));
    }
}

/* Scatters some components: the others stay. */
static void scatter_components(const uint32_t *const rows[4], unsigned enabled, float *to, size_t stride,
                               uint32_t count)
{
    uint32_t lane = 0;
    for (; lane + SQ_QUAD <= count; lane += SQ_QUAD) {
        float *at = to + lane * stride;
        uint8_t *const vectors[4] = {(uint8_t *)at, (uint8_t *)(at + stride), (uint8_t *)(at + 2 * stride),
                                     (uint8_t *)(at + 3 * stride)};
        const uint32_t *mixed[4];
        uint32_t old[4][SQ_QUAD];
        sq_quads_load_4(old[0], SQ_QUAD, (const uint8_t *const *)vectors);
        for (unsigned c = 0; c < 4; c++)
            mixed[c] = enabled >> c & 1 ? rows[c] + lane : old[c];
        sq_quads_store_4(vectors, mixed, 0);
    }
    for (; lane < count; lane++) {
        bits_foreach (enabled, c)
            memcpy(to + lane * stride + c, &rows[c][lane], sizeof(float));
    }
}

static void scatter_export(const struct sq_wave *wave, const struct isa_export *exp, const uint32_t *const rows[4],
                           float *to, size_t stride, uint32_t limit)
{
    uint32_t first = wave->wave_in_group * wave->lanes;
    uint64_t exec = sq_exec(wave);
    /* Mostly all vertices of a wave export, from the first lane on. */
    if (!(exec & (exec + 1))) {
        const uint32_t all = exec == UINT64_MAX ? 64 : (uint32_t)__builtin_ctzll(~exec),
                       count = first < limit ? MIN2(all, limit - first) : 0;
        if (exp->en == 15)
            scatter_vectors(rows, to + first * stride, stride, count);
        else
            scatter_components(rows, exp->en, to + first * stride, stride, count);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        if (!(exp->en >> c & 1))
            continue;
        bits_foreach (exec, lane) {
            if (first + lane < limit)
                memcpy(to + (first + lane) * stride + c, &rows[c][lane], sizeof(float));
        }
    }
}

static void take_export(struct sq_wave *wave, const struct sq_uop *uop, const struct isa_export *exp,
                        const uint32_t *const rows[4])
{
    struct ge_worker *worker = wave->owner;
    struct ge_subgroup *subgroup = &worker->subgroup;
    uint32_t stride = worker->pa.vertices.param_floats;
    if (exp->compr) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a compressed export of a vertex");
    } else if (exp->target >= EXP_POS && exp->target < EXP_POS + RASTER_POS_VECTORS) {
        scatter_export(wave, exp, rows, &subgroup->pos[0][exp->target - EXP_POS][0], RASTER_POS_VECTORS * 4,
                       subgroup->out_vertices);
    } else if (exp->target >= EXP_PARAM && exp->target < EXP_PARAM + 32) {
        uint32_t slot = exp->target - EXP_PARAM;
        if (slot * 4 < stride)
            scatter_export(wave, exp, rows, subgroup->params + slot * 4, stride,
                           lanes_with_params(subgroup, subgroup->out_vertices, subgroup->out_prims));
    } else if (exp->target == EXP_PRIM) {
        uint64_t exec = sq_exec(wave);
        bits_foreach (exec, lane) {
            uint32_t prim = wave->wave_in_group * wave->lanes + (uint32_t)lane;
            if (prim < GE_MAX_PRIMS)
                subgroup->exported_prim[prim] = rows[0][lane];
            if (prim < GE_MAX_PRIMS && exp->en & 2)
                subgroup->prim_payload[prim] = rows[1][lane];
        }
    } else {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "an export that a vertex shader cannot make");
    }
}

/* GS_ALLOC_REQ: vertices [11:0], primitives [22:12] of m0. */
static void take_message(struct sq_wave *wave, const struct sq_uop *uop, uint32_t message, uint32_t m0)
{
    struct ge_worker *worker = wave->owner;
    struct ge_subgroup *subgroup = &worker->subgroup;
    if (worker->emitted.threads && !worker->copies && ((message & 15) == MSG_GS || (message & 15) == MSG_GS_DONE)) {
        amd_ge_ring_message(wave, uop, message);
        return;
    }
    if ((message & 15) != MSG_GS_ALLOC_REQ) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a message that the geometry engine does not take");
        return;
    }
    uint32_t vertices = m0 & 0xfff, prims = m0 >> 12 & 0x7ff;
    if (vertices > GE_MAX_VERTICES || prims > GE_MAX_PRIMS) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a request for more output than a subgroup can have");
        return;
    }
    uint32_t lanes = lanes_with_params(subgroup, vertices, prims);
    if ((vertices > subgroup->vertex_room || lanes > subgroup->param_room) &&
        !make_vertex_room(worker, vertices, lanes)) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "the host has no memory for a subgroup's output");
        return;
    }
    if (prims > subgroup->prim_room)
        make_prim_room(subgroup, subgroup->prim_room, prims);
    subgroup->out_vertices = vertices;
    subgroup->out_prims = prims;
    subgroup->allocated = true;
}

const struct sq_hooks amd_ge_vertex_hooks = {
    .export = take_export,
    .message = take_message,
};

/* ---- after the shader ---- */

/* A payload: layer [19:17], viewport [23:20], shading rate [31:28]. */
static void place_primitive(struct raster_vertices *vertices, uint32_t payload)
{
    vertices->has_own_place = true;
    vertices->own_layer = payload >> 17 & 7;
    vertices->own_viewport = payload >> 20 & 15;
    vertices->own_rate = (uint8_t)(payload >> 28);
}

void amd_ge_vertex_end(struct ge *ge, struct ge_worker *worker)
{
    static const unsigned corners[] = {[RASTER_POINT] = 1, [RASTER_LINE] = 2, [RASTER_TRIANGLE] = 3, [RASTER_RECT] = 3};
    const struct ge_state *state = &ge->pipeline.ge;
    struct ge_subgroup *subgroup = &worker->subgroup;
    unsigned count = corners[state->kind],
             provoking = state->provoking_last && state->kind != RASTER_RECT ? count - 1 : 0;
    worker->vertex_running = false;
    if (has_subgroups(state, worker) ? state->has_ring : worker->copies && worker->emitted.stream)
        return; /* nothing to draw yet, or at all */
    worker->pa.vertices.places = NULL;
    if (!state->has_payload) /* which may choose another viewport */
        raster_place_vertices(&worker->pa, state->kind, subgroup->out_vertices, subgroup->places);
    for (uint32_t i = 0; i < subgroup->out_prims; i++) {
        uint32_t vertex[3] = {subgroup->prims[i][0], subgroup->prims[i][1], subgroup->prims[i][2]};
        uint8_t edges = state->ngg ? RASTER_ALL_EDGES : subgroup->edges[i];
        if (state->ngg) {
            uint32_t word = subgroup->exported_prim[i];
            if (word >> 31)
                continue; /* a null primitive */
            for (unsigned k = 0; k < 3; k++)
                vertex[k] = k < count ? word >> k * 10 & 0x1ff : 0;
            if (state->export_edges)
                edges = (uint8_t)((word >> 9 & 1) | (word >> 18 & 2) | (word >> 27 & 4));
        }
        if (vertex[0] >= subgroup->out_vertices || vertex[1] >= MAX2(subgroup->out_vertices, 1u) ||
            vertex[2] >= MAX2(subgroup->out_vertices, 1u))
            continue;
        worker->pa.vertices.own =
            state->has_prim_params ? subgroup->params + (size_t)i * worker->pa.vertices.param_floats : NULL;
        if (state->has_payload)
            place_primitive(&worker->pa.vertices, subgroup->prim_payload[i]);
        raster_primitive(&worker->pa, state->kind, vertex, provoking, edges);
    }
    if (worker->pa.out_of_memory)
        amd_ge_fault_host(ge);
}
