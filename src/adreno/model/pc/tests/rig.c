/* See rig.h. */
#include "adreno/model/pc/tests/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/model/pc/tests/plain_state.h"
#include "adreno/model/sp/join.h"
#include "adreno/model/sp/lanewise.h"
#include "isa/lane_env.h"
#include "util/bits.h"

struct rig rig;

/* ---- the stop ---- */

bool adreno_stop(struct adreno_gpu *gpu, enum adreno_stop_kind kind, const char *format, ...)
{
    va_list args;
    if (atomic_exchange(&gpu->stop.is_set, true))
        return false;
    gpu->stop.kind = (enum gpu_stop_kind)kind;
    va_start(args, format);
    vsnprintf(rig.stop, sizeof(rig.stop), format, args);
    va_end(args);
    return false;
}

bool adreno_fault(struct adreno_gpu *gpu, const char *client, uint64_t va, uint64_t size_B, bool is_write)
{
    return adreno_stop(gpu, ADRENO_STOP_FAULT, "%s: %s of %llu bytes at 0x%llx", client, is_write ? "write" : "read",
                       (unsigned long long)size_B, (unsigned long long)va);
}

bool adreno_stop_register(struct adreno_gpu *gpu, uint32_t reg, const char *why)
{
    return adreno_stop(gpu, ADRENO_STOP_UNIMPLEMENTED, "register 0x%x = 0x%x: %s", reg, gpu->regs[reg], why);
}

/* ---- shaders ---- */

struct adreno_sp {
    struct adreno_wave *wave;
};

bool adreno_hlsq_program(struct adreno_gpu *gpu, enum adreno_stage stage, struct adreno_launch *launch_out)
{
    *launch_out = (struct adreno_launch){.stage = stage, .lanes = 64, .gpu = gpu, .serial = 1};
    return true;
}

static struct adreno_sp processors[64];

struct adreno_sp *adreno_hlsq_sp(struct adreno_gpu *gpu, unsigned worker)
{
    struct adreno_sp *sp = &processors[worker];
    if (!sp->wave)
        sp->wave = aligned_alloc(64, sizeof(*sp->wave) + ADRENO_WAVE_ROWS * ADRENO_WAVE_LANES_MAX * 4);
    return sp;
}

bool adreno_sp_is_lanewise(const struct gpu_space *space, uint64_t va)
{
    return !rig.looks_at_lanes;
}

bool adreno_sp_enter(struct adreno_sp *sp, const struct adreno_launch *launch)
{
    return true;
}

struct adreno_wave *adreno_sp_begin(struct adreno_sp *sp, const struct adreno_launch *launch)
{
    memset(sp->wave, 0, sizeof(*sp->wave));
    if (launch->stage != ADRENO_STAGE_GS && launch->stage != ADRENO_STAGE_HS)
        memset(sp->wave->rows, 0xdd, (size_t)ADRENO_WAVE_ROWS * launch->lanes * 4);
    sp->wave->lanes = launch->lanes;
    sp->wave->launch = launch;
    sp->wave->env = lane_env_get();
    return sp->wave;
}

bool adreno_sp_run(struct adreno_wave *wave)
{
    void (*const shaders[ADRENO_STAGE_COUNT])(struct adreno_wave *) = {[ADRENO_STAGE_VS] = rig.vs,
                                                                       [ADRENO_STAGE_HS] = rig.hs,
                                                                       [ADRENO_STAGE_DS] = rig.ds,
                                                                       [ADRENO_STAGE_GS] = rig.gs,
                                                                       [ADRENO_STAGE_FS] = rig.fs};
    shaders[wave->launch->stage](wave);
    wave->has_chained = wave->launch->has_next;
    return true;
}

/* Shaders that are C functions are not joined with anything. */
struct exec_code *adreno_sp_join_code(const struct adreno_sp *sp)
{
    return NULL;
}

bool adreno_sp_join(struct sp_join *join)
{
    return false;
}

jit_value adreno_sp_join_row(struct sp_jit_builder *builder, unsigned row)
{
    return JIT_NONE;
}

struct adreno_wave *adreno_sp_join_wave(struct adreno_sp *sp, const struct adreno_launch *launch, uint32_t size_B)
{
    return NULL;
}

enum adreno_join_result adreno_sp_join_run(struct adreno_wave *wave, const struct pixel_variant *variant,
                                           const struct sp_join_between *between, uint32_t lanes)
{
    return ADRENO_JOIN_REFUSED;
}

void adreno_sp_report(struct adreno_gpu *gpu, const struct adreno_wave *wave)
{
}

void adreno_sp_strict_input(struct adreno_wave *wave, unsigned component, bool is_half)
{
}

void adreno_sp_strict_late(struct adreno_wave *wave, unsigned component, bool is_half)
{
}

/* ---- the texture unit is not asked ---- */

struct tpl1 *adreno_tpl1_create(void)
{
    return calloc(1, 1);
}

void adreno_tpl1_destroy(struct tpl1 *tpl1)
{
    free(tpl1);
}

void adreno_tpl1_state_init(struct tpl1_state *state, const struct adreno_chip *chip, const uint32_t *regs,
                            bool is_compute)
{
}

bool adreno_tpl1_run(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_request *request)
{
    return false;
}

const char *adreno_tpl1_problem(const struct tpl1 *tpl1)
{
    return "there is none";
}

bool adreno_tpl1_fault(const struct tpl1 *tpl1, uint64_t *va_out)
{
    return false;
}

/* ---- the RB ---- */

bool adreno_rb_draw_init(struct adreno_rb_draw *draw, struct adreno_gpu *gpu)
{
    *draw = (struct adreno_rb_draw){
        .gpu = gpu,
        .is_early = rig.is_early,
        .sample_mask = rig.sample_mask,
        .samples_log2 = rig.samples_log2,
        .used = 1,
        .outputs = 1,
        .depth.writes_z = rig.has_depth,
    };
    return true;
}

void adreno_rb_begin(struct adreno_rb *rb, const struct adreno_rb_draw *draw, const struct raster_coverage *coverage)
{
    *rb = (struct adreno_rb){.draw = draw, .coverage = coverage};
}

bool adreno_rb_end(struct adreno_rb *rb, struct adreno_gpu *gpu)
{
    return true;
}

void adreno_rb_cover(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, struct raster_quad *quads,
                     uint32_t count)
{
}

static void test_quad(const struct adreno_rb *rb, struct raster_quad *quad)
{
    const struct raster_prim *prim = quad->prim;
    bits_foreach (quad->mask, bit) {
        const unsigned p = (unsigned)bit / 8, s = bit % 8, x = quad->x + (p & 1), y = quad->y + p / 2;
        const float at_x = (float)x + rb->coverage->x[p][s] / (float)RASTER_LOCATION_ONE - prim->origin_x;
        const float at_y = (float)y + rb->coverage->y[p][s] / (float)RASTER_LOCATION_ONE - prim->origin_y;
        const float z = prim->z.at + prim->z.dx * at_x + prim->z.dy * at_y;
        float *depth = &rig.depth[y][x][s];
        if (rig.is_greater ? z > *depth : z < *depth)
            *depth = z;
        else
            quad->mask &= ~(1u << bit);
    }
}

void adreno_rb_test(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, struct raster_quad *quads,
                    uint32_t count)
{
    __atomic_fetch_add(&rig.tested, count, __ATOMIC_RELAXED);
    for (uint32_t i = 0; rig.has_depth && i < count; i++)
        test_quad(rb, &quads[i]);
}

/* Of joined programs, which there are none of here. */
bool adreno_rb_tests_blocks(const struct adreno_rb *rb)
{
    (void)rb;
    return false;
}

uint64_t adreno_rb_test_block(struct adreno_rb *rb, const struct raster_prim *prim, uint32_t x, uint32_t y,
                              uint64_t covered)
{
    (void)rb;
    (void)prim;
    (void)x;
    (void)y;
    return covered;
}

bool adreno_rb_store_codes(struct adreno_rb *rb, unsigned t, uint32_t (*codes)[ADRENO_RB_CODE_LANES],
                           const struct raster_quad *quads, uint32_t count)
{
    return false;
}

bool adreno_rb_load_codes(struct adreno_rb *rb, unsigned t, uint32_t (*codes)[ADRENO_RB_CODE_LANES],
                          const struct raster_quad *quads, uint32_t count)
{
    return false;
}

uint32_t adreno_rb_count_apart(const struct raster_quad *quads, uint32_t count)
{
    return 0;
}

bool adreno_rb_takes_blocks(const struct adreno_rb_target *target)
{
    return false;
}

bool adreno_rb_open_block(struct adreno_rb *rb, unsigned t, uint32_t x, uint32_t y, uint32_t layer,
                          struct adreno_rb_block *block)
{
    return false;
}

void adreno_rb_load_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES])
{
}

void adreno_rb_store_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES], uint64_t drawn)
{
}

void adreno_rb_write(struct adreno_rb *rb, const struct adreno_rb_shaded *shaded, const struct raster_quad *quads,
                     uint32_t count)
{
    for (uint32_t lane = 0; lane < count * 4; lane++) {
        const struct raster_quad *quad = &quads[lane / 4];
        const unsigned p = lane & 3, x = quad->x + (p & 1), y = quad->y + p / 2;
        uint8_t mask = quad->mask >> p * 8 & 0xff;
        if (!mask)
            continue;
        rig.pixels[y][x] = shaded->colors[0][0][lane];
        rig.samples[y][x] |= mask;
        rig.layers[y][x] |= (uint16_t)(1u << quad->prim->layer);
    }
}

/* ---- the GPU ---- */

int rig_setup(void **state)
{
    memset(&rig, 0, sizeof(rig));
    int fd = memfd_create("rig", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, RIG_SIZE_B) == 0);
    assert_int_equal(gpu_space_init(&rig.space, &(struct gpu_extent){RIG_VA, 1ull << 28}, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig.space, RIG_VA, RIG_SIZE_B, fd, 0, GPU_PERM_RWX), 0);
    close(fd);
    rig.memory = gpu_space_whole(&rig.space, RIG_VA, RIG_SIZE_B, GPU_PERM_RWX);
    rig.gpu = calloc(1, sizeof(*rig.gpu));
    assert_non_null(rig.gpu);
    rig.gpu->chip = adreno_chip_find("adreno-635");
    rig.gpu->workers = workers_create(2);
    rig.gpu->space = &rig.space;
    rig.sample_mask = 0xffff;
    plain_state_set(rig.gpu);
    return adreno_pc_create(rig.gpu) ? 0 : -1;
}

int rig_teardown(void **state)
{
    adreno_pc_destroy(rig.gpu);
    workers_destroy(rig.gpu->workers);
    gpu_space_finish(&rig.space);
    free(rig.gpu);
    for (unsigned i = 0; i < ARRAY_SIZE(processors); i++) {
        free(processors[i].wave);
        processors[i].wave = NULL;
    }
    return 0;
}

void rig_positions(uint64_t va, const float (*positions)[4], unsigned count)
{
    memcpy(rig.memory + (va - RIG_VA), positions, count * sizeof(*positions));
    plain_state_positions(rig.gpu, va, count);
}

bool rig_draw(enum adreno_PRIM_TYPE type, uint32_t count)
{
    const struct adreno_draw draw = {.topology = type,
                                     .source = ADRENO_SRC_SEL_AUTO_INDEX,
                                     .patch_type = rig.patch_type,
                                     .has_gs = rig.gs,
                                     .has_tess = rig.hs,
                                     .instance_count = 1,
                                     .count = count};
    return adreno_draw(rig.gpu, &draw);
}

unsigned rig_drawn(void)
{
    unsigned count = 0;
    for (unsigned y = 0; y < RIG_SIZE; y++) {
        for (unsigned x = 0; x < RIG_SIZE; x++)
            count += rig.samples[y][x] != 0;
    }
    return count;
}
