/* Pieces of memory are apart, keep their bytes, and go back to the host. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/sanitizer.h"
#include "util/slab.h"

#define PIECES 20000u
#define HAS_SLABS (!IS_SANITIZED) /* else every piece is malloc's */

static uint32_t next(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

static bool holds_bytes(const uint8_t *piece, size_t size_B, uint8_t value)
{
    for (size_t i = 0; i < size_B; i++)
        if (piece[i] != value)
            return false;
    return true;
}

/* All sizes, in any order of coming and going; each piece has its own byte. */
static void *come_and_go(void *seed)
{
    static const uint32_t count = 3000;
    uint8_t **pieces = calloc(count, sizeof(*pieces));
    size_t *sizes_B = calloc(count, sizeof(*sizes_B));
    uint32_t random = (uint32_t)(uintptr_t)seed, wrong = 0;
    for (uint32_t turn = 0; turn < 60000; turn++) {
        uint32_t i = next(&random) % count;
        size_t size_B = next(&random) % (next(&random) % 8 ? 700 : next(&random) % 64 ? 9000 : 3000000);
        if (pieces[i] && next(&random) % 4 == 0) {
            uint8_t *moved = slab_realloc(pieces[i], size_B + 1);
            wrong += !moved || !holds_bytes(moved, MIN2(sizes_B[i], size_B + 1), (uint8_t)i);
            memset(moved, (uint8_t)i, size_B + 1);
            pieces[i] = moved;
            sizes_B[i] = size_B + 1;
        } else if (pieces[i]) {
            wrong += !holds_bytes(pieces[i], sizes_B[i], (uint8_t)i);
            slab_free(pieces[i]);
            pieces[i] = NULL;
        } else {
            bool is_zeroed = next(&random) & 1;
            pieces[i] = is_zeroed ? slab_zalloc(size_B) : slab_alloc(size_B);
            wrong += !pieces[i] || (uintptr_t)pieces[i] % _Alignof(max_align_t) ||
                     (is_zeroed && !holds_bytes(pieces[i], size_B, 0));
            memset(pieces[i], (uint8_t)i, size_B);
            sizes_B[i] = size_B;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        wrong += pieces[i] && !holds_bytes(pieces[i], sizes_B[i], (uint8_t)i);
        slab_free(pieces[i]);
    }
    free(pieces);
    free(sizes_B);
    return (void *)(uintptr_t)wrong;
}

static void test_pieces_are_their_owners(void **state)
{
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, (void *)(i + 1)), 0);
    for (unsigned i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    slab_free(NULL);
}

static long resident_B(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size, resident = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &size, &resident), 2);
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

/* Something that stays, made among the last, does not keep the rest. */
static void test_memory_goes_back(void **state)
{
    static void *pieces[PIECES];
    for (size_t size_B = 40; size_B <= 4096; size_B *= 3) {
        long before_B = resident_B();
        for (uint32_t i = 0; i < PIECES; i++)
            memset(pieces[i] = slab_alloc(size_B), 1, size_B);
        void *stays = malloc(100);
        long peak_B = resident_B();
        for (uint32_t i = 0; i < PIECES; i++)
            slab_free(pieces[(uint64_t)i * 7919 % PIECES]);
        assert_true(peak_B - before_B >= (long)(PIECES * size_B) - (1 << 20));
        assert_true(resident_B() - before_B < 1 << 20);
        free(stays);
    }
}

int main(void)
{
    /* Under the sanitizers pieces are malloc's, which keeps what is freed. */
    const struct CMUnitTest plain[] = {cmocka_unit_test(test_pieces_are_their_owners)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_are_their_owners),
        cmocka_unit_test(test_memory_goes_back),
    };
    return HAS_SLABS ? cmocka_run_group_tests(tests, NULL, NULL) : cmocka_run_group_tests(plain, NULL, NULL);
}
