/* See scene_block.h. Endpoints are the corners of the texels' box, along the diagonal that the texels follow. */
#include "scene_block.h"

#include <math.h>
#include <string.h>

/* The two ends of a line through the texels. A channel that falls where the first one rises goes the other way. */
static void find_ends(const float texels[16][4], unsigned channels, float low[4], float high[4])
{
    float mean[4] = {0};
    for (unsigned c = 0; c < channels; c++) {
        low[c] = high[c] = texels[0][c];
        for (int i = 0; i < 16; i++) {
            low[c] = fminf(low[c], texels[i][c]);
            high[c] = fmaxf(high[c], texels[i][c]);
            mean[c] += texels[i][c] / 16;
        }
    }
    unsigned widest = 0;
    for (unsigned c = 1; c < channels; c++)
        widest = high[c] - low[c] > high[widest] - low[widest] ? c : widest;
    for (unsigned c = 0; c < channels; c++) {
        float together = 0;
        for (int i = 0; i < 16; i++)
            together += (texels[i][c] - mean[c]) * (texels[i][widest] - mean[widest]);
        if (together < 0) {
            float swap = low[c];
            low[c] = high[c];
            high[c] = swap;
        }
    }
}

/* The step, 0 to `steps`, on the line from low to high that is nearest. */
static unsigned nearest(const float *texel, unsigned channels, const float *low, const float *high, unsigned steps)
{
    float along = 0, length = 0;
    for (unsigned c = 0; c < channels; c++) {
        along += (texel[c] - low[c]) * (high[c] - low[c]);
        length += (high[c] - low[c]) * (high[c] - low[c]);
    }
    float place = length > 0 ? along / length * (float)steps + 0.5f : 0;
    return place <= 0 ? 0 : place >= (float)steps ? steps : (unsigned)place;
}

static unsigned quantized(float value, unsigned most)
{
    return value <= 0 ? 0 : value >= 1 ? most : (unsigned)(value * (float)most + 0.5f);
}

static void put_bits(uint8_t *out, unsigned *at, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++, ++*at)
        out[*at / 8] |= (uint8_t)((value >> i & 1) << (*at % 8));
}

void block_bc1(const float texels[16][4], uint8_t out[8])
{
    float low[4], high[4];
    find_ends(texels, 3, low, high);
    unsigned a = quantized(high[0], 31) << 11 | quantized(high[1], 63) << 5 | quantized(high[2], 31);
    unsigned b = quantized(low[0], 31) << 11 | quantized(low[1], 63) << 5 | quantized(low[2], 31);
    /* Four colours where the first number is the greater; from a to b: 0, 2, 3, 1. */
    static const unsigned codes[2][4] = {{1, 3, 2, 0}, {0, 2, 3, 1}};
    unsigned turned = a < b, at = 0;
    memset(out, 0, 8);
    put_bits(out, &at, 16, turned ? b : a);
    put_bits(out, &at, 16, turned ? a : b);
    for (int i = 0; i < 16; i++)
        put_bits(out, &at, 2, a == b ? 0 : codes[turned][nearest(texels[i], 3, low, high, 3)]);
}

void block_bc4(const float texels[16][4], unsigned channel, uint8_t out[8])
{
    float least = texels[0][channel], most = least;
    for (int i = 1; i < 16; i++) {
        least = fminf(least, texels[i][channel]);
        most = fmaxf(most, texels[i][channel]);
    }
    unsigned a = quantized(most, 255), b = quantized(least, 255), at = 0;
    memset(out, 0, 8);
    put_bits(out, &at, 8, a);
    put_bits(out, &at, 8, b);
    for (int i = 0; i < 16; i++) {
        unsigned step = nearest(&texels[i][channel], 1, &most, &least, 7);
        put_bits(out, &at, 3, a == b || step == 0 ? 0 : step == 7 ? 1 : step + 1);
    }
}

void block_bc3(const float texels[16][4], uint8_t out[16])
{
    block_bc4(texels, 3, out);
    block_bc1(texels, out + 8);
}

void block_bc5(const float texels[16][4], uint8_t out[16])
{
    block_bc4(texels, 0, out);
    block_bc4(texels, 1, out + 8);
}

/* Steps of 16 on a line; the first texel's number has a bit less, so the ends are swapped where it is in the upper
 * half. Returns whether they are. */
static unsigned find_steps(const float texels[16][4], unsigned channels, const float low[4], const float high[4],
                           unsigned steps_out[16])
{
    for (int i = 0; i < 16; i++)
        steps_out[i] = nearest(texels[i], channels, low, high, 15);
    unsigned turned = steps_out[0] > 7;
    for (int i = 0; turned && i < 16; i++)
        steps_out[i] = 15 - steps_out[i];
    return turned;
}

static void put_steps(uint8_t *out, unsigned *at, const unsigned steps[16])
{
    for (int i = 0; i < 16; i++)
        put_bits(out, at, i ? 4 : 3, steps[i]);
}

/* The bits of a half-float between 0 and the largest number, in the format's ten bits. */
static unsigned bc6h_end(float value)
{
    float clamped = fminf(fmaxf(value, 0x1p-14f), 65504);
    int exponent;
    float fraction = frexpf(clamped, &exponent); /* 0.5 to 1 */
    float half = (float)((exponent + 14) << 10) + (fraction * 2 - 1) * 1024;
    return (unsigned)fminf(half * 64 / 31 / 64, 1023);
}

void block_bc6h(const float texels[16][4], uint8_t out[16])
{
    /* The format interpolates bits of half-floats: take the logarithm's shape. */
    float ends[2][4], shaped[16][4];
    for (int i = 0; i < 16; i++) {
        for (int c = 0; c < 3; c++)
            shaped[i][c] = (float)bc6h_end(texels[i][c]);
    }
    find_ends((const float(*)[4])shaped, 3, ends[0], ends[1]);
    unsigned steps[16], at = 0, turned = find_steps((const float(*)[4])shaped, 3, ends[0], ends[1], steps);
    memset(out, 0, 16);
    put_bits(out, &at, 5, 3); /* mode 11: one region, ten bits each */
    for (int end = 0; end < 2; end++) {
        for (int c = 0; c < 3; c++)
            put_bits(out, &at, 10, (unsigned)ends[end ^ (int)turned][c]);
    }
    put_steps(out, &at, steps);
}

void block_bc7(const float texels[16][4], uint8_t out[16])
{
    float ends[2][4];
    find_ends(texels, 4, ends[0], ends[1]);
    unsigned steps[16], at = 0, turned = find_steps(texels, 4, ends[0], ends[1], steps);
    memset(out, 0, 16);
    put_bits(out, &at, 7, 1 << 6); /* mode 6 */
    for (int c = 0; c < 4; c++) {
        for (int end = 0; end < 2; end++)
            put_bits(out, &at, 7, quantized(ends[end ^ (int)turned][c], 255) >> 1);
    }
    put_bits(out, &at, 2, 3); /* the lowest bit of each end: white is white */
    put_steps(out, &at, steps);
}
