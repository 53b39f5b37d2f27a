/* GPU memory: the address space that a GPU model sees, and the translation of its addresses to host pointers.
 *
 * A space has a low and a high range (addresses are 48 bits, sign-extended, so bit 63 says which). Each range is one
 * reservation of host addresses, inaccessible until extents of buffers are mapped into it at fixed places. One byte per
 * page says what the GPU may do there. So an address becomes a pointer by a bounds check, a look at that byte and an
 * addition: no lock, no signal handler, any number of workers at once. Changing a space is the kernel model's business
 * and is serialised by its owner; readers may go on meanwhile.
 *
 * Three kinds of page:
 *   buffer    a shared mapping of the buffer's file; GPU_PERM_READ, WRITE, EXEC as asked.
 *   resident  "partially resident": no memory behind it. Reads give zero (the zero page is really mapped and
 *             GPU_PERM_READ is set, so reads stay on the fast path); writes have an effect on nobody.
 *   user      memory of the process itself (userptr), which cannot be mapped a second time when it is private. The byte
 *             says GPU_PERM_USER_* only, so that the fast path refuses it; gpu_space_resolve finds the page's own
 * address.
 *
 * An unmapped page that a running job may still touch is replaced by scratch memory, not by a hole: a worker that has
 * translated an address before the unmap harms nobody, and the next translation faults. */
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

struct gpu_range {
    uint64_t base_va;
    uint64_t size_B;
    uint8_t *host;        /* the reservation: host + (va - base_va) */
    uint8_t *perms;       /* one per page and one more that stays 0: the page behind the end */
    uint8_t **user_pages; /* per page, only meaningful where GPU_PERM_USER_* is set; sparse */
    uint32_t changes;     /* of what is mapped: what was found before the last one is to be found again */
};

struct gpu_space {
    struct gpu_range ranges[2]; /* by bit 63 of the address */
};

/* Reserve host addresses for both ranges; a range of size 0 is allowed. Bases and sizes are multiples of the host's
 * page. 0 or -errno. */
int gpu_space_init(struct gpu_space *space, uint64_t low_va, uint64_t low_size_B, uint64_t high_va,
                   uint64_t high_size_B);
void gpu_space_finish(struct gpu_space *space);

/* True when [va, va + size_B) lies in one of the ranges; size_B 0 is never inside. */
bool gpu_space_contains(const struct gpu_space *space, uint64_t va, uint64_t size_B);

/* The smallest unit of mapping: the GPU's page or the host's, whichever is larger. */
uint64_t gpu_space_granularity_B(void);

/* Map an extent of a file, replacing whatever was there. `perms` is of GPU_PERM_RWX; without READ or WRITE the page
 * faults as an unmapped one does. 0, or -errno with the space unchanged (-EINVAL: outside or not aligned). */
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

/* The fast path: the host address of up to one page's worth of bytes that the GPU may access as `need` says, or NULL
 * when the general way has to decide. The bytes may cross into the next page of the same range. */
static inline void *gpu_space_pointer(const struct gpu_space *space, uint64_t va, uint32_t size_B, unsigned need)
{
    const struct gpu_range *range = &space->ranges[va >> 63];
    uint64_t offset_B = va - range->base_va;
    if (__builtin_expect(offset_B >= range->size_B, 0))
        return NULL;
    uint8_t first = __atomic_load_n(&range->perms[offset_B >> GPU_PAGE_SHIFT], __ATOMIC_RELAXED);
    uint8_t last = __atomic_load_n(&range->perms[(offset_B + size_B - 1) >> GPU_PAGE_SHIFT], __ATOMIC_RELAXED);
    if (__builtin_expect((first & last & need) != need, 0))
        return NULL;
    return range->host + offset_B;
}

/* The same for any number of bytes: all of their pages are looked at. Whoever keeps the result reads the range's
 * changes before this call, and calls again when they have become more. */
void *gpu_space_whole(const struct gpu_space *space, uint64_t va, uint64_t size_B, unsigned need);

static inline uint32_t gpu_space_changes(const struct gpu_space *space, uint64_t va)
{
    return __atomic_load_n(&space->ranges[va >> 63].changes, __ATOMIC_ACQUIRE);
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
