/* Geometry shaders: which vertices they see, what they emit, and what becomes of it. Most cases draw 64 points, each of
 * which becomes a cell of 4 by 4 pixels (shaders/cell.*). */
#include <math.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/assemble_lines_adjacency_geom.h"
#include "shaders/assemble_lines_geom.h"
#include "shaders/assemble_points_geom.h"
#include "shaders/assemble_triangles_adjacency_geom.h"
#include "shaders/assemble_triangles_geom.h"
#include "shaders/assemble_vert.h"
#include "shaders/between_lines_adjacency_geom.h"
#include "shaders/between_lines_geom.h"
#include "shaders/between_points_geom.h"
#include "shaders/between_triangles_adjacency_geom.h"
#include "shaders/between_triangles_geom.h"
#include "shaders/cell_clip_1_geom.h"
#include "shaders/cell_clip_5_geom.h"
#include "shaders/cell_clip_8_geom.h"
#include "shaders/cell_counted_geom.h"
#include "shaders/cell_cull_geom.h"
#include "shaders/cell_flat_frag.h"
#include "shaders/cell_flat_geom.h"
#include "shaders/cell_flat_lines_geom.h"
#include "shaders/cell_inputs_geom.h"
#include "shaders/cell_inputs_vert.h"
#include "shaders/cell_large_point_geom.h"
#include "shaders/cell_last_wins_geom.h"
#include "shaders/cell_layers_geom.h"
#include "shaders/cell_line_strip_geom.h"
#include "shaders/cell_lines_geom.h"
#include "shaders/cell_long_strip_geom.h"
#include "shaders/cell_many_frag.h"
#include "shaders/cell_many_geom.h"
#include "shaders/cell_many_vert.h"
#include "shaders/cell_more_layers_geom.h"
#include "shaders/cell_most_geom.h"
#include "shaders/cell_nothing_geom.h"
#include "shaders/cell_numbers_frag.h"
#include "shaders/cell_numbers_geom.h"
#include "shaders/cell_pixels_geom.h"
#include "shaders/cell_plain_frag.h"
#include "shaders/cell_plain_vert.h"
#include "shaders/cell_points_geom.h"
#include "shaders/cell_quad_geom.h"
#include "shaders/cell_resources_geom.h"
#include "shaders/cell_some_geom.h"
#include "shaders/cell_split_geom.h"
#include "shaders/cell_too_few_geom.h"
#include "shaders/cell_two_triangles_geom.h"
#include "shaders/cell_viewports_geom.h"
#include "shaders/cell_wide_split_geom.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 32
#define CELLS 64
#define CODE(name)                                                                                                     \
    {                                                                                                                  \
        name, sizeof(name)                                                                                             \
    }
#define ANY 0xdeadbeefu /* a pixel of which nothing is said */

static void need_feature(struct vt *vt)
{
    if (!vt->features.features.geometryShader)
        vt_skip(vt, "no geometry shaders");
}

static uint32_t rgba(uint32_t r, uint32_t g, uint32_t b)
{
    return r | g << 8 | b << 16 | 255u << 24;
}

/* ---- which vertices ---- */

struct assembly {
    VkPrimitiveTopology topology;
    struct vt_spirv code;
    bool indexed, restart;
    uint32_t instances;
};

#define MAX_PRIMS 64
#define RESTART 0xffff

/* Primitives of consecutive vertices by the rules of the specification; returns how many. */
static uint32_t assemble_primitives(VkPrimitiveTopology topology, const uint32_t *v, uint32_t count, uint32_t (*out)[6])
{
    uint32_t n = 0;
#define PRIM(...)                                                                                                      \
    do {                                                                                                               \
        const uint32_t vertices[] = {__VA_ARGS__};                                                                     \
        memcpy(out[n++], vertices, sizeof(vertices));                                                                  \
    } while (0)
    for (uint32_t i = 0;; i++) {
        switch (topology) {
        case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
            if (i >= count)
                return n;
            PRIM(v[i]);
            break;
        case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
            if (2 * i + 1 >= count)
                return n;
            PRIM(v[2 * i], v[2 * i + 1]);
            break;
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
            if (i + 1 >= count)
                return n;
            PRIM(v[i], v[i + 1]);
            break;
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
            if (3 * i + 2 >= count)
                return n;
            PRIM(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
            break;
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
            if (i + 2 >= count)
                return n;
            if (i & 1)
                PRIM(v[i], v[i + 2], v[i + 1]);
            else
                PRIM(v[i], v[i + 1], v[i + 2]);
            break;
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
            if (i + 2 >= count)
                return n;
            PRIM(v[i + 1], v[i + 2], v[0]);
            break;
        case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
            if (4 * i + 3 >= count)
                return n;
            PRIM(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
            break;
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
            if (i + 3 >= count)
                return n;
            PRIM(v[i], v[i + 1], v[i + 2], v[i + 3]);
            break;
        case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
            if (6 * i + 5 >= count)
                return n;
            PRIM(v[6 * i], v[6 * i + 1], v[6 * i + 2], v[6 * i + 3], v[6 * i + 4], v[6 * i + 5]);
            break;
        default: { /* a strip with adjacency */
            uint32_t triangles = count < 6 ? 0 : (count - 4) / 2, at = 2 * i;
            if (i >= triangles)
                return n;
            bool first = i == 0, last = i == triangles - 1;
            uint32_t before = first ? v[1] : v[at - 2], after = last ? v[at + 5] : v[at + 6];
            if (i & 1)
                PRIM(v[at], v[at + 3], v[at + 4], after, v[at + 2], before);
            else
                PRIM(v[at], before, v[at + 2], after, v[at + 4], v[at + 3]);
            break;
        }
        }
    }
}

/* Primitives of all runs between restarts. */
static uint32_t expect_runs(const struct assembly *test, const uint16_t *indices, uint32_t count, uint32_t (*out)[6])
{
    uint32_t run[MAX_PRIMS], length = 0, prims = 0;
    for (uint32_t i = 0; i <= count; i++) {
        bool ends = i == count || (test->restart && indices[i] == RESTART);
        if (!ends) {
            run[length++] = test->indexed ? indices[i] + 100u : i + 5;
            continue;
        }
        prims += assemble_primitives(test->topology, run, length, out + prims);
        length = 0;
    }
    return prims;
}

static void case_assembly(struct vt *vt, const void *argument)
{
    const struct assembly *test = argument;
    static const uint16_t plain[] = {7, 3, 9, 1, 0, 12, 3, 3, 5, 20, 21, 2, 6, 8, 10, 11, 13, 14, 15, 16, 30},
                          broken[] = {7, 3, 9,  1,  0,       12, 3,  3,  RESTART, 5,  20, RESTART, 21, 2,
                                      6, 8, 10, 11, RESTART, 13, 14, 15, 16,      30, 31, RESTART, 1};
    need_feature(vt);
    if (!vt->features.features.vertexPipelineStoresAndAtomics)
        vt_skip(vt, "no vertexPipelineStoresAndAtomics");
    const uint16_t *indices = test->restart ? broken : plain;
    uint32_t count = test->restart ? COUNT_OF(broken) : COUNT_OF(plain), prims[MAX_PRIMS][6] = {{0}};
    uint32_t per_instance = expect_runs(test, indices, count, prims), words = MAX_PRIMS * 8 * 4;
    struct vt_buffer seen = vt_buffer(vt, words * 4, NULL), index = vt_buffer(vt, sizeof(broken), indices);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(seen)};
    struct vt_set set = vt_set(vt, bindings, 1);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(assemble_vert), vt_constant_frag);
    graphics.geometry_code = test->code;
    graphics.assembly.topology = test->topology;
    graphics.assembly.primitiveRestartEnable = test->restart;
    graphics.sets[0] = set.layout;
    graphics.set_count = 1;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vt_push(commands, &graphics, &per_instance, 4);
    vkCmdBindIndexBuffer(commands, index.buffer, 0, VK_INDEX_TYPE_UINT16);
    if (test->indexed)
        vkCmdDrawIndexed(commands, count, test->instances, 0, 100, 0);
    else
        vkCmdDraw(commands, count, test->instances, 5, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    const uint32_t *got = seen.map;
    for (uint32_t i = 0; i < words / 8; i++) {
        bool there = i < per_instance * test->instances;
        const uint32_t *expected = prims[i % per_instance];
        if (there != (got[i * 8] != 0))
            vt_fail(vt, "primitive %u has %u invocations", i, got[i * 8]);
        for (uint32_t k = 0; k < 6 && there; k++) {
            uint32_t at = k;
            /* Of which corner on an odd triangle of such a strip is seen, editions of the specification disagree. */
            if (test->topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY && got[i * 8 + 1] != expected[0])
                at = (k + 4) % 6;
            if (got[i * 8 + 1 + k] != expected[at])
                vt_fail(vt, "vertex %u of primitive %u is %u, expected %u", k, i, got[i * 8 + 1 + k], expected[at]);
        }
    }
}

#define ASSEMBLY(topology, code)                                                                                       \
    {VK_PRIMITIVE_TOPOLOGY_##topology, CODE(code), false, false, 1},                                                   \
        {VK_PRIMITIVE_TOPOLOGY_##topology, CODE(code), true, false, 3},                                                \
    {                                                                                                                  \
        VK_PRIMITIVE_TOPOLOGY_##topology, CODE(code), true, true, 1                                                    \
    }

static const struct assembly assemblies[] = {
    ASSEMBLY(POINT_LIST, assemble_points_geom),
    ASSEMBLY(LINE_LIST, assemble_lines_geom),
    ASSEMBLY(LINE_STRIP, assemble_lines_geom),
    ASSEMBLY(TRIANGLE_LIST, assemble_triangles_geom),
    ASSEMBLY(TRIANGLE_STRIP, assemble_triangles_geom),
    ASSEMBLY(TRIANGLE_FAN, assemble_triangles_geom),
    ASSEMBLY(LINE_LIST_WITH_ADJACENCY, assemble_lines_adjacency_geom),
    ASSEMBLY(LINE_STRIP_WITH_ADJACENCY, assemble_lines_adjacency_geom),
    ASSEMBLY(TRIANGLE_LIST_WITH_ADJACENCY, assemble_triangles_adjacency_geom),
    ASSEMBLY(TRIANGLE_STRIP_WITH_ADJACENCY, assemble_triangles_adjacency_geom),
};

/* ---- cells ---- */

typedef uint32_t expect_cell(uint32_t cell, uint32_t x, uint32_t y);

static uint32_t whole(uint32_t cell, uint32_t x, uint32_t y)
{
    return rgba(cell, 100, 0);
}

static uint32_t none(uint32_t cell, uint32_t x, uint32_t y)
{
    return 0;
}

static uint32_t each_pixel(uint32_t cell, uint32_t x, uint32_t y)
{
    return rgba(cell, y * 4 + x, 0);
}

static uint32_t two_rows(uint32_t cell, uint32_t x, uint32_t y)
{
    return y % 2 == 0 ? whole(cell, x, y) : 0;
}

static uint32_t top_and_right(uint32_t cell, uint32_t x, uint32_t y)
{
    return y == 0 || x == 3 ? whole(cell, x, y) : 0;
}

static uint32_t even_cells(uint32_t cell, uint32_t x, uint32_t y)
{
    return cell % 2 == 0 ? whole(cell, x, y) : 0;
}

static uint32_t quarter(uint32_t cell, uint32_t x, uint32_t y)
{
    return x >= 2 && y >= 2 ? whole(cell, x, y) : 0;
}

static uint32_t last_of_32(uint32_t cell, uint32_t x, uint32_t y)
{
    return rgba(cell, 31, 0);
}

static uint32_t last_of_8(uint32_t cell, uint32_t x, uint32_t y)
{
    return rgba(cell, 7, 15);
}

static uint32_t last_of_wide(uint32_t cell, uint32_t x, uint32_t y)
{
    return rgba(cell, 31, 3);
}

static uint32_t columns(uint32_t cell, uint32_t x, uint32_t y)
{
    return x <= cell % 4 ? rgba(cell, x, 0) : 0;
}

static uint32_t clipped(uint32_t cell, uint32_t x, uint32_t distances)
{
    return cell % (distances + 1) == distances || x < 2 ? rgba(cell, 100, 0) : 0;
}

static uint32_t clipped_1(uint32_t cell, uint32_t x, uint32_t y)
{
    return clipped(cell, x, 1);
}

static uint32_t clipped_5(uint32_t cell, uint32_t x, uint32_t y)
{
    return clipped(cell, x, 5);
}

static uint32_t clipped_8(uint32_t cell, uint32_t x, uint32_t y)
{
    return clipped(cell, x, 8);
}

static uint32_t culled(uint32_t cell, uint32_t x, uint32_t y)
{
    return (cell & 5) == 1 ? rgba(cell, 100, 0) : 0;
}

static uint32_t inputs(uint32_t cell, uint32_t x, uint32_t y)
{
    return rgba(cell, 200, cell % 3);
}

static uint32_t many(uint32_t cell, uint32_t x, uint32_t y)
{
    return rgba(cell, 28, 29);
}

/* The first triangle is the one at the top left. */
static uint32_t flat_by(uint32_t cell, uint32_t x, uint32_t y, uint32_t first, uint32_t second)
{
    return x + y == 3 ? ANY : rgba(cell, x + y < 3 ? first : second, 0);
}

static uint32_t flat_first(uint32_t cell, uint32_t x, uint32_t y)
{
    return flat_by(cell, x, y, 0, 1);
}

static uint32_t flat_last(uint32_t cell, uint32_t x, uint32_t y)
{
    return flat_by(cell, x, y, 2, 3);
}

static uint32_t lines_first(uint32_t cell, uint32_t x, uint32_t y)
{
    return y ? 0 : rgba(cell, x / 2, 0);
}

static uint32_t lines_last(uint32_t cell, uint32_t x, uint32_t y)
{
    return y ? 0 : rgba(cell, x / 2 + 1, 0);
}

static uint32_t constant(uint32_t cell, uint32_t x, uint32_t y)
{
    return 0xcc996633;
}

static void expect_cells(struct vt *vt, const uint32_t *texels, expect_cell *expect)
{
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            uint32_t cell = y / 4 * 8 + x / 4, expected = expect(cell, x % 4, y % 4), got = texels[y * SIZE + x];
            if (expected != ANY && got != expected)
                vt_fail(vt, "pixel %u %u of cell %u is %08x, expected %08x", x % 4, y % 4, cell, got, expected);
        }
    }
}

enum way {
    PLAINLY,
    LAST_PROVOKES,
    LAST_BY_COMMAND,
    FIRST_BY_COMMAND,
    CULL_BACK,
    CULL_FRONT,
    UNOPTIMISED,
    DISCARDED, /* by the rasteriser */
    SAMPLED,   /* four samples */
};

struct cells {
    struct vt_spirv geometry, vertex, fragment; /* without words: the plain ones */
    expect_cell *expect;
    enum way way;
    uint32_t points; /* 0: 64 */
};

static void set_provoking(struct vt *vt, VkCommandBuffer commands, const void *argument)
{
    VT_LOAD(vt, CmdSetProvokingVertexModeEXT)(commands, *(const VkProvokingVertexModeEXT *)argument);
}

static void use_way(struct vt *vt, struct vt_graphics *graphics, enum way way,
                    VkPipelineRasterizationProvokingVertexStateCreateInfoEXT *provoking)
{
    static const VkProvokingVertexModeEXT first = VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT,
                                          last = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
    bool by_command = way == LAST_BY_COMMAND || way == FIRST_BY_COMMAND;
    if ((way == LAST_PROVOKES || by_command) && !vt->has[VT_PROVOKING_VERTEX])
        vt_skip(vt, "no VK_EXT_provoking_vertex");
    if ((way == LAST_PROVOKES || way == LAST_BY_COMMAND) && vt->driver == VK_DRIVER_ID_MESA_RADV &&
        graphics->geometry_code.words == cell_flat_geom)
        vt_skip(vt, "RADV takes the corners of the primitive that goes in for those of the triangle that comes out");
    if (by_command && !(vt->has[VT_EXTENDED_DYNAMIC_STATE3] && VT_LOAD(vt, CmdSetProvokingVertexModeEXT)))
        vt_skip(vt, "no vkCmdSetProvokingVertexModeEXT");
    if (way == LAST_PROVOKES || way == FIRST_BY_COMMAND)
        graphics->raster.pNext = provoking;
    if (by_command) {
        vt_add_dynamic(graphics, VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT);
        graphics->set_dynamic = set_provoking;
        graphics->dynamic_argument = way == LAST_BY_COMMAND ? &last : &first;
    }
    graphics->raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE; /* as the long strips turn, with y down */
    graphics->raster.cullMode = way == CULL_BACK    ? VK_CULL_MODE_BACK_BIT
                                : way == CULL_FRONT ? VK_CULL_MODE_FRONT_BIT
                                                    : VK_CULL_MODE_NONE;
    graphics->flags = way == UNOPTIMISED ? VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT : 0;
    graphics->raster.rasterizerDiscardEnable = way == DISCARDED;
}

static struct vt_spirv or_plain(struct vt_spirv code, struct vt_spirv plain)
{
    return code.words ? code : plain;
}

static void init_cells(struct vt *vt, struct vt_graphics *graphics, const struct vt_target *target,
                       const struct cells *test)
{
    need_feature(vt);
    vt_graphics_init(graphics, target, or_plain(test->vertex, VT_SPIRV(cell_plain_vert)),
                     or_plain(test->fragment, VT_SPIRV(cell_plain_frag)));
    graphics->geometry_code = test->geometry;
    graphics->assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
}

static void case_cells(struct vt *vt, const void *argument)
{
    const struct cells *test = argument;
    VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
        .provokingVertexMode = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};
    struct vt_target target =
        test->way == SAMPLED ? vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_4_BIT) : vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_image resolved;
    if (test->way == SAMPLED) {
        vt_add_color(vt, &target, RGBA8);
        target.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
        resolved = vt_image_2d(vt, RGBA8, SIZE, SIZE, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
        target.resolve = &resolved;
        target.resolve_view = vt_view(vt, &resolved, VK_IMAGE_VIEW_TYPE_2D);
        target.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT;
    }
    struct vt_graphics graphics;
    init_cells(vt, &graphics, &target, test);
    if (test->vertex.words == cell_inputs_vert && !vt->features.features.shaderFloat64)
        vt_skip(vt, "no doubles");
    if ((test->vertex.words == cell_inputs_vert || test->geometry.words == cell_points_geom ||
         test->geometry.words == cell_large_point_geom) &&
        !vt->features.features.shaderTessellationAndGeometryPointSize)
        vt_skip(vt, "no shaderTessellationAndGeometryPointSize");
    if (test->vertex.words == cell_many_vert && vt->properties.limits.maxGeometryInputComponents < 128)
        vt_skip(vt, "too few components go into geometry shaders");
    use_way(vt, &graphics, test->way, &provoking);
    expect_cells(vt, vt_draw_once(vt, &graphics, &target, NULL, test->points ? test->points : CELLS), test->expect);
}

static const struct cells cells[] = {
    {CODE(cell_quad_geom), {0}, {0}, whole, PLAINLY, 0},
    {CODE(cell_two_triangles_geom), {0}, {0}, whole, PLAINLY, 0},
    {CODE(cell_long_strip_geom), {0}, {0}, whole, PLAINLY, 0},
    {CODE(cell_long_strip_geom), {0}, {0}, whole, CULL_BACK, 0},
    {CODE(cell_long_strip_geom), {0}, {0}, none, CULL_FRONT, 0},
    {CODE(cell_points_geom), {0}, {0}, each_pixel, PLAINLY, 0},
    {CODE(cell_large_point_geom), {0}, {0}, whole, PLAINLY, 0},
    {CODE(cell_lines_geom), {0}, {0}, two_rows, PLAINLY, 0},
    {CODE(cell_line_strip_geom), {0}, {0}, top_and_right, PLAINLY, 0},
    {CODE(cell_some_geom), {0}, {0}, even_cells, PLAINLY, 0},
    {CODE(cell_nothing_geom), {0}, {0}, none, PLAINLY, 0},
    {CODE(cell_too_few_geom), {0}, {0}, quarter, PLAINLY, 0},
    {CODE(cell_pixels_geom), {0}, {0}, each_pixel, PLAINLY, 0},
    {CODE(cell_last_wins_geom), {0}, {0}, last_of_32, PLAINLY, 0},
    {CODE(cell_split_geom), {0}, {0}, last_of_8, PLAINLY, 0},
    {CODE(cell_wide_split_geom), {0}, {0}, last_of_wide, PLAINLY, 0},
    {CODE(cell_counted_geom), {0}, {0}, columns, PLAINLY, 0},
    {CODE(cell_clip_1_geom), {0}, {0}, clipped_1, PLAINLY, 0},
    {CODE(cell_clip_5_geom), {0}, {0}, clipped_5, PLAINLY, 0},
    {CODE(cell_clip_8_geom), {0}, {0}, clipped_8, PLAINLY, 0},
    {CODE(cell_cull_geom), {0}, {0}, culled, PLAINLY, 0},
    {CODE(cell_inputs_geom), CODE(cell_inputs_vert), {0}, inputs, PLAINLY, 0},
    {CODE(cell_many_geom), CODE(cell_many_vert), CODE(cell_many_frag), many, PLAINLY, 0},
    {CODE(cell_flat_geom), {0}, CODE(cell_flat_frag), flat_first, PLAINLY, 0},
    {CODE(cell_flat_geom), {0}, CODE(cell_flat_frag), flat_last, LAST_PROVOKES, 0},
    {CODE(cell_flat_geom), {0}, CODE(cell_flat_frag), flat_last, LAST_BY_COMMAND, 0},
    {CODE(cell_flat_geom), {0}, CODE(cell_flat_frag), flat_first, FIRST_BY_COMMAND, 0},
    {CODE(cell_flat_lines_geom), {0}, CODE(cell_flat_frag), lines_first, PLAINLY, 0},
    {CODE(cell_flat_lines_geom), {0}, CODE(cell_flat_frag), lines_last, LAST_PROVOKES, 0},
    {CODE(cell_counted_geom), {0}, {0}, columns, UNOPTIMISED, 0},
    {CODE(cell_inputs_geom), CODE(cell_inputs_vert), {0}, inputs, UNOPTIMISED, 0},
    {CODE(cell_quad_geom), {0}, {0}, none, DISCARDED, 0},
    {CODE(cell_quad_geom), {0}, {0}, whole, SAMPLED, 0},
    {CODE(cell_quad_geom), {0}, {0}, whole, PLAINLY, 5000},
    {CODE(cell_pixels_geom), {0}, {0}, each_pixel, PLAINLY, 1000},
    {CODE(cell_large_point_geom), {0}, {0}, whole, PLAINLY, 3000},
};

/* One point, 256 vertices: all cells. */
static void case_most(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    init_cells(vt, &graphics, &target, &(struct cells){.geometry = CODE(cell_most_geom)});
    graphics.fragment_code = vt_constant_frag;
    expect_cells(vt, vt_draw_once(vt, &graphics, &target, NULL, *(const uint32_t *)argument), constant);
}

static const uint32_t most[] = {1, 7};

/* ---- layers, viewports, numbers ---- */

static void case_layers(struct vt *vt, const void *argument)
{
    uint32_t invocations = *(const uint32_t *)argument;
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    target.layers = 4;
    target.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    vt_add_color(vt, &target, RGBA8);
    struct vt_graphics graphics;
    struct cells test = {.geometry = CODE(cell_layers_geom)};
    if (invocations > 1)
        test.geometry = VT_SPIRV(cell_more_layers_geom);
    init_cells(vt, &graphics, &target, &test);
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, NULL, CELLS);
    for (uint32_t i = 0; i < 4 * SIZE * SIZE; i++) {
        uint32_t layer = i / (SIZE * SIZE), x = i % SIZE, y = i / SIZE % SIZE, cell = y / 4 * 8 + x / 4;
        uint32_t expected = ((layer - cell) & 3) < invocations ? rgba(cell, 100, 0) : 0;
        if (texels[i] != expected)
            vt_fail(vt, "cell %u of layer %u is %08x, expected %08x", cell, layer, texels[i], expected);
    }
}

static const uint32_t layer_invocations[] = {1, 3};

/* Quarters of the target; a cell shows in the one of its number. */
static void case_viewports(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    init_cells(vt, &graphics, &target, &(struct cells){.geometry = CODE(cell_viewports_geom)});
    if (!vt->features.features.multiViewport)
        vt_skip(vt, "no multiViewport");
    graphics.viewport.viewportCount = graphics.viewport.scissorCount = 4;
    for (unsigned i = 0; i < 4; i++) {
        float x = (float)(i % 2 * SIZE / 2), y = (float)(i / 2 * SIZE / 2);
        graphics.viewports[i] = (VkViewport){x, y, SIZE / 2, SIZE / 2, 0, 1};
        graphics.scissors[i] = (VkRect2D){{0, 0}, {SIZE, SIZE}};
    }
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, NULL, CELLS);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t x = i % SIZE, y = i / SIZE, place = x / 16 + y / 16 * 2, cell = y % 16 / 2 * 8 + x % 16 / 2;
        uint32_t expected = (cell & 3) == place ? rgba(cell, 100, 0) : 0;
        if (texels[i] != expected)
            vt_fail(vt, "cell %u of viewport %u is %08x, expected %08x", cell, place, texels[i], expected);
    }
}

/* The geometry shader's numbers of a primitive, as the fragment shader sees them. */
static void case_numbers(struct vt *vt, const void *argument)
{
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    target.layers = 4;
    target.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    vt_add_color(vt, &target, RGBA8);
    struct vt_graphics graphics;
    init_cells(vt, &graphics, &target,
               &(struct cells){.geometry = CODE(cell_numbers_geom), .fragment = CODE(cell_numbers_frag)});
    if (!vt->features.features.multiViewport)
        vt_skip(vt, "no multiViewport");
    graphics.viewport.viewportCount = graphics.viewport.scissorCount = 2;
    graphics.viewports[1] = graphics.viewports[0];
    graphics.scissors[1] = graphics.scissors[0];
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, NULL, CELLS);
    for (uint32_t i = 0; i < 4 * SIZE * SIZE; i++) {
        uint32_t layer = i / (SIZE * SIZE), x = i % SIZE, y = i / SIZE % SIZE, cell = y / 4 * 8 + x / 4;
        uint32_t expected = (cell & 3) == layer ? rgba(cell + 3, layer, cell & 1) : 0;
        if (texels[i] != expected)
            vt_fail(vt, "cell %u of layer %u is %08x, expected %08x", cell, layer, texels[i], expected);
    }
}

/* ---- resources ---- */

static void case_resources(struct vt *vt, const void *argument)
{
    need_feature(vt);
    if (!vt->features.features.vertexPipelineStoresAndAtomics)
        vt_skip(vt, "no vertexPipelineStoresAndAtomics");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_buffer words = vt_buffer(vt, 2 * CELLS * 4, NULL);
    for (uint32_t i = 0; i < CELLS; i++)
        ((uint32_t *)words.map)[i] = i * 3 + 1;
    struct vt_image image = vt_image_2d(vt, RGBA8, 1, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
    vt_upload(vt, &image, 0, &(uint32_t){rgba(1, 42, 3)}, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(words), VT_SAMPLED(vt_sampler(vt, (VkSamplerCreateInfo){0}),
                                                                         vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D))};
    struct vt_set set = vt_set(vt, bindings, 2);
    struct vt_graphics graphics;
    init_cells(vt, &graphics, &target, &(struct cells){.geometry = CODE(cell_resources_geom)});
    graphics.sets[0] = set.layout;
    graphics.set_count = 1;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set.set, 0, NULL);
    vt_push(commands, &graphics, (const uint32_t[]){5, 77}, 8);
    vkCmdDraw(commands, CELLS, 1, 0, 0);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t cell = i / SIZE / 4 * 8 + i % SIZE / 4, got = ((const uint32_t *)texels.map)[i];
        if (got != rgba(cell * 3 + 1, 42, 77))
            vt_fail(vt, "cell %u is %08x, expected %08x", cell, got, rgba(cell * 3 + 1, 42, 77));
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        uint32_t sum = ((const uint32_t *)words.map)[CELLS + i];
        if (sum < 5 || sum % 5)
            vt_fail(vt, "word %u is %u, expected 5", i, sum);
    }
}

/* ---- from one kind to another ---- */

struct between {
    VkPrimitiveTopology topology;
    struct vt_spirv code;
    uint32_t vertices; /* of a primitive */
};

/* Primitive n lies in cell n; by attributes. */
static void case_between(struct vt *vt, const void *argument)
{
    const struct between *test = argument;
    need_feature(vt);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    struct vt_vertex vertices[CELLS * 6];
    uint32_t count = CELLS * test->vertices;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cell = i / test->vertices;
        float x = (float)(cell % 8) * 0.25f - 0.875f, y = (float)(cell / 8) * 0.25f - 0.875f;
        vertices[i] = (struct vt_vertex){{x, y, 0.5f, 1}, {(float)(i % test->vertices) / 255, 0, 0, 1}};
    }
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&graphics);
    graphics.geometry_code = test->code;
    graphics.assembly.topology = test->topology;
    const uint32_t *texels = vt_draw_once(vt, &graphics, &target, vertices, count);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t cell = i / SIZE / 4 * 8 + i % SIZE / 4, n = test->vertices, expected = rgba(n - 1, n, cell);
        if (texels[i] != expected)
            vt_fail(vt, "cell %u is %08x, expected %08x", cell, texels[i], expected);
    }
}

static const struct between betweens[] = {
    {VK_PRIMITIVE_TOPOLOGY_POINT_LIST, CODE(between_points_geom), 1},
    {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, CODE(between_lines_geom), 2},
    {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, CODE(between_triangles_geom), 3},
    {VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY, CODE(between_lines_adjacency_geom), 4},
    {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY, CODE(between_triangles_adjacency_geom), 6},
};

/* ---- how it is drawn ---- */

/* With and without a geometry shader by turns, and another one: points, then two triangles, then lines. */
static void case_turns(struct vt *vt, const void *argument)
{
    bool by_command = argument != NULL;
    need_feature(vt);
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics quad, plain, lines;
    init_cells(vt, &quad, &target, &(struct cells){.geometry = CODE(cell_quad_geom)});
    init_cells(vt, &lines, &target, &(struct cells){.geometry = CODE(cell_lines_geom)});
    vt_graphics_init(&plain, &target, vt_plain_vert, vt_plain_frag);
    vt_use_vertices(&plain);
    struct vt_graphics *all[] = {&quad, &plain, &lines};
    for (unsigned i = 0; i < 3; i++) {
        if (by_command)
            vt_add_dynamic(all[i], VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY);
        vt_make_pipeline(vt, all[i], &target);
    }
    struct vt_vertex half[6];
    vt_rectangle(half, 0, -1, 1, 1, 0.5f, (const float[4]){1, 1, 1, 1});
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    for (unsigned turn = 0; turn < 2; turn++) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, quad.pipeline);
        if (by_command)
            vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
        vkCmdDraw(commands, CELLS, 1, 0, 0);
        if (by_command)
            vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
        vt_draw(vt, commands, &plain, half, 6);
        if (by_command)
            vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, lines.pipeline);
        vkCmdDraw(commands, CELLS / 2, 1, 0, 0);
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        uint32_t x = i % SIZE, y = i / SIZE, cell = y / 4 * 8 + x / 4, got = ((const uint32_t *)texels.map)[i];
        bool line = cell < CELLS / 2 && y % 2 == 0, white = x >= SIZE / 2 && !line;
        uint32_t expected = white ? UINT32_MAX : rgba(cell, 100, 0);
        if (got != expected)
            vt_fail(vt, "pixel %u %u is %08x, expected %08x", x, y, got, expected);
    }
}

/* Attributes whose layout is a command. */
static void case_dynamic_input(struct vt *vt, const void *argument)
{
    need_feature(vt);
    if (!vt->has[VT_VERTEX_INPUT_DYNAMIC])
        vt_skip(vt, "no VK_EXT_vertex_input_dynamic_state");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    struct vt_vertex vertices[CELLS];
    for (uint32_t i = 0; i < CELLS; i++)
        vertices[i] = (struct vt_vertex){{(float)(i % 8) * 0.25f - 0.875f, (float)(i / 8) * 0.25f - 0.875f, 0.5f, 1},
                                         {(float)i / 255, 100.0f / 255, 0, 1}};
    vt_graphics_init(&graphics, &target, vt_plain_vert, vt_plain_frag);
    graphics.geometry_code = VT_SPIRV(cell_quad_geom);
    graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    vt_add_dynamic(&graphics, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
    vt_make_pipeline(vt, &graphics, &target);
    VkVertexInputBindingDescription2EXT binding = {.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
                                                   .stride = sizeof(struct vt_vertex),
                                                   .inputRate = VK_VERTEX_INPUT_RATE_VERTEX,
                                                   .divisor = 1};
    VkVertexInputAttributeDescription2EXT attributes[2];
    for (uint32_t i = 0; i < 2; i++)
        attributes[i] =
            (VkVertexInputAttributeDescription2EXT){VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                                                    NULL,
                                                    i,
                                                    0,
                                                    VK_FORMAT_R32G32B32A32_SFLOAT,
                                                    i * 16};
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    VT_LOAD(vt, CmdSetVertexInputEXT)(commands, 1, &binding, 2, attributes);
    vt_draw(vt, commands, &graphics, vertices, CELLS);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_cells(vt, texels.map, whole);
}

#define COUNTED                                                                                                        \
    (VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_INVOCATIONS_BIT |                                                     \
     VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_PRIMITIVES_BIT |                                                      \
     VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT)

static VkCommandBuffer begin_secondary(struct vt *vt)
{
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = vt->commands,
                                        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                        .commandBufferCount = 1};
    VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                  .pipelineStatistics = COUNTED};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                      .pInheritanceInfo = &inheritance};
    VkCommandBuffer secondary;
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &info, &secondary));
    VT_CHECK(vt, vkBeginCommandBuffer(secondary, &begin));
    return secondary;
}

static void expect_counts(struct vt *vt, VkQueryPool pool, uint32_t query, uint32_t draws)
{
    uint64_t r[3] = {0};
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, query, 1, sizeof(r), r, sizeof(r),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    const uint64_t expected[3] = {CELLS * draws, CELLS * 2 * draws, CELLS * 2 * draws};
    static const char *const names[3] = {"invocations", "primitives", "invocations of clipping"};
    for (unsigned i = 0; i < 3; i++) {
        if (r[i] != expected[i])
            vt_fail(vt, "%llu %s, expected %llu", (unsigned long long)r[i], names[i], (unsigned long long)expected[i]);
    }
}

/* The counts of a query, with one draw before it; by a secondary for two queries and for none. */
static void case_statistics(struct vt *vt, const void *argument)
{
    bool in_secondary = argument != NULL;
    need_feature(vt);
    if (!vt->features.features.pipelineStatisticsQuery || !vt->features.features.inheritedQueries)
        vt_skip(vt, "no pipelineStatisticsQuery or no inheritedQueries");
    if (in_secondary && vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV takes over inherited statistics inside of a rendering alone");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    init_cells(vt, &graphics, &target, &(struct cells){.geometry = CODE(cell_quad_geom)});
    vt_make_pipeline(vt, &graphics, &target);
    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_PIPELINE_STATISTICS, 2, COUNTED);
    VkCommandBuffer commands = vt_begin(vt), draws = in_secondary ? begin_secondary(vt) : commands;
    vkCmdResetQueryPool(commands, pool, 0, 2);
    for (unsigned turn = 0; turn < 3; turn++) {
        if (turn)
            vkCmdBeginQuery(commands, pool, turn - 1, 0);
        if (turn == 0 || !in_secondary) {
            vt_begin_rendering(draws, &target);
            vkCmdBindPipeline(draws, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
            for (unsigned i = 0; i < (in_secondary ? 1 : turn); i++)
                vkCmdDraw(draws, CELLS, 1, 0, 0);
            vkCmdEndRendering(draws);
            if (in_secondary)
                VT_CHECK(vt, vkEndCommandBuffer(draws));
        }
        for (unsigned i = 0; i < (turn ? turn : 1u) && in_secondary; i++)
            vkCmdExecuteCommands(commands, 1, &draws);
        if (turn)
            vkCmdEndQuery(commands, pool, turn - 1);
    }
    vt_submit(vt, commands);
    for (unsigned i = 0; i < 2; i++)
        expect_counts(vt, pool, i, i + 1);
}

#define ASSEMBLY_CASES(name, at)                                                                                       \
    {"assembly of " name, case_assembly, &assemblies[3 * at]},                                                         \
        {"assembly of " name " by indices", case_assembly, &assemblies[3 * at + 1]},                                   \
    {                                                                                                                  \
        "assembly of " name " with restarts", case_assembly, &assemblies[3 * at + 2]                                   \
    }

const struct vt_case vt_geometry_cases[] = {
    ASSEMBLY_CASES("points", 0),
    ASSEMBLY_CASES("lines", 1),
    ASSEMBLY_CASES("a line strip", 2),
    ASSEMBLY_CASES("triangles", 3),
    ASSEMBLY_CASES("a strip", 4),
    ASSEMBLY_CASES("a fan", 5),
    ASSEMBLY_CASES("lines with neighbours", 6),
    ASSEMBLY_CASES("a line strip with neighbours", 7),
    ASSEMBLY_CASES("triangles with neighbours", 8),
    ASSEMBLY_CASES("a strip with neighbours", 9),
    {"quads", case_cells, &cells[0]},
    {"two triangles apart", case_cells, &cells[1]},
    {"a long strip", case_cells, &cells[2]},
    {"a long strip that faces the viewer", case_cells, &cells[3]},
    {"a long strip that faces away", case_cells, &cells[4]},
    {"points", case_cells, &cells[5]},
    {"large points", case_cells, &cells[6]},
    {"lines", case_cells, &cells[7]},
    {"line strips", case_cells, &cells[8]},
    {"some of the primitives", case_cells, &cells[9]},
    {"none of the primitives", case_cells, &cells[10]},
    {"too few vertices for a primitive", case_cells, &cells[11]},
    {"16 invocations", case_cells, &cells[12]},
    {"32 invocations in order", case_cells, &cells[13]},
    {"8 invocations of many vertices", case_cells, &cells[14]},
    {"32 invocations of many vertices", case_cells, &cells[15]},
    {"a number of vertices that is computed", case_cells, &cells[16]},
    {"one clip distance", case_cells, &cells[17]},
    {"5 clip distances", case_cells, &cells[18]},
    {"8 clip distances", case_cells, &cells[19]},
    {"cull distances", case_cells, &cells[20]},
    {"inputs of all kinds", case_cells, &cells[21]},
    {"30 vectors in and out", case_cells, &cells[22]},
    {"flat by the first vertex", case_cells, &cells[23]},
    {"flat by the last vertex", case_cells, &cells[24]},
    {"flat by the last vertex by command", case_cells, &cells[25]},
    {"flat by the first vertex by command", case_cells, &cells[26]},
    {"flat lines by the first vertex", case_cells, &cells[27]},
    {"flat lines by the last vertex", case_cells, &cells[28]},
    {"a computed number, not optimised", case_cells, &cells[29]},
    {"inputs of all kinds, not optimised", case_cells, &cells[30]},
    {"nothing rasterised", case_cells, &cells[31]},
    {"four samples", case_cells, &cells[32]},
    {"5000 points", case_cells, &cells[33]},
    {"1000 points of 16 invocations", case_cells, &cells[34]},
    {"3000 large points", case_cells, &cells[35]},
    {"256 vertices", case_most, &most[0]},
    {"256 vertices seven times", case_most, &most[1]},
    {"layers", case_layers, &layer_invocations[0]},
    {"layers by invocation", case_layers, &layer_invocations[1]},
    {"viewports", case_viewports, NULL},
    {"numbers for the fragment shader", case_numbers, NULL},
    {"resources", case_resources, NULL},
    {"from points", case_between, &betweens[0]},
    {"from lines", case_between, &betweens[1]},
    {"from triangles", case_between, &betweens[2]},
    {"from lines with neighbours", case_between, &betweens[3]},
    {"from triangles with neighbours", case_between, &betweens[4]},
    {"by turns with other pipelines", case_turns, NULL},
    {"by turns with topologies by command", case_turns, vt_geometry_cases},
    {"vertex input by command", case_dynamic_input, NULL},
    {"statistics", case_statistics, NULL},
    {"statistics of a secondary", case_statistics, vt_geometry_cases},
};
const size_t vt_geometry_count = COUNT_OF(vt_geometry_cases);
