/* Texels by integers: every format and swap, every layout, samples, buffers, GMEM, images that are written. */
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/table.h"
#include "adreno/model/ubwc/ubwc.h"
#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

/* ---- formats ---- */

/* Components from the lowest in memory on, by swap. */
static const uint8_t swaps[4][4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {3, 0, 1, 2}, {3, 2, 1, 0}};

static double number_of(const struct adreno_format *f, uint32_t bits, unsigned width)
{
    int32_t value = (int32_t)bits_sign_extend(bits, width);
    double most = (double)bits_mask(width), positive = (double)bits_mask(width - 1);
    switch (f->numeric) {
    case ADRENO_NUMERIC_UNORM:
        return (double)bits / most;
    case ADRENO_NUMERIC_SNORM:
        return fmax((double)value / positive, -1);
    case ADRENO_NUMERIC_UINT:
        return (double)bits;
    case ADRENO_NUMERIC_SINT:
        return (double)value;
    default:
        return width == 16 ? (double)half_to_float((uint16_t)bits) : (double)bits_float(bits);
    }
}

/* The components of a texel of whole channels, by the table of hardware formats alone. */
static void texel_of(const struct adreno_format *f, unsigned swap, const uint8_t *at, double out[4])
{
    unsigned bit = 0;
    const double absent[4] = {0, 0, 0, 1};
    memcpy(out, absent, sizeof(absent));
    for (unsigned i = 0; i < f->channels; i++) {
        unsigned name = f->is_alpha ? 3 : swaps[swap][i], width = f->widths[name % f->channels];
        uint64_t word = 0;
        if (f->channels == 4)
            width = f->widths[name];
        memcpy(&word, at + bit / 8, MIN2(8u, (f->block_bits + 7u) / 8 - bit / 8));
        if (!(f->is_x && name == 3))
            out[name] = number_of(f, (uint32_t)bits_get(word, bit % 8, width), width);
        bit += width;
    }
}

static bool is_whole(const struct adreno_format *f)
{
    bool is_small_float = f->numeric == ADRENO_NUMERIC_FLOAT && f->widths[0] != 16 && f->widths[0] != 32;
    return f->channels && !f->is_depth && !is_small_float && f->numeric != ADRENO_NUMERIC_EXP &&
           f->numeric != ADRENO_NUMERIC_FIXED && f->number != 12 && f->number != 19 && f->number < 150 &&
           !(f->widths[0] == 32 && (f->numeric == ADRENO_NUMERIC_UNORM || f->numeric == ADRENO_NUMERIC_SNORM));
}

static bool is_same_number(double expected, double got)
{
    return (isnan(expected) && isnan(got)) || fabs(expected - got) <= 1e-6 * fmax(1, fabs(expected)) || expected == got;
}

static void check_format(struct rig *rig, const struct adreno_format *f, unsigned swap)
{
    static const uint8_t swizzle[4] = {2, 3, 0, 1};
    uint8_t *at = rig->host + 4096;
    unsigned element_B = f->block_bits / 8u;
    struct adreno_desc_IMAGE desc = {.SWIZ_X = 2,
                                     .SWIZ_Y = 3,
                                     .SWIZ_W = 1,
                                     .FMT = f->number,
                                     .SWAP = swap,
                                     .WIDTH = RIG_LANES,
                                     .HEIGHT = 1,
                                     .PITCH = 4096,
                                     .TYPE = ADRENO_TEX_TYPE_2D,
                                     .BASE = RIG_VA + 4096,
                                     .DEPTH = 1};
    bool is_int = f->numeric == ADRENO_NUMERIC_UINT || f->numeric == ADRENO_NUMERIC_SINT;
    struct tpl1_request r = request_of(rig, TPL1_ISAM, is_int ? TPL1_U32 : TPL1_F32);
    for (unsigned i = 0; i < 4096; i++)
        at[i] = (uint8_t)rig_random();
    for (unsigned i = 0; i < RIG_LANES; i++)
        rig->regs[0][i] = i, rig->regs[1][i] = 0;
    bind(rig, 0, &desc);
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        double expected[4];
        texel_of(f, swap, at + i * element_B, expected);
        for (unsigned n = 0; n < 4; n++) {
            uint32_t bits = rig->regs[24 + n][i];
            double got = f->numeric == ADRENO_NUMERIC_UINT   ? (double)bits
                         : f->numeric == ADRENO_NUMERIC_SINT ? (double)(int32_t)bits
                                                             : (double)bits_float(bits);
            if (!is_same_number(expected[swizzle[n]], got))
                fail_msg("%s swap %u texel %u component %u: %.9g, not %.9g", f->name, swap, i, n, got,
                         expected[swizzle[n]]);
        }
    }
}

static void formats(void **state)
{
    unsigned checked = 0;
    for (unsigned i = 0; i < adreno_format_count; i++) {
        const struct adreno_format *f = &adreno_formats[i];
        if (!is_whole(f))
            continue;
        check_format(*state, f, 0);
        checked++;
        if (f->channels >= 3 && !f->is_x)
            check_format(*state, f, 1);
        if (f->channels == 4 && f->widths[0] != 10 && !f->is_x)
            check_format(*state, f, 2), check_format(*state, f, 3);
    }
    assert_int_equal(checked, 60);
}

/* Formats without plain channels, by the format of util/format. */
static void other_formats(void **state)
{
    static const struct {
        unsigned number;
        enum format format;
        bool is_srgb;
    } rows[] = {
        {53, FORMAT_E5B9G9R9_UFLOAT_PACK32},
        {66, FORMAT_B10G11R11_UFLOAT_PACK32},
        {48, FORMAT_R8G8B8A8_SRGB, true},
        {160, FORMAT_X8_D24_UNORM_PACK32},
        {171, FORMAT_EAC_R11G11_UNORM_BLOCK},
        {174, FORMAT_EAC_R11_SNORM_BLOCK},
        {176, FORMAT_ETC2_R8G8B8_SRGB_BLOCK, true},
        {177, FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK},
        {178, FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK},
        {179, FORMAT_BC1_RGBA_UNORM_BLOCK},
        {181, FORMAT_BC3_SRGB_BLOCK, true},
        {182, FORMAT_BC4_UNORM_BLOCK},
        {188, FORMAT_BC5_SNORM_BLOCK},
        {190, FORMAT_BC6H_UFLOAT_BLOCK},
        {192, FORMAT_BC7_UNORM_BLOCK},
        {193, FORMAT_ASTC_4x4_UNORM_BLOCK},
        {198, FORMAT_ASTC_8x5_UNORM_BLOCK},
        {206, FORMAT_ASTC_12x12_SRGB_BLOCK, true},
    };
    struct rig *rig = *state;
    for (unsigned n = 0; n < ARRAY_SIZE(rows); n++) {
        struct picture p;
        picture_init(rig, &p, rows[n].number, rows[n].format, ADRENO_TEX_TYPE_2D,
                     (struct adreno_surface_info){.width = 70, .height = 50, .levels = 3, .is_tiled = n % 2});
        p.desc.SRGB = rows[n].is_srgb;
        bind(rig, 0, &p.desc);
        struct tpl1_request r = request_of(rig, TPL1_ISAML, TPL1_F32);
        for (unsigned i = 0; i < RIG_LANES; i++) {
            rig->regs[16][i] = i % 3;
            rig->regs[0][i] = rig_random() % (70u >> i % 3);
            rig->regs[1][i] = rig_random() % (50u >> i % 3);
        }
        run(rig, &r);
        for (unsigned i = 0; i < RIG_LANES; i++) {
            double expected[4];
            picture_texel(&p, rig->regs[0][i], rig->regs[1][i], 0, i % 3, expected);
            for (unsigned c = 0; c < 4; c++) {
                if (!is_same_number(expected[c], (double)row_f(rig, 24 + c)[i]))
                    fail_msg("format %u, lane %u: %g, not %g", rows[n].number, i, (double)row_f(rig, 24 + c)[i],
                             expected[c]);
            }
        }
    }
}

/* Alpha is the lowest bit of 1_5_5_5, whatever the swap; stencil is the second integer of depth with stencil. */
static void odd_formats(void **state)
{
    struct rig *rig = *state;
    uint32_t word = 0x00008c43 | 0xab120000; /* 10001 10001 00001 1 */
    memcpy(rig->host + 8192, &word, 4);
    struct adreno_desc_IMAGE desc = {.SWIZ_Y = 1,
                                     .SWIZ_Z = 2,
                                     .SWIZ_W = 3,
                                     .FMT = 12,
                                     .SWAP = ADRENO_COLOR_SWAP_WXYZ,
                                     .WIDTH = 1,
                                     .HEIGHT = 1,
                                     .PITCH = 64,
                                     .TYPE = ADRENO_TEX_TYPE_2D,
                                     .BASE = RIG_VA + 8192,
                                     .DEPTH = 1};
    struct tpl1_request r = request_of(rig, TPL1_ISAM, TPL1_F32);
    memset(rig->regs, 0, sizeof(rig->regs));
    bind(rig, 0, &desc);
    run(rig, &r);
    assert_true(row_f(rig, 24)[0] == 17.0f / 31 && row_f(rig, 25)[0] == 17.0f / 31 && row_f(rig, 26)[0] == 1.0f / 31 &&
                row_f(rig, 27)[0] == 1);
    desc.FMT = 234;
    desc.SWAP = ADRENO_COLOR_SWAP_WZYX;
    r.type = TPL1_U32;
    bind(rig, 0, &desc);
    run(rig, &r);
    assert_int_equal(rig->regs[24][0], 0x128c43);
    assert_int_equal(rig->regs[25][0], 0xab);
}

/* ---- layouts ---- */

static void check_levels(struct rig *rig, const struct picture *p, const struct adreno_desc_IMAGE *desc, unsigned base)
{
    struct tpl1_request r = request_of(rig, TPL1_ISAML, TPL1_U32);
    bool is_volume = p->info.is_volume;
    r.is_3d = is_volume;
    r.is_array = !is_volume;
    bind(rig, 0, desc);
    for (unsigned round = 0; round < 40; round++) {
        uint32_t z[RIG_LANES];
        for (unsigned i = 0; i < RIG_LANES; i++) {
            unsigned level = rig_random() % (p->info.levels - base);
            rig->regs[16][i] = level;
            rig->regs[0][i] = rig_random() % MAX2(p->info.width >> (base + level), 1u);
            rig->regs[1][i] = rig_random() % MAX2(p->info.height >> (base + level), 1u);
            z[i] = rig_random() % (is_volume ? MAX2(p->info.depth >> (base + level), 1u) : p->info.layers);
            rig->regs[2][i] = z[i];
        }
        run(rig, &r);
        for (unsigned i = 0; i < RIG_LANES; i++) {
            uint32_t expected = 0;
            memcpy(&expected, picture_at(p, rig->regs[0][i], rig->regs[1][i], z[i], base + rig->regs[16][i], 0),
                   p->info.block_B);
            if (expected != rig->regs[24][i])
                fail_msg("%ux%u level %u (%u, %u, %u): %x, not %x", p->info.width, p->info.height, rig->regs[16][i],
                         rig->regs[0][i], rig->regs[1][i], z[i], rig->regs[24][i], expected);
        }
    }
}

/* Levels, layers and slices are where the layout has them; so they are in a view that begins at a higher level. */
static void layouts(void **state)
{
    static const struct {
        unsigned number;
        enum format format;
    } sizes[] = {{5, FORMAT_R8_UINT}, {24, FORMAT_R16_UINT}, {17, FORMAT_R8G8_UINT}, {75, FORMAT_R32_UINT}};
    struct rig *rig = *state;
    for (unsigned n = 0; n < 48; n++) {
        struct picture p;
        struct adreno_surface_info info = {.width = 17 + rig_random() % 200,
                                           .height = 9 + rig_random() % 120,
                                           .levels = 1 + n % 5,
                                           .is_tiled = n % 8 < 5,
                                           .has_ubwc = n % 8 == 4};
        info.is_volume = n % 3 == 2 && !info.has_ubwc;
        info.is_two_bytes = sizes[n % 4].number == 17;
        if (sizes[n % 4].number == 17)
            continue; /* their texels are two components: the layout is 24's but for its rows */
        if (info.is_volume)
            info.depth = 1 + rig_random() % 20;
        else
            info.layers = 1 + rig_random() % 5;
        rig->next_B = 0;
        picture_init(rig, &p, sizes[n % 4].number, sizes[n % 4].format,
                     info.is_volume ? ADRENO_TEX_TYPE_3D : ADRENO_TEX_TYPE_2D, info);
        check_levels(rig, &p, &p.desc, 0);
        if (p.info.levels < 3)
            continue;
        const struct adreno_surface_level *first = &p.surface.levels[1];
        p.desc.BASE = p.va + first->offset_B;
        p.desc.PITCH = first->pitch_B;
        p.desc.WIDTH = info.width >> 1;
        p.desc.HEIGHT = info.height >> 1;
        p.desc.MIPLVLS--;
        p.desc.TILE_MODE = first->is_tiled ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR;
        if (info.is_volume) {
            p.desc.DEPTH = MAX2(info.depth >> 1, 1u);
            p.desc.ARRAY_PITCH = first->slice_B;
        }
        check_levels(rig, &p, &p.desc, 1);
    }
}

static void samples(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 75, FORMAT_R32_UINT, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 40, .height = 30, .samples = 4, .layers = 2, .is_tiled = true});
    bind(rig, 0, &p.desc);
    struct tpl1_request r = request_of(rig, TPL1_ISAMM, TPL1_U32);
    r.is_array = true;
    for (unsigned i = 0; i < RIG_LANES; i++) {
        rig->regs[0][i] = rig_random() % 40;
        rig->regs[1][i] = rig_random() % 30;
        rig->regs[2][i] = i % 2;
        rig->regs[3][i] = i % 5; /* there is no fifth */
    }
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        uint32_t expected = 0;
        if (i % 5 < 4)
            memcpy(&expected, picture_at(&p, rig->regs[0][i], rig->regs[1][i], i % 2, 0, i % 5), 4);
        assert_int_equal(rig->regs[24][i], expected);
    }
}

/* A texel outside is zero; a component that the format lacks stays what it always is. */
static void outside(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 74, FORMAT_R32_SFLOAT, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 40, .height = 30, .is_tiled = true});
    bind(rig, 0, &p.desc);
    struct tpl1_request r = request_of(rig, TPL1_ISAM, TPL1_F32);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        rig->regs[0][i] = i % 2 ? 40 : UINT32_MAX;
        rig->regs[1][i] = 3;
        rig->regs[24][i] = 77;
    }
    r.active = lane_mask_without(r.active, 5);
    r.wrmask = 9;
    rig->regs[25][0] = 88;
    run(rig, &r);
    assert_int_equal(rig->regs[24][0], 0);
    assert_int_equal(rig->regs[24][5], 77); /* not active */
    assert_int_equal(rig->regs[25][0], 88); /* not in the mask */
    assert_true(row_f(rig, 27)[1] == 1);
    memset(rig->textures[0], 0, sizeof(rig->textures[0])); /* no image at all */
    run(rig, &r);
    assert_int_equal(rig->regs[24][0], 0);
}

static void buffers(void **state)
{
    struct rig *rig = *state;
    const uint32_t first_B = 4096 + 6;
    struct adreno_desc_BUFFER desc = {.FMT = 24,
                                      .NUM_ELEMENTS = 50,
                                      .STRUCTSIZETEXELS = 1,
                                      .STARTOFFSETTEXELS = 3,
                                      .TYPE = ADRENO_TEX_TYPE_BUFFER,
                                      .BASE = RIG_VA + 4096};
    for (unsigned i = 0; i < 4096; i++)
        rig->host[4096 + i] = (uint8_t)rig_random();
    adreno_pack_desc_BUFFER(rig->textures[0], &desc);
    /* Elements of the format. */
    struct tpl1_request r = request_of(rig, TPL1_ISAM, TPL1_U32);
    for (unsigned i = 0; i < RIG_LANES; i++)
        rig->regs[0][i] = i, rig->regs[1][i] = 0;
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        uint16_t expected = 0;
        if (i < 50)
            memcpy(&expected, rig->host + first_B + i * 2, 2);
        assert_int_equal(rig->regs[24][i], expected);
    }
    /* Dwords that follow each other, of the same descriptor; the last ones are outside. */
    r.is_vector = r.is_1d = r.has_immediate = true;
    r.immediate = 2;
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        for (unsigned n = 0; n < 4; n++) {
            uint32_t expected = 0;
            if (i + 2 + n < 25)
                memcpy(&expected, rig->host + first_B + (i + 2 + n) * 4, 4);
            assert_int_equal(rig->regs[24 + n][i], expected);
        }
    }
    /* The number of them. */
    r = request_of(rig, TPL1_GETBUF, TPL1_U32);
    run(rig, &r);
    assert_int_equal(rig->regs[24][77], 50);
}

/* A result may take the register that its coordinate lies in: all of its components are of the old coordinate. */
static void buffers_in_place(void **state)
{
    struct rig *rig = *state;
    static const struct {
        enum tpl1_type type;
        unsigned size_B;
    } types[] = {{TPL1_U16, 2}, {TPL1_U32, 4}};
    struct adreno_desc_BUFFER desc = {
        .FMT = 24, .NUM_ELEMENTS = 1024, .STRUCTSIZETEXELS = 1, .TYPE = ADRENO_TEX_TYPE_BUFFER, .BASE = RIG_VA + 4096};
    for (unsigned i = 0; i < 4096; i++)
        rig->host[4096 + i] = (uint8_t)rig_random();
    adreno_pack_desc_BUFFER(rig->textures[0], &desc);
    for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
        struct tpl1_request r = request_of(rig, TPL1_ISAM, types[t].type);
        const bool is_half = types[t].size_B == 2;
        r.is_vector = r.is_1d = true;
        r.wrmask = 7;
        r.dst = r.src0;
        r.dst.is_half = is_half;
        for (unsigned i = 0; i < RIG_LANES; i++)
            rig->regs[0][i] = i * 3;
        run(rig, &r);
        for (unsigned i = 0; i < RIG_LANES; i++) {
            for (unsigned n = 0; n < 3; n++) {
                const uint32_t got = is_half ? rig->regs[n / 2][i] >> n % 2 * 16 & 0xffff : rig->regs[n][i];
                uint32_t expected = 0;
                memcpy(&expected, rig->host + 4096 + (i * 3 + n) * types[t].size_B, types[t].size_B);
                assert_int_equal(got, expected);
            }
        }
    }
}

static void gmem(void **state)
{
    struct rig *rig = *state;
    rig->state.gmem = calloc(1, rig->state.chip->gmem_size_B);
    rig->state.window_x = 64;
    rig->state.window_y = 32;
    rig->state.bin_height = 48;
    for (unsigned i = 0; i < rig->state.chip->gmem_size_B; i++)
        rig->state.gmem[i] = (uint8_t)rig_random();
    struct adreno_desc_IMAGE desc = {.TILE_MODE = ADRENO_TILE_MODE_TILE6_2,
                                     .FMT = 75,
                                     .WIDTH = 200,
                                     .HEIGHT = 100,
                                     .PITCH = 96 * 4,
                                     .TYPE = ADRENO_TEX_TYPE_2D,
                                     .BASE = rig->state.chip->gmem_base + 8192,
                                     .DEPTH = 1};
    struct tpl1_request r = request_of(rig, TPL1_ISAM, TPL1_U32);
    bind(rig, 0, &desc);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        rig->regs[0][i] = 64 + rig_random() % 96;
        rig->regs[1][i] = 32 + rig_random() % 48;
    }
    run(rig, &r);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        uint32_t expected;
        memcpy(&expected, rig->state.gmem + 8192 + (rig->regs[1][i] - 32) * 96 * 4 + (rig->regs[0][i] - 64) * 4, 4);
        assert_int_equal(rig->regs[24][i], expected);
    }
    free(rig->state.gmem);
}

/* ---- images that are written ---- */

static void stores(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 48, FORMAT_R8G8B8A8_UNORM, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 64, .height = 32, .layers = 2, .is_tiled = true});
    bind(rig, 0, &p.desc);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        rig->regs[0][i] = i % 65; /* one of them is outside */
        rig->regs[1][i] = i / 65;
        rig->regs[2][i] = 1;
        for (unsigned n = 0; n < 4; n++)
            row_f(rig, 8 + n)[i] = (float)(rig_random() & 255) / 255;
    }
    struct tpl1_access access = {.words = rig->textures[0],
                                 .type = TPL1_F32,
                                 .coordinates = 3,
                                 .components = 4,
                                 .is_typed = true,
                                 .lanes = RIG_LANES,
                                 .active = lane_mask_first(RIG_LANES),
                                 .coord = {.row = rig->regs[0], .stride_dw = RIG_LANES},
                                 .data = {.row = rig->regs[8], .stride_dw = RIG_LANES}};
    assert_true(adreno_tpl1_store(rig->tpl1, &rig->state, &access));
    access.data.row = rig->regs[24];
    assert_true(adreno_tpl1_load(rig->tpl1, &rig->state, &access));
    for (unsigned i = 0; i < RIG_LANES; i++) {
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(rig->regs[24 + n][i], i == 64 ? 0 : rig->regs[8 + n][i]);
        if (i != 64)
            assert_int_equal(picture_at(&p, i % 65, i / 65, 1, 0, 0)[2], lrintf(row_f(rig, 10)[i] * 255));
    }
    uint8_t *at[LANE_MASK_LANES];
    assert_true(adreno_tpl1_locate(rig->tpl1, &rig->state, &access, 4, at));
    assert_null(at[64]);
    assert_ptr_equal(at[70], picture_at(&p, 5, 1, 1, 0, 0));
    uint32_t size[3];
    assert_true(adreno_tpl1_size(rig->tpl1, &rig->state, rig->textures[0], size));
    assert_true(size[0] == 64 && size[1] == 32 && size[2] == 2);
    p.desc.TYPE = ADRENO_TEX_TYPE_1D;
    bind(rig, 0, &p.desc);
    assert_true(adreno_tpl1_size(rig->tpl1, &rig->state, rig->textures[0], size));
    assert_true(size[0] == 64 && size[1] == 2);
}

/* A store marks the flags of the blocks that it writes, and no others. */
static void flags(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(
        rig, &p, 75, FORMAT_R32_UINT, ADRENO_TEX_TYPE_2D,
        (struct adreno_surface_info){.width = 64, .height = 32, .layers = 2, .is_tiled = true, .has_ubwc = true});
    assert_true(p.surface.has_ubwc);
    const struct adreno_surface_level *level = &p.surface.levels[0];
    p.desc.FLAG_BUFFER = p.va + level->flag_offset_B;
    p.desc.FLAG_BUFFER_PITCH = level->flag_pitch_B;
    p.desc.FLAG_BUFFER_ARRAY_PITCH = (uint32_t)p.surface.flag_layer_B / 4;
    bind(rig, 0, &p.desc);
    memset(p.host, 0x77, p.surface.flag_layer_B * 2);
    for (unsigned i = 0; i < RIG_LANES; i++)
        rig->regs[0][i] = 40, rig->regs[1][i] = 17, rig->regs[2][i] = 1, rig->regs[8][i] = 5;
    struct tpl1_access access = {.words = rig->textures[0],
                                 .type = TPL1_U32,
                                 .coordinates = 3,
                                 .components = 1,
                                 .is_typed = true,
                                 .lanes = RIG_LANES,
                                 .active = lane_mask_first(RIG_LANES),
                                 .coord = {.row = rig->regs[0], .stride_dw = RIG_LANES},
                                 .data = {.row = rig->regs[8], .stride_dw = RIG_LANES}};
    assert_true(adreno_tpl1_store(rig->tpl1, &rig->state, &access));
    for (uint64_t i = 0; i < p.surface.flag_layer_B * 2; i++) {
        bool is_marked = i == p.surface.flag_layer_B + 17 / 4 * level->flag_pitch_B + 40 / 16;
        assert_int_equal(p.host[i], is_marked ? 1 : 0x77);
    }
}

/* Macrotiles of one colour, of any level and layer, are seen as such; and in views that begin at a later level, whose
 * size alone does not say how large the flags of levels are. */
static void check_marks(struct rig *rig, uint32_t width, uint32_t height, uint32_t levels, unsigned base)
{
    struct picture p;
    rig->next_B = 0; /* the last one is gone */
    const uint8_t color[ADRENO_UBWC_COLOR_B] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4};
    picture_init(rig, &p, 75, FORMAT_R32_UINT, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = width,
                                              .height = height,
                                              .layers = 2,
                                              .levels = levels,
                                              .is_tiled = true,
                                              .has_ubwc = true});
    const struct adreno_surface_level *first = &p.surface.levels[base];
    memset(p.host, ADRENO_UBWC_PLAIN, p.surface.flag_layer_B * 2);
    for (unsigned i = base; i < levels && p.surface.levels[i].is_tiled; i++) {
        const struct adreno_surface_level *level = &p.surface.levels[i];
        const struct adreno_tile tile = adreno_tile_init(p.chip, 4, level->pitch_B);
        for (uint32_t layer = 0; layer < 2; layer++) {
            const struct adreno_ubwc ubwc = {.space = &rig->space,
                                             .tile = &tile,
                                             .texels_va = p.va + level->offset_B + layer * p.surface.layer_B,
                                             .flags_va = p.va + level->flag_offset_B + layer * p.surface.flag_layer_B,
                                             .flag_pitch_B = level->flag_pitch_B};
            assert_true(adreno_ubwc_has_marks(&ubwc, 4, 4, 2));
            assert_true(adreno_ubwc_mark(&ubwc, p.host + (ubwc.texels_va - p.va), 0, 1, 0, 1, color));
        }
    }
    p.desc.BASE = p.va + first->offset_B;
    p.desc.WIDTH = MAX2(width >> base, 1u);
    p.desc.HEIGHT = MAX2(height >> base, 1u);
    p.desc.PITCH = first->pitch_B;
    p.desc.MIPLVLS = levels - 1 - base;
    p.desc.FLAG_BUFFER = p.va + first->flag_offset_B;
    p.desc.FLAG_BUFFER_PITCH = first->flag_pitch_B;
    p.desc.FLAG_BUFFER_ARRAY_PITCH = (uint32_t)p.surface.flag_layer_B / 4;
    rig->state.ubwc_changes++;
    check_levels(rig, &p, &p.desc, base);
    for (unsigned i = base; i < levels && p.surface.levels[i].is_tiled; i++) {
        for (uint32_t layer = 0; layer < 2; layer++)
            if (memcmp(picture_at(&p, 3, 1, layer, i, 0), color, 4))
                fail_msg("%ux%u from level %u: level %u of layer %u", width, height, base, i, layer);
    }
    assert_int_equal(p.host[first->flag_offset_B], ADRENO_UBWC_PLAIN);
}

static void marks(void **state)
{
    struct rig *rig = *state;
    for (unsigned base = 0; base < 3; base++) {
        check_marks(rig, 256, 256, 6, base);
        check_marks(rig, 300, 257, 6, base);
        check_marks(rig, 2100, 1027, 4, base);
    }
    check_marks(rig, 700, 300, 1, 0);
}

/* Halves in half registers; elements without a format. */
static void untyped(void **state)
{
    struct rig *rig = *state;
    struct adreno_desc_BUFFER desc = {
        .FMT = 24, .NUM_ELEMENTS = 200, .STRUCTSIZETEXELS = 1, .TYPE = ADRENO_TEX_TYPE_BUFFER, .BASE = RIG_VA + 4096};
    adreno_pack_desc_BUFFER(rig->textures[0], &desc);
    memset(rig->host + 4096, 0xee, 4096);
    for (unsigned i = 0; i < RIG_LANES; i++) {
        rig->regs[0][i] = i * 2;
        rig->regs[8][i] = i * 0x10001u + 0x70000;
    }
    struct tpl1_access access = {.words = rig->textures[0],
                                 .type = TPL1_U16,
                                 .coordinates = 1,
                                 .components = 2,
                                 .lanes = RIG_LANES,
                                 .active = lane_mask_first(RIG_LANES),
                                 .coord = {.row = rig->regs[0], .stride_dw = RIG_LANES},
                                 .data = {.row = rig->regs[8], .stride_dw = RIG_LANES, .is_half = true}};
    assert_true(adreno_tpl1_store(rig->tpl1, &rig->state, &access));
    for (unsigned i = 0; i < RIG_LANES; i++) {
        uint32_t word;
        memcpy(&word, rig->host + 4096 + i * 4, 4);
        assert_int_equal(word, i < 100 ? i * 0x10001u + 0x70000 : 0xeeeeeeee);
    }
    access.data = (struct tpl1_rows){.row = rig->regs[24], .stride_dw = RIG_LANES, .is_half = true, .is_high = true};
    memset(rig->regs[24], 0, 2 * sizeof(rig->regs[24]));
    assert_true(adreno_tpl1_load(rig->tpl1, &rig->state, &access));
    assert_int_equal(rig->regs[24][9], 9u << 16);
    assert_int_equal(rig->regs[25][9], 16);
}

/* ---- what stops ---- */

static void stops(void **state)
{
    struct rig *rig = *state;
    struct picture p;
    picture_init(rig, &p, 75, FORMAT_R32_UINT, ADRENO_TEX_TYPE_2D,
                 (struct adreno_surface_info){.width = 40, .height = 30});
    struct tpl1_request r = request_of(rig, TPL1_ISAM, TPL1_U32);
    memset(rig->regs, 0, sizeof(rig->regs));
    p.desc.FMT = 77;
    bind(rig, 0, &p.desc);
    assert_false(adreno_tpl1_run(rig->tpl1, &rig->state, &r));
    assert_non_null(strstr(adreno_tpl1_problem(rig->tpl1), "FMT=32_FIXED"));
    uint64_t va;
    assert_false(adreno_tpl1_fault(rig->tpl1, &va));
    p.desc.FMT = 75;
    p.desc.BASE = 0x1000;
    bind(rig, 0, &p.desc);
    assert_false(adreno_tpl1_run(rig->tpl1, &rig->state, &r));
    assert_true(adreno_tpl1_fault(rig->tpl1, &va));
    assert_int_equal(va, 0x1000);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(formats, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(other_formats, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(odd_formats, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(layouts, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(samples, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(outside, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(buffers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(buffers_in_place, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(gmem, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(stores, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(flags, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(marks, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(untyped, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(stops, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests_name("tpl1_load", tests, NULL, NULL);
}
