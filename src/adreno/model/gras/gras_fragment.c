/* Fragment waves: the registers that say what they get and give, and a tile's quads from coverage to colours. */
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/model/gras/gras.h"
#include "isa/lane_env.h"
#include "model/stat.h"
#include "util/bits.h"
#include "util/half.h"

#define TILE_QUADS (64 * 64 / 4)
#define QUADS_GONE 64 /* those that wait move up when so many have gone */

/* ---- registers ---- */

static bool read_prefetches(struct gras_state *state, struct adreno_gpu *gpu)
{
    static const uint8_t ops[8] = {
        [ADRENO_TEX_PREFETCH_CMD_SAM] = TPL1_SAM,           [ADRENO_TEX_PREFETCH_CMD_GATHER4R] = TPL1_GATHER4R,
        [ADRENO_TEX_PREFETCH_CMD_GATHER4G] = TPL1_GATHER4G, [ADRENO_TEX_PREFETCH_CMD_GATHER4B] = TPL1_GATHER4B,
        [ADRENO_TEX_PREFETCH_CMD_GATHER4A] = TPL1_GATHER4A,
    };
    struct adreno_SP_PS_INITIAL_TEX_LOAD_CNTL cntl =
        adreno_unpack_SP_PS_INITIAL_TEX_LOAD_CNTL(gpu->regs[ADRENO_REG_SP_PS_INITIAL_TEX_LOAD_CNTL]);
    if (cntl.COUNT > GRAS_MAX_PREFETCHES || cntl.WRITE_COLOR_TO_OUTPUT)
        return adreno_stop_register(gpu, ADRENO_REG_SP_PS_INITIAL_TEX_LOAD_CNTL,
                                    "no more than four texture loads, and none that is the colour");
    state->prefetch_count = cntl.COUNT;
    for (unsigned i = 0; i < cntl.COUNT; i++) {
        struct adreno_SP_PS_INITIAL_TEX_LOAD_CMD cmd =
            adreno_unpack_SP_PS_INITIAL_TEX_LOAD_CMD(gpu->regs[ADRENO_REG_SP_PS_INITIAL_TEX_LOAD_CMD + i]);
        struct adreno_SP_PS_INITIAL_TEX_INDEX_CMD index =
            adreno_unpack_SP_PS_INITIAL_TEX_INDEX_CMD(gpu->regs[ADRENO_REG_SP_PS_INITIAL_TEX_INDEX_CMD + i]);
        if (!ops[cmd.CMD])
            return adreno_stop_register(gpu, ADRENO_REG_SP_PS_INITIAL_TEX_LOAD_CMD + i, "what CMD does is not public");
        state->prefetches[i] = (struct gras_prefetch){
            .op = ops[cmd.CMD],
            .location = (uint8_t)cmd.SRC,
            .regid = (uint8_t)cmd.DST,
            .mask = (uint8_t)cmd.WRMASK,
            .is_half = cmd.HALF,
            .is_bindless = cmd.BINDLESS,
            .texture_set = (uint8_t)cmd.TEX_ID,
            .sampler_set = (uint8_t)cmd.SAMP_ID,
            .texture = cmd.BINDLESS ? index.TEX_ID : cmd.TEX_ID,
            .sampler = cmd.BINDLESS ? index.SAMP_ID : cmd.SAMP_ID,
        };
    }
    return true;
}

static void read_inputs(struct gras_state *state, const uint32_t *regs)
{
    struct adreno_SP_REG_PROG_ID_0 id0 = adreno_unpack_SP_REG_PROG_ID_0(regs[ADRENO_REG_SP_REG_PROG_ID_0]);
    struct adreno_SP_REG_PROG_ID_1 id1 = adreno_unpack_SP_REG_PROG_ID_1(regs[ADRENO_REG_SP_REG_PROG_ID_1]);
    struct adreno_SP_REG_PROG_ID_2 id2 = adreno_unpack_SP_REG_PROG_ID_2(regs[ADRENO_REG_SP_REG_PROG_ID_2]);
    struct adreno_RB_PS_INPUT_CNTL input = adreno_unpack_RB_PS_INPUT_CNTL(regs[ADRENO_REG_RB_PS_INPUT_CNTL]);
    state->face_reg = (uint8_t)id0.FACEREGID;
    state->sample_id_reg = (uint8_t)id0.SAMPLEID;
    state->sample_mask_reg = (uint8_t)id0.SAMPLEMASK;
    state->center_rhw_reg = (uint8_t)id0.CENTERRHW;
    state->ij_reg[GRAS_IJ_PERSP_PIXEL] = (uint8_t)id1.IJ_PERSP_PIXEL;
    state->ij_reg[GRAS_IJ_LINEAR_PIXEL] = (uint8_t)id1.IJ_LINEAR_PIXEL;
    state->ij_reg[GRAS_IJ_PERSP_CENTROID] = (uint8_t)id1.IJ_PERSP_CENTROID;
    state->ij_reg[GRAS_IJ_LINEAR_CENTROID] = (uint8_t)id1.IJ_LINEAR_CENTROID;
    state->ij_reg[GRAS_IJ_PERSP_SAMPLE] = (uint8_t)id2.IJ_PERSP_SAMPLE;
    state->ij_reg[GRAS_IJ_LINEAR_SAMPLE] = (uint8_t)id2.IJ_LINEAR_SAMPLE;
    state->xy_reg = (uint8_t)id2.XYCOORDREGID;
    state->zw_reg = (uint8_t)id2.ZWCOORDREGID;
    state->coord_at_sample = input.FRAGCOORDSAMPLEMODE == ADRENO_FRAGCOORD_SAMPLE_MODE_SAMPLE;
    state->mask_after_depth = input.POSTDEPTHCOVERAGE;
}

static void read_outputs(struct gras_state *state, const uint32_t *regs, const struct adreno_rb_draw *rb)
{
    struct adreno_SP_PS_OUTPUT_CNTL cntl = adreno_unpack_SP_PS_OUTPUT_CNTL(regs[ADRENO_REG_SP_PS_OUTPUT_CNTL]);
    struct adreno_RB_PS_OUTPUT_CNTL used = adreno_unpack_RB_PS_OUTPUT_CNTL(regs[ADRENO_REG_RB_PS_OUTPUT_CNTL]);
    state->depth_reg = used.FRAG_WRITES_Z ? (uint8_t)cntl.DEPTH_REGID : ADRENO_NO_REG;
    state->mask_reg = used.FRAG_WRITES_SAMPMASK ? (uint8_t)cntl.SAMPMASK_REGID : ADRENO_NO_REG;
    state->stencil_reg = used.FRAG_WRITES_STENCILREF ? (uint8_t)cntl.STENCILREF_REGID : ADRENO_NO_REG;
    state->output_mask = rb->outputs;
    for (unsigned i = 0; i < ADRENO_RB_TARGETS; i++) {
        struct adreno_SP_PS_OUTPUT output = adreno_unpack_SP_PS_OUTPUT(regs[ADRENO_REG_SP_PS_OUTPUT + i]);
        struct adreno_SP_PS_MRT mrt = adreno_unpack_SP_PS_MRT(regs[ADRENO_REG_SP_PS_MRT + i]);
        state->outputs[i] = (struct gras_output){
            .regid = (uint8_t)output.REGID,
            .is_half = output.HALF_PRECISION,
            .numeric = mrt.COLOR_SINT   ? ADRENO_RB_SINT
                       : mrt.COLOR_UINT ? ADRENO_RB_UINT
                                        : ADRENO_RB_FLOAT,
        };
        if (output.REGID >= ADRENO_NO_REG)
            state->output_mask &= (uint8_t) ~(1u << i);
    }
}

bool adreno_gras_state_init(struct gras_state *state, struct adreno_gpu *gpu, const struct vpc_state *vpc,
                            const struct adreno_rb_draw *rb)
{
    const uint32_t *regs = gpu->regs;
    state->vpc = vpc;
    state->has_shader = !adreno_unpack_RB_RENDER_CNTL(regs[ADRENO_REG_RB_RENDER_CNTL]).FS_DISABLE &&
                        adreno_unpack_SP_PS_CONFIG(regs[ADRENO_REG_SP_PS_CONFIG]).ENABLED;
    state->is_ordered =
        adreno_unpack_GRAS_SC_CNTL(regs[ADRENO_REG_GRAS_SC_CNTL]).SINGLE_PRIM_MODE != ADRENO_SINGLE_PRIM_MODE_NO_FLUSH;
    read_inputs(state, regs);
    read_outputs(state, regs, rb);
    if (state->has_shader && !read_prefetches(state, gpu))
        return false;
    if (state->has_shader && state->prefetch_count) {
        adreno_tpl1_state_init(&state->tpl1, gpu->chip, regs, false);
        state->tpl1.space = gpu->space;
        state->tpl1.gmem = gpu->gmem;
        state->tpl1.ubwc_changes = gpu->ubwc_changes;
        state->tpl1.coherence = gpu->coherence;
        state->tpl1.gmem_written = gpu->gmem_written;
    }
    return true;
}

/* ---- quads ---- */

bool adreno_gras_shading_create(struct gras_shading *shading)
{
    const size_t room = TILE_QUADS * RASTER_MAX_SAMPLES + GRAS_WAVE_QUADS + QUADS_GONE;
    shading->quads = malloc(room * sizeof(*shading->quads));
    shading->tpl1 = adreno_tpl1_create();
    return shading->quads && shading->tpl1;
}

void adreno_gras_shading_destroy(struct gras_shading *shading)
{
    free(shading->quads);
    if (shading->tpl1)
        adreno_tpl1_destroy(shading->tpl1);
}

/* A quad for each sample, of per-sample shading: backwards, for they take more room than before. */
static void split_samples(struct gras_shading *shading, uint32_t first)
{
    const unsigned samples = shading->coverage->iterations;
    struct raster_quad *quads = shading->quads + first;
    const uint32_t count = shading->quad_count - first;
    for (uint32_t i = count * samples; i-- > 0;) {
        struct raster_quad quad = quads[i / samples];
        quad.iteration = (uint8_t)(i % samples);
        quad.mask &= 0x01010101u << quad.iteration;
        quads[i] = quad;
    }
    shading->quad_count = first + count * samples;
}

static void drop_empty(struct gras_shading *shading, uint32_t first)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < shading->quad_count; i++) {
        if (shading->quads[i].mask)
            shading->quads[kept++] = shading->quads[i];
    }
    shading->quad_count = kept;
}

/* Whether early tests take parts of blocks as masks: quads are then made of what has passed. */
static bool tests_parts(const struct gras_shading *shading)
{
    const struct raster_coverage *coverage = shading->coverage;
    const struct gras_lrz *lrz = shading->lrz;
    return (shading->rb.draw->is_early || !shading->state->has_shader) && coverage->samples == 1 &&
           coverage->iterations == 1 && !coverage->spread && !shading->rb.draw->samples_log2 &&
           (!lrz->has_test || adreno_gras_lrz_has_blocks(lrz)) && adreno_rb_tests_blocks(&shading->rb);
}

static void test_parts(struct gras_shading *shading, const struct raster_prim *prim, const struct raster_tile *tile,
                       struct raster_quads *out)
{
    bits_foreach (out->parts, n) {
        const int32_t x = tile->x + (int32_t)n % 8 * RASTER_BLOCK, y = tile->y + (int32_t)n / 8 * RASTER_BLOCK;
        const uint64_t passed =
            adreno_rb_test_block(&shading->rb, prim, (uint32_t)x, (uint32_t)y, raster_rows_to_quads(out->masks[n]));
        if (passed && shading->state->has_shader)
            raster_add_part(shading->coverage, prim, x, y, out->masks[n], raster_quads_to_rows(passed), out);
    }
}

void adreno_gras_walk(struct gras_shading *shading, struct adreno_sp *sp, const struct raster_prim *prim,
                      const struct raster_tile *tile)
{
    const struct adreno_rb_draw *rb = shading->rb.draw;
    if (shading->quad_first >= QUADS_GONE || shading->quad_first == shading->quad_count) {
        shading->quad_count -= shading->quad_first;
        memmove(shading->quads, shading->quads + shading->quad_first, shading->quad_count * sizeof(*shading->quads));
        shading->quad_first = 0;
    }
    const uint32_t first = shading->quad_count;
    uint64_t masks[64];
    struct raster_quads out = {.quads = shading->quads,
                               .count = first,
                               .takes_blocks = sp && adreno_gras_takes_blocks(shading, sp),
                               .masks = tests_parts(shading) ? masks : NULL,
                               .wants_no_quads = !shading->state->has_shader};
    raster_walk_tile(shading->coverage, prim, tile, &out);
    if (shading->lrz->has_test && (out.blocks | out.parts)) {
        const uint64_t hidden = adreno_gras_lrz_hidden(shading->lrz, prim, tile, out.blocks | out.parts);
        out.blocks &= ~hidden;
        out.parts &= ~hidden;
    }
    shading->blocks = out.blocks;
    shading->block_prim = prim;
    shading->block_x = tile->x;
    shading->block_y = tile->y;
    shading->block_first = first;
    if (shading->lrz->has_test)
        out.count = first + adreno_gras_lrz_test(shading->lrz, out.quads + first, out.count - first);
    shading->quad_count = out.count;
    if (out.count == first && !out.parts && !out.blocks)
        return;
    raster_prefetch_params(prim);
    if (shading->lrz->has_write || shading->lrz->has_feedback)
        adreno_gras_lrz_write(shading->lrz, prim, tile->x, tile->y, tile->x + tile->width, tile->y + tile->height);
    if (rb->is_early || !shading->state->has_shader) {
        adreno_rb_test(&shading->rb, NULL, shading->quads + first, out.count - first);
        drop_empty(shading, first);
        out.count = shading->quad_count;
        test_parts(shading, prim, tile, &out);
        shading->quad_count = out.count;
    }
    if (!shading->state->has_shader) {
        shading->quad_count = first;
    } else if (shading->coverage->iterations > 1) {
        split_samples(shading, first);
        drop_empty(shading, first);
    }
}

/* How many of the first quads have no pixel in common. */
static uint32_t count_apart(const struct raster_quad *quads, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (quads[i].x == quads[k].x && quads[i].y == quads[k].y && quads[i].prim->layer == quads[k].prim->layer)
                return i;
        }
    }
    return count;
}

/* ---- waves ---- */

/* Lanes of pixels that have any sample. */
static struct lane_mask covered_lanes(const struct raster_quad *quads, uint32_t count)
{
    struct lane_mask lanes = lane_mask_none();
    for (uint32_t q = 0; q < count; q++) {
        uint64_t pixels = 0;
        for (unsigned p = 0; p < 4; p++)
            pixels |= (uint64_t)((quads[q].mask >> p * 8 & 0xff) != 0) << p;
        lanes.bits[q / 16] |= pixels << q % 16 * 4;
    }
    return lanes;
}

void adreno_gras_find_runs(struct gras_shading *shading)
{
    const struct raster_quad *quads = shading->wave_quads;
    uint32_t runs = 0;
    for (uint32_t q = 0; q < shading->wave_quad_count; q++) {
        if (!runs || shading->runs[runs - 1].prim != quads[q].prim)
            shading->runs[runs++].prim = quads[q].prim;
        shading->runs[runs - 1].end = q + 1;
    }
    shading->run_count = runs;
}

static uint32_t widen_half(uint32_t half, uint8_t numeric)
{
    return numeric == ADRENO_RB_FLOAT  ? float_bits(half_to_float((uint16_t)half))
           : numeric == ADRENO_RB_SINT ? (uint32_t)(int32_t)(int16_t)half
                                       : half;
}

static void read_color(struct gras_shading *shading, struct adreno_wave *wave, unsigned o,
                       struct adreno_rb_shaded *shaded)
{
    const struct gras_output *output = &shading->state->outputs[o];
    for (unsigned c = 0; c < 4; c++) {
        if (!output->is_half) {
            shaded->colors[o][c] = adreno_wave_row(wave, (output->regid + c) % ADRENO_WAVE_ROWS);
            continue;
        }
        uint32_t *row = shading->colors[o][c];
        adreno_wave_read(wave, output->regid + c, true, row);
        for (uint32_t lane = 0; lane < wave->lanes; lane++)
            row[lane] = widen_half(row[lane], output->numeric);
        shaded->colors[o][c] = row;
    }
}

/* Coverage less the fragments that the shader has killed, and less its sample mask. */
static void cut_masks(struct gras_shading *shading, struct adreno_wave *wave)
{
    const uint8_t mask_reg = shading->state->mask_reg;
    struct raster_quad *quads = shading->wave_quads;
    lane_mask_foreach(wave->killed, lane)
    {
        if (lane / 4 < shading->wave_quad_count)
            quads[lane / 4].mask &= ~(0xffu << lane % 4 * 8);
    }
    if (mask_reg == ADRENO_NO_REG)
        return;
    const uint32_t *row = adreno_wave_row(wave, mask_reg);
    for (uint32_t lane = 0; lane < shading->wave_quad_count * 4; lane++)
        quads[lane / 4].mask &= ~((uint32_t)(uint8_t)~row[lane] << lane % 4 * 8);
}

uint32_t adreno_gras_count_covered(const struct raster_quad *quads, uint32_t count)
{
    return lane_mask_count(covered_lanes(quads, count));
}

void adreno_gras_finish_rows(struct gras_shading *shading, struct adreno_wave *wave)
{
    const struct gras_state *state = shading->state;
    const struct adreno_rb_draw *rb = shading->rb.draw;
    struct adreno_rb_shaded shaded = {0};
    bits_foreach (state->output_mask, o)
        read_color(shading, wave, (unsigned)o, &shaded);
    if (state->depth_reg != ADRENO_NO_REG)
        shaded.z = (const float *)adreno_wave_row(wave, state->depth_reg);
    if (state->stencil_reg != ADRENO_NO_REG)
        shaded.stencil = adreno_wave_row(wave, state->stencil_reg);
    if (rb->has_alpha_to_coverage)
        adreno_rb_cover(&shading->rb, &shaded, shading->wave_quads, shading->wave_quad_count);
    if (!rb->is_early)
        adreno_rb_test(&shading->rb, &shaded, shading->wave_quads, shading->wave_quad_count);
    if (!rb->is_early && shading->lrz->feeds_late)
        adreno_gras_lrz_feed(shading->lrz, shading->wave_quads, shading->wave_quad_count);
    if (!rb->used)
        return;
    /* Joined programs blend in the environment of their waves. Products that are too small for a float are zeros there,
     * and a sum of such has another sign than one of what they really are. */
    const uint64_t host = lane_env_get();
    lane_env_set(wave->env);
    adreno_rb_write(&shading->rb, &shaded, shading->wave_quads, shading->wave_quad_count);
    lane_env_set(host);
}

static bool run_wave(struct gras_shading *shading, struct adreno_sp *sp, uint32_t count)
{
    struct adreno_gpu *gpu = shading->gpu;
    struct adreno_wave *wave = adreno_sp_begin(sp, shading->launch);
    if (!wave)
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "no fragment wave could be launched");
    shading->wave_quads = shading->quads + shading->quad_first;
    shading->wave_quad_count = count;
    shading->quad_first += count;
    adreno_gras_find_runs(shading);
    wave->user = shading;
    wave->covered = covered_lanes(shading->wave_quads, count);
    wave->launched = lane_mask_first(count * 4);
    adreno_wave_run_lanes(wave, wave->launched);
    shading->invocations += lane_mask_count(wave->covered);
    adreno_gras_load_inputs(shading, wave);
    if (shading->state->prefetch_count && !adreno_gras_prefetch(shading, wave))
        return false;
    if (!adreno_sp_run(wave)) {
        adreno_sp_report(gpu, wave);
        return false;
    }
    cut_masks(shading, wave);
    adreno_gras_finish_rows(shading, wave);
    return true;
}

/* Waves of the quads before `end`. */
static bool shade_quads(struct gras_shading *shading, struct adreno_sp *sp, uint32_t end, bool all)
{
    const uint32_t lanes_4 = shading->launch->lanes / 4;
    for (;;) {
        const bool is_joined = shading->quad_first < end && adreno_gras_is_joined(shading, sp, end);
        const uint32_t wave_quads = is_joined ? MIN2(lanes_4, (uint32_t)GRAS_JOIN_QUADS) : lanes_4;
        const uint32_t waiting = end - shading->quad_first;
        bool is_ok = true;
        if (waiting == 0 || (waiting < wave_quads && !all))
            return true;
        if (shading->rb.fault.is_set || adreno_is_stopped(shading->gpu))
            return false; /* the RB reports it when the draw ends */
        uint32_t count = MIN2(waiting, wave_quads);
        if (shading->state->is_ordered)
            count = count_apart(shading->quads + shading->quad_first, count);
        const unsigned before = stat_enter(STAT_PIXELS);
        if (!(is_joined && adreno_gras_run_joined(shading, sp, count, &is_ok)))
            is_ok = run_wave(shading, sp, count);
        stat_leave(before);
        if (!is_ok)
            return false;
    }
}

/* Whether a quad that waits lies in one of the blocks: it is of an earlier primitive. */
static bool waits_in_blocks(const struct gras_shading *shading)
{
    bool is_any = false;
    for (uint32_t q = shading->quad_first; q < shading->block_first; q++) {
        const unsigned x = (unsigned)(shading->quads[q].x - shading->block_x) / RASTER_BLOCK,
                       y = (unsigned)(shading->quads[q].y - shading->block_y) / RASTER_BLOCK;
        is_any |= shading->blocks >> (8 * y + x) & 1;
    }
    return is_any;
}

bool adreno_gras_shade(struct gras_shading *shading, struct adreno_sp *sp, bool all)
{
    const uint64_t blocks = shading->blocks;
    if (blocks) {
        if (waits_in_blocks(shading) && !shade_quads(shading, sp, shading->block_first, true))
            return false;
        shading->blocks = 0;
        if (shading->rb.fault.is_set || adreno_is_stopped(shading->gpu))
            return false;
        const unsigned before = stat_enter(STAT_PIXELS);
        stat_enter_work(STAT_HOST);
        const bool is_done =
            adreno_gras_run_blocks(shading, sp, shading->block_prim, shading->block_x, shading->block_y, blocks);
        stat_leave(before);
        if (!is_done)
            return false;
    }
    return shade_quads(shading, sp, shading->quad_count, all);
}
