/* Names of enum values and flag bits, for logs and reports. */
#ifndef VULKAN_RUNTIME_VK_ENUM_H
#define VULKAN_RUNTIME_VK_ENUM_H

#include <stdbool.h>
#include <stdint.h>

#include "vulkan/runtime/gen/vk_enum_names.h"

struct strbuf;

struct vk_enum_value {
    int64_t value;
    uint32_t name; /* offset in vk_enum_strings, like all names here */
};

struct vk_enum {
    uint32_t name;       /* VkFooFlagBits */
    uint32_t flags_name; /* VkFooFlags; empty for a plain enum */
    uint32_t unknown;    /* what stands for a value without a name */
    uint32_t first;      /* in vk_enum_values, sorted by value */
    uint16_t count;
    bool bitmask;
    uint8_t bits;
};

extern const struct vk_enum vk_enums[VK_ENUM_COUNT];
extern const struct vk_enum_value vk_enum_values[];
extern const char vk_enum_strings[];

/* vk_enum_name (in vk_enum_names.h) never returns NULL: an unknown value is "unknown VkFoo". This one returns NULL. */
const char *vk_enum_lookup(enum vk_enum_id id, int64_t value);

/* By the name of its type, flags included ("VkResult", "VkBufferUsageFlags"); VK_ENUM_COUNT when there is none. */
enum vk_enum_id vk_enum_find(const char *type_name);

/* The value's name, or its number. */
void vk_enum_print(struct strbuf *out, enum vk_enum_id id, int64_t value);

/* The names of all bits set, separated by '|'; bits without a name as one hexadecimal number; 0 as "0" or as its name.
 */
void vk_flags_print(struct strbuf *out, enum vk_enum_id id, uint64_t flags);

#endif
