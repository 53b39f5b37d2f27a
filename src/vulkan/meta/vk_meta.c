/* A device's state for meta operations: shaders of the room's own and of the family's, made when they are needed and
 * kept by a number that says what they do; and how images and formats look to them. */
#include "vulkan/meta/vk_meta.h"

#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "util/format/format.h"
#include "util/log.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_alloc.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

VkResult vk_meta_init(struct vk_device *device, const struct vk_meta_ops *ops)
{
    device->meta = vk_zalloc(&device->alloc, NULL, sizeof(*device->meta), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!device->meta)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    device->meta->ops = ops;
    pthread_mutex_init(&device->meta->lock, NULL);
    return VK_SUCCESS;
}

void vk_meta_destroy_pipeline(struct vk_device *device, struct vk_graphics_pipeline *pipeline)
{
    if (device->codegen->unbake)
        device->codegen->unbake(device, &pipeline->base, NULL);
    vk_free(&device->alloc, NULL, pipeline);
}

void vk_meta_finish(struct vk_device *device)
{
    struct vk_meta *meta = device->meta;
    if (!meta)
        return;
    for (struct map64_slot *slot = NULL; (slot = map64_next(&meta->pipelines, slot));)
        vk_meta_destroy_pipeline(device, (struct vk_graphics_pipeline *)(uintptr_t)slot->value);
    map64_finish(&meta->pipelines);
    for (struct map64_slot *slot = NULL; (slot = map64_next(&meta->shaders, slot));)
        vk_shader_unref(device, (struct vk_shader *)(uintptr_t)slot->value);
    map64_finish(&meta->shaders);
    pthread_mutex_destroy(&meta->lock);
    vk_free(&device->alloc, NULL, meta);
    device->meta = NULL;
}

/* ---- shaders ---- */

static VkResult build_shader(struct vk_device *device, uint32_t stage, const struct vk_meta_shader_info *info,
                             uint64_t key, vk_meta_build_fn build_fn, struct vk_shader **shader_out)
{
    const struct vk_meta_ops *ops = device->meta->ops;
    struct ir_shader *ir = ir_shader_create((enum ir_stage)stage);
    if (!ir)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct ir_failure failure;
    VkResult result = VK_SUCCESS;
    if (ir_guard(ir, &failure)) {
        LOG_ERROR("vulkan", "a shader of meta operations: %s", failure.text);
        result = failure.out_of_memory ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN;
    } else {
        struct ir_builder b = ir_builder_at_body_end(ir);
        build_fn(&b, key, ops);
    }
    ir->failure = NULL;
    if (result == VK_SUCCESS)
        result = ops->compile(device, ir, info, shader_out);
    ir_shader_destroy(ir);
    return result;
}

VkResult vk_meta_get_shader(struct vk_device *device, uint32_t stage, const struct vk_meta_shader_info *info,
                            uint64_t key, vk_meta_build_fn build_fn, struct vk_shader **shader_out)
{
    struct vk_meta *meta = device->meta;
    const uint64_t *found = map64_get(&meta->shaders, key);
    if (found) {
        *shader_out = (struct vk_shader *)(uintptr_t)*found;
        return VK_SUCCESS;
    }
    VkResult result = build_shader(device, stage, info, key, build_fn, shader_out);
    if (result == VK_SUCCESS && !map64_set(&meta->shaders, key, (uintptr_t)*shader_out)) {
        vk_shader_unref(device, *shader_out);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return result;
}

const struct vk_shader *vk_meta_shader(struct vk_command_buffer *cmd, uint64_t key, vk_meta_build_fn build_fn)
{
    static const struct vk_meta_shader_info no_target;
    struct vk_device *device = cmd->base.device;
    struct vk_shader *shader = NULL;
    pthread_mutex_lock(&device->meta->lock);
    VkResult result = vk_meta_get_shader(device, IR_STAGE_compute, &no_target, key, build_fn, &shader);
    pthread_mutex_unlock(&device->meta->lock);
    vk_command_buffer_set_error(cmd, result);
    return result == VK_SUCCESS ? shader : NULL;
}

void vk_meta_dispatch(struct vk_command_buffer *cmd, const struct vk_shader *shader,
                      const struct vk_meta_binding *bindings, uint32_t count, const void *push, uint32_t push_size_B,
                      const uint32_t groups[3])
{
    if (shader && groups[0] && groups[1] && groups[2])
        vk_meta_ops_of(cmd)->dispatch(cmd, shader, bindings, count, push, push_size_B, groups);
}

/* ---- images ---- */

enum vk_meta_shape vk_meta_shape(const struct vk_image *image)
{
    if (image->samples > 1)
        return VK_META_MS;
    return image->type == VK_IMAGE_TYPE_1D ? VK_META_1D : image->type == VK_IMAGE_TYPE_3D ? VK_META_3D : VK_META_2D;
}

VkImageViewType vk_meta_view_type(enum vk_meta_shape shape)
{
    return shape == VK_META_1D   ? VK_IMAGE_VIEW_TYPE_1D_ARRAY
           : shape == VK_META_3D ? VK_IMAGE_VIEW_TYPE_3D
                                 : VK_IMAGE_VIEW_TYPE_2D_ARRAY;
}

struct vk_meta_view vk_meta_view(struct vk_image *image, VkImageAspectFlags aspects, uint32_t level,
                                 uint32_t first_layer)
{
    bool is_3d = image->type == VK_IMAGE_TYPE_3D;
    return (struct vk_meta_view){
        .image = image,
        .aspects = aspects,
        .format = image->format,
        .type = vk_meta_view_type(vk_meta_shape(image)),
        .level = level,
        .first_layer = is_3d ? 0 : first_layer,
        .layers = is_3d ? 1 : image->layers - first_layer,
    };
}

struct vk_meta_view vk_meta_view_of(const struct vk_image_view *view, VkImageAspectFlags aspects)
{
    return (struct vk_meta_view){
        .image = view->image,
        .aspects = aspects,
        .format = view->format,
        .type = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
        .level = view->base_level,
        .first_layer = view->base_layer,
        .layers = view->layer_count,
    };
}

VkImageViewCreateInfo vk_meta_view_info(const struct vk_meta_view *view)
{
    return (VkImageViewCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = vk_image_to_handle(view->image),
        .viewType = view->type,
        .format = view->format,
        .subresourceRange = {.aspectMask = view->aspects,
                             .baseMipLevel = view->level,
                             .levelCount = 1,
                             .baseArrayLayer = view->first_layer,
                             .layerCount = view->layers},
    };
}

void vk_meta_target_init(struct vk_meta_target *target, const struct vk_meta_view *view,
                         const struct vk_image_view *image_view, uint32_t layers, VkImageLayout layout)
{
    const VkExtent3D extent = vk_image_level_extent(view->image, view->level);
    const bool has_depth = view->aspects & VK_IMAGE_ASPECT_DEPTH_BIT,
               has_stencil = view->aspects & VK_IMAGE_ASPECT_STENCIL_BIT;
    target->attachment = (VkRenderingAttachmentInfo){
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = vk_image_view_to_handle((struct vk_image_view *)(uintptr_t)image_view),
        .imageLayout = layout,
        .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    target->info = (VkRenderingInfo){
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea.extent = {extent.width, extent.height},
        .layerCount = layers,
        .colorAttachmentCount = !has_depth && !has_stencil,
        .pColorAttachments = &target->attachment,
        .pDepthAttachment = has_depth ? &target->attachment : NULL,
        .pStencilAttachment = has_stencil ? &target->attachment : NULL,
    };
}

/* ---- formats ---- */

VkFormat vk_meta_raw_format(uint32_t element_B)
{
    switch (element_B) {
    case 1:
        return VK_FORMAT_R8_UINT;
    case 2:
        return VK_FORMAT_R16_UINT;
    case 4:
        return VK_FORMAT_R32_UINT;
    case 8:
        return VK_FORMAT_R32G32_UINT;
    case 12:
        return VK_FORMAT_R32G32B32_UINT;
    case 16:
        return VK_FORMAT_R32G32B32A32_UINT;
    default:
        return VK_FORMAT_UNDEFINED;
    }
}

bool vk_meta_pack_color(VkFormat vk_format, const VkClearColorValue *value, uint32_t words_out[4])
{
    enum format format = (enum format)vk_format;
    const struct format_info *info = format_info(format);
    memset(words_out, 0, 4 * sizeof(*words_out));
    if (!info || info->block_size_B > 16)
        return false;
    if (info->numeric == FORMAT_NUMERIC_UINT)
        return format_pack_rgba_uint(format, words_out, &value->uint32, 1);
    if (info->numeric == FORMAT_NUMERIC_SINT)
        return format_pack_rgba_sint(format, words_out, &value->int32, 1);
    return format_pack_rgba_float(format, words_out, &value->float32, 1);
}
