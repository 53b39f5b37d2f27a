/* Names that the printer and the parser of the machine IR share. */
#ifndef AMD_COMPILER_MIR_TEXT_H
#define AMD_COMPILER_MIR_TEXT_H

#include <stddef.h>

#include "amd/compiler/mir.h"

struct mir_named_bit {
    const char *name;
    uint32_t bit;
};

enum mir_field_kind {
    MIR_FIELD_ALL,
    MIR_FIELD_ALU,
    MIR_FIELD_MEM,
    MIR_FIELD_EXP
};

/* A modifier: where it lies in struct mir_instr. */
struct mir_field {
    const char *name;
    uint8_t kind;
    uint16_t offset;
    uint8_t size;
};

extern const char *const amd_mir_pseudo_names[MIR_PSEUDO_END - MIR_P_START];
extern const char *const amd_mir_variant_names[ISA_VARIANT_COUNT];
extern const char *const amd_mir_cond_names[6];
extern const char *const amd_mir_mem_flag_names[];
extern const struct mir_named_bit amd_mir_kind_names[];
extern const struct mir_field amd_mir_fields[];

unsigned amd_mir_mem_flags(const struct isa_mem *mem);
void amd_mir_set_mem_flags(struct isa_mem *mem, unsigned flags);
enum mir_field_kind amd_mir_field_kind_of(const struct mir_instr *instr);
void amd_mir_set_field(struct mir_instr *instr, const struct mir_field *field, int64_t value);

#endif
