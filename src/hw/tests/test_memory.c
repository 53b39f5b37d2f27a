/* Memory of a capture beside a plain list of its buffers: overlapping ones of any size, and ones that are replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hw/memory.h"
#include "util/bits.h"

#define BUFFERS 3000u
#define SPACE_B 4096u /* small, so that most overlap */
#define LARGEST_B 600u

static uint32_t state_of_random = 11;

static uint32_t random_below(uint32_t limit)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % limit;
}

/* In the order in which they came, those that were replaced with size 0. */
static struct listed {
    uint64_t va;
    uint32_t size_B, first;
    bool is_there;
} listed[BUFFERS];

static void add_buffer(struct hw_memory *memory, unsigned number)
{
    static uint32_t words[LARGEST_B];
    const uint64_t va = 4ull * random_below(SPACE_B / 4);
    const uint32_t size_B = random_below(4) ? random_below(40) : random_below(LARGEST_B);
    for (unsigned i = 0; i < number; i++)
        listed[i].is_there &= listed[i].va != va;
    for (uint32_t i = 0; i < ARRAY_SIZE(words); i++)
        words[i] = number << 16 | i;
    listed[number] = (struct listed){va, size_B, number << 16, true};
    assert_true(hw_memory_add(memory, va, (const uint8_t *)words, size_B));
}

static void check_read(const struct hw_memory *memory, unsigned count, uint64_t va, uint32_t count_dw)
{
    const uint32_t *found = hw_memory_read(memory, va, count_dw);
    for (unsigned i = count; i-- > 0;) {
        const struct listed *one = &listed[i];
        if (!one->is_there || va < one->va || va - one->va > one->size_B ||
            one->size_B - (va - one->va) < 4 * (uint64_t)count_dw)
            continue;
        assert_non_null(found);
        for (uint32_t word = 0; word < count_dw; word++)
            assert_int_equal(found[word], one->first + (va - one->va) / 4 + word);
        return;
    }
    assert_null(found);
}

static void reads_find_the_newest_buffer_that_has_all(void **state)
{
    struct hw_memory memory = {0};
    for (unsigned i = 0; i < BUFFERS; i++) {
        add_buffer(&memory, i);
        for (unsigned read = 0; read < 5; read++)
            check_read(&memory, i + 1, 4ull * random_below(SPACE_B / 4 + 200), 1 + random_below(20));
    }
    assert_null(hw_memory_read(&memory, 2, 1)); /* not at a dword */
    assert_null(hw_memory_read(&memory, UINT64_MAX - 3, 1));
    hw_memory_finish(&memory);
    assert_null(hw_memory_read(&memory, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_find_the_newest_buffer_that_has_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
