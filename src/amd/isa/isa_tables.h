/* The shape of the generated tables: what decoder, encoder and printer share. Only for the files of this folder. */
#ifndef AMD_ISA_ISA_TABLES_H
#define AMD_ISA_ISA_TABLES_H

#include "amd/isa/isa.h"

/* How a field of an instruction names an operand. */
enum isa_slot_class {
    ISA_SLOT_VGPR,               /* eight bits */
    ISA_SLOT_SRC,                /* nine bits: scalars and constants below 256, VGPRs above */
    ISA_SLOT_SRC_VGPR,           /* nine bits: VGPRs only */
    ISA_SLOT_SRC_VGPR_LDS,       /* nine bits: VGPRs and lds_direct */
    ISA_SLOT_SRC_SCALAR,         /* nine bits: scalar registers and inline constants */
    ISA_SLOT_SRC_SCALAR_LITERAL, /* the same and literals, which the other has in code alone, not in texts */
    ISA_SLOT_SSRC,               /* seven or eight bits: scalars and constants */
    ISA_SLOT_SSRC_REGISTER,      /* the same without constants; pairs without the read-only ones */
    ISA_SLOT_SDST,               /* seven or eight bits: scalar registers only */
    ISA_SLOT_VCC,                /* no bits: always vcc */
    ISA_SLOT_SBASE,              /* pairs of SGPRs */
    ISA_SLOT_SRSRC,              /* fours of SGPRs */
    ISA_SLOT_IMM,                /* a number */
    ISA_SLOT_LITERAL,            /* no bits: the dword after the instruction */
    ISA_SLOT_PARAM,              /* which value of an interpolated attribute */
    ISA_SLOT_ATTR,               /* attribute and channel */
    ISA_SLOT_SDWA_SRC,           /* nine bits: VGPRs below 256, scalars above */
    ISA_SLOT_SDWA_SDST,          /* eight bits: vcc below 128, else SGPRs */
    ISA_SLOT_SOFFSET,            /* SGPRs, null or m0; absent where it is null (SMEM) */
    ISA_SLOT_SADDR,              /* SGPRs; absent where it is null (FLAT) */
    ISA_SLOT_VADDR_BUFFER,
    ISA_SLOT_VDATA_IMAGE,
    ISA_SLOT_VADDR_IMAGE,
    ISA_SLOT_VADDR_FLAT,
    ISA_SLOT_VDST_ATOMIC, /* present only with glc */
    ISA_SLOT_EXPORT,      /* present only if enabled */
};

struct isa_slot {
    uint8_t shift;
    uint8_t width;     /* of the low part */
    uint8_t top_shift; /* of the high part, where a field is in two pieces */
    uint8_t top_width;
    uint8_t class; /* enum isa_slot_class */
    uint8_t count; /* dwords; ISA_COUNT_WAVE */
};

/* One instruction of one generation in one variant. */
struct isa_entry {
    uint64_t mask;   /* bits that the instruction does not choose: an encoder writes them as in value */
    uint64_t value;  /* nothing outside of mask */
    uint64_t unread; /* bits of mask that hardware does not look at; the others must be as in value */
    uint16_t op;
    uint16_t slots; /* the first of its operands in amd_isa_slots */
    uint8_t layout;
    uint8_t variant;
    uint8_t operand_count;
    uint8_t format; /* enum isa_format */
};

struct isa_layout {
    uint8_t size_dw;
    uint8_t format;
    uint8_t op_shift, op_width;
    uint8_t op_top_shift, op_top_width;
    uint8_t sdwa, dpp16, dpp8; /* the layouts that special values of src0 choose; 0 where there are none */
    uint32_t map;              /* the entries of its opcodes in amd_isa_opcode_map */
};

struct isa_field_name {
    uint8_t layout;
    const char *name;
    uint64_t mask;
};

struct isa_register {
    uint8_t kind; /* enum isa_operand_kind; ISA_OPERAND_NONE is no register */
    int16_t value;
};

struct isa_generation {
    const uint8_t *prefixes;                     /* by bits 31:23; 0 is no layout */
    const struct isa_register *registers;        /* by source number, 0 to 255 */
    const uint8_t *special_numbers;              /* source number of each enum isa_special; 255 where it lacks it */
    const uint16_t (*encode)[ISA_VARIANT_COUNT]; /* entry of each op and variant; 0 is none */
    const char *const *names;                    /* of each op; NULL where it lacks it */
    const uint8_t *name_lengths;
    const uint16_t *by_name; /* its ops in the order of their names */
    uint16_t by_name_count;
    uint8_t sgpr_count;
    uint8_t ttmp_first;
};

extern const struct isa_generation amd_isa_generations[ISA_GFX_COUNT];
extern const struct isa_layout amd_isa_layouts[];
extern const struct isa_entry amd_isa_entries[];
extern const struct isa_slot amd_isa_slots[];
extern const uint16_t amd_isa_opcode_map[];
extern const struct isa_field_name amd_isa_field_names[];
extern const unsigned amd_isa_field_name_count;
extern const char *const amd_isa_special_names[];      /* of 32 bits */
extern const char *const amd_isa_special_pair_names[]; /* of 64 bits; NULL where there is none */

/* One past the last register of an SGPR tuple. Where VCC has the numbers after the SGPRs, a tuple of four or more may
 * end in it: s[104:107]. LLVM has no such register; Mesa's compiler uses it. */
static inline unsigned isa_sgpr_end(const struct isa_generation *gen, unsigned count)
{
    return gen->sgpr_count + (count > 2 && gen->special_numbers[ISA_SPECIAL_VCC_LO] == gen->sgpr_count ? 2 : 0);
}

#define ISA_SRC_INT_FIRST 128
#define ISA_SRC_INT_LAST 192     /* 64 */
#define ISA_SRC_INT_NEG_LAST 208 /* -16 */
#define ISA_SRC_FLOAT_FIRST 240
#define ISA_SRC_DPP8 233
#define ISA_SRC_DPP8_FI 234
#define ISA_SRC_SDWA 249
#define ISA_SRC_DPP16 250
#define ISA_SRC_LITERAL 255

#endif
