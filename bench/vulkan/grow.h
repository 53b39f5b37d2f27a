/* Kinds of what may be many, for bench_grow: objects of Vulkan (grow_objects.c), and work (grow_work.c). */
#ifndef BENCH_VULKAN_GROW_H
#define BENCH_VULKAN_GROW_H

#include "bench.h"

struct grow {
    struct bench bench;
    uint64_t *handles, *others; /* by object; a memory or a view that belongs to it */
    uint32_t count;
    struct bench_buffer buffer;
    struct bench_compute compute;
};

extern struct grow grow;                      /* a process has one */
extern const struct bench_spirv grow_variant; /* variant.comp */

struct grow_kind {
    const char *name;
    void (*prepare)(void); /* once, and not measured */
    void (*create)(uint32_t i);
    void (*destroy)(uint32_t i); /* in another order */
    void (*finish)(void);        /* what all of them shared goes, too, or their work is done; measured with `destroy` */
};

extern const struct grow_kind grow_objects[], grow_work[]; /* they end with a row without a name */

void grow_nothing(void);
void grow_nothing_of(uint32_t i);

#endif
