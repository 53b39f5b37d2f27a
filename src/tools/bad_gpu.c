/* The usage error for a GPU that no family knows, with those that some family does: generations by LLVM's names, and
 * the models. */
#include <stdio.h>
#include <string.h>

#include "amd/isa/isa.h"
#include "kernel/model.h"
#include "tools/tool.h"
#include "util/nearest.h"

static void add_name(char *known, size_t size_B, const char *name)
{
    size_t used = strlen(known);
    if (!strstr(known, name))
        snprintf(known + used, size_B - used, "%s%s", used ? ", " : "", name);
}

int tool_bad_gpu(const struct tool_command *command, const char *name)
{
    char known[512] = "";
    const struct kernel_model_row *row;
    struct nearest nearest = nearest_begin(name, strlen(name));
    for (unsigned i = 0; i < ISA_GFX_COUNT; i++) {
        add_name(known, sizeof(known), amd_isa_gfx_name(i));
        nearest_try(&nearest, amd_isa_gfx_name(i));
    }
    for (unsigned i = 0; (row = kernel_model_row(i)); i++) {
        add_name(known, sizeof(known), row->name);
        nearest_try(&nearest, row->name);
    }
    char hint[96];
    return tool_usage_error(command, "unknown GPU '%s'; known are %s%s", name, known, nearest_text(&nearest, hint));
}
