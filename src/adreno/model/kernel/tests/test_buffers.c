/* The msm kernel model, ioctl by ioctl: parameters and buffers. What works, and which errno says what does not. */
#include "adreno/model/kernel/tests/rig.h"

#define ETOOSMALL 525 /* the kernel's own */

static struct rig rig;

static int setup(void **state)
{
    int error = rig_setup(state);
    if (!error)
        rig = rig_open();
    return error;
}

static int teardown(void **state)
{
    rig_close(&rig);
    return rig_teardown(state);
}

/* ---- who it is ---- */

static void test_version_is_new_enough_for_turnip(void **state)
{
    char name[32] = "", date[32] = "";
    struct drm_version version = {.name = name, .name_len = sizeof(name), .date = date, .date_len = sizeof(date)};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_VERSION, &version), 0);
    assert_string_equal(name, "msm");
    assert_true(date[0] != '\0');
    assert_int_equal(version.version_major, 1);
    assert_true(version.version_minor >= 10);
}

static void test_parameters_describe_the_chip(void **state)
{
    assert_int_equal(rig_param(&rig, MSM_PARAM_GPU_ID), 0);
    assert_true(rig_param(&rig, MSM_PARAM_CHIP_ID) == (0x75ull << 32 | 0x06030500));
    assert_int_equal(rig_param(&rig, MSM_PARAM_GMEM_SIZE), 512 << 10);
    assert_int_equal(rig_param(&rig, MSM_PARAM_GMEM_BASE), 0); /* since A650 */
    assert_int_equal(rig_param(&rig, MSM_PARAM_MAX_FREQ), 550000000);
    assert_int_equal(rig_param(&rig, MSM_PARAM_TIMESTAMP), 19200000);
    assert_int_equal(rig_param(&rig, MSM_PARAM_PRIORITIES), 3);
    assert_int_equal(rig_param(&rig, MSM_PARAM_PP_PGTABLE), 0);
    assert_int_equal(rig_param(&rig, MSM_PARAM_FAULTS), 0);
    assert_int_equal(rig_param(&rig, MSM_PARAM_SUSPENDS), 0);
    assert_true(rig_param(&rig, MSM_PARAM_VA_START) == VA);
    assert_true(rig_param(&rig, MSM_PARAM_VA_SIZE) == 16ull << 30);
    assert_int_equal(rig_param(&rig, MSM_PARAM_HIGHEST_BANK_BIT), 14);
    assert_int_equal(rig_param(&rig, MSM_PARAM_UBWC_SWIZZLE), 6);
    assert_int_equal(rig_param(&rig, MSM_PARAM_MACROTILE_MODE), 1);
    assert_int_equal(rig_param(&rig, MSM_PARAM_RAYTRACING), 0);
    assert_true(rig_param(&rig, MSM_PARAM_UCHE_TRAP_BASE) == 0x1fffffffff000);
    assert_int_equal(rig_param(&rig, MSM_PARAM_HAS_PRR), 1);
    assert_int_equal(rig_param(&rig, MSM_PARAM_AQE), 0);
}

static void test_an_older_chip_has_a_gpu_id_and_no_speed_bin(void **state)
{
    struct adreno_device *device;
    struct rig older = {0};
    assert_int_equal(adreno_device_create("adreno-618", &adreno_engine_ops, &device), 0);
    assert_int_equal(adreno_file_open(device, KERNEL_NODE_RENDER, &older.file), 0);
    assert_int_equal(rig_param(&older, MSM_PARAM_GPU_ID), 618);
    assert_true(rig_param(&older, MSM_PARAM_CHIP_ID) == 0x06010800);
    assert_int_equal(rig_param(&older, MSM_PARAM_GMEM_BASE), 0x100000);
    assert_true(rig_param(&older, MSM_PARAM_VA_SIZE) == 4ull << 30);
    adreno_file_close(older.file);
    adreno_device_destroy(device);
    assert_int_equal(adreno_device_create("adreno-1", &adreno_engine_ops, &device), -ENODEV);
}

static void test_wrong_parameters_are_invalid(void **state)
{
    struct drm_msm_param args = {.pipe = MSM_PIPE_3D0, .param = 0x99};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GET_PARAM, &args), -EINVAL);
    args = (struct drm_msm_param){.pipe = 1, .param = MSM_PARAM_GPU_ID};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GET_PARAM, &args), -EINVAL);
    args = (struct drm_msm_param){.pipe = MSM_PIPE_3D0, .param = MSM_PARAM_GPU_ID, .pad = 1};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GET_PARAM, &args), -EINVAL);
    args = (struct drm_msm_param){.pipe = MSM_PIPE_3D0, .param = MSM_PARAM_GPU_ID, .len = 8};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GET_PARAM, &args), -EINVAL);
    assert_int_equal(rig_set_param(&rig, MSM_PARAM_GPU_ID, 1, 0), -EINVAL);
    assert_int_equal(rig_set_param(&rig, MSM_PARAM_COMM, (uintptr_t) "it", 2), 0);
    assert_string_equal(rig.file->comm, "it");
    assert_int_equal(rig_set_param(&rig, MSM_PARAM_CMDLINE, (uintptr_t) "it --all", 8), 0);
    assert_string_equal(rig.file->cmdline, "it --all");
    assert_int_equal(rig_set_param(&rig, MSM_PARAM_COMM, 8, 4), -EFAULT);
    assert_int_equal(rig_set_param(&rig, MSM_PARAM_COMM, 0, 5000), -EINVAL);
    /* The space is there since the first parameter was asked for. */
    assert_int_equal(rig_set_param(&rig, MSM_PARAM_EN_VM_BIND, 1, 0), -EBUSY);
}

/* ---- creating buffers ---- */

static int create_buffer(uint64_t size_B, uint32_t flags)
{
    struct drm_msm_gem_new args = {.size = size_B, .flags = flags};
    return rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_NEW, &args);
}

static void test_a_buffer_has_one_way_to_be_cached(void **state)
{
    assert_int_equal(create_buffer(PAGE, MSM_BO_WC), 0);
    assert_int_equal(create_buffer(PAGE, MSM_BO_CACHED), 0);
    assert_int_equal(create_buffer(PAGE, MSM_BO_CACHED_COHERENT), 0);
    assert_int_equal(create_buffer(PAGE, MSM_BO_UNCACHED), 0);
    assert_int_equal(create_buffer(1, MSM_BO_WC | MSM_BO_SCANOUT | MSM_BO_GPU_READONLY), 0);
    assert_int_equal(create_buffer(PAGE, 0), -EINVAL);
    assert_int_equal(create_buffer(PAGE, MSM_BO_WC | MSM_BO_CACHED), -EINVAL);
    assert_int_equal(create_buffer(PAGE, MSM_BO_WC | 0x100), -EINVAL);
    assert_int_equal(create_buffer(0, MSM_BO_WC), -EINVAL);
    assert_int_equal(create_buffer(1ull << 60, MSM_BO_WC), -ENOMEM);
    assert_int_equal(create_buffer(UINT64_MAX, MSM_BO_WC), -ENOMEM);
}

static void test_flags_are_those_of_creation(void **state)
{
    uint32_t handle = rig_bo(&rig, PAGE, MSM_BO_CACHED | MSM_BO_SCANOUT);
    uint64_t value = 0;
    assert_int_equal(rig_info(&rig, handle, MSM_INFO_GET_FLAGS, &value), 0);
    assert_int_equal(value, MSM_BO_CACHED | MSM_BO_SCANOUT);
}

static void test_a_new_buffer_is_zero_and_can_be_mapped(void **state)
{
    uint32_t handle = rig_bo(&rig, 3 * PAGE, MSM_BO_WC);
    uint32_t *memory = rig_map(&rig, handle, 3 * PAGE);
    assert_int_equal(memory[3 * PAGE / 4 - 1], 0);
    memory[7] = 77;
    uint32_t *again = rig_map(&rig, handle, PAGE);
    assert_int_equal(again[7], 77);
    rig_unmap(again, PAGE);
    rig_unmap(memory, 3 * PAGE);
}

/* ---- addresses ---- */

static void test_the_kernel_chooses_an_address_once(void **state)
{
    uint32_t a = rig_bo(&rig, 5 * PAGE, MSM_BO_WC), b = rig_bo(&rig, PAGE, MSM_BO_WC);
    uint64_t va_a = rig_iova(&rig, a), va_b = rig_iova(&rig, b);
    assert_true(va_a >= VA && va_b >= VA && va_a % PAGE == 0);
    assert_true(va_a + 5 * PAGE <= va_b || va_b + PAGE <= va_a);
    assert_true(rig_iova(&rig, a) == va_a);
}

static void test_user_space_chooses_an_address(void **state)
{
    uint32_t a = rig_bo(&rig, 2 * PAGE, MSM_BO_WC), b = rig_bo(&rig, PAGE, MSM_BO_WC);
    uint64_t va = VA + (1ull << 30), other = va + PAGE, zero = 0;
    assert_int_equal(rig_info(&rig, a, MSM_INFO_SET_IOVA, &va), 0);
    assert_true(rig_iova(&rig, a) == va);
    assert_int_equal(rig_info(&rig, a, MSM_INFO_SET_IOVA, &va), 0);          /* it is there already */
    assert_int_equal(rig_info(&rig, b, MSM_INFO_SET_IOVA, &other), -ENOSPC); /* taken */
    assert_int_equal(rig_info(&rig, a, MSM_INFO_SET_IOVA, &zero), 0);
    assert_int_equal(rig_info(&rig, b, MSM_INFO_SET_IOVA, &other), 0); /* free again */
    uint64_t third = va + (1ull << 20);
    assert_int_equal(rig_info(&rig, b, MSM_INFO_SET_IOVA, &third), -EBUSY); /* it has another */
    /* Outside of the space, and not a page. */
    uint64_t wrong[] = {PAGE, VA - PAGE, VA + (16ull << 30), VA + (16ull << 30) - PAGE, VA + 1, ~0ull & ~(PAGE - 1)};
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(rig_info(&rig, a, MSM_INFO_SET_IOVA, &wrong[i]), -ENOSPC);
}

static void test_a_closed_buffer_leaves_its_address(void **state)
{
    uint32_t a = rig_bo(&rig, PAGE, MSM_BO_WC), b = rig_bo(&rig, PAGE, MSM_BO_WC);
    uint64_t va = VA + (2ull << 30);
    assert_int_equal(rig_info(&rig, a, MSM_INFO_SET_IOVA, &va), 0);
    rig_close_bo(&rig, a);
    assert_int_equal(rig_info(&rig, b, MSM_INFO_SET_IOVA, &va), 0);
}

static void test_an_exhausted_space_says_so(void **state)
{
    struct rig small = {0};
    struct adreno_device *device;
    assert_int_equal(adreno_device_create("adreno-618", &adreno_engine_ops, &device), 0);
    assert_int_equal(adreno_file_open(device, KERNEL_NODE_RENDER, &small.file), 0);
    device->heap.total_B = 1ull << 40; /* the pages are never touched */
    uint64_t sum_B = 0, va = 0;
    int error = 0;
    while (!error && sum_B < 8ull << 30) {
        uint32_t handle = rig_bo(&small, 1ull << 30, MSM_BO_WC);
        error = rig_info(&small, handle, MSM_INFO_GET_IOVA, &va);
        sum_B += error ? 0 : 1ull << 30;
    }
    assert_int_equal(error, -ENOSPC);
    assert_true(sum_B == 4ull << 30);
    adreno_file_close(small.file);
    adreno_device_destroy(device);
}

/* ---- names and metadata ---- */

static int info_by_pointer(uint32_t handle, uint32_t info, const void *data, uint32_t *length)
{
    struct drm_msm_gem_info args = {.handle = handle, .info = info, .value = (uintptr_t)data, .len = *length};
    int error = rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_INFO, &args);
    *length = args.len;
    return error;
}

static void test_names_are_short_and_printable(void **state)
{
    char name[64] = "";
    uint32_t length = 7;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_SET_NAME, "texture", &length), 0);
    length = 0;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_GET_NAME, NULL, &length), 0);
    assert_int_equal(length, 7);
    length = 3;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_GET_NAME, name, &length), -ETOOSMALL);
    length = sizeof(name);
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_GET_NAME, name, &length), 0);
    assert_memory_equal(name, "texture", 7);
    length = 32;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_SET_NAME, name, &length), -EINVAL);
    length = 4;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_SET_NAME, "a\x01zz", &length), 0);
    length = 0;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_GET_NAME, NULL, &length), 0);
    assert_int_equal(length, 1);
    length = 4;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_SET_NAME, (void *)8, &length), -EFAULT);
}

static void test_metadata_goes_with_the_buffer(void **state)
{
    uint8_t data[200], back[200] = {0};
    memset(data, 0x5a, sizeof(data));
    uint32_t length = 0;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_GET_METADATA, NULL, &length), 0);
    assert_int_equal(length, 0);
    length = 129;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_SET_METADATA, data, &length), -EOVERFLOW);
    length = 100;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_SET_METADATA, data, &length), 0);
    length = 99;
    assert_int_equal(info_by_pointer(rig.bo, MSM_INFO_GET_METADATA, back, &length), -ETOOSMALL);

    /* Another file, by an fd. */
    struct drm_prime_handle prime = {.handle = rig.bo, .flags = DRM_CLOEXEC | DRM_RDWR};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    struct rig other = rig_open(), kept = rig;
    struct drm_prime_handle taken = {.fd = prime.fd};
    assert_int_equal(rig_ioctl(&other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &taken), 0);
    rig = other;
    length = sizeof(back);
    assert_int_equal(info_by_pointer(taken.handle, MSM_INFO_GET_METADATA, back, &length), 0);
    rig = kept;
    assert_int_equal(length, 100);
    assert_memory_equal(back, data, 100);
    close(prime.fd);
    rig_close(&other);
}

/* Drivers map and unmap by the bytes that they were asked for. */
static void test_a_part_of_a_page_is_unmapped_as_a_page(void **state)
{
    uint32_t *memory = rig_map(&rig, rig.bo, 1000);
    rig_unmap(memory, 1000);
    struct drm_prime_handle prime = {.handle = rig.bo, .flags = DRM_CLOEXEC | DRM_RDWR};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    close(prime.fd);
}

static void test_a_private_buffer_does_not_leave(void **state)
{
    uint32_t handle = rig_bo(&rig, PAGE, MSM_BO_WC | MSM_BO_NO_SHARE);
    struct drm_prime_handle prime = {.handle = handle, .flags = DRM_CLOEXEC};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), -EPERM);
}

static void test_wrong_questions_are_refused(void **state)
{
    uint64_t value = 0;
    assert_int_equal(rig_info(&rig, 99, MSM_INFO_GET_IOVA, &value), -ENOENT);
    assert_int_equal(rig_info(&rig, rig.bo, 8, &value), -EINVAL);
    struct drm_msm_gem_info args = {.handle = rig.bo, .info = MSM_INFO_GET_IOVA, .len = 8};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_INFO, &args), -EINVAL);
    args = (struct drm_msm_gem_info){.handle = rig.bo, .info = MSM_INFO_GET_IOVA, .pad = 1};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_INFO, &args), -EINVAL);
}

/* ---- waiting and advice ---- */

static int prep(uint32_t handle, uint32_t op, int64_t ms)
{
    int64_t until_ns = drm_now_ns() + ms * 1000000;
    struct drm_msm_gem_cpu_prep args = {
        .handle = handle, .op = op, .timeout = {until_ns / 1000000000, until_ns % 1000000000}};
    return rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_CPU_PREP, &args);
}

static void test_the_cpu_waits_for_what_it_must(void **state)
{
    uint32_t start, read = rig_bo(&rig, PAGE, MSM_BO_WC), written = rig_bo(&rig, PAGE, MSM_BO_WC);
    uint64_t gate = rig.va + PAGE;
    rig_stream_begin(&rig, &start);
    rig_wait_word(&rig, gate);
    struct drm_msm_gem_submit_bo bos[] = {{.flags = RW, .handle = rig.bo},
                                          {.flags = MSM_SUBMIT_BO_READ, .handle = read},
                                          {.flags = MSM_SUBMIT_BO_WRITE, .handle = written}};
    struct drm_msm_gem_submit args = {.nr_bos = 3, .bos = (uintptr_t)bos};
    assert_int_equal(rig_submit(&rig, start, &args), 0);
    assert_int_equal(prep(read, MSM_PREP_READ, 20), 0); /* two readers do not mind each other */
    assert_int_equal(prep(read, MSM_PREP_WRITE, 20), -ETIMEDOUT);
    assert_int_equal(prep(written, MSM_PREP_READ, 20), -ETIMEDOUT);
    assert_int_equal(prep(written, MSM_PREP_READ | MSM_PREP_NOSYNC, 1000), -EBUSY);
    assert_int_equal(prep(written, MSM_PREP_READ, -5), -EBUSY);
    rig.memory[PAGE / 4] = 1;
    assert_int_equal(prep(written, MSM_PREP_READ | MSM_PREP_BOOST, 60000), 0);
    assert_int_equal(prep(read, MSM_PREP_WRITE, 60000), 0);
    struct drm_msm_gem_cpu_fini fini = {.handle = read};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_CPU_FINI, &fini), 0);
    fini.handle = 99;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_CPU_FINI, &fini), -ENOENT);
    assert_int_equal(prep(99, MSM_PREP_READ, 0), -ENOENT);
    assert_int_equal(prep(read, 0x10, 0), -EINVAL);
}

static void test_advice_is_taken_and_pages_stay(void **state)
{
    struct drm_msm_gem_madvise args = {.handle = rig.bo, .madv = MSM_MADV_DONTNEED};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_MADVISE, &args), 0);
    struct drm_msm_gem_submit submit = {0};
    uint32_t start;
    rig_stream_begin(&rig, &start);
    rig_put(&rig, 0);
    assert_int_equal(rig_submit(&rig, start, &submit), -EBUSY); /* whose pages may go at any time */
    args.madv = MSM_MADV_WILLNEED;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_MADVISE, &args), 0);
    assert_int_equal(args.retained, 1);
    submit = (struct drm_msm_gem_submit){0};
    assert_int_equal(rig_submit(&rig, start, &submit), 0);
    args.madv = 2;
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_MADVISE, &args), -EINVAL);
    args = (struct drm_msm_gem_madvise){.handle = 99};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_MSM_GEM_MADVISE, &args), -ENOENT);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_version_is_new_enough_for_turnip),
        CASE(test_parameters_describe_the_chip),
        CASE(test_an_older_chip_has_a_gpu_id_and_no_speed_bin),
        CASE(test_wrong_parameters_are_invalid),
        CASE(test_a_buffer_has_one_way_to_be_cached),
        CASE(test_flags_are_those_of_creation),
        CASE(test_a_new_buffer_is_zero_and_can_be_mapped),
        CASE(test_the_kernel_chooses_an_address_once),
        CASE(test_user_space_chooses_an_address),
        CASE(test_a_closed_buffer_leaves_its_address),
        CASE(test_an_exhausted_space_says_so),
        CASE(test_names_are_short_and_printable),
        CASE(test_metadata_goes_with_the_buffer),
        CASE(test_a_part_of_a_page_is_unmapped_as_a_page),
        CASE(test_a_private_buffer_does_not_leave),
        CASE(test_wrong_questions_are_refused),
        CASE(test_the_cpu_waits_for_what_it_must),
        CASE(test_advice_is_taken_and_pages_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
