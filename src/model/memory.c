/* Reservation, mapping and the general translation of GPU addresses. What a buffer is, who owns it and whether a
 * mapping is allowed is not decided here. */
#include "model/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/bits.h"

uint64_t gpu_space_granularity_B(void)
{
    return MAX2((uint64_t)sysconf(_SC_PAGESIZE), GPU_PAGE_SIZE_B);
}

static uint64_t range_pages(const struct gpu_range *range)
{
    return range->size_B >> GPU_PAGE_SHIFT;
}

/* Sparse arrays: only the pages that are touched cost memory. */
static void *reserve(uint64_t size_B, int protection)
{
    void *memory = mmap(NULL, size_B, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int range_init(struct gpu_range *range, uint64_t base_va, uint64_t size_B)
{
    uint64_t mask = gpu_space_granularity_B() - 1;
    *range = (struct gpu_range){.base_va = base_va, .size_B = size_B};
    if (size_B == 0)
        return 0;
    if ((base_va | size_B) & mask || base_va + size_B - 1 < base_va)
        return -EINVAL;
    range->host = reserve(size_B, PROT_NONE);
    range->perms = reserve(range_pages(range) + 1, PROT_READ | PROT_WRITE);
    range->user_pages = reserve(range_pages(range) * sizeof(*range->user_pages), PROT_READ | PROT_WRITE);
    return range->host && range->perms && range->user_pages ? 0 : -ENOMEM;
}

static void range_finish(struct gpu_range *range)
{
    if (range->host)
        munmap(range->host, range->size_B);
    if (range->perms)
        munmap(range->perms, range_pages(range) + 1);
    if (range->user_pages)
        munmap(range->user_pages, range_pages(range) * sizeof(*range->user_pages));
    *range = (struct gpu_range){0};
}

int gpu_space_init(struct gpu_space *space, uint64_t low_va, uint64_t low_size_B, uint64_t high_va,
                   uint64_t high_size_B)
{
    *space = (struct gpu_space){0};
    if ((low_size_B && (low_va + low_size_B - 1) >> 63) || (high_size_B && !(high_va >> 63)))
        return -EINVAL;
    int error = range_init(&space->ranges[0], low_va, low_size_B);
    if (!error)
        error = range_init(&space->ranges[1], high_va, high_size_B);
    if (error)
        gpu_space_finish(space);
    return error;
}

void gpu_space_finish(struct gpu_space *space)
{
    range_finish(&space->ranges[0]);
    range_finish(&space->ranges[1]);
}

bool gpu_space_contains(const struct gpu_space *space, uint64_t va, uint64_t size_B)
{
    const struct gpu_range *range = &space->ranges[va >> 63];
    uint64_t offset_B = va - range->base_va;
    return size_B && offset_B < range->size_B && size_B <= range->size_B - offset_B;
}

static struct gpu_range *mappable_range(struct gpu_space *space, uint64_t va, uint64_t size_B)
{
    uint64_t mask = gpu_space_granularity_B() - 1;
    if ((va | size_B) & mask || !gpu_space_contains(space, va, size_B))
        return NULL;
    return &space->ranges[va >> 63];
}

static void set_perms(struct gpu_range *range, uint64_t va, uint64_t size_B, unsigned perms)
{
    uint64_t first = (va - range->base_va) >> GPU_PAGE_SHIFT;
    uint64_t count = size_B >> GPU_PAGE_SHIFT;
    for (uint64_t page = first; page < first + count; page++)
        __atomic_store_n(&range->perms[page], (uint8_t)perms, __ATOMIC_RELAXED);
    __atomic_fetch_add(&range->changes, 1, __ATOMIC_RELEASE);
    /* The bytes must be seen changed before the pages behind them change. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Put host pages at an address. Readers see either the old or the new page, never a hole: MAP_FIXED replaces at once.
 */
static int place(struct gpu_range *range, uint64_t va, uint64_t size_B, int protection, int flags, int fd,
                 uint64_t offset_B)
{
    void *where = range->host + (va - range->base_va);
    return mmap(where, size_B, protection, flags | MAP_FIXED, fd, (off_t)offset_B) == MAP_FAILED ? -errno : 0;
}

int gpu_space_map_file(struct gpu_space *space, uint64_t va, uint64_t size_B, int fd, uint64_t offset_B, unsigned perms)
{
    struct gpu_range *range = mappable_range(space, va, size_B);
    if (!range || offset_B & (gpu_space_granularity_B() - 1))
        return -EINVAL;
    /* Read and write for the host whatever the GPU may do: the byte decides, and a remap need not race with it. */
    int error = place(range, va, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset_B);
    if (!error)
        set_perms(range, va, size_B, perms & GPU_PERM_RWX);
    return error;
}

int gpu_space_map_user(struct gpu_space *space, uint64_t va, uint64_t size_B, void *host, unsigned perms)
{
    struct gpu_range *range = mappable_range(space, va, size_B);
    if (!range || (uintptr_t)host & (GPU_PAGE_SIZE_B - 1))
        return -EINVAL;
    uint64_t first = (va - range->base_va) >> GPU_PAGE_SHIFT;
    set_perms(range, va, size_B, 0);
    for (uint64_t page = 0; page < size_B >> GPU_PAGE_SHIFT; page++)
        __atomic_store_n(&range->user_pages[first + page], (uint8_t *)host + (page << GPU_PAGE_SHIFT),
                         __ATOMIC_RELEASE);
    set_perms(range, va, size_B, (perms & GPU_PERM_RWX) << GPU_PERM_USER_SHIFT);
    return 0;
}

int gpu_space_map_resident(struct gpu_space *space, uint64_t va, uint64_t size_B)
{
    struct gpu_range *range = mappable_range(space, va, size_B);
    if (!range)
        return -EINVAL;
    /* A worker that translated a write before this call must not meet a read-only page, so the memory is writable and
     * private; it is thrown away with the mapping and no write of the GPU reaches it by a later translation. */
    int error = place(range, va, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!error)
        set_perms(range, va, size_B, GPU_PERM_RESIDENT | GPU_PERM_READ);
    return error;
}

int gpu_space_unmap(struct gpu_space *space, uint64_t va, uint64_t size_B, bool busy)
{
    struct gpu_range *range = mappable_range(space, va, size_B);
    if (!range)
        return -EINVAL;
    set_perms(range, va, size_B, 0);
    return place(range, va, size_B, busy ? PROT_READ | PROT_WRITE : PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

enum gpu_access gpu_space_resolve(const struct gpu_space *space, uint64_t va, uint32_t size_B, unsigned need,
                                  void **host_out)
{
    const struct gpu_range *range = &space->ranges[va >> 63];
    uint64_t offset_B = va - range->base_va;
    if (offset_B >= range->size_B || (offset_B & (GPU_PAGE_SIZE_B - 1)) + size_B > GPU_PAGE_SIZE_B)
        return GPU_ACCESS_FAULT;
    uint8_t perms = __atomic_load_n(&range->perms[offset_B >> GPU_PAGE_SHIFT], __ATOMIC_ACQUIRE);
    if ((perms & need) == need) {
        *host_out = range->host + offset_B;
        return GPU_ACCESS_MEMORY;
    }
    if (perms & GPU_PERM_RESIDENT)
        return GPU_ACCESS_ZERO;
    if (need && (perms >> GPU_PERM_USER_SHIFT & need) == need) {
        uint8_t *page = __atomic_load_n(&range->user_pages[offset_B >> GPU_PAGE_SHIFT], __ATOMIC_ACQUIRE);
        *host_out = page + (offset_B & (GPU_PAGE_SIZE_B - 1));
        return GPU_ACCESS_MEMORY;
    }
    return GPU_ACCESS_FAULT;
}

void *gpu_space_whole(const struct gpu_space *space, uint64_t va, uint64_t size_B, unsigned need)
{
    if (!gpu_space_contains(space, va, size_B))
        return NULL;
    const struct gpu_range *range = &space->ranges[va >> 63];
    uint64_t offset_B = va - range->base_va, last = (offset_B + size_B - 1) >> GPU_PAGE_SHIFT;
    for (uint64_t page = offset_B >> GPU_PAGE_SHIFT; page <= last;) {
        /* A few at a time: most are all right. */
        uint64_t end = MIN2(last + 1, page + 64);
        unsigned perms = need;
        for (; page < end; page++)
            perms &= __atomic_load_n(&range->perms[page], __ATOMIC_RELAXED);
        if (perms != need)
            return NULL;
    }
    return range->host + offset_B;
}

static uint32_t page_piece_B(uint64_t va, uint64_t left_B)
{
    return (uint32_t)MIN2(left_B, GPU_PAGE_SIZE_B - (va & (GPU_PAGE_SIZE_B - 1)));
}

uint64_t gpu_space_read(const struct gpu_space *space, uint64_t va, void *data, uint64_t size_B)
{
    uint64_t done_B = 0;
    while (done_B < size_B) {
        uint32_t piece_B = page_piece_B(va + done_B, size_B - done_B);
        void *host = NULL;
        enum gpu_access access = gpu_space_resolve(space, va + done_B, piece_B, GPU_PERM_READ, &host);
        if (access == GPU_ACCESS_FAULT)
            break;
        if (access == GPU_ACCESS_ZERO)
            memset((char *)data + done_B, 0, piece_B);
        else
            memcpy((char *)data + done_B, host, piece_B);
        done_B += piece_B;
    }
    return done_B;
}

uint64_t gpu_space_write(const struct gpu_space *space, uint64_t va, const void *data, uint64_t size_B)
{
    uint64_t done_B = 0;
    while (done_B < size_B) {
        uint32_t piece_B = page_piece_B(va + done_B, size_B - done_B);
        void *host = NULL;
        enum gpu_access access = gpu_space_resolve(space, va + done_B, piece_B, GPU_PERM_WRITE, &host);
        if (access == GPU_ACCESS_FAULT)
            break;
        if (access == GPU_ACCESS_MEMORY)
            memcpy(host, (const char *)data + done_B, piece_B);
        done_B += piece_B;
    }
    return done_B;
}
