/* Lets the host refuse memory at every place of the driver and of the model where they ask for it, with work in flight:
 * an error, a lost device or right bytes, but never a hang and never a crash. failing_memory.c does that for what goes
 * by an application's callbacks; this one for what the C library and the kernel of the host give: malloc and its kin,
 * mmap, memfd_create, threads.
 *
 *     failing_host LIBRARY [PLACE]
 *
 * A place is a chain of callers: the first times that it asks are refused, each in a program of its own, and the last.
 * Places are tried in a process that goes on to the next one as long as none kills it; those that only ask in a new
 * process have one each. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define VK_NO_PROTOTYPES
#include "script.h"

/* ---- places ---- */

enum {
    DEPTH = 7, /* of callers that make a place */
    SKIPPED = 2,
    MOST_PLACES = 1 << 14,
    MOST_RANGES = 64,
    FIRST_TIMES = 4,
    SECONDS = 60 /* for a program that takes some hundredths: by then it hangs */
};

struct place {
    uint64_t hash;
    uintptr_t caller;       /* relative, as all of them */
    _Atomic uint32_t times; /* that it asks in a program; of a target: the one that is refused */
};

static struct {
    _Atomic bool records, refuses; /* one of both */
    _Atomic bool has_refused;
    struct place target;
    _Atomic uint32_t asked; /* how often the target has */
    struct place places[MOST_PLACES];
    _Atomic uint32_t count;
    struct {
        _Atomic uint64_t hash;
        _Atomic uint32_t times;
    } index[2 * MOST_PLACES]; /* those that are known */
    char callers[1024];       /* of what was refused, for reports */
} host;

/* Where code of ours lies. */
static struct {
    uintptr_t base, end;
    bool is_ours;
} ranges[MOST_RANGES];
static _Atomic uint32_t range_count;
static pthread_mutex_t range_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool is_inside;

static int note_range(struct dl_phdr_info *info, size_t size_B, void *data)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t base = info->dlpi_addr + part->p_vaddr;
        bool is_known = part->p_type != PT_LOAD || !(part->p_flags & PF_X);
        for (uint32_t n = 0; n < range_count; n++)
            is_known |= ranges[n].base == base;
        if (is_known || range_count == MOST_RANGES)
            continue;
        const char *name = strrchr(info->dlpi_name, '/');
        ranges[range_count].base = base;
        ranges[range_count].end = base + part->p_memsz;
        ranges[range_count].is_ours = name && (!strncmp(name, "/libvulkan_tuff", 15) || !strncmp(name, "/libtuff_", 9));
        atomic_fetch_add(&range_count, 1);
    }
    return 0;
}

/* A library is noted when its code first asks for something. */
static bool find_range(uintptr_t address, uintptr_t *base_out)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < range_count; i++) {
            if (address >= ranges[i].base && address < ranges[i].end) {
                *base_out = ranges[i].base;
                return ranges[i].is_ours;
            }
        }
        pthread_mutex_lock(&range_lock);
        if (pass == 0)
            dl_iterate_phdr(note_range, NULL);
        pthread_mutex_unlock(&range_lock);
    }
    *base_out = 0;
    return false;
}

static uint64_t hash_callers(void **callers, int count)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (int i = 0; i < count && i < DEPTH; i++) {
        uintptr_t base;
        if (!find_range((uintptr_t)callers[i], &base))
            break; /* who calls the driver makes no difference */
        hash = (hash ^ ((uintptr_t)callers[i] - base)) * 0x100000001b3ull;
    }
    return hash;
}

/* How often a place has asked: 1 for one that is new. */
static uint32_t count_place(uint64_t hash)
{
    for (uint32_t at = (uint32_t)(hash % (2 * MOST_PLACES));; at = (at + 1) % (2 * MOST_PLACES)) {
        uint64_t seen = 0;
        if (atomic_compare_exchange_strong(&host.index[at].hash, &seen, hash) || seen == hash)
            return atomic_fetch_add(&host.index[at].times, 1) + 1;
    }
}

static uint32_t times_of(uint64_t hash)
{
    uint32_t at = (uint32_t)(hash % (2 * MOST_PLACES));
    while (host.index[at].hash != hash)
        at = (at + 1) % (2 * MOST_PLACES);
    return host.index[at].times;
}

static void describe_callers(void **callers, int count)
{
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof(host.callers) - 64; i++) {
        Dl_info info = {0};
        if (!dladdr(callers[i], &info))
            continue;
        const char *name = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
        used += (size_t)snprintf(host.callers + used, sizeof(host.callers) - used, " %s+0x%" PRIxPTR,
                                 name ? name + 1 : "?", (uintptr_t)callers[i] - (uintptr_t)info.dli_fbase);
    }
}

/* Whether the host gives what `caller` asks for. */
static bool gives(void *caller)
{
    uintptr_t base;
    if (is_inside || !(host.records || host.refuses) || !find_range((uintptr_t)caller, &base))
        return true;
    if (host.refuses && (host.has_refused || (uintptr_t)caller - base != host.target.caller))
        return true;
    is_inside = true;
    void *callers[DEPTH + SKIPPED];
    const int count = backtrace(callers, DEPTH + SKIPPED);
    int first = 0;
    while (first < count && callers[first] != caller)
        first++;
    const uint64_t hash = hash_callers(callers + first, count - first);
    bool is_given = true;
    if (host.records && count_place(hash) == 1) {
        const uint32_t at = atomic_fetch_add(&host.count, 1);
        if (at < MOST_PLACES)
            host.places[at] = (struct place){hash, (uintptr_t)caller - base, 0};
    } else if (host.refuses && hash == host.target.hash && ++host.asked == host.target.times) {
        is_given = atomic_exchange(&host.has_refused, true);
        if (!is_given)
            describe_callers(callers + first, count - first);
    }
    is_inside = false;
    return is_given;
}

/* ---- what the host gives: the C library's, but for what is refused ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

#define EXPORTED __attribute__((visibility("default")))
#define REFUSED(result)                                                                                                \
    do {                                                                                                               \
        if (!gives(__builtin_return_address(0))) {                                                                     \
            errno = ENOMEM;                                                                                            \
            return result;                                                                                             \
        }                                                                                                              \
    } while (0)

EXPORTED void *malloc(size_t size_B)
{
    REFUSED(NULL);
    return __libc_malloc(size_B);
}

EXPORTED void *calloc(size_t count, size_t size_B)
{
    REFUSED(NULL);
    return __libc_calloc(count, size_B);
}

EXPORTED void *realloc(void *memory, size_t size_B)
{
    REFUSED(NULL);
    return __libc_realloc(memory, size_B);
}

EXPORTED int posix_memalign(void **memory_out, size_t align_B, size_t size_B)
{
    REFUSED(ENOMEM);
    *memory_out = __libc_memalign(align_B, size_B);
    return *memory_out ? 0 : ENOMEM;
}

EXPORTED void *aligned_alloc(size_t align_B, size_t size_B)
{
    REFUSED(NULL);
    return __libc_memalign(align_B, size_B);
}

#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

EXPORTED void *mmap(void *address, size_t size_B, int protection, int flags, int fd, off_t offset_B)
{
    REFUSED(MAP_FAILED);
    return NEXT(mmap)(address, size_B, protection, flags, fd, offset_B);
}

EXPORTED int memfd_create(const char *name, unsigned flags)
{
    REFUSED(-1);
    return NEXT(memfd_create)(name, flags);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    REFUSED(EAGAIN);
    return NEXT(pthread_create)(thread, attributes, run, argument);
}

/* ---- the program: work of all kinds in flight ---- */

#define COMMANDS(X)                                                                                                    \
    X(vkCreateFence)                                                                                                   \
    X(vkDestroyFence)                                                                                                  \
    X(vkWaitForFences)                                                                                                 \
    X(vkCreateSemaphore)                                                                                               \
    X(vkDestroySemaphore)                                                                                              \
    X(vkSignalSemaphore)                                                                                               \
    X(vkWaitSemaphores)                                                                                                \
    X(vkGetSemaphoreFdKHR)                                                                                             \
    X(vkImportSemaphoreFdKHR)                                                                                          \
    X(vkQueueSubmit)                                                                                                   \
    X(vkDeviceWaitIdle)

static PFN_vkGetInstanceProcAddr get_instance_proc;
#define DECLARE(name) static PFN_##name name;
COMMANDS(DECLARE)

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        VkResult try_result = (call);                                                                                  \
        if (try_result != VK_SUCCESS)                                                                                  \
            return try_result;                                                                                         \
    } while (0)

/* Submissions without commands, of each way to wait and to signal. */
struct links {
    VkSemaphore timeline, exported, imported;
    VkFence held, last;
};

static VkResult create_links(const struct script *script, struct links *links)
{
    const VkDevice device = script->device;
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkExportSemaphoreCreateInfo file = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                        .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    TRY(vkCreateSemaphore(device, &semaphore, NULL, &links->timeline));
    semaphore.pNext = &file;
    TRY(vkCreateSemaphore(device, &semaphore, NULL, &links->exported));
    semaphore.pNext = NULL;
    TRY(vkCreateSemaphore(device, &semaphore, NULL, &links->imported));
    TRY(vkCreateFence(device, &fence, NULL, &links->held));
    return vkCreateFence(device, &fence, NULL, &links->last);
}

static void destroy_links(const struct script *script, struct links *links)
{
    const VkDevice device = script->device;
    vkDestroySemaphore(device, links->timeline, NULL);
    vkDestroySemaphore(device, links->exported, NULL);
    vkDestroySemaphore(device, links->imported, NULL);
    vkDestroyFence(device, links->held, NULL);
    vkDestroyFence(device, links->last, NULL);
}

static VkResult submit_link(VkQueue queue, VkSemaphore wait, uint64_t waited, VkSemaphore signal, uint64_t signaled,
                            VkFence fence)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .waitSemaphoreValueCount = wait ? 1 : 0,
                                            .pWaitSemaphoreValues = &waited,
                                            .signalSemaphoreValueCount = signal ? 1 : 0,
                                            .pSignalSemaphoreValues = &signaled};
    VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .pNext = &values,
                         .waitSemaphoreCount = wait ? 1 : 0,
                         .pWaitSemaphores = &wait,
                         .pWaitDstStageMask = &stage,
                         .signalSemaphoreCount = signal ? 1 : 0,
                         .pSignalSemaphores = &signal};
    return vkQueueSubmit(queue, 1, &info, fence);
}

/* By a sync file from one semaphore to another. */
static VkResult pass_file(const struct script *script, const struct links *links)
{
    VkSemaphoreGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                   .semaphore = links->exported,
                                   .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
    VkImportSemaphoreFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                         .semaphore = links->imported,
                                         .flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
                                         .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
                                         .fd = -1};
    TRY(vkGetSemaphoreFdKHR(script->device, &get, &import.fd));
    VkResult result = vkImportSemaphoreFdKHR(script->device, &import);
    if (result != VK_SUCCESS && import.fd >= 0)
        close(import.fd);
    return result == VK_ERROR_INVALID_EXTERNAL_HANDLE ? VK_ERROR_OUT_OF_HOST_MEMORY : result;
}

/* Held until the host signals, behind which others wait. */
static VkResult submit_links(const struct script *script, const struct links *links, bool *is_held_out)
{
    const VkQueue first = script->queues[SCRIPT_GENERAL][0], second = script->queues[SCRIPT_COMPUTE][0];
    TRY(submit_link(first, VK_NULL_HANDLE, 0, links->exported, 0, VK_NULL_HANDLE));
    TRY(pass_file(script, links));
    TRY(submit_link(first, links->imported, 0, VK_NULL_HANDLE, 0, links->last));
    TRY(submit_link(second, links->timeline, 1, links->timeline, 2, links->held));
    *is_held_out = true;
    return VK_SUCCESS;
}

static VkResult wait_for(const struct script *script, const VkFence *fence)
{
    return vkWaitForFences(script->device, 1, fence, VK_TRUE, UINT64_MAX);
}

static VkResult run_links(const struct script *script, struct links *links)
{
    bool is_held = false;
    VkResult result = submit_links(script, links, &is_held);
    VkSemaphoreSignalInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = links->timeline, .value = 1};
    VkResult signaled = vkSignalSemaphore(script->device, &signal);
    if (signaled == VK_ERROR_OUT_OF_HOST_MEMORY) /* it may be tried again */
        signaled = vkSignalSemaphore(script->device, &signal);
    if (result == VK_SUCCESS)
        result = signaled;
    const uint64_t two = 2;
    VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &links->timeline,
                                .pValues = &two};
    if (result == VK_SUCCESS)
        result = wait_for(script, &links->last);
    if (result == VK_SUCCESS && is_held)
        result = vkWaitSemaphores(script->device, &wait, UINT64_MAX);
    if (result == VK_SUCCESS && is_held)
        result = wait_for(script, &links->held);
    return result;
}

static VkResult submit_jobs(struct script *script, struct script_job *jobs, bool *is_submitted)
{
    for (int i = 0; i < SCRIPT_FAMILIES; i++) {
        TRY(script_job_create(&jobs[i], script, (enum script_family)i, 5));
        TRY(script_job_record(&jobs[i]));
    }
    for (int i = 0; i < SCRIPT_FAMILIES; i++) {
        TRY(script_job_submit(&jobs[i], script->queues[i][0]));
        is_submitted[i] = true;
    }
    return VK_SUCCESS;
}

static VkResult use_device(struct script *script, bool *right_out)
{
    struct script_job jobs[SCRIPT_FAMILIES] = {0};
    struct links links = {0};
    bool is_submitted[SCRIPT_FAMILIES] = {0};
    PFN_vkGetDeviceProcAddr get = (PFN_vkGetDeviceProcAddr)get_instance_proc(script->instance, "vkGetDeviceProcAddr");
#define LOAD(name) name = (PFN_##name)get(script->device, #name);
    COMMANDS(LOAD)
    VkResult result = create_links(script, &links);
    if (result == VK_SUCCESS)
        result = submit_jobs(script, jobs, is_submitted);
    VkResult linked = result == VK_SUCCESS ? run_links(script, &links) : VK_SUCCESS;
    for (int i = 0; i < SCRIPT_FAMILIES; i++) {
        VkResult waited = is_submitted[i] ? script_job_wait(&jobs[i]) : VK_SUCCESS;
        if (result == VK_SUCCESS)
            result = waited;
        if (waited == VK_SUCCESS && is_submitted[i])
            *right_out &= script_job_is_right(&jobs[i]);
    }
    vkDeviceWaitIdle(script->device);
    for (int i = 0; i < SCRIPT_FAMILIES; i++)
        script_job_destroy(&jobs[i]);
    destroy_links(script, &links);
    return result == VK_SUCCESS ? linked : result;
}

static VkResult run_program(bool *right_out)
{
    struct script script;
    *right_out = true;
    VkResult result = script_open(&script, NULL);
    if (result == VK_SUCCESS)
        result = use_device(&script, right_out);
    script_close(&script);
    return result;
}

/* ---- the test ---- */

/* Shared between the processes. */
struct shared {
    struct place places[2][MOST_PLACES]; /* of a first program in a process, of a later one */
    uint32_t counts[2];
    _Atomic uint32_t next, time; /* the place to try, and which time that it asks */
    _Atomic uint32_t tried, wrong, reached;
};
static struct shared *shared;

static bool is_told(VkResult result)
{
    return result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
           result == VK_ERROR_DEVICE_LOST || result == VK_ERROR_INITIALIZATION_FAILED ||
           result == VK_ERROR_TOO_MANY_OBJECTS || result == VK_ERROR_MEMORY_MAP_FAILED;
}

/* Whether a program that is refused memory at a place ended as it may. */
static bool try_place(const struct place *place)
{
    bool right;
    alarm(SECONDS);
    host.target = *place;
    host.asked = 0;
    host.has_refused = false;
    host.callers[0] = 0;
    host.refuses = true;
    VkResult result = run_program(&right);
    host.refuses = false;
    alarm(0);
    shared->reached += host.has_refused;
    if (is_told(result) && right)
        return true;
    printf("# place %016" PRIx64 ":%" PRIxPTR ":%u: VkResult %d, %s bytes;%s\n", place->hash, place->caller,
           place->times, result, right ? "right" : "wrong", host.callers);
    return false;
}

static void died(int number)
{
    char text[1400];
    int length = snprintf(text, sizeof(text), "# place %016" PRIx64 ":%" PRIxPTR ":%u: %s%s;%s\n", host.target.hash,
                          host.target.caller, host.target.times, number == SIGALRM ? "a hang" : "signal ",
                          number == SIGALRM ? "" : strsignal(number), host.callers);
    if (write(STDOUT_FILENO, text, (size_t)length) < 0)
        _exit(3);
    _exit(2);
}

static void watch_death(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGALRM, SIGFPE, SIGILL};
    for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], died);
}

static void record_places(unsigned which)
{
    bool right;
    host.count = 0;
    memset(host.index, 0, sizeof(host.index));
    host.records = true;
    VkResult result = run_program(&right);
    host.records = false;
    if (result != VK_SUCCESS || !right) {
        printf("# nothing fails: VkResult %d, %s bytes\n", result, right ? "right" : "wrong");
        _exit(1);
    }
    shared->counts[which] = host.count < MOST_PLACES ? host.count : MOST_PLACES;
    for (uint32_t i = 0; i < shared->counts[which]; i++)
        host.places[i].times = times_of(host.places[i].hash);
    memcpy(shared->places[which], host.places, shared->counts[which] * sizeof(host.places[0]));
}

/* A child that does what is asked of it; what it returns. */
static int in_child(const char *library, void (*work)(void))
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        watch_death();
        void *warm[4];
        backtrace(warm, 4); /* it loads a library at its first use */
        if (!script_load(library))
            _exit(4);
        void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        *(void **)&get_instance_proc = dlsym(handle, "vk_icdGetInstanceProcAddr");
        setvbuf(stdout, NULL, _IOLBF, 0);
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void record_both(void)
{
    alarm(SECONDS);
    record_places(0);
    record_places(1);
}

/* Of the times that a place asks: the first ones, and the last. */
static bool is_tried(uint32_t time, uint32_t times)
{
    return time <= FIRST_TIMES || time == times;
}

/* `next` counts times, of one place after the other, so that a process which dies is followed by one that goes on. */
static void try_later_places(void)
{
    bool right;
    run_program(&right);
    while (shared->next < shared->counts[1]) {
        struct place place = shared->places[1][shared->next];
        const uint32_t times = place.times;
        place.times = ++shared->time;
        if (place.times > times) {
            shared->time = 0;
            shared->next++;
        } else if (is_tried(place.times, times)) {
            shared->tried++;
            shared->wrong += !try_place(&place);
        } else {
            shared->time = times - 1; /* the last comes next */
        }
    }
}

static void try_one_place(void)
{
    struct place place = shared->places[0][shared->next];
    place.times = shared->time;
    shared->wrong += !try_place(&place);
}

static bool is_later_place(const struct place *place)
{
    for (uint32_t i = 0; i < shared->counts[1]; i++) {
        if (shared->places[1][i].hash == place->hash)
            return true;
    }
    return false;
}

static bool try_all(const char *library)
{
    uint32_t first_count = 0;
    while (shared->next < shared->counts[1])
        shared->wrong += in_child(library, try_later_places) != 0;
    const uint32_t wrong = shared->wrong;
    printf("%s 1 - each of %u places is refused memory, at %u times: %u wrong\n", wrong ? "not ok" : "ok",
           shared->counts[1], shared->tried, wrong);
    printf("# %u of them were reached again\n", shared->reached);
    for (uint32_t i = 0; i < shared->counts[0]; i++) {
        if (is_later_place(&shared->places[0][i]))
            continue;
        shared->next = i;
        shared->time = 1;
        first_count++;
        shared->wrong += in_child(library, try_one_place) != 0;
    }
    printf("%s 2 - each of %u places of a new process is refused memory once: %u wrong\n1..2\n",
           shared->wrong > wrong ? "not ok" : "ok", first_count, shared->wrong - wrong);
    return !shared->wrong;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: failing_host LIBRARY [PLACE]\n");
        return 2;
    }
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    setenv("TUFF_LOG", "error", 0);
    if (argc > 2) { /* HASH:CALLER:TIME, as reported */
        char *end;
        shared->places[0][0].hash = strtoull(argv[2], &end, 16);
        shared->places[0][0].caller = (uintptr_t)strtoull(end + (*end == ':'), &end, 16);
        shared->time = (uint32_t)strtoul(end + (*end == ':'), NULL, 10);
        return in_child(argv[1], try_one_place) || shared->wrong;
    }
    if (in_child(argv[1], record_both)) {
        printf("not ok 1 - the program runs\n1..1\n");
        return 1;
    }
    return try_all(argv[1]) ? 0 : 1;
}
