/* Blits of as many layers as an image may have, several in one command buffer: what a GPU needs for each pass that they
 * become must come back before it runs out. Each layer is compared. */
#include "vt/vt_image.h"

enum {
    SIDE = 8,
    MOST_BLITS = 10,
};

struct blit_layers {
    uint32_t layers, blits;
    bool is_chained; /* each reads what the one before has written */
};

static uint32_t texel(uint32_t x, uint32_t y, uint32_t layer)
{
    return (layer << 8 | y << 4 | x) * 0x9e3779b1u;
}

static struct vt_image image_of(struct vt *vt, const struct blit_layers *test)
{
    return vt_image(vt, &(struct vt_image_info){
                            .format = VK_FORMAT_R32_UINT, .width = SIDE, .height = SIDE, .layers = test->layers});
}

static void blit_image(VkCommandBuffer commands, struct vt_image *from, struct vt_image *to, bool is_mirrored)
{
    const VkImageSubresourceLayers all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, from->info.arrayLayers};
    const VkImageBlit region = {.srcSubresource = all,
                                .srcOffsets = {{is_mirrored ? SIDE : 0, 0, 0}, {is_mirrored ? 0 : SIDE, SIDE, 1}},
                                .dstSubresource = all,
                                .dstOffsets = {{0, 0, 0}, {SIDE, SIDE, 1}}};
    vt_to_layout(commands, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vt_to_layout(commands, to, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdBlitImage(commands, from->image, from->layout, to->image, to->layout, 1, &region, VK_FILTER_NEAREST);
}

static void expect_layers(struct vt *vt, struct vt_image *image, bool is_mirrored)
{
    const uint32_t layers = image->info.arrayLayers;
    const uint32_t *got = vt_download(vt, image, 0);
    for (uint32_t i = 0; i < SIDE * SIDE * layers; i++) {
        const uint32_t x = i % SIDE, y = i / SIDE % SIDE, layer = i / (SIDE * SIDE);
        const uint32_t expected = texel(is_mirrored ? SIDE - 1 - x : x, y, layer);
        if (got[i] != expected)
            vt_fail(vt, "texel (%u, %u) of layer %u is 0x%08x, expected 0x%08x", x, y, layer, got[i], expected);
    }
}

static void case_blit_layers(struct vt *vt, const void *argument)
{
    const struct blit_layers *test = argument;
    if (vt->properties.limits.maxImageArrayLayers < test->layers)
        vt_skip(vt, "fewer layers");
    vt_need_features(vt, VK_FORMAT_R32_UINT, VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT);
    struct vt_image images[1 + MOST_BLITS];
    for (uint32_t i = 0; i <= test->blits; i++)
        images[i] = image_of(vt, test);
    struct vt_buffer texels = vt_buffer(vt, (VkDeviceSize)SIDE * SIDE * test->layers * 4, NULL);
    for (uint32_t i = 0; i < SIDE * SIDE * test->layers; i++)
        ((uint32_t *)texels.map)[i] = texel(i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE));
    vt_upload(vt, &images[0], 0, texels.map, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkCommandBuffer commands = vt_begin(vt);
    for (uint32_t i = 0; i < test->blits; i++)
        blit_image(commands, &images[test->is_chained ? i : 0], &images[i + 1], !test->is_chained && i % 2);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < test->blits; i++)
        expect_layers(vt, &images[i + 1], !test->is_chained && i % 2);
}

static const struct blit_layers few_large = {256, 5, false}, many_small = {128, 10, false}, chain = {256, 4, true};

const struct vt_case vt_blit_layers_cases[] = {
    {"five of 256 layers", case_blit_layers, &few_large},
    {"ten of 128 layers", case_blit_layers, &many_small},
    {"four of 256 layers, one after the other", case_blit_layers, &chain},
};
const size_t vt_blit_layers_count = COUNT_OF(vt_blit_layers_cases);
