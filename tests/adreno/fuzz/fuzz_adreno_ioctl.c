/* Any sequence of ioctls on the msm kernel model, by two files that share buffers: whatever a program passes ends in an
 * errno, and what it leaves open is cleaned up. The input is a list of calls; a call's struct is taken from it byte by
 * byte, its pointers point into memory that was filled from the input, too, unless the input says otherwise. The GPU here
 * reads the streams and ends every job at once. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "adreno/model/kernel/kernel_types.h"
#include "util/bits.h"
#include "util/log.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

/* ---- the GPU ---- */

static int engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    *engine_out = NULL;
    return 0;
}

static void engine_destroy(struct drm_engine *engine)
{
}

static int context_create(struct drm_engine *engine, const struct gpu_space *space, struct drm_engine_context **out)
{
    *out = NULL;
    return 0;
}

static void context_destroy(struct drm_engine *engine, struct drm_engine_context *context)
{
}

/* A word of a stream that is all ones is a fault. */
static void engine_submit(struct drm_engine *engine, struct drm_engine_job *job)
{
    const struct adreno_work *work = job->work;
    int error = 0;
    for (uint32_t i = 0; i < work->ib_count && !error; i++) {
        for (uint32_t at = 0; at < MIN2(work->ibs[i].size_dw, 64u) && !error; at++) {
            uint32_t word = 0;
            if (!gpu_mem_read32(job->space, work->ibs[i].va + 4ull * at, &word) || word == UINT32_MAX)
                error = -EFAULT;
        }
    }
    job->finished(job, &(const struct drm_engine_result){error, error ? "a fault" : NULL});
}

static void engine_kill(struct drm_engine *engine, struct drm_engine_job *job)
{
}

static uint64_t engine_number(struct drm_engine *engine)
{
    return 1;
}

const struct drm_engine_ops adreno_engine_ops = {
    .name = "fuzz",
    .create = engine_create,
    .destroy = engine_destroy,
    .context_create = context_create,
    .context_destroy = context_destroy,
    .submit = engine_submit,
    .kill = engine_kill,
    .progress = engine_number,
    .timestamp = engine_number,
};

/* ---- the input ---- */

struct input {
    const uint8_t *data;
    size_t size_B;
};

static void take(struct input *input, void *out, size_t size_B)
{
    size_t some_B = MIN2(size_B, input->size_B);
    memset(out, 0, size_B);
    memcpy(out, input->data, some_B);
    input->data += some_B;
    input->size_B -= some_B;
}

static uint8_t take_byte(struct input *input)
{
    uint8_t byte;
    take(input, &byte, 1);
    return byte;
}

/* ---- calls ---- */

#define ARENA_B 2048
#define POINTERS 3
#define FDS_MAX 64

static struct adreno_device *device;
static _Alignas(16) uint8_t arena[ARENA_B];
static int fds[FDS_MAX];
static unsigned fd_count;

struct call {
    unsigned long request;
    uint16_t pointers[POINTERS]; /* offsets of 64-bit pointers in the struct, and 1 */
};

#define AT(type, field) (offsetof(struct type, field) + 1)

static const struct call calls[] = {
    {DRM_IOCTL_MSM_GET_PARAM, {0}},
    {DRM_IOCTL_MSM_SET_PARAM, {AT(drm_msm_param, value)}},
    {DRM_IOCTL_MSM_GEM_NEW, {0}},
    {DRM_IOCTL_MSM_GEM_NEW, {0}},
    {DRM_IOCTL_MSM_GEM_INFO, {0}},
    {DRM_IOCTL_MSM_GEM_INFO, {AT(drm_msm_gem_info, value)}},
    {DRM_IOCTL_MSM_GEM_CPU_PREP, {0}},
    {DRM_IOCTL_MSM_GEM_CPU_FINI, {0}},
    {DRM_IOCTL_MSM_GEM_SUBMIT,
     {AT(drm_msm_gem_submit, bos), AT(drm_msm_gem_submit, cmds), AT(drm_msm_gem_submit, in_syncobjs)}},
    {DRM_IOCTL_MSM_GEM_SUBMIT,
     {AT(drm_msm_gem_submit, bos), AT(drm_msm_gem_submit, cmds), AT(drm_msm_gem_submit, out_syncobjs)}},
    {DRM_IOCTL_MSM_WAIT_FENCE, {0}},
    {DRM_IOCTL_MSM_GEM_MADVISE, {0}},
    {DRM_IOCTL_MSM_SUBMITQUEUE_NEW, {0}},
    {DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE, {0}},
    {DRM_IOCTL_MSM_SUBMITQUEUE_QUERY, {AT(drm_msm_submitqueue_query, data)}},
    {DRM_IOCTL_MSM_VM_BIND, {0}},
    {DRM_IOCTL_MSM_VM_BIND,
     {AT(drm_msm_vm_bind, ops), AT(drm_msm_vm_bind, in_syncobjs), AT(drm_msm_vm_bind, out_syncobjs)}},
    {DRM_IOCTL_GEM_CLOSE, {0}},
    {DRM_IOCTL_PRIME_HANDLE_TO_FD, {0}},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, {0}},
    {DRM_IOCTL_SYNCOBJ_CREATE, {0}},
    {DRM_IOCTL_SYNCOBJ_DESTROY, {0}},
};

/* Times are a moment from now at most, and buffers small: what a test has no time and no memory for is no bug. */
static void tame(unsigned long request, void *data)
{
    if (request == DRM_IOCTL_MSM_WAIT_FENCE)
        ((struct drm_msm_wait_fence *)data)->timeout.tv_sec = 0;
    if (request == DRM_IOCTL_MSM_GEM_CPU_PREP)
        ((struct drm_msm_gem_cpu_prep *)data)->timeout.tv_sec = 0;
    if (request == DRM_IOCTL_MSM_GEM_NEW)
        ((struct drm_msm_gem_new *)data)->size &= 0xfffff;
    /* An fd of ours, by its number in the list; what else is open is none of our business. */
    int *fd = request == DRM_IOCTL_MSM_GEM_SUBMIT       ? &((struct drm_msm_gem_submit *)data)->fence_fd
              : request == DRM_IOCTL_MSM_VM_BIND        ? &((struct drm_msm_vm_bind *)data)->fence_fd
              : request == DRM_IOCTL_PRIME_FD_TO_HANDLE ? &((struct drm_prime_handle *)data)->fd
                                                        : NULL;
    if (fd)
        *fd = fd_count ? fds[(unsigned)*fd % fd_count] : -1;
}

static void keep_fd(int fd)
{
    if (fd_count < FDS_MAX)
        fds[fd_count++] = fd;
    else
        close(fd);
}

static void keep_fds(unsigned long request, const void *data)
{
    const struct drm_msm_gem_submit *submit = data;
    const struct drm_msm_vm_bind *bind = data;
    if (request == DRM_IOCTL_MSM_GEM_SUBMIT && submit->flags & MSM_SUBMIT_FENCE_FD_OUT)
        keep_fd(submit->fence_fd);
    else if (request == DRM_IOCTL_MSM_VM_BIND && bind->flags & MSM_VM_BIND_FENCE_FD_OUT)
        keep_fd(bind->fence_fd);
    else if (request == DRM_IOCTL_PRIME_HANDLE_TO_FD)
        keep_fd(((const struct drm_prime_handle *)data)->fd);
}

static void run_call(struct adreno_file *file, const struct call *call, struct input *input)
{
    _Alignas(16) uint8_t data[256];
    const uint8_t raw = take_byte(input); /* a bit a pointer: it is the input's */
    take(input, data, _IOC_SIZE(call->request));
    for (unsigned i = 0; i < POINTERS && call->pointers[i]; i++) {
        uint64_t pointer;
        memcpy(&pointer, data + call->pointers[i] - 1, sizeof(pointer));
        if (!(raw >> i & 1))
            pointer = (uintptr_t)arena + pointer % ARENA_B;
        memcpy(data + call->pointers[i] - 1, &pointer, sizeof(pointer));
    }
    tame(call->request, data);
    if (!drm_file_ioctl(&file->file, call->request, data))
        keep_fds(call->request, data);
}

static void map_and_write(struct adreno_file *file, struct input *input)
{
    struct drm_msm_gem_info info = {.handle = take_byte(input) % 8u + 1};
    void *memory = NULL;
    if (drm_file_ioctl(&file->file, DRM_IOCTL_MSM_GEM_INFO, &info) ||
        drm_file_mmap(&file->file, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, info.value, &memory))
        return;
    take(input, memory, 256);
    drm_device_memory_unmapped(&device->drm, memory, 4096);
    munmap(memory, 4096);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    log_set_level(LOG_LEVEL_ERROR);
    if (!freopen("/dev/null", "w", stdout))
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_B)
{
    struct input input = {bytes, size_B};
    struct adreno_file *files[2] = {0};
    if (adreno_device_create("adreno-635", &adreno_engine_ops, &device) ||
        adreno_file_open(device, KERNEL_NODE_RENDER, &files[0]) ||
        adreno_file_open(device, KERNEL_NODE_PRIMARY, &files[1]))
        abort();
    fd_count = 0;
    while (input.size_B) {
        uint8_t what = take_byte(&input);
        struct adreno_file *file = files[what >> 7];
        unsigned index = what & 0x7f;
        if (index < ARRAY_SIZE(calls))
            run_call(file, &calls[index], &input);
        else if (index == ARRAY_SIZE(calls))
            map_and_write(file, &input);
        else
            take(&input, arena, 64 + 16 * (index - ARRAY_SIZE(calls)));
    }
    for (unsigned i = 0; i < fd_count; i++)
        close(fds[i]);
    adreno_file_close(files[0]);
    adreno_file_close(files[1]);
    adreno_device_destroy(device);
    return 0;
}
