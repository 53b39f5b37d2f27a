/* See fuzz_ioctl.h. */
#include "fuzz_ioctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/drm/drm_gem.h"
#include "model/drm/drm_ioctl.h"
#include "util/bits.h"
#include "util/log.h"

/* ---- the GPU ---- */

int fuzz_engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    *engine_out = NULL;
    return 0;
}

void fuzz_engine_destroy(struct drm_engine *engine)
{
}

int fuzz_context_create(struct drm_engine *engine, const struct gpu_space *space,
                        struct drm_engine_context **context_out)
{
    *context_out = NULL;
    return 0;
}

void fuzz_context_destroy(struct drm_engine *engine, struct drm_engine_context *context)
{
}

void fuzz_engine_kill(struct drm_engine *engine, struct drm_engine_job *job)
{
}

uint64_t fuzz_engine_number(struct drm_engine *engine)
{
    return 1;
}

/* ---- the input ---- */

struct input {
    const uint8_t *data;
    size_t size_B;
};

static void take_input(struct input *input, void *out, size_t size_B)
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
    take_input(input, &byte, 1);
    return byte;
}

/* ---- calls ---- */

/* At a place that inputs know: elements of its arrays may point into it, too. */
#define ARENA_VA 0x60000000ull
#define ARENA_B 4096
#define FDS_MAX 64

static uint8_t *arena;
static _Thread_local int fds[FDS_MAX];
static _Thread_local unsigned fd_count;

int fuzz_fd(unsigned number)
{
    return fd_count ? fds[number % fd_count] : -1;
}

void fuzz_keep_fd(int fd)
{
    if (fd_count < FDS_MAX)
        fds[fd_count++] = fd;
    else
        close(fd);
}

static void run_call(const struct fuzz_family *family, struct drm_file *file, const struct fuzz_call *call,
                     struct input *input)
{
    _Alignas(16) uint8_t data[512];       /* the largest: amdgpu's metadata */
    const uint8_t raw = take_byte(input); /* a bit a pointer: it is the input's */
    take_input(input, data, _IOC_SIZE(call->request));
    for (unsigned i = 0; i < FUZZ_POINTERS && call->pointers[i]; i++) {
        uint64_t pointer;
        memcpy(&pointer, data + call->pointers[i] - 1, sizeof(pointer));
        if (!(raw >> i & 1))
            pointer = (uintptr_t)arena + pointer % ARENA_B;
        memcpy(data + call->pointers[i] - 1, &pointer, sizeof(pointer));
    }
    struct drm_prime_handle *prime = (struct drm_prime_handle *)data;
    /* An fd of ours, by its number in the list; what else is open is none of our business. */
    if (call->request == DRM_IOCTL_PRIME_FD_TO_HANDLE)
        prime->fd = fuzz_fd((unsigned)prime->fd);
    family->tame(call->request, data);
    if (drm_file_ioctl(file, call->request, data))
        return;
    if (call->request == DRM_IOCTL_PRIME_HANDLE_TO_FD)
        fuzz_keep_fd(prime->fd);
    if (family->keep)
        family->keep(call->request, data);
}

static void map_and_write(const struct fuzz_family *family, struct drm_file *file, struct input *input)
{
    uint64_t offset_B;
    void *memory = NULL;
    if (!family->map_offset(file, take_byte(input) % 8u + 1, &offset_B) ||
        drm_file_mmap(file, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, offset_B, &memory))
        return;
    take_input(input, memory, 256);
    drm_device_memory_unmapped(file->device, memory, 4096);
    munmap(memory, 4096);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    log_set_level(LOG_LEVEL_ERROR);
    arena = mmap((void *)ARENA_VA, ARENA_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                 -1, 0);
    if (arena == MAP_FAILED || !freopen("/dev/null", "w", argc ? stdout : stdin))
        abort();
    return 0;
}

void fuzz_run_calls(const struct fuzz_family *family, struct drm_file *const files[2], const uint8_t *bytes,
                    size_t size_B)
{
    struct input input = {bytes, size_B};
    fd_count = 0;
    while (input.size_B) {
        uint8_t what = take_byte(&input);
        struct drm_file *file = files[what >> 7];
        unsigned index = what & 0x7f;
        if (index < family->call_count)
            run_call(family, file, &family->calls[index], &input);
        else if (index == family->call_count)
            map_and_write(family, file, &input);
        else
            take_input(&input, arena, 64 + 16 * (index - family->call_count)); /* at most 2.1 KiB */
    }
    for (unsigned i = 0; i < fd_count; i++)
        close(fds[i]);
}

struct drm_device *fuzz_open_device(const struct fuzz_family *family, struct drm_file *files_out[2])
{
    struct drm_device *device = family->create();
    files_out[0] = device ? family->open(device, KERNEL_NODE_RENDER) : NULL;
    files_out[1] = device ? family->open(device, KERNEL_NODE_PRIMARY) : NULL;
    if (!files_out[0] || !files_out[1])
        abort();
    return device;
}

void fuzz_close_device(struct drm_device *device, struct drm_file *const files[2])
{
    device->driver->file_close(files[0]);
    device->driver->file_close(files[1]);
    device->driver->device_destroy(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_B)
{
    struct drm_file *files[2];
    struct drm_device *device = fuzz_open_device(&fuzz_family, files);
    fuzz_run_calls(&fuzz_family, files, bytes, size_B);
    fuzz_close_device(device, files);
    return 0;
}
