/* The last picture is kept and written when its swapchain or the process ends, so that a program that presents a
 * thousand pictures in a second writes one. One that is killed or crashes leaves a picture of its last second: a
 * picture is also written when the last writing is longer ago than that. */
#include "vulkan/wsi/wsi_capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"
#include "util/png.h"
#include "vulkan/runtime/sync/vk_time.h"

#define REWRITE_NS 1000000000ull

static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    const char *path;
    uint64_t end_at; /* 0: never */
    uint64_t count;
    uint8_t *pixels;
    size_t capacity_B;
    uint32_t width, height;
    bool is_bgra, is_new;
    uint64_t written_ns; /* 0: never */
} capture = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static void read_environment(void)
{
    const char *path = secure_getenv("TUFF_PRESENT_PNG"), *frames = secure_getenv("TUFF_PRESENT_FRAMES");
    if (path && *path)
        capture.path = strdup(path); /* the application may change its environment */
    if (frames && *frames) {
        char *end;
        capture.end_at = strtoull(frames, &end, 10);
        if (*end)
            LOG_WARN("wsi", "TUFF_PRESENT_FRAMES=%s is no number", frames);
    }
}

/* With the lock held. */
static void write_picture(void)
{
    if (!capture.is_new)
        return;
    int error = png_write(capture.path, capture.pixels, capture.width, capture.height, capture.is_bgra);
    if (error)
        LOG_ERROR("wsi", "cannot write %s: %s", capture.path, strerror(-error));
    capture.is_new = false;
    capture.written_ns = vk_time_now_ns();
}

void wsi_capture_flush(void)
{
    pthread_mutex_lock(&capture.lock);
    write_picture();
    pthread_mutex_unlock(&capture.lock);
}

__attribute__((destructor)) static void at_exit(void)
{
    /* A thread that was ended inside would keep the lock for ever. */
    if (pthread_mutex_trylock(&capture.lock) != 0)
        return;
    write_picture();
    pthread_mutex_unlock(&capture.lock);
}

static void keep_picture(const void *pixels, uint32_t width, uint32_t height, VkFormat format)
{
    size_t size_B = (size_t)width * height * 4;
    if (size_B > capture.capacity_B) {
        uint8_t *bigger = realloc(capture.pixels, size_B);
        if (!bigger) {
            LOG_WARN("wsi", "no memory to keep a picture");
            return;
        }
        capture.pixels = bigger;
        capture.capacity_B = size_B;
    }
    memcpy(capture.pixels, pixels, size_B);
    capture.width = width;
    capture.height = height;
    capture.is_bgra = format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_B8G8R8A8_SRGB;
    capture.is_new = true;
}

bool wsi_capture_wants_pixels(void)
{
    pthread_once(&capture.once, read_environment);
    return capture.path != NULL;
}

void wsi_capture_frame(const void *pixels, uint32_t width, uint32_t height, VkFormat format)
{
    pthread_once(&capture.once, read_environment);
    if (!capture.path && !capture.end_at)
        return;
    pthread_mutex_lock(&capture.lock);
    capture.count++;
    if (capture.path)
        keep_picture(pixels, width, height, format);
    if (capture.written_ns == 0 || vk_time_now_ns() - capture.written_ns > REWRITE_NS)
        write_picture();
    if (capture.count == capture.end_at) {
        write_picture();
        /* Not exit: the application's own threads run, and would meet what its handlers take down. Nor all files: one
         * of those threads may hold one, waiting for input. */
        fflush(stdout);
        _exit(0);
    }
    pthread_mutex_unlock(&capture.lock);
}
