/* RUN_IDVS: rounds of batches, and what happens in each (tiler_internal.h). RUN_FULLSCREEN: a batch of its own. */
#include <stdlib.h>
#include <string.h>

#include "mali/model/tiler/tiler_internal.h"
#include "util/bits.h"

/* ---- the tiler ---- */

bool mali_tiler_create(struct mali_gpu *gpu)
{
    struct mali_tiler *tiler = calloc(1, sizeof(*tiler));
    if (!tiler)
        return false;
    pthread_mutex_init(&tiler->lock, NULL);
    list_init(&tiler->jobs);
    gpu->tiler = tiler;
    return true;
}

static void destroy_job(struct tiler_job *job)
{
    for (unsigned i = 0; job->workers && i <= job->worker_count; i++)
        arena_finish(&job->workers[i].arena);
    mali_tiler_draw_finish(&job->draw);
    free(job->workers);
    free(job);
}

void mali_tiler_destroy(struct mali_gpu *gpu)
{
    if (!gpu->tiler)
        return;
    while (!list_is_empty(&gpu->tiler->jobs)) {
        struct tiler_job *job = container_of(gpu->tiler->jobs.next, struct tiler_job, node);
        list_remove(&job->node);
        destroy_job(job);
    }
    pthread_mutex_destroy(&gpu->tiler->lock);
    free(gpu->tiler);
    gpu->tiler = NULL;
}

static struct tiler_job *take_job(struct mali_gpu *gpu)
{
    struct tiler_job *job = NULL;
    pthread_mutex_lock(&gpu->tiler->lock);
    if (!list_is_empty(&gpu->tiler->jobs)) {
        job = container_of(gpu->tiler->jobs.next, struct tiler_job, node);
        list_remove(&job->node);
    }
    pthread_mutex_unlock(&gpu->tiler->lock);
    if (job)
        return job;
    job = calloc(1, sizeof(*job));
    if (!job)
        return NULL;
    job->worker_count = workers_count(gpu->workers);
    job->workers = calloc(job->worker_count + 1, sizeof(*job->workers)); /* the last one is the queue's own thread */
    if (!job->workers) {
        free(job);
        return NULL;
    }
    return job;
}

static void give_job_back(struct mali_gpu *gpu, struct tiler_job *job)
{
    pthread_mutex_lock(&gpu->tiler->lock);
    list_push_back(&gpu->tiler->jobs, &job->node);
    pthread_mutex_unlock(&gpu->tiler->lock);
}

/* ---- positions and primitives, on a worker ---- */

static bool no_memory(struct tiler_job *job)
{
    return mali_stop(job->draw.queue, GPU_STOP_BROKEN, "the host has no memory for the draw");
}

/* Where vertices are to the depth bounds, once for all primitives that they are of. Depths of vertices behind the eye
 * say nothing. */
static void find_depths(const struct tiler_draw *draw, const float (*pos)[RASTER_POS_VECTORS][4], size_t count,
                        uint8_t *depths_out)
{
    if (!draw->culls_low && !draw->culls_high) {
        memset(depths_out, 0, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const float z = pos[i][0][2];
        const bool is_before = pos[i][0][3] > 0;
        const bool is_below = draw->culls_low & is_before & (z < draw->depth_low);
        const bool is_above = draw->culls_high & is_before & (z > draw->depth_high);
        const bool is_within = is_before & (z >= draw->depth_low) & (z <= draw->depth_high);
        depths_out[i] = (uint8_t)((is_below ? TILER_DEPTH_BELOW : 0) | (is_above ? TILER_DEPTH_ABOVE : 0) |
                                  (is_within ? 0 : TILER_DEPTH_CUT));
    }
}

/* All primitives of the batch, in each view. */
static bool assemble_batch(struct tiler_job *job, struct tiler_worker *worker, struct tiler_batch *batch)
{
    struct tiler_draw *draw = &job->draw;
    struct raster_assembler *assembler = &worker->assembler;
    const unsigned provoking = draw->is_provoking_first ? 0 : draw->topology->vertices - 1u;
    struct tiler_source *source =
        arena_alloc(&worker->arena, (size_t)batch->prim_count * draw->view_count * sizeof(*source));
    if (!source)
        return no_memory(job);
    for (uint32_t i = 0; i < batch->prim_count; i++) {
        for (unsigned view = 0; view < draw->view_count; view++, source++) {
            uint32_t corners[3];
            for (unsigned c = 0; c < 3; c++)
                corners[c] = worker->corners[i][c] * draw->view_slots + draw->views[view];
            /* Wholly below or wholly above the bounds? */
            if (batch->depths[corners[0]] & batch->depths[corners[1]] & batch->depths[corners[2]] &
                (TILER_DEPTH_BELOW | TILER_DEPTH_ABOVE))
                continue;
            *source = (struct tiler_source){worker->primitive[i], provoking, view, 0};
            assembler->vertices.own = (const float *)source;
            raster_primitive(assembler, draw->topology->kind, corners, provoking, RASTER_ALL_EDGES);
        }
    }
    return !assembler->out_of_memory || no_memory(job);
}

/* Which vertices the primitives that are left have. */
static bool keep_vertices(struct tiler_job *job, struct tiler_worker *worker, struct tiler_batch *batch)
{
    batch->kept = arena_alloc(&worker->arena, batch->vertex_count * sizeof(*batch->kept));
    batch->place = arena_alloc(&worker->arena, batch->vertex_count * sizeof(*batch->place));
    batch->vertices = arena_alloc(&worker->arena, batch->vertex_count * sizeof(*batch->vertices));
    if (!batch->kept || !batch->place || !batch->vertices)
        return no_memory(job);
    memcpy(batch->vertices, worker->vertices, batch->vertex_count * sizeof(*batch->vertices));
    memset(batch->place, 0xff, batch->vertex_count * sizeof(*batch->place));
    for (const struct raster_block *block = batch->list.first; block; block = block->next) {
        for (uint32_t i = 0; i < block->count; i++) {
            for (unsigned c = 0; c < 3; c++) {
                uint32_t vertex = (uint32_t)(block->prims[i].params[c] - batch->marks) / job->draw.view_slots;
                if (batch->place[vertex] != UINT32_MAX)
                    continue;
                batch->place[vertex] = batch->kept_count;
                batch->kept[batch->kept_count++] = vertex;
            }
        }
    }
    return true;
}

static bool run_batch(struct tiler_job *job, struct tiler_worker *worker, struct mali_core *core, uint64_t fifo_va,
                      struct tiler_batch *batch)
{
    struct tiler_draw *draw = &job->draw;
    if (!mali_tiler_gather(draw, worker, batch))
        return false;
    const size_t count = (size_t)worker->vertex_count * draw->view_slots;
    float(*pos)[RASTER_POS_VECTORS][4] = arena_alloc(&worker->arena, count * sizeof(*pos));
    float *marks = arena_alloc(&worker->arena, count * sizeof(*marks));
    struct raster_place *places = arena_alloc(&worker->arena, count * sizeof(*places));
    uint8_t *depths = arena_alloc(&worker->arena, count);
    if (!pos || !marks || !places || !depths)
        return no_memory(job);
    if (!mali_tiler_positions(job, worker, core, fifo_va, pos))
        return false;
    memset(marks, 0, count * sizeof(*marks));
    batch->vertex_count = worker->vertex_count;
    batch->marks = marks;
    batch->pos = (const float(*)[RASTER_POS_VECTORS][4])pos;
    find_depths(draw, batch->pos, count, depths);
    batch->depths = depths;
    worker->assembler = (struct raster_assembler){
        .state = &draw->raster,
        .vertices = {.pos = batch->pos, .params = marks, .param_floats = 1},
        .arena = &worker->arena,
    };
    raster_place_vertices(&worker->assembler, draw->topology->kind, count, places);
    if (!assemble_batch(job, worker, batch))
        return false;
    batch->list = worker->assembler.list;
    batch->result_count = mali_tiler_drop_other_layers(draw, batch);
    return keep_vertices(job, worker, batch);
}

static bool enter_launch(struct tiler_job *job, unsigned number, const struct mali_launch *launch,
                         struct mali_core **core_out)
{
    *core_out = mali_sc_core(job->draw.queue, number);
    if (!*core_out || !mali_sc_enter(*core_out, launch))
        return mali_stop(job->draw.queue, GPU_STOP_BROKEN, "a worker cannot run the draw's programs");
    return true;
}

static bool turn_positions(struct workers_job *base, unsigned number)
{
    struct tiler_job *job = container_of(base, struct tiler_job, job);
    struct mali_core *core = NULL;
    const uint32_t slot = atomic_fetch_add(&job->fifo_slots, 1);
    if (slot >= job->fifo_slot_count)
        return false;
    const uint64_t fifo_va = job->draw.fifo_va + (uint64_t)slot * job->fifo_slot_B;
    for (;;) {
        uint32_t next = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (next >= job->batch_count || mali_is_stopped(job->draw.queue))
            return false;
        if (!core && !enter_launch(job, number, &job->draw.position, &core))
            return false;
        if (!run_batch(job, &job->workers[MIN2(number, job->worker_count)], core, fifo_va, &job->batches[next]))
            return false;
        mali_progress(job->draw.queue);
    }
}

static bool turn_varyings(struct workers_job *base, unsigned number)
{
    struct tiler_job *job = container_of(base, struct tiler_job, job);
    struct mali_core *core = NULL;
    for (;;) {
        uint32_t next = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (next >= job->last || mali_is_stopped(job->draw.queue))
            return false;
        if (!job->batches[next].result_count)
            continue;
        if (job->draw.has_varyings && !core && !enter_launch(job, number, &job->draw.varying, &core))
            return false;
        if ((job->draw.has_varyings && !mali_tiler_varyings(job, core, &job->batches[next])) ||
            !mali_tiler_write_records(&job->draw, &job->batches[next]))
            return false;
        mali_progress(job->draw.queue);
    }
}

/* One batch is not worth waking the workers for. */
static void run_turns(struct tiler_job *job, bool (*turn)(struct workers_job *job, unsigned worker), bool is_alone)
{
    struct mali_gpu *gpu = job->draw.queue->gpu;
    unsigned number;
    job->job = (struct workers_job){.turn = turn, .owner = job->draw.queue->group, .stage = STAT_VERTICES};
    job->job.units = turn == turn_varyings ? job->last - atomic_load(&job->next) : job->batch_count;
    if (!is_alone || !mali_sc_borrow(gpu, &number)) {
        workers_run(gpu->workers, &job->job);
        return;
    }
    const unsigned before = stat_enter(STAT_VERTICES);
    while (turn(&job->job, number))
        ;
    stat_leave(before);
    mali_sc_give_back(gpu, number);
}

/* ---- in order ---- */

static uint64_t varyings_B(const struct tiler_draw *draw, const struct tiler_batch *batch)
{
    return draw->has_varyings ? (uint64_t)batch->kept_count * draw->view_slots * draw->varying_B : 0;
}

/* Memory for what a batch leaves in the heap. `*draw_va` is the record of the draw; 0: it is not there yet. */
static enum tiler_room place_batch(struct tiler_job *job, struct tiler_batch *batch, bool may_wait, uint64_t *draw_va)
{
    struct tiler_draw *draw = &job->draw;
    struct tiler_context *context = &job->context;
    if (!batch->result_count)
        return TILER_ROOM;
    enum tiler_room room = mali_tiler_need_tables(context, draw, batch, may_wait);
    if (room != TILER_ROOM)
        return room;
    room = mali_tiler_reserve(
        context, TILER_DRAW_B + 128 + varyings_B(draw, batch) + mali_tiler_records_B(batch->result_count), may_wait);
    if (room != TILER_ROOM)
        return room;
    if (!*draw_va)
        *draw_va = mali_tiler_put_draw(context, draw);
    if (!*draw_va)
        return TILER_STOPPED;
    batch->draw_va = *draw_va;
    batch->varying_va = draw->has_varyings ? mali_tiler_take(context, varyings_B(draw, batch)) : 0;
    batch->records_va = mali_tiler_take(context, (uint64_t)batch->result_count * TILER_PRIM_B);
    batch->order = context->root.order + 1;
    context->root.order += batch->result_count;
    context->promised_B += 64 + mali_tiler_blocks_B(batch->result_count);
    return TILER_ROOM;
}

/* As many batches from `first` on as there is memory for, one at least: what they take is taken. 0: stopped. */
static uint32_t place_some(struct tiler_job *job, uint32_t first, uint64_t *draw_va)
{
    uint32_t placed = 0;
    while (first + placed < job->batch_count) {
        switch (place_batch(job, &job->batches[first + placed], placed == 0, draw_va)) {
        case TILER_ROOM:
            placed++;
            break;
        case TILER_ROOM_ANEW:
            *draw_va = 0;
            break;
        case TILER_FULL:
            return placed;
        case TILER_STOPPED:
            return 0;
        }
    }
    return placed;
}

static bool put_in_order(struct tiler_job *job, uint64_t *draw_va)
{
    for (uint32_t first = 0; first < job->batch_count;) {
        uint32_t placed = place_some(job, first, draw_va);
        if (!placed)
            return false;
        job->context.promised_B = 0;
        atomic_store(&job->next, first);
        job->last = first + placed;
        run_turns(job, turn_varyings, placed == 1);
        if (mali_is_stopped(job->draw.queue))
            return false;
        for (uint32_t i = 0; i < placed; i++) {
            if (!mali_tiler_put_batch(&job->context, &job->draw, &job->batches[first + i]))
                return false;
        }
        first += placed;
    }
    return true;
}

/* ---- rounds ---- */

/* Parts of the geometry buffer for workers, and how many primitives of a batch fit one. */
static uint32_t divide_fifo(struct tiler_job *job)
{
    const struct tiler_draw *draw = &job->draw;
    const uint32_t vertex_B = 16 * draw->elements * draw->view_slots, corners = draw->topology->vertices;
    uint32_t slots = draw->fifo_B / (vertex_B * corners * 32);
    slots = MAX2(1u, MIN2(slots, job->worker_count));
    job->fifo_slot_count = slots;
    job->fifo_slot_B = draw->fifo_B / slots & ~15u;
    uint32_t vertices = MIN2(job->fifo_slot_B / vertex_B, (uint32_t)TILER_BATCH_VERTICES);
    const uint64_t share = draw->prim_total / (2 * job->worker_count);
    return (uint32_t)MIN2(MAX2(share, 128), MIN2(draw->batch_prims, vertices / corners));
}

static bool run_round(struct tiler_job *job, uint64_t first_prim, uint32_t batch_prims, uint64_t *draw_va)
{
    const struct tiler_draw *draw = &job->draw;
    job->batch_count = 0;
    for (uint64_t prim = first_prim; prim < draw->prim_total && job->batch_count < TILER_ROUND_BATCHES;
         prim += batch_prims)
        job->batches[job->batch_count++] = (struct tiler_batch){
            .first_prim = prim, .prim_count = (uint32_t)MIN2(draw->prim_total - prim, (uint64_t)batch_prims)};
    for (unsigned i = 0; i <= job->worker_count; i++)
        arena_reset(&job->workers[i].arena);
    atomic_store(&job->next, 0);
    atomic_store(&job->fifo_slots, 0);
    run_turns(job, turn_positions, job->batch_count == 1);
    if (mali_is_stopped(draw->queue))
        return false;
    return put_in_order(job, draw_va);
}

static bool run_draw(struct tiler_job *job)
{
    struct tiler_draw *draw = &job->draw;
    const uint32_t batch_prims = divide_fifo(job);
    uint64_t draw_va = 0;
    for (uint64_t prim = 0; prim < draw->prim_total; prim += (uint64_t)batch_prims * TILER_ROUND_BATCHES) {
        if (mali_is_killed(draw->queue))
            return mali_stop(draw->queue, GPU_STOP_KILLED, "killed in RUN_IDVS");
        if (!run_round(job, prim, batch_prims, &draw_va))
            return false;
    }
    return mali_tiler_context_write(&job->context);
}

bool mali_tiler_run_idvs(struct mali_run *run)
{
    struct mali_gpu *gpu = run->queue->gpu;
    struct tiler_job *job = take_job(gpu);
    if (!job)
        return mali_stop(run->queue, GPU_STOP_BROKEN, "the host has no memory for the draw");
    bool is_empty = true;
    bool is_ok = mali_tiler_context_read(&job->context, run->queue, mali_run_reg64(run, MALI_SR(IDVS_TILER_CONTEXT))) &&
                 mali_tiler_draw_init(&job->draw, run, &job->context, &is_empty);
    if (is_ok && !is_empty)
        is_ok = run_draw(job);
    give_job_back(gpu, job);
    return is_ok;
}

/* ---- without vertices ---- */

/* A primitive for each view: all pixels of the scissor, at depth 0 before the bias. */
static bool put_fullscreen(struct tiler_job *job)
{
    static const float pos[1][RASTER_POS_VECTORS][4], mark[1];
    static const uint8_t depths[1];
    const struct tiler_draw *draw = &job->draw;
    const int32_t *scissor = draw->raster.viewports[0].scissor;
    struct tiler_source sources[TILER_VIEWS] = {0};
    struct raster_block block = {.count = draw->view_count};
    uint64_t draw_va = 0;
    if (scissor[0] >= scissor[2] || scissor[1] >= scissor[3])
        return true;
    for (unsigned view = 0; view < draw->view_count; view++) {
        sources[view].view = view;
        block.prims[view] = (struct raster_prim){
            .x0 = scissor[0],
            .y0 = scissor[1],
            .x1 = scissor[2],
            .y1 = scissor[3],
            .w = {.at = 1},
            .params = {mark, mark, mark},
            .own = (const float *)&sources[view],
            .is_linear = true,
        };
    }
    job->batches[0] = (struct tiler_batch){.list = {&block, &block}, .pos = pos, .depths = depths, .marks = mark};
    job->batches[0].result_count = mali_tiler_drop_other_layers(draw, &job->batches[0]);
    job->batch_count = 1;
    return put_in_order(job, &draw_va) && mali_tiler_context_write(&job->context);
}

bool mali_tiler_run_fullscreen(struct mali_run *run)
{
    struct mali_gpu *gpu = run->queue->gpu;
    struct tiler_job *job = take_job(gpu);
    if (!job)
        return mali_stop(run->queue, GPU_STOP_BROKEN, "the host has no memory for the draw");
    bool is_ok = mali_tiler_context_read(&job->context, run->queue, mali_run_reg64(run, MALI_SR(IDVS_TILER_CONTEXT))) &&
                 mali_tiler_fullscreen_init(&job->draw, run, &job->context) && put_fullscreen(job);
    give_job_back(gpu, job);
    return is_ok;
}

/* It has no user: PanVK and panfrost draw with the other two. */
bool mali_tiler_run_tiling(struct mali_run *run)
{
    return mali_stop(run->queue, GPU_STOP_UNIMPLEMENTED, "RUN_TILING is not modelled");
}
