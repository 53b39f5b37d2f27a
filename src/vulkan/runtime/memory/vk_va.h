/* Addresses of a GPU: which parts of one range are free. For families whose user space chooses where buffers lie; a
 * device has one for each range that its hardware tells apart (halves, windows of 32-bit pointers).
 *
 * Functions answer 0 or -errno and are thread-safe. */
#ifndef VULKAN_RUNTIME_VK_VA_H
#define VULKAN_RUNTIME_VK_VA_H

#include <pthread.h>
#include <stdint.h>

#include "util/ordered.h"

struct vk_va {
    pthread_mutex_t lock;
    struct ordered holes;      /* by address; neighbours never touch */
    uint64_t hint_va[64];      /* below it no hole has 2^n bytes */
    uint64_t start_va, end_va; /* equal: nothing here */
};

int vk_va_init(struct vk_va *va, uint64_t start_va, uint64_t end_va);
void vk_va_finish(struct vk_va *va);
/* The lowest place that fits; -ENOMEM when there is none. `align_B` is a power of two. */
int vk_va_alloc(struct vk_va *va, uint64_t size_B, uint64_t align_B, uint64_t *va_out);
/* A place that the caller chose; -EBUSY where part of it is taken. */
int vk_va_alloc_at(struct vk_va *va, uint64_t at_va, uint64_t size_B);
int vk_va_free(struct vk_va *va, uint64_t at_va, uint64_t size_B);

#endif
