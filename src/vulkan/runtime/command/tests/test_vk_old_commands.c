/* Older commands arrive as newer ones with every field in its place. The device's newer commands write down what they
 * get; the tests call the older ones and read it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/descriptor/vk_sampler.h"
#include "vulkan/runtime/descriptor/vk_ycbcr_conversion.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/memory/vk_device_memory.h"
#include "vulkan/runtime/object/vk_struct.h"

enum {
    MANY = 40 /* more than any array on a stack holds */
};

#define HANDLE(type, number) ((type)(uintptr_t)(number))

/* The arguments of the newer commands; arrays are copied, for they live no longer than the call. */
static struct {
    unsigned calls;
    VkDependencyInfo dependency, dependencies[MANY];
    VkMemoryBarrier2 memory[MANY], event_memory[MANY];
    VkBufferMemoryBarrier2 buffers[MANY];
    VkImageMemoryBarrier2 images[MANY];
    VkEvent event, events[MANY];
    uint32_t event_count;
    VkPipelineStageFlags2 stages;
    VkQueryPool pool;
    uint32_t query;

    VkCopyBufferInfo2 copy_buffer;
    VkBufferCopy2 buffer_regions[MANY];
    VkCopyImageInfo2 copy_image;
    VkImageCopy2 image_regions[MANY];
    VkCopyBufferToImageInfo2 to_image;
    VkCopyImageToBufferInfo2 to_buffer;
    VkBufferImageCopy2 mixed_regions[MANY];
    VkBlitImageInfo2 blit;
    VkImageBlit2 blit_regions[MANY];
    VkResolveImageInfo2 resolve;
    VkImageResolve2 resolve_regions[MANY];

    uint32_t numbers[6];
    const void *pointers[4];
    VkBindBufferMemoryInfo bind_buffer;
    VkBindImageMemoryInfo bind_image;
    VkBufferCreateInfo buffer_create;
    VkExternalMemoryHandleTypeFlags external;
    VkImageMemoryRequirementsInfo2 image_question;
    VkImageAspectFlagBits plane;
    VkImageSubresource subresource;
    unsigned images_alive;
    VkResult create_image_result;
} seen;

/* ---- the newer commands ---- */

#define COPY_ARRAY(to, from, count)                                                                                    \
    do {                                                                                                               \
        assert_in_range((count), 0, MANY);                                                                             \
        for (uint32_t element = 0; element < (count); element++)                                                       \
            (to)[element] = (from)[element];                                                                           \
    } while (0)

static VKAPI_ATTR void VKAPI_CALL barrier2(VkCommandBuffer handle, const VkDependencyInfo *info)
{
    seen.calls++;
    seen.dependency = *info;
    COPY_ARRAY(seen.memory, info->pMemoryBarriers, info->memoryBarrierCount);
    COPY_ARRAY(seen.buffers, info->pBufferMemoryBarriers, info->bufferMemoryBarrierCount);
    COPY_ARRAY(seen.images, info->pImageMemoryBarriers, info->imageMemoryBarrierCount);
}

static VKAPI_ATTR void VKAPI_CALL set_event2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo *info)
{
    barrier2(handle, info);
    seen.event = event;
}

static VKAPI_ATTR void VKAPI_CALL reset_event2(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags2 stages)
{
    seen.calls++;
    seen.event = event;
    seen.stages = stages;
}

static VKAPI_ATTR void VKAPI_CALL wait_events2(VkCommandBuffer handle, uint32_t count, const VkEvent *events,
                                               const VkDependencyInfo *infos)
{
    seen.event_count = count;
    COPY_ARRAY(seen.events, events, count);
    COPY_ARRAY(seen.dependencies, infos, count);
    for (uint32_t i = 0; i < count; i++)
        seen.event_memory[i] = infos[i].pMemoryBarriers[0];
    barrier2(handle, &infos[count - 1]);
}

static VKAPI_ATTR void VKAPI_CALL write_timestamp2(VkCommandBuffer handle, VkPipelineStageFlags2 stage,
                                                   VkQueryPool pool, uint32_t query)
{
    seen.calls++;
    seen.stages = stage;
    seen.pool = pool;
    seen.query = query;
}

#define RECORD_COPY(name, info_type, info_field, regions_field)                                                        \
    static VKAPI_ATTR void VKAPI_CALL name(VkCommandBuffer handle, const info_type *info)                              \
    {                                                                                                                  \
        seen.calls++;                                                                                                  \
        seen.info_field = *info;                                                                                       \
        COPY_ARRAY(seen.regions_field, info->pRegions, info->regionCount);                                             \
    }
RECORD_COPY(copy_buffer2, VkCopyBufferInfo2, copy_buffer, buffer_regions)
RECORD_COPY(copy_image2, VkCopyImageInfo2, copy_image, image_regions)
RECORD_COPY(copy_buffer_to_image2, VkCopyBufferToImageInfo2, to_image, mixed_regions)
RECORD_COPY(copy_image_to_buffer2, VkCopyImageToBufferInfo2, to_buffer, mixed_regions)
RECORD_COPY(blit_image2, VkBlitImageInfo2, blit, blit_regions)
RECORD_COPY(resolve_image2, VkResolveImageInfo2, resolve, resolve_regions)

static VKAPI_ATTR void VKAPI_CALL dispatch_base(VkCommandBuffer handle, uint32_t a, uint32_t b, uint32_t c, uint32_t x,
                                                uint32_t y, uint32_t z)
{
    seen.calls++;
    memcpy(seen.numbers, (uint32_t[]){a, b, c, x, y, z}, sizeof(seen.numbers));
}

static VKAPI_ATTR void VKAPI_CALL bind_vertex_buffers2(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                       const VkBuffer *buffers, const VkDeviceSize *offsets,
                                                       const VkDeviceSize *sizes, const VkDeviceSize *strides)
{
    seen.calls++;
    seen.numbers[0] = first, seen.numbers[1] = count;
    memcpy(seen.pointers, (const void *[]){buffers, offsets, sizes, strides}, sizeof(seen.pointers));
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_buffer_memory2(VkDevice handle, uint32_t count,
                                                          const VkBindBufferMemoryInfo *infos)
{
    seen.calls++;
    assert_int_equal(count, 1);
    seen.bind_buffer = infos[0];
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image_memory2(VkDevice handle, uint32_t count,
                                                         const VkBindImageMemoryInfo *infos)
{
    seen.calls++;
    assert_int_equal(count, 1);
    seen.bind_image = infos[0];
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL buffer_requirements(VkDevice handle, const VkDeviceBufferMemoryRequirements *info,
                                                      VkMemoryRequirements2 *requirements)
{
    seen.calls++;
    seen.buffer_create = *info->pCreateInfo;
    const VkExternalMemoryBufferCreateInfo *external =
        vk_find_struct_const(info->pCreateInfo->pNext, VkExternalMemoryBufferCreateInfo);
    seen.external = external ? external->handleTypes : 0;
    requirements->memoryRequirements = (VkMemoryRequirements){info->pCreateInfo->size + 1, 256, 0x5};
    VkMemoryDedicatedRequirements *dedicated = vk_find_struct(requirements->pNext, VkMemoryDedicatedRequirements);
    if (dedicated)
        dedicated->prefersDedicatedAllocation = VK_TRUE;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice handle, const VkImageCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkImage *image_out)
{
    if (seen.create_image_result != VK_SUCCESS)
        return seen.create_image_result;
    seen.images_alive++;
    *image_out = HANDLE(VkImage, 0x1000 + info->extent.width);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice handle, VkImage image, const VkAllocationCallbacks *allocator)
{
    seen.images_alive--;
}

static VKAPI_ATTR void VKAPI_CALL image_requirements2(VkDevice handle, const VkImageMemoryRequirementsInfo2 *info,
                                                      VkMemoryRequirements2 *requirements)
{
    seen.calls++;
    seen.image_question = *info;
    const VkImagePlaneMemoryRequirementsInfo *plane =
        vk_find_struct_const(info->pNext, VkImagePlaneMemoryRequirementsInfo);
    seen.plane = plane ? plane->planeAspect : 0;
    requirements->memoryRequirements = (VkMemoryRequirements){(uintptr_t)info->image, 65536, 0x3};
}

static VKAPI_ATTR void VKAPI_CALL subresource_layout2(VkDevice handle, VkImage image,
                                                      const VkImageSubresource2EXT *subresource,
                                                      VkSubresourceLayout2EXT *layout)
{
    seen.calls++;
    seen.subresource = subresource->imageSubresource;
    layout->subresourceLayout = (VkSubresourceLayout){1, 2, 3, 4, 5};
}

static VKAPI_ATTR void VKAPI_CALL sparse_requirements2(VkDevice handle,
                                                       const VkImageSparseMemoryRequirementsInfo2 *info,
                                                       uint32_t *count, VkSparseImageMemoryRequirements2 *requirements)
{
    seen.calls++;
    if (!requirements) {
        *count = MANY;
        return;
    }
    for (uint32_t i = 0; i < *count; i++) {
        assert_int_equal(requirements[i].sType, VK_STRUCTURE_TYPE_SPARSE_IMAGE_MEMORY_REQUIREMENTS_2);
        requirements[i].memoryRequirements.imageMipTailSize = 100 + i;
    }
}

/* ---- the world ---- */

static unsigned allocations, allocations_left; /* alive; before one fails */

static VKAPI_ATTR void *VKAPI_CALL allocate_memory(void *user, size_t size_B, size_t alignment_B,
                                                   VkSystemAllocationScope scope)
{
    assert_int_equal(scope, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (allocations_left-- == 0)
        return NULL;
    allocations++;
    return aligned_alloc(alignment_B, align_u64(size_B, alignment_B));
}

static VKAPI_ATTR void VKAPI_CALL release_memory(void *user, void *memory)
{
    allocations--;
    free(memory);
}

static struct vk_instance instance;
static struct vk_physical_device physical;
static struct vk_device device;
static struct vk_icd icd;
static struct vk_command_pool pool;
static struct vk_command_buffer command_buffer;
static const struct vk_driver driver = {.name = "test"};
static const struct vk_device_extensions no_extensions;
static const struct vk_features no_features;
static const struct vk_physical_device_dispatch no_commands;
static const struct vk_device_dispatch newer = {
    .CmdPipelineBarrier2 = barrier2,
    .CmdSetEvent2 = set_event2,
    .CmdResetEvent2 = reset_event2,
    .CmdWaitEvents2 = wait_events2,
    .CmdWriteTimestamp2 = write_timestamp2,
    .CmdCopyBuffer2 = copy_buffer2,
    .CmdCopyImage2 = copy_image2,
    .CmdCopyBufferToImage2 = copy_buffer_to_image2,
    .CmdCopyImageToBuffer2 = copy_image_to_buffer2,
    .CmdBlitImage2 = blit_image2,
    .CmdResolveImage2 = resolve_image2,
    .CmdDispatchBase = dispatch_base,
    .CmdBindVertexBuffers2 = bind_vertex_buffers2,
    .BindBufferMemory2 = bind_buffer_memory2,
    .BindImageMemory2 = bind_image_memory2,
    .GetDeviceBufferMemoryRequirements = buffer_requirements,
    .CreateImage = create_image,
    .DestroyImage = destroy_image,
    .GetImageMemoryRequirements2 = image_requirements2,
    .GetImageSubresourceLayout2EXT = subresource_layout2,
};

static int setup(void **state)
{
    instance = (struct vk_instance){.icd = &icd, .alloc = vk_default_allocator, .api_version = VK_API_VERSION_1_3};
    struct vk_physical_device_info info = {.driver = &driver,
                                           .api_version = VK_API_VERSION_1_3,
                                           .entrypoints = &no_commands,
                                           .supported_extensions = &no_extensions,
                                           .supported_features = &no_features};
    VkDeviceCreateInfo create = vk_struct_init(VkDeviceCreateInfo);
    if (vk_physical_device_init(&physical, &instance, &info) != VK_SUCCESS)
        return -1;
    return vk_device_init(&device, &physical, &create, NULL, &newer, NULL, 0);
}

static int teardown(void **state)
{
    vk_device_finish(&device);
    vk_physical_device_finish(&physical);
    return 0;
}

static int begin_test(void **state)
{
    memset(&seen, 0, sizeof(seen));
    allocations = 0;
    allocations_left = UINT32_MAX;
    pool.alloc = (VkAllocationCallbacks){.pfnAllocation = allocate_memory, .pfnFree = release_memory};
    memset(&command_buffer, 0, sizeof(command_buffer));
    vk_object_base_init(&command_buffer.base, &device, VK_OBJECT_TYPE_COMMAND_BUFFER);
    command_buffer.pool = &pool;
    return 0;
}

/* Nothing that a command allocated outlives it. */
static int end_test(void **state)
{
    return allocations == 0 ? 0 : -1;
}

static VkCommandBuffer cmd(void)
{
    return vk_command_buffer_to_handle(&command_buffer);
}

static VkDevice dev(void)
{
    return vk_device_to_handle(&device);
}

/* Bytes that differ from each other, so that a field in the wrong place is noticed. */
static void scramble_bytes(void *memory, size_t size_B, uint8_t seed)
{
    for (size_t i = 0; i < size_B; i++)
        ((uint8_t *)memory)[i] = (uint8_t)(seed + i * 7 + 1);
}

/* ---- copies ---- */

/* The older region is the newer one without its head, for all six. */
#define assert_regions(new_regions, new_type, old, old_first, new_first, count)                                        \
    for (unsigned i = 0; i < (count); i++) {                                                                           \
        assert_int_equal((new_regions)[i].sType, VK_TYPE_OF_##new_type);                                               \
        assert_null((new_regions)[i].pNext);                                                                           \
        assert_memory_equal(&(new_regions)[i].new_first, &(old)[i].old_first, sizeof((old)[0]));                       \
    }

static const unsigned region_counts[] = {1, 16, 17, MANY};

static void copies_of_buffers_keep_their_regions(void **state)
{
    VkBufferCopy old[MANY];
    scramble_bytes(old, sizeof(old), 3);
    for (unsigned c = 0; c < ARRAY_SIZE(region_counts); c++) {
        vk_common_CmdCopyBuffer(cmd(), HANDLE(VkBuffer, 11), HANDLE(VkBuffer, 12), region_counts[c], old);
        assert_int_equal(seen.calls, c + 1);
        assert_int_equal(seen.copy_buffer.sType, VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2);
        assert_null(seen.copy_buffer.pNext);
        assert_true(seen.copy_buffer.srcBuffer == HANDLE(VkBuffer, 11));
        assert_true(seen.copy_buffer.dstBuffer == HANDLE(VkBuffer, 12));
        assert_int_equal(seen.copy_buffer.regionCount, region_counts[c]);
        assert_regions(seen.buffer_regions, VkBufferCopy2, old, srcOffset, srcOffset, region_counts[c]);
    }
}

static void copies_of_images_keep_their_regions(void **state)
{
    VkImageCopy old[MANY];
    scramble_bytes(old, sizeof(old), 4);
    for (unsigned c = 0; c < ARRAY_SIZE(region_counts); c++) {
        vk_common_CmdCopyImage(cmd(), HANDLE(VkImage, 21), VK_IMAGE_LAYOUT_GENERAL, HANDLE(VkImage, 22),
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, region_counts[c], old);
        assert_int_equal(seen.copy_image.sType, VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2);
        assert_true(seen.copy_image.srcImage == HANDLE(VkImage, 21));
        assert_int_equal(seen.copy_image.srcImageLayout, VK_IMAGE_LAYOUT_GENERAL);
        assert_true(seen.copy_image.dstImage == HANDLE(VkImage, 22));
        assert_int_equal(seen.copy_image.dstImageLayout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        assert_int_equal(seen.copy_image.regionCount, region_counts[c]);
        assert_regions(seen.image_regions, VkImageCopy2, old, srcSubresource, srcSubresource, region_counts[c]);
    }
}

static void copies_between_buffers_and_images_keep_their_regions(void **state)
{
    VkBufferImageCopy old[MANY];
    scramble_bytes(old, sizeof(old), 5);
    for (unsigned c = 0; c < ARRAY_SIZE(region_counts); c++) {
        vk_common_CmdCopyBufferToImage(cmd(), HANDLE(VkBuffer, 31), HANDLE(VkImage, 32), VK_IMAGE_LAYOUT_GENERAL,
                                       region_counts[c], old);
        assert_int_equal(seen.to_image.sType, VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2);
        assert_true(seen.to_image.srcBuffer == HANDLE(VkBuffer, 31));
        assert_true(seen.to_image.dstImage == HANDLE(VkImage, 32));
        assert_int_equal(seen.to_image.dstImageLayout, VK_IMAGE_LAYOUT_GENERAL);
        assert_int_equal(seen.to_image.regionCount, region_counts[c]);
        assert_regions(seen.mixed_regions, VkBufferImageCopy2, old, bufferOffset, bufferOffset, region_counts[c]);
        memset(seen.mixed_regions, 0, sizeof(seen.mixed_regions));

        vk_common_CmdCopyImageToBuffer(cmd(), HANDLE(VkImage, 33), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                       HANDLE(VkBuffer, 34), region_counts[c], old);
        assert_int_equal(seen.to_buffer.sType, VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2);
        assert_true(seen.to_buffer.srcImage == HANDLE(VkImage, 33));
        assert_int_equal(seen.to_buffer.srcImageLayout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        assert_true(seen.to_buffer.dstBuffer == HANDLE(VkBuffer, 34));
        assert_int_equal(seen.to_buffer.regionCount, region_counts[c]);
        assert_regions(seen.mixed_regions, VkBufferImageCopy2, old, bufferOffset, bufferOffset, region_counts[c]);
    }
}

static void blits_and_resolves_keep_their_regions(void **state)
{
    VkImageBlit blits[MANY];
    VkImageResolve resolves[MANY];
    scramble_bytes(blits, sizeof(blits), 6);
    scramble_bytes(resolves, sizeof(resolves), 7);
    for (unsigned c = 0; c < ARRAY_SIZE(region_counts); c++) {
        vk_common_CmdBlitImage(cmd(), HANDLE(VkImage, 41), VK_IMAGE_LAYOUT_GENERAL, HANDLE(VkImage, 42),
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, region_counts[c], blits, VK_FILTER_LINEAR);
        assert_int_equal(seen.blit.sType, VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2);
        assert_true(seen.blit.srcImage == HANDLE(VkImage, 41));
        assert_int_equal(seen.blit.srcImageLayout, VK_IMAGE_LAYOUT_GENERAL);
        assert_true(seen.blit.dstImage == HANDLE(VkImage, 42));
        assert_int_equal(seen.blit.dstImageLayout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        assert_int_equal(seen.blit.filter, VK_FILTER_LINEAR);
        assert_int_equal(seen.blit.regionCount, region_counts[c]);
        assert_regions(seen.blit_regions, VkImageBlit2, blits, srcSubresource, srcSubresource, region_counts[c]);

        vk_common_CmdResolveImage(cmd(), HANDLE(VkImage, 43), VK_IMAGE_LAYOUT_GENERAL, HANDLE(VkImage, 44),
                                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, region_counts[c], resolves);
        assert_int_equal(seen.resolve.sType, VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2);
        assert_true(seen.resolve.srcImage == HANDLE(VkImage, 43));
        assert_int_equal(seen.resolve.srcImageLayout, VK_IMAGE_LAYOUT_GENERAL);
        assert_true(seen.resolve.dstImage == HANDLE(VkImage, 44));
        assert_int_equal(seen.resolve.dstImageLayout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        assert_int_equal(seen.resolve.regionCount, region_counts[c]);
        assert_regions(seen.resolve_regions, VkImageResolve2, resolves, srcSubresource, srcSubresource,
                       region_counts[c]);
    }
}

/* ---- barriers and events ---- */

#define SRC_STAGES (VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT)
#define DST_STAGES (VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT)

static VkMemoryBarrier old_memory[MANY];
static VkBufferMemoryBarrier old_buffers[MANY];
static VkImageMemoryBarrier old_images[MANY];
static const VkSampleLocationsInfoEXT chained = {.sType = VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT};

static void make_barriers(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        old_memory[i] = vk_struct_init(VkMemoryBarrier);
        old_memory[i].srcAccessMask = 1u << (i % 17);
        old_memory[i].dstAccessMask = 2u << (i % 15);
        old_buffers[i] = (VkBufferMemoryBarrier){VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                                 NULL,
                                                 3u << (i % 13),
                                                 5u << (i % 11),
                                                 i,
                                                 i + 1,
                                                 HANDLE(VkBuffer, 100 + i),
                                                 1000 + i,
                                                 2000 + i};
        old_images[i] = vk_struct_init(VkImageMemoryBarrier);
        old_images[i].pNext = &chained;
        old_images[i].srcAccessMask = 7u << (i % 9);
        old_images[i].dstAccessMask = 9u << (i % 10);
        old_images[i].oldLayout = VK_IMAGE_LAYOUT_UNDEFINED + i;
        old_images[i].newLayout = VK_IMAGE_LAYOUT_GENERAL + i;
        old_images[i].srcQueueFamilyIndex = 50 + i;
        old_images[i].dstQueueFamilyIndex = 60 + i;
        old_images[i].image = HANDLE(VkImage, 200 + i);
        old_images[i].subresourceRange = (VkImageSubresourceRange){1, 2 + i, 3 + i, 4 + i, 5 + i};
    }
}

static void assert_barriers(uint32_t memory, uint32_t buffers, uint32_t images)
{
    assert_int_equal(seen.dependency.memoryBarrierCount, MAX2(memory, 1));
    assert_int_equal(seen.dependency.bufferMemoryBarrierCount, buffers);
    assert_int_equal(seen.dependency.imageMemoryBarrierCount, images);
    for (unsigned i = 0; i < MAX2(memory, 1); i++) {
        assert_int_equal(seen.memory[i].sType, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
        assert_true(seen.memory[i].srcStageMask == SRC_STAGES && seen.memory[i].dstStageMask == DST_STAGES);
        assert_int_equal(seen.memory[i].srcAccessMask, memory ? old_memory[i].srcAccessMask : 0);
        assert_int_equal(seen.memory[i].dstAccessMask, memory ? old_memory[i].dstAccessMask : 0);
    }
    for (unsigned i = 0; i < buffers; i++) {
        const VkBufferMemoryBarrier2 *got = &seen.buffers[i];
        const VkBufferMemoryBarrier *old = &old_buffers[i];
        assert_int_equal(got->sType, VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2);
        assert_true(got->srcStageMask == SRC_STAGES && got->dstStageMask == DST_STAGES);
        assert_true(got->srcAccessMask == old->srcAccessMask && got->dstAccessMask == old->dstAccessMask);
        assert_int_equal(got->srcQueueFamilyIndex, old->srcQueueFamilyIndex);
        assert_int_equal(got->dstQueueFamilyIndex, old->dstQueueFamilyIndex);
        assert_true(got->buffer == old->buffer && got->offset == old->offset && got->size == old->size);
    }
    for (unsigned i = 0; i < images; i++) {
        const VkImageMemoryBarrier2 *got = &seen.images[i];
        const VkImageMemoryBarrier *old = &old_images[i];
        assert_int_equal(got->sType, VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2);
        assert_ptr_equal(got->pNext, &chained);
        assert_true(got->srcStageMask == SRC_STAGES && got->dstStageMask == DST_STAGES);
        assert_true(got->srcAccessMask == old->srcAccessMask && got->dstAccessMask == old->dstAccessMask);
        assert_true(got->oldLayout == old->oldLayout && got->newLayout == old->newLayout);
        assert_int_equal(got->srcQueueFamilyIndex, old->srcQueueFamilyIndex);
        assert_int_equal(got->dstQueueFamilyIndex, old->dstQueueFamilyIndex);
        assert_true(got->image == old->image);
        assert_memory_equal(&got->subresourceRange, &old->subresourceRange, sizeof(got->subresourceRange));
    }
}

static const struct {
    uint32_t memory, buffers, images;
} barrier_counts[] = {
    {0, 0, 0}, /* the stages alone are a dependency */
    {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 3, 4}, {8, 8, 8}, {9, 0, 0}, {0, 9, 0}, {0, 0, 9}, {MANY, MANY, MANY},
};

static void a_barrier_carries_its_stages_in_every_part(void **state)
{
    make_barriers();
    for (unsigned i = 0; i < ARRAY_SIZE(barrier_counts); i++) {
        vk_common_CmdPipelineBarrier(cmd(), SRC_STAGES, DST_STAGES, VK_DEPENDENCY_BY_REGION_BIT,
                                     barrier_counts[i].memory, old_memory, barrier_counts[i].buffers, old_buffers,
                                     barrier_counts[i].images, old_images);
        assert_int_equal(seen.calls, i + 1);
        assert_int_equal(seen.dependency.sType, VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
        assert_int_equal(seen.dependency.dependencyFlags, VK_DEPENDENCY_BY_REGION_BIT);
        assert_barriers(barrier_counts[i].memory, barrier_counts[i].buffers, barrier_counts[i].images);
    }
}

static void an_event_is_set_and_reset_by_its_stages(void **state)
{
    vk_common_CmdSetEvent(cmd(), HANDLE(VkEvent, 9), SRC_STAGES);
    assert_true(seen.event == HANDLE(VkEvent, 9));
    assert_int_equal(seen.dependency.memoryBarrierCount, 1);
    assert_int_equal(seen.dependency.bufferMemoryBarrierCount + seen.dependency.imageMemoryBarrierCount, 0);
    assert_true(seen.memory[0].srcStageMask == SRC_STAGES && seen.memory[0].dstStageMask == 0);
    assert_true(seen.memory[0].srcAccessMask == 0 && seen.memory[0].dstAccessMask == 0);

    vk_common_CmdResetEvent(cmd(), HANDLE(VkEvent, 8), DST_STAGES);
    assert_true(seen.event == HANDLE(VkEvent, 8) && seen.stages == DST_STAGES);
}

static void a_layout_changes_behind_the_last_event_only(void **state)
{
    VkEvent events[MANY];
    make_barriers();
    for (unsigned i = 0; i < MANY; i++)
        events[i] = HANDLE(VkEvent, 300 + i);
    static const unsigned event_counts[] = {1, 2, 8, 9, MANY};
    for (unsigned e = 0; e < ARRAY_SIZE(event_counts); e++) {
        for (unsigned i = 0; i < ARRAY_SIZE(barrier_counts); i++) {
            uint32_t count = event_counts[e], buffers = barrier_counts[i].buffers, images = barrier_counts[i].images;
            vk_common_CmdWaitEvents(cmd(), count, events, SRC_STAGES, DST_STAGES, barrier_counts[i].memory, old_memory,
                                    buffers, old_buffers, images, old_images);
            assert_int_equal(seen.event_count, count);
            assert_memory_equal(seen.events, events, count * sizeof(events[0]));
            assert_int_equal(seen.dependency.dependencyFlags, 0);
            assert_barriers(barrier_counts[i].memory, buffers, images); /* of the last event */
            VkAccessFlags2 src = 0, dst = 0;
            for (unsigned m = 0; m < barrier_counts[i].memory; m++)
                src |= old_memory[m].srcAccessMask, dst |= old_memory[m].dstAccessMask;
            for (unsigned b = 0; b < buffers; b++)
                src |= old_buffers[b].srcAccessMask, dst |= old_buffers[b].dstAccessMask;
            for (unsigned m = 0; m < images; m++)
                src |= old_images[m].srcAccessMask, dst |= old_images[m].dstAccessMask;
            for (unsigned before = 0; before + 1 < count; before++) {
                const VkDependencyInfo *info = &seen.dependencies[before];
                assert_int_equal(info->memoryBarrierCount, 1);
                assert_int_equal(info->bufferMemoryBarrierCount + info->imageMemoryBarrierCount, 0);
                assert_true(seen.event_memory[before].srcStageMask == SRC_STAGES);
                assert_true(seen.event_memory[before].dstStageMask == DST_STAGES);
                assert_true(seen.event_memory[before].srcAccessMask == src);
                assert_true(seen.event_memory[before].dstAccessMask == dst);
            }
        }
    }
}

static void a_timestamp_keeps_its_stage(void **state)
{
    vk_common_CmdWriteTimestamp(cmd(), VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, HANDLE(VkQueryPool, 5), 6);
    assert_true(seen.stages == VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT);
    assert_true(seen.pool == HANDLE(VkQueryPool, 5));
    assert_int_equal(seen.query, 6);
}

/* ---- without memory ---- */

static void record_command(unsigned which)
{
    static VkBufferCopy buffer[MANY];
    static VkImageCopy image[MANY];
    static VkBufferImageCopy mixed[MANY];
    static VkImageBlit blit[MANY];
    static VkImageResolve resolve[MANY];
    static VkEvent events[MANY];
    VkBuffer b = HANDLE(VkBuffer, 1);
    VkImage i = HANDLE(VkImage, 2);
    VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
    switch (which) {
    case 0:
        vk_common_CmdCopyBuffer(cmd(), b, b, MANY, buffer);
        break;
    case 1:
        vk_common_CmdCopyImage(cmd(), i, general, i, general, MANY, image);
        break;
    case 2:
        vk_common_CmdCopyBufferToImage(cmd(), b, i, general, MANY, mixed);
        break;
    case 3:
        vk_common_CmdCopyImageToBuffer(cmd(), i, general, b, MANY, mixed);
        break;
    case 4:
        vk_common_CmdBlitImage(cmd(), i, general, i, general, MANY, blit, VK_FILTER_NEAREST);
        break;
    case 5:
        vk_common_CmdResolveImage(cmd(), i, general, i, general, MANY, resolve);
        break;
    case 6:
        vk_common_CmdPipelineBarrier(cmd(), 1, 1, 0, MANY, old_memory, MANY, old_buffers, MANY, old_images);
        break;
    default:
        vk_common_CmdWaitEvents(cmd(), MANY, events, 1, 1, MANY, old_memory, MANY, old_buffers, MANY, old_images);
    }
}

static void a_failed_allocation_is_the_recordings_error(void **state)
{
    static const unsigned needed[] = {1, 1, 1, 1, 1, 1, 3, 4};
    make_barriers();
    for (unsigned which = 0; which < ARRAY_SIZE(needed); which++) {
        for (unsigned fail = 0; fail <= needed[which]; fail++) {
            begin_test(state);
            allocations_left = fail;
            record_command(which);
            bool good = fail == needed[which];
            assert_int_equal(seen.calls, good ? 1 : 0);
            assert_int_equal(command_buffer.result, good ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY);
            assert_int_equal(allocations, 0);
        }
    }
}

/* ---- the rest of the commands ---- */

static void a_dispatch_has_its_base_at_zero(void **state)
{
    vk_common_CmdDispatch(cmd(), 4, 5, 6);
    assert_memory_equal(seen.numbers, ((uint32_t[]){0, 0, 0, 4, 5, 6}), sizeof(seen.numbers));
}

static void vertex_buffers_are_bound_without_sizes_and_strides(void **state)
{
    VkBuffer buffers[2] = {HANDLE(VkBuffer, 1), HANDLE(VkBuffer, 2)};
    VkDeviceSize offsets[2] = {3, 4};
    vk_common_CmdBindVertexBuffers(cmd(), 7, 2, buffers, offsets);
    assert_true(seen.numbers[0] == 7 && seen.numbers[1] == 2);
    assert_ptr_equal(seen.pointers[0], buffers);
    assert_ptr_equal(seen.pointers[1], offsets);
    assert_null(seen.pointers[2]);
    assert_null(seen.pointers[3]);
}

static void memory_is_bound_and_the_answer_comes_back(void **state)
{
    VkDeviceMemory memory = HANDLE(VkDeviceMemory, 4);
    assert_int_equal(vk_common_BindBufferMemory(dev(), HANDLE(VkBuffer, 3), memory, 5), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(seen.bind_buffer.sType, VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO);
    assert_true(seen.bind_buffer.buffer == HANDLE(VkBuffer, 3) && seen.bind_buffer.memory == memory);
    assert_int_equal(seen.bind_buffer.memoryOffset, 5);
    assert_int_equal(vk_common_BindImageMemory(dev(), HANDLE(VkImage, 6), memory, 7), VK_SUCCESS);
    assert_int_equal(seen.bind_image.sType, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO);
    assert_true(seen.bind_image.image == HANDLE(VkImage, 6) && seen.bind_image.memory == memory);
    assert_int_equal(seen.bind_image.memoryOffset, 7);
}

static void a_buffers_requirements_are_those_of_its_creation(void **state)
{
    VkExternalMemoryBufferCreateInfo external = vk_struct_init(VkExternalMemoryBufferCreateInfo);
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    VkBufferCreateInfo info = vk_struct_init(VkBufferCreateInfo);
    info.flags = VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    info.size = 12345;
    info.usage = VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    for (unsigned shared = 0; shared < 2; shared++) {
        info.pNext = shared ? &external : NULL;
        struct vk_buffer *buffer = vk_buffer_create(&device, &info, NULL, sizeof(*buffer));
        VkMemoryRequirements old;
        vk_common_GetBufferMemoryRequirements(dev(), vk_buffer_to_handle(buffer), &old);
        assert_true(old.size == 12346 && old.alignment == 256 && old.memoryTypeBits == 5);
        assert_int_equal(seen.buffer_create.flags, info.flags);
        assert_int_equal(seen.buffer_create.usage, info.usage);
        assert_int_equal(seen.external, shared ? external.handleTypes : 0);

        VkMemoryDedicatedRequirements dedicated = vk_struct_init(VkMemoryDedicatedRequirements);
        VkMemoryRequirements2 all = vk_struct_init(VkMemoryRequirements2);
        all.pNext = &dedicated;
        VkBufferMemoryRequirementsInfo2 question = vk_struct_init(VkBufferMemoryRequirementsInfo2);
        question.buffer = vk_buffer_to_handle(buffer);
        device.dispatch.GetBufferMemoryRequirements2(dev(), &question, &all);
        assert_int_equal(all.memoryRequirements.size, old.size);
        assert_int_equal(all.memoryRequirements.alignment, old.alignment);
        assert_int_equal(all.memoryRequirements.memoryTypeBits, old.memoryTypeBits);
        assert_true(dedicated.prefersDedicatedAllocation);
        vk_buffer_destroy(&device, NULL, buffer);
    }
}

static void an_images_requirements_are_asked_with_and_without_one(void **state)
{
    VkMemoryRequirements old;
    vk_common_GetImageMemoryRequirements(dev(), HANDLE(VkImage, 0x77), &old);
    assert_true(old.size == 0x77 && old.alignment == 65536 && old.memoryTypeBits == 3);
    assert_null(seen.image_question.pNext);

    VkImageCreateInfo create = vk_struct_init(VkImageCreateInfo);
    create.extent.width = 0x20;
    VkDeviceImageMemoryRequirements question = vk_struct_init(VkDeviceImageMemoryRequirements);
    question.pCreateInfo = &create;
    question.planeAspect = VK_IMAGE_ASPECT_PLANE_1_BIT;
    VkMemoryRequirements2 all = vk_struct_init(VkMemoryRequirements2);
    vk_common_GetDeviceImageMemoryRequirements(dev(), &question, &all);
    assert_int_equal(all.memoryRequirements.size, 0x1020);
    assert_int_equal(seen.plane, 0); /* a plane counts for a disjoint image only */
    create.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
    vk_common_GetDeviceImageMemoryRequirements(dev(), &question, &all);
    assert_int_equal(seen.plane, VK_IMAGE_ASPECT_PLANE_1_BIT);
    assert_int_equal(seen.images_alive, 0);

    seen.create_image_result = VK_ERROR_OUT_OF_HOST_MEMORY;
    vk_common_GetDeviceImageMemoryRequirements(dev(), &question, &all);
    assert_int_equal(all.memoryRequirements.memoryTypeBits, 0);
}

static void a_subresources_layout_comes_from_the_newer_query(void **state)
{
    VkImageSubresource which = {VK_IMAGE_ASPECT_PLANE_2_BIT, 3, 4};
    VkSubresourceLayout layout;
    vk_common_GetImageSubresourceLayout(dev(), HANDLE(VkImage, 1), &which, &layout);
    assert_memory_equal(&seen.subresource, &which, sizeof(which));
    assert_memory_equal(&layout, (&(VkSubresourceLayout){1, 2, 3, 4, 5}), sizeof(layout));
}

static void nothing_is_sparse(void **state)
{
    uint32_t count = 7;
    vk_common_GetImageSparseMemoryRequirements(dev(), HANDLE(VkImage, 1), &count, NULL);
    assert_int_equal(count, 0);
    count = 7;
    device.dispatch.GetDeviceImageSparseMemoryRequirements(dev(), &vk_struct_init(VkDeviceImageMemoryRequirements),
                                                           &count, NULL);
    assert_int_equal(count, 0);
    count = 7;
    VkSparseImageFormatProperties properties[7];
    VkPhysicalDevice handle = vk_physical_device_to_handle(&physical);
    physical.dispatch.GetPhysicalDeviceSparseImageFormatProperties(handle, VK_FORMAT_R8_UNORM, VK_IMAGE_TYPE_2D,
                                                                   VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT,
                                                                   VK_IMAGE_TILING_OPTIMAL, &count, properties);
    assert_int_equal(count, 0);
    assert_int_equal(vk_common_QueueBindSparse(VK_NULL_HANDLE, 0, NULL, VK_NULL_HANDLE), VK_ERROR_FEATURE_NOT_PRESENT);

    /* A driver that has sparse images gets its answer through. */
    device.dispatch.GetImageSparseMemoryRequirements2 = sparse_requirements2;
    vk_common_GetImageSparseMemoryRequirements(dev(), HANDLE(VkImage, 1), &count, NULL);
    assert_int_equal(count, MANY);
    VkSparseImageMemoryRequirements requirements[MANY];
    vk_common_GetImageSparseMemoryRequirements(dev(), HANDLE(VkImage, 1), &count, requirements);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(requirements[i].imageMipTailSize, 100 + i);
    device.dispatch.GetImageSparseMemoryRequirements2 = vk_common_GetImageSparseMemoryRequirements2;
}

static void a_device_is_alone_in_its_group(void **state)
{
    VkPeerMemoryFeatureFlags features = 0;
    device.dispatch.GetDeviceGroupPeerMemoryFeatures(dev(), 0, 0, 0, &features);
    assert_int_equal(features, 0xf);
    device.dispatch.CmdSetDeviceMask(cmd(), 1);
    assert_int_equal(seen.calls, 0);
    VkMemoryAllocateInfo info = vk_struct_init(VkMemoryAllocateInfo);
    info.allocationSize = 4711;
    struct vk_device_memory *memory = vk_device_memory_create(&device, &info, NULL, sizeof(*memory));
    VkDeviceSize committed_B = 0;
    device.dispatch.GetDeviceMemoryCommitment(dev(), vk_device_memory_to_handle(memory), &committed_B);
    assert_int_equal(committed_B, 4711);
    vk_device_memory_destroy(&device, NULL, memory);
}

/* ---- samplers ---- */

static void a_sampler_keeps_what_it_was_created_with(void **state)
{
    VkSamplerYcbcrConversionCreateInfo conversion_info = vk_struct_init(VkSamplerYcbcrConversionCreateInfo);
    conversion_info.format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM;
    conversion_info.ycbcrModel = VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709;
    conversion_info.ycbcrRange = VK_SAMPLER_YCBCR_RANGE_ITU_NARROW;
    conversion_info.components.b = VK_COMPONENT_SWIZZLE_R;
    conversion_info.xChromaOffset = VK_CHROMA_LOCATION_COSITED_EVEN;
    conversion_info.yChromaOffset = VK_CHROMA_LOCATION_MIDPOINT;
    conversion_info.chromaFilter = VK_FILTER_LINEAR;
    conversion_info.forceExplicitReconstruction = VK_TRUE;
    VkSamplerYcbcrConversion handle;
    assert_int_equal(device.dispatch.CreateSamplerYcbcrConversion(dev(), &conversion_info, NULL, &handle), VK_SUCCESS);
    struct vk_ycbcr_conversion *conversion = vk_ycbcr_conversion_from_handle(handle);
    assert_int_equal(conversion->format, conversion_info.format);
    assert_int_equal(conversion->format_info->plane_count, 2);
    assert_int_equal(conversion->model, conversion_info.ycbcrModel);
    assert_int_equal(conversion->range, conversion_info.ycbcrRange);
    assert_int_equal(conversion->components.r, VK_COMPONENT_SWIZZLE_R);
    assert_int_equal(conversion->components.b, VK_COMPONENT_SWIZZLE_R);
    assert_int_equal(conversion->components.a, VK_COMPONENT_SWIZZLE_A);
    assert_int_equal(conversion->chroma_offset[0], VK_CHROMA_LOCATION_COSITED_EVEN);
    assert_int_equal(conversion->chroma_offset[1], VK_CHROMA_LOCATION_MIDPOINT);
    assert_int_equal(conversion->chroma_filter, VK_FILTER_LINEAR);
    assert_true(conversion->explicit_reconstruction);

    VkSamplerYcbcrConversionInfo ycbcr = vk_struct_init(VkSamplerYcbcrConversionInfo);
    ycbcr.conversion = handle;
    VkSamplerReductionModeCreateInfo reduction = vk_struct_init(VkSamplerReductionModeCreateInfo);
    reduction.pNext = &ycbcr;
    reduction.reductionMode = VK_SAMPLER_REDUCTION_MODE_MAX;
    VkSamplerCreateInfo info = vk_struct_init(VkSamplerCreateInfo);
    info.pNext = &reduction;
    info.flags = VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT;
    info.magFilter = VK_FILTER_LINEAR;
    info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
    info.addressModeU = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    info.mipLodBias = -1.5f;
    info.minLod = 0.25f;
    info.maxLod = VK_LOD_CLAMP_NONE;
    info.maxAnisotropy = 16;
    info.compareOp = VK_COMPARE_OP_GREATER;
    info.unnormalizedCoordinates = VK_TRUE;
    struct vk_sampler *sampler = vk_sampler_create(&device, &info, NULL, sizeof(*sampler));
    assert_int_equal(sampler->flags, info.flags);
    assert_true(sampler->mag_filter == VK_FILTER_LINEAR && sampler->min_filter == VK_FILTER_NEAREST);
    assert_int_equal(sampler->mipmap_mode, VK_SAMPLER_MIPMAP_MODE_LINEAR);
    assert_memory_equal(sampler->address_modes, &info.addressModeU, sizeof(sampler->address_modes));
    assert_true(sampler->lod_bias == -1.5f && sampler->min_lod == 0.25f && sampler->max_lod == VK_LOD_CLAMP_NONE);
    /* A feature that is switched off does not count, whatever its value. */
    assert_true(sampler->max_anisotropy == 1.0f && !sampler->compare_enable);
    assert_int_equal(sampler->compare_op, VK_COMPARE_OP_NEVER);
    assert_true(sampler->unnormalized && vk_sampler_uses_border(sampler));
    assert_int_equal(sampler->reduction_mode, VK_SAMPLER_REDUCTION_MODE_MAX);
    assert_ptr_equal(sampler->ycbcr, conversion);
    vk_sampler_destroy(&device, NULL, sampler);

    info.pNext = NULL;
    info.anisotropyEnable = info.compareEnable = VK_TRUE;
    info.addressModeW = VK_SAMPLER_ADDRESS_MODE_REPEAT;
    struct vk_sampler local;
    vk_sampler_init(&device, &local, &info);
    assert_true(local.max_anisotropy == 16.0f && local.compare_enable && !vk_sampler_uses_border(&local));
    assert_int_equal(local.compare_op, VK_COMPARE_OP_GREATER);
    assert_int_equal(local.reduction_mode, VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE);
    assert_null(local.ycbcr);
    device.dispatch.DestroySamplerYcbcrConversion(dev(), handle, NULL);
    device.dispatch.DestroySamplerYcbcrConversion(dev(), VK_NULL_HANDLE, NULL);
    vk_sampler_destroy(&device, NULL, NULL);
}

static void a_border_colour_has_a_value(void **state)
{
    const VkClearColorValue custom_value = {.float32 = {0.5f, -2, 3, 0.25f}};
    VkSamplerBorderColorComponentMappingCreateInfoEXT mapping =
        vk_struct_init(VkSamplerBorderColorComponentMappingCreateInfoEXT);
    mapping.components = (VkComponentMapping){VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_ZERO,
                                              VK_COMPONENT_SWIZZLE_IDENTITY, VK_COMPONENT_SWIZZLE_ONE};
    mapping.srgb = VK_TRUE;
    VkSamplerCustomBorderColorCreateInfoEXT custom = vk_struct_init(VkSamplerCustomBorderColorCreateInfoEXT);
    custom.pNext = &mapping;
    custom.customBorderColor = custom_value;
    custom.format = VK_FORMAT_B8G8R8A8_SRGB;
    const struct {
        VkBorderColor color;
        bool is_int, is_custom;
        VkClearColorValue value;
    } rows[] = {
        {VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, false, false, {.float32 = {0, 0, 0, 0}}},
        {VK_BORDER_COLOR_INT_TRANSPARENT_BLACK, true, false, {.uint32 = {0, 0, 0, 0}}},
        {VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK, false, false, {.float32 = {0, 0, 0, 1}}},
        {VK_BORDER_COLOR_INT_OPAQUE_BLACK, true, false, {.uint32 = {0, 0, 0, 1}}},
        {VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, false, false, {.float32 = {1, 1, 1, 1}}},
        {VK_BORDER_COLOR_INT_OPAQUE_WHITE, true, false, {.uint32 = {1, 1, 1, 1}}},
        {VK_BORDER_COLOR_FLOAT_CUSTOM_EXT, false, true, custom_value},
        {VK_BORDER_COLOR_INT_CUSTOM_EXT, true, true, custom_value},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        VkSamplerCreateInfo info = vk_struct_init(VkSamplerCreateInfo);
        info.pNext = &custom;
        info.borderColor = rows[i].color;
        struct vk_sampler sampler;
        vk_sampler_init(&device, &sampler, &info);
        assert_int_equal(sampler.border_color, rows[i].color);
        assert_memory_equal(&sampler.border_value, &rows[i].value, sizeof(sampler.border_value));
        assert_int_equal(vk_border_color_is_int(rows[i].color), rows[i].is_int);
        assert_int_equal(vk_border_color_is_custom(rows[i].color), rows[i].is_custom);
        assert_int_equal(sampler.border_format, rows[i].is_custom ? custom.format : VK_FORMAT_UNDEFINED);
        assert_int_equal(sampler.border_components.r, VK_COMPONENT_SWIZZLE_A);
        assert_int_equal(sampler.border_components.b, VK_COMPONENT_SWIZZLE_B);
        assert_true(sampler.border_srgb);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin_test, end_test)
    const struct CMUnitTest tests[] = {
        CASE(copies_of_buffers_keep_their_regions),
        CASE(copies_of_images_keep_their_regions),
        CASE(copies_between_buffers_and_images_keep_their_regions),
        CASE(blits_and_resolves_keep_their_regions),
        CASE(a_barrier_carries_its_stages_in_every_part),
        CASE(an_event_is_set_and_reset_by_its_stages),
        CASE(a_layout_changes_behind_the_last_event_only),
        CASE(a_timestamp_keeps_its_stage),
        CASE(a_failed_allocation_is_the_recordings_error),
        CASE(a_dispatch_has_its_base_at_zero),
        CASE(vertex_buffers_are_bound_without_sizes_and_strides),
        CASE(memory_is_bound_and_the_answer_comes_back),
        CASE(a_buffers_requirements_are_those_of_its_creation),
        CASE(an_images_requirements_are_asked_with_and_without_one),
        CASE(a_subresources_layout_comes_from_the_newer_query),
        CASE(nothing_is_sparse),
        CASE(a_device_is_alone_in_its_group),
        CASE(a_sampler_keeps_what_it_was_created_with),
        CASE(a_border_colour_has_a_value),
    };
    log_set_level(LOG_LEVEL_ERROR);
    return cmocka_run_group_tests(tests, setup, teardown);
}
