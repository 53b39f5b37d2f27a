/* Any words and any text through the instruction set: what decodes has a text and encodes to itself; a text that is
 * read becomes words that decode, and whose own text is read as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

static void check_word(uint64_t word)
{
    struct adreno_isa_inst inst;
    char text[ADRENO_ISA_MAX_TEXT];
    uint64_t back;
    if (adreno_isa_decode(word, &inst) != 0)
        return;
    if (adreno_isa_print(&inst, text) >= ADRENO_ISA_MAX_TEXT || adreno_isa_encode(&inst, &back) != 0 || back != word)
        abort();
}

/* Bits that no text shows may differ. */
static void check_read(uint64_t word)
{
    struct adreno_isa_inst inst;
    char text[ADRENO_ISA_MAX_TEXT], again[ADRENO_ISA_MAX_TEXT];
    uint64_t back;
    if (adreno_isa_decode(word, &inst) != 0)
        abort();
    adreno_isa_print(&inst, text);
    if (adreno_isa_assemble_line(text, &back) != 0 || adreno_isa_decode(back, &inst) != 0)
        abort();
    adreno_isa_print(&inst, again);
    if (strcmp(text, again) != 0)
        abort();
}

static void check_text(const uint8_t *data, size_t size_B)
{
    uint64_t words[16];
    unsigned line;
    char *source = malloc(size_B + 1);
    if (!source)
        return;
    memcpy(source, data, size_B);
    source[size_B] = 0;
    int count = adreno_isa_assemble(source, words, 16, &line);
    for (int i = 0; i < count && i < 16; i++)
        check_read(words[i]);
    free(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    if (size_B < 2)
        return 0;
    if (data[0] == 'T') {
        check_text(data + 1, size_B - 1);
        return 0;
    }
    for (size_t at = 1; at + 8 <= size_B; at += 8) {
        uint64_t word;
        memcpy(&word, data + at, sizeof(word));
        check_word(word);
    }
    return 0;
}
