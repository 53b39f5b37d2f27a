/* Fragment programs joined with what comes after them (model/pixel/pixel_join.h): this side follows the program and
 * lowers its instructions; the block that launches fragment waves lowers varyings, and what becomes of the outputs.
 *
 * It runs for all lanes of a wave, 64 of them, whatever the launch says: nothing in such a program can tell. Branches
 * forward are not taken (model/exec/paths.h). Texture instructions and loads run between the pieces as they do
 * elsewhere, for the lanes that come to them. Not for: loops, what a quad has in common where lanes have gone different
 * ways, stores, programs that look at the wave, strict mode. */
#ifndef ADRENO_MODEL_SP_JOIN_H
#define ADRENO_MODEL_SP_JOIN_H

#include "adreno/model/sp/wave.h"
#include "model/exec/paths.h"
#include "model/pixel/pixel_join.h"

#define ADRENO_JOIN_LANES 64

/* After the wave's rows: who goes which way while micro-operations run, and who was killed so far. */
struct sp_join_rows {
    uint32_t masks[EXEC_PATHS_MASKS][ADRENO_JOIN_LANES] __attribute__((aligned(64)));
    uint32_t killed[ADRENO_JOIN_LANES];
    uint64_t running; /* bits, of pieces that is_some names */
};

/* Findings about the places between a program's pieces. */
struct sp_join_between {
    bool has_uops;    /* between the pieces: lanes of the wave are looked at */
    uint64_t is_some; /* pieces after which they are for some lanes alone: bits */
};

struct sp_jit_builder;

/* Additions of the launching block to the program. False: not in this one. */
struct sp_join_hooks {
    /* bary.f at the coordinates i and j, or, where these are JIT_NONE, flat.b. */
    bool (*varying)(void *user, struct lane_program *program, uint32_t location, jit_value i, jit_value j,
                    jit_value *value_out);
    /* The end, where results are stored: adreno_sp_join_row() has them. `is_killed`: a boolean; JIT_NONE: nothing
     * is. */
    bool (*finish)(void *user, struct lane_program *program, struct sp_jit_builder *builder, jit_value is_killed);
};

struct sp_join {
    struct adreno_wave *wave; /* of adreno_sp_join_wave() */
    struct pixel_variant *variant;
    uint32_t frame_B; /* of the wave, its rows, and what the launching block keeps after them */
    const struct sp_join_hooks *hooks;
    void *user;

    /* Results. */
    struct sp_join_between between;
    bool has_preamble; /* it must have run */
};

/* Make the pieces of the variant. False: the program cannot be joined. */
bool adreno_sp_join(struct sp_join *join);

/* The row of a full register, or that of a half; for finish(). */
jit_value adreno_sp_join_row(struct sp_jit_builder *builder, unsigned row);

/* The cache of decoded programs; NULL: no host code is made of them. */
struct exec_code *adreno_sp_join_code(const struct adreno_sp *sp);

/* A wave of the worker's own, at the beginning of the launch, with `size_B` bytes after its rows, which stay. NULL: no
 * memory, or no program. */
struct adreno_wave *adreno_sp_join_wave(struct adreno_sp *sp, const struct adreno_launch *launch, uint32_t size_B);

#define ADRENO_JOIN_ROWS_B                                                                                             \
    (sizeof(struct adreno_wave) + (size_t)(ADRENO_WAVE_ROWS + ADRENO_WAVE_SPARE_ROWS) * ADRENO_WAVE_LANES_MAX * 4)

#define ADRENO_JOIN_AFTER_B (ADRENO_JOIN_ROWS_B + sizeof(struct sp_join_rows))

static inline void *adreno_sp_join_after(struct adreno_wave *wave)
{
    return (char *)wave + ADRENO_JOIN_AFTER_B;
}

/* Whether the launch's preamble, if there is one, has run on this worker. */
static inline bool adreno_sp_join_is_ready(const struct adreno_wave *wave, bool has_preamble)
{
    return !has_preamble || *wave->preamble_serial == wave->launch->serial;
}

enum adreno_join_result {
    ADRENO_JOIN_DONE,
    ADRENO_JOIN_REFUSED, /* not by this program, and nothing was done but to registers */
    ADRENO_JOIN_FAULTED, /* adreno_sp_report() says why */
};

/* One wave in its float environment; `lanes` are the first ones. */
enum adreno_join_result adreno_sp_join_run(struct adreno_wave *wave, const struct pixel_variant *variant,
                                           const struct sp_join_between *between, uint32_t lanes);

#endif
