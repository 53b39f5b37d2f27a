/* Descriptor set layouts: where in a set's memory each binding lies, and the same as the compiler's table.
 *
 * Bindings that hold images come first, for they want 32 bytes' alignment; then those of 16; the variable one is last.
 * So a set wastes at most 16 bytes before the variable binding and 16 at its end, whatever is in it, and a pool knows
 * how much memory it must have. */
#include <string.h>

#include "amd/driver/radeon_descriptor.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_sampler.h"
#include "util/bits.h"
#include "vulkan/runtime/vk_hasher.h"
#include "vulkan/runtime/vk_struct.h"
#include "vulkan/runtime/vk_ycbcr_conversion.h"

/* ---- sizes ---- */

static bool has_sampler(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

static uint32_t largest_of_list(const VkMutableDescriptorTypeListEXT *types)
{
    uint32_t largest_B = 0;
    if (!types || !types->descriptorTypeCount)
        return radeon_descriptor_B(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, NULL);
    for (uint32_t i = 0; i < types->descriptorTypeCount; i++)
        largest_B = MAX2(largest_B, radeon_descriptor_B(types->pDescriptorTypes[i], 1, NULL));
    return largest_B;
}

uint32_t radeon_descriptor_B(VkDescriptorType type, uint32_t planes, const VkMutableDescriptorTypeListEXT *types)
{
    switch ((uint32_t)type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        return RADEON_SAMPLER_DESCRIPTOR_B;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        return (uint32_t)align_u64(planes * RADEON_IMAGE_DESCRIPTOR_B + RADEON_SAMPLER_DESCRIPTOR_B,
                                   RADEON_IMAGE_DESCRIPTOR_B);
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        return RADEON_IMAGE_DESCRIPTOR_B;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        return RADEON_BUFFER_DESCRIPTOR_B;
    case VK_DESCRIPTOR_TYPE_MUTABLE_EXT:
        return largest_of_list(types);
    default:
        return 0;
    }
}

/* Elsewhere the pointer may be anything. */
static bool has_immutable_samplers(const VkDescriptorSetLayoutBinding *binding)
{
    return has_sampler(binding->descriptorType) && binding->pImmutableSamplers;
}

static const struct vk_ycbcr_conversion *conversion_of(const VkDescriptorSetLayoutBinding *binding, uint32_t i)
{
    return vk_sampler_from_handle(binding->pImmutableSamplers[i])->ycbcr;
}

/* Images of an element: several where an immutable sampler converts from a multi-planar format. */
static uint8_t planes_of(const VkDescriptorSetLayoutBinding *binding)
{
    uint8_t planes = 1;
    if (binding->descriptorType != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || !binding->pImmutableSamplers)
        return planes;
    for (uint32_t i = 0; i < binding->descriptorCount; i++) {
        const struct vk_ycbcr_conversion *conversion = conversion_of(binding, i);
        if (conversion && conversion->format_info)
            planes = MAX2(planes, conversion->format_info->plane_count);
    }
    return planes;
}

/* The create info's parts that come by the binding's place in pBindings. */
struct info_view {
    const VkDescriptorSetLayoutCreateInfo *info;
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags;
    const VkMutableDescriptorTypeCreateInfoEXT *mutable_types;
};

static struct info_view view_info(const VkDescriptorSetLayoutCreateInfo *info)
{
    return (struct info_view){
        .info = info,
        .flags = vk_find_struct_const(info->pNext, VkDescriptorSetLayoutBindingFlagsCreateInfo),
        .mutable_types = vk_find_struct_const(info->pNext, VkMutableDescriptorTypeCreateInfoEXT),
    };
}

static VkDescriptorBindingFlags flags_of(const struct info_view *view, uint32_t i)
{
    return view->flags && i < view->flags->bindingCount ? view->flags->pBindingFlags[i] : 0;
}

static uint32_t stride_of(const struct info_view *view, uint32_t i)
{
    const VkDescriptorSetLayoutBinding *binding = &view->info->pBindings[i];
    const VkMutableDescriptorTypeListEXT *types = NULL;
    if (view->mutable_types && i < view->mutable_types->mutableDescriptorTypeListCount)
        types = &view->mutable_types->pMutableDescriptorTypeLists[i];
    return radeon_descriptor_B(binding->descriptorType, planes_of(binding), types);
}

static uint64_t binding_B(VkDescriptorType type, uint32_t stride_B, uint64_t count)
{
    if (type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return count ? RADEON_INLINE_HEADER_B + align_u64(count, RADEON_BUFFER_DESCRIPTOR_B) : 0;
    return stride_B * count;
}

static uint32_t align_of_stride(uint32_t stride_B)
{
    return stride_B % RADEON_IMAGE_DESCRIPTOR_B || !stride_B ? RADEON_BUFFER_DESCRIPTOR_B : RADEON_IMAGE_DESCRIPTOR_B;
}

/* How much there is of everything. 64 bits wide: the counts are the application's. */
struct extent {
    uint64_t wide_B, narrow_B; /* of fixed bindings with 32 and with 16 bytes' alignment */
    uint64_t descriptors, dynamic, samplers, inline_B;
    uint64_t num_bindings; /* the highest number and one */
    uint32_t variable;     /* place in pBindings; UINT32_MAX: none */
};

static struct extent measure(const struct info_view *view)
{
    struct extent extent = {.variable = UINT32_MAX};
    for (uint32_t i = 0; i < view->info->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *binding = &view->info->pBindings[i];
        bool is_inline = binding->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
        bool is_variable = flags_of(view, i) & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
        uint32_t stride_B = stride_of(view, i);
        extent.num_bindings = MAX2(extent.num_bindings, (uint64_t)binding->binding + 1);
        extent.variable = is_variable ? i : extent.variable;
        extent.dynamic += vk_descriptor_is_dynamic(binding->descriptorType) ? binding->descriptorCount : 0;
        if (has_immutable_samplers(binding))
            extent.samplers += binding->descriptorCount;
        if (is_variable)
            continue;
        /* The limit counts an inline block as one. */
        extent.descriptors += is_inline ? binding->descriptorCount != 0 : binding->descriptorCount;
        extent.inline_B = MAX2(extent.inline_B, is_inline ? binding->descriptorCount : 0);
        uint64_t size_B = binding_B(binding->descriptorType, stride_B, binding->descriptorCount);
        if (align_of_stride(stride_B) == RADEON_IMAGE_DESCRIPTOR_B)
            extent.wide_B += size_B;
        else
            extent.narrow_B += size_B;
    }
    return extent;
}

/* How many elements (bytes of an inline block) the variable binding can have beside all others. */
static uint32_t variable_limit(const struct info_view *view, const struct extent *extent)
{
    const VkDescriptorSetLayoutBinding *binding = &view->info->pBindings[extent->variable];
    uint32_t stride_B = stride_of(view, extent->variable);
    uint64_t used_B = align_u64(extent->wide_B + extent->narrow_B, align_of_stride(stride_B));
    uint64_t left = RADEON_MAX_DESCRIPTORS_PER_SET - MIN2(extent->descriptors, RADEON_MAX_DESCRIPTORS_PER_SET);
    if (binding->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        bool fits = left && used_B + RADEON_INLINE_HEADER_B + RADEON_MAX_INLINE_BLOCK_B <= RADEON_MAX_SET_B;
        return fits ? RADEON_MAX_INLINE_BLOCK_B : 0;
    }
    uint64_t room_B = RADEON_MAX_SET_B - MIN2(used_B, RADEON_MAX_SET_B);
    return stride_B ? (uint32_t)MIN2(left, room_B / stride_B) : 0;
}

static bool fits(const struct info_view *view, const struct extent *extent)
{
    if (extent->variable != UINT32_MAX &&
        view->info->pBindings[extent->variable].descriptorCount > variable_limit(view, extent))
        return false;
    return extent->descriptors <= RADEON_MAX_DESCRIPTORS_PER_SET && extent->dynamic <= RADEON_MAX_DYNAMIC_BUFFERS &&
           extent->inline_B <= RADEON_MAX_INLINE_BLOCK_B && extent->wide_B + extent->narrow_B <= RADEON_MAX_SET_B;
}

VKAPI_ATTR void VKAPI_CALL radeon_GetDescriptorSetLayoutSupport(VkDevice handle,
                                                                const VkDescriptorSetLayoutCreateInfo *info,
                                                                VkDescriptorSetLayoutSupport *support)
{
    struct info_view view = view_info(info);
    struct extent extent = measure(&view);
    support->supported = fits(&view, &extent);
    VkDescriptorSetVariableDescriptorCountLayoutSupport *variable =
        vk_find_struct(support->pNext, VkDescriptorSetVariableDescriptorCountLayoutSupport);
    if (variable)
        variable->maxVariableDescriptorCount = extent.variable != UINT32_MAX ? variable_limit(&view, &extent) : 0;
}

/* ---- creation ---- */

static void set_binding(struct radeon_set_layout *layout, const struct info_view *view, uint32_t i,
                        uint32_t *num_samplers)
{
    const VkDescriptorSetLayoutBinding *info = &view->info->pBindings[i];
    struct radeon_binding *binding = &layout->bindings[info->binding];
    *binding = (struct radeon_binding){
        .type = info->descriptorType,
        .flags = flags_of(view, i),
        .count = info->descriptorCount,
        .stride_B = stride_of(view, i),
        .sampler_index = UINT32_MAX,
        .planes = planes_of(info),
    };
    if (binding->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || binding->stride_B > RADEON_IMAGE_DESCRIPTOR_B)
        binding->sampler_offset_B = (uint16_t)(binding->planes * RADEON_IMAGE_DESCRIPTOR_B);
    if (binding->flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT)
        layout->variable_binding = info->binding;
    if (vk_descriptor_is_dynamic(binding->type) && binding->count)
        layout->dynamic_stages |= info->stageFlags;
    layout->has_fixed_content |= binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK && binding->count;
    if (!has_immutable_samplers(info) || !binding->count)
        return;
    binding->sampler_index = *num_samplers;
    layout->has_fixed_content = true;
    for (uint32_t n = 0; n < binding->count; n++, ++*num_samplers) {
        memcpy(&layout->immutable_samplers[*num_samplers * 4],
               radeon_sampler_from_handle(info->pImmutableSamplers[n])->words, RADEON_SAMPLER_DESCRIPTOR_B);
        layout->conversions[*num_samplers] = conversion_of(info, n);
        layout->has_conversions |= layout->conversions[*num_samplers] != NULL;
    }
}

/* By number, so that layouts that say the same in another order are the same. */
static void place_bindings(struct radeon_set_layout *layout, const struct extent *extent)
{
    uint32_t wide_B = 0, narrow_B = (uint32_t)extent->wide_B;
    for (uint32_t number = 0; number < layout->num_bindings; number++) {
        struct radeon_binding *binding = &layout->bindings[number];
        if (vk_descriptor_is_dynamic(binding->type)) {
            binding->dynamic_index = layout->vk.num_dynamic;
            layout->vk.num_dynamic += binding->count;
        }
        if (number == layout->variable_binding)
            continue;
        uint32_t *at_B = align_of_stride(binding->stride_B) == RADEON_IMAGE_DESCRIPTOR_B ? &wide_B : &narrow_B;
        binding->offset_B = *at_B;
        *at_B += (uint32_t)binding_B(binding->type, binding->stride_B, binding->count);
    }
    layout->size_B = narrow_B;
    if (layout->variable_binding != UINT32_MAX) {
        struct radeon_binding *binding = &layout->bindings[layout->variable_binding];
        binding->offset_B = (uint32_t)align_u64(narrow_B, align_of_stride(binding->stride_B));
        layout->size_B = binding->offset_B;
    }
}

static void fill_compiler_bindings(struct radeon_set_layout *layout)
{
    for (uint32_t number = 0; number < layout->num_bindings; number++) {
        const struct radeon_binding *binding = &layout->bindings[number];
        struct amd_binding_layout *out = &layout->compiler_bindings[number];
        bool dynamic = vk_descriptor_is_dynamic(binding->type);
        *out = (struct amd_binding_layout){
            .offset_B = dynamic ? binding->dynamic_index * RADEON_BUFFER_DESCRIPTOR_B : binding->offset_B,
            .stride_B = dynamic ? RADEON_BUFFER_DESCRIPTOR_B : binding->stride_B,
            .sampler_offset_B = binding->sampler_offset_B,
            .dynamic = dynamic,
        };
        if (binding->count && binding->sampler_index != UINT32_MAX)
            out->immutable_samplers = &layout->immutable_samplers[binding->sampler_index * 4];
    }
}

static void hash_conversion(struct vk_hasher *hasher, const struct vk_ycbcr_conversion *conversion)
{
    const VkComponentMapping *map = &conversion->components;
    uint32_t words[] = {conversion->format,
                        conversion->model,
                        conversion->range,
                        conversion->chroma_offset[0],
                        conversion->chroma_offset[1],
                        conversion->chroma_filter,
                        map->r | map->g << 8,
                        map->b | map->a << 8,
                        conversion->explicit_reconstruction};
    vk_hasher_add(hasher, words, sizeof(words));
}

/* Of what the code that reads a set depends on, and of what says which sets fit: not of the stages. */
static void set_hash(struct radeon_set_layout *layout)
{
    struct vk_hasher hasher;
    vk_hasher_init(&hasher);
    vk_hasher_add_u32(&hasher, layout->vk.flags);
    vk_hasher_add_u32(&hasher, layout->num_bindings);
    for (uint32_t number = 0; number < layout->num_bindings; number++) {
        const struct radeon_binding *binding = &layout->bindings[number];
        bool immutable = binding->count && binding->sampler_index != UINT32_MAX;
        uint32_t words[] = {binding->count,    binding->type,          binding->flags,  binding->offset_B,
                            binding->stride_B, binding->dynamic_index, binding->planes, immutable};
        vk_hasher_add(&hasher, words, binding->count ? sizeof(words) : sizeof(words[0]));
        for (uint32_t i = 0; immutable && i < binding->count; i++) {
            const struct vk_ycbcr_conversion *conversion = layout->conversions[binding->sampler_index + i];
            vk_hasher_add(&hasher, &layout->immutable_samplers[(binding->sampler_index + i) * 4],
                          RADEON_SAMPLER_DESCRIPTOR_B);
            vk_hasher_add_u32(&hasher, conversion != NULL);
            if (conversion)
                hash_conversion(&hasher, conversion);
        }
    }
    vk_hasher_end(&hasher, layout->vk.hash);
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_CreateDescriptorSetLayout(VkDevice handle,
                                                                const VkDescriptorSetLayoutCreateInfo *info,
                                                                const VkAllocationCallbacks *allocator,
                                                                VkDescriptorSetLayout *layout_out)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct info_view view = view_info(info);
    struct extent extent = measure(&view);
    struct radeon_set_layout *layout;
    /* Beyond the advertised limits: no set of such a layout could be allocated. */
    if (!fits(&view, &extent))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    size_t compiler_at_B = align_u64(sizeof(*layout), 8),
           conversions_at_B = compiler_at_B + extent.num_bindings * sizeof(*layout->compiler_bindings),
           bindings_at_B = conversions_at_B + extent.samplers * sizeof(*layout->conversions),
           samplers_at_B = bindings_at_B + extent.num_bindings * sizeof(*layout->bindings);
    layout = vk_descriptor_set_layout_create(&device->vk, samplers_at_B + extent.samplers * RADEON_SAMPLER_DESCRIPTOR_B,
                                             info->flags);
    if (!layout)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    layout->num_bindings = (uint32_t)extent.num_bindings;
    layout->variable_binding = UINT32_MAX;
    layout->vk.has_variable_count = extent.variable != UINT32_MAX;
    layout->compiler_bindings = (struct amd_binding_layout *)((char *)layout + compiler_at_B);
    layout->conversions = (const struct vk_ycbcr_conversion **)((char *)layout + conversions_at_B);
    layout->bindings = (struct radeon_binding *)((char *)layout + bindings_at_B);
    layout->immutable_samplers = (uint32_t *)((char *)layout + samplers_at_B);
    uint32_t num_samplers = 0;
    for (uint32_t i = 0; i < info->bindingCount; i++)
        set_binding(layout, &view, i, &num_samplers);
    place_bindings(layout, &extent);
    fill_compiler_bindings(layout);
    set_hash(layout);
    *layout_out = radeon_set_layout_to_handle(layout);
    return VK_SUCCESS;
}

uint32_t radeon_set_layout_size_B(const struct radeon_set_layout *layout, uint32_t variable_count)
{
    uint32_t size_B = layout->size_B;
    if (layout->variable_binding != UINT32_MAX) {
        const struct radeon_binding *binding = &layout->bindings[layout->variable_binding];
        size_B += (uint32_t)binding_B(binding->type, binding->stride_B, variable_count);
    }
    return (uint32_t)align_u64(size_B, RADEON_SET_ALIGN_B);
}

/* ---- for pools ---- */

static uint32_t element_B(VkDescriptorType type, const VkMutableDescriptorTypeListEXT *types)
{
    return radeon_descriptor_B(type, 1, types);
}

static uint32_t set_B(const struct vk_descriptor_set_layout *layout, uint32_t variable_count)
{
    return radeon_set_layout_size_B((const struct radeon_set_layout *)layout, variable_count);
}

static VkResult create_bo(struct vk_device *base, uint32_t size_B, struct vk_bo **bo_out)
{
    struct radeon_device *device = radeon_device_of(base);
    uint32_t domain = device->physical->is_apu ? AMDGPU_GEM_DOMAIN_GTT : AMDGPU_GEM_DOMAIN_VRAM;
    struct ws_bo *bo;
    void *map;
    int error = amd_ws_bo_create(device->ws, size_B, 4096, domain,
                                 WS_BO_CPU_ACCESS | WS_BO_WRITE_COMBINED | WS_BO_VA_32 | WS_BO_READ_ONLY, 0, &bo);
    if (error)
        return radeon_result(error);
    error = amd_ws_bo_map(bo, &map);
    if (error) {
        amd_ws_bo_unref(bo);
        return radeon_result(error);
    }
    *bo_out = &bo->vk;
    return VK_SUCCESS;
}

static void destroy_bo(struct vk_device *device, struct vk_bo *bo)
{
    (void)device;
    amd_ws_bo_unref((struct ws_bo *)bo);
}

/* An inline block has a descriptor over its bytes, and its last 16 bytes may be used in part. */
const struct vk_descriptor_ops radeon_descriptor_ops = {
    .set_align_B = RADEON_SET_ALIGN_B,
    .dynamic_B = RADEON_BUFFER_DESCRIPTOR_B,
    .inline_B = RADEON_INLINE_HEADER_B + RADEON_BUFFER_DESCRIPTOR_B,
    .element_B = element_B,
    .set_B = set_B,
    .begin_set = radeon_write_fixed_content,
    .create_bo = create_bo,
    .destroy_bo = destroy_bo,
};

/* ---- for the compiler ---- */

VkResult radeon_layouts_for_compiler(struct radeon_device *device, struct vk_descriptor_set_layout *const *set_layouts,
                                     uint32_t count, uint32_t push_size_B, struct radeon_compiler_layouts *layouts_out)
{
    uint32_t num_copies = 0, at_B = radeon_dynamic_offset_B(push_size_B);
    *layouts_out = (struct radeon_compiler_layouts){.num_sets = count};
    for (uint32_t set = 0; set < count; set++) {
        const struct radeon_set_layout *layout = radeon_set_layout_of(set_layouts[set]);
        if (layout && layout->vk.num_dynamic)
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
        const struct radeon_set_layout *layout = radeon_set_layout_of(set_layouts[set]);
        if (!layout)
            continue;
        layouts_out->sets[set] = (struct amd_set_layout){layout->compiler_bindings, layout->num_bindings};
        if (!layout->vk.num_dynamic)
            continue;
        memcpy(copy, layout->compiler_bindings, layout->num_bindings * sizeof(*copy));
        layouts_out->sets[set].bindings = copy;
        for (uint32_t i = 0; i < layout->num_bindings; i++, copy++)
            copy->offset_B += copy->dynamic ? at_B : 0;
        at_B += layout->vk.num_dynamic * RADEON_BUFFER_DESCRIPTOR_B;
    }
    return VK_SUCCESS;
}

void radeon_compiler_layouts_finish(struct radeon_device *device, struct radeon_compiler_layouts *layouts)
{
    vk_free(&device->vk.alloc, NULL, layouts->copies);
    layouts->copies = NULL;
}

uint32_t radeon_layout_first_dynamic(const struct vk_pipeline_layout *layout, uint32_t set)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < set; i++) {
        const struct radeon_set_layout *before = radeon_set_layout_of(layout->set_layouts[i]);
        first += before ? before->vk.num_dynamic : 0;
    }
    return first;
}
