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
    const uint32_t *const in_place = gpu_space_pointer(gpu->space, va, ADRENO_DESCRIPTOR_DW * 4, GPU_PERM_READ);
    if (__builtin_expect(in_place != NULL, 1))
        return in_place;
    if (gpu_space_read(gpu->space, va, words, ADRENO_DESCRIPTOR_DW * 4) != ADRENO_DESCRIPTOR_DW * 4) {
        adreno_fault(gpu, "a descriptor", va, ADRENO_DESCRIPTOR_DW * 4, false);
        return NULL;
    }
    return words;
}

static const uint32_t *find_descriptor(void *context, bool is_sampler, uint32_t index)
{
    struct finder *finder = context;
    const struct adreno_stage_state *state = finder->shading->launch->state;
    if (finder->prefetch->is_bindless)
        return find_bindless(finder, is_sampler, index);
    return is_sampler ? state->samplers[index % ADRENO_MAX_SAMPLERS] : state->textures[index % ADRENO_MAX_TEXTURES];
}

/* Where quads are, as their own input register would have it. */
static void load_centers(const struct gras_shading *shading, struct adreno_wave *wave, struct gras_centers *centers)
{
    const uint8_t reg = shading->state->ij_reg[GRAS_IJ_PERSP_PIXEL];
    if (reg >= ADRENO_NO_REG) {
        adreno_gras_load_center(shading, centers->i, centers->j);
        return;
    }
    memcpy(centers->i, adreno_wave_row(wave, reg), wave->lanes * 4);
    memcpy(centers->j, adreno_wave_row(wave, reg + 1), wave->lanes * 4);
}

bool adreno_gras_prefetch(struct gras_shading *shading, struct adreno_wave *wave)
{
    struct gras_centers centers;
    load_centers(shading, wave, &centers);
    return adreno_gras_prefetch_at(shading, wave, &centers);
}

bool adreno_gras_prefetch_at(struct gras_shading *shading, struct adreno_wave *wave, const struct gras_centers *centers)
{
    const struct gras_state *state = shading->state;
    for (unsigned n = 0; n < state->prefetch_count; n++) {
        const struct gras_prefetch *prefetch = &state->prefetches[n];
        uint32_t coordinates[2][ADRENO_WAVE_LANES_MAX];
        struct finder finder = {.shading = shading, .prefetch = prefetch};
        if (!wave->is_full)
            memset(coordinates, 0, sizeof(coordinates));
        for (unsigned c = 0; c < 2; c++)
            adreno_gras_hooks.interpolate(wave, prefetch->location + c, (const float *)centers->i,
                                          (const float *)centers->j, coordinates[c], wave->active);
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
            .find = find_descriptor,
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
