/* The interface between the kernel driver's model, which owns contexts, memory and the order of submissions, and the
 * GPU that runs its jobs. The shared kernel model never looks into a job's work; the engine never sees an ioctl. A
 * family's engine has any number of rings, which are numbers here. */
#ifndef MODEL_DRM_ENGINE_H
#define MODEL_DRM_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/list.h"

struct drm_engine;
struct drm_engine_context;
struct gpu_space;
struct strbuf;

/* How a job ended. */
struct drm_engine_result {
    int error; /* 0; -EFAULT: an access to an unmapped page; -ENOSYS: a stop at something unimplemented; -ETIME: killed;
                  -EIO: a broken stream or a strict-mode error. Anything but 0 loses the job's context. */
    const char *report; /* text for people, any number of lines; NULL when error is 0 */
};

struct drm_engine_job {
    /* Filled in by the kernel model and constant while the engine has the job. */
    uint32_t ring; /* below the driver's ring_count */
    struct drm_engine_context *context;
    const struct gpu_space *space;
    const void *work; /* what is to be done: between a family's kernel model and its engine */

    /* Set from outside at any time: end soon, with -ETIME. Engines look at it on back edges and between packets, and
     * before they begin: a job that is killed by then must not begin. */
    _Atomic bool killed;

    /* Called once, from any thread, when every effect of the job is in memory. The job is the kernel model's again. */
    void (*finished)(struct drm_engine_job *job, const struct drm_engine_result *result);

    struct list node; /* the engine's own: its place in a queue */
};

/* Requests of an engine to the kernel model; from any thread. */
struct drm_engine_host {
    /* Append what is mapped at or near an address of this space: buffers with their ranges, below and above. */
    void (*describe_address)(const struct gpu_space *space, uint64_t va, struct strbuf *text);
};

struct drm_engine_ops {
    const char *name;

    /* One engine per device; `chip` is the family's row of facts. 0 or -errno. */
    int (*create)(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out);
    void (*destroy)(struct drm_engine *engine); /* no job is left */

    /* State that belongs to a kernel context, not to a ring: shadowed registers, say. Destroyed when none of its jobs
     * is left. */
    int (*context_create)(struct drm_engine *engine, const struct gpu_space *space,
                          struct drm_engine_context **context_out);
    void (*context_destroy)(struct drm_engine *engine, struct drm_engine_context *context);

    /* Take a job. Jobs of one ring run in the order in which they come; rings run side by side and wait for each
     * other by memory. Must not block: the work is done by the engine's own threads. The kernel model hands over only
     * jobs whose dependencies are met, a few per ring at a time. */
    void (*submit)(struct drm_engine *engine, struct drm_engine_job *job);

    /* job->killed was set: wake whatever sleeps for it. Must not call `finished` itself, nor wait for a thread that
     * does. */
    void (*kill)(struct drm_engine *engine, struct drm_engine_job *job);

    /* A number that grows while anything gets done (packets, workgroups, tiles). A ring whose engine has stood still
     * for some seconds has its job killed. Must not block. */
    uint64_t (*progress)(struct drm_engine *engine);
    /* The progress of the part that this job belongs to, where parts of the engine hang by themselves. NULL:
     * `progress` says it. */
    uint64_t (*job_progress)(struct drm_engine *engine, const struct drm_engine_job *job);

    /* The counter that timestamps use. */
    uint64_t (*timestamp)(struct drm_engine *engine);
};

/* ---- for engines (drm_engine.c) ---- */

/* The spaces of an engine's contexts: what it has kept of one goes with the last context of it. */
struct drm_space_use { /* embedded in struct drm_engine_context */
    struct list node;
    const struct gpu_space *space;
};

struct drm_space_list {
    pthread_mutex_t lock;
    struct list uses;
};

void drm_space_list_init(struct drm_space_list *list);
void drm_space_list_finish(struct drm_space_list *list);
void drm_space_list_add(struct drm_space_list *list, struct drm_space_use *use, const struct gpu_space *space);
bool drm_space_list_remove(struct drm_space_list *list,
                           struct drm_space_use *use); /* true: it was the last of its space */

/* With a new context: where addresses are limited, it is to show now that they are too few for `start`, and not at the
 * first job. 0, or -ENOMEM and a message. */
int drm_engine_start_if_tight(struct drm_engine *engine, bool (*start)(struct drm_engine *engine),
                              const char *log_name);

/* The job ends with -EIO: the engine cannot take it. */
void drm_engine_refuse(struct drm_engine_job *job, const char *why);

#endif
