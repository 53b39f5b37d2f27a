/* Threads that the model starts belong to the model: their calls are not the program's. Without this, a ring
 * that frees the last buffer of a job would tell the model, under the model's own lock, that the program unmapped
 * memory. */
#include <pthread.h>
#include <stdlib.h>

#include "shim/shim.h"

struct thread_start {
    void *(*run)(void *);
    void *argument;
};

static void *run_inside(void *data)
{
    struct thread_start start = *(struct thread_start *)data;
    free(data);
    shim_inside = 1;
    return start.run(start.argument);
}

SHIM_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                               void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        NEXT(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), pthread_create);
    if (!shim_inside)
        return next(thread, attributes, run, argument);
    struct thread_start *start = malloc(sizeof(*start));
    if (!start)
        return EAGAIN;
    *start = (struct thread_start){run, argument};
    int error = next(thread, attributes, run_inside, start);
    if (error)
        free(start);
    return error;
}
