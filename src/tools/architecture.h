/* Which architecture a file of ours is built for: a tarball may have been unpacked over that of another. */
#ifndef TOOLS_ARCHITECTURE_H
#define TOOLS_ARCHITECTURE_H

#include "tools/tool.h"

/* Whether this command's own process could load the library; otherwise the error is printed. */
bool tool_check_architecture(const struct tool_command *command, const char *library);

#endif
