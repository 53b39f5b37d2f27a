/* Vertex shaders: positions for all vertices of a batch, varyings for those that are still needed.
 *
 * Both store to what LEA_BUF_IMM of table 61 gives for the number in r59: a fourth of it counts elements, which are 16
 * bytes of the geometry buffer for positions, and the packet of a vertex for varyings. A view's elements follow those
 * of the view before it, by its number: those of views that are not drawn are left out by the shader alone. */
#include <string.h>

#include "mali/model/tiler/tiler_internal.h"
#include "util/bits.h"
#include "util/half.h"

#define TABLE_OUTPUTS 61

struct outputs {
    uint64_t va;
    uint64_t size_B;
    uint32_t element_B;
};

static bool output_address(struct mali_warp *warp, uint32_t table, uint32_t index, const uint32_t *linear,
                           uint32_t *low_out, uint32_t *high_out, uint64_t lanes)
{
    const struct outputs *outputs = warp->user;
    if (table != TABLE_OUTPUTS || index)
        return mali_stop(warp->launch->queue, GPU_STOP_BROKEN, "a vertex shader asks for output %u of table %u", index,
                         table);
    bits_foreach (lanes, lane) {
        uint64_t offset_B = (uint64_t)(linear[lane] >> 2) * outputs->element_B;
        /* A variant of a shader that does not store point sizes asks for their address all the same: what is not
         * there is nowhere, and a store to it is a fault. */
        uint64_t va = offset_B < outputs->size_B ? outputs->va + offset_B : 0;
        low_out[lane] = (uint32_t)va;
        high_out[lane] = (uint32_t)(va >> 32);
    }
    return true;
}

const struct mali_warp_hooks mali_tiler_hooks = {.output_address = output_address};

/* Run up to 64 vertices; `number` has the first one's among the outputs. */
static bool run_row(const struct tiler_draw *draw, struct mali_core *core, const struct mali_launch *launch,
                    struct outputs *outputs, const struct tiler_vertex *vertices, uint32_t count, uint32_t first,
                    uint32_t elements)
{
    struct mali_warp *warp = mali_sc_begin(core, launch);
    if (!warp)
        return mali_stop(draw->queue, GPU_STOP_BROKEN, "no vertex warp could be launched");
    warp->launched = warp->covered = count == 64 ? UINT64_MAX : (1ull << count) - 1;
    mali_warp_run_lanes(warp, warp->launched);
    warp->user = outputs;
    uint32_t *linear = mali_warp_row(warp, 59), *id = mali_warp_row(warp, 60), *instance = mali_warp_row(warp, 61),
             *draw_id = mali_warp_row(warp, 62);
    for (uint32_t i = 0; i < count; i++) {
        linear[i] = 4 * (first + i) * elements;
        id[i] = vertices[i].id;
        instance[i] = vertices[i].instance;
        draw_id[i] = vertices[i].draw_id;
    }
    return mali_sc_run(warp);
}

/* ---- positions ---- */

/* Beside the position: a size of 16 bits, then a layer of 8. */
static void take_extra(const uint8_t *bytes, const struct tiler_draw *draw, float *vector)
{
    uint16_t size;
    memcpy(&size, bytes, sizeof(size));
    vector[0] = draw->raster.has_point_size ? half_to_float(size) : 1;
    vector[1] = bits_float(bytes[2]);
}

static bool take_positions(const struct tiler_draw *draw, const struct tiler_worker *worker, uint64_t fifo_va,
                           float (*pos)[RASTER_POS_VECTORS][4])
{
    const uint32_t vertex_B = 16 * draw->elements;
    for (uint32_t i = 0; i < worker->vertex_count * draw->view_slots; i++) {
        uint8_t bytes[32] = {0};
        const uint64_t va = fifo_va + (uint64_t)i * vertex_B;
        const void *host = gpu_space_pointer(draw->queue->space, va, vertex_B, GPU_PERM_READ);
        if (host)
            memcpy(bytes, host, vertex_B);
        else if (!mali_read(draw->queue, "positions", va, bytes, vertex_B))
            return false;
        memcpy(pos[i][0], bytes, sizeof(pos[i][0]));
        if (draw->elements > 1)
            take_extra(bytes + 16, draw, pos[i][1]);
        else
            pos[i][1][0] = pos[i][1][1] = 0;
    }
    return true;
}

bool mali_tiler_positions(struct tiler_job *job, struct tiler_worker *worker, struct mali_core *core, uint64_t fifo_va,
                          float (*pos)[RASTER_POS_VECTORS][4])
{
    const struct tiler_draw *draw = &job->draw;
    const uint32_t elements = draw->elements * draw->view_slots;
    struct outputs outputs = {fifo_va, (uint64_t)worker->vertex_count * elements * 16, 16};
    for (uint32_t first = 0; first < worker->vertex_count; first += MALI_ROW_LANES) {
        uint32_t count = MIN2(worker->vertex_count - first, MALI_ROW_LANES);
        if (!run_row(draw, core, &draw->position, &outputs, worker->vertices + first, count, first, elements))
            return false;
    }
    return take_positions(draw, worker, fifo_va, pos);
}

/* ---- varyings ---- */

bool mali_tiler_varyings(struct tiler_job *job, struct mali_core *core, const struct tiler_batch *batch)
{
    const struct tiler_draw *draw = &job->draw;
    struct outputs outputs = {batch->varying_va, (uint64_t)batch->kept_count * draw->view_slots * draw->varying_B,
                              draw->varying_B};
    for (uint32_t first = 0; first < batch->kept_count; first += MALI_ROW_LANES) {
        struct tiler_vertex vertices[MALI_ROW_LANES];
        uint32_t count = MIN2(batch->kept_count - first, MALI_ROW_LANES);
        for (uint32_t i = 0; i < count; i++)
            vertices[i] = batch->vertices[batch->kept[first + i]];
        if (!run_row(draw, core, &draw->varying, &outputs, vertices, count, first, draw->view_slots))
            return false;
    }
    return true;
}
