/* Stands in, weakly, for the parts of the driver that are being written; goes when they are there. */
#include "amd/driver/radeon_meta.h"
#define W __attribute__((weak))
W void radeon_meta_transition(struct radeon_cmd_buffer *cmd, const VkImageMemoryBarrier2 *b) {}
