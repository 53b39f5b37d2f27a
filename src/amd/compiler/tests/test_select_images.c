/* Image and texture operations from a compute shader: the right texel comes from the right place, for both wave sizes.
 * Texel (x, y, z) of the picture is (x, y, z, 1). */
#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/tests/ir_test.h"

#define WIDTH 16
#define HEIGHT 8
#define LAYERS 12
#define LANES 64

static struct shader_rig rig;
static float (*picture)[HEIGHT][WIDTH][4];
static uint64_t picture_va;
static float results[LANES][4];

enum {
    TYPE_1D = 8,
    TYPE_2D,
    TYPE_3D,
    TYPE_CUBE,
    TYPE_1D_ARRAY,
    TYPE_2D_ARRAY,
    TYPE_2D_MSAA
};

static void make_picture(void)
{
    shader_rig_reset(&rig);
    picture = shader_rig_alloc(&rig, sizeof(*picture) * LAYERS, &picture_va);
    for (unsigned z = 0; z < LAYERS; z++) {
        for (unsigned y = 0; y < HEIGHT; y++) {
            for (unsigned x = 0; x < WIDTH; x++) {
                picture[z][y][x][0] = (float)x;
                picture[z][y][x][1] = (float)y;
                picture[z][y][x][2] = (float)z;
                picture[z][y][x][3] = 1;
            }
        }
    }
}

/* Linear, one level; and a sampler that takes the nearest texel and clamps to the edge. */
static void make_descriptor(uint32_t words[12], unsigned type, unsigned format, unsigned first_layer)
{
    memset(words, 0, 48);
    uint64_t base = picture_va >> 8;
    words[0] = (uint32_t)base;
    words[1] = (uint32_t)(base >> 32) | format << 20 | ((WIDTH - 1u) & 3) << 30;
    words[2] = (WIDTH - 1u) >> 2 | (HEIGHT - 1u) << 14 | 1u << 31;
    words[3] = 4u | 5u << 3 | 6u << 6 | 7u << 9 | type << 28;
    words[4] =
        type == TYPE_2D ? 0 : (LAYERS - 1u) | first_layer << 16; /* of a plain 2D image: its pitch, 0 is the width */
    words[8] = 2u | 2u << 3 | 2u << 6;                           /* clamp to the last texel */
    words[9] = 0xfffu << 12;
}

/* The text has %0 = 0, %1 = lane, %2 = out, %3 = the handle of binding 0; it ends with `result:`'s value in %99 (four
 * dwords). */
static void run_with(const char *body, const uint32_t descriptor[12], unsigned wave_size,
                     const struct rig_buffer *extra)
{
    char text[4096], error[512];
    snprintf(text, sizeof(text),
             "shader compute\nworkgroup_size[0] 64\nworkgroup_size[1] 1\nworkgroup_size[2] 1\nb0:\n"
             "    %%0:32 = const 0x0\n    %%1:32 = load_sysval {sysval local_index}\n"
             "    %%2:32 = resource %%0 {binding 1, resource storage_buffer}\n    %%3:32 = resource %%0 {resource "
             "combined}\n"
             "    %%4:32 = const 0xf\n    %%5:32 = iand %%1, %%4\n    %%6:32 = const 0x4\n    %%7:32 = ushr %%1, %%6\n "
             "   %%8:32 = const 0x10\n"
             "%s"
             "    %%90:32 = imul %%1, %%8\n    store_ssbo %%99, %%2, %%90 {align 16}\n",
             body);
    struct rig_buffer buffers[] = {
        {NULL, 0}, {results, sizeof(results)}, extra ? *extra : (struct rig_buffer){results, sizeof(results)}};
    struct rig_shape shape = {
        .wave_size = wave_size, .buffers = buffers, .num_buffers = extra ? 3 : 2, .descriptors = {descriptor}};
    struct ir_shader *shader = parsed(text);
    if (!shader_rig_run(&rig, shader, &shape, error))
        fail_msg("%s in:\n%s", error, text);
    ir_shader_destroy(shader);
}

static void run_text(const char *body, unsigned type, unsigned format, unsigned wave_size,
                     const struct rig_buffer *extra)
{
    uint32_t descriptor[12];
    make_descriptor(descriptor, type, format, 0);
    run_with(body, descriptor, wave_size, extra);
}

static void expect_result(unsigned lane, float x, float y, float z)
{
    if (results[lane][0] != x || results[lane][1] != y || results[lane][2] != z)
        fail_msg("lane %u: (%g, %g, %g) instead of (%g, %g, %g)", lane, results[lane][0], results[lane][1],
                 results[lane][2], x, y, z);
}

#define BOTH_WAVES for (unsigned wave = 32; wave <= 64; wave += 32)

static void images_are_loaded(void **state)
{
    (void)state;
    BOTH_WAVES
    {
        make_picture();
        run_text("    %10:32 = const 0x3\n    %11:32x3 = vec %5, %7, %10\n    %99:32x4 = load_image %3, %11, %0 {dim "
                 "2d, array 1}\n",
                 TYPE_2D_ARRAY, 77, wave, NULL);
        for (unsigned i = 0; i < LANES; i++)
            expect_result(i, (float)(i % 16), (float)(i / 16), 3);
        run_text("    %11:32x3 = vec %5, %7, %6\n    %99:32x4 = load_image %3, %11, %0 {dim 3d}\n", TYPE_3D, 77, wave,
                 NULL);
        for (unsigned i = 0; i < LANES; i++)
            expect_result(i, (float)(i % 16), (float)(i / 16), 4);
    }
}

static void images_are_stored(void **state)
{
    (void)state;
    BOTH_WAVES
    {
        make_picture();
        run_text("    %10:32 = const 0x5\n    %11:32x3 = vec %5, %7, %10\n    %12:32 = u2f %1 {rounding any}\n    "
                 "%13:32 = const 0x40000000\n"
                 "    %99:32x4 = vec %12, %13, %13, %12\n    store_image %99, %3, %11, %0 {dim 2d, array 1}\n",
                 TYPE_2D_ARRAY, 77, wave, NULL);
        for (unsigned i = 0; i < LANES; i++) {
            const float *texel = picture[5][i / 16][i % 16];
            assert_true(texel[0] == (float)i && texel[1] == 2 && texel[3] == (float)i);
        }
    }
}

static void texels_are_fetched_with_offsets(void **state)
{
    (void)state;
    BOTH_WAVES
    {
        make_picture();
        run_text("    %10:32 = const 0x3\n    %11:32x3 = vec %5, %7, %10\n    %12:32 = const 0xffffffff\n    %13:32 = "
                 "const 0x2\n    %14:32x2 = vec %12, %13\n"
                 "    %15:32 = undef\n    %99:32x4 = tex %3, %15, %11, %0, %14 {tex_kind fetch, dim 2d, array 1, "
                 "operands lod+offset}\n",
                 TYPE_2D_ARRAY, 77, wave, NULL);
        for (unsigned i = 0; i < LANES; i++) {
            if (i % 16)
                expect_result(i, (float)(i % 16) - 1, (float)(i / 16) + 2, 3);
        }
    }
}

#define NORMALISED                                                                                                     \
    "    %20:32 = u2f %5 {rounding any}\n    %21:32 = u2f %7 {rounding any}\n    %22:32 = const 0x3f000000\n    "      \
    "%23:32 = fadd %20, %22\n"                                                                                         \
    "    %24:32 = fadd %21, %22\n    %25:32 = const 0x3d800000\n    %26:32 = const 0x3e000000\n    %27:32 = fmul "     \
    "%23, %25\n    %28:32 = fmul %24, %26\n"

static void textures_are_sampled(void **state)
{
    (void)state;
    BOTH_WAVES
    {
        make_picture();
        /* layer 2.4 is layer 2; the offset goes one texel right */
        run_text(
            NORMALISED
            "    %30:32 = const 0x4019999a\n    %31:32x3 = vec %27, %28, %30\n    %32:32 = const 0x1\n    %33:32x2 = "
            "vec %32, %0\n"
            "    %99:32x4 = tex %3, %3, %31, %0, %33 {tex_kind sample_lod, dim 2d, array 1, operands lod+offset}\n",
            TYPE_2D_ARRAY, 77, wave, NULL);
        for (unsigned i = 0; i < LANES; i++)
            expect_result(i, (float)(i % 16 < 15 ? i % 16 + 1 : 15), (float)(i / 16), 2);
        /* a volume of twelve slices: 5.5 / 12 */
        run_text(NORMALISED "    %30:32 = const 0x3eeaaaab\n    %31:32x3 = vec %27, %28, %30\n"
                            "    %99:32x4 = tex %3, %3, %31, %0 {tex_kind sample_lod, dim 3d, operands lod}\n",
                 TYPE_3D, 77, wave, NULL);
        for (unsigned i = 0; i < LANES; i++)
            expect_result(i, (float)(i % 16), (float)(i / 16), 5);
    }
}

static void gathers_take_one_component(void **state)
{
    (void)state;
    BOTH_WAVES
    {
        make_picture();
        run_text(
            NORMALISED
            "    %31:32x2 = vec %27, %28\n    %99:32x4 = tex %3, %3, %31 {tex_kind gather, dim 2d, gather_comp 1}\n",
            TYPE_2D, 77, wave, NULL);
        /* Of the footprint's corners: below left, below right, above right, above left. */
        for (unsigned i = 0; i < LANES; i++) {
            if (i / 16 == 0)
                continue;
            bool below =
                results[i][0] == results[i][1] && results[i][2] == results[i][3] && results[i][0] >= results[i][2];
            assert_true(below);
            assert_true(results[i][2] == (float)(i / 16) || results[i][2] == (float)(i / 16) - 1);
        }
    }
}

static void cubes_find_their_faces(void **state)
{
    (void)state;
    static const float direction[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    float vectors[LANES][4];
    for (unsigned i = 0; i < LANES; i++) {
        memcpy(vectors[i], direction[i % 6], 12);
        vectors[i][3] = (float)(i / 6 % 2);
    }
    BOTH_WAVES
    {
        make_picture();
        struct rig_buffer extra = {vectors, sizeof(vectors)};
        run_text("    %9:32 = resource %0 {binding 2, resource storage_buffer}\n    %10:32 = imul %1, %8\n    %11:32x4 "
                 "= load_ssbo %9, %10 {align 16, access readonly}\n"
                 "    %99:32x4 = tex %3, %3, %11, %0 {tex_kind sample_lod, dim cube, array 1, operands lod}\n",
                 TYPE_CUBE, 77, wave, &extra);
        for (unsigned i = 0; i < LANES; i++)
            assert_true(results[i][2] == (float)(i % 6 + 6 * (i / 6 % 2)));
    }
}

static void sizes_come_from_the_descriptor(void **state)
{
    (void)state;
    BOTH_WAVES
    {
        make_picture();
        run_text("    %10:32x3 = image_size %3, %0 {dim 2d, array 1}\n    %11:32 = extract %10\n    %12:32 = extract "
                 "%10 {comp 1}\n    %13:32 = extract %10 {comp 2}\n"
                 "    %14:32 = undef\n    %15:32 = tex %3, %14, %14 {tex_kind query_levels, dim 2d, array 1}\n    "
                 "%99:32x4 = vec %11, %12, %13, %15\n",
                 TYPE_2D_ARRAY, 77, wave, NULL);
        const uint32_t *words = (const uint32_t *)results[7];
        assert_int_equal(words[0], WIDTH);
        assert_int_equal(words[1], HEIGHT);
        assert_int_equal(words[2], LAYERS);
        assert_int_equal(words[3], 1);
    }
}

/* A descriptor of nothing: no size, no levels, no samples, and every texel is zero. */
static void null_descriptors_are_empty(void **state)
{
    (void)state;
    static const uint32_t nothing[12];
    BOTH_WAVES
    {
        make_picture();
        run_with("    %10:32x3 = image_size %3, %0 {dim 2d, array 1}\n    %11:32 = extract %10\n    %12:32 = extract "
                 "%10 {comp 2}\n    %13:32 = undef\n    %14:32 = tex %3, %13, %13 {tex_kind query_levels, dim 2d, "
                 "array 1}\n    %15:32 = tex %3, %13, %13 {tex_kind query_samples, dim 2dms}\n    %99:32x4 = vec "
                 "%11, %12, %14, %15\n",
                 nothing, wave, NULL);
        for (unsigned i = 0; i < 4; i++)
            assert_true(results[9][i] == 0);
        memset(results, 0xff, sizeof(results));
        run_with("    %11:32x2 = vec %5, %7\n    %99:32x4 = load_image %3, %11, %0 {dim 2d}\n", nothing, wave, NULL);
        for (unsigned i = 0; i < LANES; i++)
            expect_result(i, 0, 0, 0);
        memset(results, 0xff, sizeof(results));
        run_with(NORMALISED "    %31:32x2 = vec %27, %28\n"
                            "    %99:32x4 = tex %3, %3, %31, %0 {tex_kind sample_lod, dim 2d, operands lod}\n",
                 nothing, wave, NULL);
        for (unsigned i = 0; i < LANES; i++)
            expect_result(i, 0, 0, 0);
        run_with("    %10:32 = image_size %3, %0 {dim buffer}\n    %99:32x4 = vec %10, %10, %10, %10\n", nothing, wave,
                 NULL);
        assert_true(results[9][0] == 0);
    }
}

/* Four samples without FMASK, swizzled as 64 KiB blocks of Z order, in which each sample has a quarter of a block: what
 * is stored to a sample is loaded from it, and no two samples share a place. */
static void samples_are_read_as_they_lie(void **state)
{
    (void)state;
    BOTH_WAVES
    {
        make_picture();
        uint64_t samples_va;
        memset(shader_rig_alloc(&rig, 1 << 20, &samples_va), 0, 1 << 20);
        samples_va = align_u64(samples_va, 65536);
        uint32_t words[12];
        make_descriptor(words, TYPE_2D_MSAA, 77, 0);
        words[0] = (uint32_t)(samples_va >> 8);
        words[1] = (words[1] & ~0xffu) | (uint32_t)(samples_va >> 40);
        words[3] |= 2u << 16 | 27u << 20; /* LAST_LEVEL is log2 of the samples; SW_64KB_R_X */
        words[4] = 0;
        words[5] = 2u << 4; /* MAX_MIP likewise */
        run_with(
            "    %10:32 = const 0x2\n    %11:32 = const 0x3\n    %12:32 = iand %1, %11\n    %13:32 = ushr %1, %10\n"
            "    %14:32x3 = vec %13, %10, %12\n    %15:32 = u2f %1 {rounding any}\n"
            "    %99:32x4 = vec %15, %15, %15, %15\n    store_image %99, %3, %14, %0 {dim 2dms}\n",
            words, wave, NULL);
        memset(results, 0, sizeof(results));
        run_with(
            "    %10:32 = const 0x2\n    %11:32 = const 0x3\n    %12:32 = iand %1, %11\n    %13:32 = ushr %1, %10\n"
            "    %14:32x2 = vec %13, %10\n    %15:32 = undef\n    %98:32x4 = tex %3, %15, %14, %12 {tex_kind "
            "fetch, dim 2dms, operands sample}\n    %97:32 = extract %98 {comp 1}\n    %96:32 = tex %3, %15, %15 "
            "{tex_kind query_samples, dim 2dms}\n    %95:32 = u2f %96 {rounding any}\n    %99:32x4 = vec %97, %97, "
            "%95, %97\n",
            words, wave, NULL);
        for (unsigned i = 0; i < LANES; i++)
            expect_result(i, (float)i, (float)i, 4);
    }
}

/* Level n of a cube of two levels is (n, …): a gradient of one texel on the face is level 0, of two or more level 1,
 * whichever face and whichever way it points. */
static void gradients_choose_the_level_of_a_cube(void **state)
{
    (void)state;
    enum {
        EDGE = 16
    };
    static const float major[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    static float vectors[LANES][3][4];
    for (unsigned i = 0; i < LANES; i++) {
        unsigned face = i % 6, axis = (face / 2 + 1 + i / 6 % 2) % 3; /* one of the axes on the face */
        float scale = 3 + (float)(i % 5);                             /* a direction has no length */
        for (unsigned n = 0; n < 3; n++)
            vectors[i][0][n] = major[face][n] * scale;
        vectors[i][0][axis] = 0.3f * scale;
        /* The face is 2 wide and EDGE texels: along the axis by (i / 12 % 2 ? 0.9 : 2.2) texels, and as much further
         * out. */
        float texels = i / 12 % 2 ? 0.9f : 2.2f, step = 2 * texels / EDGE * scale;
        vectors[i][1][axis] = i % 7 < 3 ? step : -step;
        for (unsigned n = 0; n < 3; n++)
            vectors[i][2][n] = vectors[i][0][n] * 0.25f; /* along the ray: no change on the face */
    }
    BOTH_WAVES
    {
        make_picture();
        uint64_t cube_va;
        shader_rig_alloc(&rig, 1 << 20, &cube_va);
        cube_va = align_u64(cube_va, 65536);
        uint32_t words[12];
        make_descriptor(words, TYPE_CUBE, 77, 0);
        words[0] = (uint32_t)(cube_va >> 8);
        words[1] = (uint32_t)(cube_va >> 40) | 77u << 20 | ((EDGE - 1u) & 3) << 30;
        words[2] = (EDGE - 1u) >> 2 | (EDGE - 1u) << 14 | 1u << 31;
        words[3] |= 1u << 16 | 27u << 20; /* two levels; SW_64KB_R_X */
        words[4] = 5;
        words[5] = 1u << 4;
        words[10] = 1u << 26; /* the nearest level */
        /* Every texel of each level is its number: 6 faces of 16 x 16 and of 8 x 8 texels. */
        for (unsigned level = 0; level < 2; level++) {
            for (unsigned first = 0; first < 6 * EDGE * EDGE; first += LANES) {
                char text[1024];
                snprintf(text, sizeof(text),
                         "    %%10:32 = const 0x%x\n    %%11:32 = iadd %%1, %%10\n    %%12:32 = iand %%11, %%4\n"
                         "    %%13:32 = ushr %%11, %%6\n    %%14:32 = iand %%13, %%4\n    %%15:32 = ushr %%13, %%6\n"
                         "    %%16:32x3 = vec %%12, %%14, %%15\n    %%17:32 = const 0x%x\n    %%18:32 = const 0x%x\n"
                         "    %%99:32x4 = vec %%18, %%18, %%18, %%18\n"
                         "    store_image %%99, %%3, %%16, %%17 {dim 2d, array 1}\n",
                         first, level, level ? 0x3f800000 : 0);
                run_with(text, words, wave, NULL);
            }
        }
        struct rig_buffer extra = {vectors, sizeof(vectors)};
        run_with(
            "    %9:32 = resource %0 {binding 2, resource storage_buffer}\n    %10:32 = const 0x30\n    %11:32 = imul "
            "%1, %10\n    %12:32x3 = load_ssbo %9, %11 {align 16, access readonly}\n    %13:32x3 = load_ssbo %9, "
            "%11 {base 16, align 16, access readonly}\n    %14:32x3 = load_ssbo %9, %11 {base 32, align 16, access "
            "readonly}\n    %99:32x4 = tex %3, %3, %12, %13, %14 {tex_kind sample_grad, dim cube, operands "
            "ddx+ddy}\n",
            words, wave, &extra);
        for (unsigned i = 0; i < LANES; i++) {
            float level = i / 12 % 2 ? 0 : 1;
            expect_result(i, level, level, level);
        }
    }
}

/* The last component of a result says what had no memory; other components come as they are. The page that is taken
 * away here stays away, so this test is the last. */
static void residency_comes_last(void **state)
{
    static const char *const operations[] = {
        "    %98:32x5 = load_image %3, %11, %0 {dim 2d, array 1, access residency}\n",
        "    %98:32x5 = tex %3, %3, %11, %0 {tex_kind fetch, dim 2d, array 1, operands lod, tex_flags residency}\n"};
    (void)state;
    const uint64_t page_B = gpu_space_granularity_B();
    make_picture();
    const uint64_t hole = align_u64(picture_va, page_B);
    assert_true(hole + page_B <= picture_va + sizeof(*picture) * LAYERS);
    assert_int_equal(gpu_space_map_resident(&rig.space, hole, page_B), 0);
    unsigned missing = 0;
    for (unsigned n = 0; n < 2 * ARRAY_SIZE(operations); n++) {
        char text[1024];
        snprintf(
            text, sizeof(text),
            "    %%10:32 = iand %%1, %%4\n    %%11:32x3 = vec %%5, %%7, %%10\n%s"
            "    %%20:32 = extract %%98\n    %%21:32 = extract %%98 {comp 1}\n    %%22:32 = extract %%98 {comp 4}\n"
            "    %%99:32x4 = vec %%20, %%21, %%22, %%22\n",
            operations[n / 2]);
        run_text(text, TYPE_2D_ARRAY, 77, n % 2 ? 64 : 32, NULL);
        for (unsigned i = 0; i < LANES; i++) {
            const uint64_t va =
                picture_va + (uint64_t)((const char *)picture[i % 16 % LAYERS][i / 16][i % 16] - (const char *)picture);
            const bool is_missing = i % 16 < LAYERS && va >= hole && va < hole + page_B;
            uint32_t code;
            memcpy(&code, &results[i][2], 4);
            if (i % 16 >= LAYERS)
                continue; /* a layer that is not there */
            assert_int_equal(code != 0, is_missing);
            assert_true(results[i][0] == (is_missing ? 0 : (float)(i % 16)));
            assert_true(results[i][1] == (is_missing ? 0 : (float)(i / 16)));
            missing += is_missing;
        }
    }
    assert_true(missing > 0);
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_loaded),
        cmocka_unit_test(images_are_stored),
        cmocka_unit_test(texels_are_fetched_with_offsets),
        cmocka_unit_test(textures_are_sampled),
        cmocka_unit_test(gathers_take_one_component),
        cmocka_unit_test(cubes_find_their_faces),
        cmocka_unit_test(sizes_come_from_the_descriptor),
        cmocka_unit_test(null_descriptors_are_empty),
        cmocka_unit_test(samples_are_read_as_they_lie),
        cmocka_unit_test(gradients_choose_the_level_of_a_cube),
        cmocka_unit_test(residency_comes_last),
    };
    int failed = cmocka_run_group_tests_name("select images", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
