/* Sync types under TUFF_TIMELINE. */
#include "vulkan/runtime/vk_sync_choice.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/vk_alloc.h"
#include "vulkan/runtime/vk_submit.h"
#include "vulkan/runtime/vk_sync_binary.h"

int vk_environment_choice(const char *variable, const char *const *words, int count, int otherwise)
{
    const char *text = secure_getenv(variable);
    if (!text || !*text)
        return otherwise;
    for (int i = 0; i < count; i++) {
        if (!strcmp(text, words[i]))
            return i;
    }
    LOG_WARN("vulkan", "%s=%s is not known and ignored", variable, text);
    return otherwise;
}

static bool is_binary_over_timeline(const struct vk_sync_type *type)
{
    struct vk_sync probe = {.type = type};
    return vk_sync_as_binary(&probe) != NULL;
}

/* What a type must not have in this mode. */
static uint32_t too_much(enum vk_timeline_mode mode, uint32_t features)
{
    switch (mode) {
    case VK_TIMELINE_ASSISTED:
        return VK_SYNC_WAIT_BEFORE_SIGNAL;
    case VK_TIMELINE_NATIVE:
        return features & VK_SYNC_WAIT_BEFORE_SIGNAL ? 0 : VK_SYNC_TIMELINE;
    default: /* a kernel that knows no timelines cannot tell a submitted signal from none, either */
        return VK_SYNC_TIMELINE | VK_SYNC_WAIT_PENDING | VK_SYNC_WAIT_BEFORE_SIGNAL;
    }
}

/* The driver's types without what is too much. Emulations are made of others and cannot be copied: those of timelines
 * are left out (the one mode that wants one makes its own), and a binary over a timeline stays as it is. */
static void weaken(struct vk_sync_choice *choice, const struct vk_sync_type *const *types)
{
    uint32_t count = 0, copies = 0;
    for (uint32_t i = 0; i < VK_SYNC_CHOICE_TYPES && types && types[i]; i++) {
        const struct vk_sync_type *type = types[i];
        uint32_t excess = type->features & too_much(choice->mode, type->features);
        if (vk_sync_type_is_emulated_timeline(type))
            continue;
        if (excess && !is_binary_over_timeline(type)) {
            struct vk_sync_type *weakened = &choice->weakened[copies++];
            *weakened = *type;
            weakened->features &= ~excess;
            type = weakened;
        }
        if (type->features & (VK_SYNC_BINARY | VK_SYNC_TIMELINE))
            choice->types[count++] = type;
    }
}

static bool emulate(struct vk_sync_choice *choice)
{
    for (const struct vk_sync_type **type = choice->types; *type; type++) {
        if (is_binary_over_timeline(*type) || !vk_sync_timeline_type_init(&choice->emulated, *type))
            continue;
        while (*type)
            type++;
        *type = &choice->emulated.base;
        return true;
    }
    return false;
}

static bool satisfies(struct vk_sync_choice *choice)
{
    const uint32_t timeline = VK_SYNC_TIMELINE | VK_SYNC_GPU_WAIT | VK_SYNC_CPU_WAIT;
    switch (choice->mode) {
    case VK_TIMELINE_EMULATED:
        return emulate(choice);
    case VK_TIMELINE_ASSISTED:
        return vk_sync_type_find(choice->types, timeline);
    case VK_TIMELINE_NATIVE:
        return vk_sync_type_find(choice->types, timeline | VK_SYNC_WAIT_BEFORE_SIGNAL);
    default:
        return true;
    }
}

VkResult vk_sync_choice_create(const VkAllocationCallbacks *alloc, const struct vk_sync_type *const *types,
                               struct vk_sync_choice **choice_out)
{
    static const char *const words[] = {
        [VK_TIMELINE_NONE] = "none",
        [VK_TIMELINE_EMULATED] = "emulated",
        [VK_TIMELINE_ASSISTED] = "assisted",
        [VK_TIMELINE_NATIVE] = "native",
    };
    *choice_out = NULL;
    int mode = vk_environment_choice("TUFF_TIMELINE", words, ARRAY_SIZE(words), -1);
    if (mode < 0)
        return VK_SUCCESS;
    struct vk_sync_choice *choice = vk_zalloc(alloc, NULL, sizeof(*choice), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!choice)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    choice->mode = (enum vk_timeline_mode)mode;
    weaken(choice, types);
    if (!satisfies(choice)) {
        LOG_WARN("vulkan", "TUFF_TIMELINE=%s is more than this device can do and ignored", words[mode]);
        vk_free(alloc, NULL, choice);
        return VK_SUCCESS;
    }
    *choice_out = choice;
    return VK_SUCCESS;
}
