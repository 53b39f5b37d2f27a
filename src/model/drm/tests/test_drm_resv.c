/* The fences of a shared buffer, in one process and between several; and sync files, which go in and out of them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/dma_buf.h"
#include "model/drm/drm_fence.h"
#include "model/drm/drm_resv.h"
#include "model/drm/drm_sync_file.h"

#define TABLE_B 1024
#define SECOND_NS 1000000000ll

static int file = -1;
static struct drm_resv *resv;

static int setup(void **state)
{
    alarm(120);
    file = memfd_create("buffer", MFD_CLOEXEC);
    assert_int_equal(ftruncate(file, 4096), 0);
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    drm_resv_table_init(page + TABLE_B);
    munmap(page, 4096);
    return drm_resv_open(file, TABLE_B, &resv);
}

static int teardown(void **state)
{
    drm_resv_unref(resv);
    close(file);
    return 0;
}

static bool is_free_for(enum drm_resv_usage up_to, const void *owner)
{
    struct drm_fence *fence = drm_resv_fence(resv, up_to, owner);
    assert_non_null(fence);
    bool free_now = drm_fence_is_signaled(fence);
    drm_fence_unref(fence);
    return free_now;
}

/* Before the deadline: a thread has to hear of another process. */
static bool becomes_free(enum drm_resv_usage up_to)
{
    struct drm_fence *fence = drm_resv_fence(resv, up_to, NULL);
    assert_non_null(fence);
    bool in_time = drm_fence_wait(fence, drm_now_ns() + 60 * SECOND_NS);
    drm_fence_unref(fence);
    return in_time;
}

static struct drm_fence *add_fence(enum drm_resv_usage usage, const void *owner)
{
    struct drm_fence *fence = drm_fence_create();
    fence->owner = owner;
    assert_int_equal(drm_resv_add(resv, fence, usage), 0);
    return fence;
}

static void finish_fence(struct drm_fence *fence, int error)
{
    drm_fence_signal(fence, error);
    drm_fence_unref(fence);
}

static void test_a_reader_waits_for_writers_and_a_writer_for_all(void **state)
{
    assert_true(is_free_for(DRM_RESV_READ, NULL));
    struct drm_fence *reads = add_fence(DRM_RESV_READ, NULL);
    assert_true(is_free_for(DRM_RESV_WRITE, NULL));
    assert_false(is_free_for(DRM_RESV_READ, NULL));
    struct drm_fence *writes = add_fence(DRM_RESV_WRITE, NULL);
    assert_false(is_free_for(DRM_RESV_WRITE, NULL));
    finish_fence(reads, 0);
    assert_false(is_free_for(DRM_RESV_READ, NULL));
    finish_fence(writes, -ECANCELED);
    assert_true(is_free_for(DRM_RESV_READ, NULL));
}

static void test_nobody_waits_for_its_own(void **state)
{
    int a = 0, b = 0;
    struct drm_fence *fence = add_fence(DRM_RESV_WRITE, &a);
    assert_true(is_free_for(DRM_RESV_READ, &a));
    assert_false(is_free_for(DRM_RESV_READ, &b));
    assert_false(is_free_for(DRM_RESV_READ, NULL));
    finish_fence(fence, 0);
    struct drm_fence *done = drm_fence_create();
    drm_fence_signal(done, 0);
    assert_int_equal(drm_resv_add(resv, done, DRM_RESV_WRITE), 0);
    assert_true(is_free_for(DRM_RESV_READ, &b));
    drm_fence_unref(done);
}

static void test_the_object_of_a_file_is_one(void **state)
{
    struct drm_resv *again = NULL;
    int copy = fcntl(file, F_DUPFD_CLOEXEC, 0), other = memfd_create("other", MFD_CLOEXEC);
    assert_int_equal(drm_resv_open(copy, TABLE_B, &again), 0);
    assert_ptr_equal(again, resv);
    drm_resv_unref(again);
    again = drm_resv_find(copy);
    assert_ptr_equal(again, resv);
    drm_resv_unref(again);
    assert_null(drm_resv_find(other));
    assert_null(drm_resv_find(-1));
    assert_int_equal(ftruncate(other, 4096), 0);
    assert_int_equal(drm_resv_open(other, TABLE_B, &again), -EINVAL); /* no table is there */
    assert_int_equal(drm_resv_open(-1, TABLE_B, &again), -EBADF);
    close(copy);
    close(other);
}

/* ---- between processes ---- */

/* A child that has the file alone. It runs `body` and then stays until it gets a message or is killed. */
struct child {
    pid_t pid;
    int to, from;
};

static struct child start_child(void (*body)(int from, int to))
{
    int down[2], up[2];
    assert_int_equal(pipe(down), 0);
    assert_int_equal(pipe(up), 0);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(100);
        close(down[1]);
        close(up[0]);
        if (drm_resv_open(file, TABLE_B, &resv))
            _exit(3);
        body(down[0], up[1]);
        _exit(0);
    }
    close(down[0]);
    close(up[1]);
    return (struct child){.pid = pid, .to = down[1], .from = up[0]};
}

static void tell_peer(int fd)
{
    assert_int_equal(write(fd, "x", 1), 1);
}

static bool hear_peer(int fd)
{
    char byte;
    return read(fd, &byte, 1) == 1;
}

static void join_child(struct child *child, int expected)
{
    int status;
    close(child->to);
    close(child->from);
    assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
    assert_int_equal(status, expected);
}

static void child_writes(int from, int to)
{
    struct drm_fence *first = add_fence(DRM_RESV_WRITE, NULL), *second = add_fence(DRM_RESV_WRITE, NULL);
    tell_peer(to);
    hear_peer(from);
    finish_fence(second, 0); /* out of order: a waiter for both goes on waiting */
    tell_peer(to);
    hear_peer(from);
    finish_fence(first, 0);
    struct drm_fence *read = add_fence(DRM_RESV_READ, NULL);
    tell_peer(to);
    hear_peer(from);
    finish_fence(read, 0);
}

static void test_fences_of_another_process(void **state)
{
    struct child child = start_child(child_writes);
    assert_true(hear_peer(child.from));
    struct drm_fence *both = drm_resv_fence(resv, DRM_RESV_WRITE, NULL);
    assert_false(drm_fence_wait(both, drm_now_ns() + 30000000));
    tell_peer(child.to);
    assert_true(hear_peer(child.from));
    assert_false(drm_fence_wait(both, drm_now_ns() + 30000000));
    tell_peer(child.to);
    assert_true(hear_peer(child.from));
    assert_true(drm_fence_wait(both, drm_now_ns() + 60 * SECOND_NS));
    drm_fence_unref(both);
    assert_true(is_free_for(DRM_RESV_WRITE, NULL));
    assert_false(is_free_for(DRM_RESV_READ, NULL));
    tell_peer(child.to);
    assert_true(becomes_free(DRM_RESV_READ));
    join_child(&child, 0);
}

static void child_waits(int from, int to)
{
    if (is_free_for(DRM_RESV_WRITE, NULL))
        _exit(4);
    tell_peer(to);
    if (!becomes_free(DRM_RESV_WRITE))
        _exit(5);
}

static void test_another_process_waits_for_ours(void **state)
{
    struct drm_fence *fence = add_fence(DRM_RESV_WRITE, NULL);
    struct child child = start_child(child_waits);
    assert_true(hear_peer(child.from));
    usleep(20000);
    finish_fence(fence, 0);
    join_child(&child, 0);
}

static void child_leaves_work(int from, int to)
{
    add_fence(DRM_RESV_WRITE, NULL);
    add_fence(DRM_RESV_READ, NULL);
    drm_resv_lock(resv); /* and dies inside a submission */
    tell_peer(to);
    hear_peer(from);
}

static void test_a_dead_process_holds_nobody_up(void **state)
{
    struct child child = start_child(child_leaves_work);
    assert_true(hear_peer(child.from));
    struct drm_fence *waiting = drm_resv_fence(resv, DRM_RESV_READ, NULL);
    assert_false(drm_fence_wait(waiting, drm_now_ns() + 30000000));
    kill(child.pid, SIGKILL);
    assert_true(drm_fence_wait(waiting, drm_now_ns() + 60 * SECOND_NS));
    drm_fence_unref(waiting);
    join_child(&child, SIGKILL);
    assert_true(is_free_for(DRM_RESV_READ, NULL));
    drm_resv_lock(resv);
    drm_resv_unlock(resv);
}

/* Owners that have died leave their slots to others; there are more of them here than there are slots. */
static void test_slots_of_the_dead_are_used_again(void **state)
{
    for (unsigned i = 0; i < 80; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            if (drm_resv_open(file, TABLE_B, &resv))
                _exit(3);
            add_fence(DRM_RESV_WRITE, NULL);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    assert_true(is_free_for(DRM_RESV_READ, NULL));
    struct drm_fence *fence = add_fence(DRM_RESV_WRITE, NULL);
    assert_false(is_free_for(DRM_RESV_READ, NULL));
    finish_fence(fence, 0);
}

/* ---- sync files ---- */

static bool is_readable(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    return poll(&poll_fd, 1, 0) == 1;
}

static int info_status(int fd)
{
    struct sync_fence_info fence = {0};
    struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)&fence};
    assert_int_equal(drm_sync_file_ioctl(fd, SYNC_IOC_FILE_INFO, &info), 0);
    assert_int_equal(info.num_fences, 1);
    assert_int_equal(fence.status, info.status);
    assert_int_equal(fence.timestamp_ns != 0, info.status != 0 && info.status != -ECANCELED);
    return info.status;
}

static void test_sync_files_tell_how_it_ended(void **state)
{
    struct drm_fence *good = drm_fence_create(), *bad = drm_fence_create();
    int good_fd = drm_sync_file_export(good), bad_fd = drm_sync_file_export(bad);
    assert_int_equal(info_status(good_fd), 0);
    assert_false(is_readable(good_fd));
    finish_fence(good, 0);
    finish_fence(bad, -ENODATA);
    assert_true(is_readable(good_fd));
    assert_int_equal(info_status(good_fd), 1);
    assert_int_equal(info_status(bad_fd), -ENODATA);
    struct drm_fence *imported = NULL;
    assert_int_equal(drm_sync_file_import(bad_fd, &imported), 0);
    assert_true(drm_fence_is_signaled(imported));
    assert_int_equal(imported->error, -ENODATA);
    drm_fence_unref(imported);
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    struct sync_file_info info = {0};
    assert_int_equal(drm_sync_file_ioctl(pair[0], SYNC_IOC_FILE_INFO, &info), -ENOTTY);
    assert_int_equal(drm_sync_file_ioctl(file, SYNC_IOC_FILE_INFO, &info), -ENOTTY);
    assert_int_equal(drm_sync_file_import(pair[0], &imported), -EINVAL);
    info.flags = 1;
    assert_int_equal(drm_sync_file_ioctl(good_fd, SYNC_IOC_FILE_INFO, &info), -EINVAL);
    assert_int_equal(drm_sync_file_ioctl(good_fd, SYNC_IOC_FILE_INFO, NULL), -EFAULT);
    assert_int_equal(drm_sync_file_ioctl(good_fd, DMA_BUF_IOCTL_SYNC, NULL), -ENOTTY);
    close(pair[0]);
    close(pair[1]);
    close(good_fd);
    close(bad_fd);
}

static uint64_t info_time_ns(int fd)
{
    struct sync_fence_info fence = {0};
    struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)&fence};
    assert_int_equal(drm_sync_file_ioctl(fd, SYNC_IOC_FILE_INFO, &info), 0);
    return fence.timestamp_ns;
}

/* Of a fence that has ended before: as any other, and nothing can be taken out of it. */
static void test_sync_files_of_what_has_ended(void **state)
{
    struct drm_fence *good = drm_fence_create(), *bad = drm_fence_create(), *imported = NULL;
    drm_fence_signal(good, 0);
    drm_fence_signal(bad, -ENODATA);
    const int good_fd = drm_sync_file_export(good), bad_fd = drm_sync_file_export(bad), epoll_fd = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    uint8_t byte;
    assert_true(recv(good_fd, &byte, 1, MSG_DONTWAIT) <= 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(is_readable(good_fd));
        assert_int_equal(info_status(good_fd), 1);
        assert_int_equal(drm_sync_file_import(good_fd, &imported), 0);
        assert_true(drm_fence_is_signaled(imported));
        assert_int_equal(imported->error, 0);
        drm_fence_unref(imported);
    }
    assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, good_fd, &event), 0);
    assert_int_equal(epoll_wait(epoll_fd, &event, 1, 0), 1);
    assert_true(event.events & EPOLLIN);
    assert_true(is_readable(bad_fd));
    assert_int_equal(info_status(bad_fd), -ENODATA);
    /* When it ended is for nobody to change who has it. */
    const uint64_t time_ns = info_time_ns(good_fd), other_ns = 1;
    assert_true(time_ns > 0 && time_ns <= (uint64_t)drm_now_ns());
    setsockopt(good_fd, SOL_SOCKET, SO_MAX_PACING_RATE, &other_ns, sizeof(other_ns));
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0other"};
    assert_int_equal(bind(good_fd, (struct sockaddr *)&name, sizeof(name)), -1);
    assert_int_equal(info_time_ns(good_fd), time_ns);
    close(epoll_fd);
    close(good_fd);
    close(bad_fd);
    drm_fence_unref(good);
    drm_fence_unref(bad);
}

static void test_merge(void **state)
{
    struct drm_fence *a = drm_fence_create(), *b = drm_fence_create();
    int a_fd = drm_sync_file_export(a), b_fd = drm_sync_file_export(b);
    struct sync_merge_data merge = {.name = "both", .fd2 = b_fd};
    assert_int_equal(drm_sync_file_ioctl(a_fd, SYNC_IOC_MERGE, &merge), 0);
    assert_true(fcntl(merge.fence, F_GETFD) & FD_CLOEXEC);
    finish_fence(b, 0);
    assert_false(is_readable(merge.fence));
    finish_fence(a, 0);
    assert_true(is_readable(merge.fence));
    assert_int_equal(info_status(merge.fence), 1);
    close(merge.fence);
    merge.fd2 = file;
    assert_int_equal(drm_sync_file_ioctl(a_fd, SYNC_IOC_MERGE, &merge), -ENOENT);
    merge.fd2 = b_fd;
    merge.flags = 1;
    assert_int_equal(drm_sync_file_ioctl(a_fd, SYNC_IOC_MERGE, &merge), -EINVAL);
    close(a_fd);
    close(b_fd);
}

/* The fd comes from another process, which then dies. */
static void test_a_sync_file_of_a_dead_process(void **state)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    char control[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
    struct iovec iov = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    pid_t pid = fork();
    if (pid == 0) {
        struct drm_fence *fence = drm_fence_create();
        int fd = drm_sync_file_export(fence);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(fd));
        memcpy(CMSG_DATA(header), &fd, sizeof(fd));
        sendmsg(pair[1], &message, 0);
        pause();
        _exit(1);
    }
    assert_int_equal(recvmsg(pair[0], &message, 0), 1);
    int fd;
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
    struct drm_fence *fence = NULL;
    assert_int_equal(drm_sync_file_import(fd, &fence), 0);
    assert_false(drm_fence_wait(fence, drm_now_ns() + 30000000));
    assert_int_equal(info_status(fd), 0);
    kill(pid, SIGKILL);
    assert_true(drm_fence_wait(fence, drm_now_ns() + 60 * SECOND_NS));
    assert_int_equal(fence->error, -ECANCELED);
    assert_int_equal(info_status(fd), -ECANCELED);
    drm_fence_unref(fence);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(fd);
    close(pair[0]);
    close(pair[1]);
}

static int export_uses(uint32_t flags)
{
    struct dma_buf_export_sync_file ask = {.flags = flags, .fd = -1};
    int error = drm_resv_ioctl(resv, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &ask);
    return error ? error : ask.fd;
}

static void test_sync_files_go_in_and_out(void **state)
{
    struct drm_fence *fence = drm_fence_create();
    struct dma_buf_import_sync_file give = {.flags = DMA_BUF_SYNC_READ, .fd = drm_sync_file_export(fence)};
    assert_int_equal(drm_resv_ioctl(resv, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &give), 0);
    int for_reading = export_uses(DMA_BUF_SYNC_READ), for_writing = export_uses(DMA_BUF_SYNC_RW);
    assert_true(is_readable(for_reading));
    assert_false(is_readable(for_writing));
    struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ};
    assert_int_equal(drm_resv_ioctl(resv, DMA_BUF_IOCTL_SYNC, &sync), 0); /* does not wait */
    finish_fence(fence, 0);
    assert_true(is_readable(for_writing));
    sync.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW;
    assert_int_equal(drm_resv_ioctl(resv, DMA_BUF_IOCTL_SYNC, &sync), 0);
    sync.flags = DMA_BUF_SYNC_END;
    assert_int_equal(drm_resv_ioctl(resv, DMA_BUF_IOCTL_SYNC, &sync), -EINVAL);
    sync.flags = 8 | DMA_BUF_SYNC_READ;
    assert_int_equal(drm_resv_ioctl(resv, DMA_BUF_IOCTL_SYNC, &sync), -EINVAL);
    assert_int_equal(export_uses(0), -EINVAL);
    assert_int_equal(export_uses(DMA_BUF_SYNC_END), -EINVAL);
    close(give.fd);
    give.flags = 0;
    assert_int_equal(drm_resv_ioctl(resv, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &give), -EINVAL);
    give = (struct dma_buf_import_sync_file){.flags = DMA_BUF_SYNC_RW, .fd = file};
    assert_int_equal(drm_resv_ioctl(resv, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &give), -EINVAL);
    assert_int_equal(drm_resv_ioctl(resv, SYNC_IOC_MERGE, &give), -ENOTTY);
    close(for_reading);
    close(for_writing);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_reader_waits_for_writers_and_a_writer_for_all),
        TEST(nobody_waits_for_its_own),
        TEST(the_object_of_a_file_is_one),
        TEST(fences_of_another_process),
        TEST(another_process_waits_for_ours),
        TEST(a_dead_process_holds_nobody_up),
        TEST(slots_of_the_dead_are_used_again),
        TEST(sync_files_tell_how_it_ended),
        TEST(sync_files_of_what_has_ended),
        TEST(merge),
        TEST(a_sync_file_of_a_dead_process),
        TEST(sync_files_go_in_and_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
