/* Formats and surfaces beside the hardware tables, and the 2D engine beside a slow one of util/format's functions. */
#include <math.h>

#include "adreno/model/rb/tests/rig.h"
#include "util/half.h"

#define SRC_AT 0x000000u
#define DST_AT 0x400000u
#define FLAGS_AT 0x700000u

struct side {
    unsigned format;
    enum adreno_COLOR_SWAP swap;
    enum adreno_TILE_MODE tile;
    bool is_srgb;
    unsigned samples_log2;
    uint32_t pitch_B;
};

static void set_destination(struct rig *rig, const struct side *side)
{
    SET(rig, RB_A2D_DEST_BUFFER_INFO, .COLOR_FORMAT = side->format, .COLOR_SWAP = side->swap, .TILE_MODE = side->tile,
        .SRGB = side->is_srgb, .SAMPLES = side->samples_log2);
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE, MEMORY_VA + DST_AT);
    SET(rig, RB_A2D_DEST_BUFFER_PITCH, .VALUE = side->pitch_B);
}

static void set_source(struct rig *rig, const struct side *side, uint32_t width, uint32_t height, bool is_linear)
{
    SET(rig, TPL1_A2D_SRC_TEXTURE_INFO, .COLOR_FORMAT = side->format, .COLOR_SWAP = side->swap, .TILE_MODE = side->tile,
        .SRGB = side->is_srgb, .SAMPLES = side->samples_log2, .FILTER = is_linear, .SAMPLES_AVERAGE = true);
    SET(rig, TPL1_A2D_SRC_TEXTURE_SIZE, .WIDTH = width, .HEIGHT = height);
    rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_BASE, MEMORY_VA + SRC_AT);
    SET(rig, TPL1_A2D_SRC_TEXTURE_PITCH, .PITCH = side->pitch_B);
}

/* x0, y0, x1, y1; the last ones are included. */
static void set_coordinates(struct rig *rig, const int32_t src[4], const int32_t dst[4])
{
    SET(rig, GRAS_A2D_SRC_XMIN, .VALUE = src[0]);
    SET(rig, GRAS_A2D_SRC_YMIN, .VALUE = src[1]);
    SET(rig, GRAS_A2D_SRC_XMAX, .VALUE = src[2]);
    SET(rig, GRAS_A2D_SRC_YMAX, .VALUE = src[3]);
    SET(rig, GRAS_A2D_DEST_TL, .X = (uint32_t)dst[0], .Y = (uint32_t)dst[1]);
    SET(rig, GRAS_A2D_DEST_BR, .X = (uint32_t)dst[2], .Y = (uint32_t)dst[3]);
}

static uint64_t place_of_element(const struct rig *rig, const struct side *side, uint32_t sample_B, uint32_t x,
                                 uint32_t y)
{
    const uint32_t element_B = sample_B << side->samples_log2;
    if (side->tile == ADRENO_TILE_MODE_LINEAR)
        return (uint64_t)y * side->pitch_B + x * element_B;
    const struct adreno_tile tile = adreno_tile_init(rig->gpu->chip, element_B, side->pitch_B);
    return adreno_tile_offset_B(&tile, x, y);
}

static uint32_t low_bits(const uint8_t *from, unsigned first, unsigned count)
{
    uint64_t word[3] = {0};
    memcpy(word, from, 16);
    uint64_t bits = word[first / 64] >> first % 64;
    if (first % 64)
        bits |= word[first / 64 + 1] << (64 - first % 64);
    return (uint32_t)(bits & bits_mask(count));
}

/* Every channel stands where the table of formats and the name of the swap say. */
static void test_channels_have_their_places(void **state)
{
    static const char order[4][5] = {"XYZW", "ZYXW", "WXYZ", "WZYX"}; /* from the lowest, by swap */
    unsigned checked = 0;
    for (unsigned i = 0; i < adreno_format_count; i++) {
        const struct adreno_format *row = &adreno_formats[i];
        if (!row->widths[0] || row->numeric == ADRENO_NUMERIC_EXP || row->is_alpha || row->is_depth)
            continue;
        for (unsigned swap = 0; swap < 4; swap++) {
            struct adreno_rb_format format;
            if (!adreno_rb_format_init(&format, row->number, (enum adreno_COLOR_SWAP)swap, false))
                continue;
            /* Widths of 1_5_5_5 begin with alpha's, in every order. */
            const bool is_1555 = row->widths[0] == 1;
            unsigned low = 0;
            for (unsigned place = 0; place < 4; place++) {
                const unsigned c = is_1555 ? (place + 3) % 4 : (unsigned)(strchr("XYZW", order[swap][place]) - "XYZW");
                const unsigned channel = is_1555 && swap == ADRENO_COLOR_SWAP_WXYZ && c < 3 ? 2 - c : c;
                if (c >= row->channels)
                    continue;
                uint8_t bytes[16] = {0};
                void *at = bytes;
                union adreno_rb_color color = {{0}};
                const unsigned width = is_1555 ? row->widths[place] : row->widths[c];
                if (format.numeric == ADRENO_RB_FLOAT)
                    color.f[channel] = 1;
                else
                    color.u[channel] = 1;
                adreno_rb_store(&format, &at, &color, 1);
                assert_int_not_equal(low_bits(bytes, low, width), 0);
                for (unsigned bit = 0; bit < row->block_bits; bit++) {
                    if (bit < low || bit >= low + width)
                        assert_int_equal(bytes[bit / 8] >> bit % 8 & 1, 0);
                }
                low += width;
                checked++;
            }
        }
    }
    assert_true(checked > 250);
}

static void test_elements_are_where_tiling_says(void **state)
{
    struct rig *rig = *state;
    for (unsigned size_log2 = 0; size_log2 <= 7; size_log2++) {
        const unsigned samples_log2 = size_log2 > 4 ? size_log2 - 4 : size_log2 / 2;
        const uint32_t sample_B = (1u << size_log2) >> samples_log2, pitch_B = 64 << size_log2;
        struct adreno_rb_surface surface;
        struct adreno_rb_access access;
        struct adreno_rb_fault fault = {0};
        const struct adreno_tile tile = adreno_tile_init(rig->gpu->chip, 1u << size_log2, pitch_B);
        assert_null(adreno_rb_surface_memory(&surface, rig->gpu->chip, ADRENO_TILE_MODE_TILE6_3, MEMORY_VA, pitch_B,
                                             pitch_B * 64, sample_B, samples_log2));
        adreno_rb_access_init(&access, &surface, &rig->space, &fault, true);
        const uint8_t *base = gpu_space_pointer(&rig->space, MEMORY_VA, 1, GPU_PERM_READ);
        for (uint32_t i = 0; i < 20000; i++) {
            const uint32_t x = rig_random(rig) % 64, y = rig_random(rig) % 64, layer = rig_random(rig) % 2;
            assert_ptr_equal(adreno_rb_element(&access, (int32_t)x, (int32_t)y, layer),
                             base + layer * surface.layer_B + adreno_tile_offset_B(&tile, x, y));
        }
        assert_false(fault.is_set);
        assert_null(adreno_rb_element(&access, 0, 1 << 24, 0));
        assert_true(fault.is_set && fault.is_write && !fault.is_gmem);
    }
}

/* ---- fills ---- */

static void test_fills(void **state)
{
    struct rig *rig = *state;
    static const struct {
        unsigned format;
        enum adreno_IFMT_2D ifmt;
        bool is_srgb;
        uint32_t words[4];
        uint8_t expected[16];
    } cases[] = {
        {48, ADRENO_IFMT_2D_UNORM8, false, {1, 2, 3, 0x1ff}, {1, 2, 3, 255}},
        {48, ADRENO_IFMT_2D_UNORM8_SRGB, true, {1, 200, 3, 128}, {1, 200, 3, 128}},
        {50, ADRENO_IFMT_2D_UNORM8, false, {(uint32_t)-127, 127, 0, 5}, {0x81, 0x7f, 0, 5}},
        {75, ADRENO_IFMT_2D_INT32, false, {0x12345678}, {0x78, 0x56, 0x34, 0x12}},
        {5, ADRENO_IFMT_2D_INT8, false, {0x78}, {0x78}},
        {21, ADRENO_IFMT_2D_FLOAT32, false, {0x3f800000}, {0xff, 0xff}},
        {74, ADRENO_IFMT_2D_FLOAT32, false, {0x3f000000}, {0, 0, 0, 0x3f}},
        {98, ADRENO_IFMT_2D_FLOAT16, false, {0x3c00, 0xbc00, 0, 0x7bff}, {0, 0x3c, 0, 0xbc, 0, 0, 0xff, 0x7b}},
        {14, ADRENO_IFMT_2D_UNORM8, false, {255, 0, 255}, {0x1f, 0xf8}},
        {131, ADRENO_IFMT_2D_INT32, false, {1, 2, 3, 4}, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        for (unsigned tiled = 0; tiled < 2; tiled++) {
            const uint32_t sample_B = adreno_format_find(cases[i].format)->block_bits / 8;
            const struct side dst = {.format = cases[i].format,
                                     .is_srgb = cases[i].is_srgb,
                                     .tile = tiled ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR,
                                     .pitch_B = 256 * sample_B};
            const int32_t none[4] = {0}, rectangle[4] = {3, 5, 70, 77};
            memset(rig->memory, 0xaa, MEMORY_B);
            set_destination(rig, &dst);
            set_coordinates(rig, none, rectangle);
            memcpy(&rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0], cases[i].words, sizeof(cases[i].words));
            SET(rig, RB_A2D_BLT_CNTL, .SOLID_COLOR = true, .MASK = 15, .IFMT = cases[i].ifmt, .SCISSOR = true);
            SET(rig, GRAS_A2D_SCISSOR_TL, .X = 0, .Y = 9);
            SET(rig, GRAS_A2D_SCISSOR_BR, .X = 60, .Y = 255);
            assert_true(adreno_rb_2d(rig->gpu));
            for (uint32_t y = 0; y < 100; y++) {
                for (uint32_t x = 0; x < 100; x++) {
                    const uint8_t *at = rig->memory + DST_AT + place_of_element(rig, &dst, sample_B, x, y);
                    const bool is_in = x >= 3 && x <= 60 && y >= 9 && y <= 77;
                    for (uint32_t b = 0; b < sample_B; b++)
                        assert_int_equal(at[b], is_in ? cases[i].expected[b] : 0xaa);
                }
            }
        }
    }
}

/* Rows of macrotiles as one piece, with banks: nothing but the rectangle changes. */
static void test_fill_by_macrotiles(void **state)
{
    struct rig *rig = *state;
    const struct side dst = {.format = 48, .tile = ADRENO_TILE_MODE_TILE6_3, .pitch_B = 16384};
    static const int32_t rows[][2] = {{0, 63}, {5, 58}, {16, 47}};
    static const int32_t columns[][2] = {{0, 4095}, {37, 4000}, {64, 95}, {70, 75}};
    const struct adreno_tile tile = adreno_tile_init(rig->gpu->chip, 4, dst.pitch_B);
    assert_int_not_equal(tile.bank_rows, 0);
    for (unsigned n = 0; n < ARRAY_SIZE(rows) * ARRAY_SIZE(columns); n++) {
        const int32_t *row = rows[n % ARRAY_SIZE(rows)], *column = columns[n / ARRAY_SIZE(rows)];
        const int32_t none[4] = {0}, rectangle[4] = {column[0], row[0], column[1], row[1]};
        memset(rig->memory + DST_AT, 0xaa, 128 * 16384);
        set_destination(rig, &dst);
        set_coordinates(rig, none, rectangle);
        SET(rig, RB_A2D_BLT_CNTL, .SOLID_COLOR = true, .MASK = 15, .IFMT = ADRENO_IFMT_2D_UNORM8);
        for (unsigned c = 0; c < 4; c++)
            rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0 + c] = c + 1;
        assert_true(adreno_rb_2d(rig->gpu));
        for (int32_t y = 0; y < 96; y++) {
            for (int32_t x = 0; x < 4096; x++) {
                const bool is_inside = y >= row[0] && y <= row[1] && x >= column[0] && x <= column[1];
                const uint64_t at_B = adreno_tile_offset_B(&tile, (uint32_t)x, (uint32_t)y);
                uint32_t word;
                memcpy(&word, rig->memory + DST_AT + at_B, sizeof(word));
                if (word != (is_inside ? 0x04030201u : 0xaaaaaaaau))
                    fail_msg("%d, %d is %x", x, y, word);
            }
        }
    }
}

/* Clears of depth or stencil alone keep the other's bytes. */
static void test_fill_keeps_channels(void **state)
{
    struct rig *rig = *state;
    const struct side dst = {.format = 145, .tile = ADRENO_TILE_MODE_TILE6_3, .pitch_B = 256};
    const int32_t none[4] = {0}, rectangle[4] = {0, 0, 31, 31};
    static const uint32_t keep[2] = {0x08000041, 0x00084001};
    for (unsigned i = 0; i < 2; i++) {
        memset(rig->memory + DST_AT, 0x55, 256 * 32);
        set_destination(rig, &dst);
        set_coordinates(rig, none, rectangle);
        rig->gpu->regs[ADRENO_REG_RB_A2D_PIXEL_CNTL] = keep[i];
        for (unsigned c = 0; c < 4; c++)
            rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0 + c] = c + 1;
        SET(rig, RB_A2D_BLT_CNTL, .SOLID_COLOR = true, .MASK = 15, .IFMT = ADRENO_IFMT_2D_UNORM8);
        assert_true(adreno_rb_2d(rig->gpu));
        const uint8_t *at = rig->memory + DST_AT + place_of_element(rig, &dst, 4, 17, 13);
        for (unsigned c = 0; c < 4; c++)
            assert_int_equal(at[c], (c == 3) == (i == 1) ? c + 1 : 0x55);
    }
}

/* ---- copies and conversions ---- */

static void test_copies_are_exact(void **state)
{
    struct rig *rig = *state;
    static const unsigned formats[] = {3, 24, 48, 104, 131, 55, 98};
    for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
        const uint32_t size_B = adreno_format_find(formats[i])->block_bits / 8;
        for (unsigned tiles = 0; tiles < 4; tiles++) {
            const struct side src = {.format = formats[i] == 55 ? 54 : formats[i],
                                     .tile = tiles & 1 ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR,
                                     .pitch_B = 256 * size_B},
                              dst = {.format = formats[i],
                                     .tile = tiles & 2 ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR,
                                     .pitch_B = 128 * size_B};
            const int32_t from[4] = {5, 3, 5 + 99, 3 + 69}, to[4] = {1, 2, 100, 71};
            rig_fill_random(rig, rig->memory, 256 * 128 * size_B);
            memset(rig->memory + DST_AT, 0, 128 * 128 * size_B);
            set_destination(rig, &dst);
            set_source(rig, &src, 256, 128, false);
            set_coordinates(rig, from, to);
            SET(rig, RB_A2D_BLT_CNTL, .MASK = 15, .IFMT = ADRENO_IFMT_2D_INT32);
            assert_true(adreno_rb_2d(rig->gpu));
            for (uint32_t y = 0; y < 70; y++) {
                for (uint32_t x = 0; x < 100; x++)
                    assert_memory_equal(rig->memory + DST_AT + place_of_element(rig, &dst, size_B, x + 1, y + 2),
                                        rig->memory + place_of_element(rig, &src, size_B, x + 5, y + 3), size_B);
            }
        }
    }
}

/* Between rows and blocks, from any block to any other: more of them than are asked for at once, rows of them that are
 * no whole macrotiles, and nothing beside them. */
static void test_copies_of_blocks(void **state)
{
    enum {
        PITCH = 4096,
        ROWS = 128,
        SIZE_B = PITCH * ROWS
    };
    struct rig *rig = *state;
    static const unsigned formats[] = {3, 24, 48, 104, 131};
    uint8_t *expected = malloc(SIZE_B);
    assert_non_null(expected);
    for (unsigned i = 0; i < 100; i++) {
        const uint32_t size_B = 1u << i % 5;
        const struct side linear = {.format = formats[i % 5], .pitch_B = PITCH},
                          tiled = {.format = formats[i % 5], .tile = ADRENO_TILE_MODE_TILE6_3, .pitch_B = PITCH};
        const struct side *src = i / 5 % 2 ? &tiled : &linear, *dst = i / 5 % 2 ? &linear : &tiled;
        const struct adreno_tile tile = adreno_tile_init(rig->gpu->chip, size_B, PITCH);
        const int32_t w = 1 << tile.block_w_log2, h = 1 << tile.block_h_log2;
        const int32_t x0 = (int32_t)(rig_random(rig) % 9) * w, y0 = (int32_t)(rig_random(rig) % 5) * h,
                      width = (int32_t)(1 + rig_random(rig) % (PITCH / size_B / 2)),
                      height = (int32_t)(1 + rig_random(rig) % (ROWS / 2)), other = (int32_t)(rig_random(rig) % 8);
        const int32_t at[4] = {x0, y0, x0 + width - 1, y0 + height - 1};
        const int32_t away[4] = {other, other, other + width - 1, other + height - 1};
        const int32_t *from = src == &tiled ? at : away, *to = src == &tiled ? away : at;
        assert_int_equal(adreno_format_find(formats[i % 5])->block_bits, size_B * 8);
        rig_fill_random(rig, rig->memory + SRC_AT, SIZE_B);
        rig_fill_random(rig, rig->memory + DST_AT, SIZE_B);
        memcpy(expected, rig->memory + DST_AT, SIZE_B);
        for (int32_t n = 0; n < width * height; n++) {
            const uint32_t x = (uint32_t)(n % width), y = (uint32_t)(n / width);
            memcpy(expected + place_of_element(rig, dst, size_B, x + (uint32_t)to[0], y + (uint32_t)to[1]),
                   rig->memory + SRC_AT +
                       place_of_element(rig, src, size_B, x + (uint32_t)from[0], y + (uint32_t)from[1]),
                   size_B);
        }
        set_destination(rig, dst);
        set_source(rig, src, PITCH / size_B, ROWS, false);
        set_coordinates(rig, from, to);
        SET(rig, RB_A2D_BLT_CNTL, .MASK = 15, .IFMT = ADRENO_IFMT_2D_INT32);
        assert_true(adreno_rb_2d(rig->gpu));
        assert_memory_equal(rig->memory + DST_AT, expected, SIZE_B);
    }
    free(expected);
}

/* A texel as util/format converts it, through 16-bit floats where the register says so. */
static void convert_slowly(const struct adreno_rb_format *from, const struct adreno_rb_format *to, const uint8_t *texel,
                           uint8_t *out, bool is_half)
{
    uint32_t stored[4] = {0}, color[4] = {0, 0, 0, from->numeric == ADRENO_RB_FLOAT ? 0x3f800000u : 1}, ordered[4];
    if (from->numeric == ADRENO_RB_FLOAT)
        format_unpack_rgba_float(from->format, (float(*)[4])stored, texel, 1);
    else if (from->numeric == ADRENO_RB_UINT)
        format_unpack_rgba_uint(from->format, &stored, texel, 1);
    else
        format_unpack_rgba_sint(from->format, (int32_t(*)[4])stored, texel, 1);
    for (unsigned k = 0; k < 4; k++) {
        if (from->present >> from->from[k] & 1)
            color[from->from[k]] = stored[k];
    }
    for (unsigned k = 0; k < 4; k++) {
        ordered[k] = color[to->from[k]];
        if (is_half)
            ordered[k] = float_bits(half_to_float(float_to_half_rtne(bits_float(ordered[k]))));
    }
    if (to->numeric == ADRENO_RB_FLOAT)
        format_pack_rgba_float(to->format, out, (const float(*)[4])ordered, 1);
    else if (to->numeric == ADRENO_RB_UINT)
        format_pack_rgba_uint(to->format, out, (const uint32_t(*)[4])ordered, 1);
    else
        format_pack_rgba_sint(to->format, out, (const int32_t(*)[4])ordered, 1);
}

static bool is_writable(unsigned number, struct adreno_rb_format *format)
{
    return adreno_rb_format_init(format, number, ADRENO_COLOR_SWAP_WZYX, false) &&
           !format_is_compressed(format->info) && is_power_of_two(format->sample_B);
}

/* All pairs of formats, scaled by 3/2 in x and 1/2 in y, mirrored in x. */
static void test_conversions_of_all_pairs(void **state)
{
    struct rig *rig = *state;
    unsigned pairs = 0;
    for (unsigned a = 1; a < 256; a++) {
        for (unsigned b = 1; b < 256; b++) {
            struct adreno_rb_format from, to;
            if (!is_writable(a, &from) || !is_writable(b, &to) ||
                (from.numeric == ADRENO_RB_FLOAT) != (to.numeric == ADRENO_RB_FLOAT) || from.format == to.format)
                continue;
            const bool is_half = to.numeric == ADRENO_RB_FLOAT && (b & 1);
            const struct side src = {.format = a, .tile = ADRENO_TILE_MODE_TILE6_3, .pitch_B = 64u * from.sample_B},
                              dst = {.format = b, .tile = ADRENO_TILE_MODE_LINEAR, .pitch_B = 64u * to.sample_B};
            const int32_t src_at[4] = {2, 1, 2 + 7, 1 + 7}, dst_at[4] = {4, 6, 4 + 11, 6 + 3};
            rig_fill_random(rig, rig->memory, 64 * 32 * from.sample_B);
            set_destination(rig, &dst);
            set_source(rig, &src, 64, 32, false);
            set_coordinates(rig, src_at, dst_at);
            SET(rig, RB_A2D_BLT_CNTL, .MASK = 15, .ROTATE = ADRENO_ROTATION_HFLIP,
                .IFMT = is_half ? ADRENO_IFMT_2D_FLOAT16 : ADRENO_IFMT_2D_FLOAT32);
            assert_true(adreno_rb_2d(rig->gpu));
            for (uint32_t y = 0; y < 4; y++) {
                for (uint32_t x = 0; x < 12; x++) {
                    const uint32_t src_x = (uint32_t)(10 - ((x + 0.5) * 8 / 12)), src_y = 1 + 2 * y + 1;
                    uint8_t expected[16] = {0};
                    convert_slowly(&from, &to, rig->memory + place_of_element(rig, &src, from.sample_B, src_x, src_y),
                                   expected, is_half);
                    assert_memory_equal(rig->memory + DST_AT + place_of_element(rig, &dst, to.sample_B, x + 4, y + 6),
                                        expected, to.sample_B);
                }
            }
            pairs++;
        }
    }
    assert_true(pairs > 800);
}

static void test_linear_filter(void **state)
{
    struct rig *rig = *state;
    const struct side src = {.format = 74, .tile = ADRENO_TILE_MODE_LINEAR, .pitch_B = 64}, dst = src;
    const int32_t from[4] = {0, 0, 3, 3}, to[4] = {0, 0, 7, 7};
    float *texels = (float *)rig->memory;
    for (unsigned i = 0; i < 4 * 16; i++)
        texels[i] = (float)(i % 16) * 3 + (float)(i / 16) * 7;
    set_destination(rig, &dst);
    set_source(rig, &src, 4, 4, true);
    set_coordinates(rig, from, to);
    SET(rig, RB_A2D_BLT_CNTL, .MASK = 15, .IFMT = ADRENO_IFMT_2D_FLOAT32);
    assert_true(adreno_rb_2d(rig->gpu));
    for (unsigned y = 0; y < 8; y++) {
        for (unsigned x = 0; x < 8; x++) {
            const float u = fminf(fmaxf(((float)x + 0.5f) / 2 - 0.5f, 0), 3),
                        v = fminf(fmaxf(((float)y + 0.5f) / 2 - 0.5f, 0), 3);
            float result;
            memcpy(&result, rig->memory + DST_AT + y * 64 + x * 4, sizeof(result));
            assert_true(fabsf(result - (3 * u + 7 * v)) < 1e-4f);
        }
    }
}

static void test_samples_are_averaged(void **state)
{
    struct rig *rig = *state;
    const struct side src = {.format = 48, .tile = ADRENO_TILE_MODE_TILE6_3, .samples_log2 = 2, .pitch_B = 64 * 16},
                      dst = {.format = 48, .tile = ADRENO_TILE_MODE_TILE6_3, .pitch_B = 256};
    const int32_t all[4] = {0, 0, 31, 31};
    rig_fill_random(rig, rig->memory, 64 * 16 * 32);
    set_destination(rig, &dst);
    set_source(rig, &src, 32, 32, false);
    set_coordinates(rig, all, all);
    SET(rig, RB_A2D_BLT_CNTL, .MASK = 15, .IFMT = ADRENO_IFMT_2D_UNORM8);
    assert_true(adreno_rb_2d(rig->gpu));
    for (uint32_t i = 0; i < 32 * 32; i++) {
        const uint8_t *from = rig->memory + place_of_element(rig, &src, 4, i % 32, i / 32);
        const uint8_t *to = rig->memory + DST_AT + place_of_element(rig, &dst, 4, i % 32, i / 32);
        for (unsigned c = 0; c < 4; c++) {
            const int sum = from[c] + from[4 + c] + from[8 + c] + from[12 + c];
            assert_true(abs(4 * to[c] - sum) <= 2);
        }
    }
}

/* A surface with flags holds the same texels, and flags that say so. */
static void test_flags(void **state)
{
    struct rig *rig = *state;
    const struct side dst = {.format = 48, .tile = ADRENO_TILE_MODE_TILE6_3, .pitch_B = 1024};
    const int32_t none[4] = {0}, rectangle[4] = {16, 4, 47, 11};
    memset(rig->memory, 0, MEMORY_B);
    set_destination(rig, &dst);
    rig->gpu->regs[ADRENO_REG_RB_A2D_DEST_BUFFER_INFO] |= 1u << 12;
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_FLAG_BUFFER_BASE, MEMORY_VA + FLAGS_AT);
    SET(rig, RB_A2D_DEST_FLAG_BUFFER_PITCH, .PITCH = 64);
    set_coordinates(rig, none, rectangle);
    SET(rig, RB_A2D_BLT_CNTL, .SOLID_COLOR = true, .MASK = 15, .IFMT = ADRENO_IFMT_2D_UNORM8);
    rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0] = 7;
    assert_true(adreno_rb_2d(rig->gpu));
    assert_int_equal(rig->memory[DST_AT + place_of_element(rig, &dst, 4, 47, 11)], 7);
    for (unsigned row = 0; row < 8; row++) {
        for (unsigned column = 0; column < 64; column++)
            assert_int_equal(rig->memory[FLAGS_AT + row * 64 + column],
                             row >= 1 && row <= 2 && column >= 1 && column <= 2 ? ADRENO_UBWC_PLAIN : 0);
    }
}

static void test_refusals(void **state)
{
    struct rig *rig = *state;
    const struct side dst = {.format = 48, .tile = ADRENO_TILE_MODE_LINEAR, .pitch_B = 256};
    const int32_t none[4] = {0}, rectangle[4] = {0, 0, 3, 3};
    set_destination(rig, &dst);
    set_coordinates(rig, none, rectangle);
    SET(rig, RB_A2D_BLT_CNTL, .SOLID_COLOR = true, .MASK = 7);
    assert_false(adreno_rb_2d(rig->gpu));
    assert_non_null(strstr(rig_stop, "mask"));
    SET(rig, RB_A2D_BLT_CNTL, .SOLID_COLOR = true, .MASK = 15);
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE, MEMORY_VA + MEMORY_B - 512);
    assert_false(adreno_rb_2d(rig->gpu));
    assert_non_null(strstr(rig_stop, "the 2D engine: write at 0x100800000"));
    SET(rig, RB_A2D_BLT_CNTL, .MASK = 15, .ROTATE = ADRENO_ROTATION_90);
    set_source(rig, &dst, 4, 4, false);
    assert_false(adreno_rb_2d(rig->gpu));
    assert_non_null(strstr(rig_stop, "quarter turns"));
}

/* Registers of any value: a result or a stop, never more. */
static void test_random_registers(void **state)
{
    struct rig *rig = *state;
    unsigned runs = 0;
    for (unsigned i = 0; i < 20000; i++) {
        struct adreno_rb_draw *draw = malloc(sizeof(*draw));
        for (uint32_t reg = 0x8800; reg < 0x8c30; reg++)
            rig->gpu->regs[reg] = rig_random(rig) << 8 ^ rig_random(rig);
        for (uint32_t reg = 0xb4c0; reg < 0xb4d0; reg++)
            rig->gpu->regs[reg] = rig_random(rig) << 8 ^ rig_random(rig);
        for (uint32_t reg = 0x8400; reg < 0x840c; reg++)
            rig->gpu->regs[reg] = (rig_random(rig) & 0x3f003f) | (rig_random(rig) & 0x3f00);
        /* Often enough to go on: what is mapped, and formats that are. */
        if (i % 4) {
            static const unsigned formats[] = {3, 15, 48, 50, 54, 98, 131, 145, 160, 179, 66};
            rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE, MEMORY_VA + (rig_random(rig) % MEMORY_B));
            rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_BASE, MEMORY_VA + (rig_random(rig) % MEMORY_B));
            rig_set_va(rig, ADRENO_REG_RB_RESOLVE_SYSTEM_BUFFER_BASE, MEMORY_VA + (rig_random(rig) % MEMORY_B));
            rig->gpu->regs[ADRENO_REG_RB_A2D_BLT_CNTL] |= 15u << 20;
            rig->gpu->regs[ADRENO_REG_RB_A2D_PIXEL_CNTL] = 0;
            rig->gpu->regs[ADRENO_REG_RB_RESOLVE_CNTL_0] = 0;
            SET(rig, RB_RESOLVE_CNTL_3, .BINW = 64, .BINH = 64);
            rig->gpu->regs[ADRENO_REG_RB_A2D_DEST_BUFFER_INFO] &= ~0xffu;
            rig->gpu->regs[ADRENO_REG_RB_A2D_DEST_BUFFER_INFO] |= formats[rig_random(rig) % ARRAY_SIZE(formats)];
            rig->gpu->regs[ADRENO_REG_TPL1_A2D_SRC_TEXTURE_INFO] &= ~0xffu;
            rig->gpu->regs[ADRENO_REG_TPL1_A2D_SRC_TEXTURE_INFO] |= formats[rig_random(rig) % ARRAY_SIZE(formats)];
        }
        rig_stop[0] = 0;
        const bool is_done = adreno_rb_2d(rig->gpu);
        assert_int_equal(is_done, rig_stop[0] == 0);
        runs += is_done;
        adreno_rb_blit_event(rig->gpu);
        adreno_rb_draw_init(draw, rig->gpu);
        free(draw);
    }
    assert_true(runs > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_channels_have_their_places, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_elements_are_where_tiling_says, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_fills, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_fill_by_macrotiles, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_fill_keeps_channels, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_copies_are_exact, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_copies_of_blocks, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_conversions_of_all_pairs, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_linear_filter, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_samples_are_averaged, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_flags, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_random_registers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
