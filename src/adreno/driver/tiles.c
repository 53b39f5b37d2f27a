/* See tiles.h. Of all grids whose tiles fit, the one with the fewest tiles is taken, and of equal ones the one whose
 * tiles are closest to squares, for a primitive touches fewer of those. */
#include "adreno/driver/tiles.h"

#include "util/bits.h"

struct adreno_gmem_caches adreno_gmem_caches(const struct adreno_chip *chip)
{
    const uint32_t color_B = chip->ccu_count * chip->sysmem_ccu_color_B;
    const uint32_t depth_B = chip->ccu_count * chip->sysmem_ccu_depth_B;
    return (struct adreno_gmem_caches){
        .color_B = chip->gmem_size_B - (color_B >> chip->gmem_ccu_color_fraction),
        .sysmem_color_B = depth_B,
        .sysmem_depth_B = 0,
    };
}

/* ---- GMEM ---- */

static uint64_t part_size_B(const struct adreno_tiles_info *info, unsigned part, uint64_t pixels)
{
    return align_u64(pixels * info->part_B[part] * info->layers, ADRENO_GMEM_ALIGN_B);
}

static uint64_t tile_size_B(const struct adreno_tiles_info *info, uint64_t pixels)
{
    uint64_t size_B = 0;
    for (unsigned i = 0; i < info->parts; i++)
        size_B += part_size_B(info, i, pixels);
    return size_B;
}

/* A layer follows the one before it, and begins where a register can name it. */
static uint32_t height_align(const struct adreno_chip *chip, const struct adreno_tiles_info *info)
{
    uint32_t align = chip->tile_align_h;
    for (unsigned i = 0; i < info->parts; i++) {
        while (info->layers > 1 && chip->tile_align_w * align * info->part_B[i] % ADRENO_GMEM_ALIGN_B)
            align *= 2;
    }
    return align;
}

/* The highest tile of a width; 0: none fits. */
static uint32_t max_height(const struct adreno_chip *chip, const struct adreno_tiles_info *info, uint32_t room_B,
                           uint32_t width)
{
    const uint32_t align_h = height_align(chip, info);
    uint32_t pixel_B = 0;
    for (unsigned i = 0; i < info->parts; i++)
        pixel_B += info->part_B[i] * info->layers;
    uint64_t height = pixel_B ? room_B / ((uint64_t)width * pixel_B) : chip->tile_max_h;
    height = MIN2(height, chip->tile_max_h) / align_h * align_h;
    while (height && tile_size_B(info, (uint64_t)width * height) > room_B)
        height -= align_h;
    return (uint32_t)height;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static void choose_grid(const struct adreno_chip *chip, const struct adreno_tiles_info *info, struct adreno_tiles *best)
{
    const uint32_t room_B = adreno_gmem_caches(chip).color_B, right = MAX2(info->right, 1u),
                   bottom = MAX2(info->bottom, 1u);
    uint32_t last_width = 0;
    for (uint32_t columns = (uint32_t)div_round_up(right, chip->tile_max_w);; columns++) {
        const uint32_t width = (uint32_t)align_u64(div_round_up(right, columns), chip->tile_align_w);
        if (width == last_width && width == chip->tile_align_w)
            break; /* narrower ones there are not */
        const uint32_t limit = width == last_width ? 0 : max_height(chip, info, room_B, width);
        last_width = width;
        if (!limit)
            continue;
        const uint32_t rows = (uint32_t)div_round_up(bottom, limit);
        const uint32_t height = (uint32_t)align_u64(div_round_up(bottom, rows), height_align(chip, info));
        const uint32_t real_columns = (uint32_t)div_round_up(right, width), tiles = real_columns * rows;
        const uint32_t best_tiles = best->columns * best->rows;
        if (best->is_possible &&
            (tiles > best_tiles ||
             (tiles == best_tiles && distance(width, height) >= distance(best->width, best->height))))
            continue;
        *best = (struct adreno_tiles){
            .is_possible = true,
            .width = width,
            .height = height,
            .columns = real_columns,
            .rows = (uint32_t)div_round_up(bottom, height),
        };
    }
}

/* ---- pipes ---- */

/* As many pipes as there are, so that each has little to do. */
static void choose_pipes(const struct adreno_chip *chip, struct adreno_tiles *tiles)
{
    tiles->pipe_width = tiles->pipe_height = 1;
    for (;;) {
        tiles->pipe_columns = (uint32_t)div_round_up(tiles->columns, tiles->pipe_width);
        tiles->pipe_rows = (uint32_t)div_round_up(tiles->rows, tiles->pipe_height);
        if (tiles->pipe_columns * tiles->pipe_rows <= chip->vsc_pipes)
            break;
        if (tiles->pipe_columns > tiles->pipe_rows)
            tiles->pipe_width++;
        else
            tiles->pipe_height++;
    }
    tiles->can_bin = tiles->pipe_width * tiles->pipe_height <= ADRENO_TILES_PER_PIPE;
}

struct adreno_tiles adreno_tiles(const struct adreno_chip *chip, const struct adreno_tiles_info *info)
{
    struct adreno_tiles tiles = {0};
    choose_grid(chip, info, &tiles);
    if (!tiles.is_possible)
        return tiles;
    choose_pipes(chip, &tiles);
    uint64_t offset_B = 0;
    for (unsigned i = 0; i < info->parts; i++) {
        tiles.gmem_B[i] = (uint32_t)offset_B;
        offset_B += part_size_B(info, i, (uint64_t)tiles.width * tiles.height);
    }
    return tiles;
}

struct adreno_pipe adreno_pipe(const struct adreno_tiles *tiles, uint32_t number)
{
    struct adreno_pipe pipe = {0};
    if (number >= tiles->pipe_columns * tiles->pipe_rows)
        return pipe;
    pipe.column = number % tiles->pipe_columns * tiles->pipe_width;
    pipe.row = number / tiles->pipe_columns * tiles->pipe_height;
    pipe.columns = MIN2(tiles->pipe_width, tiles->columns - pipe.column);
    pipe.rows = MIN2(tiles->pipe_height, tiles->rows - pipe.row);
    return pipe;
}

struct adreno_tile_place adreno_tile_place(const struct adreno_tiles *tiles, uint32_t column, uint32_t row)
{
    const uint32_t number = row / tiles->pipe_height * tiles->pipe_columns + column / tiles->pipe_width;
    const struct adreno_pipe pipe = adreno_pipe(tiles, number);
    return (struct adreno_tile_place){
        .pipe = number,
        .size = pipe.columns * pipe.rows,
        .slot = (row - pipe.row) * pipe.columns + column - pipe.column,
    };
}
