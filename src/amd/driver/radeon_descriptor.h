/* Descriptor sets: raw hardware descriptors in GPU memory that 32-bit pointers reach. The layout's table is what the
 * compiler reads (amd/compiler/compiler.h).
 *
 * An element of a binding is, in bytes:
 *
 *     a buffer of any kind, a sampler   16
 *     an image of any kind              32
 *     an image with its sampler         32 for each plane, 16 for the sampler, padded to 32
 *     of several types (mutable)        the largest of them
 *     a dynamic buffer                  nothing: 16 in host memory; with its offset added it is after the push
 *                                       constants
 *     an inline uniform block           16: a buffer over the bytes that follow it
 *
 * Immutable samplers are in memory, too, for an index that is known only to the shader. */
#ifndef AMD_DRIVER_RADEON_DESCRIPTOR_H
#define AMD_DRIVER_RADEON_DESCRIPTOR_H

#include "amd/compiler/compiler.h"
#include "amd/driver/radeon_device.h"
#include "vulkan/runtime/vk_descriptor_pool.h"
#include "vulkan/runtime/vk_pipeline_layout.h"

#define RADEON_MAX_DYNAMIC_BUFFERS 32 /* of a pipeline layout, both kinds together */
#define RADEON_MAX_PUSH_DESCRIPTORS 32
#define RADEON_MAX_SET_B (1u << 30)
#define RADEON_MAX_DESCRIPTORS_PER_SET (RADEON_MAX_SET_B / 128) /* of the largest there are: such a set always fits */
#define RADEON_MAX_INLINE_BLOCK_B (4u << 20)

enum {
    RADEON_BUFFER_DESCRIPTOR_B = 16,
    RADEON_SAMPLER_DESCRIPTOR_B = 16,
    RADEON_IMAGE_DESCRIPTOR_B = 32,
    RADEON_INLINE_HEADER_B = 16,
    RADEON_SET_ALIGN_B = 32,
};

struct radeon_binding {
    VkDescriptorType type;
    VkDescriptorBindingFlags flags;
    uint32_t count; /* array elements; bytes of an inline uniform block */
    uint32_t offset_B, stride_B;
    uint32_t dynamic_index;    /* first, among the set's dynamic buffers */
    uint32_t sampler_index;    /* first of its immutable ones in the layout's table, UINT32_MAX: none */
    uint16_t sampler_offset_B; /* within the element: after the image, where it is or may become one with a sampler */
    uint8_t planes;            /* image descriptors of an element that has any */
};

struct radeon_set_layout {
    struct vk_descriptor_set_layout vk;
    uint32_t size_B; /* without the variable binding's elements */
    uint32_t num_bindings;
    VkShaderStageFlags dynamic_stages;
    uint32_t variable_binding;       /* UINT32_MAX: none */
    bool has_fixed_content;          /* a new set is written to: immutable samplers, inline blocks' descriptors */
    struct radeon_binding *bindings; /* by number; unused numbers have count 0 */
    struct amd_binding_layout *compiler_bindings;   /* the same for the compiler; `dynamic` ones count from the first
                                                       dynamic descriptor of their set */
    uint32_t *immutable_samplers;                   /* 4 words each */
    const struct vk_ycbcr_conversion **conversions; /* the same samplers'; NULL entries: none */
    bool has_conversions;
};

VK_DEFINE_CASTS(radeon_set_layout, VkDescriptorSetLayout)

static inline struct radeon_set_layout *radeon_set_layout_of(struct vk_descriptor_set_layout *layout)
{
    return (struct radeon_set_layout *)layout;
}

static inline const struct radeon_set_layout *radeon_layout_of_set(const struct vk_descriptor_set *set)
{
    return (const struct radeon_set_layout *)set->layout;
}

extern const struct vk_descriptor_ops radeon_descriptor_ops;

/* The CPU's copy of a pushed set. */
struct radeon_push_set {
    struct vk_descriptor_set set; /* of no pool: layout (a reference), map */
    uint32_t number;
    uint32_t capacity_B;
};

/* What is bound at one bind point. */
struct radeon_bindings {
    uint64_t set_va[RADEON_MAX_SETS];                /* 0: nothing in memory */
    uint32_t valid, dirty;                           /* by set number; dirty: the user SGPRs must be written */
    uint32_t dynamic[RADEON_MAX_DYNAMIC_BUFFERS][4]; /* with offsets added, in the pipeline layout's order */
    uint32_t num_dynamic;
    bool dynamic_dirty;
    bool push_dirty;                  /* the pushed set is not in memory */
    struct radeon_push_set *push_set; /* NULL before the first push */
};

struct radeon_cmd_buffer;

/* ---- for the compiler ---- */

/* Set layouts as the compiler reads them. Dynamic buffers' descriptors lie after the push constants, from
 * radeon_dynamic_offset_B(push_size_B) on, 16 bytes each, in the order of the pipeline layout's sets and of their
 * bindings. NULL layouts are sets that the shader does not read. The tables live as long as the layouts and until
 * radeon_compiler_layouts_finish. */
struct radeon_compiler_layouts {
    struct amd_set_layout sets[RADEON_MAX_SETS];
    uint32_t num_sets;
    struct amd_binding_layout *copies; /* of sets that have dynamic buffers; NULL: none has */
};

static inline uint32_t radeon_dynamic_offset_B(uint32_t push_size_B)
{
    return (push_size_B + 15) & ~15u;
}

/* VK_ERROR_OUT_OF_HOST_MEMORY, and nothing to finish, when there is no memory. */
VkResult radeon_layouts_for_compiler(struct radeon_device *device, struct vk_descriptor_set_layout *const *set_layouts,
                                     uint32_t count, uint32_t push_size_B, struct radeon_compiler_layouts *layouts_out);
void radeon_compiler_layouts_finish(struct radeon_device *device, struct radeon_compiler_layouts *layouts);

/* ---- for recording ---- */

/* The first dynamic descriptor of `set` among those of the pipeline layout. */
uint32_t radeon_layout_first_dynamic(const struct vk_pipeline_layout *layout, uint32_t set);

void radeon_push_set_upload(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings);

/* What was pushed since the last draw or dispatch goes to memory (before user data is written). */
static inline void radeon_push_descriptors_flush(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings)
{
    if (__builtin_expect(bindings->push_dirty, 0))
        radeon_push_set_upload(cmd, bindings);
}

void radeon_bindings_reset(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings);
void radeon_bindings_finish(struct radeon_cmd_buffer *cmd, struct radeon_bindings *bindings);

/* ---- between the files of descriptor sets ---- */

/* An element's bytes; 0 for dynamic buffers and inline blocks. `planes` is of images with a sampler; `types` is of
 * VK_DESCRIPTOR_TYPE_MUTABLE_EXT, NULL: any. */
uint32_t radeon_descriptor_B(VkDescriptorType type, uint32_t planes, const VkMutableDescriptorTypeListEXT *types);

/* Bytes of a set whose variable binding has so many elements. */
uint32_t radeon_set_layout_size_B(const struct radeon_set_layout *layout, uint32_t variable_count);

/* What no update ever changes: immutable samplers, and the buffers over inline blocks where the set has an address. */
void radeon_write_fixed_content(struct vk_descriptor_set *set);

/* `count` descriptors from array element `first` on, and on into the next bindings. Infos are src_stride_B apart: of
 * the type that VkWriteDescriptorSet has for `type`; bytes of inline blocks lie in one piece. */
void radeon_write_descriptors(struct vk_descriptor_set *set, VkDescriptorType type, uint32_t binding, uint32_t first,
                              uint32_t count, const void *src, size_t src_stride_B);
void radeon_write_descriptor_set(struct vk_descriptor_set *set, const VkWriteDescriptorSet *write);

struct vk_descriptor_update_template;
void radeon_write_template(struct vk_descriptor_set *set, const struct vk_descriptor_update_template *template,
                           const void *data);

#endif
