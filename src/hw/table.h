/* A family's hardware tables at run time: rows of registers, packets and descriptors with their fields, for code that
 * does not know at compile time which one it deals with: decoders, and a model that writes a register by its number.
 * The rows are generated (gen_hw.py); typed access is in the family's generated headers. */
#ifndef HW_TABLE_H
#define HW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HW_MAX_GENERATIONS 3
#define HW_MAX_PACKET_KINDS 2

/* A model's treatment of a write. */
enum hw_policy {
    HW_POLICY_IMPLEMENTED,
    HW_POLICY_IGNORED, /* `reason` says why that is right */
    HW_POLICY_STOP,    /* always, or unless the value is the one that is allowed */
};

enum hw_type {
    HW_TYPE_UINT,
    HW_TYPE_HEX,
    HW_TYPE_INT,
    HW_TYPE_FLOAT,
    HW_TYPE_VA,     /* a GPU address */
    HW_TYPE_REG,    /* a register by the number of dwords from the field's `base` */
    HW_TYPE_FORMAT, /* a number of the family's formats */
    HW_TYPE_POW2,   /* the logarithm of a power of two */
    HW_TYPE_LETTER, /* a number after the letter `base`: of a register that is an operand */
    HW_TYPE_FIXED,  /* unsigned fixed point */
    HW_TYPE_SFIXED,
    HW_TYPE_ENUM,
};

/* From itself to what it names, in bytes; 0: nothing. All rows and texts of a family are one object, so that there is
 * no address in it: pages with addresses are written and copied whenever a library is loaded. A row is never copied. */
struct hw_link {
    int32_t by;
};

static inline const void *hw_follow(const struct hw_link *link)
{
    return link->by ? (const char *)link + link->by : NULL;
}

/* Of any row that has one. */
#define hw_name(row) ((const char *)hw_follow(&(row)->name))
#define hw_reason(row) ((const char *)hw_follow(&(row)->reason))
#define hw_fields(row) ((const struct hw_field *)hw_follow(&(row)->fields))

struct hw_enum_value {
    struct hw_link name;
    uint32_t value;
};

struct hw_enum {
    struct hw_link name;
    struct hw_link values; /* struct hw_enum_value, by value */
    uint32_t count;
};

/* Bits of a register, or of a packet counted from the header's bit 0. Width 0: this generation does not have the field.
 */
struct hw_bits {
    uint16_t low;
    uint16_t width;
};

struct hw_field {
    struct hw_link name;
    struct hw_bits bits[HW_MAX_GENERATIONS];
    uint8_t type;       /* enum hw_type */
    uint8_t shift;      /* of a fixed-point number: bits of its fraction; of others: low bits that are not stored */
    uint8_t less;       /* what is stored is so much less than what is meant */
    uint8_t policy;     /* enum hw_policy; STOP: unless the bits are `only` */
    int16_t when_field; /* the field holds only if that field has a value of `when_mask`; -1: always */
    uint32_t only;
    uint32_t base;         /* of HW_TYPE_REG: the offset that it counts from; of HW_TYPE_LETTER: that */
    struct hw_link values; /* struct hw_enum, of HW_TYPE_ENUM */
    struct hw_link reason; /* nothing where there is none to give */
    uint64_t when_mask;
};

struct hw_reg {
    struct hw_link name;                 /* '#' stands for the index of an array */
    uint32_t space;                      /* the family's number of it */
    uint32_t offset[HW_MAX_GENERATIONS]; /* in the family's unit; 0: this generation does not have it */
    uint16_t count;
    uint16_t stride;
    struct hw_link fields; /* struct hw_field */
    uint16_t field_count;
    bool is_wide; /* 64 bits, in two neighbouring places */
    bool in_clear_state;
    uint32_t clear_value; /* what the family's reset leaves, if in_clear_state */
    enum hw_policy policy;
    struct hw_link reason;
    /* A model stops at a write that does not equal the value under the mask. Zero in a wide register. */
    uint32_t stop_mask[HW_MAX_GENERATIONS];
    uint32_t stop_value[HW_MAX_GENERATIONS];
    uint64_t known_mask[HW_MAX_GENERATIONS]; /* bits that have a name */
};

/* The words after the fixed part of a packet. */
enum hw_tail {
    HW_TAIL_NONE,
    HW_TAIL_DATA,
    HW_TAIL_REGS,   /* values of consecutive registers, from the packet's first field on, which counts from tail_base */
    HW_TAIL_PAIRS,  /* a register's number and its value each */
    HW_TAIL_REPEAT, /* the fields of the last repeat_dw dwords again and again */
    HW_TAIL_ANY,    /* of no meaning to the hardware */
    HW_TAIL_COUNTED,   /* as many dwords as the field COUNT says */
    HW_TAIL_COUNTED_1, /* COUNT is one less */
};

struct hw_packet {
    struct hw_link name;
    int16_t opcode[HW_MAX_GENERATIONS];    /* -1: not there */
    uint8_t length_dw[HW_MAX_GENERATIONS]; /* the fixed part, header included, in its longest form */
    uint8_t min_dw[HW_MAX_GENERATIONS];    /* what must be there of it */
    enum hw_tail tail;
    uint32_t repeat_dw;
    uint32_t tail_base;
    enum hw_policy policy;
    struct hw_link reason;
    struct hw_link fields; /* struct hw_field */
    uint16_t field_count;
};

struct hw_descriptor {
    struct hw_link name;
    uint16_t length_dw;
    uint16_t field_count;
    struct hw_link fields; /* struct hw_field */
};

/* The packets of one kind. */
struct hw_packets {
    const struct hw_packet *rows;
    unsigned count;
    const uint8_t (*index)[256]; /* by generation and opcode: the first row, plus one; NULL: rows are searched */
    uint8_t opcode_low;          /* of packets that are searched: where the opcode is */
    uint8_t opcode_width;
};

/* All of a family. */
struct hw_tables {
    unsigned generation_count;
    unsigned reg_shift; /* log2 of the distance between neighbouring registers in the family's unit */
    uint32_t reg_limit; /* offsets are below */
    const struct hw_reg *regs;
    unsigned reg_count;
    const uint16_t (*reg_pages)[64]; /* 64 registers to a page of row numbers, plus one; page 0 is empty */
    const uint8_t *reg_directory[HW_MAX_GENERATIONS];
    const struct hw_descriptor *descriptors;
    unsigned descriptor_count;
    struct hw_packets packets[HW_MAX_PACKET_KINDS]; /* in the order of the family's kinds */

    /* The name of HW_TYPE_FORMAT's number, or NULL. */
    const char *(*format_name)(unsigned generation, unsigned number);
};

/* --- registers --- */

/* The row of a register, in constant time; NULL when nothing is known at that offset. `index_out` (may be NULL): which
 * element of an array. */
static inline const struct hw_reg *hw_reg_find(const struct hw_tables *tables, unsigned generation, uint32_t offset,
                                               unsigned *index_out)
{
    uint32_t place = offset >> tables->reg_shift;
    if (generation >= tables->generation_count || offset >= tables->reg_limit || place << tables->reg_shift != offset)
        return NULL;
    unsigned row = tables->reg_pages[tables->reg_directory[generation][place >> 6]][place & 63];
    if (!row)
        return NULL;
    const struct hw_reg *reg = &tables->regs[row - 1];
    if (index_out)
        *index_out = (offset - reg->offset[generation]) / reg->stride;
    return reg;
}

/* By its name in the table, '#' and all, or with an index in its place. */
const struct hw_reg *hw_reg_find_name(const struct hw_tables *tables, const char *name, unsigned *index_out);

/* The name with the index in the place of '#'. Returns what snprintf does. */
int hw_reg_name(const struct hw_reg *reg, unsigned index, char *text, size_t size_B);

/* Must a model stop at this write? */
static inline bool hw_reg_write_stops(const struct hw_reg *reg, unsigned generation, uint32_t value)
{
    return (value & reg->stop_mask[generation]) != reg->stop_value[generation] ||
           (reg->policy == HW_POLICY_STOP && reg->stop_mask[generation] == 0);
}

/* Bits of `value` that no field of this generation names: a driver's mistake, or a gap in the table. */
static inline uint64_t hw_reg_unknown_bits(const struct hw_reg *reg, unsigned generation, uint64_t value)
{
    return value & ~reg->known_mask[generation];
}

/* Why hw_reg_write_stops is true, as one sentence; `field_out` (may be NULL) is the field, or NULL for the register. */
const char *hw_reg_stop_reason(const struct hw_reg *reg, unsigned generation, uint32_t value,
                               const struct hw_field **field_out);

/* `set` for each register that the family's reset of state sets. */
void hw_clear_state(const struct hw_tables *tables, unsigned generation,
                    void (*set)(void *data, uint32_t offset, uint32_t value), void *data);

/* --- packets --- */

/* The row of a packet. Two packets may share an opcode: the length, where it is given, distinguishes them. NULL when
 * the opcode is unknown. */
const struct hw_packet *hw_packet_find(const struct hw_packets *packets, unsigned generation, unsigned opcode,
                                       unsigned length_dw);

/* The row of a packet whose header does not hold its length; `dw` has the dword of the opcode, too. */
static inline const struct hw_packet *hw_packet_find_self_sized(const struct hw_packets *packets, unsigned generation,
                                                                const uint32_t *dw)
{
    uint32_t opcode = dw[packets->opcode_low / 32] >> packets->opcode_low % 32;
    if (packets->opcode_width < 32)
        opcode &= (1u << packets->opcode_width) - 1;
    return hw_packet_find(packets, generation, opcode, 0);
}

/* The whole length of a packet whose header does not hold it, tail included; min_dw dwords of it must be there. */
uint32_t hw_packet_length_dw(const struct hw_packet *packet, unsigned generation, const uint32_t *dw);

/* Does the field hold in this packet, and is it inside? */
bool hw_field_applies(const struct hw_field *fields, const struct hw_field *field, unsigned generation,
                      const uint32_t *dw, unsigned count_dw);

/* The first field whose value a model must stop at; NULL when there is none. Does not look at the packet's own policy.
 */
const struct hw_field *hw_packet_stop_field(const struct hw_packet *packet, unsigned generation, const uint32_t *dw,
                                            unsigned count_dw);

/* --- values --- */

const char *hw_enum_name(const struct hw_enum *values, uint64_t value); /* NULL when it has no name */
const struct hw_descriptor *hw_descriptor_find(const struct hw_tables *tables, const char *name);

#endif
