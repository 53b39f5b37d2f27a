/* The validator refuses a shader that breaks a rule, one mutant for each, and says which. */
#include <sys/wait.h>
#include <unistd.h>

#include "ir_test.h"

#include "compiler/ir/ir_text.h"

static void assert_wrong(struct ir_shader *shader, const char *expected, const char *what)
{
    const char *wrong = ir_validate(shader);
    if (!wrong || !strstr(wrong, expected))
        fail_msg("%s gave '%s' instead of '%s'", what, wrong ? wrong : "nothing", expected);
}

/* --- rules that a text can break --- */

static const struct {
    const char *body, *expected;
} texts[] = {
    {"b0:\n  break\n", "a jump outside of a loop"},
    {"b0:\nloop {\nb1:\n  break\n  %0:32 = const 0\n} continue {\nb2:\n}\nb3:\n", "code stands after a jump"},
    {"b0:\n  %0:1 = const 0\nloop {\nb1:\n  break\n if %0 {\nb4:\n} else {\nb5:\n}\nb6:\n} continue {\nb2:\n}\nb3:\n",
     "the region goes on after the jump"},
    {"b0:\nloop {\nb1:\n} continue {\nb2:\n  continue\n}\nb3:\n", "a continue in the continue region"},
    {"b0:\n  %0:32 = const 0\n  %1:32 = phi\n", "a phi after other instructions"},
    {"b0:\n  %0:32 = const 0\nif %0 {\nb1:\n} else {\nb2:\n}\nb3:\n", "is not one bit"},
    {"b0:\n  %0:32 = const 0\nloop {\nb1:\n  break\n} continue {\nb2:\n  %1:32 = const 1\n}\nb3:\n",
     "nothing reaches b2, but it has instructions"},
    {"b0:\n  %0:1 = const 0\nloop {\nb1:\n} continue {\nb2:\n}\nb3:\nif %0 {\nb4:\n} else {\nb5:\n}\nb6:\n",
     "but the region goes on after it"},
    {"b0:\n  %0:32 = const 0\n  %1:1 = const 0\nif %1 {\nb1:\n} else {\nb2:\n}\nb3:\n  %2:32 = phi b1 %0\n",
     "1 sources for the 2 predecessors"},
    {"b0:\n  %0:32 = const 0\n  %1:1 = const 0\nif %1 {\nb1:\n} else {\nb2:\n}\nb3:\n  %2:32 = phi b1 %0, b0 %0\n",
     "no source for the predecessor b2"},
    {"b0:\n  %0:32 = const 0\n  %1:1 = const 0\nif %1 {\nb1:\n} else {\nb2:\n}\nb3:\n  %2:32 = phi b1 %0, b1 %0\n",
     "no source for the predecessor b2"},
    {"b0:\n  %1:1 = const 0\nif %1 {\nb1:\n  %2:32 = const 0\n} else {\nb2:\n}\nb3:\n  %3:32 = ineg %2\n",
     "does not dominate its use in b3"},
    {"b0:\n  %1:1 = const 0\nif %1 {\nb1:\n  %2:32 = const 0\n} else {\nb2:\n}\nb3:\n  %3:32 = phi b1 %2, b2 %2\n",
     "does not dominate the end of b2"},
    {"b0:\n  %1:1 = const 0\nif %1 {\nb1:\n  %2:1 = const 0\n} else {\nb2:\n}\nb3:\nif %2 {\nb4:\n} else "
     "{\nb5:\n}\nb6:\n",
     "does not dominate the if after b3"},
    {"b0:\n  %0:32 = const 0\n  %1:32 = iadd %0\n", "1 operands instead of 2"},
    {"b0:\n  %0:32 = const 0\n  %1:32 = ineg %0, %0\n", "2 operands instead of 1"},
    {"b0:\n  %0:32 = const 0\n  ineg %0\n", "a result is missing"},
    {"b0:\n  %0:32 = const 0\n  %1:1 = const 0\n  %2:32 = demote %1\n", "there is a result"},
    {"b0:\n  %0:8 = const 0\n  %1:8 = fneg %0\n", "8 bits are not allowed"},
    {"b0:\n  %0:32 = const 0\n  %1:16 = const 0\n  %2:32 = iadd %0, %1\n", "must be the same"},
    {"b0:\n  %0:32x3 = undef\n  %1:32 = ineg %0\n", "3 components are not allowed"},
    {"b0:\n  %0:32x2 = undef\n  %1:32x3 = undef\n  %2:32x2 = phi\n", "a phi after"},
    {"b0:\n  %0:1 = const 0\n  %1:32x2 = undef\n  %4:32x3 = undef\nif %0 {\nb1:\n} else {\nb2:\n}\nb3:\n  %3:32x2 = "
     "phi b1 %1, b2 %4\n",
     "components must be the same"},
    {"b0:\n  %0:16x2 = undef\n  %1:16 = undef\n  %2:16x2 = iadd %0, %1\n", "pairs of 16 bits alone"},
    {"b0:\n  %0:32x2 = undef\n  %1:32x2 = iadd %0, %0\n", "pairs of 16 bits alone"},
    {"b0:\n  %0:32 = const 0\n  %1:32 = load_var %0 {var v3}\n", "there is no variable v3"},
    {"b0:\n  %0:32 = const 0\n  %1:16 = load_var %0 {var v0}\n", "16 bits of a variable of 32"},
    {"b0:\n  %0:32 = const 0\n  %1:32 = load_shared %0 {align 3}\n", "no power of two"},
    {"b0:\n  %0:32 = const 0\n  %1:32 = load_shared %0\n", "no power of two"},
    {"b0:\n  %0:32 = const 0\n  %1:32 = load_shared %0 {align 4, align_offset 4}\n", "align_offset is not below"},
    {"b0:\n  %0:32 = const 0\n  %1:32 = rotate %0, %0 {cluster 3}\n", "the cluster 3 is no power of two"},
    {"b0:\n  %0:32 = const 0\n  %1:32 = load_input %0 {location var200}\n", "there is no location"},
    {"b0:\n  %0:32 = const 0\n  %1:1 = fclass %0 {mask 0x400}\n", "mask is 1024 and may be 1023"},
    {"b0:\n  %0:1 = const 0x2\n", "bits beyond its width"},
    {"b0:\n  %0:32 = const 0\n  %1:32x3 = vec %0, %0\n", "a vector of 3 from 2 values"},
    {"b0:\n  %0:32x2 = undef\n  %1:32 = extract %0 {comp 2}\n", "no component 2"},
    {"b0:\n  %0:32x2 = load_sysval {sysval frag_coord}\n", "the system value has 32 bits and 4 components"},
    {"b0:\n  %0:32 = undef\n  %1:32x4 = tex %0, %0, %0 {tex_kind sample, dim 2d, operands bias}\n",
     "not those of the mask"},
};

static void broken_texts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
        char text[1024], error[256];
        snprintf(text, sizeof(text), "shader compute\nvar v0 32 x 4\n%s", texts[i].body);
        struct ir_shader *shader = ir_parse_unchecked(text, error);
        if (!shader)
            fail_msg("%s in:\n%s", error, text);
        assert_wrong(shader, texts[i].expected, text);
        ir_shader_destroy(shader);
    }
}

/* --- rules that only a pointer can break --- */

static const char diamond[] = "shader compute\nb0:\n  %0:1 = const 1\n  %1:32 = const 5\n  %2:32 = iadd %1, %1\nif %0 "
                              "{\nb1:\n} else {\nb2:\n}\nb3:\n  %3:32 = phi b1 %1, b2 %2\n"
                              "  %4:32 = iadd %3, %1\n";

/* The parts of the diamond. */
struct parts {
    struct ir_shader *shader;
    struct ir_block *b0, *b3;
    struct ir_if *branch;
    struct ir_instr *one, *five, *add, *phi, *last;
};

static struct parts take_apart(void)
{
    struct parts p = {.shader = parsed(diamond)};
    p.b0 = ir_region_first(&p.shader->body);
    p.b3 = ir_region_last(&p.shader->body);
    p.branch = ir_node_if(ir_node_next(&p.b0->node));
    p.one = container_of(p.b0->instrs.next, struct ir_instr, link);
    p.five = container_of(p.one->link.next, struct ir_instr, link);
    p.add = container_of(p.five->link.next, struct ir_instr, link);
    p.phi = container_of(p.b3->instrs.next, struct ir_instr, link);
    p.last = container_of(p.phi->link.next, struct ir_instr, link);
    return p;
}

static void m_two_blocks(struct parts *p)
{
    ir_split_block(p->shader, p->b3, p->phi);
}

static void m_no_start(struct parts *p)
{
    list_remove(&p->b0->node.link);
}

static void m_no_end(struct parts *p)
{
    list_remove(&p->b3->node.link);
}

static void m_node_region(struct parts *p)
{
    p->b3->node.region = &p->branch->then_region;
}

static void m_region_owner(struct parts *p)
{
    p->branch->then_region.owner = NULL;
}

static void m_no_condition(struct parts *p)
{
    ir_use_set(&p->branch->condition, NULL);
}

static void m_condition_user(struct parts *p)
{
    p->branch->condition.node = NULL;
}

static void m_no_operation(struct parts *p)
{
    p->last->op = IR_OP_COUNT;
}

static void m_instr_block(struct parts *p)
{
    p->last->block = p->b0;
}

static void m_no_operand(struct parts *p)
{
    ir_use_set(&p->last->srcs[1], NULL);
}

static void m_operand_user(struct parts *p)
{
    p->last->srcs[1].instr = p->add;
}

static void m_removed_operand(struct parts *p)
{
    ir_remove(p->add);
}

static void m_stale_use(struct parts *p)
{
    list_remove(&p->last->link);
    p->last->block = NULL;
}

static void m_unlisted_use(struct parts *p)
{
    list_remove(&p->last->srcs[0].link);
}

static void m_foreign_use(struct parts *p)
{
    p->last->srcs[0].value = &p->five->def;
}

static void m_nobodys_use(struct parts *p)
{
    static struct ir_use use;
    use = (struct ir_use){.value = &p->five->def};
    list_push_back(&p->five->def.uses, &use.link);
}

static void m_broken_list(struct parts *p)
{
    p->five->def.uses.next->next->prev = &p->five->def.uses;
}

static void m_removed_condition(struct parts *p)
{
    ir_remove(p->one);
}

static void m_flag(struct parts *p)
{
    p->last->flags = 1u << 31;
}

static void m_order(struct parts *p)
{
    ir_move_to_end(p->five, p->b0);
}

static void m_enum_range(struct parts *p)
{
    struct ir_builder b = ir_builder_at_end(p->shader, p->b3);
    ir_reduce(&b, &p->last->def, 99, 0);
}

static void m_output_comps(struct parts *p)
{
    p->shader->outputs = ir_alloc(p->shader, sizeof(struct ir_io_var));
    p->shader->num_outputs = 1;
    p->shader->outputs[0].bits = 32;
}

static void m_input_bits(struct parts *p)
{
    p->shader->inputs = ir_alloc(p->shader, sizeof(struct ir_io_var));
    p->shader->num_inputs = 1;
    p->shader->inputs[0].num_comps = 4;
    p->shader->inputs[0].bits = 24;
}

static const struct {
    void (*mutate)(struct parts *);
    const char *expected;
} mutants[] = {
    {m_two_blocks, "two blocks stand side by side"},
    {m_no_start, "an if or loop stands where a block must"},
    {m_no_end, "does not end with a block"},
    {m_node_region, "a node does not know its region"},
    {m_region_owner, "a region does not know its if or loop"},
    {m_no_condition, "an if has no condition"},
    {m_condition_user, "not its own use"},
    {m_no_operation, "has no operation"},
    {m_instr_block, "believes to be elsewhere"},
    {m_no_operand, "operand 1 is missing"},
    {m_operand_user, "operand 1 is not this instruction's use"},
    {m_removed_operand, "was removed"},
    {m_stale_use, "belongs to no instruction"},
    {m_unlisted_use, "uses in lists"},
    {m_foreign_use, "a use in the list is of another value"},
    {m_nobodys_use, "a use in the list has no instruction"},
    {m_broken_list, "the list of uses is broken"},
    {m_removed_condition, "the condition of an if was removed"},
    {m_flag, "there is no flag"},
    {m_order, "does not dominate its use in b0"},
    {m_enum_range, "reduction is 99"},
    {m_output_comps, "output 0 has components"},
    {m_input_bits, "input 0 has 24 bits"},
};

static void broken_pointers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(mutants); i++) {
        struct parts parts = take_apart();
        assert_null(ir_validate(parts.shader));
        mutants[i].mutate(&parts);
        assert_wrong(parts.shader, mutants[i].expected, mutants[i].expected);
        ir_shader_destroy(parts.shader);
    }
}

/* --- every operand of every row: a width or count that the row does not have --- */

static unsigned wrong_shapes;

static void refuse_shape(struct ir_builder *b, struct ir_instr *instr, uint32_t operand, uint8_t bits, uint8_t comps)
{
    struct ir_value *good = ir_src(instr, operand);
    struct ir_builder at = ir_builder_before(b->shader, instr);
    ir_use_set(&instr->srcs[operand], ir_undef(&at, bits, comps));
    if (!ir_validate(b->shader))
        fail_msg("%s takes %u bits and %u components as operand %u", ir_info(instr)->name, bits, comps, operand);
    ir_use_set(&instr->srcs[operand], good);
    wrong_shapes++;
}

static void op_shapes(enum ir_op op, uint8_t n, uint8_t m)
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_fragment);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_instr *instr = any_instr(&b, op, n, m, false);
    const struct ir_op_info *info = ir_info(instr);
    for (uint32_t i = 0; i < info->num_srcs; i++) {
        const struct ir_operand_info *row = &info->srcs[i];
        uint8_t comps = ir_src(instr, i)->comps;
        for (uint32_t bits = 1; bits <= 64; bits *= 2) {
            uint32_t allowed = row->letter ? info->widths[row->letter - IR_LETTER_N] : row->bits;
            if (bits != 2 && bits != 4 && !(allowed & bits))
                refuse_shape(&b, instr, i, (uint8_t)bits, comps);
        }
        if (row->comps)
            refuse_shape(&b, instr, i, ir_src(instr, i)->bits, row->comps + 1);
    }
    assert_null(ir_validate(shader));
    ir_shader_destroy(shader);
}

static void every_operand(void **state)
{
    (void)state;
    wrong_shapes = 0;
    foreach_op_width(op_shapes);
    assert_true(wrong_shapes > 1000);
}

/* --- the pass that broke a rule is named --- */

static bool breaks_nothing(struct ir_shader *shader, const void *options)
{
    ir_alloc_scratch(shader, 100);
    return *(const bool *)options;
}

static bool breaks_a_rule(struct ir_shader *shader, const void *options)
{
    (void)options;
    struct ir_instr *first = container_of(ir_region_first(&shader->body)->instrs.next, struct ir_instr, link);
    ir_remove(first);
    return true;
}

static void good_pass(void **state)
{
    (void)state;
    struct ir_shader *shader = parsed(diamond);
    for (int progress = 0; progress < 2; progress++)
        assert_int_equal(IR_PASS(shader, breaks_nothing, &(bool){progress}), progress);
    ir_shader_destroy(shader);
}

/* A child's words on its standard error; its exit status. */
static int said_by(void (*run)(void), char *text, size_t room)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        run();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t count;
    while ((count = read(ends[0], text + length, room - 1 - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void run_bad_pass(void)
{
    IR_PASS(parsed(diamond), breaks_a_rule, NULL);
}

static void bad_pass_is_named(void **state)
{
    (void)state;
    char text[8192];
#ifdef NDEBUG
    skip();
#endif
    int status = said_by(run_bad_pass, text, sizeof(text));
    assert_true(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
    assert_non_null(strstr(text, "the pass breaks_a_rule broke a rule"));
    assert_non_null(strstr(text, "was removed"));
}

static void run_with_debug(void)
{
    setenv("TUFF_DEBUG", "ir", 1);
    struct ir_shader *shader = parsed(diamond);
    ir_run_pass(shader, "quiet", breaks_nothing, &(bool){false});
    ir_run_pass(shader, "busy", breaks_nothing, &(bool){true});
    ir_shader_destroy(shader);
}

static void debug_prints_what_changed(void **state)
{
    (void)state;
    char text[8192];
    assert_int_equal(said_by(run_with_debug, text, sizeof(text)), 0);
    assert_non_null(strstr(text, "after busy\nshader compute\nb0:\n"));
    assert_null(strstr(text, "quiet"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: TUFF_DEBUG is read once, and a child has what its parent had read. */
        cmocka_unit_test(debug_prints_what_changed),
        cmocka_unit_test(broken_texts),
        cmocka_unit_test(broken_pointers),
        cmocka_unit_test(every_operand),
        cmocka_unit_test(good_pass),
        cmocka_unit_test(bad_pass_is_named),
    };
    return cmocka_run_group_tests_name("compiler_ir validate", tests, NULL, NULL);
}
