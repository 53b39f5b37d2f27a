/* Any text through the assembler, for every generation and both wave sizes; what it takes must disassemble. The first
 * byte chooses. */
#include <stdlib.h>

#include "amd/isa/asm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    if (size_B == 0)
        return 0;
    enum isa_gfx gfx = data[0] / 2 % ISA_GFX_COUNT;
    struct isa_asm_result result;
    bool ok = amd_isa_assemble(gfx, data[0] & 1 ? 64 : 32, (const char *)data + 1, size_B - 1, &result);
    if (ok != (result.error_count == 0))
        abort();
    for (uint32_t i = 0; ok && i < result.count_dw;) {
        struct isa_inst inst;
        char text[ISA_MAX_TEXT];
        int size_dw = amd_isa_decode(gfx, result.words + i, result.count_dw - i, &inst);
        if (size_dw > 0)
            amd_isa_print(gfx, data[0] & 1 ? 64 : 32, &inst, text);
        i += size_dw > 0 ? (uint32_t)size_dw : 1; /* .long may be anything */
    }
    amd_isa_asm_finish(&result);
    return 0;
}
