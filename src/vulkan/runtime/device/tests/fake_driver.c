/* The two drivers. Buffers have no memory and commands do nothing but count. */
#include "vulkan/runtime/device/tests/fake_driver.h"

#include <drm.h>
#include <errno.h>
#include <string.h>

#include "kernel/kernel.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/tests/fake_entrypoints.h"
#include "vulkan/runtime/gen/vk_properties.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/sync/vk_queue.h"

struct fake_state fake_state;

struct fake_physical_device {
    struct vk_physical_device vk;
    struct kernel_file *file;
};

struct fake_device {
    struct vk_device vk;
    struct vk_queue queue;
};

struct fake_object {
    struct vk_object_base base;
    VkDeviceSize size_B;
};

VK_DEFINE_CASTS(fake_physical_device, VkPhysicalDevice)
VK_DEFINE_CASTS(fake_device, VkDevice)

static const struct vk_device_extensions new_extensions = {
    .EXT_calibrated_timestamps = true,
    .EXT_extended_dynamic_state = true,
    .KHR_push_descriptor = true,
    .KHR_timeline_semaphore = true,
};

static const struct vk_features new_features = {
    .extendedDynamicState = true,
    .robustBufferAccess = true,
    .shaderInt64 = true,
    .synchronization2 = true,
    .timelineSemaphore = true,
};

static void close_device(struct vk_physical_device *base)
{
    kernel_close(((struct fake_physical_device *)base)->file);
    fake_state.alive--;
}

static VkResult open_device(struct vk_physical_device *base, struct kernel_file *file, uint32_t vendor_id)
{
    struct fake_physical_device *physical = (struct fake_physical_device *)base;
    physical->file = file;
    base->queue_family_count = 1;
    base->queue_families[0] = (VkQueueFamilyProperties){
        VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 0, {1, 1, 1}};
    base->queue_priorities = VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR | VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR;
    vk_identity_name(
        &base->identity,
        &(const struct vk_gpu_name){.marketing = "Fake", .vendor_id = vendor_id, .id_word = "device", .id_digits = 4});
    fake_state.alive++;
    return VK_SUCCESS;
}

/* Half of the first heap, and the second heap is lost to others. */
static void heap_use(struct vk_physical_device *base, uint32_t heap, uint64_t *own_B_out, uint64_t *budget_B_out)
{
    *own_B_out = heap == 0 ? 8192 : 0;
    *budget_B_out = heap == 0 ? base->memory.memoryHeaps[0].size / 2 + 1 : 0;
}

static VkResult open_new(struct vk_physical_device *base, struct kernel_file *file)
{
    base->supported_extensions = new_extensions;
    base->supported_extensions.KHR_swapchain = fake_state.unsound_extensions;
    base->supported_features = new_features;
    return open_device(base, file, FAKE_NEW_VENDOR);
}

/* The old one has a query of its own, to be told apart from the new one's. */
static VKAPI_ATTR void VKAPI_CALL old_GetPhysicalDeviceProperties(VkPhysicalDevice handle,
                                                                  VkPhysicalDeviceProperties *properties)
{
    VkPhysicalDeviceProperties2 all = vk_struct_init(VkPhysicalDeviceProperties2);
    fake_GetPhysicalDeviceProperties2(handle, &all);
    *properties = all.properties;
    properties->driverVersion = FAKE_OLD_DRIVER_VERSION;
}

static struct vk_physical_device_dispatch old_entrypoints;

static VkResult open_old(struct vk_physical_device *base, struct kernel_file *file)
{
    if (fake_state.old_result != VK_SUCCESS || fake_state.old_unsupported) {
        kernel_close(file);
        return fake_state.old_unsupported ? VK_ERROR_INCOMPATIBLE_DRIVER : fake_state.old_result;
    }
    old_entrypoints = fake_physical_device_entrypoints;
    old_entrypoints.GetPhysicalDeviceProperties = old_GetPhysicalDeviceProperties;
    base->supported_features = (struct vk_features){.robustBufferAccess = true};
    return open_device(base, file, FAKE_OLD_VENDOR);
}

static const char *const new_drm_names[] = {"fake-newest", "fake-new", NULL};
static const char *const old_drm_names[] = {"fake-old", NULL};

const struct vk_driver fake_new_driver = {
    .name = "fake new",
    .drm_names = new_drm_names,
    .physical_device_B = sizeof(struct fake_physical_device),
    .entrypoints = &fake_physical_device_entrypoints,
    .api_version = VK_MAKE_API_VERSION(0, 1, 3, VK_RUNTIME_PATCH),
    .open = open_new,
    .close = close_device,
    .heap_use = heap_use,
};

const struct vk_driver fake_old_driver = {
    .name = "fake old",
    .drm_names = old_drm_names,
    .physical_device_B = sizeof(struct fake_physical_device),
    .entrypoints = &old_entrypoints,
    .api_version = VK_MAKE_API_VERSION(0, 1, 0, VK_RUNTIME_PATCH),
    .open = open_old,
    .close = close_device,
};

static void set_limits(VkPhysicalDeviceLimits *limits)
{
    limits->maxImageDimension1D = limits->maxImageDimension2D = limits->maxImageDimensionCube = 4096;
    limits->maxImageDimension3D = limits->maxImageArrayLayers = 256;
    limits->maxUniformBufferRange = 16384;
    limits->maxStorageBufferRange = 1u << 27;
    limits->maxPushConstantsSize = 128;
    limits->maxMemoryAllocationCount = limits->maxSamplerAllocationCount = 4096;
    limits->bufferImageGranularity = 1;
    limits->maxBoundDescriptorSets = 4;
    for (unsigned i = 0; i < 3; i++) {
        limits->maxComputeWorkGroupCount[i] = 65535;
        limits->maxComputeWorkGroupSize[i] = 64;
    }
    limits->maxComputeWorkGroupInvocations = 128;
    limits->minMemoryMapAlignment = 64;
    limits->minTexelBufferOffsetAlignment = limits->minUniformBufferOffsetAlignment =
        limits->minStorageBufferOffsetAlignment = limits->nonCoherentAtomSize = 64;
    limits->optimalBufferCopyOffsetAlignment = limits->optimalBufferCopyRowPitchAlignment = 1;
    limits->timestampPeriod = 1.0f;
}

VKAPI_ATTR void VKAPI_CALL fake_GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *out)
{
    struct fake_physical_device *physical = fake_physical_device_from_handle(handle);
    struct vk_properties p = {0};
    vk_identity_fill_properties(&physical->vk.identity, true, &p);
    p.core.apiVersion = physical->vk.api_version;
    strcpy(p.core.deviceName, physical->vk.driver->name);
    set_limits(&p.core.limits);
    strcpy(p.driverName, physical->vk.driver->name);
    vk_properties_write(&p, out);
}

VKAPI_ATTR void VKAPI_CALL fake_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice handle,
                                                                   VkPhysicalDeviceMemoryProperties2 *out)
{
    memset(&out->memoryProperties, 0, sizeof(out->memoryProperties));
    out->memoryProperties.memoryTypeCount = 1;
    out->memoryProperties.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    out->memoryProperties.memoryHeapCount = 1;
    out->memoryProperties.memoryHeaps[0] = (VkMemoryHeap){FAKE_MEMORY_SIZE_B, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

VKAPI_ATTR void VKAPI_CALL fake_GetPhysicalDeviceFormatProperties2(VkPhysicalDevice handle, VkFormat format,
                                                                   VkFormatProperties2 *out)
{
    memset(&out->formatProperties, 0, sizeof(out->formatProperties));
}

VKAPI_ATTR VkResult VKAPI_CALL fake_GetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *out)
{
    memset(&out->imageFormatProperties, 0, sizeof(out->imageFormatProperties));
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

VKAPI_ATTR void VKAPI_CALL fake_GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
    VkSparseImageFormatProperties2 *properties)
{
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL fake_GetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalBufferInfo *info, VkExternalBufferProperties *out)
{
    memset(&out->externalMemoryProperties, 0, sizeof(out->externalMemoryProperties));
}

VKAPI_ATTR void VKAPI_CALL fake_GetPhysicalDeviceExternalFenceProperties(VkPhysicalDevice handle,
                                                                         const VkPhysicalDeviceExternalFenceInfo *info,
                                                                         VkExternalFenceProperties *out)
{
    out->externalFenceFeatures = 0;
}

VKAPI_ATTR void VKAPI_CALL fake_GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalSemaphoreInfo *info, VkExternalSemaphoreProperties *out)
{
    out->externalSemaphoreFeatures = 0;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_GetPhysicalDeviceCalibrateableTimeDomainsKHR(VkPhysicalDevice handle,
                                                                                 uint32_t *count,
                                                                                 VkTimeDomainEXT *domains)
{
    *count = 0;
    return VK_SUCCESS;
}

/* As much of a kernel as a queue needs that never gets any work. */
static int fake_ioctl(struct kernel_file *file, unsigned long request, void *argument)
{
    static _Atomic uint32_t last_handle;
    if (request == DRM_IOCTL_SYNCOBJ_CREATE)
        ((struct drm_syncobj_create *)argument)->handle = ++last_handle;
    return request == DRM_IOCTL_SYNCOBJ_CREATE || request == DRM_IOCTL_SYNCOBJ_DESTROY ? 0 : -ENOTTY;
}

static const struct kernel_file_ops fake_kernel_ops = {.ioctl = fake_ioctl};
static struct kernel_file fake_kernel = {.ops = &fake_kernel_ops, .refs = 1};

VKAPI_ATTR VkResult VKAPI_CALL fake_CreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator, VkDevice *device_out)
{
    struct fake_physical_device *physical = fake_physical_device_from_handle(handle);
    const VkAllocationCallbacks *parent = &physical->vk.instance->alloc;
    struct fake_device *device = vk_zalloc(parent, allocator, sizeof(*device), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!device)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = vk_device_init(&device->vk, &physical->vk, info, allocator, &fake_device_entrypoints,
                                     fake_state.layers, fake_state.layer_count);
    if (result != VK_SUCCESS) {
        vk_free(parent, allocator, device);
        return result;
    }
    device->vk.kernel_file = &fake_kernel;
    if (info->queueCreateInfoCount > 0)
        result = vk_queue_init(&device->queue, &device->vk, &info->pQueueCreateInfos[0], 0, NULL);
    if (result != VK_SUCCESS) {
        vk_device_finish(&device->vk);
        vk_free(parent, allocator, device);
        return result;
    }
    *device_out = fake_device_to_handle(device);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL fake_DestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    struct fake_device *device = fake_device_from_handle(handle);
    if (!device)
        return;
    if (device->queue.base.device)
        vk_queue_finish(&device->queue);
    VkAllocationCallbacks alloc = device->vk.alloc;
    vk_device_finish(&device->vk);
    vk_free(&alloc, NULL, device);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_DeviceWaitIdle(VkDevice handle)
{
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_QueueWaitIdle(VkQueue handle)
{
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_CreateBuffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator, VkBuffer *buffer_out)
{
    struct fake_object *buffer =
        vk_object_create(vk_device_from_handle(handle), allocator, sizeof(*buffer), VK_OBJECT_TYPE_BUFFER);
    if (!buffer)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    buffer->size_B = info->size;
    *buffer_out = (VkBuffer)(uintptr_t)buffer;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL fake_DestroyBuffer(VkDevice handle, VkBuffer buffer, const VkAllocationCallbacks *allocator)
{
    vk_object_destroy(vk_device_from_handle(handle), allocator, (struct vk_object_base *)(uintptr_t)buffer);
}

VKAPI_ATTR void VKAPI_CALL fake_GetBufferMemoryRequirements(VkDevice handle, VkBuffer buffer,
                                                            VkMemoryRequirements *requirements)
{
    *requirements = (VkMemoryRequirements){((struct fake_object *)(uintptr_t)buffer)->size_B, 64, 1};
}

VKAPI_ATTR VkResult VKAPI_CALL fake_CreateCommandPool(VkDevice handle, const VkCommandPoolCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkCommandPool *pool_out)
{
    struct fake_object *pool =
        vk_object_create(vk_device_from_handle(handle), allocator, sizeof(*pool), VK_OBJECT_TYPE_COMMAND_POOL);
    *pool_out = (VkCommandPool)(uintptr_t)pool;
    return pool ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL fake_DestroyCommandPool(VkDevice handle, VkCommandPool pool,
                                                   const VkAllocationCallbacks *allocator)
{
    vk_object_destroy(vk_device_from_handle(handle), allocator, (struct vk_object_base *)(uintptr_t)pool);
}

/* One at a time is enough here. */
VKAPI_ATTR VkResult VKAPI_CALL fake_AllocateCommandBuffers(VkDevice handle, const VkCommandBufferAllocateInfo *info,
                                                           VkCommandBuffer *buffers)
{
    struct fake_object *buffer =
        vk_object_create(vk_device_from_handle(handle), NULL, sizeof(*buffer), VK_OBJECT_TYPE_COMMAND_BUFFER);
    buffers[0] = (VkCommandBuffer)(uintptr_t)buffer;
    return buffer ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL fake_FreeCommandBuffers(VkDevice handle, VkCommandPool pool, uint32_t count,
                                                   const VkCommandBuffer *buffers)
{
    for (uint32_t i = 0; i < count; i++)
        vk_object_destroy(vk_device_from_handle(handle), NULL, (struct vk_object_base *)(uintptr_t)buffers[i]);
}

VKAPI_ATTR VkResult VKAPI_CALL fake_BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo *info)
{
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL fake_EndCommandBuffer(VkCommandBuffer handle)
{
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL fake_CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    fake_state.dispatches++;
}

VKAPI_ATTR void VKAPI_CALL fake_CmdSetCullMode(VkCommandBuffer handle, VkCullModeFlags mode)
{
    fake_state.cull_modes++;
}

VKAPI_ATTR void VKAPI_CALL fake_CmdPushDescriptorSetKHR(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                        VkPipelineLayout layout, uint32_t set, uint32_t count,
                                                        const VkWriteDescriptorSet *writes)
{
}

VKAPI_ATTR VkResult VKAPI_CALL fake_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore, uint64_t *value)
{
    *value = 7;
    return VK_SUCCESS;
}

/* Found by the test that asks for it by its driver's answer: the common one knows no such queue. */
VKAPI_ATTR void VKAPI_CALL fake_GetDeviceQueue(VkDevice handle, uint32_t family_index, uint32_t index,
                                               VkQueue *queue_out)
{
    VkDeviceQueueInfo2 info = vk_struct_init(VkDeviceQueueInfo2);
    info.queueFamilyIndex = family_index == 77 ? 0 : family_index;
    info.queueIndex = index;
    vk_device_from_handle(handle)->dispatch.GetDeviceQueue2(handle, &info, queue_out);
}
