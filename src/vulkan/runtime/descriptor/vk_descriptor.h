/* A family's descriptors: the size of one of each type, the limits of a set, and how descriptors
 * of a type are written. vk_descriptor_set_layout.h places them in a set, vk_descriptor_pool.h finds memory for sets,
 * vk_descriptor_update.h writes and copies.
 *
 * An element of a binding is, in bytes:
 *
 *     of one type                       vk_descriptor_ops::size_B
 *     an image with its sampler         an image for each plane, then the sampler, padded to a multiple of the image
 *     of several types (mutable)        the largest of them
 *     a dynamic buffer                  nothing: its descriptor, without the offset, is in host memory
 *     an inline uniform block           vk_descriptor_ops::inline_header_B, then its bytes
 *
 * It is aligned to the largest power of two that divides it, and to no more than a set is. Immutable samplers are in
 * the set's memory, too, for an index that is known only to the shader.
 *
 * In memory that the application fills itself (vk_descriptor_buffer.c) a set is the same but for what nobody but the
 * driver could write: inline blocks have no header, and an image of several planes takes as many descriptors of images
 * with their sampler as Vulkan says that it does. */
#ifndef VULKAN_RUNTIME_VK_DESCRIPTOR_H
#define VULKAN_RUNTIME_VK_DESCRIPTOR_H

#include "vulkan/runtime/object/vk_object.h"

struct vk_bo;
struct vk_descriptor_binding;
struct vk_descriptor_set_layout;
struct vk_ycbcr_conversion;

/* Types from VK_DESCRIPTOR_TYPE_SAMPLER to VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, whose numbers index tables, and after
 * them acceleration structures, whose number is far away. A family without them has neither size nor writer. */
#define VK_DESCRIPTOR_ACCELERATION_STRUCTURE 11
#define VK_DESCRIPTOR_TYPES 12

/* Writes `count` descriptors of one binding, out_stride words apart. The application's infos are src_stride_B apart and
 * of the type that VkWriteDescriptorSet or the structure behind it has for the descriptor's. Parameters and no struct:
 * they stay in registers. */
typedef void vk_descriptor_writer(uint32_t *out, uint32_t out_stride, const char *src, size_t src_stride_B,
                                  uint32_t count, const struct vk_descriptor_binding *binding);

/* The loop of such a function, whose parameters have these names. */
#define vk_foreach_descriptor() for (; count; count--, out += out_stride, src += src_stride_B)

/* One row for each family: vk_device::descriptors. Any thread may call the functions. All sizes are multiples of 4. */
struct vk_descriptor_ops {
    /* By type; of an image with its sampler 0, and of dynamic buffers what one takes in host memory: the same for both
     * kinds. */
    uint8_t size_B[VK_DESCRIPTOR_TYPES];
    uint8_t inline_header_B, inline_align_B; /* what is before an inline block's bytes; both parts are aligned to it */
    uint16_t set_align_B;                    /* of a set's place and size; a power of two */

    /* The limits of a set. Any set of max_descriptors of the largest type must fit into max_set_B. */
    uint32_t max_set_B, max_descriptors, max_dynamic, max_inline_B;

    /* By type. A null handle is a null descriptor. Of an image with its sampler, the sampler is
     * left alone where it is immutable; dynamic buffers are written without offset. Not asked for immutable samplers of
     * sets: the layout keeps what was written once. */
    vk_descriptor_writer *write[VK_DESCRIPTOR_TYPES];
    /* A buffer of any kind that is not dynamic, or an acceleration structure, by its address, which is not 0. NULL
     * where the family has no descriptor buffers. */
    void (*write_address)(VkDescriptorType type, const VkDescriptorAddressInfoEXT *info, uint32_t *out);
    /* The header of an inline block, whose size_B bytes are at `va`. NULL where it has none. */
    void (*write_inline_header)(uint64_t va, uint32_t size_B, uint32_t *out);
    /* A dynamic buffer with its offset added; whether `out` was something else before. Both are vk_descriptor_dynamic_B
     * long. NULL where the family has no dynamic buffers. */
    bool (*add_offset)(uint32_t *out, const uint32_t *words, uint32_t offset_B);
    /* How many images an element must have whose immutable sampler converts. NULL: one for each plane of the format. */
    uint32_t (*planes)(const struct vk_ycbcr_conversion *conversion);

    /* The compiler's part of a binding: vk_descriptor_set_layout::compiler_bindings. */
    uint32_t compiler_binding_B; /* 0: nothing; at most 8 bytes' alignment */
    void (*describe)(const struct vk_descriptor_set_layout *layout, const struct vk_descriptor_binding *binding,
                     void *compiler_binding_out);

    /* Mapped memory for sets. */
    VkResult (*create_bo)(struct vk_device *device, uint32_t size_B, struct vk_bo **bo_out);
    void (*destroy_bo)(struct vk_device *device, struct vk_bo *bo);
};

/* The type's place in tables, or what is none. */
static inline uint32_t vk_descriptor_index(VkDescriptorType type)
{
    if (type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
        return VK_DESCRIPTOR_ACCELERATION_STRUCTURE;
    return (uint32_t)type < VK_DESCRIPTOR_ACCELERATION_STRUCTURE ? (uint32_t)type : UINT32_MAX;
}

static inline bool vk_descriptor_is_dynamic(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

static inline uint32_t vk_descriptor_dynamic_B(const struct vk_descriptor_ops *ops)
{
    return ops->size_B[VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC];
}

/* An element's bytes; 0 for dynamic buffers, inline blocks and types that are none of the family's. `planes` is of
 * images with a sampler; `types` is of VK_DESCRIPTOR_TYPE_MUTABLE_EXT, NULL: any. */
uint32_t vk_descriptor_B(const struct vk_descriptor_ops *ops, VkDescriptorType type, uint32_t planes,
                         const VkMutableDescriptorTypeListEXT *types);

#endif
