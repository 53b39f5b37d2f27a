/* Lanes: what the wave executors of the GPU models compute on. A register is an array of lanes of 32 bits; loops run
 * over fixed groups of lanes, which compilers turn into host vectors; only the conversion between masks and lanes,
 * which they do badly, is written for each host.
 *
 * Masks of lanes come in two forms. `struct lane_mask` is the one that shared interfaces take: waves of 16 to 128 lanes
 * in groups of 16. A family whose waves have at most 64 lanes, and a register for their mask, keeps that in a uint64_t
 * and converts where it calls a shared room; LANES_MAX, LANES_GROUP and the functions with uint64_t are for such
 * executors. In memory both are one bit per lane from the lowest on, which is what host code reads (model/jit.h).
 *
 * Not for lanes of other widths: a 64-bit value is two registers, as on the hardware. */
#ifndef MODEL_LANES_H
#define MODEL_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LANES_MAX 64
#define LANES_GROUP 32 /* the smallest wave of such an executor; every count is a multiple of it */

/* Every lane's columns are independent of every other lane's, even where destination and source registers overlap. */
#if defined(__clang__)
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#pragma clang diagnostic ignored "-Wpass-failed" /* some loops have no vector form */
#else
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* The hosts' instructions between lanes and masks. They stand here as assembly, for the compilers' header of all of
 * them is long (util/intrinsics.h), and nearly every file of a model comes by here. */
#if defined(__aarch64__)
typedef uint32_t lanes_words __attribute__((vector_size(16), aligned(4), may_alias));

/* Of sixteen lanes: narrowed to bytes, one bit of each is kept, and neighbours are added until each half is one
 * byte. */
static inline uint32_t lanes_top_bits(const uint32_t *lanes)
{
    typedef uint16_t halves __attribute__((vector_size(16)));
    typedef uint8_t bytes __attribute__((vector_size(16)));
    const bytes bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    halves part[2];
    for (unsigned i = 0; i < 2; i++)
        part[i] =
            __builtin_shufflevector((halves) * (const lanes_words *)(lanes + 8 * i),
                                    (halves) * (const lanes_words *)(lanes + 8 * i + 4), 0, 2, 4, 6, 8, 10, 12, 14);
    bytes sum = __builtin_shufflevector((bytes)part[0], (bytes)part[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
                                        26, 28, 30) &
                bit;
    for (unsigned i = 0; i < 3; i++)
        __asm__("addp %0.16b, %0.16b, %0.16b" : "+w"(sum));
    return ((halves)sum)[0];
}
#elif defined(__AVX512DQ__)
typedef uint32_t lanes_vector __attribute__((vector_size(64), aligned(4), may_alias));

static inline uint32_t lanes_top_bits(lanes_vector lanes)
{
    uint16_t bits;
    __asm__("vpmovd2m %1, %0" : "=k"(bits) : "v"(lanes));
    return bits;
}

static inline lanes_vector lanes_of_bits(uint32_t bits)
{
    lanes_vector lanes;
    __asm__("vpmovm2d %1, %0" : "=v"(lanes) : "k"((uint16_t)bits));
    return lanes;
}
#elif defined(__AVX2__)
typedef uint32_t lanes_vector __attribute__((vector_size(32), aligned(4), may_alias));

static inline uint32_t lanes_top_bits(lanes_vector lanes)
{
    uint32_t bits;
    __asm__("vmovmskps %1, %0" : "=r"(bits) : "x"(lanes));
    return bits;
}

static inline lanes_vector lanes_of_bits(uint32_t bits)
{
    const lanes_vector bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return (lanes_vector)((bits & bit) == bit);
}
#elif defined(__SSE2__)
typedef uint32_t lanes_vector __attribute__((vector_size(16), aligned(4), may_alias));

static inline uint32_t lanes_top_bits(lanes_vector lanes)
{
    uint32_t bits;
    __asm__("movmskps %1, %0" : "=r"(bits) : "x"(lanes));
    return bits;
}
#endif

/* Bit i of the result is the top bit of lane i. Lanes are all zeros or all ones wherever this is used. */
static inline uint64_t lanes_to_mask(const uint32_t *lanes, unsigned count)
{
    uint64_t mask = 0;
#if defined(__aarch64__)
    for (unsigned i = 0; i < count; i += 16)
        mask |= (uint64_t)lanes_top_bits(lanes + i) << i;
#elif defined(__SSE2__)
    for (unsigned i = 0; i < count; i += sizeof(lanes_vector) / 4)
        mask |= (uint64_t)lanes_top_bits(*(const lanes_vector *)(lanes + i)) << i;
#else
    for (unsigned i = 0; i < count; i++)
        mask |= (uint64_t)(lanes[i] >> 31) << i;
#endif
    return mask;
}

/* Lane i becomes all ones where bit i is set, else zero. */
static inline void lanes_from_mask(uint32_t *lanes, uint64_t mask, unsigned count)
{
#if defined(__AVX512DQ__)
    for (unsigned i = 0; i < count; i += 16)
        *(lanes_vector *)(lanes + i) = lanes_of_bits((uint32_t)(mask >> i));
#else
    for (unsigned group = 0; group < count; group += LANES_GROUP) {
        uint32_t word = (uint32_t)(mask >> group);
        uint32_t *to = lanes + group;
        LANES_INDEPENDENT
        for (unsigned i = 0; i < LANES_GROUP; i++)
            to[i] = word & (1u << i) ? UINT32_MAX : 0;
    }
#endif
}

static inline void lanes_splat(uint32_t *lanes, uint32_t value, unsigned count)
{
    for (unsigned group = 0; group < count; group += LANES_GROUP) {
        uint32_t *to = lanes + group;
        LANES_INDEPENDENT
        for (unsigned i = 0; i < LANES_GROUP; i++)
            to[i] = value;
    }
}

static inline uint64_t lanes_full_mask(unsigned count)
{
    return count == 64 ? UINT64_MAX : (1ull << count) - 1;
}

/* ---- masks of up to 128 lanes ---- */

#define LANE_MASK_LANES 128
#define LANE_MASK_GROUP 16
#define LANE_MASK_GROUPS (LANE_MASK_LANES / LANE_MASK_GROUP)

struct lane_mask {
    uint64_t bits[2]; /* lane i is bit i % 64 of word i / 64; lanes that a wave does not have are 0 */
};

static inline struct lane_mask lane_mask_none(void)
{
    return (struct lane_mask){{0, 0}};
}

/* The first `count` lanes, of up to 128. */
static inline struct lane_mask lane_mask_first(unsigned count)
{
    return (struct lane_mask){{count >= 64 ? UINT64_MAX : (1ull << count) - 1, count <= 64 ? 0
                                                                               : count >= 128
                                                                                   ? UINT64_MAX
                                                                                   : (1ull << (count - 64)) - 1}};
}

static inline struct lane_mask lane_mask_from_u64(uint64_t lanes)
{
    return (struct lane_mask){{lanes, 0}};
}

/* Of a wave of at most 64 lanes. */
static inline uint64_t lane_mask_u64(struct lane_mask mask)
{
    return mask.bits[0];
}

static inline bool lane_mask_has(struct lane_mask mask, unsigned lane)
{
    return mask.bits[lane / 64] >> (lane % 64) & 1;
}

/* One lane alone. No word is chosen by a number: then a mask would be in memory, and the host wait for it. */
static inline struct lane_mask lane_mask_of(unsigned lane)
{
    const uint64_t bit = 1ull << (lane % 64);
    return (struct lane_mask){{lane < 64 ? bit : 0, lane < 64 ? 0 : bit}};
}

static inline struct lane_mask lane_mask_and(struct lane_mask a, struct lane_mask b)
{
    return (struct lane_mask){{a.bits[0] & b.bits[0], a.bits[1] & b.bits[1]}};
}

static inline struct lane_mask lane_mask_or(struct lane_mask a, struct lane_mask b)
{
    return (struct lane_mask){{a.bits[0] | b.bits[0], a.bits[1] | b.bits[1]}};
}

/* Lanes of a that are not in b: the other side of a branch, for one. */
static inline struct lane_mask lane_mask_and_not(struct lane_mask a, struct lane_mask b)
{
    return (struct lane_mask){{a.bits[0] & ~b.bits[0], a.bits[1] & ~b.bits[1]}};
}

static inline struct lane_mask lane_mask_with(struct lane_mask mask, unsigned lane)
{
    return lane_mask_or(mask, lane_mask_of(lane));
}

static inline struct lane_mask lane_mask_without(struct lane_mask mask, unsigned lane)
{
    return lane_mask_and_not(mask, lane_mask_of(lane));
}

static inline bool lane_mask_any(struct lane_mask mask)
{
    return (mask.bits[0] | mask.bits[1]) != 0;
}

static inline bool lane_mask_equal(struct lane_mask a, struct lane_mask b)
{
    return a.bits[0] == b.bits[0] && a.bits[1] == b.bits[1];
}

static inline unsigned lane_mask_count(struct lane_mask mask)
{
    return (unsigned)(__builtin_popcountll(mask.bits[0]) + __builtin_popcountll(mask.bits[1]));
}

/* The lowest lane of a mask that has one. */
static inline unsigned lane_mask_lowest(struct lane_mask mask)
{
    return (unsigned)(mask.bits[0] ? __builtin_ctzll(mask.bits[0]) : 64 + __builtin_ctzll(mask.bits[1]));
}

static inline struct lane_mask lane_mask_without_lowest(struct lane_mask mask)
{
    const uint64_t low = mask.bits[0], high = mask.bits[1];
    return (struct lane_mask){{low & (low - 1), low ? high : high & (high - 1)}};
}

/* The sixteen lanes of a group as bits: a wave of 16 is group 0. */
static inline uint16_t lane_mask_group(struct lane_mask mask, unsigned group)
{
    return (uint16_t)(mask.bits[group / 4] >> (group % 4 * LANE_MASK_GROUP));
}

/* Every lane of a mask, from the lowest on: `lane_mask_foreach (mask, lane) ...`. */
#define lane_mask_foreach(mask, lane)                                                                                  \
    for (struct lane_mask lane##_left = (mask); lane_mask_any(lane##_left); lane##_left = lane_mask_none())            \
        for (unsigned lane; lane_mask_any(lane##_left) && (lane = lane_mask_lowest(lane##_left), true);                \
             lane##_left = lane_mask_without_lowest(lane##_left))

/* Bit i of the result is the top bit of lane i; `count` is a multiple of 16. */
static inline struct lane_mask lane_mask_from_lanes(const uint32_t *lanes, unsigned count)
{
    unsigned low = count < 64 ? count : 64;
    return (struct lane_mask){{lanes_to_mask(lanes, low), count > 64 ? lanes_to_mask(lanes + 64, count - 64) : 0}};
}

/* Lane i becomes all ones where bit i is set, else zero; `count` is a multiple of 16. */
static inline void lane_mask_to_lanes(uint32_t *lanes, struct lane_mask mask, unsigned count)
{
    for (unsigned group = 0; group < count / LANE_MASK_GROUP; group++) {
        const uint32_t word = lane_mask_group(mask, group);
        uint32_t *to = lanes + group * LANE_MASK_GROUP;
#if defined(__AVX2__)
        for (unsigned i = 0; i < LANE_MASK_GROUP; i += sizeof(lanes_vector) / 4)
            *(lanes_vector *)(to + i) = lanes_of_bits(word >> i);
#else
        for (unsigned i = 0; i < LANE_MASK_GROUP; i++)
            to[i] = word & (1u << i) ? UINT32_MAX : 0;
#endif
    }
}

#endif
