/* Fragment programs joined with what the fragment endpoint does after them (model/pixel/pixel_join.h): this side
 * follows the program and lowers its instructions; the endpoint lowers what its own units answer.
 *
 * It runs for all lanes that a warp has; which pixels are written is the endpoint's business alone. Branches forward
 * are not taken (model/exec/paths.h), those backwards go from the end of a piece to the beginning of another one
 * (join_region.h). Image instructions, loads and stores run between the pieces as they do elsewhere, for the lanes that
 * come to them. A blend shader is part of the program: where it is, and where it goes back to, are constants and
 * uniforms. Not for: tests, colours, calls and ends that only some lanes come to, ST_TILE, memory after tests, loops
 * that are host code by themselves, strict mode; such a program is run as it is. */
#ifndef MALI_MODEL_SC_JOIN_H
#define MALI_MODEL_SC_JOIN_H

#include "mali/model/sc/warp.h"
#include "model/pixel/pixel_join.h"

struct sc_move;
struct sc_join_area;

struct sc_join_blend {
    uint32_t descriptor[2];
    enum mali_regfmt regfmt;
    unsigned components;
    jit_value colour[4]; /* registers: two components in one where they have 16 bits */
    jit_value coverage;  /* of its own; JIT_NONE: what tests have left */
};

/* LD_TILE whose pixel and conversion are known. */
struct sc_join_tile {
    uint32_t pixel, conversion;
    enum mali_regfmt regfmt;
    unsigned components;
};

/* Outputs of a program besides its colours. JIT_NONE: nothing of it. */
struct sc_join_end {
    jit_value coverage;       /* that its tests have got; JIT_NONE: what was preloaded */
    jit_value alpha;          /* the same */
    jit_value killed;         /* a boolean: what DISCARD has found */
    jit_value depth, stencil; /* of ZS_EMIT */
    bool has_zs;
};

/* Additions of the endpoint to the program. False: not in this one. */
struct sc_join_hooks {
    /* Registers that a load of a varying writes. */
    bool (*varying)(void *user, struct lane_program *program, const struct mali_varying_load *load,
                    jit_value registers_out[4]);
    /* MALI_BLEND_SHADER: the program goes on to call one; MALI_BLEND_FAULT: not in this one. */
    enum mali_blend_result (*blend)(void *user, const struct sc_join_blend *blend);
    /* A load of LD_TILE; how many registers it writes, 0: not in this one. */
    unsigned (*tile)(void *user, struct lane_program *program, const struct sc_join_tile *tile,
                     jit_value registers_out[4]);
    /* Micro-operations come: values of colours end with this piece of the program. */
    void (*pause)(void *user, struct lane_program *program);
    /* The end, where results are stored. */
    bool (*finish)(void *user, struct lane_program *program, const struct sc_join_end *end);
};

/* Uniforms whose values the program was made for. */
#define SC_JOIN_FACTS 16
struct sc_join_fact {
    uint32_t row, word;
};

/* Values that the pieces hand on to each other, right behind the warp: the endpoint's own rows come after it. */
#define SC_JOIN_MASKS 36
struct sc_join_rows {
    uint32_t masks[SC_JOIN_MASKS][MALI_ROW_LANES] __attribute__((aligned(64)));
    uint64_t running; /* lanes that micro-operations are for, where not all are */
    uint64_t bare;    /* such among which helpers have ended */
};

/* Micro-operations between the pieces. */
struct sc_join_between {
    bool is_any;
    bool has_stores; /* among them */
    uint64_t is_some;             /* bit n, after piece n: of sc_join_rows.running alone */
    uint64_t is_bare;             /* the same: helpers have ended */
    uint64_t is_partly_bare;      /* among sc_join_rows.bare */
    uint8_t back[PIXEL_SEGMENTS]; /* after piece n, while some of these are left: the piece to go on with; 0: the next one */
    uint8_t skip[PIXEL_SEGMENTS]; /* the same where none of these is left */
};

struct sc_join {
    struct mali_warp *warp; /* of mali_sc_join_warp() */
    struct pixel_variant *variant;
    uint32_t frame_B; /* of the warp and of what the endpoint keeps after it */
    const struct sc_join_hooks *hooks;
    void *user;

    /* Results. */
    uint32_t preloaded; /* bit n: r(48 + n) is looked at */
    struct sc_join_between between;
    bool is_apart; /* no lane looks at another one, nor at its number, and host code is all there is */
    struct sc_move *move; /* it moves texels or words, if its only result is a move's (sc/move.h); NULL: it does not */
    struct sc_join_area *area; /* of one whose lanes go different ways; NULL: it is not kept */
    uint32_t fact_count;
    struct sc_join_fact facts[SC_JOIN_FACTS];
};

/* Make the pieces of the variant. False: the program cannot be joined. */
bool mali_sc_join(struct sc_join *join);

/* Whether uniforms of the launch that the core has entered are what the program was made for. */
bool mali_sc_join_holds(const struct mali_core *core, const struct sc_join_fact *facts, uint32_t count);

/* The cache of decoded programs; NULL: no host code is made of them. */
struct exec_code *mali_sc_join_code(const struct mali_core *core);

/* A warp of the core's own, at the beginning of the launch, with `size_B` bytes after it, which stay. NULL: no memory,
 * or no program. */
struct mali_warp *mali_sc_join_warp(struct mali_core *core, const struct mali_launch *launch, uint32_t size_B);

/* Whether the buffers of the warp's launch are such as the pieces load from; else the program runs as others do. */
bool mali_sc_join_suits(struct mali_warp *warp, const struct pixel_variant *variant);

/* One wave, whose lanes are `lanes`, in the warp's float environment; `covered` are no helpers. False: the job is
 * stopped. */
bool mali_sc_join_run(struct mali_warp *warp, const struct pixel_variant *variant,
                      const struct sc_join_between *between, uint64_t lanes, uint64_t covered);

#endif
