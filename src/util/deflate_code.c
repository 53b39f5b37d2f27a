/* See deflate_code.h. Codes are canonical: their lengths say all. Lengths are those of a tree that joins the two rarest
 * nodes until one is left; where a word gets longer than is allowed, it and a shorter one change places with two of
 * equal length. */
#include "util/deflate_code.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct leaf {
    uint32_t count;
    uint16_t symbol;
};

static int compare_leaves(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (int)x->symbol - (int)y->symbol;
}

/* How many words have each length, in a tree of `count` leaves (two or more) that are sorted by their counts. Inner
 * nodes arise in the order of their sums, so that the rarest node is the next of one of two queues. */
static void count_lengths(const struct leaf *leaves, unsigned count, unsigned bits_max,
                          unsigned numbers[DEFLATE_BITS_MAX + 1])
{
    uint32_t sums[DEFLATE_LITERALS];
    uint16_t parents[2 * DEFLATE_LITERALS], depths[2 * DEFLATE_LITERALS]; /* leaves, then inner nodes */
    unsigned next_leaf = 0, next_inner = 0, inner = 0;
    for (; inner < count - 1; inner++) {
        sums[inner] = 0;
        for (unsigned i = 0; i < 2; i++) {
            const bool is_leaf =
                next_leaf < count && (next_inner == inner || leaves[next_leaf].count <= sums[next_inner]);
            sums[inner] += is_leaf ? leaves[next_leaf].count : sums[next_inner];
            parents[is_leaf ? next_leaf++ : count + next_inner++] = (uint16_t)(count + inner);
        }
    }
    const unsigned root = count + inner - 1;
    int too_long = 0;
    depths[root] = 0;
    for (unsigned i = root; i-- > 0;) {
        depths[i] = depths[parents[i]] + 1;
        if (i < count) {
            too_long += depths[i] > bits_max;
            numbers[depths[i] < bits_max ? depths[i] : bits_max]++;
        } else if (depths[i] > bits_max) {
            depths[i] = (uint16_t)bits_max; /* its leaves count as of the greatest length, below */
        }
    }
    /* Words that are cut to the greatest length take more of the code than there is: in units of such words, until it
     * fits. */
    unsigned used = 0;
    for (unsigned bits = 1; bits <= bits_max; bits++)
        used += numbers[bits] << (bits_max - bits);
    for (; too_long && used > 1u << bits_max; used--) {
        unsigned bits = bits_max - 1;
        while (!numbers[bits])
            bits--;
        numbers[bits]--;
        numbers[bits + 1] += 2;
        numbers[bits_max]--;
    }
}

void deflate_number_code(struct deflate_code *code, unsigned symbols)
{
    unsigned next[DEFLATE_BITS_MAX + 2] = {0};
    for (unsigned i = 0; i < symbols; i++)
        next[code->bits[i] + 1] += code->bits[i] != 0;
    for (unsigned bits = 1; bits <= DEFLATE_BITS_MAX; bits++)
        next[bits] = (next[bits] + next[bits - 1]) << 1;
    for (unsigned i = 0; i < symbols; i++) {
        unsigned word = code->bits[i] ? next[code->bits[i]]++ : 0, reversed = 0;
        for (unsigned bit = 0; bit < code->bits[i]; bit++)
            reversed |= (word >> bit & 1) << (code->bits[i] - 1 - bit);
        code->words[i] = (uint16_t)reversed;
    }
}

void deflate_make_code(struct deflate_code *code, const uint32_t *counts, unsigned symbols, unsigned bits_max)
{
    struct leaf leaves[DEFLATE_LITERALS];
    unsigned count = 0, numbers[DEFLATE_BITS_MAX + 1] = {0};
    memset(code->bits, 0, sizeof(code->bits));
    for (unsigned i = 0; i < symbols; i++) {
        if (counts[i])
            leaves[count++] = (struct leaf){counts[i], (uint16_t)i};
    }
    if (count == 1)
        numbers[1] = 1;
    qsort(leaves, count, sizeof(*leaves), compare_leaves);
    if (count > 1)
        count_lengths(leaves, count, bits_max, numbers);
    /* The rarest have the longest words. */
    for (unsigned bits = bits_max, i = 0; bits; bits--) {
        for (unsigned n = 0; n < numbers[bits]; n++)
            code->bits[leaves[i++].symbol] = (uint8_t)bits;
    }
    deflate_number_code(code, symbols);
}
