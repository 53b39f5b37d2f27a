/* Buffers that leave the process. An exported buffer moves from its heap's file to a memfd of its own, which is what
 * the dma-buf fd is; any process that gets the fd can map the bytes. Behind the bytes stands one page, the trailer,
 * with what an importer must know, and with the metadata and the table of fences, which stay common to all. The move
 * keeps contents and mappings: every mapping is replaced in place, and what a running job or a thread of the process
 * wrote meanwhile into the old bytes is carried over. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "amd/model/kernel/kernel_types.h"
#include "model/drm/drm_sync_file.h"
#include "util/bits.h"

#define TRAILER_MAGIC 0x42464654u /* "TFFB" */
#define MEMFD_NAME "tuff-dmabuf"
#define TABLE_OFFSET_B 1024u /* of the fences, in the trailer's page */

struct trailer {
    uint32_t magic;
    uint32_t domains;
    uint64_t size_B;
    uint64_t align_B;
    uint64_t flags;
    struct amd_bo_metadata metadata;
};

_Static_assert(sizeof(struct trailer) <= TABLE_OFFSET_B, "the trailer ends where the fences begin");
_Static_assert(TABLE_OFFSET_B + DRM_RESV_TABLE_B <= 4096, "both are in one page");

static uint64_t trailer_size_B(void)
{
    return gpu_space_granularity_B();
}

/* Copy the pages that exist: a sparse buffer stays sparse. */
static int copy_bytes(int target, int source, uint64_t source_B, uint64_t size_B)
{
    char buffer[65536];
    uint64_t at_B = 0;
    while (at_B < size_B) {
        off_t data = lseek(source, (off_t)(source_B + at_B), SEEK_DATA);
        if (data < 0 || (uint64_t)data >= source_B + size_B)
            return data < 0 && errno != ENXIO ? -errno : 0;
        at_B = (uint64_t)data - source_B;
        ssize_t length = pread(source, buffer, MIN2(sizeof(buffer), size_B - at_B), (off_t)(source_B + at_B));
        if (length <= 0 || pwrite(target, buffer, (size_t)length, (off_t)at_B) != length)
            return length < 0 ? -errno : -EIO;
        at_B += (uint64_t)length;
    }
    return 0;
}

/* Bytes of the old place that differ from the snapshot were written while we copied: they go to the new place, too. */
static void carry_over(uint8_t *target, const uint8_t *old, const uint8_t *snapshot, uint64_t size_B)
{
    for (uint64_t page = 0; page < size_B; page += GPU_PAGE_SIZE_B) {
        uint64_t end = MIN2(page + GPU_PAGE_SIZE_B, size_B);
        if (memcmp(old + page, snapshot + page, end - page) == 0)
            continue;
        for (uint64_t i = page; i < end; i++) {
            if (old[i] != snapshot[i])
                target[i] = old[i];
        }
    }
}

static bool is_in_use(const struct amd_bo *bo)
{
    if (bo->places.count)
        return true;
    array_foreach (&bo->device->cpu_maps, mapping) {
        if (mapping->bo == bo)
            return true;
    }
    return false;
}

static void *map_bytes(int fd, uint64_t offset_B, uint64_t size_B, int flags)
{
    void *bytes = mmap(NULL, size_B, PROT_READ | PROT_WRITE, flags, fd, (off_t)offset_B);
    return bytes == MAP_FAILED ? NULL : bytes;
}

/* A file with a trailer for this buffer. */
static int create_file(const struct amd_bo *bo, struct trailer **trailer_out)
{
    int fd = memfd_create(MEMFD_NAME, MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct trailer *trailer = NULL;
    if (ftruncate(fd, (off_t)(bo->size_B + trailer_size_B())) == 0)
        trailer = map_bytes(fd, bo->size_B, trailer_size_B(), MAP_SHARED);
    if (!trailer) {
        int error = -errno;
        close(fd);
        return error;
    }
    *trailer = (struct trailer){.domains = bo->preferred_domains,
                                .size_B = bo->size_B,
                                .align_B = bo->align_B,
                                .flags = bo->flags,
                                .metadata = *bo->metadata};
    drm_resv_table_init((char *)trailer + TABLE_OFFSET_B);
    trailer->magic = TRAILER_MAGIC;
    *trailer_out = trailer;
    return fd;
}

static int open_fences(int fd, uint64_t size_B, struct drm_resv **resv_out)
{
    return drm_resv_open(fd, size_B + TABLE_OFFSET_B, resv_out);
}

static void adopt_file(struct amd_bo *bo, int fd, struct trailer *trailer, struct drm_resv *resv)
{
    struct stat status = {0};
    fstat(fd, &status);
    bo->fd = fd;
    bo->offset_B = 0;
    bo->shared = true;
    bo->ino = status.st_ino;
    bo->trailer = trailer;
    bo->resv = resv;
    bo->metadata = &trailer->metadata;
}

/* What still works on the buffer began before it was shared: the others wait for that, too. */
static int publish_fences(struct amd_bo *bo, struct drm_resv *resv)
{
    int error = 0;
    array_foreach (&bo->fences, fence)
        error = error ? error : drm_resv_add(resv, *fence, DRM_RESV_WRITE);
    return error;
}

/* Device lock held. On an error nothing has changed. */
static int move_to_own_file(struct amd_bo *bo)
{
    struct trailer *trailer = NULL;
    struct drm_resv *resv = NULL;
    int fd = create_file(bo, &trailer);
    if (fd < 0)
        return fd;
    const int old_fd = bo->fd;
    const uint64_t old_offset_B = bo->offset_B;
    bool in_use = is_in_use(bo);
    uint8_t *snapshot = in_use ? malloc(bo->size_B) : NULL;
    uint8_t *old = in_use ? map_bytes(old_fd, old_offset_B, bo->size_B, MAP_SHARED) : NULL;
    uint8_t *target = in_use ? map_bytes(fd, 0, bo->size_B, MAP_SHARED) : NULL;
    int error = in_use && (!snapshot || !old || !target) ? -ENOMEM : 0;
    if (!error)
        error = copy_bytes(fd, old_fd, old_offset_B, bo->size_B);
    if (!error && in_use)
        memcpy(snapshot, target, bo->size_B);
    if (!error && !array_reserve(&bo->device->shared_bos, bo->device->shared_bos.count + 1))
        error = -ENOMEM;
    if (!error)
        error = open_fences(fd, bo->size_B, &resv);
    if (!error)
        error = publish_fences(bo, resv);
    if (!error) {
        bo->fd = fd;
        bo->offset_B = 0;
        error = amd_bo_remap_everywhere(bo);
        if (error) { /* the old mappings again: replacing a mapping by an equal one needs no more memory */
            bo->fd = old_fd;
            bo->offset_B = old_offset_B;
            amd_bo_remap_everywhere(bo);
        }
    }
    if (!error && in_use)
        carry_over(target, old, snapshot, bo->size_B);
    if (old)
        munmap(old, bo->size_B);
    if (target)
        munmap(target, bo->size_B);
    free(snapshot);
    if (error) {
        drm_resv_unref(resv);
        munmap(trailer, trailer_size_B());
        close(fd);
        return error;
    }
    fallocate(old_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)old_offset_B, (off_t)bo->size_B);
    adopt_file(bo, fd, trailer, resv);
    bo->device->shared_bos.data[bo->device->shared_bos.count++] = bo;
    return 0;
}

int amd_bo_export(struct amd_bo *bo)
{
    /* The kernel's rule: memory of the process and buffers that belong to one address space stay at home. */
    if (bo->user_memory || bo->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
        return -EPERM;
    if (bo->fd < 0)
        return -EINVAL;
    pthread_mutex_lock(&bo->device->lock);
    int error = bo->shared ? 0 : move_to_own_file(bo);
    int fd = error ? error : fcntl(bo->fd, F_DUPFD_CLOEXEC, 0);
    if (!error && fd < 0)
        fd = -errno;
    pthread_mutex_unlock(&bo->device->lock);
    return fd;
}

void amd_bo_release_share(struct amd_bo *bo)
{
    if (bo->flink_name)
        amd_handles_remove(&bo->device->flink_names, bo->flink_name);
    if (!bo->shared)
        return;
    for (uint32_t i = 0; i < bo->device->shared_bos.count; i++) {
        if (bo->device->shared_bos.data[i] == bo) {
            array_remove_swap(&bo->device->shared_bos, i);
            break;
        }
    }
    drm_resv_unref(bo->resv);
    bo->resv = NULL;
    munmap(bo->trailer, trailer_size_B());
    close(bo->fd);
    bo->fd = -1;
}

/* The trailer of an fd that is one of ours, mapped; NULL otherwise. */
static struct trailer *map_trailer(int fd, struct stat *status_out)
{
    char path[64], target[128];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length < 0 || fstat(fd, status_out))
        return NULL;
    target[length] = '\0';
    if (strncmp(target, "/memfd:" MEMFD_NAME, strlen("/memfd:" MEMFD_NAME)) != 0 ||
        (uint64_t)status_out->st_size <= trailer_size_B())
        return NULL;
    uint64_t size_B = (uint64_t)status_out->st_size - trailer_size_B();
    struct trailer *trailer = map_bytes(fd, size_B, trailer_size_B(), MAP_SHARED);
    if (trailer && (trailer->magic != TRAILER_MAGIC || trailer->size_B != size_B)) {
        munmap(trailer, trailer_size_B());
        return NULL;
    }
    return trailer;
}

int amd_dmabuf_size(int fd, uint64_t *size_B_out)
{
    struct stat status;
    struct trailer *trailer = map_trailer(fd, &status);
    if (!trailer)
        return -EINVAL;
    *size_B_out = trailer->size_B;
    munmap(trailer, trailer_size_B());
    return 0;
}

int amd_fd_ioctl(int fd, unsigned long request, void *argument)
{
    struct stat status;
    struct trailer *trailer = map_trailer(fd, &status);
    if (!trailer)
        return drm_sync_file_ioctl(fd, request, argument);
    struct drm_resv *resv = NULL;
    int error = open_fences(fd, trailer->size_B, &resv);
    munmap(trailer, trailer_size_B());
    if (!error)
        error = drm_resv_ioctl(resv, request, argument);
    drm_resv_unref(resv);
    return error;
}

/* A buffer of another process. Device lock held. */
static int attach(struct amd_device *device, int fd, struct trailer *trailer, struct amd_bo **bo_out)
{
    struct amd_bo *bo = calloc(1, sizeof(*bo));
    int own_fd = bo ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    int error = !bo ? -ENOMEM : own_fd < 0 ? -errno : 0;
    struct drm_resv *resv = NULL;
    if (!error && !array_reserve(&device->shared_bos, device->shared_bos.count + 1))
        error = -ENOMEM;
    if (!error)
        error = open_fences(fd, trailer->size_B, &resv);
    if (error) {
        if (own_fd >= 0)
            close(own_fd);
        free(bo);
        return error;
    }
    atomic_init(&bo->refs, 1);
    bo->device = device;
    bo->size_B = trailer->size_B;
    bo->align_B = trailer->align_B;
    bo->flags = trailer->flags;
    bo->preferred_domains = trailer->domains;
    bo->heap = AMD_HEAP_NONE; /* it is accounted where it was made */
    adopt_file(bo, own_fd, trailer, resv);
    device->shared_bos.data[device->shared_bos.count++] = bo;
    *bo_out = bo;
    return 0;
}

int amd_bo_import(struct amd_device *device, int fd, struct amd_bo **bo_out)
{
    struct stat status;
    if (fcntl(fd, F_GETFD) < 0)
        return -EBADF;
    struct trailer *trailer = map_trailer(fd, &status);
    if (!trailer)
        return -EINVAL;
    int error = 0;
    struct amd_bo *found = NULL;
    pthread_mutex_lock(&device->lock);
    array_foreach (&device->shared_bos, bo) {
        if ((*bo)->ino == status.st_ino)
            found = amd_bo_ref(*bo);
    }
    if (found)
        munmap(trailer, trailer_size_B());
    else if ((error = attach(device, fd, trailer, &found)))
        munmap(trailer, trailer_size_B());
    pthread_mutex_unlock(&device->lock);
    *bo_out = found;
    return error;
}
