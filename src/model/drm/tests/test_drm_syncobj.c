/* Synchronisation objects: binary and timeline rules, waits, transfers, and life between processes. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/drm/drm_fence.h"
#include "model/drm/drm_syncobj.h"

#define FOREVER INT64_MAX
#define PATIENCE_NS 60000000000ll /* for what must come, on a loaded machine, too */

static struct drm_syncobj_table table;

static int setup(void **state)
{
    drm_syncobj_table_init(&table);
    return 0;
}

static int teardown(void **state)
{
    drm_syncobj_table_finish(&table);
    return 0;
}

static uint32_t create_syncobj(uint32_t flags)
{
    struct drm_syncobj_create args = {.flags = flags};
    assert_int_equal(drm_syncobj_create_ioctl(&table, &args), 0);
    assert_true(args.handle != 0);
    return args.handle;
}

static int wait_handles(uint32_t *handles, uint32_t count, uint32_t flags, int64_t deadline_ns, uint32_t *first)
{
    struct drm_syncobj_wait args = {
        .handles = (uintptr_t)handles, .count_handles = count, .flags = flags, .timeout_nsec = deadline_ns};
    int error = drm_syncobj_wait_ioctl(&table, &args);
    if (first)
        *first = args.first_signaled;
    return error;
}

static int wait_point(uint32_t handle, uint64_t point, uint32_t flags, int64_t deadline_ns)
{
    struct drm_syncobj_timeline_wait args = {.handles = (uintptr_t)&handle,
                                             .points = (uintptr_t)&point,
                                             .count_handles = 1,
                                             .flags = flags,
                                             .timeout_nsec = deadline_ns};
    return drm_syncobj_timeline_wait_ioctl(&table, &args);
}

static uint64_t query(uint32_t handle, uint32_t flags)
{
    uint64_t point = UINT64_MAX;
    struct drm_syncobj_timeline_array args = {
        .handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1, .flags = flags};
    assert_int_equal(drm_syncobj_query_ioctl(&table, &args), 0);
    return point;
}

static int signal_handle(uint32_t handle)
{
    struct drm_syncobj_array args = {.handles = (uintptr_t)&handle, .count_handles = 1};
    return drm_syncobj_signal_ioctl(&table, &args);
}

static int signal_point(uint32_t handle, uint64_t point)
{
    struct drm_syncobj_timeline_array args = {
        .handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1};
    return drm_syncobj_timeline_signal_ioctl(&table, &args);
}

static void add_point(uint32_t handle, struct drm_fence *fence, uint64_t point)
{
    struct drm_syncobj *object = drm_syncobj_find(&table, handle);
    assert_int_equal(point ? drm_syncobj_add_point(object, fence, point) : drm_syncobj_replace(object, fence), 0);
    drm_syncobj_unref(object);
}

static void test_arguments_are_checked(void **state)
{
    struct drm_syncobj_create bad_create = {.flags = 2};
    assert_int_equal(drm_syncobj_create_ioctl(&table, &bad_create), -EINVAL);
    struct drm_syncobj_destroy bad_destroy = {.handle = 99};
    assert_int_equal(drm_syncobj_destroy_ioctl(&table, &bad_destroy), -EINVAL);
    uint32_t handle = create_syncobj(0), missing = 77;
    struct drm_syncobj_destroy padded = {.handle = handle, .pad = 1};
    assert_int_equal(drm_syncobj_destroy_ioctl(&table, &padded), -EINVAL);
    assert_int_equal(wait_handles(&handle, 0, 0, 0, NULL), -EINVAL);
    assert_int_equal(wait_handles(&handle, 1, 8, 0, NULL), -EINVAL);
    assert_int_equal(wait_handles(&missing, 1, 0, 0, NULL), -ENOENT);
    assert_int_equal(wait_handles((uint32_t *)8, 1, 0, 0, NULL), -EFAULT);
    assert_int_equal(wait_handles(&handle, 1, 0, FOREVER, NULL), -EINVAL); /* nothing was ever submitted */
    struct drm_syncobj_array reset = {.handles = (uintptr_t)&handle, .count_handles = 0};
    assert_int_equal(drm_syncobj_reset_ioctl(&table, &reset), -EINVAL);
    struct drm_syncobj_transfer transfer = {.src_handle = handle, .dst_handle = missing};
    assert_int_equal(drm_syncobj_transfer_ioctl(&table, &transfer), -ENOENT);
    transfer = (struct drm_syncobj_transfer){.src_handle = handle, .dst_handle = handle};
    assert_int_equal(drm_syncobj_transfer_ioctl(&table, &transfer), -EINVAL);
    struct drm_syncobj_handle export = {.handle = missing};
    assert_int_equal(drm_syncobj_handle_to_fd_ioctl(&table, &export), -EINVAL);
    export.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
    assert_int_equal(drm_syncobj_handle_to_fd_ioctl(&table, &export), -ENOENT);
    export.handle = handle;
    assert_int_equal(drm_syncobj_handle_to_fd_ioctl(&table, &export), -EINVAL);
    struct drm_syncobj_handle import = {.fd = 0};
    assert_int_equal(drm_syncobj_fd_to_handle_ioctl(&table, &import), -EINVAL);
}

static void test_binary_states(void **state)
{
    uint32_t handle = create_syncobj(DRM_SYNCOBJ_CREATE_SIGNALED), first = 9;
    assert_int_equal(wait_handles(&handle, 1, 0, 0, &first), 0);
    assert_int_equal(first, 0);
    struct drm_syncobj_array reset = {.handles = (uintptr_t)&handle, .count_handles = 1};
    assert_int_equal(drm_syncobj_reset_ioctl(&table, &reset), 0);
    assert_int_equal(wait_handles(&handle, 1, 0, 0, NULL), -EINVAL);
    assert_int_equal(wait_handles(&handle, 1, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, drm_now_ns() + 1000000, NULL),
                     -ETIME);
    assert_int_equal(signal_handle(handle), 0);
    assert_int_equal(wait_handles(&handle, 1, 0, 0, NULL), 0);
    assert_int_equal(query(handle, 0), 0);
    assert_int_equal(wait_point(handle, 1, 0, 0), -EINVAL); /* a binary one has no points */
}

static void test_wait_any_and_all(void **state)
{
    uint32_t handles[3] = {create_syncobj(0), create_syncobj(0), create_syncobj(0)}, first = 9;
    struct drm_fence *fences[3];
    for (unsigned i = 0; i < 3; i++) {
        fences[i] = drm_fence_create();
        add_point(handles[i], fences[i], 0);
    }
    assert_int_equal(wait_handles(handles, 3, 0, drm_now_ns() + 1000000, &first), -ETIME);
    drm_fence_signal(fences[1], 0);
    assert_int_equal(wait_handles(handles, 3, 0, FOREVER, &first), 0);
    assert_int_equal(first, 1);
    assert_int_equal(wait_handles(handles, 3, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, drm_now_ns() + 1000000, NULL), -ETIME);
    drm_fence_signal(fences[0], 0);
    drm_fence_signal(fences[2], 0);
    assert_int_equal(wait_handles(handles, 3, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, FOREVER, NULL), 0);
    for (unsigned i = 0; i < 3; i++)
        drm_fence_unref(fences[i]);
}

static void test_timeline_advances_in_order(void **state)
{
    uint32_t handle = create_syncobj(0);
    struct drm_fence *a = drm_fence_create(), *b = drm_fence_create();
    add_point(handle, a, 10);
    add_point(handle, b, 20);
    assert_int_equal(query(handle, 0), 0);
    assert_int_equal(query(handle, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 20);
    assert_int_equal(wait_point(handle, 21, 0, 0), -EINVAL);
    assert_int_equal(wait_point(handle, 15, 0, 0), -ETIME);
    assert_int_equal(wait_point(handle, 15, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE, 0), 0);
    drm_fence_signal(b, 0); /* out of order: the point before it is not done */
    assert_int_equal(query(handle, 0), 0);
    assert_int_equal(wait_point(handle, 20, 0, 0), -ETIME);
    drm_fence_signal(a, 0);
    assert_int_equal(query(handle, 0), 20);
    assert_int_equal(wait_point(handle, 20, 0, 0), 0);
    assert_int_equal(wait_point(handle, 5, 0, 0), 0);
    assert_int_equal(signal_point(handle, 30), 0);
    assert_int_equal(query(handle, 0), 30);
    drm_fence_unref(a);
    drm_fence_unref(b);
}

static void test_transfer_moves_points(void **state)
{
    uint32_t timeline = create_syncobj(0), binary = create_syncobj(0), other = create_syncobj(0);
    struct drm_fence *fence = drm_fence_create();
    add_point(timeline, fence, 5);
    struct drm_syncobj_transfer to_binary = {.src_handle = timeline, .dst_handle = binary, .src_point = 5};
    assert_int_equal(drm_syncobj_transfer_ioctl(&table, &to_binary), 0);
    struct drm_syncobj_transfer to_timeline = {.src_handle = binary, .dst_handle = other, .dst_point = 7};
    assert_int_equal(drm_syncobj_transfer_ioctl(&table, &to_timeline), 0);
    assert_int_equal(query(other, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 7);
    assert_int_equal(wait_point(other, 7, 0, 0), -ETIME);
    drm_fence_signal(fence, 0);
    assert_int_equal(wait_point(other, 7, 0, 0), 0);
    assert_int_equal(wait_handles(&binary, 1, 0, 0, NULL), 0);
    drm_fence_unref(fence);
}

static void *signal_later(void *argument)
{
    usleep(20000);
    assert_int_equal(signal_point(*(uint32_t *)argument, 3), 0);
    return NULL;
}

static void test_waiting_for_a_submit(void **state)
{
    uint32_t handle = create_syncobj(0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, signal_later, &handle), 0);
    assert_int_equal(wait_point(handle, 3, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, FOREVER), 0);
    pthread_join(thread, NULL);
}

static void test_replaced_fence_does_not_count(void **state)
{
    uint32_t handle = create_syncobj(0);
    struct drm_fence *old = drm_fence_create(), *new = drm_fence_create();
    add_point(handle, old, 0);
    add_point(handle, new, 0);
    drm_fence_signal(old, 0);
    assert_int_equal(wait_handles(&handle, 1, 0, 0, NULL), -ETIME);
    drm_fence_signal(new, 0);
    assert_int_equal(wait_handles(&handle, 1, 0, 0, NULL), 0);
    drm_fence_unref(old);
    drm_fence_unref(new);
}

static void test_sync_files(void **state)
{
    uint32_t source = create_syncobj(0), target = create_syncobj(0);
    struct drm_fence *fence = drm_fence_create();
    add_point(source, fence, 0);
    struct drm_syncobj_handle export = {.handle = source, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    assert_int_equal(drm_syncobj_handle_to_fd_ioctl(&table, &export), 0);
    struct pollfd poll_fd = {.fd = export.fd, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 0), 0);
    struct drm_syncobj_handle import = {
        .handle = target, .fd = export.fd, .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE};
    assert_int_equal(drm_syncobj_fd_to_handle_ioctl(&table, &import), 0);
    assert_int_equal(wait_handles(&target, 1, 0, 0, NULL), -ETIME);
    import.handle = 1234;
    assert_int_equal(drm_syncobj_fd_to_handle_ioctl(&table, &import), -ENOENT);
    drm_fence_signal(fence, 0);
    assert_int_equal(poll(&poll_fd, 1, PATIENCE_NS / 1000000), 1);
    assert_int_equal(wait_handles(&target, 1, 0, drm_now_ns() + PATIENCE_NS, NULL), 0);
    close(export.fd);
    drm_fence_unref(fence);
}

/* ---- two processes ---- */

static int export_handle(uint32_t handle)
{
    struct drm_syncobj_handle export = {.handle = handle};
    assert_int_equal(drm_syncobj_handle_to_fd_ioctl(&table, &export), 0);
    return export.fd;
}

/* A child that shares nothing but the fd: it imports into a table of its own and runs `body`. */
static pid_t with_child(int fd, void (*body)(uint32_t handle))
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    alarm(90);
    drm_syncobj_table_init(&table);
    struct drm_syncobj_handle import = {.fd = fd};
    if (drm_syncobj_fd_to_handle_ioctl(&table, &import))
        _exit(3);
    body(import.handle);
    _exit(0);
}

static void child_signals(uint32_t handle)
{
    usleep(30000);
    if (signal_point(handle, 4))
        _exit(4);
}

static void test_other_process_signals(void **state)
{
    uint32_t handle = create_syncobj(0);
    int fd = export_handle(handle);
    pid_t pid = with_child(fd, child_signals);
    assert_int_equal(wait_point(handle, 4, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, drm_now_ns() + PATIENCE_NS), 0);
    assert_int_equal(query(handle, 0), 4);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(fd);
}

static void child_waits(uint32_t handle)
{
    if (wait_point(handle, 9, 0, drm_now_ns() + PATIENCE_NS))
        _exit(5);
}

static void test_other_process_waits_for_our_fence(void **state)
{
    uint32_t handle = create_syncobj(0);
    struct drm_fence *fence = drm_fence_create();
    add_point(handle, fence, 9);
    int fd = export_handle(handle);
    pid_t pid = with_child(fd, child_waits);
    usleep(50000);
    drm_fence_signal(fence, 0);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    drm_fence_unref(fence);
    close(fd);
}

static void child_dies_with_pending_work(uint32_t handle)
{
    add_point(handle, drm_fence_create(), 6);
    _exit(0);
}

static void test_work_of_a_dead_process_counts_as_done(void **state)
{
    uint32_t handle = create_syncobj(0);
    int fd = export_handle(handle);
    pid_t pid = with_child(fd, child_dies_with_pending_work);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(query(handle, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 6);
    assert_int_equal(wait_point(handle, 6, 0, drm_now_ns() + PATIENCE_NS), 0);
    close(fd);
}

static void test_importing_our_own_is_the_same_object(void **state)
{
    uint32_t handle = create_syncobj(0);
    int fd = export_handle(handle);
    struct drm_syncobj_handle import = {.fd = fd};
    assert_int_equal(drm_syncobj_fd_to_handle_ioctl(&table, &import), 0);
    assert_int_not_equal(import.handle, handle);
    assert_int_equal(signal_handle(handle), 0);
    assert_int_equal(wait_handles(&import.handle, 1, 0, 0, NULL), 0);
    close(fd);
}

/* A fence for each of many points, asked for in any order: it comes when all up to the point are done, not before, with
 * the error of one of them; what replaces them waits for none of them. */
static void test_fences_of_many_points(void **state)
{
    enum {
        COUNT = 500
    };
    uint32_t handle = create_syncobj(0);
    struct drm_syncobj *object = drm_syncobj_find(&table, handle);
    struct drm_fence *fences[COUNT], *reached[COUNT], *other = drm_fence_create(), *replacing = NULL;
    for (unsigned i = 0; i < COUNT; i++) {
        fences[i] = drm_fence_create();
        add_point(handle, fences[i], i + 1);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned point = i * 37 % COUNT;
        assert_int_equal(drm_syncobj_find_fence(object, point + 1, &reached[point]), 0);
    }
    add_point(handle, other, 0);
    assert_int_equal(drm_syncobj_find_fence(object, 0, &replacing), 0);
    unsigned first = 0; /* that is not done */
    for (unsigned n = 0; n < COUNT; n++) {
        const unsigned i = (n ^ 1) < COUNT ? n ^ 1 : n; /* each second one comes before its neighbour */
        drm_fence_signal(fences[i], i == COUNT / 2 ? -ENODATA : 0);
        while (first < COUNT && drm_fence_is_signaled(fences[first]))
            first++;
        assert_true(first == 0 || drm_fence_is_signaled(reached[first - 1]));
        assert_true(first == COUNT || !drm_fence_is_signaled(reached[first]));
    }
    for (unsigned i = 1; i < COUNT; i++)
        assert_int_equal(reached[i]->error, i < COUNT / 2 ? 0 : -ENODATA);
    assert_false(drm_fence_is_signaled(replacing));
    drm_fence_signal(other, 0);
    assert_true(drm_fence_is_signaled(replacing));
    for (unsigned i = 0; i < COUNT; i++) {
        drm_fence_unref(fences[i]);
        drm_fence_unref(reached[i]);
    }
    drm_fence_unref(other);
    drm_fence_unref(replacing);
    drm_syncobj_unref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_arguments_are_checked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_binary_states, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fences_of_many_points, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wait_any_and_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_timeline_advances_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_transfer_moves_points, setup, teardown),
        cmocka_unit_test_setup_teardown(test_waiting_for_a_submit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replaced_fence_does_not_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sync_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_process_signals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_process_waits_for_our_fence, setup, teardown),
        cmocka_unit_test_setup_teardown(test_work_of_a_dead_process_counts_as_done, setup, teardown),
        cmocka_unit_test_setup_teardown(test_importing_our_own_is_the_same_object, setup, teardown),
    };
    return cmocka_run_group_tests_name("model/drm/drm_syncobj", tests, NULL, NULL);
}
