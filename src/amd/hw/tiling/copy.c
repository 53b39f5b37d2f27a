/* Copies between linear rows and tiled surfaces on the host, and the lookup tables of the model. */
#include "amd/hw/tiling/tiling.h"
#include <string.h>

/* A mask that covers every coordinate bit the equation looks at. */
static uint32_t period_mask(uint32_t used)
{
    return used ? (uint32_t)bits_mask(log2_floor(used) + 1) : 0;
}

void amd_tiling_table_init(struct amd_tiling_table *table, const struct amd_surface *surface)
{
    struct amd_coord_bits used = {0};
    for (unsigned i = 0; i < surface->equation.bit_count; i++) {
        used.x |= surface->equation.bit[i].x;
        used.y |= surface->equation.bit[i].y;
        used.z |= surface->equation.bit[i].z;
    }
    table->layer_B = surface->layer_B;
    table->col_B = surface->col_B;
    table->x_mask = period_mask(used.x) & (AMD_TILING_TABLE_XY - 1);
    table->y_mask = period_mask(used.y) & (AMD_TILING_TABLE_XY - 1);
    table->z_mask = period_mask(used.z) & (AMD_TILING_TABLE_Z - 1);
    table->block_w_log2 = surface->block_w_log2;
    table->block_h_log2 = surface->block_h_log2;
    table->block_d_log2 = surface->block_d_log2;
    for (unsigned i = 0; i < AMD_SURFACE_MAX_LEVELS; i++) {
        table->level[i].offset_B = surface->level[i].offset_B;
        table->level[i].row_B = surface->level[i].row_B;
        table->level[i].tail_x = surface->level[i].tail_x;
        table->level[i].tail_y = surface->level[i].tail_y;
    }
    for (unsigned i = 0; i < 8; i++)
        table->s[i] = surface->lut.s[i] ^ surface->xor_B;
    for (uint32_t i = 0; i <= table->x_mask; i++)
        table->x[i] = amd_equation_lut_axis(surface->lut.x, i);
    for (uint32_t i = 0; i <= table->y_mask; i++)
        table->y[i] = amd_equation_lut_axis(surface->lut.y, i);
    for (uint32_t i = 0; i <= table->z_mask; i++)
        table->z[i] = amd_equation_lut_axis(surface->lut.z, i);
}

/* log2 of the elements that are neighbours in x and in memory: address bits that are x0, x1, ... alone. */
static unsigned run_log2(const struct amd_surface *surface)
{
    unsigned run = 0;
    for (unsigned i = surface->element_log2; i < surface->equation.bit_count; i++, run++) {
        struct amd_coord_bits bits = surface->equation.bit[i];
        if (bits.x != 1u << run || bits.y || bits.z || bits.s)
            break;
    }
    for (unsigned i = surface->element_log2 + run; i < surface->equation.bit_count; i++) {
        if (surface->equation.bit[i].x & (bits_mask(run)))
            return 0;
    }
    return run;
}

/* Elements that are neighbours on both sides. */
struct run {
    uint64_t block_B;  /* x's part of the address of the block */
    uint32_t inside_B; /* x's part of the address within it, before XOR with the others */
    uint32_t size_B;
    size_t linear_B; /* from the start of the linear row */
};

#define CHUNK_RUNS 64
#define BAND_ROWS 8u

struct copy {
    const struct amd_surface *surface;
    const struct amd_tiling_rect *rect;
    uint8_t *tiled, *linear;
    size_t row_B;
    bool to_tiled;
};

/* The next runs of a row from *x on; they are the same for every row. */
static unsigned collect_runs(const struct copy *copy, struct run runs[CHUNK_RUNS], uint32_t *x, unsigned run)
{
    const struct amd_surface *surface = copy->surface;
    uint32_t element_B = surface->desc.element_B;
    uint32_t end = copy->rect->x + copy->rect->width;
    uint32_t tail_x = surface->level[copy->rect->level].tail_x;
    unsigned count = 0;
    for (; *x < end && count < CHUNK_RUNS; count++) {
        uint32_t elements = MIN2((1u << run) - (*x & (uint32_t)bits_mask(run)), end - *x);
        runs[count] = (struct run){
            .block_B = (uint64_t)(*x >> surface->block_w_log2) * surface->col_B,
            .inside_B = amd_equation_lut_axis(surface->lut.x, *x + tail_x),
            .size_B = elements * element_B,
            .linear_B = (size_t)(*x - copy->rect->x) * element_B,
        };
        *x += elements;
    }
    return count;
}

static inline __attribute__((always_inline)) void move(uint8_t *texel, uint8_t *linear, size_t size_B, bool to_tiled)
{
    if (to_tiled)
        memcpy(texel, linear, size_B);
    else
        memcpy(linear, texel, size_B);
}

/* With a constant size, a run that is not cut off is a single move. */
static inline __attribute__((always_inline)) void copy_runs(const struct run *runs, unsigned count, uint8_t *block,
                                                            uint32_t xor_B, uint8_t *linear, uint32_t full_B,
                                                            bool to_tiled)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t *texel = block + runs[i].block_B + (runs[i].inside_B ^ xor_B);
        if (runs[i].size_B == full_B)
            move(texel, linear + runs[i].linear_B, full_B, to_tiled);
        else
            move(texel, linear + runs[i].linear_B, runs[i].size_B, to_tiled);
    }
}

static inline __attribute__((always_inline)) void copy_row(const struct run *runs, unsigned count, uint8_t *block,
                                                           uint32_t xor_B, uint8_t *linear, uint32_t full_B,
                                                           bool to_tiled)
{
    switch (full_B) {
    case 1:
        copy_runs(runs, count, block, xor_B, linear, 1, to_tiled);
        break;
    case 2:
        copy_runs(runs, count, block, xor_B, linear, 2, to_tiled);
        break;
    case 4:
        copy_runs(runs, count, block, xor_B, linear, 4, to_tiled);
        break;
    case 8:
        copy_runs(runs, count, block, xor_B, linear, 8, to_tiled);
        break;
    case 16:
        copy_runs(runs, count, block, xor_B, linear, 16, to_tiled);
        break;
    default:
        copy_runs(runs, count, block, xor_B, linear, full_B, to_tiled);
    }
}

/* Some rows of some columns: small enough that both sides stay in the first cache, as a cache line of the surface holds
 * several rows. */
static void copy_piece(const struct copy *copy, const struct run *runs, unsigned count, uint32_t first_y,
                       uint32_t end_y, uint32_t full_B)
{
    const struct amd_surface *surface = copy->surface;
    const struct amd_tiling_rect *rect = copy->rect;
    const struct amd_surface_level *level = &surface->level[rect->level];
    uint64_t slice_B = level->offset_B + (rect->z >> surface->block_d_log2) * surface->layer_B;
    uint32_t slice_xor_B =
        amd_equation_lut_axis(surface->lut.z, rect->z) ^ surface->lut.s[rect->sample & 7] ^ surface->xor_B;
    for (uint32_t y = first_y; y < end_y; y++) {
        uint8_t *block = copy->tiled + slice_B + (y >> surface->block_h_log2) * level->row_B;
        uint32_t xor_B = slice_xor_B ^ amd_equation_lut_axis(surface->lut.y, y + level->tail_y);
        uint8_t *linear = copy->linear + (size_t)(y - rect->y) * copy->row_B;
        if (copy->to_tiled)
            copy_row(runs, count, block, xor_B, linear, full_B, true);
        else
            copy_row(runs, count, block, xor_B, linear, full_B, false);
    }
}

static void copy_rect(const struct copy *copy)
{
    const struct amd_tiling_rect *rect = copy->rect;
    bool is_linear = copy->surface->equation.bit_count == 0;
    unsigned run = is_linear ? 31 : run_log2(copy->surface);
    uint32_t full_B = is_linear ? 0 : copy->surface->desc.element_B << run;
    uint32_t end_x = rect->x + rect->width, end_y = rect->y + rect->height;
    for (uint32_t y = rect->y; y < end_y;) {
        uint32_t band_end = MIN2((y + BAND_ROWS) & ~(BAND_ROWS - 1), end_y);
        struct run runs[CHUNK_RUNS];
        for (uint32_t x = rect->x; x < end_x;) {
            unsigned count = collect_runs(copy, runs, &x, run);
            copy_piece(copy, runs, count, y, band_end, full_B);
        }
        y = band_end;
    }
}

void amd_tiling_tile(const struct amd_surface *surface, const struct amd_tiling_rect *rect, void *tiled,
                     const void *linear, size_t row_B)
{
    struct copy copy = {surface, rect, tiled, (uint8_t *)(uintptr_t)linear, row_B, true};
    copy_rect(&copy);
}

void amd_tiling_detile(const struct amd_surface *surface, const struct amd_tiling_rect *rect, void *linear,
                       size_t row_B, const void *tiled)
{
    struct copy copy = {surface, rect, (uint8_t *)(uintptr_t)tiled, linear, row_B, false};
    copy_rect(&copy);
}
