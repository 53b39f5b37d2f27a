/* Counters of draws: vertices, primitives, invocations, samples that passed. */
#include "amd/model/ge/ge.h"

void amd_ge_note_input(struct ge *ge)
{
    ge->stats[CP_STAT_IA_VERTICES] += (uint64_t)ge->draw->count * ge->draw->instance_count;
    ge->stats[CP_STAT_IA_PRIMITIVES] += ge->prim_total;
}

void amd_ge_note_geometry(struct ge *ge)
{
    uint64_t *stats = ge->stats;
    for (unsigned i = 0; i < ge->slots; i++) {
        const struct ge_worker *worker = &ge->worker[i];
        stats[CP_STAT_VS_INVOCATIONS] += worker->vs_invocations;
        stats[CP_STAT_GS_INVOCATIONS] += worker->gs_invocations;
        if (ge->pipeline.ge.hull.is_on && worker->hull) {
            stats[CP_STAT_VS_INVOCATIONS] += worker->hull->ls_invocations;
            stats[CP_STAT_HS_INVOCATIONS] += worker->hull->hs_invocations;
            stats[CP_STAT_DS_INVOCATIONS] += worker->hull->ds_invocations;
        }
        stats[CP_STAT_GS_PRIMITIVES] += worker->gs_primitives;
        stats[CP_STAT_C_INVOCATIONS] += worker->pa.invocations;
        stats[CP_STAT_C_PRIMITIVES] += worker->pa.primitives;
    }
}

void amd_ge_note_pixels(struct ge *ge)
{
    for (unsigned i = 0; i < ge->slots; i++) {
        const struct ge_shader *shader = &ge->shader[i];
        if (shader->pixels_of != ge->draw_number)
            continue;
        ge->stats[CP_STAT_PS_INVOCATIONS] += shader->ps.invocations;
        ge->zpass += shader->ps.db.zpass;
    }
}

void amd_ge_add_counters(struct ge *ge)
{
    struct cp_counters *counters = ge->draw->counters;
    /* Which backend counts a sample depends on the chip; software may rely on their sum alone. */
    if (ge->chip->rb_enabled_mask)
        counters->zpass[__builtin_ctz(ge->chip->rb_enabled_mask)] += ge->zpass;
    for (unsigned i = 0; i < CP_STAT_COUNT && counters->stats_on; i++)
        counters->stats[i] += ge->stats[i];
}
