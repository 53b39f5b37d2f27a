/* Quads of a draw: depth, stencil, colours, in memory and in GMEM; and the BLIT event around them. */
#include <math.h>

#include "adreno/model/rb/tests/rig.h"

#define COLOR_AT 0x000000u
#define DEPTH_AT 0x200000u
#define STENCIL_AT 0x300000u
#define PITCH_B 1024u
#define GMEM_COLOR 0x1000u
#define GMEM_DEPTH 0x20000u
#define GMEM_STENCIL 0x40000u

struct draw {
    struct rig *rig;
    struct adreno_rb_draw state;
    struct adreno_rb rb;
    struct raster_coverage coverage;
    struct raster_prim prim;
    struct raster_quad quads[32];
    uint32_t rows[2][4][128];
    struct adreno_rb_shaded shaded;
};

static void set_target(struct rig *rig, unsigned i, unsigned format)
{
    SET_AT(rig, RB_MRT_CONTROL, i, .COMPONENT_ENABLE = 15);
    SET_AT(rig, RB_MRT_BUF_INFO, i, .COLOR_FORMAT = format, .COLOR_TILE_MODE = ADRENO_TILE_MODE_TILE6_3);
    SET_AT(rig, RB_MRT_PITCH, i, .VALUE = PITCH_B);
    SET_AT(rig, RB_MRT_ARRAY_PITCH, i, .VALUE = PITCH_B * 64);
    rig_set_va(rig, ADRENO_REG_RB_MRT_BASE + i * ADRENO_REG_RB_MRT_BASE_STRIDE, MEMORY_VA + COLOR_AT + i * 0x40000);
    SET_AT(rig, RB_MRT_BASE_GMEM, i, .VALUE = GMEM_COLOR + i * 0x8000);
    rig->gpu->regs[ADRENO_REG_RB_PS_OUTPUT_MASK] |= 15u << 4 * i;
    SET(rig, RB_PS_MRT_CNTL, .MRT = i + 1);
}

static void set_depth(struct rig *rig, enum adreno_DEPTH_FORMAT format, unsigned function, bool is_separate)
{
    SET(rig, RB_DEPTH_BUFFER_INFO, .DEPTH_FORMAT = format);
    SET(rig, RB_DEPTH_BUFFER_PITCH, .VALUE = PITCH_B);
    SET(rig, RB_DEPTH_BUFFER_ARRAY_PITCH, .VALUE = PITCH_B * 64);
    rig_set_va(rig, ADRENO_REG_RB_DEPTH_BUFFER_BASE, MEMORY_VA + DEPTH_AT);
    SET(rig, RB_DEPTH_GMEM_BASE, .VALUE = GMEM_DEPTH);
    SET(rig, RB_DEPTH_CNTL, .Z_TEST_ENABLE = true, .Z_WRITE_ENABLE = true, .ZFUNC = function);
    SET(rig, RB_STENCIL_BUFFER_INFO, .SEPARATE_STENCIL = is_separate);
    SET(rig, RB_STENCIL_BUFFER_PITCH, .VALUE = PITCH_B);
    rig_set_va(rig, ADRENO_REG_RB_STENCIL_BUFFER_BASE, MEMORY_VA + STENCIL_AT);
    SET(rig, RB_STENCIL_GMEM_BASE, .VALUE = GMEM_STENCIL);
}

static void set_system(struct rig *rig, unsigned samples_log2)
{
    SET(rig, RB_CNTL, .BUFFERS_LOCATION = ADRENO_BUFFERS_LOCATION_SYSMEM);
    SET(rig, RB_DEST_MSAA_CNTL, .SAMPLES = samples_log2);
    SET(rig, RB_BLEND_CNTL, .SAMPLE_MASK = 0xffff);
}

/* A quad that covers all samples of its pixels, at a constant depth. */
static void begin_quad(struct draw *draw, struct rig *rig, float z)
{
    memset(draw, 0, sizeof(*draw));
    draw->rig = rig;
    assert_true(adreno_rb_draw_init(&draw->state, rig->gpu));
    draw->prim.z.at = z;
    draw->prim.z_max = 1;
    for (unsigned o = 0; o < 2; o++) {
        for (unsigned c = 0; c < 4; c++)
            draw->shaded.colors[o][c] = draw->rows[o][c];
    }
    adreno_rb_begin(&draw->rb, &draw->state, &draw->coverage);
}

static void set_quad(struct draw *draw, unsigned q, uint16_t x, uint16_t y)
{
    const uint32_t samples = (uint32_t)bits_mask(1u << draw->state.samples_log2);
    draw->quads[q] = (struct raster_quad){.prim = &draw->prim, .x = x, .y = y, .mask = samples * 0x01010101u};
}

static void set_color(struct draw *draw, unsigned output, const float color[4])
{
    for (unsigned c = 0; c < 4; c++) {
        for (unsigned i = 0; i < 128; i++)
            draw->rows[output][c][i] = float_bits(color[c]);
    }
}

static uint8_t *texel(struct rig *rig, uint32_t at, uint32_t element_B, uint32_t x, uint32_t y)
{
    const struct adreno_tile tile = adreno_tile_init(rig->gpu->chip, element_B, PITCH_B);
    return rig->memory + at + adreno_tile_offset_B(&tile, x, y);
}

/* ---- blocks ---- */

static uint8_t *pixel_of_lane(struct rig *rig, bool is_tiled, uint32_t element_B, unsigned lane)
{
    const uint32_t x = 16 + lane / 4 % 4 * 2 + (lane & 1), y = 8 + lane / 16 * 2 + (lane >> 1 & 1);
    return is_tiled ? texel(rig, COLOR_AT, element_B, x, y) : rig->memory + COLOR_AT + y * PITCH_B + x * element_B;
}

/* Codes of 8 by 8 pixels to memory and back, of one dword and of two, all and some of them. */
static void test_blocks_of_one_dword_and_of_two(void **state)
{
    struct rig *rig = *state;
    static const uint64_t drawn[] = {UINT64_MAX, 0x8000f00000000005ull};
    for (unsigned way = 0; way < 8; way++) {
        const bool is_wide = way & 1, is_tiled = way & 2;
        const unsigned dwords = is_wide ? 2 : 1;
        const uint64_t pixels = drawn[way >> 2];
        uint32_t codes[ADRENO_RB_CODE_DW][ADRENO_RB_CODE_LANES], read[ADRENO_RB_CODE_DW][ADRENO_RB_CODE_LANES];
        struct adreno_rb_block block;
        struct draw draw;
        memset(rig->memory + COLOR_AT, 0xee, PITCH_B * 64);
        set_system(rig, 0);
        set_target(rig, 0, is_wide ? 98 : 48);
        if (!is_tiled)
            SET_AT(rig, RB_MRT_BUF_INFO, 0, .COLOR_FORMAT = is_wide ? 98 : 48);
        begin_quad(&draw, rig, 0);
        assert_true(adreno_rb_takes_blocks(&draw.state.targets[0]));
        for (unsigned i = 0; i < ADRENO_RB_CODE_DW * ADRENO_RB_CODE_LANES; i++)
            codes[i / ADRENO_RB_CODE_LANES][i % ADRENO_RB_CODE_LANES] = i * 0x01030507u;
        assert_true(adreno_rb_open_block(&draw.rb, 0, 16, 8, 0, &block));
        adreno_rb_store_block(&block, codes, pixels);
        adreno_rb_load_block(&block, read);
        for (unsigned lane = 0; lane < ADRENO_RB_CODE_LANES; lane++) {
            for (unsigned n = 0; n < dwords; n++) {
                uint32_t word;
                memcpy(&word, pixel_of_lane(rig, is_tiled, 4 * dwords, lane) + 4 * n, sizeof(word));
                assert_int_equal(word, pixels >> lane & 1 ? codes[n][lane] : 0xeeeeeeeeu);
                assert_int_equal(read[n][lane], word);
            }
        }
        assert_true(adreno_rb_end(&draw.rb, rig->gpu));
    }
}

/* ---- depth and stencil ---- */

static void test_depth_of_every_function_and_format(void **state)
{
    struct rig *rig = *state;
    static const enum adreno_DEPTH_FORMAT formats[] = {ADRENO_DEPTH_FORMAT_Z16, ADRENO_DEPTH_FORMAT_Z24_S8,
                                                       ADRENO_DEPTH_FORMAT_Z32};
    set_system(rig, 0);
    for (unsigned f = 0; f < 3; f++) {
        for (unsigned function = 0; function < 8; function++) {
            for (int relation = -1; relation <= 1; relation++) {
                const uint32_t size_B = f == 0 ? 2 : 4;
                const uint32_t half = f == 0 ? 0x8000 : f == 1 ? 0xab800000u : 0x3f000000;
                struct draw draw;
                uint8_t *at = texel(rig, DEPTH_AT, size_B, 10, 6);
                memcpy(at, &half, size_B);
                set_depth(rig, formats[f], function, false);
                begin_quad(&draw, rig, relation < 0 ? 0.25f : relation > 0 ? 0.75f : f == 0 ? 32768 / 65535.0f : 0.5f);
                set_quad(&draw, 0, 10, 6);
                draw.quads[0].mask = 1;
                adreno_rb_test(&draw.rb, NULL, draw.quads, 1);
                const bool expected = function >> (relation + 1) & 1;
                uint32_t stored = 0;
                memcpy(&stored, at, size_B);
                assert_int_equal(draw.quads[0].mask, expected);
                assert_int_equal(stored != half, expected && relation);
                if (f == 1)
                    assert_int_equal(stored >> 24, 0xab);
                assert_true(adreno_rb_end(&draw.rb, rig->gpu));
            }
        }
    }
    assert_int_equal(rig->gpu->counters.samples_passed, 3 * 3 * 4);
}

/* Every size of a sample with every number of them, beside pixels that are tested one by one. */
static void test_depth_of_samples(void **state)
{
    struct rig *rig = *state;
    static const enum adreno_DEPTH_FORMAT formats[] = {ADRENO_DEPTH_FORMAT_Z16, ADRENO_DEPTH_FORMAT_Z24_S8,
                                                       ADRENO_DEPTH_FORMAT_Z32};
    for (unsigned f = 0; f < 3; f++) {
        for (unsigned samples_log2 = 0; samples_log2 <= 2; samples_log2++) {
            const uint32_t size_B = f == 0 ? 2 : 4, samples = 1u << samples_log2;
            const uint32_t near = f == 0   ? 0x1000
                                  : f == 1 ? 0x100000
                                           : 0x3d800000,
                           far = f == 0   ? 0xf000
                                 : f == 1 ? 0xf00000
                                          : 0x3f700000,
                           half = f == 0   ? 0x8000
                                  : f == 1 ? 0x800000
                                           : 0x3f000000;
            set_system(rig, samples_log2);
            set_depth(rig, formats[f], PIXEL_LESS, false);
            for (unsigned round = 0; round < 64; round++) {
                struct draw draw;
                const uint32_t is_far = rig_random(rig) & 0x0f0f0f0f, covered = rig_random(rig) & 0x0f0f0f0f;
                for (unsigned bit = 0; bit < 32; bit++) {
                    const unsigned p = bit / 8, sample = bit % 8;
                    if (sample < samples)
                        memcpy(texel(rig, DEPTH_AT, size_B << samples_log2, 6 + (p & 1), 4 + p / 2) + sample * size_B,
                               is_far >> bit & 1 ? &far : &near, size_B);
                }
                begin_quad(&draw, rig, 0.5f);
                set_quad(&draw, 0, 6, 4);
                const uint32_t mask = draw.quads[0].mask &= covered;
                adreno_rb_test(&draw.rb, NULL, draw.quads, 1);
                assert_int_equal(draw.quads[0].mask, mask & is_far);
                for (unsigned bit = 0; bit < 32; bit++) {
                    const unsigned p = bit / 8, sample = bit % 8;
                    uint32_t stored = 0, expected = is_far & mask & 1u << bit ? half : is_far >> bit & 1 ? far : near;
                    if (sample >= samples)
                        continue;
                    memcpy(&stored,
                           texel(rig, DEPTH_AT, size_B << samples_log2, 6 + (p & 1), 4 + p / 2) + sample * size_B,
                           size_B);
                    assert_int_equal(stored, expected);
                }
            }
        }
    }
}

static void test_stencil(void **state)
{
    struct rig *rig = *state;
    for (unsigned is_separate = 0; is_separate < 2; is_separate++) {
        set_system(rig, 0);
        set_depth(rig, is_separate ? ADRENO_DEPTH_FORMAT_Z32 : ADRENO_DEPTH_FORMAT_Z24_S8, PIXEL_LESS, is_separate);
        SET(rig, RB_STENCIL_CNTL, .STENCIL_ENABLE = true, .STENCIL_ENABLE_BF = true, .FUNC = ADRENO_COMPARE_FUNC_EQUAL,
            .FAIL = ADRENO_STENCIL_OP_INVERT, .ZPASS = ADRENO_STENCIL_OP_INCR_WRAP, .ZFAIL = ADRENO_STENCIL_OP_ZERO,
            .FUNC_BF = ADRENO_COMPARE_FUNC_ALWAYS, .ZPASS_BF = ADRENO_STENCIL_OP_REPLACE);
        SET(rig, RB_STENCIL_REF_CNTL, .REF = 0x15, .BFREF = 0x77);
        SET(rig, RB_STENCIL_MASK, .MASK = 0x0f, .BFMASK = 0xff);
        SET(rig, RB_STENCIL_WRITE_MASK, .WRMASK = 0x3f, .BFWRMASK = 0xf0);
        uint8_t *stencil = is_separate ? texel(rig, STENCIL_AT, 1, 4, 4) : texel(rig, DEPTH_AT, 4, 4, 4) + 3;
        static const struct {
            uint8_t before;
            float z;
            bool is_back;
            uint8_t after;
            bool passes;
        } cases[] = {
            {0xf5, 0.25f, false, 0xf6, true},
            {0xf5, 0.75f, false, 0xc0, false},
            {0xf4, 0.25f, false, 0xcb, false},
            {0x12, 0.25f, true, 0x72, true},
        };
        for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
            struct draw draw;
            const uint32_t half = is_separate ? 0x3f000000 : 0x800000;
            memcpy(texel(rig, DEPTH_AT, 4, 4, 4), &half, 4);
            *stencil = cases[i].before;
            begin_quad(&draw, rig, cases[i].z);
            set_quad(&draw, 0, 4, 4);
            draw.quads[0].mask = 1;
            draw.prim.is_back = cases[i].is_back;
            adreno_rb_test(&draw.rb, NULL, draw.quads, 1);
            assert_int_equal(*stencil, cases[i].after);
            assert_int_equal(draw.quads[0].mask, cases[i].passes);
        }
    }
}

#define SURFACES_B (PITCH_B * 64) /* of depth, and of stencil */

struct tested {
    uint64_t pixels; /* that have passed */
    uint64_t passed;
    uint8_t depth[SURFACES_B], stencil[SURFACES_B];
};

static void keep_pixels(const struct rig *rig, struct tested *to, uint64_t pixels, uint64_t passed)
{
    to->pixels = pixels;
    to->passed = passed;
    memcpy(to->depth, rig->memory + DEPTH_AT, SURFACES_B);
    memcpy(to->stencil, rig->memory + STENCIL_AT, SURFACES_B);
}

/* The block of pixels at 8, 16: as quads, by plain arithmetic or the fast one, or as a mask. */
enum way {
    WAY_PLAIN,
    WAY_QUADS,
    WAY_BLOCK
};

static void test_block(struct rig *rig, const struct raster_prim *prim, uint64_t covered, enum way way,
                       struct tested *out)
{
    struct draw draw;
    uint32_t references[64];
    uint64_t pixels = 0;
    begin_quad(&draw, rig, 0);
    draw.prim = *prim;
    for (unsigned i = 0; i < 64; i++)
        references[i] = draw.state.depth.faces[prim->is_back].reference;
    for (unsigned q = 0; q < 16; q++) {
        const uint32_t four = covered >> 4 * q & 15;
        set_quad(&draw, q, (uint16_t)(8 + q % 4 * 2), (uint16_t)(16 + q / 4 * 2));
        draw.quads[q].mask = (four & 1) | (four & 2) << 7 | (four & 4) << 14 | (four & 8) << 21;
    }
    if (way == WAY_BLOCK) {
        assert_true(adreno_rb_tests_blocks(&draw.rb));
        pixels = adreno_rb_test_block(&draw.rb, &draw.prim, 8, 16, covered);
        keep_pixels(rig, out, pixels, draw.rb.passed);
        return;
    }
    const struct adreno_rb_shaded plain = {.stencil = references};
    adreno_rb_test(&draw.rb, way == WAY_PLAIN ? &plain : NULL, draw.quads, 16);
    for (unsigned i = 0; i < 64; i++)
        pixels |= (uint64_t)(draw.quads[i / 4].mask >> i % 4 * 8 & 1) << i;
    keep_pixels(rig, out, pixels, draw.rb.passed);
}

static void set_random_stencil(struct rig *rig)
{
    const uint32_t a = rig_random(rig), b = rig_random(rig), c = rig_random(rig);
    SET(rig, RB_STENCIL_CNTL, .STENCIL_ENABLE = true, .STENCIL_ENABLE_BF = true, .FUNC = a & 7, .FAIL = a >> 3 & 7,
        .ZPASS = a >> 6 & 7, .ZFAIL = a >> 9 & 7, .FUNC_BF = a >> 12 & 7, .FAIL_BF = a >> 15 & 7,
        .ZPASS_BF = a >> 18 & 7, .ZFAIL_BF = a >> 21 & 7);
    SET(rig, RB_STENCIL_REF_CNTL, .REF = b & 255, .BFREF = b >> 8 & 255);
    SET(rig, RB_STENCIL_MASK, .MASK = b >> 16 & 255, .BFMASK = b >> 24);
    SET(rig, RB_STENCIL_WRITE_MASK, .WRMASK = c & 255, .BFWRMASK = c >> 8 & 255);
}

static void test_blocks_of_masks(void **state)
{
    struct rig *rig = *state;
    static struct tested before, results[3];
    for (unsigned round = 0; round < 600; round++) {
        const bool is_separate = round & 1, has_stencil = round & 2 || !(round & 4);
        const uint64_t covered = round % 5 ? rig_random(rig) | (uint64_t)rig_random(rig) << 32 : UINT64_MAX;
        struct raster_prim prim = {.z_max = 1, .origin_x = 3, .origin_y = 5, .is_back = round & 8};
        /* of so few depths that some are those that are stored */
        prim.z.at = (float)(rig_random(rig) % 32) / 32;
        prim.z.dx = ((float)(rig_random(rig) % 8) - 4) / 64;
        prim.z.dy = ((float)(rig_random(rig) % 8) - 4) / 64;
        set_system(rig, 0);
        set_depth(rig, is_separate ? ADRENO_DEPTH_FORMAT_Z32 : ADRENO_DEPTH_FORMAT_Z24_S8, rig_random(rig) & 7,
                  is_separate);
        if (round & 4)
            SET(rig, RB_DEPTH_CNTL, .Z_TEST_ENABLE = !has_stencil || round & 16, .ZFUNC = rig_random(rig) & 7);
        SET(rig, RB_STENCIL_CNTL, .STENCIL_ENABLE = false);
        if (has_stencil)
            set_random_stencil(rig);
        for (unsigned i = 0; i < SURFACES_B / 4; i++) {
            const uint32_t code = rig_random(rig), z = float_bits((float)(code % 32) / 32);
            memcpy(rig->memory + DEPTH_AT + 4 * i, is_separate ? &z : &code, 4);
            memcpy(rig->memory + STENCIL_AT + 4 * i, &code, 4);
        }
        keep_pixels(rig, &before, 0, 0);
        for (unsigned way = WAY_PLAIN; way <= WAY_BLOCK; way++) {
            memcpy(rig->memory + DEPTH_AT, before.depth, SURFACES_B);
            memcpy(rig->memory + STENCIL_AT, before.stencil, SURFACES_B);
            test_block(rig, &prim, covered, way, &results[way]);
            assert_memory_equal(&results[way], &results[WAY_PLAIN], sizeof(results[0]));
        }
    }
}

/* Depths of 16 bits, which go by quads alone. */
static void test_quads_of_shorts(void **state)
{
    struct rig *rig = *state;
    static struct tested before, results[2];
    for (unsigned round = 0; round < 200; round++) {
        const uint64_t covered = round % 3 ? rig_random(rig) | (uint64_t)rig_random(rig) << 32 : UINT64_MAX;
        struct raster_prim prim = {.z_max = 1, .origin_x = 3, .origin_y = 5};
        prim.z.at = (float)(rig_random(rig) % 32) / 32;
        prim.z.dx = ((float)(rig_random(rig) % 8) - 4) / 64;
        prim.z.dy = ((float)(rig_random(rig) % 8) - 4) / 64;
        set_system(rig, 0);
        set_depth(rig, ADRENO_DEPTH_FORMAT_Z16, rig_random(rig) & 7, false);
        SET(rig, RB_STENCIL_CNTL, .STENCIL_ENABLE = false);
        for (unsigned i = 0; i < SURFACES_B / 2; i++) {
            const uint16_t code = (uint16_t)((float)(rig_random(rig) % 32) / 32 * 65535.0f + 0.5f);
            memcpy(rig->memory + DEPTH_AT + 2 * i, &code, 2);
        }
        keep_pixels(rig, &before, 0, 0);
        for (unsigned way = WAY_PLAIN; way <= WAY_QUADS; way++) {
            memcpy(rig->memory + DEPTH_AT, before.depth, SURFACES_B);
            test_block(rig, &prim, covered, way, &results[way]);
        }
        assert_memory_equal(&results[WAY_QUADS], &results[WAY_PLAIN], sizeof(results[0]));
    }
}

static void test_late_depth_bounds_and_samples(void **state)
{
    struct rig *rig = *state;
    struct draw draw;
    float z[4] = {0.25f, 0.25f, 0.25f, 2};
    set_system(rig, 2);
    set_depth(rig, ADRENO_DEPTH_FORMAT_Z32, PIXEL_ALWAYS, false);
    SET(rig, RB_DEPTH_CNTL, .Z_TEST_ENABLE = true, .Z_WRITE_ENABLE = true, .ZFUNC = ADRENO_COMPARE_FUNC_ALWAYS,
        .Z_BOUNDS_ENABLE = true, .Z_CLAMP_ENABLE = true);
    SET(rig, RB_DEPTH_BOUND_MIN, .VALUE = 0.5f);
    SET(rig, RB_DEPTH_BOUND_MAX, .VALUE = 1);
    SET(rig, RB_VIEWPORT_ZCLAMP_MAX, .VALUE = 0.875f);
    SET(rig, RB_DEPTH_PLANE_CNTL, .Z_MODE = ADRENO_ZTEST_MODE_LATE_Z);
    begin_quad(&draw, rig, 0);
    assert_false(draw.state.is_early);
    for (unsigned p = 0; p < 4; p++) {
        for (unsigned s = 0; s < 4; s++) {
            const float stored = p == 1 && s == 2 ? 0.25f : 0.75f;
            memcpy(texel(rig, DEPTH_AT, 16, 8 + (p & 1), 8 + p / 2) + s * 4, &stored, sizeof(stored));
        }
    }
    set_quad(&draw, 0, 8, 8);
    draw.shaded.z = z;
    adreno_rb_test(&draw.rb, &draw.shaded, draw.quads, 1);
    assert_int_equal(draw.quads[0].mask, 0x0f0f0b0f);
    assert_int_equal(draw.rb.passed, 15);
    float last;
    memcpy(&last, texel(rig, DEPTH_AT, 16, 9, 9) + 12, sizeof(last));
    assert_true(last == 0.875f);
}

/* Depths outside of 0 to 1 are not kept, whoever gives them. */
static void test_depth_outside_of_range(void **state)
{
    struct rig *rig = *state;
    static const float given[] = {1.9f, -0.5f, INFINITY, 0.25f}, kept[] = {1, 0, 1, 0.25f};
    set_system(rig, 0);
    for (unsigned way = 0; way < 3; way++) { /* four at a time, with a test of bounds, by the shader */
        for (unsigned i = 0; i < ARRAY_SIZE(given); i++) {
            struct draw draw;
            float z[4] = {given[i], given[i], given[i], given[i]}, stored = kept[i];
            memcpy(texel(rig, DEPTH_AT, 4, 2, 2), &stored, sizeof(stored));
            set_depth(rig, ADRENO_DEPTH_FORMAT_Z32, PIXEL_EQUAL, false);
            SET(rig, RB_DEPTH_CNTL, .Z_TEST_ENABLE = true, .Z_WRITE_ENABLE = true, .ZFUNC = ADRENO_COMPARE_FUNC_EQUAL,
                .Z_BOUNDS_ENABLE = way == 1);
            SET(rig, RB_DEPTH_BOUND_MAX, .VALUE = 1);
            begin_quad(&draw, rig, given[i]);
            draw.prim.z_max = 0.5f;
            set_quad(&draw, 0, 2, 2);
            draw.quads[0].mask = 1;
            draw.shaded.z = z;
            adreno_rb_test(&draw.rb, way == 2 ? &draw.shaded : NULL, draw.quads, 1);
            assert_int_equal(draw.quads[0].mask, 1);
            memcpy(&stored, texel(rig, DEPTH_AT, 4, 2, 2), sizeof(stored));
            assert_true(stored == kept[i]);
        }
    }
}

/* ---- colours ---- */

static void test_colors_blend_mask_and_layers(void **state)
{
    struct rig *rig = *state;
    struct draw draw;
    const float half[4] = {1, 0.5f, 0, 0.5f}, integer[4] = {0};
    set_system(rig, 0);
    set_target(rig, 0, 48);
    set_target(rig, 1, 51);
    SET_AT(rig, RB_MRT_CONTROL, 0, .COMPONENT_ENABLE = 7, .COLOR_BLEND_EN = true, .ALPHA_BLEND_EN = true);
    SET_AT(rig, RB_MRT_BLEND_CONTROL, 0, .RGB_SRC_FACTOR = ADRENO_BLEND_FACTOR_SRC_ALPHA,
           .RGB_DEST_FACTOR = ADRENO_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, .ALPHA_SRC_FACTOR = ADRENO_BLEND_FACTOR_ONE);
    SET_AT(rig, RB_MRT_CONTROL, 1, .COMPONENT_ENABLE = 15, .ROP_ENABLE = true, .ROP_CODE = ADRENO_ROP_CODE_XOR);
    memset(rig->memory, 0x66, 0x100000);
    begin_quad(&draw, rig, 0);
    assert_int_equal(draw.state.used, 3);
    set_color(&draw, 0, half);
    set_color(&draw, 1, integer);
    for (unsigned i = 0; i < 128; i++)
        draw.rows[1][2][i] = 0x0f;
    draw.prim.layer = 1;
    for (uint16_t q = 0; q < 32; q++)
        set_quad(&draw, q, (uint16_t)(2 * q), 6);
    draw.quads[3].mask = 0x00010100;
    adreno_rb_write(&draw.rb, &draw.shaded, draw.quads, 32);
    assert_true(adreno_rb_end(&draw.rb, rig->gpu));
    for (uint32_t x = 0; x < 64; x++) {
        for (uint32_t y = 6; y < 8; y++) {
            const bool is_written = x / 2 != 3 || (x % 2) != (y % 2);
            const uint8_t *a = texel(rig, COLOR_AT + PITCH_B * 64, 4, x, y),
                          *b = texel(rig, COLOR_AT + 0x40000 + PITCH_B * 64, 4, x, y);
            const uint8_t blended[4] = {0xb2, 0x73, 0x33, 0x66}, mixed[4] = {0x66, 0x66, 0x69, 0x66},
                          old[4] = {0x66, 0x66, 0x66, 0x66};
            assert_memory_equal(a, is_written ? blended : old, 4);
            assert_memory_equal(b, is_written ? mixed : old, 4);
        }
    }
    assert_int_equal(rig->memory[0], 0x66);
}

/* Pixels that a later primitive of the same wave covers blend with what the earlier one wrote. */
static void test_overlap_in_a_wave(void **state)
{
    struct rig *rig = *state;
    struct draw draw;
    struct raster_prim other;
    const float tenth[4] = {0.2f, 0.2f, 0.2f, 0.2f};
    set_system(rig, 0);
    set_target(rig, 0, 48);
    SET_AT(rig, RB_MRT_CONTROL, 0, .COMPONENT_ENABLE = 15, .COLOR_BLEND_EN = true, .ALPHA_BLEND_EN = true);
    SET_AT(rig, RB_MRT_BLEND_CONTROL, 0, .RGB_SRC_FACTOR = ADRENO_BLEND_FACTOR_ONE,
           .RGB_DEST_FACTOR = ADRENO_BLEND_FACTOR_ONE, .ALPHA_SRC_FACTOR = ADRENO_BLEND_FACTOR_ONE,
           .ALPHA_DEST_FACTOR = ADRENO_BLEND_FACTOR_ONE);
    begin_quad(&draw, rig, 0);
    other = draw.prim;
    set_color(&draw, 0, tenth);
    set_quad(&draw, 0, 4, 4);
    set_quad(&draw, 1, 6, 4);
    set_quad(&draw, 2, 4, 4);
    draw.quads[2].prim = &other;
    adreno_rb_write(&draw.rb, &draw.shaded, draw.quads, 3);
    assert_int_equal(*texel(rig, COLOR_AT, 4, 4, 4), 102);
    assert_int_equal(*texel(rig, COLOR_AT, 4, 6, 4), 51);
}

static void test_dual_source_and_alpha_to_coverage(void **state)
{
    struct rig *rig = *state;
    struct draw draw;
    const float first[4] = {1, 1, 1, 0.5f}, second[4] = {0.2f, 0.4f, 0.6f, 0.8f};
    set_system(rig, 2);
    SET(rig, RB_BLEND_CNTL, .SAMPLE_MASK = 0xffff, .ALPHA_TO_COVERAGE = true, .DUAL_COLOR_IN_ENABLE = true);
    set_target(rig, 0, 48);
    SET_AT(rig, RB_MRT_CONTROL, 0, .COMPONENT_ENABLE = 15, .COLOR_BLEND_EN = true);
    SET_AT(rig, RB_MRT_BLEND_CONTROL, 0, .RGB_SRC_FACTOR = ADRENO_BLEND_FACTOR_SRC1_COLOR);
    begin_quad(&draw, rig, 0);
    assert_true(draw.state.is_dual);
    assert_int_equal(draw.state.outputs, 3);
    set_color(&draw, 0, first);
    set_color(&draw, 1, second);
    set_quad(&draw, 0, 0, 0);
    adreno_rb_cover(&draw.rb, &draw.shaded, draw.quads, 1);
    assert_int_equal(draw.quads[0].mask, 0x03030303);
    adreno_rb_write(&draw.rb, &draw.shaded, draw.quads, 1);
    const uint8_t expected[16] = {51, 102, 153, 128, 51, 102, 153, 128};
    assert_memory_equal(texel(rig, COLOR_AT, 16, 1, 1), expected, 16);
}

/* ---- GMEM ---- */

#define BIN 64
#define WINDOW_X 64
#define WINDOW_Y 32

static void set_gmem(struct rig *rig, unsigned samples_log2)
{
    SET(rig, RB_CNTL, .BINW = BIN, .BINH = 32, .BUFFERS_LOCATION = ADRENO_BUFFERS_LOCATION_GMEM);
    SET(rig, RB_WINDOW_OFFSET, .X = WINDOW_X, .Y = WINDOW_Y);
    SET(rig, RB_DEST_MSAA_CNTL, .SAMPLES = samples_log2);
    SET(rig, RB_BLEND_CNTL, .SAMPLE_MASK = 0xffff);
    SET(rig, RB_RESOLVE_CNTL_3, .BINW = BIN, .BINH = 32);
    SET(rig, RB_RESOLVE_WINDOW_OFFSET, .X = WINDOW_X, .Y = WINDOW_Y);
    SET(rig, RB_RESOLVE_CNTL_1, .X = 0, .Y = 40);
    SET(rig, RB_RESOLVE_CNTL_2, .X = 99, .Y = 199);
    SET(rig, RB_RESOLVE_GMEM_BUFFER_INFO, .SAMPLES = samples_log2);
    SET(rig, RB_RESOLVE_GMEM_BUFFER_BASE, .VALUE = GMEM_COLOR);
}

static void blit_target(struct rig *rig, enum adreno_BLIT_EVENT_TYPE type, unsigned format, unsigned samples_log2,
                        unsigned mask)
{
    SET(rig, RB_RESOLVE_SYSTEM_BUFFER_INFO, .COLOR_FORMAT = format, .TILE_MODE = ADRENO_TILE_MODE_TILE6_3,
        .SAMPLES = samples_log2);
    rig_set_va(rig, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_BASE, MEMORY_VA + COLOR_AT);
    SET(rig, RB_RESOLVE_SYSTEM_BUFFER_PITCH, .VALUE = PITCH_B);
    SET(rig, RB_RESOLVE_OPERATION, .TYPE = type, .CLEAR_MASK = mask);
    assert_true(adreno_rb_blit_event(rig->gpu));
}

static bool is_in_bin(uint32_t x, uint32_t y)
{
    return x >= 64 && x < 100 && y >= 40 && y < 64;
}

static void test_gmem_clear_draw_store_load(void **state)
{
    struct rig *rig = *state;
    struct draw draw;
    const float red[4] = {1, 0, 0, 1};
    set_gmem(rig, 0);
    set_target(rig, 0, 48);
    memset(rig->memory, 0x11, 0x100000);
    rig->gpu->regs[ADRENO_REG_RB_RESOLVE_CLEAR_COLOR_DW0] = 0x44332211;
    blit_target(rig, ADRENO_BLIT_EVENT_TYPE_CLEAR, 48, 0, 7);
    begin_quad(&draw, rig, 0);
    set_color(&draw, 0, red);
    set_quad(&draw, 0, 80, 50);
    adreno_rb_write(&draw.rb, &draw.shaded, draw.quads, 1);
    assert_true(adreno_rb_end(&draw.rb, rig->gpu));
    blit_target(rig, ADRENO_BLIT_EVENT_TYPE_STORE, 48, 0, 0);
    for (uint32_t y = 0; y < 100; y++) {
        for (uint32_t x = 0; x < 128; x++) {
            uint32_t stored;
            memcpy(&stored, texel(rig, COLOR_AT, 4, x, y), sizeof(stored));
            assert_int_equal(stored, !is_in_bin(x, y)             ? 0x11111111u
                                     : x / 2 == 40 && y / 2 == 25 ? 0xff0000ffu
                                                                  : 0x00332211u);
        }
    }
    /* and back */
    memset(rig->gpu->gmem, 0, rig->gpu->chip->gmem_size_B);
    blit_target(rig, ADRENO_BLIT_EVENT_TYPE_LOAD, 48, 0, 0);
    uint32_t loaded;
    memcpy(&loaded, rig->gpu->gmem + GMEM_COLOR + ((50 - WINDOW_Y) * BIN + 80 - WINDOW_X) * 4, sizeof(loaded));
    assert_int_equal(loaded, 0xff0000ffu);
    /* a pixel outside of the bin is no pixel of GMEM */
    begin_quad(&draw, rig, 0);
    set_quad(&draw, 0, 10, 50);
    adreno_rb_write(&draw.rb, &draw.shaded, draw.quads, 1);
    assert_false(adreno_rb_end(&draw.rb, rig->gpu));
    assert_non_null(strstr(rig_stop, "GMEM"));
}

static void test_gmem_resolves(void **state)
{
    struct rig *rig = *state;
    set_gmem(rig, 2);
    rig_fill_random(rig, rig->gpu->gmem + GMEM_COLOR, BIN * 32 * 16);
    blit_target(rig, ADRENO_BLIT_EVENT_TYPE_STORE, 48, 0, 0);
    for (uint32_t y = 40; y < 64; y++) {
        for (uint32_t x = 64; x < 100; x++) {
            const uint8_t *to = texel(rig, COLOR_AT, 4, x, y);
            const uint8_t *from = rig->gpu->gmem + GMEM_COLOR + ((y - WINDOW_Y) * BIN + x - WINDOW_X) * 16;
            for (unsigned c = 0; c < 4; c++)
                assert_true(abs(4 * to[c] - (from[c] + from[4 + c] + from[8 + c] + from[12 + c])) <= 2);
        }
    }
    SET(rig, RB_RESOLVE_OPERATION, .TYPE = ADRENO_BLIT_EVENT_TYPE_STORE, .SAMPLE_0 = true);
    assert_true(adreno_rb_blit_event(rig->gpu));
    assert_memory_equal(texel(rig, COLOR_AT, 4, 70, 45),
                        rig->gpu->gmem + GMEM_COLOR + ((45 - WINDOW_Y) * BIN + 70 - WINDOW_X) * 16, 4);
}

/* A linear surface has its swap; GMEM has none. */
static void test_gmem_store_swaps(void **state)
{
    struct rig *rig = *state;
    set_gmem(rig, 0);
    rig_fill_random(rig, rig->gpu->gmem + GMEM_COLOR, BIN * 32 * 4);
    SET(rig, RB_RESOLVE_SYSTEM_BUFFER_INFO, .COLOR_FORMAT = 48, .COLOR_SWAP = ADRENO_COLOR_SWAP_WXYZ);
    rig_set_va(rig, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_BASE, MEMORY_VA);
    SET(rig, RB_RESOLVE_SYSTEM_BUFFER_PITCH, .VALUE = PITCH_B);
    SET(rig, RB_RESOLVE_OPERATION, .TYPE = ADRENO_BLIT_EVENT_TYPE_STORE);
    assert_true(adreno_rb_blit_event(rig->gpu));
    const uint8_t *to = rig->memory + 45 * PITCH_B + 70 * 4;
    const uint8_t *from = rig->gpu->gmem + GMEM_COLOR + ((45 - WINDOW_Y) * BIN + 70 - WINDOW_X) * 4;
    const uint8_t expected[4] = {from[2], from[1], from[0], from[3]};
    assert_memory_equal(to, expected, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_depth_of_every_function_and_format, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_depth_of_samples, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_stencil, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_blocks_of_masks, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_quads_of_shorts, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_late_depth_bounds_and_samples, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_depth_outside_of_range, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_colors_blend_mask_and_layers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_overlap_in_a_wave, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_dual_source_and_alpha_to_coverage, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_blocks_of_one_dword_and_of_two, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_gmem_clear_draw_store_load, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_gmem_resolves, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_gmem_store_swaps, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
