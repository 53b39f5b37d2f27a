/* Descriptors: how large they are, how they are written, and what the compiler reads of layouts. Views and samplers
 * keep their words ready; a write of one type is one loop over the application's infos. */
#include <string.h>

#include "amd/driver/radeon_descriptor.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_memory.h"
#include "amd/driver/radeon_sampler.h"
#include "vulkan/runtime/memory/vk_acceleration_structure.h"

/* The null descriptor of every kind: a buffer of no bytes, an image of a type that is none. Reads give zero, writes are
 * dropped. */
static const uint32_t null_words[2 * RADEON_IMAGE_DESCRIPTOR_B / 4];

/* ---- writes ---- */

static void write_samplers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)src;
        const struct radeon_sampler *sampler = radeon_sampler_from_handle(info->sampler);
        memcpy(out, sampler ? sampler->words : null_words, RADEON_SAMPLER_DESCRIPTOR_B);
    }
}

static void write_sampled_images(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                 uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)src;
        const struct radeon_image_view *view = radeon_image_view_from_handle(info->imageView);
        memcpy(out, view ? view->sampled[0] : null_words, RADEON_IMAGE_DESCRIPTOR_B);
    }
}

static void write_storage_images(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                 uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)src;
        const struct radeon_image_view *view = radeon_image_view_from_handle(info->imageView);
        memcpy(out, view ? view->storage[0] : null_words, RADEON_IMAGE_DESCRIPTOR_B);
    }
}

/* The sampler of an element is left alone where it is immutable. */
static void write_combined(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                           const struct vk_descriptor_binding *binding)
{
    bool is_immutable = binding->sampler_index != VK_NO_SAMPLER;
    uint32_t more_B = (binding->planes - 1u) * RADEON_IMAGE_DESCRIPTOR_B, sampler_at = binding->sampler_offset_B / 4;
    vk_foreach_descriptor () {
        const VkDescriptorImageInfo *info = (const VkDescriptorImageInfo *)src;
        const struct radeon_image_view *view = radeon_image_view_from_handle(info->imageView);
        memcpy(out, view ? view->sampled[0] : null_words, RADEON_IMAGE_DESCRIPTOR_B);
        if (more_B)
            memcpy(out + RADEON_IMAGE_DESCRIPTOR_B / 4, view ? view->sampled[1] : null_words, more_B);
        if (is_immutable)
            continue;
        const struct radeon_sampler *sampler = radeon_sampler_from_handle(info->sampler);
        memcpy(out + sampler_at, sampler ? sampler->words : null_words, RADEON_SAMPLER_DESCRIPTOR_B);
    }
}

static void write_texel_buffers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                uint32_t count, const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        VkBufferView handle;
        memcpy(&handle, src, sizeof(handle));
        const struct radeon_buffer_view *view = radeon_buffer_view_from_handle(handle);
        memcpy(out, view ? view->descriptor : null_words, RADEON_BUFFER_DESCRIPTOR_B);
    }
}

static void write_buffers(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                          const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        const VkDescriptorBufferInfo *info = (const VkDescriptorBufferInfo *)src;
        const struct vk_buffer *buffer = vk_buffer_from_handle(info->buffer);
        if (buffer)
            radeon_buffer_descriptor(buffer->va + info->offset, vk_buffer_range(buffer, info->offset, info->range),
                                     out);
        else
            memcpy(out, null_words, RADEON_BUFFER_DESCRIPTOR_B);
    }
}

/* The address of the header (ray_layout.h), and words that nobody reads. */
static void write_structures(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B, uint32_t count,
                             const struct vk_descriptor_binding *binding)
{
    vk_foreach_descriptor () {
        VkAccelerationStructureKHR handle;
        memcpy(&handle, src, sizeof(handle));
        const struct vk_acceleration_structure *structure = vk_acceleration_structure_from_handle(handle);
        const uint64_t words[2] = {structure ? vk_acceleration_structure_va(structure) : 0};
        memcpy(out, words, RADEON_STRUCTURE_DESCRIPTOR_B);
    }
}

static void write_address(VkDescriptorType type, const VkDescriptorAddressInfoEXT *info, uint32_t *out)
{
    if (type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER)
        radeon_texel_descriptor(info->format, info->address, info->range, out);
    else if (type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
        memcpy(out, (const uint64_t[2]){info->address}, RADEON_STRUCTURE_DESCRIPTOR_B);
    else
        radeon_buffer_descriptor(info->address, info->range, out);
}

static void write_inline_header(uint64_t va, uint32_t size_B, uint32_t *out)
{
    radeon_buffer_descriptor(va, size_B, out);
}

/* A buffer's address is the low 48 bits of its first two words; what follows them does not change. No carry leaves
 * them: the buffer would end beyond the address space. */
static bool add_offset(uint32_t *out, const uint32_t *words, uint32_t offset_B)
{
    uint64_t old[2], now[2];
    memcpy(old, out, sizeof(old));
    memcpy(now, words, sizeof(now));
    now[0] += offset_B;
    memcpy(out, now, sizeof(now));
    return old[0] != now[0] || old[1] != now[1];
}

/* ---- memory ---- */

static VkResult create_bo(struct vk_device *base, uint32_t size_B, struct vk_bo **bo_out)
{
    struct radeon_device *device = radeon_device_of(base);
    uint32_t domain = device->physical->is_apu ? AMDGPU_GEM_DOMAIN_GTT : AMDGPU_GEM_DOMAIN_VRAM;
    struct ws_bo *bo;
    void *map;
    int error = amd_ws_bo_create(device->ws, size_B, 4096, domain,
                                 WS_BO_CPU_ACCESS | WS_BO_WRITE_COMBINED | WS_BO_VA_32 | WS_BO_READ_ONLY, 0, &bo);
    if (error)
        return vk_kernel_result(error);
    error = amd_ws_bo_map(bo, &map);
    if (error) {
        amd_ws_bo_unref(bo);
        return vk_kernel_result(error);
    }
    *bo_out = &bo->vk;
    return VK_SUCCESS;
}

static void destroy_bo(struct vk_device *device, struct vk_bo *bo)
{
    (void)device;
    amd_ws_bo_unref((struct ws_bo *)bo);
}

/* ---- the family's row ---- */

/* Dynamic buffers count from the first dynamic descriptor of their set. */
static void describe_binding(const struct vk_descriptor_set_layout *layout, const struct vk_descriptor_binding *binding,
                             void *compiler_binding_out)
{
    bool is_dynamic = vk_descriptor_is_dynamic(binding->type);
    struct amd_binding_layout *out = compiler_binding_out;
    *out = (struct amd_binding_layout){
        .offset_B = is_dynamic ? binding->dynamic_index * RADEON_BUFFER_DESCRIPTOR_B : binding->offset_B,
        .stride_B = is_dynamic ? RADEON_BUFFER_DESCRIPTOR_B : binding->stride_B,
        .sampler_offset_B = binding->sampler_offset_B,
        .dynamic = is_dynamic,
        .embedded = vk_layout_is_embedded(layout->flags),
        .bare = binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK && !layout->inline_header_B,
    };
    if (out->bare)
        radeon_buffer_descriptor(binding->offset_B, binding->count, out->bare_words);
    if (binding->count && binding->sampler_index != VK_NO_SAMPLER)
        out->immutable_samplers = vk_immutable_sampler(layout, binding->sampler_index);
}

const struct vk_descriptor_ops radeon_descriptor_ops = {
    .size_B =
        {
            [VK_DESCRIPTOR_TYPE_SAMPLER] = RADEON_SAMPLER_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE] = RADEON_IMAGE_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] = RADEON_IMAGE_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER] = RADEON_BUFFER_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER] = RADEON_BUFFER_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER] = RADEON_BUFFER_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = RADEON_BUFFER_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC] = RADEON_BUFFER_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC] = RADEON_BUFFER_DESCRIPTOR_B,
            [VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT] = RADEON_IMAGE_DESCRIPTOR_B,
            [VK_DESCRIPTOR_ACCELERATION_STRUCTURE] = RADEON_STRUCTURE_DESCRIPTOR_B,
        },
    .inline_header_B = RADEON_BUFFER_DESCRIPTOR_B, /* a buffer over the bytes that follow it */
    .inline_align_B = RADEON_BUFFER_DESCRIPTOR_B,
    .set_align_B = RADEON_SET_ALIGN_B,
    .max_set_B = RADEON_MAX_SET_B,
    .max_descriptors = RADEON_MAX_DESCRIPTORS_PER_SET,
    .max_dynamic = RADEON_MAX_DYNAMIC_BUFFERS,
    .max_inline_B = RADEON_MAX_INLINE_BLOCK_B,
    .write =
        {
            [VK_DESCRIPTOR_TYPE_SAMPLER] = write_samplers,
            [VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER] = write_combined,
            [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE] = write_sampled_images,
            [VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] = write_storage_images,
            [VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER] = write_texel_buffers,
            [VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER] = write_texel_buffers,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER] = write_buffers,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = write_buffers,
            [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC] = write_buffers,
            [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC] = write_buffers,
            [VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT] = write_sampled_images,
            [VK_DESCRIPTOR_ACCELERATION_STRUCTURE] = write_structures,
        },
    .write_address = write_address,
    .write_inline_header = write_inline_header,
    .add_offset = add_offset,
    .compiler_binding_B = sizeof(struct amd_binding_layout),
    .describe = describe_binding,
    .create_bo = create_bo,
    .destroy_bo = destroy_bo,
};

/* ---- for the compiler ---- */

static void order_dynamic(struct vk_descriptor_set_layout *const *set_layouts, uint32_t count,
                          struct radeon_push_area *area)
{
    uint32_t at = 0;
    bool is_open = false, is_own = false;
    for (uint32_t set = 0; set < count; set++) {
        const uint32_t here = set_layouts[set] ? set_layouts[set]->num_dynamic : 0;
        is_open |= !set_layouts[set];
        is_own |= is_open && here;
        area->first[set] = (uint8_t)at;
        area->count[set] = (uint8_t)here;
        at += here;
    }
    if (is_own) {
        area->ordered_sets = count;
        return;
    }
    memset(area->first, 0, sizeof(area->first));
    memset(area->count, 0, sizeof(area->count));
}

VkResult radeon_layouts_for_compiler(struct radeon_device *device, struct vk_descriptor_set_layout *const *set_layouts,
                                     uint32_t count, uint32_t push_size_B, struct radeon_compiler_layouts *layouts_out)
{
    uint32_t num_copies = 0, at_B = radeon_dynamic_offset_B(push_size_B);
    *layouts_out = (struct radeon_compiler_layouts){.num_sets = count, .area.push_size_B = push_size_B};
    order_dynamic(set_layouts, count, &layouts_out->area);
    for (uint32_t set = 0; set < count; set++) {
        const struct vk_descriptor_set_layout *layout = set_layouts[set];
        if (layout && layout->num_dynamic)
            num_copies += layout->num_bindings;
    }
    if (num_copies) {
        layouts_out->copies = vk_alloc(&device->vk.alloc, NULL, num_copies * sizeof(*layouts_out->copies),
                                       VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
        if (!layouts_out->copies)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    struct amd_binding_layout *copy = layouts_out->copies;
    for (uint32_t set = 0; set < count; set++) {
        const struct vk_descriptor_set_layout *layout = set_layouts[set];
        if (!layout)
            continue;
        layouts_out->sets[set] = (struct amd_set_layout){layout->compiler_bindings, layout->num_bindings};
        if (!layout->num_dynamic)
            continue;
        memcpy(copy, layout->compiler_bindings, layout->num_bindings * sizeof(*copy));
        layouts_out->sets[set].bindings = copy;
        for (uint32_t i = 0; i < layout->num_bindings; i++, copy++)
            copy->offset_B += copy->dynamic ? at_B : 0;
        at_B += layout->num_dynamic * RADEON_BUFFER_DESCRIPTOR_B;
    }
    return VK_SUCCESS;
}

void radeon_compiler_layouts_finish(struct radeon_device *device, struct radeon_compiler_layouts *layouts)
{
    vk_free(&device->vk.alloc, NULL, layouts->copies);
    layouts->copies = NULL;
}
