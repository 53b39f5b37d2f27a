/* Descriptors of what the shaders of meta operations see. */
#include <string.h>

#include "amd/driver/radeon_fmask.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_sampler.h"

void radeon_meta_write_binding(struct radeon_cmd_buffer *cmd, const struct vk_meta_binding *binding,
                               uint32_t words_out[8])
{
    const struct vk_meta_view *at = &binding->view;
    if (binding->kind == VK_META_SAMPLER) {
        radeon_sampler_words(binding->sampler, RADEON_NO_BORDER_SLOT, words_out);
        memset(words_out + 4, 0, RADEON_META_DESCRIPTOR_B / 2);
        return;
    }
    if (binding->kind == VK_META_SAMPLE_MAP) {
        radeon_fmask_descriptor(radeon_image_of(at->image), at->first_layer, at->layers, words_out);
        return;
    }
    bool is_storage = binding->kind == VK_META_STORAGE_IMAGE;
    const VkImageViewCreateInfo info = vk_meta_view_info(at);
    struct radeon_image_view view;
    radeon_image_view_init(cmd->device, &view, &info,
                           &(const struct radeon_image_view_options){.no_compression = is_storage});
    memcpy(words_out, is_storage ? view.storage[0] : view.sampled[0], RADEON_META_DESCRIPTOR_B);
}
