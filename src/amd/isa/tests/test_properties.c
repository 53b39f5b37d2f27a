/* The table's facts about instructions besides their encoding: what they read and write, count, cost and must keep
 * away from. */
#include "isa_test.h"

static const struct isa_op_info *info_of(const char *name)
{
    enum isa_op op;
    if (!amd_isa_op_from_name(ISA_GFX10_3, name, strlen(name), &op))
        fail_msg("no instruction %s", name);
    return isa_info(op);
}

static void implicit_state_follows_from_the_meaning(void **state)
{
    assert_int_equal(info_of("s_add_u32")->writes, ISA_STATE_SCC);
    assert_int_equal(info_of("s_add_u32")->reads, 0);
    assert_int_equal(info_of("s_addc_u32")->reads, ISA_STATE_SCC);
    assert_int_equal(info_of("s_mov_b32")->writes, 0);
    assert_int_equal(info_of("s_and_saveexec_b64")->writes, ISA_STATE_SCC | ISA_STATE_EXEC);
    assert_true(info_of("s_and_saveexec_b64")->reads & ISA_STATE_EXEC);
    assert_true(info_of("v_add_f32")->reads & ISA_STATE_EXEC);
    assert_true(info_of("v_cmpx_eq_u32")->writes & ISA_STATE_EXEC);
    assert_true(info_of("v_div_fmas_f32")->reads & ISA_STATE_VCC);
    assert_false(info_of("v_readlane_b32")->reads & ISA_STATE_EXEC);
    assert_true(info_of("v_interp_p1_f32")->reads & ISA_STATE_M0);
    assert_true(info_of("s_cbranch_scc1")->reads & ISA_STATE_SCC);
    assert_true(info_of("s_cbranch_vccz")->reads & ISA_STATE_VCC);
    assert_true(info_of("s_branch")->writes & ISA_STATE_PC);
    assert_true(info_of("ds_append")->reads & ISA_STATE_M0);
    assert_false(info_of("ds_read_b32")->reads & ISA_STATE_M0); /* since GFX9 */
}

static void tied_and_exchanged_operands_are_told(void **state)
{
    assert_true(info_of("v_fmac_f32")->operands[0].is_read);
    assert_false(info_of("v_add_f32")->operands[0].is_read);
    assert_true(info_of("v_swap_b32")->operands[1].is_written);
    assert_true(info_of("flat_load_ubyte_d16")->operands[0].is_read); /* keeps the other half */
    assert_true(info_of("s_addk_i32")->operands[0].is_read);
}

static void operands_have_types_and_sizes(void **state)
{
    const struct isa_op_info *mad = info_of("v_mad_u64_u32");
    assert_int_equal(mad->operand_count, 5);
    assert_int_equal(mad->dst_count, 2);
    assert_int_equal(mad->operands[0].count, 2);
    assert_int_equal(mad->operands[1].type, ISA_TYPE_MASK);
    assert_int_equal(mad->operands[1].count, ISA_COUNT_WAVE);
    assert_int_equal(mad->operands[4].type, ISA_TYPE_U64);
    assert_int_equal(info_of("s_load_dwordx16")->operands[0].count, 16);
}

static void each_place_takes_certain_kinds_of_operands(void **state)
{
    const unsigned vgpr = 1 << ISA_OPERAND_VGPR, sgpr = 1 << ISA_OPERAND_SGPR, literal = 1 << ISA_OPERAND_LITERAL;
    unsigned src0 = amd_isa_operand_kinds(ISA_GFX10_3, ISA_OP_V_ADD_F32, ISA_VARIANT_BASE, 1);
    assert_int_equal(src0 & (vgpr | sgpr | literal), vgpr | sgpr | literal);
    assert_int_equal(amd_isa_operand_kinds(ISA_GFX10_3, ISA_OP_V_ADD_F32, ISA_VARIANT_BASE, 2), vgpr);
    assert_true(amd_isa_operand_kinds(ISA_GFX10_3, ISA_OP_V_ADD_F32, ISA_VARIANT_E64, 2) & literal);
    assert_false(amd_isa_operand_kinds(ISA_GFX9, ISA_OP_V_ADD_F32, ISA_VARIANT_E64, 2) & literal);
    assert_int_equal(amd_isa_operand_kinds(ISA_GFX10_3, ISA_OP_V_ADD_F32, ISA_VARIANT_DPP16, 1), vgpr);
    assert_false(amd_isa_operand_kinds(ISA_GFX10_3, ISA_OP_BUFFER_LOAD_DWORD, ISA_VARIANT_BASE, 3) & literal);
    assert_int_equal(amd_isa_operand_kinds(ISA_GFX10_3, ISA_OP_V_SWAP_B32, ISA_VARIANT_E64, 0), 0);
}

static unsigned counters_of(const char *name, bool glc, bool gds)
{
    struct isa_inst inst = {0};
    enum isa_op op;
    assert_true(amd_isa_op_from_name(ISA_GFX10_3, name, strlen(name), &op));
    inst.op = op;
    inst.mem.glc = glc;
    inst.mem.gds = gds;
    return amd_isa_counters(&inst);
}

static void memory_counts_in_the_counter_that_waits_for_it(void **state)
{
    assert_int_equal(counters_of("buffer_load_dword", false, false), ISA_COUNTER_VM);
    assert_int_equal(counters_of("image_sample", false, false), ISA_COUNTER_VM);
    assert_int_equal(counters_of("global_store_dword", false, false), ISA_COUNTER_VS);
    assert_int_equal(counters_of("global_atomic_add", false, false), ISA_COUNTER_VS);
    assert_int_equal(counters_of("global_atomic_add", true, false), ISA_COUNTER_VM);
    assert_int_equal(counters_of("flat_load_dword", false, false), ISA_COUNTER_VM | ISA_COUNTER_LGKM);
    assert_int_equal(counters_of("ds_read_b32", false, false), ISA_COUNTER_LGKM);
    assert_int_equal(counters_of("ds_add_u32", false, true), ISA_COUNTER_LGKM | ISA_COUNTER_EXP);
    assert_int_equal(counters_of("s_load_dword", false, false), ISA_COUNTER_LGKM);
    assert_int_equal(counters_of("s_sendmsg", false, false), ISA_COUNTER_LGKM);
    assert_int_equal(counters_of("exp", false, false), ISA_COUNTER_EXP);
    assert_int_equal(counters_of("v_add_f32", false, false), 0);
}

static void memory_rows_say_what_memory_holds(void **state)
{
    assert_int_equal(info_of("buffer_load_sbyte")->element, ISA_TYPE_I8);
    assert_int_equal(info_of("global_load_short_d16_hi")->half, 2);
    assert_int_equal(info_of("ds_min_rtn_f64")->atomic, ISA_ATOMIC_MIN_F);
    assert_int_equal(info_of("ds_min_rtn_f64")->element, ISA_TYPE_B64);
    assert_int_equal(info_of("image_store")->memory, ISA_MEMORY_STORE);
    assert_int_equal(info_of("image_sample")->helper, ISA_HELPER_IMAGE_SAMPLE);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        const struct isa_op_info *info = isa_info(op);
        bool memory = info->format == ISA_FORMAT_SMEM || info->format >= ISA_FORMAT_DS;
        if (memory && info->helper == ISA_HELPER_NONE)
            fail_msg("%s has no helper", amd_isa_op_name(ISA_GFX10_3, op));
    }
}

static void latency_classes(void **state)
{
    assert_int_equal(info_of("v_rcp_f32")->latency, ISA_LATENCY_TRANS);
    assert_int_equal(info_of("v_fma_f64")->latency, ISA_LATENCY_F64);
    assert_int_equal(info_of("v_mul_lo_u32")->latency, ISA_LATENCY_QUARTER);
    assert_int_equal(info_of("v_add_f32")->latency, ISA_LATENCY_VALU);
    assert_int_equal(info_of("s_add_u32")->latency, ISA_LATENCY_SALU);
    assert_int_equal(info_of("s_branch")->latency, ISA_LATENCY_BRANCH);
    assert_int_equal(info_of("ds_read_b32")->latency, ISA_LATENCY_LDS);
}

static void hazards_depend_on_the_instruction_itself(void **state)
{
    struct isa_inst mov = decoded(ISA_GFX10_3, CODE(0xbefe0302));               /* s_mov_b32 exec_lo, s2 */
    struct isa_inst other = decoded(ISA_GFX10_3, CODE(0xbe810302));             /* s_mov_b32 s1, s2 */
    struct isa_inst save = decoded(ISA_GFX10_3, CODE(0xbe822404));              /* s_and_saveexec_b64 */
    struct isa_inst image = decoded(ISA_GFX10_3, CODE(0xf0800f08, 0x00610804)); /* a tuple */
    struct isa_inst nsa =
        decoded(ISA_GFX10_3, CODE(0xf0880f0c, 0x00610804, 0x08070605, 0x09)); /* image_sample_d, six addresses */
    assert_int_equal(amd_isa_hazards(&mov), ISA_HAZARD_EXEC_WRITE);
    assert_int_equal(amd_isa_hazards(&other), 0);
    assert_int_equal(amd_isa_hazards(&save), ISA_HAZARD_EXEC_WRITE);
    assert_int_equal(amd_isa_hazards(&image), 0);
    assert_int_equal(amd_isa_hazards(&nsa), ISA_HAZARD_LONG_NSA);
    assert_int_equal(info_of("buffer_atomic_fmin")->hazards, ISA_HAZARD_FP_ATOMIC);
    assert_int_equal(info_of("s_denorm_mode")->hazards, ISA_HAZARD_DENORM_MODE);
    assert_int_equal(info_of("v_nop")->hazards, ISA_HAZARD_FP_ATOMIC_END);
}

static void image_sizes_follow_from_dim_and_packing(void **state)
{
    struct isa_inst inst = {.op = ISA_OP_IMAGE_SAMPLE_C_D_O};
    inst.mem.dim = 2; /* 3D: offset, compare, six derivatives, three coordinates */
    inst.mem.nsa = 3;
    assert_int_equal(amd_isa_image_address_count(&inst), 11);
    inst.mem.a16 = 1; /* coordinates in pairs; derivatives stay */
    assert_int_equal(amd_isa_image_address_count(&inst), 10);
    inst.mem.nsa = 0; /* as a tuple there is none of ten */
    assert_int_equal(amd_isa_image_address_count(&inst), 16);
    inst = (struct isa_inst){.op = ISA_OP_IMAGE_SAMPLE_D_G16};
    inst.mem.dim = 2;
    assert_int_equal(amd_isa_image_address_count(&inst), 7); /* 2 + 2 + 3 */
    inst = (struct isa_inst){.op = ISA_OP_IMAGE_GATHER4};
    inst.mem.dmask = 1;
    assert_int_equal(amd_isa_image_data_count(&inst), 4);
    inst.mem.d16 = inst.mem.tfe = 1;
    assert_int_equal(amd_isa_image_data_count(&inst), 3);
}

static void names_are_found_in_each_generation(void **state)
{
    enum isa_op op;
    assert_true(amd_isa_op_from_name(ISA_GFX11, "ds_load_b32", 11, &op));
    assert_int_equal(op, ISA_OP_DS_READ_B32);
    assert_false(amd_isa_op_from_name(ISA_GFX11, "ds_read_b32", 11, &op));
    assert_false(amd_isa_op_from_name(ISA_GFX10_3, "s_", 2, &op));
    for (unsigned gfx = 0; gfx < ISA_GFX_COUNT; gfx++) {
        for (unsigned i = 0; i < ISA_OP_COUNT; i++) {
            const char *name = amd_isa_op_name(gfx, i);
            if (!name)
                continue;
            assert_true(amd_isa_op_from_name(gfx, name, strlen(name), &op));
            assert_int_equal(op, i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implicit_state_follows_from_the_meaning),
        cmocka_unit_test(tied_and_exchanged_operands_are_told),
        cmocka_unit_test(operands_have_types_and_sizes),
        cmocka_unit_test(each_place_takes_certain_kinds_of_operands),
        cmocka_unit_test(memory_counts_in_the_counter_that_waits_for_it),
        cmocka_unit_test(memory_rows_say_what_memory_holds),
        cmocka_unit_test(latency_classes),
        cmocka_unit_test(hazards_depend_on_the_instruction_itself),
        cmocka_unit_test(image_sizes_follow_from_dim_and_packing),
        cmocka_unit_test(names_are_found_in_each_generation),
    };
    return cmocka_run_group_tests_name("amd/isa properties", tests, NULL, NULL);
}
