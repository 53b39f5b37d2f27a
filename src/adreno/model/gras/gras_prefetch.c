/* Texture loads that run before a fragment shader: SP_PS_INITIAL_TEX_LOAD. Their coordinates are two varyings at the
 * pixels' centres, their descriptors the shader's own. */
#include <string.h>

#include "adreno/model/coherence.h"
#include "adreno/model/gras/gras.h"
#include "adreno/model/hlsq/hlsq.h"
#include "util/bits.h"

struct finder {
    struct gras_shading *shading;
    const struct gras_prefetch *prefetch;
    uint32_t words[2][ADRENO_DESCRIPTOR_DW]; /* of the texture, of the sampler */
};

static const uint32_t *find_bindless(struct finder *finder, bool is_sampler, uint32_t index)
{
    struct adreno_gpu *gpu = finder->shading->gpu;
    const struct adreno_stage_state *state = finder->shading->launch->state;
    const unsigned set = is_sampler ? finder->prefetch->sampler_set : finder->prefetch->texture_set;
    uint32_t *words = finder->words[is_sampler];
    if (set >= ADRENO_BINDLESS_SETS) {
        adreno_stop(gpu, ADRENO_STOP_BROKEN, "a texture load before the shader names set %u", set);
        return NULL;
    }
    uint64_t va = state->bindless_va[set] + (uint64_t)index * ADRENO_DESCRIPTOR_DW * 4;
    ADRENO_READS(gpu->coherence, ADRENO_CLIENT_DESCRIPTOR, va, ADRENO_DESCRIPTOR_DW * 4);
    if (gpu_space_read(gpu->space, va, words, ADRENO_DESCRIPTOR_DW * 4) != ADRENO_DESCRIPTOR_DW * 4) {
        adreno_fault(gpu, "a descriptor", va, ADRENO_DESCRIPTOR_DW * 4, false);
        return NULL;
    }
    return words;
}

static const uint32_t *find(void *context, bool is_sampler, uint32_t index)
{
    struct finder *finder = context;
    const struct adreno_stage_state *state = finder->shading->launch->state;
    if (finder->prefetch->is_bindless)
        return find_bindless(finder, is_sampler, index);
    return is_sampler ? state->samplers[index % ADRENO_MAX_SAMPLERS] : state->textures[index % ADRENO_MAX_TEXTURES];
}

/* The varyings of all lanes of a wave's quads, evaluated as bary.f would. */
static void load_coordinates(struct gras_shading *shading, struct adreno_wave *wave, unsigned location,
                             uint32_t rows[2][ADRENO_WAVE_LANES_MAX])
{
    uint32_t i[ADRENO_WAVE_LANES_MAX], j[ADRENO_WAVE_LANES_MAX];
    adreno_gras_load_center(shading, i, j);
    for (unsigned c = 0; c < 2; c++)
        adreno_gras_hooks.interpolate(wave, location + c, (const float *)i, (const float *)j, rows[c], wave->active);
}

bool adreno_gras_prefetch(struct gras_shading *shading, struct adreno_wave *wave)
{
    const struct gras_state *state = shading->state;
    for (unsigned n = 0; n < state->prefetch_count; n++) {
        const struct gras_prefetch *prefetch = &state->prefetches[n];
        uint32_t coordinates[2][ADRENO_WAVE_LANES_MAX] = {{0}};
        struct finder finder = {.shading = shading, .prefetch = prefetch};
        load_coordinates(shading, wave, prefetch->location, coordinates);
        const unsigned row = prefetch->is_half ? adreno_half_row(prefetch->regid) : prefetch->regid;
        const struct tpl1_request request = {
            .op = prefetch->op,
            .type = prefetch->is_half ? TPL1_F16 : TPL1_F32,
            .wrmask = prefetch->mask,
            .lanes = wave->lanes,
            .active = wave->active,
            .src0 = {.row = coordinates[0], .stride_dw = ADRENO_WAVE_LANES_MAX},
            .dst = {.row = adreno_wave_row(wave, row),
                    .stride_dw = wave->lanes,
                    .is_half = prefetch->is_half,
                    .is_high = prefetch->is_half && adreno_half_shift(prefetch->regid)},
            .texture = prefetch->texture,
            .sampler = prefetch->sampler,
            .find = find,
            .context = &finder,
        };
        if (adreno_tpl1_run(shading->tpl1, &state->tpl1, &request)) {
            for (unsigned i = 0; wave->strict && i < 4; i++) {
                if (prefetch->mask >> i & 1)
                    adreno_sp_strict_late(wave, prefetch->regid + i, prefetch->is_half);
            }
            continue;
        }
        uint64_t va;
        const char *problem = adreno_tpl1_problem(shading->tpl1);
        if (adreno_tpl1_fault(shading->tpl1, &va))
            return adreno_fault(shading->gpu, "a texture load before the shader", va, 1, false);
        return adreno_stop(shading->gpu, ADRENO_STOP_BROKEN, "a texture load before the shader: %s",
                           problem ? problem : "its descriptor cannot be read");
    }
    return true;
}
