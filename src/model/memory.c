/* Reservation, mapping and the general translation of GPU addresses. What a buffer is, who owns it and whether a
 * mapping is allowed is not decided here. */
#include "model/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/bits.h"
#include "util/host_limits.h"

uint64_t gpu_space_granularity_B(void)
{
    return MAX2((uint64_t)sysconf(_SC_PAGESIZE), GPU_PAGE_SIZE_B);
}

static const struct gpu_window no_window;

static uint64_t window_pages(const struct gpu_window *window)
{
    return window->size_B >> GPU_PAGE_SHIFT;
}

static unsigned window_number(uint64_t va)
{
    return va >> GPU_WINDOW_SHIFT & (GPU_WINDOW_COUNT - 1);
}

/* Sparse arrays: only the pages that are touched cost memory. */
static void *reserve_pages(uint64_t size_B, int protection)
{
    void *memory = mmap(NULL, size_B, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void window_destroy(struct gpu_window *window)
{
    if (window->host)
        munmap(window->host, window->size_B + GPU_SPACE_BEHIND_B);
    if (window->perms)
        munmap(window->perms, window_pages(window) + 1);
    if (window->user_pages)
        munmap(window->user_pages, window_pages(window) * sizeof(*window->user_pages));
    free(window);
}

/* The part of a window that may ever be mapped: from the first to the last address of the extents in it. */
static struct gpu_extent reach_of(const struct gpu_space *space, uint64_t window_va)
{
    uint64_t first = UINT64_MAX, last = 0;
    const uint64_t window_last = window_va + (GPU_WINDOW_SIZE_B - 1);
    for (unsigned i = 0; i < space->extent_count; i++) {
        const struct gpu_extent *extent = &space->extents[i];
        const uint64_t extent_last = extent->va + (extent->size_B - 1);
        if (extent->va > window_last || extent_last < window_va)
            continue;
        first = MIN2(first, MAX2(extent->va, window_va));
        last = MAX2(last, MIN2(extent_last, window_last));
    }
    return (struct gpu_extent){first, last - first + 1};
}

/* The window of an address that something may be mapped at; a new one where there is none. NULL: no host addresses. */
static struct gpu_window *open_window(struct gpu_space *space, uint64_t va)
{
    const struct gpu_window **place = &space->windows[window_number(va)];
    if (*place != &no_window)
        return (struct gpu_window *)(uintptr_t)*place;
    const struct gpu_extent reach = reach_of(space, va & ~(GPU_WINDOW_SIZE_B - 1));
    struct gpu_window *window = calloc(1, sizeof(*window));
    if (!window)
        return NULL;
    /* A reader that looked before there was a window has seen no change. */
    *window = (struct gpu_window){.base_va = reach.va, .size_B = reach.size_B, .changes = 1};
    window->host = reserve_pages(window->size_B + GPU_SPACE_BEHIND_B, PROT_READ);
    window->perms = reserve_pages(window_pages(window) + 1, PROT_READ | PROT_WRITE);
    if (!window->host || !window->perms) {
        window_destroy(window);
        return NULL;
    }
    __atomic_store_n(place, window, __ATOMIC_RELEASE);
    return window;
}

/* No two windows may have the same place in the table. */
static bool extents_are_good(const struct gpu_extent *extents, unsigned count)
{
    const uint64_t mask = gpu_space_granularity_B() - 1, high = 0xffff800000000000ull;
    bool has_wide = false, has_high = false;
    for (unsigned i = 0; i < count; i++) {
        uint64_t va = extents[i].va, last = va + (extents[i].size_B - 1);
        if ((va | extents[i].size_B) & mask || extents[i].size_B == 0 || last < va)
            return false;
        if (last >= 1ull << 48 && va < high)
            return false;
        has_high |= va >= high;
        has_wide |= va < high && last >= 1ull << 47;
    }
    return !(has_wide && has_high);
}

int gpu_space_init(struct gpu_space *space, const struct gpu_extent *extents, unsigned count)
{
    space->extent_count = 0;
    for (unsigned i = 0; i < GPU_WINDOW_COUNT; i++)
        space->windows[i] = &no_window;
    if (count > GPU_SPACE_EXTENTS || !extents_are_good(extents, count))
        return -EINVAL;
    memcpy(space->extents, extents, count * sizeof(*extents));
    space->extent_count = count;
    const bool is_early = host_has_few_addresses();
    for (unsigned i = 0; is_early && i < count; i++) {
        if (extents[i].size_B > GPU_WINDOW_SIZE_B)
            continue;
        if (!open_window(space, extents[i].va) || !open_window(space, extents[i].va + (extents[i].size_B - 1))) {
            gpu_space_finish(space);
            return -ENOMEM;
        }
    }
    return 0;
}

void gpu_space_finish(struct gpu_space *space)
{
    for (unsigned i = 0; i < GPU_WINDOW_COUNT; i++) {
        if (space->windows[i] && space->windows[i] != &no_window)
            window_destroy((struct gpu_window *)(uintptr_t)space->windows[i]);
        space->windows[i] = &no_window;
    }
    space->extent_count = 0;
}

bool gpu_space_contains(const struct gpu_space *space, uint64_t va, uint64_t size_B)
{
    for (unsigned i = 0; i < space->extent_count; i++) {
        uint64_t offset_B = va - space->extents[i].va;
        if (size_B && offset_B < space->extents[i].size_B && size_B <= space->extents[i].size_B - offset_B)
            return true;
    }
    return false;
}

/* ---- changes, window by window ---- */

/* A part of an extent that lies in one window. */
struct piece {
    struct gpu_window *window;
    uint64_t offset_B; /* in the window */
    uint64_t size_B;
    uint64_t done_B; /* from the extent's start */
};

static struct piece piece_at(struct gpu_space *space, uint64_t va, uint64_t size_B, uint64_t done_B)
{
    uint64_t here = va + done_B, left_B = GPU_WINDOW_SIZE_B - (here & (GPU_WINDOW_SIZE_B - 1));
    struct gpu_window *window = (struct gpu_window *)(uintptr_t)space->windows[window_number(here)];
    return (struct piece){window, here - window->base_va, MIN2(size_B - done_B, left_B), done_B};
}

static struct piece next_piece(struct gpu_space *space, uint64_t va, uint64_t size_B, struct piece piece)
{
    return piece_at(space, va, size_B, piece.done_B + piece.size_B);
}

static bool is_mappable(const struct gpu_space *space, uint64_t va, uint64_t size_B)
{
    return !((va | size_B) & (gpu_space_granularity_B() - 1)) && gpu_space_contains(space, va, size_B);
}

/* Something may be mapped in the extent, and its windows are there. 0, -EINVAL, -ENOMEM. */
static int open_windows(struct gpu_space *space, uint64_t va, uint64_t size_B)
{
    if (!is_mappable(space, va, size_B))
        return -EINVAL;
    for (struct piece piece = piece_at(space, va, size_B, 0); piece.size_B;
         piece = next_piece(space, va, size_B, piece)) {
        if (!open_window(space, va + piece.done_B))
            return -ENOMEM;
    }
    return 0;
}

static void set_perms(struct gpu_space *space, uint64_t va, uint64_t size_B, unsigned perms)
{
    for (struct piece piece = piece_at(space, va, size_B, 0); piece.size_B;
         piece = next_piece(space, va, size_B, piece)) {
        uint64_t first = piece.offset_B >> GPU_PAGE_SHIFT, count = piece.size_B >> GPU_PAGE_SHIFT;
        if (!piece.window->perms)
            continue; /* nothing was ever mapped there */
        for (uint64_t page = first; page < first + count; page++)
            __atomic_store_n(&piece.window->perms[page], (uint8_t)perms, __ATOMIC_RELAXED);
        __atomic_fetch_add(&piece.window->changes, 1, __ATOMIC_RELEASE);
    }
    /* The bytes must be seen changed before the pages they describe change. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Put host pages at an address. Readers see either the old or the new page, never a hole: MAP_FIXED replaces at once.
 */
static int place_pages(struct gpu_space *space, uint64_t va, uint64_t size_B, int protection, int flags, int fd,
                       uint64_t offset_B)
{
    for (struct piece piece = piece_at(space, va, size_B, 0); piece.size_B;
         piece = next_piece(space, va, size_B, piece)) {
        if (!piece.window->host)
            continue;
        void *where = piece.window->host + piece.offset_B;
        uint64_t from_B = fd < 0 ? 0 : offset_B + piece.done_B;
        if (mmap(where, piece.size_B, protection, flags | MAP_FIXED, fd, (off_t)from_B) == MAP_FAILED) {
            int error = -errno;
            if (piece.done_B)
                set_perms(space, va, piece.done_B, 0);
            return error;
        }
    }
    return 0;
}

int gpu_space_map_file(struct gpu_space *space, uint64_t va, uint64_t size_B, int fd, uint64_t offset_B, unsigned perms)
{
    if (offset_B & (gpu_space_granularity_B() - 1))
        return -EINVAL;
    int error = open_windows(space, va, size_B);
    /* Read and write for the host whatever the GPU may do: the byte decides, and a remap need not race with it. */
    if (!error)
        error = place_pages(space, va, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset_B);
    if (!error)
        set_perms(space, va, size_B, perms & GPU_PERM_RWX);
    return error;
}

static bool reserve_user_pages(struct gpu_window *window)
{
    if (!window->user_pages) {
        void *pages = reserve_pages(window_pages(window) * sizeof(*window->user_pages), PROT_READ | PROT_WRITE);
        __atomic_store_n(&window->user_pages, pages, __ATOMIC_RELEASE);
    }
    return window->user_pages != NULL;
}

int gpu_space_map_user(struct gpu_space *space, uint64_t va, uint64_t size_B, void *host, unsigned perms)
{
    if ((uintptr_t)host & (GPU_PAGE_SIZE_B - 1))
        return -EINVAL;
    int error = open_windows(space, va, size_B);
    if (error)
        return error;
    for (struct piece piece = piece_at(space, va, size_B, 0); piece.size_B;
         piece = next_piece(space, va, size_B, piece)) {
        if (!reserve_user_pages(piece.window))
            return -ENOMEM;
    }
    set_perms(space, va, size_B, 0);
    for (struct piece piece = piece_at(space, va, size_B, 0); piece.size_B;
         piece = next_piece(space, va, size_B, piece)) {
        uint8_t **pages = piece.window->user_pages + (piece.offset_B >> GPU_PAGE_SHIFT);
        for (uint64_t page = 0; page < piece.size_B >> GPU_PAGE_SHIFT; page++)
            __atomic_store_n(&pages[page], (uint8_t *)host + piece.done_B + (page << GPU_PAGE_SHIFT), __ATOMIC_RELEASE);
    }
    set_perms(space, va, size_B, (perms & GPU_PERM_RWX) << GPU_PERM_USER_SHIFT);
    return 0;
}

int gpu_space_map_resident(struct gpu_space *space, uint64_t va, uint64_t size_B)
{
    int error = open_windows(space, va, size_B);
    /* A worker that translated a write before this call must not meet a read-only page, so the memory is writable and
     * private; it is thrown away with the mapping and no write of the GPU reaches it by a later translation. */
    if (!error)
        error =
            place_pages(space, va, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!error)
        set_perms(space, va, size_B, GPU_PERM_RESIDENT | GPU_PERM_READ);
    return error;
}

int gpu_space_unmap(struct gpu_space *space, uint64_t va, uint64_t size_B, bool busy)
{
    if (!is_mappable(space, va, size_B))
        return -EINVAL;
    set_perms(space, va, size_B, 0);
    return place_pages(space, va, size_B, busy ? PROT_READ | PROT_WRITE : PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* ---- the general translation ---- */

enum gpu_access gpu_space_resolve(const struct gpu_space *space, uint64_t va, uint32_t size_B, unsigned need,
                                  void **host_out)
{
    const struct gpu_window *window = gpu_space_window(space, va);
    uint64_t offset_B = va - window->base_va;
    if (offset_B >= window->size_B || (offset_B & (GPU_PAGE_SIZE_B - 1)) + size_B > GPU_PAGE_SIZE_B)
        return GPU_ACCESS_FAULT;
    uint8_t perms = __atomic_load_n(&window->perms[offset_B >> GPU_PAGE_SHIFT], __ATOMIC_ACQUIRE);
    if ((perms & need) == need) {
        *host_out = window->host + offset_B;
        return GPU_ACCESS_MEMORY;
    }
    if (perms & GPU_PERM_RESIDENT)
        return GPU_ACCESS_ZERO;
    if (need && (perms >> GPU_PERM_USER_SHIFT & need) == need) {
        uint8_t *page = __atomic_load_n(&window->user_pages[offset_B >> GPU_PAGE_SHIFT], __ATOMIC_ACQUIRE);
        *host_out = page + (offset_B & (GPU_PAGE_SIZE_B - 1));
        return GPU_ACCESS_MEMORY;
    }
    return GPU_ACCESS_FAULT;
}

typedef uint64_t words __attribute__((may_alias));

/* Do pages first to end - 1 allow all that? Eight at a time: most are all right, and a range has thousands. */
static bool pages_allow(const struct gpu_window *window, uint64_t first, uint64_t end, unsigned need)
{
    const uint64_t eight = need * 0x0101010101010101ull;
    uint64_t page = first, perms = eight;
    for (; page < end && page % 8; page++)
        perms &= __atomic_load_n(&window->perms[page], __ATOMIC_RELAXED) | ~0xffull;
    for (; page + 8 <= end && perms == eight; page += 8)
        perms &= __atomic_load_n((const words *)&window->perms[page], __ATOMIC_RELAXED);
    for (; page < end && perms == eight; page++)
        perms &= __atomic_load_n(&window->perms[page], __ATOMIC_RELAXED) | ~0xffull;
    return perms == eight;
}

void *gpu_space_whole(const struct gpu_space *space, uint64_t va, uint64_t size_B, unsigned need)
{
    const struct gpu_window *window = gpu_space_window(space, va);
    const uint64_t offset_B = va - window->base_va;
    if (size_B == 0 || offset_B >= window->size_B || size_B > window->size_B - offset_B)
        return NULL;
    const uint64_t last = (offset_B + size_B - 1) >> GPU_PAGE_SHIFT;
    return pages_allow(window, offset_B >> GPU_PAGE_SHIFT, last + 1, need) ? window->host + offset_B : NULL;
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
