/* Buffers that leave the process. An exported buffer moves from its heap's file to a memfd of its own, which is what
 * the dma-buf fd is; any process that gets the fd can map the bytes. After the bytes comes one page, the trailer,
 * with what an importer must know, a blob of the family and the table of fences, which stay common to all. The move
 * keeps contents and mappings: every mapping is replaced in place, and what a running job or a thread of the process
 * wrote meanwhile into the old bytes is carried over. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_fence.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_peer.h"
#include "model/drm/drm_resv.h"
#include "model/drm/drm_sync_file.h"
#include "model/drm/drm_vm.h"
#include "util/bits.h"
#include "util/slab.h"

#define TRAILER_MAGIC 0x42464654u /* "TFFB" */
#define MEMFD_NAME "tuff-dmabuf"
#define BLOB_MAX_B 512u
#define MAX_ALIGN_B (2ull << 20)
#define TABLE_OFFSET_B 1024u /* of the fences, in the trailer's page */

/* Any process that has the file may write anything into it at any time: an importer works with a copy, and what is read
 * later (the blob, the fences) is read as input. */
struct drm_trailer {
    uint32_t magic;
    uint32_t blob_B;
    char driver[16]; /* whose blob it is */
    uint64_t size_B;
    uint64_t align_B;
    _Alignas(16) uint8_t blob[BLOB_MAX_B];
};

_Static_assert(sizeof(struct drm_trailer) <= TABLE_OFFSET_B, "the trailer ends where the fences begin");
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
        if (length <= 0)
            return length < 0 ? -errno : -EIO;
        int error = drm_file_write(target, at_B, buffer, (uint32_t)length);
        if (error)
            return error;
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

static bool is_in_use(const struct drm_gem *gem)
{
    return gem->places.count || gem->cpu_map_count;
}

static void *map_bytes(int fd, uint64_t offset_B, uint64_t size_B, int flags)
{
    void *bytes = mmap(NULL, size_B, PROT_READ | PROT_WRITE, flags, fd, (off_t)offset_B);
    return bytes == MAP_FAILED ? NULL : bytes;
}

/* A file with a trailer for this buffer. */
static int create_file(const struct drm_gem *gem, struct drm_trailer **trailer_out)
{
    int fd = drm_peer_file_create(MEMFD_NAME, gem->size_B + trailer_size_B());
    if (fd < 0)
        return fd;
    struct drm_trailer *trailer = map_bytes(fd, gem->size_B, trailer_size_B(), MAP_SHARED);
    if (!trailer) {
        int error = -errno;
        close(fd);
        return error;
    }
    const struct drm_driver *driver = gem->device->driver;
    *trailer = (struct drm_trailer){.blob_B = driver->blob_B, .size_B = gem->size_B, .align_B = gem->align_B};
    snprintf(trailer->driver, sizeof(trailer->driver), "%s", driver->name);
    if (gem->blob)
        memcpy(trailer->blob, gem->blob, driver->blob_B);
    drm_resv_table_init((char *)trailer + TABLE_OFFSET_B);
    trailer->magic = TRAILER_MAGIC;
    *trailer_out = trailer;
    return fd;
}

static int open_fences(int fd, uint64_t size_B, struct drm_resv **resv_out)
{
    return drm_resv_open(fd, size_B + TABLE_OFFSET_B, resv_out);
}

static void adopt_file(struct drm_gem *gem, int fd, ino_t ino, struct drm_trailer *trailer, struct drm_resv *resv)
{
    gem->fd = fd;
    gem->offset_B = 0;
    gem->is_shared = true;
    gem->ino = ino;
    gem->trailer = trailer;
    gem->resv = resv;
}

/* Work that is still going on with the buffer began before it was shared: the others wait for that, too. */
static int publish_fences(struct drm_gem *gem, struct drm_resv *resv)
{
    int error = 0;
    array_foreach (&gem->fences, use)
        error = error ? error : drm_resv_add(resv, use->fence, DRM_RESV_WRITE);
    return error;
}

/* Device lock held. On an error nothing has changed. */
static int move_to_own_file(struct drm_gem *gem)
{
    struct drm_trailer *trailer = NULL;
    struct drm_resv *resv = NULL;
    int fd = create_file(gem, &trailer);
    if (fd < 0)
        return fd;
    const int old_fd = gem->fd;
    const uint64_t old_offset_B = gem->offset_B;
    bool in_use = is_in_use(gem);
    uint8_t *snapshot = in_use ? malloc(gem->size_B) : NULL;
    uint8_t *old = in_use ? map_bytes(old_fd, old_offset_B, gem->size_B, MAP_SHARED) : NULL;
    uint8_t *target = in_use ? map_bytes(fd, 0, gem->size_B, MAP_SHARED) : NULL;
    int error = in_use && (!snapshot || !old || !target) ? -ENOMEM : 0;
    if (!error)
        error = copy_bytes(fd, old_fd, old_offset_B, gem->size_B);
    if (!error && in_use)
        memcpy(snapshot, target, gem->size_B);
    struct stat status = {0};
    fstat(fd, &status);
    if (!error && !map64_set(&gem->device->shared_gems, status.st_ino, (uintptr_t)gem))
        error = -ENOMEM;
    if (!error)
        error = open_fences(fd, gem->size_B, &resv);
    if (!error)
        error = publish_fences(gem, resv);
    if (!error) {
        gem->fd = fd;
        gem->offset_B = 0;
        error = drm_gem_remap_everywhere(gem);
        if (error) { /* the old mappings again: replacing a mapping by an equal one needs no more memory */
            gem->fd = old_fd;
            gem->offset_B = old_offset_B;
            drm_gem_remap_everywhere(gem);
        }
    }
    if (!error && in_use)
        carry_over(target, old, snapshot, gem->size_B);
    if (old)
        munmap(old, gem->size_B);
    if (target)
        munmap(target, gem->size_B);
    free(snapshot);
    if (error) {
        map64_remove(&gem->device->shared_gems, status.st_ino);
        map64_trim(&gem->device->shared_gems);
        drm_resv_unref(resv);
        munmap(trailer, trailer_size_B());
        close(fd);
        return error;
    }
    drm_gem_leave_file(gem, gem->file, old_offset_B);
    adopt_file(gem, fd, status.st_ino, trailer, resv);
    if (gem->blob)
        gem->blob = trailer->blob;
    return 0;
}

int drm_gem_export(struct drm_gem *gem)
{
    /* The kernel's rule: memory of the process and buffers that belong to one address space do not leave the process.
     */
    const struct drm_driver *driver = gem->device->driver;
    int refused = driver->gem_may_leave ? driver->gem_may_leave(gem) : 0;
    if (refused)
        return refused;
    if (gem->user_memory || gem->exclusive_vm)
        return -EPERM;
    pthread_mutex_lock(&gem->device->lock);
    int error = gem->fd < 0 ? -EINVAL : gem->is_shared ? 0 : move_to_own_file(gem);
    int fd = error ? error : fcntl(gem->fd, F_DUPFD_CLOEXEC, 0);
    if (!error && fd < 0)
        fd = -errno;
    pthread_mutex_unlock(&gem->device->lock);
    return fd;
}

void drm_gem_release_share(struct drm_gem *gem)
{
    if (gem->flink_name)
        drm_handles_remove(&gem->device->flink_names, gem->flink_name);
    if (!gem->is_shared)
        return;
    map64_remove(&gem->device->shared_gems, gem->ino);
    map64_trim(&gem->device->shared_gems);
    drm_resv_unref(gem->resv);
    gem->resv = NULL;
    munmap(gem->trailer, trailer_size_B());
    close(gem->fd);
    gem->fd = -1;
}

/* A file that came from outside. Its size comes from the kernel, and is sealed; the trailer is copied once. */
struct arrival {
    uint64_t size_B; /* of the buffer */
    ino_t ino;
    struct drm_trailer *trailer; /* mapped */
    struct drm_trailer head;     /* the copy */
};

static bool open_arrival(int fd, struct arrival *arrival)
{
    struct stat status;
    if (!drm_peer_file_check(fd, MEMFD_NAME, &status) || (uint64_t)status.st_size <= trailer_size_B() ||
        (uint64_t)status.st_size % trailer_size_B())
        return false;
    arrival->size_B = (uint64_t)status.st_size - trailer_size_B();
    arrival->ino = status.st_ino;
    arrival->trailer = map_bytes(fd, arrival->size_B, trailer_size_B(), MAP_SHARED);
    if (!arrival->trailer)
        return false;
    memcpy(&arrival->head, arrival->trailer, sizeof(arrival->head));
    if (arrival->head.magic == TRAILER_MAGIC && arrival->head.size_B == arrival->size_B)
        return true;
    munmap(arrival->trailer, trailer_size_B());
    return false;
}

static void close_arrival(struct arrival *arrival)
{
    munmap(arrival->trailer, trailer_size_B());
}

int drm_dmabuf_size(int fd, uint64_t *size_B_out)
{
    struct arrival arrival;
    if (!open_arrival(fd, &arrival))
        return -EINVAL;
    *size_B_out = arrival.size_B;
    close_arrival(&arrival);
    return 0;
}

int drm_fd_ioctl(int fd, unsigned long request, void *argument)
{
    struct arrival arrival;
    struct drm_resv *resv = drm_resv_find(fd); /* most often: a file that was looked at before */
    int error = 0;
    if (!resv) {
        if (!open_arrival(fd, &arrival))
            return drm_sync_file_ioctl(fd, request, argument);
        error = open_fences(fd, arrival.size_B, &resv);
        close_arrival(&arrival);
    }
    if (!error)
        error = drm_resv_ioctl(resv, request, argument);
    drm_resv_unref(resv);
    return error;
}

/* The family's part of a buffer that comes from outside. One of another family's driver has a blob that means nothing
 * to this one. */
static int greet_buffer(struct drm_gem *gem, struct arrival *arrival)
{
    const struct drm_driver *driver = gem->device->driver;
    const struct drm_trailer *head = &arrival->head;
    bool is_ours = head->blob_B == driver->blob_B && strncmp(head->driver, driver->name, sizeof(head->driver)) == 0;
    int error = driver->gem_arrived ? driver->gem_arrived(gem, is_ours ? head->blob : NULL) : 0;
    gem->align_B = is_power_of_two(head->align_B) && head->align_B <= MAX_ALIGN_B ? head->align_B : 0;
    gem->blob = is_ours ? arrival->trailer->blob : NULL;
    return error;
}

/* A buffer of another process. Device lock held. */
static int attach_buffer(struct drm_device *device, int fd, struct arrival *arrival, struct drm_gem **gem_out)
{
    struct drm_gem *gem = drm_gem_new(device, arrival->size_B); /* accounted where it was made: in no heap */
    int own_fd = gem ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    int error = !gem ? -ENOMEM : own_fd < 0 ? -errno : 0;
    struct drm_resv *resv = NULL;
    if (!error)
        error = greet_buffer(gem, arrival);
    if (!error)
        error = open_fences(fd, arrival->size_B, &resv);
    if (!error && !map64_set(&device->shared_gems, arrival->ino, (uintptr_t)gem))
        error = -ENOMEM;
    if (error) {
        drm_resv_unref(resv);
        if (own_fd >= 0)
            close(own_fd);
        slab_free(gem);
        return error;
    }
    adopt_file(gem, own_fd, arrival->ino, arrival->trailer, resv);
    *gem_out = gem;
    return 0;
}

int drm_gem_import(struct drm_device *device, int fd, struct drm_gem **gem_out)
{
    struct arrival arrival;
    if (fcntl(fd, F_GETFD) < 0)
        return -EBADF;
    if (!open_arrival(fd, &arrival))
        return -EINVAL;
    int error = 0;
    struct drm_gem *found = NULL;
    pthread_mutex_lock(&device->lock);
    const uint64_t *known = map64_get(&device->shared_gems, arrival.ino);
    bool is_known = known != NULL;
    if (is_known)
        found = drm_gem_ref((struct drm_gem *)(uintptr_t)*known);
    if (!is_known)
        error = attach_buffer(device, fd, &arrival, &found);
    if (is_known || error)
        close_arrival(&arrival);
    pthread_mutex_unlock(&device->lock);
    *gem_out = found;
    return error;
}
