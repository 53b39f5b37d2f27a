/* Radeon's hardware tables at run time. hw/table.h says what a row is; here is what Radeon alone has: its spaces of
 * registers, its image formats, and the tables by generation. Typed access is in the generated headers regs_<block>.h,
 * packets.h, sdma.h and descriptors.h. */
#ifndef AMD_HW_TABLE_H
#define AMD_HW_TABLE_H

#include "amd/hw/chip.h"
#include "hw/table.h"

/* hw_reg.space, in the order of family.py. */
enum amd_space {
    AMD_SPACE_CONFIG,  /* from 0x8000; the kernel's */
    AMD_SPACE_SH,      /* from 0xb000; shader state, per draw or dispatch */
    AMD_SPACE_CONTEXT, /* from 0x28000; eight contexts, renamed by the hardware */
    AMD_SPACE_UCONFIG, /* from 0x30000; not renamed */
    AMD_SPACE_WAVE,    /* s_getreg's; no packet reaches it */
    AMD_SPACE_COUNT,
};

/* hw_tables.packets, in the order of family.py. */
enum amd_packets {
    AMD_PACKETS_PM4,
    AMD_PACKETS_SDMA,
};

enum amd_numeric {
    AMD_NUMERIC_UNORM,
    AMD_NUMERIC_SNORM,
    AMD_NUMERIC_USCALED,
    AMD_NUMERIC_SSCALED,
    AMD_NUMERIC_UINT,
    AMD_NUMERIC_SINT,
    AMD_NUMERIC_FLOAT,
    AMD_NUMERIC_SRGB,
    AMD_NUMERIC_UFLOAT,
    AMD_NUMERIC_SFLOAT,
};

#define AMD_IMAGE_FORMAT_LIMIT 512u

/* A unified image format of GFX10 and later. */
struct amd_image_format {
    const char *name;
    int16_t number[AMD_GFX_COUNT]; /* what the descriptor holds; -1: not there */
    uint16_t block_bits;
    uint8_t channels;
    uint8_t widths[4]; /* X first, from the lowest bit up; 0 in compressed formats */
    enum amd_numeric numeric;
    uint8_t block_width, block_height; /* texels */
    bool fmask;
    bool video;
};

extern const struct hw_tables amd_hw_tables;
extern const struct hw_reg *const amd_regs;
extern const unsigned amd_reg_count;
extern const struct hw_packet *const amd_packets;
extern const unsigned amd_packet_count;
extern const struct hw_packet *const amd_sdma_packets;
extern const unsigned amd_sdma_packet_count;
extern const struct hw_descriptor *const amd_descriptors;
extern const unsigned amd_descriptor_count;
extern const struct amd_image_format amd_image_formats[];
extern const unsigned amd_image_format_count;
extern const uint8_t amd_image_format_index[AMD_GFX_COUNT][AMD_IMAGE_FORMAT_LIMIT]; /* of amd_image_formats, plus one */

/* --- registers --- */

static inline const struct hw_reg *amd_reg_find(enum amd_gfx gfx, uint32_t offset_B, unsigned *index_out)
{
    return hw_reg_find(&amd_hw_tables, gfx, offset_B, index_out);
}

static inline const struct hw_reg *amd_reg_find_name(const char *name, unsigned *index_out)
{
    return hw_reg_find_name(&amd_hw_tables, name, index_out);
}

/* The first byte offset of a space: what REG_OFFSET of the SET packets counts dwords from. */
uint32_t amd_space_base_B(enum amd_space space);

/* The effect of CLEAR_STATE on the context registers: `set` for each of them. The chip's own
 * PA_SC_TILE_STEERING_OVERRIDE is not in it. */
static inline void amd_clear_state(enum amd_gfx gfx, void (*set)(void *data, uint32_t offset_B, uint32_t value),
                                   void *data)
{
    hw_clear_state(&amd_hw_tables, gfx, set, data);
}

/* --- packets --- */

/* The row of a type-3 packet. Two packets may share an opcode: the length distinguishes them. NULL when it is unknown.
 */
static inline const struct hw_packet *amd_packet_find(enum amd_gfx gfx, unsigned opcode, unsigned length_dw)
{
    return hw_packet_find(&amd_hw_tables.packets[AMD_PACKETS_PM4], gfx, opcode, length_dw);
}

/* The row of a packet of the DMA engine; NULL when the header is unknown, and with it where the next packet begins. */
static inline const struct hw_packet *amd_sdma_find(enum amd_gfx gfx, uint32_t header)
{
    return hw_packet_find_self_sized(&amd_hw_tables.packets[AMD_PACKETS_SDMA], gfx, &header);
}

/* --- formats --- */

/* The format that a descriptor's number means; NULL when it means none. Constant time. */
const struct amd_image_format *amd_image_format_find(enum amd_gfx gfx, unsigned number);
const struct amd_image_format *amd_image_format_find_name(const char *name);

/* Its name, for decoders. */
const char *amd_format_name(unsigned gfx, unsigned number);

#endif
