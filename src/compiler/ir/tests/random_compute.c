/* See random_compute.h. */
#include "compiler/ir/tests/random_compute.h"

#include "compiler/ir/ir_builder.h"
#include "util/bits.h"

void random_compute_fill(uint8_t buffers[RANDOM_BUFFERS][RANDOM_BUFFER_B], uint64_t seed)
{
    for (unsigned i = 0; i < RANDOM_BUFFERS; i++) {
        for (unsigned n = 0; n < RANDOM_BUFFER_B; n++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            buffers[i][n] = n & 4 ? 0 : (uint8_t)(seed >> 56);
        }
    }
}

void random_compute_adapt(struct ir_shader *shader)
{
    struct ir_builder b = ir_builder_at_start(shader, ir_region_first(&shader->body));
    struct ir_value *lane = ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index), *zero = ir_const(&b, 32, 0);
    struct ir_value *in = ir_resource(&b, zero, 0, 2, IR_RESOURCE_storage_buffer),
                    *out = ir_resource(&b, zero, 0, 1, IR_RESOURCE_storage_buffer);
    struct ir_value *at = ir_imul(&b, lane, ir_const(&b, 32, 1024));
    for (unsigned i = 0; i < 4 && shader->shared_size_B; i++)
        ir_store_shared(&b, ir_zero(&b, 32, 4), ir_imul(&b, lane, ir_const(&b, 32, 64)), i * 16, 16, 0);
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            b = ir_builder_before(shader, instr);
            switch (instr->op) {
            case IR_OP_load_input:
                ir_replace_uses(&instr->def, ir_load_ssbo(&b, instr->def.bits, instr->def.comps, in, at, 0, 16, 0, 0));
                ir_remove(instr);
                break;
            case IR_OP_store_output: {
                uint32_t place =
                    (ir_imm(instr, IR_IMM_LOCATION) - IR_LOCATION_VAR0) * 32 + ir_imm(instr, IR_IMM_COMP) * 8;
                struct ir_value *value = ir_src(instr, 0);
                ir_store_ssbo(&b, value->bits == 1 ? ir_b2i(&b, 32, value) : value, out, at, place, 8, 0, 0);
                ir_remove(instr);
                break;
            }
            case IR_OP_load_image:
            case IR_OP_tex:
                ir_replace_uses(&instr->def, ir_zero(&b, instr->def.bits, instr->def.comps));
                ir_remove(instr);
                break;
            case IR_OP_store_image:
                ir_remove(instr);
                break;
            case IR_OP_ubfe:
            case IR_OP_ibfe:
            case IR_OP_bfi:
                for (unsigned i = instr->num_srcs - 2u; i < instr->num_srcs; i++)
                    ir_use_set(&instr->srcs[i], ir_iand(&b, ir_src(instr, i), ir_const(&b, 32, 15)));
                break;
            case IR_OP_udiv:
            case IR_OP_idiv:
            case IR_OP_umod:
            case IR_OP_imod:
            case IR_OP_irem: /* by zero: anything */
                ir_use_set(&instr->srcs[1], ir_ior(&b, ir_src(instr, 1), ir_const(&b, ir_src(instr, 1)->bits, 1)));
                break;
            default:
                break;
            }
        }
    }
}

/* Divisions, roots and transcendental functions are right to within Vulkan's limits, not to the last bit; the sign of
 * NaN is not specified. */
static bool is_open(enum ir_op op)
{
    switch (op) {
    case IR_OP_fdiv:
    case IR_OP_frem:
    case IR_OP_fmod:
    case IR_OP_frcp:
    case IR_OP_frsq:
    case IR_OP_fsqrt:
    case IR_OP_fexp2:
    case IR_OP_flog2:
    case IR_OP_fsin:
    case IR_OP_fcos:
    case IR_OP_fsign: /* of -0 it may be either zero */
        return true;
    default:
        return false;
    }
}

/* Rounding towards zero is for what a shader can ask for: floats to halves. */
static void round_to_nearest(struct ir_instr *instr)
{
    bool to_half = instr->op == IR_OP_f2f && instr->def.bits == 16 && ir_src(instr, 0)->bits == 32;
    if (instr->op == IR_OP_i2f || instr->op == IR_OP_u2f || (instr->op == IR_OP_f2f && !to_half))
        ir_set_imm(instr, IR_IMM_ROUNDING, IR_ROUNDING_even);
}

static struct ir_value *flushed(struct ir_builder *b, struct ir_value *x)
{
    const uint8_t bits = x->bits;
    struct ir_value *exponent = ir_const(b, bits, bits == 32 ? 0x7f800000 : 0x7c00);
    struct ir_value *sign = ir_const(b, bits, 1ull << (bits - 1));
    struct ir_value *is_small = ir_ieq(b, ir_iand(b, x, exponent), ir_const(b, bits, 0));
    return ir_select(b, is_small, ir_iand(b, x, sign), x);
}

/* Operations that only choose or round may flush a denormal or not: they never see one. */
static void flush_operands(struct ir_shader *shader, struct ir_instr *instr)
{
    struct ir_builder b = ir_builder_before(shader, instr);
    for (unsigned i = 0; i < instr->num_srcs; i++) {
        struct ir_value *x = ir_src(instr, i), *parts[2];
        if ((x->bits != 32 && x->bits != 16) || x->comps > 2)
            continue;
        for (unsigned c = 0; c < x->comps; c++)
            parts[c] = flushed(&b, x->comps == 1 ? x : ir_extract(&b, x, c));
        ir_use_set(&instr->srcs[i], x->comps == 1 ? parts[0] : ir_vec(&b, x->comps, parts));
    }
}

static struct ir_value *in_two_steps(struct ir_builder *b, const struct ir_instr *instr)
{
    return ir_fadd(b, ir_fmul(b, ir_src(instr, 0), ir_src(instr, 1)), ir_src(instr, 2));
}

void random_compute_exact_floats(struct ir_shader *shader, const struct random_floats *floats)
{
    for (unsigned i = 0; i < 3; i++) {
        const bool flushes = floats->flushes_denormals;
        shader->floats.denorm_preserve[i] = !flushes;
        shader->floats.denorm_flush[i] = flushes;
        shader->floats.signed_zero_inf_nan[i] = true;
    }
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            round_to_nearest(instr);
            if (floats->flushes_denormals && ir_info(instr)->props & IR_PROP_FLOAT)
                flush_operands(shader, instr);
            const bool is_fused = instr->op == IR_OP_ffma && floats->rounds_twice;
            const bool is_fract = instr->op == IR_OP_ffract && floats->fract_is_exact_sum;
            /* The folder keeps denormal halves of this one whatever the mode. */
            const bool is_packing = instr->op == IR_OP_pkrtz && floats->flushes_denormals;
            if (!is_open(instr->op) && !is_fused && !is_fract && !is_packing)
                continue;
            struct ir_builder b = ir_builder_before(shader, instr);
            b.flags = IR_FLAG_EXACT | IR_FLAG_NAN_INF;
            ir_replace_uses(&instr->def, is_fused ? in_two_steps(&b, instr)
                                                  : ir_fmul(&b, ir_src(instr, 0), ir_src(instr, instr->num_srcs - 1u)));
            ir_remove(instr);
        }
    }
}
