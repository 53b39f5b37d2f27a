/* See amd_gpus.h. */
#include "tools/amd_gpus.h"

#include <string.h>

#include "amd/isa/isa.h"

int tool_bad_amd_gpu(const struct tool_command *command, const char *name)
{
    char known[128] = "";
    for (unsigned i = 0; i < ISA_GFX_COUNT; i++) {
        strcat(known, i ? ", " : "");
        strcat(known, amd_isa_gfx_name(i));
    }
    return tool_usage_error(command, "unknown GPU '%s'; known are %s", name, known);
}
