/* Writing where RLIMIT_FSIZE may forbid it. Beyond the limit a write fails with EFBIG, and the kernel sends SIGXFSZ to
 * the thread, too, which ends a process that does not expect it. A library has no right to end its process: every write
 * to a file, standard error included, stands between these two calls, and its error is looked at. Files get
 * their sizes by file_resize alone: tests/file_limits.py. */
#ifndef UTIL_FILE_LIMIT_H
#define UTIL_FILE_LIMIT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct file_limit {
    sigset_t before;
    bool was_pending;
};

/* Holds the signal back in this thread. */
struct file_limit file_limit_enter(void);

/* Drops the signal where it was sent since; errno is kept. */
void file_limit_leave(struct file_limit limit);

/* ftruncate: 0, or -errno: -EFBIG where the limit forbids it. Files of the host's memory (memfd_create) have it,
 * too. */
int file_resize(int fd, uint64_t size_B);

#endif
