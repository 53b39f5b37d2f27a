/* Code that random programs hardly meet: cycles of copies by name, jumps farther than a branch reaches, constant
 * data after the code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/compiler/tests/mir_rig.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"
#include "util/strbuf.h"

#define HEAD                                                                                                           \
    "wave 32\n"                                                                                                        \
    "block 0 top -> %s\n"                                                                                              \
    "    %%1:s2@s0, %%2:v1@v0, %%3:s4@s4, %%4:s1@s8 = p_start\n"                                                       \
    "    p_logical_start\n"                                                                                            \
    "    %%5:v1 = v_lshlrev_b32 0x2, %%2\n"                                                                            \
    "    %%6:v1 = v_add_nc_u32 0x10000, %%5\n"

static const uint32_t *run_program(struct rig *rig, const char *text, const struct rig_options *options,
                                   uint32_t *code_size_dw)
{
    struct rig_outcome outcome = rig_run(rig, text, options);
    if (outcome.error)
        fail_msg("%s", outcome.error);
    if (code_size_dw)
        *code_size_dw = outcome.code_size_dw;
    return rig_memory(rig) + RIG_RESULT_B / 4;
}

/* Three scalars and three vectors go around in a circle: nothing but cycles of copies on the way back. */
static void loop_rotates(void **state)
{
    struct rig *rig = *state;
    struct strbuf text = {0};
    strbuf_printf(&text, HEAD, "1 / 1");
    strbuf_append(
        &text,
        "    %10:s1 = s_mov_b32 0x64\n    %11:s1 = s_mov_b32 0xc8\n    %12:s1 = s_mov_b32 0x12c\n"
        "    %13:v1 = v_add_nc_u32 0x1000, %2\n    %14:v1 = v_add_nc_u32 0x2000, %2\n"
        "    %15:v1 = v_add_nc_u32 0x3000, %2\n    p_logical_end\n    p_branch | imm=1\n"
        "block 1 loop_header -> 2 3 / 2 3\n"
        "    %20:s1 = p_linear_phi 0x4, %40\n"
        "    %21:s1 = p_linear_phi %10, %22\n    %22:s1 = p_linear_phi %11, %23\n"
        "    %23:s1 = p_linear_phi %12, %21\n    %24:v1 = p_phi %13, %25\n    %25:v1 = p_phi %14, %26\n"
        "    %26:v1 = p_phi %15, %24\n    p_logical_start\n    p_logical_end\n"
        "    %40:s1 = s_sub_u32 %20, 0x1\n    %41:s1@scc = s_cmp_lg_u32 %40, 0x0\n"
        "    p_cbranch.scc0 %41@scc | imm=3 imm2=2\n"
        "block 2 -> 1 / 1\n    p_logical_start\n    p_logical_end\n    p_branch | imm=1\n"
        "block 3 loop_exit -> /\n    p_logical_start\n"
        "    %50:v1 = v_lshl_add_u32 %24, 0x10, %25\n    %51:v1 = v_xor_b32 %26, %50\n"
        "    %52:s1 = s_lshl_b32 %21, 0x1\n    %53:s1 = s_add_u32 %52, %22\n    %54:s1 = s_mul_i32 %53, %23\n"
        "    %55:v1 = v_add_nc_u32 %54, %51\n    global_store_dword %6, %55, %1\n    p_logical_end\n    s_endpgm\n");
    /* three turns: everything is where it was */
    for (unsigned plain = 0; plain < 2; plain++) {
        const uint32_t *result = run_program(rig, text.text, &(struct rig_options){.plain = plain}, NULL);
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(result[lane],
                             ((((0x1000 + lane) << 16) + 0x2000 + lane) ^ (0x3000 + lane)) + (200 + 200) * 300);
    }
    strbuf_finish(&text);
}

/* A loop whose body is longer than a branch reaches, and an if around half of it. */
static void branches_reach_far(void **state)
{
    struct rig *rig = *state;
    struct strbuf text = {0};
    enum {
        LONG = 20000
    };
    strbuf_printf(&text, HEAD, "1 / 1");
    strbuf_append(&text, "    p_logical_end\n    p_branch | imm=1\nblock 1 loop_header -> 2 3 / 2 3\n"
                         "    %10:s1 = p_linear_phi 0x3, %12\n    %11:v1 = p_phi %2, %1000000\n    p_logical_start\n");
    for (unsigned i = 0; i < LONG; i++)
        strbuf_printf(&text, "    %%%u:v1 = v_xor_b32 0x%x, %%%u\n", 100 + i, i * 2654435761u | 0x1000,
                      i ? 99 + i : 11);
    strbuf_printf(&text, "    %%1000000:v1 = v_mul_lo_u32 0x3, %%%u\n    p_logical_end\n", 99 + LONG);
    strbuf_append(
        &text, "    %12:s1 = s_sub_u32 %10, 0x1\n    %13:s1@scc = s_cmp_lg_u32 %12, 0x0\n"
               "    p_cbranch.scc0 %13@scc | imm=3 imm2=2\nblock 2 -> 1 / 1\n    p_logical_start\n    p_logical_end\n"
               "    p_branch | imm=1\nblock 3 loop_exit -> /\n    p_logical_start\n"
               "    global_store_dword %6, %1000000, %1\n    p_logical_end\n    s_endpgm\n");
    uint32_t mask = 0, size_dw;
    for (unsigned i = 0; i < LONG; i++)
        mask ^= i * 2654435761u | 0x1000;
    const uint32_t *result = run_program(rig, text.text, &(struct rig_options){.plain = true}, &size_dw);
    assert_true(size_dw > INT16_MAX);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t value = lane;
        for (unsigned turn = 0; turn < 3; turn++)
            value = (value ^ mask) * 3;
        assert_int_equal(result[lane], value);
    }
    strbuf_finish(&text);
}

static void constants_lie_behind_the_code(void **state)
{
    struct rig *rig = *state;
    static const uint32_t data[5] = {11, 22, 0xdeadbeef, 44, 55};
    struct strbuf text = {0};
    strbuf_printf(&text, HEAD, "/");
    strbuf_append(&text,
                  "    %10:s2 = p_const_addr | imm=8\n    %11:s1 = s_load_dword %10, _\n    %12:s2 = s_load_dwordx2 "
                  "%10, _ | offset=4\n"
                  "    %13:s1 = p_extract %12\n    %14:s1 = p_extract %12 | imm=1\n    %15:s1 = s_add_u32 %13, %14\n"
                  "    %16:s1 = s_xor_b32 %15, %11\n    %17:v1 = v_add_nc_u32 %16, %2\n"
                  "    global_store_dword %6, %17, %1\n    p_logical_end\n    s_endpgm\n");
    for (unsigned plain = 0; plain < 2; plain++) {
        struct rig_options options = {.plain = plain, .const_data = data, .const_data_size_B = sizeof(data)};
        const uint32_t *result = run_program(rig, text.text, &options, NULL);
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(result[lane], ((44 + 55) ^ 0xdeadbeef) + lane);
    }
    strbuf_finish(&text);
}

/* A funnel shift of two values and a choice by bits, each written as or, xor and sum: one instruction instead of three
 * or four. */
static void shifts_and_masks_combine(void **state)
{
    struct rig *rig = *state;
    static const char *const joins[] = {"v_or_b32", "v_xor_b32", "v_add_nc_u32"};
    for (unsigned i = 0; i < ARRAY_SIZE(joins); i++) {
        uint32_t sizes[2];
        for (unsigned plain = 0; plain < 2; plain++) {
            struct strbuf text = {0};
            strbuf_printf(&text, HEAD, "/");
            strbuf_printf(
                &text,
                "    %%10:v1 = v_mul_lo_u32 0x9e3779b1, %%2\n    %%11:v1 = v_xor_b32 0x12345678, %%10\n"
                "    %%12:v1 = v_lshlrev_b32 0xb, %%10\n    %%13:v1 = v_lshrrev_b32 0x15, %%11\n"
                "    %%14:v1 = %s %%13, %%12\n    %%15:v1 = v_not_b32 %%14\n    %%16:v1 = v_and_b32 %%10, %%14\n"
                "    %%17:v1 = v_and_b32 %%15, %%11\n    %%18:v1 = %s %%16, %%17\n"
                "    global_store_dword %%6, %%18, %%1\n    p_logical_end\n    s_endpgm\n",
                joins[i], joins[i]);
            const uint32_t *result = run_program(rig, text.text, &(struct rig_options){.plain = plain}, &sizes[plain]);
            for (uint32_t lane = 0; lane < 32; lane++) {
                uint32_t a = lane * 0x9e3779b1, b = a ^ 0x12345678, funnel = a << 11 | b >> 21;
                assert_int_equal(result[lane], (a & funnel) | (b & ~funnel));
            }
            strbuf_finish(&text);
        }
        assert_true(sizes[0] + 2 <= sizes[1]);
    }
}

static void rules_are_checked(void **state)
{
    struct rig *rig = *state;
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"block 0 -> /\n    %1:v1 = v_mov_b32 %2\n    s_endpgm\n", "nothing defines"},
        {"block 0 -> /\n    %1:v1 = v_add_nc_u32 0x1\n    s_endpgm\n", "operands are missing"},
        {"block 0 -> /\n    %1:v2 = v_mov_b32 0x1\n    s_endpgm\n", "another size"},
        {"block 0 -> /\n    %1:s1 = s_cselect_b32 0x1, 0x2\n    s_endpgm\n", "reads scc"},
        {"block 0 -> /\n    %2:s1 = s_mov_b32 %1\n    %1:s1 = s_mov_b32 0x1\n    s_endpgm\n", "further down"},
        {"block 0 -> /\n    %1:s1 = s_mov_b32 0x1\n    %1:s1 = s_mov_b32 0x2\n    s_endpgm\n", "second definition"},
        {"block 0 -> 1 / 1\n    %1:s1 = s_mov_b32 0x1\nblock 1 -> /\n    %2:s1 = p_linear_phi %1, %1\n    s_endpgm\n",
         "each predecessor"},
        {"block 0 -> 1 2 / 1 2\nblock 1 -> 2 / 2\nblock 2 -> /\n    s_endpgm\n", "from a fork to a join"},
        {"block 0 -> /\n    v_no_such_thing\n", "no such instruction"},
        {"block 0 -> /\n    p_branch | imm=7\n", "no linear successor"},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct rig_outcome outcome = rig_run(rig, wrong[i].text, &(struct rig_options){.plain = true});
        assert_non_null(outcome.error);
        if (!strstr(outcome.error, wrong[i].why))
            fail_msg("\"%s\" does not say \"%s\"", outcome.error, wrong[i].why);
        free((void *)outcome.error);
    }
}

/* ---- what must hold after allocation ---- */

static struct mir_instr *find_op(struct mir_program *program, unsigned op)
{
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (instr->op == op)
                return instr;
        }
    }
    fail_msg("the instruction is gone");
    return NULL;
}

static void overwrite_value(struct mir_program *program) /* a result over a value that is read further down */
{
    struct mir_instr *add = find_op(program, ISA_OP_V_ADD_NC_U32), *xor = find_op(program, ISA_OP_V_XOR_B32);
    add->defs[0].reg = xor->operands[0].reg;
}

static void exchange_operands(struct mir_program *program)
{
    struct mir_instr * xor = find_op(program, ISA_OP_V_XOR_B32);
    mir_reg reg = xor->operands[0].reg;
    xor->operands[0].reg = xor->operands[1].reg;
    xor->operands[1].reg = reg;
}

static void shift_tuple(struct mir_program *program)
{
    struct mir_instr *load = find_op(program, ISA_OP_S_LOAD_DWORDX4);
    load->defs[0].reg += 2;
}

static void leave_file(struct mir_program *program)
{
    find_op(program, ISA_OP_V_XOR_B32)->operands[0].reg = (mir_reg)(MIR_REG_V0 + program->num_vgprs);
}

static void store_scalar(struct mir_program *program)
{
    find_op(program, ISA_OP_GLOBAL_STORE_DWORD)->operands[1].reg = 3;
}

static void read_three_scalars(struct mir_program *program)
{
    struct mir_instr *fma = find_op(program, ISA_OP_V_FMA_F32);
    for (unsigned i = 0; i < 3; i++)
        fma->operands[i] = mir_reg_use((mir_reg)(20 + i), 1);
}

static void lose_loop_value(struct mir_program *program) /* what the loop changes does not come back to its start */
{
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (instr->op == MIR_P_COPY && block->index == 2)
                list_remove(&instr->link);
        }
    }
}

static void registers_are_checked(void **state)
{
    static const struct {
        void (*spoil)(struct mir_program *);
        const char *why;
    } ways[] = {
        {overwrite_value, "does not hold its value"},
        {exchange_operands, "does not hold its value"},
        {shift_tuple, "not aligned"},
        {leave_file, "does not have"},
        {store_scalar, "of a file"},
        {read_three_scalars, "no encoding"},
        {lose_loop_value, "the phi's value"},
    };
    struct strbuf text = {0};
    (void)state;
    strbuf_printf(&text, HEAD, "1 / 1");
    strbuf_append(&text,
                  "    %10:s4 = s_load_dwordx4 %1, _\n    %11:s1 = p_extract %10 | imm=2\n"
                  "    %12:v1 = v_xor_b32 %5, %6\n    %13:v1 = v_fma_f32 %12, %5, %11\n    p_logical_end\n"
                  "    p_branch | imm=1\nblock 1 loop_header -> 2 3 / 2 3\n"
                  "    %20:s1 = p_linear_phi 0x4, %40\n    %24:v1 = p_phi %12, %25\n    %25:v1 = p_phi %13, %24\n"
                  "    p_logical_start\n    p_logical_end\n    %40:s1 = s_sub_u32 %20, 0x1\n"
                  "    %41:s1@scc = s_cmp_lg_u32 %40, 0x0\n    p_cbranch.scc0 %41@scc | imm=3 imm2=2\n"
                  "block 2 -> 1 / 1\n    p_logical_start\n    p_logical_end\n    p_branch | imm=1\n"
                  "block 3 loop_exit -> /\n    p_logical_start\n    global_store_dword %6, %24, %1\n"
                  "    global_store_dword %6, %25, %1 | offset=4\n    p_logical_end\n    s_endpgm\n");
    for (unsigned i = 0; i <= ARRAY_SIZE(ways); i++) {
        struct mir_program program;
        struct ir_failure failure = {0};
        amd_mir_init(&program, ISA_GFX10_3, 32, &failure);
        if (setjmp(failure.jump))
            fail_msg("%s", failure.text);
        assert_null(amd_mir_parse(&program, text.text));
        assert_null(amd_mir_validate(&program));
        amd_mir_split_edges(&program);
        amd_mir_allocate(&program);
        if (i < ARRAY_SIZE(ways))
            ways[i].spoil(&program);
        const char *found = amd_mir_validate_allocated(&program);
        if (i == ARRAY_SIZE(ways))
            assert_null(found);
        else if (!found || !strstr(found, ways[i].why))
            fail_msg("spoilt in way %u: \"%s\" does not say \"%s\"", i, found ? found : "nothing", ways[i].why);
        amd_mir_finish(&program);
    }
    strbuf_finish(&text);
}

/* Two loads, each before its reader: after allocation the second goes up to the first, for the wait is the same.
 * What is overwritten stays where it is. */
static void allocated_loads_overlap(void **state)
{
    static const uint16_t expected[] = {ISA_OP_S_LOAD_DWORD, ISA_OP_S_LOAD_DWORD, ISA_OP_S_ADD_U32, ISA_OP_S_ADD_U32};
    struct mir_program program;
    struct ir_failure failure = {0};
    struct strbuf text = {0};
    (void)state;
    strbuf_printf(&text, HEAD, "/");
    strbuf_append(&text, "    %10:s1 = s_load_dword %1, _\n    %11:s1 = s_add_u32 %10, 0x1\n"
                         "    %12:s1 = s_load_dword %1, _ | offset=4\n    %13:s1 = s_add_u32 %11, %12\n"
                         "    %14:v1 = v_add_nc_u32 %13, %2\n    global_store_dword %6, %14, %1\n    p_logical_end\n"
                         "    s_endpgm\n");
    amd_mir_init(&program, ISA_GFX10_3, 32, &failure);
    if (setjmp(failure.jump))
        fail_msg("%s", failure.text);
    assert_null(amd_mir_parse(&program, text.text));
    amd_mir_split_edges(&program);
    amd_mir_allocate(&program);
    amd_mir_lower(&program);
    amd_mir_schedule_allocated(&program);
    unsigned at = 0;
    mir_foreach_instr(&program.blocks[0], instr)
    {
        if (instr->op == ISA_OP_S_LOAD_DWORD || instr->op == ISA_OP_S_ADD_U32)
            assert_int_equal(instr->op, expected[at++]);
    }
    assert_int_equal(at, ARRAY_SIZE(expected));
    amd_mir_finish(&program);
    strbuf_finish(&text);
}

static int begin_test(void **state)
{
    static struct rig rig;
    *state = &rig;
    return rig_init(&rig) ? 0 : -1;
}

static int end_test(void **state)
{
    rig_finish(*state);
    return 0;
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(loop_rotates, begin_test, end_test),
        cmocka_unit_test_setup_teardown(branches_reach_far, begin_test, end_test),
        cmocka_unit_test_setup_teardown(constants_lie_behind_the_code, begin_test, end_test),
        cmocka_unit_test_setup_teardown(shifts_and_masks_combine, begin_test, end_test),
        cmocka_unit_test_setup_teardown(rules_are_checked, begin_test, end_test),
        cmocka_unit_test(registers_are_checked),
        cmocka_unit_test(allocated_loads_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
