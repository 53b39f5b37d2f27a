/* The tiler: which primitives come to which bins, in which order, with which vertices; and its memory. */
#include "mali/model/tiler/tests/rig.h"

#include "util/bits.h"

static struct rig_prims prims;
#define CONTEXT_B 128
#define WHOLE ((struct raster_tile){0, 0, 64, 64})

/* ---- shaders ---- */

/* Triangles of 4 pixels in rows of 16, three vertices each. */
static struct rig_vertex shade_grid(uint32_t vertex, uint32_t instance, unsigned view)
{
    uint32_t triangle = vertex / 3, corner = vertex % 3;
    float x = (float)(triangle % 16 * 4), y = (float)(triangle / 16 % 16 * 4);
    return (struct rig_vertex){.pos = {x + (corner == 1 ? 4 : 0), y + (corner == 2 ? 4 : 0), 0.5f, 1}, .size = 1};
}

/* A strip of vertices: even ones above. */
static struct rig_vertex shade_strip(uint32_t vertex, uint32_t instance, unsigned view)
{
    return (struct rig_vertex){.pos = {(float)(vertex * 2), vertex % 2 ? 8.0f : 0.0f, 0.5f, 1}, .size = 4};
}

/* A circle around the middle. */
static struct rig_vertex shade_fan(uint32_t vertex, uint32_t instance, unsigned view)
{
    static const float places[6][2] = {{16, 16}, {32, 16}, {16, 32}, {0, 16}, {16, 0}, {30, 2}};
    return (struct rig_vertex){.pos = {places[vertex][0], places[vertex][1], 0.5f, 1}, .size = 1};
}

static unsigned set_flags(unsigned mode, struct mali_IDVS_PRIMITIVE_FLAGS flags)
{
    flags.DRAW_MODE = mode;
    flags.SECONDARY_SHADER = true;
    flags.LOW_DEPTH_CULL = flags.HIGH_DEPTH_CULL = true;
    flags.POSITION_FIFO_FORMAT = flags.POSITION_FIFO_FORMAT ? flags.POSITION_FIFO_FORMAT : MALI_FIFO_FORMAT_BASIC;
    rig.run.regs[56] = mali_pack_IDVS_PRIMITIVE_FLAGS(&flags);
    return mode;
}

static void expect_primitive(unsigned number, uint32_t a, uint32_t b, uint32_t c)
{
    assert_true(number < prims.count);
    assert_int_equal(rig_corner(&prims.prims[number], 0), a);
    assert_int_equal(rig_corner(&prims.prims[number], 1), b);
    assert_int_equal(rig_corner(&prims.prims[number], 2), c);
}

/* ---- primitives ---- */

static void test_triangles_come_in_order(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    assert_true(rig_draw(3 * 256, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 256);
    for (unsigned i = 0; i < 256; i++) {
        expect_primitive(i, 3 * i, 3 * i + 1, 3 * i + 2);
        assert_int_equal(prims.prims[i].primitive, i);
        assert_int_equal(prims.serials[i], 1);
        assert_int_equal(prims.prims[i].raster.x0, i % 16 * 4);
        assert_int_equal(prims.prims[i].raster.y0, i / 16 * 4);
    }
    assert_int_equal(rig.positions, 768);
    assert_int_equal(rig.varyings, 768);
}

static void test_draws_with_the_same_words_are_one(void **state)
{
    static const uint64_t serials[] = {1, 1, 2, 3};
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    for (unsigned i = 0; i < 4; i++) {
        rig_set64(50, i < 2 ? 0 : 64 * i);
        assert_true(rig_draw(3, 1));
    }
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(prims.serials[i], serials[i]);
}

/* Each has its own numbers of primitives, and shades its vertices itself, though others have them, too. */
static void test_draws_run_together(void **state)
{
    static const struct mali_run_draw more[] = {
        {.index_count = 6, .instance_count = 1, .vertex_offset = 3, .id = 5},
        {.index_count = 0, .instance_count = 1, .id = 6},
        {.index_count = 3, .instance_count = 0, .id = 6},
        {.index_count = 3, .instance_count = 2, .vertex_offset = 0, .instance_offset = 7, .id = 9},
        {.index_count = 3 * 200, .instance_count = 1, .vertex_offset = 9, .id = 1},
    };
    static const struct {
        uint32_t first, primitive, instance;
    } wanted[] = {{0, 0, 0}, {3, 0, 0}, {6, 1, 0}, {0, 0, 7}, {0, 0, 8}};
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    atomic_store(&rig.draw_ids, 0);
    rig.run.more = more;
    rig.run.more_count = ARRAY_SIZE(more);
    assert_true(rig_draw(3, 1));
    rig.run.more_count = 0;
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, ARRAY_SIZE(wanted) + 200);
    for (unsigned i = 0; i < prims.count; i++) {
        const unsigned last = i - ARRAY_SIZE(wanted);
        const bool is_listed = i < ARRAY_SIZE(wanted);
        const uint32_t first = is_listed ? wanted[i].first : 9 + 3 * last;
        expect_primitive(i, first, first + 1, first + 2);
        assert_int_equal(prims.prims[i].primitive, is_listed ? wanted[i].primitive : last);
        assert_int_equal(((uint32_t *)rig_at(prims.prims[i].varying_va[0]))[1], is_listed ? wanted[i].instance : 0);
    }
    assert_int_equal(rig.positions, 3 + 6 + 6 + 600);
    assert_int_equal(rig.draw_ids, 1u << 0 | 1u << 5 | 1u << 9 | 1u << 1);
}

static void test_a_tile_has_its_own(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    assert_true(rig_draw(3 * 256, 1));
    rig_set64(50, 0x1000); /* another draw */
    assert_true(rig_draw(3 * 256, 1));
    unsigned sum = 0;
    for (int32_t y = 0; y < 64; y += 16) {
        for (int32_t x = 0; x < 64; x += 16) {
            rig_walk(0, (struct raster_tile){x, y, 16, 16}, &prims);
            sum += prims.count;
            assert_true(prims.count >= 32);
            for (unsigned i = 1; i < prims.count; i++) {
                bool is_later =
                    prims.serials[i] > prims.serials[i - 1] || prims.prims[i].primitive > prims.prims[i - 1].primitive;
                assert_true(is_later);
                assert_true(prims.prims[i].raster.x0 < x + 16 && prims.prims[i].raster.x1 > x);
            }
        }
    }
    assert_true(sum >= 512);
}

static void test_topologies(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_strip;
    set_flags(MALI_DRAW_MODE_TRIANGLE_STRIP, (struct mali_IDVS_PRIMITIVE_FLAGS){0});
    assert_true(rig_draw(5, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 3);
    expect_primitive(0, 0, 1, 2);
    expect_primitive(1, 1, 3, 2); /* the winding stays, and so does the provoking vertex */
    expect_primitive(2, 2, 3, 4);
    assert_true(prims.prims[0].raster.is_back == prims.prims[1].raster.is_back);
    assert_int_equal(prims.prims[1].provoking, 0);

    rig_begin(64, 64, 1);
    rig.shade = shade_fan;
    set_flags(MALI_DRAW_MODE_TRIANGLE_FAN, (struct mali_IDVS_PRIMITIVE_FLAGS){0});
    assert_true(rig_draw(5, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 3);
    expect_primitive(0, 1, 2, 0);
    expect_primitive(2, 3, 4, 0);

    rig_begin(64, 64, 1);
    rig.shade = shade_strip;
    set_flags(MALI_DRAW_MODE_LINE_LOOP, (struct mali_IDVS_PRIMITIVE_FLAGS){0});
    assert_true(rig_draw(4, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 4);
    expect_primitive(0, 0, 1, 1);
    expect_primitive(3, 3, 0, 0);

    rig_begin(64, 64, 1);
    set_flags(MALI_DRAW_MODE_QUADS, (struct mali_IDVS_PRIMITIVE_FLAGS){0});
    rig.shade = shade_fan;
    assert_true(rig_draw(4, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 2);
    expect_primitive(0, 0, 1, 2);
    expect_primitive(1, 0, 2, 3);
}

static void test_the_last_vertex_may_provoke(void **state)
{
    rig_begin(64, 64, 1);
    ((uint32_t *)rig_at(RIG_CONTEXT_VA))[2] &= ~(1u << 18);
    rig.shade = shade_strip;
    set_flags(MALI_DRAW_MODE_TRIANGLE_STRIP, (struct mali_IDVS_PRIMITIVE_FLAGS){0});
    assert_true(rig_draw(4, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 2);
    expect_primitive(0, 0, 1, 2);
    expect_primitive(1, 2, 1, 3);
    assert_int_equal(prims.prims[1].provoking, 2);
}

static void test_indices_and_restart(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_strip;
    static const uint16_t indices[] = {9, 0, 1, 2, 3, 0xffff, 4, 5, 0xffff, 0xffff, 6, 7, 8};
    memcpy(rig_at(RIG_INDICES_VA), indices, sizeof(indices));
    rig_set64(54, RIG_INDICES_VA);
    rig.run.regs[39] = sizeof(indices);
    rig.run.regs[35] = 1; /* the first one is left out */
    rig.run.regs[36] = 10;
    set_flags(MALI_DRAW_MODE_TRIANGLE_STRIP,
              (struct mali_IDVS_PRIMITIVE_FLAGS){.INDEX_TYPE = MALI_INDEX_TYPE_UINT16, .PRIMITIVE_RESTART = true});
    assert_true(rig_draw(12, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 3);
    expect_primitive(0, 10, 11, 12);
    expect_primitive(1, 11, 13, 12);
    expect_primitive(2, 16, 17, 18);
    assert_int_equal(prims.prims[2].primitive, 2);
    assert_int_equal(rig.positions, 7); /* each vertex once */
}

static void test_bytes_beyond_the_indices_are_zero(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    static const uint8_t indices[] = {1, 2};
    memcpy(rig_at(RIG_INDICES_VA), indices, sizeof(indices));
    rig_set64(54, RIG_INDICES_VA);
    rig.run.regs[39] = sizeof(indices);
    set_flags(MALI_DRAW_MODE_TRIANGLES, (struct mali_IDVS_PRIMITIVE_FLAGS){.INDEX_TYPE = MALI_INDEX_TYPE_UINT8});
    assert_true(rig_draw(3, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 1);
    expect_primitive(0, 1, 2, 0);
}

static void test_instances(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    rig.run.regs[37] = 5;
    assert_true(rig_draw(6, 3));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 6);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(((uint32_t *)rig_at(prims.prims[i].varying_va[0]))[1], 5 + i / 2);
        assert_int_equal(prims.prims[i].primitive, i % 2);
    }
}

/* ---- culling and clipping ---- */

static struct rig_vertex shade_mixed(uint32_t vertex, uint32_t instance, unsigned view)
{
    struct rig_vertex out = shade_grid(vertex, instance, view);
    uint32_t triangle = vertex / 3, corner = vertex % 3;
    if (triangle == 1) /* the other way round */
        out.pos[0] = (float)(4 + (corner == 2 ? 4 : 0)), out.pos[1] = corner == 1 ? 4.0f : 0.0f;
    if (triangle == 2)
        out.pos[2] = 2; /* beyond the far plane */
    if (triangle == 3)
        out.pos[0] += 500; /* outside of the framebuffer */
    if (triangle == 4)
        out.pos[3] = -1; /* behind the eye */
    if (triangle == 5)
        out.pos[0] = __builtin_nanf("");
    return out;
}

static void test_what_cannot_be_seen_has_no_varyings(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_mixed;
    rig.run.regs[57] = MALI_PACK(IDVS_DCD_FLAGS_0, .CULL_BACK_FACE = true);
    assert_true(rig_draw(3 * 8, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 3);
    assert_int_equal(prims.prims[0].primitive, 0);
    assert_int_equal(prims.prims[1].primitive, 6);
    assert_int_equal(prims.prims[2].primitive, 7);
    assert_int_equal(rig.positions, 24);
    assert_int_equal(rig.varyings, 9);
}

/* Half of it is behind the eye. */
static struct rig_vertex shade_crossing(uint32_t vertex, uint32_t instance, unsigned view)
{
    /* Clip space (-1, 0, 1), (1, 0, 1), (0, 1, -1) with pixels 32 + 32 x. */
    static const float clip[3][3] = {{-1, 0, 1}, {1, 0, 1}, {0, 1, -1}};
    float w = clip[vertex % 3][2];
    return (struct rig_vertex){
        .pos = {32 + 32 * clip[vertex % 3][0] / w, 32 + 32 * clip[vertex % 3][1] / w, 0.5f, 1 / w}};
}

static void test_a_triangle_that_crosses_the_eye_is_clipped(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_crossing;
    assert_true(rig_draw(3, 1));
    rig_walk(0, WHOLE, &prims);
    assert_true(prims.count >= 1);
    for (unsigned i = 0; i < prims.count; i++) {
        assert_int_equal(prims.prims[i].primitive, 0);
        assert_true(prims.prims[i].raster.y0 >= 31); /* none of the mirror image */
        assert_false(prims.prims[i].raster.is_linear);
    }
}

/* Four triangles: inside of the depth bounds, partly nearer, wholly nearer, wholly farther. */
static struct rig_vertex shade_depths(uint32_t vertex, uint32_t instance, unsigned view)
{
    static const float depths[4][3] = {{0.25f, 0.5f, 0.75f}, {-0.25f, 0.5f, 1}, {-0.5f, -0.25f, -0.125f}, {1.5f, 2, 3}};
    struct rig_vertex out = shade_grid(vertex, instance, view);
    out.pos[2] = depths[vertex / 3][vertex % 3];
    return out;
}

/* Depth culls whole primitives here; the fragments of others are culled one by one, if the depth descriptor says so. */
static void test_depth_bounds_cut(void **state)
{
    for (unsigned culls = 0; culls < 2; culls++) {
        rig_begin(64, 64, 1);
        const struct mali_desc_DEPTH_STENCIL depth = {.DEPTH_CULL_ENABLE = culls};
        mali_pack_desc_DEPTH_STENCIL(rig_at(RIG_DEPTH_VA), &depth);
        rig_set64(MALI_SR(IDVS_DEPTH_STENCIL), RIG_DEPTH_VA);
        rig.shade = shade_depths;
        assert_true(rig_draw(3 * 4, 1));
        rig_walk(0, WHOLE, &prims);
        assert_int_equal(prims.count, 2);
        assert_false(prims.prims[0].is_cut);
        assert_int_equal(prims.prims[1].is_cut, culls);
        const struct raster_prim *prim = &prims.prims[1].raster;
        assert_int_equal(prim->edge_count, 3);
        assert_true(prim->x0 == 4 && prim->x1 == 8 && prim->y0 == 0 && prim->y1 == 4);
        assert_true(prim->z.at == -0.25f && prims.prims[1].cut_z_at == -0.25f);
        assert_true(prim->z_min == 0 && prim->z_max == 1);
    }
}

/* Three triangles between the middles of pixels, and one around a middle. */
static struct rig_vertex shade_tiny(uint32_t vertex, uint32_t instance, unsigned view)
{
    static const float places[12][2] = {{8.6f, 8.6f}, {9.4f, 8.6f},   {8.6f, 9.4f}, {20, 8},
                                        {24.4f, 8},   {20, 8.4f},     {30, 30},     {31.2f, 30},
                                        {30, 30.6f},  {40.2f, 40.2f}, {41, 40.2f},  {40.2f, 41}};
    return (struct rig_vertex){.pos = {places[vertex][0], places[vertex][1], 0.5f, 1}, .size = 1};
}

/* A primitive without a sample leaves no record, and its vertices have no varyings; where samples are elsewhere, or
 * are not to be looked at, nobody knows. */
static void test_what_has_no_sample_is_dropped(void **state)
{
    const struct {
        unsigned pattern;
        bool is_disabled;
        unsigned left;
    } cases[] = {
        {MALI_SAMPLE_PATTERN_SINGLE_SAMPLED, false, 1},
        {MALI_SAMPLE_PATTERN_SINGLE_SAMPLED, true, 4},
        {MALI_SAMPLE_PATTERN_ROTATED_4X_GRID, false, 4},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        rig_begin(64, 64, 1);
        rig.shade = shade_tiny;
        struct mali_desc_TILER_CONTEXT context = mali_unpack_desc_TILER_CONTEXT(rig_at(RIG_CONTEXT_VA));
        context.SAMPLE_PATTERN = cases[i].pattern;
        context.SAMPLE_TEST_DISABLE = cases[i].is_disabled;
        mali_pack_desc_TILER_CONTEXT(rig_at(RIG_CONTEXT_VA), &context);
        assert_true(rig_draw(12, 1));
        rig_walk(0, WHOLE, &prims);
        assert_int_equal(prims.count, cases[i].left);
        assert_int_equal(rig.varyings, 3 * cases[i].left);
        expect_primitive(prims.count - 1, 9, 10, 11);
    }
}

/* A list of several batches with indices of 32 bits: 600 triangles share 602 vertices, and batches what they begin and
 * end with. */
static void test_triangles_share_vertices(void **state)
{
    uint32_t *indices = rig_at(RIG_INDICES_VA);
    rig_begin(64, 64, 1);
    rig.shade = shade_strip;
    for (uint32_t i = 0; i < 600; i++) {
        for (uint32_t c = 0; c < 3; c++)
            indices[3 * i + c] = i + c;
    }
    set_flags(MALI_DRAW_MODE_TRIANGLES, (struct mali_IDVS_PRIMITIVE_FLAGS){.INDEX_TYPE = MALI_INDEX_TYPE_UINT32});
    rig_set64(54, RIG_INDICES_VA);
    rig.run.regs[39] = 4 * 1800;
    assert_true(rig_draw(1800, 1));
    assert_in_range(rig.positions, 602, 602 + 2 * 7);
    rig_walk(0, WHOLE, &prims);
    assert_true(prims.count > 20);
    for (uint32_t i = 0; i < prims.count; i++)
        expect_primitive(i, i, i + 1, i + 2);
}

static void test_scissors_cut(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    rig_set64(42, 8ull | 8ull << 16 | 11ull << 32 | 11ull << 48);
    assert_true(rig_draw(3 * 256, 1));
    rig_walk(0, WHOLE, &prims);
    assert_true(prims.count >= 1 && prims.count <= 4);
    for (unsigned i = 0; i < prims.count; i++) {
        const struct raster_prim *prim = &prims.prims[i].raster;
        assert_true(prim->x0 >= 8 && prim->y0 >= 8 && prim->x1 <= 12 && prim->y1 <= 12);
    }
}

/* ---- points, layers, views ---- */

static void test_points_have_sizes(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_strip;
    set_flags(MALI_DRAW_MODE_POINTS,
              (struct mali_IDVS_PRIMITIVE_FLAGS){.POINT_SIZE_ARRAY_FORMAT = MALI_POINT_SIZE_FORMAT_FP16,
                                                 .POSITION_FIFO_FORMAT = MALI_FIFO_FORMAT_EXTENDED});
    rig.run.regs[36] = 5;
    assert_true(rig_draw(1, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 1);
    assert_true(prims.prims[0].raster.is_point);
    assert_int_equal(prims.prims[0].raster.x0, 8);
    assert_in_range(prims.prims[0].raster.x1, 12, 13);
}

/* A line that goes down two pixels for each one to the right. */
static struct rig_vertex shade_slope(uint32_t vertex, uint32_t instance, unsigned view)
{
    return (struct rig_vertex){.pos = {vertex ? 32.0f : 16.0f, vertex ? 48.0f : 16.0f, 0.5f, 1}, .size = 1};
}

/* A line is a rectangle, unless its ends are to be parallel to an axis. */
static void test_ends_of_lines(void **state)
{
    for (unsigned is_aligned = 0; is_aligned < 2; is_aligned++) {
        rig_begin(64, 64, 1);
        rig.shade = shade_slope;
        set_flags(MALI_DRAW_MODE_LINES, (struct mali_IDVS_PRIMITIVE_FLAGS){0});
        rig.run.regs[57] = MALI_PACK(IDVS_DCD_FLAGS_0, .ALIGNED_LINE_ENDS = is_aligned);
        rig.run.regs[60] = float_bits(8);
        assert_true(rig_draw(2, 1));
        rig_walk(0, WHOLE, &prims);
        assert_int_equal(prims.count, 1);
        assert_int_equal(prims.prims[0].raster.y0, is_aligned ? 16 : 14); /* 4 * 16 / sqrt(16 * 16 + 32 * 32) higher */
        assert_int_equal(prims.prims[0].raster.edge_count, 4);
    }
}

static struct rig_vertex shade_layers(uint32_t vertex, uint32_t instance, unsigned view)
{
    struct rig_vertex out = shade_grid(vertex, instance, view);
    out.layer = (uint8_t)(vertex / 3);
    return out;
}

static void test_layers(void **state)
{
    rig_begin(64, 64, 3);
    ((uint32_t *)rig_at(RIG_CONTEXT_VA))[4] |= (-1u & 0x1ff)
                                               << 8; /* LAYER_OFFSET -1: the context begins with layer 1 */
    rig.shade = shade_layers;
    set_flags(MALI_DRAW_MODE_TRIANGLES,
              (struct mali_IDVS_PRIMITIVE_FLAGS){.LAYER_INDEX_ENABLE = true,
                                                 .POSITION_FIFO_FORMAT = MALI_FIFO_FORMAT_EXTENDED});
    assert_true(rig_draw(3 * 6, 1));
    for (unsigned layer = 0; layer < 3; layer++) {
        rig_walk(layer, WHOLE, &prims);
        assert_int_equal(prims.count, 1);
        assert_int_equal(prims.prims[0].primitive, layer + 1);
    }
    rig_walk(3, WHOLE, &prims);
    assert_int_equal(prims.count, 0);
}

/* Draws of all layers come to every context of the pass: those without a layer of theirs need no memory. */
static void test_layers_of_other_contexts_take_nothing(void **state)
{
    rig_begin(64, 64, 3);
    ((uint32_t *)rig_at(RIG_CONTEXT_VA))[4] |= (-8u & 0x1ff) << 8; /* LAYER_OFFSET -8 */
    rig.shade = shade_layers;
    set_flags(MALI_DRAW_MODE_TRIANGLES,
              (struct mali_IDVS_PRIMITIVE_FLAGS){.LAYER_INDEX_ENABLE = true,
                                                 .POSITION_FIFO_FORMAT = MALI_FIFO_FORMAT_EXTENDED});
    assert_true(rig_draw(3 * 8, 1));
    assert_int_equal(rig_polygon_list(), 0);
    assert_true(rig_draw(3 * 9, 1));
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 1);
    assert_int_equal(prims.prims[0].primitive, 8);
}

static struct rig_vertex shade_views(uint32_t vertex, uint32_t instance, unsigned view)
{
    struct rig_vertex out = shade_grid(vertex, instance, view);
    out.pos[0] += (float)(16 * view);
    return out;
}

static void test_views_are_layers(void **state)
{
    rig_begin(64, 64, 4);
    rig.shade = shade_views;
    rig.view_count = 4; /* outputs of views that are not drawn are there, too */
    set_flags(MALI_DRAW_MODE_TRIANGLES, (struct mali_IDVS_PRIMITIVE_FLAGS){.VIEW_MASK = 0xa}); /* 1 and 3 */
    assert_true(rig_draw(3, 1));
    assert_int_equal(rig.positions, 3);
    for (unsigned layer = 0; layer < 4; layer++) {
        rig_walk(layer, WHOLE, &prims);
        assert_int_equal(prims.count, layer & 1);
        if (layer & 1)
            assert_int_equal(prims.prims[0].raster.x0, layer == 1 ? 16 : 48);
    }
}

/* ---- without vertices ---- */

static bool run_fullscreen(uint64_t draw_va)
{
    struct mali_run run = rig.run;
    run.word = MALI_CS(RUN_FULLSCREEN, .DCD = 66);
    run.regs[66] = (uint32_t)draw_va;
    run.regs[67] = (uint32_t)(draw_va >> 32);
    return mali_tiler_run_fullscreen(&run);
}

/* Its turn is that of the stream, its pixels are those of the scissor, and its draw is the one in memory. */
static void test_a_screen_is_a_primitive(void **state)
{
    rig_begin(200, 100, 1);
    rig.shade = shade_grid;
    memset(rig_at(RIG_DRAW_VA), 0, 128);
    ((uint32_t *)rig_at(RIG_DRAW_VA))[7] = float_bits(0.75f); /* MAXIMUM_Z */
    assert_true(rig_draw(3, 1));
    rig_set64(42, 2ull | 3ull << 16 | 0xffffull << 32 | 50ull << 48);
    assert_true(run_fullscreen(RIG_DRAW_VA));
    rig_set64(42, 199ull << 32 | 99ull << 48);
    assert_true(rig_draw(3, 1));
    rig_walk(0, (struct raster_tile){0, 0, 16, 16}, &prims);
    assert_int_equal(prims.count, 3);
    const struct mali_bin_prim *screen = &prims.prims[1];
    assert_true(prims.serials[0] < prims.serials[1] && prims.serials[1] < prims.serials[2]);
    assert_int_equal(screen->raster.edge_count, 0);
    assert_int_equal(screen->raster.x0, 2);
    assert_int_equal(screen->raster.y0, 3);
    assert_int_equal(screen->raster.x1, 200);
    assert_int_equal(screen->raster.y1, 51);
    assert_true(screen->raster.z.at == 0 && screen->raster.z_max == 0.75f && !screen->raster.is_back);
    assert_int_equal(screen->varying_va[0], 0);
    rig_walk(0, (struct raster_tile){192, 48, 8, 16}, &prims);
    assert_int_equal(prims.count, 1);
    rig_walk(0, (struct raster_tile){192, 64, 8, 16}, &prims);
    assert_int_equal(prims.count, 0);
}

static void test_screens_of_views(void **state)
{
    rig_begin(64, 64, 4);
    memset(rig_at(RIG_DRAW_VA), 0, 128);
    rig.run.regs[56] = MALI_PACK(IDVS_PRIMITIVE_FLAGS, .VIEW_MASK = 0xa);
    assert_true(run_fullscreen(RIG_DRAW_VA));
    rig_set64(42, 5ull | 5ull << 16 | 4ull << 32 | 20ull << 48); /* no pixel */
    assert_true(run_fullscreen(RIG_DRAW_VA));
    for (unsigned layer = 0; layer < 4; layer++) {
        rig_walk(layer, WHOLE, &prims);
        assert_int_equal(prims.count, layer & 1);
    }
    assert_false(run_fullscreen(0x700000000000ull)); /* nothing is there */
}

/* ---- memory ---- */

static void test_an_empty_draw_takes_nothing(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    assert_true(rig_draw(0, 1) && rig_draw(3, 0) && rig_draw(2, 1));
    assert_int_equal(rig_polygon_list(), 0);
    assert_true(rig_finish());
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(prims.count, 0);
}

static void test_chunks_go_back_to_the_heap(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    const uint64_t *context = rig_at(RIG_CONTEXT_VA), *heap = rig_at(RIG_HEAP_VA);
    for (unsigned pass = 0; pass < 3; pass++) {
        memset(rig_at(RIG_CONTEXT_VA), 0, 8);
        assert_true(rig_draw(3 * 4096, 1));
        assert_true(rig_finish());
        assert_true(rig.chunk_count > 2);
        unsigned count = 1;
        for (uint64_t link = context[5]; (link & ~0xfffull) != (context[6] & ~0xfffull); count++)
            memcpy(&link, rig_at(link & ~0xfffull), 8);
        assert_int_equal(count, rig.chunk_count);
        assert_int_equal(heap[0], 0);
        assert_true(mali_tiler_free_chunks(&rig.queue, context[5], context[6]));
        assert_int_equal(heap[0], context[5]);
    }
}

/* A pass of more layers than a context has draws to several, and finishes tiling once. */
static void test_all_contexts_of_a_pass_give_their_chunks_back(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    const uint64_t *heap = rig_at(RIG_HEAP_VA);
    memcpy(rig_at(RIG_CONTEXT_VA + CONTEXT_B), rig_at(RIG_CONTEXT_VA), CONTEXT_B);
    for (unsigned i = 0; i < 2; i++) {
        rig_set64(40, RIG_CONTEXT_VA + i * CONTEXT_B);
        assert_true(rig_draw(3 * 16, 1));
    }
    assert_true(rig_finish());
    assert_int_equal(rig.chunk_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t *context = rig_at(RIG_CONTEXT_VA + i * CONTEXT_B);
        assert_true(mali_tiler_free_chunks(&rig.queue, context[5], context[6]));
        assert_int_not_equal(context[5], 0);
        assert_int_equal(heap[0], context[5]);
    }
}

static void test_a_full_heap_without_a_handler_is_an_error(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    rig.chunk_limit = 3;
    assert_false(rig_draw(3 * 8192, 1));
    assert_true(mali_is_stopped(&rig.queue));
}

static void test_a_full_heap_is_rendered_in_parts(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    rig.chunk_limit = 3;
    rig.has_handler = true;
    const uint32_t total = 20000;
    assert_true(rig_draw(3 * total, 1));
    assert_true(rig.handled > 2);
    rig_walk(0, WHOLE, &prims);
    assert_int_equal(rig.rendered + prims.count, total); /* each one once */
    assert_int_equal(prims.prims[0].primitive, rig.last_order_x + 1);
    expect_primitive(prims.count - 1, 3 * (total - 1), 3 * total - 2, 3 * total - 1);
    assert_int_equal(rig.chunk_count, 3);
}

static void test_records_of_many_batches_are_no_piece_too_large(void **state)
{
    rig_begin(64, 64, 1);
    struct tiler_context context;
    assert_true(mali_tiler_context_read(&context, &rig.queue, RIG_CONTEXT_VA));
    for (context.promised_B = 64; context.promised_B <= RIG_CHUNK_B; context.promised_B += 64)
        assert_int_not_equal(mali_tiler_reserve(&context, 64, false), TILER_STOPPED);
    assert_false(mali_is_stopped(&rig.queue));
}

static void test_large_and_small_primitives_are_merged(void **state)
{
    rig_begin(2048, 2048, 1);
    rig.shade = shade_fan; /* across 32 pixels */
    set_flags(MALI_DRAW_MODE_TRIANGLES, (struct mali_IDVS_PRIMITIVE_FLAGS){0});
    for (unsigned i = 0; i < 20; i++) {
        rig.shade = i % 2 ? shade_grid : shade_fan;
        rig_set64(50, 64 * i);
        assert_true(rig_draw(3, 1));
    }
    rig_walk(0, (struct raster_tile){0, 0, 32, 32}, &prims);
    assert_int_equal(prims.count, 20);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(prims.serials[i], i + 1);
}

static void test_spoiled_bins_stop_the_job(void **state)
{
    for (uint32_t spoiled = 0; spoiled < 4096; spoiled += 8) {
        rig_begin(64, 64, 1);
        rig.shade = shade_grid;
        assert_true(rig_draw(3 * 64, 1));
        uint64_t value = spoiled * 0x9e3779b97f4a7c15ull;
        memcpy(rig_at(rig_polygon_list() + spoiled), &value, sizeof(value));
        struct mali_bins bins;
        struct mali_bin_walk walk;
        const struct raster_tile tile = WHOLE;
        unsigned count = 0;
        if (!mali_bins_open(&bins, &rig.queue, RIG_CONTEXT_VA, 0))
            continue;
        mali_bin_walk_begin(&walk, &bins, &tile);
        while (mali_bin_walk_next(&walk))
            count++;
        assert_true(count <= 64 || mali_is_stopped(&rig.queue));
    }
}

static void test_bad_draws_are_refused(void **state)
{
    rig_begin(64, 64, 1);
    rig.shade = shade_grid;
    set_flags(3, (struct mali_IDVS_PRIMITIVE_FLAGS){0});
    assert_false(rig_draw(3, 1));
    rig_begin(64, 64, 1);
    rig.run.word = MALI_CS(RUN_IDVS, .MALLOC_ENABLE = false);
    assert_false(rig_draw(3, 1));
    static const struct mali_IDVS_PRIMITIVE_FLAGS not_modelled[] = {
        {.SCISSOR_ARRAY_ENABLE = true},
        {.PRIMITIVE_INDEX_WRITEBACK = true},
        {.POINT_SIZE_ARRAY_FORMAT = MALI_POINT_SIZE_FORMAT_FP32},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(not_modelled); i++) {
        rig_begin(64, 64, 1);
        set_flags(MALI_DRAW_MODE_TRIANGLES, not_modelled[i]);
        assert_false(rig_draw(3, 1));
    }
    rig_begin(64, 64, 1);
    assert_true(rig_draw(3, 1));
    ((uint32_t *)rig_at(rig_polygon_list()))[1] = UINT32_MAX; /* levels that the hierarchy does not have */
    assert_false(rig_draw(3, 1));
    rig_begin(64, 64, 1);
    rig_set64(54, 0x10); /* indices that are not mapped */
    rig.run.regs[39] = 100;
    set_flags(MALI_DRAW_MODE_TRIANGLES, (struct mali_IDVS_PRIMITIVE_FLAGS){.INDEX_TYPE = MALI_INDEX_TYPE_UINT32});
    assert_false(rig_draw(3, 1));
    rig_begin(64, 64, 1);
    rig.queue.heap = NULL;
    assert_false(rig_draw(3, 1));
    rig.queue.heap = &rig.heap;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangles_come_in_order),
        cmocka_unit_test(test_draws_with_the_same_words_are_one),
        cmocka_unit_test(test_draws_run_together),
        cmocka_unit_test(test_a_tile_has_its_own),
        cmocka_unit_test(test_topologies),
        cmocka_unit_test(test_the_last_vertex_may_provoke),
        cmocka_unit_test(test_indices_and_restart),
        cmocka_unit_test(test_bytes_beyond_the_indices_are_zero),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_what_cannot_be_seen_has_no_varyings),
        cmocka_unit_test(test_a_triangle_that_crosses_the_eye_is_clipped),
        cmocka_unit_test(test_depth_bounds_cut),
        cmocka_unit_test(test_what_has_no_sample_is_dropped),
        cmocka_unit_test(test_triangles_share_vertices),
        cmocka_unit_test(test_scissors_cut),
        cmocka_unit_test(test_points_have_sizes),
        cmocka_unit_test(test_ends_of_lines),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_layers_of_other_contexts_take_nothing),
        cmocka_unit_test(test_views_are_layers),
        cmocka_unit_test(test_a_screen_is_a_primitive),
        cmocka_unit_test(test_screens_of_views),
        cmocka_unit_test(test_an_empty_draw_takes_nothing),
        cmocka_unit_test(test_chunks_go_back_to_the_heap),
        cmocka_unit_test(test_all_contexts_of_a_pass_give_their_chunks_back),
        cmocka_unit_test(test_records_of_many_batches_are_no_piece_too_large),
        cmocka_unit_test(test_a_full_heap_without_a_handler_is_an_error),
        cmocka_unit_test(test_a_full_heap_is_rendered_in_parts),
        cmocka_unit_test(test_large_and_small_primitives_are_merged),
        cmocka_unit_test(test_spoiled_bins_stop_the_job),
        cmocka_unit_test(test_bad_draws_are_refused),
    };
    return cmocka_run_group_tests_name("mali tiler", tests, rig_setup, rig_teardown);
}
