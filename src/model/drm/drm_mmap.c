/* The process's own mappings of buffers, and moving all mappings of one when its bytes move to another file. */
#include <errno.h>
#include <sys/mman.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_vm.h"
#include "util/bits.h"
#include "util/log.h"

/* Offsets start where no 32-bit number would be taken for one. */
#define FIRST_MMAP_OFFSET_B (1ull << 32)

int drm_gem_mmap_offset(struct drm_gem *gem, uint64_t *offset_B_out)
{
    struct drm_device *device = gem->device;
    int error = 0;
    pthread_mutex_lock(&device->lock);
    if (!gem->mmap_offset_B) {
        uint64_t offset_B = MAX2(device->next_mmap_offset_B, FIRST_MMAP_OFFSET_B);
        struct drm_gem **place = ordered_insert(&device->mmap_gems, offset_B);
        if (place) {
            *place = gem;
            gem->mmap_offset_B = offset_B;
            device->next_mmap_offset_B = offset_B + align_u64(gem->size_B, gpu_space_granularity_B());
        } else {
            error = -ENOMEM;
        }
    }
    *offset_B_out = gem->mmap_offset_B;
    pthread_mutex_unlock(&device->lock);
    return error;
}

void drm_gem_release_mmap(struct drm_gem *gem)
{
    if (gem->mmap_offset_B)
        ordered_remove(&gem->device->mmap_gems, gem->mmap_offset_B);
}

static bool file_has_gem(struct drm_file *file, struct drm_gem *gem)
{
    pthread_mutex_lock(&file->lock);
    bool has = map64_get(&file->gem_handles, (uintptr_t)gem) != NULL;
    pthread_mutex_unlock(&file->lock);
    return has;
}

/* The buffer that an offset names, as a new reference. */
static struct drm_gem *gem_at_offset(struct drm_device *device, uint64_t offset_B, size_t size_B)
{
    struct drm_gem *gem = NULL;
    pthread_mutex_lock(&device->lock);
    struct drm_gem *const *candidate = ordered_before(&device->mmap_gems, offset_B);
    if (candidate) {
        uint64_t inside_B = offset_B - (*candidate)->mmap_offset_B;
        if (inside_B < (*candidate)->size_B && size_B <= (*candidate)->size_B - inside_B)
            gem = drm_gem_ref(*candidate);
    }
    pthread_mutex_unlock(&device->lock);
    return gem;
}

/* The first of the process's mappings that ends after an address; they do not overlap. NULL: none. Device lock held. */
static struct drm_cpu_map *find_cpu_map(const struct drm_device *device, const uint8_t *address)
{
    struct drm_cpu_map *map = ordered_before(&device->cpu_maps, (uintptr_t)address);
    return map && map->memory + map->size_B > address ? map : ordered_after(&device->cpu_maps, (uintptr_t)address);
}

static bool insert_cpu_map(struct drm_device *device, struct drm_cpu_map map)
{
    struct drm_cpu_map *place = ordered_insert(&device->cpu_maps, (uintptr_t)map.memory);
    if (!place)
        return false;
    *place = map;
    map.gem->cpu_map_count++;
    atomic_fetch_add(&device->cpu_map_count, 1);
    return true;
}

static void remove_cpu_map(struct drm_device *device, const struct drm_cpu_map *map)
{
    map->gem->cpu_map_count--;
    ordered_remove(&device->cpu_maps, (uintptr_t)map->memory);
    atomic_fetch_sub(&device->cpu_map_count, 1);
}

/* The rest of a mapping below and above a hole. True: something is left in *mapping; *rest_out may have a second
 * piece. */
static bool cut_hole(struct drm_cpu_map *mapping, const uint8_t *hole, size_t hole_B, struct drm_cpu_map *rest_out)
{
    uint8_t *end = mapping->memory + mapping->size_B;
    const uint8_t *hole_end = hole + hole_B;
    rest_out->gem = NULL;
    if (hole_end < end) {
        uint64_t skip_B = (uint64_t)(hole_end > mapping->memory ? hole_end - mapping->memory : 0);
        *rest_out = *mapping;
        rest_out->memory += skip_B;
        rest_out->offset_B += skip_B;
        rest_out->size_B -= skip_B;
    }
    if (hole > mapping->memory) {
        mapping->size_B = (uint64_t)(hole - mapping->memory);
        return true;
    }
    if (rest_out->gem) {
        *mapping = *rest_out;
        rest_out->gem = NULL;
        return true;
    }
    return false;
}

struct dropped_gems {
    struct drm_gem **data;
    uint32_t count;
    uint32_t capacity;
};

/* Nothing of ours is mapped there any more; device lock held. The references go to `dropped`, for when it is not. */
static void forget_range(struct drm_device *device, const uint8_t *hole, size_t size_B, struct dropped_gems *dropped)
{
    struct drm_cpu_map *found;
    while ((found = find_cpu_map(device, hole)) && found->memory < hole + size_B) {
        struct drm_cpu_map left = *found, rest;
        struct drm_gem *gem = left.gem;
        bool is_left = cut_hole(&left, hole, size_B, &rest);
        remove_cpu_map(device, found);
        /* The first piece takes the place that has just become free; a second one may find no memory. */
        if (is_left && insert_cpu_map(device, left)) {
            if (rest.gem && insert_cpu_map(device, rest))
                drm_gem_ref(gem);
        } else if (!array_push(dropped, gem)) {
            LOG_WARN(device->driver->log_name, "out of memory: a buffer of %llu bytes leaks",
                     (unsigned long long)gem->size_B);
        }
    }
}

static void drop_gems(struct dropped_gems *dropped)
{
    array_foreach (dropped, gem)
        drm_gem_unref(*gem);
    array_finish(dropped);
}

int drm_file_mmap(struct drm_file *file, void *hint, size_t size_B, int protection, int flags, uint64_t offset_B,
                  void **memory_out)
{
    struct drm_device *device = file->device;
    uint64_t page_B = gpu_space_granularity_B();
    if (size_B == 0 || offset_B & (page_B - 1) || size_B > SIZE_MAX - page_B)
        return -EINVAL;
    size_B = align_u64(size_B, page_B);
    struct drm_gem *gem = gem_at_offset(device, offset_B, size_B);
    if (!gem && device->driver->file_mmap)
        return device->driver->file_mmap(file, hint, size_B, protection, flags, offset_B, memory_out);
    if (!gem)
        return -EINVAL;
    /* The number is no secret: a file may map only what it has a handle for. A private copy of GPU memory makes no
     * sense. */
    int error = !file_has_gem(file, gem) ? -EACCES : (flags & MAP_TYPE) == MAP_PRIVATE ? -EINVAL : 0;
    if (error) {
        drm_gem_unref(gem);
        return error;
    }
    struct dropped_gems dropped = {0};
    pthread_mutex_lock(&device->lock);
    uint64_t inside_B = offset_B - gem->mmap_offset_B;
    void *memory = mmap(hint, size_B, protection, flags, gem->fd, (off_t)(gem->offset_B + inside_B));
    /* A mapping that we still believe in here was undone in a way that was not reported. */
    if (memory != MAP_FAILED)
        forget_range(device, memory, size_B, &dropped);
    if (memory == MAP_FAILED) {
        error = -errno;
    } else if (!insert_cpu_map(device, (struct drm_cpu_map){gem, memory, size_B, inside_B, protection})) {
        munmap(memory, size_B);
        error = -ENOMEM;
    } else {
        *memory_out = memory;
    }
    pthread_mutex_unlock(&device->lock);
    drop_gems(&dropped);
    if (error)
        drm_gem_unref(gem);
    return error;
}

void drm_device_memory_unmapped(struct drm_device *device, const void *memory, size_t size_B)
{
    if (atomic_load_explicit(&device->cpu_map_count, memory_order_relaxed) == 0)
        return;
    struct dropped_gems dropped = {0};
    uint64_t page_B = gpu_space_granularity_B();
    if (size_B <= SIZE_MAX - page_B)
        size_B = align_u64(size_B, page_B); /* munmap takes whole pages, whatever length it is given */
    pthread_mutex_lock(&device->lock);
    forget_range(device, memory, size_B, &dropped);
    pthread_mutex_unlock(&device->lock);
    drop_gems(&dropped);
}

int drm_gem_remap_everywhere(struct drm_gem *gem)
{
    struct drm_device *device = gem->device;
    int error = 0;
    array_foreach (&gem->places, place) {
        int failed = gpu_space_map_file(&place->vm->space, place->va, place->size_B, gem->fd,
                                        gem->offset_B + place->offset_B, place->perms);
        error = error ? error : failed;
    }
    if (!gem->cpu_map_count)
        return error;
    ordered_foreach(&device->cpu_maps, struct drm_cpu_map, map)
    {
        if (map->gem == gem && mmap(map->memory, map->size_B, map->protection, MAP_SHARED | MAP_FIXED, gem->fd,
                                    (off_t)(gem->offset_B + map->offset_B)) == MAP_FAILED)
            error = error ? error : -errno;
    }
    return error;
}
