/* Groups: small draws that follow each other and differ in what their vertices read alone, as meshes at several places
 * or parts of one do. Each has its geometry by itself, into one list of primitives; then their pixels are shaded
 * together, in the order of the list, as if they were one draw: waves are full, and what a draw costs besides is paid
 * once.
 *
 * To a shader that cannot be seen but by lanes that look at each other: those of a wave may be of several draws then.
 * So a group begins only when an earlier draw of the same state has found that its pixel program works lane by lane. */
#include "amd/model/ge/ge.h"
#include "util/bits.h"

static bool has_same_gds(const struct sq_gds *a, const struct sq_gds *b)
{
    return a->data == b->data && a->size_B == b->size_B && a->gws == b->gws && a->gws_count == b->gws_count;
}

static bool is_same_job(const struct ge_draw *a, const struct ge_draw *b)
{
    return a->memory == b->memory && a->registers == b->registers && a->counters == b->counters &&
           a->killed == b->killed && has_same_gds(&a->gds, &b->gds) && a->vertex_perf == b->vertex_perf &&
           a->pixel_perf == b->pixel_perf;
}

/* Draws of nothing but vertices and the primitives that they are assembled to. */
static bool is_plain(const struct ge *ge)
{
    const struct ge_pipeline *p = &ge->pipeline;
    return !p->ge.hull.is_on && !p->ge.has_ring && !p->ge.is_mesh && !p->ge.streamout && !ge->streamout.streams &&
           !(p->pa.stipple && p->pa.stipple_goes_on) && !p->rates.is_on;
}

bool amd_ge_group_takes(const struct ge *ge, const struct ge_draw *draw)
{
    return ge->group_count < GE_GROUP_DRAWS && !ge->group_is_large && ge->batch_count <= 1 &&
           (uint64_t)draw->count * draw->instance_count <= GE_BATCH_PRIMS && ge->pipeline_of == draw->registers &&
           ge->pipeline_generation == draw->registers->generation && ge->draw->indexed == draw->indexed &&
           ge->draw->initiator == draw->initiator && is_same_job(ge->draw, draw) && is_plain(ge) &&
           amd_spi_stage_has_user_data(&ge->pipeline.ps.stage, draw->registers);
}

/* As binning will find it (ge_is_small). */
void amd_ge_group_note(struct ge *ge, uint64_t number)
{
    const uint32_t before = ge->group_count ? ge->group[ge->group_count - 1].prims : 0;
    const struct raster_block *block = ge->batch_count ? ge->batches[0].list.first : NULL;
    uint32_t prims = 0, x0 = UINT32_MAX, y0 = UINT32_MAX, x1 = 0, y1 = 0;
    uint64_t area = 0;
    for (; block; block = block->next) {
        for (uint32_t i = before > prims ? before - prims : 0; i < block->count; i++) {
            const struct raster_prim *prim = &block->prims[i];
            area += (uint64_t)(uint32_t)(prim->x1 - prim->x0) * (uint32_t)(prim->y1 - prim->y0);
            x0 = MIN2(x0, (uint32_t)prim->x0);
            y0 = MIN2(y0, (uint32_t)prim->y0);
            x1 = MAX2(x1, (uint32_t)prim->x1 - 1);
            y1 = MAX2(y1, (uint32_t)prim->y1 - 1);
        }
        prims += block->count;
    }
    ge->group_is_large = area > GE_ALONE_PIXELS && ((x0 ^ x1) | (y0 ^ y1)) >> SC_TILE_LOG2;
    ge->group[ge->group_count].number = number;
    ge->group[ge->group_count++].prims = prims;
}

/* A draw that has failed leaves nothing. */
static void cut_list(struct raster_list *list, const struct raster_list *before, uint32_t count)
{
    *list = *before;
    if (list->last) {
        list->last->next = NULL;
        list->last->count = count;
    }
}

bool amd_ge_group_add(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out)
{
    struct raster_list *list = &ge->batches[0].list;
    if (!ge->batch_count)
        *list = (struct raster_list){0};
    const struct raster_list before = *list;
    const uint32_t count = before.last ? before.last->count : 0;
    ge->own_draw = *draw;
    stat_count(STAT_DRAWS);
    amd_spi_stage_read_user_data(&ge->pipeline.ge.stage, draw->registers);
    amd_ge_renew_textures(ge);
    bool is_done = amd_ge_index_begin(ge);
    ge->next_prim = ge->prim_total;
    if (is_done && ge->prim_total) {
        amd_ge_note_input(ge);
        ge->batches[0] = (struct ge_batch){.prim_count = (uint32_t)ge->prim_total, .list = before};
        ge->batch_count = 1;
        amd_ge_run_batches(ge);
        is_done = !ge_is_stopped(ge);
    }
    if (is_done) {
        amd_ge_group_note(ge, draw->number);
        return true;
    }
    cut_list(&ge->batches[0].list, &before, count);
    *result_out = ge->result;
    result_out->number = draw->number;
    ge->result = (struct ge_result){0};
    atomic_store(&ge->stop, false);
    return false;
}

void amd_ge_group_blame(struct ge *ge, const struct raster_prim *prim)
{
    uint32_t number = 0;
    if (ge->group_count < 2)
        return;
    for (const struct raster_block *block = ge->batches[0].list.first; block; block = block->next) {
        if (prim >= block->prims && prim < block->prims + block->count) {
            number += (uint32_t)(prim - block->prims);
            break;
        }
        number += block->count;
    }
    uint32_t of = 0;
    while (of + 1 < ge->group_count && number >= ge->group[of].prims)
        of++;
    pthread_mutex_lock(&ge->fault_lock);
    if (!ge->result.number)
        ge->result.number = ge->group[of].number;
    pthread_mutex_unlock(&ge->fault_lock);
}
