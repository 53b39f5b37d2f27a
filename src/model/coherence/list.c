/* See list.h. */
#include "model/coherence/list.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *list; /* NULL: none is asked for */
static uint64_t skip, count;

void coherence_list_open(void)
{
    static bool is_open;
    pthread_mutex_lock(&lock);
    if (!is_open) {
        const char *path = secure_getenv("TUFF_COHERENCE_LIST"), *number = secure_getenv("TUFF_COHERENCE_SKIP");
        list = path ? fopen(path, "we") : NULL;
        skip = number ? strtoull(number, NULL, 10) : 0;
        is_open = true;
    }
    pthread_mutex_unlock(&lock);
}

void coherence_list_touch(char kind, unsigned place, unsigned number, const struct coherence_touch *touch)
{
    if (!list)
        return;
    pthread_mutex_lock(&lock);
    fprintf(list, "%c %u %u %" PRIx64 " %" PRIx64 "\n", kind, place, number, touch->line_va / COHERENCE_LINE_B,
            touch->bytes);
    pthread_mutex_unlock(&lock);
}

bool coherence_list_event(uint32_t job, const char *name, bool has_number)
{
    pthread_mutex_lock(&lock);
    count += has_number;
    const uint64_t number = has_number ? count : 0;
    if (list) {
        fprintf(list, "e %" PRIu64 " %u %s\n", number, job, name);
        fflush(list);
    }
    pthread_mutex_unlock(&lock);
    return !number || number != skip;
}
