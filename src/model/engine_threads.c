/* See engine_threads.h. A thread that finds no place is not known, and counts as one of the application's. */
#include "model/engine_threads.h"

#include <stdatomic.h>
#include <unistd.h>

#include "util/bits.h"

#define PLACES 512

static _Atomic int32_t places[PLACES]; /* 0: free */
static _Thread_local struct {
    unsigned depth;
    _Atomic int32_t *place;
} own;

void engine_thread_begin(void)
{
    if (own.depth++)
        return;
    own.place = NULL;
    for (unsigned i = 0; i < PLACES && !own.place; i++) {
        int32_t none = 0;
        if (atomic_compare_exchange_strong(&places[i], &none, (int32_t)gettid()))
            own.place = &places[i];
    }
}

void engine_thread_end(void)
{
    if (--own.depth || !own.place)
        return;
    atomic_store(own.place, 0);
}

bool engine_thread_is(int32_t id)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (atomic_load_explicit(&places[i], memory_order_relaxed) == id)
            return true;
    }
    return false;
}
