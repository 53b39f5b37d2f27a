/* A hostile peer: files that it has forged, truncated, locked or changes while they are used. Nothing that it does may
 * crash us, write outside, or hang a call for long. Peers that die are in test_drm_syncobj.c and test_drm_resv.c. */
#include <dirent.h>
#include <drm.h>
#include <errno.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "model/drm/drm_fence.h"
#include "model/drm/drm_gem.h"
#include "model/drm/drm_owner.h"
#include "model/drm/drm_peer.h"
#include "model/drm/drm_resv.h"
#include "model/drm/drm_sync_file.h"
#include "model/drm/drm_syncobj.h"
#include "peer_files.h"
#include "util/log.h"

#define SECOND_NS 1000000000ll
#define PATIENCE_MS "300"

/* Everything that can be asked of a synchronisation object, without waiting for long. */
static void use_syncobj(struct drm_syncobj *object)
{
    struct drm_fence *fence = drm_fence_create(), *found = NULL;
    for (uint64_t point = 0; point < 3; point++) {
        if (drm_syncobj_find_fence(object, point, &found) == 0)
            drm_fence_unref(found);
    }
    drm_syncobj_query(object, false);
    drm_syncobj_query(object, true);
    drm_syncobj_add_point(object, fence, 7);
    drm_syncobj_add_point(object, fence, 3);
    drm_syncobj_replace(object, fence);
    drm_fence_signal(fence, 0);
    drm_syncobj_replace(object, NULL);
    int fd = drm_syncobj_export(object);
    if (fd >= 0)
        close(fd);
    drm_fence_unref(fence);
}

static void test_forged_synchronisation_objects(void **state)
{
    static const uint32_t counts[] = {0, 1, 2047, 2048, 2049, 65536, 0x7fffffff, UINT32_MAX};
    for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct peer_syncobj *forged;
        struct drm_syncobj *object = NULL;
        int fd = peer_syncobj_file(&forged);
        forged->count = counts[i];
        forged->has_fence = 0x55;
        forged->is_chain = 0xaa00;
        forged->next_serial = UINT64_MAX - 1;
        forged->next_owner = UINT32_MAX - 2;
        forged->last_point = UINT64_MAX;
        for (unsigned j = 0; j < 2048; j++)
            forged->entries[j] = (struct peer_entry){.point = j * 0x123456789ull, .owner = j * 7, .done = j & 2};
        assert_int_equal(drm_syncobj_import(fd, &object), 0);
        use_syncobj(object);
        use_syncobj(object);
        drm_syncobj_unref(object);
        munmap(forged, PEER_SYNCOBJ_B);
        close(fd);
    }
}

/* A queue whose places are all taken by fences that never end: what is submitted after them still has its place. Our
 * own fences that fill one are refused, for each is waited for. */
static void test_a_queue_that_a_peer_has_filled_takes_our_fences(void **state)
{
    for (uint64_t point = 0; point < 2; point++) {
        struct peer_syncobj *forged;
        struct drm_syncobj *object = NULL;
        struct drm_fence *fence = drm_fence_create();
        int fd = peer_syncobj_file(&forged);
        forged->count = 2048;
        forged->has_fence = forged->is_chain = 1;
        forged->next_serial = 4000;
        for (unsigned j = 0; j < 2048; j++)
            forged->entries[j] = (struct peer_entry){.point = 1, .serial = j + 1, .owner = 99};
        assert_int_equal(drm_syncobj_import(fd, &object), 0);
        assert_int_equal(point ? drm_syncobj_add_point(object, fence, point) : drm_syncobj_replace(object, fence), 0);
        int error = 0;
        uint64_t taken = 0;
        for (; taken < 5000 && !error; taken += !error)
            error = drm_syncobj_add_point(object, fence, 2 + taken);
        assert_int_equal(error, -ENOMEM);
        assert_int_equal(taken, 2047);
        drm_fence_signal(fence, 0);
        assert_int_equal(drm_syncobj_query(object, false), taken + 1);
        drm_fence_unref(fence);
        drm_syncobj_unref(object);
        munmap(forged, PEER_SYNCOBJ_B);
        close(fd);
    }
}

static void test_what_is_not_ours_is_refused(void **state)
{
    struct drm_syncobj *object = NULL;
    struct drm_fence *fence = NULL;
    void *bytes;
    uint64_t size_B;
    int pipe_fds[2];
    assert_int_equal(pipe(pipe_fds), 0);
    int bad[] = {
        -1,
        -100,
        1 << 20,
        pipe_fds[0],
        open("/dev/zero", O_RDWR | O_CLOEXEC),
        open("/", O_RDONLY | O_CLOEXEC),
        peer_file("tuff-syncobj", PEER_SYNCOBJ_B, 0, &bytes),                           /* may shrink */
        peer_file("tuff-dmabuf", 2 * PEER_PAGE_B, F_SEAL_GROW, &bytes),                 /* may shrink */
        peer_file("tuff-syncobj", PEER_SYNCOBJ_B - PEER_PAGE_B, F_SEAL_SHRINK, &bytes), /* another size */
        peer_file("tuff-syncobj", PEER_SYNCOBJ_B, F_SEAL_SHRINK, &bytes),               /* no magic */
        peer_file("tuff-dmabuf", 2 * PEER_PAGE_B, F_SEAL_SHRINK, &bytes),               /* no magic */
        peer_file("tuff-dmabuf", PEER_PAGE_B, F_SEAL_SHRINK, &bytes),                   /* no bytes */
        peer_file("tuff-dmabufs", 2 * PEER_PAGE_B, F_SEAL_SHRINK, &bytes),
    };
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(drm_syncobj_import(bad[i], &object), -EINVAL);
        assert_int_equal(drm_dmabuf_size(bad[i], &size_B), -EINVAL);
        assert_int_equal(drm_sync_file_import(bad[i], &fence), -EINVAL);
        assert_int_equal(drm_fd_ioctl(bad[i], DMA_BUF_IOCTL_SYNC, &size_B), -ENOTTY);
        if (bad[i] >= 0)
            close(bad[i]);
    }
    close(pipe_fds[1]);
}

static void test_what_we_share_cannot_shrink(void **state)
{
    struct drm_syncobj *object = drm_syncobj_create(true);
    int fd = drm_syncobj_export(object);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_int_equal(ftruncate(fd, 4096), -1);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1); /* nor be taken from us in another way */
    assert_int_equal(drm_syncobj_query(object, false), 0);
    close(fd);
    drm_syncobj_unref(object);
}

static void test_a_lock_that_is_kept_holds_nobody_up(void **state)
{
    struct peer_syncobj *forged;
    struct drm_syncobj *object = NULL;
    int fd = peer_syncobj_file(&forged);
    forged->lock = 0x1234;
    int64_t begin_ns = drm_now_ns();
    assert_int_equal(drm_syncobj_import(fd, &object), 0);
    for (unsigned i = 0; i < 20; i++) {
        forged->lock = i & 1 ? 0x80000001u : UINT32_MAX;
        use_syncobj(object);
    }
    assert_true(drm_now_ns() - begin_ns < 30 * SECOND_NS); /* a third of a second, and a millisecond for each call */
    drm_syncobj_unref(object);

    struct peer_trailer *trailer;
    struct peer_resv *table;
    struct drm_resv *resv;
    int buffer = peer_dmabuf_file(PEER_PAGE_B, &trailer, &table);
    assert_int_equal(drm_resv_open(buffer, PEER_PAGE_B + PEER_RESV_OFFSET_B, &resv), 0);
    table->lock = 99;
    begin_ns = drm_now_ns();
    for (unsigned i = 0; i < 20; i++) {
        drm_resv_lock(resv);
        table->lock = 99;
        drm_resv_unlock(resv);
    }
    assert_true(drm_now_ns() - begin_ns < 30 * SECOND_NS);
    drm_resv_unref(resv);
    close(buffer);
    close(fd);
}

/* The fence of a process that lives and never signals it. */
static void test_a_fence_that_never_comes_is_given_up(void **state)
{
    struct peer_syncobj *forged;
    struct drm_syncobj *object = NULL;
    struct drm_fence *fence = NULL;
    int fd = peer_syncobj_file(&forged), peer_fd = drm_owner_open(fd);
    assert_true(drm_owner_enter(peer_fd, 5));
    forged->next_owner = 5;
    forged->has_fence = forged->count = 1;
    forged->entries[0] = (struct peer_entry){.serial = 1, .owner = 5};
    assert_int_equal(drm_syncobj_import(fd, &object), 0);
    assert_int_equal(drm_syncobj_find_fence(object, 0, &fence), 0);
    assert_false(drm_fence_is_signaled(fence));
    assert_true(drm_fence_wait(fence, drm_now_ns() + 60 * SECOND_NS));
    assert_int_equal(fence->error, -ETIMEDOUT);
    drm_fence_unref(fence);
    drm_syncobj_unref(object);

    struct peer_trailer *trailer;
    struct peer_resv *table;
    struct drm_resv *resv;
    int buffer = peer_dmabuf_file(PEER_PAGE_B, &trailer, &table), keeper_fd = drm_owner_open(buffer);
    assert_true(drm_owner_enter(keeper_fd, 5));
    for (unsigned i = 0; i < PEER_RESV_SLOTS; i++) { /* all slots, so that there is none for us */
        table->slots[i].owner = 5;
        table->slots[i].counts[0][0] = UINT64_MAX - i;
    }
    assert_int_equal(drm_resv_open(buffer, PEER_PAGE_B + PEER_RESV_OFFSET_B, &resv), 0);
    fence = drm_resv_fence(resv, DRM_RESV_READ, NULL);
    assert_non_null(fence);
    assert_false(drm_fence_is_signaled(fence));
    assert_true(drm_fence_wait(fence, drm_now_ns() + 60 * SECOND_NS));
    assert_int_equal(fence->error, -ETIMEDOUT);
    drm_fence_unref(fence);
    fence = drm_resv_fence(resv, DRM_RESV_READ, NULL); /* the same ones are not waited for again */
    assert_true(drm_fence_is_signaled(fence));
    drm_fence_unref(fence);
    struct drm_fence *own = drm_fence_create();
    assert_int_equal(drm_resv_add(resv, own, DRM_RESV_WRITE), 0); /* our submission goes on */
    drm_fence_signal(own, 0);
    drm_fence_unref(own);
    drm_resv_unref(resv);
    close(keeper_fd);
    close(buffer);
    close(peer_fd);
    close(fd);
}

/* The two ends of a socket with the mark of a sync file: any peer can make them. */
static void make_sync_file(int type, int fds[2])
{
    const int mark = 0x59464654;
    assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds), 0);
    assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark)), 0);
}

static void test_forged_sync_files(void **state)
{
    static const struct {
        int32_t status;
        int error;
    } cases[] = {{1, 0}, {2, 0}, {INT32_MAX, 0}, {-5, -5}, {INT32_MIN, -EIO}, {-4096, -EIO}, {0, -ECANCELED}};
    int fds[2];
    struct drm_fence *fence;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int32_t message[4] = {cases[i].status};
        make_sync_file(SOCK_SEQPACKET, fds);
        assert_int_equal(send(fds[1], message, sizeof(message), 0), sizeof(message));
        assert_int_equal(drm_sync_file_import(fds[0], &fence), 0);
        assert_true(drm_fence_wait(fence, drm_now_ns() + 60 * SECOND_NS));
        assert_int_equal(fence->error, cases[i].error);
        drm_fence_unref(fence);
        close(fds[0]);
        close(fds[1]);
    }
    make_sync_file(SOCK_STREAM, fds); /* of another kind, with half a message */
    assert_int_equal(send(fds[1], "half", 4, 0), 4);
    assert_int_equal(drm_sync_file_import(fds[0], &fence), 0);
    assert_true(drm_fence_wait(fence, drm_now_ns() + 60 * SECOND_NS));
    assert_int_not_equal(fence->error, 0);
    drm_fence_unref(fence);
    close(fds[0]);
    close(fds[1]);
    make_sync_file(SOCK_SEQPACKET, fds); /* one that is never signaled, by a peer that lives */
    assert_int_equal(drm_sync_file_import(fds[0], &fence), 0);
    assert_true(drm_fence_wait(fence, drm_now_ns() + 60 * SECOND_NS));
    assert_int_equal(fence->error, -ETIMEDOUT);
    drm_fence_unref(fence);
    close(fds[0]);
    close(fds[1]);
}

static unsigned count_threads(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Any number of them costs one thread, which tells them apart, and none when all are over. */
static void test_one_thread_watches_all_sync_files(void **state)
{
    enum {
        COUNT = 100
    };
    int fds[COUNT][2];
    struct drm_fence *fences[COUNT];
    const int32_t message[4] = {1};
    const unsigned before = count_threads();
    for (unsigned i = 0; i < COUNT; i++) {
        make_sync_file(SOCK_SEQPACKET, fds[i]);
        assert_int_equal(drm_sync_file_import(fds[i][0], &fences[i]), 0);
    }
    assert_true(count_threads() <= before + 1);
    for (unsigned n = 0; n < COUNT; n++) {
        const unsigned i = n * 37 % COUNT; /* in another order */
        assert_false(drm_fence_is_signaled(fences[i]));
        assert_int_equal(send(fds[i][1], message, sizeof(message), 0), sizeof(message));
        assert_true(drm_fence_wait(fences[i], drm_now_ns() + 60 * SECOND_NS));
        assert_int_equal(fences[i]->error, 0);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        drm_fence_unref(fences[i]);
        close(fds[i][0]);
        close(fds[i][1]);
    }
    for (unsigned i = 0; i < 6000 && count_threads() > before; i++)
        usleep(10000);
    assert_true(count_threads() <= before);
}

/* ---- changed while used ---- */

struct scribbler {
    uint32_t *words;
    uint32_t count, magic_at;
    _Atomic bool ends;
};

static void *scribble_bytes(void *argument)
{
    struct scribbler *s = argument;
    uint32_t random = 1;
    while (!atomic_load_explicit(&s->ends, memory_order_relaxed)) {
        for (unsigned i = 0; i < 64; i++) {
            random = random * 1664525u + 1013904223u;
            uint32_t at = (random >> 8) % s->count;
            if (at % 1024 != s->magic_at) /* or nothing would be taken any more */
                __atomic_store_n(&s->words[at], random ^ random << 13, __ATOMIC_RELAXED);
        }
        sched_yield();
    }
    return NULL;
}

static void test_files_that_change_while_they_are_used(void **state)
{
    const char *asked = getenv("TUFF_TEST_SECONDS"); /* for long runs */
    const int64_t end_ns = drm_now_ns() + (asked ? atoll(asked) * SECOND_NS : SECOND_NS / 2);
    struct peer_syncobj *forged;
    struct peer_trailer *trailer;
    struct peer_resv *table;
    int fd = peer_syncobj_file(&forged), buffer = peer_dmabuf_file(PEER_PAGE_B, &trailer, &table);
    struct scribbler scribblers[2] = {{(uint32_t *)forged, PEER_SYNCOBJ_B / 4, 0, false},
                                      {(uint32_t *)table, sizeof(*table) / 4, 0, false}};
    pthread_t threads[2];
    for (unsigned i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, scribble_bytes, &scribblers[i]);
    int64_t longest_ns = 0;
    for (unsigned round = 0; drm_now_ns() < end_ns; round++) {
        int64_t begin_ns = drm_now_ns();
        struct drm_syncobj *object = NULL;
        struct drm_resv *resv = NULL;
        if (drm_syncobj_import(fd, &object) == 0)
            use_syncobj(object);
        drm_syncobj_unref(object);
        if (drm_resv_open(buffer, PEER_PAGE_B + PEER_RESV_OFFSET_B, &resv) == 0) {
            struct drm_fence *own = drm_fence_create();
            drm_resv_lock(resv);
            struct drm_fence *others = drm_resv_fence(resv, DRM_RESV_READ, NULL);
            drm_resv_add(resv, own, round & 1 ? DRM_RESV_WRITE : DRM_RESV_READ);
            drm_resv_unlock(resv);
            drm_fence_unref(others);
            drm_fence_signal(own, 0);
            drm_fence_unref(own);
        }
        drm_resv_unref(resv);
        int64_t took_ns = drm_now_ns() - begin_ns;
        longest_ns = took_ns > longest_ns ? took_ns : longest_ns;
    }
    for (unsigned i = 0; i < 2; i++) {
        atomic_store(&scribblers[i].ends, true);
        pthread_join(threads[i], NULL);
    }
    assert_true(longest_ns < 30 * SECOND_NS);
    close(fd);
    close(buffer);
}

/* ---- the host's limits ---- */

static void test_a_limit_of_file_sizes_is_an_error_and_no_signal(void **state)
{
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){PEER_PAGE_B, PEER_PAGE_B});
        struct drm_syncobj *object = drm_syncobj_create(true);
        struct drm_heap heap;
        bool good = drm_syncobj_export(object) == -EFBIG && drm_heap_open(&heap, "small", 1 << 20) == 0;
        good = good && heap.file->size_B == PEER_PAGE_B;
        drm_heap_close(&heap);
        /* Bytes beyond a limit that came later are written all the same: it is memory. */
        int fd = memfd_create("limit", MFD_CLOEXEC);
        good = good && ftruncate(fd, PEER_PAGE_B) == 0;
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
        uint32_t value = 77, seen = 0;
        good = good && drm_file_write(fd, 16, &value, 4) == 0 && pread(fd, &seen, 4, 16) == 4 && seen == 77;
        _exit(good ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    setenv("TUFF_PEER_TIMEOUT_MS", PATIENCE_MS, 1);
    log_set_level(LOG_LEVEL_ERROR);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forged_synchronisation_objects),
        cmocka_unit_test(test_a_queue_that_a_peer_has_filled_takes_our_fences),
        cmocka_unit_test(test_what_is_not_ours_is_refused),
        cmocka_unit_test(test_what_we_share_cannot_shrink),
        cmocka_unit_test(test_a_lock_that_is_kept_holds_nobody_up),
        cmocka_unit_test(test_a_fence_that_never_comes_is_given_up),
        cmocka_unit_test(test_forged_sync_files),
        cmocka_unit_test(test_one_thread_watches_all_sync_files),
        cmocka_unit_test(test_files_that_change_while_they_are_used),
        cmocka_unit_test(test_a_limit_of_file_sizes_is_an_error_and_no_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
