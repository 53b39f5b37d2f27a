/* The msm kernel model: what submissions of different files and processes wait for when they name one buffer. */
#include <signal.h>
#include <sys/wait.h>

#include "adreno/model/kernel/tests/rig.h"

#define MINUTE_MS 60000
#define MOMENT_MS 30

/* A file that has the shared buffer. */
struct user {
    struct rig rig;
    uint32_t buffer;
    uint64_t va; /* of the buffer */
    uint32_t *memory;
};

static struct user finish_user(struct rig rig, uint32_t buffer)
{
    struct user user = {.rig = rig, .buffer = buffer};
    user.va = rig_iova(&user.rig, buffer);
    user.memory = rig_map(&user.rig, buffer, PAGE);
    return user;
}

static struct user share_buffer(int *fd_out)
{
    struct rig rig = rig_open();
    uint32_t buffer = rig_bo(&rig, PAGE, MSM_BO_WC);
    struct drm_prime_handle prime = {.handle = buffer, .flags = DRM_CLOEXEC | DRM_RDWR};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
    *fd_out = prime.fd;
    return finish_user(rig, buffer);
}

static struct user take_buffer(int fd)
{
    struct rig rig = rig_open();
    struct drm_prime_handle prime = {.fd = fd};
    assert_int_equal(rig_ioctl(&rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime), 0);
    return finish_user(rig, prime.handle);
}

static void close_user(struct user *user)
{
    rig_unmap(user->memory, PAGE);
    rig_close(&user->rig);
}

/* Write a value into the buffer's first word, which the list names as `flags` say; `args` says the rest. */
static uint32_t submit_write(struct user *user, uint32_t value, uint32_t flags, struct drm_msm_gem_submit args)
{
    struct drm_msm_gem_submit_bo bos[2] = {{.flags = RW, .handle = user->rig.bo},
                                           {.flags = flags, .handle = user->buffer}};
    uint32_t start;
    args.nr_bos = 2;
    args.bos = (uintptr_t)bos;
    rig_stream_begin(&user->rig, &start);
    rig_write(&user->rig, user->va, value);
    assert_int_equal(rig_submit(&user->rig, start, &args), 0);
    return args.fence;
}

/* The ring stands at a gate that a third file has, and the first waits for that by a sync file; the second could go at
 * once, and then the first would write last. */
static uint32_t last_of_two(uint32_t flags, uint32_t first_flags, uint32_t second_flags)
{
    int fd;
    uint32_t start;
    struct user first = share_buffer(&fd), second = take_buffer(fd);
    struct rig gate = rig_open();
    struct drm_msm_gem_submit gated = {.flags = MSM_SUBMIT_FENCE_FD_OUT};
    rig_stream_begin(&gate, &start);
    rig_wait_word(&gate, gate.va + PAGE);
    assert_int_equal(rig_submit(&gate, start, &gated), 0);
    uint32_t a =
        submit_write(&first, 1, first_flags,
                     (struct drm_msm_gem_submit){.flags = flags | MSM_SUBMIT_FENCE_FD_IN, .fence_fd = gated.fence_fd});
    uint32_t b = submit_write(&second, 2, second_flags, (struct drm_msm_gem_submit){.flags = flags});
    gate.memory[PAGE / 4] = 1;
    assert_int_equal(rig_wait(&first.rig, 0, a, MINUTE_MS), 0);
    assert_int_equal(rig_wait(&second.rig, 0, b, MINUTE_MS), 0);
    uint32_t last = first.memory[0];
    close(gated.fence_fd);
    close(fd);
    close_user(&first);
    close_user(&second);
    rig_close(&gate);
    return last;
}

static void test_files_wait_for_each_other(void **state)
{
    assert_int_equal(last_of_two(0, RW, RW), 2);
    assert_int_equal(last_of_two(0, MSM_SUBMIT_BO_WRITE, MSM_SUBMIT_BO_READ), 2);
    assert_int_equal(last_of_two(0, MSM_SUBMIT_BO_READ, MSM_SUBMIT_BO_WRITE), 2);
    assert_int_equal(last_of_two(0, MSM_SUBMIT_BO_READ, MSM_SUBMIT_BO_READ), 1);
}

static void test_a_submission_may_do_without(void **state)
{
    assert_int_equal(last_of_two(MSM_SUBMIT_NO_IMPLICIT, RW, RW), 1);
    assert_int_equal(last_of_two(0, RW, RW | MSM_SUBMIT_BO_NO_IMPLICIT), 1);
    /* It does not wait, but is known: who comes later and does wait, waits for it. */
    assert_int_equal(last_of_two(0, RW | MSM_SUBMIT_BO_NO_IMPLICIT, RW), 2);
}

static int prep(struct user *user, uint32_t op, int64_t ms)
{
    int64_t until_ns = drm_now_ns() + ms * 1000000;
    struct drm_msm_gem_cpu_prep args = {
        .handle = user->buffer, .op = op, .timeout = {until_ns / 1000000000, until_ns % 1000000000}};
    return rig_ioctl(&user->rig, DRM_IOCTL_MSM_GEM_CPU_PREP, &args);
}

/* ---- another process ---- */

/* Takes the buffer, submits a write that stands at a gate, says so, and opens the gate when it is told to. */
static void child_main(int fd, int said, int told, uint32_t flags)
{
    void *state = NULL;
    char byte = 0;
    if (rig_setup(&state))
        _exit(2);
    struct user user = take_buffer(fd);
    rig_wait_word(&user.rig, user.rig.va + PAGE);
    struct drm_msm_gem_submit_bo bos[2] = {{.flags = RW, .handle = user.rig.bo},
                                           {.flags = flags, .handle = user.buffer}};
    struct drm_msm_gem_submit args = {.nr_bos = 2, .bos = (uintptr_t)bos};
    rig_write(&user.rig, user.va, 5);
    if (rig_submit(&user.rig, 0, &args) || write(said, "s", 1) != 1 || read(told, &byte, 1) != 1)
        _exit(3);
    user.rig.memory[PAGE / 4] = 1;
    _exit(rig_wait(&user.rig, 0, args.fence, MINUTE_MS) ? 4 : 0);
}

struct child {
    pid_t pid;
    int say; /* to it */
};

static struct child start_child(int fd, uint32_t flags)
{
    int up[2], down[2];
    char byte;
    assert_int_equal(pipe(up) || pipe(down), 0);
    struct child child = {.pid = fork(), .say = down[1]};
    assert_true(child.pid >= 0);
    if (child.pid == 0)
        child_main(fd, up[1], down[0], flags);
    close(up[1]);
    close(down[0]);
    assert_int_equal(read(up[0], &byte, 1), 1);
    close(up[0]);
    return child;
}

static void test_processes_wait_for_each_other(void **state)
{
    int fd, status;
    struct user user = share_buffer(&fd);
    struct child child = start_child(fd, RW);
    assert_int_equal(prep(&user, MSM_PREP_READ, MOMENT_MS), -ETIMEDOUT);
    uint32_t without = submit_write(&user, 1, RW, (struct drm_msm_gem_submit){.flags = MSM_SUBMIT_NO_IMPLICIT});
    assert_int_equal(rig_wait(&user.rig, 0, without, MINUTE_MS), 0);
    assert_int_equal(user.memory[0], 1);
    uint32_t with = submit_write(&user, 6, RW, (struct drm_msm_gem_submit){0});
    assert_int_equal(rig_wait(&user.rig, 0, with, MOMENT_MS), -ETIMEDOUT);
    assert_int_equal(write(child.say, "g", 1), 1);
    assert_int_equal(rig_wait(&user.rig, 0, with, MINUTE_MS), 0);
    assert_int_equal(user.memory[0], 6);
    assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(child.say);
    close(fd);
    close_user(&user);
}

static void test_readers_of_two_processes_do_not_wait(void **state)
{
    int fd, status;
    struct user user = share_buffer(&fd);
    struct child child = start_child(fd, MSM_SUBMIT_BO_READ);
    assert_int_equal(prep(&user, MSM_PREP_READ, MOMENT_MS), 0);
    assert_int_equal(prep(&user, MSM_PREP_WRITE, MOMENT_MS), -ETIMEDOUT);
    uint32_t fence = submit_write(&user, 1, MSM_SUBMIT_BO_READ, (struct drm_msm_gem_submit){0});
    assert_int_equal(rig_wait(&user.rig, 0, fence, MINUTE_MS), 0);
    assert_int_equal(write(child.say, "g", 1), 1);
    assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
    close(child.say);
    close(fd);
    close_user(&user);
}

static void test_a_dead_process_is_not_waited_for(void **state)
{
    int fd, status;
    struct user user = share_buffer(&fd);
    struct child child = start_child(fd, RW);
    uint32_t fence = submit_write(&user, 7, RW, (struct drm_msm_gem_submit){0});
    assert_int_equal(rig_wait(&user.rig, 0, fence, MOMENT_MS), -ETIMEDOUT);
    kill(child.pid, SIGKILL);
    assert_int_equal(waitpid(child.pid, &status, 0), child.pid);
    assert_int_equal(rig_wait(&user.rig, 0, fence, MINUTE_MS), 0);
    assert_int_equal(user.memory[0], 7);
    close(child.say);
    close(fd);
    close_user(&user);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_files_wait_for_each_other),        CASE(test_a_submission_may_do_without),
        CASE(test_processes_wait_for_each_other),    CASE(test_readers_of_two_processes_do_not_wait),
        CASE(test_a_dead_process_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
