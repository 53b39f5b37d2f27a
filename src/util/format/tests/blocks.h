/* Blocks of ETC2, EAC and ASTC for the judges, and for the unit tests that hold digests of what the judges confirmed.
 * Random bits, but whatever selects a path through a decoder takes each of its values in turn. */
#ifndef UTIL_FORMAT_TESTS_BLOCKS_H
#define UTIL_FORMAT_TESTS_BLOCKS_H

#include <stdint.h>
#include <string.h>

#include "util/bits.h"
#include "util/format/format.h"

static uint64_t blocks_state;

static inline uint32_t blocks_random(void)
{
    blocks_state ^= blocks_state << 13;
    blocks_state ^= blocks_state >> 7;
    blocks_state ^= blocks_state << 17;
    return (uint32_t)(blocks_state >> 16);
}

/* Every format's blocks start from the same number. */
static inline void blocks_restart(void)
{
    blocks_state = 0x853c49e6748fea9bull;
}

/* Bits `low` to `low + count - 1` of the block as a little-endian number. */
static inline void blocks_put(uint8_t *block, unsigned low, unsigned count, uint32_t value)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned at = low + i;
        block[at / 8] = (uint8_t)((block[at / 8] & ~(1u << at % 8)) | (value >> i & 1) << at % 8);
    }
}

#define ETC2_BLOCKS 16384

/* One component of a differential block: its second colour inside or outside of the range. */
static inline uint8_t blocks_etc2_component(bool is_outside)
{
    for (;;) {
        uint8_t byte = (uint8_t)blocks_random();
        int sum = (byte >> 3) + (int)bits_sign_extend(byte & 7, 3);
        if ((sum < 0 || sum > 31) == is_outside)
            return byte;
    }
}

static inline void blocks_make_etc2(uint8_t *block, const struct format_info *info, unsigned number)
{
    const unsigned size_B = info->block_size_B > 8 ? 16 : 8; /* so that the compiler knows it, too */
    for (unsigned i = 0; i < size_B; i++)
        block[i] = (uint8_t)blocks_random();
    if (info->compression == FORMAT_COMPRESSION_EAC) {
        /* Half of the blocks have a base at an end of the range, an eighth the multiplier zero. */
        static const uint8_t ends[] = {0, 1, 2, 126, 127, 128, 129, 130, 253, 254, 255};
        for (unsigned i = 0; i < size_B; i += 8) {
            if (number & 1)
                block[i] = ends[blocks_random() % ARRAY_SIZE(ends)];
            if (number % 8 < 2)
                block[i + 1] &= 15;
        }
        return;
    }
    if (size_B == 16 && number % 8 == 0)
        block[1] &= 15;
    uint8_t *colour = block + size_B - 8;
    unsigned mode = number % 5; /* differential, T, H, planar, individual */
    if (mode < 4)
        for (unsigned i = 0; i < 3; i++)
            colour[i] = blocks_etc2_component(mode == i + 1);
    if (mode == 4)
        colour[3] &= (uint8_t)~2u;
    else if (number & 8)
        colour[3] |= 2;
}

#define ASTC_MODE_DRAWS 4
#define ASTC_BY_MODE (2048 * 4 * ASTC_MODE_DRAWS)
#define ASTC_BY_PATTERN (1024 * 3)
#define ASTC_BY_EXTENT 1024
#define ASTC_BLOCKS 40960 /* what remains is random */

/* Every block mode with one to four partitions: first with the endpoint mode that needs the fewest bits, then with
 * random ones. */
static inline void blocks_make_astc_mode(uint8_t *block, unsigned number)
{
    unsigned partitions = number / 2048 % 4 + 1, draw = number / 8192;
    blocks_put(block, 0, 11, number % 2048);
    blocks_put(block, 11, 2, partitions - 1);
    if (draw == 0) {
        blocks_put(block, partitions == 1 ? 13 : 23, partitions == 1 ? 4 : 6, 0);
    } else if (draw == 1 && partitions == 1) {
        blocks_put(block, 13, 4, number % 16);
    } else if (draw == 1) { /* one mode for all partitions, of the two classes with few integers */
        blocks_put(block, 23, 2, 0);
        blocks_put(block, 28, 1, 0);
    } else if (draw == 2 && partitions > 1) { /* modes of the lowest classes */
        blocks_put(block, 23, 2, 1);
    }
}

/* Every pattern of partitions, with a grid of 4x4 weights of one trit and pairs of luminances. */
static inline void blocks_make_astc_pattern(uint8_t *block, unsigned number)
{
    blocks_put(block, 0, 11, 0x051);
    blocks_put(block, 11, 2, number / 1024 + 1);
    blocks_put(block, 13, 10, number % 1024);
    blocks_put(block, 23, 6, 0);
}

/* One colour: with all coordinates at their maximum, random ones, equal ones; reserved bits clear; HDR. */
static inline void blocks_make_astc_extent(uint8_t *block, unsigned number)
{
    blocks_put(block, 0, 12, 0xdfc);
    if (number % 4 == 0)
        memset(block + 2, 0xff, 6), block[1] |= 0xf0;
    if (number % 4 == 1) {
        for (unsigned axis = 0; axis < 2; axis++) {
            uint32_t low = blocks_random() % 0x1fff;
            blocks_put(block, 12 + 26 * axis, 13, low);
            blocks_put(block, 25 + 26 * axis, 13, low + 1 + blocks_random() % (0x1fff - low));
        }
    }
    if (number % 4 == 2) {
        uint32_t low = blocks_random() & 0x1fff;
        blocks_put(block, 12 + 26 * (number / 4 % 2), 13, low);
        blocks_put(block, 25 + 26 * (number / 4 % 2), 13, low);
    }
    if (number % 16 == 4)
        blocks_put(block, 10, 2, number / 16 % 3);
    if (number % 16 == 8)
        blocks_put(block, 9, 1, 1);
    if (number % 32 == 12)
        memset(block + 8, 0xff, 8);
}

static inline void blocks_make_astc(uint8_t *block, unsigned number)
{
    for (unsigned i = 0; i < 16; i++)
        block[i] = (uint8_t)blocks_random();
    if (number < ASTC_BY_MODE)
        blocks_make_astc_mode(block, number);
    else if (number < ASTC_BY_MODE + ASTC_BY_PATTERN)
        blocks_make_astc_pattern(block, number - ASTC_BY_MODE);
    else if (number < ASTC_BY_MODE + ASTC_BY_PATTERN + ASTC_BY_EXTENT)
        blocks_make_astc_extent(block, number - ASTC_BY_MODE - ASTC_BY_PATTERN);
}

#endif
