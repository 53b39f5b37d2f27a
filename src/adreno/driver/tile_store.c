/* Stores from GMEM by the 2D engine. A BLIT event is cheaper, but it stores whole blocks, averages samples as
 * unsigned numbers of few bits alone, and must not meet some formats. The engine reads a tile as a texture of GMEM,
 * and writes through the colour cache like any other blit; the end of the rendering cleans it. */
#include "adreno/driver/a2d.h"
#include "adreno/driver/cmd.h"
#include "util/bits.h"

#define MAX_AVERAGED_BITS 10 /* of a channel */

/* Beyond the edges of a surface is room for the rest of a block, but for rows of a level that another one follows. */
static bool is_aligned(const struct adreno_chip *chip, const VkRect2D *area, const struct adreno_target *target)
{
    const uint32_t left = (uint32_t)area->offset.x, top = (uint32_t)area->offset.y;
    const uint32_t right = left + area->extent.width, bottom = top + area->extent.height;
    if (left % chip->gmem_align_w || top % chip->gmem_align_h)
        return false;
    if (right % chip->gmem_align_w && right != target->width)
        return false;
    return bottom % chip->gmem_align_h == 0 || (bottom == target->height && !target->is_tight);
}

/* Of depth and stencil the first sample is taken, which works for all of them. */
static bool can_event_resolve(VkFormat format)
{
    const struct format_info *info = adreno_vkformat(format)->info;
    if (format_is_depth_or_stencil(info))
        return true;
    return info->numeric != FORMAT_NUMERIC_SNORM && !format_is_srgb(info) &&
           info->channels[0].bits <= MAX_AVERAGED_BITS &&
           !(info->channel_count == 2 && info->block_size_B == 2);
}

/* Of a packed format one aspect alone may be resolved: the other one of that image stays what it is. */
static enum adreno_a2d_keep keep_of(const struct adreno_pass_part *part, const struct adreno_target *memory)
{
    if (part->format != VK_FORMAT_D24_UNORM_S8_UINT || memory == &part->target)
        return ADRENO_A2D_ALL;
    return !part->resolve_stencil.va ? ADRENO_A2D_DEPTH : !part->resolve.va ? ADRENO_A2D_STENCIL : ADRENO_A2D_ALL;
}

bool adreno_stores_by_engine(const struct adreno_cmd_buffer *cmd, const struct adreno_pass_part *part,
                             const struct adreno_target *memory)
{
    const bool is_resolve = memory->samples_log2 != part->target.samples_log2;
    return !is_aligned(cmd->device->chip, &cmd->vk.rec->rendering.area, memory) ||
           keep_of(part, memory) != ADRENO_A2D_ALL || (is_resolve && !can_event_resolve(part->format));
}

/* It writes one sample of a pixel. Of rows with alpha first GMEM has another order, which no texture has. */
static bool can_engine_store(const struct adreno_pass_part *part, const struct adreno_target *memory)
{
    return !memory->samples_log2 &&
           !(part->target.format == ADRENO_FORMAT_1_5_5_5_UNORM && part->target.tile_mode == ADRENO_TILE_MODE_LINEAR);
}

static bool can_store_to(const struct adreno_cmd_buffer *cmd, const struct adreno_pass_part *part,
                         const struct adreno_target *memory)
{
    return !adreno_stores_by_engine(cmd, part, memory) || can_engine_store(part, memory);
}

bool adreno_can_store(const struct adreno_cmd_buffer *cmd)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    bits_foreach (pass->part_mask, i) {
        const struct adreno_pass_part *part = &pass->parts[i];
        if ((part->is_stored || part->is_stencil_stored) && !can_store_to(cmd, part, &part->target))
            return false;
        if (part->resolve.va && !can_store_to(cmd, part, &part->resolve))
            return false;
        if (part->resolve_stencil.va && !can_store_to(cmd, part, &part->resolve_stencil))
            return false;
    }
    return true;
}

static bool part_uses_engine(const struct adreno_cmd_buffer *cmd, const struct adreno_pass_part *part)
{
    const struct adreno_target *resolve = part->resolve.va ? &part->resolve : &part->resolve_stencil;
    return ((part->is_stored || part->is_stencil_stored) && adreno_stores_by_engine(cmd, part, &part->target)) ||
           (resolve->va && adreno_stores_by_engine(cmd, part, resolve));
}

/* The engine reads GMEM through UCHE, which knows nothing of what draws wrote there. */
void adreno_before_stores(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    bool has_any = false;
    bits_foreach (pass->part_mask, i)
        has_any |= part_uses_engine(cmd, &pass->parts[i]);
    if (!has_any)
        return;
    adreno_cs_reserve(cs, ADRENO_ORDER_DW);
    adreno_emit_order(cs, ADRENO_DROP_UCHE | ADRENO_WAIT_IDLE, adreno_word_va(cmd->device, ADRENO_WORD_EVENTS));
}

static struct adreno_target gmem_target(const struct adreno_cmd_buffer *cmd, const struct adreno_pass_part *part,
                                        uint32_t layer)
{
    struct adreno_target source = adreno_a2d_source(&part->target);
    source.va = cmd->device->kernel->gmem_base + part->gmem_B + layer * part->gmem_layer_B;
    source.tile_mode = ADRENO_TILE_MODE_TILE6_2;
    source.pitch_B = (cmd->graphics.pass.tiles.width * source.sample_B) << source.samples_log2;
    source.swap = ADRENO_COLOR_SWAP_WZYX;
    source.has_ubwc = false;
    return source;
}

void adreno_store_by_engine(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, const struct adreno_pass_part *part,
                            const struct adreno_target *memory, const struct adreno_tile_rect *rect)
{
    bits_foreach (cmd->graphics.pass.layer_mask, layer) {
        struct adreno_a2d op = {
            .dst = adreno_a2d_target(memory),
            .src = gmem_target(cmd, part, (uint32_t)layer),
            .has_source = true,
            .keep = keep_of(part, memory),
            .is_average = part->is_resolve_average,
            .x0 = rect->x0,
            .y0 = rect->y0,
            .x1 = rect->x1,
            .y1 = rect->y1,
            .src_x0 = rect->x0, /* less TPL1_WINDOW_OFFSET */
            .src_y0 = rect->y0,
            .src_x1 = rect->x1,
            .src_y1 = rect->y1,
        };
        op.dst.va += (uint64_t)layer * memory->layer_B;
        op.dst.flag_va += (uint64_t)layer * memory->flag_layer_B;
        adreno_cs_reserve(cs, ADRENO_A2D_DW);
        adreno_emit_a2d(cs, cmd->device->chip, &op);
    }
}
