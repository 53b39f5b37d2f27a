/* The instruction sets of AMD's shader cores: decoded form, decoder, encoder, text and properties. All of it follows
 * the tables in this folder (table.py, encodings.table). Not for: assembling text (asm.h) or executing (the model). */
#ifndef AMD_ISA_ISA_H
#define AMD_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amd/isa/isa_ops.h"

#define ISA_MAX_DW 5 /* MIMG with three dwords of addresses */
#define ISA_MAX_OPERANDS 5
#define ISA_MAX_NSA 12
#define ISA_MAX_TEXT 320 /* no instruction's text is longer, with its NUL */

enum isa_operand_kind {
    ISA_OPERAND_NONE,    /* absent: `off`, a null saddr, a disabled export channel */
    ISA_OPERAND_VGPR,    /* value: first register */
    ISA_OPERAND_SGPR,    /* value: first register */
    ISA_OPERAND_TTMP,    /* value: first register */
    ISA_OPERAND_SPECIAL, /* value: enum isa_special */
    ISA_OPERAND_INT,     /* value: an inline integer, as int16_t */
    ISA_OPERAND_FLOAT,   /* value: enum isa_float */
    ISA_OPERAND_LITERAL, /* isa_inst.literal */
    ISA_OPERAND_IMM,     /* value: a number of the instruction itself: simm16, an interpolation parameter */
    ISA_OPERAND_ATTR,    /* value: attribute * 4 + channel */
};

/* The inline floats, in the order of their source numbers 240 to 248. */
enum isa_float {
    ISA_FLOAT_HALF,
    ISA_FLOAT_MINUS_HALF,
    ISA_FLOAT_ONE,
    ISA_FLOAT_MINUS_ONE,
    ISA_FLOAT_TWO,
    ISA_FLOAT_MINUS_TWO,
    ISA_FLOAT_FOUR,
    ISA_FLOAT_MINUS_FOUR,
    ISA_FLOAT_INV_2PI,
};

#define ISA_COUNT_WAVE 0 /* isa_operand.count of a lane mask: as many dwords as the wave has bits */

struct isa_operand {
    uint8_t kind;
    uint8_t count; /* dwords */
    uint16_t value;
};

enum isa_variant {
    ISA_VARIANT_BASE, /* the format's own encoding; e32 for VOP1, VOP2 and VOPC */
    ISA_VARIANT_E64,  /* VOP1, VOP2, VOPC or VINTRP as VOP3 */
    ISA_VARIANT_DPP16,
    ISA_VARIANT_DPP8,
    ISA_VARIANT_SDWA,
    ISA_VARIANT_COUNT,
};

enum isa_sdwa_sel {
    ISA_SDWA_BYTE_0,
    ISA_SDWA_BYTE_1,
    ISA_SDWA_BYTE_2,
    ISA_SDWA_BYTE_3,
    ISA_SDWA_WORD_0,
    ISA_SDWA_WORD_1,
    ISA_SDWA_DWORD,
};

/* Modifiers of the vector ALU. Bit i of a mask is source i. */
struct isa_alu {
    uint8_t abs;
    uint8_t neg; /* neg_lo of VOP3P */
    uint8_t neg_hi;
    uint8_t op_sel; /* bit 3 is the destination */
    uint8_t op_sel_hi;
    uint8_t sext;
    uint8_t clamp;
    uint8_t omod; /* 1: times 2, 2: times 4, 3: divided by 2 */
    uint8_t high; /* of interpolation: the upper half of the attribute */
    uint8_t row_mask;
    uint8_t bank_mask;
    uint8_t bound_ctrl;
    uint8_t fi;
    uint8_t dst_sel; /* enum isa_sdwa_sel */
    uint8_t dst_unused;
    uint8_t src0_sel;
    uint8_t src1_sel;
    uint8_t zero; /* would be a hole otherwise: instructions are compared byte by byte */
    uint16_t dpp_ctrl;
    uint32_t dpp8; /* three bits per lane, lane 0 lowest */
};
_Static_assert(sizeof(struct isa_alu) == 18 + 2 + 4, "no byte of it is padding");

struct isa_mem {
    int32_t offset; /* bytes; with offset2 two 8-bit offsets, the first one low */
    uint8_t format;
    uint8_t dmask;
    uint8_t dim;
    uint8_t nsa;                   /* further dwords of addresses */
    uint8_t addr_count;            /* VGPRs of the address (MIMG), one by one if nsa is not 0 */
    uint8_t nsa_addr[ISA_MAX_NSA]; /* the VGPRs after the first */
    /* tfe appends a dword to vdata; an operand's count includes it for MIMG, as LLVM does, and not for MUBUF and MTBUF
     */
    uint8_t glc : 1, slc : 1, dlc : 1, lds : 1, offen : 1, idxen : 1, tfe : 1, lwe : 1;
    uint8_t r128 : 1, a16 : 1, d16 : 1, unorm : 1, gds : 1, imm : 1, soffset_en : 1;
};

struct isa_export {
    uint8_t target;
    uint8_t en;
    uint8_t done;
    uint8_t compr;
    uint8_t vm;
};

/* One instruction. Operand i is described by isa_op_info.operands[i]. */
struct isa_inst {
    uint16_t op;     /* enum isa_op */
    uint8_t variant; /* enum isa_variant */
    uint8_t size_dw;
    uint32_t literal; /* of the operand whose kind is ISA_OPERAND_LITERAL */
    struct isa_operand operands[ISA_MAX_OPERANDS];
    union {
        struct isa_alu alu; /* VOP*, VINTRP */
        struct isa_mem mem; /* SMEM, DS, MUBUF, MTBUF, MIMG, FLAT */
        struct isa_export exp;
    };
};

enum isa_error {
    ISA_ERROR_TRUNCATED = -1, /* the words end before the instruction */
    ISA_ERROR_INVALID = -2,   /* no such instruction */
    ISA_ERROR_ENCODE = -3,    /* what is asked for has no encoding */
};

/* Decode the instruction at words[0]; at most `count_dw` words are read. Returns its size in dwords or a negative
 * isa_error. out is written in either case but only means something where the size is returned. */
int amd_isa_decode(enum isa_gfx gfx, const uint32_t *words, size_t count_dw, struct isa_inst *out);

/* Encode; returns the size in dwords or ISA_ERROR_ENCODE, and then what_out, unless it is NULL, names what has no
 * encoding. */
int amd_isa_encode(enum isa_gfx gfx, const struct isa_inst *inst, uint32_t words_out[ISA_MAX_DW],
                   const char **what_out);

/* The text as LLVM writes it for the wave size 32 or 64, with a NUL; returns its length. */
unsigned amd_isa_print(enum isa_gfx gfx, unsigned wave_size, const struct isa_inst *inst, char text_out[ISA_MAX_TEXT]);

/* ---- properties ---- */

enum isa_memory {
    ISA_MEMORY_NONE,
    ISA_MEMORY_LOAD,
    ISA_MEMORY_STORE,
    ISA_MEMORY_ATOMIC,
    ISA_MEMORY_OTHER, /* invalidates, probes, clocks, messages, exports */
};

/* Counters that an instruction raises. A VMEM atomic counts in vmcnt if it returns the old value (see
 * amd_isa_counters). */
enum isa_counter {
    ISA_COUNTER_VM = 1 << 0,
    ISA_COUNTER_LGKM = 1 << 1,
    ISA_COUNTER_EXP = 1 << 2,
    ISA_COUNTER_VS = 1 << 3,
};

enum isa_latency {
    ISA_LATENCY_SALU,
    ISA_LATENCY_BRANCH,
    ISA_LATENCY_MESSAGE,
    ISA_LATENCY_SMEM,
    ISA_LATENCY_VALU,
    ISA_LATENCY_TRANS,   /* the transcendental unit: a quarter of the rate */
    ISA_LATENCY_QUARTER, /* a quarter of the rate, on the main unit */
    ISA_LATENCY_F64,     /* a sixteenth of the rate */
    ISA_LATENCY_LDS,
    ISA_LATENCY_VMEM,
    ISA_LATENCY_EXPORT,
};

/* Parts in the hazards that GFX10.3's hardware does not resolve by itself; docs/isa.md lists those of GFX10 that do
 * not apply.
 *  - After an atomic on floats in memory, s_denorm_mode must be three wait states away, or a vector instruction or a
 *    wait must come between.
 *  - A scalar write of exec must not stand directly before an image instruction of four or more dwords. */
enum isa_hazard {
    ISA_HAZARD_FP_ATOMIC = 1 << 0,
    ISA_HAZARD_FP_ATOMIC_END = 1 << 1, /* ends the hazard above */
    ISA_HAZARD_DENORM_MODE = 1 << 2,
    ISA_HAZARD_EXEC_WRITE = 1 << 3,
    ISA_HAZARD_LONG_NSA = 1 << 4,
};

struct isa_operand_info {
    uint8_t name;  /* enum isa_operand_name */
    uint8_t type;  /* enum isa_type */
    uint8_t count; /* dwords; ISA_COUNT_WAVE for lane masks, and 0 where the instruction's fields decide */
    bool is_dst : 1;
    bool is_read : 1;    /* of a destination: its old value matters */
    bool is_written : 1; /* of a source: it is written too */
};

struct isa_op_info {
    uint64_t properties; /* ISA_PROP_* */
    uint32_t reads;      /* implicit state: ISA_STATE_* */
    uint32_t writes;
    uint16_t hazards; /* enum isa_hazard: what it may be; amd_isa_hazards: for one instruction */
    uint8_t format;   /* enum isa_format */
    uint8_t operand_count;
    uint8_t dst_count;               /* the first operands */
    uint8_t memory;                  /* enum isa_memory */
    uint8_t counters;                /* enum isa_counter; see amd_isa_counters */
    uint8_t latency;                 /* enum isa_latency */
    uint8_t helper;                  /* enum isa_helper: the model's C function of a row without a lane expression */
    uint8_t element;                 /* enum isa_type of what memory holds; ISA_TYPE_NONE */
    uint8_t atomic;                  /* enum isa_atomic */
    uint8_t half;                    /* d16 loads and stores: 1 the low half of the register, 2 the high half */
    uint8_t variants[ISA_GFX_COUNT]; /* bit i: enum isa_variant i exists */
    struct isa_operand_info operands[ISA_MAX_OPERANDS];
};

extern const struct isa_op_info amd_isa_op_infos[ISA_OP_COUNT];

static inline const struct isa_op_info *isa_info(unsigned op)
{
    return &amd_isa_op_infos[op];
}

/* The bare name of an instruction, without the suffix of a variant; NULL where the generation lacks it. */
const char *amd_isa_op_name(enum isa_gfx gfx, unsigned op);

/* The instruction of that bare name; false where there is none. */
bool amd_isa_op_from_name(enum isa_gfx gfx, const char *name, size_t length, enum isa_op *op_out);

/* Which kinds of operands can stand in that place of that variant: bit i is enum isa_operand_kind i; 0 where there is
 * no such. How many scalars or literals an instruction can have in all is another rule, the same for all: GFX10.3 reads
 * two SGPRs and one literal. */
unsigned amd_isa_operand_kinds(enum isa_gfx gfx, unsigned op, unsigned variant, unsigned index);

/* Which counters this very instruction raises: atomics by glc, gds by gds. */
unsigned amd_isa_counters(const struct isa_inst *inst);

/* Which parts of a hazard this very instruction plays: its operands and its length count. */
unsigned amd_isa_hazards(const struct isa_inst *inst);

/* VGPRs of an image instruction's data and address, from its other fields. */
unsigned amd_isa_image_data_count(const struct isa_inst *inst);
unsigned amd_isa_image_address_count(const struct isa_inst *inst);

/* The counters of s_waitcnt's immediate, whose places differ between generations. A field at its largest value does not
 * wait. */
struct isa_waitcnt {
    uint8_t vmcnt;
    uint8_t expcnt;
    uint8_t lgkmcnt;
};

struct isa_waitcnt amd_isa_waitcnt_max(enum isa_gfx gfx);
struct isa_waitcnt amd_isa_waitcnt_unpack(enum isa_gfx gfx, uint16_t imm);
uint16_t amd_isa_waitcnt_pack(enum isa_gfx gfx, struct isa_waitcnt waitcnt); /* larger counts become the largest */

const char *amd_isa_gfx_name(enum isa_gfx gfx);                      /* "gfx1030" */
bool amd_isa_gfx_from_name(const char *name, enum isa_gfx *gfx_out); /* "gfx1030" and its siblings */

#endif
