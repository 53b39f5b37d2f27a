/* Statements about the chips: each number here is said by the kernel of a real card. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amd/hw/chip.h"

static unsigned enabled_cus(const struct amd_chip *chip)
{
    unsigned count = 0;
    for (unsigned se = 0; se < chip->shader_engines; se++) {
        for (unsigned sa = 0; sa < chip->shader_arrays_per_engine; sa++)
            count += (unsigned)__builtin_popcount(chip->cu_bitmap[se][sa]);
    }
    return count;
}

static void navi21_has_sixty_cus_in_three_of_four_engines(void **state)
{
    const struct amd_chip *chip = amd_chip_find("navi21");
    assert_non_null(chip);
    assert_int_equal(chip->shader_engines, 4);
    assert_int_equal(chip->cu_active, 60);
    assert_int_equal(enabled_cus(chip), 60);
    assert_int_equal(chip->cu_bitmap[1][0] | chip->cu_bitmap[1][1], 0);
    assert_true(amd_chip_cu_is_enabled(chip, 0, 1, 9));
    assert_false(amd_chip_cu_is_enabled(chip, 0, 1, 10));
    assert_false(amd_chip_cu_is_enabled(chip, 1, 0, 0));
    assert_false(amd_chip_cu_is_enabled(chip, 4, 0, 0));
}

static void navi21_lost_four_render_backends_with_its_engine(void **state)
{
    const struct amd_chip *chip = amd_chip_find("navi21");
    assert_int_equal(chip->rb_count, 16);
    assert_int_equal(chip->rb_enabled_mask, 0xff0f);
    assert_int_equal(__builtin_popcount(chip->rb_enabled_mask), 12);
}

static void navi21_is_known_by_family_and_revision(void **state)
{
    const struct amd_chip *chip = amd_chip_find("navi21");
    assert_int_equal(chip->family, 143);
    assert_int_equal(chip->external_rev, 0x29);
    assert_int_equal(chip->device_id, 0x73bf);
    assert_int_equal(chip->gfx, AMD_GFX10_3);
    assert_false(chip->apu);
}

static void gb_addr_config_is_readable(void **state)
{
    for (size_t i = 0; i < amd_chip_count; i++) {
        const struct amd_chip *chip = amd_chips[i];
        bool found = false;
        for (unsigned m = 0; m < chip->mmr_count; m++)
            found |= chip->mmrs[m].offset_dw == 0x263e && chip->mmrs[m].value == chip->gb_addr_config;
        assert_true(found);
    }
    assert_int_equal(amd_chip_find("navi21")->gb_addr_config, 0x444);
}

static void vangogh_is_an_apu_whose_vram_is_all_visible(void **state)
{
    const struct amd_chip *chip = amd_chip_find("vangogh");
    assert_non_null(chip);
    assert_true(chip->apu);
    assert_int_equal(chip->ids_flags & 1, 1);
    assert_int_equal(chip->vram.total_B, chip->vram_visible.total_B);
    assert_int_equal(enabled_cus(chip), 8);
}

static void chips_and_generations_are_found_by_name(void **state)
{
    enum amd_gfx gfx = AMD_GFX_COUNT;
    assert_ptr_equal(amd_chip_find("gfx1030"), amd_chip_find("navi21"));
    assert_ptr_equal(amd_chip_find("gfx1033"), amd_chip_find("vangogh"));
    assert_null(amd_chip_find("navi99"));
    assert_true(amd_gfx_find("navi21", &gfx) && gfx == AMD_GFX10_3);
    assert_true(amd_gfx_find("gfx1034", &gfx) && gfx == AMD_GFX10_3);
    assert_true(amd_gfx_find("gfx900", &gfx) && gfx == AMD_GFX9);
    assert_true(amd_gfx_find("gfx90c", &gfx) && gfx == AMD_GFX9);
    assert_true(amd_gfx_find("gfx1100", &gfx) && gfx == AMD_GFX11);
    assert_true(amd_gfx_find("gfx11", &gfx) && gfx == AMD_GFX11);
    assert_false(amd_gfx_find("gfx1010", &gfx));
    assert_false(amd_gfx_find("gfx103", &gfx));
    assert_false(amd_gfx_find("", &gfx));
    assert_string_equal(amd_gfx_name(AMD_GFX10_3), "gfx10.3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(navi21_has_sixty_cus_in_three_of_four_engines),
        cmocka_unit_test(navi21_lost_four_render_backends_with_its_engine),
        cmocka_unit_test(navi21_is_known_by_family_and_revision),
        cmocka_unit_test(gb_addr_config_is_readable),
        cmocka_unit_test(vangogh_is_an_apu_whose_vram_is_all_visible),
        cmocka_unit_test(chips_and_generations_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
