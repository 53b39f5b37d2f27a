/* Rules that hold for any layout, without a judge: no two elements share a byte, nothing lies outside the surface,
 * copies are exact, slices can stand alone, nonsense is refused. judge_tiling checks that the layouts are the
 * hardware's. */
#include "amd/hw/tiling/tests/tiling_sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* After the standard headers, as cmocka wants it. */
#include <cmocka.h>

static const uint32_t configs[] = {0x444, 0x142, 0x343, 0x242};

static struct amd_tiling_config config_of(uint32_t gb_addr_config)
{
    struct amd_tiling_config config;
    assert_true(amd_tiling_config_init(&config, gb_addr_config));
    return config;
}

static struct amd_surface_desc plain_desc(enum amd_swizzle swizzle, enum amd_dim dim, uint32_t width, uint32_t height)
{
    return (struct amd_surface_desc){.swizzle = swizzle,
                                     .dim = dim,
                                     .width = width,
                                     .height = height,
                                     .slices = 1,
                                     .element_B = 4,
                                     .samples = 1,
                                     .levels = 1};
}

/* A bit for each byte or nibble that is taken. */
struct taken {
    uint8_t *bits;
    uint64_t count;
};

static void take_bytes(struct taken *taken, uint64_t first, uint64_t count)
{
    assert_true(first + count <= taken->count);
    for (uint64_t i = first; i < first + count; i++) {
        assert_false(taken->bits[i / 8] >> (i % 8) & 1);
        taken->bits[i / 8] |= 1u << (i % 8);
    }
}

static void configs_outside_the_table_are_refused(void **state)
{
    struct amd_tiling_config config;
    assert_false(amd_tiling_config_init(&config, 0x000)); /* one pipe */
    assert_false(amd_tiling_config_init(&config, 0x44c)); /* 512 bytes of interleave */
    assert_false(amd_tiling_config_init(&config, 0x445)); /* 32 pipes */
    assert_true(amd_tiling_config_init(&config, 0x042));  /* one packer counts as two */
    assert_int_equal(config.pipes_log2, 2);
}

/* Every element of all levels, slices and samples has bytes of its own within the surface. */
static void check_disjoint(const struct amd_surface *surface)
{
    const struct amd_surface_desc *desc = &surface->desc;
    struct taken taken = {calloc(1, surface->size_B / 8 + 1), surface->size_B};
    assert_non_null(taken.bits);
    for (unsigned level = 0; level < desc->levels; level++) {
        uint32_t depth = desc->dim == AMD_DIM_3D ? MAX2(desc->slices >> level, 1) : desc->slices;
        for (uint32_t z = 0; z < depth; z++) {
            for (uint32_t y = 0; y < sample_level_extent(surface->height, level); y++) {
                for (uint32_t x = 0; x < sample_level_extent(surface->width, level); x++) {
                    for (uint32_t s = 0; s < desc->samples; s++)
                        take_bytes(&taken, amd_tiling_offset(surface, x, y, z, s, level), desc->element_B);
                }
            }
        }
    }
    free(taken.bits);
}

/* A little more than one block in each direction, so that terms from outside the block come into play. */
static void elements_of_every_mode_are_disjoint(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(configs); i++) {
        struct amd_tiling_config config = config_of(configs[i]);
        struct sample_combination at = sample_first_combination();
        do {
            struct amd_surface_desc desc = plain_desc(at.swizzle, at.dim, 17, at.dim == AMD_DIM_1D ? 1 : 17);
            struct amd_surface surface;
            desc.element_B = at.element_B;
            desc.samples = at.samples;
            desc.pipe_bank_xor = 0x2a7;
            if (at.kind != SAMPLE_SURFACE || !amd_surface_init(&surface, &config, &desc))
                continue;
            desc.width = (1u << surface.block_w_log2) + 3;
            desc.height = at.dim == AMD_DIM_1D ? 1 : (1u << surface.block_h_log2) + 2;
            desc.slices = at.dim == AMD_DIM_3D ? (1u << surface.block_d_log2) + 1 : 2;
            assert_true(amd_surface_init(&surface, &config, &desc));
            check_disjoint(&surface);
        } while (sample_next_combination(&at));
    }
}

static void mip_levels_and_slices_are_disjoint(void **state)
{
    struct sample_rng rng = {1};
    for (unsigned i = 0; i < 400; i++) {
        struct amd_tiling_config config = config_of(configs[i % ARRAY_SIZE(configs)]);
        enum amd_dim dim = (enum amd_dim)sample_below(&rng, 3);
        struct amd_surface_desc desc =
            plain_desc((enum amd_swizzle)sample_below(&rng, AMD_SW_COUNT), dim, sample_extent(&rng, 8),
                       dim == AMD_DIM_1D ? 1 : sample_extent(&rng, 8));
        struct amd_surface surface;
        desc.slices = sample_extent(&rng, 3);
        desc.element_B = 1u << sample_below(&rng, 5);
        desc.levels = 1 + log2_floor(MAX2(desc.width, desc.height));
        desc.pipe_bank_xor = (uint32_t)sample_next(&rng);
        if (amd_swizzle_info(desc.swizzle) && desc.swizzle == AMD_SW_LINEAR)
            desc.pipe_bank_xor = 0;
        if (amd_surface_init(&surface, &config, &desc))
            check_disjoint(&surface);
    }
}

/* Any bits in the description: refused with a reason, or a layout with a size. */
static void nonsense_is_refused(void **state)
{
    struct amd_tiling_config config = config_of(0x444);
    struct sample_rng rng = {2};
    for (unsigned i = 0; i < 100000; i++) {
        struct amd_surface_desc desc = {
            .swizzle = (enum amd_swizzle)sample_below(&rng, 40),
            .dim = (enum amd_dim)sample_below(&rng, 5),
            .width = (uint32_t)sample_next(&rng) >> sample_below(&rng, 32),
            .height = (uint32_t)sample_next(&rng) >> sample_below(&rng, 32),
            .slices = (uint32_t)sample_next(&rng) >> sample_below(&rng, 32),
            .block_w = sample_below(&rng, 256) >> sample_below(&rng, 8),
            .block_h = sample_below(&rng, 256) >> sample_below(&rng, 8),
            .element_B = sample_below(&rng, 20),
            .samples = sample_below(&rng, 10),
            .levels = sample_below(&rng, 20),
            .pitch = sample_below(&rng, 2) ? (uint32_t)sample_next(&rng) : 0,
            .pipe_bank_xor = (uint32_t)sample_next(&rng),
        };
        struct amd_surface surface;
        bool legal = amd_surface_init(&surface, &config, &desc);
        assert_int_equal(legal, amd_surface_problem(&desc) == NULL);
        assert_true(!legal || surface.size_B > 0);
    }
}

static void illegal_combinations_are_refused(void **state)
{
    struct amd_surface_desc desc = plain_desc(AMD_SW_64KB_R_X, AMD_DIM_2D, 64, 64);
    assert_null(amd_surface_problem(&desc));
    desc.samples = 4;
    desc.levels = 2;
    assert_non_null(amd_surface_problem(&desc)); /* levels of several samples */
    desc = plain_desc((enum amd_swizzle)23, AMD_DIM_2D, 64, 64);
    assert_non_null(amd_surface_problem(&desc)); /* a reserved mode */
    desc = plain_desc(AMD_SW_64KB_D, AMD_DIM_3D, 64, 64);
    assert_non_null(amd_surface_problem(&desc)); /* display order has no plain 3D form */
    desc = plain_desc(AMD_SW_64KB_Z_X, AMD_DIM_2D, 64, 64);
    desc.block_w = desc.block_h = 4;
    assert_non_null(amd_surface_problem(&desc)); /* compressed blocks in depth order */
    desc = plain_desc(AMD_SW_64KB_S, AMD_DIM_2D, 64, 64);
    desc.element_B = 12;
    assert_non_null(amd_surface_problem(&desc)); /* 96 bits are linear */
}

/* A slice of an array is a surface of its own, if it takes the slice's pipe/bank bits. */
static void a_slice_can_stand_alone(void **state)
{
    struct amd_tiling_config config = config_of(0x444);
    for (unsigned swizzle = 0; swizzle < AMD_SW_COUNT; swizzle++) {
        struct amd_surface_desc desc = plain_desc((enum amd_swizzle)swizzle, AMD_DIM_2D, 300, 200);
        struct amd_surface array, slice;
        desc.slices = 20;
        if (!amd_surface_init(&array, &config, &desc))
            continue;
        desc.slices = 1;
        desc.pipe_bank_xor = amd_tiling_slice_xor(&array, 13);
        assert_true(amd_surface_init(&slice, &config, &desc));
        if (slice.xor_B >> 8 != desc.pipe_bank_xor)
            continue; /* the slice needs bits that no base address can hold */
        for (uint32_t i = 0; i < 200; i++)
            assert_int_equal(amd_tiling_offset(&array, i, i, 13, 0, 0),
                             13 * array.slice_B + amd_tiling_offset(&slice, i, i, 0, 0, 0));
    }
}

static void copy_one(const struct amd_surface *surface, const struct amd_tiling_rect *rect)
{
    uint32_t element_B = surface->desc.element_B;
    size_t row_B = (size_t)rect->width * element_B + 5;
    uint8_t *linear = malloc(row_B * rect->height), *back = malloc(row_B * rect->height);
    uint8_t *tiled = malloc(surface->size_B), *want = malloc(surface->size_B);
    memset(tiled, 0xcd, surface->size_B);
    memset(want, 0xcd, surface->size_B);
    memset(back, 0xee, row_B * rect->height);
    for (size_t i = 0; i < row_B * rect->height; i++)
        linear[i] = (uint8_t)(i * 167 + (i >> 8) * 13);
    amd_tiling_tile(surface, rect, tiled, linear, row_B);
    amd_tiling_detile(surface, rect, back, row_B, tiled);
    for (uint32_t y = 0; y < rect->height; y++) {
        for (uint32_t x = 0; x < rect->width; x++)
            memcpy(want + amd_tiling_offset(surface, rect->x + x, rect->y + y, rect->z, rect->sample, rect->level),
                   linear + y * row_B + (size_t)x * element_B, element_B);
        assert_memory_equal(back + y * row_B, linear + y * row_B, (size_t)rect->width * element_B);
        for (unsigned i = 0; i < 5 && y + 1 < rect->height; i++)
            assert_int_equal(back[y * row_B + (size_t)rect->width * element_B + i], 0xee);
    }
    assert_memory_equal(tiled, want, surface->size_B);
    free(linear);
    free(back);
    free(tiled);
    free(want);
}

static void copies_touch_only_their_rectangle(void **state)
{
    struct amd_tiling_config config = config_of(0x444);
    struct sample_combination at = sample_first_combination();
    struct sample_rng rng = {3};
    do {
        struct amd_surface_desc desc = plain_desc(at.swizzle, at.dim, 77, at.dim == AMD_DIM_1D ? 1 : 51);
        struct amd_surface surface;
        desc.element_B = at.element_B;
        desc.samples = at.samples;
        desc.slices = 3;
        desc.levels = at.samples > 1 ? 1 : 3;
        if (at.kind != SAMPLE_SURFACE || !amd_surface_init(&surface, &config, &desc))
            continue;
        struct amd_tiling_rect rect = {.level = sample_below(&rng, desc.levels),
                                       .sample = sample_below(&rng, at.samples)};
        uint32_t width = sample_level_extent(surface.width, rect.level);
        uint32_t height = sample_level_extent(surface.height, rect.level);
        rect.z = sample_below(&rng, at.dim == AMD_DIM_3D ? MAX2(desc.slices >> rect.level, 1) : desc.slices);
        rect.x = sample_below(&rng, width);
        rect.y = sample_below(&rng, height);
        rect.width = 1 + sample_below(&rng, width - rect.x);
        rect.height = 1 + sample_below(&rng, height - rect.y);
        copy_one(&surface, &rect);
    } while (sample_next_combination(&at));
}

/* Each compressed piece of a surface has an element of metadata of its own within the metadata. */
static void check_meta_disjoint(const struct amd_meta *meta, const struct amd_surface *data)
{
    static const uint8_t element_nibbles[] = {[AMD_META_HTILE] = 8, [AMD_META_CMASK] = 1, [AMD_META_DCC] = 2};
    struct taken taken = {calloc(1, meta->size_B * 2 / 8 + 1), meta->size_B * 2};
    unsigned samples =
        meta->kind == AMD_META_DCC ? MIN2(data->desc.samples, 1u << data->config.max_compressed_frags_log2) : 1;
    for (uint32_t z = 0; z < data->desc.slices; z++) {
        for (uint32_t y = 0; y < data->height; y += 1u << meta->compressed_h_log2) {
            for (uint32_t x = 0; x < data->width; x += 1u << meta->compressed_w_log2) {
                for (unsigned s = 0; s < samples; s++) {
                    unsigned bit;
                    uint64_t offset_B = amd_meta_offset(meta, x, y, z, s, 0, &bit);
                    take_bytes(&taken, offset_B * 2 + bit / 4, element_nibbles[meta->kind]);
                }
            }
        }
    }
    free(taken.bits);
}

/* Also with eight compressed fragments, which no chip of ours has. */
static void metadata_is_disjoint(void **state)
{
    static const uint32_t metadata_configs[] = {0x444, 0x142, 0x343, 0x242, 0x4c4, 0x1c2, 0x3c3, 0x2c2};
    for (unsigned i = 0; i < ARRAY_SIZE(metadata_configs); i++) {
        struct amd_tiling_config config = config_of(metadata_configs[i]);
        struct sample_combination at = sample_first_combination();
        do {
            struct amd_surface_desc desc = plain_desc(at.swizzle, at.dim, 1100, at.dim == AMD_DIM_1D ? 1 : 1060);
            struct amd_surface data;
            struct amd_meta meta;
            desc.element_B = at.element_B;
            desc.samples = at.samples;
            desc.slices = 3;
            desc.pipe_bank_xor = 9;
            if (at.kind == SAMPLE_SURFACE || !amd_surface_init(&data, &config, &desc) ||
                !amd_meta_init(&meta, sample_meta_kind(at.kind), &data, at.kind != SAMPLE_DCC_UNALIGNED))
                continue;
            if (meta.has_equation)
                check_meta_disjoint(&meta, &data);
        } while (sample_next_combination(&at));
    }
}

static void metadata_belongs_to_some_surfaces_only(void **state)
{
    struct amd_tiling_config config = config_of(0x444);
    struct amd_surface_desc desc = plain_desc(AMD_SW_64KB_R_X, AMD_DIM_2D, 64, 64);
    struct amd_surface surface;
    struct amd_meta meta;
    assert_true(amd_surface_init(&surface, &config, &desc));
    assert_false(amd_meta_init(&meta, AMD_META_HTILE, &surface, true));
    assert_false(amd_meta_init(&meta, AMD_META_CMASK, &surface, true));
    assert_true(amd_meta_init(&meta, AMD_META_DCC, &surface, true));
    desc.swizzle = AMD_SW_LINEAR;
    assert_true(amd_surface_init(&surface, &config, &desc));
    assert_false(amd_meta_init(&meta, AMD_META_DCC, &surface, true));
    desc.swizzle = AMD_SW_64KB_Z_X;
    assert_true(amd_surface_init(&surface, &config, &desc));
    assert_true(amd_meta_init(&meta, AMD_META_HTILE, &surface, true));
    assert_false(amd_meta_init(&meta, AMD_META_HTILE, &surface, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configs_outside_the_table_are_refused),  cmocka_unit_test(elements_of_every_mode_are_disjoint),
        cmocka_unit_test(mip_levels_and_slices_are_disjoint),     cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(illegal_combinations_are_refused),       cmocka_unit_test(a_slice_can_stand_alone),
        cmocka_unit_test(copies_touch_only_their_rectangle),      cmocka_unit_test(metadata_is_disjoint),
        cmocka_unit_test(metadata_belongs_to_some_surfaces_only),
    };
    return cmocka_run_group_tests_name("tiling", tests, NULL, NULL);
}
