/* Memory that no GPU owns: addresses, ranges, chunks and uploads, what is bound to buffer objects, and results of
 * queries. Buffer objects are plain memory here. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/command/vk_query_pool.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/memory/vk_bo.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/memory/vk_chunk.h"
#include "vulkan/runtime/memory/vk_device_memory.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/memory/vk_range.h"
#include "vulkan/runtime/memory/vk_va.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/tests/fake_shaders.h"

static struct vk_device device;

static VkDevice dev(void)
{
    return vk_device_to_handle(&device);
}

static int setup(void **state)
{
    memset(&device, 0, sizeof(device));
    fake_memory_fail_at(0);
    device.alloc = fake_allocator;
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(fake_memory.living, 0);
    return 0;
}

/* ---- addresses ---- */

static void addresses_are_the_lowest_that_fit(void **state)
{
    struct vk_va va;
    uint64_t a, b, c;
    assert_int_equal(vk_va_init(&va, 0x10000, 0x20000), 0);
    assert_int_equal(vk_va_alloc(&va, 0x1000, 0x1000, &a), 0);
    assert_int_equal(vk_va_alloc(&va, 0x1000, 0x8000, &b), 0);
    assert_int_equal(vk_va_alloc(&va, 0x2000, 0x1000, &c), 0);
    assert_true(a == 0x10000 && b == 0x18000 && c == 0x11000);
    assert_int_equal(vk_va_alloc(&va, 0x8000, 0x1000, &c), -ENOMEM); /* in two holes, in none of them */
    assert_int_equal(vk_va_alloc(&va, 0, 0x1000, &c), -EINVAL);
    /* Freed neighbours are one hole again. */
    assert_int_equal(vk_va_free(&va, b, 0x1000), 0);
    assert_int_equal(vk_va_free(&va, a, 0x1000), 0);
    assert_int_equal(vk_va_free(&va, 0x11000, 0x2000), 0);
    assert_int_equal(vk_va_alloc(&va, 0x10000, 0x10000, &c), 0);
    assert_true(c == 0x10000);
    assert_int_equal(vk_va_alloc_at(&va, 0x12000, 0x1000), -EBUSY);
    assert_int_equal(vk_va_free(&va, 0x12000, 0x3000), 0);
    assert_int_equal(vk_va_alloc_at(&va, 0x13000, 0x3000), -EBUSY);
    assert_int_equal(vk_va_alloc_at(&va, 0x13000, 0x1000), 0);
    vk_va_finish(&va);
}

/* A range that ends with the last address, and one of nothing. */
static void ends_of_the_address_space_do_not_wrap(void **state)
{
    struct vk_va va;
    uint64_t at;
    assert_int_equal(vk_va_init(&va, 0xffffffffffff0000ull, 0xfffffffffffff000ull), 0);
    assert_int_equal(vk_va_alloc(&va, 0x8000, 0x8000, &at), 0);
    assert_true(at == 0xffffffffffff0000ull);
    assert_int_equal(vk_va_alloc(&va, 0x8000, 0x8000, &at), -ENOMEM);
    assert_int_equal(vk_va_alloc(&va, UINT64_MAX, 0x1000, &at), -ENOMEM);
    vk_va_finish(&va);
    assert_int_equal(vk_va_init(&va, 0, 0), 0);
    assert_int_equal(vk_va_alloc(&va, 1, 1, &at), -ENOMEM);
    vk_va_finish(&va);
}

/* ---- ranges ---- */

/* Random takes and gives beside a map of every unit. */
static void ranges_never_overlap_and_join_again(void **state)
{
    enum {
        SIZE = 1000,
        MAX_LIVE = 64
    };
    struct vk_range nodes[2 * MAX_LIVE + 1], *live[MAX_LIVE];
    struct vk_ranges ranges;
    uint8_t taken[SIZE] = {0};
    uint32_t count = 0, seed = 1, used = 0;
    assert_int_equal(vk_ranges_node_count(MAX_LIVE), ARRAY_SIZE(nodes));
    vk_ranges_init(&ranges, SIZE, nodes, ARRAY_SIZE(nodes));
    for (uint32_t step = 0; step < 20000; step++) {
        seed = seed * 1664525 + 1013904223;
        if (count && (seed >> 30 == 0 || count == MAX_LIVE)) {
            uint32_t i = seed / 7 % count;
            memset(taken + live[i]->at, 0, live[i]->size);
            used -= live[i]->size;
            vk_ranges_give(&ranges, live[i]);
            live[i] = live[--count];
        } else {
            uint32_t size = 1 + (seed >> 8) % 60;
            struct vk_range *range = vk_ranges_take(&ranges, size);
            if (!range)
                continue;
            assert_true(range->at + size <= SIZE);
            for (uint32_t i = 0; i < size; i++)
                assert_int_equal(taken[range->at + i]++, 0);
            used += size;
            live[count++] = range;
        }
        assert_int_equal(ranges.free, SIZE - used);
    }
    while (count)
        vk_ranges_give(&ranges, live[--count]);
    struct vk_range *all = vk_ranges_take(&ranges, SIZE);
    assert_non_null(all);
    assert_null(vk_ranges_take(&ranges, 1));
    vk_ranges_reset(&ranges);
    assert_non_null(vk_ranges_take(&ranges, SIZE));
}

/* ---- chunks and uploads ---- */

static uint64_t next_va = 0x100000;
static int living_bos;
static bool no_memory;

static struct vk_bo *create_bo(struct vk_device *base, uint32_t size_B)
{
    struct vk_bo *bo = no_memory ? NULL : malloc(sizeof(*bo) + size_B);
    assert_ptr_equal(base, &device);
    if (!bo)
        return NULL;
    *bo = (struct vk_bo){.va = next_va, .size_B = size_B, .map = bo + 1};
    next_va += 2 * (uint64_t)size_B;
    living_bos++;
    return bo;
}

static void destroy_bo(struct vk_device *base, struct vk_bo *bo)
{
    living_bos--;
    free(bo);
}

static void uploads_of_a_pool_lie_side_by_side(void **state)
{
    struct vk_chunk_pool pool;
    struct vk_rest rest = {0};
    struct vk_upload uploads[3];
    uint64_t va[3];
    vk_chunk_pool_init(&pool, &device, create_bo, destroy_bo);
    for (uint32_t i = 0; i < 3; i++) {
        vk_upload_init(&uploads[i], &pool, &rest);
        uint8_t *map = vk_upload_alloc(&uploads[i], 100, 64, &va[i]);
        assert_non_null(map);
        memset(map, (int)i, 100);
        assert_int_equal(va[i] % 64, 0);
        assert_ptr_equal(map - (va[i] - uploads[i].va), uploads[i].map);
        vk_upload_end(&uploads[i]);
    }
    assert_int_equal(living_bos, 1);
    assert_true(va[1] - va[0] == 256 && va[2] - va[1] == 256); /* no line of a cache in common */
    /* When the last recording is gone the rest is a whole chunk again, and then the pool's. */
    vk_upload_reset(&uploads[1]);
    assert_int_equal(rest.at_B, 768);
    vk_upload_reset(&uploads[0]);
    vk_upload_reset(&uploads[2]);
    assert_int_equal(rest.at_B, 0);
    assert_true(list_is_empty(&pool.free));
    vk_rest_drop(&pool, &rest);
    assert_false(list_is_empty(&pool.free));
    struct vk_chunk *again = vk_chunk_take(&pool, 1);
    assert_int_equal(living_bos, 1);
    vk_chunk_drop(&pool, again, NULL);
    vk_chunk_pool_finish(&pool);
    assert_int_equal(living_bos, 0);
}

static void uploads_grow_and_fail(void **state)
{
    struct vk_chunk_pool pool;
    struct vk_upload upload;
    uint64_t va, large_va;
    vk_chunk_pool_init(&pool, &device, create_bo, destroy_bo);
    vk_upload_init(&upload, &pool, NULL);
    assert_non_null(vk_upload_alloc(&upload, 1000, 16, &va));
    /* An allocation that is larger than a chunk has its own; the current one goes on. */
    assert_non_null(vk_upload_alloc(&upload, VK_CHUNK_B + 1, 16, &large_va));
    assert_int_equal(living_bos, 2);
    uint64_t next;
    assert_non_null(vk_upload_alloc(&upload, 16, 16, &next));
    assert_true(next == va + 1008);
    assert_non_null(vk_upload_alloc(&upload, VK_CHUNK_B - 512, 16, &next)); /* the current one has too little left */
    assert_int_equal(living_bos, 3);
    no_memory = true;
    assert_null(vk_upload_alloc(&upload, VK_CHUNK_B, 16, &next));
    no_memory = false;
    fake_memory_fail_at(1);
    assert_null(vk_upload_alloc(&upload, VK_CHUNK_B, 16, &next));
    fake_memory_fail_at(0);
    assert_int_equal(living_bos, 3);
    vk_upload_reset(&upload);
    assert_int_equal(living_bos, 2); /* nothing else used the large one */
    vk_chunk_pool_finish(&pool);
    assert_int_equal(living_bos, 0);
}

static void chunks_of_a_recording_go_back_in_their_order(void **state)
{
    struct vk_chunk_pool pool;
    struct vk_rest rest = {0};
    struct vk_upload upload;
    uint64_t va[3], again[3];
    vk_chunk_pool_init(&pool, &device, create_bo, destroy_bo);
    vk_upload_init(&upload, &pool, &rest);
    for (uint32_t i = 0; i < 3; i++)
        assert_non_null(vk_upload_alloc(&upload, VK_CHUNK_B - 4096, 16, &va[i]));
    vk_upload_end(&upload);
    /* The last one is the keeper's of its rest, too. */
    assert_int_equal(rest.at_B, VK_CHUNK_B - 4096);
    vk_upload_reset(&upload);
    assert_int_equal(rest.at_B, 0);
    assert_true(list_is_empty(&upload.chunks));
    for (uint32_t i = 0; i < 3; i++)
        assert_non_null(vk_upload_alloc(&upload, VK_CHUNK_B - 4096, 16, &again[i]));
    assert_true(again[0] == va[2] && again[1] == va[0] && again[2] == va[1]);
    assert_int_equal(living_bos, 3);
    vk_upload_reset(&upload);
    vk_rest_drop(&pool, &rest);
    vk_chunk_pool_finish(&pool);
    assert_int_equal(living_bos, 0);
}

/* ---- binding ---- */

static void buffers_and_planes_lie_in_their_memory(void **state)
{
    struct vk_bo bos[2] = {{.va = 0x100000, .size_B = 65536}, {.va = 0x200000, .size_B = 65536}};
    struct vk_device_memory memory[2] = {{.bo = &bos[0]}, {.bo = &bos[1]}};
    VkBufferCreateInfo info = vk_struct_init(VkBufferCreateInfo);
    VkBuffer buffer;
    info.size = 1000;
    assert_int_equal(vk_common_CreateBuffer(dev(), &info, NULL, &buffer), VK_SUCCESS);
    assert_null(vk_buffer_from_handle(buffer)->bo);
    const VkBindBufferMemoryInfo bind = {
        .buffer = buffer, .memory = vk_device_memory_to_handle(&memory[1]), .memoryOffset = 0x1230};
    assert_int_equal(vk_common_BindBufferMemory2(dev(), 1, &bind), VK_SUCCESS);
    assert_ptr_equal(vk_buffer_from_handle(buffer)->bo, &bos[1]);
    assert_true(vk_common_GetBufferDeviceAddress(dev(), &(const VkBufferDeviceAddressInfo){.buffer = buffer}) ==
                0x201230);
    assert_true(vk_common_GetDeviceMemoryOpaqueCaptureAddress(
                    dev(), &(const VkDeviceMemoryOpaqueCaptureAddressInfo){.memory = bind.memory}) == 0x200000);
    vk_common_DestroyBuffer(dev(), buffer, NULL);
    fake_memory_fail_at(1);
    assert_int_equal(vk_common_CreateBuffer(dev(), &info, NULL, &buffer), VK_ERROR_OUT_OF_HOST_MEMORY);

    struct vk_image image = {.flags = 0};
    VkBindImagePlaneMemoryInfo plane = vk_struct_init(VkBindImagePlaneMemoryInfo);
    VkBindImageMemoryInfo where = {.image = vk_image_to_handle(&image),
                                   .memory = vk_device_memory_to_handle(&memory[0]),
                                   .memoryOffset = 0x1000,
                                   .pNext = &plane};
    plane.planeAspect = VK_IMAGE_ASPECT_PLANE_1_BIT;
    assert_int_equal(vk_common_BindImageMemory2(dev(), 1, &where), VK_SUCCESS);
    for (int i = 0; i < VK_IMAGE_MAX_PLANES; i++)
        assert_true(image.memory[i].va == 0x101000); /* one binding for all of them */
    image.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
    where.memory = vk_device_memory_to_handle(&memory[1]);
    assert_int_equal(vk_common_BindImageMemory2(dev(), 1, &where), VK_SUCCESS);
    assert_true(image.memory[0].va == 0x101000 && image.memory[1].va == 0x201000 && image.memory[2].va == 0x101000);
    assert_ptr_equal(image.memory[1].bo, &bos[1]);
}

static void aspects_have_formats_and_planes(void **state)
{
    static const struct {
        VkFormat format;
        VkImageAspectFlags aspect;
        VkFormat expected;
    } rows[] = {
        {VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, VK_FORMAT_S8_UINT},
        {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_FORMAT_D32_SFLOAT},
        {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_ASPECT_PLANE_1_BIT, VK_FORMAT_R8G8_UNORM},
        {VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_ASPECT_PLANE_2_BIT, VK_FORMAT_UNDEFINED},
        {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT, VK_FORMAT_R8_UNORM},
        {VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, VK_IMAGE_ASPECT_COLOR_BIT, VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM},
        {VK_FORMAT_R8G8B8A8_SRGB, VK_IMAGE_ASPECT_COLOR_BIT, VK_FORMAT_R8G8B8A8_SRGB},
        {(VkFormat)123456, VK_IMAGE_ASPECT_COLOR_BIT, VK_FORMAT_UNDEFINED},
    };
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++)
        assert_int_equal(vk_aspect_format(rows[i].format, rows[i].aspect), rows[i].expected);
}

/* ---- queries ---- */

static uint32_t reads_until_ready;

static bool read_query(const struct vk_query_pool *pool, uint32_t query, uint64_t values_out[VK_QUERY_MAX_VALUES],
                       uint32_t *count_out)
{
    *count_out = 2;
    values_out[0] = 0x100000000ull + query;
    values_out[1] = 7;
    if (query != 2 || !reads_until_ready)
        return true;
    reads_until_ready--;
    return false;
}

static void results_of_queries_follow_the_flags(void **state)
{
    static const struct vk_query_ops ops = {.read = read_query};
    struct vk_query_pool pool = {.count = 4};
    device.queries = &ops;
    VkQueryPool handle = vk_query_pool_to_handle(&pool);
    uint64_t wide[4 * 3];
    uint32_t narrow[4 * 3];
    /* The third is not ready: its values stay untouched, and only its availability is written. */
    reads_until_ready = 1;
    memset(narrow, 0xee, sizeof(narrow));
    assert_int_equal(vk_common_GetQueryPoolResults(dev(), handle, 1, 3, sizeof(narrow), narrow, 12,
                                                   VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
                     VK_NOT_READY);
    const uint32_t expected[] = {1, 7, 1, 0xeeeeeeee, 0xeeeeeeee, 0, 3, 7, 1};
    assert_memory_equal(narrow, expected, sizeof(expected));
    /* Partial results are results. */
    reads_until_ready = 1;
    assert_int_equal(vk_common_GetQueryPoolResults(dev(), handle, 2, 1, sizeof(wide), wide, 24,
                                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_PARTIAL_BIT |
                                                       VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
                     VK_SUCCESS);
    assert_true(wide[0] == 0x100000002ull && wide[1] == 7 && wide[2] == 0);
    /* Waiting reads until it is there. */
    reads_until_ready = 5;
    assert_int_equal(vk_common_GetQueryPoolResults(dev(), handle, 2, 1, sizeof(wide), wide, 24,
                                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT |
                                                       VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
                     VK_SUCCESS);
    assert_int_equal(reads_until_ready, 0);
    assert_int_equal(wide[2], 1);
    device.lost = true;
    assert_int_equal(
        vk_common_GetQueryPoolResults(dev(), handle, 0, 1, sizeof(wide), wide, 24, VK_QUERY_RESULT_WAIT_BIT),
        VK_ERROR_DEVICE_LOST);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(addresses_are_the_lowest_that_fit),
        CASE(ends_of_the_address_space_do_not_wrap),
        CASE(ranges_never_overlap_and_join_again),
        CASE(uploads_of_a_pool_lie_side_by_side),
        CASE(uploads_grow_and_fail),
        CASE(chunks_of_a_recording_go_back_in_their_order),
        CASE(buffers_and_planes_lie_in_their_memory),
        CASE(aspects_have_formats_and_planes),
        CASE(results_of_queries_follow_the_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
