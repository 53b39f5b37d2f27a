/* Programs whose lanes look at each other, and those whose lanes do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/isa/isa.h"
#include "adreno/model/sp/lanewise.h"
#include "model/memory.h"

#define VA 0x100000000ull
#define SIZE_B 4096u

static struct gpu_space space;

static int setup(void **state)
{
    const struct gpu_extent extent = {VA, SIZE_B};
    const int fd = memfd_create("programs", 0);
    const bool is_done = fd >= 0 && ftruncate(fd, SIZE_B) == 0 && gpu_space_init(&space, &extent, 1) == 0 &&
                         gpu_space_map_file(&space, VA, SIZE_B, fd, 0, GPU_PERM_RWX) == 0;
    close(fd);
    return is_done ? 0 : -1;
}

static int teardown(void **state)
{
    gpu_space_finish(&space);
    return 0;
}

static bool is_lanewise(const char *text)
{
    uint64_t words[64] = {0};
    unsigned line = 0;
    const int count = adreno_isa_assemble(text, words, 64, &line);
    assert_in_range(count, 1, 64);
    assert_int_equal(gpu_space_write(&space, VA, words, sizeof(words)), sizeof(words));
    return adreno_sp_is_lanewise(&space, VA);
}

static void test_lanes_alone(void **state)
{
    assert_true(is_lanewise("add.f r0.x, r0.x, r0.y\nend\n"));
    assert_true(is_lanewise("bary.f (ei)r2.x, 0, r0.x\nisam.v.1d (u32)(xy)r1.x, r0.x, s#0, t#1\nend\n"));
    assert_true(is_lanewise("ldib.b.untyped.1d.u32.1.imm r1.x, r0.x, 2\nend\n"));
    assert_true(is_lanewise("br p0.x, #over\nadd.f r0.x, r0.x, r0.y\nover:\n(jp)nop\nend\n"));
    /* The preamble runs once. */
    assert_true(is_lanewise("shps #main\nmovs.u32u32 r48.x, r1.x, 3\nshpe\nmain:\nmul.f r0.x, r0.x, r0.y\nend\n"));
}

static void test_lanes_that_look_at_each_other(void **state)
{
    assert_false(is_lanewise("movs.u32u32 r48.x, r1.x, 3\nend\n"));
    assert_false(is_lanewise("add.u r48.x, r0.x, r0.y\nend\n"));
    assert_false(is_lanewise("movmsk.w64 r1.x\nend\n"));
    assert_false(is_lanewise("getone #on\non:\nend\n"));
    assert_false(is_lanewise("bany p0.x, #on\nnop\non:\nend\n"));
    assert_false(is_lanewise("ldib.b.untyped.1d.u32.1.uniform r1.x, r0.x, r2.x\nend\n"));
    assert_false(is_lanewise("bar.g\nend\n"));
    /* Behind the first end, where a branch leads. */
    assert_false(is_lanewise("br p0.x, #over\nend\nover:\nmovs.u32u32 r48.x, r1.x, 3\nend\n"));
    assert_false(is_lanewise("jump #away\nend\naway:\nnop\n")); /* no end */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lanes_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lanes_that_look_at_each_other, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
