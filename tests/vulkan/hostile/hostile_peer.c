/* A hostile peer against a Vulkan driver: another process forges, truncates, locks and changes the files by which
 * semaphores and memory come in, while this one imports and uses them. Nothing of it may crash the driver, keep a call
 * for long or spoil work that has nothing to do with the peer.
 *
 *     hostile_peer [LIBRARY] [SECONDS]      a driver's library without a loader (for the sanitizers), or "loader" */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "../../../src/model/drm/tests/peer_files.h"

#define FUNCTIONS(X)                                                                                                   \
    X(AllocateCommandBuffers)                                                                                          \
    X(AllocateMemory)                                                                                                  \
    X(BeginCommandBuffer)                                                                                              \
    X(BindBufferMemory)                                                                                                \
    X(CmdFillBuffer)                                                                                                   \
    X(CreateBuffer)                                                                                                    \
    X(CreateCommandPool)                                                                                               \
    X(CreateFence)                                                                                                     \
    X(CreateSemaphore)                                                                                                 \
    X(DestroyBuffer)                                                                                                   \
    X(DestroyCommandPool)                                                                                              \
    X(DestroyDevice)                                                                                                   \
    X(DestroyFence)                                                                                                    \
    X(DestroySemaphore)                                                                                                \
    X(DeviceWaitIdle)                                                                                                  \
    X(EndCommandBuffer)                                                                                                \
    X(FreeCommandBuffers)                                                                                              \
    X(FreeMemory)                                                                                                      \
    X(GetBufferMemoryRequirements)                                                                                     \
    X(GetDeviceQueue)                                                                                                  \
    X(GetMemoryFdKHR)                                                                                                  \
    X(GetSemaphoreCounterValue)                                                                                        \
    X(GetSemaphoreFdKHR)                                                                                               \
    X(ImportSemaphoreFdKHR)                                                                                            \
    X(MapMemory)                                                                                                       \
    X(QueueSubmit)                                                                                                     \
    X(WaitForFences)
#define DECLARE(name) static PFN_vk##name vk##name;
FUNCTIONS(DECLARE)

static PFN_vkGetInstanceProcAddr get_proc;
static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static uint32_t memory_type;
static VkBuffer own_buffer;
static VkDeviceMemory own_memory;
static uint32_t *own_words;
static unsigned cases, failures;

/* How long a call took. A machine with more to do than it has processors lets a thread wait for one: that is no wait
 * for the peer. */
struct duration {
    double clock_s, queued_s; /* of the first: waiting for a processor */
};
/* The longest: of calls with a peer's files, of calls without, and of waits, which a peer's fences may make longer. */
static struct duration longest_hostile, longest_own, longest_wait;
static double longest_clock_s; /* of all calls that are no waits */
static bool is_own_work;

#define OWN_B 4096u

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void tell_result(const char *name, bool is_good)
{
    printf("%sok %u - %s\n", is_good ? "" : "not ", ++cases, name);
    fflush(stdout);
    failures += !is_good;
}

/* Seconds that this thread was ready to run and did not; 0 where the kernel does not count them. */
static double queued_s(void)
{
    FILE *file = fopen("/proc/thread-self/schedstat", "re");
    unsigned long long ran_ns, queued_ns = 0;
    if (file && fscanf(file, "%llu %llu", &ran_ns, &queued_ns) != 2)
        queued_ns = 0;
    if (file)
        fclose(file);
    return (double)queued_ns / 1e9;
}

static struct duration now(void)
{
    double queued = queued_s();
    return (struct duration){now_s(), queued};
}

static double own_s(struct duration duration)
{
    return duration.clock_s - duration.queued_s;
}

static void note_duration(struct duration *longest, struct duration begin)
{
    struct duration took = {now_s() - begin.clock_s, queued_s() - begin.queued_s};
    if (own_s(took) > own_s(*longest))
        *longest = took;
    if (longest != &longest_wait && took.clock_s > longest_clock_s)
        longest_clock_s = took.clock_s;
}

#define TIMED_AS(longest, call)                                                                                        \
    ({                                                                                                                 \
        struct duration begin = now();                                                                                 \
        VkResult result_of_call = (call);                                                                              \
        note_duration(longest, begin);                                                                                 \
        result_of_call;                                                                                                \
    })
#define TIMED(call) TIMED_AS(is_own_work ? &longest_own : &longest_hostile, call)
#define TIMED_WAIT(call) TIMED_AS(&longest_wait, call)

static bool open_driver(const char *library)
{
    bool is_loader = !library || strcmp(library, "loader") == 0;
    void *handle = dlopen(is_loader ? "libvulkan.so.1" : library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return false;
    *(void **)&get_proc = dlsym(handle, is_loader ? "vkGetInstanceProcAddr" : "vk_icdGetInstanceProcAddr");
    return get_proc != NULL;
}

#define INSTANCE(name) PFN_vk##name vk##name = (PFN_vk##name)get_proc(instance, "vk" #name)

static bool open_device(void)
{
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get_proc(NULL, "vkCreateInstance");
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .pApplicationInfo = &application};
    if (!create || create(&instance_info, NULL, &instance) != VK_SUCCESS)
        return false;
    INSTANCE(EnumeratePhysicalDevices);
    INSTANCE(GetPhysicalDeviceMemoryProperties);
    INSTANCE(CreateDevice);
    INSTANCE(GetDeviceProcAddr);
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (!count)
        return false;
    const char *extensions[] = {"VK_KHR_external_semaphore_fd", "VK_KHR_external_memory_fd",
                                "VK_EXT_external_memory_dma_buf"};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &timeline,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue_info,
                                     .enabledExtensionCount = 3,
                                     .ppEnabledExtensionNames = extensions};
    if (vkCreateDevice(physical, &info, NULL, &device) != VK_SUCCESS)
        return false;
#define LOAD(name) vk##name = (PFN_vk##name)vkGetDeviceProcAddr(device, "vk" #name);
    FUNCTIONS(LOAD)
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(physical, &types);
    for (uint32_t i = 0; i < types.memoryTypeCount; i++) {
        if (types.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
            memory_type = i;
    }
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    return vkCreateCommandPool(device, &pool_info, NULL, &pool) == VK_SUCCESS;
}

static VkBuffer create_buffer(bool is_external)
{
    const VkExternalMemoryBufferCreateInfo external = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                       .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .pNext = is_external ? &external : NULL,
                                     .size = OWN_B,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    return vkCreateBuffer(device, &info, NULL, &buffer) == VK_SUCCESS ? buffer : VK_NULL_HANDLE;
}

static bool create_own(void)
{
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = OWN_B, .memoryTypeIndex = memory_type};
    own_buffer = create_buffer(false);
    return own_buffer && vkAllocateMemory(device, &info, NULL, &own_memory) == VK_SUCCESS &&
           vkBindBufferMemory(device, own_buffer, own_memory, 0) == VK_SUCCESS &&
           vkMapMemory(device, own_memory, 0, OWN_B, 0, (void **)&own_words) == VK_SUCCESS;
}

/* Fill a buffer, after `wait` and before `signal`, which may be none. The call and the work must end. */
static bool fill_buffer(VkBuffer buffer, uint32_t value, VkSemaphore wait, VkSemaphore signal, bool is_timeline)
{
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    const uint64_t wait_value = 1, signal_value = 1ull << 40;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = wait != 0,
                                            .pWaitSemaphoreValues = &wait_value,
                                            .signalSemaphoreValueCount = signal != 0,
                                            .pSignalSemaphoreValues = &signal_value};
    VkCommandBuffer cmd;
    VkFence fence;
    if (vkAllocateCommandBuffers(device, &allocate, &cmd) != VK_SUCCESS ||
        vkCreateFence(device, &fence_info, NULL, &fence) != VK_SUCCESS)
        return false;
    vkBeginCommandBuffer(cmd, &begin);
    vkCmdFillBuffer(cmd, buffer, 0, OWN_B, value);
    vkEndCommandBuffer(cmd);
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .pNext = is_timeline ? &values : NULL,
                                 .waitSemaphoreCount = wait != 0,
                                 .pWaitSemaphores = &wait,
                                 .pWaitDstStageMask = &stage,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &cmd,
                                 .signalSemaphoreCount = signal != 0,
                                 .pSignalSemaphores = &signal};
    VkResult result = TIMED(vkQueueSubmit(queue, 1, &submit, fence));
    if (result == VK_SUCCESS)
        result = TIMED_WAIT(vkWaitForFences(device, 1, &fence, VK_TRUE, 60000000000ull));
    vkDestroyFence(device, fence, NULL);
    if (result == VK_SUCCESS) /* or the command buffer may still be used */
        vkFreeCommandBuffers(device, pool, 1, &cmd);
    return result == VK_SUCCESS;
}

static bool own_work_is_right(void)
{
    static uint32_t value = 0x1000;
    is_own_work = true;
    bool is_right = fill_buffer(own_buffer, ++value, VK_NULL_HANDLE, VK_NULL_HANDLE, false);
    is_own_work = false;
    for (unsigned i = 0; is_right && i < OWN_B / 4; i++)
        is_right = own_words[i] == value;
    return is_right;
}

static VkSemaphore create_semaphore(bool is_timeline, bool is_exported)
{
    const VkExportSemaphoreCreateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                                  .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .pNext = is_exported ? &exported : NULL,
                                            .semaphoreType =
                                                is_timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    return vkCreateSemaphore(device, &info, NULL, &semaphore) == VK_SUCCESS ? semaphore : VK_NULL_HANDLE;
}

/* The fd stays the caller's. */
static VkResult import_semaphore(VkSemaphore semaphore, int fd)
{
    const VkImportSemaphoreFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                             .semaphore = semaphore,
                                             .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
                                             .fd = fd >= 0 ? dup(fd) : fd};
    VkResult result = TIMED(vkImportSemaphoreFdKHR(device, &info));
    if (result != VK_SUCCESS && info.fd >= 0)
        close(info.fd);
    return result;
}

static void use_semaphore(int fd, bool is_timeline)
{
    VkSemaphore semaphore = create_semaphore(is_timeline, false);
    uint64_t value;
    if (import_semaphore(semaphore, fd) == VK_SUCCESS) {
        if (is_timeline)
            TIMED(vkGetSemaphoreCounterValue(device, semaphore, &value));
        fill_buffer(own_buffer, 1, VK_NULL_HANDLE, semaphore, is_timeline);
        if (!is_timeline)
            fill_buffer(own_buffer, 2, semaphore, VK_NULL_HANDLE, is_timeline);
    }
    TIMED_WAIT(vkDeviceWaitIdle(device));
    vkDestroySemaphore(device, semaphore, NULL);
}

static VkResult import_memory(int fd, VkDeviceMemory *memory_out)
{
    const VkImportMemoryFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
                                            .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                                            .fd = fd >= 0 ? dup(fd) : fd};
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = &import,
                                       .allocationSize = OWN_B,
                                       .memoryTypeIndex = memory_type};
    VkResult result = TIMED(vkAllocateMemory(device, &info, NULL, memory_out));
    if (result != VK_SUCCESS && import.fd >= 0)
        close(import.fd);
    return result;
}

static void use_memory(int fd)
{
    VkDeviceMemory memory;
    VkBuffer buffer = create_buffer(true);
    if (import_memory(fd, &memory) == VK_SUCCESS) {
        if (vkBindBufferMemory(device, buffer, memory, 0) == VK_SUCCESS)
            fill_buffer(buffer, 0xabcdef, VK_NULL_HANDLE, VK_NULL_HANDLE, false);
        vkDestroyBuffer(device, buffer, NULL);
        vkFreeMemory(device, memory, NULL);
    } else {
        vkDestroyBuffer(device, buffer, NULL);
    }
}

/* ---- the peer ---- */

struct area {
    uint32_t *words;
    uint32_t count;
};

/* Another process, which writes into what it shares with this one. */
static pid_t start_peer(const struct area *areas, unsigned count)
{
    pid_t peer = fork();
    if (peer)
        return peer;
    uint32_t random = 99;
    for (;;) {
        random = random * 1664525u + 1013904223u;
        const struct area *area = &areas[(random >> 4) % count];
        uint32_t at = (random >> 9) % area->count;
        if (area->words[at] != PEER_SYNCOBJ_MAGIC && area->words[at] != PEER_DMABUF_MAGIC &&
            area->words[at] != PEER_RESV_MAGIC) /* or nothing would be taken any more */
            __atomic_store_n(&area->words[at], random & 0x100 ? random : random & 7, __ATOMIC_RELAXED);
        if ((random & 0xff00) == 0)
            usleep(100);
    }
}

static void end_peer(pid_t peer)
{
    kill(peer, SIGKILL);
    waitpid(peer, NULL, 0);
}

/* ---- cases ---- */

static void forged_semaphores(void)
{
    static const uint32_t counts[] = {0, 1, 2047, 2048, 2049, 65536, UINT32_MAX};
    for (unsigned i = 0; i < 2 * sizeof(counts) / sizeof(counts[0]); i++) {
        struct peer_syncobj *forged;
        int fd = peer_syncobj_file(&forged);
        forged->count = counts[i / 2];
        forged->has_fence = 1;
        forged->is_chain = i & 1;
        forged->next_serial = UINT64_MAX - 1;
        forged->next_owner = UINT32_MAX;
        forged->last_point = UINT64_MAX;
        for (unsigned j = 0; j < 2048; j++)
            forged->entries[j] = (struct peer_entry){.point = j, .serial = j, .owner = j * 77, .done = j & 1};
        use_semaphore(fd, i & 1);
        munmap(forged, PEER_SYNCOBJ_B);
        close(fd);
    }
    tell_result("forged semaphores", own_work_is_right());
}

static void kept_locks(void)
{
    struct peer_syncobj *forged;
    struct peer_trailer *trailer;
    struct peer_resv *table;
    int fd = peer_syncobj_file(&forged), buffer = peer_dmabuf_file(OWN_B, &trailer, &table);
    forged->has_fence = 1;
    forged->lock = table->lock = 0x55;
    use_semaphore(fd, false);
    forged->lock = 0x56;
    use_semaphore(fd, false);
    use_memory(buffer);
    tell_result("locks that the peer keeps", own_work_is_right());
    close(fd);
    close(buffer);
}

static void nothing_to_import(void)
{
    VkSemaphore semaphore = create_semaphore(false, false);
    VkDeviceMemory memory;
    int pipe_fds[2];
    void *bytes;
    if (pipe(pipe_fds))
        return;
    int can_shrink = peer_file("tuff-syncobj", PEER_SYNCOBJ_B, 0, &bytes);
    *(uint32_t *)bytes = PEER_SYNCOBJ_MAGIC;
    const VkResult results[] = {import_semaphore(semaphore, -1), import_semaphore(semaphore, pipe_fds[0]),
                                import_semaphore(semaphore, can_shrink), import_memory(-1, &memory),
                                import_memory(pipe_fds[0], &memory)};
    bool is_refused = true;
    for (unsigned i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        if (results[i] != VK_ERROR_INVALID_EXTERNAL_HANDLE)
            printf("# import %u: result %d\n", i, (int)results[i]);
        is_refused &= results[i] < 0;
    }
    vkDestroySemaphore(device, semaphore, NULL);
    tell_result("fd -1, a pipe and a file that can shrink are refused", is_refused && own_work_is_right());
    close(can_shrink);
}

static void truncated_files(void)
{
    const VkExportMemoryAllocateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                                 .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = &exported,
                                       .allocationSize = OWN_B,
                                       .memoryTypeIndex = memory_type};
    VkDeviceMemory memory;
    VkSemaphore semaphore = create_semaphore(false, true);
    VkBuffer buffer = create_buffer(true);
    int fds[2] = {-1, -1};
    const VkSemaphoreGetFdInfoKHR get_semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                                   .semaphore = semaphore,
                                                   .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    bool is_good = vkAllocateMemory(device, &info, NULL, &memory) == VK_SUCCESS &&
                   vkBindBufferMemory(device, buffer, memory, 0) == VK_SUCCESS &&
                   vkGetSemaphoreFdKHR(device, &get_semaphore, &fds[0]) == VK_SUCCESS;
    const VkMemoryGetFdInfoKHR get_memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                             .memory = memory,
                                             .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    is_good = is_good && vkGetMemoryFdKHR(device, &get_memory, &fds[1]) == VK_SUCCESS;
    pid_t peer = is_good ? fork() : -1;
    if (peer == 0)
        _exit(ftruncate(fds[0], 0) == 0 || ftruncate(fds[1], 0) == 0 || ftruncate(fds[1], OWN_B) == 0);
    int status = 1;
    is_good = is_good && waitpid(peer, &status, 0) == peer && status == 0 &&
              fill_buffer(buffer, 3, VK_NULL_HANDLE, semaphore, false);
    tell_result("a peer cannot truncate what it was given", is_good && own_work_is_right());
    vkDeviceWaitIdle(device);
    vkDestroyBuffer(device, buffer, NULL);
    vkFreeMemory(device, memory, NULL);
    vkDestroySemaphore(device, semaphore, NULL);
    close(fds[0]);
    close(fds[1]);
}

static void changed_while_used(double seconds)
{
    struct peer_syncobj *forged;
    struct peer_trailer *trailer;
    struct peer_resv *table;
    int fd = peer_syncobj_file(&forged), buffer = peer_dmabuf_file(OWN_B, &trailer, &table);
    const struct area areas[] = {
        {(uint32_t *)forged, PEER_SYNCOBJ_B / 4}, {(uint32_t *)forged, 64}, {(uint32_t *)trailer, 1024}};
    double end_s = now_s() + seconds;
    bool is_right = true;
    for (unsigned round = 0; now_s() < end_s && is_right; round++) {
        pid_t peer = start_peer(areas, 3);
        for (unsigned i = 0; i < 8; i++) {
            use_semaphore(fd, i & 1);
            trailer->size_B = OWN_B;
            use_memory(buffer);
        }
        end_peer(peer); /* it dies wherever it is */
        is_right = own_work_is_right();
    }
    tell_result("files that change while they are used, by a peer that is killed", is_right);
    close(fd);
    close(buffer);
}

static void report_duration(const char *what, struct duration longest)
{
    printf("# the longest %s took %.0f ms, of which it waited %.0f ms for a processor\n", what, longest.clock_s * 1000,
           longest.queued_s * 1000);
}

int main(int count, char **words)
{
    setenv("TUFF_PEER_TIMEOUT_MS", "200", 0);
    if (!open_driver(count > 1 ? words[1] : NULL) || !open_device() || !create_own()) {
        printf("1..0 # SKIP no Vulkan device with external semaphores and memory\n");
        return 77;
    }
    forged_semaphores();
    kept_locks();
    nothing_to_import();
    truncated_files();
    changed_while_used(count > 2 ? atof(words[2]) : 1);
    vkDeviceWaitIdle(device);
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyBuffer(device, own_buffer, NULL);
    vkFreeMemory(device, own_memory, NULL);
    vkDestroyDevice(device, NULL);
    INSTANCE(DestroyInstance);
    vkDestroyInstance(instance, NULL);
    report_duration("call with a peer's file", longest_hostile);
    report_duration("call without", longest_own);
    report_duration("wait", longest_wait);
    printf("# by the clock alone, the longest call took %.0f ms\n", longest_clock_s * 1000);
    /* A slow machine is as slow without a peer. */
    tell_result("no call took a second longer than those without a peer",
                own_s(longest_hostile) < 1 + own_s(longest_own));
    tell_result("no wait took half a minute", own_s(longest_wait) < 30);
    printf("1..%u\n", cases);
    return failures != 0;
}
