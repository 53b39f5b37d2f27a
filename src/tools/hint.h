/* Advice of `tuff run` and `tuff shim` on the machine and the environment before a program begins. */
#ifndef TOOLS_HINT_H
#define TOOLS_HINT_H

#include "tools/tool.h"

/* Lets the driver in the program say which switch may help, once for the program and all that it starts
 * (vulkan/runtime/device/vk_hint.c). Not where TUFF_HINT is 0. */
void tool_offer_hint(void);

/* Warns of TUFF_ variables that nothing reads, with the nearest that something does. */
void tool_check_environment(const struct tool_command *command);

/* Warns where the Vulkan loader is missing or too old for Vulkan 1.3. */
void tool_check_loader(const struct tool_command *command);

#endif
