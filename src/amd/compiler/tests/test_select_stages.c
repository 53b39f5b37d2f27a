/* Vertex and fragment shaders on one wave of the model, with the test in the place of the geometry engine, the
 * interpolator and the exports' receivers. */
#include <math.h>

#include "amd/compiler/tests/shader_rig.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_workgroup.h"
#include "compiler/ir/tests/ir_test.h"
#include "util/half.h"

struct export_record {
    struct isa_export exp;
    uint64_t exec;
    uint32_t rows[4][64];
};

static struct shader_rig rig;
static struct export_record records[32];
static unsigned num_records;
static uint32_t message_word, message_m0, num_messages;
static float attributes[4][4][3]; /* P0, P10, P20 of attribute and channel */

static void take_export(struct sq_wave *wave, const struct sq_uop *uop, const struct isa_export *exp,
                        const uint32_t *const rows[4])
{
    (void)uop;
    struct export_record *record = &records[num_records++ % 32];
    record->exp = *exp;
    record->exec = sq_exec(wave);
    for (unsigned i = 0; i < 4; i++) {
        bool there = exp->compr ? i < 2 : exp->en >> i & 1;
        if (there)
            memcpy(record->rows[i], rows[i], wave->lanes * 4);
    }
}

static void take_message(struct sq_wave *wave, const struct sq_uop *uop, uint32_t message, uint32_t m0)
{
    (void)wave;
    (void)uop;
    message_word = message;
    message_m0 = m0;
    num_messages++;
}

static void give_attribute(struct sq_wave *wave, const struct sq_uop *uop, unsigned attribute, unsigned channel,
                           uint32_t *p0, uint32_t *p10, uint32_t *p20)
{
    (void)uop;
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        memcpy(&p0[lane], &attributes[attribute][channel][0], 4);
        memcpy(&p10[lane], &attributes[attribute][channel][1], 4);
        memcpy(&p20[lane], &attributes[attribute][channel][2], 4);
    }
}

static const struct sq_hooks hooks = {.export = take_export, .message = take_message, .attribute = give_attribute};

static struct amd_binary compile_program(const char *text, unsigned wave_size, const struct amd_stage_options *stage)
{
    struct amd_binding_layout binding = {.stride_B = 16};
    struct amd_set_layout set = {&binding, 1};
    struct amd_compile_options options = {.gfx = ISA_GFX_10_3,
                                          .wave_size = (uint8_t)wave_size,
                                          .address32_hi = 1,
                                          .sets = &set,
                                          .num_sets = 1,
                                          .stage = stage,
                                          .keep_text = rig.verbose};
    struct ir_shader *shader = parsed(text);
    struct amd_binary binary;
    char error[256];
    if (!amd_compile(shader, &options, &binary, error))
        fail_msg("%s in:\n%s", error, text);
    if (rig.verbose)
        printf("%s%s", binary.ir_text, binary.disassembly);
    ir_shader_destroy(shader);
    return binary;
}

static uint64_t load_code(const struct amd_binary *binary)
{
    uint64_t va;
    memcpy(shader_rig_alloc(&rig, binary->size_B + 256, &va), binary->words, binary->size_B);
    return va;
}

static struct amd_binary *first_part; /* what is started instead of the shader */
static uint64_t other_va;             /* where the part that is started goes on */

/* One wave, which `begin` has filled. */
static void run_program(const struct amd_binary *binary,
                        void (*begin)(struct sq_wave *, const struct amd_shader_config *, void *), void *data)
{
    uint64_t code_va = load_code(first_part ? first_part : binary);
    unsigned vgprs = MAX2(binary->config.num_vgprs, first_part ? first_part->config.num_vgprs : 0);
    _Atomic bool killed = false;
    struct sq_launch launch = {.program_va = code_va,
                               .lanes = binary->config.wave_size,
                               .vgpr_count = (uint32_t)align_u64(MAX2(vgprs, 16u), 8),
                               .mode = binary->config.rsrc1 >> 12 & 0xff,
                               .lds_size_B = binary->config.lds_size_B,
                               .memory = &rig.space,
                               .killed = &killed,
                               .hooks = &hooks};
    struct sq_code *code = amd_sq_code_create(&rig.space);
    struct sq_workgroup *group = amd_sq_workgroup_create(0);
    struct sq_fault fault = {0};
    assert_true(code && group && amd_sq_workgroup_begin(group, &launch, code, 1));
    num_records = num_messages = 0;
    begin(group->waves[0], &binary->config, data);
    enum sq_turn turn;
    do
        turn = amd_sq_workgroup_run(group, &fault);
    while (turn == SQ_TURN_GIVE_UP);
    if (turn == SQ_TURN_FAULT)
        fail_msg("fault at byte 0x%llx: %s", (unsigned long long)(fault.pc - code_va), fault.why ? fault.why : "");
    amd_sq_workgroup_destroy(group);
    amd_sq_code_destroy(code);
}

static const struct export_record *exported(unsigned target)
{
    for (unsigned i = 0; i < num_records; i++) {
        if (records[i].exp.target == target)
            return &records[i];
    }
    fail_msg("nothing was exported to target %u", target);
    return NULL;
}

static float as_float(uint32_t word)
{
    float value;
    memcpy(&value, &word, 4);
    return value;
}

/* ---- vertex ---- */

/* The attribute is the second of an array: its location is one more than the input's. */
#define ATTRIBUTE 3
static const char vertex_text[] = "shader vertex\n"
                                  "b0:\n"
                                  "    %0:32 = const 0x0\n"
                                  "    %10:32 = const 0x1\n"
                                  "    %1:32x3 = load_input %10 {location var2}\n"
                                  "    %2:32 = extract %1\n"
                                  "    %3:32 = extract %1 {comp 1}\n"
                                  "    %4:32 = extract %1 {comp 2}\n"
                                  "    %5:32 = const 0x3f800000\n"
                                  "    %6:32x4 = vec %2, %3, %4, %5\n"
                                  "    %7:32 = load_sysval {sysval vertex_index}\n"
                                  "    %8:32 = load_sysval {sysval instance_index}\n"
                                  "    store_output %6, %0 {location position}\n"
                                  "    %9:32x2 = vec %7, %8\n"
                                  "    store_output %9, %0 {location var3}\n";

#define VERTICES 5
#define PRIMS 3
static uint64_t vertex_table_va;

static void begin_vertex(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    bool legacy = *(bool *)data;
    bool prolog = config->user[AMD_USER_prolog_inputs].count;
    wave->sgpr[config->user[prolog ? AMD_USER_prolog_inputs : AMD_USER_vertex_buffers].first] =
        (uint32_t)vertex_table_va;
    if (prolog) {
        wave->sgpr[config->user[AMD_USER_main_pc].first] = (uint32_t)other_va;
        wave->sgpr[config->user[AMD_USER_main_pc].first + 1] = (uint32_t)(other_va >> 32);
    }
    wave->sgpr[config->user[AMD_USER_base_vertex].first] = 100;
    wave->sgpr[config->user[AMD_USER_base_instance].first] = 1000;
    for (unsigned lane = 0; lane < VERTICES; lane++) {
        wave->vgpr[(legacy ? 0 : 5) * wave->lanes + lane] = lane;
        wave->vgpr[(legacy ? 3 : 8) * wave->lanes + lane] = 7 + lane;
    }
    if (legacy) {
        sq_write_mask(wave, &wave->sgpr[SQ_EXEC], bits_mask(VERTICES));
        sq_exec_changed(wave);
        return;
    }
    wave->sgpr[2] = VERTICES << 12 | PRIMS << 22;
    wave->sgpr[3] = VERTICES | PRIMS << 8 | 1u << 28;
    for (unsigned lane = 0; lane < PRIMS; lane++)
        wave->vgpr[lane] = lane | (lane + 1) << 10 | (lane + 2) << 20;
}

static void make_vertices(void)
{
    uint64_t data_va;
    float(*positions)[3] = shader_rig_alloc(&rig, 4096, &data_va);
    uint32_t *table = shader_rig_alloc(&rig, 4096, &vertex_table_va);
    for (unsigned i = 0; i < 200; i++)
        positions[i][0] = (float)i, positions[i][1] = (float)i * 2, positions[i][2] = -(float)i;
    table[0] = (uint32_t)data_va;
    table[1] = (uint32_t)(data_va >> 32) | 12u << 16; /* stride */
    table[2] = 200;
    table[3] = 4u | 5u << 3 | 6u << 6 | 7u << 9 | 74u << 12 | 1u << 24;
}

static void vertices_are_loaded_and_exported(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < 8; shape++) {
        bool legacy = shape & 1, with_prolog = shape & 4;
        struct amd_stage_options stage = {.vs = {.legacy = legacy, .prolog = with_prolog}};
        stage.vs.attributes[ATTRIBUTE] =
            (struct amd_vertex_attribute){.present = true, .format = 74, .channels = 3}; /* 32_32_32_FLOAT */
        shader_rig_reset(&rig);
        make_vertices();
        struct amd_binary binary = compile_program(vertex_text, shape & 2 ? 64 : 32, &stage);
        struct amd_binary prolog;
        if (with_prolog) {
            struct amd_prolog_key key = {.main = &binary.config};
            struct amd_compile_options options = {
                .gfx = ISA_GFX_10_3, .wave_size = binary.config.wave_size, .address32_hi = 1, .keep_text = rig.verbose};
            char error[256];
            key.attributes[ATTRIBUTE] = stage.vs.attributes[ATTRIBUTE];
            if (!amd_compile_prolog(&key, &options, &prolog, error))
                fail_msg("the prolog: %s", error);
            if (rig.verbose)
                printf("%s%s", prolog.ir_text, prolog.disassembly);
            first_part = &prolog;
            other_va = load_code(&binary);
        }
        run_program(&binary, begin_vertex, &legacy);
        if (with_prolog)
            amd_binary_finish(&prolog);
        first_part = NULL;
        assert_int_equal(binary.config.num_params, 1);
        assert_int_equal(binary.config.param_of[IR_LOCATION_VAR0 + 3], 0);
        if (!legacy) {
            assert_int_equal(num_messages, 1);
            assert_int_equal(message_word, 9);
            assert_int_equal(message_m0, VERTICES | PRIMS << 12);
            const struct export_record *prim = exported(20);
            assert_int_equal(prim->exec, bits_mask(PRIMS));
            assert_true(prim->exp.done);
            assert_int_equal(prim->rows[0][2], 2 | 3 << 10 | 4 << 20);
        }
        const struct export_record *position = exported(12), *param = exported(32);
        assert_int_equal(position->exec, bits_mask(VERTICES));
        assert_true(position->exp.done);
        for (unsigned lane = 0; lane < VERTICES; lane++) {
            assert_true(as_float(position->rows[0][lane]) == 100.0f + (float)lane);
            assert_true(as_float(position->rows[1][lane]) == 2 * (100.0f + (float)lane));
            assert_true(as_float(position->rows[3][lane]) == 1.0f);
            assert_int_equal(param->rows[0][lane], 100 + lane);
            assert_int_equal(param->rows[1][lane], 1007 + lane);
        }
        amd_binary_finish(&binary);
    }
}

/* Without passthrough the hardware hands in the vertices' numbers, 16 bits each. */
static void begin_numbered(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    begin_vertex(wave, config, data);
    for (unsigned lane = 0; lane < PRIMS; lane++) {
        wave->vgpr[lane] = lane | (lane + 1) << 16;
        wave->vgpr[wave->lanes + lane] = lane + 2;
        wave->vgpr[2 * wave->lanes + lane] = 70 + lane;
    }
}

static void primitive_numbers_go_to_provoking_vertices(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < 4; shape++) {
        bool legacy = false;
        unsigned vertices = shape & 2 ? 2 : 3;
        struct amd_stage_options stage = {.vs = {.next_reads_primitive_id = true, .prim_vertices = (uint8_t)vertices}};
        stage.vs.attributes[ATTRIBUTE] = (struct amd_vertex_attribute){.present = true, .format = 74, .channels = 3};
        shader_rig_reset(&rig);
        make_vertices();
        struct amd_binary binary = compile_program(vertex_text, shape & 1 ? 64 : 32, &stage);
        assert_false(binary.config.passthrough);
        assert_true(binary.config.reads_primitive_id);
        run_program(&binary, begin_numbered, &legacy);
        const struct export_record *prim = exported(20),
                                   *number = exported(32u + binary.config.param_of[IR_LOCATION_primitive_id]);
        for (unsigned i = 0; i < PRIMS; i++) {
            assert_int_equal(prim->rows[0][i], i | (i + 1) << 10 | (vertices > 2 ? (i + 2) << 20 : 0));
        }
        for (unsigned i = 0; i < VERTICES; i++)
            assert_int_equal(number->rows[0][i], i < PRIMS ? 70 + i : 0);
        amd_binary_finish(&binary);
    }
}

static const char layered_text[] = "shader vertex\n"
                                   "b0:\n"
                                   "    %0:32 = const 0x0\n"
                                   "    %1:32x4 = undef\n"
                                   "    %2:32 = load_sysval {sysval view_index}\n"
                                   "    %3:32 = load_sysval {sysval vertex_index}\n"
                                   "    store_output %1, %0 {location position}\n"
                                   "    store_output %3, %0 {location viewport}\n"
                                   "    store_output %3, %0 {location shading_rate}\n"
                                   "    store_output %2, %0 {location var0}\n";

static void begin_view(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    begin_vertex(wave, config, data);
    assert_int_equal(config->user[AMD_USER_view_index].count, 1);
    wave->sgpr[config->user[AMD_USER_view_index].first] = 3;
}

static void views_are_layers(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < 4; shape++) {
        bool legacy = shape & 1;
        struct amd_stage_options stage = {
            .vs = {.legacy = legacy, .layer_from_view = true, .next_reads_viewport = true, .points = true}};
        shader_rig_reset(&rig);
        struct amd_binary binary = compile_program(layered_text, shape & 2 ? 64 : 32, &stage);
        run_program(&binary, begin_view, &legacy);
        assert_true(binary.config.writes_layer && binary.config.writes_viewport && binary.config.writes_point_size);
        assert_int_equal(binary.config.num_positions, 2);
        const struct export_record *misc = exported(13),
                                   *view = exported(32u + binary.config.param_of[IR_LOCATION_VAR0]),
                                   *viewport = exported(32u + binary.config.param_of[IR_LOCATION_viewport]);
        assert_true(binary.config.writes_rate);
        assert_int_equal(misc->exp.en, 7);
        for (unsigned lane = 0; lane < VERTICES; lane++) {
            assert_true(as_float(misc->rows[0][lane]) == 1.0f);
            /* Two pixels are the most, in each direction. */
            assert_int_equal(misc->rows[1][lane],
                             ((100 + lane) >> 2 & 3 ? 1 << 2 : 0) | ((100 + lane) & 3 ? 1 << 4 : 0));
            assert_int_equal(misc->rows[2][lane], 3 | (100 + lane) << 16);
            assert_int_equal(view->rows[0][lane], 3);
            assert_int_equal(viewport->rows[0][lane], 100 + lane);
        }
        amd_binary_finish(&binary);
    }
}

/* ---- fragment ---- */

static const char fragment_text[] = "shader fragment\n"
                                    "uses_derivatives\n"
                                    "b0:\n"
                                    "    %0:32 = const 0x0\n"
                                    "    %1:32x2 = load_bary {bary pixel, interp smooth}\n"
                                    "    %2:32x2 = load_interp %1, %0 {location var0}\n"
                                    "    %3:32 = extract %2\n"
                                    "    %4:32 = extract %2 {comp 1}\n"
                                    "    %5:32 = load_input %0 {location var1}\n"
                                    "    %6:32 = fddx %3 {derivative any}\n"
                                    "    %7:32 = const 0x41200000\n"
                                    "    %8:1 = flt %7, %4\n"
                                    "    demote %8\n"
                                    "    %9:32x4 = vec %3, %4, %5, %6\n"
                                    "    store_output %9, %0 {location var0}\n";

#define COVERED 0xffffffef77f3ull /* some quads are not whole */

static void begin_fragment(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    (void)data;
    wave->sgpr[config->num_user_sgprs] = 0;
    if (config->user[AMD_USER_epilog_pc].count) {
        wave->sgpr[config->user[AMD_USER_epilog_pc].first] = (uint32_t)other_va;
        wave->sgpr[config->user[AMD_USER_epilog_pc].first + 1] = (uint32_t)(other_va >> 32);
    }
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        float i = (float)(lane & 1) + (float)(lane / 4), j = (float)(lane >> 1 & 1);
        memcpy(&wave->vgpr[lane], &i, 4);
        memcpy(&wave->vgpr[wave->lanes + lane], &j, 4);
    }
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], COVERED & bits_mask(wave->lanes));
    sq_exec_changed(wave);
}

static void fragments_interpolate_and_are_demoted(void **state)
{
    (void)state;
    attributes[0][0][0] = 3, attributes[0][0][1] = 2, attributes[0][0][2] = 0.5f; /* x = 3 + 2 i + j / 2 */
    attributes[0][1][0] = 0, attributes[0][1][1] = 1, attributes[0][1][2] = 0;    /* y = i */
    attributes[1][0][0] = 42;
    for (unsigned shape = 0; shape < 8; shape++) {
        unsigned wave = shape & 1 ? 64 : 32, format = shape & 2 ? AMD_EXPORT_FP16_ABGR : AMD_EXPORT_32_ABGR;
        bool with_epilog = shape & 4;
        struct amd_stage_options stage = {.fs = {.color_formats = with_epilog ? 0 : format, .epilog = with_epilog}};
        shader_rig_reset(&rig);
        struct amd_binary binary = compile_program(fragment_text, wave, &stage);
        assert_int_equal(binary.config.spi_ps_input_ena, 1 << AMD_PS_PERSP_CENTER);
        assert_int_equal(binary.config.num_attributes, 2);
        assert_true(binary.config.attributes[1].flat && !binary.config.attributes[0].flat);
        assert_true(binary.config.can_discard);
        if (with_epilog) {
            struct amd_epilog_key key = {.targets = binary.config.epilog_targets, .fs = {.color_formats = format}};
            struct amd_compile_options options = {.gfx = ISA_GFX_10_3, .wave_size = (uint8_t)wave, .address32_hi = 1};
            struct amd_binary epilog;
            char error[256];
            assert_int_equal(key.targets, 1);
            if (!amd_compile_epilog(&key, &options, &epilog, error))
                fail_msg("the epilog: %s", error);
            assert_int_equal(epilog.config.color_formats, format);
            other_va = load_code(&epilog);
            amd_binary_finish(&epilog);
        }
        run_program(&binary, begin_fragment, NULL);
        const struct export_record *color = exported(0);
        assert_true(color->exp.done && color->exp.vm);
        for (unsigned lane = 0; lane < wave; lane++) {
            float i = (float)(lane & 1) + (float)(lane / 4), j = (float)(lane >> 1 & 1), x = 3 + 2 * i + j / 2;
            bool counts = (COVERED >> lane & 1) && !(i > 10);
            assert_int_equal(color->exec >> lane & 1, counts);
            if (!counts)
                continue;
            if (format == AMD_EXPORT_32_ABGR) {
                assert_true(as_float(color->rows[0][lane]) == x && as_float(color->rows[1][lane]) == i);
                assert_true(as_float(color->rows[2][lane]) == 42 && as_float(color->rows[3][lane]) == 2);
            } else {
                assert_true(half_to_float((uint16_t)color->rows[0][lane]) == x);
                assert_true(half_to_float((uint16_t)(color->rows[1][lane] >> 16)) == 2);
            }
        }
        amd_binary_finish(&binary);
    }
}

static const char depth_text[] = "shader fragment\n"
                                 "b0:\n"
                                 "    %0:32 = const 0x0\n"
                                 "    %1:32x4 = load_sysval {sysval frag_coord}\n"
                                 "    %2:32 = extract %1 {comp 2}\n"
                                 "    %3:32 = const 0x5\n"
                                 "    store_output %2, %0 {location frag_depth}\n"
                                 "    store_output %3, %0 {location sample_mask}\n";

static void begin_depth(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    (void)data;
    (void)config;
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        float z = (float)lane / 64;
        memcpy(&wave->vgpr[4 * wave->lanes + lane], &z, 4); /* after a barycentric pair, x and y */
    }
}

static void depth_and_mask_go_to_mrtz(void **state)
{
    (void)state;
    struct amd_stage_options stage = {.fs = {.color_formats = AMD_EXPORT_32_ABGR}};
    shader_rig_reset(&rig);
    struct amd_binary binary = compile_program(depth_text, 64, &stage);
    run_program(&binary, begin_depth, NULL);
    assert_int_equal(binary.config.z_format, AMD_EXPORT_32_ABGR);
    assert_int_equal(binary.config.color_formats, 0);
    assert_int_equal(num_records, 1);
    const struct export_record *z = exported(8);
    assert_true(z->exp.done && z->exp.en == 5);
    assert_true(as_float(z->rows[0][17]) == 17.0f / 64);
    assert_int_equal(z->rows[2][3], 5);
    amd_binary_finish(&binary);
}

/* ---- shading rates ---- */

static const char rate_text[] = "shader fragment\n"
                                "b0:\n"
                                "    %0:32 = const 0x0\n"
                                "    %1:32 = load_sysval {sysval shading_rate_in}\n"
                                "    %2:32x4 = load_sysval {sysval frag_coord}\n"
                                "    %3:32 = extract %2 {comp 2}\n"
                                "    %4:32x2 = vec %1, %3\n"
                                "    store_output %4, %0 {location var0}\n";

/* After a barycentric pair, x and y: depth, w, and the ancillary word. */
static void begin_rates(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    (void)data;
    (void)config;
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        float z = (float)(lane & 1) * 0.5f, w = 1;
        memcpy(&wave->vgpr[4 * wave->lanes + lane], &z, 4);
        memcpy(&wave->vgpr[5 * wave->lanes + lane], &w, 4);
        wave->vgpr[6 * wave->lanes + lane] = 0x00050003u | (lane >> 2 & 1) << 2 | (lane >> 3 & 1) << 4;
    }
}

/* In fragments that are two pixels wide depth is mended by a sixteenth of its step. */
static void fragments_know_their_rate_and_depth(void **state)
{
    (void)state;
    for (unsigned coarse = 0; coarse < 2; coarse++) {
        struct amd_stage_options stage = {.fs = {.color_formats = AMD_EXPORT_32_ABGR, .may_be_coarse = coarse}};
        shader_rig_reset(&rig);
        struct amd_binary binary = compile_program(rate_text, 64, &stage);
        run_program(&binary, begin_rates, NULL);
        const struct export_record *color = exported(0);
        for (unsigned lane = 0; lane < 64; lane++) {
            const bool is_wide = lane >> 2 & 1, is_high = lane >> 3 & 1;
            const float z = (float)(lane & 1) * 0.5f + (coarse && is_wide ? 0.5f / 16 : 0);
            assert_int_equal(color->rows[0][lane], (is_wide ? 4 : 0) | (is_high ? 1 : 0));
            assert_true(as_float(color->rows[1][lane]) == z);
        }
        amd_binary_finish(&binary);
    }
}

/* ---- where inputs are taken ---- */

#define PLACES_TEXT                                                                                                    \
    "shader fragment\nb0:\n    %0:32 = const 0x0\n    %1:32x2 = load_bary {bary pixel, interp smooth}\n"               \
    "    %2:32x2 = load_bary {bary centroid, interp smooth}\n    %3:32x2 = load_bary {bary sample, interp "            \
    "noperspective}\n    %4:32 = load_sysval {sysval sample_id}\n"                                                     \
    "    %5:32x2 = load_bary_at %4 {bary at_sample, interp smooth}\n    %6:32 = const 0x3e800000\n"                    \
    "    %7:32 = const 0xbf000000\n    %8:32x2 = vec %6, %7\n"                                                         \
    "    %9:32x2 = load_bary_at %8 {bary at_offset, interp noperspective}\n"                                           \
    "    %10:32 = load_interp %1, %0 {location var0}\n    %11:32 = load_interp %2, %0 {location var0}\n"               \
    "    %12:32 = load_interp %3, %0 {location var0}\n    %13:32 = load_interp %5, %0 {location var0}\n"               \
    "    %14:32 = load_interp %9, %0 {location var0}\n    %15:32x4 = vec %10, %11, %12, %13\n"                         \
    "    store_output %15, %0 {location var0}\n    store_output %14, %0 {location var1}\n"

static const float sample_places[4][2] = {{0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};
static uint64_t rings_va;

/* The pair of input n is that of the pixel's centre, moved by n hundred to the right; where it is divided by w, that is
 * a half. */
static void begin_places(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    (void)data;
    unsigned vgpr = 0;
    wave->sgpr[config->user[AMD_USER_rings].first] = (uint32_t)rings_va;
    if (config->user[AMD_USER_sample_state].count)
        wave->sgpr[config->user[AMD_USER_sample_state].first] = 2; /* four samples */
    wave->sgpr[config->num_user_sgprs] = 0;
    for (unsigned input = 0; input < AMD_PS_INPUT_COUNT; input++) {
        if (!(config->spi_ps_input_ena >> input & 1))
            continue;
        for (unsigned lane = 0; lane < wave->lanes; lane++) {
            float i = (float)(lane & 1) + (float)(lane / 4 * 2) + 100 * (float)input, j = (float)(lane >> 1 & 1);
            uint32_t ancillary = lane % 4 << 8 | lane << 16;
            const float inverse_w = 2;
            if (input == AMD_PS_PERSP_PULL) {
                i *= inverse_w, j *= inverse_w;
                memcpy(&wave->vgpr[(vgpr + 2) * wave->lanes + lane], &inverse_w, 4);
            }
            if (input <= AMD_PS_LINEAR_CENTROID) {
                memcpy(&wave->vgpr[vgpr * wave->lanes + lane], &i, 4);
                memcpy(&wave->vgpr[(vgpr + 1) * wave->lanes + lane], &j, 4);
            } else {
                memcpy(&wave->vgpr[vgpr * wave->lanes + lane], &ancillary, 4);
            }
        }
        vgpr += input == AMD_PS_PERSP_PULL ? 3 : input <= AMD_PS_LINEAR_CENTROID ? 2 : 1;
    }
}

static void inputs_are_taken_where_they_should_be(void **state)
{
    (void)state;
    attributes[0][0][0] = 0, attributes[0][0][1] = 1, attributes[0][0][2] = 1000; /* i + 1000 j */
    for (unsigned shape = 0; shape < 8; shape++) {
        unsigned wave = shape & 1 ? 64 : 32;
        bool per_sample = shape & 2;
        struct amd_stage_options stage = {.fs = {.color_formats = AMD_EXPORT_32_ABGR | AMD_EXPORT_32_R << 4,
                                                 .samples = shape & 4 ? 4 : 0,
                                                 .sample_shading = per_sample}};
        shader_rig_reset(&rig);
        float(*positions)[2] =
            (void *)((char *)shader_rig_alloc(&rig, 4096, &rings_va) + AMD_RING_SAMPLE_POS_1X * 16 + 3 * 8);
        memcpy(positions, sample_places, sizeof(sample_places));
        struct amd_binary binary = compile_program(PLACES_TEXT, wave, &stage);
        run_program(&binary, begin_places, NULL);
        assert_int_equal(binary.config.sample_shading, per_sample);
        const struct export_record *color = exported(0), *other = exported(1);
        for (unsigned lane = 0; lane < wave; lane++) {
            float i = (float)(lane & 1) + (float)(lane / 4 * 2), j = (float)(lane >> 1 & 1);
            const float *at = sample_places[lane % 4];
            float expected[5] = {i + 100 * (per_sample ? AMD_PS_PERSP_SAMPLE : AMD_PS_PERSP_CENTER) + 1000 * j,
                                 i + 100 * AMD_PS_PERSP_CENTROID + 1000 * j, i + 100 * AMD_PS_LINEAR_SAMPLE + 1000 * j,
                                 i + at[0] - 0.5f + 100 * AMD_PS_PERSP_PULL + 1000 * (j + at[1] - 0.5f),
                                 i + 0.25f + 100 * AMD_PS_LINEAR_CENTER + 1000 * (j - 0.5f)};
            for (unsigned n = 0; n < 5; n++) {
                float found = as_float(n < 4 ? color->rows[n][lane] : other->rows[0][lane]);
                if (found != expected[n])
                    fail_msg("shape %u, lane %u, input %u: %g instead of %g", shape, lane, n, found, expected[n]);
            }
        }
        amd_binary_finish(&binary);
    }
}

/* The rasteriser's word on each quad's triangle, unless lines or points are drawn. */
static void begin_turns(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    wave->sgpr[config->user[AMD_USER_sample_state].first] = *(const uint32_t *)data << 8 | 2;
    wave->sgpr[config->num_user_sgprs] = 0;
    wave->sgpr[config->num_user_sgprs + 1] = 0x49249249; /* 1, 2, 0, and so on */
}

static void corners_have_an_order(void **state)
{
    (void)state;
    static const uint8_t turns[3] = {1, 2, 0};
    for (uint32_t shape = 0; shape < 6; shape++) {
        const uint32_t wave = shape & 1 ? 64 : 32, drawn = shape < 2 ? 0 : shape < 4 ? 3 : 4;
        struct amd_stage_options stage = {.fs = {.color_formats = AMD_EXPORT_32_R}};
        shader_rig_reset(&rig);
        struct amd_binary binary = compile_program("shader fragment\nb0:\n    %0:32 = const 0x0\n"
                                                   "    %1:32 = load_sysval {sysval corner_order}\n"
                                                   "    store_output %1, %0 {location var0}\n",
                                                   wave, &stage);
        assert_true(binary.config.rsrc1 >> 27 & 1); /* LOAD_PROVOKING_VTX */
        run_program(&binary, begin_turns, (void *)&drawn);
        for (unsigned lane = 0; lane < wave; lane++)
            assert_int_equal(exported(0)->rows[0][lane], drawn ? drawn : turns[lane / 4 % 3]);
        amd_binary_finish(&binary);
    }
}

/* One lane of each quad interpolates at a place of its own: its neighbours are switched off. */
static const char alone_text[] = "shader fragment\n"
                                 "b0:\n"
                                 "    %0:32 = const 0x0\n"
                                 "    %1:32 = load_sysval {sysval sample_id}\n"
                                 "    %2:32 = const 0x2\n"
                                 "    %3:1 = ieq %1, %2\n"
                                 "    %4:32 = const 0x3e800000\n"
                                 "    %5:32 = const 0xbf000000\n"
                                 "    %6:32x2 = vec %4, %5\n"
                                 "if %3 {\n"
                                 "  b1:\n"
                                 "    %7:32x2 = load_bary_at %6 {bary at_offset, interp smooth}\n"
                                 "    %8:32 = load_interp %7, %0 {location var0}\n"
                                 "} else {\n"
                                 "  b2:\n"
                                 "}\n"
                                 "b3:\n"
                                 "    %9:32 = phi b1 %8, b2 %0\n"
                                 "    store_output %9, %0 {location var0}\n";

static void a_lane_can_interpolate_alone(void **state)
{
    (void)state;
    attributes[0][0][0] = 0, attributes[0][0][1] = 1, attributes[0][0][2] = 1000;
    for (unsigned wave = 32; wave <= 64; wave += 32) {
        struct amd_stage_options stage = {.fs = {.color_formats = AMD_EXPORT_32_R}};
        shader_rig_reset(&rig);
        shader_rig_alloc(&rig, 4096, &rings_va);
        struct amd_binary binary = compile_program(alone_text, wave, &stage);
        run_program(&binary, begin_places, NULL);
        const struct export_record *color = exported(0);
        for (unsigned lane = 0; lane < wave; lane++) {
            float i = (float)(lane & 1) + (float)(lane / 4 * 2), j = (float)(lane >> 1 & 1);
            float expected = lane % 4 == 2 ? i + 0.25f + 100 * AMD_PS_PERSP_PULL + 1000 * (j - 0.5f) : 0;
            assert_true(as_float(color->rows[0][lane]) == expected);
        }
        amd_binary_finish(&binary);
    }
}

static const char built_in_text[] = "shader fragment\n"
                                    "b0:\n"
                                    "    %0:32 = const 0x0\n"
                                    "    %1:32 = load_sysval {sysval layer_in}\n"
                                    "    %2:32 = load_sysval {sysval viewport_in}\n"
                                    "    %3:32 = load_sysval {sysval primitive_id}\n"
                                    "    %4:32 = load_sysval {sysval view_index}\n"
                                    "    %5:32x4 = vec %1, %2, %3, %4\n"
                                    "    store_output %5, %0 {location var0}\n";

static void begin_built_in(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    begin_places(wave, config, data);
    wave->sgpr[config->user[AMD_USER_view_index].first] = 5;
}

static void fragments_know_layer_viewport_and_primitive(void **state)
{
    (void)state;
    for (unsigned wave = 32; wave <= 64; wave += 32) {
        struct amd_stage_options stage = {.fs = {.color_formats = AMD_EXPORT_32_ABGR}};
        shader_rig_reset(&rig);
        shader_rig_alloc(&rig, 4096, &rings_va);
        struct amd_binary binary = compile_program(built_in_text, wave, &stage);
        assert_int_equal(binary.config.num_attributes, 2);
        for (unsigned i = 0; i < 2; i++) {
            bool viewport = binary.config.attributes[i].location == IR_LOCATION_viewport;
            assert_true(binary.config.attributes[i].flat);
            assert_true(viewport || binary.config.attributes[i].location == IR_LOCATION_primitive_id);
            memcpy(&attributes[i][0][0], viewport ? &(uint32_t){7} : &(uint32_t){1234}, 4);
        }
        run_program(&binary, begin_built_in, NULL);
        const struct export_record *color = exported(0);
        for (unsigned lane = 0; lane < wave; lane++) {
            assert_int_equal(color->rows[0][lane], lane);
            assert_int_equal(color->rows[1][lane], 7);
            assert_int_equal(color->rows[2][lane], 1234);
            assert_int_equal(color->rows[3][lane], 5);
        }
        amd_binary_finish(&binary);
    }
}

/* Bits above a number of 16 bits in its register do not count: the layer in both halves, cut to 16 bits. */
static const char narrow_text[] = "shader fragment\n"
                                  "output { location 32 num_comps 1 bits 16 num_locations 1 base uint }\n"
                                  "b0:\n"
                                  "    %0:32 = const 0x0\n"
                                  "    %1:32 = load_sysval {sysval layer_in}\n"
                                  "    %2:32 = const 0x10001\n"
                                  "    %3:32 = imul %1, %2\n"
                                  "    %4:16 = u2u %3\n"
                                  "    store_output %4, %0 {location var0}\n";

static void narrow_integers_are_exported(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < 4; shape++) {
        bool int8 = shape & 2; /* then they are clamped before they are cut */
        struct amd_stage_options stage = {.fs = {.color_formats = AMD_EXPORT_UINT16_ABGR, .color_is_int8 = int8}};
        shader_rig_reset(&rig);
        shader_rig_alloc(&rig, 4096, &rings_va);
        struct amd_binary binary = compile_program(narrow_text, shape & 1 ? 64 : 32, &stage);
        run_program(&binary, begin_places, NULL);
        const struct export_record *color = exported(0);
        for (unsigned lane = 0; lane < binary.config.wave_size; lane++)
            assert_int_equal(color->rows[0][lane] & 0xffff, lane);
        amd_binary_finish(&binary);
    }
}

/* ---- atomics among helper lanes ---- */

static const char counting_text[] = "shader fragment\n"
                                    "uses_derivatives\n"
                                    "b0:\n"
                                    "    %0:32 = const 0x0\n"
                                    "    %1:32 = resource %0 {resource storage_buffer}\n"
                                    "    %2:32 = const 0x3f800000\n"
                                    "    %3:32 = atomic_ssbo %1, %0, %2 {atomic fadd}\n"
                                    "    %4:32 = fddx %3 {derivative any}\n"
                                    "    %5:32x2 = vec %3, %4\n"
                                    "    store_output %5, %0 {location var0}\n";

static uint64_t set_va;

static void begin_counting(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    begin_fragment(wave, config, data);
    wave->sgpr[config->sets[0].first] = (uint32_t)set_va;
}

static void helper_lanes_stay_out_of_loops_of_exchange(void **state)
{
    (void)state;
    for (unsigned wave = 32; wave <= 64; wave += 32) {
        struct amd_stage_options stage = {.fs = {.color_formats = AMD_EXPORT_32_ABGR}};
        uint64_t data_va, covered = COVERED & bits_mask(wave);
        shader_rig_reset(&rig);
        uint32_t *set = shader_rig_alloc(&rig, 4096, &set_va);
        float *sum = shader_rig_alloc(&rig, 4096, &data_va);
        *sum = 10;
        memcpy(set, (uint32_t[]){(uint32_t)data_va, (uint32_t)(data_va >> 32), 64, 0x31016fac}, 16);
        struct amd_binary binary = compile_program(counting_text, wave, &stage);
        run_program(&binary, begin_counting, NULL);
        assert_true(*sum == 10 + (float)__builtin_popcountll(covered));
        const struct export_record *color = exported(0);
        uint64_t seen = 0;
        bits_foreach (covered, lane) {
            unsigned before = (unsigned)as_float(color->rows[0][lane]) - 10;
            assert_false(seen >> before & 1); /* every lane found another number */
            seen |= 1ull << before;
        }
        amd_binary_finish(&binary);
    }
}

/* ---- geometry ---- */

static const char point_text[] = "shader vertex\n"
                                 "b0:\n"
                                 "    %0:32 = const 0x0\n"
                                 "    %1:32 = load_sysval {sysval vertex_index}\n"
                                 "    %2:32 = const 0x64\n"
                                 "    %3:32 = iadd %1, %2\n"
                                 "    store_output %3, %0 {location var5}\n";

/* A strip of four vertices for each point, of three for primitive 1. */
static const char strip_text[] = "shader geometry\n"
                                 "gs.vertices_in 1\n"
                                 "gs.vertices_out 4\n"
                                 "gs.invocations 1\n"
                                 "gs.input points\n"
                                 "gs.output triangle_strip\n"
                                 "b0:\n"
                                 "    %0:32 = const 0x0\n"
                                 "    %1:32 = load_per_vertex %0, %0 {location var5}\n"
                                 "    %2:32 = load_sysval {sysval primitive_id}\n"
                                 "    %3:32x2 = vec %1, %2\n"
                                 "    store_output %3, %0 {location var1, comp 1}\n"
                                 "    emit_vertex\n"
                                 "    store_output %3, %0 {location var1, comp 1}\n"
                                 "    emit_vertex\n"
                                 "    store_output %3, %0 {location var1, comp 1}\n"
                                 "    emit_vertex\n"
                                 "    %4:32 = const 0x1\n"
                                 "    %5:1 = ine %2, %4\n"
                                 "if %5 {\n"
                                 "    b1:\n"
                                 "        store_output %3, %0 {location var1, comp 1}\n"
                                 "        emit_vertex\n"
                                 "} else {\n"
                                 "    b2:\n"
                                 "}\n"
                                 "b3:\n";

#define POINTS 3

/* A subgroup of one wave, of three points. */
static void begin_points(struct sq_wave *wave, const struct amd_shader_config *config, void *data)
{
    (void)data;
    wave->sgpr[config->user[AMD_USER_base_vertex].first] = 10;
    wave->sgpr[config->user[AMD_USER_base_instance].first] = 0;
    wave->sgpr[config->user[AMD_USER_counters].first] = 0;
    wave->sgpr[2] = POINTS * 4 << 12 | POINTS * 4 << 22;
    wave->sgpr[3] = POINTS | POINTS << 8 | 1u << 28;
    for (unsigned lane = 0; lane < POINTS; lane++) {
        wave->vgpr[lane] = (POINTS - 1 - lane) * config->geometry.input_dw; /* the last vertex first */
        wave->vgpr[2 * wave->lanes + lane] = lane;
        wave->vgpr[5 * wave->lanes + lane] = lane;
    }
}

static struct amd_binary compile_pair(const char *vertex_text, const char *geometry_text, unsigned wave_size, bool last)
{
    struct amd_stage_options stage = {.gs = {.provoking_last = last}};
    struct amd_compile_options options = {.gfx = ISA_GFX_10_3,
                                          .wave_size = (uint8_t)wave_size,
                                          .address32_hi = 1,
                                          .stage = &stage,
                                          .keep_text = rig.verbose};
    struct ir_shader *vertex = parsed(vertex_text), *geometry = parsed(geometry_text);
    struct amd_binary binary;
    char error[256];
    struct ir_shader *both = amd_merge_geometry(vertex, geometry, &options, &stage.gs.layout, NULL, error);
    if (!both || !amd_compile(both, &options, &binary, error))
        fail_msg("%s in:\n%s%s", error, vertex_text, geometry_text);
    if (rig.verbose)
        printf("%s%s", binary.ir_text, binary.disassembly);
    ir_shader_destroy(both);
    ir_shader_destroy(geometry);
    ir_shader_destroy(vertex);
    return binary;
}

static uint32_t triangle(uint32_t a, uint32_t b, uint32_t c)
{
    return a | b << 10 | c << 20;
}

static void emitted_vertices_are_exported_without_gaps(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < 4; shape++) {
        bool last = shape & 2;
        shader_rig_reset(&rig);
        struct amd_binary binary = compile_pair(point_text, strip_text, shape & 1 ? 64 : 32, last);
        run_program(&binary, begin_points, NULL);
        const uint32_t none = 1u << 31;
        const uint32_t prims[12] = {none, none, triangle(0, 1, 2), last ? triangle(2, 1, 3) : triangle(1, 3, 2),
                                    none, none, triangle(4, 5, 6), none,
                                    none, none, triangle(7, 8, 9), last ? triangle(9, 8, 10) : triangle(8, 10, 9)};
        assert_int_equal(num_messages, 1);
        assert_int_equal(message_m0, 11 | 12 << 12);
        const struct export_record *prim = exported(20), *param = exported(32), *position = exported(12);
        assert_int_equal(prim->exec, bits_mask(12));
        for (unsigned lane = 0; lane < 12; lane++)
            assert_int_equal(prim->rows[0][lane], prims[lane]);
        assert_int_equal(position->exec, bits_mask(11));
        assert_int_equal(param->exec, bits_mask(11));
        assert_int_equal(param->exp.en, 6);
        for (unsigned lane = 0; lane < 11; lane++) {
            uint32_t point = lane < 4 ? 0 : lane < 7 ? 1 : 2;
            assert_int_equal(param->rows[1][lane], 110 + POINTS - 1 - point);
            assert_int_equal(param->rows[2][lane], point);
        }
        amd_binary_finish(&binary);
    }
}

/* Vertices, primitives, places: what fits into a subgroup. */
static void subgroups_hold_what_shared_memory_does(void **state)
{
    (void)state;
    static const struct {
        uint32_t vertices_out, invocations;
        uint16_t primitives, places;
        bool is_split;
    } shapes[] = {
        {4, 1, 64, 256, false}, {256, 1, 1, 256, false}, {4, 64, 1, 256, false},
        {4, 65, 1, 4, true},    {1, 1, 128, 128, false},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(shapes); i++) {
        struct ir_shader *vertex = parsed(point_text), *geometry = parsed(strip_text);
        struct amd_compile_options options = {.gfx = ISA_GFX_10_3, .wave_size = 64};
        struct amd_geometry_layout layout;
        char error[256];
        geometry->gs.vertices_out = shapes[i].vertices_out;
        geometry->gs.invocations = shapes[i].invocations;
        struct ir_shader *both = amd_merge_geometry(vertex, geometry, &options, &layout, NULL, error);
        assert_non_null(both);
        assert_true(both->shared_size_B <= 32 * 1024);
        assert_int_equal(layout.max_primitives, shapes[i].primitives);
        assert_int_equal(layout.max_out_vertices, shapes[i].places);
        assert_int_equal(layout.splits_invocations, shapes[i].is_split);
        assert_true(layout.max_vertices >= 29);
        ir_shader_destroy(both);
        geometry->gs.vertices_out = 257;
        assert_null(amd_merge_geometry(vertex, geometry, &options, &layout, NULL, error));
        ir_shader_destroy(geometry);
        ir_shader_destroy(vertex);
    }
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {cmocka_unit_test(vertices_are_loaded_and_exported),
                                       cmocka_unit_test(emitted_vertices_are_exported_without_gaps),
                                       cmocka_unit_test(subgroups_hold_what_shared_memory_does),
                                       cmocka_unit_test(fragments_interpolate_and_are_demoted),
                                       cmocka_unit_test(depth_and_mask_go_to_mrtz),
                                       cmocka_unit_test(fragments_know_their_rate_and_depth),
                                       cmocka_unit_test(primitive_numbers_go_to_provoking_vertices),
                                       cmocka_unit_test(views_are_layers),
                                       cmocka_unit_test(inputs_are_taken_where_they_should_be),
                                       cmocka_unit_test(corners_have_an_order),
                                       cmocka_unit_test(a_lane_can_interpolate_alone),
                                       cmocka_unit_test(fragments_know_layer_viewport_and_primitive),
                                       cmocka_unit_test(narrow_integers_are_exported),
                                       cmocka_unit_test(helper_lanes_stay_out_of_loops_of_exchange)};
    int failed = cmocka_run_group_tests_name("select stages", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
