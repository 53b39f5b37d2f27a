/* The shape of a surface: blocks, pitch, mip chain with its tail, slices, size. Addresses within a block are in
 * equation.c, copies in copy.c. */
#include "amd/hw/tiling/tiling.h"
#include <string.h>

#define LINEAR_ALIGN_B 256u
#define MICRO_LOG2 8
#define BANK_BITS 4
#define COLUMN_BITS 2

static bool extent_ok(uint32_t value, uint32_t limit)
{
    return value >= 1 && value <= limit;
}

static const char *linear_problem(const struct amd_surface_desc *desc)
{
    if (desc->samples > 1)
        return "a linear surface has one sample";
    if (!desc->pitch)
        return NULL;
    if (desc->levels > 1 || desc->element_B == 12)
        return "only a linear surface of one level and a power-of-two element takes a pitch";
    if (desc->pitch > 4 * AMD_SURFACE_MAX_EXTENT || desc->pitch * desc->element_B % LINEAR_ALIGN_B ||
        desc->pitch < div_round_up(desc->width, MAX2(desc->block_w, 1)))
        return "the pitch is narrower than the surface or no multiple of 256 bytes";
    return NULL;
}

static const char *tiled_problem(const struct amd_surface_desc *desc, const struct amd_swizzle_info *info)
{
    bool compressed = desc->block_w > 1 || desc->block_h > 1;
    if (desc->element_B == 12)
        return "12-byte elements are linear";
    if (desc->pitch)
        return "only linear surfaces take a pitch";
    if (desc->samples > 1 && (info->type == 'S' || info->type == 'D'))
        return "S and D modes have one sample";
    if (desc->samples > 1 && (desc->dim != AMD_DIM_2D || desc->levels > 1))
        return "surfaces of several samples are 2D and have one level";
    if (info->type == 'Z' && (compressed || desc->element_B > (desc->samples > 1 ? 4 : 8)))
        return "Z modes hold elements of up to 8 bytes, 4 with several samples, and no compressed ones";
    return NULL;
}

const char *amd_surface_problem(const struct amd_surface_desc *desc)
{
    const struct amd_swizzle_info *info = amd_swizzle_info(desc->swizzle);
    if (!info)
        return "reserved swizzle mode";
    if (desc->dim > AMD_DIM_3D || !(info->dim_mask >> desc->dim & 1))
        return "the swizzle mode does not exist for this dimension";
    if (!extent_ok(desc->width, AMD_SURFACE_MAX_EXTENT) || !extent_ok(desc->height, AMD_SURFACE_MAX_EXTENT) ||
        !extent_ok(desc->slices, AMD_SURFACE_MAX_SLICES) || !extent_ok(desc->levels, AMD_SURFACE_MAX_LEVELS))
        return "extent or number of levels out of range";
    if (desc->dim == AMD_DIM_1D && desc->height != 1)
        return "a 1D surface has a height of 1";
    if (!is_power_of_two(desc->samples) || desc->samples > 8)
        return "1, 2, 4 or 8 samples";
    if (desc->element_B != 12 && (!is_power_of_two(desc->element_B) || desc->element_B > 16))
        return "elements have 1, 2, 4, 8, 12 or 16 bytes";
    return info->type == 'L' ? linear_problem(desc) : tiled_problem(desc, info);
}

static uint32_t level_extent(uint32_t extent, unsigned level)
{
    return MAX2((extent + (1u << level) - 1) >> level, 1u);
}

static void linear_layout(struct amd_surface *surface)
{
    const struct amd_surface_desc *desc = &surface->desc;
    /* 12-byte elements are laid out as three of 4 bytes. */
    uint32_t units = desc->element_B == 12 ? 3 : 1;
    uint32_t unit_B = desc->element_B / units;
    uint32_t pitch_align = LINEAR_ALIGN_B / unit_B;
    uint64_t offset_B = 0;
    for (int i = desc->levels - 1; i >= 0; i--) {
        struct amd_surface_level *level = &surface->level[i];
        uint64_t pitch = align_u64(level_extent(surface->width * units, i), pitch_align);
        level->pitch = desc->pitch ? desc->pitch : (uint32_t)pitch;
        level->height = level_extent(surface->height, i);
        level->offset_B = offset_B;
        level->row_B = (uint64_t)level->pitch * unit_B;
        offset_B += level->row_B * level->height;
    }
    surface->block_log2 = 8;
    surface->align_B = LINEAR_ALIGN_B;
    surface->col_B = desc->element_B;
    surface->pitch = surface->level[0].pitch;
    surface->aligned_height = surface->level[0].height;
    surface->aligned_slices = desc->slices;
    surface->slice_B = surface->layer_B = offset_B;
    surface->size_B = offset_B * desc->slices;
}

/* Thin blocks are square or twice as wide as high; with 2 and 8 samples in blocks of an even power, twice as high as
 * wide. */
static void thin_block(struct amd_surface *surface)
{
    unsigned count = surface->block_log2 - surface->element_log2 - surface->samples_log2;
    bool wide = surface->samples_log2 % 2 == 0 || surface->block_log2 % 2 == 1;
    surface->block_w_log2 = (count + wide) / 2;
    surface->block_h_log2 = count - surface->block_w_log2;
}

/* Thick blocks grow from the shape of 1 KiB: depth first, then height, then width. */
static void thick_block(struct amd_surface *surface)
{
    static const uint8_t shape_1k[5][3] = {{4, 3, 3}, {3, 3, 3}, {3, 3, 2}, {3, 2, 2}, {2, 2, 2}};
    const uint8_t *shape = shape_1k[surface->element_log2];
    unsigned more = surface->block_log2 - 10;
    surface->block_w_log2 = shape[0] + more / 3;
    surface->block_h_log2 = shape[1] + more / 3 + (more % 3 == 2);
    surface->block_d_log2 = shape[2] + more / 3 + (more % 3 != 0);
}

/* The 256-byte block of one sample, in elements. */
static void micro_shape(const struct amd_surface *surface, unsigned shape[3])
{
    unsigned bits = MICRO_LOG2 - surface->element_log2;
    if (surface->thick) {
        shape[2] = (bits + 2) / 3;
        shape[0] = (bits + 1) / 3;
        shape[1] = bits / 3;
    } else {
        shape[0] = (bits + 1) / 2;
        shape[1] = bits / 2;
        shape[2] = 0;
    }
}

struct tail {
    unsigned max_levels;
    uint32_t width, height;             /* of its first level, at most */
    uint32_t limit_width, limit_height; /* the same, for the decision */
};

static struct tail tail_shape(const struct amd_surface *surface)
{
    unsigned block_log2 = surface->block_log2;
    unsigned effective = surface->thick ? block_log2 - (block_log2 - MICRO_LOG2) / 3 : block_log2;
    struct tail tail = {
        .max_levels = effective <= 11 ? 1 + (1u << (effective - 9)) : effective - 4,
        .width = 1u << surface->block_w_log2,
        .height = 1u << surface->block_h_log2,
    };
    /* Half a block: the other half is for all the smaller levels. */
    if (!surface->thick || block_log2 % 3 == 1)
        tail.width /= 2;
    else if (block_log2 % 3 == 0)
        tail.height /= 2;
    tail.limit_width = tail.width;
    tail.limit_height = tail.height;
    /* HTILE has the shape of 4-byte depth: stencil and 16-bit depth must enter the tail at the same level. */
    if (amd_swizzle_info(surface->desc.swizzle)->type == 'Z' && surface->element_log2 < 2) {
        tail.limit_width /= 2;
        tail.limit_height /= surface->element_log2 == 0 ? 2 : 1;
    }
    return tail;
}

/* The address of a level in the tail, read as a Morton number of 256-byte blocks, gives its place in the block. */
static void tail_level(const struct amd_surface *surface, struct amd_surface_level *level, unsigned remaining)
{
    level->tail_offset_B = remaining > 6 ? 16u << remaining : remaining << 8;
    uint32_t x = 0, y = 0;
    for (unsigned i = 0; i < 6; i++) {
        y |= (level->tail_offset_B >> (8 + 2 * i) & 1) << i;
        x |= (level->tail_offset_B >> (9 + 2 * i) & 1) << i;
    }
    if (surface->block_log2 % 2) {
        uint32_t swapped = x;
        x = y;
        y = swapped;
        if (surface->element_log2 % 2) {
            y = y << 1 | (x & 1);
            x >>= 1;
        }
    }
    unsigned shape[3];
    micro_shape(surface, shape);
    level->tail_x = x << shape[0];
    level->tail_y = y << shape[1];
}

static void place_tail(struct amd_surface *surface, const struct tail *tail, unsigned first)
{
    unsigned shape[3];
    micro_shape(surface, shape);
    uint32_t width = tail->width, height = tail->height;
    for (unsigned i = first; i < surface->desc.levels; i++) {
        struct amd_surface_level *level = &surface->level[i];
        tail_level(surface, level, tail->max_levels - 1 - (i - first));
        level->pitch = width;
        level->height = height;
        width = MAX2(width / 2, 1u << shape[0]);
        height = MAX2(height / 2, 1u << shape[1]);
    }
}

/* Levels stand in a slice from the smallest to the largest, the tail in front of them. */
static void tiled_levels(struct amd_surface *surface)
{
    const struct amd_surface_desc *desc = &surface->desc;
    bool has_tail = surface->block_log2 > MICRO_LOG2 && desc->levels > 1;
    struct tail tail = has_tail ? tail_shape(surface) : (struct tail){0};
    unsigned first = 0;
    for (; first < desc->levels; first++) {
        struct amd_surface_level *level = &surface->level[first];
        uint32_t width = level_extent(surface->width, first), height = level_extent(surface->height, first);
        if (has_tail && width <= tail.limit_width && height <= tail.limit_height &&
            (unsigned)(desc->levels - first) <= tail.max_levels)
            break;
        level->pitch = align_u64(width, 1u << surface->block_w_log2);
        level->height = align_u64(height, 1u << surface->block_h_log2);
        level->row_B = (uint64_t)(level->pitch >> surface->block_w_log2) << surface->block_log2;
    }
    surface->first_tail_level = first;
    if (first < desc->levels)
        place_tail(surface, &tail, first);
    uint64_t offset_B = first < desc->levels ? 1ull << surface->block_log2 : 0;
    for (unsigned i = first; i-- > 0;) {
        struct amd_surface_level *level = &surface->level[i];
        level->offset_B = offset_B;
        offset_B += (level->height >> surface->block_h_log2) * level->row_B;
    }
    surface->layer_B = offset_B;
}

/* The pipe/bank bits that an address can take, counted from bit 8. */
static uint32_t pipe_bank_mask(const struct amd_tiling_config *config, unsigned block_log2)
{
    int bank_bits = (int)block_log2 - MICRO_LOG2 - config->pipes_log2 - COLUMN_BITS;
    bank_bits = bank_bits < 0 ? 0 : MIN2(bank_bits, BANK_BITS);
    uint32_t mask =
        (uint32_t)(bits_mask(config->pipes_log2) | bits_mask(bank_bits) << (config->pipes_log2 + COLUMN_BITS));
    return mask & (uint32_t)bits_mask(block_log2 - MICRO_LOG2);
}

static void tiled_layout(struct amd_surface *surface, const struct amd_swizzle_info *info)
{
    const struct amd_surface_desc *desc = &surface->desc;
    surface->block_log2 = surface->equation.bit_count;
    surface->thick = desc->dim == AMD_DIM_3D && (info->type == 'S' || info->type == 'D');
    if (surface->thick)
        thick_block(surface);
    else
        thin_block(surface);
    surface->col_B = surface->align_B = 1u << surface->block_log2;
    surface->pitch = align_u64(surface->width, 1u << surface->block_w_log2);
    surface->aligned_height = align_u64(surface->height, 1u << surface->block_h_log2);
    surface->aligned_slices = align_u64(desc->slices, 1u << surface->block_d_log2);
    tiled_levels(surface);
    surface->slice_B = surface->layer_B >> surface->block_d_log2;
    surface->size_B = surface->slice_B * surface->aligned_slices;
    if (info->xor_kind != AMD_SWIZZLE_XOR_NONE)
        surface->xor_B = (desc->pipe_bank_xor & pipe_bank_mask(&surface->config, surface->block_log2)) << MICRO_LOG2;
}

bool amd_surface_init(struct amd_surface *surface, const struct amd_tiling_config *config,
                      const struct amd_surface_desc *desc)
{
    memset(surface, 0, sizeof(*surface));
    if (amd_surface_problem(desc))
        return false;
    const struct amd_swizzle_info *info = amd_swizzle_info(desc->swizzle);
    surface->desc = *desc;
    surface->config = *config;
    surface->width = div_round_up(desc->width, MAX2(desc->block_w, 1));
    surface->height = div_round_up(desc->height, MAX2(desc->block_h, 1));
    surface->element_log2 = desc->element_B == 12 ? 2 : log2_floor(desc->element_B);
    surface->samples_log2 = log2_floor(desc->samples);
    surface->first_tail_level = desc->levels;
    if (info->type == 'L') {
        linear_layout(surface);
        return true;
    }
    if (!amd_equation_init(&surface->equation, config, desc->swizzle, desc->dim, surface->element_log2,
                           surface->samples_log2))
        return false;
    amd_equation_lut_init(&surface->lut, &surface->equation);
    tiled_layout(surface, info);
    return true;
}

static uint32_t reverse_bits(uint32_t value, unsigned count)
{
    uint32_t reversed = 0;
    for (unsigned i = 0; i < count; i++)
        reversed |= (value >> i & 1) << (count - 1 - i);
    return reversed;
}

uint32_t amd_tiling_pipe_bank_xor(const struct amd_tiling_config *config, enum amd_swizzle swizzle,
                                  unsigned surface_index)
{
    const struct amd_swizzle_info *info = amd_swizzle_info(swizzle);
    if (!info || info->xor_kind != AMD_SWIZZLE_XOR_FULL)
        return 0;
    unsigned block_log2 = info->block_log2 == AMD_SWIZZLE_BLOCK_VAR ? 14 + config->pipes_log2 : info->block_log2;
    unsigned shift = config->pipes_log2 + COLUMN_BITS;
    unsigned bank_bits = log2_ceil((pipe_bank_mask(config, block_log2) >> shift) + 1);
    /* Eight surfaces in turn; successive ones differ in the highest bank bit. */
    unsigned turn = surface_index % 8;
    uint32_t bank = bank_bits >= 3   ? reverse_bits(turn, 3) << (bank_bits - 3)
                    : bank_bits == 2 ? reverse_bits(turn % 4, 2) ^ (turn & 4 ? 2 : 0)
                    : bank_bits == 1 ? turn & 1
                                     : 0;
    return bank << shift;
}

uint32_t amd_tiling_slice_xor(const struct amd_surface *surface, unsigned slice)
{
    const struct amd_swizzle_info *info = amd_swizzle_info(surface->desc.swizzle);
    if (!info || info->xor_kind != AMD_SWIZZLE_XOR_FULL || surface->thick)
        return 0;
    return surface->desc.pipe_bank_xor ^ amd_equation_lut_axis(surface->lut.z, slice) >> MICRO_LOG2;
}
