/* Functions that call one another, on the model in strict mode: what a kernel and its functions leave in memory is what
 * the IR's interpreter says, in waves of 32 and 64, with all passes and with as few as possible. */
#include "amd/compiler/function.h"
#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/tests/ir_test.h"

#define LANES 64
#define WORDS 16 /* of a lane in the buffer */
#define MAX_FUNCTIONS 8
#define STACK_B 16384

static struct shader_rig rig;
static uint32_t initial[LANES * WORDS], expected[LANES * WORDS], got[LANES * WORDS];

/* The parts of a case. */
static struct {
    struct ir_shader *kernel, *functions[MAX_FUNCTIONS];
    unsigned num_functions;
    struct ir_value *lane; /* of the kernel */
} c;

/* ---- building ---- */

static struct ir_value *number(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

static struct ir_value *place_of_lane(struct ir_builder *b)
{
    return ir_imul(b, c.lane, number(b, WORDS * 4));
}

static struct ir_value *buffer(struct ir_builder *b, uint32_t binding)
{
    return ir_resource(b, number(b, 0), 0, binding, IR_RESOURCE_storage_buffer);
}

static struct ir_value *load_value(struct ir_builder *b, uint32_t word)
{
    return ir_load_ssbo(b, 32, 1, buffer(b, 0), place_of_lane(b), word * 4, 4, 0, 0);
}

static void store_value(struct ir_builder *b, struct ir_value *value, uint32_t word)
{
    ir_store_ssbo(b, value, buffer(b, 0), place_of_lane(b), word * 4, 4, 0, 0);
}

static struct ir_builder begin_shader(void)
{
    c.num_functions = 0;
    c.kernel = ir_shader_create(IR_STAGE_compute);
    c.kernel->workgroup_size[0] = LANES;
    c.kernel->workgroup_size[1] = c.kernel->workgroup_size[2] = 1;
    struct ir_builder b = ir_builder_at_body_end(c.kernel);
    c.lane = ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index);
    return b;
}

static struct ir_builder function(enum ir_stage stage)
{
    struct ir_shader *shader = c.functions[c.num_functions++] = ir_shader_create(stage);
    return ir_builder_at_body_end(shader);
}

/* The address of a function by its number; the number of functions itself: 0. */
static struct ir_value *address(struct ir_builder *b, struct ir_value *index)
{
    return ir_load_ssbo(b, 64, 1, buffer(b, RIG_FUNCTIONS), ir_imul(b, index, number(b, 8)), 0, 8, 0,
                        IR_ACCESS_READONLY);
}

static struct ir_value *call_function(struct ir_builder *b, struct ir_value *index, struct ir_value *argument)
{
    ir_store_outgoing(b, argument, 0);
    ir_stack_call(b, address(b, index));
    return ir_load_outgoing(b, 1, 0);
}

/* word 0 → word 0 * factor + more, by way of arithmetic that needs some registers */
static void add_affine(uint32_t factor, uint32_t more)
{
    struct ir_builder b = function(IR_STAGE_callable);
    struct ir_value *x = ir_load_incoming(&b, 1, 0);
    ir_store_incoming(&b, ir_iadd(&b, ir_imul(&b, x, number(&b, factor)), number(&b, more)), 0);
}

/* ---- running ---- */

static void interpret_program(unsigned wave_size)
{
    uint64_t table[MAX_FUNCTIONS + 1] = {0};
    struct ir_interpret_function functions[MAX_FUNCTIONS];
    for (unsigned i = 0; i < c.num_functions; i++) {
        table[i] = 0x1000 + i * 16;
        functions[i] = (struct ir_interpret_function){table[i], c.functions[i]};
    }
    struct ir_interpret_buffer buffers[2] = {
        {.binding = 0, .data = expected, .size_B = sizeof(expected)},
        {.binding = RIG_FUNCTIONS, .data = table, .size_B = (c.num_functions + 1) * 8}};
    struct ir_interpret_options world = {.seed = 1,
                                         .wave_size = wave_size,
                                         .num_workgroups = {1, 1, 1},
                                         .buffers = buffers,
                                         .num_buffers = 2,
                                         .functions = functions,
                                         .num_functions = c.num_functions,
                                         .stack_size_B = STACK_B};
    struct ir_interpret_result result;
    memcpy(expected, initial, sizeof(expected));
    if (!ir_interpret(c.kernel, &world, &result))
        fail_msg("interpreted: %s", result.error);
    assert_false(result.used_undef || result.too_long);
    ir_interpret_finish(&result);
}

static void run_program(unsigned wave_size, bool plain)
{
    char error[512];
    struct ir_shader *functions[MAX_FUNCTIONS], *kernel = ir_shader_clone(c.kernel);
    for (unsigned i = 0; i < c.num_functions; i++)
        functions[i] = ir_shader_clone(c.functions[i]);
    memcpy(got, initial, sizeof(got));
    struct rig_buffer gpu = {got, sizeof(got)};
    struct rig_shape shape = {.wave_size = wave_size,
                              .no_optimisation = plain,
                              .buffers = &gpu,
                              .num_buffers = 1,
                              .functions = functions,
                              .num_functions = c.num_functions,
                              .stack_B = STACK_B};
    if (!shader_rig_run(&rig, kernel, &shape, error))
        fail_msg("wave%u%s: %s", wave_size, plain ? " plain" : "", error);
    for (unsigned i = 0; i < LANES * WORDS; i++) {
        if (got[i] != expected[i])
            fail_msg("wave%u%s: lane %u, word %u is 0x%x, the interpreter says 0x%x", wave_size, plain ? " plain" : "",
                     i / WORDS, i % WORDS, got[i], expected[i]);
    }
    ir_shader_destroy(kernel);
    for (unsigned i = 0; i < c.num_functions; i++)
        ir_shader_destroy(functions[i]);
}

/* Runs the case; `word` of a lane can be asked for afterwards by expected[]. */
static void check_result(void)
{
    for (unsigned i = 0; i < LANES * WORDS; i++)
        initial[i] = i * 2654435761u >> 20;
    for (unsigned wave_size = 32; wave_size <= 64; wave_size += 32) {
        interpret_program(wave_size);
        run_program(wave_size, false);
        run_program(wave_size, true);
    }
    ir_shader_destroy(c.kernel);
    for (unsigned i = 0; i < c.num_functions; i++)
        ir_shader_destroy(c.functions[i]);
}

/* ---- cases ---- */

static void a_call_in_straight_code(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    add_affine(3, 1);
    store_value(&b, call_function(&b, number(&b, 0), ir_iadd(&b, c.lane, number(&b, 10))), 0);
    check_result();
    assert_int_equal(expected[5 * WORDS], (5 + 10) * 3 + 1);
}

static void values_of_all_kinds_live_across_a_call(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    add_affine(5, 7);
    struct ir_value *word = load_value(&b, 1), *more = load_value(&b, 2), *wide = ir_pack64(&b, word, more);
    struct ir_value *mask = ir_ult(&b, word, more);
    struct ir_value *ballot = ir_ballot(&b, mask), *uniform = ir_read_first(&b, more);
    struct ir_value *is_small = ir_ult(&b, uniform, number(&b, 1000));
    struct ir_value *result = call_function(&b, number(&b, 0), word);
    store_value(&b, result, 0);
    store_value(&b, ir_select(&b, mask, word, more), 1);
    store_value(&b, ir_lo32(&b, ir_iadd(&b, wide, ir_const(&b, 64, 5))), 2);
    store_value(&b, ir_hi32(&b, ir_imul(&b, wide, ir_const(&b, 64, 77))), 3);
    store_value(&b, ir_lo32(&b, ballot), 4);
    store_value(&b, uniform, 5);
    store_value(&b, ir_select(&b, is_small, number(&b, 1), number(&b, 2)), 6);
    check_result();
}

static void a_call_under_a_divergent_condition(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    add_affine(3, 1);
    struct ir_value *x = load_value(&b, 1), *y = load_value(&b, 2),
                    *odd = ir_ine(&b, ir_iand(&b, c.lane, number(&b, 1)), number(&b, 0));
    struct ir_if *node = ir_builder_push_if(&b, odd);
    struct ir_value *then_value = ir_iadd(&b, call_function(&b, number(&b, 0), x), y);
    ir_builder_push_else(&b);
    /* read here alone: lanes that were not active during the call find it in its register */
    struct ir_value *else_value = ir_ixor(&b, x, number(&b, 0x55));
    ir_builder_pop_if(&b);
    store_value(&b, ir_if_phi(&b, node, then_value, else_value), 0);
    store_value(&b, y, 3);
    check_result();
    assert_int_equal(expected[6 * WORDS], initial[6 * WORDS + 1] ^ 0x55);
}

static void a_call_on_the_second_side_of_a_condition(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    add_affine(3, 1);
    struct ir_value *x = load_value(&b, 1), *y = load_value(&b, 2);
    struct ir_if *node = ir_builder_push_if(&b, ir_ult(&b, x, y));
    struct ir_value *then_value = ir_imul(&b, x, y);
    ir_builder_push_else(&b);
    struct ir_value *else_value = ir_iadd(&b, call_function(&b, number(&b, 0), x), y);
    ir_builder_pop_if(&b);
    store_value(&b, ir_if_phi(&b, node, then_value, else_value), 0);
    check_result();
}

/* Each lane turns as often as it likes; what it carries from turn to turn lives across the calls. */
static void a_call_in_a_loop(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    add_affine(3, 1);
    struct ir_value *turns = ir_iand(&b, load_value(&b, 1), number(&b, 7)), *start = load_value(&b, 2),
                    *zero = number(&b, 0);
    struct ir_block *before = b.block;
    ir_builder_push_loop(&b);
    struct ir_value *i = ir_phi(&b, 32, 1), *sum = ir_phi(&b, 32, 1);
    ir_builder_push_if(&b, ir_uge(&b, i, turns));
    ir_jump(&b, IR_OP_break);
    ir_builder_pop_if(&b);
    struct ir_value *next_sum = ir_iadd(&b, call_function(&b, number(&b, 0), sum), i),
                    *next_i = ir_iadd(&b, i, number(&b, 1));
    struct ir_block *last = b.block;
    ir_builder_push_cont(&b);
    last = b.block;
    ir_builder_pop_loop(&b);
    ir_phi_add(c.kernel, ir_def_instr(i), before, zero);
    ir_phi_add(c.kernel, ir_def_instr(i), last, next_i);
    ir_phi_add(c.kernel, ir_def_instr(sum), before, start);
    ir_phi_add(c.kernel, ir_def_instr(sum), last, next_sum);
    store_value(&b, sum, 0);
    store_value(&b, i, 3);
    check_result();
}

static void lanes_call_different_functions_or_none(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    add_affine(3, 1);
    add_affine(5, 2);
    add_affine(7, 3);
    struct ir_value *x = load_value(&b, 1), *y = load_value(&b, 2);
    store_value(&b, call_function(&b, ir_iand(&b, c.lane, number(&b, 3)), x), 0); /* 3: none */
    store_value(&b, ir_iadd(&b, x, y), 3);
    check_result();
    assert_int_equal(expected[3 * WORDS], initial[3 * WORDS + 1]);
    assert_int_equal(expected[6 * WORDS], initial[6 * WORDS + 1] * 7 + 3);
}

static void an_address_of_zero_in_all_lanes_calls_nothing(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    add_affine(3, 1);
    store_value(&b, call_function(&b, number(&b, 1), c.lane), 0);
    check_result();
    assert_int_equal(expected[9 * WORDS], 9);
}

/* f(n) = n < 1 ? 1 : n * 3 + f(n - 1), to another depth in each lane. */
static void a_function_calls_itself(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    struct ir_builder f = function(IR_STAGE_callable);
    struct ir_value *n = ir_load_incoming(&f, 1, 0);
    struct ir_if *node = ir_builder_push_if(&f, ir_ult(&f, n, number(&f, 1)));
    struct ir_value *one = number(&f, 1);
    ir_builder_push_else(&f);
    struct ir_value *rest = call_function(&f, number(&f, 0), ir_isub(&f, n, number(&f, 1)));
    struct ir_value *more = ir_iadd(&f, ir_imul(&f, n, number(&f, 3)), rest);
    ir_builder_pop_if(&f);
    ir_store_incoming(&f, ir_if_phi(&f, node, one, more), 0);
    store_value(&b, call_function(&b, number(&b, 0), ir_umod(&b, c.lane, number(&b, 11))), 0);
    check_result();
    assert_int_equal(expected[10 * WORDS], 3 * 55 + 1);
}

static void a_callee_calls_others(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    add_affine(3, 1);
    add_affine(5, 2);
    struct ir_builder f = function(IR_STAGE_closest_hit);
    struct ir_value *x = ir_load_incoming(&f, 1, 0), *bit = ir_iand(&f, x, number(&f, 1));
    struct ir_value *first = call_function(&f, bit, x),
                    *second = call_function(&f, ir_ixor(&f, bit, number(&f, 1)), first);
    ir_store_incoming(&f, ir_iadd(&f, ir_ixor(&f, first, second), x), 0);
    store_value(&b, call_function(&b, number(&b, 2), load_value(&b, 1)), 0);
    check_result();
}

/* More than the registers hold, of both files, and more than an instruction's offset reaches on the stack. */
static void many_values_live_across_a_call(void **state)
{
    (void)state;
    enum {
        VECTORS = 700,
        SCALARS = 150
    };
    struct ir_builder b = begin_shader();
    add_affine(3, 1);
    struct ir_value *x = load_value(&b, 1), *first = ir_read_first(&b, x), *vectors[VECTORS], *scalars[SCALARS];
    for (uint32_t i = 0; i < VECTORS; i++)
        vectors[i] = ir_imul(&b, ir_ixor(&b, x, number(&b, i * 977)), number(&b, i * 2 + 3));
    for (uint32_t i = 0; i < SCALARS; i++)
        scalars[i] = ir_read_first(&b, ir_ixor(&b, vectors[i], number(&b, i)));
    struct ir_value *sum = call_function(&b, number(&b, 0), first);
    for (uint32_t i = 0; i < VECTORS; i++)
        sum = ir_iadd(&b, ir_imul(&b, sum, number(&b, 31)), vectors[i]);
    for (uint32_t i = 0; i < SCALARS; i++)
        sum = ir_iadd(&b, ir_imul(&b, sum, number(&b, 17)), scalars[i]);
    store_value(&b, sum, 0);
    check_result();
}

/* A payload: the caller's own bytes, which the callee finds by their address. */
static void a_callee_reads_and_writes_its_callers_memory(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    struct ir_builder f = function(IR_STAGE_miss);
    struct ir_value *at = ir_load_incoming(&f, 1, 4);
    struct ir_value *payload = ir_load_stack(&f, 32, 2, at, 4, 4, 0);
    ir_store_stack(&f, ir_imul(&f, ir_extract(&f, payload, 0), ir_extract(&f, payload, 1)), at, 0, 4, 0);
    struct ir_builder g = function(IR_STAGE_raygen); /* has the payload behind other bytes of its own */
    g.shader->scratch_size_B = 44;
    ir_store_scratch(&g, ir_load_incoming(&g, 2, 0), number(&g, 0), 36, 4, 0);
    ir_store_outgoing(&g, ir_frame_address(&g, 32), 4);
    ir_stack_call(&g, address(&g, number(&g, 0)));
    ir_store_incoming(&g, ir_load_scratch(&g, 32, 1, number(&g, 32), 0, 4, 0), 8);
    ir_store_outgoing(&b, ir_vec(&b, 2, (struct ir_value *[]){load_value(&b, 1), load_value(&b, 2)}), 0);
    ir_stack_call(&b, address(&b, number(&b, 1)));
    store_value(&b, ir_load_outgoing(&b, 1, 8), 0);
    check_result();
    assert_int_equal(expected[4 * WORDS], initial[4 * WORDS + 1] * initial[4 * WORDS + 2]);
}

/* The mode of floats is each function's own. */
static void functions_flush_denormals_each_as_it_likes(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    for (unsigned keeps = 0; keeps < 2; keeps++) {
        struct ir_builder f = function(IR_STAGE_callable);
        f.shader->floats.denorm_preserve[1] = keeps;
        f.shader->floats.denorm_flush[1] = !keeps;
        f.flags = IR_FLAG_EXACT | IR_FLAG_NAN_INF;
        struct ir_value *x = ir_load_incoming(&f, 1, 0);
        struct ir_value *half = ir_fmul(&f, x, ir_const_f(&f, 32, 0.5));
        if (keeps) /* one that keeps them calls one that does not */
            half = ir_fadd(&f, half, ir_fmul(&f, call_function(&f, number(&f, 0), half), ir_const_f(&f, 32, 0.5)));
        ir_store_incoming(&f, half, 0);
    }
    b.flags = IR_FLAG_EXACT | IR_FLAG_NAN_INF;
    c.kernel->floats.denorm_flush[1] = true;
    struct ir_value *small = number(&b, 0x00900000); /* half of it is a denormal */
    store_value(&b, call_function(&b, number(&b, 1), small), 0);
    store_value(&b, ir_fmul(&b, ir_ior(&b, small, ir_iand(&b, c.lane, number(&b, 1))), ir_const_f(&b, 32, 0.5)), 3);
    check_result();
    assert_int_equal(expected[0], 0x00480000);
    assert_int_equal(expected[3], 0);
}

/* Reductions in a function: the lanes that wait keep what they have in their registers. */
static void lanes_of_a_function_reduce_among_themselves(void **state)
{
    (void)state;
    struct ir_builder b = begin_shader();
    for (unsigned i = 0; i < 2; i++) {
        struct ir_builder f = function(IR_STAGE_callable);
        struct ir_value *x = ir_load_incoming(&f, 1, 0);
        struct ir_value *sum = ir_reduce(&f, x, IR_REDUCTION_iadd, 0);
        ir_store_incoming(&f, ir_iadd(&f, sum, ir_scan_inclusive(&f, x, IR_REDUCTION_iadd)), 0);
    }
    struct ir_value *kept[8];
    for (uint32_t i = 0; i < 8; i++)
        kept[i] = ir_ixor(&b, load_value(&b, 1 + i), number(&b, i));
    store_value(&b, call_function(&b, ir_b2i(&b, 32, ir_ult(&b, c.lane, number(&b, 20))), kept[0]), 0);
    for (uint32_t i = 0; i < 8; i++)
        store_value(&b, kept[i], 3 + i);
    check_result();
}

/* The launch's kernel: lanes inside of the size, each with its number on the stack and the record's address. */
static void the_entry_calls_ray_generation_for_each_lane_of_the_launch(void **state)
{
    (void)state;
    static const uint32_t size[3] = {13, 5, 2}, workgroups[2][3] = {{8, 4, 1}, {64, 1, 1}};
    for (unsigned n = 0; n < 4; n++) {
        const uint32_t *group = workgroups[n % 2];
        struct ir_shader *raygen = ir_shader_create(IR_STAGE_raygen);
        struct ir_builder b = ir_builder_at_body_end(raygen);
        struct ir_value *id = ir_load_stack(&b, 32, 3, number(&b, AMD_STACK_LAUNCH_ID_B), 0, 4, 0), *record;
        record = ir_load_incoming(&b, 2, 0);
        record = ir_pack64(&b, ir_extract(&b, record, 0), ir_extract(&b, record, 1));
        struct ir_value *of_record = ir_load_global(&b, 32, 1, record, 32, 4, 0, 0);
        struct ir_value *linear = ir_extract(&b, id, 2);
        for (int i = 1; i >= 0; i--)
            linear = ir_iadd(&b, ir_imul(&b, linear, number(&b, size[i])), ir_extract(&b, id, (uint32_t)i));
        ir_store_ssbo(&b, ir_iadd(&b, linear, of_record),
                      ir_resource(&b, number(&b, 0), 0, 0, IR_RESOURCE_storage_buffer),
                      ir_imul(&b, linear, number(&b, 4)), 0, 4, 0, 0);

        uint64_t table_va, size_va, record_va;
        shader_rig_reset(&rig);
        uint64_t *tables = shader_rig_alloc(&rig, 88, &table_va), *handle = shader_rig_alloc(&rig, 64, &record_va);
        memcpy(shader_rig_alloc(&rig, 12, &size_va), size, 12);
        tables[0] = record_va;
        ((uint32_t *)handle)[8] = 1000;
        uint32_t words[13 * 5 * 2 + 8] = {0};
        char error[512];
        struct rig_shape shape = {.wave_size = n < 2 ? 32 : 64,
                                  .groups = {(13 + group[0] - 1) / group[0], (5 + group[1] - 1) / group[1], 2},
                                  .buffers = &(struct rig_buffer){words, sizeof(words)},
                                  .num_buffers = 1,
                                  .functions = &raygen,
                                  .num_functions = 1,
                                  .function_out = handle,
                                  .stack_B = STACK_B,
                                  .trace_tables = table_va,
                                  .trace_size = size_va};
        struct ir_shader *entry = amd_build_ray_entry(group);
        if (!shader_rig_run(&rig, entry, &shape, error))
            fail_msg("wave%u, groups of %u: %s", shape.wave_size, group[0], error);
        for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
            assert_int_equal(words[i], i < 13 * 5 * 2 ? 1000 + i : 0);
        ir_shader_destroy(entry);
        ir_shader_destroy(raygen);
        shader_rig_reset(&rig);
    }
}

/* The figures of a function: its frame is its stack. */
static void a_function_says_how_much_stack_it_needs(void **state)
{
    (void)state;
    char error[256];
    struct amd_compile_options options = {.gfx = ISA_GFX_10_3, .wave_size = 32};
    struct amd_binary binary;
    c.num_functions = 0;
    add_affine(3, 1);
    assert_true(amd_compile(c.functions[0], &options, &binary, error));
    assert_int_equal(binary.config.scratch_size_B, IR_FRAME_ARGS_B); /* nothing but what it shares with its caller */
    assert_true(binary.config.num_vgprs <= AMD_FUNCTION_VGPRS);
    amd_binary_finish(&binary);
    ir_shader_destroy(c.functions[0]);
    struct ir_builder f = function(IR_STAGE_callable);
    f.shader->scratch_size_B = 100;
    ir_store_scratch(&f, number(&f, 1), number(&f, 96), 0, 4, 0);
    assert_true(amd_compile(f.shader, &options, &binary, error));
    assert_int_equal(binary.config.scratch_size_B, IR_FRAME_ARGS_B + 112);
    amd_binary_finish(&binary);
    ir_shader_destroy(f.shader);
}

/* Stores of a caller may be under way: what releases memory waits for them. */
static void a_function_releases_the_stores_of_its_caller(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        char error[256];
        struct amd_compile_options options = {.gfx = ISA_GFX_10_3, .wave_size = 32};
        struct amd_binary binary;
        struct ir_shader *shader = ir_shader_create(i ? IR_STAGE_callable : IR_STAGE_compute);
        struct ir_builder b = ir_builder_at_body_end(shader);
        ir_barrier(&b, IR_SCOPE_device, IR_MEMORY_BUFFER, IR_ORDER_RELEASE);
        assert_true(amd_compile(shader, &options, &binary, error));
        assert_int_equal(binary.words[0], i ? 0xbbfd0000 : 0xbf810000); /* s_waitcnt_vscnt null, 0; s_endpgm */
        amd_binary_finish(&binary);
        ir_shader_destroy(shader);
    }
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_in_straight_code),
        cmocka_unit_test(values_of_all_kinds_live_across_a_call),
        cmocka_unit_test(a_call_under_a_divergent_condition),
        cmocka_unit_test(a_call_on_the_second_side_of_a_condition),
        cmocka_unit_test(a_call_in_a_loop),
        cmocka_unit_test(lanes_call_different_functions_or_none),
        cmocka_unit_test(an_address_of_zero_in_all_lanes_calls_nothing),
        cmocka_unit_test(a_function_calls_itself),
        cmocka_unit_test(a_callee_calls_others),
        cmocka_unit_test(many_values_live_across_a_call),
        cmocka_unit_test(a_callee_reads_and_writes_its_callers_memory),
        cmocka_unit_test(functions_flush_denormals_each_as_it_likes),
        cmocka_unit_test(lanes_of_a_function_reduce_among_themselves),
        cmocka_unit_test(the_entry_calls_ray_generation_for_each_lane_of_the_launch),
        cmocka_unit_test(a_function_says_how_much_stack_it_needs),
        cmocka_unit_test(a_function_releases_the_stores_of_its_caller),
    };
    int failed = cmocka_run_group_tests_name("select calls", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
