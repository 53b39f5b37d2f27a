/* The shared part of the files that write text. */
#ifndef ADRENO_ISA_PRINT_INTERNAL_H
#define ADRENO_ISA_PRINT_INTERNAL_H

#include "adreno/isa/isa_tables.h"

struct adreno_isa_text {
    char *at, *end; /* end: where the NUL is at the latest */
};

void adreno_isa_put(struct adreno_isa_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The operand at `place` with all its flags. */
void adreno_isa_put_operand(struct adreno_isa_text *text, const struct adreno_isa_inst *inst, unsigned place);

extern const char adreno_isa_components[4];

#endif
