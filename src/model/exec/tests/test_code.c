/* The cache of decoded programs (code.h): as many constants as a program has, and no more memory than a few programs
 * need, however many there were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/exec/code.h"
#include "model/exec/run.h"

#define LANES 64u
#define MOST_KEPT_B ((size_t)160 << 20) /* blocks, constants in whole steps */

static const struct exec_family family = {.uop_size_B = 64};
static struct gpu_space space;

static struct exec_builder new_builder(struct exec_code *code)
{
    return (struct exec_builder){.code = code, .family = &family, .lanes = LANES};
}

static uint32_t word_at(const struct exec_code *code, uint32_t offset_B, uint32_t lane)
{
    return ((const uint32_t *)(code->constant_data + offset_B))[lane];
}

/* One shader may hold 100,000 different numbers, and each stays what it is. */
static void a_program_has_any_number_of_constants(void **state)
{
    struct exec_code code;
    assert_true(exec_code_init(&code, &space));
    struct exec_builder builder = new_builder(&code);
    enum {
        COUNT = 100000
    };
    static uint32_t offsets_B[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        offsets_B[i] = exec_code_row(&builder, i * 0x10001ull, 1);
    assert_false(builder.failed);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(word_at(&code, offsets_B[i], 0), i * 0x10001u);
        assert_int_equal(word_at(&code, offsets_B[i], LANES - 1), i * 0x10001u);
    }
    assert_int_equal(exec_code_row(&builder, 7 * 0x10001ull, 1), offsets_B[7]);
    exec_code_finish(&code);
}

/* 20,000 programs of 100 constants each, none of which is another's: the first ones are forgotten. */
static void programs_are_forgotten_when_they_are_many(void **state)
{
    struct exec_code code;
    assert_true(exec_code_init(&code, &space));
    enum {
        PROGRAMS = 20000,
        CONSTANTS = 100,
        UOPS = 200
    };
    for (uint32_t program = 0; program < PROGRAMS; program++) {
        struct exec_builder builder = new_builder(&code);
        for (uint32_t i = 0; i < UOPS; i++)
            exec_build(&builder);
        uint32_t last_B = 0;
        for (uint32_t i = 0; i < CONSTANTS; i++)
            last_B = exec_code_row(&builder, program * CONSTANTS + i, 1);
        const uint64_t va = program * 4096ull;
        assert_false(builder.failed);
        assert_non_null(exec_code_keep(&builder, va, 0, 0));
        assert_non_null(exec_code_find(&code, va, 0));
        assert_int_equal(word_at(&code, last_B, 0), program * CONSTANTS + CONSTANTS - 1);
        exec_code_trim(&code);
        assert_in_range(code.kept_B + code.constant_committed_B, 0, MOST_KEPT_B);
    }
    assert_in_range(code.epoch, 2, PROGRAMS / 100); /* forgotten seldom, but forgotten */
    exec_code_finish(&code);
}

/* Decoding takes time in which no wave ends: the watchdog sees it by the blocks. */
static void blocks_that_are_decoded_count_as_progress(void **state)
{
    struct exec_code code;
    _Atomic uint64_t progress = 7;
    assert_true(exec_code_init(&code, &space));
    code.progress = &progress;
    for (uint64_t va = 0; va < 3 * 4096; va += 4096) {
        struct exec_builder builder = new_builder(&code);
        exec_build(&builder);
        assert_non_null(exec_code_keep(&builder, va, 0, 0));
    }
    assert_int_equal(progress, 7 + 3);
    exec_code_finish(&code);
}

/* A few programs stay. */
static void few_programs_are_kept(void **state)
{
    struct exec_code code;
    assert_true(exec_code_init(&code, &space));
    for (uint64_t va = 0; va < 100 * 4096; va += 4096) {
        struct exec_builder builder = new_builder(&code);
        exec_build(&builder);
        exec_code_row(&builder, va, 1);
        assert_non_null(exec_code_keep(&builder, va, 0, 0));
    }
    exec_code_trim(&code);
    for (uint64_t va = 0; va < 100 * 4096; va += 4096)
        assert_non_null(exec_code_find(&code, va, 0));
    assert_int_equal(code.epoch, 0);
    exec_code_finish(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_has_any_number_of_constants),
        cmocka_unit_test(programs_are_forgotten_when_they_are_many),
        cmocka_unit_test(few_programs_are_kept),
        cmocka_unit_test(blocks_that_are_decoded_count_as_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
