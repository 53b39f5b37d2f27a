/* The shared part of the two halves of the assembler: lines and programs (asm.c), operands (asm_operand.c). */
#ifndef MALI_ISA_ASM_INTERNAL_H
#define MALI_ISA_ASM_INTERNAL_H

#include "mali/isa/isa_tables.h"

/* A reader of text: `at` moves on with what was read. */
struct asm_text {
    const char *at, *end;
};

void mali_isa_asm_skip_spaces(struct asm_text *text);
/* The longest name of `names` that stands after a dot and ends before another one, or at the end of the word. */
bool mali_isa_asm_name(struct asm_text *text, const struct mali_isa_names *names, unsigned *value_out,
                       unsigned *length_out);

/* One operand each, the whole of `text`. */
bool mali_isa_asm_dst(struct asm_text text, struct mali_isa_inst *inst);
bool mali_isa_asm_staging(struct asm_text text, const struct mali_isa_row_staging *row,
                          struct mali_isa_staging *staging);
bool mali_isa_asm_source(struct asm_text text, const struct mali_isa_row *row, unsigned index,
                         struct mali_isa_inst *inst, bool *has_page);
bool mali_isa_asm_immediate(struct asm_text text, const struct mali_isa_row_number *row, uint32_t *value_out);

#endif
