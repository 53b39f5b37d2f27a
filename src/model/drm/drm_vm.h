/* GPU address spaces: what is mapped where. A mapping is there at once. What is unmapped is gone at once for every
 * query, but its pages stay until the jobs that were submitted before are done, as the kernel orders it. A family
 * embeds struct drm_vm first; how many spaces a file has, and who chooses the addresses, is the family's business. */
#ifndef MODEL_DRM_VM_H
#define MODEL_DRM_VM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/drm/drm_fence.h"
#include "model/memory.h"
#include "util/array.h"
#include "util/list.h"
#include "util/ordered.h"

struct drm_device;
struct drm_fence;
struct drm_gem;
struct strbuf;

struct drm_mapping {
    uint64_t va;
    uint64_t size_B;
    struct drm_gem *gem; /* a reference; NULL: partially resident */
    uint64_t offset_B;
    unsigned perms; /* GPU_PERM_RWX */
    uint32_t flags; /* the family's own */
};

/* Pages that were unmapped while jobs submitted before could still use them. */
struct drm_leaving {
    uint64_t va;
    uint64_t size_B;
    struct drm_fence *after; /* a reference: the jobs */
    struct drm_gem *gem;     /* a reference, or NULL */
};

struct drm_vm {
    _Atomic uint32_t refs;
    struct drm_device *device;
    pthread_mutex_t lock;
    struct gpu_space space;
    struct ordered mappings;           /* struct drm_mapping, by address, without overlaps */
    ARRAY(struct drm_leaving) leaving; /* gone from `mappings`, not from `space` yet; in order */
    struct drm_fence_uses fences;      /* all jobs of this space, for buffers that belong to it; under device lock */
    _Atomic uint32_t jobs;             /* handed to the engine and not finished */
    struct list exclusive_gems;        /* buffers that belong to this space; under device lock */
    struct list node;                  /* in drm_device.vms */
};

/* `extents`: where user space may map something (gpu_space_init). */
int drm_vm_create(struct drm_device *device, const struct gpu_extent *extents, unsigned count, struct drm_vm **vm_out);
struct drm_vm *drm_vm_ref(struct drm_vm *vm);
void drm_vm_unref(struct drm_vm *vm); /* NULL is allowed */

/* Map where nothing is mapped (-EINVAL), or in the place of whatever is there. Takes a reference of its own. Both wait
 * for jobs that still use pages which were unmapped there. */
int drm_vm_map(struct drm_vm *vm, const struct drm_mapping *mapping);
int drm_vm_replace(struct drm_vm *vm, const struct drm_mapping *mapping);
/* The mapping of this buffer (NULL: partially resident) that starts at `va`, whole. -ENOENT. */
int drm_vm_unmap(struct drm_vm *vm, const struct drm_gem *gem, uint64_t va);
/* Whatever is mapped in the range, in part where only a part is in it. */
int drm_vm_clear(struct drm_vm *vm, uint64_t va, uint64_t size_B);
void drm_vm_forget_gem(struct drm_vm *vm, struct drm_gem *gem); /* all mappings of it */
void drm_vm_settle(struct drm_vm *vm);                          /* let go of unmapped pages whose jobs are done */

/* The mappings at an address, below and above it; for reports. The space is a drm_vm's. */
void drm_vm_describe(const struct gpu_space *space, uint64_t va, struct strbuf *text);

#endif
