/* Buffer objects: their places in heaps, their handles and the fences of their users. Sharing is in drm_share.c,
 * mapping in drm_mmap.c and drm_vm.c. */
#include "model/drm/drm_gem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_fence.h"
#include "model/drm/drm_peer.h"
#include "model/drm/drm_resv.h"
#include "model/drm/drm_user.h"
#include "model/drm/drm_vm.h"
#include "util/bits.h"
#include "util/file_limit.h"
#include "util/log.h"
#include "util/slab.h"

/* ---- heaps ---- */

uint64_t drm_host_memory_B(void)
{
    struct sysinfo info = {0};
    sysinfo(&info);
    uint64_t host_B = (uint64_t)info.totalram * info.mem_unit, limit_B;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    if (!file)
        return host_B;
    if (fscanf(file, "%" SCNu64, &limit_B) == 1)
        host_B = MIN2(host_B, limit_B);
    fclose(file);
    return host_B;
}

/* As long as it may be, but for `at_least_B`. */
static int open_file(const char *name, uint64_t at_least_B, struct drm_heap_file **file_out)
{
    const uint64_t mask = gpu_space_granularity_B() - 1;
    char file_name[64];
    snprintf(file_name, sizeof(file_name), "tuff-%s", name);
    struct drm_heap_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    struct rlimit limit = {0};
    file->fd = memfd_create(file_name, MFD_CLOEXEC);
    file->size_B = INT64_MAX & ~mask;
    int error = file->fd < 0 ? -errno : file_resize(file->fd, file->size_B);
    if (error == -EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0) {
        file->size_B = limit.rlim_cur & ~mask;
        error = file->size_B < at_least_B ? -EFBIG : file_resize(file->fd, file->size_B);
    }
    if (error) {
        if (file->fd >= 0)
            close(file->fd);
        free(file);
        return error;
    }
    *file_out = file;
    return 0;
}

static void close_file(struct drm_heap_file *file)
{
    close(file->fd);
    free(file);
}

int drm_heap_open(struct drm_heap *heap, const char *name, uint64_t total_B)
{
    *heap = (struct drm_heap){.name = name, .total_B = total_B};
    int error = open_file(name, gpu_space_granularity_B(), &heap->file);
    if (error == -EFBIG)
        LOG_ERROR("model/drm",
                  "no memory for a GPU: the limit of a file's size (RLIMIT_FSIZE, ulimit -f) is too small");
    return error;
}

void drm_heap_close(struct drm_heap *heap)
{
    if (heap->file)
        close_file(heap->file);
    heap->file = NULL;
}

struct drm_gem *drm_gem_ref(struct drm_gem *gem)
{
    atomic_fetch_add_explicit(&gem->refs, 1, memory_order_relaxed);
    return gem;
}

void drm_gem_leave_file(struct drm_gem *gem, struct drm_heap_file *file, uint64_t offset_B)
{
    fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset_B, (off_t)gem->size_B);
    gem->file = NULL;
    if (--file->gems == 0 && file != gem->heap->file)
        close_file(file);
}

/* Give the bytes back; drm_device.lock is held. */
static void release_storage(struct drm_gem *gem)
{
    if (!gem->heap)
        return;
    gem->heap->used_B -= gem->size_B;
    if (gem->file)
        drm_gem_leave_file(gem, gem->file, gem->offset_B);
}

static void gem_destroy(struct drm_gem *gem)
{
    drm_fence_uses_finish(&gem->fences);
    slab_array_finish(&gem->places);
    slab_free(gem);
}

void drm_gem_unref(struct drm_gem *gem)
{
    if (!gem)
        return;
    uint32_t refs = atomic_load(&gem->refs);
    while (refs > 1) {
        if (atomic_compare_exchange_weak(&gem->refs, &refs, refs - 1))
            return;
    }
    /* An import looks for shared buffers by inode: the last reference is dropped where it cannot find a dead one. */
    struct drm_device *device = gem->device;
    pthread_mutex_lock(&device->lock);
    bool last = atomic_fetch_sub_explicit(&gem->refs, 1, memory_order_acq_rel) == 1;
    if (last) {
        drm_gem_release_mmap(gem);
        drm_gem_release_share(gem);
        release_storage(gem);
        list_remove(&gem->exclusive_node);
    }
    pthread_mutex_unlock(&device->lock);
    if (last)
        gem_destroy(gem);
}

/* ---- creation ---- */

struct drm_gem *drm_gem_new(struct drm_device *device, uint64_t size_B)
{
    struct drm_gem *gem = slab_zalloc(device->driver->gem_B);
    if (!gem)
        return NULL;
    atomic_init(&gem->refs, 1);
    gem->device = device;
    gem->size_B = size_B;
    gem->fd = -1;
    list_init(&gem->exclusive_node);
    return gem;
}

/* Continue in another file where this one is full. */
static bool has_place(struct drm_heap *heap, uint64_t place_B, uint64_t size_B)
{
    struct drm_heap_file *next, *full = heap->file;
    if (place_B <= full->size_B && size_B <= full->size_B - place_B)
        return true;
    if (open_file(heap->name, size_B, &next))
        return false;
    heap->file = next;
    if (full->gems == 0)
        close_file(full);
    return true;
}

bool drm_gem_take(struct drm_gem *gem, struct drm_heap *heap)
{
    if (gem->size_B > heap->total_B - heap->used_B)
        return false;
    if (heap->file) {
        uint64_t align_B = MAX2(gem->align_B, gpu_space_granularity_B());
        if (!has_place(heap, align_u64(heap->file->next_B, align_B), gem->size_B))
            return false;
        gem->file = heap->file;
        gem->fd = gem->file->fd;
        gem->offset_B = align_u64(gem->file->next_B, align_B);
        gem->file->next_B = gem->offset_B + gem->size_B;
        gem->file->gems++;
    } /* memory inside the chip: one user at a time has it, from its start */
    heap->used_B += gem->size_B;
    gem->heap = heap;
    return true;
}

struct drm_gem *drm_gem_new_in(struct drm_device *device, struct drm_heap *heap, uint64_t size_B)
{
    const uint64_t page_B = gpu_space_granularity_B();
    struct drm_gem *gem = size_B <= UINT64_MAX - page_B ? drm_gem_new(device, align_u64(size_B, page_B)) : NULL;
    if (!gem)
        return NULL;
    pthread_mutex_lock(&device->lock);
    bool has_room = drm_gem_take(gem, heap);
    pthread_mutex_unlock(&device->lock);
    if (!has_room) {
        drm_gem_unref(gem);
        return NULL;
    }
    return gem;
}

struct drm_gem *drm_gem_new_user(struct drm_device *device, void *memory, uint64_t size_B, bool is_read_only)
{
    struct drm_gem *gem = drm_gem_new(device, size_B);
    if (!gem)
        return NULL;
    gem->user_memory = memory;
    gem->is_user_read_only = is_read_only;
    gem->user_generation = drm_process_generation();
    return gem;
}

void drm_gem_set_exclusive(struct drm_gem *gem, struct drm_vm *vm)
{
    pthread_mutex_lock(&gem->device->lock);
    gem->exclusive_vm = vm;
    list_push_back(&vm->exclusive_gems, &gem->exclusive_node);
    pthread_mutex_unlock(&gem->device->lock);
}

/* ---- handles ---- */

struct drm_gem *drm_gem_find(struct drm_file *file, uint32_t handle)
{
    pthread_mutex_lock(&file->lock);
    struct drm_gem *gem = drm_handles_get(&file->gems, handle);
    if (gem)
        drm_gem_ref(gem);
    pthread_mutex_unlock(&file->lock);
    return gem;
}

int drm_gem_handle(struct drm_file *file, struct drm_gem *gem, uint32_t *handle_out)
{
    int error = 0;
    pthread_mutex_lock(&file->lock);
    uint64_t *known = map64_get(&file->gem_handles, (uintptr_t)gem);
    if (known) {
        *handle_out = (uint32_t)*known;
    } else {
        error = drm_handles_insert(&file->gems, gem, INT32_MAX, handle_out);
        if (!error && !map64_set(&file->gem_handles, (uintptr_t)gem, *handle_out)) {
            drm_handles_remove(&file->gems, *handle_out);
            error = -ENOMEM;
        }
        if (!error)
            drm_gem_ref(gem);
    }
    pthread_mutex_unlock(&file->lock);
    return error;
}

void drm_gem_close_all(struct drm_file *file)
{
    array_foreach (&file->gems.slots, slot) {
        if (*slot && file->device->driver->gem_closed)
            file->device->driver->gem_closed(file, *slot);
        drm_gem_unref(*slot);
    }
    drm_handles_finish(&file->gems);
    map64_finish(&file->gem_handles);
}

/* ---- users ---- */

int drm_use_list_copy(struct drm_use_list *copy_out, const struct drm_use_list *list)
{
    *copy_out = (struct drm_use_list){0};
    if (!array_reserve(&copy_out->uses, list->uses.count))
        return -ENOMEM;
    array_foreach (&list->uses, use) {
        copy_out->uses.data[copy_out->uses.count++] = *use;
        drm_gem_ref(use->gem);
    }
    return 0;
}

void drm_use_list_finish(struct drm_use_list *list)
{
    array_foreach (&list->uses, use)
        drm_gem_unref(use->gem);
    array_finish(&list->uses);
}

int drm_gem_check(const struct drm_gem *gem)
{
    if (!gem->user_memory)
        return 0;
    if (gem->user_generation != drm_process_generation())
        return -EPERM;
    return drm_check_user_range((uintptr_t)gem->user_memory, gem->size_B);
}

/* A fence that is not signaled yet, as a new reference; NULL when all is done. `up_to` is drm_resv_fence's. */
static struct drm_fence *pending_fence(struct drm_gem *gem, enum drm_resv_usage up_to)
{
    pthread_mutex_lock(&gem->device->lock);
    struct drm_resv *resv = gem->resv; /* as long as the buffer, from the moment that it is shared */
    pthread_mutex_unlock(&gem->device->lock);
    struct drm_fence *found = resv ? drm_resv_fence(resv, up_to, NULL) : NULL;
    if (found && !drm_fence_is_signaled(found))
        return found;
    drm_fence_unref(found);
    found = NULL;
    pthread_mutex_lock(&gem->device->lock);
    array_foreach (&gem->fences, use) {
        if (!found && (use->is_write || up_to == DRM_RESV_READ) && !drm_fence_is_signaled(use->fence))
            found = drm_fence_ref(use->fence);
    }
    for (uint32_t i = 0; !found && gem->exclusive_vm && i < gem->exclusive_vm->fences.count; i++) {
        if (!drm_fence_is_signaled(gem->exclusive_vm->fences.data[i].fence))
            found = drm_fence_ref(gem->exclusive_vm->fences.data[i].fence);
    }
    pthread_mutex_unlock(&gem->device->lock);
    return found;
}

static bool wait_up_to(struct drm_gem *gem, enum drm_resv_usage up_to, int64_t deadline_ns)
{
    struct drm_fence *fence;
    bool done = true;
    while (done && (fence = pending_fence(gem, up_to))) {
        done = drm_fence_wait(fence, deadline_ns);
        drm_fence_unref(fence);
    }
    return done;
}

bool drm_gem_wait_idle(struct drm_gem *gem, int64_t deadline_ns)
{
    return wait_up_to(gem, DRM_RESV_READ, deadline_ns);
}

bool drm_gem_wait_writes(struct drm_gem *gem, int64_t deadline_ns)
{
    return wait_up_to(gem, DRM_RESV_WRITE, deadline_ns);
}

void drm_gem_write(struct drm_gem *gem, uint64_t offset_B, const void *data, uint32_t size_B)
{
    pthread_mutex_lock(&gem->device->lock);
    if (gem->fd >= 0)
        drm_file_write(gem->fd, gem->offset_B + offset_B, data, size_B);
    pthread_mutex_unlock(&gem->device->lock);
}
