/* For tests that are built once for each level of host instructions (-DHOST_LEVEL): skip those that this CPU lacks. */
#ifndef UTIL_TESTS_HOST_LEVEL_TEST_H
#define UTIL_TESTS_HOST_LEVEL_TEST_H

#include <stdio.h>

#include "util/host_level.h"

/* Whether the program can run here. If not it has said so in TAP, and ends with success. */
static inline bool host_level_runs(void)
{
    const bool is_offered = host_level_find(HOST_LEVEL)->is_offered();
    if (!is_offered)
        printf("1..0 # SKIP this CPU does not offer " HOST_LEVEL "\n");
    return is_offered;
}

#endif
