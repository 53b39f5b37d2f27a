/* Facts that were looked up a second time, by hand: opcodes, registers, bits, formats, chips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mali/hw/chip.h"
#include "mali/hw/descriptors.h"
#include "mali/hw/instructions.h"
#include "mali/hw/regs_compute.h"
#include "mali/hw/regs_fragment.h"
#include "mali/hw/regs_idvs.h"
#include "mali/hw/table.h"
#include "util/bits.h"

static void instructions_are_words(void **state)
{
    assert_true(MALI_CS(MOVE, .DESTINATION = 40, .IMMEDIATE = 0x7fff12345678) == 0x01287fff12345678ull);
    assert_true(MALI_CS(MOVE32, .DESTINATION = 66, .IMMEDIATE = 0xdeadbeef) == 0x02420000deadbeefull);
    assert_true(MALI_CS(BRANCH, .OFFSET = -3, .CONDITION = MALI_CS_CONDITION_NEQUAL, .VALUE = 7) ==
                0x160007003000fffdull);
    assert_true(MALI_CS(SYNC_WAIT64, .ERROR_REJECT = true, .CONDITION = MALI_CS_CONDITION_GREATER, .DATA = 68,
                        .ADDRESS = 66) == 0x3500424410000001ull);
    assert_true(MALI_CS(WAIT, .WAIT_MASK = 0xff) == 0x0300000000ff0000ull);
    assert_true(MALI_CS(ERROR_BARRIER, 0) == 0x2f00000000000000ull);
    assert_true(MALI_CS(RUN_COMPUTE, .TASK_INCREMENT = 1, .TASK_AXIS = MALI_TASK_AXIS_Z, .FAU_SELECT = 3) ==
                0x0400c00000008001ull);
    assert_int_equal(mali_unpack_cs_LOAD_MULTIPLE(0x1442280000038000ull).OFFSET, -0x8000);
    assert_string_equal(hw_name(mali_instr_find(0x0600000000000000ull)), "RUN_IDVS");
    assert_null(mali_instr_find(0xff00000000000000ull));
    assert_int_equal(mali_instr_packet_count, 39);
}

static void registers_have_the_numbers_of_a_queue(void **state)
{
    assert_int_equal(MALI_SR(COMPUTE_SRT), 0);
    assert_int_equal(MALI_SR(COMPUTE_FAU), 8);
    assert_int_equal(MALI_SR(COMPUTE_SPD), 16);
    assert_int_equal(MALI_SR(COMPUTE_TSD), 24);
    assert_int_equal(MALI_SR(COMPUTE_WORKGROUP_SIZE), 33);
    assert_int_equal(MALI_SR(COMPUTE_JOB_SIZE_Z), 39);
    assert_int_equal(MALI_SR(IDVS_FRAGMENT_SPD), 20);
    assert_int_equal(MALI_SR(IDVS_TILER_CONTEXT), 40);
    assert_int_equal(MALI_SR(IDVS_SCISSOR), 42);
    assert_int_equal(MALI_SR(IDVS_BLEND), 50);
    assert_int_equal(MALI_SR(IDVS_PRIMITIVE_FLAGS), 56);
    assert_int_equal(MALI_SR(IDVS_DCD_FLAGS_1), 58);
    assert_int_equal(MALI_SR(IDVS_PRIMITIVE_SIZE), 60);
    assert_int_equal(MALI_SR(FRAGMENT_FBD), 40);
    assert_int_equal(MALI_SR(FRAGMENT_BOX), 42);
    assert_int_equal(MALI_PACK(COMPUTE_WORKGROUP_SIZE, .X = 64, .Y = 1, .Z = 2), 63 | 1 << 20);
    struct mali_FRAGMENT_FBD fbd = mali_unpack_FRAGMENT_FBD(0x7ffff0001000ull | 0x7);
    assert_int_equal(fbd.RENDER_TARGET_COUNT, 2);
    assert_true(fbd.ADDR == 0x7ffff0001000ull && fbd.ZS_CRC_EXTENSION_PRESENT);
}

static void descriptors_count_from_one_where_the_hardware_does(void **state)
{
    uint32_t dw[MALI_DESC_TEXTURE_DW];
    struct mali_desc_TEXTURE texture = {.TYPE = MALI_DESCRIPTOR_TYPE_TEXTURE,
                                        .DIMENSION = MALI_TEXTURE_DIMENSION_2D,
                                        .FORMAT = 187,
                                        .SRGB = true,
                                        .WIDTH = 65536,
                                        .HEIGHT = 1,
                                        .LEVELS = 3,
                                        .SAMPLE_COUNT = 4,
                                        .SURFACES = 0x123456789000,
                                        .ARRAY_SIZE = 6,
                                        .DEPTH = 1};
    mali_pack_desc_TEXTURE(dw, &texture);
    assert_int_equal(dw[0], 2 | 2 << 4 | 187u << 22 | 1u << 30);
    assert_int_equal(dw[1], 0xffff);
    assert_int_equal(dw[2], 2 << 16);
    assert_int_equal(dw[3], 2 << 13);
    assert_int_equal(dw[4], 0x56789000);
    assert_int_equal(dw[5], 0x1234);
    assert_int_equal(dw[6], 5);
    uint32_t storage[MALI_DESC_LOCAL_STORAGE_DW] = {0, 31};
    assert_int_equal(mali_unpack_desc_LOCAL_STORAGE(storage).WLS_INSTANCES, 0x80000000u);
    uint32_t fb[MALI_DESC_FRAMEBUFFER_DW] = {[11] = 8u << 9 | 4u << 24};
    assert_int_equal(mali_unpack_desc_FRAMEBUFFER(fb).EFFECTIVE_TILE_SIZE, 256);
    assert_int_equal(mali_unpack_desc_FRAMEBUFFER(fb).COLOR_BUFFER_ALLOCATION, 4096);
    assert_int_equal(mali_unpack_desc_FRAMEBUFFER(fb).SAMPLE_COUNT, 1);
}

static void a_draw_in_memory_has_the_flags_of_the_registers(void **state)
{
    uint32_t dw[MALI_DESC_DRAW_DW] = {1u << 19 | 3u << 2, 0xff | 1u << 16, [12] = 2 | 0x1230, [26] = 0x40};
    struct mali_desc_DRAW draw = mali_unpack_desc_DRAW(dw);
    assert_true(draw.MULTISAMPLE_ENABLE);
    assert_int_equal(draw.PIXEL_KILL_OPERATION, MALI_PIXEL_KILL_FORCE_LATE);
    assert_int_equal(draw.SAMPLE_MASK, 0xff);
    assert_int_equal(draw.RENDER_TARGET_MASK, 1);
    assert_int_equal(draw.BLEND_COUNT, 2);
    assert_int_equal(draw.BLEND, 0x1230);
    assert_int_equal(draw.SHADER, 0x40);
}

static void formats_have_their_numbers(void **state)
{
    const struct mali_format *rgba8 = mali_format_find(187);
    assert_string_equal(rgba8->name, "RGBA8_UNORM");
    assert_int_equal(rgba8->bits, 32);
    assert_memory_equal(rgba8->letters, "rgba", 4);
    assert_int_equal(mali_format_find(223)->numeric, MALI_NUMERIC_FLOAT);
    assert_memory_equal(mali_format_find(68)->letters, "abgr", 4);
    assert_true(mali_format_find(237)->is_tile);
    assert_null(mali_format_find(0));
    assert_null(mali_format_find(1000));
    assert_int_equal(mali_clump_find(MALI_CLUMP_FORMAT_ETC2_RGBA8)->size_B, 16);
    assert_int_equal(mali_clump_find(MALI_CLUMP_FORMAT_RAW8)->size_B, 1);
    assert_null(mali_clump_find(MALI_CLUMP_FORMAT_Y8_UV8_420));
}

/* Numbers and names of clumps are in an enum, too. */
static void clumps_have_the_names_of_the_enum(void **state)
{
    for (unsigned i = 0; i < mali_descriptor_count; i++) {
        for (unsigned f = 0; f < mali_descriptors[i].field_count; f++) {
            const struct hw_field *field = &hw_fields(&mali_descriptors[i])[f];
            for (unsigned c = 0; strcmp(hw_name(field), "CLUMP_FORMAT") == 0 && c < mali_clump_count; c++)
                assert_string_equal(hw_enum_name(hw_follow(&field->values), mali_clumps[c].number), mali_clumps[c].name);
        }
    }
}

static void chips_differ_where_they_should(void **state)
{
    const struct mali_chip *g610 = mali_chip_find("mali-g610"), *g710 = mali_chip_find("mali-g710");
    assert_non_null(g610);
    assert_non_null(g710);
    assert_null(mali_chip_find("mali-g999"));
    assert_int_equal(g610->gpu_id >> 16, 0xa867);
    assert_int_equal(g710->gpu_id >> 16, 0xa862);
    assert_int_equal(mali_chip_core_count(g610), 4);
    assert_int_equal(mali_chip_core_id_range(g610), 19);
    assert_int_equal(mali_chip_core_count(g710), 10);
    assert_int_equal(g610->mmu_features & 0xff, 48);
    assert_int_equal(g610->cs_reg_count, 96);
    assert_int_equal(g610->scoreboard_slot_count, 8);
    assert_false(g610->texture_features_0 & 1u << 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_words),
        cmocka_unit_test(registers_have_the_numbers_of_a_queue),
        cmocka_unit_test(descriptors_count_from_one_where_the_hardware_does),
        cmocka_unit_test(a_draw_in_memory_has_the_flags_of_the_registers),
        cmocka_unit_test(formats_have_their_numbers),
        cmocka_unit_test(clumps_have_the_names_of_the_enum),
        cmocka_unit_test(chips_differ_where_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
