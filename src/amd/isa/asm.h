/* Assembler of the text that LLVM writes and reads for AMD's shader cores. What an instruction may look like follows
 * the same tables as the decoder and the printer. Not for: sections, relocations and object files; the result is the
 * words of one program. */
#ifndef AMD_ISA_ASM_H
#define AMD_ISA_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amd/isa/isa.h"
#include "util/arena.h"

#define ISA_ASM_MAX_ERRORS 20

struct isa_asm_error {
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1, in bytes */
    const char *message;
};

struct isa_asm_result {
    uint32_t *words; /* only meaningful where there is no error */
    uint32_t count_dw;
    uint32_t error_count; /* the first ISA_ASM_MAX_ERRORS of them are kept, in the order of the text */
    struct isa_asm_error errors[ISA_ASM_MAX_ERRORS];
    struct arena arena;
};

/* Assemble `length` bytes of text for waves of 32 or 64 lanes. Returns true where there was no error. The result must
 * be given to amd_isa_asm_finish in either case. */
bool amd_isa_assemble(enum isa_gfx gfx, unsigned wave_size, const char *text, size_t length,
                      struct isa_asm_result *out);

void amd_isa_asm_finish(struct isa_asm_result *result);

#endif
