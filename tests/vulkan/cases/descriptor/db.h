/* Descriptor buffers for the end-to-end cases: memory that descriptors are written to by hand, layouts, and sets that
 * are places in that memory. What a driver says of sizes and offsets is all that is known of them. */
#ifndef TESTS_VULKAN_DB_H
#define TESTS_VULKAN_DB_H

#include "vt/vt_graphics.h"
#include "vulkan/runtime/gen/vk_newer.h"

#define DB_MAX_MEMORIES 8
#define DB_ALL (VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT)

struct db_memory {
    struct vt_buffer buffer;
    VkBufferUsageFlags usage;
    VkDeviceSize used_B;
};

struct db {
    struct vt *vt;
    VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes;
    VkPhysicalDeviceDescriptorBufferFeaturesEXT features;
    struct db_memory memories[DB_MAX_MEMORIES];
    uint32_t num_memories;
    PFN_vkGetDescriptorSetLayoutSizeEXT get_size;
    PFN_vkGetDescriptorSetLayoutBindingOffsetEXT get_offset;
    PFN_vkGetDescriptorEXT get;
    PFN_vkCmdBindDescriptorBuffersEXT bind_buffers;
    PFN_vkCmdSetDescriptorBufferOffsetsEXT set_offsets;
    PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT bind_samplers;
};

/* Skips where there is nothing of it. */
void db_open(struct db *db, struct vt *vt);
/* lavapipe ends with a signal when a shader uses embedded samplers: the case skips there. */
void db_need_embedded(struct db *db);

/* Memory of this usage, which the host sees; the number of the buffer that db_bind binds it as. */
uint32_t db_memory(struct db *db, VkDeviceSize size_B, VkBufferUsageFlags usage);

/* ---- descriptors ---- */

/* One of them; nothing but the type: a null descriptor. */
struct db_item {
    VkDescriptorType type;
    VkDescriptorImageInfo image;
    VkDeviceAddress address;
    VkDeviceSize range_B;
    VkFormat format; /* of texel buffers */
};

#define DB_STORAGE(b)                                                                                                  \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .address = (b).address, .range_B = (b).size_B                       \
    }
#define DB_UNIFORM(b)                                                                                                  \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .address = (b).address, .range_B = (b).size_B                       \
    }
#define DB_UNIFORM_TEXELS(b, f)                                                                                        \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, .address = (b).address, .range_B = (b).size_B, .format = f    \
    }
#define DB_STORAGE_TEXELS(b, f)                                                                                        \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, .address = (b).address, .range_B = (b).size_B, .format = f    \
    }
#define DB_SAMPLER(s)                                                                                                  \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_SAMPLER, .image = {.sampler = s }                                                   \
    }
#define DB_IMAGE(t, v, l)                                                                                              \
    {                                                                                                                  \
        .type = t, .image = { VK_NULL_HANDLE, v, l }                                                                   \
    }
#define DB_SAMPLED(v) DB_IMAGE(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, v, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL)
#define DB_STORAGE_IMAGE(v) DB_IMAGE(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, v, VK_IMAGE_LAYOUT_GENERAL)
#define DB_COMBINED(s, v)                                                                                              \
    {                                                                                                                  \
        .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .image = { s, v, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL } \
    }

/* The bytes that a descriptor of this type takes, buffers with checked bounds. */
size_t db_size_B(const struct db *db, VkDescriptorType type);

/* ---- sets ---- */

struct db_binding {
    VkDescriptorType type;
    uint32_t count;              /* 0: 1; of an inline block its bytes */
    struct db_item item;         /* the only one, */
    const struct db_item *items; /* or all of them; their types may differ where the binding's is mutable */
    const void *inline_data;
    const VkSampler *immutable;
    VkDescriptorBindingFlags flags;
    uint32_t written;                            /* elements of a variable count that are there; 0: all */
    const VkMutableDescriptorTypeListEXT *types; /* of a mutable one */
};

#define DB_ONE(...)                                                                                                    \
    {                                                                                                                  \
        .item = __VA_ARGS__                                                                                            \
    }

struct db_set {
    VkDescriptorSetLayout layout;
    uint32_t memory;
    VkDeviceSize offset_B, size_B;
};

/* For all stages; of binding i is the number i. Flags beside the one that says what it is for. */
VkDescriptorSetLayout db_layout(struct db *db, const struct db_binding *bindings, uint32_t count,
                                VkDescriptorSetLayoutCreateFlags flags);
/* A place in the memory, without descriptors yet. */
struct db_set db_place(struct db *db, uint32_t memory, VkDescriptorSetLayout layout);
/* Descriptors to a place that the host sees; the memory's, as a rule. */
void db_write(struct db *db, void *set, VkDescriptorSetLayout layout, const struct db_binding *bindings,
              uint32_t count);
void *db_map(struct db *db, const struct db_set *set);
/* All of it. */
struct db_set db_set(struct db *db, uint32_t memory, const struct db_binding *bindings, uint32_t count);

/* ---- pipelines and commands ---- */

VkPipeline db_compute(struct db *db, struct vt_spirv code, VkPipelineLayout layout,
                      const VkSpecializationInfo *specialization);
void db_bind(struct db *db, VkCommandBuffer commands);
void db_use(struct db *db, VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first,
            const struct db_set *sets, uint32_t count);

/* A compute shader on these sets, from nothing to the end. */
void db_dispatch(struct db *db, struct vt_spirv code, const VkSpecializationInfo *specialization,
                 const struct db_set *sets, uint32_t count, uint32_t push, uint32_t groups);

/* ---- what many cases use ---- */

/* An image of 4×4 texels of one colour, to be sampled. */
VkImageView db_colored(struct vt *vt, uint32_t texel);

static inline void db_expect(struct vt *vt, uint32_t got, uint32_t expected, const char *what)
{
    if (got != expected)
        vt_fail(vt, "%s is %u (0x%x), expected %u (0x%x)", what, got, got, expected, expected);
}

/* A descriptor of every kind that compute has, for shaders/descriptor.comp, and what that leaves. */
#define DB_KINDS 8

struct db_kinds {
    struct db_binding bindings[DB_KINDS];
    struct vt_image storage;
    struct vt_buffer storage_texels, words;
};

void db_make_kinds(struct db *db, struct db_kinds *out);
void db_check_kinds(struct vt *vt, struct db_kinds *kinds);

#endif
