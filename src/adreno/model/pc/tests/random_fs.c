/* Random fragment programs of Adreno's for model/exec/tests/random_code.h, on both ways from the quads to the targets:
 * wave by wave by micro-operations, and as host code, joined with what becomes of the colours where they can be
 * (adreno/model/gras/gras_join.h).
 *
 * A program draws three triangles, whose edges cut quads and waves. A third of the programs are straight and a third
 * have branches but no loops: these are the ones that are joined. In the former all parts run, one after the other.
 * r13.xy are the centre's weights, r13.zw the place, if it is asked for; all other registers are set before they are
 * read (sp/tests/random_ops.h). */
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
#include "adreno/model/pc/tests/random_targets.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/tests/random_ops.h"
#include "model/pixel/pixel_join.h"
#include "util/bits.h"

#define WAYS 2
#define BASE_VA 0x100000000ull
#define MEMORY_B (4u << 20)
#define VERTEX_CODE_AT 0x10000u
#define VERTICES_AT 0x11000u
#define DATA_AT 0x12000u /* a buffer */
#define ELEMENTS 200u
#define TEXELS_AT 0x14000u
#define TEXELS 32u /* each way */
#define TARGETS_AT 0x100000u
#define TARGET_B 0x40000u /* 64 by 64 of the widest texels with four samples */
#define TARGETS 8u
#define SIDE 64u
#define GMEM_TARGETS 1u /* that GMEM has room for */
#define CORNERS 9u
#define DRAWS 2    /* code is made of what has run */
#define LOADED 28u /* component: where texture loads before the program go */

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
    bool is_straight, has_loops, has_place, kills, is_tiled, is_gmem;
    bool is_codes; /* one to three targets that become words in the program */
    unsigned targets, samples_log2;
    struct random_target target[TARGETS];
    uint8_t before[TARGET_B]; /* in targets */
    bool is_load_half;
    unsigned load_mask; /* 0: there is none */
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
};

static void bind_way(struct way *way)
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
    SET(way->gpu, RB_BLEND_CNTL, .SAMPLE_MASK = 0xffff);
    bind_way(way);
    return way->code;
}

static bool setup(void)
{
    for (uint32_t i = 0; i < TARGET_B; i++)
        rig.before[i] = (uint8_t)(i * 0x9e3779b1u >> 13 ^ i * 0x85ebca6bu >> 21);
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

/* Texels that a load before the program has brought, to floats. */
static void take_loads(void)
{
    bits_foreach (rig.load_mask, c) {
        if (rig.is_load_half)
            say("cov.f16f32 %s, hr%u.%c", random_float(), LOADED / 2, "xyzw"[c]);
        else
            say("mov.f32f32 %s, %s", random_float(), component(LOADED + (unsigned)c));
    }
}

static void choose_loads(void)
{
    rig.load_mask = random_below(3) ? 0 : random_below(2) ? 15 : 1 + random_below(15);
    rig.is_load_half = random_below(3) == 0;
    for (unsigned w = 0; w < WAYS; w++) {
        struct adreno_gpu *gpu = rig.ways[w].gpu;
        SET(gpu, SP_PS_INITIAL_TEX_LOAD_CNTL, .COUNT = rig.load_mask != 0);
        gpu->regs[ADRENO_REG_SP_PS_INITIAL_TEX_LOAD_CMD] = adreno_pack_SP_PS_INITIAL_TEX_LOAD_CMD(
            &(struct adreno_SP_PS_INITIAL_TEX_LOAD_CMD){.DST = rig.is_load_half ? 2 * LOADED : LOADED,
                                                        .WRMASK = rig.load_mask,
                                                        .HALF = rig.is_load_half,
                                                        .CMD = ADRENO_TEX_PREFETCH_CMD_SAM});
    }
}

/* State that is true of all targets. */
static void set_place(struct adreno_gpu *gpu)
{
    SET(gpu, RB_CNTL, .BUFFERS_LOCATION = rig.is_gmem ? ADRENO_BUFFERS_LOCATION_GMEM : ADRENO_BUFFERS_LOCATION_SYSMEM,
        .BINW = SIDE, .BINH = SIDE);
    SET(gpu, RB_DEST_MSAA_CNTL, .SAMPLES = rig.samples_log2);
    SET(gpu, GRAS_SC_DEST_MSAA_CNTL, .SAMPLES = rig.samples_log2);
    SET(gpu, GRAS_SC_RAS_MSAA_CNTL, .SAMPLES = rig.samples_log2);
    SET(gpu, RB_PS_MRT_CNTL, .MRT = rig.targets);
    gpu->regs[ADRENO_REG_RB_PS_OUTPUT_MASK] = (uint32_t)bits_mask(4 * rig.targets);
}

static void set_target(struct adreno_gpu *gpu, unsigned t, unsigned regid, bool is_half)
{
    const struct random_target *target = &rig.target[t];
    const uint32_t texel_B = (uint32_t)target->info->block_size_B << rig.samples_log2;
    gpu->regs[ADRENO_REG_RB_MRT_CONTROL + t * ADRENO_REG_RB_MRT_CONTROL_STRIDE] = target->control;
    gpu->regs[ADRENO_REG_RB_MRT_BLEND_CONTROL + t * ADRENO_REG_RB_MRT_BLEND_CONTROL_STRIDE] = target->blend;
    SET_AT(gpu, RB_MRT_BUF_INFO, t, .COLOR_FORMAT = target->number,
           .COLOR_TILE_MODE = rig.is_tiled ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR);
    SET_AT(gpu, RB_MRT_PITCH, t, .VALUE = SIDE * texel_B);
    SET_AT(gpu, RB_MRT_ARRAY_PITCH, t, .VALUE = TARGET_B);
    SET_AT(gpu, RB_MRT_BASE_GMEM, t, .VALUE = t * TARGET_B);
    set_va(gpu, ADRENO_REG_RB_MRT_BASE + t * ADRENO_REG_RB_MRT_BASE_STRIDE, BASE_VA + TARGETS_AT + t * TARGET_B);
    gpu->regs[ADRENO_REG_RB_SRGB_CNTL] = (gpu->regs[ADRENO_REG_RB_SRGB_CNTL] & ~(1u << t)) | (uint32_t)target->is_srgb
                                                                                                 << t;
    gpu->regs[ADRENO_REG_SP_PS_OUTPUT + t] =
        adreno_pack_SP_PS_OUTPUT(&(struct adreno_SP_PS_OUTPUT){.REGID = regid, .HALF_PRECISION = is_half});
    gpu->regs[ADRENO_REG_SP_PS_MRT + t] =
        adreno_pack_SP_PS_MRT(&(struct adreno_SP_PS_MRT){.COLOR_UINT = target->info->numeric == FORMAT_NUMERIC_UINT,
                                                         .COLOR_SINT = target->info->numeric == FORMAT_NUMERIC_SINT});
}

static void choose_targets(void)
{
    rig.is_codes = random_below(3) != 0;
    rig.is_tiled = random_below(2);
    rig.targets = rig.is_codes ? 1 + random_below(3) : TARGETS;
    rig.is_gmem = rig.targets <= GMEM_TARGETS && random_below(2);
    rig.samples_log2 = rig.is_codes && random_below(4) == 0 ? 2 : 0;
    for (unsigned t = 0; t < rig.targets; t++) {
        struct random_target *target = &rig.target[t];
        if (!rig.is_codes)
            random_target_plain(target);
        else if (random_below(3) == 0)
            random_target_usual(target);
        else
            random_target_any(target, t == 0 && rig.targets > 1);
        const bool is_half = rig.is_codes && random_below(2),
                   is_integer =
                       target->info->numeric == FORMAT_NUMERIC_UINT || target->info->numeric == FORMAT_NUMERIC_SINT;
        /* No integers from floats' registers: which NaN there is, is the host's. */
        const unsigned regid = !rig.is_codes           ? output_rows[t]
                               : is_half && is_integer ? 2 * INTEGERS + 4 * random_below(4)
                               : is_half               ? 2 * HALVES + 4 * random_below(4)
                               : is_integer            ? INTEGERS + 4 * random_below(3)
                                                       : FLOATS + 4 * random_below(3);
        for (unsigned w = 0; w < WAYS; w++)
            set_target(rig.ways[w].gpu, t, regid, is_half);
    }
    for (unsigned i = 0; i < 4; i++) {
        const float constant = (float)random_below(100) / 80;
        for (unsigned w = 0; w < WAYS; w++)
            rig.ways[w].gpu->regs[ADRENO_REG_RB_BLEND_CONSTANT_RED_FP32 + i] = float_bits(constant);
    }
    for (unsigned w = 0; w < WAYS; w++)
        set_place(rig.ways[w].gpu);
}

static float random_between(float low, float high)
{
    return low + (high - low) * (float)(random_32() >> 8) / (float)(1 << 24);
}

static void begin_case(uint64_t number)
{
    (void)number;
    rig.is_straight = random_below(3) == 0;
    rig.has_loops = !rig.is_straight && random_below(2);
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
    choose_loads();
    for (unsigned w = 0; w < WAYS; w++) {
        for (unsigned i = 0; i < ELEMENTS; i++)
            ((uint32_t *)(void *)(rig.ways[w].memory + DATA_AT))[i] = i * 0x9e3779b1u;
    }
    set_registers();
    if (random_below(2))
        take_loads();
}

/* Some alphas are so small that products with them are none: blending must say the same of them. */
static void end_case(void)
{
    take_loads();
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
            if (random_below(rig.is_straight ? 3 : 2) == 0)
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
    if (rig.has_loops)
        random_ops_open_loop(depth, id, is_own);
}

static void leave_block(unsigned depth, unsigned id)
{
    if (rig.has_loops)
        random_ops_leave(depth, id);
}

static void close_loop(unsigned depth, unsigned id, bool is_own)
{
    if (rig.has_loops)
        random_ops_close_loop(depth, id, is_own);
}

/* ---- both ways ---- */

static uint8_t *targets_of(const struct way *way)
{
    return rig.is_gmem ? way->gpu->gmem : way->memory + TARGETS_AT;
}

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
        for (unsigned t = 0; t < rig.targets; t++)
            memcpy(targets_of(way) + t * TARGET_B, rig.before, TARGET_B);
        if (!adreno_draw(gpu, &draw))
            return random_differs("%s: %s", number ? "host code" : "micro-operations", gpu_stop_text(&gpu->stop));
    }
    return true;
}

static bool is_same(unsigned t, const uint8_t *a, const uint8_t *b)
{
    const uint32_t size_B = rig.target[t].info->block_size_B;
    for (uint32_t at = 0; at < TARGET_B; at += size_B) {
        const uint8_t *of_a = a + at, *of_b = b + at;
        uint32_t words[2][4] = {{0}};
        if (random_target_is_same(&rig.target[t], of_a, of_b))
            continue;
        memcpy(words[0], of_a, size_B);
        memcpy(words[1], of_b, size_B);
        bool are_nans = !rig.is_codes; /* in registers */
        for (unsigned i = 0; i < 4 && are_nans; i++)
            are_nans = random_is_same(output_rows[t] + i, words[0][i], words[1][i]);
        if (are_nans)
            continue;
        return random_differs(
            "target %u of format %u, %u bytes, at %u: %08x%08x%08x%08x, by host code %08x%08x%08x%08x "
            "(control %x, blending %x, samples %u)",
            t, rig.target[t].number, size_B, at, words[0][3], words[0][2], words[0][1], words[0][0], words[1][3],
            words[1][2], words[1][1], words[1][0], rig.target[t].control, rig.target[t].blend, 1u << rig.samples_log2);
    }
    return true;
}

static bool run_program(void)
{
    if (!draw(0) || !draw(1))
        return false;
    for (unsigned t = 0; t < rig.targets; t++) {
        const uint8_t *a = targets_of(&rig.ways[0]) + t * TARGET_B, *b = targets_of(&rig.ways[1]) + t * TARGET_B;
        if (memcmp(a, b, TARGET_B) != 0 && !is_same(t, a, b))
            return false;
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
    .begin = begin_case,
    .end = end_case,
    .straight = straight,
    .memory = memory,
    .open_if = open_if,
    .other = other,
    .close_if = close_if,
    .open_loop = open_loop,
    .leave = leave_block,
    .close_loop = close_loop,
    .run = run_program,
    .counts = counts,
    .has_joins = true,
};
