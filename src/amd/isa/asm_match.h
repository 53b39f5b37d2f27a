/* The shared part of asm_match*.c: a statement on its way into one encoding. */
#ifndef AMD_ISA_ASM_MATCH_H
#define AMD_ISA_ASM_MATCH_H

#include "amd/isa/asm_internal.h"

struct asm_matcher {
    struct asm_parser *parser;
    const struct asm_statement *statement;
    const struct isa_op_info *info;
    const struct isa_entry *entry;
    const struct isa_slot *slots;
    struct isa_inst inst;
    unsigned next;       /* operand of the statement */
    bool implicit_masks; /* vcc is not written */
    bool has_literal;
    const struct asm_operand *label;
};

static inline unsigned matcher_dwords(const struct asm_matcher *m, unsigned count)
{
    return count == ISA_COUNT_WAVE ? m->parser->wave_size / 32 : count;
}

static inline bool matcher_is_vector(const struct isa_op_info *info)
{
    return info->format >= ISA_FORMAT_VOP1 && info->format <= ISA_FORMAT_VINTRP;
}

static inline bool matcher_is_interpolation(const struct isa_op_info *info)
{
    return info->format == ISA_FORMAT_VINTRP || (info->properties & ISA_PROP_INTERP);
}

/* Where a layout has a field. */
uint64_t amd_asm_field_mask(unsigned layout, const char *name);

/* False: an error was reported. */
bool amd_asm_set_modifiers(struct asm_matcher *m);
bool amd_asm_set_operands(struct asm_matcher *m);

#endif
