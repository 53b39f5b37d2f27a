/* Whether the host gives little of what is usually taken when it is first needed. Where it does, it is taken early, so
 * that a refusal shows when a device is made and not while a program works with it. */
#ifndef UTIL_HOST_LIMITS_H
#define UTIL_HOST_LIMITS_H

#include <stdbool.h>

bool host_has_few_addresses(void); /* RLIMIT_AS is set */
bool host_has_few_threads(void);   /* RLIMIT_NPROC is below what systems give a user by themselves */

#endif
