/* `tuff decode` on anything: the input is the stream and, for indirect buffers, the GPU memory as well. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "amd/hw/decode.h"

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

/* The report must be a text, and inside the buffer. */
static void check_problem(void *data, uint64_t va, uint64_t offset_B, const char *message)
{
    struct memory *memory = data;
    if (message[0] == '\0' || va / 4 + offset_B / 4 > memory->count_dw)
        abort();
}

static void drop_text(void *data, struct strbuf *out)
{
    (void)data;
    if (out->length != strlen(out->text))
        abort();
    strbuf_clear(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
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
        .generation = (enum amd_gfx)(data[0] % AMD_GFX_COUNT),
        .stream = data[0] & 0x80 ? AMD_STREAM_SDMA : AMD_STREAM_PM4,
        .all_fields = data[0] & 0x10,
        .policies = data[0] & 0x20,
        .read = data[0] & 0x40 ? read_memory : NULL,
        .problem = check_problem,
        .flush = drop_text,
        .data = &memory,
    };
    struct strbuf out = {0};
    amd_decode_stream(&out, &options, words, count_dw);
    if (count_dw >= 2)
        amd_decode_register(&out, &options, words[0] & 0x3fffc, words[1]);
    if (count_dw >= 8) {
        amd_decode_descriptor(&out, &options, "BUFFER", words);
        amd_decode_descriptor(&out, &options, "IMAGE", words);
        amd_decode_descriptor(&out, &options, "SAMPLER", words);
    }
    strbuf_finish(&out);
    free(words);
    return 0;
}
