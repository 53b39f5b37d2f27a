/* A sync file is one end of a pair of sockets. The other end is with the process whose fence it is, which sends one
 * message when the fence is signaled, how it ended and when, and closes it. The message is never taken out, so every
 * holder of the fd can look at it. A process that dies closes its end, too: its fences have ended without a message.
 *
 * A fence that has ended well when it is exported is one socket without a peer, which costs half as much; its name,
 * which nobody can change, has the time.
 *
 * Sync files of other processes are all watched by one thread, which is there while there are any. */
#include "model/drm/drm_sync_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "model/drm/drm_fence.h"
#include "model/drm/drm_peer.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"
#include "util/map.h"

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
    struct drm_fence *fence;
    int far_fd; /* the end that is ours */
    ino_t ino;  /* of the end that was handed out */
};

static pthread_mutex_t exported_lock = PTHREAD_MUTEX_INITIALIZER;
static struct map64 exported_inos; /* struct exported * */

/* The sync files of others that somebody waits for. */
struct watched {
    struct list node; /* by deadline: all are given up after the same time */
    struct drm_fence *fence;
    int fd;
    int64_t deadline_ns;
};

static struct {
    pthread_mutex_t lock;
    struct list watched;
    int epoll_fd; /* of the thread, while it runs */
    bool is_running;
} watcher = {.lock = PTHREAD_MUTEX_INITIALIZER, .watched = {&watcher.watched, &watcher.watched}, .epoll_fd = -1};

/* A child of fork would keep its parent's ends open, and with them the fences of a parent that has died; and it has no
 * thread. */
static void before_fork(void)
{
    pthread_mutex_lock(&exported_lock);
    pthread_mutex_lock(&watcher.lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&watcher.lock);
    pthread_mutex_unlock(&exported_lock);
}

static void after_fork_in_child(void)
{
    for (struct map64_slot *slot = NULL; (slot = map64_next(&exported_inos, slot));)
        close(((const struct exported *)(uintptr_t)slot->value)->far_fd);
    map64_finish(&exported_inos);
    list_foreach (&watcher.watched, struct watched, watched, node)
        close(watched->fd);
    list_init(&watcher.watched);
    if (watcher.is_running)
        close(watcher.epoll_fd);
    watcher.is_running = false;
    pthread_mutex_unlock(&watcher.lock);
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
    map64_remove(&exported_inos, exported->ino);
    map64_trim(&exported_inos);
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

/* The name of a socket for a fence that has ended: it is given once, and is no path. */
struct ended_name {
    sa_family_t family;
    char kind[14]; /* the first is 0 */
    uint64_t timestamp_ns;
    uint64_t number; /* no two are alike */
} __attribute__((packed));
static const char ended_kind[14] = "\0tuff-ended-";
_Static_assert(sizeof(struct ended_name) <= sizeof(struct sockaddr_un), "it is an address of this family");

static uint64_t number_of_name(void)
{
    static _Atomic uint64_t count;
    return (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)&count << 24 ^ atomic_fetch_add(&count, 1);
}

/* A socket that nothing will ever come to is readable for ever. Negative: the host has no such thing. */
static int export_done(void)
{
    const int mark = MARK, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    struct ended_name name = {.family = AF_UNIX, .timestamp_ns = (uint64_t)drm_now_ns(), .number = number_of_name()};
    memcpy(name.kind, ended_kind, sizeof(name.kind));
    if (setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark)) == 0 &&
        bind(fd, (const struct sockaddr *)&name, sizeof(name)) == 0 && shutdown(fd, SHUT_RDWR) == 0)
        return fd;
    close(fd);
    return -1;
}

/* When it ended; 0: it says nothing. */
static uint64_t time_of_name(int fd)
{
    struct ended_name name;
    socklen_t size_B = sizeof(name);
    const bool is_ours = getsockname(fd, (struct sockaddr *)&name, &size_B) == 0 && size_B == sizeof(name) &&
                         memcmp(name.kind, ended_kind, sizeof(name.kind)) == 0;
    return is_ours ? name.timestamp_ns : 0;
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
    pthread_mutex_lock(&exported_lock);
    const bool is_known = map64_set(&exported_inos, status.st_ino, (uintptr_t)exported);
    pthread_mutex_unlock(&exported_lock);
    if (!is_known) {
        close(fds[0]);
        close(fds[1]);
        free(exported);
        return -ENOMEM;
    }
    *exported = (struct exported){
        .callback.signaled = exported_signaled, .fence = drm_fence_ref(fence), .far_fd = fds[1], .ino = status.st_ino};
    list_init(&exported->callback.node);
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
        *timestamp_ns_out = time_of_name(fd);
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
    const uint64_t *found = map64_get(&exported_inos, status.st_ino);
    if (found)
        fence = drm_fence_ref(((const struct exported *)(uintptr_t)*found)->fence);
    pthread_mutex_unlock(&exported_lock);
    return fence;
}

/* ---- the thread ---- */

#define EVENTS_AT_ONCE 32
#define IDLE_MS 500 /* without a sync file, after which the thread ends */

/* watcher.lock is held: nobody waits for the file any more. */
static void drop_watched(struct watched *watched, struct list *ended)
{
    epoll_ctl(watcher.epoll_fd, EPOLL_CTL_DEL, watched->fd, NULL); /* the program may have the socket, too */
    list_remove(&watched->node);
    list_push_back(ended, &watched->node);
}

/* Without the lock. */
static void end_all(struct list *ended)
{
    list_foreach (ended, struct watched, watched, node) {
        uint64_t timestamp_ns;
        int32_t status = read_status(watched->fd, &timestamp_ns);
        drm_fence_signal(watched->fence, status == 0 ? -ETIMEDOUT : status < 0 ? status : 0);
        drm_fence_unref(watched->fence);
        close(watched->fd);
        free(watched);
    }
}

/* watcher.lock is held. How long to sleep; those that are late leave. */
static int look_at_time(struct list *ended)
{
    const int64_t now_ns = drm_now_ns();
    list_foreach (&watcher.watched, struct watched, watched, node) {
        if (watched->deadline_ns > now_ns)
            return (int)MIN2((watched->deadline_ns - now_ns) / 1000000 + 1, INT64_C(60000));
        drop_watched(watched, ended);
    }
    return (int)MIN2(drm_peer_patience_ns() / 1000000, (int64_t)IDLE_MS);
}

static void *watch_all(void *argument)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count = 0;
    for (bool is_idle = false;;) {
        struct list ended;
        list_init(&ended);
        pthread_mutex_lock(&watcher.lock);
        for (int i = 0; i < count; i++) {
            struct watched *watched = events[i].data.ptr;
            uint64_t timestamp_ns;
            if (read_status(watched->fd, &timestamp_ns))
                drop_watched(watched, &ended);
        }
        const int sleep_ms = look_at_time(&ended);
        const bool is_empty = list_is_empty(&watcher.watched);
        if (is_idle && is_empty) {
            close(watcher.epoll_fd);
            watcher.is_running = false;
            pthread_mutex_unlock(&watcher.lock);
            return NULL;
        }
        pthread_mutex_unlock(&watcher.lock);
        end_all(&ended);
        count = epoll_wait(watcher.epoll_fd, events, EVENTS_AT_ONCE, sleep_ms);
        is_idle = count == 0 && is_empty;
    }
}

/* watcher.lock is held. 0 or -errno. */
static int start_watcher(void)
{
    if (watcher.is_running)
        return 0;
    watcher.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (watcher.epoll_fd < 0)
        return -errno;
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, old;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    watcher.is_running = pthread_create(&thread, &attributes, watch_all, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (watcher.is_running)
        return 0;
    close(watcher.epoll_fd);
    return -ENOMEM; /* not EAGAIN: an ioctl that returns that is tried again, for ever */
}

/* watcher.lock is held. */
static int add_watched(struct watched *watched)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = watched};
    int error = start_watcher();
    if (!error && epoll_ctl(watcher.epoll_fd, EPOLL_CTL_ADD, watched->fd, &event))
        error = errno == ENOSPC ? -ENOMEM : -errno;
    if (error)
        return error;
    watched->deadline_ns = drm_now_ns() + drm_peer_patience_ns();
    list_push_back(&watcher.watched, &watched->node);
    return 0;
}

/* The fence of another process: until the other end speaks or is gone. */
static int watch_file(int fd, struct drm_fence **fence_out)
{
    struct watched *watched = calloc(1, sizeof(*watched));
    struct drm_fence *fence = drm_fence_create();
    int own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int error = !watched || !fence ? -ENOMEM : own_fd < 0 ? -errno : 0;
    if (!error) {
        *watched = (struct watched){.fence = drm_fence_ref(fence), .fd = own_fd};
        list_init(&watched->node);
        pthread_mutex_lock(&watcher.lock);
        error = add_watched(watched);
        pthread_mutex_unlock(&watcher.lock);
        if (!error) {
            *fence_out = fence;
            return 0;
        }
        drm_fence_unref(fence);
    }
    if (own_fd >= 0)
        close(own_fd);
    drm_fence_unref(fence);
    free(watched);
    return error;
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
        return watch_file(fd, fence_out);
    *fence_out = status < 0 ? drm_fence_create() : drm_fence_stub();
    if (!*fence_out)
        return -ENOMEM;
    if (status < 0)
        drm_fence_signal(*fence_out, status);
    return 0;
}

/* ---- ioctls ---- */

static int merge_files(int fd, void *argument)
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
        return merge_files(fd, argument);
    case SYNC_IOC_FILE_INFO:
        return file_info(fd, argument);
    default:
        return -ENOTTY;
    }
}
