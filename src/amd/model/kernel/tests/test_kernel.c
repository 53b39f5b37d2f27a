/* The amdgpu kernel model, ioctl by ioctl: what works, and which errno says what does not. The GPU behind it is
 * test_engine.c. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/model/kernel/kernel_types.h"
#include "util/log.h"

#define PAGE 4096ull
#define HIGH 0xffff800000000000ull
#define RW (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE)
#define FOREVER UINT64_MAX

static struct amd_device *device;
static struct amd_file *file;

static int setup(void **state)
{
    log_set_level(LOG_LEVEL_ERROR);
    int error = amd_device_create("gfx1030", amd_engine_default(), &device);
    return error ? error : amd_file_open(device, KERNEL_NODE_RENDER, &file);
}

static int teardown(void **state)
{
    amd_file_close(file);
    amd_device_destroy(device);
    return 0;
}

#define run(request, argument) drm_file_ioctl(&file->file, request, argument)

/* ---- helpers ---- */

static int create_bo(uint64_t size_B, uint64_t domains, uint64_t flags, uint32_t *handle_out)
{
    union drm_amdgpu_gem_create args = {
        .in = {.bo_size = size_B, .alignment = 4096, .domains = domains, .domain_flags = flags}};
    int error = run(DRM_IOCTL_AMDGPU_GEM_CREATE, &args);
    if (!error)
        *handle_out = args.out.handle;
    return error;
}

static uint32_t gtt_bo(uint64_t size_B)
{
    uint32_t handle = 0;
    assert_int_equal(create_bo(size_B, AMDGPU_GEM_DOMAIN_GTT, 0, &handle), 0);
    return handle;
}

static int va_op(uint32_t operation, uint32_t handle, uint64_t va, uint64_t offset_B, uint64_t size_B, uint32_t flags)
{
    struct drm_amdgpu_gem_va args = {.handle = handle,
                                     .operation = operation,
                                     .flags = flags,
                                     .va_address = va,
                                     .offset_in_bo = offset_B,
                                     .map_size = size_B};
    return run(DRM_IOCTL_AMDGPU_GEM_VA, &args);
}

static uint32_t *map_cpu(uint32_t handle, uint64_t size_B)
{
    union drm_amdgpu_gem_mmap args = {.in = {.handle = handle}};
    void *memory = NULL;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_MMAP, &args), 0);
    assert_int_equal(
        drm_file_mmap(&file->file, NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, args.out.addr_ptr, &memory), 0);
    return memory;
}

static void unmap_cpu(void *memory, uint64_t size_B)
{
    drm_device_memory_unmapped(&device->drm, memory, size_B);
    munmap(memory, size_B);
}

static uint32_t create_ctx(void)
{
    union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), 0);
    return args.out.alloc.ctx_id;
}

static uint32_t create_syncobj(uint32_t flags)
{
    struct drm_syncobj_create args = {.flags = flags};
    assert_int_equal(run(DRM_IOCTL_SYNCOBJ_CREATE, &args), 0);
    return args.handle;
}

static void close_handle(uint32_t handle)
{
    struct drm_gem_close args = {.handle = handle};
    assert_int_equal(run(DRM_IOCTL_GEM_CLOSE, &args), 0);
}

/* A submission is put together chunk by chunk. */
struct submit {
    struct drm_amdgpu_cs_chunk chunks[16];
    uint64_t pointers[16];
    uint32_t count;
    struct drm_amdgpu_cs_chunk_ib ibs[4];
    uint32_t ib_count;
};

static void add_chunk(struct submit *submit, uint32_t id, const void *data, size_t size_B)
{
    submit->chunks[submit->count] = (struct drm_amdgpu_cs_chunk){
        .chunk_id = id, .length_dw = (uint32_t)(size_B / 4), .chunk_data = (uintptr_t)data};
    submit->pointers[submit->count] = (uintptr_t)&submit->chunks[submit->count];
    submit->count++;
}

static void add_ib(struct submit *submit, uint32_t ip_type, uint32_t ring, uint64_t va, uint32_t size_B, uint32_t flags)
{
    struct drm_amdgpu_cs_chunk_ib *ib = &submit->ibs[submit->ib_count++];
    *ib = (struct drm_amdgpu_cs_chunk_ib){
        .va_start = va, .ib_bytes = size_B, .ip_type = ip_type, .ring = ring, .flags = flags};
    add_chunk(submit, AMDGPU_CHUNK_ID_IB, ib, sizeof(*ib));
}

static int do_submit(struct submit *submit, uint32_t ctx, uint32_t bo_list, uint64_t *seq_out)
{
    union drm_amdgpu_cs args = {.in = {.ctx_id = ctx,
                                       .bo_list_handle = bo_list,
                                       .num_chunks = submit->count,
                                       .chunks = (uintptr_t)submit->pointers}};
    int error = run(DRM_IOCTL_AMDGPU_CS, &args);
    if (!error && seq_out)
        *seq_out = args.out.handle;
    return error;
}

static int wait_cs(uint32_t ctx, uint32_t ip_type, uint32_t ring, uint64_t seq, uint64_t timeout, uint64_t *status_out)
{
    union drm_amdgpu_wait_cs args = {
        .in = {.handle = seq, .timeout = timeout, .ip_type = ip_type, .ring = ring, .ctx_id = ctx}};
    int error = run(DRM_IOCTL_AMDGPU_WAIT_CS, &args);
    *status_out = error ? 99 : args.out.status;
    return error;
}

/* A page of code and a page of data, mapped; code starts at `va`, data a page above. */
struct scene {
    uint32_t bo, ctx;
    uint64_t va;
    uint32_t *memory;
};

static struct scene make_scene(uint64_t va)
{
    struct scene scene = {.bo = gtt_bo(2 * PAGE), .ctx = create_ctx(), .va = va};
    scene.memory = map_cpu(scene.bo, 2 * PAGE);
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, scene.bo, va, 0, 2 * PAGE, RW), 0);
    return scene;
}

static void end_scene(struct scene *scene)
{
    unmap_cpu(scene->memory, 2 * PAGE);
    close_handle(scene->bo);
}

static uint32_t put_write(uint32_t *code, uint64_t va, uint32_t value)
{
    code[0] = 1;
    code[1] = (uint32_t)va;
    code[2] = (uint32_t)(va >> 32);
    code[3] = value;
    return 16;
}

/* ---- DRM core ---- */

static void test_version_and_caps(void **state)
{
    char name[32] = "";
    struct drm_version version = {.name = name, .name_len = sizeof(name)};
    assert_int_equal(run(DRM_IOCTL_VERSION, &version), 0);
    assert_string_equal(name, "amdgpu");
    assert_int_equal(version.version_major, 3);
    assert_true(version.version_minor >= 23);
    version.name_len = 3;
    memset(name, 'x', 8);
    assert_int_equal(run(DRM_IOCTL_VERSION, &version), 0);
    assert_memory_equal(name, "amdxxxxx", 8);
    assert_int_equal(version.name_len, 6);

    struct drm_get_cap cap = {.capability = DRM_CAP_SYNCOBJ_TIMELINE};
    assert_int_equal(run(DRM_IOCTL_GET_CAP, &cap), 0);
    assert_int_equal(cap.value, 1);
    cap.capability = 0x1234;
    assert_int_equal(run(DRM_IOCTL_GET_CAP, &cap), -EINVAL);
}

static void test_requests_are_checked(void **state)
{
    struct drm_unique unique = {0};
    assert_int_equal(run(DRM_IOCTL_GET_UNIQUE, &unique), -EACCES); /* not on a render node */
    union drm_amdgpu_sched sched = {.in = {.op = AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_SCHED, &sched), -EACCES);
    assert_int_equal(run(_IO('x', 1), NULL), -ENOTTY);
    assert_int_equal(run(DRM_IOWR(0x9f, uint32_t), &unique), -EINVAL);
    assert_int_equal(run(DRM_IOCTL_VERSION, NULL), -EFAULT);
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_CREATE, (void *)8), -EFAULT);
}

static void test_primary_node(void **state)
{
    struct amd_file *master, *second;
    assert_int_equal(amd_file_open(device, KERNEL_NODE_PRIMARY, &master), 0);
    assert_int_equal(amd_file_open(device, KERNEL_NODE_PRIMARY, &second), 0);
    struct drm_auth auth = {0};
    struct drm_client client = {0};
    assert_int_equal(drm_file_ioctl(&second->file, DRM_IOCTL_GET_CLIENT, &client), 0);
    assert_int_equal(client.auth, 0);
    union drm_amdgpu_gem_create create = {.in = {.bo_size = PAGE, .domains = AMDGPU_GEM_DOMAIN_GTT}};
    assert_int_equal(drm_file_ioctl(&second->file, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), -EACCES);
    assert_int_equal(drm_file_ioctl(&second->file, DRM_IOCTL_SET_MASTER, NULL), -EBUSY);
    assert_int_equal(drm_file_ioctl(&second->file, DRM_IOCTL_GET_MAGIC, &auth), 0);
    assert_int_equal(drm_file_ioctl(&second->file, DRM_IOCTL_AUTH_MAGIC, &auth), -EACCES);
    assert_int_equal(drm_file_ioctl(&master->file, DRM_IOCTL_AUTH_MAGIC, &auth), 0);
    assert_int_equal(drm_file_ioctl(&master->file, DRM_IOCTL_AUTH_MAGIC, &auth), -EINVAL);
    assert_int_equal(drm_file_ioctl(&second->file, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
    /* A name for the buffer leads the master to the same buffer. */
    struct drm_gem_flink flink = {.handle = create.out.handle};
    assert_int_equal(drm_file_ioctl(&second->file, DRM_IOCTL_GEM_FLINK, &flink), 0);
    struct drm_gem_open open = {.name = flink.name};
    assert_int_equal(drm_file_ioctl(&master->file, DRM_IOCTL_GEM_OPEN, &open), 0);
    assert_int_equal(open.size, PAGE);
    open.name = 999;
    assert_int_equal(drm_file_ioctl(&master->file, DRM_IOCTL_GEM_OPEN, &open), -ENOENT);
    /* There is no screen, which is not an error; render nodes do not know of screens. */
    struct drm_mode_card_res resources = {.count_connectors = 7};
    struct drm_mode_get_plane_res planes = {.count_planes = 7};
    assert_int_equal(drm_file_ioctl(&second->file, DRM_IOCTL_MODE_GETRESOURCES, &resources), 0);
    assert_int_equal(drm_file_ioctl(&second->file, DRM_IOCTL_MODE_GETPLANERESOURCES, &planes), 0);
    assert_int_equal(resources.count_connectors + resources.count_crtcs + planes.count_planes, 0);
    assert_int_equal(run(DRM_IOCTL_MODE_GETRESOURCES, &resources), -EACCES);
    amd_file_close(master);
    amd_file_close(second);
}

/* ---- INFO ---- */

static int info(struct drm_amdgpu_info *args, void *data, uint32_t size_B, uint32_t query)
{
    args->return_pointer = (uintptr_t)data;
    args->return_size = size_B;
    args->query = query;
    return run(DRM_IOCTL_AMDGPU_INFO, args);
}

static void test_info(void **state)
{
    struct drm_amdgpu_info args = {0};
    uint32_t word = 0;
    assert_int_equal(info(&args, &word, 4, AMDGPU_INFO_ACCEL_WORKING), 0);
    assert_int_equal(word, 1);
    assert_int_equal(info(&args, NULL, 4, AMDGPU_INFO_ACCEL_WORKING), -EINVAL);
    assert_int_equal(info(&args, &word, 0, AMDGPU_INFO_ACCEL_WORKING), -EINVAL);
    assert_int_equal(info(&args, (void *)8, 4, AMDGPU_INFO_ACCEL_WORKING), -EFAULT);
    assert_int_equal(info(&args, &word, 4, 0x77), -EINVAL);

    struct drm_amdgpu_info_device dev = {0};
    assert_int_equal(info(&args, &dev, sizeof(dev), AMDGPU_INFO_DEV_INFO), 0);
    assert_int_equal(dev.family, AMDGPU_FAMILY_NV);
    assert_int_equal(dev.external_rev, 0x29);
    assert_int_equal(dev.high_va_offset, HIGH);
    struct drm_amdgpu_info_device part;
    memset(&part, 0xee, sizeof(part));
    assert_int_equal(info(&args, &part, 8, AMDGPU_INFO_DEV_INFO), 0); /* no more than asked for */
    assert_int_equal(part.device_id, dev.device_id);
    assert_int_equal(part.external_rev, 0xeeeeeeee);

    /* Additions of 3.50 to 3.53: in the padding of older headers, and after their end. */
    uint32_t whole[sizeof(dev) / 4 + 24] = {0};
    assert_int_equal(info(&args, whole, sizeof(whole), AMDGPU_INFO_DEV_INFO), 0);
    assert_int_equal(whole[offsetof(struct drm_amdgpu_info_device, ids_flags) / 4 - 1], 3); /* PCIe's generation */
    assert_int_equal(whole[offsetof(struct drm_amdgpu_info_device, max_gs_waves_per_vgt) / 4 + 1], 16);
    const uint32_t *tail = whole + offsetof(struct drm_amdgpu_info_device, tcc_disabled_mask) / 4 + 2;
    assert_int_equal(tail[0], 500000); /* the lowest clocks */
    assert_int_equal(tail[2], 96000);
    assert_int_equal(tail[10], 128u << 20); /* the last cache */
    for (unsigned i = 4; i < 10; i++)
        assert_int_equal(tail[i], 0); /* sizes that the kernel knows of later generations alone */
    uint32_t most_ibs[AMDGPU_HW_IP_NUM];
    assert_int_equal(info(&args, most_ibs, sizeof(most_ibs), 0x22), 0);
    assert_int_equal(most_ibs[AMDGPU_HW_IP_GFX], 192);
    assert_int_equal(most_ibs[AMDGPU_HW_IP_COMPUTE], 125);
    args.sensor_info.type = 0xa; /* the peak of the engine's clock, in MHz */
    assert_int_equal(info(&args, &word, 4, AMDGPU_INFO_SENSOR), 0);
    assert_int_equal(word, 2475);

    args.read_mmr_reg.dword_offset = 0x263e;
    args.read_mmr_reg.count = 1;
    args.read_mmr_reg.instance = 0xffffffff;
    assert_int_equal(info(&args, &word, 4, AMDGPU_INFO_READ_MMR_REG), 0);
    assert_int_equal(word, 0x444);
    args.read_mmr_reg.count = 129;
    assert_int_equal(info(&args, &word, 4, AMDGPU_INFO_READ_MMR_REG), -EINVAL);
    args.read_mmr_reg.count = 1;
    args.read_mmr_reg.dword_offset = 1;
    assert_int_equal(info(&args, &word, 4, AMDGPU_INFO_READ_MMR_REG), -EFAULT);

    struct drm_amdgpu_info_hw_ip ip = {0};
    args.query_hw_ip.type = AMDGPU_HW_IP_COMPUTE;
    args.query_hw_ip.ip_instance = 0;
    assert_int_equal(info(&args, &ip, sizeof(ip), AMDGPU_INFO_HW_IP_INFO), 0);
    assert_int_equal(ip.available_rings, 0xf);
    args.query_hw_ip.type = AMDGPU_HW_IP_DMA;
    assert_int_equal(info(&args, &ip, sizeof(ip), AMDGPU_INFO_HW_IP_INFO), 0);
    assert_int_equal(ip.available_rings, 0xf);
    assert_int_equal(ip.hw_ip_version_major, 5);
    args.query_hw_ip.type = AMDGPU_HW_IP_VCN_DEC;
    assert_int_equal(info(&args, &ip, sizeof(ip), AMDGPU_INFO_HW_IP_INFO), 0);
    assert_int_equal(ip.available_rings, 0);
    args.query_hw_ip.type = AMDGPU_HW_IP_NUM;
    assert_int_equal(info(&args, &ip, sizeof(ip), AMDGPU_INFO_HW_IP_INFO), -EINVAL);
    args.query_hw_ip.type = 0;
    args.query_hw_ip.ip_instance = 1;
    assert_int_equal(info(&args, &ip, sizeof(ip), AMDGPU_INFO_HW_IP_INFO), -EINVAL);
}

static uint64_t gtt_usage(void)
{
    struct drm_amdgpu_info args = {0};
    uint64_t used_B = 0;
    assert_int_equal(info(&args, &used_B, sizeof(used_B), AMDGPU_INFO_GTT_USAGE), 0);
    return used_B;
}

/* ---- GEM ---- */

static void test_gem_create(void **state)
{
    uint32_t handle = 0;
    uint64_t before_B = gtt_usage();
    assert_int_equal(create_bo(PAGE, 1ull << 40, 0, &handle), -EINVAL);
    assert_int_equal(create_bo(PAGE, AMDGPU_GEM_DOMAIN_GTT, 1ull << 40, &handle), -EINVAL);
    assert_int_equal(create_bo(PAGE, AMDGPU_GEM_DOMAIN_GTT, AMDGPU_GEM_CREATE_ENCRYPTED, &handle), -EINVAL);
    assert_int_equal(create_bo(0, AMDGPU_GEM_DOMAIN_GTT, 0, &handle), -EINVAL);
    assert_int_equal(create_bo(1ull << 50, AMDGPU_GEM_DOMAIN_GTT, 0, &handle), -ENOMEM);
    assert_int_equal(create_bo(UINT64_MAX, AMDGPU_GEM_DOMAIN_VRAM, 0, &handle), -ENOMEM);
    assert_int_equal(create_bo(16, AMDGPU_GEM_DOMAIN_GDS, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, &handle), -EINVAL);
    assert_int_equal(gtt_usage(), before_B);

    uint32_t a = gtt_bo(100), b = gtt_bo(3 * PAGE);
    assert_int_not_equal(a, b);
    assert_int_equal(gtt_usage(), before_B + 4 * PAGE);
    close_handle(a);
    assert_int_equal(gtt_usage(), before_B + 3 * PAGE);
    assert_int_equal(gtt_bo(PAGE), a); /* the lowest free number */
    struct drm_gem_close twice = {.handle = 777};
    assert_int_equal(run(DRM_IOCTL_GEM_CLOSE, &twice), -EINVAL);
}

static void test_gem_metadata_and_op(void **state)
{
    uint32_t handle = 0;
    assert_int_equal(create_bo(PAGE, AMDGPU_GEM_DOMAIN_VRAM, AMDGPU_GEM_CREATE_NO_CPU_ACCESS, &handle), 0);
    struct drm_amdgpu_gem_metadata set = {.handle = handle, .op = AMDGPU_GEM_METADATA_OP_SET_METADATA};
    set.data.tiling_info = 0x123456789abcull;
    set.data.data_size_bytes = 12;
    set.data.data[2] = 0x77;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_METADATA, &set), 0);
    struct drm_amdgpu_gem_metadata get = {.handle = handle, .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_METADATA, &get), 0);
    assert_int_equal(get.data.tiling_info, 0x123456789abcull);
    assert_int_equal(get.data.data_size_bytes, 12);
    assert_int_equal(get.data.data[2], 0x77);
    set.data.data_size_bytes = 257;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_METADATA, &set), -EINVAL);
    set.handle = 99;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_METADATA, &set), -ENOENT);

    struct drm_amdgpu_gem_create_in create = {0};
    struct drm_amdgpu_gem_op op = {
        .handle = handle, .op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, .value = (uintptr_t)&create};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_OP, &op), 0);
    assert_int_equal(create.bo_size, PAGE);
    assert_int_equal(create.domains, AMDGPU_GEM_DOMAIN_VRAM);
    op.value = 8;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_OP, &op), -EFAULT);
    op.op = 9;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_OP, &op), -EINVAL);
    op.handle = 99;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_OP, &op), -ENOENT);

    union drm_amdgpu_gem_mmap map = {.in = {.handle = handle}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -EPERM); /* NO_CPU_ACCESS */
    map.in.handle = 99;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -ENOENT);
}

static void test_mmap(void **state)
{
    uint32_t handle = gtt_bo(4 * PAGE);
    union drm_amdgpu_gem_mmap map = {.in = {.handle = handle}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_MMAP, &map), 0);
    uint64_t offset_B = map.out.addr_ptr;
    void *memory = NULL;
    const int rw = PROT_READ | PROT_WRITE;
    assert_int_equal(drm_file_mmap(&file->file, NULL, 5 * PAGE, rw, MAP_SHARED, offset_B, &memory), -EINVAL);
    assert_int_equal(drm_file_mmap(&file->file, NULL, PAGE, rw, MAP_SHARED, offset_B + 4 * PAGE, &memory), -EINVAL);
    assert_int_equal(drm_file_mmap(&file->file, NULL, PAGE, rw, MAP_SHARED, 0, &memory), -EINVAL);
    assert_int_equal(drm_file_mmap(&file->file, NULL, 0, rw, MAP_SHARED, offset_B, &memory), -EINVAL);
    assert_int_equal(drm_file_mmap(&file->file, NULL, PAGE, rw, MAP_SHARED, offset_B + 3 * PAGE, &memory), 0);
    ((uint32_t *)memory)[1] = 42;
    uint32_t *whole = map_cpu(handle, 4 * PAGE);
    assert_int_equal(whole[3 * 1024 + 1], 42);
    /* Another file cannot map it by knowing the number. */
    struct amd_file *other;
    assert_int_equal(amd_file_open(device, KERNEL_NODE_RENDER, &other), 0);
    void *stolen;
    assert_int_equal(drm_file_mmap(&other->file, NULL, PAGE, rw, MAP_SHARED, offset_B, &stolen), -EACCES);
    amd_file_close(other);
    /* A mapping outlives the handle. */
    close_handle(handle);
    assert_int_equal(whole[3 * 1024 + 1], 42);
    uint64_t used_B = gtt_usage();
    unmap_cpu(memory, PAGE);
    unmap_cpu((char *)whole + PAGE, PAGE); /* a hole leaves two pieces */
    whole[0] = whole[2 * 1024] = 1;
    unmap_cpu(whole, 4 * PAGE);
    assert_int_equal(gtt_usage(), used_B - 4 * PAGE);
}

static void test_userptr(void **state)
{
    uint8_t *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct drm_amdgpu_gem_userptr args = {
        .addr = (uintptr_t)memory + 1, .size = PAGE, .flags = AMDGPU_GEM_USERPTR_REGISTER};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_USERPTR, &args), -EINVAL);
    args = (struct drm_amdgpu_gem_userptr){.addr = (uintptr_t)memory, .size = 2 * PAGE, .flags = 1 << 7};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_USERPTR, &args), -EINVAL);
    args.flags = AMDGPU_GEM_USERPTR_VALIDATE;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_USERPTR, &args), -EACCES);
    args.flags = AMDGPU_GEM_USERPTR_VALIDATE | AMDGPU_GEM_USERPTR_REGISTER;
    args.addr = 0x10000;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_USERPTR, &args), -EFAULT);
    args.addr = (uintptr_t)memory;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_USERPTR, &args), 0);
    union drm_amdgpu_gem_mmap map = {.in = {.handle = args.handle}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_MMAP, &map), -EPERM);
    struct drm_prime_handle prime = {.handle = args.handle};
    assert_int_equal(run(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), -EPERM);
    /* A job writes into the process's own memory. */
    struct scene scene = make_scene(HIGH);
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, args.handle, HIGH + 16 * PAGE, 0, 2 * PAGE, RW), 0);
    struct submit submit = {0};
    add_ib(&submit, AMDGPU_HW_IP_GFX, 0, scene.va, put_write(scene.memory, HIGH + 17 * PAGE, 0x1234), 0);
    uint64_t seq = 0, status = 0;
    assert_int_equal(do_submit(&submit, scene.ctx, 0, &seq), 0);
    assert_int_equal(wait_cs(scene.ctx, 0, 0, seq, FOREVER, &status), 0);
    assert_int_equal(*(uint32_t *)(memory + PAGE), 0x1234);
    /* Memory that is gone refuses the submission that names it. */
    munmap(memory, 2 * PAGE);
    struct drm_amdgpu_bo_list_entry entry = {.bo_handle = args.handle};
    struct drm_amdgpu_bo_list_in list = {
        .bo_number = 1, .bo_info_size = sizeof(entry), .bo_info_ptr = (uintptr_t)&entry};
    add_chunk(&submit, AMDGPU_CHUNK_ID_BO_HANDLES, &list, sizeof(list));
    assert_int_equal(do_submit(&submit, scene.ctx, 0, &seq), -EFAULT);
    end_scene(&scene);
}

/* ---- VA ---- */

static void test_va_arguments(void **state)
{
    uint32_t bo = gtt_bo(4 * PAGE);
    const uint32_t map = AMDGPU_VA_OP_MAP;
    assert_int_equal(va_op(map, bo, 0x1000, 0, PAGE, RW), -EINVAL);                /* reserved */
    assert_int_equal(va_op(map, bo, 0x0000800000000000ull, 0, PAGE, RW), -EINVAL); /* the hole */
    assert_int_equal(va_op(map, bo, HIGH - PAGE, 0, PAGE, RW), -EINVAL);
    assert_int_equal(va_op(map, bo, HIGH + 1, 0, PAGE, RW), -EINVAL);
    assert_int_equal(va_op(map, bo, HIGH, 0, 0, RW), -EINVAL);
    assert_int_equal(va_op(map, bo, HIGH, 0, 100, RW), -EINVAL);
    assert_int_equal(va_op(map, bo, HIGH, 1, PAGE, RW), -EINVAL);
    assert_int_equal(va_op(map, bo, HIGH, 0, 5 * PAGE, RW), -EINVAL); /* larger than the buffer */
    assert_int_equal(va_op(map, bo, HIGH, 4 * PAGE, PAGE, RW), -EINVAL);
    assert_int_equal(va_op(map, bo, HIGH, UINT64_MAX - PAGE + 1, PAGE, RW), -EINVAL);
    assert_int_equal(va_op(map, bo, HIGH + (64ull << 30) - (2 << 20), 0, PAGE, RW), -EINVAL); /* at the end */
    assert_int_equal(va_op(map, bo, HIGH, 0, PAGE, 1u << 20), -EINVAL);
    assert_int_equal(va_op(map, bo, HIGH, 0, PAGE, RW | AMDGPU_VM_PAGE_PRT), -EINVAL);
    assert_int_equal(va_op(0, bo, HIGH, 0, PAGE, RW), -EINVAL);
    assert_int_equal(va_op(5, bo, HIGH, 0, PAGE, RW), -EINVAL);
    assert_int_equal(va_op(map, 99, HIGH, 0, PAGE, RW), -ENOENT);
    assert_int_equal(va_op(AMDGPU_VA_OP_UNMAP, bo, HIGH, 0, PAGE, RW), -ENOENT);
    uint32_t value;
    assert_false(gpu_mem_read32(&file->vm->space, HIGH, &value));
    assert_int_equal(file->vm->mappings.count, 0);
}

static void test_va_map_overlap_replace_clear(void **state)
{
    struct gpu_space *space = &file->vm->space;
    uint32_t a = gtt_bo(8 * PAGE), b = gtt_bo(8 * PAGE), value = 0;
    uint32_t *memory_a = map_cpu(a, 8 * PAGE), *memory_b = map_cpu(b, 8 * PAGE);
    for (unsigned page = 0; page < 8; page++) {
        memory_a[page * 1024] = 100 + page;
        memory_b[page * 1024] = 200 + page;
    }
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, a, HIGH, 0, 8 * PAGE, RW), 0);
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, b, HIGH + 7 * PAGE, 0, PAGE, RW), -EINVAL);
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, b, HIGH + 8 * PAGE, 0, PAGE, RW), 0);
    /* Replace the middle: what was below and above stays, with its own offsets. */
    assert_int_equal(va_op(AMDGPU_VA_OP_REPLACE, b, HIGH + 2 * PAGE, 5 * PAGE, 3 * PAGE, RW), 0);
    const uint32_t expected[9] = {100, 101, 205, 206, 207, 105, 106, 107, 200};
    for (unsigned page = 0; page < 9; page++) {
        assert_true(gpu_mem_read32(space, HIGH + page * PAGE, &value));
        assert_int_equal(value, expected[page]);
    }
    assert_int_equal(file->vm->mappings.count, 4);
    /* Clear across three mappings. */
    assert_int_equal(va_op(AMDGPU_VA_OP_CLEAR, 0, HIGH + PAGE, 0, 6 * PAGE, 0), 0);
    for (unsigned page = 0; page < 9; page++) {
        bool cleared = page >= 1 && page < 7;
        assert_int_equal(gpu_mem_read32(space, HIGH + page * PAGE, &value), !cleared);
        assert_true(cleared || value == expected[page]);
    }
    /* An unmap names a mapping by its start and its buffer, and takes all of it. */
    assert_int_equal(va_op(AMDGPU_VA_OP_UNMAP, b, HIGH + 7 * PAGE, 0, PAGE, RW), -ENOENT);
    assert_int_equal(va_op(AMDGPU_VA_OP_UNMAP, a, HIGH + 7 * PAGE, 0, 0, RW), 0);
    assert_false(gpu_mem_read32(space, HIGH + 7 * PAGE, &value));
    /* Closing the handle unmaps the rest. */
    close_handle(a);
    assert_false(gpu_mem_read32(space, HIGH, &value));
    assert_true(gpu_mem_read32(space, HIGH + 8 * PAGE, &value));
    unmap_cpu(memory_a, 8 * PAGE);
    unmap_cpu(memory_b, 8 * PAGE);
}

static void test_va_partially_resident(void **state)
{
    struct gpu_space *space = &file->vm->space;
    uint32_t bo = gtt_bo(PAGE), value = 7;
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, 0, HIGH, 0, 1ull << 30, AMDGPU_VM_PAGE_PRT), 0);
    assert_true(gpu_mem_write32(space, HIGH + 64, 1));
    assert_true(gpu_mem_read32(space, HIGH + 64, &value));
    assert_int_equal(value, 0);
    assert_int_equal(va_op(AMDGPU_VA_OP_REPLACE, bo, HIGH + 16 * PAGE, 0, PAGE, RW), 0);
    assert_true(gpu_mem_write32(space, HIGH + 16 * PAGE, 5));
    assert_true(gpu_mem_read32(space, HIGH + 16 * PAGE, &value));
    assert_int_equal(value, 5);
    assert_int_equal(va_op(AMDGPU_VA_OP_REPLACE, 0, HIGH + 16 * PAGE, 0, PAGE, AMDGPU_VM_PAGE_PRT), 0);
    assert_true(gpu_mem_read32(space, HIGH + 16 * PAGE, &value));
    assert_int_equal(value, 0);
    assert_int_equal(va_op(AMDGPU_VA_OP_CLEAR, 0, HIGH, 0, 1ull << 30, 0), 0);
    assert_int_equal(file->vm->mappings.count, 0);
    assert_false(gpu_mem_read32(space, HIGH + 64, &value));
}

/* RADV maps its part of GDS like any buffer. A unit counts as a page, and no access finds anything. */
static void test_va_on_chip(void **state)
{
    uint32_t bo = 0, value;
    assert_int_equal(create_bo(16, AMDGPU_GEM_DOMAIN_GDS, 0, &bo), 0);
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, bo, HIGH, 0, 32 * GPU_PAGE_SIZE_B, RW), -EINVAL);
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, bo, HIGH, 0, PAGE, RW), 0);
    assert_false(gpu_mem_read32(&file->vm->space, HIGH, &value));
    assert_int_equal(va_op(AMDGPU_VA_OP_UNMAP, bo, HIGH, 0, PAGE, RW), 0);
    assert_int_equal(file->vm->mappings.count, 0);
    close_handle(bo);
}

static void test_files_are_isolated(void **state)
{
    struct amd_file *first = file, *other;
    uint32_t bo = gtt_bo(PAGE), value;
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, bo, HIGH, 0, PAGE, RW), 0);
    uint32_t ctx = create_ctx(), syncobj = create_syncobj(0);
    assert_int_equal(amd_file_open(device, KERNEL_NODE_RENDER, &other), 0);
    file = other;
    assert_false(gpu_mem_read32(&other->vm->space, HIGH, &value));
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, bo, HIGH, 0, PAGE, RW), -ENOENT);
    union drm_amdgpu_ctx query = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = ctx}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &query), -EINVAL);
    struct drm_syncobj_destroy destroy = {.handle = syncobj};
    assert_int_equal(run(DRM_IOCTL_SYNCOBJ_DESTROY, &destroy), -EINVAL);
    file = first;
    amd_file_close(other);
    assert_true(gpu_mem_read32(&file->vm->space, HIGH, &value));
}

/* ---- sharing ---- */

static void test_prime(void **state)
{
    uint32_t bo = 0;
    assert_int_equal(create_bo(64 * PAGE, AMDGPU_GEM_DOMAIN_VRAM, 0, &bo), 0);
    uint32_t *memory = map_cpu(bo, 64 * PAGE), value = 0;
    assert_int_equal(va_op(AMDGPU_VA_OP_MAP, bo, HIGH, 0, 64 * PAGE, RW), 0);
    memory[5] = 55;
    memory[63 * 1024] = 63;
    struct drm_prime_handle prime = {.handle = bo, .flags = 1};
    assert_int_equal(run(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), -EINVAL);
    prime = (struct drm_prime_handle){.handle = 99, .flags = DRM_CLOEXEC};
    assert_int_equal(run(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), -ENOENT);
    prime.handle = bo;
    assert_int_equal(run(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    int fd = prime.fd;
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    /* The bytes moved; every mapping moved with them. */
    assert_int_equal(memory[5], 55);
    assert_true(gpu_mem_read32(&file->vm->space, HIGH + 20, &value));
    assert_int_equal(value, 55);
    assert_true(gpu_mem_write32(&file->vm->space, HIGH + 24, 66));
    assert_int_equal(memory[6], 66);
    assert_int_equal(pread(fd, &value, 4, 63 * PAGE), 4);
    assert_int_equal(value, 63);
    uint64_t size_B = 0;
    assert_int_equal(drm_dmabuf_size(fd, &size_B), 0);
    assert_int_equal(size_B, 64 * PAGE);
    assert_int_equal(drm_dmabuf_size(0, &size_B), -EINVAL);
    /* Imported again it is the same handle; in another file it is the same bytes and metadata. */
    struct drm_prime_handle import = {.fd = fd};
    assert_int_equal(run(DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), 0);
    assert_int_equal(import.handle, bo);
    import.fd = 0;
    assert_int_equal(run(DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), -EINVAL);
    import.fd = 9999;
    assert_int_equal(run(DRM_IOCTL_PRIME_FD_TO_HANDLE, &import), -EBADF);
    close(fd);
    unmap_cpu(memory, 64 * PAGE);

    uint32_t local = 0;
    assert_int_equal(create_bo(PAGE, AMDGPU_GEM_DOMAIN_VRAM, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, &local), 0);
    prime = (struct drm_prime_handle){.handle = local};
    assert_int_equal(run(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), -EPERM);
}

/* A thread writes all the time while the buffer is exported: no write is lost. */
struct writer {
    _Atomic uint32_t *words;
    _Atomic bool stop;
    uint32_t last;
};

static void *write_on(void *argument)
{
    struct writer *writer = argument;
    while (!writer->stop) {
        writer->last++;
        writer->words[writer->last % 16384] = writer->last;
    }
    return NULL;
}

static void test_export_under_a_writing_thread(void **state)
{
    uint32_t bo = gtt_bo(16 * PAGE);
    struct writer writer = {.words = (_Atomic uint32_t *)map_cpu(bo, 16 * PAGE)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_on, &writer), 0);
    usleep(5000);
    struct drm_prime_handle prime = {.handle = bo};
    assert_int_equal(run(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    usleep(5000);
    writer.stop = true;
    pthread_join(thread, NULL);
    for (uint32_t back = 0; back < 16384 && back < writer.last; back++)
        assert_int_equal(writer.words[(writer.last - back) % 16384], writer.last - back);
    close(prime.fd);
    unmap_cpu((void *)writer.words, 16 * PAGE);
}

static void test_prime_between_processes(void **state)
{
    uint32_t bo = gtt_bo(2 * PAGE);
    uint32_t *memory = map_cpu(bo, 2 * PAGE);
    struct drm_amdgpu_gem_metadata set = {.handle = bo, .op = AMDGPU_GEM_METADATA_OP_SET_METADATA};
    set.data.tiling_info = 0x42;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_METADATA, &set), 0);
    struct drm_prime_handle prime = {.handle = bo};
    assert_int_equal(run(DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        if (drm_file_ioctl(&file->file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) != -ENODEV)
            _exit(2); /* the parent's file is not ours */
        struct amd_device *own;
        if (amd_device_create("gfx1030", amd_engine_default(), &own) || amd_file_open(own, KERNEL_NODE_RENDER, &file))
            _exit(3);
        device = own;
        struct drm_prime_handle import = {.fd = prime.fd};
        if (run(DRM_IOCTL_PRIME_FD_TO_HANDLE, &import))
            _exit(4);
        struct drm_amdgpu_gem_metadata get = {.handle = import.handle, .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
        if (run(DRM_IOCTL_AMDGPU_GEM_METADATA, &get) || get.data.tiling_info != 0x42)
            _exit(5);
        if (va_op(AMDGPU_VA_OP_MAP, import.handle, HIGH, 0, 2 * PAGE, RW) ||
            !gpu_mem_write32(&file->vm->space, HIGH + 8, 4711))
            _exit(6);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(memory[2], 4711);
    close(prime.fd);
    unmap_cpu(memory, 2 * PAGE);
}

/* ---- contexts and lists ---- */

static void test_ctx(void **state)
{
    union drm_amdgpu_ctx args = {.in = {.op = 99}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), -EINVAL);
    args.in = (struct drm_amdgpu_ctx_in){.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = 5};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), -EINVAL);
    args.in = (struct drm_amdgpu_ctx_in){.op = AMDGPU_CTX_OP_ALLOC_CTX, .priority = 12345}; /* garbage is normal */
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), 0);
    uint32_t ctx = args.out.alloc.ctx_id, other = create_ctx();
    args.in = (struct drm_amdgpu_ctx_in){.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = ctx};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), 0);
    assert_int_equal(args.out.state.flags, 0);
    args.in = (struct drm_amdgpu_ctx_in){.op = AMDGPU_CTX_OP_SET_STABLE_PSTATE, .ctx_id = ctx, .flags = 99};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), -EINVAL);
    args.in.flags = AMDGPU_CTX_STABLE_PSTATE_PEAK;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), 0);
    args.in = (struct drm_amdgpu_ctx_in){
        .op = AMDGPU_CTX_OP_SET_STABLE_PSTATE, .ctx_id = other, .flags = AMDGPU_CTX_STABLE_PSTATE_STANDARD};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), -EBUSY);
    args.in = (struct drm_amdgpu_ctx_in){.op = AMDGPU_CTX_OP_GET_STABLE_PSTATE, .ctx_id = ctx};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), 0);
    assert_int_equal(args.out.pstate.flags, AMDGPU_CTX_STABLE_PSTATE_PEAK);
    args.in = (struct drm_amdgpu_ctx_in){.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = ctx};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), 0);
    args.in = (struct drm_amdgpu_ctx_in){
        .op = AMDGPU_CTX_OP_SET_STABLE_PSTATE, .ctx_id = other, .flags = AMDGPU_CTX_STABLE_PSTATE_STANDARD};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), 0);

    union drm_amdgpu_vm vm = {.in = {.op = AMDGPU_VM_OP_RESERVE_VMID, .flags = 1}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_VM, &vm), -EINVAL);
    vm.in = (struct drm_amdgpu_vm_in){.op = AMDGPU_VM_OP_RESERVE_VMID};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_VM, &vm), 0);
    vm.in = (struct drm_amdgpu_vm_in){.op = 7};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_VM, &vm), -EINVAL);
}

static void test_bo_list(void **state)
{
    struct drm_amdgpu_bo_list_entry entries[2] = {{.bo_handle = gtt_bo(PAGE)}, {.bo_handle = 99}};
    union drm_amdgpu_bo_list args = {.in = {.operation = AMDGPU_BO_LIST_OP_CREATE,
                                            .bo_number = 2,
                                            .bo_info_size = sizeof(entries[0]),
                                            .bo_info_ptr = (uintptr_t)entries}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_BO_LIST, &args), -ENOENT);
    args.in.bo_info_ptr = 8;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_BO_LIST, &args), -EFAULT);
    args.in.bo_info_ptr = (uintptr_t)entries;
    args.in.bo_number = 1;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_BO_LIST, &args), 0);
    uint32_t list = args.out.list_handle;
    args.in = (struct drm_amdgpu_bo_list_in){.operation = AMDGPU_BO_LIST_OP_UPDATE, .list_handle = list + 1};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_BO_LIST, &args), -ENOENT);
    args.in = (struct drm_amdgpu_bo_list_in){.operation = 9, .list_handle = list};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_BO_LIST, &args), -EINVAL);
    args.in = (struct drm_amdgpu_bo_list_in){.operation = AMDGPU_BO_LIST_OP_DESTROY, .list_handle = list};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_BO_LIST, &args), 0);
}

/* ---- submissions ---- */

static void test_cs_arguments(void **state)
{
    struct scene scene = make_scene(HIGH);
    uint32_t size_B = put_write(scene.memory, scene.va + PAGE, 1);
    uint32_t missing = 99, unsignaled = create_syncobj(0);
    struct submit submit = {0};
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL); /* no chunk */
    add_ib(&submit, AMDGPU_HW_IP_GFX, 0, scene.va, size_B, 0);
    assert_int_equal(do_submit(&submit, 99, 0, NULL), -EINVAL);
    assert_int_equal(do_submit(&submit, scene.ctx, 99, NULL), -ENOENT);
    submit.ibs[0].ip_type = AMDGPU_HW_IP_VCN_DEC;
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL);
    submit.ibs[0].ip_type = AMDGPU_HW_IP_GFX;
    submit.ibs[0].ring = 1;
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL);
    submit.ibs[0].ring = 0;
    submit.chunks[0].length_dw = 2;
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL);
    submit.chunks[0].length_dw = sizeof(submit.ibs[0]) / 4;
    submit.chunks[0].chunk_id = 0x55;
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL);
    submit.chunks[0].chunk_id = AMDGPU_CHUNK_ID_IB;
    submit.pointers[0] = 8;
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EFAULT);
    submit.pointers[0] = (uintptr_t)&submit.chunks[0];

    struct drm_amdgpu_cs_chunk_fence fence = {.handle = scene.bo}; /* not one page */
    add_chunk(&submit, AMDGPU_CHUNK_ID_FENCE, &fence, sizeof(fence));
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL);
    fence.handle = 99;
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL);
    submit.count--;
    add_chunk(&submit, AMDGPU_CHUNK_ID_SYNCOBJ_IN, &missing, 4);
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -ENOENT);
    submit.count--;
    add_chunk(&submit, AMDGPU_CHUNK_ID_SYNCOBJ_IN, &unsignaled, 4);
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL);
    submit.count--;
    add_chunk(&submit, AMDGPU_CHUNK_ID_SYNCOBJ_OUT, &missing, 4);
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL);
    submit.count--;
    struct drm_amdgpu_cs_chunk_dep dep = {.ctx_id = scene.ctx, .handle = 1}; /* nothing has been submitted */
    add_chunk(&submit, AMDGPU_CHUNK_ID_DEPENDENCIES, &dep, sizeof(dep));
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -EINVAL);
    submit.count--;
    struct drm_amdgpu_bo_list_entry entry = {.bo_handle = 99};
    struct drm_amdgpu_bo_list_in list = {
        .bo_number = 1, .bo_info_size = sizeof(entry), .bo_info_ptr = (uintptr_t)&entry};
    add_chunk(&submit, AMDGPU_CHUNK_ID_BO_HANDLES, &list, sizeof(list));
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), -ENOENT);
    /* None of these ran or took a number. */
    usleep(10000);
    assert_int_equal(scene.memory[1024], 0);
    submit.count--;
    uint64_t seq = 0, status;
    assert_int_equal(do_submit(&submit, scene.ctx, 0, &seq), 0);
    assert_int_equal(seq, 1);
    assert_int_equal(wait_cs(scene.ctx, 0, 0, seq, FOREVER, &status), 0);
    assert_int_equal(scene.memory[1024], 1);
    end_scene(&scene);
}

static void test_every_engine_has_its_rings(void **state)
{
    static const struct {
        uint32_t ip_type, rings;
    } engines[] = {{AMDGPU_HW_IP_GFX, 1}, {AMDGPU_HW_IP_COMPUTE, 4}, {AMDGPU_HW_IP_DMA, 4}, {AMDGPU_HW_IP_UVD, 0}};
    struct scene scene = make_scene(HIGH);
    for (unsigned i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        for (uint32_t ring = 0; ring < 6; ring++) {
            uint32_t size_B = put_write(scene.memory, scene.va + PAGE, 100 * i + ring + 1);
            uint64_t seq = 0, status = 1;
            struct submit submit = {0};
            add_ib(&submit, engines[i].ip_type, ring, scene.va, size_B, 0);
            int expected = ring < engines[i].rings ? 0 : -EINVAL;
            assert_int_equal(do_submit(&submit, scene.ctx, 0, &seq), expected);
            if (expected)
                continue;
            assert_int_equal(wait_cs(scene.ctx, engines[i].ip_type, ring, seq, FOREVER, &status), 0);
            assert_int_equal(status, 0);
            assert_int_equal(scene.memory[1024], 100 * i + ring + 1);
        }
    }
    end_scene(&scene);
}

static void test_cs_runs_and_signals_everything(void **state)
{
    struct scene scene = make_scene(0x100000000ull);
    uint32_t binary = create_syncobj(0), timeline = create_syncobj(0), fence_bo = gtt_bo(PAGE);
    uint64_t *fence_memory = (uint64_t *)map_cpu(fence_bo, PAGE);
    uint32_t size_B = put_write(scene.memory, scene.va + PAGE, 77);
    struct submit submit = {0};
    add_ib(&submit, AMDGPU_HW_IP_COMPUTE, 3, scene.va, size_B, 0);
    struct drm_amdgpu_cs_chunk_fence fence = {.handle = fence_bo, .offset = 64};
    add_chunk(&submit, AMDGPU_CHUNK_ID_FENCE, &fence, sizeof(fence));
    struct drm_amdgpu_cs_chunk_syncobj signals[2] = {{.handle = binary}, {.handle = timeline, .point = 12}};
    add_chunk(&submit, AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL, signals, sizeof(signals));
    struct drm_amdgpu_bo_list_entry entries[2] = {{.bo_handle = scene.bo}, {.bo_handle = fence_bo}};
    struct drm_amdgpu_bo_list_in list = {
        .bo_number = 2, .bo_info_size = sizeof(entries[0]), .bo_info_ptr = (uintptr_t)entries};
    add_chunk(&submit, AMDGPU_CHUNK_ID_BO_HANDLES, &list, sizeof(list));
    uint64_t seq = 0, status = 0;
    assert_int_equal(do_submit(&submit, scene.ctx, 0, &seq), 0);
    uint32_t handles[2] = {binary, timeline};
    uint64_t points[2] = {0, 12};
    struct drm_syncobj_timeline_wait wait = {.handles = (uintptr_t)handles,
                                             .points = (uintptr_t)points,
                                             .count_handles = 2,
                                             .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
                                             .timeout_nsec = INT64_MAX};
    assert_int_equal(run(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &wait), 0);
    assert_int_equal(scene.memory[1024], 77);
    assert_int_equal(fence_memory[8], seq);
    union drm_amdgpu_gem_wait_idle idle = {.in = {.handle = scene.bo, .timeout = FOREVER}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &idle), 0);
    assert_int_equal(idle.out.status, 0);
    assert_int_equal(wait_cs(scene.ctx, AMDGPU_HW_IP_COMPUTE, 3, seq, 0, &status), 0);
    assert_int_equal(status, 0);
    assert_int_equal(wait_cs(scene.ctx, AMDGPU_HW_IP_COMPUTE, 3, seq + 1, 0, &status), -EINVAL);
    assert_int_equal(wait_cs(scene.ctx, AMDGPU_HW_IP_COMPUTE, 3, UINT64_MAX, 0, &status), 0);
    unmap_cpu(fence_memory, PAGE);
    end_scene(&scene);
}

static void test_dependencies_hold_a_job_back(void **state)
{
    struct scene scene = make_scene(HIGH);
    uint32_t gate = create_syncobj(0);
    /* First on the graphics ring: wait for a word that the CPU writes. Then on a compute ring: overwrite what it left.
     */
    uint32_t *code = scene.memory;
    uint64_t gate_va = scene.va + PAGE + 64, result_va = scene.va + PAGE;
    code[0] = 3;
    code[1] = (uint32_t)gate_va;
    code[2] = (uint32_t)(gate_va >> 32);
    put_write(code + 3, result_va, 1);
    struct submit first = {0};
    add_ib(&first, AMDGPU_HW_IP_GFX, 0, scene.va, 28, 0);
    add_chunk(&first, AMDGPU_CHUNK_ID_SYNCOBJ_OUT, &gate, 4);
    uint64_t seq = 0, second_seq = 0, status = 0;
    assert_int_equal(do_submit(&first, scene.ctx, 0, &seq), 0);
    put_write(code + 64, result_va, 2);
    struct submit second = {0};
    add_ib(&second, AMDGPU_HW_IP_COMPUTE, 0, scene.va + 256, 16, 0);
    add_chunk(&second, AMDGPU_CHUNK_ID_SYNCOBJ_IN, &gate, 4);
    assert_int_equal(do_submit(&second, scene.ctx, 0, &second_seq), 0);
    assert_int_equal(
        wait_cs(scene.ctx, AMDGPU_HW_IP_COMPUTE, 0, second_seq, (uint64_t)drm_now_ns() + 20000000, &status), 0);
    assert_int_equal(status, 1); /* busy */
    struct drm_amdgpu_fence fences[2] = {{.ctx_id = scene.ctx, .ip_type = AMDGPU_HW_IP_COMPUTE, .seq_no = second_seq},
                                         {.ctx_id = scene.ctx, .ip_type = AMDGPU_HW_IP_GFX, .seq_no = seq}};
    union drm_amdgpu_wait_fences wait = {.in = {.fences = (uintptr_t)fences, .fence_count = 2, .timeout_ns = 0}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_WAIT_FENCES, &wait), 0);
    assert_int_equal(wait.out.status, 0);
    scene.memory[1024 + 16] = 1;
    wait.in = (struct drm_amdgpu_wait_fences_in){
        .fences = (uintptr_t)fences, .fence_count = 2, .wait_all = 1, .timeout_ns = FOREVER};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_WAIT_FENCES, &wait), 0);
    assert_int_equal(wait.out.status, 1);
    assert_int_equal(scene.memory[1024], 2);
    union drm_amdgpu_fence_to_handle to_handle = {
        .in = {.fence = fences[0], .what = AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &to_handle), 0);
    close((int)to_handle.out.handle);
    to_handle.in.fence = fences[0];
    to_handle.in.what = 9;
    assert_int_equal(run(DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE, &to_handle), -EINVAL);
    end_scene(&scene);
}

/* The kernel unmaps after the jobs that were submitted before; jobs submitted later do not see the pages. */
static void test_unmapped_pages_stay_for_jobs_submitted_before(void **state)
{
    struct scene gate = make_scene(HIGH), late = make_scene(HIGH + 16 * PAGE);
    uint64_t gate_va = gate.va + PAGE + 64, seq = 0, status = 0;
    gate.memory[0] = 3; /* wait for a word that the CPU writes */
    gate.memory[1] = (uint32_t)gate_va;
    gate.memory[2] = (uint32_t)(gate_va >> 32);
    put_write(late.memory, gate.va + PAGE, 4711);
    struct submit first = {0}, second = {0}, third = {0};
    add_ib(&first, AMDGPU_HW_IP_GFX, 0, gate.va, 12, 0);
    add_ib(&second, AMDGPU_HW_IP_GFX, 0, late.va, 16, 0);
    add_ib(&third, AMDGPU_HW_IP_GFX, 0, late.va, 16, 0);
    assert_int_equal(do_submit(&first, gate.ctx, 0, &seq), 0);
    assert_int_equal(do_submit(&second, gate.ctx, 0, &seq), 0);
    end_scene(&late);                                                                /* code and all */
    assert_int_equal(va_op(AMDGPU_VA_OP_UNMAP, gate.bo, late.va, 0, 0, 0), -ENOENT); /* gone, for every query */
    gate.memory[1024 + 16] = 1;
    assert_int_equal(wait_cs(gate.ctx, AMDGPU_HW_IP_GFX, 0, seq, FOREVER, &status), 0);
    assert_int_equal(gate.memory[1024], 4711);
    gate.memory[1024] = 0;
    assert_int_equal(do_submit(&third, gate.ctx, 0, &seq), 0);
    wait_cs(gate.ctx, AMDGPU_HW_IP_GFX, 0, seq, FOREVER, &status);
    assert_int_equal(gate.memory[1024], 0);
    end_scene(&gate);
}

static void test_many_jobs_run_in_order(void **state)
{
    struct scene scene = make_scene(HIGH);
    uint64_t seq = 0, status;
    for (uint32_t i = 0; i < 200; i++) { /* more than a context may have in flight */
        uint32_t *code = scene.memory + i % 64 * 4;
        put_write(code, scene.va + PAGE + 4 * (i % 1024), i + 1);
        struct submit submit = {0};
        add_ib(&submit, AMDGPU_HW_IP_GFX, 0, scene.va + i % 64 * 16, 16, 0);
        assert_int_equal(do_submit(&submit, scene.ctx, 0, &seq), 0);
        assert_int_equal(seq, i + 1);
        if (i % 64 == 63)
            assert_int_equal(wait_cs(scene.ctx, 0, 0, seq, FOREVER, &status), 0);
    }
    assert_int_equal(wait_cs(scene.ctx, 0, 0, seq, FOREVER, &status), 0);
    assert_int_equal(wait_cs(scene.ctx, 0, 0, 1, 0, &status), 0); /* too old to be remembered: done */
    assert_int_equal(status, 0);
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(scene.memory[1024 + i], i + 1);
    end_scene(&scene);
}

/* A submission returns at once, however many wait before it. */
static void test_any_number_of_jobs_may_wait(void **state)
{
    struct scene gate = make_scene(HIGH);
    uint64_t gate_va = gate.va + PAGE + 64, seq = 0, status = 1;
    gate.memory[0] = 3; /* wait for a word that the CPU writes */
    gate.memory[1] = (uint32_t)gate_va;
    gate.memory[2] = (uint32_t)(gate_va >> 32);
    put_write(gate.memory + 16, gate.va + PAGE, 4711);
    for (uint32_t i = 0; i < 1000; i++) {
        struct submit submit = {0};
        add_ib(&submit, AMDGPU_HW_IP_GFX, 0, i ? gate.va + 64 : gate.va, i ? 16 : 12, 0);
        assert_int_equal(do_submit(&submit, gate.ctx, 0, &seq), 0);
        assert_int_equal(seq, i + 1);
    }
    assert_int_equal(wait_cs(gate.ctx, 0, 0, 500, 0, &status), 0);
    assert_int_equal(status, 1); /* not done, and known however far back it is */
    gate.memory[1024 + 16] = 1;
    assert_int_equal(wait_cs(gate.ctx, 0, 0, seq, FOREVER, &status), 0);
    assert_int_equal(status, 0);
    assert_int_equal(gate.memory[1024], 4711);
    end_scene(&gate);
}

static void test_a_preamble_runs_when_the_ring_changes_hands(void **state)
{
    struct scene scene = make_scene(HIGH);
    uint32_t other = create_ctx();
    uint64_t status;
    uint32_t *counter = scene.memory + 1024;
    put_write(scene.memory, scene.va + PAGE, 1);
    const uint32_t contexts[] = {scene.ctx, scene.ctx, other, scene.ctx};
    const bool runs[] = {true, false, true, true};
    for (unsigned i = 0; i < 4; i++) {
        *counter = 0;
        struct submit submit = {0};
        add_ib(&submit, AMDGPU_HW_IP_GFX, 0, scene.va, 16, AMDGPU_IB_FLAG_PREAMBLE);
        add_ib(&submit, AMDGPU_HW_IP_GFX, 0, scene.va + 512, 4, 0);
        assert_int_equal(do_submit(&submit, contexts[i], 0, NULL), 0);
        assert_int_equal(wait_cs(contexts[i], 0, 0, UINT64_MAX, FOREVER, &status), 0);
        assert_int_equal(*counter, runs[i]);
    }
    end_scene(&scene);
}

/* One submission to two rings: they run beside each other, so one may wait for the other by memory. */
static void test_a_gang_runs_on_two_rings(void **state)
{
    struct scene scene = make_scene(HIGH);
    uint64_t gate_va = scene.va + PAGE + 64, seq = 0, status = 0;
    scene.memory[0] = 3;
    scene.memory[1] = (uint32_t)gate_va;
    scene.memory[2] = (uint32_t)(gate_va >> 32);
    put_write(scene.memory + 3, scene.va + PAGE, 8);
    put_write(scene.memory + 64, gate_va, 1);
    struct submit submit = {0};
    add_ib(&submit, AMDGPU_HW_IP_COMPUTE, 2, scene.va + 256, 16, 0);
    add_ib(&submit, AMDGPU_HW_IP_GFX, 0, scene.va, 28, 0);
    assert_int_equal(do_submit(&submit, scene.ctx, 0, &seq), 0);
    assert_int_equal(wait_cs(scene.ctx, AMDGPU_HW_IP_GFX, 0, seq, FOREVER, &status), 0);
    assert_int_equal(scene.memory[1024], 8);
    assert_int_equal(wait_cs(scene.ctx, AMDGPU_HW_IP_COMPUTE, 2, UINT64_MAX, FOREVER, &status), 0);
    end_scene(&scene);
}

static uint32_t create_ctx_with_priority(int32_t priority)
{
    union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX, .priority = priority}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), 0);
    return args.out.alloc.ctx_id;
}

static void test_priorities_order_waiting_jobs(void **state)
{
    struct scene scene = make_scene(HIGH);
    uint32_t low = create_ctx_with_priority(AMDGPU_CTX_PRIORITY_LOW), normal = create_ctx();
    uint64_t gate_va = scene.va + PAGE + 64, result_va = scene.va + PAGE, status = 0;
    scene.memory[0] = 3;
    scene.memory[1] = (uint32_t)gate_va;
    scene.memory[2] = (uint32_t)(gate_va >> 32);
    put_write(scene.memory + 64, result_va, 1);
    put_write(scene.memory + 128, result_va, 2);
    /* Two jobs that wait for the gate fill the ring; what comes then has to queue. */
    for (unsigned i = 0; i < 2; i++) {
        struct submit blocker = {0};
        add_ib(&blocker, AMDGPU_HW_IP_GFX, 0, scene.va, 12, 0);
        assert_int_equal(do_submit(&blocker, scene.ctx, 0, NULL), 0);
    }
    struct submit first = {0}, second = {0};
    add_ib(&first, AMDGPU_HW_IP_GFX, 0, scene.va + 256, 16, 0);
    add_ib(&second, AMDGPU_HW_IP_GFX, 0, scene.va + 512, 16, 0);
    assert_int_equal(do_submit(&first, low, 0, NULL), 0);
    assert_int_equal(do_submit(&second, normal, 0, NULL), 0);
    scene.memory[1024 + 16] = 1;
    assert_int_equal(wait_cs(low, 0, 0, UINT64_MAX, FOREVER, &status), 0);
    assert_int_equal(wait_cs(normal, 0, 0, UINT64_MAX, FOREVER, &status), 0);
    assert_int_equal(scene.memory[1024], 1); /* the low one came first and ran last */
    end_scene(&scene);
}

static void test_a_list_by_handle_and_one_by_chunk(void **state)
{
    struct scene scene = make_scene(HIGH);
    put_write(scene.memory, scene.va + PAGE, 3);
    struct drm_amdgpu_bo_list_entry entry = {.bo_handle = scene.bo};
    struct drm_amdgpu_bo_list_in in = {.operation = AMDGPU_BO_LIST_OP_CREATE,
                                       .bo_number = 1,
                                       .bo_info_size = sizeof(entry),
                                       .bo_info_ptr = (uintptr_t)&entry};
    union drm_amdgpu_bo_list list = {.in = in};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_BO_LIST, &list), 0);
    struct submit submit = {0};
    uint64_t status = 0;
    add_ib(&submit, AMDGPU_HW_IP_GFX, 0, scene.va, 16, 0);
    assert_int_equal(do_submit(&submit, scene.ctx, list.out.list_handle, NULL), 0);
    assert_int_equal(wait_cs(scene.ctx, 0, 0, UINT64_MAX, FOREVER, &status), 0);
    assert_int_equal(scene.memory[1024], 3);
    add_chunk(&submit, AMDGPU_CHUNK_ID_BO_HANDLES, &in, sizeof(in));
    assert_int_equal(do_submit(&submit, scene.ctx, list.out.list_handle, NULL), -EINVAL);
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), 0);
    end_scene(&scene);
}

static uint64_t ctx_state2(uint32_t ctx)
{
    union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_QUERY_STATE2, .ctx_id = ctx}};
    assert_int_equal(run(DRM_IOCTL_AMDGPU_CTX, &args), 0);
    return args.out.state.flags;
}

/* A lost context takes its own work with it and nothing else. */
static void check_loss(struct scene *scene, struct submit *bad)
{
    uint32_t other = create_ctx(), syncobj = create_syncobj(0);
    uint64_t seq = 0, next = 0, status;
    add_chunk(bad, AMDGPU_CHUNK_ID_SYNCOBJ_OUT, &syncobj, 4);
    assert_int_equal(do_submit(bad, scene->ctx, 0, &seq), 0);
    put_write(scene->memory + 256, scene->va + PAGE, 5);
    struct submit good = {0};
    add_ib(&good, AMDGPU_HW_IP_GFX, 0, scene->va + 1024, 16, 0);
    int queued = do_submit(&good, scene->ctx, 0, &next);
    assert_true(queued == 0 || queued == -ECANCELED); /* the loss may already be known */
    struct drm_syncobj_wait wait = {.handles = (uintptr_t)&syncobj, .count_handles = 1, .timeout_nsec = INT64_MAX};
    assert_int_equal(run(DRM_IOCTL_SYNCOBJ_WAIT, &wait), 0); /* it ends, as a fence does */
    assert_int_equal(wait_cs(scene->ctx, 0, 0, seq, FOREVER, &status), -ENODATA);
    if (queued == 0)
        assert_int_equal(wait_cs(scene->ctx, 0, 0, next, FOREVER, &status), -ECANCELED);
    assert_int_equal(scene->memory[1024], 0);
    assert_int_equal(ctx_state2(scene->ctx), AMDGPU_CTX_QUERY2_FLAGS_RESET | AMDGPU_CTX_QUERY2_FLAGS_GUILTY);
    assert_int_equal(do_submit(&good, scene->ctx, 0, NULL), -ECANCELED);
    assert_int_equal(ctx_state2(other), 0);
    assert_int_equal(do_submit(&good, other, 0, &seq), 0);
    assert_int_equal(wait_cs(other, 0, 0, seq, FOREVER, &status), 0);
    assert_int_equal(scene->memory[1024], 5);
}

static void test_a_fault_loses_the_context(void **state)
{
    struct scene scene = make_scene(HIGH);
    put_write(scene.memory, scene.va + 100 * PAGE, 1);
    struct submit bad = {0};
    add_ib(&bad, AMDGPU_HW_IP_GFX, 0, scene.va, 16, 0);
    check_loss(&scene, &bad);
    end_scene(&scene);
}

static void test_a_stream_outside_of_memory_loses_the_context(void **state)
{
    struct scene scene = make_scene(HIGH);
    struct submit bad = {0};
    add_ib(&bad, AMDGPU_HW_IP_GFX, 0, HIGH + (1ull << 30), 64, 0);
    check_loss(&scene, &bad);
    end_scene(&scene);
}

static void test_a_hang_loses_the_context(void **state)
{
    struct scene scene = make_scene(HIGH);
    scene.memory[0] = 2;
    struct submit bad = {0};
    add_ib(&bad, AMDGPU_HW_IP_GFX, 0, scene.va, 4, 0);
    check_loss(&scene, &bad);
    end_scene(&scene);
}

static void test_closing_a_file_with_work_in_flight(void **state)
{
    struct amd_file *first = file;
    assert_int_equal(amd_file_open(device, KERNEL_NODE_RENDER, &file), 0);
    struct scene scene = make_scene(HIGH);
    scene.memory[0] = 2;
    struct submit submit = {0};
    add_ib(&submit, AMDGPU_HW_IP_GFX, 0, scene.va, 4, 0);
    assert_int_equal(do_submit(&submit, scene.ctx, 0, NULL), 0);
    unmap_cpu(scene.memory, 2 * PAGE);
    amd_file_close(file);
    file = first;
}

/* Threads of one program submit to contexts of their own and to one that they share. */
static uint32_t shared_ctx;

static void *submit_often(void *argument)
{
    struct scene *scene = argument;
    for (uint32_t i = 0; i < 200; i++) {
        struct submit submit = {0};
        uint64_t seq = 0, status = 0;
        add_ib(&submit, AMDGPU_HW_IP_COMPUTE, i % 4, scene->va, 16, 0);
        uint32_t ctx = i % 2 ? scene->ctx : shared_ctx;
        if (do_submit(&submit, ctx, 0, &seq) || wait_cs(ctx, AMDGPU_HW_IP_COMPUTE, i % 4, seq, FOREVER, &status) ||
            status)
            return argument;
    }
    return NULL;
}

static void test_threads_submit_together(void **state)
{
    struct scene scenes[4];
    pthread_t threads[4];
    shared_ctx = create_ctx();
    for (unsigned i = 0; i < 4; i++) {
        scenes[i] = make_scene(HIGH + i * 16 * PAGE);
        put_write(scenes[i].memory, scenes[i].va + PAGE, i + 10);
    }
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit_often, &scenes[i]), 0);
    for (unsigned i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
        assert_int_equal(scenes[i].memory[1024], i + 10);
        end_scene(&scenes[i]);
    }
}

int main(void)
{
    /* Short, for the one test that waits for it; long enough for a machine that has something else to do. */
    setenv("TUFF_JOB_TIMEOUT_MS", "2000", 1);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(version_and_caps),
        TEST(requests_are_checked),
        TEST(primary_node),
        TEST(info),
        TEST(gem_create),
        TEST(gem_metadata_and_op),
        TEST(mmap),
        TEST(userptr),
        TEST(va_arguments),
        TEST(va_map_overlap_replace_clear),
        TEST(va_partially_resident),
        TEST(va_on_chip),
        TEST(files_are_isolated),
        TEST(prime),
        TEST(export_under_a_writing_thread),
        TEST(prime_between_processes),
        TEST(ctx),
        TEST(bo_list),
        TEST(cs_arguments),
        TEST(every_engine_has_its_rings),
        TEST(cs_runs_and_signals_everything),
        TEST(dependencies_hold_a_job_back),
        TEST(unmapped_pages_stay_for_jobs_submitted_before),
        TEST(many_jobs_run_in_order),
        TEST(any_number_of_jobs_may_wait),
        TEST(a_preamble_runs_when_the_ring_changes_hands),
        TEST(a_gang_runs_on_two_rings),
        TEST(priorities_order_waiting_jobs),
        TEST(a_list_by_handle_and_one_by_chunk),
        TEST(a_fault_loses_the_context),
        TEST(a_stream_outside_of_memory_loses_the_context),
        TEST(a_hang_loses_the_context),
        TEST(closing_a_file_with_work_in_flight),
        TEST(threads_submit_together),
    };
    return cmocka_run_group_tests_name("amd/model/kernel", tests, NULL, NULL);
}
