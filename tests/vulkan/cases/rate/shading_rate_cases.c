/* VK_KHR_fragment_shading_rate: fragments of several pixels, by pipelines, commands and primitives. */
#include <math.h>
#include <string.h>

#include "cases/rate/shading_rate.h"

#include "shaders/rate_geom.h"
#include "shaders/rate_mesh.h"
#include "shaders/rate_tesc.h"
#include "shaders/rate_tese.h"


/* ---- rates of pipelines and primitives ---- */

struct wanted {
    const struct rate_limits *limits;
    struct rate_test test;
    bool has_primitive; /* rates of quarters */
};

static rate_size expect_rate(const void *argument, uint32_t x, uint32_t y)
{
    const struct wanted *wanted = argument;
    const rate_size of_primitive = wanted->has_primitive ? rate_quarters[rate_quarter_of(x, y)] : (rate_size){1, 1};
    const rate_size size = rate_combine(wanted->test.ops[0], wanted->test.size, of_primitive),
                    last = rate_combine(wanted->test.ops[1], size, (rate_size){1, 1}); /* there is no attachment */
    return rate_choose(wanted->limits, last, rate_samples_of(&wanted->test));
}

static void need_ops(struct vt *vt, const struct rate_limits *limits, const struct rate_test *test)
{
    for (unsigned i = 0; i < 2; i++) {
        if (test->ops[i] > RATE_REPLACE && !limits->properties.fragmentShadingRateNonTrivialCombinerOps)
            vt_skip(vt, "no combiners but the simple ones");
        if (test->ops[i] == RATE_MUL && !limits->properties.fragmentShadingRateStrictMultiplyCombiner)
            vt_skip(vt, "a sum in place of the product");
    }
    if (test->ops[1] != RATE_KEEP) /* which goes with the feature of attachments, though there be none */
        rate_enter_device(vt);
}

static void run_places(struct vt *vt, const struct rate_test *test, bool writes)
{
    const struct rate_limits limits = rate_need(vt);
    need_ops(vt, &limits, test);
    struct vt_target target = rate_target(vt, rate_samples_of(test));
    struct rate_draw draw;
    struct vt_vertex vertices[24];
    rate_init(&draw, &target, writes ? vt_rate_writes_vert : vt_rate_vert, vt_rate_frag, test->size, test->ops[0],
              test->ops[1]);
    rate_four(vertices);
    const struct wanted wanted = {&limits, *test, writes};
    rate_check(vt, &target, rate_render(vt, &draw, &target, vertices, 24), expect_rate, &wanted);
}

static void case_pipeline(struct vt *vt, const void *argument)
{
    run_places(vt, argument, false);
}

static void case_primitive(struct vt *vt, const void *argument)
{
    run_places(vt, argument, true);
}

/* Rates that are set by a command, once for each pair of quarters, after a draw with another rate. */
static void case_dynamic(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    const struct rate_limits limits = rate_need(vt);
    need_ops(vt, &limits, test);
    struct vt_target target = rate_target(vt, rate_samples_of(test));
    struct rate_draw draw;
    struct vt_vertex vertices[24];
    rate_init(&draw, &target, vt_rate_writes_vert, vt_rate_frag, (rate_size){1, 1}, RATE_KEEP, RATE_KEEP);
    vt_add_dynamic(&draw.graphics, VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR);
    vt_make_pipeline(vt, &draw.graphics, &target);
    rate_four(vertices);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    for (unsigned pass = 0; pass < 2; pass++) {
        const rate_size first = {2, 1};
        VT_LOAD(vt, CmdSetFragmentShadingRateKHR)
        (commands, pass ? &test->size : &first,
         pass ? test->ops : (VkFragmentShadingRateCombinerOpKHR[2]){RATE_KEEP, RATE_KEEP});
        vt_draw(vt, commands, &draw.graphics, vertices, 24);
    }
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const struct wanted wanted = {&limits, *test, true};
    rate_check(vt, &target, rate_read(vt, &target), expect_rate, &wanted);
}

/* Rates of a secondary's draws: by its pipeline, or (what) by its command. */
static void case_secondary(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    const struct rate_limits limits = rate_need(vt);
    struct vt_target target = rate_target(vt, 1);
    struct rate_draw draw;
    struct vt_vertex vertices[24];
    rate_init(&draw, &target, vt_rate_writes_vert, vt_rate_frag, test->what ? (rate_size){1, 1} : test->size,
              test->what ? RATE_KEEP : test->ops[0], RATE_KEEP);
    if (test->what)
        vt_add_dynamic(&draw.graphics, VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR);
    vt_make_pipeline(vt, &draw.graphics, &target);
    rate_four(vertices);
    VkCommandBuffer secondary = vt_begin_secondary(vt, &target, 0, 0);
    if (test->what)
        VT_LOAD(vt, CmdSetFragmentShadingRateKHR)(secondary, &test->size, test->ops);
    vt_draw(vt, secondary, &draw.graphics, vertices, 24);
    VT_CHECK(vt, vkEndCommandBuffer(secondary));
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering_with(commands, &target, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdExecuteCommands(commands, 1, &secondary);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const struct wanted wanted = {&limits, *test, true};
    rate_check(vt, &target, rate_read(vt, &target), expect_rate, &wanted);
}

/* ---- stages ---- */

static void case_geometry(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    const struct rate_limits limits = rate_need(vt);
    if (!vt->features.features.geometryShader || (test->what && !vt->features.features.tessellationShader))
        vt_skip(vt, "no such stages");
    need_ops(vt, &limits, test);
    struct vt_target target = rate_target(vt, 1);
    struct rate_draw draw;
    struct vt_vertex vertices[24];
    rate_init(&draw, &target, vt_rate_vert, vt_rate_frag, test->size, test->ops[0], test->ops[1]);
    draw.graphics.geometry_code = VT_SPIRV(rate_geom);
    if (test->what) {
        draw.graphics.control_code = VT_SPIRV(rate_tesc);
        draw.graphics.evaluation_code = VT_SPIRV(rate_tese);
        draw.graphics.tessellation.patchControlPoints = 3;
        draw.graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    }
    rate_four(vertices);
    const struct wanted wanted = {&limits, *test, true};
    rate_check(vt, &target, rate_render(vt, &draw, &target, vertices, 24), expect_rate, &wanted);
}

/* Tessellation has no say in rates: those of its primitives are 1 by 1. */
static void case_tessellation(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    const struct rate_limits limits = rate_need(vt);
    if (!vt->features.features.tessellationShader)
        vt_skip(vt, "no tessellation");
    struct vt_target target = rate_target(vt, 1);
    struct rate_draw draw;
    struct vt_vertex vertices[24];
    rate_init(&draw, &target, vt_rate_vert, vt_rate_frag, test->size, test->ops[0], test->ops[1]);
    draw.graphics.control_code = VT_SPIRV(rate_tesc);
    draw.graphics.evaluation_code = VT_SPIRV(rate_tese);
    draw.graphics.tessellation.patchControlPoints = 3;
    draw.graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    rate_four(vertices);
    const struct wanted wanted = {&limits, *test, false};
    rate_check(vt, &target, rate_render(vt, &draw, &target, vertices, 24), expect_rate, &wanted);
}

static void case_mesh(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    const struct rate_limits limits = rate_need(vt);
    if (!vt->has[VT_MESH_SHADER] || !vt->has_mesh_rates)
        vt_skip(vt, "no rates of mesh shaders");
    need_ops(vt, &limits, test);
    struct vt_target target = rate_target(vt, 1);
    struct rate_draw draw;
    rate_init(&draw, &target, vt_rate_vert, vt_rate_frag, test->size, test->ops[0], test->ops[1]);
    draw.graphics.mesh_code = VT_SPIRV(rate_mesh);
    vt_make_pipeline(vt, &draw.graphics, &target);
    const float push[4] = {RATE_WIDTH, RATE_HEIGHT, RATE_MIDDLE_X, RATE_MIDDLE_Y};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw.graphics.pipeline);
    vt_push(commands, &draw.graphics, push, sizeof(push));
    VT_LOAD(vt, CmdDrawMeshTasksEXT)(commands, 1, 1, 1);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    const struct wanted wanted = {&limits, *test, true};
    rate_check(vt, &target, rate_read(vt, &target), expect_rate, &wanted);
}

/* The corner that flat attributes come from has the primitive's rate; `what` is the number of the one with 2 by 2. */
static void case_provoking(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    const struct rate_limits limits = rate_need(vt);
    struct vt_target target = rate_target(vt, 1);
    struct rate_draw draw;
    struct vt_vertex vertices[6];
    rate_init(&draw, &target, vt_rate_writes_vert, vt_rate_frag, (rate_size){1, 1}, RATE_REPLACE, RATE_KEEP);
    rate_rectangle(vertices, 0, 0, RATE_WIDTH, RATE_HEIGHT, 0.5f, 0);
    vertices[test->what].color[3] = vertices[3 + test->what].color[3] = 5;
    const struct wanted wanted = {&limits, {.size = test->what ? (rate_size){1, 1} : (rate_size){2, 2}}, false};
    rate_check(vt, &target, rate_render(vt, &draw, &target, vertices, 6), expect_rate, &wanted);
}

/* ---- what fragments of several pixels compute ---- */

typedef void (*texel_fn)(rate_size size, uint32_t x, uint32_t y, double out[2]);

static void place_in(rate_size size, uint32_t x, uint32_t y, double out[2])
{
    out[0] = rate_center(x, size.width);
    out[1] = rate_center(y, size.height);
}

static void step_of(rate_size size, uint32_t x, uint32_t y, double out[2])
{
    out[0] = size.width;
    out[1] = size.height;
}

/* Depth falls to the right and grows downwards: rate_slope. */
static void depth_in(rate_size size, uint32_t x, uint32_t y, double out[2])
{
    out[0] = 0.9 - 0.6 * rate_center(x, size.width) / RATE_WIDTH + 0.05 * rate_center(y, size.height) / RATE_HEIGHT;
    out[1] = 1;
}

static const texel_fn texels_of[] = {[RATE_STEP] = step_of,
                                     [RATE_COLOR] = place_in,
                                     [RATE_COLOR_STEP] = step_of,
                                     [RATE_DEPTH] = depth_in,
                                     [RATE_FINE_STEP] = step_of};

static void slope(struct vt_vertex *vertices, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        vertices[i].position[2] =
            0.9f - 0.6f * vertices[i].color[0] / RATE_WIDTH + 0.05f * vertices[i].color[1] / RATE_HEIGHT;
}

static void case_values(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    const struct rate_limits limits = rate_need(vt);
    struct vt_target target = rate_target(vt, rate_samples_of(test));
    struct rate_draw draw;
    struct vt_vertex vertices[6];
    rate_init(&draw, &target, vt_rate_vert, vt_rate_frag, test->size, RATE_KEEP, RATE_KEEP);
    draw.graphics.fragment_constants = VT_CONSTANTS(test->what);
    rate_rectangle(vertices, 0, 0, RATE_WIDTH, RATE_HEIGHT, 0.5f, 0);
    slope(vertices, 6);
    rate_picture picture = rate_render(vt, &draw, &target, vertices, 6);
    const rate_size size = rate_choose(&limits, test->size, rate_samples_of(test));
    for (uint32_t i = 0; i < RATE_WIDTH * RATE_HEIGHT * rate_samples_of(test); i++) {
        const uint32_t x = i % RATE_WIDTH, y = i / RATE_WIDTH % RATE_HEIGHT;
        const float *texel = picture[i / RATE_WIDTH / RATE_HEIGHT][y][x];
        double wanted[2];
        texels_of[test->what](size, x, y, wanted);
        const double allowed = test->what == RATE_DEPTH ? 1e-5 : 1e-3;
        if (!(fabs((double)texel[0] - wanted[0]) < allowed && fabs((double)texel[1] - wanted[1]) < allowed) ||
            texel[2] != (float)rate_code(size) || texel[3] != 1)
            vt_fail(vt, "pixel %u,%u has (%.7g %.7g %g %g), not (%.7g %.7g %u 1)", x, y, (double)texel[0],
                    (double)texel[1], (double)texel[2], (double)texel[3], wanted[0], wanted[1], rate_code(size));
    }
}

/* A fragment that is discarded is so with all its pixels. */
static void case_discard(struct vt *vt, const void *argument)
{
    const struct rate_test *test = argument;
    const struct rate_limits limits = rate_need(vt);
    struct vt_target target = rate_target(vt, rate_samples_of(test));
    struct rate_draw draw;
    struct vt_vertex vertices[6];
    rate_init(&draw, &target, vt_rate_vert, vt_rate_frag, test->size, RATE_KEEP, RATE_KEEP);
    draw.graphics.fragment_constants = VT_CONSTANTS(RATE_DISCARD);
    rate_rectangle(vertices, 0, 0, RATE_WIDTH, RATE_HEIGHT, 0.5f, 0);
    rate_picture picture = rate_render(vt, &draw, &target, vertices, 6);
    const rate_size size = rate_choose(&limits, test->size, rate_samples_of(test));
    for (uint32_t i = 0; i < RATE_WIDTH * RATE_HEIGHT * rate_samples_of(test); i++) {
        const uint32_t x = i % RATE_WIDTH, y = i / RATE_WIDTH % RATE_HEIGHT;
        const double at_x = rate_center(x, size.width), at_y = rate_center(y, size.height);
        const bool is_left = !((at_x > 20.75 && at_x < 29.25) || at_y > 16.75);
        const float *texel = picture[i / RATE_WIDTH / RATE_HEIGHT][y][x];
        if (texel[3] != (float)is_left || (is_left && texel[0] != (float)at_x))
            vt_fail(vt, "pixel %u,%u has (%g %g %g %g)", x, y, (double)texel[0], (double)texel[1], (double)texel[2],
                    (double)texel[3]);
    }
}

static const struct rate_test pipelines[] = {{RATE_SIZES(1, 1)}, {RATE_SIZES(1, 2)}, {RATE_SIZES(2, 1)},
                                             {RATE_SIZES(2, 2)}, {RATE_SIZES(4, 4)}, {RATE_SIZES(1, 4)},
                                             {RATE_SIZES(4, 1)}, {RATE_SIZES(2, 4)}};
static const struct rate_test many_samples[] = {{RATE_SIZES(1, 2), .samples = 2},
                                                {RATE_SIZES(2, 1), .samples = 4},
                                                {RATE_SIZES(2, 2), .samples = 2},
                                                {RATE_SIZES(2, 2), .samples = 4},
                                                {RATE_SIZES(2, 2), .samples = 8}};
static const struct rate_test without_attachment[] = {{{2, 2}, {RATE_KEEP, RATE_REPLACE}},
                                                      {{2, 2}, {RATE_KEEP, RATE_MIN}},
                                                      {{2, 2}, {RATE_KEEP, RATE_MAX}},
                                                      {{2, 1}, {RATE_KEEP, RATE_MUL}}};
static const struct rate_test without_primitive[] = {{{2, 2}, {RATE_REPLACE, RATE_KEEP}},
                                                     {{2, 2}, {RATE_MIN, RATE_KEEP}},
                                                     {{1, 2}, {RATE_MAX, RATE_KEEP}},
                                                     {{2, 1}, {RATE_MUL, RATE_KEEP}}};
static const struct rate_test combined[] = {
    {{2, 1}, {RATE_KEEP, RATE_KEEP}},   {{2, 1}, {RATE_REPLACE, RATE_KEEP}},
    {{2, 1}, {RATE_MIN, RATE_KEEP}},    {{2, 1}, {RATE_MAX, RATE_KEEP}},
    {{2, 1}, {RATE_MUL, RATE_KEEP}},    {{1, 2}, {RATE_MIN, RATE_KEEP}},
    {{1, 2}, {RATE_MAX, RATE_KEEP}},    {{2, 2}, {RATE_MIN, RATE_KEEP}},
    {{1, 2}, {RATE_REPLACE, RATE_MIN}}, {{1, 1}, {RATE_REPLACE, RATE_KEEP}, .samples = 4}};
static const struct rate_test secondaries[] = {{{2, 2}, {RATE_KEEP, RATE_KEEP}},
                                               {{2, 1}, {RATE_MAX, RATE_KEEP}, .what = 1}};
static const struct rate_test stages[] = {{{1, 1}, {RATE_REPLACE, RATE_KEEP}},
                                          {{1, 2}, {RATE_MAX, RATE_KEEP}},
                                          {{1, 1}, {RATE_REPLACE, RATE_KEEP}, .what = 1}};
static const struct rate_test corners[] = {{.what = 0}, {.what = 1}, {.what = 2}};
static const struct rate_test values[] = {
    {RATE_SIZES(2, 2), .what = RATE_STEP},       {RATE_SIZES(1, 2), .what = RATE_STEP},
    {RATE_SIZES(2, 1), .what = RATE_FINE_STEP},  {RATE_SIZES(2, 2), .what = RATE_COLOR},
    {RATE_SIZES(1, 2), .what = RATE_COLOR},      {RATE_SIZES(2, 1), .what = RATE_COLOR},
    {RATE_SIZES(2, 2), .what = RATE_COLOR_STEP}, {RATE_SIZES(2, 1), .what = RATE_COLOR_STEP},
    {RATE_SIZES(2, 2), .what = RATE_DEPTH},      {RATE_SIZES(1, 2), .what = RATE_DEPTH},
    {RATE_SIZES(2, 1), .what = RATE_DEPTH},      {RATE_SIZES(2, 2), .what = RATE_COLOR, .samples = 4}};

const struct vt_case vt_shading_rate_cases[] = {
    {"pipeline 1x1", case_pipeline, &pipelines[0]},
    {"pipeline 1x2", case_pipeline, &pipelines[1]},
    {"pipeline 2x1", case_pipeline, &pipelines[2]},
    {"pipeline 2x2", case_pipeline, &pipelines[3]},
    {"pipeline 4x4, or less", case_pipeline, &pipelines[4]},
    {"pipeline 1x4, or less", case_pipeline, &pipelines[5]},
    {"pipeline 4x1, or less", case_pipeline, &pipelines[6]},
    {"pipeline 2x4, or less", case_pipeline, &pipelines[7]},
    {"pipeline 1x2 of 2 samples", case_pipeline, &many_samples[0]},
    {"pipeline 2x1 of 4 samples", case_pipeline, &many_samples[1]},
    {"pipeline 2x2 of 2 samples", case_pipeline, &many_samples[2]},
    {"pipeline 2x2 of 4 samples", case_pipeline, &many_samples[3]},
    {"pipeline 2x2 of 8 samples, or less", case_pipeline, &many_samples[4]},
    {"replaced by no attachment", case_pipeline, &without_attachment[0]},
    {"least with no attachment", case_pipeline, &without_attachment[1]},
    {"most with no attachment", case_pipeline, &without_attachment[2]},
    {"product with no attachment", case_pipeline, &without_attachment[3]},
    {"replaced by no primitive rate", case_pipeline, &without_primitive[0]},
    {"least with no primitive rate", case_pipeline, &without_primitive[1]},
    {"most with no primitive rate", case_pipeline, &without_primitive[2]},
    {"product with no primitive rate", case_pipeline, &without_primitive[3]},
    {"primitives not looked at", case_primitive, &combined[0]},
    {"primitives alone", case_primitive, &combined[1]},
    {"least of 2x1 and primitives", case_primitive, &combined[2]},
    {"most of 2x1 and primitives", case_primitive, &combined[3]},
    {"product of 2x1 and primitives", case_primitive, &combined[4]},
    {"least of 1x2 and primitives", case_primitive, &combined[5]},
    {"most of 1x2 and primitives", case_primitive, &combined[6]},
    {"least of 2x2 and primitives", case_primitive, &combined[7]},
    {"primitives, least with no attachment", case_primitive, &combined[8]},
    {"primitives of 4 samples", case_primitive, &combined[9]},
    {"by command 1x1", case_dynamic, &pipelines[0]},
    {"by command 1x2", case_dynamic, &pipelines[1]},
    {"by command 2x2", case_dynamic, &pipelines[3]},
    {"by command 4x4, or less", case_dynamic, &pipelines[4]},
    {"by command, primitives alone", case_dynamic, &combined[1]},
    {"by command, most of 2x1 and primitives", case_dynamic, &combined[3]},
    {"by command, replaced by no attachment", case_dynamic, &without_attachment[0]},
    {"secondary", case_secondary, &secondaries[0]},
    {"secondary by command", case_secondary, &secondaries[1]},
    {"geometry shader", case_geometry, &stages[0]},
    {"geometry shader, most of 1x2", case_geometry, &stages[1]},
    {"geometry shader after tessellation", case_geometry, &stages[2]},
    {"tessellation", case_tessellation, &pipelines[3]},
    {"tessellation, replaced", case_tessellation, &without_primitive[0]},
    {"mesh shader", case_mesh, &stages[0]},
    {"mesh shader, most of 1x2", case_mesh, &stages[1]},
    {"rate of the first corner", case_provoking, &corners[0]},
    {"not that of the second", case_provoking, &corners[1]},
    {"not that of the third", case_provoking, &corners[2]},
    {"steps 2x2", case_values, &values[0]},
    {"steps 1x2", case_values, &values[1]},
    {"fine and coarse steps 2x1", case_values, &values[2]},
    {"interpolation 2x2", case_values, &values[3]},
    {"interpolation 1x2", case_values, &values[4]},
    {"interpolation 2x1", case_values, &values[5]},
    {"steps of attributes 2x2", case_values, &values[6]},
    {"steps of attributes 2x1", case_values, &values[7]},
    {"depth of fragments 2x2", case_values, &values[8]},
    {"depth of fragments 1x2", case_values, &values[9]},
    {"depth of fragments 2x1", case_values, &values[10]},
    {"interpolation 2x2 of 4 samples", case_values, &values[11]},
    {"discard 2x2", case_discard, &pipelines[3]},
    {"discard 2x1", case_discard, &pipelines[2]},
    {"discard 2x2 of 4 samples", case_discard, &many_samples[3]},
};
const size_t vt_shading_rate_count = COUNT_OF(vt_shading_rate_cases);
