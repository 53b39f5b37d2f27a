/* The shared part of the assembler's files. */
#ifndef ADRENO_ISA_ASM_INTERNAL_H
#define ADRENO_ISA_ASM_INTERNAL_H

#include <string.h>

#include "adreno/isa/isa_tables.h"

/* A cursor in a line. */
struct adreno_isa_reader {
    const char *at;
};

/* Skip `word` if it is next. */
static inline bool adreno_isa_take(struct adreno_isa_reader *reader, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

bool adreno_isa_take_number(struct adreno_isa_reader *reader, int64_t *value_out);

/* One of the types' names, the longest that fits; -1: none. */
int adreno_isa_take_type(struct adreno_isa_reader *reader);

/* An operand of the row's layout into `inst`, with its modifiers. */
bool adreno_isa_take_operand(struct adreno_isa_reader *reader, struct adreno_isa_inst *inst, unsigned place);

#endif
