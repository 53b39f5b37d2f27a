/* Fragment programs joined with varyings, conversion and blending (sp/join.h): a wave goes from its quads, or from 8 by
 * 8 pixels that one primitive covers, to the codes of its targets.
 *
 * Targets of four bytes or four halves and what is packed without blending have code of their own, all others that of
 * model/pixel/pixel_target.h.
 *
 * Not for: programs that give depth, stencil or a sample mask, coverage by alpha; those draws go through
 * gras_fragment.c, which gives the same results. Targets with shared exponents or several samples that blend leave as
 * rows of registers. */
#ifndef ADRENO_MODEL_GRAS_JOIN_H
#define ADRENO_MODEL_GRAS_JOIN_H

#include "adreno/model/gras/gras.h"
#include "adreno/model/sp/join.h"

#define GRAS_JOIN_LOCATIONS (ADRENO_WAVE_VALUES / 3)
_Static_assert(GRAS_JOIN_QUADS == ADRENO_JOIN_LANES / 4 && ADRENO_RB_CODE_LANES == ADRENO_JOIN_LANES,
               "a wave of these");

struct gras_join_term {
    float base, scale;
    uint32_t operand;
};

struct gras_join_target {
    uint8_t number, regid, is_half, numeric;
    uint8_t is_codes, is_blended, is_alpha_one, is_encoded, code_dw;
    uint8_t reads; /* codes, from before the program */
    uint8_t is_packed, is_words, is_bytes4, has_logic, logic;
    uint8_t from[4];
    uint16_t format; /* of the latter two; and of is_words: */
    struct pixel_equation color, alpha;
    uint8_t bits[ADRENO_RB_MAX_SAMPLE_B];
    struct gras_join_term source[4], destination[4];
};

/* The state that a joined program depends on. Bytes that are not used are zero: keys are compared as memory. */
struct gras_join_key {
    uint64_t hash; /* of the rest */
    uint64_t program_va;
    uint8_t has_alpha_to_one, is_codes; /* of all targets */
    uint8_t reads;                      /* any of them */
    uint8_t output_mask, halves;        /* bits */
    uint8_t regids[ADRENO_RB_TARGETS];
    uint32_t target_count;
    uint8_t sources[VPC_VARYINGS]; /* of varyings */
    struct gras_join_target targets[ADRENO_RB_TARGETS];
};

struct gras_join_variant {
    struct sp_join_between between;
    bool has_preamble, has_kill;
    uint32_t location_count;
    uint8_t locations[GRAS_JOIN_LOCATIONS]; /* of varyings: three numbers each, */
    uint32_t is_flat;                       /* or one, as flat.b has it: bits */
};

struct gras_joined {
    struct pixel_joined base;
    struct gras_join_key key;
    struct gras_join_variant variants[2];
};

/* Inputs and outputs of a program, in rows behind its wave. */
struct gras_join_rows {
    uint32_t codes[ADRENO_RB_TARGETS][ADRENO_RB_CODE_DW][ADRENO_RB_CODE_LANES] __attribute__((aligned(64)));
    uint32_t varyings[GRAS_JOIN_LOCATIONS][3][ADRENO_JOIN_LANES]; /* of waves of several primitives */
    uint64_t killed;
};

/* The joined program of a draw; NULL: there is none. */
struct gras_joined *adreno_gras_join_find(const struct gras_shading *shading, const struct adreno_sp *sp);

/* Make the code of a variant, if it can be made. */
void adreno_gras_join(const struct gras_shading *shading, struct gras_joined *joined, bool is_one,
                      struct adreno_wave *wave);

/* gras_input.c: whether bary.f interpolates nothing, by enum vpc_source; a varying of a primitive as at, di, dj; or, as
 * flat.b has it, the first of them. */
bool adreno_gras_is_constant(const uint8_t *sources, uint32_t location);
void adreno_gras_varying(const struct gras_state *state, const struct raster_prim *prim, uint32_t location,
                         bool is_flat, uint32_t values_out[3]);

/* Whether bary.f interpolates it between three vertices' own values, which are the second's. */
static inline bool adreno_gras_is_smooth(const struct gras_state *state, uint32_t location)
{
    return location < VPC_VARYINGS && state->vpc->sources[location] == VPC_SMOOTH && location < state->vpc->record_dw &&
           !state->is_rect;
}

static inline void adreno_gras_smooth(const struct raster_prim *prim, uint32_t location, uint32_t values_out[3])
{
    const float first = prim->params[0][location];
    values_out[0] = float_bits(first);
    values_out[1] = float_bits(prim->params[1][location] - first);
    values_out[2] = float_bits(prim->params[2][location] - first);
}

#endif
