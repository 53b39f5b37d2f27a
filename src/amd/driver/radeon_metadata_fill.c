/* Words of compression metadata: filled by the command processor's DMA, or by compute where some of their bits stay. */
#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_metadata.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

#define FILL_GROUP 64u
#define MAX_FILL_LANES (FILL_GROUP * 65535u)

struct fill_push {
    uint32_t va_lo, va_hi;
    uint32_t lanes;
    uint32_t value, keep;
};
enum {
    FILL_VA = 0,
    FILL_LANES = 2,
    FILL_VALUE,
    FILL_KEEP
};
enum {
    FILL_KEY_FOUR = 1 << 0, /* four words a lane; otherwise one */
};

static void build_fill(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    const uint32_t words = key & FILL_KEY_FOUR ? 4 : 1;
    vk_meta_workgroup(b->shader, true);
    struct ir_value *ids[3];
    vk_meta_ids(b, ids);
    ir_builder_push_if(b, ir_ult(b, ids[0], vk_meta_push(b, FILL_LANES)));
    struct ir_value *va =
        ir_iadd(b, vk_meta_push64(b, FILL_VA), ir_imul(b, ir_u2u(b, 64, ids[0]), ir_const(b, 64, 4 * words)));
    struct ir_value *value = vk_meta_push(b, FILL_VALUE), *keep = vk_meta_push(b, FILL_KEEP), *stored[4],
                    *old = ir_load_global(b, 32, words, va, 0, 4 * words, 0, 0);
    for (uint32_t i = 0; i < words; i++)
        stored[i] = ir_ior(b, value, ir_iand(b, words > 1 ? ir_extract(b, old, i) : old, keep));
    ir_store_global(b, words > 1 ? ir_vec(b, words, stored) : stored[0], va, 0, 4 * words, 0, 0);
    ir_builder_pop_if(b);
}

static void fill_words(struct radeon_cmd_buffer *cmd, uint64_t va, uint64_t size_B, uint32_t value, uint32_t keep)
{
    if (!keep) { /* as always on a transfer queue: all that it does is to initialise */
        radeon_cp_fill(cmd, va, size_B, value);
        return;
    }
    bool four = (va | size_B) % 16 == 0;
    uint32_t lane_B = four ? 16 : 4;
    const struct vk_shader *shader =
        vk_meta_shader(&cmd->vk, VK_META_KEY(RADEON_META_FILL_METADATA, four ? FILL_KEY_FOUR : 0), build_fill);
    for (uint64_t left = size_B / lane_B; left;) {
        uint32_t lanes = (uint32_t)MIN2(left, MAX_FILL_LANES);
        const struct fill_push push = {(uint32_t)va, (uint32_t)(va >> 32), lanes, value & ~keep, keep};
        const uint32_t groups[3] = {(uint32_t)div_round_up(lanes, FILL_GROUP), 1, 1};
        radeon_meta_dispatch(cmd, shader, NULL, 0, &push, sizeof(push), groups);
        va += (uint64_t)lane_B * lanes;
        left -= lanes;
    }
}

static void fill_range(struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                       const struct radeon_image_meta *meta, const VkImageSubresourceRange *range, uint32_t value,
                       uint32_t keep)
{
    uint64_t base_va = image->vk.memory[0].va + meta->range.offset_B;
    uint32_t levels = vk_image_level_count(&image->vk, range), layers = vk_image_layer_count(&image->vk, range);
    bool all_levels = range->baseMipLevel == 0 && range->baseMipLevel + levels >= meta->levels;
    if (all_levels && layers == image->vk.layers) {
        fill_words(cmd, base_va, meta->range.size_B, value, keep);
        return;
    }
    for (uint32_t layer = range->baseArrayLayer; layer < range->baseArrayLayer + layers; layer++) {
        uint64_t layer_va = base_va + layer * meta->slice_B;
        if (all_levels) {
            fill_words(cmd, layer_va, meta->slice_B, value, keep);
            continue;
        }
        for (uint32_t level = range->baseMipLevel; level < MIN2(range->baseMipLevel + levels, meta->levels); level++)
            fill_words(cmd, layer_va + meta->level[level].offset_B, meta->level[level].size_B, value, keep);
    }
}

void radeon_metadata_fill(struct radeon_cmd_buffer *cmd, const struct radeon_image *image,
                          const struct radeon_image_meta *meta, const VkImageSubresourceRange *range, uint32_t value,
                          uint32_t keep)
{
    fill_range(cmd, image, meta, range, value, keep);
    radeon_cp_writes_wait(cmd);
}
