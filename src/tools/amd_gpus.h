/* GPUs of this family by LLVM's names, for the commands that read and write its code. */
#ifndef TOOLS_AMD_GPUS_H
#define TOOLS_AMD_GPUS_H

#include "tools/tool.h"

/* The usage error for a name that is none, with those that are. Answers TOOL_USAGE. */
int tool_bad_amd_gpu(const struct tool_command *command, const char *name);

#endif
