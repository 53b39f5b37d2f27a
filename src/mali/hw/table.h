/* Mali's hardware tables at run time. hw/table.h says what a row is; here are the tables of v10, its pixel formats and
 * the clumps of textures. Typed access is in the generated headers instructions.h, regs_<space>.h and descriptors.h. */
#ifndef MALI_HW_TABLE_H
#define MALI_HW_TABLE_H

#include "hw/table.h"
#include "mali/hw/pack.h"
#include "util/format/format.h"

/* hw_reg.space, in the order of family.py. */
enum mali_space {
    MALI_SPACE_COMPUTE,
    MALI_SPACE_IDVS,
    MALI_SPACE_FRAGMENT,
};

enum mali_numeric {
    MALI_NUMERIC_UNORM,
    MALI_NUMERIC_SNORM,
    MALI_NUMERIC_UINT,
    MALI_NUMERIC_SINT,
    MALI_NUMERIC_FLOAT,
    MALI_NUMERIC_FIXED, /* 16.16 */
    MALI_NUMERIC_EXP,   /* three mantissas share an exponent */
};

/* A row of formats.table, which explains the columns. */
struct mali_format {
    const char *name;
    uint8_t number;
    uint8_t bits;
    uint8_t channels;
    char letters[4]; /* r g b a, d depth, s stencil, e exponent, x a hole; from the lowest bit up */
    uint8_t widths[4];
    enum mali_numeric numeric;
    enum format codec; /* its channels lie in the same bits; FORMAT_UNDEFINED: there is none */
    bool is_tile, is_position, is_rtz, is_yuv;
};

/* A row of clumps.table. */
struct mali_clump {
    const char *name;
    uint8_t number;
    uint8_t size_B;
    uint8_t width, height; /* texels */
    enum format format;    /* of a compressed clump; else FORMAT_UNDEFINED */
};

extern const struct hw_tables mali_hw_tables;
extern const struct hw_reg *const mali_regs;
extern const unsigned mali_reg_count;
extern const struct hw_packet *const mali_instr_packets;
extern const unsigned mali_instr_packet_count;
extern const struct hw_descriptor *const mali_descriptors;
extern const unsigned mali_descriptor_count;
extern const struct mali_format mali_formats[];
extern const unsigned mali_format_count;
extern const uint8_t mali_format_index[256]; /* of mali_formats, plus one */
extern const struct mali_clump mali_clumps[];
extern const unsigned mali_clump_count;
extern const uint8_t mali_clump_index[256];

/* The row of an instruction; NULL: no such opcode. */
static inline const struct hw_packet *mali_instr_find(uint64_t word)
{
    const uint32_t dw[2] = {(uint32_t)word, (uint32_t)(word >> 32)};
    return hw_packet_find_self_sized(&mali_hw_tables.packets[0], MALI_V10, dw);
}

/* The format of a number; NULL when there is none. */
static inline const struct mali_format *mali_format_find(unsigned number)
{
    return number < 256 && mali_format_index[number] ? &mali_formats[mali_format_index[number] - 1] : NULL;
}

static inline const struct mali_clump *mali_clump_find(unsigned number)
{
    return number < 256 && mali_clump_index[number] ? &mali_clumps[mali_clump_index[number] - 1] : NULL;
}

/* Its name, for decoders. */
const char *mali_format_name(unsigned generation, unsigned number);

#endif
