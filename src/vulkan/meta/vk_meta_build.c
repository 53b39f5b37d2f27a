/* Pieces of the shaders of meta operations. */
#include "vulkan/meta/vk_meta_build.h"

#include "compiler/ir/ir_builder.h"
#include "util/bits.h"

uint32_t vk_meta_dim(enum vk_meta_shape shape)
{
    static const uint8_t dims[] = {
        [VK_META_1D] = IR_DIM_1d, [VK_META_2D] = IR_DIM_2d, [VK_META_3D] = IR_DIM_3d, [VK_META_MS] = IR_DIM_2dms};
    return dims[shape];
}

/* ---- pieces that the shaders share ---- */

void vk_meta_workgroup(struct ir_shader *shader, bool flat)
{
    shader->workgroup_size[0] = flat ? 64 : 8;
    shader->workgroup_size[1] = flat ? 1 : 8;
    shader->workgroup_size[2] = 1;
}

void vk_meta_count_groups(bool flat, const uint32_t extent[3], uint32_t groups_out[3])
{
    groups_out[0] = (uint32_t)div_round_up(extent[0], flat ? 64 : 8);
    groups_out[1] = flat ? extent[1] : (uint32_t)div_round_up(extent[1], 8);
    groups_out[2] = extent[2];
}

struct ir_value *vk_meta_push(struct ir_builder *b, uint32_t word)
{
    return ir_load_push(b, 32, 1, ir_const(b, 32, 0), word * 4, 4, 0);
}

void vk_meta_ids(struct ir_builder *b, struct ir_value *ids[3])
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

struct ir_value *vk_meta_in_bounds(struct ir_builder *b, struct ir_value *const ids[3], uint32_t first_word)
{
    struct ir_value *inside = ir_ult(b, ids[0], vk_meta_push(b, first_word));
    for (uint32_t i = 1; i < 3; i++)
        inside = ir_iand(b, inside, ir_ult(b, ids[i], vk_meta_push(b, first_word + i)));
    return inside;
}

struct ir_value *vk_meta_push64(struct ir_builder *b, uint32_t word)
{
    return ir_load_push(b, 64, 1, ir_const(b, 32, 0), word * 4, 4, 0);
}

/* ---- images ---- */

struct ir_value *vk_meta_image(struct ir_builder *b, uint32_t binding)
{
    return ir_resource(b, ir_const(b, 32, 0), 0, binding, IR_RESOURCE_storage_image);
}

struct ir_value *vk_meta_coordinate(struct ir_builder *b, enum vk_meta_shape shape, struct ir_value *const at[3],
                                    struct ir_value *sample)
{
    struct ir_value *parts[4];
    uint32_t count = 0;
    parts[count++] = at[0];
    if (shape != VK_META_1D)
        parts[count++] = at[1];
    parts[count++] = at[2];
    if (shape == VK_META_MS)
        parts[count++] = sample;
    return ir_vec(b, count, parts);
}

struct ir_value *vk_meta_load(struct ir_builder *b, uint32_t binding, enum vk_meta_shape shape,
                              struct ir_value *coordinate)
{
    return ir_load_image(b, 32, 4, vk_meta_image(b, binding), coordinate, ir_const(b, 32, 0), vk_meta_dim(shape),
                         shape != VK_META_3D, 0, 0);
}

void vk_meta_store(struct ir_builder *b, uint32_t binding, enum vk_meta_shape shape, struct ir_value *coordinate,
                   struct ir_value *texel)
{
    ir_store_image(b, texel, vk_meta_image(b, binding), coordinate, ir_const(b, 32, 0), vk_meta_dim(shape),
                   shape != VK_META_3D, 0, 0);
}

void vk_meta_split_samples(struct ir_builder *b, struct ir_value *z, uint32_t samples_log2, struct ir_value **layer_out,
                           struct ir_value **sample_out)
{
    *layer_out = z;
    *sample_out = NULL;
    if (!samples_log2)
        return;
    *sample_out = ir_iand(b, z, ir_const(b, 32, (1u << samples_log2) - 1));
    *layer_out = ir_ushr(b, z, ir_const(b, 32, samples_log2));
}

/* ---- tiles: several texels an invocation ---- */

#define MAX_TEXELS 64
#define ROUND_TEXELS 16 /* whose values are in registers together */
#define LARGE_FROM 512  /* tiles: then every core of the largest GPUs has several of them */
#define WHOLE_FROM 64   /* that are whole: a round of each is more than the memory has in flight */
#define WHOLE_2D_FROM 8 /* the same of two dimensions: what is left of them goes beside it, by tiles with edges */

/* Usual tiles, large ones, whole ones, narrow ones. Of memory, the whole ones of two dimensions are as wide as the
 * blocks of 64 KiB that tiled images have most often; written as tiles, workgroups follow each other in squares,
 * written as rows in columns: either way few pages are in use at a time. */
static const struct vk_meta_tile_shape shapes[][4] = {
    [VK_META_SQUARE] = {{4, 1, {8, 8}}, {4, 4, {8, 8}}},
    [VK_META_FLAT] = {{4, 1, {64, 1}}, {16, 1, {64, 1}}},
    [VK_META_STREAM] = {{4, 1, {64, 1}}, {16, 1, {64, 1}}, {64, 1, {64, 1}}},
    [VK_META_TILES] = {{4, 1, {8, 8}}, {4, 4, {8, 8}}, {4, 16, {8, 8}}, {1, 4, {8, 8}}},
    [VK_META_ROWS] = {{4, 1, {8, 8}}, {4, 4, {8, 8}}, {4, 16, {8, 8}}, {1, 4, {8, 8}}},
};

static bool is_flat(enum vk_meta_layout layout)
{
    return layout == VK_META_FLAT || layout == VK_META_STREAM;
}

const struct vk_meta_tile_shape *vk_meta_tile_shape(enum vk_meta_layout layout, uint64_t key)
{
    return &shapes[layout][key & VK_META_NARROW ? 3 : key & VK_META_WHOLE ? 2 : key & VK_META_LARGE ? 1 : 0];
}

static uint64_t count_tiles(enum vk_meta_layout layout, uint64_t key, const uint32_t extent[3], uint32_t groups_out[3])
{
    const struct vk_meta_tile_shape *shape = vk_meta_tile_shape(layout, key);
    groups_out[0] = (uint32_t)div_round_up(extent[0], shape->columns * shape->size[0]);
    groups_out[1] = (uint32_t)div_round_up(extent[1], shape->rows * shape->size[1]);
    groups_out[2] = extent[2];
    return (uint64_t)groups_out[0] * groups_out[1] * groups_out[2];
}

static bool is_whole(enum vk_meta_layout layout, const uint32_t extent[3])
{
    const struct vk_meta_tile_shape *shape = vk_meta_tile_shape(layout, VK_META_WHOLE);
    return shape->columns && extent[0] % (shape->columns * shape->size[0]) == 0 &&
           extent[1] % (shape->rows * shape->size[1]) == 0;
}

uint64_t vk_meta_count_tiles(enum vk_meta_layout layout, const uint32_t extent[3], uint32_t groups_out[3])
{
    if (is_whole(layout, extent) &&
        count_tiles(layout, VK_META_WHOLE, extent, groups_out) >= (is_flat(layout) ? WHOLE_FROM : WHOLE_2D_FROM))
        return VK_META_WHOLE;
    if (count_tiles(layout, VK_META_LARGE, extent, groups_out) >= LARGE_FROM)
        return VK_META_LARGE;
    count_tiles(layout, 0, extent, groups_out);
    return 0;
}

/* Tiles that reach beyond the extent. */
static uint64_t count_edges(enum vk_meta_layout layout, uint64_t key, const uint32_t extent[3])
{
    const struct vk_meta_tile_shape *shape = vk_meta_tile_shape(layout, key);
    uint32_t groups[3];
    return count_tiles(layout, key, extent, groups) - (uint64_t)(extent[0] / (shape->columns * shape->size[0])) *
                                                          (extent[1] / (shape->rows * shape->size[1])) * extent[2];
}

uint64_t vk_meta_count_narrow(enum vk_meta_layout layout, const uint32_t extent[3], uint32_t groups_out[3])
{
    const uint64_t edges = count_edges(layout, VK_META_NARROW, extent);
    if (edges && edges >= count_edges(layout, 0, extent))
        return 0;
    count_tiles(layout, VK_META_NARROW, extent, groups_out);
    return edges ? VK_META_NARROW : VK_META_NARROW | VK_META_WHOLE;
}

void vk_meta_tile_begin(struct ir_builder *b, struct vk_meta_tile *tile, uint64_t key, enum vk_meta_layout layout)
{
    vk_meta_workgroup(b->shader, is_flat(layout));
    b->shader->sysvals_read |= 1ull << IR_SYSVAL_workgroup_id | 1ull << IR_SYSVAL_local_id;
    const struct vk_meta_tile_shape *shape = vk_meta_tile_shape(layout, key);
    tile->columns = shape->columns;
    tile->rows = shape->rows;
    tile->is_whole = key & VK_META_WHOLE;
    tile->by_squares = tile->is_whole && layout == VK_META_TILES;
    struct ir_value *group = ir_load_sysval(b, 32, 3, IR_SYSVAL_workgroup_id),
                    *local = ir_load_sysval(b, 32, 3, IR_SYSVAL_local_id);
    const uint32_t count[2] = {tile->columns, tile->rows};
    for (uint32_t i = 0; i < 2; i++) {
        tile->size[i] = shape->size[i];
        tile->corner[i] = ir_imul(b, ir_extract(b, group, i), ir_const(b, 32, tile->size[i] * count[i]));
        tile->local[i] = tile->size[i] > 1 ? ir_extract(b, local, i) : ir_const(b, 32, 0);
    }
    tile->corner[2] = ir_extract(b, group, 2);
}

/* Does the tile of this workgroup reach beyond an extent? All invocations agree; layers are counted exactly. */
static struct ir_value *tile_reaches_out(struct ir_builder *b, const struct vk_meta_tile *tile, uint32_t extent_word)
{
    const uint32_t count[2] = {tile->columns, tile->rows};
    struct ir_value *out[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct ir_value *end = ir_iadd(b, tile->corner[i], ir_const(b, 32, tile->size[i] * count[i]));
        out[i] = ir_ult(b, vk_meta_push(b, extent_word + i), end);
    }
    return ir_ior(b, out[0], out[1]);
}

/* Coordinates along an axis, one of each column or row: what is the same for all invocations is added first. */
static void places_along(struct ir_builder *b, const struct vk_meta_tile *tile, uint32_t axis, uint32_t count,
                         struct ir_value *places[MAX_TEXELS])
{
    for (uint32_t i = 0; i < count; i++)
        places[i] =
            ir_iadd(b, ir_iadd(b, tile->corner[axis], ir_const(b, 32, tile->size[axis] * i)), tile->local[axis]);
}

struct tile_texels {
    uint32_t count;
    struct ir_value *x[MAX_TEXELS], *y[MAX_TEXELS]; /* of columns and rows */
    struct vk_meta_texel texel[MAX_TEXELS];
};

/* The rows' and columns' bits take turns, the rows' first; what is left are rows. */
static void split_square(uint32_t number, uint32_t columns, uint32_t *column_out, uint32_t *row_out)
{
    *column_out = *row_out = 0;
    for (uint32_t bit = 1; number; bit *= 2) {
        *row_out |= number & 1 ? bit : 0;
        number >>= 1;
        if (bit < columns) {
            *column_out |= number & 1 ? bit : 0;
            number >>= 1;
        }
    }
}

static void find_texels(struct ir_builder *b, const struct vk_meta_tile *tile, struct tile_texels *out)
{
    out->count = tile->columns * tile->rows;
    places_along(b, tile, 0, tile->columns, out->x);
    places_along(b, tile, 1, tile->rows, out->y);
    for (uint32_t i = 0; i < out->count; i++) {
        uint32_t column = i % tile->columns, row = i / tile->columns;
        if (tile->by_squares)
            split_square(i, tile->columns, &column, &row);
        out->texel[i] = (struct vk_meta_texel){{out->x[column], out->y[row], tile->corner[2]}, column, row};
    }
}

static void work_on_edge(struct ir_builder *b, const struct vk_meta_tile *tile, uint32_t extent_word,
                         vk_meta_read_fn read, vk_meta_write_fn write, const void *data)
{
    struct tile_texels texels;
    struct ir_value *inside_x[MAX_TEXELS], *inside_y[MAX_TEXELS];
    find_texels(b, tile, &texels);
    for (uint32_t i = 0; i < tile->columns; i++)
        inside_x[i] = ir_ult(b, texels.x[i], vk_meta_push(b, extent_word));
    for (uint32_t i = 0; i < tile->rows; i++)
        inside_y[i] = ir_ult(b, texels.y[i], vk_meta_push(b, extent_word + 1));
    for (uint32_t i = 0; i < texels.count; i++) {
        const struct vk_meta_texel *texel = &texels.texel[i];
        ir_builder_push_if(b, ir_iand(b, inside_x[texel->column], inside_y[texel->row]));
        write(b, data, texel, read ? read(b, data, texel) : NULL);
        ir_builder_pop_if(b);
    }
}

static void work_inside(struct ir_builder *b, const struct vk_meta_tile *tile, vk_meta_read_fn read,
                        vk_meta_write_fn write, const void *data)
{
    struct tile_texels texels;
    struct ir_value *values[MAX_TEXELS] = {NULL};
    find_texels(b, tile, &texels);
    for (uint32_t first = 0; first < texels.count; first += ROUND_TEXELS) {
        const uint32_t end = MIN2(first + ROUND_TEXELS, texels.count);
        for (uint32_t i = first; i < end && read; i++)
            values[i] = read(b, data, &texels.texel[i]);
        for (uint32_t i = first; i < end; i++)
            write(b, data, &texels.texel[i], values[i]);
    }
}

void vk_meta_tile_end(struct ir_builder *b, const struct vk_meta_tile *tile, uint32_t extent_word, vk_meta_read_fn read,
                      vk_meta_write_fn write, const void *data)
{
    if (tile->is_whole) {
        work_inside(b, tile, read, write, data);
        return;
    }
    ir_builder_push_if(b, tile_reaches_out(b, tile, extent_word));
    work_on_edge(b, tile, extent_word, read, write, data);
    ir_builder_push_else(b);
    work_inside(b, tile, read, write, data);
    ir_builder_pop_if(b);
}

/* ---- pieces that the fragment shaders share ---- */

struct ir_value *vk_meta_texture(struct ir_builder *b, uint32_t binding)
{
    return ir_resource(b, ir_const(b, 32, 0), 0, binding, IR_RESOURCE_sampled_image);
}

struct ir_value *vk_meta_fetch(struct ir_builder *b, enum vk_meta_shape shape, struct ir_value *const at[3],
                               struct ir_value *sample)
{
    struct ir_value *parts[3], *values[2];
    uint32_t count = 0;
    parts[count++] = at[0];
    if (shape != VK_META_1D)
        parts[count++] = at[1];
    parts[count++] = at[2];
    values[0] = ir_vec(b, count, parts);
    values[1] = sample ? sample : ir_const(b, 32, 0);
    return ir_tex(b, 32, 4, vk_meta_texture(b, 0), ir_undef(b, 32, 1), 2, values, IR_TEX_KIND_fetch, vk_meta_dim(shape),
                  shape != VK_META_3D, 1u << (sample ? IR_TEX_sample : IR_TEX_lod), 0, 0);
}

void vk_meta_output(struct ir_builder *b, uint64_t key, VkImageAspectFlagBits aspect, struct ir_value *value)
{
    struct ir_value *zero = ir_const(b, 32, 0);
    switch (aspect) {
    case VK_IMAGE_ASPECT_DEPTH_BIT:
        ir_store_output(b, ir_extract(b, value, 0), zero, IR_LOCATION_frag_depth, 0, 0);
        b->shader->fs.writes_depth = true;
        break;
    case VK_IMAGE_ASPECT_STENCIL_BIT:
        ir_store_output(b, ir_extract(b, value, 0), zero, IR_LOCATION_frag_stencil, 0, 0);
        b->shader->fs.writes_stencil = true;
        break;
    default:
        ir_store_output(b, value, zero, IR_LOCATION_VAR0 + vk_meta_key_target(key), 0, 0);
        break;
    }
}
