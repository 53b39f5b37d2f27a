/* Ranges that are filled and copied, alone and by workers: every byte of them, and none beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/bulk.h"
#include "model/workers.h"

#define MARGIN_B 64
#define LARGE_B ((5u << 20) + 12345) /* shared among workers, and no whole number of their turns */
#define HUGE_B ((35u << 20) + 54321) /* and so much that a turn of two workers is as long as one may be */

static const uint64_t sizes_B[] = {0, 1, 3, 4, 15, 64, 65, 255, 4096, 100001, LARGE_B};
static const uint32_t words[] = {0, 0x5a5a5a5a, 0x9abcdef1};

/* Memory with a margin of known bytes on both sides of size_B. */
static uint8_t *margins(uint64_t size_B)
{
    uint8_t *memory = malloc(size_B + 2 * MARGIN_B);
    assert_non_null(memory);
    memset(memory, 0x77, size_B + 2 * MARGIN_B);
    return memory;
}

static void check_margins(const uint8_t *memory, const uint8_t *to, uint64_t size_B)
{
    for (unsigned i = 0; i < MARGIN_B - 1; i++) {
        assert_int_equal(memory[i], 0x77);
        assert_int_equal(to[size_B + i], 0x77);
    }
}

static void check_filled(const uint8_t *memory, const uint8_t *to, uint32_t word, uint64_t size_B)
{
    for (uint64_t i = 0; i < size_B; i++) {
        if (to[i] != (uint8_t)(word >> i % 4 * 8))
            fail_msg("byte %llu of %llu", (unsigned long long)i, (unsigned long long)size_B);
    }
    check_margins(memory, to, size_B);
}

/* At an odd place, as a stream may have it. */
static void check_fill(const struct bulk *bulk, uint32_t word, uint64_t size_B)
{
    uint8_t *memory = margins(size_B), *to = memory + MARGIN_B - 1;
    bulk_fill(bulk, to, word, size_B);
    check_filled(memory, to, word, size_B);
    memset(to, 0x77, size_B);
    bulk_fill_beside(to, word, size_B);
    check_filled(memory, to, word, size_B);
    free(memory);
}

static void check_copy(const struct bulk *bulk, uint64_t size_B)
{
    uint8_t *from = malloc(size_B + 1), *memory = margins(size_B), *to = memory + MARGIN_B;
    assert_non_null(from);
    for (uint64_t i = 0; i < size_B; i++)
        from[i] = (uint8_t)(i * 2654435761u >> 13);
    bulk_copy(bulk, to, from, size_B);
    assert_memory_equal(to, from, size_B);
    check_margins(memory, to, size_B);
    memset(to, 0x77, size_B);
    bulk_copy_here(to, from, size_B);
    assert_memory_equal(to, from, size_B);
    check_margins(memory, to, size_B);
    free(memory);
    free(from);
}

static void test_bytes(void **state)
{
    for (unsigned count = 0; count <= 3; count++) {
        const struct bulk bulk = {.workers = count ? workers_create(count) : NULL};
        for (unsigned i = 0; i < sizeof(sizes_B) / sizeof(sizes_B[0]); i++) {
            for (unsigned w = 0; w < sizeof(words) / sizeof(words[0]); w++)
                check_fill(&bulk, words[w], sizes_B[i]);
            check_copy(&bulk, sizes_B[i]);
        }
        workers_destroy(bulk.workers);
    }
}

static void test_long_turns(void **state)
{
    const struct bulk bulk = {.workers = workers_create(2)};
    check_copy(&bulk, HUGE_B);
    check_fill(&bulk, words[2], HUGE_B);
    workers_destroy(bulk.workers);
}

static void test_killed(void **state)
{
    static const _Atomic bool killed = true;
    uint8_t *memory = margins(LARGE_B);
    bulk_fill(&(const struct bulk){.killed = &killed}, memory, 0, LARGE_B);
    assert_int_equal(memory[0], 0x77);
    assert_int_equal(memory[LARGE_B - 1], 0x77);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_long_turns),
        cmocka_unit_test(test_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
