/* GPU address spaces: what is mapped is seen through, what is not faults, and nothing else changes. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/memory.h"

#define LOW 0x200000ull
#define LOW_SIZE (1ull << 32)
#define HIGH 0xffff800000000000ull
#define HIGH_SIZE (64ull << 30)
#define PAGE 4096ull

static int setup(void **state)
{
    struct gpu_space *space = malloc(sizeof(*space));
    *state = space;
    return gpu_space_init(space, (struct gpu_extent[]){{LOW, LOW_SIZE}, {HIGH, HIGH_SIZE}}, 2);
}

static int teardown(void **state)
{
    gpu_space_finish(*state);
    free(*state);
    return 0;
}

static int memory_file(uint64_t size_B)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, (off_t)size_B) == 0);
    return fd;
}

static void test_unmapped_addresses_fault(void **state)
{
    struct gpu_space *space = *state;
    uint32_t value = 7;
    const uint64_t addresses[] = {0,
                                  1,
                                  LOW - 4,
                                  LOW,
                                  LOW + LOW_SIZE - 4,
                                  LOW + LOW_SIZE,
                                  1ull << 47,
                                  HIGH - 4,
                                  1ull << 63,
                                  HIGH,
                                  HIGH + HIGH_SIZE - 4,
                                  HIGH + HIGH_SIZE,
                                  UINT64_MAX - 3,
                                  UINT64_MAX};
    for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        assert_false(gpu_mem_read32(space, addresses[i], &value));
        assert_false(gpu_mem_write32(space, addresses[i], 1));
        assert_null(gpu_space_pointer(space, addresses[i], 4, GPU_PERM_READ));
    }
    assert_int_equal(value, 7);
}

/* User space of some families chooses addresses anywhere in 48 bits. */
static void test_extents_lie_anywhere_in_48_bits(void **state)
{
    static const uint64_t places[] = {0x1000,         0xfffff000,     0xfff0000000,  GPU_WINDOW_SIZE_B,
                                      0x7ffffffff000, 0x800000000000, 0xfffffffff000};
    struct gpu_space *space = malloc(sizeof(*space));
    assert_int_equal(gpu_space_init(space, &(struct gpu_extent){PAGE, (1ull << 48) - PAGE}, 1), 0);
    int fd = memory_file(16 * PAGE);
    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        uint32_t value = 0;
        assert_false(gpu_mem_read32(space, places[i], &value));
        assert_int_equal(gpu_space_map_file(space, places[i], PAGE, fd, i * PAGE, GPU_PERM_RWX), 0);
        assert_true(gpu_mem_write32(space, places[i] + 8, 100 + i));
        assert_int_equal(pread(fd, &value, 4, (off_t)(i * PAGE + 8)), 4);
        assert_int_equal(value, 100 + i);
        assert_false(gpu_mem_read32(space, places[i] | 0xffff000000000000ull, &value)); /* 48 bits, not 64 */
    }
    /* Unmapping everything costs nothing where nothing was ever mapped. */
    assert_int_equal(gpu_space_unmap(space, PAGE, (1ull << 48) - PAGE, false), 0);
    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        assert_null(gpu_space_pointer(space, places[i], 4, GPU_PERM_READ));
    gpu_space_finish(space);
    free(space);
    close(fd);
}

static void test_an_extent_may_cross_the_end_of_a_window(void **state)
{
    const uint64_t middle = 3 * GPU_WINDOW_SIZE_B, first = middle - 2 * PAGE;
    struct gpu_space *space = malloc(sizeof(*space));
    assert_int_equal(gpu_space_init(space, &(struct gpu_extent){PAGE, (1ull << 47) - PAGE}, 1), 0);
    int fd = memory_file(4 * PAGE);
    assert_int_equal(gpu_space_map_file(space, first, 4 * PAGE, fd, 0, GPU_PERM_RWX), 0);
    uint8_t bytes[2 * PAGE], seen[2 * PAGE];
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 7 + 1);
    assert_int_equal(gpu_space_write(space, middle - PAGE, bytes, sizeof(bytes)), sizeof(bytes));
    assert_int_equal(pread(fd, seen, sizeof(seen), PAGE), sizeof(seen));
    assert_memory_equal(seen, bytes, sizeof(seen));
    uint64_t word = 0;
    assert_null(gpu_space_pointer(space, middle - 4, 8, GPU_PERM_READ)); /* not side by side in the host */
    assert_true(gpu_mem_read64(space, middle - 4, &word));
    assert_memory_equal(&word, bytes + PAGE - 4, 8);
    assert_null(gpu_space_whole(space, first, 4 * PAGE, GPU_PERM_READ));
    assert_non_null(gpu_space_whole(space, middle, 2 * PAGE, GPU_PERM_READ));

    uint8_t *own = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(gpu_space_map_user(space, first, 4 * PAGE, own, GPU_PERM_READ | GPU_PERM_WRITE), 0);
    assert_int_equal(gpu_space_write(space, middle - PAGE, bytes, sizeof(bytes)), sizeof(bytes));
    assert_memory_equal(own + PAGE, bytes, sizeof(bytes));
    munmap(own, 4 * PAGE);
    assert_int_equal(gpu_space_unmap(space, first, 4 * PAGE, true), 0);
    assert_false(gpu_mem_read64(space, middle, &word));
    gpu_space_finish(space);
    free(space);
    close(fd);
}

static void test_a_change_is_counted_where_there_was_no_window(void **state)
{
    const uint64_t va = 5 * GPU_WINDOW_SIZE_B;
    struct gpu_space *space = malloc(sizeof(*space));
    assert_int_equal(gpu_space_init(space, &(struct gpu_extent){PAGE, (1ull << 47) - PAGE}, 1), 0);
    int fd = memory_file(PAGE);
    uint32_t before = gpu_space_changes(space, va);
    assert_int_equal(gpu_space_map_file(space, va, PAGE, fd, 0, GPU_PERM_READ), 0);
    assert_int_not_equal(gpu_space_changes(space, va), before);
    gpu_space_finish(space);
    free(space);
    close(fd);
}

/* Host addresses come with the first mapping; where there are few, with the space, so that it is refused. */
static void test_addresses_are_reserved_when_they_are_needed(void **state)
{
    struct gpu_space *space = malloc(sizeof(*space));
    const struct gpu_extent extent = {LOW, LOW_SIZE};
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    if (limit.rlim_cur == RLIM_INFINITY) {
        assert_int_equal(gpu_space_init(space, &extent, 1), 0);
        assert_null(gpu_space_window(space, LOW)->host);
        assert_int_equal(gpu_space_map_resident(space, LOW, PAGE), 0);
        assert_non_null(gpu_space_window(space, LOW)->host);
        gpu_space_finish(space);
    }
    const struct rlimit few = {.rlim_cur = 1ull << 30, .rlim_max = limit.rlim_max};
    if (setrlimit(RLIMIT_AS, &few) == 0) {
        assert_int_equal(gpu_space_init(space, &extent, 1), -ENOMEM);
        assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    }
    free(space);
}

static void test_impossible_extents_are_refused(void **state)
{
    struct gpu_space *space = malloc(sizeof(*space));
    const struct gpu_extent bad[][2] = {{{PAGE, PAGE}, {PAGE + 1, PAGE}},
                                        {{PAGE, PAGE}, {2 * PAGE, 0}},
                                        {{PAGE, PAGE}, {PAGE, 1ull << 48}},
                                        {{PAGE, PAGE}, {1ull << 48, PAGE}},
                                        {{PAGE, PAGE}, {HIGH - PAGE, 2 * PAGE}},
                                        {{PAGE, 1ull << 47}, {HIGH, PAGE}},
                                        {{PAGE, PAGE}, {UINT64_MAX - PAGE + 1, 2 * PAGE}}};
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(gpu_space_init(space, bad[i], 2), -EINVAL);
    free(space);
}

static void test_two_mappings_show_the_same_bytes(void **state)
{
    struct gpu_space *space = *state;
    int fd = memory_file(4 * PAGE);
    assert_int_equal(gpu_space_map_file(space, LOW + PAGE, 4 * PAGE, fd, 0, GPU_PERM_RWX), 0);
    assert_int_equal(gpu_space_map_file(space, HIGH + 123 * PAGE, 2 * PAGE, fd, PAGE, GPU_PERM_READ), 0);
    assert_true(gpu_mem_write32(space, LOW + PAGE + PAGE + 16, 0xcafe));
    uint32_t value = 0;
    assert_true(gpu_mem_read32(space, HIGH + 123 * PAGE + 16, &value));
    assert_int_equal(value, 0xcafe);
    assert_false(gpu_mem_write32(space, HIGH + 123 * PAGE + 16, 1)); /* mapped for reading only */
    assert_int_equal(pread(fd, &value, 4, PAGE + 16), 4);
    assert_int_equal(value, 0xcafe);
    close(fd); /* mappings live on */
    assert_true(gpu_mem_read32(space, LOW + 2 * PAGE + 16, &value));
}

static void test_accesses_may_cross_pages_but_not_the_end(void **state)
{
    struct gpu_space *space = *state;
    int fd = memory_file(2 * PAGE);
    assert_int_equal(gpu_space_map_file(space, HIGH, 2 * PAGE, fd, 0, GPU_PERM_READ | GPU_PERM_WRITE), 0);
    assert_true(gpu_mem_write64(space, HIGH + PAGE - 3, 0x1122334455667788ull));
    uint64_t value = 0;
    assert_true(gpu_mem_read64(space, HIGH + PAGE - 3, &value));
    assert_int_equal(value, 0x1122334455667788ull);
    assert_false(gpu_mem_read64(space, HIGH + 2 * PAGE - 4, &value));
    assert_false(gpu_mem_write64(space, HIGH + 2 * PAGE - 4, 0));
    /* The last bytes of a whole range, too. */
    assert_int_equal(gpu_space_map_file(space, HIGH + HIGH_SIZE - PAGE, PAGE, fd, 0, GPU_PERM_READ), 0);
    assert_true(gpu_mem_read64(space, HIGH + HIGH_SIZE - 8, &value));
    assert_false(gpu_mem_read64(space, HIGH + HIGH_SIZE - 4, &value));
    close(fd);
}

static void test_resident_pages_read_zero_and_drop_writes(void **state)
{
    struct gpu_space *space = *state;
    assert_int_equal(gpu_space_map_resident(space, HIGH, 16 * PAGE), 0);
    uint32_t value = 7;
    assert_true(gpu_mem_write32(space, HIGH + 8, 42));
    assert_true(gpu_mem_read32(space, HIGH + 8, &value));
    assert_int_equal(value, 0);
    void *host;
    assert_int_equal(gpu_space_resolve(space, HIGH + 8, 4, GPU_PERM_WRITE, &host), GPU_ACCESS_ZERO);
    assert_int_equal(gpu_space_resolve(space, HIGH + 8, 4, GPU_PERM_READ, &host), GPU_ACCESS_MEMORY);
    /* A buffer in the middle, across both borders. */
    int fd = memory_file(PAGE);
    assert_int_equal(gpu_space_map_file(space, HIGH + 4 * PAGE, PAGE, fd, 0, GPU_PERM_RWX), 0);
    uint8_t bytes[3 * PAGE];
    memset(bytes, 0xab, sizeof(bytes));
    assert_int_equal(gpu_space_write(space, HIGH + 3 * PAGE, bytes, sizeof(bytes)), sizeof(bytes));
    memset(bytes, 0, sizeof(bytes));
    assert_int_equal(gpu_space_read(space, HIGH + 3 * PAGE, bytes, sizeof(bytes)), sizeof(bytes));
    assert_int_equal(bytes[PAGE - 1], 0);
    assert_int_equal(bytes[PAGE], 0xab);
    assert_int_equal(bytes[2 * PAGE - 1], 0xab);
    assert_int_equal(bytes[2 * PAGE], 0);
    close(fd);
}

static void test_user_memory_is_reached_in_place(void **state)
{
    struct gpu_space *space = *state;
    uint8_t *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *other = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* Two pages that are no neighbours in the host become neighbours in the GPU. */
    assert_int_equal(gpu_space_map_user(space, LOW, PAGE, memory, GPU_PERM_RWX), 0);
    assert_int_equal(gpu_space_map_user(space, LOW + PAGE, PAGE, other, GPU_PERM_READ), 0);
    assert_true(gpu_mem_write32(space, LOW + 4, 99));
    assert_int_equal(memory[4], 99);
    memory[PAGE - 1] = 1;
    other[0] = 2;
    uint16_t value = 0;
    assert_true(gpu_mem_read16(space, LOW + PAGE - 1, &value));
    assert_int_equal(value, 0x0201);
    assert_false(gpu_mem_write32(space, LOW + PAGE, 1));
    assert_null(gpu_space_pointer(space, LOW, 4, GPU_PERM_READ)); /* never on the fast path */
    assert_int_equal(gpu_space_unmap(space, LOW, PAGE, false), 0);
    assert_false(gpu_mem_read16(space, LOW, &value));
    munmap(memory, 2 * PAGE);
    munmap(other, 2 * PAGE);
}

static void test_wrong_mappings_are_refused(void **state)
{
    struct gpu_space *space = *state;
    int fd = memory_file(4 * PAGE);
    assert_int_equal(gpu_space_map_file(space, LOW + 1, PAGE, fd, 0, GPU_PERM_RWX), -EINVAL);
    assert_int_equal(gpu_space_map_file(space, LOW, PAGE + 1, fd, 0, GPU_PERM_RWX), -EINVAL);
    assert_int_equal(gpu_space_map_file(space, LOW, PAGE, fd, 1, GPU_PERM_RWX), -EINVAL);
    assert_int_equal(gpu_space_map_file(space, LOW, 0, fd, 0, GPU_PERM_RWX), -EINVAL);
    assert_int_equal(gpu_space_map_file(space, LOW - PAGE, 2 * PAGE, fd, 0, GPU_PERM_RWX), -EINVAL);
    assert_int_equal(gpu_space_map_file(space, LOW + LOW_SIZE - PAGE, 2 * PAGE, fd, 0, GPU_PERM_RWX), -EINVAL);
    assert_int_equal(gpu_space_map_file(space, LOW, PAGE, -1, 0, GPU_PERM_RWX), -EBADF);
    assert_int_equal(gpu_space_unmap(space, HIGH + HIGH_SIZE, PAGE, false), -EINVAL);
    uint32_t value;
    assert_false(gpu_mem_read32(space, LOW, &value));
    close(fd);
}

/* An unmap under a running reader: the reader sees a fault or zeros, never a signal. */
struct race {
    struct gpu_space *space;
    _Atomic int stop;
    uint64_t reads;
};

static void *read_on(void *argument)
{
    struct race *race = argument;
    while (!race->stop) {
        for (uint64_t page = 0; page < 64; page++) {
            uint32_t *host = gpu_space_pointer(race->space, HIGH + page * PAGE, 4, GPU_PERM_READ | GPU_PERM_WRITE);
            if (host) {
                sched_yield();
                __atomic_fetch_add(host, 1, __ATOMIC_RELAXED);
            }
            __atomic_fetch_add(&race->reads, 1, __ATOMIC_RELAXED);
        }
    }
    return NULL;
}

static void test_unmapping_under_a_running_job(void **state)
{
    struct race race = {.space = *state};
    int fd = memory_file(64 * PAGE);
    pthread_t thread;
    assert_int_equal(gpu_space_map_file(race.space, HIGH, 64 * PAGE, fd, 0, GPU_PERM_RWX), 0);
    assert_int_equal(pthread_create(&thread, NULL, read_on, &race), 0);
    while (!__atomic_load_n(&race.reads, __ATOMIC_RELAXED)) /* it runs */
        sched_yield();
    for (unsigned i = 0; i < 300; i++) {
        assert_int_equal(gpu_space_unmap(race.space, HIGH + (i % 64) * PAGE, PAGE, true), 0);
        usleep(50);
        assert_int_equal(
            gpu_space_map_file(race.space, HIGH + (i % 64) * PAGE, PAGE, fd, (i % 64) * PAGE, GPU_PERM_RWX), 0);
    }
    race.stop = 1;
    pthread_join(thread, NULL);
    assert_true(race.reads > 0);
    close(fd);
}

static void test_all_pages_of_a_stretch_are_looked_at(void **state)
{
    struct gpu_space *space = *state;
    int fd = memory_file(200 * PAGE);
    assert_int_equal(gpu_space_map_file(space, LOW, 200 * PAGE, fd, 0, GPU_PERM_READ), 0);
    const uint8_t *host = gpu_space_pointer(space, LOW, 1, GPU_PERM_READ);
    uint32_t changes = gpu_space_changes(space, LOW);
    assert_ptr_equal(gpu_space_whole(space, LOW, 200 * PAGE, GPU_PERM_READ), host);
    assert_ptr_equal(gpu_space_whole(space, LOW + 12, 190 * PAGE, GPU_PERM_READ), host + 12);
    assert_null(gpu_space_whole(space, LOW, 200 * PAGE, GPU_PERM_WRITE));
    assert_null(gpu_space_whole(space, LOW + 1, 200 * PAGE, GPU_PERM_READ));
    assert_null(gpu_space_whole(space, LOW, 0, GPU_PERM_READ));
    assert_null(gpu_space_whole(space, LOW, LOW_SIZE + 1, GPU_PERM_READ));
    assert_null(gpu_space_whole(space, LOW, UINT64_MAX, GPU_PERM_READ));
    assert_int_equal(gpu_space_changes(space, LOW), changes);
    for (unsigned hole = 0; hole < 200; hole += 33) {
        assert_int_equal(gpu_space_unmap(space, LOW + hole * PAGE, PAGE, true), 0);
        assert_true(gpu_space_changes(space, LOW) > changes);
        changes = gpu_space_changes(space, LOW);
        assert_null(gpu_space_whole(space, LOW, 200 * PAGE, GPU_PERM_READ));
        if (hole)
            assert_non_null(gpu_space_whole(space, LOW, hole * PAGE, GPU_PERM_READ));
        assert_non_null(gpu_space_whole(space, LOW + (hole + 1) * PAGE, (199 - hole) * PAGE, GPU_PERM_READ));
        assert_int_equal(gpu_space_map_file(space, LOW + hole * PAGE, PAGE, fd, hole * PAGE, GPU_PERM_READ), 0);
    }
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unmapped_addresses_fault, setup, teardown),
        cmocka_unit_test(test_extents_lie_anywhere_in_48_bits),
        cmocka_unit_test(test_an_extent_may_cross_the_end_of_a_window),
        cmocka_unit_test(test_a_change_is_counted_where_there_was_no_window),
        cmocka_unit_test(test_addresses_are_reserved_when_they_are_needed),
        cmocka_unit_test(test_impossible_extents_are_refused),
        cmocka_unit_test_setup_teardown(test_two_mappings_show_the_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_accesses_may_cross_pages_but_not_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resident_pages_read_zero_and_drop_writes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_user_memory_is_reached_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_mappings_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unmapping_under_a_running_job, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all_pages_of_a_stretch_are_looked_at, setup, teardown),
    };
    return cmocka_run_group_tests_name("model/memory", tests, NULL, NULL);
}
