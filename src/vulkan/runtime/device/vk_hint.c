/* See vk_hint.h. TUFF_HINT=PROCESS:FILE:INODE names a file that `tuff run` has opened for its program and those that it
 * starts: who seals it first, by a device or by the hint, keeps the others quiet, so that there is one line at most,
 * and none where a sibling has found what it wants. The file is reached through the first process, for a program may
 * close what it does not know. */
#include "vulkan/runtime/device/vk_hint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/log.h"

static atomic_int seen_by; /* the process; a child of fork has not seen them itself */
static atomic_bool is_taken;

static int open_seal(const char *process, int file, unsigned long long inode)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof(path), "/proc/%s/fd/%d", process, file);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &about) == 0 && about.st_ino == inode))
        return fd;
    close(fd);
    return -1;
}

/* True for the first who asks. */
static bool take_first(void)
{
    const char *where = secure_getenv("TUFF_HINT");
    char process[16];
    int file;
    unsigned long long inode;
    if (!where || sscanf(where, "%15[0-9]:%d:%llu", process, &file, &inode) != 3)
        return false;
    int fd = open_seal(process, file, inode);
    if (fd < 0)
        fd = open_seal("self", file, inode);
    bool is_first = fd >= 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL) == 0;
    if (fd >= 0)
        close(fd);
    return is_first;
}

void vk_hint_gpus_seen(void)
{
    atomic_store_explicit(&seen_by, getpid(), memory_order_relaxed);
}

void vk_hint_gpu_taken(void)
{
    if (!atomic_exchange_explicit(&is_taken, true, memory_order_relaxed))
        take_first();
}

static bool has_value(const char *variable, const char *value)
{
    const char *text = secure_getenv(variable);
    return text && strcmp(text, value) == 0;
}

/* At exit, not when the instance ends: programs list GPUs with one instance and take one with the next. */
__attribute__((destructor)) static void tell(void)
{
    if (is_taken || seen_by != getpid())
        return;
    const bool as_gpu = has_value("TUFF_DEVICE_TYPE", "gpu"), claims = has_value("TUFF_CLAIM_CONFORMANCE", "1");
    if ((as_gpu && claims) || !take_first())
        return;
    LOG_WARN("vulkan",
             "'%s' looked at the GPUs and used none; where it hides %s%s%s, `tuff run%s%s` helps (--no-hint is silent)",
             program_invocation_short_name, as_gpu ? "" : "processors", as_gpu || claims ? "" : " or ",
             claims ? "" : "drivers without a conformance version", as_gpu ? "" : " --as-gpu",
             claims ? "" : " --claim-conformance");
}
