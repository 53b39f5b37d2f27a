/* Debian's libdrm and libdrm_amdgpu as a program uses them, on the model behind the shim. The GPU is the toy engine of
 * src/amd/model/kernel/tests/test_engine.c. Started again as a child with "child FD..." it is the other process. */
#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

#include <cmocka.h>

#define PAGE 4096

static int render_fd = -1;
static amdgpu_device_handle device;
static const char *program;

static int open_device(void)
{
    uint32_t major, minor;
    render_fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    return render_fd < 0 ? -errno : amdgpu_device_initialize(render_fd, &major, &minor, &device);
}

/* ---- discovery ---- */

static void test_libdrm_finds_the_device(void **state)
{
    drmDevice *devices[4];
    int count = drmGetDevices2(0, devices, 4);
    assert_int_equal(count, 1);
    assert_int_equal(devices[0]->bustype, DRM_BUS_PCI);
    assert_int_equal(devices[0]->deviceinfo.pci->vendor_id, 0x1002);
    assert_int_equal(devices[0]->deviceinfo.pci->device_id, 0x73bf);
    assert_string_equal(devices[0]->nodes[DRM_NODE_RENDER], "/dev/dri/renderD128");
    assert_true(devices[0]->available_nodes & 1 << DRM_NODE_PRIMARY);
    drmFreeDevices(devices, count);

    drmDevice *device_of_fd;
    assert_int_equal(drmGetDevice2(render_fd, 0, &device_of_fd), 0);
    assert_int_equal(device_of_fd->businfo.pci->bus, 3);
    drmFreeDevice(&device_of_fd);
    assert_int_equal(drmGetNodeTypeFromFd(render_fd), DRM_NODE_RENDER);
    char *primary = drmGetPrimaryDeviceNameFromFd(render_fd);
    assert_string_equal(primary, "/dev/dri/card0");
    free(primary);
    struct stat status;
    assert_int_equal(fstat(render_fd, &status), 0);
    assert_true(S_ISCHR(status.st_mode) && major(status.st_rdev) == 226 && minor(status.st_rdev) == 128);
    assert_int_equal(stat("/dev/dri/renderD129", &status), -1);
    assert_int_equal(errno, ENOENT);
}

static void test_device_facts(void **state)
{
    struct amdgpu_gpu_info info;
    assert_int_equal(amdgpu_query_gpu_info(device, &info), 0);
    assert_int_equal(info.family_id, AMDGPU_FAMILY_NV);
    assert_int_equal(info.chip_external_rev, 0x29);
    assert_int_equal(info.gb_addr_cfg, 0x444);
    struct amdgpu_heap_info heap;
    assert_int_equal(amdgpu_query_heap_info(device, AMDGPU_GEM_DOMAIN_VRAM, 0, &heap), 0);
    assert_true(heap.heap_size >= 256u << 20);
    uint32_t version, feature;
    assert_int_equal(amdgpu_query_firmware_version(device, AMDGPU_INFO_FW_GFX_ME, 0, 0, &version, &feature), 0);
    assert_int_equal(version, 64);
    assert_non_null(amdgpu_get_marketing_name(device));
}

static void test_duplicated_fds_are_the_same_file(void **state)
{
    int first = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    uint32_t handle;
    assert_int_equal(drmSyncobjCreate(first, 0, &handle), 0);
    int second = dup(first), third = fcntl(first, F_DUPFD_CLOEXEC, 100);
    assert_int_equal(close(first), 0);
    assert_int_equal(drmSyncobjSignal(second, &handle, 1), 0);
    close(second);
    assert_int_equal(drmSyncobjWait(third, &handle, 1, 0, 0, NULL), 0);
    close(third);
    assert_int_equal(drmSyncobjWait(third, &handle, 1, 0, 0, NULL), -EBADF);
    /* A new open is another file: it does not know the handle. */
    int other = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    assert_int_equal(drmSyncobjWait(other, &handle, 1, 0, 0, NULL), -ENOENT);
    struct pollfd poll_fd = {.fd = other, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 0), 0); /* a render node has nothing to read */
    close(other);
}

/* ---- buffers and jobs ---- */

struct buffer {
    amdgpu_bo_handle bo;
    amdgpu_va_handle range;
    uint64_t va;
    uint32_t *memory;
    uint64_t size_B;
};

static struct buffer make_buffer(uint64_t size_B, uint32_t heap)
{
    struct buffer buffer = {.size_B = size_B};
    struct amdgpu_bo_alloc_request request = {.alloc_size = size_B, .phys_alignment = PAGE, .preferred_heap = heap};
    assert_int_equal(amdgpu_bo_alloc(device, &request, &buffer.bo), 0);
    assert_int_equal(amdgpu_va_range_alloc(device, amdgpu_gpu_va_range_general, size_B, PAGE, 0, &buffer.va,
                                           &buffer.range, AMDGPU_VA_RANGE_HIGH),
                     0);
    assert_int_equal(amdgpu_bo_va_op(buffer.bo, 0, size_B, buffer.va, 0, AMDGPU_VA_OP_MAP), 0);
    assert_int_equal(amdgpu_bo_cpu_map(buffer.bo, (void **)&buffer.memory), 0);
    return buffer;
}

static void free_buffer(struct buffer *buffer)
{
    assert_int_equal(amdgpu_bo_cpu_unmap(buffer->bo), 0);
    assert_int_equal(amdgpu_bo_va_op(buffer->bo, 0, buffer->size_B, buffer->va, 0, AMDGPU_VA_OP_UNMAP), 0);
    assert_int_equal(amdgpu_va_range_free(buffer->range), 0);
    assert_int_equal(amdgpu_bo_free(buffer->bo), 0);
}

static uint32_t put_write(uint32_t *code, uint64_t va, uint32_t value)
{
    code[0] = 1;
    code[1] = (uint32_t)va;
    code[2] = (uint32_t)(va >> 32);
    code[3] = value;
    return 4;
}

static struct amdgpu_cs_fence submit_job(amdgpu_context_handle context, struct buffer *buffer, uint32_t size_dw)
{
    amdgpu_bo_list_handle list;
    assert_int_equal(amdgpu_bo_list_create(device, 1, &buffer->bo, NULL, &list), 0);
    struct amdgpu_cs_ib_info ib = {.ib_mc_address = buffer->va, .size = size_dw};
    struct amdgpu_cs_request request = {
        .ip_type = AMDGPU_HW_IP_COMPUTE, .ring = 1, .resources = list, .number_of_ibs = 1, .ibs = &ib};
    assert_int_equal(amdgpu_cs_submit(context, 0, &request, 1), 0);
    assert_int_equal(amdgpu_bo_list_destroy(list), 0);
    return (struct amdgpu_cs_fence){
        .context = context, .ip_type = AMDGPU_HW_IP_COMPUTE, .ring = 1, .fence = request.seq_no};
}

static void test_a_job_runs(void **state)
{
    struct buffer buffer = make_buffer(2 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
    amdgpu_context_handle context;
    assert_int_equal(amdgpu_cs_ctx_create(device, &context), 0);
    uint32_t size_dw = put_write(buffer.memory, buffer.va + PAGE, 4711);
    struct amdgpu_cs_fence fence = submit_job(context, &buffer, size_dw);
    uint32_t expired = 0;
    assert_int_equal(amdgpu_cs_query_fence_status(&fence, AMDGPU_TIMEOUT_INFINITE, 0, &expired), 0);
    assert_int_equal(expired, 1);
    assert_int_equal(buffer.memory[1024], 4711);
    bool busy = true;
    assert_int_equal(amdgpu_bo_wait_for_idle(buffer.bo, AMDGPU_TIMEOUT_INFINITE, &busy), 0);
    assert_false(busy);
    uint32_t signaled = 0, first = 9;
    assert_int_equal(amdgpu_cs_wait_fences(&fence, 1, true, AMDGPU_TIMEOUT_INFINITE, &signaled, &first), 0);
    assert_int_equal(signaled, 1);
    uint64_t reset;
    assert_int_equal(amdgpu_cs_query_reset_state2(context, &reset), 0);
    assert_int_equal(reset, 0);
    assert_int_equal(amdgpu_cs_ctx_free(context), 0);
    free_buffer(&buffer);
}

static void test_a_lost_context(void **state)
{
    struct buffer buffer = make_buffer(PAGE, AMDGPU_GEM_DOMAIN_GTT);
    amdgpu_context_handle context, healthy;
    assert_int_equal(amdgpu_cs_ctx_create(device, &context), 0);
    assert_int_equal(amdgpu_cs_ctx_create(device, &healthy), 0);
    uint32_t size_dw = put_write(buffer.memory, buffer.va + (1ull << 30), 1); /* not mapped */
    struct amdgpu_cs_fence fence = submit_job(context, &buffer, size_dw);
    uint32_t expired = 0;
    assert_int_equal(amdgpu_cs_query_fence_status(&fence, AMDGPU_TIMEOUT_INFINITE, 0, &expired), -ENODATA);
    uint64_t reset = 0;
    assert_int_equal(amdgpu_cs_query_reset_state2(context, &reset), 0);
    assert_true(reset & AMDGPU_CTX_QUERY2_FLAGS_GUILTY);
    size_dw = put_write(buffer.memory, buffer.va + 256, 7);
    fence = submit_job(healthy, &buffer, size_dw);
    assert_int_equal(amdgpu_cs_query_fence_status(&fence, AMDGPU_TIMEOUT_INFINITE, 0, &expired), 0);
    assert_int_equal(buffer.memory[64], 7);
    amdgpu_cs_ctx_free(context);
    amdgpu_cs_ctx_free(healthy);
    free_buffer(&buffer);
}

static void test_user_memory(void **state)
{
    uint32_t *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct buffer buffer = make_buffer(PAGE, AMDGPU_GEM_DOMAIN_GTT);
    amdgpu_bo_handle bo;
    amdgpu_va_handle range;
    uint64_t va;
    assert_int_equal(amdgpu_create_bo_from_user_mem(device, memory, PAGE, &bo), 0);
    assert_int_equal(amdgpu_va_range_alloc(device, amdgpu_gpu_va_range_general, PAGE, PAGE, 0, &va, &range, 0), 0);
    assert_int_equal(amdgpu_bo_va_op(bo, 0, PAGE, va, 0, AMDGPU_VA_OP_MAP), 0);
    amdgpu_context_handle context;
    assert_int_equal(amdgpu_cs_ctx_create(device, &context), 0);
    struct amdgpu_cs_fence fence = submit_job(context, &buffer, put_write(buffer.memory, va + 40, 12));
    uint32_t expired;
    assert_int_equal(amdgpu_cs_query_fence_status(&fence, AMDGPU_TIMEOUT_INFINITE, 0, &expired), 0);
    assert_int_equal(memory[10], 12);
    assert_int_equal(amdgpu_bo_va_op(bo, 0, PAGE, va, 0, AMDGPU_VA_OP_UNMAP), 0);
    amdgpu_va_range_free(range);
    amdgpu_bo_free(bo);
    amdgpu_cs_ctx_free(context);
    free_buffer(&buffer);
}

/* ---- synchronisation objects ---- */

static void test_syncobjs(void **state)
{
    uint32_t binary, timeline, first;
    uint64_t point = 3;
    assert_int_equal(amdgpu_cs_create_syncobj2(device, DRM_SYNCOBJ_CREATE_SIGNALED, &binary), 0);
    assert_int_equal(amdgpu_cs_create_syncobj(device, &timeline), 0);
    assert_int_equal(amdgpu_cs_syncobj_wait(device, &binary, 1, 0, 0, &first), 0);
    assert_int_equal(amdgpu_cs_syncobj_timeline_signal(device, &timeline, &point, 1), 0);
    assert_int_equal(amdgpu_cs_syncobj_timeline_wait(device, &timeline, &point, 1, INT64_MAX, 0, &first), 0);
    point = 0;
    assert_int_equal(amdgpu_cs_syncobj_query(device, &timeline, &point, 1), 0);
    assert_int_equal(point, 3);
    assert_int_equal(amdgpu_cs_syncobj_transfer(device, timeline, 9, binary, 0, 0), 0);
    assert_int_equal(amdgpu_cs_syncobj_query2(device, &timeline, &point, 1, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 0);
    assert_int_equal(point, 9);
    int sync_file;
    assert_int_equal(amdgpu_cs_syncobj_export_sync_file(device, binary, &sync_file), 0);
    struct sync_fence_info of_fence;
    struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)&of_fence};
    assert_int_equal(ioctl(sync_file, SYNC_IOC_FILE_INFO, &info), 0);
    assert_true(info.status == 1 && info.num_fences == 1 && of_fence.status == 1);
    assert_int_equal(amdgpu_cs_syncobj_reset(device, &binary, 1), 0);
    assert_true(amdgpu_cs_syncobj_wait(device, &binary, 1, 0, 0, &first) < 0);
    assert_int_equal(amdgpu_cs_syncobj_import_sync_file(device, binary, sync_file), 0);
    assert_int_equal(amdgpu_cs_syncobj_wait(device, &binary, 1, 0, 0, &first), 0);
    close(sync_file);
    assert_int_equal(amdgpu_cs_destroy_syncobj(device, binary), 0);
    assert_int_equal(amdgpu_cs_destroy_syncobj(device, timeline), 0);
}

/* A shared buffer that only its job still holds: the ring frees it, on a thread of the model's. */
static void test_a_job_holds_the_last_reference(void **state)
{
    struct buffer code = make_buffer(2 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
    amdgpu_context_handle context;
    struct amdgpu_cs_fence fence = {.ip_type = AMDGPU_HW_IP_COMPUTE, .ring = 1};
    uint32_t expired, size_dw = put_write(code.memory, code.va + PAGE, 1);
    assert_int_equal(amdgpu_cs_ctx_create(device, &context), 0);
    fence.context = context;
    alarm(60);
    for (unsigned i = 0; i < 100; i++) {
        struct buffer shared = make_buffer(2 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
        uint32_t bo_fd;
        amdgpu_bo_list_handle list;
        assert_int_equal(amdgpu_bo_export(shared.bo, amdgpu_bo_handle_type_dma_buf_fd, &bo_fd), 0);
        assert_int_equal(amdgpu_bo_list_create(device, 2, (amdgpu_bo_handle[]){code.bo, shared.bo}, NULL, &list), 0);
        struct amdgpu_cs_ib_info ib = {.ib_mc_address = code.va, .size = size_dw};
        struct amdgpu_cs_request request = {
            .ip_type = AMDGPU_HW_IP_COMPUTE, .ring = 1, .resources = list, .number_of_ibs = 1, .ibs = &ib};
        assert_int_equal(amdgpu_cs_submit(context, 0, &request, 1), 0);
        fence.fence = request.seq_no;
        assert_int_equal(amdgpu_bo_list_destroy(list), 0);
        free_buffer(&shared);
        close((int)bo_fd);
    }
    assert_int_equal(amdgpu_cs_query_fence_status(&fence, AMDGPU_TIMEOUT_INFINITE, 0, &expired), 0);
    alarm(0);
    assert_int_equal(amdgpu_cs_ctx_free(context), 0);
    free_buffer(&code);
}

/* A buffer in a program that draws nothing itself: it waits by poll or ioctl, and passes the work on as a sync file.
 * The job waits for a word that the test writes. */
static void test_work_on_a_shared_buffer(void **state)
{
    struct buffer buffer = make_buffer(2 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
    uint64_t gate_va = buffer.va + PAGE;
    amdgpu_context_handle context;
    uint32_t bo_fd;
    alarm(60);
    assert_int_equal(amdgpu_cs_ctx_create(device, &context), 0);
    assert_int_equal(amdgpu_bo_export(buffer.bo, amdgpu_bo_handle_type_dma_buf_fd, &bo_fd), 0);
    struct pollfd poll_fds[2] = {{.fd = (int)bo_fd, .events = POLLIN | POLLOUT}, {.fd = -1}};
    assert_int_equal(poll(poll_fds, 2, 0), 1);
    assert_int_equal(poll_fds[0].revents, POLLIN | POLLOUT);
    buffer.memory[0] = 3;
    buffer.memory[1] = (uint32_t)gate_va;
    buffer.memory[2] = (uint32_t)(gate_va >> 32);
    submit_job(context, &buffer, 3);
    assert_int_equal(poll(poll_fds, 2, 30), 0);
    struct dma_buf_export_sync_file out = {.flags = DMA_BUF_SYNC_READ, .fd = -1};
    assert_int_equal(ioctl((int)bo_fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out), 0);
    struct sync_merge_data merge = {.name = "both", .fd2 = out.fd};
    assert_int_equal(ioctl(out.fd, SYNC_IOC_MERGE, &merge), 0);
    struct dma_buf_import_sync_file in = {.flags = DMA_BUF_SYNC_WRITE, .fd = merge.fence};
    assert_int_equal(ioctl((int)bo_fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &in), 0);
    poll_fds[1] = (struct pollfd){.fd = merge.fence, .events = POLLIN};
    assert_int_equal(poll(poll_fds, 2, 30), 0);
    ((volatile uint32_t *)buffer.memory)[PAGE / 4] = 1;
    struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW};
    assert_int_equal(ioctl((int)bo_fd, DMA_BUF_IOCTL_SYNC, &sync), 0);
    assert_int_equal(poll(poll_fds, 2, 50000), 2);
    assert_true(poll_fds[0].revents == (POLLIN | POLLOUT) && poll_fds[1].revents & POLLIN);
    /* Neither a plain file nor a pipe is one of ours. */
    int pipe_fds[2];
    assert_int_equal(pipe(pipe_fds), 0);
    assert_true(ioctl(pipe_fds[0], SYNC_IOC_MERGE, &merge) < 0 && errno == ENOTTY);
    assert_true(ioctl(pipe_fds[0], DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out) < 0 && errno == ENOTTY);
    int fds[] = {pipe_fds[0], pipe_fds[1], (int)bo_fd, out.fd, merge.fence};
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        close(fds[i]);
    alarm(0);
    assert_int_equal(amdgpu_cs_ctx_free(context), 0);
    free_buffer(&buffer);
}

/* ---- two processes ---- */

/* The child imports the buffer and the timeline, runs a job that writes into the buffer, and signals. */
static int child_main(int bo_fd, int syncobj_fd)
{
    struct amdgpu_bo_import_result imported;
    uint32_t syncobj;
    if (open_device() || amdgpu_bo_import(device, amdgpu_bo_handle_type_dma_buf_fd, (uint32_t)bo_fd, &imported))
        return 3;
    if (imported.alloc_size != 2 * PAGE)
        return 4;
    struct amdgpu_bo_info info = {0};
    if (amdgpu_bo_query_info(imported.buf_handle, &info) || info.metadata.tiling_info != 0x55 ||
        info.alloc_size != 2 * PAGE)
        return 5;
    struct buffer buffer = {.bo = imported.buf_handle, .size_B = 2 * PAGE};
    if (amdgpu_va_range_alloc(device, amdgpu_gpu_va_range_general, 2 * PAGE, PAGE, 0, &buffer.va, &buffer.range, 0) ||
        amdgpu_bo_va_op(buffer.bo, 0, 2 * PAGE, buffer.va, 0, AMDGPU_VA_OP_MAP) ||
        amdgpu_bo_cpu_map(buffer.bo, (void **)&buffer.memory))
        return 6;
    if (buffer.memory[5] != 55)
        return 7;
    amdgpu_context_handle context;
    if (amdgpu_cs_ctx_create(device, &context) || amdgpu_cs_import_syncobj(device, syncobj_fd, &syncobj))
        return 8;
    struct amdgpu_cs_fence fence = submit_job(context, &buffer, put_write(buffer.memory, buffer.va + PAGE, 99));
    uint32_t fence_syncobj;
    if (amdgpu_cs_fence_to_handle(device, &fence, AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ, &fence_syncobj) ||
        amdgpu_cs_syncobj_transfer(device, syncobj, 7, fence_syncobj, 0, 0))
        return 9;
    return 0;
}

static void test_another_process(void **state)
{
    struct buffer buffer = make_buffer(2 * PAGE, AMDGPU_GEM_DOMAIN_VRAM);
    uint32_t bo_fd, syncobj, first;
    int syncobj_fd;
    buffer.memory[5] = 55;
    struct amdgpu_bo_metadata metadata = {.tiling_info = 0x55};
    assert_int_equal(amdgpu_bo_set_metadata(buffer.bo, &metadata), 0);
    assert_int_equal(amdgpu_bo_export(buffer.bo, amdgpu_bo_handle_type_dma_buf_fd, &bo_fd), 0);
    assert_int_equal(lseek((int)bo_fd, 0, SEEK_END), 2 * PAGE);
    assert_int_equal(amdgpu_cs_create_syncobj(device, &syncobj), 0);
    assert_int_equal(amdgpu_cs_export_syncobj(device, syncobj, &syncobj_fd), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char bo_text[16], syncobj_text[16];
        snprintf(bo_text, sizeof(bo_text), "%d", (int)bo_fd);
        snprintf(syncobj_text, sizeof(syncobj_text), "%d", syncobj_fd);
        fcntl((int)bo_fd, F_SETFD, 0);
        fcntl(syncobj_fd, F_SETFD, 0);
        execl(program, program, "child", bo_text, syncobj_text, NULL);
        _exit(127);
    }
    uint64_t point = 7;
    assert_int_equal(amdgpu_cs_syncobj_timeline_wait(device, &syncobj, &point, 1, INT64_MAX,
                                                     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, &first),
                     0);
    assert_int_equal(buffer.memory[1024], 99);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close((int)bo_fd);
    close(syncobj_fd);
    free_buffer(&buffer);
}

/* A child of fork that does not exec cannot go on with its parent's file, but can open one of its own. */
static void test_fork_without_exec(void **state)
{
    pid_t pid = fork();
    if (pid == 0) {
        uint32_t handle;
        alarm(60);
        if (drmSyncobjCreate(render_fd, 0, &handle) == 0 || errno != ENODEV)
            _exit(3);
        int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
        if (fd < 0 || drmSyncobjCreate(fd, 0, &handle))
            _exit(4);
        close(render_fd);
        close(fd);
        exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    uint32_t handle;
    assert_int_equal(drmSyncobjCreate(render_fd, 0, &handle), 0);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc == 4 && strcmp(argv[1], "child") == 0)
        return child_main(atoi(argv[2]), atoi(argv[3]));
    int error = open_device();
    if (error) {
        printf("Bail out! no device: %s\n", strerror(-error));
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libdrm_finds_the_device),
        cmocka_unit_test(test_device_facts),
        cmocka_unit_test(test_duplicated_fds_are_the_same_file),
        cmocka_unit_test(test_a_job_runs),
        cmocka_unit_test(test_a_lost_context),
        cmocka_unit_test(test_user_memory),
        cmocka_unit_test(test_syncobjs),
        cmocka_unit_test(test_a_job_holds_the_last_reference),
        cmocka_unit_test(test_work_on_a_shared_buffer),
        cmocka_unit_test(test_another_process),
        cmocka_unit_test(test_fork_without_exec),
    };
    return cmocka_run_group_tests_name("libdrm on the model", tests, NULL, NULL);
}
