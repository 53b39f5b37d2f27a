/* Random kernels into which calls of random functions are put at random places, functions that call others among them:
 * compiled with all passes and with as few as possible, for both wave sizes, they do on the model what the IR's
 * interpreter says (random_run.h). */
#include "amd/compiler/tests/random_run.h"
#include "util/hash.h"

#define FUNCTIONS 5
#define STACK_B 32768

static unsigned num_calls;
static uint64_t dice;

static uint32_t pick_number(uint32_t below)
{
    dice = hash_u64(dice + 0x9e3779b97f4a7c15ull);
    return (uint32_t)((dice >> 20) % below);
}

/* ---- functions ---- */

/* Words 0 and up of what a function is called with: the lane's number, then arguments that become results. */
enum {
    ARGUMENTS = 4
};

/* A random kernel as a function: it is told its lane's number, and the first values that it would write come back. */
static struct ir_shader *random_function(uint64_t seed)
{
    struct random_options options = {
        .size = 20 + pick_number(60), .no_floats = true, .no_memory = true, .no_lanes = pick_number(3) == 0};
    struct ir_shader *shader = random_shader(seed, &options);
    shader->shared_size_B = 0;
    random_compute_adapt(shader);
    shader->stage = IR_STAGE_callable;
    uint32_t results = 0;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_builder b = ir_builder_before(shader, instr);
            if (instr->op == IR_OP_load_sysval && ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_local_index) {
                ir_replace_uses(&instr->def, ir_load_incoming(&b, 1, 0));
                ir_remove(instr);
            } else if (instr->op == IR_OP_shuffle_xor) { /* of a lane that perhaps does not call */
                ir_replace_uses(&instr->def, ir_src(instr, 0));
                ir_remove(instr);
            } else if (instr->op == IR_OP_barrier) {
                ir_remove(instr);
            } else if (instr->op == IR_OP_store_ssbo && results < ARGUMENTS) {
                struct ir_value *value = ir_src(instr, 0), *argument = ir_load_incoming(&b, 1, 4 + results * 4);
                value = value->bits == 64 ? ir_lo32(&b, value) : value;
                ir_store_incoming(&b, ir_iadd(&b, value, argument), 4 + results++ * 4);
            }
        }
    }
    return shader;
}

/* ---- calls ---- */

static bool is_word(const struct ir_value *value)
{
    return value->bits == 32 && value->comps == 1;
}

/* A word that is known before an instruction, from the same block. */
static struct ir_value *some_word(struct ir_builder *b, struct ir_instr *before, struct ir_value *lane)
{
    struct ir_value *found = lane;
    ir_foreach_instr (before->block, instr) {
        if (instr == before)
            break;
        if (instr->op != IR_OP_resource && instr->def.bits && is_word(&instr->def) && pick_number(4) == 0)
            found = &instr->def;
    }
    return pick_number(8) ? found : ir_const(b, 32, pick_number(1000));
}

/* The function by a word of each lane, or one for all; there is one number more than functions, and one of no
 * function. */
static struct ir_value *some_address(struct ir_builder *b, struct ir_instr *before, struct ir_value *lane,
                                     uint32_t first)
{
    uint32_t count = FUNCTIONS + 1 - first;
    struct ir_value *index = ir_umod(b, some_word(b, before, lane), ir_const(b, 32, count));
    index = pick_number(3) ? ir_iadd(b, index, ir_const(b, 32, first)) : ir_const(b, 32, first + pick_number(count));
    struct ir_value *table = ir_resource(b, ir_const(b, 32, 0), 0, RIG_FUNCTIONS, IR_RESOURCE_storage_buffer);
    return ir_load_ssbo(b, 64, 1, table, ir_imul(b, index, ir_const(b, 32, 8)), 0, 8, 0, IR_ACCESS_READONLY);
}

/* A call before an instruction; its results go into a variable. */
static void put_call(struct ir_shader *shader, struct ir_instr *before, struct ir_value *lane, uint32_t first,
                     const struct ir_var *sum)
{
    struct ir_builder b = ir_builder_before(shader, before);
    struct ir_value *words[1 + ARGUMENTS] = {lane};
    for (unsigned i = 1; i <= ARGUMENTS; i++)
        words[i] = some_word(&b, before, lane);
    struct ir_value *address = some_address(&b, before, lane, first);
    ir_store_outgoing(&b, ir_vec(&b, 1 + ARGUMENTS, words), 0);
    ir_stack_call(&b, address);
    struct ir_value *results = ir_load_outgoing(&b, ARGUMENTS, 4), *mixed = ir_extract(&b, results, 0);
    for (unsigned i = 1; i < ARGUMENTS; i++)
        mixed = ir_ixor(&b, mixed, ir_extract(&b, results, i));
    struct ir_value *zero = ir_const(&b, 32, 0), *before_it = ir_load_var(&b, 32, 1, zero, sum->index);
    ir_store_var(&b, ir_iadd(&b, ir_imul(&b, before_it, ir_const(&b, 32, 31)), mixed), zero, sum->index);
    num_calls++;
}

/* Calls at some places; what came of all of them is a result, too. */
static void put_calls(struct ir_shader *shader, uint32_t first, unsigned one_in)
{
    struct ir_builder b = ir_builder_at_start(shader, ir_region_first(&shader->body));
    struct ir_value *zero = ir_const(&b, 32, 0), *lane, *total;
    lane = ir_is_function(shader) ? ir_load_incoming(&b, 1, 0) : ir_load_sysval(&b, 32, 1, IR_SYSVAL_local_index);
    const struct ir_var *sum = ir_var_create(shader, 32, 1, "sum");
    struct ir_instr *places[64], *start = ir_store_var(&b, lane, zero, sum->index);
    unsigned count = 0;
    bool known = false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (known && ir_info(instr)->folds && instr->num_srcs && count < ARRAY_SIZE(places) &&
                pick_number(one_in) == 0)
                places[count++] = instr;
            known |= instr == start;
        }
    }
    for (unsigned i = 0; i < count; i++)
        put_call(shader, places[i], lane, first, sum);
    b = ir_builder_at_body_end(shader);
    zero = ir_const(&b, 32, 0);
    total = ir_load_var(&b, 32, 1, zero, sum->index);
    if (ir_is_function(shader))
        ir_store_incoming(&b, total, 4 * ARGUMENTS);
    else
        ir_store_ssbo(&b, total, ir_resource(&b, zero, 0, 1, IR_RESOURCE_storage_buffer),
                      ir_imul(&b, lane, ir_const(&b, 32, 1024)), 1020, 4, 0, 0);
}

/* ---- running ---- */

static bool interpret_program(struct ir_shader *kernel, struct ir_shader *const *functions, unsigned wave_size)
{
    uint64_t table[FUNCTIONS + 1] = {0};
    struct ir_interpret_function callable[FUNCTIONS];
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        table[i] = 0x1000 + i * 16;
        callable[i] = (struct ir_interpret_function){table[i], functions[i]};
    }
    const struct ir_interpret_buffer addresses = {.binding = RIG_FUNCTIONS, .data = table, .size_B = sizeof(table)};
    const struct ir_interpret_options world = {
        .functions = callable, .num_functions = FUNCTIONS, .stack_size_B = STACK_B, .max_steps = 1 << 21};
    return random_interpret(kernel, wave_size, world, &addresses);
}

static void run_program(uint64_t seed, struct ir_shader *kernel, struct ir_shader *const *functions, unsigned wave_size,
                        bool plain)
{
    struct ir_shader *copies[FUNCTIONS], *copy = ir_shader_clone(kernel);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        copies[i] = ir_shader_clone(functions[i]);
    random_compare(seed, copy,
                   (struct rig_shape){.wave_size = wave_size,
                                      .no_optimisation = plain,
                                      .functions = copies,
                                      .num_functions = FUNCTIONS,
                                      .stack_B = STACK_B});
    ir_shader_destroy(copy);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        ir_shader_destroy(copies[i]);
}

static void run_seed(uint64_t seed, const struct random_options *options)
{
    struct ir_shader *functions[FUNCTIONS], *kernel;
    dice = hash_u64(seed);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        functions[i] = random_function(seed * 100 + i);
        if (i < FUNCTIONS / 2) /* calls of those after it alone: all end */
            put_calls(functions[i], i + 1, 25);
    }
    kernel = random_shader(seed, options);
    random_compute_adapt(kernel);
    put_calls(kernel, 0, 12);
    random_compute_fill(initial, seed);
    for (unsigned wave = 32; wave <= 64; wave += 32) {
        if (!interpret_program(kernel, functions, wave)) {
            undecided++;
            continue;
        }
        run_program(seed, kernel, functions, wave, false);
        run_program(seed, kernel, functions, wave, true);
    }
    ir_shader_destroy(kernel);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        ir_shader_destroy(functions[i]);
}

static void run_all(const struct random_options *options)
{
    num_calls = 0;
    random_seeds(run_seed, options, 40);
    assert_true(num_calls > 0);
}

static void calls_in_any_control_flow(void **state)
{
    (void)state;
    run_all(&(struct random_options){.no_floats = true, .no_lanes = true});
}

static void calls_among_operations_between_lanes(void **state)
{
    (void)state;
    run_all(&(struct random_options){.no_floats = true});
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_in_any_control_flow),
                                       cmocka_unit_test(calls_among_operations_between_lanes)};
    int failed = cmocka_run_group_tests_name("select call random", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
