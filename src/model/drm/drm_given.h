/* A clock that stands while the host gives this process no processor. A GPU that has stood still by it does hang; by
 * the host's clock a stopped process hangs, too, and one of twenty that share a processor.
 *
 * A tick is the time since the last one, less the time that a thread which could run has waited for a processor; or the
 * processor time that the process has had, where that is more: then it is only busy with itself. A process that was
 * stopped has no tick meanwhile, and one tick is never more than twice the period. */
#ifndef MODEL_DRM_GIVEN_H
#define MODEL_DRM_GIVEN_H

#include <stdbool.h>
#include <stdint.h>

#define DRM_GIVEN_THREADS 256 /* that are looked at */

struct drm_given {
    int64_t now_ns; /* the clock */
    int64_t last_ns, last_used_ns;
    uint32_t thread_count; /* at the last tick; 0: the host was not asked */
    struct drm_given_thread {
        int32_t id;
        int64_t denied_ns; /* has waited for a processor so long */
    } threads[DRM_GIVEN_THREADS];
};

/* A tick of about `period_ns`. Where nothing stands still the host is not asked, and the host's clock does. */
void drm_given_tick(struct drm_given *given, int64_t period_ns, bool stands_still);

/* The part of a tick that counts, for tests: nanoseconds that went by, that the thread which waited most has waited for
 * a processor, and that the process has used. */
int64_t drm_given_part(int64_t period_ns, int64_t passed_ns, int64_t denied_ns, int64_t used_ns);

#endif
