/* A draw, as the command processor calls it (blocks.h). */
#include <stdlib.h>
#include <string.h>

#include "adreno/model/pc/pc.h"
#include "util/bits.h"
#include "util/debug.h"

bool adreno_pc_create(struct adreno_gpu *gpu)
{
    struct adreno_pc *pc = calloc(1, sizeof(*pc));
    if (!pc)
        return false;
    gpu->pc = pc;
    gpu->vsc = &pc->vsc;
    pc->gpu = gpu;
    pc->is_strict = debug_enabled(DEBUG_STRICT);
    pc->slots = MAX2(workers_count(gpu->workers), 1u);
    pc->worker = aligned_alloc(64, align_u64(pc->slots * sizeof(*pc->worker), 64));
    if (!pc->worker)
        return false;
    memset(pc->worker, 0, pc->slots * sizeof(*pc->worker));
    for (unsigned i = 0; i < pc->slots; i++) {
        if (!adreno_gras_shading_create(&pc->worker[i].shading))
            return false;
    }
    return true;
}

void adreno_pc_destroy(struct adreno_gpu *gpu)
{
    struct adreno_pc *pc = gpu->pc;
    if (!pc)
        return;
    for (unsigned i = 0; pc->worker && i < pc->slots; i++) {
        adreno_gras_shading_destroy(&pc->worker[i].shading);
        arena_finish(&pc->worker[i].arena);
        array_finish(&pc->worker[i].emitted);
        array_finish(&pc->worker[i].points);
        array_finish(&pc->worker[i].point_prims);
        free(pc->worker[i].tessellated);
        free(pc->worker[i].emitted_pos);
        free(pc->worker[i].local);
    }
    array_finish(&pc->parts);
    array_finish(&pc->runs);
    array_finish(&pc->tiles);
    array_finish(&pc->refs);
    array_finish(&pc->order);
    array_finish(&pc->vsc.bits);
    free(pc->worker);
    free(pc);
    gpu->pc = NULL;
    gpu->vsc = NULL;
}

void adreno_pc_reset(struct adreno_gpu *gpu)
{
    gpu->pc->vsc.serial = 0;
    gpu->pc->waiting = 0;
    gpu->has_series = false;
    adreno_vsc_begin(gpu);
}

/* ---- rounds ---- */

struct round_job {
    struct workers_job job;
    struct adreno_pc *pc;
};

static bool geometry_turn(struct workers_job *job, unsigned worker)
{
    return adreno_pc_round_geometry(((struct round_job *)job)->pc, worker);
}

static bool shade_turn(struct workers_job *job, unsigned worker)
{
    return adreno_pc_round_shade(((struct round_job *)job)->pc, worker);
}

struct part {
    bool (*turn)(struct workers_job *job, unsigned worker);
    enum stat_stage stage;
};
static const struct part geometry = {geometry_turn, STAT_VERTICES}, shading = {shade_turn, STAT_RASTER};

/* `alone`: there is nothing to share, or not enough of it to wake the workers for. `units`: what can be shared. */
static void run_part(struct adreno_pc *pc, const struct part *part, uint32_t units, bool alone)
{
    struct round_job job = {.job.turn = part->turn, .pc = pc};
    if (!alone) {
        job.job.stage = part->stage;
        job.job.units = units;
        workers_run(pc->gpu->workers, &job.job);
        return;
    }
    const unsigned before = stat_enter(part->stage);
    while (part->turn(&job.job, 0))
        ;
    stat_leave(before);
}

static bool sort_bins(struct adreno_pc *pc)
{
    const unsigned before = stat_enter(STAT_RASTER);
    const bool is_done = adreno_pc_round_sort(pc);
    stat_leave(before);
    return is_done;
}

static uint64_t fill_batches(struct adreno_pc *pc, uint64_t next)
{
    pc->batch_count = 0;
    /* Patches of a round have numbers of their own in the buffers between their stages. */
    const uint32_t subdraw = pc->patches.is_on ? pc->patches.subdraw : 0;
    const uint64_t end = subdraw ? MIN2(pc->prim_total, (next / subdraw + 1) * subdraw) : pc->prim_total;
    while (next < end && pc->batch_count < pc->state.round_batches) {
        uint32_t count = (uint32_t)MIN2(end - next, (uint64_t)pc->state.batch_prims);
        pc->batches[pc->batch_count++] = (struct pc_batch){.first_prim = next, .prim_count = count};
        next += count;
    }
    return next;
}

static bool run_rounds(struct adreno_pc *pc)
{
    uint64_t next = 0;
    while (next < pc->prim_total) {
        next = fill_batches(pc, next);
        for (unsigned i = 0; i < pc->slots; i++) {
            arena_reset(&pc->worker[i].arena);
            pc->worker[i].shading.quad_first = pc->worker[i].shading.quad_count = 0;
        }
        atomic_store(&pc->next_batch, 0);
        atomic_store(&pc->next_tile, 0);
        run_part(pc, &geometry, pc->batch_count, pc->batch_count == 1);
        if (adreno_is_stopped(pc->gpu))
            return false;
        if (adreno_is_killed(pc->gpu))
            return adreno_stop(pc->gpu, ADRENO_STOP_KILLED, "killed while it drew");
        if ((pc->geometry.is_on || pc->patches.is_on) && pc->streamout.is_on && !adreno_pc_write_streams(pc))
            return false;
        if (pc->draw->pass == ADRENO_PASS_BINNING)
            continue;
        if (!sort_bins(pc))
            return false;
        if (pc->order.count)
            run_part(pc, &shading, pc->order.count, pc->order.count == 1 || pc->area <= PC_ALONE_PIXELS);
        if (adreno_is_stopped(pc->gpu))
            return false;
    }
    return true;
}

/* ---- the draw ---- */

/* Blocks that a binning pass does without. */
static bool init_pixels(struct adreno_pc *pc)
{
    struct adreno_gpu *gpu = pc->gpu;
    if (!adreno_rb_draw_init(&pc->rb, gpu) || !adreno_gras_coverage_init(&pc->coverage, gpu, &pc->rb) ||
        !adreno_gras_state_init(&pc->gras, gpu, &pc->vpc, &pc->rb))
        return false;
    pc->gras.is_rect = pc->state.kind == RASTER_RECT;
    if (!pc->gras.has_shader)
        return true;
    if (!adreno_hlsq_program(gpu, ADRENO_STAGE_FS, &pc->fragment_launch))
        return false;
    pc->fragment_launch.hooks = &adreno_gras_hooks;
    if (pc->is_strict)
        adreno_pc_list_fragment_outputs(pc);
    return true;
}

static enum adreno_stage last_stage(const struct adreno_draw *draw)
{
    return draw->has_gs ? ADRENO_STAGE_GS : draw->has_tess ? ADRENO_STAGE_DS : ADRENO_STAGE_VS;
}

static bool init_state(struct adreno_pc *pc)
{
    struct adreno_gpu *gpu = pc->gpu;
    return adreno_vfd_state_init(&pc->vfd, gpu) && adreno_pc_state_init(pc) &&
           adreno_hlsq_program(gpu, ADRENO_STAGE_VS, &pc->vertex_launch) &&
           adreno_vpc_state_init(&pc->vpc, gpu, last_stage(pc->draw), adreno_vpc_has_streamout(gpu)) &&
           adreno_pc_patches_init(pc) && adreno_pc_geometry_init(pc) &&
           adreno_gras_raster_init(&pc->raster, gpu, &pc->vpc) &&
           (pc->draw->pass == ADRENO_PASS_BINNING || init_pixels(pc)) &&
           adreno_gras_lrz_init(&pc->lrz, gpu, pc->draw->pass, pc->draw->pass == ADRENO_PASS_BINNING ? NULL : &pc->rb);
}

static void begin_workers(struct adreno_pc *pc)
{
    for (unsigned i = 0; i < pc->slots; i++) {
        struct pc_worker *worker = &pc->worker[i];
        worker->assembler = (struct raster_assembler){.state = &pc->raster, .arena = &worker->arena};
        worker->vs_invocations = worker->hs_patches = worker->ds_invocations = worker->gs_invocations =
            worker->gs_primitives = worker->shading.invocations = 0;
        worker->shading.gpu = pc->gpu;
        worker->shading.state = &pc->gras;
        worker->shading.lrz = &pc->lrz;
        worker->shading.coverage = &pc->coverage;
        worker->shading.launch = &pc->fragment_launch;
        if (pc->draw->pass != ADRENO_PASS_BINNING)
            adreno_rb_begin(&worker->shading.rb, &pc->rb, &pc->coverage);
    }
}

/* The counters of a binning pass are those of the whole picture, so a pass over a bin that reads its visibility adds
 * nothing to them; nor do rectangles, which no API draws. That is not documented: Turnip starts the counters in every
 * pass and for its own rectangles, and conformance tests want exact numbers of it. */
static bool counts_primitives(const struct adreno_pc *pc)
{
    return pc->gpu->counters.counts_primitives && !(pc->draw->has_visibility && pc->draw->bin) &&
           pc->state.kind != RASTER_RECT;
}

/* Counts and faults of the RB. False: stopped. */
static bool end_workers(struct adreno_pc *pc)
{
    struct adreno_counters *counters = &pc->gpu->counters;
    uint64_t stats[ADRENO_STAT_COUNT] = {
        [ADRENO_STAT_IA_VERTICES] = (uint64_t)pc->draw->count * pc->draw->instance_count,
        [ADRENO_STAT_IA_PRIMITIVES] = pc->prims_per_instance * pc->draw->instance_count,
    };
    bool is_good = true;
    for (unsigned i = 0; i < pc->slots; i++) {
        struct pc_worker *worker = &pc->worker[i];
        stats[ADRENO_STAT_VS_INVOCATIONS] += worker->vs_invocations;
        stats[ADRENO_STAT_HS_INVOCATIONS] += worker->hs_patches; /* one of a patch: drivers report the number */
        stats[ADRENO_STAT_DS_INVOCATIONS] += worker->ds_invocations;
        stats[ADRENO_STAT_GS_INVOCATIONS] += worker->gs_invocations;
        stats[ADRENO_STAT_GS_PRIMITIVES] += worker->gs_primitives;
        stats[ADRENO_STAT_C_INVOCATIONS] += worker->assembler.invocations;
        stats[ADRENO_STAT_C_PRIMITIVES] += worker->assembler.primitives;
        stats[ADRENO_STAT_PS_INVOCATIONS] += worker->shading.invocations;
        if (pc->draw->pass != ADRENO_PASS_BINNING)
            is_good &= adreno_rb_end(&worker->shading.rb, pc->gpu);
    }
    for (unsigned i = 0; i < ADRENO_STAT_COUNT; i++) {
        bool is_on = i == ADRENO_STAT_PS_INVOCATIONS ? counters->counts_fragments : counts_primitives(pc);
        counters->stats[i] += is_on ? stats[i] : 0;
    }
    return is_good;
}

bool adreno_pc_draw_parts(struct adreno_pc *pc, const struct adreno_draw *draw)
{
    struct adreno_gpu *gpu = pc->gpu;
    pc->draw = draw;
    if (!init_state(pc) || !adreno_pc_index_begin(pc) || !adreno_vsc_draw_begin(&pc->vsc, gpu, draw, pc->prim_total) ||
        !adreno_vpc_streamout_begin(&pc->streamout, gpu, &pc->vpc, pc->state.vertices))
        return false;
    memset(pc->stream_prims, 0, sizeof(pc->stream_prims));
    if (!pc->geometry.is_on && !pc->patches.is_on)
        pc->stream_prims[0] = pc->prim_total;
    if (pc->is_strict)
        adreno_pc_list_vertex_outputs(pc);
    begin_workers(pc);
    bool is_done = run_rounds(pc);
    is_done &= end_workers(pc);
    if (!is_done)
        return false;
    adreno_vpc_streamout_end(&pc->streamout, gpu, pc->stream_prims);
    return adreno_vsc_draw_end(&pc->vsc, gpu, pc->prim_total);
}

bool adreno_draw(struct adreno_gpu *gpu, const struct adreno_draw *draw)
{
    struct adreno_pc *pc = gpu->pc;
    stat_count(STAT_DRAWS);
    if (adreno_pc_series_takes(pc, draw))
        return adreno_pc_add_part(pc, draw);
    if (!adreno_draws_finish(gpu))
        return false;
    pc->parts.count = 0;
    if (!adreno_pc_add_part(pc, draw) || !adreno_pc_draw_parts(pc, draw))
        return false;
    gpu->has_series = adreno_pc_series_begins(pc);
    pc->series = *draw;
    return true;
}
