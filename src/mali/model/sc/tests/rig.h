/* A GPU with nothing but its shader core, memory, and a queue whose programs are assembled here. */
#ifndef MALI_MODEL_SC_TESTS_RIG_H
#define MALI_MODEL_SC_TESTS_RIG_H

#include "mali/model/blocks.h"
#include "mali/model/sc/core.h"

#define RIG_VA 0x7f00000000ull
#define RIG_SIZE_B 0x20000u
#define RIG_CODE_VA RIG_VA
#define RIG_DATA_VA (RIG_VA + 0x10000)

struct rig {
    struct mali_gpu *gpu;
    struct mali_group group;
    struct mali_queue *queue;
    struct gpu_space space;
    uint8_t *memory;
    int fd;
    struct mali_launch launch;
};

extern struct rig mali_rig;

int mali_rig_setup(void **state);
int mali_rig_teardown(void **state);

/* Assemble to RIG_CODE_VA, or `offset_B` after it. */
void mali_rig_assemble(const char *source, uint32_t offset_B);
/* A launch of the code there: of compute, without descriptors. */
void mali_rig_launch(enum mali_stage stage);
/* Two resource tables at RIG_DATA_VA: the second one has a buffer of 40 bytes as its third descriptor. Words from 1024
 * bytes on are 100 and more. */
void mali_rig_make_buffer(uint64_t buffer_va);
/* Warps of it, not yet run: r0 is the number of a lane. */
struct mali_warp *mali_rig_begin(void);
/* All at once; the program must end. */
struct mali_warp *mali_rig_run(const char *source);

static inline uint32_t mali_rig_lane(struct mali_warp *warp, unsigned reg, unsigned lane)
{
    return mali_warp_row(warp, reg)[lane];
}

static inline void *mali_rig_data(void)
{
    return mali_rig.memory + (RIG_DATA_VA - RIG_VA);
}

#endif
