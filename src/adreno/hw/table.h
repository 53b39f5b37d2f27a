/* Adreno's hardware tables at run time. hw/table.h says what a row is; here are the tables of A6xx and its formats.
 * Typed access is in the generated headers regs_<block>.h, packets.h and descriptors.h. */
#ifndef ADRENO_HW_TABLE_H
#define ADRENO_HW_TABLE_H

#include "adreno/hw/pack.h"
#include "hw/table.h"

/* hw_reg.space, in the order of family.py. */
enum adreno_space {
    ADRENO_SPACE_USER,
    ADRENO_SPACE_KERNEL,
};

enum adreno_numeric {
    ADRENO_NUMERIC_UNORM,
    ADRENO_NUMERIC_SNORM,
    ADRENO_NUMERIC_UINT,
    ADRENO_NUMERIC_SINT,
    ADRENO_NUMERIC_FLOAT,
    ADRENO_NUMERIC_FIXED, /* 16.16 */
    ADRENO_NUMERIC_EXP,   /* three mantissas share an exponent */
};

/* A row of formats.table, which explains the columns. */
struct adreno_format {
    const char *name;
    uint8_t number;
    uint8_t block_bits;
    uint8_t channels;
    uint8_t widths[4]; /* from the lowest bit up; 0 in compressed formats */
    enum adreno_numeric numeric;
    uint8_t block_width, block_height; /* texels */
    bool is_alpha, is_x, is_dest, is_depth, is_plane, is_video;
    uint32_t format;      /* enum format of util/format, whose channels lie as the widths do; 0: none (texel.h) */
    uint32_t low_format;  /* the same with the last channel below the others, where its width differs */
    uint32_t srgb_format; /* with the curve */
};

extern const struct hw_tables adreno_hw_tables;
extern const struct hw_reg *const adreno_regs;
extern const unsigned adreno_reg_count;
extern const struct hw_packet *const adreno_packets;
extern const unsigned adreno_packet_count;
extern const struct hw_descriptor *const adreno_descriptors;
extern const unsigned adreno_descriptor_count;
extern const struct adreno_format adreno_formats[];
extern const unsigned adreno_format_count;
extern const uint8_t adreno_format_index[256]; /* of adreno_formats, plus one */

/* The row of a register by its number; `index_out` (may be NULL): which element of an array. */
static inline const struct hw_reg *adreno_reg_find(uint32_t reg, unsigned *index_out)
{
    return hw_reg_find(&adreno_hw_tables, ADRENO_A6XX, reg, index_out);
}

static inline const struct hw_packet *adreno_packet_find(unsigned opcode, unsigned length_dw)
{
    return hw_packet_find(&adreno_hw_tables.packets[0], ADRENO_A6XX, opcode, length_dw);
}

/* The format of a number; NULL when there is none. */
static inline const struct adreno_format *adreno_format_find(unsigned number)
{
    return number < 256 && adreno_format_index[number] ? &adreno_formats[adreno_format_index[number] - 1] : NULL;
}

/* Its name, for decoders. */
const char *adreno_format_name(unsigned generation, unsigned number);

#endif
