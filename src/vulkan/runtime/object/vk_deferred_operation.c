/* VkDeferredOperationKHR: nothing is ever deferred. A command that is given one does its work before it returns
 * (VK_OPERATION_NOT_DEFERRED_KHR), so an operation is complete whenever the application looks. */
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

struct deferred_operation {
    struct vk_object_base base;
};

VK_DEFINE_CASTS(deferred_operation, VkDeferredOperationKHR)

VKAPI_ATTR VkResult VKAPI_CALL vk_common_CreateDeferredOperationKHR(VkDevice handle,
                                                                    const VkAllocationCallbacks *allocator,
                                                                    VkDeferredOperationKHR *operation_out)
{
    struct deferred_operation *operation = vk_object_create(vk_device_from_handle(handle), allocator,
                                                            sizeof(*operation), VK_OBJECT_TYPE_DEFERRED_OPERATION_KHR);
    if (!operation)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    *operation_out = deferred_operation_to_handle(operation);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vk_common_DestroyDeferredOperationKHR(VkDevice handle, VkDeferredOperationKHR operation,
                                                                 const VkAllocationCallbacks *allocator)
{
    vk_object_destroy(vk_device_from_handle(handle), allocator,
                      (struct vk_object_base *)deferred_operation_from_handle(operation));
}

/* No thread could help with what is complete. */
VKAPI_ATTR uint32_t VKAPI_CALL vk_common_GetDeferredOperationMaxConcurrencyKHR(VkDevice handle,
                                                                               VkDeferredOperationKHR operation)
{
    return 0;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetDeferredOperationResultKHR(VkDevice handle,
                                                                       VkDeferredOperationKHR operation)
{
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_DeferredOperationJoinKHR(VkDevice handle, VkDeferredOperationKHR operation)
{
    return VK_SUCCESS;
}
