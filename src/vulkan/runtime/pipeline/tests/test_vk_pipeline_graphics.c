/* Graphics pipelines, libraries and their linking; and every allocation of a program with all kinds of pipelines
 * failing once. */
#include "vulkan/runtime/pipeline/tests/pipeline_test.h"

#include <pthread.h>

#include "vulkan/runtime/render/vk_graphics_state.h"

#include "vulkan/runtime/pipeline/tests/pipeline_frag.h"
#include "vulkan/runtime/pipeline/tests/pipeline_vert.h"

/* ---- graphics ---- */

#define VERTEX_INPUT VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
#define PRE_RASTERIZATION VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
#define FRAGMENT_SHADER VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define FRAGMENT_OUTPUT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT

/* A triangle that can be varied before it is made. */
struct graphics {
    VkGraphicsPipelineCreateInfo info;
    VkPipelineShaderStageCreateInfo stages[2]; /* fragment first: the order is the application's */
    VkPipelineVertexInputStateCreateInfo vertex_input;
    VkPipelineInputAssemblyStateCreateInfo input_assembly;
    VkViewport viewport;
    VkRect2D scissor;
    VkPipelineViewportStateCreateInfo viewports;
    VkPipelineRasterizationStateCreateInfo rasterization;
    VkPipelineMultisampleStateCreateInfo multisample;
    VkPipelineColorBlendAttachmentState blend;
    VkPipelineColorBlendStateCreateInfo blends;
    VkFormat format;
    VkPipelineRenderingCreateInfo rendering;
    VkPipelineCreationFeedback feedback, stage_feedbacks[2];
    VkPipelineCreationFeedbackCreateInfo feedback_info;
    VkGraphicsPipelineLibraryCreateInfoEXT subsets;
    VkPipelineLibraryCreateInfoKHR libraries;
};

static VkPipelineShaderStageCreateInfo stage_of(VkShaderStageFlagBits stage, VkShaderModule module)
{
    VkPipelineShaderStageCreateInfo info = vk_struct_init(VkPipelineShaderStageCreateInfo);
    info.stage = stage;
    info.module = module;
    info.pName = "main";
    return info;
}

static void graphics_init(struct graphics *g, VkShaderModule vertex, VkShaderModule fragment, VkPipelineLayout layout,
                          VkFormat format)
{
    memset(g, 0, sizeof(*g));
    g->stages[0] = stage_of(VK_SHADER_STAGE_FRAGMENT_BIT, fragment);
    g->stages[1] = stage_of(VK_SHADER_STAGE_VERTEX_BIT, vertex);
    g->vertex_input = vk_struct_init(VkPipelineVertexInputStateCreateInfo);
    g->input_assembly = vk_struct_init(VkPipelineInputAssemblyStateCreateInfo);
    g->input_assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    g->viewport = (VkViewport){0, 0, 64, 64, 0, 1};
    g->scissor.extent = (VkExtent2D){64, 64};
    g->viewports = vk_struct_init(VkPipelineViewportStateCreateInfo);
    g->viewports.viewportCount = g->viewports.scissorCount = 1;
    g->viewports.pViewports = &g->viewport;
    g->viewports.pScissors = &g->scissor;
    g->rasterization = vk_struct_init(VkPipelineRasterizationStateCreateInfo);
    g->rasterization.lineWidth = 1.0f;
    g->multisample = vk_struct_init(VkPipelineMultisampleStateCreateInfo);
    g->multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    g->blend.colorWriteMask = 0xf;
    g->blends = vk_struct_init(VkPipelineColorBlendStateCreateInfo);
    g->blends.attachmentCount = 1;
    g->blends.pAttachments = &g->blend;
    g->format = format;
    g->rendering = vk_struct_init(VkPipelineRenderingCreateInfo);
    g->rendering.colorAttachmentCount = 1;
    g->rendering.pColorAttachmentFormats = &g->format;
    g->feedback_info = vk_struct_init(VkPipelineCreationFeedbackCreateInfo);
    g->feedback_info.pPipelineCreationFeedback = &g->feedback;
    g->feedback_info.pipelineStageCreationFeedbackCount = 2;
    g->feedback_info.pPipelineStageCreationFeedbacks = g->stage_feedbacks;
    g->info = vk_struct_init(VkGraphicsPipelineCreateInfo);
    g->info.stageCount = 2;
    g->info.pStages = g->stages;
    g->info.pVertexInputState = &g->vertex_input;
    g->info.pInputAssemblyState = &g->input_assembly;
    g->info.pViewportState = &g->viewports;
    g->info.pRasterizationState = &g->rasterization;
    g->info.pMultisampleState = &g->multisample;
    g->info.pColorBlendState = &g->blends;
    g->info.layout = layout;
    vk_append_struct(&g->info, &g->rendering);
    vk_append_struct(&g->info, &g->feedback_info);
}

/* Only some parts; the pointers of the others are poison, for nothing may look at them. */
static void graphics_make_library(struct graphics *g, VkGraphicsPipelineLibraryFlagsEXT subsets)
{
    void *poison = (void *)(uintptr_t)0x10;
    g->info.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    g->subsets = vk_struct_init(VkGraphicsPipelineLibraryCreateInfoEXT);
    g->subsets.flags = subsets;
    vk_append_struct(&g->info, &g->subsets);
    if (!(subsets & VERTEX_INPUT)) {
        g->info.pVertexInputState = poison;
        g->info.pInputAssemblyState = poison;
    }
    if (!(subsets & PRE_RASTERIZATION)) {
        g->info.pViewportState = poison;
        g->info.pRasterizationState = poison;
        g->info.stageCount = 1; /* the fragment shader */
    }
    if (!(subsets & FRAGMENT_SHADER) && (subsets & PRE_RASTERIZATION)) {
        g->info.pStages = &g->stages[1];
        g->info.stageCount = 1;
    }
    if (!(subsets & (PRE_RASTERIZATION | FRAGMENT_SHADER))) {
        g->info.pStages = poison;
        g->info.stageCount = 0;
        g->info.layout = VK_NULL_HANDLE;
    }
    if (!(subsets & FRAGMENT_OUTPUT))
        g->info.pColorBlendState = poison;
    if (!(subsets & (FRAGMENT_OUTPUT | FRAGMENT_SHADER)))
        g->info.pMultisampleState = poison;
    g->feedback_info.pipelineStageCreationFeedbackCount = g->info.stageCount;
}

/* Nothing but libraries. */
static void graphics_link(struct graphics *g, const VkPipeline *libraries, uint32_t count, VkPipelineLayout layout)
{
    memset(g, 0, sizeof(*g));
    g->libraries = vk_struct_init(VkPipelineLibraryCreateInfoKHR);
    g->libraries.libraryCount = count;
    g->libraries.pLibraries = libraries;
    g->feedback_info = vk_struct_init(VkPipelineCreationFeedbackCreateInfo);
    g->feedback_info.pPipelineCreationFeedback = &g->feedback;
    g->info = vk_struct_init(VkGraphicsPipelineCreateInfo);
    g->info.layout = layout;
    vk_append_struct(&g->info, &g->libraries);
    vk_append_struct(&g->info, &g->feedback_info);
}

static VkResult try_graphics(const struct graphics *g, VkPipelineCache cache, VkPipeline *pipeline_out)
{
    return vk_common_CreateGraphicsPipelines(dev(), cache, 1, &g->info, &fake_allocator, pipeline_out);
}

static VkPipeline make_graphics(const struct graphics *g, VkPipelineCache cache)
{
    VkPipeline pipeline;
    assert_int_equal(try_graphics(g, cache, &pipeline), VK_SUCCESS);
    return pipeline;
}

/* The state of the graphics tests, all at once. */
struct scene {
    VkShaderModule vertex, fragment;
    VkPipelineLayout layout, vertex_layout, fragment_layout; /* the whole, and each stage's part of it */
};

static void scene_init(struct scene *scene)
{
    VkPushConstantRange push[] = {{VK_SHADER_STAGE_VERTEX_BIT, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    scene->vertex = MODULE(pipeline_vert);
    scene->fragment = MODULE(pipeline_frag);
    scene->layout = new_layout(2, (uint32_t[]){1, 2}, push, 2);
    scene->vertex_layout = new_layout(2, (uint32_t[]){1, 0}, push, 2);
    scene->fragment_layout = new_layout(2, (uint32_t[]){0, 2}, push, 2);
}

static void scene_finish(struct scene *scene)
{
    vk_common_DestroyShaderModule(dev(), scene->vertex, NULL);
    vk_common_DestroyShaderModule(dev(), scene->fragment, NULL);
    vk_common_DestroyPipelineLayout(dev(), scene->layout, NULL);
    vk_common_DestroyPipelineLayout(dev(), scene->vertex_layout, NULL);
    vk_common_DestroyPipelineLayout(dev(), scene->fragment_layout, NULL);
}

static void stages_are_compiled_together(void **state)
{
    struct scene scene;
    struct graphics g;
    scene_init(&scene);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipeline pipeline = make_graphics(&g, VK_NULL_HANDLE);
    const struct fake_note *vertex = fake_shader_of(pipeline, VK_SHADER_STAGE_VERTEX_BIT);
    const struct fake_note *fragment = fake_shader_of(pipeline, VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_int_equal(fake_shaders.compiles, 1);
    assert_int_equal(vertex->next_stages, VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_int_equal(fragment->next_stages, 0);
    assert_int_equal(vertex->push.offset, 0);
    assert_int_equal(fragment->push.offset, 16);
    assert_int_equal(fragment->color_format, VK_FORMAT_R8G8B8A8_UNORM);
    assert_int_equal(g.feedback.flags, VALID);
    assert_int_equal(g.stage_feedbacks[0].flags, VALID);
    assert_true(g.feedback.duration >= g.stage_feedbacks[0].duration + g.stage_feedbacks[1].duration);

    /* State that the compiler does not look at gives the same shaders, other state others. */
    g.rasterization.cullMode = VK_CULL_MODE_BACK_BIT;
    VkPipeline culled = make_graphics(&g, VK_NULL_HANDLE);
    g.format = VK_FORMAT_R32G32B32A32_SFLOAT;
    VkPipeline wide = make_graphics(&g, VK_NULL_HANDLE);
    assert_ptr_equal(fake_shader_of(culled, VK_SHADER_STAGE_VERTEX_BIT), vertex);
    assert_ptr_not_equal(fake_shader_of(wide, VK_SHADER_STAGE_FRAGMENT_BIT), fragment);
    assert_int_equal(fake_shaders.compiles, 2);
    destroy_pipeline(pipeline);
    destroy_pipeline(culled);
    destroy_pipeline(wide);
    scene_finish(&scene);
}

/* A subpass and a dynamic rendering of the same formats are the same to a pipeline. */
static void formats_come_from_a_subpass_too(void **state)
{
    struct scene scene;
    struct graphics g;
    scene_init(&scene);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_B8G8R8A8_SRGB);
    VkPipeline dynamic = make_graphics(&g, VK_NULL_HANDLE);

    VkAttachmentDescription2 attachments[2];
    for (uint32_t i = 0; i < 2; i++) {
        attachments[i] = vk_struct_init(VkAttachmentDescription2);
        attachments[i].format = i ? VK_FORMAT_B8G8R8A8_SRGB : VK_FORMAT_R16_SFLOAT;
        attachments[i].samples = VK_SAMPLE_COUNT_1_BIT;
        attachments[i].finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    }
    VkAttachmentReference2 reference = vk_struct_init(VkAttachmentReference2);
    reference.attachment = 1;
    reference.layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    reference.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
    VkSubpassDescription2 subpasses[2] = {vk_struct_init(VkSubpassDescription2), vk_struct_init(VkSubpassDescription2)};
    subpasses[1].colorAttachmentCount = 1;
    subpasses[1].pColorAttachments = &reference;
    VkRenderPassCreateInfo2 info = vk_struct_init(VkRenderPassCreateInfo2);
    info.attachmentCount = info.subpassCount = 2;
    info.pAttachments = attachments;
    info.pSubpasses = subpasses;
    VkRenderPass pass;
    assert_int_equal(vk_common_CreateRenderPass2(dev(), &info, NULL, &pass), VK_SUCCESS);
    g.rendering.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO; /* unknown in this chain */
    g.info.renderPass = pass;
    g.info.subpass = 1;
    VkPipeline in_pass = make_graphics(&g, VK_NULL_HANDLE);
    const struct fake_note *fragment = fake_shader_of(in_pass, VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_int_equal(fragment->color_format, VK_FORMAT_B8G8R8A8_SRGB);
    assert_ptr_equal(fragment, fake_shader_of(dynamic, VK_SHADER_STAGE_FRAGMENT_BIT));
    vk_common_DestroyRenderPass(dev(), pass, NULL);
    destroy_pipeline(dynamic);
    destroy_pipeline(in_pass);
    scene_finish(&scene);
}

static void a_bind_sets_shaders_and_static_state(void **state)
{
    struct scene scene;
    struct graphics g;
    struct compute c;
    scene_init(&scene);
    VkShaderModule module = MODULE(pipeline_comp);
    VkPipelineLayout layout = compute_layout();
    compute_init(&c, module, layout, 8);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    g.rasterization.cullMode = VK_CULL_MODE_FRONT_BIT;
    VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_LINE_WIDTH};
    VkPipelineDynamicStateCreateInfo dynamic = vk_struct_init(VkPipelineDynamicStateCreateInfo);
    dynamic.dynamicStateCount = 1;
    dynamic.pDynamicStates = dynamic_states;
    g.info.pDynamicState = &dynamic;
    VkPipeline pipeline = make_graphics(&g, VK_NULL_HANDLE), compute = make_compute(&c, VK_NULL_HANDLE);

    static struct vk_command_buffer command_buffer;
    static struct vk_recording recording;
    memset(&command_buffer, 0, sizeof(command_buffer));
    command_buffer.rec = &recording;
    vk_object_base_init(&command_buffer.base, &device, VK_OBJECT_TYPE_COMMAND_BUFFER);
    VkCommandBuffer handle = vk_command_buffer_to_handle(&command_buffer);
    vk_common_CmdBindPipeline(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    assert_ptr_equal(fake_shaders.bound_pipeline, vk_pipeline_from_handle(pipeline));
    assert_int_equal(fake_shaders.bound_pipeline->stages, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_non_null(fake_shaders.bound_pipeline->driver_data);
    assert_int_equal(recording.dynamic_state.rs.cull_mode, VK_CULL_MODE_FRONT_BIT);
    assert_true(recording.dynamic_state.set & VK_DYN(CULL_MODE));
    assert_true(recording.dynamic_state.dirty & VK_DYN(CULL_MODE));
    assert_false(recording.dynamic_state.set & VK_DYN(LINE_WIDTH));

    vk_common_CmdBindPipeline(handle, VK_PIPELINE_BIND_POINT_COMPUTE, compute);
    assert_ptr_equal(fake_shaders.bound_pipeline, vk_pipeline_from_handle(compute));
    assert_int_equal(fake_shaders.bind_count, 2);
    vk_object_base_finish(&command_buffer.base);
    destroy_pipeline(pipeline);
    destroy_pipeline(compute);
    vk_common_DestroyPipelineLayout(dev(), layout, NULL);
    vk_common_DestroyShaderModule(dev(), module, NULL);
    scene_finish(&scene);
}

static void without_rasterization_there_is_no_fragment_shader(void **state)
{
    struct scene scene;
    struct graphics g;
    scene_init(&scene);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    g.rasterization.rasterizerDiscardEnable = VK_TRUE;
    g.info.pViewportState = (void *)(uintptr_t)0x10; /* all ignored */
    g.info.pMultisampleState = (void *)(uintptr_t)0x10;
    g.info.pColorBlendState = (void *)(uintptr_t)0x10;
    VkPipeline pipeline = make_graphics(&g, VK_NULL_HANDLE);
    assert_null(fake_shader_of(pipeline, VK_SHADER_STAGE_FRAGMENT_BIT));
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_VERTEX_BIT)->next_stages, 0);
    assert_int_equal(g.stage_feedbacks[0].flags, 0);
    assert_int_equal(g.stage_feedbacks[1].flags, VALID);
    destroy_pipeline(pipeline);
    scene_finish(&scene);
}

static void executables_are_counted_through_all_stages(void **state)
{
    struct scene scene;
    struct graphics g;
    scene_init(&scene);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipeline pipeline = make_graphics(&g, VK_NULL_HANDLE);
    VkPipelineInfoKHR info = vk_struct_init(VkPipelineInfoKHR);
    info.pipeline = pipeline;
    uint32_t count;
    assert_int_equal(vk_common_GetPipelineExecutablePropertiesKHR(dev(), &info, &count, NULL), VK_SUCCESS);
    assert_int_equal(count, 3); /* one of the vertex, two of the fragment shader */
    VkPipelineExecutablePropertiesKHR properties[4];
    memset(properties, 0, sizeof(properties));
    count = 4;
    assert_int_equal(vk_common_GetPipelineExecutablePropertiesKHR(dev(), &info, &count, properties), VK_SUCCESS);
    assert_int_equal(count, 3);
    assert_int_equal(properties[0].stages, VK_SHADER_STAGE_VERTEX_BIT);
    assert_string_equal(properties[2].name, "1 of stage 16");
    memset(properties, 0, sizeof(properties));
    count = 2;
    assert_int_equal(vk_common_GetPipelineExecutablePropertiesKHR(dev(), &info, &count, properties), VK_INCOMPLETE);
    assert_int_equal(count, 2);
    assert_string_equal(properties[1].name, "0 of stage 16");
    assert_int_equal(properties[2].stages, 0);

    VkPipelineExecutableInfoKHR executable = vk_struct_init(VkPipelineExecutableInfoKHR);
    executable.pipeline = pipeline;
    executable.executableIndex = 2;
    VkPipelineExecutableStatisticKHR statistic = vk_struct_init(VkPipelineExecutableStatisticKHR);
    count = 1;
    assert_int_equal(vk_common_GetPipelineExecutableStatisticsKHR(dev(), &executable, &count, &statistic), VK_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(statistic.value.u64, VK_SHADER_STAGE_FRAGMENT_BIT << 8 | 1);
    count = 7;
    assert_int_equal(vk_common_GetPipelineExecutableInternalRepresentationsKHR(dev(), &executable, &count, NULL),
                     VK_SUCCESS);
    assert_int_equal(count, 0);
    executable.executableIndex = 3; /* there is none */
    assert_int_equal(vk_common_GetPipelineExecutableStatisticsKHR(dev(), &executable, &count, NULL), VK_SUCCESS);
    assert_int_equal(count, 0);
    destroy_pipeline(pipeline);
    scene_finish(&scene);
}

static void a_text_is_cut_where_its_room_ends(void **state)
{
    struct scene scene;
    struct graphics g;
    scene_init(&scene);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipeline pipeline = make_graphics(&g, VK_NULL_HANDLE);
    VkPipelineExecutableInfoKHR info = vk_struct_init(VkPipelineExecutableInfoKHR);
    info.pipeline = pipeline;
    VkPipelineExecutableInternalRepresentationKHR text = vk_struct_init(VkPipelineExecutableInternalRepresentationKHR);
    char room[8] = "xxxxxxx";
    static const struct {
        size_t room_B, size_B;
        const char *bytes;
        VkResult result;
    } rows[] = {{8, 5, "code", VK_SUCCESS},
                {5, 5, "code", VK_SUCCESS},
                {4, 4, "cod", VK_INCOMPLETE},
                {1, 1, "", VK_INCOMPLETE},
                {0, 0, NULL, VK_INCOMPLETE}};
    uint32_t count = 1;
    assert_int_equal(vk_common_GetPipelineExecutableInternalRepresentationsKHR(dev(), &info, &count, &text),
                     VK_SUCCESS);
    assert_int_equal(text.dataSize, 5); /* nothing but the size was asked for */
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        text.pData = room;
        text.dataSize = rows[i].room_B;
        assert_int_equal(vk_common_GetPipelineExecutableInternalRepresentationsKHR(dev(), &info, &count, &text),
                         rows[i].result);
        assert_int_equal(count, 1);
        assert_int_equal(text.dataSize, rows[i].size_B);
        if (rows[i].bytes)
            assert_string_equal(room, rows[i].bytes);
    }
    destroy_pipeline(pipeline);
    scene_finish(&scene);
}

static void a_pipeline_whose_second_shader_cannot_be_loaded_leaves_nothing(void **state)
{
    struct scene scene;
    struct graphics g;
    scene_init(&scene);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    fake_shaders.fail_load = fake_shaders.loads + 2;
    VkPipeline pipeline = VK_NULL_HANDLE;
    assert_int_equal(try_graphics(&g, VK_NULL_HANDLE, &pipeline), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_null(pipeline);
    assert_int_equal(fake_shaders.living, 0);
    fake_shaders.fail_load = 0;
    destroy_pipeline(make_graphics(&g, VK_NULL_HANDLE));
    scene_finish(&scene);
}

/* ---- libraries ---- */

/* The four parts of one triangle. */
static VkResult try_libraries(const struct scene *scene, VkPipelineCache cache, VkPipelineCreateFlags flags,
                              VkPipeline libraries_out[4])
{
    static const VkGraphicsPipelineLibraryFlagsEXT parts[] = {VERTEX_INPUT, PRE_RASTERIZATION, FRAGMENT_SHADER,
                                                              FRAGMENT_OUTPUT};
    VkPipelineLayout layouts[] = {VK_NULL_HANDLE, scene->vertex_layout, scene->fragment_layout, VK_NULL_HANDLE};
    memset(libraries_out, 0, 4 * sizeof(*libraries_out));
    for (uint32_t i = 0; i < 4; i++) {
        struct graphics g;
        graphics_init(&g, scene->vertex, scene->fragment, layouts[i], VK_FORMAT_R8G8B8A8_UNORM);
        graphics_make_library(&g, parts[i]);
        g.info.flags |= flags;
        VkResult result = try_graphics(&g, cache, &libraries_out[i]);
        if (result != VK_SUCCESS)
            return result;
    }
    return VK_SUCCESS;
}

static void destroy_libraries(VkPipeline libraries[4])
{
    for (uint32_t i = 0; i < 4; i++)
        destroy_pipeline(libraries[i]);
}

static void linked_libraries_are_the_whole_pipeline(void **state)
{
    struct scene scene;
    struct graphics whole, linked, half;
    VkPipeline libraries[4], pipelines[4];
    scene_init(&scene);
    graphics_init(&whole, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    pipelines[0] = make_graphics(&whole, VK_NULL_HANDLE);
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    assert_int_equal(fake_shaders.compiles, 1);
    assert_int_equal(fake_shaders.pipelines, 1); /* a library has nothing of the driver's */

    /* At once, and in two steps with a library of libraries between; with the final layout and without. */
    graphics_link(&linked, libraries, 4, scene.layout);
    pipelines[1] = make_graphics(&linked, VK_NULL_HANDLE);
    graphics_link(&linked, libraries, 4, VK_NULL_HANDLE);
    pipelines[2] = make_graphics(&linked, VK_NULL_HANDLE);
    VkPipeline two[2];
    graphics_link(&half, libraries, 3, VK_NULL_HANDLE);
    half.info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    two[0] = make_graphics(&half, VK_NULL_HANDLE);
    two[1] = libraries[3];
    graphics_link(&linked, two, 2, scene.layout);
    pipelines[3] = make_graphics(&linked, VK_NULL_HANDLE);
    destroy_libraries(libraries);
    destroy_pipeline(two[0]);

    assert_int_equal(fake_shaders.compiles, 1);
    for (uint32_t i = 1; i < 4; i++) {
        struct vk_pipeline *pipeline = vk_pipeline_from_handle(pipelines[i]);
        assert_int_equal(pipeline->stages, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
        assert_memory_equal(pipeline->shaders, vk_pipeline_from_handle(pipelines[0])->shaders,
                            sizeof(pipeline->shaders));
        const struct vk_dynamic_graphics_state *dynamic = vk_graphics_pipeline(pipeline)->dynamic;
        assert_int_equal(dynamic->ia.topology, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
        assert_int_equal(dynamic->cb.write_masks[0], 0xf);
        assert_int_equal(dynamic->vp.viewport_count, 1);
        assert_int_equal(dynamic->set, VK_DYN_ALL);
    }
    for (uint32_t i = 0; i < 4; i++)
        destroy_pipeline(pipelines[i]);

    /* Without the whole before: the link compiles, from what the libraries kept, as often as it is asked to. */
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    graphics_link(&linked, libraries, 4, VK_NULL_HANDLE);
    linked.info.flags = FAIL_ON_COMPILE;
    assert_int_equal(try_graphics(&linked, VK_NULL_HANDLE, &pipelines[0]), VK_PIPELINE_COMPILE_REQUIRED);
    linked.info.flags = 0;
    for (uint32_t i = 0; i < 2; i++) {
        pipelines[0] = make_graphics(&linked, VK_NULL_HANDLE);
        const struct fake_note *fragment = fake_shader_of(pipelines[0], VK_SHADER_STAGE_FRAGMENT_BIT);
        assert_int_equal(fake_shaders.compiles, 2 + i);
        assert_int_equal(fragment->set_count, 2);
        assert_int_equal(fragment->sets_open, 0); /* each library left one open */
        destroy_pipeline(pipelines[0]);
    }
    destroy_libraries(libraries);
    scene_finish(&scene);
}

/* A pipeline may bring the last parts itself. */
static void a_pipeline_may_complete_libraries(void **state)
{
    struct scene scene;
    struct graphics rest;
    VkPipeline libraries[4];
    scene_init(&scene);
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    graphics_init(&rest, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    graphics_make_library(&rest, FRAGMENT_SHADER | FRAGMENT_OUTPUT);
    rest.info.flags = 0;
    rest.libraries = vk_struct_init(VkPipelineLibraryCreateInfoKHR);
    rest.libraries.libraryCount = 2;
    rest.libraries.pLibraries = libraries;
    vk_append_struct(&rest.info, &rest.libraries);
    VkPipeline pipeline = make_graphics(&rest, VK_NULL_HANDLE);
    assert_int_equal(vk_pipeline_from_handle(pipeline)->stages,
                     VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_VERTEX_BIT)->next_stages, VK_SHADER_STAGE_FRAGMENT_BIT);
    destroy_pipeline(pipeline);
    destroy_libraries(libraries);
    scene_finish(&scene);
}

static void libraries_use_the_cache(void **state)
{
    struct scene scene;
    struct graphics g;
    VkPipeline libraries[4], pipeline;
    scene_init(&scene);
    VkPipelineCache cache = new_cache(NULL, 0);
    VkPipeline early[4];
    assert_int_equal(try_libraries(&scene, cache, FAIL_ON_COMPILE, early), VK_PIPELINE_COMPILE_REQUIRED);
    destroy_libraries(early);
    assert_int_equal(try_libraries(&scene, cache, 0, libraries), VK_SUCCESS);
    graphics_link(&g, libraries, 4, scene.layout);
    destroy_pipeline(make_graphics(&g, cache));
    assert_int_equal(g.feedback.flags, VALID);
    destroy_libraries(libraries);

    /* In the next run everything is there: stages for libraries, even by identifiers alone, and shaders for the link.
     */
    cache = through_a_file(cache);
    assert_int_equal(try_libraries(&scene, cache, FAIL_ON_COMPILE, libraries), VK_SUCCESS);
    graphics_link(&g, libraries, 4, scene.layout);
    g.info.flags = FAIL_ON_COMPILE;
    destroy_pipeline(make_graphics(&g, cache));
    assert_int_equal(g.feedback.flags, VALID | HIT);
    assert_int_equal(fake_shaders.compiles, 1);

    /* IR that came back from the file can be compiled. */
    graphics_link(&g, libraries, 4, scene.layout);
    g.info.flags = VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT;
    pipeline = make_graphics(&g, VK_NULL_HANDLE);
    assert_int_equal(fake_shaders.compiles, 2);
    destroy_pipeline(pipeline);
    destroy_libraries(libraries);

    VkShaderModuleIdentifierEXT identifier = vk_struct_init(VkShaderModuleIdentifierEXT);
    vk_common_GetShaderModuleIdentifierEXT(dev(), scene.vertex, &identifier);
    VkPipelineShaderStageModuleIdentifierCreateInfoEXT by_identifier =
        vk_struct_init(VkPipelineShaderStageModuleIdentifierCreateInfoEXT);
    by_identifier.identifierSize = identifier.identifierSize;
    by_identifier.pIdentifier = identifier.identifier;
    graphics_init(&g, VK_NULL_HANDLE, VK_NULL_HANDLE, scene.vertex_layout, VK_FORMAT_UNDEFINED);
    graphics_make_library(&g, PRE_RASTERIZATION);
    g.info.flags |= FAIL_ON_COMPILE;
    vk_append_struct(&g.stages[1], &by_identifier);
    destroy_pipeline(make_graphics(&g, cache));
    assert_int_equal(g.stage_feedbacks[0].flags, VALID | HIT);
    assert_int_equal(try_graphics(&g, VK_NULL_HANDLE, &pipeline), VK_PIPELINE_COMPILE_REQUIRED);

    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    scene_finish(&scene);
}

/* ---- files that somebody else has written ---- */

static bool are_of_one_compile(struct vk_shader *const *shaders)
{
    uint32_t generation = 0;
    for (uint32_t i = 0; i < VK_PIPELINE_MAX_STAGES; i++) {
        const struct fake_note *note = shaders[i] ? (const void *)shaders[i]->code->bytes : NULL;
        if (note && generation && note->generation != generation)
            return false;
        generation = note ? note->generation : generation;
    }
    return true;
}

/* A cache never makes a pipeline fail: programs that do not belong together are compiled, and replace those. */
static void shaders_of_different_pipelines_are_compiled_anew(void **state)
{
    static struct vk_codegen checking;
    struct scene scene;
    struct graphics g;
    VkPipeline pipelines[2];
    checking = fake_codegen;
    checking.fits = are_of_one_compile;
    scene_init(&scene);
    device.codegen = &checking;
    VkPipelineCache cache = new_cache(NULL, 0);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    pipelines[0] = make_graphics(&g, cache);
    ((struct fake_note *)(uintptr_t)fake_shader_of(pipelines[0], VK_SHADER_STAGE_VERTEX_BIT))->generation = 7;
    VkPipelineCache other = new_cache(NULL, 0); /* of another part of the program, with the same shaders */
    pipelines[1] = make_graphics(&g, other);
    destroy_pipeline(pipelines[0]);
    destroy_pipeline(pipelines[1]);
    vk_common_DestroyPipelineCache(dev(), other, NULL);
    cache = through_a_file(cache);

    const uint32_t before = fake_shaders.compiles;
    for (uint32_t i = 0; i < 2; i++) {
        pipelines[i] = make_graphics(&g, cache);
        assert_int_equal(fake_shaders.compiles, before + 1);
        assert_int_equal(fake_shader_of(pipelines[i], VK_SHADER_STAGE_VERTEX_BIT)->generation, before + 1);
        assert_int_equal(fake_shader_of(pipelines[i], VK_SHADER_STAGE_FRAGMENT_BIT)->generation, before + 1);
        assert_int_equal(g.feedback.flags, i ? VALID | HIT : VALID);
    }
    destroy_pipeline(pipelines[0]);
    destroy_pipeline(pipelines[1]);
    cache = through_a_file(cache);
    g.info.flags |= FAIL_ON_COMPILE;
    destroy_pipeline(make_graphics(&g, cache));
    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    scene_finish(&scene);
}

/* ---- libraries that have code ---- */

static void compile_parts(void)
{
    static struct vk_codegen of_parts;
    of_parts = fake_codegen;
    of_parts.compiles_parts = true;
    device.codegen = &of_parts;
}

/* Two stages are compiled with their libraries, each for itself; nothing with a link that is not to optimise. */
static void linking_joins_code(void **state)
{
    struct scene scene;
    struct graphics g;
    VkPipeline libraries[4], two[2], pipeline;
    scene_init(&scene);
    compile_parts();
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    assert_int_equal(fake_shaders.compiles, 2);
    assert_int_equal(fake_shader_of(libraries[1], VK_SHADER_STAGE_VERTEX_BIT)->next_stages, 0);
    assert_int_equal(fake_shader_of(libraries[1], VK_SHADER_STAGE_VERTEX_BIT)->sets_open, 1);
    assert_int_equal(fake_shader_of(libraries[2], VK_SHADER_STAGE_FRAGMENT_BIT)->sets_open, 1);

    /* At once, and with libraries of libraries between; to optimise is asked for in vain where nothing is kept for
     * it. */
    for (uint32_t i = 0; i < 3; i++) {
        graphics_link(&g, libraries, 4, scene.layout);
        if (i == 1) {
            for (uint32_t half = 0; half < 2; half++) {
                graphics_link(&g, libraries + 2 * half, 2, VK_NULL_HANDLE);
                g.info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
                two[half] = make_graphics(&g, VK_NULL_HANDLE);
            }
            graphics_link(&g, two, 2, scene.layout);
        }
        g.info.flags = FAIL_ON_COMPILE | (i == 2 ? VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT : 0);
        pipeline = make_graphics(&g, VK_NULL_HANDLE);
        assert_int_equal(g.feedback.flags, VALID);
        assert_ptr_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_VERTEX_BIT),
                         fake_shader_of(libraries[1], VK_SHADER_STAGE_VERTEX_BIT));
        assert_ptr_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_FRAGMENT_BIT),
                         fake_shader_of(libraries[2], VK_SHADER_STAGE_FRAGMENT_BIT));
        assert_int_equal(vk_pipeline_from_handle(pipeline)->stages,
                         VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT);
        destroy_pipeline(pipeline);
        assert_int_equal(fake_shaders.living, 2); /* the libraries have them still */
    }
    assert_int_equal(fake_shaders.compiles, 2);
    destroy_pipeline(two[0]);
    destroy_pipeline(two[1]);
    destroy_libraries(libraries);
    scene_finish(&scene);
}

/* Code that is kept for it makes the same shaders as a pipeline in one piece has. */
static void linking_optimises_where_it_is_asked_to(void **state)
{
    struct scene scene;
    struct graphics g;
    VkPipeline libraries[4], pipelines[2];
    scene_init(&scene);
    compile_parts();
    assert_int_equal(
        try_libraries(&scene, VK_NULL_HANDLE, VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT, libraries),
        VK_SUCCESS);
    graphics_link(&g, libraries, 4, scene.layout);
    g.info.flags = FAIL_ON_COMPILE;
    destroy_pipeline(make_graphics(&g, VK_NULL_HANDLE)); /* not asked to */
    g.info.flags |= VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT;
    assert_int_equal(try_graphics(&g, VK_NULL_HANDLE, &pipelines[0]), VK_PIPELINE_COMPILE_REQUIRED);
    g.info.flags = VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT;
    assert_int_equal(fake_shaders.compiles, 2);
    pipelines[0] = make_graphics(&g, VK_NULL_HANDLE);
    assert_int_equal(fake_shaders.compiles, 3);
    assert_int_equal(fake_shader_of(pipelines[0], VK_SHADER_STAGE_VERTEX_BIT)->next_stages,
                     VK_SHADER_STAGE_FRAGMENT_BIT);
    graphics_init(&g, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    pipelines[1] = make_graphics(&g, VK_NULL_HANDLE);
    assert_int_equal(fake_shaders.compiles, 3);
    destroy_pipeline(pipelines[0]);
    destroy_pipeline(pipelines[1]);
    destroy_libraries(libraries);
    scene_finish(&scene);
}

/* The stages of the create info that links are compiled without those of libraries. */
static void a_part_may_come_with_the_link(void **state)
{
    struct scene scene;
    struct graphics rest;
    VkPipeline libraries[4];
    scene_init(&scene);
    compile_parts();
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    graphics_init(&rest, scene.vertex, scene.fragment, scene.layout, VK_FORMAT_R8G8B8A8_UNORM);
    graphics_make_library(&rest, VERTEX_INPUT | PRE_RASTERIZATION);
    rest.info.flags = 0;
    rest.libraries = vk_struct_init(VkPipelineLibraryCreateInfoKHR);
    rest.libraries.libraryCount = 2;
    rest.libraries.pLibraries = libraries + 2;
    vk_append_struct(&rest.info, &rest.libraries);
    VkPipeline pipeline = make_graphics(&rest, VK_NULL_HANDLE);
    assert_int_equal(fake_shaders.compiles, 3);
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_VERTEX_BIT)->next_stages, 0);
    assert_ptr_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_FRAGMENT_BIT),
                     fake_shader_of(libraries[2], VK_SHADER_STAGE_FRAGMENT_BIT));
    destroy_pipeline(pipeline);
    destroy_libraries(libraries);
    scene_finish(&scene);
}

static void parts_use_the_cache(void **state)
{
    struct scene scene;
    VkPipeline libraries[4];
    scene_init(&scene);
    compile_parts();
    VkPipelineCache cache = new_cache(NULL, 0);
    assert_int_equal(try_libraries(&scene, cache, FAIL_ON_COMPILE, libraries), VK_PIPELINE_COMPILE_REQUIRED);
    destroy_libraries(libraries);
    assert_int_equal(try_libraries(&scene, cache, 0, libraries), VK_SUCCESS);
    destroy_libraries(libraries);
    cache = through_a_file(cache);
    assert_int_equal(try_libraries(&scene, cache, FAIL_ON_COMPILE, libraries), VK_SUCCESS);
    destroy_libraries(libraries);
    assert_int_equal(fake_shaders.compiles, 2);
    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    scene_finish(&scene);
}

/* Two threads link one library: cloning must not disturb the other. */
static void *link_often(void *argument)
{
    for (uint32_t i = 0; i < 100; i++) {
        struct graphics g;
        VkPipeline pipeline;
        graphics_link(&g, argument, 4, VK_NULL_HANDLE);
        g.info.flags = i % 2 ? VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT : 0;
        if (try_graphics(&g, VK_NULL_HANDLE, &pipeline) != VK_SUCCESS)
            return argument;
        destroy_pipeline(pipeline);
    }
    return NULL;
}

static void threads_link_one_library(void **state)
{
    struct scene scene;
    VkPipeline libraries[4];
    scene_init(&scene);
    assert_int_equal(try_libraries(&scene, VK_NULL_HANDLE, 0, libraries), VK_SUCCESS);
    pthread_t threads[4];
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, link_often, libraries), 0);
    for (uint32_t i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    destroy_libraries(libraries);
    scene_finish(&scene);
}

/* ---- no memory ---- */

/* Everything that allocates, as one program: the first error ends it, and it cleans up what it has. */
struct program {
    struct scene scene;
    VkShaderModule compute;
    VkPipelineCache cache;
    VkPipeline pipelines[2], libraries[4];
    VkDescriptorUpdateTemplate template;
};

static VkResult program_objects(struct program *p, const void *data, size_t size_B)
{
    VkPushConstantRange push[] = {{VK_SHADER_STAGE_VERTEX_BIT, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    VkResult results[] = {
        try_module(pipeline_comp, sizeof(pipeline_comp), &p->compute),
        try_module(pipeline_vert, sizeof(pipeline_vert), &p->scene.vertex),
        try_module(pipeline_frag, sizeof(pipeline_frag), &p->scene.fragment),
        try_layout(2, (uint32_t[]){1, 2}, push, 2, &p->scene.layout),
        try_layout(2, (uint32_t[]){1, 0}, push, 2, &p->scene.vertex_layout),
        try_layout(2, (uint32_t[]){0, 2}, push, 2, &p->scene.fragment_layout),
        VK_SUCCESS,
    };
    VkPipelineCacheCreateInfo info = vk_struct_init(VkPipelineCacheCreateInfo);
    info.pInitialData = data;
    info.initialDataSize = size_B;
    results[6] = vk_common_CreatePipelineCache(dev(), &info, NULL, &p->cache);
    for (uint32_t i = 0; i < ARRAY_SIZE(results); i++) {
        if (results[i] != VK_SUCCESS)
            return results[i];
    }
    return VK_SUCCESS;
}

static VkResult program_pipelines(struct program *p)
{
    struct compute c;
    struct graphics g;
    compute_init(&c, p->compute, p->scene.layout, 8);
    VkResult result = try_compute(&c, p->cache, &p->pipelines[0]);
    if (result == VK_SUCCESS)
        result = try_libraries(&p->scene, p->cache, 0, p->libraries);
    if (result != VK_SUCCESS)
        return result;
    graphics_link(&g, p->libraries, 4, VK_NULL_HANDLE);
    result = try_graphics(&g, p->cache, &p->pipelines[1]);
    if (result != VK_SUCCESS)
        return result;
    VkDescriptorUpdateTemplateCreateInfo info = vk_struct_init(VkDescriptorUpdateTemplateCreateInfo);
    info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
    info.pipelineLayout = p->scene.layout;
    return vk_common_CreateDescriptorUpdateTemplate(dev(), &info, &fake_allocator, &p->template);
}

static VkResult program_run(const void *data, size_t size_B)
{
    struct program p;
    memset(&p, 0, sizeof(p));
    VkResult result = program_objects(&p, data, size_B);
    if (result == VK_SUCCESS)
        result = program_pipelines(&p);
    vk_common_DestroyDescriptorUpdateTemplate(dev(), p.template, &fake_allocator);
    destroy_pipeline(p.pipelines[0]);
    destroy_pipeline(p.pipelines[1]);
    destroy_libraries(p.libraries);
    vk_common_DestroyPipelineCache(dev(), p.cache, NULL);
    vk_common_DestroyShaderModule(dev(), p.compute, NULL);
    scene_finish(&p.scene);
    return result;
}

/* A cache's file with the shaders and stages of that program. */
static void *program_file(size_t *size_B)
{
    struct program p;
    memset(&p, 0, sizeof(p));
    assert_int_equal(program_objects(&p, NULL, 0), VK_SUCCESS);
    assert_int_equal(program_pipelines(&p), VK_SUCCESS);
    assert_int_equal(vk_common_GetPipelineCacheData(dev(), p.cache, size_B, NULL), VK_SUCCESS);
    void *data = malloc(*size_B);
    assert_int_equal(vk_common_GetPipelineCacheData(dev(), p.cache, size_B, data), VK_SUCCESS);
    vk_common_DestroyDescriptorUpdateTemplate(dev(), p.template, &fake_allocator);
    destroy_pipeline(p.pipelines[0]);
    destroy_pipeline(p.pipelines[1]);
    destroy_libraries(p.libraries);
    vk_common_DestroyPipelineCache(dev(), p.cache, NULL);
    vk_common_DestroyShaderModule(dev(), p.compute, NULL);
    scene_finish(&p.scene);
    return data;
}

static void every_allocation_may_fail(void **state)
{
    size_t size_B;
    if (*state)
        compile_parts();
    void *data = program_file(&size_B);
    int32_t before = fake_memory.living;
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t errors = 0, call = 1;
        for (bool all_seen = false; !all_seen; call++) {
            fake_memory_fail_at(call);
            VkResult result = program_run(round ? data : NULL, round ? size_B : 0);
            all_seen = fake_memory.failures == 0;
            errors += result != VK_SUCCESS;
            if (result != VK_SUCCESS && (all_seen || result != VK_ERROR_OUT_OF_HOST_MEMORY))
                fail_msg("allocation %u failed: result %d", call, result);
            if (fake_memory.living != before || fake_shaders.living || fake_shaders.pipelines || fake_set_layouts)
                fail_msg("allocation %u failed: %d allocations left", call, fake_memory.living - before);
        }
        /* All but what only a cache wanted to remember. */
        print_message("# %u allocations, %u errors\n", call - 2, errors);
        assert_true(errors > 20 && errors >= (call - 2) / 2);
    }
    fake_memory_fail_at(0);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(stages_are_compiled_together),
        TEST(formats_come_from_a_subpass_too),
        TEST(a_bind_sets_shaders_and_static_state),
        TEST(without_rasterization_there_is_no_fragment_shader),
        TEST(executables_are_counted_through_all_stages),
        TEST(a_text_is_cut_where_its_room_ends),
        TEST(a_pipeline_whose_second_shader_cannot_be_loaded_leaves_nothing),
        TEST(linked_libraries_are_the_whole_pipeline),
        TEST(a_pipeline_may_complete_libraries),
        TEST(libraries_use_the_cache),
        TEST(shaders_of_different_pipelines_are_compiled_anew),
        TEST(linking_joins_code),
        TEST(linking_optimises_where_it_is_asked_to),
        TEST(a_part_may_come_with_the_link),
        TEST(parts_use_the_cache),
        TEST(threads_link_one_library),
        TEST(every_allocation_may_fail),
        cmocka_unit_test_prestate_setup_teardown(every_allocation_may_fail, setup, teardown, (void *)1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
