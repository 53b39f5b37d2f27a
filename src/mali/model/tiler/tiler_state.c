/* A draw as RUN_IDVS and its registers say it, or RUN_FULLSCREEN and its descriptor, unpacked once. */
#include <math.h>
#include <string.h>

#include "mali/model/coherence.h"
#include "mali/model/tiler/tiler_internal.h"
#include "util/bits.h"

/* Pixels: beyond this a primitive is clipped; positions would not fit their numbers. */
#define GUARD 30000.0f
#define POINT_MAX 4096.0f

/* ---- topologies ---- */

static const struct tiler_topology topologies[] = {
    [MALI_DRAW_MODE_POINTS] = {RASTER_POINT, 1, 1, 1, 1, .place = {{{0}, {0}}, {{0}, {0}}}},
    [MALI_DRAW_MODE_LINES] = {RASTER_LINE, 2, 2, 2, 1, .place = {{{0, 1}, {0, 1}}, {{0, 1}, {0, 1}}}},
    [MALI_DRAW_MODE_LINE_STRIP] = {RASTER_LINE, 2, 2, 1, 1, .place = {{{0, 1}, {0, 1}}, {{0, 1}, {0, 1}}}},
    [MALI_DRAW_MODE_LINE_LOOP] = {RASTER_LINE, 2, 2, 1, 1, .is_loop = true,
                                  .place = {{{0, 1}, {0, 1}}, {{0, 1}, {0, 1}}}},
    [MALI_DRAW_MODE_TRIANGLES] = {RASTER_TRIANGLE, 3, 3, 3, 1,
                                  .place = {{{0, 1, 2}, {0, 1, 2}}, {{0, 1, 2}, {0, 1, 2}}}},
    [MALI_DRAW_MODE_TRIANGLE_STRIP] = {RASTER_TRIANGLE, 3, 3, 1, 1,
                                       .place = {{{0, 1, 2}, {0, 2, 1}}, {{0, 1, 2}, {1, 0, 2}}}},
    /* The provoking vertex is the first one after the middle. */
    [MALI_DRAW_MODE_TRIANGLE_FAN] = {RASTER_TRIANGLE, 3, 3, 1, 1, .is_fan = true,
                                     .place = {{{1, 2, 0}, {1, 2, 0}}, {{0, 1, 2}, {0, 1, 2}}}},
    [MALI_DRAW_MODE_POLYGON] = {RASTER_TRIANGLE, 3, 3, 1, 1, .is_fan = true,
                                .place = {{{0, 1, 2}, {0, 1, 2}}, {{1, 2, 0}, {1, 2, 0}}}},
    [MALI_DRAW_MODE_QUADS] = {RASTER_TRIANGLE, 3, 4, 4, 2, .place = {{{0, 1, 2}, {0, 2, 3}}, {{0, 1, 3}, {1, 2, 3}}}},
};

static const struct tiler_topology *find_topology(unsigned mode)
{
    return mode < ARRAY_SIZE(topologies) && topologies[mode].kind ? &topologies[mode] : NULL;
}

/* ---- indices ---- */

static bool read_indices(struct tiler_draw *draw, const uint32_t *regs)
{
    static const uint8_t sizes_B[] = {0, 1, 2, 4};
    const struct mali_run_draw first = {
        .index_count = regs[MALI_SR(IDVS_INDEX_COUNT)],
        .instance_count = regs[MALI_SR(IDVS_INSTANCE_COUNT)],
        .index_offset = regs[MALI_SR(IDVS_INDEX_OFFSET)],
        .vertex_offset = regs[MALI_SR(IDVS_VERTEX_OFFSET)],
        .instance_offset = regs[MALI_SR(IDVS_INSTANCE_OFFSET)],
        .id = draw->word.DRAW_ID_REGISTER_ENABLE ? regs[draw->word.DRAW_ID] : 0,
    };
    if (draw->flags.INDEX_TYPE >= ARRAY_SIZE(sizes_B))
        return mali_stop(draw->queue, GPU_STOP_BROKEN, "RUN_IDVS: there is no index type %u", draw->flags.INDEX_TYPE);
    draw->index_B = sizes_B[draw->flags.INDEX_TYPE];
    if (draw->index_B) {
        draw->indices_va = mali_run_reg64(draw->run, MALI_SR(IDVS_INDICES));
        draw->index_limit = regs[MALI_SR(IDVS_INDEX_ARRAY_SIZE)] / draw->index_B;
    }
    return mali_tiler_find_pieces(draw, &first);
}

/* ---- flags ---- */

/* Flags that no driver asks of this generation are not skipped in silence. */
static bool check_flags(const struct tiler_draw *draw)
{
    if (draw->flags.SCISSOR_ARRAY_ENABLE)
        return mali_stop(draw->queue, GPU_STOP_UNIMPLEMENTED, "RUN_IDVS: arrays of scissors are not modelled");
    if (draw->flags.PRIMITIVE_INDEX_WRITEBACK)
        return mali_stop(draw->queue, GPU_STOP_UNIMPLEMENTED,
                         "RUN_IDVS: numbers of primitives that go to memory are not modelled");
    if (draw->flags.POINT_SIZE_ARRAY_FORMAT != MALI_POINT_SIZE_FORMAT_NONE &&
        draw->flags.POINT_SIZE_ARRAY_FORMAT != MALI_POINT_SIZE_FORMAT_FP16)
        return mali_stop(draw->queue, GPU_STOP_UNIMPLEMENTED, "RUN_IDVS: point sizes of format %u are not modelled",
                         draw->flags.POINT_SIZE_ARRAY_FORMAT);
    return true;
}

/* ---- the rasteriser ---- */

/* Triangles, points and rectangles have their top and left samples. Of a line the first end is in and the last one
 * out. */
static const struct raster_edge_rules edge_rules = {
    .triangle = RASTER_TOP_IN | RASTER_LEFT_IN,
    .point = RASTER_TOP_IN | RASTER_LEFT_IN,
    .rect = RASTER_TOP_IN | RASTER_LEFT_IN,
    .right = {.sides = RASTER_TOP_IN | RASTER_RIGHT_IN, .ends = RASTER_TOP_IN | RASTER_LEFT_IN},
    .left = {.sides = RASTER_TOP_IN | RASTER_LEFT_IN, .ends = RASTER_TOP_IN | RASTER_RIGHT_IN},
    .down = {.sides = RASTER_TOP_IN | RASTER_LEFT_IN, .ends = RASTER_TOP_IN | RASTER_LEFT_IN},
    .up = {.sides = RASTER_TOP_IN | RASTER_LEFT_IN, .ends = RASTER_TOP_IN | RASTER_LEFT_IN},
};

static void read_places(struct tiler_draw *draw, const struct tiler_context *context, const uint32_t *regs)
{
    struct raster_viewport *viewport = &draw->raster.viewports[0];
    struct mali_IDVS_SCISSOR scissor = mali_unpack_IDVS_SCISSOR(mali_run_reg64(draw->run, MALI_SR(IDVS_SCISSOR)));
    viewport->z_min = bits_float(regs[MALI_SR(IDVS_LOW_DEPTH_CLAMP)]);
    viewport->z_max = bits_float(regs[MALI_SR(IDVS_HIGH_DEPTH_CLAMP)]);
    viewport->scissor[0] = (int32_t)scissor.MIN_X;
    viewport->scissor[1] = (int32_t)scissor.MIN_Y;
    viewport->scissor[2] = (int32_t)MIN2(scissor.MAX_X + 1u, context->fields.FB_WIDTH);
    viewport->scissor[3] = (int32_t)MIN2(scissor.MAX_Y + 1u, context->fields.FB_HEIGHT);
    for (unsigned i = 1; i < RASTER_MAX_VIEWPORTS; i++)
        draw->raster.viewports[i] = *viewport;
}

/* Fragments outside of the depth bounds are culled one by one, after interpolation; so PanVK finds that a range of 632
 * floats is enough to clip by. Clipping here only keeps the numbers small: its planes are as far outside of the bounds
 * as these are from each other. */
static void read_depth_bounds(struct tiler_draw *draw)
{
    const struct raster_viewport *viewport = &draw->raster.viewports[0];
    draw->depth_low = MIN2(viewport->z_min, viewport->z_max);
    draw->depth_high = MAX2(viewport->z_min, viewport->z_max);
    draw->culls_low = draw->raster.has_near_plane = draw->flags.LOW_DEPTH_CULL;
    draw->culls_high = draw->raster.has_far_plane = draw->flags.HIGH_DEPTH_CULL;
    const float span = draw->depth_high - draw->depth_low, margin = isfinite(3 * span) ? span : 0;
    draw->raster.clip_near = draw->depth_low - margin;
    draw->raster.clip_far = draw->depth_high + margin;
}

static void read_raster(struct tiler_draw *draw, const struct tiler_context *context, const uint32_t *regs)
{
    struct mali_IDVS_DCD_FLAGS_0 dcd = mali_unpack_IDVS_DCD_FLAGS_0(regs[MALI_SR(IDVS_DCD_FLAGS_0)]);
    const float size = bits_float(regs[MALI_SR(IDVS_PRIMITIVE_SIZE)]);
    struct raster_state *state = &draw->raster;
    *state = (struct raster_state){
        .has_clipping = true,
        .z_is_from_zero = true,
        .guard_x = GUARD,
        .guard_y = GUARD,
        .discard_x = GUARD,
        .discard_y = GUARD,
        .xy_divided = true,
        .z_divided = true,
        .w_inverted = true,
        .clips_divided = true,
        .subpixel_bits = TILER_SUBPIXEL_BITS,
        .layer = {.word = 5, .shift = 0, .bits = draw->flags.LAYER_INDEX_ENABLE ? 8 : 0},
        .front_is_clockwise = !dcd.FRONT_FACE_CCW,
        .is_culled = {dcd.CULL_FRONT_FACE, dcd.CULL_BACK_FACE},
        .fill = {RASTER_FILL_TRIANGLES, RASTER_FILL_TRIANGLES},
        .rules = edge_rules,
        .has_one_sample = context->fields.SAMPLE_PATTERN == MALI_SAMPLE_PATTERN_SINGLE_SAMPLED &&
                          !context->fields.SAMPLE_TEST_DISABLE,
        .has_point_size = draw->flags.POINT_SIZE_ARRAY_FORMAT != MALI_POINT_SIZE_FORMAT_NONE,
        .point_size_word = 4,
        .point_half = {size / 2, size / 2},
        .point_half_max = POINT_MAX / 2,
        .line_half = size / 2,
        .perpendicular_caps = !dcd.ALIGNED_LINE_ENDS,
    };
    read_places(draw, context, regs);
    read_depth_bounds(draw);
}

/* ---- shaders ---- */

static uint64_t pick_register(const struct mali_run *run, bool is_second, unsigned first, unsigned second)
{
    return mali_run_reg64(run, is_second ? second : first);
}

static bool read_shaders(struct tiler_draw *draw, const uint32_t *regs)
{
    const struct mali_run *run = draw->run;
    const struct mali_cs_RUN_IDVS *word = &draw->word;
    const uint64_t fau = mali_run_reg64(run, MALI_SR(IDVS_VERTEX_FAU));
    const uint64_t varying_fau =
        pick_register(run, word->VARYING_FAU_SELECT, MALI_SR(IDVS_VERTEX_FAU), MALI_SR(IDVS_VARYING_FAU));
    const struct mali_environment position = {
        .resources_va = mali_run_reg64(run, MALI_SR(IDVS_VERTEX_SRT)),
        .fau_va = fau,
        .fau = mali_run_uniforms(run, fau),
        .program_va = mali_run_reg64(run, MALI_SR(IDVS_POSITION_SPD)),
        .storage_va = mali_run_reg64(run, MALI_SR(IDVS_VERTEX_TSD)),
    };
    const struct mali_environment varying = {
        .resources_va =
            pick_register(run, word->VARYING_SRT_SELECT, MALI_SR(IDVS_VERTEX_SRT), MALI_SR(IDVS_VARYING_SRT)),
        .fau_va = varying_fau,
        .fau = mali_run_uniforms(run, varying_fau),
        .program_va = mali_run_reg64(run, MALI_SR(IDVS_VARYING_SPD)),
        .storage_va = pick_register(run, word->VARYING_TSD_SELECT, MALI_SR(IDVS_VERTEX_TSD), MALI_SR(IDVS_VARYING_TSD)),
    };
    if (!mali_launch_init(&draw->position, draw->queue, MALI_STAGE_VERTEX, &position) ||
        (draw->has_varyings && !mali_launch_init(&draw->varying, draw->queue, MALI_STAGE_VERTEX, &varying)))
        return false;
    draw->position.hooks = draw->varying.hooks = &mali_tiler_hooks;
    draw->position.attribute_offset = draw->varying.attribute_offset = regs[MALI_SR(IDVS_ATTRIBUTE_OFFSET)];
    return true;
}

/* ---- what the fragment endpoint gets ---- */

static void put64(uint32_t *words, uint64_t value)
{
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

/* The registers as the descriptor DRAW has them. */
static void make_words(struct tiler_draw *draw, const uint32_t *regs)
{
    const struct mali_run *run = draw->run;
    const uint64_t fau = mali_run_reg64(run, MALI_SR(IDVS_FRAGMENT_FAU));
    uint32_t *words = draw->words;
    memset(words, 0, sizeof(draw->words));
    words[0] = regs[MALI_SR(IDVS_DCD_FLAGS_0)];
    words[1] = regs[MALI_SR(IDVS_DCD_FLAGS_1)];
    words[2] = draw->has_varyings; /* VERTEX_PACKET */
    words[4] = draw->varying_B & 0xffff;
    words[5] = regs[MALI_SR(IDVS_DCD_FLAGS_2)];
    words[6] = regs[MALI_SR(IDVS_LOW_DEPTH_CLAMP)];
    words[7] = regs[MALI_SR(IDVS_HIGH_DEPTH_CLAMP)];
    put64(words + 10, mali_run_reg64(run, MALI_SR(IDVS_DEPTH_STENCIL)));
    put64(words + 12, mali_run_reg64(run, MALI_SR(IDVS_BLEND)));
    put64(words + 14, mali_run_reg64(run, MALI_SR(IDVS_OCCLUSION)));
    words[16] = regs[MALI_SR(IDVS_ATTRIBUTE_OFFSET)];
    words[17] = (uint32_t)(fau >> 56);
    put64(words + 24,
          pick_register(run, draw->word.FRAGMENT_SRT_SELECT, MALI_SR(IDVS_VERTEX_SRT), MALI_SR(IDVS_FRAGMENT_SRT)));
    put64(words + 26, mali_run_reg64(run, MALI_SR(IDVS_FRAGMENT_SPD)));
    put64(words + 28,
          pick_register(run, draw->word.FRAGMENT_TSD_SELECT, MALI_SR(IDVS_VERTEX_TSD), MALI_SR(IDVS_FRAGMENT_TSD)));
    put64(words + 30, fau & 0xffffffffffffull);
}

/* ---- the whole ---- */

static void read_views(struct tiler_draw *draw)
{
    draw->view_count = 0;
    bits_foreach (draw->flags.VIEW_MASK, view)
        draw->views[draw->view_count++] = (uint8_t)view;
    if (!draw->view_count)
        draw->views[draw->view_count++] = 0;
    draw->view_slots = draw->views[draw->view_count - 1] + 1u;
}

static bool read_memory(struct tiler_draw *draw, const struct tiler_context *context, const uint32_t *regs)
{
    const bool is_extended = draw->flags.POSITION_FIFO_FORMAT == MALI_FIFO_FORMAT_EXTENDED ||
                             (draw->flags.POSITION_FIFO_FORMAT == MALI_FIFO_FORMAT_AUTO &&
                              (draw->flags.POINT_SIZE_ARRAY_FORMAT || draw->flags.LAYER_INDEX_ENABLE));
    draw->elements = is_extended ? 2 : 1;
    draw->fifo_va = context->fields.GEOMETRY_BUFFER;
    draw->fifo_B = context->fields.GEOMETRY_BUFFER_SIZE;
    if (draw->queue->coherence) /* jobs that run side by side have parts of their own */
        coherence_ignore(draw->queue->coherence, draw->fifo_va, draw->fifo_B);
    draw->has_varyings = draw->flags.SECONDARY_SHADER;
    draw->varying_B = regs[MALI_SR(IDVS_VARYING_SIZE)];
    if (!draw->word.MALLOC_ENABLE)
        return mali_stop(draw->queue, GPU_STOP_UNIMPLEMENTED,
                         "RUN_IDVS without memory that the hardware takes for varyings is not modelled");
    if (draw->has_varyings && draw->varying_B > 4096)
        return mali_stop(draw->queue, GPU_STOP_BROKEN, "RUN_IDVS: %u bytes of varyings", draw->varying_B);
    const uint64_t vertex_B = 16ull * draw->elements * draw->view_slots;
    if (draw->fifo_B < 3 * vertex_B)
        return mali_stop(draw->queue, GPU_STOP_BROKEN, "RUN_IDVS: a geometry buffer of %u bytes", draw->fifo_B);
    /* As many primitives as have room in a chunk. */
    uint64_t prim_B = mali_tiler_records_B(draw->view_count) + 3ull * draw->varying_B * draw->view_slots;
    uint64_t fitting = (mali_tiler_chunk_room_B(context) - TILER_DRAW_B) / 2 / prim_B;
    draw->batch_prims = (uint32_t)MIN2(fitting, (uint64_t)TILER_BATCH_PRIMS);
    if (!draw->batch_prims)
        return mali_stop(draw->queue, GPU_STOP_BROKEN, "chunks of %u bytes have no room for a primitive",
                         context->heap.SIZE);
    return true;
}

bool mali_tiler_draw_init(struct tiler_draw *draw, const struct mali_run *run, const struct tiler_context *context,
                          bool *is_empty_out)
{
    const uint32_t *regs = run->regs;
    draw->queue = run->queue;
    draw->run = run;
    draw->word = mali_unpack_cs_RUN_IDVS(run->word);
    draw->flags = mali_unpack_IDVS_PRIMITIVE_FLAGS(regs[MALI_SR(IDVS_PRIMITIVE_FLAGS)] | draw->word.FLAGS_OVERRIDE);
    draw->is_provoking_first = context->fields.FIRST_PROVOKING_VERTEX;
    draw->layer_offset = context->fields.LAYER_OFFSET;
    draw->layer_count = context->fields.LAYER_COUNT;
    draw->topology = find_topology(draw->flags.DRAW_MODE);
    *is_empty_out = true;
    if (draw->flags.DRAW_MODE == MALI_DRAW_MODE_NONE)
        return true;
    if (!draw->topology)
        return mali_stop(draw->queue, GPU_STOP_BROKEN, "RUN_IDVS: there is no draw mode %u", draw->flags.DRAW_MODE);
    read_views(draw);
    if (!read_indices(draw, regs))
        return false;
    *is_empty_out = draw->prim_total == 0;
    if (*is_empty_out)
        return true;
    if (!check_flags(draw) || !read_memory(draw, context, regs) || !read_shaders(draw, regs))
        return false;
    read_raster(draw, context, regs);
    make_words(draw, regs);
    return true;
}

bool mali_tiler_fullscreen_init(struct tiler_draw *draw, const struct mali_run *run,
                                const struct tiler_context *context)
{
    const struct mali_cs_RUN_FULLSCREEN word = mali_unpack_cs_RUN_FULLSCREEN(run->word);
    draw->queue = run->queue;
    draw->run = run;
    draw->flags = mali_unpack_IDVS_PRIMITIVE_FLAGS(run->regs[MALI_SR(IDVS_PRIMITIVE_FLAGS)] | word.FLAGS_OVERRIDE);
    draw->topology = &topologies[MALI_DRAW_MODE_TRIANGLES]; /* whatever the flags say */
    draw->layer_offset = context->fields.LAYER_OFFSET;
    draw->layer_count = context->fields.LAYER_COUNT;
    draw->has_varyings = draw->culls_low = draw->culls_high = false;
    read_views(draw);
    read_places(draw, context, run->regs);
    return mali_read(run->queue, "fullscreen draw", mali_run_reg64(run, word.DCD), draw->words, sizeof(draw->words));
}

void mali_tiler_draw_finish(struct tiler_draw *draw)
{
    array_finish(&draw->parts);
    array_finish(&draw->pieces);
}
