/* The texture and attribute unit with any descriptors and any memory: requests end, with or without a problem, and
 * touch nothing that is not mapped. The first bytes are the request, the rest is memory, in which the descriptors
 * are. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mali/model/tex/tex.h"
#include "model/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

#define MEMORY_VA 0x100000000ull
#define MEMORY_B (64u << 10)
#define ROWS 16

static struct gpu_space space;
static uint8_t *memory;
static struct mali_tex *tex;

static const uint32_t *find_descriptor(void *context, uint32_t handle)
{
    (void)context;
    return (const uint32_t *)memory + handle % 32 * 8;
}

static void set_up(void)
{
    const struct gpu_extent extent = {0, 1ull << 34};
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || ftruncate(fd, MEMORY_B) || gpu_space_init(&space, &extent, 1) ||
        gpu_space_map_file(&space, MEMORY_VA, MEMORY_B, fd, 0, GPU_PERM_READ | GPU_PERM_WRITE))
        abort();
    memory = gpu_space_pointer(&space, MEMORY_VA, 1, GPU_PERM_READ);
    tex = mali_tex_create();
    if (!tex)
        abort();
}

static void check_result(bool is_done)
{
    uint64_t va;
    if (!is_done && (!mali_tex_problem(tex) || mali_tex_problem(tex)[0] == '\0'))
        abort();
    if (!is_done && mali_tex_fault(tex, &va) && va >= MEMORY_VA &&
        va <= MEMORY_VA + MEMORY_B - 32) /* a descriptor, or less */
        abort();
}

/* Pointers of descriptors that point nearly into memory do so. */
static void aim_pointers(uint32_t *words)
{
    for (unsigned i = 0; i + 1 < MEMORY_B / 4; i += 2) {
        if (words[i + 1] >> 8 == 0x123456)
            words[i] %= 2 * MEMORY_B, words[i + 1] = MEMORY_VA >> 32;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static uint32_t rows[ROWS][MALI_TEX_LANES], result[4][MALI_TEX_LANES];
    uint8_t head[32] = {0};
    const struct mali_tex_resources resources = {&space, find_descriptor, NULL};
    if (!memory)
        set_up();
    if (size_B < sizeof(head))
        return 0;
    memcpy(head, data, sizeof(head));
    memset(memory, 0, MEMORY_B);
    memcpy(memory, data + sizeof(head), size_B - sizeof(head) < MEMORY_B ? size_B - sizeof(head) : MEMORY_B);
    aim_pointers((uint32_t *)memory);
    for (unsigned r = 0; r < ROWS; r++) {
        for (unsigned i = 0; i < MALI_TEX_LANES; i++)
            memcpy(&rows[r][i], memory + (r * 8 + i) * 4 % 2048 + head[16] * 8, 4);
    }
    const struct mali_tex_request request = {
        .op = head[0] & 3,
        .type = head[1] & 3,
        .is_32_bit = head[2] & 1,
        .mask = head[3] & 15,
        .dimension = head[4] & 3,
        .has_wide_indices = head[5] & 1,
        .is_array = head[5] & 2,
        .has_offsets = head[5] & 4,
        .is_shadow = head[5] & 8,
        .component = head[6] & 3,
        .lod_mode = head[7] & 7,
        .has_derivatives = head[5] & 16,
        .lanes = UINT64_MAX >> (head[8] & 63),
        .staging = rows[2],
        .source = {rows[0], rows[1]},
        .result = result[0],
    };
    check_result(mali_tex_run(tex, &resources, &request));
    const struct mali_tex_access access = {
        .handle = head[9],
        .regfmt = head[10] & 7,
        .components = 1 + (head[11] & 3),
        .lanes = request.lanes,
        .source = {rows[2], rows[3]},
        .attribute_offset = head[12],
        .result = result[0],
    };
    check_result(mali_tex_load_image(tex, &resources, &access));
    check_result(mali_tex_image_address(tex, &resources, &access));
    check_result(mali_tex_load_attribute(tex, &resources, &access));
    check_result(mali_tex_attribute_address(tex, &resources, &access));
    const struct mali_tex_conversion conversion = {
        .regfmt = access.regfmt,
        .components = access.components,
        .lanes = request.lanes,
        .address = {rows[4], rows[5]},
        .offset_B = (int8_t)head[13],
        .conversion = rows[6],
        .data = rows[7],
        .result = result[0],
    };
    check_result(mali_tex_load_converted(tex, &space, &conversion));
    check_result(mali_tex_store_converted(tex, &space, &conversion));
    return 0;
}
