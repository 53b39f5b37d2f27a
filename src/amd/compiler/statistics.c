/* Figures from code alone. Counts only so far; the estimator is not written yet. */
#include "amd/compiler/mir.h"

void amd_statistics_of_code(enum isa_gfx gfx, unsigned wave_size, const uint32_t *words, uint32_t count_dw, struct amd_statistics *out)
{
    (void)wave_size;
    *out = (struct amd_statistics){.code_size_B = count_dw * 4};
    for (uint32_t at = 0; at < count_dw;) {
        struct isa_inst inst;
        int size = isa_decode(gfx, words + at, count_dw - at, &inst);
        if (size <= 0)
            return;
        out->instructions++;
        at += (uint32_t)size;
    }
}
