/* The engine of a GPU whose rings are threads, as every family's is: workers and the GPU start with the first job, for
 * many programs only query the device, and some fork before they submit. A family fills a struct drm_gpu_ops and takes
 * the functions below for its struct drm_engine_ops. */
#ifndef MODEL_DRM_GPU_H
#define MODEL_DRM_GPU_H

#include <stddef.h>

#include "model/drm/drm_ring.h"

struct workers;

/* A GPU is whatever `create` gives. */
struct drm_gpu_ops {
    const char *log_name; /* the family's room */
    uint32_t ring_count;

    /* NULL: no memory. No ring runs when it is destroyed. */
    void *(*create)(const void *chip, const struct drm_engine_host *host, struct workers *workers);
    void (*destroy)(void *gpu);

    /* Makes a ring's own state, before its first job; false: no memory. NULL: it has nothing. */
    bool (*start_ring)(void *gpu, struct drm_ring *ring, uint32_t number);
    struct drm_engine_result (*run)(void *gpu, struct drm_ring *ring, struct drm_engine_job *job);
    /* A job was killed: wake what sleeps elsewhere than in its ring. NULL: nothing does. */
    void (*wake)(void *gpu);
    uint64_t (*progress)(void *gpu);

    /* The family's struct, which begins with a drm_engine_context, and the rest of it; `finish` takes one whose `init`
     * failed half-way. NULL: there is no rest. */
    size_t context_B;
    bool (*context_init)(struct drm_engine_context *context, const struct gpu_space *space);
    void (*context_finish)(struct drm_engine_context *context);

    /* The last context of a space is gone: so is what was kept of it. */
    void (*forget_space)(void *gpu, const struct gpu_space *space);
};

struct drm_engine_context {
    struct drm_space_use use;
};

struct drm_engine {
    const struct drm_gpu_ops *ops;
    const void *chip;
    const struct drm_engine_host *host;
    pthread_mutex_t lock; /* of the start */
    struct workers *workers;
    _Atomic(void *) gpu; /* NULL before the first job */
    struct drm_space_list spaces;
    struct drm_gpu_ring {
        struct drm_ring base;
        struct drm_engine *engine;
    } rings[];
};

int drm_gpu_engine_create(const struct drm_gpu_ops *ops, const void *chip, const struct drm_engine_host *host,
                          struct drm_engine **engine_out);
void drm_gpu_engine_destroy(struct drm_engine *engine);
int drm_gpu_context_create(struct drm_engine *engine, const struct gpu_space *space,
                           struct drm_engine_context **context_out);
void drm_gpu_context_destroy(struct drm_engine *engine, struct drm_engine_context *context);
void drm_gpu_submit(struct drm_engine *engine, struct drm_engine_job *job);
void drm_gpu_kill(struct drm_engine *engine, struct drm_engine_job *job);
uint64_t drm_gpu_progress(struct drm_engine *engine);

#endif
