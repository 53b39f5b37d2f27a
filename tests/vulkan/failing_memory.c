/* Lets the n-th allocation of host memory fail, alone and with all after it, for every n, in a program that uses a bit
 * of everything (script.c): each time there is an error that says so, or the driver did without and the bytes are
 * right; nothing is left allocated, nothing is freed that was not, and nothing crashes.
 *
 *     failing_memory LIBRARY [FIRST [LAST]] */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pthread.h>

#define VK_NO_PROTOTYPES
#include "script.h"

/* ---- host memory that fails on demand ---- */

/* Stands before each block. The callbacks may be called by any thread of the driver. */
struct header {
    void *block;
    size_t size_B;
    uint64_t magic;
};
#define MAGIC 0x7475666661c0ffeeull

static struct {
    pthread_mutex_t lock;
    unsigned long count, fails_at; /* allocations so far; the one that fails */
    long live;
    bool for_good; /* and all after it */
    bool failed, absorbed, wrong_free;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool may_allocate(void)
{
    pthread_mutex_lock(&memory.lock);
    unsigned long n = memory.count++;
    bool may = memory.for_good ? n < memory.fails_at : n != memory.fails_at;
    memory.failed |= !may;
    memory.live += may;
    pthread_mutex_unlock(&memory.lock);
    return may;
}

static void *VKAPI_CALL allocate(void *user, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
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

static void VKAPI_CALL release(void *user, void *data)
{
    (void)user;
    if (!data)
        return;
    struct header *header = (struct header *)data - 1;
    pthread_mutex_lock(&memory.lock);
    memory.live--;
    memory.wrong_free |= header->magic != MAGIC;
    pthread_mutex_unlock(&memory.lock);
    if (header->magic != MAGIC)
        return;
    header->magic = 0;
    free(header->block);
}

static void *VKAPI_CALL reallocate(void *user, void *old, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    if (size_B == 0) {
        release(user, old);
        return NULL;
    }
    void *data = allocate(user, size_B, align_B, scope);
    if (data && old) {
        size_t old_B = ((struct header *)old - 1)->size_B;
        memcpy(data, old, old_B < size_B ? old_B : size_B);
        release(user, old);
    }
    return data;
}

static const VkAllocationCallbacks callbacks = {
    .pfnAllocation = allocate, .pfnReallocation = reallocate, .pfnFree = release};

/* ---- the program ---- */

static VkResult use(struct script *script, enum script_family family, bool *right_out)
{
    struct script_job job;
    VkResult result = script_job_create(&job, script, family, 5);
    if (result == VK_SUCCESS)
        result = script_job_record(&job);
    bool submitted = false;
    if (result == VK_SUCCESS) {
        result = script_job_submit(&job, script->queues[family][0]);
        submitted = result == VK_SUCCESS;
    }
    if (submitted)
        result = script_job_wait(&job);
    *right_out = result != VK_SUCCESS || script_job_is_right(&job);
    script_job_destroy(&job);
    return result;
}

static VkResult run(bool *right_out)
{
    struct script script;
    *right_out = true;
    VkResult result = script_open(&script, &callbacks);
    for (int family = 0; family < SCRIPT_FAMILIES && result == VK_SUCCESS && *right_out; family++)
        result = use(&script, (enum script_family)family, right_out);
    script_close(&script);
    return result;
}

/* A crash says at which allocation it was. */
static void crashed(int number)
{
    char text[96];
    int length = snprintf(text, sizeof(text), "# signal %d where allocation %lu fails\n", number, memory.fails_at);
    if (write(STDOUT_FILENO, text, (size_t)length) < 0)
        _exit(3);
    signal(number, SIG_DFL);
    raise(number);
}

static bool run_failing_at(unsigned long n, bool for_good)
{
    memory.for_good = for_good;
    memory.count = 0;
    memory.fails_at = n;
    memory.live = 0;
    memory.failed = memory.absorbed = memory.wrong_free = false;
    bool right;
    VkResult result = run(&right);
    memory.absorbed = memory.failed && result == VK_SUCCESS;
    bool told =
        result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (memory.failed && told && right && !memory.live && !memory.wrong_free)
        return true;
    if (!memory.failed && result == VK_SUCCESS && right && !memory.live && !memory.wrong_free)
        return true;
    printf("# allocation %lu: VkResult %d, %s bytes, %ld left allocated%s\n", n, result, right ? "right" : "wrong",
           memory.live, memory.wrong_free ? ", something freed that is not ours" : "");
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 2 || !script_load(argv[1])) {
        fprintf(stderr, "usage: failing_memory LIBRARY [FIRST [LAST]]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, last = argc > 3 ? strtoul(argv[3], NULL, 0) : ~0ul;
    for (int i = 0; i < 3; i++)
        signal((int[]){SIGSEGV, SIGBUS, SIGABRT}[i], crashed);

    bool whole = run_failing_at(~0ul, false);
    unsigned long total = memory.count, bad[2] = {0}, absorbed = 0;
    printf("%s 1 - nothing fails, nothing is left: %lu allocations\n", whole ? "ok" : "not ok", total);
    for (int for_good = 0; for_good < 2; for_good++) {
        for (unsigned long n = first; n < total && n <= last; n++) {
            bad[for_good] += !run_failing_at(n, for_good);
            absorbed += memory.absorbed;
        }
    }
    printf("%s 2 - each of them fails once: %lu wrong\n", bad[0] ? "not ok" : "ok", bad[0]);
    printf("%s 3 - each of them fails, and all after it: %lu wrong\n1..3\n", bad[1] ? "not ok" : "ok", bad[1]);
    printf("# the driver did without %lu of them\n", absorbed);
    return whole && !bad[0] && !bad[1] ? 0 : 1;
}
