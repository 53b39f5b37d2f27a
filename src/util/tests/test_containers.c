/* The containers do what they promise, at the edges above all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/arena.h"
#include "util/array.h"
#include "util/bits.h"
#include "util/list.h"
#include "util/map.h"
#include "util/strbuf.h"

static void arena_memory_is_aligned_and_distinct(void **state)
{
    struct arena arena = {0};
    char *last = NULL;
    for (size_t size_B = 0; size_B < 9000; size_B += 37) {
        char *memory = arena_zalloc(&arena, size_B);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        assert_ptr_not_equal(memory, last);
        for (size_t i = 0; i < size_B; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, size_B);
        last = memory;
    }
    arena_finish(&arena);
    assert_null(arena.current);
}

static void arena_refuses_absurd_sizes(void **state)
{
    struct arena arena = {0};
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_null(arena_zalloc_array(&arena, SIZE_MAX / 2, 4));
    assert_string_equal(arena_printf(&arena, "%s %d", "wave", 64), "wave 64");
    assert_string_equal(arena_strdup(&arena, ""), "");
    arena_finish(&arena);
}

static void arena_reset_reuses_its_largest_chunk(void **state)
{
    struct arena arena = {0};
    arena_alloc(&arena, 100);
    void *large = arena_alloc(&arena, 500000);
    arena_reset(&arena);
    assert_ptr_equal(arena_alloc(&arena, 500000), large);
    arena_finish(&arena);
}

static void array_keeps_elements_while_it_grows(void **state)
{
    ARRAY(uint64_t) numbers = {0};
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(array_push(&numbers, i * i));
    assert_int_equal(numbers.count, 1000);
    uint64_t at = 0;
    array_foreach (&numbers, number) {
        assert_int_equal(*number, at * at);
        at++;
    }
    array_remove_swap(&numbers, 0);
    assert_int_equal(numbers.data[0], 999 * 999);
    array_finish(&numbers);
}

struct item {
    int number;
    struct list link;
};

static void list_visits_in_order_and_allows_removal(void **state)
{
    struct list head, other;
    struct item items[6];
    list_init(&head);
    list_init(&other);
    for (int i = 0; i < 6; i++) {
        items[i].number = i;
        list_push_back(i < 4 ? &head : &other, &items[i].link);
    }
    list_splice_back(&head, &other);
    assert_true(list_is_empty(&other));

    int expected = 0;
    list_foreach (&head, struct item, item, link) {
        assert_int_equal(item->number, expected++);
        list_remove(&item->link);
    }
    assert_int_equal(expected, 6);
    assert_true(list_is_empty(&head));
    list_push_front(&head, &items[3].link);
    assert_false(list_is_empty(&head));
}

/* Elements of a larger alignment than a list's head: the head is never seen as one of them. */
static void list_of_aligned_elements(void **state)
{
    struct wide {
        _Alignas(64) int number;
        struct list link;
    } items[3];
    struct {
        char unaligned;
        struct list head;
    } place;
    list_init(&place.head);
    list_foreach (&place.head, struct wide, item, link)
        fail();
    for (int i = 0; i < 3; i++) {
        items[i].number = i;
        list_push_back(&place.head, &items[i].link);
    }
    int sum = 0;
    list_foreach (&place.head, struct wide, item, link) {
        if (item->number == 0)
            continue;
        sum += item->number;
        if (item->number == 1)
            break;
    }
    assert_int_equal(sum, 1);
}

static void map64_survives_growth_and_tombstones(void **state)
{
    struct map64 map = {0};
    assert_null(map64_get(&map, 0));
    for (uint64_t i = 0; i < 5000; i++)
        assert_true(map64_set(&map, i << 32, i));
    for (uint64_t i = 0; i < 5000; i += 2)
        assert_true(map64_remove(&map, i << 32));
    assert_false(map64_remove(&map, 0));
    assert_int_equal(map.count, 2500);
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t *value = map64_get(&map, i << 32);
        if (i % 2)
            assert_int_equal(*value, i);
        else
            assert_null(value);
    }
    uint32_t seen = 0;
    for (struct map64_slot *slot = NULL; (slot = map64_next(&map, slot));)
        seen++;
    assert_int_equal(seen, 2500);

    /* Insert and remove for ever: the table must not fill up with tombstones. */
    uint32_t capacity = map.capacity;
    for (uint64_t i = 0; i < 100000; i++) {
        assert_true(map64_set(&map, i * 2 + 1, i));
        assert_true(map64_remove(&map, i * 2 + 1));
    }
    assert_true(map.capacity <= capacity * 2);
    map64_finish(&map);
}

static void map64_gives_memory_back(void **state)
{
    struct map64 map = {0};
    for (uint64_t i = 0; i < 100000; i++)
        assert_true(map64_set(&map, i, i + 1));
    uint32_t most = map.capacity;
    for (uint64_t i = 0; i < 99990; i++) {
        assert_true(map64_remove(&map, i * 7919 % 99991)); /* a prime: each once */
        map64_trim(&map);
    }
    assert_true(map.capacity < most / 100);
    uint32_t left = 0;
    for (struct map64_slot *slot = NULL; (slot = map64_next(&map, slot)); left++) {
        assert_int_equal(slot->value, slot->key + 1);
        assert_ptr_equal(map64_get(&map, slot->key), &slot->value);
    }
    assert_int_equal(left, 10);
    for (struct map64_slot *slot = NULL; (slot = map64_next(&map, slot));)
        map64_remove(&map, slot->key);
    map64_trim(&map);
    assert_null(map.slots);
}

static void strmap_compares_whole_keys(void **state)
{
    struct strmap map = {0};
    int one, two;
    assert_null(strmap_get(&map, "v_add"));
    assert_true(strmap_set(&map, "v_add_f32", &one));
    assert_true(strmap_set(&map, "v_add_f16", &two));
    assert_null(strmap_get(&map, "v_add"));
    assert_ptr_equal(strmap_get(&map, "v_add_f32"), &one);
    assert_ptr_equal(strmap_get_n(&map, "v_add_f16 v0", 9), &two);
    assert_true(strmap_set(&map, "v_add_f32", &two));
    assert_ptr_equal(strmap_get(&map, "v_add_f32"), &two);
    assert_int_equal(map.count, 2);
    strmap_finish(&map);
}

static void strbuf_grows_over_its_first_size(void **state)
{
    struct strbuf buf = {0};
    for (int i = 0; i < 1000; i++)
        strbuf_printf(&buf, "%04d", i);
    assert_int_equal(buf.length, 4000);
    assert_memory_equal(buf.text + 3996, "0999", 5);
    strbuf_printf(&buf, "%*s", 5000, "x");
    assert_int_equal(buf.length, 9000);
    strbuf_clear(&buf);
    strbuf_append(&buf, "s_endpgm");
    assert_string_equal(buf.text, "s_endpgm");
    assert_false(buf.failed);
    strbuf_finish(&buf);
}

static void bit_helpers_are_defined_at_the_ends(void **state)
{
    assert_int_equal(bits_mask(0), 0);
    assert_true(bits_mask(64) == UINT64_MAX);
    assert_true(bits_get(UINT64_MAX, 63, 1) == 1);
    assert_int_equal(bits_get(0xabcd, 4, 8), 0xbc);
    assert_int_equal(bits_set(0xffff, 4, 8, 0), 0xf00f);
    assert_true(bits_sign_extend(0x8000, 16) == -32768);
    assert_true(bits_sign_extend(0x7fff, 16) == 32767);
    assert_true(bits_sign_extend(0, 0) == 0);
    assert_int_equal(align_u64(4097, 4096), 8192);
    assert_int_equal(div_round_up(9, 4), 3);
    assert_int_equal(log2_ceil(1), 0);
    assert_int_equal(log2_ceil(5), 3);
    assert_int_equal(log2_floor(5), 2);
    uint64_t sum = 0;
    bits_foreach (0x8000000000000011ull, bit)
        sum += bit;
    assert_int_equal(sum, 0 + 4 + 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_memory_is_aligned_and_distinct),
        cmocka_unit_test(arena_refuses_absurd_sizes),
        cmocka_unit_test(arena_reset_reuses_its_largest_chunk),
        cmocka_unit_test(array_keeps_elements_while_it_grows),
        cmocka_unit_test(list_visits_in_order_and_allows_removal),
        cmocka_unit_test(list_of_aligned_elements),
        cmocka_unit_test(map64_survives_growth_and_tombstones),
        cmocka_unit_test(map64_gives_memory_back),
        cmocka_unit_test(strmap_compares_whole_keys),
        cmocka_unit_test(strbuf_grows_over_its_first_size),
        cmocka_unit_test(bit_helpers_are_defined_at_the_ends),
    };
    return cmocka_run_group_tests_name("containers", tests, NULL, NULL);
}
