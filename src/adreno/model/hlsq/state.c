/* Loaded state: what CP_LOAD_STATE6* brings, and its life. */
#include <stdlib.h>
#include <string.h>

#include "adreno/model/blocks.h"
#include "adreno/model/coherence.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/hlsq/workers.h"

/* The fields STATE_TYPE, STATE_SRC and STATE_BLOCK. */
enum {
    TYPE_SHADER, /* of a block TEX: samplers */
    TYPE_CONSTANTS,
    TYPE_UBO,
    TYPE_IBO,
};
enum {
    SOURCE_DIRECT,
    SOURCE_BINDLESS,
    SOURCE_INDIRECT,
    SOURCE_UBO,
};
enum {
    BLOCK_TEX = 0,    /* and those of the other stages after it */
    BLOCK_SHADER = 8, /* the same */
    BLOCK_IBO = 14,
    BLOCK_CS_IBO = 15,
};

bool adreno_hlsq_create(struct adreno_gpu *gpu)
{
    gpu->hlsq = calloc(1, sizeof(*gpu->hlsq));
    if (!gpu->hlsq)
        return false;
    gpu->hlsq->workers = adreno_hlsq_workers_create();
    if (!gpu->hlsq->workers) {
        free(gpu->hlsq);
        gpu->hlsq = NULL;
        return false;
    }
    adreno_hlsq_reset(gpu);
    return true;
}

void adreno_hlsq_destroy(struct adreno_gpu *gpu)
{
    if (!gpu->hlsq)
        return;
    adreno_hlsq_workers_destroy(gpu->hlsq->workers);
    free(gpu->hlsq);
    gpu->hlsq = NULL;
}

void adreno_hlsq_reset(struct adreno_gpu *gpu)
{
    struct adreno_hlsq *hlsq = gpu->hlsq;
    memset(hlsq->stages, 0, sizeof(hlsq->stages));
    memset(hlsq->graphics_ibos, 0, sizeof(hlsq->graphics_ibos));
    memset(hlsq->compute_ibos, 0, sizeof(hlsq->compute_ibos));
    memset(hlsq->shared_constants, 0, sizeof(hlsq->shared_constants));
    for (unsigned i = 0; i < ADRENO_STAGE_COUNT; i++)
        hlsq->stages[i].ibos = i == ADRENO_STAGE_CS ? hlsq->compute_ibos : hlsq->graphics_ibos;
}

void adreno_hlsq_invalidate_code(struct adreno_gpu *gpu)
{
    atomic_fetch_add_explicit(&gpu->code_epoch, 1, memory_order_relaxed);
}

/* ---- loads ---- */

/* An array that is loaded to: where it is, its units and how many of them there are. NULL: nothing is kept of it. */
struct target {
    uint32_t *words;
    uint32_t unit_dw;
    uint32_t count;
};

static bool stage_target(struct adreno_stage_state *state, bool is_tex, unsigned type, struct target *out)
{
    if (is_tex) {
        *out = type == TYPE_SHADER ? (struct target){state->samplers[0], ADRENO_SAMPLER_DW, ADRENO_MAX_SAMPLERS}
                                   : (struct target){state->textures[0], ADRENO_DESCRIPTOR_DW, ADRENO_MAX_TEXTURES};
        return type <= TYPE_CONSTANTS;
    }
    switch (type) {
    case TYPE_SHADER: /* instructions into a cache; programs are read where they are */
        *out = (struct target){0};
        return true;
    case TYPE_CONSTANTS:
        *out = (struct target){state->constants, 4, ADRENO_WAVE_CONSTANTS_DW / 4};
        return true;
    case TYPE_UBO:
        *out = (struct target){state->ubos[0], ADRENO_UBO_DW, ADRENO_MAX_UBOS};
        return true;
    default:
        *out = (struct target){(uint32_t *)state->ibos[0], ADRENO_DESCRIPTOR_DW, ADRENO_MAX_IBOS};
        return true;
    }
}

static bool find_target(struct adreno_hlsq *hlsq, unsigned block, unsigned type, struct target *out)
{
    if (block < BLOCK_TEX + ADRENO_STAGE_COUNT)
        return stage_target(&hlsq->stages[block - BLOCK_TEX], true, type, out);
    if (block >= BLOCK_SHADER && block < BLOCK_SHADER + ADRENO_STAGE_COUNT)
        return stage_target(&hlsq->stages[block - BLOCK_SHADER], false, type, out);
    if (block == BLOCK_IBO && (type == TYPE_CONSTANTS || type == TYPE_UBO)) {
        *out = (struct target){hlsq->shared_constants[type == TYPE_UBO], 1, ADRENO_SHARED_CONSTANTS_DW};
        return true;
    }
    if (block == BLOCK_IBO || block == BLOCK_CS_IBO) {
        *out = (struct target){block == BLOCK_IBO ? hlsq->graphics_ibos[0] : hlsq->compute_ibos[0],
                               ADRENO_DESCRIPTOR_DW, ADRENO_MAX_IBOS};
        return type == TYPE_SHADER || type == TYPE_IBO;
    }
    return false;
}

bool adreno_hlsq_load_state(struct adreno_gpu *gpu, unsigned opcode, const struct adreno_pkt_CP_LOAD_STATE6 *load,
                            const uint32_t *data, uint32_t data_dw)
{
    (void)opcode; /* which of the pipe's halves loads it */
    struct adreno_hlsq *hlsq = gpu->hlsq;
    struct target target;
    const unsigned source = load->STATE_SRC, block = load->STATE_BLOCK;
    if (source == SOURCE_BINDLESS)
        return true; /* descriptors into a cache before they are used */
    if (source == SOURCE_UBO || !find_target(hlsq, block, load->STATE_TYPE, &target))
        return adreno_stop(gpu, ADRENO_STOP_UNIMPLEMENTED, "a state load of type %u into block %u from source %u",
                           (unsigned)load->STATE_TYPE, block, source);
    if (!target.words)
        return true;
    const uint32_t size_dw = load->NUM_UNIT * target.unit_dw;
    if (load->DST_OFF > target.count || load->NUM_UNIT > target.count - load->DST_OFF)
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "a state load of units %u to %u, of which there are %u",
                           (unsigned)load->DST_OFF, (unsigned)(load->DST_OFF + load->NUM_UNIT), target.count);
    uint32_t *to = target.words + (size_t)load->DST_OFF * target.unit_dw;
    if (source == SOURCE_DIRECT) {
        /* The packet ends the load: Turnip's of immediates may name more units than it has, and the others stay. */
        memcpy(to, data, (data_dw < size_dw ? data_dw : size_dw) * 4);
    } else {
        ADRENO_READS(gpu->coherence, ADRENO_CLIENT_STATE, load->EXT_SRC_ADDR, size_dw * 4);
        if (gpu_space_read(gpu->space, load->EXT_SRC_ADDR, to, size_dw * 4) != size_dw * 4)
            return adreno_fault(gpu, "state load", load->EXT_SRC_ADDR, size_dw * 4, false);
    }
    if (block < ADRENO_STAGE_COUNT)
        hlsq->stages[block].loads++;
    return true;
}
