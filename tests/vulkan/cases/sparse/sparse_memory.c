/* See sparse_memory.h. */
#include "cases/sparse/sparse_memory.h"

static void destroy_memory(struct vt *vt, uint64_t handle)
{
    vkFreeMemory(vt->device, (VkDeviceMemory)handle, NULL);
}

static void destroy_image(struct vt *vt, uint64_t handle)
{
    vkDestroyImage(vt->device, (VkImage)handle, NULL);
}

static void destroy_view(struct vt *vt, uint64_t handle)
{
    vkDestroyImageView(vt->device, (VkImageView)handle, NULL);
}

void sparse_need(struct vt *vt, bool has)
{
    if (!has)
        vt_skip(vt, "no sparse resources of this kind");
    uint32_t count = 16;
    VkQueueFamilyProperties families[16];
    vkGetPhysicalDeviceQueueFamilyProperties(vt->physical, &count, families);
    if (!(families[vt->family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT))
        vt_skip(vt, "the queue does not bind");
}

bool sparse_reads_zero(const struct vt *vt)
{
    return vt->properties.sparseProperties.residencyNonResidentStrict;
}

VkDeviceMemory sparse_allocate(struct vt *vt, const VkMemoryRequirements *needs, VkDeviceSize size_B)
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

void sparse_bind(struct vt *vt, const VkBindSparseInfo *info)
{
    VT_CHECK(vt, vkQueueBindSparse(vt->queue, 1, info, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueWaitIdle(vt->queue));
}

/* ---- images ---- */

static void check_properties(struct vt *vt, struct sparse_image *made)
{
    uint32_t count = 0;
    vkGetImageSparseMemoryRequirements(vt->device, made->image, &count, NULL);
    if (count != 1)
        vt_fail(vt, "%u sparse requirements", count);
    vkGetImageSparseMemoryRequirements(vt->device, made->image, &count, &made->sparse);
    VkSparseImageFormatProperties properties[4];
    count = 4;
    vkGetPhysicalDeviceSparseImageFormatProperties(vt->physical, made->info.format, made->info.imageType,
                                                   VK_SAMPLE_COUNT_1_BIT, made->info.usage, VK_IMAGE_TILING_OPTIMAL,
                                                   &count, properties);
    const VkExtent3D a = properties[0].imageGranularity, b = made->sparse.formatProperties.imageGranularity;
    if (count != 1 || a.width != b.width || a.height != b.height || a.depth != b.depth)
        vt_fail(vt, "the format's blocks are not the image's");
}

struct sparse_image sparse_image(struct vt *vt, const struct sparse_image_info *info)
{
    const bool is_volume = info->extent.depth != 0;
    struct sparse_image made = {
        .info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                 .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | info->flags,
                 .imageType = is_volume ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
                 .format = info->format,
                 .extent = info->extent,
                 .mipLevels = info->levels,
                 .arrayLayers = info->layers,
                 .samples = VK_SAMPLE_COUNT_1_BIT,
                 .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | info->usage}};
    made.info.extent.depth = is_volume ? info->extent.depth : 1;
    VkImageFormatProperties properties;
    if (vkGetPhysicalDeviceImageFormatProperties(vt->physical, info->format, made.info.imageType,
                                                 VK_IMAGE_TILING_OPTIMAL, made.info.usage, made.info.flags,
                                                 &properties) != VK_SUCCESS)
        vt_skip(vt, "no sparse images of this format");
    VT_CHECK(vt, vkCreateImage(vt->device, &made.info, NULL, &made.image));
    vt_defer(vt, destroy_image, (uint64_t)made.image);
    vkGetImageMemoryRequirements(vt->device, made.image, &made.needs);
    const struct vt_format *format = vt_format(info->format);
    made.element_w = made.element_h = format->block;
    made.element_B = format->texel_B;
    if (info->flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)
        check_properties(vt, &made);
    return made;
}

VkExtent3D sparse_level(const struct sparse_image *image, uint32_t level)
{
    const VkExtent3D *extent = &image->info.extent;
    return (VkExtent3D){vt_mip(extent->width, level), vt_mip(extent->height, level), vt_mip(extent->depth, level)};
}

bool sparse_is_bound(const struct sparse_image *image, VkOffset3D at, uint32_t level, uint32_t layer)
{
    const VkExtent3D block = image->sparse.formatProperties.imageGranularity;
    return level >= image->sparse.imageMipTailFirstLod ||
           (((uint32_t)at.x / block.width + (uint32_t)at.y / block.height + (uint32_t)at.z / block.depth + level +
             layer) &
            1) == 0;
}

static void bind_tail(struct vt *vt, const struct sparse_image *image)
{
    const VkSparseImageMemoryRequirements *needs = &image->sparse;
    if (needs->imageMipTailFirstLod >= image->info.mipLevels)
        return;
    const bool is_one = needs->formatProperties.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT;
    const uint32_t count = is_one ? 1 : image->info.arrayLayers;
    VkDeviceMemory memory = sparse_allocate(vt, &image->needs, needs->imageMipTailSize * count);
    VkSparseMemoryBind binds[MAX_BLOCKS];
    for (uint32_t n = 0; n < count; n++)
        binds[n] = (VkSparseMemoryBind){.resourceOffset = needs->imageMipTailOffset + n * needs->imageMipTailStride,
                                        .size = needs->imageMipTailSize,
                                        .memory = memory,
                                        .memoryOffset = n * needs->imageMipTailSize};
    VkSparseImageOpaqueMemoryBindInfo bound = {image->image, count, binds};
    sparse_bind(vt, &(const VkBindSparseInfo){.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                                              .imageOpaqueBindCount = 1,
                                              .pImageOpaqueBinds = &bound});
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The bound blocks of a layer of a level. */
static uint32_t add_blocks(struct vt *vt, const struct sparse_image *image, uint32_t level, uint32_t layer,
                           VkSparseImageMemoryBind *binds, uint32_t count)
{
    const VkExtent3D size = sparse_level(image, level), block = image->sparse.formatProperties.imageGranularity;
    for (uint32_t z = 0; z < size.depth; z += block.depth) {
        for (uint32_t y = 0; y < size.height; y += block.height) {
            for (uint32_t x = 0; x < size.width; x += block.width) {
                const VkOffset3D at = {(int32_t)x, (int32_t)y, (int32_t)z};
                if (!sparse_is_bound(image, at, level, layer))
                    continue;
                if (count == MAX_BLOCKS)
                    vt_fail(vt, "more than %u blocks", MAX_BLOCKS);
                binds[count++] = (VkSparseImageMemoryBind){.subresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer},
                                                           .offset = at,
                                                           .extent = {least(block.width, size.width - x),
                                                                      least(block.height, size.height - y),
                                                                      least(block.depth, size.depth - z)}};
            }
        }
    }
    return count;
}

struct sparse_image sparse_image_half(struct vt *vt, const struct sparse_image_info *info)
{
    struct sparse_image_info resident = *info;
    resident.flags |= VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
    struct sparse_image image = sparse_image(vt, &resident);
    VkSparseImageMemoryBind binds[MAX_BLOCKS];
    uint32_t count = 0;
    for (uint32_t level = 0; level < least(image.sparse.imageMipTailFirstLod, info->levels); level++) {
        for (uint32_t layer = 0; layer < info->layers; layer++)
            count = add_blocks(vt, &image, level, layer, binds, count);
    }
    if (count) {
        VkDeviceMemory memory = sparse_allocate(vt, &image.needs, count * image.needs.alignment);
        for (uint32_t n = 0; n < count; n++) {
            binds[n].memory = memory;
            binds[n].memoryOffset = (count - 1 - n) * image.needs.alignment;
        }
        VkSparseImageMemoryBindInfo bound = {image.image, count, binds};
        sparse_bind(vt, &(const VkBindSparseInfo){
                            .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageBindCount = 1, .pImageBinds = &bound});
    }
    bind_tail(vt, &image);
    return image;
}

VkImageView sparse_view(struct vt *vt, const struct sparse_image *image, VkImageViewType type, uint32_t first_level,
                        uint32_t levels, uint32_t first_layer, uint32_t layers)
{
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->image,
        .viewType = type,
        .format = image->info.format,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, first_level, levels, first_layer, layers}};
    VkImageView view;
    VT_CHECK(vt, vkCreateImageView(vt->device, &info, NULL, &view));
    vt_defer(vt, destroy_view, (uint64_t)view);
    return view;
}

void sparse_transition(VkCommandBuffer commands, const struct sparse_image *image)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image->image,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, image->info.mipLevels, 0, image->info.arrayLayers}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}

/* ---- contents ---- */

static uint32_t elements_of(uint32_t texels, uint32_t element)
{
    return (texels + element - 1) / element;
}

uint32_t sparse_copies(const struct sparse_image *image, VkBufferImageCopy *copies, VkDeviceSize *size_B)
{
    *size_B = 0;
    for (uint32_t level = 0; level < image->info.mipLevels; level++) {
        const VkExtent3D size = sparse_level(image, level);
        copies[level] =
            (VkBufferImageCopy){.bufferOffset = *size_B,
                                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, image->info.arrayLayers},
                                .imageExtent = size};
        *size_B += (VkDeviceSize)elements_of(size.width, image->element_w) *
                   elements_of(size.height, image->element_h) * size.depth * image->info.arrayLayers * image->element_B;
    }
    return image->info.mipLevels;
}

void sparse_elements(const struct sparse_image *image, sparse_element_fn element_of, void *bytes)
{
    uint8_t *at_B = bytes;
    for (uint32_t level = 0; level < image->info.mipLevels; level++) {
        const VkExtent3D size = sparse_level(image, level);
        const uint32_t w = elements_of(size.width, image->element_w), h = elements_of(size.height, image->element_h);
        for (uint32_t i = 0; i < w * h * size.depth * image->info.arrayLayers; i++, at_B += image->element_B) {
            const uint32_t slice = i / (w * h), x = i % w * image->element_w, y = i / w % h * image->element_h;
            element_of(image, (VkOffset3D){(int32_t)x, (int32_t)y, (int32_t)(slice % size.depth)}, level,
                       slice / size.depth, at_B);
        }
    }
}

void sparse_fill(struct vt *vt, const struct sparse_image *image, sparse_element_fn element_of)
{
    VkBufferImageCopy copies[16];
    VkDeviceSize size_B;
    const uint32_t count = sparse_copies(image, copies, &size_B);
    struct vt_buffer from = vt_buffer(vt, size_B, NULL);
    sparse_elements(image, element_of, from.map);
    VkCommandBuffer commands = vt_begin(vt);
    sparse_transition(commands, image);
    vkCmdCopyBufferToImage(commands, from.buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, count, copies);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}
