/* Attachments that are loaded: pre-frame draws, whose programs fetch a pixel of each and write it to the tile. Colours
 * that cannot be blended are moved as raw bits. */
#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "mali/driver/blend.h"
#include "mali/driver/cmd.h"
#include "mali/driver/descriptor.h"
#include "mali/driver/meta.h"
#include "mali/driver/uniforms.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"

#define DRAW_B (4u * MALI_DESC_DRAW_DW)
#define DRAWS 3 /* pre-frame 0 and 1, post-frame */

/* ---- programs ---- */

/* Bits of a key: targets that are loaded, as floats and as integers; depth; stencil; several samples. */
#define KEY_FLOATS(key) ((unsigned)(key)&0xff)
#define KEY_RAW(key) ((unsigned)((key) >> 8) & 0xff)
#define KEY_DEPTH (1ull << 16)
#define KEY_STENCIL (1ull << 17)
#define KEY_SAMPLES (1ull << 18)

static struct ir_value *fetch_texel(struct ir_builder *b, uint64_t key, unsigned binding, struct ir_value *const at[2])
{
    const bool has_samples = key & KEY_SAMPLES;
    struct ir_value *values[2] = {ir_vec(b, 2, at)};
    values[1] = has_samples ? ir_load_sysval(b, 32, 1, IR_SYSVAL_sample_id) : ir_const(b, 32, 0);
    return ir_tex(b, 32, 4, vk_meta_texture(b, binding), ir_undef(b, 32, 1), 2, values, IR_TEX_KIND_fetch,
                  vk_meta_dim(has_samples ? VK_META_MS : VK_META_2D), false,
                  1u << (has_samples ? IR_TEX_sample : IR_TEX_lod), 0, 0);
}

/* Raw bits are integers. */
static void declare_outputs(struct ir_shader *shader, uint64_t key)
{
    shader->outputs = arena_zalloc_array(&shader->arena, VK_MAX_COLOR_ATTACHMENTS, sizeof(*shader->outputs));
    bits_foreach (KEY_FLOATS(key) | KEY_RAW(key), i)
        shader->outputs[shader->num_outputs++] =
            (struct ir_io_var){.location = (uint16_t)(IR_LOCATION_VAR0 + i),
                               .num_comps = 4,
                               .bits = 32,
                               .num_locations = 1,
                               .base = KEY_RAW(key) >> i & 1 ? IR_BASE_uint : IR_BASE_float};
}

static void build_shader(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    struct ir_value *place = ir_load_sysval(b, 32, 4, IR_SYSVAL_frag_coord), *at[2];
    declare_outputs(b->shader, key);
    b->shader->sysvals_read |= 1ull << IR_SYSVAL_frag_coord;
    if (key & KEY_SAMPLES) {
        b->shader->sysvals_read |= 1ull << IR_SYSVAL_sample_id;
        b->shader->fs.sample_shading = true;
    }
    for (unsigned i = 0; i < 2; i++)
        at[i] = ir_f2i(b, 32, ir_extract(b, place, i));
    bits_foreach (KEY_FLOATS(key) | KEY_RAW(key), i)
        ir_store_output(b, fetch_texel(b, key, i, at), ir_const(b, 32, 0), IR_LOCATION_VAR0 + i, 0, 0);
    if (key & KEY_DEPTH)
        vk_meta_output(b, key, VK_IMAGE_ASPECT_DEPTH_BIT, fetch_texel(b, key, MALI_PART_DEPTH, at));
    if (key & KEY_STENCIL)
        vk_meta_output(b, key, VK_IMAGE_ASPECT_STENCIL_BIT, fetch_texel(b, key, MALI_PART_STENCIL, at));
}

static const struct mali_shader *find_program(struct mali_cmd_buffer *cmd, uint64_t key)
{
    static const struct vk_meta_shader_info no_target;
    struct vk_device *device = &cmd->device->vk;
    struct vk_shader *shader = NULL;
    pthread_mutex_lock(&device->meta->lock);
    VkResult result = vk_meta_get_shader(device, IR_STAGE_fragment, &no_target, VK_META_KEY(MALI_META_PRELOAD, key),
                                         build_shader, &shader);
    pthread_mutex_unlock(&device->meta->lock);
    vk_command_buffer_set_error(&cmd->vk, result);
    return result == VK_SUCCESS ? mali_shader_of(shader) : NULL;
}

/* ---- what they read ---- */

static bool is_raw(const struct mali_part *part)
{
    return !mali_vkformat(part->target.format)->color.is_blended;
}

/* Without the curve, in which nothing would change. */
static VkFormat fetched_format(const struct mali_part *part)
{
    const struct mali_vkformat *format = mali_vkformat(part->target.format);
    return is_raw(part) ? vk_meta_raw_format(format->color.cell_B) : (VkFormat)format->info->linear_format;
}

static bool write_texture(struct mali_cmd_buffer *cmd, unsigned number, uint32_t layer, uint32_t *out)
{
    const struct mali_part *part = &cmd->graphics.pass.parts[number];
    const struct vk_image_view *view = &part->view->vk;
    const VkImageAspectFlags aspect = number == MALI_PART_DEPTH     ? VK_IMAGE_ASPECT_DEPTH_BIT
                                      : number == MALI_PART_STENCIL ? VK_IMAGE_ASPECT_STENCIL_BIT
                                                                    : VK_IMAGE_ASPECT_COLOR_BIT;
    const struct mali_image *image = (const struct mali_image *)view->image;
    const struct mali_texture_info info = {
        .image = image,
        .plane = mali_image_plane_index(image, aspect),
        .format = aspect == VK_IMAGE_ASPECT_COLOR_BIT ? fetched_format(part) : image->vk.format,
        .aspect = aspect,
        .type = VK_IMAGE_VIEW_TYPE_2D,
        .base_level = view->base_level,
        .level_count = 1,
        .base_layer = view->base_layer + layer,
        .layer_count = 1,
        .components = {VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_G, VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_A},
    };
    uint64_t va;
    uint32_t *plane = mali_cmd_upload(cmd, MALI_DESCRIPTOR_B, MALI_DESCRIPTOR_B, &va);
    if (plane)
        mali_texture_words(&info, va, plane, out);
    return plane;
}

static uint64_t upload_set(struct mali_cmd_buffer *cmd, uint32_t parts, uint32_t layer)
{
    uint64_t va = 0;
    uint32_t *set = mali_cmd_upload(cmd, MALI_PARTS * MALI_DESCRIPTOR_B, 64, &va);
    if (!set)
        return 0;
    memset(set, 0, MALI_PARTS * MALI_DESCRIPTOR_B);
    bits_foreach (parts, i) {
        if (!write_texture(cmd, i, layer, set + i * MALI_DESCRIPTOR_DW))
            return 0;
    }
    return va;
}

/* ---- what they write ---- */

static uint64_t upload_blends(struct mali_cmd_buffer *cmd, uint32_t colors)
{
    const struct mali_pass *pass = &cmd->graphics.pass;
    const uint32_t count = colors ? 32u - (uint32_t)__builtin_clz(colors) : 0;
    uint64_t va = 0;
    uint32_t *blends = count ? mali_cmd_upload(cmd, count * 16, 16, &va) : NULL;
    for (uint32_t i = 0; blends && i < count; i++) {
        if (!(colors >> i & 1)) {
            mali_pack_no_blend(blends + 4 * i);
            continue;
        }
        const struct mali_part *part = &pass->parts[i];
        const struct mali_color_format *color = &mali_vkformat(part->target.format)->color;
        struct mali_pixel_format conversion =
            is_raw(part) ? mali_vkformat(fetched_format(part))->texture : color->conversion;
        conversion.is_srgb = false;
        mali_pack_opaque_blend(color, i, conversion, is_raw(part) ? MALI_REGISTER_FORMAT_U32 : MALI_REGISTER_FORMAT_F32,
                               blends + 4 * i);
    }
    return va ? va | count : 0;
}

static uint64_t upload_depth_stencil(struct mali_cmd_buffer *cmd, uint64_t key)
{
    const bool has_depth = key & KEY_DEPTH, has_stencil = key & KEY_STENCIL;
    const enum mali_STENCIL_OP op = has_stencil ? MALI_STENCIL_OP_REPLACE : MALI_STENCIL_OP_KEEP;
    uint64_t va = 0;
    uint32_t *words = mali_cmd_upload(cmd, 4 * MALI_DESC_DEPTH_STENCIL_DW, 32, &va);
    if (words)
        mali_pack_desc_DEPTH_STENCIL(
            words, &(const struct mali_desc_DEPTH_STENCIL){
                       .TYPE = MALI_DESCRIPTOR_TYPE_DEPTH_STENCIL,
                       .FRONT_COMPARE_FUNCTION = MALI_FUNC_ALWAYS,
                       .FRONT_STENCIL_FAIL = op,
                       .FRONT_DEPTH_FAIL = op,
                       .FRONT_DEPTH_PASS = op,
                       .BACK_COMPARE_FUNCTION = MALI_FUNC_ALWAYS,
                       .BACK_STENCIL_FAIL = op,
                       .BACK_DEPTH_FAIL = op,
                       .BACK_DEPTH_PASS = op,
                       .STENCIL_FROM_SHADER = has_stencil,
                       .STENCIL_TEST_ENABLE = has_stencil,
                       .FRONT_WRITE_MASK = 0xff,
                       .BACK_WRITE_MASK = 0xff,
                       .FRONT_VALUE_MASK = 0xff,
                       .BACK_VALUE_MASK = 0xff,
                       .DEPTH_CLAMP_MODE = MALI_DEPTH_CLAMP_ZERO_ONE,
                       .DEPTH_SOURCE = has_depth ? MALI_DEPTH_SOURCE_SHADER : MALI_DEPTH_SOURCE_FIXED_FUNCTION,
                       .DEPTH_WRITE_ENABLE = has_depth,
                       .DEPTH_FUNCTION = MALI_FUNC_ALWAYS,
                   });
    return va;
}

/* ---- draws ---- */

static bool write_draw(struct mali_cmd_buffer *cmd, uint64_t key, uint32_t parts, uint32_t layer, uint32_t *out)
{
    const struct mali_pass *pass = &cmd->graphics.pass;
    const struct mali_shader *program = find_program(cmd, key);
    const uint32_t colors = parts & 0xff;
    struct mali_sysvals sysvals = {0};
    if (!program)
        return false;
    const uint64_t set_va = upload_set(cmd, parts, layer);
    const uint64_t tables = set_va ? mali_upload_own_tables(cmd, &program->binary.config, set_va) : 0;
    const uint64_t blends = upload_blends(cmd, colors), depth_stencil_va = upload_depth_stencil(cmd, key);
    sysvals.words[MALI_SYSVAL_SAMPLES][0] = pass->samples;
    const struct mali_uniforms uniforms = mali_cmd_uniforms(cmd, program, &sysvals);
    if (!tables || !depth_stencil_va || (colors && !blends))
        return false;
    const bool is_late = key & (KEY_DEPTH | KEY_STENCIL);
    const enum mali_PIXEL_KILL tests = is_late ? MALI_PIXEL_KILL_FORCE_LATE : MALI_PIXEL_KILL_FORCE_EARLY;
    mali_pack_desc_DRAW(out, &(const struct mali_desc_DRAW){
                                 .ALLOW_FORWARD_PIXEL_TO_KILL = !is_late,
                                 .ALLOW_FORWARD_PIXEL_TO_BE_KILLED = true,
                                 .PIXEL_KILL_OPERATION = tests,
                                 .ZS_UPDATE_OPERATION = tests,
                                 .CLEAN_FRAGMENT_WRITE = true, /* it is what memory has */
                                 .EVALUATE_PER_SAMPLE = pass->samples > 1,
                                 .MULTISAMPLE_ENABLE = pass->samples > 1,
                                 .SAMPLE_MASK = 0xffff,
                                 .RENDER_TARGET_MASK = colors,
                                 .MAXIMUM_Z = 1.0f,
                                 .DEPTH_STENCIL = depth_stencil_va,
                                 .BLEND_COUNT = (uint32_t)(blends & 15),
                                 .BLEND = blends & ~15ull,
                                 .FAU_COUNT = program->binary.config.fau.words / 2u,
                                 .RESOURCE_COUNT = (uint32_t)(tables & 63),
                                 .RESOURCES = tables & ~63ull,
                                 .SHADER = program->main_va,
                                 .THREAD_STORAGE = program->storage_va,
                                 .FAU = uniforms.va,
                             });
    return true;
}

static uint64_t key_of(const struct mali_pass *pass, uint32_t parts)
{
    uint64_t key = pass->samples > 1 ? KEY_SAMPLES : 0;
    bits_foreach (parts & 0xff, i)
        key |= 1ull << (is_raw(&pass->parts[i]) ? 8 + i : i);
    return key | (parts >> MALI_PART_DEPTH & 1 ? KEY_DEPTH : 0) | (parts >> MALI_PART_STENCIL & 1 ? KEY_STENCIL : 0);
}

/* A tile that nothing is drawn in is not written, and need not be loaded; but where one aspect of a surface is cleared,
 * the other one is written with it. */
static enum mali_FRAME_SHADER_MODE depth_mode(const struct mali_pass *pass)
{
    return pass->is_extended || pass->parts[MALI_PART_DEPTH].is_cleared || pass->parts[MALI_PART_STENCIL].is_cleared
               ? MALI_FRAME_SHADER_MODE_EARLY_ZS_ALWAYS
               : MALI_FRAME_SHADER_MODE_INTERSECT;
}

/* Targets that are resolved are written everywhere. */
static enum mali_FRAME_SHADER_MODE color_mode(const struct mali_pass *pass, uint32_t colors)
{
    bits_foreach (colors, i) {
        if (pass->parts[i].is_resolved)
            return MALI_FRAME_SHADER_MODE_ALWAYS;
    }
    return pass->is_extended ? MALI_FRAME_SHADER_MODE_ALWAYS : MALI_FRAME_SHADER_MODE_INTERSECT;
}

bool mali_pass_preload(struct mali_cmd_buffer *cmd, uint32_t layer, struct mali_preload *preload_out)
{
    const struct mali_pass *pass = &cmd->graphics.pass;
    uint32_t loaded = 0;
    *preload_out = (struct mali_preload){0};
    bits_foreach (pass->part_mask, i)
        loaded |= pass->parts[i].is_loaded ? 1u << i : 0;
    if (!loaded)
        return true;
    uint32_t *draws = mali_cmd_upload(cmd, DRAWS * DRAW_B, 128, &preload_out->draws_va);
    if (!draws)
        return false;
    memset(draws, 0, DRAWS * DRAW_B);
    const uint32_t colors = loaded & 0xff, others = loaded & ~0xffu;
    if (colors) {
        preload_out->modes[0] = color_mode(pass, colors);
        if (!write_draw(cmd, key_of(pass, colors), colors, layer, draws))
            return false;
    }
    if (others) {
        preload_out->modes[1] = depth_mode(pass);
        if (!write_draw(cmd, key_of(pass, others), others, layer, draws + MALI_DESC_DRAW_DW))
            return false;
    }
    return true;
}
