/* Memory from a compute shader: atomic additions of floats wherever they may stand, and what lies outside a buffer.
 * Both wave sizes, with and without optimisation. */
#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/tests/ir_test.h"

#define LANES 64

static struct shader_rig rig;

#define EACH_SHAPE for (unsigned shape = 0; shape < 4; shape++)

/* The text has %0 = 0, %1 = lane, %2 = lane as a float, %3 and %4 the handles of bindings 0 and 1, %5 the lane
 * times 16. */
static void run_text(const char *body, unsigned shape_number, const struct rig_buffer *buffers, unsigned num_buffers,
                     const uint32_t *descriptor)
{
    char text[4096], error[512];
    snprintf(text, sizeof(text),
             "shader compute\nworkgroup_size[0] 64\nworkgroup_size[1] 1\nworkgroup_size[2] 1\nshared_size_B 64\nb0:\n"
             "    %%0:32 = const 0x0\n    %%1:32 = load_sysval {sysval local_index}\n"
             "    %%2:32 = u2f %%1 {rounding any}\n    %%3:32 = resource %%0 {resource storage_buffer}\n"
             "    %%4:32 = resource %%0 {binding 1, resource storage_buffer}\n    %%6:32 = const 0x10\n"
             "    %%5:32 = imul %%1, %%6\n%s",
             body);
    struct rig_shape shape = {.wave_size = shape_number & 1 ? 64 : 32,
                              .no_optimisation = shape_number & 2,
                              .buffers = buffers,
                              .num_buffers = num_buffers,
                              .descriptors = {descriptor}};
    struct ir_shader *shader = parsed(text);
    if (!shader_rig_run(&rig, shader, &shape, error))
        fail_msg("%s in:\n%s", error, text);
    ir_shader_destroy(shader);
}

/* ---- atomics ---- */

/* Every lane adds its number; what it found is kept at its place of the second buffer. Sorted, what the lanes found are
 * the sums on the way. */
static void check_found(const double *found, double start)
{
    double sum = start;
    bool taken[LANES] = {false};
    for (unsigned n = 0; n < LANES; n++) {
        unsigned lane = 0;
        /* Lane 0 adds nothing and may find the same as another; of equals the one that adds comes last. */
        for (lane = 0; lane < LANES && (taken[lane] || found[lane] != sum); lane++)
            ;
        if (lane == LANES)
            fail_msg("nothing found %g", sum);
        taken[lane] = true;
        sum += lane;
    }
}

static void floats_are_added(const char *body, bool wide)
{
    EACH_SHAPE
    {
        static uint32_t target[64], found_words[LANES][4];
        double start = 100, found[LANES];
        float narrow = (float)start;
        shader_rig_reset(&rig);
        memset(target, 0, sizeof(target));
        memcpy(&target[2], wide ? (void *)&start : (void *)&narrow, wide ? 8 : 4);
        struct rig_buffer buffers[] = {{target, sizeof(target)}, {found_words, sizeof(found_words)}};
        run_text(body, shape, buffers, 2, NULL);
        for (unsigned i = 0; i < LANES; i++) {
            float f;
            memcpy(wide ? (void *)&found[i] : (void *)&f, found_words[i], wide ? 8 : 4);
            found[i] = wide ? found[i] : (double)f;
        }
        check_found(found, start);
    }
}

static void floats_are_added_in_buffers(void **state)
{
    (void)state;
    floats_are_added(
        "    %10:32 = atomic_ssbo %3, %0, %2 {atomic fadd, base 8}\n    store_ssbo %10, %4, %5 {align 16}\n", false);
    floats_are_added("    %9:64 = u2f %1 {rounding any}\n    %10:64 = atomic_ssbo %3, %0, %9 {atomic fadd, base 8}\n"
                     "    store_ssbo %10, %4, %5 {align 16}\n",
                     true);
}

static void floats_are_added_in_shared_memory(void **state)
{
    (void)state;
    static const char frame[] =
        "    %%7:1 = ieq %%1, %%0\n    %%8:%u = load_ssbo %%3, %%0 {base 8, align 4}\nif %%7 {\n b1:\n    store_shared "
        "%%8, %%0 {base 16, align 8}\n} else {\n b2:\n}\nb3:\n"
        "    barrier {scope workgroup, memory shared, order acquire+release+execution}\n    %%9:%u = u2f %%1 {rounding "
        "any}\n    %%10:%u = atomic_shared %%0, %%9 {atomic fadd, base 16}\n    store_ssbo %%10, %%4, %%5 {align 16}\n";
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        char text[1024];
        snprintf(text, sizeof(text), frame, bits, bits, bits);
        floats_are_added(text, bits == 64);
    }
}

/* An atomic whose result nothing reads, at an address. */
static void floats_are_added_at_addresses(void **state)
{
    (void)state;
    EACH_SHAPE
    {
        uint64_t va;
        shader_rig_reset(&rig);
        float *sum = shader_rig_alloc(&rig, 4096, &va);
        sum[3] = 0.5f;
        uint32_t words[LANES * 4] = {(uint32_t)va, (uint32_t)(va >> 32)};
        struct rig_buffer buffer = {words, sizeof(words)};
        run_text("    %10:64 = load_ssbo %3, %0 {align 8}\n    %11:32 = atomic_global %10, %2 {atomic fadd, base 12}\n",
                 shape, &buffer, 1, NULL);
        assert_true(sum[3] == 0.5f + LANES * (LANES - 1) / 2);
    }
}

/* ---- values of loops ---- */

/* Lanes leave one after the other with what was the same in all of them: two words in scalar registers, which the next
 * lane's overwrite. */
static void lanes_keep_what_they_left_with(void **state)
{
    (void)state;
    EACH_SHAPE
    {
        uint32_t words[LANES * 4] = {0};
        struct rig_buffer buffers[] = {{words, sizeof(words)}, {words, sizeof(words)}};
        shader_rig_reset(&rig);
        run_text("    %7:64 = const 0xffffffffffff\nloop {\n b1:\n    %8:32 = read_first %1\n    %9:1 = ieq %1, %8\n"
                 "if %9 {\n b2:\n    %10:32 = imul %8, %8\n    %11:64 = pack64 %8, %10\n    break\n} else {\n b3:\n}\n"
                 " b4:\n} continue {\n b5:\n}\nb6:\n    %12:64 = iand %11, %7\n    store_ssbo %12, %4, %5 {align 16}\n",
                 shape, buffers, 2, NULL);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            assert_int_equal(words[lane * 4], lane);
            assert_int_equal(words[lane * 4 + 1], lane * lane);
        }
    }
}

/* ---- bounds ---- */

#define SIZE_B 40

/* A buffer of ten words in memory that goes on after it. */
static uint32_t *make_bounded(uint32_t descriptor[12])
{
    uint64_t va;
    shader_rig_reset(&rig);
    uint32_t *words = shader_rig_alloc(&rig, 4096, &va);
    for (unsigned i = 0; i < 1024; i++)
        words[i] = 1000 + i;
    memset(descriptor, 0, 48);
    memcpy(descriptor, (uint32_t[]){(uint32_t)va, (uint32_t)(va >> 32), SIZE_B, 0x31016fac}, 16);
    return words;
}

static uint32_t word_within(uint64_t offset_B)
{
    return offset_B + 4 <= SIZE_B ? 1000 + (uint32_t)(offset_B / 4) : 0;
}

static void reads_outside_are_zero(void **state)
{
    (void)state;
    static const char *const loads[] = {
        /* by the vector unit: each word for itself, where four begin within and end without */
        "    %10:32x4 = load_ssbo %3, %5 {base 8, align 4}\n",
        /* two reads that become one */
        "    %11:32x2 = load_ssbo %3, %5 {base 8, align 4}\n    %12:32x2 = load_ssbo %3, %5 {base 16, align 4}\n"
        "    %13:32 = extract %11\n    %14:32 = extract %11 {comp 1}\n    %15:32 = extract %12\n"
        "    %16:32 = extract %12 {comp 1}\n    %10:32x4 = vec %13, %14, %15, %16\n",
    };
    for (unsigned i = 0; i < ARRAY_SIZE(loads); i++) {
        EACH_SHAPE
        {
            char text[1024];
            uint32_t descriptor[12], found[LANES][4];
            make_bounded(descriptor);
            struct rig_buffer buffers[] = {{NULL, 0}, {found, sizeof(found)}};
            snprintf(text, sizeof(text), "%s    store_ssbo %%10, %%4, %%5 {align 16}\n", loads[i]);
            run_text(text, shape, buffers, 2, descriptor);
            for (unsigned lane = 0; lane < LANES; lane++)
                for (unsigned n = 0; n < 4; n++)
                    assert_int_equal(found[lane][n], word_within(lane * 16 + 8 + n * 4));
        }
    }
}

/* By the scalar unit: from a uniform and from a storage buffer that nothing writes. */
static void scalar_reads_outside_are_zero(void **state)
{
    (void)state;
    static const char *const loads[] = {"load_ubo", "load_ssbo"};
    static const uint32_t offsets_B[] = {0, 24, 32, 36, 40, 44, 4096, 0x7ffffff0, 0xffffffe0};
    for (unsigned i = 0; i < 2 * ARRAY_SIZE(loads) * ARRAY_SIZE(offsets_B); i++) {
        bool known = i >= ARRAY_SIZE(loads) * ARRAY_SIZE(offsets_B);
        EACH_SHAPE
        {
            char text[1024];
            uint32_t descriptor[12], found[LANES][4], offset_B = offsets_B[i / 2 % ARRAY_SIZE(offsets_B)];
            make_bounded(descriptor);
            struct rig_buffer buffers[] = {{NULL, 0}, {found, sizeof(found)}};
            snprintf(
                text, sizeof(text),
                "    %%9:32 = const 0x%x\n    %%8:32 = load_push %%0 {align 4}\n    %%7:32 = iadd %%8, %%9\n"
                "    %%10:32x4 = %s %%3, %%%u {align 4, access readonly}\n    store_ssbo %%10, %%4, %%5 {align 16}\n",
                offset_B, loads[i % 2], known ? 9 : 7);
            run_text(text, shape, buffers, 2, descriptor);
            for (unsigned n = 0; n < 4; n++)
                assert_int_equal(found[5][n], word_within((uint64_t)offset_B + n * 4));
        }
    }
}

static void writes_outside_are_dropped(void **state)
{
    (void)state;
    EACH_SHAPE
    {
        uint32_t descriptor[12], *words = make_bounded(descriptor);
        run_text("    %10:32x4 = vec %1, %1, %1, %1\n    store_ssbo %10, %3, %5 {base 8, align 4}\n"
                 "    %11:32 = atomic_ssbo %3, %5, %1 {atomic iadd, base 72}\n",
                 shape, NULL, 0, descriptor);
        for (unsigned i = 0; i < 1024; i++) {
            bool written = i >= 2 && i < SIZE_B / 4;
            assert_int_equal(words[i], written ? (i - 2) / 4 : 1000 + i);
        }
    }
}

/* A sum that wraps is an offset like any other: the first word is outside, the second is word 0. */
static void offsets_wrap_before_they_are_compared(void **state)
{
    (void)state;
    EACH_SHAPE
    {
        uint32_t descriptor[12], found[LANES][4];
        make_bounded(descriptor);
        struct rig_buffer buffers[] = {{NULL, 0}, {found, sizeof(found)}};
        run_text(
            "    %9:32 = const 0xfffffffc\n    %8:32 = load_push %0 {align 4}\n    %7:32 = iadd %8, %9\n"
            "    %10:32 = imul %1, %8\n    %11:32 = iadd %10, %7\n    %12:32 = const 0x4\n    %13:32 = iadd %11, %12\n"
            "    %14:32 = load_ssbo %3, %11 {align 4}\n    %15:32 = load_ssbo %3, %13 {align 4}\n"
            "    %16:32x2 = vec %14, %15\n    store_ssbo %16, %4, %5 {align 16}\n",
            shape, buffers, 2, descriptor);
        for (unsigned lane = 0; lane < LANES; lane++) {
            assert_int_equal(found[lane][0], 0);
            assert_int_equal(found[lane][1], 1000);
        }
    }
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_added_in_buffers),   cmocka_unit_test(floats_are_added_in_shared_memory),
        cmocka_unit_test(floats_are_added_at_addresses), cmocka_unit_test(lanes_keep_what_they_left_with),
        cmocka_unit_test(reads_outside_are_zero),        cmocka_unit_test(scalar_reads_outside_are_zero),
        cmocka_unit_test(writes_outside_are_dropped),    cmocka_unit_test(offsets_wrap_before_they_are_compared),
    };
    int failed = cmocka_run_group_tests_name("select memory", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
