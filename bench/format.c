/* How many texels a second the formats fetch, store and decode on one core. Informational: no claim hangs on it. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "util/bits.h"
#include "util/format/format.h"

#define TEXELS 4096 /* rows that stay in the first caches */
#define MIN_SECONDS 0.1

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static float texels[TEXELS][4];
static uint8_t bytes[TEXELS * 16];
static const void *sources[TEXELS];
static void *targets[TEXELS];

enum work {
    WORK_FETCH,
    WORK_STORE,
    WORK_DECODE,
};

static void run_once(enum work work, const struct format_info *info, const struct format_codec *codec)
{
    switch (work) {
    case WORK_FETCH:
        codec->fetch_float(texels, sources, TEXELS);
        return;
    case WORK_STORE:
        codec->store_float(targets, (const float(*)[4])texels, TEXELS);
        return;
    case WORK_DECODE:
        for (unsigned at = 0, block = 0, size = info->block_width * info->block_height; at + size <= TEXELS;
             at += size, block++)
            format_decode_block_float(info->format, texels + at, bytes + block * info->block_size_B);
        return;
    }
}

/* Millions of texels a second; the best of several runs. */
static double measure_rate(enum work work, const struct format_info *info)
{
    const struct format_codec *codec = format_codec(info->format);
    double best = 0;
    for (unsigned run = 0; run < 3; run++) {
        size_t count = 0;
        double start = now(), seconds;
        do {
            for (unsigned i = 0; i < 16; i++)
                run_once(work, info, codec);
            count += 16 * TEXELS;
            seconds = now() - start;
        } while (seconds < MIN_SECONDS);
        best = MAX2(best, (double)count / seconds * 1e-6);
    }
    return best;
}

static void fill_texels(void)
{
    uint32_t state = 1;
    for (unsigned i = 0; i < TEXELS; i++) {
        for (unsigned c = 0; c < 4; c++) {
            state = state * 1664525 + 1013904223;
            texels[i][c] = (float)(state >> 8) * 0x1p-24f;
        }
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(state >> 24);
    }
}

/* Few random ASTC blocks are legal: 4x4 weights of two bits, one partition, two RGB colours. */
static void make_astc_legal(void)
{
    for (size_t i = 0; i < sizeof(bytes); i += 16) {
        bytes[i] = 0x42;
        bytes[i + 1] = 0;
        bytes[i + 2] |= 1;
    }
}

int main(void)
{
    static const enum format formats[] = {
        FORMAT_R8_UNORM,
        FORMAT_R8G8B8A8_UNORM,
        FORMAT_B8G8R8A8_UNORM,
        FORMAT_R8G8B8A8_SNORM,
        FORMAT_R8G8B8A8_SRGB,
        FORMAT_B5G6R5_UNORM_PACK16,
        FORMAT_R16G16B16A16_UNORM,
        FORMAT_R16G16B16A16_SFLOAT,
        FORMAT_R32G32B32A32_SFLOAT,
        FORMAT_A2B10G10R10_UNORM_PACK32,
        FORMAT_B10G11R11_UFLOAT_PACK32,
        FORMAT_E5B9G9R9_UFLOAT_PACK32,
        FORMAT_D16_UNORM,
        FORMAT_D24_UNORM_S8_UINT,
    };
    static const enum format blocks[] = {
        FORMAT_BC1_RGBA_UNORM_BLOCK,    FORMAT_BC1_RGBA_SRGB_BLOCK,      FORMAT_BC3_UNORM_BLOCK,
        FORMAT_BC5_SNORM_BLOCK,         FORMAT_BC6H_UFLOAT_BLOCK,        FORMAT_BC7_UNORM_BLOCK,
        FORMAT_ETC2_R8G8B8_UNORM_BLOCK, FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK, FORMAT_EAC_R11G11_UNORM_BLOCK,
        FORMAT_ASTC_4x4_UNORM_BLOCK,    FORMAT_ASTC_4x4_SRGB_BLOCK,      FORMAT_ASTC_8x8_UNORM_BLOCK,
    };
    printf("%-42s %9s %9s  million texels a second, float\n", "", "fetch", "store");
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
        const struct format_info *info = format_info(formats[i]);
        fill_texels();
        for (unsigned n = 0; n < TEXELS; n++)
            sources[n] = targets[n] = bytes + (size_t)(n * 769 % TEXELS) * info->block_size_B;
        double store = measure_rate(WORK_STORE, info);
        fill_texels();
        printf("%-42s %9.0f %9.0f\n", info->name, measure_rate(WORK_FETCH, info), store);
    }
    printf("%-42s %9s\n", "", "decode");
    for (unsigned i = 0; i < ARRAY_SIZE(blocks); i++) {
        const struct format_info *info = format_info(blocks[i]);
        fill_texels();
        if (info->compression == FORMAT_COMPRESSION_ASTC_LDR)
            make_astc_legal();
        printf("%-42s %9.0f\n", info->name, measure_rate(WORK_DECODE, info));
    }
    return 0;
}
