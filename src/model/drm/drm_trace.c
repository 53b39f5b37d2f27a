/* See drm_trace.h. */
#include "model/drm/drm_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/memory.h"
#include "util/debug.h"
#include "util/file_limit.h"
#include "util/log.h"

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* one job at a time: texts do not mix, and one count of raw files */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int trace_fd = -1;
static unsigned raw_count;

static void open_trace(void)
{
    const char *path = secure_getenv("TUFF_TRACE");
    if (!path || !*path)
        return;
    /* Children of the program write to the same file. */
    trace_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (trace_fd < 0)
        LOG_ERROR("model/drm", "TUFF_TRACE: cannot write '%s': %s", path, strerror(errno));
}

/* 0 or errno. In one call, for others may append to the file. */
static int write_all(int fd, const void *data, size_t size_B)
{
    struct file_limit limit = file_limit_enter();
    ssize_t written = write(fd, data, size_B);
    int error = written == (ssize_t)size_B ? 0 : written < 0 ? errno : EFBIG;
    file_limit_leave(limit);
    return error;
}

static void write_raw(const uint32_t *words, uint32_t count_dw)
{
    char path[4096];
    const char *folder = secure_getenv("TUFF_DUMP");
    snprintf(path, sizeof(path), "%s/tuff-ib-%d-%u.bin", folder && *folder ? folder : ".", (int)getpid(), raw_count++);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : write_all(fd, words, (size_t)count_dw * 4);
    if (error)
        LOG_ERROR("model/drm", "cannot write '%s': %s", path, strerror(error));
    if (fd >= 0)
        close(fd);
}

const uint32_t *drm_trace_read(void *data, uint64_t va, uint32_t count_dw)
{
    struct drm_trace *trace = data;
    uint64_t size_B = (uint64_t)count_dw * 4;
    uint32_t *words = arena_alloc(&trace->words, size_B ? size_B : 4);
    if (!words || gpu_space_read(trace->space, va, words, size_B) != size_B)
        return NULL;
    if (debug_enabled(DEBUG_IBS))
        write_raw(words, count_dw);
    return words;
}

void drm_trace_write(void *data, struct strbuf *text)
{
    const struct drm_trace *trace = data;
    int error = trace->fd >= 0 && text->length ? write_all(trace->fd, text->text, text->length) : 0;
    if (error)
        LOG_ERROR("model/drm", "TUFF_TRACE: %s", strerror(error));
    strbuf_clear(text);
}

void drm_trace_forget(struct drm_trace *trace)
{
    arena_reset(&trace->words);
}

bool drm_trace_begin(struct drm_trace *trace, const struct gpu_space *space)
{
    pthread_once(&once, open_trace);
    if (trace_fd < 0 && !debug_enabled(DEBUG_IBS))
        return false;
    *trace = (struct drm_trace){.space = space, .fd = trace_fd};
    pthread_mutex_lock(&lock);
    return true;
}

void drm_trace_end(struct drm_trace *trace)
{
    drm_trace_write(trace, &trace->text);
    pthread_mutex_unlock(&lock);
    arena_finish(&trace->words);
    strbuf_finish(&trace->text);
}
