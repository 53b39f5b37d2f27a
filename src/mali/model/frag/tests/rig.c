/* See rig.h. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mali/model/sc/join_area.h"
#include "model/workers.h"
#include "util/half.h"

struct rig *the_rig;

/* ---- what the endpoint calls: stops ---- */

bool mali_stop(struct mali_queue *queue, enum gpu_stop_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gpu_stop_vprintf(&queue->stop, kind, format, args);
    va_end(args);
    return false;
}

bool mali_fault(struct mali_queue *queue, const char *client, uint64_t va, uint64_t size_B, bool is_write)
{
    const struct gpu_stop_access access = {.va = va, .is_write = is_write};
    return gpu_stop_fault(&queue->stop, &access, client, size_B);
}

bool mali_read_any(struct mali_queue *queue, const char *client, uint64_t va, void *data, uint64_t size_B)
{
    return gpu_space_read(queue->space, va, data, size_B) == size_B || mali_fault(queue, client, va, size_B, false);
}

/* ---- bins ---- */

bool mali_bins_open(struct mali_bins *bins_out, struct mali_queue *queue, uint64_t context_va, unsigned layer)
{
    *bins_out = (struct mali_bins){.queue = queue, .context_va = context_va, .layer = layer};
    return true;
}

void mali_bin_walk_begin(struct mali_bin_walk *walk, const struct mali_bins *bins, const struct raster_tile *tile)
{
    walk->bins = bins;
    walk->tile = *tile;
    walk->draw_va = 0;
}

unsigned mali_bins_few(const struct mali_bins *bins, struct mali_bins_few *few_out)
{
    unsigned count = 0;
    for (unsigned i = 0; i < the_rig->prim_count; i++) {
        if (the_rig->prims[i].raster.layer != bins->layer)
            continue;
        if (count == MALI_BINS_FEW)
            return 0;
        few_out->prims[count] = the_rig->prims[i];
        few_out->draws[count++] = the_rig->draws[the_rig->prim_draws[i]];
    }
    return count;
}

bool mali_bin_walk_next(struct mali_bin_walk *walk)
{
    while (walk->draw_va < the_rig->prim_count) {
        const unsigned i = (unsigned)walk->draw_va++; /* as good a counter as any */
        const struct raster_prim *prim = &the_rig->prims[i].raster;
        if (prim->x1 <= walk->tile.x || prim->y1 <= walk->tile.y || prim->x0 >= walk->tile.x + walk->tile.width ||
            prim->y0 >= walk->tile.y + walk->tile.height || prim->layer != walk->bins->layer)
            continue;
        walk->prim = the_rig->prims[i];
        walk->draw = the_rig->draws[the_rig->prim_draws[i]];
        return true;
    }
    return false;
}

/* ---- warps ---- */

static __thread struct mali_warp warp_of_worker;

struct mali_core *mali_sc_core(struct mali_queue *queue, unsigned worker)
{
    return (struct mali_core *)the_rig;
}

uint64_t mali_launch_number(void)
{
    return 1;
}

bool mali_sc_borrow(struct mali_gpu *gpu, unsigned *worker_out)
{
    *worker_out = workers_count(gpu->workers);
    return true;
}

void mali_sc_give_back(struct mali_gpu *gpu, unsigned worker)
{
}

bool mali_launch_init(struct mali_launch *launch_out, struct mali_queue *queue, enum mali_stage stage,
                      const struct mali_environment *environment)
{
    *launch_out = (struct mali_launch){.stage = stage,
                                       .code_va = environment->program_va,
                                       .preload = 0xffff,
                                       .resources_va = environment->resources_va & ~63ull,
                                       .resource_count = environment->resources_va & 63,
                                       .queue = queue};
    return true;
}

void mali_launch_changed(struct mali_launch *launch)
{
}

bool mali_sc_enter(struct mali_core *core, const struct mali_launch *launch)
{
    atomic_fetch_add(&the_rig->entered, 1);
    return true;
}

struct mali_warp *mali_sc_begin(struct mali_core *core, const struct mali_launch *launch)
{
    struct mali_warp *warp = &warp_of_worker;
    warp->launch = launch;
    warp->launched = warp->covered = UINT64_MAX;
    warp->discarded = 0;
    return warp;
}

bool mali_sc_run(struct mali_warp *warp)
{
    atomic_fetch_add(&the_rig->shaded, (unsigned)__builtin_popcountll(warp->covered));
    return the_rig->shaders[warp->launch->code_va](warp, warp->launched);
}

/* Shaders that are C functions are not joined with anything. */
struct exec_code *mali_sc_join_code(const struct mali_core *core)
{
    return NULL;
}

bool mali_sc_join(struct sc_join *join)
{
    return false;
}

bool mali_sc_join_holds(const struct mali_core *core, const struct sc_join_fact *facts, uint32_t count)
{
    return false;
}

struct mali_warp *mali_sc_join_warp(struct mali_core *core, const struct mali_launch *launch, uint32_t size_B)
{
    return NULL;
}

bool mali_sc_join_suits(struct mali_warp *warp, const struct pixel_variant *variant)
{
    return false;
}

bool mali_sc_join_run(struct mali_warp *warp, const struct pixel_variant *variant,
                      const struct sc_join_between *between, uint64_t lanes, uint64_t covered)
{
    return false;
}

bool mali_sc_area_look(struct sc_join_area *area, struct mali_warp *warp, const struct exec_area *preloaded,
                       struct sc_join_rows_of *rows_out)
{
    return false;
}

struct exec_plane mali_sc_area_row(const struct sc_join_rows_of *rows, uint32_t row_B)
{
    return (struct exec_plane){EXEC_PLANE_NONE};
}

bool rig_atest(struct mali_warp *warp, uint64_t lanes, float alpha)
{
    uint32_t row[MALI_ROW_LANES];
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        row[i] = float_bits(alpha);
    uint32_t *coverage = mali_warp_row(warp, 60);
    return warp->launch->hooks->alpha_test(warp, coverage, row, 0, coverage, lanes);
}

bool rig_blend_rows(struct mali_warp *warp, uint64_t lanes, unsigned target, const uint32_t rows[4 * MALI_ROW_LANES])
{
    const uint64_t descriptor = warp->launch->blend[target];
    const struct mali_blend blend = {.descriptor = {(uint32_t)descriptor, (uint32_t)(descriptor >> 32)},
                                     .regfmt = MALI_REGFMT_F32,
                                     .components = 4,
                                     .coverage = mali_warp_row(warp, 60),
                                     .colour = rows};
    return warp->launch->hooks->blend(warp, &blend, lanes) == MALI_BLEND_DONE;
}

bool rig_blend(struct mali_warp *warp, uint64_t lanes, unsigned target, const float color[4])
{
    uint32_t rows[4 * MALI_ROW_LANES];
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < MALI_ROW_LANES; i++)
            rows[c * MALI_ROW_LANES + i] = float_bits(color[c]);
    }
    return rig_blend_rows(warp, lanes, target, rows);
}

/* ---- life ---- */

int rig_setup(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    if (!rig)
        return -1;
    rig->fd = memfd_create("rig", MFD_CLOEXEC);
    if (rig->fd < 0 || ftruncate(rig->fd, RIG_SIZE_B) != 0)
        return -1;
    rig->map = mmap(NULL, RIG_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig->fd, 0);
    if (gpu_space_init(&rig->space, (struct gpu_extent[]){{RIG_VA, 1ull << 28}}, 1) != 0 ||
        gpu_space_map_file(&rig->space, RIG_VA, RIG_SIZE_B, rig->fd, 0, GPU_PERM_RWX) != 0)
        return -1;
    rig->gpu.workers = workers_create(2);
    struct mali_queue *queue = &rig->group.queues[0];
    queue->gpu = &rig->gpu;
    queue->group = &rig->group;
    queue->space = &rig->space;
    queue->killed = &rig->killed;
    gpu_stop_init(&queue->stop);
    the_rig = rig;
    *state = rig;
    return 0;
}

int rig_teardown(void **state)
{
    struct rig *rig = *state;
    workers_destroy(rig->gpu.workers);
    gpu_stop_finish(&rig->group.queues[0].stop);
    gpu_space_finish(&rig->space);
    munmap(rig->map, RIG_SIZE_B);
    close(rig->fd);
    free(rig);
    return 0;
}

/* ---- state ---- */

void rig_target(struct rig *rig, uint32_t width, uint32_t height, uint32_t color)
{
    rig->fb = (struct mali_desc_FRAMEBUFFER){
        .WIDTH = width,
        .HEIGHT = height,
        .SAMPLE_COUNT = 1,
        .EFFECTIVE_TILE_SIZE = 1024,
        .RENDER_TARGET_COUNT = 1,
        .Z_INTERNAL_FORMAT = MALI_Z_INTERNAL_FORMAT_D24,
        .Z_CLEAR = 1,
        .TILER = 1,
        .SAMPLE_LOCATIONS = RIG_VA + RIG_LOCATIONS_B,
        .FRAME_SHADER_DCDS = RIG_VA + RIG_DRAWS_B,
    };
    rig->targets[0] = (struct mali_desc_RENDER_TARGET){
        .INTERNAL_FORMAT = MALI_INTERNAL_FORMAT_R8G8B8A8,
        .WRITE_ENABLE = true,
        .WRITEBACK_FORMAT = MALI_COLOR_FORMAT_R8G8B8A8,
        .WRITEBACK_BLOCK_FORMAT = MALI_BLOCK_FORMAT_LINEAR,
        .SWIZZLE_R = MALI_CHANNEL_R,
        .SWIZZLE_G = MALI_CHANNEL_G,
        .SWIZZLE_B = MALI_CHANNEL_B,
        .SWIZZLE_A = MALI_CHANNEL_A,
        .CLEAN_PIXEL_WRITE_ENABLE = true,
        .BASE = RIG_VA + RIG_IMAGE_B,
        .ROW_STRIDE = 4 * width,
        .CLEAR_COLOR_0 = color,
        .CLEAR_COLOR_1 = color,
        .CLEAR_COLOR_2 = color,
        .CLEAR_COLOR_3 = color,
    };
    rig->box[0] = 0;
    rig->box[1] = (width - 1) | (height - 1) << 16;
}

void rig_draw(struct rig *rig, unsigned number, const struct mali_desc_DRAW *draw, const struct mali_desc_BLEND *blend,
              const struct mali_desc_DEPTH_STENCIL *depth)
{
    struct mali_desc_DRAW d = *draw;
    const uint32_t at_B = RIG_STATE_B + 0x100 * number;
    d.RENDER_TARGET_MASK = 0xff;
    d.SAMPLE_MASK = d.SAMPLE_MASK ? d.SAMPLE_MASK : 0xffff;
    if (blend) {
        mali_pack_desc_BLEND((uint32_t *)(rig->map + at_B), blend);
        d.BLEND = RIG_VA + at_B;
        d.BLEND_COUNT = 1;
    }
    if (depth) {
        mali_pack_desc_DEPTH_STENCIL((uint32_t *)(rig->map + at_B + 0x80), depth);
        d.DEPTH_STENCIL = RIG_VA + at_B + 0x80;
    }
    rig->draws[number].serial = number + 1;
    mali_pack_desc_DRAW(rig->draws[number].words, &d);
}

void rig_rect(struct rig *rig, unsigned draw, int32_t x0, int32_t y0, int32_t x1, int32_t y1, float z)
{
    const unsigned number = rig->prim_count++;
    rig->prim_draws[number] = (uint8_t)draw;
    rig->prims[number] = (struct mali_bin_prim){
        .raster = {.x0 = x0,
                   .y0 = y0,
                   .x1 = x1,
                   .y1 = y1,
                   .z = {.at = z},
                   .w = {.at = 1},
                   .subpixel_bits = 8,
                   .is_linear = true},
        .primitive = number,
    };
}

struct mali_run rig_prepare(struct rig *rig)
{
    uint32_t *words = (uint32_t *)(rig->map + RIG_FBD_B);
    mali_pack_desc_FRAMEBUFFER(words, &rig->fb);
    words += 32;
    if (rig->fb.HAS_ZS_CRC_EXTENSION) {
        mali_pack_desc_ZS_CRC_EXTENSION(words, &rig->zs);
        words += 16;
    }
    for (unsigned i = 0; i < rig->fb.RENDER_TARGET_COUNT; i++, words += 16)
        mali_pack_desc_RENDER_TARGET(words, &rig->targets[i]);
    for (unsigned i = 0; i < 3; i++)
        mali_pack_desc_DRAW((uint32_t *)(rig->map + RIG_DRAWS_B) + 32 * i, &rig->frame_draws[i]);
    struct mali_run run = {.queue = &rig->group.queues[0]};
    run.regs[40] = (uint32_t)(RIG_VA + RIG_FBD_B);
    run.regs[41] = (RIG_VA + RIG_FBD_B) >> 32;
    run.regs[42] = rig->box[0];
    run.regs[43] = rig->box[1];
    atomic_store(&run.queue->stop.is_set, false);
    return run;
}

bool rig_run(struct rig *rig)
{
    struct mali_run run = rig_prepare(rig);
    return mali_frag_run(&run);
}

const char *rig_report(const struct rig *rig)
{
    return gpu_stop_text(&rig->group.queues[0].stop);
}

struct mali_desc_BLEND rig_opaque(void)
{
    return (struct mali_desc_BLEND){
        .ENABLE = true,
        .RGB_A = MALI_BLEND_A_SRC,
        .RGB_B = MALI_BLEND_B_SRC,
        .RGB_C = MALI_BLEND_C_ZERO,
        .ALPHA_A = MALI_BLEND_A_SRC,
        .ALPHA_B = MALI_BLEND_B_SRC,
        .ALPHA_C = MALI_BLEND_C_ZERO,
        .COLOR_MASK = 15,
        .MODE = MALI_BLEND_MODE_OPAQUE,
        .NUM_COMPS = 4,
        .MEMORY_FORMAT = 237, /* RGBA8_TB */
    };
}

struct mali_desc_BLEND rig_by_alpha(void)
{
    struct mali_desc_BLEND blend = rig_opaque();
    blend.MODE = MALI_BLEND_MODE_FIXED_FUNCTION;
    blend.RGB_A = blend.ALPHA_A = MALI_BLEND_A_DEST;
    blend.RGB_B = blend.ALPHA_B = MALI_BLEND_B_SRC_MINUS_DEST;
    blend.RGB_C = blend.ALPHA_C = MALI_BLEND_C_SRC_ALPHA;
    return blend;
}

struct mali_desc_DEPTH_STENCIL rig_depth(unsigned compare, bool writes)
{
    return (struct mali_desc_DEPTH_STENCIL){
        .DEPTH_FUNCTION = compare,
        .DEPTH_WRITE_ENABLE = writes,
        .DEPTH_SOURCE = MALI_DEPTH_SOURCE_FIXED_FUNCTION,
        .DEPTH_CLAMP_MODE = MALI_DEPTH_CLAMP_ZERO_ONE,
        .FRONT_COMPARE_FUNCTION = MALI_FUNC_ALWAYS,
        .BACK_COMPARE_FUNCTION = MALI_FUNC_ALWAYS,
        .FRONT_VALUE_MASK = 0xff,
        .FRONT_WRITE_MASK = 0xff,
        .BACK_VALUE_MASK = 0xff,
        .BACK_WRITE_MASK = 0xff,
    };
}

/* No program is joined here, so that none moves anything by itself. */
bool mali_sc_move_look(struct sc_move *move, struct mali_warp *warp, const struct exec_area *area, jit_code code,
                       struct sc_moved *moved_out)
{
    return false;
}

const uint8_t *mali_sc_move_rows(const struct sc_move *move, const struct sc_moved *moved,
                                 const struct gpu_space *space, const struct mali_tex_rect *rect, uint8_t *copy,
                                 size_t *row_B_out)
{
    return the_rig->move_rows ? the_rig->move_rows(move, moved, rect, copy, row_B_out) : NULL;
}
