/* Sets of extensions: from names, to properties, and whether they are sound. */
#include "vulkan/runtime/device/vk_extension.h"

#include <string.h>

#include "util/bits.h"
#include "util/log.h"

/* The tables are sorted by name: the first that does not stand before this one. */
static int place_of(const struct vk_extension_info *infos, int count, const char *name)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (strcmp(vk_extension_name(&infos[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int find_extension(const struct vk_extension_info *infos, int count, const char *name)
{
    int place = name ? place_of(infos, count, name) : count;
    return place < count && strcmp(name, vk_extension_name(&infos[place])) == 0 ? place : -1;
}

int vk_instance_extension_find(const char *name)
{
    return find_extension(vk_instance_extension_infos, VK_INSTANCE_EXTENSION_COUNT, name);
}

int vk_device_extension_find(const char *name)
{
    return find_extension(vk_device_extension_infos, VK_DEVICE_EXTENSION_COUNT, name);
}

static VkResult from_names(const struct vk_extension_info *infos, int info_count, const char *const *names,
                           uint32_t count, const bool *supported, bool *set_out)
{
    memset(set_out, 0, sizeof(bool) * (size_t)info_count);
    for (uint32_t i = 0; i < count; i++) {
        int index = find_extension(infos, info_count, names[i]);
        if (index < 0 || !supported[index]) {
            LOG_INFO("vulkan", "extension %s is not supported", names[i] ? names[i] : "(null)");
            return VK_ERROR_EXTENSION_NOT_PRESENT;
        }
        set_out[index] = true;
    }
    return VK_SUCCESS;
}

VkResult vk_instance_extensions_from_names(const char *const *names, uint32_t count,
                                           const struct vk_instance_extensions *supported,
                                           struct vk_instance_extensions *set_out)
{
    return from_names(vk_instance_extension_infos, VK_INSTANCE_EXTENSION_COUNT, names, count, supported->enabled,
                      set_out->enabled);
}

VkResult vk_device_extensions_from_names(const char *const *names, uint32_t count,
                                         const struct vk_device_extensions *supported,
                                         struct vk_device_extensions *set_out)
{
    return from_names(vk_device_extension_infos, VK_DEVICE_EXTENSION_COUNT, names, count, supported->enabled,
                      set_out->enabled);
}

static uint32_t count_members(const bool *set, int first, int end)
{
    uint32_t count = 0;
    for (; end - first >= 8; first += 8) {
        uint64_t eight;
        memcpy(&eight, set + first, sizeof(eight));
        count += eight * 0x0101010101010101ull >> 56;
    }
    for (; first < end; first++)
        count += set[first];
    return count;
}

/* Names of Khronos and of others in turn, as long as there are both: a loader looks for each among all before it, some
 * times with every device, which is a quarter of what a start costs. In an array of 260 bytes each, names at an even
 * distance lie alike in words of eight bytes, which strcmp is quicker with, and those at an odd one differ in the
 * fourth letter. What follows a name's end is nobody's and stays. */
static VkResult enumerate_extensions(const struct vk_extension_info *infos, int info_count, const bool *set,
                                     uint32_t *count, VkExtensionProperties *properties)
{
    const uint32_t available = count_members(set, 0, info_count);
    VkResult result = vk_two_call(available, count, properties);
    if (!properties)
        return result;

    const int first = place_of(infos, info_count, "VK_KHR_"), end = place_of(infos, info_count, "VK_KHR`");
    const uint32_t of_khronos = count_members(set, first, end), of_others = available - of_khronos;
    uint32_t khronos = 0, others = 0;
    for (int i = 0; i < info_count; i++) {
        if (!set[i])
            continue;
        const bool is_khronos = first <= i && i < end;
        const uint32_t place = is_khronos ? khronos + MIN2(khronos, of_others) : others + MIN2(others + 1, of_khronos);
        *(is_khronos ? &khronos : &others) += 1;
        if (place >= *count)
            continue;
        strcpy(properties[place].extensionName, vk_extension_name(&infos[i]));
        properties[place].specVersion = infos[i].spec_version;
    }
    return result;
}

VkResult vk_instance_extensions_enumerate(const struct vk_instance_extensions *set, uint32_t *count,
                                          VkExtensionProperties *properties)
{
    return enumerate_extensions(vk_instance_extension_infos, VK_INSTANCE_EXTENSION_COUNT, set->enabled, count,
                                properties);
}

VkResult vk_device_extensions_enumerate(const struct vk_device_extensions *set, uint32_t *count,
                                        VkExtensionProperties *properties)
{
    return enumerate_extensions(vk_device_extension_infos, VK_DEVICE_EXTENSION_COUNT, set->enabled, count, properties);
}

struct context {
    const struct vk_instance_extensions *instance;
    const struct vk_device_extensions *device;
    uint32_t api_version;
};

static bool is_there(const struct context *context, int code)
{
    while (code != 0) {
        bool device = code > 0;
        int index = device ? code - 1 : -code - 1;
        const struct vk_extension_info *info =
            device ? &vk_device_extension_infos[index] : &vk_instance_extension_infos[index];
        if (device ? context->device && context->device->enabled[index]
                   : context->instance && context->instance->enabled[index])
            return true;
        if (info->promoted_to_version && info->promoted_to_version <= context->api_version)
            return true;
        code = info->promoted_to_extension;
    }
    return false;
}

static bool needs_are_met(const struct context *context, const struct vk_extension_info *info)
{
    bool met = false;
    for (unsigned i = 0; i < info->need_count; i++) {
        const struct vk_extension_need *need = &vk_extension_needs[info->need_first + i];
        met |= need->version ? need->version <= context->api_version : is_there(context, need->extension);
        if (need->ends_clause && !met)
            return false;
        if (need->ends_clause)
            met = false;
    }
    return true;
}

static const char *find_unsound(const struct context *context, const struct vk_extension_info *infos, int count,
                                const bool *set)
{
    for (int i = 0; set && i < count; i++) {
        if (set[i] && !(infos[i].platform_available && needs_are_met(context, &infos[i])))
            return vk_extension_name(&infos[i]);
    }
    return NULL;
}

const char *vk_extensions_find_unsound(const struct vk_instance_extensions *instance,
                                       const struct vk_device_extensions *device, uint32_t api_version)
{
    struct context context = {instance, device, api_version};
    const char *name = find_unsound(&context, vk_instance_extension_infos, VK_INSTANCE_EXTENSION_COUNT,
                                    instance ? instance->enabled : NULL);
    return name ? name
                : find_unsound(&context, vk_device_extension_infos, VK_DEVICE_EXTENSION_COUNT,
                               device ? device->enabled : NULL);
}
