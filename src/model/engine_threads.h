/* The threads of this process that do a GPU's work: a model's workers and rings, and who does their work where the host
 * gives no threads. The watchdog (drm/drm_given.h) asks how much processor time these have had. */
#ifndef MODEL_ENGINE_THREADS_H
#define MODEL_ENGINE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* Around the work, on the thread that does it; one that is inside another changes nothing. */
void engine_thread_begin(void);
void engine_thread_end(void);

/* Whether this thread, by its number in /proc/self/task, does such work now. */
bool engine_thread_is(int32_t id);

#endif
