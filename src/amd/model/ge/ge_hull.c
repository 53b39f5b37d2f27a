/* The merged LS-HS stage: a threadgroup has a thread for every control point of its patches, for those that go in and
 * those that come out. It leaves its outputs in an off-chip buffer and levels in a ring of their own, from which the
 * tessellator reads them; its points are the vertices of the stage after it.
 *
 * A worker takes a threadgroup from its control points to its last primitive, so that the rings need room for one
 * threadgroup of each worker. It moves on in them from one to the next, as the hardware does. */
#include "amd/model/ge/ge_hull.h"
#include "amd/model/coherence.h"

#include <stdlib.h>
#include <string.h>

#include "amd/model/ge/ge.h"
#include "amd/model/register_fields.h"
#include "util/bits.h"

#define LEVEL_GROUP_ALIGN_B 256

/* ---- registers ---- */

static const char *read_mode(struct ge_hull_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    static const enum tess_domain domains[] = {[AMD_TESS_TYPE_ISOLINE] = TESS_DOMAIN_ISOLINES,
                                               [AMD_TESS_TYPE_TRIANGLE] = TESS_DOMAIN_TRIANGLES,
                                               [AMD_TESS_TYPE_QUAD] = TESS_DOMAIN_QUADS};
    static const enum tess_spacing spacings[] = {[AMD_TESS_PARTITION_INTEGER] = TESS_SPACING_EQUAL,
                                                 [AMD_TESS_PARTITION_POW2] = TESS_SPACING_POWERS,
                                                 [AMD_TESS_PARTITION_FRAC_ODD] = TESS_SPACING_ODD,
                                                 [AMD_TESS_PARTITION_FRAC_EVEN] = TESS_SPACING_EVEN};
    static const enum tess_output outputs[] = {[AMD_TESS_TOPOLOGY_POINT] = TESS_OUTPUT_POINTS,
                                               [AMD_TESS_TOPOLOGY_LINE] = TESS_OUTPUT_LINES,
                                               [AMD_TESS_TOPOLOGY_TRIANGLE_CW] = TESS_OUTPUT_CW,
                                               [AMD_TESS_TOPOLOGY_TRIANGLE_CCW] = TESS_OUTPUT_CCW};
    static const uint8_t level_dw[] = {
        [TESS_DOMAIN_ISOLINES] = 2, [TESS_DOMAIN_TRIANGLES] = 4, [TESS_DOMAIN_QUADS] = 6};
    const struct amd_VGT_TF_PARAM param = GET(VGT_TF_PARAM);
    if (param.TYPE >= ARRAY_SIZE(domains) || param.PARTITIONING >= ARRAY_SIZE(spacings) ||
        param.TOPOLOGY >= ARRAY_SIZE(outputs))
        return "a mode of the tessellator (VGT_TF_PARAM)";
    state->mode.domain = domains[param.TYPE];
    state->mode.spacing = spacings[param.PARTITIONING];
    state->mode.output = outputs[param.TOPOLOGY];
    const bool is_line = state->mode.output == TESS_OUTPUT_LINES;
    if (state->mode.output != TESS_OUTPUT_POINTS && is_line != (state->mode.domain == TESS_DOMAIN_ISOLINES))
        return "triangles of isolines, or lines of patches with an inside (VGT_TF_PARAM)";
    const uint32_t max_level = GET_WORD(VGT_HOS_MAX_TESS_LEVEL);
    memcpy(&state->mode.max_level, &max_level, sizeof(max_level));
    if (!(state->mode.max_level >= 1) || GET_WORD(VGT_HOS_MIN_TESS_LEVEL))
        return "limits of levels (VGT_HOS_MAX_TESS_LEVEL, VGT_HOS_MIN_TESS_LEVEL)";
    state->level_dw = level_dw[state->mode.domain];
    return NULL;
}

static void read_rings(struct ge_hull_state *state, enum amd_gfx gfx, const struct cp_registers *registers)
{
    static const uint32_t granularity_dw[] = {[AMD_OFFCHIP_GRANULARITY_8K_DWORDS] = 8192,
                                              [AMD_OFFCHIP_GRANULARITY_4K_DWORDS] = 4096,
                                              [AMD_OFFCHIP_GRANULARITY_2K_DWORDS] = 2048,
                                              [AMD_OFFCHIP_GRANULARITY_1K_DWORDS] = 1024};
    const struct amd_VGT_HS_OFFCHIP_PARAM offchip = GET(VGT_HS_OFFCHIP_PARAM);
    state->offchip_B = granularity_dw[offchip.OFFCHIP_GRANULARITY & 3] * 4;
    state->offchip_groups = offchip.OFFCHIP_BUFFERING + 1;
    state->level_va = (uint64_t)bits_sign_extend(
        ((uint64_t)GET_WORD(VGT_TF_MEMORY_BASE) | (uint64_t)(GET_WORD(VGT_TF_MEMORY_BASE_HI) & 0xff) << 32) << 8, 48);
    state->level_group_B = (uint32_t)align_u64(state->patches * state->level_dw * 4, LEVEL_GROUP_ALIGN_B);
    state->level_groups = GET(VGT_TF_RING_SIZE).SIZE * 4 / state->level_group_B;
}

const char *amd_ge_hull_state_init(struct ge *ge, const struct cp_registers *registers)
{
    const enum amd_gfx gfx = ge->chip->gfx;
    struct ge_hull_state *state = &ge->pipeline.ge.hull;
    const struct amd_VGT_LS_HS_CONFIG config = GET(VGT_LS_HS_CONFIG);
    const struct amd_SPI_SHADER_PGM_RSRC1_HS rsrc1 = GET(SPI_SHADER_PGM_RSRC1_HS);
    amd_spi_stage_init(&state->stage, registers, GET_WORD(SPI_SHADER_PGM_LO_LS), GET_WORD(SPI_SHADER_PGM_HI_LS),
                       GET_WORD(SPI_SHADER_PGM_RSRC1_HS), GET_WORD(SPI_SHADER_PGM_RSRC2_HS),
                       AMD_REG_SPI_SHADER_USER_DATA_HS_GFX10_3, GET(VGT_SHADER_STAGES_EN).HS_W32_EN);
    state->is_on = true;
    state->stage.is_wgp_mode = rsrc1.WGP_MODE;
    state->vertex_components = rsrc1.LS_VGPR_COMP_CNT;
    state->lds_size_B = MIN2(GET(SPI_SHADER_PGM_RSRC2_HS).LDS_SIZE * 512u, (uint32_t)SQ_LDS_B);
    state->user_address[0] = cp_reg_if_written(registers, AMD_REG_SPI_SHADER_USER_DATA_ADDR_LO_HS_GFX10_3);
    state->user_address[1] = cp_reg_if_written(registers, AMD_REG_SPI_SHADER_USER_DATA_ADDR_HI_HS_GFX10_3);
    state->patches = config.NUM_PATCHES;
    state->in_points = config.HS_NUM_INPUT_CP;
    state->out_points = config.HS_NUM_OUTPUT_CP;
    const uint32_t threads = state->patches * MAX2(state->in_points, state->out_points);
    if (!state->patches || !state->in_points || state->in_points > 32 || !state->out_points || state->out_points > 32 ||
        threads > 16 * state->stage.lanes || threads > GE_MAX_VERTICES)
        return "the size of a threadgroup of patches (VGT_LS_HS_CONFIG)";
    const char *why = read_mode(state, gfx, registers);
    if (why)
        return why;
    read_rings(state, gfx, registers);
    if (state->level_groups < ge->slots || state->offchip_groups < ge->slots)
        return "rings of tessellation with room for fewer threadgroups than there are workers (VGT_TF_RING_SIZE)";
    return NULL;
}

/* ---- waves ---- */

bool amd_ge_hull_begin_draw(struct ge *ge)
{
    for (unsigned i = 0; i < ge->slots; i++) {
        struct ge_hull *hull = ge->worker[i].hull;
        if (!hull && ge->pipeline.ge.hull.is_on) {
            hull = ge->worker[i].hull = calloc(1, sizeof(*hull));
            if (hull)
                hull->group = amd_sq_workgroup_create(i);
            if (!hull || !hull->group)
                return false;
        }
        if (hull) {
            hull->is_running = hull->is_ready = hull->is_made = false;
            hull->hs_invocations = hull->ds_invocations = hull->ls_invocations = 0;
        }
    }
    return true;
}

void amd_ge_hull_destroy(struct ge_hull *hull)
{
    if (hull)
        amd_sq_workgroup_destroy(hull->group);
    free(hull);
}

static uint32_t lanes_of_wave(const struct sq_wave *wave, uint32_t threads)
{
    const uint32_t first = wave->wave_in_group * wave->lanes;
    return threads > first ? MIN2(threads - first, wave->lanes) : 0;
}

/* s0-1 an address, s2 the off-chip buffer, s3 the wave, s4 the levels, s5 private memory, user data from s8 on. v0 is
 * the patch's number in the draw, v1 that in the threadgroup and the output point's; then the vertex's, its number in
 * the threadgroup and the instance. */
static void load_wave(const struct ge_hull_state *state, const struct ge_worker *worker, struct sq_wave *wave,
                      uint32_t wave_count, uint32_t scratch_slot)
{
    const struct ge_hull *hull = worker->hull;
    const struct ge_subgroup *subgroup = &worker->subgroup;
    const uint32_t first = wave->wave_in_group * wave->lanes, lanes = wave->lanes;
    const uint32_t vertices = lanes_of_wave(wave, hull->vertex_count),
                   points = lanes_of_wave(wave, hull->patch_count * state->out_points);
    wave->sgpr[0] = state->user_address[0];
    wave->sgpr[1] = state->user_address[1];
    wave->sgpr[2] = hull->offchip_at_B;
    wave->sgpr[3] = vertices | points << 8 | wave->wave_in_group << 24 | wave_count << 28;
    wave->sgpr[4] = hull->level_at_B;
    wave->sgpr[5] = scratch_slot * state->stage.scratch_wave_B;
    memcpy(wave->sgpr + 8, state->stage.user_data, state->stage.user_count * 4);
    for (uint32_t i = 0; i < points; i++) {
        const uint32_t patch = (first + i) / state->out_points, point = (first + i) % state->out_points;
        wave->vgpr[i] = hull->prim_id[patch];
        wave->vgpr[lanes + i] = patch | point << 8;
    }
    for (uint32_t i = 0; i < vertices; i++) {
        wave->vgpr[2 * lanes + i] = subgroup->vertex_id[first + i];
        if (state->vertex_components >= 1)
            wave->vgpr[3 * lanes + i] = first + i;
        if (state->vertex_components >= 3)
            wave->vgpr[5 * lanes + i] = subgroup->instance_id[first + i];
    }
}

bool amd_ge_hull_begin(struct ge *ge, struct ge_worker *worker, struct sq_code *code, unsigned slot,
                       uint32_t scratch_slot)
{
    const struct ge_hull_state *state = &ge->pipeline.ge.hull;
    struct ge_hull *hull = worker->hull;
    if (!amd_ge_index_patches(ge, worker))
        return false;
    const uint32_t threads = hull->patch_count * MAX2(state->in_points, state->out_points),
                   waves = (uint32_t)div_round_up(threads, state->stage.lanes);
    const uint32_t turns = MIN2(state->level_groups, state->offchip_groups) / ge->slots;
    const uint32_t group = hull->turn++ % turns * ge->slots + slot;
    hull->level_at_B = group * state->level_group_B;
    hull->offchip_at_B = group * state->offchip_B;
    struct sq_launch launch = ge->hull_launch;
    launch.owner = worker;
    if (!amd_sq_workgroup_begin(hull->group, &launch, code, waves)) {
        amd_ge_fault_host(ge);
        return false;
    }
    for (uint32_t i = 0; i < waves; i++)
        load_wave(state, worker, hull->group->waves[i], waves, scratch_slot + i);
    hull->hs_invocations += hull->patch_count;
    hull->ls_invocations += hull->vertex_count;
    hull->is_running = true;
    return true;
}

void amd_ge_hull_end(struct ge_worker *worker)
{
    struct ge_hull *hull = worker->hull;
    hull->is_running = false;
    hull->is_ready = true;
    hull->patch = hull->next_prim = 0;
    hull->is_in_hand = false;
}

/* ---- the tessellator ---- */

/* In the ring: outer levels, then inner ones; of isolines the segments first. */
static bool read_levels(struct ge *ge, const struct ge_hull *hull, struct tess_levels *levels_out)
{
    const struct ge_hull_state *state = &ge->pipeline.ge.hull;
    const uint64_t va = state->level_va + hull->level_at_B + (uint64_t)hull->patch * state->level_dw * 4;
    float words[6] = {0};
    if (__builtin_expect(ge->draw->vertices != NULL, 0))
        coherence_read(ge->draw->vertices, AMD_CLIENT_LEVELS, 0, va, state->level_dw * 4);
    if (gpu_space_read(ge->draw->memory, va, words, state->level_dw * 4) != state->level_dw * 4) {
        amd_ge_fault_memory(ge, "the ring of tessellation levels", va, false);
        return false;
    }
    *levels_out = (struct tess_levels){0};
    switch (state->mode.domain) {
    case TESS_DOMAIN_ISOLINES:
        levels_out->outer[0] = words[1];
        levels_out->outer[1] = words[0];
        break;
    case TESS_DOMAIN_TRIANGLES:
        memcpy(levels_out->outer, words, 3 * sizeof(float));
        levels_out->inner[0] = words[3];
        break;
    case TESS_DOMAIN_QUADS:
        memcpy(levels_out->outer, words, 4 * sizeof(float));
        memcpy(levels_out->inner, words + 4, 2 * sizeof(float));
        break;
    }
    return true;
}

/* The patch in hand; most of them have the levels of the one before. */
static bool make_patch(struct ge *ge, struct ge_hull *hull)
{
    struct tess_levels levels;
    if (!read_levels(ge, hull, &levels))
        return false;
    if (!hull->is_made || memcmp(&levels, &hull->levels, sizeof(levels)) != 0)
        tessellate(&ge->pipeline.ge.hull.mode, &levels, &hull->made);
    hull->levels = levels;
    hull->is_made = hull->is_in_hand = true;
    return true;
}

static uint16_t find_point(const struct ge_state *state, struct ge_hull *hull, struct ge_subgroup *subgroup,
                           uint16_t point)
{
    if (!(state->streamout && !state->has_ring) && hull->place_of[point] == hull->subgroup)
        return hull->place[point];
    const uint32_t at = subgroup->vertex_count++;
    memcpy(&subgroup->vertex_id[at], &hull->made.points[point].u, sizeof(float));
    memcpy(&subgroup->instance_id[at], &hull->made.points[point].v, sizeof(float));
    subgroup->vertex_prim_id[at] = hull->prim_id[hull->patch];
    subgroup->vertex_patch[at] = hull->patch;
    hull->place_of[point] = hull->subgroup;
    hull->place[point] = (uint16_t)at;
    return (uint16_t)at;
}

/* The points of every patch get new places, and so do those of every subgroup. */
static void forget_places(struct ge_hull *hull)
{
    if (++hull->subgroup == 0) {
        memset(hull->place_of, 0, sizeof(hull->place_of));
        hull->subgroup = 1;
    }
}

/* Primitives of the patch in hand, as many as there is room for. True: it is used up. */
static bool take_prims(const struct ge_state *state, struct ge_hull *hull, struct ge_subgroup *subgroup)
{
    const uint32_t count = hull->made.prim_vertices;
    forget_places(hull);
    while (hull->next_prim < hull->made.prim_count) {
        if (subgroup->prim_count == state->max_prims || subgroup->vertex_count + count > state->max_vertices)
            return false;
        uint16_t *vertices = subgroup->prims[subgroup->prim_count];
        memset(vertices, 0, sizeof(subgroup->prims[0]));
        for (uint32_t i = 0; i < count; i++)
            vertices[i] = find_point(state, hull, subgroup, hull->made.prims[hull->next_prim][i]);
        subgroup->edges[subgroup->prim_count] = RASTER_ALL_EDGES;
        subgroup->prim_id[subgroup->prim_count++] = hull->prim_id[hull->patch];
        hull->next_prim++;
        if (state->gs_split)
            return hull->next_prim == hull->made.prim_count;
    }
    return true;
}

/* Every instance of a geometry shader that has a subgroup of its own sees the same primitive. */
static bool is_instance_left(const struct ge_state *state, struct ge_worker *worker)
{
    worker->subgroup.gs_first = worker->gs_instance;
    worker->gs_instance = (worker->gs_instance + 1) % state->gs_instances;
    return worker->gs_instance != 0;
}

bool amd_ge_hull_subgroup(struct ge *ge, struct ge_worker *worker)
{
    const struct ge_state *state = &ge->pipeline.ge;
    struct ge_hull *hull = worker->hull;
    struct ge_subgroup *subgroup = &worker->subgroup;
    subgroup->vertex_count = subgroup->prim_count = subgroup->gs_first = 0;
    subgroup->gs_per_prim = state->gs_split ? 1 : state->gs_instances;
    while (hull->patch < hull->patch_count) {
        if (!hull->is_in_hand && !make_patch(ge, hull))
            return false;
        const uint32_t before = subgroup->prim_count;
        bool is_used_up = take_prims(state, hull, subgroup);
        if (state->gs_split && subgroup->prim_count != before && is_instance_left(state, worker)) {
            hull->next_prim--;
            is_used_up = false;
        }
        if (is_used_up) {
            hull->patch++;
            hull->next_prim = 0;
            hull->is_in_hand = false;
        }
        if (!is_used_up || (state->gs_split && subgroup->prim_count))
            break;
    }
    hull->ds_invocations += subgroup->vertex_count;
    if (ge->streamout.streams && !state->has_ring) {
        subgroup->first_prim = ge->streamout.needs[0];
        ge->streamout.needs[0] += subgroup->prim_count;
    }
    return true;
}
