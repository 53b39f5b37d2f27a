/* The corpus through our A6xx compiler: every compute shader of a list, with the optimiser and without, on the model's
 * shader processor in strict mode, without a driver. Prints a line for each and writes what the shader left in memory.
 *
 *     run_model LIST DIRECTORY        LIST: lines of world.h */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "adreno/compiler/compiler.h"
#include "adreno/hw/chip.h"
#include "adreno/hw/descriptors.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/model/blocks.h"
#include "adreno/model/gpu.h"
#include "adreno/model/hlsq/hlsq.h"
#include "compiler/spirv/spirv.h"
#include "model/workers.h"
#include "rig.h"
#include "util/bits.h"
#include "util/file.h"
#include "world.h"

#define BINDINGS 4
#define FORMAT_R32_UINT 75

static const struct {
    const char *name;
    unsigned wave_size;
    bool is_plain;
} shapes[] = {{"w128", 128, false}, {"w64", 64, false}, {"w128-plain", 128, true}, {"w64-plain", 64, true}};

/* Where the buffers of the world lie: a page after each, so that what is outside is not the next one. */
struct range {
    uint32_t offset_B, size_B;
};
static const struct range ranges[BINDINGS] = {
    {0x1000, INPUT_B}, {0x20000, OUTPUT_B}, {0x30000, BLOCK_B}, {0x40000, SECOND_B}};
static const struct range addressed = {0x50000, ADDRESSED_B};

static bool rig_begin(struct rig *rig)
{
    const struct gpu_extent extent = {BASE_VA, 1 << 24};
    const int fd = memfd_create("shaders", 0);
    if (fd < 0 || ftruncate(fd, SIZE_B) != 0)
        return false;
    rig->memory = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const bool is_mapped = rig->memory != MAP_FAILED && gpu_space_init(&rig->space, &extent, 1) == 0 &&
                           gpu_space_map_file(&rig->space, BASE_VA, SIZE_B, fd, 0, GPU_PERM_RWX) == 0;
    close(fd);
    rig->gpu = is_mapped ? adreno_gpu_create(adreno_chip_find("adreno-635"), NULL, workers_create_default()) : NULL;
    return rig->gpu != NULL;
}

/* Set 0: buffers 0, 1 and 3 as storage, 2 as a uniform block. */
static void write_descriptors(struct rig *rig)
{
    for (unsigned i = 0; i < BINDINGS; i++) {
        uint32_t *words = (uint32_t *)(rig->memory + SETS_B + i * 64);
        const uint64_t va = BASE_VA + ranges[i].offset_B;
        memset(words, 0, 64);
        if (i == 2) {
            words[0] = (uint32_t)va;
            words[1] = (uint32_t)(va >> 32) | (ranges[i].size_B / 16) << 17;
        } else {
            adreno_pack_desc_BUFFER(words, &(struct adreno_desc_BUFFER){.FMT = FORMAT_R32_UINT,
                                                                        .NUM_ELEMENTS = ranges[i].size_B / 4,
                                                                        .STRUCTSIZETEXELS = 1,
                                                                        .TYPE = ADRENO_TEX_TYPE_BUFFER,
                                                                        .BASE = va});
        }
    }
    rig_put64(rig->gpu, ADRENO_REG_SP_CS_BINDLESS_BASE_DESCRIPTOR, BASE_VA + SETS_B);
}

void rig_write_constants(uint32_t *constants, const struct adreno_binary *binary, uint64_t code_va,
                         const struct world *world, const uint32_t groups[3])
{
    const struct adreno_shader_config *config = &binary->config;
    const uint64_t data = code_va + binary->code_size_B;
    memcpy(constants + config->first_push * 4, world->push, MIN2(config->push_size * 16u, PUSH_B));
    const uint32_t params[ADRENO_PARAM_COUNT][4] = {[ADRENO_PARAM_WORKGROUPS] = {groups[0], groups[1], groups[2]},
                                                    [ADRENO_PARAM_DATA] = {(uint32_t)data, (uint32_t)(data >> 32)}};
    for (unsigned i = 0; i < ADRENO_PARAM_COUNT; i++) {
        if (config->param[i] != ADRENO_CONST_UNUSED)
            memcpy(constants + config->param[i] * 4, params[i], sizeof(params[i]));
    }
    memcpy(constants + config->first_immediate * 4, binary->immediates, binary->num_immediates * 4);
}

static void write_registers(struct rig *rig, const struct adreno_binary *binary)
{
    const struct adreno_shader_config *config = &binary->config;
    uint32_t *regs = rig->gpu->regs;
    memcpy(rig->memory + CODE_B, binary->words, binary->size_B);
    rig_put64(rig->gpu, ADRENO_REG_SP_CS_BASE, BASE_VA + CODE_B);
    regs[ADRENO_REG_SP_CS_CNTL_0] = adreno_pack_SP_CS_CNTL_0(&(struct adreno_SP_CS_CNTL_0){
        .THREADSIZE = config->wave_size == 128, .MERGEDREGS = 1, .FULLREGFOOTPRINT = config->full_registers});
    regs[ADRENO_REG_SP_CS_PVT_MEM_PARAM] = (config->private_size_B + 511) / 512;
    regs[ADRENO_REG_SP_CS_CNTL_1] = adreno_pack_SP_CS_CNTL_1(
        &(struct adreno_SP_CS_CNTL_1){.SHARED_SIZE = config->local_size_B ? (config->local_size_B - 1) / 1024 : 0});
    regs[ADRENO_REG_SP_CS_NDRANGE_0] =
        adreno_pack_SP_CS_NDRANGE_0(&(struct adreno_SP_CS_NDRANGE_0){.KERNELDIM = 3,
                                                                     .LOCALSIZEX = config->cs.workgroup_size[0] - 1u,
                                                                     .LOCALSIZEY = config->cs.workgroup_size[1] - 1u,
                                                                     .LOCALSIZEZ = config->cs.workgroup_size[2] - 1u});
    regs[ADRENO_REG_SP_CS_CONST_CONFIG_0] = adreno_pack_SP_CS_CONST_CONFIG_0(
        &(struct adreno_SP_CS_CONST_CONFIG_0){.WGIDCONSTID = config->cs.workgroup_id_reg,
                                              .WGSIZECONSTID = ADRENO_REG_UNUSED,
                                              .WGOFFSETCONSTID = ADRENO_REG_UNUSED,
                                              .LOCALIDREGID = config->cs.local_id_reg});
    regs[ADRENO_REG_SP_CS_WGE_CNTL] =
        adreno_pack_SP_CS_WGE_CNTL(&(struct adreno_SP_CS_WGE_CNTL){.LINEARLOCALIDREGID = ADRENO_REG_UNUSED});
    adreno_hlsq_invalidate_code(rig->gpu);
}

static void bring_world(struct rig *rig, const struct world *world)
{
    const uint32_t *const contents[BINDINGS] = {world->input, world->output, world->block, world->second};
    adreno_gpu_reset(rig->gpu);
    rig->gpu->space = &rig->space;
    for (unsigned i = 0; i < BINDINGS; i++)
        memcpy(rig->memory + ranges[i].offset_B, contents[i], ranges[i].size_B);
    memcpy(rig->memory + addressed.offset_B, world->addressed, ADDRESSED_B);
    write_descriptors(rig);
}

static void take_world(struct rig *rig, struct world *world)
{
    uint32_t *const contents[BINDINGS] = {world->input, world->output, world->block, world->second};
    for (unsigned i = 0; i < BINDINGS; i++)
        memcpy(contents[i], rig->memory + ranges[i].offset_B, ranges[i].size_B);
    memcpy(world->addressed, rig->memory + addressed.offset_B, ADDRESSED_B);
}

static void take_reason(struct rig *rig, char error_out[512])
{
    snprintf(error_out, 512, "%s", rig->gpu->stop.text.text ? rig->gpu->stop.text.text : "stopped");
    gpu_stop_finish(&rig->gpu->stop);
    gpu_stop_init(&rig->gpu->stop);
}

struct ir_shader *rig_read(const char *path, enum ir_stage stage, unsigned wave_size, char error_out[512])
{
    struct spirv_error error = {.text = ""};
    char *data;
    size_t size_B;
    if (file_read(path, &data, &size_B) != 0) {
        snprintf(error_out, 512, "the module cannot be read");
        return NULL;
    }
    struct ir_shader *shader =
        spirv_to_ir((const uint32_t *)data, (uint32_t)(size_B / 4),
                    &(struct spirv_options){.stage = stage, .max_subgroup_size = wave_size}, &error);
    free(data);
    if (!shader)
        snprintf(error_out, 512, "the front end refuses word %u: %s", error.word, error.text);
    return shader;
}

static bool dispatch(struct rig *rig, const struct job *job, const struct adreno_compile_options *options,
                     struct world *world, char error_out[512])
{
    struct adreno_binary binary;
    struct ir_shader *shader = rig_read(job->path, IR_STAGE_compute, options->wave_size, error_out);
    if (!shader)
        return false;
    bool ok = adreno_compile(shader, options, &binary, error_out);
    ir_shader_destroy(shader);
    if (!ok)
        return false;
    rig_write_constants(rig->gpu->hlsq->stages[ADRENO_STAGE_CS].constants, &binary, BASE_VA + CODE_B, world,
                        job->groups);
    write_registers(rig, &binary);
    const struct adreno_dispatch dispatch = {.groups = {job->groups[0], job->groups[1], job->groups[2]}};
    ok = adreno_hlsq_dispatch(rig->gpu, &dispatch);
    if (!ok)
        take_reason(rig, error_out);
    adreno_binary_finish(&binary);
    return ok;
}

static bool run_one(struct rig *rig, const struct job *job, unsigned shape, struct world *world, char error_out[512])
{
    static const struct adreno_binding_layout bindings[BINDINGS] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}};
    static const struct adreno_set_layout set = {bindings, BINDINGS};
    const char *registers = getenv("CORPUS_REGISTERS"); /* so few that much is spilled */
    const struct adreno_compile_options options = {.chip = rig->gpu->chip,
                                                   .wave_size = (uint16_t)shapes[shape].wave_size,
                                                   .sets = &set,
                                                   .num_sets = 1,
                                                   .no_optimisation = shapes[shape].is_plain,
                                                   .max_registers = (uint16_t)(registers ? atoi(registers) : 0)};
    world_fill(world, BASE_VA + addressed.offset_B);
    bring_world(rig, world);
    if (job->kind == JOB_BUFFERS) {
        const bool ok = dispatch(rig, job, &options, world, error_out);
        take_world(rig, world);
        return ok;
    }
    const bool ok = rig_draw(rig, job, &options, world, error_out);
    if (!ok && !error_out[0])
        take_reason(rig, error_out);
    memcpy(world->second, rig->memory + ranges[3].offset_B, SECOND_B);
    return ok;
}

int main(int argc, char **argv)
{
    static struct world world;
    struct rig rig;
    struct job job;
    FILE *list = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!list) {
        fprintf(stderr, "usage: run_model LIST DIRECTORY\n");
        return 2;
    }
    setenv("TUFF_DEBUG", "strict", 0);
    if (!rig_begin(&rig)) {
        fprintf(stderr, "the model cannot be made\n");
        return 1;
    }
    while (world_next_job(list, &job)) {
        for (unsigned i = 0; i < ARRAY_SIZE(shapes); i++) {
            char error[512] = "";
            const bool ok = run_one(&rig, &job, i, &world, error);
            if (ok && !world_dump(&world, argv[2], job.name, shapes[i].name)) {
                fprintf(stderr, "%s cannot be written\n", argv[2]);
                return 1;
            }
            for (char *c = error; *c; c++)
                *c = *c == '\n' ? ' ' : *c;
            printf("%s %s %s %s\n", ok ? "ran" : "failed", job.name, shapes[i].name, error);
            fflush(stdout);
        }
    }
    fclose(list);
    return 0;
}
