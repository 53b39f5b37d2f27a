/* Programs that move texels to memory (copy.h, move.h): rectangles that are copied as one beside the same threads as
 * warps, and what is not copied so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mali/hw/descriptors.h"
#include "mali/hw/tiling/afbc.h"
#include "mali/model/sc/code.h"
#include "mali/model/sc/tests/rig.h"
#include "mali/model/sc/whole.h"
#include "util/bits.h"
#include "util/tests/host_level_test.h"

/* In the rig's data. */
#define TABLE_B 0x0u
#define TEXTURE_B 0x100u
#define PLANE_B 0x200u /* of two layers */
#define IMAGE_B 0x1000u
#define LAYER_B 0x4000u /* from a layer to the next */
#define TARGET_B 0x9000u
#define TARGET_END_B (RIG_SIZE_B - 0x10000u)

#define IMAGE_W 72
#define IMAGE_H 40
#define ROW_B 320u /* of a linear image, and of the target */
#define BODY_B 0x400u

enum kind {
    LINEAR,
    TILED,
    AFBC,
    KINDS,
};

/* Uniforms of the program. */
enum {
    U_HANDLE,
    U_PITCH = 2,
    U_X,
    U_Y,
    U_LOW = 6,
    U_HIGH,
    U_WIDTH,
    U_HEIGHT,
    U_LAYER,
    U_SHIFT,
    U_COUNT,
};

/* A thread in the bounds of the copy stores its texel at u6 + y * u2 + x * 4. */
#define BOUNDS                                                                                                         \
    "ICMP_OR.u32.lt.m1 r0, r60, u8, 0x0\n"                                                                             \
    "ICMP_AND.u32.lt.m1 r0, r61, u9, r0\n"                                                                             \
    "BRANCHZ.eq.reconverge r0, offset:done\n"
#define FETCH                                                                                                          \
    "IADD.u32 r0, r60, u3\n"                                                                                           \
    "IADD.u32 r1, r61, u4\n"                                                                                           \
    "MOV.i32 r2, u10\n"                                                                                                \
    "TEX_FETCH.slot0.u.32.2d.array_enable.wait0 @r4:r5:r6:r7, @r0:r1:r2, u0\n"
#define PACK                                                                                                           \
    "LSHIFT_OR.i32 r4, r5, u11.b00, r4\n"                                                                              \
    "IADD_IMM.i32 r8, 0x0, #0x10\n"                                                                                    \
    "LSHIFT_OR.i32 r4, r6, r8.b00, r4\n"                                                                               \
    "IADD_IMM.i32 r8, 0x0, #0x18\n"                                                                                    \
    "LSHIFT_OR.i32 r4, r7, r8.b00, r4\n"
#define PLACE                                                                                                          \
    "IMUL.i32 r9, r61, u2\n"                                                                                           \
    "IADD_IMM.i32 r8, 0x0, #0x2\n"                                                                                     \
    "LSHIFT_OR.i32 r10, r60, r8.b00, 0x0\n"                                                                            \
    "IADD.u32 r9, r9, r10\n"                                                                                           \
    "IADD.u32 r10, r9, u6\n"                                                                                           \
    "MOV.i32 r11, u7\n"
#define STORE "STORE.i32.slot0 @r4, r10, offset:0\n"
#define DONE "done: NOP.end\n"

static const char plain[] = BOUNDS FETCH PACK PLACE STORE DONE;
static uint8_t before[RIG_SIZE_B], by_warps[RIG_SIZE_B];

/* ---- images ---- */

static void write_plane(enum kind kind, unsigned layer)
{
    uint32_t words[MALI_DESC_PLANE_DW];
    struct mali_desc_PLANE plane = {
        .TYPE = MALI_DESCRIPTOR_TYPE_PLANE,
        .PLANE_TYPE = MALI_PLANE_TYPE_GENERIC,
        .SIZE = LAYER_B,
        .POINTER = RIG_DATA_VA + IMAGE_B + layer * LAYER_B,
        .ROW_STRIDE = kind == TILED ? ROW_B * 16 : ROW_B,
        .WIDTH = IMAGE_W,
        .HEIGHT = IMAGE_H,
        .CHROMA_WIDTH = 1,
        .CHROMA_HEIGHT = 1,
    };
    if (kind == AFBC) {
        plane.PLANE_TYPE = MALI_PLANE_TYPE_AFBC;
        plane.AFBC_MODE = MALI_AFBC_MODE_R8G8B8A8;
        plane.ROW_STRIDE = 5 * MALI_AFBC_HEADER_B;
        for (uint32_t i = 0; i < 15; i++)
            mali_afbc_pack_raw((uint8_t *)mali_rig_data() + IMAGE_B + layer * LAYER_B + i * MALI_AFBC_HEADER_B,
                               BODY_B + i * 1024);
    } else {
        plane.CLUMP_ORDERING = kind == TILED ? MALI_CLUMP_ORDERING_TILED_U_INTERLEAVED : MALI_CLUMP_ORDERING_LINEAR;
        plane.CLUMP_FORMAT = MALI_CLUMP_FORMAT_RAW32;
    }
    mali_pack_desc_PLANE(words, &plane);
    words[5] = 0;
    if (kind == AFBC)
        words[7] = (IMAGE_W - 1) | (IMAGE_H - 1) << 16;
    memcpy((uint8_t *)mali_rig_data() + PLANE_B + layer * sizeof(words), words, sizeof(words));
}

static void write_image(enum kind kind, unsigned format)
{
    uint8_t *data = mali_rig_data();
    for (uint32_t i = 0; i < TARGET_END_B; i++)
        data[i] = (uint8_t)(i * 167 + (i >> 8) * 31);
    mali_pack_desc_RESOURCE((uint32_t *)(data + TABLE_B),
                            &(struct mali_desc_RESOURCE){RIG_DATA_VA + TEXTURE_B, true, 32});
    mali_pack_desc_TEXTURE((uint32_t *)(data + TEXTURE_B), &(struct mali_desc_TEXTURE){
                                                               .TYPE = MALI_DESCRIPTOR_TYPE_TEXTURE,
                                                               .DIMENSION = MALI_TEXTURE_DIMENSION_2D,
                                                               .FORMAT = format,
                                                               .WIDTH = IMAGE_W,
                                                               .HEIGHT = IMAGE_H,
                                                               .SWIZZLE_G = MALI_CHANNEL_G,
                                                               .SWIZZLE_B = MALI_CHANNEL_B,
                                                               .SWIZZLE_A = MALI_CHANNEL_A,
                                                               .LEVELS = 1,
                                                               .SAMPLE_COUNT = 1,
                                                               .SURFACES = RIG_DATA_VA + PLANE_B,
                                                               .ARRAY_SIZE = 2,
                                                               .DEPTH = 1,
                                                           });
    write_plane(kind, 0);
    write_plane(kind, 1);
}

/* ---- launches ---- */

/* A launch of all of the image to the target. */
static void launch_copy(const char *program, enum kind kind)
{
    const uint64_t target_va = RIG_DATA_VA + TARGET_B;
    write_image(kind, 155); /* RGBA8 UINT */
    mali_rig_assemble(program, 0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    struct mali_launch *l = &mali_rig.launch;
    l->resources_va = RIG_DATA_VA + TABLE_B;
    l->resource_count = 1;
    l->fau_count = U_COUNT;
    l->fau[U_PITCH] = ROW_B;
    l->fau[U_LOW] = (uint32_t)target_va;
    l->fau[U_HIGH] = (uint32_t)(target_va >> 32);
    l->fau[U_WIDTH] = IMAGE_W;
    l->fau[U_HEIGHT] = IMAGE_H;
    l->fau[U_SHIFT] = 8;
}

/* Other uniforms. */
static void set_uniform(unsigned uniform, uint32_t word)
{
    mali_rig.launch.fau[uniform] = word;
    mali_launch_changed(&mali_rig.launch);
}

struct rect {
    uint32_t x, y, width, height; /* of threads */
};

/* The program of the launch as one that copies; NULL: it is none. */
static struct sc_copy *find_copy(struct mali_warp *warp)
{
    struct exec_shape shape;
    assert_true(exec_shape_find((uint32_t[3]){8, 8, 1}, MALI_ROW_LANES, &shape));
    struct sc_whole *whole = mali_sc_whole_find(warp->core, &mali_rig.launch, shape, UINT32_MAX);
    return whole && mali_sc_whole_bring(whole, warp) ? whole->copy : NULL;
}

static bool copy_rect(struct rect r)
{
    struct mali_warp *warp = mali_rig_begin();
    struct sc_copy *copy = find_copy(warp);
    assert_non_null(copy);
    return mali_sc_copy_run(copy, warp, (uint32_t[3]){r.x, r.y, 0}, r.width, r.height);
}

/* Threads as warps, one after the other. */
static void run_warps(struct rect r)
{
    const uint32_t count = r.width * r.height;
    for (uint32_t first = 0; first < count; first += MALI_ROW_LANES) {
        struct mali_warp *warp = mali_rig_begin();
        for (uint32_t i = 0; i < MALI_ROW_LANES; i++) {
            mali_warp_row(warp, 60)[i] = r.x + (first + i) % r.width;
            mali_warp_row(warp, 61)[i] = r.y + (first + i) / r.width;
            mali_warp_row(warp, 62)[i] = 0;
        }
        const uint32_t lanes = MIN2(count - first, MALI_ROW_LANES);
        warp->launched = warp->covered = UINT64_MAX >> (MALI_ROW_LANES - lanes);
        if (!mali_sc_run(warp))
            fail_msg("%s", gpu_stop_text(&mali_rig.queue->stop));
    }
}

/* Both ways make the same of all memory. `stores`: of a rectangle in the bounds, so that there is something to make. */
static void expect_copied(struct rect r, bool stores)
{
    memcpy(before, mali_rig.memory, RIG_SIZE_B);
    run_warps(r);
    memcpy(by_warps, mali_rig.memory, RIG_SIZE_B);
    assert_int_equal(memcmp(by_warps, before, RIG_SIZE_B) != 0, stores);
    memcpy(mali_rig.memory, before, RIG_SIZE_B);
    if (!copy_rect(r))
        fail_msg("%u x %u threads from (%u, %u) on are not copied", r.width, r.height, r.x, r.y);
    if (memcmp(mali_rig.memory, by_warps, RIG_SIZE_B) != 0)
        fail_msg("%u x %u threads from (%u, %u) on", r.width, r.height, r.x, r.y);
    memcpy(mali_rig.memory, before, RIG_SIZE_B);
}

/* Nothing is written: the threads run as warps later. */
static void expect_refused(struct rect r)
{
    memcpy(before, mali_rig.memory, RIG_SIZE_B);
    assert_false(copy_rect(r));
    assert_memory_equal(mali_rig.memory, before, RIG_SIZE_B);
}

/* ---- what is copied ---- */

static void rectangles_are_as_by_warps(void **state)
{
    static const struct rect rects[] = {
        {0, 0, IMAGE_W, IMAGE_H}, {0, 0, 64, 8},  {8, 8, 8, 8},   {16, 16, 32, 16}, {3, 5, 13, 17},
        {15, 15, 2, 2},           {71, 0, 1, 40}, {0, 39, 72, 1}, {40, 24, 32, 16},
    };
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        launch_copy(plain, kind);
        for (unsigned i = 0; i < ARRAY_SIZE(rects); i++)
            expect_copied(rects[i], true);
        set_uniform(U_LAYER, 1);
        expect_copied(rects[0], true);
        if (kind == AFBC)
            mali_afbc_pack_solid((uint8_t *)mali_rig_data() + IMAGE_B + LAYER_B + 6 * MALI_AFBC_HEADER_B, 0x12345678);
        set_uniform(U_X, 7);
        set_uniform(U_Y, 9);
        expect_copied((struct rect){2, 3, IMAGE_W - 9, IMAGE_H - 12}, true);
        set_uniform(U_X, (uint32_t)-5); /* threads from the fifth on */
        expect_copied((struct rect){5, 0, 20, 10}, true);
        set_uniform(U_PITCH, 36 * 4);
        expect_copied((struct rect){5, 0, 36, 20}, true);
    }
}

/* Threads behind the bounds do nothing; those at a rim run as warps. */
static void bounds_are_those_of_the_copy(void **state)
{
    (void)state;
    launch_copy(plain, TILED);
    set_uniform(U_WIDTH, 20);
    set_uniform(U_HEIGHT, 10);
    expect_copied((struct rect){0, 0, 20, 10}, true);
    expect_copied((struct rect){20, 0, 8, 8}, false);
    expect_copied((struct rect){0, 10, 8, 8}, false);
    expect_copied((struct rect){64, 32, 64, 64}, false);
    expect_refused((struct rect){0, 0, 21, 10});
    expect_refused((struct rect){16, 8, 8, 2});
    expect_refused((struct rect){16, 8, 4, 3});
    expect_refused((struct rect){19, 9, 2, 2});
}

/* The address of the store has a number of its own, and rows may be one after the other, but not one in the other. */
static void places_are_rows_of_memory(void **state)
{
    (void)state;
    launch_copy(BOUNDS FETCH PACK PLACE "STORE.i32.slot0 @r4, r10, offset:-28\n" DONE, LINEAR);
    expect_copied((struct rect){8, 8, 24, 24}, true);
    set_uniform(U_PITCH, 24 * 4);
    expect_copied((struct rect){8, 8, 24, 24}, true);
    set_uniform(U_PITCH, 23 * 4);
    expect_refused((struct rect){8, 8, 24, 24});
    expect_copied((struct rect){8, 8, 24, 1}, true);
    set_uniform(U_PITCH, 0);
    expect_refused((struct rect){8, 8, 24, 24});
    set_uniform(U_PITCH, (uint32_t) - (int32_t)ROW_B);
    set_uniform(U_LOW, (uint32_t)RIG_DATA_VA + TARGET_B + 32 * ROW_B);
    expect_refused((struct rect){8, 8, 24, 24});
}

static void targets_must_be_mapped(void **state)
{
    (void)state;
    launch_copy(plain, LINEAR);
    const uint32_t end = (uint32_t)RIG_VA + RIG_SIZE_B;
    set_uniform(U_LOW, end - 8 * ROW_B);
    expect_copied((struct rect){0, 0, 32, 8}, true);
    expect_refused((struct rect){0, 0, 32, 9});
    set_uniform(U_LOW, end - 32 * 4);
    expect_copied((struct rect){0, 0, 32, 1}, true);
    expect_refused((struct rect){0, 0, 33, 1});
    set_uniform(U_HIGH, 0xdeadbeef);
    expect_refused((struct rect){0, 0, 8, 8});
    set_uniform(U_HIGH, 0); /* the lower word alone comes back to where memory is */
    expect_refused((struct rect){0, 0, 8, 8});
    launch_copy(plain, LINEAR);
    set_uniform(U_HIGH, (uint32_t)(RIG_VA >> 32) - 1);
    set_uniform(U_LOW, 0xfffffff0u);
    expect_refused((struct rect){0, 0, 8, 8});
}

/* Stores to what other threads read. */
static void targets_must_be_apart(void **state)
{
    const struct rect r = {16, 16, 16, 8};
    const uint32_t image = (uint32_t)RIG_DATA_VA + IMAGE_B;
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        /* From the first byte that is read on, and the last one; a superblock's header is another place. */
        const uint32_t first = kind == LINEAR  ? image + 16 * ROW_B + 64
                               : kind == TILED ? image + 16 * ROW_B + 1024
                                               : image + BODY_B + 6 * 1024,
                       end = kind == LINEAR ? first + 7 * ROW_B + 64 : first + 1024,
                       of_thread = 16 * 64 + 64; /* of the first thread, from the target on */
        launch_copy(plain, kind);
        set_uniform(U_PITCH, 64);
        set_uniform(U_LOW, first - of_thread - 8 * 64);
        expect_copied(r, true);
        set_uniform(U_LOW, first - of_thread - 8 * 64 + 4);
        expect_refused(r);
        set_uniform(U_LOW, first - of_thread);
        expect_refused(r);
        set_uniform(U_LOW, end - of_thread - 4);
        expect_refused(r);
        set_uniform(U_LOW, end - of_thread);
        expect_copied(r, true);
        if (kind == AFBC) {
            set_uniform(U_LOW, image + 6 * MALI_AFBC_HEADER_B - of_thread);
            expect_refused(r);
        }
    }
}

static void texels_must_be_there(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        launch_copy(plain, kind);
        set_uniform(U_WIDTH, 1000);
        set_uniform(U_HEIGHT, 1000);
        expect_refused((struct rect){0, 0, IMAGE_W + 1, 1});
        expect_refused((struct rect){0, 0, 1, IMAGE_H + 1});
        set_uniform(U_X, (uint32_t)-1);
        expect_refused((struct rect){0, 0, 8, 8});
        set_uniform(U_X, (uint32_t)-16); /* the last ones before numbers begin again */
        expect_refused((struct rect){0, 0, 8, 8});
        set_uniform(U_X, 0);
        set_uniform(U_Y, (uint32_t)-16);
        expect_refused((struct rect){0, 0, 8, 8});
        set_uniform(U_Y, (uint32_t)-1);
        expect_refused((struct rect){0, 0, 8, 8});
        set_uniform(U_Y, 0);
        set_uniform(U_LAYER, 2);
        expect_refused((struct rect){0, 0, 8, 8});
        set_uniform(U_LAYER, 0);
        set_uniform(U_HANDLE, 5u << 16); /* the table has one */
        expect_refused((struct rect){0, 0, 8, 8});
        set_uniform(U_HANDLE, 0);
        expect_copied((struct rect){0, 0, 8, 8}, true);
    }
    uint8_t *header = (uint8_t *)mali_rig_data() + IMAGE_B;
    header[15] = 0x08; /* one block is compressed */
    expect_refused((struct rect){0, 0, 8, 8});
    expect_copied((struct rect){16, 16, 8, 8}, true);
    write_image(LINEAR, 187); /* RGBA8 UNORM */
    mali_launch_changed(&mali_rig.launch);
    expect_refused((struct rect){0, 0, 8, 8});
}

/* Uniforms decide what becomes of a texel: each launch is looked at. */
static void bytes_must_stay(void **state)
{
    (void)state;
    launch_copy(plain, TILED);
    expect_copied((struct rect){0, 0, 16, 16}, true);
    for (uint32_t shift = 0; shift < 32; shift++) {
        set_uniform(U_SHIFT, shift);
        if (shift == 8)
            expect_copied((struct rect){0, 0, 16, 16}, true);
        else
            expect_refused((struct rect){0, 0, 16, 16});
    }
}

/* Many in a row that are not for it: it is not asked again. */
static void misses_end_it(void **state)
{
    (void)state;
    launch_copy(plain, TILED);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 63; i++)
            expect_refused((struct rect){0, 0, IMAGE_W + 1, 1});
        expect_copied((struct rect){0, 0, 16, 16}, true);
    }
    for (unsigned i = 0; i < 64; i++)
        expect_refused((struct rect){0, 0, IMAGE_W + 1, 1});
    expect_refused((struct rect){0, 0, 16, 16});
}

/* ---- other programs ---- */

/* Each is no copy, or its rectangles are refused; `is_one` says which. */
static void other_programs_run_as_warps(void **state)
{
    static const struct {
        const char *name, *text;
        bool is_one;
    } rows[] = {
        {"x and y change places",
         BOUNDS "IADD.u32 r0, r61, u3\nIADD.u32 r1, r60, u4\nMOV.i32 r2, u10\n"
                "TEX_FETCH.slot0.u.32.2d.array_enable.wait0 @r4:r5:r6:r7, @r0:r1:r2, u0\n" PACK PLACE STORE DONE,
         true},
        {"each second texel",
         BOUNDS "IADD.u32 r0, r60, r60\nIADD.u32 r1, r61, u4\nMOV.i32 r2, u10\n"
                "TEX_FETCH.slot0.u.32.2d.array_enable.wait0 @r4:r5:r6:r7, @r0:r1:r2, u0\n" PACK PLACE STORE DONE,
         true},
        {"each second row",
         BOUNDS "IADD.u32 r0, r60, u3\nIADD.u32 r1, r61, r61\nMOV.i32 r2, u10\n"
                "TEX_FETCH.slot0.u.32.2d.array_enable.wait0 @r4:r5:r6:r7, @r0:r1:r2, u0\n" PACK PLACE STORE DONE,
         true},
        {"each row of another layer",
         BOUNDS "IADD.u32 r0, r60, u3\nIADD.u32 r1, r61, u4\nMOV.i32 r2, r61\n"
                "TEX_FETCH.slot0.u.32.2d.array_enable.wait0 @r4:r5:r6:r7, @r0:r1:r2, u0\n" PACK PLACE STORE DONE,
         true},
        {"by another handle each",
         BOUNDS "IADD.u32 r0, r60, u3\nIADD.u32 r1, r61, u4\nMOV.i32 r2, u10\nIADD_IMM.i32 r8, 0x0, #0x10\n"
                "LSHIFT_OR.i32 r12, r60, r8.b00, 0x0\nMOV.i32 r13, 0x0\n"
                "TEX_FETCH.slot0.u.32.2d.array_enable.wait0 @r4:r5:r6:r7, @r0:r1:r2, r12\n" PACK PLACE STORE DONE,
         true},
        {"words with holes",
         BOUNDS FETCH PACK "IMUL.i32 r9, r61, u2\nIADD_IMM.i32 r8, 0x0, #0x3\nLSHIFT_OR.i32 r10, r60, r8.b00, 0x0\n"
                           "IADD.u32 r9, r9, r10\nIADD.u32 r10, r9, u6\nMOV.i32 r11, u7\n" STORE DONE,
         true},
        {"a high word of each", BOUNDS FETCH PACK PLACE "IADD.u32 r11, r60, u7\n" STORE DONE, true},
        {"bytes of one place each",
         BOUNDS FETCH PACK "IMUL.i32 r9, r61, u2\nIADD.u32 r10, r9, u6\nMOV.i32 r11, u7\n" STORE DONE, true},
        {"a texel and a number", BOUNDS FETCH PACK PLACE "IADD_IMM.i32 r4, r4, #0x1\n" STORE DONE, true},
        {"a texel and its place", BOUNDS FETCH PACK PLACE "IADD.u32 r4, r4, r60\n" STORE DONE, true},
        {"three of four bytes",
         BOUNDS FETCH "LSHIFT_OR.i32 r4, r5, u11.b00, r4\nIADD_IMM.i32 r8, 0x0, #0x10\n"
                      "LSHIFT_OR.i32 r4, r6, r8.b00, r4\n" PLACE STORE DONE,
         true},
        {"stores of a byte", BOUNDS FETCH PACK PLACE "STORE.i8.slot0 @r4, r10, offset:0\n" DONE, false},
        {"stores of two words", BOUNDS FETCH PACK PLACE "STORE.i64.slot0 @r4:r5, r10, offset:0\n" DONE, false},
        {"two stores", BOUNDS FETCH PACK PLACE STORE STORE DONE, false},
        {"two fetches", BOUNDS FETCH FETCH PACK PLACE STORE DONE, false},
        {"no store", BOUNDS FETCH PACK PLACE DONE, false},
        {"offsets of texels",
         BOUNDS "IADD.u32 r0, r60, u3\nIADD.u32 r1, r61, u4\nIADD_IMM.i32 r2, 0x0, #0x1\n"
                "TEX_FETCH.slot0.u.32.2d.texel_offset.wait0 @r4:r5:r6:r7, @r0:r1:r2, u0\n" PACK PLACE STORE DONE,
         false},
        {"three components",
         BOUNDS "IADD.u32 r0, r60, u3\nIADD.u32 r1, r61, u4\n"
                "TEX_FETCH.slot0.u.32.rgb.2d.wait0 @r4:r5:r6, @r0:r1, u0\nMOV.i32 r7, 0x0\n" PACK PLACE STORE DONE,
         false},
        {"halves",
         BOUNDS
         "IADD.u32 r0, r60, u3\nIADD.u32 r1, r61, u4\n"
         "TEX_FETCH.slot0.u.16.2d.wait0 @r4:r5, @r0:r1, u0\nMOV.i32 r6, 0x0\nMOV.i32 r7, 0x0\n" PACK PLACE STORE DONE,
         false},
        {"results in what a launch preloads",
         BOUNDS "IADD.u32 r0, r60, u3\nIADD.u32 r1, r61, u4\n"
                "TEX_FETCH.slot0.u.32.2d.wait0 @r52:r53:r54:r55, @r0:r1, u0\n"
                "MOV.i32 r4, r52\nMOV.i32 r5, r53\nMOV.i32 r6, r54\nMOV.i32 r7, r55\n" PACK PLACE STORE DONE,
         false},
    };
    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        launch_copy(rows[i].text, TILED);
        if ((find_copy(mali_rig_begin()) != NULL) != rows[i].is_one)
            fail_msg("%s: %s", rows[i].name, rows[i].is_one ? "no copy" : "a copy");
        if (rows[i].is_one && copy_rect((struct rect){0, 0, 16, 16}))
            fail_msg("%s: a rectangle is copied", rows[i].name);
    }
}

/* ---- loads ---- */

static struct exec_plane of_lanes[2]; /* low and high words of addresses */

static struct exec_plane find_word(void *user, uint32_t row_B)
{
    (void)user;
    return of_lanes[row_B];
}

/* Words at `low` and `high`; the program is two rows and a zero. */
static bool find_words(struct exec_plane low, struct exec_plane high, uint32_t width, uint32_t height,
                       struct sc_move *move, struct sc_moved *moved_out)
{
    static struct jit_inst insts[] = {{.op = JIT_ROW, .imm = 0}, {.op = JIT_ROW, .imm = 1}, {.op = JIT_CONST}};
    static const struct mali_isa_inst load = {.number = {(uint32_t)-16}};
    static const struct sc_uop uop = {.inst = &load};
    struct exec_plane planes[EXEC_BYTES_MAX];
    struct mali_warp *warp = mali_rig_begin();
    const struct exec_area area = {width, height, warp, find_word, NULL};
    *move = (struct sc_move){.uop = &uop, .from = {insts, ARRAY_SIZE(insts)}, .places = {0, 1, 2, 2, 2}};
    of_lanes[0] = low;
    of_lanes[1] = high;
    return mali_sc_move_find(move, warp, &area, planes, moved_out);
}

/* Rows of words are where they lie, in one half of the address and in mapped memory. */
static void words_are_rows_of_memory(void **state)
{
    const uint32_t low = (uint32_t)RIG_DATA_VA + 16;
    const struct exec_plane high = exec_plane_of((uint32_t)(RIG_DATA_VA >> 32), 0, 0);
    struct sc_move move;
    struct sc_moved moved;
    size_t row_B;
    (void)state;
    mali_rig_assemble("NOP.end\n", 0);
    mali_rig_launch(MALI_STAGE_COMPUTE);
    assert_true(find_words(exec_plane_of(low, 4, 300), high, 64, 100, &move, &moved));
    assert_int_equal(moved.va, RIG_DATA_VA);
    const struct gpu_space *space = &mali_rig.space;
    const uint8_t *first =
        mali_sc_move_rows(&move, &moved, space, &(struct mali_tex_rect){0, 0, 64, 100}, NULL, &row_B);
    assert_int_equal(row_B, 300);
    assert_non_null(first);
    assert_ptr_equal(mali_sc_move_rows(&move, &moved, space, &(struct mali_tex_rect){7, 5, 8, 8}, NULL, &row_B),
                     first + 5 * 300 + 7 * 4);
    const uint32_t rows = (TARGET_END_B - 64 * 4) / 300 + 1; /* that memory has */
    assert_non_null(mali_sc_move_rows(&move, &moved, space, &(struct mali_tex_rect){0, 0, 64, rows}, NULL, &row_B));
    assert_null(mali_sc_move_rows(&move, &moved, space, &(struct mali_tex_rect){0, 0, 64, rows + 1}, NULL, &row_B));
    assert_null(mali_sc_move_rows(&move, &moved, space, &(struct mali_tex_rect){0, rows + 1, 1, 1}, NULL, &row_B));

    assert_false(find_words(exec_plane_of(low, 8, 300), high, 64, 100, &move, &moved));
    assert_false(find_words((struct exec_plane){EXEC_PLANE_HALVES, low, 4, 300}, high, 64, 100, &move, &moved));
    assert_false(find_words(exec_plane_of(low, 4, 300), exec_plane_of(high.base, 1, 0), 64, 100, &move, &moved));
    assert_false(find_words(exec_plane_of(low, 4, 300), exec_plane_of(high.base, 0, 1), 64, 100, &move, &moved));
    assert_false(find_words(exec_plane_of(low + 0x8000, 4, (uint32_t)-300), high, 64, 10, &move, &moved));
    assert_true(find_words(exec_plane_of(0xffffff00u, 4, 0), high, 64, 1, &move, &moved));
    assert_false(find_words(exec_plane_of(0xffffff00u, 4, 0), high, 65, 1, &move, &moved));
    assert_false(find_words(exec_plane_of(0xffffff00u - 300, 4, 301), high, 64, 2, &move, &moved));
    assert_true(find_words(exec_plane_of(0xffffff00u - 300, 4, 300), high, 64, 2, &move, &moved));
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, mali_rig_setup, mali_rig_teardown)

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        ROW(rectangles_are_as_by_warps),
        ROW(bounds_are_those_of_the_copy),
        ROW(places_are_rows_of_memory),
        ROW(targets_must_be_mapped),
        ROW(texels_must_be_there),
        ROW(targets_must_be_apart),
        ROW(bytes_must_stay),
        ROW(misses_end_it),
        ROW(other_programs_run_as_warps),
        ROW(words_are_rows_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
