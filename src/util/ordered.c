/* See ordered.h. */
#include "util/ordered.h"

#include "util/slab.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 128u /* elements: what an insert moves at most */

struct ordered_chunk {
    uint32_t count;
    struct ordered_chunk *next_spare;
    uint64_t keys[CHUNK];
    _Alignas(16) unsigned char elements[];
};

static unsigned char *element_at(const struct ordered *ordered, const struct ordered_chunk *chunk, uint32_t index)
{
    return (unsigned char *)(uintptr_t)chunk->elements + index * ordered->element_B;
}

void ordered_init(struct ordered *ordered, size_t element_B)
{
    *ordered = (struct ordered){.element_B = element_B};
}

void ordered_finish(struct ordered *ordered)
{
    array_foreach (&ordered->chunks, chunk)
        slab_free(*chunk);
    array_finish(&ordered->chunks);
    while (ordered->spare) {
        struct ordered_chunk *next = ordered->spare->next_spare;
        slab_free(ordered->spare);
        ordered->spare = next;
    }
    ordered->count = ordered->spare_count = 0;
}

/* The first chunk whose last key is not below; the number of chunks when there is none. */
static uint32_t find_chunk(const struct ordered *ordered, uint64_t key)
{
    uint32_t low = 0, high = ordered->chunks.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct ordered_chunk *chunk = ordered->chunks.data[middle];
        if (chunk->keys[chunk->count - 1] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first key of a chunk that is not below; its count when there is none. */
static uint32_t find_slot(const struct ordered_chunk *chunk, uint64_t key)
{
    uint32_t low = 0, high = chunk->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (chunk->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void *ordered_after(const struct ordered *ordered, uint64_t key)
{
    uint32_t at = find_chunk(ordered, key);
    if (at == ordered->chunks.count)
        return NULL;
    const struct ordered_chunk *chunk = ordered->chunks.data[at];
    return element_at(ordered, chunk, find_slot(chunk, key));
}

void *ordered_before(const struct ordered *ordered, uint64_t key)
{
    uint32_t at = find_chunk(ordered, key);
    if (at < ordered->chunks.count) {
        const struct ordered_chunk *chunk = ordered->chunks.data[at];
        uint32_t slot = find_slot(chunk, key);
        if (chunk->keys[slot] == key)
            return element_at(ordered, chunk, slot);
        if (slot)
            return element_at(ordered, chunk, slot - 1);
    }
    if (at == 0)
        return NULL;
    const struct ordered_chunk *chunk = ordered->chunks.data[at - 1];
    return element_at(ordered, chunk, chunk->count - 1);
}

void *ordered_next(const struct ordered *ordered, uint64_t *key, bool is_first)
{
    if (!is_first && ++*key == 0)
        return NULL;
    uint32_t at = find_chunk(ordered, *key);
    if (at == ordered->chunks.count)
        return NULL;
    const struct ordered_chunk *chunk = ordered->chunks.data[at];
    uint32_t slot = find_slot(chunk, *key);
    *key = chunk->keys[slot];
    return element_at(ordered, chunk, slot);
}

bool ordered_reserve(struct ordered *ordered, uint32_t inserts)
{
    if (!array_reserve(&ordered->chunks, ordered->chunks.count + inserts))
        return false;
    while (ordered->spare_count < inserts) {
        struct ordered_chunk *chunk = slab_alloc(sizeof(*chunk) + CHUNK * ordered->element_B);
        if (!chunk)
            return false;
        chunk->next_spare = ordered->spare;
        ordered->spare = chunk;
        ordered->spare_count++;
    }
    return true;
}

static struct ordered_chunk *take_spare(struct ordered *ordered)
{
    struct ordered_chunk *chunk = ordered->spare;
    ordered->spare = chunk->next_spare;
    ordered->spare_count--;
    chunk->count = 0;
    return chunk;
}

static void insert_chunk(struct ordered *ordered, uint32_t at, struct ordered_chunk *chunk)
{
    struct ordered_chunk **chunks = ordered->chunks.data;
    memmove(chunks + at + 1, chunks + at, (ordered->chunks.count - at) * sizeof(*chunks));
    chunks[at] = chunk;
    ordered->chunks.count++;
}

/* The upper half of a full chunk goes to a new one after it; but one that grows at its end stays full. */
static void split_chunk(struct ordered *ordered, uint32_t at, uint64_t key)
{
    struct ordered_chunk *chunk = ordered->chunks.data[at], *upper = take_spare(ordered);
    uint32_t kept = key > chunk->keys[CHUNK - 1] ? CHUNK : CHUNK / 2;
    upper->count = CHUNK - kept;
    memcpy(upper->keys, chunk->keys + kept, upper->count * sizeof(chunk->keys[0]));
    memcpy(upper->elements, element_at(ordered, chunk, kept), upper->count * ordered->element_B);
    chunk->count = kept;
    insert_chunk(ordered, at + 1, upper);
}

void *ordered_insert(struct ordered *ordered, uint64_t key)
{
    if (!ordered_reserve(ordered, 1))
        return NULL;
    uint32_t at = find_chunk(ordered, key);
    if (at == ordered->chunks.count && at)
        at--; /* after all others */
    if (ordered->chunks.count == 0)
        insert_chunk(ordered, 0, take_spare(ordered));
    if (ordered->chunks.data[at]->count == CHUNK) {
        split_chunk(ordered, at, key);
        if (key > ordered->chunks.data[at]->keys[ordered->chunks.data[at]->count - 1])
            at++;
    }
    struct ordered_chunk *chunk = ordered->chunks.data[at];
    uint32_t slot = find_slot(chunk, key), after = chunk->count - slot;
    memmove(chunk->keys + slot + 1, chunk->keys + slot, after * sizeof(chunk->keys[0]));
    memmove(element_at(ordered, chunk, slot + 1), element_at(ordered, chunk, slot), after * ordered->element_B);
    chunk->keys[slot] = key;
    chunk->count++;
    ordered->count++;
    return element_at(ordered, chunk, slot);
}

void ordered_remove(struct ordered *ordered, uint64_t key)
{
    uint32_t at = find_chunk(ordered, key);
    struct ordered_chunk *chunk = ordered->chunks.data[at];
    uint32_t slot = find_slot(chunk, key), after = chunk->count - slot - 1;
    memmove(chunk->keys + slot, chunk->keys + slot + 1, after * sizeof(chunk->keys[0]));
    memmove(element_at(ordered, chunk, slot), element_at(ordered, chunk, slot + 1), after * ordered->element_B);
    ordered->count--;
    if (--chunk->count)
        return;
    struct ordered_chunk **chunks = ordered->chunks.data;
    memmove(chunks + at, chunks + at + 1, (ordered->chunks.count - at - 1) * sizeof(*chunks));
    ordered->chunks.count--;
    slab_free(chunk);
}
