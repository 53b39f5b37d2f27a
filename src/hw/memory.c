/* See memory.h. */
#include "hw/memory.h"

#include <stdlib.h>

#include "util/bits.h"

struct buffer {
    uint64_t va;
    uint64_t number; /* of the call that added it */
    uint32_t *words;
    size_t size_B;
};

static unsigned class_of_size(size_t size_B)
{
    return size_B ? 63 - (unsigned)__builtin_clzll(size_B) : 0;
}

static struct buffer *buffer_at(const struct ordered *class, uint64_t va)
{
    struct buffer *found = ordered_before(class, va);
    return found && found->va == va ? found : NULL;
}

/* Takes away the buffer that starts at this address. */
static void remove_buffer(struct hw_memory *memory, uint64_t va)
{
    bits_foreach (memory->used, i) {
        struct buffer *old = buffer_at(&memory->classes[i], va);
        if (!old)
            continue;
        free(old->words);
        ordered_remove(&memory->classes[i], va);
        return;
    }
}

static uint32_t *words_of(const uint8_t *bytes, size_t size_B)
{
    uint32_t *words = calloc(size_B / 4 + 1, sizeof(*words));
    for (size_t i = 0; words && i < size_B / 4; i++) {
        const uint8_t *b = bytes + 4 * i;
        words[i] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    }
    return words;
}

bool hw_memory_add(struct hw_memory *memory, uint64_t va, const uint8_t *bytes, size_t size_B)
{
    const unsigned number = class_of_size(size_B);
    struct ordered *class = &memory->classes[number];
    if (!class->element_B)
        ordered_init(class, sizeof(struct buffer));
    memory->used |= 1ull << number;
    uint32_t *words = words_of(bytes, size_B);
    if (!words || !ordered_reserve(class, 1)) {
        free(words);
        memory->is_out_of_memory = true;
        return false;
    }
    remove_buffer(memory, va);
    struct buffer *buffer = ordered_insert(class, va);
    *buffer = (struct buffer){va, ++memory->adds, words, size_B};
    return true;
}

static bool buffer_has(const struct buffer *buffer, uint64_t va, uint32_t count_dw)
{
    const uint64_t offset_B = va - buffer->va;
    return offset_B <= buffer->size_B && buffer->size_B - offset_B >= 4 * (uint64_t)count_dw;
}

const uint32_t *hw_memory_read(const struct hw_memory *memory, uint64_t va, uint32_t count_dw)
{
    const struct buffer *newest = NULL;
    bits_foreach (va % 4 == 0 ? memory->used : 0, i) {
        const uint64_t most_B = i < 63 ? 2ull << i : UINT64_MAX;
        const struct buffer *buffer = ordered_before(&memory->classes[i], va);
        while (buffer && va - buffer->va < most_B) {
            if (buffer_has(buffer, va, count_dw) && (!newest || buffer->number > newest->number))
                newest = buffer;
            buffer = buffer->va ? ordered_before(&memory->classes[i], buffer->va - 1) : NULL;
        }
    }
    return newest ? newest->words + (va - newest->va) / 4 : NULL;
}

void hw_memory_finish(struct hw_memory *memory)
{
    bits_foreach (memory->used, i) {
        ordered_foreach(&memory->classes[i], struct buffer, buffer) free(buffer->words);
        ordered_finish(&memory->classes[i]);
    }
    *memory = (struct hw_memory){0};
}
