/* Samples that come again: a program's instruction mostly has the descriptors that it had the last time. What they and
 * the instruction's fields come to is kept, and only coordinates, active lanes and registers are new. */
#include "amd/model/texture/ta.h"

#include <stdlib.h>

#include "util/bits.h"

struct kept {
    uint64_t key; /* of the instruction */
    bool is_good; /* the room of all families has it */
    bool is_direct;
    struct tex_again again;
    struct ta_request r;
};

/* All that an instruction says but which registers it has. */
static uint64_t key_of(const struct sq_uop *uop)
{
    const struct isa_mem *mem = &uop->inst->mem;
    return uop->inst->op | (uint64_t)mem->dmask << 16 | (uint64_t)mem->dim << 24 | (uint64_t)uop->imm << 32 |
           (uint64_t)(mem->unorm | mem->a16 << 1 | mem->d16 << 2 | mem->tfe << 3) << 60;
}

/* The place of an instruction, which may be another's. */
static void **place_of(struct tc_cache *cache, const struct sq_uop *uop)
{
    return amd_tc_cache_again(cache, (unsigned)((uintptr_t)uop / sizeof(*uop)));
}

void amd_ta_again_keep(const struct ta_request *given, bool is_direct)
{
    if (given->uop->inst->mem.tfe)
        return;
    void **place = place_of(given->cache, given->uop);
    if (!*place && !(*place = malloc(sizeof(struct kept))))
        return;
    struct kept *kept = *place;
    memcpy(&kept->r, given, offsetof(struct ta_request, nonresident));
    kept->key = key_of(given->uop);
    kept->is_direct = is_direct;
    kept->is_good = tex_again_begin(&kept->again, &kept->r.q);
}

enum tex_again_end amd_ta_again(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct tex_coords c;
    if (!wave->ta || wave->coherence)
        return TEX_AGAIN_CHANGED;
    struct tc_cache *cache = amd_sq_code_textures(wave->code, wave->ta->gb_addr_config);
    struct kept *kept = cache ? *place_of(cache, uop) : NULL;
    if (!kept || !kept->is_good || kept->key != key_of(uop) || kept->r.q.lanes != wave->lanes ||
        !tc_are_same(kept->r.image->words, sq_at(wave, uop->s[1]), 8) ||
        !tc_are_same(kept->r.sampler_descriptor->words, sq_at(wave, uop->s[2]), 4))
        return TEX_AGAIN_CHANGED;
    struct ta_request *r = &kept->r;
    r->wave = wave;
    r->uop = uop;
    r->q.exec = sq_exec(wave);
    r->q.exec_lanes = ta_exec_lanes(wave);
    r->q.work = wave->ta->work;
    r->q.space = wave->memory;
    amd_ta_take_address(r, true);
    amd_ta_coords_init(&c, r);
    if (kept->is_direct)
        return tex_again_sample((float(*)[LANES_MAX])sq_at(wave, uop->d), &kept->again, &r->q, &c);
    struct tex_result result;
    const enum tex_again_end end = tex_again_result(&result, &kept->again, &r->q, &c);
    if (end == TEX_AGAIN_DONE)
        amd_td_return_rows(r, &result);
    return end;
}
