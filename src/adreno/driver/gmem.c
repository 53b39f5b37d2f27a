/* A rendering tile by tile: a pass that finds out which primitives touch which tile, then for each tile what is loaded
 * or cleared, the draws, and what is stored or resolved. */
#include "adreno/driver/cmd.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vsc.h"
#include "adreno/hw/texel.h"
#include "util/bits.h"
#include "util/debug.h"

/* A pass of fewer draws is not worth loading and storing tiles for, nor a pass over vertices fewer tiles. */
#define MIN_DRAWS 6
#define MIN_BINNED_TILES 3

/* ---- where to draw ---- */

static bool has_samples(const struct adreno_pass *pass)
{
    bits_foreach (pass->part_mask, i) {
        if (pass->parts[i].target.samples_log2)
            return true;
    }
    return false;
}

static bool can_bin(const struct adreno_pass *pass)
{
    return pass->tiles.can_bin && !pass->cannot_bin && !debug_enabled(DEBUG_NOBIN);
}

bool adreno_can_use_gmem(struct adreno_cmd_buffer *cmd)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    if (!pass->tiles.is_possible || pass->needs_memory || !pass->part_mask || !pass->layer_mask ||
        !rendering->area.extent.width || !rendering->area.extent.height || !adreno_can_store(cmd))
        return false;
    if (pass->needs_binning && !can_bin(pass))
        return false;
    if (debug_enabled(DEBUG_SYSMEM))
        return false;
    return debug_enabled(DEBUG_GMEM) || pass->num_draws >= MIN_DRAWS || has_samples(pass);
}

static bool wants_binning(const struct adreno_cmd_buffer *cmd)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    if (!can_bin(pass))
        return false;
    return pass->needs_binning || debug_enabled(DEBUG_FORCEBIN) ||
           pass->tiles.columns * pass->tiles.rows >= MIN_BINNED_TILES;
}

/* ---- BLIT events ---- */

/* The bits of a sample as tiles have them, whatever order memory has. */
static void pack_color(const struct adreno_target *target, const VkClearColorValue *value, uint32_t words_out[4])
{
    struct adreno_texel texel;
    union {
        float f[4];
        uint32_t u[4];
        int32_t i[4];
    } color = {{0, 0, 0, 0}};
    memset(words_out, 0, 4 * sizeof(*words_out));
    if (!adreno_texel_init(&texel, target->format, ADRENO_COLOR_SWAP_WZYX, target->is_srgb))
        return;
    const struct format_codec *codec = format_codec(texel.format);
    for (unsigned i = 0; i < texel.channels; i++)
        color.u[texel.components[i]] = value->uint32[texel.names[i]];
    void *const to = words_out;
    if (codec->store_uint)
        codec->store_uint(&to, (const uint32_t(*)[4])color.u, 1);
    else if (codec->store_sint)
        codec->store_sint(&to, (const int32_t(*)[4])color.i, 1);
    else
        codec->store_float(&to, (const float(*)[4])color.f, 1);
}

static void pack_depth(const struct adreno_pass_part *part, unsigned number, uint32_t words_out[4])
{
    const VkClearDepthStencilValue *value = &part->clear.depthStencil;
    memset(words_out, 0, 4 * sizeof(*words_out));
    if (number == ADRENO_PART_STENCIL) {
        words_out[0] = value->stencil & 0xff;
        return;
    }
    const double depth = (double)MIN2(MAX2(value->depth, 0.0f), 1.0f);
    switch (part->target.depth_format) {
    case ADRENO_DEPTH_FORMAT_Z16:
        words_out[0] = (uint32_t)(depth * 0xffff + 0.5);
        break;
    case ADRENO_DEPTH_FORMAT_Z24_S8:
        words_out[0] = (uint32_t)(depth * 0xffffff + 0.5) | value->stencil << 24;
        break;
    default:
        words_out[0] = float_bits(value->depth);
        break;
    }
}

struct blit {
    enum adreno_BLIT_EVENT_TYPE type;
    bool takes_sample_0, is_depth;
    uint32_t mask; /* of a clear */
};

static void emit_layer(struct adreno_cs *cs, const struct adreno_pass_part *part, const struct adreno_target *memory,
                       const struct blit *blit, uint32_t layer)
{
    adreno_cs_reserve(cs, 40);
    adreno_set_reg(
        cs, ADRENO_REG_RB_RESOLVE_GMEM_BUFFER_INFO,
        ADRENO_PACK(RB_RESOLVE_GMEM_BUFFER_INFO, .SAMPLES = (enum adreno_MSAA_SAMPLES)part->target.samples_log2));
    adreno_set_reg(cs, ADRENO_REG_RB_RESOLVE_CNTL_0, 0);
    ADRENO_REG(cs, RB_RESOLVE_OPERATION, .TYPE = blit->type, .SAMPLE_0 = blit->takes_sample_0, .DEPTH = blit->is_depth,
               .CLEAR_MASK = blit->mask);
    adreno_set_regs(cs, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_INFO, 5);
    adreno_emit(cs, ADRENO_PACK(RB_RESOLVE_SYSTEM_BUFFER_INFO, .TILE_MODE = (enum adreno_TILE_MODE)memory->tile_mode,
                                .FLAGS = memory->has_ubwc, .SAMPLES = (enum adreno_MSAA_SAMPLES)memory->samples_log2,
                                .COLOR_SWAP = (enum adreno_COLOR_SWAP)memory->swap, .COLOR_FORMAT = memory->format));
    adreno_emit64(cs, memory->va + layer * memory->layer_B);
    adreno_emit(cs, ADRENO_PACK(RB_RESOLVE_SYSTEM_BUFFER_PITCH, .VALUE = memory->pitch_B));
    adreno_emit(cs, ADRENO_PACK(RB_RESOLVE_SYSTEM_BUFFER_ARRAY_PITCH, .VALUE = (uint32_t)memory->layer_B));
    if (memory->has_ubwc) {
        adreno_set_regs(cs, ADRENO_REG_RB_RESOLVE_SYSTEM_FLAG_BUFFER_BASE, 3);
        adreno_emit64(cs, memory->flag_va + layer * memory->flag_layer_B);
        adreno_emit(cs, ADRENO_PACK(RB_RESOLVE_SYSTEM_FLAG_BUFFER_PITCH, .PITCH = memory->flag_pitch_B,
                                    .ARRAY_PITCH = (uint32_t)(memory->flag_layer_B / 4)));
    }
    ADRENO_REG(cs, RB_RESOLVE_GMEM_BUFFER_BASE, .VALUE = part->gmem_B + layer * part->gmem_layer_B);
    adreno_event(cs, ADRENO_EVENT_CCU_RESOLVE);
}

static void emit_blit(const struct adreno_pass *pass, struct adreno_cs *cs, const struct adreno_pass_part *part,
                      const struct adreno_target *memory, const struct blit *blit)
{
    bits_foreach (pass->layer_mask, layer)
        emit_layer(cs, part, memory, blit, (uint32_t)layer);
}

static void emit_clear(const struct adreno_pass *pass, struct adreno_cs *cs, unsigned number)
{
    const struct adreno_pass_part *part = &pass->parts[number];
    uint32_t words[4], mask = 0xf;
    const bool is_depth = number == ADRENO_PART_DEPTH;
    if (number < ADRENO_PART_DEPTH)
        pack_color(&part->target, &part->clear.color, words);
    else
        pack_depth(part, number, words);
    if (part->format == VK_FORMAT_D24_UNORM_S8_UINT)
        mask = (part->is_cleared ? 1u : 0) | (part->is_stencil_cleared ? 2u : 0);
    adreno_cs_reserve(cs, 5);
    adreno_set_regs(cs, ADRENO_REG_RB_RESOLVE_CLEAR_COLOR_DW0, 4);
    adreno_emit_array(cs, words, 4);
    emit_blit(pass, cs, part, &part->target,
              &(struct blit){.type = ADRENO_BLIT_EVENT_TYPE_CLEAR, .is_depth = is_depth, .mask = mask});
}

/* A part of the stream that is executed where the tile has draws: its bit of the binning pass. */
struct condition {
    const struct adreno_tile_place *place; /* NULL: all tiles may have some */
    uint32_t *size_dw;                     /* of what follows; NULL: it has not begun */
};

#define CONDITION_DW 1200 /* with loads or stores of all parts */

static void begin_condition(struct adreno_cs *cs, struct condition *condition, bool is_wanted)
{
    if (!condition->place || !is_wanted || condition->size_dw)
        return;
    adreno_cs_reserve(cs, CONDITION_DW);
    condition->size_dw =
        adreno_if_bit(cs, ADRENO_REG_VSC_CHANNEL_VISIBILITY + condition->place->pipe, condition->place->slot);
}

static void end_condition(struct adreno_cs *cs, struct condition *condition)
{
    if (condition->size_dw)
        *condition->size_dw = (uint32_t)(cs->dw - condition->size_dw - 1);
    condition->size_dw = NULL;
}

/* Without a draw in the tile memory has what it would get: neither a load nor a store is needed. */
static bool is_kept_without_draws(const struct adreno_pass_part *part)
{
    return !part->is_cleared && !part->is_stencil_cleared && !part->resolve.va && !part->resolve_stencil.va;
}

static uint32_t kept_parts(const struct adreno_pass *pass)
{
    uint32_t mask = 0;
    bits_foreach (pass->part_mask, i)
        mask |= (uint32_t)is_kept_without_draws(&pass->parts[i]) << i;
    return mask;
}

static void emit_loads_of(const struct adreno_pass *pass, struct adreno_cs *cs, uint32_t mask,
                          struct condition *condition)
{
    bits_foreach (mask, i) {
        const struct adreno_pass_part *part = &pass->parts[i];
        begin_condition(cs, condition, part->is_loaded || part->is_stencil_loaded);
        if (part->is_loaded || part->is_stencil_loaded)
            emit_blit(pass, cs, part, &part->target,
                      &(struct blit){.type = ADRENO_BLIT_EVENT_TYPE_LOAD, .is_depth = i == ADRENO_PART_DEPTH});
        if (part->is_cleared || part->is_stencil_cleared)
            emit_clear(pass, cs, (unsigned)i);
    }
    end_condition(cs, condition);
}

/* `place` is NULL where nothing was binned. */
static void emit_loads(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, const struct adreno_tile_place *place)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    const uint32_t kept = kept_parts(pass);
    emit_loads_of(pass, cs, pass->part_mask & ~kept, &(struct condition){0});
    emit_loads_of(pass, cs, kept, &(struct condition){.place = place});
}

/* One part to one image: its own or the one that it is resolved to. */
static void emit_store(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, unsigned number,
                       const struct adreno_target *memory, const struct adreno_tile_rect *rect)
{
    const struct adreno_pass_part *part = &cmd->graphics.pass.parts[number];
    const bool is_resolve = memory != &part->target;
    if (adreno_stores_by_engine(cmd, part, memory))
        adreno_store_by_engine(cmd, cs, part, memory, rect);
    else
        emit_blit(&cmd->graphics.pass, cs, part, memory,
                  &(struct blit){.type = ADRENO_BLIT_EVENT_TYPE_STORE,
                                 .takes_sample_0 = is_resolve && !part->is_resolve_average,
                                 .is_depth = number == ADRENO_PART_DEPTH});
}

static void emit_stores_of(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t mask,
                           const struct adreno_tile_rect *rect, struct condition *condition)
{
    bits_foreach (mask, i) {
        const struct adreno_pass_part *part = &cmd->graphics.pass.parts[i];
        const struct adreno_target *resolve = part->resolve.va ? &part->resolve : &part->resolve_stencil;
        begin_condition(cs, condition, part->is_stored || part->is_stencil_stored);
        if (part->is_stored || part->is_stencil_stored)
            emit_store(cmd, cs, (unsigned)i, &part->target, rect);
        if (resolve->va)
            emit_store(cmd, cs, (unsigned)i, resolve, rect);
    }
    end_condition(cs, condition);
}

static void emit_stores(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, const struct adreno_tile_rect *rect,
                        const struct adreno_tile_place *place)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    const uint32_t kept = kept_parts(pass);
    adreno_before_stores(cmd, cs);
    emit_stores_of(cmd, cs, pass->part_mask & ~kept, rect, &(struct condition){0});
    emit_stores_of(cmd, cs, kept, rect, &(struct condition){.place = place});
}

/* ---- visibility ---- */

/* Which draws' depths become bounds again: what the binning pass has written needs no feedback, but for its blocks of
 * several primitives. */
static enum adreno_LRZ_FEEDBACK_MASK feedback_of(const struct adreno_chip *chip, enum adreno_RENDER_MODE mode,
                                                 bool is_binned)
{
    if (!chip->has_lrz_feedback)
        return ADRENO_LRZ_FEEDBACK_MASK_NONE;
    return mode == ADRENO_RENDER_MODE_RENDERING_PASS && is_binned ? ADRENO_LRZ_FEEDBACK_MASK_EARLY_Z_OR_EARLY_Z_LATE_Z
                                                                  : ADRENO_LRZ_FEEDBACK_MASK_EARLY_Z_LATE_Z;
}

static void emit_bin_mode(struct adreno_cs *cs, const struct adreno_chip *chip, const struct adreno_tiles *tiles,
                          enum adreno_RENDER_MODE mode, bool is_binned)
{
    const uint32_t cntl =
        ADRENO_PACK(RB_CNTL, .BINW = tiles->width, .BINH = tiles->height, .RENDER_MODE = mode,
                    .BUFFERS_LOCATION = ADRENO_BUFFERS_LOCATION_GMEM,
                    .FORCE_LRZ_WRITE_DIS = mode == ADRENO_RENDER_MODE_RENDERING_PASS && !chip->has_lrz_feedback,
                    .LRZ_FEEDBACK_ZMODE_MASK = feedback_of(chip, mode, is_binned));
    adreno_set_reg(cs, ADRENO_REG_GRAS_SC_BIN_CNTL, cntl);
    adreno_set_reg(cs, ADRENO_REG_RB_CNTL, cntl);
    ADRENO_REG(cs, RB_RESOLVE_CNTL_3, .BINW = tiles->width, .BINH = tiles->height);
    ADRENO_REG(cs, VFD_RENDER_MODE, .RENDER_MODE = mode);
}

static void emit_power(struct adreno_cs *cs, const struct adreno_chip *chip)
{
    const uint32_t level = chip->sp_count > 1; /* one more where there are two shader processors */
    ADRENO_REG(cs, PC_POWER_CNTL, .VALUE = level);
    ADRENO_REG(cs, VFD_POWER_CNTL, .VALUE = level);
}

static void emit_pipes(struct adreno_cs *cs, const struct adreno_chip *chip, const struct adreno_tiles *tiles,
                       const struct adreno_visibility *visibility)
{
    adreno_set_reg64(cs, ADRENO_REG_VSC_SIZE_BASE, visibility->bo->vk.va + visibility->size_at_B);
    adreno_set_reg64(cs, ADRENO_REG_VSC_PIPE_DATA_PRIM_BASE, visibility->bo->vk.va + visibility->prim_at_B);
    adreno_set_reg64(cs, ADRENO_REG_VSC_PIPE_DATA_DRAW_BASE, visibility->bo->vk.va + visibility->draw_at_B);
    ADRENO_REG(cs, VSC_BIN_SIZE, .BINW = tiles->width, .BINH = tiles->height);
    ADRENO_REG(cs, VSC_EXPANDED_BIN_CNTL, .NX = tiles->columns, .NY = tiles->rows);
    adreno_set_regs(cs, ADRENO_REG_VSC_PIPE_CONFIG, chip->vsc_pipes);
    for (uint32_t i = 0; i < chip->vsc_pipes; i++) {
        const struct adreno_pipe pipe = adreno_pipe(tiles, i);
        adreno_emit(cs,
                    ADRENO_PACK(VSC_PIPE_CONFIG, .X = pipe.column, .Y = pipe.row, .W = pipe.columns, .H = pipe.rows));
    }
    adreno_set_regs(cs, ADRENO_REG_VSC_PIPE_DATA_PRIM_STRIDE, 2);
    adreno_emit(cs, visibility->prim_pitch_B);
    adreno_emit(cs, visibility->prim_pitch_B - ADRENO_VISIBILITY_PAD_B);
    adreno_set_regs(cs, ADRENO_REG_VSC_PIPE_DATA_DRAW_STRIDE, 2);
    adreno_emit(cs, visibility->draw_pitch_B);
    adreno_emit(cs, visibility->draw_pitch_B - ADRENO_VISIBILITY_PAD_B);
    adreno_set_reg(cs, ADRENO_REG_VSC_UNKNOWN_0D08, 0);
}

/* All draws once, up to the place of their primitives. */
static void emit_binning(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs,
                         const struct adreno_visibility *visibility)
{
    const struct adreno_tiles *tiles = &cmd->graphics.pass.tiles;
    const VkRect2D *area = &cmd->vk.rec->rendering.area;
    adreno_cs_reserve(cs, 160);
    emit_bin_mode(cs, cmd->device->chip, tiles, ADRENO_RENDER_MODE_BINNING_PASS, true);
    adreno_emit_window(cs, (uint32_t)area->offset.x, (uint32_t)area->offset.y,
                       (uint32_t)area->offset.x + area->extent.width, (uint32_t)area->offset.y + area->extent.height, 0,
                       0);
    ADRENO_PACKET(cs, CP_SET_MARKER, .MODE = ADRENO_MARKER_BIN_VISIBILITY);
    ADRENO_PACKET(cs, CP_SET_VISIBILITY_OVERRIDE, .OVERRIDE = 1);
    ADRENO_PACKET(cs, CP_SET_MODE, .BINNING = 1);
    ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    emit_pipes(cs, cmd->device->chip, tiles, visibility);
    emit_power(cs, cmd->device->chip);
    adreno_event(cs, ADRENO_EVENT_VSC_BINNING_START);
    adreno_call_draws(cmd, cs);
    adreno_cs_reserve(cs, 40);
    ADRENO_PACKET(cs, CP_SET_DRAW_STATE, .DISABLE_ALL_GROUPS = true);
    adreno_event(cs, ADRENO_EVENT_VSC_BINNING_END);
    adreno_event_write(cs, ADRENO_EVENT_CACHE_FLUSH_TS, adreno_word_va(cmd->device, ADRENO_WORD_EVENTS), 0);
    ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    ADRENO_PACKET(cs, CP_WAIT_FOR_ME);
    adreno_emit_overflow(cmd, cs, visibility);
    adreno_cs_reserve(cs, 16);
    ADRENO_PACKET(cs, CP_SET_VISIBILITY_OVERRIDE, .OVERRIDE = 0);
    ADRENO_PACKET(cs, CP_SET_MODE, .BINNING = 0);
    emit_power(cs, cmd->device->chip);
}

static void emit_visibility(struct adreno_cs *cs, const struct adreno_tiles *tiles,
                            const struct adreno_visibility *visibility, uint32_t column, uint32_t row)
{
    const struct adreno_tile_place place = adreno_tile_place(tiles, column, row);
    const uint64_t va = visibility->bo->vk.va;
    uint32_t words[12];
    adreno_pack_pkt_CP_SET_BIN_DATA5(
        words, &(const struct adreno_pkt_CP_SET_BIN_DATA5){
                   .VSC_SIZE = place.size,
                   .VSC_N = place.slot,
                   .BIN_DATA_ADDR = va + visibility->draw_at_B + (uint64_t)place.pipe * visibility->draw_pitch_B,
                   .BIN_SIZE_ADDR = va + visibility->size_at_B + 4ull * place.pipe,
                   .BIN_PRIM_STRM = va + visibility->prim_at_B + (uint64_t)place.pipe * visibility->prim_pitch_B});
    ADRENO_PACKET(cs, CP_WAIT_FOR_ME);
    ADRENO_PACKET(cs, CP_SET_MODE, .BINNING = 0);
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_SET_BIN_DATA5, 8));
    adreno_emit_array(cs, words + 1, 7);
    ADRENO_PACKET(cs, CP_SET_VISIBILITY_OVERRIDE, .OVERRIDE = 0);
    ADRENO_PACKET(cs, CP_SET_MODE, .BINNING = 0);
}

/* ---- tiles ---- */

/* Moves and clears of BLIT events have whole blocks. */
static void emit_blit_scissor(struct adreno_cs *cs, const struct adreno_chip *chip, const struct adreno_tile_rect *rect)
{
    adreno_set_regs(cs, ADRENO_REG_RB_RESOLVE_CNTL_1, 2);
    adreno_emit(cs, rect->x0 / chip->gmem_align_w * chip->gmem_align_w |
                        rect->y0 / chip->gmem_align_h * chip->gmem_align_h << 16);
    adreno_emit(cs, ((uint32_t)align_u64(rect->x1, chip->gmem_align_w) - 1) |
                        ((uint32_t)align_u64(rect->y1, chip->gmem_align_h) - 1) << 16);
}

static struct adreno_tile_rect tile_rect(const struct adreno_tiles *tiles, const VkRect2D *area, uint32_t tile_x,
                                         uint32_t tile_y)
{
    return (struct adreno_tile_rect){
        .x0 = MAX2(tile_x, (uint32_t)area->offset.x),
        .y0 = MAX2(tile_y, (uint32_t)area->offset.y),
        .x1 = MIN2(tile_x + tiles->width, (uint32_t)area->offset.x + area->extent.width),
        .y1 = MIN2(tile_y + tiles->height, (uint32_t)area->offset.y + area->extent.height),
    };
}

static void emit_tile(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t column, uint32_t row,
                      const struct adreno_visibility *visibility)
{
    const struct adreno_tiles *tiles = &cmd->graphics.pass.tiles;
    const uint32_t tile_x = column * tiles->width, tile_y = row * tiles->height;
    const struct adreno_tile_rect rect = tile_rect(tiles, &cmd->vk.rec->rendering.area, tile_x, tile_y);
    const struct adreno_tile_place place =
        visibility ? adreno_tile_place(tiles, column, row) : (struct adreno_tile_place){0};
    /* Conditional packets must be in one piece, which loads of many layers are not. */
    const bool is_conditional = visibility && cmd->graphics.pass.layer_mask == 1;
    if (rect.x0 >= rect.x1 || rect.y0 >= rect.y1)
        return;
    adreno_cs_reserve(cs, 80);
    ADRENO_PACKET(cs, CP_SET_MARKER, .MODE = ADRENO_MARKER_BIN_RENDER_START, .USES_GMEM = true);
    emit_bin_mode(cs, cmd->device->chip, tiles, ADRENO_RENDER_MODE_RENDERING_PASS, visibility != NULL);
    adreno_emit_lrz_buffer(cmd, cs);
    adreno_cs_reserve(cs, 80);
    adreno_emit_window(cs, rect.x0, rect.y0, rect.x1, rect.y1, tile_x, tile_y);
    emit_blit_scissor(cs, cmd->device->chip, &rect);
    if (visibility)
        emit_visibility(cs, tiles, visibility, column, row);
    else
        ADRENO_PACKET(cs, CP_SET_VISIBILITY_OVERRIDE, .OVERRIDE = 1);
    emit_loads(cmd, cs, is_conditional ? &place : NULL);
    adreno_call_draws(cmd, cs);
    adreno_cs_reserve(cs, 16);
    ADRENO_PACKET(cs, CP_SET_DRAW_STATE, .DISABLE_ALL_GROUPS = true);
    ADRENO_PACKET(cs, CP_SET_MARKER, .MODE = ADRENO_MARKER_BIN_END_OF_DRAWS, .USES_GMEM = true);
    ADRENO_PACKET(cs, CP_SET_MARKER, .MODE = ADRENO_MARKER_BIN_RESOLVE, .USES_GMEM = true);
    emit_stores(cmd, cs, &rect, is_conditional ? &place : NULL);
    adreno_cs_reserve(cs, 4);
    ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    ADRENO_PACKET(cs, CP_SET_MARKER, .MODE = ADRENO_MARKER_BIN_RENDER_END);
}

/* The colour cache has another place while attachments are in GMEM: everything leaves it before. */
static void change_caches(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t cntl)
{
    adreno_cs_reserve(cs, ADRENO_ORDER_DW + 4);
    adreno_emit_order(
        cs, ADRENO_CLEAN_COLOR | ADRENO_CLEAN_DEPTH | ADRENO_DROP_COLOR | ADRENO_DROP_DEPTH | ADRENO_WAIT_IDLE,
        adreno_word_va(cmd->device, ADRENO_WORD_EVENTS));
    adreno_set_reg(cs, ADRENO_REG_RB_CCU_CNTL, cntl);
}

/* A query of generated primitives that the rendering is inside of has counted them in the binning pass. */
static void count_primitives(const struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, bool is_counting)
{
    if (!cmd->graphics.generated_queries)
        return;
    adreno_cs_reserve(cs, 2);
    adreno_event(cs, is_counting ? ADRENO_EVENT_START_PRIMITIVE_CTRS : ADRENO_EVENT_STOP_PRIMITIVE_CTRS);
}

void adreno_emit_tiles(struct adreno_cmd_buffer *cmd)
{
    const struct adreno_tiles *tiles = &cmd->graphics.pass.tiles;
    struct adreno_visibility streams;
    const struct adreno_visibility *visibility =
        wants_binning(cmd) && adreno_visibility(cmd->device, &streams) ? &streams : NULL;
    struct adreno_cs *cs = &cmd->cs;
    if (cmd->graphics.pass.needs_binning && !visibility)
        vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    adreno_emit_lrz_start(cmd, cs);
    change_caches(cmd, cs, adreno_ccu_cntl_gmem(cmd->device->chip));
    if (visibility)
        emit_binning(cmd, cs, visibility);
    count_primitives(cmd, cs, false);
    for (uint32_t row = 0; row < tiles->rows; row++) {
        for (uint32_t i = 0; i < tiles->columns; i++) /* forth and back, so that neighbours follow each other */
            emit_tile(cmd, cs, row % 2 ? tiles->columns - 1 - i : i, row, visibility);
    }
    count_primitives(cmd, cs, true);
    adreno_cs_reserve(cs, 16);
    adreno_event_write(cs, ADRENO_EVENT_PC_CCU_RESOLVE_TS, adreno_word_va(cmd->device, ADRENO_WORD_EVENTS), 0);
    ADRENO_PACKET(cs, CP_SET_VISIBILITY_OVERRIDE, .OVERRIDE = 1);
    adreno_emit_lrz_end(cmd, cs);
    change_caches(cmd, cs, adreno_ccu_cntl_sysmem(cmd->device->chip));
}
