/* GPU memory: the address space that a GPU model sees, and the translation of its addresses to host pointers.
 *
 * The 48 bits of an address are cut into windows of 64 GiB. A window in which something may be mapped is one
 * reservation of host addresses, inaccessible until extents of buffers are mapped into it at fixed places. One byte per
 * page says what the GPU may do there. So an address becomes a pointer by a look into the table of windows, a bounds
 * check, a look at that byte and an addition: no lock, no signal handler, any number of workers at once. Changing a
 * space is the kernel model's business and is serialised by its owner; readers may go on meanwhile.
 *
 * Addresses are as wide as a family has them: in the low 2^48, or with the bits above 47 repeated (two's complement); a
 * window's base says which.
 *
 * Three kinds of page:
 *   buffer    a shared mapping of the buffer's file; GPU_PERM_READ, WRITE, EXEC as asked.
 *   resident  "partially resident": no memory behind it. Reads give zero (the zero page is really mapped and
 *             GPU_PERM_READ is set, so reads stay on the fast path); writes have no effect that can be seen.
 *   user      memory of the process itself (userptr), which cannot be mapped a second time when it is private. The byte
 *             says GPU_PERM_USER_* only, so that the fast path refuses it; gpu_space_resolve finds the page's own
 *             address.
 *
 * An unmapped page that a running job may still touch is replaced by scratch memory, not by a hole: a worker that has
 * translated an address before the unmap does no harm, and the next translation faults. */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GPU_PAGE_SHIFT 12
#define GPU_PAGE_SIZE_B (1u << GPU_PAGE_SHIFT)

enum gpu_perm {
    GPU_PERM_READ = 1 << 0,
    GPU_PERM_WRITE = 1 << 1,
    GPU_PERM_EXEC = 1 << 2,
    GPU_PERM_RESIDENT = 1 << 3, /* partially resident: writes are dropped */
    GPU_PERM_USER_SHIFT = 4,    /* the first three bits again, for a page of kind "user" */
    GPU_PERM_USER_READ = GPU_PERM_READ << GPU_PERM_USER_SHIFT,
    GPU_PERM_USER_WRITE = GPU_PERM_WRITE << GPU_PERM_USER_SHIFT,
    GPU_PERM_USER_EXEC = GPU_PERM_EXEC << GPU_PERM_USER_SHIFT,
    GPU_PERM_RWX = GPU_PERM_READ | GPU_PERM_WRITE | GPU_PERM_EXEC,
};

#define GPU_WINDOW_SHIFT 36
#define GPU_WINDOW_COUNT (1u << (48 - GPU_WINDOW_SHIFT))
#define GPU_WINDOW_SIZE_B (1ull << GPU_WINDOW_SHIFT)

struct gpu_window {
    uint64_t base_va;
    uint64_t size_B;      /* what of the 64 GiB is reserved */
    uint8_t *host;        /* the reservation: host + (va - base_va) */
    uint8_t *perms;       /* one per page and one more that stays 0: the page after the end */
    uint8_t **user_pages; /* per page, only meaningful where GPU_PERM_USER_* is set; sparse; NULL before the first */
    uint32_t changes;     /* of what is mapped: what was found before the last one is to be found again */
};

struct gpu_extent {
    uint64_t va;
    uint64_t size_B;
};

#define GPU_SPACE_EXTENTS 4

struct gpu_space {
    /* By bits 36 to 47 of the address, never NULL. A window that was put here stays as long as the space. */
    const struct gpu_window *windows[GPU_WINDOW_COUNT];
    struct gpu_extent extents[GPU_SPACE_EXTENTS]; /* where something may be mapped */
    unsigned extent_count;
    bool has_aliases; /* gpu_space_note_alias */
};

/* Where user space may map something: up to GPU_SPACE_EXTENTS extents, below 2^48 or from 0xffff800000000000 on (then
 * no other one reaches beyond 2^47), with bases and sizes that are multiples of the host's page. Host addresses are
 * reserved window by window when something is mapped in one; where the host has few of them, at once for an extent that
 * is no larger than a window. 0 or -errno. */
int gpu_space_init(struct gpu_space *space, const struct gpu_extent *extents, unsigned count);
void gpu_space_finish(struct gpu_space *space);

/* True when [va, va + size_B) lies in one of the extents; size_B 0 is never inside. */
bool gpu_space_contains(const struct gpu_space *space, uint64_t va, uint64_t size_B);

/* The smallest unit of mapping: the GPU's page or the host's, whichever is larger. */
uint64_t gpu_space_granularity_B(void);

/* Map an extent of a file, replacing whatever was there. `perms` is of GPU_PERM_RWX; without READ or WRITE the page
 * faults as an unmapped one does. 0, or -errno with the space unchanged (-EINVAL: outside or not aligned; -ENOMEM), but
 * that an extent across the end of a window may be unmapped in part. */
int gpu_space_map_file(struct gpu_space *space, uint64_t va, uint64_t size_B, int fd, uint64_t offset_B,
                       unsigned perms);
int gpu_space_map_user(struct gpu_space *space, uint64_t va, uint64_t size_B, void *host, unsigned perms);
int gpu_space_map_resident(struct gpu_space *space, uint64_t va, uint64_t size_B);

/* Unmapping what is not mapped is no error. `busy`: a job of this space may be running (see above). */
int gpu_space_unmap(struct gpu_space *space, uint64_t va, uint64_t size_B, bool busy);

enum gpu_access {
    GPU_ACCESS_MEMORY, /* *host_out points at the bytes */
    GPU_ACCESS_ZERO,   /* partially resident: a read gives zero, a write is dropped, an atomic returns zero */
    GPU_ACCESS_FAULT,
};

/* The general translation, for what gpu_space_pointer refuses. The bytes must lie in one page: split where they do not.
 */
enum gpu_access gpu_space_resolve(const struct gpu_space *space, uint64_t va, uint32_t size_B, unsigned need,
                                  void **host_out);

/* Copy any number of bytes, page by page; returns how many were copied before a fault. */
uint64_t gpu_space_read(const struct gpu_space *space, uint64_t va, void *data, uint64_t size_B);
uint64_t gpu_space_write(const struct gpu_space *space, uint64_t va, const void *data, uint64_t size_B);

/* The window of an address; one of size 0 where there is none. A window is complete before it is in the table, and the
 * loads through the pointer depend on it. */
static inline const struct gpu_window *gpu_space_window(const struct gpu_space *space, uint64_t va)
{
    return __atomic_load_n(&space->windows[va >> GPU_WINDOW_SHIFT & (GPU_WINDOW_COUNT - 1)], __ATOMIC_RELAXED);
}

/* The fast path: the host address of up to one page's worth of bytes that the GPU may access as `need` says, or NULL
 * when the general translation has to decide. The bytes may cross into the next page of the same window. */
static inline void *gpu_space_pointer(const struct gpu_space *space, uint64_t va, uint32_t size_B, unsigned need)
{
    const struct gpu_window *window = gpu_space_window(space, va);
    uint64_t offset_B = va - window->base_va;
    if (__builtin_expect(offset_B >= window->size_B, 0))
        return NULL;
    uint8_t first = __atomic_load_n(&window->perms[offset_B >> GPU_PAGE_SHIFT], __ATOMIC_RELAXED);
    uint8_t last = __atomic_load_n(&window->perms[(offset_B + size_B - 1) >> GPU_PAGE_SHIFT], __ATOMIC_RELAXED);
    if (__builtin_expect((first & last & need) != need, 0))
        return NULL;
    return window->host + offset_B;
}

/* The host address of any number of bytes of one window, of which all pages are looked at. A caller that keeps it
 * reads the window's count of changes before this call, and calls again when it has grown. The host, not the GPU, may
 * read this many bytes more, whatever they are: code that loads several dwords need not look at each of them. */
#define GPU_SPACE_BEHIND_B 64
void *gpu_space_whole(const struct gpu_space *space, uint64_t va, uint64_t size_B, unsigned need);

/* Whether two addresses have shown the same memory at any time: then addresses do not tell what overlaps. The one who
 * maps a buffer's extent a second time says so, before a job can know the second address. */
static inline void gpu_space_note_alias(struct gpu_space *space)
{
    __atomic_store_n(&space->has_aliases, true, __ATOMIC_RELAXED);
}
static inline bool gpu_space_has_aliases(const struct gpu_space *space)
{
    return __atomic_load_n(&space->has_aliases, __ATOMIC_RELAXED);
}

static inline uint32_t gpu_space_changes(const struct gpu_space *space, uint64_t va)
{
    return __atomic_load_n(&gpu_space_window(space, va)->changes, __ATOMIC_ACQUIRE);
}

#define GPU_MEMORY_ACCESSORS(bits)                                                                                     \
    /* False: a fault, and *value_out is untouched. */                                                                 \
    static inline bool gpu_mem_read##bits(const struct gpu_space *space, uint64_t va, uint##bits##_t *value_out)       \
    {                                                                                                                  \
        const void *host = gpu_space_pointer(space, va, sizeof(*value_out), GPU_PERM_READ);                            \
        if (__builtin_expect(host != NULL, 1)) {                                                                       \
            memcpy(value_out, host, sizeof(*value_out));                                                               \
            return true;                                                                                               \
        }                                                                                                              \
        uint##bits##_t value;                                                                                          \
        if (gpu_space_read(space, va, &value, sizeof(value)) != sizeof(value))                                         \
            return false;                                                                                              \
        *value_out = value;                                                                                            \
        return true;                                                                                                   \
    }                                                                                                                  \
    static inline bool gpu_mem_write##bits(const struct gpu_space *space, uint64_t va, uint##bits##_t value)           \
    {                                                                                                                  \
        void *host = gpu_space_pointer(space, va, sizeof(value), GPU_PERM_WRITE);                                      \
        if (__builtin_expect(host != NULL, 1)) {                                                                       \
            memcpy(host, &value, sizeof(value));                                                                       \
            return true;                                                                                               \
        }                                                                                                              \
        return gpu_space_write(space, va, &value, sizeof(value)) == sizeof(value);                                     \
    }
GPU_MEMORY_ACCESSORS(8)
GPU_MEMORY_ACCESSORS(16)
GPU_MEMORY_ACCESSORS(32)
GPU_MEMORY_ACCESSORS(64)

#endif
