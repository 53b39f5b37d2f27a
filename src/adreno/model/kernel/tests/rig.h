/* The rig of the msm kernel model's tests: an open file of a device whose GPU is test_engine.c, its ioctls as plain
 * functions, and a page of streams beside a page of data. */
#ifndef ADRENO_MODEL_KERNEL_TESTS_RIG_H
#define ADRENO_MODEL_KERNEL_TESTS_RIG_H

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

#include "adreno/model/kernel/kernel_types.h"

#define PAGE 4096ull
#define VA ADRENO_VA_START
#define RW (MSM_SUBMIT_BO_READ | MSM_SUBMIT_BO_WRITE)

struct rig {
    struct adreno_file *file;
    uint32_t bo; /* two pages at `va`: streams, then data */
    uint64_t va;
    uint32_t *memory;
    uint32_t used_dw; /* of the page of streams */
};

extern struct adreno_device *rig_device;
int rig_setup(void **state); /* the device; for cmocka */
int rig_teardown(void **state);

struct rig rig_open(void);
void rig_close(struct rig *rig);
/* A file whose address space user space manages; the page of streams is not bound. */
struct rig rig_open_vm_bind(void);

int rig_ioctl(struct rig *rig, unsigned long request, void *argument);
uint64_t rig_param(struct rig *rig, uint32_t param);
int rig_set_param(struct rig *rig, uint32_t param, uint64_t value, uint32_t length);
uint32_t rig_bo(struct rig *rig, uint64_t size_B, uint32_t flags);
int rig_info(struct rig *rig, uint32_t handle, uint32_t info, uint64_t *value);
uint64_t rig_iova(struct rig *rig, uint32_t handle);
uint32_t *rig_map(struct rig *rig, uint32_t handle, uint64_t size_B);
void rig_unmap(void *memory, uint64_t size_B);
void rig_close_bo(struct rig *rig, uint32_t handle);
uint32_t rig_queue(struct rig *rig, uint32_t flags, uint32_t priority);
uint32_t rig_syncobj(struct rig *rig, bool is_signaled);
bool rig_syncobj_is_signaled(struct rig *rig, uint32_t handle, uint64_t point);

/* Streams in the first page; each returns where it begins, and `size_B` grows by its length. */
void rig_stream_begin(struct rig *rig, uint32_t *offset_B_out);
void rig_write(struct rig *rig, uint64_t va, uint32_t value);
void rig_wait_word(struct rig *rig, uint64_t va);
void rig_add_one(struct rig *rig, uint64_t va);
void rig_put(struct rig *rig, uint32_t word);

/* A submission of the stream from `offset_B` to the end of what was written, with the rig's buffer alone; `args` says
 * the rest. */
int rig_submit(struct rig *rig, uint32_t offset_B, struct drm_msm_gem_submit *args);
int rig_wait(struct rig *rig, uint32_t queue, uint32_t fence, int64_t ms);
uint32_t rig_faults(struct rig *rig, uint32_t queue);

#endif
