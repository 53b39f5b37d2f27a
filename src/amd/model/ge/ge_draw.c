/* A draw, as the command processor calls it (ge_draw.h). */
#include "amd/model/ge/ge_draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "amd/hw/chip.h"
#include "amd/hw/regs_ta.h"
#include "amd/model/ge/ge.h"
#include "amd/model/register_fields.h"
#include "util/bits.h"
#include "util/debug.h"

static bool create_worker(struct ge_worker *worker, struct ge_shader *shader, unsigned slot)
{
    worker->vertex_group = amd_sq_workgroup_create(slot);
    shader->ps.group = amd_sq_workgroup_create(slot);
    shader->ps.joined_group = amd_spi_ps_joined_create(slot);
    shader->quads =
        malloc((SC_TILE_QUADS * RASTER_MAX_SAMPLES + SPI_PS_QUADS + GE_QUADS_BEHIND) * sizeof(*shader->quads));
    return worker->vertex_group && shader->ps.group && shader->ps.joined_group && shader->quads;
}

static void destroy_worker(struct ge_worker *worker, struct ge_shader *shader)
{
    amd_sq_workgroup_destroy(worker->vertex_group);
    amd_ge_hull_destroy(worker->hull);
    free(worker->emitted.cuts);
    amd_sq_workgroup_destroy(shader->ps.group);
    amd_sq_workgroup_destroy(shader->ps.joined_group);
    free(shader->quads);
}

/* Pages that are not touched cost nothing. */
static bool create_workers(struct ge *ge)
{
    const size_t workers_B = ge->slots * sizeof(*ge->worker);
    ge->worker_memory = calloc(1, workers_B + ge->slots * sizeof(*ge->shader) + 64);
    if (!ge->worker_memory)
        return false;
    ge->worker = (struct ge_worker *)align_u64((uintptr_t)ge->worker_memory, 64);
    ge->shader = (struct ge_shader *)((uint8_t *)ge->worker + workers_B);
    bool good = true;
    for (unsigned i = 0; i < ge->slots; i++)
        good &= create_worker(&ge->worker[i], &ge->shader[i], i);
    return good;
}

/* `front`: whose workers it has; NULL: it has its own. */
static struct ge *create_ge(const struct amd_chip *chip, struct workers *workers, struct spi *spi, struct ge *front)
{
    struct ge *ge = calloc(1, sizeof(*ge));
    if (!ge)
        return NULL;
    ge->chip = chip;
    ge->workers = workers;
    ge->spi = spi;
    ge->slots = workers_count(workers);
    ge->front = front ? front : ge;
    ge->worker = ge->front->worker;
    ge->shader = ge->front->shader;
    pthread_mutex_init(&ge->fault_lock, NULL);
    ge->arenas = calloc(ge->slots, sizeof(*ge->arenas));
    if (!ge->arenas || (!front && !create_workers(ge))) {
        amd_ge_destroy(ge);
        return NULL;
    }
    return ge;
}

struct ge *amd_ge_create_context(struct ge *front)
{
    return create_ge(front->chip, front->workers, front->spi, front);
}

/* Strict mode looks at registers while it draws, coherence at each draw. */
struct ge *amd_ge_create(const struct amd_chip *chip, struct workers *workers, struct spi *spi)
{
    struct ge *ge = create_ge(chip, workers, spi, NULL);
    if (!ge || debug_enabled(DEBUG_STRICT) || debug_enabled(DEBUG_COHERENCE))
        return ge;
    ge->queue = amd_ge_queue_create(ge);
    if (ge->queue)
        return ge;
    amd_ge_destroy(ge);
    return NULL;
}

void amd_ge_destroy(struct ge *ge)
{
    if (!ge)
        return;
    amd_ge_queue_destroy(ge->queue);
    for (unsigned i = 0; ge->worker_memory && i < ge->slots; i++)
        destroy_worker(&ge->worker[i], &ge->shader[i]);
    for (unsigned i = 0; ge->arenas && i < ge->slots; i++)
        arena_finish(&ge->arenas[i]);
    free(ge->arenas);
    array_finish(&ge->runs);
    array_finish(&ge->bins);
    array_finish(&ge->refs);
    array_finish(&ge->order);
    pthread_mutex_destroy(&ge->fault_lock);
    free(ge->worker_memory);
    free(ge);
}

uint64_t amd_ge_progress(const struct ge *ge)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < ge->slots; i++)
        sum += atomic_load_explicit(&ge->worker[i].progress, memory_order_relaxed) +
               atomic_load_explicit(&ge->shader[i].progress, memory_order_relaxed);
    return sum;
}

/* ---- the end of a draw ---- */

static void set_result(struct ge *ge, const struct ge_result *result)
{
    pthread_mutex_lock(&ge->fault_lock);
    if (!ge->result.error)
        ge->result = *result;
    pthread_mutex_unlock(&ge->fault_lock);
    atomic_store(&ge->stop, true);
}

void amd_ge_fault_memory(struct ge *ge, const char *why, uint64_t va, bool is_write)
{
    set_result(ge, &(struct ge_result){.error = -EFAULT,
                                       .why = why,
                                       .fault = {.kind = SQ_FAULT_MEMORY, .va = va, .is_write = is_write}});
}

void amd_ge_fault_shader(struct ge *ge, const char *stage, const struct spi_stage *state, const struct sq_fault *fault)
{
    static const int errors[] = {[SQ_FAULT_MEMORY] = -EFAULT,
                                 [SQ_FAULT_INSTRUCTION] = -ENOSYS,
                                 [SQ_FAULT_STRICT] = -EIO,
                                 [SQ_FAULT_KILLED] = -ETIME};
    set_result(ge, &(struct ge_result){.error = errors[fault->kind],
                                       .why = fault->why,
                                       .in_shader = true,
                                       .fault = *fault,
                                       .program_va = state->program_va,
                                       .wave_size = state->lanes,
                                       .stage = stage});
}

void amd_ge_fault_host(struct ge *ge)
{
    set_result(ge, &(struct ge_result){.error = -EIO, .why = "the host has no memory for the draw"});
}

void amd_ge_fault_stop(struct ge *ge, const char *why)
{
    set_result(ge, &(struct ge_result){.error = -ENOSYS, .why = why});
}

void amd_ge_fault_killed(struct ge *ge)
{
    set_result(ge, &(struct ge_result){.error = -ETIME, .why = "killed"});
}

/* ---- rounds ---- */

struct round_job {
    struct workers_job job;
    struct ge *ge;
};

static bool geometry_turn(struct workers_job *job, unsigned worker)
{
    return amd_ge_round_geometry(((struct round_job *)job)->ge, worker);
}

static bool shade_turn(struct workers_job *job, unsigned worker)
{
    return amd_ge_round_shade(((struct round_job *)job)->ge, worker);
}

struct part {
    bool (*turn)(struct workers_job *job, unsigned worker);
    enum stat_stage stage;
};
static const struct part geometry = {geometry_turn, STAT_VERTICES}, shading = {shade_turn, STAT_RASTER};

/* `alone`: there is nothing to share, or not enough of it to wake the workers for. `units`: what can be shared. */
static void run_part(struct ge *ge, const struct part *part, uint32_t units, bool alone)
{
    struct round_job job = {.job = {.turn = part->turn, .is_shared = true}, .ge = ge};
    /* a worker may decode anew when a job begins */
    struct ge_numbers *numbers = &ge->front->numbers;
    ge->hull_launch.serial = ge->vertex_launch.serial = ++numbers->vertex_launches;
    ge->copy_launch.serial = ++numbers->vertex_launches;
    if (part == &shading)
        ge->pixel_launch.serial = ++ge->shader[0].launches;
    ge->alone = alone;
    ge->alone_slot = amd_spi_outside(ge->spi);
    if (!alone) {
        job.job.stage = part->stage;
        job.job.units = units;
        workers_run(ge->workers, &job.job);
        return;
    }
    const unsigned before = stat_enter(part->stage);
    while (part->turn(&job.job, 0))
        ;
    stat_leave(before);
}

bool amd_ge_bin(struct ge *ge)
{
    const unsigned before = stat_enter(STAT_RASTER);
    const bool is_done = amd_ge_round_bin(ge);
    stat_leave(before);
    return is_done;
}

static uint64_t fill_batches(struct ge *ge, uint64_t next)
{
    const uint32_t of_batch = ge->pipeline.ge.hull.is_on ? ge->pipeline.ge.hull.patches : GE_BATCH_PRIMS;
    ge->batch_count = 0;
    while (next < ge->prim_total && ge->batch_count < ge->round_batches) {
        uint32_t count = (uint32_t)MIN2(ge->prim_total - next, (uint64_t)of_batch);
        ge->batches[ge->batch_count++] = (struct ge_batch){.first_prim = next, .prim_count = count};
        next += count;
    }
    return next;
}

/* The number of primitives that a patch becomes is not known before: as many as made a round of the right size. */
static void fit_round(struct ge *ge)
{
    uint64_t prims = 0;
    for (uint32_t b = 0; b < ge->batch_count; b++) {
        for (const struct raster_block *block = ge->batches[b].list.first; block; block = block->next)
            prims += block->count;
    }
    if (prims > GE_ROUND_PRIMS)
        ge->round_batches = MAX2(ge->round_batches / 2, ge->slots);
    else if (prims < GE_ROUND_PRIMS / 4)
        ge->round_batches = MIN2(ge->round_batches * 2, GE_ROUND_BATCHES);
}

void amd_ge_run_batches(struct ge *ge)
{
    const bool is_tessellated = ge->pipeline.ge.hull.is_on;
    for (unsigned i = 0; i < ge->slots; i++)
        ge->worker[i].batch = UINT32_MAX;
    atomic_store_explicit(&ge->next_batch, 0, memory_order_relaxed);
    run_part(ge, &geometry, ge->batch_count,
             ge->batch_count == 1 || (is_tessellated && ge->streamout.streams) || amd_ge_ring_is_ordered(ge));
}

/* The next round, but for binning. */
static bool run_geometry(struct ge *ge)
{
    ge->next_prim = fill_batches(ge, ge->next_prim);
    for (unsigned i = 0; i < ge->slots; i++)
        arena_reset(&ge->arenas[i]);
    atomic_store_explicit(&ge->next_tile, 0, memory_order_relaxed);
    amd_ge_run_batches(ge);
    if (ge->pipeline.ge.hull.is_on)
        fit_round(ge);
    return !ge_is_stopped(ge);
}

static void begin_round(struct ge_shader *shader)
{
    shader->tile = UINT32_MAX;
    shader->quad_first = shader->quad_count = 0;
}

static bool run_pixels(struct ge *ge)
{
    for (unsigned i = 0; i < ge->slots; i++)
        begin_round(&ge->shader[i]);
    if (ge->order.count)
        run_part(ge, &shading, ge->order.count, ge_is_small(ge));
    if (ge_is_stopped(ge))
        return false;
    if (atomic_load_explicit(ge->draw->killed, memory_order_relaxed)) {
        amd_ge_fault_killed(ge);
        return false;
    }
    return true;
}

void amd_ge_shade_alone(struct ge *ge, unsigned code_slot)
{
    ge->pixel_launch.serial = ++ge->shader[0].launches;
    ge->alone = true;
    ge->alone_slot = code_slot;
    begin_round(&ge->shader[0]);
    const unsigned before = stat_enter(STAT_RASTER);
    while (amd_ge_round_shade(ge, 0))
        ;
    stat_leave(before);
    ge->is_by_lane = amd_spi_ps_is_by_lane(&ge->shader[0].ps, &ge->pixel_launch);
    amd_ge_note_pixels(ge);
}

static struct sq_launch make_launch(const struct ge *ge, const struct spi_stage *stage, uint32_t lds_size_B,
                                    const struct sq_hooks *hooks, struct coherence_actor *coherence,
                                    struct sq_perf *perf)
{
    return (struct sq_launch){
        .program_va = stage->program_va,
        .lanes = stage->lanes,
        .vgpr_count = stage->vgpr_count,
        .shared_vgprs = stage->shared_vgprs,
        .is_wgp_mode = stage->is_wgp_mode,
        .mode = stage->mode,
        .lds_size_B = lds_size_B,
        .memory = ge->draw->memory,
        .coherence = coherence,
        .perf = perf,
        .killed = ge->draw->killed,
        .hooks = hooks,
        .ta = &ge->ta,
        .gds = &ge->draw->gds,
    };
}

/* Draws of all processors of graphics: workers keep what they have found out about images. */
static _Atomic uint64_t last_work;

void amd_ge_renew_textures(struct ge *ge)
{
    const struct cp_registers *registers = ge->draw->registers;
    uint64_t border = GET_WORD(TA_BC_BASE_ADDR) | (uint64_t)GET_WORD(TA_BC_BASE_ADDR_HI) << 32;
    ge->ta = (struct ta_state){.work = atomic_fetch_add_explicit(&last_work, 1, memory_order_relaxed) + 1,
                               .gb_addr_config = ge->chip->gb_addr_config,
                               .border_va = (uint64_t)bits_sign_extend(border << 8, 48)};
}

static void begin_workers(struct ge *ge)
{
    struct ge_pipeline *p = &ge->pipeline;
    for (unsigned i = 0; i < ge->slots; i++) {
        struct ge_worker *worker = &ge->worker[i];
        worker->pa = (struct raster_assembler){.state = &p->pa, .arena = &ge->arenas[i]};
        worker->vertex_running = false;
        worker->gs_instance = 0;
        worker->copies = false;
        worker->emitted.threads = 0;
        worker->vs_invocations = worker->gs_invocations = worker->gs_primitives = 0;
    }
}

/* Field by field, for most of it is what tiles and blocks have left, and of no meaning for the next draw. */
void amd_ge_begin_pixels(struct ge *ge, struct ge_shader *shader)
{
    struct ge_pipeline *p = &ge->pipeline;
    struct spi_ps *ps = &shader->ps;
    struct db *db = &ps->db;
    struct cb *cb = &ps->cb;
    shader->pixels_of = ge->draw_number;
    ps->running = false;
    ps->invocations = 0;
    ps->state = &p->ps;
    ps->sc = &p->sc;

    db->state = &p->db;
    db->sc = &p->sc;
    db->memory = cb->memory = ge->draw->memory;
    db->coherence = cb->coherence = ge->draw->pixels;
    db->draw = cb->draw = ge->draw_number;
    db->zpass = 0;
    db->fault_va = cb->fault_va = 0;
    db->fault_is_write = cb->fault_is_write = false;
    db->why = cb->why = NULL;
    db->known_x = db->known_y = db->known_slice = 0;
    db->known = 0;
    db->blocks = &shader->depth_blocks;
    db->stencil_blocks = &shader->stencil_blocks;
    db->has_places &= shader->places_of == ge->pipeline_number;
    shader->places_of = ge->pipeline_number;

    cb->state = &p->cb;
    cb->blocks = shader->color_blocks;
    for (unsigned i = 0; i < CB_TARGETS; i++)
        cb->tiles[i].is_set = false;
}

/* NULL, or what the model does not implement. */
static const char *begin_draw(struct ge *ge, const struct ge_draw *draw)
{
    ge->own_draw = *draw;
    ge->draw = &ge->own_draw;
    ge->draw_number = ++ge->front->numbers.draws;
    stat_count(STAT_DRAWS);
    ge->result = (struct ge_result){0};
    ge->group_count = 0;
    ge->is_by_lane = false;
    memset(ge->stats, 0, sizeof(ge->stats));
    ge->zpass = 0;
    atomic_store(&ge->stop, false);
    const char *why = amd_ge_pipeline_init(ge, draw);
    if (why)
        return why;
    amd_ge_renew_textures(ge);
    struct coherence_actor *vertices = draw->vertices;
    struct sq_perf *perf = draw->vertex_perf;
    ge->hull_launch = make_launch(ge, &ge->pipeline.ge.hull.stage, ge->pipeline.ge.hull.lds_size_B,
                                  &amd_ge_vertex_hooks, vertices, perf);
    ge->vertex_launch =
        make_launch(ge, &ge->pipeline.ge.stage, ge->pipeline.ge.lds_size_B, &amd_ge_vertex_hooks, vertices, perf);
    if (ge->pipeline.ge.has_ring)
        ge->copy_launch = make_launch(ge, &ge->pipeline.ge.ring.copy, 0, &amd_ge_vertex_hooks, vertices, perf);
    ge->pixel_launch = make_launch(ge, &ge->pipeline.ps.stage, 0, &amd_spi_ps_hooks, draw->pixels, draw->pixel_perf);
    begin_workers(ge);
    if (!amd_ge_hull_begin_draw(ge))
        return "the host has no memory for tessellation";
    ge->round_batches = ge->pipeline.ge.hull.is_on ? MIN2(4 * ge->slots, GE_ROUND_BATCHES) : GE_ROUND_BATCHES;
    ge->next_prim = 0;
    ge->stipple = 0;
    ge->order.count = 0;
    ge->area = 0;
    return NULL;
}

bool amd_ge_end_draw(struct ge *ge, struct ge_result *result_out)
{
    const bool is_done = !ge_is_stopped(ge);
    amd_ge_add_counters(ge);
    if (is_done)
        amd_ge_streamout_end(ge);
    *result_out = ge->result;
    if (!result_out->number)
        result_out->number = ge->draw->number;
    ge->draw = NULL;
    return is_done;
}

enum ge_geometry amd_ge_draw_geometry(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out)
{
    const char *why = begin_draw(ge, draw);
    if (why) {
        *result_out = (struct ge_result){.error = -ENOSYS, .why = why, .number = draw->number};
        return GE_GEOMETRY_FAILED;
    }
    bool is_done = amd_ge_index_begin(ge);
    why = is_done ? amd_ge_streamout_begin(ge) : NULL;
    if (why)
        amd_ge_fault_stop(ge, why);
    amd_ge_note_input(ge);
    ge->batch_count = 0;
    is_done = is_done && !why && (!ge->prim_total || run_geometry(ge));
    if (is_done && (ge->next_prim < ge->prim_total || ge->pipeline.ge.streamout))
        return GE_GEOMETRY_IS_LARGE;
    if (is_done)
        return GE_GEOMETRY_WAITS;
    amd_ge_note_geometry(ge);
    amd_ge_end_draw(ge, result_out);
    return GE_GEOMETRY_FAILED;
}

bool amd_ge_draw_pixels(struct ge *ge, struct ge_result *result_out)
{
    bool is_done = !ge_is_stopped(ge) && run_pixels(ge);
    while (is_done && ge->next_prim < ge->prim_total)
        is_done = run_geometry(ge) && amd_ge_bin(ge) && run_pixels(ge);
    amd_ge_note_geometry(ge);
    amd_ge_note_pixels(ge);
    return amd_ge_end_draw(ge, result_out);
}

bool amd_ge_draw_now(struct ge *ge, const struct ge_draw *draw, struct ge_result *result_out)
{
    if (amd_ge_draw_geometry(ge, draw, result_out) == GE_GEOMETRY_FAILED)
        return false;
    amd_ge_bin(ge);
    return amd_ge_draw_pixels(ge, result_out);
}
