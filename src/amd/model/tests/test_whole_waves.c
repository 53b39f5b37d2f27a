/* Fast paths of whole waves beside the slow path: an instruction whose lanes are all active, against the same with its
 * lanes by turns, half of them at a time, which no fast path takes. Squares of texels, rows of dwords, 16 bytes per
 * lane. */
#include "ta_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "amd/hw/tiling/meta.h"
#include "util/bits.h"
#include "util/tests/host_level_test.h"

#define DATA 10 /* the first VGPR of data */
#define MAX_DWORDS 4

static void run(struct rig *rig, const char *text, uint64_t exec)
{
    rig_lanes(rig, rig->wave->lanes, exec);
    if (!rig_run(rig, text))
        fail_msg("%s: %s", text, rig->wave->fault.why);
}

/* Both halves of a wave, lanes of each far from each other. */
static void run_halves(struct rig *rig, const char *text)
{
    run(rig, text, 0x5a5a5a5a5a5a5a5aull);
    run(rig, text, ~0x5a5a5a5a5a5a5a5aull);
}

static void random_data(struct rig *rig)
{
    for (unsigned row = 0; row < MAX_DWORDS; row++) {
        for (unsigned i = 0; i < rig->wave->lanes; i++)
            rig_row(rig, DATA + row)[i] = rig_random(rig) >> (rig_random(rig) % 32);
    }
}

static void check_load(struct rig *rig, const char *text, const char *what)
{
    uint32_t rows[MAX_DWORDS][64];
    size_t row_B = rig->wave->lanes * 4;
    random_data(rig);
    run(rig, text, UINT64_MAX);
    for (unsigned n = 0; n < MAX_DWORDS; n++)
        memcpy(rows[n], rig_row(rig, DATA + n), row_B);
    run_halves(rig, text);
    for (unsigned n = 0; n < MAX_DWORDS; n++) {
        for (unsigned i = 0; i < rig->wave->lanes; i++) {
            if (rows[n][i] != rig_row(rig, DATA + n)[i])
                fail_msg("%s: %s: v%u of lane %u is %08x, not %08x", what, text, DATA + n, i, rows[n][i],
                         rig_row(rig, DATA + n)[i]);
        }
    }
}

static void check_store(struct rig *rig, const char *text, uint8_t *memory, size_t size_B, const char *what)
{
    uint8_t *before = malloc(size_B), *whole = malloc(size_B);
    assert_true(before && whole);
    memcpy(before, memory, size_B);
    random_data(rig);
    run(rig, text, UINT64_MAX);
    memcpy(whole, memory, size_B);
    memcpy(memory, before, size_B);
    run_halves(rig, text);
    if (memcmp(whole, memory, size_B) != 0)
        fail_msg("%s: %s: other bytes", what, text);
    if (memcmp(whole, before, size_B) == 0)
        fail_msg("%s: %s: stored nothing", what, text);
    free(before);
    free(whole);
}

/* ---- images ---- */

static const struct {
    unsigned number;
    enum format format;
    const char *load, *store;
} texels[] = {
    {5, FORMAT_R8_UINT, "image_load v10", "image_store v10"},
    {11, FORMAT_R16_UINT, "image_load v10", "image_store v10"},
    {20, FORMAT_R32_UINT, "image_load v10", "image_store v10"},
    {22, FORMAT_R32_SFLOAT, "image_load v10", "image_store v10"},
    {60, FORMAT_R8G8B8A8_UINT, "image_load v[10:13]", "image_store v[10:13]"},
    {56, FORMAT_R8G8B8A8_UNORM, "image_load v[10:13]", "image_store v[10:13]"},
    {62, FORMAT_R32G32_UINT, "image_load v[10:11]", "image_store v[10:11]"},
    {69, FORMAT_R16G16B16A16_UINT, "image_load v[10:13]", "image_store v[10:13]"},
    {75, FORMAT_R32G32B32A32_UINT, "image_load v[10:13]", "image_store v[10:13]"},
};

static unsigned dmask_of(unsigned n)
{
    return strstr(texels[n].load, "10:13") ? 0xf : strstr(texels[n].load, "10:11") ? 3 : 1;
}

/* In rows, or in quads as pixel shaders have them. */
static void put_square(struct rig *rig, uint32_t x, uint32_t y, uint32_t z)
{
    bool by_quads = rig_random(rig) % 2;
    for (unsigned i = 0; i < rig->wave->lanes; i++) {
        rig_row(rig, 0)[i] = x + (by_quads ? i / 4 % 4 * 2 + i % 2 : i % 8);
        rig_row(rig, 1)[i] = y + (by_quads ? i / 16 * 2 + i / 2 % 2 : i / 8);
        rig_row(rig, 2)[i] = z;
    }
}

static void check_squares(struct rig *rig, struct picture *p, unsigned n, bool stores, const char *what)
{
    const char *dim = p->is_3d ? "SQ_RSRC_IMG_3D" : "SQ_RSRC_IMG_2D_ARRAY";
    char load[128], store[128];
    snprintf(load, sizeof(load), "%s, v[0:2], s[0:7] dmask:%#x dim:%s unorm", texels[n].load, dmask_of(n), dim);
    snprintf(store, sizeof(store), "%s, v[0:2], s[0:7] dmask:%#x dim:%s unorm", texels[n].store, dmask_of(n), dim);
    for (unsigned round = 0; round < 8; round++) {
        unsigned level = rig_random(rig) % p->levels;
        uint32_t layers = p->is_3d ? MAX2(p->depth >> level, 1u) : p->depth;
        p->desc.BASE_LEVEL = p->desc.LAST_LEVEL = level;
        picture_bind(rig, p);
        rig_lanes(rig, round % 2 ? 32 : 64, UINT64_MAX);
        put_square(rig, rig_random(rig) % picture_width(p, level) & ~7u,
                   rig_random(rig) % picture_height(p, level) & ~(round % 2 ? 3u : 7u), rig_random(rig) % layers);
        check_load(rig, load, what);
        if (stores && rig_row(rig, 0)[0] + 8 <= picture_width(p, level))
            check_store(rig, store, p->bytes, p->surface.size_B, what);
    }
}

/* All modes, element sizes, levels with a tail, layers and slices; edges, where a square is not whole. */
static void squares_of_texels(void **state)
{
    struct rig *rig = *state;
    const uint64_t used_B = rig->used_B;
    unsigned ran = 0;
    for (unsigned swizzle = 0; swizzle < 32; swizzle++) {
        for (unsigned n = 0; n < 2 * ARRAY_SIZE(texels); n++) {
            unsigned texel = n / 2;
            bool is_3d = n % 2;
            const struct amd_surface_desc desc = {.swizzle = (enum amd_swizzle)swizzle,
                                                  .dim = is_3d ? AMD_DIM_3D : AMD_DIM_2D,
                                                  .width = 100,
                                                  .height = 44,
                                                  .slices = 5,
                                                  .block_w = 1,
                                                  .block_h = 1,
                                                  .element_B = format_info(texels[texel].format)->block_size_B,
                                                  .samples = 1,
                                                  .levels = swizzle == 0 ? 1 : 3};
            struct amd_tiling_config config;
            struct amd_surface surface;
            struct picture p;
            char what[64];
            if (!amd_swizzle_info(desc.swizzle) || amd_surface_problem(&desc) ||
                !amd_tiling_config_init(&config, RIG_GB_ADDR_CONFIG) || !amd_surface_init(&surface, &config, &desc))
                continue; /* not every mode knows every size */
            ran++;
            snprintf(what, sizeof(what), "mode %u, %s, %s", swizzle, format_info(texels[texel].format)->name,
                     is_3d ? "3D" : "2D");
            picture_begin(rig, &p,
                          &(struct picture_desc){texels[texel].number, texels[texel].format,
                                                 is_3d ? AMD_IMG_TYPE_3D : AMD_IMG_TYPE_2D_ARRAY, swizzle, 100, 44, 5,
                                                 desc.levels});
            for (uint64_t i = 0; i < p.surface.size_B; i++)
                p.bytes[i] = (uint8_t)rig_random(rig);
            check_squares(rig, &p, texel, true, what);
            picture_end(&p);
            rig->used_B = used_B; /* the next one takes the same place */
        }
    }
    assert_true(ran >= 100);
}

/* Blocks that memory holds, that one element stands for, and that are cleared, side by side. */
static void squares_through_dcc(void **state)
{
    struct rig *rig = *state;
    static const uint8_t meanings[] = {0xff, 0x10, 0x00, 0x40, 0x80, 0xc0};
    static const unsigned swizzles[] = {27, 26, 25};
    for (unsigned round = 0; round < ARRAY_SIZE(swizzles) * ARRAY_SIZE(texels); round++) {
        unsigned texel = round % ARRAY_SIZE(texels), swizzle = swizzles[round / ARRAY_SIZE(texels)];
        struct amd_meta *meta = malloc(sizeof(*meta));
        struct picture p;
        uint64_t va;
        assert_non_null(meta);
        picture_begin(rig, &p,
                      &(struct picture_desc){texels[texel].number, texels[texel].format, AMD_IMG_TYPE_2D_ARRAY, swizzle,
                                             100, 44, 2, 1});
        if (amd_meta_init(meta, AMD_META_DCC, &p.surface, true) && meta->has_equation) {
            uint8_t *codes = rig_alloc(rig, meta->size_B, meta->align_B, &va);
            for (uint64_t i = 0; i < meta->size_B; i++)
                codes[i] = meanings[rig_random(rig) % ARRAY_SIZE(meanings)];
            for (uint64_t i = 0; i < p.surface.size_B; i++)
                p.bytes[i] = (uint8_t)rig_random(rig);
            p.desc.COMPRESSION_EN = p.desc.META_PIPE_ALIGNED = true;
            p.desc.META_ADDRESS = (va >> 8) & 0xffffffffff;
            p.desc.ALPHA_IS_ON_MSB = round % 2;
            for (unsigned n = 0; n < 4; n++)
                check_squares(rig, &p, texel, false, "DCC");
        }
        free(meta);
        picture_end(&p);
    }
}

/* The same of images with samples, as a resolve reads them: all lanes the same sample, or each its own. */
static void samples_through_dcc(void **state)
{
    struct rig *rig = *state;
    static const uint8_t meanings[] = {0xff, 0x10, 0x00, 0x40, 0x80, 0xc0};
    for (unsigned round = 0; round < 24; round++) {
        struct amd_meta *meta = malloc(sizeof(*meta));
        struct picture p;
        uint64_t va;
        assert_non_null(meta);
        picture_begin(rig, &p,
                      &(struct picture_desc){56, FORMAT_R8G8B8A8_UNORM, AMD_IMG_TYPE_2D_MSAA, 27, 100, 44, 1, 1,
                                             round % 2 ? 4 : 2});
        assert_true(amd_meta_init(meta, AMD_META_DCC, &p.surface, true) && meta->has_equation);
        uint8_t *codes = rig_alloc(rig, meta->size_B, meta->align_B, &va);
        for (uint64_t i = 0; i < meta->size_B; i++)
            codes[i] = round % 3 ? meanings[rig_random(rig) % ARRAY_SIZE(meanings)] : 0xff;
        for (uint64_t i = 0; i < p.surface.size_B; i++)
            p.bytes[i] = (uint8_t)rig_random(rig);
        p.desc.COMPRESSION_EN = p.desc.META_PIPE_ALIGNED = true;
        p.desc.META_ADDRESS = (va >> 8) & 0xffffffffff;
        picture_bind(rig, &p);
        for (unsigned n = 0; n < 16; n++) {
            rig_lanes(rig, n % 2 ? 32 : 64, UINT64_MAX);
            put_square(rig, rig_random(rig) % 100 & ~7u, rig_random(rig) % 44 & ~7u, rig_random(rig) % p.samples);
            for (unsigned i = 0; n % 5 == 4 && i < rig->wave->lanes; i++)
                rig_row(rig, 2)[i] = rig_random(rig) % (p.samples + 1);
            check_load(rig, "image_load v[10:13], v[0:2], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA unorm", "samples");
        }
        free(meta);
        picture_end(&p);
    }
}

/* ---- memory ---- */

/* Addresses of a wave: rows of eight neighbours, all neighbours, a page apart, or anywhere. */
static void put_offsets(struct rig *rig, unsigned vgpr, uint32_t size_B, unsigned kind, uint32_t room_B)
{
    uint32_t start = rig_random(rig) % 1024 & ~3u,
             pitch = (kind == 1 ? 4096 + 64 : 8 * size_B + (rig_random(rig) % 64) * 4);
    for (unsigned i = 0; i < rig->wave->lanes; i++) {
        uint32_t *at = &rig_row(rig, vgpr)[i];
        if (kind < 2)
            *at = start + i % 8 * size_B + i / 8 * pitch;
        else if (kind == 2)
            *at = start + i * size_B;
        else if (kind == 3)
            *at = (i * 29 % 64) * (room_B / 64) + start; /* scattered, none upon another */
        else
            *at = start + i / 8 * 4 * size_B + i % 8 * size_B; /* rows that overlap: the last lane's stays */
    }
}

static void rows_of_dwords(void **state)
{
    struct rig *rig = *state;
    enum {
        SIZE_B = 256 << 10
    };
    static const char *const names[] = {"dword", "dwordx2", "dwordx3", "dwordx4"};
    static const char *const data[] = {"v10", "v[10:11]", "v[10:12]", "v[10:13]"};
    uint64_t va;
    uint8_t *memory = rig_alloc(rig, SIZE_B, 4096, &va);
    for (uint64_t i = 0; i < SIZE_B; i++)
        memory[i] = (uint8_t)rig_random(rig);
    for (unsigned round = 0; round < 160; round++) {
        unsigned dwords = round % 4, kind = round / 4 % 5;
        bool has_base = round / 20 % 2, overlaps = kind == 4;
        char load[96], store[96];
        rig_lanes(rig, round / 40 % 2 ? 32 : 64, UINT64_MAX);
        put_offsets(rig, 0, (dwords + 1) * 4, kind, SIZE_B - 8192);
        rig->wave->sgpr[0] = (uint32_t)va;
        rig->wave->sgpr[1] = (uint32_t)(va >> 32);
        for (unsigned i = 0; i < rig->wave->lanes && !has_base; i++) {
            uint64_t at = va + rig_row(rig, 0)[i];
            rig_row(rig, 0)[i] = (uint32_t)at;
            rig_row(rig, 1)[i] = (uint32_t)(at >> 32);
        }
        const char *address = has_base ? "v0" : "v[0:1]", *base = has_base ? "s[0:1]" : "off";
        snprintf(load, sizeof(load), "global_load_%s %s, %s, %s offset:%u", names[dwords], data[dwords], address, base,
                 round % 7 * 4);
        snprintf(store, sizeof(store), "global_store_%s %s, %s, %s offset:%u", names[dwords], address, data[dwords],
                 base, round % 7 * 4);
        check_load(rig, load, "rows");
        if (!overlaps) /* halves of a wave write in another order */
            check_store(rig, store, memory, SIZE_B, "rows");
    }
}

/* Of lanes that write the same word, the last one's stays. */
static void last_lane_wins(void **state)
{
    struct rig *rig = *state;
    uint64_t va;
    uint32_t *memory = rig_alloc(rig, 4096, 4096, &va);
    rig->wave->sgpr[0] = (uint32_t)va;
    rig->wave->sgpr[1] = (uint32_t)(va >> 32);
    rig_lanes(rig, 64, UINT64_MAX);
    for (unsigned i = 0; i < 64; i++) {
        rig_row(rig, 0)[i] = (i / 8 * 4 + i % 8) * 16; /* half of a row upon the next */
        for (unsigned n = 0; n < 4; n++)
            rig_row(rig, DATA + n)[i] = i * 4 + n;
    }
    run(rig, "global_store_dwordx4 v0, v[10:13], s[0:1]", UINT64_MAX);
    for (unsigned piece = 0; piece < 36; piece++) {
        unsigned row = MIN2(piece / 4, 7u), lane = row * 8 + (piece - row * 4);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(memory[piece * 4 + n], lane * 4 + n);
    }
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(squares_of_texels, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(squares_through_dcc, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(samples_through_dcc, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(rows_of_dwords, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(last_lane_wins, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests_name("whole waves", tests, NULL, NULL);
}
