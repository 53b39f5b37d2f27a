/* The kernel room's boundary: a model's file behind the same calls as a real one. TUFF_MODEL_PATH names the folder of a
 * model with a toy engine. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/model.h"

static void test_models_are_opened_by_name(void **state)
{
    static const struct {
        const char *name;
        uint16_t device_id;
    } expected[] = {{"gfx1030", 0x73bf}, {"gfx1033", 0x163f}};
    for (unsigned i = 0; i < 2; i++) {
        struct kernel_file *file;
        assert_int_equal(kernel_open_model(expected[i].name, KERNEL_NODE_RENDER, &file), 0);
        assert_string_equal(file->info.model, expected[i].name);
        assert_string_equal(file->info.driver, "amdgpu");
        assert_int_equal(file->info.bus, KERNEL_BUS_PCI);
        assert_int_equal(file->info.pci.vendor_id, 0x1002);
        assert_int_equal(file->info.pci.device_id, expected[i].device_id);
        /* A listed device is opened by its description. */
        struct kernel_file *again;
        assert_int_equal(kernel_open(&file->info, KERNEL_NODE_RENDER, &again), 0);
        assert_string_equal(again->info.model, expected[i].name);
        kernel_close(again);
        kernel_close(file);
    }
}

static void test_unknown_models(void **state)
{
    struct kernel_file *file;
    assert_int_equal(kernel_open_model("gfx9999", KERNEL_NODE_RENDER, &file), -ENODEV);
    const struct kernel_device_info nowhere = {.driver = "amdgpu"};
    assert_int_equal(kernel_open(&nowhere, KERNEL_NODE_RENDER, &file), -ENODEV);
    kernel_close(NULL);
}

static uint32_t create_bo(struct kernel_file *file)
{
    union drm_amdgpu_gem_create create = {.in = {.bo_size = 4096, .domains = AMDGPU_GEM_DOMAIN_GTT}};
    assert_int_equal(kernel_ioctl(file, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
    return create.out.handle;
}

static void test_a_buffer_through_the_boundary(void **state)
{
    struct kernel_file *file, *copy;
    assert_int_equal(kernel_open_model("gfx1030", KERNEL_NODE_RENDER, &file), 0);
    copy = kernel_dup(file);
    kernel_close(file); /* one reference is left */
    uint32_t handle = create_bo(copy);
    union drm_amdgpu_gem_mmap map = {.in = {.handle = handle}};
    assert_int_equal(kernel_ioctl(copy, DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
    void *memory;
    assert_int_equal(kernel_mmap(copy, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, map.out.addr_ptr, &memory), 0);
    memset(memory, 0x5a, 4096);
    struct drm_prime_handle prime = {.handle = handle};
    assert_int_equal(kernel_ioctl(copy, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    uint64_t size_B = 0;
    assert_int_equal(kernel_dmabuf_size(copy, prime.fd, &size_B), 0);
    assert_int_equal(size_B, 4096);
    uint8_t byte = 0;
    assert_int_equal(pread(prime.fd, &byte, 1, 4095), 1);
    assert_int_equal(byte, 0x5a);
    assert_int_equal(kernel_munmap(copy, memory, 4096), 0);
    assert_int_equal(kernel_poll(copy, 1, 0), 0);
    close(prime.fd);
    kernel_close(copy);
}

static void test_a_child_of_fork_has_its_own_device(void **state)
{
    struct kernel_file *file;
    assert_int_equal(kernel_open_model("gfx1030", KERNEL_NODE_RENDER, &file), 0);
    pid_t pid = fork();
    if (pid == 0) {
        union drm_amdgpu_gem_create create = {.in = {.bo_size = 4096, .domains = AMDGPU_GEM_DOMAIN_GTT}};
        struct kernel_file *own;
        alarm(60);
        if (kernel_ioctl(file, DRM_IOCTL_AMDGPU_GEM_CREATE, &create) != -ENODEV)
            _exit(3);
        kernel_close(file);
        if (kernel_open_model("gfx1030", KERNEL_NODE_RENDER, &own) ||
            kernel_ioctl(own, DRM_IOCTL_AMDGPU_GEM_CREATE, &create))
            _exit(4);
        kernel_close(own);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    create_bo(file);
    kernel_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models_are_opened_by_name),
        cmocka_unit_test(test_unknown_models),
        cmocka_unit_test(test_a_buffer_through_the_boundary),
        cmocka_unit_test(test_a_child_of_fork_has_its_own_device),
    };
    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
