/* See rig.h. */
#include "mali/model/sc/tests/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "mali/hw/chip.h"

struct rig mali_rig;

/* The blocks that are not here. */
bool mali_tiler_create(struct mali_gpu *gpu)
{
    (void)gpu;
    return true;
}

void mali_tiler_destroy(struct mali_gpu *gpu)
{
    (void)gpu;
}

bool mali_frag_create(struct mali_gpu *gpu)
{
    (void)gpu;
    return true;
}

void mali_frag_destroy(struct mali_gpu *gpu)
{
    (void)gpu;
}

int mali_rig_setup(void **state)
{
    struct rig *rig = &mali_rig;
    (void)state;
    memset(rig, 0, sizeof(*rig));
    rig->fd = memfd_create("sc", 0);
    if (rig->fd < 0 || ftruncate(rig->fd, RIG_SIZE_B) != 0)
        return -1;
    rig->memory = mmap(NULL, RIG_SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig->fd, 0);
    const struct gpu_extent extent = {RIG_VA, 1 << 20};
    if (gpu_space_init(&rig->space, &extent, 1) != 0 ||
        gpu_space_map_file(&rig->space, RIG_VA, RIG_SIZE_B, rig->fd, 0, GPU_PERM_RWX) != 0)
        return -1;
    rig->gpu = mali_gpu_create(mali_chip_find("mali-g610"), NULL, workers_create_default());
    rig->queue = &rig->group.queues[0];
    rig->queue->gpu = rig->gpu;
    rig->queue->group = &rig->group;
    rig->queue->space = &rig->space;
    gpu_stop_init(&rig->queue->stop);
    return rig->gpu ? 0 : -1;
}

int mali_rig_teardown(void **state)
{
    struct rig *rig = &mali_rig;
    struct workers *workers = rig->gpu->workers;
    (void)state;
    gpu_stop_finish(&rig->queue->stop);
    mali_gpu_destroy(rig->gpu);
    workers_destroy(workers);
    gpu_space_finish(&rig->space);
    munmap(rig->memory, RIG_SIZE_B);
    close(rig->fd);
    return 0;
}

void mali_rig_assemble(const char *source, uint32_t offset_B)
{
    unsigned line;
    if (mali_isa_assemble(source, (uint64_t *)(mali_rig.memory + offset_B), 0x400, &line) < 0)
        fail_msg("line %u is not read", line);
    mali_sc_invalidate_code(mali_rig.gpu);
}

void mali_rig_launch(enum mali_stage stage)
{
    mali_rig.launch = (struct mali_launch){.stage = stage,
                                           .code_va = RIG_CODE_VA,
                                           .code_high = RIG_CODE_VA >> 32,
                                           .queue = mali_rig.queue,
                                           .space = &mali_rig.space};
    mali_launch_changed(&mali_rig.launch);
}

void mali_rig_make_buffer(uint64_t buffer_va)
{
    uint32_t *data = mali_rig_data();
    const uint64_t table_va = RIG_DATA_VA + 256;
    memset(data, 0, 4096);
    data[4] = (uint32_t)table_va;
    data[5] = (uint32_t)(table_va >> 32) | 1u << 24;
    data[6] = 96;
    data[64 + 16] = 9 | 1 << 4; /* a simple buffer */
    data[64 + 17] = 40;
    data[64 + 18] = (uint32_t)buffer_va;
    data[64 + 19] = (uint32_t)(buffer_va >> 32);
    for (unsigned i = 0; i < 16; i++)
        data[256 + i] = 100 + i;
}

struct mali_warp *mali_rig_begin(void)
{
    struct mali_core *core = mali_sc_core(mali_rig.queue, 0);
    assert_non_null(core);
    assert_true(mali_sc_enter(core, &mali_rig.launch));
    struct mali_warp *warp = mali_sc_begin(core, &mali_rig.launch);
    assert_non_null(warp);
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        mali_warp_row(warp, 0)[i] = i;
    return warp;
}

struct mali_warp *mali_rig_run(const char *source)
{
    mali_rig_assemble(source, 0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    struct mali_warp *warp = mali_rig_begin();
    if (!mali_sc_run(warp))
        fail_msg("%s", gpu_stop_text(&mali_rig.queue->stop));
    return warp;
}
