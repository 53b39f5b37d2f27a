/* A thread that lives as long as one call. See deep_stack.h. */
#include "util/deep_stack.h"

#include <pthread.h>
#include <signal.h>

#define STACK_B ((size_t)64 << 20)

struct call {
    void (*run)(void *data);
    void *data;
};

static void *start_thread(void *data)
{
    const struct call *call = data;
    call->run(call->data);
    return NULL;
}

bool deep_stack_run(void (*run)(void *data), void *data)
{
    struct call call = {run, data};
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    /* The application's signals are for its own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_attr_setstacksize(&attributes, STACK_B) == 0 &&
                   pthread_create(&thread, &attributes, start_thread, &call) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (started)
        pthread_join(thread, NULL);
    return started;
}
