/* The decision between copying and sharing, with offers of servers that the test makes up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include <drm_fourcc.h>

#include "vulkan/wsi/wsi_share.h"

/* Two tiled ones of some chip, one of another, and rows. */
#define TILED_A 0x0200000000401a03ull
#define TILED_B 0x0200000000400a03ull
#define STRANGE 0x0300000000000001ull
#define ROWS DRM_FORMAT_MOD_LINEAR

static const struct wsi_modifier_set usable = {3, {TILED_A, TILED_B, ROWS}};

static void modifiers_that_both_know_are_chosen(void **state)
{
    const struct wsi_offer offer = {.set_count = 1, .sets = {{4, {STRANGE, ROWS, TILED_B, TILED_A}}}};
    struct wsi_modifier_set chosen;
    assert_true(wsi_offer_choose(&offer, &usable, &chosen));
    assert_int_equal(chosen.count, 3);
    assert_int_equal(chosen.modifiers[0], TILED_A); /* in the device's order */
    assert_false(wsi_modifier_set_has(&chosen, STRANGE));
}

static void the_first_set_wins(void **state)
{
    const struct wsi_offer offer = {.set_count = 2, .sets = {{2, {TILED_B, ROWS}}, {2, {TILED_A, TILED_B}}}};
    struct wsi_modifier_set chosen;
    assert_true(wsi_offer_choose(&offer, &usable, &chosen));
    assert_int_equal(chosen.count, 2);
    assert_int_equal(chosen.modifiers[0], TILED_B);
}

static void rows_are_the_last_resort(void **state)
{
    const struct wsi_offer later = {.set_count = 2, .sets = {{1, {ROWS}}, {2, {STRANGE, TILED_A}}}};
    struct wsi_modifier_set chosen;
    assert_true(wsi_offer_choose(&later, &usable, &chosen));
    assert_int_equal(chosen.count, 1);
    assert_int_equal(chosen.modifiers[0], TILED_A);
    const struct wsi_offer only = {.set_count = 2, .sets = {{1, {STRANGE}}, {2, {STRANGE, ROWS}}}};
    assert_true(wsi_offer_choose(&only, &usable, &chosen));
    assert_int_equal(chosen.count, 1);
    assert_int_equal(chosen.modifiers[0], ROWS);
}

static void nothing_in_common_is_no_choice(void **state)
{
    const struct wsi_offer none = {0}, strange = {.set_count = 1, .sets = {{1, {STRANGE}}}};
    const struct wsi_modifier_set nothing = {0};
    struct wsi_modifier_set chosen;
    assert_false(wsi_offer_choose(&none, &usable, &chosen));
    assert_false(wsi_offer_choose(&strange, &usable, &chosen));
    const struct wsi_offer rows = {.set_count = 1, .sets = {{1, {ROWS}}}};
    assert_false(wsi_offer_choose(&rows, &nothing, &chosen));
}

static void the_device_must_be_the_servers(void **state)
{
    const dev_t nodes[] = {makedev(226, 128), makedev(226, 0)};
    const struct wsi_modifier_set tiled = {1, {TILED_A}}, rows = {1, {ROWS}};
    struct wsi_offer offer = {.has_device = true, .device = makedev(226, 0)};
    assert_null(wsi_offer_refusal(&offer, nodes, 2, &tiled));
    assert_null(wsi_offer_refusal(&offer, nodes, 2, &rows));
    assert_non_null(wsi_offer_refusal(&offer, nodes, 1, &tiled));
    assert_non_null(wsi_offer_refusal(&offer, nodes, 0, &tiled));
    offer.device = makedev(226, 129);
    assert_non_null(wsi_offer_refusal(&offer, nodes, 2, &tiled));
}

static void a_silent_server_must_know_the_chip(void **state)
{
    const dev_t nodes[] = {makedev(226, 128)};
    const struct wsi_modifier_set tiled = {2, {TILED_A, ROWS}}, rows = {1, {ROWS}};
    const struct wsi_offer silent = {0};
    assert_null(wsi_offer_refusal(&silent, nodes, 1, &tiled));
    assert_non_null(wsi_offer_refusal(&silent, nodes, 1, &rows));
}

static void a_set_has_no_doubles_and_an_end(void **state)
{
    struct wsi_modifier_set set = {0};
    for (uint64_t i = 0; i < 2 * WSI_MAX_MODIFIERS; i++)
        wsi_modifier_set_add(&set, i / 2 % 70);
    assert_int_equal(set.count, WSI_MAX_MODIFIERS);
    assert_int_equal(set.modifiers[WSI_MAX_MODIFIERS - 1], WSI_MAX_MODIFIERS - 1);
}

static void formats_say_whether_alpha_is_seen(void **state)
{
    assert_int_equal(wsi_drm_format(VK_FORMAT_B8G8R8A8_SRGB, true), DRM_FORMAT_XRGB8888);
    assert_int_equal(wsi_drm_format(VK_FORMAT_B8G8R8A8_UNORM, false), DRM_FORMAT_ARGB8888);
    assert_int_equal(wsi_drm_format(VK_FORMAT_R8G8B8A8_UNORM, true), DRM_FORMAT_XBGR8888);
    assert_int_equal(wsi_drm_format(VK_FORMAT_R16G16B16A16_SFLOAT, true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modifiers_that_both_know_are_chosen),
        cmocka_unit_test(the_first_set_wins),
        cmocka_unit_test(rows_are_the_last_resort),
        cmocka_unit_test(nothing_in_common_is_no_choice),
        cmocka_unit_test(the_device_must_be_the_servers),
        cmocka_unit_test(a_silent_server_must_know_the_chip),
        cmocka_unit_test(a_set_has_no_doubles_and_an_end),
        cmocka_unit_test(formats_say_whether_alpha_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
