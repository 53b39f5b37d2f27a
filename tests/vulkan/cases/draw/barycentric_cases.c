/* Weights of a primitive's corners, and what its corners have (VK_KHR_fragment_shader_barycentric): which corner is the
 * first, how weights go with perspective, lines and points, and whatever may assemble a primitive. */
#include <math.h>

#include "vt/vt_graphics.h"

#include "shaders/corners_frag.h"
#include "shaders/corners_vert.h"

#define FORMAT VK_FORMAT_R32G32B32A32_SFLOAT
#define SIZE 48

/* `WHAT` of corners.frag. */
enum what {
    SMOOTH,
    LINEAR,
    CORNER_0,
    CORNER_1,
    CORNER_2,
    WEIGHED,
    WEIGHED_LINEAR,
    BY_COLUMN, /* the corner that the column says */
    AT_OFFSET,
    AT_OFFSET_LINEAR,
    AT_CENTROID,
    BY_ROW, /* the weight that the row says */
};

struct test {
    enum what what;
    VkPrimitiveTopology topology;
    uint8_t corners[3]; /* the vertices of the primitive that is seen, in their order */
    bool is_last;       /* the last vertex is the provoking one */
    bool by_command;    /* the topology */
};

/* Triangles over the whole target and beyond it; whatever is assembled of other vertices has no area. */
static const struct vt_vertex wide[] = {
    {{-1, -1, 0.5f, 1}, {0, 0.25f, 1, 0.75f}},
    {{-1, -1, 0.5f, 1}, {0.75f, 0.25f, 0.125f, 1}},
    {{6, -2, 1, 2}, {1, 0.5f, 0, 1}}, /* twice as far away */
    {{-1, 3, 0.5f, 1}, {0.5f, 1, 0.25f, 0.5f}},
};
/* A line along a row of pixels. */
#define ROW 20
#define ROW_Y ((ROW + 0.5f) / SIZE * 2 - 1)
static const struct vt_vertex along[] = {
    {{-1, ROW_Y, 0.5f, 1}, {0, 0.25f, 1, 0.75f}},
    {{3, 3 * ROW_Y, 1.5f, 3}, {1, 0.5f, 0, 1}},
};
/* A point in its middle. */
static const struct vt_vertex middle[] = {{{(ROW + 0.5f) / SIZE * 2 - 1, ROW_Y, 0.5f, 1}, {0.25f, 0.5f, 1, 0.75f}}};

static bool is_line(VkPrimitiveTopology topology)
{
    return topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST || topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
}

static unsigned corners_of(const struct test *test)
{
    return test->topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST ? 1 : is_line(test->topology) ? 2 : 3;
}

static const struct vt_vertex *vertices_of(const struct test *test)
{
    return corners_of(test) == 1 ? middle : corners_of(test) == 2 ? along : wide;
}

static bool is_linear(enum what what)
{
    return what == LINEAR || what == WEIGHED_LINEAR || what == AT_OFFSET_LINEAR;
}

/* Along a line, or by the areas of three triangles; then by how far away the corners are. */
static void find_weights(const struct test *test, double x, double y, double out[3])
{
    const struct vt_vertex *vertices = vertices_of(test);
    const unsigned count = corners_of(test);
    double at[3][2], sum = 0;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 2; k++)
            at[i][k] = (double)vertices[test->corners[i]].position[k] / (double)vertices[test->corners[i]].position[3];
    }
    out[0] = 1;
    out[1] = out[2] = 0;
    if (count == 2) {
        out[1] = (x - at[0][0]) / (at[1][0] - at[0][0]);
        out[0] = 1 - out[1];
    }
    for (unsigned i = 0; i < 3 && count == 3; i++) {
        const double *a = at[(i + 1) % 3], *b = at[(i + 2) % 3];
        out[i] = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    }
    for (unsigned i = 0; i < count; i++) {
        out[i] /= is_linear(test->what) ? 1 : (double)vertices[test->corners[i]].position[3];
        sum += out[i];
    }
    for (unsigned i = 0; i < count; i++)
        out[i] /= sum;
}

static bool is_seen(const struct test *test, uint32_t x, uint32_t y)
{
    const unsigned count = corners_of(test);
    return count == 3 || (y == ROW && (count == 2 ? x > 0 && x + 1 < SIZE : x == ROW));
}

static void expect_pixel(const void *argument, uint32_t px, uint32_t py, double out[4])
{
    static const double none[2], offsets[2][2] = {{0.375, -0.25}, {-0.25, 0.4375}};
    const struct test *test = argument;
    const double *offset = test->what == AT_OFFSET ? offsets[0] : test->what == AT_OFFSET_LINEAR ? offsets[1] : none;
    const struct vt_vertex *vertices = vertices_of(test);
    double weights[3];
    if (!is_seen(test, px, py)) {
        out[0] = NAN;
        return;
    }
    find_weights(test, (px + 0.5 + offset[0]) / SIZE * 2 - 1, (py + 0.5 + offset[1]) / SIZE * 2 - 1, weights);
    const bool is_corner = test->what >= CORNER_0 && test->what <= CORNER_2;
    const unsigned corner = test->what == BY_COLUMN ? px % 3 : is_corner ? test->what - CORNER_0 : 0;
    for (unsigned c = 0; c < 4; c++) {
        out[c] = c < 3 ? weights[c] : 1;
        if (test->what == BY_ROW)
            out[c] = weights[py % 3];
        if (is_corner || test->what == BY_COLUMN)
            out[c] = (double)vertices[test->corners[corner]].color[c];
        if (test->what != WEIGHED && test->what != WEIGHED_LINEAR)
            continue;
        out[c] = 0;
        for (unsigned i = 0; i < corners_of(test); i++)
            out[c] += weights[i] * (double)vertices[test->corners[i]].color[c];
    }
}

static void set_topology(struct vt *vt, VkCommandBuffer commands, const void *argument)
{
    vkCmdSetPrimitiveTopology(commands, ((const struct test *)argument)->topology);
}

static const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT last_vertex = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
    .provokingVertexMode = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};

static void case_corners(struct vt *vt, const void *argument)
{
    const struct test *test = argument;
    if (!vt->has[VT_BARYCENTRIC])
        vt_skip(vt, "no weights of corners");
    if (test->is_last && !vt->has[VT_PROVOKING_VERTEX])
        vt_skip(vt, "no choice of the provoking vertex");
    const int32_t constants[2] = {(int32_t)test->what, (int32_t)corners_of(test)};
    const VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo info = {2, entries, sizeof(constants), constants};
    const unsigned count = corners_of(test);
    struct vt_target target = vt_target(vt, FORMAT, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(corners_vert), VT_SPIRV(corners_frag));
    vt_use_vertices(&graphics);
    graphics.fragment_constants = &info;
    graphics.assembly.topology = test->topology;
    if (test->is_last)
        graphics.raster.pNext = &last_vertex;
    if (test->by_command) {
        vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY);
        graphics.assembly.topology = test->topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP
                                         ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
                                         : VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
        graphics.set_dynamic = set_topology;
        graphics.dynamic_argument = test;
    }
    struct vt_vertex drawn[4];
    const bool is_list = test->topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    uint32_t vertices = count == 3 && !is_list ? COUNT_OF(wide) : count;
    for (uint32_t i = 0; i < vertices; i++)
        drawn[i] = vertices_of(test)[is_list ? test->corners[i] : i];
    vt_expect_picture(vt, &target, vt_draw_once(vt, &graphics, &target, drawn, vertices), expect_pixel, test, 0, 0.0005,
                      "weights");
}

#define LIST VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
#define STRIP VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP
#define FAN VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN
#define LINE VK_PRIMITIVE_TOPOLOGY_LINE_LIST
#define POINT VK_PRIMITIVE_TOPOLOGY_POINT_LIST

/* The second triangle of a strip is turned: its first vertex stays where it is, or with the last one as the provoking
 * one, that does. */
#define TURNED                                                                                                         \
    {                                                                                                                  \
        1, 3, 2                                                                                                        \
    }
#define TURNED_LAST                                                                                                    \
    {                                                                                                                  \
        2, 1, 3                                                                                                        \
    }

static const struct test tests[] = {
    {SMOOTH, LIST, {1, 2, 3}},
    {LINEAR, LIST, {1, 2, 3}},
    {CORNER_0, LIST, {1, 2, 3}},
    {CORNER_1, LIST, {1, 2, 3}},
    {CORNER_2, LIST, {1, 2, 3}},
    {WEIGHED, LIST, {1, 2, 3}},
    {WEIGHED_LINEAR, LIST, {1, 2, 3}},
    {BY_COLUMN, LIST, {1, 2, 3}},
    {AT_OFFSET, LIST, {1, 2, 3}},
    {AT_OFFSET_LINEAR, LIST, {1, 2, 3}},
    {AT_CENTROID, LIST, {1, 2, 3}},
    {BY_ROW, LIST, {1, 2, 3}},
    {SMOOTH, LIST, {3, 1, 2}},
    {CORNER_0, LIST, {3, 1, 2}},
    {SMOOTH, LIST, {1, 2, 3}, .is_last = true},
    {LINEAR, LIST, {2, 3, 1}, .is_last = true},
    {CORNER_0, LIST, {1, 2, 3}, .is_last = true},
    {CORNER_2, LIST, {1, 2, 3}, .is_last = true},
    {WEIGHED, LIST, {1, 2, 3}, .is_last = true},
    {SMOOTH, STRIP, TURNED},
    {CORNER_0, STRIP, TURNED},
    {CORNER_1, STRIP, TURNED},
    {WEIGHED, STRIP, TURNED},
    {SMOOTH, STRIP, TURNED_LAST, .is_last = true},
    {CORNER_1, STRIP, TURNED_LAST, .is_last = true},
    {SMOOTH, FAN, {2, 3, 0}},
    {CORNER_0, FAN, {2, 3, 0}},
    {CORNER_2, FAN, {2, 3, 0}},
    {SMOOTH, LINE, {0, 1}},
    {LINEAR, LINE, {0, 1}},
    {CORNER_0, LINE, {0, 1}},
    {CORNER_1, LINE, {0, 1}},
    {WEIGHED, LINE, {0, 1}},
    {SMOOTH, POINT, {0}},
    {WEIGHED, POINT, {0}},
    {SMOOTH, STRIP, TURNED, .by_command = true},
    {WEIGHED, LINE, {0, 1}, .by_command = true},
};

const struct vt_case vt_barycentric_cases[] = {
    {"smooth", case_corners, &tests[0]},
    {"linear", case_corners, &tests[1]},
    {"corner 0", case_corners, &tests[2]},
    {"corner 1", case_corners, &tests[3]},
    {"corner 2", case_corners, &tests[4]},
    {"weighed", case_corners, &tests[5]},
    {"weighed linear", case_corners, &tests[6]},
    {"corner by column", case_corners, &tests[7]},
    {"at offset", case_corners, &tests[8]},
    {"at offset linear", case_corners, &tests[9]},
    {"at centroid", case_corners, &tests[10]},
    {"weight by row", case_corners, &tests[11]},
    {"other order", case_corners, &tests[12]},
    {"other order corner 0", case_corners, &tests[13]},
    {"last vertex", case_corners, &tests[14]},
    {"last vertex linear", case_corners, &tests[15]},
    {"last vertex corner 0", case_corners, &tests[16]},
    {"last vertex corner 2", case_corners, &tests[17]},
    {"last vertex weighed", case_corners, &tests[18]},
    {"strip", case_corners, &tests[19]},
    {"strip corner 0", case_corners, &tests[20]},
    {"strip corner 1", case_corners, &tests[21]},
    {"strip weighed", case_corners, &tests[22]},
    {"strip last vertex", case_corners, &tests[23]},
    {"strip last vertex corner 1", case_corners, &tests[24]},
    {"fan", case_corners, &tests[25]},
    {"fan corner 0", case_corners, &tests[26]},
    {"fan corner 2", case_corners, &tests[27]},
    {"line", case_corners, &tests[28]},
    {"line linear", case_corners, &tests[29]},
    {"line corner 0", case_corners, &tests[30]},
    {"line corner 1", case_corners, &tests[31]},
    {"line weighed", case_corners, &tests[32]},
    {"point", case_corners, &tests[33]},
    {"point weighed", case_corners, &tests[34]},
    {"strip by command", case_corners, &tests[35]},
    {"line by command", case_corners, &tests[36]},
};
const size_t vt_barycentric_count = COUNT_OF(vt_barycentric_cases);
