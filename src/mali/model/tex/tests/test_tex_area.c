/* Rectangles of texels (area.h) beside what TEX_FETCH makes of each of them. */
#include "rig.h"

#include <string.h>

#include "mali/hw/tiling/afbc.h"
#include "mali/model/tex/area.h"

#define NUMBER_RGBA8_UINT 155
#define W 100
#define H 77
#define LAYERS 2
#define BODY_B 0x4000u
#define ROW_B 512 /* of what rectangles are copied to */
#define UNTOUCHED 0xa5

static uint8_t copied[H * ROW_B], expected[H * ROW_B];

static struct mali_tex_request fetch_of(struct rig *rig)
{
    struct mali_tex_request request = request_of(rig, MALI_TEX_FETCH, MALI_TEX_2D);
    request.type = MALI_TEX_TYPE_U;
    request.is_array = true;
    return request;
}

/* The bytes of a rectangle by TEX_FETCH, between ones that stay as they are. False: the instruction stops. */
static bool fetch_rect(struct rig *rig, const struct mali_tex_rect *rect, uint32_t layer)
{
    const uint32_t count = rect->width * rect->height;
    memset(expected, UNTOUCHED, sizeof(expected));
    for (uint32_t first = 0; first < count; first += LANES) {
        struct mali_tex_request request = fetch_of(rig);
        for (uint32_t i = 0; i < LANES; i++) {
            const uint32_t n = MIN2(first + i, count - 1);
            rig->staging[0][i] = rect->x + n % rect->width;
            rig->staging[1][i] = rect->y + n / rect->width;
            rig->staging[2][i] = layer;
        }
        if (!mali_tex_run(rig->tex, &rig->resources, &request))
            return false;
        for (uint32_t i = 0; i < LANES && first + i < count; i++) {
            for (unsigned n = 0; n < 4; n++)
                expected[(first + i) / rect->width * ROW_B + (first + i) % rect->width * 4 + n] =
                    (uint8_t)rig->result[n][i];
        }
    }
    return true;
}

static void expect_rect(struct rig *rig, const struct mali_tex_area *area, const struct mali_tex_rect *rect,
                        uint32_t layer)
{
    memset(copied, UNTOUCHED, sizeof(copied));
    assert_true(mali_tex_area_read(area, rect, copied, ROW_B));
    assert_true(fetch_rect(rig, rect, layer));
    if (memcmp(copied, expected, sizeof(copied)) != 0)
        fail_msg("%u x %u texels at (%u, %u) of layer %u", rect->width, rect->height, rect->x, rect->y, layer);
}

/* All of a layer, rectangles within a tile or superblock, along their edges and across them, and any. */
static void expect_rects(struct rig *rig, uint32_t layer)
{
    static const struct mali_tex_rect rects[] = {
        {0, 0, W, H},     {16, 16, 16, 16}, {0, 0, 16, 16}, {32, 8, 32, 8},       {64, 4, 32, 4},
        {3, 5, 1, 1},     {15, 15, 2, 2},   {31, 7, 2, 18}, {17, 19, 40, 33},     {W - 1, 0, 1, H},
        {0, H - 1, W, 1}, {96, 64, 4, 13},  {5, 0, 91, 16}, {W - 5, H - 3, 5, 3},
    };
    struct mali_tex_area area;
    const struct mali_tex_request request = fetch_of(rig);
    assert_true(mali_tex_area_open(rig->tex, &rig->resources, &request, layer, &area));
    assert_int_equal(area.width, W);
    assert_int_equal(area.height, H);
    for (unsigned i = 0; i < ARRAY_SIZE(rects); i++)
        expect_rect(rig, &area, &rects[i], layer);
    for (unsigned i = 0; i < 60; i++) {
        struct mali_tex_rect rect = {rig_random() % W, rig_random() % H, 0, 0};
        rect.width = 1 + rig_random() % (W - rect.x);
        rect.height = 1 + rig_random() % (H - rect.y);
        expect_rect(rig, &area, &rect, layer);
    }
}

static void picture_of(struct rig *rig, struct picture *p, enum mali_layout layout)
{
    picture_init(rig, p, NUMBER_RGBA8_UINT, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UINT, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = W, .height = H, .layers = LAYERS, .layout = layout});
    bind(rig, 0, &p->desc);
}

static void rows_and_tiles_are_as_fetched(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    for (unsigned is_tiled = 0; is_tiled < 2; is_tiled++) {
        picture_of(rig, &p, is_tiled ? MALI_LAYOUT_TILED : MALI_LAYOUT_LINEAR);
        for (uint32_t layer = 0; layer < LAYERS; layer++)
            expect_rects(rig, layer);
    }
}

/* ---- AFBC ---- */

/* One layer of superblocks that are not compressed, each at the place of its own. */
static struct mali_afbc afbc_of(struct rig *rig, struct picture *p, unsigned w_log2, bool is_tiled)
{
    const uint32_t columns = is_tiled ? 64 : 7; /* headers in a row */
    const struct mali_afbc afbc = {columns * MALI_AFBC_HEADER_B * (is_tiled ? 2 : 1), (uint8_t)w_log2, 4,
                                   (uint8_t)mali_afbc_header_tile_log2(is_tiled, 4)};
    picture_init(
        rig, p, NUMBER_RGBA8_UINT, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UINT, MALI_TEXTURE_DIMENSION_2D,
        (struct mali_surface_info){.width = 512, .height = 512, .layers = LAYERS, .layout = MALI_LAYOUT_TILED});
    picture_afbc(rig, p, &afbc, W, H);
    for (uint32_t y = 0; y < H; y += 256u >> w_log2) {
        for (uint32_t x = 0; x < W; x += 1u << w_log2) {
            const uint64_t header_B = mali_afbc_texel_header_B(&afbc, x, y);
            mali_afbc_pack_raw(p->host + header_B, BODY_B + mali_afbc_body_B(&afbc, header_B));
        }
    }
    bind(rig, 0, &p->desc);
    return afbc;
}

/* All of one kind, some of one colour, and some that are where others are. */
static void superblocks_are_as_fetched(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    for (unsigned i = 0; i < 6; i++) {
        rig->next_B = 0;
        const struct mali_afbc afbc = afbc_of(rig, &p, 4 + i / 2, i % 2);
        expect_rects(rig, 0);
        mali_afbc_pack_solid(p.host + mali_afbc_texel_header_B(&afbc, 20, 20), 0x1122334480402010ull);
        mali_afbc_pack_solid(p.host + mali_afbc_texel_header_B(&afbc, W - 1, H - 1), 0xff);
        mali_afbc_pack_raw(p.host + mali_afbc_texel_header_B(&afbc, 70, 4), BODY_B + 1024);
        expect_rects(rig, 0);
    }
}

/* One that is compressed is nothing for it, and all others are. */
static void compressed_superblocks_are_refused(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    struct mali_tex_area area;
    const struct mali_afbc afbc = afbc_of(rig, &p, 4, false);
    const struct mali_tex_request request = fetch_of(rig);
    uint8_t *header = p.host + mali_afbc_texel_header_B(&afbc, 40, 40);
    assert_true(mali_tex_area_open(rig->tex, &rig->resources, &request, 0, &area));
    header[15] = 0x08; /* the last block alone: two bytes */
    assert_false(mali_tex_area_read(&area, &(struct mali_tex_rect){0, 0, W, H}, copied, ROW_B));
    assert_false(mali_tex_area_read(&area, &(struct mali_tex_rect){47, 47, 1, 1}, copied, ROW_B));
    assert_null(mali_tex_area_superblocks(&area, 32, 32, 1));
    expect_rect(rig, &area, &(struct mali_tex_rect){48, 30, 20, 30}, 0);
    mali_afbc_pack_raw(header, 0xfffff000u); /* beyond all memory */
    assert_false(mali_tex_area_read(&area, &(struct mali_tex_rect){32, 32, 16, 16}, copied, ROW_B));
    assert_false(mali_tex_area_read(&area, &(struct mali_tex_rect){33, 33, 2, 2}, copied, ROW_B));
    assert_null(mali_tex_area_superblocks(&area, 32, 32, 1));
}

/* Runs of superblocks are one piece of memory, if their headers say so. */
static void runs_of_superblocks_are_one_piece(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    struct mali_tex_area area;
    for (unsigned is_tiled = 0; is_tiled < 2; is_tiled++) {
        const struct mali_afbc afbc = afbc_of(rig, &p, 4, is_tiled);
        const struct mali_tex_request request = fetch_of(rig);
        assert_true(mali_tex_area_open(rig->tex, &rig->resources, &request, 0, &area));
        const uint8_t *first = mali_tex_area_superblocks(&area, 32, 32, 4);
        assert_ptr_equal(first, p.host + BODY_B + mali_afbc_body_B(&afbc, mali_afbc_texel_header_B(&afbc, 32, 32)));
        uint8_t *header = p.host + mali_afbc_texel_header_B(&afbc, 32, 32) + 3 * MALI_AFBC_HEADER_B;
        uint8_t kept[MALI_AFBC_HEADER_B];
        memcpy(kept, header, sizeof(kept));
        for (unsigned byte = 0; byte < sizeof(kept); byte++) {
            header[byte] ^= 4;
            assert_null(mali_tex_area_superblocks(&area, 32, 32, 4));
            assert_non_null(mali_tex_area_superblocks(&area, 32, 32, 3));
            memcpy(header, kept, sizeof(kept));
        }
        mali_afbc_pack_solid(p.host + mali_afbc_texel_header_B(&afbc, 32, 32), 0);
        assert_null(mali_tex_area_superblocks(&area, 32, 32, 1));
        /* The bodies of the second and the third lie at the end of what is mapped, or after it. */
        header = p.host + mali_afbc_texel_header_B(&afbc, 32, 32);
        for (uint32_t i = 0; i < 3; i++)
            mali_afbc_pack_raw(header + i * MALI_AFBC_HEADER_B,
                               (uint32_t)(RIG_VA + RIG_SIZE_B - p.va) - 2048 + 1024 * i);
        assert_non_null(mali_tex_area_superblocks(&area, 32, 32, 2));
        assert_null(mali_tex_area_superblocks(&area, 32, 32, 3));
    }
}

/* ---- what it is not for ---- */

static bool opens_texture(struct rig *rig, const struct mali_tex_request *request, uint32_t layer)
{
    struct mali_tex_area area;
    return mali_tex_area_open(rig->tex, &rig->resources, request, layer, &area);
}

static void other_texels_are_refused(void **state)
{
    static const struct {
        unsigned number;
        enum mali_CLUMP_FORMAT clump;
        enum format format;
    } others[] = {
        {187, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UNORM},
        {133, MALI_CLUMP_FORMAT_RAW32, FORMAT_R32_UINT},
        {157, MALI_CLUMP_FORMAT_RAW128, FORMAT_R32G32B32A32_UINT},
    };
    struct rig *rig = *state;
    struct picture p;
    const struct mali_surface_info info = {.width = 64, .height = 32, .layout = MALI_LAYOUT_TILED};
    const struct mali_tex_request request = fetch_of(rig);
    for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
        picture_init(rig, &p, others[i].number, others[i].clump, others[i].format, MALI_TEXTURE_DIMENSION_2D, info);
        bind(rig, 0, &p.desc);
        assert_false(opens_texture(rig, &request, 0));
    }
    picture_of(rig, &p, MALI_LAYOUT_TILED);
    assert_true(opens_texture(rig, &request, 0));
    p.desc.SWIZZLE_A = MALI_CHANNEL_1;
    bind(rig, 0, &p.desc);
    assert_false(opens_texture(rig, &request, 0));
    p.desc.SWIZZLE_A = MALI_CHANNEL_A;
    p.desc.ORDER = MALI_RGB_ORDER_BGRA;
    bind(rig, 0, &p.desc);
    assert_false(opens_texture(rig, &request, 0));
    picture_init(rig, &p, NUMBER_RGBA8_UINT, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UINT, MALI_TEXTURE_DIMENSION_3D,
                 (struct mali_surface_info){.width = 64, .height = 32, .depth = 4, .layout = MALI_LAYOUT_TILED});
    bind(rig, 0, &p.desc);
    assert_false(opens_texture(rig, &request, 0));
    picture_init(rig, &p, NUMBER_RGBA8_UINT, MALI_CLUMP_FORMAT_RAW32, FORMAT_R8G8B8A8_UINT, MALI_TEXTURE_DIMENSION_2D,
                 (struct mali_surface_info){.width = 64, .height = 32, .levels = 3, .layout = MALI_LAYOUT_TILED});
    bind(rig, 0, &p.desc);
    assert_true(opens_texture(rig, &request, 0));
    p.desc.MINIMUM_LOD = 256;
    bind(rig, 0, &p.desc);
    assert_false(opens_texture(rig, &request, 0));
}

static void other_requests_are_refused(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_of(rig, &p, MALI_LAYOUT_LINEAR);
    struct mali_tex_request request = fetch_of(rig);
    assert_true(opens_texture(rig, &request, LAYERS - 1));
    assert_false(opens_texture(rig, &request, LAYERS));
    assert_false(opens_texture(rig, &request, UINT32_MAX));
    request.mask = 7;
    assert_false(opens_texture(rig, &request, 0));
    request.mask = 15;
    request.is_32_bit = false;
    assert_false(opens_texture(rig, &request, 0));
    request.is_32_bit = true;
    for (unsigned i = 0; i < LANES; i++)
        rig->source[0][i] = 12u << 16 | 1; /* there is none */
    assert_false(opens_texture(rig, &request, 0));
}

/* Rectangles that leave the image, by sums that leave 32 bits, too; memory that is not there. */
static void what_is_outside_is_refused(void **state)
{
    static const struct mali_tex_rect rects[] = {
        {W, 0, 1, 1},     {0, H, 1, 1},          {0, 0, W + 1, 1},      {0, 0, 1, H + 1},      {W - 1, 0, 2, 1},
        {0, H - 1, 1, 2}, {UINT32_MAX, 0, 2, 1}, {0, UINT32_MAX, 1, 2}, {5, 0, UINT32_MAX, 1}, {0, 5, 1, UINT32_MAX},
    };
    struct rig *rig = *state;
    struct picture p;
    struct mali_tex_area area;
    const struct mali_tex_request request = fetch_of(rig);
    for (unsigned is_tiled = 0; is_tiled < 2; is_tiled++) {
        picture_of(rig, &p, is_tiled ? MALI_LAYOUT_TILED : MALI_LAYOUT_LINEAR);
        assert_true(mali_tex_area_open(rig->tex, &rig->resources, &request, 0, &area));
        memset(copied, UNTOUCHED, sizeof(copied));
        memset(expected, UNTOUCHED, sizeof(expected));
        for (unsigned i = 0; i < ARRAY_SIZE(rects); i++)
            assert_false(mali_tex_area_read(&area, &rects[i], copied, ROW_B));
        assert_memory_equal(copied, expected, sizeof(copied));
        /* Its second half lies behind the end of what is mapped. */
        uint32_t *plane = (uint32_t *)(rig->host + (p.desc.SURFACES - RIG_VA));
        const uint64_t va = RIG_VA + RIG_SIZE_B - 48ull * p.surface.levels[0].row_B / (is_tiled ? 16 : 1);
        plane[2] = (uint32_t)va;
        plane[3] = (plane[3] & ~0xffffu) | (uint32_t)(va >> 32);
        assert_true(mali_tex_area_open(rig->tex, &rig->resources, &request, 0, &area));
        expect_rect(rig, &area, &(struct mali_tex_rect){1, 1, W - 1, 47}, 0);
        assert_false(mali_tex_area_read(&area, &(struct mali_tex_rect){1, 1, W - 1, 48}, copied, ROW_B));
        assert_false(mali_tex_area_read(&area, &(struct mali_tex_rect){0, 48, 1, 1}, copied, ROW_B));
    }
    p.desc.SURFACES = RIG_VA + RIG_SIZE_B;
    bind(rig, 0, &p.desc);
    assert_false(opens_texture(rig, &request, 0));
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(rows_and_tiles_are_as_fetched),      ROW(superblocks_are_as_fetched),
        ROW(compressed_superblocks_are_refused), ROW(runs_of_superblocks_are_one_piece),
        ROW(other_texels_are_refused),           ROW(other_requests_are_refused),
        ROW(what_is_outside_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
