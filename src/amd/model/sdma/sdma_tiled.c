/* COPY_TILED_SUB_WINDOW: a box of elements between a linear image and a tiled one, with DCC. The model compresses
 * nothing: a read sees through what drivers write to clear an image, and a write first brings that to memory, block by
 * block, as the colour backend does. */
#include "amd/model/sdma/sdma.h"

#include <stdlib.h>
#include <string.h>

#include "amd/hw/tiling/meta.h"
#include "amd/model/cb/cb.h"
#include "amd/model/coherence.h"
#include "util/bits.h"

enum {
    DCC_CLEAR_0000 = 0x00,
    DCC_CLEAR_SINGLE = 0x10, /* the first element of the 256 bytes is the colour of all */
    DCC_CLEAR_0001 = 0x40,
    DCC_CLEAR_1110 = 0x80,
    DCC_CLEAR_1111 = 0xc0,
    DCC_EXPANDED = 0xff,
    DCC_BLOCK_B = 256,
    MAX_ELEMENT_B = 16,
};

/* One packet under way. */
struct transfer {
    struct cp_machine *m;
    struct amd_sdma_COPY_TILED_SUB_WINDOW p;
    uint32_t element_B;
    uint64_t tiled_va; /* without pipe and bank bits */
    struct amd_surface surface;
    struct amd_tiling_table table;
    uint64_t meta_va;
    struct amd_meta meta;

    /* The 256 bytes that were touched last. */
    uint64_t block_va;
    bool is_constant;
    uint8_t element[MAX_ELEMENT_B]; /* of every place in it, if constant */
};

static uint64_t canonical(uint64_t va)
{
    return (uint64_t)bits_sign_extend(va, 48);
}

/* ---- layouts ---- */

static bool init_surface(struct transfer *t)
{
    const struct amd_sdma_COPY_TILED_SUB_WINDOW *p = &t->p;
    const struct amd_swizzle_info *info = amd_swizzle_info(p->SW_MODE);
    struct amd_tiling_config config;
    if (!info || !amd_tiling_config_init(&config, t->m->device->chip->gb_addr_config))
        return amd_cp_broken(t->m, "swizzle mode %u does not exist", p->SW_MODE);
    if (p->ELEMENT_SIZE > 4 || p->MIP_ID > p->MIP_MAX)
        return amd_cp_broken(t->m, "elements of 2^%u bytes, level %u of %u", p->ELEMENT_SIZE, p->MIP_ID,
                             p->MIP_MAX + 1);
    struct amd_surface_desc desc = {
        .swizzle = (enum amd_swizzle)p->SW_MODE,
        .dim = p->DIMENSION == AMD_SDMA_DIMENSION_3D   ? AMD_DIM_3D
               : p->DIMENSION == AMD_SDMA_DIMENSION_1D ? AMD_DIM_1D
                                                       : AMD_DIM_2D,
        .width = p->WIDTH + 1,
        .height = p->HEIGHT + 1,
        .slices = p->DEPTH + 1,
        .element_B = (uint8_t)(1u << p->ELEMENT_SIZE),
        .samples = 1,
        .levels = (uint8_t)(p->MIP_MAX + 1),
    };
    t->tiled_va = canonical(p->TILED_ADDR);
    if (info->xor_kind != AMD_SWIZZLE_XOR_NONE) {
        unsigned block_log2 = info->block_log2 == AMD_SWIZZLE_BLOCK_VAR ? 14u + config.pipes_log2 : info->block_log2;
        desc.pipe_bank_xor = (uint32_t)(t->tiled_va & bits_mask(block_log2)) >> 8;
        t->tiled_va &= ~bits_mask(block_log2);
    }
    const char *problem = amd_surface_problem(&desc);
    if (problem || !amd_surface_init(&t->surface, &config, &desc))
        return amd_cp_broken(t->m, "a tiled image that cannot be: %s", problem ? problem : "its layout");
    amd_tiling_table_init(&t->table, &t->surface);
    t->element_B = desc.element_B;
    return true;
}

/* The box must be inside the level, padding included. */
static bool check_box(struct transfer *t)
{
    const struct amd_sdma_COPY_TILED_SUB_WINDOW *p = &t->p;
    const struct amd_surface_level *level = &t->surface.level[p->MIP_ID];
    if (p->TILED_X + p->RECT_X < level->pitch && p->TILED_Y + p->RECT_Y < level->height &&
        p->TILED_Z + p->RECT_Z <= p->DEPTH)
        return true;
    return amd_cp_broken(t->m, "a box that ends at %u, %u, %u of a level of %u by %u elements and %u slices",
                         p->TILED_X + p->RECT_X, p->TILED_Y + p->RECT_Y, p->TILED_Z + p->RECT_Z, level->pitch,
                         level->height, p->DEPTH + 1);
}

static bool init_meta(struct transfer *t)
{
    t->block_va = UINT64_MAX;
    if (!t->p.DCC)
        return true;
    if (!amd_meta_init(&t->meta, AMD_META_DCC, &t->surface, t->p.PIPE_ALIGNED) || !t->meta.has_equation)
        return amd_cp_stop(t->m, "DCC of a surface that cannot have it, or whose equation is not known");
    t->meta_va = canonical(t->p.META_ADDR) & ~(uint64_t)(t->meta.align_B - 1);
    return true;
}

/* ---- DCC ---- */

/* The element that a clear code means. Alpha is the highest channel or the lowest one; a format of a single channel has
 * nothing else, and one without alpha none. */
static bool clear_element(struct transfer *t, uint8_t code)
{
    uint8_t channel_of[4];
    enum format format = amd_cb_format(t->p.DATA_FORMAT, t->p.NUMBER_TYPE, AMD_COMP_SWAP_STD, channel_of);
    const struct format_info *info = format_info(format);
    const struct format_codec *codec = format_codec(format);
    if (format == FORMAT_UNDEFINED || !info || info->block_size_B != t->element_B)
        return amd_cp_stop(t->m, "DCC of colour format %u, number type %u, in elements of %u bytes", t->p.DATA_FORMAT,
                           t->p.NUMBER_TYPE, t->element_B);
    bool is_float = codec->store_float != NULL, is_uint = codec->store_uint != NULL;
    bool has_alpha = info->component_count == 2 || info->component_count == 4;
    unsigned alpha_channel = t->p.ALPHA_IS_ON_MSB ? info->component_count - 1u : 0;
    union cb_color color;
    void *to = t->element;
    for (unsigned c = 0; c < 4; c++) {
        bool one = has_alpha && channel_of[c] == alpha_channel ? code & 0x40 : code & 0x80;
        if (is_float)
            color.f[c] = one;
        else
            color.u[c] = !one ? 0 : is_uint ? UINT32_MAX : INT32_MAX; /* packing clamps */
    }
    if (is_float)
        codec->store_float(&to, (const float(*)[4])color.f, 1);
    else if (is_uint)
        codec->store_uint(&to, (const uint32_t(*)[4])color.u, 1);
    else
        codec->store_sint(&to, (const int32_t(*)[4])color.i, 1);
    return true;
}

/* Enter the 256 bytes at `block_va`, of which the element at x, y, z is one. */
static bool enter_block(struct transfer *t, uint64_t block_va, uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t code_va = t->meta_va + amd_meta_offset(&t->meta, x, y, z, 0, t->p.MIP_ID, NULL);
    uint8_t code;
    if (!amd_cp_read(t->m, code_va, &code, 1))
        return false;
    t->block_va = block_va;
    t->is_constant = code != DCC_EXPANDED;
    if (code == DCC_EXPANDED)
        return true;
    if (code == DCC_CLEAR_SINGLE) {
        if (!amd_cp_read(t->m, block_va, t->element, t->element_B))
            return false;
    } else if (code != DCC_CLEAR_0000 && code != DCC_CLEAR_0001 && code != DCC_CLEAR_1110 && code != DCC_CLEAR_1111) {
        return amd_cp_stop(t->m, "a DCC code 0x%02x, which is not implemented", code);
    } else if (!clear_element(t, code)) {
        return false;
    }
    if (t->p.DETILE)
        return true;
    /* It will be written: the rest of the block keeps what the code said. */
    uint8_t block[DCC_BLOCK_B];
    for (unsigned at_B = 0; at_B < DCC_BLOCK_B; at_B += t->element_B)
        memcpy(block + at_B, t->element, t->element_B);
    code = DCC_EXPANDED;
    t->is_constant = false;
    return amd_cp_write(t->m, block_va, block, sizeof(block)) && amd_cp_write(t->m, code_va, &code, 1);
}

/* ---- elements ---- */

static inline void copy_element(void *to, const void *from, uint32_t size_B)
{
    switch (size_B) {
    case 1:
        memcpy(to, from, 1);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, 16);
        break;
    }
}

/* Between the tiled image and a row of the linear one that the host has. */
static bool move_row(struct transfer *t, uint8_t *row, uint32_t y, uint32_t z)
{
    bool detile = t->p.DETILE;
    const struct amd_tiling_row tiled = amd_tiling_row(&t->table, y, z, 0, t->p.MIP_ID);
    for (uint32_t x = t->p.TILED_X; x <= t->p.TILED_X + t->p.RECT_X; x++, row += t->element_B) {
        uint64_t va = t->tiled_va + amd_tiling_row_offset(&t->table, &tiled, x);
        if (t->p.DCC) {
            uint64_t block_va = va & ~(uint64_t)(DCC_BLOCK_B - 1);
            if (block_va != t->block_va && !enter_block(t, block_va, x, y, z))
                return false;
            if (t->is_constant) {
                copy_element(row, t->element, t->element_B);
                continue;
            }
        }
        void *host = gpu_space_pointer(t->m->space, va, t->element_B, detile ? GPU_PERM_READ : GPU_PERM_WRITE);
        if (__builtin_expect(t->m->accessor != NULL, 0))
            (detile ? coherence_read : coherence_write)(t->m->accessor, AMD_CLIENT_SDMA, 0, va, t->element_B);
        if (host && detile)
            copy_element(row, host, t->element_B);
        else if (host)
            copy_element(host, row, t->element_B);
        else if (detile ? !amd_cp_read(t->m, va, row, t->element_B) : !amd_cp_write(t->m, va, row, t->element_B))
            return false;
    }
    return true;
}

static bool move_box(struct transfer *t, uint8_t *row)
{
    const struct amd_sdma_COPY_TILED_SUB_WINDOW *p = &t->p;
    uint64_t pitch = p->LINEAR_PITCH + 1ull, slice_pitch = p->LINEAR_SLICE_PITCH + 1ull;
    uint64_t row_B = (p->RECT_X + 1ull) << p->ELEMENT_SIZE;
    for (uint32_t z = 0; z <= p->RECT_Z; z++) {
        for (uint32_t y = 0; y <= p->RECT_Y; y++) {
            uint64_t elements = p->LINEAR_X + (p->LINEAR_Y + y) * pitch + (p->LINEAR_Z + z) * slice_pitch;
            uint64_t va = p->LINEAR_ADDR + (elements << p->ELEMENT_SIZE);
            if (cp_is_killed(t->m))
                return amd_cp_killed(t->m);
            if (!p->DETILE && !amd_cp_read(t->m, va, row, row_B))
                return false;
            if (!move_row(t, row, p->TILED_Y + y, p->TILED_Z + z))
                return false;
            if (p->DETILE && !amd_cp_write(t->m, va, row, row_B))
                return false;
            cp_progress(t->m);
        }
    }
    return true;
}

bool amd_sdma_copy_tiled_sub_window(struct cp_machine *m)
{
    struct transfer *t = calloc(1, sizeof(*t));
    bool ok = false;
    if (!t)
        return amd_cp_broken(m, "no memory for a copy");
    t->m = m;
    if (SDMA_UNPACK(m, COPY_TILED_SUB_WINDOW, &t->p) && init_surface(t) && check_box(t) && init_meta(t)) {
        uint8_t *row = malloc((t->p.RECT_X + 1ull) << t->p.ELEMENT_SIZE);
        ok = row ? move_box(t, row) : amd_cp_broken(m, "no memory for a copy");
        free(row);
    }
    free(t);
    return ok;
}
