/* See forge.h. */
#include "forge.h"

#include <string.h>

#include "util/hash.h"

enum {
    FILE_HEADER_B = 32,
    KEY_B = 16,
    ENTRY_B = 16 + KEY_B,
    CODE_HEADER_B = 8, /* the stage, and zero */
    MAX_ENTRIES = 64,
    PART_SIZES_B = 64 /* more than the sizes of a code's parts take */
};

struct entry {
    uint8_t *head, *bytes; /* `head`: kind, size, checksum, key */
    uint32_t size_B;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 33;
}

static unsigned list_entries(uint8_t *file, size_t size_B, struct entry *out)
{
    unsigned count = 0;
    for (size_t at = FILE_HEADER_B; at + ENTRY_B <= size_B && count < MAX_ENTRIES;) {
        struct entry *entry = &out[count++];
        *entry = (struct entry){file + at, file + at + ENTRY_B, 0};
        memcpy(&entry->size_B, entry->head + 4, 4);
        at += ENTRY_B;
        if (entry->size_B > size_B - at || entry->size_B < CODE_HEADER_B + PART_SIZES_B)
            return 0;
        at += (entry->size_B + 7) & ~7u;
    }
    return count;
}

static void sign_entry(const struct entry *entry)
{
    const uint64_t checksum = hash_bytes(entry->bytes, entry->size_B);
    memcpy(entry->head + 8, &checksum, sizeof(checksum));
}

/* Numbers at which checks are wrong by one, and large ones. */
static uint32_t odd_number(uint64_t *state)
{
    static const uint32_t numbers[] = {0,      1,      2,      3,       4,          7,         8,    15,   16,
                                       31,     32,     33,     63,      64,         65,        127,  128,  129,
                                       255,    256,    257,    511,     512,        1023,      1024, 1025, 4095,
                                       0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0xffffffff};
    if (next_random(state) % 4 == 0)
        return (uint32_t)(next_random(state) << 16 ^ next_random(state));
    return numbers[next_random(state) % (sizeof(numbers) / sizeof(numbers[0]))];
}

/* Most of the time among the first bytes, where sizes and the description of the program are. */
static uint32_t choose_place(const struct entry *entry, uint64_t *state)
{
    const uint32_t near_B = next_random(state) % 8 == 0 ? entry->size_B : 3000;
    return (uint32_t)(next_random(state) % (near_B < entry->size_B ? near_B : entry->size_B));
}

static void change_number(const struct entry *entry, uint64_t *state)
{
    const uint32_t at = choose_place(entry, state), value = odd_number(state);
    const uint32_t width_B = 1u << next_random(state) % 3;
    if (at + width_B <= entry->size_B)
        memcpy(entry->bytes + at, &value, width_B);
}

static void change_bit(const struct entry *entry, uint64_t *state)
{
    entry->bytes[choose_place(entry, state)] ^= (uint8_t)(1u << next_random(state) % 8);
}

static void swap_bytes(uint8_t *a, uint8_t *b, uint32_t size_B)
{
    for (uint32_t i = 0; i < size_B; i++) {
        const uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Each program is found by the other one's key, and mostly for its stage, too. */
static void swap_programs(const struct entry *a, const struct entry *b, uint64_t *state)
{
    swap_bytes(a->head + 16, b->head + 16, KEY_B);
    if (next_random(state) % 8)
        swap_bytes(a->bytes, b->bytes, 4);
}

unsigned forge_cache(uint8_t *file, size_t size_B, uint64_t seed)
{
    struct entry entries[MAX_ENTRIES];
    const unsigned count = list_entries(file, size_B, entries);
    uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
    if (!count)
        return 0;
    for (uint64_t times = 1 + next_random(&state) % 4; times; times--) {
        const struct entry *entry = &entries[next_random(&state) % count];
        switch (next_random(&state) % 16) {
        case 0:
            swap_programs(entry, &entries[next_random(&state) % count], &state);
            break;
        case 1:
        case 2:
        case 3:
            change_bit(entry, &state);
            break;
        default:
            change_number(entry, &state);
            break;
        }
    }
    for (unsigned i = 0; i < count; i++)
        sign_entry(&entries[i]);
    return count;
}
