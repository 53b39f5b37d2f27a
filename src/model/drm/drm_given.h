/* A clock that stands while the host gives a GPU's work no processor. A GPU that has stood still by it does hang; by
 * the host's clock a stopped process hangs, too, and one of twenty that share a processor.
 *
 * While threads that do the work (model/engine_threads.h) run or wait for a processor, a tick is the processor time
 * that they have had, of each of the processors that they could have had at once: what the application's threads use
 * meanwhile is none of theirs. While all of them sleep, a tick is the time since the last one, less what the thread
 * that waited most for a processor has waited, for they may wait for that one. A process that was stopped has no tick
 * meanwhile, and one tick is never more than twice the period. */
#ifndef MODEL_DRM_GIVEN_H
#define MODEL_DRM_GIVEN_H

#include <stdbool.h>
#include <stdint.h>

#define DRM_GIVEN_THREADS 256 /* that are looked at */

struct drm_given {
    int64_t now_ns; /* the clock */
    int64_t last_ns;
    uint32_t thread_count; /* at the last tick; 0: the host was not asked */
    struct drm_given_thread {
        int32_t id;
        bool is_engine;             /* it does the GPU's work */
        bool is_runnable;           /* it runs, or waits for a processor */
        int64_t used_ns, denied_ns; /* so long it has run, so long it has waited for a processor before it ran */
    } threads[DRM_GIVEN_THREADS];
};

/* A tick of about `period_ns`. Where nothing stands still the host is not asked, and the host's clock does. */
void drm_given_tick(struct drm_given *given, int64_t period_ns, bool stands_still);

/* For tests: what threads have had since the last tick. */
struct drm_given_share {
    int64_t passed_ns;
    int64_t denied_ns;   /* that the thread which waited most has waited for a processor */
    int64_t used_ns;     /* by those that do the work, together */
    uint32_t runnable;   /* of those */
    uint32_t processors; /* that the process may use */
};
/* The part of it that counts. */
int64_t drm_given_part(int64_t period_ns, const struct drm_given_share *share);
/* Add a thread, which was as `before` at the last tick (NULL: it was not there). */
void drm_given_add(struct drm_given_share *share, const struct drm_given_thread *before,
                   const struct drm_given_thread *now);

#endif
