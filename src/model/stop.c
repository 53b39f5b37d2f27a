/* See stop.h. */
#include "model/stop.h"

#include <errno.h>
#include <inttypes.h>

void gpu_stop_init(struct gpu_stop *stop)
{
    *stop = (struct gpu_stop){0};
    pthread_mutex_init(&stop->lock, NULL);
}

void gpu_stop_finish(struct gpu_stop *stop)
{
    strbuf_finish(&stop->text);
    pthread_mutex_destroy(&stop->lock);
}

bool gpu_stop_begin(struct gpu_stop *stop, enum gpu_stop_kind kind)
{
    pthread_mutex_lock(&stop->lock);
    if (atomic_load(&stop->is_set)) {
        pthread_mutex_unlock(&stop->lock);
        return false;
    }
    stop->kind = kind;
    strbuf_clear(&stop->text);
    return true;
}

bool gpu_stop_end(struct gpu_stop *stop)
{
    atomic_store(&stop->is_set, true);
    pthread_mutex_unlock(&stop->lock);
    return false;
}

bool gpu_stop_vprintf(struct gpu_stop *stop, enum gpu_stop_kind kind, const char *format, va_list args)
{
    if (!gpu_stop_begin(stop, kind))
        return false;
    strbuf_vprintf(&stop->text, format, args);
    strbuf_append(&stop->text, "\n");
    return gpu_stop_end(stop);
}

/* The stop has begun, and its text says what was accessed. */
static bool end_fault(struct gpu_stop *stop, const struct gpu_stop_access *access)
{
    stop->fault_va = access->va;
    stop->is_write = access->is_write;
    if (access->describe)
        access->describe(access->space, access->va, &stop->text);
    return gpu_stop_end(stop);
}

bool gpu_stop_vfault(struct gpu_stop *stop, const struct gpu_stop_access *access, const char *format, va_list args)
{
    if (!gpu_stop_begin(stop, GPU_STOP_FAULT))
        return false;
    strbuf_vprintf(&stop->text, format, args);
    strbuf_append(&stop->text, "\n");
    return end_fault(stop, access);
}

bool gpu_stop_fault(struct gpu_stop *stop, const struct gpu_stop_access *access, const char *client, uint64_t size_B)
{
    if (!gpu_stop_begin(stop, GPU_STOP_FAULT))
        return false;
    strbuf_printf(&stop->text, "%s: a %s of %" PRIu64 " bytes at 0x%" PRIx64 ", which is not mapped so\n", client,
                  access->is_write ? "write" : "read", size_B, access->va);
    return end_fault(stop, access);
}

int gpu_stop_error(const struct gpu_stop *stop)
{
    static const int codes[] = {
        [GPU_STOP_UNIMPLEMENTED] = -ENOSYS, [GPU_STOP_BROKEN] = -EIO,   [GPU_STOP_STRICT] = -EIO,
        [GPU_STOP_FAULT] = -EFAULT,         [GPU_STOP_KILLED] = -ETIME,
    };
    return codes[stop->kind];
}

const char *gpu_stop_text(const struct gpu_stop *stop)
{
    return stop->text.text && !stop->text.failed ? stop->text.text : "no memory for a report";
}
