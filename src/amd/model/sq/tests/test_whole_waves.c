/* Fast paths of whole waves beside the slow path: an instruction whose lanes are all active, against the same with its
 * lanes by turns, half of them at a time, which no fast path takes. Squares of texels, rows of dwords, 16 bytes per
 * lane. */
#include "amd/model/texture/tests/ta_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "amd/hw/tiling/meta.h"
#include "amd/isa/asm.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_move.h"
#include "util/bits.h"
#include "util/tests/host_level_test.h"

#define DATA 10 /* the first VGPR of data */
#define MAX_DWORDS 4

static void run_program(struct rig *rig, const char *text, uint64_t exec)
{
    rig_lanes(rig, rig->wave->lanes, exec);
    if (!rig_run(rig, text))
        fail_msg("%s: %s", text, rig->wave->fault.why);
}

/* Both halves of a wave, lanes of each far from each other. */
static void run_halves(struct rig *rig, const char *text)
{
    run_program(rig, text, 0x5a5a5a5a5a5a5a5aull);
    run_program(rig, text, ~0x5a5a5a5a5a5a5a5aull);
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
    run_program(rig, text, UINT64_MAX);
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
    run_program(rig, text, UINT64_MAX);
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

/* Images with samples, as a resolve reads them: all lanes the same sample, or each its own. */
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
    run_program(rig, "global_store_dwordx4 v0, v[10:13], s[0:1]", UINT64_MAX);
    for (unsigned piece = 0; piece < 36; piece++) {
        unsigned row = MIN2(piece / 4, 7u), lane = row * 8 + (piece - row * 4);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(memory[piece * 4 + n], lane * 4 + n);
    }
}

/* ---- programs that only copy ---- */

enum {
    COPY_B = 256 << 10, /* half to read, half to write */
    COPY_LINES = 24,
    COPY_LINE_B = 96,
};

struct copy_program {
    char lines[COPY_LINES][COPY_LINE_B];
    unsigned count;
};

#define ADD_LINE(program, ...) snprintf((program)->lines[(program)->count++], COPY_LINE_B, __VA_ARGS__)

/* Loads of some registers, then their stores, with addresses that scalars change; v0 and v1 are offsets, s[0:1] and
 * s[2:3] addresses, s4 to s6 numbers, v[10:13] data that was there before. */
static void write_copy(struct rig *rig, struct copy_program *program)
{
    static const char *const names[] = {"dword", "dwordx2", "dwordx4"};
    const unsigned loads = 1 + rig_random(rig) % 5, size = rig_random(rig) % 3, dwords = 1u << size;
    const bool in_order = rig_random(rig) % 4 == 0; /* what is copied may be neighbours, then */
    program->count = 0;
    ADD_LINE(program, "s_xor_b32 s6, s4, s5");
    for (unsigned i = 0; i < loads; i++) {
        const char *address = "v0";
        if (!in_order && rig_random(rig) % 2) {
            ADD_LINE(program, rig_random(rig) % 2 ? "v_xor_b32 v2, s%u, v0" : "v_xor3_b32 v2, s%u, s5, v0",
                     4 + rig_random(rig) % 3);
            address = "v2";
        }
        ADD_LINE(program, "global_load_%s v[%u:%u], %s, s[0:1] offset:%u", names[size], 20 + 4 * i,
                 20 + 4 * i + dwords - 1, address, in_order ? i % 2 * rig->wave->lanes * 16 : rig_random(rig) % 4 * 16);
    }
    /* All that was loaded, in this order or the other; and what was there before. */
    const bool is_turned = rig_random(rig) % 2;
    for (unsigned n = 0, stores = loads + rig_random(rig) % 2; n < stores; n++) {
        const unsigned i = n < loads && is_turned ? loads - 1 - n : n;
        const char *address = "v1";
        if (!in_order && rig_random(rig) % 2) {
            ADD_LINE(program, "v_xor_b32 v3, 0x%x, v1", rig_random(rig) & 0x7f0);
            address = "v3";
        }
        unsigned data = i < loads ? 20 + 4 * i : 10;
        ADD_LINE(program, "global_store_%s %s, v[%u:%u], s[2:3] offset:%u", names[size], address, data,
                 data + dwords - 1, in_order ? i % 2 * rig->wave->lanes * 16 : rig_random(rig) % 4 * 16);
    }
}

/* The move of a program; NULL: it has none. */
static const struct sq_move *find_move(const struct sq_uop *uop)
{
    while (uop->run != amd_sq_uop_move && !(uop->inst && uop->inst->op == ISA_OP_S_ENDPGM))
        uop++;
    return uop->run == amd_sq_uop_move ? (const struct sq_move *)(uintptr_t)uop->target_va : NULL;
}

/* Whether the program is known as copies that need nothing but scalars. */
static bool is_copies(const struct sq_uop *uop)
{
    const struct sq_move *move = find_move(uop);
    return move && move->copy_count;
}

static bool run_copy(struct rig *rig, const struct copy_program *program, uint64_t code_va, uint32_t *code)
{
    char text[COPY_LINES * COPY_LINE_B + 16] = "";
    struct isa_asm_result result;
    for (unsigned i = 0; i < program->count; i++)
        strcat(strcat(text, program->lines[i]), "\n");
    strcat(text, "s_endpgm\n");
    if (!amd_isa_assemble(ISA_GFX10_3, rig->wave->lanes, text, strlen(text), &result))
        fail_msg("%s: %s", text, result.errors[0].message);
    memcpy(code, result.words, result.count_dw * 4);
    amd_isa_asm_finish(&result);
    amd_sq_code_validate(rig->code);
    rig_lanes(rig, rig->wave->lanes, UINT64_MAX);
    uint64_t host = lane_env_get();
    rig->wave->next = amd_sq_code_enter(rig->wave, code_va);
    const bool is_known = is_copies(rig->wave->next);
    sq_mode_enter(rig->wave);
    while (rig->wave->state == SQ_RUNNING) {
        const struct sq_uop *uop = rig->wave->next++;
        uop->run(rig->wave, uop);
    }
    lane_env_set(host);
    assert_int_equal(rig->wave->state, SQ_ENDED);
    return is_known;
}

/* Lanes as copies between rows and tiles have them: bits of a lane's number go to bits of offsets, in any order, so
 * that lines of 64 bytes on the one side are often spread over two or four on the other. */
static void put_tiles(struct rig *rig)
{
    const unsigned bits = rig->wave->lanes == 64 ? 6 : 5, kind = rig_random(rig) % 4;
    const uint32_t row_B = kind == 3 ? 1040 : 1024;
    uint32_t of_row[6], of_tile[6], next_row = row_B, next_tile = 64;
    /* Two pieces of a line to pieces of four lines, one to each of two, or at random. */
    for (unsigned i = 0; i < bits; i++) {
        const bool in_row = i < 2, in_tile = kind == 0   ? i == 2 || i == 3
                                             : kind == 1 ? i == 1 || i == 2
                                                         : rig_random(rig) % 2;
        of_row[i] = in_row ? 16u << i : next_row;
        next_row += in_row ? 0 : next_row;
        of_tile[i] = kind == 0   ? (in_tile ? 16u << (i - 2) : next_tile)
                     : kind == 1 ? (i == 0   ? 16u
                                    : i == 2 ? 32u
                                             : next_tile)
                                 : 16u << (i * 5 % bits);
        next_tile += of_tile[i] == next_tile ? next_tile : 0;
    }
    for (unsigned i = 0; i < rig->wave->lanes; i++) {
        rig_row(rig, 0)[i] = rig_row(rig, 1)[i] = 0;
        for (unsigned n = 0; n < bits; n++) {
            if (i >> (n * 5 % bits) & 1) {
                rig_row(rig, 0)[i] += of_row[n];
                rig_row(rig, 1)[i] ^= of_tile[n];
            }
        }
    }
    if (rig_random(rig) % 2) { /* from the tile */
        for (unsigned i = 0; i < rig->wave->lanes; i++) {
            const uint32_t other = rig_row(rig, 0)[i];
            rig_row(rig, 0)[i] = rig_row(rig, 1)[i];
            rig_row(rig, 1)[i] = other;
        }
    }
}

/* A program whose end is a move beside the same instructions one at a time, where it can be one and where what is
 * written was read. */
static void copies_as_moves(void **state)
{
    struct rig *rig = *state;
    uint64_t va, code_va;
    uint8_t *memory = rig_alloc(rig, COPY_B, 4096, &va), *before = malloc(COPY_B), *after = malloc(COPY_B);
    uint32_t *code = rig_alloc(rig, 8192, 4096, &code_va), moved = 0, known = 0;
    assert_true(before && after);
    for (unsigned round = 0; round < 800; round++) {
        struct copy_program program;
        const bool overlaps = round % 4 == 3;
        const uint64_t bases[2] = {va, overlaps ? va + rig_random(rig) % 512 * 16 : va + COPY_B / 2};
        rig_lanes(rig, round % 2 ? 32 : 64, UINT64_MAX);
        write_copy(rig, &program);
        put_offsets(rig, 0, 16, rig_random(rig) % 4, COPY_B / 4);
        put_offsets(rig, 1, 16, rig_random(rig) % 3, COPY_B / 4);
        const bool is_tile = rig_random(rig) % 2;
        if (is_tile)
            put_tiles(rig);
        random_data(rig);
        for (uint64_t i = 0; i < COPY_B; i++)
            before[i] = (uint8_t)rig_random(rig);
        memcpy(rig->wave->sgpr, bases, sizeof(bases));
        for (unsigned i = 4; i < 6; i++)
            rig->wave->sgpr[i] = rig_random(rig) & (is_tile ? 0x1fc0 : 0x1ff0);
        memcpy(memory, before, COPY_B);
        for (unsigned i = 0; i < program.count; i++)
            run_program(rig, program.lines[i], UINT64_MAX);
        memcpy(after, memory, COPY_B);
        memcpy(memory, before, COPY_B);
        memset(rig_row(rig, 20), 0x5a, rig->wave->lanes * 4);
        known += run_copy(rig, &program, code_va, code);
        for (uint64_t i = 0; i < COPY_B; i++) {
            if (memory[i] != after[i])
                fail_msg("round %u: byte %llu is %02x, not %02x", round, (unsigned long long)i, memory[i], after[i]);
        }
        moved += rig_row(rig, 20)[0] == 0x5a5a5a5a; /* nothing is loaded to registers then */
    }
    assert_true(moved >= 400 && moved < 800);
    assert_true(known >= 50);
    free(before);
    free(after);
}

/* Stores of the same 16 bytes in all lanes, to one address after the other: by lines, once these are known. Now and
 * then they write what the program has read, or go beyond the pages that were found. */
static void fills_as_moves(void **state)
{
    struct rig *rig = *state;
    uint64_t va, code_va;
    uint8_t *memory = rig_alloc(rig, COPY_B, 4096, &va), *after = malloc(COPY_B);
    uint32_t *code = rig_alloc(rig, 8192, 4096, &code_va);
    struct copy_program program = {.count = 0};
    bool by_lines = false;
    assert_true(after);
    ADD_LINE(&program, "global_load_dwordx4 v[20:23], v0, s[0:1]");
    for (unsigned i = 0; i < 8; i++)
        ADD_LINE(&program, "global_store_dwordx4 v1, v[10:13], s[%u:%u] offset:%u", i % 3 ? 2 : 4, i % 3 ? 3 : 5,
                 i * 64);
    for (unsigned round = 0; round < 64; round++) {
        const uint64_t bases[3] = {va + (round % 5 == 4 ? COPY_B / 2 : 0), va + COPY_B / 2,
                                   va + COPY_B / 2 + round % 7 * 4096};
        rig_lanes(rig, 64, UINT64_MAX);
        random_data(rig);
        for (unsigned i = 0; i < 64; i++) {
            rig_row(rig, 0)[i] = i * 16;
            rig_row(rig, 1)[i] = i / 4 * 1024 + i % 4 * 16;
            for (unsigned n = 0; n < 4; n++)
                rig_row(rig, DATA + n)[i] = rig_row(rig, DATA + n)[0] ^ (round % 6 == 5 && i == 63 ? 1 : 0);
        }
        memcpy(rig->wave->sgpr, bases, sizeof(bases));
        memset(memory, (int)round, COPY_B);
        for (unsigned i = 0; i < program.count; i++)
            run_program(rig, program.lines[i], UINT64_MAX);
        memcpy(after, memory, COPY_B);
        memset(memory, (int)round, COPY_B);
        run_copy(rig, &program, code_va, code);
        assert_memory_equal(memory, after, COPY_B);
        const struct sq_move *move = find_move(amd_sq_code_enter(rig->wave, code_va));
        by_lines |= move && move->fill.has_lines;
    }
    assert_true(by_lines);
    free(after);
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
        cmocka_unit_test_setup_teardown(copies_as_moves, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(fills_as_moves, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests_name("whole waves", tests, NULL, NULL);
}
