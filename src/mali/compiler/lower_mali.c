/* Operations that Valhall has no instruction for and no other machine lacks in this way. See lower_mali.h.
 *
 * Reductions and scans over the 16 lanes of a warp: where all of them are there, lanes exchange sums in four steps;
 * else each lane reads all others, and those that are not there give what the reduction starts from. */
#include "mali/compiler/lower_mali.h"

#define LANES 16

static struct ir_value *number(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

static struct ir_value *combine_values(struct ir_builder *b, unsigned reduction, struct ir_value *x, struct ir_value *y)
{
    static const uint16_t ops[] = {
        [IR_REDUCTION_iadd] = IR_OP_iadd, [IR_REDUCTION_imul] = IR_OP_imul, [IR_REDUCTION_imin] = IR_OP_imin,
        [IR_REDUCTION_imax] = IR_OP_imax, [IR_REDUCTION_umin] = IR_OP_umin, [IR_REDUCTION_umax] = IR_OP_umax,
        [IR_REDUCTION_iand] = IR_OP_iand, [IR_REDUCTION_ior] = IR_OP_ior,   [IR_REDUCTION_ixor] = IR_OP_ixor,
        [IR_REDUCTION_fadd] = IR_OP_fadd, [IR_REDUCTION_fmul] = IR_OP_fmul, [IR_REDUCTION_fmin] = IR_OP_fmin,
        [IR_REDUCTION_fmax] = IR_OP_fmax};
    struct ir_value *srcs[] = {x, y};
    const uint32_t imm[IR_MAX_IMMS] = {0};
    return &ir_build(b, ops[reduction], x->bits, 1, 2, srcs, 0, NULL, imm)->def;
}

static struct ir_value *lane_of(struct ir_builder *b)
{
    return ir_load_sysval(b, 32, 1, IR_SYSVAL_subgroup_lane);
}

/* All 16 lanes run this. */
static bool is_full(const struct ir_builder *b, const struct ir_instr *instr)
{
    const uint32_t *size = b->shader->workgroup_size;
    return b->shader->stage == IR_STAGE_compute && (uint64_t)size[0] * size[1] * size[2] % LANES == 0 &&
           !ir_lanes_are_elsewhere(instr);
}

static struct ir_value *reduce_lanes(struct ir_builder *b, struct ir_instr *instr, struct ir_value *x)
{
    const unsigned reduction = ir_imm(instr, IR_IMM_REDUCTION), cluster = ir_imm(instr, IR_IMM_CLUSTER);
    const unsigned size = cluster && cluster < LANES ? cluster : LANES;
    struct ir_value *sum = x;
    if (is_full(b, instr)) {
        for (unsigned step = 1; step < size; step *= 2)
            sum = combine_values(b, reduction, sum, ir_lane_read(b, sum, number(b, step), reduction, 1));
        return sum;
    }
    for (unsigned other = 1; other < size; other++)
        sum = combine_values(b, reduction, sum, ir_lane_read(b, x, number(b, other), reduction, 1));
    return sum;
}

/* Lanes below this one, in their order; those that are not there count as nothing. */
static struct ir_value *scan_lanes(struct ir_builder *b, struct ir_instr *instr, struct ir_value *x)
{
    const unsigned reduction = ir_imm(instr, IR_IMM_REDUCTION);
    struct ir_value *identity = ir_const(b, x->bits, ir_reduction_identity(reduction, x->bits)), *lane = lane_of(b);
    struct ir_value *sum = identity;
    for (unsigned other = 0; other + 1 < LANES; other++) {
        struct ir_value *value = ir_lane_read(b, x, number(b, other), reduction, 0);
        value = ir_select(b, ir_ult(b, number(b, other), lane), value, identity);
        sum = combine_values(b, reduction, sum, value);
    }
    return instr->op == IR_OP_scan_inclusive ? combine_values(b, reduction, sum, x) : sum;
}

static struct ir_value *lower_lane_instr(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *x = instr->num_srcs ? ir_src(instr, 0) : NULL;
    switch (instr->op) {
    case IR_OP_reduce:
    case IR_OP_scan_inclusive:
    case IR_OP_scan_exclusive:
        if (x->bits == 1) { /* as numbers; a sum of booleans is that of bits */
            struct ir_value *wide = ir_select(b, x, number(b, UINT32_MAX), number(b, 0));
            struct ir_value *result =
                instr->op == IR_OP_reduce ? reduce_lanes(b, instr, wide) : scan_lanes(b, instr, wide);
            return ir_ine(b, result, number(b, 0));
        }
        return instr->op == IR_OP_reduce ? reduce_lanes(b, instr, x) : scan_lanes(b, instr, x);
    default:
        return NULL;
    }
}

bool mali_lower_lanes(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_lane_instr);
}

/* ---- what is known of a warp ---- */

/* Of 64 bits the upper ones are of lanes that are not there. */
static struct ir_value *cut_mask(struct ir_builder *b, struct ir_value *mask)
{
    return ir_pack64(b, ir_lo32(b, mask), number(b, 0));
}

static struct ir_value *lower_warp_instr(struct ir_builder *b, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_sysval:
        return ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_subgroup_size ? number(b, LANES) : NULL;
    case IR_OP_ballot:
        return cut_mask(b, ir_ballot(b, ir_src(instr, 0)));
    case IR_OP_active_mask:
        return cut_mask(b, ir_active_mask(b));
    default:
        return NULL;
    }
}

bool mali_lower_warp(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_warp_instr);
}

/* ---- what descriptors say ---- */

/* A field of a texture's descriptor that is stored less one. All ones, which no image has, are zero: those of a null
 * descriptor. */
static struct ir_value *field(struct ir_builder *b, struct ir_value *handle, unsigned word, unsigned low, unsigned bits)
{
    struct ir_value *x = ir_desc_word(b, handle, word);
    if (low)
        x = ir_ushr(b, x, number(b, low));
    return ir_iand(b, ir_iadd(b, x, number(b, 1)), number(b, (1u << bits) - 1));
}

/* A size at a level: never less than one, unless there is no image. */
static struct ir_value *at_level(struct ir_builder *b, struct ir_value *size, struct ir_value *level)
{
    if (!level || (ir_is_const(level) && !ir_const_u64(level)))
        return size;
    return ir_umin(b, ir_umax(b, ir_ushr(b, size, level), number(b, 1)), size);
}

static struct ir_value *texels_of_buffer(struct ir_builder *b, struct ir_value *handle)
{
    struct ir_value *stride = ir_umax(b, ir_desc_word(b, handle, 4), number(b, 1));
    return ir_udiv(b, ir_desc_word(b, handle, 1), stride);
}

/* `has_faces`: a cube's layers count its faces, as those of a storage image do. */
static struct ir_value *size_of(struct ir_builder *b, const struct ir_instr *instr, struct ir_value *handle,
                                struct ir_value *level, bool has_faces)
{
    const unsigned dim = ir_imm(instr, IR_IMM_DIM);
    struct ir_value *comps[4];
    unsigned count = 0;
    if (dim == IR_DIM_buffer)
        return texels_of_buffer(b, handle);
    comps[count++] = at_level(b, field(b, handle, 1, 0, 16), level);
    if (dim != IR_DIM_1d)
        comps[count++] = at_level(b, field(b, handle, 1, 16, 16), level);
    if (dim == IR_DIM_3d)
        comps[count++] = at_level(b, field(b, handle, 7, 0, 16), level);
    if (ir_imm(instr, IR_IMM_ARRAY)) {
        struct ir_value *layers = field(b, handle, 6, 0, 16);
        if (dim == IR_DIM_cube && has_faces) /* the descriptor is that of an array of faces */
            layers = ir_udiv(b, layers, number(b, 6));
        comps[count++] = layers;
    }
    while (count < instr->def.comps)
        comps[count++] = number(b, 0);
    return instr->def.comps == 1 ? comps[0] : ir_vec(b, instr->def.comps, comps);
}

/* A logarithm. All ones, which no image has, are no samples. */
static struct ir_value *samples_of(struct ir_builder *b, struct ir_value *handle)
{
    enum {
        MOST_SAMPLES = 64
    };
    struct ir_value *log2 = ir_iand(b, ir_ushr(b, ir_desc_word(b, handle, 3), number(b, 13)), number(b, 7));
    return ir_iand(b, ir_ishl(b, number(b, 1), log2), number(b, 2 * MOST_SAMPLES - 1));
}

static struct ir_value *level_operand(const struct ir_instr *instr)
{
    const uint32_t mask = ir_imm(instr, IR_IMM_OPERANDS);
    if (!(mask >> IR_TEX_lod & 1))
        return NULL;
    return ir_src(instr, 3 + (uint32_t)__builtin_popcount(mask & ((1u << IR_TEX_lod) - 1)));
}

static struct ir_value *lower_query(struct ir_builder *b, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_image_size:
        return size_of(b, instr, ir_src(instr, 0), ir_src(instr, 1), true);
    case IR_OP_image_samples:
        return samples_of(b, ir_src(instr, 0));
    case IR_OP_tex:
        break;
    default:
        return NULL;
    }
    switch (ir_imm(instr, IR_IMM_TEX_KIND)) {
    case IR_TEX_KIND_query_size:
        return size_of(b, instr, ir_src(instr, 0), level_operand(instr), false);
    case IR_TEX_KIND_query_levels:
        return field(b, ir_src(instr, 0), 2, 16, 5);
    case IR_TEX_KIND_query_samples:
        return samples_of(b, ir_src(instr, 0));
    default:
        return NULL;
    }
}

bool mali_lower_queries(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_query);
}
