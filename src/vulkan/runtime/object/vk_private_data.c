/* VkPrivateDataSlot: words that an application attaches to objects. They are in a list of the object itself and are
 * freed with it; a slot is a number that is never used again, so a word of a slot that is gone is never found. */
#include <stdatomic.h>

#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

struct vk_private_word {
    struct vk_private_word *next;
    uint64_t slot;
    uint64_t value;
};

struct slot {
    struct vk_object_base base;
    uint64_t number;
};

VK_DEFINE_CASTS(slot, VkPrivateDataSlot)

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreatePrivateDataSlot(VkDevice handle, const VkPrivateDataSlotCreateInfo *info,
                                                               const VkAllocationCallbacks *allocator,
                                                               VkPrivateDataSlot *slot_out)
{
    static _Atomic uint64_t next_number;
    struct slot *slot =
        vk_object_create(vk_device_from_handle(handle), allocator, sizeof(*slot), VK_OBJECT_TYPE_PRIVATE_DATA_SLOT);
    if (!slot)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    slot->number = atomic_fetch_add(&next_number, 1);
    *slot_out = slot_to_handle(slot);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyPrivateDataSlot(VkDevice handle, VkPrivateDataSlot slot,
                                                            const VkAllocationCallbacks *allocator)
{
    vk_object_destroy(vk_device_from_handle(handle), allocator, (struct vk_object_base *)slot_from_handle(slot));
}

static struct vk_private_word *find_word(const struct vk_object_base *object, uint64_t slot)
{
    struct vk_private_word *word = object->private_words;
    while (word && word->slot != slot)
        word = word->next;
    return word;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_SetPrivateData(VkDevice handle, VkObjectType type, uint64_t object_handle,
                                                        VkPrivateDataSlot slot, uint64_t value)
{
    struct vk_device *device = vk_device_from_handle(handle);
    struct vk_object_base *object = (struct vk_object_base *)(uintptr_t)object_handle;
    uint64_t number = slot_from_handle(slot)->number;
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&device->object_lock);
    struct vk_private_word *word = find_word(object, number);
    if (!word) {
        word = vk_alloc(&device->alloc, NULL, sizeof(*word), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (word) {
            *word = (struct vk_private_word){object->private_words, number, 0};
            object->private_words = word;
        } else {
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    if (word)
        word->value = value;
    pthread_mutex_unlock(&device->object_lock);
    return result;
}

VKAPI_ATTR void VKAPI_CALL vk_common_GetPrivateData(VkDevice handle, VkObjectType type, uint64_t object_handle,
                                                    VkPrivateDataSlot slot, uint64_t *value_out)
{
    struct vk_device *device = vk_device_from_handle(handle);
    pthread_mutex_lock(&device->object_lock);
    const struct vk_private_word *word =
        find_word((const struct vk_object_base *)(uintptr_t)object_handle, slot_from_handle(slot)->number);
    *value_out = word ? word->value : 0;
    pthread_mutex_unlock(&device->object_lock);
}

void vk_object_drop_private_words(struct vk_object_base *base)
{
    for (struct vk_private_word *word = base->private_words, *next; word; word = next) {
        next = word->next;
        vk_free(&base->device->alloc, NULL, word);
    }
    base->private_words = NULL;
}
