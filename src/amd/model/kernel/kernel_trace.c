/* Streams as they go to a ring, for people: decoded into the file that TUFF_TRACE names (`tuff shim --trace`), and raw
 * into files of their own with TUFF_DEBUG=ibs. Both follow INDIRECT_BUFFER packets: what a job calls is part of its
 * stream. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amd/hw/decode.h"
#include "amd/model/kernel/kernel_sched.h"
#include "util/arena.h"
#include "util/debug.h"
#include "util/log.h"
#include "util/strbuf.h"

struct trace {
    const struct amd_job *job;
    int fd; /* of the text; -1: only raw buffers are wanted */
    struct arena words;
};

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
        LOG_ERROR("amd/model", "TUFF_TRACE: cannot write '%s': %s", path, strerror(errno));
}

static void write_raw(const uint32_t *words, uint32_t count_dw)
{
    char path[4096];
    const char *folder = secure_getenv("TUFF_DUMP");
    snprintf(path, sizeof(path), "%s/tuff-ib-%d-%u.bin", folder && *folder ? folder : ".", (int)getpid(), raw_count++);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ssize_t size_B = (ssize_t)count_dw * 4;
    if (fd < 0 || write(fd, words, (size_t)size_B) != size_B)
        LOG_ERROR("amd/model", "cannot write '%s': %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* A copy of GPU memory; NULL where a part of it is not mapped. */
static const uint32_t *read_words(void *data, uint64_t va, uint32_t count_dw)
{
    struct trace *trace = data;
    uint64_t size_B = (uint64_t)count_dw * 4;
    uint32_t *words = arena_alloc(&trace->words, size_B ? size_B : 4);
    if (!words || gpu_space_read(&trace->job->vm->space, va, words, size_B) != size_B)
        return NULL;
    if (debug_enabled(DEBUG_IBS))
        write_raw(words, count_dw);
    return words;
}

static void write_text(void *data, struct strbuf *text)
{
    struct trace *trace = data;
    if (trace->fd >= 0 && text->length && write(trace->fd, text->text, text->length) != (ssize_t)text->length)
        LOG_ERROR("amd/model", "TUFF_TRACE: %s", strerror(errno));
    strbuf_clear(text);
}

static void trace_ib(struct trace *trace, const struct amd_engine_ib *ib, struct strbuf *text)
{
    struct amd_decode_options options = {.gfx = trace->job->ctx->device->chip->gfx,
                                         .stream = trace->job->base.ring_kind == AMD_RING_SDMA ? AMD_STREAM_SDMA
                                                                                               : AMD_STREAM_PM4,
                                         .read = read_words,
                                         .flush = write_text,
                                         .data = trace};
    strbuf_printf(text, "## %s at 0x%llx, %u dwords, flags 0x%x\n",
                  ib->flags & AMDGPU_IB_FLAG_PREAMBLE ? "preamble" : "stream", (unsigned long long)ib->va, ib->size_dw,
                  ib->flags);
    const uint32_t *words = read_words(trace, ib->va, ib->size_dw);
    if (words)
        amd_decode_stream(text, &options, words, ib->size_dw);
    else
        strbuf_append(text, "not mapped\n");
    write_text(trace, text);
    arena_reset(&trace->words);
}

void amd_trace_job(const struct amd_job *job)
{
    pthread_once(&once, open_trace);
    if (trace_fd < 0 && !debug_enabled(DEBUG_IBS))
        return;
    struct trace trace = {.job = job, .fd = trace_fd};
    struct strbuf text = {0};
    pthread_mutex_lock(&lock);
    strbuf_printf(&text, "# process %d, context %u, %s ring %u, job %llu\n", (int)getpid(), job->ctx->id,
                  amd_ring_name(job->base.ring_kind), job->base.ring, (unsigned long long)job->seq);
    for (uint32_t i = 0; i < job->ibs.count; i++)
        trace_ib(&trace, &job->ibs.data[i], &text);
    pthread_mutex_unlock(&lock);
    arena_finish(&trace.words);
    strbuf_finish(&text);
}
