/* Whatever comes from another process: synchronisation objects, buffers with their trailers and tables of fences, sync
 * files. The input is laid over a file that a peer has made with the right name, size and seals; then everything is
 * asked of what it was taken for. */
#include <errno.h>
#include <linux/dma-buf.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include "model/drm/drm_device.h"
#include "model/drm/drm_fence.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_job.h"
#include "model/drm/drm_resv.h"
#include "model/drm/drm_sync_file.h"
#include "model/drm/drm_syncobj.h"
#include "model/drm/drm_vm.h"
#include "model/drm/tests/peer_files.h"
#include "util/bits.h"
#include "util/log.h"

int __lsan_is_turned_off(void);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

/* Threads that watch a peer outlive a run: what leaks is the unit tests' to find. */
int __lsan_is_turned_off(void)
{
    return 1;
}

static int engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    *engine_out = NULL; /* no job is ever submitted */
    return 0;
}

static uint8_t last_blob[64];

static int gem_arrived(struct drm_gem *gem, const void *blob)
{
    if (blob)
        memcpy(last_blob, blob, sizeof(last_blob));
    return 0;
}

static struct drm_device device;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const struct drm_engine_ops engine_ops = {.create = engine_create};
    static const struct drm_driver driver = {.name = "fuzz",
                                             .log_name = "fuzz",
                                             .ring_count = 1,
                                             .gem_B = sizeof(struct drm_gem),
                                             .vm_B = sizeof(struct drm_vm),
                                             .blob_B = 64,
                                             .gem_arrived = gem_arrived};
    setenv("TUFF_PEER_TIMEOUT_MS", "1", 1);
    log_set_level(LOG_LEVEL_ERROR);
    return drm_device_init(&device, &driver, &engine_ops, NULL);
}

static void import_syncobj(const uint8_t *data, size_t size_B)
{
    struct peer_syncobj *forged;
    struct drm_syncobj *object = NULL;
    int fd = peer_syncobj_file(&forged);
    memcpy((char *)forged + 8, data, MIN2(size_B, (size_t)PEER_SYNCOBJ_B - 8));
    if (drm_syncobj_import(fd, &object) == 0) {
        struct drm_fence *own = drm_fence_create(), *found = NULL;
        uint64_t point = size_B ? data[0] : 0;
        if (drm_syncobj_find_fence(object, point, &found) == 0)
            drm_fence_unref(found);
        drm_syncobj_add_point(object, own, point);
        drm_syncobj_query(object, point & 1);
        drm_syncobj_replace(object, own);
        drm_fence_signal(own, 0);
        drm_fence_unref(own);
        drm_syncobj_unref(object);
    }
    munmap(forged, PEER_SYNCOBJ_B);
    close(fd);
}

static void import_buffer(const uint8_t *data, size_t size_B, bool keeps_magic)
{
    struct peer_trailer *trailer;
    struct peer_resv *table;
    struct drm_gem *gem = NULL;
    int fd = peer_dmabuf_file(PEER_PAGE_B, &trailer, &table);
    memcpy((char *)trailer + (keeps_magic ? 4 : 0), data, MIN2(size_B, (size_t)PEER_PAGE_B - 4));
    table->lock = 0; /* each lock that is held costs a third of a second */
    if (keeps_magic) {
        trailer->size_B = PEER_PAGE_B;
        table->magic = PEER_RESV_MAGIC;
    }
    if (drm_gem_import(&device, fd, &gem) == 0) {
        struct drm_fence *own = drm_fence_create(), *others;
        if (gem->resv) {
            drm_resv_lock(gem->resv);
            others = drm_resv_fence(gem->resv, DRM_RESV_READ, NULL);
            drm_resv_add(gem->resv, own, DRM_RESV_WRITE);
            drm_resv_unlock(gem->resv);
            drm_fence_unref(others);
        }
        drm_fence_signal(own, 0);
        drm_fence_unref(own);
        drm_gem_unref(gem);
    }
    struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW};
    drm_fd_ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
    munmap((char *)trailer - PEER_PAGE_B, 2 * PEER_PAGE_B);
    close(fd);
}

static void import_sync_file(const uint8_t *data, size_t size_B)
{
    const int mark = 0x59464654;
    int fds[2];
    struct drm_fence *fence = NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
        return;
    setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark));
    if (send(fds[1], data, MIN2(size_B, (size_t)64), MSG_DONTWAIT) >= 0 && drm_sync_file_import(fds[0], &fence) == 0) {
        drm_fence_wait(fence, drm_now_ns() + 1000000000ll);
        drm_fence_unref(fence);
    }
    close(fds[0]);
    close(fds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    if (size_B == 0)
        return 0;
    switch (data[0] & 3) {
    case 0:
        import_syncobj(data + 1, size_B - 1);
        break;
    case 1:
    case 2:
        import_buffer(data + 1, size_B - 1, data[0] & 1);
        break;
    default:
        import_sync_file(data + 1, size_B - 1);
        break;
    }
    return 0;
}
