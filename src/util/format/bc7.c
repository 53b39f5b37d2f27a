/* BC7: one block to sixteen RGBA texels of 8 bits. */
#include "util/format/bc.h"

/* `bits` known bits become 8: the top ones are repeated below. */
static uint8_t bc7_expand(uint32_t value, unsigned bits)
{
    value <<= 8 - bits;
    return (uint8_t)(value | value >> bits);
}

static void bc7_take_endpoints(struct block_bits *reader, const struct bc7_mode *mode, uint8_t endpoints[6][4])
{
    /* Never more than six; stated here so that the compiler knows it, too. */
    unsigned points = mode->subsets < 3 ? mode->subsets * 2 : 6;
    for (unsigned channel = 0; channel < 3; channel++)
        for (unsigned point = 0; point < points; point++)
            endpoints[point][channel] = (uint8_t)block_bits_take(reader, mode->colour_bits);
    for (unsigned point = 0; point < points; point++)
        endpoints[point][3] = (uint8_t)block_bits_take(reader, mode->alpha_bits);

    unsigned p = 0, p_bits = mode->p_bits != BC7_P_NONE;
    for (unsigned point = 0; point < points; point++) {
        /* One shared by a subset is read with the subset's first endpoint. */
        if (mode->p_bits == BC7_P_ENDPOINT || (mode->p_bits == BC7_P_SUBSET && !(point & 1)))
            p = block_bits_take(reader, 1);
        for (unsigned channel = 0; channel < 3; channel++)
            endpoints[point][channel] =
                bc7_expand((uint32_t)endpoints[point][channel] << p_bits | p, mode->colour_bits + p_bits);
        endpoints[point][3] =
            mode->alpha_bits ? bc7_expand((uint32_t)endpoints[point][3] << p_bits | p, mode->alpha_bits + p_bits) : 255;
    }
}

static uint8_t bc7_interpolate(uint8_t from, uint8_t to, unsigned weight)
{
    return (uint8_t)((from * (64 - weight) + to * weight + 32) >> 6);
}

void bc7_decode(uint8_t (*dst)[4], const uint8_t *block)
{
    if (!block[0]) { /* reserved: all zero */
        memset(dst, 0, 16 * sizeof(*dst));
        return;
    }
    unsigned number = (unsigned)__builtin_ctz(block[0]);
    const struct bc7_mode *mode = &bc7_modes[number];
    struct block_bits reader = block_bits_start(block);
    block_bits_take(&reader, number + 1);

    unsigned partition_number = block_bits_take(&reader, mode->partition_bits);
    unsigned rotation = block_bits_take(&reader, mode->rotation_bits);
    unsigned selector = block_bits_take(&reader, mode->selector_bits);
    const struct bc_partition *partition = mode->subsets == 1   ? NULL
                                           : mode->subsets == 2 ? &bc_partition2[partition_number]
                                                                : &bc_partition3[partition_number];
    uint8_t endpoints[6][4], indices[2][16];
    bc7_take_endpoints(&reader, mode, endpoints);
    bc_take_indices(&reader, mode->index_bits, mode->subsets, partition, indices[0]);
    if (mode->index2_bits)
        bc_take_indices(&reader, mode->index2_bits, mode->subsets, partition, indices[1]);

    unsigned colour_set = selector, alpha_set = mode->index2_bits ? !selector : 0;
    const uint8_t *colour_weights = bc_weights[colour_set ? mode->index2_bits : mode->index_bits];
    const uint8_t *alpha_weights = bc_weights[alpha_set ? mode->index2_bits : mode->index_bits];
    for (unsigned texel = 0; texel < 16; texel++) {
        unsigned subset = bc_subset(partition, texel);
        const uint8_t *from = endpoints[subset * 2], *to = endpoints[subset * 2 + 1];
        for (unsigned channel = 0; channel < 3; channel++)
            dst[texel][channel] =
                bc7_interpolate(from[channel], to[channel], colour_weights[indices[colour_set][texel]]);
        uint8_t alpha = bc7_interpolate(from[3], to[3], alpha_weights[indices[alpha_set][texel]]);
        dst[texel][3] = alpha;
        if (rotation) {
            dst[texel][3] = dst[texel][rotation - 1];
            dst[texel][rotation - 1] = alpha;
        }
    }
}
