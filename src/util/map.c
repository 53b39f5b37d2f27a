/* Linear probing over a power-of-two table, at most three quarters full. */
#include "util/map.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

enum slot_state {
    SLOT_EMPTY,
    SLOT_LIVE,
    SLOT_TOMBSTONE, /* a removed entry: a search continues after it */
};

static bool map64_resize(struct map64 *map, uint32_t capacity)
{
    struct map64_slot *slots = calloc(capacity, sizeof(*slots));
    if (!slots)
        return false;
    for (uint32_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].state != SLOT_LIVE)
            continue;
        uint32_t at = (uint32_t)hash_u64(map->slots[i].key) & (capacity - 1);
        while (slots[at].state != SLOT_EMPTY)
            at = (at + 1) & (capacity - 1);
        slots[at] = map->slots[i];
    }
    free(map->slots);
    map->slots = slots;
    map->capacity = capacity;
    map->used = map->count;
    return true;
}

static struct map64_slot *map64_find(const struct map64 *map, uint64_t key)
{
    if (!map->capacity)
        return NULL;
    uint32_t at = (uint32_t)hash_u64(key) & (map->capacity - 1);
    while (map->slots[at].state != SLOT_EMPTY) {
        if (map->slots[at].state == SLOT_LIVE && map->slots[at].key == key)
            return &map->slots[at];
        at = (at + 1) & (map->capacity - 1);
    }
    return NULL;
}

bool map64_set(struct map64 *map, uint64_t key, uint64_t value)
{
    struct map64_slot *found = map64_find(map, key);
    if (found) {
        found->value = value;
        return true;
    }

    /* Tombstones alone may fill a table: it is then rebuilt at its own size. */
    if ((map->used + 1) * 4ull > map->capacity * 3ull) {
        uint32_t capacity = map->capacity ? map->capacity : 16;
        if ((map->count + 1) * 2ull > capacity)
            capacity *= 2;
        if (!map64_resize(map, capacity))
            return false;
    }

    uint32_t at = (uint32_t)hash_u64(key) & (map->capacity - 1);
    while (map->slots[at].state == SLOT_LIVE)
        at = (at + 1) & (map->capacity - 1);
    map->used += map->slots[at].state == SLOT_EMPTY;
    map->count++;
    map->slots[at] = (struct map64_slot){key, value, SLOT_LIVE};
    return true;
}

uint64_t *map64_get(const struct map64 *map, uint64_t key)
{
    struct map64_slot *slot = map64_find(map, key);
    return slot ? &slot->value : NULL;
}

bool map64_remove(struct map64 *map, uint64_t key)
{
    struct map64_slot *slot = map64_find(map, key);
    if (!slot)
        return false;
    slot->state = SLOT_TOMBSTONE;
    map->count--;
    return true;
}

void map64_trim(struct map64 *map)
{
    if (!map->count)
        map64_finish(map);
    else if (map->capacity > 64 && map->count * 8ull < map->capacity)
        map64_resize(map, map->capacity / 2); /* or it stays as it is */
}

void map64_finish(struct map64 *map)
{
    free(map->slots);
    *map = (struct map64){0};
}

struct map64_slot *map64_next(const struct map64 *map, const struct map64_slot *after)
{
    uint32_t at = after ? (uint32_t)(after - map->slots) + 1 : 0;
    while (at < map->capacity && map->slots[at].state != SLOT_LIVE)
        at++;
    return at < map->capacity ? &map->slots[at] : NULL;
}

static struct strmap_slot *strmap_place(struct strmap_slot *slots, uint32_t capacity, const char *key, uint32_t length,
                                        uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (capacity - 1);
    while (slots[at].key) {
        const struct strmap_slot *slot = &slots[at];
        if (slot->hash == hash && strncmp(slot->key, key, length) == 0 && slot->key[length] == '\0')
            break;
        at = (at + 1) & (capacity - 1);
    }
    return &slots[at];
}

bool strmap_set(struct strmap *map, const char *key, void *value)
{
    if ((map->count + 1) * 4ull > map->capacity * 3ull) {
        uint32_t capacity = map->capacity ? map->capacity * 2 : 16;
        struct strmap_slot *slots = calloc(capacity, sizeof(*slots));
        if (!slots)
            return false;
        for (uint32_t i = 0; i < map->capacity; i++) {
            const struct strmap_slot *old = &map->slots[i];
            if (old->key)
                *strmap_place(slots, capacity, old->key, (uint32_t)strlen(old->key), old->hash) = *old;
        }
        free(map->slots);
        map->slots = slots;
        map->capacity = capacity;
    }

    uint32_t length = (uint32_t)strlen(key);
    uint64_t hash = hash_bytes(key, length);
    struct strmap_slot *slot = strmap_place(map->slots, map->capacity, key, length, hash);
    map->count += slot->key == NULL;
    *slot = (struct strmap_slot){key, value, hash};
    return true;
}

void *strmap_get_n(const struct strmap *map, const char *key, uint32_t length)
{
    if (!map->capacity)
        return NULL;
    return strmap_place(map->slots, map->capacity, key, length, hash_bytes(key, length))->value;
}

void *strmap_get(const struct strmap *map, const char *key)
{
    return strmap_get_n(map, key, (uint32_t)strlen(key));
}

void strmap_finish(struct strmap *map)
{
    free(map->slots);
    *map = (struct strmap){0};
}
