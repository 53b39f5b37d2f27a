/* Render passes as the driver sees them: a fake driver writes down the renderings and barriers that arrive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/render/vk_framebuffer.h"
#include "vulkan/runtime/render/vk_graphics_state.h"
#include "vulkan/runtime/render/vk_render_pass.h"
#include "vulkan/runtime/render/vk_rendering.h"

/* ---- the fake driver ---- */

enum call_kind {
    CALL_BEGIN,
    CALL_END,
    CALL_BARRIER,
    CALL_NEXT,
};

struct call {
    enum call_kind kind;
    VkRenderingInfo info;
    VkRenderingAttachmentInfo colors[4], depth, stencil;
    bool has_depth, has_stencil, has_rate;
    VkRenderingFragmentShadingRateAttachmentInfoKHR rate;
    VkMemoryBarrier2 memory[2];
    VkImageMemoryBarrier2 images[8];
    VkSampleLocationsInfoEXT locations[8]; /* of the barrier of the same index; sType 0: none */
    uint32_t memory_count, image_count;
    uint32_t joined_count; /* 0: the rendering is of one subpass */
    struct vk_joined_attachment joined[4];
};

static struct call calls[32];
static unsigned call_count;

static struct call *add_call(enum call_kind kind)
{
    assert_true(call_count < ARRAY_SIZE(calls));
    struct call *call = &calls[call_count++];
    memset(call, 0, sizeof(*call));
    call->kind = kind;
    return call;
}

static void copy_joined(struct call *call, const VkBaseInStructure *chain)
{
    for (; chain; chain = chain->pNext) {
        if (chain->sType != VK_STRUCTURE_TYPE_JOINED_RENDERING)
            continue;
        const struct vk_joined_rendering *joined = (const struct vk_joined_rendering *)chain;
        assert_true(joined->count && joined->count <= ARRAY_SIZE(call->joined));
        call->joined_count = joined->count;
        memcpy(call->joined, joined->attachments, joined->count * sizeof(*joined->attachments));
    }
}

static void copy_rendering(struct call *call, const VkRenderingInfo *info)
{
    call->info = *info;
    copy_joined(call, info->pNext);
    assert_true(info->colorAttachmentCount <= ARRAY_SIZE(call->colors));
    for (uint32_t i = 0; i < info->colorAttachmentCount; i++)
        call->colors[i] = info->pColorAttachments[i];
    if ((call->has_depth = info->pDepthAttachment != NULL))
        call->depth = *info->pDepthAttachment;
    if ((call->has_stencil = info->pStencilAttachment != NULL))
        call->stencil = *info->pStencilAttachment;
    const VkRenderingFragmentShadingRateAttachmentInfoKHR *rate =
        vk_find_struct_const(info->pNext, VkRenderingFragmentShadingRateAttachmentInfoKHR);
    if ((call->has_rate = rate != NULL))
        call->rate = *rate;
}

static VKAPI_ATTR void VKAPI_CALL begin_rendering(VkCommandBuffer handle, const VkRenderingInfo *info)
{
    copy_rendering(add_call(CALL_BEGIN), info);
}

static void next_subpass(struct vk_command_buffer *commands, const VkDependencyInfo *dependency,
                         const VkRenderingInfo *info)
{
    struct call *call = add_call(CALL_NEXT);
    copy_rendering(call, info);
    assert_true(dependency->dependencyFlags & VK_DEPENDENCY_BY_REGION_BIT);
    assert_int_equal(dependency->imageMemoryBarrierCount, 0);
    call->memory_count = dependency->memoryBarrierCount;
    for (uint32_t i = 0; i < call->memory_count; i++)
        call->memory[i] = dependency->pMemoryBarriers[i];
}

static VKAPI_ATTR void VKAPI_CALL end_rendering(VkCommandBuffer handle)
{
    add_call(CALL_END);
}

static VKAPI_ATTR void VKAPI_CALL pipeline_barrier(VkCommandBuffer handle, const VkDependencyInfo *info)
{
    struct call *call = add_call(CALL_BARRIER);
    assert_true(info->memoryBarrierCount <= 2 && info->imageMemoryBarrierCount <= 8);
    call->memory_count = info->memoryBarrierCount;
    call->image_count = info->imageMemoryBarrierCount;
    for (uint32_t i = 0; i < call->memory_count; i++)
        call->memory[i] = info->pMemoryBarriers[i];
    for (uint32_t i = 0; i < call->image_count; i++) {
        call->images[i] = info->pImageMemoryBarriers[i];
        const VkSampleLocationsInfoEXT *locations =
            vk_find_struct_const(call->images[i].pNext, VkSampleLocationsInfoEXT);
        if (locations)
            call->locations[i] = *locations;
    }
}

static VkResult init_command_buffer(struct vk_command_buffer *command_buffer)
{
    return VK_SUCCESS;
}

static void finish_command_buffer(struct vk_command_buffer *command_buffer)
{
}

static void reset_command_buffer(struct vk_command_buffer *command_buffer, bool release)
{
}

static const struct vk_command_buffer_ops command_buffer_ops = {.size_B = sizeof(struct vk_command_buffer),
                                                                .init = init_command_buffer,
                                                                .finish = finish_command_buffer,
                                                                .reset = reset_command_buffer};

/* ---- memory that runs out on demand ---- */

static int allocations_left = -1, alive;

static VKAPI_ATTR void *VKAPI_CALL allocate_memory(void *user, size_t size_B, size_t alignment_B,
                                                   VkSystemAllocationScope scope)
{
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    alive++;
    return aligned_alloc(alignment_B, align_u64(size_B, alignment_B));
}

static VKAPI_ATTR void *VKAPI_CALL reallocate_memory(void *user, void *original, size_t size_B, size_t alignment_B,
                                                     VkSystemAllocationScope scope)
{
    return NULL;
}

static VKAPI_ATTR void VKAPI_CALL release_memory(void *user, void *memory)
{
    alive -= memory != NULL;
    free(memory);
}

static const VkAllocationCallbacks callbacks = {
    .pfnAllocation = allocate_memory, .pfnReallocation = reallocate_memory, .pfnFree = release_memory};

static struct vk_instance instance;
static struct vk_physical_device physical;
static struct vk_device device;
static struct vk_icd icd;
static const struct vk_driver driver = {.name = "test"};
static struct vk_device_extensions extensions;
static const struct vk_features no_features;
static const struct vk_physical_device_dispatch no_entrypoints;
static VkCommandPool pool;
static VkCommandBuffer command_buffer;

/* Four images: two colours, one single-sampled colour, one with depth and stencil. */
static struct vk_image images[4];
static struct vk_image_view views[4];
enum {
    COLOR,
    OTHER,
    PLAIN,
    DEPTH
};

static int setup(void **state)
{
    call_count = 0;
    allocations_left = -1;
    instance = (struct vk_instance){.icd = &icd, .alloc = callbacks, .api_version = VK_API_VERSION_1_3};
    struct vk_physical_device_info info = {.driver = &driver,
                                           .api_version = VK_API_VERSION_1_3,
                                           .entrypoints = &no_entrypoints,
                                           .supported_extensions = &extensions,
                                           .supported_features = &no_features};
    VkDeviceCreateInfo create = vk_struct_init(VkDeviceCreateInfo);
    struct vk_device_dispatch entrypoints = {0};
    entrypoints.CmdBeginRendering = begin_rendering;
    entrypoints.CmdEndRendering = end_rendering;
    entrypoints.CmdPipelineBarrier2 = pipeline_barrier;
    if (vk_physical_device_init(&physical, &instance, &info) != VK_SUCCESS ||
        vk_device_init(&device, &physical, &create, NULL, &entrypoints, NULL, 0) != VK_SUCCESS)
        return -1;
    device.command_buffer_ops = &command_buffer_ops;
    for (unsigned i = 0; i < ARRAY_SIZE(views); i++) {
        images[i] = (struct vk_image){.type = VK_IMAGE_TYPE_2D, .levels = 3, .layers = 16};
        views[i] = (struct vk_image_view){
            .image = &images[i], .base_level = 1, .level_count = 1, .base_layer = 2, .layer_count = 8};
    }
    VkCommandPoolCreateInfo pool_info = vk_struct_init(VkCommandPoolCreateInfo);
    VkCommandBufferAllocateInfo allocate_info = vk_struct_init(VkCommandBufferAllocateInfo);
    if (vk_common_CreateCommandPool(vk_device_to_handle(&device), &pool_info, NULL, &pool) != VK_SUCCESS)
        return -1;
    allocate_info.commandPool = pool;
    allocate_info.commandBufferCount = 1;
    return vk_common_AllocateCommandBuffers(vk_device_to_handle(&device), &allocate_info, &command_buffer);
}

static int teardown(void **state)
{
    vk_common_DestroyCommandPool(vk_device_to_handle(&device), pool, NULL);
    vk_device_finish(&device);
    vk_physical_device_finish(&physical);
    memset(&extensions, 0, sizeof(extensions));
    return alive == 0 ? 0 : -1;
}

/* ---- describing passes ---- */

#define REF(i, l) (&(VkAttachmentReference2){VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, NULL, i, l, 0})
#define ATTACHMENT_LAYOUT VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
#define DS_LAYOUT VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
#define SAMPLED VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL

static VkAttachmentDescription2 color_attachment(VkAttachmentLoadOp load, VkImageLayout initial, VkImageLayout final)
{
    VkAttachmentDescription2 attachment = vk_struct_init(VkAttachmentDescription2);
    attachment.format = VK_FORMAT_R8G8B8A8_UNORM;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = load;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    attachment.initialLayout = initial;
    attachment.finalLayout = final;
    return attachment;
}

static VkAttachmentDescription2 depth_attachment(VkAttachmentLoadOp load, VkAttachmentLoadOp stencil,
                                                 VkImageLayout initial, VkImageLayout final)
{
    VkAttachmentDescription2 attachment = color_attachment(load, initial, final);
    attachment.format = VK_FORMAT_D32_SFLOAT_S8_UINT;
    attachment.stencilLoadOp = stencil;
    attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
    return attachment;
}

static VkSubpassDescription2 subpass_of(uint32_t view_mask, uint32_t color_count, const VkAttachmentReference2 *colors,
                                        uint32_t input_count, const VkAttachmentReference2 *inputs,
                                        const VkAttachmentReference2 *depth)
{
    VkSubpassDescription2 subpass = vk_struct_init(VkSubpassDescription2);
    subpass.viewMask = view_mask;
    subpass.colorAttachmentCount = color_count;
    subpass.pColorAttachments = colors;
    subpass.inputAttachmentCount = input_count;
    subpass.pInputAttachments = inputs;
    subpass.pDepthStencilAttachment = depth;
    return subpass;
}

static VkSubpassDependency2 dependency(uint32_t src, uint32_t dst)
{
    VkSubpassDependency2 dependency = vk_struct_init(VkSubpassDependency2);
    dependency.srcSubpass = src;
    dependency.dstSubpass = dst;
    dependency.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    dependency.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
    dependency.dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
    dependency.dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT;
    return dependency;
}

static VkRenderPass create_pass(uint32_t attachment_count, const VkAttachmentDescription2 *attachments,
                                uint32_t subpass_count, const VkSubpassDescription2 *subpasses,
                                uint32_t dependency_count, const VkSubpassDependency2 *dependencies)
{
    VkRenderPassCreateInfo2 info = vk_struct_init(VkRenderPassCreateInfo2);
    info.attachmentCount = attachment_count;
    info.pAttachments = attachments;
    info.subpassCount = subpass_count;
    info.pSubpasses = subpasses;
    info.dependencyCount = dependency_count;
    info.pDependencies = dependencies;
    VkRenderPass pass;
    assert_int_equal(vk_common_CreateRenderPass2(vk_device_to_handle(&device), &info, NULL, &pass), VK_SUCCESS);
    return pass;
}

static VkImageView view(unsigned index)
{
    return vk_image_view_to_handle(&views[index]);
}

/* Record the whole pass, with view i for attachment i, and a clear value that names the attachment. */
static void record_with(VkRenderPass pass, uint32_t attachment_count, const VkImageView *attachments, uint32_t layers,
                        const void *chain)
{
    const struct vk_render_pass *object = vk_render_pass_from_handle(pass);
    VkFramebufferCreateInfo info = vk_struct_init(VkFramebufferCreateInfo);
    info.renderPass = pass;
    info.attachmentCount = attachment_count;
    info.pAttachments = attachments;
    info.width = 64;
    info.height = 32;
    info.layers = layers;
    VkFramebuffer framebuffer;
    VkDevice dev = vk_device_to_handle(&device);
    assert_int_equal(vk_common_CreateFramebuffer(dev, &info, NULL, &framebuffer), VK_SUCCESS);

    VkClearValue values[4];
    for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
        values[i] = (VkClearValue){.color.uint32 = {100 + i}};
    VkRenderPassBeginInfo begin = vk_struct_init(VkRenderPassBeginInfo);
    begin.pNext = chain;
    begin.renderPass = pass;
    begin.framebuffer = framebuffer;
    begin.renderArea = (VkRect2D){{1, 2}, {30, 20}};
    begin.clearValueCount = ARRAY_SIZE(values);
    begin.pClearValues = values;
    VkSubpassBeginInfo subpass = vk_struct_init(VkSubpassBeginInfo);
    VkSubpassEndInfo end = vk_struct_init(VkSubpassEndInfo);
    vk_common_CmdBeginRenderPass2(command_buffer, &begin, &subpass);
    /* The application's arrays may change now. */
    memset(values, 0xff, sizeof(values));
    for (uint32_t i = 1; i < object->subpass_count; i++)
        vk_common_CmdNextSubpass2(command_buffer, &subpass, &end);
    vk_common_CmdEndRenderPass2(command_buffer, &end);
    vk_common_DestroyFramebuffer(dev, framebuffer, NULL);
    vk_common_DestroyRenderPass(dev, pass, NULL);
}

static void record_pass(VkRenderPass pass)
{
    VkImageView attachments[] = {view(0), view(1), view(2), view(3)};
    record_with(pass, vk_render_pass_from_handle(pass)->attachment_count, attachments, 1, NULL);
}

static const struct call *expect_call(unsigned index, enum call_kind kind)
{
    assert_true(index < call_count);
    assert_int_equal(calls[index].kind, kind);
    return &calls[index];
}

static void expect_transition(const VkImageMemoryBarrier2 *barrier, unsigned image, VkImageLayout from,
                              VkImageLayout to)
{
    assert_ptr_equal(vk_image_from_handle(barrier->image), &images[image]);
    assert_int_equal(barrier->oldLayout, from);
    assert_int_equal(barrier->newLayout, to);
}

/* ---- one subpass ---- */

static void a_pass_of_one_subpass_is_a_rendering_between_two_barriers(void **state)
{
    VkAttachmentDescription2 color =
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkSubpassDescription2 subpass = subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL);
    record_pass(create_pass(1, &color, 1, &subpass, 0, NULL));
    assert_int_equal(call_count, 4);

    const struct call *before = expect_call(0, CALL_BARRIER);
    assert_int_equal(before->memory_count, 0); /* no dependency was declared */
    assert_int_equal(before->image_count, 1);
    expect_transition(&before->images[0], COLOR, VK_IMAGE_LAYOUT_UNDEFINED, ATTACHMENT_LAYOUT);
    assert_int_equal(before->images[0].srcStageMask, VK_PIPELINE_STAGE_2_NONE);
    assert_int_equal(before->images[0].dstStageMask, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
    assert_true(before->images[0].dstAccessMask & VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
    assert_int_equal(before->images[0].srcQueueFamilyIndex, VK_QUEUE_FAMILY_IGNORED);
    VkImageSubresourceRange range = before->images[0].subresourceRange;
    assert_int_equal(range.aspectMask, VK_IMAGE_ASPECT_COLOR_BIT);
    assert_int_equal(range.baseMipLevel, 1);
    assert_int_equal(range.baseArrayLayer, 2);
    assert_int_equal(range.layerCount, 1); /* the framebuffer's, not the view's */

    const struct call *begin = expect_call(1, CALL_BEGIN);
    assert_int_equal(begin->info.flags, 0);
    assert_int_equal(begin->info.renderArea.extent.width, 30);
    assert_int_equal(begin->info.layerCount, 1);
    assert_int_equal(begin->info.colorAttachmentCount, 1);
    assert_false(begin->has_depth || begin->has_stencil || begin->has_rate);
    assert_ptr_equal(begin->colors[0].imageView, view(COLOR));
    assert_int_equal(begin->colors[0].imageLayout, ATTACHMENT_LAYOUT);
    assert_int_equal(begin->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
    assert_int_equal(begin->colors[0].storeOp, VK_ATTACHMENT_STORE_OP_STORE);
    assert_int_equal(begin->colors[0].clearValue.color.uint32[0], 100);
    assert_int_equal(begin->colors[0].resolveMode, VK_RESOLVE_MODE_NONE);

    expect_call(2, CALL_END);
    const struct call *after = expect_call(3, CALL_BARRIER);
    expect_transition(&after->images[0], COLOR, ATTACHMENT_LAYOUT, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    assert_int_equal(after->images[0].srcStageMask, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
    assert_int_equal(after->images[0].dstStageMask, VK_PIPELINE_STAGE_2_NONE);
    assert_true(after->images[0].srcAccessMask & VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
}

static void without_transitions_and_dependencies_there_is_no_barrier(void **state)
{
    VkAttachmentDescription2 color = color_attachment(VK_ATTACHMENT_LOAD_OP_LOAD, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT);
    VkSubpassDescription2 subpass = subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL);
    record_pass(create_pass(1, &color, 1, &subpass, 0, NULL));
    assert_int_equal(call_count, 2);
    expect_call(0, CALL_BEGIN);
    expect_call(1, CALL_END);
}

static void declared_dependencies_replace_the_implicit_ones(void **state)
{
    VkAttachmentDescription2 color =
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkSubpassDescription2 subpass = subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL);
    VkMemoryBarrier2 precise = vk_struct_init(VkMemoryBarrier2);
    precise.srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    precise.srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
    precise.dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT; /* a stage that the old mask has no bit for */
    precise.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
    VkSubpassDependency2 dependencies[] = {dependency(VK_SUBPASS_EXTERNAL, 0), dependency(0, VK_SUBPASS_EXTERNAL)};
    dependencies[0].dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    dependencies[0].dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
    dependencies[1].pNext = &precise;
    record_pass(create_pass(1, &color, 1, &subpass, 2, dependencies));

    const struct call *before = expect_call(0, CALL_BARRIER);
    assert_int_equal(before->memory_count, 1);
    assert_int_equal(before->memory[0].dstStageMask, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT);
    assert_int_equal(before->images[0].srcStageMask, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT);
    assert_int_equal(before->images[0].dstStageMask, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT);
    const struct call *after = expect_call(3, CALL_BARRIER);
    assert_int_equal(after->memory_count, 1);
    assert_true(after->memory[0].dstStageMask == VK_PIPELINE_STAGE_2_COPY_BIT);
    assert_true(after->images[0].dstStageMask == VK_PIPELINE_STAGE_2_COPY_BIT);
    assert_int_equal(after->images[0].dstAccessMask, VK_ACCESS_2_TRANSFER_READ_BIT);
}

static void an_unused_attachment_changes_its_layout_and_nothing_else(void **state)
{
    VkAttachmentDescription2 attachments[] = {
        color_attachment(VK_ATTACHMENT_LOAD_OP_LOAD, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT),
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_GENERAL, SAMPLED)};
    VkAttachmentReference2 colors[] = {*REF(VK_ATTACHMENT_UNUSED, 0), *REF(COLOR, ATTACHMENT_LAYOUT)};
    VkSubpassDescription2 subpass = subpass_of(0, 2, colors, 0, NULL, REF(VK_ATTACHMENT_UNUSED, 0));
    record_pass(create_pass(2, attachments, 1, &subpass, 0, NULL));
    assert_int_equal(call_count, 3);
    const struct call *begin = expect_call(0, CALL_BEGIN);
    assert_int_equal(begin->info.colorAttachmentCount, 2);
    assert_ptr_equal(begin->colors[0].imageView, VK_NULL_HANDLE);
    assert_ptr_equal(begin->colors[1].imageView, view(COLOR));
    assert_false(begin->has_depth);
    const struct call *after = expect_call(2, CALL_BARRIER);
    assert_int_equal(after->image_count, 1);
    expect_transition(&after->images[0], OTHER, VK_IMAGE_LAYOUT_GENERAL, SAMPLED);
}

/* ---- several subpasses ---- */

static void an_attachment_is_cleared_by_the_first_subpass_alone_and_stored_between(void **state)
{
    VkAttachmentDescription2 color =
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT);
    VkSubpassDescription2 subpasses[] = {subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL),
                                         subpass_of(0, 0, NULL, 0, NULL, NULL),
                                         subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL)};
    VkSubpassDependency2 dependencies[] = {dependency(0, 2), dependency(2, 2)};
    record_pass(create_pass(1, &color, 3, subpasses, 2, dependencies));
    assert_int_equal(call_count, 7);
    const struct call *first = expect_call(0, CALL_BEGIN);
    assert_int_equal(first->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
    assert_int_equal(first->colors[0].storeOp, VK_ATTACHMENT_STORE_OP_STORE);
    expect_call(1, CALL_END);
    assert_int_equal(expect_call(2, CALL_BEGIN)->info.colorAttachmentCount, 0);
    expect_call(3, CALL_END);
    const struct call *between =
        expect_call(4, CALL_BARRIER); /* of 0 -> 2; 2 -> 2 is the application's own to record */
    assert_int_equal(between->memory_count, 1);
    assert_int_equal(between->image_count, 0);
    assert_int_equal(between->memory[0].dstAccessMask, VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT);
    const struct call *last = expect_call(5, CALL_BEGIN);
    assert_int_equal(last->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_LOAD);
    assert_int_equal(last->colors[0].storeOp, VK_ATTACHMENT_STORE_OP_DONT_CARE);
    expect_call(6, CALL_END);
}

static void an_input_attachment_changes_its_layout_where_it_is_read(void **state)
{
    VkAttachmentDescription2 attachments[] = {
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, SAMPLED),
        color_attachment(VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_IMAGE_LAYOUT_UNDEFINED, ATTACHMENT_LAYOUT)};
    VkSubpassDescription2 subpasses[] = {subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL),
                                         subpass_of(0, 1, REF(OTHER, ATTACHMENT_LAYOUT), 1, REF(COLOR, SAMPLED), NULL)};
    VkSubpassDependency2 dependencies[] = {dependency(0, 1)};
    record_pass(create_pass(2, attachments, 2, subpasses, 1, dependencies));
    assert_int_equal(call_count, 6); /* nothing is left to do at the end */
    assert_int_equal(expect_call(0, CALL_BARRIER)->image_count, 1);
    const struct call *first = expect_call(1, CALL_BEGIN);
    assert_int_equal(first->colors[0].storeOp, VK_ATTACHMENT_STORE_OP_STORE); /* the input reads it */
    const struct call *between = expect_call(3, CALL_BARRIER);
    assert_int_equal(between->image_count, 2);
    expect_transition(&between->images[0], OTHER, VK_IMAGE_LAYOUT_UNDEFINED, ATTACHMENT_LAYOUT);
    expect_transition(&between->images[1], COLOR, ATTACHMENT_LAYOUT, SAMPLED);
    assert_true(between->images[1].srcAccessMask & VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
    assert_true(between->images[1].dstAccessMask & VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT);
    expect_call(4, CALL_BEGIN);
    expect_call(5, CALL_END);
}

static void an_attachment_that_is_only_read_is_cleared_once_before_the_subpass(void **state)
{
    VkAttachmentDescription2 attachments[] = {
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL),
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT)};
    VkAttachmentReference2 twice[] = {*REF(COLOR, VK_IMAGE_LAYOUT_GENERAL), *REF(COLOR, VK_IMAGE_LAYOUT_GENERAL)};
    VkSubpassDescription2 subpass = subpass_of(0, 1, REF(OTHER, ATTACHMENT_LAYOUT), 2, twice, NULL);
    VkSubpassDescription2 subpasses[] = {subpass, subpass};
    record_pass(create_pass(2, attachments, 2, subpasses, 0, NULL));
    assert_int_equal(call_count, 8);
    const struct call *before = expect_call(0, CALL_BARRIER);
    expect_transition(&before->images[0], COLOR, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    assert_true(before->images[0].dstAccessMask & VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT);
    const struct call *clear = expect_call(1, CALL_BEGIN);
    assert_ptr_equal(clear->colors[0].imageView, view(COLOR));
    assert_int_equal(clear->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
    assert_int_equal(clear->colors[0].storeOp, VK_ATTACHMENT_STORE_OP_STORE);
    assert_int_equal(clear->colors[0].clearValue.color.uint32[0], 100);
    expect_call(2, CALL_END);
    assert_true(expect_call(3, CALL_BARRIER)->memory[0].dstAccessMask & VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT);
    assert_int_equal(expect_call(4, CALL_BEGIN)->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
    expect_call(5, CALL_END);
    assert_int_equal(expect_call(6, CALL_BEGIN)->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_LOAD);
    expect_call(7, CALL_END);
}

/* ---- joined subpasses ---- */

static VkSubpassDependency2 local(uint32_t src, uint32_t dst)
{
    VkSubpassDependency2 by_region = dependency(src, dst);
    by_region.dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT;
    return by_region;
}

static void join_passes(uint32_t max_colors)
{
    device.max_joined_colors = max_colors;
    device.next_subpass = next_subpass;
}

/* The first subpass draws COLOR and depth, the second OTHER, reading both. */
static VkRenderPass create_two_subpasses(const VkSubpassDependency2 *between)
{
    VkAttachmentDescription2 attachments[] = {
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, SAMPLED),
        color_attachment(VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_IMAGE_LAYOUT_UNDEFINED, SAMPLED),
        color_attachment(VK_ATTACHMENT_LOAD_OP_LOAD, SAMPLED, SAMPLED),
        depth_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_LOAD_OP_LOAD, DS_LAYOUT, DS_LAYOUT)};
    attachments[OTHER].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkAttachmentReference2 inputs[] = {*REF(COLOR, SAMPLED),
                                       *REF(DEPTH, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL)};
    VkSubpassDescription2 subpasses[] = {
        subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, REF(DEPTH, DS_LAYOUT)),
        subpass_of(0, 1, REF(OTHER, ATTACHMENT_LAYOUT), 2, inputs, NULL)};
    return create_pass(4, attachments, 2, subpasses, between ? 1 : 0, between);
}

static void subpasses_that_hand_over_pixels_are_one_rendering(void **state)
{
    VkSubpassDependency2 between = local(0, 1);
    join_passes(8);
    record_pass(create_two_subpasses(&between));
    assert_int_equal(call_count, 6);
    /* Barriers of the second subpass's new attachments come before the first begins. */
    const struct call *before = expect_call(0, CALL_BARRIER), *before_second = expect_call(1, CALL_BARRIER);
    assert_int_equal(before->image_count, 1);
    expect_transition(&before->images[0], COLOR, VK_IMAGE_LAYOUT_UNDEFINED, ATTACHMENT_LAYOUT);
    assert_int_equal(before_second->image_count, 1);
    expect_transition(&before_second->images[0], OTHER, VK_IMAGE_LAYOUT_UNDEFINED, ATTACHMENT_LAYOUT);
    const struct call *begin = expect_call(2, CALL_BEGIN), *next = expect_call(3, CALL_NEXT);
    assert_int_equal(begin->joined_count, 3);
    assert_ptr_equal(begin->colors[0].imageView, view(COLOR));
    assert_true(begin->has_depth && begin->has_stencil && !next->has_depth && !next->has_stencil);
    assert_ptr_equal(next->colors[0].imageView, view(OTHER));
    assert_int_equal(next->memory_count, 1);
    assert_int_equal(next->memory[0].dstAccessMask, VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT);
    expect_call(4, CALL_END);
    expect_call(5, CALL_BARRIER);
}

static void attachments_of_joined_subpasses_have_the_operations_of_all(void **state)
{
    VkSubpassDependency2 between = local(0, 1);
    join_passes(8);
    record_pass(create_two_subpasses(&between));
    const struct call *begin = expect_call(2, CALL_BEGIN);
    const struct vk_joined_attachment *color = &begin->joined[0], *other = &begin->joined[1],
                                      *depth = &begin->joined[2];
    assert_ptr_equal(color->info.imageView, view(COLOR));
    assert_int_equal(color->info.loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
    assert_int_equal(color->info.storeOp, VK_ATTACHMENT_STORE_OP_DONT_CARE); /* what the second reads is there */
    assert_int_equal(color->info.clearValue.color.uint32[0], 100 + COLOR);
    assert_ptr_equal(other->info.imageView, view(OTHER));
    assert_int_equal(other->info.loadOp, VK_ATTACHMENT_LOAD_OP_DONT_CARE);
    assert_int_equal(other->info.storeOp, VK_ATTACHMENT_STORE_OP_STORE);
    assert_int_equal(depth->aspects, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
    assert_int_equal(depth->info.loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
    assert_int_equal(depth->stencil.loadOp, VK_ATTACHMENT_LOAD_OP_LOAD);
    assert_int_equal(depth->info.storeOp, VK_ATTACHMENT_STORE_OP_DONT_CARE);
    assert_int_equal(depth->stencil.storeOp, VK_ATTACHMENT_STORE_OP_STORE);
}

static void expect_apart(VkRenderPass pass)
{
    unsigned begun = 0;
    record_pass(pass);
    for (unsigned i = 0; i < call_count; i++) {
        assert_int_not_equal(calls[i].kind, CALL_NEXT);
        assert_int_equal(calls[i].joined_count, 0);
        begun += calls[i].kind == CALL_BEGIN;
    }
    assert_int_equal(begun, 2);
    call_count = 0;
}

static void what_looks_at_other_pixels_keeps_subpasses_apart(void **state)
{
    VkSubpassDependency2 everywhere = dependency(0, 1), by_vertices = local(0, 1), chained = local(0, 1);
    VkMemoryBarrier2 compute = vk_struct_init(VkMemoryBarrier2);
    by_vertices.dstStageMask = VK_PIPELINE_STAGE_VERTEX_SHADER_BIT;
    compute.srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    compute.dstStageMask = VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
    chained.pNext = &compute;
    join_passes(8);
    expect_apart(create_two_subpasses(&everywhere));
    expect_apart(create_two_subpasses(&by_vertices));
    expect_apart(create_two_subpasses(&chained));
}

static void more_colours_than_there_is_room_for_keep_subpasses_apart(void **state)
{
    VkSubpassDependency2 between = local(0, 1);
    join_passes(1);
    expect_apart(create_two_subpasses(&between));
    join_passes(0);
    expect_apart(create_two_subpasses(&between));
}

static void a_resolve_that_is_read_keeps_subpasses_apart(void **state)
{
    VkAttachmentDescription2 attachments[] = {
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT),
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT),
        color_attachment(VK_ATTACHMENT_LOAD_OP_DONT_CARE, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT)};
    VkSubpassDependency2 between = local(0, 1);
    VkSubpassDescription2 subpasses[] = {subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL),
                                         subpass_of(0, 1, REF(OTHER, ATTACHMENT_LAYOUT), 1, REF(PLAIN, SAMPLED), NULL)};
    attachments[COLOR].samples = VK_SAMPLE_COUNT_4_BIT;
    subpasses[0].pResolveAttachments = REF(PLAIN, ATTACHMENT_LAYOUT);
    join_passes(8);
    expect_apart(create_pass(3, attachments, 2, subpasses, 1, &between));
    /* Nothing looks at it: resolved when the rendering ends. */
    subpasses[1] = subpass_of(0, 1, REF(OTHER, ATTACHMENT_LAYOUT), 1, REF(COLOR, SAMPLED), NULL);
    record_pass(create_pass(3, attachments, 2, subpasses, 1, &between));
    const struct call *begin = expect_call(0, CALL_BEGIN);
    assert_int_equal(begin->joined_count, 2);
    assert_ptr_equal(begin->joined[0].info.resolveImageView, view(PLAIN));
    assert_int_equal(begin->joined[0].info.resolveMode, VK_RESOLVE_MODE_AVERAGE_BIT);
    assert_int_equal(begin->joined[1].info.resolveMode, VK_RESOLVE_MODE_NONE);
    expect_call(1, CALL_NEXT);
    expect_call(2, CALL_END);
}

/* The third waits for all vertices, so two renderings are left, and what it reads of the first is stored. */
static void subpasses_are_joined_as_far_as_they_can_be(void **state)
{
    VkAttachmentDescription2 attachments[] = {
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT),
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT),
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT)};
    VkSubpassDescription2 subpasses[] = {
        subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL),
        subpass_of(0, 1, REF(OTHER, ATTACHMENT_LAYOUT), 1, REF(COLOR, ATTACHMENT_LAYOUT), NULL),
        subpass_of(0, 1, REF(PLAIN, ATTACHMENT_LAYOUT), 1, REF(COLOR, ATTACHMENT_LAYOUT), NULL),
        subpass_of(0, 1, REF(PLAIN, ATTACHMENT_LAYOUT), 1, REF(OTHER, ATTACHMENT_LAYOUT), NULL)};
    VkSubpassDependency2 dependencies[] = {local(0, 1), local(0, 2), dependency(1, 2), local(2, 3)};
    join_passes(8);
    record_pass(create_pass(3, attachments, 4, subpasses, 4, dependencies));
    assert_int_equal(call_count, 7);
    const struct call *first = expect_call(0, CALL_BEGIN);
    expect_call(1, CALL_NEXT);
    expect_call(2, CALL_END);
    expect_call(3, CALL_BARRIER);
    const struct call *second = expect_call(4, CALL_BEGIN);
    assert_ptr_equal(expect_call(5, CALL_NEXT)->colors[0].imageView, view(PLAIN));
    expect_call(6, CALL_END);
    assert_int_equal(first->joined_count, 2);
    assert_int_equal(first->joined[COLOR].info.storeOp, VK_ATTACHMENT_STORE_OP_STORE);
    assert_int_equal(first->joined[OTHER].info.storeOp, VK_ATTACHMENT_STORE_OP_STORE);
    assert_int_equal(second->joined_count, 1);
    assert_int_equal(second->joined[0].info.loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
}

/* ---- depth and stencil ---- */

static void depth_and_stencil_go_together_where_their_layouts_do(void **state)
{
    VkAttachmentDescription2 depth =
        depth_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_LOAD_OP_LOAD, VK_IMAGE_LAYOUT_UNDEFINED,
                         VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL);
    VkSubpassDescription2 subpass = subpass_of(0, 0, NULL, 0, NULL, REF(0, DS_LAYOUT));
    VkRenderPass pass = create_pass(1, &depth, 1, &subpass, 0, NULL);
    VkImageView attachment = view(DEPTH);
    record_with(pass, 1, &attachment, 1, NULL);
    const struct call *before = expect_call(0, CALL_BARRIER);
    assert_int_equal(before->image_count, 1);
    assert_int_equal(before->images[0].subresourceRange.aspectMask,
                     VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
    const struct call *begin = expect_call(1, CALL_BEGIN);
    assert_true(begin->has_depth && begin->has_stencil);
    assert_int_equal(begin->depth.loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
    assert_int_equal(begin->stencil.loadOp, VK_ATTACHMENT_LOAD_OP_LOAD);
    assert_int_equal(begin->depth.storeOp, VK_ATTACHMENT_STORE_OP_DONT_CARE);
    assert_int_equal(begin->stencil.storeOp, VK_ATTACHMENT_STORE_OP_STORE);
    /* Only depth changes at the end. */
    const struct call *after = expect_call(3, CALL_BARRIER);
    assert_int_equal(after->image_count, 1);
    assert_int_equal(after->images[0].subresourceRange.aspectMask, VK_IMAGE_ASPECT_DEPTH_BIT);
    expect_transition(&after->images[0], DEPTH, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                      VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL);
}

static void separate_layouts_are_kept_apart(void **state)
{
    VkAttachmentDescriptionStencilLayout layouts = vk_struct_init(VkAttachmentDescriptionStencilLayout);
    layouts.stencilInitialLayout = VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL;
    layouts.stencilFinalLayout = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL;
    VkAttachmentDescription2 depth =
        depth_attachment(VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_LOAD_OP_LOAD,
                         VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL);
    depth.pNext = &layouts;
    VkAttachmentReferenceStencilLayout stencil = vk_struct_init(VkAttachmentReferenceStencilLayout);
    stencil.stencilLayout = VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL;
    VkAttachmentReference2 reference = *REF(0, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
    reference.pNext = &stencil;
    VkSubpassDescription2 subpass = subpass_of(0, 0, NULL, 0, NULL, &reference);
    VkRenderPass pass = create_pass(1, &depth, 1, &subpass, 0, NULL);
    VkImageView attachment = view(DEPTH);
    record_with(pass, 1, &attachment, 1, NULL);
    assert_int_equal(call_count, 3);
    const struct call *begin = expect_call(0, CALL_BEGIN);
    assert_int_equal(begin->depth.imageLayout, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
    assert_int_equal(begin->stencil.imageLayout, VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL);
    const struct call *after = expect_call(2, CALL_BARRIER);
    assert_int_equal(after->image_count, 2);
    assert_int_equal(after->images[0].subresourceRange.aspectMask, VK_IMAGE_ASPECT_DEPTH_BIT);
    assert_int_equal(after->images[1].subresourceRange.aspectMask, VK_IMAGE_ASPECT_STENCIL_BIT);
    expect_transition(&after->images[1], DEPTH, VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL,
                      VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL);
}

/* ---- resolves ---- */

static void resolves_average_colours_and_take_a_sample_of_integers(void **state)
{
    for (unsigned integer = 0; integer < 2; integer++) {
        call_count = 0;
        VkAttachmentDescription2 attachments[] = {
            color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT),
            color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, SAMPLED)};
        attachments[0].samples = VK_SAMPLE_COUNT_4_BIT;
        attachments[0].format = attachments[1].format = integer ? VK_FORMAT_R32_UINT : VK_FORMAT_R16G16B16A16_SFLOAT;
        VkSubpassDescription2 subpass = subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL);
        subpass.pResolveAttachments = REF(OTHER, ATTACHMENT_LAYOUT);
        record_pass(create_pass(2, attachments, 1, &subpass, 0, NULL));
        assert_int_equal(call_count, 4); /* the target is overwritten: its load operation clears nothing */
        const struct call *begin = expect_call(1, CALL_BEGIN);
        assert_int_equal(begin->colors[0].resolveMode,
                         integer ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT);
        assert_ptr_equal(begin->colors[0].resolveImageView, view(OTHER));
        assert_int_equal(begin->colors[0].resolveImageLayout, ATTACHMENT_LAYOUT);
    }
}

static void an_aspect_that_is_not_resolved_is_cleared(void **state)
{
    VkAttachmentDescription2 attachments[] = {
        depth_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_LOAD_OP_CLEAR, DS_LAYOUT, DS_LAYOUT),
        depth_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_LOAD_OP_CLEAR, DS_LAYOUT, DS_LAYOUT)};
    attachments[0].samples = VK_SAMPLE_COUNT_4_BIT;
    VkSubpassDescriptionDepthStencilResolve resolve = vk_struct_init(VkSubpassDescriptionDepthStencilResolve);
    resolve.depthResolveMode = VK_RESOLVE_MODE_MAX_BIT;
    resolve.stencilResolveMode = VK_RESOLVE_MODE_NONE;
    resolve.pDepthStencilResolveAttachment = REF(1, DS_LAYOUT);
    VkSubpassDescription2 subpass = subpass_of(0, 0, NULL, 0, NULL, REF(0, DS_LAYOUT));
    subpass.pNext = &resolve;
    record_pass(create_pass(2, attachments, 1, &subpass, 0, NULL));
    const struct call *clear = expect_call(0, CALL_BEGIN);
    assert_true(!clear->has_depth && clear->has_stencil);
    assert_ptr_equal(clear->stencil.imageView, view(1));
    assert_int_equal(clear->stencil.clearValue.color.uint32[0], 101);
    expect_call(1, CALL_END);
    expect_call(2, CALL_BARRIER);
    const struct call *begin = expect_call(3, CALL_BEGIN);
    assert_int_equal(begin->depth.resolveMode, VK_RESOLVE_MODE_MAX_BIT);
    assert_ptr_equal(begin->depth.resolveImageView, view(1));
    assert_int_equal(begin->stencil.resolveMode, VK_RESOLVE_MODE_NONE);
    assert_int_equal(begin->depth.loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
}

/* ---- feedback loops ---- */

static void a_loop_gets_the_layout_made_for_it_where_the_driver_knows_it(void **state)
{
    for (unsigned known = 0; known < 2; known++) {
        call_count = 0;
        physical.supported_extensions.EXT_attachment_feedback_loop_layout = known;
        VkImageLayout expected = known ? VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT : VK_IMAGE_LAYOUT_GENERAL;
        VkAttachmentDescription2 color =
            color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        VkSubpassDescription2 subpass =
            subpass_of(0, 1, REF(COLOR, VK_IMAGE_LAYOUT_GENERAL), 1, REF(COLOR, VK_IMAGE_LAYOUT_GENERAL), NULL);
        VkRenderPass pass = create_pass(1, &color, 1, &subpass, 0, NULL);
        struct vk_rendering_formats formats;
        vk_render_pass_formats(vk_render_pass_from_handle(pass), 0, &formats);
        assert_int_equal(formats.feedback_loop, VK_IMAGE_ASPECT_COLOR_BIT);
        record_pass(pass);
        expect_transition(&expect_call(0, CALL_BARRIER)->images[0], COLOR, VK_IMAGE_LAYOUT_UNDEFINED, expected);
        /* Cleared by the rendering, and by nothing else. */
        assert_int_equal(expect_call(1, CALL_BEGIN)->colors[0].imageLayout, expected);
        assert_int_equal(calls[1].colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
        assert_int_equal(call_count, known ? 4 : 3);
        if (known)
            expect_transition(&expect_call(3, CALL_BARRIER)->images[0], COLOR, expected, VK_IMAGE_LAYOUT_GENERAL);
    }
}

static void reading_what_is_not_written_is_no_loop(void **state)
{
    VkImageLayout read = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
    VkAttachmentDescription2 depth =
        depth_attachment(VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_LOAD_OP_LOAD, read, read);
    VkAttachmentReference2 input = *REF(0, read);
    input.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
    VkSubpassDescription2 subpass = subpass_of(0, 0, NULL, 1, &input, REF(0, read));
    VkRenderPass pass = create_pass(1, &depth, 1, &subpass, 0, NULL);
    assert_int_equal(vk_render_pass_from_handle(pass)->subpasses[0].feedback_loop, 0);
    vk_common_DestroyRenderPass(vk_device_to_handle(&device), pass, NULL);

    /* Stencil is written, but only depth is read: no loop, either. */
    VkImageLayout mixed = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL;
    input.layout = mixed;
    subpass.pDepthStencilAttachment = REF(0, mixed);
    pass = create_pass(1, &depth, 1, &subpass, 0, NULL);
    assert_int_equal(vk_render_pass_from_handle(pass)->subpasses[0].feedback_loop, 0);
    vk_common_DestroyRenderPass(vk_device_to_handle(&device), pass, NULL);

    input.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    pass = create_pass(1, &depth, 1, &subpass, 0, NULL);
    assert_int_equal(vk_render_pass_from_handle(pass)->subpasses[0].feedback_loop, VK_IMAGE_ASPECT_STENCIL_BIT);
    vk_common_DestroyRenderPass(vk_device_to_handle(&device), pass, NULL);
}

/* ---- multiview ---- */

static void every_view_is_cleared_by_the_first_subpass_that_has_it(void **state)
{
    VkAttachmentDescription2 color =
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, ATTACHMENT_LAYOUT);
    const VkAttachmentReference2 *reference = REF(COLOR, ATTACHMENT_LAYOUT);
    VkSubpassDescription2 subpasses[] = {subpass_of(0x1, 1, reference, 0, NULL, NULL),
                                         subpass_of(0xd, 1, reference, 0, NULL, NULL),
                                         subpass_of(0x4, 1, reference, 0, NULL, NULL)};
    record_pass(create_pass(1, &color, 3, subpasses, 0, NULL));
    /* The layout changes once, for the layers of all views, in runs. */
    const struct call *before = expect_call(0, CALL_BARRIER);
    assert_int_equal(before->image_count, 2);
    assert_int_equal(before->images[0].subresourceRange.baseArrayLayer, 2);
    assert_int_equal(before->images[0].subresourceRange.layerCount, 1);
    assert_int_equal(before->images[1].subresourceRange.baseArrayLayer, 4);
    assert_int_equal(before->images[1].subresourceRange.layerCount, 2);

    const struct call *first = expect_call(1, CALL_BEGIN);
    assert_int_equal(first->info.viewMask, 0x1);
    assert_int_equal(first->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
    assert_int_equal(first->colors[0].storeOp, VK_ATTACHMENT_STORE_OP_STORE);
    expect_call(2, CALL_END);
    const struct call *clear = expect_call(3, CALL_BEGIN);
    assert_int_equal(clear->info.viewMask, 0xc);
    assert_int_equal(clear->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_CLEAR);
    expect_call(4, CALL_END);
    expect_call(5, CALL_BARRIER);
    const struct call *second = expect_call(6, CALL_BEGIN);
    assert_int_equal(second->info.viewMask, 0xd);
    assert_int_equal(second->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_LOAD);
    assert_int_equal(second->colors[0].storeOp, VK_ATTACHMENT_STORE_OP_STORE);
    const struct call *third = expect_call(8, CALL_BEGIN);
    assert_int_equal(third->colors[0].loadOp, VK_ATTACHMENT_LOAD_OP_LOAD);
    assert_int_equal(third->colors[0].storeOp, VK_ATTACHMENT_STORE_OP_DONT_CARE);
    assert_int_equal(call_count, 10);
}

/* ---- framebuffers ---- */

static void layers_are_the_framebuffers_and_a_volume_is_one(void **state)
{
    VkAttachmentDescription2 color =
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, ATTACHMENT_LAYOUT);
    VkSubpassDescription2 subpass = subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL);
    VkImageView attachment = view(COLOR);
    record_with(create_pass(1, &color, 1, &subpass, 0, NULL), 1, &attachment, 5, NULL);
    assert_int_equal(expect_call(0, CALL_BARRIER)->images[0].subresourceRange.layerCount, 5);
    assert_int_equal(expect_call(1, CALL_BEGIN)->info.layerCount, 5);

    call_count = 0;
    images[COLOR].type = VK_IMAGE_TYPE_3D;
    record_with(create_pass(1, &color, 1, &subpass, 0, NULL), 1, &attachment, 5, NULL);
    assert_int_equal(expect_call(0, CALL_BARRIER)->images[0].subresourceRange.baseArrayLayer, 0);
    assert_int_equal(expect_call(0, CALL_BARRIER)->images[0].subresourceRange.layerCount, 1);
    assert_int_equal(expect_call(1, CALL_BEGIN)->info.layerCount, 5);
}

static void an_imageless_framebuffer_gets_its_views_when_recording_begins(void **state)
{
    VkDevice dev = vk_device_to_handle(&device);
    VkAttachmentDescription2 color =
        color_attachment(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_IMAGE_LAYOUT_UNDEFINED, ATTACHMENT_LAYOUT);
    VkSubpassDescription2 subpass = subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL);
    VkRenderPass pass = create_pass(1, &color, 1, &subpass, 0, NULL);
    VkFramebufferCreateInfo info = vk_struct_init(VkFramebufferCreateInfo);
    info.flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT;
    info.attachmentCount = 1;
    info.pAttachments = (const VkImageView *)8; /* ignored */
    info.width = info.height = info.layers = 1;
    VkFramebuffer framebuffer;
    assert_int_equal(vk_common_CreateFramebuffer(dev, &info, NULL, &framebuffer), VK_SUCCESS);
    VkImageView attachment = view(OTHER);
    VkRenderPassAttachmentBeginInfo attachments = vk_struct_init(VkRenderPassAttachmentBeginInfo);
    attachments.attachmentCount = 1;
    attachments.pAttachments = &attachment;
    VkRenderPassBeginInfo begin = vk_struct_init(VkRenderPassBeginInfo);
    begin.pNext = &attachments;
    begin.renderPass = pass;
    begin.framebuffer = framebuffer;
    begin.clearValueCount = 0;
    vk_common_CmdBeginRenderPass(command_buffer, &begin, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vk_common_CmdEndRenderPass(command_buffer);
    assert_ptr_equal(expect_call(1, CALL_BEGIN)->colors[0].imageView, view(OTHER));
    assert_int_equal(calls[1].info.flags, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vk_common_DestroyFramebuffer(dev, framebuffer, NULL);
    vk_common_DestroyRenderPass(dev, pass, NULL);
}

static void sample_locations_come_with_the_transitions_of_depth(void **state)
{
    VkAttachmentDescription2 depth = depth_attachment(VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_LOAD_OP_LOAD,
                                                      VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    VkSubpassDescription2 subpass = subpass_of(0, 0, NULL, 0, NULL, REF(0, DS_LAYOUT));
    VkRenderPass pass = create_pass(1, &depth, 1, &subpass, 0, NULL);
    VkSampleLocationEXT places[] = {{0.25f, 0.75f}, {0.5f, 0.5f}};
    VkAttachmentSampleLocationsEXT initial = {0, vk_struct_init(VkSampleLocationsInfoEXT)};
    initial.sampleLocationsInfo.sampleLocationsCount = 1;
    initial.sampleLocationsInfo.pSampleLocations = &places[0];
    VkSubpassSampleLocationsEXT after = {0, vk_struct_init(VkSampleLocationsInfoEXT)};
    after.sampleLocationsInfo.sampleLocationsCount = 1;
    after.sampleLocationsInfo.pSampleLocations = &places[1];
    VkRenderPassSampleLocationsBeginInfoEXT locations = vk_struct_init(VkRenderPassSampleLocationsBeginInfoEXT);
    locations.attachmentInitialSampleLocationsCount = 1;
    locations.pAttachmentInitialSampleLocations = &initial;
    locations.postSubpassSampleLocationsCount = 1;
    locations.pPostSubpassSampleLocations = &after;
    VkImageView attachment = view(DEPTH);
    record_with(pass, 1, &attachment, 1, &locations);
    const struct call *before = expect_call(0, CALL_BARRIER), *end = expect_call(3, CALL_BARRIER);
    assert_int_equal(before->locations[0].sampleLocationsCount, 1);
    assert_true(before->locations[0].pSampleLocations[0].x == 0.25f);
    assert_true(before->locations[0].pSampleLocations != &places[0]);
    assert_true(end->locations[0].pSampleLocations[0].x == 0.5f);
}

static void a_shading_rate_attachment_is_passed_on(void **state)
{
    VkAttachmentDescription2 attachments[] = {
        color_attachment(VK_ATTACHMENT_LOAD_OP_LOAD, ATTACHMENT_LAYOUT, ATTACHMENT_LAYOUT),
        color_attachment(VK_ATTACHMENT_LOAD_OP_LOAD, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL)};
    attachments[1].format = VK_FORMAT_R8_UINT;
    VkFragmentShadingRateAttachmentInfoKHR rate = vk_struct_init(VkFragmentShadingRateAttachmentInfoKHR);
    rate.pFragmentShadingRateAttachment = REF(1, VK_IMAGE_LAYOUT_FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR);
    rate.shadingRateAttachmentTexelSize = (VkExtent2D){8, 8};
    VkSubpassDescription2 subpass = subpass_of(0, 1, REF(COLOR, ATTACHMENT_LAYOUT), 0, NULL, NULL);
    subpass.pNext = &rate;
    record_pass(create_pass(2, attachments, 1, &subpass, 0, NULL));
    const struct call *begin = expect_call(1, CALL_BEGIN);
    assert_true(begin->has_rate);
    assert_ptr_equal(begin->rate.imageView, view(1));
    assert_int_equal(begin->rate.shadingRateAttachmentTexelSize.width, 8);
}

/* ---- the old structures, inheritance, memory ---- */

/* A recording that has what another one inherited keeps it for the same subpass alone. */
static void recordings_inherit(const VkCommandBufferBeginInfo *begin, const struct vk_subpass *subpass)
{
    const VkCommandBufferLevel secondary = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    struct vk_rendering rendering = {0}, zero = {0};
    vk_rendering_first(&rendering, secondary, begin);
    assert_true(rendering.active && rendering.inherited);
    assert_int_equal(rendering.subpass, subpass->serial);
    assert_int_equal(rendering.view_mask, subpass->view_mask);
    assert_int_equal(rendering.num_colors, 1);
    assert_int_equal(rendering.colors[0].format, VK_FORMAT_R8G8B8A8_UNORM);
    assert_int_equal(rendering.stencil.format, VK_FORMAT_D32_SFLOAT_S8_UINT);
    assert_int_equal(rendering.samples, VK_SAMPLE_COUNT_4_BIT);
    rendering.layers = 7; /* is not written again */
    vk_rendering_first(&rendering, secondary, begin);
    assert_int_equal(rendering.layers, 7);
    rendering.subpass++; /* of another one */
    vk_rendering_first(&rendering, secondary, begin);
    assert_int_equal(rendering.layers, 0);
    assert_int_equal(rendering.subpass, subpass->serial);
    vk_rendering_begin(&rendering, &(const VkRenderingInfo){.layerCount = 3});
    vk_rendering_first(&rendering, secondary, begin);
    assert_int_equal(rendering.layers, 0);
    assert_true(rendering.inherited);
    vk_rendering_first(&rendering, VK_COMMAND_BUFFER_LEVEL_PRIMARY, begin);
    assert_memory_equal(&rendering, &zero, sizeof(zero));
}

static void the_old_structures_make_the_same_plan(void **state)
{
    VkAttachmentDescription attachments[] = {{.format = VK_FORMAT_R8G8B8A8_UNORM,
                                              .samples = VK_SAMPLE_COUNT_4_BIT,
                                              .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                              .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                              .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                              .finalLayout = SAMPLED},
                                             {.format = VK_FORMAT_D32_SFLOAT_S8_UINT,
                                              .samples = VK_SAMPLE_COUNT_4_BIT,
                                              .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                              .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
                                              .initialLayout = VK_IMAGE_LAYOUT_GENERAL,
                                              .finalLayout = VK_IMAGE_LAYOUT_GENERAL}};
    VkAttachmentReference color = {0, ATTACHMENT_LAYOUT}, depth = {1, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass = {.inputAttachmentCount = 1,
                                    .pInputAttachments = &depth,
                                    .colorAttachmentCount = 1,
                                    .pColorAttachments = &color,
                                    .pDepthStencilAttachment = &depth};
    VkInputAttachmentAspectReference aspect = {0, 0, VK_IMAGE_ASPECT_STENCIL_BIT};
    VkRenderPassInputAttachmentAspectCreateInfo aspects = vk_struct_init(VkRenderPassInputAttachmentAspectCreateInfo);
    aspects.aspectReferenceCount = 1;
    aspects.pAspectReferences = &aspect;
    uint32_t view_mask = 0x6, correlation = 0x6;
    VkRenderPassMultiviewCreateInfo multiview = vk_struct_init(VkRenderPassMultiviewCreateInfo);
    multiview.pNext = &aspects;
    multiview.subpassCount = 1;
    multiview.pViewMasks = &view_mask;
    multiview.correlationMaskCount = 1;
    multiview.pCorrelationMasks = &correlation;
    VkSubpassDependency dependency = {VK_SUBPASS_EXTERNAL,
                                      0,
                                      VK_PIPELINE_STAGE_TRANSFER_BIT,
                                      VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                      VK_ACCESS_TRANSFER_WRITE_BIT,
                                      VK_ACCESS_SHADER_READ_BIT,
                                      VK_DEPENDENCY_BY_REGION_BIT};
    VkRenderPassCreateInfo info = vk_struct_init(VkRenderPassCreateInfo);
    info.pNext = &multiview;
    info.attachmentCount = 2;
    info.pAttachments = attachments;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    VkRenderPass handle;
    assert_int_equal(vk_common_CreateRenderPass(vk_device_to_handle(&device), &info, NULL, &handle), VK_SUCCESS);

    const struct vk_render_pass *pass = vk_render_pass_from_handle(handle);
    assert_int_equal(pass->attachment_count, 2);
    assert_int_equal(pass->view_mask, 0x6);
    assert_int_equal(pass->subpasses[0].samples, VK_SAMPLE_COUNT_4_BIT);
    assert_int_equal(pass->subpasses[0].feedback_loop, VK_IMAGE_ASPECT_STENCIL_BIT);
    assert_int_equal(pass->subpasses[0].inputs[0].aspects, VK_IMAGE_ASPECT_STENCIL_BIT);
    assert_int_equal(pass->subpasses[0].before.src_stages, VK_PIPELINE_STAGE_2_TRANSFER_BIT);
    assert_int_equal(pass->subpasses[0].before.dst_access, VK_ACCESS_2_SHADER_READ_BIT);
    assert_int_equal(pass->subpasses[0].before.transition_count, 1);
    assert_int_equal(pass->after.transition_count, 1);

    struct vk_rendering_formats formats;
    vk_render_pass_formats(pass, 0, &formats);
    assert_int_equal(formats.view_mask, 0x6);
    assert_int_equal(formats.color_count, 1);
    assert_int_equal(formats.color_formats[0], VK_FORMAT_R8G8B8A8_UNORM);
    assert_int_equal(formats.depth_format, VK_FORMAT_D32_SFLOAT_S8_UINT);
    assert_int_equal(formats.stencil_format, VK_FORMAT_D32_SFLOAT_S8_UINT);

    VkExtent2D granularity;
    vk_common_GetRenderAreaGranularity(vk_device_to_handle(&device), handle, &granularity);
    assert_true(granularity.width == 1 && granularity.height == 1);
    device.area_granularity = (VkExtent2D){16, 4};
    vk_common_GetRenderAreaGranularity(vk_device_to_handle(&device), handle, &granularity);
    assert_true(granularity.width == 16 && granularity.height == 4);

    /* A secondary command buffer inherits the formats from here, or from the chain. */
    VkCommandBufferInheritanceInfo inheritance = vk_struct_init(VkCommandBufferInheritanceInfo);
    inheritance.renderPass = handle;
    VkCommandBufferBeginInfo begin = vk_struct_init(VkCommandBufferBeginInfo);
    begin.pInheritanceInfo = &inheritance;
    VkCommandBufferInheritanceRenderingInfo storage, given = vk_struct_init(VkCommandBufferInheritanceRenderingInfo);
    VkCommandBufferLevel secondary = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    assert_null(vk_inheritance_rendering_info(secondary, &begin, &storage)); /* continues nothing */
    begin.flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
    assert_null(vk_inheritance_rendering_info(VK_COMMAND_BUFFER_LEVEL_PRIMARY, &begin, &storage));
    const VkCommandBufferInheritanceRenderingInfo *inherited =
        vk_inheritance_rendering_info(secondary, &begin, &storage);
    assert_non_null(inherited);
    assert_int_equal(inherited->viewMask, 0x6);
    assert_int_equal(inherited->colorAttachmentCount, 1);
    assert_int_equal(inherited->pColorAttachmentFormats[0], VK_FORMAT_R8G8B8A8_UNORM);
    assert_int_equal(inherited->stencilAttachmentFormat, VK_FORMAT_D32_SFLOAT_S8_UINT);
    assert_int_equal(inherited->rasterizationSamples, VK_SAMPLE_COUNT_4_BIT);
    assert_int_equal(vk_inheritance_feedback_loop(secondary, &begin), VK_IMAGE_ASPECT_STENCIL_BIT);
    assert_ptr_equal(vk_inheritance_subpass(secondary, &begin), &pass->subpasses[0]);
    assert_null(vk_inheritance_subpass(VK_COMMAND_BUFFER_LEVEL_PRIMARY, &begin));
    recordings_inherit(&begin, &pass->subpasses[0]);
    inheritance.renderPass = VK_NULL_HANDLE;
    inheritance.pNext = &given;
    assert_ptr_equal(vk_inheritance_rendering_info(secondary, &begin, &storage), &given);
    assert_null(vk_inheritance_subpass(secondary, &begin));
    vk_common_DestroyRenderPass(vk_device_to_handle(&device), handle, NULL);
}

static void without_memory_there_is_an_error_and_no_leak(void **state)
{
    VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM, .samples = VK_SAMPLE_COUNT_1_BIT};
    VkAttachmentReference color = {0, ATTACHMENT_LAYOUT};
    VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &color};
    VkRenderPassCreateInfo info = vk_struct_init(VkRenderPassCreateInfo);
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    VkRenderPass pass;
    VkDevice dev = vk_device_to_handle(&device);
    int before = alive;
    for (int left = 0; left < 2; left++) {
        allocations_left = left;
        assert_int_equal(vk_common_CreateRenderPass(dev, &info, NULL, &pass), VK_ERROR_OUT_OF_HOST_MEMORY);
        assert_int_equal(alive, before);
    }
    allocations_left = -1;
    assert_int_equal(vk_common_CreateRenderPass(dev, &info, NULL, &pass), VK_SUCCESS);

    VkFramebufferCreateInfo framebuffer_info = vk_struct_init(VkFramebufferCreateInfo);
    VkFramebuffer framebuffer;
    allocations_left = 0;
    assert_int_equal(vk_common_CreateFramebuffer(dev, &framebuffer_info, NULL, &framebuffer),
                     VK_ERROR_OUT_OF_HOST_MEMORY);
    allocations_left = -1;
    VkImageView attachment_view = view(COLOR);
    framebuffer_info.attachmentCount = 1;
    framebuffer_info.pAttachments = &attachment_view;
    assert_int_equal(vk_common_CreateFramebuffer(dev, &framebuffer_info, NULL, &framebuffer), VK_SUCCESS);

    VkCommandBufferBeginInfo begin_info = vk_struct_init(VkCommandBufferBeginInfo);
    vk_command_buffer_begin(vk_command_buffer_from_handle(command_buffer), &begin_info);
    VkRenderPassBeginInfo begin = vk_struct_init(VkRenderPassBeginInfo);
    begin.renderPass = pass;
    begin.framebuffer = framebuffer;
    allocations_left = 0;
    vk_common_CmdBeginRenderPass(command_buffer, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vk_common_CmdNextSubpass(command_buffer, VK_SUBPASS_CONTENTS_INLINE);
    vk_common_CmdEndRenderPass(command_buffer);
    allocations_left = -1;
    assert_int_equal(call_count, 0);
    assert_int_equal(vk_command_buffer_end(vk_command_buffer_from_handle(command_buffer)), VK_ERROR_OUT_OF_HOST_MEMORY);
    vk_common_DestroyFramebuffer(dev, framebuffer, NULL);
    vk_common_DestroyRenderPass(dev, pass, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pass_of_one_subpass_is_a_rendering_between_two_barriers),
        TEST(without_transitions_and_dependencies_there_is_no_barrier),
        TEST(declared_dependencies_replace_the_implicit_ones),
        TEST(an_unused_attachment_changes_its_layout_and_nothing_else),
        TEST(an_attachment_is_cleared_by_the_first_subpass_alone_and_stored_between),
        TEST(an_input_attachment_changes_its_layout_where_it_is_read),
        TEST(an_attachment_that_is_only_read_is_cleared_once_before_the_subpass),
        TEST(subpasses_that_hand_over_pixels_are_one_rendering),
        TEST(attachments_of_joined_subpasses_have_the_operations_of_all),
        TEST(what_looks_at_other_pixels_keeps_subpasses_apart),
        TEST(more_colours_than_there_is_room_for_keep_subpasses_apart),
        TEST(a_resolve_that_is_read_keeps_subpasses_apart),
        TEST(subpasses_are_joined_as_far_as_they_can_be),
        TEST(depth_and_stencil_go_together_where_their_layouts_do),
        TEST(separate_layouts_are_kept_apart),
        TEST(resolves_average_colours_and_take_a_sample_of_integers),
        TEST(an_aspect_that_is_not_resolved_is_cleared),
        TEST(a_loop_gets_the_layout_made_for_it_where_the_driver_knows_it),
        TEST(reading_what_is_not_written_is_no_loop),
        TEST(every_view_is_cleared_by_the_first_subpass_that_has_it),
        TEST(layers_are_the_framebuffers_and_a_volume_is_one),
        TEST(an_imageless_framebuffer_gets_its_views_when_recording_begins),
        TEST(sample_locations_come_with_the_transitions_of_depth),
        TEST(a_shading_rate_attachment_is_passed_on),
        TEST(the_old_structures_make_the_same_plan),
        TEST(without_memory_there_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
