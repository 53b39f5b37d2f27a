/* The vertex stage of a batch: waves of its vertices, then its primitives to stream out and to primitive assembly. */
#include <string.h>

#include "adreno/model/pc/pc.h"
#include "util/bits.h"

static bool run_wave(struct adreno_pc *pc, struct pc_worker *worker, uint32_t first, uint32_t count)
{
    struct pc_vertices *vertices = &worker->vertices;
    const struct vfd_lanes lanes = {
        .count = count,
        .vertex_id = vertices->vertex_id + first,
        .instance = vertices->instance + first,
        .prim_id = vertices->prim_id + first,
        .view = vertices->view + first,
    };
    struct adreno_wave *wave = adreno_sp_begin(worker->sp, &pc->vertex_launch);
    if (!wave)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "no vertex wave could be launched");
    wave->launched = wave->covered = lane_mask_first(count);
    adreno_wave_run_lanes(wave, wave->launched);
    if (!adreno_vfd_load(&pc->vfd, pc->gpu, &lanes, wave))
        return false;
    if (!adreno_sp_run(wave)) {
        adreno_sp_report(pc->gpu, wave);
        return false;
    }
    adreno_vpc_take(&pc->vpc, wave, count, lanes.view, vertices->pos + first,
                    vertices->records + (size_t)first * pc->vpc.record_dw);
    worker->vs_invocations += count;
    return true;
}

bool adreno_pc_shade_vertices(struct adreno_pc *pc, struct pc_worker *worker)
{
    struct pc_vertices *vertices = &worker->vertices;
    /* Room for the corners that rectangles add. */
    size_t records = pc->state.kind == RASTER_RECT ? PC_MAX_VERTICES : vertices->count;
    vertices->records = arena_alloc(&worker->arena, MAX2(records * pc->vpc.record_dw, 1) * sizeof(float));
    if (!vertices->records)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    for (uint32_t first = 0; first < vertices->count; first += pc->vertex_launch.lanes) {
        if (!run_wave(pc, worker, first, MIN2(vertices->count - first, pc->vertex_launch.lanes)))
            return false;
    }
    return true;
}

/* A rectangle's corner across from both of its vertices: the second one with a coordinate of the first. */
static uint32_t add_corner(struct adreno_pc *pc, struct pc_vertices *vertices, const struct pc_prim *prim,
                           unsigned axis)
{
    const uint32_t record_dw = pc->vpc.record_dw, corner = vertices->count++;
    memcpy(vertices->pos[corner], vertices->pos[prim->vertex[1]], sizeof(vertices->pos[corner]));
    vertices->pos[corner][0][axis] = vertices->pos[prim->vertex[0]][0][axis];
    memcpy(vertices->records + (size_t)corner * record_dw, vertices->records + (size_t)prim->vertex[1] * record_dw,
           record_dw * sizeof(float));
    return corner;
}

static bool write_stream(struct adreno_pc *pc, const struct pc_vertices *vertices, const struct pc_prim *prim)
{
    const float *records[3];
    for (unsigned i = 0; i < 3; i++) {
        unsigned vertex = i < pc->state.vertices ? i : 0;
        records[i] = vertices->records + (size_t)prim->vertex[vertex] * pc->vpc.record_dw;
    }
    return adreno_vpc_streamout_write(&pc->streamout, pc->gpu, 0, prim->number, records);
}

/* The primitive's own words, where fragments read them. */
static bool set_own(struct adreno_pc *pc, struct pc_worker *worker, const struct pc_prim *prim)
{
    float *own = arena_alloc(&worker->arena, VPC_OWN_COUNT * sizeof(*own));
    if (!own)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    own[VPC_OWN_PRIM_ID] = bits_float(prim->id);
    own[VPC_OWN_VIEW_ID] = bits_float(prim->view);
    worker->assembler.vertices.own = own;
    return true;
}

/* A binning pass wants to know where the parts are and what they hide, and then forgets them. */
static void mark_parts(struct adreno_pc *pc, struct pc_worker *worker, uint64_t prim)
{
    struct raster_list *list = &worker->assembler.list;
    for (struct raster_block *block = list->first; block; block = block->next) {
        for (uint32_t i = 0; i < block->count; i++) {
            const struct raster_prim *part = &block->prims[i];
            if (pc->vsc.is_writing)
                adreno_vsc_mark(&pc->vsc, prim, part);
            if (pc->lrz.has_write)
                adreno_gras_lrz_write(&pc->lrz, part, part->x0, part->y0, part->x1, part->y1);
        }
        block->count = 0;
    }
    if (list->first)
        list->first->next = NULL;
    list->last = list->first;
}

bool adreno_pc_take_primitive(struct adreno_pc *pc, struct pc_worker *worker, const struct pc_prim *prim,
                              const uint32_t corners[3])
{
    const struct pc_state *state = &pc->state;
    if (pc->vpc.has_own && !set_own(pc, worker, prim))
        return false;
    raster_primitive(&worker->assembler, state->kind, corners, state->provoking_last ? state->vertices - 1u : 0,
                     RASTER_ALL_EDGES);
    if (pc->draw->pass == ADRENO_PASS_BINNING)
        mark_parts(pc, worker, prim->number);
    if (worker->assembler.out_of_memory)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    return true;
}

bool adreno_pc_assemble(struct adreno_pc *pc, struct pc_worker *worker)
{
    struct pc_vertices *vertices = &worker->vertices;
    worker->assembler.vertices = (struct raster_vertices){
        .pos = (const float(*)[RASTER_POS_VECTORS][4])vertices->pos,
        .params = vertices->records,
        .param_floats = pc->vpc.record_dw,
    };
    raster_place_vertices(&worker->assembler, pc->state.kind, vertices->count, vertices->places);
    for (uint32_t p = 0; p < worker->prim_count; p++) {
        const struct pc_prim *prim = &worker->prims[p];
        uint32_t corners[3] = {prim->vertex[0], prim->vertex[1], prim->vertex[2]};
        if (pc->streamout.is_on && !write_stream(pc, vertices, prim))
            return false;
        if (pc->state.kind == RASTER_RECT) {
            corners[1] = add_corner(pc, vertices, prim, 1);
            corners[2] = add_corner(pc, vertices, prim, 0);
        }
        if (!adreno_pc_take_primitive(pc, worker, prim, corners))
            return false;
    }
    return true;
}
