/* Inside of the BC decoders: tables (generated from bc.table), the decoders of one block.
 *
 * BC6H and BC7 are bit-exact by specification. BC1 to BC5 are interpolations of real numbers whose precision it leaves
 * open: the float results here are the exact quotients, correctly rounded (through the exact sRGB curve where the
 * format has it), the 8-bit results are the codes nearest to them. */
#ifndef UTIL_FORMAT_BC_H
#define UTIL_FORMAT_BC_H

#include <stdbool.h>
#include <stdint.h>

#include "util/format/block_bits.h"
#include "util/format/format_enum.h"

enum bc7_p_bits {
    BC7_P_NONE,
    BC7_P_SUBSET,
    BC7_P_ENDPOINT,
};

struct bc7_mode {
    uint8_t subsets, partition_bits, rotation_bits, selector_bits;
    uint8_t colour_bits, alpha_bits;
    uint8_t p_bits; /* enum bc7_p_bits */
    uint8_t index_bits, index2_bits;
};

struct bc6h_field {
    uint8_t point, channel; /* which endpoint, and r, g or b of it */
    uint8_t low, count;     /* bits of the endpoint's channel */
    uint8_t reversed;
};

struct bc6h_mode {
    uint8_t mode_bits, endpoint_bits, delta_bits[3], transformed, subsets, field_count;
    struct bc6h_field fields[26];
};

struct bc_partition {
    uint32_t subsets;   /* two bits per texel */
    uint8_t anchors[2]; /* of the second and the third subset; the first one's is texel 0 */
};

extern const struct bc7_mode bc7_modes[8];
extern const struct bc6h_mode bc6h_modes[14];
extern const int8_t bc6h_mode_index[32];
extern const struct bc_partition bc_partition2[64], bc_partition3[64];

/* Red and blue of BC1 to BC3 lie on steps of 1/186 = 1/(31 * 6), green on steps of 1/378 = 1/(63 * 6): thirds and
 * halves between two endpoints are whole steps. */
extern const float bc_steps186_unorm[187], bc_steps186_srgb[187], bc_steps378_unorm[379], bc_steps378_srgb[379];
extern const uint8_t bc_steps186_code[187], bc_steps378_code[379];

static inline unsigned bc_subset(const struct bc_partition *partition, unsigned texel)
{
    return partition ? (partition->subsets >> (2 * texel)) & 3 : 0;
}

/* Anchors have one bit fewer: their top bit is known to be zero. */
static inline void bc_take_indices(struct block_bits *reader, unsigned bits, unsigned subsets,
                                   const struct bc_partition *partition, uint8_t indices[16])
{
    uint32_t anchors = 1;
    for (unsigned i = 1; i < subsets; i++)
        anchors |= 1u << partition->anchors[i - 1];
    for (unsigned texel = 0; texel < 16; texel++)
        indices[texel] = (uint8_t)block_bits_take(reader, bits - (anchors >> texel & 1));
}

/* Weights of 64 for indices of 2, 3 and 4 bits. */
extern const uint8_t bc_weights[5][16];

/* Of any BC format to float, to 8-bit codes; false where there is no such conversion. */
bool bc_decode_float(enum format format, float (*dst)[4], const uint8_t *block);
bool bc_decode_unorm8(enum format format, uint8_t (*dst)[4], const uint8_t *block);

void bc7_decode(uint8_t (*dst)[4], const uint8_t *block);

/* binary16 bits of r, g, b. */
void bc6h_decode(uint16_t (*dst)[3], const uint8_t *block, bool is_signed);

#endif
