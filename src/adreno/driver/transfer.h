/* Copies by the 2D engine, between their files: which formats bits are moved as, and the two kinds of sides. */
#ifndef ADRENO_DRIVER_TRANSFER_H
#define ADRENO_DRIVER_TRANSFER_H

#include "adreno/driver/a2d.h"
#include "adreno/driver/cmd.h"

/* The number under which the bits of one aspect of a format pass through the engine unchanged, and the order of its
 * channels in rows. Numbers and orders that are equal can be copied directly. */
struct adreno_bits_format {
    uint8_t number; /* in images; ADRENO_FORMAT_NONE: it cannot be copied */
    uint8_t memory; /* in buffers */
    uint8_t swap;   /* in rows of memory or of a linear image; tiled ones have WZYX */
    uint8_t element_B;
    enum adreno_a2d_keep keep; /* where it is written to an image */
};

/* `has_ubwc`: the image is compressed by the format that it has. */
struct adreno_bits_format adreno_bits_format(VkFormat format, VkImageAspectFlags aspect, bool has_ubwc);

/* A level of an image as bits of a format; sizes are in elements. */
struct adreno_target adreno_bits_target(const struct adreno_image *image, VkImageAspectFlags aspect, uint32_t level,
                                        uint32_t layer, const struct adreno_bits_format *bits, bool is_read);

/* Textures have another number for 10_10_10_2 than targets. */
uint8_t adreno_bits_source(uint8_t number);

/* One operation of the engine, after what is due. */
void adreno_cmd_a2d(struct adreno_cmd_buffer *cmd, const struct adreno_a2d *op);

#endif
