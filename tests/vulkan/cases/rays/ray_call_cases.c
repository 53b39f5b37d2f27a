/* Calls among the shaders of a ray tracing pipeline: what lives across a ray, rays in loops and branches, payloads of
 * all sizes, rays that shaders of rays send, callable shaders, and what the stages read besides. */
#include <string.h>

#include "cases/rays/trace_case.h"

/* ---- ways of a generation shader ---- */

static void expect_live(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    uint32_t indexed[8], sum;
    float total = 0;
    memset(want, 0, TRACE_WORDS * sizeof(*want));
    want[0] = sum = trace_meet(test, x, y) < 0 ? 7 : 5;
    for (uint32_t n = 0; n < 40; n++)
        total += ((float)(trace_word(n) & 15) * (float)(x + 1) + (float)y) * (float)(n + 1);
    for (uint32_t n = 0; n < 8; n++)
        indexed[(n + x) & 7] = trace_word(n) ^ y;
    for (uint32_t n = 0; n < 8; n++)
        sum = sum * 3 + indexed[n];
    want[1] = sum;
    want[2] = trace_bits(total);
    want[3] = trace_word(test->setup.push.more);
}

static void expect_loop(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    (void)test, (void)y;
    memset(want, 0, TRACE_WORDS * sizeof(*want));
    for (unsigned n = 0; n < x % 5; n++)
        want[0] = want[0] * 5 + (x % 4 == 3 ? 0xdead0002 : n % 3 + 1);
}

static void expect_branch(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_clear(want);
    if (x & 1 || y & 1) {
        const int layer = x % 4 == 3 ? -1 : x & 1 ? 0 : 1;
        trace_tell_flat(test, layer,
                        layer < 0 ? trace_miss_record(test, x & 1 ? 0 : 1) : trace_hit_record(test, layer, y, 0), want);
        want[12] = x & 1 ? 1 : 2;
    }
    want[13] = x + 100 * y;
}

static void expect_two(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const bool is_missed = x % 4 == 3;
    trace_expect_flat(test, x, y, want);
    want[12] = trace_bits((float)x + (is_missed ? 0.5f : 0));
    want[13] = trace_bits((float)y + (is_missed ? 100.0f : 0));
}

static void expect_big(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const bool is_met = trace_meet(test, x, y) >= 0;
    memset(want, 0, TRACE_WORDS * sizeof(*want));
    want[0] = x + 16 * y + (is_met ? 1600 : 0);
    want[1] = x + 200 + (is_met ? 110 : 0);
    for (uint32_t n = 0; n < 50; n++) {
        const uint32_t number = trace_word(n) + y;
        want[2] = want[2] * 3 + (is_met ? number * 5 + n : number + (n == 10 ? 1000 : 0));
    }
    want[3] = x + 256 * (y + (is_met ? 3 : 0));
    want[4] = is_met ? 8 : 9;
}

static void expect_small(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    memset(want, 0, TRACE_WORDS * sizeof(*want));
    want[0] = trace_meet(test, x, y) < 0 ? x + 1000 : x * 3 + trace_primitive(x, y);
}

/* ---- rays of rays ---- */

static void expect_deep(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const uint32_t most = test->setup.push.more;
    (void)y;
    trace_clear(want);
    if (x % 4 == 3) {
        trace_tell_flat(test, -1, trace_miss_record(test, 0), want);
        return;
    }
    for (uint32_t n = 0; n < most && n < TRACE_LAYERS; n++) {
        want[0]++;
        want[1] = want[1] * 4 + n + 1;
    }
    if (most > TRACE_LAYERS)
        trace_tell_flat(test, -1, trace_miss_record(test, 0), want);
    for (uint32_t n = most < TRACE_LAYERS ? most : TRACE_LAYERS; n-- > 0;)
        want[2] = want[2] * 4 + n + 1;
}

static void expect_deep_miss(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    (void)y;
    trace_clear(want);
    want[0] += test->setup.push.more;
    want[1] += test->setup.push.more * x;
}

static void expect_shadow(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_clear(want);
    if (x % 4 == 3) {
        trace_tell_flat(test, -1, trace_miss_record(test, 0), want);
        return;
    }
    want[0] = trace_bits(x & 1 ? 3 : 3.5f);
    want[1] = trace_bits(y & 1 ? trace_inside_y(y) : trace_inside_x(x));
    want[2] = 0;
}

/* ---- callable shaders: the first adds, the second turns, the third calls others ---- */

static uint32_t added(const struct ray_case *test, uint32_t number, unsigned x)
{
    return number + test->setup.records[TRACE_CALL][0].number + trace_word(x) + test->setup.push.more;
}

static uint32_t nested(const struct ray_case *test, uint32_t number, uint32_t depth, unsigned x)
{
    number = depth > test->setup.push.more ? nested(test, number, depth - 1, x) : added(test, number, x);
    return number * 3 + depth;
}

static void expect_call(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    (void)y;
    memset(want, 0, TRACE_WORDS * sizeof(*want));
    for (uint32_t n = 0; n < 4; n++)
        want[n] = x + 16 * n;
    want[4] = trace_word(x) * 7;
    if (!test->setup.records[TRACE_CALL][x % 3].group)
        return;
    if (x % 3 == 0)
        want[0] = added(test, x, x);
    else if (x % 3 == 1)
        want[0] = x + 48, want[3] = x;
    else
        want[0] = nested(test, x, x + 16, x);
}

static void expect_calls(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    (void)y;
    memset(want, 0, TRACE_WORDS * sizeof(*want));
    want[0] = added(test, x, x);
    want[1] = x + 500;
    for (uint32_t n = 0; n < 50; n++)
        want[2] = want[2] * 3 + n * x + x + n;
}

/* From hits the first two, from misses the first again as the third. */
static void expect_called(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_clear(want);
    if (x % 4 == 3) {
        want[0] =
            added(test, x, x) - test->setup.records[TRACE_CALL][0].number + test->setup.records[TRACE_CALL][2].number;
        return;
    }
    want[0] = added(test, trace_primitive(x, y), x) - test->setup.records[TRACE_CALL][0].number +
              test->setup.records[TRACE_CALL][x % 2].number;
    want[1] = trace_primitive(x, y);
}

static void expect_scenes(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    /* The second structure has the last layer alone, as its first instance. */
    const int instance = x % 4 == 3 ? -1 : x & 1 ? (test->setup.is_second_null ? -1 : 0) : 1;
    trace_clear(want);
    trace_tell_flat(test, instance, instance < 0 ? trace_miss_record(test, 0) : trace_hit_record(test, instance, y, 0),
                    want);
}

static void expect_indexed(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_expect_flat(test, x, y, want);
    if (trace_meet(test, x, y) >= 0)
        want[0] = TRACE_SEVERAL + (x & 3), want[1] = 0xdead0001, want[2] = 0xdead0002;
}

/* A query of the same ray, which sees the last two layers. */
static void expect_query(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_expect_flat(test, x, y, want);
    want[12] = x % 4 != 3;
    want[13] = x % 4 != 3;
}

static void expect_hit_query(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_expect_flat(test, x, y, want);
    if (x % 4 == 3)
        return;
    want[0] = 0;
    want[1] = 1;
    want[2] = trace_bits(y & 1 ? trace_inside_y(y) : trace_inside_x(x));
}

static void expect_mask(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_clear(want);
    if (x % 4 == 3)
        trace_tell_flat(test, -1, trace_miss_record(test, 0), want);
    else
        want[0] = test->setup.push.mask;
    (void)y;
}

/* The mask says the second layer, the least distance is beyond it. */
static void expect_fixed(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_clear(want);
    if (x % 4 == 3)
        trace_tell_flat(test, -1, trace_miss_record(test, 0), want);
    else
        want[0] = 77;
    (void)y;
}

static const struct {
    uint32_t mask;
    float least;
    uint32_t number;
} fixed_values = {6, 1.75f, 77};
static const VkSpecializationMapEntry fixed_entries[] = {{3, 0, 4}, {5, 4, 4}, {7, 8, 4}};
static const VkSpecializationInfo fixed = {3, fixed_entries, sizeof(fixed_values), &fixed_values};

/* clang-format off */
const struct vt_case vt_ray_call_cases[] = {
    CASE("structures_by_lane", SETUP(GROUPS(GENERATE_SCENES, MISS_FLAT, {.closest = HIT_FLAT}), ONE_EACH, .push = {.mask = 6, .most = 100}), .expect = expect_scenes),
    CASE("no_structure_in_some_lanes", SETUP(GROUPS(GENERATE_SCENES, MISS_FLAT, {.closest = HIT_FLAT}), ONE_EACH, .is_second_null = true, .push = {.mask = 6, .most = 100}), .expect = expect_scenes),
    CASE("live_across_a_ray", SETUP(GROUPS(GENERATE_LIVE, MISS_FLAT, {.closest = HIT_FLAT}), ONE_EACH, PUSH(.more = 17)), .expect = expect_live),
    CASE("rays_in_a_loop", SETUP(GROUPS(GENERATE_LOOP, MISS_ALL, {.closest = HIT_FLAT}), .records = {{{1, 11}}, {{0, 0}}, {{3, 31}}}, .num_records = {1, 1, 1}, PUSH()), .expect = expect_loop),
    CASE("rays_in_branches", SETUP(GROUPS(GENERATE_BRANCH, MISS_FLAT, {.closest = HIT_FLAT}), .records = {{{1, 11}}, {{2, 21}, {2, 22}}, {{3, 31}}}, PUSH()), .expect = expect_branch),
    CASE("two_payloads", SETUP(GROUPS(GENERATE_TWO, MISS_FLAT, {.closest = HIT_FLAT}, {.general = MISS_OTHER}), .records = {{{1, 11}}, {{2, 21}, {4, 22}}, {{3, 31}}}, PUSH()), .expect = expect_two),
    CASE("big_payload", SETUP(GROUPS(GENERATE_BIG, MISS_BIG, {.closest = HIT_BIG}), ONE_EACH, PUSH()), .expect = expect_big),
    CASE("small_payload", SETUP(GROUPS(GENERATE_SMALL, MISS_SMALL, {.closest = HIT_SMALL}), ONE_EACH, PUSH()), .expect = expect_small),
    CASE("ray_of_a_hit", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_SHADOW}, {.general = MISS_OTHER}), .records = {{{1, 11}}, {{2, 21}, {4, 22}}, {{3, 31}}}, .depth = 2, PUSH()), .expect = expect_shadow, .near = 2),
    CASE("three_deep", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_DEEP}), ONE_EACH, .depth = 3, PUSH(.more = 3)), .expect = expect_deep),
    CASE("four_deep", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_DEEP}), ONE_EACH, .depth = 4, PUSH(.more = 4)), .expect = expect_deep),
    CASE("misses_deep", SETUP(GROUPS(GENERATE_TRACE, MISS_DEEP, {.closest = HIT_FLAT}), ONE_EACH, .depth = 9, .push = {.most = 100, .more = 9}), .expect = expect_deep_miss),
    CASE("misses_deepest", SETUP(GROUPS(GENERATE_TRACE, MISS_DEEP, {.closest = HIT_FLAT}), ONE_EACH, .depth = 31, .push = {.most = 100, .more = 31}), .expect = expect_deep_miss),
    CASE("callable", SETUP(GROUPS(GENERATE_CALL, MISS_FLAT, {.general = CALL_ADD}, {.general = CALL_TURN}, {.general = CALL_NESTED}), .records = {{{1, 11}}, {{2, 21}}, {{0}}, {{3, 41}, {4, 42}, {5, 43}}}, PUSH(.more = 1000)), .expect = expect_call),
    CASE("callable_deep", SETUP(GROUPS(GENERATE_CALL, MISS_FLAT, {.general = CALL_ADD}, {.general = CALL_TURN}, {.general = CALL_NESTED}), .records = {{{1, 11}}, {{2, 21}}, {{0}}, {{3, 41}, {4, 42}, {5, 43}}}, .stack_levels = 20, PUSH(.more = 16)), .expect = expect_call),
    CASE("callable_not_there", SETUP(GROUPS(GENERATE_CALL, MISS_FLAT, {.general = CALL_ADD}, {.general = CALL_TURN}, {.general = CALL_NESTED}), .records = {{{1, 11}}, {{2, 21}}, {{0}}, {{3, 41}, {0, 0}, {5, 43}}}, PUSH(.more = 1000)), .expect = expect_call),
    CASE("callable_with_much", SETUP(GROUPS(GENERATE_CALLS, MISS_FLAT, {.general = CALL_ADD}, {.general = CALL_BIG}), .records = {{{1, 11}}, {{2, 21}}, {{0}}, {{3, 41}, {4, 42}}}, PUSH(.more = 4)), .expect = expect_calls),
    CASE("callable_of_hits_and_misses", SETUP(GROUPS(GENERATE_TRACE, MISS_CALL, {.closest = HIT_CALL}, {.general = CALL_ADD}), .records = {{{1, 11}}, {{2, 21}}, {{3, 31}}, {{4, 41}, {4, 42}, {4, 43}}}, PUSH(.more = 6)), .expect = expect_called),
    CASE("buffers_by_lane", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_INDEXED}), ONE_EACH, PUSH()), .expect = expect_indexed),
    CASE("query_before_a_ray", SETUP(GROUPS(GENERATE_QUERY, MISS_FLAT, {.closest = HIT_FLAT}), ONE_EACH, PUSH()), .expect = expect_query),
    CASE("query_of_a_hit", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_QUERY}), ONE_EACH, PUSH()), .expect = expect_hit_query, .near = 4),
    CASE("mask_of_a_hit", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_MASK}), ONE_EACH, .needs_cull_mask = true, .push = {.mask = 0x35, .most = 100}), .expect = expect_mask),
    CASE("pushed_descriptors", SETUP(GROUPS(GENERATE_LIVE, MISS_FLAT, {.closest = HIT_FLAT}), ONE_EACH, .binding = TRACE_PUSHED, PUSH(.more = 17)), .expect = expect_live),
    CASE("dynamic_offset", SETUP(GROUPS(GENERATE_LIVE, MISS_FLAT, {.closest = HIT_FLAT}), ONE_EACH, .binding = TRACE_WITH_OFFSET, PUSH(.more = 17)), .expect = expect_live),
    CASE("descriptor_buffer", SETUP(GROUPS(GENERATE_LIVE, MISS_FLAT, {.closest = HIT_FLAT}), ONE_EACH, .binding = TRACE_IN_BUFFER, PUSH(.more = 17)), .expect = expect_live),
    CASE("specialised", SETUP(GROUPS(GENERATE_FIXED, MISS_FLAT, {.closest = HIT_FIXED}), ONE_EACH, .fixed = &fixed, PUSH()), .expect = expect_fixed),
    CASE("stack_size_set", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_DEEP}), ONE_EACH, .depth = 3, .stack_levels = 12, PUSH(.more = 3)), .expect = expect_deep),
};
/* clang-format on */
const size_t vt_ray_call_count = COUNT_OF(vt_ray_call_cases);
