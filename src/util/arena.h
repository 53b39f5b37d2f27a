/* An arena: many small allocations that die together. Nothing is freed alone; a reset keeps the memory for the next
 * round. Not for objects whose lifetimes differ, and not thread-safe: one arena has one owner. */
#ifndef UTIL_ARENA_H
#define UTIL_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *current; /* newest first; the chain is what arena_finish frees */
    char *next;
    char *end;
};

/* A zeroed struct arena is an empty arena. */
void arena_finish(struct arena *arena);

/* Forget every allocation but keep the largest chunk for reuse. */
void arena_reset(struct arena *arena);

/* Memory aligned for any type; NULL when the host is out of memory or the size is absurd. Contents are undefined. */
void *arena_alloc(struct arena *arena, size_t size_B);
void *arena_zalloc(struct arena *arena, size_t size_B);

/* `count` elements of `size_B` bytes, zeroed; NULL where the product overflows. */
void *arena_zalloc_array(struct arena *arena, size_t count, size_t size_B);

char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define arena_new(arena, type) ((type *)arena_zalloc((arena), sizeof(type)))

#endif
