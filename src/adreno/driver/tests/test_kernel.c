/* The kernel's side on the models: addresses, buffers, sharing, submissions, faults. */
#include <drm.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/driver/kernel.h"
#include "adreno/hw/chip.h"
#include "adreno/hw/packets.h"
#include "util/bits.h"

#define NEVER_NS ((uint64_t)INT64_MAX)

static struct adreno_kernel *open_model(const char *name)
{
    struct kernel_file *file;
    struct adreno_kernel *kernel;
    assert_int_equal(kernel_open_model(name, KERNEL_NODE_RENDER, &file), 0);
    assert_int_equal(adreno_kernel_open(file, &kernel), 0);
    return kernel;
}

static int set_up(void **state)
{
    *state = open_model("adreno-635");
    return 0;
}

static int tear_down(void **state)
{
    adreno_kernel_close(*state);
    return 0;
}

static void every_chip_is_found_by_its_id(void **state)
{
    for (unsigned i = 0; i < adreno_chip_count; i++) {
        struct adreno_kernel *kernel = open_model(adreno_chips[i].name);
        const struct adreno_chip *chip = adreno_chip_find_id(kernel->chip_id);
        assert_ptr_equal(chip, &adreno_chips[i]);
        assert_int_equal(kernel->gmem_size_B, chip->gmem_size_B);
        assert_int_equal(kernel->gmem_base, chip->gmem_base);
        assert_true(kernel->va_size_B == chip->va_size_B);
        assert_int_equal(kernel->priorities, chip->priorities);
        adreno_kernel_close(kernel);
    }
    assert_null(adreno_chip_find_id(0x07030001));
}

/* Buffers that submissions name are exactly those that live, and each buffer knows its place. */
static void assert_named(const struct adreno_kernel *kernel, struct adreno_bo *const *bos, unsigned count)
{
    unsigned living = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!bos[i])
            continue;
        living++;
        assert_true(bos[i]->named_at < kernel->named.count);
        assert_ptr_equal(kernel->named_bos.data[bos[i]->named_at], bos[i]);
        assert_int_equal(kernel->named.data[bos[i]->named_at].handle, bos[i]->gem.handle);
    }
    assert_int_equal(kernel->named.count, living);
}

static void buffers_come_and_go_in_any_order(void **state)
{
    struct adreno_kernel *kernel = *state;
    struct adreno_bo *bos[64] = {0};
    uint32_t random = 1;
    for (unsigned round = 0; round < 600; round++) {
        random = random * 1664525u + 1013904223u;
        struct adreno_bo **bo = &bos[(random >> 8) % ARRAY_SIZE(bos)];
        if (*bo) {
            adreno_bo_unref(*bo);
            *bo = NULL;
        } else {
            assert_int_equal(adreno_bo_create(kernel, 1 + (random >> 10) % 50000, MSM_BO_WC, 0, bo), 0);
        }
        for (unsigned i = 0; *bo && i < ARRAY_SIZE(bos); i++) {
            if (bos[i] && bos[i] != *bo)
                assert_true(bos[i]->vk.va + bos[i]->gem.va_size_B <= (*bo)->vk.va ||
                            (*bo)->vk.va + (*bo)->gem.va_size_B <= bos[i]->vk.va);
        }
        assert_named(kernel, bos, ARRAY_SIZE(bos));
    }
    for (unsigned i = 0; i < ARRAY_SIZE(bos); i++)
        adreno_bo_unref(bos[i]);
    assert_int_equal(kernel->named.count, 0);
    assert_int_equal(atomic_load(&kernel->allocated_B), 0);
}

static void addresses_can_be_chosen(void **state)
{
    struct adreno_kernel *kernel = *state;
    const uint64_t va = kernel->va_start + (1 << 20);
    struct adreno_bo *a, *b;
    assert_int_equal(adreno_bo_create(kernel, 8192, MSM_BO_WC, va, &a), 0);
    assert_true(a->vk.va == va);
    assert_int_equal(adreno_bo_create(kernel, 4096, MSM_BO_WC, va + 4096, &b), -EBUSY);
    adreno_bo_unref(a);
    assert_int_equal(adreno_bo_create(kernel, 4096, MSM_BO_WC, va + 4096, &b), 0);
    adreno_bo_unref(b);
    assert_int_equal(adreno_bo_create(kernel, kernel->va_size_B + 4096, MSM_BO_WC, 0, &a), -ENOMEM);
}

static uint32_t named_flags(const struct adreno_bo *bo)
{
    return adreno_kernel_of(bo->gem.owner)->named.data[bo->named_at].flags;
}

static void reserved_addresses_have_no_memory_before_they_are_committed(void **state)
{
    struct adreno_kernel *kernel = *state;
    struct adreno_bo *lazy, *never, *other;
    assert_int_equal(adreno_bo_reserve(kernel, 10000, MSM_BO_WC, &lazy), 0);
    assert_int_equal(adreno_bo_reserve(kernel, 4096, MSM_BO_WC, &never), 0);
    assert_int_equal(adreno_bo_create(kernel, 4096, MSM_BO_WC, lazy->vk.va, &other), -EBUSY);
    assert_int_equal(kernel->named.count, 0);
    assert_int_equal(atomic_load(&kernel->allocated_B), 0);
    assert_false(adreno_bo_is_committed(lazy));
    const uint64_t va = lazy->vk.va;
    assert_int_equal(adreno_bo_commit_at(kernel, va + 9999), 0);
    assert_int_equal(adreno_bo_commit(lazy), 0);
    assert_true(adreno_bo_is_committed(lazy) && !adreno_bo_is_committed(never));
    assert_true(lazy->vk.va == va);
    assert_named(kernel, &lazy, 1);
    assert_int_equal(adreno_bo_commit_at(kernel, va - 1), 0); /* nothing was reserved there */
    assert_int_equal(kernel->named.count, 1);
    adreno_bo_unref(lazy);
    adreno_bo_unref(never);
    assert_int_equal(kernel->named.count, 0);
    assert_int_equal(kernel->lazies.count, 0);
    assert_int_equal(adreno_bo_create(kernel, 4096, MSM_BO_WC, va, &other), 0);
    adreno_bo_unref(other);
}

static void only_shared_buffers_are_waited_for(void **state)
{
    struct adreno_kernel *kernel = *state;
    struct adreno_bo *bo, *again, *far;
    int fd;
    assert_int_equal(adreno_bo_create(kernel, 4096, MSM_BO_WC, 0, &bo), 0);
    assert_true(named_flags(bo) & MSM_SUBMIT_BO_NO_IMPLICIT);
    adreno_bo_set_waited(bo, true); /* no other process knows it */
    assert_true(named_flags(bo) & MSM_SUBMIT_BO_NO_IMPLICIT);
    assert_int_equal(adreno_bo_export(bo, &fd), 0);
    assert_false(named_flags(bo) & MSM_SUBMIT_BO_NO_IMPLICIT);
    adreno_bo_set_waited(bo, false);
    assert_true(named_flags(bo) & MSM_SUBMIT_BO_NO_IMPLICIT);
    adreno_bo_set_waited(bo, true);
    /* In the same file it is the same buffer, in another one another view of the same bytes. */
    assert_int_equal(adreno_bo_import(kernel, fd, &again), 0);
    assert_ptr_equal(again, bo);
    struct adreno_kernel *other = open_model("adreno-635");
    assert_int_equal(adreno_bo_import(other, fd, &far), 0);
    assert_false(named_flags(far) & MSM_SUBMIT_BO_NO_IMPLICIT);
    assert_int_equal(far->flags & MSM_BO_CACHE_MASK, MSM_BO_WC);
    uint32_t *words, *far_words;
    assert_int_equal(adreno_bo_map(bo, (void **)&words), 0);
    assert_int_equal(adreno_bo_map(far, (void **)&far_words), 0);
    words[7] = 0x12345678;
    assert_int_equal(far_words[7], 0x12345678);
    adreno_bo_unref(far);
    adreno_kernel_close(other);
    adreno_bo_unref(again);
    adreno_bo_unref(bo);
    assert_true(adreno_bo_import(kernel, -1, &bo) < 0);
    close(fd);
}

static void metadata_travels_with_a_buffer(void **state)
{
    struct adreno_kernel *kernel = *state, *other = open_model("adreno-618");
    struct adreno_bo *bo, *far;
    char text[64] = "how the image is laid out", back[64] = "";
    uint32_t size_B = sizeof(back);
    int fd;
    assert_int_equal(adreno_bo_create(kernel, 4096, MSM_BO_WC, 0, &bo), 0);
    assert_int_equal(adreno_bo_set_metadata(bo, text, sizeof(text)), 0);
    assert_int_equal(adreno_bo_export(bo, &fd), 0);
    assert_int_equal(adreno_bo_import(other, fd, &far), 0);
    assert_int_equal(adreno_bo_get_metadata(far, back, &size_B), 0);
    assert_int_equal(size_B, sizeof(text));
    assert_string_equal(back, text);
    close(fd);
    adreno_bo_unref(far);
    adreno_bo_unref(bo);
    adreno_kernel_close(other);
}

/* Writes `value` to a word of the buffer that it stands in. */
static struct adreno_piece write_piece(struct adreno_bo *bo, uint32_t offset_B, uint32_t value)
{
    uint32_t *words = (uint32_t *)((uint8_t *)bo->vk.map + offset_B);
    unsigned count = adreno_pack_pkt_CP_MEM_WRITE(
        words, &(const struct adreno_pkt_CP_MEM_WRITE){.ADDR = bo->vk.va + 4 * (value % 16), .tail_dw = 1});
    words[count++] = value;
    return (struct adreno_piece){.bo = bo, .offset_B = offset_B, .size_dw = count};
}

static void submissions_run_their_pieces_in_order(void **state)
{
    struct adreno_kernel *kernel = *state;
    struct adreno_piece pieces[40];
    struct adreno_bo *bo;
    uint32_t queue, fence;
    void *map;
    assert_int_equal(adreno_bo_create(kernel, 4096, MSM_BO_WC, 0, &bo), 0);
    assert_int_equal(adreno_bo_map(bo, &map), 0);
    assert_int_equal(adreno_submitqueue_create(kernel, 1, &queue), 0);
    for (unsigned i = 0; i < ARRAY_SIZE(pieces); i++)
        pieces[i] = write_piece(bo, 64 + 32 * i, 1000 + i);
    const struct adreno_submit submit = {.queue = queue, .pieces = pieces, .piece_count = ARRAY_SIZE(pieces)};
    assert_int_equal(adreno_kernel_submit(kernel, &submit, &fence), 0);
    assert_int_equal(adreno_kernel_wait(kernel, queue, fence, NEVER_NS), 1);
    const uint32_t *words = map;
    for (unsigned value = 1000 + ARRAY_SIZE(pieces) - 16; value < 1000 + ARRAY_SIZE(pieces); value++)
        assert_int_equal(words[value % 16], value);
    /* One without pieces only signals. */
    const struct adreno_submit empty = {.queue = queue};
    assert_int_equal(adreno_kernel_submit(kernel, &empty, &fence), 0);
    assert_int_equal(adreno_kernel_wait(kernel, queue, fence, NEVER_NS), 1);
    adreno_submitqueue_destroy(kernel, queue);
    adreno_bo_unref(bo);
}

static void faults_are_counted_by_queue(void **state)
{
    struct adreno_kernel *kernel = *state;
    struct adreno_bo *bo;
    uint32_t queues[2], fence;
    uint64_t faults;
    void *map;
    assert_int_equal(adreno_bo_create(kernel, 4096, MSM_BO_WC, 0, &bo), 0);
    assert_int_equal(adreno_bo_map(bo, &map), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(adreno_submitqueue_create(kernel, 1, &queues[i]), 0);
    *(uint32_t *)map = 0xdeadbeef; /* no packet */
    const struct adreno_piece broken = {.bo = bo, .size_dw = 1};
    const struct adreno_submit submit = {.queue = queues[0], .pieces = &broken, .piece_count = 1};
    assert_int_equal(adreno_kernel_submit(kernel, &submit, &fence), 0);
    adreno_kernel_wait(kernel, queues[0], fence, NEVER_NS);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(adreno_submitqueue_faults(kernel, queues[i], &faults), 0);
        assert_int_equal(faults, i == 0);
        adreno_submitqueue_destroy(kernel, queues[i]);
    }
    adreno_bo_unref(bo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chip_is_found_by_its_id),
        cmocka_unit_test(buffers_come_and_go_in_any_order),
        cmocka_unit_test(addresses_can_be_chosen),
        cmocka_unit_test(only_shared_buffers_are_waited_for),
        cmocka_unit_test(metadata_travels_with_a_buffer),
        cmocka_unit_test(submissions_run_their_pieces_in_order),
        cmocka_unit_test(faults_are_counted_by_queue),
        cmocka_unit_test(reserved_addresses_have_no_memory_before_they_are_committed),
    };
    return cmocka_run_group_tests_name("adreno kernel", tests, set_up, tear_down);
}
