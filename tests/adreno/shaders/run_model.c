/* The corpus through our A6xx compiler: every compute shader of a list, with the optimiser and without, on the model's
 * shader processor; draws are in draw_model.c. */
#include <stdio.h>
#include <string.h>

#include "adreno/compiler/compiler.h"
#include "adreno/hw/chip.h"
#include "adreno/hw/descriptors.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/model/blocks.h"
#include "adreno/model/gpu.h"
#include "adreno/model/hlsq/hlsq.h"
#include "model/workers.h"
#include "rig.h"
#include "util/bits.h"

#define FORMAT_R8_UINT 5

static const struct alone_shape shapes[] = {
    {"w128", 128, false}, {"w64", 64, false}, {"w128-plain", 128, true}, {"w64-plain", 64, true}};

static bool begin_model(struct alone *alone)
{
    struct rig *rig = (struct rig *)alone;
    rig->gpu = adreno_gpu_create(adreno_chip_find("adreno-635"), NULL, workers_create_default());
    return rig->gpu != NULL;
}

/* Set 0: buffers 0, 1 and 3 as storage, 2 as a uniform block. */
static void write_descriptors(struct rig *rig)
{
    for (unsigned i = 0; i < ALONE_BINDINGS; i++) {
        uint32_t *words = (uint32_t *)(rig->alone.memory + SETS_B + i * 64);
        const uint64_t va = BASE_VA + alone_ranges[i].offset_B;
        memset(words, 0, 64);
        if (i == 2) {
            words[0] = (uint32_t)va;
            words[1] = (uint32_t)(va >> 32) | (alone_ranges[i].size_B / 16) << 17;
        } else {
            adreno_pack_desc_BUFFER(words, &(struct adreno_desc_BUFFER){.FMT = FORMAT_R8_UINT,
                                                                        .NUM_ELEMENTS = alone_ranges[i].size_B,
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
    memcpy(rig->alone.memory + CODE_B, binary->words, binary->size_B);
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

static void take_reason(struct rig *rig, char error_out[512])
{
    snprintf(error_out, 512, "%s", rig->gpu->stop.text.text ? rig->gpu->stop.text.text : "stopped");
    gpu_stop_finish(&rig->gpu->stop);
    gpu_stop_init(&rig->gpu->stop);
}

static bool dispatch(struct rig *rig, const struct job *job, const struct adreno_compile_options *options,
                     struct world *world, char error_out[512])
{
    struct adreno_binary binary;
    struct ir_shader *shader = alone_read(job->path, IR_STAGE_compute, options->wave_size, error_out);
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

static bool run_job(struct alone *alone, const struct job *job, const struct alone_shape *shape, struct world *world,
                    char error_out[512])
{
    static const struct ir_binding_layout bindings[ALONE_BINDINGS] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}};
    static const struct ir_set_layout set = {bindings, ALONE_BINDINGS};
    struct rig *rig = (struct rig *)alone;
    const struct adreno_compile_options options = {.chip = rig->gpu->chip,
                                                   .wave_size = (uint16_t)shape->wave_size,
                                                   .sets = &set,
                                                   .num_sets = 1,
                                                   .no_optimisation = shape->is_plain,
                                                   .max_registers = (uint16_t)alone_registers()};
    adreno_gpu_reset(rig->gpu);
    rig->gpu->space = &alone->space;
    write_descriptors(rig);
    if (job->kind == JOB_BUFFERS)
        return dispatch(rig, job, &options, world, error_out);
    const bool ok = rig_draw(rig, job, &options, world, error_out);
    if (!ok && !error_out[0])
        take_reason(rig, error_out);
    return ok;
}

int main(int argc, char **argv)
{
    static struct rig rig;
    static const struct alone_family a6xx = {shapes, ARRAY_SIZE(shapes), &rig.alone, begin_model, run_job};
    return alone_main(argc, argv, &a6xx);
}
