/* BC6H, unsigned and signed: one block to sixteen RGB texels of binary16. */
#include "util/bits.h"
#include "util/format/bc.h"

static uint32_t bc6h_reverse(uint32_t value, unsigned count)
{
    uint32_t reversed = 0;
    for (unsigned bit = 0; bit < count; bit++)
        reversed |= (value >> bit & 1) << (count - 1 - bit);
    return reversed;
}

/* To the range in which interpolation happens: 0 to 0xffff, or -0x7fff to 0x7fff. */
static int32_t bc6h_unquantize(int32_t value, unsigned bits, bool is_signed)
{
    if (!is_signed) {
        if (bits >= 15 || value == 0)
            return value;
        if (value == (1 << bits) - 1)
            return 0xffff;
        return ((value << 16) + 0x8000) >> bits;
    }
    if (bits >= 16 || value == 0)
        return value;
    int32_t magnitude = value < 0 ? -value : value;
    if (magnitude >= (1 << (bits - 1)) - 1)
        magnitude = 0x7fff;
    else
        magnitude = ((magnitude << 15) + 0x4000) >> (bits - 1);
    return value < 0 ? -magnitude : magnitude;
}

/* To binary16: the largest results are the largest finite numbers, but for a signed 16-bit endpoint of -0x8000, which
 * is -infinity. */
static uint16_t bc6h_finish(int32_t value, bool is_signed)
{
    if (!is_signed)
        return (uint16_t)(value * 31 >> 6);
    return value < 0 ? (uint16_t)(0x8000 | -value * 31 >> 5) : (uint16_t)(value * 31 >> 5);
}

static void bc6h_take_endpoints(struct block_bits *reader, const struct bc6h_mode *mode, bool is_signed,
                                int32_t endpoints[4][3])
{
    uint32_t raw[4][3] = {{0}};
    for (unsigned i = 0; i < mode->field_count; i++) {
        const struct bc6h_field *field = &mode->fields[i];
        uint32_t value = block_bits_take(reader, field->count);
        if (field->reversed)
            value = bc6h_reverse(value, field->count);
        raw[field->point][field->channel] |= value << field->low;
    }
    for (unsigned channel = 0; channel < 3; channel++) {
        for (unsigned point = 0; point < mode->subsets * 2u; point++) {
            unsigned bits = mode->endpoint_bits;
            uint32_t value = raw[point][channel];
            if (point && mode->transformed) /* a signed difference from the first, modulo the endpoint's bits */
                value = (uint32_t)(bits_mask(bits) &
                                   (raw[0][channel] + (uint64_t)bits_sign_extend(value, mode->delta_bits[channel])));
            int32_t number = is_signed ? (int32_t)bits_sign_extend(value, bits) : (int32_t)value;
            endpoints[point][channel] = bc6h_unquantize(number, bits, is_signed);
        }
    }
}

void bc6h_decode(uint16_t (*dst)[3], const uint8_t *block, bool is_signed)
{
    int index = bc6h_mode_index[block[0] & 31];
    if (index < 0) { /* reserved: black */
        memset(dst, 0, 16 * sizeof(*dst));
        return;
    }
    const struct bc6h_mode *mode = &bc6h_modes[index];
    struct block_bits reader = block_bits_start(block);
    block_bits_take(&reader, mode->mode_bits);

    int32_t endpoints[4][3];
    bc6h_take_endpoints(&reader, mode, is_signed, endpoints);
    const struct bc_partition *partition = mode->subsets == 2 ? &bc_partition2[block_bits_take(&reader, 5)] : NULL;
    unsigned index_bits = mode->subsets == 2 ? 3 : 4;
    uint8_t indices[16];
    bc_take_indices(&reader, index_bits, mode->subsets, partition, indices);

    for (unsigned texel = 0; texel < 16; texel++) {
        unsigned subset = bc_subset(partition, texel);
        const int32_t *from = endpoints[subset * 2], *to = endpoints[subset * 2 + 1];
        int32_t weight = bc_weights[index_bits][indices[texel]];
        for (unsigned channel = 0; channel < 3; channel++)
            dst[texel][channel] =
                bc6h_finish((from[channel] * (64 - weight) + to[channel] * weight + 32) >> 6, is_signed);
    }
}
