#include "util/host_level.h"

#include <stddef.h>
#include <string.h>

static bool always(void)
{
    return true;
}

#if defined(__x86_64__)
#include <cpuid.h>

/* x86-64-v3 and -v4 by their parts: Clang 14 knows neither the levels nor F16C and LZCNT by name.
 * __builtin_cpu_supports also asks whether the operating system keeps the wide registers. */
static bool offers_avx2(void)
{
    unsigned a, b, c = 0, d, extended = 0;
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) && (c & bit_MOVBE) &&
           __get_cpuid(0x80000001, &a, &b, &extended, &d) && (extended & bit_LZCNT);
}

static bool offers_avx512(void)
{
    return offers_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

const struct host_level host_levels[] = {
#if defined(__x86_64__)
    {"avx512", "_avx512", offers_avx512},
    {"avx2", "_avx2", offers_avx2},
#endif
    {"baseline", "", always},
    {0},
};

const struct host_level *host_level_find(const char *name)
{
    for (const struct host_level *level = host_levels; level->name; level++) {
        if (strcmp(level->name, name) == 0)
            return level;
    }
    return NULL;
}
