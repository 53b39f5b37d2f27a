/* Shaders and descriptors of anything: a dispatch whose program is the input, and whose constants, buffers, textures,
 * samplers and images are described by the rest of it, in sets and by state loads. A broken program ends in a report.
 *
 * Input: a byte of switches, a byte with the number of instructions, their words, then what memory holds. Words that
 * are no instruction take the fixed bits of one, which chance would seldom find; one in sixteen is left as it is. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adreno/hw/regs_sp.h"
#include "adreno/isa/isa_tables.h"
#include "rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B);

#define PROGRAM_B 0x1000u
#define DATA_B 0x4000u
#define DATA_SIZE_B 0x2000u
#define MAX_INSTRUCTIONS 64u
#define PATIENCE_US 3000 /* a program may run for ever */

enum {
    WIDE = 1,    /* waves of 128 */
    PRIVATE = 2, /* private memory */
    GROUPS = 4,  /* several workgroups */
    GMEM = 8,    /* an address of GMEM among the bases */
};

static uint64_t repaired(uint64_t word, unsigned number)
{
    struct adreno_isa_inst inst;
    if (adreno_isa_decode(word, &inst) == 0 || (word ^ number) % 16 == 0)
        return word;
    const struct adreno_isa_row *row = &adreno_isa_rows[word % ADRENO_ISA_OP_COUNT];
    return (word & ~row->mask) | row->match;
}

static size_t place_program(struct rig *rig, const uint8_t *data, size_t size_B)
{
    const unsigned count =
        size_B / 8 < data[1] % MAX_INSTRUCTIONS ? (unsigned)(size_B / 8) : data[1] % MAX_INSTRUCTIONS;
    uint64_t words[MAX_INSTRUCTIONS + 1];
    for (unsigned i = 0; i < count; i++) {
        memcpy(&words[i], data + 2 + i * 8, 8);
        words[i] = repaired(words[i], i);
    }
    words[count] = UINT64_C(0x0300000000000000); /* end */
    memcpy(rig->map + PROGRAM_B, words, (count + 1) * 8);
    return count * 8;
}

static void put_load(struct stream *s, unsigned block, unsigned type, unsigned units, uint32_t offset_B)
{
    PUT(s, CP_LOAD_STATE6, .STATE_BLOCK = block, .STATE_TYPE = type, .STATE_SRC = ADRENO_STATE_SRC_INDIRECT,
        .NUM_UNIT = units, .EXT_SRC_ADDR = RIG_VA + DATA_B + offset_B);
}

static void put_state(struct stream *s, uint8_t switches)
{
    put_load(s, ADRENO_STATE_BLOCK_CS_SHADER, ADRENO_STATE_TYPE_CONSTANTS, 16, 0);
    put_load(s, ADRENO_STATE_BLOCK_CS_SHADER, ADRENO_STATE_TYPE_UBO, 8, 0x100);
    put_load(s, ADRENO_STATE_BLOCK_CS_TEX, ADRENO_STATE_TYPE_CONSTANTS, 8, 0x200); /* textures */
    put_load(s, ADRENO_STATE_BLOCK_CS_TEX, ADRENO_STATE_TYPE_SHADER, 8, 0x400);    /* samplers */
    put_load(s, ADRENO_STATE_BLOCK_CS_SHADER, ADRENO_STATE_TYPE_UAV, 8, 0x200);
    for (unsigned i = 0; i < 5; i++) {
        const uint64_t va = switches & GMEM && i == 4 ? 0x100000 : RIG_VA + DATA_B + i * 0x180;
        put_reg64(s, ADRENO_REG_SP_CS_BINDLESS_BASE_DESCRIPTOR + i * 2, va);
    }
    put_reg64(s, ADRENO_REG_SP_CS_BASE, RIG_VA + PROGRAM_B);
    put_reg(s, ADRENO_REG_SP_CS_CNTL_0,
            ADRENO_PACK(SP_CS_CNTL_0, .MERGEDREGS = true,
                        .THREADSIZE = switches & WIDE ? ADRENO_THREADSIZE_THREAD128 : ADRENO_THREADSIZE_THREAD64));
    put_reg(s, ADRENO_REG_SP_CS_PVT_MEM_PARAM, switches & PRIVATE ? 1 : 0);
    put_reg(s, ADRENO_REG_SP_CS_NDRANGE_0,
            ADRENO_PACK(SP_CS_NDRANGE_0, .KERNELDIM = 3, .LOCALSIZEX = 7, .LOCALSIZEY = 7, .LOCALSIZEZ = 0));
    put_reg(s, ADRENO_REG_SP_CS_CONST_CONFIG_0,
            ADRENO_PACK(SP_CS_CONST_CONFIG_0, .WGIDCONSTID = 48 * 4, .WGSIZECONSTID = 0xfc, .WGOFFSETCONSTID = 0xfc,
                        .LOCALIDREGID = 0));
    put_reg(s, ADRENO_REG_SP_CS_WGE_CNTL, ADRENO_PACK(SP_CS_WGE_CNTL, .LINEARLOCALIDREGID = 3));
    PUT(s, CP_EXEC_CS, .NGROUPS_X = switches & GROUPS ? 3 : 1, .NGROUPS_Y = 1, .NGROUPS_Z = 1);
}

static void end_soon(struct rig *rig, struct rig_job *job)
{
    for (unsigned us = 0; us < PATIENCE_US && !atomic_load(&job->is_done); us += 50)
        usleep(50);
    if (!atomic_load(&job->is_done)) {
        atomic_store(&job->base.killed, true);
        adreno_engine_ops.kill(rig->engine, &job->base);
    }
    rig_wait(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
    static struct rig *rig;
    static struct rig_job job;
    static struct stream stream;
    if (!rig && rig_setup((void **)&rig) != 0)
        abort();
    if (size_B < 2)
        return 0;
    const size_t program_B = place_program(rig, data, size_B - 2), left_B = size_B - 2 - program_B;
    memset(rig->map + DATA_B, 0, DATA_SIZE_B);
    memcpy(rig->map + DATA_B, data + 2 + program_B, left_B < DATA_SIZE_B ? left_B : DATA_SIZE_B);
    stream.count = 0;
    put_state(&stream, data[0]);
    rig->stream_B = RIG_STREAM_B;
    rig_submit(rig, &job, &stream);
    end_soon(rig, &job);
    if ((job.error != 0) != (job.report[0] != '\0'))
        abort();
    return 0;
}
