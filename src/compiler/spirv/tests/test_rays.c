/* Ray queries: every instruction of SPV_KHR_ray_query becomes the IR's operation of the query that it names, and
 * modules that misuse them are refused with a reason. */
#include "spirv_test.h"

#include <spirv/unified1/spirv.h>

static const struct spirv_options options = {.stage = IR_STAGE_compute};

static void all_operations_arrive(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_words("rays", &options);
    assert_int_equal(count_op(shader, IR_OP_ray_begin), 3);
    assert_int_equal(count_op(shader, IR_OP_ray_proceed), 3);
    assert_int_equal(count_op(shader, IR_OP_ray_confirm), 1);
    assert_int_equal(count_op(shader, IR_OP_ray_terminate), 1);
    const struct ir_instr *generated = nth(shader, IR_OP_ray_generate, 0);
    assert_int_equal(ir_const_u64(ir_src(generated, 1)), 0x40400000); /* 3.0 */
    bool candidate[32] = {0}, committed[32] = {0};
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (instr->op == IR_OP_ray_value)
                (ir_imm(instr, IR_IMM_COMMITTED) ? committed : candidate)[ir_imm(instr, IR_IMM_RAY_VALUE)] = true;
    static const uint8_t both[] = {IR_RAY_kind, IR_RAY_t, IR_RAY_primitive_index};
    for (uint32_t i = 0; i < ARRAY_SIZE(both); i++)
        assert_true(candidate[both[i]] && committed[both[i]]);
    for (uint32_t i = IR_RAY_flags; i <= IR_RAY_world_direction; i++)
        assert_true(candidate[i] && !committed[i]);
    for (uint32_t i = IR_RAY_kind; i <= IR_RAY_world_to_object; i++)
        assert_true(committed[i] || i == IR_RAY_box_opaque);
    assert_true(candidate[IR_RAY_box_opaque]);
    ir_shader_destroy(shader);
}

static void queries_are_elements_of_their_variables(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_words("rays", &options);
    const struct ir_instr *alone = nth(shader, IR_OP_ray_begin, 0), *indexed = nth(shader, IR_OP_ray_begin, 1),
                          *again = nth(shader, IR_OP_ray_begin, 2);
    assert_int_equal(ir_imm(alone, IR_IMM_QUERY), ir_imm(again, IR_IMM_QUERY));
    assert_int_equal(ir_var_by_index(shader, ir_imm(alone, IR_IMM_QUERY))->length, 1);
    assert_int_equal(ir_const_u64(ir_src(alone, 0)), 0);
    assert_int_equal(ir_var_by_index(shader, ir_imm(indexed, IR_IMM_QUERY))->length, 3);
    assert_false(ir_is_const(ir_src(indexed, 0)));
    /* A query that a function has as its parameter is the caller's. */
    for (uint32_t n = 0; n < count_op(shader, IR_OP_ray_value); n++) {
        const struct ir_instr *value = nth(shader, IR_OP_ray_value, n);
        if (ir_imm(value, IR_IMM_RAY_VALUE) == IR_RAY_world_to_object)
            assert_int_equal(ir_imm(value, IR_IMM_QUERY), ir_imm(alone, IR_IMM_QUERY));
    }
    ir_shader_destroy(shader);
}

static void structures_are_addresses(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_words("rays", &options);
    const struct ir_instr *structures[3];
    for (uint32_t i = 0; i < 3; i++)
        structures[i] = ir_def_instr(ir_src(nth(shader, IR_OP_ray_begin, i), 1));
    assert_int_equal(structures[0]->op, IR_OP_ray_structure);
    assert_int_equal(structures[0]->flags & IR_FLAG_NONUNIFORM, 0);
    assert_int_equal(structures[1]->op, IR_OP_ray_structure);
    assert_true(structures[1]->flags & IR_FLAG_NONUNIFORM);
    assert_int_equal(structures[2]->op, IR_OP_pack64);
    uint32_t found = 0;
    for (uint32_t i = 0; i < shader->num_resources; i++) {
        const struct ir_resource *resource = &shader->resources[i];
        if (resource->kind != IR_RESOURCE_acceleration_structure)
            continue;
        found++;
        assert_true(resource->read && !resource->written);
        assert_int_equal(resource->count, resource->set ? 4 : 1);
        assert_int_equal(resource->nonuniform, resource->set == 1);
    }
    assert_int_equal(found, 2);
    ir_shader_destroy(shader);
}

static void the_capability_can_be_refused(void **state)
{
    (void)state;
    expect_capability("rays", IR_STAGE_compute, SpvCapabilityRayQueryKHR, "RayQueryKHR");
}

/* --- misuse --- */

/* Word `word` of the first such instruction, and of the one that defines types[word], become others. */
static void refused(uint32_t opcode, uint32_t word, uint32_t from_opcode, uint32_t from_word, const char *text)
{
    struct module module = read_module("rays");
    find_words(&module, opcode)[word] = find_words(&module, from_opcode)[from_word];
    expect_refusal(module, &options, text);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    /* The pointer of a store to an output is none to a query. */
    refused(SpvOpRayQueryProceedKHR, 3, SpvOpAccessChain, 3, "is no pointer to a ray query");
    refused(SpvOpRayQueryConfirmIntersectionKHR, 1, SpvOpAccessChain, 3, "is no pointer to a ray query");
    refused(SpvOpRayQueryInitializeKHR, 2, SpvOpRayQueryInitializeKHR, 4, "is no acceleration structure");
    refused(SpvOpRayQueryInitializeKHR, 5, SpvOpRayQueryInitializeKHR, 4, "operand 4 is of another type");
    refused(SpvOpRayQueryInitializeKHR, 3, SpvOpRayQueryInitializeKHR, 6, "operand 2 is of another type");
    refused(SpvOpRayQueryGenerateIntersectionKHR, 2, SpvOpRayQueryInitializeKHR, 4, "operand 1 is of another type");
    refused(SpvOpRayQueryGetIntersectionTKHR, 4, SpvOpRayQueryInitializeKHR, 4, "a candidate or committed");
    refused(SpvOpRayQueryGetIntersectionTKHR, 1, SpvOpRayQueryProceedKHR, 1, "not that of the operation");
    refused(SpvOpRayQueryGetIntersectionFrontFaceKHR, 1, SpvOpRayQueryGetIntersectionTKHR, 1,
            "not that of the operation");
    refused(SpvOpRayQueryGetIntersectionObjectToWorldKHR, 1, SpvOpRayQueryGetWorldRayOriginKHR, 1,
            "not that of the operation");
    refused(SpvOpConvertUToAccelerationStructureKHR, 3, SpvOpRayQueryInitializeKHR, 4, "an address is 64 bits");
}

/* --- values --- */

/* A query that is loaded is a copy, which a store copies again: what the function does with its own does not touch the
 * caller's. */
static void a_query_can_be_handed_over(void **state)
{
    (void)state;
    struct ir_shader *shader = translate_words("query_values", &options);
    const struct ir_instr *begun = nth(shader, IR_OP_ray_begin, 0), *loaded = nth(shader, IR_OP_ray_copy, 0),
                          *stored = nth(shader, IR_OP_ray_copy, 1), *copied = nth(shader, IR_OP_ray_copy, 2),
                          *walked = nth(shader, IR_OP_ray_proceed, 0), *ended = nth(shader, IR_OP_ray_terminate, 0);
    assert_int_equal(count_op(shader, IR_OP_ray_copy), 3);
    assert_int_equal(ir_imm(loaded, IR_IMM_SOURCE), ir_imm(begun, IR_IMM_QUERY));
    assert_int_equal(ir_imm(stored, IR_IMM_SOURCE), ir_imm(loaded, IR_IMM_QUERY));
    assert_int_equal(ir_imm(walked, IR_IMM_QUERY), ir_imm(stored, IR_IMM_QUERY));
    assert_int_equal(ir_imm(copied, IR_IMM_SOURCE), ir_imm(begun, IR_IMM_QUERY));
    assert_int_equal(ir_imm(ended, IR_IMM_QUERY), ir_imm(copied, IR_IMM_QUERY));
    assert_int_not_equal(ir_imm(stored, IR_IMM_QUERY), ir_imm(begun, IR_IMM_QUERY));
    assert_int_not_equal(ir_imm(copied, IR_IMM_QUERY), ir_imm(begun, IR_IMM_QUERY));
    ir_shader_destroy(shader);
}

/* OpLoad of the query in place of the structure: a value, but none of that type. */
static void a_query_is_no_structure(void **state)
{
    (void)state;
    struct module module = read_module("rays");
    const uint32_t structure = find_words(&module, SpvOpRayQueryInitializeKHR)[2];
    const uint32_t query = find_words(&module, SpvOpRayQueryInitializeKHR)[1], type = find_words(&module, SpvOpTypeRayQueryKHR)[1];
    for (size_t at = 5; at < module.count; at += module.words[at] >> 16) {
        uint32_t *words = &module.words[at];
        if ((words[0] & 0xffff) != SpvOpLoad || words[2] != structure)
            continue;
        words[1] = type;
        words[3] = query;
    }
    expect_refusal(module, &options, "is no acceleration structure");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_operations_arrive),    cmocka_unit_test(queries_are_elements_of_their_variables),
        cmocka_unit_test(structures_are_addresses), cmocka_unit_test(the_capability_can_be_refused),
        cmocka_unit_test(misuse_is_refused),        cmocka_unit_test(a_query_can_be_handed_over),
        cmocka_unit_test(a_query_is_no_structure),
    };
    return cmocka_run_group_tests_name("spirv rays", tests, NULL, NULL);
}
