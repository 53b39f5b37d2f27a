/* Shaders of the driver's own: made when they are needed, kept by a number that says what they do, and started with
 * descriptors and constants of the moment. */
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_image.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "util/log.h"

VkResult radeon_meta_init(struct radeon_device *device)
{
    device->meta = vk_zalloc(&device->vk.alloc, NULL, sizeof(*device->meta), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!device->meta)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_init(&device->meta->lock, NULL);
    return VK_SUCCESS;
}

void radeon_meta_finish(struct radeon_device *device)
{
    if (!device->meta)
        return;
    radeon_meta_draw_finish(device);
    for (struct map64_slot *slot = NULL; (slot = map64_next(&device->meta->shaders, slot));)
        radeon_shader_unref(device, (struct radeon_shader *)(uintptr_t)slot->value);
    map64_finish(&device->meta->shaders);
    pthread_mutex_destroy(&device->meta->lock);
    vk_free(&device->vk.alloc, NULL, device->meta);
}

/* All shaders of ours see one set: four images or buffers, then samplers. */
enum {
    IMAGE_B = 32
};

static const struct amd_binding_layout meta_bindings[RADEON_META_BINDINGS] = {
    {.offset_B = 0 * IMAGE_B, .stride_B = IMAGE_B},
    {.offset_B = 1 * IMAGE_B, .stride_B = IMAGE_B},
    {.offset_B = 2 * IMAGE_B, .stride_B = IMAGE_B},
    {.offset_B = 3 * IMAGE_B, .stride_B = IMAGE_B},
};

const struct amd_set_layout radeon_meta_set = {meta_bindings, RADEON_META_BINDINGS};

static VkResult build(struct radeon_device *device, enum ir_stage stage, const struct amd_stage_options *around,
                      uint64_t key, radeon_meta_build_fn build_fn, struct radeon_shader **shader_out)
{
    struct ir_shader *ir = ir_shader_create(stage);
    if (!ir)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct ir_failure failure;
    VkResult result = VK_SUCCESS;
    if (ir_guard(ir, &failure)) {
        LOG_ERROR("amd", "a shader of the driver's own: %s", failure.text);
        result = failure.out_of_memory ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN;
    } else {
        struct ir_builder b = ir_builder_at_body_end(ir);
        build_fn(&b, key);
    }
    ir->failure = NULL;
    const struct amd_compile_options options = {
        .wave_size = 64, .sets = &radeon_meta_set, .num_sets = 1, .stage = around};
    if (result == VK_SUCCESS)
        result = radeon_shader_compile_internal(device, ir, &options, shader_out);
    ir_shader_destroy(ir);
    if (result == VK_SUCCESS)
        (*shader_out)->push_size_B = RADEON_MAX_PUSH_B;
    return result;
}

VkResult radeon_meta_get_shader(struct radeon_device *device, enum ir_stage stage,
                                const struct amd_stage_options *around, uint64_t key, radeon_meta_build_fn build_fn,
                                struct radeon_shader **shader_out)
{
    struct radeon_meta *meta = device->meta;
    const uint64_t *found = map64_get(&meta->shaders, key);
    if (found) {
        *shader_out = (struct radeon_shader *)(uintptr_t)*found;
        return VK_SUCCESS;
    }
    VkResult result = build(device, stage, around, key, build_fn, shader_out);
    if (result == VK_SUCCESS && !map64_set(&meta->shaders, key, (uintptr_t)*shader_out)) {
        radeon_shader_unref(device, *shader_out);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return result;
}

const struct radeon_shader *radeon_meta_shader(struct radeon_cmd_buffer *cmd, uint64_t key,
                                               radeon_meta_build_fn build_fn)
{
    struct radeon_shader *shader = NULL;
    pthread_mutex_lock(&cmd->device->meta->lock);
    VkResult result = radeon_meta_get_shader(cmd->device, IR_STAGE_compute, NULL, key, build_fn, &shader);
    pthread_mutex_unlock(&cmd->device->meta->lock);
    vk_command_buffer_set_error(&cmd->vk, result);
    return result == VK_SUCCESS ? shader : NULL;
}

void radeon_meta_begin(struct radeon_cmd_buffer *cmd)
{
    cmd->meta_depth++;
    if (cmd->queries.statistics_active && cmd->meta_depth == 1) {
        cmd->due &= ~(uint32_t)RADEON_STATISTICS_ON; /* they stand still since the last operation of ours */
        cmd->due |= RADEON_STATISTICS_OFF;
    }
}

void radeon_meta_end(struct radeon_cmd_buffer *cmd)
{
    cmd->meta_depth--;
    if (cmd->queries.statistics_active && cmd->meta_depth == 0) {
        cmd->due &= ~(uint32_t)RADEON_STATISTICS_OFF; /* nothing was drawn */
        cmd->due |= RADEON_STATISTICS_ON;
    }
}

void radeon_meta_dispatch(struct radeon_cmd_buffer *cmd, const struct radeon_shader *shader,
                          const uint32_t (*descriptors)[8], uint32_t num_descriptors, const void *push,
                          uint32_t push_size_B, const uint32_t groups[3])
{
    if (!shader || !groups[0] || !groups[1] || !groups[2])
        return;
    struct radeon_bindings *bindings = &cmd->bindings[RADEON_BIND_COMPUTE];
    uint64_t set_va = 0;
    uint32_t *set = num_descriptors ? radeon_cmd_upload(cmd, num_descriptors * IMAGE_B, IMAGE_B, &set_va) : NULL;
    if (num_descriptors && !set)
        return;
    if (set)
        memcpy(set, descriptors, num_descriptors * IMAGE_B);

    /* What the application bound comes back behind the dispatch; its registers are written again. */
    const struct radeon_shader *old_shader = cmd->compute_shader;
    uint64_t old_set_va = bindings->set_va[0];
    uint32_t old_valid = bindings->valid;
    uint8_t old_push[RADEON_MAX_PUSH_B];
    memcpy(old_push, cmd->push_constants, sizeof(old_push));
    bool old_push_dirty = bindings->push_dirty;

    radeon_meta_begin(cmd);
    bindings->set_va[0] = set_va;
    bindings->valid |= 1;
    bindings->push_dirty = false;
    memcpy(cmd->push_constants, push, push_size_B);
    radeon_bind_compute_shader(cmd, shader);
    cmd->compute_dirty = true;
    radeon_dispatch_internal(cmd, groups[0], groups[1], groups[2]);
    radeon_meta_end(cmd);

    memcpy(cmd->push_constants, old_push, sizeof(old_push));
    bindings->set_va[0] = old_set_va;
    bindings->valid = old_valid;
    bindings->push_dirty = old_push_dirty;
    bindings->dirty = bindings->valid;
    cmd->compute_shader = old_shader;
    cmd->compute_dirty = old_shader;
}

/* ---- what shaders see of images ---- */

enum radeon_meta_shape radeon_meta_shape(const struct radeon_image *image)
{
    if (image->vk.samples > 1)
        return RADEON_META_MS;
    return image->vk.type == VK_IMAGE_TYPE_1D   ? RADEON_META_1D
           : image->vk.type == VK_IMAGE_TYPE_3D ? RADEON_META_3D
                                                : RADEON_META_2D;
}

VkImageViewType radeon_meta_view_type(enum radeon_meta_shape shape)
{
    return shape == RADEON_META_1D   ? VK_IMAGE_VIEW_TYPE_1D_ARRAY
           : shape == RADEON_META_3D ? VK_IMAGE_VIEW_TYPE_3D
                                     : VK_IMAGE_VIEW_TYPE_2D_ARRAY;
}

uint32_t radeon_meta_dim(enum radeon_meta_shape shape)
{
    static const uint8_t dims[] = {[RADEON_META_1D] = IR_DIM_1d,
                                   [RADEON_META_2D] = IR_DIM_2d,
                                   [RADEON_META_3D] = IR_DIM_3d,
                                   [RADEON_META_MS] = IR_DIM_2dms};
    return dims[shape];
}

/* ---- pieces that the shaders share ---- */

void radeon_meta_workgroup(struct ir_shader *shader, bool flat)
{
    shader->workgroup_size[0] = flat ? 64 : 8;
    shader->workgroup_size[1] = flat ? 1 : 8;
    shader->workgroup_size[2] = 1;
}

void radeon_meta_count_groups(bool flat, const uint32_t extent[3], uint32_t groups_out[3])
{
    groups_out[0] = (uint32_t)div_round_up(extent[0], flat ? 64 : 8);
    groups_out[1] = flat ? extent[1] : (uint32_t)div_round_up(extent[1], 8);
    groups_out[2] = extent[2];
}

struct ir_value *radeon_meta_push(struct ir_builder *b, uint32_t word)
{
    return ir_load_push(b, 32, 1, ir_const(b, 32, 0), word * 4, 4, 0);
}

void radeon_meta_ids(struct ir_builder *b, struct ir_value *ids[3])
{
    struct ir_shader *shader = b->shader;
    struct ir_value *group = ir_load_sysval(b, 32, 3, IR_SYSVAL_workgroup_id),
                    *local = ir_load_sysval(b, 32, 3, IR_SYSVAL_local_id);
    shader->sysvals_read |= 1ull << IR_SYSVAL_workgroup_id | 1ull << IR_SYSVAL_local_id;
    for (uint32_t i = 0; i < 3; i++) {
        struct ir_value *size = ir_const(b, 32, shader->workgroup_size[i]);
        ids[i] = ir_iadd(b, ir_imul(b, ir_extract(b, group, i), size), ir_extract(b, local, i));
    }
}

struct ir_value *radeon_meta_in_bounds(struct ir_builder *b, struct ir_value *const ids[3], uint32_t first_word)
{
    struct ir_value *inside = ir_ult(b, ids[0], radeon_meta_push(b, first_word));
    for (uint32_t i = 1; i < 3; i++)
        inside = ir_iand(b, inside, ir_ult(b, ids[i], radeon_meta_push(b, first_word + i)));
    return inside;
}

/* ---- tiles: several texels an invocation ---- */

#define MAX_TEXELS 16
#define LARGE_FROM 512 /* tiles: then every SIMD of the largest chip has several of them */

static void tile_shape(enum radeon_meta_layout layout, bool large, uint32_t *columns_out, uint32_t *rows_out)
{
    *columns_out = layout == RADEON_META_FLAT && large ? MAX_TEXELS : RADEON_META_COLUMNS;
    *rows_out = layout == RADEON_META_SQUARE && large ? RADEON_META_MAX_ROWS : 1;
}

static void count_tiles(enum radeon_meta_layout layout, bool large, const uint32_t extent[3], uint32_t groups_out[3])
{
    uint32_t columns, rows;
    tile_shape(layout, large, &columns, &rows);
    radeon_meta_count_groups(layout == RADEON_META_FLAT, extent, groups_out);
    groups_out[0] = (uint32_t)div_round_up(groups_out[0], columns);
    groups_out[1] = (uint32_t)div_round_up(groups_out[1], rows);
}

uint64_t radeon_meta_count_tiles(enum radeon_meta_layout layout, const uint32_t extent[3], uint32_t groups_out[3])
{
    count_tiles(layout, true, extent, groups_out);
    if ((uint64_t)groups_out[0] * groups_out[1] * groups_out[2] >= LARGE_FROM)
        return RADEON_META_LARGE;
    count_tiles(layout, false, extent, groups_out);
    return 0;
}

void radeon_meta_tile_begin(struct ir_builder *b, struct radeon_meta_tile *tile, uint64_t key,
                            enum radeon_meta_layout layout)
{
    radeon_meta_workgroup(b->shader, layout == RADEON_META_FLAT);
    b->shader->sysvals_read |= 1ull << IR_SYSVAL_workgroup_id | 1ull << IR_SYSVAL_local_id;
    tile_shape(layout, key & RADEON_META_LARGE, &tile->columns, &tile->rows);
    struct ir_value *group = ir_load_sysval(b, 32, 3, IR_SYSVAL_workgroup_id),
                    *local = ir_load_sysval(b, 32, 3, IR_SYSVAL_local_id);
    const uint32_t count[2] = {tile->columns, tile->rows};
    for (uint32_t i = 0; i < 2; i++) {
        tile->size[i] = b->shader->workgroup_size[i];
        tile->corner[i] = ir_imul(b, ir_extract(b, group, i), ir_const(b, 32, tile->size[i] * count[i]));
        tile->local[i] = tile->size[i] > 1 ? ir_extract(b, local, i) : ir_const(b, 32, 0);
    }
    tile->corner[2] = ir_extract(b, group, 2);
}

/* Does the tile of this workgroup reach beyond an extent? All invocations agree; layers are counted exactly. */
static struct ir_value *tile_reaches_out(struct ir_builder *b, const struct radeon_meta_tile *tile,
                                         uint32_t extent_word)
{
    const uint32_t count[2] = {tile->columns, tile->rows};
    struct ir_value *out[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_value *end = ir_iadd(b, tile->corner[i], ir_const(b, 32, tile->size[i] * count[i]));
        out[i] = ir_ult(b, radeon_meta_push(b, extent_word + i), end);
    }
    return ir_ior(b, out[0], out[1]);
}

/* Coordinates along an axis, one of each column or row: what is the same for all invocations is added first. */
static void places_along(struct ir_builder *b, const struct radeon_meta_tile *tile, uint32_t axis, uint32_t count,
                         struct ir_value *places[MAX_TEXELS])
{
    for (uint32_t i = 0; i < count; i++)
        places[i] =
            ir_iadd(b, ir_iadd(b, tile->corner[axis], ir_const(b, 32, tile->size[axis] * i)), tile->local[axis]);
}

struct tile_texels {
    uint32_t count;
    struct ir_value *x[MAX_TEXELS], *y[MAX_TEXELS]; /* of columns and rows */
    struct radeon_meta_texel texel[MAX_TEXELS];
};

static void find_texels(struct ir_builder *b, const struct radeon_meta_tile *tile, struct tile_texels *out)
{
    out->count = tile->columns * tile->rows;
    places_along(b, tile, 0, tile->columns, out->x);
    places_along(b, tile, 1, tile->rows, out->y);
    for (uint32_t i = 0; i < out->count; i++) {
        uint32_t column = i % tile->columns, row = i / tile->columns;
        out->texel[i] = (struct radeon_meta_texel){{out->x[column], out->y[row], tile->corner[2]}, column, row};
    }
}

static void work_on_edge(struct ir_builder *b, const struct radeon_meta_tile *tile, uint32_t extent_word,
                         radeon_meta_read_fn read, radeon_meta_write_fn write, const void *data)
{
    struct tile_texels texels;
    struct ir_value *inside_x[MAX_TEXELS], *inside_y[MAX_TEXELS];
    find_texels(b, tile, &texels);
    for (uint32_t i = 0; i < tile->columns; i++)
        inside_x[i] = ir_ult(b, texels.x[i], radeon_meta_push(b, extent_word));
    for (uint32_t i = 0; i < tile->rows; i++)
        inside_y[i] = ir_ult(b, texels.y[i], radeon_meta_push(b, extent_word + 1));
    for (uint32_t i = 0; i < texels.count; i++) {
        const struct radeon_meta_texel *texel = &texels.texel[i];
        ir_builder_push_if(b, ir_iand(b, inside_x[texel->column], inside_y[texel->row]));
        write(b, data, texel, read ? read(b, data, texel) : NULL);
        ir_builder_pop_if(b);
    }
}

static void work_inside(struct ir_builder *b, const struct radeon_meta_tile *tile, radeon_meta_read_fn read,
                        radeon_meta_write_fn write, const void *data)
{
    struct tile_texels texels;
    struct ir_value *values[MAX_TEXELS] = {NULL};
    find_texels(b, tile, &texels);
    for (uint32_t i = 0; i < texels.count && read; i++)
        values[i] = read(b, data, &texels.texel[i]);
    for (uint32_t i = 0; i < texels.count; i++)
        write(b, data, &texels.texel[i], values[i]);
}

void radeon_meta_tile_end(struct ir_builder *b, const struct radeon_meta_tile *tile, uint32_t extent_word,
                          radeon_meta_read_fn read, radeon_meta_write_fn write, const void *data)
{
    ir_builder_push_if(b, tile_reaches_out(b, tile, extent_word));
    work_on_edge(b, tile, extent_word, read, write, data);
    ir_builder_push_else(b);
    work_inside(b, tile, read, write, data);
    ir_builder_pop_if(b);
}

struct ir_value *radeon_meta_image(struct ir_builder *b, uint32_t binding)
{
    return ir_resource(b, ir_const(b, 32, 0), 0, binding, IR_RESOURCE_storage_image);
}
