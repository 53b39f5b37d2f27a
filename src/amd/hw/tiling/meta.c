/* Sizes and equations of HTILE, CMASK and DCC. */
#include "amd/hw/tiling/meta.h"
#include "amd/hw/tiling/swizzle_data.h"
#include <string.h>

#define INTERLEAVE_LOG2 8
#define DCC_CACHE_LINE_LOG2 6

/* log2 of an element of metadata, in units of 4 bits. */
static const uint8_t element_nibbles_log2[] = {[AMD_META_HTILE] = 3, [AMD_META_CMASK] = 0, [AMD_META_DCC] = 1};

static char data_type(const struct amd_surface *data)
{
    return amd_swizzle_info(data->desc.swizzle)->type;
}

/* The pipes that can work on one block of metadata without sharing cache lines: those of one packer pair. */
static int shared_pipes_log2(const struct amd_tiling_config *config)
{
    return MIN2(config->pipes_log2, MAX2(config->packers_log2, 1));
}

/* How far the pipe bits are rotated against the render backends. */
static int pipe_rotation(const struct amd_surface *data)
{
    const struct amd_tiling_config *config = &data->config;
    int pairs_log2 = MAX2(config->packers_log2, 1);
    bool rb_aligned =
        data->thick ? data_type(data) == 'D' : data->desc.dim == AMD_DIM_2D && strchr("RZ", data_type(data));
    if (config->pipes_log2 < 2 || config->pipes_log2 < pairs_log2)
        return 0;
    return config->pipes_log2 == pairs_log2 && rb_aligned ? 1 : config->pipes_log2 - pairs_log2;
}

/* One more than the pipes where a render backend has two of the metadata's pipes. */
static int meta_pipes_log2(const struct amd_tiling_config *config)
{
    return config->pipes_log2 + (config->pipes_log2 == MAX2(config->packers_log2, 1) && config->pipes_log2 > 1);
}

/* At least 256 bytes for each pipe. That the cache lines of a block overlap between pipes, which could ask for more,
 * takes more packers than swizzle.table knows. */
static int thin_block_log2(enum amd_meta_kind kind, const struct amd_surface *data)
{
    const struct amd_tiling_config *config = &data->config;
    int pipes_log2 = meta_pipes_log2(config);
    int rotation = pipe_rotation(data);
    int size_log2 = MAX2(INTERLEAVE_LOG2 + pipes_log2, 12);
    if (kind == AMD_META_HTILE)
        size_log2 = MAX2(size_log2, 11 + pipes_log2);
    int frags_log2 = kind == AMD_META_DCC ? MIN2(config->max_compressed_frags_log2, data->samples_log2) : 0;
    if (data_type(data) == 'R' && frags_log2 > 1 && rotation >= 1)
        size_log2 = MAX2(size_log2, INTERLEAVE_LOG2 + config->pipes_log2 + MAX2(rotation, frags_log2 - 1));
    return size_log2;
}

static int thick_block_log2(const struct amd_surface *data)
{
    const struct amd_tiling_config *config = &data->config;
    bool display = data_type(data) == 'D';
    int pipes_log2 = display ? meta_pipes_log2(config) : config->pipes_log2;
    int overlap = shared_pipes_log2(config) - (9 - data->element_log2) / 3 + 1;
    overlap = display ? MAX2(overlap, 0) : 0;
    int size_log2 = MAX2(DCC_CACHE_LINE_LOG2 + overlap, INTERLEAVE_LOG2) + pipes_log2;
    return MAX2(size_log2, 12);
}

static int meta_block_log2(enum amd_meta_kind kind, const struct amd_surface *data, bool pipe_aligned)
{
    if (data->thick)
        return pipe_aligned ? thick_block_log2(data) : 12;
    bool plain = data_type(data) == 'S' || data_type(data) == 'D';
    if (!pipe_aligned)
        return MIN2(data->block_log2, 12);
    if (plain)
        return MIN2(MAX2(INTERLEAVE_LOG2 + data->config.pipes_log2, 12), data->block_log2);
    return thin_block_log2(kind, data);
}

/* log2 of the samples that DCC describes one by one: the hardware compresses only so many fragments. */
static unsigned meta_samples_log2(const struct amd_meta *meta, const struct amd_surface *data)
{
    return meta->kind == AMD_META_DCC ? MIN2(data->samples_log2, data->config.max_compressed_frags_log2) : 0;
}

static void meta_block_shape(struct amd_meta *meta, const struct amd_surface *data)
{
    /* The bytes of data that an element describes, and so the pixels of a block. */
    int described_log2 = meta->kind == AMD_META_DCC ? 8 - data->element_log2 - meta_samples_log2(meta, data) : 6;
    int bits = meta->block_log2 + 1 - element_nibbles_log2[meta->kind] + described_log2;
    if (data->thick) {
        meta->block_w_log2 = (bits + 2) / 3;
        meta->block_h_log2 = (bits + 1) / 3;
        meta->block_d_log2 = bits / 3;
    } else {
        meta->block_w_log2 = (bits + 1) / 2;
        meta->block_h_log2 = bits / 2;
    }
}

static void compressed_shape(struct amd_meta *meta, const struct amd_surface *data)
{
    unsigned bits = 8 - data->element_log2;
    meta->compressed_w_log2 = meta->compressed_h_log2 = 3;
    if (meta->kind == AMD_META_DCC && data->thick) {
        meta->compressed_d_log2 = (bits + 2) / 3;
        meta->compressed_w_log2 = (bits + 1) / 3;
        meta->compressed_h_log2 = bits / 3;
    } else if (meta->kind == AMD_META_DCC) {
        meta->compressed_w_log2 = (bits + 1) / 2;
        meta->compressed_h_log2 = bits / 2;
    }
}

static uint32_t place_level(struct amd_meta *meta, const struct amd_surface *data, unsigned index, uint32_t offset_B)
{
    struct amd_meta_level *level = &meta->level[index];
    uint32_t width = (data->width + (1u << index) - 1) >> index, height = (data->height + (1u << index) - 1) >> index;
    level->pitch_blocks = (width + (1u << meta->block_w_log2) - 1) >> meta->block_w_log2;
    level->offset_B = offset_B;
    level->size_B = level->pitch_blocks * ((height + (1u << meta->block_h_log2) - 1) >> meta->block_h_log2)
                    << meta->block_log2;
    return offset_B + level->size_B;
}

static void meta_layout(struct amd_meta *meta, const struct amd_surface *data)
{
    unsigned levels = data->desc.levels, first = data->first_tail_level;
    uint32_t offset_B = 0;
    if (first < levels) {
        offset_B = meta->level[first].size_B = 1u << meta->block_log2;
        for (unsigned i = first; i < levels; i++) {
            meta->level[i].tail_x = data->level[i].tail_x;
            meta->level[i].tail_y = data->level[i].tail_y;
        }
    }
    for (unsigned i = first; i-- > 0;)
        offset_B = place_level(meta, data, i, offset_B);
    meta->pitch = align_u64(data->width, 1u << meta->block_w_log2);
    meta->height = align_u64(data->height, 1u << meta->block_h_log2);
    meta->depth = align_u64(data->desc.slices, 1u << meta->block_d_log2);
    meta->slice_B = offset_B;
    meta->blocks_per_slice = offset_B >> meta->block_log2;
    meta->size_B = (uint64_t)offset_B * (meta->depth >> meta->block_d_log2);
    meta->align_B = 1u << meta->block_log2;
}

static const struct amd_swizzle_meta_row *meta_row(const struct amd_meta *meta, const struct amd_surface *data)
{
    const struct amd_swizzle_topology *topology = &amd_swizzle_topologies[data->config.topology];
    switch (meta->kind) {
    case AMD_META_HTILE:
        return &topology->meta[AMD_SWIZZLE_META_HTILE];
    case AMD_META_CMASK:
        return &topology->meta[data->element_log2 == 3 ? AMD_SWIZZLE_META_CMASK_8B : AMD_SWIZZLE_META_CMASK];
    default:
        return &topology->meta[data->element_log2 == 4 ? AMD_SWIZZLE_META_DCC_16B : AMD_SWIZZLE_META_DCC];
    }
}

/* The pixel bits in the order in which metadata takes them: upwards from what one element describes, x before y,
 * without those that each pipe bit already carries as its own. */
struct order {
    unsigned count, next;
    struct amd_coord_bits bit[24];
};

static struct amd_coord_bits anchors(const struct amd_swizzle_topology *topology)
{
    struct amd_coord_bits all = {0};
    for (unsigned i = 0; i < topology->pipe_count; i++) {
        /* Pipe bits 0, 2, 4 own a y, 1 and 3 an x, both counted from 4 upwards. */
        if (i % 2)
            all.x |= 1u << (4 + i / 2);
        else
            all.y |= 1u << (4 + i / 2);
    }
    return all;
}

static struct order coordinate_order(const struct amd_meta *meta, const struct amd_swizzle_meta_row *row,
                                     struct amd_coord_bits skip)
{
    struct order order = {0};
    struct amd_coord_bits listed = skip;
    for (unsigned i = 0; i < row->order_count; i++) {
        /* Several samples make the block smaller than the order that the table gives. */
        if (row->order[i].x >> meta->block_w_log2 || row->order[i].y >> meta->block_h_log2)
            continue;
        order.bit[order.count++] = row->order[i];
        listed = (struct amd_coord_bits){listed.x | row->order[i].x, listed.y | row->order[i].y};
    }
    for (unsigned i = 0; i < 12; i++) {
        uint16_t mask = 1u << i;
        if (i >= meta->compressed_w_log2 && i < meta->block_w_log2 && !(listed.x & mask))
            order.bit[order.count++] = (struct amd_coord_bits){.x = mask};
        if (i >= meta->compressed_h_log2 && i < meta->block_h_log2 && !(listed.y & mask))
            order.bit[order.count++] = (struct amd_coord_bits){.y = mask};
    }
    return order;
}

/* From the lowest bit: pixel bits up to the pipe interleave, the pipe bits, the one pipe bit more that some topologies
 * have (HTILE keeps that for the top), the other pixel bits, and the sample. */
static void meta_equation(struct amd_meta *meta, const struct amd_surface *data)
{
    const struct amd_swizzle_topology *topology = &amd_swizzle_topologies[data->config.topology];
    static const struct amd_swizzle_meta_row no_row;
    const struct amd_swizzle_meta_row *row = meta->pipe_aligned ? meta_row(meta, data) : &no_row;
    struct amd_coord_bits skip = meta->pipe_aligned ? anchors(topology) : (struct amd_coord_bits){0};
    struct order order = coordinate_order(meta, row, skip);
    struct amd_equation equation = {.bit_count = meta->block_log2 + 1};
    unsigned at = element_nibbles_log2[meta->kind];
    while (at < INTERLEAVE_LOG2 + 1 && order.next < order.count)
        equation.bit[at++] = order.bit[order.next++];
    unsigned pipes = meta->pipe_aligned ? topology->pipe_count : 0;
    unsigned low_pipes = meta->kind == AMD_META_HTILE ? MIN2(pipes, topology->pipes_log2) : pipes;
    for (unsigned i = 0; i < low_pipes; i++)
        equation.bit[at++] = amd_coord_xor(topology->pipe[i], row->added[i]);
    while (order.next < order.count && at < equation.bit_count)
        equation.bit[at++] = order.bit[order.next++];
    for (unsigned i = low_pipes; i < pipes; i++)
        equation.bit[at++] = amd_coord_xor(topology->pipe[i], row->added[i]);
    for (unsigned i = 0; at < equation.bit_count; i++)
        equation.bit[at++] = (struct amd_coord_bits){.s = 1u << i};
    amd_equation_lut_init(&meta->lut, &equation);
    meta->has_equation = true;
}

static bool meta_exists(enum amd_meta_kind kind, const struct amd_surface *data, bool pipe_aligned)
{
    if (kind == AMD_META_DCC)
        return data->block_log2 > 8 && data->equation.bit_count;
    if (kind == AMD_META_CMASK && data->desc.samples != 1)
        return false;
    return data_type(data) == 'Z' && data->desc.dim == AMD_DIM_2D && pipe_aligned;
}

bool amd_meta_init(struct amd_meta *meta, enum amd_meta_kind kind, const struct amd_surface *data, bool pipe_aligned)
{
    memset(meta, 0, sizeof(*meta));
    if (!meta_exists(kind, data, pipe_aligned))
        return false;
    meta->kind = kind;
    meta->pipe_aligned = pipe_aligned;
    meta->block_log2 = meta_block_log2(kind, data, pipe_aligned);
    compressed_shape(meta, data);
    meta_block_shape(meta, data);
    meta_layout(meta, data);
    if (data_type(data) == 'R' || data_type(data) == 'Z')
        meta_equation(meta, data);
    uint32_t pipe_xor = data->desc.pipe_bank_xor & (uint32_t)bits_mask(data->config.pipes_log2);
    meta->xor_B = (pipe_xor << INTERLEAVE_LOG2) & (uint32_t)bits_mask(meta->block_log2);
    return true;
}
