/* See deflate.h. Matches are found by chains of positions with equal three bytes, and the longer of two that begin at
 * neighbouring bytes is taken; a block is written with codes of its own, with the fixed ones, or as it is, whatever is
 * shortest. */
#include "util/deflate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "util/deflate_code.h"

enum {
    WINDOW_B = 32768,
    HASH_BITS = 15,
    MATCH_MIN_B = 3,
    MATCH_MAX_B = 258,
    NICE_B = 128,    /* a match of this length is not improved upon */
    LAZY_B = 32,     /* after one of this length the next byte is not tried */
    CHAIN_MAX = 128, /* positions that are looked at */
    FAR_B = 4096,    /* three bytes from further away cost more bits than they save */
    BLOCK_ITEMS = 32768,
    STORED_B = 65535, /* in one block that is written as it is */
    END_OF_BLOCK = 256,
};

/* Of lengths and of distances: the first that each symbol stands for, and bits that follow it. */
static const uint16_t length_bases[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                          31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extras[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_bases[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                            33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                            1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_extras[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                            6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

struct deflate {
    const uint8_t *in;
    uint32_t size_B;
    uint8_t *out;
    uint64_t bits;
    unsigned bit_count;
    uint32_t block_at; /* the first byte of the block */
    uint32_t item_count;
    uint32_t items[BLOCK_ITEMS]; /* a byte, or length << 16 | distance */
    uint32_t literal_counts[DEFLATE_LITERALS], distance_counts[DEFLATE_DISTANCES];
    uint32_t heads[1 << HASH_BITS], chain[WINDOW_B]; /* positions from 1 on */
    uint8_t length_symbols[MATCH_MAX_B + 1];
};

/* ---- bits ---- */

static void put_bits(struct deflate *d, uint32_t value, unsigned count)
{
    d->bits |= (uint64_t)value << d->bit_count;
    d->bit_count += count;
    while (d->bit_count >= 8) {
        *d->out++ = (uint8_t)d->bits;
        d->bits >>= 8;
        d->bit_count -= 8;
    }
}

static unsigned distance_symbol(uint32_t distance)
{
    if (distance <= 4)
        return distance - 1;
    const unsigned log = 31 - (unsigned)__builtin_clz(distance - 1);
    return 2 * log + ((distance - 1) >> (log - 1) & 1);
}

static void make_length_symbols(struct deflate *d)
{
    for (unsigned i = 0; i < ARRAY_SIZE(length_bases); i++) {
        for (unsigned length = length_bases[i];
             length <= MATCH_MAX_B && length < length_bases[i] + (1u << length_extras[i]); length++)
            d->length_symbols[length] = (uint8_t)i;
    }
}

/* ---- blocks ---- */

/* The lengths of both codes, as symbols of a third: runs of zeros and of equal ones are shorter. */
struct lengths {
    uint8_t symbols[DEFLATE_LITERALS + DEFLATE_DISTANCES], extras[DEFLATE_LITERALS + DEFLATE_DISTANCES];
    unsigned count;
    uint32_t counts[DEFLATE_LENGTHS];
};

static void add_length(struct lengths *lengths, unsigned symbol, unsigned extra)
{
    lengths->symbols[lengths->count] = (uint8_t)symbol;
    lengths->extras[lengths->count++] = (uint8_t)extra;
    lengths->counts[symbol]++;
}

static void add_run(struct lengths *lengths, unsigned bits, unsigned run)
{
    if (bits && run) {
        add_length(lengths, bits, 0);
        run--;
    }
    while (run >= 3) {
        const unsigned part = MIN2(run, bits ? 6u : 138u);
        if (bits)
            add_length(lengths, 16, part - 3);
        else
            add_length(lengths, part > 10 ? 18 : 17, part > 10 ? part - 11 : part - 3);
        run -= part;
    }
    while (run--)
        add_length(lengths, bits, 0);
}

static void collect_lengths(struct lengths *lengths, const uint8_t *all, unsigned count)
{
    for (unsigned at = 0, run; at < count; at += run) {
        for (run = 1; at + run < count && all[at + run] == all[at];)
            run++;
        add_run(lengths, all[at], run);
    }
}

static uint64_t items_bits(const struct deflate *d, const struct deflate_code *literals,
                           const struct deflate_code *distances)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < DEFLATE_LITERALS; i++)
        bits += (uint64_t)d->literal_counts[i] *
                (literals->bits[i] + (i > END_OF_BLOCK ? length_extras[i - END_OF_BLOCK - 1] : 0));
    for (unsigned i = 0; i < DEFLATE_DISTANCES; i++)
        bits += (uint64_t)d->distance_counts[i] * (distances->bits[i] + distance_extras[i]);
    return bits;
}

static void put_items(struct deflate *d, const struct deflate_code *literals, const struct deflate_code *distances)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        const unsigned length = d->items[i] >> 16, distance = d->items[i] & 0xffff;
        if (!length) {
            put_bits(d, literals->words[distance], literals->bits[distance]);
            continue;
        }
        const unsigned symbol = d->length_symbols[length], code = END_OF_BLOCK + 1 + symbol;
        put_bits(d, literals->words[code], literals->bits[code]);
        put_bits(d, length - length_bases[symbol], length_extras[symbol]);
        const unsigned where = distance_symbol(distance + 1);
        put_bits(d, distances->words[where], distances->bits[where]);
        put_bits(d, distance + 1 - distance_bases[where], distance_extras[where]);
    }
    put_bits(d, literals->words[END_OF_BLOCK], literals->bits[END_OF_BLOCK]);
}

static void put_stored(struct deflate *d, const uint8_t *bytes, uint32_t size_B, bool is_last)
{
    do {
        const uint32_t part_B = MIN2(size_B, (uint32_t)STORED_B);
        put_bits(d, is_last && part_B == size_B, 3);
        if (d->bit_count)
            put_bits(d, 0, 8 - d->bit_count);
        put_bits(d, part_B | (~part_B & 0xffff) << 16, 32);
        memcpy(d->out, bytes, part_B);
        d->out += part_B;
        bytes += part_B;
        size_B -= part_B;
    } while (size_B);
}

static void make_fixed(struct deflate_code *literals, struct deflate_code *distances)
{
    for (unsigned i = 0; i < DEFLATE_WORDS; i++)
        literals->bits[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(distances->bits, 5, sizeof(distances->bits));
    deflate_number_code(literals,
                        DEFLATE_WORDS); /* with the last two, which no symbol has: longer words come after them */
    deflate_number_code(distances, DEFLATE_DISTANCES);
}

/* In the order in which the lengths of the third code are written, so that the last are mostly zero. */
static const uint8_t lengths_order[DEFLATE_LENGTHS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                       11, 4,  12, 3, 13, 2, 14, 1, 15};
static const uint8_t lengths_extras[DEFLATE_LENGTHS] = {[16] = 2, [17] = 3, [18] = 7};

static unsigned count_used(const uint8_t *bits, unsigned count, unsigned least)
{
    while (count > least && !bits[count - 1])
        count--;
    return count;
}

struct own_codes {
    struct deflate_code literals, distances, code;
    struct lengths lengths;
    unsigned literal_count, distance_count, code_count;
    uint64_t head_bits;
};

static void make_own(const struct deflate *d, struct own_codes *own)
{
    uint8_t all[DEFLATE_LITERALS + DEFLATE_DISTANCES];
    deflate_make_code(&own->literals, d->literal_counts, DEFLATE_LITERALS, DEFLATE_BITS_MAX);
    deflate_make_code(&own->distances, d->distance_counts, DEFLATE_DISTANCES, DEFLATE_BITS_MAX);
    own->literal_count = count_used(own->literals.bits, DEFLATE_LITERALS, 257);
    own->distance_count = count_used(own->distances.bits, DEFLATE_DISTANCES, 1);
    memcpy(all, own->literals.bits, own->literal_count);
    memcpy(all + own->literal_count, own->distances.bits, own->distance_count);
    own->lengths = (struct lengths){.count = 0};
    collect_lengths(&own->lengths, all, own->literal_count + own->distance_count);
    deflate_make_code(&own->code, own->lengths.counts, DEFLATE_LENGTHS, 7);
    own->code_count = DEFLATE_LENGTHS;
    while (own->code_count > 4 && !own->code.bits[lengths_order[own->code_count - 1]])
        own->code_count--;
    own->head_bits = 14 + 3 * own->code_count;
    for (unsigned i = 0; i < DEFLATE_LENGTHS; i++)
        own->head_bits += (uint64_t)own->lengths.counts[i] * (own->code.bits[i] + lengths_extras[i]);
}

static void put_own(struct deflate *d, const struct own_codes *own)
{
    put_bits(d, own->literal_count - 257, 5);
    put_bits(d, own->distance_count - 1, 5);
    put_bits(d, own->code_count - 4, 4);
    for (unsigned i = 0; i < own->code_count; i++)
        put_bits(d, own->code.bits[lengths_order[i]], 3);
    for (unsigned i = 0; i < own->lengths.count; i++) {
        const unsigned symbol = own->lengths.symbols[i];
        put_bits(d, own->code.words[symbol], own->code.bits[symbol]);
        put_bits(d, own->lengths.extras[i], lengths_extras[symbol]);
    }
    put_items(d, &own->literals, &own->distances);
}

static void end_block(struct deflate *d, uint32_t end, bool is_last)
{
    struct own_codes own;
    struct deflate_code literals, distances;
    d->literal_counts[END_OF_BLOCK] = 1;
    make_own(d, &own);
    make_fixed(&literals, &distances);
    const uint64_t own_bits = own.head_bits + items_bits(d, &own.literals, &own.distances);
    const uint64_t fixed_bits = items_bits(d, &literals, &distances);
    const uint64_t stored_bits = 8 * (uint64_t)(end - d->block_at) + 40 * ((end - d->block_at) / STORED_B + 1ull);
    if (stored_bits <= MIN2(own_bits, fixed_bits)) {
        put_stored(d, d->in + d->block_at, end - d->block_at, is_last);
    } else if (fixed_bits <= own_bits) {
        put_bits(d, is_last | 1 << 1, 3);
        put_items(d, &literals, &distances);
    } else {
        put_bits(d, is_last | 2 << 1, 3);
        put_own(d, &own);
    }
    memset(d->literal_counts, 0, sizeof(d->literal_counts));
    memset(d->distance_counts, 0, sizeof(d->distance_counts));
    d->item_count = 0;
    d->block_at = end;
}

/* ---- matches ---- */

static uint32_t *head_of(struct deflate *d, uint32_t at)
{
    const uint32_t three = d->in[at] | (uint32_t)d->in[at + 1] << 8 | (uint32_t)d->in[at + 2] << 16;
    return &d->heads[three * 0x9e3779b1u >> (32 - HASH_BITS)];
}

static void insert_string(struct deflate *d, uint32_t at)
{
    if (at + MATCH_MIN_B > d->size_B)
        return;
    uint32_t *head = head_of(d, at);
    d->chain[at % WINDOW_B] = *head;
    *head = at + 1;
}

static unsigned equal_bytes(const uint8_t *a, const uint8_t *b, unsigned max)
{
    unsigned count = 0;
    for (; count + 8 <= max; count += 8) {
        uint64_t x, y;
        memcpy(&x, a + count, 8);
        memcpy(&y, b + count, 8);
        if (x != y)
            return count + ((unsigned)__builtin_ctzll(x ^ y) >> 3); /* all our machines are little-endian */
    }
    while (count < max && a[count] == b[count])
        count++;
    return count;
}

/* The longest match for what stands at `at` that is longer than `best`; 0: none. `at` is not in the chains yet. */
static unsigned find_match(struct deflate *d, uint32_t at, unsigned best, uint32_t *distance_out)
{
    const unsigned max = MIN2((uint32_t)MATCH_MAX_B, d->size_B - at);
    const uint8_t *here = d->in + at;
    unsigned found = 0;
    if (max < MATCH_MIN_B || best >= max)
        return 0;
    uint32_t next = *head_of(d, at);
    for (unsigned tries = best >= 8 ? CHAIN_MAX / 4 : CHAIN_MAX; next && at - (next - 1) <= WINDOW_B && tries;
         tries--) {
        const uint32_t distance = at - (next - 1);
        const uint8_t *there = here - distance;
        if (there[best] == here[best]) {
            const unsigned length = equal_bytes(there, here, max);
            if (length > best && (length > MATCH_MIN_B || distance <= FAR_B)) {
                best = found = length;
                *distance_out = distance;
                if (length >= NICE_B || length == max)
                    break;
            }
        }
        const uint32_t before = d->chain[(next - 1) % WINDOW_B];
        if (before >= next)
            break; /* overwritten by a later position */
        next = before;
    }
    return found;
}

static void add_literal(struct deflate *d, uint8_t byte)
{
    d->items[d->item_count++] = byte;
    d->literal_counts[byte]++;
}

static void add_match(struct deflate *d, unsigned length, uint32_t distance)
{
    d->items[d->item_count++] = length << 16 | (distance - 1);
    d->literal_counts[END_OF_BLOCK + 1 + d->length_symbols[length]]++;
    d->distance_counts[distance_symbol(distance)]++;
}

static void compress_bytes(struct deflate *d)
{
    uint32_t at = 0;
    while (at < d->size_B) {
        uint32_t distance = 0, later_distance = 0;
        unsigned length = find_match(d, at, MATCH_MIN_B - 1, &distance), later;
        insert_string(d, at);
        /* One byte as it is, for a longer match after it. */
        while (length && length < LAZY_B && d->item_count + 2 < BLOCK_ITEMS &&
               (later = find_match(d, at + 1, length, &later_distance)) != 0) {
            add_literal(d, d->in[at++]);
            insert_string(d, at);
            length = later;
            distance = later_distance;
        }
        if (length) {
            add_match(d, length, distance);
            for (unsigned i = 1; i < length; i++)
                insert_string(d, at + i);
            at += length;
        } else {
            add_literal(d, d->in[at++]);
        }
        if (d->item_count + 2 >= BLOCK_ITEMS && at < d->size_B)
            end_block(d, at, false);
    }
    end_block(d, at, true);
}

/* ---- the container ---- */

static uint32_t adler32(const uint8_t *bytes, size_t size_B)
{
    uint32_t a = 1, b = 0;
    while (size_B) {
        const size_t part_B = MIN2(size_B, (size_t)5552); /* as many as 32 bits can sum up */
        for (size_t i = 0; i < part_B; i++) {
            a += bytes[i];
            b += a;
        }
        a %= 65521;
        b %= 65521;
        bytes += part_B;
        size_B -= part_B;
    }
    return b << 16 | a;
}

uint8_t *deflate_zlib(const void *data, size_t size_B, size_t *compressed_B_out)
{
    /* A block that is not the last has so many bytes at least; in its heads and ends are less than 32. */
    const size_t bound_B = size_B + 32 * (size_B / (BLOCK_ITEMS - 2) + 2);
    struct deflate *d = size_B <= INT32_MAX ? calloc(1, sizeof(*d)) : NULL;
    uint8_t *out = d ? malloc(bound_B) : NULL;
    if (out) {
        *d = (struct deflate){.in = data, .size_B = (uint32_t)size_B, .out = out};
        make_length_symbols(d);
        put_bits(d, 0x9c78, 16); /* a window of 32 KiB, the middling effort */
        compress_bytes(d);
        if (d->bit_count)
            put_bits(d, 0, 8 - d->bit_count);
        put_bits(d, __builtin_bswap32(adler32(data, size_B)), 32);
        *compressed_B_out = (size_t)(d->out - out);
    }
    free(d);
    return out;
}
