/* A stack of its own for a function that calls itself as deep as its input is nested. The caller's thread may be an
 * application's with 256 KiB; a program of the deepest nesting that SPIR-V allows needs more. Most are shallow: ask
 * first how deep it will go. */
#ifndef UTIL_DEEP_STACK_H
#define UTIL_DEEP_STACK_H

#include <stdbool.h>

/* Calls `run(data)` on a stack of 64 MiB, of which only what is touched costs memory, and waits for it. The function
 * runs in another thread: it must neither jump out nor rely on thread-local data of the caller. False where no such
 * thread can be had; nothing was called then. */
bool deep_stack_run(void (*run)(void *data), void *data);

#endif
