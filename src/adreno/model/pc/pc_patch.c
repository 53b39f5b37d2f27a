/* Tessellation. Vertex and hull shader are one wave, with local memory between them, as pc_geometry.c describes it for
 * geometry shaders; the hull shader's header has in its bits
 *
 *   0 to 5    the patch's number in the wave, and the same from bit 16 on, where chips after the first read it
 *   6 to 10   the control point that the vertex shader shades
 *   11 to 15  the one that the hull shader gives
 *
 * What the hull shader gives goes to buffers in memory by the patch's number among those that are under way together
 * (CP_SET_SUBDRAW_SIZE): levels where PC_TESS_BASE says, the rest where hull and domain shader agree upon. Levels of a
 * patch are a word for the primitive's number, the outer ones and the inner ones, as many as its domain has. Each point
 * of the tessellator's is a fiber of the domain shader. */
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/model/pc/pc.h"
#include "util/bits.h"

#define WAVE 64
#define HEADER_VERTEX_SHIFT 6
#define HEADER_INVOCATION_SHIFT 11
#define HEADER_PATCH_SHIFT 16
#define POINTS_TOGETHER 4096 /* so many are shaded before the next patch is cut */

/* ---- state ---- */

struct domain {
    enum tess_domain domain;
    unsigned outer, inner; /* levels in memory */
};
static const struct domain domains[] = {
    [ADRENO_PATCH_TYPE_QUADS] = {TESS_DOMAIN_QUADS, 4, 2},
    [ADRENO_PATCH_TYPE_TRIANGLES] = {TESS_DOMAIN_TRIANGLES, 3, 1},
    [ADRENO_PATCH_TYPE_ISOLINES] = {TESS_DOMAIN_ISOLINES, 2, 0},
};

static void read_mode(struct adreno_pc *pc, const struct domain *domain)
{
    static const uint8_t spacings[4] = {TESS_SPACING_EQUAL, TESS_SPACING_EQUAL, TESS_SPACING_ODD, TESS_SPACING_EVEN};
    /* The hardware's words are about a domain whose v goes up, those of the shared tessellator about one where it goes
     * down. */
    static const uint8_t outputs[4] = {TESS_OUTPUT_POINTS, TESS_OUTPUT_LINES, TESS_OUTPUT_CCW, TESS_OUTPUT_CW};
    static const uint8_t kinds[4] = {RASTER_POINT, RASTER_LINE, RASTER_TRIANGLE, RASTER_TRIANGLE};
    struct adreno_PC_DS_PARAM param = adreno_unpack_PC_DS_PARAM(pc->gpu->regs[ADRENO_REG_PC_DS_PARAM]);
    pc->patches.mode = (struct tess_mode){
        .domain = domain->domain,
        .spacing = spacings[param.SPACING],
        .output = outputs[param.OUTPUT],
        .max_level = TESS_MAX_LEVEL,
    };
    pc->state.kind = kinds[param.OUTPUT];
    pc->state.vertices = (uint8_t)pc->state.kind;
}

static void read_inputs(struct pc_patches *patches, const uint32_t *regs)
{
    struct adreno_VFD_CNTL_2 hull = adreno_unpack_VFD_CNTL_2(regs[ADRENO_REG_VFD_CNTL_2]);
    struct adreno_VFD_CNTL_3 domain = adreno_unpack_VFD_CNTL_3(regs[ADRENO_REG_VFD_CNTL_3]);
    patches->hull_header_reg = (uint8_t)hull.REGID_INVOCATIONID;
    patches->hull_patch_reg = (uint8_t)hull.REGID_HSRELPATCHID;
    patches->prim_id_reg = (uint8_t)domain.REGID_DSPRIMID;
    patches->patch_reg = (uint8_t)domain.REGID_DSRELPATCHID;
    patches->u_reg = (uint8_t)domain.REGID_TESSX;
    patches->v_reg = (uint8_t)domain.REGID_TESSY;
    patches->view_reg = (uint8_t)adreno_unpack_VFD_CNTL_4(regs[ADRENO_REG_VFD_CNTL_4]).REGID_DSVIEWID;
}

bool adreno_pc_patches_init(struct adreno_pc *pc)
{
    struct adreno_gpu *gpu = pc->gpu;
    struct pc_patches *patches = &pc->patches;
    patches->is_on = pc->draw->has_tess;
    if (!patches->is_on)
        return true;
    if (pc->draw->patch_type >= ARRAY_SIZE(domains))
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "a draw of PATCH_TYPE %u", pc->draw->patch_type);
    const struct domain *domain = &domains[pc->draw->patch_type];
    patches->inputs = pc->state.inputs;
    patches->outputs = adreno_unpack_PC_HS_PARAM_0(gpu->regs[ADRENO_REG_PC_HS_PARAM_0]).VALUE;
    if (patches->inputs > 32 || patches->outputs == 0 || patches->outputs > 32)
        return adreno_stop_register(gpu, ADRENO_REG_PC_HS_PARAM_0, "a patch has up to 32 control points");
    read_mode(pc, domain);
    read_inputs(patches, gpu->regs);
    patches->factors_va = adreno_reg64(gpu, ADRENO_REG_PC_TESS_BASE);
    patches->factors_dw = 1 + domain->outer + domain->inner;
    patches->subdraw = gpu->subdraw_size / patches->inputs;
    pc->state.batch_prims = MIN2(pc->state.batch_prims, PC_BATCH_PATCHES);
    pc->state.round_batches = PC_ROUND_PATCH_BATCHES;
    patches->fibers = MAX2(patches->inputs, patches->outputs);
    const uint32_t patch_B = adreno_unpack_PC_HS_PARAM_1(gpu->regs[ADRENO_REG_PC_HS_PARAM_1]).SIZE * 16;
    if (patch_B > ADRENO_LOCAL_SIZE_B)
        return adreno_stop_register(gpu, ADRENO_REG_PC_HS_PARAM_1, "local memory has 32 KiB");
    patches->per_wave = MAX2(MIN2(WAVE / patches->fibers, ADRENO_LOCAL_SIZE_B / MAX2(patch_B, 1u)), 1u);
    if (!adreno_hlsq_program(gpu, ADRENO_STAGE_HS, &patches->hull) ||
        !adreno_hlsq_program(gpu, ADRENO_STAGE_DS, &patches->domain))
        return false;
    patches->hull.local_size_B = pc->vertex_launch.local_size_B = patches->per_wave * patch_B;
    pc->vertex_launch.has_next = true;
    return true;
}

static uint32_t relative_of(const struct pc_patches *patches, uint64_t number)
{
    return (uint32_t)(patches->subdraw ? number % patches->subdraw : number);
}

/* ---- vertex and hull shader ---- */

struct hull_fibers {
    uint32_t header[WAVE], relative[WAVE], vertex_id[WAVE], instance[WAVE], prim_id[WAVE];
    uint8_t views[WAVE];
    struct lane_mask inputs, outputs;
};

static void fill_hull(const struct adreno_pc *pc, const struct pc_worker *worker, uint32_t first, uint32_t count,
                      struct hull_fibers *fibers)
{
    const struct pc_patches *patches = &pc->patches;
    fibers->inputs = fibers->outputs = lane_mask_none();
    for (uint32_t lane = 0; lane < WAVE; lane++) {
        const uint32_t number = lane / patches->fibers, k = lane % patches->fibers;
        const bool is_there = number < count;
        const struct pc_prim *prim = &worker->prims[first + (is_there ? number : 0)];
        const uint32_t vertex = prim->vertex[0] + (k < patches->inputs ? k : 0);
        fibers->header[lane] =
            number | k << HEADER_VERTEX_SHIFT | k << HEADER_INVOCATION_SHIFT | number << HEADER_PATCH_SHIFT;
        fibers->relative[lane] = relative_of(patches, prim->number);
        fibers->vertex_id[lane] = worker->vertices.vertex_id[vertex];
        fibers->instance[lane] = worker->vertices.instance[vertex];
        fibers->prim_id[lane] = prim->id;
        fibers->views[lane] = prim->view;
        if (is_there && k < patches->inputs)
            fibers->inputs = lane_mask_with(fibers->inputs, lane);
        if (is_there && k < patches->outputs)
            fibers->outputs = lane_mask_with(fibers->outputs, lane);
    }
}

static bool run_hull(struct adreno_pc *pc, struct pc_worker *worker, uint32_t first, uint32_t count)
{
    const struct pc_patches *patches = &pc->patches;
    struct hull_fibers fibers;
    fill_hull(pc, worker, first, count, &fibers);
    const struct vfd_lanes lanes = {WAVE, fibers.vertex_id, fibers.instance, fibers.prim_id, fibers.views};
    struct adreno_wave *wave = adreno_pc_begin_wave(pc, worker, &pc->vertex_launch, fibers.inputs);
    if (!wave || !adreno_vfd_load(&pc->vfd, pc->gpu, &lanes, wave))
        return false;
    adreno_pc_write_input(wave, patches->hull_header_reg, fibers.header);
    adreno_pc_write_input(wave, patches->hull_patch_reg, fibers.relative);
    if (!adreno_pc_run_wave(pc, wave))
        return false;
    if (!wave->has_chained)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "a vertex shader that does not chain to the hull shader");
    wave = adreno_pc_begin_wave(pc, worker, &patches->hull, fibers.outputs);
    if (!wave)
        return false;
    const uint8_t kept[] = {patches->hull_header_reg, patches->hull_patch_reg, pc->vfd.prim_id_reg};
    for (unsigned i = 0; i < ARRAY_SIZE(kept); i++) {
        if (kept[i] < ADRENO_NO_REG)
            adreno_wave_has_input(wave, kept[i], false);
    }
    worker->vs_invocations += lane_mask_count(fibers.inputs);
    worker->hs_patches += count;
    return adreno_pc_run_wave(pc, wave);
}

/* ---- the tessellator ---- */

static bool read_levels(struct adreno_pc *pc, uint32_t relative, struct tess_levels *levels)
{
    const struct pc_patches *patches = &pc->patches;
    const struct domain *domain = &domains[pc->draw->patch_type];
    const uint64_t va = patches->factors_va + (uint64_t)relative * patches->factors_dw * 4;
    float words[7] = {0};
    if (gpu_space_read(pc->gpu->space, va, words, patches->factors_dw * 4) != patches->factors_dw * 4)
        return adreno_fault(pc->gpu, "levels of a patch", va, patches->factors_dw * 4, false);
    *levels = (struct tess_levels){0};
    memcpy(levels->outer, words + 1, domain->outer * sizeof(float));
    memcpy(levels->inner, words + 1 + domain->outer, domain->inner * sizeof(float));
    return true;
}

/* The points and the primitives of a patch. */
static bool cut_patch(struct adreno_pc *pc, struct pc_worker *worker, uint32_t prim)
{
    struct tess_patch *patch = worker->tessellated;
    struct tess_levels levels;
    const uint32_t relative = relative_of(&pc->patches, worker->prims[prim].number), first = worker->points.count;
    if (!read_levels(pc, relative, &levels))
        return false;
    tessellate(&pc->patches.mode, &levels, patch);
    if (!array_reserve(&worker->points, first + patch->point_count) ||
        !array_reserve(&worker->point_prims, worker->point_prims.count + patch->prim_count))
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    for (uint32_t i = 0; i < patch->point_count; i++)
        worker->points.data[worker->points.count++] =
            (struct pc_point){patch->points[i].u, patch->points[i].v, prim, relative};
    for (uint32_t i = 0; i < patch->prim_count; i++) {
        struct pc_point_prim *to = &worker->point_prims.data[worker->point_prims.count++];
        *to = (struct pc_point_prim){.prim = prim};
        for (unsigned v = 0; v < patch->prim_vertices; v++)
            to->vertex[v] = first + patch->prims[i][v];
    }
    return true;
}

/* ---- the domain shader ---- */

void adreno_pc_write_points(const struct adreno_pc *pc, const struct pc_worker *worker, struct adreno_wave *wave,
                            const uint32_t *points, uint32_t count)
{
    const struct pc_patches *patches = &pc->patches;
    uint32_t u[WAVE] = {0}, v[WAVE] = {0}, relative[WAVE] = {0}, prim_id[WAVE] = {0}, view[WAVE] = {0};
    for (uint32_t lane = 0; lane < count; lane++) {
        const struct pc_point *point = &worker->points.data[points[lane]];
        u[lane] = float_bits(point->u);
        v[lane] = float_bits(point->v);
        relative[lane] = point->relative;
        prim_id[lane] = worker->prims[point->prim].id;
        view[lane] = worker->prims[point->prim].view;
    }
    adreno_pc_write_input(wave, patches->u_reg, u);
    adreno_pc_write_input(wave, patches->v_reg, v);
    adreno_pc_write_input(wave, patches->patch_reg, relative);
    adreno_pc_write_input(wave, patches->prim_id_reg, prim_id);
    adreno_pc_write_input(wave, patches->view_reg, view);
}

static bool run_domain(struct adreno_pc *pc, struct pc_worker *worker, uint32_t first, uint32_t count, float *records)
{
    uint32_t points[WAVE];
    uint8_t views[WAVE];
    for (uint32_t lane = 0; lane < count; lane++) {
        points[lane] = first + lane;
        views[lane] = worker->prims[worker->points.data[first + lane].prim].view;
    }
    struct adreno_wave *wave = adreno_pc_begin_wave(pc, worker, &pc->patches.domain, lane_mask_first(count));
    if (!wave)
        return false;
    adreno_pc_write_points(pc, worker, wave, points, count);
    if (!adreno_pc_run_wave(pc, wave))
        return false;
    adreno_vpc_take(&pc->vpc, wave, count, views, worker->emitted_pos + first,
                    records + (size_t)first * pc->vpc.record_dw);
    worker->ds_invocations += count;
    return true;
}

static bool shade_points(struct adreno_pc *pc, struct pc_worker *worker)
{
    const uint32_t count = worker->points.count, record_dw = pc->vpc.record_dw;
    float *records = arena_alloc(&worker->arena, MAX2((size_t)count * record_dw, 1) * sizeof(*records));
    if (!records)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    if (!adreno_pc_make_room(pc, worker, MAX2(count, 1u)))
        return false;
    for (uint32_t first = 0; first < count; first += WAVE) {
        if (!run_domain(pc, worker, first, MIN2(count - first, (uint32_t)WAVE), records))
            return false;
    }
    worker->assembler.vertices = (struct raster_vertices){
        .pos = (const float(*)[RASTER_POS_VECTORS][4])worker->emitted_pos,
        .params = records,
        .param_floats = record_dw,
    };
    for (uint32_t i = 0; i < worker->point_prims.count; i++) {
        const struct pc_point_prim *prim = &worker->point_prims.data[i];
        if (pc->streamout.is_on && !adreno_pc_stream_primitive(pc, worker, prim->vertex, 0))
            return false;
        if (!adreno_pc_take_primitive(pc, worker, &worker->prims[prim->prim], prim->vertex))
            return false;
    }
    return true;
}

static bool flush_points(struct adreno_pc *pc, struct pc_worker *worker)
{
    if (worker->points.count && !(pc->geometry.is_on ? adreno_pc_shade_geometry(pc, worker) : shade_points(pc, worker)))
        return false;
    worker->points.count = worker->point_prims.count = 0;
    return true;
}

bool adreno_pc_shade_patches(struct adreno_pc *pc, struct pc_worker *worker)
{
    const uint32_t per_wave = pc->patches.per_wave;
    if (!worker->tessellated)
        worker->tessellated = malloc(sizeof(*worker->tessellated));
    if (!worker->tessellated)
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    if (!adreno_pc_make_room(pc, worker, WAVE))
        return false;
    for (uint32_t first = 0; first < worker->prim_count; first += per_wave) {
        const uint32_t count = MIN2(worker->prim_count - first, per_wave);
        if (!run_hull(pc, worker, first, count))
            return false;
        for (uint32_t i = 0; i < count; i++) {
            if (!cut_patch(pc, worker, first + i))
                return false;
            if (worker->points.count >= POINTS_TOGETHER && !flush_points(pc, worker))
                return false;
        }
    }
    return flush_points(pc, worker);
}
