/* Random shaders with control flow, memory, variables and lane operations: compiled with all passes and with as few as
 * possible, for both wave sizes, they must do on the model what the IR's interpreter says.
 *
 *     TUFF_TEST_SEED=N     that shader alone
 *     TUFF_TEST_COUNT=N    how many (default 60) */
#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/ir_interpret.h"
#include "compiler/ir/tests/ir_test.h"
#include "compiler/ir/tests/random_shader.h"

#define BUFFER_B 65536
#define BUFFERS 4

static struct shader_rig rig;
static uint8_t initial[BUFFERS][BUFFER_B], expected[BUFFERS][BUFFER_B], got[BUFFERS][BUFFER_B];
static unsigned undecided, decided;

static void fill_buffers(uint64_t seed)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        for (unsigned n = 0; n < BUFFER_B; n++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            initial[i][n] = n & 4 ? 0 : (uint8_t)(seed >> 56);
        }
    }
}

/* What a compute shader cannot have comes from and goes to buffers; fields stay within the word. */
static void adapt(struct ir_shader *shader)
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

static void run_seed(uint64_t seed, const struct random_options *options, unsigned wave_size, bool plain)
{
    struct ir_shader *shader = random_shader(seed, options);
    adapt(shader);
    uint8_t push[256];
    char error[512];
    fill_buffers(seed);
    memset(push, 7, sizeof(push));
    memcpy(expected, initial, sizeof(expected));
    struct ir_interpret_buffer buffers[BUFFERS];
    for (unsigned i = 0; i < BUFFERS; i++)
        buffers[i] = (struct ir_interpret_buffer){.binding = i, .data = expected[i], .size_B = BUFFER_B};
    struct ir_interpret_options world = {.seed = 1,
                                         .wave_size = wave_size,
                                         .num_workgroups = {1, 1, 1},
                                         .push = push,
                                         .push_size_B = sizeof(push),
                                         .buffers = buffers,
                                         .num_buffers = BUFFERS};
    struct ir_interpret_result result;
    bool ran = ir_interpret(shader, &world, &result);
    bool usable = ran && !result.used_undef && !result.too_long;
    ir_interpret_finish(&result);
    if (!usable) {
        undecided++;
        ir_shader_destroy(shader);
        return;
    }
    memcpy(got, initial, sizeof(got));
    struct rig_buffer gpu[BUFFERS];
    for (unsigned i = 0; i < BUFFERS; i++)
        gpu[i] = (struct rig_buffer){got[i], BUFFER_B};
    struct rig_shape shape = {.wave_size = wave_size,
                              .no_optimisation = plain,
                              .buffers = gpu,
                              .num_buffers = BUFFERS,
                              .push = push,
                              .push_size_B = sizeof(push)};
    if (!shader_rig_run(&rig, shader, &shape, error))
        fail_msg("seed %llu wave%u%s: %s", (unsigned long long)seed, wave_size, plain ? " plain" : "", error);
    ir_shader_destroy(shader);
    decided++;
    for (unsigned i = 0; i < BUFFERS; i++) {
        for (unsigned n = 0; n < BUFFER_B; n++) {
            if (got[i][n] != expected[i][n])
                fail_msg("seed %llu wave%u%s: byte %u of buffer %u is 0x%02x, the interpreter says 0x%02x",
                         (unsigned long long)seed, wave_size, plain ? " plain" : "", n, i, got[i][n], expected[i][n]);
        }
    }
}

static void run_all(const struct random_options *options)
{
    const char *seed_text = getenv("TUFF_TEST_SEED"), *count_text = getenv("TUFF_TEST_COUNT");
    uint64_t first = seed_text ? strtoull(seed_text, NULL, 0) : 1, count = seed_text    ? 1
                                                                           : count_text ? strtoull(count_text, NULL, 0)
                                                                                        : 60;
    undecided = decided = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        for (unsigned wave = 32; wave <= 64; wave += 32) {
            run_seed(seed, options, wave, false);
            run_seed(seed, options, wave, true);
        }
    }
    print_message("# %u compared, %u could not be\n", decided, undecided);
    assert_true(decided >= (seed_text ? 0 : undecided));
}

static void integers_and_control_flow(void **state)
{
    (void)state;
    run_all(&(struct random_options){.no_floats = true, .no_lanes = true});
}

static void lanes(void **state)
{
    (void)state;
    run_all(&(struct random_options){.no_floats = true});
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers_and_control_flow), cmocka_unit_test(lanes)};
    int failed = cmocka_run_group_tests_name("select random", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
