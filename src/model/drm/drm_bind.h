/* The ring of binds: changes of address spaces that wait for fences and are waited for are jobs of a ring of their own,
 * which the CPU works on. The engine here has that ring, beside the GPU's own, and hands everything else to the GPU's
 * engine. For drivers whose user space manages addresses. */
#ifndef MODEL_DRM_BIND_H
#define MODEL_DRM_BIND_H

#include "model/drm/drm_engine.h"
#include "model/drm/drm_vm.h"

struct drm_bind {
    bool is_unmap; /* whatever is mapped there goes; otherwise the mapping takes its place */
    struct drm_mapping mapping;
};

/* drm_engine_job.work of that ring. The space is the job's, the buffers are kept by the job (drm_job.uses). */
struct drm_bind_work {
    const struct drm_bind *binds; /* in order; the first that fails ends the job */
    uint32_t count;
};

/* Arguments of drm_device_init for a chip with the engine below. */
struct drm_front {
    const struct drm_engine_ops *gpu_ops;
    const void *chip;   /* the GPU's */
    uint32_t bind_ring; /* a number that the GPU's rings do not have */
};

extern const struct drm_engine_ops drm_front_ops;

/* One bind, at once. 0 or -errno. */
int drm_bind_run(struct drm_vm *vm, const struct drm_bind *bind);

/* A line for traces. */
void drm_bind_describe(const struct drm_bind *bind, struct strbuf *text);

#endif
