/* The process's own mappings of buffers, and moving all mappings of one when its bytes move to another file. */
#include <errno.h>
#include <sys/mman.h>

#include "amd/model/kernel/kernel_types.h"
#include "util/bits.h"
#include "util/log.h"

/* GEM_MMAP's numbers start where no 32-bit offset would be taken for one. */
#define FIRST_MMAP_OFFSET_B (1ull << 32)

int amd_bo_mmap_offset(struct amd_bo *bo, uint64_t *offset_B_out)
{
    struct amd_device *device = bo->device;
    int error = 0;
    pthread_mutex_lock(&device->lock);
    if (!bo->mmap_offset_B) {
        uint64_t offset_B = MAX2(device->next_mmap_offset_B, FIRST_MMAP_OFFSET_B);
        if (array_push(&device->mmap_bos, bo)) {
            bo->mmap_offset_B = offset_B;
            device->next_mmap_offset_B = offset_B + align_u64(bo->size_B, gpu_space_granularity_B());
        } else {
            error = -ENOMEM;
        }
    }
    *offset_B_out = bo->mmap_offset_B;
    pthread_mutex_unlock(&device->lock);
    return error;
}

/* The index of the last buffer that starts at or before the offset, or -1; device lock held. */
static int64_t find_mmap_bo(const struct amd_device *device, uint64_t offset_B)
{
    int64_t low = 0, high = (int64_t)device->mmap_bos.count - 1, found = -1;
    while (low <= high) {
        int64_t middle = (low + high) / 2;
        if (device->mmap_bos.data[middle]->mmap_offset_B <= offset_B) {
            found = middle;
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return found;
}

void amd_bo_release_mmap(struct amd_bo *bo)
{
    struct amd_device *device = bo->device;
    if (!bo->mmap_offset_B)
        return;
    uint32_t index = (uint32_t)find_mmap_bo(device, bo->mmap_offset_B);
    device->mmap_bos.count--;
    memmove(device->mmap_bos.data + index, device->mmap_bos.data + index + 1,
            (device->mmap_bos.count - index) * sizeof(device->mmap_bos.data[0]));
}

static bool file_has_bo(struct amd_file *file, struct amd_bo *bo)
{
    pthread_mutex_lock(&file->lock);
    bool has = map64_get(&file->bo_handles, (uintptr_t)bo) != NULL;
    pthread_mutex_unlock(&file->lock);
    return has;
}

/* The buffer that an offset names, as a new reference. */
static struct amd_bo *bo_at_offset(struct amd_device *device, uint64_t offset_B, size_t size_B)
{
    struct amd_bo *bo = NULL;
    pthread_mutex_lock(&device->lock);
    int64_t index = find_mmap_bo(device, offset_B);
    if (index >= 0) {
        struct amd_bo *candidate = device->mmap_bos.data[index];
        uint64_t inside_B = offset_B - candidate->mmap_offset_B;
        if (inside_B < candidate->size_B && size_B <= candidate->size_B - inside_B)
            bo = amd_bo_ref(candidate);
    }
    pthread_mutex_unlock(&device->lock);
    return bo;
}

/* The first of the process's mappings that ends behind an address; they are in order and do not overlap. Device lock
 * held. */
static uint32_t find_cpu_map(const struct amd_device *device, const uint8_t *address)
{
    uint32_t low = 0, high = device->cpu_maps.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct amd_bo_user_mapping *mapping = &device->cpu_maps.data[middle];
        if (mapping->memory + mapping->size_B <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert_cpu_map(struct amd_device *device, struct amd_bo_user_mapping mapping)
{
    if (!array_reserve(&device->cpu_maps, device->cpu_maps.count + 1))
        return false;
    uint32_t index = find_cpu_map(device, mapping.memory);
    memmove(device->cpu_maps.data + index + 1, device->cpu_maps.data + index,
            (device->cpu_maps.count - index) * sizeof(device->cpu_maps.data[0]));
    device->cpu_maps.data[index] = mapping;
    device->cpu_maps.count++;
    atomic_fetch_add(&device->cpu_map_count, 1);
    return true;
}

static void remove_cpu_map(struct amd_device *device, uint32_t index)
{
    device->cpu_maps.count--;
    memmove(device->cpu_maps.data + index, device->cpu_maps.data + index + 1,
            (device->cpu_maps.count - index) * sizeof(device->cpu_maps.data[0]));
    atomic_fetch_sub(&device->cpu_map_count, 1);
}

/* What is left of a mapping below and above a hole. True: something is left in *mapping; *rest_out may have a second
 * piece. */
static bool cut_hole(struct amd_bo_user_mapping *mapping, const uint8_t *hole, size_t hole_B,
                     struct amd_bo_user_mapping *rest_out)
{
    uint8_t *end = mapping->memory + mapping->size_B;
    const uint8_t *hole_end = hole + hole_B;
    rest_out->bo = NULL;
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
    if (rest_out->bo) {
        *mapping = *rest_out;
        rest_out->bo = NULL;
        return true;
    }
    return false;
}

struct dropped_bos {
    struct amd_bo **data;
    uint32_t count;
    uint32_t capacity;
};

/* Nothing of ours is mapped there any more; device lock held. The references go to `dropped`, for when it is not. */
static void forget_range(struct amd_device *device, const uint8_t *hole, size_t size_B, struct dropped_bos *dropped)
{
    uint32_t index = find_cpu_map(device, hole);
    while (index < device->cpu_maps.count && device->cpu_maps.data[index].memory < hole + size_B) {
        struct amd_bo_user_mapping *mapping = &device->cpu_maps.data[index];
        struct amd_bo_user_mapping rest;
        struct amd_bo *bo = mapping->bo;
        if (cut_hole(mapping, hole, size_B, &rest)) {
            if (rest.bo && insert_cpu_map(device, rest))
                amd_bo_ref(rest.bo);
            index++;
        } else {
            remove_cpu_map(device, index);
            if (!array_push(dropped, bo))
                LOG_WARN("amd/model", "out of memory: a buffer of %llu bytes leaks", (unsigned long long)bo->size_B);
        }
    }
}

static void drop_bos(struct dropped_bos *dropped)
{
    array_foreach (dropped, bo)
        amd_bo_unref(*bo);
    array_finish(dropped);
}

int amd_file_mmap(struct amd_file *file, void *hint, size_t size_B, int protection, int flags, uint64_t offset_B,
                  void **memory_out)
{
    struct amd_device *device = file->device;
    uint64_t page_B = gpu_space_granularity_B();
    if (size_B == 0 || offset_B & (page_B - 1) || size_B > SIZE_MAX - page_B)
        return -EINVAL;
    size_B = align_u64(size_B, page_B);
    struct amd_bo *bo = bo_at_offset(device, offset_B, size_B);
    if (!bo)
        return -EINVAL;
    /* The number is no secret: a file may map only what it has a handle for. A private copy of GPU memory makes no
     * sense. */
    int error = !file_has_bo(file, bo) ? -EACCES : (flags & MAP_TYPE) == MAP_PRIVATE ? -EINVAL : 0;
    if (error) {
        amd_bo_unref(bo);
        return error;
    }
    struct dropped_bos dropped = {0};
    pthread_mutex_lock(&device->lock);
    uint64_t inside_B = offset_B - bo->mmap_offset_B;
    void *memory = mmap(hint, size_B, protection, flags, bo->fd, (off_t)(bo->offset_B + inside_B));
    /* A mapping that we still believe in here was undone in a way that nobody told us. */
    if (memory != MAP_FAILED)
        forget_range(device, memory, size_B, &dropped);
    if (memory == MAP_FAILED) {
        error = -errno;
    } else if (!insert_cpu_map(device, (struct amd_bo_user_mapping){bo, memory, size_B, inside_B, protection})) {
        munmap(memory, size_B);
        error = -ENOMEM;
    } else {
        *memory_out = memory;
    }
    pthread_mutex_unlock(&device->lock);
    drop_bos(&dropped);
    if (error)
        amd_bo_unref(bo);
    return error;
}

void amd_device_memory_unmapped(struct amd_device *device, const void *memory, size_t size_B)
{
    if (atomic_load_explicit(&device->cpu_map_count, memory_order_relaxed) == 0)
        return;
    struct dropped_bos dropped = {0};
    pthread_mutex_lock(&device->lock);
    forget_range(device, memory, size_B, &dropped);
    pthread_mutex_unlock(&device->lock);
    drop_bos(&dropped);
}

int amd_bo_remap_everywhere(struct amd_bo *bo)
{
    struct amd_device *device = bo->device;
    int error = 0;
    array_foreach (&bo->places, place) {
        int failed = gpu_space_map_file(&place->vm->space, place->va, place->size_B, bo->fd,
                                        bo->offset_B + place->offset_B, place->perms);
        error = error ? error : failed;
    }
    array_foreach (&device->cpu_maps, mapping) {
        if (mapping->bo == bo && mmap(mapping->memory, mapping->size_B, mapping->protection, MAP_SHARED | MAP_FIXED,
                                      bo->fd, (off_t)(bo->offset_B + mapping->offset_B)) == MAP_FAILED)
            error = error ? error : -errno;
    }
    return error;
}
