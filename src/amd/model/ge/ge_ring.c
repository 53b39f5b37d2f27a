/* Geometry shaders without NGG. Vertices and primitives run as waves of one program, as they do with NGG. What the
 * shader emits it writes to a ring in memory, by itself, and reports by messages; when a subgroup has ended, the
 * emitted vertices go through a second program, the copy shader, which runs as a vertex shader does: it reads the ring,
 * writes stream out's buffers and exports what is drawn.
 *
 * In the ring a wave has 64 threads' items of all streams. Sixteen threads stand side by side: of a stream with c
 * dwords a vertex, of shaders that emit v vertices, dword d of vertex n of thread t lies at
 *
 *     wave + first[stream] * 64 + (t / 16) * c * v * 16 + (d * v + n) * 16 + t % 16
 *
 * dwords, and the copy shader receives the number of its vertex's first dword. */
#include <stdlib.h>
#include <string.h>

#include "amd/model/ge/ge.h"
#include "amd/model/register_fields.h"
#include "amd/model/sq/sq_code.h"
#include "util/bits.h"

#define THREADS 64 /* of a wave; there are no others */
#define SIDE_BY_SIDE 16

/* A message's operation, [5:4]. */
enum {
    OP_CUT = 1,
    OP_EMIT = 2,
};

const char *amd_ge_ring_read(struct ge_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    struct ge_ring *ring = &state->ring;
    ring->item_dw = GET(VGT_GSVS_RING_ITEMSIZE).ITEMSIZE;
    ring->first_dw[1] = GET(VGT_GSVS_RING_OFFSET_1).OFFSET;
    ring->first_dw[2] = GET(VGT_GSVS_RING_OFFSET_2).OFFSET;
    ring->first_dw[3] = GET(VGT_GSVS_RING_OFFSET_3).OFFSET;
    for (unsigned i = 0; i < CP_STREAMS; i++)
        ring->vertex_dw[i] = GET_AT(VGT_GS_VERT_ITEMSIZE, i).ITEMSIZE;
    ring->size_B = (uint64_t)GET_WORD(VGT_GSVS_RING_SIZE) * 256;
    ring->waves = (uint32_t)div_round_up(MAX2(state->max_vertices, state->max_prims * state->gs_instances), THREADS);
    if (state->stage.lanes != THREADS)
        return "a geometry shader in waves of 32 without NGG (VGT_SHADER_STAGES_EN)";
    if ((uint64_t)ring->waves * ring->item_dw * THREADS * 4 > ring->size_B)
        return "a ring without room for a subgroup of a geometry shader (VGT_GSVS_RING_SIZE)";
    return NULL;
}

static uint64_t subgroup_B(const struct ge_ring *ring)
{
    return (uint64_t)ring->waves * ring->item_dw * THREADS * 4;
}

bool amd_ge_ring_is_ordered(const struct ge *ge)
{
    const struct ge_state *state = &ge->pipeline.ge;
    return state->has_ring && (ge->streamout.streams || subgroup_B(&state->ring) * ge->slots > state->ring.size_B);
}

uint32_t amd_ge_ring_offset_B(const struct ge *ge, const struct ge_worker *worker, uint32_t wave)
{
    const struct ge_ring *ring = &ge->pipeline.ge.ring;
    return (uint32_t)((uint64_t)(worker - ge->worker) * subgroup_B(ring)) + wave * ring->item_dw * THREADS * 4;
}

/* ---- what is emitted ---- */

bool amd_ge_ring_begin(struct ge *ge, struct ge_worker *worker, uint32_t threads)
{
    struct ge_emitted *emitted = &worker->emitted;
    const uint32_t cut_words = (uint32_t)div_round_up(ge->pipeline.ge.gs_max_out + 1, 32);
    const uint64_t cuts_B = (uint64_t)threads * CP_STREAMS * cut_words * 4,
                   need_B = cuts_B + (uint64_t)threads * CP_STREAMS * 2;
    emitted->threads = 0;
    if (need_B > emitted->room_B) {
        free(emitted->cuts);
        emitted->cuts = malloc(need_B);
        emitted->room_B = emitted->cuts ? need_B : 0;
    }
    if (!emitted->cuts)
        return false;
    memset(emitted->cuts, 0, need_B);
    emitted->counts = (uint16_t *)(emitted->cuts + cuts_B / 4);
    emitted->threads = threads;
    emitted->max_vertices = ge->pipeline.ge.gs_max_out;
    emitted->cut_words = cut_words;
    emitted->stream = emitted->thread = emitted->vertex = emitted->in_strip = 0;
    return true;
}

void amd_ge_ring_message(struct sq_wave *wave, const struct sq_uop *uop, uint32_t message)
{
    struct ge_worker *worker = wave->owner;
    struct ge_emitted *emitted = &worker->emitted;
    const uint32_t operation = message >> 4 & 3, stream = message >> 8 & 3, first = wave->wave_in_group * wave->lanes;
    const uint64_t exec = sq_exec(wave);
    bits_foreach (exec, lane) {
        const uint32_t slot = (first + (uint32_t)lane) * CP_STREAMS + stream;
        if (first + lane >= emitted->threads) {
            amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a vertex of a lane without a primitive");
            return;
        }
        if (operation & OP_EMIT) {
            if (emitted->counts[slot] >= emitted->max_vertices) {
                amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "more vertices than VGT_GS_MAX_VERT_OUT");
                return;
            }
            emitted->counts[slot]++;
        }
        if (operation & OP_CUT)
            emitted->cuts[slot * emitted->cut_words + emitted->counts[slot] / 32] |= 1u << emitted->counts[slot] % 32;
    }
}

/* ---- what is copied ---- */

/* The place of a vertex of the thread that is looked at. */
static uint32_t place_dw(const struct ge *ge, const struct ge_worker *worker, uint32_t vertex)
{
    const struct ge_state *state = &ge->pipeline.ge;
    const struct ge_ring *ring = &state->ring;
    const struct ge_emitted *emitted = &worker->emitted;
    const uint32_t wave = emitted->thread / THREADS, lane = emitted->thread % THREADS, stream = emitted->stream;
    return amd_ge_ring_offset_B(ge, worker, wave) / 4 + ring->first_dw[stream] * THREADS +
           lane / SIDE_BY_SIDE * ring->vertex_dw[stream] * state->gs_max_out * SIDE_BY_SIDE + vertex * SIDE_BY_SIDE +
           lane % SIDE_BY_SIDE;
}

/* Every other triangle of a strip has two vertices exchanged, so that all face the same way and the one that provokes
 * stays where it is. */
static void add_prim(const struct ge *ge, struct ge_worker *worker, uint32_t vertices, bool is_odd)
{
    struct ge_subgroup *subgroup = &worker->subgroup;
    const uint32_t first = worker->emitted.vertex + 1 - vertices, prim = subgroup->prim_count++;
    uint32_t order[3] = {0, 1, 2};
    if (vertices == 3 && is_odd) {
        const bool last = ge->pipeline.ge.provoking_last;
        order[0] = last;
        order[1] = last ? 0 : 2;
        order[2] = last ? 2 : 1;
    }
    for (uint32_t i = 0; i < 3; i++)
        subgroup->prims[prim][i] = (uint16_t)(subgroup->vertex_count + (i < vertices ? i : 0));
    for (uint32_t i = 0; i < vertices; i++)
        subgroup->vertex_id[subgroup->vertex_count++] = place_dw(ge, worker, first + order[i]);
    subgroup->edges[prim] = RASTER_ALL_EDGES;
}

/* Goes on at the next vertex, and returns false at the end of the stream. */
static bool step_vertex(struct ge_emitted *emitted)
{
    while (emitted->thread < emitted->threads) {
        if (emitted->vertex < emitted->counts[emitted->thread * CP_STREAMS + emitted->stream])
            return true;
        emitted->thread++;
        emitted->vertex = emitted->in_strip = 0;
    }
    return false;
}

/* Primitives of the stream in hand, as many as a wave has room for. */
static void take_prims(const struct ge *ge, struct ge_worker *worker)
{
    struct ge_emitted *emitted = &worker->emitted;
    const uint32_t vertices = ge->streamout.vertices, room = ge->pipeline.ge.ring.copy.lanes / vertices;
    worker->subgroup.vertex_count = worker->subgroup.prim_count = 0;
    while (worker->subgroup.prim_count < room && step_vertex(emitted)) {
        const uint32_t slot = emitted->thread * CP_STREAMS + emitted->stream,
                       word = emitted->cuts[slot * emitted->cut_words + emitted->vertex / 32];
        if (word >> emitted->vertex % 32 & 1)
            emitted->in_strip = 0;
        if (++emitted->in_strip >= vertices)
            add_prim(ge, worker, vertices, (emitted->in_strip - vertices) & 1);
        emitted->vertex++;
    }
}

bool amd_ge_ring_next(struct ge *ge, struct ge_worker *worker)
{
    struct ge_emitted *emitted = &worker->emitted;
    struct ge_streamout *out = &ge->streamout;
    for (; emitted->stream < CP_STREAMS; emitted->stream++) {
        const bool is_counted = out->streams >> emitted->stream & 1;
        for (;;) {
            take_prims(ge, worker);
            const uint32_t count = worker->subgroup.prim_count;
            if (!count)
                break;
            worker->gs_primitives += count;
            worker->subgroup.first_prim = is_counted ? out->needs[emitted->stream] : 0;
            if (is_counted)
                out->needs[emitted->stream] += count;
            worker->subgroup.gs_per_prim = 1;
            if (emitted->stream == 0 || out->buffers[emitted->stream])
                return true;
        }
        emitted->thread = emitted->vertex = emitted->in_strip = 0;
    }
    emitted->threads = 0;
    return false;
}
