/* Memory for machine code: pieces of all sizes that come and go in any order never touch, and leave nothing. The blocks
 * are host memory here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/driver/radeon_shader.h"
#include "util/bits.h"

enum {
    BLOCK_B = 256 << 10,
    UNIT_B = 256,
    UNITS = BLOCK_B / UNIT_B,
    PREFETCH_B = 192
};

static struct radeon_device device;
static uint32_t num_blocks, most_blocks;
static uint64_t next_va = 1 << 20;

int amd_ws_bo_create(struct ws_device *ws, uint64_t size_B, uint64_t align_B, uint32_t domain, uint32_t flags,
                     uint64_t at_va, struct ws_bo **bo_out)
{
    struct ws_bo *bo = calloc(1, sizeof(*bo));
    assert_non_null(bo);
    bo->vk.va = next_va;
    bo->vk.map = calloc(1, size_B);
    next_va += align_u64(size_B, 1 << 20);
    num_blocks++;
    most_blocks = MAX2(most_blocks, num_blocks);
    *bo_out = bo;
    return 0;
}

int amd_ws_bo_map(struct ws_bo *bo, void **map_out)
{
    *map_out = bo->vk.map;
    return 0;
}

void amd_ws_bo_unref(struct ws_bo *bo)
{
    free(bo->vk.map);
    free(bo);
    num_blocks--;
}

static uint32_t next_random(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

struct piece {
    struct radeon_shader_place place;
    uint8_t *map;
    uint32_t size_B;
    uint8_t value;
};

static void make(struct piece *piece, uint32_t size_B)
{
    void *map;
    assert_int_equal(radeon_shader_memory_alloc(&device, size_B, &piece->place, &map), VK_SUCCESS);
    assert_int_equal(piece->place.va % UNIT_B, 0);
    assert_true(piece->place.size_B >= size_B + PREFETCH_B);
    piece->map = map;
    piece->size_B = size_B;
    piece->value = (uint8_t)(1 + next_random() % 255);
    for (uint32_t i = 0; i < size_B + PREFETCH_B; i++)
        assert_int_equal(piece->map[i], 0); /* nothing else is here */
    memset(piece->map, piece->value, size_B + PREFETCH_B);
}

static void drop(struct piece *piece)
{
    for (uint32_t i = 0; i < piece->size_B + PREFETCH_B; i++)
        assert_int_equal(piece->map[i], piece->value);
    memset(piece->map, 0, piece->size_B + PREFETCH_B);
    radeon_shader_memory_free(&device, &piece->place);
    assert_null(piece->place.block);
    radeon_shader_memory_free(&device, &piece->place); /* nothing any more */
}

static void pieces_never_touch_and_leave_nothing(void **state)
{
    static struct piece pieces[2000];
    uint64_t living_B = 0, most_B = 0;
    for (uint32_t round = 0; round < 60000; round++) {
        struct piece *piece = &pieces[next_random() % ARRAY_SIZE(pieces)];
        if (piece->place.block) {
            living_B -= piece->place.size_B;
            drop(piece);
            continue;
        }
        uint32_t kind = next_random() % 1000;
        make(piece, kind == 0 ? BLOCK_B + next_random() % BLOCK_B : 1 + next_random() % (kind < 20 ? 60000 : 1500));
        living_B += piece->place.size_B;
        most_B = MAX2(most_B, living_B);
    }
    /* Holes are used again. */
    assert_in_range(most_blocks, 2, 2 * most_B / BLOCK_B);
    for (uint32_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        if (pieces[i].place.block)
            drop(&pieces[i]);
    }
    assert_int_equal(num_blocks, 0);
}

static void a_block_is_used_to_its_end(void **state)
{
    static struct piece pieces[UNITS];
    struct piece whole;
    most_blocks = 0;
    for (uint32_t i = 0; i < UNITS; i++)
        make(&pieces[i], UNIT_B - PREFETCH_B);
    assert_int_equal(most_blocks, 1);
    for (uint32_t i = 0; i < UNITS; i += 2) /* holes of one unit each */
        drop(&pieces[i]);
    make(&whole, 2 * UNIT_B - PREFETCH_B);
    assert_int_equal(num_blocks, 2);
    drop(&whole);
    for (uint32_t i = 0; i < UNITS; i += 2)
        make(&pieces[i], UNIT_B - PREFETCH_B);
    assert_int_equal(num_blocks, 1);
    for (uint32_t i = 0; i < UNITS; i++)
        drop(&pieces[i * 77 % UNITS]);
    assert_int_equal(num_blocks, 0);
    make(&whole, BLOCK_B - PREFETCH_B);
    radeon_shader_memory_finish(&device); /* what is left goes with the device */
    assert_int_equal(num_blocks, 0);
    radeon_shader_memory_init(&device);
}

static int set_up(void **state)
{
    device.vk.alloc = vk_default_allocator;
    radeon_shader_memory_init(&device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_never_touch_and_leave_nothing),
        cmocka_unit_test(a_block_is_used_to_its_end),
    };
    return cmocka_run_group_tests_name("radeon shader memory", tests, set_up, NULL);
}
