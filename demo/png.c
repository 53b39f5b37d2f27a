/* See png.h. */
#include "png.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t crc(uint32_t sum, const uint8_t *bytes, size_t count)
{
    sum = ~sum;
    for (size_t i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void chunk(FILE *file, const char *kind, const uint8_t *data, uint32_t size_B)
{
    uint8_t head[8], tail[4];
    put32(head, size_B);
    memcpy(head + 4, kind, 4);
    put32(tail, crc(crc(0, head + 4, 4), data, size_B));
    fwrite(head, 1, 8, file);
    fwrite(data, 1, size_B, file);
    fwrite(tail, 1, 4, file);
}

bool png_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height)
{
    FILE *file = fopen(path, "wb");
    size_t row_B = 1 + (size_t)width * 3, raw_B = row_B * height, blocks = (raw_B + 65534) / 65535;
    uint8_t *out = malloc(raw_B + blocks * 5 + 6), *at = out, header[13] = {0}, *raw = malloc(raw_B);
    if (!file || !out || !raw)
        return false;
    uint32_t a = 1, b = 0;
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *row = raw + y * row_B;
        row[0] = 0;
        for (uint32_t x = 0; x < width; x++)
            memcpy(row + 1 + x * 3, rgba + ((size_t)y * width + x) * 4, 3);
    }
    for (size_t i = 0; i < raw_B; i++) {
        a = (a + raw[i]) % 65521;
        b = (b + a) % 65521;
    }
    *at++ = 0x78;
    *at++ = 0x01;
    for (size_t done_B = 0; done_B < raw_B;) {
        uint16_t part_B = (uint16_t)(raw_B - done_B < 65535 ? raw_B - done_B : 65535);
        *at++ = done_B + part_B == raw_B;
        *at++ = part_B & 0xff;
        *at++ = part_B >> 8;
        *at++ = ~part_B & 0xff;
        *at++ = (uint8_t)(~part_B >> 8);
        memcpy(at, raw + done_B, part_B);
        at += part_B;
        done_B += part_B;
    }
    put32(at, b << 16 | a);
    at += 4;
    put32(header, width);
    put32(header + 4, height);
    header[8] = 8; /* bits a channel */
    header[9] = 2; /* RGB */
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
    chunk(file, "IHDR", header, 13);
    chunk(file, "IDAT", out, (uint32_t)(at - out));
    chunk(file, "IEND", out, 0);
    free(raw);
    free(out);
    return fclose(file) == 0;
}
