/* Calls in the machine IR: text and rules, what spilling makes of values that live across one, and what the judge of
 * allocated code says where something was forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/compiler/function.h"
#include "amd/compiler/mir.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"
#include "util/strbuf.h"

/* The vectors %2 and %10 and the scalar %4 live across the call; %5 does not. */
static const char text[] = "wave 32\n"
                           "block 0 top -> /\n"
                           "    %1:s2@s4, %3:s1@s11, %6:s4@s12, %7:s2@s16 = p_start\n"
                           "    p_logical_start\n"
                           "    %8:s1 = p_next_frame %3\n"
                           "    %2:v1 = buffer_load_dword _, %6, %3\n"
                           "    %10:v1 = buffer_load_dword _, %6, %3 | offset=4\n"
                           "    %4:s1 = s_load_dword %1, _\n"
                           "    %5:v1 = v_add_nc_u32 0x1, %2\n"
                           "    buffer_store_dword %5, _, %6, %8\n"
                           "    p_call %1@s18, %3@s11, %6@s12\n"
                           "    %9:v1 = v_add_nc_u32 %4, %2\n"
                           "    buffer_store_dword %9, _, %6, %3\n"
                           "    buffer_store_dword %10, _, %6, %3 | offset=4\n"
                           "    p_logical_end\n"
                           "    s_setpc_b64 %7, %3@s11, %6@s12\n";

static struct ir_failure failure;

static void parse_program(struct mir_program *program, const char *from)
{
    amd_mir_init(program, ISA_GFX10_3, 32, &failure);
    const char *wrong = amd_mir_parse(program, from);
    if (wrong)
        fail_msg("%s", wrong);
    program->is_function = program->has_calls = true;
    program->call_vgprs = AMD_CALL_VGPRS;
    program->max_vgprs = AMD_FUNCTION_VGPRS;
    program->scratch_size_B = IR_FRAME_ARGS_B;
    program->scratch_offset = 3;
    program->scratch_rsrc = 6;
}

static struct mir_instr *find_instr(const struct mir_program *program, unsigned op)
{
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (instr->op == op)
                return instr;
        }
    }
    return NULL;
}

static void calls_are_printed_and_read(void **state)
{
    struct mir_program program, again;
    struct strbuf first = {0}, second = {0};
    (void)state;
    parse_program(&program, text);
    assert_null(amd_mir_validate(&program));
    amd_mir_print(&program, &first);
    parse_program(&again, first.text);
    amd_mir_print(&again, &second);
    assert_string_equal(first.text, second.text);
    assert_non_null(strstr(first.text, "p_call %1@s18, %3@s11, %6@s12"));
    strbuf_finish(&first);
    strbuf_finish(&second);
    amd_mir_finish(&program);
    amd_mir_finish(&again);
}

static void a_call_needs_its_address(void **state)
{
    static const char *const wrong[] = {"p_call\n", "p_call %1\n", "%20:s1 = p_call %1@s18\n"};
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct mir_program program;
        struct strbuf spoilt = {0};
        strbuf_printf(&spoilt, "wave 32\nblock 0 top -> /\n    %%1:s2@s4 = p_start\n    %s    s_endpgm\n", wrong[i]);
        parse_program(&program, spoilt.text);
        const char *found = amd_mir_validate(&program);
        if (!found || !strstr(found, "a call has its address"))
            fail_msg("%s: %s", wrong[i], found ? found : "nothing is said");
        strbuf_finish(&spoilt);
        amd_mir_finish(&program);
    }
}

/* A vector that is read once is stored where it is written; what is read more often is named, as scalars are, the way
 * back among them. */
static void what_lives_across_a_call_is_stored(void **state)
{
    struct mir_program program;
    (void)state;
    if (setjmp(failure.jump))
        fail_msg("%s", failure.text);
    parse_program(&program, text);
    amd_mir_spill(&program);
    const struct mir_instr *call = find_instr(&program, MIR_P_CALL), *store = find_instr(&program, MIR_P_SPILL);
    assert_non_null(store);
    assert_int_equal(store->operands[0].temp, 10);
    assert_int_equal(store->imm, IR_FRAME_ARGS_B / 4);
    bool names[11] = {false};
    for (unsigned i = 3; i < call->num_operands; i++)
        names[call->operands[i].temp] = true;
    assert_true(names[2] && names[3] && names[4] && names[6] && names[7]);
    assert_false(names[1] || names[5] || names[10]);
    /* a slot for the spilled vector, one for the other and one for scalars, and then multiples of 16 */
    assert_int_equal(program.save_slot, IR_FRAME_ARGS_B / 4 + 1);
    assert_int_equal(program.scratch_size_B, IR_FRAME_ARGS_B + 16);
    amd_mir_allocate(&program);
    assert_null(amd_mir_validate_allocated(&program));
    mir_foreach_instr(&program.blocks[0], instr)
    {
        for (unsigned i = 0; i < instr->num_defs; i++)
            assert_false(instr->defs[i].reg >= MIR_REG_V0 && instr->defs[i].reg < MIR_REG_V0 + AMD_CALL_VGPRS);
    }
    amd_mir_finish(&program);
}

static void forget_registers(struct mir_program *program, bool vectors)
{
    struct mir_instr *call = find_instr(program, MIR_P_CALL);
    unsigned kept = 3;
    for (unsigned i = 3; i < call->num_operands; i++) {
        if (program->temps[call->operands[i].temp].class.vector != vectors)
            call->operands[kept++] = call->operands[i];
    }
    assert_true(kept < call->num_operands);
    call->num_operands = kept;
}

/* Nothing is forgotten, vectors, scalars. */
static void check_way(const unsigned way)
{
    struct mir_program program;
    if (setjmp(failure.jump))
        fail_msg("%s", failure.text);
    parse_program(&program, text);
    amd_mir_spill(&program);
    if (way)
        forget_registers(&program, way == 1);
    amd_mir_allocate(&program);
    const char *found = amd_mir_validate_allocated(&program);
    if (way == 0)
        assert_null(found);
    else if (!found || !strstr(found, "does not hold its value"))
        fail_msg("way %u: %s", way, found ? found : "nothing is said");
    amd_mir_finish(&program);
}

static void what_is_forgotten_is_found(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 3; way++)
        check_way(way);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_printed_and_read),
        cmocka_unit_test(a_call_needs_its_address),
        cmocka_unit_test(what_lives_across_a_call_is_stored),
        cmocka_unit_test(what_is_forgotten_is_found),
    };
    return cmocka_run_group_tests_name("mir calls", tests, NULL, NULL);
}
