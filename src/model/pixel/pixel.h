/* Pixels between a shader and memory, as far as it is arithmetic and the same for every GPU: the comparison of depth
 * and stencil, stencil operations, blending. Colours are rows of lanes, a row a channel.
 *
 * State is plain: a family fills it from its registers or descriptors. Not for: where pixels are in memory, what their
 * metadata says, or how a shader hands its colours over; those are the family's. */
#ifndef MODEL_PIXEL_PIXEL_H
#define MODEL_PIXEL_PIXEL_H

#include <stdbool.h>
#include <stdint.h>

#define PIXEL_LANES 64

/* A comparison is the set of relations between value and reference for which it holds. */
enum pixel_compare {
    PIXEL_LESS = 1,
    PIXEL_EQUAL = 2,
    PIXEL_GREATER = 4,
    PIXEL_NEVER = 0,
    PIXEL_LESS_OR_EQUAL = PIXEL_LESS | PIXEL_EQUAL,
    PIXEL_NOT_EQUAL = PIXEL_LESS | PIXEL_GREATER,
    PIXEL_GREATER_OR_EQUAL = PIXEL_GREATER | PIXEL_EQUAL,
    PIXEL_ALWAYS = 7,
};

static inline bool pixel_compare_uint(unsigned compare, uint32_t value, uint32_t reference)
{
    return compare & (value < reference ? PIXEL_LESS : value == reference ? PIXEL_EQUAL : PIXEL_GREATER);
}

/* A NaN has no relation to anything: only PIXEL_ALWAYS holds. */
static inline bool pixel_compare_float(unsigned compare, float value, float reference)
{
    unsigned relation = value < reference    ? PIXEL_LESS
                        : value == reference ? PIXEL_EQUAL
                        : value > reference  ? PIXEL_GREATER
                                             : PIXEL_NEVER;
    return compare == PIXEL_ALWAYS || (compare & relation);
}

enum pixel_stencil {
    PIXEL_STENCIL_KEEP,
    PIXEL_STENCIL_ZERO,
    PIXEL_STENCIL_ONES,
    PIXEL_STENCIL_REFERENCE, /* that the test compared with */
    PIXEL_STENCIL_OPERAND,   /* these and the rest take an operand of their own, 1 for increments */
    PIXEL_STENCIL_ADD_CLAMP,
    PIXEL_STENCIL_SUB_CLAMP,
    PIXEL_STENCIL_INVERT,
    PIXEL_STENCIL_ADD_WRAP,
    PIXEL_STENCIL_SUB_WRAP,
    PIXEL_STENCIL_AND,
    PIXEL_STENCIL_OR,
    PIXEL_STENCIL_XOR,
    PIXEL_STENCIL_NAND,
    PIXEL_STENCIL_NOR,
    PIXEL_STENCIL_XNOR,
};

uint8_t pixel_stencil_apply(enum pixel_stencil op, uint8_t value, uint8_t reference, uint8_t operand);

union pixel_colors {
    float f[4][PIXEL_LANES];
    uint32_t u[4][PIXEL_LANES];
    int32_t i[4][PIXEL_LANES];
};

/* A factor of blending: base + scale * operand. All of them have that form but the saturated alpha. */
enum pixel_factor {
    PIXEL_FACTOR_ZERO,
    PIXEL_FACTOR_ONE,
    PIXEL_FACTOR_SOURCE,
    PIXEL_FACTOR_ONE_MINUS_SOURCE,
    PIXEL_FACTOR_SOURCE_ALPHA,
    PIXEL_FACTOR_ONE_MINUS_SOURCE_ALPHA,
    PIXEL_FACTOR_DESTINATION,
    PIXEL_FACTOR_ONE_MINUS_DESTINATION,
    PIXEL_FACTOR_DESTINATION_ALPHA,
    PIXEL_FACTOR_ONE_MINUS_DESTINATION_ALPHA,
    PIXEL_FACTOR_CONSTANT,
    PIXEL_FACTOR_ONE_MINUS_CONSTANT,
    PIXEL_FACTOR_CONSTANT_ALPHA,
    PIXEL_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
    PIXEL_FACTOR_SOURCE1,
    PIXEL_FACTOR_ONE_MINUS_SOURCE1,
    PIXEL_FACTOR_SOURCE1_ALPHA,
    PIXEL_FACTOR_ONE_MINUS_SOURCE1_ALPHA,
    PIXEL_FACTOR_SOURCE_ALPHA_SATURATE,
};

enum pixel_function {
    PIXEL_ADD,
    PIXEL_SUBTRACT,         /* source - destination */
    PIXEL_REVERSE_SUBTRACT, /* destination - source */
    PIXEL_MIN,
    PIXEL_MAX,
    PIXEL_SOURCE, /* no blending */
};

struct pixel_equation {
    uint8_t source, destination; /* enum pixel_factor */
    uint8_t function;            /* enum pixel_function */
};

enum pixel_operand {
    PIXEL_OPERAND_SOURCE, /* its channels, then those of the others */
    PIXEL_OPERAND_DESTINATION = 4,
    PIXEL_OPERAND_SOURCE1 = 8,
    PIXEL_OPERANDS = 12,
};

struct pixel_term {
    float base, scale;
    uint8_t operand; /* enum pixel_operand and the channel */
};

/* The blending of one target. The family fills in the first part; pixel_blend_prepare the second. */
struct pixel_blend {
    struct pixel_equation color, alpha;
    float constant[4];
    float clamp_min, clamp_max; /* of operands; equal: none */
    bool is_dual;               /* a factor needs the second source */
    bool is_alpha_one;          /* what is stored has no alpha: it reads as 1 */
    bool is_bytes4;             /* memory holds four unorm bytes: pixel_blend_bytes4 may do */
    uint8_t from[4];            /* of those: component of memory ← component of the colour */

    bool adds;          /* blending is a sum of products, whose factors are source_term and destination_term */
    bool sums;          /* so it is, of bytes4 and clamped to between 0 and 1 */
    bool sums_by_alpha; /* no factor needs more than the source's alpha */
    /* By channel; where blending is no such sum, of all factors but the saturated alpha. */
    struct pixel_term source_term[4], destination_term[4];
};

void pixel_blend_prepare(struct pixel_blend *blend);

/* Blending where the hardware's own equation is a sum of two products and the family has filled in source_term and
 * destination_term, not the equations: then pixel_blend_terms takes the place of pixel_blend. */
void pixel_blend_prepare_terms(struct pixel_blend *blend);
/* Blend into *source: source * its term + destination * its term, operands and result clamped. */
void pixel_blend_terms(const struct pixel_blend *blend, union pixel_colors *source,
                       const union pixel_colors *destination);

/* Blend into *source. source1 may be NULL. */
void pixel_blend(const struct pixel_blend *blend, union pixel_colors *source, const union pixel_colors *source1,
                 union pixel_colors *destination);

/* Blend into the codes of memory where blend->sums is set. Sources are clamped already; source1 may be NULL. */
void pixel_blend_bytes4(const struct pixel_blend *blend, const union pixel_colors *source,
                        const union pixel_colors *source1, uint32_t *codes);

/* A logic operation on bits: bit (source << 1 | destination) of the code is the result's, so that 0xc copies. */
static inline uint8_t pixel_logic(uint8_t code, uint8_t source, uint8_t destination)
{
    uint8_t result = 0;
    if (code & 1)
        result |= (uint8_t)(~source & ~destination);
    if (code & 2)
        result |= (uint8_t)(~source & destination);
    if (code & 4)
        result |= (uint8_t)(source & ~destination);
    if (code & 8)
        result |= source & destination;
    return result;
}

#endif
