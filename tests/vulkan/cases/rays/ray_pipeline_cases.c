/* Hits of the rays of a ray tracing pipeline and its shaders' inputs: all stages, flags, masks, records and
 * attributes. The scene is trace.h's; expected numbers are small sums. */
#include <string.h>

#include "cases/rays/trace_case.h"

/* ---- what a ray is told ---- */

static void expect_records(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const int layer = trace_meet(test, x, y);
    trace_clear(want);
    trace_tell_flat(test, layer, layer < 0 ? trace_miss_record(test, y % 3) : trace_hit_record(test, layer, y, x % 3),
                    want);
}

static void tell_miss(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const struct trace_push *push = &test->setup.push;
    want[0] = ~0u;
    want[1] = trace_miss_record(test, push->miss)->number;
    want[2] = x + 16 * y;
    want[3] = TRACE_WIDTH + 16 * TRACE_HEIGHT;
    want[4] = push->flags;
    want[5] = trace_bits(push->least);
    want[6] = trace_bits(push->most);
    want[7] = trace_bits((float)x + trace_inside_x(x));
    want[8] = trace_bits((float)y + trace_inside_y(y));
    want[9] = trace_bits(-1);
    want[10] = want[11] = 0;
    want[12] = trace_bits(2);
    want[13] = trace_word(x);
    want[14] = push->more;
}

/* HIT_ALL, HIT_BOX and MISS_ALL. */
static void expect_all(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const struct trace_push *push = &test->setup.push;
    const int layer = trace_meet(test, x, y);
    trace_clear(want);
    if (layer < 0) {
        tell_miss(test, x, y, want);
        return;
    }
    const bool is_flipped = test->setup.instance_flags & VK_GEOMETRY_INSTANCE_TRIANGLE_FLIP_FACING_BIT_KHR;
    const bool is_box = test->setup.boxes[layer], is_front = (y & 1) != is_flipped;
    want[0] = trace_primitive(x, y);
    want[1] = trace_hit_record(test, layer, y, push->offset)->number;
    want[2] = (uint32_t)layer;
    want[3] = 100 + (uint32_t)layer;
    want[4] = y / 4;
    want[5] = is_box ? test->kind : is_front ? 0xfe : 0xff;
    want[6] = trace_bits(trace_distance((unsigned)layer));
    want[7] = trace_bits(is_box  ? 0.5f * ((float)x + trace_inside_x(x))
                         : y & 1 ? trace_inside_y(y)
                                 : trace_inside_x(x));
    want[8] = is_box ? 1000 + want[1] + want[0] : trace_bits(y & 1 ? trace_inside_x(x) : trace_inside_y(y));
    want[9] = push->flags;
    want[10] = trace_bits(push->least);
    want[11] = x + 16 * y;
    want[12] = trace_word(x);
    want[13] = push->more;
    want[14] = want[6];
}

static void expect_kinds(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    expect_all(test, x, y, want);
    if (trace_meet(test, x, y) >= 0)
        want[5] = trace_primitive(x, y) * 5 & 0x7f;
}

/* Boxes with odd numbers are empty. */
static void expect_some(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    expect_all(test, x, y, want);
    if (x & 1) {
        trace_clear(want);
        tell_miss(test, x, y, want);
    }
}

/* The second of three reports is the nearest. */
static void expect_three(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const int layer = trace_meet(test, x, y);
    expect_all(test, x, y, want);
    if (layer < 0)
        return;
    want[5] = 2;
    want[6] = want[14] = trace_bits(trace_distance((unsigned)layer) - 0.0625f);
    want[8] = 5;
}

static uint32_t count_three(const struct ray_case *test, unsigned x, unsigned y)
{
    const int layer = trace_meet(test, x, y);
    return layer < 0 ? 0 : 3u << 4 * layer;
}

static void expect_spaces(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const int layer = trace_meet(test, x, y);
    const float at[3] = {(float)x + trace_inside_x(x), (float)y + trace_inside_y(y), -1}, z = (float)(layer + 1);
    const float scale[3] = {2, 2, 1}, place[3] = {0, 0, z};
    trace_clear(want);
    if (layer < 0) {
        tell_miss(test, x, y, want);
        return;
    }
    for (unsigned n = 0; n < 3; n++) {
        want[n] = trace_bits(at[n]);
        want[3 + n] = trace_bits((at[n] - place[n]) / scale[n]);
        want[6 + n] = trace_bits(n == 2 ? 2 : 0);
        want[9 + n] = trace_bits(4 * scale[n] + place[n]);
        want[12 + n] = trace_bits(4 / scale[n] - place[n]);
    }
}

/* ---- any hit ---- */

static void expect_accepted(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const bool is_opaque = test->setup.geometry_flags[y / 4] & VK_GEOMETRY_OPAQUE_BIT_KHR;
    trace_expect_flat(test, x, y, want);
    if (trace_meet(test, x, y) >= 0 && !is_opaque)
        want[15] = 99;
}

static void expect_terminated(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_expect_flat(test, x, y, want);
    if (trace_meet(test, x, y) >= 0)
        want[15] = 55;
}

/* Nothing that is not opaque is accepted, and every layer is asked for once. */
static void expect_counted(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    trace_expect_flat(test, x, y, want);
    const uint32_t flags = test->setup.push.flags;
    const bool is_opaque = flags & RAY_OPAQUE                                                       ? true
                           : flags & RAY_NOT_OPAQUE                                                 ? false
                           : test->setup.instance_flags & VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR ? true
                           : test->setup.instance_flags & VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR
                               ? false
                               : test->setup.geometry_flags[y / 4] & VK_GEOMETRY_OPAQUE_BIT_KHR;
    if (is_opaque || x % 4 == 3)
        return;
    trace_clear(want);
    trace_tell_flat(test, -1, trace_miss_record(test, 0), want);
    want[14] |= 7;
    want[15] += 3;
}

static uint32_t count_layer(const struct ray_case *test, unsigned x, unsigned y)
{
    const int layer = trace_meet(test, x, y);
    return layer < 0 ? 0 : trace_word((unsigned)layer);
}

/* Without a closest hit shader: what ANY_ALL says of the last layer stays. */
static void expect_any_all(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const bool is_box = test->setup.boxes[2];
    trace_clear(want);
    if (x % 4 == 3) {
        trace_tell_flat(test, -1, trace_miss_record(test, 0), want);
        return;
    }
    want[0] = trace_primitive(x, y);
    want[1] = trace_hit_record(test, 2, y, 0)->number;
    want[2] = 102;
    want[3] = y / 4;
    want[4] = is_box ? test->kind : y & 1 ? 0xfe : 0xff;
    want[5] = trace_bits(2);
    want[6] = trace_bits(is_box  ? 0.5f * ((float)x + trace_inside_x(x))
                         : y & 1 ? trace_inside_y(y)
                                 : trace_inside_x(x));
    want[7] = is_box ? 1000 + want[1] + want[0] : trace_bits(y & 1 ? trace_inside_x(x) : trace_inside_y(y));
    want[8] = trace_bits(-4);
    want[9] = trace_bits(-1);
    want[10] = x + 16 * y;
    want[11] = test->setup.push.flags;
}

/* clang-format off */
const struct vt_case vt_ray_pipeline_cases[] = {
    CASE("miss", SETUP(FLAT, .push = {.mask = 0, .most = 100}), .expect = trace_expect_flat),
    CASE("hit", SETUP(FLAT, PUSH()), .expect = trace_expect_flat),
    CASE("what_a_hit_knows", SETUP(GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_ALL}), ONE_EACH, PUSH(.more = 9)), .expect = expect_all, .near = FLOATS_ALL),
    CASE("what_a_miss_knows", SETUP(GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_ALL}), ONE_EACH, .push = {.most = 7, .least = 0.25f, .flags = RAY_CULL_BACK, .more = 3}), .expect = expect_all),
    CASE("spaces", SETUP(GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_SPACES}), ONE_EACH, PUSH()), .expect = expect_spaces, .near = 0x7fff),
    CASE("spaces_of_the_last_layer", SETUP(GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_SPACES}), ONE_EACH, .push = {.mask = 4, .most = 100}), .expect = expect_spaces, .near = 0x7fff),
    CASE("least_distance", SETUP(FLAT, PUSH(.least = 1.25f)), .expect = trace_expect_flat),
    CASE("most_distance", SETUP(FLAT, .push = {.mask = 6, .most = 1.75f, .least = 0.5f}), .expect = trace_expect_flat),
    CASE("nothing_so_near", SETUP(FLAT, .push = {.mask = 7, .most = 0.75f}), .expect = trace_expect_flat),
    CASE("mask_second", SETUP(FLAT, .push = {.mask = 2, .most = 100}), .expect = trace_expect_flat),
    CASE("mask_two", SETUP(FLAT, .push = {.mask = 0xf6, .most = 100}), .expect = trace_expect_flat),
    CASE("cull_back", SETUP(FLAT, PUSH(.flags = RAY_CULL_BACK)), .expect = trace_expect_flat, .layers = {0, 7, 0, 7}),
    CASE("cull_front", SETUP(FLAT, PUSH(.flags = RAY_CULL_FRONT)), .expect = trace_expect_flat, .layers = {7, 0, 7, 0}),
    CASE("cull_flipped", SETUP(GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_ALL}), ONE_EACH, PUSH(.flags = RAY_CULL_BACK), .instance_flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FLIP_FACING_BIT_KHR), .expect = expect_all, .near = FLOATS_ALL, .layers = {7, 0, 7, 0}),
    CASE("cull_disabled", SETUP(FLAT, PUSH(.flags = RAY_CULL_BACK), .instance_flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR), .expect = trace_expect_flat),
    CASE("cull_opaque", SETUP(FLAT, PUSH(.flags = RAY_CULL_OPAQUE), HALF_OPAQUE), .expect = trace_expect_flat, .layers = {7, 7, 0, 0}),
    CASE("cull_not_opaque", SETUP(FLAT, PUSH(.flags = RAY_CULL_NOT_OPAQUE), HALF_OPAQUE), .expect = trace_expect_flat, .layers = {0, 0, 7, 7}),
    CASE("skip_closest", SETUP(FLAT, PUSH(.flags = RAY_SKIP_CLOSEST)), .expect = trace_expect_flat),
    CASE("first_hit_ends", SETUP(FLAT, PUSH(.flags = RAY_TERMINATE)), .expect = trace_expect_flat, .any = 4),
    CASE("first_hit_ends_of_one", SETUP(FLAT, .push = {.mask = 2, .most = 100, .flags = RAY_TERMINATE}), .expect = trace_expect_flat),

    CASE("any_ignores_one", SETUP(WITH_ANY(ANY_IGNORE), NOT_OPAQUE, PUSH(.more = 1)), .expect = expect_accepted, .layers = {6, 6, 6, 6}),
    CASE("any_ignores_two", SETUP(WITH_ANY(ANY_IGNORE), NOT_OPAQUE, PUSH(.more = 3)), .expect = expect_accepted, .layers = {4, 4, 4, 4}),
    CASE("any_ignores_none", SETUP(WITH_ANY(ANY_IGNORE), NOT_OPAQUE, PUSH()), .expect = expect_accepted),
    CASE("any_not_of_opaque", SETUP(WITH_ANY(ANY_IGNORE), HALF_OPAQUE, PUSH(.more = 5)), .expect = expect_accepted, .layers = {2, 2, 7, 7}),
    CASE("any_terminates", SETUP(WITH_ANY(ANY_TERMINATE), NOT_OPAQUE, PUSH()), .expect = expect_terminated, .any = 4),
    CASE("any_terminates_one", SETUP(WITH_ANY(ANY_TERMINATE), NOT_OPAQUE, .push = {.mask = 4, .most = 100}), .expect = expect_terminated),
    CASE("any_counts", SETUP(WITH_ANY(ANY_COUNT), NOT_OPAQUE, PUSH()), .expect = expect_counted),
    CASE("any_counts_half", SETUP(WITH_ANY(ANY_COUNT), HALF_OPAQUE, PUSH()), .expect = expect_counted),
    CASE("any_of_opaque_rays", SETUP(WITH_ANY(ANY_COUNT), NOT_OPAQUE, PUSH(.flags = RAY_OPAQUE)), .expect = expect_counted),
    CASE("any_of_rays_not_opaque", SETUP(WITH_ANY(ANY_COUNT), .geometry_flags = {3, 3}, PUSH(.flags = RAY_NOT_OPAQUE)), .expect = expect_counted),
    CASE("any_of_opaque_instances", SETUP(WITH_ANY(ANY_COUNT), NOT_OPAQUE, PUSH(), .instance_flags = VK_GEOMETRY_INSTANCE_FORCE_OPAQUE_BIT_KHR), .expect = expect_counted),
    CASE("any_of_instances_not_opaque", SETUP(WITH_ANY(ANY_COUNT), .geometry_flags = {3, 3}, PUSH(), .instance_flags = VK_GEOMETRY_INSTANCE_FORCE_NO_OPAQUE_BIT_KHR), .expect = expect_counted),
    CASE("any_writes_memory", SETUP(WITH_ANY(ANY_ATOMIC), NOT_OPAQUE, .push = {.mask = 2, .most = 100}), .expect = trace_expect_flat, .count = count_layer),
    CASE("what_any_knows", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.any = ANY_ALL}), ONE_EACH, NOT_OPAQUE, PUSH()), .expect = expect_any_all, .near = 0x3e0),

    CASE("box", SETUP(BOXES(BOX_PLANE), PUSH(.more = 8)), .expect = expect_all, .near = 1u << 6 | 1u << 7 | 1u << 14),
    CASE("box_last_layer", SETUP(BOXES(BOX_PLANE), .push = {.mask = 4, .most = 100}), .expect = expect_all, .near = 1u << 6 | 1u << 7 | 1u << 14),
    CASE("box_empty", SETUP(BOXES(BOX_SOME), PUSH()), .expect = expect_some, .near = 1u << 6 | 1u << 7 | 1u << 14, .kind = 3),
    CASE("box_three_reports", SETUP(BOXES(BOX_THREE), .reads_reports = true, .push = {.mask = 2, .most = 100}), .expect = expect_three, .near = 1u << 6 | 1u << 7 | 1u << 14, .count = count_three),
    CASE("box_two_reports", SETUP(BOXES(BOX_TWO), PUSH()), .expect = expect_three, .near = 1u << 6 | 1u << 7 | 1u << 14),
    CASE("box_report_accepted", SETUP(BOXES(BOX_TOLD), .reads_reports = true, .push = {.mask = 2, .most = 100}), .expect = expect_three, .near = 1u << 6 | 1u << 7 | 1u << 14, .count = count_three),
    CASE("box_report_too_far", SETUP(BOXES(BOX_TOLD), .reads_reports = true, .push = {.mask = 6, .most = 1.25f}), .expect = expect_three, .near = 1u << 6 | 1u << 7 | 1u << 14, .count = count_three),
    CASE("box_kinds", SETUP(BOXES(BOX_KINDS), PUSH()), .expect = expect_kinds, .near = 1u << 6 | 1u << 7 | 1u << 14),
    CASE("box_opaque", SETUP(BOXES(BOX_PLANE), PUSH(.flags = RAY_OPAQUE)), .expect = expect_all, .near = 1u << 6 | 1u << 7 | 1u << 14),
    CASE("box_any_ignores", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_FLAT, .any = ANY_BOX_IGNORE, .intersection = BOX_PLANE}), ONE_EACH, ALL_BOXES, NOT_OPAQUE, PUSH(.more = 3)), .expect = expect_accepted, .layers = {4, 4, 4, 4}),
    CASE("box_what_any_knows", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.any = ANY_BOX_ALL, .intersection = BOX_PLANE}), ONE_EACH, ALL_BOXES, NOT_OPAQUE, PUSH()), .expect = expect_any_all, .near = 0x360),
    CASE("box_among_triangles", SETUP(GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_ALL}, {.closest = HIT_BOX, .intersection = BOX_PLANE}), .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {4, 32}}}, .boxes = {false, true, false}, .record_offsets = {0, 1, 0}, .push = {.mask = 6, .most = 100}), .expect = expect_all, .near = 1u << 6 | 1u << 7 | 1u << 14),
    CASE("skip_triangles", SETUP(GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_ALL}, {.closest = HIT_BOX, .intersection = BOX_PLANE}), .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {4, 32}}}, .boxes = {false, true, false}, .record_offsets = {0, 1, 0}, PUSH(.flags = RAY_SKIP_TRIANGLES)), .expect = expect_all, .near = 1u << 6 | 1u << 7 | 1u << 14, .layers = {2, 2, 2, 2}),
    CASE("skip_boxes", SETUP(GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_ALL}, {.closest = HIT_BOX, .intersection = BOX_PLANE}), .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {4, 32}}}, .boxes = {true, false, true}, .record_offsets = {1, 0, 1}, PUSH(.flags = RAY_SKIP_BOXES)), .expect = expect_all, .near = FLOATS_ALL, .layers = {2, 2, 2, 2}),

    CASE("record_of_geometry", SETUP(FLAT_GROUPS, PUSH(.stride = 1), .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {3, 32}}}), .expect = trace_expect_flat),
    CASE("record_of_instance", SETUP(FLAT_GROUPS, .push = {.mask = 6, .most = 100, .stride = 1}, .record_offsets = {0, 2, 4}, .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {3, 32}, {3, 33}, {3, 34}, {3, 35}, {3, 36}}}), .expect = trace_expect_flat),
    CASE("record_offset", SETUP(FLAT_GROUPS, PUSH(.stride = 2, .offset = 1), .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {3, 32}, {3, 33}, {3, 34}}}), .expect = trace_expect_flat),
    CASE("records_by_lane", SETUP(GROUPS(GENERATE_RECORDS, MISS_FLAT, {.closest = HIT_FLAT}, {.closest = HIT_FLAT}, {.general = MISS_FLAT}), PUSH(), .records = {{{1, 11}}, {{2, 21}, {5, 22}, {2, 23}}, {{3, 31}, {4, 32}, {3, 33}}}), .expect = expect_records),
    CASE("records_far_apart", SETUP(GROUPS(GENERATE_RECORDS, MISS_FLAT, {.closest = HIT_FLAT}), PUSH(), .stride_B = {0, 160, 352}, .records = {{{1, 11}}, {{2, 21}, {2, 22}, {2, 23}}, {{3, 31}, {3, 32}, {3, 33}}}), .expect = expect_records),
    CASE("records_from_the_third_on", SETUP(GROUPS(GENERATE_RECORDS, MISS_FLAT, {.closest = HIT_FLAT}), PUSH(), .first_record = {1, 2, 2}, .stride_B = {0, 64, 64}, .records = {{{1, 11}, {1, 12}}, {{2, 21}, {2, 22}, {2, 23}, {2, 24}, {2, 25}}, {{3, 31}, {3, 32}, {3, 33}, {3, 34}, {3, 35}}}), .expect = expect_records),
    CASE("record_of_no_hit", SETUP(FLAT_GROUPS, PUSH(.stride = 1), .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {0, 0}}}, .num_records = {1, 1, 2}), .expect = trace_expect_flat),
    CASE("record_of_no_miss", SETUP(FLAT_GROUPS, PUSH(.miss = 1), .records = {{{1, 11}}, {{2, 21}, {0, 0}}, {{3, 31}}}, .num_records = {1, 2, 1}), .expect = trace_expect_flat),
    CASE("group_without_closest", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.any = ANY_IGNORE}), ONE_EACH, NOT_OPAQUE, PUSH(.more = 7)), .expect = trace_expect_flat, NOTHING),
    CASE("group_of_nothing", SETUP(GROUPS(GENERATE_TRACE, MISS_FLAT, {.closest = HIT_FLAT}), .empty_groups = 1, PUSH(.stride = 1), .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {4, 32}}}), .expect = trace_expect_flat),
    CASE("no_structure", SETUP(FLAT, PUSH(), .is_first_null = true), .expect = trace_expect_flat, NOTHING),

    CASE("not_optimised", SETUP(GROUPS(GENERATE_TRACE, MISS_ALL, {.closest = HIT_ALL}), ONE_EACH, .flags = VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT, PUSH(.more = 9)), .expect = expect_all, .near = FLOATS_ALL),
    CASE("from_memory", SETUP(FLAT, PUSH(), .way = TRACE_INDIRECT), .expect = trace_expect_flat),
    CASE("tables_from_memory", SETUP(FLAT_GROUPS, PUSH(.stride = 1), .records = {{{1, 11}}, {{2, 21}}, {{3, 31}, {3, 32}}}, .way = TRACE_INDIRECT2), .expect = trace_expect_flat),
    CASE("in_a_secondary", SETUP(FLAT, PUSH(), .way = TRACE_SECONDARY), .expect = trace_expect_flat),
    CASE("on_a_compute_queue", SETUP(FLAT, PUSH(), .way = TRACE_ON_COMPUTE), .expect = trace_expect_flat),
};
/* clang-format on */
const size_t vt_ray_pipeline_count = COUNT_OF(vt_ray_pipeline_cases);
