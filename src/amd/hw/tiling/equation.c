/* Address equations: the rules for S and D modes, and R, Z and thick D modes put together from swizzle.table. The
 * shape of blocks and surfaces is in surface.c. */
#include "amd/hw/tiling/swizzle_data.h"
#include "amd/hw/tiling/tiling.h"
#include <string.h>

#define PIPE_INTERLEAVE_LOG2 8
#define MAX_ORDER 32

const struct amd_swizzle_info *amd_swizzle_info(unsigned swizzle)
{
    return swizzle < AMD_SW_COUNT && amd_swizzle_infos[swizzle].name ? &amd_swizzle_infos[swizzle] : NULL;
}

bool amd_tiling_config_init(struct amd_tiling_config *config, uint32_t gb_addr_config)
{
    unsigned pipes_log2 = bits_get(gb_addr_config, 0, 3);
    unsigned interleave = bits_get(gb_addr_config, 3, 3);
    unsigned packers_log2 = bits_get(gb_addr_config, 8, 3);
    /* With a single packer the equations are those of two. */
    unsigned pairs = MAX2(packers_log2, 1);
    if (interleave != 0)
        return false;
    for (unsigned i = 0; i < amd_swizzle_topology_count; i++) {
        const struct amd_swizzle_topology *topology = &amd_swizzle_topologies[i];
        if (topology->pipes_log2 != pipes_log2 || topology->packers_log2 != pairs)
            continue;
        *config = (struct amd_tiling_config){
            .gb_addr_config = gb_addr_config,
            .pipes_log2 = pipes_log2,
            .packers_log2 = packers_log2,
            .max_compressed_frags_log2 = bits_get(gb_addr_config, 6, 2),
            .topology = i,
        };
        return true;
    }
    return false;
}

static struct amd_coord_bits coord_bit(unsigned axis, unsigned bit)
{
    uint16_t mask = 1u << bit;
    return (struct amd_coord_bits){axis == 0 ? mask : 0, axis == 1 ? mask : 0, axis == 2 ? mask : 0,
                                   axis == 3 ? mask : 0};
}

/* The coordinate bits of an S or D block from the element upwards, far beyond the block: after the 256 bytes of the
 * table the axes take turns, y before x (before z). */
static void standard_order(struct amd_coord_bits order[MAX_ORDER], enum amd_swizzle_micro micro, unsigned element_log2)
{
    bool thick = micro == AMD_SWIZZLE_MICRO_S3;
    static const uint8_t turns[3] = {1, 0, 2};
    unsigned next[3] = {0, 0, 0};
    unsigned count = element_log2;
    for (unsigned i = 0; i < 8 - element_log2; i++) {
        struct amd_coord_bits bits = amd_swizzle_micro[micro][element_log2][i];
        order[count++] = bits;
        next[0] += bits.x != 0;
        next[1] += bits.y != 0;
        next[2] += bits.z != 0;
    }
    for (unsigned turn = 0; count < MAX_ORDER; turn++) {
        unsigned axis = turns[turn % (thick ? 3 : 2)];
        order[count++] = coord_bit(axis, next[axis]++);
    }
}

/* S and D: a pipe bit takes the bit (thick: both bits) that lies as far above the last pipe bit as it lies below the
 * end: the order of the coordinate bits folded back onto itself. Thin blocks with full XOR also spread the slices, the
 * lowest slice bit on the highest pipe bit, over as many bits as there are packers. */
static void standard_equation(struct amd_equation *equation, const struct amd_tiling_config *config,
                              const struct amd_swizzle_info *info, bool thick, unsigned element_log2)
{
    struct amd_coord_bits order[MAX_ORDER];
    enum amd_swizzle_micro micro = thick               ? AMD_SWIZZLE_MICRO_S3
                                   : info->type == 'S' ? AMD_SWIZZLE_MICRO_S
                                                       : AMD_SWIZZLE_MICRO_D;
    standard_order(order, micro, element_log2);
    for (unsigned i = element_log2; i < info->block_log2; i++)
        equation->bit[i] = order[i];
    if (info->xor_kind == AMD_SWIZZLE_XOR_NONE)
        return;

    unsigned folds = thick ? 2 : 1;
    unsigned pipe_bits = MIN2(config->pipes_log2, info->block_log2 - PIPE_INTERLEAVE_LOG2);
    int packers = MAX2(config->packers_log2, 1);
    for (unsigned i = 0; i < pipe_bits; i++) {
        struct amd_coord_bits *bit = &equation->bit[PIPE_INTERLEAVE_LOG2 + i];
        for (unsigned fold = 0; fold < folds; fold++) {
            unsigned partner = PIPE_INTERLEAVE_LOG2 + (folds + 1) * pipe_bits - 1 - folds * i - fold;
            if (info->xor_kind == AMD_SWIZZLE_XOR_FULL || partner < info->block_log2)
                *bit = amd_coord_xor(*bit, order[partner]);
        }
        int slice_bit = MIN2(packers, (int)pipe_bits) - 1 - ((int)i - (config->pipes_log2 - packers));
        bool spread = (int)i >= config->pipes_log2 - packers && slice_bit >= 0;
        if (!thick && info->xor_kind == AMD_SWIZZLE_XOR_FULL && spread)
            bit->z |= 1u << slice_bit;
    }
}

static unsigned row_class(const struct amd_swizzle_info *info, bool thick, bool large)
{
    if (thick)
        return AMD_SWIZZLE_ROW_THICK_D;
    if (info->type == 'R')
        return large ? AMD_SWIZZLE_ROW_VAR_R : AMD_SWIZZLE_ROW_R;
    return large ? AMD_SWIZZLE_ROW_VAR_Z : AMD_SWIZZLE_ROW_Z;
}

/* The first 256 bytes of R, Z and thick D. */
static void table_micro(struct amd_equation *equation, char type, bool thick, unsigned element_log2,
                        unsigned samples_log2)
{
    unsigned at = element_log2;
    if (type == 'Z') {
        for (unsigned i = 0; i < samples_log2; i++)
            equation->bit[at++] = coord_bit(3, i);
        for (unsigned i = 0; at < 8; i++)
            equation->bit[at++] = coord_bit(i % 2, i / 2);
        return;
    }
    enum amd_swizzle_micro micro = thick              ? AMD_SWIZZLE_MICRO_D3
                                   : element_log2 < 2 ? AMD_SWIZZLE_MICRO_S
                                                      : AMD_SWIZZLE_MICRO_D;
    memcpy(&equation->bit[at], amd_swizzle_micro[micro][element_log2], (8 - element_log2) * sizeof(equation->bit[0]));
}

static bool table_equation(struct amd_equation *equation, const struct amd_tiling_config *config,
                           const struct amd_swizzle_info *info, bool thick, unsigned element_log2,
                           unsigned samples_log2)
{
    const struct amd_swizzle_topology *topology = &amd_swizzle_topologies[config->topology];
    unsigned class = row_class(info, thick, equation->bit_count > 16) + samples_log2;
    unsigned number = class < AMD_SWIZZLE_ROW_COUNT ? topology->row[class][element_log2] : 0;
    if (!number)
        return false;
    const struct amd_swizzle_row *row = &amd_swizzle_rows[number];
    table_micro(equation, info->type, thick, element_log2, samples_log2);
    unsigned at = PIPE_INTERLEAVE_LOG2;
    for (unsigned i = 0; i < topology->pipes_log2; i++)
        equation->bit[at++] = amd_coord_xor(topology->pipe[i], row->added[i]);
    for (unsigned i = 0; i < row->tail_count; i++)
        equation->bit[at++] = row->tail[i];
    for (unsigned i = topology->pipes_log2; i < topology->pipe_count; i++)
        equation->bit[at++] = amd_coord_xor(topology->pipe[i], row->added[i]);
    return at == equation->bit_count;
}

bool amd_equation_init(struct amd_equation *equation, const struct amd_tiling_config *config, enum amd_swizzle swizzle,
                       enum amd_dim dim, unsigned element_log2, unsigned samples_log2)
{
    const struct amd_swizzle_info *info = amd_swizzle_info(swizzle);
    memset(equation, 0, sizeof(*equation));
    if (!info || info->type == 'L' || !(info->dim_mask >> dim & 1) || element_log2 > 4 || samples_log2 > 3)
        return false;
    bool standard = info->type == 'S' || info->type == 'D';
    bool thick = dim == AMD_DIM_3D && standard;
    equation->bit_count = info->block_log2 == AMD_SWIZZLE_BLOCK_VAR ? 14 + config->pipes_log2 : info->block_log2;
    if (!standard || (thick && info->type == 'D'))
        return (dim == AMD_DIM_2D || !samples_log2) &&
               table_equation(equation, config, info, thick, element_log2, samples_log2);
    if (samples_log2)
        return false;
    standard_equation(equation, config, info, thick, element_log2);
    return true;
}

static void lut_axis(uint32_t axis[3][16], const uint32_t contribution[12])
{
    for (unsigned piece = 0; piece < 3; piece++) {
        axis[piece][0] = 0;
        for (unsigned value = 1; value < 16; value++)
            axis[piece][value] =
                axis[piece][value & (value - 1)] ^ contribution[piece * 4 + (unsigned)__builtin_ctz(value)];
    }
}

void amd_equation_lut_init(struct amd_equation_lut *lut, const struct amd_equation *equation)
{
    uint32_t contribution[4][12] = {{0}};
    for (unsigned i = 0; i < equation->bit_count; i++) {
        const struct amd_coord_bits *bits = &equation->bit[i];
        for (unsigned bit = 0; bit < 12; bit++) {
            contribution[0][bit] |= (bits->x >> bit & 1u) << i;
            contribution[1][bit] |= (bits->y >> bit & 1u) << i;
            contribution[2][bit] |= (bits->z >> bit & 1u) << i;
            contribution[3][bit] |= (bits->s >> bit & 1u) << i;
        }
    }
    lut_axis(lut->x, contribution[0]);
    lut_axis(lut->y, contribution[1]);
    lut_axis(lut->z, contribution[2]);
    lut->s[0] = 0;
    for (unsigned value = 1; value < 8; value++)
        lut->s[value] = lut->s[value & (value - 1)] ^ contribution[3][__builtin_ctz(value)];
}

unsigned amd_fmask_element_B(unsigned samples, unsigned fragments)
{
    samples = MAX2(samples, 1);
    fragments = fragments ? fragments : samples;
    unsigned bits = log2_floor(fragments) + (samples > fragments);
    /* Three bits are stored as four. */
    bits = bits == 3 ? 4 : bits;
    return MAX2(8, bits * samples) / 8;
}
