/* Lowering for a machine that lacks everything that can be lacked: each operation at each width does the same before
 * and after, as the interpreter runs it, and is gone; for one that lacks nothing the passes change nothing. What a
 * family's target really lacks is judged there, on its model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/tests/random_shader.h"
#include "compiler/lower/lower.h"
#include "util/bits.h"

/* Operations with the widths of their first operand at which lowering knows another way. */
static const struct row {
    enum ir_op op;
    uint8_t widths;
} rows[] = {
    {IR_OP_idiv, 8 | 16 | 32 | 64},
    {IR_OP_udiv, 8 | 16 | 32 | 64},
    {IR_OP_irem, 8 | 16 | 32 | 64},
    {IR_OP_imod, 8 | 16 | 32 | 64},
    {IR_OP_umod, 8 | 16 | 32 | 64},
    {IR_OP_imul_hi, 16 | 64},
    {IR_OP_umul_hi, 16 | 64},
    {IR_OP_imin, 64},
    {IR_OP_imax, 64},
    {IR_OP_umin, 64},
    {IR_OP_umax, 64},
    {IR_OP_iadd_sat, 8 | 16 | 32 | 64},
    {IR_OP_isub_sat, 8 | 16 | 32 | 64},
    {IR_OP_uadd_sat, 8 | 16 | 32 | 64},
    {IR_OP_usub_sat, 8 | 16 | 32 | 64},
    {IR_OP_uadd_carry, 32 | 64},
    {IR_OP_usub_borrow, 32 | 64},
    {IR_OP_iabs, 16 | 32 | 64},
    {IR_OP_isign, 8 | 16 | 32 | 64},
    {IR_OP_fsign, 16 | 32 | 64},
    {IR_OP_find_lsb, 8 | 16 | 64},
    {IR_OP_ufind_msb, 8 | 16 | 64},
    {IR_OP_ifind_msb, 8 | 16 | 64},
    {IR_OP_brev, 16 | 64},
    {IR_OP_bcount, 8 | 16 | 64},
    {IR_OP_fquantize, 32},
    {IR_OP_fldexp, 16},
    {IR_OP_i2f, 64},
    {IR_OP_u2f, 64},
};

static struct ir_target bare_target(void)
{
    struct ir_target target = ir_target_generic;
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        target.lacks[rows[i].op] = rows[i].widths;
    target.lacks[IR_OP_f2i] = target.lacks[IR_OP_f2u] = 8 | 16 | 64;
    target.narrow = 8 | 16;
    target.narrow_from = 0;
    target.has_pairs = true;
    target.lacks_mixed_dot = target.lacks_indexed_inputs = target.lacks_fetch_offset = target.takes_face_gradients =
        true;
    for (unsigned place = 0; place < IR_ATOMIC_PLACES; place++)
        for (unsigned atomic = 0; atomic < IR_ATOMIC_COUNT; atomic++)
            target.lacks_atomic[place][atomic] = 32 | 64;
    return target;
}

static void lower_all(struct ir_shader *shader, const struct ir_target *target, bool *changed_out)
{
    static const ir_pass passes[] = {lower_tex, lower_inputs, lower_atomic, lower_divide, lower_convert,
                                     lower_alu, lower_narrow, lower_wide,   lower_fuse};
    struct ir_failure failure;
    if (ir_guard(shader, &failure))
        fail_msg("%s", failure.text);
    shader->target = target;
    *changed_out = false;
    for (unsigned i = 0; i < ARRAY_SIZE(passes); i++) {
        *changed_out |= passes[i](shader, NULL);
        const char *wrong = ir_validate(shader);
        if (wrong)
            fail_msg("pass %u: %s", i, wrong);
    }
    shader->failure = NULL;
}

static bool is_division(enum ir_op op)
{
    return op == IR_OP_idiv || op == IR_OP_udiv || op == IR_OP_irem || op == IR_OP_imod || op == IR_OP_umod;
}

static bool is_shift(enum ir_op op)
{
    return op == IR_OP_ishl || op == IR_OP_ishr || op == IR_OP_ushr;
}

/* Operands from memory, which the interpreter makes up with a liking for the edges; the result to memory. */
static struct ir_shader *shader_of(enum ir_op op, uint8_t bits, uint8_t result_bits, const uint32_t *imm)
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    assert_non_null(shader);
    shader->workgroup_size[0] = 64;
    shader->workgroup_size[1] = shader->workgroup_size[2] = 1;
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *lane = ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index),
                    *handle = ir_resource(&b, ir_const(&b, 32, 0), 0, 0, IR_RESOURCE_storage_buffer), *srcs[3];
    unsigned num_srcs = ir_op_infos[op].num_srcs;
    for (unsigned i = 0; i < num_srcs; i++) {
        bool is_count = i > 0 && (op == IR_OP_fldexp || is_shift(op));
        struct ir_value *offset = ir_iadd(&b, ir_imul(&b, lane, ir_const(&b, 32, 64)), ir_const(&b, 32, 8 * i));
        srcs[i] = ir_load_ssbo(&b, is_count ? 32 : bits, 1, handle, offset, 0, 8, 0, 0);
        if (is_count)
            srcs[i] = ir_iand(&b, srcs[i], ir_const(&b, 32, is_shift(op) ? 127 : 7));
        if (i > 0 && is_division(op)) /* by zero: anything */
            srcs[i] = ir_ior(&b, srcs[i], ir_const(&b, bits, 1));
    }
    struct ir_value *result = &ir_build(&b, op, result_bits, 1, num_srcs, srcs, 0, NULL, imm)->def;
    if (result_bits == 1)
        result = ir_b2i(&b, 32, result);
    ir_store_ssbo(&b, result, handle, ir_imul(&b, lane, ir_const(&b, 32, 64)), 32, 8, 0, 0);
    return shader;
}

static void assert_same(enum ir_op op, uint8_t bits, uint8_t result_bits, const uint32_t *imm)
{
    struct ir_target target = bare_target();
    for (uint64_t seed = 1; seed <= 16; seed++) {
        struct ir_shader *before = shader_of(op, bits, result_bits, imm),
                         *after = shader_of(op, bits, result_bits, imm);
        bool changed;
        lower_all(after, &target, &changed);
        char reason[256];
        enum ir_verdict verdict =
            ir_interpret_compare(before, after, &(struct ir_interpret_options){.seed = seed}, reason);
        if (!changed || verdict == IR_DIFFERENT)
            fail_msg("%s of %u to %u bits: %s", ir_op_infos[op].name, bits, result_bits,
                     changed ? reason : "nothing was lowered");
        ir_shader_destroy(before);
        ir_shader_destroy(after);
    }
}

static uint8_t result_bits_of(enum ir_op op, uint8_t bits)
{
    switch (op) {
    case IR_OP_uadd_carry:
    case IR_OP_usub_borrow:
        return 1;
    case IR_OP_find_lsb:
    case IR_OP_ufind_msb:
    case IR_OP_ifind_msb:
    case IR_OP_bcount:
        return 32;
    default:
        return bits;
    }
}

static void operations_stay_what_they_are(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        for (unsigned bits = 8; bits <= 64; bits *= 2) {
            if (rows[i].widths & bits)
                assert_same(rows[i].op, (uint8_t)bits, result_bits_of(rows[i].op, (uint8_t)bits), NULL);
        }
    }
}

/* A division with a constant as the divisor, and with a dividend that cannot be negative. */
static struct ir_shader *division_by(enum ir_op op, uint8_t bits, int64_t divisor, bool is_small)
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    assert_non_null(shader);
    shader->workgroup_size[0] = 64;
    shader->workgroup_size[1] = shader->workgroup_size[2] = 1;
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *lane = ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index),
                    *handle = ir_resource(&b, ir_const(&b, 32, 0), 0, 0, IR_RESOURCE_storage_buffer),
                    *offset = ir_imul(&b, lane, ir_const(&b, 32, 64));
    struct ir_value *n = ir_load_ssbo(&b, bits, 1, handle, offset, 0, 8, 0, 0);
    if (is_small)
        n = ir_iand(&b, n, ir_const(&b, bits, 0xffff));
    struct ir_value *srcs[2] = {n, ir_const(&b, bits, (uint64_t)divisor)};
    ir_store_ssbo(&b, &ir_build(&b, op, bits, 1, 2, srcs, 0, NULL, NULL)->def, handle, offset, 32, 8, 0, 0);
    return shader;
}

static void divisions_by_constants_stay_what_they_are(void **state)
{
    static const enum ir_op ops[] = {IR_OP_idiv, IR_OP_irem, IR_OP_imod, IR_OP_udiv, IR_OP_umod};
    static const int64_t divisors[] = {1, 2, 3, 7, 8, 12, 64, 1 << 14, -1, -2, -7, -8};
    struct ir_target target = bare_target();
    for (unsigned i = 0; i < ARRAY_SIZE(ops) * ARRAY_SIZE(divisors) * 6; i++) {
        const enum ir_op op = ops[i % ARRAY_SIZE(ops)];
        const int64_t divisor = divisors[i / ARRAY_SIZE(ops) % ARRAY_SIZE(divisors)];
        const unsigned shape = i / (unsigned)(ARRAY_SIZE(ops) * ARRAY_SIZE(divisors));
        const uint8_t bits = (uint8_t)(16u << shape % 3);
        struct ir_shader *before = division_by(op, bits, divisor, shape >= 3),
                         *after = division_by(op, bits, divisor, shape >= 3);
        bool changed;
        lower_all(after, &target, &changed);
        char reason[256];
        if (ir_interpret_compare(before, after, &(struct ir_interpret_options){.seed = i + 1}, reason) == IR_DIFFERENT)
            fail_msg("%s of %u bits by %lld: %s", ir_op_infos[op].name, bits, (long long)divisor, reason);
        ir_shader_destroy(before);
        ir_shader_destroy(after);
    }
}

/* 64 bits on a machine with registers of 32: nothing computes on both halves at once. */
static void wide_integers_are_pairs(void **state)
{
    static const enum ir_op ops[] = {IR_OP_iadd, IR_OP_isub, IR_OP_imul, IR_OP_ineg, IR_OP_iand, IR_OP_ior,
                                     IR_OP_ixor, IR_OP_inot, IR_OP_ishl, IR_OP_ishr, IR_OP_ushr, IR_OP_ieq,
                                     IR_OP_ine,  IR_OP_ilt,  IR_OP_ige,  IR_OP_ult,  IR_OP_uge};
    struct ir_target target = bare_target();
    for (unsigned i = 0; i < ARRAY_SIZE(ops); i++) {
        const uint8_t result_bits = ops[i] >= IR_OP_ieq && ops[i] <= IR_OP_uge ? 1 : 64;
        assert_same(ops[i], 64, result_bits, NULL);
        struct ir_shader *shader = shader_of(ops[i], 64, result_bits, NULL);
        bool changed;
        lower_all(shader, &target, &changed);
        ir_foreach_block (shader, block) {
            ir_foreach_instr (block, instr) {
                if (instr->op == ops[i] && ir_src(instr, 0)->bits == 64)
                    fail_msg("%s of 64 bits is left", ir_op_infos[ops[i]].name);
            }
        }
        ir_shader_destroy(shader);
    }
    for (uint8_t bits = 8; bits <= 32; bits *= 2) {
        assert_same(IR_OP_i2i, bits, 64, NULL);
        assert_same(IR_OP_u2u, bits, 64, NULL);
        assert_same(IR_OP_u2u, 64, bits, NULL);
    }
}

static void conversions_stay_what_they_are(void **state)
{
    static const uint8_t floats[] = {16, 32, 64}, integers[] = {8, 16, 64};
    for (unsigned f = 0; f < ARRAY_SIZE(floats); f++) {
        for (unsigned i = 0; i < ARRAY_SIZE(integers); i++) {
            assert_same(IR_OP_f2i, floats[f], integers[i], NULL);
            assert_same(IR_OP_f2u, floats[f], integers[i], NULL);
        }
        assert_same(IR_OP_i2f, 64, floats[f], NULL);
        assert_same(IR_OP_u2f, 64, floats[f], NULL);
    }
}

static void dot_products_stay_what_they_are(void **state)
{
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t imm[IR_MAX_IMMS] = {n & 1 ? 1 : 2, n >> 1};
        assert_same(IR_OP_dot4, 32, 32, imm);
        assert_same(IR_OP_dot2, 32, 32, imm);
    }
}

/* Whole shaders, with their atomics and control flow; without divisions, some of which would be by zero, and without
 * the sign of NaN, which may be anything. */
static void random_shaders_stay_what_they_are(void **state)
{
    struct ir_target target = bare_target();
    for (unsigned op = 0; op < IR_OP_COUNT; op++) {
        if (is_division((enum ir_op)op) || op == IR_OP_fsign)
            target.lacks[op] = 0;
    }
    unsigned decided = 0, lowered = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_options options = {.size = 40 + seed, .no_lanes = true, .exact = true};
        struct ir_shader *before = random_shader(seed, &options), *after = random_shader(seed, &options);
        bool changed;
        assert_non_null(before);
        assert_non_null(after);
        lower_all(after, &target, &changed);
        lowered += changed;
        char reason[256];
        enum ir_verdict verdict =
            ir_interpret_compare(before, after, &(struct ir_interpret_options){.seed = seed}, reason);
        if (verdict == IR_DIFFERENT)
            fail_msg("seed %u: %s", (unsigned)seed, reason);
        decided += verdict == IR_SAME;
        ir_shader_destroy(before);
        ir_shader_destroy(after);
    }
    assert_true(decided > 60 && lowered > 60);
}

static void a_machine_that_has_everything_keeps_everything(void **state)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct ir_shader *shader = random_shader(seed, &(struct random_options){.size = 100});
        bool changed;
        assert_non_null(shader);
        lower_all(shader, &ir_target_generic, &changed);
        assert_false(changed);
        ir_shader_destroy(shader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_stay_what_they_are),
        cmocka_unit_test(divisions_by_constants_stay_what_they_are),
        cmocka_unit_test(wide_integers_are_pairs),
        cmocka_unit_test(conversions_stay_what_they_are),
        cmocka_unit_test(dot_products_stay_what_they_are),
        cmocka_unit_test(random_shaders_stay_what_they_are),
        cmocka_unit_test(a_machine_that_has_everything_keeps_everything),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
