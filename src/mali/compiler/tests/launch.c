/* See launch.h. */
#include "mali/compiler/tests/launch.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mali/hw/chip.h"
#include "mali/hw/descriptors.h"
#include "mali/hw/instructions.h"
#include "mali/hw/regs_compute.h"
#include "mali/model/blocks.h"
#include "model/workers.h"
#include "util/bits.h"

/* After the code. */
#define UNIFORMS_B 0x60000u
#define PUSH_B 0x61000u
#define PROGRAM_B 0x62000u
#define STORAGE_B 0x62100u
#define TABLES_B 0x62200u
#define SET_B 0x63000u

#define LOCAL_VA(launch) ((launch)->va + 0x800000) /* local storage: of workgroups, then of threads */
#define WLS_B 0x100000u
#define LOCAL_B 0x800000u

bool launch_begin(struct launch *launch)
{
    const int fd = memfd_create("local", 0);
    const bool is_mapped = fd >= 0 && ftruncate(fd, LOCAL_B) == 0 &&
                           gpu_space_map_file(launch->space, LOCAL_VA(launch), LOCAL_B, fd, 0, GPU_PERM_RWX) == 0;
    if (fd >= 0)
        close(fd);
    launch->gpu = is_mapped ? mali_gpu_create(mali_chip_find("mali-g610"), NULL, workers_create_default()) : NULL;
    launch->queue = &launch->group.queues[0];
    launch->queue->gpu = launch->gpu;
    launch->queue->group = &launch->group;
    launch->queue->space = launch->space;
    launch->group.space = launch->space;
    gpu_stop_init(&launch->queue->stop);
    return launch->gpu != NULL;
}

void launch_end(struct launch *launch)
{
    gpu_stop_finish(&launch->queue->stop);
    mali_gpu_destroy(launch->gpu);
}

static uint8_t *at(const struct launch *launch, uint32_t offset_B)
{
    return launch->memory + launch->code_B + offset_B;
}

static uint64_t va_of(const struct launch *launch, uint32_t offset_B)
{
    return launch->va + launch->code_B + offset_B;
}

static void put_address(uint32_t *words, uint64_t va)
{
    words[0] = (uint32_t)va;
    words[1] = (uint32_t)(va >> 32);
}

static void write_uniforms(struct launch *launch, const struct launch_run *run)
{
    const struct mali_fau_layout *fau = &run->binary->config.fau;
    uint32_t *words = (uint32_t *)at(launch, UNIFORMS_B);
    memset(words, 0, MALI_FAU_WORDS_MAX * 4);
    memcpy(at(launch, PUSH_B), run->push, run->push_size_B);
    if (fau->push_offset_B < run->push_size_B)
        memcpy(words, (const char *)run->push + fau->push_offset_B,
               MIN2(fau->push_words * 4u, run->push_size_B - fau->push_offset_B));
    if (fau->sysval[MALI_SYSVAL_PUSH_ADDRESS] != MALI_FAU_UNUSED)
        put_address(words + fau->sysval[MALI_SYSVAL_PUSH_ADDRESS], va_of(launch, PUSH_B));
    if (fau->sysval[MALI_SYSVAL_DATA_ADDRESS] != MALI_FAU_UNUSED)
        put_address(words + fau->sysval[MALI_SYSVAL_DATA_ADDRESS], va_of(launch, run->binary->code_size_B));
    if (fau->sysval[MALI_SYSVAL_WORKGROUPS] != MALI_FAU_UNUSED)
        memcpy(words + fau->sysval[MALI_SYSVAL_WORKGROUPS], run->groups, sizeof(run->groups));
    memcpy(words + fau->first_immediate, run->binary->immediates, run->binary->num_immediates * 4);
}

static unsigned log2_up(uint32_t value)
{
    unsigned n = 0;
    while ((1u << n) < value)
        n++;
    return n;
}

static void write_descriptors(struct launch *launch, const struct launch_run *run)
{
    const struct mali_shader_config *config = &run->binary->config;
    mali_pack_desc_SHADER_PROGRAM(
        (uint32_t *)at(launch, PROGRAM_B),
        &(struct mali_desc_SHADER_PROGRAM){.TYPE = MALI_DESCRIPTOR_TYPE_SHADER,
                                           .STAGE = MALI_SHADER_STAGE_COMPUTE,
                                           .FLUSH_TO_ZERO_MODE = config->main.flushes_denormals
                                                                     ? MALI_FTZ_MODE_ALWAYS
                                                                     : MALI_FTZ_MODE_PRESERVE_SUBNORMALS,
                                           .PRELOAD = config->main.preload,
                                           .BINARY = va_of(launch, config->main.offset_B)});
    mali_pack_desc_LOCAL_STORAGE(
        (uint32_t *)at(launch, STORAGE_B),
        &(struct mali_desc_LOCAL_STORAGE){
            .TLS_SIZE = config->private_size_B ? log2_up(MAX2(config->private_size_B, 16u)) - 4 : 0,
            .WLS_INSTANCES = config->local_size_B ? 8 : 0x80000000u,
            .WLS_SIZE_SCALE = config->local_size_B ? log2_up(config->local_size_B) + 1 : 0,
            .TLS_BASE_POINTER = config->private_size_B ? LOCAL_VA(launch) + WLS_B : 0,
            .WLS_BASE_POINTER = LOCAL_VA(launch)});
    for (unsigned i = 0; i < run->num_buffers; i++)
        mali_pack_desc_BUFFER((uint32_t *)at(launch, SET_B + i * 32),
                              &(struct mali_desc_BUFFER){.TYPE = MALI_DESCRIPTOR_TYPE_BUFFER,
                                                         .BUFFER_TYPE = MALI_BUFFER_TYPE_SIMPLE,
                                                         .SIZE = run->buffers[i].size_B,
                                                         .ADDRESS = launch->va + run->buffers[i].offset_B});
    for (unsigned i = 0; i < 2; i++) /* the driver's table has nothing */
        mali_pack_desc_RESOURCE(
            (uint32_t *)at(launch, TABLES_B + i * 16),
            &(struct mali_desc_RESOURCE){.ADDRESS = va_of(launch, SET_B), .SIZE = i ? run->num_buffers * 32 : 0});
}

static void set_registers(const struct launch *launch, const struct launch_run *run, struct mali_run *out)
{
    const struct mali_shader_config *config = &run->binary->config;
    const uint64_t uniforms = va_of(launch, UNIFORMS_B) | (uint64_t)(config->fau.words / 2) << 56;
    uint32_t *regs = out->regs;
    put_address(regs + 0, va_of(launch, TABLES_B) | 2);
    put_address(regs + 8, config->fau.words ? uniforms : 0);
    put_address(regs + 16, va_of(launch, PROGRAM_B));
    put_address(regs + 24, va_of(launch, STORAGE_B));
    regs[MALI_REG_COMPUTE_WORKGROUP_SIZE - MALI_REG_COMPUTE_SRT] = mali_pack_COMPUTE_WORKGROUP_SIZE(
        &(struct mali_COMPUTE_WORKGROUP_SIZE){.X = config->cs.workgroup_size[0],
                                              .Y = config->cs.workgroup_size[1],
                                              .Z = config->cs.workgroup_size[2],
                                              .ALLOW_MERGING_WORKGROUPS = config->cs.may_merge});
    memcpy(regs + (MALI_REG_COMPUTE_JOB_SIZE_X - MALI_REG_COMPUTE_SRT), run->groups, sizeof(run->groups));
}

bool launch_compute(struct launch *launch, const struct launch_run *run, char error_out[512])
{
    if (run->binary->size_B > UNIFORMS_B) {
        snprintf(error_out, 512, "the program has %u bytes", run->binary->size_B);
        return false;
    }
    memcpy(at(launch, 0), run->binary->words, run->binary->size_B);
    write_uniforms(launch, run);
    write_descriptors(launch, run);
    mali_sc_invalidate_code(launch->gpu);
    struct mali_run job = {.queue = launch->queue};
    job.word = mali_pack_cs_RUN_COMPUTE(&(struct mali_cs_RUN_COMPUTE){0});
    set_registers(launch, run, &job);
    const bool ok = mali_sc_run_compute(&job);
    if (!ok) {
        const char *text = gpu_stop_text(&launch->queue->stop);
        snprintf(error_out, 512, "%s", text ? text : "stopped");
        gpu_stop_finish(&launch->queue->stop);
        gpu_stop_init(&launch->queue->stop);
    }
    return ok;
}
