/* See vk_indexed_layouts.h. */
#include "vulkan/runtime/descriptor/vk_indexed_layouts.h"

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/memory/vk_image.h"

/* Bindings that are not as the layout has them. */
static uint32_t num_copies(const struct vk_descriptor_set_layout *layout)
{
    if (!layout || (!layout->num_dynamic && !layout->has_conversions))
        return 0;
    return layout->num_bindings * (layout->has_conversions ? VK_IMAGE_MAX_PLANES : 1);
}

static void fill_copies(const struct vk_descriptor_set_layout *layout, uint32_t first_dynamic,
                        struct ir_binding_layout *copies, uint32_t count)
{
    const struct ir_binding_layout *from = layout->compiler_bindings;
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = from[i % layout->num_bindings];
        copies[i].index += copies[i].is_dynamic ? first_dynamic : i / layout->num_bindings;
    }
}

VkResult vk_indexed_layouts_init(struct vk_device *device, struct vk_descriptor_set_layout *const *set_layouts,
                                 uint32_t count, uint32_t first_dynamic, struct vk_indexed_layouts *layouts_out)
{
    uint32_t total = 0;
    count = MIN2(count, (uint32_t)VK_BINDINGS_MAX_SETS);
    *layouts_out = (struct vk_indexed_layouts){.num_sets = count};
    for (uint32_t set = 0; set < count; set++)
        total += num_copies(set_layouts[set]);
    if (total) {
        layouts_out->copies =
            vk_alloc(&device->alloc, NULL, total * sizeof(*layouts_out->copies), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
        if (!layouts_out->copies)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    struct ir_binding_layout *copies = layouts_out->copies;
    for (uint32_t set = 0; set < count; set++) {
        const struct vk_descriptor_set_layout *layout = set_layouts[set];
        const uint32_t own = num_copies(layout);
        if (!layout)
            continue;
        layouts_out->sets[set] = (struct ir_set_layout){layout->compiler_bindings, layout->num_bindings};
        if (!own)
            continue;
        layouts_out->sets[set] = (struct ir_set_layout){copies, own};
        fill_copies(layout, first_dynamic, copies, own);
        copies += own;
        first_dynamic += layout->num_dynamic;
    }
    return VK_SUCCESS;
}

void vk_indexed_layouts_finish(struct vk_device *device, struct vk_indexed_layouts *layouts)
{
    vk_free(&device->alloc, NULL, layouts->copies);
    layouts->copies = NULL;
}
