/* The assembler by hand: programs, places of errors; and the round trip of whatever decodes through its text. Forms of
 * single instructions are judged against LLVM by tests/amd/isa_forms.py. */
#include <stdio.h>

#include "amd/isa/asm.h"
#include "amd/isa/isa_tables.h"
#include "isa_test.h"
#include "util/bits.h"

static void assert_program(const char *text, const uint32_t *expected, unsigned count_dw)
{
    struct isa_asm_result result;
    bool ok = amd_isa_assemble(ISA_GFX10_3, 32, text, strlen(text), &result);
    if (!ok)
        fail_msg("%u:%u: %s", result.errors[0].line, result.errors[0].column, result.errors[0].message);
    assert_int_equal(result.count_dw, count_dw);
    assert_memory_equal(result.words, expected, count_dw * 4);
    amd_isa_asm_finish(&result);
}

#define PROGRAM(text, ...)                                                                                             \
    assert_program(text, (const uint32_t[]){__VA_ARGS__}, ARRAY_SIZE(((const uint32_t[]){__VA_ARGS__})))

static void branches_count_dwords_from_the_next_instruction(void **state)
{
    (void)state;
    PROGRAM("s_branch end\n"
            "again: v_mov_b32 v0, 0x12345678\n"
            "s_cbranch_scc1 again\n"
            "end: s_endpgm\n",
            0xbf820003, 0x7e0002ff, 0x12345678, 0xbf85fffd, 0xbf810000);
    PROGRAM(".Lhere: s_branch .Lhere", 0xbf82ffff);
    PROGRAM("s_call_b64 s[4:5], next\nnext:", 0xbb040000);
}

static void lines_comments_and_directives(void **state)
{
    (void)state;
    PROGRAM("# 1 \"file\"\n"
            "\t.text\n"
            "s_nop 0 ; nothing\r\n"
            "s_nop 1 // nothing\n"
            "/* over\n lines */ s_nop 2\n"
            ".long 0xdeadbeef, -1 ; data\n"
            "four = 4\n"
            ".set five, four + 1\n"
            "s_mov_b32 s0, five * four\n"
            "a: b: s_endpgm",
            0xbf800000, 0xbf800001, 0xbf800002, 0xdeadbeef, 0xffffffff, 0xbe800394, 0xbf810000);
    struct isa_asm_result result;
    assert_true(amd_isa_assemble(ISA_GFX10_3, 32, "", 0, &result));
    assert_int_equal(result.count_dw, 0);
    amd_isa_asm_finish(&result);
}

static void lane_masks_follow_the_wave_size(void **state)
{
    (void)state;
    static const char text32[] = "v_cmp_lt_f32 vcc_lo, v1, v2", text64[] = "v_cmp_lt_f32 vcc, v1, v2";
    struct isa_asm_result result;
    for (unsigned wave = 32; wave <= 64; wave *= 2) {
        for (unsigned text = 32; text <= 64; text *= 2) {
            bool ok = amd_isa_assemble(ISA_GFX10_3, wave, text == 32 ? text32 : text64,
                                       strlen(text == 32 ? text32 : text64), &result);
            assert_int_equal(ok, wave == text);
            if (ok)
                assert_int_equal(result.words[0], 0x7c020501);
            amd_isa_asm_finish(&result);
        }
    }
}

static void errors_have_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
        const char *message;
    } cases[] = {
        {"s_endpgm\nv_add_f32 v1, v2, q3\n", 2, 19, "'q3' is no register, constant or modifier"},
        {"v_frobnicate_b32 v0, v1", 1, 1, "unknown instruction 'v_frobnicate_b32' on gfx1030"},
        {"  v_mov_b32 v256, v1", 1, 13, "there is no such register"},
        {"s_mov_b64 s[1:2], 0", 1, 11, "scalar registers must begin at a multiple of 2"},
        {"v_add_f32_e32 v0, v1, s2", 1, 23, "expected 1 VGPR"},
        {"v_add_f32 v0, v1, v2 dmask:1", 1, 22, "the instruction has no 'dmask' in this encoding"},
        {"v_add_f32 v0, v1, v2 mul:2 clamp", 1, 28, "'clamp' must stand before 'mul'"},
        {"v_add3_u32 v0, s0, s1, s2", 1, 1, "the instruction reads more than 2 scalar values"},
        {"s_add_u32 s0, 0x1234, 0x1235", 1, 23, "an instruction has only one literal"},
        {"s_branch nowhere", 1, 10, "there is no label 'nowhere'"},
        {"a:\na:", 2, 1, "'a' is defined already"},
        {".section .text", 1, 1, "unknown directive '.section'"},
        {"s_nop 0 0", 1, 9, "one operand too many"},
        {"s_nop ((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))", 1, 40,
         "the expression is nested too deep"},
        {"s_nop 1/0", 1, 8, "the quotient does not exist"},
        {"s_nop 65536", 1, 7, "the number must be from -32768 to 65535"},
        {"s_waitcnt vmcnt(64)", 1, 17, "the counter must be from 0 to 63"},
        {"s_nop 0 /* open", 1, 9, "the comment has no end"},
        {"image_sample v[0:3], v[0:2], s[0:7], s[8:11] dmask:0xf dim:2D", 1, 22, "the address has 2 VGPRs, not 3"},
        {"global_atomic_add v[2:3], v4, off glc", 1, 19, "expected 1 VGPR"},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        struct isa_asm_result result;
        assert_false(amd_isa_assemble(ISA_GFX10_3, 32, cases[i].text, strlen(cases[i].text), &result));
        assert_string_equal(result.errors[0].message, cases[i].message);
        assert_int_equal(result.errors[0].line, cases[i].line);
        assert_int_equal(result.errors[0].column, cases[i].column);
        assert_int_equal(result.error_count, 1);
        amd_isa_asm_finish(&result);
    }
}

static void every_error_counts_and_twenty_are_kept(void **state)
{
    (void)state;
    char text[25 * 8 + 1] = "";
    for (unsigned i = 0; i < 25; i++)
        strcat(text, "s_nop x\n");
    struct isa_asm_result result;
    assert_false(amd_isa_assemble(ISA_GFX10_3, 32, text, strlen(text), &result));
    assert_int_equal(result.error_count, 25);
    assert_int_equal(result.errors[ISA_ASM_MAX_ERRORS - 1].line, 20);
    amd_isa_asm_finish(&result);
}

static void a_branch_reaches_32768_dwords(void **state)
{
    (void)state;
    enum {
        NOPS = 32768,
        LINE = 8
    };
    static char text[(NOPS + 4) * LINE + 64];
    struct isa_asm_result result;
    for (unsigned extra = 0; extra < 2; extra++) {
        size_t length = (size_t)snprintf(text, sizeof(text), "s_branch far\n");
        for (unsigned i = 0; i < NOPS - 1 + extra; i++) {
            memcpy(text + length, "s_nop 0\n", LINE);
            length += LINE;
        }
        length += (size_t)snprintf(text + length, sizeof(text) - length, "far:");
        assert_int_equal(amd_isa_assemble(ISA_GFX10_3, 32, text, length, &result), extra == 0);
        if (extra == 0)
            assert_int_equal(result.words[0], 0xbf827fff);
        amd_isa_asm_finish(&result);
    }
}

/* ---- text of what decodes, assembled again ---- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static bool is_inline_bits(uint32_t bits)
{
    static const uint32_t floats[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000,
                                      0x40800000, 0xc0800000, 0x3e22f983, 0x3800,     0xb800,     0x3c00,
                                      0xbc00,     0x4000,     0xc000,     0x4400,     0xc400,     0x3118};
    for (unsigned i = 0; i < ARRAY_SIZE(floats); i++) {
        if (bits == floats[i])
            return true;
    }
    return (int32_t)bits >= -16 && (int32_t)bits <= 64;
}

/* Images: more dwords of addresses than are needed, and what decodes but is refused by LLVM's assembler, and so by
 * ours. */
static bool image_has_own_text(const struct isa_op_info *info, const struct isa_mem *mem, unsigned data_count)
{
    unsigned values = info->properties & ISA_PROP_CMPSWAP ? 2 : 1;
    if (mem->nsa && mem->nsa != (mem->addr_count + 2) / 4)
        return false;
    if ((info->properties & ISA_PROP_GATHER4) && __builtin_popcount(mem->dmask) != 1)
        return false;
    if ((info->properties & ISA_PROP_MSAA) && mem->dim < 6)
        return false;
    if (info->memory != ISA_MEMORY_ATOMIC)
        return true;
    return (mem->dmask == 1 || mem->dmask == 3 || mem->dmask == 15) &&
           (data_count == values || data_count == 2 * values);
}

static bool is_wide_mask(const struct isa_operand *operand)
{
    if (operand->kind == ISA_OPERAND_SPECIAL)
        return amd_isa_special_pair_names[operand->value] != NULL;
    return operand->value % 2 == 0;
}

/* Encodings that have no text of their own: docs/isa-judge.md lists them. */
static bool has_own_text(const struct isa_inst *inst, unsigned wave_size, const char *text)
{
    const struct isa_op_info *info = isa_info(inst->op);
    bool vector = info->format >= ISA_FORMAT_VOP1 && info->format <= ISA_FORMAT_VINTRP;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand *operand = &inst->operands[i];
        unsigned type = info->operands[i].type;
        bool is_integer_half = type == ISA_TYPE_I16 || type == ISA_TYPE_U16 || type == ISA_TYPE_B16;
        bool is_half = is_integer_half || type == ISA_TYPE_F16 || (info->properties & ISA_PROP_MIX);
        bool is_packed = type == ISA_TYPE_I16X2 || type == ISA_TYPE_U16X2 || type == ISA_TYPE_F16X2;
        /* A literal that is an inline constant, too, is assembled as that one, and one of 16 bits has no more than 16.
         */
        if (operand->kind == ISA_OPERAND_LITERAL &&
            (is_inline_bits(inst->literal) || (is_half && inst->literal > 0xffff)))
            return false;
        /* Of a wait, bits that count nothing are not printed. */
        if (operand->kind == ISA_OPERAND_IMM && type == ISA_TYPE_WAITCNT && (operand->value & 0x80))
            return false;
        /* The decoder does not know the wave size: of two registers, some do not exist as a lane mask. */
        if (operand->count == ISA_COUNT_WAVE && wave_size == 64 && !is_wide_mask(operand))
            return false;
        /* Neither does the decoder mind what LLVM's assembler refuses: constants as masks, scalars of relative SDWA
         * sources. */
        bool is_register = operand->kind == ISA_OPERAND_SGPR || operand->kind == ISA_OPERAND_TTMP ||
                           operand->kind == ISA_OPERAND_SPECIAL;
        if (type == ISA_TYPE_MASK && !is_register)
            return false;
        if ((info->properties & ISA_PROP_RELATIVE) && inst->variant == ISA_VARIANT_SDWA &&
            operand->kind != ISA_OPERAND_VGPR)
            return false;
        /* The inline floats of 16-bit integers have the names of others. */
        if (operand->kind == ISA_OPERAND_FLOAT && (is_integer_half || (is_packed && type != ISA_TYPE_F16X2)))
            return false;
    }
    /* Operands that an invalidation ignores are not printed, nor which of several masks make the same permutation. */
    if ((info->properties & (ISA_PROP_CACHE_INV | ISA_PROP_TIME)) || strstr(text, "BITMASK_PERM"))
        return false;
    if (vector && info->operand_count == 0 && inst->variant != ISA_VARIANT_BASE)
        return false;
    if (info->format == ISA_FORMAT_MIMG && !image_has_own_text(info, &inst->mem, amd_isa_image_data_count(inst)))
        return false;
    return strstr(text, "invalid_target") == NULL;
}

/* Rules between operands that the decoder does not look at, and LLVM's assembler, like ours, does. */
static bool is_rule(const char *message)
{
    static const char *const rules[] = {
        "the instruction reads more than", "src_lds_direct can only be",  "scalar registers must begin at",
        "the result must not overlap",     "what goes to LDS has no tfe", "expected 4 VGPRs",
        "a scalar load cannot write",
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rules); i++) {
        if (strncmp(message, rules[i], strlen(rules[i])) == 0)
            return true;
    }
    return false;
}

static void text_assembles_to_what_it_was_printed_from(void **state)
{
    (void)state;
    enum {
        TRIES = 120
    };
    uint64_t seed = 0x9e3779b97f4a7c15;
    unsigned decoded_count = 0, own_text = 0, refused = 0, entries = 0;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        for (unsigned variant = 0; variant < ISA_VARIANT_COUNT; variant++) {
            unsigned number = amd_isa_generations[ISA_GFX10_3].encode[op][variant];
            if (number == 0)
                continue;
            entries++;
            const struct isa_entry *entry = &amd_isa_entries[number];
            for (unsigned i = 0; i < TRIES; i++) {
                uint64_t word = entry->value | (next_random(&seed) & next_random(&seed) & ~entry->mask);
                uint32_t words[ISA_MAX_DW] = {(uint32_t)word, (uint32_t)(word >> 32),
                                              (uint32_t)(next_random(&seed) & 0xffff), (uint32_t)next_random(&seed),
                                              (uint32_t)next_random(&seed)};
                struct isa_inst inst;
                if (amd_isa_decode(ISA_GFX10_3, words, ISA_MAX_DW, &inst) < 0)
                    continue;
                decoded_count++;
                unsigned wave_size = i % 2 ? 64 : 32;
                char text[ISA_MAX_TEXT];
                uint32_t again[ISA_MAX_DW];
                amd_isa_print(ISA_GFX10_3, wave_size, &inst, text);
                int size_dw = amd_isa_encode(ISA_GFX10_3, &inst, again, NULL);
                assert_true(size_dw > 0);
                if (!has_own_text(&inst, wave_size, text))
                    continue;
                own_text++;
                struct isa_asm_result result;
                if (!amd_isa_assemble(ISA_GFX10_3, wave_size, text, strlen(text), &result)) {
                    refused++;
                    if (is_rule(result.errors[0].message)) {
                        amd_isa_asm_finish(&result);
                        continue;
                    }
                    fail_msg("wave%u %08x %08x: %s: %u: %s", wave_size, words[0], words[1], text,
                             result.errors[0].column, result.errors[0].message);
                }
                if ((int)result.count_dw != size_dw || memcmp(result.words, again, (size_t)size_dw * 4) != 0)
                    fail_msg("wave%u %08x %08x: %s: assembles to %08x %08x instead of %08x %08x", wave_size, words[0],
                             words[1], text, result.words[0], result.count_dw > 1 ? result.words[1] : 0, again[0],
                             size_dw > 1 ? again[1] : 0);
                amd_isa_asm_finish(&result);
            }
        }
    }
    print_message("%u encodings, %u random words decode, %u have a text of their own, %u of them break a rule\n",
                  entries, decoded_count, own_text, refused);
    assert_true(own_text - refused > decoded_count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_count_dwords_from_the_next_instruction),
        cmocka_unit_test(lines_comments_and_directives),
        cmocka_unit_test(lane_masks_follow_the_wave_size),
        cmocka_unit_test(errors_have_their_place),
        cmocka_unit_test(every_error_counts_and_twenty_are_kept),
        cmocka_unit_test(a_branch_reaches_32768_dwords),
        cmocka_unit_test(text_assembles_to_what_it_was_printed_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
