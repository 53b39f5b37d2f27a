/* vkCmdBeginRendering and vkCmdEndRendering: attachments, tiler contexts, and the frames of a pass. Render passes are
 * made of renderings by the runtime. */
#include <stddef.h>
#include <string.h>

#include "mali/driver/cmd.h"
#include "mali/driver/entrypoints.h"
#include "mali/hw/regs_fragment.h"
#include "mali/hw/regs_idvs.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/render/vk_render_pass.h"

#define CONTEXT_B (4u * MALI_DESC_TILER_CONTEXT_DW)
#define COMPLETED_B 40 /* of the ends of a context's list of chunks: two addresses */
#define ALIGN_B 64u
#define SUPERBLOCK 16u /* pixels, of each side */

/* Bins of 32 to 4096 pixels: finer ones cost more memory than they save work. */
#define BIN_SIZES 0xfeu

/* ---- life ---- */

void mali_graphics_reset(struct mali_cmd_buffer *cmd, bool release)
{
    struct mali_graphics *graphics = &cmd->graphics;
    if (release)
        array_finish(&graphics->ended_queries);
    graphics->ended_queries.count = 0;
    graphics->pipeline = NULL;
    graphics->baked = NULL;
    graphics->occlusion_va = 0;
    graphics->index_va = 0;
    memset(graphics->vertex_buffers, 0, sizeof(graphics->vertex_buffers));
    memset(&graphics->pass, 0, sizeof(graphics->pass));
}

void mali_graphics_begin(struct mali_cmd_buffer *cmd, const VkCommandBufferBeginInfo *info)
{
    const VkCommandBufferInheritanceInfo *from =
        cmd->vk.level == VK_COMMAND_BUFFER_LEVEL_SECONDARY ? info->pInheritanceInfo : NULL;
    mali_graphics_forget(cmd);
    cmd->graphics.has_inherited_query = cmd->graphics.counts_for_caller = from && from->occlusionQueryEnable;
    cmd->graphics.is_occlusion_precise = from && from->queryFlags & VK_QUERY_CONTROL_PRECISE_BIT;
    if (!cmd->vk.rec->rendering.inherited)
        return;
    cmd->graphics.slots = vk_color_slots_of(&cmd->vk.rec->objects.local);
    cmd->graphics.pass = (struct mali_pass){.samples = cmd->vk.rec->rendering.samples};
    for (uint32_t i = 0; i < cmd->vk.rec->rendering.num_colors; i++) /* all that is known of its parts */
        cmd->graphics.pass.parts[i].target.format = cmd->vk.rec->rendering.colors[i].format;
    mali_inherit_inputs(cmd, vk_inheritance_subpass(cmd->vk.level, info));
}

/* ---- attachments ---- */

static const struct mali_image_view *view_of(const struct vk_attachment *attachment)
{
    return (const struct mali_image_view *)attachment->view;
}

static void set_part(struct mali_pass *pass, unsigned number, const struct mali_image_view *view,
                     const struct mali_target *target, const VkRenderingAttachmentInfo *info)
{
    const bool is_resumed = !info;
    pass->part_mask |= 1u << number;
    pass->parts[number] = (struct mali_part){
        .target = *target,
        .view = view,
        .is_loaded =
            is_resumed || info->loadOp == VK_ATTACHMENT_LOAD_OP_LOAD || info->loadOp == VK_ATTACHMENT_LOAD_OP_NONE_EXT,
        .is_cleared = !is_resumed && info->loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR,
        /* Samples that are resolved are read from memory. */
        .is_stored = is_resumed || info->storeOp == VK_ATTACHMENT_STORE_OP_STORE ||
                     (info->resolveMode != VK_RESOLVE_MODE_NONE && info->resolveImageView),
    };
    if (!is_resumed)
        pass->parts[number].clear = info->clearValue;
}

/* Both aspects of one surface go the same way: what is no attachment stays what it is. */
static void complete_packed(struct mali_pass *pass)
{
    struct mali_part *depth = &pass->parts[MALI_PART_DEPTH], *stencil = &pass->parts[MALI_PART_STENCIL];
    const bool has_depth = pass->part_mask >> MALI_PART_DEPTH & 1,
               has_stencil = pass->part_mask >> MALI_PART_STENCIL & 1;
    const struct mali_part *any = has_depth ? depth : stencil;
    if ((!has_depth && !has_stencil) || any->view->vk.image->format != VK_FORMAT_D24_UNORM_S8_UINT)
        return;
    const bool is_stored = (has_depth && depth->is_stored) || (has_stencil && stencil->is_stored);
    if (!has_depth)
        set_part(pass, MALI_PART_DEPTH, any->view, &any->view->stencil, NULL);
    if (!has_stencil)
        set_part(pass, MALI_PART_STENCIL, any->view, &any->view->stencil, NULL);
    depth->is_loaded |= is_stored && !depth->is_stored && !depth->is_cleared;
    stencil->is_loaded |= is_stored && !stencil->is_stored && !stencil->is_cleared;
    depth->is_stored = stencil->is_stored = is_stored;
}

static uint32_t layer_count(const struct vk_rendering *rendering)
{
    return rendering->view_mask ? 32u - (uint32_t)__builtin_clz(rendering->view_mask) : MAX2(rendering->layers, 1u);
}

/* The frame ends with the area. */
static void set_size(struct mali_pass *pass, const VkRect2D *area)
{
    pass->x = (uint32_t)area->offset.x;
    pass->y = (uint32_t)area->offset.y;
    pass->width = (uint32_t)area->offset.x + area->extent.width;
    pass->height = (uint32_t)area->offset.y + area->extent.height;
    pass->width = MAX2(pass->width, 1u);
    pass->height = MAX2(pass->height, 1u);
}

/* Would frames that write the image's superblocks whole write more of it than the area? */
static bool cuts_superblocks(const struct mali_pass *pass, const struct mali_target *target)
{
    return mali_target_is_compressed(target) &&
           (pass->x % SUPERBLOCK || pass->y % SUPERBLOCK || (pass->width % SUPERBLOCK && pass->width < target->width) ||
            (pass->height % SUPERBLOCK && pass->height < target->height));
}

/* The mean of samples that nothing else needs is written instead of them, by the tile. All other resolves are draws
 * that read the samples (vulkan/meta): also those to superblocks that the area cuts, for what is around it would have
 * to come from the image that is resolved to, and the tile is loaded with samples. */
static void choose_resolve(const struct mali_chip *chip, struct mali_pass *pass, struct vk_attachment *attachment,
                           unsigned number, const VkRenderingAttachmentInfo *info)
{
    struct mali_part *part = &pass->parts[number];
    const struct mali_image_view *resolve = (const struct mali_image_view *)attachment->resolve_view;
    if (!resolve || attachment->resolve_mode != VK_RESOLVE_MODE_AVERAGE_BIT || pass->samples <= 1 ||
        info->storeOp == VK_ATTACHMENT_STORE_OP_STORE || resolve->target.format != part->target.format ||
        !mali_vkformat(part->target.format)->color.is_blended ||
        (mali_target_is_compressed(&resolve->target) && !mali_pass_can_compress(chip, pass)) ||
        cuts_superblocks(pass, &resolve->target))
        return;
    part->is_resolved = true;
    part->is_stored = false;
    part->resolve = resolve->target;
    part->resolve_view = attachment->resolve_view;
    attachment->resolve_view = NULL;
}

/* Is there something of an image between the area's end and that of the last superblock? */
static bool ends_inside(const struct mali_pass *pass, uint32_t right, uint32_t bottom)
{
    bits_foreach (pass->part_mask, i) {
        const struct mali_part *part = &pass->parts[i];
        const struct mali_target *target = part->is_resolved ? &part->resolve : &part->target;
        if (mali_target_is_compressed(target) && ((right > pass->width && target->width > pass->width) ||
                                                  (bottom > pass->height && target->height > pass->height)))
            return true;
    }
    return false;
}

/* Superblocks are written whole. An area that cuts them becomes larger: what is around it is loaded and written as it
 * was, and clears, which are the area's alone, are draws. Attachments are as large in memory as whole tiles, but for
 * linear ones. */
static void extend_area(struct mali_pass *pass)
{
    uint32_t width = UINT32_MAX, height = UINT32_MAX, right, bottom;
    if (!mali_pass_has_compressed(pass))
        return;
    bits_foreach (pass->part_mask, i) {
        const struct mali_part *part = &pass->parts[i];
        const struct mali_target *target = part->is_resolved ? &part->resolve : &part->target;
        const uint32_t side = target->block_format == MALI_BLOCK_FORMAT_LINEAR ? 1 : SUPERBLOCK;
        width = MIN2(width, (uint32_t)align_u64(target->width, side));
        height = MIN2(height, (uint32_t)align_u64(target->height, side));
    }
    right = MIN2((uint32_t)align_u64(pass->width, SUPERBLOCK), width);
    bottom = MIN2((uint32_t)align_u64(pass->height, SUPERBLOCK), height);
    pass->is_extended = pass->x % SUPERBLOCK || pass->y % SUPERBLOCK || ends_inside(pass, right, bottom);
    if (!pass->is_extended)
        return;
    pass->x &= ~(SUPERBLOCK - 1);
    pass->y &= ~(SUPERBLOCK - 1);
    pass->width = MAX2(right, pass->width);
    pass->height = MAX2(bottom, pass->height);
    bits_foreach (pass->part_mask, i) {
        struct mali_part *part = &pass->parts[i];
        pass->late_clears |= part->is_cleared ? 1u << i : 0;
        part->is_cleared = false;
        part->is_loaded = true;
    }
}

/* A new image needs no headers where this rendering writes all of them. What nothing was asked for is cleared then: it
 * costs headers, which have to be written anyway. */
static void take_new_image(struct mali_cmd_buffer *cmd, struct mali_part *part)
{
    const struct mali_pass *pass = &cmd->graphics.pass;
    const struct mali_target *target = part->is_resolved ? &part->resolve : &part->target;
    const struct vk_image_view *view = part->is_resolved ? part->resolve_view : &part->view->vk;
    const bool is_written = part->is_resolved || (part->is_stored && !part->is_loaded);
    if (!is_written || pass->is_extended || pass->x || pass->y || pass->width < target->width ||
        pass->height < target->height || cmd->vk.rec->rendering.view_mask)
        return;
    if (!mali_new_image_drawn(cmd, view, pass->layers) || part->is_resolved || part->is_cleared)
        return;
    part->is_cleared = true;
    part->clear = (VkClearValue){0};
}

static void take_new_images(struct mali_cmd_buffer *cmd)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    bits_foreach (cmd->new_images.list.count ? pass->part_mask &((1u << VK_MAX_COLOR_ATTACHMENTS) - 1) : 0, i)
        take_new_image(cmd, &pass->parts[i]);
    mali_settle_new_images(cmd);
}

void mali_pass_begin(struct mali_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    struct mali_pass *pass = &cmd->graphics.pass;
    const bool is_resumed = info->flags & VK_RENDERING_RESUMING_BIT;
    vk_rendering_begin(rendering, info);
    cmd->graphics.slots = (struct vk_color_slots){0};
    *pass = (struct mali_pass){.samples = rendering->samples, .layers = layer_count(rendering)};
    set_size(pass, &rendering->area);
    for (uint32_t i = 0; i < rendering->num_colors; i++) {
        const struct mali_image_view *view = view_of(&rendering->colors[i]);
        if (view)
            set_part(pass, i, view, &view->target, is_resumed ? NULL : &info->pColorAttachments[i]);
    }
    const struct mali_image_view *depth = view_of(&rendering->depth), *stencil = view_of(&rendering->stencil);
    if (depth)
        set_part(pass, MALI_PART_DEPTH, depth, &depth->target, is_resumed ? NULL : info->pDepthAttachment);
    if (stencil)
        set_part(pass, MALI_PART_STENCIL, stencil, &stencil->stencil, is_resumed ? NULL : info->pStencilAttachment);
    complete_packed(pass);
    const bool is_whole = !(info->flags & (VK_RENDERING_RESUMING_BIT | VK_RENDERING_SUSPENDING_BIT));
    bits_foreach (is_whole ? pass->part_mask &((1u << VK_MAX_COLOR_ATTACHMENTS) - 1) : 0, i)
        choose_resolve(cmd->device->chip, pass, &rendering->colors[i], (unsigned)i, &info->pColorAttachments[i]);
    if (info->flags & VK_RENDERING_SUSPENDING_BIT) {
        bits_foreach (pass->part_mask, i)
            pass->parts[i].is_stored = true;
    }
    extend_area(pass);
    take_new_images(cmd);
    mali_graphics_forget(cmd);
}

/* ---- the tiler ---- */

static void pack_tiler(const struct mali_pass *pass, uint32_t number, uint32_t *out)
{
    const uint32_t first = number * MALI_TILER_LAYERS;
    mali_pack_desc_TILER_CONTEXT(out, &(const struct mali_desc_TILER_CONTEXT){
                                          .HIERARCHY_MASK = BIN_SIZES,
                                          .SAMPLE_PATTERN = mali_sample_pattern(pass->samples),
                                          .FIRST_PROVOKING_VERTEX = !pass->is_provoking_last,
                                          .FB_WIDTH = pass->width,
                                          .FB_HEIGHT = pass->height,
                                          .LAYER_COUNT = MIN2(pass->layers - first, (uint32_t)MALI_TILER_LAYERS),
                                          .LAYER_OFFSET = -(int32_t)first,
                                      });
}

/* A recording that may be in flight twice has one context for all of its runs: the frames of the run before must be
 * done. */
static void wait_for_frames(struct mali_cmd_buffer *cmd, struct mali_stream *s)
{
    const struct mali_d address = mali_scratch_pair(0), below = mali_scratch_pair(2);
    if (!(cmd->vk.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT))
        return;
    mali_put_add64(s, address, mali_context_reg(),
                   (int32_t)(offsetof(struct mali_context, progress) + MALI_FRAGMENT * sizeof(struct mali_progress)));
    mali_put_add64(s, below, mali_progress_reg(MALI_FRAGMENT), -1);
    mali_put_sync_wait64(s, MALI_CS_CONDITION_GREATER, address, below);
}

/* The hardware's words there are from the last run: empty lists, and this queue's heap. */
static void start_tilers(struct mali_stream *s, uint64_t va, uint32_t count)
{
    enum {
        ZERO = 0, /* and one after it */
        HEAP = 2, /* the heap's descriptor and the geometry buffer */
        ZEROS = 6,
        ADDRESS = 14,
    };
    const mali_reg_set before = mali_stream_allow(s, MALI_REGS_SCRATCH);
    mali_set64(s, mali_scratch_pair(ZERO), 0);
    for (unsigned i = 0; i < 8; i += 2)
        mali_set64(s, mali_scratch_pair(ZEROS + i), 0);
    mali_put_load(s, mali_scratch(HEAP), 0xf, mali_context_reg(), offsetof(struct mali_context, heap_va));
    for (uint32_t i = 0; i < count; i++) {
        mali_set64(s, mali_scratch_pair(ADDRESS), va + i * CONTEXT_B);
        mali_put_store(s, mali_scratch(ZERO), 3, mali_scratch_pair(ADDRESS), 0);
        mali_put_store(s, mali_scratch(HEAP), 0xff, mali_scratch_pair(ADDRESS), 4 * 6);
        mali_put_store(s, mali_scratch(ZEROS), 0xff, mali_scratch_pair(ADDRESS), 4 * 24);
    }
    mali_stream_settle(s);
    mali_stream_allow_again(s, before);
}

void mali_pass_prepare(struct mali_cmd_buffer *cmd)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    if (pass->tilers_va || cmd->vk.rec->rendering.inherited)
        return;
    pass->samples = MAX2(pass->samples ? pass->samples : cmd->vk.rec->dynamic_state.ms.samples, 1u);
    pass->is_provoking_last =
        cmd->vk.rec->dynamic_state.rs.provoking_vertex == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
    pass->tiler_count = (uint32_t)div_round_up(pass->layers, MALI_TILER_LAYERS);
    uint32_t *tilers = mali_cmd_upload(cmd, pass->tiler_count * CONTEXT_B, ALIGN_B, &pass->tilers_va);
    if (!tilers) {
        pass->tilers_va = 0;
        return;
    }
    for (uint32_t i = 0; i < pass->tiler_count; i++)
        pack_tiler(pass, i, tilers + i * MALI_DESC_TILER_CONTEXT_DW);
    struct mali_stream *s = mali_cmd_begin_work(cmd, MALI_VERTEX);
    wait_for_frames(cmd, s);
    start_tilers(s, pass->tilers_va, pass->tiler_count);
    /* All draws of the pass may come to nothing; FINISH_TILING asks for a context all the same. */
    mali_set64(s, mali_d(MALI_SR(IDVS_TILER_CONTEXT)), pass->tilers_va + (pass->tiler_count - 1) * CONTEXT_B);
    mali_put_heap_operation(s, MALI_CS_HEAP_OPERATION_VERTEX_TILER_STARTED, MALI_NOW);
    mali_put_resources(s, (struct mali_resources){.has_idvs = true});
}

/* All bins are complete; the point of the vertex subqueue that says so. */
static uint32_t finish_tiling(struct mali_cmd_buffer *cmd)
{
    struct mali_stream *s = mali_cmd_begin_work(cmd, MALI_VERTEX);
    mali_put_resources(s, (struct mali_resources){.has_tiler = true});
    mali_put_finish_tiling(s);
    mali_put_resources(s, (struct mali_resources){0});
    mali_put_heap_operation(
        s, MALI_CS_HEAP_OPERATION_VERTEX_TILER_COMPLETED,
        (struct mali_deferred){.wait_mask = cmd->streams[MALI_VERTEX].busy, .slot = MALI_SLOT_SIGNAL});
    return mali_cmd_signal(cmd, MALI_VERTEX);
}

/* ---- frames ---- */

/* Of views, those of the mask. */
static bool is_rendered(const struct vk_rendering *rendering, uint32_t layer)
{
    return !rendering->view_mask || rendering->view_mask >> layer & 1;
}

static uint32_t frame_count(const struct mali_cmd_buffer *cmd)
{
    const uint32_t views = cmd->vk.rec->rendering.view_mask;
    return views ? (uint32_t)__builtin_popcount(views) : cmd->graphics.pass.layers;
}

/* Frames of the layers that one tiler context has. */
static uint32_t frame_count_of(const struct mali_cmd_buffer *cmd, uint32_t tiler)
{
    const uint32_t views = cmd->vk.rec->rendering.view_mask, first = tiler * MALI_TILER_LAYERS;
    const uint32_t count = MIN2(cmd->graphics.pass.layers - first, (uint32_t)MALI_TILER_LAYERS);
    return views ? (uint32_t)__builtin_popcount(views >> first & ((1u << count) - 1)) : count;
}

static uint64_t upload_locations(struct mali_cmd_buffer *cmd)
{
    uint64_t va = 0;
    void *locations = mali_cmd_upload(cmd, MALI_LOCATIONS_B, ALIGN_B, &va);
    if (locations)
        mali_sample_locations(cmd->graphics.pass.samples, locations);
    return va;
}

/* Framebuffers of all layers side by side; as the FBD register names the first one. 0: there is no memory. */
static uint64_t upload_frames(struct mali_cmd_buffer *cmd, uint64_t locations_va)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    struct mali_pass *pass = &cmd->graphics.pass;
    uint64_t va;
    uint8_t *frame = mali_cmd_upload(cmd, frame_count(cmd) * MALI_FRAME_STRIDE_B, ALIGN_B, &va);
    if (!frame)
        return 0;
    for (uint32_t layer = 0; layer < pass->layers; layer++) {
        struct mali_preload preload;
        if (!is_rendered(rendering, layer))
            continue;
        if (!mali_pass_preload(cmd, layer, &preload))
            return 0;
        mali_framebuffer_pack(cmd->device->chip, pass, layer, &preload, locations_va, (uint32_t *)(void *)frame);
        frame += MALI_FRAME_STRIDE_B;
    }
    return mali_framebuffer_pointer(pass, va);
}

static void run_frame_layers(struct mali_stream *s, uint32_t count)
{
    const struct mali_d frame = mali_d(MALI_SR(FRAGMENT_FBD));
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            mali_put_add64(s, frame, frame, MALI_FRAME_STRIDE_B);
        mali_put_run_fragment(s, MALI_TILE_RENDER_ORDER_Z_ORDER);
    }
}

/* Chunks of the heap that the contexts hold go back when the frames are done. */
static void return_chunks(struct mali_cmd_buffer *cmd, struct mali_stream *s)
{
    const struct mali_pass *pass = &cmd->graphics.pass;
    const struct mali_deferred after = {.wait_mask = cmd->streams[MALI_FRAGMENT].busy, .slot = MALI_SLOT_SIGNAL};
    for (uint32_t i = 0; i < pass->tiler_count; i++) {
        mali_set64(s, mali_scratch_pair(4), pass->tilers_va + i * CONTEXT_B);
        mali_put_load(s, mali_scratch(0), 0xf, mali_scratch_pair(4), COMPLETED_B);
        mali_put_finish_fragment(s, mali_scratch_pair(0), mali_scratch_pair(2), i + 1 == pass->tiler_count, after);
    }
}

static uint64_t frame_box(const struct mali_cmd_buffer *cmd)
{
    const struct mali_pass *pass = &cmd->graphics.pass;
    return mali_pack_FRAGMENT_BOX(&(const struct mali_FRAGMENT_BOX){
        .MIN_X = pass->x, .MIN_Y = pass->y, .MAX_X = pass->width - 1, .MAX_Y = pass->height - 1});
}

/* Parts of a pass go through memory: all attachments are stored, and loaded again by what follows. */
enum which_part {
    FIRST_PART,
    NEXT_PART,
    LAST_PART, /* after others */
};

static uint64_t upload_parts(struct mali_cmd_buffer *cmd, uint64_t locations_va, enum which_part which)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    const struct mali_pass kept = *pass;
    for (unsigned i = 0; i < MALI_PARTS; i++) {
        struct mali_part *part = &pass->parts[i];
        part->is_stored |= which != LAST_PART;
        part->is_resolved &= which == LAST_PART;
        part->is_cleared &= which == FIRST_PART;
        part->is_loaded |= which != FIRST_PART;
    }
    const uint64_t frames = upload_frames(cmd, locations_va);
    *pass = kept;
    return frames;
}

static bool stores_all(const struct mali_pass *pass)
{
    bits_foreach (pass->part_mask, i) {
        if (!pass->parts[i].is_stored)
            return false;
    }
    return true;
}

static bool resolves_any(const struct mali_pass *pass)
{
    bits_foreach (pass->part_mask, i) {
        if (pass->parts[i].is_resolved)
            return true;
    }
    return false;
}

/* Each tiler context's, in the place where the handler finds them; 0: there is no memory. */
static uint64_t upload_plan(struct mali_cmd_buffer *cmd, uint64_t frames, uint64_t locations_va,
                            struct mali_plan **plan_out)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    const uint64_t next = upload_parts(cmd, locations_va, NEXT_PART);
    const uint64_t first = stores_all(pass) ? frames : upload_parts(cmd, locations_va, FIRST_PART);
    const uint64_t last = resolves_any(pass) ? upload_parts(cmd, locations_va, LAST_PART) : next;
    uint64_t plan_va, at_B = 0;
    struct mali_plan *plan =
        mali_cmd_upload(cmd, sizeof(*plan) + pass->tiler_count * sizeof(plan->of[0]), ALIGN_B, &plan_va);
    if (!plan || !next || !first || !last)
        return 0;
    *plan = (struct mali_plan){.box = frame_box(cmd), .tilers_va = pass->tilers_va, .tilers = pass->tiler_count};
    for (uint32_t i = 0; i < pass->tiler_count; i++) {
        const uint32_t count = frame_count_of(cmd, i);
        plan->of[i] = (struct mali_plan_tiler){first + at_B, frames + at_B, next + at_B, last + at_B, .frames = count};
        at_B += (uint64_t)count * MALI_FRAME_STRIDE_B;
    }
    *plan_out = plan;
    return plan_va;
}

/* Waits for the bins, and handles what happens meanwhile. */
static uint64_t wait_for_bins(struct mali_cmd_buffer *cmd, uint64_t frames, uint64_t locations_va)
{
    struct mali_stream *s = mali_cmd_stream(cmd, MALI_FRAGMENT);
    struct mali_plan *plan;
    const uint64_t plan_va = upload_plan(cmd, frames, locations_va, &plan);
    if (!plan_va)
        return 0;
    const uint32_t point = finish_tiling(cmd);
    mali_plan_begin(s, plan_va, plan->of, plan->tilers);
    mali_cmd_wait_point(cmd, MALI_FRAGMENT, MALI_VERTEX, point);
    mali_plan_end(s);
    return plan_va;
}

static void run_all_frames(const struct mali_cmd_buffer *cmd, struct mali_stream *s, uint64_t frames, uint64_t plan_va)
{
    const struct mali_pass *pass = &cmd->graphics.pass;
    if (!plan_va) {
        mali_set64(s, mali_d(MALI_SR(FRAGMENT_FBD)), frames);
        run_frame_layers(s, frame_count(cmd));
        return;
    }
    for (uint32_t i = 0; i < pass->tiler_count; i++) {
        mali_plan_choose(s, plan_va, i);
        run_frame_layers(s, frame_count_of(cmd, i));
    }
}

static void run_frames(struct mali_cmd_buffer *cmd)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    pass->samples = MAX2(pass->samples, 1u);
    const uint64_t locations_va = upload_locations(cmd);
    const uint64_t frames = upload_frames(cmd, locations_va);
    if (!frames)
        return;
    const uint64_t plan_va = pass->tilers_va ? wait_for_bins(cmd, frames, locations_va) : 0;
    if (pass->tilers_va && !plan_va)
        return;
    struct mali_stream *s = mali_cmd_begin_work(cmd, MALI_FRAGMENT);
    mali_set64(s, mali_d(MALI_SR(FRAGMENT_BOX)), frame_box(cmd));
    mali_put_resources(s, (struct mali_resources){.has_fragment = true});
    run_all_frames(cmd, s, frames, plan_va);
    mali_put_resources(s, (struct mali_resources){0});
    if (pass->tilers_va)
        return_chunks(cmd, s);
}

/* Something is to be done, even if nothing is drawn. */
static bool has_own_work(const struct mali_pass *pass)
{
    bits_foreach (pass->part_mask, i) {
        if ((pass->parts[i].is_cleared && pass->parts[i].is_stored) || pass->parts[i].is_resolved)
            return true;
    }
    return false;
}

void mali_pass_end(struct mali_cmd_buffer *cmd)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    const VkRect2D *area = &cmd->vk.rec->rendering.area;
    if (area->extent.width && area->extent.height && (pass->tilers_va || has_own_work(pass)))
        run_frames(cmd);
    mali_pass_end_queries(cmd);
    pass->tilers_va = 0;
}

/* Is there something that memory has not, even if nothing is drawn and nothing would be stored? */
static bool changes_any(const struct mali_pass *pass)
{
    bits_foreach (pass->part_mask, i) {
        if (pass->parts[i].is_cleared || pass->parts[i].is_resolved)
            return true;
    }
    return false;
}

void mali_pass_flush(struct mali_cmd_buffer *cmd)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    bool is_stored[MALI_PARTS], is_resolved[MALI_PARTS];
    if (cmd->vk.rec->rendering.inherited || (!pass->tilers_va && !changes_any(pass)))
        return;
    for (unsigned i = 0; i < MALI_PARTS; i++) {
        is_stored[i] = pass->parts[i].is_stored;
        is_resolved[i] = pass->parts[i].is_resolved;
        pass->parts[i].is_stored = true;
        pass->parts[i].is_resolved = false;
    }
    mali_pass_end(cmd);
    mali_cmd_wait_work(cmd, MALI_FRAGMENT);
    mali_cmd_flush(cmd, MALI_FRAGMENT, MALI_FLUSH_READ_ONLY);
    for (unsigned i = 0; i < MALI_PARTS; i++) {
        pass->parts[i].is_stored = is_stored[i];
        pass->parts[i].is_resolved = is_resolved[i];
        pass->parts[i].is_cleared = false;
        pass->parts[i].is_loaded = true;
    }
    mali_graphics_forget(cmd);
}

/* ---- secondary command buffers ---- */

uint32_t mali_graphics_execute_begin(struct mali_cmd_buffer *cmd)
{
    if (!cmd->vk.rec->rendering.active)
        return 1;
    mali_pass_prepare(cmd);
    return cmd->graphics.pass.tiler_count;
}

void mali_graphics_execute(struct mali_cmd_buffer *cmd, const struct mali_cmd_buffer *secondary, uint32_t tiler)
{
    struct mali_stream *s = mali_cmd_stream(cmd, MALI_VERTEX);
    uint64_t counter_va = cmd->graphics.occlusion_va;
    if (!cmd->vk.rec->rendering.active || !cmd->graphics.pass.tilers_va)
        return;
    mali_set64(s, mali_d(MALI_SR(IDVS_TILER_CONTEXT)), cmd->graphics.pass.tilers_va + tiler * CONTEXT_B);
    if (!secondary->graphics.has_inherited_query)
        return;
    if (!counter_va) /* it counts, and no query is active: somewhere */
        mali_cmd_upload(cmd, sizeof(uint64_t), sizeof(uint64_t), &counter_va);
    mali_set64(s, mali_d(MALI_SR(IDVS_OCCLUSION)), counter_va);
}

void mali_graphics_execute_end(struct mali_cmd_buffer *cmd, const struct mali_cmd_buffer *secondary)
{
    array_foreach (&secondary->graphics.ended_queries, va) {
        if (!array_push(&cmd->graphics.ended_queries, *va))
            vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_HOST_MEMORY);
    }
}

/* ---- commands ---- */

static void clear_late(struct mali_cmd_buffer *cmd)
{
    struct mali_pass *pass = &cmd->graphics.pass;
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    const uint32_t clears = pass->late_clears;
    const VkClearRect rect = {rendering->area, 0, rendering->view_mask ? 1 : MAX2(rendering->layers, 1u)};
    VkClearAttachment attachments[MALI_PARTS];
    uint32_t count = 0;
    pass->late_clears = 0;
    bits_foreach (clears, i)
        attachments[count++] = (VkClearAttachment){i == MALI_PART_DEPTH     ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                   : i == MALI_PART_STENCIL ? VK_IMAGE_ASPECT_STENCIL_BIT
                                                                            : VK_IMAGE_ASPECT_COLOR_BIT,
                                                   (uint32_t)i, pass->parts[i].clear};
    if (count && rendering->area.extent.width && rendering->area.extent.height)
        vk_meta_CmdClearAttachments(mali_cmd_buffer_to_handle(cmd), count, attachments, 1, &rect);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo *info)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    VkRenderingAttachmentInfo colors[VK_MAX_COLOR_ATTACHMENTS];
    VkRenderingInfo whole;
    const bool is_joined = mali_join_attachments(info, colors, &whole);
    mali_pass_begin(cmd, is_joined ? &whole : info);
    clear_late(cmd);
    if (is_joined)
        mali_joined_begin(cmd, info);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdSetRenderingAttachmentLocationsKHR(VkCommandBuffer handle,
                                                                      const VkRenderingAttachmentLocationInfoKHR *info)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    vk_common_CmdSetRenderingAttachmentLocationsKHR(handle, info);
    cmd->graphics.slots = vk_color_slots_of(&cmd->vk.rec->objects.local);
    cmd->graphics.dirty |= MALI_DIRTY_TARGETS;
}

VKAPI_ATTR void VKAPI_CALL mali_CmdEndRendering(VkCommandBuffer handle)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    mali_pass_end(cmd);
    if (cmd->graphics.pass.is_joined)
        cmd->vk.rec->rendering = cmd->graphics.whole;
    cmd->graphics.pass.is_joined = cmd->graphics.pass.has_inputs = false;
    if (!(cmd->vk.rec->rendering.flags & VK_RENDERING_SUSPENDING_BIT))
        vk_meta_resolve_rendering(&cmd->vk);
    cmd->vk.rec->rendering.active = false;
    mali_graphics_forget(cmd);
}
