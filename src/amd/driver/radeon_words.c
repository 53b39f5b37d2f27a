/* Words that are kept once however many pipelines have them: packets of their state, tables of their vertices, the
 * places of their user SGPRs. Two of the same content are one object, so that a bind compares pointers.
 *
 * A command buffer that remembers a pointer need not hold a reference: with the pipeline that has it a recording
 * that used it ends, too. */
#include "amd/driver/radeon_graphics.h"
#include "util/hash.h"
#include "vulkan/runtime/object/vk_alloc.h"

void radeon_words_table_init(struct radeon_device *device)
{
    pthread_mutex_init(&device->words.lock, NULL);
}

void radeon_words_table_finish(struct radeon_device *device)
{
    pthread_mutex_destroy(&device->words.lock);
    map64_finish(&device->words.by_hash);
}

static bool is_same(const struct radeon_words *words, const uint32_t *dw, uint32_t count_dw)
{
    return words->count_dw == count_dw && !memcmp(words->dw, dw, count_dw * sizeof(*dw));
}

static struct radeon_words *create_words(struct radeon_device *device, uint64_t hash, const uint32_t *dw,
                                         uint32_t count_dw, struct radeon_words *next)
{
    size_t size_B = count_dw * sizeof(*dw);
    struct radeon_words *words =
        vk_alloc(&device->vk.alloc, NULL, sizeof(*words) + size_B, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!words)
        return NULL;
    *words = (struct radeon_words){.next = next, .hash = hash, .users = 1, .count_dw = count_dw};
    memcpy(words->dw, dw, size_B);
    if (!map64_set(&device->words.by_hash, hash, (uintptr_t)words)) {
        vk_free(&device->vk.alloc, NULL, words);
        return NULL;
    }
    return words;
}

const struct radeon_words *radeon_words_get(struct radeon_device *device, const uint32_t *dw, uint32_t count_dw)
{
    uint64_t hash = hash_bytes(dw, count_dw * sizeof(*dw));
    pthread_mutex_lock(&device->words.lock);
    const uint64_t *slot = map64_get(&device->words.by_hash, hash);
    struct radeon_words *first = slot ? (struct radeon_words *)(uintptr_t)*slot : NULL, *words = first;
    while (words && !is_same(words, dw, count_dw))
        words = words->next;
    if (words)
        words->users++;
    else
        words = create_words(device, hash, dw, count_dw, first);
    pthread_mutex_unlock(&device->words.lock);
    return words;
}

static void forget_words(struct radeon_device *device, struct radeon_words *words)
{
    uint64_t *slot = map64_get(&device->words.by_hash, words->hash);
    struct radeon_words *first = (struct radeon_words *)(uintptr_t)*slot;
    if (first == words && !words->next) {
        map64_remove(&device->words.by_hash, words->hash);
    } else if (first == words) {
        *slot = (uintptr_t)words->next;
    } else {
        while (first->next != words)
            first = first->next;
        first->next = words->next;
    }
}

void radeon_words_put(struct radeon_device *device, const struct radeon_words *unused)
{
    struct radeon_words *words = (struct radeon_words *)unused;
    if (!words)
        return;
    pthread_mutex_lock(&device->words.lock);
    bool last = --words->users == 0;
    if (last)
        forget_words(device, words);
    pthread_mutex_unlock(&device->words.lock);
    if (last)
        vk_free(&device->vk.alloc, NULL, words);
}
