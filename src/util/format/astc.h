/* Inside of the ASTC decoder: tables (generated from astc.table) and the calls between its files.
 *
 * The LDR profile of two-dimensional blocks. What a decoder with this profile refuses (illegal blocks, HDR endpoints,
 * HDR void extents) is opaque magenta; in a block with some HDR partitions only the texels of those are. The extent of
 * a void-extent block is checked, not used. Every result is bit-exact by specification. */
#ifndef UTIL_FORMAT_ASTC_H
#define UTIL_FORMAT_ASTC_H

#include <stdbool.h>
#include <stdint.h>

#include "util/format/block_bits.h"

#define ASTC_MAX_TEXELS (12 * 12)
#define ASTC_MAX_VALUES 18 /* integers of all colour endpoints of a block */
#define ASTC_MAX_PARTITIONS 4

struct astc_range {
    uint8_t trits, quints, bits;
};

struct astc_mode {
    uint8_t width, height; /* of the weight grid; 0: reserved, or more or fewer weights than any block may have */
    uint8_t range;         /* of the weights: index of astc_ranges and astc_weights */
    uint8_t is_dual;       /* two planes of weights */
    uint8_t weight_bits;
};

extern const struct astc_range astc_ranges[21];
extern const struct astc_mode astc_modes[2048];
extern const uint8_t astc_trits[256][5], astc_quints[128][3];
extern const uint8_t astc_weights[12][32];       /* by range and integer: 0 to 64 */
extern const uint8_t astc_colours[21][256];      /* by range and integer: 0 to 255 */
extern const uint8_t astc_colour_range[10][128]; /* by pairs of integers and bits; 0: they do not fit */

/* The two colours of a partition. */
struct astc_endpoints {
    uint8_t colour[2][4];
    bool is_hdr; /* the colours are not decoded */
};

/* The integers that endpoints of a mode (0 to 15) are made of. */
static inline unsigned astc_endpoint_values(unsigned mode)
{
    return (mode >> 2) * 2 + 2;
}

/* From unquantised integers. */
void astc_decode_endpoints(struct astc_endpoints *endpoints, unsigned mode, const uint8_t *values);

/* For each texel of a block, row by row. */
void astc_select_partitions(uint8_t *dst, unsigned width, unsigned height, unsigned partitions, unsigned index);

/* One block to width * height texels, row by row, as the unorm16 numbers that the interpolation gives. sRGB codes are
 * their upper bytes, and so are 8-bit linear ones. */
void astc_decode(uint16_t (*dst)[4], unsigned width, unsigned height, bool srgb, const uint8_t *block);

#endif
