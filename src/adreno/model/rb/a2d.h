/* The 2D engine (A2D), between its files: what CP_BLIT is to do, read from the registers (a2d.c), and the rows of
 * pixels that do it (a2d_rows.c, a2d_blocks.c, a2d_average.c). */
#ifndef ADRENO_MODEL_RB_A2D_H
#define ADRENO_MODEL_RB_A2D_H

#include <math.h>

#include "adreno/model/rb/surface.h"
#include "model/pixel/pixel.h"

struct adreno_gpu;

struct adreno_a2d_side {
    struct adreno_rb_surface surface;
    struct adreno_rb_format format;
};

struct adreno_a2d {
    const struct gpu_space *space;
    struct coherence_actor *coherence;
    struct adreno_a2d_side dst, src;
    int32_t x0, y0, x1, y1; /* pixels of the destination, the last ones exclusive, cut by the scissor */
    bool is_solid;
    uint8_t element[ADRENO_RB_MAX_SAMPLE_B]; /* of a solid fill: a sample */

    /* Of a source: a coordinate is first + (pixel + 1/2) * step, in texels. */
    bool is_raw; /* elements are copied as they are, without scaling */
    bool is_linear, is_averaged;
    bool is_byte_average; /* of four unorm bytes to the same, without scaling */
    double first_x, step_x, first_y, step_y;
    int32_t src_width, src_height;
    bool is_half; /* colours pass through 16-bit floats */
    bool is_blended;
    struct pixel_blend blend;
};

/* One worker's. */
struct adreno_a2d_worker {
    const struct adreno_a2d *a2d;
    struct adreno_rb_access dst, src;
    struct adreno_rb_fault fault;
    uint8_t pattern[ADRENO_TILE_BLOCK_B]; /* of a fill: its samples */

    /* the compressed block that was decoded last */
    bool has_block;
    int32_t block_x, block_y;
    float block[FORMAT_BLOCK_MAX_TEXELS][4];
};

/* The texel that a pixel of the destination is in, of one axis. */
static inline int32_t adreno_a2d_nearest(double first, double step, int32_t pixel)
{
    return (int32_t)floor(first + (pixel + 0.5) * step);
}

void adreno_a2d_worker_init(struct adreno_a2d_worker *worker, const struct adreno_a2d *a2d);

/* Whole rows of macrotiles of two like surfaces, from the first row on, as one range of memory (a2d_blocks.c). Returns
 * how many rows of pixels were copied. */
int32_t adreno_a2d_copy_macrotiles(struct adreno_gpu *gpu, const struct adreno_a2d *a2d);

/* Copies by whole blocks (a2d_blocks.c): how many rows from y on, up to y1, are blocks of one row of macrotiles, 0 for
 * none; and these rows, up to a column that is returned in x_out. False: a fault. */
uint32_t adreno_a2d_block_rows(const struct adreno_a2d *a2d, int32_t src_x, int32_t src_y, int32_t y, int32_t y1);
bool adreno_a2d_copy_blocks(struct adreno_a2d_worker *worker, int32_t src_x, int32_t src_y, int32_t y,
                            uint32_t row_count, int32_t *x_out);

/* Blocks of one row of macrotiles and rows of elements (a2d_strips.c). */
#define ADRENO_A2D_MACROTILE_W 2 /* blocks */
#define ADRENO_A2D_MACROTILE_H 4
#define ADRENO_A2D_BLOCK_ROWS 8 /* at most */
struct adreno_a2d_strips {
    const struct adreno_tile *tile;
    uint8_t *macrotiles;    /* all of their row */
    uint8_t *const *rows;   /* from the first element on */
    uint32_t column, count; /* blocks: the first of each row, and how many */
    uint32_t y, row_count;  /* elements: the first row among the tiled ones, and how many that are whole blocks */
};
void adreno_a2d_move_strips(const struct adreno_a2d_strips *strips, bool is_tiling);

/* One block, by the size of its elements, and as many rows, from at_B on. */
typedef void (*adreno_a2d_block_fn)(uint8_t *block, uint8_t *const rows[ADRENO_A2D_BLOCK_ROWS], size_t at_B);
extern const adreno_a2d_block_fn adreno_a2d_tile_block[5], adreno_a2d_untile_block[5];

/* Averages of samples (a2d_average.c): rows of one block of the source, where is_byte_average. False: a fault. */
bool adreno_a2d_average_rows(struct adreno_a2d_worker *worker, int32_t y0, int32_t y1);

/* A row that may be one of many (a2d_series.c): true if it is kept, to be written later. */
bool adreno_a2d_keep_row(struct adreno_gpu *gpu, const struct adreno_a2d *a2d);

/* All of it, by the workers if it is worth that; `client` is whose faults these are. False: stopped. */
bool adreno_a2d_run(struct adreno_gpu *gpu, const struct adreno_a2d *a2d, const char *client);

/* Rows y0 to y1 - 1 of the destination. False: a fault. */
bool adreno_a2d_rows(struct adreno_a2d_worker *worker, int32_t y0, int32_t y1);

#endif
