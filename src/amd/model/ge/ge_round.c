/* Two of the three parts of a round, geometry and shading; binning stands between them (ge_bin.c). They are turns of
 * the workers; what a worker has in hand stands in its struct, so that a turn can end wherever a wave gives up. */
#include <string.h>

#include "amd/model/ge/ge.h"
#include "util/bits.h"

/* Private memory: every worker has slots for the waves of a workgroup, twice, for the two stages. */
static uint32_t scratch_slot(unsigned slot, unsigned stage)
{
    return (slot * 2 + stage) * SQ_MAX_WAVES;
}

static bool enter_launch(struct ge *ge, struct sq_code **code, unsigned slot)
{
    if (!*code)
        *code = amd_spi_enter(ge->spi, ge->alone ? ge->alone_slot : slot, ge->draw->memory);
    if (!*code)
        amd_ge_fault_host(ge);
    return *code != NULL;
}

static bool leave_launch(struct ge *ge, struct sq_code **code, unsigned slot)
{
    if (*code)
        amd_spi_leave(ge->spi, ge->alone ? ge->alone_slot : slot, *code);
    *code = NULL;
    return false;
}

/* ---- geometry ---- */

/* The next subgroup of the batch in hand, or of the next batch. False: none is left. */
static bool next_subgroup(struct ge *ge, struct ge_worker *worker, unsigned slot)
{
    if (worker->hull && worker->hull->is_ready) {
        if (!amd_ge_hull_subgroup(ge, worker))
            return false;
        if (worker->subgroup.prim_count)
            return amd_ge_vertex_begin(ge, worker, worker->code, scratch_slot(slot, 0));
        worker->hull->is_ready = false;
        worker->batch_next = ge->batches[worker->batch].prim_count;
    }
    if (worker->batch != UINT32_MAX && worker->batch_next == ge->batches[worker->batch].prim_count) {
        ge->batches[worker->batch].list = worker->pa.list;
        worker->batch = UINT32_MAX;
    }
    if (worker->batch == UINT32_MAX) {
        uint32_t batch = atomic_fetch_add_explicit(&ge->next_batch, 1, memory_order_relaxed);
        if (batch >= ge->batch_count)
            return false;
        worker->batch = batch;
        worker->batch_next = 0;
        worker->pa.list = ge->batches[batch].list;
    }
    if (ge->pipeline.ge.hull.is_on)
        return amd_ge_hull_begin(ge, worker, worker->code, slot, scratch_slot(slot, 0));
    if (!amd_ge_index_subgroup(ge, worker))
        return false;
    return amd_ge_vertex_begin(ge, worker, worker->code, scratch_slot(slot, 0));
}

/* The waves in hand: of patches, or of vertices. */
static bool is_hull_running(const struct ge_worker *worker)
{
    return worker->hull && worker->hull->is_running;
}

static void end_waves(struct ge *ge, struct ge_worker *worker)
{
    if (is_hull_running(worker))
        amd_ge_hull_end(worker);
    else
        amd_ge_vertex_end(ge, worker);
    ge_count_progress(&worker->progress);
}

/* Outputs that a geometry shader has left in memory come before the next subgroup. */
static bool next_waves(struct ge *ge, struct ge_worker *worker, unsigned slot)
{
    worker->copies = worker->emitted.threads && amd_ge_ring_next(ge, worker);
    if (worker->copies)
        return amd_ge_vertex_begin(ge, worker, worker->code, scratch_slot(slot, 0));
    return next_subgroup(ge, worker, slot);
}

/* A round is many primitives, each of which may be as large as the target: the end of a job does not wait for it. */
static bool is_ended(struct ge *ge)
{
    if (atomic_load_explicit(ge->draw->killed, memory_order_relaxed))
        amd_ge_fault_killed(ge);
    return ge_is_stopped(ge);
}

bool amd_ge_round_geometry(struct ge *ge, unsigned slot)
{
    struct ge_worker *worker = &ge->worker[slot];
    if (ge_is_stopped(ge) || !enter_launch(ge, &worker->code, slot))
        return leave_launch(ge, &worker->code, slot);
    for (;;) {
        struct sq_fault fault;
        if (is_ended(ge))
            return leave_launch(ge, &worker->code, slot);
        if (!worker->vertex_running && !is_hull_running(worker) && !next_waves(ge, worker, slot))
            return leave_launch(ge, &worker->code, slot);
        const bool is_hull = is_hull_running(worker);
        switch (amd_sq_workgroup_run(is_hull ? worker->hull->group : worker->vertex_group, &fault)) {
        case SQ_TURN_GIVE_UP:
            return true;
        case SQ_TURN_FAULT:
            amd_ge_fault_shader(ge,
                                is_hull          ? "hull shader"
                                : worker->copies ? "copy shader"
                                                 : "vertex shader",
                                is_hull          ? &ge->pipeline.ge.hull.stage
                                : worker->copies ? &ge->pipeline.ge.ring.copy
                                                 : &ge->pipeline.ge.stage,
                                &fault);
            return leave_launch(ge, &worker->code, slot);
        case SQ_TURN_DONE:
            break;
        }
        end_waves(ge, worker);
    }
}

/* ---- shading ---- */

/* One quad for each iteration of per-sample shading, with the samples that it stands for. */
static void expand_iterations(struct ge_shader *shader, uint32_t first, unsigned iterations, unsigned samples)
{
    uint32_t count = shader->quad_count - first;
    struct raster_quad *quads = shader->quads;
    for (uint32_t i = count; i-- > 0;) {
        struct raster_quad quad = quads[first + i];
        for (unsigned k = iterations; k-- > 0;) {
            uint32_t of_iteration = 0;
            for (unsigned s = k; s < samples; s += iterations)
                of_iteration |= 1u << s;
            struct raster_quad *to = &quads[first + i * iterations + k];
            *to = quad;
            to->iteration = (uint8_t)k;
            to->mask = quad.mask & of_iteration * 0x01010101u;
        }
    }
    shader->quad_count = first + count * iterations;
}

static void drop_empty(struct ge_shader *shader, uint32_t first)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < shader->quad_count; i++) {
        if (!shader->quads[i].mask)
            continue;
        if (kept != i)
            shader->quads[kept] = shader->quads[i];
        kept++;
    }
    shader->quad_count = kept;
}

/* A pass over colour targets: no shader, every pixel that is covered. */
static void pass_colors(struct ge_shader *shader, uint32_t first, const struct raster_tile *tile,
                        bool (*pass)(struct cb *cb, uint32_t x, uint32_t y, uint32_t layer))
{
    bits_foreach (shader->blocks, b) { /* of a resolve */
        if (!amd_cb_resolve_block(&shader->ps.cb, (uint32_t)(tile->x + b % 8 * 8), (uint32_t)(tile->y + b / 8 * 8),
                                  shader->blocks_of->layer))
            return;
    }
    for (uint32_t i = first; i < shader->quad_count; i++) {
        const struct raster_quad *quad = &shader->quads[i];
        for (unsigned p = 0; p < 4; p++) {
            if ((quad->mask >> p * 8 & 0xff) &&
                !pass(&shader->ps.cb, quad->x + (p & 1), quad->y + p / 2, quad->prim->layer))
                return;
        }
    }
}

/* A block as quads. */
static void add_quads(struct ge_shader *shader, const struct raster_tile *tile, int block, const uint32_t masks[16])
{
    const uint32_t all = (uint32_t)bits_mask(shader->ps.sc->samples) * 0x01010101u;
    for (int q = 0; q < 16; q++) {
        if (masks[q])
            shader->quads[shader->quad_count++] = (struct raster_quad){
                .prim = shader->blocks_of,
                .x = (uint16_t)(tile->x + block % 8 * 8 + q % 4 * 2),
                .y = (uint16_t)(tile->y + block / 8 * 8 + q / 4 * 2),
                .mask = masks[q],
                .coverage = all,
            };
    }
}

/* Early depth of blocks: those of which some pixels pass become quads. */
static void test_blocks(struct ge_shader *shader, const struct raster_tile *tile)
{
    uint32_t masks[64][16];
    if (!shader->blocks)
        return;
    const uint64_t whole = amd_db_test_blocks(&shader->ps.db, shader->blocks_of, tile, shader->blocks, masks);
    bits_foreach (shader->blocks & ~whole, b)
        add_quads(shader, tile, b, masks[b]);
    shader->blocks = whole;
}

/* Tests of one sample, with parts of blocks. `is_seen`: quads that pass are shaded. */
static void test_parts(struct ge_shader *shader, const struct raster_tile *tile, struct raster_quads *out, bool is_seen)
{
    uint64_t passed[64], whole = 0;
    if (!(out->blocks | out->parts))
        return;
    bits_foreach (out->blocks, b)
        out->masks[b] = UINT64_MAX;
    amd_db_test_parts(&shader->ps.db, shader->blocks_of, tile, out->blocks | out->parts, out->masks, passed);
    if (!is_seen)
        return;
    out->count = shader->quad_count;
    bits_foreach (out->blocks | out->parts, b) {
        if (passed[b] == UINT64_MAX && out->blocks >> b & 1)
            whole |= 1ull << b;
        else
            raster_add_part(shader->ps.sc, shader->blocks_of, tile->x + b % 8 * 8, tile->y + b / 8 * 8, out->masks[b],
                            passed[b], out);
    }
    shader->quad_count = out->count;
    shader->blocks = whole;
}

static bool has_tests(const struct db_state *db)
{
    return db->z_test || db->bounds_test || db->stencil_test || db->count || (db->htile && db->expand);
}

/* Tests before the shader. */
static void test_early(struct ge *ge, struct ge_shader *shader, uint32_t first, const struct raster_tile *tile,
                       struct raster_quads *out)
{
    amd_db_test_quads(&shader->ps.db, shader->quads + first, shader->quad_count - first);
    drop_empty(shader, first);
    if (out->masks)
        test_parts(shader, tile, out, ge->pipeline.ps.needed);
    else
        test_blocks(shader, tile);
}

/* The next primitive of the tile: its quads, after early depth, join the queue. */
static void walk_prim(struct ge *ge, struct ge_shader *shader)
{
    const struct ge_pipeline *p = &ge->pipeline;
    const struct ge_bin *bin = &ge->bins.data[shader->tile];
    const struct raster_prim *prim = ge->refs.data[bin->first + shader->tile_next++];
    if (shader->tile_next + 1 < bin->count)
        raster_prefetch(ge->refs.data[bin->first + shader->tile_next + 1]);
    if (shader->quad_first == shader->quad_count) {
        shader->quad_first = shader->quad_count = 0;
    } else if (shader->quad_first >= GE_QUADS_BEHIND) {
        shader->quad_count -= shader->quad_first;
        memmove(shader->quads, shader->quads + shader->quad_first, shader->quad_count * sizeof(*shader->quads));
        shader->quad_first = 0;
    }
    const bool tests = has_tests(&p->db), is_early = tests && (p->db.early || !p->ps.needed),
               passes_colors = p->cb.expand || p->cb.resolve;
    uint32_t first = shader->quad_count;
    uint64_t masks[64];
    struct raster_quads out = {.quads = shader->quads, .count = first};
    out.takes_blocks = p->ps.needed    ? amd_spi_ps_takes_blocks(&shader->ps, &ge->pixel_launch, shader->code)
                       : passes_colors ? p->cb.resolve && !shader->ps.cb.coherence && amd_cb_resolves_blocks(&p->cb)
                                       : db_takes_blocks(&shader->ps.db);
    out.wants_no_quads = !p->ps.needed;
    out.masks = is_early && !passes_colors && db_takes_parts(&shader->ps.db) ? masks : NULL;
    const struct raster_tile tile = shader->tile_at;
    raster_walk_tile(&p->sc, prim, &tile, &out);
    shader->quad_count = out.count;
    shader->blocks = out.blocks;
    shader->blocks_of = prim;
    shader->quad_turn = out.blocks ? first : 0;
    if (out.count != first || out.parts)
        raster_prefetch_params(prim);
    if (tests || p->cb.resolve)
        spi_ps_settle(&shader->ps);
    if (is_early)
        test_early(ge, shader, first, &tile, &out);
    if (passes_colors && shader->ps.cb.coherence)
        amd_cb_note_pass(&shader->ps.cb, shader->quads + first, shader->quad_count - first);
    if (passes_colors)
        pass_colors(shader, first, &tile, p->cb.resolve ? amd_cb_resolve : amd_cb_meta_expand);
    if (!p->ps.needed) {
        shader->quad_count = first;
        shader->blocks = 0;
        ge_count_progress(&shader->progress);
    } else if (p->sc.iterations > 1) {
        expand_iterations(shader, first, p->sc.iterations, p->sc.samples);
        drop_empty(shader, first);
    } else if (p->rates.is_on) {
        amd_spi_ps_put_together(&shader->ps, &p->rates, shader->quads + first, shader->quad_count - first, &tile);
    }
}

static bool has_fault(struct ge *ge, struct ge_shader *shader)
{
    if (shader->ps.db.fault_va)
        amd_ge_fault_memory(ge, "the depth buffer", shader->ps.db.fault_va, shader->ps.db.fault_is_write);
    if (shader->ps.cb.fault_va)
        amd_ge_fault_memory(ge, "a colour target", shader->ps.cb.fault_va, shader->ps.cb.fault_is_write);
    if (shader->ps.cb.why)
        amd_ge_fault_stop(ge, shader->ps.cb.why);
    if (shader->ps.db.why)
        amd_ge_fault_stop(ge, shader->ps.db.why);
    if (!is_ended(ge))
        return false;
    amd_ge_group_blame(ge, shader->blocks_of);
    return true;
}

static void fault_pixels(struct ge *ge, const struct raster_prim *prim, const struct sq_fault *fault)
{
    amd_ge_fault_shader(ge, "pixel shader", &ge->pipeline.ps.stage, fault);
    amd_ge_group_blame(ge, prim);
}

/* How many of the first quads have no pixel in common. */
static uint32_t count_apart(const struct raster_quad *quads, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (quads[i].x == quads[k].x && quads[i].y == quads[k].y)
                return i;
        }
    }
    return count;
}

/* Bring the wave in hand, or a new one, forward. */
static enum sq_turn run_pixels(struct ge *ge, struct ge_shader *shader, unsigned slot)
{
    struct sq_fault fault;
    struct spi_ps *ps = &shader->ps;
    if (!ps->running) {
        struct sq_launch launch = ge->pixel_launch;
        uint32_t end = shader->blocks ? shader->quad_turn : shader->quad_count,
                 count = MIN2(end - shader->quad_first, launch.lanes / 4);
        if (ge->pipeline.rates.is_on)
            count =
                amd_spi_ps_count_coarse(shader->quads + shader->quad_first, end - shader->quad_first, launch.lanes / 4);
        if (ge->pipeline.ps.is_ordered)
            count = count_apart(shader->quads + shader->quad_first, count);
        launch.owner = ps;
        ps->scratch_slot = scratch_slot(slot, 1);
        enum sq_turn turn;
        if (amd_spi_ps_run_joined(ps, &launch, shader->code, shader->quads + shader->quad_first, &count, &turn,
                                  &fault)) {
            shader->quad_first += count;
            ge_count_progress(&shader->progress);
            if (turn == SQ_TURN_FAULT)
                fault_pixels(ge, ps->quads[0].prim, &fault);
            return turn;
        }
        spi_ps_settle(ps);
        if (!amd_spi_ps_begin(ps, &launch, shader->code, shader->quads + shader->quad_first, count, ps->scratch_slot)) {
            amd_ge_fault_host(ge);
            return SQ_TURN_FAULT;
        }
        shader->quad_first += count;
    }
    enum sq_turn turn = amd_sq_workgroup_run(ps->group, &fault);
    if (turn == SQ_TURN_FAULT)
        fault_pixels(ge, ps->quads[0].prim, &fault);
    if (turn == SQ_TURN_DONE) {
        amd_spi_ps_end(ps);
        ge_count_progress(&shader->progress);
    }
    return turn;
}

static void run_blocks(struct ge *ge, struct ge_shader *shader)
{
    struct sq_fault fault;
    enum sq_turn turn;
    const struct raster_tile tile = shader->tile_at;
    const unsigned before = stat_enter_work(STAT_HOST);
    const uint64_t left = amd_spi_ps_run_blocks(&shader->ps, shader->blocks_of, &tile, shader->blocks, &turn, &fault);
    stat_leave(before);
    if (turn == SQ_TURN_FAULT)
        fault_pixels(ge, shader->blocks_of, &fault);
    uint32_t masks[16];
    for (unsigned q = 0; q < 16; q++)
        masks[q] = (uint32_t)bits_mask(shader->ps.sc->samples) * 0x01010101u;
    bits_foreach (left, b)
        add_quads(shader, &tile, b, masks);
    shader->blocks = 0;
    ge_count_progress(&shader->progress);
}

static bool leave_pixels(struct ge *ge, struct ge_shader *shader, unsigned slot)
{
    spi_ps_settle(&shader->ps);
    return leave_launch(ge, &shader->code, slot);
}

bool amd_ge_round_shade(struct ge *ge, unsigned slot)
{
    struct ge_shader *shader = &ge->shader[slot];
    uint32_t wave_quads = ge->pixel_launch.lanes / 4 * (ge->pipeline.rates.is_on ? SPI_PS_PARTS : 1);
    const bool goes_on = ge->alone && !ge->pipeline.rates.is_on; /* waves may have quads of several tiles */
    if (shader->pixels_of != ge->draw_number)
        amd_ge_begin_pixels(ge, shader);
    if (ge_is_stopped(ge) || !enter_launch(ge, &shader->code, slot))
        return leave_pixels(ge, shader, slot);
    for (;;) {
        uint32_t waiting = shader->quad_count - shader->quad_first;
        const bool has_prims = shader->tile != UINT32_MAX && shader->tile_next < ge->bins.data[shader->tile].count,
                   more = has_prims ||
                          (goes_on && atomic_load_explicit(&ge->next_tile, memory_order_relaxed) < ge->order.count);
        if (has_fault(ge, shader))
            return leave_pixels(ge, shader, slot);
        if (shader->blocks && !shader->ps.running && shader->quad_first == shader->quad_turn) {
            const unsigned before = stat_enter(STAT_PIXELS);
            run_blocks(ge, shader);
            stat_leave(before);
        } else if (shader->ps.running || shader->blocks || waiting >= wave_quads || (waiting && !more)) {
            const unsigned before = stat_enter(STAT_PIXELS);
            const enum sq_turn turn = run_pixels(ge, shader, slot);
            stat_leave(before);
            if (turn == SQ_TURN_GIVE_UP)
                return true;
        } else if (has_prims) {
            walk_prim(ge, shader);
        } else {
            uint32_t next = atomic_fetch_add_explicit(&ge->next_tile, 1, memory_order_relaxed);
            if (next >= ge->order.count)
                return leave_pixels(ge, shader, slot);
            shader->tile = ge->order.data[next];
            shader->tile_at =
                sc_tile(ge->tile_x0 + shader->tile % ge->tiles_x, ge->tile_y0 + shader->tile / ge->tiles_x);
            shader->tile_next = 0;
            shader->blocks = 0;
        }
    }
}
