/* Operations of lanes together, specialization constants, atomics and stage interfaces: the shaders features.*
 * against their twin in C. */
#include "spirv_test.h"

#define LANES 64
#define WAVE 32

static uint32_t x_of(uint32_t id)
{
    return id * 7 % 13;
}

static uint32_t ballot_of(uint32_t wave)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < WAVE; i++)
        mask |= (x_of(wave * WAVE + i) & 1) << i;
    return mask;
}

enum reduction {
    ADD,
    MUL,
    MIN,
    MAX_SHIFTED,
    OR,
    XOR,
    AND_8,
    MAX
};

static uint32_t reduce_values(uint32_t first, uint32_t count, enum reduction how)
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = x_of(first + i);
        uint32_t value = how == MUL ? x % 3 + 1 : how == MAX_SHIFTED ? x - 20 : how == AND_8 ? x | 8 : x;
        if (i == 0)
            r = value;
        else
            r = how == ADD           ? r + value
                : how == MUL         ? r * value
                : how == MIN         ? MIN2(r, value)
                : how == MAX_SHIFTED ? ((int32_t)value > (int32_t)r ? value : r)
                : how == OR          ? r | value
                : how == XOR         ? r ^ value
                : how == AND_8       ? r & value
                                     : MAX2(r, value);
    }
    return r;
}

/* In the order of the shader's PUT. */
static uint32_t expected(uint32_t id, uint32_t spec_sum, uint32_t spec, uint32_t *out)
{
    uint32_t lane = id % WAVE, first = id - lane, x = x_of(id), ballot = ballot_of(id / WAVE), n = 0, all = 0;
    for (uint32_t i = 0; i < LANES; i++)
        all += x_of(i);
    uint32_t below = (1u << lane) - 1, equal = 1u << lane;
    out[n++] = WAVE, out[n++] = lane, out[n++] = id / WAVE, out[n++] = LANES / WAVE;
    out[n++] = lane == 0, out[n++] = 1, out[n++] = 1, out[n++] = 0;
    out[n++] = x_of(first + 5), out[n++] = x_of(first);
    out[n++] = ballot, out[n++] = ballot >> lane & 1, out[n++] = ballot >> 3 & 1,
    out[n++] = (uint32_t)__builtin_popcount(ballot);
    out[n++] = (uint32_t)__builtin_popcount(ballot & (below | equal)),
    out[n++] = (uint32_t)__builtin_popcount(ballot & below);
    out[n++] = (uint32_t)__builtin_ctz(ballot), out[n++] = 31u - (uint32_t)__builtin_clz(ballot);
    out[n++] = x_of(id ^ 3), out[n++] = x_of(id ^ 5), out[n++] = x, out[n++] = x;
    for (enum reduction r = ADD; r <= AND_8; r++)
        out[n++] = reduce_values(first, WAVE, r);
    out[n++] = reduce_values(first, lane + 1, ADD), out[n++] = lane ? reduce_values(first, lane, ADD) : 0;
    out[n++] = reduce_values(id & ~3u, 4, ADD), out[n++] = reduce_values(id & ~7u, 8, MAX);
    out[n++] = x_of((id & ~3u) + 2), out[n++] = x_of(id ^ 1), out[n++] = x_of(id ^ 2), out[n++] = x_of(id ^ 3);
    out[n++] = equal, out[n++] = ~below, out[n++] = ~below & ~equal, out[n++] = below | equal, out[n++] = below;
    out[n++] = spec_sum, out[n++] = spec;
    out[n++] = all, out[n++] = x_of(63 - id);
    out[n++] = 1234; /* of an atomic load */
    return n;
}

struct atomics {
    uint32_t u[16];
    int32_t i[4];
    float f[4];
    uint64_t w[4];
};

static uint32_t result[LANES][48];
static struct atomics atomics;

static void run_features(const struct spirv_options *options)
{
    memset(&atomics, 0, sizeof(atomics));
    atomics.u[1] = 1000, atomics.u[3] = UINT32_MAX, atomics.i[1] = -100, atomics.u[10] = 1234;
    struct ir_interpret_buffer buffers[] = {{.data = result, .size_B = sizeof(result)},
                                            {.binding = 1, .data = &atomics, .size_B = sizeof(atomics)}};
    struct ir_shader *shader = translate_words("features", options);
    struct ir_interpret_options how = {
        .wave_size = WAVE, .num_workgroups = {1, 1, 1}, .buffers = buffers, .num_buffers = 2};
    struct ir_interpret_result run = run_shader(shader, &how);
    ir_interpret_finish(&run);
    assert_true(shader->uses_subgroup_ops);
    assert_int_equal(shader->workgroup_size[0], LANES);
    ir_shader_destroy(shader);
}

static void check_lanes(uint32_t spec_sum, uint32_t spec)
{
    for (uint32_t id = 0; id < LANES; id++) {
        uint32_t want[48], count = expected(id, spec_sum, spec, want);
        for (uint32_t i = 0; i < count; i++)
            if (result[id][i] != want[i])
                fail_msg("value %u of lane %u is 0x%x instead of 0x%x", i, id, result[id][i], want[i]);
    }
}

static void lanes(void **state)
{
    (void)state;
    struct spirv_options options = {.stage = IR_STAGE_compute};
    run_features(&options);
    check_lanes(5 * 3 + 1, 5);
}

static void specialization(void **state)
{
    (void)state;
    const uint32_t data[] = {99, 11, 1};
    const struct spirv_spec_entry entries[] = {{4, 8, 4}, {3, 4, 4}, {77, 0, 4}};
    struct spirv_options options = {.stage = IR_STAGE_compute,
                                    .spec_entries = entries,
                                    .num_spec_entries = 3,
                                    .spec_data = data,
                                    .spec_data_size_B = sizeof(data)};
    run_features(&options);
    check_lanes(11 * 3 + 100, 11);
}

static void atomic_results(void **state)
{
    struct atomics want = {0};
    (void)state;
    struct spirv_options options = {.stage = IR_STAGE_compute};
    run_features(&options);
    want.u[1] = 3, want.u[2] = 12, want.u[3] = ~0xffu, want.u[4] = UINT32_MAX, want.i[0] = -8, want.i[1] = -18,
    want.f[0] = 32;
    want.u[6] = 77, want.u[7] = 5, want.u[9] = LANES, want.u[10] = 1234, want.w[1] = 12ull << 40;
    for (uint32_t i = 0; i < LANES; i++) {
        want.u[0] += x_of(i);
        want.u[5] ^= i;
        want.w[0] += 0x100000000ull + x_of(i);
    }
    assert_memory_equal(&atomics, &want, sizeof(want));
}

/* --- stage interfaces --- */

static const struct ir_io_var *find_io(const struct ir_io_var *list, uint32_t count, uint32_t location,
                                       uint32_t component)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].location == location && list[i].component == component)
            return &list[i];
    fail_msg("nothing at location %u, component %u", location, component);
    return NULL;
}

static void vertex_interface(void **state)
{
    (void)state;
    struct spirv_options options = {.stage = IR_STAGE_vertex};
    struct ir_shader *shader = translate_words("features_vert", &options);
    const struct ir_io_var *io = find_io(shader->inputs, shader->num_inputs, IR_LOCATION_VAR0 + 1, 0);
    assert_int_equal(io->num_locations, 3);
    io = find_io(shader->inputs, shader->num_inputs, IR_LOCATION_VAR0 + 4, 0);
    assert_true(io->bits == 64 && io->num_comps == 3 && io->num_locations == 2);
    find_io(shader->inputs, shader->num_inputs, IR_LOCATION_VAR0 + 6, 1);
    assert_int_equal(find_io(shader->inputs, shader->num_inputs, IR_LOCATION_VAR0 + 7, 0)->base, IR_BASE_int);
    assert_int_equal(find_io(shader->outputs, shader->num_outputs, IR_LOCATION_VAR0 + 2, 0)->num_locations, 3);
    find_io(shader->outputs, shader->num_outputs, IR_LOCATION_VAR0 + 5, 0);
    find_io(shader->outputs, shader->num_outputs, IR_LOCATION_VAR0 + 6, 0);
    for (uint32_t i = 0; i < shader->num_outputs; i++)
        assert_int_not_equal(shader->outputs[i].location, IR_LOCATION_VAR0 + 9); /* never written */
    assert_true(shader->vs.writes_point_size && shader->vs.writes_layer && !shader->vs.writes_viewport);
    assert_int_equal(shader->vs.clip_distances, 5);
    assert_int_equal(shader->vs.cull_distances, 2);
    assert_true(shader->sysvals_read >> IR_SYSVAL_draw_index & 1);
    ir_shader_destroy(shader);
}

/* Transform feedback: every captured component, in the order of the program. */
static void captures(void **state)
{
    (void)state;
    static const struct ir_capture expected[] = {
        {IR_LOCATION_position, 0, 4, 32, 0, 0},        {IR_LOCATION_point_size, 0, 1, 32, 0, 16},
        {IR_LOCATION_clip_distance0, 0, 4, 32, 0, 20}, {IR_LOCATION_clip_distance0 + 1, 0, 1, 32, 0, 36},
        {IR_LOCATION_VAR0, 0, 1, 32, 0, 40},           {IR_LOCATION_VAR0 + 1, 0, 1, 32, 0, 48},
        {IR_LOCATION_VAR0 + 2, 0, 2, 64, 0, 56},       {IR_LOCATION_VAR0 + 3, 0, 3, 32, 0, 72},
        {IR_LOCATION_VAR0 + 4, 0, 3, 32, 0, 84},       {IR_LOCATION_VAR0 + 8, 1, 2, 32, 0, 112},
        {IR_LOCATION_VAR0 + 9, 0, 1, 32, 1, 8},        {IR_LOCATION_VAR0 + 10, 0, 3, 32, 1, 12},
        {IR_LOCATION_VAR0 + 11, 0, 1, 32, 2, 8},       {IR_LOCATION_VAR0 + 12, 0, 3, 32, 2, 12},
    };
    struct spirv_options options = {.stage = IR_STAGE_vertex};
    struct ir_shader *shader = translate_words("feedback", &options);
    assert_int_equal(shader->num_captures, sizeof(expected) / sizeof(*expected));
    for (uint32_t i = 0; i < shader->num_captures; i++) {
        bool found = false;
        for (uint32_t j = 0; j < shader->num_captures; j++)
            found |= !memcmp(&shader->captures[j], &expected[i], sizeof(*expected));
        if (!found)
            fail_msg("nothing is captured as number %u says", i);
    }
    assert_true(shader->xfb_stride_B[0] == 128 && shader->xfb_stride_B[1] == 24 && shader->xfb_stride_B[2] == 40);
    ir_shader_destroy(shader);
}

/* Attributes by component: location × 100 + component in units of 32 bits. */
static bool give_attribute(void *data, const struct ir_instr *instr, uint32_t lane, uint32_t comp,
                           const uint64_t *const *srcs, uint64_t *out)
{
    (void)data, (void)lane, (void)srcs;
    if (instr->op == IR_OP_load_sysval) {
        *out = ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_instance_index ? 3 : 10;
        return true;
    }
    if (instr->op != IR_OP_load_input)
        return false;
    uint32_t location = ir_imm(instr, IR_IMM_LOCATION) - IR_LOCATION_VAR0;
    uint32_t component = ir_imm(instr, IR_IMM_COMP) + comp * (instr->def.bits == 64 ? 2 : 1);
    if (location == 7) {
        *out = component + 1; /* whole = 1, 2, 3, 4 */
    } else if (instr->def.bits == 64) {
        double value = location * 100 + component;
        memcpy(out, &value, 8);
    } else {
        float value = (float)(location * 100 + component);
        *out = 0;
        memcpy(out, &value, 4);
    }
    return true;
}

static float output_float(const struct ir_interpret_result *run, uint32_t location, uint32_t comp)
{
    const struct ir_interpret_output *output = ir_interpret_find_output(run, 0, location, comp);
    float value;
    if (!output)
        fail_msg("no output at location %u, component %u", location, comp);
    uint32_t word = (uint32_t)output->value;
    memcpy(&value, &word, 4);
    return value;
}

static void vertex_runs(void **state)
{
    (void)state;
    struct spirv_options options = {.stage = IR_STAGE_vertex};
    struct ir_shader *shader = translate_words("features_vert", &options);
    struct ir_interpret_options how = {.num_lanes = 1, .source = give_attribute};
    struct ir_interpret_result run = run_shader(shader, &how);
    /* turn × (0, 1, 2), whose columns are at locations 1, 2, 3, and wide at locations 4 and 5 */
    const float wide[3] = {400, 402, 500};
    for (uint32_t i = 0; i < 3; i++)
        assert_true(output_float(&run, IR_LOCATION_position, i) == (float)((200 + i) + 2 * (300 + i)) + wide[i]);
    assert_true(output_float(&run, IR_LOCATION_position, 3) == 1);
    assert_true(output_float(&run, IR_LOCATION_point_size, 0) == 601);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(output_float(&run, IR_LOCATION_clip_distance0 + i / 4, i % 4) == (float)i + 602);
    assert_true(output_float(&run, IR_LOCATION_cull_distance0, 0) == 1 &&
                output_float(&run, IR_LOCATION_cull_distance0, 1) == 0);
    assert_int_equal(ir_interpret_find_output(&run, 0, IR_LOCATION_layer, 0)->value, 3);
    assert_true(output_float(&run, IR_LOCATION_VAR0, 2) == 3 + 40);
    assert_int_equal(ir_interpret_find_output(&run, 0, IR_LOCATION_VAR0 + 1, 1)->value, 3);
    assert_true(output_float(&run, IR_LOCATION_VAR0 + 3, 0) == 4); /* list[4 % 3] */
    assert_true(output_float(&run, IR_LOCATION_VAR0 + 5, 1) == 602);
    assert_true(output_float(&run, IR_LOCATION_VAR0 + 6, 0) == 1 && output_float(&run, IR_LOCATION_VAR0 + 7, 1) == 1);
    assert_null(ir_interpret_find_output(&run, 0, IR_LOCATION_VAR0 + 9, 0));
    ir_interpret_finish(&run);
    ir_shader_destroy(shader);
}

static bool give_address(void *data, const struct ir_instr *instr, uint32_t lane, uint32_t comp,
                         const uint64_t *const *srcs, uint64_t *out)
{
    (void)data, (void)lane, (void)comp, (void)srcs;
    *out = 0x123456789abcdef0u;
    return instr->op == IR_OP_load_input && instr->def.bits == 64 &&
           ir_imm(instr, IR_IMM_LOCATION) == IR_LOCATION_VAR0 + 3;
}

static void addresses_between_stages(void **state)
{
    (void)state;
    struct spirv_options options = {.stage = IR_STAGE_vertex};
    struct ir_shader *shader = translate_words("address_io", &options);
    const struct ir_io_var *io = find_io(shader->outputs, shader->num_outputs, IR_LOCATION_VAR0 + 1, 0);
    assert_true(io->bits == 64 && io->num_comps == 1 && io->base == IR_BASE_uint);
    struct ir_interpret_options how = {.num_lanes = 1, .source = give_address};
    struct ir_interpret_result run = run_shader(shader, &how);
    assert_true(ir_interpret_find_output(&run, 0, IR_LOCATION_VAR0 + 1, 0)->value == 0x123456789abcdef0u);
    assert_true(ir_interpret_find_output(&run, 0, IR_LOCATION_VAR0 + 2, 0)->value == 0x123456789abcdf30u);
    ir_interpret_finish(&run);
    ir_shader_destroy(shader);
}

static const struct ir_resource *find_resource(const struct ir_shader *shader, uint32_t binding)
{
    for (uint32_t i = 0; i < shader->num_resources; i++)
        if (shader->resources[i].binding == binding)
            return &shader->resources[i];
    fail_msg("no resource at binding %u", binding);
    return NULL;
}

static void fragment_interface(void **state)
{
    (void)state;
    static const enum ir_resource_kind kinds[] = {
        IR_RESOURCE_combined,      IR_RESOURCE_combined,        IR_RESOURCE_sampled_image, IR_RESOURCE_sampler,
        IR_RESOURCE_combined,      IR_RESOURCE_storage_image,   IR_RESOURCE_storage_image, IR_RESOURCE_combined,
        IR_RESOURCE_uniform_texel, IR_RESOURCE_input_attachment};
    struct spirv_options options = {.stage = IR_STAGE_fragment};
    struct ir_shader *shader = translate_words("features_frag", &options);
    for (uint32_t i = 0; i < ARRAY_SIZE(kinds); i++)
        assert_int_equal(find_resource(shader, i)->kind, kinds[i]);
    assert_true(find_resource(shader, 0)->nonuniform && find_resource(shader, 0)->count == 4);
    assert_true(find_resource(shader, 5)->written && find_resource(shader, 5)->read &&
                !find_resource(shader, 5)->atomics);
    assert_true(find_resource(shader, 6)->atomics && !find_resource(shader, 7)->written);
    assert_true(find_resource(shader, 9)->input == 1 && !find_resource(shader, 8)->input);
    assert_true(shader->fs.writes_depth && shader->fs.writes_mask && shader->fs.uses_demote &&
                shader->fs.sample_shading && shader->fs.writes_memory && shader->uses_derivatives);
    assert_int_equal(shader->fs.depth_layout, IR_DEPTH_greater);
    assert_int_equal(find_io(shader->inputs, shader->num_inputs, IR_LOCATION_VAR0 + 1, 0)->interp, IR_INTERP_flat);
    const struct ir_io_var *straight = find_io(shader->inputs, shader->num_inputs, IR_LOCATION_VAR0 + 2, 0);
    assert_true(straight->interp == IR_INTERP_noperspective && straight->centroid);
    find_io(shader->inputs, shader->num_inputs, IR_LOCATION_VAR0 + 7, 2);
    assert_true(find_io(shader->inputs, shader->num_inputs, IR_LOCATION_VAR0 + 8, 0)->sample);
    ir_shader_destroy(shader);
}

/* A built-in of one vertex may be an array of all vertices, however many. */
static void positions_of_a_patch(void **state)
{
    (void)state;
    struct spirv_options options = {.stage = IR_STAGE_tess_eval};
    struct ir_shader *shader = translate_words("patch_position", &options);
    const struct ir_io_var *position = find_io(shader->inputs, shader->num_inputs, IR_LOCATION_position, 0);
    assert_true(position->num_comps == 4 && position->num_locations == 1 && !position->patch);
    find_io(shader->inputs, shader->num_inputs, IR_LOCATION_VAR0 + 3, 0);
    ir_shader_destroy(shader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes),
        cmocka_unit_test(specialization),
        cmocka_unit_test(atomic_results),
        cmocka_unit_test(vertex_interface),
        cmocka_unit_test(captures),
        cmocka_unit_test(vertex_runs),
        cmocka_unit_test(addresses_between_stages),
        cmocka_unit_test(fragment_interface),
        cmocka_unit_test(positions_of_a_patch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
