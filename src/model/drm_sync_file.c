/* Sync files: a fence as an fd that poll understands. It is an eventfd, so it also works in another process. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "model/drm_fence.h"
#include "model/drm_syncobj.h"

/* A pending fence that this process exported: an import in the same process finds it here by the eventfd's id. */
struct exported {
    struct drm_fence_callback callback;
    struct list node;
    struct drm_fence *fence;
    int fd;
    long id; /* -1 where the kernel does not tell */
};

static pthread_mutex_t exported_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list exported_list = {&exported_list, &exported_list};

/* Linux numbers eventfds in /proc/self/fdinfo. False: not an eventfd. */
static bool eventfd_id(int fd, long *id_out)
{
    char path[64], target[64], line[128];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    if (strcmp(target, "anon_inode:[eventfd]") != 0)
        return false;
    *id_out = -1;
    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    FILE *file = fopen(path, "re");
    if (!file)
        return true;
    while (fgets(line, sizeof(line), file))
        sscanf(line, "eventfd-id: %ld", id_out);
    fclose(file);
    return true;
}

static void exported_finish(struct exported *exported)
{
    const uint64_t one = 1;
    ssize_t written = write(exported->fd, &one, sizeof(one));
    (void)written; /* it can only fail when it is readable already */
    pthread_mutex_lock(&exported_lock);
    list_remove(&exported->node);
    pthread_mutex_unlock(&exported_lock);
    close(exported->fd);
    drm_fence_unref(exported->fence);
    free(exported);
}

static void exported_signaled(struct drm_fence_callback *callback, struct drm_fence *fence)
{
    exported_finish(container_of(callback, struct exported, callback));
}

int drm_sync_file_export(struct drm_fence *fence)
{
    bool done = drm_fence_is_signaled(fence);
    int fd = eventfd(done, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (done)
        return fd;
    struct exported *exported = calloc(1, sizeof(*exported));
    int own_fd = exported ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (own_fd < 0) {
        int error = exported ? -errno : -ENOMEM;
        free(exported);
        close(fd);
        return error;
    }
    *exported = (struct exported){.callback.signaled = exported_signaled, .fence = drm_fence_ref(fence), .fd = own_fd};
    list_init(&exported->callback.node);
    eventfd_id(fd, &exported->id);
    pthread_mutex_lock(&exported_lock);
    list_push_back(&exported_list, &exported->node);
    pthread_mutex_unlock(&exported_lock);
    if (!drm_fence_add_callback(fence, &exported->callback))
        exported_finish(exported);
    return fd;
}

static struct drm_fence *find_exported(long id)
{
    struct drm_fence *fence = NULL;
    pthread_mutex_lock(&exported_lock);
    list_foreach(&exported_list, struct exported, exported, node)
    {
        if (id >= 0 && exported->id == id)
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
    while (poll(&poll_fd, 1, -1) < 0 && errno == EINTR)
        ;
    drm_fence_signal(watched->fence, 0);
    drm_fence_unref(watched->fence);
    close(watched->fd);
    free(watched);
    return NULL;
}

/* The fence of another process: a small thread waits until the eventfd is readable. */
static int watch_eventfd(int fd, struct drm_fence **fence_out)
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
        error = -pthread_create(&thread, &attributes, poll_main, watched);
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
    long id;
    if (!eventfd_id(fd, &id))
        return -EINVAL;
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    if (poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & POLLIN) {
        *fence_out = drm_fence_stub();
        return 0;
    }
    *fence_out = find_exported(id);
    return *fence_out ? 0 : watch_eventfd(fd, fence_out);
}
