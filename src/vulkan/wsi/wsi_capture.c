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

#include "util/file_limit.h"
#include "util/log.h"
#include "vulkan/runtime/sync/vk_time.h"

#define REWRITE_NS 1000000000ull

/* ---- PNG ---- */

static uint32_t crc_table[256];
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void make_crc_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
        crc_table[i] = value;
    }
}

static uint32_t crc(uint32_t sum, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum = sum >> 8 ^ crc_table[(sum ^ bytes[i]) & 0xff];
    return sum;
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void write_chunk(FILE *file, const char *kind, const uint8_t *data, size_t size_B)
{
    uint8_t head[8], tail[4];
    put32(head, (uint32_t)size_B);
    memcpy(head + 4, kind, 4);
    put32(tail, ~crc(crc(~0u, head + 4, 4), data, size_B));
    fwrite(head, 1, sizeof(head), file);
    fwrite(data, 1, size_B, file);
    fwrite(tail, 1, sizeof(tail), file);
}

/* Each row begins with its filter: none. */
static void fill_rows(uint8_t *rows, const uint8_t *pixels, uint32_t width, uint32_t height, bool is_bgra)
{
    unsigned red = is_bgra ? 2 : 0;
    for (uint32_t y = 0; y < height; y++) {
        *rows++ = 0;
        for (uint32_t x = 0; x < width; x++, pixels += 4, rows += 3) {
            rows[0] = pixels[red];
            rows[1] = pixels[1];
            rows[2] = pixels[2 - red];
        }
    }
}

enum {
    STORED_B = 65535 /* in one block of deflate */
};

/* zlib's container around stored blocks. */
static size_t store(uint8_t *out, const uint8_t *raw, size_t raw_B)
{
    uint8_t *at = out;
    uint32_t a = 1, b = 0;
    *at++ = 0x78;
    *at++ = 0x01;
    for (size_t done_B = 0; done_B < raw_B;) {
        size_t block_B = raw_B - done_B < STORED_B ? raw_B - done_B : STORED_B;
        at[0] = done_B + block_B == raw_B;
        at[1] = (uint8_t)block_B, at[2] = (uint8_t)(block_B >> 8);
        at[3] = (uint8_t)~block_B, at[4] = (uint8_t)(~block_B >> 8);
        memcpy(at + 5, raw + done_B, block_B);
        at += 5 + block_B;
        done_B += block_B;
    }
    for (size_t i = 0; i < raw_B; i++) {
        a = (a + raw[i]) % 65521;
        b = (b + a) % 65521;
    }
    put32(at, b << 16 | a);
    return (size_t)(at + 4 - out);
}

static void write_file(FILE *file, const uint8_t *data, size_t data_B, uint32_t width, uint32_t height)
{
    uint8_t header[13] = {0};
    put32(header, width);
    put32(header + 4, height);
    header[8] = 8; /* bits a channel */
    header[9] = 2; /* RGB */
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
    write_chunk(file, "IHDR", header, sizeof(header));
    write_chunk(file, "IDAT", data, data_B);
    write_chunk(file, "IEND", (const uint8_t *)"", 0);
}

/* RGB, without compression. 0 or -errno; the file is there whole or not at all. */
static int wsi_write_png(const char *path, const void *pixels, uint32_t width, uint32_t height, bool is_bgra)
{
    size_t raw_B = ((size_t)width * 3 + 1) * height, blocks = (raw_B + STORED_B - 1) / STORED_B;
    char *beside = NULL;
    uint8_t *raw = malloc(raw_B), *data = malloc(raw_B + blocks * 5 + 6);
    int error = ENOMEM;
    if (!raw || !data || asprintf(&beside, "%s.%ld", path, (long)getpid()) < 0)
        goto out;
    pthread_once(&crc_once, make_crc_table);
    fill_rows(raw, pixels, width, height, is_bgra);
    errno = 0;
    FILE *file = fopen(beside, "wbe");
    error = file ? 0 : errno;
    if (error)
        goto out;
    struct file_limit limit = file_limit_enter();
    write_file(file, data, store(data, raw, raw_B), width, height);
    bool failed = ferror(file);
    failed |= fclose(file) != 0;
    file_limit_leave(limit);
    if (failed || rename(beside, path) != 0) {
        error = errno ? errno : EIO;
        unlink(beside);
    }
out:
    free(beside);
    free(raw);
    free(data);
    return -error;
}

/* ---- capture ---- */

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
    int error = wsi_write_png(capture.path, capture.pixels, capture.width, capture.height, capture.is_bgra);
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

static void keep(const void *pixels, uint32_t width, uint32_t height, VkFormat format)
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
        keep(pixels, width, height, format);
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
