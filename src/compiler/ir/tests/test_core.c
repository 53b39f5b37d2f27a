/* The IR itself: building, uses, surgery on control flow, dominance, copies. Random shaders are the material where one
 * is not enough. */
#include "ir_test.h"

#include "compiler/ir/ir_interpret.h"

#include "random_shader.h"

static void assert_valid(struct ir_shader *shader, const char *when)
{
    const char *wrong = ir_validate(shader);
    if (wrong)
        fail_msg("%s: %s in:\n%s", when, wrong, printed(shader));
}

static void assert_text(struct ir_shader *shader, const char *expected)
{
    char *text = printed(shader);
    assert_string_equal(text, expected);
    free(text);
}

/* --- building --- */

static void cursor_and_constants(void **state)
{
    (void)state;
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *one = ir_const_f(&b, 16, 1), *sum = ir_fadd(&b, one, one);
    struct ir_builder before = ir_builder_before(shader, ir_def_instr(sum)),
                      after = ir_builder_after(shader, ir_def_instr(one));
    ir_const(&before, 8, 0x1ff);
    ir_const(&before, 1, 3);
    ir_const(&after, 64, UINT64_MAX);
    assert_text(shader,
                "shader compute\nb0:\n    %0:16 = const 0x3c00 ; 1\n    %1:8 = const 0xff\n    %2:1 = const 0x1\n"
                "    %3:64 = const 0xffffffffffffffff\n    %4:16 = fadd %0, %0\n");
    assert_int_equal(ir_const_i64(ir_const(&b, 8, 0x80)), -128);
    assert_true(ir_const_f64(one) == 1);
    ir_shader_destroy(shader);
}

static void vectors_are_looked_through(void **state)
{
    (void)state;
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *x = ir_const(&b, 32, 1), *y = ir_const(&b, 32, 2),
                    *pair = ir_vec(&b, 2, (struct ir_value *[]){x, y});
    assert_ptr_equal(ir_extract(&b, pair, 1), y);
    assert_ptr_equal(ir_vec(&b, 1, &x), x);
    assert_ptr_equal(ir_extract(&b, x, 0), x);
    assert_null(ir_component(ir_undef(&b, 32, 2), 0));
    struct ir_failure failure = {0};
    if (ir_guard(shader, &failure) == 0) {
        ir_extract(&b, pair, 2);
        fail();
    }
    assert_non_null(strstr(failure.text, "component 2"));
    ir_shader_destroy(shader);
}

static void uses_follow(void **state)
{
    (void)state;
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *one = ir_const(&b, 32, 1), *two = ir_const(&b, 32, 2), *sum = ir_iadd(&b, one, one),
                    *bit = ir_ult(&b, one, two);
    struct ir_if *branch = ir_builder_push_if(&b, bit);
    ir_builder_pop_if(&b);
    ir_replace_uses(one, two);
    assert_true(list_is_empty(&one->uses));
    assert_ptr_equal(ir_src(ir_def_instr(sum), 1), two);
    ir_remove(ir_def_instr(one));
    ir_replace_uses(bit, ir_true(&(struct ir_builder){shader, ir_def_instr(bit)->block, &ir_def_instr(bit)->link}));
    assert_true(ir_is_const(branch->condition.value));
    assert_valid(shader, "uses");
    ir_shader_destroy(shader);
}

/* Many sources: a phi's arrays grow and its uses stay in their lists. */
static void phis_grow_and_shrink(void **state)
{
    (void)state;
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *bit = ir_true(&b), *values[9];
    for (unsigned i = 0; i < 9; i++)
        values[i] = ir_const(&b, 32, i);
    ir_builder_push_loop(&b);
    struct ir_block *breaks[9];
    for (unsigned i = 0; i < 9; i++) {
        ir_builder_push_if(&b, bit);
        breaks[i] = b.block;
        ir_break(&b);
        ir_builder_pop_if(&b);
    }
    ir_builder_push_cont(&b);
    ir_builder_pop_loop(&b);
    struct ir_instr *phi = ir_def_instr(ir_phi(&b, 32, 1));
    for (unsigned i = 0; i < 9; i++)
        ir_phi_add(shader, phi, breaks[i], values[i]);
    assert_valid(shader, "nine breaks");
    ir_remove_node(ir_node_next(&ir_region_first(&ir_node_loop(ir_node_prev(&b.block->node))->body)->node));
    assert_int_equal(phi->num_srcs, 8);
    assert_null(ir_phi_source(phi, breaks[0]));
    assert_ptr_equal(ir_phi_source(phi, breaks[8]), values[8]);
    assert_valid(shader, "eight breaks");
    ir_shader_destroy(shader);
}

/* --- surgery --- */

static const char diamond[] = "shader compute\nb0:\n  %0:1 = const 1\n  %1:32 = const 5\n  %2:32 = iadd %1, %1\nif %0 "
                              "{\nb1:\n  %3:32 = ineg %1\n} else {\nb2:\n  %4:32 = inot %1\n}\n"
                              "b3:\n  %5:32 = phi b1 %3, b2 %4\n  %6:32 = iadd %5, %1\n  %7:32 = const 0\n  "
                              "store_output %6, %7 {location var0}\n";

/* An if put into the middle of each block: the phis after it follow. */
static void split_anywhere(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < 4; at++) {
        struct ir_shader *shader = parsed(diamond), *original = parsed(diamond);
        struct ir_value *condition = NULL;
        uint32_t index = 0;
        ir_foreach_block (shader, block) {
            ir_foreach_instr (block, instr)
                condition = condition ? condition : &instr->def;
            if (index++ != at)
                continue;
            struct ir_builder b = ir_builder_at_start(shader, block);
            if (at == 0)
                b = ir_builder_after(shader, ir_def_instr(condition));
            ir_builder_push_if(&b, condition);
            ir_builder_push_else(&b);
            ir_builder_pop_if(&b);
            break;
        }
        assert_valid(shader, "split");
        char reason[256];
        struct ir_interpret_options options = {0};
        assert_int_equal(ir_interpret_compare(original, shader, &options, reason), IR_SAME);
        ir_shader_destroy(shader);
        ir_shader_destroy(original);
    }
}

static struct ir_if *only_if(struct ir_shader *shader)
{
    return ir_node_if(ir_node_next(&ir_region_first(&shader->body)->node));
}

static void dissolved_if(void **state)
{
    (void)state;
    struct ir_shader *shader = parsed(diamond);
    struct ir_if *branch = only_if(shader);
    ir_dissolve_node(&branch->node, &branch->else_region);
    assert_text(shader, "shader compute\nb0:\n    %0:1 = const 0x1\n    %1:32 = const 0x5\n    %2:32 = iadd %1, %1\n   "
                        " %3:32 = inot %1\n    %4:32 = iadd %3, %1\n"
                        "    %5:32 = const 0x0\n    store_output %4, %5 {location var0}\n");
    assert_valid(shader, "dissolved");
    ir_shader_destroy(shader);
}

/* A branch that breaks takes the place of its if: what followed is gone. */
static void dissolved_break(void **state)
{
    (void)state;
    struct ir_shader *shader = parsed("shader compute\nb0:\n  %0:1 = const 1\n  %1:32 = const 5\nloop {\nb1:\nif %0 "
                                      "{\nb2:\n  break\n} else {\nb3:\n}\nb4:\n  %2:32 = ineg %1\n"
                                      "if %0 {\nb5:\n  break\n} else {\nb6:\n}\nb7:\n} continue {\nb8:\n}\nb9:\n  "
                                      "%3:32 = phi b2 %1, b5 %2\n  %4:32 = inot %3\n");
    struct ir_loop *loop = ir_node_loop(ir_node_next(&ir_region_first(&shader->body)->node));
    struct ir_if *branch = ir_node_if(ir_node_next(&ir_region_first(&loop->body)->node));
    ir_dissolve_node(&branch->node, &branch->then_region);
    assert_valid(shader, "dissolved");
    assert_text(shader, "shader compute\nb0:\n    %0:1 = const 0x1\n    %1:32 = const 0x5\nloop {\n    b1:\n        "
                        "break\n} continue {\n    b2:\n}\nb3:\n"
                        "    %2:32 = phi b1 %1\n    %3:32 = inot %2\n");
    ir_shader_destroy(shader);
}

static void removed_if(void **state)
{
    (void)state;
    struct ir_shader *shader =
        parsed("shader compute\nb0:\n  %0:1 = const 1\n  %1:32 = const 5\nif %0 {\nb1:\nif %0 {\nb2:\n  %2:32 = ineg "
               "%1\n} else {\nb3:\n}\nb4:\n} else {\nb5:\n}\n"
               "b6:\n  %3:32 = phi b4 %1, b5 %1\n  %4:32 = inot %1\nif %0 {\nb7:\n} else {\nb8:\n}\nb9:\n");
    ir_remove_node(&only_if(shader)->node);
    assert_valid(shader, "removed");
    assert_text(shader, "shader compute\nb0:\n    %0:1 = const 0x1\n    %1:32 = const 0x5\n    %2:32 = inot %1\nif %0 "
                        "{\n    b1:\n} else {\n    b2:\n}\nb3:\n");
    ir_shader_destroy(shader);
}

/* The body of a loop taken out once before it, as peeling does. */
static void cloned_region(void **state)
{
    (void)state;
    struct ir_shader *shader = parsed(diamond);
    struct ir_if *branch = only_if(shader);
    struct ir_value **map = ir_alloc_scratch(shader, shader->num_values * sizeof(*map));
    ir_clone_region(shader, &branch->then_region, &branch->else_region, map);
    assert_valid(shader, "cloned");
    assert_text(shader, "shader compute\nb0:\n    %0:1 = const 0x1\n    %1:32 = const 0x5\n    %2:32 = iadd %1, %1\nif "
                        "%0 {\n    b1:\n        %3:32 = ineg %1\n} else {\n    b2:\n"
                        "        %4:32 = inot %1\n        %5:32 = ineg %1\n}\nb3:\n    %6:32 = phi b1 %3, b2 %4\n    "
                        "%7:32 = iadd %6, %1\n    %8:32 = const 0x0\n"
                        "    store_output %7, %8 {location var0}\n");
    ir_shader_destroy(shader);
}

/* --- dominance, by asking whether a block can be reached without another --- */

static bool reaches_without(const struct ir_block *from, const struct ir_block *to, const struct ir_block *without,
                            bool *seen)
{
    if (from == without || seen[from->index])
        return false;
    seen[from->index] = true;
    if (from == to)
        return true;
    for (unsigned i = 0; i < 2; i++)
        if (from->succs[i] && reaches_without(from->succs[i], to, without, seen))
            return true;
    return false;
}

static void dominance(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct ir_shader *shader = random_shader(seed, &(struct random_options){.size = 150});
        ir_build_cfg(shader);
        const struct ir_block *entry = ir_region_first(&shader->body);
        ir_foreach_block (shader, a) {
            assert_int_equal(a->reachable, reaches_without(entry, a, NULL, (bool[1024]){0}));
            ir_foreach_block (shader, b) {
                bool expected = !b->reachable || !reaches_without(entry, b, a, (bool[1024]){0});
                if (a->reachable && ir_dominates(a, b) != expected)
                    fail_msg("seed %u: b%u and b%u", (unsigned)seed, a->index, b->index);
            }
            for (uint32_t i = 0; i < a->num_preds; i++)
                assert_true(a->preds[i]->succs[0] == a || a->preds[i]->succs[1] == a);
        }
        ir_shader_destroy(shader);
    }
}

/* --- random shaders keep the rules, survive text and copying, and do the same afterwards --- */

static void random_shaders(void **state)
{
    (void)state;
    unsigned loops = 0, branches = 0, undecided = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct random_options options = {
            .size = 20 + (uint32_t)seed * 2, .no_lanes = seed % 3 == 0, .no_floats = seed % 4 == 0};
        struct ir_shader *shader = random_shader(seed, &options);
        assert_non_null(shader);
        assert_valid(shader, "random");
        char *text = printed(shader), reason[256];
        struct ir_shader *again = parsed(text), *copy = ir_shader_clone(shader);
        assert_valid(copy, "copy");
        loops += strstr(text, "loop") != NULL;
        branches += strstr(text, "if %") != NULL;
        struct ir_interpret_options run = {.seed = seed};
        enum ir_verdict verdict = ir_interpret_compare(shader, again, &run, reason);
        undecided += verdict == IR_UNDECIDED;
        if (verdict != IR_SAME)
            fail_msg("seed %u: %s\n%s", (unsigned)seed, reason, text);
        assert_int_equal(ir_interpret_compare(again, copy, &run, reason), IR_SAME);
        free(text);
        ir_shader_destroy(shader);
        ir_shader_destroy(again);
        ir_shader_destroy(copy);
    }
    assert_true(loops > 40);
    assert_true(branches > 80);
    assert_int_equal(undecided, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cursor_and_constants), cmocka_unit_test(vectors_are_looked_through),
        cmocka_unit_test(uses_follow),          cmocka_unit_test(phis_grow_and_shrink),
        cmocka_unit_test(split_anywhere),       cmocka_unit_test(dissolved_if),
        cmocka_unit_test(dissolved_break),      cmocka_unit_test(removed_if),
        cmocka_unit_test(cloned_region),        cmocka_unit_test(dominance),
        cmocka_unit_test(random_shaders),
    };
    return cmocka_run_group_tests_name("compiler_ir core", tests, NULL, NULL);
}
