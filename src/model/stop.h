/* The one stop of a job: why it ends early, with the text of whoever found it. Any thread may stop a job, and the first
 * stop counts.
 *
 * Not for: where in its stream the job was, which a family's command processor puts around the text. */
#ifndef MODEL_STOP_H
#define MODEL_STOP_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/strbuf.h"

struct gpu_space;

enum gpu_stop_kind {
    GPU_STOP_UNIMPLEMENTED, /* the model does not do that */
    GPU_STOP_BROKEN,        /* no hardware would: a broken stream, descriptor or program */
    GPU_STOP_STRICT,        /* a rule that strict mode checks */
    GPU_STOP_FAULT,         /* an address that is not mapped so */
    GPU_STOP_KILLED,
};

struct gpu_stop {
    pthread_mutex_t lock;
    _Atomic bool is_set;
    enum gpu_stop_kind kind;
    struct strbuf text;
    uint64_t fault_va; /* of a fault, as the next one */
    bool is_write;
};

void gpu_stop_init(struct gpu_stop *stop);
void gpu_stop_finish(struct gpu_stop *stop);

/* True: this is the first stop of the job. The lock is held until gpu_stop_end, and `text` is empty. */
bool gpu_stop_begin(struct gpu_stop *stop, enum gpu_stop_kind kind);
/* Always false, so that whoever stops can return it. */
bool gpu_stop_end(struct gpu_stop *stop);

/* Both at once, with a text of one line. */
bool gpu_stop_vprintf(struct gpu_stop *stop, enum gpu_stop_kind kind, const char *format, va_list args);

/* The kind of memory that was accessed at an address. */
struct gpu_stop_access {
    uint64_t va;
    bool is_write;
    const struct gpu_space *space;
    /* Append what is mapped near it; may be NULL. */
    void (*describe)(const struct gpu_space *space, uint64_t va, struct strbuf *text);
};
/* A fault whose client says itself how it came there: what is mapped near the address follows. */
bool gpu_stop_vfault(struct gpu_stop *stop, const struct gpu_stop_access *access, const char *format, va_list args);
/* A fault of `client`, the part that accessed the address ("vertex fetch"). */
bool gpu_stop_fault(struct gpu_stop *stop, const struct gpu_stop_access *access, const char *client, uint64_t size_B);

/* The result of a job that was stopped: the engine's error and the text. */
int gpu_stop_error(const struct gpu_stop *stop);
const char *gpu_stop_text(const struct gpu_stop *stop);

/* Has any thread stopped the job? Workers look at it between pieces of work. */
static inline bool gpu_stop_is_set(const struct gpu_stop *stop)
{
    return atomic_load_explicit(&stop->is_set, memory_order_relaxed);
}

#endif
