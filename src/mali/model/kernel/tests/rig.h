/* The rig of the panthor kernel model's tests: an open file of a device whose GPU is test_engine.c, its ioctls as
 * plain functions, an address space with a group of three queues, and a page of streams beside a page of data. */
#ifndef MALI_MODEL_KERNEL_TESTS_RIG_H
#define MALI_MODEL_KERNEL_TESTS_RIG_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "mali/model/kernel/kernel_types.h"

#define PAGE 4096ull
#define PLACE 0x7fff00000000ull
#define MINUTE_NS 60000000000ll
#define MOMENT_NS 30000000ll

/* Instructions of the test engine alone, in opcodes that the hardware does not have. */
#define TOY_SPIN 0xf0 /* until killed */
#define TOY_DEAF 0xf3 /* until the word that the pair at 15:8 points to is not zero: it hears of no kill */
#define TOY_STOP 0xf1 /* with a report */
#define TOY_GROW 0xf2 /* asks for a chunk of the heap in the pair at 15:8; the link goes there, or the negative error */

struct rig {
    struct mali_file *file;
    uint32_t vm, group;
    uint32_t bo; /* two pages at PLACE: streams, then data */
    uint64_t *memory;
    uint32_t used_words; /* of the page of streams */
};

extern struct mali_device *rig_device;
int rig_setup(void **state); /* the device; for cmocka */
int rig_teardown(void **state);

struct rig rig_open(void);
void rig_close(struct rig *rig);

int rig_ioctl(struct rig *rig, unsigned long request, void *argument);
uint32_t rig_vm(struct rig *rig, uint64_t user_va_range);
uint32_t rig_bo(struct rig *rig, uint64_t size_B, uint32_t flags, uint32_t vm);
void *rig_map(struct rig *rig, uint32_t handle, uint64_t size_B);
void rig_unmap(void *memory, uint64_t size_B);
void rig_close_bo(struct rig *rig, uint32_t handle);
int rig_bind(struct rig *rig, uint32_t vm, struct drm_panthor_vm_bind_op op);
int rig_bind_later(struct rig *rig, uint32_t vm, struct drm_panthor_vm_bind_op *ops, uint32_t count);
uint32_t rig_syncobj(struct rig *rig, bool is_signaled);
/* 0, or -ETIME after `ns`. */
int rig_wait(struct rig *rig, uint32_t handle, uint64_t point, int64_t ns);
uint32_t rig_group(struct rig *rig, uint32_t vm, uint32_t queues);
struct drm_panthor_group_create rig_group_args(uint32_t vm, struct drm_panthor_queue_create *queues, uint32_t count);
struct drm_panthor_group_get_state rig_state(struct rig *rig, uint32_t group);
bool rig_read(struct rig *rig, uint32_t vm, uint64_t va, uint64_t *value_out);

/* Streams, each on a line of its own: begin one, put words, and submit it. */
uint64_t rig_begin(struct rig *rig);
void rig_put(struct rig *rig, uint64_t word);
void rig_store(struct rig *rig, uint64_t va, uint32_t value); /* *va = value, by r10 to r12 */
struct drm_panthor_queue_submit rig_stream(const struct rig *rig, uint32_t queue, uint64_t va);
int rig_submit(struct rig *rig, uint32_t group, struct drm_panthor_queue_submit *submits, uint32_t count);
/* Submit, and wait until it has run. */
void rig_run(struct rig *rig, uint32_t group, struct drm_panthor_queue_submit submit);

static inline struct drm_panthor_sync_op rig_sync_wait(uint32_t handle, uint64_t point)
{
    return (struct drm_panthor_sync_op){.flags = point ? DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_TIMELINE_SYNCOBJ : 0u,
                                        .handle = handle,
                                        .timeline_value = point};
}

static inline struct drm_panthor_sync_op rig_sync_signal(uint32_t handle, uint64_t point)
{
    struct drm_panthor_sync_op op = rig_sync_wait(handle, point);
    op.flags |= DRM_PANTHOR_SYNC_OP_SIGNAL;
    return op;
}

#define RIG_ARRAY(pointer, number)                                                                                     \
    {                                                                                                                  \
        .stride = sizeof(*(pointer)), .count = (number), .array = (uintptr_t)(pointer)                                 \
    }

#endif
