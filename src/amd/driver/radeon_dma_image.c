/* Copies of images by the DMA engine. It moves a box of elements between a tiled image and rows of memory, if these are
 * aligned as it needs them. Other rows, and boxes between two tiled images, go through a room of aligned rows. What the
 * engine cannot address (several samples; small levels of compressed texels, which it would lay out in another way) is
 * copied in runs of neighbouring elements whose places the driver computes. */
#include "amd/driver/radeon_dma.h"

#include "amd/driver/radeon_image.h"
#include "amd/hw/tiling/tiling.h"
#include "util/bits.h"

enum {
    ROOM_B = 256 << 10, /* the longest row: 16,384 elements of 16 bytes */
    MAX_ROW = 1 << 14,  /* elements from a row to the next that the engine can count */
    MAX_SLICE = 1 << 28,
    PACKET_DW = 32, /* the longest packet */
};

/* A level of an image. */
struct place {
    struct amd_surface surface;
    uint64_t va;
    uint32_t level, samples;
    bool is_linear;
    bool is_boxed; /* the engine finds its elements */
};

/* A box on the linear side. */
struct rows {
    uint64_t va;         /* of its first element */
    uint64_t row, slice; /* elements from one to the next */
};

/* The engine halves elements from level to level, where the levels of compressed texels are halved in texels. */
static bool is_same_layout(const struct place *place)
{
    const struct amd_surface *ours = &place->surface;
    if (ours->desc.block_w <= 1 && ours->desc.block_h <= 1)
        return true;
    struct amd_surface_desc desc = ours->desc;
    struct amd_surface engines;
    desc.width = ours->width;
    desc.height = ours->height;
    desc.block_w = desc.block_h = 1;
    if (amd_surface_problem(&desc) || !amd_surface_init(&engines, &ours->config, &desc))
        return false;
    const struct amd_surface_level *a = &ours->level[place->level], *b = &engines.level[place->level];
    return ours->layer_B == engines.layer_B && ours->first_tail_level == engines.first_tail_level &&
           a->offset_B == b->offset_B && a->row_B == b->row_B && a->height <= b->height && a->pitch <= b->pitch;
}

static bool place_init(const struct radeon_cmd_buffer *cmd, struct place *place, const struct vk_meta_side *side)
{
    const struct radeon_image *image = radeon_image_of(side->image);
    if (!radeon_image_surface(cmd->device, image, side->aspect, &place->surface))
        return false; /* no image has such a surface: its creation has failed */
    place->va = radeon_image_surface_va(image, side->aspect);
    place->level = side->level;
    place->samples = place->surface.desc.samples ? place->surface.desc.samples : 1;
    place->is_linear = place->surface.desc.swizzle == AMD_SW_LINEAR;
    place->is_boxed = !place->is_linear && place->samples == 1 && is_same_layout(place);
    return true;
}

/* ---- boxes ---- */

static bool are_aligned(const struct rows *rows, uint32_t element_B, const uint32_t extent[3])
{
    return rows->va % 4 == 0 && rows->row * element_B % 4 == 0 && rows->row <= MAX_ROW &&
           (extent[2] == 1 || (rows->slice % 4 == 0 && rows->slice <= MAX_SLICE));
}

static void emit_box(struct radeon_cmd_buffer *cmd, const struct place *place, const uint32_t first[3],
                     const uint32_t extent[3], const struct rows *rows, bool to_image)
{
    const struct amd_surface *surface = &place->surface;
    radeon_cs_reserve(&cmd->cs, PACKET_DW);
    RADEON_DMA_PACKET(&cmd->cs, COPY_TILED_SUB_WINDOW, .DETILE = !to_image,
                      .TILED_ADDR = place->va | (uint64_t)surface->desc.pipe_bank_xor << 8, .TILED_X = first[0],
                      .TILED_Y = first[1], .TILED_Z = first[2], .WIDTH = surface->width - 1,
                      .HEIGHT = surface->height - 1, .DEPTH = surface->desc.slices - 1,
                      .ELEMENT_SIZE = surface->element_log2, .SW_MODE = surface->desc.swizzle,
                      .DIMENSION = surface->desc.dim == AMD_DIM_3D   ? AMD_SDMA_DIMENSION_3D
                                   : surface->desc.dim == AMD_DIM_1D ? AMD_SDMA_DIMENSION_1D
                                                                     : AMD_SDMA_DIMENSION_2D,
                      .MIP_MAX = surface->desc.levels - 1u, .MIP_ID = place->level, .LINEAR_ADDR = rows->va,
                      .LINEAR_PITCH = (uint32_t)rows->row - 1, .LINEAR_SLICE_PITCH = (uint32_t)MAX2(rows->slice, 1) - 1,
                      .RECT_X = extent[0] - 1, .RECT_Y = extent[1] - 1, .RECT_Z = extent[2] - 1);
}

/* ---- the room ---- */

static bool take_room(struct radeon_cmd_buffer *cmd)
{
    return cmd->dma_room_va || radeon_cmd_upload(cmd, ROOM_B, 256, &cmd->dma_room_va);
}

/* Pieces of a box, each some rows of a slice that fit into the room:
 *     struct piece piece = piece_begin(cmd, element_B, extent);
 *     while (piece_next(&piece)) … */
struct piece {
    const uint32_t *all;
    uint32_t most; /* rows of a piece */
    struct rows room;
    uint32_t at[3];     /* from the box's corner on */
    uint32_t extent[3]; /* of this piece */
};

static struct piece piece_begin(const struct radeon_cmd_buffer *cmd, uint32_t element_B, const uint32_t extent[3])
{
    uint32_t row = (uint32_t)align_u64(extent[0], 4);
    return (struct piece){.all = extent, .most = ROOM_B / (row * element_B), .room = {cmd->dma_room_va, row, 0}};
}

static bool piece_next(struct piece *piece)
{
    piece->at[1] += piece->extent[1];
    if (piece->at[1] == piece->all[1]) {
        piece->at[1] = 0;
        piece->at[2]++;
    }
    piece->extent[0] = piece->all[0];
    piece->extent[1] = MIN2(piece->most, piece->all[1] - piece->at[1]);
    piece->extent[2] = 1;
    return piece->at[2] < piece->all[2];
}

static void place_of_piece(const struct piece *piece, const uint32_t first[3], uint32_t out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = first[i] + piece->at[i];
}

/* The piece's rows between the room, where they are aligned, and elsewhere. */
static void move_rows(struct radeon_cmd_buffer *cmd, const struct piece *piece, const struct rows *rows,
                      uint32_t element_B, bool to_room)
{
    for (uint32_t y = 0; y < piece->extent[1]; y++) {
        uint64_t room_va = piece->room.va + (uint64_t)y * piece->room.row * element_B;
        uint64_t va = rows->va + ((piece->at[1] + y) * rows->row + piece->at[2] * rows->slice) * element_B;
        radeon_dma_copy(cmd, to_room ? room_va : va, to_room ? va : room_va, (uint64_t)piece->extent[0] * element_B);
    }
    radeon_dma_wait(cmd);
}

static void copy_through_room(struct radeon_cmd_buffer *cmd, const struct place *place, const uint32_t first[3],
                              const uint32_t extent[3], const struct rows *rows, bool to_image)
{
    const uint32_t element_B = place->surface.desc.element_B;
    if (!take_room(cmd))
        return;
    struct piece piece = piece_begin(cmd, element_B, extent);
    while (piece_next(&piece)) {
        uint32_t at[3];
        place_of_piece(&piece, first, at);
        if (to_image)
            move_rows(cmd, &piece, rows, element_B, true);
        emit_box(cmd, place, at, piece.extent, &piece.room, to_image);
        radeon_dma_wait(cmd);
        if (!to_image)
            move_rows(cmd, &piece, rows, element_B, false);
    }
}

static void copy_boxes(struct radeon_cmd_buffer *cmd, const struct place *src, const uint32_t src_first[3],
                       const struct place *dst, const uint32_t dst_first[3], const uint32_t extent[3])
{
    if (!take_room(cmd))
        return;
    struct piece piece = piece_begin(cmd, src->surface.desc.element_B, extent);
    while (piece_next(&piece)) {
        uint32_t at[3];
        place_of_piece(&piece, src_first, at);
        emit_box(cmd, src, at, piece.extent, &piece.room, false);
        radeon_dma_wait(cmd);
        place_of_piece(&piece, dst_first, at);
        emit_box(cmd, dst, at, piece.extent, &piece.room, true);
        radeon_dma_wait(cmd);
    }
}

/* ---- elements ---- */

/* Where elements of one side are: of an image, or of rows where there is none. */
struct side {
    const struct place *place;
    const struct rows *rows;
    const uint32_t *first;
    uint32_t element_B;
};

static uint64_t element_va(const struct side *side, uint32_t x, uint32_t y, uint32_t z, uint32_t sample)
{
    if (!side->place)
        return side->rows->va + (x + y * side->rows->row + z * side->rows->slice) * side->element_B;
    return side->place->va + amd_tiling_offset(&side->place->surface, side->first[0] + x, side->first[1] + y,
                                               side->first[2] + z, sample, side->place->level);
}

static void copy_row(struct radeon_cmd_buffer *cmd, const struct side *src, const struct side *dst, uint32_t width,
                     uint32_t y, uint32_t z, uint32_t sample)
{
    uint64_t from = 0, to = 0, run_B = 0;
    for (uint32_t x = 0; x < width; x++) {
        uint64_t src_va = element_va(src, x, y, z, sample), dst_va = element_va(dst, x, y, z, sample);
        if (src_va != from + run_B || dst_va != to + run_B) {
            radeon_dma_copy(cmd, to, from, run_B);
            from = src_va;
            to = dst_va;
            run_B = 0;
        }
        run_B += src->element_B;
    }
    radeon_dma_copy(cmd, to, from, run_B);
}

static void copy_elements(struct radeon_cmd_buffer *cmd, const struct side *src, const struct side *dst,
                          const uint32_t extent[3], uint32_t samples)
{
    for (uint32_t z = 0; z < extent[2]; z++) {
        for (uint32_t y = 0; y < extent[1]; y++) {
            for (uint32_t sample = 0; sample < samples; sample++)
                copy_row(cmd, src, dst, extent[0], y, z, sample);
        }
    }
}

/* ---- copies ---- */

void radeon_dma_copy_memory(struct radeon_cmd_buffer *cmd, const struct vk_meta_memory_copy *copy)
{
    const uint32_t element_B = copy->image.element_B;
    const struct rows rows = {copy->va, copy->row, copy->slice};
    struct place place;
    radeon_emit_due(cmd);
    if (!place_init(cmd, &place, &copy->image))
        return;
    if (place.is_boxed && are_aligned(&rows, element_B, copy->extent)) {
        emit_box(cmd, &place, copy->image.first, copy->extent, &rows, copy->to_image);
    } else if (place.is_boxed) {
        copy_through_room(cmd, &place, copy->image.first, copy->extent, &rows, copy->to_image);
    } else {
        const struct side image = {&place, NULL, copy->image.first, element_B}, memory = {NULL, &rows, NULL, element_B};
        copy_elements(cmd, copy->to_image ? &memory : &image, copy->to_image ? &image : &memory, copy->extent, 1);
    }
}

/* A linear image is rows. */
static struct rows rows_of(const struct place *place, const uint32_t first[3])
{
    const uint32_t element_B = place->surface.desc.element_B;
    const struct side side = {place, NULL, first, element_B};
    const uint64_t va = element_va(&side, 0, 0, 0, 0);
    return (struct rows){va, (element_va(&side, 0, 1, 0, 0) - va) / element_B,
                         (element_va(&side, 0, 0, 1, 0) - va) / element_B};
}

void radeon_dma_copy_image(struct radeon_cmd_buffer *cmd, const struct vk_meta_image_copy *copy)
{
    const uint32_t *src_first = copy->src.first, *dst_first = copy->dst.first;
    const uint32_t element_B = copy->src.element_B;
    struct place src, dst;
    radeon_emit_due(cmd);
    if (!place_init(cmd, &src, &copy->src) || !place_init(cmd, &dst, &copy->dst))
        return;
    if (src.is_boxed && dst.is_boxed) {
        copy_boxes(cmd, &src, src_first, &dst, dst_first, copy->extent);
        return;
    }
    const bool to_tiles = src.is_linear && dst.is_boxed, to_rows = src.is_boxed && dst.is_linear;
    if (to_tiles || to_rows) {
        const struct rows rows = rows_of(to_tiles ? &src : &dst, to_tiles ? src_first : dst_first);
        const struct place *tiled = to_tiles ? &dst : &src;
        const uint32_t *first = to_tiles ? dst_first : src_first;
        if (are_aligned(&rows, element_B, copy->extent))
            emit_box(cmd, tiled, first, copy->extent, &rows, to_tiles);
        else
            copy_through_room(cmd, tiled, first, copy->extent, &rows, to_tiles);
        return;
    }
    const struct side from = {&src, NULL, src_first, element_B}, to = {&dst, NULL, dst_first, element_B};
    copy_elements(cmd, &from, &to, copy->extent, src.samples);
}
