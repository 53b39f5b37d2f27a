/* See drm_peer.h. */
#include "model/drm/drm_peer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "model/drm/drm_fence.h"
#include "util/file_limit.h"

#define LOCK_PATIENCE_NS 300000000ll
#define DISTRUST_NS 1000000ll   /* for a lock that was kept too long before */
#define CAUTION_NS 20000000ll   /* for any lock, while another was kept too long lately */
#define LATELY_NS 10000000000ll /* or a call that takes several locks would take too long */
#define HAS_WAITERS 0x80000000u
#define DEFAULT_PATIENCE_MS 60000

/* ---- files ---- */

/* The limit is only for files that are written to, not for memory. */
static int write_by_mapping(int fd, uint64_t offset_B, const void *data, uint32_t size_B)
{
    uint64_t page_B = (uint64_t)sysconf(_SC_PAGESIZE), inside_B = offset_B % page_B;
    char *memory = mmap(NULL, inside_B + size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(offset_B - inside_B));
    if (memory == MAP_FAILED)
        return -errno;
    memcpy(memory + inside_B, data, size_B);
    munmap(memory, inside_B + size_B);
    return 0;
}

int drm_file_write(int fd, uint64_t offset_B, const void *data, uint32_t size_B)
{
    struct file_limit limit = file_limit_enter();
    ssize_t written = pwrite(fd, data, size_B, (off_t)offset_B);
    int error = written == (ssize_t)size_B ? 0 : written < 0 ? -errno : -EIO;
    file_limit_leave(limit);
    return error ? write_by_mapping(fd, offset_B, data, size_B) : 0;
}

int drm_peer_file_create(const char *name, uint64_t size_B)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    int error = file_resize(fd, size_B);
    if (!error && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        error = -errno;
    if (error)
        close(fd);
    return error ? error : fd;
}

static bool has_name(int fd, const char *name)
{
    char path[64], target[128], wanted[128];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    snprintf(wanted, sizeof(wanted), "/memfd:%s (deleted)", name);
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    return strcmp(target, wanted) == 0;
}

bool drm_peer_file_check(int fd, const char *name, struct stat *status_out)
{
    /* One of huge pages has seals, too, but may have no page when it is touched. */
    struct statfs system;
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && seals & F_SEAL_SHRINK && fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC &&
           fstat(fd, status_out) == 0 && S_ISREG(status_out->st_mode) && has_name(fd, name);
}

/* ---- locks ---- */

static void wait_for_change(struct drm_peer_lock *lock, uint32_t seen, int64_t left_ns)
{
    const struct timespec timeout = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
    syscall(SYS_futex, &lock->word, FUTEX_WAIT, seen, &timeout, NULL, 0);
}

static _Atomic int64_t last_loss_ns;

static int64_t patience_with(const struct drm_peer_trust *trust, int64_t now_ns)
{
    int64_t loss_ns = atomic_load_explicit(&last_loss_ns, memory_order_relaxed);
    if (trust->is_lost)
        return DISTRUST_NS;
    return loss_ns && now_ns - loss_ns < LATELY_NS ? CAUTION_NS : LOCK_PATIENCE_NS;
}

void drm_peer_lock(struct drm_peer_lock *lock, uint32_t owner, struct drm_peer_trust *trust)
{
    int64_t deadline_ns = 0;
    for (;;) {
        uint32_t seen = 0;
        if (atomic_compare_exchange_strong(&lock->word, &seen, owner))
            return;
        int64_t now_ns = drm_now_ns();
        if (!deadline_ns)
            deadline_ns = now_ns + patience_with(trust, now_ns);
        if (now_ns >= deadline_ns)
            break;
        if (seen & HAS_WAITERS || atomic_compare_exchange_strong(&lock->word, &seen, seen | HAS_WAITERS))
            wait_for_change(lock, seen | HAS_WAITERS, deadline_ns - now_ns);
    }
    trust->is_lost = true;
    atomic_store_explicit(&last_loss_ns, drm_now_ns(), memory_order_relaxed);
    atomic_store(&lock->word, owner | HAS_WAITERS);
}

void drm_peer_unlock(struct drm_peer_lock *lock, uint32_t owner)
{
    uint32_t seen = owner;
    if (atomic_compare_exchange_strong(&lock->word, &seen, 0))
        return;
    if ((seen & ~HAS_WAITERS) == owner && atomic_compare_exchange_strong(&lock->word, &seen, 0))
        syscall(SYS_futex, &lock->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- patience ---- */

int64_t drm_peer_patience_ns(void)
{
    static _Atomic int64_t patience_ns;
    int64_t known_ns = atomic_load_explicit(&patience_ns, memory_order_relaxed);
    if (known_ns)
        return known_ns;
    const char *text = secure_getenv("TUFF_PEER_TIMEOUT_MS");
    long asked_ms = text ? strtol(text, NULL, 10) : 0;
    known_ns = (asked_ms > 0 && asked_ms < INT_MAX ? asked_ms : DEFAULT_PATIENCE_MS) * 1000000ll;
    atomic_store_explicit(&patience_ns, known_ns, memory_order_relaxed);
    return known_ns;
}

int drm_peer_error(int32_t error)
{
    return error < 0 && error >= -4095 ? error : -EIO;
}
