/* A device's offers to the host alone: priorities of queues, deferred operations, budgets, clocks, requirements
 * without objects, pipelines that must not compile. Sharing between two devices is the business of share_cases.c. */
#include <string.h>
#include <time.h>

#include "vt/vt_image.h"

#include "shaders/host_base.h"

/* ---- other devices ---- */

/* The first queue of a family of a device fills a buffer. A failure leaves the device behind, and ends this process. */
static void fill_on(struct vt *vt, VkDevice device, uint32_t family, uint32_t value, const char *what)
{
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
    vkGetDeviceQueue(device, family, 0, &queue);
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = family};
    VT_CHECK(vt, vkCreateCommandPool(device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    VT_CHECK(vt, vkAllocateCommandBuffers(device, &allocate, &commands));
    VkBufferCreateInfo buffer_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffer;
    VkMemoryRequirements needs;
    VT_CHECK(vt, vkCreateBuffer(device, &buffer_info, NULL, &buffer));
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    while (!(needs.memoryTypeBits >> memory_info.memoryTypeIndex & 1) ||
           (vt->memory.memoryTypes[memory_info.memoryTypeIndex].propertyFlags & visible) != visible)
        memory_info.memoryTypeIndex++;
    VkDeviceMemory memory;
    uint32_t *map;
    VT_CHECK(vt, vkAllocateMemory(device, &memory_info, NULL, &memory));
    VT_CHECK(vt, vkBindBufferMemory(device, buffer, memory, 0));
    VT_CHECK(vt, vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&map));
    memset(map, 0, 4096);

    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VT_CHECK(vt, vkBeginCommandBuffer(commands, &begin));
    vkCmdFillBuffer(commands, buffer, 0, VK_WHOLE_SIZE, value);
    vt_full_barrier(commands);
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VT_CHECK(vt, vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueWaitIdle(queue));
    for (unsigned i = 0; i < 1024; i++)
        if (map[i] != value)
            vt_fail(vt, "%s left 0x%x at word %u, for 0x%x", what, map[i], i, value);
    vkDestroyBuffer(device, buffer, NULL);
    vkFreeMemory(device, memory, NULL);
    vkDestroyCommandPool(device, pool, NULL);
}

/* A browser may have a device for each of its tabs. Other drivers' limits are not looked for. */
static void case_many_devices(struct vt *vt, const void *argument)
{
    static VkDevice devices[300];
    const uint32_t count = vt->driver ? 20 : COUNT_OF(devices);
    (void)argument;
    VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueFamilyIndex = vt->family,
                                          .queueCount = 1,
                                          .pQueuePriorities = (const float[]){1}};
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
    for (uint32_t i = 0; i < count; i++) {
        VkResult result = vkCreateDevice(vt->physical, &info, NULL, &devices[i]);
        if (result != VK_SUCCESS)
            vt_fail(vt, "device %u of %u at once: VkResult %d", i + 1, count, result);
    }
    const uint32_t used[] = {0, count / 2, count - 1};
    for (uint32_t i = 0; i < COUNT_OF(used); i++)
        fill_on(vt, devices[used[i]], vt->family, 0x1000 + i, "one of many devices");
    for (uint32_t i = 0; i < count; i++)
        vkDestroyDevice(devices[i], NULL);
}

/* ---- a queue's priority among all processes ---- */

/* A device with one queue of this family and priority; it fills a buffer if it is there at all. */
static void try_priority(struct vt *vt, uint32_t family, VkQueueGlobalPriorityKHR priority)
{
    const char *extension = VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME;
    VkDeviceQueueGlobalPriorityCreateInfoKHR global = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_GLOBAL_PRIORITY_CREATE_INFO_KHR, .globalPriority = priority};
    VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .pNext = &global,
                                          .queueFamilyIndex = family,
                                          .queueCount = 1,
                                          .pQueuePriorities = (const float[]){1}};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue_info,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = &extension};
    VkDevice device;
    VkResult result = vkCreateDevice(vt->physical, &info, NULL, &device);
    if (result == VK_ERROR_NOT_PERMITTED_KHR && priority > VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR)
        return; /* not every user may have high priority */
    if (result != VK_SUCCESS)
        vt_fail(vt, "a device with priority %d of family %u: VkResult %d", priority, family, result);

    fill_on(vt, device, family, (uint32_t)priority, "a queue of that priority");
    vkDestroyDevice(device, NULL);
}

static void case_priorities(struct vt *vt, const void *argument)
{
    (void)argument;
    VkQueueFamilyProperties2 families[16];
    VkQueueFamilyGlobalPriorityPropertiesKHR lists[16];
    uint32_t count = COUNT_OF(families);
    if (!vt->has[VT_GLOBAL_PRIORITY])
        vt_skip(vt, "no VK_KHR_global_priority");
    for (unsigned i = 0; i < COUNT_OF(families); i++) {
        lists[i] = (VkQueueFamilyGlobalPriorityPropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES_KHR};
        families[i] =
            (VkQueueFamilyProperties2){.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, .pNext = &lists[i]};
    }
    vkGetPhysicalDeviceQueueFamilyProperties2(vt->physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        const VkQueueFamilyGlobalPriorityPropertiesKHR *list = &lists[i];
        bool medium = false;
        if (list->priorityCount < 1 || list->priorityCount > VK_MAX_GLOBAL_PRIORITY_SIZE_KHR)
            vt_fail(vt, "family %u has %u priorities", i, list->priorityCount);
        for (uint32_t n = 0; n < list->priorityCount; n++) {
            VkQueueGlobalPriorityKHR priority = list->priorities[n];
            if (priority != VK_QUEUE_GLOBAL_PRIORITY_LOW_KHR && priority != VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR &&
                priority != VK_QUEUE_GLOBAL_PRIORITY_HIGH_KHR && priority != VK_QUEUE_GLOBAL_PRIORITY_REALTIME_KHR)
                vt_fail(vt, "family %u: %d is no priority", i, priority);
            /* Each once, from the lowest to the highest. */
            if (n && list->priorities[n - 1] >= priority)
                vt_fail(vt, "family %u: priority %d comes after %d", i, priority, list->priorities[n - 1]);
            medium |= priority == VK_QUEUE_GLOBAL_PRIORITY_MEDIUM_KHR;
        }
        if (!medium)
            vt_fail(vt, "family %u lacks the priority that a queue has by default", i);
        const VkQueueFlags works = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
        for (uint32_t n = 0; n < list->priorityCount && (families[i].queueFamilyProperties.queueFlags & works); n++)
            try_priority(vt, i, list->priorities[n]);
    }
}

/* ---- deferred operations ---- */

/* No command here can be deferred: an operation without one is done from the beginning. */
static void case_deferred(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_DEFERRED_HOST_OPERATIONS])
        vt_skip(vt, "no VK_KHR_deferred_host_operations");
    PFN_vkCreateDeferredOperationKHR create = VT_LOAD(vt, CreateDeferredOperationKHR);
    PFN_vkDestroyDeferredOperationKHR destroy = VT_LOAD(vt, DestroyDeferredOperationKHR);
    PFN_vkGetDeferredOperationMaxConcurrencyKHR concurrency = VT_LOAD(vt, GetDeferredOperationMaxConcurrencyKHR);
    PFN_vkGetDeferredOperationResultKHR get_result = VT_LOAD(vt, GetDeferredOperationResultKHR);
    PFN_vkDeferredOperationJoinKHR join = VT_LOAD(vt, DeferredOperationJoinKHR);
    if (!create || !destroy || !concurrency || !get_result || !join)
        vt_fail(vt, "a command of VK_KHR_deferred_host_operations is missing");
    VkDeferredOperationKHR operations[3] = {VK_NULL_HANDLE, VK_NULL_HANDLE, VK_NULL_HANDLE};
    for (unsigned i = 0; i < 3; i++) {
        VT_CHECK(vt, create(vt->device, NULL, &operations[i]));
        for (unsigned n = 0; n < i; n++)
            if (operations[i] == operations[n] || !operations[i])
                vt_fail(vt, "operation %u has the handle of operation %u", i, n);
    }
    for (unsigned i = 0; i < 3; i++) {
        VT_CHECK(vt, get_result(vt->device, operations[i]));
        VT_CHECK(vt, join(vt->device, operations[i]));
        if (concurrency(vt->device, operations[i]) != 0 && vt->driver != VK_DRIVER_ID_MESA_RADV) /* always 1 there */
            vt_fail(vt, "%u threads could join a complete operation", concurrency(vt->device, operations[i]));
        destroy(vt->device, operations[i], NULL);
    }
    destroy(vt->device, VK_NULL_HANDLE, NULL);
}

/* ---- memory ---- */

static void free_memory(struct vt *vt, uint64_t handle)
{
    vkFreeMemory(vt->device, (VkDeviceMemory)handle, NULL);
}

/* A hint: memory of any priority, which may change, holds what it holds. */
static void case_memory_priority(struct vt *vt, const void *argument)
{
    static const float priorities[] = {0, 0.5f, 1};
    if (!vt->has[VT_MEMORY_PRIORITY])
        vt_skip(vt, "no VK_EXT_memory_priority");
    for (unsigned i = 0; i < COUNT_OF(priorities); i++) {
        VkMemoryPriorityAllocateInfoEXT priority = {.sType = VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT,
                                                    .priority = priorities[i]};
        VkMemoryAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &priority, .allocationSize = 65536};
        while (!(vt->memory.memoryTypes[info.memoryTypeIndex].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
            info.memoryTypeIndex++;
        VkDeviceMemory memory;
        VT_CHECK(vt, vkAllocateMemory(vt->device, &info, NULL, &memory));
        vt_defer(vt, free_memory, (uint64_t)memory);
        uint32_t *map;
        VT_CHECK(vt, vkMapMemory(vt->device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&map));
        map[100] = 0x12345678 + i;
        if (vt->has[VT_PAGEABLE_MEMORY]) {
            PFN_vkSetDeviceMemoryPriorityEXT set = (PFN_vkSetDeviceMemoryPriorityEXT)(void *)vkGetDeviceProcAddr(
                vt->device, "vkSetDeviceMemoryPriorityEXT");
            set(vt->device, memory, 1 - priorities[i]);
        }
        if (map[100] != 0x12345678 + i)
            vt_fail(vt, "memory of priority %g has 0x%x", (double)priorities[i], map[100]);
    }
}

static void case_budget(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_MEMORY_BUDGET])
        vt_skip(vt, "no VK_EXT_memory_budget");
    enum {
        SIZE_B = 32 << 20
    };
    VkPhysicalDeviceMemoryBudgetPropertiesEXT
        before = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT},
        after = before;
    VkPhysicalDeviceMemoryProperties2 memory = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    memory.pNext = &before;
    vkGetPhysicalDeviceMemoryProperties2(vt->physical, &memory);
    struct vt_buffer buffer = vt_buffer(vt, SIZE_B, NULL); /* written: what is only promised may not count */
    memory.pNext = &after;
    vkGetPhysicalDeviceMemoryProperties2(vt->physical, &memory);
    uint64_t grown_B = 0;
    for (uint32_t i = 0; i < VK_MAX_MEMORY_HEAPS; i++) {
        uint64_t heap_B = i < vt->memory.memoryHeapCount ? vt->memory.memoryHeaps[i].size : 0;
        if (heap_B ? after.heapBudget[i] == 0 || after.heapBudget[i] > heap_B
                   : after.heapBudget[i] != 0 || after.heapUsage[i] != 0)
            vt_fail(vt, "heap %u of %llu bytes: a budget of %llu, of which %llu are used", i,
                    (unsigned long long)heap_B, (unsigned long long)after.heapBudget[i],
                    (unsigned long long)after.heapUsage[i]);
        if (after.heapUsage[i] > before.heapUsage[i])
            grown_B += after.heapUsage[i] - before.heapUsage[i];
    }
    /* lavapipe counts the machine's memory, which others use as well. */
    if (grown_B < buffer.size_B && vt->driver != VK_DRIVER_ID_MESA_LLVMPIPE)
        vt_fail(vt, "after an allocation of %llu bytes %llu more are used", (unsigned long long)buffer.size_B,
                (unsigned long long)grown_B);
}

/* By members: four bytes after the last one belong to nothing. */
static bool same_needs(const VkMemoryRequirements *a, const VkMemoryRequirements *b)
{
    return a->size == b->size && a->alignment == b->alignment && a->memoryTypeBits == b->memoryTypeBits;
}

/* An object's requirements before it is made are those when it is there. */
static void case_requirements(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->features13.maintenance4)
        vt_skip(vt, "no maintenance4");
    VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = 12345,
                                      .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkDeviceBufferMemoryRequirements about_buffer = {.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
                                                     .pCreateInfo = &buffer_info};
    VkMemoryRequirements2 said = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    VkMemoryRequirements needs;
    VkBuffer buffer;
    vkGetDeviceBufferMemoryRequirements(vt->device, &about_buffer, &said);
    VT_CHECK(vt, vkCreateBuffer(vt->device, &buffer_info, NULL, &buffer));
    vkGetBufferMemoryRequirements(vt->device, buffer, &needs);
    vkDestroyBuffer(vt->device, buffer, NULL);
    if (!same_needs(&needs, &said.memoryRequirements) || needs.size < 12345)
        vt_fail(vt, "a buffer would need %llu bytes, and needs %llu", (unsigned long long)said.memoryRequirements.size,
                (unsigned long long)needs.size);

    static const VkSampleCountFlagBits samples[] = {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT};
    for (unsigned i = 0; i < 2; i++) {
        VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                        .imageType = VK_IMAGE_TYPE_2D,
                                        .format = VK_FORMAT_R8G8B8A8_UNORM,
                                        .extent = {200, 131, 1},
                                        .mipLevels = i ? 1 : 7,
                                        .arrayLayers = 3,
                                        .samples = samples[i],
                                        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
        VkDeviceImageMemoryRequirements about_image = {.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS,
                                                       .pCreateInfo = &image_info};
        VkImage image;
        vkGetDeviceImageMemoryRequirements(vt->device, &about_image, &said);
        VT_CHECK(vt, vkCreateImage(vt->device, &image_info, NULL, &image));
        vkGetImageMemoryRequirements(vt->device, image, &needs);
        vkDestroyImage(vt->device, image, NULL);
        if (!same_needs(&needs, &said.memoryRequirements) || needs.size < 200 * 131 * 3 * 4)
            vt_fail(vt, "an image of %u samples would need %llu bytes, and needs %llu", samples[i],
                    (unsigned long long)said.memoryRequirements.size, (unsigned long long)needs.size);
    }
}

/* ---- clocks ---- */

struct moment {
    uint64_t device, host, deviation;
};

static struct moment now(struct vt *vt, PFN_vkGetCalibratedTimestampsEXT get)
{
    static const VkCalibratedTimestampInfoEXT domains[] = {
        {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL, VK_TIME_DOMAIN_DEVICE_EXT},
        {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT}};
    uint64_t times[2], deviation;
    VT_CHECK(vt, get(vt->device, 2, domains, times, &deviation));
    return (struct moment){times[0], times[1], deviation};
}

/* The device's clock and the host's go alike, as far as the device says; and a queue's timestamp is of the same clock.
 */
static void case_clocks(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->has[VT_CALIBRATED_TIMESTAMPS])
        vt_skip(vt, "no VK_EXT_calibrated_timestamps");
    VkTimeDomainEXT domains[16];
    uint32_t count = COUNT_OF(domains);
    PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT get_domains =
        (PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT)vkGetInstanceProcAddr(
            vt->instance, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT");
    PFN_vkGetCalibratedTimestampsEXT get = VT_LOAD(vt, GetCalibratedTimestampsEXT);
    VT_CHECK(vt, get_domains(vt->physical, &count, domains));
    bool device = false, host = false;
    for (uint32_t i = 0; i < count; i++) {
        device |= domains[i] == VK_TIME_DOMAIN_DEVICE_EXT;
        host |= domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
    }
    if (!device || !host)
        vt_skip(vt, "not both clocks");

    VkQueryPool pool = vt_query_pool(vt, VK_QUERY_TYPE_TIMESTAMP, 1, 0);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
    struct timespec clock;
    struct moment first = now(vt, get);
    clock_gettime(CLOCK_MONOTONIC, &clock);
    vt_submit(vt, commands);
    struct moment last = now(vt, get);
    uint64_t stamp, host_ns = (uint64_t)clock.tv_sec * 1000000000u + (uint64_t)clock.tv_nsec;
    VkResult result = vkGetQueryPoolResults(vt->device, pool, 0, 1, 8, &stamp, 8, VK_QUERY_RESULT_64_BIT);
    VT_CHECK(vt, result);

    double tick_ns = (double)vt->properties.limits.timestampPeriod;
    if (host_ns < first.host || host_ns > last.host + last.deviation)
        vt_fail(vt, "the host's clock says %llu to %llu, and %llu between", (unsigned long long)first.host,
                (unsigned long long)last.host, (unsigned long long)host_ns);
    if (stamp < first.device || stamp > last.device)
        vt_fail(vt, "the device's clock says %llu to %llu, and a queue %llu between", (unsigned long long)first.device,
                (unsigned long long)last.device, (unsigned long long)stamp);
    double drift_ns = (double)(last.device - first.device) * tick_ns - (double)(last.host - first.host),
           allowed_ns = (double)(first.deviation + last.deviation) + 2 * tick_ns;
    if (drift_ns > allowed_ns || drift_ns < -allowed_ns)
        vt_fail(vt, "the clocks part by %g ns, and at most %g were promised", drift_ns, allowed_ns);
}

/* ---- pipelines that must not compile ---- */

static void destroy_cache(struct vt *vt, uint64_t handle)
{
    vkDestroyPipelineCache(vt->device, (VkPipelineCache)handle, NULL);
}

static void case_compile_required(struct vt *vt, const void *argument)
{
    bool by_identifier = argument != NULL;
    if (!vt->features13.pipelineCreationCacheControl)
        vt_skip(vt, "no pipelineCreationCacheControl");
    if (by_identifier && !vt->has[VT_MODULE_IDENTIFIER])
        vt_skip(vt, "no VK_EXT_shader_module_identifier");
    struct vt_buffer result = vt_buffer(vt, 64 * 4, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_BUFFER(result)};
    struct vt_set set = vt_set(vt, bindings, 1);
    VkPipelineCacheCreateInfo cache_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache;
    VT_CHECK(vt, vkCreatePipelineCache(vt->device, &cache_info, NULL, &cache));
    vt_defer(vt, destroy_cache, (uint64_t)cache);
    VkShaderModule module = vt_module(vt, VT_SPIRV(host_base));
    VkShaderModuleIdentifierEXT identifier = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
    VkPipelineShaderStageModuleIdentifierCreateInfoEXT named = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT,
        .pIdentifier = identifier.identifier};
    if (by_identifier) {
        VT_LOAD(vt, GetShaderModuleIdentifierEXT)(vt->device, module, &identifier);
        named.identifierSize = identifier.identifierSize;
        if (identifier.identifierSize == 0 || identifier.identifierSize > VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT)
            vt_fail(vt, "an identifier of %u bytes", identifier.identifierSize);
    }
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main"},
                                        .layout = vt_pipeline_layout(vt, &set.layout, 1)};
    VkComputePipelineCreateInfo careful = info;
    careful.flags |= VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    if (by_identifier) {
        careful.stage.pNext = &named;
        careful.stage.module = VK_NULL_HANDLE;
    }
    VkPipeline pipeline = (VkPipeline)(uintptr_t)1, first;
    VkResult got = vkCreateComputePipelines(vt->device, cache, 1, &careful, NULL, &pipeline);
    if (got != VK_PIPELINE_COMPILE_REQUIRED || pipeline != VK_NULL_HANDLE)
        vt_fail(vt, "nothing is in the cache: VkResult %d, and a pipeline at %p", got, (void *)pipeline);
    VT_CHECK(vt, vkCreateComputePipelines(vt->device, cache, 1, &info, NULL, &first));
    got = vkCreateComputePipelines(vt->device, cache, 1, &careful, NULL, &pipeline);
    vkDestroyPipeline(vt->device, first, NULL);
    /* A cache promises nothing; ours keeps what it compiled. */
    if (got == VK_PIPELINE_COMPILE_REQUIRED &&
        (vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE || vt->driver == VK_DRIVER_ID_MESA_RADV))
        vt_skip(vt, "no such cache");
    VT_CHECK(vt, got);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, info.layout, 0, 1, &set.set, 0, NULL);
    vkCmdDispatchBase(commands, 1, 2, 0, 3, 4, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vkDestroyPipeline(vt->device, pipeline, NULL);
    uint32_t expected[64] = {0};
    for (unsigned y = 2; y < 6; y++)
        for (unsigned x = 1; x < 4; x++)
            expected[y * 8 + x] = 1;
    vt_expect_words(vt, result.map, expected, 64, "workgroups");
}

/* ---- the application's own words ---- */

static void case_private_data(struct vt *vt, const void *argument)
{
    (void)argument;
    if (!vt->features13.privateData)
        vt_skip(vt, "no privateData");
    struct vt_buffer buffers[2] = {vt_buffer(vt, 16, NULL), vt_buffer(vt, 16, NULL)};
    VkPrivateDataSlot slots[3];
    VkPrivateDataSlotCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
    for (unsigned i = 0; i < 3; i++)
        VT_CHECK(vt, vkCreatePrivateDataSlot(vt->device, &info, NULL, &slots[i]));
    for (unsigned i = 0; i < 2; i++)
        for (unsigned n = 0; n < 2; n++)
            VT_CHECK(vt, vkSetPrivateData(vt->device, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffers[i].buffer, slots[n],
                                          0x100000000ull * (i + 1) + n));
    VT_CHECK(vt, vkSetPrivateData(vt->device, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)vt->queue, slots[0], 77));
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned n = 0; n < 3; n++) {
            uint64_t got = 1, expected = n == 2 ? 0 : 0x100000000ull * (i + 1) + n; /* slot 2 was never set */
            vkGetPrivateData(vt->device, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffers[i].buffer, slots[n], &got);
            if (got != expected)
                vt_fail(vt, "slot %u of buffer %u holds 0x%llx, expected 0x%llx", n, i, (unsigned long long)got,
                        (unsigned long long)expected);
        }
    }
    uint64_t got = 0;
    vkGetPrivateData(vt->device, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)vt->queue, slots[0], &got);
    for (unsigned i = 0; i < 3; i++)
        vkDestroyPrivateDataSlot(vt->device, slots[i], NULL);
    if (got != 77)
        vt_fail(vt, "the queue's slot holds %llu", (unsigned long long)got);
}

const struct vt_case vt_host_cases[] = {
    {"many devices", case_many_devices, NULL},
    {"global priorities", case_priorities, NULL},
    {"deferred operations", case_deferred, NULL},
    {"memory budget", case_budget, NULL},
    {"memory priorities", case_memory_priority, NULL},
    {"requirements without objects", case_requirements, NULL},
    {"clocks", case_clocks, NULL},
    {"pipelines of a cache", case_compile_required, NULL},
    {"pipelines of a cache by identifier", case_compile_required, vt_host_cases},
    {"private data", case_private_data, NULL},
};
const size_t vt_host_count = COUNT_OF(vt_host_cases);
