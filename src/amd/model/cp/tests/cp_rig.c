/* See cp_rig.h. */
#include "amd/model/cp/tests/cp_rig.h"

#include <stdlib.h>

#include "amd/hw/chip.h"
#include "amd/hw/regs_compute.h"

struct amd_engine_partition rig_gds_B;

int rig_setup(void **state)
{
    const struct gpu_extent extents[] = {{0x10000, 1u << 20}, {RIG_VA, 1ull << 28}};
    rig_gds_B = (struct amd_engine_partition){.size = 4096};
    return rig_open(state, amd_engine_default(), amd_chip_find("navi21"), RIG_VA, extents, 2, 1);
}

void rig_submit(struct rig *rig, struct rig_job *job, enum amd_ring_kind kind, const struct stream *s)
{
    struct {
        struct amd_engine_work work;
        struct amd_engine_ib ib;
    } *job_work = rig_job_init(rig, job, 0, amd_ring_number(kind, 0), sizeof(*job_work));
    job_work->ib = (struct amd_engine_ib){.va = rig_place(rig, s), .size_dw = s->count};
    job_work->work = (struct amd_engine_work){.ibs = &job_work->ib, .ib_count = 1, .gds_B = rig_gds_B};
    rig_job_submit(rig, job);
}

int rig_run(struct rig *rig, enum amd_ring_kind kind, const struct stream *s)
{
    struct rig_job *job = malloc(sizeof(*job));
    const uint32_t begin_B = rig->stream_B;
    if (!job)
        abort();
    rig_submit(rig, job, kind, s);
    rig_finish(rig, job);
    rig->stream_B = begin_B;
    free(job);
    return rig->error;
}

void put_sh(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, SET_SH_REG, .tail_dw = 1, .REG_OFFSET = (offset_B - 0xb000) / 4);
    PUT_WORDS(s, value);
}

void put_context(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, SET_CONTEXT_REG, .tail_dw = 1, .REG_OFFSET = (offset_B - 0x28000) / 4);
    PUT_WORDS(s, value);
}

void put_uconfig(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, SET_UCONFIG_REG, .tail_dw = 1, .REG_OFFSET = (offset_B - 0x30000) / 4);
    PUT_WORDS(s, value);
}

void put_store(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, WRITE_DATA, .tail_dw = 1, .DST_SEL = AMD_WRITE_DST_MEM, .ADDR = RIG_VA + offset_B);
    PUT_WORDS(s, value);
}

void put_read_register(struct stream *s, uint32_t reg_offset_B, uint32_t offset_B)
{
    PUT(s, COPY_DATA, .SRC_SEL = AMD_COPY_SRC_REG, .SRC_REG = reg_offset_B / 4, .DST_SEL = AMD_COPY_DST_MEM,
        .DST_ADDR = RIG_VA + offset_B);
}

void put_program(struct stream *s, uint64_t program_va, uint64_t data_va, uint32_t threads)
{
    put_sh(s, AMD_REG_COMPUTE_PGM_LO, (uint32_t)(program_va >> 8));
    put_sh(s, AMD_REG_COMPUTE_PGM_HI, (uint32_t)(program_va >> 40) & 0xff);
    put_sh(s, AMD_REG_COMPUTE_PGM_RSRC1, AMD_PACK(RIG_GFX, COMPUTE_PGM_RSRC1, .VGPRS = 1));
    put_sh(s, AMD_REG_COMPUTE_PGM_RSRC2, AMD_PACK(RIG_GFX, COMPUTE_PGM_RSRC2, .USER_SGPR = 2, .TGID_X_EN = true));
    put_sh(s, AMD_REG_COMPUTE_NUM_THREAD_X, threads);
    put_sh(s, AMD_REG_COMPUTE_NUM_THREAD_Y, 1);
    put_sh(s, AMD_REG_COMPUTE_NUM_THREAD_Z, 1);
    put_sh(s, AMD_REG_COMPUTE_USER_DATA, (uint32_t)data_va);
    put_sh(s, AMD_REG_COMPUTE_USER_DATA + 4, (uint32_t)(data_va >> 32));
}
