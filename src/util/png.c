/* See png.h. Where filters help at all, a row has the one whose differences are smallest in sum, as the specification
 * recommends. */
#include "util/png.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/bits.h"
#include "util/deflate.h"
#include "util/file_limit.h"

enum {
    PIXEL_B = 3,
    FILTERS = 3, /* none, the pixel on the left, the one above */
    BAND = 16,   /* rows that a sample takes together */
    SAMPLED = 8, /* one band of so many is in it */
};

struct picture {
    const uint8_t *pixels;
    uint32_t width, height;
    bool is_bgra;
    size_t row_B;
    uint8_t *row, *above;       /* each with a pixel of zeros before it */
    uint8_t *filtered[FILTERS]; /* the row by each filter */
};

/* ---- rows ---- */

static void take_row(const struct picture *picture, uint8_t *restrict row, uint32_t y)
{
    const uint8_t *restrict pixels = picture->pixels + (size_t)y * picture->width * 4;
    const unsigned red = picture->is_bgra ? 2 : 0;
    for (uint32_t x = 0; x < picture->width; x++) {
        row[PIXEL_B * x] = pixels[4 * x + red];
        row[PIXEL_B * x + 1] = pixels[4 * x + 1];
        row[PIXEL_B * x + 2] = pixels[4 * x + 2 - red];
    }
}

/* The sum of the differences, each as a number with a sign. */
static uint64_t subtract_row(uint8_t *restrict out, const uint8_t *restrict row, const uint8_t *restrict from,
                             size_t size_B)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size_B; i++) {
        out[i] = (uint8_t)(row[i] - from[i]);
        sum += (unsigned)abs((int8_t)out[i]);
    }
    return sum;
}

/* The filter's number and the row's bytes. */
static void put_row(const struct picture *picture, uint8_t *out, uint32_t y, bool is_filtered)
{
    unsigned best = 0;
    take_row(picture, is_filtered ? picture->row : out + 1, y);
    if (is_filtered) {
        uint64_t sums[FILTERS];
        if (y)
            take_row(picture, picture->above, y - 1);
        else
            memset(picture->above, 0, picture->row_B);
        for (unsigned i = 0; i < FILTERS; i++) {
            const uint8_t *const from[FILTERS] = {picture->filtered[FILTERS - 1] + picture->row_B,
                                                  picture->row - PIXEL_B, picture->above};
            sums[i] = subtract_row(picture->filtered[i], picture->row, from[i], picture->row_B);
            best = sums[i] < sums[best] ? i : best;
        }
        memcpy(out + 1, picture->filtered[best], picture->row_B);
    }
    out[0] = (uint8_t)best;
}

/* Every row, or a sample: one band of SAMPLED. */
static uint8_t *compress_rows(const struct picture *picture, uint8_t *rows, bool is_filtered, bool is_sample,
                              size_t *size_B_out)
{
    uint8_t *out = rows;
    for (uint32_t y = 0; y < picture->height; y++) {
        if (is_sample && y / BAND % SAMPLED)
            continue;
        put_row(picture, out, y, is_filtered);
        out += picture->row_B + 1;
    }
    return deflate_zlib(rows, (size_t)(out - rows), size_B_out);
}

/* Filters make gradients short, and flat colours and text longer: a sample tells. What saves less than a sixteenth is
 * left, for such differences take long to compress. */
static bool is_shorter_filtered(const struct picture *picture, uint8_t *rows)
{
    size_t sizes_B[2] = {0};
    for (unsigned i = 0; i < 2; i++)
        free(compress_rows(picture, rows, i, true, &sizes_B[i]));
    return sizes_B[1] < sizes_B[0] - sizes_B[0] / 16;
}

/* NULL: out of memory. */
static uint8_t *compress_picture(struct picture *picture, size_t *size_B_out)
{
    const size_t row_B = picture->row_B;
    uint8_t *rows = malloc((row_B + 1) * picture->height + 1);
    uint8_t *scratch = calloc(FILTERS + 3, row_B + PIXEL_B), *data = NULL;
    if (rows && scratch) {
        picture->row = scratch + PIXEL_B;
        picture->above = picture->row + row_B + PIXEL_B;
        for (unsigned i = 0; i < FILTERS; i++)
            picture->filtered[i] = picture->above + (i + 1) * row_B;
        data = compress_rows(picture, rows, is_shorter_filtered(picture, rows), false, size_B_out);
    }
    free(rows);
    free(scratch);
    return data;
}

/* ---- the file ---- */

static uint32_t crc32(uint32_t sum, const uint8_t *bytes, size_t size_B)
{
    static const uint32_t nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                         0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                         0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    for (size_t i = 0; i < size_B; i++) {
        sum ^= bytes[i];
        sum = sum >> 4 ^ nibbles[sum & 15];
        sum = sum >> 4 ^ nibbles[sum & 15];
    }
    return sum;
}

static void put32(uint8_t *at, uint32_t value)
{
    const uint32_t swapped = __builtin_bswap32(value); /* all our machines are little-endian */
    memcpy(at, &swapped, sizeof(swapped));
}

static void write_chunk(FILE *file, const char *kind, const uint8_t *data, size_t size_B)
{
    uint8_t head[8], tail[4];
    put32(head, (uint32_t)size_B);
    memcpy(head + 4, kind, 4);
    put32(tail, ~crc32(crc32(~0u, head + 4, 4), data, size_B));
    fwrite(head, 1, sizeof(head), file);
    fwrite(data, 1, size_B, file);
    fwrite(tail, 1, sizeof(tail), file);
}

static void write_chunks(FILE *file, const uint8_t *data, size_t data_B, uint32_t width, uint32_t height)
{
    uint8_t header[13] = {[8] = 8 /* bits a channel */, [9] = 2 /* RGB */};
    put32(header, width);
    put32(header + 4, height);
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
    write_chunk(file, "IHDR", header, sizeof(header));
    write_chunk(file, "IDAT", data, data_B);
    write_chunk(file, "IEND", data, 0);
}

static int write_file(const char *path, const uint8_t *data, size_t data_B, uint32_t width, uint32_t height)
{
    char *beside = NULL;
    if (asprintf(&beside, "%s.%ld", path, (long)getpid()) < 0)
        return -ENOMEM;
    errno = 0;
    FILE *file = fopen(beside, "wbe");
    int error = file ? 0 : errno;
    if (file) {
        struct file_limit limit = file_limit_enter();
        write_chunks(file, data, data_B, width, height);
        bool failed = ferror(file);
        failed |= fclose(file) != 0;
        file_limit_leave(limit);
        if (failed || rename(beside, path) != 0) {
            error = errno ? errno : EIO;
            unlink(beside);
        }
    }
    free(beside);
    return -error;
}

int png_write(const char *path, const void *pixels, uint32_t width, uint32_t height, bool is_bgra)
{
    struct picture picture = {
        .pixels = pixels, .width = width, .height = height, .is_bgra = is_bgra, .row_B = (size_t)width * PIXEL_B};
    size_t data_B = 0;
    uint8_t *data = compress_picture(&picture, &data_B);
    int error = data ? write_file(path, data, data_B, width, height) : -ENOMEM;
    free(data);
    return error;
}
