/* For tests: a compiled compute shader on the model's shader core, without a driver. */
#ifndef MALI_COMPILER_TESTS_LAUNCH_H
#define MALI_COMPILER_TESTS_LAUNCH_H

#include "mali/compiler/compiler.h"
#include "mali/model/gpu.h"

struct launch {
    struct mali_gpu *gpu;
    struct mali_group group;
    struct mali_queue *queue;
    struct gpu_space *space; /* the test's: its memory is at `va` */
    uint8_t *memory;
    uint64_t va;
    uint32_t code_B; /* code and all that the launch needs go here: 512 KiB */
};

/* The address space has an extent of 16 MiB from `va` on, of which the upper half is taken for local storage. */
bool launch_begin(struct launch *launch);
void launch_end(struct launch *launch);

struct launch_buffer {
    uint32_t offset_B, size_B; /* in the memory */
};

struct launch_run {
    const struct mali_binary *binary;
    const struct launch_buffer *buffers; /* descriptors of set 0, one after the other */
    unsigned num_buffers;
    const void *push;
    uint32_t push_size_B;
    uint32_t groups[3];
};

/* False with a reason. */
bool launch_compute(struct launch *launch, const struct launch_run *run, char error_out[512]);

#endif
