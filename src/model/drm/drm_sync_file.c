/* A sync file is one end of a pair of sockets. The other end is with the process whose fence it is, which sends one
 * message when the fence is signaled, how it ended and when, and closes it. The message is never taken out, so every
 * holder of the fd can look at it. A process that dies closes its end, too: its fences have ended without a message.
 *
 * A fence that has ended well when it is exported is one socket without a peer, which costs half as much. */
#include "model/drm/drm_sync_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/drm/drm_fence.h"
#include "model/drm/drm_peer.h"
#include "model/drm/drm_user.h"

/* How a sync file is told from other sockets: by its low-water mark, which means nothing for packets. */
#define MARK 0x59464654 /* "TFFY" */

struct ending {
    int32_t status; /* as the kernel reports it: 1, or a negative error */
    uint32_t pad;
    uint64_t timestamp_ns;
};

/* A pending fence that this process exported: an import in the same process finds it here. */
struct exported {
    struct drm_fence_callback callback;
    struct list node;
    struct drm_fence *fence;
    int far_fd; /* the end that is ours */
    ino_t ino;  /* of the end that was handed out */
};

static pthread_mutex_t exported_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list exported_list = {&exported_list, &exported_list};

/* A child of fork would keep its parent's ends open, and with them the fences of a parent that has died. */
static void before_fork(void)
{
    pthread_mutex_lock(&exported_lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&exported_lock);
}

static void after_fork_in_child(void)
{
    list_foreach (&exported_list, struct exported, exported, node) {
        close(exported->far_fd);
        list_remove(&exported->node);
    }
    pthread_mutex_unlock(&exported_lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static bool is_sync_file(int fd)
{
    int mark = 0;
    socklen_t size_B = sizeof(mark);
    return getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, &size_B) == 0 && mark == MARK;
}

/* ---- out ---- */

static void tell_ending(int fd, int error)
{
    struct ending ending = {.status = error ? error : 1, .timestamp_ns = (uint64_t)drm_now_ns()};
    ssize_t sent = send(fd, &ending, sizeof(ending), MSG_NOSIGNAL);
    (void)sent; /* it fails only when the other end is closed everywhere */
}

static void exported_finish(struct exported *exported)
{
    tell_ending(exported->far_fd, exported->fence->error);
    pthread_mutex_lock(&exported_lock);
    list_remove(&exported->node);
    close(exported->far_fd);
    pthread_mutex_unlock(&exported_lock);
    drm_fence_unref(exported->fence);
    free(exported);
}

static void exported_signaled(struct drm_fence_callback *callback, struct drm_fence *fence)
{
    exported_finish(container_of(callback, struct exported, callback));
}

static int create_pair(int fds_out[2])
{
    const int mark = MARK;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds_out))
        return -errno;
    if (setsockopt(fds_out[0], SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark)) == 0)
        return 0;
    int error = -errno;
    close(fds_out[0]);
    close(fds_out[1]);
    return error;
}

/* A socket that nothing will ever come to is readable for ever. A number of its own that means nothing for it has the
 * time. Negative: the host has no such thing. */
static int export_done(void)
{
    const int mark = MARK, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const uint64_t timestamp_ns = (uint64_t)drm_now_ns();
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark)) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &timestamp_ns, sizeof(timestamp_ns)) == 0 &&
        shutdown(fd, SHUT_RDWR) == 0)
        return fd;
    close(fd);
    return -1;
}

int drm_sync_file_export(struct drm_fence *fence)
{
    int fds[2];
    const int done = drm_fence_is_signaled(fence) && !fence->error ? export_done() : -1;
    if (done >= 0)
        return done;
    int error = create_pair(fds);
    if (error)
        return error;
    if (drm_fence_is_signaled(fence)) {
        tell_ending(fds[1], fence->error);
        close(fds[1]);
        return fds[0];
    }
    struct exported *exported = calloc(1, sizeof(*exported));
    if (!exported) {
        close(fds[0]);
        close(fds[1]);
        return -ENOMEM;
    }
    struct stat status = {0};
    fstat(fds[0], &status);
    *exported = (struct exported){
        .callback.signaled = exported_signaled, .fence = drm_fence_ref(fence), .far_fd = fds[1], .ino = status.st_ino};
    list_init(&exported->callback.node);
    pthread_mutex_lock(&exported_lock);
    list_push_back(&exported_list, &exported->node);
    pthread_mutex_unlock(&exported_lock);
    if (!drm_fence_add_callback(fence, &exported->callback))
        exported_finish(exported);
    return fds[0];
}

/* ---- in ---- */

/* 0: pending; otherwise the kernel's status and, where it is known, the time. */
static int32_t read_status(int fd, uint64_t *timestamp_ns_out)
{
    struct ending ending;
    ssize_t length = recv(fd, &ending, sizeof(ending), MSG_PEEK | MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (length < 0 && errno == ENOTCONN) {
        socklen_t size_B = sizeof(*timestamp_ns_out);
        if (getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, timestamp_ns_out, &size_B) || size_B != sizeof(uint64_t))
            *timestamp_ns_out = 0;
        return 1;
    }
    *timestamp_ns_out = length == sizeof(ending) ? ending.timestamp_ns : 0;
    if (length != sizeof(ending) || !ending.status)
        return -ECANCELED;
    return ending.status > 0 ? 1 : drm_peer_error(ending.status);
}

static struct drm_fence *find_exported(int fd)
{
    struct stat status;
    struct drm_fence *fence = NULL;
    if (fstat(fd, &status))
        return NULL;
    pthread_mutex_lock(&exported_lock);
    list_foreach (&exported_list, struct exported, exported, node) {
        if (exported->ino == status.st_ino)
            fence = drm_fence_ref(exported->fence);
    }
    pthread_mutex_unlock(&exported_lock);
    return fence;
}

struct watched {
    struct drm_fence *fence;
    int fd;
};

static void *poll_main(void *argument)
{
    struct watched *watched = argument;
    struct pollfd poll_fd = {.fd = watched->fd, .events = POLLIN};
    uint64_t timestamp_ns;
    int32_t status;
    const int64_t deadline_ns = drm_now_ns() + drm_peer_patience_ns();
    while ((status = read_status(watched->fd, &timestamp_ns)) == 0) {
        int64_t left_ns = deadline_ns - drm_now_ns();
        if (left_ns <= 0) {
            status = -ETIMEDOUT;
            break;
        }
        poll(&poll_fd, 1, (int)(left_ns / 1000000) + 1);
    }
    drm_fence_signal(watched->fence, status < 0 ? status : 0);
    drm_fence_unref(watched->fence);
    close(watched->fd);
    free(watched);
    return NULL;
}

/* The fence of another process: a small thread waits until the other end speaks or is gone. */
static int watch(int fd, struct drm_fence **fence_out)
{
    struct watched *watched = calloc(1, sizeof(*watched));
    struct drm_fence *fence = drm_fence_create();
    int own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int error = !watched || !fence ? -ENOMEM : own_fd < 0 ? -errno : 0;
    if (!error) {
        *watched = (struct watched){.fence = drm_fence_ref(fence), .fd = own_fd};
        pthread_t thread;
        pthread_attr_t attributes;
        sigset_t all, old;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        /* Not EAGAIN: an ioctl that returns that is tried again, for ever. */
        error = pthread_create(&thread, &attributes, poll_main, watched) ? -ENOMEM : 0;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        pthread_attr_destroy(&attributes);
        if (error)
            drm_fence_unref(fence);
    }
    if (error) {
        if (own_fd >= 0)
            close(own_fd);
        drm_fence_unref(fence);
        free(watched);
        return error;
    }
    *fence_out = fence;
    return 0;
}

int drm_sync_file_import(int fd, struct drm_fence **fence_out)
{
    if (!is_sync_file(fd))
        return -EINVAL;
    uint64_t timestamp_ns;
    int32_t status = read_status(fd, &timestamp_ns);
    *fence_out = status > 0 ? NULL : find_exported(fd); /* the fence itself, whose it is included */
    if (*fence_out)
        return 0;
    if (status == 0) /* it may have ended meanwhile, and is not there any more */
        status = read_status(fd, &timestamp_ns);
    if (status == 0)
        return watch(fd, fence_out);
    *fence_out = status < 0 ? drm_fence_create() : drm_fence_stub();
    if (!*fence_out)
        return -ENOMEM;
    if (status < 0)
        drm_fence_signal(*fence_out, status);
    return 0;
}

/* ---- ioctls ---- */

static int merge(int fd, void *argument)
{
    struct sync_merge_data args;
    int error = drm_copy_from_user(&args, (uintptr_t)argument, sizeof(args));
    if (error)
        return error;
    if (args.flags || args.pad)
        return -EINVAL;
    struct drm_fence *fences[2] = {0}, *both = NULL;
    if (drm_sync_file_import(args.fd2, &fences[1]) == -EINVAL)
        return -ENOENT;
    error = fences[1] ? drm_sync_file_import(fd, &fences[0]) : -ENOMEM;
    if (!error)
        both = drm_fence_all(fences, 2);
    int merged = error ? error : both ? drm_sync_file_export(both) : -ENOMEM;
    drm_fence_unref(fences[0]);
    drm_fence_unref(fences[1]);
    drm_fence_unref(both);
    if (merged < 0)
        return merged;
    args.fence = merged;
    error = drm_copy_to_user((uintptr_t)argument, &args, sizeof(args));
    if (error)
        close(merged);
    return error;
}

static int file_info(int fd, void *argument)
{
    struct sync_file_info args;
    int error = drm_copy_from_user(&args, (uintptr_t)argument, sizeof(args));
    if (error)
        return error;
    if (args.flags || args.pad)
        return -EINVAL;
    uint64_t timestamp_ns = 0;
    int32_t status = read_status(fd, &timestamp_ns);
    if (args.num_fences) { /* room for them; without it, only their number is asked for */
        struct sync_fence_info fence = {
            .obj_name = "tuff", .driver_name = "tuff", .status = status, .timestamp_ns = timestamp_ns};
        error = drm_copy_to_user(args.sync_fence_info, &fence, sizeof(fence));
    }
    args.status = status;
    args.num_fences = 1;
    snprintf(args.name, sizeof(args.name), "tuff");
    return error ? error : drm_copy_to_user((uintptr_t)argument, &args, sizeof(args));
}

int drm_sync_file_ioctl(int fd, unsigned long request, void *argument)
{
    if (!is_sync_file(fd))
        return -ENOTTY;
    switch (request) {
    case SYNC_IOC_MERGE:
        return merge(fd, argument);
    case SYNC_IOC_FILE_INFO:
        return file_info(fd, argument);
    default:
        return -ENOTTY;
    }
}
