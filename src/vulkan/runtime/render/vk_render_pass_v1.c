/* Render passes as Vulkan 1.0 spells them: converted to the newer structures and handed to the newer commands. */
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_object.h"
#include "vulkan/runtime/object/vk_struct.h"

/* Arrays of the newer structures, filled one after the other. */
struct conversion {
    const VkRenderPassInputAttachmentAspectCreateInfo *aspects;
    const VkRenderPassMultiviewCreateInfo *multiview;
    VkAttachmentDescription2 *attachments;
    VkSubpassDescription2 *subpasses;
    VkSubpassDependency2 *dependencies;
    VkAttachmentReference2 *references; /* the next free one */
};

static uint32_t reference_count(const VkSubpassDescription *info)
{
    return info->inputAttachmentCount + info->colorAttachmentCount * (info->pResolveAttachments ? 2 : 1) +
           (info->pDepthStencilAttachment ? 1 : 0);
}

static VkAttachmentReference2 *convert_references(struct conversion *conversion, const VkAttachmentReference *from,
                                                  uint32_t count)
{
    if (!from)
        return NULL;
    VkAttachmentReference2 *references = conversion->references;
    for (uint32_t i = 0; i < count; i++) {
        references[i] = vk_struct_init(VkAttachmentReference2);
        references[i].attachment = from[i].attachment;
        references[i].layout = from[i].layout;
    }
    conversion->references += count;
    return references;
}

static void convert_subpass(struct conversion *conversion, uint32_t index, const VkSubpassDescription *from)
{
    VkSubpassDescription2 *to = &conversion->subpasses[index];
    *to = vk_struct_init(VkSubpassDescription2);
    to->flags = from->flags;
    to->pipelineBindPoint = from->pipelineBindPoint;
    if (conversion->multiview && conversion->multiview->subpassCount)
        to->viewMask = conversion->multiview->pViewMasks[index];
    VkAttachmentReference2 *inputs =
        convert_references(conversion, from->pInputAttachments, from->inputAttachmentCount);
    to->inputAttachmentCount = from->inputAttachmentCount;
    to->pInputAttachments = inputs;
    to->colorAttachmentCount = from->colorAttachmentCount;
    to->pColorAttachments = convert_references(conversion, from->pColorAttachments, from->colorAttachmentCount);
    to->pResolveAttachments = convert_references(conversion, from->pResolveAttachments, from->colorAttachmentCount);
    to->pDepthStencilAttachment = convert_references(conversion, from->pDepthStencilAttachment, 1);
    to->preserveAttachmentCount = from->preserveAttachmentCount;
    to->pPreserveAttachments = from->pPreserveAttachments;
    for (uint32_t i = 0; conversion->aspects && i < conversion->aspects->aspectReferenceCount; i++) {
        const VkInputAttachmentAspectReference *aspect = &conversion->aspects->pAspectReferences[i];
        if (aspect->subpass == index)
            inputs[aspect->inputAttachmentIndex].aspectMask = aspect->aspectMask;
    }
}

static void convert_attachment(VkAttachmentDescription2 *to, const VkAttachmentDescription *from)
{
    *to = vk_struct_init(VkAttachmentDescription2);
    to->flags = from->flags;
    to->format = from->format;
    to->samples = from->samples;
    to->loadOp = from->loadOp;
    to->storeOp = from->storeOp;
    to->stencilLoadOp = from->stencilLoadOp;
    to->stencilStoreOp = from->stencilStoreOp;
    to->initialLayout = from->initialLayout;
    to->finalLayout = from->finalLayout;
}

static void convert_dependency(const struct conversion *conversion, uint32_t index, const VkSubpassDependency *from)
{
    VkSubpassDependency2 *to = &conversion->dependencies[index];
    *to = vk_struct_init(VkSubpassDependency2);
    to->srcSubpass = from->srcSubpass;
    to->dstSubpass = from->dstSubpass;
    to->srcStageMask = from->srcStageMask;
    to->dstStageMask = from->dstStageMask;
    to->srcAccessMask = from->srcAccessMask;
    to->dstAccessMask = from->dstAccessMask;
    to->dependencyFlags = from->dependencyFlags;
    if (conversion->multiview && conversion->multiview->dependencyCount)
        to->viewOffset = conversion->multiview->pViewOffsets[index];
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateRenderPass(VkDevice handle, const VkRenderPassCreateInfo *info,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkRenderPass *pass_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    size_t references = 0;
    for (uint32_t i = 0; i < info->subpassCount; i++)
        references += reference_count(&info->pSubpasses[i]);

    /* All of these structures have the alignment of a pointer and may stand after each other. */
    size_t size_B = info->attachmentCount * sizeof(VkAttachmentDescription2) +
                    info->subpassCount * sizeof(VkSubpassDescription2) +
                    info->dependencyCount * sizeof(VkSubpassDependency2) + references * sizeof(VkAttachmentReference2);
    void *memory = vk_alloc(&device->alloc, allocator, size_B, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct conversion conversion = {
        .aspects = vk_find_struct_const(info->pNext, VkRenderPassInputAttachmentAspectCreateInfo),
        .multiview = vk_find_struct_const(info->pNext, VkRenderPassMultiviewCreateInfo),
        .attachments = memory,
    };
    conversion.subpasses = (VkSubpassDescription2 *)(conversion.attachments + info->attachmentCount);
    conversion.dependencies = (VkSubpassDependency2 *)(conversion.subpasses + info->subpassCount);
    conversion.references = (VkAttachmentReference2 *)(conversion.dependencies + info->dependencyCount);
    for (uint32_t i = 0; i < info->attachmentCount; i++)
        convert_attachment(&conversion.attachments[i], &info->pAttachments[i]);
    for (uint32_t i = 0; i < info->subpassCount; i++)
        convert_subpass(&conversion, i, &info->pSubpasses[i]);
    for (uint32_t i = 0; i < info->dependencyCount; i++)
        convert_dependency(&conversion, i, &info->pDependencies[i]);

    VkRenderPassCreateInfo2 converted = vk_struct_init(VkRenderPassCreateInfo2);
    converted.flags = info->flags;
    converted.attachmentCount = info->attachmentCount;
    converted.pAttachments = conversion.attachments;
    converted.subpassCount = info->subpassCount;
    converted.pSubpasses = conversion.subpasses;
    converted.dependencyCount = info->dependencyCount;
    converted.pDependencies = conversion.dependencies;
    if (conversion.multiview) {
        converted.correlatedViewMaskCount = conversion.multiview->correlationMaskCount;
        converted.pCorrelatedViewMasks = conversion.multiview->pCorrelationMasks;
    }
    VkResult result = device->dispatch.CreateRenderPass2(handle, &converted, allocator, pass_out);
    vk_free(&device->alloc, allocator, memory);
    return result;
}

static const struct vk_device_dispatch *dispatch_of(VkCommandBuffer handle)
{
    return &((struct vk_object_base *)handle)->device->dispatch;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBeginRenderPass(VkCommandBuffer handle, const VkRenderPassBeginInfo *info,
                                                        VkSubpassContents contents)
{
    VkSubpassBeginInfo begin = vk_struct_init(VkSubpassBeginInfo);
    begin.contents = contents;
    dispatch_of(handle)->CmdBeginRenderPass2(handle, info, &begin);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdNextSubpass(VkCommandBuffer handle, VkSubpassContents contents)
{
    VkSubpassBeginInfo begin = vk_struct_init(VkSubpassBeginInfo);
    VkSubpassEndInfo end = vk_struct_init(VkSubpassEndInfo);
    begin.contents = contents;
    dispatch_of(handle)->CmdNextSubpass2(handle, &begin, &end);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdEndRenderPass(VkCommandBuffer handle)
{
    VkSubpassEndInfo end = vk_struct_init(VkSubpassEndInfo);
    dispatch_of(handle)->CmdEndRenderPass2(handle, &end);
}
