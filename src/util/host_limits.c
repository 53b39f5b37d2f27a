/* The limits of this process. See host_limits.h. */
#include "util/host_limits.h"

#include <sys/resource.h>

#define FEW_THREADS 4096

bool host_has_few_addresses(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool host_has_few_threads(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < FEW_THREADS;
}
