/* Hash maps with open addressing: `map64` from 64-bit keys to 64-bit values (handles, addresses, interned ids; a
 * pointer fits), `strmap` from strings to pointers. Not ordered and not thread-safe. Values move when a map grows. */
#ifndef UTIL_MAP_H
#define UTIL_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct map64_slot {
    uint64_t key;
    uint64_t value;
    uint8_t state; /* enum slot_state in map.c */
};

/* A zeroed struct map64 is an empty map. */
struct map64 {
    struct map64_slot *slots;
    uint32_t capacity; /* 0 or a power of two */
    uint32_t count;    /* live entries */
    uint32_t used;     /* live entries and tombstones: what the load factor counts */
};

/* Insert or replace; false, with the map unchanged, when there is no memory. */
bool map64_set(struct map64 *map, uint64_t key, uint64_t value);

/* The place of the key's value, valid until the next map64_set; NULL when absent. */
uint64_t *map64_get(const struct map64 *map, uint64_t key);

/* False when the key was not there. */
bool map64_remove(struct map64 *map, uint64_t key);

/* Gives memory back where few entries are left. After a removal, but not while all are visited. */
void map64_trim(struct map64 *map);
void map64_finish(struct map64 *map);

/* Visit every entry: `for (struct map64_slot *s = NULL; (s = map64_next(&map, s));)`. Removing the visited entry is
 * allowed. */
struct map64_slot *map64_next(const struct map64 *map, const struct map64_slot *after);

struct strmap_slot {
    const char *key; /* NULL: empty. The map does not own the string. */
    void *value;
    uint64_t hash;
};

struct strmap {
    struct strmap_slot *slots;
    uint32_t capacity;
    uint32_t count;
};

/* Insert or replace. The key must outlive the map. */
bool strmap_set(struct strmap *map, const char *key, void *value);
void *strmap_get(const struct strmap *map, const char *key);
void *strmap_get_n(const struct strmap *map, const char *key, uint32_t length);
void strmap_finish(struct strmap *map);

#endif
