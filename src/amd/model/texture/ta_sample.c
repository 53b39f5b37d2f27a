/* image_sample, image_gather4 and image_get_lod by model/texture. */
#include "amd/model/texture/ta.h"

#include <string.h>

#include "amd/hw/enums.h"
#include "model/stat.h"
#include "util/bits.h"
#include "util/half.h"

static void return_zero(struct ta_request *r)
{
    union tex_texel texels[LANES_MAX];
    memset(texels, 0, sizeof(texels));
    amd_td_return(r, texels);
}

static bool can_sample(struct ta_request *r)
{
    if (r->image->samples > 1)
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION, "sampling a multisampled image");
    else if (r->q.axes > r->image->tex.axes)
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION,
                     "sampling with more coordinates than the image has dimensions");
    else
        return true;
    return false;
}

/* One channel of texels whose words are all there is to it. False: not so. */
static bool gather_one(struct ta_request *r, const struct tex_coords *c, const struct tex_levels *levels)
{
    static const uint8_t order[4] = {2, 3, 1, 0}; /* as amd_td_return_gather has it */
    const unsigned dmask = r->uop->inst->mem.dmask, sel = r->image->dst_sel[dmask ? (unsigned)__builtin_ctz(dmask) : 0];
    float taps[4][LANES_MAX];
    uint32_t *to = sq_at(r->wave, r->uop->d);
    if (sel < AMD_DST_SEL_X || r->uop->inst->mem.d16 || r->uop->inst->mem.tfe || r->info->properties & ISA_PROP_MSAA ||
        !tex_fast_gather_one(taps, &r->q, c, levels, sel - AMD_DST_SEL_X))
        return false;
    for (unsigned n = 0; n < 4; n++)
        amd_td_return_row(r, to + n * r->q.lanes, (const uint32_t *)taps[order[n]]);
    return true;
}

static void gather_texels(struct ta_request *r, const struct tex_coords *c, const struct tex_levels *levels)
{
    union tex_texel texels[4][LANES_MAX];
    if (r->q.axes != 2) {
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION, "a gather from an image that is not two-dimensional");
        return;
    }
    /* Gathers look at single texels, as loads do: there are none before the first whole level of the descriptor's view.
     */
    bool is_hidden = (r->q.image->min_lod >> 8) > r->q.image->base_level && r->q.is_level_zero;
    if (is_hidden) {
        memset(texels, 0, sizeof(texels));
        if (r->q.compare)
            tex_compare(texels, &r->q, 4);
    } else if (gather_one(r, c, levels) || !tex_gather(texels, &r->q, c, levels)) {
        return;
    }
    amd_td_return_gather(r, texels);
}

/* As the descriptor's swizzle and dmask say; 0 where 16-bit data or nothing is made of them. */
static uint8_t wanted_channels(const struct ta_request *r)
{
    unsigned wanted = 0;
    for (unsigned channel = 0; channel < 4 && !r->uop->inst->mem.d16; channel++) {
        const unsigned sel = r->image->dst_sel[channel];
        if (r->uop->inst->mem.dmask >> channel & 1 && sel >= AMD_DST_SEL_X)
            wanted |= 1u << (sel - AMD_DST_SEL_X);
    }
    return (uint8_t)wanted;
}

/* The register, where all that is asked for is the first component of the format as it is. */
static uint32_t *direct_row(const struct ta_request *r)
{
    const unsigned dmask = r->uop->inst->mem.dmask;
    if (dmask & (dmask - 1) || !dmask || r->uop->inst->mem.d16)
        return NULL;
    const unsigned sel = r->image->dst_sel[__builtin_ctz(dmask)];
    return sel >= AMD_DST_SEL_X && r->image->tex.order[sel - AMD_DST_SEL_X] == 0 ? sq_at(r->wave, r->uop->d) : NULL;
}

/* The registers, where they are the components of the format as they are, from the first one on. */
static float (*direct_rows(const struct ta_request *r))[LANES_MAX]
{
    const unsigned dmask = r->uop->inst->mem.dmask;
    if (dmask & (dmask + 1) || !dmask || r->uop->inst->mem.d16 || r->q.lanes != LANES_MAX)
        return NULL;
    for (unsigned n = 0; dmask >> n & 1; n++) {
        const unsigned sel = r->image->dst_sel[n];
        if (sel < AMD_DST_SEL_X || r->image->tex.order[sel - AMD_DST_SEL_X] != n)
            return NULL;
    }
    return (float(*)[LANES_MAX])sq_at(r->wave, r->uop->d);
}

static void sample_passes(struct ta_request *r, const struct tex_coords *c, const struct tex_lod *lod,
                          const struct tex_levels *levels, bool by_steps)
{
    union tex_texel texels[LANES_MAX];
    struct tex_result result;
    float(*const into)[LANES_MAX] = by_steps ? NULL : direct_rows(r);
    if (into && tex_sample_into(into, &r->q, c, lod, levels)) {
        amd_ta_again_keep(r, true);
        return;
    }
    const bool is_fast =
        by_steps ? tex_step_sample(&result, &r->q, c, lod, levels) : tex_fast_sample(&result, &r->q, c, lod, levels);
    if (is_fast)
        amd_td_return_rows(r, &result);
    if (is_fast && !by_steps)
        amd_ta_again_keep(r, false);
    if (!is_fast && tex_sample(texels, &r->q, c, lod, levels))
        amd_td_return(r, texels);
}

/* `by_steps`: the ways that know nothing of the others' steps were tried. */
static __attribute__((noinline)) void sample(struct sq_wave *wave, const struct sq_uop *uop, bool by_steps)
{
    struct ta_request r;
    struct tex_coords c;
    struct tex_found found;
    struct tex_result result;
    bool is_gather = isa_info(uop->inst->op)->properties & ISA_PROP_GATHER4;
    if (!amd_ta_request_init(&r, wave, uop, true))
        return;
    if (r.image->is_null) {
        union tex_texel texels[4][LANES_MAX];
        memset(texels, 0, sizeof(texels));
        if (is_gather)
            amd_td_return_gather(&r, texels);
        else
            return_zero(&r);
        return;
    }
    if (!can_sample(&r))
        return;
    amd_ta_coords_init(&c, &r);
    r.q.wanted = wanted_channels(&r);
    uint32_t *const into = direct_row(&r);
    if (!is_gather && !by_steps && tex_short_sample(&result, into, &r.q, &c)) {
        if (!into)
            amd_td_return_rows(&r, &result);
        amd_ta_again_keep(&r, into != NULL);
        return;
    }
    tex_find_levels(&found, &r.q, &c);
    if (is_gather)
        gather_texels(&r, &c, found.levels);
    else
        sample_passes(&r, &c, found.lod, found.levels, by_steps);
}

void amd_ta_sample(struct sq_wave *wave, const struct sq_uop *uop)
{
    const unsigned before = stat_enter_work(STAT_TEXTURES);
    ta_env_enter(wave);
    const enum tex_again_end end = amd_ta_again(wave, uop);
    if (end != TEX_AGAIN_DONE)
        sample(wave, uop, end == TEX_AGAIN_OTHER);
    ta_env_leave(wave);
    stat_leave(before);
}

/* X: the level that is accessed, Y: the level of detail before it is clamped; both from the base level on. */
static __attribute__((noinline)) void get_lod(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    struct tex_coords c;
    struct tex_lod lod;
    struct tex_levels levels;
    if (!amd_ta_request_init(&r, wave, uop, true))
        return;
    unsigned dmask = uop->inst->mem.dmask;
    float values[2][LANES_MAX];
    memset(values, 0, sizeof(values));
    if (!r.image->is_null) {
        if (!can_sample(&r))
            return;
        amd_ta_coords_init(&c, &r);
        tex_lod_init(&lod, &r.q, &c);
        tex_levels_init(&levels, &r.q, &lod);
        for (unsigned i = 0; i < r.q.lanes; i++) {
            values[0][i] = (float)(levels.low[i] - r.q.image->base_level) + levels.fraction[i];
            values[1][i] = lod.unclamped[i];
        }
    }
    uint32_t *rows = sq_at(wave, uop->d);
    for (unsigned channel = 0, at = 0; channel < 4; channel++) {
        if (!(dmask >> channel & 1))
            continue;
        for (unsigned i = 0; i < r.q.lanes; i++) {
            float value = channel < 2 ? values[channel][i] : 0;
            if (r.q.exec >> i & 1)
                memcpy(&rows[at * r.q.lanes + i], &value, sizeof(value));
        }
        at++;
    }
}

void amd_ta_get_lod(struct sq_wave *wave, const struct sq_uop *uop)
{
    ta_env_enter(wave);
    get_lod(wave, uop);
    ta_env_leave(wave);
}
