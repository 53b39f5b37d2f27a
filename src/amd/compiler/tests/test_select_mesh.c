/* Mesh shaders on a workgroup of the model's shader core, with the test in the place of the geometry engine. */
#include "amd/compiler/tests/shader_rig.h"
#include "amd/hw/descriptors.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_workgroup.h"
#include "compiler/ir/tests/ir_test.h"

#define VERTICES 100
#define PRIMITIVES 40
#define GROUP 32
#define WORKGROUP 5 /* of 4 by 3 */

static struct shader_rig rig;
static uint32_t prims[256], places[256], params[2][256], positions[256];
static bool has_prim[256], has_param[2][256], has_position[256];
static uint32_t message_m0, num_messages;
static const uint64_t *counted; /* of queries, by enum amd_count */

static void take_rows(struct sq_wave *wave, const uint32_t *row, uint32_t *to, bool *there)
{
    bits_foreach (sq_exec(wave), lane) {
        const uint32_t at = wave->wave_in_group * wave->lanes + (uint32_t)lane;
        assert_true(at < 256);
        to[at] = row[lane];
        there[at] = true;
    }
}

static void take_export(struct sq_wave *wave, const struct sq_uop *uop, const struct isa_export *exp,
                        const uint32_t *const rows[4])
{
    bool ignored[256];
    (void)uop;
    if (exp->target == 20) {
        take_rows(wave, rows[0], prims, has_prim);
        if (exp->en & 2)
            take_rows(wave, rows[1], places, ignored);
    } else if (exp->target == 12) {
        take_rows(wave, rows[0], positions, has_position);
    } else if (exp->target == 32 || exp->target == 33) {
        take_rows(wave, rows[0], params[exp->target - 32], has_param[exp->target - 32]);
    } else {
        fail_msg("an export to target %u", exp->target);
    }
}

static void take_message(struct sq_wave *wave, const struct sq_uop *uop, uint32_t message, uint32_t m0)
{
    (void)wave;
    (void)uop;
    assert_int_equal(message & 15, 9);
    message_m0 = m0;
    num_messages++;
}

static const struct sq_hooks hooks = {.export = take_export, .message = take_message};

/* Invocation i writes vertices i, i + 32, ... with what invocation 31 - i left in shared memory, and primitives i and i
 * + 32 of three neighbours; primitive 3 is culled, primitive 1 lies in layer 5 of viewport 2. The barriers are two. */
static const char mesh_text[] =
    "shader mesh\n"
    "workgroup_size[0] 8\nworkgroup_size[1] 4\nworkgroup_size[2] 1\nshared_size_B 128\n"
    "gs.vertices_out 100\ngs.primitives_out 40\ngs.output triangles\n"
    "output { location position num_comps 1 bits 32 num_locations 1 }\n"
    "output { location var2 num_comps 1 bits 32 num_locations 1 }\n"
    "output { location var7 num_comps 1 bits 32 num_locations 1 per_primitive }\n"
    "b0:\n"
    "  %0:32 = const 0x0\n  %1:32 = const 0x1\n  %2:32 = const 0x2\n  %3:32 = const 0x3\n  %4:32 = const 0x20\n"
    "  %5:32 = const 0x64\n  %6:32 = const 0x28\n  %7:32 = const 0x1f\n  %8:32 = const 0x5\n"
    "  %10:32 = load_sysval {sysval local_index}\n"
    "  %11:32 = ishl %10, %2\n"
    "  barrier {scope workgroup, memory shared, order acquire+release+execution}\n"
    "  %12:32 = imul %10, %3\n"
    "  store_shared %12, %11 {align 4}\n"
    "  set_mesh_outputs %5, %6\n"
    "  barrier {scope workgroup, memory shared, order acquire+release+execution}\n"
    "  %13:32 = isub %7, %10\n  %14:32 = ishl %13, %2\n"
    "  %15:32 = load_shared %14 {align 4}\n"
    "  %16:32x3 = load_sysval {sysval workgroup_id}\n"
    "  %17:32 = extract %16\n  %18:32 = extract %16 {comp 1}\n  %19:32 = ishl %18, %8\n  %20:32 = ior %17, %19\n"
    "  %21:32x3 = load_sysval {sysval local_id}\n"
    "  %22:32 = extract %21 {comp 1}\n"
    "loop {\n"
    "  b1:\n"
    "    %30:32 = phi b0 %10, b5 %31\n"
    "    %32:1 = uge %30, %5\n"
    "  if %32 {\n    b2:\n      break\n  } else {\n    b3:\n  }\n"
    "  b4:\n"
    "    %33:32 = iadd %30, %20\n"
    "    store_per_vertex %33, %30, %0 {location position}\n"
    "    store_per_vertex %15, %30, %0 {location var2}\n"
    "} continue {\n"
    "  b5:\n"
    "    %31:32 = iadd %30, %4\n"
    "}\n"
    "b6:\n"
    "loop {\n"
    "  b7:\n"
    "    %40:32 = phi b6 %10, b11 %41\n"
    "    %42:1 = uge %40, %6\n"
    "  if %42 {\n    b8:\n      break\n  } else {\n    b9:\n  }\n"
    "  b10:\n"
    "    %43:32 = iadd %40, %1\n    %44:32 = iadd %40, %2\n    %45:32x3 = vec %40, %43, %44\n"
    "    store_per_vertex %45, %40, %0 {location primitive_indices}\n"
    "    %46:1 = ieq %40, %3\n    %47:32 = select %46, %1, %0\n"
    "    store_per_vertex %47, %40, %0 {location cull_primitive}\n"
    "    %48:1 = ieq %40, %1\n    %49:32 = select %48, %8, %0\n    %50:32 = select %48, %2, %0\n"
    "    store_per_vertex %49, %40, %0 {location layer}\n"
    "    store_per_vertex %50, %40, %0 {location viewport}\n"
    "    %51:32 = iadd %40, %22\n"
    "    store_per_vertex %51, %40, %0 {location var7}\n"
    "} continue {\n"
    "  b11:\n"
    "    %41:32 = iadd %40, %4\n"
    "}\n"
    "b12:\n";

static struct amd_binary compile_mesh(const char *text, unsigned wave_size)
{
    struct amd_stage_options stage = {.vs.points = false};
    struct amd_compile_options options = {.gfx = ISA_GFX_10_3,
                                          .wave_size = (uint8_t)wave_size,
                                          .address32_hi = 1,
                                          .stage = &stage,
                                          .keep_text = rig.verbose};
    struct ir_shader *mesh = parsed(text);
    struct amd_binary binary;
    char error[256];
    struct ir_shader *whole = amd_lower_mesh(mesh, &options, &stage.gs.layout, error);
    if (!whole || !amd_compile(whole, &options, &binary, error))
        fail_msg("%s in:\n%s", error, text);
    if (rig.verbose)
        printf("%s%s", binary.ir_text, binary.disassembly);
    ir_shader_destroy(whole);
    ir_shader_destroy(mesh);
    return binary;
}

/* A query that counts all there is. The pointer to where its numbers are. */
static uint32_t make_counts(void)
{
    uint64_t counts_va, cell_va;
    uint64_t *numbers = shader_rig_alloc(&rig, 8 * AMD_COUNTS, &counts_va);
    memset(numbers, 0, 8 * AMD_COUNTS);
    counted = numbers;
    uint64_t *cell = shader_rig_alloc(&rig, 8 * AMD_COUNTS, &cell_va);
    for (unsigned i = 0; i < AMD_COUNTS; i++)
        cell[i] = counts_va + 8 * i;
    return (uint32_t)cell_va;
}

static void expect_counts(uint64_t tasks, uint64_t meshes, uint64_t primitives)
{
    assert_int_equal(counted[AMD_COUNT_GEOMETRY_PRIMITIVES], 0);
    assert_int_equal(counted[AMD_COUNT_TASK_INVOCATIONS], tasks);
    assert_int_equal(counted[AMD_COUNT_MESH_INVOCATIONS], meshes);
    assert_int_equal(counted[AMD_COUNT_MESH_PRIMITIVES], primitives);
}

static void begin_wave(struct sq_wave *wave, const struct amd_shader_config *config, uint32_t waves, uint32_t cell)
{
    wave->sgpr[config->user[AMD_USER_counters].first] = cell;
    const struct amd_sgpr_place sizes = config->user[AMD_USER_num_workgroups];
    assert_int_equal(sizes.count, 3);
    wave->sgpr[sizes.first] = 4;
    wave->sgpr[sizes.first + 1] = 3;
    wave->sgpr[sizes.first + 2] = 1;
    wave->sgpr[3] = wave->wave_in_group << 24 | waves << 28;
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        wave->vgpr[5 * wave->lanes + lane] = WORKGROUP;
}

static void run_program(const struct amd_binary *binary)
{
    uint64_t code_va;
    memcpy(shader_rig_alloc(&rig, binary->size_B + 256, &code_va), binary->words, binary->size_B);
    _Atomic bool killed = false;
    const uint32_t lanes = binary->config.wave_size,
                   waves = (uint32_t)div_round_up(binary->config.geometry.vertices_out, lanes);
    struct sq_launch launch = {.program_va = code_va,
                               .lanes = lanes,
                               .vgpr_count = (uint32_t)align_u64(MAX2(binary->config.num_vgprs, 16u), 8),
                               .mode = binary->config.rsrc1 >> 12 & 0xff,
                               .lds_size_B = binary->config.lds_size_B,
                               .memory = &rig.space,
                               .killed = &killed,
                               .hooks = &hooks};
    struct sq_code *code = amd_sq_code_create(&rig.space);
    struct sq_workgroup *group = amd_sq_workgroup_create(0);
    struct sq_fault fault = {0};
    assert_true(code && group && amd_sq_workgroup_begin(group, &launch, code, waves));
    num_messages = 0;
    memset(has_prim, 0, sizeof(has_prim));
    memset(has_param, 0, sizeof(has_param));
    memset(has_position, 0, sizeof(has_position));
    const uint32_t cell = make_counts();
    for (uint32_t i = 0; i < waves; i++)
        begin_wave(group->waves[i], &binary->config, waves, cell);
    enum sq_turn turn;
    do
        turn = amd_sq_workgroup_run(group, &fault);
    while (turn == SQ_TURN_GIVE_UP);
    if (turn == SQ_TURN_FAULT)
        fail_msg("fault at byte 0x%llx: %s", (unsigned long long)(fault.pc - code_va), fault.why ? fault.why : "");
    amd_sq_workgroup_destroy(group);
    amd_sq_code_destroy(code);
}

/* Of the three waves of 32 lanes and a bit, one has invocations; the others come to its barriers. */
static void outputs_come_out_by_lanes(void **state)
{
    (void)state;
    for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32) {
        shader_rig_reset(&rig);
        struct amd_binary binary = compile_mesh(mesh_text, wave_size);
        const struct amd_geometry_layout *layout = &binary.config.geometry;
        assert_true(layout->is_mesh && layout->places_primitives);
        assert_int_equal(layout->vertices_out, VERTICES);
        assert_int_equal(layout->max_out_primitives, PRIMITIVES);
        assert_int_equal(binary.config.num_params, 1);
        assert_int_equal(binary.config.param_of[IR_LOCATION_VAR0 + 2], 0);
        assert_int_equal(binary.config.param_of[IR_LOCATION_VAR0 + 7], 1);
        run_program(&binary);
        assert_int_equal(num_messages, 1);
        assert_int_equal(message_m0, VERTICES | PRIMITIVES << 12);
        expect_counts(0, GROUP, PRIMITIVES);
        for (uint32_t i = 0; i < 256; i++) {
            assert_int_equal(has_prim[i], i < PRIMITIVES);
            assert_int_equal(has_param[1][i], i < PRIMITIVES);
            assert_int_equal(has_position[i], i < VERTICES);
            assert_int_equal(has_param[0][i], i < VERTICES);
            if (i < VERTICES) {
                assert_int_equal(positions[i], i + (WORKGROUP % 4 | WORKGROUP / 4 << 5));
                assert_int_equal(params[0][i], (31 - i % GROUP) * 3);
            }
            if (i < PRIMITIVES) {
                assert_int_equal(prims[i], i == 3 ? 1u << 31 : i | (i + 1) << 10 | (i + 2) << 20);
                assert_int_equal(places[i], i == 1 ? 5u << 17 | 2u << 20 : 0);
                assert_int_equal(params[1][i], i + i % GROUP / 8);
            }
        }
        amd_binary_finish(&binary);
    }
}

/* A workgroup that says nothing of its outputs has none; neither vertices nor primitives come alone. */
static void a_workgroup_may_have_nothing(void **state)
{
    (void)state;
    static const char *const counts[] = {"", "  set_mesh_outputs %0, %1\n", "  set_mesh_outputs %1, %0\n"};
    for (unsigned i = 0; i < 3; i++) {
        char text[512];
        snprintf(
            text, sizeof(text),
            "shader mesh\nworkgroup_size[0] 1\nworkgroup_size[1] 1\nworkgroup_size[2] 1\n"
            "gs.vertices_out 3\ngs.primitives_out 1\ngs.output points\n"
            "output { location position num_comps 1 bits 32 num_locations 1 }\n"
            "b0:\n  %%0:32 = const 0x0\n  %%1:32 = const 0x1\n%s  store_per_vertex %%1, %%0, %%0 {location position}\n",
            counts[i]);
        shader_rig_reset(&rig);
        struct amd_binary binary = compile_mesh(text, 64);
        run_program(&binary);
        assert_int_equal(num_messages, 1);
        assert_int_equal(message_m0, 0);
        expect_counts(0, 1, 0);
        assert_false(has_prim[0] || has_position[0]);
        amd_binary_finish(&binary);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct amd_stage_options stage = {.vs.points = false};
    struct amd_compile_options options = {.gfx = ISA_GFX_10_3, .wave_size = 64, .stage = &stage};
    struct ir_shader *mesh = parsed(mesh_text);
    char error[256];
    mesh->gs.vertices_out = 257;
    assert_null(amd_lower_mesh(mesh, &options, &stage.gs.layout, error));
    mesh->gs.vertices_out = 256;
    mesh->shared_size_B = 64 << 10;
    assert_null(amd_lower_mesh(mesh, &options, &stage.gs.layout, error));
    mesh->shared_size_B = 28 << 10;
    struct ir_shader *whole = amd_lower_mesh(mesh, &options, &stage.gs.layout, error);
    assert_non_null(whole);
    ir_shader_destroy(whole);
    ir_shader_destroy(mesh);
}

/* ---- task shaders ---- */

/* Invocation i leaves its number in word i of the payload, which lies after 64 bytes of the program's own. */
static const char task_text[] =
    "shader task\n"
    "workgroup_size[0] 8\nworkgroup_size[1] 1\nworkgroup_size[2] 1\nshared_size_B 96\npayload_B 64\npayload_size_B 32\n"
    "b0:\n"
    "  %0:32 = const 0x7\n  %1:32 = const 0x2\n  %2:32 = const 0x3\n"
    "  %3:32 = load_sysval {sysval local_index}\n  %4:32 = ishl %3, %1\n  %5:32 = iadd %3, %0\n"
    "  store_shared %5, %4 {base 64, align 4}\n"
    "  %6:32x3 = load_sysval {sysval workgroup_id}\n  %7:32 = extract %6\n"
    "  emit_mesh_tasks %7, %1, %2\n";

static void set_ring(uint32_t *table, enum amd_ring ring, uint64_t va, uint32_t size_B)
{
    amd_pack_desc_BUFFER(AMD_GFX10_3, &table[4 * ring],
                         &(const struct amd_desc_BUFFER){.BASE_ADDRESS = va & 0xffffffffffff,
                                                         .NUM_RECORDS = size_B,
                                                         .DST_SEL_X = AMD_DST_SEL_X,
                                                         .DST_SEL_Y = AMD_DST_SEL_Y,
                                                         .DST_SEL_Z = AMD_DST_SEL_Z,
                                                         .DST_SEL_W = AMD_DST_SEL_W,
                                                         .FORMAT = 22,
                                                         .RESOURCE_LEVEL = 1,
                                                         .OOB_SELECT = AMD_OOB_SELECT_RAW});
}

/* Workgroup 5 of 4 by 3, whose draw began with the last entry of an odd round: it is in the next one. */
static void tasks_leave_entries(void **state)
{
    (void)state;
    for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32) {
        shader_rig_reset(&rig);
        struct amd_compile_options options = {
            .gfx = ISA_GFX_10_3, .wave_size = (uint8_t)wave_size, .address32_hi = 1, .keep_text = rig.verbose};
        struct ir_shader *task = parsed(task_text);
        struct amd_binary binary;
        char error[256];
        struct ir_shader *whole = amd_lower_task(task, &options, error);
        if (!whole || !amd_compile(whole, &options, &binary, error))
            fail_msg("%s", error);
        ir_shader_destroy(whole);
        ir_shader_destroy(task);
        uint64_t table_va, entries_va, payload_va, code_va;
        uint32_t *table = shader_rig_alloc(&rig, 16 * AMD_RING_COUNT, &table_va),
                 *entries = shader_rig_alloc(&rig, 16 * AMD_TASK_ENTRIES, &entries_va),
                 *payload = shader_rig_alloc(&rig, 8 * AMD_TASK_PAYLOAD_B, &payload_va);
        set_ring(table, AMD_RING_TASK_ENTRIES, entries_va, 16 * AMD_TASK_ENTRIES);
        set_ring(table, AMD_RING_TASK_PAYLOAD, payload_va, 8 * AMD_TASK_PAYLOAD_B);
        memset(entries, 0xff, 16 * AMD_TASK_ENTRIES);
        memcpy(shader_rig_alloc(&rig, binary.size_B + 256, &code_va), binary.words, binary.size_B);
        _Atomic bool killed = false;
        const struct amd_shader_config *config = &binary.config;
        struct sq_launch launch = {.program_va = code_va,
                                   .lanes = wave_size,
                                   .vgpr_count = (uint32_t)align_u64(MAX2(config->num_vgprs, 16u), 8),
                                   .mode = config->rsrc1 >> 12 & 0xff,
                                   .lds_size_B = config->lds_size_B,
                                   .memory = &rig.space,
                                   .killed = &killed,
                                   .hooks = &hooks};
        struct sq_code *code = amd_sq_code_create(&rig.space);
        struct sq_workgroup *group = amd_sq_workgroup_create(0);
        struct sq_fault fault = {0};
        assert_true(code && group && amd_sq_workgroup_begin(group, &launch, code, 1));
        struct sq_wave *wave = group->waves[0];
        const uint32_t first = 2 * AMD_TASK_ENTRIES - 1, ids[3] = {WORKGROUP % 4, WORKGROUP / 4, 0};
        wave->sgpr[config->user[AMD_USER_rings].first] = (uint32_t)table_va;
        wave->sgpr[config->user[AMD_USER_task_entry].first] = first;
        wave->sgpr[config->user[AMD_USER_draw_index].first] = 77;
        wave->sgpr[config->user[AMD_USER_counters].first] = make_counts();
        wave->sgpr[config->user[AMD_USER_num_workgroups].first] = 4;
        wave->sgpr[config->user[AMD_USER_num_workgroups].first + 1] = 3;
        wave->sgpr[config->user[AMD_USER_num_workgroups].first + 2] = 1;
        for (unsigned i = 0; i < 3; i++)
            wave->sgpr[config->num_user_sgprs + i] = ids[i];
        wave->sgpr[config->num_user_sgprs + 3] = 1;
        for (unsigned lane = 0; lane < wave_size; lane++)
            wave->vgpr[lane] = lane;
        sq_write_mask(wave, &wave->sgpr[SQ_EXEC], 0xff);
        sq_exec_changed(wave);
        enum sq_turn turn;
        do
            turn = amd_sq_workgroup_run(group, &fault);
        while (turn == SQ_TURN_GIVE_UP);
        if (turn == SQ_TURN_FAULT)
            fail_msg("fault at byte 0x%llx: %s", (unsigned long long)(fault.pc - code_va), fault.why ? fault.why : "");
        const uint32_t slot = WORKGROUP - 1, want[4] = {WORKGROUP % 4, 2, 3, 0};
        assert_memory_equal(entries + slot * 4, want, sizeof(want));
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(payload[slot * AMD_TASK_PAYLOAD_B / 4 + i], i + 7);
        assert_int_equal(payload[(slot * AMD_TASK_PAYLOAD_B + AMD_TASK_DRAW_B) / 4], 77);
        expect_counts(8, 0, 0);
        amd_sq_workgroup_destroy(group);
        amd_sq_code_destroy(code);
        amd_binary_finish(&binary);
    }
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_come_out_by_lanes), cmocka_unit_test(a_workgroup_may_have_nothing),
        cmocka_unit_test(what_does_not_fit_is_refused), cmocka_unit_test(tasks_leave_entries)};
    int failed = cmocka_run_group_tests_name("select mesh", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
