/* `tuff decode` on anything: a stream, whose memory is the input as well, a capture, a descriptor; and layouts of
 * whatever image the bytes ask for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mali/hw/decode.h"
#include "mali/hw/table.h"
#include "mali/hw/tiling/surface.h"

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
    const struct mali_surface_info info = {
        .width = words[0] & 0xffff,
        .height = words[0] >> 16,
        .depth = words[1] & 0xff,
        .levels = words[1] >> 8 & 0x1f,
        .layers = words[1] >> 16 & 0xff,
        .samples = words[1] >> 24 & 15,
        .block_B = 1 + (words[2] & 15),
        .block_w = 1 + (words[2] >> 4 & 7),
        .block_h = 1 + (words[2] >> 8 & 7),
        .is_volume = words[2] >> 16 & 1,
        .layout = (enum mali_layout)((words[2] >> 17 & 3) % 3),
        .superblock_w = words[2] >> 20 & 0x7f,
        .has_tiled_headers = words[2] >> 19 & 1,
    };
    struct mali_surface surface;
    uint64_t end_B = 0;
    if (!mali_surface_init(&surface, &info))
        return;
    for (unsigned i = 0; i < info.levels; i++) {
        if (surface.levels[i].offset_B < end_B || !surface.levels[i].row_B)
            abort();
        end_B = surface.levels[i].offset_B + surface.levels[i].size_B;
    }
    if (end_B > surface.layer_B || surface.layer_B * info.layers > surface.size_B)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    struct memory memory = {.count_dw = size_B / 4};
    struct strbuf out = {0};
    uint32_t *words = calloc(memory.count_dw + 64, sizeof(*words));
    if (!words)
        return 0;
    memcpy(words, data, memory.count_dw * 4);
    memory.words = words;
    struct hw_decode_options options = {
        .all_fields = size_B & 1,
        .policies = size_B & 2,
        .read = read_memory,
        .problem = check_problem,
        .flush = drop_text,
        .data = &memory,
    };
    struct mali_decode_queue queue = {{0}, {0}};
    mali_decode_stream(&out, &options, words, memory.count_dw);
    mali_decode_submit(&out, &options, &queue, 0, (uint32_t)memory.count_dw * 4);
    if (mali_is_capture(data, size_B))
        mali_decode_capture(&out, &options, data, size_B);
    for (unsigned i = 0; i < mali_descriptor_count; i++)
        mali_decode_descriptor(&out, &options, hw_name(&mali_descriptors[i]), words);
    lay_out(words);
    strbuf_finish(&out);
    free(words);
    return 0;
}
