/* Chunked bump allocation. Chunks double up to a limit, so that a small shader costs one malloc and a large one few. */
#include "util/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CHUNK_B ((size_t)4096)
#define LARGEST_CHUNK_B ((size_t)1 << 20)

struct arena_chunk {
    struct arena_chunk *older;
    size_t size_B;
    alignas(max_align_t) char data[];
};

static struct arena_chunk *arena_grow(struct arena *arena, size_t size_B)
{
    size_t chunk_B = arena->current ? arena->current->size_B * 2 : FIRST_CHUNK_B;
    if (chunk_B > LARGEST_CHUNK_B)
        chunk_B = LARGEST_CHUNK_B;
    if (chunk_B < size_B)
        chunk_B = size_B;

    struct arena_chunk *chunk = malloc(sizeof(*chunk) + chunk_B);
    if (!chunk)
        return NULL;
    chunk->older = arena->current;
    chunk->size_B = chunk_B;
    arena->current = chunk;
    arena->next = chunk->data;
    arena->end = chunk->data + chunk_B;
    return chunk;
}

void arena_finish(struct arena *arena)
{
    struct arena_chunk *chunk = arena->current;
    while (chunk) {
        struct arena_chunk *older = chunk->older;
        free(chunk);
        chunk = older;
    }
    *arena = (struct arena){0};
}

void arena_reset(struct arena *arena)
{
    struct arena_chunk *largest = NULL;
    struct arena_chunk *chunk = arena->current;
    while (chunk) {
        struct arena_chunk *older = chunk->older;
        if (!largest || chunk->size_B > largest->size_B) {
            free(largest);
            largest = chunk;
        } else {
            free(chunk);
        }
        chunk = older;
    }

    *arena = (struct arena){0};
    if (largest) {
        largest->older = NULL;
        arena->current = largest;
        arena->next = largest->data;
        arena->end = largest->data + largest->size_B;
    }
}

void *arena_alloc(struct arena *arena, size_t size_B)
{
    const size_t align_B = alignof(max_align_t);
    if (size_B > SIZE_MAX / 2)
        return NULL;
    size_B = size_B ? (size_B + align_B - 1) & ~(align_B - 1) : align_B;

    if ((size_t)(arena->end - arena->next) < size_B && !arena_grow(arena, size_B))
        return NULL;

    void *memory = arena->next;
    arena->next += size_B;
    return memory;
}

void *arena_zalloc(struct arena *arena, size_t size_B)
{
    void *memory = arena_alloc(arena, size_B);
    return memory ? memset(memory, 0, size_B) : NULL;
}

void *arena_zalloc_array(struct arena *arena, size_t count, size_t size_B)
{
    size_t total_B;
    if (__builtin_mul_overflow(count, size_B, &total_B))
        return NULL;
    return arena_zalloc(arena, total_B);
}

char *arena_strdup(struct arena *arena, const char *text)
{
    size_t size_B = strlen(text) + 1;
    char *copy = arena_alloc(arena, size_B);
    return copy ? memcpy(copy, text, size_B) : NULL;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return NULL;

    char *text = arena_alloc(arena, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}
