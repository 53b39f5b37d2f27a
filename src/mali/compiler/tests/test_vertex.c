/* The two programs of a vertex shader: outputs of each view, effects on memory once, varyings that are linear on the
 * screen; and blend shaders of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/ir_builder.h"
#include "mali/compiler/compiler.h"
#include "mali/isa/isa.h"
#include "util/bits.h"

static const struct ir_binding_layout bindings[] = {{0, 1}, {1, 1}};
static const struct ir_set_layout set = {bindings, 2};

static struct ir_value *number(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

static struct ir_value *index_of(struct ir_builder *b)
{
    return ir_load_sysval(b, 32, 1, IR_SYSVAL_vertex_index);
}

static void store(struct ir_builder *b, struct ir_value *value, unsigned location)
{
    struct ir_value *words[] = {value, value, value, value};
    ir_store_output(b, ir_vec(b, 4, words), number(b, 0), location, 0, 0);
}

static struct ir_value *buffer(struct ir_builder *b, unsigned binding)
{
    return ir_resource(b, number(b, 0), 0, binding, IR_RESOURCE_storage_buffer);
}

struct programs {
    struct mali_binary binary;
    unsigned main_stores, main_atomics, varying_stores, varying_atomics; /* instructions */
};

static bool is_atomic(unsigned op)
{
    return strncmp(mali_isa_name(op), "ATOM", 4) == 0;
}

static bool is_store(unsigned op)
{
    return strncmp(mali_isa_name(op), "STORE", 5) == 0;
}

static void count(const struct mali_binary *binary, const struct mali_program *program, unsigned *stores,
                  unsigned *atomics)
{
    *stores = *atomics = 0;
    for (uint32_t i = 0; i < program->size_B / 8; i++) {
        struct mali_isa_inst inst;
        assert_int_equal(mali_isa_decode(binary->words[program->offset_B / 8 + i], &inst), 0);
        *stores += is_store(inst.op);
        *atomics += is_atomic(inst.op);
    }
}

static bool compile(struct ir_shader *shader, uint8_t view_mask, struct programs *out, char error_out[256])
{
    const struct mali_stage_options stage = {.vs = {.view_mask = view_mask}};
    const struct mali_compile_options options = {.sets = &set, .num_sets = 1, .stage = &stage};
    const bool ok = mali_compile(shader, &options, &out->binary, error_out);
    ir_shader_destroy(shader);
    if (!ok)
        return false;
    count(&out->binary, &out->binary.config.main, &out->main_stores, &out->main_atomics);
    count(&out->binary, &out->binary.config.varying, &out->varying_stores, &out->varying_atomics);
    return true;
}

static struct programs compiled(struct ir_shader *shader, uint8_t view_mask)
{
    struct programs programs;
    char error[256] = "";
    if (!compile(shader, view_mask, &programs, error))
        fail_msg("%s", error);
    return programs;
}

/* ---- views ---- */

static struct ir_shader *of_views(enum ir_sysval which)
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_vertex);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *x = ir_u2f(&b, 32, ir_load_sysval(&b, 32, 1, which), 0);
    store(&b, x, IR_LOCATION_position);
    store(&b, ir_fadd(&b, x, x), IR_LOCATION_VAR0);
    return shader;
}

static void each_view_is_stored(void **state)
{
    (void)state;
    static const enum ir_sysval of[] = {IR_SYSVAL_view_index, IR_SYSVAL_vertex_index};
    for (unsigned i = 0; i < 2; i++) {
        struct programs programs = compiled(of_views(of[i]), 0x25);
        assert_int_equal(programs.main_stores, 3);
        assert_int_equal(programs.varying_stores, 3);
        mali_binary_finish(&programs.binary);
    }
}

static void one_view_has_an_index(void **state)
{
    (void)state;
    struct programs programs = compiled(of_views(IR_SYSVAL_view_index), 0);
    assert_int_equal(programs.main_stores, 1);
    mali_binary_finish(&programs.binary);
}

/* Each view does what the shader does to memory. */
static void effects_are_of_each_view(void **state)
{
    (void)state;
    struct ir_shader *shader = of_views(IR_SYSVAL_view_index);
    struct ir_builder b = ir_builder_at_body_end(shader);
    ir_store_ssbo(&b, index_of(&b), buffer(&b, 0), ir_load_sysval(&b, 32, 1, IR_SYSVAL_view_index), 0, 4, 0, 0);
    struct programs programs = compiled(shader, 3);
    assert_int_equal(programs.main_stores, 4);
    assert_int_equal(programs.varying_stores, 2);
    mali_binary_finish(&programs.binary);
}

/* ---- effects ---- */

/* A store of what comes from `read`, and a varying of the same. */
static struct ir_shader *with_store(bool is_read_from_same)
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_vertex);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *at = ir_imul(&b, index_of(&b), number(&b, 4));
    struct ir_value *word = ir_load_ssbo(&b, 32, 1, buffer(&b, is_read_from_same), at, 0, 4, 0, 0);
    ir_store_ssbo(&b, ir_iadd(&b, word, number(&b, 1)), buffer(&b, 1), at, 0, 4, 0, 0);
    store(&b, number(&b, 0), IR_LOCATION_position);
    store(&b, word, IR_LOCATION_VAR0);
    return shader;
}

static void stores_are_made_once(void **state)
{
    (void)state;
    struct programs programs = compiled(with_store(false), 0);
    assert_int_equal(programs.main_stores, 2);
    assert_int_equal(programs.varying_stores, 1);
    assert_true(programs.binary.config.writes_memory);
    mali_binary_finish(&programs.binary);
}

static void changed_memory_is_refused(void **state)
{
    (void)state;
    struct programs programs;
    char error[256] = "";
    assert_false(compile(with_store(true), 0, &programs, error));
    assert_non_null(strstr(error, "memory that the vertex shader writes"));
}

/* An atomic operation whose result is stored; `is_varying`: and is a varying. */
static struct ir_shader *with_atomic(bool is_varying)
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_vertex);
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *ticket = ir_atomic_ssbo(&b, buffer(&b, 0), number(&b, 0), number(&b, 1), IR_ATOMIC_iadd, 0, 0);
    ir_store_ssbo(&b, index_of(&b), buffer(&b, 1), ir_imul(&b, ticket, number(&b, 4)), 0, 4, 0, 0);
    store(&b, number(&b, 0), IR_LOCATION_position);
    store(&b, is_varying ? ticket : index_of(&b), IR_LOCATION_VAR0);
    return shader;
}

static void atomics_are_made_once(void **state)
{
    (void)state;
    struct programs programs = compiled(with_atomic(false), 0);
    assert_int_equal(programs.main_atomics, 1);
    assert_int_equal(programs.main_stores, 2);
    assert_int_equal(programs.varying_atomics, 0);
    assert_int_equal(programs.varying_stores, 1);
    mali_binary_finish(&programs.binary);
}

static void results_of_atomics_are_no_varyings(void **state)
{
    (void)state;
    struct programs programs;
    char error[256] = "";
    assert_false(compile(with_atomic(true), 0, &programs, error));
    assert_non_null(strstr(error, "result of an atomic operation"));
}

/* ---- varyings ---- */

/* A vertex stage that does not know the fragment stage asks the draw. */
static void linear_varyings_of_the_draw(void **state)
{
    (void)state;
    struct programs programs = compiled(of_views(IR_SYSVAL_vertex_index), 0);
    assert_int_not_equal(programs.binary.config.fau.sysval[MALI_SYSVAL_NOPERSPECTIVE], MALI_FAU_UNUSED);
    mali_binary_finish(&programs.binary);
}

/* ---- blend shaders ---- */

static void check_blend(const struct mali_blend_key *key)
{
    struct mali_binary binary;
    char error[256] = "";
    if (!mali_compile_blend(key, 4, &binary, error))
        fail_msg("operation %u, factors %u and %u, logic %u: %s", key->color_op, key->src_color, key->dst_color,
                 key->logic_op, error);
    mali_binary_finish(&binary);
}

/* Sixteen registers are enough for all of them. */
static void equations_have_code(void **state)
{
    (void)state;
    for (unsigned samples = 1; samples <= 4; samples *= 4) {
        for (unsigned i = 0; i < 5 * 19 * 19; i++) {
            const uint8_t op = (uint8_t)(i % 5), src = (uint8_t)(i / 5 % 19), dst = (uint8_t)(i / 5 / 19);
            const struct mali_blend_key key = {.samples = (uint8_t)samples,
                                               .source_bits = 32,
                                               .base = IR_BASE_float,
                                               .range = MALI_BLEND_UNORM,
                                               .is_blending = true,
                                               .color_op = op,
                                               .src_color = src,
                                               .dst_color = dst,
                                               .alpha_op = op,
                                               .src_alpha = dst,
                                               .dst_alpha = src,
                                               .write_mask = (uint8_t)(1 + i % 15)};
            check_blend(&key);
        }
    }
}

static void logic_operations_have_code(void **state)
{
    (void)state;
    static const uint8_t bases[] = {IR_BASE_float, IR_BASE_uint, IR_BASE_int};
    for (unsigned i = 0; i < 16 * 3 * 2; i++) {
        const struct mali_blend_key key = {.samples = 4,
                                           .source_bits = 32,
                                           .base = bases[i / 16 % 3],
                                           .range = i / 16 % 3 ? MALI_BLEND_ANY
                                                    : i / 48   ? MALI_BLEND_SNORM
                                                               : MALI_BLEND_UNORM,
                                           .channel_bits = {10, 10, 10, 2},
                                           .is_signed = i / 48,
                                           .has_logic_op = true,
                                           .logic_op = (uint8_t)(i % 16),
                                           .write_mask = 15};
        check_blend(&key);
    }
}

/* The front end refuses modules that ask which memory is there; the IR's text comes without it. */
static void residency_is_refused(void **state)
{
    static const char *const operations[] = {
        "  %3:32x5 = load_image %0, %2, %0 {dim 2d, array 0, access residency}\n",
        "  %3:32x5 = tex %0, %0, %1 {tex_kind sample, dim 2d, tex_flags residency}\n"};
    for (unsigned i = 0; i < 2; i++) {
        char text[512], error[256] = "";
        struct mali_binary binary;
        const struct mali_compile_options options = {0};
        (void)state;
        snprintf(text, sizeof(text),
                 "shader fragment\nb0:\n  %%0:32 = const 0x0\n  %%1:32x2 = vec %%0, %%0\n"
                 "  %%2:32x2 = vec %%0, %%0\n%s",
                 operations[i]);
        struct ir_shader *shader = ir_parse(text, error);
        if (!shader)
            fail_msg("%s", error);
        assert_false(mali_compile(shader, &options, &binary, error));
        assert_non_null(strstr(error, "which memory is there"));
        ir_shader_destroy(shader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_view_is_stored),
        cmocka_unit_test(one_view_has_an_index),
        cmocka_unit_test(effects_are_of_each_view),
        cmocka_unit_test(stores_are_made_once),
        cmocka_unit_test(changed_memory_is_refused),
        cmocka_unit_test(atomics_are_made_once),
        cmocka_unit_test(results_of_atomics_are_no_varyings),
        cmocka_unit_test(linear_varyings_of_the_draw),
        cmocka_unit_test(equations_have_code),
        cmocka_unit_test(logic_operations_have_code),
        cmocka_unit_test(residency_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
