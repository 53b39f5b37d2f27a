/* The encoder refuses what has no encoding and says what; what decodes encodes again, for every instruction and every
 * variant. */
#include "isa_test.h"

static const struct isa_operand v1 = {ISA_OPERAND_VGPR, 1, 1}, v2 = {ISA_OPERAND_VGPR, 1, 2},
                                s4 = {ISA_OPERAND_SGPR, 1, 4}, literal = {ISA_OPERAND_LITERAL, 1, 0}, none = {0};

static struct isa_inst add_f32(enum isa_variant variant)
{
    struct isa_inst inst = {.op = ISA_OP_V_ADD_F32, .variant = variant, .operands = {v1, v1, v2}};
    return inst;
}

static void assert_encodes(const struct isa_inst *inst, struct code expected)
{
    uint32_t words[ISA_MAX_DW];
    const char *what = "";
    int size_dw = amd_isa_encode(ISA_GFX10_3, inst, words, &what);
    assert_string_equal(what, "");
    assert_int_equal(size_dw, expected.count_dw);
    assert_memory_equal(words, expected.words, expected.count_dw * 4);
}

static void assert_no_encoding(enum isa_gfx gfx, const struct isa_inst *inst, const char *expected)
{
    uint32_t words[ISA_MAX_DW];
    const char *what = "";
    assert_int_equal(amd_isa_encode(gfx, inst, words, &what), ISA_ERROR_ENCODE);
    assert_string_equal(what, expected);
}

static void variants_of_one_instruction(void **state)
{
    struct isa_inst inst = add_f32(ISA_VARIANT_BASE);
    assert_encodes(&inst, CODE(0x06020501));
    inst = add_f32(ISA_VARIANT_E64);
    inst.alu.neg = 2;
    assert_encodes(&inst, CODE(0xd5030001, 0x40020501));
    inst = add_f32(ISA_VARIANT_DPP16);
    inst.alu.row_mask = inst.alu.bank_mask = 15;
    inst.alu.dpp_ctrl = 0x111;
    assert_encodes(&inst, CODE(0x060204fa, 0xff011101));
    inst = add_f32(ISA_VARIANT_DPP8);
    inst.alu.dpp8 = 0xfac688;
    assert_encodes(&inst, CODE(0x060204e9, 0xfac68801));
    inst = add_f32(ISA_VARIANT_SDWA);
    inst.alu.dst_sel = inst.alu.src0_sel = inst.alu.src1_sel = ISA_SDWA_DWORD;
    assert_encodes(&inst, CODE(0x060204f9, 0x06060601));
}

static void a_literal_follows_the_instruction(void **state)
{
    struct isa_inst inst = add_f32(ISA_VARIANT_BASE);
    inst.operands[1] = literal;
    inst.literal = 0x12345678;
    assert_encodes(&inst, CODE(0x060204ff, 0x12345678));
}

static void a_modifier_that_an_encoding_lacks_is_named(void **state)
{
    struct isa_inst inst = {.op = ISA_OP_V_AND_B32, .variant = ISA_VARIANT_E64, .operands = {v1, v1, v2}};
    inst.alu.abs = 1;
    assert_no_encoding(ISA_GFX10_3, &inst, "abs");
    inst.alu.abs = 0;
    inst.alu.omod = 1;
    assert_no_encoding(ISA_GFX10_3, &inst, "omod");
    inst = (struct isa_inst){.op = ISA_OP_GLOBAL_LOAD_DWORD, .operands = {v1, {ISA_OPERAND_VGPR, 2, 2}, none}};
    inst.mem.offset = 2048;
    assert_no_encoding(ISA_GFX10_3, &inst, "offset");
    inst.mem.offset = -2048;
    assert_encodes(&inst, CODE(0xdc308800, 0x017d0002));
}

static void an_operand_in_the_wrong_place_is_named(void **state)
{
    struct isa_inst inst = add_f32(ISA_VARIANT_BASE);
    inst.operands[2] = s4;
    assert_no_encoding(ISA_GFX10_3, &inst, "an SGPR in that place");
    inst = add_f32(ISA_VARIANT_SDWA);
    inst.operands[1] = literal;
    assert_no_encoding(ISA_GFX10_3, &inst, "a literal in that place");
    inst = add_f32(ISA_VARIANT_E64);
    inst.operands[1] = literal;
    assert_no_encoding(ISA_GFX9, &inst, "a literal in this instruction");
    inst = (struct isa_inst){.op = ISA_OP_S_MOV_B64, .operands = {{ISA_OPERAND_SGPR, 2, 3}, {ISA_OPERAND_INT, 2, 0}}};
    assert_no_encoding(ISA_GFX10_3, &inst, "an SGPR in that place");
    inst = (struct isa_inst){.op = ISA_OP_S_MOV_B32, .operands = {s4, {ISA_OPERAND_INT, 1, 65}}};
    assert_no_encoding(ISA_GFX10_3, &inst, "an inline constant in that place");
}

static void what_a_generation_lacks_is_refused(void **state)
{
    struct isa_inst inst = {.op = ISA_OP_V_XOR3_B32, .operands = {v1, v1, v1, v1}};
    assert_no_encoding(ISA_GFX9, &inst, "this instruction in this generation");
    inst = add_f32(ISA_VARIANT_BASE);
    inst.op = ISA_OP_V_SWAP_B32;
    inst.variant = ISA_VARIANT_E64;
    assert_no_encoding(ISA_GFX10_3, &inst, "this variant of the instruction");
    inst.op = ISA_OP_COUNT;
    assert_no_encoding(ISA_GFX10_3, &inst, "this instruction in this generation");
}

/* An instruction with plain operands, each of a kind that the first of these tries accepts. */
static int encode_plain(enum isa_gfx gfx, unsigned op, unsigned variant, uint32_t *words)
{
    static const uint8_t kinds[] = {ISA_OPERAND_VGPR, ISA_OPERAND_SGPR,    ISA_OPERAND_NONE,   ISA_OPERAND_IMM,
                                    ISA_OPERAND_ATTR, ISA_OPERAND_LITERAL, ISA_OPERAND_SPECIAL};
    const struct isa_op_info *info = isa_info(op);
    unsigned choices = 1;
    for (unsigned i = 0; i < info->operand_count; i++)
        choices *= sizeof(kinds);
    for (unsigned choice = 0; choice < choices; choice++) {
        struct isa_inst inst = {.op = op, .variant = variant};
        for (unsigned i = 0, left = choice; i < info->operand_count; i++, left /= sizeof(kinds)) {
            unsigned count = info->operands[i].count ? info->operands[i].count : 1;
            inst.operands[i] = (struct isa_operand){kinds[left % sizeof(kinds)], count, 0};
            if (inst.operands[i].kind == ISA_OPERAND_SPECIAL)
                inst.operands[i] = (struct isa_operand){ISA_OPERAND_SPECIAL, ISA_COUNT_WAVE, ISA_SPECIAL_VCC_LO};
        }
        int size_dw = amd_isa_encode(gfx, &inst, words, NULL);
        if (size_dw > 0)
            return size_dw;
    }
    return ISA_ERROR_ENCODE;
}

static void every_variant_of_every_instruction_encodes_and_decodes_to_itself(void **state)
{
    for (unsigned gfx = 0; gfx < ISA_GFX_COUNT; gfx++) {
        for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
            for (unsigned variant = 0; variant < ISA_VARIANT_COUNT; variant++) {
                uint32_t words[ISA_MAX_DW];
                struct isa_inst inst;
                bool exists = isa_info(op)->variants[gfx] >> variant & 1;
                int size_dw = encode_plain(gfx, op, variant, words);
                if ((size_dw > 0) != exists)
                    fail_msg("%s variant %u: %s", amd_isa_gfx_name(gfx), variant, amd_isa_op_name(gfx, op));
                if (!exists)
                    continue;
                assert_int_equal(amd_isa_decode(gfx, words, (size_t)size_dw, &inst), size_dw);
                assert_int_equal(inst.op, op);
                assert_int_equal(inst.variant, variant);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_of_one_instruction),
        cmocka_unit_test(a_literal_follows_the_instruction),
        cmocka_unit_test(a_modifier_that_an_encoding_lacks_is_named),
        cmocka_unit_test(an_operand_in_the_wrong_place_is_named),
        cmocka_unit_test(what_a_generation_lacks_is_refused),
        cmocka_unit_test(every_variant_of_every_instruction_encodes_and_decodes_to_itself),
    };
    return cmocka_run_group_tests_name("amd/isa encode", tests, NULL, NULL);
}
