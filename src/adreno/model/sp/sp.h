/* One worker's part of the shader processor, inside (wave.h has the interface). */
#ifndef ADRENO_MODEL_SP_SP_H
#define ADRENO_MODEL_SP_SP_H

#include "adreno/model/sp/uop.h"
#include "adreno/model/tpl1/tpl1.h"

#define SP_VIEWS_LOG2 6
#define SP_VIEWS (1 << SP_VIEWS_LOG2)

/* A buffer's memory, as its descriptor was decoded last (buffer.c). */
struct sp_view {
    uint32_t words[TPL1_IMAGE_DW];
    uint64_t va;
    void *host;       /* NULL: it cannot be accessed so */
    uint32_t count;   /* dwords */
    bool is_plain;    /* elements are dwords */
    uint32_t changes; /* gpu_space_changes() then */
    unsigned need;    /* GPU_PERM_* */
};

struct adreno_sp {
    const struct gpu_space *memory;
    const _Atomic bool *stop_flag;
    struct coherence_actor *coherence; /* of the launch; NULL: nothing is looked at */
    struct sp_code *code;
    struct tpl1 *tpl1;
    struct tpl1_state tpl1_state; /* of the launch */
    uint64_t serial;              /* of the launch that it is ready for */
    uint64_t code_epoch;          /* as of the last validation */
    struct adreno_wave *single;   /* of stages other than compute */
    struct adreno_wave *joined;   /* of joined programs (join.h) */
    struct adreno_wave *whole;    /* of whole ones (whole.h) */
    struct sp_view views[SP_VIEWS];
    struct {
        uint64_t serial;          /* of the launch that the constants are of */
        uint64_t preamble_serial; /* of the last one whose preamble has run */
        uint32_t constants[ADRENO_WAVE_CONSTANTS_DW];
    } stages[ADRENO_STAGE_COUNT];
};

/* Memory of a wave; free() it. */
struct adreno_wave *adreno_sp_wave_create(void);

/* A wave at the launch's beginning. False: there is no program. */
bool adreno_sp_wave_begin(struct adreno_sp *sp, struct adreno_wave *wave, const struct adreno_launch *launch);

/* Run until it ends, waits, or has used up its turn. The wave's float environment is set: for who has many turns. */
void adreno_sp_wave_turn(struct adreno_wave *wave);

#define ADRENO_SP_TURN 4096 /* backward branches before the next wave gets its turn */

#endif
