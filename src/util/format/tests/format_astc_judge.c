/* Judge: ASTC of util/format against Arm's codec (package libastcenc3d), which is written by the format's authors.
 * Blocks of every block mode, partition pattern and kind of void extent (blocks.h) are decoded by both; all texels must
 * be equal: as binary16, as sRGB codes, as 8-bit linear codes.
 *
 * The library's header is C++, so its calls stand here as the ABI of that soname has them.
 * Reproduce one format with: format_astc_judge VK_FORMAT_ASTC_6x5_UNORM_BLOCK */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/format/astc.h"
#include "util/format/format.h"
#include "util/half.h"

#include "blocks.h"

#define BLOCKS_WIDE 64
#define BLOCKS_HIGH (ASTC_BLOCKS / BLOCKS_WIDE)

enum {
    PROFILE_LDR_SRGB = 0,
    PROFILE_LDR = 1,
    TYPE_U8 = 0,
    TYPE_F16 = 1,
    FLAG_DECOMPRESS_ONLY = 1 << 4,
};

struct image {
    unsigned width, height, depth;
    int type;
    void **slices;
};

struct codec {
    int (*config_init)(int profile, unsigned x, unsigned y, unsigned z, float quality, unsigned flags, void *config);
    int (*context_alloc)(const void *config, unsigned threads, void **context);
    int (*decompress)(void *context, const uint8_t *data, size_t size_B, struct image *image, const int swizzle[4],
                      unsigned thread);
    void (*context_free)(void *context);
};

static uint8_t blocks[ASTC_BLOCKS][16];
static uint16_t halves[ASTC_BLOCKS * FORMAT_BLOCK_MAX_TEXELS][4];
static uint8_t codes[ASTC_BLOCKS * FORMAT_BLOCK_MAX_TEXELS][4];

/* A failure of the library itself says nothing about our decoder. */
static void check_result(int error, const char *what)
{
    if (error) {
        printf("Bail out! astcenc: %s answers %d\n", what, error);
        exit(2);
    }
}

static bool open_codec(struct codec *codec)
{
    void *library = dlopen("libastcenc.so.3d", RTLD_NOW);
    if (!library)
        return false;
    *(void **)&codec->config_init = dlsym(library, "astcenc_config_init");
    *(void **)&codec->context_alloc = dlsym(library, "astcenc_context_alloc");
    *(void **)&codec->decompress = dlsym(library, "astcenc_decompress_image");
    *(void **)&codec->context_free = dlsym(library, "astcenc_context_free");
    check_result(!codec->config_init || !codec->context_alloc || !codec->decompress || !codec->context_free,
                 "the library");
    return true;
}

/* All blocks, as rows of one picture, in `dst`. */
static void decode_by_judge(const struct codec *codec, const struct format_info *info, int type, void *dst)
{
    static const int swizzle[4] = {0, 1, 2, 3};
    _Alignas(16) uint8_t config[4096]; /* the struct is private to the library; it has less than 300 bytes */
    void *context;
    struct image image = {BLOCKS_WIDE * info->block_width, BLOCKS_HIGH * info->block_height, 1, type, &dst};
    check_result(codec->config_init(format_is_srgb(info) ? PROFILE_LDR_SRGB : PROFILE_LDR, info->block_width,
                                    info->block_height, 1, 0, FLAG_DECOMPRESS_ONLY, config),
                 "config_init");
    check_result(codec->context_alloc(config, 1, &context), "context_alloc");
    check_result(codec->decompress(context, blocks[0], sizeof(blocks), &image, swizzle, 0), "decompress_image");
    codec->context_free(context);
}

/* The error colour of the LDR profile is (1, 0, 1, 1). The judge has NaN for illegal blocks, and for HDR endpoints
 * 255/256 instead of 1. */
static void judged_floats(float dst[4], const uint16_t half[4])
{
    static const float magenta[4] = {1, 0, 1, 1};
    static const uint16_t hdr_error[4] = {0x3bf8, 0, 0x3bf8, 0x3bf8};
    for (unsigned i = 0; i < 4; i++)
        dst[i] = half_to_float(half[i]);
    if (isnan(dst[0]) || memcmp(half, hdr_error, sizeof(hdr_error)) == 0)
        memcpy(dst, magenta, sizeof(magenta));
}

struct tally {
    unsigned wrong;          /* blocks */
    unsigned decoded;        /* blocks that are not all error colour */
    bool modes[2048];        /* of those */
    bool endpoint_modes[16]; /* of those with one partition */
    bool partitions[5];
    unsigned voids;
};

static void note_block(struct tally *tally, const uint8_t *block, bool is_decoded)
{
    if (!is_decoded)
        return;
    unsigned low = block[0] | (unsigned)block[1] << 8, mode = low & 0x7ff, count = (low >> 11 & 3) + 1;
    tally->decoded++;
    if ((low & 0x1ff) == 0x1fc) {
        tally->voids++;
        return;
    }
    tally->modes[mode] = true;
    tally->partitions[count] = true;
    if (count == 1)
        tally->endpoint_modes[low >> 13 | (block[2] & 1u) << 3] = true;
}

/* Compares a block; prints the first differences. */
static void judge_block(struct tally *tally, const struct format_info *info, unsigned number)
{
    unsigned width = info->block_width, height = info->block_height, pitch = BLOCKS_WIDE * width;
    bool srgb = format_is_srgb(info), is_decoded = false, is_wrong = false;
    float texels[FORMAT_BLOCK_MAX_TEXELS][4];
    uint8_t ours[FORMAT_BLOCK_MAX_TEXELS][4];
    is_wrong |= !format_decode_block_float(info->format, texels, blocks[number]) ||
                !format_decode_block_unorm8(info->format, ours, blocks[number]);
    for (unsigned texel = 0; texel < width * height && !is_wrong; texel++) {
        size_t at = ((size_t)(number / BLOCKS_WIDE) * height + texel / width) * pitch + number % BLOCKS_WIDE * width +
                    texel % width;
        float floats[4] = {0};
        if (!srgb)
            judged_floats(floats, halves[at]);
        for (unsigned channel = 0; channel < 4 && !is_wrong; channel++) {
            float theirs = floats[channel];
            /* The upper eight bits of the number that was rounded down to the binary16; 1 is 65535. */
            unsigned code = srgb ? codes[at][channel] : theirs >= 1 ? 255 : (unsigned)(theirs * 256);
            is_decoded |= code != (channel == 1 ? 0 : 255);
            if (ours[texel][channel] == code && (srgb || texels[texel][channel] == theirs))
                continue;
            is_wrong = true;
            if (tally->wrong < 3) {
                printf("# block %u:", number);
                for (unsigned i = 0; i < 16; i++)
                    printf(" %02x", blocks[number][i]);
                printf("\n# texel %u, channel %u: ours %a and %u, astcenc's %a and %u\n", texel, channel,
                       (double)texels[texel][channel], ours[texel][channel], (double)theirs, code);
            }
        }
    }
    tally->wrong += is_wrong;
    note_block(tally, blocks[number], is_decoded);
}

/* Whether every path through the decoder was taken by a block that the judge decodes, too. */
static bool is_complete(const struct tally *tally, const struct format_info *info, unsigned *modes_out)
{
    static const uint8_t ldr_modes[] = {0, 1, 4, 5, 6, 8, 9, 10, 12, 13};
    bool complete = tally->voids > 0;
    *modes_out = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(ldr_modes); i++)
        complete &= tally->endpoint_modes[ldr_modes[i]];
    for (unsigned i = 1; i <= 4; i++)
        complete &= tally->partitions[i];
    for (unsigned i = 0; i < 2048; i++) {
        const struct astc_mode *mode = &astc_modes[i];
        bool fits = mode->width && mode->width <= info->block_width && mode->height <= info->block_height;
        complete &= tally->modes[i] == fits;
        *modes_out += tally->modes[i];
    }
    return complete;
}

int main(int argc, char **argv)
{
    struct codec codec;
    if (!open_codec(&codec)) {
        printf("ok 1 - ASTC against astcenc # SKIP package libastcenc3d is not installed\n1..1\n");
        return 0;
    }
    blocks_restart();
    for (unsigned number = 0; number < ASTC_BLOCKS; number++)
        blocks_make_astc(blocks[number], number);
    unsigned cases = 0, failed = 0;
    for (unsigned index = 0; index < format_count; index++) {
        const struct format_info *info = format_info_at(index);
        if (info->compression != FORMAT_COMPRESSION_ASTC_LDR || (argc > 1 && strcmp(argv[1], info->name)))
            continue;
        struct tally tally = {0};
        unsigned modes;
        if (format_is_srgb(info))
            decode_by_judge(&codec, info, TYPE_U8, codes);
        else
            decode_by_judge(&codec, info, TYPE_F16, halves);
        for (unsigned number = 0; number < ASTC_BLOCKS; number++)
            judge_block(&tally, info, number);
        bool passed = is_complete(&tally, info, &modes) && !tally.wrong;
        printf("%s %u - %s: %u blocks as astcenc decodes them\n", passed ? "ok" : "not ok", ++cases, info->name,
               ASTC_BLOCKS);
        printf("# %u legal blocks, %u block modes, %u void extents; blocks that differ: %u\n", tally.decoded, modes,
               tally.voids, tally.wrong);
        failed += !passed;
    }
    printf("1..%u\n", cases);
    return failed || !cases;
}
