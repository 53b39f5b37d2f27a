/* Task and mesh shaders at work: what they read and write, in recordings that run more than once, by conditions and by
 * numbers of draws. A workgroup of tasks draws a row of eight cells (shaders/work.task). */
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/work_frag.h"
#include "shaders/work_mesh.h"
#include "shaders/work_task.h"

#define SIZE 32
#define CELLS 64

struct numbers {
    uint32_t invocations, rows[8], seen[CELLS];
};

struct push {
    uint32_t by_draw;
    float red;
};

struct work {
    struct vt_target target;
    struct vt_graphics graphics;
    struct vt_buffer numbers;
    struct vt_set set;
};

static const struct numbers start = {.rows = {3, 1, 7, 0, 2, 6, 5, 4}};

static void begin_work(struct vt *vt, struct work *work)
{
    if (!vt->has[VT_MESH_SHADER] || !vt->has_task_shader)
        vt_skip(vt, "no task shaders");
    work->target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, SIZE, SIZE);
    work->numbers = vt_buffer(vt, sizeof(start), NULL);
    struct vt_binding binding = VT_STORAGE_BUFFER(work->numbers);
    work->set = vt_set(vt, &binding, 1);
    vt_graphics_init(&work->graphics, &work->target, (struct vt_spirv){0}, VT_SPIRV(work_frag));
    work->graphics.mesh_code = VT_SPIRV(work_mesh);
    work->graphics.task_code = VT_SPIRV(work_task);
    work->graphics.sets[work->graphics.set_count++] = work->set.layout;
    vt_make_pipeline(vt, &work->graphics, &work->target);
}

static void bind_work(VkCommandBuffer commands, const struct work *work, bool by_draw)
{
    const struct push push = {by_draw, 0.2f};
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, work->graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, work->graphics.layout, 0, 1, &work->set.set, 0,
                            NULL);
    vt_push(commands, &work->graphics, &push, sizeof(push));
}

static void barrier(VkCommandBuffer commands, VkPipelineStageFlags2 from, VkAccessFlags2 written,
                    VkPipelineStageFlags2 to, VkAccessFlags2 read)
{
    const VkMemoryBarrier2 memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                     .srcStageMask = from,
                                     .srcAccessMask = written,
                                     .dstStageMask = to,
                                     .dstAccessMask = read};
    const VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory};
    vkCmdPipelineBarrier2(commands, &info);
}

#define STAGES (VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT)

/* The numbers as the draws find them. */
static void write_numbers(VkCommandBuffer commands, const struct work *work)
{
    vkCmdUpdateBuffer(commands, work->numbers.buffer, 0, sizeof(start), &start);
    barrier(commands, VK_PIPELINE_STAGE_2_CLEAR_BIT | VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
            STAGES, VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
}

static void expect_picture(struct vt *vt, const uint32_t *texels)
{
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint32_t cell = i / SIZE / 4 * 8 + i % SIZE / 4, want = 51u | cell << 8 | 255u << 24;
        if (texels[i] != want)
            vt_fail(vt, "pixel (%u, %u) is %08x, not %08x", i % SIZE, i / SIZE, texels[i], want);
    }
}

static void expect_numbers(struct vt *vt, const struct numbers *numbers, uint32_t times)
{
    if (numbers->invocations != 64 * times)
        vt_fail(vt, "%u invocations of tasks, not %u", numbers->invocations, 64 * times);
    for (uint32_t i = 0; i < CELLS; i++) {
        if (numbers->seen[i] != times)
            vt_fail(vt, "cell %u was drawn %u times, not %u", i, numbers->seen[i], times);
    }
}

/* Between two barriers that name their stages alone. */
static void case_buffers(struct vt *vt, const void *argument)
{
    struct work work;
    begin_work(vt, &work);
    struct vt_buffer copy = vt_buffer(vt, sizeof(start), NULL);
    VkCommandBuffer commands = vt_begin(vt);
    write_numbers(commands, &work);
    vt_begin_rendering(commands, &work.target);
    bind_work(commands, &work, false);
    VT_LOAD(vt, CmdDrawMeshTasksEXT)(commands, 8, 1, 1);
    vkCmdEndRendering(commands);
    barrier(commands, STAGES, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
            VK_ACCESS_2_TRANSFER_READ_BIT);
    const VkBufferCopy whole = {0, 0, sizeof(start)};
    vkCmdCopyBuffer(commands, work.numbers.buffer, copy.buffer, 1, &whole);
    vt_full_barrier(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &work.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_picture(vt, texels.map);
    expect_numbers(vt, copy.map, 1);
}

/* A draw for each row. */
static void case_draws(struct vt *vt, const void *argument)
{
    struct work work;
    begin_work(vt, &work);
    if (!vt->features.features.multiDrawIndirect || !vt->features11.shaderDrawParameters)
        vt_skip(vt, "no multiDrawIndirect or shaderDrawParameters");
    VkDrawMeshTasksIndirectCommandEXT draws[8];
    for (uint32_t i = 0; i < 8; i++)
        draws[i] = (VkDrawMeshTasksIndirectCommandEXT){1, 1, 1};
    struct vt_buffer arguments = vt_buffer(vt, sizeof(draws), draws);
    VkCommandBuffer commands = vt_begin(vt);
    write_numbers(commands, &work);
    vt_begin_rendering(commands, &work.target);
    bind_work(commands, &work, true);
    VT_LOAD(vt, CmdDrawMeshTasksIndirectEXT)(commands, arguments.buffer, 0, 8, sizeof(draws[0]));
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &work.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_picture(vt, texels.map);
    expect_numbers(vt, work.numbers.map, 1);
}

/* A draw that does not happen between two that do; then the other way round. */
static void case_conditions(struct vt *vt, const void *argument)
{
    struct work work;
    begin_work(vt, &work);
    if (!vt->has[VT_CONDITIONAL_RENDERING])
        vt_skip(vt, "no VK_EXT_conditional_rendering");
    struct vt_buffer words = vt_buffer(vt, 8, (uint32_t[]){0, 1});
    VkCommandBuffer commands = vt_begin(vt);
    write_numbers(commands, &work);
    vt_begin_rendering(commands, &work.target);
    bind_work(commands, &work, false);
    for (uint32_t i = 0; i < 4; i++) {
        const VkConditionalRenderingBeginInfoEXT info = {
            .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
            .buffer = words.buffer,
            .offset = 4 * (i & 1),
            .flags = i >> 1 ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0};
        VT_LOAD(vt, CmdBeginConditionalRenderingEXT)(commands, &info);
        VT_LOAD(vt, CmdDrawMeshTasksEXT)(commands, 8, 1, 1);
        VT_LOAD(vt, CmdEndConditionalRenderingEXT)(commands);
    }
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &work.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_picture(vt, texels.map);
    expect_numbers(vt, work.numbers.map, 2);
}

static VkCommandBuffer record_secondary(struct vt *vt, const struct work *work)
{
    VkCommandBuffer secondary =
        vt_begin_secondary(vt, &work->target, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, 0);
    bind_work(secondary, work, false);
    VT_LOAD(vt, CmdDrawMeshTasksEXT)(secondary, 8, 1, 1);
    VT_CHECK(vt, vkEndCommandBuffer(secondary));
    return secondary;
}

/* One secondary four times, by two primaries. The picture is cleared in between. */
static void case_secondaries(struct vt *vt, const void *argument)
{
    struct work work;
    begin_work(vt, &work);
    VkCommandBuffer secondary = record_secondary(vt, &work), both[2] = {secondary, secondary};
    for (uint32_t i = 0; i < 2; i++) {
        VkCommandBuffer commands = vt_begin(vt);
        if (i == 0)
            write_numbers(commands, &work);
        vt_begin_rendering_with(commands, &work.target, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
        vkCmdExecuteCommands(commands, 2, both);
        vkCmdEndRendering(commands);
        vt_full_barrier(commands);
        struct vt_buffer texels =
            vt_record_download(vt, commands, &work.target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
        vt_submit(vt, commands);
        expect_picture(vt, texels.map);
        expect_numbers(vt, work.numbers.map, 2 * (i + 1));
    }
}

const struct vt_case vt_task_cases[] = {
    {"between barriers", case_buffers, NULL},
    {"numbers of draws", case_draws, NULL},
    {"by conditions", case_conditions, NULL},
    {"in secondaries", case_secondaries, NULL},
};
const size_t vt_task_count = COUNT_OF(vt_task_cases);
