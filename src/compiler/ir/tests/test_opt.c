/* The passes, judged by the interpreter: a shader does the same before and after each pass alone and after all of them
 * together, over random shaders; and what each pass is for happens on small ones. */
#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"
#include "compiler/ir/tests/ir_test.h"
#include "compiler/ir/tests/random_shader.h"

static const struct {
    const char *name;
    ir_pass pass;
} passes[] = {
    {"vars_to_ssa", opt_vars_to_ssa}, {"fold", opt_fold},           {"algebraic", opt_algebraic},
    {"if_convert", opt_if_convert},   {"invariant", opt_invariant}, {"unroll", opt_unroll},
    {"address", opt_address},         {"vectorise", opt_vectorise}, {"vars_to_scratch", lower_vars_to_scratch},
    {"const_vars", opt_const_vars},   {"dead_code", opt_dead_code}, {"common", opt_common},
    {"dead_flow", opt_dead_flow},     {"pairs", opt_pairs},
};
enum {
    PASSES = sizeof(passes) / sizeof(passes[0])
};

/* Runs `count` passes from `first` on until nothing changes, or once. */
static void run_passes(struct ir_shader *shader, unsigned first, unsigned count, bool until_done)
{
    bool progress = true;
    for (unsigned turn = 0; progress && turn < 20; turn++) {
        progress = false;
        for (unsigned i = first; i < first + count; i++) {
            progress |= ir_run_pass(shader, passes[i].name, passes[i].pass, NULL);
            assert_null(ir_validate(shader));
        }
        if (!until_done)
            break;
    }
}

/* Every statement about random shaders says which seed failed and prints both forms. */
static bool same_after(uint64_t seed, const struct random_options *options, unsigned first, unsigned count)
{
    struct ir_shader *before = random_shader(seed, options);
    assert_non_null(before);
    struct ir_shader *after = ir_shader_clone(before);
    assert_non_null(after);
    struct ir_failure failure;
    if (ir_guard(after, &failure))
        fail_msg("seed %llu: %s", (unsigned long long)seed, failure.text);
    run_passes(after, first, count, count > 1);
    char reason[256];
    struct ir_interpret_options interpret = {.seed = seed};
    enum ir_verdict verdict = ir_interpret_compare(before, after, &interpret, reason);
    if (verdict == IR_DIFFERENT) {
        struct strbuf text = {0};
        ir_print(before, &text);
        strbuf_append(&text, "\n; after\n");
        ir_print(after, &text);
        fprintf(stderr, "%s\n", text.text);
        strbuf_finish(&text);
        fail_msg("seed %llu, passes %u to %u: %s", (unsigned long long)seed, first, first + count, reason);
    }
    ir_shader_destroy(before);
    ir_shader_destroy(after);
    return verdict == IR_SAME;
}

static void each_pass_keeps_what_a_shader_does(void **state)
{
    for (unsigned pass = 0; pass < PASSES; pass++) {
        unsigned decided = 0;
        for (uint64_t seed = 1; seed <= 60; seed++) {
            struct random_options options = {
                .size = 40 + seed * 3, .no_loops = seed % 3 == 0, .no_lanes = seed % 2, .exact = true};
            options.has_halves = passes[pass].pass == opt_pairs;
            decided += same_after(seed * 7919 + pass, &options, pass, 1);
        }
        assert_true(decided > 40); /* shaders that decide nothing test nothing */
    }
}

static void all_passes_together_keep_what_a_shader_does(void **state)
{
    unsigned decided = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random_options options = {
            .size = 30 + seed * 2, .no_loops = seed % 4 == 0, .no_lanes = seed % 2, .exact = true};
        options.has_halves = seed % 3 == 0;
        decided += same_after(seed + 100000, &options, 0, PASSES);
    }
    assert_true(decided > 100);
}

static void run_all(struct ir_shader *shader)
{
    struct ir_failure failure;
    if (ir_guard(shader, &failure))
        fail_msg("%s", failure.text);
    run_passes(shader, 0, PASSES, true);
}

/* Of a random shader, nothing that a pass is there to remove is left when all are done. */
static void nothing_is_left_to_do(void **state)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct ir_shader *shader = random_shader(seed, &(struct random_options){.size = 150});
        assert_non_null(shader);
        run_all(shader);
        ir_foreach_block (shader, block)
            ir_foreach_instr (block, instr) {
                if (instr->op == IR_OP_select)
                    assert_false(ir_is_const(ir_src(instr, 0)));
                if (instr->def.bits && !(ir_info(instr)->props & IR_PROP_EFFECT))
                    assert_false(list_is_empty(&instr->def.uses));
            }
        ir_shader_destroy(shader);
    }
}

static bool is_in_loop(const struct ir_instr *instr)
{
    return ir_enclosing_loop(&instr->block->node) != NULL;
}

/* for (i = 0;; i++) { a = *before; if (i >= count) break; b = *behind; sum += a + b + push[0] + push[count] }: what
 * follows the test may be read only by lanes that passed it, unless the read cannot fault. */
static void guarded_loads_stay_in_their_loop(void **state)
{
    static const char text[] =
        "shader compute\nworkgroup_size[0] 64\nworkgroup_size[1] 1\nworkgroup_size[2] 1\n"
        "b0:\n  %0:32 = const 0x0\n  %1:32 = const 0x1\n  %2:64 = const 0x1000\n  %3:64 = const 0x2000\n"
        "  %4:32 = load_push %0 {base 0, align 4}\n"
        "loop {\n b1:\n  %5:32 = phi b0 %0, b5 %15\n  %6:32 = phi b0 %0, b5 %14\n"
        "  %7:32 = load_global %2 {align 4}\n  %8:1 = uge %5, %4\n"
        " if %8 {\n b2:\n  break\n } else {\n b3:\n }\n b4:\n"
        "  %9:32 = load_global %3 {align 4}\n  %10:32 = load_push %0 {base 16, align 4}\n"
        "  %11:32 = load_push %4 {base 32, align 4}\n  %12:32 = iadd %7, %9\n  %13:32 = iadd %10, %11\n"
        "  %16:32 = iadd %12, %13\n  %14:32 = iadd %6, %16\n} continue {\n b5:\n  %15:32 = iadd %5, %1\n}\n"
        "b6:\n  store_output %6, %0 {location var0}\n";
    struct ir_shader *shader = parsed(text);
    assert_true(IR_PASS(shader, opt_invariant, NULL));
    assert_null(ir_validate(shader));
    unsigned seen = 0;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_global) {
                bool behind = ir_const_u64(ir_src(instr, 0)) == 0x2000;
                assert_int_equal(is_in_loop(instr), behind);
                seen++;
            } else if (instr->op == IR_OP_load_push) {
                assert_int_equal(is_in_loop(instr), ir_imm(instr, IR_IMM_BASE) == 32);
                seen++;
            }
        }
    assert_int_equal(seen, 5);
    ir_shader_destroy(shader);
}

/* Variable 0 is a table, also where a store is repeated; 1 gets two constants for one element, 2 a value that is none.
 */
static void tables_become_data(void **state)
{
    static const char text[] =
        "shader compute\nworkgroup_size[0] 64\nworkgroup_size[1] 1\nworkgroup_size[2] 1\n"
        "var v0 32 x 3\nvar v1 16 x 4\nvar v2 32 x 4\n"
        "b0:\n  %0:32 = const 0x0\n  %1:32 = const 0x1\n  %2:32 = const 0x2\n  %3:32 = load_sysval {sysval "
        "local_index}\n"
        "  %4:16 = const 0x7\n  %5:16 = const 0x8\n  %6:32x2 = vec %2, %1\n"
        "  store_var %6, %0 {var v0}\n  store_var %2, %0 {var v0}\n  store_var %0, %2 {var v0}\n"
        "  store_var %4, %0 {var v1}\n  store_var %5, %0 {var v1}\n  store_var %3, %1 {var v2}\n"
        "  %7:32 = load_var %3 {var v0}\n  %8:16 = load_var %3 {var v1}\n  %9:32 = load_var %3 {var v2}\n"
        "  store_output %7, %0 {location var0}\n  store_output %8, %0 {location var1}\n"
        "  store_output %9, %0 {location var2}\n";
    static const uint32_t table[3] = {2, 1, 0};
    struct ir_shader *shader = parsed(text);
    assert_true(IR_PASS(shader, opt_const_vars, NULL));
    assert_null(ir_validate(shader));
    assert_int_equal(shader->const_data_size_B, sizeof(table));
    assert_memory_equal(shader->const_data, table, sizeof(table));
    unsigned loads = 0, stores = 0;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            loads += instr->op == IR_OP_load_var;
            stores += instr->op == IR_OP_store_var;
            if (instr->op == IR_OP_load_const_data) /* lanes beyond the table read its last element */
                assert_int_equal(ir_upper_bound(shader, ir_src(instr, 0)), 8);
        }
    assert_int_equal(loads, 2);
    assert_int_equal(stores, 3);
    assert_false(IR_PASS(shader, opt_const_vars, NULL));
    ir_shader_destroy(shader);
}

static __attribute__((noinline)) bool choose_elements(struct ir_shader *shader, const struct ir_target *target)
{
    struct ir_failure failure;
    if (ir_guard(shader, &failure))
        fail_msg("%s", failure.text);
    shader->target = target;
    const bool is_chosen = IR_PASS(shader, opt_small_vars, NULL);
    IR_PASS(shader, opt_vars_to_ssa, NULL);
    IR_PASS(shader, opt_dead_code, NULL);
    return is_chosen;
}

/* Elements of the generator's arrays are chosen: no array is left, and the shader does what it did. */
static void small_arrays_become_values(void **state)
{
    struct ir_target target = ir_target_generic;
    unsigned chosen = 0;
    target.chosen_elements = 4;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct ir_shader *before = random_shader(seed, &(struct random_options){.size = 120, .exact = true});
        struct ir_shader *after = before ? ir_shader_clone(before) : NULL;
        assert_non_null(after);
        chosen += choose_elements(after, &target);
        ir_foreach_block (after, block)
            ir_foreach_instr (block, instr)
                assert_false(instr->op == IR_OP_load_var || instr->op == IR_OP_store_var);
        char reason[256];
        if (ir_interpret_compare(before, after, &(struct ir_interpret_options){.seed = seed}, reason) == IR_DIFFERENT)
            fail_msg("seed %llu: %s", (unsigned long long)seed, reason);
        ir_shader_destroy(before);
        ir_shader_destroy(after);
    }
    assert_true(chosen > 20);
}

/* (a.x * b.x + c, a.y * b.y + c) carried around a loop as two values: one pair, all of it. */
static void halves_become_pairs(void **state)
{
    static const char text[] =
        "shader compute\nworkgroup_size[0] 64\nworkgroup_size[1] 1\nworkgroup_size[2] 1\n"
        "b0:\n  %0:32 = const 0x0\n  %1:32 = const 0x1\n  %2:32 = const 0x4\n  %3:16 = const 0x3c00\n"
        "  %4:32 = load_push %0 {base 0, align 4}\n  %5:16x2 = bits_vec %4\n  %6:16 = extract %5 {comp 0}\n"
        "  %7:16 = extract %5 {comp 1}\n"
        "loop {\n b1:\n  %8:32 = phi b0 %0, b5 %17\n  %9:16 = phi b0 %3, b5 %13\n  %10:16 = phi b0 %3, b5 %15\n"
        "  %11:1 = uge %8, %2\n if %11 {\n b2:\n  break\n } else {\n b3:\n }\n b4:\n"
        "  %12:16 = fmul %9, %6\n  %13:16 = fadd %12, %3\n  %14:16 = fmul %7, %10\n  %15:16 = fadd %14, %3\n"
        "  %16:32 = pack32 %13, %15\n  store_shared %16, %0 {align 4}\n"
        "} continue {\n b5:\n  %17:32 = iadd %8, %1\n}\nb6:\n";
    struct ir_shader *shader = parsed(text);
    assert_true(IR_PASS(shader, opt_pairs, NULL));
    assert_null(ir_validate(shader));
    IR_PASS(shader, opt_fold, NULL);
    IR_PASS(shader, opt_dead_code, NULL);
    unsigned pairs = 0, phis = 0;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_fmul || instr->op == IR_OP_fadd) {
                assert_int_equal(instr->def.comps, 2);
                pairs++;
            }
            phis += instr->op == IR_OP_phi && instr->def.bits == 16;
            assert_false(instr->op == IR_OP_phi && instr->def.bits == 16 && instr->def.comps != 2);
        }
    }
    assert_int_equal(pairs, 2);
    assert_int_equal(phis, 1);
    assert_false(IR_PASS(shader, opt_pairs, NULL));
    ir_shader_destroy(shader);
}

/* Thirty turns and a long way through the body, which is gone `by_counter` in the last turn alone, or for all that is
 * known in each. */
static bool is_long_way_unrolled(bool by_counter)
{
    struct strbuf text = {0};
    strbuf_append(&text, "shader compute\nworkgroup_size[0] 64\nworkgroup_size[1] 1\nworkgroup_size[2] 1\n"
                         "b0:\n  %0:32 = const 0x0\n  %1:32 = const 0x1\n  %2:32 = const 0x1e\n  %3:32 = const 0x1d\n"
                         "  %4:32 = load_push %0 {base 0, align 4}\n"
                         "loop {\n b1:\n  %5:32 = phi b0 %0, b8 %9\n  %6:32 = phi b0 %0, b8 %10\n"
                         "  %7:1 = uge %5, %2\n if %7 {\n b2:\n  break\n } else {\n b3:\n }\n b4:\n");
    strbuf_printf(&text, "  %%8:1 = uge %s, %%3\n if %%8 {\n b5:\n  %%20:32 = iadd %%6, %%5\n",
                  by_counter ? "%5" : "%4");
    for (unsigned i = 21; i < 100; i++)
        strbuf_printf(&text, "  %%%u:32 = imul %%%u, %%%u\n", i, i - 1, i - 1);
    strbuf_append(&text, " } else {\n b6:\n }\n b7:\n  %10:32 = phi b5 %99, b6 %6\n} continue {\n"
                         " b8:\n  %9:32 = iadd %5, %1\n}\nb9:\n  store_shared %6, %0 {align 4}\n");
    struct ir_shader *shader = parsed(text.text);
    const bool is_unrolled = IR_PASS(shader, opt_unroll, NULL);
    assert_null(ir_validate(shader));
    ir_shader_destroy(shader);
    strbuf_finish(&text);
    return is_unrolled;
}

static void copies_have_no_ways_that_the_counter_bars(void **state)
{
    assert_true(is_long_way_unrolled(true));
    assert_false(is_long_way_unrolled(false));
}

/* Two sums around a loop, which are added at last: one operation a turn. */
static void sums_become_pairs(void **state)
{
    static const char text[] =
        "shader compute\nworkgroup_size[0] 64\nworkgroup_size[1] 1\nworkgroup_size[2] 1\n"
        "b0:\n  %0:32 = const 0x0\n  %1:32 = const 0x1\n  %2:32 = const 0x4\n  %3:16 = const 0x0\n"
        "  %4:32 = load_push %0 {base 0, align 4}\n"
        "loop {\n b1:\n  %5:32 = phi b0 %0, b5 %13\n  %6:16 = phi b0 %3, b5 %11\n  %7:16 = phi b0 %3, b5 %12\n"
        "  %8:1 = uge %5, %2\n if %8 {\n b2:\n  break\n } else {\n b3:\n }\n b4:\n"
        "  %9:16 = lo16 %4\n  %10:16 = hi16 %4\n  %11:16 = ffma %9, %9, %6\n  %12:16 = ffma %10, %10, %7\n"
        "} continue {\n b5:\n  %13:32 = iadd %5, %1\n}\nb6:\n  %14:16 = fadd %6, %7\n"
        "  store_shared %14, %0 {align 2}\n";
    struct ir_shader *shader = parsed(text);
    assert_true(IR_PASS(shader, opt_pairs, NULL));
    assert_null(ir_validate(shader));
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_ffma || (instr->op == IR_OP_phi && instr->def.bits == 16))
                assert_int_equal(instr->def.comps, 2);
        }
    }
    ir_shader_destroy(shader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pass_keeps_what_a_shader_does),
        cmocka_unit_test(all_passes_together_keep_what_a_shader_does),
        cmocka_unit_test(nothing_is_left_to_do),
        cmocka_unit_test(guarded_loads_stay_in_their_loop),
        cmocka_unit_test(tables_become_data),
        cmocka_unit_test(halves_become_pairs),
        cmocka_unit_test(sums_become_pairs),
        cmocka_unit_test(copies_have_no_ways_that_the_counter_bars),
        cmocka_unit_test(small_arrays_become_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
