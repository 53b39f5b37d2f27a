/* The interpreter: what a shader does in every lane, against the same written down in C. */
#include "ir_test.h"

#include "compiler/ir/ir_interpret.h"

#define OUT IR_LOCATION_VAR0

/* Runs a text; the result is the test's to finish. */
static struct ir_interpret_result run_with(const char *text, const struct ir_interpret_options *options)
{
    struct ir_shader *shader = parsed(text);
    struct ir_interpret_result result;
    bool ok = ir_interpret(shader, options, &result);
    if (!ok)
        fail_msg("%s in:\n%s", result.error, text);
    ir_shader_destroy(shader);
    return result;
}

static uint64_t output(const struct ir_interpret_result *result, uint32_t lane, uint32_t comp)
{
    const struct ir_interpret_output *out = ir_interpret_find_output(result, lane, OUT, comp);
    if (!out)
        fail_msg("lane %u wrote no component %u", lane, comp);
    return out->value;
}

/* A compute shader of `body`, which writes %out-like values with store_output to location var0. */
#define HEAD "shader compute\nworkgroup_size[0] 40\nworkgroup_size[1] 1\nworkgroup_size[2] 1\nshared_size_B 256\n"
#define START                                                                                                          \
    "b0:\n  %0:32 = const 0x0\n  %1:32 = const 0x1\n  %2:32 = load_sysval {sysval local_index}\n  %3:32 = const 0x3\n"

typedef uint64_t (*expectation)(uint32_t lane);

static void assert_lanes(const char *text, uint32_t lanes, uint32_t comp, expectation expected)
{
    struct ir_interpret_options options = {.wave_size = 32};
    struct ir_interpret_result result = run_with(text, &options);
    assert_false(result.used_undef);
    for (uint32_t lane = 0; lane < lanes; lane++)
        if (output(&result, lane, comp) != expected(lane))
            fail_msg("lane %u: 0x%llx instead of 0x%llx in:\n%s", lane, (unsigned long long)output(&result, lane, comp),
                     (unsigned long long)expected(lane), text);
    ir_interpret_finish(&result);
}

static uint64_t e_arithmetic(uint32_t lane)
{
    return (uint64_t)lane * 3 + 1;
}

static void arithmetic(void **state)
{
    (void)state;
    assert_lanes(HEAD START "  %4:32 = imul %2, %3\n  %5:32 = iadd %4, %1\n  store_output %5, %0 {location var0}\n", 40,
                 0, e_arithmetic);
}

static uint64_t e_branch(uint32_t lane)
{
    return lane < 3 ? lane + 1 : lane == 5 ? 77 : lane * 2;
}

static void divergent_branches(void **state)
{
    (void)state;
    assert_lanes(HEAD START "  %4:1 = ult %2, %3\n  %5:32 = const 0x5\n  %6:32 = const 77\n"
                            "if %4 {\n b1:\n  %7:32 = iadd %2, %1\n} else {\n b2:\n  %8:1 = ieq %2, %5\n if %8 {\n "
                            "b3:\n } else {\n b4:\n  %9:32 = iadd %2, %2\n }\n"
                            " b5:\n  %10:32 = phi b3 %6, b4 %9\n}\nb6:\n  %11:32 = phi b1 %7, b5 %10\n  store_output "
                            "%11, %0 {location var0}\n",
                 40, 0, e_branch);
}

static uint64_t e_loop(uint32_t lane)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lane; i++)
        if (i % 4 != 3)
            sum += i;
    return sum;
}

/* Each lane leaves at its own turn; every fourth turn goes to the continue region early. */
static void divergent_loop(void **state)
{
    (void)state;
    assert_lanes(HEAD START
                 "loop {\n b1:\n  %4:32 = phi b0 %0, b7 %11\n  %5:32 = phi b0 %0, b7 %12\n  %6:1 = uge %4, %2\n"
                 " if %6 {\n b2:\n  break\n } else {\n b3:\n }\n b4:\n  %7:32 = iand %4, %3\n  %8:1 = ieq %7, %3\n"
                 " if %8 {\n b5:\n  continue\n } else {\n b6:\n  %9:32 = iadd %5, %4\n }\n b8:\n} continue {\n b7:\n"
                 "  %12:32 = phi b5 %5, b8 %9\n  %11:32 = iadd %4, %1\n}\nb9:\n  store_output %5, %0 {location var0}\n",
                 40, 0, e_loop);
}

static uint64_t e_shared(uint32_t lane)
{
    return 39 - lane;
}

static void shared_memory(void **state)
{
    (void)state;
    assert_lanes(
        HEAD START
        "  %4:32 = const 2\n  %5:32 = ishl %2, %4\n  store_shared %2, %5 {base 4, align 4}\n"
        "  barrier {scope workgroup, memory shared, order acquire+release+execution}\n"
        "  %6:32 = const 39\n  %7:32 = isub %6, %2\n  %8:32 = ishl %7, %4\n  %9:32 = load_shared %8 {base 4, align 4}\n"
        "  store_output %9, %0 {location var0}\n",
        40, 0, e_shared);
}

static uint64_t e_variable(uint32_t lane)
{
    return lane % 4 == 2 ? 9 : 5;
}

static void variables(void **state)
{
    (void)state;
    assert_lanes("shader compute\nworkgroup_size[0] 40\nworkgroup_size[1] 1\nworkgroup_size[2] 1\nvar v0 32 x 4\n" START
                 "  %4:32 = const 5\n  %5:32x4 = vec %4, %4, %4, %4\n  store_var %5, %0 {var v0}\n  %6:32 = const 9\n  "
                 "%7:32 = const 2\n"
                 "  store_var %6, %7 {var v0}\n  %8:32 = iand %2, %3\n  %9:32 = load_var %8 {var v0}\n  store_output "
                 "%9, %0 {location var0}\n",
                 40, 0, e_variable);
}

/* --- lanes: 40 in waves of 32 and 8 --- */

static uint64_t wave_lanes(uint32_t lane)
{
    return lane < 32 ? 0xffffffff : 0xff;
}

static uint64_t odd_lanes(uint32_t lane)
{
    return wave_lanes(lane) & 0xaaaaaaaa;
}

static uint64_t e_elect(uint32_t lane)
{
    return lane % 32 == 0;
}

static uint64_t e_first(uint32_t lane)
{
    return lane / 32 * 32;
}

static uint64_t e_inclusive(uint32_t lane)
{
    uint64_t sum = 0;
    for (uint32_t i = lane / 32 * 32; i <= lane; i++)
        sum += i;
    return sum;
}

static uint64_t e_exclusive(uint32_t lane)
{
    return e_inclusive(lane) - lane;
}

static uint64_t e_reduce(uint32_t lane)
{
    return e_inclusive(lane < 32 ? 31 : 39);
}

static uint64_t e_cluster(uint32_t lane)
{
    return lane / 4 * 4 + 3;
}

static uint64_t e_xor(uint32_t lane)
{
    return lane ^ 1;
}

static uint64_t e_rotate(uint32_t lane)
{
    return lane / 4 * 4 + (lane + 1) % 4;
}

static uint64_t e_diagonal(uint32_t lane)
{
    return lane ^ 3;
}

static uint64_t e_quad(uint32_t lane)
{
    return lane / 4 * 4 + 1;
}

static uint64_t e_mbcnt(uint32_t lane)
{
    return lane % 32 / 2 + 1;
}

static uint64_t e_one(uint32_t lane)
{
    (void)lane;
    return 1;
}

static uint64_t e_zero(uint32_t lane)
{
    (void)lane;
    return 0;
}

/* %4: the lane is odd; %5: its operation's result; the result is written with 64 or 32 bits as it is. */
static const struct {
    const char *line;
    expectation expected;
} lane_cases[] = {
    {"%5:64 = ballot %4\n", odd_lanes},
    {"%5:64 = active_mask\n", wave_lanes},
    {"%6:1 = elect\n  %5:32 = b2i %6\n", e_elect},
    {"%6:64 = ballot %4\n  %7:1 = inverse_ballot %6\n  %8:1 = ieq %7, %4\n  %5:32 = b2i %8\n", e_one},
    {"%6:1 = vote_all %4\n  %5:32 = b2i %6\n", e_zero},
    {"%6:1 = vote_any %4\n  %5:32 = b2i %6\n", e_one},
    {"%6:1 = vote_eq %2\n  %5:32 = b2i %6\n", e_zero},
    {"%6:1 = vote_eq %3\n  %5:32 = b2i %6\n", e_one},
    {"%5:32 = read_first %2\n", e_first},
    {"%5:32 = read_lane %2, %0\n", e_first},
    {"%5:32 = scan_inclusive %2 {reduction iadd}\n", e_inclusive},
    {"%5:32 = scan_exclusive %2 {reduction iadd}\n", e_exclusive},
    {"%5:32 = reduce %2 {reduction iadd}\n", e_reduce},
    {"%5:32 = reduce %2 {reduction umax, cluster 4}\n", e_cluster},
    {"%5:32 = shuffle_xor %2, %1\n", e_xor},
    {"%6:32 = load_sysval {sysval subgroup_lane}\n  %7:32 = ixor %6, %1\n  %5:32 = shuffle %2, %7\n", e_xor},
    {"%5:32 = rotate %2, %1 {cluster 4}\n", e_rotate},
    {"%5:32 = quad_swap %2 {direction 2}\n", e_diagonal},
    {"%5:32 = quad_swap %2 {direction 0}\n", e_xor},
    {"%5:32 = quad_read %2, %1\n", e_quad},
    {"%6:64 = ballot %4\n  %5:32 = mbcnt %6, %1\n", e_mbcnt},
};

static void lanes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(lane_cases); i++) {
        char text[1024];
        snprintf(text, sizeof(text), "%s  %s  store_output %%5, %%0 {location var0}\n",
                 HEAD START "  %9:32 = iand %2, %1\n  %4:1 = ine %9, %0\n", lane_cases[i].line);
        assert_lanes(text, 40, 0, lane_cases[i].expected);
    }
}

static uint64_t e_divergent_ballot(uint32_t lane)
{
    return lane % 2 ? odd_lanes(lane) : wave_lanes(lane) & 0x55555555;
}

/* The operation sees the lanes that are there with it. */
static void lanes_in_branches(void **state)
{
    (void)state;
    assert_lanes(HEAD START "  %4:32 = iand %2, %1\n  %5:1 = ine %4, %0\nif %5 {\n b1:\n  %6:64 = active_mask\n} else "
                            "{\n b2:\n  %7:64 = active_mask\n}\n"
                            "b3:\n  %8:64 = phi b1 %6, b2 %7\n  store_output %8, %0 {location var0}\n",
                 40, 0, e_divergent_ballot);
}

static void what_an_inactive_lane_holds_is_undefined(void **state)
{
    (void)state;
    struct ir_interpret_options options = {.wave_size = 32};
    struct ir_interpret_result result =
        run_with(HEAD START "  %4:32 = iand %2, %1\n  %5:1 = ine %4, %0\nif %5 {\n b1:\n  %6:32 = shuffle_xor %2, %1\n "
                            " store_output %6, %0 {location var0}\n} else {\n b2:\n}\nb3:\n",
                 &options);
    assert_true(result.used_undef);
    ir_interpret_finish(&result);
}

static void derivatives(void **state)
{
    (void)state;
    struct ir_interpret_options options = {.wave_size = 32};
    struct ir_interpret_result result =
        run_with("shader fragment\nb0:\n  %0:32 = const 0\n  %1:32x4 = load_sysval {sysval frag_coord}\n  %2:32 = "
                 "extract %1\n  %3:32 = extract %1 {comp 1}\n"
                 "  %4:32 = fmul %2, %3\n  %5:32 = fddx %4 {derivative fine}\n  %6:32 = fddx %4 {derivative coarse}\n  "
                 "%7:32 = fddy %2 {derivative any}\n"
                 "  %8:32x3 = vec %5, %6, %7\n  store_output %8, %0 {location var0}\n",
                 &options);
    /* x * y at rows 0.5 and 1.5: its step in x is y. */
    for (uint32_t lane = 0; lane < 32; lane++) {
        assert_int_equal(output(&result, lane, 0), lane % 4 < 2 ? 0x3f000000 : 0x3fc00000);
        assert_int_equal(output(&result, lane, 1), 0x3f000000);
        assert_int_equal(output(&result, lane, 2), 0);
    }
    ir_interpret_finish(&result);
}

/* --- memory --- */

static void buffers_of_the_caller(void **state)
{
    (void)state;
    uint32_t data[16] = {0}, expected[16] = {0}, global[4] = {100, 101, 102, 103};
    const struct ir_interpret_buffer buffers[] = {
        {.set = 1, .binding = 2, .data = data, .size_B = sizeof(data)},
        {.is_global = true, .address = 0x100000000, .data = global, .size_B = sizeof(global)},
    };
    struct ir_interpret_options options = {.wave_size = 32, .buffers = buffers, .num_buffers = 2};
    struct ir_interpret_result result = run_with(
        HEAD START
        "  %4:32 = resource %0 {set 1, binding 2, resource storage_buffer}\n  %5:32 = const 2\n  %6:32 = ishl %2, %5\n"
        "  store_ssbo %2, %4, %6 {base 8, align 4}\n  %7:32 = atomic_ssbo %4, %0, %1 {atomic iadd}\n  %8:32 = "
        "ssbo_size %4\n  %9:64 = const 0x100000004\n"
        "  %10:32x2 = load_global %9 {base 4, align 4}\n  %11:32 = extract %10\n  %12:32 = extract %10 {comp 1}\n  "
        "%13:32 = load_ssbo %4, %6 {base 60, align 4}\n"
        "  %14:32x5 = vec %7, %8, %11, %12, %13\n  store_output %14, %0 {location var0}\n",
        &options);
    for (uint32_t i = 0; i < 14; i++)
        expected[i + 2] = i;
    expected[0] = 40;
    assert_memory_equal(data, expected, sizeof(data)); /* what lies beyond the buffer is dropped */
    for (uint32_t lane = 0; lane < 40; lane++) {
        assert_int_equal(output(&result, lane, 0), lane); /* lanes take turns in order */
        assert_int_equal(output(&result, lane, 1), 64);
        assert_int_equal(output(&result, lane, 2), 102);
        assert_int_equal(output(&result, lane, 3), 103);
        assert_int_equal(output(&result, lane, 4), lane == 0 ? 13 : 0);
    }
    assert_int_equal(result.misaligned, 0);
    ir_interpret_finish(&result);
}

static const char made_up[] = HEAD START
    "  %4:32 = resource %0 {set 0, binding 7, resource storage_buffer}\n"
    "  %5:32 = const 2\n  %6:32 = ishl %2, %5\n  %7:32 = load_ssbo %4, %6 {align 4}\n"
    "  %8:8 = u2u %2\n  store_ssbo %8, %4, %6 {base 1, align 4, align_offset 1}\n  %9:32 = load_ssbo %4, %6 {align 4}\n"
    "  %10:32x2 = vec %7, %9\n  store_output %10, %0 {location var0}\n";

static void made_up_memory_is_kept(void **state)
{
    (void)state;
    struct ir_interpret_options options = {.seed = 5};
    struct ir_interpret_result first = run_with(made_up, &options), second = run_with(made_up, &options);
    options.seed = 6;
    struct ir_interpret_result other = run_with(made_up, &options);
    for (uint32_t lane = 0; lane < 40; lane++)
        assert_int_equal(output(&first, lane, 1), (output(&first, lane, 0) & ~0xff00u) | lane << 8);
    assert_true(first.digest == second.digest);
    assert_true(first.digest != other.digest);
    ir_interpret_finish(&first);
    ir_interpret_finish(&second);
    ir_interpret_finish(&other);
}

static void images_are_kept(void **state)
{
    (void)state;
    struct ir_interpret_options options = {.wave_size = 32};
    struct ir_interpret_result result =
        run_with(HEAD START "  %4:32 = resource %0 {binding 3, resource storage_image}\n  %5:32x2 = vec %2, %1\n  "
                            "store_image %2, %4, %5, %0 {dim 2d, format 98}\n"
                            "  %6:32 = atomic_image %4, %5, %3 {atomic iadd, dim 2d, format 98}\n  %7:32 = load_image "
                            "%4, %5, %0 {dim 2d, format 98}\n"
                            "  %8:32x2 = vec %6, %7\n  store_output %8, %0 {location var0}\n",
                 &options);
    for (uint32_t lane = 0; lane < 40; lane++) {
        assert_int_equal(output(&result, lane, 0), lane);
        assert_int_equal(output(&result, lane, 1), lane + 3);
    }
    ir_interpret_finish(&result);
}

static void broken_alignment_is_counted(void **state)
{
    (void)state;
    struct ir_interpret_options options = {.wave_size = 32};
    struct ir_interpret_result result =
        run_with(HEAD START
                 "  %4:32 = load_shared %2 {base 5, align 4, align_offset 1}\n  store_output %4, %0 {location var0}\n",
                 &options);
    assert_int_equal(result.misaligned, 30); /* of 40 lanes at bytes side by side, one in four keeps it */
    ir_interpret_finish(&result);
}

/* --- helpers, undefined values, bounds --- */

static void demoted_lanes_write_nothing(void **state)
{
    (void)state;
    struct ir_interpret_options options = {.wave_size = 32};
    struct ir_interpret_result result =
        run_with("shader fragment\nshared_size_B 4\nb0:\n  %0:32 = const 0\n  %1:32 = load_sysval {sysval "
                 "subgroup_lane}\n  %2:32 = const 4\n  %3:1 = ult %1, %2\n"
                 "  demote %3\n  %4:32 = atomic_shared %0, %2 {atomic iadd}\n  %5:32 = load_shared %0 {align 4}\n  "
                 "%6:1 = load_sysval {sysval helper_invocation}\n"
                 "  %7:32 = b2i %6\n  %8:32x2 = vec %5, %7\n  store_output %8, %0 {location var0}\n",
                 &options);
    assert_false(result.used_undef);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (lane < 4) {
            assert_null(ir_interpret_find_output(&result, lane, OUT, 0));
            continue;
        }
        assert_int_equal(output(&result, lane, 0), 28 * 4);
        assert_int_equal(output(&result, lane, 1), 0);
    }
    ir_interpret_finish(&result);
}

static bool uses_undef(const char *lines)
{
    char text[1024];
    snprintf(text, sizeof(text), "%s  %s", HEAD START "  %4:32 = undef\n  %5:1 = undef\n  %6:1 = const 0\n", lines);
    struct ir_interpret_options options = {0};
    struct ir_interpret_result result = run_with(text, &options);
    bool used = result.used_undef;
    ir_interpret_finish(&result);
    return used;
}

static void undefined_values_are_followed(void **state)
{
    (void)state;
    assert_true(uses_undef("store_output %4, %0 {location var0}\n"));
    assert_true(uses_undef("%7:32 = iadd %4, %1\n  store_shared %7, %0 {align 1}\n"));
    assert_true(uses_undef("if %5 {\nb1:\n} else {\nb2:\n}\nb3:\n"));
    assert_true(uses_undef("%7:32 = load_shared %4 {align 1}\n"));
    assert_true(uses_undef("%7:32 = select %5, %1, %0\n  store_output %7, %0 {location var0}\n"));
    assert_false(uses_undef("%7:32 = select %6, %4, %1\n  store_output %7, %0 {location var0}\n"));
    assert_false(uses_undef("%7:1 = iand %6, %5\n  if %7 {\nb1:\n} else {\nb2:\n}\nb3:\n"));
    assert_false(uses_undef("%7:32 = iadd %4, %1\n"));
    assert_true(uses_undef("%7:64 = shader_clock {scope device}\n  store_output %7, %0 {location var0}\n"));
}

static void endless_loops_are_left(void **state)
{
    (void)state;
    struct ir_interpret_options options = {.max_steps = 1000};
    struct ir_interpret_result result = run_with(HEAD START "loop {\nb1:\n} continue {\nb2:\n}\nb3:\n", &options);
    assert_true(result.too_long);
    ir_interpret_finish(&result);
}

static bool give_input(void *data, const struct ir_instr *instr, uint32_t lane, uint32_t comp,
                       const uint64_t *const *srcs, uint64_t *out)
{
    if (instr->op != IR_OP_load_input)
        return false;
    *out = lane * 100 + comp * 10 + srcs[0][0] + *(uint32_t *)data;
    return true;
}

static void the_caller_answers_first(void **state)
{
    (void)state;
    uint32_t more = 3;
    struct ir_interpret_options options = {.wave_size = 4, .source = give_input, .source_data = &more};
    struct ir_interpret_result result =
        run_with("shader vertex\nb0:\n  %0:32 = const 0\n  %1:32 = const 1\n  %2:32x2 = load_input %1 {location "
                 "var0}\n  store_output %2, %0 {location var0}\n",
                 &options);
    assert_int_equal(output(&result, 2, 1), 200 + 10 + 1 + 3);
    ir_interpret_finish(&result);
}

/* --- nothing is unknown but rays, which a machine has to lower: every operation of the table runs at every width
 * --- */

static void op_runs(enum ir_op op, uint8_t n, uint8_t m)
{
    for (int extreme = 0; extreme < 2; extreme++) {
        struct ir_shader *shader = ir_shader_create(IR_STAGE_fragment);
        shader->shared_size_B = shader->scratch_size_B = 64;
        struct ir_builder b = ir_builder_at_body_end(shader);
        struct ir_instr *instr = any_instr(&b, op, n, m, extreme);
        if (ir_has_imm(
                instr,
                IR_IMM_ATOMIC)) /* the last of the list, cmpxchg among them, are for integers or have an operation */
            ir_set_imm(instr, IR_IMM_ATOMIC, extreme ? IR_ATOMIC_fmax : IR_ATOMIC_fadd);
        if (ir_has_imm(instr, IR_IMM_REDUCTION)) /* floats have no 1 and 8 bits */
            ir_set_imm(instr, IR_IMM_REDUCTION, n >= 16 && extreme ? IR_REDUCTION_fmax : IR_REDUCTION_ixor);
        if (ir_has_imm(instr, IR_IMM_IS_FLOAT))
            ir_set_imm(instr, IR_IMM_IS_FLOAT, n >= 16);
        assert_null(ir_validate(shader));
        struct ir_interpret_result result;
        const bool runs = ir_interpret(shader, &(struct ir_interpret_options){.wave_size = 8}, &result);
        if (ir_needs_rays(instr))
            assert_true(!runs && strstr(result.error, "rays run where they are lowered"));
        else if (!runs)
            fail_msg("%s of %u and %u bits: %s", ir_info(instr)->name, n, m, result.error);
        ir_interpret_finish(&result);
        ir_shader_destroy(shader);
    }
}

static void every_operation_runs(void **state)
{
    (void)state;
    foreach_op_width(op_runs);
}

/* --- comparison --- */

#define COMPARED(lines)                                                                                                \
    HEAD START "  %4:32 = const 2\n  %6:32 = undef\n" lines "  store_output %5, %0 {location var0}\n"

static enum ir_verdict compare_shaders(const char *a, const char *b)
{
    struct ir_shader *before = parsed(a), *after = parsed(b);
    char reason[256];
    struct ir_interpret_options options = {.seed = 1};
    enum ir_verdict verdict = ir_interpret_compare(before, after, &options, reason);
    assert_true((verdict == IR_SAME) == (reason[0] == '\0'));
    ir_shader_destroy(before);
    ir_shader_destroy(after);
    return verdict;
}

static void two_shaders_are_compared(void **state)
{
    (void)state;
    const char *doubled = COMPARED("  %5:32 = imul %2, %4\n"), *added = COMPARED("  %5:32 = iadd %2, %2\n");
    const char *shifted = COMPARED("  %5:32 = ishl %2, %4\n"), *undefined = COMPARED("  %5:32 = iadd %6, %2\n");
    assert_int_equal(compare_shaders(doubled, added), IR_SAME);
    assert_int_equal(compare_shaders(doubled, shifted), IR_DIFFERENT);
    assert_int_equal(compare_shaders(undefined, doubled), IR_UNDECIDED);
    assert_int_equal(compare_shaders(doubled, undefined), IR_DIFFERENT);
}

#define NAN_LINES                                                                                                      \
    "  %10:32 = const 0x7f800000\n  %11:32 = const 0xff800000\n  %12:32 = fadd %10, %11\n  %13:32 = const "            \
    "0xffc00001\n"

/* Which NaN arithmetic makes is not said; what is made of its bits is anything; a float comparison does not care. */
static void one_nan_is_as_good_as_another(void **state)
{
    (void)state;
    const char *made = COMPARED(NAN_LINES "  %5:32 = fneg %12\n"), *other = COMPARED(NAN_LINES "  %5:32 = ineg %13\n"),
               *constant = COMPARED(NAN_LINES "  %5:32 = iadd %13, %0\n"),
               *number = COMPARED(NAN_LINES "  %5:32 = fadd %10, %10\n");
    assert_int_equal(compare_shaders(made, constant), IR_SAME);
    assert_int_equal(compare_shaders(made, number), IR_DIFFERENT);
    assert_int_equal(compare_shaders(constant, made),
                     IR_DIFFERENT); /* a NaN that the program wrote down stays as it is */
    assert_int_equal(compare_shaders(made, other), IR_DIFFERENT);
    const char *bits = COMPARED(NAN_LINES "  %5:32 = iadd %12, %1\n"),
               *bits_too = COMPARED(NAN_LINES "  %5:32 = iadd %13, %1\n");
    assert_int_equal(compare_shaders(bits, bits_too), IR_SAME);
    const char *ordered = COMPARED(NAN_LINES "  %14:1 = ford %12, %12\n  %5:32 = b2i %14\n"),
               *zero = COMPARED("  %5:32 = iadd %0, %0\n"), *one = COMPARED("  %5:32 = iadd %0, %1\n");
    assert_int_equal(compare_shaders(ordered, zero), IR_SAME);
    assert_int_equal(compare_shaders(ordered, one), IR_DIFFERENT);
    const char *stored = COMPARED(NAN_LINES "  store_shared %12, %0 {align 4}\n  %5:32 = load_shared %0 {align 4}\n");
    assert_int_equal(compare_shaders(stored, stored), IR_SAME);
    assert_int_equal(compare_shaders(stored, constant), IR_UNDECIDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(divergent_branches),
        cmocka_unit_test(divergent_loop),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(variables),
        cmocka_unit_test(lanes),
        cmocka_unit_test(lanes_in_branches),
        cmocka_unit_test(what_an_inactive_lane_holds_is_undefined),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(buffers_of_the_caller),
        cmocka_unit_test(made_up_memory_is_kept),
        cmocka_unit_test(images_are_kept),
        cmocka_unit_test(broken_alignment_is_counted),
        cmocka_unit_test(demoted_lanes_write_nothing),
        cmocka_unit_test(undefined_values_are_followed),
        cmocka_unit_test(endless_loops_are_left),
        cmocka_unit_test(the_caller_answers_first),
        cmocka_unit_test(every_operation_runs),
        cmocka_unit_test(two_shaders_are_compared),
        cmocka_unit_test(one_nan_is_as_good_as_another),
    };
    return cmocka_run_group_tests_name("compiler_ir interpret", tests, NULL, NULL);
}
