/* Mesh shaders: workgroups that say which vertices and primitives there are. The cases draw 64 cells of 4 by 4 pixels
 * (shaders/cells.mesh), by one workgroup each, by a few, or by one for all. */
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/cells_all_mesh.h"
#include "shaders/cells_clip_mesh.h"
#include "shaders/cells_cull_mesh.h"
#include "shaders/cells_draws_mesh.h"
#include "shaders/cells_few_threads_mesh.h"
#include "shaders/cells_fewer_mesh.h"
#include "shaders/cells_lines_mesh.h"
#include "shaders/cells_many_threads_mesh.h"
#include "shaders/cells_numbers_frag.h"
#include "shaders/cells_numbers_mesh.h"
#include "shaders/cells_one_mesh.h"
#include "shaders/cells_plain_frag.h"
#include "shaders/cells_points_mesh.h"
#include "shaders/cells_primitive_frag.h"
#include "shaders/cells_primitive_mesh.h"
#include "shaders/cells_shared_mesh.h"
#include "shaders/cells_some_mesh.h"
#include "shaders/cells_task_few_mesh.h"
#include "shaders/cells_task_few_task.h"
#include "shaders/cells_task_mesh.h"
#include "shaders/cells_task_task.h"
#include "shaders/cells_turned_mesh.h"
#include "shaders/cells_waiting_mesh.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 32
#define CELLS 64
#define CODE(name)                                                                                                     \
    {                                                                                                                  \
        name, sizeof(name)                                                                                             \
    }

enum how {
    DIRECT,
    INDIRECT,
    INDIRECT_MANY, /* a draw for each row; two more have no workgroups */
    INDIRECT_COUNT,
};

enum shown {
    ALL,
    EVEN,      /* every other cell */
    LEFT_HALF, /* of each cell */
    TASKED,    /* row 5 is empty, odd rows have no green */
};

struct mesh {
    struct vt_spirv mesh, task, fragment;
    uint32_t groups[3];
    enum how how;
    enum shown shown;
};

static void need_feature(struct vt *vt, const struct mesh *test)
{
    if (!vt->has[VT_MESH_SHADER])
        vt_skip(vt, "no mesh shaders");
    if (test->task.words && !vt->has_task_shader)
        vt_skip(vt, "no task shaders");
}

static uint32_t color_of(uint32_t cell)
{
    return cell * 4 | (255 - cell * 3) << 8 | (cell & 1) << 16 | 255u << 24;
}

static uint32_t wanted(enum shown shown, uint32_t x, uint32_t y)
{
    const uint32_t cell = y / 4 * 8 + x / 4, color = color_of(cell);
    switch (shown) {
    case EVEN:
        return cell & 1 ? 0 : color;
    case LEFT_HALF:
        return x % 4 < 2 ? color : 0;
    case TASKED:
        return y / 4 == 5 ? 0 : y / 4 & 1 ? color & ~0xff00u : color;
    default:
        return color;
    }
}

/* Half a step of rounding: a colour that two halves make. */
static bool is_near(uint32_t a, uint32_t b)
{
    for (unsigned c = 0; c < 4; c++) {
        int difference = (int)(a >> c * 8 & 255) - (int)(b >> c * 8 & 255);
        if (difference < -1 || difference > 1)
            return false;
    }
    return true;
}

static void check_texels(struct vt *vt, const uint32_t *texels, enum shown shown)
{
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint32_t want = wanted(shown, i % SIZE, i / SIZE);
        if (!is_near(texels[i], want))
            vt_fail(vt, "pixel (%u, %u) is %08x, not %08x", i % SIZE, i / SIZE, texels[i], want);
    }
}

static void record_indirect(struct vt *vt, VkCommandBuffer commands, const struct mesh *test)
{
    /* Draws of a row each, and something between them that nobody reads. */
    struct {
        VkDrawMeshTasksIndirectCommandEXT draw;
        uint32_t other;
    } draws[10] = {0};
    const uint32_t count = 9;
    for (uint32_t i = 0; i < 10; i++) {
        draws[i].draw = (VkDrawMeshTasksIndirectCommandEXT){i < 8 ? 8 : 0, 1, 1};
        draws[i].other = 0xffffffff;
    }
    if (test->how == INDIRECT)
        draws[0].draw = (VkDrawMeshTasksIndirectCommandEXT){test->groups[0], test->groups[1], test->groups[2]};
    struct vt_buffer arguments = vt_buffer(vt, sizeof(draws), draws), counts = vt_buffer(vt, 4, &count);
    if (test->how == INDIRECT_COUNT)
        VT_LOAD(vt, CmdDrawMeshTasksIndirectCountEXT)
    (commands, arguments.buffer, 0, counts.buffer, 0, 10, sizeof(draws[0]));
    else VT_LOAD(vt, CmdDrawMeshTasksIndirectEXT)(commands, arguments.buffer, 0, test->how == INDIRECT ? 1 : 10,
                                               sizeof(draws[0]));
}

static void draw(struct vt *vt, VkCommandBuffer commands, const struct mesh *test)
{
    if (test->how == DIRECT)
        VT_LOAD(vt, CmdDrawMeshTasksEXT)(commands, test->groups[0], test->groups[1], test->groups[2]);
    else
        record_indirect(vt, commands, test);
}

static void init_graphics(struct vt *vt, struct vt_graphics *graphics, const struct vt_target *target,
                          const struct mesh *test)
{
    need_feature(vt, test);
    vt_graphics_init(graphics, target, (struct vt_spirv){0}, test->fragment);
    graphics->mesh_code = test->mesh;
    graphics->task_code = test->task;
}

static const uint32_t *show_picture(struct vt *vt, struct vt_graphics *graphics, struct vt_target *target,
                                    const struct mesh *test)
{
    vt_make_pipeline(vt, graphics, target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics->pipeline);
    draw(vt, commands, test);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target->colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    return texels.map;
}

static void case_cells(struct vt *vt, const void *argument)
{
    const struct mesh *test = argument;
    need_feature(vt, test);
    if (test->how >= INDIRECT_MANY && !vt->features.features.multiDrawIndirect)
        vt_skip(vt, "no multiDrawIndirect");
    if (test->how >= INDIRECT_MANY && !vt->features11.shaderDrawParameters)
        vt_skip(vt, "no shaderDrawParameters");
    if (test->how == INDIRECT_COUNT && !vt->features12.drawIndirectCount)
        vt_skip(vt, "no drawIndirectCount");
    if (test->shown == LEFT_HALF && !vt->features.features.shaderClipDistance)
        vt_skip(vt, "no shaderClipDistance");
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    init_graphics(vt, &graphics, &target, test);
    check_texels(vt, show_picture(vt, &graphics, &target, test), test->shown);
}

#define CELL_CASE(name, x, y, z, how, shown)                                                                           \
    {                                                                                                                  \
        CODE(cells_##name##_mesh), {0}, CODE(cells_plain_frag), {x, y, z}, how, shown                                  \
    }
static const struct mesh meshes[] = {
    CELL_CASE(one, 64, 1, 1, DIRECT, ALL),
    CELL_CASE(one, 4, 8, 2, DIRECT, ALL),
    CELL_CASE(some, 16, 1, 1, DIRECT, ALL),
    CELL_CASE(all, 1, 1, 1, DIRECT, ALL),
    CELL_CASE(few_threads, 1, 1, 1, DIRECT, ALL),
    CELL_CASE(many_threads, 8, 1, 1, DIRECT, ALL),
    CELL_CASE(cull, 4, 1, 1, DIRECT, EVEN),
    CELL_CASE(fewer, 64, 1, 1, DIRECT, EVEN),
    CELL_CASE(shared, 4, 1, 1, DIRECT, ALL),
    CELL_CASE(turned, 4, 1, 1, DIRECT, ALL),
    CELL_CASE(points, 8, 1, 1, DIRECT, ALL),
    CELL_CASE(lines, 8, 1, 1, DIRECT, ALL),
    CELL_CASE(clip, 4, 1, 1, DIRECT, LEFT_HALF),
    {CODE(cells_primitive_mesh), {0}, CODE(cells_primitive_frag), {4, 1, 1}, DIRECT, ALL},
    CELL_CASE(one, 4, 8, 2, INDIRECT, ALL),
    CELL_CASE(draws, 0, 0, 0, INDIRECT_MANY, ALL),
    CELL_CASE(draws, 0, 0, 0, INDIRECT_COUNT, ALL),
    {CODE(cells_task_mesh), CODE(cells_task_task), CODE(cells_plain_frag), {8, 1, 1}, DIRECT, TASKED},
    {CODE(cells_task_few_mesh), CODE(cells_task_few_task), CODE(cells_plain_frag), {8, 1, 1}, DIRECT, TASKED},
    {CODE(cells_task_mesh), CODE(cells_task_task), CODE(cells_plain_frag), {8, 150, 1}, DIRECT, TASKED},
    {CODE(cells_task_few_mesh), CODE(cells_task_few_task), CODE(cells_plain_frag), {8, 1, 1}, INDIRECT, TASKED},
    CELL_CASE(waiting, 1, 1, 1, DIRECT, ALL),
};

/* Odd cells go to layer 1; both viewports are the whole picture. */
static void case_numbers(struct vt *vt, const void *argument)
{
    static const struct mesh test = {CODE(cells_numbers_mesh), {0}, CODE(cells_numbers_frag), {4, 1, 1}, DIRECT, ALL};
    need_feature(vt, &test);
    if (!vt->features.features.multiViewport || !vt->features12.shaderOutputLayer)
        vt_skip(vt, "no viewports or layers from the stage");
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    target.layers = 2;
    target.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    vt_add_color(vt, &target, RGBA8);
    struct vt_graphics graphics;
    init_graphics(vt, &graphics, &target, &test);
    graphics.viewport.viewportCount = graphics.viewport.scissorCount = 2;
    graphics.viewports[1] = graphics.viewports[0];
    graphics.scissors[1] = graphics.scissors[0];
    const uint32_t *texels = show_picture(vt, &graphics, &target, &test);
    for (uint32_t i = 0; i < 2 * SIZE * SIZE; i++) {
        const uint32_t layer = i / (SIZE * SIZE), x = i % SIZE, y = i / SIZE % SIZE, cell = y / 4 * 8 + x / 4;
        const uint32_t want = (cell & 1) == layer ? (cell + 100) | layer << 8 | (cell >> 1 & 1) << 16 | 255u << 24 : 0;
        if (texels[i] != want)
            vt_fail(vt, "cell %u of layer %u is %08x, not %08x", cell, layer, texels[i], want);
    }
}

const struct vt_case vt_mesh_cases[] = {
    {"a workgroup for each cell", case_cells, &meshes[0]},
    {"workgroups in three dimensions", case_cells, &meshes[1]},
    {"four cells of a workgroup", case_cells, &meshes[2]},
    {"64 cells of a workgroup", case_cells, &meshes[3]},
    {"fewer invocations than vertices", case_cells, &meshes[4]},
    {"more invocations than vertices", case_cells, &meshes[5]},
    {"culled primitives", case_cells, &meshes[6]},
    {"workgroups without output", case_cells, &meshes[7]},
    {"shared memory", case_cells, &meshes[8]},
    {"barriers of few invocations", case_cells, &meshes[21]},
    {"outputs of other invocations", case_cells, &meshes[9]},
    {"points", case_cells, &meshes[10]},
    {"lines", case_cells, &meshes[11]},
    {"a clip distance", case_cells, &meshes[12]},
    {"attributes of primitives", case_cells, &meshes[13]},
    {"indirect", case_cells, &meshes[14]},
    {"many indirect draws", case_cells, &meshes[15]},
    {"indirect draws by a count", case_cells, &meshes[16]},
    {"numbers for the fragment shader", case_numbers, NULL},
    {"a task shader", case_cells, &meshes[17]},
    {"a task shader with several mesh workgroups", case_cells, &meshes[18]},
    {"more task workgroups than a ring has", case_cells, &meshes[19]}, /* 1,024 where RADV makes it */
    {"a task shader, indirect", case_cells, &meshes[20]},
};
const size_t vt_mesh_count = COUNT_OF(vt_mesh_cases);
