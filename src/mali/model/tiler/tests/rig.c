/* See rig.h. */
#include "mali/model/tiler/tests/rig.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mali/model/coherence.h"
#include "util/bits.h"
#include "util/half.h"

#define SPACE_B 0x4000000ull

struct rig rig;

/* ---- the blocks around the tiler ---- */

static bool stop_with(struct mali_queue *queue, const char *format, va_list args)
{
    if (getenv("RIG_VERBOSE")) {
        vfprintf(stderr, format, args);
        fputc('\n', stderr);
    }
    atomic_store(&queue->stop.is_set, true);
    return false;
}

bool mali_stop(struct mali_queue *queue, enum gpu_stop_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    stop_with(queue, format, args);
    va_end(args);
    return false;
}

bool mali_fault(struct mali_queue *queue, const char *client, uint64_t va, uint64_t size_B, bool is_write)
{
    return mali_stop(queue, GPU_STOP_FAULT, "%s: fault at 0x%llx", client, (unsigned long long)va);
}

bool mali_read_any(struct mali_queue *queue, const char *client, uint64_t va, void *data, uint64_t size_B)
{
    return gpu_space_read(queue->space, va, data, size_B) == size_B || mali_fault(queue, client, va, size_B, false);
}

static uint64_t new_chunk(void)
{
    uint64_t link = (RIG_CHUNKS_VA + (uint64_t)rig.chunk_count++ * RIG_CHUNK_B) | RIG_CHUNK_B >> 12;
    memset(rig_at(link & ~0xfffull), 0, 64);
    return link;
}

/* A driver's handler: it renders the pixels that there are, frees its chunks, empties the context. */
static bool handle_exhaustion(struct mali_queue *queue)
{
    static struct rig_prims prims;
    uint64_t *context = rig_at(RIG_CONTEXT_VA);
    if (!context[0])
        return mali_stop(queue, GPU_STOP_BROKEN, "nothing to free");
    rig.handled++;
    rig_walk(0, (struct raster_tile){0, 0, 64, 64}, &prims);
    for (unsigned i = 0; i < prims.count; i++)
        rig.last_order_x = (uint64_t)prims.prims[i].primitive;
    rig.rendered += prims.count;
    if (!mali_tiler_free_chunks(queue, context[5], context[6]))
        return false;
    context[0] = context[5] = context[6] = 0;
    return true;
}

void mali_coherence_discard(struct mali_queue *queue, uint64_t va, uint64_t size_B)
{
}

uint32_t mali_cs_freed(const struct mali_queue *queue)
{
    return 0;
}

bool mali_cs_starve(struct mali_queue *queue, uint32_t freed, uint64_t *chunk_out)
{
    *chunk_out = 0;
    if (rig.chunk_count < rig.chunk_limit)
        *chunk_out = new_chunk();
    else if (!rig.has_handler)
        return mali_stop(queue, GPU_STOP_BROKEN, "the heap is full");
    else
        return handle_exhaustion(queue);
    return true;
}

/* ---- the shader core ---- */

static struct mali_warp warps[WORKERS_MAX];
struct mali_core {
    struct mali_warp *warp;
};
static struct mali_core cores[WORKERS_MAX];

bool mali_launch_init(struct mali_launch *launch_out, struct mali_queue *queue, enum mali_stage stage,
                      const struct mali_environment *environment)
{
    *launch_out =
        (struct mali_launch){.stage = stage, .queue = queue, .space = queue->space, .code_va = environment->program_va};
    return true;
}

struct mali_core *mali_sc_core(struct mali_queue *queue, unsigned worker)
{
    cores[worker].warp = &warps[worker];
    return &cores[worker];
}

bool mali_sc_borrow(struct mali_gpu *gpu, unsigned *worker_out)
{
    *worker_out = workers_count(gpu->workers);
    return true;
}

void mali_sc_give_back(struct mali_gpu *gpu, unsigned worker)
{
}

bool mali_sc_enter(struct mali_core *core, const struct mali_launch *launch)
{
    return true;
}

struct mali_warp *mali_sc_begin(struct mali_core *core, const struct mali_launch *launch)
{
    core->warp->launch = launch;
    memset(core->warp->rows, 0xee, sizeof(core->warp->rows));
    return core->warp;
}

static bool store_position(struct mali_warp *warp, unsigned lane, uint32_t linear, const void *data, uint32_t size_B,
                           uint32_t offset_B)
{
    uint32_t number[MALI_ROW_LANES] = {0}, low[MALI_ROW_LANES], high[MALI_ROW_LANES];
    number[lane] = linear;
    if (!warp->launch->hooks->output_address(warp, 61, 0, number, low, high, 1ull << lane))
        return false;
    uint64_t va = low[lane] | (uint64_t)high[lane] << 32;
    return gpu_space_write(warp->launch->space, va + offset_B, data, size_B) == size_B ||
           mali_fault(warp->launch->queue, "shader", va, size_B, true);
}

static bool run_position(struct mali_warp *warp, unsigned lane, uint32_t vertex, uint32_t instance)
{
    uint32_t linear = mali_warp_row(warp, 59)[lane];
    bool is_extended = rig.run.regs[56] >> 22 & 2;
    for (unsigned view = 0; view < rig.view_count; view++) {
        struct rig_vertex out = rig.shade(vertex, instance, view);
        uint32_t at = linear + view * (is_extended ? 8 : 4);
        uint16_t size = float_to_half_rtz(out.size);
        if (!store_position(warp, lane, at, out.pos, 16, 0))
            return false;
        if (is_extended &&
            (!store_position(warp, lane, at + 4, &size, 2, 0) || !store_position(warp, lane, at + 4, &out.layer, 1, 2)))
            return false;
    }
    atomic_fetch_add(&rig.positions, 1);
    return true;
}

bool mali_sc_run(struct mali_warp *warp)
{
    bits_foreach (warp->active, lane) {
        uint32_t vertex = mali_warp_row(warp, 60)[lane], instance = mali_warp_row(warp, 61)[lane];
        const uint32_t words[2] = {vertex, instance};
        atomic_fetch_or(&rig.draw_ids, 1u << mali_warp_row(warp, 62)[lane]);
        if (warp->launch->code_va == 1 && !run_position(warp, (unsigned)lane, vertex, instance))
            return false;
        for (unsigned view = 0; warp->launch->code_va == 2 && view < rig.view_count; view++) {
            if (!store_position(warp, (unsigned)lane, mali_warp_row(warp, 59)[lane] + 4 * view, words, 8, 0))
                return false;
            if (!view)
                atomic_fetch_add(&rig.varyings, 1);
        }
    }
    return true;
}

/* ---- the space ---- */

void *rig_at(uint64_t va)
{
    return rig.memory + va;
}

int rig_setup(void **state)
{
    const struct gpu_extent extent = {0, SPACE_B};
    memset(&rig, 0, sizeof(rig));
    rig.fd = memfd_create("tiler", MFD_CLOEXEC);
    if (rig.fd < 0 || ftruncate(rig.fd, (off_t)SPACE_B) || gpu_space_init(&rig.space, &extent, 1) ||
        gpu_space_map_file(&rig.space, 0x1000, SPACE_B - 0x1000, rig.fd, 0x1000, GPU_PERM_RWX))
        return -1;
    rig.memory = mmap(NULL, SPACE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig.fd, 0);
    rig.gpu.workers = workers_create(3);
    rig.heap.va = RIG_HEAP_VA;
    rig.queue = (struct mali_queue){.gpu = &rig.gpu, .group = &rig.group, .heap = &rig.heap, .space = &rig.space};
    return rig.memory == MAP_FAILED || !mali_tiler_create(&rig.gpu) ? -1 : 0;
}

int rig_teardown(void **state)
{
    mali_tiler_destroy(&rig.gpu);
    workers_destroy(rig.gpu.workers);
    gpu_space_finish(&rig.space);
    munmap(rig.memory, SPACE_B);
    close(rig.fd);
    return 0;
}

void rig_set64(unsigned reg, uint64_t value)
{
    rig.run.regs[reg] = (uint32_t)value;
    rig.run.regs[reg + 1] = (uint32_t)(value >> 32);
}

static void write_descriptors(uint32_t width, uint32_t height, unsigned layers)
{
    const struct mali_desc_TILER_CONTEXT context = {
        .HIERARCHY_MASK = 0x1fff,
        .FIRST_PROVOKING_VERTEX = true,
        .FB_WIDTH = width,
        .FB_HEIGHT = height,
        .LAYER_COUNT = layers,
        .HEAP = RIG_HEAP_DESCRIPTOR_VA,
        .GEOMETRY_BUFFER = RIG_FIFO_VA,
        .GEOMETRY_BUFFER_SIZE = RIG_FIFO_B,
    };
    const struct mali_desc_TILER_HEAP heap = {
        .CHUNK_SIZE = MALI_CHUNK_SIZE_256_KIB, .SIZE = RIG_CHUNK_B, .BASE = RIG_CHUNKS_VA};
    mali_pack_desc_TILER_CONTEXT(rig_at(RIG_CONTEXT_VA), &context);
    mali_pack_desc_TILER_HEAP(rig_at(RIG_HEAP_DESCRIPTOR_VA), &heap);
}

void rig_begin(uint32_t width, uint32_t height, unsigned layers)
{
    memset(&rig.run, 0, sizeof(rig.run));
    memset(rig_at(RIG_HEAP_VA), 0, 64);
    memset(rig_at(RIG_CONTEXT_VA), 0, 128);
    atomic_store(&rig.queue.stop.is_set, false);
    atomic_store(&rig.positions, 0);
    atomic_store(&rig.varyings, 0);
    rig.chunk_count = 0;
    rig.chunk_limit = RIG_CHUNK_MAX;
    rig.has_handler = false;
    rig.handled = 0;
    rig.rendered = 0;
    rig.view_count = 1;
    new_chunk();
    write_descriptors(width, height, layers);
    rig.run.queue = &rig.queue;
    rig.run.word = MALI_CS(RUN_IDVS, .MALLOC_ENABLE = true);
    rig_set64(16, 1); /* programs, as the shader core above knows them */
    rig_set64(18, 2);
    rig_set64(40, RIG_CONTEXT_VA);
    rig_set64(42, (uint64_t)(width - 1) << 32 | (uint64_t)(height - 1) << 48);
    rig.run.regs[45] = float_bits(1);
    rig.run.regs[48] = 32;
    rig.run.regs[56] =
        MALI_PACK(IDVS_PRIMITIVE_FLAGS, .DRAW_MODE = MALI_DRAW_MODE_TRIANGLES, .SECONDARY_SHADER = true,
                  .LOW_DEPTH_CULL = true, .HIGH_DEPTH_CULL = true, .POSITION_FIFO_FORMAT = MALI_FIFO_FORMAT_BASIC);
    rig.run.regs[60] = float_bits(1);
}

bool rig_draw(uint32_t count, uint32_t instances)
{
    rig.run.regs[33] = count;
    rig.run.regs[34] = instances;
    return mali_tiler_run_idvs(&rig.run);
}

bool rig_finish(void)
{
    return mali_tiler_finish(&rig.run);
}

uint64_t rig_polygon_list(void)
{
    return *(uint64_t *)rig_at(RIG_CONTEXT_VA);
}

void rig_walk(unsigned layer, struct raster_tile tile, struct rig_prims *prims_out)
{
    struct mali_bins bins;
    struct mali_bin_walk walk;
    prims_out->count = 0;
    assert_true(mali_bins_open(&bins, &rig.queue, RIG_CONTEXT_VA, layer));
    mali_bin_walk_begin(&walk, &bins, &tile);
    while (mali_bin_walk_next(&walk)) {
        assert_true(prims_out->count < sizeof(prims_out->prims) / sizeof(prims_out->prims[0]));
        prims_out->serials[prims_out->count] = walk.draw.serial;
        prims_out->prims[prims_out->count++] = walk.prim;
    }
}

uint32_t rig_corner(const struct mali_bin_prim *prim, unsigned corner)
{
    return *(uint32_t *)rig_at(prim->varying_va[corner]);
}
