/* See failing_alloc.h. */
#define VK_NO_PROTOTYPES
#include "failing_alloc.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Stands before each block. The callbacks may be called by any thread of the driver. */
struct header {
    void *block;
    size_t size_B;
    uint64_t magic;
};
#define MAGIC 0x7475666661c0ffeeull

struct failing_memory failing_memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool may_allocate(void)
{
    struct failing_memory *memory = &failing_memory;
    pthread_mutex_lock(&lock);
    unsigned long n = memory->count++;
    bool may = memory->for_good ? n < memory->fails_at : n != memory->fails_at;
    memory->failed |= !may;
    memory->live += may;
    pthread_mutex_unlock(&lock);
    return may;
}

static void *VKAPI_CALL allocate_memory(void *user, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    (void)user, (void)scope;
    if (size_B == 0 || !may_allocate())
        return NULL;
    size_t align = align_B < 16 ? 16 : align_B, space = (sizeof(struct header) + align - 1) / align * align;
    char *block = NULL;
    if (posix_memalign((void **)&block, align, space + size_B))
        abort();
    memset(block + space, 0xa5, size_B); /* zeroes are not promised */
    struct header *header = (struct header *)(block + space) - 1;
    *header = (struct header){block, size_B, MAGIC};
    return block + space;
}

static void VKAPI_CALL release_memory(void *user, void *data)
{
    (void)user;
    if (!data)
        return;
    struct header *header = (struct header *)data - 1;
    pthread_mutex_lock(&lock);
    failing_memory.live--;
    failing_memory.wrong_free |= header->magic != MAGIC;
    pthread_mutex_unlock(&lock);
    if (header->magic != MAGIC)
        return;
    header->magic = 0;
    free(header->block);
}

static void *VKAPI_CALL reallocate_memory(void *user, void *old, size_t size_B, size_t align_B,
                                          VkSystemAllocationScope scope)
{
    if (size_B == 0) {
        release_memory(user, old);
        return NULL;
    }
    void *data = allocate_memory(user, size_B, align_B, scope);
    if (data && old) {
        size_t old_B = ((struct header *)old - 1)->size_B;
        memcpy(data, old, old_B < size_B ? old_B : size_B);
        release_memory(user, old);
    }
    return data;
}

const VkAllocationCallbacks failing_callbacks = {
    .pfnAllocation = allocate_memory, .pfnReallocation = reallocate_memory, .pfnFree = release_memory};

static void failing_begin(unsigned long fails_at, bool for_good)
{
    failing_memory = (struct failing_memory){.fails_at = fails_at, .for_good = for_good};
}

/* Whether a program that ended with this result, after which nothing lives, did what it may: it says that there was no
 * memory, or it went on without and what it made is right. Prints what is wrong. */
static bool failing_is_right(VkResult result, bool right)
{
    const struct failing_memory *memory = &failing_memory;
    bool told = result == VK_SUCCESS ||
                (memory->failed && (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY));
    if (told && right && !memory->live && !memory->wrong_free)
        return true;
    printf("# allocation %lu: VkResult %d, %s bytes, %ld left allocated%s\n", memory->fails_at, result,
           right ? "right" : "wrong", memory->live, memory->wrong_free ? ", something freed that is not ours" : "");
    return false;
}

static void crashed(int number)
{
    char text[96];
    int length =
        snprintf(text, sizeof(text), "# signal %d where allocation %lu fails\n", number, failing_memory.fails_at);
    if (write(STDOUT_FILENO, text, (size_t)length) < 0)
        _exit(3);
    signal(number, SIG_DFL);
    raise(number);
}

bool failing_run(failing_program program, const char *what, int number, unsigned long first, unsigned long last)
{
    unsigned long bad[2] = {0}, absorbed = 0;
    bool right;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < 3; i++)
        signal((int[]){SIGSEGV, SIGBUS, SIGABRT}[i], crashed);
    failing_begin(~0ul, false);
    VkResult result = program(&right);
    const bool whole = failing_is_right(result, right) && result == VK_SUCCESS;
    const unsigned long total = failing_memory.count;
    printf("%s %d - %s: nothing fails, nothing is left: %lu allocations\n", whole ? "ok" : "not ok", number, what,
           total);
    for (int for_good = 0; for_good < 2; for_good++) {
        for (unsigned long n = first; n < total && n <= last; n++) {
            failing_begin(n, for_good);
            result = program(&right);
            bad[for_good] += !failing_is_right(result, right);
            absorbed += failing_memory.failed && result == VK_SUCCESS;
        }
    }
    printf("%s %d - %s: each of them fails once: %lu wrong\n", bad[0] ? "not ok" : "ok", number + 1, what, bad[0]);
    printf("%s %d - %s: each of them fails, and all after it: %lu wrong\n", bad[1] ? "not ok" : "ok", number + 2, what,
           bad[1]);
    printf("# the driver did without %lu of them\n", absorbed);
    return whole && !bad[0] && !bad[1];
}
