/* The beginning of every object behind a Vulkan handle, and the casts between handle and object. */
#ifndef VULKAN_RUNTIME_VK_OBJECT_H
#define VULKAN_RUNTIME_VK_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/object/vk_alloc.h"
#include "vulkan/runtime/object/vk_api.h"

struct vk_device;
struct vk_object_debug;
struct vk_private_word;

struct vk_object_base {
    /* The loader keeps its own dispatch table in the first word of a dispatchable object and expects its magic number
     * there when the driver hands the object out. */
    uintptr_t loader_data;
    VkObjectType type;
    struct vk_private_word *private_words; /* vk_private_data.c */
    struct vk_object_debug *debug;         /* names, tags, labels: vk_debug_utils.h */
    struct vk_device *device; /* NULL for an instance and a physical device; a device's own for a device */
};

/* A handle's C type by its object type. */
struct vk_object_type_info {
    int32_t type;   /* VkObjectType */
    int32_t parent; /* VkObjectType; VK_OBJECT_TYPE_UNKNOWN for an instance */
    uint32_t name;  /* offset in vk_struct_names */
    bool dispatchable;
};

extern const struct vk_object_type_info vk_object_type_infos[]; /* sorted by type */
extern const uint32_t vk_object_type_info_count;

/* NULL for a type without a handle. */
const struct vk_object_type_info *vk_object_type_info_find(VkObjectType type);

/* "VkBuffer"; "unknown handle" for a type without one. */
const char *vk_object_type_handle_name(VkObjectType type);

void vk_object_base_init(struct vk_object_base *base, struct vk_device *device, VkObjectType type);
void vk_object_base_finish(struct vk_object_base *base);
void vk_object_drop_private_words(struct vk_object_base *base);

/* An object of `size_B` bytes, zeroed, that begins with its base; NULL when there is no memory. */
void *vk_object_create(struct vk_device *device, const VkAllocationCallbacks *own, size_t size_B, VkObjectType type);

/* For an object from vk_object_create; NULL is allowed, as in every vkDestroy command. */
void vk_object_destroy(struct vk_device *device, const VkAllocationCallbacks *own, struct vk_object_base *base);

/* struct `c_type`, whose first member is (or begins with) a vk_object_base, behind handles of `vk_type`. */
#define VK_DEFINE_CASTS(c_type, vk_type)                                                                               \
    __attribute__((unused)) static inline struct c_type *c_type##_from_handle(vk_type handle)                          \
    {                                                                                                                  \
        return (struct c_type *)(uintptr_t)handle;                                                                     \
    }                                                                                                                  \
    __attribute__((unused)) static inline vk_type c_type##_to_handle(struct c_type *object)                            \
    {                                                                                                                  \
        return (vk_type)(uintptr_t)object;                                                                             \
    }

#endif
