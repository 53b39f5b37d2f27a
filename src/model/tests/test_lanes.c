/* Masks of lanes of every width that a wave may have: bits, groups, and lanes that are all ones or zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/lanes.h"

static const unsigned widths[] = {16, 32, 64, 128};
#define WIDTHS (sizeof(widths) / sizeof(widths[0]))

static uint32_t random_word(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static struct lane_mask random_mask(unsigned width)
{
    struct lane_mask mask = lane_mask_none();
    for (unsigned i = 0; i < width; i++) {
        if (random_word() & 1)
            mask = lane_mask_with(mask, i);
    }
    return mask;
}

static void test_lanes_and_masks_say_the_same(void **state)
{
    for (unsigned w = 0; w < WIDTHS; w++) {
        for (unsigned round = 0; round < 100; round++) {
            uint32_t lanes[LANE_MASK_LANES + 1] = {0};
            struct lane_mask mask = random_mask(widths[w]);
            lanes[widths[w]] = 0xabcd;
            lane_mask_to_lanes(lanes, mask, widths[w]);
            assert_int_equal(lanes[widths[w]], 0xabcd); /* nothing after a wave's own lanes */
            for (unsigned i = 0; i < widths[w]; i++)
                assert_int_equal(lanes[i], lane_mask_has(mask, i) ? UINT32_MAX : 0);
            assert_true(lane_mask_equal(lane_mask_from_lanes(lanes, widths[w]), mask));
        }
    }
}

static void test_sets(void **state)
{
    for (unsigned w = 0; w < WIDTHS; w++) {
        struct lane_mask a = random_mask(widths[w]), b = random_mask(widths[w]), all = lane_mask_first(widths[w]);
        assert_int_equal(lane_mask_count(all), widths[w]);
        assert_true(lane_mask_equal(lane_mask_or(lane_mask_and(a, b), lane_mask_and_not(a, b)), a));
        assert_true(lane_mask_equal(lane_mask_and(a, all), a));
        assert_false(lane_mask_any(lane_mask_and_not(a, all)));
        unsigned count = 0, last = 0;
        lane_mask_foreach(a, lane)
        {
            assert_true(lane_mask_has(a, lane) && (count == 0 || lane > last));
            last = lane;
            count++;
        }
        assert_int_equal(count, lane_mask_count(a));
        if (lane_mask_any(a))
            assert_true(lane_mask_has(a, lane_mask_lowest(a)));
    }
    assert_false(lane_mask_any(lane_mask_first(0)));
    assert_int_equal(lane_mask_count(lane_mask_first(65)), 65);
}

static void test_groups_and_words(void **state)
{
    struct lane_mask mask = random_mask(128);
    for (unsigned lane = 0; lane < 128; lane++)
        assert_int_equal(lane_mask_group(mask, lane / 16) >> (lane % 16) & 1, lane_mask_has(mask, lane));
    assert_true(lane_mask_u64(lane_mask_from_u64(0x8000000000000001ull)) == 0x8000000000000001ull);
    /* A break leaves the loop over lanes, as it leaves any other. */
    unsigned seen = 0;
    lane_mask_foreach(lane_mask_first(128), lane)
    {
        if (lane == 100)
            break;
        seen++;
    }
    assert_int_equal(seen, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_and_masks_say_the_same),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_groups_and_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
