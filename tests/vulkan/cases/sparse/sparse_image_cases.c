/* Sparse images: bound as bytes, and in blocks of texels, of 2D images, volumes and compressed formats. */
#include <string.h>

#include "cases/sparse/sparse_memory.h"
#include "vulkan/runtime/gen/vk_newer.h"

#include "shaders/fetch_sparse.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM

static void need_2d(struct vt *vt)
{
    sparse_need(vt, vt->features.features.sparseResidencyImage2D);
}

/* ---- written and read ---- */

/* The first word says where it is; smaller elements have a number that differs from their neighbours' and is not
 * zero. */
static void place_element(const struct sparse_image *image, VkOffset3D at, uint32_t level, uint32_t layer,
                          void *element)
{
    const uint32_t x = (uint32_t)at.x, y = (uint32_t)at.y, z = (uint32_t)at.z;
    if (image->element_B < 4) {
        memset(element, (int)((x * 6 + y * 14 + z * 30 + level * 2 + layer * 4) & 0xff) | 1, image->element_B);
        return;
    }
    for (uint32_t i = 0; i < image->element_B; i += 4) {
        const uint32_t word = 1 + (x | y << 10 | z << 20 | level << 26 | layer << 30) + i * 0x01010101u;
        memcpy((uint8_t *)element + i, &word, 4);
    }
}

static void half_element(const struct sparse_image *image, VkOffset3D at, uint32_t level, uint32_t layer, void *element)
{
    if (sparse_is_bound(image, at, level, layer))
        place_element(image, at, level, layer, element);
    else
        memset(element, 0, image->element_B);
}

/* Texels without memory may read as anything where the device does not promise zeros. */
static void forget_unbound(const struct sparse_image *image, VkOffset3D at, uint32_t level, uint32_t layer,
                           void *element)
{
    if (!sparse_is_bound(image, at, level, layer))
        memset(element, 0, image->element_B);
}

/* Everything is written and read; zeros come back where `wanted` says so. */
static void write_and_check(struct vt *vt, const struct sparse_image *image, sparse_element_fn wanted)
{
    VkBufferImageCopy copies[16];
    VkDeviceSize size_B;
    const uint32_t count = sparse_copies(image, copies, &size_B);
    struct vt_buffer to = vt_buffer(vt, size_B, NULL), want = vt_buffer(vt, size_B, NULL);
    sparse_fill(vt, image, place_element);
    sparse_elements(image, wanted, want.map);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyImageToBuffer(commands, image->image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, count, copies);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    if (!sparse_reads_zero(vt) && wanted == half_element)
        sparse_elements(image, forget_unbound, to.map);
    for (uint32_t level = 0; level < count; level++) {
        const VkDeviceSize first_B = copies[level].bufferOffset,
                           end_B = level + 1 < count ? copies[level + 1].bufferOffset : size_B;
        const uint32_t width = (sparse_level(image, level).width + image->element_w - 1) / image->element_w;
        vt_expect_texels(vt, (const char *)to.map + first_B, (const char *)want.map + first_B, image->element_B, width,
                         (end_B - first_B) / image->element_B, "what is bound");
    }
}

/* The whole image as bytes, in pieces that come from the memory's end. */
static void bind_pieces(struct vt *vt, const struct sparse_image *image)
{
    const VkDeviceSize align_B = image->needs.alignment, least_B = image->needs.size / 16,
                       block_B = (least_B + align_B) / align_B * align_B;
    const uint32_t blocks = (uint32_t)((image->needs.size + block_B - 1) / block_B);
    VkDeviceMemory memory = sparse_allocate(vt, &image->needs, blocks * block_B);
    VkSparseMemoryBind binds[MAX_BLOCKS];
    for (uint32_t n = 0; n < blocks; n++)
        binds[n] = (VkSparseMemoryBind){.resourceOffset = n * block_B,
                                        .size = n + 1 < blocks ? block_B : image->needs.size - n * block_B,
                                        .memory = memory,
                                        .memoryOffset = (blocks - 1 - n) * block_B};
    VkSparseImageOpaqueMemoryBindInfo bound = {image->image, blocks, binds};
    sparse_bind(vt, &(const VkBindSparseInfo){.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                                              .imageOpaqueBindCount = 1,
                                              .pImageOpaqueBinds = &bound});
}

static void image_opaque(struct vt *vt, const void *argument)
{
    const struct sparse_image_info *info = argument;
    sparse_need(vt, vt->features.features.sparseBinding);
    sparse_need(vt,
                !(info->flags & VK_IMAGE_CREATE_SPARSE_ALIASED_BIT) || vt->features.features.sparseResidencyAliased);
    struct sparse_image image = sparse_image(vt, argument);
    bind_pieces(vt, &image);
    write_and_check(vt, &image, place_element);
}

static bool is_offered(struct vt *vt, const struct sparse_image_info *info)
{
    const VkImageUsageFlags copies = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkImageFormatProperties properties;
    return vkGetPhysicalDeviceImageFormatProperties(
               vt->physical, info->format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, info->usage | copies,
               VK_IMAGE_CREATE_SPARSE_BINDING_BIT | info->flags, &properties) == VK_SUCCESS;
}

/* An image that is sparse and copied by the host is not offered, or the host writes what is bound. */
static void image_host(struct vt *vt, const void *argument)
{
    sparse_need(vt, vt->features.features.sparseBinding);
    if (!vt->has[VT_HOST_IMAGE_COPY])
        vt_skip(vt, "no copies of images by the host");
    if (!is_offered(vt, argument))
        return;
    if (vt->driver == VK_DRIVER_ID_MESA_TURNIP)
        vt_skip(vt, "Turnip offers them and reads through a null pointer");
    struct sparse_image image = sparse_image(vt, argument);
    bind_pieces(vt, &image);
    VkBufferImageCopy region;
    VkDeviceSize size_B;
    sparse_copies(&image, &region, &size_B);
    struct vt_buffer want = vt_buffer(vt, size_B, NULL), got = vt_buffer(vt, size_B, NULL);
    sparse_elements(&image, place_element, want.map);
    VkHostImageLayoutTransitionInfoEXT transition = {.sType = VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT,
                                                     .image = image.image,
                                                     .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                     .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VT_CHECK(vt, VT_LOAD(vt, TransitionImageLayoutEXT)(vt->device, 1, &transition));
    VkMemoryToImageCopyEXT copy = {.sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
                                   .pHostPointer = want.map,
                                   .imageSubresource = region.imageSubresource,
                                   .imageExtent = region.imageExtent};
    VkCopyMemoryToImageInfoEXT info = {.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
                                       .dstImage = image.image,
                                       .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                       .regionCount = 1,
                                       .pRegions = &copy};
    VT_CHECK(vt, VT_LOAD(vt, CopyMemoryToImageEXT)(vt->device, &info));
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyImageToBuffer(commands, image.image, VK_IMAGE_LAYOUT_GENERAL, got.buffer, 1, &region);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vt_expect_texels(vt, got.map, want.map, image.element_B, image.info.extent.width, size_B / image.element_B,
                     "what the host wrote");
}

static void image_blocks(struct vt *vt, const void *argument)
{
    const struct sparse_image_info *info = argument;
    sparse_need(vt, info->extent.depth ? vt->features.features.sparseResidencyImage3D
                                       : vt->features.features.sparseResidencyImage2D);
    struct sparse_image image = sparse_image_half(vt, info);
    write_and_check(vt, &image, half_element);
}

/* A rendering to level 1 of layer 1, of which not all has memory: the clear reaches the rest. */
static void image_target(struct vt *vt, const void *argument)
{
    need_2d(vt);
    if (!sparse_reads_zero(vt))
        vt_skip(vt, "what is not bound may read as anything");
    struct sparse_image image = sparse_image_half(vt, argument);
    const uint32_t size = sparse_level(&image, 1).width;
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = sparse_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D, 1, 1, 1, 1),
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
    sparse_transition(commands, &image);
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
        const VkOffset3D at = {(int32_t)(i % size), (int32_t)(i / size), 0};
        const uint32_t want = sparse_is_bound(&image, at, 1, 1) ? 0xff3300ffu : 0;
        if (texels[i] != want)
            vt_fail(vt, "texel (%d, %d) is %08x, not %08x", at.x, at.y, texels[i], want);
    }
}

/* Several blocks by one bind: they lie one after the other in the memory, rows first. */
static void image_rectangle(struct vt *vt, const void *argument)
{
    need_2d(vt);
    struct sparse_image image =
        sparse_image(vt, &(const struct sparse_image_info){.format = RGBA8,
                                                           .extent = {1024, 1024, 0},
                                                           .levels = 1,
                                                           .layers = 1,
                                                           .flags = VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT,
                                                           .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    const VkDeviceSize block_B = image.needs.alignment;
    VkDeviceMemory memory = sparse_allocate(vt, &image.needs, image.needs.size);
    VkSparseImageMemoryBind all = {
        .subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0}, .extent = {1024, 1024, 1}, .memory = memory};
    VkSparseImageMemoryBindInfo bound = {image.image, 1, &all};
    const VkBindSparseInfo info = {
        .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageBindCount = 1, .pImageBinds = &bound};
    sparse_bind(vt, &info);
    write_and_check(vt, &image, place_element);
    /* Memory of the second row's first block in place of the last block's: both show the same. */
    const VkExtent3D block = image.sparse.formatProperties.imageGranularity;
    VkSparseImageMemoryBind last = {.subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0},
                                    .offset = {(int32_t)(1024 - block.width), (int32_t)(1024 - block.height), 0},
                                    .extent = block,
                                    .memory = memory,
                                    .memoryOffset = 1024 / block.width * block_B};
    bound.pBinds = &last;
    sparse_bind(vt, &info);
    struct vt_buffer to = vt_buffer(vt, 4, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyImageToBuffer(commands, image.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1,
                           &(const VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                                      .imageOffset = {last.offset.x + 5, last.offset.y + 3, 0},
                                                      .imageExtent = {1, 1, 1}});
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    uint32_t want;
    place_element(&image, (VkOffset3D){5, (int32_t)block.height + 3, 0}, 0, 0, &want);
    vt_expect_words(vt, to.map, &want, 1, "a texel of the block that moved");
}

/* ---- compressed blocks as a shader sees them ---- */

/* One colour for each block of 4 by 4 texels, which all of its texels have: both ends of a palette are the same. */
static uint32_t color_number(VkOffset3D at)
{
    return 1 + ((uint32_t)at.x / 4 * 7 + (uint32_t)at.y / 4 * 13) % 31;
}

static void solid_element(const struct sparse_image *image, VkOffset3D at, uint32_t level, uint32_t layer,
                          void *element)
{
    const uint32_t number = color_number(at);
    uint8_t *bytes = element;
    memset(bytes, 0, image->element_B);
    switch (image->info.format) {
    case VK_FORMAT_BC4_UNORM_BLOCK: /* values of the ends, then 16 indices of 0 */
        bytes[0] = bytes[1] = (uint8_t)(number * 8);
        break;
    case VK_FORMAT_BC5_UNORM_BLOCK:
        bytes[0] = bytes[1] = (uint8_t)(number * 8);
        bytes[8] = bytes[9] = (uint8_t)(255 - number);
        break;
    case VK_FORMAT_BC3_UNORM_BLOCK: /* alpha as in BC4, then the colour */
        bytes[0] = bytes[1] = (uint8_t)(number * 8);
        bytes += 8;
        /* fall through */
    default: { /* red and blue of five bits */
        const uint16_t color = (uint16_t)(number << 11 | (31 - number));
        memcpy(bytes, &color, 2);
        memcpy(bytes + 2, &color, 2);
    }
    }
}

/* The colours of a block of zeros and of a block of a colour, by the formats' definition. */
static void solid_color(VkFormat format, VkOffset3D at, bool is_bound, double out[4])
{
    const double number = is_bound ? color_number(at) : 0;
    const bool has_colors = format != VK_FORMAT_BC4_UNORM_BLOCK && format != VK_FORMAT_BC5_UNORM_BLOCK;
    out[0] = has_colors ? number / 31 : number * 8 / 255;
    out[1] = format == VK_FORMAT_BC5_UNORM_BLOCK && is_bound ? (255 - number) / 255 : 0;
    out[2] = has_colors && is_bound ? (31 - number) / 31 : 0;
    out[3] = format == VK_FORMAT_BC3_UNORM_BLOCK ? number * 8 / 255 : 1;
}

static void image_compressed(struct vt *vt, const void *argument)
{
    const struct sparse_image_info *info = argument;
    need_2d(vt);
    if (!vt->features.features.textureCompressionBC)
        vt_skip(vt, "no BC formats");
    struct sparse_image image = sparse_image_half(vt, info);
    sparse_fill(vt, &image, solid_element);
    const VkExtent3D size = sparse_level(&image, 0);
    struct vt_buffer texels = vt_buffer(vt, (VkDeviceSize)size.width * size.height * 16, NULL);
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){.maxLod = VK_LOD_CLAMP_NONE});
    const struct vt_binding bindings[] = {
        {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .image = {sampler, sparse_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D, 0, info->levels, 0, 1),
                   VK_IMAGE_LAYOUT_GENERAL}},
        VT_STORAGE_BUFFER(texels)};
    vt_dispatch(vt, VT_SPIRV(fetch_sparse), NULL, bindings, 2, (size.width + 7) / 8, (size.height + 7) / 8, 1);
    const float(*got)[4] = texels.map;
    for (uint32_t i = 0; i < size.width * size.height; i++) {
        const VkOffset3D at = {(int32_t)(i % size.width), (int32_t)(i / size.width), 0};
        const bool bound = sparse_is_bound(&image, at, 0, 0);
        double want[4];
        if (!bound && !sparse_reads_zero(vt))
            continue;
        solid_color(info->format, at, bound, want);
        for (unsigned c = 0; c < 4; c++) {
            if (got[i][c] < want[c] - 0.003 || got[i][c] > want[c] + 0.003)
                vt_fail(vt, "component %u of texel (%d, %d) is %f, not %f", c, at.x, at.y, (double)got[i][c], want[c]);
        }
    }
}

/* ---- shapes ---- */

/* Blocks as the specification's tables of standard shapes have them. */
static void image_shapes(struct vt *vt, const void *argument)
{
    static const struct {
        VkFormat format;
        VkExtent3D flat, volume; /* without a volume: 0 */
    } shapes[] = {{VK_FORMAT_R8_UNORM, {256, 256, 1}, {64, 32, 32}},
                  {VK_FORMAT_R8G8_UNORM, {256, 128, 1}, {32, 32, 32}},
                  {RGBA8, {128, 128, 1}, {32, 32, 16}},
                  {VK_FORMAT_R16G16B16A16_SFLOAT, {128, 64, 1}, {32, 16, 16}},
                  {VK_FORMAT_R32G32B32A32_SFLOAT, {64, 64, 1}, {16, 16, 16}},
                  {VK_FORMAT_BC1_RGB_UNORM_BLOCK, {512, 256, 1}, {0}},
                  {VK_FORMAT_BC7_UNORM_BLOCK, {256, 256, 1}, {0}}};
    const bool is_volume = argument != NULL;
    const VkPhysicalDeviceSparseProperties *has = &vt->properties.sparseProperties;
    sparse_need(vt, is_volume ? vt->features.features.sparseResidencyImage3D
                              : vt->features.features.sparseResidencyImage2D);
    if (is_volume ? !has->residencyStandard3DBlockShape : !has->residencyStandard2DBlockShape)
        vt_skip(vt, "blocks of other shapes");
    for (unsigned n = 0; n < COUNT_OF(shapes); n++) {
        const VkExtent3D want = is_volume ? shapes[n].volume : shapes[n].flat;
        uint32_t count = 1;
        VkSparseImageFormatProperties properties;
        if (!want.width)
            continue;
        vkGetPhysicalDeviceSparseImageFormatProperties(
            vt->physical, shapes[n].format, is_volume ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D, VK_SAMPLE_COUNT_1_BIT,
            VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_TILING_OPTIMAL, &count, &properties);
        const VkExtent3D block = properties.imageGranularity;
        if (count && (block.width != want.width || block.height != want.height || block.depth != want.depth))
            vt_fail(vt, "format %d has blocks of %u by %u by %u", shapes[n].format, block.width, block.height,
                    block.depth);
        if (!count && n < 5)
            vt_fail(vt, "format %d is not sparse", shapes[n].format);
    }
}

/* ---- the table ---- */

#define TARGET VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
#define SAMPLED VK_IMAGE_USAGE_SAMPLED_BIT
#define OF(name, function, ...)                                                                                        \
    {                                                                                                                  \
        name, function, &(const struct sparse_image_info)                                                              \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

const struct vt_case vt_sparse_image_cases[] = {
    OF("image_opaque", image_opaque, RGBA8, {300, 300, 0}, 5, 2, 0, TARGET),
    OF("image_opaque_volume", image_opaque, RGBA8, {70, 50, 40}, 4, 1, 0, SAMPLED),
    OF("image_opaque_aliased", image_opaque, RGBA8, {300, 300, 0}, 5, 2, VK_IMAGE_CREATE_SPARSE_ALIASED_BIT, TARGET),
    OF("image_host", image_host, RGBA8, {16, 16, 0}, 1, 1, 0, SAMPLED | VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT),
    OF("image_host_blocks", image_host, RGBA8, {300, 300, 0}, 1, 1, VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT,
       SAMPLED | VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT),
    OF("image_blocks", image_blocks, RGBA8, {500, 500, 0}, 9, 2, 0, TARGET),
    OF("image_blocks_r8", image_blocks, VK_FORMAT_R8_UINT, {600, 520, 0}, 4, 1, 0, SAMPLED),
    OF("image_blocks_rgba32", image_blocks, VK_FORMAT_R32G32B32A32_UINT, {200, 130, 0}, 8, 2, 0, SAMPLED),
    OF("image_blocks_bc1", image_blocks, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {1030, 600, 0}, 11, 2, 0, SAMPLED),
    OF("image_blocks_bc4", image_blocks, VK_FORMAT_BC4_UNORM_BLOCK, {700, 900, 0}, 3, 1, 0, SAMPLED),
    OF("image_blocks_bc7", image_blocks, VK_FORMAT_BC7_UNORM_BLOCK, {1000, 515, 0}, 10, 2, 0, SAMPLED),
    OF("image_volume", image_blocks, RGBA8, {100, 70, 50}, 7, 1, 0, SAMPLED),
    OF("image_volume_r8", image_blocks, VK_FORMAT_R8_UINT, {130, 65, 70}, 8, 1, 0, SAMPLED),
    OF("image_volume_rgba16", image_blocks, VK_FORMAT_R16G16B16A16_UINT, {64, 48, 33}, 1, 1, 0, SAMPLED),
    OF("image_volume_rgba32", image_blocks, VK_FORMAT_R32G32B32A32_UINT, {40, 33, 50}, 6, 1, 0, SAMPLED),
    OF("image_target", image_target, RGBA8, {500, 500, 0}, 9, 2, 0, TARGET),
    {"image_rectangle", image_rectangle, NULL},
    OF("image_read_bc1", image_compressed, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {1100, 300, 0}, 1, 1, 0, SAMPLED),
    OF("image_read_bc3", image_compressed, VK_FORMAT_BC3_UNORM_BLOCK, {600, 300, 0}, 4, 2, 0, SAMPLED),
    OF("image_read_bc4", image_compressed, VK_FORMAT_BC4_UNORM_BLOCK, {600, 513, 0}, 2, 1, 0, SAMPLED),
    OF("image_read_bc5", image_compressed, VK_FORMAT_BC5_UNORM_BLOCK, {300, 517, 0}, 1, 1, 0, SAMPLED),
    {"image_shapes", image_shapes, NULL},
    {"image_shapes_volume", image_shapes, ""},
};
const size_t vt_sparse_image_count = COUNT_OF(vt_sparse_image_cases);
