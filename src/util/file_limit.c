/* See file_limit.h. */
#include "util/file_limit.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

static sigset_t only_the_signal(void)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGXFSZ);
    return only;
}

struct file_limit file_limit_enter(void)
{
    struct file_limit limit;
    sigset_t only = only_the_signal(), pending;
    pthread_sigmask(SIG_BLOCK, &only, &limit.before);
    limit.was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    return limit;
}

void file_limit_leave(struct file_limit limit)
{
    sigset_t only = only_the_signal();
    int error = errno;
    if (!limit.was_pending)
        sigtimedwait(&only, NULL, &(const struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &limit.before, NULL);
    errno = error;
}

int file_resize(int fd, uint64_t size_B)
{
    struct file_limit limit = file_limit_enter();
    int error = ftruncate(fd, (off_t)size_B) ? -errno : 0;
    file_limit_leave(limit);
    return error;
}
