/* Geometry shaders. Vertex and geometry shader are one wave (with patches domain and geometry shader): the former
 * leaves its outputs in local memory and chains (chsh) to the geometry shader, which goes on with the same fibers and
 * registers. One of these, the header, says what a fiber stands for:
 *
 *   bits 0 to 5    the primitive's number in the wave, for places in local memory
 *   bits 6 to 10   the vertex that the vertex shader shades
 *   bits 11 to 15  the invocation of the geometry shader
 *   from bit 16    the vertex of that invocation which the fiber gives
 *
 * A fiber that has no vertex to give kills itself. Its flags say to which stream a vertex belongs (bits 0 and 1) and
 * whether it begins a strip (bit 2). Where a primitive has more fibers than a wave, the others are further waves, which
 * find the vertices in the same local memory. */
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vpc.h"
#include "adreno/model/pc/pc.h"
#include "util/bits.h"

#define HEADER_VERTEX_SHIFT 6
#define HEADER_INVOCATION_SHIFT 11
#define HEADER_OUTPUT_SHIFT 16
#define HEADER_PRIMS 64
#define FLAGS_STREAM_MASK 3u
#define FLAGS_BEGIN 4u
#define WAVE 64

/* ---- state ---- */

static void set_output(struct pc_state *state, uint32_t output)
{
    state->kind = output == ADRENO_TESS_OUTPUT_POINTS  ? RASTER_POINT
                  : output == ADRENO_TESS_OUTPUT_LINES ? RASTER_LINE
                                                       : RASTER_TRIANGLE;
    state->vertices = (uint8_t)state->kind;
    _Static_assert(RASTER_POINT == 1 && RASTER_LINE == 2 && RASTER_TRIANGLE == 3, "a kind is its number of vertices");
}

/* Every fiber has a record, whether it gives a vertex or not. */
static void limit_round(struct adreno_pc *pc, uint32_t fibers)
{
    struct pc_state *state = &pc->state;
    state->batch_prims = MIN2(state->batch_prims, MAX2(PC_BATCH_FIBERS / fibers, 1u));
    const uint64_t batch_B = (uint64_t)state->batch_prims * fibers * MAX2(pc->vpc.record_dw, 1u) * 4;
    state->round_batches = (uint32_t)MIN2((uint64_t)state->round_batches, MAX2(PC_ROUND_RECORDS_B / batch_B, 1ull));
}

bool adreno_pc_geometry_init(struct adreno_pc *pc)
{
    struct adreno_gpu *gpu = pc->gpu;
    struct pc_geometry *gs = &pc->geometry;
    gs->is_on = pc->draw->has_gs;
    if (!gs->is_on)
        return true;
    struct adreno_PC_GS_PARAM_0 param = adreno_unpack_PC_GS_PARAM_0(gpu->regs[ADRENO_REG_PC_GS_PARAM_0]);
    struct adreno_VFD_CNTL_5 inputs = adreno_unpack_VFD_CNTL_5(gpu->regs[ADRENO_REG_VFD_CNTL_5]);
    if (param.LINELENGTHEN)
        return adreno_stop_register(gpu, ADRENO_REG_PC_GS_PARAM_0, "lengths of lines are not modelled");
    if (pc->state.kind == RASTER_RECT)
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "rectangles with a geometry shader");
    gs->inputs = pc->patches.is_on ? pc->state.vertices : pc->state.inputs;
    gs->outputs = param.GS_VERTICES_OUT + 1;
    gs->invocations = param.GS_INVOCATIONS + 1;
    gs->header_reg = (uint8_t)inputs.REGID_GSHEADER;
    gs->prim_id_reg = pc->patches.is_on ? pc->patches.prim_id_reg : pc->vfd.prim_id_reg;
    gs->view_reg = (uint8_t)inputs.REGID_GSVIEWID;
    gs->flags_reg = (uint8_t)adreno_unpack_SP_GS_OUTPUT_CNTL(gpu->regs[ADRENO_REG_SP_GS_OUTPUT_CNTL]).FLAGS_REGID;
    gs->raster_stream = (uint8_t)adreno_unpack_VPC_RAST_STREAM_CNTL(gpu->regs[ADRENO_REG_VPC_RAST_STREAM_CNTL]).STREAM;
    if (gs->flags_reg >= ADRENO_NO_REG)
        return adreno_stop_register(gpu, ADRENO_REG_SP_GS_OUTPUT_CNTL, "a geometry shader without flags");
    gs->fibers = MAX2(gs->inputs, gs->outputs * gs->invocations);
    gs->waves = (uint32_t)div_round_up(gs->fibers, WAVE);
    /* With views a vertex has the outputs of each. */
    uint32_t prim_B = adreno_unpack_PC_PRIMITIVE_CNTL_6(gpu->regs[ADRENO_REG_PC_PRIMITIVE_CNTL_6]).STRIDE_IN_VPC * 16 *
                      pc->state.view_count;
    if (prim_B > ADRENO_LOCAL_SIZE_B)
        return adreno_stop_register(gpu, ADRENO_REG_PC_PRIMITIVE_CNTL_6, "local memory has 32 KiB");
    gs->per_wave = MAX2(MIN2(WAVE / gs->fibers, ADRENO_LOCAL_SIZE_B / MAX2(prim_B, 1u)), 1u);
    _Static_assert(WAVE <= HEADER_PRIMS, "the header has room for all primitives of a wave");
    set_output(&pc->state, param.GS_OUTPUT);
    limit_round(pc, gs->waves * WAVE / gs->per_wave);
    if (!adreno_hlsq_program(gpu, ADRENO_STAGE_GS, &gs->launch))
        return false;
    struct adreno_launch *before = pc->patches.is_on ? &pc->patches.domain : &pc->vertex_launch;
    gs->launch.local_size_B = before->local_size_B = gs->per_wave * prim_B;
    before->has_next = true;
    return true;
}

/* ---- waves ---- */

/* The fibers of a wave, by lanes. */
struct fibers {
    uint32_t header[WAVE], vertex_id[WAVE], instance[WAVE], prim_id[WAVE], view[WAVE], point[WAVE];
    uint8_t views[WAVE];
    struct lane_mask vertices, outputs; /* of either shader */
};

/* Primitives that the geometry shader reads: the worker's, or those of its patches' points. */
static uint32_t prim_count(const struct adreno_pc *pc, const struct pc_worker *worker)
{
    return pc->patches.is_on ? worker->point_prims.count : worker->prim_count;
}

static const struct pc_prim *prim_at(const struct adreno_pc *pc, const struct pc_worker *worker, uint32_t number)
{
    return &worker->prims[pc->patches.is_on ? worker->point_prims.data[number].prim : number];
}

static void fill_vertex(const struct adreno_pc *pc, const struct pc_worker *worker, uint32_t prim, uint32_t k,
                        struct fibers *fibers, uint32_t lane)
{
    if (pc->patches.is_on) {
        fibers->point[lane] = worker->point_prims.data[prim].vertex[k];
        return;
    }
    const uint32_t vertex = worker->prims[prim].vertex[0] + k;
    fibers->vertex_id[lane] = worker->vertices.vertex_id[vertex];
    fibers->instance[lane] = worker->vertices.instance[vertex];
}

/* Wave number `wave` of primitives from `first` on. */
static void fill_fibers(const struct adreno_pc *pc, const struct pc_worker *worker, uint32_t first, uint32_t count,
                        uint32_t wave, struct fibers *fibers)
{
    const struct pc_geometry *gs = &pc->geometry;
    fibers->vertices = fibers->outputs = lane_mask_none();
    for (uint32_t lane = 0; lane < WAVE; lane++) {
        const uint32_t number = gs->waves > 1 ? 0 : lane / gs->fibers;
        const uint32_t k = gs->waves > 1 ? wave * WAVE + lane : lane % gs->fibers;
        const bool is_there = number < count && k < gs->fibers;
        const bool is_vertex = is_there && k < gs->inputs, is_output = is_there && k < gs->outputs * gs->invocations;
        const struct pc_prim *prim = prim_at(pc, worker, first + (is_there ? number : 0));
        fibers->header[lane] = number | (is_vertex ? k : 0) << HEADER_VERTEX_SHIFT |
                               (k / gs->outputs & 31) << HEADER_INVOCATION_SHIFT |
                               k % gs->outputs << HEADER_OUTPUT_SHIFT;
        fill_vertex(pc, worker, first + (is_there ? number : 0), is_vertex ? k : 0, fibers, lane);
        fibers->prim_id[lane] = prim->id;
        fibers->views[lane] = prim->view;
        fibers->view[lane] = prim->view;
        if (is_vertex)
            fibers->vertices = lane_mask_with(fibers->vertices, lane);
        if (is_output)
            fibers->outputs = lane_mask_with(fibers->outputs, lane);
    }
}

void adreno_pc_write_input(struct adreno_wave *wave, uint8_t reg, const uint32_t *lanes)
{
    if (reg < ADRENO_NO_REG)
        adreno_wave_write(wave, reg, false, lanes);
}

struct adreno_wave *adreno_pc_begin_wave(struct adreno_pc *pc, struct pc_worker *worker,
                                         const struct adreno_launch *launch, struct lane_mask lanes)
{
    struct adreno_wave *wave = adreno_sp_begin(worker->sp, launch);
    if (!wave) {
        adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "no wave of a geometry stage could be launched");
        return NULL;
    }
    wave->local = worker->local;
    wave->launched = wave->covered = lanes;
    adreno_wave_run_lanes(wave, lanes);
    return wave;
}

bool adreno_pc_run_wave(struct adreno_pc *pc, struct adreno_wave *wave)
{
    if (adreno_sp_run(wave))
        return true;
    adreno_sp_report(pc->gpu, wave);
    return false;
}

/* Registers of a geometry shader at its start: the vertex shader got them, and has left them there. */
static void write_header(const struct adreno_pc *pc, struct adreno_wave *wave, const struct fibers *fibers)
{
    adreno_pc_write_input(wave, pc->geometry.header_reg, fibers->header);
    adreno_pc_write_input(wave, pc->geometry.prim_id_reg, fibers->prim_id);
    adreno_pc_write_input(wave, pc->geometry.view_reg, fibers->view);
}

static bool run_vertices(struct adreno_pc *pc, struct pc_worker *worker, const struct fibers *fibers)
{
    const struct vfd_lanes lanes = {WAVE, fibers->vertex_id, fibers->instance, fibers->prim_id, fibers->views};
    const bool is_domain = pc->patches.is_on;
    struct adreno_wave *wave =
        adreno_pc_begin_wave(pc, worker, is_domain ? &pc->patches.domain : &pc->vertex_launch, fibers->vertices);
    if (!wave || (!is_domain && !adreno_vfd_load(&pc->vfd, pc->gpu, &lanes, wave)))
        return false;
    if (is_domain)
        adreno_pc_write_points(pc, worker, wave, fibers->point, WAVE);
    write_header(pc, wave, fibers);
    if (!adreno_pc_run_wave(pc, wave))
        return false;
    if (!wave->has_chained)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "a stage that does not chain to the geometry shader");
    *(is_domain ? &worker->ds_invocations : &worker->vs_invocations) += lane_mask_count(fibers->vertices);
    return true;
}

static bool run_outputs(struct adreno_pc *pc, struct pc_worker *worker, const struct fibers *fibers, bool has_chained,
                        uint32_t first, float *records)
{
    const struct pc_geometry *gs = &pc->geometry;
    struct adreno_wave *wave = adreno_pc_begin_wave(pc, worker, &gs->launch, fibers->outputs);
    if (!wave)
        return false;
    if (has_chained) {
        const uint8_t kept[] = {gs->header_reg, gs->prim_id_reg, gs->view_reg};
        for (unsigned i = 0; i < ARRAY_SIZE(kept); i++) {
            if (kept[i] < ADRENO_NO_REG)
                adreno_wave_has_input(wave, kept[i], false);
        }
    } else {
        write_header(pc, wave, fibers);
    }
    if (!adreno_pc_run_wave(pc, wave))
        return false;
    adreno_vpc_take(&pc->vpc, wave, WAVE, fibers->views, worker->emitted_pos + first, records);
    const struct lane_mask given = lane_mask_and_not(fibers->outputs, wave->killed);
    const uint32_t *flags = adreno_wave_row(wave, gs->flags_reg);
    for (uint32_t lane = 0; lane < WAVE; lane++) {
        worker->emitted.data[first + lane] =
            (struct pc_emitted){.flags = flags[lane], .is_vertex = lane_mask_has(given, lane)};
    }
    return true;
}

/* ---- strips ---- */

bool adreno_pc_stream_primitive(struct adreno_pc *pc, struct pc_worker *worker, const uint32_t corners[3],
                                unsigned stream)
{
    struct pc_streamed *streamed = arena_alloc(&worker->arena, sizeof(*streamed));
    if (!streamed)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    *streamed = (struct pc_streamed){.stream = (uint8_t)stream};
    for (unsigned i = 0; i < 3; i++)
        streamed->records[i] = worker->assembler.vertices.params + (size_t)corners[i] * pc->vpc.record_dw;
    if (!worker->batch->streamed_end)
        worker->batch->streamed_end = &worker->batch->streamed;
    *worker->batch->streamed_end = streamed;
    worker->batch->streamed_end = &streamed->next;
    return true;
}

/* The vertices of a strip's primitive number `number`, the last of them at `last`: every second triangle turns the
 * other way, and its provoking vertex stays the first or the last. */
static void strip_corners(const struct pc_state *state, const uint32_t last[3], uint32_t number, uint32_t corners[3])
{
    const bool is_odd = state->vertices == 3 && number & 1;
    memcpy(corners, last, 3 * sizeof(*corners));
    if (is_odd && state->provoking_last) {
        corners[0] = last[1];
        corners[1] = last[0];
    } else if (is_odd) {
        corners[1] = last[2];
        corners[2] = last[1];
    }
}

static bool assemble_invocation(struct adreno_pc *pc, struct pc_worker *worker, const struct pc_prim *prim,
                                uint32_t first)
{
    const struct pc_geometry *gs = &pc->geometry;
    const unsigned vertices = pc->state.vertices;
    uint32_t strip[3] = {0}, length = 0;
    for (uint32_t i = first; i < first + gs->outputs; i++) {
        const struct pc_emitted *emitted = &worker->emitted.data[i];
        const unsigned stream = emitted->flags & FLAGS_STREAM_MASK;
        if (!emitted->is_vertex)
            continue;
        if (emitted->flags & FLAGS_BEGIN)
            length = 0;
        if (length < vertices) {
            strip[length] = i;
        } else {
            memmove(strip, strip + 1, (vertices - 1) * sizeof(*strip));
            strip[vertices - 1] = i;
        }
        if (++length < vertices)
            continue;
        uint32_t corners[3];
        strip_corners(&pc->state, strip, length - vertices, corners);
        worker->gs_primitives++;
        if (pc->streamout.is_on && !adreno_pc_stream_primitive(pc, worker, corners, stream))
            return false;
        if (stream == gs->raster_stream && !adreno_pc_take_primitive(pc, worker, prim, corners))
            return false;
        if (vertices == 1)
            length = 0;
    }
    return true;
}

/* ---- groups: primitives of a wave, or one of several waves ---- */

bool adreno_pc_make_room(struct adreno_pc *pc, struct pc_worker *worker, uint32_t fibers)
{
    if (!worker->local)
        worker->local = calloc(1, ADRENO_LOCAL_SIZE_B);
    if (worker->emitted_room < fibers) {
        free(worker->emitted_pos);
        worker->emitted_pos = malloc(fibers * sizeof(*worker->emitted_pos));
        worker->emitted_room = worker->emitted_pos ? fibers : 0;
    }
    if (!worker->local || !worker->emitted_pos || !array_reserve(&worker->emitted, fibers))
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    return true;
}

static bool run_group(struct adreno_pc *pc, struct pc_worker *worker, uint32_t first, uint32_t count)
{
    const struct pc_geometry *gs = &pc->geometry;
    const uint32_t record_dw = pc->vpc.record_dw;
    struct fibers fibers;
    float *records = arena_alloc(&worker->arena, MAX2((size_t)gs->waves * WAVE * record_dw, 1) * sizeof(*records));
    if (!records)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    for (uint32_t wave = 0; wave < gs->waves; wave++) {
        fill_fibers(pc, worker, first, count, wave, &fibers);
        if (wave == 0 && !run_vertices(pc, worker, &fibers))
            return false;
        if (!run_outputs(pc, worker, &fibers, wave == 0, wave * WAVE, records + (size_t)wave * WAVE * record_dw))
            return false;
    }
    worker->assembler.vertices = (struct raster_vertices){
        .pos = (const float(*)[RASTER_POS_VECTORS][4])worker->emitted_pos,
        .params = records,
        .param_floats = record_dw,
    };
    worker->gs_invocations += (uint64_t)count * gs->invocations;
    for (uint32_t p = 0; p < count; p++) {
        for (unsigned i = 0; i < gs->invocations; i++) {
            if (!assemble_invocation(pc, worker, prim_at(pc, worker, first + p), p * gs->fibers + i * gs->outputs))
                return false;
        }
    }
    return true;
}

bool adreno_pc_shade_geometry(struct adreno_pc *pc, struct pc_worker *worker)
{
    const struct pc_geometry *gs = &pc->geometry;
    if (!adreno_pc_make_room(pc, worker, gs->waves * WAVE))
        return false;
    const uint32_t total = prim_count(pc, worker);
    for (uint32_t first = 0; first < total; first += gs->per_wave) {
        if (!run_group(pc, worker, first, MIN2(total - first, gs->per_wave)))
            return false;
    }
    return true;
}

bool adreno_pc_write_streams(struct adreno_pc *pc)
{
    for (uint32_t b = 0; b < pc->batch_count; b++) {
        for (const struct pc_streamed *s = pc->batches[b].streamed; s; s = s->next) {
            if (!adreno_vpc_streamout_write(&pc->streamout, pc->gpu, s->stream, pc->stream_prims[s->stream]++,
                                            s->records))
                return false;
        }
    }
    return true;
}
