/* Questions about an image, answered from the words of its descriptor on the scalar unit. The fields are those of
 * amd/hw/descriptors.table. After amd_lower_amd_resource. */
#include "amd/compiler/lower_amd.h"

static struct ir_value *field(struct ir_builder *b, struct ir_value *words, unsigned word, unsigned low, unsigned count)
{
    return ir_ubfe(b, ir_extract(b, words, word), ir_const(b, 32, low), ir_const(b, 32, count));
}

static struct ir_value *plus_one(struct ir_builder *b, struct ir_value *x)
{
    return ir_iadd(b, x, ir_const(b, 32, 1));
}

/* WIDTH lies across two words. */
static struct ir_value *width(struct ir_builder *b, struct ir_value *words)
{
    struct ir_value *low = field(b, words, 1, 30, 2), *high = field(b, words, 2, 0, 12);
    return plus_one(b, ir_ior(b, low, ir_ishl(b, high, ir_const(b, 32, 2))));
}

/* A null descriptor is all zero; a real one has a TYPE. Its image has no size, no levels and no samples; of a
 * buffer the number of records says so. */
static struct ir_value *or_null(struct ir_builder *b, struct ir_value *words, struct ir_value *x)
{
    struct ir_value *zero = ir_const(b, 32, 0), *is_null = ir_ieq(b, ir_extract(b, words, 3), zero);
    return ir_select(b, is_null, zero, x);
}

static struct ir_value *minify_size(struct ir_builder *b, struct ir_value *x, struct ir_value *level)
{
    return ir_umax(b, ir_ushr(b, x, level), ir_const(b, 32, 1));
}

static struct ir_value *layers(struct ir_builder *b, struct ir_value *words)
{
    return plus_one(b, ir_isub(b, field(b, words, 4, 0, 13), field(b, words, 4, 16, 13)));
}

static struct ir_value *size(struct ir_builder *b, struct ir_value *words, struct ir_value *lod, uint32_t dim,
                             bool array, unsigned comps)
{
    struct ir_value *parts[4];
    unsigned at = 0;
    if (dim == IR_DIM_buffer) {
        parts[at++] = ir_extract(b, words, 2);
    } else {
        bool multisampled = dim == IR_DIM_2dms || dim == IR_DIM_subpass_ms;
        struct ir_value *level = multisampled ? ir_const(b, 32, 0) : ir_iadd(b, lod, field(b, words, 3, 12, 4));
        parts[at++] = minify_size(b, width(b, words), level);
        if (dim != IR_DIM_1d)
            parts[at++] = minify_size(b, plus_one(b, field(b, words, 2, 14, 14)), level);
        if (dim == IR_DIM_3d)
            parts[at++] = minify_size(b, plus_one(b, field(b, words, 4, 0, 13)), level);
        if (array && dim == IR_DIM_cube)
            parts[at++] = ir_umul_hi(b, layers(b, words), ir_const(b, 32, 0x2aaaaaab)); /* by six: exact below 2^13 */
        else if (array)
            parts[at++] = layers(b, words);
        for (unsigned i = 0; i < at; i++)
            parts[i] = or_null(b, words, parts[i]);
    }
    while (at < comps)
        parts[at++] = ir_const(b, 32, 0);
    return ir_vec(b, comps, parts);
}

/* TYPE 14 and 15 are multisampled; LAST_LEVEL is the logarithm of their samples. */
static struct ir_value *samples(struct ir_builder *b, struct ir_value *words)
{
    struct ir_value *type = field(b, words, 3, 28, 4), *log2 = field(b, words, 3, 16, 4), *one = ir_const(b, 32, 1);
    return or_null(b, words, ir_select(b, ir_uge(b, type, ir_const(b, 32, 14)), ir_ishl(b, one, log2), one));
}

static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    struct ir_value *words = instr->num_srcs ? ir_src(instr, 0) : NULL;
    b->flags = 0;
    switch (instr->op) {
    case IR_OP_ray_structure:
        return ir_pack64(b, ir_extract(b, words, 0), ir_extract(b, words, 1));
    case IR_OP_image_size:
        return size(b, words, ir_src(instr, 1), ir_imm(instr, IR_IMM_DIM), ir_imm(instr, IR_IMM_ARRAY),
                    instr->def.comps);
    case IR_OP_image_samples:
        return samples(b, words);
    case IR_OP_tex:
        switch (ir_imm(instr, IR_IMM_TEX_KIND)) {
        case IR_TEX_KIND_query_size: {
            bool has_lod = ir_imm(instr, IR_IMM_OPERANDS) >> IR_TEX_lod & 1;
            struct ir_value *lod = has_lod ? ir_src(instr, 3) : ir_const(b, 32, 0);
            return size(b, words, lod, ir_imm(instr, IR_IMM_DIM), ir_imm(instr, IR_IMM_ARRAY), instr->def.comps);
        }
        case IR_TEX_KIND_query_levels:
            return or_null(b, words, plus_one(b, ir_isub(b, field(b, words, 3, 16, 4), field(b, words, 3, 12, 4))));
        case IR_TEX_KIND_query_samples:
            return samples(b, words);
        default:
            return NULL;
        }
    default:
        return NULL;
    }
}

bool amd_lower_amd_query(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_instr);
}
