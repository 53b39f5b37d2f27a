/* Facts that were looked up a second time, by hand: places of registers, bits, formats, chips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adreno/hw/chip.h"
#include "adreno/hw/descriptors.h"
#include "adreno/hw/packets.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vfd.h"
#include "adreno/hw/regs_vsc.h"
#include "adreno/hw/table.h"
#include "util/bits.h"

static void registers_are_where_streams_write_them(void **state)
{
    static const struct {
        const char *name;
        uint32_t reg;
    } facts[] = {
        {"VSC_BIN_SIZE", 0x0c02},
        {"GRAS_CL_CNTL", 0x8000},
        {"GRAS_LRZ_CNTL", 0x8100},
        {"RB_CNTL", 0x8800},
        {"RB_MRT0_CONTROL", 0x8820},
        {"RB_MRT7_BASE_GMEM", 0x885f},
        {"RB_CCU_CNTL", 0x8e07},
        {"VPC_PS_CNTL", 0x9304},
        {"PC_CNTL", 0x9b00},
        {"VFD_CNTL_0", 0xa000},
        {"VFD_VERTEX_BUFFER31_STRIDE", 0xa08f},
        {"SP_VS_CNTL_0", 0xa800},
        {"SP_PS_CNTL_0", 0xa980},
        {"SP_CS_CNTL_0", 0xa9b0},
        {"HLSQ_SHARED_CONSTS", 0xbb11},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(facts); i++) {
        unsigned index, found;
        const struct hw_reg *reg = hw_reg_find_name(&adreno_hw_tables, facts[i].name, &index);
        if (!reg)
            fail_msg("no %s", facts[i].name);
        assert_ptr_equal(adreno_reg_find(facts[i].reg, &found), reg);
        assert_int_equal(found, index);
    }
}

/* Registers that Turnip writes on both chips of the table have a row; these numbers are from its streams. */
static void first_streams_are_known(void **state)
{
    static const uint16_t regs[] = {
        0x0c02, 0x0c03, 0x0c06, 0x0c10, 0x0c2f, 0x0c30, 0x0d08, 0x0e12, 0x0e19, 0x8099, 0x80af, 0x8110, 0x8600,
        0x8811, 0x8818, 0x881e, 0x88f0, 0x8a30, 0x8c01, 0x8e01, 0x8e04, 0x9107, 0x9210, 0x9211, 0x9236, 0x9300,
        0x9306, 0x9600, 0x9602, 0x9804, 0x980a, 0x9e72, 0xa601, 0xa9a8, 0xab00, 0xab20, 0xae00, 0xae03, 0xae04,
        0xae0f, 0xb182, 0xb183, 0xb2d1, 0xb309, 0xb600, 0xb605, 0xbb08, 0xbb11, 0xbe00, 0xbe01, 0xbe04};
    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        if (!adreno_reg_find(regs[i], NULL))
            fail_msg("register 0x%04x is not in the tables", regs[i]);
    }
}

static void fields_are_in_their_bits(void **state)
{
    assert_int_equal(ADRENO_PACK(RB_CNTL, .BINW = 1024, .BINH = 1008), 1024 >> 5 | (1008 >> 4) << 8);
    assert_int_equal(ADRENO_PACK(RB_MRT_CONTROL, .COLOR_BLEND_EN = true, .COMPONENT_ENABLE = 0xf), 1 | 0xf << 7);
    assert_int_equal(ADRENO_PACK(RB_MRT_BASE_GMEM, .VALUE = 0x21000), 0x21000);
    assert_true(ADRENO_PACK(RB_MRT_BASE, .ADDR = 0x123456789000) == 0x123456789000);
    assert_int_equal(ADRENO_GET(SP_PS_CNTL_0, FULLREGFOOTPRINT, 5u << 7), 5);
}

static void descriptors_hold_an_address_across_dwords(void **state)
{
    uint32_t dw[ADRENO_DESC_IMAGE_DW];
    struct adreno_desc_IMAGE image = {.BASE = 0x1234567890e0, .WIDTH = 640, .HEIGHT = 480, .DEPTH = 3, .PITCH = 2560};
    adreno_pack_desc_IMAGE(dw, &image);
    assert_int_equal(dw[4], 0x567890e0);
    assert_int_equal(dw[5], 0x1234 | 3 << 17);
    assert_int_equal(dw[1], 640 | 480 << 15);
    assert_int_equal(dw[2], 2560 << 7);
    struct adreno_desc_UBO ubo = {.BASE = 0x100000010, .SIZE = 4};
    adreno_pack_desc_UBO(dw, &ubo);
    assert_int_equal(dw[1], 1 | 4 << 17);
}

static void formats_have_their_numbers(void **state)
{
    const struct adreno_format *rgba8 = adreno_format_find(0x30);
    assert_string_equal(rgba8->name, "8_8_8_8_UNORM");
    assert_int_equal(rgba8->block_bits, 32);
    assert_int_equal(adreno_format_find(0x4a)->numeric, ADRENO_NUMERIC_FLOAT);
    assert_int_equal(adreno_format_find(0xce)->block_width, 12);
    assert_true(adreno_format_find(0xa0)->is_depth);
    assert_null(adreno_format_find(0));
    assert_null(adreno_format_find(0xff));
    assert_null(adreno_format_find(0x1000));
}

static void packets_have_their_opcodes(void **state)
{
    assert_int_equal(ADRENO_PKT_CP_DRAW_INDX_OFFSET, 0x38);
    assert_int_equal(ADRENO_PKT_CP_EXEC_CS, 0x33);
    assert_int_equal(ADRENO_PKT_CP_BLIT, 0x2c);
    assert_int_equal(adreno_pkt7_header(ADRENO_PKT_CP_WAIT_FOR_IDLE, 1), 0x70268000);
    assert_int_equal(adreno_pkt4_header(ADRENO_REG_RB_CCU_CNTL, 1), 0x408e0701);
}

static void chips_differ_where_they_should(void **state)
{
    const struct adreno_chip *a635 = adreno_chip_find("adreno-635"), *a618 = adreno_chip_find("adreno-618");
    assert_non_null(a635);
    assert_non_null(a618);
    assert_null(adreno_chip_find("adreno-999"));
    assert_int_equal(a635->chip_id, 0x06030500);
    assert_int_equal(a618->chip_id, 0x06010800);
    assert_int_equal(a635->gmem_size_B, 512 << 10);
    assert_int_equal(a635->ccu_count, 2);
    assert_int_equal(a618->ccu_count, 1);
    assert_int_equal(a635->reg_size_vec4, 64);
    assert_int_equal(a618->reg_size_vec4, 96);
    assert_true(a635->has_getfiberid && !a618->has_getfiberid);
    assert_true(a618->quirk_indirect_draw_wfm && !a635->quirk_indirect_draw_wfm);
}

/* The kernel of the 635 protects all that the tables call the kernel's, and nothing that a program writes. */
static void the_kernel_protects_its_registers(void **state)
{
    const struct adreno_chip *chip = adreno_chip_find("adreno-635");
    for (unsigned i = 0; i < adreno_reg_count; i++) {
        const struct hw_reg *reg = &adreno_regs[i];
        bool is_kernels = reg->space == ADRENO_SPACE_KERNEL;
        if (adreno_chip_may_write(chip, reg->offset[0]) == is_kernels)
            fail_msg("%s", hw_name(reg));
        assert_true(!is_kernels || reg->policy == HW_POLICY_STOP);
    }
    assert_true(adreno_chip_may_read(chip, 0x0210));
    assert_false(adreno_chip_may_read(chip, 0x0800));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_where_streams_write_them),
        cmocka_unit_test(first_streams_are_known),
        cmocka_unit_test(fields_are_in_their_bits),
        cmocka_unit_test(descriptors_hold_an_address_across_dwords),
        cmocka_unit_test(formats_have_their_numbers),
        cmocka_unit_test(packets_have_their_opcodes),
        cmocka_unit_test(chips_differ_where_they_should),
        cmocka_unit_test(the_kernel_protects_its_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
