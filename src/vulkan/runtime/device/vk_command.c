/* Looks names up in the perfect hash that gen_dispatch.py built, and decides what is provided. */
#include "vulkan/runtime/device/vk_command.h"

#include <string.h>

#include "util/bits.h"

extern const uint32_t vk_command_hash_bits;
extern const uint32_t vk_command_bucket_mask;
extern const uint16_t vk_command_displacements[];
extern const uint16_t vk_command_hash[]; /* index in vk_commands plus one; 0: empty */

/* As in gen_dispatch.py: a loader asks for a thousand names, of thirty characters, with every instance and device. */
static uint64_t add_bytes(uint64_t hash, const char *eight)
{
    uint64_t bytes;
    memcpy(&bytes, eight, sizeof(bytes));
    hash = (hash ^ bytes) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 32;
}

const struct vk_command *vk_command_find(const char *name)
{
    const size_t length = name ? strlen(name) : 0;
    if (length < sizeof(uint64_t))
        return NULL;
    uint64_t hash = 0;
    for (size_t at = 0; at + sizeof(hash) < length; at += sizeof(hash))
        hash = add_bytes(hash, name + at);
    hash = add_bytes(hash, name + length - sizeof(hash));

    uint32_t displacement = vk_command_displacements[hash & vk_command_bucket_mask];
    uint32_t place = (((uint32_t)(hash >> 32) ^ displacement) * 0x9e3779b1u) >> (32 - vk_command_hash_bits);
    uint32_t index = vk_command_hash[place];
    if (index == 0)
        return NULL;
    const struct vk_command *command = &vk_commands[index - 1];
    const bool is_same = command->name_length == length && memcmp(vk_command_name(command), name, length) == 0;
    return is_same ? command : NULL;
}

static bool need_is_met(const struct vk_command_need *need, uint32_t api_version,
                        const struct vk_instance_extensions *instance, const struct vk_device_extensions *device)
{
    if (need->version > api_version)
        return false;
    for (unsigned i = 0; i < ARRAY_SIZE(need->extensions); i++) {
        int code = need->extensions[i];
        if (code > 0 && !(device && device->enabled[code - 1]))
            return false;
        if (code < 0 && !(instance && instance->enabled[-code - 1]))
            return false;
    }
    return true;
}

bool vk_command_is_provided(const struct vk_command *command, uint32_t api_version,
                            const struct vk_instance_extensions *instance, const struct vk_device_extensions *device)
{
    /* A patch number says nothing about commands. */
    api_version = VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(api_version), VK_API_VERSION_MINOR(api_version), 0);
    for (unsigned i = 0; i < command->need_count; i++) {
        if (need_is_met(&vk_command_needs[command->need_first + i], api_version, instance, device))
            return true;
    }
    return false;
}

const struct vk_command *vk_command_next_missing(const struct vk_command *after, enum vk_command_kind kind,
                                                 const PFN_vkVoidFunction *slots, uint32_t api_version,
                                                 const struct vk_instance_extensions *instance,
                                                 const struct vk_device_extensions *device)
{
    const struct vk_command *end = vk_commands + vk_command_count;
    for (const struct vk_command *command = after ? after + 1 : vk_commands; command < end; command++) {
        if (command->kind == kind && !command->global && !slots[command->slot] &&
            vk_command_is_provided(command, api_version, instance, device))
            return command;
    }
    return NULL;
}
