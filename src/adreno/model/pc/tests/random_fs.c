/* Random fragment programs of Adreno's for model/exec/tests/random_code.h, on both ways from the quads to the targets: wave
 * by wave by micro-operations, and as host code, joined with what becomes of the colours where they can be
 * (adreno/model/gras/gras_join.h).
 *
 * A program draws three triangles, whose edges cut quads and waves. Half of the programs are straight, which are the ones
 * that are joined: all parts run, one after the other. r13.xy are the centre's weights, r13.zw the place, if it is asked for;
 * all other registers are set before they are read (sp/tests/random_ops.h). */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "adreno/hw/descriptors.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/isa/isa.h"
#include "adreno/model/pc/pc.h"
#include "adreno/model/pc/tests/plain_state.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/tests/random_ops.h"
#include "model/pixel/pixel_join.h"
#include "util/bits.h"

#define WAYS 2
#define BASE_VA 0x100000000ull
#define MEMORY_B (2u << 20)
#define VERTEX_CODE_AT 0x10000u
#define VERTICES_AT 0x11000u
#define DATA_AT 0x12000u /* a buffer */
#define ELEMENTS 200u
#define TEXELS_AT 0x14000u
#define TEXELS 32u /* each way */
#define TARGETS_AT 0x100000u
#define TARGET_B 0x10000u /* 64 by 64 of the widest texels */
#define TARGETS 8u
#define CORNERS 9u
#define DRAWS 2 /* code is made of what has run */

static const uint8_t output_rows[TARGETS] = {
    INTEGERS, INTEGERS + 4, INTEGERS + 8, FLOATS, FLOATS + 4, FLOATS + 8, HALVES, HALVES + 4,
};

struct way {
    struct gpu_space space;
    uint8_t *memory;
    struct workers *workers;
    struct adreno_gpu *gpu;
    struct exec_code *code;
};

static struct {
    struct way ways[WAYS]; /* by micro-operations, by host code */
    struct exec_counts counts;
    bool is_straight, has_place, kills, is_tiled;
    bool is_codes; /* one or two targets that become words in the program */
    unsigned targets, formats[2];
    float corners[CORNERS][4];
    uint32_t constants[16];
    uint32_t width, height;
} rig;

#define SET(gpu, name, ...) ((gpu)->regs[ADRENO_REG_##name] = adreno_pack_##name(&(struct adreno_##name){__VA_ARGS__}))
#define SET_AT(gpu, name, i, ...)                                                                                      \
    ((gpu)->regs[ADRENO_REG_##name + (i)*ADRENO_REG_##name##_STRIDE] =                                                 \
         adreno_pack_##name(&(struct adreno_##name){__VA_ARGS__}))

static void set_va(struct adreno_gpu *gpu, uint32_t reg, uint64_t va)
{
    gpu->regs[reg] = (uint32_t)va;
    gpu->regs[reg + 1] = (uint32_t)(va >> 32);
}

/* ---- the machines ---- */

enum {
    R8G8B8A8_UNORM = 48,
    R16G16B16A16_FLOAT = 98,
    R32G32B32A32_UINT = 131,
};

/* Others that become words in the program. */
static const struct packed {
    uint8_t format, texel_B;
    bool is_uint, is_sint;
} packed[] = {
    {55, 4, false, false}, /* 10_10_10_2_UNORM_DEST */
    {50, 4, false, false}, /* 8_8_8_8_SNORM */
    {67, 4, false, false}, /* 16_16_UNORM */
    {71, 4, false, true},  /* 16_16_SINT */
    {51, 4, true, false},  /* 8_8_8_8_UINT */
    {14, 2, false, false}, /* 5_6_5_UNORM */
    {17, 2, true, false},  /* 8_8_UINT */
};

static void bind(struct way *way)
{
    struct adreno_stage_state *stage = &way->gpu->hlsq->stages[ADRENO_STAGE_FS];
    const struct adreno_desc_IMAGE image = {.SWIZ_Y = ADRENO_TEX_SWIZ_Y,
                                            .SWIZ_Z = ADRENO_TEX_SWIZ_Z,
                                            .SWIZ_W = ADRENO_TEX_SWIZ_W,
                                            .FMT = R8G8B8A8_UNORM,
                                            .WIDTH = TEXELS,
                                            .HEIGHT = TEXELS,
                                            .PITCH = TEXELS * 4,
                                            .TYPE = ADRENO_TEX_TYPE_2D,
                                            .BASE = BASE_VA + TEXELS_AT,
                                            .DEPTH = 1};
    const struct adreno_desc_SAMPLER sampler = {
        .XY_MAG = ADRENO_TEX_FILTER_LINEAR, .XY_MIN = ADRENO_TEX_FILTER_NEAREST, .MAX_LOD = 0xfff};
    adreno_pack_desc_IMAGE(stage->textures[0], &image);
    random_ops_pack_buffer(stage->textures[1], BASE_VA + DATA_AT, ELEMENTS);
    adreno_pack_desc_SAMPLER(stage->samplers[0], &sampler);
    for (uint32_t i = 0; i < TEXELS * TEXELS; i++)
        ((uint32_t *)(void *)(way->memory + TEXELS_AT))[i] = i * 2654435761u;
}

static bool way_begin(struct way *way, bool has_host_code)
{
    static const char vertex_program[] = "mov.f32f32 r1.x, r0.x\nmov.f32f32 r1.y, r0.y\nend\n";
    const struct gpu_extent extent = {BASE_VA, 2 * MEMORY_B};
    const int fd = memfd_create("fs", MFD_CLOEXEC);
    unsigned wrong;
    if (fd < 0 || ftruncate(fd, MEMORY_B) != 0 || gpu_space_init(&way->space, &extent, 1) != 0 ||
        gpu_space_map_file(&way->space, BASE_VA, MEMORY_B, fd, 0, GPU_PERM_RWX) != 0)
        return false;
    close(fd);
    way->memory = gpu_space_whole(&way->space, BASE_VA, MEMORY_B, GPU_PERM_RWX);
    way->workers = workers_create(1);
    way->gpu = adreno_gpu_create(adreno_chip_find("adreno-635"), NULL, way->workers);
    if (!way->memory || !way->gpu ||
        adreno_isa_assemble(vertex_program, (uint64_t *)(void *)(way->memory + VERTEX_CODE_AT), 16, &wrong) < 0)
        return false;
    way->gpu->space = &way->space;
    struct adreno_sp *sp = adreno_hlsq_sp(way->gpu, 0);
    way->code = sp ? adreno_sp_code_exec(sp->code) : NULL;
    if (way->code && !has_host_code) {
        jit_destroy(way->code->jit);
        way->code->jit = NULL;
    }
    plain_state_set(way->gpu);
    plain_state_positions(way->gpu, BASE_VA + VERTICES_AT, CORNERS);
    SET(way->gpu, SP_VS_CNTL_0, .MERGEDREGS = true);
    set_va(way->gpu, ADRENO_REG_SP_VS_BASE, BASE_VA + VERTEX_CODE_AT);
    set_va(way->gpu, ADRENO_REG_SP_PS_BASE, BASE_VA);
    SET(way->gpu, RB_CNTL, .BUFFERS_LOCATION = ADRENO_BUFFERS_LOCATION_SYSMEM);
    SET(way->gpu, RB_BLEND_CNTL, .SAMPLE_MASK = 0xffff);
    bind(way);
    return way->code;
}

static bool setup(void)
{
    return way_begin(&rig.ways[0], false) && way_begin(&rig.ways[1], true);
}

static void teardown(void)
{
    for (unsigned i = 0; i < WAYS; i++) {
        adreno_gpu_destroy(rig.ways[i].gpu);
        workers_destroy(rig.ways[i].workers);
        gpu_space_finish(&rig.ways[i].space);
    }
}

/* ---- programs ---- */

static const char *component(unsigned number)
{
    return random_operand("r%u.%c", number / 4, "xyzw"[number % 4]);
}

/* Integers of the place, floats of the varyings and of these, halves of the floats. */
static void set_registers(void)
{
    say("bary.f r4.x, 0, r13.x\nbary.f r4.y, 1, r13.x");
    for (unsigned i = 0; i < 2; i++) {
        if (rig.has_place)
            say("mov.u32u32 %s, r13.%c", component(i), "zw"[i]);
        else
            say("mul.f r5.x, r4.%c, c3.x\ncov.f32s32 %s, r5.x", "xy"[i], component(i));
    }
    for (unsigned i = 2; i < INTEGER_COUNT; i++)
        say("mull.u %s, %s, %s\nadd.u %s, %s, c%u.%c", component(i), component(random_below(i)),
            component(random_below(i)), component(i), component(i), random_below(3), "xyzw"[random_below(4)]);
    for (unsigned i = 2; i < FLOAT_COUNT; i++) {
        if (random_below(3) == 0)
            say("%s %s, %s", random_below(2) ? "cov.u32f32" : "cov.s32f32", component(FLOATS + i), random_integer());
        else
            say("mul.f %s, r4.%c, c%u.%c", component(FLOATS + i), "xy"[random_below(2)], random_below(4),
                "xyzw"[random_below(4)]);
    }
    for (unsigned i = 0; i < 2 * HALF_COUNT; i++)
        say("cov.f32f16 hr%u.%c, %s", HALVES / 2 + i / 4, "xyzw"[i % 4], random_float());
}

static void choose_targets(void)
{
    static const uint8_t factors[] = {ADRENO_BLEND_FACTOR_ZERO, ADRENO_BLEND_FACTOR_ONE, ADRENO_BLEND_FACTOR_SRC_ALPHA,
                                      ADRENO_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, ADRENO_BLEND_FACTOR_DST_COLOR};
    rig.is_codes = random_below(2);
    rig.is_tiled = random_below(2);
    rig.targets = rig.is_codes ? 1 + random_below(2) : TARGETS;
    for (unsigned t = 0; t < TARGETS; t++) {
        const struct packed *other = rig.is_codes && random_below(2) ? &ONE_OF(packed) : NULL;
        const bool blends = rig.is_codes && random_below(2) && !other;
        const unsigned format = !rig.is_codes     ? R32G32B32A32_UINT
                                : other           ? other->format
                                : random_below(2) ? R8G8B8A8_UNORM
                                                  : R16G16B16A16_FLOAT;
        const bool is_half = rig.is_codes && random_below(2),
                   is_srgb = format == R8G8B8A8_UNORM && random_below(4) == 0;
        const bool is_uint = !rig.is_codes || (other && other->is_uint), is_sint = other && other->is_sint;
        const unsigned regid = !rig.is_codes        ? output_rows[t]
                               : is_half            ? 2 * HALVES + 4 * random_below(4)
                               : is_uint || is_sint ? INTEGERS + 4 * random_below(3)
                                                    : FLOATS + 4 * random_below(3);
        const uint8_t source = ONE_OF(factors), destination = ONE_OF(factors);
        for (unsigned w = 0; w < WAYS; w++) {
            struct adreno_gpu *gpu = rig.ways[w].gpu;
            const unsigned texel_B = other                          ? other->texel_B
                                     : format == R8G8B8A8_UNORM     ? 4
                                     : format == R16G16B16A16_FLOAT ? 8
                                                                    : 16;
            SET_AT(gpu, RB_MRT_CONTROL, t, .COMPONENT_ENABLE = 15, .COLOR_BLEND_EN = blends, .ALPHA_BLEND_EN = blends);
            SET_AT(gpu, RB_MRT_BLEND_CONTROL, t, .RGB_SRC_FACTOR = source, .RGB_DEST_FACTOR = destination,
                   .ALPHA_SRC_FACTOR = source, .ALPHA_DEST_FACTOR = destination);
            SET_AT(gpu, RB_MRT_BUF_INFO, t, .COLOR_FORMAT = format,
                   .COLOR_TILE_MODE = rig.is_tiled ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR);
            SET_AT(gpu, RB_MRT_PITCH, t, .VALUE = 64 * texel_B);
            SET_AT(gpu, RB_MRT_ARRAY_PITCH, t, .VALUE = TARGET_B);
            set_va(gpu, ADRENO_REG_RB_MRT_BASE + t * ADRENO_REG_RB_MRT_BASE_STRIDE,
                   BASE_VA + TARGETS_AT + t * TARGET_B);
            gpu->regs[ADRENO_REG_RB_SRGB_CNTL] = (gpu->regs[ADRENO_REG_RB_SRGB_CNTL] & ~(1u << t)) | (uint32_t)is_srgb
                                                                                                         << t;
            gpu->regs[ADRENO_REG_SP_PS_OUTPUT + t] =
                adreno_pack_SP_PS_OUTPUT(&(struct adreno_SP_PS_OUTPUT){.REGID = regid, .HALF_PRECISION = is_half});
            gpu->regs[ADRENO_REG_SP_PS_MRT + t] =
                adreno_pack_SP_PS_MRT(&(struct adreno_SP_PS_MRT){.COLOR_UINT = is_uint, .COLOR_SINT = is_sint});
            gpu->regs[ADRENO_REG_RB_PS_OUTPUT_MASK] = (uint32_t)bits_mask(4 * rig.targets);
            SET(gpu, RB_PS_MRT_CNTL, .MRT = rig.targets);
        }
        if (t < 2)
            rig.formats[t] = format;
    }
}

static float random_between(float low, float high)
{
    return low + (high - low) * (float)(random_32() >> 8) / (float)(1 << 24);
}

static void begin(uint64_t number)
{
    (void)number;
    rig.is_straight = random_below(2);
    rig.has_place = random_below(2);
    rig.kills = random_below(3) == 0;
    rig.width = 8 + random_below(50);
    rig.height = 8 + random_below(40);
    for (unsigned i = 0; i < CORNERS; i++) {
        const float w = random_between(0.5f, 2);
        rig.corners[i][0] = w * random_between(-1.2f, 0.2f);
        rig.corners[i][1] = w * random_between(-1.2f, 0.2f);
        rig.corners[i][3] = w;
    }
    for (unsigned i = 0; i < 16; i++)
        rig.constants[i] = i == 12   ? 0x447a0000 /* 1000.0 */
                           : i == 13 ? 0x00ffffff /* the smallest ones but a few */
                                     : random_interesting();
    choose_targets();
    for (unsigned w = 0; w < WAYS; w++) {
        for (unsigned i = 0; i < ELEMENTS; i++)
            ((uint32_t *)(void *)(rig.ways[w].memory + DATA_AT))[i] = i * 0x9e3779b1u;
    }
    set_registers();
}

/* Some alphas are so small that products with them are none: blending must say the same of them. */
static void end(void)
{
    for (unsigned i = 0; i < FLOAT_COUNT / 4 && random_below(3) == 0; i++)
        say("mul.f r%u.w, r%u.w, c3.y", FLOATS / 4 + i, 4 + random_below(3));
    say("end");
}

static void add_load(void)
{
    if (random_below(2)) {
        say("and.b r3.y, %s, 255", random_integer());
        say("isam.v.1d (u32)(xy)r%u.x, r3.y, s#0, t#1", random_below(2));
    } else {
        const unsigned from = FLOATS + random_below(FLOAT_COUNT - 1);
        say("sam (f32)(%s)r%u.x, %s, s#0, t#0", random_below(2) ? "xyzw" : "x", 4 + random_below(3), component(from));
    }
}

static void straight(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        switch (random_below(30)) {
        case 0:
            random_ops_add_quad();
            break;
        case 1:
            say("bary.f %s, %u, r13.x", random_float(), random_below(2));
            break;
        case 2:
            say("flat.b %s, %u, r0.x", random_float(), random_below(2));
            break;
        case 3:
            if (random_below(3) == 0)
                add_load();
            break;
        default:
            random_ops_add();
        }
    }
}

/* Such programs have no memory that they write: fragments are killed in its place. */
static void memory(void)
{
    if (!rig.kills)
        return;
    say("cmps.u.lt p0.z, %s, %u", random_integer(), random_below(1000));
    say("kill %sp0.z", random_below(8) ? "" : "!");
}

static void open_if(unsigned depth, unsigned id)
{
    if (!rig.is_straight)
        random_ops_open_if(depth, id);
}

static void other(unsigned depth, unsigned id)
{
    if (!rig.is_straight)
        random_ops_other(depth, id);
}

static void close_if(unsigned depth, unsigned id, bool has_other)
{
    if (!rig.is_straight)
        random_ops_close_if(depth, id, has_other);
}

static void open_loop(unsigned depth, unsigned id, bool is_own)
{
    if (!rig.is_straight)
        random_ops_open_loop(depth, id, is_own);
}

static void leave(unsigned depth, unsigned id)
{
    if (!rig.is_straight)
        random_ops_leave(depth, id);
}

static void close_loop(unsigned depth, unsigned id, bool is_own)
{
    if (!rig.is_straight)
        random_ops_close_loop(depth, id, is_own);
}

/* ---- both ways ---- */

static bool draw(unsigned number)
{
    struct way *way = &rig.ways[number];
    struct adreno_gpu *gpu = way->gpu;
    const struct adreno_draw draw = {.topology = ADRENO_PRIM_TYPE_TRILIST,
                                     .source = ADRENO_SRC_SEL_AUTO_INDEX,
                                     .instance_count = 1,
                                     .count = CORNERS};
    unsigned wrong;
    if (adreno_isa_assemble(random_text(), (uint64_t *)(void *)way->memory, VERTEX_CODE_AT / 8, &wrong) < 0)
        return random_differs("line %u is not read", wrong);
    memcpy(way->memory + VERTICES_AT, rig.corners, sizeof(rig.corners));
    memcpy(gpu->hlsq->stages[ADRENO_STAGE_FS].constants, rig.constants, sizeof(rig.constants));
    SET(gpu, SP_PS_CNTL_0, .MERGEDREGS = true, .THREADSIZE = ADRENO_THREADSIZE_THREAD128);
    gpu->regs[ADRENO_REG_SP_REG_PROG_ID_1] = 0xfcfcfc00u | 52;
    gpu->regs[ADRENO_REG_SP_REG_PROG_ID_2] = adreno_pack_SP_REG_PROG_ID_2(
        &(struct adreno_SP_REG_PROG_ID_2){.IJ_PERSP_SAMPLE = ADRENO_NO_REG,
                                          .IJ_LINEAR_SAMPLE = ADRENO_NO_REG,
                                          .XYCOORDREGID = rig.has_place ? 54 : ADRENO_NO_REG,
                                          .ZWCOORDREGID = ADRENO_NO_REG});
    SET(gpu, GRAS_SC_WINDOW_SCISSOR_BR, .X = rig.width - 1, .Y = rig.height - 1);
    gpu->reg_changes++;
    adreno_sp_code_validate(adreno_hlsq_sp(gpu, 0)->code);
    memset(&way->code->counts, 0, sizeof(way->code->counts));
    for (unsigned i = 0; i < DRAWS; i++) {
        memset(way->memory + TARGETS_AT, 0x35, TARGETS * TARGET_B);
        if (!adreno_draw(gpu, &draw))
            return random_differs("%s: %s", number ? "host code" : "micro-operations", gpu_stop_text(&gpu->stop));
    }
    return true;
}

static bool is_same_word(unsigned target, unsigned word, uint32_t a, uint32_t b)
{
    if (!rig.is_codes)
        return random_is_same(output_rows[target] + word % 4, a, b);
    return rig.formats[target] == R16G16B16A16_FLOAT ? random_is_same(HALVES, a, b) : a == b;
}

static bool run(void)
{
    if (!draw(0) || !draw(1))
        return false;
    for (unsigned t = 0; t < rig.targets; t++) {
        const uint32_t *a = (const uint32_t *)(void *)(rig.ways[0].memory + TARGETS_AT + t * TARGET_B);
        const uint32_t *b = (const uint32_t *)(void *)(rig.ways[1].memory + TARGETS_AT + t * TARGET_B);
        for (unsigned i = 0; i < TARGET_B / 4; i++) {
            if (!is_same_word(t, i, a[i], b[i]))
                return random_differs("target %u, dword %u: %08x, by host code %08x", t, i, a[i], b[i]);
        }
    }
    return true;
}

static const struct exec_counts *counts(void)
{
    const struct exec_code *code = rig.ways[1].code;
    rig.counts = code->counts;
    for (const struct pixel_joined *joined = code->joined; joined; joined = joined->next)
        rig.counts.joins +=
            joined->variants[0].state == PIXEL_JOIN_READY || joined->variants[1].state == PIXEL_JOIN_READY;
    rig.counts.runs += rig.counts.joins;
    return &rig.counts;
}

const struct random_isa random_isa = {
    .name = "fs",
    .setup = setup,
    .teardown = teardown,
    .begin = begin,
    .end = end,
    .straight = straight,
    .memory = memory,
    .open_if = open_if,
    .other = other,
    .close_if = close_if,
    .open_loop = open_loop,
    .leave = leave,
    .close_loop = close_loop,
    .run = run,
    .counts = counts,
    .has_joins = true,
};
