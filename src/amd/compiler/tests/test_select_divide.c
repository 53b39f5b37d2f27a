/* Integer division and remainder by constants: every method that lower_divide.c uses (a power of two, a reciprocal of
 * 32 bits, one after a shift, one of 33 bits, one that is exact for small numbers only), at the edges of each
 * quotient. */
#include "amd/compiler/tests/shader_rig.h"
#include "compiler/ir/tests/ir_test.h"

#define LANES 64

static struct shader_rig rig;
static uint32_t numbers[LANES], found[LANES][4];

/* The ends of the range, and around multiples of the divisor. */
static void choose_numbers(uint32_t d)
{
    static const uint32_t edges[] = {0, 1, 2, 3, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t quotient = UINT32_MAX / d;
        uint32_t multiple = (i % 2 ? quotient - i / 8 : (i / 4) * (quotient / 16 + 1)) * d;
        numbers[i] = i < ARRAY_SIZE(edges) ? edges[i] : multiple + i % 4 - 1;
    }
}

static void run_program(uint32_t d, unsigned wave_size, bool plain, uint32_t mask)
{
    char text[2048], error[512];
    snprintf(
        text, sizeof(text),
        "shader compute\nworkgroup_size[0] 64\nworkgroup_size[1] 1\nworkgroup_size[2] 1\nb0:\n"
        "    %%0:32 = const 0x0\n    %%1:32 = load_sysval {sysval local_index}\n    %%2:32 = resource %%0 {resource "
        "storage_buffer}\n    %%3:32 = resource %%0 {binding 1, resource storage_buffer}\n    %%4:32 = const 0x4\n"
        "    %%5:32 = const 0x10\n    %%6:32 = imul %%1, %%4\n    %%7:32 = imul %%1, %%5\n"
        "    %%8:32 = load_ssbo %%2, %%6 {align 4}\n    %%9:32 = const 0x%x\n    %%10:32 = iand %%8, %%9\n"
        "    %%11:32 = const 0x%x\n    %%12:32 = udiv %%10, %%11\n    %%13:32 = umod %%10, %%11\n"
        "    %%14:32 = idiv %%10, %%11\n    %%15:32 = irem %%10, %%11\n    %%16:32x4 = vec %%12, %%13, %%14, %%15\n"
        "    store_ssbo %%16, %%3, %%7 {align 16}\n",
        mask, d);
    struct rig_buffer buffers[] = {{numbers, sizeof(numbers)}, {found, sizeof(found)}};
    struct rig_shape shape = {.wave_size = wave_size, .no_optimisation = plain, .buffers = buffers, .num_buffers = 2};
    struct ir_shader *shader = parsed(text);
    if (!shader_rig_run(&rig, shader, &shape, error))
        fail_msg("%s in:\n%s", error, text);
    ir_shader_destroy(shader);
}

static void quotients_are_exact(void **state)
{
    (void)state;
    static const uint32_t divisors[] = {1,          2,          3,      5,       6,          7,          9,
                                        10,         11,         12,     13,      14,         19,         21,
                                        25,         28,         60,     100,     125,        127,        641,
                                        1000,       10000,      65535,  65537,   1000000,    0x7fffffff, 0x80000000,
                                        0x80000001, 0xfffffffd, 274177, 6700417, 0xfffffffe, 0xffffffff};
    for (unsigned i = 0; i < ARRAY_SIZE(divisors); i++) {
        uint32_t d = divisors[i];
        for (unsigned shape = 0; shape < 6; shape++) {
            uint32_t mask = shape < 4 ? UINT32_MAX : 0xfffff;
            choose_numbers(d);
            run_program(d, shape & 1 ? 64 : 32, shape & 2, mask);
            for (unsigned lane = 0; lane < LANES; lane++) {
                uint32_t n = numbers[lane] & mask;
                int64_t a = (int32_t)n, b = (int32_t)d;
                uint32_t expected[4] = {n / d, n % d, (uint32_t)(a / b), (uint32_t)(a % b)};
                for (unsigned part = 0; part < 4; part++) {
                    if (found[lane][part] != expected[part])
                        fail_msg("0x%x by 0x%x, part %u: 0x%x instead of 0x%x", n, d, part, found[lane][part],
                                 expected[part]);
                }
            }
        }
    }
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 0);
    shader_rig_begin(&rig);
    const struct CMUnitTest tests[] = {cmocka_unit_test(quotients_are_exact)};
    int failed = cmocka_run_group_tests_name("select divide", tests, NULL, NULL);
    shader_rig_end(&rig);
    return failed;
}
