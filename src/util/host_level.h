/* Levels of host instructions. What a CPU offers is known when a program runs, not when it is built, so code that
 * spends its time in loops over lanes or pixels is built once for each level (meson.build has the compiler flags), and
 * the best one that the CPU supports is loaded. */
#ifndef UTIL_HOST_LEVEL_H
#define UTIL_HOST_LEVEL_H

#include <stdbool.h>

struct host_level {
    const char *name;         /* as meson.build names it */
    const char *suffix;       /* of the libraries that are built for it */
    bool (*is_offered)(void); /* by the CPU that this runs on, and by its operating system */
};

/* The best first; the last one is offered by every CPU; then a row without a name. */
extern const struct host_level host_levels[];

/* The level of this name, NULL where the architecture has none. */
const struct host_level *host_level_find(const char *name);

#endif
