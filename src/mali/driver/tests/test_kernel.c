/* The kernel's side on the model: addresses, buffers, sharing, heaps, groups, submissions, faults. */
#include <drm.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mali/driver/kernel.h"
#include "mali/hw/chip.h"
#include "mali/hw/instructions.h"
#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/sync/vk_syncobj.h"
#include "vulkan/runtime/sync/vk_time.h"

static struct mali_kernel *open_model(const char *name)
{
    struct kernel_file *file;
    struct mali_kernel *kernel;
    assert_int_equal(kernel_open_model(name, KERNEL_NODE_RENDER, &file), 0);
    assert_int_equal(mali_kernel_open(file, &kernel), 0);
    return kernel;
}

static int set_up(void **state)
{
    *state = open_model("mali-g610");
    return 0;
}

static int tear_down(void **state)
{
    mali_kernel_close(*state);
    return 0;
}

static void the_chip_is_found_by_its_id(void **state)
{
    struct mali_kernel *kernel = *state;
    const struct mali_chip *chip = mali_chip_find_id(kernel->gpu.gpu_id);
    assert_non_null(chip);
    assert_string_equal(chip->name, "mali-g610");
    assert_true(kernel->timestamp_Hz == chip->timestamp_frequency_Hz);
    assert_true(kernel->priorities & 1u << PANTHOR_GROUP_PRIORITY_MEDIUM);
    uint64_t before, after;
    assert_int_equal(mali_kernel_clock(kernel, &before), 0);
    assert_int_equal(mali_kernel_clock(kernel, &after), 0);
    assert_true(after >= before);
    /* Another revision of the product is the same chip, another product is none. */
    assert_ptr_equal(mali_chip_find_id(chip->gpu_id & 0xffff0000u), chip);
    assert_null(mali_chip_find_id(0x90930000));
}

static void the_cpus_caches_are_seen_where_the_kernel_says_so(void **state)
{
    assert_false(mali_kernel_is_coherent(*state)); /* the RK3588 */
    struct mali_kernel kernel = {.has_cached_mappings = true};
    kernel.gpu.selected_coherency = DRM_PANTHOR_GPU_COHERENCY_NONE;
    assert_false(mali_kernel_is_coherent(&kernel));
    kernel.gpu.selected_coherency = DRM_PANTHOR_GPU_COHERENCY_ACE_LITE;
    assert_true(mali_kernel_is_coherent(&kernel));
    kernel.gpu.selected_coherency = DRM_PANTHOR_GPU_COHERENCY_ACE;
    assert_true(mali_kernel_is_coherent(&kernel));
    /* An older kernel, which does not say it. */
    kernel = (struct mali_kernel){0};
    assert_false(mali_kernel_is_coherent(&kernel));
}

static void a_child_is_a_file_of_the_same_gpu(void **state)
{
    struct mali_kernel *kernel = *state, *children[2];
    struct mali_heap heap;
    struct mali_bo *bo;
    for (unsigned i = 0; i < ARRAY_SIZE(children); i++) {
        assert_int_equal(mali_kernel_open_child(kernel, &children[i]), 0);
        assert_int_equal(children[i]->gpu.gpu_id, kernel->gpu.gpu_id);
        assert_int_equal(mali_bo_create(children[i], 4096, MALI_BO_PRIVATE, 0, &bo), 0);
        assert_int_equal(atomic_load(&kernel->allocated_B), 4096);
        mali_bo_unref(bo);
        assert_int_equal(atomic_load(&kernel->allocated_B), 0);
    }
    /* Heaps that are all there may be in one address space leave room in another. */
    unsigned count = 0;
    while (mali_heap_create(children[0], 2 << 20, 1, 1, 1, &heap) == 0)
        count++;
    assert_int_equal(count, 128);
    assert_int_equal(mali_heap_create(children[1], 2 << 20, 1, 1, 1, &heap), 0);
    for (unsigned i = 0; i < ARRAY_SIZE(children); i++)
        mali_kernel_close(children[i]);
}

static void buffers_come_and_go_in_any_order(void **state)
{
    struct mali_kernel *kernel = *state;
    struct mali_bo *bos[64] = {0};
    uint32_t random = 1;
    for (unsigned round = 0; round < 600; round++) {
        random = random * 1664525u + 1013904223u;
        struct mali_bo **bo = &bos[(random >> 8) % ARRAY_SIZE(bos)];
        if (*bo) {
            mali_bo_unref(*bo);
            *bo = NULL;
        } else {
            assert_int_equal(mali_bo_create(kernel, 1 + (random >> 10) % 50000, MALI_BO_PRIVATE, 0, bo), 0);
        }
        for (unsigned i = 0; *bo && i < ARRAY_SIZE(bos); i++) {
            if (bos[i] && bos[i] != *bo)
                assert_true(bos[i]->vk.va + bos[i]->gem.va_size_B <= (*bo)->vk.va ||
                            (*bo)->vk.va + (*bo)->gem.va_size_B <= bos[i]->vk.va);
        }
    }
    for (unsigned i = 0; i < ARRAY_SIZE(bos); i++)
        mali_bo_unref(bos[i]);
    assert_true(list_is_empty(&kernel->bos));
    assert_int_equal(atomic_load(&kernel->allocated_B), 0);
}

static void addresses_can_be_chosen(void **state)
{
    struct mali_kernel *kernel = *state;
    const uint64_t va = 1ull << 40;
    struct mali_bo *a, *b;
    assert_int_equal(mali_bo_create(kernel, 8192, 0, va, &a), 0);
    assert_true(a->vk.va == va);
    assert_int_equal(mali_bo_create(kernel, 4096, 0, va + 4096, &b), -EBUSY);
    mali_bo_unref(a);
    assert_int_equal(mali_bo_create(kernel, 4096, 0, va + 4096, &b), 0);
    mali_bo_unref(b);
}

static void shared_buffers_are_the_same_bytes(void **state)
{
    struct mali_kernel *kernel = *state;
    struct mali_bo *bo, *again, *far;
    int fd;
    assert_int_equal(mali_bo_create(kernel, 4096, 0, 0, &bo), 0);
    assert_int_equal(mali_bo_export(bo, &fd), 0);
    /* In the same file it is the same buffer, in another one another view of the same bytes. */
    assert_int_equal(mali_bo_import(kernel, fd, &again), 0);
    assert_ptr_equal(again, bo);
    struct mali_kernel *other = open_model("mali-g610");
    assert_int_equal(mali_bo_import(other, fd, &far), 0);
    uint32_t *words, *far_words;
    assert_int_equal(mali_bo_map(bo, (void **)&words), 0);
    assert_int_equal(mali_bo_map(far, (void **)&far_words), 0);
    words[7] = 0x12345678;
    assert_int_equal(far_words[7], 0x12345678);
    mali_bo_unref(far);
    mali_kernel_close(other);
    mali_bo_unref(again);
    mali_bo_unref(bo);
    assert_true(mali_bo_import(kernel, -1, &bo) < 0);
    close(fd);
    /* A buffer that was made for one address space does not leave the process. */
    assert_int_equal(mali_bo_create(kernel, 4096, MALI_BO_PRIVATE, 0, &bo), 0);
    assert_true(mali_bo_export(bo, &fd) < 0);
    mali_bo_unref(bo);
}

static void heaps_have_a_context_and_a_first_chunk(void **state)
{
    struct mali_kernel *kernel = *state;
    struct mali_heap heap;
    assert_int_equal(mali_heap_create(kernel, 2 << 20, 5, 64, 65535, &heap), 0);
    assert_true(heap.context_va && heap.first_chunk_va && heap.context_va != heap.first_chunk_va);
    mali_heap_destroy(kernel, &heap);
    assert_true(mali_heap_create(kernel, 12345, 5, 64, 65535, &heap) < 0);
}

/* ---- submissions ---- */

struct group {
    struct mali_kernel *kernel;
    struct vk_device device; /* as far as vk_syncobj looks at it */
    struct mali_bo *bo;
    uint64_t *words;
    uint32_t group, syncobj;
};

static struct group begin_group(struct mali_kernel *kernel)
{
    struct group g = {.kernel = kernel, .device.kernel_file = kernel->file};
    assert_int_equal(mali_bo_create(kernel, 4096, 0, 0, &g.bo), 0);
    assert_int_equal(mali_bo_map(g.bo, (void **)&g.words), 0);
    assert_int_equal(mali_group_create(kernel, 3, PANTHOR_GROUP_PRIORITY_MEDIUM, &g.group), 0);
    assert_int_equal(vk_syncobj_create(&g.device, false, &g.syncobj), VK_SUCCESS);
    return g;
}

static void end_group(struct group *g)
{
    vk_syncobj_destroy(&g->device, g->syncobj);
    mali_group_destroy(g->kernel, g->group);
    mali_bo_unref(g->bo);
}

/* Submits `count` instructions from word 64 on to a queue and waits for their end. */
static void run_stream(struct group *g, uint32_t queue, uint32_t count)
{
    struct drm_panthor_sync_op signal = {.flags = DRM_PANTHOR_SYNC_OP_SIGNAL, .handle = g->syncobj};
    const struct drm_panthor_queue_submit job = {
        .queue_index = queue,
        .stream_size = 8 * count,
        .stream_addr = g->bo->vk.va + 512,
        .latest_flush = *g->kernel->latest_flush,
        .syncs = {.stride = sizeof(signal), .count = 1, .array = (uintptr_t)&signal},
    };
    assert_int_equal(mali_group_submit(g->kernel, g->group, &job, 1), 0);
    const struct vk_syncobj_point point = {.handle = g->syncobj};
    assert_int_equal(vk_syncobj_wait(&g->device, &point, 1, VK_SYNCOBJ_WAIT_ALL, VK_TIME_NEVER_NS, NULL), VK_SUCCESS);
}

static void streams_run_in_each_queue(void **state)
{
    struct group g = begin_group(*state);
    for (uint32_t queue = 0; queue < 3; queue++) {
        uint64_t *stream = g.words + 64;
        stream[0] = MALI_CS(MOVE, .DESTINATION = 70, .IMMEDIATE = g.bo->vk.va);
        stream[1] = MALI_CS(MOVE32, .DESTINATION = 72, .IMMEDIATE = 100 + queue);
        stream[2] = MALI_CS(STORE_MULTIPLE, .BASE_REGISTER = 72, .MASK = 1, .ADDRESS = 70, .OFFSET = 8 * (int)queue);
        stream[3] = MALI_CS(WAIT, .WAIT_MASK = 0xff);
        run_stream(&g, queue, 4);
        assert_int_equal(g.words[queue], 100 + queue);
    }
    uint32_t group_state, queues;
    assert_int_equal(mali_group_state(g.kernel, g.group, &group_state, &queues), 0);
    assert_int_equal(group_state, 0);
    end_group(&g);
}

static void faults_name_the_queue(void **state)
{
    struct group g = begin_group(*state);
    g.words[64] = ~0ull; /* no instruction */
    run_stream(&g, 1, 1);
    uint32_t group_state, queues;
    assert_int_equal(mali_group_state(g.kernel, g.group, &group_state, &queues), 0);
    assert_int_equal(group_state, DRM_PANTHOR_GROUP_STATE_FATAL_FAULT);
    assert_int_equal(queues, 1u << 1);
    end_group(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chip_is_found_by_its_id),
        cmocka_unit_test(the_cpus_caches_are_seen_where_the_kernel_says_so),
        cmocka_unit_test(a_child_is_a_file_of_the_same_gpu),
        cmocka_unit_test(buffers_come_and_go_in_any_order),
        cmocka_unit_test(addresses_can_be_chosen),
        cmocka_unit_test(shared_buffers_are_the_same_bytes),
        cmocka_unit_test(heaps_have_a_context_and_a_first_chunk),
        cmocka_unit_test(streams_run_in_each_queue),
        cmocka_unit_test(faults_name_the_queue),
    };
    return cmocka_run_group_tests_name("mali kernel", tests, set_up, tear_down);
}
