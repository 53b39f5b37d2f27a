/* Implicit synchronisation: which submission waits for which when two name one buffer. The GPU behind it is
 * test_engine.c: a job waits at a gate, a word that the test opens, and then writes into the buffer. */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/model/kernel/kernel_types.h"
#include "kernel/dma_buf.h"
#include "util/log.h"

#define PAGE 4096ull
#define CODE_VA 0xffff800000000000ull
#define BUFFER_VA (CODE_VA + (1ull << 20))
#define RW (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE)
#define FOREVER UINT64_MAX
#define MS 1000000ull

static struct amd_device *device;

/* A user of the buffer: an open file with a page of code, whose second half is the gates. */
struct user {
    struct amd_file *file;
    uint32_t ctx, code, buffer;
    uint32_t *memory;
    uint32_t used;
};

static int setup(void **state)
{
    alarm(120);
    log_set_level(LOG_LEVEL_ERROR);
    return amd_device_create("gfx1030", amd_engine_default(), &device);
}

static int teardown(void **state)
{
    amd_device_destroy(device);
    return 0;
}

#define must(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail_msg("%s, line %d", #condition, __LINE__);                                                             \
    } while (0)

static uint32_t create_bo(struct user *user, uint64_t flags)
{
    union drm_amdgpu_gem_create args = {
        .in = {.bo_size = PAGE, .alignment = PAGE, .domains = AMDGPU_GEM_DOMAIN_GTT, .domain_flags = flags}};
    must(drm_file_ioctl(&user->file->file, DRM_IOCTL_AMDGPU_GEM_CREATE, &args) == 0);
    return args.out.handle;
}

static void map_gpu(struct user *user, uint32_t handle, uint64_t va)
{
    struct drm_amdgpu_gem_va args = {
        .handle = handle, .operation = AMDGPU_VA_OP_MAP, .flags = RW, .va_address = va, .map_size = PAGE};
    must(drm_file_ioctl(&user->file->file, DRM_IOCTL_AMDGPU_GEM_VA, &args) == 0);
}

static uint32_t *map_cpu(struct user *user, uint32_t handle)
{
    union drm_amdgpu_gem_mmap args = {.in = {.handle = handle}};
    void *memory = NULL;
    must(drm_file_ioctl(&user->file->file, DRM_IOCTL_AMDGPU_GEM_MMAP, &args) == 0);
    must(drm_file_mmap(&user->file->file, NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, args.out.addr_ptr, &memory) ==
         0);
    return memory;
}

static struct user open_node(enum kernel_node node)
{
    struct user user = {0};
    must(amd_file_open(device, node, &user.file) == 0);
    user.file->file.is_authenticated = true;
    union drm_amdgpu_ctx ctx = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
    must(drm_file_ioctl(&user.file->file, DRM_IOCTL_AMDGPU_CTX, &ctx) == 0);
    user.ctx = ctx.out.alloc.ctx_id;
    user.code = create_bo(&user, 0);
    map_gpu(&user, user.code, CODE_VA);
    user.memory = map_cpu(&user, user.code);
    return user;
}

static struct user open_user(void)
{
    return open_node(KERNEL_NODE_RENDER);
}

static void close_user(struct user *user)
{
    drm_device_memory_unmapped(&device->drm, user->memory, PAGE);
    munmap(user->memory, PAGE);
    amd_file_close(user->file);
}

static int share_buffer(struct user *user, uint64_t flags)
{
    user->buffer = create_bo(user, flags);
    map_gpu(user, user->buffer, BUFFER_VA);
    struct drm_prime_handle prime = {.handle = user->buffer, .flags = DRM_CLOEXEC};
    must(drm_file_ioctl(&user->file->file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) == 0);
    return prime.fd;
}

static void take_buffer(struct user *user, int fd)
{
    struct drm_prime_handle prime = {.fd = fd};
    must(drm_file_ioctl(&user->file->file, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime) == 0);
    user->buffer = prime.handle;
    map_gpu(user, user->buffer, BUFFER_VA);
}

/* Write a value into the buffer's first word, behind a gate (1 to 15; 0: none). On rings of their own only fences can
 * order two jobs. */
static uint64_t submit_write(struct user *user, uint32_t ring, uint32_t gate, uint32_t value)
{
    uint32_t *code = user->memory + user->used, size = 0;
    uint64_t gate_va = CODE_VA + PAGE / 2 + 4 * gate, start_va = CODE_VA + 4 * user->used;
    if (gate) {
        code[size++] = 3;
        code[size++] = (uint32_t)gate_va;
        code[size++] = (uint32_t)(gate_va >> 32);
    }
    code[size++] = 1;
    code[size++] = (uint32_t)BUFFER_VA;
    code[size++] = (uint32_t)(BUFFER_VA >> 32);
    code[size++] = value;
    user->used += size;
    struct drm_amdgpu_cs_chunk_ib ib = {
        .va_start = start_va, .ib_bytes = 4 * size, .ip_type = AMDGPU_HW_IP_COMPUTE, .ring = ring};
    struct drm_amdgpu_bo_list_entry entries[3] = {
        {.bo_handle = user->code}, {.bo_handle = user->buffer}, {.bo_handle = user->buffer}};
    struct drm_amdgpu_bo_list_in list = {
        .bo_number = 3, .bo_info_size = sizeof(entries[0]), .bo_info_ptr = (uintptr_t)entries};
    struct drm_amdgpu_cs_chunk chunks[2] = {
        {.chunk_id = AMDGPU_CHUNK_ID_IB, .length_dw = sizeof(ib) / 4, .chunk_data = (uintptr_t)&ib},
        {.chunk_id = AMDGPU_CHUNK_ID_BO_HANDLES, .length_dw = sizeof(list) / 4, .chunk_data = (uintptr_t)&list}};
    uint64_t pointers[2] = {(uintptr_t)&chunks[0], (uintptr_t)&chunks[1]};
    union drm_amdgpu_cs args = {.in = {.ctx_id = user->ctx, .num_chunks = 2, .chunks = (uintptr_t)pointers}};
    must(drm_file_ioctl(&user->file->file, DRM_IOCTL_AMDGPU_CS, &args) == 0);
    return args.out.handle;
}

static void open_gate(struct user *user, uint32_t gate)
{
    ((_Atomic uint32_t *)user->memory)[PAGE / 8 + gate] = 1;
}

static bool job_ends(struct user *user, uint32_t ring, uint64_t seq, uint64_t within_ns)
{
    uint64_t deadline = within_ns == FOREVER ? FOREVER : (uint64_t)drm_now_ns() + within_ns;
    union drm_amdgpu_wait_cs args = {
        .in = {.handle = seq, .timeout = deadline, .ip_type = AMDGPU_HW_IP_COMPUTE, .ring = ring, .ctx_id = user->ctx}};
    must(drm_file_ioctl(&user->file->file, DRM_IOCTL_AMDGPU_WAIT_CS, &args) == 0);
    return args.out.status == 0;
}

static uint32_t first_word(struct user *user)
{
    uint32_t value = 0;
    must(gpu_mem_read32(&user->file->vm->space, BUFFER_VA, &value));
    return value;
}

static bool is_idle(struct user *user, uint64_t deadline_ns)
{
    union drm_amdgpu_gem_wait_idle args = {.in = {.handle = user->buffer, .timeout = deadline_ns}};
    must(drm_file_ioctl(&user->file->file, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &args) == 0);
    return args.out.status == 0;
}

/* ---- one process, two spaces ---- */

static void test_another_space_waits(void **state)
{
    struct user a = open_user(), b = open_user();
    int fd = share_buffer(&a, 0);
    take_buffer(&b, fd);
    uint64_t first = submit_write(&a, 0, 1, 10), second = submit_write(&b, 1, 0, 20);
    assert_false(job_ends(&b, 1, second, 30 * MS));
    assert_false(is_idle(&b, 0));
    open_gate(&a, 1);
    assert_true(job_ends(&b, 1, second, FOREVER));
    assert_true(job_ends(&a, 0, first, 0));
    assert_int_equal(first_word(&a), 20);
    assert_true(is_idle(&a, FOREVER));
    close(fd);
    close_user(&b);
    close_user(&a);
}

static void test_the_same_space_does_not(void **state)
{
    struct user a = open_user();
    int fd = share_buffer(&a, 0);
    uint64_t first = submit_write(&a, 0, 1, 10), second = submit_write(&a, 1, 0, 20);
    assert_true(job_ends(&a, 1, second, FOREVER));
    assert_false(job_ends(&a, 0, first, 0));
    open_gate(&a, 1);
    assert_true(job_ends(&a, 0, first, FOREVER));
    assert_int_equal(first_word(&a), 10);
    close(fd);
    close_user(&a);
}

static void test_explicit_buffers_make_nobody_wait(void **state)
{
    struct user a = open_user(), b = open_user();
    int fd = share_buffer(&a, AMDGPU_GEM_CREATE_EXPLICIT_SYNC);
    take_buffer(&b, fd);
    uint64_t first = submit_write(&a, 0, 1, 10), second = submit_write(&b, 1, 0, 20);
    assert_true(job_ends(&b, 1, second, FOREVER));
    assert_false(is_idle(&b, 0)); /* but the work is known */
    open_gate(&a, 1);
    assert_true(job_ends(&a, 0, first, FOREVER));
    close(fd);
    close_user(&b);
    close_user(&a);
}

/* By name (flink) a buffer stays in its process, but two spaces have it. */
static void test_a_named_buffer(void **state)
{
    struct user a = open_node(KERNEL_NODE_PRIMARY), b = open_node(KERNEL_NODE_PRIMARY);
    a.buffer = create_bo(&a, 0);
    map_gpu(&a, a.buffer, BUFFER_VA);
    struct drm_gem_flink flink = {.handle = a.buffer};
    assert_int_equal(drm_file_ioctl(&a.file->file, DRM_IOCTL_GEM_FLINK, &flink), 0);
    struct drm_gem_open open = {.name = flink.name};
    assert_int_equal(drm_file_ioctl(&b.file->file, DRM_IOCTL_GEM_OPEN, &open), 0);
    b.buffer = open.handle;
    map_gpu(&b, b.buffer, BUFFER_VA);
    submit_write(&a, 0, 1, 10);
    uint64_t second = submit_write(&b, 1, 0, 20);
    assert_false(job_ends(&b, 1, second, 30 * MS));
    open_gate(&a, 1);
    assert_true(job_ends(&b, 1, second, FOREVER));
    assert_int_equal(first_word(&a), 20);
    close_user(&b);
    close_user(&a);
}

/* Work that began before the buffer was shared counts, too. */
static void test_sharing_a_busy_buffer(void **state)
{
    struct user a = open_user(), b = open_user();
    a.buffer = create_bo(&a, 0);
    map_gpu(&a, a.buffer, BUFFER_VA);
    submit_write(&a, 0, 1, 10);
    struct drm_prime_handle prime = {.handle = a.buffer};
    assert_int_equal(drm_file_ioctl(&a.file->file, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    take_buffer(&b, prime.fd);
    uint64_t second = submit_write(&b, 1, 0, 20);
    assert_false(job_ends(&b, 1, second, 30 * MS));
    open_gate(&a, 1);
    assert_true(job_ends(&b, 1, second, FOREVER));
    assert_int_equal(first_word(&b), 20);
    close(prime.fd);
    close_user(&b);
    close_user(&a);
}

/* A file that is closed takes its waiting jobs with it; those of others go on. */
static void test_closing_who_waits_and_who_is_waited_for(void **state)
{
    struct user a = open_user(), b = open_user(), c = open_user();
    int fd = share_buffer(&a, 0);
    take_buffer(&b, fd);
    take_buffer(&c, fd);
    submit_write(&a, 0, 1, 10);
    submit_write(&b, 1, 0, 20);
    uint64_t last = submit_write(&c, 2, 0, 30);
    close_user(&b);
    assert_false(job_ends(&c, 2, last, 30 * MS));
    close_user(&a); /* its job is killed at the gate */
    assert_true(job_ends(&c, 2, last, FOREVER));
    assert_int_equal(first_word(&c), 30);
    close(fd);
    close_user(&c);
}

static void test_sync_files_of_a_buffer(void **state)
{
    struct user a = open_user();
    int fd = share_buffer(&a, 0);
    uint64_t seq = submit_write(&a, 0, 1, 10);
    struct dma_buf_export_sync_file out = {.flags = DMA_BUF_SYNC_READ, .fd = -1};
    assert_int_equal(drm_fd_ioctl(fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out), 0);
    struct pollfd poll_fd = {.fd = out.fd, .events = POLLIN};
    assert_int_equal(poll(&poll_fd, 1, 30), 0);
    /* Put into another buffer it holds up the users of that one. */
    struct user b = open_user(), c = open_user();
    int other = share_buffer(&b, 0);
    take_buffer(&c, other);
    struct dma_buf_import_sync_file in = {.flags = DMA_BUF_SYNC_WRITE, .fd = out.fd};
    assert_int_equal(drm_fd_ioctl(other, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &in), 0);
    uint64_t held = submit_write(&c, 1, 0, 20);
    assert_false(job_ends(&c, 1, held, 30 * MS));
    open_gate(&a, 1);
    assert_true(job_ends(&a, 0, seq, FOREVER));
    assert_true(job_ends(&c, 1, held, FOREVER));
    assert_int_equal(poll(&poll_fd, 1, 50000), 1);
    assert_int_equal(drm_fd_ioctl(0, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out), -ENOTTY);
    close(out.fd);
    close(fd);
    close(other);
    close_user(&c);
    close_user(&b);
    close_user(&a);
}

/* ---- two processes ---- */

/* A child with a device of its own submits one job behind a gate, says so, and opens the gate when it is told. */
static pid_t start_writer(int fd, int tell_fd, int hear_fd)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    alarm(100);
    if (amd_device_create("gfx1030", amd_engine_default(), &device))
        _exit(3);
    struct user user = open_user();
    take_buffer(&user, fd);
    uint64_t seq = submit_write(&user, 0, 1, 11);
    char byte = 'x';
    if (write(tell_fd, &byte, 1) != 1 || read(hear_fd, &byte, 1) != 1)
        _exit(4);
    open_gate(&user, 1);
    _exit(job_ends(&user, 0, seq, FOREVER) ? 0 : 5);
}

struct pair {
    struct user user;
    int fd, to, from;
    pid_t pid;
};

static struct pair start_pair(void)
{
    struct pair pair = {.user = open_user()};
    int up[2], down[2];
    char byte;
    assert_int_equal(pipe(up) | pipe(down), 0);
    pair.fd = share_buffer(&pair.user, 0);
    pair.pid = start_writer(pair.fd, up[1], down[0]);
    close(up[1]);
    close(down[0]);
    pair.from = up[0];
    pair.to = down[1];
    assert_int_equal(read(pair.from, &byte, 1), 1);
    return pair;
}

static void end_pair(struct pair *pair, int expected)
{
    int status;
    assert_int_equal(waitpid(pair->pid, &status, 0), pair->pid);
    assert_int_equal(status, expected);
    close(pair->to);
    close(pair->from);
    close(pair->fd);
    close_user(&pair->user);
}

static void test_a_submission_waits_for_another_process(void **state)
{
    struct pair pair = start_pair();
    uint64_t seq = submit_write(&pair.user, 1, 0, 22);
    assert_false(job_ends(&pair.user, 1, seq, 50 * MS));
    assert_false(is_idle(&pair.user, 0));
    assert_int_equal(write(pair.to, "x", 1), 1);
    assert_true(job_ends(&pair.user, 1, seq, FOREVER));
    assert_int_equal(first_word(&pair.user), 22); /* the other's 11 was there before */
    end_pair(&pair, 0);
}

static void test_a_killed_process_is_not_waited_for(void **state)
{
    struct pair pair = start_pair();
    uint64_t seq = submit_write(&pair.user, 1, 0, 22);
    assert_false(job_ends(&pair.user, 1, seq, 50 * MS));
    kill(pair.pid, SIGKILL);
    assert_true(job_ends(&pair.user, 1, seq, 50000 * MS));
    assert_int_equal(first_word(&pair.user), 22);
    end_pair(&pair, SIGKILL);
}

/* The other direction: the child submits behind our gate, and must not be the first. */
static void test_another_process_waits_for_ours(void **state)
{
    struct user user = open_user();
    int fd = share_buffer(&user, 0), up[2], down[2];
    char byte;
    assert_int_equal(pipe(up) | pipe(down), 0);
    uint64_t seq = submit_write(&user, 1, 1, 22);
    pid_t pid = start_writer(fd, up[1], down[0]);
    assert_int_equal(read(up[0], &byte, 1), 1);
    assert_int_equal(write(down[1], "x", 1), 1); /* its own gate is open */
    usleep(50000);
    assert_int_equal(first_word(&user), 0);
    open_gate(&user, 1);
    assert_true(job_ends(&user, 1, seq, FOREVER));
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(first_word(&user), 11);
    for (unsigned i = 0; i < 2; i++) {
        close(up[i]);
        close(down[i]);
    }
    close(fd);
    close_user(&user);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(another_space_waits),
        TEST(the_same_space_does_not),
        TEST(explicit_buffers_make_nobody_wait),
        TEST(a_named_buffer),
        TEST(sharing_a_busy_buffer),
        TEST(closing_who_waits_and_who_is_waited_for),
        TEST(sync_files_of_a_buffer),
        TEST(a_submission_waits_for_another_process),
        TEST(a_killed_process_is_not_waited_for),
        TEST(another_process_waits_for_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
