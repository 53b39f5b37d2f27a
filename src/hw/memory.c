/* See memory.h. */
#include "hw/memory.h"

#include <stdlib.h>

/* The buffer at this address, a new one where there is none; NULL when memory is out. */
static struct hw_memory_buffer *buffer_at(struct hw_memory *memory, uint64_t va)
{
    for (size_t i = 0; i < memory->count; i++) {
        if (memory->buffers[i].va == va)
            return &memory->buffers[i];
    }
    if (memory->count == memory->space) {
        size_t space = memory->space ? 2 * memory->space : 64;
        struct hw_memory_buffer *grown = realloc(memory->buffers, space * sizeof(*grown));
        if (!grown)
            return NULL;
        memory->buffers = grown;
        memory->space = space;
    }
    memory->buffers[memory->count] = (struct hw_memory_buffer){.va = va};
    return &memory->buffers[memory->count++];
}

bool hw_memory_add(struct hw_memory *memory, uint64_t va, const uint8_t *bytes, size_t size_B)
{
    uint32_t *words = calloc(size_B / 4 + 1, sizeof(*words));
    struct hw_memory_buffer *buffer = words ? buffer_at(memory, va) : NULL;
    if (!buffer) {
        free(words);
        memory->is_out_of_memory = true;
        return false;
    }
    for (size_t i = 0; i < size_B / 4; i++) {
        const uint8_t *b = bytes + 4 * i;
        words[i] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    }
    free(buffer->words);
    buffer->words = words;
    buffer->size_B = size_B;
    return true;
}

const uint32_t *hw_memory_read(const struct hw_memory *memory, uint64_t va, uint32_t count_dw)
{
    for (size_t i = memory->count; i-- > 0;) {
        const struct hw_memory_buffer *m = &memory->buffers[i];
        if (va >= m->va && va - m->va <= m->size_B && m->size_B - (va - m->va) >= 4 * (uint64_t)count_dw && va % 4 == 0)
            return m->words + (va - m->va) / 4;
    }
    return NULL;
}

void hw_memory_finish(struct hw_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        free(memory->buffers[i].words);
    free(memory->buffers);
    *memory = (struct hw_memory){0};
}
