/* Binary search in the generated tables of names. */
#include "vulkan/runtime/object/vk_enum.h"

#include <inttypes.h>
#include <string.h>

#include "util/strbuf.h"

const char *vk_enum_lookup(enum vk_enum_id id, int64_t value)
{
    const struct vk_enum *info = &vk_enums[id];
    uint32_t low = info->first, high = info->first + info->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (vk_enum_values[middle].value == value)
            return vk_enum_strings + vk_enum_values[middle].name;
        if (vk_enum_values[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *vk_enum_name(enum vk_enum_id id, int64_t value)
{
    const char *name = vk_enum_lookup(id, value);
    return name ? name : vk_enum_strings + vk_enums[id].unknown;
}

enum vk_enum_id vk_enum_find(const char *type_name)
{
    if (!type_name || !*type_name)
        return VK_ENUM_COUNT;
    enum vk_enum_id id = 0;
    while (id < VK_ENUM_COUNT && strcmp(vk_enum_strings + vk_enums[id].name, type_name) != 0 &&
           strcmp(vk_enum_strings + vk_enums[id].flags_name, type_name) != 0)
        id++;
    return id;
}

void vk_enum_print(struct strbuf *out, enum vk_enum_id id, int64_t value)
{
    const char *name = vk_enum_lookup(id, value);
    if (name)
        strbuf_append(out, name);
    else
        strbuf_printf(out, "%" PRId64, value);
}

void vk_flags_print(struct strbuf *out, enum vk_enum_id id, uint64_t flags)
{
    const char *zero = flags == 0 ? vk_enum_lookup(id, 0) : NULL;
    if (flags == 0) {
        strbuf_append(out, zero ? zero : "0");
        return;
    }
    const char *separator = "";
    uint64_t nameless = 0;
    for (uint64_t left = flags; left; left &= left - 1) {
        uint64_t bit = left & -left;
        const char *name = vk_enum_lookup(id, (int64_t)bit);
        if (!name) {
            nameless |= bit;
            continue;
        }
        strbuf_printf(out, "%s%s", separator, name);
        separator = "|";
    }
    if (nameless)
        strbuf_printf(out, "%s0x%" PRIx64, separator, nameless);
}
