/* See rig.h. */
#include "rig.h"

/* ---- the engine ---- */

int rig_setup(void **state)
{
    const struct gpu_extent extent = {RIG_VA, 1ull << 28};
    return rig_open(state, &adreno_engine_ops, adreno_chip_find("adreno-635"), RIG_VA, &extent, 1, 1);
}

void rig_submit(struct rig *rig, struct rig_job *job, const struct stream *s)
{
    struct {
        struct adreno_work work;
        struct adreno_ib ib;
    } *job_work = rig_job_init(rig, job, 0, 0, sizeof(*job_work));
    job_work->ib = (struct adreno_ib){.va = rig_place(rig, s), .size_dw = s->count};
    job_work->work = (struct adreno_work){.ibs = &job_work->ib, .ib_count = 1};
    rig_job_submit(rig, job);
}

/* ---- streams ---- */

void put_reg(struct stream *s, uint32_t reg, uint32_t value)
{
    PUT_WORDS(s, adreno_pkt4_header(reg, 1), value);
}

void put_reg64(struct stream *s, uint32_t reg, uint64_t value)
{
    PUT_WORDS(s, adreno_pkt4_header(reg, 2), (uint32_t)value, (uint32_t)(value >> 32));
}

void put_store(struct stream *s, uint32_t offset_B, uint32_t value)
{
    PUT(s, CP_MEM_WRITE, .tail_dw = 1, .ADDR = RIG_VA + offset_B);
    PUT_WORDS(s, value);
}

void put_read(struct stream *s, uint32_t reg, uint32_t offset_B)
{
    PUT(s, CP_REG_TO_MEM, .REG = reg, .CNT = 1, .DEST = RIG_VA + offset_B);
}

void put_draw(struct stream *s)
{
    PUT_WORDS(s, adreno_pkt7_header(ADRENO_PKT_CP_DRAW_INDX_OFFSET, 4),
              ADRENO_PRIM_TYPE_TRILIST | ADRENO_SRC_SEL_AUTO_INDEX << 6 | ADRENO_VIS_CULL_MODE_USE << 8, 1, 3);
}

void put_group(struct stream *s, unsigned group, uint32_t flags, uint64_t va, uint32_t size_dw)
{
    PUT_WORDS(s, adreno_pkt7_header(ADRENO_PKT_CP_SET_DRAW_STATE, 4), size_dw | flags | group << 24, (uint32_t)va,
              (uint32_t)(va >> 32));
}
