/* Any words and any text through the instruction set: what decodes has a text and encodes to itself, a text that is
 * read becomes words that decode. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mali/isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

static void check_word(uint64_t word)
{
    struct mali_isa_inst inst;
    char text[MALI_ISA_MAX_TEXT];
    uint64_t back;
    if (mali_isa_decode(word, &inst) != 0)
        return;
    if (mali_isa_print(&inst, text) >= MALI_ISA_MAX_TEXT || mali_isa_encode(&inst, &back) != 0 || back != word)
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
    int count = mali_isa_assemble(source, words, 16, &line);
    for (int i = 0; i < count && i < 16; i++) {
        struct mali_isa_inst inst;
        if (mali_isa_decode(words[i], &inst) != 0)
            abort();
    }
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
