/* Fragment programs joined with what the fragment endpoint does after them (model/pixel/pixel_join.h): this side follows
 * the program and lowers its instructions; the endpoint lowers what its own units answer.
 *
 * That is for straight code. It runs for all lanes that a warp has; which pixels are written is the endpoint's business
 * alone. Image instructions and loads run between the pieces as they do elsewhere. Not for: branches, blend shaders,
 * LD_TILE and ST_TILE, stores, tests after discards and the like, strict mode; such a program is run as it is. */
#ifndef MALI_MODEL_SC_JOIN_H
#define MALI_MODEL_SC_JOIN_H

#include "mali/model/sc/warp.h"
#include "model/pixel/pixel_join.h"

struct sc_move;

struct sc_join_blend {
    uint32_t descriptor[2];
    enum mali_regfmt regfmt;
    unsigned components;
    jit_value colour[4]; /* registers: two components in one where they have 16 bits */
};

/* What the endpoint adds to the program. False: not in this one. */
struct sc_join_hooks {
    /* Registers that a load of a varying writes. */
    bool (*varying)(void *user, struct lane_program *program, const struct mali_varying_load *load,
                    jit_value registers_out[4]);
    bool (*blend)(void *user, const struct sc_join_blend *blend);
    /* The end, where results are stored. `coverage`: what ATEST has got, `is_killed`: what DISCARD has found, a boolean;
     * JIT_NONE: what was preloaded, nothing. */
    bool (*finish)(void *user, struct lane_program *program, jit_value coverage, jit_value is_killed);
};

/* Uniforms whose values the program was made for. */
#define SC_JOIN_FACTS 16
struct sc_join_fact {
    uint32_t row, word;
};

struct sc_join {
    struct mali_warp *warp; /* of mali_sc_join_warp() */
    struct pixel_variant *variant;
    uint32_t frame_B; /* of the warp and of what the endpoint keeps after it */
    const struct sc_join_hooks *hooks;
    void *user;

    /* Results. */
    uint32_t preloaded;   /* bit n: r(48 + n) is looked at */
    bool has_uops;        /* between the pieces: lanes of the warp are looked at */
    bool needs_cover;     /* some of them after helpers have ended: it is for warps in which all lanes are fragments */
    struct sc_move *move; /* it moves texels or words, if its only result is a move's (sc/move.h); NULL: it does not */
    uint32_t fact_count;
    struct sc_join_fact facts[SC_JOIN_FACTS];
};

/* Make the pieces of the variant. False: the program cannot be joined. */
bool mali_sc_join(struct sc_join *join);

/* Whether uniforms of the launch that the core has entered are what the program was made for. */
bool mali_sc_join_holds(const struct mali_core *core, const struct sc_join_fact *facts, uint32_t count);

/* The cache of decoded programs; NULL: no host code is made of them. */
struct exec_code *mali_sc_join_code(const struct mali_core *core);

/* A warp of the core's own, at the beginning of the launch, with `size_B` bytes after it, which stay. NULL: no memory, or
 * no program. */
struct mali_warp *mali_sc_join_warp(struct mali_core *core, const struct mali_launch *launch, uint32_t size_B);

/* One wave, whose lanes are `lanes`, in the warp's float environment. False: the job is stopped. */
bool mali_sc_join_run(struct mali_warp *warp, const struct pixel_variant *variant, bool has_uops, uint64_t lanes);

#endif
