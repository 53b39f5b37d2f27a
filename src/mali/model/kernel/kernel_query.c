/* DEV_QUERY: what the chip, the command-stream interface, the clocks and the caller's rights are. A query without a
 * pointer asks for the size of the answer; a program that knows a shorter or a longer struct gets what there is, and
 * zeros after it. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "mali/model/kernel/kernel_types.h"
#include "model/drm/drm_user.h"
#include "util/bits.h"

union answer {
    struct drm_panthor_gpu_info gpu;
    struct drm_panthor_csif_info csif;
    struct drm_panthor_timestamp_info timestamp;
    struct drm_panthor_group_priorities_info priorities;
};

static int query_gpu(struct mali_file *file, union answer *answer)
{
    const struct mali_chip *chip = file->device->chip;
    answer->gpu = (struct drm_panthor_gpu_info){
        .gpu_id = chip->gpu_id,
        .gpu_rev = chip->gpu_rev,
        .csf_id = chip->csf_id,
        .l2_features = chip->l2_features,
        .tiler_features = chip->tiler_features,
        .mem_features = chip->mem_features,
        .mmu_features = chip->mmu_features,
        .thread_features = chip->thread_features,
        .max_threads = chip->max_threads,
        .thread_max_workgroup_size = chip->thread_max_workgroup_size,
        .thread_max_barrier_size = chip->thread_max_barrier_size,
        .coherency_features = chip->coherency_features,
        .texture_features = {chip->texture_features_0, chip->texture_features_1, chip->texture_features_2,
                             chip->texture_features_3},
        .as_present = chip->as_present,
        .selected_coherency = DRM_PANTHOR_GPU_COHERENCY_NONE,
        .shader_present = chip->shader_present,
        .l2_present = chip->l2_present,
        .tiler_present = chip->tiler_present,
        .core_features = chip->core_features,
    };
    return 0;
}

static int query_csif(struct mali_file *file, union answer *answer)
{
    const struct mali_chip *chip = file->device->chip;
    answer->csif = (struct drm_panthor_csif_info){
        .csg_slot_count = chip->csg_slot_count,
        .cs_slot_count = chip->cs_slot_count,
        .cs_reg_count = chip->cs_reg_count,
        .scoreboard_slot_count = chip->scoreboard_slot_count,
        .unpreserved_cs_reg_count = chip->unpreserved_cs_reg_count,
    };
    return 0;
}

#define TIMESTAMP_FLAGS                                                                                                \
    (DRM_PANTHOR_TIMESTAMP_GPU | DRM_PANTHOR_TIMESTAMP_CPU_TYPE_MASK | DRM_PANTHOR_TIMESTAMP_GPU_OFFSET |              \
     DRM_PANTHOR_TIMESTAMP_GPU_CYCLE_COUNT | DRM_PANTHOR_TIMESTAMP_FREQ | DRM_PANTHOR_TIMESTAMP_DURATION)

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* The clocks that the flags name, read one right after the other. The counter of cycles is the chip's highest clock. */
static int query_timestamp(struct mali_file *file, union answer *answer)
{
    const struct mali_device *device = file->device;
    struct drm_panthor_timestamp_info *info = &answer->timestamp;
    uint32_t flags = info->flags;
    if (!flags)
        flags = DRM_PANTHOR_TIMESTAMP_GPU | DRM_PANTHOR_TIMESTAMP_GPU_OFFSET | DRM_PANTHOR_TIMESTAMP_FREQ;
    uint32_t cpu = flags & DRM_PANTHOR_TIMESTAMP_CPU_TYPE_MASK;
    if (flags & ~TIMESTAMP_FLAGS || cpu > DRM_PANTHOR_TIMESTAMP_CPU_MONOTONIC_RAW)
        return -EINVAL;
    *info = (struct drm_panthor_timestamp_info){.flags = info->flags};
    uint64_t begin_ns = nanoseconds(CLOCK_MONOTONIC_RAW);
    if (flags & DRM_PANTHOR_TIMESTAMP_GPU)
        info->current_timestamp = device->drm.engine_ops->timestamp(device->drm.engine);
    if (cpu) {
        uint64_t now_ns =
            nanoseconds(cpu == DRM_PANTHOR_TIMESTAMP_CPU_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW);
        info->cpu_timestamp_sec = now_ns / 1000000000ull;
        info->cpu_timestamp_nsec = now_ns % 1000000000ull;
    }
    if (flags & DRM_PANTHOR_TIMESTAMP_GPU_CYCLE_COUNT)
        info->cycle_count = mali_ticks(device->chip->max_freq_Hz);
    if (flags & DRM_PANTHOR_TIMESTAMP_FREQ)
        info->timestamp_frequency = device->chip->timestamp_frequency_Hz;
    if (flags & DRM_PANTHOR_TIMESTAMP_DURATION)
        info->duration_nsec = (uint32_t)(nanoseconds(CLOCK_MONOTONIC_RAW) - begin_ns);
    return 0;
}

static int query_priorities(struct mali_file *file, union answer *answer)
{
    uint8_t mask = 1 << PANTHOR_GROUP_PRIORITY_LOW | 1 << PANTHOR_GROUP_PRIORITY_MEDIUM;
    if (drm_file_may_hurry(&file->file))
        mask |= 1 << PANTHOR_GROUP_PRIORITY_HIGH | 1 << PANTHOR_GROUP_PRIORITY_REALTIME;
    answer->priorities = (struct drm_panthor_group_priorities_info){.allowed_mask = mask};
    return 0;
}

#define UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

static const struct query {
    uint32_t size_B;
    uint32_t least_B; /* what the first version had */
    bool has_input;
    int (*run)(struct mali_file *file, union answer *answer);
} queries[] = {
    [DRM_PANTHOR_DEV_QUERY_GPU_INFO] = {sizeof(struct drm_panthor_gpu_info),
                                        UP_TO(struct drm_panthor_gpu_info, tiler_present), false, query_gpu},
    [DRM_PANTHOR_DEV_QUERY_CSIF_INFO] = {sizeof(struct drm_panthor_csif_info), UP_TO(struct drm_panthor_csif_info, pad),
                                         false, query_csif},
    [DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO] = {sizeof(struct drm_panthor_timestamp_info),
                                              UP_TO(struct drm_panthor_timestamp_info, current_timestamp), true,
                                              query_timestamp},
    [DRM_PANTHOR_DEV_QUERY_GROUP_PRIORITIES_INFO] = {sizeof(struct drm_panthor_group_priorities_info),
                                                     UP_TO(struct drm_panthor_group_priorities_info, pad), false,
                                                     query_priorities},
};

/* A program that knows a longer answer gets zeros behind this one, up to a page of all. The kernel's driver has no such
 * limit: it clears as many bytes as are asked for, up to the next hole in the program's memory. */
#define MOST_B 4096u

static int write_answer(const struct drm_panthor_dev_query *args, const union answer *answer, uint32_t size_B)
{
    static const uint8_t zeros[256];
    int error = drm_copy_to_user(args->pointer, answer, MIN2(args->size, size_B));
    for (uint32_t done_B = size_B; done_B < args->size && !error;) {
        uint32_t part_B = MIN2(args->size - done_B, (uint32_t)sizeof(zeros));
        error = drm_copy_to_user(args->pointer + done_B, zeros, part_B);
        done_B += part_B;
    }
    return error;
}

int mali_dev_query_ioctl(struct drm_file *file, void *data)
{
    struct drm_panthor_dev_query *args = data;
    if (args->type >= ARRAY_SIZE(queries))
        return -EINVAL;
    const struct query *query = &queries[args->type];
    if (!args->pointer) {
        args->size = query->size_B;
        return 0;
    }
    if (args->size < query->least_B)
        return -EINVAL;
    if (args->size > MOST_B)
        return -E2BIG;
    union answer answer = {0};
    int error = query->has_input ? drm_copy_from_user(&answer, args->pointer, MIN2(args->size, query->size_B)) : 0;
    if (!error)
        error = query->run(mali_file(file), &answer);
    return error ? error : write_answer(args, &answer, query->size_B);
}
