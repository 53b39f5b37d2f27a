/* `tuff decode` on anything: a stream, whose memory is the input as well, a capture, a descriptor; and layouts of
 * whatever image the bytes ask for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/decode.h"
#include "adreno/hw/tiling/surface.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

struct memory {
    const uint32_t *words;
    size_t count_dw;
};

/* Addresses below the input's size are in it. */
static const uint32_t *read_memory(void *data, uint64_t va, uint32_t count_dw)
{
    struct memory *memory = data;
    if (va / 4 > memory->count_dw || count_dw > memory->count_dw - va / 4)
        return NULL;
    return memory->words + va / 4;
}

static void check_problem(void *data, uint64_t va, uint64_t offset_B, const char *message)
{
    (void)data, (void)va, (void)offset_B;
    if (message[0] == '\0')
        abort();
}

static void drop_text(void *data, struct strbuf *out)
{
    (void)data;
    if (out->length != strlen(out->text))
        abort();
    strbuf_clear(out);
}

/* Levels that are accepted lie one after the other and in the image. */
static void lay_out(const uint32_t *words)
{
    struct adreno_surface_info info = {
        .width = words[0] & 0xffff,
        .height = words[0] >> 16,
        .depth = words[1] & 0xff,
        .levels = words[1] >> 8 & 0xff,
        .layers = words[1] >> 16 & 0xff,
        .samples = words[1] >> 24 & 15,
        .block_B = (uint8_t)words[2],
        .block_w = (uint8_t)(words[2] >> 8 & 15),
        .block_h = (uint8_t)(words[2] >> 12 & 15),
        .is_volume = words[2] >> 16 & 1,
        .is_depth = words[2] >> 17 & 1,
        .is_two_bytes = words[2] >> 18 & 1,
        .is_luma = words[2] >> 19 & 1,
        .is_tiled = words[2] >> 20 & 1,
        .has_ubwc = words[2] >> 21 & 1,
        .pitch_B = words[3] & 0xfffff,
    };
    struct adreno_surface s;
    if (!adreno_surface_init(&s, &adreno_chips[words[3] >> 31], &info))
        return;
    for (uint32_t i = 0; i < s.level_count; i++) {
        if (s.levels[i].offset_B + s.levels[i].slice_B > s.size_B ||
            (i && s.levels[i].offset_B < s.levels[i - 1].offset_B))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static const char *const names[] = {"SAMPLER", "IMAGE", "PLANES", "BUFFER", "UBO"};
    if (size_B < 1)
        return 0;
    /* The first byte chooses the options; the rest, copied to its exact size, lets the sanitizer see an overrun. */
    size_t count_dw = (size_B - 1) / 4;
    uint32_t *words = malloc(count_dw ? count_dw * 4 : 1);
    if (!words)
        return 0;
    memcpy(words, data + 1, count_dw * 4);
    struct memory memory = {words, count_dw};
    struct hw_decode_options options = {
        .all_fields = data[0] & 0x10,
        .policies = data[0] & 0x20,
        .read = data[0] & 0x40 ? read_memory : NULL,
        .problem = check_problem,
        .flush = drop_text,
        .data = &memory,
    };
    struct strbuf out = {0};
    if (data[0] & 0x80)
        adreno_decode_capture(&out, &options, words, count_dw * 4);
    else
        adreno_decode_stream(&out, &options, words, count_dw);
    if (count_dw >= 2)
        adreno_decode_register(&out, &options, words[0] & 0x1ffff, words[1]);
    if (count_dw >= 4)
        lay_out(words);
    if (count_dw >= 16)
        adreno_decode_descriptor(&out, &options, names[data[0] % 5], words);
    strbuf_finish(&out);
    free(words);
    return 0;
}
