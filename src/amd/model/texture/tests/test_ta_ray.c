/* Rays against nodes of a tree: boxes in halves and floats, their order, triangles and their weights. */
#include "amd/model/texture/tests/ta_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

#define NODES 16
#define MISS UINT32_MAX

enum {
    TRIANGLE_0,
    TRIANGLE_1,
    BOXES_HALF = 4,
    BOXES_FLOAT = 5,
    USER = 6
};

struct tree {
    uint32_t *words; /* 16 for a unit of 64 bytes */
    struct amd_desc_BVH desc;
};

static void bind_tree(struct rig *rig, const struct tree *tree)
{
    amd_pack_desc_BVH(AMD_GFX10_3, rig->wave->sgpr, &tree->desc);
}

static struct tree make_tree(struct rig *rig)
{
    struct tree tree;
    uint64_t va;
    tree.words = rig_alloc(rig, NODES * 64, 256, &va);
    tree.desc = (struct amd_desc_BVH){
        .BASE_ADDRESS = va >> 8, .BOX_SORT_EN = 1, .SIZE = NODES - 1, .TRIANGLE_RETURN_MODE = 1, .TYPE = 8};
    bind_tree(rig, &tree);
    return tree;
}

static void put_float(uint32_t *word, float value)
{
    *word = float_bits(value);
}

static void put_box(struct tree *tree, unsigned unit, unsigned child, uint32_t number, const float box[6], bool halves)
{
    uint32_t *node = tree->words + unit * 16;
    node[child] = number;
    for (unsigned n = 0; n < 6; n++) {
        uint16_t half = float_to_half_rtne(box[n]);
        if (halves)
            memcpy((uint8_t *)(node + 4) + (child * 6 + n) * 2, &half, sizeof(half));
        else
            put_float(node + 4 + child * 6 + n, box[n]);
    }
}

/* A ray of the registers from v4 on: node in v2 (and v3), extent, origin, direction, inverse direction. */
static void put_ray(struct rig *rig, unsigned lane, uint32_t number, float extent, const float origin[3],
                    const float direction[3])
{
    rig_row(rig, 3)[lane] = number;
    rig_put(rig, 4, lane, extent);
    for (unsigned n = 0; n < 3; n++) {
        rig_put(rig, 5 + n, lane, origin[n]);
        rig_put(rig, 8 + n, lane, direction[n]);
        rig_put(rig, 11 + n, lane, 1 / direction[n]);
    }
}

static void run_program(struct rig *rig)
{
    const char *text = "image_bvh_intersect_ray v[20:23], [v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13], s[0:3]";
    if (!rig_run(rig, text))
        fail_msg("%s: %s", text, rig->wave->fault.why);
}

static void expect_children(struct rig *rig, unsigned lane, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t want[4] = {a, b, c, d};
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(rig_row(rig, 20 + n)[lane], want[n]);
}

static const float row_of_boxes[4][6] = {
    {6, -1, -1, 7, 1, 1}, {2, -1, -1, 3, 1, 1}, {4, 5, -1, 5, 6, 1}, {0.5f, -1, -1, 1, 1, 1}};

static void check_boxes(struct rig *rig, unsigned kind)
{
    struct tree tree = make_tree(rig);
    for (unsigned n = 0; n < 4; n++)
        put_box(&tree, 2, n, 100 + n, row_of_boxes[n], kind == BOXES_HALF);
    const float origin[3] = {0, 0, 0}, along[3] = {1, 0, 0}, back[3] = {-1, 0, 0}, up[3] = {0.75f, 0.9375f, 0};
    put_ray(rig, 0, 2 * 8 + kind, INFINITY, origin, along);
    put_ray(rig, 1, 2 * 8 + kind, 5, origin, along); /* ends before the farthest box */
    put_ray(rig, 2, 2 * 8 + kind, INFINITY, origin, back);
    put_ray(rig, 3, 2 * 8 + kind, INFINITY, origin, up);
    run_program(rig);
    expect_children(rig, 0, 103, 101, 100, MISS);
    expect_children(rig, 1, 103, 101, MISS, MISS);
    expect_children(rig, 2, MISS, MISS, MISS, MISS);
    expect_children(rig, 3, 103, 102, MISS, MISS);
    tree.desc.BOX_SORT_EN = 0;
    bind_tree(rig, &tree);
    run_program(rig);
    expect_children(rig, 0, 100, 101, MISS, 103);
}

static void boxes_of_floats_come_nearest_first(void **state)
{
    rig_lanes(*state, 32, 0xf);
    check_boxes(*state, BOXES_FLOAT);
}

static void boxes_of_halves_do_the_same(void **state)
{
    rig_lanes(*state, 64, 0xf);
    check_boxes(*state, BOXES_HALF);
}

/* An axis along which a ray does not move, from a place on the box's side, does not decide. */
static void a_ray_in_the_side_of_a_box_meets_it(void **state)
{
    struct rig *rig = *state;
    rig_lanes(rig, 32, 1);
    struct tree tree = make_tree(rig);
    for (unsigned n = 0; n < 4; n++)
        put_box(&tree, 0, n, 7 + n, row_of_boxes[n], false);
    const float origin[3] = {0, 1, 0}, along[3] = {1, 0, 0};
    put_ray(rig, 0, BOXES_FLOAT, INFINITY, origin, along);
    run_program(rig);
    expect_children(rig, 0, 10, 8, 7, MISS);
}

static void growing_a_box_reaches_a_ray_that_ends_before_it(void **state)
{
    struct rig *rig = *state;
    rig_lanes(rig, 32, 1);
    struct tree tree = make_tree(rig);
    for (unsigned n = 0; n < 4; n++)
        put_box(&tree, 0, n, 7 + n, row_of_boxes[n], false);
    const float origin[3] = {0, 0, 0}, along[3] = {1, 0, 0};
    put_ray(rig, 0, BOXES_FLOAT, nextafterf(6, 0), origin, along);
    run_program(rig);
    expect_children(rig, 0, 10, 8, MISS, MISS);
    tree.desc.BOX_GROW = 6;
    bind_tree(rig, &tree);
    run_program(rig);
    expect_children(rig, 0, 10, 8, 7, MISS);
}

/* By double arithmetic: u and v are the weights of the second and the third corner. */
static bool meet_triangle(const double v[3][3], const float origin[3], const float direction[3], double *t, double *u,
                          double *w)
{
    double a[3], b[3], o[3], p[3], q[3];
    for (unsigned n = 0; n < 3; n++) {
        a[n] = v[1][n] - v[0][n];
        b[n] = v[2][n] - v[0][n];
        o[n] = origin[n] - v[0][n];
    }
    for (unsigned n = 0; n < 3; n++) {
        unsigned i = (n + 1) % 3, j = (n + 2) % 3;
        p[n] = direction[i] * b[j] - direction[j] * b[i];
        q[n] = o[i] * a[j] - o[j] * a[i];
    }
    double scale = a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
    *t = (b[0] * q[0] + b[1] * q[1] + b[2] * q[2]) / scale;
    *u = (o[0] * p[0] + o[1] * p[1] + o[2] * p[2]) / scale;
    *w = (direction[0] * q[0] + direction[1] * q[1] + direction[2] * q[2]) / scale;
    return *u >= 0 && *w >= 0 && *u + *w <= 1 && *t >= 0;
}

static bool is_near_an_edge(double u, double w, double t)
{
    return fabs(u) < 1e-3 || fabs(w) < 1e-3 || fabs(1 - u - w) < 1e-3 || fabs(t) < 1e-3;
}

static void triangles_return_distance_and_weights(void **state)
{
    struct rig *rig = *state;
    static const uint8_t corners[2][3] = {{0, 1, 2}, {1, 3, 2}};
    unsigned hits = 0;
    rig_lanes(rig, 64, UINT64_MAX);
    struct tree tree = make_tree(rig);
    for (unsigned round = 0; round < 100; round++) {
        float vertices[5][3], origin[64][3], direction[64][3];
        for (unsigned n = 0; n < 15; n++) {
            vertices[n / 3][n % 3] = (float)rig_uniform(rig, -4, 4);
            put_float(tree.words + n, vertices[n / 3][n % 3]);
        }
        /* The first triangle returns the weights of its second and third corner, the other of its third and first. */
        tree.words[15] = (1 | 2 << 2) | (2 | 0 << 2) << 8;
        for (unsigned lane = 0; lane < 64; lane++) {
            for (unsigned n = 0; n < 3; n++) {
                origin[lane][n] = (float)rig_uniform(rig, -6, 6);
                direction[lane][n] = (float)rig_uniform(rig, -2, 2) - origin[lane][n] / 2;
            }
            put_ray(rig, lane, lane & 1, INFINITY, origin[lane], direction[lane]);
        }
        run_program(rig);
        for (unsigned lane = 0; lane < 64; lane++) {
            double v[3][3], t, u, w;
            for (unsigned n = 0; n < 9; n++)
                v[n / 3][n % 3] = vertices[corners[lane & 1][n / 3]][n % 3];
            bool hit = meet_triangle(v, origin[lane], direction[lane], &t, &u, &w);
            double scale = rig_get(rig, 21, lane), distance = rig_get(rig, 20, lane) / scale;
            if (is_near_an_edge(u, w, t))
                continue;
            assert_int_equal(isinf(distance), !hit);
            if (!hit)
                continue;
            hits++;
            double weights[3] = {1 - u - w, u, w};
            assert_true(fabs(distance - t) < 1e-4 * (1 + t));
            assert_true(fabs(rig_get(rig, 22, lane) / scale - weights[lane & 1 ? 2 : 1]) < 1e-3);
            assert_true(fabs(rig_get(rig, 23, lane) / scale - weights[lane & 1 ? 0 : 2]) < 1e-3);
        }
    }
    assert_true(hits > 500);
}

/* ---- edges ---- */

#define CELLS 4 /* a side of a field of 16 nodes: two triangles each */

/* Corners of cell (x, y) on a field across one axis. Some cells are wound the other way round. */
static void put_field(struct rig *rig, struct tree *tree, unsigned axis, bool is_flat)
{
    float heights[CELLS + 1][CELLS + 1];
    for (unsigned y = 0; y <= CELLS; y++) {
        for (unsigned x = 0; x <= CELLS; x++)
            heights[y][x] = is_flat ? (float)x / 8 - (float)y / 4 : (float)rig_uniform(rig, -1, 1);
    }
    for (unsigned cell = 0; cell < CELLS * CELLS; cell++) {
        bool turned = rig_uniform(rig, 0, 1) < 0.5;
        for (unsigned n = 0; n < 4; n++) {
            unsigned corner = turned && n % 3 ? 3 - n : n, x = cell % CELLS + (corner & 1),
                     y = cell / CELLS + (corner >> 1);
            uint32_t *words = tree->words + cell * 16 + n * 3;
            put_float(words + axis, heights[y][x]);
            put_float(words + (axis + 1) % 3, (float)x);
            put_float(words + (axis + 2) % 3, (float)y);
        }
    }
}

static unsigned hits_of_field(struct rig *rig, const float origin[3], const float direction[3])
{
    unsigned hits = 0;
    for (unsigned lane = 0; lane < 2 * CELLS * CELLS; lane++)
        put_ray(rig, lane, lane / 2 * 8 + lane % 2, INFINITY, origin, direction);
    run_program(rig);
    for (unsigned lane = 0; lane < 2 * CELLS * CELLS; lane++)
        hits += !isinf(rig_get(rig, 20, lane));
    return hits;
}

static void check_field(struct rig *rig, const float slope[2])
{
    struct tree tree = make_tree(rig);
    for (unsigned turn = 0; turn < 6; turn++) {
        unsigned axis = turn / 2;
        float sign = turn % 2 ? -1 : 1;
        put_field(rig, &tree, axis, slope[0] != 0);
        for (unsigned place = 0; place < 15 * 15; place++) {
            /* Quarters: through corners, through edges, through insides; the numbers are exact. */
            float at[3], origin[3], direction[3];
            at[axis] = 0;
            at[(axis + 1) % 3] = (float)(place % 15 + 1) / 4;
            at[(axis + 2) % 3] = (float)(place / 15 + 1) / 4;
            direction[axis] = sign;
            direction[(axis + 1) % 3] = slope[0];
            direction[(axis + 2) % 3] = slope[1];
            if (slope[0] != 0)
                at[axis] = at[(axis + 1) % 3] / 8 - at[(axis + 2) % 3] / 4;
            for (unsigned n = 0; n < 3; n++)
                origin[n] = at[n] - 8 * direction[n];
            if (hits_of_field(rig, origin, direction) != 1)
                fail_msg("axis %u, sign %g, place %u: not one triangle of the field", axis, (double)sign, place);
        }
    }
}

/* A field of triangles that share edges and corners, wound in either way: of those around an edge or a corner exactly
 * one has the ray. */
static void a_ray_through_an_edge_meets_one_triangle(void **state)
{
    rig_lanes(*state, 32, UINT32_MAX);
    check_field(*state, (const float[]){0, 0});
    check_field(*state, (const float[]){0.25f, -0.125f});
}

/* Numbers that are not exact: no ray slips through and none meets two. */
static void a_ray_near_an_edge_meets_one_triangle(void **state)
{
    struct rig *rig = *state;
    rig_lanes(rig, 32, UINT32_MAX);
    struct tree tree = make_tree(rig);
    put_field(rig, &tree, 2, true);
    for (unsigned n = 0; n < 2000; n++) {
        float inside = (float)rig_uniform(rig, 0.01, 3.99), line = (float)(1 + n % 3);
        float at[2] = {n & 4 ? inside : line, n & 4 ? line : inside};
        const float direction[3] = {(float)rig_uniform(rig, -0.9, 0.9), (float)rig_uniform(rig, -0.9, 0.9), 1},
                    origin[3] = {at[0] - 7 * direction[0], at[1] - 7 * direction[1], at[0] / 8 - at[1] / 4 - 7};
        assert_int_equal(hits_of_field(rig, origin, direction), 1);
    }
}

/* The other way to return: the number that the node holds, and whether the ray met the triangle. */
static void a_triangle_may_return_its_number(void **state)
{
    struct rig *rig = *state;
    rig_lanes(rig, 32, 3);
    struct tree tree = make_tree(rig);
    tree.desc.TRIANGLE_RETURN_MODE = 0;
    bind_tree(rig, &tree);
    const float corners[9] = {0, 0, 5, 4, 0, 5, 0, 4, 5}, inside[3] = {1, 1, 0}, outside[3] = {3, 3, 0},
                ahead[3] = {0, 0, 1};
    for (unsigned n = 0; n < 9; n++)
        put_float(tree.words + n, corners[n]);
    tree.words[15] = 0xabcd;
    put_ray(rig, 0, TRIANGLE_0, INFINITY, inside, ahead);
    put_ray(rig, 1, TRIANGLE_0, INFINITY, outside, ahead);
    run_program(rig);
    assert_true(rig_get(rig, 20, 0) / rig_get(rig, 21, 0) == 5);
    assert_true(isinf(rig_get(rig, 20, 1)) && rig_get(rig, 21, 1) == 1);
    for (unsigned lane = 0; lane < 2; lane++) {
        assert_int_equal(rig_row(rig, 22)[lane], 0xabcd);
        assert_int_equal(rig_row(rig, 23)[lane], !lane);
    }
}

static void nodes_of_the_shader_return_all_bits(void **state)
{
    struct rig *rig = *state;
    rig_lanes(rig, 32, 5);
    make_tree(rig);
    const float zero[3] = {0, 0, 0}, along[3] = {1, 1, 1};
    for (unsigned lane = 0; lane < 3; lane++) {
        put_ray(rig, lane, NODES * 1000 * 8 + USER, 1, zero, along);
        for (unsigned n = 0; n < 4; n++)
            rig_row(rig, 20 + n)[lane] = 1;
    }
    run_program(rig);
    expect_children(rig, 0, MISS, MISS, MISS, MISS);
    expect_children(rig, 1, 1, 1, 1, 1); /* not active */
    expect_children(rig, 2, MISS, MISS, MISS, MISS);
}

/* Two words of the node; direction and inverse direction as six halves; the result in the address's own registers. */
static void wide_numbers_and_packed_directions(void **state)
{
    struct rig *rig = *state;
    rig_lanes(rig, 32, 1);
    struct tree tree = make_tree(rig);
    for (unsigned n = 0; n < 4; n++)
        put_box(&tree, 4, n, 50 + n, row_of_boxes[n], false);
    uint16_t halves[6];
    const float numbers[6] = {1, 0, 0, 1, INFINITY, INFINITY}, origin[4] = {INFINITY, 0, 0, 0};
    for (unsigned n = 0; n < 6; n++)
        halves[n] = float_to_half_rtne(numbers[n]);
    rig_row(rig, 2)[0] = 4 * 8 + BOXES_FLOAT;
    rig_row(rig, 3)[0] = 0;
    for (unsigned n = 0; n < 4; n++)
        rig_put(rig, 4 + n, 0, origin[n]);
    for (unsigned n = 0; n < 3; n++)
        rig_row(rig, 8 + n)[0] = halves[n * 2] | (uint32_t)halves[n * 2 + 1] << 16;
    assert_true(rig_run(rig, "image_bvh64_intersect_ray v[2:5], [v2, v3, v4, v5, v6, v7, v8, v9, v10], s[0:3] a16"));
    const uint32_t want[4] = {53, 51, 50, MISS};
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(rig_row(rig, 2 + n)[0], want[n]);
}

static void what_is_not_known_stops(void **state)
{
    struct rig *rig = *state;
    rig_lanes(rig, 32, 1);
    struct tree tree = make_tree(rig);
    const float zero[3] = {0, 0, 0}, along[3] = {1, 1, 1};
    const char *text = "image_bvh_intersect_ray v[20:23], [v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13], s[0:3]";
    put_ray(rig, 0, 2, 1, zero, along); /* the third triangle */
    assert_false(rig_run(rig, text));
    put_ray(rig, 0, (NODES - 1) * 8 + BOXES_FLOAT, 1, zero, along); /* half of it lies beyond the end */
    assert_false(rig_run(rig, text));
    tree.desc.TYPE = 9;
    bind_tree(rig, &tree);
    put_ray(rig, 0, BOXES_FLOAT, 1, zero, along);
    assert_false(rig_run(rig, text));
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(boxes_of_floats_come_nearest_first, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(boxes_of_halves_do_the_same, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_ray_in_the_side_of_a_box_meets_it, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(growing_a_box_reaches_a_ray_that_ends_before_it, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(triangles_return_distance_and_weights, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_ray_through_an_edge_meets_one_triangle, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_ray_near_an_edge_meets_one_triangle, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_triangle_may_return_its_number, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(nodes_of_the_shader_return_all_bits, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(wide_numbers_and_packed_directions, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(what_is_not_known_stops, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests_name("ta: rays", tests, NULL, NULL);
}
