/* Input attachments that are read from GMEM. In tiles the attachments of joined subpasses are there and nowhere else,
 * in memory they are where descriptors say. A draw is recorded once for both, so it has two groups that name its sets:
 * the one for tiles names copies of those with input attachments, whose descriptors are of GMEM.
 *
 * An input attachment is known by its address: a descriptor of one must be of the view that the subpass has for it. */
#include "adreno/driver/cmd.h"
#include "adreno/hw/descriptors.h"
#include "util/bits.h"

static const struct adreno_pass_part *find_part(const struct adreno_pass *pass, uint64_t va, bool *is_color_out)
{
    bits_foreach (pass->part_mask, i) {
        *is_color_out = i < ADRENO_PART_DEPTH;
        if (pass->parts[i].target.va == va)
            return &pass->parts[i];
    }
    return NULL;
}

/* It is read there even if nothing was ever written. */
static bool leave_in_memory(struct adreno_cmd_buffer *cmd, uint32_t *words)
{
    if (adreno_bo_commit_at(cmd->device->kernel, adreno_unpack_desc_IMAGE(words).BASE))
        vk_command_buffer_set_error(&cmd->vk, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return true;
}

/* Rows of a tile at the coordinates less TPL1_WINDOW_OFFSET. GMEM has the components of colours in one order. False:
 * there is no such descriptor. */
static bool move_to_gmem(struct adreno_cmd_buffer *cmd, uint32_t *words)
{
    const struct adreno_pass *pass = &cmd->graphics.pass;
    struct adreno_desc_IMAGE d = adreno_unpack_desc_IMAGE(words);
    bool is_color;
    const struct adreno_pass_part *part = find_part(pass, d.BASE, &is_color);
    if (!part)
        return leave_in_memory(cmd, words);
    const bool has_layers = pass->layer_mask != 1;
    if (is_color && d.TILE_MODE == ADRENO_TILE_MODE_LINEAR) {
        if (d.FMT == ADRENO_FORMAT_1_5_5_5_UNORM)
            return false;
        d.SWAP = ADRENO_COLOR_SWAP_WZYX;
    }
    d.TILE_MODE = ADRENO_TILE_MODE_TILE6_2;
    d.TILE_ALL = false;
    d.MIPLVLS = 0;
    d.PITCHALIGN = 0;
    d.PITCH = (pass->tiles.width * part->target.sample_B) << part->target.samples_log2;
    d.ARRAY_PITCH = has_layers ? part->gmem_layer_B : 0;
    d.BASE = cmd->device->kernel->gmem_base + part->gmem_B;
    d.FLAG = false;
    d.FLAG_BUFFER = 0;
    d.FLAG_BUFFER_PITCH = d.FLAG_BUFFER_ARRAY_PITCH = d.FLAG_BUFFER_LOGW = d.FLAG_BUFFER_LOGH = 0;
    adreno_pack_desc_IMAGE(words, &d);
    return true;
}

/* Calls back for each input attachment of a set. */
static void for_inputs(struct adreno_cmd_buffer *cmd, const struct vk_descriptor_set *set, uint32_t *map,
                       bool (*visit)(struct adreno_cmd_buffer *cmd, uint32_t *words))
{
    bool is_possible = true;
    for (uint32_t i = 0; i < set->layout->num_bindings; i++) {
        const struct vk_descriptor_binding *binding = &set->layout->bindings[i];
        const uint32_t count = i == set->layout->variable_binding ? set->variable_count : binding->count;
        for (uint32_t n = 0; binding->type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT && n < count; n++) {
            const uint32_t at = (binding->offset_B + n * binding->stride_B) / 4;
            uint32_t words[ADRENO_DESCRIPTOR_DW];
            memcpy(words, set->map + at, sizeof(words));
            is_possible &= visit(cmd, words);
            if (map)
                memcpy(map + at, words, sizeof(words));
        }
    }
    cmd->graphics.pass.needs_memory |= !is_possible;
}

static uint64_t copy_set(struct adreno_cmd_buffer *cmd, const struct vk_descriptor_set *set)
{
    uint64_t va = 0;
    uint32_t *map = adreno_cmd_upload(cmd, set->size_B, ADRENO_DESCRIPTOR_B, &va);
    if (!map)
        return 0;
    memcpy(map, set->map, set->size_B);
    for_inputs(cmd, set, map, move_to_gmem);
    /* Other descriptors of the set may change after this. */
    if (set->layout->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT)
        cmd->graphics.pass.needs_memory = true;
    return va;
}

bool adreno_sets_in_tiles(struct adreno_cmd_buffer *cmd, uint32_t sets, uint64_t *vas_out)
{
    const struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_GRAPHICS];
    struct adreno_pass *pass = &cmd->graphics.pass;
    bool has_any = false;
    bits_foreach (sets, i) {
        const struct vk_descriptor_set *set = bindings->sets[i];
        vas_out[i] = bindings->set_va[i];
        if (!set || !set->layout->has_input_attachments || !set->size_B)
            continue;
        pass->reads_inputs = true;
        if (!pass->is_joined || !pass->tiles.is_possible) {
            for_inputs(cmd, set, NULL, leave_in_memory);
            continue;
        }
        vas_out[i] = copy_set(cmd, set);
        has_any = true;
    }
    return has_any;
}
