/* Layout transitions of images with FMASK, and reading it. */
#include "amd/driver/radeon_fmask.h"

#include <string.h>

#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_metadata.h"
#include "amd/hw/descriptors.h"
#include "amd/hw/enums.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

/* ---- reading it ---- */

/* The descriptor's format of an FMASK with as many fragments as samples. */
static uint32_t format_of(uint32_t samples)
{
    const char *name = samples == 2 ? "FMASK8_S2_F2" : samples == 4 ? "FMASK8_S4_F4" : "FMASK32_S8_F8";
    return (uint32_t)amd_image_format_find_name(name)->number[RADEON_GFX];
}

void radeon_fmask_descriptor(const struct radeon_image *image, uint32_t first_layer, uint32_t layers,
                             uint32_t words_out[8])
{
    const struct radeon_surface *fmask = &image->fmask;
    uint64_t va = image->vk.memory[0].va + fmask->offset_B,
             cmask_va = image->vk.memory[0].va + image->cmask.range.offset_B;
    amd_pack_desc_IMAGE(RADEON_GFX, words_out,
                        &(const struct amd_desc_IMAGE){
                            .BASE_ADDRESS = (va >> 8 & bits_mask(40)) | fmask->pipe_bank_xor,
                            .FORMAT = format_of(image->vk.samples),
                            .WIDTH = image->vk.extent.width - 1,
                            .HEIGHT = image->vk.extent.height - 1,
                            .RESOURCE_LEVEL = 1,
                            .DST_SEL_X = AMD_DST_SEL_X,
                            .DST_SEL_Y = AMD_DST_SEL_X,
                            .DST_SEL_Z = AMD_DST_SEL_X,
                            .DST_SEL_W = AMD_DST_SEL_X,
                            .SW_MODE = fmask->swizzle,
                            .TYPE = AMD_IMG_TYPE_2D_ARRAY,
                            .DEPTH = first_layer + layers - 1,
                            .BASE_ARRAY = first_layer,
                            .META_PIPE_ALIGNED = true,
                            .COMPRESSION_EN = true,
                            .META_ADDRESS = cmask_va >> 8 & bits_mask(40),
                        });
}

struct ir_value *radeon_fmask_fetch(struct ir_builder *b, uint32_t binding, struct ir_value *const at[3])
{
    struct ir_value *values[2] = {ir_vec(b, 3, at), ir_const(b, 32, 0)};
    struct ir_value *texel = ir_tex(b, 32, 4, vk_meta_texture(b, binding), ir_undef(b, 32, 1), 2, values,
                                    IR_TEX_KIND_fetch, IR_DIM_2d, true, 1u << IR_TEX_lod, 0, 0);
    return ir_extract(b, texel, 0);
}

/* The texture units return four bits per sample, however few there are in memory. */
struct ir_value *radeon_fmask_fragment(struct ir_builder *b, struct ir_value *fragments, uint32_t sample)
{
    return ir_ubfe(b, fragments, ir_const(b, 32, sample * 4), ir_const(b, 32, 4));
}

/* ---- each sample into its own fragment ---- */

struct expand_push {
    uint32_t extent[3];
    uint32_t first_layer;
};
enum {
    EXPAND_EXTENT = 0,
    EXPAND_LAYER = 3
};
enum {
    BINDING_READ,
    BINDING_WRITE,
    BINDING_FMASK
};

/* All fragments of a pixel are read before the first is written. */
static void build_expand(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    uint32_t samples = key & 0xff;
    struct ir_value *ids[3], *texels[8], *zero = ir_const(b, 32, 0);
    vk_meta_workgroup(b->shader, false);
    vk_meta_ids(b, ids);
    ir_builder_push_if(b, vk_meta_in_bounds(b, ids, EXPAND_EXTENT));
    struct ir_value *at[4] = {ids[0], ids[1], ir_iadd(b, ids[2], vk_meta_push(b, EXPAND_LAYER)), NULL};
    struct ir_value *fragments = radeon_fmask_fetch(b, BINDING_FMASK, at);
    for (uint32_t i = 0; i < samples; i++) {
        at[3] = radeon_fmask_fragment(b, fragments, i);
        texels[i] =
            ir_load_image(b, 32, 4, vk_meta_image(b, BINDING_READ), ir_vec(b, 4, at), zero, IR_DIM_2dms, true, 0, 0);
    }
    for (uint32_t i = 0; i < samples; i++) {
        at[3] = ir_const(b, 32, i);
        ir_store_image(b, texels[i], vk_meta_image(b, BINDING_WRITE), ir_vec(b, 4, at), zero, IR_DIM_2dms, true, 0, 0);
    }
    ir_builder_pop_if(b);
}

static void expand_fmask(struct radeon_cmd_buffer *cmd, struct radeon_image *image,
                         const VkImageSubresourceRange *range)
{
    uint32_t descriptors[3][8], groups[3];
    struct radeon_image_view view;
    radeon_image_view_init(cmd->device, &view,
                           &(const VkImageViewCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                               .image = radeon_image_to_handle(image),
                               .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                               .format = vk_meta_raw_format(image->planes[0].surface.element_B),
                               .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS},
                           },
                           &(const struct radeon_image_view_options){.no_compression = true});
    memcpy(descriptors[BINDING_READ], view.storage[0], sizeof(descriptors[0]));
    memcpy(descriptors[BINDING_WRITE], view.storage[0], sizeof(descriptors[0]));
    radeon_fmask_descriptor(image, 0, image->vk.layers, descriptors[BINDING_FMASK]);
    const struct expand_push push = {
        .extent = {image->vk.extent.width, image->vk.extent.height, vk_image_layer_count(&image->vk, range)},
        .first_layer = range->baseArrayLayer,
    };
    vk_meta_count_groups(false, push.extent, groups);
    uint64_t key = VK_META_KEY(RADEON_META_EXPAND_FMASK, image->vk.samples);
    radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, key, build_expand), descriptors, 3, &push, sizeof(push), groups);
}

/* ---- transitions ---- */

/* A word of FMASK that says of each sample: the fragment of its number. */
static uint32_t identity(uint32_t samples)
{
    uint32_t word = 0, bits = samples == 8 ? 4 : log2_floor(samples);
    for (uint32_t sample = 0; sample < samples; sample++)
        word |= sample << sample * bits;
    for (uint32_t width = samples * bits < 8 ? 8 : samples * bits; width < 32; width *= 2)
        word |= word << width;
    return word;
}

/* FMASK says it all, of up to 2, 4 or 8 fragments. */
static uint32_t plain_cmask(uint32_t samples)
{
    return samples == 2 ? 0xdddddddd : samples == 4 ? 0xeeeeeeee : 0xffffffff;
}

static void fill_plain(struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                       const VkImageSubresourceRange *range)
{
    const struct radeon_surface *fmask = &image->fmask;
    const struct radeon_image_meta place = {
        .range = {fmask->offset_B, fmask->size_B, fmask->align_B},
        .slice_B = fmask->slice_B,
        .levels = 1,
        .level[0].size_B = (uint32_t)fmask->slice_B,
    };
    radeon_metadata_fill(cmd, image, &place, range, identity(image->vk.samples), 0);
    radeon_metadata_fill(cmd, image, &image->cmask, range, plain_cmask(image->vk.samples), 0);
}

/* All earlier users of the image are done, and what was written is where shaders see it. */
static void wait_for_image(struct radeon_cmd_buffer *cmd, const struct radeon_image *image)
{
    cmd->due |= RADEON_AFTER_COMPUTE | RADEON_FRESH_VECTOR | RADEON_FRESH_METADATA;
    if (!cmd->is_compute)
        cmd->due |= RADEON_AFTER_PIXELS | RADEON_OUT_ALL_COLOR;
    if (!image->is_l2_coherent)
        cmd->due |= RADEON_FRESH_L2;
}

void radeon_fmask_transition(struct radeon_cmd_buffer *cmd, const VkImageMemoryBarrier2 *barrier)
{
    struct radeon_image *image = radeon_image_from_handle(barrier->image);
    uint32_t family = cmd->family;
    bool is_new =
        barrier->oldLayout == VK_IMAGE_LAYOUT_UNDEFINED || barrier->oldLayout == VK_IMAGE_LAYOUT_PREINITIALIZED;
    bool was = radeon_layout_fmask_compressed(image, barrier->oldLayout,
                                              radeon_image_queue_mask(image, barrier->srcQueueFamilyIndex, family)),
         will = radeon_layout_fmask_compressed(image, barrier->newLayout,
                                               radeon_image_queue_mask(image, barrier->dstQueueFamilyIndex, family));
    if (!is_new && !(was && !will))
        return;
    wait_for_image(cmd, image);
    if (!is_new) {
        expand_fmask(cmd, image, &barrier->subresourceRange);
        wait_for_image(cmd, image);
    }
    fill_plain(cmd, image, &barrier->subresourceRange);
    wait_for_image(cmd, image);
}
