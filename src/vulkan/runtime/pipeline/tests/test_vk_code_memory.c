/* Memory for machine code: pieces of all sizes that come and go in any order never touch, and leave nothing. The blocks
 * are host memory here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/pipeline/vk_code_memory.h"

enum {
    BLOCK_B = 256 << 10,
    UNIT_B = 256,
    UNITS = BLOCK_B / UNIT_B,
    PADDING_B = 192
};

static struct vk_device device;
static struct vk_code_memory memory;
static uint32_t num_blocks, most_blocks;
static uint64_t next_va = 1 << 20;

static struct vk_bo *create_bo(struct vk_device *owner, uint32_t size_B)
{
    struct vk_bo *bo = calloc(1, sizeof(*bo));
    assert_non_null(bo);
    bo->va = next_va;
    bo->map = calloc(1, size_B);
    next_va += align_u64(size_B, 1 << 20);
    num_blocks++;
    most_blocks = MAX2(most_blocks, num_blocks);
    return bo;
}

static void destroy_bo(struct vk_device *owner, struct vk_bo *bo)
{
    free(bo->map);
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
    struct vk_code_place place;
    uint8_t *map;
    uint32_t size_B;
    uint8_t value;
};

static void make_piece(struct piece *piece, uint32_t size_B)
{
    void *map;
    assert_int_equal(vk_code_memory_alloc(&memory, size_B, &piece->place, &map), VK_SUCCESS);
    assert_int_equal(piece->place.va % UNIT_B, 0);
    assert_true(piece->place.size_B >= size_B + PADDING_B);
    piece->map = map;
    piece->size_B = size_B;
    piece->value = (uint8_t)(1 + next_random() % 255);
    for (uint32_t i = 0; i < size_B + PADDING_B; i++)
        assert_int_equal(piece->map[i], 0); /* nothing else is here */
    memset(piece->map, piece->value, size_B + PADDING_B);
}

static void drop_piece(struct piece *piece)
{
    for (uint32_t i = 0; i < piece->size_B + PADDING_B; i++)
        assert_int_equal(piece->map[i], piece->value);
    memset(piece->map, 0, piece->size_B + PADDING_B);
    vk_code_memory_free(&memory, &piece->place);
    assert_null(piece->place.block);
    vk_code_memory_free(&memory, &piece->place); /* nothing any more */
}

static void pieces_never_touch_and_leave_nothing(void **state)
{
    static struct piece pieces[2000];
    uint64_t living_B = 0, most_B = 0;
    for (uint32_t round = 0; round < 60000; round++) {
        struct piece *piece = &pieces[next_random() % ARRAY_SIZE(pieces)];
        if (piece->place.block) {
            living_B -= piece->place.size_B;
            drop_piece(piece);
            continue;
        }
        uint32_t kind = next_random() % 1000;
        make_piece(piece,
                   kind == 0 ? BLOCK_B + next_random() % BLOCK_B : 1 + next_random() % (kind < 20 ? 60000 : 1500));
        living_B += piece->place.size_B;
        most_B = MAX2(most_B, living_B);
    }
    /* Holes are used again. */
    assert_in_range(most_blocks, 2, 2 * most_B / BLOCK_B);
    for (uint32_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        if (pieces[i].place.block)
            drop_piece(&pieces[i]);
    }
    assert_int_equal(num_blocks, 0);
}

static void a_block_is_used_to_its_end(void **state)
{
    static struct piece pieces[UNITS];
    struct piece whole;
    most_blocks = 0;
    for (uint32_t i = 0; i < UNITS; i++)
        make_piece(&pieces[i], UNIT_B - PADDING_B);
    assert_int_equal(most_blocks, 1);
    for (uint32_t i = 0; i < UNITS; i += 2) /* holes of one unit each */
        drop_piece(&pieces[i]);
    make_piece(&whole, 2 * UNIT_B - PADDING_B);
    assert_int_equal(num_blocks, 2);
    drop_piece(&whole);
    for (uint32_t i = 0; i < UNITS; i += 2)
        make_piece(&pieces[i], UNIT_B - PADDING_B);
    assert_int_equal(num_blocks, 1);
    for (uint32_t i = 0; i < UNITS; i++)
        drop_piece(&pieces[i * 77 % UNITS]);
    assert_int_equal(num_blocks, 0);
    make_piece(&whole, BLOCK_B - PADDING_B);
    vk_code_memory_finish(&memory); /* what is left goes with the device */
    assert_int_equal(num_blocks, 0);
    vk_code_memory_init(&memory, &device, PADDING_B, create_bo, destroy_bo);
}

static int set_up(void **state)
{
    device.alloc = vk_default_allocator;
    vk_code_memory_init(&memory, &device, PADDING_B, create_bo, destroy_bo);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_never_touch_and_leave_nothing),
        cmocka_unit_test(a_block_is_used_to_its_end),
    };
    return cmocka_run_group_tests_name("memory of machine code", tests, set_up, NULL);
}
