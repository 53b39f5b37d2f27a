/* `tuff dis` on anything: what decodes prints within its buffer, and encodes to words that decode to the same
 * instruction. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

static void report_failure(enum isa_gfx gfx, const char *what, const uint32_t *words, unsigned count_dw,
                           const char *text)
{
    fprintf(stderr, "%s: %s: %s:", amd_isa_gfx_name(gfx), what, text);
    for (unsigned i = 0; i < count_dw; i++)
        fprintf(stderr, " %08x", words[i]);
    fputc('\n', stderr);
    abort();
}

static void check_instruction(enum isa_gfx gfx, const uint32_t *words, unsigned size_dw, const struct isa_inst *inst)
{
    char text[ISA_MAX_TEXT], other[ISA_MAX_TEXT];
    uint32_t encoded[ISA_MAX_DW];
    struct isa_inst again;
    const char *what = "does not decode again";
    unsigned length = amd_isa_print(gfx, 32, inst, text);
    if (length >= sizeof(text) || strlen(text) != length)
        report_failure(gfx, "text is too long", words, size_dw, text);
    amd_isa_print(gfx, 64, inst, other);
    int count_dw = amd_isa_encode(gfx, inst, encoded, &what);
    if (count_dw < 0)
        report_failure(gfx, what, words, size_dw, text);
    if (amd_isa_decode(gfx, encoded, (size_t)count_dw, &again) != count_dw)
        report_failure(gfx, "does not decode again", encoded, (unsigned)count_dw, text);
    amd_isa_print(gfx, 32, &again, other);
    if (strcmp(text, other) != 0 || memcmp(inst->operands, again.operands, sizeof(again.operands)) != 0)
        report_failure(gfx, "decodes to another instruction", encoded, (unsigned)count_dw, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    if (size_B < 1)
        return 0;
    /* The first byte chooses the generation; a copy of the exact size lets the sanitizer see a read after the end. */
    enum isa_gfx gfx = data[0] % ISA_GFX_COUNT;
    size_t count_dw = (size_B - 1) / 4;
    uint32_t *words = malloc(count_dw ? count_dw * 4 : 1);
    if (!words)
        return 0;
    memcpy(words, data + 1, count_dw * 4);
    for (size_t at = 0; at < count_dw;) {
        struct isa_inst inst;
        int size_dw = amd_isa_decode(gfx, words + at, count_dw - at, &inst);
        if (size_dw > 0) {
            if ((size_t)size_dw > count_dw - at)
                abort();
            check_instruction(gfx, words + at, (unsigned)size_dw, &inst);
        }
        at += size_dw > 0 ? (size_t)size_dw : 1;
    }
    free(words);
    return 0;
}
