/* Sparse resources: buffers and images whose memory a queue binds in blocks. What has no memory reads as zero where the
 * device promises it. */
#include <string.h>

#include "vt_image.h"

#include "sparse.h"

#define MAX_BLOCKS 64
#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM

static void need(struct vt *vt, bool residency, bool image)
{
    const VkPhysicalDeviceFeatures *has = &vt->features.features;
    if (!has->sparseBinding || (residency && !image && !has->sparseResidencyBuffer) ||
        (residency && image && !has->sparseResidencyImage2D))
        vt_skip(vt, "no sparse resources of this kind");
    uint32_t count = 16;
    VkQueueFamilyProperties families[16];
    vkGetPhysicalDeviceQueueFamilyProperties(vt->physical, &count, families);
    if (!(families[vt->family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT))
        vt_skip(vt, "the queue does not bind");
}

static void destroy_memory(struct vt *vt, uint64_t handle)
{
    vkFreeMemory(vt->device, (VkDeviceMemory)handle, NULL);
}

static void destroy_buffer(struct vt *vt, uint64_t handle)
{
    vkDestroyBuffer(vt->device, (VkBuffer)handle, NULL);
}

static void destroy_image(struct vt *vt, uint64_t handle)
{
    vkDestroyImage(vt->device, (VkImage)handle, NULL);
}

static void destroy_semaphore(struct vt *vt, uint64_t handle)
{
    vkDestroySemaphore(vt->device, (VkSemaphore)handle, NULL);
}

static VkDeviceMemory allocate(struct vt *vt, const VkMemoryRequirements *needs, VkDeviceSize size_B)
{
    uint32_t type = 0;
    while (!(needs->memoryTypeBits >> type & 1))
        type++;
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &flags,
                                 .allocationSize = size_B,
                                 .memoryTypeIndex = type};
    VkDeviceMemory memory;
    VT_CHECK(vt, vkAllocateMemory(vt->device, &info, NULL, &memory));
    vt_defer(vt, destroy_memory, (uint64_t)memory);
    return memory;
}

static void bind(struct vt *vt, const VkBindSparseInfo *info)
{
    VT_CHECK(vt, vkQueueBindSparse(vt->queue, 1, info, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueWaitIdle(vt->queue));
}

/* ---- buffers ---- */

struct sparse_buffer {
    VkBuffer buffer;
    VkMemoryRequirements needs;
    VkDeviceSize block_B;
    uint32_t blocks;
};

static struct sparse_buffer make_buffer(struct vt *vt, uint32_t blocks, VkBufferCreateFlags flags)
{
    struct sparse_buffer made = {.blocks = blocks};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | flags,
                               .size = 4096,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    /* How large a block is comes with a buffer. */
    VT_CHECK(vt, vkCreateBuffer(vt->device, &info, NULL, &made.buffer));
    vkGetBufferMemoryRequirements(vt->device, made.buffer, &made.needs);
    vkDestroyBuffer(vt->device, made.buffer, NULL);
    made.block_B = made.needs.alignment;
    info.size = made.block_B * blocks;
    VT_CHECK(vt, vkCreateBuffer(vt->device, &info, NULL, &made.buffer));
    vt_defer(vt, destroy_buffer, (uint64_t)made.buffer);
    vkGetBufferMemoryRequirements(vt->device, made.buffer, &made.needs);
    if (made.needs.alignment != made.block_B || made.needs.size < info.size)
        vt_fail(vt, "%u blocks of %u bytes ask for %u", blocks, (unsigned)made.block_B, (unsigned)made.needs.size);
    return made;
}

/* Block n of the buffer gets block from[n] of the memory; UINT32_MAX: none. */
static void bind_blocks(struct vt *vt, const struct sparse_buffer *buffer, VkDeviceMemory memory, const uint32_t *from)
{
    VkSparseMemoryBind binds[MAX_BLOCKS];
    for (uint32_t n = 0; n < buffer->blocks; n++)
        binds[n] = (VkSparseMemoryBind){.resourceOffset = n * buffer->block_B,
                                        .size = buffer->block_B,
                                        .memory = from[n] == UINT32_MAX ? VK_NULL_HANDLE : memory,
                                        .memoryOffset = from[n] == UINT32_MAX ? 0 : from[n] * buffer->block_B};
    VkSparseBufferMemoryBindInfo bound = {buffer->buffer, buffer->blocks, binds};
    bind(vt, &(const VkBindSparseInfo){
                 .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = &bound});
}

static void fill_block(struct vt *vt, const struct sparse_buffer *buffer, uint32_t block, uint32_t value)
{
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdFillBuffer(commands, buffer->buffer, block * buffer->block_B, buffer->block_B, value);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

static void expect_blocks(struct vt *vt, const struct sparse_buffer *buffer, const uint32_t *values, const char *what)
{
    struct vt_buffer to = vt_buffer(vt, buffer->block_B * buffer->blocks, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyBuffer(commands, buffer->buffer, to.buffer, 1, &(const VkBufferCopy){0, 0, to.size_B});
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    const uint32_t *words = to.map;
    for (uint32_t n = 0; n < buffer->blocks; n++) {
        for (size_t i = 0; i < buffer->block_B / 4; i += 61) {
            const uint32_t got = words[n * (buffer->block_B / 4) + i];
            if (got != values[n])
                vt_fail(vt, "%s: block %u holds %08x, not %08x", what, n, got, values[n]);
        }
    }
}

static bool reads_zero(const struct vt *vt)
{
    return vt->properties.sparseProperties.residencyNonResidentStrict;
}

/* Blocks of memory in another order than in the buffer, then in a third one: the bytes go with the memory. */
static void buffer_order(struct vt *vt, const void *argument)
{
    need(vt, false, false);
    struct sparse_buffer buffer = make_buffer(vt, 4, 0);
    VkDeviceMemory memory = allocate(vt, &buffer.needs, 4 * buffer.block_B);
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){2, 0, 3, 1});
    for (uint32_t n = 0; n < 4; n++)
        fill_block(vt, &buffer, n, 100 + n);
    expect_blocks(vt, &buffer, (const uint32_t[]){100, 101, 102, 103}, "as bound first");
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){0, 1, 2, 3});
    expect_blocks(vt, &buffer, (const uint32_t[]){101, 103, 100, 102}, "in the memory's order");
}

static void buffer_holes(struct vt *vt, const void *argument)
{
    need(vt, true, false);
    if (!reads_zero(vt))
        vt_skip(vt, "what is not bound may read as anything");
    struct sparse_buffer buffer = make_buffer(vt, 5, VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT);
    VkDeviceMemory memory = allocate(vt, &buffer.needs, 2 * buffer.block_B);
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){UINT32_MAX, 1, UINT32_MAX, 0, UINT32_MAX});
    for (uint32_t n = 0; n < 5; n++)
        fill_block(vt, &buffer, n, 7 + n); /* of those without memory it is lost */
    expect_blocks(vt, &buffer, (const uint32_t[]){0, 8, 0, 10, 0}, "with holes");
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){1, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0});
    expect_blocks(vt, &buffer, (const uint32_t[]){8, 0, 0, 0, 10}, "with other holes");
}

/* One block of memory at several places of two buffers. */
static void buffer_aliases(struct vt *vt, const void *argument)
{
    need(vt, true, false);
    if (!vt->features.features.sparseResidencyAliased)
        vt_skip(vt, "no aliases");
    const VkBufferCreateFlags flags = VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT | VK_BUFFER_CREATE_SPARSE_ALIASED_BIT;
    struct sparse_buffer first = make_buffer(vt, 3, flags), second = make_buffer(vt, 3, flags);
    VkDeviceMemory memory = allocate(vt, &first.needs, 2 * first.block_B);
    bind_blocks(vt, &first, memory, (const uint32_t[]){0, 1, 0});
    bind_blocks(vt, &second, memory, (const uint32_t[]){1, 1, 0});
    fill_block(vt, &first, 2, 5);
    fill_block(vt, &second, 0, 6);
    expect_blocks(vt, &first, (const uint32_t[]){5, 6, 5}, "first");
    expect_blocks(vt, &second, (const uint32_t[]){6, 6, 5}, "second");
}

/* A shader writes and reads by an address, over holes too. */
static void buffer_shader(struct vt *vt, const void *argument)
{
    need(vt, true, false);
    if (!reads_zero(vt))
        vt_skip(vt, "what is not bound may read as anything");
    struct sparse_buffer buffer = make_buffer(vt, 3, VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT);
    VkDeviceMemory memory = allocate(vt, &buffer.needs, 2 * buffer.block_B);
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){1, UINT32_MAX, 0});
    const uint32_t words = (uint32_t)(buffer.block_B / 4 * 3);
    struct vt_buffer in = {.buffer = buffer.buffer}, out = vt_buffer(vt, (VkDeviceSize)words * 4, NULL);
    const struct vt_buffer *buffers[] = {&in, &out};
    for (uint32_t pass = 0; pass < 2; pass++) /* 0: write, 1: copy to the other */
        vt_run_compute(vt, VT_SPIRV(sparse), buffers, 2, (const uint32_t[]){words, pass}, 8, (words + 63) / 64, 1, 1);
    const uint32_t *got = out.map;
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t want = i / (words / 3) == 1 ? 0 : i * 3 + 1;
        if (got[i] != want)
            vt_fail(vt, "word %u is %u, not %u", i, got[i], want);
    }
}

/* A bind between two submissions that wait for each other by semaphores: a fill before, a fill after. */
static void buffer_semaphores(struct vt *vt, const void *argument)
{
    need(vt, false, false);
    if (vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV binds on a queue of graphics before it waits for the semaphores");
    struct sparse_buffer buffer = make_buffer(vt, 2, 0);
    VkDeviceMemory memory = allocate(vt, &buffer.needs, 2 * buffer.block_B);
    VkSemaphore semaphores[2];
    const bool timeline = argument != NULL;
    for (unsigned i = 0; i < 2; i++) {
        VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                          .semaphoreType =
                                              timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY};
        VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
        VT_CHECK(vt, vkCreateSemaphore(vt->device, &info, NULL, &semaphores[i]));
        vt_defer(vt, destroy_semaphore, (uint64_t)semaphores[i]);
    }
    bind_blocks(vt, &buffer, memory, (const uint32_t[]){0, 1});
    VkCommandBuffer commands[2];
    for (uint32_t i = 0; i < 2; i++) {
        commands[i] = vt_begin(vt);
        vkCmdFillBuffer(commands[i], buffer.buffer, 0, buffer.block_B, 21 + i);
        vt_full_barrier(commands[i]);
        VT_CHECK(vt, vkEndCommandBuffer(commands[i]));
    }
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const uint64_t value = 3;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = 1,
                                            .pWaitSemaphoreValues = &value,
                                            .signalSemaphoreValueCount = 1,
                                            .pSignalSemaphoreValues = &value};
    VkSubmitInfo first = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .pNext = timeline ? &values : NULL,
                          .commandBufferCount = 1,
                          .pCommandBuffers = &commands[0],
                          .signalSemaphoreCount = 1,
                          .pSignalSemaphores = &semaphores[0]};
    VkSubmitInfo second = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .pNext = timeline ? &values : NULL,
                           .waitSemaphoreCount = 1,
                           .pWaitSemaphores = &semaphores[1],
                           .pWaitDstStageMask = &stage,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands[1]};
    VkSparseMemoryBind binds[2] = {{.size = buffer.block_B, .memory = memory, .memoryOffset = buffer.block_B},
                                   {.resourceOffset = buffer.block_B, .size = buffer.block_B, .memory = memory}};
    VkSparseBufferMemoryBindInfo bound = {buffer.buffer, 2, binds};
    VkBindSparseInfo turn = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                             .pNext = timeline ? &values : NULL,
                             .waitSemaphoreCount = 1,
                             .pWaitSemaphores = &semaphores[0],
                             .bufferBindCount = 1,
                             .pBufferBinds = &bound,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &semaphores[1]};
    VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &first, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueBindSparse(vt->queue, 1, &turn, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueSubmit(vt->queue, 1, &second, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueWaitIdle(vt->queue));
    expect_blocks(vt, &buffer, (const uint32_t[]){22, 21}, "after both");
}

/* ---- images ---- */

struct sparse_image {
    VkImage image;
    VkMemoryRequirements needs;
    VkSparseImageMemoryRequirements sparse;
    uint32_t size, levels, layers;
};

static struct sparse_image make_image(struct vt *vt, VkFormat format, uint32_t size, uint32_t levels, uint32_t layers,
                                      VkImageCreateFlags flags)
{
    struct sparse_image made = {.size = size, .levels = levels, .layers = layers};
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | flags,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {size, size, 1},
                              .mipLevels = levels,
                              .arrayLayers = layers,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                       VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    VT_CHECK(vt, vkCreateImage(vt->device, &info, NULL, &made.image));
    vt_defer(vt, destroy_image, (uint64_t)made.image);
    vkGetImageMemoryRequirements(vt->device, made.image, &made.needs);
    if (!(flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT))
        return made;
    uint32_t count = 0;
    vkGetImageSparseMemoryRequirements(vt->device, made.image, &count, NULL);
    if (count != 1)
        vt_fail(vt, "%u sparse requirements", count);
    vkGetImageSparseMemoryRequirements(vt->device, made.image, &count, &made.sparse);
    VkSparseImageFormatProperties properties[4];
    count = 4;
    vkGetPhysicalDeviceSparseImageFormatProperties(vt->physical, format, VK_IMAGE_TYPE_2D, VK_SAMPLE_COUNT_1_BIT,
                                                   info.usage, VK_IMAGE_TILING_OPTIMAL, &count, properties);
    const VkExtent3D a = properties[0].imageGranularity, b = made.sparse.formatProperties.imageGranularity;
    if (count != 1 || a.width != b.width || a.height != b.height || a.depth != b.depth)
        vt_fail(vt, "the format's blocks are not the image's");
    return made;
}

static void transition(VkCommandBuffer commands, const struct sparse_image *image)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, image->levels, 0, image->layers}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}

static uint32_t texel_of(uint32_t x, uint32_t y, uint32_t level, uint32_t layer)
{
    return x | y << 12 | level << 24 | layer << 28;
}

static uint32_t level_size(const struct sparse_image *image, uint32_t level)
{
    return image->size >> level ? image->size >> level : 1;
}

static uint32_t copies_of(const struct sparse_image *image, VkBufferImageCopy *copies, size_t texel_B)
{
    VkDeviceSize at_B = 0;
    uint32_t n = 0;
    for (uint32_t level = 0; level < image->levels; level++, n++) {
        const uint32_t size = level_size(image, level);
        copies[n] = (VkBufferImageCopy){.bufferOffset = at_B,
                                        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, image->layers},
                                        .imageExtent = {size, size, 1}};
        at_B += (VkDeviceSize)size * size * image->layers * texel_B;
    }
    return n;
}

static size_t texels_in(const struct sparse_image *image)
{
    size_t texels = 0;
    for (uint32_t level = 0; level < image->levels; level++)
        texels += (size_t)level_size(image, level) * level_size(image, level) * image->layers;
    return texels;
}

/* Everything is written and read; where has_memory says no, zeros come back. Texels of a word. */
static void write_and_check(struct vt *vt, const struct sparse_image *image,
                            bool (*has_memory)(const struct sparse_image *image, uint32_t x, uint32_t y, uint32_t level,
                                               uint32_t layer))
{
    VkBufferImageCopy copies[16];
    const uint32_t count = copies_of(image, copies, 4);
    struct vt_buffer from = vt_buffer(vt, texels_in(image) * 4, NULL), to = vt_buffer(vt, texels_in(image) * 4, NULL);
    for (unsigned pass = 0; pass < 2; pass++) {
        const uint32_t *got = to.map;
        uint32_t *texel = from.map;
        for (uint32_t level = 0; level < image->levels; level++) {
            const uint32_t size = level_size(image, level);
            for (uint32_t i = 0; i < size * size * image->layers; i++, texel++, got++) {
                const uint32_t x = i % size, y = i / size % size, layer = i / size / size;
                const uint32_t value = texel_of(x, y, level, layer);
                if (!pass)
                    *texel = value;
                else if (*got != (has_memory(image, x, y, level, layer) ? value : 0))
                    vt_fail(vt, "texel (%u, %u) of level %u of layer %u is %08x, wrote %08x", x, y, level, layer, *got,
                            value);
            }
        }
        if (pass)
            break;
        VkCommandBuffer commands = vt_begin(vt);
        transition(commands, image);
        vkCmdCopyBufferToImage(commands, from.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, count, copies);
        vt_full_barrier(commands);
        vkCmdCopyImageToBuffer(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, count, copies);
        vt_full_barrier(commands);
        vt_submit(vt, commands);
    }
}

static bool everywhere(const struct sparse_image *image, uint32_t x, uint32_t y, uint32_t level, uint32_t layer)
{
    return true;
}

/* The whole image as bytes, in pieces that come from the memory's end. */
static void image_opaque(struct vt *vt, const void *argument)
{
    need(vt, false, true);
    struct sparse_image image = make_image(vt, RGBA8, 300, 5, 2, 0);
    const VkDeviceSize align_B = image.needs.alignment, least_B = image.needs.size / 16,
                       block_B = (least_B + align_B) / align_B * align_B;
    const uint32_t blocks = (uint32_t)((image.needs.size + block_B - 1) / block_B);
    VkDeviceMemory memory = allocate(vt, &image.needs, blocks * block_B);
    VkSparseMemoryBind binds[MAX_BLOCKS];
    for (uint32_t n = 0; n < blocks; n++)
        binds[n] = (VkSparseMemoryBind){.resourceOffset = n * block_B,
                                        .size = n + 1 < blocks ? block_B : image.needs.size - n * block_B,
                                        .memory = memory,
                                        .memoryOffset = (blocks - 1 - n) * block_B};
    VkSparseImageOpaqueMemoryBindInfo bound = {image.image, blocks, binds};
    bind(vt, &(const VkBindSparseInfo){
                 .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageOpaqueBindCount = 1, .pImageOpaqueBinds = &bound});
    write_and_check(vt, &image, everywhere);
}

/* Every second block of the levels, all of the tail. */
static bool is_bound(const struct sparse_image *image, uint32_t x, uint32_t y, uint32_t level, uint32_t layer)
{
    const VkExtent3D block = image->sparse.formatProperties.imageGranularity;
    return level >= image->sparse.imageMipTailFirstLod ||
           ((x / block.width + y / block.height + level + layer) & 1) == 0;
}

static void bind_tail(struct vt *vt, const struct sparse_image *image)
{
    const VkSparseImageMemoryRequirements *needs = &image->sparse;
    if (needs->imageMipTailFirstLod >= image->levels)
        return;
    const bool is_one = needs->formatProperties.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT;
    const uint32_t count = is_one ? 1 : image->layers;
    VkDeviceMemory memory = allocate(vt, &image->needs, needs->imageMipTailSize * count);
    VkSparseMemoryBind binds[MAX_BLOCKS];
    for (uint32_t n = 0; n < count; n++)
        binds[n] = (VkSparseMemoryBind){.resourceOffset = needs->imageMipTailOffset + n * needs->imageMipTailStride,
                                        .size = needs->imageMipTailSize,
                                        .memory = memory,
                                        .memoryOffset = n * needs->imageMipTailSize};
    VkSparseImageOpaqueMemoryBindInfo bound = {image->image, count, binds};
    bind(vt, &(const VkBindSparseInfo){
                 .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageOpaqueBindCount = 1, .pImageOpaqueBinds = &bound});
}

static struct sparse_image make_half_bound(struct vt *vt)
{
    struct sparse_image image = make_image(vt, RGBA8, 500, 9, 2, VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT);
    const VkExtent3D block = image.sparse.formatProperties.imageGranularity;
    VkSparseImageMemoryBind binds[MAX_BLOCKS];
    uint32_t count = 0;
    for (uint32_t level = 0; level < image.sparse.imageMipTailFirstLod && level < image.levels; level++) {
        const uint32_t size = level_size(&image, level);
        for (uint32_t layer = 0; layer < image.layers; layer++) {
            for (uint32_t y = 0; y < size; y += block.height) {
                for (uint32_t x = 0; x < size; x += block.width) {
                    if (!is_bound(&image, x, y, level, layer))
                        continue;
                    binds[count++] =
                        (VkSparseImageMemoryBind){.subresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer},
                                                  .offset = {(int32_t)x, (int32_t)y, 0},
                                                  .extent = {x + block.width > size ? size - x : block.width,
                                                             y + block.height > size ? size - y : block.height, 1}};
                }
            }
        }
    }
    VkDeviceMemory memory = allocate(vt, &image.needs, count * image.needs.alignment);
    for (uint32_t n = 0; n < count; n++) {
        binds[n].memory = memory;
        binds[n].memoryOffset = (count - 1 - n) * image.needs.alignment;
    }
    VkSparseImageMemoryBindInfo bound = {image.image, count, binds};
    bind(vt, &(const VkBindSparseInfo){
                 .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageBindCount = 1, .pImageBinds = &bound});
    bind_tail(vt, &image);
    return image;
}

static void image_blocks(struct vt *vt, const void *argument)
{
    need(vt, true, true);
    if (!reads_zero(vt))
        vt_skip(vt, "what is not bound may read as anything");
    struct sparse_image image = make_half_bound(vt);
    write_and_check(vt, &image, is_bound);
}

static void destroy_view(struct vt *vt, uint64_t handle)
{
    vkDestroyImageView(vt->device, (VkImageView)handle, NULL);
}

/* A rendering to level 1 of layer 1, of which not all has memory: the clear reaches the rest. */
static void image_target(struct vt *vt, const void *argument)
{
    need(vt, true, true);
    if (!reads_zero(vt))
        vt_skip(vt, "what is not bound may read as anything");
    struct sparse_image image = make_half_bound(vt);
    const uint32_t size = level_size(&image, 1);
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = image.image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = RGBA8,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 1, 1}};
    VkImageView view;
    VT_CHECK(vt, vkCreateImageView(vt->device, &info, NULL, &view));
    vt_defer(vt, destroy_view, (uint64_t)view);
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = view,
                                       .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                       .clearValue = {.color = {.float32 = {1, 0, 0.2f, 1}}}};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = {{0, 0}, {size, size}},
                                 .layerCount = 1,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &color};
    struct vt_buffer to = vt_buffer(vt, (VkDeviceSize)size * size * 4, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    transition(commands, &image);
    vt_full_barrier(commands);
    vkCmdBeginRendering(commands, &rendering);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vkCmdCopyImageToBuffer(commands, image.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1,
                           &(const VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 1},
                                                      .imageExtent = {size, size, 1}});
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    const uint32_t *texels = to.map;
    for (uint32_t i = 0; i < size * size; i++) {
        const uint32_t want = is_bound(&image, i % size, i / size, 1, 1) ? 0xff3300ffu : 0;
        if (texels[i] != want)
            vt_fail(vt, "texel (%u, %u) is %08x, not %08x", i % size, i / size, texels[i], want);
    }
}

/* Several blocks by one bind: they lie one after the other in the memory, rows first. */
static void image_rectangle(struct vt *vt, const void *argument)
{
    need(vt, true, true);
    struct sparse_image image = make_image(vt, RGBA8, 1024, 1, 1, VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT);
    const VkDeviceSize block_B = image.needs.alignment;
    VkDeviceMemory memory = allocate(vt, &image.needs, image.needs.size);
    VkSparseImageMemoryBind all = {
        .subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, .extent = {1024, 1024, 1}, .memory = memory};
    VkSparseImageMemoryBindInfo bound = {image.image, 1, &all};
    bind(vt, &(const VkBindSparseInfo){
                 .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageBindCount = 1, .pImageBinds = &bound});
    write_and_check(vt, &image, everywhere);
    /* The first block's memory in place of the last one's: both show the same. */
    const VkExtent3D block = image.sparse.formatProperties.imageGranularity;
    VkSparseImageMemoryBind last = {.subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0},
                                    .offset = {(int32_t)(1024 - block.width), (int32_t)(1024 - block.height), 0},
                                    .extent = block,
                                    .memory = memory,
                                    .memoryOffset =
                                        1024 / block.width * block_B}; /* of the first block of the second row */
    bound.pBinds = &last;
    bind(vt, &(const VkBindSparseInfo){
                 .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageBindCount = 1, .pImageBinds = &bound});
    struct vt_buffer to = vt_buffer(vt, 4, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyImageToBuffer(commands, image.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1,
                           &(const VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                                      .imageOffset = {last.offset.x + 5, last.offset.y + 3, 0},
                                                      .imageExtent = {1, 1, 1}});
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    const uint32_t want = texel_of(5, block.height + 3, 0, 0);
    vt_expect_words(vt, to.map, &want, 1, "a texel of the block that moved");
}

/* Blocks as the specification's table of standard shapes has them. */
static void image_shapes(struct vt *vt, const void *argument)
{
    static const struct {
        VkFormat format;
        uint32_t width, height;
    } shapes[] = {{VK_FORMAT_R8_UNORM, 256, 256},
                  {VK_FORMAT_R8G8_UNORM, 256, 128},
                  {RGBA8, 128, 128},
                  {VK_FORMAT_R16G16B16A16_SFLOAT, 128, 64},
                  {VK_FORMAT_R32G32B32A32_SFLOAT, 64, 64},
                  {VK_FORMAT_BC1_RGB_UNORM_BLOCK, 512, 256},
                  {VK_FORMAT_BC7_UNORM_BLOCK, 256, 256}};
    need(vt, true, true);
    if (!vt->properties.sparseProperties.residencyStandard2DBlockShape)
        vt_skip(vt, "blocks of other shapes");
    for (unsigned n = 0; n < COUNT_OF(shapes); n++) {
        uint32_t count = 1;
        VkSparseImageFormatProperties properties;
        vkGetPhysicalDeviceSparseImageFormatProperties(vt->physical, shapes[n].format, VK_IMAGE_TYPE_2D,
                                                       VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT,
                                                       VK_IMAGE_TILING_OPTIMAL, &count, &properties);
        const VkExtent3D block = properties.imageGranularity;
        if (count && (block.width != shapes[n].width || block.height != shapes[n].height || block.depth != 1))
            vt_fail(vt, "format %d has blocks of %u by %u by %u", shapes[n].format, block.width, block.height,
                    block.depth);
        if (!count && n < 5)
            vt_fail(vt, "format %d is not sparse", shapes[n].format);
    }
}

const struct vt_case vt_sparse_cases[] = {
    {"buffer_order", buffer_order},           {"buffer_holes", buffer_holes},
    {"buffer_aliases", buffer_aliases},       {"buffer_shader", buffer_shader},
    {"buffer_semaphores", buffer_semaphores}, {"buffer_timelines", buffer_semaphores, ""},
    {"image_opaque", image_opaque},           {"image_blocks", image_blocks},
    {"image_target", image_target},           {"image_rectangle", image_rectangle},
    {"image_shapes", image_shapes},
};
const size_t vt_sparse_count = COUNT_OF(vt_sparse_cases);
