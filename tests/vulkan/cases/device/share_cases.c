/* Objects that one device gives away and another takes: memory, semaphores and fences as files, and memory of the
 * host's own. The other device is a second one of the same GPU; between processes tests/wsi shares. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vt/vt_image.h"

#define LOAD(device, name) ((PFN_vk##name)vkGetDeviceProcAddr(device, "vk" #name))
#define WORDS 4096
#define LIMIT_NS 60000000000ull
#define A_WHILE_NS 30000000ull /* for what must not come */

/* ---- the other device ---- */

/* Objects of the other device go before it does; a case that fails leaves them behind and ends this process. */
struct other {
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    uint32_t family;
};

static struct other open_other(struct vt *vt, const enum vt_extension *needed, uint32_t count)
{
    static const char *const names[VT_EXTENSION_COUNT] = {
        [VT_EXTERNAL_MEMORY_FD] = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
        [VT_EXTERNAL_MEMORY_DMA_BUF] = VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
        [VT_EXTERNAL_SEMAPHORE_FD] = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
        [VT_EXTERNAL_FENCE_FD] = VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME};
    const char *enabled[4];
    for (uint32_t i = 0; i < count; i++) {
        if (!vt->has[needed[i]])
            vt_skip(vt, "no such sharing");
        enabled[i] = names[needed[i]];
    }
    struct other other = {.family = vt->family};
    VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                 .timelineSemaphore = VK_TRUE};
    VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                          .queueFamilyIndex = other.family,
                                          .queueCount = 1,
                                          .pQueuePriorities = (const float[]){1}};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue_info,
                               .enabledExtensionCount = count,
                               .ppEnabledExtensionNames = enabled};
    VT_CHECK(vt, vkCreateDevice(vt->physical, &info, NULL, &other.device));
    vkGetDeviceQueue(other.device, other.family, 0, &other.queue);
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = other.family};
    VT_CHECK(vt, vkCreateCommandPool(other.device, &pool_info, NULL, &other.pool));
    return other;
}

static void close_other(struct other *other)
{
    vkDestroyCommandPool(other->device, other->pool, NULL);
    vkDestroyDevice(other->device, NULL);
}

/* ---- memory ---- */

static VkBuffer external_buffer(struct vt *vt, VkDevice device, VkExternalMemoryHandleTypeFlags types,
                                VkMemoryRequirements *needs_out)
{
    VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                 .handleTypes = types};
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .pNext = &external,
                               .size = WORDS * 4,
                               .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffer;
    VT_CHECK(vt, vkCreateBuffer(device, &info, NULL, &buffer));
    vkGetBufferMemoryRequirements(device, buffer, needs_out);
    return buffer;
}

/* Is there such a handle, for buffers to copy? */
static void need_handle(struct vt *vt, VkExternalMemoryHandleTypeFlagBits type, VkExternalMemoryFeatureFlags wanted)
{
    VkPhysicalDeviceExternalBufferInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                               .usage =
                                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                               .handleType = type};
    VkExternalBufferProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vkGetPhysicalDeviceExternalBufferProperties(vt->physical, &info, &properties);
    if ((properties.externalMemoryProperties.externalMemoryFeatures & wanted) != wanted)
        vt_skip(vt, "no such handle for buffers");
}

/* Fill the second half of the shared buffer, and copy the first to where the host sees it: a word at a time is enough.
 */
static void use_other(struct vt *vt, struct other *other, VkBuffer shared)
{
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = other->pool, .commandBufferCount = 1};
    VkCommandBuffer commands;
    VT_CHECK(vt, vkAllocateCommandBuffers(other->device, &allocate, &commands));
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VT_CHECK(vt, vkBeginCommandBuffer(commands, &begin));
    VkBufferCopy copy = {0, WORDS * 2, WORDS};
    vkCmdCopyBuffer(commands, shared, shared, 1, &copy);
    vkCmdFillBuffer(commands, shared, WORDS * 3, WORDS, 0xabcdef01);
    vt_full_barrier(commands);
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VT_CHECK(vt, vkQueueSubmit(other->queue, 1, &submit, VK_NULL_HANDLE));
    VT_CHECK(vt, vkQueueWaitIdle(other->queue));
}

/* Both devices see one memory: what the first wrote the other copies within it, and the first reads the copy. */
static void case_memory_fd(struct vt *vt, const void *argument)
{
    VkExternalMemoryHandleTypeFlagBits type = *(const VkExternalMemoryHandleTypeFlagBits *)argument;
    static const enum vt_extension needed[] = {VT_EXTERNAL_MEMORY_FD, VT_EXTERNAL_MEMORY_DMA_BUF};
    bool dma_buf = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    need_handle(vt, type, VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
    struct other other = open_other(vt, needed, dma_buf ? 2 : 1);
    VkMemoryRequirements needs;
    VkBuffer mine = external_buffer(vt, vt->device, type, &needs);
    VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .handleTypes = type};
    VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &exported, .allocationSize = needs.size};
    while (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1))
        allocate.memoryTypeIndex++;
    VkDeviceMemory memory, taken;
    VT_CHECK(vt, vkAllocateMemory(vt->device, &allocate, NULL, &memory));
    VT_CHECK(vt, vkBindBufferMemory(vt->device, mine, memory, 0));
    VkMemoryGetFdInfoKHR get = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = memory, .handleType = type};
    int fd = -1;
    VT_CHECK(vt, LOAD(vt->device, GetMemoryFdKHR)(vt->device, &get, &fd));

    VkBuffer theirs = external_buffer(vt, other.device, type, &needs);
    uint32_t types = needs.memoryTypeBits;
    if (dma_buf) {
        VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
        VT_CHECK(vt, LOAD(other.device, GetMemoryFdPropertiesKHR)(other.device, type, fd, &properties));
        types &= properties.memoryTypeBits;
        if (!types)
            vt_fail(vt, "a file of our own has memory types 0x%x, a buffer 0x%x", properties.memoryTypeBits,
                    needs.memoryTypeBits);
        allocate.memoryTypeIndex = 0;
        while (!(types >> allocate.memoryTypeIndex & 1))
            allocate.memoryTypeIndex++;
    }
    VkImportMemoryFdInfoKHR imported = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = type, .fd = fd};
    allocate.pNext = &imported;
    VT_CHECK(vt, vkAllocateMemory(other.device, &allocate, NULL, &taken));
    VT_CHECK(vt, vkBindBufferMemory(other.device, theirs, taken, 0));

    uint32_t words[WORDS], expected[WORDS];
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = expected[i] = i * 2654435761u;
    memcpy(expected + WORDS / 2, expected, WORDS);
    for (unsigned i = WORDS * 3 / 4; i < WORDS; i++)
        expected[i] = 0xabcdef01;
    struct vt_buffer up = vt_buffer(vt, sizeof(words), words), down = vt_buffer(vt, sizeof(words), NULL);
    VkBufferCopy whole = {0, 0, sizeof(words)};
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdCopyBuffer(commands, up.buffer, mine, 1, &whole);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    use_other(vt, &other, theirs);
    vkDestroyBuffer(other.device, theirs, NULL);
    vkFreeMemory(other.device, taken, NULL);
    close_other(&other); /* the memory stays: the first device holds it */
    commands = vt_begin(vt);
    vkCmdCopyBuffer(commands, mine, down.buffer, 1, &whole);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vkDestroyBuffer(vt->device, mine, NULL);
    vkFreeMemory(vt->device, memory, NULL);
    vt_expect_words(vt, down.map, expected, WORDS, "shared memory");
}

/* Pages of the program as memory of a buffer. */
static void case_host_pointer(struct vt *vt, const void *argument)
{
    (void)argument;
    const VkExternalMemoryHandleTypeFlagBits type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    if (!vt->has[VT_EXTERNAL_MEMORY_HOST])
        vt_skip(vt, "no VK_EXT_external_memory_host");
    need_handle(vt, type, VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT about = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &about};
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    size_t align_B = about.minImportedHostPointerAlignment, size_B = WORDS * 4;
    if (align_B == 0 || (align_B & (align_B - 1)))
        vt_fail(vt, "pointers aligned to %zu", align_B);
    size_B = (size_B + align_B - 1) & ~(align_B - 1);
    uint32_t *pages = aligned_alloc(align_B, 3 * size_B), expected[WORDS]; /* a guard on either side */
    if (!pages)
        vt_fail(vt, "no memory");
    memset(pages, 0x5c, 3 * size_B);
    uint32_t *words = pages + size_B / 4;
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = expected[i] = i * 2246822519u;
    VkMemoryHostPointerPropertiesEXT pointer = {.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VT_CHECK(vt, LOAD(vt->device, GetMemoryHostPointerPropertiesEXT)(vt->device, type, words, &pointer));
    VkMemoryRequirements needs;
    VkBuffer buffer = external_buffer(vt, vt->device, type, &needs);
    uint32_t types = pointer.memoryTypeBits & needs.memoryTypeBits;
    if (!types)
        vt_fail(vt, "pages have memory types 0x%x, a buffer 0x%x", pointer.memoryTypeBits, needs.memoryTypeBits);
    VkImportMemoryHostPointerInfoEXT imported = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, .handleType = type, .pHostPointer = words};
    VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &imported, .allocationSize = size_B};
    while (!(types >> allocate.memoryTypeIndex & 1))
        allocate.memoryTypeIndex++;
    VkDeviceMemory memory;
    VT_CHECK(vt, vkAllocateMemory(vt->device, &allocate, NULL, &memory));
    VT_CHECK(vt, vkBindBufferMemory(vt->device, buffer, memory, 0));
    VkCommandBuffer commands = vt_begin(vt);
    VkBufferCopy copy = {16, WORDS * 2 + 64, 4096};
    vkCmdCopyBuffer(commands, buffer, buffer, 1, &copy);
    vkCmdFillBuffer(commands, buffer, WORDS * 4 - 16, 16, 0x01020304);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vkDestroyBuffer(vt->device, buffer, NULL);
    vkFreeMemory(vt->device, memory, NULL);
    memcpy((char *)expected + WORDS * 2 + 64, (char *)expected + 16, 4096);
    for (unsigned i = WORDS - 4; i < WORDS; i++)
        expected[i] = 0x01020304;
    uint32_t got[WORDS], guard = 0;
    memcpy(got, words, sizeof(got));
    for (size_t i = 0; i < size_B / 4; i++)
        guard |= (pages[i] ^ 0x5c5c5c5c) | (pages[i + size_B / 2] ^ 0x5c5c5c5c);
    free(pages);
    vt_expect_words(vt, got, expected, WORDS, "the program's pages");
    if (guard)
        vt_fail(vt, "pages beside the imported ones were written");
}

/* ---- semaphores and fences ---- */

static VkSemaphore make_semaphore(struct vt *vt, VkDevice device, bool timeline, bool external)
{
    VkExportSemaphoreCreateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                            .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .pNext = external ? &exported : NULL,
                                      .semaphoreType =
                                          timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore;
    VT_CHECK(vt, vkCreateSemaphore(device, &info, NULL, &semaphore));
    return semaphore;
}

static void need_semaphore(struct vt *vt, bool timeline)
{
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType =
                                          timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY};
    VkPhysicalDeviceExternalSemaphoreInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
                                                  .pNext = &type,
                                                  .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkExternalSemaphoreProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    vkGetPhysicalDeviceExternalSemaphoreProperties(vt->physical, &info, &properties);
    const VkExternalSemaphoreFeatureFlags wanted =
        VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
    if (!vt->has[VT_EXTERNAL_SEMAPHORE_FD] || (properties.externalSemaphoreFeatures & wanted) != wanted)
        vt_skip(vt, "no such file for semaphores");
}

/* A semaphore of the first device, and the same one under a handle of the other. */
static void share_semaphore(struct vt *vt, struct other *other, bool timeline, VkSemaphore pair_out[2])
{
    pair_out[0] = make_semaphore(vt, vt->device, timeline, true);
    pair_out[1] = make_semaphore(vt, other->device, timeline, false);
    VkSemaphoreGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                   .semaphore = pair_out[0],
                                   .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkImportSemaphoreFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                         .semaphore = pair_out[1],
                                         .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VT_CHECK(vt, LOAD(vt->device, GetSemaphoreFdKHR)(vt->device, &get, &import.fd));
    VT_CHECK(vt, LOAD(other->device, ImportSemaphoreFdKHR)(other->device, &import));
}

/* Submit nothing but a wait or a signal. */
static void submit_semaphore(struct vt *vt, VkQueue queue, VkSemaphore wait, VkSemaphore signal, uint64_t value,
                             VkFence fence)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = wait != VK_NULL_HANDLE,
                                            .pWaitSemaphoreValues = &value,
                                            .signalSemaphoreValueCount = signal != VK_NULL_HANDLE,
                                            .pSignalSemaphoreValues = &value};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = &values,
                         .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                         .pWaitSemaphores = &wait,
                         .pWaitDstStageMask = &stage,
                         .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                         .pSignalSemaphores = &signal};
    VT_CHECK(vt, vkQueueSubmit(queue, 1, &info, fence));
}

static void case_timeline_fd(struct vt *vt, const void *argument)
{
    (void)argument;
    static const enum vt_extension needed[] = {VT_EXTERNAL_SEMAPHORE_FD};
    need_semaphore(vt, true);
    struct other other = open_other(vt, needed, 1);
    VkSemaphore pair[2];
    VkFence fence;
    share_semaphore(vt, &other, true, pair);
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VT_CHECK(vt, vkCreateFence(other.device, &info, NULL, &fence));
    submit_semaphore(vt, other.queue, pair[1], VK_NULL_HANDLE, 7, fence);
    VkSemaphoreSignalInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = pair[0], .value = 6};
    VT_CHECK(vt, vkSignalSemaphore(vt->device, &signal));
    uint64_t value = 0;
    VT_CHECK(vt, vkGetSemaphoreCounterValue(other.device, pair[1], &value));
    if (value != 6)
        vt_fail(vt, "the other device sees %llu, expected 6", (unsigned long long)value);
    if (vkWaitForFences(other.device, 1, &fence, VK_TRUE, A_WHILE_NS) != VK_TIMEOUT)
        vt_fail(vt, "the other device did not wait for 7");
    submit_semaphore(vt, vt->queue, VK_NULL_HANDLE, pair[0], 7, VK_NULL_HANDLE);
    VT_CHECK(vt, vkWaitForFences(other.device, 1, &fence, VK_TRUE, LIMIT_NS));
    /* And the other way: the first device waits on the host for what the other's queue says. */
    submit_semaphore(vt, other.queue, VK_NULL_HANDLE, pair[1], 9, VK_NULL_HANDLE);
    VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &pair[0],
                                .pValues = (const uint64_t[]){9}};
    VT_CHECK(vt, vkWaitSemaphores(vt->device, &wait, LIMIT_NS));
    VT_CHECK(vt, vkDeviceWaitIdle(other.device));
    VT_CHECK(vt, vkDeviceWaitIdle(vt->device));
    vkDestroyFence(other.device, fence, NULL);
    vkDestroySemaphore(other.device, pair[1], NULL);
    vkDestroySemaphore(vt->device, pair[0], NULL);
    close_other(&other);
}

static void case_semaphore_fd(struct vt *vt, const void *argument)
{
    (void)argument;
    static const enum vt_extension needed[] = {VT_EXTERNAL_SEMAPHORE_FD};
    need_semaphore(vt, false);
    struct other other = open_other(vt, needed, 1);
    VkSemaphore pair[2];
    share_semaphore(vt, &other, false, pair);
    for (unsigned round = 0; round < 3; round++) { /* to and fro: one device signals, the other waits */
        submit_semaphore(vt, vt->queue, VK_NULL_HANDLE, pair[0], 0, VK_NULL_HANDLE);
        submit_semaphore(vt, other.queue, pair[1], VK_NULL_HANDLE, 0, VK_NULL_HANDLE);
        VT_CHECK(vt, vkQueueWaitIdle(other.queue));
        submit_semaphore(vt, other.queue, VK_NULL_HANDLE, pair[1], 0, VK_NULL_HANDLE);
        submit_semaphore(vt, vt->queue, pair[0], VK_NULL_HANDLE, 0, VK_NULL_HANDLE);
        VT_CHECK(vt, vkQueueWaitIdle(vt->queue));
    }
    VT_CHECK(vt, vkDeviceWaitIdle(other.device));
    vkDestroySemaphore(other.device, pair[1], NULL);
    vkDestroySemaphore(vt->device, pair[0], NULL);
    close_other(&other);
}

static void case_fence_fd(struct vt *vt, const void *argument)
{
    VkExternalFenceHandleTypeFlagBits type = *(const VkExternalFenceHandleTypeFlagBits *)argument;
    static const enum vt_extension needed[] = {VT_EXTERNAL_FENCE_FD};
    VkPhysicalDeviceExternalFenceInfo about = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO,
                                               .handleType = type};
    VkExternalFenceProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
    vkGetPhysicalDeviceExternalFenceProperties(vt->physical, &about, &properties);
    const VkExternalFenceFeatureFlags wanted =
        VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT;
    if (!vt->has[VT_EXTERNAL_FENCE_FD] || (properties.externalFenceFeatures & wanted) != wanted)
        vt_skip(vt, "no such file for fences");
    bool copied = type == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT; /* it holds what was pending when it was taken */
    struct other other = open_other(vt, needed, 1);
    VkExportFenceCreateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO, .handleTypes = type};
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .pNext = &exported};
    VkFence mine, theirs;
    VT_CHECK(vt, vkCreateFence(vt->device, &info, NULL, &mine));
    info.pNext = NULL;
    VT_CHECK(vt, vkCreateFence(other.device, &info, NULL, &theirs));

    /* The first device's queue waits for the host, so that the fence is surely not signalled when it is taken. */
    VkSemaphore gate = make_semaphore(vt, vt->device, true, false);
    submit_semaphore(vt, vt->queue, gate, VK_NULL_HANDLE, 1, mine);
    VkFenceGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, .fence = mine, .handleType = type};
    VkImportFenceFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR,
                                     .fence = theirs,
                                     .flags = copied ? VK_FENCE_IMPORT_TEMPORARY_BIT : 0,
                                     .handleType = type};
    VkSemaphoreSignalInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = gate, .value = 1};
    if (copied) /* a sync file is of work that the kernel knows: the gate must be open before it is taken */
        VT_CHECK(vt, vkSignalSemaphore(vt->device, &signal));
    VT_CHECK(vt, LOAD(vt->device, GetFenceFdKHR)(vt->device, &get, &import.fd));
    VT_CHECK(vt, LOAD(other.device, ImportFenceFdKHR)(other.device, &import));
    if (!copied) {
        if (vkWaitForFences(other.device, 1, &theirs, VK_TRUE, A_WHILE_NS) != VK_TIMEOUT)
            vt_fail(vt, "the other device's fence is signalled before its work could run");
        VT_CHECK(vt, vkSignalSemaphore(vt->device, &signal));
    }
    VT_CHECK(vt, vkWaitForFences(other.device, 1, &theirs, VK_TRUE, LIMIT_NS));
    VT_CHECK(vt, vkDeviceWaitIdle(vt->device));
    if (!copied) { /* one payload: what one device resets is reset for the other */
        VT_CHECK(vt, vkGetFenceStatus(vt->device, mine));
        VT_CHECK(vt, vkResetFences(other.device, 1, &theirs));
        if (vkGetFenceStatus(vt->device, mine) != VK_NOT_READY)
            vt_fail(vt, "the other device's reset did not come here");
    }
    vkDestroySemaphore(vt->device, gate, NULL);
    vkDestroyFence(vt->device, mine, NULL);
    vkDestroyFence(other.device, theirs, NULL);
    close_other(&other);
}

static const VkExternalMemoryHandleTypeFlagBits memory_types[] = {VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                                                                  VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT};
static const VkExternalFenceHandleTypeFlagBits fence_types[] = {VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT,
                                                                VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};

const struct vt_case vt_share_cases[] = {
    {"memory", case_memory_fd, &memory_types[0]},
    {"memory as dma-buf", case_memory_fd, &memory_types[1]},
    {"host pointer", case_host_pointer, NULL},
    {"semaphore", case_semaphore_fd, NULL},
    {"timeline", case_timeline_fd, NULL},
    {"fence", case_fence_fd, &fence_types[0]},
    {"fence as sync file", case_fence_fd, &fence_types[1]},
};
const size_t vt_share_count = COUNT_OF(vt_share_cases);
