/* Fragment programs joined with interpolation, blending and the tile buffer (sc/join.h): a wave goes from the quads of
 * a batch, or from 8 by 8 pixels that one primitive covers, to the cells of the tile.
 *
 * Not for: several conversions of one output; those draws go through frag_shade.c and frag_hooks.c,
 * which give the same results. */
#ifndef MALI_MODEL_FRAG_FRAG_JOIN_H
#define MALI_MODEL_FRAG_FRAG_JOIN_H

#include "mali/model/frag/frag.h"
#include "mali/model/sc/join.h"
#include "mali/model/sc/move.h"

#define FRAG_JOIN_VARYINGS 16
#define FRAG_JOIN_TILES FRAG_TARGETS /* loads by LD_TILE */

/* The state that a joined program depends on besides its uniforms. Bytes that are not used are zero: keys are
   compared as memory. */
struct frag_join_term {
    float base, scale;
    uint32_t operand;
};

struct frag_join_target {
    uint32_t internal;
    uint8_t is_srgb, has_alpha_one, is_replacing, mask;
    uint8_t sums, is_alpha_one, zero[2];
    struct frag_join_term source[4], destination[4];
};

struct frag_join_key {
    uint64_t hash; /* of the rest; 0: no program can be joined in this state */
    uint64_t code_va;
    uint32_t samples;
    uint16_t has_ftz, target_mask;
    uint32_t target_count;
    uint32_t covers_by_alpha;
    struct frag_join_target targets[FRAG_TARGETS];
};

/* One BLEND of a program. */
struct frag_join_output {
    uint8_t target;
    bool is_opaque;
    bool is_codes;  /* the program makes the codes of its cells */
    bool is_srgb;   /* which are those of the curve */
    bool is_read;   /* and looks at what they were */
    bool has_cover; /* coverage of its own */
    bool is_made;   /* while it is made: that is done */
    uint8_t cell_B;
    struct mali_blend request; /* of others, but for the rows */
    struct frag_conversion conversion;
    jit_value colour[4], coverage; /* while it is made */
};

struct frag_join_variant {
    uint32_t preloaded; /* registers that it looks at */
    struct sc_join_between between;
    bool has_coverage, has_discard; /* the rows of struct frag_join_rows say so */
    bool has_alpha;                 /* that covers samples */
    bool has_zs, has_depth, has_stencil;
    bool has_weights; /* and looks at them */
    bool needs_quads;
    bool is_apart;             /* no lane looks at another one, nor at its number: lanes may be any pixels */
    bool is_solid;             /* all codes are the same in all lanes of a launch */
    struct sc_move *move;      /* all that it does is to move texels or words to its only target; NULL: it does more */
    struct sc_join_area *area; /* of programs that may leave out whole tiles */
    unsigned varying_count, output_count;
    uint16_t as_rows; /* of varyings: the program has them ready */
    struct mali_varying_load varyings[FRAG_JOIN_VARYINGS];
    struct frag_join_output outputs[FRAG_TARGETS];
    unsigned tile_count;
    uint8_t tiles[FRAG_JOIN_TILES]; /* render targets whose cells the program reads by LD_TILE */
};

struct frag_joined {
    struct pixel_joined base;
    struct frag_join_key key;
    uint32_t fact_count;
    struct sc_join_fact facts[SC_JOIN_FACTS];
    struct frag_join_variant variants[2];
};

/* Inputs and outputs of a program after its warp. Varyings that are not ready are numbers in the warp: of each
 * component that of the first vertex, and those that lead from it to the others. */
_Static_assert(FRAG_JOIN_VARYINGS * 12 <= MALI_WARP_VALUES, "all of them");

struct frag_join_rows {
    struct sc_join_rows own; /* of the shader core */
    uint32_t weight_i[MALI_ROW_LANES] __attribute__((aligned(64)));
    uint32_t weight_j[MALI_ROW_LANES];
    uint32_t coverage[MALI_ROW_LANES];
    uint32_t alpha[MALI_ROW_LANES];
    uint32_t depth[MALI_ROW_LANES], stencil[MALI_ROW_LANES];
    uint32_t covers[FRAG_TARGETS][MALI_ROW_LANES];
    uint32_t codes[FRAG_TARGETS][4][MALI_ROW_LANES];          /* words of cells, or colours that are not made codes */
    uint32_t tiles[FRAG_JOIN_TILES][4][MALI_ROW_LANES];       /* words of cells that were there */
    uint32_t varyings[FRAG_JOIN_VARYINGS][4][MALI_ROW_LANES]; /* those that are ready */
    uint64_t killed;
};

static inline struct frag_join_rows *mali_frag_join_rows(struct mali_warp *warp)
{
    return (struct frag_join_rows *)(void *)(warp + 1);
}

/* The joined program of a draw, whose uniforms the core has; NULL: there is none. */
struct frag_joined *mali_frag_join_find(struct frag_worker *w, const struct frag_draw *draw);

static inline const struct frag_blend *mali_frag_output_blend(const struct frag_worker *w,
                                                              const struct frag_join_output *output)
{
    return output->is_opaque ? &w->draw->opaque[output->target] : &w->draw->blends[output->target];
}

/* The joined program of the draw in hand; NULL: none. Then a warp that is ready for a variant of it, whose code is made
 * when it is worth it; NULL: not by this program. */
struct frag_joined *mali_frag_joined(struct frag_worker *w);
struct mali_warp *mali_frag_join_begin(struct frag_worker *w, struct frag_joined *joined, bool is_one);

/* Whether an output becomes codes in the program, and whether that looks at what is there; then the words of its cell.
 * `stored`: words that are there, of one that is read. */
void mali_frag_choose_output(const struct frag_worker *w, struct frag_join_output *output);
void mali_frag_make_codes(const struct frag_worker *w, const struct frag_join_output *output,
                          struct lane_program *program, const jit_value stored[4], jit_value codes_out[4]);
/* The registers that LD_TILE makes of the words of a cell, in this format: how many there are; 0: not in a program. */
unsigned mali_frag_make_registers(struct lane_program *program, const struct frag_conversion *conversion,
                                  enum mali_regfmt format, unsigned components, const jit_value stored[4],
                                  jit_value registers_out[4]);

/* Make the code of a variant, if it can be made. */
void mali_frag_join(struct frag_worker *w, struct frag_joined *joined, bool is_one, struct mali_warp *warp);

/* Lanes whose coverage has the only sample. */
uint64_t mali_frag_first_samples(const uint32_t *coverage);

/* Numbers of all varyings that are not ready, for one primitive. False: stopped. */
bool mali_frag_join_values(struct frag_worker *w, const struct frag_join_variant *variant,
                           const struct mali_bin_prim *prim, struct mali_warp *warp);

#endif
