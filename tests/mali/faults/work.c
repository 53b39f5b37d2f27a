/* See work.h. */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mali/hw/regs_compute.h"
#include "mali/hw/regs_fragment.h"
#include "mali/hw/regs_idvs.h"
#include "mali/isa/isa.h"

/* ---- programs ---- */

static const char compute_text[] = "LOAD.i32.unsigned.slot0.wait0 @r0, u0, offset:0\n"
                                   "IADD.u32 r1, r0, r0\n"
                                   "STORE.i32.slot0 @r1, u0, offset:4\n"
                                   "NOP.end\n";
static const char position_text[] = "SHADDX.u64 r4, u2, r60.w0, shift:0x4\n"
                                    "LOAD.i128.unsigned.slot0.wait0 @r0:r1:r2:r3, r4, offset:0\n"
                                    "LEA_BUF_IMM.slot1.wait1 @r4:r5, r59, table:0xD, index:0x0\n"
                                    "STORE.i128.istream.slot2.end @r0:r1:r2:r3, r4, offset:0\n";
/* The colour of a texel, by TEX_FETCH as drivers write it. */
static const char fragment_text[] = "MOV.i32 r4, 0x0\n"
                                    "MOV.i32 r5, 0x0\n"
                                    "MOV.i32 r6, 0x0\n"
                                    "MOV.i32 r7, 0x0\n"
                                    "TEX_FETCH.slot2.f.32.2d.wait0126 @r0:r1:r2:r3, @r4:r5, r6\n"
                                    "ATEST.wait @r60, r60, r3, atest_datum.w0\n"
                                    "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n";

void work_program(struct work *work, enum work_program number, const char *source)
{
    unsigned line = 0;
    int count = mali_isa_assemble(source, (uint64_t *)(work->map + WORK_PROGRAMS + 0x200 * number), 0x40, &line);
    if (count < 0 || count > 0x40) {
        fprintf(stderr, "line %u of program %u is none\n", line, number);
        abort();
    }
}

static void fill_shaders(struct work *work)
{
    static const char *const texts[] = {compute_text, position_text, fragment_text};
    static const uint8_t stages[] = {MALI_SHADER_STAGE_COMPUTE, MALI_SHADER_STAGE_VERTEX, MALI_SHADER_STAGE_FRAGMENT};
    for (unsigned i = 0; i < 3; i++) {
        const struct mali_desc_SHADER_PROGRAM program = {.TYPE = MALI_DESCRIPTOR_TYPE_SHADER,
                                                         .STAGE = stages[i],
                                                         .PRELOAD = i == 0   ? 0xff80
                                                                    : i == 1 ? 0x3800
                                                                             : 0x3000,
                                                         .BINARY = work->va + WORK_PROGRAMS + 0x200 * i};
        work_program(work, (enum work_program)i, texts[i]);
        mali_pack_desc_SHADER_PROGRAM(work_dw(work, WORK_SHADERS + 32 * i), &program);
    }
    const struct mali_desc_LOCAL_STORAGE storage = {.WLS_INSTANCES = 0x80000000u};
    mali_pack_desc_LOCAL_STORAGE(work_dw(work, WORK_STORAGE), &storage);
    const uint64_t fau[] = {work->va + WORK_DATA, work->va + WORK_PLACES};
    memcpy(work->map + WORK_FAU, fau, sizeof(fau));
}

/* ---- resources ---- */

static void fill_texture(struct work *work)
{
    const struct mali_desc_RESOURCE table = {
        .ADDRESS = work->va + WORK_ENTRIES, .CONTAINS_DESCRIPTORS = true, .SIZE = 96};
    const struct mali_desc_TEXTURE texture = {.TYPE = MALI_DESCRIPTOR_TYPE_TEXTURE,
                                              .DIMENSION = MALI_TEXTURE_DIMENSION_2D,
                                              .FORMAT = 187, /* RGBA8_UNORM */
                                              .WIDTH = 16,
                                              .HEIGHT = 16,
                                              .SWIZZLE_R = MALI_CHANNEL_R,
                                              .SWIZZLE_G = MALI_CHANNEL_G,
                                              .SWIZZLE_B = MALI_CHANNEL_B,
                                              .SWIZZLE_A = MALI_CHANNEL_A,
                                              .LEVELS = 1,
                                              .SAMPLE_COUNT = 1,
                                              .SURFACES = work->va + WORK_PLANE,
                                              .ARRAY_SIZE = 1,
                                              .DEPTH = 1};
    /* PLANE, word by word: its fields are of many kinds of planes. */
    const uint64_t pointer = work->va + WORK_IMAGE;
    const uint32_t plane[8] = {MALI_DESCRIPTOR_TYPE_PLANE | MALI_PLANE_TYPE_GENERIC << 4 |
                                   MALI_CLUMP_ORDERING_LINEAR << 8 | (uint32_t)MALI_CLUMP_FORMAT_RAW32 << 24,
                               16 * 64,
                               (uint32_t)pointer,
                               (uint32_t)(pointer >> 32),
                               64,
                               0,
                               0,
                               15 << 16 | 15};
    const struct mali_desc_SAMPLER sampler = {.TYPE = MALI_DESCRIPTOR_TYPE_SAMPLER,
                                              .WRAP_MODE_R = MALI_WRAP_MODE_CLAMP_TO_EDGE,
                                              .WRAP_MODE_S = MALI_WRAP_MODE_CLAMP_TO_EDGE,
                                              .WRAP_MODE_T = MALI_WRAP_MODE_CLAMP_TO_EDGE,
                                              .NORMALIZED_COORDINATES = true,
                                              .MAXIMUM_ANISOTROPY = 1};
    const struct mali_desc_BUFFER buffer = {.TYPE = MALI_DESCRIPTOR_TYPE_BUFFER,
                                            .BUFFER_TYPE = MALI_BUFFER_TYPE_SIMPLE,
                                            .SIZE = 64,
                                            .ADDRESS = work->va + WORK_DATA};
    mali_pack_desc_RESOURCE(work_dw(work, WORK_TABLES), &table);
    mali_pack_desc_TEXTURE(work_dw(work, WORK_ENTRIES), &texture);
    mali_pack_desc_SAMPLER(work_dw(work, WORK_ENTRIES + 32), &sampler);
    mali_pack_desc_BUFFER(work_dw(work, WORK_ENTRIES + 64), &buffer);
    memcpy(work->map + WORK_PLANE, plane, sizeof(plane));
    memset(work->map + WORK_IMAGE, 0xff, 16 * 64);
}

/* ---- the framebuffer and what is drawn there ---- */

static void fill_framebuffer(struct work *work)
{
    const struct mali_desc_FRAMEBUFFER fb = {.WIDTH = WORK_SIDE,
                                             .HEIGHT = WORK_SIDE,
                                             .BOUND_MAX_X = WORK_SIDE - 1,
                                             .BOUND_MAX_Y = WORK_SIDE - 1,
                                             .SAMPLE_COUNT = 1,
                                             .EFFECTIVE_TILE_SIZE = 256,
                                             .RENDER_TARGET_COUNT = 1,
                                             .Z_INTERNAL_FORMAT = MALI_Z_INTERNAL_FORMAT_D24,
                                             .Z_WRITE_ENABLE = true,
                                             .HAS_ZS_CRC_EXTENSION = true,
                                             .CRC_WRITE_ENABLE = true,
                                             .Z_CLEAR = 1,
                                             .FRAME_SHADER_DCDS = work->va + WORK_FRAME_DRAWS,
                                             .TILER = work->va + WORK_TILER};
    const struct mali_desc_ZS_CRC_EXTENSION zs = {.ZS_WRITE_FORMAT = MALI_ZS_FORMAT_D24X8,
                                                  .ZS_BLOCK_FORMAT = MALI_BLOCK_FORMAT_LINEAR,
                                                  .ZS_CLEAN_PIXEL_WRITE_ENABLE = true,
                                                  .CRC_BASE = work->va + WORK_CHECKSUMS,
                                                  .CRC_ROW_STRIDE = WORK_SIDE / 16 * 8,
                                                  .ZS_WRITEBACK_BASE = work->va + WORK_TARGET_DEPTH,
                                                  .ZS_WRITEBACK_ROW_STRIDE = 4 * WORK_SIDE};
    const struct mali_desc_RENDER_TARGET target = {.INTERNAL_FORMAT = MALI_INTERNAL_FORMAT_R8G8B8A8,
                                                   .WRITE_ENABLE = true,
                                                   .WRITEBACK_FORMAT = MALI_COLOR_FORMAT_R8G8B8A8,
                                                   .WRITEBACK_BLOCK_FORMAT = MALI_BLOCK_FORMAT_LINEAR,
                                                   .SWIZZLE_R = MALI_CHANNEL_R,
                                                   .SWIZZLE_G = MALI_CHANNEL_G,
                                                   .SWIZZLE_B = MALI_CHANNEL_B,
                                                   .SWIZZLE_A = MALI_CHANNEL_A,
                                                   .CLEAN_PIXEL_WRITE_ENABLE = true,
                                                   .BASE = work->va + WORK_TARGET,
                                                   .ROW_STRIDE = 4 * WORK_SIDE};
    mali_pack_desc_FRAMEBUFFER(work_dw(work, WORK_FBD), &fb);
    mali_pack_desc_ZS_CRC_EXTENSION(work_dw(work, WORK_FBD + 128), &zs);
    mali_pack_desc_RENDER_TARGET(work_dw(work, WORK_FBD + 192), &target);
}

static void fill_draw(struct work *work)
{
    const struct mali_desc_BLEND blend = {.ENABLE = true,
                                          .RGB_A = MALI_BLEND_A_SRC,
                                          .RGB_B = MALI_BLEND_B_SRC,
                                          .RGB_C = MALI_BLEND_C_ZERO,
                                          .ALPHA_A = MALI_BLEND_A_SRC,
                                          .ALPHA_B = MALI_BLEND_B_SRC,
                                          .ALPHA_C = MALI_BLEND_C_ZERO,
                                          .COLOR_MASK = 15,
                                          .MODE = MALI_BLEND_MODE_OPAQUE,
                                          .NUM_COMPS = 4,
                                          .MEMORY_FORMAT = 237, /* RGBA8_TB */
                                          .REGISTER_FORMAT = MALI_REGISTER_FORMAT_F32};
    const struct mali_desc_DEPTH_STENCIL depth = {.TYPE = MALI_DESCRIPTOR_TYPE_DEPTH_STENCIL,
                                                  .DEPTH_SOURCE = MALI_DEPTH_SOURCE_FIXED_FUNCTION,
                                                  .DEPTH_WRITE_ENABLE = true,
                                                  .DEPTH_FUNCTION = MALI_FUNC_ALWAYS};
    const struct mali_desc_TILER_CONTEXT tiler = {.HIERARCHY_MASK = 0xfe,
                                                  .FB_WIDTH = WORK_SIDE,
                                                  .FB_HEIGHT = WORK_SIDE,
                                                  .LAYER_COUNT = 1,
                                                  .HEAP = work->va + WORK_HEAP,
                                                  .GEOMETRY_BUFFER_SIZE = 0x10000,
                                                  .GEOMETRY_BUFFER = work->va + WORK_GEOMETRY};
    const struct mali_desc_TILER_HEAP heap = {.TYPE = MALI_DESCRIPTOR_TYPE_BUFFER,
                                              .BUFFER_TYPE = MALI_BUFFER_TYPE_TILER_HEAP,
                                              .SIZE = work->chunk_B,
                                              .BASE = work->chunk_va,
                                              .BOTTOM = work->chunk_va + 64,
                                              .TOP = work->chunk_va + work->chunk_B};
    static const uint16_t indices[] = {0, 1, 2, 1, 2, 3};
    static const float places[4][4] = {{0, 0, 0.5f, 1}, {48, 0, 0.5f, 1}, {0, 48, 0.5f, 1}, {48, 48, 0.5f, 1}};
    mali_pack_desc_BLEND(work_dw(work, WORK_BLEND), &blend);
    mali_pack_desc_DEPTH_STENCIL(work_dw(work, WORK_DEPTH), &depth);
    mali_pack_desc_TILER_CONTEXT(work_dw(work, WORK_TILER), &tiler);
    mali_pack_desc_TILER_HEAP(work_dw(work, WORK_HEAP), &heap);
    memcpy(work->map + WORK_INDICES, indices, sizeof(indices));
    memcpy(work->map + WORK_PLACES, places, sizeof(places));
}

void work_fill(struct work *work)
{
    memset(work->map, 0, WORK_B);
    work->count = 0;
    fill_shaders(work);
    fill_texture(work);
    fill_framebuffer(work);
    fill_draw(work);
    *work_dw(work, WORK_DATA) = 21;
}

/* ---- streams ---- */

void work_put(struct work *work, uint64_t word)
{
    if (work->count >= WORK_PROGRAMS / 8)
        abort();
    memcpy(work->map + WORK_STREAM + 8 * work->count++, &word, 8);
}

#define PUT(work, name, ...) work_put(work, MALI_CS(name, __VA_ARGS__))

void work_set(struct work *work, unsigned reg, uint64_t value)
{
    PUT(work, MOVE32, .DESTINATION = reg, .IMMEDIATE = (uint32_t)value);
    PUT(work, MOVE32, .DESTINATION = reg + 1, .IMMEDIATE = (uint32_t)(value >> 32));
}

static void set_one(struct work *work, unsigned reg, uint32_t value)
{
    PUT(work, MOVE32, .DESTINATION = reg, .IMMEDIATE = value);
}

void work_put_dispatch(struct work *work)
{
    PUT(work, REQ_RESOURCE, .COMPUTE = true);
    PUT(work, SET_SB_ENTRY, .ENDPOINT_ENTRY = 2);
    work_set(work, 0, (work->va + WORK_TABLES) | 1);
    work_set(work, 8, (work->va + WORK_FAU) | 2ull << 56);
    work_set(work, 16, work->va + WORK_SHADERS);
    work_set(work, 24, work->va + WORK_STORAGE);
    for (unsigned reg = 32; reg < 40; reg++)
        set_one(work, reg, reg >= 37);
    set_one(work, 33, 0);
    PUT(work, RUN_COMPUTE, .TASK_INCREMENT = 1);
    PUT(work, WAIT, .WAIT_MASK = 0xff);
}

static void put_tiling(struct work *work)
{
    work_set(work, 0, (work->va + WORK_TABLES) | 1);
    work_set(work, 4, (work->va + WORK_TABLES) | 1);
    work_set(work, 8, (work->va + WORK_FAU) | 2ull << 56);
    work_set(work, 12, (work->va + WORK_FAU) | 2ull << 56);
    work_set(work, 16, work->va + WORK_SHADERS + 32);
    work_set(work, 20, work->va + WORK_SHADERS + 64);
    work_set(work, 24, work->va + WORK_STORAGE);
    work_set(work, 30, work->va + WORK_STORAGE);
    for (unsigned reg = 32; reg < 40; reg++)
        set_one(work, reg, reg == 33 ? 6 : reg == 34 ? 1 : reg == 39 ? 12 : 0);
    work_set(work, 40, work->va + WORK_TILER);
    work_set(work, 42, (uint64_t)((WORK_SIDE - 1) << 16 | (WORK_SIDE - 1)) << 32);
    set_one(work, 44, 0);
    set_one(work, 45, 0x3f800000);
    work_set(work, 46, 0);
    set_one(work, 48, 0);
    work_set(work, 50, (work->va + WORK_BLEND) | 1);
    work_set(work, 52, work->va + WORK_DEPTH);
    work_set(work, 54, work->va + WORK_INDICES);
    set_one(work, 56, MALI_DRAW_MODE_TRIANGLES | MALI_INDEX_TYPE_UINT16 << 8 | MALI_FIFO_FORMAT_BASIC << 22);
    set_one(work, 57, 0);
    set_one(work, 58, 0x1ffff);
    work_set(work, 60, 0x3f800000);
    PUT(work, RUN_IDVS, .MALLOC_ENABLE = true, .FRAGMENT_SRT_SELECT = true);
    PUT(work, FINISH_TILING);
    PUT(work, WAIT, .WAIT_MASK = 0xff);
}

void work_put_draw(struct work *work)
{
    PUT(work, REQ_RESOURCE, .COMPUTE = true, .FRAGMENT = true, .TILER = true, .IDVS = true);
    PUT(work, SET_SB_ENTRY, .ENDPOINT_ENTRY = 2);
    work_set(work, 72, work->heap_va);
    PUT(work, HEAP_SET, .ADDRESS = 72);
    PUT(work, HEAP_OPERATION, .OPERATION = MALI_CS_HEAP_OPERATION_VERTEX_TILER_STARTED);
    put_tiling(work);
    PUT(work, HEAP_OPERATION, .OPERATION = MALI_CS_HEAP_OPERATION_VERTEX_TILER_COMPLETED);
    work_set(work, 40, (work->va + WORK_FBD) | 3);
    work_set(work, 42, (uint64_t)((WORK_SIDE - 1) << 16 | (WORK_SIDE - 1)) << 32);
    PUT(work, RUN_FRAGMENT);
    PUT(work, WAIT, .WAIT_MASK = 0xff);
    work_set(work, 90, work->va + WORK_TILER);
    PUT(work, LOAD_MULTIPLE, .BASE_REGISTER = 86, .MASK = 15, .ADDRESS = 90, .OFFSET = 40);
    PUT(work, WAIT, .WAIT_MASK = 1);
    PUT(work, FINISH_FRAGMENT, .INCREMENT_FRAGMENT_COMPLETED = true, .FIRST_HEAP_CHUNK = 86, .LAST_HEAP_CHUNK = 88);
    PUT(work, WAIT, .WAIT_MASK = 0xff);
}
