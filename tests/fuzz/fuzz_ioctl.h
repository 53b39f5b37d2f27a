/* Fuzzing a kernel driver's model: any sequence of ioctls by two files that share buffers. Whatever a program passes
 * ends in an errno, and what it leaves open is cleaned up. The input is a list of calls; a call's struct is taken from
 * it byte by byte, its pointers point into memory that was filled from the input, too, unless the input says otherwise.
 * A family gives its calls, and a GPU that reads streams and ends every job at once. */
#ifndef TESTS_FUZZ_FUZZ_IOCTL_H
#define TESTS_FUZZ_FUZZ_IOCTL_H

#include <drm.h>
#include <stddef.h>
#include <stdint.h>

#include "model/drm/drm_device.h"

#define FUZZ_POINTERS 3

struct fuzz_call {
    unsigned long request;
    uint16_t pointers[FUZZ_POINTERS]; /* offsets of 64-bit pointers in the struct, and 1 */
};

#define FUZZ_AT(type, field) (offsetof(struct type, field) + 1)

/* Calls of any driver: at the end of a family's table. */
#define FUZZ_COMMON_CALLS                                                                                              \
    {DRM_IOCTL_GEM_CLOSE, {0}}, {DRM_IOCTL_PRIME_HANDLE_TO_FD, {0}}, {DRM_IOCTL_PRIME_FD_TO_HANDLE, {0}},              \
        {DRM_IOCTL_SYNCOBJ_CREATE, {0}},                                                                               \
    {                                                                                                                  \
        DRM_IOCTL_SYNCOBJ_DESTROY,                                                                                     \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

struct fuzz_family {
    const struct fuzz_call *calls;
    unsigned call_count;
    /* NULL: it cannot be. */
    struct drm_device *(*create)(void);
    struct drm_file *(*open)(struct drm_device *device, enum kernel_node node);
    /* Times are a moment from now at most, and buffers small: what a test has no time and no memory for is no bug. */
    void (*tame)(unsigned long request, void *data);
    /* A call succeeded: keep its fds. May be NULL. */
    void (*keep)(unsigned long request, const void *data);
    /* The offset of a buffer for mmap; false: none. */
    bool (*map_offset)(struct drm_file *file, uint32_t handle, uint64_t *offset_B_out);
};

int fuzz_fd(unsigned number); /* one of those that were kept, or -1 */
void fuzz_keep_fd(int fd);
extern const struct fuzz_family fuzz_family; /* the program's one */

/* A device, and its two nodes. */
struct drm_device *fuzz_open_device(const struct fuzz_family *family, struct drm_file *files_out[2]);
void fuzz_close_device(struct drm_device *device, struct drm_file *const files[2]);
/* The calls of an input; several threads may do so on the same files. */
void fuzz_run_calls(const struct fuzz_family *family, struct drm_file *const files[2], const uint8_t *bytes,
                    size_t size_B);

/* An engine whose jobs are `submit`'s. */
int fuzz_engine_create(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out);
void fuzz_engine_destroy(struct drm_engine *engine);
int fuzz_context_create(struct drm_engine *engine, const struct gpu_space *space,
                        struct drm_engine_context **context_out);
void fuzz_context_destroy(struct drm_engine *engine, struct drm_engine_context *context);
void fuzz_engine_kill(struct drm_engine *engine, struct drm_engine_job *job);
uint64_t fuzz_engine_number(struct drm_engine *engine);

#define FUZZ_ENGINE(submit_)                                                                                           \
    {                                                                                                                  \
        .name = "fuzz", .create = fuzz_engine_create, .destroy = fuzz_engine_destroy,                                  \
        .context_create = fuzz_context_create, .context_destroy = fuzz_context_destroy, .submit = (submit_),           \
        .kill = fuzz_engine_kill, .progress = fuzz_engine_number, .timestamp = fuzz_engine_number,                     \
    }

int LLVMFuzzerInitialize(int *argc, char ***argv); /* NULL: not by libFuzzer, which writes to standard error alone */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

#endif
