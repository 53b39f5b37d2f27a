/* Descriptor set layouts: sizes, limits, places. */
#include "vulkan/runtime/descriptor/vk_descriptor_set_layout.h"

#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/descriptor/vk_sampler.h"
#include "vulkan/runtime/descriptor/vk_ycbcr_conversion.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_hasher.h"
#include "vulkan/runtime/object/vk_struct.h"

/* ---- sizes ---- */

static uint32_t largest_of_list(const struct vk_descriptor_ops *ops, const VkMutableDescriptorTypeListEXT *types)
{
    uint32_t largest_B = 0;
    if (!types || !types->descriptorTypeCount)
        return vk_descriptor_B(ops, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, NULL);
    for (uint32_t i = 0; i < types->descriptorTypeCount; i++)
        largest_B = MAX2(largest_B, vk_descriptor_B(ops, types->pDescriptorTypes[i], 1, NULL));
    return largest_B;
}

uint32_t vk_descriptor_B(const struct vk_descriptor_ops *ops, VkDescriptorType type, uint32_t planes,
                         const VkMutableDescriptorTypeListEXT *types)
{
    uint32_t image_B = ops->size_B[VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE];
    if (type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)
        return (uint32_t)align_u64(planes * image_B + ops->size_B[VK_DESCRIPTOR_TYPE_SAMPLER], image_B);
    if (type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT)
        return largest_of_list(ops, types);
    const uint32_t index = vk_descriptor_index(type);
    return index < VK_DESCRIPTOR_TYPES && !vk_descriptor_is_dynamic(type) ? ops->size_B[index] : 0;
}

static uint8_t inline_header_of(const struct vk_descriptor_ops *ops, VkDescriptorSetLayoutCreateFlags flags)
{
    return vk_layout_is_of_buffer(flags) ? 0 : ops->inline_header_B;
}

static uint64_t binding_B(const struct vk_descriptor_ops *ops, uint32_t inline_header_B, VkDescriptorType type,
                          uint32_t stride_B, uint64_t count)
{
    if (type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return count ? inline_header_B + align_u64(count, ops->inline_align_B) : 0;
    return stride_B * count;
}

/* Of 0, an inline block. */
static uint32_t align_of_stride(const struct vk_descriptor_ops *ops, uint32_t stride_B)
{
    return stride_B ? MIN2(stride_B & -stride_B, ops->set_align_B) : ops->inline_align_B;
}

/* ---- the create info ---- */

/* Elsewhere the pointer may be anything. */
static bool has_immutable_samplers(const VkDescriptorSetLayoutBinding *binding)
{
    return (binding->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
            binding->descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) &&
           binding->pImmutableSamplers;
}

static const struct vk_ycbcr_conversion *conversion_of(const VkDescriptorSetLayoutBinding *binding, uint32_t i)
{
    return vk_sampler_from_handle(binding->pImmutableSamplers[i])->ycbcr;
}

/* The create info's parts that come by the binding's place in pBindings. */
struct info_view {
    const struct vk_descriptor_ops *ops;
    const VkDescriptorSetLayoutCreateInfo *info;
    uint8_t inline_header_B;
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags;
    const VkMutableDescriptorTypeCreateInfoEXT *mutable_types;
};

static struct info_view view_info(const struct vk_descriptor_ops *ops, const VkDescriptorSetLayoutCreateInfo *info)
{
    return (struct info_view){
        .ops = ops,
        .info = info,
        .inline_header_B = inline_header_of(ops, info->flags),
        .flags = vk_find_struct_const(info->pNext, VkDescriptorSetLayoutBindingFlagsCreateInfo),
        .mutable_types = vk_find_struct_const(info->pNext, VkMutableDescriptorTypeCreateInfoEXT),
    };
}

static VkDescriptorBindingFlags flags_of(const struct info_view *view, uint32_t i)
{
    return view->flags && i < view->flags->bindingCount ? view->flags->pBindingFlags[i] : 0;
}

unsigned vk_descriptor_planes(const struct vk_descriptor_ops *ops, const struct vk_ycbcr_conversion *conversion)
{
    return ops->planes ? ops->planes(conversion) : conversion->format_info->plane_count;
}

/* Images of an element: several where an immutable sampler converts from a multi-planar format. */
static uint8_t planes_of(const struct info_view *view, uint32_t i)
{
    const VkDescriptorSetLayoutBinding *binding = &view->info->pBindings[i];
    uint32_t planes = 1;
    if (binding->descriptorType != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || !binding->pImmutableSamplers)
        return 1;
    for (uint32_t n = 0; n < binding->descriptorCount; n++) {
        const struct vk_ycbcr_conversion *conversion = conversion_of(binding, n);
        if (!conversion || !conversion->format_info)
            continue;
        planes = MAX2(planes, vk_descriptor_planes(view->ops, conversion));
    }
    return (uint8_t)planes;
}

static const VkMutableDescriptorTypeListEXT *types_of(const struct info_view *view, uint32_t i)
{
    return view->mutable_types && i < view->mutable_types->mutableDescriptorTypeListCount
               ? &view->mutable_types->pMutableDescriptorTypeLists[i]
               : NULL;
}

static uint32_t stride_of(const struct info_view *view, uint32_t i)
{
    VkDescriptorType type = view->info->pBindings[i].descriptorType;
    uint32_t planes = planes_of(view, i);
    if (vk_layout_is_of_buffer(view->info->flags) && planes > 1)
        return planes * vk_descriptor_B(view->ops, type, 1, NULL);
    return vk_descriptor_B(view->ops, type, planes, types_of(view, i));
}

/* ---- limits ---- */

#define ALIGNMENTS 16 /* powers of two */

/* How much there is of everything. 64 bits wide: the counts are the application's. */
struct extent {
    uint64_t aligned_B[ALIGNMENTS]; /* of fixed bindings, by the exponent of their alignment */
    uint64_t size_B;                /* of all of them: nothing is wasted between them */
    uint64_t descriptors, dynamic, samplers, inline_B;
    uint64_t num_bindings; /* the highest number and one */
    uint32_t variable;     /* place in pBindings; UINT32_MAX: none */
};

static unsigned exponent_of(uint32_t align_B)
{
    return (unsigned)__builtin_ctz(align_B);
}

static struct extent measure_layout(const struct info_view *view)
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
        uint64_t size_B =
            binding_B(view->ops, view->inline_header_B, binding->descriptorType, stride_B, binding->descriptorCount);
        extent.aligned_B[exponent_of(align_of_stride(view->ops, stride_B))] += size_B;
        extent.size_B += size_B;
    }
    return extent;
}

/* How many elements (bytes of an inline block) the variable binding can have beside all others. */
static uint32_t variable_limit(const struct info_view *view, const struct extent *extent)
{
    const struct vk_descriptor_ops *ops = view->ops;
    const VkDescriptorSetLayoutBinding *binding = &view->info->pBindings[extent->variable];
    uint32_t stride_B = stride_of(view, extent->variable);
    uint64_t used_B = align_u64(extent->size_B, align_of_stride(ops, stride_B));
    uint64_t left = ops->max_descriptors - MIN2(extent->descriptors, ops->max_descriptors);
    if (binding->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return left && used_B + view->inline_header_B + ops->max_inline_B <= ops->max_set_B ? ops->max_inline_B : 0;
    uint64_t room_B = ops->max_set_B - MIN2(used_B, ops->max_set_B);
    return stride_B ? (uint32_t)MIN2(left, room_B / stride_B) : 0;
}

/* A sampler is behind the image where there is one, and an application would write it to the beginning otherwise: code
 * that reads either cannot know. */
static bool has_two_places_of_samplers(const struct info_view *view, uint32_t i)
{
    const VkMutableDescriptorTypeListEXT *types = types_of(view, i);
    bool alone = false, behind = false;
    for (uint32_t n = 0; types && n < types->descriptorTypeCount; n++) {
        alone |= types->pDescriptorTypes[n] == VK_DESCRIPTOR_TYPE_SAMPLER;
        behind |= types->pDescriptorTypes[n] == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    }
    return alone && behind;
}

static bool extent_fits(const struct info_view *view, const struct extent *extent)
{
    const struct vk_descriptor_ops *ops = view->ops;
    for (uint32_t i = 0; vk_layout_is_of_buffer(view->info->flags) && i < view->info->bindingCount; i++) {
        if (has_two_places_of_samplers(view, i))
            return false;
    }
    if (extent->variable != UINT32_MAX &&
        view->info->pBindings[extent->variable].descriptorCount > variable_limit(view, extent))
        return false;
    return extent->descriptors <= ops->max_descriptors && extent->dynamic <= ops->max_dynamic &&
           extent->inline_B <= ops->max_inline_B && extent->size_B <= ops->max_set_B;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetDescriptorSetLayoutSupport(VkDevice handle,
                                                                   const VkDescriptorSetLayoutCreateInfo *info,
                                                                   VkDescriptorSetLayoutSupport *support)
{
    struct info_view view = view_info(vk_device_from_handle(handle)->descriptors, info);
    struct extent extent = measure_layout(&view);
    support->supported = extent_fits(&view, &extent);
    VkDescriptorSetVariableDescriptorCountLayoutSupport *variable =
        vk_find_struct(support->pNext, VkDescriptorSetVariableDescriptorCountLayoutSupport);
    if (variable)
        variable->maxVariableDescriptorCount = extent.variable != UINT32_MAX ? variable_limit(&view, &extent) : 0;
}

/* ---- creation ---- */

static void add_sampler(struct vk_descriptor_set_layout *layout, const VkDescriptorSetLayoutBinding *info, uint32_t n,
                        uint32_t index)
{
    const VkDescriptorImageInfo sampler = {.sampler = info->pImmutableSamplers[n]};
    layout->ops->write[VK_DESCRIPTOR_TYPE_SAMPLER](vk_immutable_sampler(layout, index), 0, (const char *)&sampler, 0, 1,
                                                   &layout->bindings[info->binding]);
    layout->conversions[index] = conversion_of(info, n);
    layout->has_conversions |= layout->conversions[index] != NULL;
}

static void set_binding(struct vk_descriptor_set_layout *layout, const struct info_view *view, uint32_t i,
                        uint32_t *num_samplers)
{
    const VkDescriptorSetLayoutBinding *info = &view->info->pBindings[i];
    struct vk_descriptor_binding *binding = &layout->bindings[info->binding];
    uint32_t image_B = view->ops->size_B[VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE];
    *binding = (struct vk_descriptor_binding){
        .type = info->descriptorType,
        .flags = flags_of(view, i),
        .count = info->descriptorCount,
        .stride_B = stride_of(view, i),
        .sampler_index = VK_NO_SAMPLER,
        .planes = planes_of(view, i),
    };
    if (binding->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || binding->stride_B > image_B)
        binding->sampler_offset_B = (uint16_t)(binding->planes * image_B);
    if (binding->flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT)
        layout->variable_binding = info->binding;
    layout->has_input_attachments |= binding->type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    layout->has_fixed_content |=
        binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK && binding->count && view->ops->write_inline_header;
    if (!has_immutable_samplers(info) || !binding->count)
        return;
    binding->sampler_index = *num_samplers;
    layout->has_fixed_content = true;
    for (uint32_t n = 0; n < binding->count; n++)
        add_sampler(layout, info, n, (*num_samplers)++);
}

/* Large alignments first. By number, so that layouts that say the same in another order are the same. */
static void place_bindings(struct vk_descriptor_set_layout *layout, const struct extent *extent)
{
    uint32_t at_B[ALIGNMENTS], next_B = 0;
    for (unsigned i = ALIGNMENTS; i-- > 0; next_B += (uint32_t)extent->aligned_B[i])
        at_B[i] = next_B;
    for (uint32_t number = 0; number < layout->num_bindings; number++) {
        struct vk_descriptor_binding *binding = &layout->bindings[number];
        if (vk_descriptor_is_dynamic(binding->type)) {
            binding->dynamic_index = layout->num_dynamic;
            layout->num_dynamic += binding->count;
        }
        if (number == layout->variable_binding)
            continue;
        uint32_t *place_B = &at_B[exponent_of(align_of_stride(layout->ops, binding->stride_B))];
        binding->offset_B = *place_B;
        *place_B +=
            (uint32_t)binding_B(layout->ops, layout->inline_header_B, binding->type, binding->stride_B, binding->count);
    }
    layout->size_B = next_B;
    if (layout->variable_binding != VK_NO_BINDING) {
        struct vk_descriptor_binding *binding = &layout->bindings[layout->variable_binding];
        binding->offset_B = (uint32_t)align_u64(next_B, align_of_stride(layout->ops, binding->stride_B));
        layout->size_B = binding->offset_B;
    }
}

static void describe_bindings(struct vk_descriptor_set_layout *layout)
{
    uint32_t size_B = layout->ops->compiler_binding_B;
    for (uint32_t number = 0; size_B && number < layout->num_bindings; number++)
        layout->ops->describe(layout, &layout->bindings[number], (char *)layout->compiler_bindings + number * size_B);
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
static void set_hash(struct vk_descriptor_set_layout *layout)
{
    struct vk_hasher hasher;
    vk_hasher_init(&hasher);
    vk_hasher_add_u32(&hasher, layout->flags);
    vk_hasher_add_u32(&hasher, layout->num_bindings);
    for (uint32_t number = 0; number < layout->num_bindings; number++) {
        const struct vk_descriptor_binding *binding = &layout->bindings[number];
        bool is_immutable = binding->count && binding->sampler_index != VK_NO_SAMPLER;
        uint32_t words[] = {binding->count,    binding->type,          binding->flags,  binding->offset_B,
                            binding->stride_B, binding->dynamic_index, binding->planes, is_immutable};
        vk_hasher_add(&hasher, words, binding->count ? sizeof(words) : sizeof(words[0]));
        for (uint32_t i = 0; is_immutable && i < binding->count; i++) {
            const struct vk_ycbcr_conversion *conversion = layout->conversions[binding->sampler_index + i];
            vk_hasher_add(&hasher, vk_immutable_sampler(layout, binding->sampler_index + i),
                          layout->ops->size_B[VK_DESCRIPTOR_TYPE_SAMPLER]);
            vk_hasher_add_u32(&hasher, conversion != NULL);
            if (conversion)
                hash_conversion(&hasher, conversion);
        }
    }
    vk_hasher_end(&hasher, layout->hash);
}

/* With zeroed tables after it, in one piece. The memory is the device's and not of the command's own callbacks: those
 * may be gone when the last reference is. */
static struct vk_descriptor_set_layout *allocate_layout(struct vk_device *device, const struct extent *extent)
{
    const struct vk_descriptor_ops *ops = device->descriptors;
    struct vk_descriptor_set_layout *layout;
    size_t compiler_at_B = align_u64(sizeof(*layout), 8),
           conversions_at_B = align_u64(compiler_at_B + extent->num_bindings * ops->compiler_binding_B, 8),
           bindings_at_B = conversions_at_B + extent->samplers * sizeof(*layout->conversions),
           samplers_at_B = bindings_at_B + extent->num_bindings * sizeof(*layout->bindings),
           end_B = samplers_at_B + extent->samplers * ops->size_B[VK_DESCRIPTOR_TYPE_SAMPLER];
    layout = vk_object_create(device, NULL, end_B, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT);
    if (!layout)
        return NULL;
    atomic_init(&layout->refs, 1);
    layout->ops = ops;
    layout->num_bindings = (uint32_t)extent->num_bindings;
    layout->variable_binding = VK_NO_BINDING;
    layout->compiler_bindings = (char *)layout + compiler_at_B;
    layout->conversions = (const struct vk_ycbcr_conversion **)((char *)layout + conversions_at_B);
    layout->bindings = (struct vk_descriptor_binding *)((char *)layout + bindings_at_B);
    layout->immutable_samplers = (uint32_t *)((char *)layout + samplers_at_B);
    return layout;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateDescriptorSetLayout(VkDevice handle,
                                                                   const VkDescriptorSetLayoutCreateInfo *info,
                                                                   const VkAllocationCallbacks *allocator,
                                                                   VkDescriptorSetLayout *layout_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct info_view view = view_info(device->descriptors, info);
    struct extent extent = measure_layout(&view);
    uint32_t num_samplers = 0;
    /* Beyond the advertised limits: no set of such a layout could be allocated. */
    if (!extent_fits(&view, &extent))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct vk_descriptor_set_layout *layout = allocate_layout(device, &extent);
    if (!layout)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    layout->flags = info->flags;
    layout->inline_header_B = view.inline_header_B;
    for (uint32_t i = 0; i < info->bindingCount; i++)
        set_binding(layout, &view, i, &num_samplers);
    place_bindings(layout, &extent);
    describe_bindings(layout);
    set_hash(layout);
    *layout_out = vk_descriptor_set_layout_to_handle(layout);
    return VK_SUCCESS;
}

uint32_t vk_descriptor_set_layout_size_B(const struct vk_descriptor_set_layout *layout, uint32_t variable_count)
{
    uint32_t size_B = layout->size_B;
    if (layout->variable_binding != VK_NO_BINDING) {
        const struct vk_descriptor_binding *binding = &layout->bindings[layout->variable_binding];
        size_B +=
            (uint32_t)binding_B(layout->ops, layout->inline_header_B, binding->type, binding->stride_B, variable_count);
    }
    return (uint32_t)align_u64(size_B, layout->ops->set_align_B);
}

/* ---- lifetime ---- */

void vk_descriptor_set_layout_unref(struct vk_descriptor_set_layout *layout)
{
    if (layout && atomic_fetch_sub_explicit(&layout->refs, 1, memory_order_acq_rel) == 1)
        vk_object_destroy(layout->base.device, NULL, &layout->base);
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyDescriptorSetLayout(VkDevice handle, VkDescriptorSetLayout layout,
                                                                const VkAllocationCallbacks *allocator)
{
    vk_descriptor_set_layout_unref(vk_descriptor_set_layout_from_handle(layout));
}
