/* Interposers of poll. The model's files are memfds, which the system finds ready at all times; but a node without a
 * display never is, and a buffer is readable when all writes to it are done, writable when all work on it is done. For
 * a buffer the sync files of that work are polled in its place. select is not interposed, nor is epoll, which refuses
 * memfds. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kernel/dma_buf.h"
#include "shim/shim.h"

/* The system's view of an array of fds: each of ours is left out, and what is polled instead is appended. */
struct view {
    struct pollfd *fds; /* NULL: the array itself, none of ours is in it */
    nfds_t count;
    nfds_t *of; /* for each added entry: which of the caller's entries it stands for */
};

static bool is_regular(int fd)
{
    struct stat status;
    shim_inside++;
    bool regular = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    shim_inside--;
    return regular;
}

static int export_sync_file(int fd, uint32_t flags)
{
    struct dma_buf_export_sync_file ask = {.flags = flags, .fd = -1};
    shim_inside++;
    int error = shim_model->fd_ioctl(fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &ask);
    shim_inside--;
    return error ? -1 : ask.fd;
}

static bool is_node(int fd)
{
    struct shim_file *file = shim_get_file(fd);
    shim_put_file(file);
    return file != NULL;
}

static bool begin_view(struct view *view, const struct pollfd *fds, nfds_t count)
{
    view->fds = malloc(3 * count * sizeof(*view->fds));
    view->of = malloc(2 * count * sizeof(*view->of));
    view->count = count;
    if (view->fds && view->of) {
        memcpy(view->fds, fds, count * sizeof(*fds));
        return true;
    }
    free(view->fds);
    free(view->of);
    view->fds = NULL;
    return false;
}

/* Without memory, the system's own answer is returned. */
static struct view view_of(const struct pollfd *fds, nfds_t count)
{
    struct view view = {.count = count};
    for (nfds_t i = 0; i < count && !shim_inside && shim_device; i++) {
        if (!is_regular(fds[i].fd))
            continue;
        bool node = is_node(fds[i].fd);
        uint64_t size_B;
        shim_inside++;
        bool buffer = !node && shim_model->dmabuf_size(fds[i].fd, &size_B) == 0;
        shim_inside--;
        if ((!node && !buffer) || (!view.fds && !begin_view(&view, fds, count)))
            continue;
        view.fds[i].fd = -1;
        static const struct {
            short event;
            uint32_t flags;
        } kinds[] = {{POLLIN, DMA_BUF_SYNC_READ}, {POLLOUT, DMA_BUF_SYNC_WRITE}};
        for (unsigned kind = 0; kind < 2 && buffer; kind++) {
            if (!(fds[i].events & kinds[kind].event))
                continue;
            view.of[view.count - count] = i;
            view.fds[view.count++] = (struct pollfd){.fd = export_sync_file(fds[i].fd, kinds[kind].flags),
                                                     .events = POLLIN | kinds[kind].event};
        }
    }
    return view;
}

/* How many of the caller's fds have events. */
static int end_view(struct view *view, struct pollfd *fds, nfds_t count, int result)
{
    if (!view->fds)
        return result;
    const int saved = errno;
    for (nfds_t i = 0; i < count; i++)
        fds[i].revents = view->fds[i].fd < 0 ? 0 : view->fds[i].revents;
    for (nfds_t i = count; i < view->count; i++) {
        const struct pollfd *added = &view->fds[i];
        if (added->revents & (POLLIN | POLLHUP))
            fds[view->of[i - count]].revents |= added->events & POLLOUT ? POLLOUT : POLLIN;
        if (added->fd >= 0)
            close(added->fd);
    }
    free(view->fds);
    free(view->of);
    int ready = 0;
    for (nfds_t i = 0; i < count; i++)
        ready += fds[i].revents != 0;
    errno = saved;
    return result < 0 ? result : ready;
}

SHIM_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    struct view view = view_of(fds, count);
    int result = NEXT(int (*)(struct pollfd *, nfds_t, int), poll)(view.fds ? view.fds : fds, view.count, timeout_ms);
    return end_view(&view, fds, count, result);
}

SHIM_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    struct view view = view_of(fds, count);
    int result = NEXT(int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *),
                      ppoll)(view.fds ? view.fds : fds, view.count, timeout, mask);
    return end_view(&view, fds, count, result);
}

/* The two under the names of programs that are built with checks of sizes (_FORTIFY_SOURCE). */
SHIM_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size_B)
{
    return count > size_B / sizeof(*fds)
               ? NEXT(int (*)(struct pollfd *, nfds_t, int, size_t), __poll_chk)(fds, count, timeout_ms, size_B)
               : poll(fds, count, timeout_ms);
}

SHIM_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
                            size_t size_B)
{
    return count > size_B / sizeof(*fds)
               ? NEXT(int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t),
                      __ppoll_chk)(fds, count, timeout, mask, size_B)
               : ppoll(fds, count, timeout, mask);
}
