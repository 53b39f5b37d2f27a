/* GPUs of this family by LLVM's names, for the commands that read and write its code. */
#ifndef TOOLS_AMD_GPUS_H
#define TOOLS_AMD_GPUS_H

#include "tools/tool.h"

/* The usage error for an unknown name, with a list of the known ones. Returns TOOL_USAGE. */
int tool_bad_amd_gpu(const struct tool_command *command, const char *name);

#endif
