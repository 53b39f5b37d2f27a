/* Ray queries compiled and run on the model: random rays at small worlds of triangles and boxes in instances, beside
 * what arithmetic in double finds among all primitives. Where rounding decides, nothing is compared. */
#include "amd/compiler/tests/ray_world.h"
#include "compiler/ir/tests/ir_test.h"

static struct shader_rig rig;
static struct hit hits[LANES];

/* ---- the program ---- */

/* Triangles that ask are accepted; boxes, too, at a distance by their number, where that is nearer. */
static void look_at_candidate(struct ir_builder *b, struct ir_value *element, uint32_t query)
{
    struct ir_value *kind = ir_ray_value(b, 1, element, query, IR_RAY_kind, 0);
    ir_builder_push_if(b, ir_ieq(b, kind, ir_const(b, 32, 0)));
    ir_ray_confirm(b, element, query);
    ir_builder_push_else(b);
    struct ir_value *primitive = ir_ray_value(b, 1, element, query, IR_RAY_primitive_index, 0),
                    *t = ir_ffma(b, ir_u2f(b, 32, primitive, IR_ROUNDING_any), ir_const_f(b, 32, 0.25),
                                 ir_const_f(b, 32, 900));
    ir_builder_push_if(b, ir_flt(b, t, ir_ray_value(b, 1, element, query, IR_RAY_t, 1)));
    ir_ray_generate(b, element, t, query);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
}

/* With several queries each lane has another one of the array. */
static struct ir_shader *write_program(uint32_t flags, uint32_t mask, uint32_t queries)
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    assert_non_null(shader);
    shader->workgroup_size[0] = LANES;
    shader->workgroup_size[1] = shader->workgroup_size[2] = 1;
    struct ir_builder b = ir_builder_at_body_end(shader);
    const uint32_t query = ir_var_create(shader, 32, queries, "query")->index;
    struct ir_value *zero = ir_const(&b, 32, 0), *lane = ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index),
                    *element = queries > 1 ? ir_iand(&b, lane, ir_const(&b, 32, queries - 1)) : zero;
    struct ir_value *in = ir_resource(&b, zero, 0, 1, IR_RESOURCE_storage_buffer),
                    *out = ir_resource(&b, zero, 0, 2, IR_RESOURCE_storage_buffer),
                    *at = ir_ishl(&b, lane, ir_const(&b, 32, 5));
    struct ir_value *rules[2] = {ir_const(&b, 32, flags), ir_const(&b, 32, mask)}, *words[4];
    struct ir_value *from = ir_load_ssbo(&b, 32, 4, in, at, 0, 16, 0, 0),
                    *to = ir_load_ssbo(&b, 32, 4, in, at, 16, 16, 0, 0);
    struct ir_value *structure = ir_ray_structure(&b, ir_resource(&b, zero, 0, 0, IR_RESOURCE_acceleration_structure));
    ir_ray_begin(&b, element, structure, ir_vec(&b, 2, rules), from, to, query);
    ir_builder_push_loop(&b);
    ir_builder_push_if(&b, ir_inot(&b, ir_ray_proceed(&b, element, query)));
    ir_jump(&b, IR_OP_break);
    ir_builder_pop_if(&b);
    look_at_candidate(&b, element, query);
    ir_builder_pop_loop(&b);
    words[0] = ir_ray_value(&b, 1, element, query, IR_RAY_kind, 1);
    words[1] = words[2] = zero;
    words[3] = ir_ray_value(&b, 1, element, query, IR_RAY_t, 1);
    struct ir_if *met = ir_builder_push_if(&b, ir_ine(&b, words[0], zero));
    struct ir_value *primitive = ir_ray_value(&b, 1, element, query, IR_RAY_primitive_index, 1),
                    *index = ir_ray_value(&b, 1, element, query, IR_RAY_custom_index, 1);
    ir_builder_pop_if(&b);
    words[1] = ir_if_phi(&b, met, primitive, zero);
    words[2] = ir_if_phi(&b, met, index, zero);
    ir_store_ssbo(&b, ir_vec(&b, 4, words), out, ir_ishl(&b, lane, ir_const(&b, 32, 4)), 0, 16, 0, 0);
    return shader;
}

static void run_program(uint64_t structure, uint32_t flags, uint32_t mask, uint32_t queries, unsigned wave_size,
                        bool no_optimisation)
{
    char error[512];
    const uint32_t descriptor[12] = {(uint32_t)structure, (uint32_t)(structure >> 32)};
    struct rig_buffer buffers[] = {{NULL, 0}, {rays, sizeof(rays)}, {hits, sizeof(hits)}};
    const struct rig_shape shape = {.wave_size = wave_size,
                                    .no_optimisation = no_optimisation,
                                    .buffers = buffers,
                                    .num_buffers = 3,
                                    .descriptors = {descriptor}};
    memset(hits, 0xee, sizeof(hits));
    struct ir_shader *shader = write_program(flags, mask, queries);
    if (!shader_rig_run(&rig, shader, &shape, error))
        fail_msg("%s", error);
    ir_shader_destroy(shader);
}

static void check_result(uint32_t mask)
{
    char text[256];
    if (!ray_world_check(hits, mask, text))
        fail_msg("%s", text);
}

static void meets_what_is_there(unsigned primitives, unsigned instances, bool has_boxes, bool is_opaque,
                                uint32_t queries)
{
    for (unsigned form = 0; form < 4; form++) {
        const uint32_t mask = form & 2 ? 0x15 : 0xff;
        shader_rig_reset(&rig);
        ray_world_make(primitives, instances, has_boxes, 7 + primitives);
        run_program(ray_world_top(&rig, ray_world_bottom(&rig, is_opaque)), 0, mask, queries, form & 1 ? 32 : 64,
                    form == 3);
        check_result(mask);
    }
}

static void triangles(void **state)
{
    (void)state;
    meets_what_is_there(12, 1, false, true, 1);
    meets_what_is_there(40, 1, false, true, 1);
    meets_what_is_there(33, 6, false, true, 1);
}

static void triangles_that_ask(void **state)
{
    (void)state;
    meets_what_is_there(40, 5, false, false, 1);
}

static void boxes_between_triangles(void **state)
{
    (void)state;
    meets_what_is_there(12, 3, true, true, 1);
}

static void queries_of_an_array(void **state)
{
    (void)state;
    meets_what_is_there(20, 2, false, false, 4);
}

/* A descriptor of nothing. */
static void no_structure(void **state)
{
    (void)state;
    shader_rig_reset(&rig);
    ray_world_make(3, 1, false, 1);
    run_program(0, 0, 0xff, 1, 64, false);
    for (unsigned n = 0; n < LANES; n++) {
        assert_int_equal(hits[n].kind, 0);
        assert_true(hits[n].t == rays[n].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles),
        cmocka_unit_test(triangles_that_ask),
        cmocka_unit_test(boxes_between_triangles),
        cmocka_unit_test(queries_of_an_array),
        cmocka_unit_test(no_structure),
    };
    shader_rig_begin(&rig);
    int failed = cmocka_run_group_tests_name("select rays", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
