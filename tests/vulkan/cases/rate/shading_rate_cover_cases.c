/* Coverage, depth and counters of large fragments: shading rates do not change them. */
#include <math.h>

#include "cases/rate/shading_rate.h"

static void make_triangles(struct vt_vertex out[6])
{
    static const float corners[6][2] = {{2.3f, 1.6f},   {44.7f, 8.2f}, {11.1f, 33.9f},
                                        {46.2f, 33.1f}, {3.4f, 20.2f}, {40.9f, 2.7f}};
    for (unsigned i = 0; i < 6; i++)
        out[i] =
            (struct vt_vertex){.position = {corners[i][0] / RATE_WIDTH * 2 - 1, corners[i][1] / RATE_HEIGHT * 2 - 1,
                                            i < 3 ? 0.5f : 0.35f + 0.1f * (float)(i - 3), 1},
                               .color = {corners[i][0], corners[i][1], 0, 5}};
}

/* Triangles one over the other at a rate, and their depths. */
static rate_picture draw_triangles(struct vt *vt, const struct rate_test *test, rate_size size, enum rate_what what,
                                   const float **depths_out)
{
    struct vt_target target = rate_target(vt, rate_samples_of(test));
    struct rate_draw draw;
    struct vt_vertex vertices[6];
    if (depths_out)
        vt_add_depth(vt, &target, VK_FORMAT_D32_SFLOAT);
    rate_init(&draw, &target, vt_rate_vert, vt_rate_frag, size, RATE_KEEP, RATE_KEEP);
    draw.graphics.fragment_constants = VT_CONSTANTS((int)what);
    draw.graphics.depth.depthTestEnable = draw.graphics.depth.depthWriteEnable = depths_out != NULL;
    draw.graphics.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    if (test->what)
        draw.graphics.sample_mask = (uint32_t)test->what;
    make_triangles(vertices);
    rate_picture picture = rate_render(vt, &draw, &target, vertices, 6);
    if (depths_out && rate_samples_of(test) == 1)
        *depths_out = vt_download_aspect(vt, &target.depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    return picture;
}

static void case_edges(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    rate_need(vt);
    rate_picture fine = draw_triangles(vt, test, (rate_size){1, 1}, RATE_CONSTANT, NULL),
                 coarse = draw_triangles(vt, test, test->size, RATE_CONSTANT, NULL);
    vt_expect_texels(vt, coarse, fine, 16, RATE_WIDTH, RATE_WIDTH * RATE_HEIGHT * rate_samples_of(test),
                     "coverage, beside that of small fragments,");
}

/* `what` of a shader that stops early tests: discards are late. */
static void case_depth(struct vt *vt, const void *argument)
{
    struct rate_test test = *(const struct rate_test *)argument;
    rate_need(vt);
    const enum rate_what what = test.what ? RATE_DISCARD : RATE_CONSTANT;
    test.what = 0;
    const float *depths[2] = {NULL, NULL};
    rate_picture fine = draw_triangles(vt, &test, (rate_size){1, 1}, RATE_CONSTANT, &depths[0]),
                 coarse = draw_triangles(vt, &test, test.size, what, &depths[1]);
    for (uint32_t i = 0; i < RATE_WIDTH * RATE_HEIGHT * rate_samples_of(&test); i++) {
        const uint32_t x = i % RATE_WIDTH, y = i / RATE_WIDTH % RATE_HEIGHT, s = i / RATE_WIDTH / RATE_HEIGHT;
        if (what == RATE_DISCARD && !(x < 20 && y < 16))
            continue;
        if ((fine[s][y][x][3] != 0) != (coarse[s][y][x][3] != 0) ||
            (depths[0] && fabsf(depths[0][i] - depths[1][i]) > 1e-6f))
            vt_fail(vt, "pixel %u,%u: covered %g, once %g; depth %g, once %g", x, y, (double)coarse[s][y][x][3],
                    (double)fine[s][y][x][3], depths[1] ? (double)depths[1][i] : 0,
                    depths[0] ? (double)depths[0][i] : 0);
    }
}

/* Each sample counts. */
static void case_query(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    rate_need(vt);
    if (!vt->features.features.occlusionQueryPrecise)
        vt_skip(vt, "no precise counts");
    struct vt_target target = rate_target(vt, rate_samples_of(test));
    struct rate_draw draw;
    struct vt_vertex vertices[6];
    rate_init(&draw, &target, vt_rate_vert, vt_rate_frag, test->size, RATE_KEEP, RATE_KEEP);
    draw.graphics.fragment_constants = VT_CONSTANTS(RATE_CONSTANT);
    vt_make_pipeline(vt, &draw.graphics, &target);
    make_triangles(vertices);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_OCCLUSION, 1, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vt_begin_rendering(commands, &target);
    vkCmdBeginQuery(commands, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    vt_draw(vt, commands, &draw.graphics, vertices, 3);
    vkCmdEndQuery(commands, pool, 0);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    uint64_t counted, covered = 0;
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 1, sizeof(counted), &counted, sizeof(counted),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    rate_picture picture = rate_read(vt, &target);
    for (uint32_t i = 0; i < RATE_WIDTH * RATE_HEIGHT * rate_samples_of(test); i++)
        covered += picture[i / RATE_WIDTH / RATE_HEIGHT][i / RATE_WIDTH % RATE_HEIGHT][i % RATE_WIDTH][3] != 0;
    if (counted != covered || !covered)
        vt_fail(vt, "%llu samples were counted, %llu are there", (unsigned long long)counted,
                (unsigned long long)covered);
}

static const struct rate_test edges[] = {{RATE_SIZES(1, 2)},
                                         {RATE_SIZES(2, 1)},
                                         {RATE_SIZES(2, 2)},
                                         {RATE_SIZES(2, 2), .samples = 2},
                                         {RATE_SIZES(2, 2), .samples = 4},
                                         {RATE_SIZES(2, 1), .samples = 4, .what = 0x6}};
static const struct rate_test depths[] = {{RATE_SIZES(2, 2)},
                                          {RATE_SIZES(1, 2)},
                                          {RATE_SIZES(2, 1), .what = 1},
                                          {RATE_SIZES(2, 2), .what = 1},
                                          {RATE_SIZES(2, 2), .samples = 4}};
static const struct rate_test counts[] = {{RATE_SIZES(2, 2)}, {RATE_SIZES(2, 2), .samples = 4}};

const struct vt_case vt_shading_rate_cover_cases[] = {
    {"edges 1x2", case_edges, &edges[0]},
    {"edges 2x1", case_edges, &edges[1]},
    {"edges 2x2", case_edges, &edges[2]},
    {"edges 2x2 of 2 samples", case_edges, &edges[3]},
    {"edges 2x2 of 4 samples", case_edges, &edges[4]},
    {"edges 2x1 of some samples", case_edges, &edges[5]},
    {"depth test 2x2", case_depth, &depths[0]},
    {"depth test 1x2", case_depth, &depths[1]},
    {"late depth test 2x1", case_depth, &depths[2]},
    {"late depth test 2x2", case_depth, &depths[3]},
    {"depth test 2x2 of 4 samples", case_depth, &depths[4]},
    {"samples counted 2x2", case_query, &counts[0]},
    {"samples counted 2x2 of 4", case_query, &counts[1]},
};
const size_t vt_shading_rate_cover_count = COUNT_OF(vt_shading_rate_cover_cases);
