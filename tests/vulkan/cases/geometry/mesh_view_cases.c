/* Mesh shaders in renderings of several views: each view has its own workgroups, which know its number. */
#include "vt/vt_graphics.h"

#include "shaders/view_frag.h"
#include "shaders/view_mesh.h"
#include "shaders/view_task.h"
#include "shaders/view_task_mesh.h"

#define SIZE 16
#define LAYERS 3
#define VIEWS 0x5u /* nobody draws to the layer between them */

static uint32_t wanted(uint32_t layer, bool has_task)
{
    const uint32_t red = layer * 51u, green = has_task ? 51u : 0, alpha = layer ? 255u : 102u;
    return red | green << 8 | alpha << 24;
}

static void case_views(struct vt *vt, const void *argument)
{
    const bool has_task = argument != NULL;
    VkPhysicalDeviceMeshShaderPropertiesEXT mesh = {.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &mesh};
    if (!vt->has[VT_MESH_SHADER] || !vt->has_mesh_views || (has_task && !vt->has_task_shader))
        vt_skip(vt, "no views of mesh shaders");
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    if (mesh.maxMeshMultiviewViewCount < LAYERS)
        vt_skip(vt, "mesh shaders have fewer views");
    struct vt_target target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    target.layers = LAYERS;
    target.view_mask = VIEWS;
    target.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    vt_add_color(vt, &target, VK_FORMAT_R8G8B8A8_UNORM);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, (struct vt_spirv){0}, VT_SPIRV(view_frag));
    graphics.mesh_code = has_task ? VT_SPIRV(view_task_mesh) : VT_SPIRV(view_mesh);
    if (has_task)
        graphics.task_code = VT_SPIRV(view_task);
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    ((PFN_vkCmdDrawMeshTasksEXT)(void *)vkGetDeviceProcAddr(vt->device, "vkCmdDrawMeshTasksEXT"))(
        commands, has_task ? 1 : 2, 1, 1);
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < LAYERS * SIZE * SIZE; i++) {
        const uint32_t got = ((const uint32_t *)texels.map)[i], want = wanted(i / (SIZE * SIZE), has_task);
        if (VIEWS >> i / (SIZE * SIZE) & 1 && got != want)
            vt_fail(vt, "pixel (%u, %u) of layer %u is %08x, not %08x", i % SIZE, i / SIZE % SIZE, i / (SIZE * SIZE),
                    got, want);
    }
}

const struct vt_case vt_mesh_view_cases[] = {
    {"meshes", case_views, NULL},
    {"tasks and meshes", case_views, ""},
};
const size_t vt_mesh_view_count = COUNT_OF(vt_mesh_view_cases);
