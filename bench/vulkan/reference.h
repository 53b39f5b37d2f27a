/* A plain rasteriser for the checks of the graphics scenes: the same triangles drawn by the specification's rules, one
 * pixel at a time. Triangles of struct draw_vertex with w = 1, an RGBA8 target, samples at the standard places. A
 * driver may round otherwise, so a picture is compared within a tolerance and but for a share of its pixels.
 * Not for: shaders; interpolated colours are all it knows. */
#ifndef BENCH_VULKAN_REFERENCE_H
#define BENCH_VULKAN_REFERENCE_H

#include "draw.h"

struct reference {
    uint32_t size, samples; /* 1 or 4 */
    uint32_t subpixel_bits; /* of the device: where corners may lie */
    bool depth, blend;      /* depth: "less", cleared to 1; blend: source over */
    uint8_t *color;         /* four bytes per sample, cleared to 0 */
    float *nearest;         /* one depth per sample */
};

struct reference reference_make(const struct bench *b, const struct draw_target *target, bool blend);
void reference_draw(struct reference *r, const struct draw_vertex *vertices, uint32_t vertex_count);

/* May this be the picture? Of a thousand pixels `most_wrong` may have a channel that differs by more than `tolerance`.
 */
bool reference_matches(const struct reference *r, const uint32_t *texels, int tolerance, uint32_t most_wrong);

#endif
