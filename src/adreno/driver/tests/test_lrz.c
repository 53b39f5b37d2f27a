/* The rules of low-resolution depth: what each kind of draw does with the bounds, and what it leaves for the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adreno/driver/lrz.h"
#include "util/bits.h"

static struct adreno_lrz_rules fresh(void)
{
    return (struct adreno_lrz_rules){.is_valid = true, .is_followed = true, .direction = ADRENO_LRZ_UNSET};
}

/* A comparison, whether depth and a colour are written, and whether it replaces all colours. */
#define DRAW(op, writes, color, replaces)                                                                              \
    .is_tested = true, .is_written = writes, .compare = VK_COMPARE_OP_##op, .has_color = color,                        \
    .replaces_color = replaces
#define OPAQUE DRAW(LESS, true, true, true)

/* A draw after an opaque one of "less", and an opaque one of "less" after it. */
static const struct {
    const char *what;
    struct adreno_lrz_draw draw;
    bool is_tested, is_written;       /* of the draw */
    bool later_tested, later_written; /* of the one after it */
} table[] = {
    {"opaque", {OPAQUE}, true, true, true, true},
    {"no test", {.compare = VK_COMPARE_OP_LESS, .has_color = true, .replaces_color = true}, false, false, true, true},
    {"no write", {DRAW(LESS, false, true, true)}, true, false, true, true},
    {"blended", {DRAW(LESS, true, true, false)}, true, false, true, false},
    {"blended, no write", {DRAW(LESS, false, true, false)}, true, false, true, true},
    {"no colour", {DRAW(LESS, true, false, false)}, true, false, true, false},
    {"discards", {OPAQUE, .may_kill = true}, true, false, true, true},
    {"depth bounds", {OPAQUE, .has_bounds = true}, true, false, true, true},
    {"stencil test", {OPAQUE, .may_fail = true}, true, false, true, true},
    {"stencil write", {OPAQUE, .writes_stencil = true}, false, false, true, false},
    {"exported depth", {OPAQUE, .is_late = true}, false, false, true, true},
    {"effects", {OPAQUE, .is_late = true, .has_effects = true}, false, false, true, false},
    {"early effects", {OPAQUE, .has_effects = true}, true, false, true, false},
    {"counted", {OPAQUE, .is_counted = true}, true, false, true, false},
    {"equal", {DRAW(EQUAL, true, true, true)}, false, false, true, true},
    {"never", {DRAW(NEVER, true, true, true)}, false, false, true, true},
    {"always", {DRAW(ALWAYS, true, true, true)}, false, false, false, false},
    {"always, no write", {DRAW(ALWAYS, false, true, true)}, false, false, true, true},
    {"not equal", {DRAW(NOT_EQUAL, true, true, true)}, false, false, false, false},
    {"greater", {DRAW(GREATER, true, true, true)}, false, false, false, false},
    {"greater, no write", {DRAW(GREATER, false, true, true)}, false, false, true, true},
};

static void each_kind_of_draw(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
        const struct adreno_lrz_draw opaque = {OPAQUE};
        struct adreno_lrz_rules rules = fresh();
        adreno_lrz_next(&rules, &opaque);
        const struct adreno_lrz_use use = adreno_lrz_next(&rules, &table[i].draw);
        const struct adreno_lrz_use later = adreno_lrz_next(&rules, &opaque);
        if (use.is_tested != table[i].is_tested || use.is_written != table[i].is_written ||
            later.is_tested != table[i].later_tested || later.is_written != table[i].later_written)
            fail_msg("%s: tested %d, written %d, later %d and %d", table[i].what, use.is_tested, use.is_written,
                     later.is_tested, later.is_written);
    }
}

static void depth_before_any_colour_writes_bounds(void **state)
{
    const struct adreno_lrz_draw prepass = {DRAW(LESS, true, false, false)}, opaque = {OPAQUE};
    struct adreno_lrz_rules rules = fresh();
    assert_true(adreno_lrz_next(&rules, &prepass).is_written);
    assert_true(adreno_lrz_next(&rules, &prepass).is_written);
    assert_true(adreno_lrz_next(&rules, &opaque).is_written);
    assert_false(adreno_lrz_next(&rules, &prepass).is_written);
}

/* A draw that the chip did not hear of must go the way that it knows. */
static void an_untested_first_write_spoils_followed_bounds(void **state)
{
    const struct adreno_lrz_draw late = {OPAQUE, .is_late = true}, opaque = {OPAQUE};
    struct adreno_lrz_rules rules = fresh();
    adreno_lrz_next(&rules, &late);
    assert_false(rules.is_valid);
    rules = fresh();
    rules.is_followed = false;
    adreno_lrz_next(&rules, &late);
    assert_true(adreno_lrz_next(&rules, &opaque).is_tested);
}

static void secondaries_leave_what_they_did(void **state)
{
    struct adreno_lrz_rules rules = fresh(), done = fresh();
    done.direction = ADRENO_LRZ_GREATER;
    adreno_lrz_join(&rules, &done);
    assert_true(rules.is_valid && rules.has_color && rules.direction == ADRENO_LRZ_GREATER);
    done.direction = ADRENO_LRZ_LESS;
    adreno_lrz_join(&rules, &done);
    assert_false(rules.is_valid);
    rules = fresh();
    done = fresh();
    done.is_closed = true;
    adreno_lrz_join(&rules, &done);
    assert_true(rules.is_valid && rules.is_closed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_draw),
        cmocka_unit_test(depth_before_any_colour_writes_bounds),
        cmocka_unit_test(an_untested_first_write_spoils_followed_bounds),
        cmocka_unit_test(secondaries_leave_what_they_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
