/* Attachments with shading rates (radeon_rates.c). */
#ifndef AMD_DRIVER_RADEON_RATES_H
#define AMD_DRIVER_RADEON_RATES_H

#include "amd/driver/radeon_cmd.h"

#define RADEON_RATE_TEXEL 8u /* pixels each way that have one rate */

/* Where a rendering with rates begins: cmd->graphics->rates is its depth target. Where that cannot be, its rate_view is
 * taken away. */
void radeon_rates_begin(struct radeon_cmd_buffer *cmd);

/* Whether a draw may meet them; of what a secondary inherits that is not known. */
static inline bool radeon_may_have_rates(const struct radeon_cmd_buffer *cmd)
{
    return cmd->device->vk.enabled_features.attachmentFragmentShadingRate &&
           (cmd->vk.rec->rendering.rate_view || cmd->vk.rec->rendering.inherited);
}

#endif
