/* Random shaders on the Adreno model, in strict mode: fuzz_machine.h says what is compared and how a seed is
 * repeated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/compiler/compiler.h"
#include "adreno/hw/chip.h"
#include "adreno/hw/descriptors.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/model/blocks.h"
#include "adreno/model/gpu.h"
#include "adreno/model/hlsq/hlsq.h"
#include "compiler/ir/tests/fuzz_machine.h"
#include "model/tests/file_space.h"
#include "model/workers.h"
#include "util/bits.h"

#define BASE_VA 0x100000000ull
#define SIZE_B 0x400000u
#define BUFFERS_B 0x10000u /* a page is left before them; each has its own half of a megabyte */
#define STRIDE_B 0x40000u
#define SETS_B 0x180000u
#define CODE_B 0x200000u
#define FORMAT_R8_UINT 5

static struct {
    struct gpu_space space;
    uint8_t *memory;
    struct adreno_gpu *gpu;
} rig;

static bool begin_case(void)
{
    rig.memory = file_space_begin(&rig.space, BASE_VA, SIZE_B);
    rig.gpu = rig.memory ? adreno_gpu_create(adreno_chip_find("adreno-635"), NULL, workers_create_default()) : NULL;
    return rig.gpu != NULL;
}

static void end_case(void)
{
    adreno_gpu_destroy(rig.gpu);
    file_space_end(&rig.space, rig.memory, SIZE_B);
}

static void put64(uint32_t reg, uint64_t value)
{
    rig.gpu->regs[reg] = (uint32_t)value;
    rig.gpu->regs[reg + 1] = (uint32_t)(value >> 32);
}

static void write_descriptors(void)
{
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
        adreno_pack_desc_BUFFER((uint32_t *)(rig.memory + SETS_B + i * 64),
                                &(struct adreno_desc_BUFFER){.FMT = FORMAT_R8_UINT,
                                                             .NUM_ELEMENTS = RANDOM_BUFFER_B,
                                                             .STRUCTSIZETEXELS = 1,
                                                             .TYPE = ADRENO_TEX_TYPE_BUFFER,
                                                             .BASE = BASE_VA + BUFFERS_B + i * STRIDE_B});
    put64(ADRENO_REG_SP_CS_BINDLESS_BASE_DESCRIPTOR, BASE_VA + SETS_B);
}

static void write_constants(const struct adreno_binary *binary, const struct fuzz_run *how)
{
    const struct adreno_shader_config *config = &binary->config;
    uint32_t *constants = rig.gpu->hlsq->stages[ADRENO_STAGE_CS].constants;
    const uint64_t data = BASE_VA + CODE_B + binary->code_size_B;
    const uint32_t groups[4] = {1, 1, 1, 0}, base[4] = {0};
    const uint32_t place[2] = {(uint32_t)data, (uint32_t)(data >> 32)};
    memcpy(constants + config->first_push * 4, how->push, MIN2(config->push_size * 16u, how->push_size_B));
    if (config->param[ADRENO_PARAM_WORKGROUPS] != ADRENO_CONST_UNUSED)
        memcpy(constants + config->param[ADRENO_PARAM_WORKGROUPS] * 4, groups, sizeof(groups));
    if (config->param[ADRENO_PARAM_WORKGROUP_BASE] != ADRENO_CONST_UNUSED)
        memcpy(constants + config->param[ADRENO_PARAM_WORKGROUP_BASE] * 4, base, sizeof(base));
    if (config->param[ADRENO_PARAM_DATA] != ADRENO_CONST_UNUSED)
        memcpy(constants + config->param[ADRENO_PARAM_DATA] * 4, place, sizeof(place));
    memcpy(constants + config->first_immediate * 4, binary->immediates, binary->num_immediates * 4);
}

static void write_registers(const struct adreno_binary *binary)
{
    const struct adreno_shader_config *config = &binary->config;
    uint32_t *regs = rig.gpu->regs;
    memcpy(rig.memory + CODE_B, binary->words, binary->size_B);
    put64(ADRENO_REG_SP_CS_BASE, BASE_VA + CODE_B);
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
    adreno_hlsq_invalidate_code(rig.gpu);
}

static bool dispatch(const struct adreno_binary *binary, const struct fuzz_run *how, fuzz_memory memory,
                     char error_out[512])
{
    adreno_gpu_reset(rig.gpu);
    rig.gpu->space = &rig.space;
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
        memcpy(rig.memory + BUFFERS_B + i * STRIDE_B, memory[i], RANDOM_BUFFER_B);
    write_descriptors();
    write_constants(binary, how);
    write_registers(binary);
    struct adreno_dispatch one = {.groups = {1, 1, 1}};
    const bool ok = adreno_hlsq_dispatch(rig.gpu, &one);
    if (!ok) {
        snprintf(error_out, 512, "%s", gpu_stop_text(&rig.gpu->stop) ? gpu_stop_text(&rig.gpu->stop) : "stopped");
        gpu_stop_finish(&rig.gpu->stop);
        gpu_stop_init(&rig.gpu->stop);
    }
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++)
        memcpy(memory[i], rig.memory + BUFFERS_B + i * STRIDE_B, RANDOM_BUFFER_B);
    return ok;
}

static bool run_program(struct ir_shader *shader, const struct fuzz_run *how, fuzz_memory memory, char error_out[512])
{
    static const struct ir_binding_layout bindings[RANDOM_BUFFERS] = {
        {.index = 0, .stride = 1}, {.index = 1, .stride = 1}, {.index = 2, .stride = 1}, {.index = 3, .stride = 1}};
    static const struct ir_set_layout set = {bindings, RANDOM_BUFFERS};
    const char *registers = getenv("CORPUS_REGISTERS"); /* so few that much is spilled */
    const struct adreno_compile_options options = {.chip = rig.gpu->chip,
                                                   .wave_size = (uint16_t)how->wave_size,
                                                   .sets = &set,
                                                   .num_sets = 1,
                                                   .max_registers = (uint16_t)(registers ? atoi(registers) : 0),
                                                   .no_optimisation = how->is_plain,
                                                   .keep_text = how->is_verbose};
    struct adreno_binary binary;
    if (!adreno_compile(shader, &options, &binary, error_out))
        return false;
    if (how->is_verbose)
        printf("%s\n%s\n", binary.ir_text ? binary.ir_text : "", binary.disassembly ? binary.disassembly : "");
    const bool ok = dispatch(&binary, how, memory, error_out);
    adreno_binary_finish(&binary);
    return ok;
}

int main(int argc, char **argv)
{
    /* The interpreter knows waves of up to 64 lanes; a workgroup of 64 fills half of a wave of 128. */
    static const struct fuzz_machine a6xx = {
        .wave_sizes = {64, 64},
        .floats = {.flushes_denormals = true, .rounds_twice = true, .fract_is_exact_sum = true, .has_no_doubles = true},
        .begin = begin_case,
        .run = run_program,
        .end = end_case};
    return fuzz_machine_main(argc, argv, &a6xx);
}
