/* Ordered elements beside a plain sorted array: the same answers for any order of inserts and removals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/ordered.h"

#define KEYS 4000u

static uint32_t state_of_random = 7;

static uint32_t random_below(uint32_t limit)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % limit;
}

static bool is_there[KEYS];

static void check_order(const struct ordered *ordered, uint64_t key)
{
    int64_t before = (int64_t)key, after = (int64_t)key;
    while (before >= 0 && !is_there[before])
        before--;
    while (after < KEYS && !is_there[after])
        after++;
    const uint64_t *found = ordered_before(ordered, key);
    assert_true(before < 0 ? !found : found && *found == (uint64_t)before);
    found = ordered_after(ordered, key);
    assert_true(after == KEYS ? !found : found && *found == (uint64_t)after);
}

static void test_like_an_array(void **state)
{
    struct ordered ordered;
    ordered_init(&ordered, 24);
    uint32_t count = 0;
    for (unsigned round = 0; round < 40000; round++) {
        /* Now more come, now more go; some rounds work at an end, as allocators do. */
        uint64_t key = round / 5000 % 3 == 1 ? round % KEYS : random_below(KEYS);
        bool grows = round / 4000 % 2 == 0 ? random_below(4) != 0 : random_below(4) == 0;
        if (grows && !is_there[key]) {
            uint64_t *place = ordered_insert(&ordered, key);
            assert_non_null(place);
            *place = key;
            is_there[key] = true;
            count++;
        } else if (!grows && is_there[key]) {
            ordered_remove(&ordered, key);
            is_there[key] = false;
            count--;
        }
        assert_int_equal(ordered.count, count);
        check_order(&ordered, random_below(KEYS));
    }
    uint32_t seen = 0, last = 0;
    ordered_foreach(&ordered, uint64_t, element)
    {
        assert_true(is_there[*element] && (seen == 0 || *element > last));
        last = (uint32_t)*element;
        seen++;
    }
    assert_int_equal(seen, count);
    ordered_finish(&ordered);
}

static void test_keys_at_the_ends(void **state)
{
    struct ordered ordered;
    ordered_init(&ordered, sizeof(uint64_t));
    assert_null(ordered_before(&ordered, UINT64_MAX));
    assert_null(ordered_after(&ordered, 0));
    *(uint64_t *)ordered_insert(&ordered, UINT64_MAX) = UINT64_MAX;
    *(uint64_t *)ordered_insert(&ordered, 0) = 0;
    assert_true(*(uint64_t *)ordered_after(&ordered, 1) == UINT64_MAX);
    assert_true(*(uint64_t *)ordered_before(&ordered, UINT64_MAX - 1) == 0);
    unsigned seen = 0;
    ordered_foreach(&ordered, uint64_t, element) seen++;
    assert_int_equal(seen, 2);
    ordered_finish(&ordered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_an_array),
        cmocka_unit_test(test_keys_at_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
