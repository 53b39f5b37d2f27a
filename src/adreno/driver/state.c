/* State that is dirty before a draw becomes groups, and the groups are named in the stream. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/hw/regs_hlsq.h"
#include "adreno/hw/regs_sp.h"
#include "util/bits.h"

/* A group is written again when one of these has changed. */
struct group {
    void (*emit)(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
    uint32_t size_dw;
    uint64_t rows;
    uint32_t dirty; /* enum adreno_graphics_dirty */
};

static const struct group groups[ADRENO_GROUP_COUNT] = {
    [ADRENO_GROUP_VERTEX_INPUT] = {adreno_emit_vertex_input, 132, VK_DYN_GROUP_VERTEX_INPUT, ADRENO_DIRTY_PIPELINE},
    [ADRENO_GROUP_VERTEX_BUFFERS] = {adreno_emit_vertex_buffers, 132, VK_DYN(VERTEX_INPUT),
                                     ADRENO_DIRTY_VERTEX_BUFFERS},
    [ADRENO_GROUP_VIEWPORT] = {adreno_emit_viewport, 208, VK_DYN_GROUP_VIEWPORT, 0},
    [ADRENO_GROUP_RASTER] = {adreno_emit_raster, 60,
                             VK_DYN_GROUP_RASTERIZATION | VK_DYN(PRIMITIVE_RESTART) | VK_DYN(NEGATIVE_ONE_TO_ONE) |
                                 VK_DYN(PATCH_CONTROL_POINTS) | VK_DYN(DOMAIN_ORIGIN),
                             ADRENO_DIRTY_TARGETS | ADRENO_DIRTY_INDEX_TYPE | ADRENO_DIRTY_PIPELINE},
    [ADRENO_GROUP_SAMPLES] = {adreno_emit_samples, 32,
                              VK_DYN(SAMPLES) | VK_DYN(LINE_MODE) | VK_DYN(TOPOLOGY) | VK_DYN(SAMPLE_LOCATIONS) |
                                  VK_DYN(SAMPLE_LOCATIONS_ENABLE),
                              ADRENO_DIRTY_PIPELINE},
    [ADRENO_GROUP_DEPTH] = {adreno_emit_depth, 40,
                            VK_DYN_GROUP_DEPTH_STENCIL | VK_DYN(DEPTH_CLAMP) | VK_DYN(ALPHA_TO_COVERAGE),
                            ADRENO_DIRTY_TARGETS | ADRENO_DIRTY_PIPELINE | ADRENO_DIRTY_QUERIES | ADRENO_DIRTY_LRZ},
    [ADRENO_GROUP_LRZ] = {adreno_emit_lrz, 4, 0, ADRENO_DIRTY_TARGETS | ADRENO_DIRTY_LRZ},
    [ADRENO_GROUP_BLEND] = {adreno_emit_blend, 48,
                            VK_DYN_GROUP_COLOR_BLEND | VK_DYN(SAMPLE_MASK) | VK_DYN(ALPHA_TO_COVERAGE) |
                                VK_DYN(ALPHA_TO_ONE),
                            ADRENO_DIRTY_TARGETS | ADRENO_DIRTY_PIPELINE},
};

/* The state that low-resolution depth depends on. */
#define LRZ_ROWS                                                                                                       \
    (VK_DYN_GROUP_DEPTH_STENCIL | VK_DYN_GROUP_COLOR_BLEND | VK_DYN(SAMPLES) | VK_DYN(SAMPLE_MASK) |                   \
     VK_DYN(ALPHA_TO_COVERAGE) | VK_DYN(RASTERIZER_DISCARD))
#define LRZ_DIRTY (ADRENO_DIRTY_TARGETS | ADRENO_DIRTY_PIPELINE | ADRENO_DIRTY_QUERIES | ADRENO_DIRTY_LRZ)

static void write_groups(struct adreno_cmd_buffer *cmd)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    const uint64_t rows = cmd->vk.rec->dynamic_state.dirty;
    if ((rows & LRZ_ROWS || graphics->dirty & LRZ_DIRTY) && adreno_lrz_decide(cmd))
        graphics->dirty |= ADRENO_DIRTY_LRZ;
    for (unsigned i = 0; i < ADRENO_GROUP_COUNT; i++) {
        const struct group *group = &groups[i];
        struct adreno_cs cs;
        if (!group->emit || !(rows & group->rows || graphics->dirty & group->dirty))
            continue;
        adreno_cmd_stream_begin(cmd, &cs, group->size_dw);
        group->emit(cmd, &cs);
        assert(cs.dw <= cs.end);
        graphics->groups[i] = adreno_cmd_stream_end(cmd, &cs);
        graphics->dirty_groups |= 1u << i;
    }
    cmd->vk.rec->dynamic_state.dirty = 0;
    graphics->dirty = 0;
}

/* ---- sets and constants ---- */

static void emit_base(struct adreno_cs *cs, uint32_t number, uint64_t va)
{
    const uint64_t value =
        ADRENO_PACK(SP_GFX_BINDLESS_BASE_DESCRIPTOR, .DESC_SIZE = ADRENO_BINDLESS_DESCRIPTOR_SIZE_64B, .ADDR = va);
    adreno_set_reg64(cs, ADRENO_REG_SP_GFX_BINDLESS_BASE_DESCRIPTOR + 2 * number, value);
    adreno_set_reg64(cs, ADRENO_REG_HLSQ_BINDLESS_BASE + 2 * number, value);
}

/* All sets that are bound: a group is whole, for it is executed again in every tile. */
static void write_sets_group(struct adreno_cmd_buffer *cmd, enum adreno_group group, uint32_t sets, const uint64_t *vas,
                             uint64_t dynamic_va)
{
    struct adreno_cs cs;
    adreno_cmd_stream_begin(cmd, &cs, 6 * ADRENO_MAX_SETS + 2);
    bits_foreach (sets, set)
        emit_base(&cs, set, vas[set]);
    if (dynamic_va) {
        emit_base(&cs, ADRENO_DYNAMIC_SET, dynamic_va);
        sets |= 1u << ADRENO_DYNAMIC_SET;
    }
    ADRENO_REG(&cs, SP_UPDATE_CNTL, .GFX_BINDLESS = sets);
    cmd->graphics.groups[group] = adreno_cmd_stream_end(cmd, &cs);
    cmd->graphics.dirty_groups |= 1u << group;
}

static void write_sets(struct adreno_cmd_buffer *cmd)
{
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_GRAPHICS];
    struct adreno_range *in_tiles = &cmd->graphics.groups[ADRENO_GROUP_SETS_IN_TILES];
    uint64_t vas[ADRENO_API_SETS];
    vk_bindings_flush_push(&cmd->vk, bindings, &cmd->upload);
    if (!bindings->dirty && !bindings->dynamic_dirty)
        return;
    uint64_t dynamic_va = 0;
    if (bindings->num_dynamic) {
        void *map =
            adreno_cmd_upload(cmd, bindings->num_dynamic * ADRENO_DESCRIPTOR_B, ADRENO_DESCRIPTOR_B, &dynamic_va);
        if (map)
            memcpy(map, bindings->dynamic, bindings->num_dynamic * ADRENO_DESCRIPTOR_B);
    }
    const uint32_t sets = bindings->valid & (uint32_t)bits_mask(ADRENO_API_SETS);
    write_sets_group(cmd, ADRENO_GROUP_SETS, sets, bindings->set_va, dynamic_va);
    if (cmd->graphics.pass.is_active && adreno_sets_in_tiles(cmd, sets, vas)) {
        write_sets_group(cmd, ADRENO_GROUP_SETS_IN_TILES, sets, vas, dynamic_va);
    } else if (in_tiles->size_dw) {
        *in_tiles = (struct adreno_range){0};
        cmd->graphics.dirty_groups |= 1u << ADRENO_GROUP_SETS_IN_TILES;
    }
    bindings->dirty = 0;
    bindings->dynamic_dirty = false;
}

static void write_constants(struct adreno_cmd_buffer *cmd)
{
    const VkShaderStageFlags stages = VK_SHADER_STAGE_ALL_GRAPHICS;
    const struct adreno_graphics_pipeline *baked = cmd->graphics.baked;
    struct adreno_cs cs;
    if (!(cmd->push_dirty & stages))
        return;
    cmd->push_dirty &= ~stages;
    adreno_cmd_stream_begin(cmd, &cs, ADRENO_STAGES * (ADRENO_MAX_PUSH_B / 4 + 8));
    for (unsigned i = 0; i < ADRENO_STAGES; i++) {
        const struct adreno_shader_config *config = baked->shaders[i] ? &baked->shaders[i]->binary.config : NULL;
        if (config && config->push_size)
            adreno_load_constants(&cs, (enum adreno_stage)i, config->first_push, cmd->push_constants,
                                  4u * config->push_size);
    }
    cmd->graphics.groups[ADRENO_GROUP_CONSTANTS] = adreno_cmd_stream_end(cmd, &cs);
    cmd->graphics.dirty_groups |= 1u << ADRENO_GROUP_CONSTANTS;
}

/* ---- the stream ---- */

/* Which passes execute a group: some take the place of others in one of them. */
static void name_group(const struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, unsigned i)
{
    const struct adreno_range *ranges = cmd->graphics.groups;
    uint32_t words[4];
    struct adreno_pkt_CP_SET_DRAW_STATE packet = {.COUNT = ranges[i].size_dw,
                                                  .DISABLE = !ranges[i].size_dw,
                                                  .BINNING = true,
                                                  .GMEM = true,
                                                  .SYSMEM = true,
                                                  .GROUP_ID = i,
                                                  .ADDR = ranges[i].va};
    switch (i) {
    case ADRENO_GROUP_PROGRAM:
        packet.BINNING = !ranges[ADRENO_GROUP_PROGRAM_BINNING].size_dw;
        break;
    case ADRENO_GROUP_PROGRAM_BINNING:
        packet.GMEM = packet.SYSMEM = false;
        break;
    case ADRENO_GROUP_SETS:
        packet.GMEM = !ranges[ADRENO_GROUP_SETS_IN_TILES].size_dw;
        break;
    case ADRENO_GROUP_SETS_IN_TILES:
        packet.BINNING = packet.SYSMEM = false;
        break;
    case ADRENO_GROUP_LRZ:
        packet.SYSMEM = cmd->device->chip->has_lrz_feedback;
        break;
    default:
        break;
    }
    adreno_pack_pkt_CP_SET_DRAW_STATE(words, &packet);
    adreno_emit_array(cs, words + 1, 3);
}

static void name_groups(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    const unsigned count = (unsigned)__builtin_popcount(graphics->dirty_groups);
    if (!count)
        return;
    adreno_cs_reserve(cs, 1 + 3 * ADRENO_GROUP_COUNT);
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_SET_DRAW_STATE, 1 + 3 * count));
    bits_foreach (graphics->dirty_groups, i)
        name_group(cmd, cs, (unsigned)i);
    graphics->dirty_groups = 0;
}

bool adreno_before_draw(struct adreno_cmd_buffer *cmd)
{
    struct adreno_graphics *graphics = &cmd->graphics;
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    if (!graphics->baked)
        return false;
    if (cmd->orders.due) { /* inside of a rendering: tiles cannot wait for each other */
        graphics->pass.needs_memory |= graphics->pass.is_active;
        adreno_emit_due(cmd, cs);
    }
    /* Levels of patches are in memory that the passes over tiles would write again and again. */
    graphics->pass.needs_memory |= graphics->baked->is_feedback_loop || graphics->baked->tess_va;
    graphics->pass.num_draws++;
    if (cmd->vk.rec->dynamic_state.dirty || graphics->dirty)
        write_groups(cmd);
    write_sets(cmd);
    write_constants(cmd);
    name_groups(cmd, cs);
    return true;
}
