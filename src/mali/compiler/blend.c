/* Blend shaders: what the fixed function of BLEND cannot do. The fragment program calls them: colours are in r0 to r3,
 * of the second source in r4 to r7, coverage in r60, the return address in r48, which is zero where the program ends.
 * They keep all registers from r16 on, and read no uniforms but the blend constants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "mali/compiler/select.h"
#include "util/bits.h"

#define OWN_REGISTERS 16
#define RETURN_REGISTER 48
#define COVERAGE_REGISTER 60
#define OWN_PIXEL 0xff000000u /* of LD_TILE and ST_TILE; a target's number is in the second byte, a sample's below */

/* VkBlendFactor and VkBlendOp. */
enum factor {
    ZERO,
    ONE,
    SRC_COLOR,
    ONE_MINUS_SRC_COLOR,
    DST_COLOR,
    ONE_MINUS_DST_COLOR,
    SRC_ALPHA,
    ONE_MINUS_SRC_ALPHA,
    DST_ALPHA,
    ONE_MINUS_DST_ALPHA,
    CONSTANT_COLOR,
    ONE_MINUS_CONSTANT_COLOR,
    CONSTANT_ALPHA,
    ONE_MINUS_CONSTANT_ALPHA,
    SRC_ALPHA_SATURATE,
    SRC1_COLOR,
    ONE_MINUS_SRC1_COLOR,
    SRC1_ALPHA,
    ONE_MINUS_SRC1_ALPHA,
};
enum equation {
    ADD,
    SUBTRACT,
    REVERSE_SUBTRACT,
    MIN,
    MAX,
};

struct blend {
    struct mach_program program;
    struct ir_failure failure;
    struct select select;
    const struct mali_blend_key *key;
    uint16_t constants_word;
    mach_temp source[4], second[4], target[4]; /* colours */
};

static struct mach_operand one(void)
{
    return mach_number(float_bits(1));
}

static struct mach_operand negative(struct mach_operand operand)
{
    operand.flags ^= MALI_ISA_FLAG_NEG;
    return operand;
}

/* Colours and constants are clamped to the numbers of the target before anything is computed. x + -0 is x. */
static struct mach_operand clamped(struct blend *b, struct mach_operand x)
{
    if (b->key->range == MALI_BLEND_ANY)
        return x;
    const mach_temp result = SEL_ALU(&b->select, MALI_ISA_OP_FADD_F32, x, negative(mach_number(0)));
    mali_sel_last(&b->select)->field[MALI_ISA_FIELD_CLAMP] =
        b->key->range == MALI_BLEND_UNORM ? MALI_ISA_CLAMP_CLAMP_0_1 : MALI_ISA_CLAMP_CLAMP_M1_1;
    return mach_use(result);
}

/* A factor of a channel: a value, or one less a value. */
static struct mach_operand factor_value(struct blend *b, unsigned factor, unsigned channel, bool *is_complement)
{
    struct select *ctx = &b->select;
    *is_complement = false;
    switch (factor) {
    case ONE_MINUS_SRC_COLOR:
    case ONE_MINUS_SRC_ALPHA:
    case ONE_MINUS_DST_COLOR:
    case ONE_MINUS_DST_ALPHA:
    case ONE_MINUS_CONSTANT_COLOR:
    case ONE_MINUS_CONSTANT_ALPHA:
    case ONE_MINUS_SRC1_COLOR:
    case ONE_MINUS_SRC1_ALPHA:
        *is_complement = true;
        break;
    default:
        break;
    }
    switch (factor) {
    case ZERO:
        return mach_number(0);
    case SRC_COLOR:
    case ONE_MINUS_SRC_COLOR:
        return mach_use(b->source[channel]);
    case DST_COLOR:
    case ONE_MINUS_DST_COLOR:
        return mach_use(b->target[channel]);
    case SRC_ALPHA:
    case ONE_MINUS_SRC_ALPHA:
        return mach_use(b->source[3]);
    case DST_ALPHA:
    case ONE_MINUS_DST_ALPHA:
        return mach_use(b->target[3]);
    case CONSTANT_COLOR:
    case ONE_MINUS_CONSTANT_COLOR:
        return clamped(b, vir_uniform(b->constants_word + channel));
    case CONSTANT_ALPHA:
    case ONE_MINUS_CONSTANT_ALPHA:
        return clamped(b, vir_uniform(b->constants_word + 3u));
    case SRC_ALPHA_SATURATE:
        if (channel == 3)
            return one();
        return mach_use(SEL_ALU(ctx, MALI_ISA_OP_FMIN_F32, mach_use(b->source[3]),
                                mach_use(SEL_ALU(ctx, MALI_ISA_OP_FADD_F32, one(), negative(mach_use(b->target[3]))))));
    case SRC1_COLOR:
    case ONE_MINUS_SRC1_COLOR:
        return clamped(b, mach_use(b->second[channel]));
    case SRC1_ALPHA:
    case ONE_MINUS_SRC1_ALPHA:
        return clamped(b, mach_use(b->second[3]));
    default:
        return one();
    }
}

/* value * factor + sum; a complement is value - value * factor. */
static mach_temp add_term(struct blend *b, mach_temp value, bool is_negative, unsigned factor, unsigned channel,
                          struct mach_operand sum)
{
    bool is_complement;
    struct select *ctx = &b->select;
    struct mach_operand by = factor_value(b, factor, channel, &is_complement), x = mach_use(value);
    if (is_negative)
        x = negative(x);
    if (!is_complement)
        return SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, x, by, sum);
    const mach_temp whole = SEL_ALU(ctx, MALI_ISA_OP_FADD_F32, x, sum);
    return SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, negative(x), by, mach_use(whole));
}

static mach_temp blend_channel(struct blend *b, unsigned channel)
{
    const struct mali_blend_key *key = b->key;
    struct select *ctx = &b->select;
    const unsigned op = channel == 3 ? key->alpha_op : key->color_op;
    const unsigned src = channel == 3 ? key->src_alpha : key->src_color;
    const unsigned dst = channel == 3 ? key->dst_alpha : key->dst_color;
    const mach_temp s = b->source[channel], d = b->target[channel];
    if (op == MIN || op == MAX)
        return SEL_ALU(ctx, op == MIN ? MALI_ISA_OP_FMIN_F32 : MALI_ISA_OP_FMAX_F32, mach_use(s), mach_use(d));
    const mach_temp first = add_term(b, s, op == REVERSE_SUBTRACT, src, channel, negative(mach_number(0)));
    return add_term(b, d, op == SUBTRACT, dst, channel, mach_use(first));
}

/* ---- logic operations ---- */

/* Of source and target: a op b or a op ~b, maybe inverted. By VkLogicOp. */
enum logic_value {
    NOTHING,
    SOURCE,
    TARGET,
};
static const struct logic {
    uint16_t op;
    uint8_t a, b; /* enum logic_value */
    bool inverts_b, inverts;
} logics[] = {
    {MALI_ISA_OP_LSHIFT_OR_I32, NOTHING, NOTHING, false, false}, /* clear */
    {MALI_ISA_OP_LSHIFT_AND_I32, SOURCE, TARGET, false, false},  /* and */
    {MALI_ISA_OP_LSHIFT_AND_I32, SOURCE, TARGET, true, false},   /* and reverse */
    {MALI_ISA_OP_LSHIFT_OR_I32, SOURCE, NOTHING, false, false},  /* copy */
    {MALI_ISA_OP_LSHIFT_AND_I32, TARGET, SOURCE, true, false},   /* and inverted */
    {MALI_ISA_OP_LSHIFT_OR_I32, TARGET, NOTHING, false, false},  /* no operation */
    {MALI_ISA_OP_LSHIFT_XOR_I32, SOURCE, TARGET, false, false},  /* xor */
    {MALI_ISA_OP_LSHIFT_OR_I32, SOURCE, TARGET, false, false},   /* or */
    {MALI_ISA_OP_LSHIFT_OR_I32, SOURCE, TARGET, false, true},    /* nor */
    {MALI_ISA_OP_LSHIFT_XOR_I32, SOURCE, TARGET, false, true},   /* equivalent */
    {MALI_ISA_OP_LSHIFT_OR_I32, TARGET, NOTHING, false, true},   /* invert */
    {MALI_ISA_OP_LSHIFT_OR_I32, SOURCE, TARGET, true, false},    /* or reverse */
    {MALI_ISA_OP_LSHIFT_OR_I32, SOURCE, NOTHING, false, true},   /* copy inverted */
    {MALI_ISA_OP_LSHIFT_OR_I32, TARGET, SOURCE, true, false},    /* or inverted */
    {MALI_ISA_OP_LSHIFT_AND_I32, SOURCE, TARGET, false, true},   /* nand */
    {MALI_ISA_OP_LSHIFT_OR_I32, NOTHING, NOTHING, false, true},  /* set */
};

/* The largest code of a normalised channel, as a float. */
static float largest_code(const struct mali_blend_key *key, unsigned channel)
{
    return (float)((1u << (key->channel_bits[channel] - (key->is_signed ? 1 : 0))) - 1);
}

static struct mach_operand code_of(struct blend *b, mach_temp value, unsigned channel)
{
    struct select *ctx = &b->select;
    if (b->key->base != IR_BASE_float)
        return mach_use(value);
    const mach_temp inside = SEL_ALU(ctx, MALI_ISA_OP_FADD_F32, mach_use(value), negative(mach_number(0)));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_CLAMP] =
        b->key->is_signed ? MALI_ISA_CLAMP_CLAMP_M1_1 : MALI_ISA_CLAMP_CLAMP_0_1;
    const mach_temp scaled = SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mach_use(inside),
                                     mach_number(float_bits(largest_code(b->key, channel))), negative(mach_number(0)));
    const mach_temp code = SEL_ALU(ctx, MALI_ISA_OP_F32_TO_S32, mach_use(scaled));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_ROUND] = MALI_ISA_ROUND_RTE;
    return mach_use(code);
}

/* Bits above the channel's are its sign's, or zero: a store would clamp them. */
static mach_temp value_of(struct blend *b, mach_temp code, unsigned channel)
{
    struct select *ctx = &b->select;
    const unsigned bits = b->key->channel_bits[channel];
    const bool is_signed = b->key->base == IR_BASE_int || (b->key->base == IR_BASE_float && b->key->is_signed);
    mach_temp cut = code;
    if (bits < 32 && is_signed) {
        const mach_temp high = mali_sel_shift_left(ctx, mach_use(code), 32 - bits);
        cut = mali_sel_shift_right(ctx, mach_use(high), 32 - bits);
        mali_sel_last(ctx)->field[MALI_ISA_FIELD_SIGNED] = 1;
    } else if (bits < 32) {
        cut = mali_sel_and(ctx, mach_use(code), mach_number((1u << bits) - 1));
    }
    if (b->key->base != IR_BASE_float)
        return cut;
    const mach_temp whole = SEL_ALU(ctx, MALI_ISA_OP_S32_TO_F32, mach_use(cut));
    return SEL_ALU(ctx, MALI_ISA_OP_FMA_F32, mach_use(whole),
                   mach_number(float_bits(1.0f / largest_code(b->key, channel))), negative(mach_number(0)));
}

static mach_temp logic_channel(struct blend *b, unsigned channel)
{
    const struct logic *logic = &logics[b->key->logic_op];
    struct select *ctx = &b->select;
    if (!b->key->channel_bits[channel])
        return b->target[channel];
    const struct mach_operand values[] = {[NOTHING] = mach_number(0),
                                          [SOURCE] = code_of(b, b->source[channel], channel),
                                          [TARGET] = code_of(b, b->target[channel], channel)};
    struct mach_operand second = values[logic->b];
    if (logic->inverts_b)
        second.flags ^= MALI_ISA_FLAG_NOT;
    const mach_temp code = SEL_ALU(ctx, logic->op, values[logic->a], mali_sel_count(0), second);
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_NOT_RESULT] = logic->inverts;
    return value_of(b, code, channel);
}

/* ---- the tile ---- */

static uint8_t regfmt_of(const struct mali_blend_key *key)
{
    return key->base == IR_BASE_float ? MALI_ISA_REGFMT_F32
           : key->base == IR_BASE_int ? MALI_ISA_REGFMT_S32
                                      : MALI_ISA_REGFMT_U32;
}

static void access_tile(struct blend *b, unsigned op, mach_temp run, unsigned sample, struct mach_operand coverage)
{
    struct select *ctx = &b->select;
    const struct mach_operand operands[] = {mach_number(OWN_PIXEL | (uint32_t)b->key->target << 8 | sample), coverage,
                                            mach_number(b->key->conversion), sel_at(mach_use(run), VIR_STAGING0)};
    const bool is_load = op == MALI_ISA_OP_LD_TILE;
    mali_sel_instr(ctx, op, is_load ? run : 0, is_load ? 3 : 4, operands)->has_effect = true;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_VECTOR] = 3;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_REGFMT] = regfmt_of(b->key);
}

/* The coverage of one sample. */
static struct mach_operand sample_coverage(struct blend *b, unsigned sample)
{
    const struct mach_operand all = vir_register(COVERAGE_REGISTER);
    if (b->key->samples <= 1)
        return all;
    return mach_use(mali_sel_and(&b->select, all, mach_number(1u << sample)));
}

static void blend_sample(struct blend *b, unsigned sample)
{
    struct select *ctx = &b->select;
    const bool reads_target = b->key->is_blending || b->key->has_logic_op || b->key->write_mask != 15;
    const struct mach_operand coverage = sample_coverage(b, sample);
    struct mach_operand words[4];
    if (reads_target) {
        const mach_temp run = mach_new_temp(ctx->m.program, VIR_RUN(4));
        access_tile(b, MALI_ISA_OP_LD_TILE, run, sample, coverage);
        mali_sel_split(ctx, run, 4, b->target);
    }
    for (unsigned i = 0; i < 4; i++) {
        if (!(b->key->write_mask >> i & 1))
            words[i] = mach_use(b->target[i]);
        else
            words[i] = mach_use(b->key->is_blending    ? blend_channel(b, i)
                                : b->key->has_logic_op ? logic_channel(b, i)
                                                       : b->source[i]);
    }
    access_tile(b, MALI_ISA_OP_ST_TILE, mali_sel_run(ctx, 4, words), sample, coverage);
}

/* ---- the program ---- */

static void put_return(struct blend *b)
{
    struct select *ctx = &b->select;
    const struct mach_operand operands[] = {vir_register(RETURN_REGISTER), vir_register(RETURN_REGISTER)};
    mali_sel_instr(ctx, MALI_ISA_OP_BRANCHZI, 0, 2, operands)->has_effect = true;
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_ABSOLUTE] = 1;
    mali_sel_last(ctx)->flow = MALI_ISA_FLOW_END;
}

static void select_blend(struct blend *b)
{
    struct mach_program *program = b->select.m.program;
    struct mach_block *block = mach_new_block(program);
    b->select.m.b = (struct mach_builder){program, &block->instrs};
    struct mach_instr *start = mach_new_instr(&b->select.m.b, MACH_P_START, 8, 0);
    for (unsigned i = 0; i < 8; i++) {
        start->defs[i].temp = mach_new_temp(program, VIR_RUN(1));
        start->defs[i].reg = (mach_reg)i;
        (i < 4 ? b->source : b->second)[i % 4] = start->defs[i].temp;
    }
    if (b->key->is_alpha_one)
        b->source[3] = b->second[3] = mali_sel_move(&b->select, one());
    for (unsigned i = 0; i < 4; i++)
        b->source[i] = mali_sel_move(&b->select, clamped(b, mach_use(b->source[i])));
    const unsigned samples = MAX2(b->key->samples, 1u);
    for (unsigned i = 0; i < samples && b->key->write_mask; i++)
        blend_sample(b, i);
    put_return(b);
}

static bool refuses(const struct mali_blend_key *key, char error_out[256])
{
    const bool is_known = !key->has_logic_op || key->logic_op < ARRAY_SIZE(logics);
    if (is_known && key->source_bits != 16 && key->color_op <= MAX && key->alpha_op <= MAX)
        return false;
    snprintf(error_out, 256, "a blend shader with an equation, an operation or colours that are not known");
    return true;
}

static bool take_code(const struct vir_code *code, struct mali_binary *binary_out)
{
    binary_out->size_B = binary_out->code_size_B = (uint32_t)align_u64(code->count * 8, 128);
    binary_out->words = calloc(1, binary_out->size_B);
    binary_out->immediates = calloc(1, sizeof(uint32_t));
    if (!binary_out->words || !binary_out->immediates)
        return false;
    memcpy(binary_out->words, code->words, code->count * 8);
    binary_out->config.main = (struct mali_program){.size_B = code->count * 8, .registers = 64, .has_jump = true};
    return true;
}

static bool run_passes(struct blend *b, struct mali_binary *binary_out)
{
    struct vir_uniforms none = {0}; /* those of the program that calls have no room for numbers */
    struct vir_code code;
    select_blend(b);
    mach_drop_dead(&b->program);
    mali_vir_legalise(&b->program, &none);
    mach_allocate(&b->program);
    mali_vir_lower(&b->program, 64);
    mali_vir_fill(&b->program);
    mali_vir_wait(&b->program);
    mali_vir_emit(&b->program, &code);
    snprintf(b->failure.text, sizeof(b->failure.text), "out of memory");
    return take_code(&code, binary_out);
}

bool mali_compile_blend(const struct mali_blend_key *key, uint16_t constants_word, struct mali_binary *binary_out,
                        char error_out[256])
{
    struct blend blend = {.key = key, .constants_word = constants_word};
    memset(binary_out, 0, sizeof(*binary_out));
    if (refuses(key, error_out))
        return false;
    mach_init(&blend.program, &mali_vir_machine, &blend.failure, OWN_REGISTERS);
    blend.select.m.program = &blend.program;
    const bool is_done = setjmp(blend.failure.jump) == 0 && run_passes(&blend, binary_out);
    if (!is_done) {
        snprintf(error_out, 256, "%s", blend.failure.text);
        mali_binary_finish(binary_out);
    }
    mach_finish(&blend.program);
    return is_done;
}
