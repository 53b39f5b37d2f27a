/* The tessellator: how many points and primitives levels make, that every triangle has its winding, that triangles
 * cover the domain without a gap, and that an edge depends on its own level alone and is symmetric. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/tessellate/tessellate.h"
#include "util/bits.h"

static const float some_levels[] = {0.3f, 1,     1.5f, 2,  2.25f, 3,  3.9f, 4,     5,  6.5f, 7,
                                    8,    11.3f, 16,   17, 31.7f, 33, 62,   63.5f, 64, 100};

static struct tess_patch patch;

static struct tess_mode mode_of(enum tess_domain domain, enum tess_spacing spacing, enum tess_output output)
{
    return (struct tess_mode){.domain = domain, .spacing = spacing, .output = output, .max_level = TESS_MAX_LEVEL};
}

static void make_patch(enum tess_domain domain, enum tess_spacing spacing, enum tess_output output,
                       const float outer[4], const float inner[2])
{
    const struct tess_mode mode = mode_of(domain, spacing, output);
    struct tess_levels levels;
    memcpy(levels.outer, outer, sizeof(levels.outer));
    memcpy(levels.inner, inner, sizeof(levels.inner));
    tessellate(&mode, &levels, &patch);
}

/* ---- counts ---- */

static void segments_follow_the_spacing(void **state)
{
    static const struct {
        float level;
        uint32_t equal, powers, odd, even;
    } rows[] = {
        {0.5f, 1, 1, 1, 2},      {1, 1, 1, 1, 2},      {1.0001f, 2, 2, 3, 2},   {2, 2, 2, 3, 2},
        {2.5f, 3, 4, 3, 4},      {3, 3, 4, 3, 4},      {3.5f, 4, 4, 5, 4},      {5, 5, 8, 5, 6},
        {62.5f, 63, 64, 63, 64}, {63, 63, 64, 63, 64}, {63.5f, 64, 64, 63, 64}, {64, 64, 64, 63, 64},
        {1000, 64, 64, 63, 64},  {-1, 1, 1, 1, 2},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const uint32_t expected[4] = {rows[i].equal, rows[i].powers, rows[i].odd, rows[i].even};
        for (unsigned s = 0; s < 4; s++) {
            const struct tess_mode mode = mode_of(TESS_DOMAIN_QUADS, (enum tess_spacing)s, TESS_OUTPUT_CW);
            assert_int_equal(tess_edge_of(&mode, rows[i].level, false).segments, expected[s]);
        }
    }
}

/* A ring of a triangle whose sides have n segments has 6 n - 6 triangles; the innermost one may be a triangle. */
static uint32_t triangles_of_level(uint32_t n)
{
    uint32_t count = 0;
    for (; n > 1; n -= 2)
        count += 6 * n - 6;
    return count + n;
}

static void equal_levels_make_known_counts(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 64; n++) {
        const float f = (float)n, outer[4] = {f, f, f, f}, inner[2] = {f, f};
        make_patch(TESS_DOMAIN_TRIANGLES, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, outer, inner);
        assert_int_equal(patch.prim_count, triangles_of_level(n));
        make_patch(TESS_DOMAIN_QUADS, TESS_SPACING_EQUAL, TESS_OUTPUT_CCW, outer, inner);
        assert_int_equal(patch.prim_count, n * n * 2);
        assert_int_equal(patch.point_count, (n + 1) * (n + 1));
        make_patch(TESS_DOMAIN_QUADS, TESS_SPACING_EQUAL, TESS_OUTPUT_POINTS, outer, inner);
        assert_int_equal(patch.prim_count, (n + 1) * (n + 1));
        assert_int_equal(patch.prim_vertices, 1);
        make_patch(TESS_DOMAIN_ISOLINES, TESS_SPACING_EQUAL, TESS_OUTPUT_LINES, outer, inner);
        assert_int_equal(patch.prim_count, n * n);
        assert_int_equal(patch.point_count, n * (n + 1));
        assert_int_equal(patch.prim_vertices, 2);
    }
}

static void an_inner_level_of_one_is_more_where_edges_are_cut(void **state)
{
    const float outer[4] = {1, 2, 1, 1}, inner[2] = {1, 1}, one[4] = {1, 1, 1, 1}, wide[2] = {3, 1};
    (void)state;
    make_patch(TESS_DOMAIN_TRIANGLES, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, outer, inner);
    assert_int_equal(patch.prim_count, 4); /* around one point inside */
    make_patch(TESS_DOMAIN_TRIANGLES, TESS_SPACING_ODD, TESS_OUTPUT_CW, outer, inner);
    assert_int_equal(patch.prim_count, 3 + 1 + 1 + 3 + 1); /* an edge of three segments, a triangle inside */
    make_patch(TESS_DOMAIN_QUADS, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, outer, inner);
    assert_int_equal(patch.prim_count, 5);
    make_patch(TESS_DOMAIN_QUADS, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, one, wide);
    assert_int_equal(patch.prim_count, 6); /* around a line of two points */
    make_patch(TESS_DOMAIN_QUADS, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, one, inner);
    assert_int_equal(patch.prim_count, 2);
    make_patch(TESS_DOMAIN_TRIANGLES, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, one, inner);
    assert_int_equal(patch.prim_count, 1);
}

static void a_level_that_is_not_above_zero_culls(void **state)
{
    const float inner[2] = {4, 4}, bad[] = {0, -1, -0.0f, __builtin_nanf("")};
    (void)state;
    for (unsigned e = 0; e < 4; e++) {
        for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
            float outer[4] = {3, 3, 3, 3};
            outer[e] = bad[i];
            for (unsigned d = 0; d < 3; d++) {
                make_patch((enum tess_domain)d, TESS_SPACING_EQUAL, TESS_OUTPUT_POINTS, outer, inner);
                assert_int_equal(patch.point_count == 0, e < 2 + d); /* edges that the domain has */
                assert_int_equal(patch.prim_count == 0, e < 2 + d);
            }
        }
    }
}

static void inner_levels_may_be_anything(void **state)
{
    const float bad[] = {0, -5, __builtin_nanf(""), __builtin_inff(), -__builtin_inff()}, outer[4] = {2, 3, 4, 5};
    (void)state;
    for (unsigned s = 0; s < 4; s++) {
        for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
            const float inner[2] = {bad[i], bad[ARRAY_SIZE(bad) - 1 - i]};
            make_patch(TESS_DOMAIN_QUADS, (enum tess_spacing)s, TESS_OUTPUT_CW, outer, inner);
            assert_in_range(patch.prim_count, 1, TESS_MAX_PRIMS);
            make_patch(TESS_DOMAIN_TRIANGLES, (enum tess_spacing)s, TESS_OUTPUT_CW, outer, inner);
            assert_in_range(patch.prim_count, 1, TESS_MAX_PRIMS);
        }
    }
}

static void the_largest_level_of_the_mode_counts(void **state)
{
    struct tess_mode mode = mode_of(TESS_DOMAIN_QUADS, TESS_SPACING_EQUAL, TESS_OUTPUT_CW);
    const struct tess_levels levels = {.outer = {20, 20, 20, 20}, .inner = {20, 20}};
    (void)state;
    mode.max_level = 7;
    tessellate(&mode, &levels, &patch);
    assert_int_equal(patch.prim_count, 7 * 7 * 2);
}

/* ---- edges ---- */

static void edges_are_symmetric_and_grow(void **state)
{
    (void)state;
    for (unsigned s = 0; s < 4; s++) {
        const struct tess_mode mode = mode_of(TESS_DOMAIN_QUADS, (enum tess_spacing)s, TESS_OUTPUT_CW);
        for (float level = 0.5f; level <= 65; level += 0.0625f) {
            const struct tess_edge edge = tess_edge_of(&mode, level, false);
            assert_int_equal(tess_edge_place(&edge, 0), 0);
            for (uint32_t i = 0; i < edge.segments; i++) {
                const int32_t at = tess_edge_place(&edge, i), next = tess_edge_place(&edge, i + 1);
                assert_int_equal(at, TESS_ONE - tess_edge_place(&edge, edge.segments - i));
                assert_in_range(next - at, s <= TESS_SPACING_POWERS, TESS_ONE);
            }
        }
    }
}

/* All segments but two are equally long, and those two not longer. A segment's length is rounded before it is
 * multiplied (by half a unit at most), which adds up to the middle of the edge. */
static void fractional_edges_have_two_short_segments(void **state)
{
    (void)state;
    for (unsigned s = TESS_SPACING_ODD; s <= TESS_SPACING_EVEN; s++) {
        const struct tess_mode mode = mode_of(TESS_DOMAIN_QUADS, (enum tess_spacing)s, TESS_OUTPUT_CW);
        for (float level = 3.03125f; level < 63; level += 0.125f) {
            const struct tess_edge edge = tess_edge_of(&mode, level, false);
            int32_t longest = 0;
            unsigned shorter = 0;
            for (uint32_t i = 0; i * 2 + 2 < edge.segments; i++)
                longest = MAX2(longest, tess_edge_place(&edge, i + 1) - tess_edge_place(&edge, i));
            for (uint32_t i = 0; i < edge.segments; i++) {
                const bool is_middle = i * 2 <= edge.segments && i * 2 + 2 >= edge.segments;
                const int32_t length = tess_edge_place(&edge, i + 1) - tess_edge_place(&edge, i);
                shorter += length + (is_middle ? (int32_t)edge.segments / 2 : 0) < longest - 2;
            }
            assert_in_range(shorter, 0, 2);
            assert_in_range(longest, (int32_t)(TESS_ONE / (level + 1)), (int32_t)(TESS_ONE / (level - 1)));
        }
    }
}

static bool has_triangle(const int32_t corners[3][2])
{
    for (uint32_t i = 0; i < patch.prim_count; i++) {
        unsigned found = 0;
        for (unsigned k = 0; k < 9; k++) {
            const struct tess_point *point = &patch.points[patch.prims[i][k / 3]];
            found += (int32_t)(point->u * TESS_ONE) == corners[k % 3][0] &&
                     (int32_t)(point->v * TESS_ONE) == corners[k % 3][1];
        }
        if (found == 3)
            return true;
    }
    return false;
}

/* Points that the rules leave open are as llvmpipe has them, whose tessellator is Direct3D's (tests/gl compares
 * pictures): to the last bit of a place, and which points a strip joins. */
static void places_and_strips_are_those_of_direct3d(void **state)
{
    static const float one[4] = {1, 1, 1, 1}, two[4] = {2, 2, 2, 2}, three[2] = {3, 3}, seven[2] = {7, 7};
    static const int32_t corner[3][2] = {{0, 0}, {0, 65536}, {14563, 14563}},
                         cell[3][2] = {{21845, 43691}, {43691, 43691}, {43691, 21845}},
                         ring[3][2] = {{0, 0}, {6241, 6241}, {32768, 0}}, half[3][2] = {{0, 0}, {65536, 0}, {0, 65536}};
    const struct tess_mode mode = mode_of(TESS_DOMAIN_QUADS, TESS_SPACING_EQUAL, TESS_OUTPUT_CW);
    (void)state;
    const struct tess_edge edge = tess_edge_of(&mode, 7, false);
    assert_int_equal(tess_edge_place(&edge, 3), 28086);
    make_patch(TESS_DOMAIN_TRIANGLES, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, one, three);
    assert_true(has_triangle(corner));
    make_patch(TESS_DOMAIN_TRIANGLES, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, two, seven);
    assert_true(has_triangle(ring));
    make_patch(TESS_DOMAIN_QUADS, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, one, three);
    assert_true(has_triangle(cell));
    make_patch(TESS_DOMAIN_QUADS, TESS_SPACING_EQUAL, TESS_OUTPUT_CW, one, one);
    assert_true(has_triangle(half));
}

/* An edge's points, whatever the other levels are. */
static uint32_t points_on_edge(enum tess_domain domain, unsigned edge, int32_t places_out[TESS_MAX_LEVEL + 1])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < patch.point_count; i++) {
        const int32_t u = (int32_t)(patch.points[i].u * TESS_ONE), v = (int32_t)(patch.points[i].v * TESS_ONE);
        const int32_t apart = edge == 0                         ? u
                              : edge == 1                       ? v
                              : domain == TESS_DOMAIN_TRIANGLES ? TESS_ONE - u - v
                              : edge == 2                       ? TESS_ONE - u
                                                                : TESS_ONE - v;
        if (apart == 0 && count <= TESS_MAX_LEVEL)
            places_out[count++] = edge & 1 ? u : v;
    }
    return count;
}

static int compare_points(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

static void an_edge_depends_on_its_own_level(void **state)
{
    (void)state;
    for (unsigned d = TESS_DOMAIN_TRIANGLES; d <= TESS_DOMAIN_QUADS; d++) {
        for (unsigned s = 0; s < 4; s++) {
            for (size_t l = 0; l < ARRAY_SIZE(some_levels); l++) {
                const struct tess_mode mode = mode_of((enum tess_domain)d, (enum tess_spacing)s, TESS_OUTPUT_CW);
                const struct tess_edge expected = tess_edge_of(&mode, some_levels[l], false);
                for (unsigned e = 0; e < 2 + d; e++) {
                    int32_t places[TESS_MAX_LEVEL + 1];
                    float outer[4] = {5, 2.5f, 9, 1}, inner[2] = {7.5f, 3};
                    outer[e] = some_levels[l];
                    make_patch((enum tess_domain)d, (enum tess_spacing)s, TESS_OUTPUT_CW, outer, inner);
                    assert_int_equal(points_on_edge((enum tess_domain)d, e, places), expected.segments + 1);
                    qsort(places, expected.segments + 1, sizeof(places[0]), compare_points);
                    for (uint32_t i = 0; i <= expected.segments; i++)
                        assert_int_equal(places[i], tess_edge_place(&expected, i));
                }
            }
        }
    }
}

/* ---- triangles ---- */

static int64_t area_of(const uint16_t prim[3])
{
    int64_t x[3], y[3];
    for (unsigned i = 0; i < 3; i++) {
        x[i] = (int64_t)(patch.points[prim[i]].u * TESS_ONE);
        y[i] = (int64_t)(patch.points[prim[i]].v * TESS_ONE);
    }
    return (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
}

static uint8_t edge_seen[TESS_MAX_POINTS][64]; /* small hash rows of neighbours */
static uint16_t edge_to[TESS_MAX_POINTS][64];

static void note_edge(uint16_t from, uint16_t to)
{
    for (unsigned i = 0; i < 64; i++) {
        if (!edge_seen[from][i]) {
            edge_seen[from][i] = 1;
            edge_to[from][i] = to;
            return;
        }
        assert_int_not_equal(edge_to[from][i], to); /* no edge is walked twice in one direction */
    }
    /* A point with more neighbours than that: the fan around a centre is looked at by its area alone. */
}

static bool has_edge(uint16_t from, uint16_t to)
{
    for (unsigned i = 0; i < 64 && edge_seen[from][i]; i++) {
        if (edge_to[from][i] == to)
            return true;
    }
    return edge_seen[from][63] != 0;
}

static bool is_outer_point(uint16_t point, enum tess_domain domain)
{
    const float u = patch.points[point].u, v = patch.points[point].v;
    return u == 0 || v == 0 || (domain == TESS_DOMAIN_TRIANGLES ? u + v == 1 : u == 1 || v == 1);
}

/* Areas are those of the winding and add up to the domain's; each edge inside has a triangle on both of its sides. */
static void check_cover(enum tess_domain domain, bool is_cw)
{
    int64_t sum = 0;
    memset(edge_seen, 0, patch.point_count * sizeof(edge_seen[0]));
    for (uint32_t i = 0; i < patch.prim_count; i++) {
        const int64_t area = area_of(patch.prims[i]) * (is_cw ? 1 : -1);
        /* Where all levels are close to one, points fall together but for the last bit. */
        assert_true(area >= -(int64_t)TESS_ONE * 2);
        sum += area;
        for (unsigned k = 0; k < 3; k++) {
            assert_in_range(patch.prims[i][k], 0, patch.point_count - 1);
            note_edge(patch.prims[i][k], patch.prims[i][(k + 1) % 3]);
        }
    }
    assert_true(sum == (int64_t)TESS_ONE * TESS_ONE * (domain == TESS_DOMAIN_QUADS ? 2 : 1));
    for (uint32_t i = 0; i < patch.prim_count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            const uint16_t from = patch.prims[i][k], to = patch.prims[i][(k + 1) % 3];
            if (!is_outer_point(from, domain) || !is_outer_point(to, domain))
                assert_true(has_edge(to, from));
        }
    }
}

static void triangles_cover_the_domain(void **state)
{
    uint32_t random = 12345;
    (void)state;
    for (unsigned d = TESS_DOMAIN_TRIANGLES; d <= TESS_DOMAIN_QUADS; d++) {
        for (unsigned n = 0; n < 1500; n++) {
            float levels[6];
            for (unsigned i = 0; i < 6; i++) {
                random = random * 1664525 + 1013904223;
                levels[i] = some_levels[(random >> 16) % ARRAY_SIZE(some_levels)];
            }
            make_patch((enum tess_domain)d, (enum tess_spacing)(n % 4), n & 4 ? TESS_OUTPUT_CW : TESS_OUTPUT_CCW,
                       levels, levels + 4);
            check_cover((enum tess_domain)d, n & 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_follow_the_spacing),
        cmocka_unit_test(equal_levels_make_known_counts),
        cmocka_unit_test(an_inner_level_of_one_is_more_where_edges_are_cut),
        cmocka_unit_test(a_level_that_is_not_above_zero_culls),
        cmocka_unit_test(inner_levels_may_be_anything),
        cmocka_unit_test(the_largest_level_of_the_mode_counts),
        cmocka_unit_test(edges_are_symmetric_and_grow),
        cmocka_unit_test(fractional_edges_have_two_short_segments),
        cmocka_unit_test(places_and_strips_are_those_of_direct3d),
        cmocka_unit_test(an_edge_depends_on_its_own_level),
        cmocka_unit_test(triangles_cover_the_domain),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("tessellate", tests, NULL, NULL);
}
