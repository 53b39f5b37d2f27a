/* Statements about the hardware that no table here may contradict: each can be looked up in AMD's published registers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amd/hw/descriptors.h"
#include "amd/hw/packets.h"
#include "amd/hw/regs_cb.h"
#include "amd/hw/regs_compute.h"
#include "amd/hw/regs_cp.h"
#include "amd/hw/regs_db.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_pa.h"
#include "amd/hw/regs_sc.h"
#include "amd/hw/regs_spi.h"
#include "amd/hw/regs_sq.h"
#include "amd/hw/table.h"

static const enum amd_gfx gfx = AMD_GFX10_3;

static void eight_colour_buffers_stand_in_two_arrays(void **state)
{
    unsigned index;
    assert_int_equal(AMD_REG_CB_COLOR_INFO_GFX10_3, 0x28c70);
    assert_int_equal(AMD_REG_CB_COLOR_INFO_COUNT, 8);
    assert_int_equal(AMD_REG_CB_COLOR_INFO_STRIDE, 0x3c);
    const struct hw_reg *reg = amd_reg_find(gfx, 0x28c70 + 7 * 0x3c, &index);
    assert_string_equal(hw_name(reg), "CB_COLOR#_INFO");
    assert_int_equal(index, 7);
    /* what 64-bit addresses and GFX9's sizes need came later and is packed */
    assert_string_equal(hw_name(amd_reg_find(gfx, 0x28ee0 + 4 * 3, &index)), "CB_COLOR#_ATTRIB3");
    assert_int_equal(index, 3);
}

static void an_rgba8_colour_buffer_in_bgra_order(void **state)
{
    uint32_t word = AMD_PACK(gfx, CB_COLOR_INFO, .FORMAT = AMD_COLOR_FORMAT_8_8_8_8,
                             .NUMBER_TYPE = AMD_NUMBER_TYPE_SRGB, .COMP_SWAP = AMD_COMP_SWAP_ALT, .BLEND_CLAMP = true);
    assert_int_equal(word, 10u << 2 | 6u << 8 | 1u << 11 | 1u << 15);
    assert_int_equal(AMD_GET(gfx, CB_COLOR_INFO, COMP_SWAP, word), AMD_COMP_SWAP_ALT);
}

static void gfx11_moved_the_colour_format_to_bit_zero(void **state)
{
    const struct amd_CB_COLOR_INFO info = {.FORMAT = AMD_COLOR_FORMAT_8_8_8_8};
    assert_int_equal(amd_pack_CB_COLOR_INFO(AMD_GFX9, &info), 10u << 2);
    assert_int_equal(amd_pack_CB_COLOR_INFO(AMD_GFX10_3, &info), 10u << 2);
    assert_int_equal(amd_pack_CB_COLOR_INFO(AMD_GFX11, &info), 10u);
}

static void gfx9_has_its_depth_buffer_two_registers_earlier(void **state)
{
    assert_int_equal(AMD_REG_DB_Z_INFO_GFX9, 0x28038);
    assert_int_equal(AMD_REG_DB_Z_INFO_GFX10_3, 0x28040);
    assert_string_equal(hw_name(amd_reg_find(AMD_GFX9, 0x28038, NULL)), "DB_Z_INFO");
    assert_string_equal(hw_name(amd_reg_find(AMD_GFX10_3, 0x28038, NULL)), "DB_DFSM_CONTROL");
}

static void clear_state_opens_the_scissors_and_the_masks(void **state)
{
    assert_int_equal(AMD_CLEAR_CB_TARGET_MASK, 0xffffffff);
    assert_int_equal(AMD_CLEAR_PA_SC_CLIPRECT_RULE, 0xffff);
    struct amd_PA_SC_SCREEN_SCISSOR_BR br = amd_unpack_PA_SC_SCREEN_SCISSOR_BR(gfx, AMD_CLEAR_PA_SC_SCREEN_SCISSOR_BR);
    assert_int_equal(br.BR_X, 16384);
    assert_int_equal(br.BR_Y, 16384);
    assert_true(AMD_GET(gfx, PA_CL_GB_VERT_CLIP_ADJ, VALUE, AMD_CLEAR_PA_CL_GB_VERT_CLIP_ADJ) == 1.0f);
    assert_true(AMD_GET(gfx, PA_SC_VPORT_ZMAX, VALUE, AMD_CLEAR_PA_SC_VPORT_ZMAX) == 1.0f);
}

static void keep_register(void *data, uint32_t offset_B, uint32_t value)
{
    uint32_t *context = data;
    assert_in_range(offset_B, 0x28000, 0x28fff);
    context[(offset_B - 0x28000) / 4] = value;
}

static void clear_state_writes_arrays_whole(void **state)
{
    static uint32_t context[1024];
    amd_clear_state(gfx, keep_register, context);
    assert_int_equal(context[(AMD_REG_CB_TARGET_MASK - 0x28000) / 4], 0xffffffff);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(context[(AMD_REG_PA_SC_VPORT_ZMAX + 8 * i - 0x28000) / 4], 0x3f800000);
}

static void sixteen_viewports_of_six_floats(void **state)
{
    static const char *const names[] = {"XSCALE", "XOFFSET", "YSCALE", "YOFFSET", "ZSCALE", "ZOFFSET"};
    for (unsigned i = 0; i < 16 * 6; i++) {
        unsigned index;
        const struct hw_reg *reg = amd_reg_find(gfx, AMD_REG_PA_CL_VPORT_XSCALE + 4 * i, &index);
        assert_non_null(reg);
        assert_non_null(strstr(hw_name(reg), names[i % 6]));
        assert_int_equal(index, i / 6);
    }
}

static void sample_positions_are_signed_sixteenths(void **state)
{
    uint32_t word = AMD_PACK(gfx, PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, .S0_X = -2, .S0_Y = -6, .S1_X = 6, .S1_Y = -8);
    assert_int_equal(word, 0x86ae);
    struct amd_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0 locs = amd_unpack_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0(gfx, word);
    assert_int_equal(locs.S0_X, -2);
    assert_int_equal(locs.S1_Y, -8);
}

static void compute_resources_are_where_the_abi_says(void **state)
{
    uint32_t rsrc1 = AMD_PACK(gfx, COMPUTE_PGM_RSRC1, .VGPRS = 3, .FLOAT_MODE = 0xc0, .DX10_CLAMP = true,
                              .MEM_ORDERED = true, .WGP_MODE = true);
    assert_int_equal(rsrc1, 3u | 0xc0u << 12 | 1u << 21 | 1u << 29 | 1u << 30);
    uint32_t rsrc2 =
        AMD_PACK(gfx, COMPUTE_PGM_RSRC2, .USER_SGPR = 6, .TGID_X_EN = true, .TIDIG_COMP_CNT = 2, .LDS_SIZE = 1);
    assert_int_equal(rsrc2, 6u << 1 | 1u << 7 | 2u << 11 | 1u << 15);
    assert_int_equal(AMD_PACK(gfx, COMPUTE_DISPATCH_INITIATOR, .COMPUTE_SHADER_EN = true, .CS_W32_EN = true), 0x8001);
}

static void user_data_is_thirty_two_sgprs_for_graphics_and_sixteen_for_compute(void **state)
{
    assert_int_equal(AMD_REG_SPI_SHADER_USER_DATA_PS_COUNT, 32);
    assert_int_equal(AMD_REG_SPI_SHADER_USER_DATA_GS_COUNT, 32);
    assert_int_equal(AMD_REG_COMPUTE_USER_DATA_COUNT, 16);
    assert_int_equal(AMD_REG_COMPUTE_USER_DATA, 0xb900);
}

static void gb_addr_config_says_the_pipes_of_navi21(void **state)
{
    struct amd_GB_ADDR_CONFIG config = amd_unpack_GB_ADDR_CONFIG(gfx, amd_chip_find("navi21")->gb_addr_config);
    assert_int_equal(1 << config.NUM_PIPES, 16);
    assert_int_equal(256 << config.PIPE_INTERLEAVE_SIZE, 256);
    assert_int_equal(1 << config.NUM_PKRS, 16);
    /* the kernel's dword offset of the same register */
    assert_int_equal(AMD_REG_GB_ADDR_CONFIG_GFX10_3 / 4, 0x263e);
}

/* s_getreg's numbers are the registers' indices. */
static void wave_registers_have_the_numbers_of_getreg(void **state)
{
    assert_int_equal(AMD_REG_SQ_WAVE_MODE_GFX10_3 / 4 - 0x100, 1);
    assert_int_equal(AMD_REG_SQ_WAVE_STATUS_GFX10_3 / 4 - 0x100, 2);
    assert_int_equal(AMD_REG_SQ_WAVE_HW_ID1_GFX10_3 / 4 - 0x100, 23);
    assert_int_equal(AMD_REG_SQ_WAVE_SHADER_CYCLES_GFX10_3 / 4 - 0x100, 29);
}

static void a_packet_header_counts_dwords_behind_it_less_one(void **state)
{
    uint32_t dw[AMD_PKT_DRAW_INDEX_2_DW];
    unsigned length = amd_pack_pkt_DRAW_INDEX_2(
        gfx, dw,
        &(struct amd_pkt_DRAW_INDEX_2){
            .MAX_SIZE = 3, .INDEX_BASE = 0xffff800123456788, .INDEX_COUNT = 3, .SOURCE_SELECT = AMD_DRAW_SOURCE_DMA});
    const uint32_t expected[] = {0xc0042700, 3, 0x23456788, 0xffff8001, 3, 0};
    assert_int_equal(length, 6);
    assert_memory_equal(dw, expected, sizeof(expected));
}

static void a_set_packet_counts_its_values(void **state)
{
    uint32_t dw[4];
    unsigned length = amd_pack_pkt_SET_SH_REG(
        gfx, dw,
        &(struct amd_pkt_SET_SH_REG){
            .flags = {.compute = true}, .REG_OFFSET = (AMD_REG_COMPUTE_PGM_LO - 0xb000) / 4, .tail_dw = 2});
    assert_int_equal(length, 2);
    assert_int_equal(dw[0], 0xc0027602);
    assert_int_equal(dw[1], 0x20c);
}

static void acquire_mem_grew_a_dword_with_gfx10(void **state)
{
    uint32_t dw[8];
    const struct amd_pkt_ACQUIRE_MEM none = {0};
    assert_int_equal(amd_pack_pkt_ACQUIRE_MEM(AMD_GFX9, dw, &none), 7);
    assert_int_equal(
        amd_pack_pkt_ACQUIRE_MEM(AMD_GFX10_3, dw, &(struct amd_pkt_ACQUIRE_MEM){.GL2_WB = true, .GLV_INV = true}), 8);
    assert_int_equal(dw[7], 1u << 15 | 1u << 8);
}

static void an_event_may_come_without_its_address(void **state)
{
    const uint32_t dw[] = {0xc0004600, 0x40f};
    struct amd_pkt_EVENT_WRITE event;
    assert_true(amd_unpack_pkt_EVENT_WRITE(gfx, dw, 2, &event));
    assert_int_equal(event.EVENT_TYPE, AMD_EVENT_TYPE_VS_PARTIAL_FLUSH);
    assert_int_equal(event.ADDR, 0);
    assert_false(amd_unpack_pkt_EVENT_WRITE(gfx, dw, 1, &event));
}

static void two_dispatches_share_an_opcode_and_differ_in_length(void **state)
{
    assert_string_equal(hw_name(amd_packet_find(gfx, 0x16, 3)), "DISPATCH_INDIRECT");
    assert_string_equal(hw_name(amd_packet_find(gfx, 0x16, 4)), "DISPATCH_INDIRECT_MEC");
    assert_null(amd_packet_find(gfx, 0xff, 2));
    assert_null(amd_packet_find(gfx, 0x100, 2));
}

static void an_images_width_goes_over_a_word_boundary(void **state)
{
    uint32_t dw[8];
    amd_pack_desc_IMAGE(
        gfx, dw,
        &(struct amd_desc_IMAGE){.BASE_ADDRESS = 0xff12345678,
                                 .FORMAT = (uint32_t)amd_image_format_find_name("8_8_8_8_UNORM")->number[gfx],
                                 .WIDTH = 1919,
                                 .HEIGHT = 1079,
                                 .TYPE = AMD_IMG_TYPE_2D,
                                 .SW_MODE = AMD_SW_MODE_64KB_R_X,
                                 .DST_SEL_X = AMD_DST_SEL_X,
                                 .META_ADDRESS = 0xab00000001,
                                 .RESOURCE_LEVEL = 1});
    assert_int_equal(dw[0], 0x12345678);
    assert_int_equal(dw[1], 0xffu | 56u << 20 | (1919u & 3) << 30);
    assert_int_equal(dw[2], 1919u >> 2 | 1079u << 14 | 1u << 31);
    assert_int_equal(dw[3], 4u | 27u << 20 | 9u << 28);
    assert_int_equal(dw[6], 0x01000000);
    assert_int_equal(dw[7], 0xab000000);
    assert_int_equal(amd_unpack_desc_IMAGE(gfx, dw).WIDTH, 1919);
}

static void a_samplers_bias_is_signed(void **state)
{
    uint32_t dw[4];
    amd_pack_desc_SAMPLER(gfx, dw,
                          &(struct amd_desc_SAMPLER){.LOD_BIAS = -256, .MAX_LOD = 15 * 256, .BORDER_COLOR_PTR = 5});
    assert_int_equal(dw[2], 0x3f00);
    assert_int_equal(dw[3], 5);
    assert_int_equal(amd_unpack_desc_SAMPLER(gfx, dw).LOD_BIAS, -256);
    amd_pack_desc_SAMPLER(AMD_GFX11, dw, &(struct amd_desc_SAMPLER){.BORDER_COLOR_PTR = 5});
    assert_int_equal(dw[3], 5u << 18);
}

static void formats_have_channels_from_the_lowest_bit_up(void **state)
{
    const struct amd_image_format *format = amd_image_format_find(AMD_GFX10_3, 50);
    assert_string_equal(format->name, "2_10_10_10_UNORM");
    assert_int_equal(format->widths[0], 10);
    assert_int_equal(format->widths[3], 2);
    assert_int_equal(amd_image_format_find(AMD_GFX11, 36) == format, true);
    assert_null(amd_image_format_find(AMD_GFX10_3, 0));
    assert_null(amd_image_format_find(AMD_GFX10_3, 511));
    assert_null(amd_image_format_find(AMD_GFX9, 50));
    assert_int_equal(amd_image_format_find_name("BC1_UNORM")->block_width, 4);
    assert_true(amd_image_format_find_name("FMASK8_S4_F4")->fmask);
}

static void ordered_ids_stop_a_model_and_the_default_does_not(void **state)
{
    const struct hw_reg *reg = amd_reg_find_name("VGT_SHADER_STAGES_EN", NULL);
    const struct hw_field *field;
    uint32_t ordered = AMD_PACK(gfx, VGT_SHADER_STAGES_EN, .ORDERED_ID_MODE = 1);
    assert_false(hw_reg_write_stops(reg, gfx,
                                    AMD_PACK(gfx, VGT_SHADER_STAGES_EN, .PRIMGEN_EN = true, .GS_EN = AMD_GS_STAGE_ON)));
    assert_true(hw_reg_write_stops(reg, gfx, ordered));
    assert_non_null(hw_reg_stop_reason(reg, gfx, ordered, &field));
    assert_string_equal(hw_name(field), "ORDERED_ID_MODE");
}

static void a_register_may_stop_unless_it_has_one_value(void **state)
{
    const struct hw_reg *reg = amd_reg_find_name("GL2C_PERFCOUNTER0_SELECT1", NULL);
    assert_false(hw_reg_write_stops(reg, gfx, 0));
    assert_true(hw_reg_write_stops(reg, gfx, 1));
    reg = amd_reg_find_name("VGT_DRAW_INITIATOR", NULL);
    assert_true(hw_reg_write_stops(reg, gfx, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_colour_buffers_stand_in_two_arrays),
        cmocka_unit_test(an_rgba8_colour_buffer_in_bgra_order),
        cmocka_unit_test(gfx11_moved_the_colour_format_to_bit_zero),
        cmocka_unit_test(gfx9_has_its_depth_buffer_two_registers_earlier),
        cmocka_unit_test(clear_state_opens_the_scissors_and_the_masks),
        cmocka_unit_test(clear_state_writes_arrays_whole),
        cmocka_unit_test(sixteen_viewports_of_six_floats),
        cmocka_unit_test(sample_positions_are_signed_sixteenths),
        cmocka_unit_test(compute_resources_are_where_the_abi_says),
        cmocka_unit_test(user_data_is_thirty_two_sgprs_for_graphics_and_sixteen_for_compute),
        cmocka_unit_test(gb_addr_config_says_the_pipes_of_navi21),
        cmocka_unit_test(wave_registers_have_the_numbers_of_getreg),
        cmocka_unit_test(a_packet_header_counts_dwords_behind_it_less_one),
        cmocka_unit_test(a_set_packet_counts_its_values),
        cmocka_unit_test(acquire_mem_grew_a_dword_with_gfx10),
        cmocka_unit_test(an_event_may_come_without_its_address),
        cmocka_unit_test(two_dispatches_share_an_opcode_and_differ_in_length),
        cmocka_unit_test(an_images_width_goes_over_a_word_boundary),
        cmocka_unit_test(a_samplers_bias_is_signed),
        cmocka_unit_test(formats_have_channels_from_the_lowest_bit_up),
        cmocka_unit_test(ordered_ids_stop_a_model_and_the_default_does_not),
        cmocka_unit_test(a_register_may_stop_unless_it_has_one_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
