/* The winsys on the modelled Navi 21: addresses, buffers, sharing, submission. */
#include <drm.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/driver/ws.h"

static struct ws_device *device;

static int setup(void **state)
{
    struct kernel_file *file;
    int error = kernel_open_model("gfx1030", KERNEL_NODE_RENDER, &file);
    if (!error) {
        error = amd_ws_device_open(file, &device);
        if (error)
            kernel_close(file);
    }
    return error;
}

static int teardown(void **state)
{
    amd_ws_device_close(device);
    return 0;
}

static uint32_t random_state = 1;
static uint32_t random_number(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* A map of pages beside the manager's list says whether they agree. */
static void addresses_never_overlap_and_come_back(void **state)
{
    enum {
        PAGES = 1024,
        LIVE = 64
    };
    static uint8_t taken[PAGES];
    struct vk_va va;
    struct {
        uint64_t at, size;
    } live[LIVE] = {{0, 0}};
    const uint64_t base = 0xffff800000000000ull;
    assert_int_equal(vk_va_init(&va, base, base + PAGES * 4096ull), 0);
    for (unsigned round = 0; round < 20000; round++) {
        unsigned i = random_number() % LIVE;
        if (live[i].size) {
            assert_int_equal(vk_va_free(&va, live[i].at, live[i].size), 0);
            memset(taken + (live[i].at - base) / 4096, 0, live[i].size / 4096);
            live[i].size = 0;
            continue;
        }
        uint64_t size = (1 + random_number() % 40) * 4096ull, align = 4096ull << random_number() % 6;
        int error = random_number() % 4 ? vk_va_alloc(&va, size, align, &live[i].at)
                                        : (live[i].at = base + random_number() % (PAGES - 40) * 4096ull, align = 4096,
                                           vk_va_alloc_at(&va, live[i].at, size));
        if (error)
            continue;
        live[i].size = size;
        assert_int_equal((live[i].at - base) % align, 0);
        for (uint64_t page = 0; page < size / 4096; page++) {
            assert_int_equal(taken[(live[i].at - base) / 4096 + page], 0);
            taken[(live[i].at - base) / 4096 + page] = 1;
        }
    }
    for (unsigned i = 0; i < LIVE; i++)
        if (live[i].size)
            assert_int_equal(vk_va_free(&va, live[i].at, live[i].size), 0);
    uint64_t all;
    assert_int_equal(vk_va_alloc(&va, PAGES * 4096ull, 4096, &all), 0);
    assert_true(all == base);
    assert_int_equal(vk_va_alloc(&va, 4096, 4096, &all), -ENOMEM);
    vk_va_finish(&va);
}

static void a_range_may_end_at_the_last_address(void **state)
{
    struct vk_va va;
    uint64_t at;
    assert_int_equal(vk_va_init(&va, 0xfffffffffff00000ull, 0xfffffffffffff000ull), 0);
    assert_int_equal(vk_va_alloc(&va, 0x200000, 4096, &at), -ENOMEM);
    assert_int_equal(vk_va_alloc(&va, 0x1000, 0x80000, &at), 0);
    assert_true(at == 0xfffffffffff00000ull);
    assert_int_equal(vk_va_alloc(&va, 0x1000, 0x80000, &at), 0);
    assert_true(at == 0xfffffffffff80000ull);
    vk_va_finish(&va);
}

static void a_buffer_has_memory_and_an_address(void **state)
{
    struct ws_bo *a, *b;
    uint32_t *words;
    assert_int_equal(amd_ws_bo_create(device, 10000, 4096, AMDGPU_GEM_DOMAIN_VRAM, WS_BO_CPU_ACCESS, 0, &a), 0);
    assert_int_equal(amd_ws_bo_create(device, 100, 256, AMDGPU_GEM_DOMAIN_GTT, WS_BO_CPU_ACCESS | WS_BO_VA_32, 0, &b),
                     0);
    assert_int_equal(amd_ws_bo_map(a, (void **)&words), 0);
    words[2499] = 1;
    assert_true(a->vk.va >= device->va[WS_VA_HIGH].start_va);
    assert_true(b->vk.va - device->va[WS_VA_HIGH_32].start_va < 1ull << 32);
    assert_true(device->allocated_vram_B >= 10000);
    amd_ws_bo_unref(a);
    amd_ws_bo_unref(b);
    assert_true(device->allocated_vram_B == 0 && device->allocated_gtt_B == 0);
}

static void a_buffer_imported_twice_is_one_buffer(void **state)
{
    struct ws_bo *a, *b, *c;
    int fd;
    assert_int_equal(
        amd_ws_bo_create(device, 8192, 4096, AMDGPU_GEM_DOMAIN_VRAM, WS_BO_CPU_ACCESS | WS_BO_SHAREABLE, 0, &a), 0);
    assert_int_equal(amd_ws_bo_export(a, &fd), 0);
    assert_int_equal(amd_ws_bo_import(device, fd, &b), 0);
    assert_ptr_equal(a, b);
    amd_ws_bo_unref(b);
    struct drm_amdgpu_gem_metadata set = {0}, get;
    set.data.data_size_bytes = 8;
    set.data.data[0] = 0x1234;
    assert_int_equal(amd_ws_bo_set_metadata(a, &set), 0);

    /* Another open of the device: another process would look the same. */
    struct kernel_file *file;
    struct ws_device *other;
    assert_int_equal(kernel_open_model("gfx1030", KERNEL_NODE_RENDER, &file), 0);
    assert_int_equal(amd_ws_device_open(file, &other), 0);
    assert_ptr_not_equal(other, device);
    assert_int_equal(amd_ws_bo_import(other, fd, &c), 0);
    assert_true(c->vk.size_B == 8192);
    assert_int_equal(amd_ws_bo_get_metadata(c, &get), 0);
    assert_int_equal(get.data.data[0], 0x1234);
    uint32_t *here, *there;
    assert_int_equal(amd_ws_bo_map(a, (void **)&here), 0);
    assert_int_equal(amd_ws_bo_map(c, (void **)&there), 0);
    here[7] = 77;
    assert_int_equal(there[7], 77);
    amd_ws_bo_unref(c);
    amd_ws_device_close(other);
    amd_ws_bo_unref(a);
    close(fd);
}

static void memory_of_the_application_can_be_a_buffer(void **state)
{
    void *memory = aligned_alloc(4096, 16384);
    struct ws_bo *bo;
    assert_non_null(memory);
    assert_int_equal(amd_ws_bo_from_user(device, memory, 16384, &bo), 0);
    void *map;
    assert_int_equal(amd_ws_bo_map(bo, &map), 0);
    assert_ptr_equal(map, memory);
    amd_ws_bo_unref(bo);
    free(memory);
}

static void a_submission_writes_what_its_packets_say(void **state)
{
    struct ws_bo *ib, *target;
    uint32_t *words, *result;
    assert_int_equal(amd_ws_bo_create(device, 4096, 4096, AMDGPU_GEM_DOMAIN_GTT, WS_BO_CPU_ACCESS, 0, &ib), 0);
    assert_int_equal(
        amd_ws_bo_create(device, 4096, 4096, AMDGPU_GEM_DOMAIN_VRAM, WS_BO_CPU_ACCESS | WS_BO_SHAREABLE, 0, &target),
        0);
    assert_int_equal(amd_ws_bo_map(ib, (void **)&words), 0);
    assert_int_equal(amd_ws_bo_map(target, (void **)&result), 0);
    const uint32_t packet[] = {0xc0033700, 5u << 8 | 1u << 20, (uint32_t)target->vk.va, (uint32_t)(target->vk.va >> 32),
                               0xabcd1234}; /* WRITE_DATA */
    memcpy(words, packet, sizeof(packet));
    for (unsigned i = sizeof(packet) / 4; i < 8; i++)
        words[i] = 0xffff1000;
    uint32_t context;
    uint64_t sequence;
    assert_int_equal(amd_ws_context_create(device, AMDGPU_CTX_PRIORITY_NORMAL, &context), 0);
    struct ws_ib piece = {.va = ib->vk.va, .size_dw = 8};
    struct ws_submit submit = {.context = context, .ip_type = AMDGPU_HW_IP_COMPUTE, .ibs = &piece, .ib_count = 1};
    assert_int_equal(amd_ws_submit(device, &submit, &sequence), 0);
    assert_int_equal(amd_ws_wait(device, context, AMDGPU_HW_IP_COMPUTE, 0, sequence, UINT64_MAX), 1);
    assert_int_equal(result[0], 0xabcd1234);
    assert_int_equal(amd_ws_context_status(device, context), 0);
    amd_ws_context_destroy(device, context);
    amd_ws_bo_unref(target);
    amd_ws_bo_unref(ib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_never_overlap_and_come_back),
        cmocka_unit_test(a_range_may_end_at_the_last_address),
        cmocka_unit_test(a_buffer_has_memory_and_an_address),
        cmocka_unit_test(a_buffer_imported_twice_is_one_buffer),
        cmocka_unit_test(memory_of_the_application_can_be_a_buffer),
        cmocka_unit_test(a_submission_writes_what_its_packets_say),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
