/* Operations of the driver's own that are made of draws and dispatches: clears, copies, blits, resolves, layout
 * transitions. They save what they change of the command buffer's state and put it back. */
#ifndef AMD_DRIVER_RADEON_META_H
#define AMD_DRIVER_RADEON_META_H

#include "amd/driver/radeon_cmd.h"

VkResult radeon_meta_init(struct radeon_device *device);
void radeon_meta_finish(struct radeon_device *device); /* of a device whose init failed, too */

/* The layout part of an image barrier: initialises, expands or decompresses what the new layout cannot keep. */
void radeon_meta_transition(struct radeon_cmd_buffer *cmd, const VkImageMemoryBarrier2 *barrier);

/* The load operations of a rendering whose targets are set (cmd->graphics.render), and its resolves at its end. */
void radeon_meta_clear_rendering(struct radeon_cmd_buffer *cmd, const VkRenderingInfo *info);
void radeon_meta_resolve_rendering(struct radeon_cmd_buffer *cmd);

#endif
