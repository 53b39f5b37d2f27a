/* image_sample, image_gather4 and image_get_lod. A sample is the sum of passes: one for each level and, if anisotropic,
 * each probe; a pass is one footprint per lane. */
#include "amd/model/texture/ta.h"

#include <string.h>

#include "util/bits.h"

static void return_zero(struct ta_request *r)
{
    union td_texel texels[LANES_MAX];
    memset(texels, 0, sizeof(texels));
    amd_td_return(r, texels);
}

static bool can_sample(struct ta_request *r)
{
    if (r->image->samples > 1)
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION, "sampling a multisampled image");
    else if (r->axes > r->image->axes)
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION,
                     "sampling with more coordinates than the image has dimensions");
    else
        return true;
    return false;
}

/* Where probe `number` of each lane is: the middle of equal parts of the longer derivative. */
static void move_to_probe(struct ta_coords *to, const struct ta_coords *c, const struct ta_lod *lod, unsigned lanes,
                          unsigned number)
{
    *to = *c;
    for (unsigned i = 0; i < lanes; i++) {
        float along = (float)(number + 1) / (float)(lod->probes[i] + 1) - 0.5f;
        to->at[0][i] += lod->step[0][i] * along;
        to->at[1][i] += lod->step[1][i] * along;
    }
}

struct pass {
    struct ta_taps taps;
    union td_texel texels[TA_MAX_TAPS][LANES_MAX];
    struct td_sum sum;
};

static bool run_pass(struct pass *pass, struct ta_request *r, const struct ta_coords *c, const uint8_t *level,
                     const uint8_t *linear, const float *weight)
{
    memcpy(pass->taps.level, level, sizeof(pass->taps.level));
    amd_ta_footprint(&pass->taps, r, c, linear, false);
    if (!amd_td_fetch(pass->texels, r, &pass->taps))
        return false;
    if (r->compare)
        amd_td_compare(pass->texels, r, pass->taps.count);
    amd_td_accumulate(&pass->sum, r, pass->texels, &pass->taps, weight);
    return true;
}

static void sample_passes(struct ta_request *r, const struct ta_coords *c, const struct ta_lod *lod,
                          const struct ta_levels *levels)
{
    struct pass pass = {.sum.started = false};
    for (unsigned probe = 0; probe < lod->max_probes; probe++) {
        float low[LANES_MAX], high[LANES_MAX];
        for (unsigned i = 0; i < r->lanes; i++) {
            float share = probe < lod->probes[i] ? 1.0f / (float)lod->probes[i] : 0;
            high[i] = share * levels->fraction[i];
            low[i] = share - high[i];
        }
        struct ta_coords moved;
        const struct ta_coords *at = c;
        if (lod->max_probes > 1) {
            move_to_probe(&moved, c, lod, r->lanes, probe);
            at = &moved;
        }
        if (!run_pass(&pass, r, at, levels->low, levels->linear, low))
            return;
        if (levels->any_fraction && !run_pass(&pass, r, at, levels->high, levels->linear, high))
            return;
    }
    amd_td_return(r, pass.sum.value);
}

static void gather(struct ta_request *r, const struct ta_coords *c, const struct ta_levels *levels)
{
    struct pass pass;
    uint8_t linear[LANES_MAX];
    memset(linear, 1, sizeof(linear));
    memset(pass.texels, 0, sizeof(pass.texels));
    if (r->axes != 2) {
        amd_sq_fault(r->wave, r->uop, SQ_FAULT_INSTRUCTION, "a gather from an image that is not two-dimensional");
        return;
    }
    memcpy(pass.taps.level, levels->low, sizeof(pass.taps.level));
    amd_ta_footprint(&pass.taps, r, c, linear, true);
    /* Gathers look at single texels, as loads do: there are none before the first whole level of the descriptor's view.
     */
    bool is_hidden = (r->image->min_lod >> 8) > r->image->base_level && (r->uop->imm & TA_LEVEL_ZERO);
    if (!is_hidden && !amd_td_fetch(pass.texels, r, &pass.taps))
        return;
    if (r->compare)
        amd_td_compare(pass.texels, r, pass.taps.count);
    amd_td_return_gather(r, pass.texels);
}

static __attribute__((noinline)) void sample(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    struct ta_coords c;
    struct ta_lod lod;
    struct ta_levels levels;
    bool is_gather = isa_info(uop->inst->op)->properties & ISA_PROP_GATHER4;
    if (!amd_ta_request_init(&r, wave, uop, true))
        return;
    if (r.image->is_null) {
        union td_texel texels[4][LANES_MAX];
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
    if (!amd_ta_levels_init_same(&levels, &lod, &r)) {
        amd_ta_lod_init(&lod, &r, &c);
        amd_ta_levels_init(&levels, &r, &lod);
    }
    if (is_gather)
        gather(&r, &c, &levels);
    else if (!amd_ta_fast_sample(&r, &c, &lod, &levels))
        sample_passes(&r, &c, &lod, &levels);
}

void amd_ta_sample(struct sq_wave *wave, const struct sq_uop *uop)
{
    ta_env_enter(wave);
    sample(wave, uop);
    ta_env_leave(wave);
}

/* X: the level that is accessed, Y: the level of detail before it is clamped; both from the base level on. */
static __attribute__((noinline)) void get_lod(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct ta_request r;
    struct ta_coords c;
    struct ta_lod lod;
    struct ta_levels levels;
    if (!amd_ta_request_init(&r, wave, uop, true))
        return;
    unsigned dmask = uop->inst->mem.dmask;
    float values[2][LANES_MAX];
    memset(values, 0, sizeof(values));
    if (!r.image->is_null) {
        if (!can_sample(&r))
            return;
        amd_ta_coords_init(&c, &r);
        amd_ta_lod_init(&lod, &r, &c);
        amd_ta_levels_init(&levels, &r, &lod);
        for (unsigned i = 0; i < r.lanes; i++) {
            values[0][i] = (float)(levels.low[i] - r.image->base_level) + levels.fraction[i];
            values[1][i] = lod.unclamped[i];
        }
    }
    uint32_t *rows = sq_at(wave, uop->d);
    for (unsigned channel = 0, at = 0; channel < 4; channel++) {
        if (!(dmask >> channel & 1))
            continue;
        for (unsigned i = 0; i < r.lanes; i++) {
            float value = channel < 2 ? values[channel][i] : 0;
            if (r.exec >> i & 1)
                memcpy(&rows[at * r.lanes + i], &value, sizeof(value));
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
