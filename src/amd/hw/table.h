/* The hardware tables at run time: rows of registers, packets and descriptors with their fields, for whoever does not
 * know at compile time which one it has in hand: decoders, and a model that is asked to write register 0x28c70. Typed
 * access is in the generated headers regs_<block>.h, packets.h and descriptors.h. */
#ifndef AMD_HW_TABLE_H
#define AMD_HW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amd/hw/chip.h"

enum amd_space {
    AMD_SPACE_CONFIG,  /* from 0x8000; the kernel's */
    AMD_SPACE_SH,      /* from 0xb000; shader state, per draw or dispatch */
    AMD_SPACE_CONTEXT, /* from 0x28000; eight contexts, renamed by the hardware */
    AMD_SPACE_UCONFIG, /* from 0x30000; not renamed */
    AMD_SPACE_WAVE,    /* s_getreg's; no packet reaches it */
    AMD_SPACE_COUNT,
};

/* What a model does with a write. */
enum amd_policy {
    AMD_POLICY_IMPLEMENTED,
    AMD_POLICY_IGNORED, /* `reason` says why that is right */
    AMD_POLICY_STOP,    /* always, or unless the value is the one that is allowed */
};

enum amd_type {
    AMD_TYPE_UINT,
    AMD_TYPE_HEX,
    AMD_TYPE_INT,
    AMD_TYPE_FLOAT,
    AMD_TYPE_VA,     /* a GPU address */
    AMD_TYPE_REG,    /* a register by its dword offset */
    AMD_TYPE_SHREG,  /* a register by its dword offset in SH space */
    AMD_TYPE_CTXREG, /* in context space */
    AMD_TYPE_UREG,   /* in UCONFIG space */
    AMD_TYPE_FORMAT, /* an image format's number */
    AMD_TYPE_FIXED,  /* unsigned fixed point */
    AMD_TYPE_SFIXED,
    AMD_TYPE_ENUM,
};

struct amd_enum_value {
    const char *name;
    uint32_t value;
};

struct amd_enum {
    const char *name;
    const struct amd_enum_value *values;
    uint32_t count;
};

/* Bits of a register, or of a packet counted from the header's bit 0. Width 0: this generation does not have the field.
 */
struct amd_bits {
    uint16_t low;
    uint16_t width;
};

struct amd_field {
    const char *name;
    struct amd_bits bits[AMD_GFX_COUNT];
    enum amd_type type;
    uint8_t fraction_bits; /* of a fixed-point number */
    uint8_t policy;        /* enum amd_policy; STOP: unless the value is `only` */
    uint32_t only;
    const struct amd_enum *values; /* of AMD_TYPE_ENUM */
    const char *reason;            /* NULL where there is none to give */
    int16_t when_field;            /* the field holds only if that field has a value of `when_mask`; -1: always */
    uint64_t when_mask;
};

struct amd_reg {
    const char *name; /* '#' stands for the index of an array */
    enum amd_space space;
    uint32_t offset_B[AMD_GFX_COUNT]; /* 0: this generation does not have it, or nobody has looked it up */
    uint16_t count;
    uint16_t stride_B;
    const struct amd_field *fields;
    uint16_t field_count;
    bool in_clear_state;
    uint32_t clear_value; /* what CLEAR_STATE leaves, if in_clear_state */
    enum amd_policy policy;
    const char *reason;
    /* A model stops at a write that does not equal the value under the mask. */
    uint32_t stop_mask[AMD_GFX_COUNT];
    uint32_t stop_value[AMD_GFX_COUNT];
    uint32_t known_mask[AMD_GFX_COUNT]; /* bits that have a name */
};

/* What follows the fixed part of a packet. */
enum amd_tail {
    AMD_TAIL_NONE,
    AMD_TAIL_DATA,
    AMD_TAIL_REGS_CONFIG, /* values of consecutive registers, from REG_OFFSET on */
    AMD_TAIL_REGS_SH,
    AMD_TAIL_REGS_CONTEXT,
    AMD_TAIL_REGS_UCONFIG,
    AMD_TAIL_LOADS,     /* further pairs of REG_OFFSET and NUM_DWORDS */
    AMD_TAIL_ANY,       /* of no meaning to the hardware */
    AMD_TAIL_COUNTED,   /* of the DMA engine: COUNT dwords */
    AMD_TAIL_COUNTED_1, /* COUNT is one less */
};

struct amd_packet {
    const char *name;
    int16_t opcode[AMD_GFX_COUNT];    /* -1: not there; of the DMA engine: the low half of the header */
    uint8_t length_dw[AMD_GFX_COUNT]; /* the fixed part, header included; of the DMA engine: in its longest form */
    uint8_t min_dw[AMD_GFX_COUNT];    /* what must be there of it */
    enum amd_tail tail;
    enum amd_policy policy;
    const char *reason;
    const struct amd_field *fields;
    uint16_t field_count;
};

struct amd_descriptor {
    const char *name;
    uint16_t length_dw;
    uint16_t field_count;
    const struct amd_field *fields;
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

extern const struct amd_reg amd_regs[];
extern const unsigned amd_reg_count;
extern const struct amd_packet amd_packets[];
extern const unsigned amd_packet_count;
extern const struct amd_packet amd_sdma_packets[];
extern const unsigned amd_sdma_packet_count;
extern const struct amd_descriptor amd_descriptors[];
extern const unsigned amd_descriptor_count;
extern const struct amd_image_format amd_image_formats[];
extern const unsigned amd_image_format_count;

/* --- registers --- */

/* The row of a register, in constant time; NULL when nothing is known at that offset. `index_out` (may be NULL): which
 * element of an array. */
const struct amd_reg *amd_reg_find(enum amd_gfx gfx, uint32_t offset_B, unsigned *index_out);

/* By its name in the table, '#' and all, or with an index in its place. */
const struct amd_reg *amd_reg_find_name(const char *name, unsigned *index_out);

/* "CB_COLOR3_INFO". Returns what snprintf does. */
int amd_reg_name(const struct amd_reg *reg, unsigned index, char *text, size_t size_B);

/* The first byte offset of a space: what REG_OFFSET of the SET packets counts dwords from. */
uint32_t amd_space_base_B(enum amd_space space);

/* Must a model stop at this write? */
static inline bool amd_reg_write_stops(const struct amd_reg *reg, enum amd_gfx gfx, uint32_t value)
{
    return (value & reg->stop_mask[gfx]) != reg->stop_value[gfx] ||
           (reg->policy == AMD_POLICY_STOP && reg->stop_mask[gfx] == 0);
}

/* Bits of `value` that no field of this generation names: a driver's mistake, or a gap in our table. */
static inline uint32_t amd_reg_unknown_bits(const struct amd_reg *reg, enum amd_gfx gfx, uint32_t value)
{
    return value & ~reg->known_mask[gfx];
}

/* Why amd_reg_write_stops said yes, as one sentence; `field_out` (may be NULL) is the field, or NULL for the register.
 */
const char *amd_reg_stop_reason(const struct amd_reg *reg, enum amd_gfx gfx, uint32_t value,
                                const struct amd_field **field_out);

/* What CLEAR_STATE does to the context registers: `set` for each of them. The chip's own PA_SC_TILE_STEERING_OVERRIDE
 * is not in it. */
void amd_clear_state(enum amd_gfx gfx, void (*set)(void *data, uint32_t offset_B, uint32_t value), void *data);

/* --- packets --- */

/* The row of a type-3 packet. Two packets may share an opcode: the length tells them apart. NULL when it is unknown. */
const struct amd_packet *amd_packet_find(enum amd_gfx gfx, unsigned opcode, unsigned length_dw);

/* Does the field hold in this packet, and is it inside? */
bool amd_field_applies(const struct amd_field *fields, const struct amd_field *field, enum amd_gfx gfx,
                       const uint32_t *dw, unsigned count_dw);

/* The first field whose value a model must stop at; NULL when there is none. Does not look at the packet's own policy.
 */
const struct amd_field *amd_packet_stop_field(const struct amd_packet *packet, enum amd_gfx gfx, const uint32_t *dw,
                                              unsigned count_dw);

/* --- packets of the DMA engine --- */

/* The row of a packet; NULL when the header is unknown, and with it where the next packet begins. */
const struct amd_packet *amd_sdma_find(enum amd_gfx gfx, uint32_t header);

/* The packet's whole length, tail included; min_dw dwords of it must be there. */
uint32_t amd_sdma_length_dw(const struct amd_packet *packet, enum amd_gfx gfx, const uint32_t *dw);

/* --- values --- */

const char *amd_enum_name(const struct amd_enum *values, uint64_t value); /* NULL when it has no name */
const struct amd_descriptor *amd_descriptor_find(const char *name);

/* The format that a descriptor's number means; NULL when it means none. Constant time. */
const struct amd_image_format *amd_image_format_find(enum amd_gfx gfx, unsigned number);
const struct amd_image_format *amd_image_format_find_name(const char *name);

#endif
